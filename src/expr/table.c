#include "expr/table.h"

#include <math.h>
#include <string.h>

/* The second derivatives solve a tridiagonal system; they vanish at both ends (natural). Thomas' algorithm; the matrix
 * is diagonally dominant. */
static void solve_bends(ZwTable* table, double* upper) {
  const double *x = table->x, *y = table->y;
  double* bend = table->bend;
  int32_t last = table->count - 1;
  bend[0] = upper[0] = 0;
  for (int32_t i = 1; i < last; i++) {
    double left = x[i] - x[i - 1], right = x[i + 1] - x[i];
    double slope = (y[i + 1] - y[i]) / right - (y[i] - y[i - 1]) / left;
    double pivot = 2 * (left + right) - left * upper[i - 1];
    upper[i] = right / pivot;
    bend[i] = (6 * slope - left * bend[i - 1]) / pivot;
  }
  bend[last] = 0;
  for (int32_t i = last - 1; i > 0; i--) bend[i] -= upper[i] * bend[i + 1];
}

bool zw_table_build(ZwTable* table, ZwArena* arena, const double* x, const double* y, int32_t count) {
  *table = (ZwTable){count, ZW_NEW(arena, count, double), ZW_NEW(arena, count, double), ZW_NEW(arena, count, double)};
  double* upper = ZW_NEW(arena, count, double);
  if (!table->x || !table->y || !table->bend || !upper) return false;
  memcpy(table->x, x, (size_t)count * sizeof(double));
  memcpy(table->y, y, (size_t)count * sizeof(double));
  solve_bends(table, upper);
  return true;
}

/* The interval x lies in: points i and i + 1. */
static int32_t find_interval(const ZwTable* table, double x) {
  int32_t low = 0, high = table->count - 1;
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if (table->x[middle] <= x)
      low = middle;
    else
      high = middle;
  }
  return low;
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

/* -1 before the first point, count - 1 behind the last */
static double interval_of(const ZwTable* table, double x) {
  if (x < table->x[0]) return -1;
  return x > table->x[table->count - 1] ? table->count - 1 : find_interval(table, x);
}

/* A property of interval number i. */
static double look_up(const ZwTable* table, double i, int what) {
  double last = table->count - 2;
  Cubic cubic = cubic_of(table, (int32_t)(i > 0 ? (i < last ? i : last) : 0));
  if (what == ZW_TABLE_BEGIN) return cubic.x;
  return what == ZW_TABLE_WIDTH ? cubic.width : cubic.c[what - ZW_TABLE_C0];
}

double zw_table_eval(const ZwTable* table, double x, int order) {
  if (isnan(x)) return NAN;
  if (order == ZW_TABLE_INTERVAL) return interval_of(table, x);
  if (order > ZW_TABLE_INTERVAL) return look_up(table, x, order);
  if (!(x >= table->x[0] && x <= table->x[table->count - 1])) return NAN;
  Cubic cubic = cubic_of(table, find_interval(table, x));
  const double* c = cubic.c;
  double u = x - cubic.x;
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
