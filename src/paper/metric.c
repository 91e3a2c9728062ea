/* T17: when L is a kinetic energy 1/2 g(v, v) minus a potential, M is a metric and has Christoffel symbols. */
#include "expr/diff.h"
#include "paper/paper.h"

enum { SECOND_KIND_MAX = 4 }; /* coordinates up to which M is inverted */

static bool reads(ZwSheet* paper, ZwExpr e, uint8_t what) {
  return zw_tidy_facts(&paper->tidy, e.ref)->reads & what;
}

static ZwExpr at_rest(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  (void)index, (void)context;
  return leaf == ZW_OP_VELOCITY ? zw_expr_const(graph, 0) : (ZwExpr){0};
}

/* Quadratic in the velocities, without a part linear in them, and the same at all times. */
static bool is_metric(ZwSheet* paper) {
  int32_t n = paper->n;
  bool has_mass = false;
  if (paper->has_gibbs || n == 0) return false;
  for (int32_t i = 0; i < n * n; i++) {
    if (reads(paper, paper->M[i], ZW_READS_VELOCITY | ZW_READS_TIME)) return false;
    has_mass = has_mass || !zw_expr_is_const(&paper->graph, paper->M[i], 0);
  }
  for (int32_t i = 0; i < n; i++) {
    ZwExpr p = zw_diff_partial(&paper->graph, &paper->tidy.walk, paper->L, ZW_OP_VELOCITY, i);
    p = zw_tidy(&paper->tidy, zw_expr_rebuild(&paper->graph, &paper->tidy.walk, p, at_rest, NULL));
    if (!zw_expr_is_const(&paper->graph, p, 0)) return false;
  }
  return has_mass;
}

/* [j k, i] = 1/2 (d_j g_ki + d_k g_ji - d_i g_jk) */
static bool first_kind(ZwSheet* paper) {
  ZwGraph* graph = &paper->graph;
  int32_t n = paper->n;
  bool is_flat = true;
  ZwExpr* slope = ZW_NEW(paper->arena, n * n * n, ZwExpr); /* (j n + k) n + i: d g_jk / dq_i */
  if (!slope) return true;
  for (int32_t i = 0; i < n * n; i++) {
    if (!zw_diff_gradient(graph, &paper->tidy.walk, paper->M[i], ZW_OP_COORD, 0, n, &slope[i * n])) return true;
  }
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      for (int32_t k = j; k < n; k++) {
        ZwExpr sum = zw_expr_add(graph, slope[(k * n + i) * n + j], slope[(j * n + i) * n + k]);
        sum = zw_expr_mul(graph, zw_expr_const(graph, 0.5), zw_expr_sub(graph, sum, slope[(j * n + k) * n + i]));
        sum = zw_tidy(&paper->tidy, sum);
        paper->gamma[(i * n + j) * n + k] = paper->gamma[(i * n + k) * n + j] = sum;
        is_flat = is_flat && zw_expr_is_const(graph, sum, 0);
      }
    }
  }
  return is_flat;
}

/* Gamma^i_jk = sum over l of (M^-1)_il [j k, l] */
static bool second_kind(ZwSheet* paper) {
  ZwGraph* graph = &paper->graph;
  int32_t n = paper->n, nn = n * n;
  ZwExpr *unit = ZW_NEW(paper->arena, nn, ZwExpr), *inverse = ZW_NEW(paper->arena, nn, ZwExpr);
  ZwExpr* gamma = ZW_NEW(paper->arena, nn * n, ZwExpr);
  if (!unit || !inverse || !gamma) return false;
  for (int32_t i = 0; i < nn; i++) unit[i] = zw_expr_const(graph, i % (n + 1) == 0);
  if (zw_solve(&paper->tidy, n, paper->M, n, unit, inverse) != ZW_SOLVED) return false;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t jk = 0; jk < nn; jk++) {
      ZwExpr sum = zw_expr_const(graph, 0);
      for (int32_t l = 0; l < n; l++) {
        sum = zw_expr_add(graph, sum, zw_expr_mul(graph, inverse[i * n + l], paper->gamma[l * nn + jk]));
      }
      gamma[i * nn + jk] = zw_tidy(&paper->tidy, sum);
    }
  }
  paper->gamma = gamma;
  return true;
}

void zw_paper_metric(ZwSheet* paper) {
  if (!is_metric(paper)) return;
  paper->gamma = ZW_NEW(paper->arena, paper->n * paper->n * paper->n, ZwExpr);
  if (!paper->gamma) return;
  if (first_kind(paper))
    paper->metric = ZW_METRIC_FLAT;
  else if (paper->n <= SECOND_KIND_MAX && second_kind(paper))
    paper->metric = ZW_METRIC_SECOND;
  else
    paper->metric = ZW_METRIC_FIRST;
}
