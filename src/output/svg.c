/* All places are whole hundredths of a pixel until they are printed.
 *
 *   title
 *   name  note            name  note
 *   +-------------+       +-------------+      Panels go row by row. Ticks of time are labelled below the lowest
 *   |             |       |             |      panel of each column only; the grid carries them up.
 *   +-------------+       +-------------+
 *   name  note             0    5    10
 *   +-------------+              t
 *   |             |
 *   +-------------+
 *    0    5    10
 *          t
 *   footnote
 */
#include "output/svg.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "output/page.h"
#include "output/path.h"
#include "output/ticks.h"
#include "output/utf8.h"
#include "output/xml.h"

/* px */
enum {
  NAME = 24,       /* height of the row above a frame */
  ROW_GAP = 10,    /* between a frame and the row of names below */
  COLUMN_GAP = 22, /* between a frame and the tick labels of its right neighbour */
  NAME_LEAST = 12  /* characters of a name that are shown in any case */
};

static const double MARGIN_VALUES = 0.06; /* free part of a frame above and below the curve */

typedef struct Layout {
  ZwPage page;
  int32_t columns, rows;
  int32_t frame_width, frame_height; /* px */
  int32_t left, top;                 /* px, of the first frame */
  int32_t right_step, down_step;     /* px, from frame to frame */
} Layout;

/* The axes of all panels; `has_values` tells whether there is anything to draw. */
typedef struct Axes {
  ZwTicks time;
  ZwTicks values[ZW_SVG_PANELS];
  bool has_values[ZW_SVG_PANELS];
} Axes;

/* --- axes and layout ----------------------------------------------------------------------------------------- */

static void widen(bool* has_range, double* low, double* high, double more_low, double more_high) {
  *low = *has_range ? fmin(*low, more_low) : more_low;
  *high = *has_range ? fmax(*high, more_high) : more_high;
  *has_range = true;
}

static bool panel_range(const ZwSvgPanel* panel, double* low, double* high) {
  bool has_range = false;
  for (int32_t i = 0; i < panel->curve_count; i++) {
    double curve_low, curve_high;
    if (zw_series_range(panel->curves[i].series, &curve_low, &curve_high)) {
      widen(&has_range, low, high, curve_low, curve_high);
    }
  }
  return has_range;
}

static void time_range(const ZwSvgPlot* plot, double* low, double* high) {
  bool has_range = false;
  for (int32_t i = 0; i < plot->panel_count; i++) {
    for (int32_t k = 0; k < plot->panels[i].curve_count; k++) {
      const ZwSeries* series = plot->panels[i].curves[k].series;
      if (series->has_time) widen(&has_range, low, high, series->t_low, series->t_high);
    }
  }
  if (!has_range) *low = 0, *high = 1;
}

static void make_axes(Axes* axes, const ZwSvgPlot* plot, const Layout* layout) {
  double low, high;
  time_range(plot, &low, &high);
  zw_page_time_make(&axes->time, low, high, layout->frame_width);
  int32_t most = layout->frame_height / 28;
  most = most < ZW_TICKS_MOST_MIN ? ZW_TICKS_MOST_MIN : most > 11 ? 11 : most;
  for (int32_t i = 0; i < plot->panel_count; i++) {
    axes->has_values[i] = panel_range(&plot->panels[i], &low, &high);
    if (axes->has_values[i]) zw_ticks_make(&axes->values[i], low, high, MARGIN_VALUES, most);
  }
}

static int32_t label_space(const Axes* axes, int32_t panel_count) {
  int32_t widest = 3;
  for (int32_t i = 0; i < panel_count; i++) {
    int32_t width = axes->has_values[i] ? zw_ticks_label_width(&axes->values[i]) : 0;
    if (width > widest) widest = width;
  }
  return widest * ZW_PAGE_DIGIT + ZW_PAGE_TICK + 4;
}

/* Frames first, since the number of ticks depends on them ... */
static void choose_frames(Layout* layout, int32_t panel_count) {
  layout->columns = panel_count > 3 ? 2 : 1;
  layout->rows = (panel_count + layout->columns - 1) / layout->columns;
  layout->frame_width = layout->columns == 1 ? 640 : 400;
  layout->frame_height = panel_count == 1 ? 340 : layout->columns == 1 ? 190 : 140;
}

/* ... then everything around them, which depends on the labels. */
static void place_frames(Layout* layout, const Axes* axes, const ZwSvgPlot* plot) {
  int32_t labels = label_space(axes, plot->panel_count);
  int32_t half_time = zw_ticks_label_width(&axes->time) * ZW_PAGE_DIGIT / 2;
  int32_t gap = half_time + 8 > COLUMN_GAP ? half_time + 8 : COLUMN_GAP;
  int32_t right = ZW_PAGE_EDGE + half_time / 2;
  layout->left = ZW_PAGE_EDGE + (labels > half_time ? labels : half_time);
  bool has_title = plot->title && plot->title[0];
  layout->top = ZW_PAGE_EDGE / 2 + (has_title ? ZW_PAGE_TITLE : 0) + NAME;
  layout->right_step = layout->frame_width + gap + (labels > half_time ? labels : half_time);
  layout->down_step = layout->frame_height + ROW_GAP + NAME;
  ZwPage* page = &layout->page;
  *page = (ZwPage){.title = plot->title, .footnote = plot->footnote, .left = layout->left};
  page->width = layout->left + (layout->columns - 1) * layout->right_step + layout->frame_width + right;
  page->footnote_chars = (page->width - layout->left - right) / ZW_PAGE_FOOTNOTE_CHAR;
  page->height = layout->top + (layout->rows - 1) * layout->down_step + layout->frame_height + ZW_PAGE_TIME +
                 zw_page_footnote_height(page) + ZW_PAGE_EDGE / 2;
}

/* --- drawing ------------------------------------------------------------------------------------------------- */

static int64_t value_place(const ZwPageFrame* frame, const ZwTicks* values, double y) {
  return zw_page_hundredths(frame->y + frame->height * (1 - zw_ticks_place(values, y)));
}

/* Grid lines and ticks of both axes: two paths. */
static void draw_grid(ZwText* out, const ZwPageFrame* frame, const Axes* axes, const ZwTicks* values) {
  zw_page_add(out, "<path fill=\"none\" stroke=\"" ZW_PAGE_COLOUR_GRID "\" d=\"");
  for (int32_t i = 0; i < axes->time.count; i++) {
    zw_page_add(out, "M");
    zw_path_number(out, zw_page_time_place(frame, &axes->time, axes->time.value[i]));
    zw_text_addf(out, " %dv%d", (int)frame->y, (int)frame->height);
  }
  for (int32_t i = 0; values && i < values->count; i++) {
    zw_text_addf(out, "M%d ", (int)frame->x);
    zw_path_number(out, value_place(frame, values, values->value[i]));
    zw_text_addf(out, "h%d", (int)frame->width);
  }
  zw_page_add(out, "\"/>\n<path fill=\"none\" stroke=\"" ZW_PAGE_COLOUR_FRAME "\" d=\"");
  zw_page_time_ticks(out, frame, &axes->time);
  for (int32_t i = 0; values && i < values->count; i++) {
    zw_text_addf(out, "M%d ", (int)frame->x);
    zw_path_number(out, value_place(frame, values, values->value[i]));
    zw_text_addf(out, "h-%d", ZW_PAGE_TICK);
  }
  zw_text_addf(out, "M%d %dh%dv%dh-%dz\"/>\n", (int)frame->x, (int)frame->y, (int)frame->width, (int)frame->height,
               (int)frame->width);
}

static void draw_value_labels(ZwText* out, const ZwPageFrame* frame, const ZwTicks* values) {
  zw_page_add(out, "<g font-size=\"11\" text-anchor=\"end\">\n");
  for (int32_t i = 0; i < values->count; i++) {
    zw_page_add(out, "<text");
    zw_page_attribute(out, "x", zw_page_hundredths(frame->x - ZW_PAGE_TICK - 3));
    zw_page_attribute(out, "y", value_place(frame, values, values->value[i]) + 400);
    zw_text_addf(out, ">%s</text>\n", values->label[i]);
  }
  zw_page_add(out, "</g>\n");
}

static void draw_name(ZwText* out, const ZwPageFrame* frame, const char* name, const char* note) {
  /* the note must stay whole; the name gets what is left of the row */
  int32_t room = frame->width / ZW_PAGE_NAME_CHAR - zw_utf8_count(note, (ptrdiff_t)strlen(note));
  if (room < NAME_LEAST) room = NAME_LEAST;
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\">", (int)frame->x, (int)(frame->y - 8));
  zw_xml_add_clipped(out, zw_str_from(name), room);
  zw_page_note(out, note);
  zw_page_add(out, "</text>\n");
}

static void draw_curve(ZwText* out, const ZwPageFrame* frame, const Axes* axes, const ZwTicks* values,
                       const ZwSeries* series) {
  ZwText lines, dots;
  zw_text_init(&lines, out->arena);
  zw_text_init(&dots, out->arena);
  ZwPath path;
  zw_path_init(&path, &lines, &dots);
  for (int32_t i = 0; i < series->count; i++) {
    if (series->buckets[i].after_break) zw_path_break(&path);
    ZwPoint points[ZW_SERIES_BUCKET_POINTS];
    int32_t count = zw_series_points(series, i, points);
    for (int32_t k = 0; k < count; k++) {
      zw_path_add(&path, (ZwPathPoint){zw_page_time_place(frame, &axes->time, points[k].t),
                                       value_place(frame, values, points[k].y)});
    }
  }
  zw_path_break(&path);
  if (lines.size)
    zw_text_addf(out, "<path fill=\"none\" stroke=\"" ZW_PAGE_COLOUR_LINE "\" stroke-width=\"1.5\" d=\"%s\"/>\n",
                 lines.data);
  if (dots.size)
    zw_text_addf(out, "<path fill=\"none\" stroke=\"" ZW_PAGE_COLOUR_LINE "\" stroke-width=\"5\" d=\"%s\"/>\n",
                 dots.data);
}

static void draw_panel(ZwText* out, const ZwSvgPlot* plot, const Axes* axes, const Layout* layout, int32_t i) {
  const ZwSvgPanel* panel = &plot->panels[i];
  const ZwTicks* values = axes->has_values[i] ? &axes->values[i] : NULL;
  ZwPageFrame frame = {layout->left + i % layout->columns * layout->right_step,
                       layout->top + i / layout->columns * layout->down_step, layout->frame_width,
                       layout->frame_height};
  draw_name(out, &frame, panel->name, values ? values->note : "");
  draw_grid(out, &frame, axes, values);
  if (values) {
    draw_value_labels(out, &frame, values);
    for (int32_t k = 0; k < panel->curve_count; k++) {
      draw_curve(out, &frame, axes, values, panel->curves[k].series);
    }
  } else {
    zw_text_addf(out,
                 "<text x=\"%d\" y=\"%d\" font-size=\"12\" text-anchor=\"middle\" fill=\"" ZW_PAGE_COLOUR_NOTE
                 "\">no finite values</text>\n",
                 (int)(frame.x + frame.width / 2), (int)(frame.y + frame.height / 2 + 4));
  }
  bool is_lowest = i + layout->columns >= plot->panel_count;
  if (is_lowest) zw_page_time_labels(out, &frame, &axes->time, plot->across);
}

void zw_svg_text(ZwText* out, const ZwSvgPlot* plot) {
  ZW_ASSERT(plot->panel_count >= 1 && plot->panel_count <= ZW_SVG_PANELS);
  Layout layout = {0};
  Axes axes;
  choose_frames(&layout, plot->panel_count);
  make_axes(&axes, plot, &layout);
  place_frames(&layout, &axes, plot);
  zw_page_begin(out, &layout.page);
  for (int32_t i = 0; i < plot->panel_count; i++) {
    zw_page_add(out, "<g stroke-linecap=\"round\" stroke-linejoin=\"round\">\n");
    draw_panel(out, plot, &axes, &layout, i);
    zw_page_add(out, "</g>\n");
  }
  zw_page_end(out, &layout.page);
}

static void draw_any(ZwText* out, const void* picture) {
  zw_svg_text(out, picture);
}

ZwStatus zw_svg_plot(const ZwSvgPlot* plot, const ZwAllocator* allocator, const char* path, char* error) {
  return zw_page_write(draw_any, plot, allocator, path, error);
}
