#include "output/trace.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"

enum {
  SPARE = 4,                                    /* points behind the capacity, for what is under way */
  WORDS = ZW_TRACE_CELLS / 64 * ZW_TRACE_CELLS, /* of 64 cells */
  MARGIN = 8,                                   /* the box is larger than the range by this part of it, on every side */
  SHARE = 4                                     /* this part of the capacity is free after making room */
};

static const double CELL_MIN_REL = 2 * DBL_EPSILON; /* of what it measures */
static const double CELL_MIN = 1e-300;

static size_t aligned(size_t size) {
  size_t align = _Alignof(max_align_t);
  return (size + align - 1) / align * align;
}

size_t zw_trace_size(int32_t capacity) {
  ZW_ASSERT(capacity >= 16);
  size_t points = (size_t)(capacity + SPARE) * sizeof(ZwTracePoint);
  return aligned(sizeof(ZwTrace)) + aligned(points) + WORDS * sizeof(uint64_t);
}

ZwTrace* zw_trace_init(void* memory, int32_t capacity) {
  ZW_ASSERT(capacity >= 16);
  ZwTrace* trace = memory;
  *trace = (ZwTrace){.capacity = capacity};
  char* points = (char*)memory + aligned(sizeof(ZwTrace));
  trace->points = (ZwTracePoint*)points;
  trace->passed = (uint64_t*)(points + aligned((size_t)(capacity + SPARE) * sizeof(ZwTracePoint)));
  return trace;
}

static void push(ZwTrace* trace, const ZwTracePoint* point, bool after_break) {
  ZW_ASSERT(trace->count < trace->capacity + SPARE);
  trace->points[trace->count] = *point;
  trace->points[trace->count++].after_break = after_break;
}

/* ---- cells ---- */

static double column(const ZwTrace* trace, double x) {
  return x / trace->x_cell - trace->x_low_cell;
}

static double row(const ZwTrace* trace, double y) {
  return y / trace->y_cell - trace->y_low_cell;
}

/* One axis of the box. Cells are never so small that numbers of their size are rounded by more than one of them. */
static void make_axis(double low, double high, int32_t cells, double* cell, double* low_cell) {
  double parts = cells - 2.0 * cells / MARGIN; /* cells over the range */
  *cell = high / parts - low / parts;          /* the difference itself might overflow */
  *cell = fmax(fmax(*cell, CELL_MIN_REL * fmax(fabs(low), fabs(high))), CELL_MIN);
  *low_cell = low / *cell - (double)cells / MARGIN;
}

static void make_box(ZwTrace* trace, int32_t cells) {
  trace->cells = cells;
  make_axis(trace->x_low, trace->x_high, cells, &trace->x_cell, &trace->x_low_cell);
  make_axis(trace->y_low, trace->y_high, cells, &trace->y_cell, &trace->y_low_cell);
  memset(trace->passed, 0, WORDS * sizeof(uint64_t));
}

/* Lines are wider than a cell as long as cells are small. */
static bool are_lines_wide(const ZwTrace* trace) {
  return trace->cells == ZW_TRACE_CELLS;
}

/* With the cells beside a line. */
static bool is_in_box(const ZwTrace* trace, double x, double y) {
  double u = column(trace, x), v = row(trace, y), edge = are_lines_wide(trace) ? 1 : 0;
  return u >= edge && u < trace->cells - edge && v >= edge && v < trace->cells - edge;
}

static bool is_passed(const ZwTrace* trace, int32_t cell) {
  return trace->passed[cell >> 6] >> (cell & 63) & 1;
}

static void mark(ZwTrace* trace, int32_t cell) {
  trace->passed[cell >> 6] |= (uint64_t)1 << (cell & 63);
}

/* The cells of a line, one for each step along its longer side; places are whole 2^-32 of a cell. */
typedef struct Walk {
  int64_t u, v, du, dv;
  int32_t steps;
  int32_t beside; /* from a cell to its neighbour across the line */
} Walk;

enum { FRACTION = 32 };

static Walk walk_along(const ZwTrace* trace, const ZwTracePoint* from, const ZwTracePoint* to) {
  double u = column(trace, from->x), v = row(trace, from->y);
  double du = column(trace, to->x) - u, dv = row(trace, to->y) - v, unit = ldexp(1, FRACTION);
  Walk walk = {.u = (int64_t)(unit * u), .v = (int64_t)(unit * v)};
  walk.beside = fabs(du) > fabs(dv) ? ZW_TRACE_CELLS : 1;
  walk.steps = (int32_t)ceil(fmax(fabs(du), fabs(dv)));
  if (walk.steps == 0) return walk;
  walk.du = (int64_t)(unit * du / walk.steps);
  walk.dv = (int64_t)(unit * dv / walk.steps);
  return walk;
}

/* The next cell of the walk. */
static int32_t step(Walk* walk) {
  int32_t cell = (int32_t)(walk->v >> FRACTION) * ZW_TRACE_CELLS + (int32_t)(walk->u >> FRACTION);
  walk->u += walk->du;
  walk->v += walk->dv;
  return cell;
}

/* Whether a line shows something: it ends in a cell that is new, or goes through two of them in a row. A single one between others
 * is no wider than the line itself. */
static bool shows(const ZwTrace* trace, Walk walk) {
  bool was_new = false;
  for (int32_t i = 0; i <= walk.steps; i++) {
    bool is_new = !is_passed(trace, step(&walk));
    if (is_new && (was_new || i == walk.steps)) return true;
    was_new = is_new;
  }
  return false;
}

static void pass(ZwTrace* trace, Walk walk) {
  bool is_wide = are_lines_wide(trace);
  for (int32_t i = 0; i <= walk.steps; i++) {
    int32_t cell = step(&walk);
    mark(trace, cell);
    if (!is_wide) continue;
    mark(trace, cell - walk.beside);
    mark(trace, cell + walk.beside);
  }
}

/* Goes along a line; whether it shows something. */
static bool pass_if_new(ZwTrace* trace, const ZwTracePoint* from, const ZwTracePoint* to) {
  Walk walk = walk_along(trace, from, to);
  if (!shows(trace, walk)) return false;
  pass(trace, walk);
  return true;
}

/* ---- lines ---- */

static void draw_to_seen(ZwTrace* trace) {
  bool is_new = pass_if_new(trace, &trace->last, &trace->seen);
  if (is_new && !trace->is_last_kept) push(trace, &trace->last, true);
  if (is_new) push(trace, &trace->seen, false);
  trace->is_last_kept = is_new;
  trace->is_drawn = true;
  trace->last = trace->seen;
  zw_cone_begin(&trace->cone, column(trace, trace->last.x), row(trace, trace->last.y));
}

/* A line that is nothing but a point. */
static void draw_dot(ZwTrace* trace) {
  if (pass_if_new(trace, &trace->last, &trace->last)) {
    push(trace, &trace->last, true);
    trace->is_last_kept = true;
  }
  trace->is_drawn = true;
}

static void begin_line(ZwTrace* trace, const ZwTracePoint* point) {
  trace->has_line = true;
  trace->is_drawn = trace->is_last_kept = false;
  trace->last = trace->seen = *point;
  zw_cone_begin(&trace->cone, column(trace, point->x), row(trace, point->y));
}

static void go_on(ZwTrace* trace, const ZwTracePoint* point) {
  double u = column(trace, point->x), v = row(trace, point->y);
  if (!zw_cone_take(&trace->cone, u, v, ZW_TRACE_TOL)) {
    draw_to_seen(trace);
    (void)zw_cone_take(&trace->cone, u, v, ZW_TRACE_TOL);
  }
  trace->seen = *point;
}

static void settle(ZwTrace* trace) {
  if (!trace->has_line || trace->cells == 0) return;
  if (trace->seen.x != trace->last.x || trace->seen.y != trace->last.y)
    draw_to_seen(trace);
  else if (!trace->is_drawn)
    draw_dot(trace);
}

/* ---- room ---- */

/* All points once more, in other cells; never more of them than there were. */
static void draw_again(ZwTrace* trace, int32_t cells) {
  bool has_line = trace->has_line;
  ZwTracePoint newest = trace->cells > 0 ? trace->seen : trace->points[trace->count - 1];
  settle(trace);
  make_box(trace, cells);
  int32_t count = trace->count;
  trace->count = 0;
  trace->has_line = false;
  for (int32_t i = 0; i < count; i++) {
    ZwTracePoint point = trace->points[i];
    if (point.after_break || !trace->has_line) {
      settle(trace);
      begin_line(trace, &point);
    } else {
      go_on(trace, &point);
    }
  }
  settle(trace);
  trace->has_line = false;
  if (has_line) begin_line(trace, &newest);
}

static void make_room(ZwTrace* trace) {
  int32_t cells = trace->cells > 0 ? trace->cells / 2 : ZW_TRACE_CELLS;
  for (draw_again(trace, cells); trace->count > trace->capacity - trace->capacity / SHARE && cells > 2;) {
    draw_again(trace, cells /= 2);
  }
}

static void widen(ZwTrace* trace, double x, double y) {
  if (!trace->has_range || x < trace->x_low) trace->x_low = x;
  if (!trace->has_range || x > trace->x_high) trace->x_high = x;
  if (!trace->has_range || y < trace->y_low) trace->y_low = y;
  if (!trace->has_range || y > trace->y_high) trace->y_high = y;
  trace->has_range = true;
}

void zw_trace_add(ZwTrace* trace, double x, double y) {
  if (!isfinite(x) || !isfinite(y)) {
    settle(trace);
    trace->has_line = false;
    if (trace->count >= trace->capacity) make_room(trace);
    return;
  }
  widen(trace, x, y);
  ZwTracePoint point = {x, y, false};
  if (trace->cells == 0) {
    push(trace, &point, !trace->has_line);
    trace->has_line = true;
  } else {
    if (!is_in_box(trace, x, y)) draw_again(trace, trace->cells);
    ZW_ASSERT(is_in_box(trace, x, y));
    if (trace->has_line)
      go_on(trace, &point);
    else
      begin_line(trace, &point);
  }
  if (trace->count >= trace->capacity) make_room(trace);
}

void zw_trace_flush(ZwTrace* trace) {
  settle(trace);
  if (trace->count >= trace->capacity) make_room(trace);
}
