/* Plots over time, or over another quantity: one panel per quantity, stacked in one or two columns over a common axis. */
#ifndef ZW_OUTPUT_SVG_H
#define ZW_OUTPUT_SVG_H

#include "base/status.h"
#include "base/str.h"
#include "output/draft.h"
#include "output/series.h"

enum { ZW_SVG_PANELS = 12 }; /* most panels of one plot */

typedef struct ZwSvgCurve {
  const ZwSeries* series;
} ZwSvgCurve;

typedef struct ZwSvgPanel {
  const char* name; /* as the user wrote it */
  const ZwSvgCurve* curves;
  int32_t curve_count; /* at least 1; all are drawn alike */
} ZwSvgPanel;

/* Only data; nothing of it is kept. */
typedef struct ZwSvgPlot {
  const char* title; /* the model's name; NULL or "": none */
  const ZwSvgPanel* panels;
  int32_t panel_count;  /* 1 to ZW_SVG_PANELS */
  const char* footnote; /* what is not shown, say; NULL or "": none */
  const char* across;   /* the name of the axis below; NULL: t */
} ZwSvgPlot;

/* The plot as SVG, added to a text. When memory is out, the arena of the text says so. */
void zw_svg_text(ZwText* out, const ZwSvgPlot* plot);
/* Writes the plot to a file, which appears when it is complete (see output/draft.h). On ZW_ERR_IO and ZW_ERR_MEMORY
 * `error` (ZW_DRAFT_ERROR bytes) holds one sentence and no file is left behind. */
ZwStatus zw_svg_plot(const ZwSvgPlot* plot, const ZwAllocator* allocator, const char* path, char* error);

#endif
