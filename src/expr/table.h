/* Tabulated functions: natural cubic splines through given points. */
#ifndef ZW_EXPR_TABLE_H
#define ZW_EXPR_TABLE_H

#include "base/arena.h"

typedef struct ZwTable {
  int32_t count;
  double *x, *y;
  double* bend; /* second derivatives at the points */
} ZwTable;

typedef struct ZwTables {
  ZW_ARRAY(ZwTable) list;
} ZwTables;

/* A spline through `count` points with ascending x; at least two. False when memory is out. */
bool zw_table_build(ZwTable* table, ZwArena* arena, const double* x, const double* y, int32_t count);

/* The value (order 0) or a derivative (order 1 to 3) at x; NaN outside of the points. */
double zw_table_eval(const ZwTable* table, double x, int order);

#endif
