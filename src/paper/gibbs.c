#include "paper/gibbs.h"

/* Nodes of the entries of a block that is solved without names, as M of a heavy top. */
enum { PLAIN_MOST = 600 };

typedef struct Constant {
  ZwSheet* paper;
  ZwGraph* graph;
  int32_t n;
  bool* is_done;   /* n */
  int32_t* member; /* n: the block */
  int32_t count;
  ZwExpr *M, *h, *X; /* of the block */
  ZwExpr sum;
} Constant;

static ZwExpr number(ZwSheet* paper, double value) {
  return zw_expr_const(&paper->graph, value);
}

/* ---- G = 1/2 a^T M a - h_L^T a ---- */

static void derive_variable(ZwSheet* paper) {
  ZwGraph* graph = &paper->graph;
  ZwExpr G = number(paper, 0);
  for (int32_t i = 0; i < paper->n; i++) {
    ZwExpr a = zw_expr_leaf(graph, ZW_OP_ACCELERATION, i);
    for (int32_t j = 0; j <= i; j++) {
      ZwExpr aj = zw_expr_leaf(graph, ZW_OP_ACCELERATION, j);
      ZwExpr pair = i == j
                        ? zw_expr_mul(graph, number(paper, 0.5), zw_expr_binary(graph, ZW_OP_POW, a, number(paper, 2)))
                        : zw_expr_mul(graph, aj, a);
      zw_paper_add(paper, &G, paper->M[i * paper->n + j], pair, 1);
    }
  }
  for (int32_t i = 0; i < paper->n; i++) {
    zw_paper_add(paper, &G, paper->h[i], zw_expr_leaf(graph, ZW_OP_ACCELERATION, i), -1);
  }
  paper->G = zw_tidy_energy(&paper->tidy, G);
}

/* ---- G0 = 1/2 h_L^T M^-1 h_L ---- */

/* The coordinates joined with `first`, which then count as done. */
static void find_block(Constant* x, int32_t first) {
  x->count = 0;
  x->member[x->count++] = first;
  x->is_done[first] = true;
  for (int32_t at = 0; at < x->count; at++) {
    for (int32_t j = 0; j < x->n; j++) {
      if (x->is_done[j] || zw_expr_is_const(x->graph, x->paper->M[x->member[at] * x->n + j], 0)) continue;
      x->is_done[j] = true;
      x->member[x->count++] = j;
    }
  }
}

static void fill_block(Constant* x) {
  int32_t c = x->count;
  for (int32_t a = 0; a < c; a++) {
    for (int32_t b = 0; b < c; b++) x->M[a * c + b] = x->paper->M[x->member[a] * x->n + x->member[b]];
    x->h[a] = x->paper->h[x->member[a]];
  }
}

/* Whether the block is written without names. */
static bool is_plain(Constant* x) {
  double cost = 0;
  if (x->count > ZW_COFACTORS_MOST) return false;
  for (int32_t i = 0; i < x->count * x->count; i++) cost += zw_tidy_facts(&x->paper->tidy, x->M[i].ref)->cost;
  return cost <= PLAIN_MOST;
}

/* Adds h^T X. */
static void add_products(Constant* x, int32_t count, const ZwExpr* h, const ZwExpr* X) {
  for (int32_t i = 0; i < count; i++) zw_paper_add(x->paper, &x->sum, h[i], X[i], 1);
}

/* Of the coordinates in long blocks, all at once, so that steps have the names that they have wherever M is solved. */
static ZwSolved add_long_blocks(Constant* x, const bool* is_long) {
  ZwSheet* paper = x->paper;
  int32_t n = x->n;
  ZwPaperStates* states = zw_paper_states(paper);
  ZwExpr *K = zw_paper_zeros(paper, n, n), *h = zw_paper_zeros(paper, n, 1), *X = zw_paper_zeros(paper, n, 1);
  if (paper->arena->failed) return ZW_SOLVED;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n && is_long[i]; j++) K[i * n + j] = paper->M[i * n + j];
    if (!is_long[i]) K[i * n + i] = number(paper, 1);
    if (is_long[i]) h[i] = paper->h[i];
  }
  ZwConditions none = {{0}};
  paper->M_letter = zw_step_prefix(paper, "M");
  ZwBlocks blocks = {states, paper->M_letter, true, &none};
  ZwSolved solved = zw_blocks_solve(&blocks, n, K, 1, h, X);
  if (solved == ZW_SOLVED) add_products(x, n, h, X);
  paper->G_steps = paper->steps.count;
  return solved;
}

static ZwSolved add_all_blocks(Constant* x) {
  bool *is_long = ZW_NEW(x->paper->arena, x->n + 1, bool), has_long = false;
  for (int32_t first = 0; first < x->n && is_long; first++) {
    if (x->is_done[first]) continue;
    find_block(x, first);
    fill_block(x);
    if (x->paper->arena->failed) return ZW_SOLVED;
    if (!is_plain(x)) {
      for (int32_t a = 0; a < x->count; a++) is_long[x->member[a]] = has_long = true;
      continue;
    }
    ZwSolved solved = zw_solve(&x->paper->tidy, x->count, x->M, 1, x->h, x->X);
    if (solved != ZW_SOLVED) return solved;
    add_products(x, x->count, x->h, x->X);
  }
  return has_long ? add_long_blocks(x, is_long) : ZW_SOLVED;
}

static void forget_steps(ZwSheet* paper) {
  paper->steps.count = paper->G_steps = 0;
  paper->M_letter = NULL;
}

/* Of a system at rest in the sense of L alone, h_L = 0, it is zero whatever M is. */
static void derive_constant(ZwSheet* paper) {
  int32_t n = paper->n;
  Constant x = {.paper = paper, .graph = &paper->graph, .n = n, .sum = number(paper, 0)};
  bool is_zero = true;
  for (int32_t i = 0; i < n; i++) is_zero = is_zero && zw_expr_is_const(x.graph, paper->h[i], 0);
  x.is_done = ZW_NEW(paper->arena, n + 1, bool);
  x.member = ZW_NEW(paper->arena, n + 1, int32_t);
  x.M = ZW_NEW(paper->arena, (ptrdiff_t)n * n + 1, ZwExpr);
  x.h = ZW_NEW(paper->arena, n + 1, ZwExpr);
  x.X = ZW_NEW(paper->arena, n + 1, ZwExpr);
  if (paper->arena->failed) return;
  ZwSolved solved = is_zero ? ZW_SOLVED : add_all_blocks(&x);
  if (solved != ZW_SOLVED) {
    forget_steps(paper);
    paper->G_why = solved == ZW_SOLVED_SINGULAR ? "M has no inverse, so it is not defined" : "it takes too many steps";
    return;
  }
  paper->G_constant = zw_tidy(&paper->tidy, zw_expr_mul(x.graph, number(paper, 0.5), x.sum));
}

void zw_paper_gibbs(ZwSheet* paper) {
  derive_variable(paper);
  if (!paper->arena->failed) derive_constant(paper);
}
