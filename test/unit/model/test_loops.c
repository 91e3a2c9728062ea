/* Loops, sums and branches: unrolled while the model is built. */
#include "model/stages.h"

static int32_t count_terms(const Stages* s, ZwTermKind kind) {
  int32_t count = 0;
  for (int32_t i = 0; i < s->system.terms.count; i++) count += s->system.terms.items[i].kind == kind;
  return count;
}

static void ranges_nest_and_may_use_earlier_indices(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s,
                   "param N = 3\ncoord x[1..N], y[1..N]\n"
                   "for i in 1..N { for j in i+1..N { output a[i, j] = x[i] - x[j] } }\n"
                   "for i in 1..N, j in i..2 { output b[i, j] = x[i]*y[j] }\n");
  assert_no_error(&s);
  static const char* const want[] = {"a[1,2]", "a[1,3]", "a[2,3]", "b[1,1]", "b[1,2]", "b[2,2]"};
  assert_int_equal(s.system.terms.count, 6);
  for (int32_t i = 0; i < 6; i++) assert_true(is_called(s.system.terms.items[i].name, want[i]));
  assert_output(&s, "a[2,3]", "x[2] - x[3]");
  assert_output(&s, "b[1,2]", "x[1]*y[2]");
  stages_close(&s);
}

static void empty_ranges_build_nothing(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(
      &s,
      "param N = 0\ncoord x\nfor i in 1..N { output a = nowhere }\nfor i in 1..3, j in 5..4 { output b = 1 }\n"
      "for i in 2..-2 { output c = 1 }\noutput o = sum(i in 1..N: nowhere) + sum(i in 1..2, j in i..0: x)\n");
  assert_no_error(&s);
  assert_int_equal(s.system.terms.count, 1);
  assert_output(&s, "o", "0");
  stages_close(&s);
}

static const char head[] = "param N = 3, p = 2\ncoord x[1..3], y, P = (0, 0)\n";

static void sums_add_their_summands(void** state) {
  (void)state;
  static const Means table[] = {
      {"sum(i in 1..3: x[i])", "x[1] + x[2] + x[3]"},
      {"sum(i in 1..1: x[i])", "x[1]"},
      {"sum(i in 1..0: x[i])", "0"},
      {"sum(i in 2..N: x[i]*x[i-1])", "x[2]*x[1] + x[3]*x[2]"},
      {"sum(i in 1..2, j in 1..2: x[i]*x[j + 1])", "x[1]*x[2] + x[1]*x[3] + x[2]*x[2] + x[2]*x[3]"},
      {"sum(i in 1..2, j in i..2: x[j])", "x[1] + x[2] + x[2]"},
      {"sum(i in 1..2: sum(j in 1..i: x[j]))", "x[1] + x[1] + x[2]"},
      {"sum(i in 1..2: x[i]*P)", "x[1]*P.x + x[2]*P.x | x[1]*P.y + x[2]*P.y"},
      {"sum(i in 1..3: i)*y", "(1 + 2 + 3)*y"}, /* indices are slots: equal shapes for every i */
      {"sum(i in 1..3: x[i])'", "x[1]' + x[2]' + x[3]'"},
      {"sum(i in 1..2: sum(i in 3..3: x[i]))", "x[3] + x[3]"}, /* the inner i hides the outer one */
  };
  assert_all_mean(head, table);
}

static void branches_known_while_building_leave_no_trace(void** state) {
  (void)state;
  static const Means table[] = {
      {"if N > 2 then y else nowhere", "y"},
      {"if N == 0 then nowhere[1] else y", "y"},
      {"sum(i in 0..2: if i < 1 then 0 else x[i])", "x[1] + x[2]"}, /* x[0] is not asked for */
      {"if N > 2 and not (p == 1) then y else 0", "y"},
      {"if p != 2 or N <= 2 then y else x[1]", "x[1]"},
      {"if N > 2 then P else 0", "P.x | P.y"},
      {"if N < 2 then P else y", "y"}, /* only one branch is built, so only one type */
  };
  assert_all_mean(head, table);
  Stages s;
  stages_elaborate(&s, "param a = 1, b = 2\ncoord x\noutput o = if a < 2 then x else 0, u = if b < x then 1 else 2\n");
  assert_no_error(&s);
  assert_true(s.system.params.items[0].is_deciding);
  assert_false(s.system.params.items[0].is_structural); /* any value below 2 is the same model */
  assert_int_equal(s.system.choices.count, 1);
  assert_true(s.system.choices.items[0].holds);
  assert_false(s.system.params.items[1].is_deciding);
  assert_int_equal(s.system.modes.count, 0); /* outputs are looked at between steps */
  stages_close(&s);
}

static void statement_if_builds_one_block(void** state) {
  (void)state;
  for (int n = 0; n < 4; n++) {
    char text[400];
    snprintf(text, sizeof text,
             "param N = %d\ncoord x, y\nif N == 0 { output zero = x } else if N == 1 { output one = y; coord z }\n"
             "else if N == 2 { let a = 5; output two = a*x } else { if N > 2 { output many = N*x } }\n",
             n);
    static const char* const names[] = {"zero", "one", "two", "many"};
    static const char* const means[] = {"x", "y", "5*x", "N*x"};
    Stages s;
    stages_elaborate(&s, text);
    assert_no_error(&s);
    assert_int_equal(s.system.terms.count, 1);
    assert_output(&s, names[n], means[n]);
    assert_int_equal(s.system.coords.count, n == 1 ? 3 : 2);
    stages_close(&s);
  }
}

/* Some are decided at once, some by building an expression; which of them, nobody sees. */
static void every_condition_decides_a_statement(void** state) {
  (void)state;
  static const struct {
    const char* condition;
    bool holds;
  } table[] = {{"N < 3", false},
               {"N <= 3", true},
               {"N > 3", false},
               {"N >= 3", true},
               {"N == 3", true},
               {"N != 3", false},
               {"not N == 3", false},
               {"not (N == 4)", true},
               {"N == 3 and p < 1", true},
               {"N == 3 and p > 1", false},
               {"N == 4 or p < 1", true},
               {"N == 4 or p > 1", false},
               {"2*N - 1 == 5 and -N < p/2", true},
               {"sin(p) < p", true},
               {"N == 3 and not (sin(p) < p)", false},
               {"N == 4 or max(N, p) == 3", true},
               {"sum(i in 1..N: i) == 6", true},
               {"0/(N - 3) == 0/(N - 3)", false}}; /* not a number */
  for (int i = 0; i < (int)(sizeof table / sizeof *table); i++) {
    char text[200];
    snprintf(text, sizeof text, "param N = 3, p = 0.5\ncoord x\nif %s { output yes = x } else { output no = x }\n",
             table[i].condition);
    Stages s;
    stages_elaborate(&s, text);
    assert_no_error(&s);
    assert_int_equal(s.system.terms.count, 1);
    assert_output(&s, table[i].holds ? "yes" : "no", "x");
    for (int k = 0; k < 2; k++) { /* what was read decides what is built */
      bool is_read = strchr(table[i].condition, "Np"[k]) != NULL;
      const ZwParam* param = &s.system.params.items[k];
      assert_int_equal(param->is_structural || param->is_deciding, is_read);
    }
    stages_close(&s);
  }
}

/* Names without an index are local to a pass; names with one belong outside. */
static void names_of_a_pass_are_its_own(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(
      &s,
      "coord x[1..2]\nlet a = 7\n"
      "for i in 1..2 { let a = i*x[i], b = a + 1; let c[i] = b; kinetic a*x[i]'^2; constraint link[i]: c[i] = 2 }\n"
      "output o = a, u = c[2], r = reaction(link[2])\n");
  assert_no_error(&s);
  assert_output(&s, "o", "7");
  assert_output(&s, "u", "2*x[2] + 1");
  assert_output(&s, "r", "reaction(link[2])");
  assert_int_equal(count_terms(&s, ZW_TERM_KINETIC), 2);
  assert_non_null(stages_find_term(&s, ZW_TERM_CONSTRAINT, "link[1]"));
  stages_close(&s);
  static const Refused table[] = {
      {"for i in 1..2 { let b = x[i] }; potential b", ZW_ERR_NAME, 43, "b"},
      {"for i in 1..2 { }; potential i", ZW_ERR_NAME, 30, "i"},
      {"for i in 1..2 { constraint c: x[i] = 1 }", ZW_ERR_NAME, 28, "index"},
      {"for i in 1..2 { let f[1] = x[i] }", ZW_ERR_NAME, 21, "declared already"},
      {"for i in 1..2 { output h = x[i] }", ZW_ERR_NAME, 24, "h"},
      {"for i in 1..2 { let i = 3 }", ZW_ERR_NAME, 21, "declared already"},
      {"for i in 1..2 { let a = 1, a = 2 }", ZW_ERR_NAME, 28, "declared already"},
  };
  assert_all_refused(head, table);
}

static void wrong_loops_are_refused(void** state) {
  (void)state;
  static const Refused table[] = {
      {"for i in 1..y { }", ZW_ERR_VALUE, 13, "known while the model is built"},
      {"for i in 1..N/2 { }", ZW_ERR_VALUE, 13, "whole"},
      {"for i in 0/0..2 { }", ZW_ERR_VALUE, 10, "whole"},
      {"for i in 1..P { }", ZW_ERR_TYPE, 13, "scalar"},
      {"for i in 1..missing { }", ZW_ERR_NAME, 13, "missing"},
      {"for i in 1..3 { potential x[i+1] }", ZW_ERR_NAME, 27, "'x[4]'"},
      {"for i in 1..3 { potential nowhere }", ZW_ERR_NAME, 27, "nowhere"}, /* said once, not three times */
      {"for i in 1..3 { coord z }", ZW_ERR_SYNTAX, 17, "coord x[1..N]"},
      {"for i in 1..3 { param z = 1 }", ZW_ERR_SYNTAX, 17, "file level"},
      {"for i in 1..3 { run 0 .. 1 }", ZW_ERR_SYNTAX, 17, "file level"},
      {"for i in 1..3 { component c() { } }", ZW_ERR_SYNTAX, 17, "file level"},
      {"for i in 1..3 { use planar }", ZW_ERR_SYNTAX, 17, "before every other"},
      {"for i in 1..2, j in 1..k { }", ZW_ERR_NAME, 24, "k"},
      {"for sin in 1..2 { }", ZW_ERR_NAME, 5, "function of the language"},
      {"potential sum(i in 1..y: y)", ZW_ERR_VALUE, 23, "known while the model is built"},
      {"potential sum(i in 1..2: P)", ZW_ERR_TYPE, 11, "scalar"},
      {"if y > 0 { }", ZW_ERR_VALUE, 4, "if ... then ... else inside an expression"},
      {"if N { }", ZW_ERR_TYPE, 4, "a condition is needed"},
      {"if N > missing { potential also_missing }", ZW_ERR_NAME, 8, "missing"},
      {"memory k = 1; if k == 1 { }", ZW_ERR_VALUE, 18, "known while the model is built"}, /* events change it */
      {"memory k = 1; potential x[k]", ZW_ERR_VALUE, 27, "known while the model is built"},
  };
  assert_all_refused(head, table);
}

static void passes_are_limited(void** state) {
  (void)state;
  assert_line_refused("coord x\n", "for i in 1..1000000, j in 1..1000000 { }", ZW_ERR_LIMIT, 1, "loop passes");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_nest_and_may_use_earlier_indices),
      cmocka_unit_test(empty_ranges_build_nothing),
      cmocka_unit_test(sums_add_their_summands),
      cmocka_unit_test(branches_known_while_building_leave_no_trace),
      cmocka_unit_test(statement_if_builds_one_block),
      cmocka_unit_test(every_condition_decides_a_statement),
      cmocka_unit_test(names_of_a_pass_are_its_own),
      cmocka_unit_test(wrong_loops_are_refused),
      cmocka_unit_test(passes_are_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
