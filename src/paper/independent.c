#include "paper/independent.h"

#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "paper/rank.h"

/* A column is new when what those before it leave of it is larger than this; a share smaller than that part of the largest counts as zero. */
#define TOL_NEW 1e-7
#define TOL_SHARE 1e-9
/* A column is taken in the order of the model when this part of its largest entry is left beside those before it. */
#define CLEAR 0.05
/* Shares that take more nodes than this are written as numbers, if they are the same at all states. */
enum { SHARE_LONG = 40 };
/* A number this near to a fraction with such a denominator is that fraction. */
#define ROUNDING 1e-14
enum { ROUND_MOST = 360 };

typedef struct Finding {
  ZwPaperStates* states;
  ZwSheet* paper;
  ZwIndependent* to;
  int32_t count;                  /* of the states: with the start, if it is one */
  double* A[ZW_PAPER_STATES + 1]; /* m x n, columns in units of their largest entry */
} Finding;

/* ---- numbers ---- */

static void evaluate(Finding* f, int32_t s) {
  int32_t n = f->paper->n, m = f->paper->m;
  for (int32_t k = 0; k < m; k++) {
    for (int32_t j = 0; j < n; j++) f->A[s][k * n + j] = zw_paper_value(f->states, s, f->paper->rows[k].A[j]);
  }
}

/* x (r) with x A_J = A_k, by least squares: one pass of Gauss on the normal equations is enough for shares. */
static bool shares_at(const Finding* f, int32_t s, int32_t k, double* x, double* G) {
  const ZwIndependent* to = f->to;
  int32_t n = f->paper->n, r = to->r;
  for (int32_t i = 0; i < r; i++) {
    const double* row = f->A[s] + (ptrdiff_t)to->J[i] * n;
    for (int32_t j = 0; j < r; j++) G[i * r + j] = zw_dot(n, row, f->A[s] + (ptrdiff_t)to->J[j] * n);
    x[i] = zw_dot(n, row, f->A[s] + (ptrdiff_t)k * n);
  }
  for (int32_t p = 0; p < r; p++) {
    if (!(G[p * r + p] > 0)) return false;
    for (int32_t i = p + 1; i < r; i++) {
      double factor = G[i * r + p] / G[p * r + p];
      zw_axpy(r, -factor, G + (ptrdiff_t)p * r, G + (ptrdiff_t)i * r);
      x[i] -= factor * x[p];
    }
  }
  for (int32_t p = r - 1; p >= 0; p--) {
    for (int32_t j = p + 1; j < r; j++) x[p] -= G[p * r + j] * x[j];
    x[p] /= G[p * r + p];
  }
  return true;
}

/* ---- E ---- */

/* Share of row j in row k if it is the only one: the ratio of an entry that is not zero, the shortest one. */
static ZwExpr ratio(const Finding* f, int32_t k, int32_t j) {
  ZwSheet* paper = f->paper;
  ZwExpr best = {0};
  for (int32_t i = 0; i < paper->n; i++) {
    ZwExpr above = paper->rows[k].A[i], below = paper->rows[j].A[i];
    if (zw_expr_is_const(&paper->graph, below, 0) || fabs(zw_paper_value(f->states, 0, below)) < TOL_SHARE) continue;
    ZwExpr e = zw_tidy(&paper->tidy, zw_expr_div(&paper->graph, above, below));
    bool is_better =
        !best.ref || zw_tidy_facts(&paper->tidy, e.ref)->cost < zw_tidy_facts(&paper->tidy, best.ref)->cost;
    if (is_better) best = e;
  }
  return best;
}

static bool are_constant(const Finding* f, double* const x[ZW_PAPER_STATES]) {
  double largest = zw_max_abs(f->to->r, x[0]);
  for (int32_t s = 1; s < ZW_PAPER_STATES; s++) {
    for (int32_t j = 0; j < f->to->r; j++) {
      if (!(fabs(x[s][j] - x[0][j]) <= TOL_NEW * largest)) return false;
    }
  }
  return true;
}

/* Rows of E for row k; of several shares numbers alone are known. */
static void fill_shares(Finding* f, int32_t k, double* x[ZW_PAPER_STATES], double* G) {
  ZwIndependent* to = f->to;
  int32_t r = to->r, used = 0, last = 0;
  for (int32_t s = 0; s < ZW_PAPER_STATES; s++) {
    if (!shares_at(f, s, k, x[s], G)) zw_fill(r, 0, x[s]);
  }
  double largest = zw_max_abs(r, x[0]);
  for (int32_t j = 0; j < r; j++) {
    if (fabs(x[0][j]) <= TOL_SHARE * largest) continue;
    used++;
    last = j;
  }
  ZwExpr only = used == 1 ? ratio(f, k, to->J[last]) : (ZwExpr){0};
  if (used > 1 && !are_constant(f, x)) to->is_known = false;
  bool is_short = only.ref && zw_tidy_facts(&f->paper->tidy, only.ref)->cost <= SHARE_LONG;
  for (int32_t j = 0; j < r; j++) {
    double value = fabs(x[0][j]) <= TOL_SHARE * largest ? 0 : x[0][j], near = nearbyint(value * 5040) / 5040;
    if (fabs(near - value) <= TOL_SHARE * largest) value = near; /* 1/2, 2/3 and their kin, without rounding */
    to->E[k * r + j] = is_short && j == last ? only : zw_expr_const(&f->paper->graph, value);
  }
}

static void fill_E(Finding* f) {
  ZwIndependent* to = f->to;
  int32_t r = to->r;
  ZwArena* arena = f->paper->arena;
  double *x[ZW_PAPER_STATES], *G = ZW_NEW(arena, (ptrdiff_t)r * r + 1, double);
  for (int32_t s = 0; s < ZW_PAPER_STATES; s++) x[s] = ZW_NEW(arena, r + 1, double);
  if (arena->failed) return;
  for (int32_t k = 0, next = 0; k < to->m; k++) {
    bool is_kept = next < r && to->J[next] == k;
    if (is_kept) {
      for (int32_t j = 0; j < r; j++) to->E[k * r + j] = zw_expr_const(&f->paper->graph, j == next);
      next++;
    } else {
      fill_shares(f, k, x, G);
    }
  }
}

/* A number of W, at most 1 by size, without what differences left of rounding: 1 - 9/10 is 1/10. */
static ZwExpr without_rounding(ZwSheet* paper, ZwExpr e) {
  const ZwNode* node = zw_graph_node(&paper->graph, e);
  if (node->op != ZW_OP_CONST) return e;
  double value = node->u.value;
  for (int32_t q = 1; q <= ROUND_MOST; q++) {
    double near = nearbyint(value * q) / q;
    if (fabs(near - value) <= ROUNDING) return zw_expr_const(&paper->graph, near);
  }
  return e;
}

/* F^T = (E^T E)^-1 E^T, W = 1 - F E^T */
static void fill_F(Finding* f) {
  ZwIndependent* to = f->to;
  ZwSheet* paper = f->paper;
  ZwGraph* graph = &paper->graph;
  int32_t m = to->m, r = to->r;
  ZwExpr* G = ZW_NEW(paper->arena, (ptrdiff_t)r * r + 1, ZwExpr);
  ZwExpr *Et = ZW_NEW(paper->arena, (ptrdiff_t)r * m + 1, ZwExpr),
         *Ft = ZW_NEW(paper->arena, (ptrdiff_t)r * m + 1, ZwExpr);
  to->W = ZW_NEW(paper->arena, (ptrdiff_t)m * m + 1, ZwExpr);
  if (paper->arena->failed) return;
  for (int32_t i = 0; i < r; i++) {
    for (int32_t k = 0; k < m; k++) Et[i * m + k] = to->E[k * r + i];
    for (int32_t j = 0; j < r; j++) {
      ZwExpr sum = zw_expr_const(graph, 0);
      for (int32_t k = 0; k < m; k++)
        sum = zw_expr_add(graph, sum, zw_expr_mul(graph, to->E[k * r + i], to->E[k * r + j]));
      G[i * r + j] = zw_tidy(&paper->tidy, sum);
    }
  }
  ZwConditions none = {{0}};
  ZwBlocks blocks = {f->states, zw_step_prefix(paper, "e"), true, &none};
  if (zw_blocks_solve(&blocks, r, G, m, Et, Ft) != ZW_SOLVED) return;
  for (int32_t k = 0; k < m; k++) {
    for (int32_t i = 0; i < r; i++) to->F[k * r + i] = Ft[i * m + k];
  }
  for (int32_t k = 0; k < m; k++) {
    for (int32_t l = 0; l < m; l++) {
      ZwExpr sum = zw_expr_const(graph, k == l);
      for (int32_t i = 0; i < r; i++)
        sum = zw_expr_sub(graph, sum, zw_expr_mul(graph, to->F[k * r + i], to->E[l * r + i]));
      to->W[k * m + l] = without_rounding(paper, zw_tidy(&paper->tidy, sum));
    }
  }
}

/* ---- all ---- */

static bool open_finding(Finding* f) {
  ptrdiff_t entries = (ptrdiff_t)f->paper->n * f->paper->m;
  f->count = zw_paper_state_count(f->states);
  for (int32_t s = 0; s < f->count; s++) {
    f->A[s] = ZW_NEW(f->paper->arena, entries + 1, double);
    if (f->A[s]) evaluate(f, s);
  }
  if (!f->paper->arena->failed) zw_rank_balance(f->paper->m, f->paper->n, f->count, f->A);
  return !f->paper->arena->failed;
}

void zw_independent_find(ZwPaperStates* states, ZwIndependent* independent) {
  ZwSheet* paper = states->paper;
  Finding f = {.states = states, .paper = paper, .to = independent};
  int32_t n = paper->n, m = paper->m, most = 0;
  *independent = (ZwIndependent){.m = m, .is_known = true};
  int32_t* rows = ZW_NEW(paper->arena, m + 1, int32_t);
  double* Q = ZW_NEW(paper->arena, (ptrdiff_t)n * n + 1, double);
  independent->J = ZW_NEW(paper->arena, m + 1, int32_t);
  if (!open_finding(&f)) return;
  /* what is independent at the start is so around it */
  for (int32_t s = f.count - 1; s >= 0; s--) {
    int32_t rank = zw_rank_rows(m, n, f.A[s], rows, Q);
    if (rank <= most) continue;
    most = rank;
    memcpy(independent->J, rows, (size_t)rank * sizeof *rows);
  }
  int32_t r = independent->r = most;
  independent->E = ZW_NEW(paper->arena, (ptrdiff_t)m * r + 1, ZwExpr);
  independent->F = ZW_NEW(paper->arena, (ptrdiff_t)m * r + 1, ZwExpr);
  if (paper->arena->failed) return;
  fill_E(&f);
  if (r == m)
    independent->F = independent->E;
  else if (independent->is_known)
    fill_F(&f);
}

/* ---- columns ---- */

typedef struct Choice {
  Finding* finding;
  const int32_t* J;
  int32_t r, chosen;
  int32_t count;                  /* of the states that are asked: with the start, unless nothing else is left */
  double* Q[ZW_PAPER_STATES + 1]; /* r x r: orthonormal directions of the columns chosen */
  double* x;                      /* r */
} Choice;

static double left_at(Choice* c, int32_t s, int32_t j) {
  int32_t n = c->finding->paper->n;
  for (int32_t i = 0; i < c->r; i++) c->x[i] = c->finding->A[s][c->J[i] * n + j];
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < c->chosen; i++) {
      const double* q = c->Q[s] + (ptrdiff_t)i * c->r;
      zw_axpy(c->r, -zw_dot(c->r, q, c->x), q, c->x);
    }
  }
  return zw_norm(c->r, c->x);
}

static double least_left(Choice* c, int32_t j) {
  double least = INFINITY;
  for (int32_t s = 0; s < c->count; s++) least = fmin(least, left_at(c, s, j));
  return least;
}

static void take(Choice* c, int32_t j) {
  for (int32_t s = 0; s < c->finding->count; s++) {
    double length = left_at(c, s, j);
    for (int32_t i = 0; i < c->r; i++) c->Q[s][c->chosen * c->r + i] = length > 0 ? c->x[i] / length : 0;
  }
  c->chosen++;
}

static bool has_mass(const ZwSheet* paper, int32_t i) {
  for (int32_t j = 0; j < paper->n; j++) {
    if (!zw_expr_is_const(&paper->graph, paper->M[i * paper->n + j], 0)) return true;
  }
  return false;
}

/* -1: no column is left. Of equal ones the first. */
static int32_t largest_column(Choice* c, const bool* is_taken, bool is_massless) {
  int32_t best = -1;
  double most = TOL_NEW;
  for (int32_t j = 0; j < c->finding->paper->n; j++) {
    if (is_taken[j] || (is_massless && has_mass(c->finding->paper, j))) continue;
    double left = least_left(c, j);
    if (!(left > most * (1 + 1e-8))) continue;
    most = left;
    best = j;
  }
  return best;
}

/* The first column in the order of the model that is clearly independent; -1: none. */
static int32_t first_column(Choice* c, const bool* is_taken) {
  for (int32_t j = 0; j < c->finding->paper->n; j++) {
    if (!is_taken[j] && least_left(c, j) > CLEAR) return j;
  }
  return -1;
}

/* The column that is taken next where none is wished; -1: no column is left. */
static int32_t next_column(Choice* c, const bool* is_taken) {
  int32_t best = -1;
  for (c->count = c->finding->count; best < 0 && c->count >= ZW_PAPER_STATES; c->count--) {
    best = largest_column(c, is_taken, true);
    if (best < 0) best = first_column(c, is_taken);
    if (best < 0) best = largest_column(c, is_taken, false);
  }
  return best;
}

static void sort(int32_t* list, int32_t count) {
  for (int32_t i = 1; i < count; i++) {
    int32_t item = list[i], j = i;
    for (; j > 0 && list[j - 1] > item; j--) list[j] = list[j - 1];
    list[j] = item;
  }
}

bool zw_columns_choose(ZwPaperStates* states, const ZwIndependent* independent, const int32_t* wish, int32_t count,
                       int32_t* columns, int32_t* dependent) {
  ZwSheet* paper = states->paper;
  Finding f = {.states = states, .paper = paper};
  Choice c = {.finding = &f, .J = independent->J, .r = independent->r};
  bool* is_taken = ZW_NEW(paper->arena, paper->n + 1, bool);
  c.x = ZW_NEW(paper->arena, c.r + 1, double);
  for (int32_t s = 0; s <= ZW_PAPER_STATES; s++) c.Q[s] = ZW_NEW(paper->arena, (ptrdiff_t)c.r * c.r + 1, double);
  if (!open_finding(&f)) return true;
  while (c.chosen < c.r) {
    int32_t best = -1;
    if (c.chosen < count) {
      best = wish[c.chosen];
      *dependent = best;
      c.count = ZW_PAPER_STATES;
      if (!(least_left(&c, best) > TOL_NEW)) return false;
    } else {
      best = next_column(&c, is_taken);
    }
    if (best < 0) best = c.chosen; /* the rows are dependent at one of the states */
    is_taken[best] = true;
    columns[c.chosen] = best;
    take(&c, best);
  }
  if (count == 0) sort(columns, c.r);
  for (int32_t j = 0, at = c.r; j < paper->n; j++) {
    if (!is_taken[j]) columns[at++] = j;
  }
  return true;
}

int32_t zw_rows_of_massless(ZwPaperStates* states, const ZwIndependent* independent, int32_t* rows) {
  ZwSheet* paper = states->paper;
  Finding f = {.states = states, .paper = paper};
  int32_t n = paper->n, count = 0;
  int32_t* found = ZW_NEW(paper->arena, paper->m + 1, int32_t);
  double* Q = ZW_NEW(paper->arena, (ptrdiff_t)n * n + 1, double);
  if (!open_finding(&f) || !found || !Q) return 0;
  for (int32_t j = 0; j < n; j++) {
    if (!has_mass(paper, j)) continue;
    for (int32_t k = 0; k < paper->m; k++) f.A[0][k * n + j] = 0;
  }
  int32_t rank = zw_rank_rows(paper->m, n, f.A[0], found, Q);
  for (int32_t i = 0; i < rank; i++) {
    for (int32_t k = 0; k < independent->r; k++) {
      if (independent->J[k] == found[i]) rows[count++] = found[i];
    }
  }
  return count;
}
