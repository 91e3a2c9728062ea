#include "expr/table.h"

#include <math.h>
#include <string.h>

static double slope_of(const ZwTable* table, int32_t i) {
  return (table->y[i + 1] - table->y[i]) / (table->x[i + 1] - table->x[i]);
}

/* The second derivatives between given ones at both ends solve a tridiagonal system. Thomas' algorithm; the matrix is
 * diagonally dominant. With `is_straight` all slopes are 0. */
static void solve_bends(const ZwTable* table, double* bend, double* upper, double ends, bool is_straight) {
  const double* x = table->x;
  int32_t last = table->count - 1;
  bend[0] = ends;
  upper[0] = 0;
  for (int32_t i = 1; i < last; i++) {
    double left = x[i] - x[i - 1], right = x[i + 1] - x[i];
    double slope = is_straight ? 0 : slope_of(table, i) - slope_of(table, i - 1);
    double pivot = 2 * (left + right) - left * upper[i - 1];
    upper[i] = right / pivot;
    bend[i] = (6 * slope - left * bend[i - 1]) / pivot;
  }
  bend[last] = ends;
  for (int32_t i = last - 1; i > 0; i--) bend[i] -= upper[i] * bend[i + 1];
}

/* Both ends are one point, with the bend s: all others are those for 0 and s times `more`, those of a straight line for 1; the
 * equation of the point itself gives s. */
static void close_bends(ZwTable* table, double* upper, double* more) {
  double* bend = table->bend;
  int32_t last = table->count - 1;
  double left = table->x[last] - table->x[last - 1], right = table->x[1] - table->x[0];
  solve_bends(table, bend, upper, 0, false);
  solve_bends(table, more, upper, 1, true);
  double rest = 6 * (slope_of(table, 0) - slope_of(table, last - 1)) - left * bend[last - 1] - right * bend[1];
  double s = rest / (left * more[last - 1] + 2 * (left + right) + right * more[1]);
  for (int32_t i = 0; i <= last; i++) bend[i] += s * more[i];
}

typedef struct Cubic {
  double x, width, c[4]; /* c[0] + u (c[1] + u (c[2] + u c[3])) with u from x */
} Cubic;

static Cubic cubic_of(const ZwTable* table, int32_t i) {
  double h = table->x[i + 1] - table->x[i];
  return (Cubic){table->x[i],
                 h,
                 {table->y[i], (table->y[i + 1] - table->y[i]) / h - h * (2 * table->bend[i] + table->bend[i + 1]) / 6,
                  table->bend[i] / 2, (table->bend[i + 1] - table->bend[i]) / (6 * h)}};
}

/* ---- bounds ---- */

/* The cubic between two distances from its start lies between its four Bernstein coefficients there. */
static ZwTableBounds bounds_of(const Cubic* cubic, double from, double to) {
  const double* c = cubic->c;
  double h = to - from, value = c[0] + from * (c[1] + from * (c[2] + from * c[3]));
  double slope = h * (c[1] + from * (2 * c[2] + from * 3 * c[3])), bend = h * h * (c[2] + 3 * from * c[3]);
  double b[4] = {value, value + slope / 3, value + (2 * slope + bend) / 3, value + slope + bend + h * h * h * c[3]};
  return (ZwTableBounds){fmin(fmin(b[0], b[1]), fmin(b[2], b[3])), fmax(fmax(b[0], b[1]), fmax(b[2], b[3]))};
}

static ZwTableBounds both(ZwTableBounds a, ZwTableBounds b) {
  return (ZwTableBounds){fmin(a.least, b.least), fmax(a.most, b.most)};
}

/* Of whole intervals, and of pairs of them, pairs of pairs, ...: number k is made of 2 k and 2 k + 1, and the intervals come last. */
static void find_bounds(ZwTable* table) {
  int32_t cells = table->count - 1;
  for (int32_t i = 0; i < cells; i++) {
    Cubic cubic = cubic_of(table, i);
    table->bounds[cells + i] = bounds_of(&cubic, 0, cubic.width);
  }
  for (int32_t k = cells - 1; k > 0; k--) table->bounds[k] = both(table->bounds[2 * k], table->bounds[2 * k + 1]);
}

/* Of the intervals from `first` up to the one before `end`. */
static ZwTableBounds bounds_between(const ZwTable* table, int32_t first, int32_t end) {
  ZwTableBounds all = {INFINITY, -INFINITY};
  int32_t low = first + table->count - 1, high = end + table->count - 1;
  for (; low < high; low /= 2, high /= 2) {
    if (low % 2 == 1) all = both(all, table->bounds[low++]);
    if (high % 2 == 1) all = both(all, table->bounds[--high]);
  }
  return all;
}

bool zw_table_build(ZwTable* table, ZwArena* arena, const double* x, const double* y, int32_t count, bool is_periodic) {
  *table = (ZwTable){.count = count,
                     .x = ZW_NEW(arena, count, double),
                     .y = ZW_NEW(arena, count, double),
                     .bend = ZW_NEW(arena, count, double),
                     .is_periodic = is_periodic};
  table->bounds = ZW_NEW(arena, 2 * (count - 1), ZwTableBounds);
  double *upper = ZW_NEW(arena, count, double), *more = is_periodic ? ZW_NEW(arena, count, double) : upper;
  if (!table->x || !table->y || !table->bend || !table->bounds || !upper || !more) return false;
  memcpy(table->x, x, (size_t)count * sizeof(double));
  memcpy(table->y, y, (size_t)count * sizeof(double));
  if (is_periodic)
    close_bends(table, upper, more);
  else
    solve_bends(table, table->bend, upper, 0, false);
  find_bounds(table);
  return true;
}

/* ---- places ---- */

static double period_of(const ZwTable* table) {
  return table->x[table->count - 1] - table->x[0];
}

/* A place, origin + since; of a periodic table without `turns` of its periods. */
typedef struct Place {
  double origin, since, turns;
} Place;

/* The interval a place lies in: points i and i + 1. */
static int32_t find_interval(const ZwTable* table, Place at) {
  int32_t low = 0, high = table->count - 1;
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if ((at.origin - table->x[middle]) + at.since >= 0)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* -1 before the first point, count - 1 after the last */
static double interval_of(const ZwTable* table, Place* at) {
  int32_t last = table->count - 1;
  if (table->is_periodic) {
    for (int i = 0; i < 2; i++) { /* far from the points, the first count is rounded */
      double turns = floor(((at->origin - table->x[0]) + at->since) / period_of(table));
      at->origin = fma(-turns, period_of(table), at->origin);
      at->turns += turns;
    }
    return at->turns * last + find_interval(table, *at);
  }
  double before = (table->x[0] - at->origin) - at->since, after = (at->origin - table->x[last]) + at->since;
  if (before > ZW_TABLE_REACH * (table->x[1] - table->x[0])) return -1;
  if (after > ZW_TABLE_REACH * (table->x[last] - table->x[last - 1])) return last;
  return find_interval(table, *at);
}

/* The cubic of interval number i, which begins so many periods further on. */
static Cubic cubic_at(const ZwTable* table, double i, double* turns) {
  double last = table->count - 2;
  *turns = 0;
  if (!table->is_periodic) return cubic_of(table, (int32_t)(i > 0 ? (i < last ? i : last) : 0));
  *turns = floor(i / (last + 1));
  double rest = i - *turns * (last + 1);
  return cubic_of(table, (int32_t)(rest > 0 ? (rest < last ? rest : last) : 0)); /* i may be infinite */
}

/* A property of interval number i. */
static double look_up(const ZwTable* table, double i, int what) {
  double turns;
  Cubic cubic = cubic_at(table, i, &turns);
  if (what == ZW_TABLE_BEGIN) return cubic.x + turns * period_of(table) + table->origin;
  return what == ZW_TABLE_WIDTH ? cubic.width : cubic.c[what - ZW_TABLE_C0];
}

/* From the start of interval number i to the origin. */
static double since_begin(const ZwTable* table, double i, double origin) {
  double turns;
  Cubic cubic = cubic_at(table, i, &turns);
  origin -= table->origin;
  return (turns == 0 ? origin : fma(-turns, period_of(table), origin)) - cubic.x;
}

static double eval_at(const ZwTable* table, Place at, int order) {
  double interval = interval_of(table, &at);
  if (order == ZW_TABLE_INTERVAL) return interval;
  bool is_inside = table->is_periodic ? isfinite(at.since) : interval >= 0 && interval < table->count - 1;
  if (!is_inside) return NAN;
  double none;
  Cubic cubic = cubic_at(table, interval - at.turns * (table->count - 1), &none);
  const double* c = cubic.c;
  double u = (at.origin - cubic.x) + at.since;
  switch (order) {
    case 0:
      return c[0] + u * (c[1] + u * (c[2] + u * c[3]));
    case 1:
      return c[1] + u * (2 * c[2] + u * 3 * c[3]);
    case 2:
      return 2 * c[2] + u * 6 * c[3];
    default:
      return 6 * c[3];
  }
}

double zw_table_eval(const ZwTable* table, double x, int order) {
  if (isnan(x)) return NAN;
  if (order > ZW_TABLE_INTERVAL) return look_up(table, x, order);
  return eval_at(table, (Place){.origin = -table->origin, .since = x}, order);
}

double zw_table_eval_from(const ZwTables* tables, double since, double origin, double code) {
  int32_t number = (int32_t)(code / ZW_TABLE_ORDERS);
  int order = (int)(code - (double)number * ZW_TABLE_ORDERS);
  const ZwTable* table = &tables->list.items[number];
  if (isnan(since) || isnan(origin)) return NAN;
  if (order == ZW_TABLE_SINCE) return since_begin(table, since, origin);
  return eval_at(table, (Place){.origin = origin - table->origin, .since = since}, order);
}

/* Of the whole intervals between two, which may be in different periods. */
static ZwTableBounds bounds_inside(const ZwTable* table, double first, double last) {
  int32_t cells = table->count - 1;
  double turns = floor((first + 1) / cells);
  int32_t begin = (int32_t)(first + 1 - turns * cells), end = (int32_t)(last - turns * cells);
  if (end <= cells) return bounds_between(table, begin, end);
  return both(bounds_between(table, begin, cells), bounds_between(table, 0, end - cells));
}

double zw_table_range(const ZwTable* table, double low, double high, ZwTableBounds* bounds) {
  if (!table->is_periodic) {
    low = fmax(low, table->x[0] + table->origin);
    high = fmin(high, table->x[table->count - 1] + table->origin);
  }
  if (!isfinite(low) || !isfinite(high) || low > high) return 0;
  Place begin = {.origin = -table->origin, .since = low}, end = {.origin = -table->origin, .since = high};
  double first = interval_of(table, &begin), last = interval_of(table, &end), cells = table->count - 1, none;
  *bounds = bounds_between(table, 0, table->count - 1);
  if (last - first >= cells) return last - first + 1; /* all of a period */
  Cubic at_first = cubic_at(table, first, &none), at_last = cubic_at(table, last, &none);
  double from = (begin.origin - at_first.x) + begin.since, to = (end.origin - at_last.x) + end.since;
  *bounds = bounds_of(&at_first, from, first < last ? at_first.width : to);
  if (first < last) *bounds = both(*bounds, bounds_of(&at_last, 0, to));
  if (last - first > 1) *bounds = both(*bounds, bounds_inside(table, first, last));
  return last - first + 1;
}
