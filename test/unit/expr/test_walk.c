#include "expr/walk.h"

#include "../numbers.h"

#include "expr/diff.h"
#include "expr/eval.h"
#include "expr/rebuild.h"

typedef struct Fixture {
  ZwArena arena;
  ZwGraph g;
  ZwWalk walk;
} Fixture;

static void open_fixture(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_graph_init(&f->g, &f->arena);
  zw_walk_init(&f->walk, &f->arena);
}

static ZwExpr coord(Fixture* f, int32_t i) {
  return zw_expr_leaf(&f->g, ZW_OP_COORD, i);
}

static void each_node_comes_once_and_after_its_arguments(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr x = coord(&f, 0), y = coord(&f, 1);
  ZwExpr xy = zw_expr_mul(&f.g, x, y);
  ZwExpr e = zw_expr_add(&f.g, zw_expr_mul(&f.g, xy, xy), zw_expr_sub(&f.g, xy, x));
  (void)zw_expr_unary(&f.g, ZW_OP_SIN, e); /* a stranger that must not be met */
  assert_true(zw_walk_collect(&f.walk, &f.g, &e, 1));
  assert_int_equal(f.walk.order.count, 6);
  for (int32_t i = 0; i < 6; i++) {
    assert_int_equal(zw_walk_place(&f.walk, f.walk.order.items[i]), i);
    const ZwNode* node = zw_graph_node(&f.g, (ZwExpr){f.walk.order.items[i]});
    for (int k = 0; k < zw_op_arity(node->op); k++) assert_true(zw_walk_place(&f.walk, node->u.args[k]) < (uint32_t)i);
  }
  assert_int_equal(f.walk.order.items[5], e.ref);
  zw_arena_destroy(&f.arena);
}

/* The canonical forms of the equations stage depend on it. */
static void order_is_that_of_the_text_whatever_the_refs(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr z = coord(&f, 2), y = coord(&f, 1), x = coord(&f, 0); /* built backwards */
  ZwExpr e = zw_expr_add(&f.g, zw_expr_mul(&f.g, x, y), z);
  assert_true(zw_walk_collect(&f.walk, &f.g, &e, 1));
  const uint32_t want[] = {x.ref, y.ref, zw_expr_mul(&f.g, x, y).ref, z.ref, e.ref};
  assert_int_equal(f.walk.order.count, 5);
  for (int i = 0; i < 5; i++) assert_int_equal(f.walk.order.items[i], want[i]);
  zw_arena_destroy(&f.arena);
}

static void several_roots_share_what_they_share(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr x = coord(&f, 0), s = zw_expr_unary(&f.g, ZW_OP_SIN, x), c = zw_expr_unary(&f.g, ZW_OP_COS, x);
  ZwExpr roots[] = {c, s, x, c};
  assert_true(zw_walk_collect(&f.walk, &f.g, roots, 4));
  assert_int_equal(f.walk.order.count, 3);
  assert_int_equal(f.walk.order.items[0], x.ref);
  assert_int_equal(f.walk.order.items[1], c.ref);
  assert_false(zw_walk_collect(&f.walk, &f.g, &(ZwExpr){0}, 1)); /* no expression */
  zw_arena_destroy(&f.arena);
}

/* x0^2 + x1^2 + ...: a million terms, a million levels deep. Recursion would not survive it. */
static void million_terms_are_an_ordinary_expression(void** state) {
  (void)state;
  enum { TERMS = 1000000, COORDS = 1000 };
  Fixture f;
  open_fixture(&f);
  ZwExpr sum = zw_expr_leaf(&f.g, ZW_OP_TIME, 0);
  double q[COORDS], want = 0.25;
  for (int32_t i = 0; i < COORDS; i++) q[i] = 1e-3 * i;
  for (int32_t i = 0; i < TERMS; i++) {
    sum = zw_expr_add(&f.g, sum, coord(&f, i % COORDS));
    want += q[i % COORDS];
  }
  assert_true(zw_walk_collect(&f.walk, &f.g, &sum, 1));
  assert_int_equal(f.walk.order.count, TERMS + COORDS + 1);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &f.arena);
  assert_true(zw_expr_eval(&evaluator, &f.g, sum, &(ZwEnvironment){.t = 0.25, .q = q}) == want);
  ZwExpr slope[2];
  assert_true(zw_diff_gradient(&f.g, &f.walk, sum, ZW_OP_COORD, 7, 2, slope));
  assert_true(zw_expr_is_const(&f.g, slope[0], TERMS / COORDS));
  assert_true(zw_expr_is_const(&f.g, zw_diff_partial(&f.g, &f.walk, sum, ZW_OP_TIME, 0), 1));
  assert_int_equal(zw_expr_without_acceleration(&f.g, &f.walk, sum).ref, sum.ref);
  zw_arena_destroy(&f.arena);
}

static void small_walks_in_a_large_graph_stay_small(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr pairs[2000];
  for (int32_t i = 0; i < 2000; i++) pairs[i] = zw_expr_mul(&f.g, coord(&f, i), coord(&f, i + 1));
  for (int round = 0; round < 200; round++) {
    for (int32_t i = 0; i < 2000; i++) {
      assert_true(zw_walk_collect(&f.walk, &f.g, &pairs[i], 1));
      assert_int_equal(f.walk.order.count, 3);
    }
  }
  zw_arena_destroy(&f.arena);
}

/* ---- rebuild ---- */

static ZwExpr swapped(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  (void)context;
  if (leaf == ZW_OP_COORD) return zw_expr_leaf(graph, leaf, 1 - index);
  return (ZwExpr){0};
}

static void rebuilding_replaces_leaves_and_folds_anew(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr x = coord(&f, 0), y = coord(&f, 1), t = zw_expr_leaf(&f.g, ZW_OP_TIME, 0);
  ZwExpr e = zw_expr_sub(&f.g, zw_expr_mul(&f.g, x, t), zw_expr_unary(&f.g, ZW_OP_SIN, y));
  ZwExpr want = zw_expr_sub(&f.g, zw_expr_mul(&f.g, y, t), zw_expr_unary(&f.g, ZW_OP_SIN, x));
  assert_int_equal(zw_expr_rebuild(&f.g, &f.walk, e, swapped, NULL).ref, want.ref);
  assert_int_equal(zw_expr_rebuild(&f.g, &f.walk, want, swapped, NULL).ref, e.ref);
  ZwExpr five = zw_expr_const(&f.g, 5);
  assert_int_equal(zw_expr_rebuild(&f.g, &f.walk, five, swapped, NULL).ref, five.ref);
  zw_arena_destroy(&f.arena);
}

static void accelerations_are_taken_out(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr x = coord(&f, 0), a = zw_expr_leaf(&f.g, ZW_OP_ACCELERATION, 0);
  ZwExpr e = zw_expr_add(&f.g, zw_expr_mul(&f.g, zw_expr_unary(&f.g, ZW_OP_COS, x), a), x); /* cos(x) x'' + x */
  assert_int_equal(zw_expr_without_acceleration(&f.g, &f.walk, e).ref, x.ref);
  ZwExpr chosen = zw_expr_unary(&f.g, ZW_OP_COS, a);
  assert_true(zw_expr_is_const(&f.g, zw_expr_without_acceleration(&f.g, &f.walk, chosen), 1));
  zw_arena_destroy(&f.arena);
}

static void rebuilt_nodes_keep_the_marks_of_their_origin(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  f.g.mark = 3;
  ZwExpr s = zw_expr_unary(&f.g, ZW_OP_SIN, coord(&f, 0));
  f.g.mark = 9;
  ZwExpr other = zw_expr_rebuild(&f.g, &f.walk, s, swapped, NULL);
  assert_int_equal(zw_graph_node(&f.g, other)->mark, 3);
  assert_int_equal(f.g.mark, 9);
  zw_arena_destroy(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_node_comes_once_and_after_its_arguments),
      cmocka_unit_test(order_is_that_of_the_text_whatever_the_refs),
      cmocka_unit_test(several_roots_share_what_they_share),
      cmocka_unit_test(million_terms_are_an_ordinary_expression),
      cmocka_unit_test(small_walks_in_a_large_graph_stay_small),
      cmocka_unit_test(rebuilding_replaces_leaves_and_folds_anew),
      cmocka_unit_test(accelerations_are_taken_out),
      cmocka_unit_test(rebuilt_nodes_keep_the_marks_of_their_origin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
