#include "expr/reads.h"

#include <string.h>

#include "expr/trees.h"
#include "expr/walk.h"

typedef struct Fixture {
  ZwArena arena;
  ZwGraph g;
} Fixture;

static void open_fixture(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_graph_init(&f->g, &f->arena);
}

static void reads_tell_the_kinds_of_leaves(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr p = zw_expr_leaf(&f.g, ZW_OP_PARAM, 0), v = zw_expr_leaf(&f.g, ZW_OP_VELOCITY, 0);
  ZwExpr a = zw_expr_leaf(&f.g, ZW_OP_ACCELERATION, 0), t = zw_expr_leaf(&f.g, ZW_OP_TIME, 0);
  ZwReads reads = zw_expr_reads(&f.g, zw_expr_mul(&f.g, p, zw_expr_add(&f.g, zw_expr_leaf(&f.g, ZW_OP_COORD, 0), v)));
  assert_true(reads.param && reads.coord && reads.velocity);
  assert_false(reads.time || reads.acceleration || reads.switches);
  reads = zw_expr_reads(&f.g, zw_expr_mul(&f.g, t, a));
  assert_true(reads.time && reads.acceleration);
  assert_false(reads.param || reads.coord || reads.velocity || reads.switches);
  const ZwOp switches[] = {ZW_OP_ABS, ZW_OP_SIGN, ZW_OP_FLOOR};
  for (int i = 0; i < 3; i++) assert_true(zw_expr_reads(&f.g, zw_expr_unary(&f.g, switches[i], v)).switches);
  const ZwOp pairs[] = {ZW_OP_MIN, ZW_OP_MAX, ZW_OP_MOD};
  for (int i = 0; i < 3; i++) assert_true(zw_expr_reads(&f.g, zw_expr_binary(&f.g, pairs[i], p, v)).switches);
  ZwExpr chosen = zw_expr_select(&f.g, zw_expr_binary(&f.g, ZW_OP_LESS, p, v), p, v);
  assert_true(zw_expr_reads(&f.g, chosen).switches);
  /* what depends on parameters alone was switched once and for all */
  assert_false(zw_expr_reads(&f.g, zw_expr_unary(&f.g, ZW_OP_ABS, p)).switches);
  chosen = zw_expr_select(&f.g, zw_expr_binary(&f.g, ZW_OP_LESS, p, zw_expr_const(&f.g, 3)), t, v);
  assert_false(zw_expr_reads(&f.g, chosen).switches);
  zw_arena_destroy(&f.arena);
}

/* Leaf by leaf, by a walk over the whole expression. */
static ZwReads leaves_below(ZwWalk* walk, const ZwGraph* graph, ZwExpr e) {
  ZwReads reads = {0};
  assert_true(zw_walk_collect(walk, graph, &e, 1));
  for (int32_t i = 0; i < walk->order.count; i++) {
    ZwOp op = zw_graph_node(graph, (ZwExpr){walk->order.items[i]})->op;
    reads.time |= op == ZW_OP_TIME;
    reads.param |= op == ZW_OP_PARAM;
    reads.coord |= op == ZW_OP_COORD;
    reads.velocity |= op == ZW_OP_VELOCITY;
    reads.acceleration |= op == ZW_OP_ACCELERATION;
    reads.reaction |= op == ZW_OP_REACTION;
  }
  return reads;
}

static void every_node_knows_the_leaves_below_it(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwWalk walk;
  zw_walk_init(&walk, &f.arena);
  Random random = random_from(11);
  for (int i = 0; i < 300; i++) {
    Tree tree;
    random_tree(&random, 6, &tree);
    (void)tree_build(&tree, &tree_as_is, &f.g);
  }
  ZwExpr reaction = zw_expr_leaf(&f.g, ZW_OP_REACTION, 3);
  (void)zw_expr_mul(&f.g, reaction, zw_expr_leaf(&f.g, ZW_OP_ACCELERATION, 1));
  assert_true(f.g.nodes.count > 1000);
  for (int32_t i = 1; i < f.g.nodes.count; i++) {
    ZwExpr e = {(uint32_t)i};
    ZwReads reads = zw_expr_reads(&f.g, e), below = leaves_below(&walk, &f.g, e);
    below.switches = reads.switches;
    assert_memory_equal(&reads, &below, sizeof reads);
  }
  zw_arena_destroy(&f.arena);
}

static void no_expression_reads_nothing(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwReads reads = zw_expr_reads(&f.g, (ZwExpr){0}), nothing = {0};
  assert_memory_equal(&reads, &nothing, sizeof reads);
  zw_arena_destroy(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_tell_the_kinds_of_leaves),
      cmocka_unit_test(every_node_knows_the_leaves_below_it),
      cmocka_unit_test(no_expression_reads_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
