/* Tabulated functions: cubic splines through given points, natural at their ends or periodic. */
#ifndef ZW_EXPR_TABLE_H
#define ZW_EXPR_TABLE_H

#include "base/arena.h"

typedef struct ZwTableBounds {
  double least, most; /* values lie between them */
} ZwTableBounds;

typedef struct ZwTable {
  int32_t count;
  double *x, *y;
  double origin;         /* x is counted from it: a table of far times keeps its digits */
  double* bend;          /* second derivatives at the points */
  ZwTableBounds* bounds; /* 2 (count - 1): of the intervals, and of more and more of them together */
  bool is_periodic;
} ZwTable;

typedef struct ZwTables {
  ZW_ARRAY(ZwTable) list;
} ZwTables;

/* A spline through `count` points with ascending x; at least two. A periodic one repeats itself after its last point, where y is what
 * it is at the first. False when memory is out. */
bool zw_table_build(ZwTable* table, ZwArena* arena, const double* x, const double* y, int32_t count, bool is_periodic);

/* So far, in widths, an interval reaches beyond its ends: rounding at a point makes no difference. */
#define ZW_TABLE_REACH 1e-9

/* What else is asked of a table, in the place of the order. Intervals are numbered from 0; for ZW_TABLE_INTERVAL those before
 * the first point and after the last are -1 and count - 1. Of these the neighbour inside stands for the rest. The intervals of a
 * periodic table are numbered on through all its repetitions, without end on either side. */
enum {
  ZW_TABLE_INTERVAL = 4, /* the one x lies in */
  ZW_TABLE_BEGIN,        /* of interval number x */
  ZW_TABLE_WIDTH,
  ZW_TABLE_C0, /* its cubic in the distance from the start: C0 + u (C1 + u (C2 + u C3)) */
  ZW_TABLE_C1,
  ZW_TABLE_C2,
  ZW_TABLE_C3
};

/* Tables at x = origin + since, neither rounded together: zw_table_eval_from takes the number of a table and one of the orders above
 * in one number, and one more order, which gives the origin less the start of interval number `since`. */
enum { ZW_TABLE_SINCE = 15, ZW_TABLE_ORDERS = 16 };
static inline double zw_table_code(int32_t number, int order) {
  return (double)number * ZW_TABLE_ORDERS + order;
}
double zw_table_eval_from(const ZwTables* tables, double since, double origin, double code);

/* Between which bounds its values lie from `low` to `high`, as far as that is inside of the points, and over how many intervals; 0: nowhere. */
double zw_table_range(const ZwTable* table, double low, double high, ZwTableBounds* bounds);

/* The value (order 0) or a derivative (order 1 to 3) at x; NaN outside of the points, of a natural one. */
double zw_table_eval(const ZwTable* table, double x, int order);

#endif
