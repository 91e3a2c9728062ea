#include "expr/eval.h"

#include <string.h>

#include "expr/trees.h"

typedef struct Fixture {
  ZwArena arena;
  ZwGraph g;
  ZwEvaluator evaluator;
} Fixture;

static void open_fixture(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_graph_init(&f->g, &f->arena);
  zw_evaluator_init(&f->evaluator, &f->arena);
}

static void leaves_read_their_own_array(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  const double p[] = {1, 2}, q[] = {3, 4}, v[] = {5, 6}, a[] = {7, 8};
  ZwEnvironment at = {9, p, q, v, a};
  const ZwOp ops[] = {ZW_OP_PARAM, ZW_OP_COORD, ZW_OP_VELOCITY, ZW_OP_ACCELERATION};
  for (int k = 0; k < 4; k++) {
    for (int32_t i = 0; i < 2; i++) {
      assert_true(zw_expr_eval(&f.evaluator, &f.g, zw_expr_leaf(&f.g, ops[k], i), &at) == 2 * k + i + 1);
    }
  }
  assert_true(zw_expr_eval(&f.evaluator, &f.g, zw_expr_leaf(&f.g, ZW_OP_TIME, 0), &at) == 9);
  assert_true(zw_expr_eval(&f.evaluator, &f.g, zw_expr_const(&f.g, -2.5), &at) == -2.5);
  zw_arena_destroy(&f.arena);
}

static void culprit_is_where_the_trouble_began(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  double q[] = {-4, 0};
  ZwEnvironment at = {.q = q};
  ZwExpr x = zw_expr_leaf(&f.g, ZW_OP_COORD, 0), y = zw_expr_leaf(&f.g, ZW_OP_COORD, 1);
  ZwExpr root = zw_expr_unary(&f.g, ZW_OP_SQRT, x);
  ZwExpr e = zw_expr_unary(&f.g, ZW_OP_SIN, zw_expr_add(&f.g, zw_expr_mul(&f.g, y, x), root));
  assert_true(isnan(zw_expr_eval(&f.evaluator, &f.g, e, &at)));
  assert_int_equal(zw_evaluator_culprit(&f.evaluator).ref, root.ref);
  assert_true(isnan(zw_evaluator_value(&f.evaluator, root)));
  assert_true(zw_evaluator_value(&f.evaluator, x) == -4);
  ZwExpr quotient = zw_expr_div(&f.g, x, y);
  ZwExpr hidden = zw_expr_div(&f.g, zw_expr_const(&f.g, 1), quotient); /* finite again, but only by luck */
  assert_true(zw_expr_eval(&f.evaluator, &f.g, hidden, &at) == 0);
  assert_int_equal(zw_evaluator_culprit(&f.evaluator).ref, quotient.ref);
  zw_arena_destroy(&f.arena);
}

static void fine_evaluation_has_no_culprit(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  double q = 4;
  ZwExpr e = zw_expr_unary(&f.g, ZW_OP_SQRT, zw_expr_leaf(&f.g, ZW_OP_COORD, 0));
  assert_true(zw_expr_eval(&f.evaluator, &f.g, e, &(ZwEnvironment){.q = &q}) == 2);
  assert_int_equal(zw_evaluator_culprit(&f.evaluator).ref, 0);
  zw_arena_destroy(&f.arena);
}

static void evaluation_without_memory_is_not_a_number(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  double q = 4;
  ZwExpr e = zw_expr_unary(&f.g, ZW_OP_SQRT, zw_expr_leaf(&f.g, ZW_OP_COORD, 0));
  f.arena.failed = true;
  assert_true(isnan(zw_expr_eval(&f.evaluator, &f.g, e, &(ZwEnvironment){.q = &q})));
  assert_int_equal(zw_evaluator_culprit(&f.evaluator).ref, 0);
  zw_arena_destroy(&f.arena);
}

static void small_expressions_have_the_same_value(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  double numbers[] = {1.25, -0.5, 3, 0.75, -2, 0.1, 7, 1e-3};
  ZwEnvironment at = {.t = 0.3, .params = numbers, .q = numbers + 1, .v = numbers + 2, .a = numbers + 3};
  Random random = random_from(5);
  for (int i = 0; i < 500; i++) {
    Tree tree;
    random_tree(&random, 2 + i % 5, &tree);
    (void)tree_build(&tree, &tree_as_is, &f.g);
  }
  int small = 0;
  for (uint32_t i = 1; i < (uint32_t)f.g.nodes.count; i++) {
    double value;
    if (!zw_expr_eval_small(&f.g, (ZwExpr){i}, &at, &value)) continue;
    double same = zw_expr_eval(&f.evaluator, &f.g, (ZwExpr){i}, &at);
    assert_true(memcmp(&value, &same, sizeof value) == 0 || (isnan(value) && isnan(same)));
    small++;
  }
  assert_in_range(small, 500, f.g.nodes.count - 100);
  ZwExpr x = zw_expr_leaf(&f.g, ZW_OP_COORD, 0), e = x;
  double value;
  for (int levels = 1; levels < 10; levels++, e = zw_expr_unary(&f.g, ZW_OP_SIN, e)) {
    assert_int_equal(zw_expr_eval_small(&f.g, e, &at, &value), levels <= 4);
  }
  ZwExpr zero = zw_expr_const(&f.g, 0), table = zw_expr_apply(&f.g, ZW_OP_TABLE, x, zero, zero);
  assert_false(zw_expr_eval_small(&f.g, table, &at, &value));
  assert_false(zw_expr_eval_small(&f.g, (ZwExpr){0}, &at, &value));
  zw_arena_destroy(&f.arena);
}

static void evaluator_serves_again_and_again(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  Random random = random_from(5);
  double numbers[16];
  random_fill(&random, 16, numbers);
  ZwEnvironment at = {0.3, numbers, numbers + 4, numbers + 8, numbers + 12};
  ZwExpr es[50];
  double first[50];
  for (int i = 0; i < 50; i++) {
    Tree tree;
    random_tree(&random, 5, &tree);
    es[i] = tree_build(&tree, &tree_as_is, &f.g);
    first[i] = zw_expr_eval(&f.evaluator, &f.g, es[i], &at);
  }
  for (int i = 49; i >= 0; i--) {
    double again = zw_expr_eval(&f.evaluator, &f.g, es[i], &at);
    assert_true(again == first[i] || (isnan(again) && isnan(first[i])));
  }
  zw_arena_destroy(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(leaves_read_their_own_array),
      cmocka_unit_test(culprit_is_where_the_trouble_began),
      cmocka_unit_test(fine_evaluation_has_no_culprit),
      cmocka_unit_test(evaluation_without_memory_is_not_a_number),
      cmocka_unit_test(small_expressions_have_the_same_value),
      cmocka_unit_test(evaluator_serves_again_and_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
