#include "equations/equations.h"

#include "model/stages.h"

/* The entries of a pattern as text: "0:0 1:0,1". */
static void show_pattern(const ZwPattern* pattern, char* to) {
  for (int32_t i = 0; i < pattern->rows; i++) {
    to += sprintf(to, "%s%d:", i ? " " : "", (int)i);
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      to += sprintf(to, "%s%d", k > pattern->begin[i] ? "," : "", (int)pattern->column[k]);
    }
  }
}

static void assert_patterns(const char* statements, const char* M, const char* A) {
  char text[400], got[400] = "";
  snprintf(text, sizeof text, "param a = 1\ncoord x, y, z\n%s", statements);
  Stages s;
  stages_derive(&s, text);
  assert_no_error(&s);
  show_pattern(&s.equations.M, got);
  assert_string_equal(got, M);
  got[0] = 0;
  show_pattern(&s.equations.A, got);
  assert_string_equal(got, A);
  stages_close(&s);
}

static void mass_pattern_is_the_lower_triangle_of_what_couples(void** state) {
  (void)state;
  assert_patterns("kinetic 1/2*(x'^2 + y'^2 + z'^2)\n", "0:0 1:1 2:2", "");
  assert_patterns("kinetic (x' + z')^2\n", "0:0 1: 2:0,2", "");
  assert_patterns("kinetic x'*y'\n", "0: 1:0 2:", "");
  assert_patterns("kinetic z'*y' + y'*z'\n", "0: 1: 2:1", ""); /* two elements, one entry */
  assert_patterns("kinetic cos(y)*x'*z' + a*z'^2\n", "0: 1: 2:0,2", "");
  assert_patterns("potential x*y*z\n", "0: 1: 2:", "");
}

static void constraint_pattern_is_what_each_row_reads_at_its_level(void** state) {
  (void)state;
  assert_patterns("constraint x*z = 1\nconstraint y = 0\nconstraint z + y*x = 2\n", "0: 1: 2:", "0:0,2 1:1 2:0,1,2");
  assert_patterns("constraint y*x' = z\n", "0: 1: 2:", "0:0"); /* velocity level: y and z are not moved by it */
  assert_patterns("constraint x''*y = z'\n", "0: 1: 2:", "0:0");
  assert_patterns("constraint z = sin(t)*x\n", "0: 1: 2:", "0:0,2");
}

static void entries_are_found_at_their_positions(void** state) {
  (void)state;
  Stages s;
  stages_derive(&s, "coord x, y, z\nconstraint z + x = 1\nconstraint y + x + z = 2\n");
  assert_no_error(&s);
  assert_int_equal(zw_pattern_find(&s.equations.A, 0, 0), 0);
  assert_int_equal(zw_pattern_find(&s.equations.A, 0, 2), 1);
  for (int32_t k = 0; k < 3; k++) assert_int_equal(zw_pattern_find(&s.equations.A, 1, k), 2 + k);
  assert_int_equal(s.equations.A.count, 5);
  stages_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_pattern_is_the_lower_triangle_of_what_couples),
      cmocka_unit_test(constraint_pattern_is_what_each_row_reads_at_its_level),
      cmocka_unit_test(entries_are_found_at_their_positions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
