/* Is energy conserved? One small model per line. */
#include "equations/equations.h"

#include "model/stages.h"

static void assert_conservative(const char* statements, bool want) {
  char text[500];
  snprintf(text, sizeof text,
           "param m = 1, w = 0.7, n = 2\ncoord x, y, z\nkinetic 1/2*m*(x'^2 + y'^2 + z'^2)\npotential m*9.81*z\n%s\n",
           statements);
  Stages s;
  stages_derive(&s, text);
  assert_no_error(&s);
  if (s.equations.is_conservative != want) fail_msg("%s: %s", want ? "conserves energy" : "does not", statements);
  stages_close(&s);
}

static void free_motion_and_fixed_constraints_conserve(void** state) {
  (void)state;
  assert_conservative("", true);
  assert_conservative("constraint x^2 + y^2 + z^2 = 1", true);
  assert_conservative("potential x^2*y - cos(z)", true);
  assert_conservative("lagrangian -x*y' + y*x'", true); /* a magnetic field does no work */
  assert_conservative("output o = t*x", true);          /* looking on changes nothing */
}

static void forces_and_friction_do_not(void** state) {
  (void)state;
  assert_conservative("force x = 1", false);
  assert_conservative("force x = -y'", false);
  assert_conservative("dissipation x'^2", false);
}

static void explicit_time_does_not(void** state) {
  (void)state;
  assert_conservative("potential x*cos(t)", false);
  assert_conservative("lagrangian t*x'^2", false);
  assert_conservative("constraint y*cos(w*t) = x*sin(w*t)", false);
  assert_conservative("constraint x' = y'*t", false);
  assert_conservative("potential x*(t - t)", true); /* gone after folding */
}

static void homogeneous_velocity_constraints_conserve(void** state) {
  (void)state;
  assert_conservative("constraint x'*sin(z) = y'*cos(z)", true); /* knife edge */
  assert_conservative("constraint x' = m*cos(z)*y'", true);      /* rolling */
  assert_conservative("constraint x'^2 + y'^2 = z'^2", true);    /* Appell's cone, degree 2 */
  assert_conservative("constraint sqrt(x'^2 + y'^2) = 2*z'", true);
  assert_conservative("constraint x'^3 + y'^2*z' = 0", true);
  assert_conservative("constraint x'*y = z'*x", true);
}

static void driven_velocity_constraints_do_not(void** state) {
  (void)state;
  assert_conservative("constraint x' = 1", false);
  assert_conservative("constraint x' = w", false);
  assert_conservative("constraint x' = y", false);
  assert_conservative("constraint x'^2 + y'^2 + z'^2 = 1", false); /* constant speed */
  assert_conservative("constraint x'^2 = y'", false);              /* degrees 2 and 1 */
  assert_conservative("constraint x'' = 0", false);
  assert_conservative("constraint a: x' = y'\nconstraint b: z' = w", false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_motion_and_fixed_constraints_conserve),
      cmocka_unit_test(forces_and_friction_do_not),
      cmocka_unit_test(explicit_time_does_not),
      cmocka_unit_test(homogeneous_velocity_constraints_conserve),
      cmocka_unit_test(driven_velocity_constraints_do_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
