#include "paper/recursion.h"

#include <string.h>

enum { ROWS_MOST = 4, COORDS_MOST = 12, COUPLED_MOST = 6, LONG = 25 };

typedef struct Recursing {
  ZwPaperStates* states;
  ZwSheet* paper;
  ZwTidy* tidy;
  ZwGraph* graph;
  const ZwIndependent* rows;
  ZwPaperRecursion* to;
  int32_t n, m, r;
  const char* prefix;       /* of names */
  ZwExpr *L, *C;            /* n x n, lower; r x n; in the order of the columns */
  ZwExpr *R, *beta, *kappa; /* of the rows J: r x r, the present one; r, r */
  ZwExpr *a0, *d;           /* n; r */
} Recursing;

static ZwExpr M(const Recursing* x, int32_t k, int32_t l) {
  return x->paper->M[x->to->order[k] * x->n + x->to->order[l]];
}

static ZwExpr named(const Recursing* x, ZwExpr e) {
  ZwExpr tidy = zw_tidy(x->tidy, e);
  return zw_name_long_step(x->states, zw_format(x->paper->arena, "%s%d", x->prefix, (int)x->paper->steps.count + 1),
                           tidy, LONG);
}

/* ---- C ---- */

static bool is_diagonal(const Recursing* x) {
  for (int32_t i = 0; i < x->n * x->n; i++) {
    if (i % (x->n + 1) != 0 && !zw_expr_is_const(x->graph, x->paper->M[i], 0)) return false;
  }
  return true;
}

/* L_kl = (M_kl - sum over i < l of L_ki L_li)/L_ll; false: M has no root, at the states. */
static bool factor(const Recursing* x) {
  int32_t n = x->n;
  for (int32_t l = 0; l < n; l++) {
    for (int32_t k = l; k < n; k++) {
      ZwExpr sum = M(x, k, l);
      for (int32_t i = 0; i < l; i++) zw_paper_add(x->paper, &sum, x->L[k * n + i], x->L[l * n + i], -1);
      if (zw_expr_is_const(x->graph, sum, 0) && k > l) continue;
      if (k > l) {
        x->L[k * n + l] = named(x, zw_expr_div(x->graph, sum, x->L[l * n + l]));
        continue;
      }
      sum = zw_tidy(x->tidy, sum);
      if (!sum.ref || !zw_paper_is_nonzero(x->states, sum)) return false;
      for (int32_t s = 0; s < ZW_PAPER_STATES; s++) {
        if (!(zw_paper_value(x->states, s, sum) > 0)) return false;
      }
      x->L[k * n + l] = named(x, zw_expr_unary(x->graph, ZW_OP_SQRT, sum));
    }
  }
  return true;
}

/* C L^T = A_J, a0 by M a0 = h: L z = h, L^T a0 = z */
static void fill_C(const Recursing* x) {
  int32_t n = x->n;
  ZwExpr* z = zw_paper_zeros(x->paper, n, 1);
  if (!z) return;
  for (int32_t l = 0; l < n; l++) {
    for (int32_t k = 0; k < x->r; k++) {
      ZwExpr sum = x->paper->rows[x->rows->J[k]].A[x->to->order[l]];
      for (int32_t i = 0; i < l; i++) zw_paper_add(x->paper, &sum, x->C[k * n + i], x->L[l * n + i], -1);
      x->C[k * n + l] = named(x, zw_expr_div(x->graph, sum, x->L[l * n + l]));
    }
    ZwExpr sum = x->paper->h[x->to->order[l]];
    for (int32_t i = 0; i < l; i++) zw_paper_add(x->paper, &sum, x->L[l * n + i], z[i], -1);
    z[l] = named(x, zw_expr_div(x->graph, sum, x->L[l * n + l]));
  }
  for (int32_t l = n - 1; l >= 0; l--) {
    ZwExpr sum = z[l];
    for (int32_t k = l + 1; k < n; k++) zw_paper_add(x->paper, &sum, x->L[k * n + l], x->a0[k], -1);
    x->a0[l] = named(x, zw_expr_div(x->graph, sum, x->L[l * n + l]));
  }
  for (int32_t k = 0; k < x->r; k++) {
    const ZwPaperRow* row = &x->paper->rows[x->rows->J[k]];
    ZwExpr sum = row->b;
    for (int32_t l = 0; l < n; l++) zw_paper_add(x->paper, &sum, row->A[x->to->order[l]], x->a0[l], -1);
    x->d[k] = x->to->is_diagonal && x->r == 1 ? zw_tidy(x->tidy, sum) : named(x, sum);
  }
}

/* ---- R_k, beta_k, kappa_k ---- */

/* R_r = (C_r C_r^T)^-1 */
static ZwSolved begin(const Recursing* x) {
  int32_t r = x->r;
  ZwExpr *square = zw_paper_zeros(x->paper, r, r), *unit = zw_paper_zeros(x->paper, r, r);
  if (x->paper->arena->failed) return ZW_SOLVED;
  for (int32_t i = 0; i < r; i++) {
    unit[i * r + i] = zw_expr_const(x->graph, 1);
    for (int32_t j = 0; j <= i; j++) {
      ZwExpr sum = zw_expr_const(x->graph, 0);
      for (int32_t l = 0; l < r; l++) zw_paper_add(x->paper, &sum, x->C[i * x->n + l], x->C[j * x->n + l], 1);
      square[i * r + j] = square[j * r + i] = zw_tidy(x->tidy, sum);
    }
  }
  ZwConditions none = {{0}};
  ZwBlocks blocks = {x->states, zw_step_prefix(x->paper, "B"), true, &none};
  return zw_blocks_solve(&blocks, r, square, r, unit, x->R);
}

/* (F y)_i; one row has F = 1 */
static ZwExpr of_row(const Recursing* x, int32_t i, const ZwExpr* y) {
  ZwExpr sum = zw_expr_const(x->graph, 0);
  if (x->m == 1) return y[0];
  for (int32_t p = 0; p < x->r; p++) zw_paper_add(x->paper, &sum, x->rows->F[i * x->r + p], y[p], 1);
  return zw_tidy(x->tidy, sum);
}

/* What is told of all rows: F R F^T, F beta, F kappa, d^T R d */
static void tell(const Recursing* x, int32_t k) {
  int32_t m = x->m, r = x->r, at = k - r;
  const ZwExpr* F = x->rows->F;
  for (int32_t i = 0; i < m; i++) {
    for (int32_t j = 0; j <= i; j++) {
      ZwExpr sum = zw_expr_const(x->graph, 0);
      for (int32_t p = 0; p < r; p++) {
        for (int32_t q = 0; q < r; q++)
          zw_paper_add(x->paper, &sum, zw_expr_mul(x->graph, F[i * r + p], x->R[p * r + q]), F[j * r + q], 1);
      }
      ZwExpr* to = x->to->R + (ptrdiff_t)at * m * m;
      to[i * m + j] = to[j * m + i] = r == 1 && m == 1 ? sum : zw_tidy(x->tidy, sum);
    }
    if (at == 0) continue;
    x->to->beta[(at - 1) * m + i] = of_row(x, i, x->beta);
    x->to->kappa[(at - 1) * m + i] = of_row(x, i, x->kappa);
  }
  ZwExpr g = zw_expr_const(x->graph, 0);
  for (int32_t p = 0; p < r; p++) {
    for (int32_t q = 0; q < r; q++)
      zw_paper_add(x->paper, &g, zw_expr_mul(x->graph, x->d[p], x->R[p * r + q]), x->d[q], 1);
  }
  x->to->g[at] = zw_tidy(x->tidy, g);
}

/* Of one row: R_k is one over the sum of the squares of k columns. */
static void release_single(const Recursing* x, int32_t k) {
  ZwExpr square = zw_expr_const(x->graph, 0), one = zw_expr_const(x->graph, 1);
  for (int32_t j = 0; j <= k; j++) zw_paper_add(x->paper, &square, x->C[j], x->C[j], 1);
  square = zw_tidy(x->tidy, square);
  x->beta[0] = zw_tidy(x->tidy, zw_expr_mul(x->graph, x->R[0], x->C[k]));
  x->kappa[0] = zw_tidy(x->tidy, zw_expr_div(x->graph, x->C[k], square));
  x->R[0] = zw_tidy(x->tidy, zw_expr_div(x->graph, one, square));
}

/* Column k (from 0) is released: beta = R c, kappa = beta/(1 + c beta), R -= kappa beta^T */
static void release(const Recursing* x, int32_t k) {
  int32_t r = x->r;
  ZwExpr below = zw_expr_const(x->graph, 1);
  for (int32_t i = 0; i < r; i++) {
    ZwExpr sum = zw_expr_const(x->graph, 0);
    for (int32_t j = 0; j < r; j++) zw_paper_add(x->paper, &sum, x->R[i * r + j], x->C[j * x->n + k], 1);
    x->beta[i] = zw_tidy(x->tidy, sum);
    zw_paper_add(x->paper, &below, x->C[i * x->n + k], x->beta[i], 1);
  }
  below = zw_tidy(x->tidy, below);
  for (int32_t i = 0; i < r; i++) x->kappa[i] = zw_tidy(x->tidy, zw_expr_div(x->graph, x->beta[i], below));
  for (int32_t i = 0; i < r; i++) {
    for (int32_t j = 0; j <= i; j++) {
      ZwExpr e = x->R[i * r + j];
      zw_paper_add(x->paper, &e, x->kappa[i], x->beta[j], -1);
      x->R[i * r + j] = x->R[j * r + i] = named(x, e);
    }
  }
}

/* ---- the chain ---- */

static ZwExpr acceleration(const Recursing* x, int32_t place) {
  return zw_expr_leaf(x->graph, ZW_OP_ACCELERATION, x->to->order[place]);
}

/* The sum over i >= from of L_il (a_i - a0_i): y_l, or what of it belongs to later accelerations. */
static ZwExpr later(const Recursing* x, int32_t l, int32_t from) {
  ZwExpr sum = zw_expr_const(x->graph, 0);
  for (int32_t i = from; i < x->n; i++)
    zw_paper_add(x->paper, &sum, x->L[i * x->n + l], zw_expr_sub(x->graph, acceleration(x, i), x->a0[i]), 1);
  return sum;
}

/* y_k = kappa_k (d - sum over j > k of c_j y_j), as an equation for a_k */
static void link_later(const Recursing* x, int32_t k) {
  ZwExpr y = zw_expr_const(x->graph, 0);
  for (int32_t i = 0; i < x->r; i++) {
    ZwExpr left = x->d[i];
    for (int32_t j = k + 1; j < x->n; j++) zw_paper_add(x->paper, &left, x->C[i * x->n + j], later(x, j, j), -1);
    zw_paper_add(x->paper, &y, x->kappa[i], left, 1);
  }
  ZwExpr rest = zw_expr_sub(x->graph, y, later(x, k, k + 1));
  x->to->a[k] = zw_tidy(x->tidy, zw_expr_add(x->graph, x->a0[k], zw_expr_div(x->graph, rest, x->L[k * x->n + k])));
}

/* The first r of them follow from the rows: A_r a_r = b - A_rest a_rest */
static ZwSolved link_first(const Recursing* x) {
  int32_t r = x->r;
  ZwExpr *K = zw_paper_zeros(x->paper, r, r), *right = zw_paper_zeros(x->paper, r, 1);
  if (x->paper->arena->failed) return ZW_SOLVED;
  for (int32_t i = 0; i < r; i++) {
    const ZwPaperRow* row = &x->paper->rows[x->rows->J[i]];
    right[i] = row->b;
    for (int32_t l = 0; l < x->n; l++) {
      ZwExpr e = row->A[x->to->order[l]];
      if (l < r)
        K[i * r + l] = e;
      else
        zw_paper_add(x->paper, &right[i], e, acceleration(x, l), -1);
    }
  }
  ZwExpr below = {0};
  ZwSolved solved = zw_solve_small(x->tidy, ZW_SOLVE_CORE, r, K, 1, right, x->to->a, &below);
  zw_conditions_add(x->paper, &x->to->valid, below);
  return solved;
}

/* ---- all ---- */

static bool make_room(Recursing* x) {
  int32_t n = x->n, m = x->m, r = x->r, f = n - r;
  x->L = zw_paper_zeros(x->paper, n, n);
  x->C = zw_paper_zeros(x->paper, r, n);
  x->R = zw_paper_zeros(x->paper, r, r);
  x->beta = zw_paper_zeros(x->paper, r, 1);
  x->kappa = zw_paper_zeros(x->paper, r, 1);
  x->a0 = zw_paper_zeros(x->paper, n, 1);
  x->d = zw_paper_zeros(x->paper, r, 1);
  x->to->R = zw_paper_zeros(x->paper, (f + 1) * m, m);
  x->to->beta = zw_paper_zeros(x->paper, f, m);
  x->to->kappa = zw_paper_zeros(x->paper, f, m);
  x->to->g = zw_paper_zeros(x->paper, f + 1, 1);
  x->to->a = zw_paper_zeros(x->paper, n, 1);
  return !x->paper->arena->failed;
}

static const char* why_not(const Recursing* x) {
  if (x->r == 0) return "there are no constraints";
  if (x->r > ROWS_MOST) return "there are more than 4 independent constraints";
  if (x->n > (x->to->is_diagonal ? COORDS_MOST : COUPLED_MOST)) return "there are too many coordinates";
  if (!x->rows->is_known) return "constraints repeat others in a way that changes with the state";
  return NULL;
}

static void recurse(Recursing* x) {
  ZwPaperRecursion* to = x->to;
  if (!factor(x)) {
    to->why = "M has no root";
    return;
  }
  fill_C(x);
  if (x->paper->arena->failed) return;
  if (begin(x) != ZW_SOLVED || link_first(x) != ZW_SOLVED) {
    to->why = "the columns put first depend on each other";
    return;
  }
  tell(x, x->r);
  for (int32_t k = x->r; k < x->n && !x->paper->arena->failed; k++) {
    if (x->r == 1)
      release_single(x, k);
    else
      release(x, k);
    tell(x, k + 1);
    link_later(x, k);
  }
}

void zw_paper_recursion(ZwPaperStates* states, const ZwIndependent* rows, const int32_t* wish, int32_t count,
                        ZwPaperRecursion* recursion) {
  ZwSheet* paper = states->paper;
  Recursing x = {.states = states,
                 .paper = paper,
                 .tidy = &paper->tidy,
                 .graph = &paper->graph,
                 .rows = rows,
                 .to = recursion,
                 .n = paper->n,
                 .m = paper->m,
                 .r = rows->r};
  x.prefix = zw_counted_prefix(paper, "w");
  *recursion = (ZwPaperRecursion){.n = x.n, .m = x.m, .r = x.r, .dependent = -1};
  recursion->is_diagonal = is_diagonal(&x);
  recursion->why = why_not(&x);
  recursion->order = ZW_NEW(paper->arena, x.n + 1, int32_t);
  if (!recursion->order) return;
  int32_t dependent = -1;
  bool is_chosen = zw_columns_choose(states, rows, wish, count < x.r ? count : x.r, recursion->order, &dependent);
  if (!is_chosen) recursion->dependent = dependent;
  if (!is_chosen && !recursion->why) recursion->why = "the columns put first depend on each other";
  if (recursion->why || paper->arena->failed) return;
  /* columns of the wish beyond the rank go on in its order */
  for (int32_t at = x.r; at < count; at++) {
    int32_t from = at;
    while (recursion->order[from] != wish[at]) from++;
    memmove(recursion->order + at + 1, recursion->order + at, (size_t)(from - at) * sizeof(int32_t));
    recursion->order[at] = wish[at];
  }
  if (make_room(&x)) recurse(&x);
}
