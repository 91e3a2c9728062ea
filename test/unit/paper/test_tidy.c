/* Tidying: the forms it reaches, the value it keeps, the work it does not do. */
#include "paper/tidy.h"

#include "expr/trees.h"

typedef struct Fixture {
  ZwArena arena;
  ZwGraph g;
  ZwTidy tidy;
  ZwExpr x, y, p, v;
} Fixture;

static void open_fixture(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_graph_init(&f->g, &f->arena);
  zw_tidy_init(&f->tidy, &f->g, &f->arena);
  f->x = zw_expr_leaf(&f->g, ZW_OP_COORD, 0);
  f->y = zw_expr_leaf(&f->g, ZW_OP_COORD, 1);
  f->p = zw_expr_leaf(&f->g, ZW_OP_PARAM, 0);
  f->v = zw_expr_leaf(&f->g, ZW_OP_VELOCITY, 0);
}

#define ADD(a, b) zw_expr_add(&f.g, (a), (b))
#define SUB(a, b) zw_expr_sub(&f.g, (a), (b))
#define MUL(a, b) zw_expr_mul(&f.g, (a), (b))
#define DIV(a, b) zw_expr_div(&f.g, (a), (b))
#define POW(a, b) zw_expr_binary(&f.g, ZW_OP_POW, (a), NUM(b))
#define SQRT(a) zw_expr_unary(&f.g, ZW_OP_SQRT, (a))
#define SIN(a) zw_expr_unary(&f.g, ZW_OP_SIN, (a))
#define COS(a) zw_expr_unary(&f.g, ZW_OP_COS, (a))
#define NUM(value) zw_expr_const(&f.g, (value))
#define assert_tidy(from, to) assert_int_equal(zw_tidy(&f.tidy, (from)).ref, (to).ref)

static void like_terms_and_factors_are_collected(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  assert_tidy(MUL(NUM(2), MUL(MUL(NUM(0.5), f.p), f.v)), MUL(f.p, f.v));
  assert_tidy(ADD(MUL(f.x, f.p), MUL(f.p, f.x)), MUL(NUM(2), MUL(f.p, f.x)));
  assert_tidy(SUB(ADD(f.x, f.y), ADD(f.y, f.x)), NUM(0));
  assert_tidy(MUL(f.v, MUL(f.x, MUL(f.p, f.x))), MUL(MUL(f.p, POW(f.x, 2)), f.v));
  assert_tidy(DIV(MUL(f.p, f.x), MUL(f.x, f.y)), DIV(f.p, f.y));
  assert_tidy(ADD(MUL(f.p, f.x), MUL(f.p, f.y)), MUL(f.p, ADD(f.x, f.y)));
  zw_arena_destroy(&f.arena);
}

static void sines_and_cosines_melt(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  assert_tidy(ADD(MUL(f.p, POW(SIN(f.x), 2)), MUL(f.p, POW(COS(f.x), 2))), f.p);
  assert_tidy(SUB(f.p, MUL(f.p, POW(SIN(f.x), 2))), MUL(f.p, POW(COS(f.x), 2)));
  assert_tidy(ADD(MUL(COS(f.x), COS(f.y)), MUL(SIN(f.x), SIN(f.y))), COS(SUB(f.x, f.y)));
  assert_tidy(SUB(MUL(COS(f.x), COS(f.y)), MUL(SIN(f.x), SIN(f.y))), COS(ADD(f.x, f.y)));
  assert_tidy(SUB(MUL(SIN(f.x), COS(f.y)), MUL(COS(f.x), SIN(f.y))), SIN(SUB(f.x, f.y)));
  assert_tidy(SUB(MUL(SIN(f.y), COS(f.x)), MUL(COS(f.y), SIN(f.x))), zw_expr_neg(&f.g, SIN(SUB(f.x, f.y))));
  assert_tidy(ADD(SIN(SUB(f.y, f.x)), SIN(SUB(f.x, f.y))), NUM(0));
  /* what only looks like it */
  ZwExpr other = ADD(POW(SIN(f.x), 2), POW(COS(f.y), 2));
  assert_tidy(other, other);
  zw_arena_destroy(&f.arena);
}

static void fractions_cancel(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr below = ADD(NUM(1), POW(f.y, 2));
  assert_tidy(ADD(DIV(NUM(1), below), DIV(POW(f.y, 2), below)), NUM(1));
  assert_tidy(SUB(NUM(1), DIV(POW(f.y, 2), below)), DIV(NUM(1), below));
  assert_tidy(DIV(SUB(f.x, f.y), SUB(f.y, f.x)), NUM(-1));
  assert_tidy(DIV(SUB(POW(f.x, 2), POW(f.y, 2)), ADD(f.x, f.y)), SUB(f.x, f.y));
  assert_tidy(MUL(SQRT(below), SQRT(below)), below);
  /* a root is no inverse of a square: the sign is not known */
  assert_tidy(SQRT(POW(f.x, 2)), SQRT(POW(f.x, 2)));
  zw_arena_destroy(&f.arena);
}

static void energies_stay_sums(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr T = MUL(NUM(0.5), MUL(f.p, POW(f.v, 2))), V = MUL(MUL(f.p, NUM(9.81)), f.x);
  ZwExpr L = zw_tidy_energy(&f.tidy, SUB(T, V));
  assert_int_equal(zw_graph_node(&f.g, L)->op, ZW_OP_SUB);
  assert_int_equal(zw_graph_node(&f.g, zw_tidy(&f.tidy, SUB(T, V)))->op, ZW_OP_MUL);
  zw_arena_destroy(&f.arena);
}

static void values_stay(void** state) {
  (void)state;
  Random random = random_from(5);
  int compared = 0;
  for (int round = 0; round < 4000; round++) {
    Fixture f;
    open_fixture(&f);
    Tree tree;
    random_tree(&random, 5, &tree);
    ZwExpr e = tree_build(&tree, &tree_as_is, &f.g);
    ZwExpr tidied = round % 2 ? zw_tidy(&f.tidy, e) : zw_tidy_energy(&f.tidy, e);
    assert_true(tidied.ref != 0);
    ZwEvaluator evaluator;
    zw_evaluator_init(&evaluator, &f.arena);
    for (int k = 0; k < 4; k++) {
      double numbers[5][TREE_LEAVES];
      for (int i = 0; i < 5 * TREE_LEAVES; i++) numbers[i / TREE_LEAVES][i % TREE_LEAVES] = 2 * random_number(&random);
      ZwEnvironment at = {numbers[4][0], numbers[0], numbers[1], numbers[2], numbers[3]};
      TreeValue want = tree_value(&tree, &tree_as_is, &at);
      /* where a value hangs on the last digits, another order of the summands may give another one */
      if (!want.is_finite || want.rounding > 1e-8 * (1 + fabs(want.value))) continue;
      double got = zw_expr_eval(&evaluator, &f.g, tidied, &at);
      compared++;
      if (!(fabs(got - want.value) <= 1e5 * want.rounding + 1e-9 * fabs(want.value))) {
        fail_msg("round %d: %.17g became %.17g (rounding %.3g)", round, want.value, got, want.rounding);
      }
    }
    zw_arena_destroy(&f.arena);
  }
  assert_true(compared > 4000);
}

/* Sums of sums that share: a tree of 3^200 leaves, of 400 nodes. */
static void work_is_bounded(void** state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    Fixture f;
    open_fixture(&f);
    ZwExpr e = ADD(f.x, SIN(f.y));
    for (int i = 0; i < 200; i++) {
      ZwExpr turned = kind == 0 ? MUL(f.p, e) : kind == 1 ? SIN(e) : kind == 2 ? POW(e, 3) : DIV(NUM(1), e);
      e = kind == 2 ? ADD(MUL(e, turned), f.x) : ADD(e, turned);
    }
    assert_true(zw_tidy(&f.tidy, e).ref != 0);
    assert_false(f.arena.failed);
    assert_true(f.tidy.work < 1000 * 1000 * 1000);
    zw_arena_destroy(&f.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(like_terms_and_factors_are_collected),
      cmocka_unit_test(sines_and_cosines_melt),
      cmocka_unit_test(fractions_cancel),
      cmocka_unit_test(energies_stay_sums),
      cmocka_unit_test(values_stay),
      cmocka_unit_test(work_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
