/* Plots: panels stacked in one or two columns, over a common axis of time or against another quantity.
 *
 * On a logarithmic axis the curves hold the decimal logarithms of their values; what has none is not finite and breaks the line. */
#ifndef ZW_OUTPUT_SVG_H
#define ZW_OUTPUT_SVG_H

#include "base/status.h"
#include "base/str.h"
#include "output/draft.h"
#include "output/marks.h"
#include "output/series.h"
#include "output/shades.h"
#include "output/theme.h"
#include "output/trace.h"

enum {
  ZW_SVG_PANELS = 12, /* most panels of one plot */
  ZW_SVG_CURVES = 28  /* most curves of a panel: so many differ in colour or dashes */
};

/* One of the two, as its panel is. */
typedef struct ZwSvgCurve {
  const char* name; /* as the user wrote it */
  const ZwSeries* series;
  const ZwTrace* trace; /* flushed */
} ZwSvgCurve;

typedef struct ZwSvgPanel {
  const ZwSvgCurve* curves;
  int32_t curve_count; /* 1 to ZW_SVG_CURVES */
  const char* against; /* the name of the axis below, and curves are traces; NULL: the time, and they are series */
  bool is_equal;       /* one scale for both axes */
} ZwSvgPanel;

/* Only data; nothing of it is kept. */
typedef struct ZwSvgPlot {
  const char* title; /* the model's name; NULL or "": none */
  const ZwSvgPanel* panels;
  int32_t panel_count;  /* 1 to ZW_SVG_PANELS */
  const char* footnote; /* what is not shown, say; NULL or "": none */
  const char* time;     /* the name of its axis; NULL: t */
  bool is_log_across, is_log_up;
  const ZwMarks* marks; /* NULL: none */
  ZwShades shades;      /* without lanes: none */
  ZwTheme theme;
} ZwSvgPlot;

/* The plot as SVG, added to a text. When memory is out, the arena of the text says so. */
void zw_svg_text(ZwText* out, const ZwSvgPlot* plot);
/* Writes the plot to a file, which appears when it is complete (see output/draft.h). On ZW_ERR_IO and ZW_ERR_MEMORY
 * `error` (ZW_DRAFT_ERROR bytes) holds one sentence and no file is left behind. */
ZwStatus zw_svg_plot(const ZwSvgPlot* plot, const ZwAllocator* allocator, const char* path, char* error);

#endif
