/* Worked example 5 (L96 2 and 5.3): a particle with z' - y x' = 0 under a force F, in nu1 = y', nu2 = y z' + x'. */
#include "paper/quasi.h"

#include "../numbers.h"
#include "expr/eval.h"

enum { X, Y, Z, N, P = 2 };        /* coordinates */
enum { MASS, FX, FY, FZ, PARAMS }; /* parameters */

typedef struct Fixture {
  ZwArena arena;
  ZwGraph g;
  ZwTidy tidy;
  ZwExpr M[N * N], h[N], Q[N], nu[P], row[1];
  ZwQuasiGiven given;
} Fixture;

static ZwExpr param(Fixture* f, int32_t i) {
  return zw_expr_leaf(&f->g, ZW_OP_PARAM, i);
}

static ZwExpr velocity(Fixture* f, int32_t i) {
  return zw_expr_leaf(&f->g, ZW_OP_VELOCITY, i);
}

static void open_fixture(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_graph_init(&f->g, &f->arena);
  zw_tidy_init(&f->tidy, &f->g, &f->arena);
  ZwExpr y = zw_expr_leaf(&f->g, ZW_OP_COORD, Y);
  for (int32_t i = 0; i < N * N; i++) f->M[i] = i % (N + 1) == 0 ? param(f, MASS) : zw_expr_const(&f->g, 0);
  for (int32_t i = 0; i < N; i++) f->h[i] = zw_expr_const(&f->g, 0), f->Q[i] = param(f, FX + i);
  f->nu[0] = velocity(f, Y);
  f->nu[1] = zw_expr_add(&f->g, zw_expr_mul(&f->g, y, velocity(f, Z)), velocity(f, X));
  f->row[0] = zw_expr_sub(&f->g, velocity(f, Z), zw_expr_mul(&f->g, y, velocity(f, X)));
  f->given = (ZwQuasiGiven){N, P, f->nu, f->row, f->M, f->h, f->Q, {0}};
}

static void example_of_lewis(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwQuasi quasi;
  assert_int_equal(zw_quasi_derive(&f.tidy, &f.given, &quasi), ZW_QUASI_FINE);
  assert_false(f.arena.failed);
  Random random = random_from(9);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &f.arena);
  for (int round = 0; round < 20; round++) {
    double params[PARAMS], q[N], v[N + P], a[N + P];
    for (int i = 0; i < PARAMS; i++) params[i] = 1 + random_number(&random);
    for (int i = 0; i < N; i++) q[i] = 2 * random_number(&random);
    for (int i = 0; i < N + P; i++) v[i] = random_number(&random), a[i] = random_number(&random);
    ZwEnvironment at = {.params = params, .q = q, .v = v, .a = a};
#define VALUE(e) zw_expr_eval(&evaluator, &f.g, (e), &at)
    double m = params[MASS], y = q[Y], s = 1 + y * y, n1 = v[N], n2 = v[N + 1], r1 = a[N], r2 = a[N + 1];
    /* x' = nu2/(1 + y^2), y' = nu1, z' = y nu2/(1 + y^2) */
    double want_B[N * P] = {0, 1 / s, 1, 0, 0, y / s};
    for (int i = 0; i < N * P; i++) assert_near(VALUE(quasi.B[i]), want_B[i], 1e-13);
    for (int i = 0; i < N; i++) assert_near(VALUE(quasi.r[i]), 0, 1e-13);
    /* m nu1' = Fy,  m nu2'/(1 + y^2) - m y nu1 nu2/(1 + y^2)^2 = (Fx + y Fz)/(1 + y^2) */
    double left1 = VALUE(quasi.M[0]) * r1 + VALUE(quasi.M[1]) * r2 + VALUE(quasi.g[0]);
    double left2 = VALUE(quasi.M[2]) * r1 + VALUE(quasi.M[3]) * r2 + VALUE(quasi.g[1]);
    assert_near(left1, m * r1, 1e-13);
    assert_near(left2, m * r2 / s - m * y * n1 * n2 / (s * s), 1e-13);
    assert_near(VALUE(quasi.F[0]), params[FY], 1e-13);
    assert_near(VALUE(quasi.F[1]), (params[FX] + y * params[FZ]) / s, 1e-13);
    /* the restricted Gibbs function, without what does not depend on the rates */
    double G = 0.5 * m * (r1 * r1 + r2 * r2 / s) - m * y * n1 * n2 * r2 / (s * s);
    assert_near(VALUE(quasi.G), G, 1e-13);
  }
  zw_arena_destroy(&f.arena);
}

/* With the constant of the Gibbs function, here 0, the restricted one is whole: 1/2 m (nu1 nu2)^2/(1 + y^2)^2 is part of it. */
static void constant_is_part_of_G(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  f.given.constant = zw_expr_const(&f.g, 0);
  ZwQuasi quasi;
  assert_int_equal(zw_quasi_derive(&f.tidy, &f.given, &quasi), ZW_QUASI_FINE);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &f.arena);
  double params[PARAMS] = {1.7, 0, 0, 0}, q[N] = {0, 0.6, 0}, v[N + P] = {0, 0, 0, 0.4, -1.3}, a[N + P] = {0};
  ZwEnvironment at = {.params = params, .q = q, .v = v, .a = a};
  double o = 1 + q[Y] * q[Y], product = v[N] * v[N + 1];
  assert_near(VALUE(quasi.G), 0.5 * params[MASS] * product * product / (o * o), 1e-13);
  zw_arena_destroy(&f.arena);
}

static void what_cannot_be_is_told(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwQuasi quasi;
  ZwExpr first = f.nu[0];
  f.nu[0] = zw_expr_mul(&f.g, velocity(&f, Y), velocity(&f, Y));
  assert_int_equal(zw_quasi_derive(&f.tidy, &f.given, &quasi), ZW_QUASI_NOT_AFFINE);
  f.nu[0] = f.nu[1];
  assert_int_equal(zw_quasi_derive(&f.tidy, &f.given, &quasi), ZW_QUASI_SINGULAR);
  f.nu[0] = first;
  assert_int_equal(zw_quasi_derive(&f.tidy, &f.given, &quasi), ZW_QUASI_FINE);
  zw_arena_destroy(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(example_of_lewis), cmocka_unit_test(constant_is_part_of_G),
                                     cmocka_unit_test(what_cannot_be_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
