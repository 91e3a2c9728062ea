/* What is printed must mean what it was printed from: read back by the parser and the model stage it has its value. */
#include "expr/print.h"

#include "expr/trees.h"
#include "model/stages.h"

typedef struct Fixture {
  ZwArena arena;
  ZwGraph g;
} Fixture;

static void open_fixture(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_graph_init(&f->g, &f->arena);
}

static void leaf_name(ZwText* text, ZwOp leaf, int32_t index, void* context) {
  (void)context;
  zw_text_addf(text, "%c%d", leaf == ZW_OP_PARAM ? 'p' : 'q', (int)index);
}

static const char* printed(Fixture* f, ZwExpr e, int32_t limit) {
  ZwText text;
  zw_text_init(&text, &f->arena);
  zw_expr_print(&text, &f->g, e, limit, leaf_name, NULL);
  return zw_text_get(&text);
}

/* ---- as people write ---- */

/* The text of the only output of a model over x, y and the parameter p. */
static void assert_printed(const char* written, const char* want) {
  char text[500];
  snprintf(text, sizeof text, "param p = 1\ncoord x, y\noutput o = %s\n", written);
  Stages s;
  assert_int_equal(stages_elaborate(&s, text), ZW_OK);
  ZwText shown;
  zw_text_init(&shown, &s.arena);
  zw_system_print(&shown, &s.system, s.system.terms.items[0].value, 1000);
  assert_string_equal(zw_text_get(&shown), want);
  stages_close(&s);
}

static void brackets_stand_where_they_are_needed_only(void** state) {
  (void)state;
  assert_printed("x + y + p", "x + y + p");
  assert_printed("x - (y - p)", "x - (y - p)");
  assert_printed("x - (y + p)", "x - (y + p)");
  assert_printed("(x - y) - p", "x - y - p");
  assert_printed("x*(y + p)", "x*(y + p)");
  assert_printed("x*y/p", "x*y/p");
  assert_printed("x/(y*p)", "x/(y*p)");
  assert_printed("x/(y/p)", "x/(y/p)");
  assert_printed("-x^2", "-x^2");
  assert_printed("(-x)^2", "(-x)^2");
  assert_printed("(x + y)^2", "(x + y)^2");
  assert_printed("x^y^p", "x^y^p");
  assert_printed("(x^y)^p", "(x^y)^p");
  assert_printed("x^-y", "x^-y");
  assert_printed("x^(y + 1)", "x^(y + 1)");
  assert_printed("2^-x", "2^-x");
  assert_printed("(-2)^x", "(-2)^x");
  assert_printed("-(x*y)", "-(x*y)");
  assert_printed("sin(x + y)^2", "sin(x + y)^2");
  assert_printed("atan2(x, -y)", "atan2(x, -y)");
  assert_printed("x'^2 + y''", "x'^2 + y''");
  assert_printed("t*x", "t*x");
}

static void choices_and_conditions_are_printed(void** state) {
  (void)state;
  assert_printed("if x < y then x else y", "if x < y then x else y");
  assert_printed("1 + (if x <= y and not (x == p or y != p) then x else 2*y)",
                 "1 + (if x <= y and not (x == p or y != p) then x else 2*y)");
  assert_printed("if x < y or x < p and y < p then 1 else 0", "if x < y or x < p and y < p then 1 else 0");
  assert_printed("if (x < y or x < p) and y < p then 1 else 0", "if (x < y or x < p) and y < p then 1 else 0");
  assert_printed("if x > y then 1 else 0", "if y < x then 1 else 0"); /* one operator serves both */
  assert_printed("min(x, if x < 1 then y else p)", "min(x, if x < 1 then y else p)");
}

/* ---- there and back ---- */

/* Conditions that folded to a number cannot be written; they are no part of a fair test. */
static bool has_folded_condition(Fixture* f, ZwExpr e) {
  ZwWalk walk;
  zw_walk_init(&walk, &f->arena);
  assert_true(zw_walk_collect(&walk, &f->g, &e, 1));
  for (int32_t i = 0; i < walk.order.count; i++) {
    const ZwNode* node = &f->g.nodes.items[walk.order.items[i]];
    if (node->op != ZW_OP_AND && node->op != ZW_OP_OR && node->op != ZW_OP_NOT) continue;
    for (int k = 0; k < zw_op_arity(node->op); k++) {
      if (f->g.nodes.items[node->u.args[k]].op == ZW_OP_CONST) return true;
    }
  }
  return false;
}

static void printed_text_reads_back_with_the_same_value(void** state) {
  (void)state;
  static const char head[] = "param p0 = 1, p1 = 1, p2 = 1, p3 = 1\ncoord q0, q1, q2, q3\noutput o = ";
  Random random = random_from(6);
  int compared = 0;
  for (int trial = 0; trial < 3000; trial++) {
    Tree tree;
    random_tree(&random, 1 + trial % 5, &tree);
    Fixture f;
    open_fixture(&f);
    ZwExpr e = tree_build(&tree, &tree_as_is, &f.g);
    const char* text = zw_format(&f.arena, "%s%s\n", head, printed(&f, e, 100000));
    if (has_folded_condition(&f, e)) {
      zw_arena_destroy(&f.arena);
      continue;
    }
    Stages s;
    if (stages_elaborate(&s, text) != ZW_OK) {
      stages_show(&s);
      fail_msg("does not read back: %s", text);
    }
    double numbers[16];
    random_fill(&random, 16, numbers);
    ZwEnvironment at = {random_number(&random), numbers, numbers + 4, numbers + 8, numbers + 12};
    TreeValue want = tree_value(&tree, &tree_as_is, &at);
    ZwEvaluator evaluator;
    zw_evaluator_init(&evaluator, &s.arena);
    if (want.is_finite) {
      double got = zw_expr_eval(&evaluator, &s.system.graph, s.system.terms.items[0].value, &at);
      if (!(fabs(got - want.value) <= 8 * want.rounding)) fail_msg("%.17g, not %.17g: %s", got, want.value, text);
      compared++;
    }
    stages_close(&s);
    zw_arena_destroy(&f.arena);
  }
  assert_true(compared > 1500);
}

/* ---- too much to read ---- */

static void long_expressions_are_cut_at_the_limit(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr sum = zw_expr_leaf(&f.g, ZW_OP_COORD, 0);
  for (int32_t i = 1; i < 60; i++) sum = zw_expr_add(&f.g, sum, zw_expr_leaf(&f.g, ZW_OP_COORD, i));
  const char* whole = printed(&f, sum, 100000);
  assert_null(strstr(whole, "..."));
  assert_int_equal(strlen(whole), 10 * 2 + 50 * 3 + 59 * 3);
  const char* cut = printed(&f, sum, 80);
  assert_in_range(strlen(cut), 80, 400);
  assert_non_null(strstr(cut, "..."));
  assert_memory_equal(cut, whole, 70);
  zw_arena_destroy(&f.arena);
}

/* A million levels: cut, and neither the stack nor the printer's patience is used up. */
static void deep_expressions_are_cut_too(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  ZwExpr e = zw_expr_leaf(&f.g, ZW_OP_COORD, 0);
  for (int i = 0; i < 1000000; i++) e = zw_expr_unary(&f.g, i % 2 ? ZW_OP_SIN : ZW_OP_COS, e);
  const char* text = printed(&f, e, 1 << 30);
  assert_non_null(strstr(text, "..."));
  assert_in_range(strlen(text), 100, 10000);
  ZwExpr both = zw_expr_leaf(&f.g, ZW_OP_COORD, 0); /* 2^200 leaves when written out */
  for (int i = 0; i < 200; i++) both = zw_expr_mul(&f.g, both, both);
  text = printed(&f, both, 200);
  assert_in_range(strlen(text), 200, 2000);
  zw_arena_destroy(&f.arena);
}

static void no_expression_prints_nothing(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  assert_string_equal(printed(&f, (ZwExpr){0}, 100), "");
  zw_arena_destroy(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(brackets_stand_where_they_are_needed_only),
      cmocka_unit_test(choices_and_conditions_are_printed),
      cmocka_unit_test(printed_text_reads_back_with_the_same_value),
      cmocka_unit_test(long_expressions_are_cut_at_the_limit),
      cmocka_unit_test(deep_expressions_are_cut_too),
      cmocka_unit_test(no_expression_prints_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
