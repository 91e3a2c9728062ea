#include "equations/equations.h"

#include "expr/eval.h"
#include "model/stages.h"

/* The pieces of one statement over coordinates x y z and parameters a b, as the user would write them. */
static void assert_pieces(const char* statement, const char* const* want, int32_t count) {
  char text[300];
  snprintf(text, sizeof text, "param a = 1, b = 2\ncoord x, y, z\n%s\n", statement);
  Stages s;
  stages_derive(&s, text);
  assert_no_error(&s);
  if (s.equations.pieces.count != count) fail_msg("%d pieces in %s", (int)s.equations.pieces.count, statement);
  for (int32_t i = 0; i < count; i++) {
    ZwText shown;
    zw_text_init(&shown, &s.arena);
    zw_system_print(&shown, &s.system, s.equations.pieces.items[i].value, 1000);
    assert_string_equal(zw_text_get(&shown), want[i]);
    assert_int_equal(s.equations.pieces.items[i].term, 0);
  }
  stages_close(&s);
}

#define PIECES(...) (const char* const[]){__VA_ARGS__}, (int32_t)(sizeof((const char*[]){__VA_ARGS__}) / sizeof(char*))

static void energies_fall_apart_at_plus_and_minus(void** state) {
  (void)state;
  assert_pieces("lagrangian x*y + y*z - z*x", PIECES("x*y", "y*z", "-(z*x)"));
  assert_pieces("lagrangian x - (y - z)", PIECES("x", "-y", "z"));
  assert_pieces("kinetic x'^2", PIECES("x'^2"));
  assert_pieces("dissipation a*x'^2 + b*y'^2", PIECES("a*x'^2", "b*y'^2"));
}

static void potential_counts_negative(void** state) {
  (void)state;
  assert_pieces("potential x", PIECES("-x"));
  assert_pieces("potential a*x - y", PIECES("-(a*x)", "y"));
  assert_pieces("potential -x", PIECES("x"));
}

static void splitting_goes_through_factors_without_coordinates(void** state) {
  (void)state;
  assert_pieces("kinetic 1/2*a*(x'^2 + y'^2)", PIECES("0.5*a*x'^2", "0.5*a*y'^2"));
  assert_pieces("kinetic (x'^2 + y'^2)/a", PIECES("1/a*x'^2", "1/a*y'^2"));
  assert_pieces("kinetic (x'^2 - y'^2)*b", PIECES("b*x'^2", "-(b*y'^2)"));
  assert_pieces("lagrangian -(x + a*(y - 2*(z + x)))", PIECES("-x", "-(a*y)", "2*a*z", "2*a*x"));
}

static void products_and_squares_of_coordinates_stay_whole(void** state) {
  (void)state;
  assert_pieces("lagrangian (x + y)^2", PIECES("(x + y)^2"));
  assert_pieces("lagrangian x*(y + z)", PIECES("x*(y + z)"));
  assert_pieces("lagrangian (x + y)/z", PIECES("(x + y)/z"));
  assert_pieces("lagrangian t*(x + y)", PIECES("t*(x + y)")); /* time is no parameter */
}

/* Constants belong to the energy; functions of time alone, and constants in what dissipates, are nothing. */
static void what_moves_nothing_counts_as_energy(void** state) {
  (void)state;
  assert_pieces("lagrangian x + 5 + a + t", PIECES("x", "5", "a"));
  assert_pieces("potential 0*a + x", PIECES("-x"));
  assert_pieces("dissipation 3*a", NULL, 0);
}

static void other_statements_are_not_split(void** state) {
  (void)state;
  assert_pieces("constraint x + y = z", PIECES("x + y - z"));
  assert_pieces("output o = x + y", PIECES("x + y"));
  assert_pieces("force x = y + z", PIECES("y + z"));
}

/* The pieces of a term sum up to the term. */
static void nothing_is_lost_or_doubled(void** state) {
  (void)state;
  Stages s;
  stages_derive(&s,
                "param a = 1, b = 2\ncoord x, y, z\n"
                "lagrangian a*(x*y - b*(sin(z) + x'^2/2 - (y' - z')^2*b)/3) - (x - y)*a/b + x*(y + z)\n");
  assert_no_error(&s);
  assert_true(s.equations.pieces.count >= 6);
  Random random = random_from(9);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &s.arena);
  for (int trial = 0; trial < 20; trial++) {
    double numbers[8];
    random_fill(&random, 8, numbers);
    ZwEnvironment at = {.params = numbers, .q = numbers + 2, .v = numbers + 5};
    double sum = 0;
    for (int32_t i = 0; i < s.equations.pieces.count; i++) {
      sum += zw_expr_eval(&evaluator, &s.system.graph, s.equations.pieces.items[i].value, &at);
    }
    assert_near(sum, zw_expr_eval(&evaluator, &s.system.graph, s.system.terms.items[0].value, &at), 1e-13);
  }
  stages_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energies_fall_apart_at_plus_and_minus),
      cmocka_unit_test(potential_counts_negative),
      cmocka_unit_test(splitting_goes_through_factors_without_coordinates),
      cmocka_unit_test(products_and_squares_of_coordinates_stay_whole),
      cmocka_unit_test(what_moves_nothing_counts_as_energy),
      cmocka_unit_test(other_statements_are_not_split),
      cmocka_unit_test(nothing_is_lost_or_doubled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
