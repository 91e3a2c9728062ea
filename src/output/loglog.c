#include "output/loglog.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "output/xml.h"

/* px */
enum {
  EDGE = 16,
  TITLE = 34,
  NAME = 24,
  FRAME_WIDTH = 330,
  FRAME_HEIGHT = 230,
  LEFT = 62, /* labels and name of the upright axis */
  BELOW = 42,
  COLUMNS = 2,
  STEP_RIGHT = LEFT + FRAME_WIDTH + 14,
  STEP_DOWN = NAME + FRAME_HEIGHT + BELOW,
  LEGEND_LINE = 24,
  DECADES_LABELLED = 7 /* more of them: every second one */
};

#define COLOUR_TEXT "#1f1f1f"
#define COLOUR_FRAME "#7a7a7a"
#define COLOUR_GRID "#e4e4e4"

/* Colours of Okabe and Ito, and a mark each, so that nobody needs the colours. */
static const char* const colours[ZW_LOGLOG_STYLES] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#e69f00", "#56b4e9", "#000000"};
/* Around (0, 0), closed. */
static const char* const marks[ZW_LOGLOG_STYLES] = {
    "m-4-4h8v8h-8z",     "m0-5l5 5l-5 5l-5-5z", "m0-5l5 9h-10z", "m0 5l5-9h-10z", "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "m-5-1.5h10v3h-10z", "m-1.5-5h3v10h-3z"};

/* From decade to decade. */
typedef struct Axis {
  int low, high;
} Axis;

typedef struct Frame {
  int x, y; /* of its upper left corner */
  Axis across, up;
} Frame;

static void add(ZwText* out, const char* text) {
  zw_text_add(out, text, (ptrdiff_t)strlen(text));
}

static void add_text(ZwText* out, const char* text) {
  zw_xml_add(out, zw_str_from(text));
}

static bool is_shown(const ZwLogPoint* point) {
  return isfinite(point->x) && isfinite(point->y) && point->x > 0 && point->y > 0;
}

static void widen(Axis* axis, bool is_first, double value) {
  int low = (int)floor(log10(value)), high = (int)ceil(log10(value));
  axis->low = is_first || low < axis->low ? low : axis->low;
  axis->high = is_first || high > axis->high ? high : axis->high;
}

static void find_axes(const ZwLogPanel* panel, Frame* frame) {
  bool is_first = true;
  for (int32_t c = 0; c < panel->curve_count; c++) {
    for (int32_t i = 0; i < panel->curves[c].count; i++) {
      const ZwLogPoint* point = &panel->curves[c].points[i];
      if (!is_shown(point)) continue;
      widen(&frame->across, is_first, point->x);
      widen(&frame->up, is_first, point->y);
      is_first = false;
    }
  }
  if (frame->across.high == frame->across.low) frame->across.high++;
  if (frame->up.high == frame->up.low) frame->up.high++;
}

static double place(const Axis* axis, double exponent) {
  return (exponent - axis->low) / (axis->high - axis->low);
}

static double x_of(const Frame* frame, double exponent) {
  return frame->x + FRAME_WIDTH * place(&frame->across, exponent);
}

static double y_of(const Frame* frame, double exponent) {
  return frame->y + FRAME_HEIGHT * (1 - place(&frame->up, exponent));
}

static int label_step(const Axis* axis) {
  return axis->high - axis->low > DECADES_LABELLED ? 2 : 1;
}

static void draw_grid(ZwText* out, const Frame* frame) {
  add(out, "<path fill=\"none\" stroke=\"" COLOUR_GRID "\" d=\"");
  for (int k = frame->across.low; k <= frame->across.high; k++) {
    zw_text_addf(out, "M%.2f %dv%d", x_of(frame, k), frame->y, FRAME_HEIGHT);
  }
  for (int k = frame->up.low; k <= frame->up.high; k++) {
    zw_text_addf(out, "M%d %.2fh%d", frame->x, y_of(frame, k), FRAME_WIDTH);
  }
  zw_text_addf(out,
               "\"/>\n<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"" COLOUR_FRAME "\"/>\n",
               frame->x, frame->y, FRAME_WIDTH, FRAME_HEIGHT);
}

static void draw_power(ZwText* out, double x, double y, const char* anchor, int exponent) {
  zw_text_addf(
      out,
      "<text x=\"%.2f\" y=\"%.2f\" font-size=\"11\" text-anchor=\"%s\">10<tspan dy=\"-4\" font-size=\"8\">%s%d</tspan>"
      "</text>\n",
      x, y, anchor, exponent < 0 ? "\xE2\x88\x92" : "", exponent < 0 ? -exponent : exponent);
}

static void draw_labels(ZwText* out, const ZwLogPlot* plot, const Frame* frame) {
  int step = label_step(&frame->across);
  for (int k = frame->across.low; k <= frame->across.high; k += step) {
    draw_power(out, x_of(frame, k), frame->y + FRAME_HEIGHT + 16, "middle", k);
  }
  step = label_step(&frame->up);
  for (int k = frame->up.high; k >= frame->up.low; k -= step) {
    draw_power(out, frame->x - 7, y_of(frame, k) + 4, "end", k);
  }
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"12\" text-anchor=\"middle\">", frame->x + FRAME_WIDTH / 2,
               frame->y + FRAME_HEIGHT + 32);
  add_text(out, plot->x_name);
  int middle = frame->y + FRAME_HEIGHT / 2, left = frame->x - LEFT + 14;
  zw_text_addf(
      out, "</text>\n<text x=\"%d\" y=\"%d\" font-size=\"12\" text-anchor=\"middle\" transform=\"rotate(-90 %d %d)\">",
      left, middle, left, middle);
  add_text(out, plot->y_name);
  add(out, "</text>\n");
}

static void draw_mark(ZwText* out, int32_t style, double x, double y) {
  zw_text_addf(out, "<path fill=\"%s\" d=\"M%.2f %.2f%s\"/>\n", colours[style], x, y, marks[style]);
}

static void draw_curve(ZwText* out, const Frame* frame, const ZwLogCurve* curve) {
  const char* word = "M";
  zw_text_addf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", colours[curve->style]);
  for (int32_t i = 0; i < curve->count; i++) {
    const ZwLogPoint* point = &curve->points[i];
    if (!is_shown(point)) continue;
    zw_text_addf(out, "%s%.2f %.2f", word, x_of(frame, log10(point->x)), y_of(frame, log10(point->y)));
    word = "L";
  }
  add(out, "\"/>\n");
  for (int32_t i = 0; i < curve->count; i++) {
    const ZwLogPoint* point = &curve->points[i];
    if (is_shown(point)) draw_mark(out, curve->style, x_of(frame, log10(point->x)), y_of(frame, log10(point->y)));
  }
}

static void draw_panel(ZwText* out, const ZwLogPlot* plot, int32_t i) {
  const ZwLogPanel* panel = &plot->panels[i];
  Frame frame = {.x = EDGE + LEFT + i % COLUMNS * STEP_RIGHT, .y = EDGE + TITLE + NAME + i / COLUMNS * STEP_DOWN};
  find_axes(panel, &frame);
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\" font-weight=\"bold\">", frame.x, frame.y - 8);
  add_text(out, panel->name);
  add(out, "</text>\n");
  draw_grid(out, &frame);
  draw_labels(out, plot, &frame);
  for (int32_t c = 0; c < panel->curve_count; c++) {
    ZW_ASSERT(panel->curves[c].style >= 0 && panel->curves[c].style < plot->legend_count);
    draw_curve(out, &frame, &panel->curves[c]);
  }
}

static void draw_legend(ZwText* out, const ZwLogPlot* plot) {
  int32_t i = plot->panel_count;
  int x = EDGE + LEFT + i % COLUMNS * STEP_RIGHT, y = EDGE + TITLE + NAME + i / COLUMNS * STEP_DOWN + LEGEND_LINE;
  for (int32_t k = 0; k < plot->legend_count; k++, y += LEGEND_LINE) {
    zw_text_addf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"M%d %dh36\"/>\n", colours[k], x, y);
    draw_mark(out, k, x + 18, y);
    zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"13\">", x + 46, y + 4);
    add_text(out, plot->legend[k]);
    add(out, "</text>\n");
  }
}

void zw_loglog_text(ZwText* out, const ZwLogPlot* plot) {
  ZW_ASSERT(plot->panel_count >= 1 && plot->legend_count >= 1 && plot->legend_count <= ZW_LOGLOG_STYLES);
  int rows = plot->panel_count / COLUMNS + 1; /* with the place of the legend */
  bool has_row_of_legend = plot->panel_count % COLUMNS == 0;
  int height =
      EDGE + TITLE +
      (has_row_of_legend ? (rows - 1) * STEP_DOWN + NAME + (plot->legend_count + 1) * LEGEND_LINE : rows * STEP_DOWN) +
      EDGE;
  int width = 2 * EDGE + COLUMNS * STEP_RIGHT;
  zw_text_addf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"" ZW_SVG_FONTS
               " fill=\"" COLOUR_TEXT "\">\n<title>",
               width, height, width, height);
  add_text(out, plot->title);
  zw_text_addf(out, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height);
  zw_text_addf(out, "<text x=\"%d\" y=\"%d\" font-size=\"17\" font-weight=\"bold\">", EDGE + LEFT, EDGE + 18);
  add_text(out, plot->title);
  add(out, "</text>\n");
  for (int32_t i = 0; i < plot->panel_count; i++) draw_panel(out, plot, i);
  draw_legend(out, plot);
  add(out, "</svg>\n");
}

ZwStatus zw_loglog_plot(const ZwLogPlot* plot, const ZwAllocator* allocator, const char* path, char* error) {
  error[0] = 0;
  ZwArena arena;
  zw_arena_init(&arena, allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  zw_loglog_text(&text, plot);
  ZwStatus status = ZW_ERR_MEMORY;
  if (arena.failed)
    zw_snprintf(error, ZW_DRAFT_ERROR, "out of memory");
  else
    status = zw_draft_whole(allocator, path, text.data, (size_t)text.size, error);
  zw_arena_destroy(&arena);
  return status;
}
