#include "expr/graph.h"

#include <string.h>

#include "expr/trees.h"

typedef struct Fixture {
  ZwArena arena;
  ZwGraph graph;
} Fixture;

static void open_fixture(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_graph_init(&f->graph, &f->arena);
}

static void equal_expressions_are_the_same_ref(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  Random random = random_from(1);
  for (int i = 0; i < 500; i++) {
    Tree tree;
    random_tree(&random, 5, &tree);
    ZwExpr first = tree_build(&tree, &tree_as_is, &f.graph);
    int32_t count = f.graph.nodes.count;
    assert_int_equal(tree_build(&tree, &tree_as_is, &f.graph).ref, first.ref);
    assert_int_equal(f.graph.nodes.count, count); /* nothing was built the second time */
  }
  zw_arena_destroy(&f.arena);
}

static void different_expressions_are_different_refs(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwGraph* g = &f.graph;
  ZwExpr x = zw_expr_leaf(g, ZW_OP_COORD, 0), y = zw_expr_leaf(g, ZW_OP_COORD, 1);
  const ZwExpr all[] = {x,
                        y,
                        zw_expr_leaf(g, ZW_OP_VELOCITY, 0),
                        zw_expr_leaf(g, ZW_OP_PARAM, 0),
                        zw_expr_leaf(g, ZW_OP_TIME, 0),
                        zw_expr_const(g, 1),
                        zw_expr_const(g, 1 + DBL_EPSILON),
                        zw_expr_add(g, x, y),
                        zw_expr_add(g, y, x), /* the order of operands is kept */
                        zw_expr_sub(g, x, y),
                        zw_expr_unary(g, ZW_OP_SIN, x),
                        zw_expr_unary(g, ZW_OP_COS, x),
                        zw_expr_select(g, zw_expr_binary(g, ZW_OP_LESS, x, y), x, y),
                        zw_expr_select(g, zw_expr_binary(g, ZW_OP_LESS, x, y), y, x)};
  enum { COUNT = sizeof all / sizeof *all };
  for (int i = 0; i < COUNT; i++) {
    assert_true(all[i].ref > 0);
    for (int k = 0; k < i; k++) assert_int_not_equal(all[i].ref, all[k].ref);
  }
  zw_arena_destroy(&f.arena);
}

static void arguments_come_before_their_users(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  Random random = random_from(2);
  for (int i = 0; i < 500; i++) {
    Tree tree;
    random_tree(&random, 6, &tree);
    (void)tree_build(&tree, &tree_as_is, &f.graph);
  }
  for (int32_t i = 1; i < f.graph.nodes.count; i++) {
    const ZwNode* node = &f.graph.nodes.items[i];
    for (int k = 0; k < zw_op_arity(node->op); k++) assert_in_range(node->u.args[k], 1, i - 1);
    for (int k = zw_op_arity(node->op); k < 3 && zw_op_arity(node->op) > 0; k++) assert_int_equal(node->u.args[k], 0);
  }
  zw_arena_destroy(&f.arena);
}

/* A leaf that is the newest argument of thousands, and leaves without a gap between their numbers: looked up again, each is
 * what it was. Were they all in one place of the table, this would take minutes. */
static void crowds_are_found_again(void** state) {
  (void)state;
  enum { LEAVES = 700, LITERALS = 100000 };
  Fixture f;
  open_fixture(&f);
  ZwGraph* g = &f.graph;
  int32_t count = 0;
  for (int round = 0; round < 2; round++) {
    for (int32_t i = 0; i < LEAVES; i++) (void)zw_expr_leaf(g, ZW_OP_COORD, i);
    for (int32_t i = 0; i < LITERALS; i++) assert_true(zw_expr_const(g, i).ref && zw_expr_const(g, i + 0.1).ref);
    for (int32_t i = 0; i < LEAVES; i++) {
      for (int32_t k = 0; k < LEAVES; k++) {
        ZwExpr x = zw_expr_leaf(g, ZW_OP_COORD, i), y = zw_expr_leaf(g, ZW_OP_COORD, k);
        ZwExpr sum = zw_expr_add(g, x, y);
        const ZwNode* node = zw_graph_node(g, sum);
        assert_true(node->op == ZW_OP_ADD && node->u.args[0] == x.ref && node->u.args[1] == y.ref);
      }
    }
    ZwExpr last = zw_expr_leaf(g, ZW_OP_VELOCITY, 0);
    for (int32_t i = 0; i < LITERALS; i++) assert_true(zw_expr_add(g, last, zw_expr_const(g, i)).ref);
    if (round == 0) count = g->nodes.count;
  }
  assert_int_equal(g->nodes.count, count); /* nothing was built the second time */
  assert_in_range(count, LEAVES * LEAVES + 3 * LITERALS, LEAVES * LEAVES + 3 * LITERALS + LEAVES + 10);
  zw_arena_destroy(&f.arena);
}

static void settled_graph_can_be_built_on(void** state) {
  (void)state;
  enum { LEAVES = 20000 };
  Fixture f;
  open_fixture(&f);
  size_t bytes = 0;
  for (int round = 0; round < 3; round++) {
    for (int32_t i = 0; i < LEAVES; i++) {
      ZwExpr x = zw_expr_leaf(&f.graph, ZW_OP_COORD, i);
      assert_int_equal(x.ref, 2 * i + 1);
      assert_int_equal(zw_expr_unary(&f.graph, ZW_OP_SIN, x).ref, 2 * i + 2);
    }
    bytes = f.arena.bytes;
    zw_graph_settle(&f.graph);
    assert_true(f.arena.bytes + 2 * LEAVES * sizeof(uint64_t) <= bytes);
  }
  zw_arena_destroy(&f.arena);
}

static void there_is_one_zero(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr zero = zw_expr_const(&f.graph, 0), minus = zw_expr_const(&f.graph, -0.0);
  assert_int_equal(zero.ref, minus.ref);
  assert_false(signbit(zw_graph_node(&f.graph, minus)->u.value));
  assert_true(zw_expr_is_const(&f.graph, minus, 0));
  assert_false(zw_expr_is_const(&f.graph, zw_expr_leaf(&f.graph, ZW_OP_TIME, 0), 0));
  zw_arena_destroy(&f.arena);
}

static void node_keeps_the_mark_of_its_first_place(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  f.graph.mark = 7;
  ZwExpr x = zw_expr_leaf(&f.graph, ZW_OP_COORD, 0);
  f.graph.mark = 8;
  assert_int_equal(zw_expr_leaf(&f.graph, ZW_OP_COORD, 0).ref, x.ref);
  assert_int_equal(zw_graph_node(&f.graph, x)->mark, 7);
  assert_int_equal(zw_graph_node(&f.graph, zw_expr_unary(&f.graph, ZW_OP_SIN, x))->mark, 8);
  zw_arena_destroy(&f.arena);
}

static void without_memory_every_builder_answers_nothing(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  f.arena.limit = 100000;
  ZwExpr last = zw_expr_leaf(&f.graph, ZW_OP_TIME, 0);
  for (int32_t i = 0; last.ref; i++) last = zw_expr_add(&f.graph, last, zw_expr_leaf(&f.graph, ZW_OP_COORD, i));
  assert_true(f.arena.failed);
  ZwExpr t = {1};
  assert_int_equal(zw_expr_const(&f.graph, 123).ref, 0);
  assert_int_equal(zw_expr_unary(&f.graph, ZW_OP_SIN, t).ref, 0);
  assert_int_equal(zw_expr_mul(&f.graph, t, last).ref, 0);
  assert_int_equal(zw_expr_select(&f.graph, last, last, last).ref, 0);
  assert_false(zw_expr_is_const(&f.graph, last, 0));
  zw_arena_destroy(&f.arena);
}

static void every_operator_is_described(void** state) {
  (void)state;
  for (int op = 0; op < ZW_OP_COUNT; op++) {
    int arity = zw_op_arity((ZwOp)op);
    assert_in_range(arity, 0, 3);
    assert_true(strlen(zw_op_text((ZwOp)op)) > 0);
    assert_int_equal(zw_op_form((ZwOp)op) == ZW_FORM_LEAF, arity == 0);
  }
}

static void operators_have_the_values_of_mathematics(void** state) {
  (void)state;
  const struct {
    ZwOp op;
    double a, b, c, value;
  } table[] = {{ZW_OP_NEG, 2, 0, 0, -2},
               {ZW_OP_ADD, 2, 3, 0, 5},
               {ZW_OP_SUB, 2, 3, 0, -1},
               {ZW_OP_MUL, 2, 3, 0, 6},
               {ZW_OP_DIV, 3, 2, 0, 1.5},
               {ZW_OP_POW, 2, 10, 0, 1024},
               {ZW_OP_SIGN, -3, 0, 0, -1},
               {ZW_OP_SIGN, 0, 0, 0, 0},
               {ZW_OP_SIGN, 5, 0, 0, 1},
               {ZW_OP_ABS, -3, 0, 0, 3},
               {ZW_OP_FLOOR, -1.5, 0, 0, -2},
               {ZW_OP_FLOOR, 1.5, 0, 0, 1},
               {ZW_OP_MOD, 7, 3, 0, 1},
               {ZW_OP_MOD, -7, 3, 0, 2},
               {ZW_OP_MOD, 7, -3, 0, -2},
               {ZW_OP_MIN, 2, 3, 0, 2},
               {ZW_OP_MIN, 3, 2, 0, 2},
               {ZW_OP_MAX, 2, 3, 0, 3},
               {ZW_OP_MAX, 3, 2, 0, 3},
               {ZW_OP_HYPOT, 3, 4, 0, 5},
               {ZW_OP_HYPOT, 3e200, 4e200, 0, 5e200},
               {ZW_OP_SQRT, 9, 0, 0, 3},
               {ZW_OP_LESS, 1, 2, 0, 1},
               {ZW_OP_LESS, 2, 2, 0, 0},
               {ZW_OP_LESS_EQUAL, 2, 2, 0, 1},
               {ZW_OP_LESS_EQUAL, 3, 2, 0, 0},
               {ZW_OP_EQUAL, 2, 2, 0, 1},
               {ZW_OP_EQUAL, 2, 3, 0, 0},
               {ZW_OP_NOT_EQUAL, 2, 2, 0, 0},
               {ZW_OP_NOT_EQUAL, 2, 3, 0, 1},
               {ZW_OP_AND, 1, 1, 0, 1},
               {ZW_OP_AND, 1, 0, 0, 0},
               {ZW_OP_OR, 0, 1, 0, 1},
               {ZW_OP_OR, 0, 0, 0, 0},
               {ZW_OP_NOT, 0, 0, 0, 1},
               {ZW_OP_NOT, 1, 0, 0, 0},
               {ZW_OP_SELECT, 1, 5, 6, 5},
               {ZW_OP_SELECT, 0, 5, 6, 6},
               {ZW_OP_SELECT, 1, 5, NAN, 5},
               {ZW_OP_ATAN2, 0, -1, 0, 3.14159265358979311600},
               {ZW_OP_ATAN2, -1, 0, 0, -1.57079632679489655800},
               {ZW_OP_EXP, 0, 0, 0, 1},
               {ZW_OP_LOG, 1, 0, 0, 0},
               {ZW_OP_SIN, 0, 0, 0, 0},
               {ZW_OP_COS, 0, 0, 0, 1},
               {ZW_OP_TAN, 0, 0, 0, 0},
               {ZW_OP_ASIN, 1, 0, 0, 1.57079632679489655800},
               {ZW_OP_ACOS, -1, 0, 0, 3.14159265358979311600},
               {ZW_OP_ATAN, 1, 0, 0, 0.78539816339744827900},
               {ZW_OP_SINH, 0, 0, 0, 0},
               {ZW_OP_COSH, 0, 0, 0, 1},
               {ZW_OP_TANH, 1000, 0, 0, 1}};
  for (int i = 0; i < (int)(sizeof table / sizeof *table); i++) {
    double got = zw_op_apply(table[i].op, table[i].a, table[i].b, table[i].c);
    assert_near(got, table[i].value, 2 * DBL_EPSILON * fabs(table[i].value));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_expressions_are_the_same_ref),
      cmocka_unit_test(different_expressions_are_different_refs),
      cmocka_unit_test(arguments_come_before_their_users),
      cmocka_unit_test(crowds_are_found_again),
      cmocka_unit_test(settled_graph_can_be_built_on),
      cmocka_unit_test(there_is_one_zero),
      cmocka_unit_test(node_keeps_the_mark_of_its_first_place),
      cmocka_unit_test(without_memory_every_builder_answers_nothing),
      cmocka_unit_test(every_operator_is_described),
      cmocka_unit_test(operators_have_the_values_of_mathematics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
