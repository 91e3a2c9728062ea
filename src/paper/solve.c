#include "paper/solve.h"

#include <math.h>
#include <string.h>

enum { N = ZW_SOLVE_MAX, C = ZW_SOLVE_MAX + 1, CORE = ZW_SOLVE_CORE };

typedef struct Solve {
  ZwTidy* tidy;
  int32_t n, c;
  ZwExpr K[N][N], R[N][C];
  bool row_done[N], column_done[N];
  int32_t row_of[N], order[N]; /* the unknowns solved first: by which row, and which one when */
  int32_t eliminated;
} Solve;

static ZwExpr number(Solve* s, double value) {
  return zw_expr_const(s->tidy->graph, value);
}

static bool is_zero(const Solve* s, ZwExpr e) {
  return zw_expr_is_const(s->tidy->graph, e, 0);
}

static bool is_number(const Solve* s, ZwExpr e) {
  return e.ref && zw_graph_node(s->tidy->graph, e)->op == ZW_OP_CONST && !is_zero(s, e);
}

static ZwExpr tidied(Solve* s, ZwExpr e) {
  return zw_tidy(s->tidy, e);
}

/* ---- unknowns with a number in front ---- */

static int32_t entries_in_row(const Solve* s, int32_t i) {
  int32_t count = 0;
  for (int32_t j = 0; j < s->n; j++) count += !s->column_done[j] && !is_zero(s, s->K[i][j]);
  return count;
}

static int32_t entries_in_column(const Solve* s, int32_t j) {
  int32_t count = 0;
  for (int32_t i = 0; i < s->n; i++) count += !s->row_done[i] && !is_zero(s, s->K[i][j]);
  return count;
}

/* The number whose use makes the fewest new entries; false if there is none. */
static bool find_pivot(const Solve* s, int32_t* row, int32_t* column) {
  int32_t least = INT32_MAX;
  for (int32_t i = 0; i < s->n; i++) {
    for (int32_t j = 0; j < s->n; j++) {
      if (s->row_done[i] || s->column_done[j] || !is_number(s, s->K[i][j])) continue;
      int32_t fill = (entries_in_row(s, i) - 1) * (entries_in_column(s, j) - 1);
      if (fill >= least) continue;
      least = fill;
      *row = i;
      *column = j;
    }
  }
  return least < INT32_MAX;
}

/* row i -= factor * row p */
static void subtract_row(Solve* s, int32_t i, int32_t p, ZwExpr factor) {
  ZwGraph* graph = s->tidy->graph;
  for (int32_t j = 0; j < s->n; j++) {
    if (is_zero(s, s->K[p][j])) continue;
    s->K[i][j] = tidied(s, zw_expr_sub(graph, s->K[i][j], zw_expr_mul(graph, factor, s->K[p][j])));
  }
  for (int32_t k = 0; k < s->c; k++) {
    if (is_zero(s, s->R[p][k])) continue;
    s->R[i][k] = tidied(s, zw_expr_sub(graph, s->R[i][k], zw_expr_mul(graph, factor, s->R[p][k])));
  }
}

static void eliminate(Solve* s, int32_t p, int32_t column) {
  ZwGraph* graph = s->tidy->graph;
  s->row_done[p] = s->column_done[column] = true;
  s->row_of[column] = p;
  s->order[s->eliminated++] = column;
  for (int32_t i = 0; i < s->n; i++) {
    if (s->row_done[i] || is_zero(s, s->K[i][column])) continue;
    subtract_row(s, i, p, tidied(s, zw_expr_div(graph, s->K[i][column], s->K[p][column])));
    s->K[i][column] = number(s, 0);
  }
}

/* x = (R - sum of the known ones) / pivot, the last one first */
static void substitute_back(Solve* s, ZwExpr* X) {
  ZwGraph* graph = s->tidy->graph;
  for (int32_t at = s->eliminated - 1; at >= 0; at--) {
    int32_t column = s->order[at], p = s->row_of[column];
    for (int32_t k = 0; k < s->c; k++) {
      ZwExpr sum = s->R[p][k];
      for (int32_t j = 0; j < s->n; j++) {
        if (j == column || is_zero(s, s->K[p][j])) continue;
        sum = zw_expr_sub(graph, sum, zw_expr_mul(graph, s->K[p][j], X[j * s->c + k]));
      }
      X[column * s->c + k] = tidied(s, zw_expr_div(graph, sum, s->K[p][column]));
    }
  }
}

/* ---- Cramer's rule for the rest ---- */

typedef struct Core {
  Solve* solve;
  int32_t size;
  int32_t row[CORE], column[CORE];
  ZwExpr minors[1 << CORE]; /* of the rows from the (number of columns) last on, by set of columns */
} Core;

/* The determinant of the last rows of the core (without row `left_out`) in the columns of the set, by its first row. */
static ZwExpr minor(Core* core, uint32_t columns, int32_t left_out) {
  if (columns == 0) return number(core->solve, 1);
  if (core->minors[columns].ref) return core->minors[columns];
  ZwGraph* graph = core->solve->tidy->graph;
  /* as many rows as columns, counted from the end */
  int32_t count = 0, row = core->size;
  for (uint32_t set = columns; set; set &= set - 1) count++;
  while (count > 0) count -= --row != left_out;
  ZwExpr sum = number(core->solve, 0);
  double sign = 1;
  for (int32_t j = 0; j < core->size; j++) {
    if (!(columns >> j & 1)) continue;
    ZwExpr entry = core->solve->K[core->row[row]][core->column[j]];
    if (!is_zero(core->solve, entry)) {
      ZwExpr share = zw_expr_mul(graph, entry, minor(core, columns & ~(1u << j), left_out));
      sum = sign > 0 ? zw_expr_add(graph, sum, share) : zw_expr_sub(graph, sum, share);
    }
    sign = -sign;
  }
  return core->minors[columns] = tidied(core->solve, sum);
}

static ZwExpr determinant(Core* core, uint32_t columns, int32_t left_out) {
  memset(core->minors, 0, sizeof core->minors);
  return minor(core, columns, left_out);
}

/* x_j = sum over i of (-1)^(i + j) det(K without row i, column j) R_i / det K */
static ZwSolved solve_core(Solve* s, Core* core, ZwExpr* X, ZwExpr* below) {
  ZwGraph* graph = s->tidy->graph;
  uint32_t all = (1u << core->size) - 1;
  ZwExpr det = determinant(core, all, -1);
  if (is_zero(s, det)) return ZW_SOLVED_SINGULAR;
  if (below) *below = det;
  for (int32_t j = 0; j < core->size; j++) {
    for (int32_t k = 0; k < s->c; k++) X[core->column[j] * s->c + k] = number(s, 0);
  }
  for (int32_t i = 0; i < core->size; i++) {
    for (int32_t j = 0; j < core->size; j++) {
      ZwExpr cofactor = determinant(core, all & ~(1u << j), i);
      if (is_zero(s, cofactor)) continue;
      for (int32_t k = 0; k < s->c; k++) {
        ZwExpr* x = &X[core->column[j] * s->c + k];
        ZwExpr share = zw_expr_mul(graph, cofactor, s->R[core->row[i]][k]);
        *x = (i + j) % 2 ? zw_expr_sub(graph, *x, share) : zw_expr_add(graph, *x, share);
      }
    }
  }
  for (int32_t j = 0; j < core->size; j++) {
    for (int32_t k = 0; k < s->c; k++) {
      ZwExpr* x = &X[core->column[j] * s->c + k];
      *x = tidied(s, zw_expr_div(graph, *x, det));
    }
  }
  return ZW_SOLVED;
}

ZwSolved zw_solve_small(ZwTidy* tidy, int32_t most, int32_t n, const ZwExpr* K, int32_t c, const ZwExpr* R, ZwExpr* X,
                        ZwExpr* below) {
  if (n > N || c > C) return ZW_SOLVED_TOO_LARGE;
  Solve s = {.tidy = tidy, .n = n, .c = c};
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) s.K[i][j] = tidied(&s, K[i * n + j]);
    for (int32_t k = 0; k < c; k++) s.R[i][k] = tidied(&s, R[i * c + k]);
  }
  int32_t row = 0, column = 0;
  while (!tidy->arena->failed && find_pivot(&s, &row, &column)) eliminate(&s, row, column);
  Core core = {.solve = &s};
  for (int32_t i = 0; i < n; i++) {
    if (n - s.eliminated > most) return ZW_SOLVED_TOO_LARGE;
    if (!s.row_done[i]) core.row[core.size++] = i;
  }
  for (int32_t j = 0, at = 0; j < n; j++) {
    if (!s.column_done[j]) core.column[at++] = j;
  }
  if (below) *below = number(&s, 1);
  if (core.size > 0) {
    ZwSolved solved = solve_core(&s, &core, X, below);
    if (solved != ZW_SOLVED) return solved;
  }
  substitute_back(&s, X);
  return ZW_SOLVED;
}

ZwSolved zw_solve(ZwTidy* tidy, int32_t n, const ZwExpr* K, int32_t c, const ZwExpr* R, ZwExpr* X) {
  return zw_solve_small(tidy, CORE, n, K, c, R, X, NULL);
}
