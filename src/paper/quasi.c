#include "paper/quasi.h"

#include "expr/diff.h"
#include "expr/rebuild.h"

static ZwExpr without_velocity(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  (void)index, (void)context;
  return leaf == ZW_OP_VELOCITY ? zw_expr_const(graph, 0) : (ZwExpr){0};
}

/* e = row . v + rest; false when it is not affine. */
static bool split_affine(ZwTidy* tidy, ZwExpr e, int32_t n, ZwExpr* row, ZwExpr* rest) {
  ZwGraph* graph = tidy->graph;
  if (!zw_diff_gradient(graph, &tidy->walk, e, ZW_OP_VELOCITY, 0, n, row)) return true; /* memory is out */
  for (int32_t i = 0; i < n; i++) {
    row[i] = zw_tidy(tidy, row[i]);
    if (zw_tidy_facts(tidy, row[i].ref)->reads & ZW_READS_VELOCITY) return false;
  }
  *rest = zw_tidy(tidy, zw_expr_rebuild(graph, &tidy->walk, e, without_velocity, NULL));
  return true;
}

/* K X = R with X = [B r] */
static ZwQuasiResult solve_for_velocities(ZwTidy* tidy, const ZwQuasiGiven* given, ZwQuasi* quasi) {
  int32_t n = given->n, p = given->p, c = p + 1;
  if (n > ZW_SOLVE_MAX) return ZW_QUASI_TOO_LARGE;
  ZwGraph* graph = tidy->graph;
  ZwExpr* K = ZW_NEW(tidy->arena, n * n, ZwExpr);
  ZwExpr* R = ZW_NEW(tidy->arena, n * c, ZwExpr);
  ZwExpr* X = ZW_NEW(tidy->arena, n * c, ZwExpr);
  if (!K || !R || !X) return ZW_QUASI_FINE;
  for (int32_t i = 0; i < n * c; i++) R[i] = zw_expr_const(graph, 0);
  for (int32_t i = 0; i < n; i++) {
    ZwExpr rest = {0};
    if (!split_affine(tidy, i < p ? given->nu[i] : given->rows[i - p], n, &K[i * n], &rest)) return ZW_QUASI_NOT_AFFINE;
    if (tidy->arena->failed) return ZW_QUASI_FINE;
    if (i < p) R[i * c + i] = zw_expr_const(graph, 1);
    R[i * c + p] = zw_expr_neg(graph, rest);
  }
  switch (zw_solve(tidy, n, K, c, R, X)) {
    case ZW_SOLVED_TOO_LARGE:
      return ZW_QUASI_TOO_LARGE;
    case ZW_SOLVED_SINGULAR:
      return ZW_QUASI_SINGULAR;
    case ZW_SOLVED:
      break;
  }
  for (int32_t i = 0; i < n; i++) {
    for (int32_t k = 0; k < p; k++) quasi->B[i * p + k] = X[i * c + k];
    quasi->r[i] = X[i * c + p];
  }
  return ZW_QUASI_FINE;
}

/* v in place of the velocities of the coordinates */
static ZwExpr put_velocity(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  (void)graph;
  const ZwExpr* v = context;
  return leaf == ZW_OP_VELOCITY ? v[index] : (ZwExpr){0};
}

static ZwExpr at_v(ZwTidy* tidy, ZwExpr e, ZwExpr* v) {
  return zw_tidy(tidy, zw_expr_rebuild(tidy->graph, &tidy->walk, e, put_velocity, v));
}

static void add_product(ZwGraph* graph, ZwExpr* sum, ZwExpr a, ZwExpr b) {
  *sum = zw_expr_add(graph, *sum, zw_expr_mul(graph, a, b));
}

/* G at a = c: 1/2 c^T M c - h_L^T c + constant, where f = M c - h_L */
static ZwExpr constant_of(ZwTidy* tidy, const ZwQuasiGiven* given, ZwExpr* v, const ZwExpr* c, const ZwExpr* f) {
  ZwGraph* graph = tidy->graph;
  if (!given->constant.ref) return zw_expr_const(graph, 0);
  ZwExpr sum = zw_expr_const(graph, 0);
  for (int32_t i = 0; i < given->n; i++) {
    ZwExpr h = at_v(tidy, given->h[i], v);
    add_product(graph, &sum, c[i], zw_expr_sub(graph, f[i], h));
  }
  ZwExpr half = zw_tidy(tidy, zw_expr_mul(graph, zw_expr_const(graph, 0.5), sum));
  return zw_expr_add(graph, half, at_v(tidy, given->constant, v));
}

static void restrict_equations(ZwTidy* tidy, const ZwQuasiGiven* given, ZwQuasi* quasi, ZwExpr* v, ZwExpr* c,
                               ZwExpr* f) {
  ZwGraph* graph = tidy->graph;
  int32_t n = given->n, p = given->p;
  /* v = B nu + r, c = B' nu + r' with q' = v; f = M c - h_L */
  for (int32_t i = 0; i < n; i++) {
    v[i] = quasi->r[i];
    for (int32_t k = 0; k < p; k++)
      add_product(graph, &v[i], quasi->B[i * p + k], zw_expr_leaf(graph, ZW_OP_VELOCITY, n + k));
    v[i] = zw_tidy(tidy, v[i]);
  }
  for (int32_t i = 0; i < n; i++) f[i] = zw_expr_neg(graph, at_v(tidy, given->h[i], v));
  for (int32_t j = 0; j < n; j++) {
    c[j] = at_v(tidy, zw_diff_drift(graph, &tidy->walk, quasi->r[j]), v);
    for (int32_t k = 0; k < p; k++) {
      ZwExpr rate = at_v(tidy, zw_diff_drift(graph, &tidy->walk, quasi->B[j * p + k]), v);
      add_product(graph, &c[j], rate, zw_expr_leaf(graph, ZW_OP_VELOCITY, n + k));
    }
    c[j] = zw_tidy(tidy, c[j]);
    for (int32_t i = 0; i < n; i++) add_product(graph, &f[i], at_v(tidy, given->M[i * n + j], v), c[j]);
  }
  quasi->G = constant_of(tidy, given, v, c, f);
  for (int32_t k = 0; k < p; k++) {
    ZwExpr rate = zw_expr_leaf(graph, ZW_OP_ACCELERATION, n + k);
    quasi->g[k] = quasi->F[k] = zw_expr_const(graph, 0);
    for (int32_t i = 0; i < n; i++) {
      add_product(graph, &quasi->g[k], quasi->B[i * p + k], f[i]);
      add_product(graph, &quasi->F[k], quasi->B[i * p + k], at_v(tidy, given->Q[i], v));
    }
    quasi->g[k] = zw_tidy(tidy, quasi->g[k]);
    quasi->F[k] = zw_tidy(tidy, quasi->F[k]);
    for (int32_t l = 0; l < p; l++) {
      ZwExpr sum = zw_expr_const(graph, 0);
      for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
          ZwExpr left = zw_expr_mul(graph, quasi->B[i * p + k], at_v(tidy, given->M[i * n + j], v));
          add_product(graph, &sum, left, quasi->B[j * p + l]);
        }
      }
      quasi->M[k * p + l] = zw_tidy(tidy, sum);
      ZwExpr half = zw_expr_mul(graph, zw_expr_const(graph, 0.5),
                                zw_expr_mul(graph, rate, zw_expr_leaf(graph, ZW_OP_ACCELERATION, n + l)));
      add_product(graph, &quasi->G, half, quasi->M[k * p + l]);
    }
    add_product(graph, &quasi->G, rate, quasi->g[k]);
  }
  quasi->G = zw_tidy_energy(tidy, quasi->G);
}

ZwQuasiResult zw_quasi_derive(ZwTidy* tidy, const ZwQuasiGiven* given, ZwQuasi* quasi) {
  int32_t n = given->n, p = given->p;
  *quasi = (ZwQuasi){.n = n, .p = p};
  ZwExpr** const arrays[] = {&quasi->B, &quasi->r, &quasi->M, &quasi->g, &quasi->F};
  const int32_t sizes[] = {n * p, n, p * p, p, p};
  for (int i = 0; i < 5; i++) {
    *arrays[i] = ZW_NEW(tidy->arena, sizes[i] + 1, ZwExpr);
    if (!*arrays[i]) return ZW_QUASI_FINE;
  }
  ZwExpr *v = ZW_NEW(tidy->arena, n + p, ZwExpr), *f = ZW_NEW(tidy->arena, n, ZwExpr);
  ZwExpr* c = ZW_NEW(tidy->arena, n, ZwExpr);
  if (!v || !f || !c) return ZW_QUASI_FINE;
  ZwQuasiResult result = solve_for_velocities(tidy, given, quasi);
  if (result == ZW_QUASI_FINE && !tidy->arena->failed) restrict_equations(tidy, given, quasi, v, c, f);
  return result;
}
