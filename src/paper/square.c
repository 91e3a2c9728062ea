#include "paper/square.h"

#include <math.h>
#include <string.h>

/* Nodes: results that have no name. */
enum { STEP_LONG = 2 };
/* A pivot is at least this part of the largest entry in its column, at every state: else rounding grows. */
#define TOL_GROWTH 0.05

typedef struct Square {
  ZwPaperStates* states;
  ZwSheet* paper;
  ZwTidy* tidy;
  ZwGraph* graph;
  const char* prefix; /* of names */
  int32_t n, c;
  ZwExpr *K, *R, *X;
  bool *may_be, *may_begin;           /* n x n: entries that are other than 0; also at the start */
  double* value[ZW_PAPER_STATES + 1]; /* n x n */
  bool *row_done, *column_done;       /* n */
  int32_t *row, *column;              /* n: of the pivots, in their order */
  bool* is_settled;                   /* n: that unknown followed at once */
  int32_t *in_row, *in_column;        /* n: entries left */
} Square;

void zw_conditions_add(ZwSheet* paper, ZwConditions* conditions, ZwExpr e) {
  if (!e.ref || zw_graph_node(&paper->graph, e)->op == ZW_OP_CONST) return;
  for (int32_t i = 0; i < conditions->list.count; i++) {
    if (conditions->list.items[i].ref == e.ref) return;
  }
  (void)ZW_PUSH(paper->arena, &conditions->list, e);
}

static bool is_zero(const Square* s, ZwExpr e) {
  return zw_expr_is_const(s->graph, e, 0);
}

static ZwExpr named(const Square* s, ZwExpr value) {
  const char* name = zw_format(s->paper->arena, "%s%d", s->prefix, (int)s->paper->steps.count + 1);
  return zw_name_long_step(s->states, name, zw_tidy(s->tidy, value), STEP_LONG);
}

/* ---- entries ---- */

/* Looks at an entry that is new. */
static void look_at(Square* s, int32_t i, int32_t j) {
  ZwExpr e = s->K[i * s->n + j];
  s->may_be[i * s->n + j] = !is_zero(s, e) && zw_paper_is_nonzero(s->states, e);
  s->may_begin[i * s->n + j] = s->may_be[i * s->n + j] && zw_paper_is_nonzero_at_start(s->states, e);
  for (int32_t at = 0; at < zw_paper_state_count(s->states); at++)
    s->value[at][i * s->n + j] = is_zero(s, e) ? 0 : fabs(zw_paper_value(s->states, at, e));
}

static void count_entries(Square* s) {
  memset(s->in_row, 0, (size_t)s->n * sizeof *s->in_row);
  memset(s->in_column, 0, (size_t)s->n * sizeof *s->in_column);
  for (int32_t i = 0; i < s->n; i++) {
    for (int32_t j = 0; j < s->n; j++) {
      if (s->row_done[i] || s->column_done[j] || is_zero(s, s->K[i * s->n + j])) continue;
      s->in_row[i]++;
      s->in_column[j]++;
    }
  }
}

/* ---- pivots ---- */

/* Whether entry (i, j) is not small in its column, at the first `count` states. */
static bool is_large(const Square* s, int32_t i, int32_t j, int32_t count) {
  for (int32_t at = 0; at < count; at++) {
    double least = s->value[at][i * s->n + j] / TOL_GROWTH;
    for (int32_t k = 0; k < s->n; k++) {
      if (!s->row_done[k] && s->value[at][k * s->n + j] > least) return false;
    }
  }
  return true;
}

/* Among entries that make equally few new ones the first is taken; numbers go before all others. `count`: as of is_large. */
static bool find_among(const Square* s, const bool* may_be, int32_t count, int32_t* row, int32_t* column) {
  int64_t least = INT64_MAX;
  for (int32_t i = 0; i < s->n; i++) {
    for (int32_t j = 0; j < s->n; j++) {
      if (s->row_done[i] || s->column_done[j] || !may_be[i * s->n + j]) continue;
      bool is_number = zw_graph_node(s->graph, s->K[i * s->n + j])->op == ZW_OP_CONST;
      int64_t fill = 2 * (int64_t)(s->in_row[i] - 1) * (s->in_column[j] - 1) + !is_number;
      if (fill >= least || !is_large(s, i, j, count)) continue;
      least = fill;
      *row = i;
      *column = j;
    }
  }
  return least < INT64_MAX;
}

/* The only entry left in its row: its unknown follows at once, whatever its size. */
static bool find_single(const Square* s, int32_t* row, int32_t* column) {
  for (int32_t i = 0; i < s->n; i++) {
    if (s->row_done[i] || s->in_row[i] != 1) continue;
    for (int32_t j = 0; j < s->n; j++) {
      if (s->column_done[j] || !s->may_be[i * s->n + j]) continue;
      *row = i;
      *column = j;
      return true;
    }
  }
  return false;
}

/* One that serves at the start too; otherwise any; otherwise one that may be small, at some state. */
static bool find_pivot(Square* s, int32_t* row, int32_t* column) {
  count_entries(s);
  return find_single(s, row, column) || find_among(s, s->may_begin, zw_paper_state_count(s->states), row, column) ||
         find_among(s, s->may_be, ZW_PAPER_STATES, row, column) || find_among(s, s->may_be, 0, row, column);
}

/* ---- elimination ---- */

/* Row i, less its share of row p. */
static void subtract(Square* s, int32_t p, int32_t column, int32_t i) {
  int32_t n = s->n, c = s->c;
  ZwExpr factor = named(s, zw_expr_div(s->graph, s->K[i * n + column], s->K[p * n + column]));
  s->K[i * n + column] = zw_expr_const(s->graph, 0);
  for (int32_t j = 0; j < n; j++) {
    ZwExpr e = s->K[p * n + j], *to = &s->K[i * n + j];
    if (s->column_done[j] || is_zero(s, e)) continue;
    *to = named(s, zw_expr_sub(s->graph, *to, zw_expr_mul(s->graph, factor, e)));
    look_at(s, i, j);
  }
  for (int32_t k = 0; k < c; k++) {
    ZwExpr e = s->R[p * c + k], *to = &s->R[i * c + k];
    if (!is_zero(s, e)) *to = named(s, zw_expr_sub(s->graph, *to, zw_expr_mul(s->graph, factor, e)));
  }
}

/* The last unknown of row p follows at once, and goes into the other rows as it is; their right sides stay sums until they are used, so that
 * they may cancel: in a chain each link adds its own share to that of the link before. */
static void settle(Square* s, int32_t p, int32_t column) {
  int32_t n = s->n, c = s->c;
  ZwExpr pivot = s->K[p * n + column];
  for (int32_t k = 0; k < c; k++) {
    ZwExpr e = s->R[p * c + k];
    s->X[column * c + k] = is_zero(s, e) ? e : named(s, zw_expr_div(s->graph, e, pivot));
  }
  for (int32_t i = 0; i < n; i++) {
    ZwExpr e = s->K[i * n + column];
    if (s->row_done[i] || is_zero(s, e)) continue;
    s->K[i * n + column] = zw_expr_const(s->graph, 0);
    for (int32_t k = 0; k < c; k++) {
      ZwExpr x = s->X[column * c + k], *to = &s->R[i * c + k];
      if (!is_zero(s, x)) *to = zw_expr_sub(s->graph, *to, zw_expr_mul(s->graph, e, x));
    }
  }
}

/* Row p gives this unknown by others; where no other row has it, nothing is written before those are known. */
static void eliminate_one(Square* s, int32_t p, int32_t column) {
  if (s->in_column[column] == 1) return;
  ZwExpr* pivot = &s->K[p * s->n + column];
  *pivot = named(s, *pivot);
  for (int32_t k = 0; k < s->c; k++) s->R[p * s->c + k] = named(s, s->R[p * s->c + k]);
  for (int32_t i = 0; i < s->n; i++) {
    if (!s->row_done[i] && !is_zero(s, s->K[i * s->n + column])) subtract(s, p, column, i);
  }
}

static ZwSolved eliminate(Square* s, ZwConditions* conditions) {
  for (int32_t at = 0; at < s->n; at++) {
    int32_t p = 0, column = 0;
    if (!find_pivot(s, &p, &column)) return ZW_SOLVED_SINGULAR;
    s->row[at] = p;
    s->column[at] = column;
    s->row_done[p] = s->column_done[column] = true;
    s->is_settled[at] = s->in_row[p] == 1;
    if (s->is_settled[at])
      settle(s, p, column);
    else
      eliminate_one(s, p, column);
    zw_conditions_add(s->paper, conditions, s->K[p * s->n + column]);
    if (s->paper->arena->failed) return ZW_SOLVED;
    if (s->paper->steps.count >= ZW_STEPS_MOST) return ZW_SOLVED_TOO_LARGE;
  }
  return ZW_SOLVED;
}

/* x of a pivot's column = (R - sum of those solved before) / pivot, the last pivot first */
static void substitute_back(Square* s) {
  for (int32_t at = s->n - 1; at >= 0; at--) {
    int32_t p = s->row[at], column = s->column[at];
    if (s->is_settled[at]) continue;
    for (int32_t k = 0; k < s->c; k++) {
      ZwExpr sum = s->R[p * s->c + k];
      for (int32_t after = at + 1; after < s->n; after++) {
        ZwExpr e = s->K[p * s->n + s->column[after]], x = s->X[s->column[after] * s->c + k];
        if (!is_zero(s, e)) sum = zw_expr_sub(s->graph, sum, zw_expr_mul(s->graph, e, x));
      }
      if (!is_zero(s, sum)) sum = named(s, zw_expr_div(s->graph, sum, s->K[p * s->n + column]));
      s->X[column * s->c + k] = sum;
    }
  }
}

/* ---- all ---- */

static bool make_room(Square* s, ZwArena* arena) {
  ptrdiff_t n = s->n, c = s->c;
  s->K = ZW_NEW(arena, n * n + 1, ZwExpr);
  s->R = ZW_NEW(arena, n * c + 1, ZwExpr);
  s->may_be = ZW_NEW(arena, n * n + 1, bool);
  s->may_begin = ZW_NEW(arena, n * n + 1, bool);
  for (int32_t at = 0; at <= ZW_PAPER_STATES; at++) s->value[at] = ZW_NEW(arena, n * n + 1, double);
  s->row_done = ZW_NEW(arena, n + 1, bool);
  s->column_done = ZW_NEW(arena, n + 1, bool);
  s->row = ZW_NEW(arena, n + 1, int32_t);
  s->column = ZW_NEW(arena, n + 1, int32_t);
  s->is_settled = ZW_NEW(arena, n + 1, bool);
  s->in_row = ZW_NEW(arena, n + 1, int32_t);
  s->in_column = ZW_NEW(arena, n + 1, int32_t);
  return !arena->failed;
}

ZwSolved zw_square_solve(ZwPaperStates* states, ZwConditions* conditions, int32_t n, const ZwExpr* K, int32_t c,
                         const ZwExpr* R, ZwExpr* X) {
  ZwSheet* paper = states->paper;
  Square s = {states, paper, &paper->tidy, &paper->graph, zw_counted_prefix(paper, "u"), n, c, .X = X};
  if (!make_room(&s, paper->arena)) return ZW_SOLVED;
  if (n > 0) memcpy(s.K, K, (size_t)n * (size_t)n * sizeof *K);
  if (n > 0 && c > 0) memcpy(s.R, R, (size_t)n * (size_t)c * sizeof *R);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) look_at(&s, i, j);
  }
  ZwSolved solved = eliminate(&s, conditions);
  if (solved == ZW_SOLVED && !paper->arena->failed) substitute_back(&s);
  return solved;
}
