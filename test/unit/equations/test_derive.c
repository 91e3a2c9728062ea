/* What the derivatives must say, element by element, and what cannot be an element. */
#include "equations/equations.h"

#include "expr/print.h"
#include "model/stages.h"

static void leaf_name(ZwText* text, ZwOp leaf, int32_t index, void* context) {
  (void)context;
  zw_text_addf(text, "%c%d", leaf == ZW_OP_PARAM ? 'p' : 'q', (int)index);
}

/* "M[0,0]=1 h[0]=.." of the first shape's entry, in its own order. */
static void assert_contributions(const char* statement, ZwEntry entry, const char* want) {
  char text[300];
  snprintf(text, sizeof text, "param a = 1\ncoord x, y\n%s\n", statement);
  Stages s;
  stages_derive(&s, text);
  assert_no_error(&s);
  ZwText got;
  zw_text_init(&got, &s.arena);
  const ZwContributions* list = &s.equations.shapes.items[0].entries[entry];
  for (int32_t i = 0; i < list->list.count; i++) {
    const ZwContribution* c = &list->list.items[i];
    zw_text_addf(&got, "%s%s", i ? "; " : "", zw_target_text(c->target));
    if (c->target == ZW_TARGET_M)
      zw_text_addf(&got, "%d%d", (int)c->row, (int)c->column);
    else if (c->target == ZW_TARGET_A)
      zw_text_addf(&got, "%d", (int)c->column);
    else if (c->target == ZW_TARGET_H || c->target == ZW_TARGET_Q)
      zw_text_addf(&got, "%d", (int)c->row);
    zw_text_add(&got, " ", 1);
    zw_expr_print(&got, &s.equations.graph, c->value, 500, leaf_name, NULL);
  }
  assert_string_equal(zw_text_get(&got), want);
  stages_close(&s);
}

static void kinetic_energy_gives_mass_and_energy(void** state) {
  (void)state;
  assert_contributions("kinetic 1/2*a*x'^2", ZW_ENTRY_ACCELERATION, "M00 p0");
  assert_contributions("kinetic 1/2*a*x'^2", ZW_ENTRY_POSITION, "");
  assert_contributions("kinetic x'*y'", ZW_ENTRY_ACCELERATION, "M10 1");
  assert_contributions("potential a*x", ZW_ENTRY_ACCELERATION, "h0 -p0");
  assert_contributions("lagrangian t*x", ZW_ENTRY_ACCELERATION, "h0 t; power -q0");
  assert_contributions("lagrangian t*x'", ZW_ENTRY_ACCELERATION, "h0 -1; power -q0'");
}

static void forces_and_dissipation_give_generalized_forces(void** state) {
  (void)state;
  assert_contributions("force x = a*t", ZW_ENTRY_ACCELERATION, "Q0 p0*t");
  assert_contributions("force 3*x + y = a", ZW_ENTRY_ACCELERATION, "Q0 3*p0; Q1 p0");
  assert_contributions("force x' = a", ZW_ENTRY_ACCELERATION, "Q0 p0");
  assert_contributions("dissipation 1/2*a*x'^2", ZW_ENTRY_ACCELERATION, "Q0 -(q0'*p0)");
}

static void position_constraint_is_differentiated_twice(void** state) {
  (void)state;
  assert_contributions("constraint x*y = a", ZW_ENTRY_POSITION, "phi q0*q1 - p0; A0 q1; A1 q0");
  assert_contributions("constraint x*y = a", ZW_ENTRY_VELOCITY, "psi q0'*q1 + q0*q1'; A0 q1; A1 q0");
  assert_contributions("constraint x = t", ZW_ENTRY_VELOCITY, "psi q0' - 1; A0 1");
  assert_contributions("constraint x = t", ZW_ENTRY_ACCELERATION, "A0 1");
}

static void velocity_and_acceleration_constraints_have_no_lower_level(void** state) {
  (void)state;
  assert_contributions("constraint x'*y = a", ZW_ENTRY_POSITION, "");
  assert_contributions("constraint x'*y = a", ZW_ENTRY_VELOCITY, "psi q0'*q1 - p0; A0 q1");
  assert_contributions("constraint x'*y = a", ZW_ENTRY_ACCELERATION, "A0 q1; b -(q0'*q1')");
  assert_contributions("constraint x''*y = a", ZW_ENTRY_VELOCITY, "");
  assert_contributions("constraint x''*y = a", ZW_ENTRY_ACCELERATION, "A0 q1; b p0");
}

static void output_of_nothing_is_still_an_output(void** state) {
  (void)state;
  assert_contributions("output o = 0*x", ZW_ENTRY_OUTPUT, "value 0");
}

static void assert_refused(const char* statement, ZwStatus code, const char* part) {
  char text[300];
  snprintf(text, sizeof text, "coord x, y\n%s\n", statement);
  Stages s;
  assert_int_equal(stages_derive(&s, text), code);
  assert_error(&s, code, 2, 1, part);
  stages_close(&s);
}

static void constraint_nonlinear_in_accelerations_is_refused(void** state) {
  (void)state;
  assert_refused("constraint x''^2 = 1", ZW_ERR_CONSTRAINT, "not linear in the accelerations");
  assert_refused("constraint x''*y'' = 1", ZW_ERR_CONSTRAINT, "not linear");
  assert_refused("constraint sin(x'') = y", ZW_ERR_CONSTRAINT, "not linear");
  Stages s;
  assert_int_equal(stages_derive(&s, "coord x, y\nconstraint x''*y^3 + sin(x')*y'' = t\n"), ZW_OK);
  stages_close(&s);
}

static void force_on_a_nonlinear_velocity_is_refused(void** state) {
  (void)state;
  assert_refused("force x'^2 = 1", ZW_ERR_VALUE, "linear");
  Stages s;
  assert_int_equal(stages_derive(&s, "coord x, y\nforce sin(y)*x' + y' = 1\n"), ZW_OK);
  stages_close(&s);
}

/* Both have one shape; it is not enough to report it where it was met first. */
static void same_mistake_twice_is_refused_too(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(stages_derive(&s, "coord x, y\nconstraint x''^2 = 1\nconstraint y''^2 = 1\n"), ZW_ERR_CONSTRAINT);
  assert_error(&s, ZW_ERR_CONSTRAINT, 2, 1, "");
  assert_error(&s, ZW_ERR_CONSTRAINT, 3, 1, "");
  stages_close(&s);
}

static void stages_can_be_dumped(void** state) {
  (void)state;
  Stages s;
  assert_int_equal(stages_derive(&s, "param l = 2\ncoord x, y\nkinetic x'^2\nconstraint rod: x^2 + y^2 = l^2\n"),
                   ZW_OK);
  ZwText text;
  zw_text_init(&text, &s.arena);
  zw_system_dump(&text, &s.system);
  assert_non_null(strstr(zw_text_get(&text), "param l = 2\n"));
  assert_non_null(strstr(zw_text_get(&text), "rod: x^2 + y^2 - l^2"));
  zw_text_init(&text, &s.arena);
  zw_equations_dump(&text, &s.equations);
  assert_non_null(strstr(zw_text_get(&text), "q0=x q1=y p0=l"));
  stages_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinetic_energy_gives_mass_and_energy),
      cmocka_unit_test(forces_and_dissipation_give_generalized_forces),
      cmocka_unit_test(position_constraint_is_differentiated_twice),
      cmocka_unit_test(velocity_and_acceleration_constraints_have_no_lower_level),
      cmocka_unit_test(output_of_nothing_is_still_an_output),
      cmocka_unit_test(constraint_nonlinear_in_accelerations_is_refused),
      cmocka_unit_test(force_on_a_nonlinear_velocity_is_refused),
      cmocka_unit_test(same_mistake_twice_is_refused_too),
      cmocka_unit_test(stages_can_be_dumped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
