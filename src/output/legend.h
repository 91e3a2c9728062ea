/* The rows above a frame: the name of its curve, or a sample and a name for each of several. Outside of the frame they never cover
 * what is drawn; where a row is full the next one begins. */
#ifndef ZW_OUTPUT_LEGEND_H
#define ZW_OUTPUT_LEGEND_H

#include "output/page.h"
#include "output/svg.h"

enum { ZW_LEGEND_ROW = 18 }; /* px, height of a row */

/* How many rows names and note take over a frame so wide. */
int32_t zw_legend_rows(const ZwSvgPanel* panel, const char* note, int32_t width);
/* Draws them; the lowest one stands at `y`. */
void zw_legend_draw(ZwText* out, ZwTheme theme, const ZwSvgPanel* panel, const char* note, int32_t x, int32_t y,
                    int32_t width);

/* What tells curve i from others beside its colour: attributes of its dashes. */
void zw_legend_dashes(ZwText* out, int32_t i);

#endif
