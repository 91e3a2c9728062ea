/* Charts of one positive quantity over another, both on logarithmic axes: effort against error. One panel per problem, two
 * beside each other, all with the same curves, told apart by colour and by mark; the legend fills the place behind the last
 * panel, or a row of its own. */
#ifndef ZW_OUTPUT_LOGLOG_H
#define ZW_OUTPUT_LOGLOG_H

#include "base/status.h"
#include "base/str.h"
#include "output/draft.h"

enum { ZW_LOGLOG_STYLES = 7 }; /* most curves of a panel */

typedef struct ZwLogPoint {
  double x, y; /* not positive, or not finite: left out */
} ZwLogPoint;

typedef struct ZwLogCurve {
  int32_t style; /* which name of the legend */
  const ZwLogPoint* points;
  int32_t count;
} ZwLogCurve;

typedef struct ZwLogPanel {
  const char* name;
  const ZwLogCurve* curves;
  int32_t curve_count;
} ZwLogPanel;

/* Only data; nothing of it is kept. */
typedef struct ZwLogPlot {
  const char *title, *x_name, *y_name;
  const char* const* legend;
  int32_t legend_count; /* 1 to ZW_LOGLOG_STYLES */
  const ZwLogPanel* panels;
  int32_t panel_count; /* at least 1 */
} ZwLogPlot;

/* The chart as SVG, added to a text. When memory is out, the arena of the text says so. */
void zw_loglog_text(ZwText* out, const ZwLogPlot* plot);
/* Writes it to a file; as zw_svg_plot. */
ZwStatus zw_loglog_plot(const ZwLogPlot* plot, const ZwAllocator* allocator, const char* path, char* error);

#endif
