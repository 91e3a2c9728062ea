/*   title
 *   name  note            - - name  --- name      Panels go row by row; a row is as high as its highest panel.
 *   +-------------+       +-------------+         Ticks of time are labelled below the lowest of the panels over time that
 *   |             |       |             |         stand below each other; the grid carries them up. A panel against
 *   +-------------+       +-------------+         another quantity has its own.
 *   name  note             0    5    10
 *   +-------------+              t
 *   |             |
 *   +-------------+
 *    0    5    10
 *          t
 *   what is shaded
 *   footnote
 */
#include "output/plot_layout.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "output/legend.h"

/* px */
enum {
  ABOVE = 24,       /* the first row of names above a frame */
  ROW_GAP = 10,     /* between a frame and the row of names below */
  COLUMN_GAP = 22,  /* between a frame and the tick labels of its right neighbour */
  COLUMNS_FROM = 4, /* so many panels stand in two columns */
  UP_TICK = 28,     /* least distance of two ticks on the left */
  UP_TICKS_MAX = 11,
  LOG_TICK = 76 /* least distance of two ticks below on a logarithmic axis, whose labels are long */
};

static const double MARGIN = 0.06; /* free part of a frame on both sides of a curve */

/* --- ranges and axes ----------------------------------------------------------------------------------------- */

typedef struct Range {
  bool is_there;
  double low, high;
} Range;

static void widen(Range* range, double low, double high) {
  range->low = range->is_there ? fmin(range->low, low) : low;
  range->high = range->is_there ? fmax(range->high, high) : high;
  range->is_there = true;
}

static Range up_range(const ZwSvgPanel* panel) {
  Range range = {0};
  for (int32_t i = 0; i < panel->curve_count; i++) {
    const ZwSvgCurve* curve = &panel->curves[i];
    double low, high;
    if (panel->against && curve->trace->has_range) widen(&range, curve->trace->y_low, curve->trace->y_high);
    if (!panel->against && zw_series_range(curve->series, &low, &high)) widen(&range, low, high);
  }
  return range;
}

static Range across_range(const ZwSvgPanel* panel) {
  Range range = {0};
  for (int32_t i = 0; i < panel->curve_count; i++) {
    const ZwSvgCurve* curve = &panel->curves[i];
    if (panel->against && curve->trace->has_range) widen(&range, curve->trace->x_low, curve->trace->x_high);
    if (!panel->against && curve->series->has_time) widen(&range, curve->series->t_low, curve->series->t_high);
  }
  return range;
}

static int32_t wider(int32_t a, int32_t b) {
  return a > b ? a : b;
}

static int32_t clamp(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

static void make_up(ZwTicks* ticks, const Range* range, double margin, int32_t height, bool is_log) {
  int32_t most = clamp(height / UP_TICK, ZW_TICKS_MOST_MIN, UP_TICKS_MAX);
  (is_log ? zw_ticks_make_log : zw_ticks_make)(ticks, range->low, range->high, margin, most);
}

static void make_across(ZwTicks* ticks, const Range* range, double margin, int32_t width, bool is_log) {
  int32_t most = clamp(width / (is_log ? LOG_TICK : ZW_PAGE_TIME_TICK), ZW_TICKS_MOST_MIN, UP_TICKS_MAX);
  (is_log ? zw_ticks_make_log : zw_ticks_make)(ticks, range->low, range->high, margin, most);
}

/* Halves, since the whole might overflow. */
static double half_span(double low, double high) {
  return high / 2 - low / 2;
}

/* The same axis, so that a pixel is worth `unit`. */
static Range stretched(const ZwTicks* ticks, double unit, int32_t pixels) {
  double middle = ticks->low / 2 + ticks->high / 2, half = unit * pixels / 2;
  return (Range){true, middle - half, middle + half};
}

/* One scale for both: that of the axis that needs the larger one. What does not vary needs none. */
static void make_equal(ZwPanelLayout* panel, const Range* across, const Range* up) {
  const ZwPageFrame* frame = &panel->frame;
  double unit_x = 2 * half_span(panel->own.low, panel->own.high) / frame->width;
  double unit_y = 2 * half_span(panel->left.low, panel->left.high) / frame->height;
  double unit = fmax(unit_x, unit_y);
  if (across->low == across->high && up->low < up->high) unit = unit_y;
  if (up->low == up->high && across->low < across->high) unit = unit_x;
  Range wide = stretched(&panel->own, unit, frame->width), high = stretched(&panel->left, unit, frame->height);
  if (!isfinite(wide.low) || !isfinite(wide.high) || !isfinite(high.low) || !isfinite(high.high)) return;
  make_across(&panel->own, &wide, 0, frame->width, false);
  make_across(&panel->left, &high, 0, frame->height, false); /* ticks as far apart as below: the grid is of squares */
}

static void make_panel_axes(ZwPanelLayout* panel, const ZwSvgPlot* plot, const ZwSvgPanel* what) {
  Range up = up_range(what);
  panel->has_values = up.is_there;
  if (up.is_there) make_up(&panel->left, &up, MARGIN, panel->frame.height, plot->is_log_up);
  if (!what->against) return;
  Range across = across_range(what);
  if (!across.is_there) widen(&across, 0, 1);
  make_across(&panel->own, &across, MARGIN, panel->frame.width, plot->is_log_across);
  bool is_linear = !plot->is_log_across && !plot->is_log_up;
  if (what->is_equal && is_linear && panel->has_values) make_equal(panel, &across, &up);
}

static void make_axes(ZwPlotLayout* plan, const ZwSvgPlot* plot) {
  Range time = {0};
  for (int32_t i = 0; i < plot->panel_count; i++) {
    make_panel_axes(&plan->panels[i], plot, &plot->panels[i]);
    if (plot->panels[i].against) continue;
    Range range = across_range(&plot->panels[i]);
    if (range.is_there) widen(&time, range.low, range.high);
  }
  if (!time.is_there) widen(&time, 0, 1);
  int32_t width = plan->panels[0].frame.width;
  if (plot->is_log_across)
    make_across(&plan->time, &time, 0, width, true);
  else
    zw_page_time_make(&plan->time, time.low, time.high, width);
}

const ZwTicks* zw_plot_layout_below(const ZwPlotLayout* plan, const ZwSvgPlot* plot, int32_t i) {
  return plot->panels[i].against ? &plan->panels[i].own : &plan->time;
}

/* --- places -------------------------------------------------------------------------------------------------- */

static int32_t frame_height(const ZwSvgPlot* plot, const ZwPlotLayout* plan, const ZwSvgPanel* panel) {
  if (panel->against) return plan->columns == 1 ? 420 : 300;
  return plot->panel_count == 1 ? 340 : plan->columns == 1 ? 190 : 140;
}

/* Sizes first, since the number of ticks depends on them ... */
static void choose_sizes(ZwPlotLayout* plan, const ZwSvgPlot* plot) {
  plan->columns = plot->panel_count >= COLUMNS_FROM ? 2 : 1;
  plan->rows = (plot->panel_count + plan->columns - 1) / plan->columns;
  for (int32_t row = 0; row < plan->rows; row++) {
    int32_t begin = row * plan->columns, end = begin + plan->columns, height = 0;
    if (end > plot->panel_count) end = plot->panel_count;
    for (int32_t i = begin; i < end; i++) {
      height = wider(height, frame_height(plot, plan, &plot->panels[i]));
    }
    for (int32_t i = begin; i < end; i++) {
      plan->panels[i].frame = (ZwPageFrame){.width = plan->columns == 1 ? 640 : 400, .height = height};
    }
  }
}

static bool is_over_time(const ZwSvgPlot* plot, int32_t i) {
  return i >= 0 && i < plot->panel_count && !plot->panels[i].against;
}

/* ... then what stands around the frames, which depends on the axes, ... */
static void choose_surroundings(ZwPlotLayout* plan, const ZwSvgPlot* plot) {
  for (int32_t i = 0; i < plot->panel_count; i++) {
    ZwPanelLayout* panel = &plan->panels[i];
    bool over_time = is_over_time(plot, i);
    panel->is_labelled = !over_time || !is_over_time(plot, i + plan->columns);
    panel->has_marks = over_time && !is_over_time(plot, i - plan->columns) && plot->marks && plot->marks->count > 0;
  }
  for (int32_t i = 0; i < plot->panel_count; i++) {
    plan->has_shades = plan->has_shades || (is_over_time(plot, i) && zw_shades_any(&plot->shades));
  }
}

static int32_t space_above(const ZwPanelLayout* panel, const ZwSvgPanel* what) {
  const char* note = panel->has_values ? panel->left.note : "";
  int32_t more = zw_legend_rows(what, note, panel->frame.width) - 1;
  return ABOVE + more * ZW_LEGEND_ROW + (panel->has_marks ? ZW_MARKS_LABELS : 0);
}

/* Row by row, down the page; returns where the last one ends. */
static int32_t place_rows(ZwPlotLayout* plan, const ZwSvgPlot* plot, int32_t left, int32_t step, int32_t top) {
  for (int32_t row = 0; row < plan->rows; row++) {
    int32_t begin = row * plan->columns, end = begin + plan->columns, above = 0, below = ROW_GAP;
    if (end > plot->panel_count) end = plot->panel_count;
    for (int32_t i = begin; i < end; i++) {
      above = wider(above, space_above(&plan->panels[i], &plot->panels[i]));
      /* labels need room of their own, but where a last row is not full */
      bool has_room = row + 1 < plan->rows && i + plan->columns >= plot->panel_count;
      if (plan->panels[i].is_labelled && !has_room) below = ZW_PAGE_TIME + ROW_GAP;
    }
    for (int32_t i = begin; i < end; i++) {
      plan->panels[i].frame.x = left + (i - begin) * step;
      plan->panels[i].frame.y = top + above;
    }
    top += above + plan->panels[begin].frame.height + below;
  }
  return top - ROW_GAP;
}

/* ... and last where all of it is. */
static void place(ZwPlotLayout* plan, const ZwSvgPlot* plot) {
  int32_t labels = 3, below = 0;
  for (int32_t i = 0; i < plot->panel_count; i++) {
    if (plan->panels[i].has_values) labels = wider(labels, zw_ticks_label_width(&plan->panels[i].left));
    below = wider(below, zw_ticks_label_width(zw_plot_layout_below(plan, plot, i)));
  }
  int32_t half_below = below * ZW_PAGE_DIGIT / 2;
  int32_t before = wider(labels * ZW_PAGE_DIGIT + ZW_PAGE_TICK + 4, half_below);
  int32_t left = ZW_PAGE_EDGE + before;
  int32_t step = plan->panels[0].frame.width + wider(half_below + 8, COLUMN_GAP) + before;
  bool has_title = plot->title && plot->title[0];
  int32_t foot = place_rows(plan, plot, left, step, ZW_PAGE_EDGE / 2 + (has_title ? ZW_PAGE_TITLE : 0));
  ZwPage* page = &plan->page;
  *page = (ZwPage){.title = plot->title, .footnote = plot->footnote, .left = left, .theme = plot->theme};
  page->width = left + (plan->columns - 1) * step + plan->panels[0].frame.width + ZW_PAGE_EDGE + half_below / 2;
  page->footnote_chars = (page->width - left - ZW_PAGE_EDGE) / ZW_PAGE_FOOTNOTE_CHAR;
  plan->shades_y = foot + ZW_SHADES_LINE - 4;
  page->height = foot + (plan->has_shades ? ZW_SHADES_LINE : 0) + zw_page_footnote_height(page) + ZW_PAGE_EDGE / 2;
}

void zw_plot_layout_make(ZwPlotLayout* plan, const ZwSvgPlot* plot) {
  ZW_ASSERT(plot->panel_count >= 1 && plot->panel_count <= ZW_SVG_PANELS);
  *plan = (ZwPlotLayout){0};
  choose_sizes(plan, plot);
  make_axes(plan, plot);
  choose_surroundings(plan, plot);
  place(plan, plot);
}
