#include "output/sketch.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

enum {
  LABEL = 12, /* characters in front of the curve */
  COLUMNS_MAX = 2 * ZW_SKETCH_WIDTH,
  ROWS_MAX = 4 * ZW_SKETCH_HEIGHT,
  NUMBER = 32
};

typedef struct Axis {
  double low, high;
  bool is_log, is_flat;
} Axis;

typedef struct Sketch {
  Axis across, up;
  bool is_utf8;
  int columns, rows; /* dots */
  bool dots[ROWS_MAX][COLUMNS_MAX];
  bool has_pen; /* a line has begun at */
  int pen_x, pen_y;
} Sketch;

/* ---- dots ---- */

static Axis make_axis(double low, double high, bool is_log) {
  return (Axis){low, high, is_log, !(low < high)};
}

/* The dot of a value, of `count`; in the middle where nothing varies. */
static int dot_of(const Axis* axis, double value, int count) {
  if (axis->is_flat) return count / 2;
  double place = (value / 2 - axis->low / 2) / (axis->high / 2 - axis->low / 2); /* the whole might overflow */
  return (int)lround(fmin(fmax(place, 0), 1) * (count - 1));
}

/* A line from the pen to the point, or a dot there. */
static void draw_to(Sketch* sketch, double x, double y) {
  int to_x = dot_of(&sketch->across, x, sketch->columns);
  int to_y = sketch->rows - 1 - dot_of(&sketch->up, y, sketch->rows);
  int from_x = sketch->has_pen ? sketch->pen_x : to_x, from_y = sketch->has_pen ? sketch->pen_y : to_y;
  int steps = (int)fmax(fabs((double)to_x - from_x), fabs((double)to_y - from_y));
  for (int i = 0; i <= steps; i++) {
    double part = steps ? (double)i / steps : 0;
    sketch->dots[lround(from_y + part * (to_y - from_y))][lround(from_x + part * (to_x - from_x))] = true;
  }
  sketch->has_pen = true;
  sketch->pen_x = to_x;
  sketch->pen_y = to_y;
}

static void draw_series(Sketch* sketch, const ZwSeries* series) {
  for (int32_t i = 0; i < series->count; i++) {
    if (series->buckets[i].after_break) sketch->has_pen = false;
    ZwPoint points[ZW_SERIES_BUCKET_POINTS];
    int32_t count = zw_series_points(series, i, points);
    for (int32_t k = 0; k < count; k++) draw_to(sketch, points[k].t, points[k].y);
  }
}

static void draw_trace(Sketch* sketch, const ZwTrace* trace) {
  for (int32_t i = 0; i < trace->count; i++) {
    if (trace->points[i].after_break) sketch->has_pen = false;
    draw_to(sketch, trace->points[i].x, trace->points[i].y);
  }
}

/* ---- characters ---- */

static void add_braille(ZwText* out, const Sketch* sketch, int row, int column) {
  /* the bits of a character of U+2800, by row and column of its dots */
  static const int bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  int set = 0;
  for (int y = 0; y < 4; y++) {
    for (int x = 0; x < 2; x++) {
      if (sketch->dots[4 * row + y][2 * column + x]) set |= bits[y][x];
    }
  }
  char text[3] = {(char)0xE2, (char)(0xA0 | set >> 6), (char)(0x80 | (set & 0x3F))};
  zw_text_add(out, set ? text : " ", set ? 3 : 1);
}

static void add_ascii(ZwText* out, const Sketch* sketch, int row, int column) {
  static const char signs[] = " '.:";
  int set = sketch->dots[2 * row][column] + 2 * sketch->dots[2 * row + 1][column];
  zw_text_add(out, &signs[set], 1);
}

/* As the user knows the value; five digits are enough for a sketch, and what is nothing beside the range is 0. */
static void write_number(char text[NUMBER], const Axis* axis, double value) {
  if (!axis->is_log && fabs(value) < 1e-9 * (axis->high / 2 - axis->low / 2)) value = 0;
  zw_snprintf(text, NUMBER, "%.5g", axis->is_log ? pow(10, value) : value);
}

static void add_row(ZwText* out, const Sketch* sketch, int row) {
  char label[NUMBER] = "";
  if (sketch->up.is_flat) {
    if (row == ZW_SKETCH_HEIGHT / 2 - (sketch->rows == 2 * ZW_SKETCH_HEIGHT))
      write_number(label, &sketch->up, sketch->up.low);
  } else if (row == 0) {
    write_number(label, &sketch->up, sketch->up.high);
  } else if (row == ZW_SKETCH_HEIGHT - 1) {
    write_number(label, &sketch->up, sketch->up.low);
  }
  zw_text_addf(out, "%*s %s", LABEL, label, sketch->is_utf8 ? "\u2502" : "|");
  ZwText line;
  zw_text_init(&line, out->arena);
  for (int column = 0; column < ZW_SKETCH_WIDTH; column++) {
    (sketch->is_utf8 ? add_braille : add_ascii)(&line, sketch, row, column);
  }
  while (line.size > 0 && line.data[line.size - 1] == ' ') line.size--;
  zw_text_add(out, line.data, line.size);
  zw_text_addf(out, "\n");
}

/* The range of the axis below: its ends below those of the curve. */
static void add_below(ZwText* out, const Sketch* sketch, const char* name) {
  char low[NUMBER], high[NUMBER];
  write_number(low, &sketch->across, sketch->across.low);
  write_number(high, &sketch->across, sketch->across.high);
  int length = zw_utf8_count(name, (ptrdiff_t)strlen(name)) + 3 + (int)strlen(low);
  int gap = ZW_SKETCH_WIDTH - length - (int)strlen(high);
  zw_text_addf(out, "%*s%s = %s", LABEL + 2, "", name, low);
  if (sketch->across.is_flat)
    zw_text_addf(out, "\n");
  else
    zw_text_addf(out, "%*s%s\n", gap < 1 ? 1 : gap, "", high);
}

static void add_curve(ZwText* out, const ZwSvgPlot* plot, const ZwSvgPanel* panel, const ZwSvgCurve* curve,
                      bool is_utf8) {
  const char* across = panel->against ? panel->against : plot->time ? plot->time : "t";
  double low = 0, high = 0;
  bool has_values = panel->against ? curve->trace->has_range : zw_series_range(curve->series, &low, &high);
  zw_text_addf(out, "  %s%s%s\n", curve->name, panel->against ? " against " : "", panel->against ? across : "");
  if (!has_values) {
    zw_text_addf(out, "%*s  %s\n", LABEL, "",
                 plot->is_log_across || plot->is_log_up ? "no positive values" : "no finite values");
    return;
  }
  Sketch sketch = {.is_utf8 = is_utf8,
                   .columns = is_utf8 ? COLUMNS_MAX : ZW_SKETCH_WIDTH,
                   .rows = is_utf8 ? ROWS_MAX : 2 * ZW_SKETCH_HEIGHT};
  if (panel->against) {
    const ZwTrace* trace = curve->trace;
    sketch.across = make_axis(trace->x_low, trace->x_high, plot->is_log_across);
    sketch.up = make_axis(trace->y_low, trace->y_high, plot->is_log_up);
    draw_trace(&sketch, trace);
  } else {
    sketch.across = make_axis(curve->series->t_low, curve->series->t_high, plot->is_log_across);
    sketch.up = make_axis(low, high, plot->is_log_up);
    draw_series(&sketch, curve->series);
  }
  for (int row = 0; row < ZW_SKETCH_HEIGHT; row++) add_row(out, &sketch, row);
  add_below(out, &sketch, across);
}

void zw_sketch_text(ZwText* out, const ZwSvgPlot* plot, bool is_utf8) {
  for (int32_t i = 0; i < plot->panel_count; i++) {
    const ZwSvgPanel* panel = &plot->panels[i];
    for (int32_t k = 0; k < panel->curve_count; k++) add_curve(out, plot, panel, &panel->curves[k], is_utf8);
  }
}
