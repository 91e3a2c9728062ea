/* Arrays: ranges, literals, elements and the numbers that choose them. */
#include "model/stages.h"

static void ranges_make_elements_in_order(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s,
                   "param N = 2\ncoord x[1..3], r[0..1, N..N+1], P[-1..0] = (0, 0), none[1..0], y[2..2], "
                   "f[-10..-10, 0..0, 999999999..1000000000, -1000000000..-1000000000]\n");
  assert_no_error(&s);
  static const char* const names[] = {"x[1]",
                                      "x[2]",
                                      "x[3]",
                                      "r[0,2]",
                                      "r[0,3]",
                                      "r[1,2]",
                                      "r[1,3]",
                                      "P[-1].x",
                                      "P[-1].y",
                                      "P[0].x",
                                      "P[0].y",
                                      "y[2]",
                                      "f[-10,0,999999999,-1000000000]",
                                      "f[-10,0,1000000000,-1000000000]"};
  assert_coords(&s, names, 14);
  assert_true(s.system.params.items[0].is_structural);
  stages_close(&s);
}

static void assert_starts_at(const Stages* s, int32_t coord, double want) {
  ZwExpr e = s->system.coords.items[coord].start_q;
  assert_true(e.ref && zw_expr_is_const(&s->system.graph, e, want));
}

static void literals_give_values_by_place(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s,
                   "coord a = [5, 6, 7]\ncoord b[-1..0] = [1, 2]\ncoord c = [[1, 2, 3], [4, 5, 6]]\n"
                   "coord d[0..1, 1..2] = [[1, 2], [3, 4]]\ncoord e[1..3] = 9\ncoord P = [(1, 2), (3, 4)]\n");
  assert_no_error(&s);
  assert_int_equal(s.system.coords.count, 3 + 2 + 6 + 4 + 3 + 4);
  static const double want[] = {5, 6, 7, 1, 2, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 9, 9, 9, 1, 2, 3, 4};
  for (int32_t i = 0; i < 22; i++) assert_starts_at(&s, i, want[i]);
  assert_true(is_called(s.system.coords.items[0].name, "a[1]"));
  assert_true(is_called(s.system.coords.items[10].name, "c[2,3]"));
  assert_true(is_called(s.system.coords.items[21].name, "P[2].y"));
  stages_close(&s);
}

static const char head[] =
    "param N = 3, k[1..3] = [10, 20, 30], half = 0.5\ncoord x[1..3], y, Q[0..1, 1..2] = (0, 0)\nlet u[0] = y, u[1] = "
    "2*y\n";

static void elements_are_chosen_by_numbers_known_while_building(void** state) {
  (void)state;
  static const Means table[] = {
      {"x[2]", "x[2]"},
      {"x[N]", "x[3]"},
      {"x[N - 1]", "x[2]"},
      {"x[2*N - 5]", "x[1]"},
      {"x[floor(N/2)]", "x[1]"},
      {"x[4*half]", "x[2]"},
      {"x[min(N, 2)]", "x[2]"},
      {"x[k[1]/10]", "x[1]"}, /* an element of an array of numbers is a number */
      {"x[1 + 1e-12]", "x[1]"},
      {"k[2]*y", "k[2]*y"},
      {"x[2]'", "x[2]'"},
      {"Q[1,2]", "Q[1,2].x | Q[1,2].y"},
      {"Q[0, N - 2].y", "Q[0,1].y"},
      {"Q[0,1]'.x", "Q[0,1].x'"},
      {"u[0] + u[1]", "y + 2*y"},
      {"sum(i in 1..N: x[i])", "x[1] + x[2] + x[3]"},
  };
  assert_all_mean(head, table);
}

static void wrong_elements_are_refused(void** state) {
  (void)state;
  static const Refused table[] = {
      {"potential x[4]", ZW_ERR_NAME, 11, "from 1 to 3"},
      {"potential x[0]", ZW_ERR_NAME, 11, "'x[0]' does not exist"},
      {"potential x[-1]", ZW_ERR_NAME, 11, "'x[-1]' does not exist"},
      {"potential x[N/2]", ZW_ERR_VALUE, 13, "a whole number is needed here, this is 1.5"},
      {"potential x[half]", ZW_ERR_VALUE, 13, "floor"},
      {"potential x[1/0]", ZW_ERR_VALUE, 13, "whole"},
      {"potential x[0/0]", ZW_ERR_VALUE, 13, "whole"},
      {"potential x[sqrt(0 - 1)]", ZW_ERR_VALUE, 13, "whole"},
      {"potential x[1e10]", ZW_ERR_VALUE, 13, "whole"},
      {"potential x[y]", ZW_ERR_VALUE, 13, "known while the model is built"},
      {"potential x[t]", ZW_ERR_VALUE, 13, "known while the model is built"},
      {"potential x[(1, 2)]", ZW_ERR_TYPE, 13, "scalar"},
      {"potential x[z]", ZW_ERR_NAME, 13, "z"},
      {"potential x", ZW_ERR_TYPE, 11, "an array and needs an index"},
      {"potential x + 1", ZW_ERR_TYPE, 11, "an array and needs an index"},
      {"potential x[1,1]", ZW_ERR_TYPE, 11, "1 index, not 2"},
      {"potential Q[1].x", ZW_ERR_TYPE, 11, "2 indices, not 1"},
      {"potential Q[1,3].x", ZW_ERR_NAME, 11, "'Q[1,3]' does not exist"},
      {"potential x.x", ZW_ERR_TYPE, 11, "no members"},
      {"potential u[2]", ZW_ERR_NAME, 11, "'u[2]' does not exist (yet)"},
      {"potential x[1,1,1,1,1]", ZW_ERR_TYPE, 11, "1 index, not 5"},
      {"start x = 1", ZW_ERR_TYPE, 7, "an array and needs an index"},
      {"start x[5] = 1", ZW_ERR_NAME, 7, "does not exist"},
      {"output x[5]", ZW_ERR_NAME, 8, "does not exist"},
  };
  assert_all_refused(head, table);
}

static void wrong_declarations_are_refused(void** state) {
  (void)state;
  static const Refused table[] = {
      {"coord z[1..2.5]", ZW_ERR_VALUE, 12, "whole"},
      {"coord z[1..y]", ZW_ERR_VALUE, 12, "known while the model is built"},
      {"coord z[1..0/0]", ZW_ERR_VALUE, 12, "whole"},
      {"coord z[1..1e10]", ZW_ERR_VALUE, 12, "whole"},
      {"coord z[1..2] = [1, 2, 3]", ZW_ERR_VALUE, 17, "the range has 2 elements, the literal 3"},
      {"coord z[1..3] = [1, 2]", ZW_ERR_VALUE, 17, "the range has 3 elements, the literal 2"},
      {"coord z = [[1, 2], [3]]", ZW_ERR_VALUE, 20, "the range has 2 elements, the literal 1"},
      {"coord z[1..2] = [1, [2, 3]]", ZW_ERR_TYPE, 21, "array literal"},
      {"coord z[1..1,1..1,1..1,1..1,1..1]", ZW_ERR_LIMIT, 7, "more than 4 indices"},
      {"coord z[1..2] = [1, y]", ZW_ERR_VALUE, 21, "parameters only"},
      {"param z[1..2]", ZW_ERR_SYNTAX, 7, "no value"},
      {"coord x[1..2]", ZW_ERR_NAME, 7, "declared already"},
      {"param y[1..2] = 1", ZW_ERR_NAME, 7, "declared already"},
      {"let u[0] = 1", ZW_ERR_NAME, 5, "'u[0]' is declared already, in line 3"},
      {"let u[2, 3] = 1", ZW_ERR_TYPE, 5, "1 index, not 2"},
      {"let x[4] = 1", ZW_ERR_NAME, 5, "declared already"}, /* its elements are coordinates */
      {"let y[4] = 1", ZW_ERR_NAME, 5, "declared already"},
      {"let u = 1", ZW_ERR_NAME, 5, "declared already"},
      {"let u[half] = 1", ZW_ERR_VALUE, 7, "whole"},
      {"let u[2] = u[3]", ZW_ERR_NAME, 12, "(yet)"},
      {"let u[2] = u[2]", ZW_ERR_NAME, 12, "(yet)"},
      {"let sin[1] = 1", ZW_ERR_NAME, 5, "function of the language"},
  };
  assert_all_refused(head, table);
}

static void deep_literal_is_refused(void** state) {
  (void)state;
  assert_line_refused("coord x\n", "param z = [[[[[1]]]]]", ZW_ERR_LIMIT, 7, "more than 4 indices");
}

static void indexed_lets_grow(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(&s,
                   "param N = 4\ncoord th[1..N]\nlet P[0] = (0, 0)\n"
                   "for i in 1..N { let P[i] = P[i-1] + (sin(th[i]), -cos(th[i])); output h[i] = P[i].y }\n"
                   "let g[1, 2] = 3, g[2, 1] = 4\noutput tip = P[N], o = g[1, 2] - g[2, 1]\n");
  assert_no_error(&s);
  assert_output(&s, "h[2]", "-cos(th[1]) - cos(th[2])");
  assert_output(&s, "tip.x", "sin(th[1]) + sin(th[2]) + sin(th[3]) + sin(th[4])");
  assert_output(&s, "o", "-1");
  stages_close(&s);
}

static void arrays_of_parameters_can_be_read_and_are_noted_when_idle(void** state) {
  (void)state;
  Stages s;
  stages_elaborate(
      &s, "param k[1..2] = [3, 4], w = [(1, 2), (3, 4)], idle[1..3] = 0\ncoord x\nkinetic k[1]*x'^2 + k[2] + w[2].y\n");
  assert_no_error(&s);
  assert_int_equal(s.system.params.count, 9);
  assert_true(is_called(s.system.params.items[1].name, "k[2]"));
  assert_true(is_called(s.system.params.items[5].name, "w[2].y"));
  int32_t notes = 0;
  for (int32_t i = 0; i < s.diags.list.count; i++) notes += s.diags.list.items[i].severity == ZW_SEVERITY_NOTE;
  assert_int_equal(notes, 1); /* one element that is used is enough */
  assert_non_null(strstr(s.diags.list.items[0].text, "'idle'"));
  stages_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_make_elements_in_order),
      cmocka_unit_test(literals_give_values_by_place),
      cmocka_unit_test(elements_are_chosen_by_numbers_known_while_building),
      cmocka_unit_test(wrong_elements_are_refused),
      cmocka_unit_test(wrong_declarations_are_refused),
      cmocka_unit_test(deep_literal_is_refused),
      cmocka_unit_test(indexed_lets_grow),
      cmocka_unit_test(arrays_of_parameters_can_be_read_and_are_noted_when_idle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
