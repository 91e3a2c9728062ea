#include "output/svg.h"

#include <math.h>

#include "base/assert.h"
#include "output/legend.h"
#include "output/page.h"
#include "output/path.h"
#include "output/plot_layout.h"

enum {
  MINOR_TICK = 2,     /* px */
  MINOR_DECADES = 12, /* of a logarithmic axis, up to which they are drawn */
  HALF_PIXEL = 50,    /* 1/100 px */
  NAME_BASE = 8       /* px, from the base line of a name to what is below */
};

typedef struct Panel {
  const ZwSvgPlot* plot;
  const ZwSvgPanel* what;
  const ZwPanelLayout* plan;
  const ZwTicks* below;
  const ZwTicks* left; /* NULL: there are no values */
} Panel;

static int64_t across_place(const Panel* panel, double x) {
  return zw_page_time_place(&panel->plan->frame, panel->below, x);
}

static int64_t up_place(const Panel* panel, double y) {
  const ZwPageFrame* frame = &panel->plan->frame;
  return zw_page_hundredths(frame->y + frame->height * (1 - zw_ticks_place(panel->left, y)));
}

/* ---- grid and ticks ---- */

static void add_across_line(ZwText* out, int64_t x, int32_t y, int32_t length) {
  zw_page_add(out, "M");
  zw_path_number(out, x);
  zw_text_addf(out, " %dv%d", (int)y, (int)length);
}

static void add_up_line(ZwText* out, int32_t x, int64_t y, int32_t length) {
  zw_text_addf(out, "M%d ", (int)x);
  zw_path_number(out, y);
  zw_text_addf(out, "h%d", (int)length);
}

static void draw_grid(ZwText* out, const Panel* panel) {
  const ZwPageFrame* frame = &panel->plan->frame;
  zw_page_line(out, panel->plot->theme, ZW_INK_GRID);
  zw_page_add(out, " d=\"");
  for (int32_t i = 0; i < panel->below->count; i++) {
    add_across_line(out, across_place(panel, panel->below->value[i]), frame->y, frame->height);
  }
  for (int32_t i = 0; panel->left && i < panel->left->count; i++) {
    add_up_line(out, frame->x, up_place(panel, panel->left->value[i]), frame->width);
  }
  zw_page_add(out, "\"/>\n");
}

/* Between the powers of ten of a logarithmic axis: 2 to 9 times each. */
static void add_minor_ticks(ZwText* out, const Panel* panel, const ZwTicks* ticks, bool is_below) {
  const ZwPageFrame* frame = &panel->plan->frame;
  if (!ticks->is_log || ticks->high - ticks->low > MINOR_DECADES) return;
  for (int k = (int)floor(ticks->low); k <= (int)floor(ticks->high); k++) {
    for (int part = 2; part <= 9; part++) {
      double value = k + log10(part);
      if (value < ticks->low || value > ticks->high) continue;
      if (is_below)
        add_across_line(out, across_place(panel, value), frame->y + frame->height, MINOR_TICK);
      else
        add_up_line(out, frame->x, up_place(panel, value), -MINOR_TICK);
    }
  }
}

static void draw_frame(ZwText* out, const Panel* panel) {
  const ZwPageFrame* frame = &panel->plan->frame;
  zw_page_line(out, panel->plot->theme, ZW_INK_FRAME);
  zw_page_add(out, " d=\"");
  zw_page_time_ticks(out, frame, panel->below);
  add_minor_ticks(out, panel, panel->below, true);
  for (int32_t i = 0; panel->left && i < panel->left->count; i++) {
    add_up_line(out, frame->x, up_place(panel, panel->left->value[i]), -ZW_PAGE_TICK);
  }
  if (panel->left) add_minor_ticks(out, panel, panel->left, false);
  zw_text_addf(out, "M%d %dh%dv%dh-%dz\"/>\n", (int)frame->x, (int)frame->y, (int)frame->width, (int)frame->height,
               (int)frame->width);
}

static void draw_left_labels(ZwText* out, const Panel* panel) {
  zw_page_add(out, "<g font-size=\"11\" text-anchor=\"end\">\n");
  for (int32_t i = 0; i < panel->left->count; i++) {
    zw_page_add(out, "<text");
    zw_page_attribute(out, "x", zw_page_hundredths(panel->plan->frame.x - ZW_PAGE_TICK - 3));
    zw_page_attribute(out, "y", up_place(panel, panel->left->value[i]) + 400);
    zw_text_addf(out, ">%s</text>\n", panel->left->label[i]);
  }
  zw_page_add(out, "</g>\n");
}

/* ---- curves ---- */

/* The points of half a pixel across: of many, the first, the extremes and the last draw the same. */
typedef struct Column {
  ZwPathPoint first, upper, lower, last;
  bool has_points, upper_is_earlier;
} Column;

static void end_column(ZwPath* path, Column* column) {
  if (!column->has_points) return;
  zw_path_add(path, column->first);
  zw_path_add(path, column->upper_is_earlier ? column->upper : column->lower);
  zw_path_add(path, column->upper_is_earlier ? column->lower : column->upper);
  zw_path_add(path, column->last);
  column->has_points = false;
}

static void add_to_column(ZwPath* path, Column* column, ZwPathPoint point) {
  if (column->has_points && point.x / HALF_PIXEL != column->first.x / HALF_PIXEL) end_column(path, column);
  if (!column->has_points) {
    *column = (Column){point, point, point, point, .has_points = true};
    return;
  }
  if (point.y < column->upper.y) column->upper = point, column->upper_is_earlier = false;
  if (point.y > column->lower.y) column->lower = point, column->upper_is_earlier = true;
  column->last = point;
}

static void add_series(ZwPath* path, const Panel* panel, const ZwSeries* series) {
  Column column = {0};
  for (int32_t i = 0; i < series->count; i++) {
    if (series->buckets[i].after_break) {
      end_column(path, &column);
      zw_path_break(path);
    }
    ZwPoint points[ZW_SERIES_BUCKET_POINTS];
    int32_t count = zw_series_points(series, i, points);
    for (int32_t k = 0; k < count; k++) {
      add_to_column(path, &column, (ZwPathPoint){across_place(panel, points[k].t), up_place(panel, points[k].y)});
    }
  }
  end_column(path, &column);
}

/* Where many samples were thinned out, a tenth of a pixel is as exact as the curve is. */
static int64_t rounded(const ZwTrace* trace, int64_t place) {
  return trace->cells > 0 ? (place + 5) / 10 * 10 : place;
}

static void add_trace(ZwPath* path, const Panel* panel, const ZwTrace* trace) {
  for (int32_t i = 0; i < trace->count; i++) {
    const ZwTracePoint* point = &trace->points[i];
    if (point->after_break) zw_path_break(path);
    zw_path_add(
        path, (ZwPathPoint){rounded(trace, across_place(panel, point->x)), rounded(trace, up_place(panel, point->y))});
  }
}

static void draw_curve(ZwText* out, const Panel* panel, int32_t i) {
  const ZwSvgCurve* curve = &panel->what->curves[i];
  ZwText lines, dots;
  zw_text_init(&lines, out->arena);
  zw_text_init(&dots, out->arena);
  ZwPath path;
  zw_path_init(&path, &lines, &dots);
  if (panel->what->against)
    add_trace(&path, panel, curve->trace);
  else
    add_series(&path, panel, curve->series);
  zw_path_break(&path);
  if (lines.size) {
    zw_page_line(out, panel->plot->theme, (ZwInk)(ZW_INK_CURVE + i));
    zw_legend_dashes(out, i);
    zw_text_addf(out, " stroke-width=\"1.5\" d=\"%s\"/>\n", lines.data);
  }
  if (dots.size) {
    zw_page_line(out, panel->plot->theme, (ZwInk)(ZW_INK_CURVE + i));
    zw_text_addf(out, " stroke-width=\"5\" d=\"%s\"/>\n", dots.data);
  }
}

static void say_empty(ZwText* out, const Panel* panel) {
  const ZwPageFrame* frame = &panel->plan->frame;
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"12\" text-anchor=\"middle\"",
               (int)(frame->x + frame->width / 2), (int)(frame->y + frame->height / 2 + 4));
  zw_theme_fill(out, panel->plot->theme, ZW_INK_NOTE);
  zw_text_addf(out, ">%s</text>\n",
               panel->plot->is_log_up || panel->plot->is_log_across ? "no positive values" : "no finite values");
}

/* ---- panels ---- */

/* What happens in time, behind the curves. */
static void draw_times(ZwText* out, const Panel* panel) {
  const ZwSvgPlot* plot = panel->plot;
  const ZwPageFrame* frame = &panel->plan->frame;
  if (panel->what->against || !plot->marks) return;
  zw_marks_draw(out, plot->theme, frame, panel->below, plot->marks);
  if (panel->plan->has_marks) zw_marks_labels(out, plot->theme, frame, panel->below, plot->marks);
}

static void draw_panel(ZwText* out, const ZwPlotLayout* plan, const ZwSvgPlot* plot, int32_t i) {
  const ZwPanelLayout* place = &plan->panels[i];
  Panel panel = {plot, &plot->panels[i], place, zw_plot_layout_below(plan, plot, i),
                 place->has_values ? &place->left : NULL};
  const ZwPageFrame* frame = &place->frame;
  int32_t base = frame->y - NAME_BASE - (place->has_marks ? ZW_MARKS_LABELS : 0);
  zw_legend_draw(out, plot->theme, panel.what, panel.left ? panel.left->note : "", frame->x, base, frame->width);
  if (plan->has_shades && !panel.what->against) zw_shades_draw(out, plot->theme, frame, panel.below, &plot->shades);
  draw_grid(out, &panel);
  draw_times(out, &panel);
  draw_frame(out, &panel);
  if (panel.left) {
    draw_left_labels(out, &panel);
    for (int32_t k = 0; k < panel.what->curve_count; k++) draw_curve(out, &panel, k);
  } else {
    say_empty(out, &panel);
  }
  if (place->is_labelled) {
    const char* name = panel.what->against ? panel.what->against : plot->time;
    zw_page_time_labels(out, plot->theme, frame, panel.below, name);
  }
}

void zw_svg_text(ZwText* out, const ZwSvgPlot* plot) {
  ZwPlotLayout* plan = ZW_NEW(out->arena, 1, ZwPlotLayout);
  if (!plan) return;
  zw_plot_layout_make(plan, plot);
  zw_page_begin(out, &plan->page);
  if (plan->has_shades) zw_shades_patterns(out, plot->theme, &plot->shades);
  for (int32_t i = 0; i < plot->panel_count; i++) {
    zw_page_add(out, "<g stroke-linecap=\"round\" stroke-linejoin=\"round\">\n");
    draw_panel(out, plan, plot, i);
    zw_page_add(out, "</g>\n");
  }
  if (plan->has_shades) {
    int32_t left = plan->page.left;
    zw_shades_legend(out, plot->theme, left, plan->shades_y, plan->page.width - left - ZW_PAGE_EDGE, &plot->shades);
  }
  zw_page_end(out, &plan->page);
}

static void draw_any(ZwText* out, const void* picture) {
  zw_svg_text(out, picture);
}

ZwStatus zw_svg_plot(const ZwSvgPlot* plot, const ZwAllocator* allocator, const char* path, char* error) {
  return zw_page_write(draw_any, plot, allocator, path, error);
}
