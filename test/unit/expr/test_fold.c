/* Each rule of folding by itself, and all of them together on random expressions: the value must stay. */
#include "expr/fold.h"

#include "expr/trees.h"

typedef struct Fixture {
  ZwArena arena;
  ZwGraph g;
  ZwExpr x, y, p; /* two coordinates and a parameter */
} Fixture;

static void open_fixture(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_graph_init(&f->g, &f->arena);
  f->x = zw_expr_leaf(&f->g, ZW_OP_COORD, 0);
  f->y = zw_expr_leaf(&f->g, ZW_OP_COORD, 1);
  f->p = zw_expr_leaf(&f->g, ZW_OP_PARAM, 0);
}

static ZwExpr number(Fixture* f, double value) {
  return zw_expr_const(&f->g, value);
}

#define ADD(a, b) zw_expr_add(&f.g, (a), (b))
#define SUB(a, b) zw_expr_sub(&f.g, (a), (b))
#define MUL(a, b) zw_expr_mul(&f.g, (a), (b))
#define DIV(a, b) zw_expr_div(&f.g, (a), (b))
#define POW(a, b) zw_expr_binary(&f.g, ZW_OP_POW, (a), (b))
#define NEG(a) zw_expr_neg(&f.g, (a))
#define NUM(value) number(&f, (value))
#define assert_same(a, b) assert_int_equal((a).ref, (b).ref)
#define assert_op(e, wanted) assert_int_equal(zw_graph_node(&f.g, (e))->op, (wanted))

static void numbers_are_computed(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  assert_true(zw_expr_is_const(&f.g, ADD(NUM(2), NUM(3)), 5));
  assert_true(zw_expr_is_const(&f.g, DIV(NUM(1), NUM(2)), 0.5));
  assert_true(zw_expr_is_const(&f.g, POW(NUM(2), NUM(-1)), 0.5));
  assert_true(zw_expr_is_const(&f.g, zw_expr_unary(&f.g, ZW_OP_COS, NUM(0)), 1));
  assert_true(zw_expr_is_const(&f.g, zw_expr_binary(&f.g, ZW_OP_MAX, NUM(4), NUM(7)), 7));
  assert_true(zw_expr_is_const(&f.g, zw_expr_binary(&f.g, ZW_OP_LESS, NUM(4), NUM(7)), 1));
  assert_true(zw_expr_is_const(&f.g, zw_expr_select(&f.g, NUM(1), NUM(4), NUM(7)), 4));
  zw_arena_destroy(&f.arena);
}

static void numbers_without_a_finite_value_stay_for_the_run_to_find(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  assert_op(DIV(NUM(1), NUM(0)), ZW_OP_DIV);
  assert_op(DIV(NUM(0), NUM(0)), ZW_OP_DIV);
  assert_op(DIV(f.x, NUM(0)), ZW_OP_DIV);
  assert_op(zw_expr_unary(&f.g, ZW_OP_LOG, NUM(0)), ZW_OP_LOG);
  assert_op(zw_expr_unary(&f.g, ZW_OP_SQRT, NUM(-1)), ZW_OP_SQRT);
  assert_op(MUL(NUM(1e200), NUM(1e200)), ZW_OP_MUL);
  assert_op(POW(NUM(0), NUM(-1)), ZW_OP_POW);
  zw_arena_destroy(&f.arena);
}

static void sums_lose_their_zeros_and_signs(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  assert_same(ADD(f.x, NUM(0)), f.x);
  assert_same(ADD(NUM(0), f.x), f.x);
  assert_same(SUB(f.x, NUM(0)), f.x);
  assert_same(SUB(NUM(0), f.x), NEG(f.x));
  assert_same(SUB(f.x, f.x), NUM(0));
  assert_same(ADD(f.x, NEG(f.y)), SUB(f.x, f.y));
  assert_same(ADD(NEG(f.x), f.y), SUB(f.y, f.x));
  assert_same(SUB(f.x, NEG(f.y)), ADD(f.x, f.y));
  assert_same(NEG(NEG(f.x)), f.x);
  assert_same(NEG(SUB(f.x, f.y)), SUB(f.y, f.x));
  assert_same(NEG(MUL(NUM(2), f.x)), MUL(NUM(-2), f.x));
  zw_arena_destroy(&f.arena);
}

static void products_have_one_number_in_front(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  assert_same(MUL(f.x, NUM(0)), NUM(0));
  assert_same(MUL(NUM(1), f.x), f.x);
  assert_same(MUL(f.x, NUM(1)), f.x);
  assert_same(MUL(NUM(-1), f.x), NEG(f.x));
  assert_same(MUL(f.x, NUM(2)), MUL(NUM(2), f.x));
  assert_int_equal(zw_graph_node(&f.g, MUL(f.x, NUM(2)))->u.args[0], NUM(2).ref);
  assert_same(MUL(NUM(3), MUL(NUM(2), f.x)), MUL(NUM(6), f.x));
  assert_same(MUL(MUL(NUM(2), f.x), f.y), MUL(NUM(2), MUL(f.x, f.y)));
  assert_same(MUL(f.y, MUL(NUM(2), f.x)), MUL(NUM(2), MUL(f.y, f.x)));
  assert_same(MUL(MUL(NUM(2), f.x), MUL(NUM(3), f.y)), MUL(NUM(6), MUL(f.x, f.y)));
  assert_same(MUL(NEG(f.x), f.y), NEG(MUL(f.x, f.y)));
  assert_same(MUL(f.x, NEG(f.y)), NEG(MUL(f.x, f.y)));
  assert_same(MUL(NEG(f.x), NEG(f.y)), MUL(f.x, f.y));
  assert_same(MUL(NUM(2), NEG(f.x)), MUL(NUM(-2), f.x));
  zw_arena_destroy(&f.arena);
}

static void quotients_lose_ones_and_signs(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  assert_same(DIV(f.x, NUM(1)), f.x);
  assert_same(DIV(f.x, NUM(-1)), NEG(f.x));
  assert_same(DIV(NUM(0), f.x), NUM(0));
  assert_same(DIV(NEG(f.x), f.y), NEG(DIV(f.x, f.y)));
  assert_same(DIV(f.x, NEG(f.y)), NEG(DIV(f.x, f.y)));
  assert_same(DIV(NEG(f.x), NEG(f.y)), DIV(f.x, f.y));
  zw_arena_destroy(&f.arena);
}

static void powers_of_nought_and_one_vanish(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  assert_same(POW(f.x, NUM(0)), NUM(1));
  assert_same(POW(f.x, NUM(1)), f.x);
  assert_same(POW(NUM(1), f.x), NUM(1));
  assert_op(POW(f.x, NUM(2)), ZW_OP_POW);
  zw_arena_destroy(&f.arena);
}

static void choice_without_a_choice_is_taken(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr open = zw_expr_binary(&f.g, ZW_OP_LESS, f.x, f.y);
  assert_same(zw_expr_select(&f.g, open, f.p, f.p), f.p);
  assert_same(zw_expr_select(&f.g, NUM(1), f.x, f.y), f.x);
  assert_same(zw_expr_select(&f.g, NUM(0), f.x, f.y), f.y);
  assert_op(zw_expr_select(&f.g, open, f.x, f.y), ZW_OP_SELECT);
  zw_arena_destroy(&f.arena);
}

/* What folds for one coordinate folds for another: otherwise equal elements would get different shapes. */
static void terms_alike_fold_alike(void** state) {
  (void)state;
  Random random = random_from(3);
  const TreeMap other = {{3, 2, 0, 1}, {1, 3, 0, 2}};
  for (int trial = 0; trial < 2000; trial++) {
    Tree tree;
    random_tree(&random, 5, &tree);
    Fixture f;
    open_fixture(&f);
    ZwExpr one = tree_build(&tree, &tree_as_is, &f.g), two = tree_build(&tree, &other, &f.g);
    ZwWalk walk;
    zw_walk_init(&walk, &f.arena);
    assert_true(zw_walk_collect(&walk, &f.g, &one, 1));
    int32_t count = walk.order.count;
    ZwOp ops[TREE_MAX];
    for (int32_t i = 0; i < count; i++) ops[i] = f.g.nodes.items[walk.order.items[i]].op;
    assert_true(zw_walk_collect(&walk, &f.g, &two, 1));
    assert_int_equal(walk.order.count, count);
    for (int32_t i = 0; i < count; i++) assert_int_equal(f.g.nodes.items[walk.order.items[i]].op, ops[i]);
    zw_arena_destroy(&f.arena);
  }
}

static void folding_keeps_the_value(void** state) {
  (void)state;
  Random random = random_from(4);
  int compared = 0;
  for (int trial = 0; trial < 6000; trial++) {
    Tree tree;
    random_tree(&random, 1 + trial % 6, &tree);
    Fixture f;
    open_fixture(&f);
    ZwExpr e = tree_build(&tree, &tree_as_is, &f.g);
    ZwEvaluator evaluator;
    zw_evaluator_init(&evaluator, &f.arena);
    for (int point = 0; point < 4; point++) {
      double numbers[4 * TREE_LEAVES];
      for (int i = 0; i < 4 * TREE_LEAVES; i++) numbers[i] = 2 * random_number(&random);
      ZwEnvironment at = {random_number(&random), numbers, numbers + 4, numbers + 8, numbers + 12};
      TreeValue want = tree_value(&tree, &tree_as_is, &at);
      if (!want.is_finite) continue;
      assert_near(zw_expr_eval(&evaluator, &f.g, e, &at), want.value, 4 * want.rounding);
      compared++;
    }
    zw_arena_destroy(&f.arena);
  }
  assert_true(compared > 12000); /* most expressions have a value at most points */
}

/* 1e200 * (1e200 * x) has a value for small x, and so has 1e-200 * (1e-200 * x) for large ones. */
static void factors_are_not_joined_into_infinity_or_nothing(void** state) {
  (void)state;
  const double factors[] = {1e200, -1e200, 1e-200};
  for (int i = 0; i < 3; i++) {
    Fixture f;
    open_fixture(&f);
    ZwExpr e = MUL(NUM(factors[i]), MUL(NUM(factors[i]), f.x));
    ZwEvaluator evaluator;
    zw_evaluator_init(&evaluator, &f.arena);
    double x = factors[i] == 1e-200 ? 1e300 : 1e-300;
    double got = zw_expr_eval(&evaluator, &f.g, e, &(ZwEnvironment){.q = &x});
    double want = factors[i] * (factors[i] * x);
    assert_near(got / want, 1, 1e-14);
    zw_arena_destroy(&f.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_computed),
      cmocka_unit_test(numbers_without_a_finite_value_stay_for_the_run_to_find),
      cmocka_unit_test(sums_lose_their_zeros_and_signs),
      cmocka_unit_test(products_have_one_number_in_front),
      cmocka_unit_test(quotients_lose_ones_and_signs),
      cmocka_unit_test(powers_of_nought_and_one_vanish),
      cmocka_unit_test(choice_without_a_choice_is_taken),
      cmocka_unit_test(terms_alike_fold_alike),
      cmocka_unit_test(folding_keeps_the_value),
      cmocka_unit_test(factors_are_not_joined_into_infinity_or_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
