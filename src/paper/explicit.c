#include "paper/explicit.h"

typedef struct Deriving {
  ZwPaperStates* states;
  ZwSheet* paper;
  ZwTidy* tidy;
  ZwGraph* graph;
  ZwExplicit* to;
  int32_t n, m, r;
  ZwExpr *M, *h;  /* of the sheet, or with rows added to them */
  ZwExpr *a0, *Y; /* n; n x r: M^-1 h, M^-1 A_J^T */
  const char* D;  /* its letter */
} Deriving;

static ZwExpr A(const Deriving* x, int32_t k, int32_t j) {
  return x->paper->rows[x->to->rows.J[k]].A[j];
}

/* ---- M^-1 ---- */

/* M [Y a0] = [A_J^T h] */
static ZwSolved solve_M(Deriving* x) {
  int32_t n = x->n, c = x->r + 1;
  ZwExpr *right = zw_paper_zeros(x->paper, n, c), *left = zw_paper_zeros(x->paper, n, c);
  if (x->paper->arena->failed) return ZW_SOLVED;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t k = 0; k < x->r; k++) right[i * c + k] = A(x, k, i);
    right[i * c + x->r] = x->h[i];
  }
  bool has_letter = x->M == x->paper->M && x->paper->M_letter;
  const char* letter = has_letter ? x->paper->M_letter : zw_step_prefix(x->paper, "M");
  ZwBlocks blocks = {x->states, letter, true, &x->to->valid};
  ZwSolved solved = zw_blocks_solve(&blocks, n, x->M, c, right, left);
  for (int32_t i = 0; i < n && solved == ZW_SOLVED; i++) {
    for (int32_t k = 0; k < x->r; k++) x->Y[i * x->r + k] = left[i * c + k];
    x->a0[i] = left[i * c + x->r];
  }
  return solved;
}

/* ---- D lambda = d ---- */

static void form_D(Deriving* x) {
  int32_t r = x->r;
  for (int32_t k = 0; k < r; k++) {
    for (int32_t l = 0; l <= k; l++) {
      ZwExpr sum = zw_expr_const(x->graph, 0);
      for (int32_t i = 0; i < x->n; i++) zw_paper_add(x->paper, &sum, A(x, k, i), x->Y[i * r + l], 1);
      x->to->D[k * r + l] = x->to->D[l * r + k] = zw_tidy(x->tidy, sum);
    }
    ZwExpr sum = zw_expr_const(x->graph, 0);
    for (int32_t i = 0; i < x->n; i++) zw_paper_add(x->paper, &sum, A(x, k, i), x->a0[i], 1);
    x->to->d[k] = zw_tidy(x->tidy, zw_expr_sub(x->graph, x->paper->rows[x->to->rows.J[k]].b, sum));
  }
}

/* A name for entry k of a list that occurs in what follows; alone it needs none. */
static ZwExpr name_entry(const Deriving* x, const char* prefix, int32_t k, ZwExpr e) {
  enum { LONG = 8 };
  if (x->r < 2) return e;
  return zw_name_long_step(x->states, zw_format(x->paper->arena, "%s%d", prefix, (int)k + 1), e, LONG);
}

static ZwExpr* solve_D(Deriving* x, ZwSolved* solved) {
  int32_t r = x->r;
  ZwExpr *mu = zw_paper_zeros(x->paper, r, 1), *d = zw_paper_zeros(x->paper, r, 1);
  const char *d_name = zw_step_prefix(x->paper, "d"), *lambda_name = zw_step_prefix(x->paper, "lambda");
  *solved = ZW_SOLVED;
  if (x->paper->arena->failed) return mu;
  for (int32_t k = 0; k < r; k++) x->to->d[k] = d[k] = name_entry(x, d_name, k, x->to->d[k]);
  ZwBlocks blocks = {x->states, x->D, false, &x->to->valid};
  *solved = zw_blocks_solve(&blocks, r, x->to->D, 1, d, mu);
  for (int32_t k = 0; k < r && *solved == ZW_SOLVED; k++) mu[k] = name_entry(x, lambda_name, k, mu[k]);
  return mu;
}

static double cost_of(const Deriving* x, ZwExpr e) {
  return e.ref ? zw_tidy_facts(x->tidy, e.ref)->cost : 0;
}

/* lambda = F mu, Qc = A_J^T mu */
static void fill_forces(Deriving* x, const ZwExpr* mu) {
  ZwExplicit* to = x->to;
  for (int32_t k = 0; k < x->m && to->rows.is_known; k++) {
    ZwExpr sum = zw_expr_const(x->graph, 0);
    for (int32_t l = 0; l < x->r; l++) zw_paper_add(x->paper, &sum, to->rows.F[k * x->r + l], mu[l], 1);
    to->lambda[k] = zw_tidy(x->tidy, sum);
    /* a share of one multiplier stays what it is, lambda/5, unless that is longer */
    if (x->r == 1 && cost_of(x, sum) <= cost_of(x, to->lambda[k])) to->lambda[k] = sum;
  }
  for (int32_t k = 0; k < x->r && !to->rows.is_known; k++) to->lambda[to->rows.J[k]] = mu[k];
  for (int32_t i = 0; i < x->n; i++) {
    ZwExpr sum = zw_expr_const(x->graph, 0);
    for (int32_t k = 0; k < x->r; k++) zw_paper_add(x->paper, &sum, A(x, k, i), mu[k], 1);
    to->Qc[i] = zw_tidy(x->tidy, sum);
  }
}

/* M^-1 A_J^T D^-1 F^T, from the solves that are there already where D has one row */
static void fill_gain(Deriving* x) {
  ZwExplicit* to = x->to;
  int32_t r = x->r, m = x->m;
  to->gain_why = r > ZW_COFACTORS_MOST ? "beyond 4 independent constraints its entries are too long for a page"
                                       : ZW_INDEPENDENT_WHY;
  if (r > ZW_COFACTORS_MOST || !to->rows.is_known) return;
  ZwExpr *unit = zw_paper_zeros(x->paper, r, r), *inverse = zw_paper_zeros(x->paper, r, r);
  to->gain = zw_paper_zeros(x->paper, x->n, m);
  if (x->paper->arena->failed) return;
  for (int32_t k = 0; k < r; k++) unit[k * r + k] = zw_expr_const(x->graph, 1);
  ZwConditions none = {{0}};
  ZwBlocks blocks = {x->states, x->D, r == 1, &none};
  if (zw_blocks_solve(&blocks, r, x->to->D, r, unit, inverse) != ZW_SOLVED) {
    to->gain = NULL;
    return;
  }
  for (int32_t i = 0; i < x->n; i++) {
    for (int32_t k = 0; k < m; k++) {
      ZwExpr sum = zw_expr_const(x->graph, 0);
      for (int32_t l = 0; l < r; l++) {
        ZwExpr share = zw_expr_const(x->graph, 0);
        for (int32_t j = 0; j < r; j++) zw_paper_add(x->paper, &share, x->Y[i * r + j], inverse[j * r + l], 1);
        zw_paper_add(x->paper, &sum, share, to->rows.F[k * r + l], 1);
      }
      to->gain[i * m + k] = zw_tidy(x->tidy, sum);
    }
  }
}

/* a0 + Y mu; of one row over the common denominator, (a0 D + Y d)/D, unless that is longer: one fraction reads better than two. */
static ZwExpr acceleration(Deriving* x, int32_t i, const ZwExpr* mu) {
  ZwExpr sum = x->a0[i];
  for (int32_t k = 0; k < x->r; k++) zw_paper_add(x->paper, &sum, x->Y[i * x->r + k], mu[k], 1);
  ZwExpr a = zw_tidy(x->tidy, sum);
  if (x->r != 1 || x->paper->arena->failed) return a;
  ZwExpr D = x->to->D[0], above = zw_expr_mul(x->graph, x->a0[i], D);
  zw_paper_add(x->paper, &above, x->Y[i], x->to->d[0], 1);
  ZwExpr whole = zw_tidy(x->tidy, zw_expr_div(x->graph, zw_tidy(x->tidy, above), D));
  if (!whole.ref) return whole;
  return cost_of(x, whole) <= 1.1 * cost_of(x, a) ? whole : a;
}

static ZwSolved solve_regular(Deriving* x) {
  ZwSolved solved;
  x->D = zw_step_prefix(x->paper, "D");
  form_D(x);
  const ZwExpr* mu = solve_D(x, &solved);
  if (solved != ZW_SOLVED || x->paper->arena->failed) return solved;
  fill_forces(x, mu);
  for (int32_t i = 0; i < x->n; i++) x->to->a[i] = acceleration(x, i, mu);
  fill_gain(x);
  return ZW_SOLVED;
}

/* ---- M without an inverse ---- */

/* Ae^T mu = (M a - h)_e */
static ZwSolved solve_transposed(Deriving* x, const ZwExpr* force, ZwExpr* mu) {
  int32_t r = x->r;
  const int32_t* order = x->to->split.order;
  ZwExpr *At = zw_paper_zeros(x->paper, r, r), *right = zw_paper_zeros(x->paper, r, 1);
  if (x->paper->arena->failed) return ZW_SOLVED;
  for (int32_t e = 0; e < r; e++) {
    for (int32_t k = 0; k < r; k++) At[e * r + k] = A(x, k, order[e]);
    right[e] = force[order[e]];
  }
  return zw_solve(x->tidy, r, At, 1, right, mu);
}

static void solve_singular(Deriving* x) {
  ZwExplicit* to = x->to;
  ZwPaperPartition* split = &to->split;
  to->is_singular = true;
  to->gain_why = "M has no inverse";
  to->valid = (ZwConditions){{0}};
  zw_paper_partition(x->states, &to->rows, NULL, 0, true, split);
  to->why = split->why;
  if (to->why || x->paper->arena->failed) return;
  for (int32_t i = 0; i < split->valid.list.count; i++)
    zw_conditions_add(x->paper, &to->valid, split->valid.list.items[i]);
  const char* name = zw_step_prefix(x->paper, "a");
  for (int32_t at = 0; at < x->n; at++) {
    int32_t i = split->order[at];
    ZwExpr e = at < x->r ? split->ae[at] : split->ai[at - x->r];
    to->a[i] = zw_name_long_step(x->states, zw_format(x->paper->arena, "%s%d", name, (int)i + 1), e, 25);
  }
  ZwExpr *force = zw_paper_zeros(x->paper, x->n, 1), *mu = zw_paper_zeros(x->paper, x->r, 1);
  if (x->paper->arena->failed) return;
  for (int32_t i = 0; i < x->n; i++) {
    ZwExpr sum = zw_expr_neg(x->graph, x->paper->h[i]);
    for (int32_t j = 0; j < x->n; j++) zw_paper_add(x->paper, &sum, x->paper->M[i * x->n + j], to->a[j], 1);
    force[i] = zw_tidy(x->tidy, sum);
  }
  if (solve_transposed(x, force, mu) == ZW_SOLVED && !x->paper->arena->failed)
    fill_forces(x, mu);
  else
    to->why = "there are too many constraints to solve for on paper";
}

/* M' = M + A_s^T A_s, h' = h + A_s^T b_s (T20): on A a = b nothing changes. The rows s are as few as determine what has no mass. */
static void add_rows(Deriving* x) {
  ZwExplicit* to = x->to;
  int32_t n = x->n;
  x->M = zw_paper_zeros(x->paper, n, n);
  x->h = zw_paper_zeros(x->paper, n, 1);
  to->added = ZW_NEW(x->paper->arena, x->r + 1, int32_t);
  if (x->paper->arena->failed) return;
  for (int32_t i = 0; i < n * n; i++) x->M[i] = x->paper->M[i];
  for (int32_t i = 0; i < n; i++) x->h[i] = x->paper->h[i];
  to->added_count = zw_rows_of_massless(x->states, &to->rows, to->added);
  for (int32_t k = 0; k < to->added_count; k++) {
    const ZwPaperRow* row = &x->paper->rows[to->added[k]];
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++) zw_paper_add(x->paper, &x->M[i * n + j], row->A[i], row->A[j], 1);
      zw_paper_add(x->paper, &x->h[i], row->A[i], row->b, 1);
    }
  }
  for (int32_t i = 0; i < n * n; i++) x->M[i] = zw_tidy(x->tidy, x->M[i]);
  for (int32_t i = 0; i < n; i++) x->h[i] = zw_tidy(x->tidy, x->h[i]);
}

/* ---- all ---- */

void zw_explicit_derive(ZwPaperStates* states, ZwExplicit* explicit_) {
  ZwSheet* paper = states->paper;
  Deriving x = {.states = states,
                .paper = paper,
                .tidy = &paper->tidy,
                .graph = &paper->graph,
                .to = explicit_,
                .n = paper->n,
                .m = paper->m,
                .M = paper->M,
                .h = paper->h};
  *explicit_ = (ZwExplicit){0};
  zw_independent_find(states, &explicit_->rows);
  int32_t r = x.r = explicit_->rows.r;
  x.a0 = zw_paper_zeros(paper, x.n, 1);
  x.Y = zw_paper_zeros(paper, x.n, r);
  explicit_->D = zw_paper_zeros(paper, r, r);
  explicit_->d = zw_paper_zeros(paper, r, 1);
  explicit_->lambda = zw_paper_zeros(paper, x.m, 1);
  explicit_->Qc = zw_paper_zeros(paper, x.n, 1);
  explicit_->a = zw_paper_zeros(paper, x.n, 1);
  if (paper->arena->failed) return;
  int32_t steps = paper->steps.count;
  ZwSolved solved = solve_M(&x);
  if (solved == ZW_SOLVED_SINGULAR) {
    paper->steps.count = steps; /* of factors that led nowhere */
    if (r <= ZW_COFACTORS_MOST) {
      solve_singular(&x);
      if (!explicit_->why || paper->arena->failed) return;
    }
    explicit_->is_singular = false;
    explicit_->why = NULL;
    explicit_->valid = (ZwConditions){{0}};
    paper->steps.count = steps;
    add_rows(&x);
    if (paper->arena->failed) return;
    solved = solve_M(&x);
  }
  if (paper->arena->failed) return;
  if (solved == ZW_SOLVED) solved = solve_regular(&x);
  if (solved == ZW_SOLVED_TOO_LARGE) explicit_->why = "there are too many steps";
  if (solved == ZW_SOLVED_SINGULAR) explicit_->why = "neither inertia nor a constraint determines some acceleration";
}
