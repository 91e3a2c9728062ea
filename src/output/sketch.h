/* A plot as text, for terminals: 60 x 8 characters for each curve, with its name and ranges. */
#ifndef ZW_OUTPUT_SKETCH_H
#define ZW_OUTPUT_SKETCH_H

#include "output/svg.h"

enum { ZW_SKETCH_WIDTH = 60, ZW_SKETCH_HEIGHT = 8 }; /* characters */

/* Adds all curves of the plot. `is_utf8`: with dots of Braille, 2 x 4 in a character; else with ASCII, 1 x 2. */
void zw_sketch_text(ZwText* out, const ZwSvgPlot* plot, bool is_utf8);

#endif
