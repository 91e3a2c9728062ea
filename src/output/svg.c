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
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "output/path.h"
#include "output/ticks.h"
#include "output/utf8.h"
#include "output/xml.h"

/* px; widths of characters are those of a wide font, since we do not know which one will be used */
enum {
  EDGE = 20,        /* free space around everything */
  TITLE = 34,       /* height of the title row */
  NAME = 24,        /* height of the row above a frame */
  ROW_GAP = 10,     /* between a frame and the row of names below */
  TIME = 40,        /* tick labels and the name of the time axis below a column */
  FOOTNOTE = 16,    /* height of a line of the footnote */
  COLUMN_GAP = 22,  /* between a frame and the tick labels of its right neighbour */
  TICK = 4,         /* length of a tick */
  DIGIT = 7,        /* width of a digit of a tick label */
  NAME_LEAST = 12,  /* characters of a name that are shown in any case */
  NAME_CHAR = 8,    /* width of a character of a name */
  TITLE_CHAR = 11,  /* ... of the title */
  FOOTNOTE_CHAR = 6 /* ... of the footnote */
};

static const double MARGIN_VALUES = 0.06; /* free part of a frame above and below the curve */

/* The blue of Okabe and Ito is seen by everyone and prints as a dark grey. */
#define COLOUR_LINE "#0072b2"
#define COLOUR_TEXT "#1f1f1f"
#define COLOUR_NOTE "#595959"
#define COLOUR_FRAME "#7a7a7a"
#define COLOUR_GRID "#e4e4e4"

typedef struct Layout {
  int32_t columns, rows;
  int32_t width, height;             /* px, of the whole */
  int32_t frame_width, frame_height; /* px */
  int32_t left, top;                 /* px, of the first frame */
  int32_t right_step, down_step;     /* px, from frame to frame */
  int32_t footnote_chars;            /* characters in a line of the footnote */
} Layout;

/* The axes of all panels; `has_values` tells whether there is anything to draw. */
typedef struct Axes {
  ZwTicks time;
  ZwTicks values[ZW_SVG_PANELS];
  bool has_values[ZW_SVG_PANELS];
} Axes;

/* --- texts --------------------------------------------------------------------------------------------------- */

static void add(ZwText* out, const char* text) {
  zw_text_add(out, text, (ptrdiff_t)strlen(text));
}

static bool is_empty(const char* text) {
  return !text || !text[0];
}

/* The next line of at most `most` characters, broken at a space where there is one; moves `rest` behind it. */
static ZwStr next_line(ZwStr* rest, int32_t most) {
  int32_t end = 0, space = 0;
  for (int32_t count = 0; end < rest->size && count < most; count++) {
    if (rest->data[end] == ' ') space = end;
    uint32_t code;
    end += zw_utf8_next(rest->data + end, rest->size - end, &code);
  }
  if (end < rest->size && rest->data[end] != ' ' && space > 0) end = space;
  ZwStr line = {rest->data, end};
  while (end < rest->size && rest->data[end] == ' ') end++;
  *rest = (ZwStr){rest->data + end, rest->size - end};
  return line;
}

static int32_t count_lines(const char* text, int32_t most) {
  if (is_empty(text)) return 0;
  int32_t count = 0;
  for (ZwStr rest = zw_str_from(text); rest.size > 0; count++) next_line(&rest, most);
  return count;
}

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

static int32_t clamp_count(int32_t count, int32_t low, int32_t high) {
  return count < low ? low : count > high ? high : count;
}

static void make_axes(Axes* axes, const ZwSvgPlot* plot, const Layout* layout) {
  double low, high;
  time_range(plot, &low, &high);
  zw_ticks_make(&axes->time, low, high, 0, clamp_count(layout->frame_width / 56, ZW_TICKS_MOST_MIN, 11));
  int32_t most = clamp_count(layout->frame_height / 28, ZW_TICKS_MOST_MIN, 11);
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
  return widest * DIGIT + TICK + 4;
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
  int32_t half_time = zw_ticks_label_width(&axes->time) * DIGIT / 2;
  int32_t gap = half_time + 8 > COLUMN_GAP ? half_time + 8 : COLUMN_GAP;
  int32_t right = EDGE + half_time / 2;
  layout->left = EDGE + (labels > half_time ? labels : half_time);
  layout->top = EDGE / 2 + (is_empty(plot->title) ? 0 : TITLE) + NAME;
  layout->right_step = layout->frame_width + gap + (labels > half_time ? labels : half_time);
  layout->down_step = layout->frame_height + ROW_GAP + NAME;
  layout->width = layout->left + (layout->columns - 1) * layout->right_step + layout->frame_width + right;
  layout->footnote_chars = (layout->width - layout->left - right) / FOOTNOTE_CHAR;
  int32_t lines = count_lines(plot->footnote, layout->footnote_chars);
  layout->height = layout->top + (layout->rows - 1) * layout->down_step + layout->frame_height + TIME +
                   (lines ? lines * FOOTNOTE + 8 : 0) + EDGE / 2;
}

/* --- drawing ------------------------------------------------------------------------------------------------- */

typedef struct Frame {
  int32_t x, y, width, height; /* px */
} Frame;

static int64_t hundredths(double px) {
  return (int64_t)llround(100 * px);
}

static int64_t time_place(const Frame* frame, const Axes* axes, double t) {
  return hundredths(frame->x + frame->width * zw_ticks_place(&axes->time, t));
}

static int64_t value_place(const Frame* frame, const ZwTicks* values, double y) {
  return hundredths(frame->y + frame->height * (1 - zw_ticks_place(values, y)));
}

static void add_attribute(ZwText* out, const char* name, int64_t value) {
  zw_text_addf(out, " %s=\"", name);
  zw_path_number(out, value);
  add(out, "\"");
}

/* Grid lines and ticks of both axes: two paths. */
static void draw_grid(ZwText* out, const Frame* frame, const Axes* axes, const ZwTicks* values) {
  add(out, "<path fill=\"none\" stroke=\"" COLOUR_GRID "\" d=\"");
  for (int32_t i = 0; i < axes->time.count; i++) {
    add(out, "M");
    zw_path_number(out, time_place(frame, axes, axes->time.value[i]));
    zw_text_addf(out, " %dv%d", (int)frame->y, (int)frame->height);
  }
  for (int32_t i = 0; values && i < values->count; i++) {
    zw_text_addf(out, "M%d ", (int)frame->x);
    zw_path_number(out, value_place(frame, values, values->value[i]));
    zw_text_addf(out, "h%d", (int)frame->width);
  }
  add(out, "\"/>\n<path fill=\"none\" stroke=\"" COLOUR_FRAME "\" d=\"");
  for (int32_t i = 0; i < axes->time.count; i++) {
    add(out, "M");
    zw_path_number(out, time_place(frame, axes, axes->time.value[i]));
    zw_text_addf(out, " %dv%d", (int)(frame->y + frame->height), TICK);
  }
  for (int32_t i = 0; values && i < values->count; i++) {
    zw_text_addf(out, "M%d ", (int)frame->x);
    zw_path_number(out, value_place(frame, values, values->value[i]));
    zw_text_addf(out, "h-%d", TICK);
  }
  zw_text_addf(out, "M%d %dh%dv%dh-%dz\"/>\n", (int)frame->x, (int)frame->y, (int)frame->width, (int)frame->height,
               (int)frame->width);
}

static void draw_value_labels(ZwText* out, const Frame* frame, const ZwTicks* values) {
  add(out, "<g font-size=\"11\" text-anchor=\"end\">\n");
  for (int32_t i = 0; i < values->count; i++) {
    add(out, "<text");
    add_attribute(out, "x", hundredths(frame->x - TICK - 3));
    add_attribute(out, "y", value_place(frame, values, values->value[i]) + 400);
    zw_text_addf(out, ">%s</text>\n", values->label[i]);
  }
  add(out, "</g>\n");
}

static void draw_note(ZwText* out, const char* note) {
  if (is_empty(note)) return;
  zw_text_addf(out,
               "<tspan dx=\"10\" font-size=\"11\" font-weight=\"normal\" font-style=\"normal\" fill=\"" COLOUR_NOTE
               "\">%s</tspan>",
               note);
}

static void draw_time_labels(ZwText* out, const Frame* frame, const Axes* axes, const char* name) {
  int32_t y = frame->y + frame->height + TICK;
  add(out, "<g font-size=\"11\" text-anchor=\"middle\">\n");
  for (int32_t i = 0; i < axes->time.count; i++) {
    add(out, "<text");
    add_attribute(out, "x", time_place(frame, axes, axes->time.value[i]));
    zw_text_addf(out, " y=\"%d\">%s</text>\n", (int)(y + 12), axes->time.label[i]);
  }
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\" font-style=\"italic\">",
               (int)(frame->x + frame->width / 2), (int)(y + 30));
  zw_xml_add_clipped(out, zw_str_from(name ? name : "t"), frame->width / NAME_CHAR);
  draw_note(out, axes->time.note);
  add(out, "</text>\n</g>\n");
}

static void draw_name(ZwText* out, const Frame* frame, const char* name, const char* note) {
  /* the note must stay whole; the name gets what is left of the row */
  int32_t room = frame->width / NAME_CHAR - zw_utf8_count(note, (ptrdiff_t)strlen(note));
  if (room < NAME_LEAST) room = NAME_LEAST;
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\">", (int)frame->x, (int)(frame->y - 8));
  zw_xml_add_clipped(out, zw_str_from(name), room);
  draw_note(out, note);
  add(out, "</text>\n");
}

static void draw_curve(ZwText* out, const Frame* frame, const Axes* axes, const ZwTicks* values,
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
      zw_path_add(&path, (ZwPathPoint){time_place(frame, axes, points[k].t), value_place(frame, values, points[k].y)});
    }
  }
  zw_path_break(&path);
  if (lines.size)
    zw_text_addf(out, "<path fill=\"none\" stroke=\"" COLOUR_LINE "\" stroke-width=\"1.5\" d=\"%s\"/>\n", lines.data);
  if (dots.size)
    zw_text_addf(out, "<path fill=\"none\" stroke=\"" COLOUR_LINE "\" stroke-width=\"5\" d=\"%s\"/>\n", dots.data);
}

static void draw_panel(ZwText* out, const ZwSvgPlot* plot, const Axes* axes, const Layout* layout, int32_t i) {
  const ZwSvgPanel* panel = &plot->panels[i];
  const ZwTicks* values = axes->has_values[i] ? &axes->values[i] : NULL;
  Frame frame = {layout->left + i % layout->columns * layout->right_step,
                 layout->top + i / layout->columns * layout->down_step, layout->frame_width, layout->frame_height};
  draw_name(out, &frame, panel->name, values ? values->note : "");
  draw_grid(out, &frame, axes, values);
  if (values) {
    draw_value_labels(out, &frame, values);
    for (int32_t k = 0; k < panel->curve_count; k++) {
      draw_curve(out, &frame, axes, values, panel->curves[k].series);
    }
  } else {
    zw_text_addf(out,
                 "<text x=\"%d\" y=\"%d\" font-size=\"12\" text-anchor=\"middle\" fill=\"" COLOUR_NOTE
                 "\">no finite values</text>\n",
                 (int)(frame.x + frame.width / 2), (int)(frame.y + frame.height / 2 + 4));
  }
  bool is_lowest = i + layout->columns >= plot->panel_count;
  if (is_lowest) draw_time_labels(out, &frame, axes, plot->across);
}

static void draw_title(ZwText* out, const ZwSvgPlot* plot, const Layout* layout) {
  if (is_empty(plot->title)) return;
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"17\" font-weight=\"bold\">", (int)layout->left, EDGE / 2 + 22);
  zw_xml_add_clipped(out, zw_str_from(plot->title), (layout->width - layout->left - EDGE) / TITLE_CHAR);
  add(out, "</text>\n");
}

static void draw_footnote(ZwText* out, const ZwSvgPlot* plot, const Layout* layout) {
  if (is_empty(plot->footnote)) return;
  int32_t lines = count_lines(plot->footnote, layout->footnote_chars);
  int32_t y = layout->height - EDGE / 2 - (lines - 1) * FOOTNOTE - 4;
  ZwStr rest = zw_str_from(plot->footnote);
  for (; rest.size > 0; y += FOOTNOTE) {
    ZwStr line = next_line(&rest, layout->footnote_chars);
    zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"11\" fill=\"" COLOUR_NOTE "\">", (int)layout->left, (int)y);
    zw_xml_add(out, line);
    add(out, "</text>\n");
  }
}

static void draw_page(ZwText* out, const ZwSvgPlot* plot, const Layout* layout) {
  zw_text_addf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
               " font-family=\"Helvetica,Arial,'Liberation Sans','DejaVu Sans',sans-serif\" fill=\"" COLOUR_TEXT
               "\">\n",
               (int)layout->width, (int)layout->height, (int)layout->width, (int)layout->height);
  if (!is_empty(plot->title)) {
    add(out, "<title>");
    zw_xml_add(out, zw_str_from(plot->title));
    add(out, "</title>\n");
  }
  zw_text_addf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", (int)layout->width, (int)layout->height);
}

void zw_svg_text(ZwText* out, const ZwSvgPlot* plot) {
  ZW_ASSERT(plot->panel_count >= 1 && plot->panel_count <= ZW_SVG_PANELS);
  Layout layout = {0};
  Axes axes;
  choose_frames(&layout, plot->panel_count);
  make_axes(&axes, plot, &layout);
  place_frames(&layout, &axes, plot);
  draw_page(out, plot, &layout);
  draw_title(out, plot, &layout);
  for (int32_t i = 0; i < plot->panel_count; i++) {
    add(out, "<g stroke-linecap=\"round\" stroke-linejoin=\"round\">\n");
    draw_panel(out, plot, &axes, &layout, i);
    add(out, "</g>\n");
  }
  draw_footnote(out, plot, &layout);
  add(out, "</svg>\n");
}

ZwStatus zw_svg_plot(const ZwSvgPlot* plot, const ZwAllocator* allocator, const char* path, char* error) {
  error[0] = 0;
  ZwArena arena;
  zw_arena_init(&arena, allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  zw_svg_text(&text, plot);
  ZwStatus status = ZW_ERR_MEMORY;
  if (arena.failed) {
    snprintf(error, ZW_DRAFT_ERROR, "out of memory");
  } else {
    status = zw_draft_whole(allocator, path, text.data, (size_t)text.size, error);
  }
  zw_arena_destroy(&arena);
  return status;
}
