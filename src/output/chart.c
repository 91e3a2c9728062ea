#include "output/chart.h"

#include <math.h>

typedef struct ChartCurve {
  int32_t column;
  ZwSeries* series; /* one of the two */
  ZwTrace* trace;
} ChartCurve;

typedef struct ChartPanel {
  int32_t across; /* a column; 0: the time */
  ChartCurve curves[ZW_SVG_CURVES];
  ZwSvgCurve drawn[ZW_SVG_CURVES];
  int32_t count;
} ChartPanel;

struct ZwChart {
  ZwAllocator allocator;
  ChartPanel panels[ZW_SVG_PANELS];
  ZwSvgPanel drawn[ZW_SVG_PANELS];
  int32_t count, panels_more, curves_more;
  int64_t lost;
  ZwMarks marks;
  ZwSvgPlot plot;
};

static bool make_curve(ZwChart* chart, ChartCurve* curve, ZwSvgCurve* drawn, bool is_trace) {
  size_t size = is_trace ? zw_trace_size(ZW_TRACE_POINTS) : zw_series_size(ZW_SERIES_BUCKETS);
  void* memory = zw_alloc(&chart->allocator, size);
  if (!memory) return false;
  if (is_trace)
    drawn->trace = curve->trace = zw_trace_init(memory, ZW_TRACE_POINTS);
  else
    drawn->series = curve->series = zw_series_init(memory, ZW_SERIES_BUCKETS);
  return true;
}

static bool make_panel(ZwChart* chart, const ZwPlot* what) {
  ChartPanel* panel = &chart->panels[chart->count];
  ZwSvgPanel* drawn = &chart->drawn[chart->count++];
  panel->across = what->against;
  *drawn = (ZwSvgPanel){.curves = panel->drawn, .is_equal = what->is_equal};
  if (what->against != 0) drawn->against = what->against_name;
  for (int32_t i = 0; i < what->count && i < ZW_SVG_CURVES; i++) {
    panel->curves[i].column = what->columns[i];
    panel->drawn[i].name = what->names[i];
    if (!make_curve(chart, &panel->curves[i], &panel->drawn[i], what->against != 0)) return false;
    drawn->curve_count = ++panel->count;
  }
  chart->curves_more += what->count - panel->count;
  return true;
}

ZwChart* zw_chart_create(const ZwAllocator* allocator, const ZwPlot* plots, int32_t count, bool is_log_across,
                         bool is_log_up) {
  ZwChart* chart = zw_alloc(allocator, sizeof *chart);
  if (!chart) return NULL;
  *chart = (ZwChart){.allocator = *allocator};
  chart->plot = (ZwSvgPlot){.is_log_across = is_log_across, .is_log_up = is_log_up};
  for (int32_t i = 0; i < count && i < ZW_SVG_PANELS; i++) {
    if (make_panel(chart, &plots[i])) continue;
    zw_chart_destroy(chart);
    return NULL;
  }
  chart->panels_more = count - chart->count;
  return chart;
}

/* On an axis: what has no logarithm becomes what is not finite. */
static double on_axis(double value, bool is_log, bool* is_lost) {
  if (!is_log) return value;
  if (isfinite(value) && value <= 0) *is_lost = true;
  return log10(value);
}

static void add_point(ZwChart* chart, ChartCurve* curve, double x, double y) {
  bool is_lost = false;
  x = on_axis(x, chart->plot.is_log_across, &is_lost);
  y = on_axis(y, chart->plot.is_log_up, &is_lost);
  chart->lost += is_lost;
  if (curve->trace)
    zw_trace_add(curve->trace, x, y);
  else
    zw_series_add(curve->series, x, y);
}

void zw_chart_row(ZwChart* chart, const double* values, const char* event) {
  for (int32_t i = 0; i < chart->count; i++) {
    ChartPanel* panel = &chart->panels[i];
    double x = values[panel->across];
    for (int32_t k = 0; k < panel->count; k++) add_point(chart, &panel->curves[k], x, values[panel->curves[k].column]);
  }
  if (event[0]) zw_marks_add(&chart->marks, values[0], event);
}

ZwSvgPlot* zw_chart_plot(ZwChart* chart) {
  for (int32_t i = 0; i < chart->count; i++) {
    for (int32_t k = 0; k < chart->panels[i].count; k++) {
      if (chart->panels[i].curves[k].trace) zw_trace_flush(chart->panels[i].curves[k].trace);
    }
  }
  chart->plot.panels = chart->drawn;
  chart->plot.panel_count = chart->count;
  chart->plot.marks = &chart->marks;
  return &chart->plot;
}

int32_t zw_chart_panels_more(const ZwChart* chart) {
  return chart->panels_more;
}

int32_t zw_chart_curves_more(const ZwChart* chart) {
  return chart->curves_more;
}

int64_t zw_chart_points_lost(const ZwChart* chart) {
  return chart->lost;
}

void zw_chart_destroy(ZwChart* chart) {
  if (!chart) return;
  ZwAllocator allocator = chart->allocator;
  for (int32_t i = 0; i < chart->count; i++) {
    for (int32_t k = 0; k < ZW_SVG_CURVES; k++) {
      zw_release(&allocator, chart->panels[i].curves[k].series);
      zw_release(&allocator, chart->panels[i].curves[k].trace);
    }
  }
  zw_release(&allocator, chart);
}
