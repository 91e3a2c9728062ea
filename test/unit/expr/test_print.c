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
  assert_printed("if p == 1 then x else y", "x"); /* known while building: one branch */
  assert_printed("if p < 1 or x < y then x else y", "if p < 1 or x < y then x else y");
  assert_printed("if 2 < 1 or x < y then x else y", "if x < y then x else y"); /* a known side folds */
  assert_printed("if 1 < 2 and x < y then x else y", "if x < y then x else y");
  assert_printed("if 2 < 1 and x < y then x else y", "y");
  assert_printed("if x < y or 1 < 2 then x else y", "x");
}

static void reactions_are_printed_by_the_name_of_their_row(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(stages_elaborate(&s,
                                    "coord x, P = (0, 0)\nconstraint a: x = 1\nconstraint b[2]: P = (x, t)\n"
                                    "output o = 2*reaction(a) - reaction(b[2]).y\n"),
                   ZW_OK);
  ZwText shown;
  zw_text_init(&shown, &s.arena);
  zw_system_print(&shown, &s.system, s.system.terms.items[3].value, 1000);
  assert_string_equal(zw_text_get(&shown), "2*reaction(a) - reaction(b[2].y)");
  stages_close(&s);
}

/* ---- there and back ---- */

/* A condition that folded to a number could not be written; a known side folds the whole away. */
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

/* The parameters have the values the expression is evaluated with: a condition on parameters alone builds one branch. */
static void printed_text_reads_back_with_the_same_value(void** state) {
  (void)state;
  static const char head[] =
      "param p0 = %.17g, p1 = %.17g, p2 = %.17g, p3 = %.17g\ncoord q0, q1, q2, q3\noutput o = %s\n";
  Random random = random_from(6);
  int compared = 0;
  for (int trial = 0; trial < 3000; trial++) {
    Tree tree;
    random_tree(&random, 1 + trial % 5, &tree);
    Fixture f;
    open_fixture(&f);
    ZwExpr e = tree_build(&tree, &tree_as_is, &f.g);
    assert_false(has_folded_condition(&f, e));
    double numbers[16];
    random_fill(&random, 16, numbers);
    const char* text =
        zw_format(&f.arena, head, numbers[0], numbers[1], numbers[2], numbers[3], printed(&f, e, 100000));
    Stages s;
    if (stages_elaborate(&s, text) != ZW_OK) {
      stages_show(&s);
      fail_msg("does not read back: %s", text);
    }
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
      cmocka_unit_test(reactions_are_printed_by_the_name_of_their_row),
      cmocka_unit_test(printed_text_reads_back_with_the_same_value),
      cmocka_unit_test(long_expressions_are_cut_at_the_limit),
      cmocka_unit_test(deep_expressions_are_cut_too),
      cmocka_unit_test(no_expression_prints_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
