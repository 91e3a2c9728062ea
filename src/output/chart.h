/* A plot that grows row by row, in an amount of memory that does not depend on their number. */
#ifndef ZW_OUTPUT_CHART_H
#define ZW_OUTPUT_CHART_H

#include "base/alloc.h"
#include "output/svg.h"
#include "zwang/types.h"

typedef struct ZwChart ZwChart;

/* What is to be drawn, one panel for each of the plots; names stay the caller's. More than ZW_SVG_PANELS panels, and more
 * than ZW_SVG_CURVES curves of one, are left out. NULL: out of memory. */
ZwChart* zw_chart_create(const ZwAllocator* allocator, const ZwPlot* plots, int32_t count, bool is_log_across,
                         bool is_log_up);
/* The next row, whose first column is the time. `event`: what happens then, or "". */
void zw_chart_row(ZwChart* chart, const double* values, const char* event);
/* The plot of all rows so far. Title, footnote, theme and shades are for the caller to set; it is valid until the next row. */
ZwSvgPlot* zw_chart_plot(ZwChart* chart);
/* Panels and curves that are left out. */
int32_t zw_chart_panels_more(const ZwChart* chart);
int32_t zw_chart_curves_more(const ZwChart* chart);
/* Points that have no place on a logarithmic axis. */
int64_t zw_chart_points_lost(const ZwChart* chart);
void zw_chart_destroy(ZwChart* chart);

#endif
