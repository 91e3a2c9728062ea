/* Linear equations in symbols: the solution put back into them. */
#include "paper/solve.h"

#include "../numbers.h"
#include "expr/eval.h"

enum { N = 8, PARAMS = 80 };

typedef struct Fixture {
  ZwArena arena;
  ZwGraph g;
  ZwTidy tidy;
} Fixture;

static void open_fixture(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_graph_init(&f->g, &f->arena);
  zw_tidy_init(&f->tidy, &f->g, &f->arena);
}

/* Mostly zeros, some numbers, some parameters; something on the diagonal, so that it is regular. */
static ZwExpr random_entry(Fixture* f, Random* random, bool is_diagonal, int32_t* param) {
  int kind = random_int(random, 0, 9);
  if (kind < 5 && !is_diagonal) return zw_expr_const(&f->g, 0);
  if (kind < 7) return zw_expr_const(&f->g, random_int(random, 1, 3));
  ZwExpr p = zw_expr_leaf(&f->g, ZW_OP_PARAM, *param);
  *param += 1;
  return kind == 7 ? zw_expr_unary(&f->g, ZW_OP_SIN, p) : p;
}

static void solutions_solve(void** state) {
  (void)state;
  Random random = random_from(3);
  int solved = 0;
  for (int round = 0; round < 60; round++) {
    Fixture f;
    open_fixture(&f);
    int32_t n = 1 + round % N, c = 1 + round % 3, param = 0;
    ZwExpr K[N * N], R[N * 3], X[N * 3];
    for (int32_t i = 0; i < n * n; i++) K[i] = random_entry(&f, &random, i % (n + 1) == 0, &param);
    for (int32_t i = 0; i < n * c; i++) R[i] = random_entry(&f, &random, false, &param);
    assert_true(param <= PARAMS);
    ZwSolved result = zw_solve(&f.tidy, n, K, c, R, X);
    double params[PARAMS];
    for (int i = 0; i < PARAMS; i++) params[i] = 0.3 + fabs(random_number(&random)) + i * 0.01;
    ZwEvaluator evaluator;
    zw_evaluator_init(&evaluator, &f.arena);
    ZwEnvironment at = {.params = params};
    for (int32_t i = 0; result == ZW_SOLVED && i < n; i++) {
      for (int32_t k = 0; k < c; k++) {
        double sum = -zw_expr_eval(&evaluator, &f.g, R[i * c + k], &at), size = 1;
        for (int32_t j = 0; j < n; j++) {
          double term =
              zw_expr_eval(&evaluator, &f.g, K[i * n + j], &at) * zw_expr_eval(&evaluator, &f.g, X[j * c + k], &at);
          sum += term;
          size += fabs(term);
        }
        assert_near(sum, 0, 1e-9 * size);
      }
    }
    solved += result == ZW_SOLVED;
    zw_arena_destroy(&f.arena);
  }
  assert_true(solved > 30);
}

static void singular_ones_are_told(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr p = zw_expr_leaf(&f.g, ZW_OP_PARAM, 0), q = zw_expr_leaf(&f.g, ZW_OP_PARAM, 1), X[2];
  ZwExpr one = zw_expr_const(&f.g, 1), zero = zw_expr_const(&f.g, 0);
  ZwExpr K[4] = {p, q, zw_expr_mul(&f.g, p, p), zw_expr_mul(&f.g, q, p)}, R[2] = {one, zero};
  assert_int_equal(zw_solve(&f.tidy, 2, K, 1, R, X), ZW_SOLVED_SINGULAR);
  ZwExpr empty[4] = {one, one, one, one};
  assert_int_equal(zw_solve(&f.tidy, 2, empty, 1, R, X), ZW_SOLVED_SINGULAR);
  zw_arena_destroy(&f.arena);
}

static void large_ones_are_refused(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr K[N * N], R[N], X[N];
  for (int32_t i = 0; i < N * N; i++) K[i] = zw_expr_leaf(&f.g, ZW_OP_PARAM, i);
  for (int32_t i = 0; i < N; i++) R[i] = zw_expr_const(&f.g, 1);
  assert_int_equal(zw_solve(&f.tidy, N, K, 1, R, X), ZW_SOLVED_TOO_LARGE);
  assert_int_equal(zw_solve_small(&f.tidy, 1, 2, K, 1, R, X, NULL), ZW_SOLVED_TOO_LARGE);
  assert_int_equal(zw_solve_small(&f.tidy, 2, 2, K, 1, R, X, NULL), ZW_SOLVED);
  zw_arena_destroy(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_solve),
      cmocka_unit_test(singular_ones_are_told),
      cmocka_unit_test(large_ones_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
