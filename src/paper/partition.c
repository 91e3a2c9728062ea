#include "paper/partition.h"

#include "paper/solve.h"

typedef struct Parting {
  ZwPaperStates* states;
  ZwSheet* paper;
  ZwTidy* tidy;
  ZwGraph* graph;
  const ZwIndependent* rows;
  ZwPaperPartition* to;
} Parting;

static ZwExpr zero(const Parting* p) {
  return zw_expr_const(p->graph, 0);
}

static ZwExpr M(const Parting* p, int32_t i, int32_t j) {
  return p->paper->M[i * p->paper->n + j];
}

static ZwExpr acceleration(const Parting* p, int32_t i) {
  return zw_expr_leaf(p->graph, ZW_OP_ACCELERATION, p->to->order[i]);
}

/* b - Ai ai of a row */
static ZwExpr rest_of_row(const Parting* p, const ZwPaperRow* row) {
  ZwExpr sum = row->b;
  for (int32_t j = p->to->r; j < p->paper->n; j++)
    zw_paper_add(p->paper, &sum, row->A[p->to->order[j]], acceleration(p, j), -1);
  return sum;
}

/* Columns first .. first + count of [Ai b (b - Ai ai)] */
static void fill_right(const Parting* p, int32_t first, int32_t count, ZwExpr* right) {
  const ZwPaperPartition* to = p->to;
  for (int32_t i = 0; i < to->r; i++) {
    const ZwPaperRow* row = &p->paper->rows[p->rows->J[i]];
    for (int32_t k = 0; k < count; k++) {
      int32_t j = first + k;
      right[i * count + k] = j < to->f    ? row->A[to->order[to->r + j]]
                             : j == to->f ? row->b
                                          : zw_tidy(p->tidy, rest_of_row(p, row));
    }
  }
}

/* These columns of [R c depending] */
static void keep_solution(const Parting* p, int32_t first, int32_t count, const ZwExpr* X) {
  ZwPaperPartition* to = p->to;
  for (int32_t i = 0; i < to->r; i++) {
    for (int32_t k = 0; k < count; k++) {
      int32_t j = first + k;
      *(j < to->f ? &to->R[i * to->f + j] : j == to->f ? &to->c[i] : &to->depending[i]) = X[i * count + k];
    }
  }
}

/* Whether the rows give one unknown after the other, each by those before it, as the links of a chain do. */
static bool is_triangular(const Parting* p, const ZwExpr* Ae) {
  int32_t r = p->to->r, found = 0;
  bool* is_known = ZW_NEW(p->paper->arena, r + 1, bool);
  for (int32_t before = -1; is_known && found != before;) {
    before = found;
    for (int32_t i = 0; i < r; i++) {
      int32_t last = -1, left = 0;
      for (int32_t j = 0; j < r; j++) {
        if (is_known[j] || zw_expr_is_const(p->graph, Ae[i * r + j], 0)) continue;
        last = j;
        left++;
      }
      if (left != 1) continue;
      is_known[last] = true;
      found++;
    }
  }
  return found == r;
}

/* With one determinant below all fractions, a few columns at a time. What is triangular reads better in steps from five unknowns on. */
static ZwSolved solve_whole(const Parting* p, const ZwExpr* Ae, ZwExpr* right, ZwExpr* X) {
  ZwExpr below = {0};
  int32_t columns = p->to->f + 1, most = is_triangular(p, Ae) ? ZW_COFACTORS_MOST : ZW_SOLVE_CORE;
  for (int32_t first = 0; first < columns; first += ZW_SOLVE_MAX) {
    int32_t count = columns - first < ZW_SOLVE_MAX ? columns - first : ZW_SOLVE_MAX;
    fill_right(p, first, count, right);
    ZwSolved solved = zw_solve_small(p->tidy, most, p->to->r, Ae, count, right, X, &below);
    if (solved != ZW_SOLVED) return solved;
    keep_solution(p, first, count, X);
  }
  zw_conditions_add(p->paper, &p->to->valid, below);
  return ZW_SOLVED;
}

/* R = Ae^-1 Ai, c = Ae^-1 b; where that is too large for a determinant, in steps, and ae by ai is found as well: in a chain it takes one step
 * a link, while c - R ai is a sum over all links before. */
static ZwSolved solve_dependent(const Parting* p) {
  ZwPaperPartition* to = p->to;
  int32_t r = to->r, columns = to->f + 2;
  ZwExpr *Ae = zw_paper_zeros(p->paper, r, r),
         *right = zw_paper_zeros(p->paper, r, columns > ZW_SOLVE_MAX ? columns : ZW_SOLVE_MAX),
         *X = zw_paper_zeros(p->paper, r, columns > ZW_SOLVE_MAX ? columns : ZW_SOLVE_MAX);
  if (p->paper->arena->failed) return ZW_SOLVED;
  for (int32_t i = 0; i < r; i++) {
    for (int32_t j = 0; j < r; j++) Ae[i * r + j] = p->paper->rows[p->rows->J[i]].A[to->order[j]];
  }
  ZwSolved solved = solve_whole(p, Ae, right, X);
  if (solved != ZW_SOLVED_TOO_LARGE || p->paper->arena->failed) return solved;
  to->has_steps = true;
  fill_right(p, 0, columns, right);
  solved = zw_square_solve(p->states, &to->valid, r, Ae, columns, right, X);
  if (solved == ZW_SOLVED) keep_solution(p, 0, columns, X);
  return solved;
}

/* H = R^T Mee - Mie, f x r */
static ZwExpr* coupling(const Parting* p) {
  const ZwPaperPartition* to = p->to;
  ZwExpr* H = zw_paper_zeros(p->paper, to->f, to->r);
  for (int32_t i = 0; H && i < to->f; i++) {
    for (int32_t e = 0; e < to->r; e++) {
      ZwExpr* sum = &H[i * to->r + e];
      for (int32_t k = 0; k < to->r; k++)
        zw_paper_add(p->paper, sum, to->R[k * to->f + i], M(p, to->order[k], to->order[e]), 1);
      *sum = zw_tidy(p->tidy, zw_expr_sub(p->graph, *sum, M(p, to->order[to->r + i], to->order[e])));
    }
  }
  return H;
}

/* K = Mii + (R^T Mee - Mie) R - R^T Mei, P = hi - R^T he, right = P + (R^T Mee - Mie) c */
static void fill_equations(const Parting* p, const ZwExpr* H) {
  ZwPaperPartition* to = p->to;
  int32_t r = to->r, f = to->f;
  for (int32_t i = 0; i < f; i++) {
    for (int32_t j = 0; j <= i; j++) {
      ZwExpr sum = M(p, to->order[r + i], to->order[r + j]);
      for (int32_t e = 0; e < r; e++) {
        zw_paper_add(p->paper, &sum, H[i * r + e], to->R[e * f + j], 1);
        zw_paper_add(p->paper, &sum, to->R[e * f + i], M(p, to->order[e], to->order[r + j]), -1);
      }
      to->K[i * f + j] = to->K[j * f + i] = zw_tidy(p->tidy, sum);
    }
    ZwExpr P = p->paper->h[to->order[r + i]], right = zero(p);
    for (int32_t e = 0; e < r; e++) {
      zw_paper_add(p->paper, &P, to->R[e * f + i], p->paper->h[to->order[e]], -1);
      zw_paper_add(p->paper, &right, H[i * r + e], to->c[e], 1);
    }
    to->P[i] = zw_tidy(p->tidy, P);
    to->right[i] = zw_tidy(p->tidy, zw_expr_add(p->graph, P, right));
  }
}

/* S = 1/2 a^T M a with the dependent accelerations as steps */
static void fill_S_in_steps(const Parting* p) {
  ZwPaperPartition* to = p->to;
  int32_t n = p->paper->n;
  ZwExpr sum = zero(p), half = zw_expr_const(p->graph, 0.5);
  for (int32_t i = 0; i < n; i++) {
    ZwExpr ai = i < to->r ? to->depending[i] : acceleration(p, i);
    for (int32_t j = 0; j <= i; j++) {
      ZwExpr entry = M(p, to->order[i], to->order[j]), aj = j < to->r ? to->depending[j] : acceleration(p, j);
      if (i == j) entry = zw_expr_mul(p->graph, half, entry);
      zw_paper_add(p->paper, &sum, entry, zw_expr_mul(p->graph, ai, aj), 1);
    }
  }
  to->S = zw_tidy_energy(p->tidy, sum);
}

/* S = 1/2 ai^T K ai - ai^T H c + 1/2 c^T Mee c */
static void fill_S(const Parting* p, const ZwExpr* H) {
  ZwPaperPartition* to = p->to;
  int32_t r = to->r, f = to->f;
  ZwExpr sum = zero(p), half = zw_expr_const(p->graph, 0.5);
  for (int32_t i = 0; i < f; i++) {
    ZwExpr ai = zw_expr_leaf(p->graph, ZW_OP_ACCELERATION, to->order[r + i]);
    for (int32_t j = 0; j <= i; j++) {
      ZwExpr aj = zw_expr_leaf(p->graph, ZW_OP_ACCELERATION, to->order[r + j]);
      ZwExpr pair = zw_expr_mul(p->graph, i == j ? half : zw_expr_const(p->graph, 1), zw_expr_mul(p->graph, ai, aj));
      zw_paper_add(p->paper, &sum, to->K[i * f + j], pair, 1);
    }
    for (int32_t e = 0; e < r; e++) zw_paper_add(p->paper, &sum, zw_expr_mul(p->graph, H[i * r + e], to->c[e]), ai, -1);
  }
  for (int32_t e = 0; e < r; e++) {
    for (int32_t k = 0; k < r; k++)
      zw_paper_add(p->paper, &sum, zw_expr_mul(p->graph, half, M(p, to->order[e], to->order[k])),
                   zw_expr_mul(p->graph, to->c[e], to->c[k]), 1);
  }
  to->S = zw_tidy_energy(p->tidy, sum);
}

/* R and c become names where they are long: they occur in all that follows. */
static void name_dependent(const Parting* p) {
  enum { LONG = 25 };
  ZwPaperPartition* to = p->to;
  const char *R = zw_step_prefix(p->paper, "R"), *c = zw_step_prefix(p->paper, "c");
  for (int32_t e = 0; e < to->r; e++) {
    for (int32_t i = 0; i < to->f; i++) {
      const char* name = zw_format(p->paper->arena, "%s%d_%d", R, (int)to->order[e] + 1, (int)to->order[to->r + i] + 1);
      to->R[e * to->f + i] = zw_name_long_step(p->states, name, to->R[e * to->f + i], LONG);
    }
    const char* name = zw_format(p->paper->arena, "%s%d", c, (int)to->order[e] + 1);
    to->c[e] = zw_name_long_step(p->states, name, to->c[e], LONG);
  }
}

/* K ai = right, ae = c - R ai */
static void solve_all(const Parting* p) {
  ZwPaperPartition* to = p->to;
  to->ai = zw_paper_zeros(p->paper, to->f, 1);
  to->ae = zw_paper_zeros(p->paper, to->r, 1);
  if (p->paper->arena->failed) return;
  ZwBlocks blocks = {p->states, zw_step_prefix(p->paper, "K"), true, &to->valid};
  switch (zw_blocks_solve(&blocks, to->f, to->K, 1, to->right, to->ai)) {
    case ZW_SOLVED:
      break;
    case ZW_SOLVED_TOO_LARGE:
      to->why = "there are too many steps";
      return;
    case ZW_SOLVED_SINGULAR:
      to->why = "neither inertia nor a constraint determines some acceleration";
      return;
  }
  for (int32_t e = 0; e < to->r; e++) {
    ZwExpr sum = to->c[e];
    for (int32_t i = 0; i < to->f; i++) zw_paper_add(p->paper, &sum, to->R[e * to->f + i], to->ai[i], -1);
    to->ae[e] = zw_tidy(p->tidy, sum);
  }
}

static bool is_uncoupled(const Parting* p) {
  for (int32_t e = 0; e < p->to->r; e++) {
    for (int32_t i = 0; i < p->to->f; i++) {
      if (!zw_expr_is_const(p->graph, M(p, p->to->order[e], p->to->order[p->to->r + i]), 0)) return false;
    }
  }
  return true;
}

void zw_paper_partition(ZwPaperStates* states, const ZwIndependent* rows, const int32_t* wish, int32_t count,
                        bool solves, ZwPaperPartition* partition) {
  ZwSheet* paper = states->paper;
  Parting p = {states, paper, &paper->tidy, &paper->graph, rows, partition};
  int32_t r = rows->r, f = paper->n - r;
  *partition = (ZwPaperPartition){.r = r, .f = f, .dependent = -1};
  partition->depending = zw_paper_zeros(paper, r, 1);
  partition->order = ZW_NEW(paper->arena, paper->n + 1, int32_t);
  partition->R = zw_paper_zeros(paper, r, f);
  partition->c = zw_paper_zeros(paper, r, 1);
  partition->K = zw_paper_zeros(paper, f, f);
  partition->P = zw_paper_zeros(paper, f, 1);
  partition->right = zw_paper_zeros(paper, f, 1);
  if (paper->arena->failed) return;
  int32_t dependent = -1;
  if (count > r) return;
  if (!zw_columns_choose(states, rows, wish, count, partition->order, &dependent)) {
    partition->dependent = dependent;
    partition->why = "the columns to be eliminated depend on each other";
    return;
  }
  ZwSolved solved = solve_dependent(&p);
  if (solved != ZW_SOLVED) {
    partition->why = solved == ZW_SOLVED_TOO_LARGE ? "it takes too many steps"
                                                   : "the columns of the dependent coordinates depend on each other";
    return;
  }
  name_dependent(&p);
  const ZwExpr* H = coupling(&p);
  if (paper->arena->failed) return;
  fill_equations(&p, H);
  if (partition->has_steps)
    fill_S_in_steps(&p);
  else
    fill_S(&p, H);
  partition->is_uncoupled = is_uncoupled(&p);
  if (solves) solve_all(&p);
}
