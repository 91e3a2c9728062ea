#include "equations/islands.h"

#include "model/stages.h"

/* The islands as text, with the rows given ("" for none, else digits): "0 0 1" */
static void assert_islands(const char* statements, ZwJoin join, const char* rows, const char* want) {
  char text[600], got[100] = "", *to = got;
  int32_t of[8];
  snprintf(text, sizeof text, "param a = 1\ncoord x, y, z, w\n%s", statements);
  Stages s;
  stages_derive(&s, text);
  assert_no_error(&s);
  ZwIslands islands = {.of = of};
  zw_islands_open(&islands, &s.equations, join);
  for (; *rows; rows++) zw_islands_join_row(&islands, &s.equations, *rows - '0');
  zw_islands_close(&islands);
  for (int32_t i = 0; i < islands.n; i++) to += sprintf(to, "%s%d", i ? " " : "", (int)of[i]);
  assert_string_equal(got, want);
  stages_close(&s);
}

static void what_is_not_joined_stands_alone(void** state) {
  (void)state;
  assert_islands("kinetic x'^2 + y'^2 + z'^2 + w'^2\n", ZW_JOIN_TERMS, "", "0 1 2 3");
  assert_islands("kinetic a*(x'^2 + y'^2)\npotential sin(z)/a - (x + w)\n", ZW_JOIN_TERMS, "", "0 1 2 3");
}

static void inertia_joins_impulses_and_springs_do_not(void** state) {
  (void)state;
  const char* text = "kinetic (x' + z')^2 + y'^2 + w'^2\npotential (y - w)^2\n";
  assert_islands(text, ZW_JOIN_INERTIA, "", "0 1 0 2");
  assert_islands(text, ZW_JOIN_TERMS, "", "0 1 0 1");
}

static void forces_and_dampers_join_what_they_read(void** state) {
  (void)state;
  assert_islands("kinetic x'^2 + y'^2 + z'^2 + w'^2\nforce w = -x\n", ZW_JOIN_TERMS, "", "0 1 2 0");
  assert_islands("kinetic x'^2 + y'^2 + z'^2 + w'^2\ndissipation (y' - z')^2\n", ZW_JOIN_TERMS, "", "0 1 1 2");
}

static void rows_join_what_they_hold_or_what_they_read(void** state) {
  (void)state;
  const char* text = "kinetic x'^2 + y'^2 + z'^2 + w'^2\nconstraint x = y\nconstraint z' = w*t\n";
  assert_islands(text, ZW_JOIN_INERTIA, "", "0 1 2 3");
  assert_islands(text, ZW_JOIN_INERTIA, "01", "0 0 1 2");
  assert_islands(text, ZW_JOIN_TERMS, "01", "0 0 1 1");
  assert_islands(text, ZW_JOIN_TERMS, "1", "0 1 2 2");
}

static void joining_is_transitive_in_any_order(void** state) {
  (void)state;
  const char* text = "kinetic x'^2 + y'^2 + z'^2 + w'^2\nconstraint w = z\nconstraint y = z\nconstraint y = x\n";
  assert_islands(text, ZW_JOIN_INERTIA, "012", "0 0 0 0");
  assert_islands(text, ZW_JOIN_INERTIA, "210", "0 0 0 0");
  assert_islands(text, ZW_JOIN_INERTIA, "02", "0 0 1 1");
}

static void masses_that_depend_on_velocities_are_known(void** state) {
  (void)state;
  Stages s;
  stages_derive(
      &s, "coord x, y, z, w\nlagrangian -sqrt(1 - x'^2) + 1/2*y'^2 + z*y'*x + x*z'^2\ngibbs 1/2*w''^2*(1 + w'^2)\n");
  assert_no_error(&s);
  const int want[] = {ZW_MASS_BENT, 0, 0, ZW_MASS_BENT | ZW_MASS_GIBBS};
  for (int i = 0; i < 4; i++) assert_int_equal(s.equations.masses[i], want[i]);
  stages_close(&s);
}

/* The parts as text: the coordinates of each with the number of its rows, then those that are alone: "xz:1 y:1 | w" */
static void assert_parts(const char* statements, const char* want) {
  char text[600], got[100] = "", *to = got;
  snprintf(text, sizeof text, "coord x, y, z, w\n%s", statements);
  Stages s;
  stages_derive(&s, text);
  assert_no_error(&s);
  const ZwParts* parts = &s.equations.parts;
  for (int32_t k = 0; k < parts->count; k++) {
    for (int32_t p = parts->begin[k]; p < parts->begin[k + 1]; p++) to += sprintf(to, "%c", "xyzw"[parts->coords[p]]);
    to += sprintf(to, ":%d ", (int)parts->rows[k]);
  }
  to += sprintf(to, "|");
  for (int32_t k = 0; k < parts->alone_count; k++) to += sprintf(to, " %c", "xyzw"[parts->alone[k]]);
  assert_string_equal(got, want);
  stages_close(&s);
}

static void equations_fall_into_parts_whatever_the_state(void** state) {
  (void)state;
  assert_parts("kinetic x'^2 + y'^2 + z'^2\n", "| x y z w");
  assert_parts("kinetic (x' + z')^2 + y'^2 + w'^2\npotential (y - w)^2\n", "xz:0 | y w");
  assert_parts(
      "kinetic x'^2 + y'^2 + z'^2 + w'^2\nconstraint y = 0 while t > 1\ncontact c: w >= x, friction 1, slip z\n",
      "xw:1 y:1 z:1 |");
  assert_parts("kinetic (x' + w')^2 + (y' + z')^2\nconstraint x' = w\nconstraint z = y\n", "xw:1 yz:1 |");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_joined_stands_alone),
      cmocka_unit_test(inertia_joins_impulses_and_springs_do_not),
      cmocka_unit_test(forces_and_dampers_join_what_they_read),
      cmocka_unit_test(rows_join_what_they_hold_or_what_they_read),
      cmocka_unit_test(joining_is_transitive_in_any_order),
      cmocka_unit_test(masses_that_depend_on_velocities_are_known),
      cmocka_unit_test(equations_fall_into_parts_whatever_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
