/* The account of energies by groups. */
#include "motion/moving.h"

static ZwStatus keep_nothing(void* context, const double* values) {
  (void)context;
  (void)values;
  return ZW_OK;
}

static void go(Moving* m, double to) {
  ZwRunPlan plan = {.to = to, .end = to, .has_end = true, .every = to / 10, .row = keep_nothing};
  assert_int_equal(zw_run(m->sim, &plan), ZW_OK);
}

/* Groups of the coordinates, one digit each, and the one in which work is done. */
static void assert_groups(const char* text, const char* want, int32_t works) {
  Moving m;
  assert_starts(&m, text, 0, 1e-8);
  const ZwGroups* groups = &m.sim->equations->groups;
  for (int32_t i = 0; i < m.sim->n; i++) {
    if (groups->of[i] != want[i] - '0') fail_msg("%s: coordinate %d is in %d", text, (int)i, (int)groups->of[i]);
  }
  assert_int_equal(groups->works, works);
  moving_close(&m);
}

#define THREE "coord x = 1, y = 1, z = 1\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"

static void terms_rows_and_contacts_join(void** state) {
  (void)state;
  assert_groups(THREE, "012", -1);
  assert_groups(THREE "potential 1/2*(x - z)^2\n", "010", -1);
  assert_groups(THREE "constraint y = z\n", "011", -1);
  assert_groups(THREE "constraint x' = y*z'\nstart exactly x' = 0\n", "000", -1);
  assert_groups(THREE "memory on = 0\nconstraint y = z while on > 0\n", "011", -1);
  assert_groups(THREE "contact c: z - x >= -5\n", "010", -1);
  assert_groups(THREE "when x > 2: y' = 1\n", "012", -1); /* what it gives is measured */
  assert_groups(THREE "potential x + y + z + 7\n", "012", -1);
}

static void groups_with_work_are_one(void** state) {
  (void)state;
  assert_groups(THREE "force x = 1\n", "012", 0);
  assert_groups(THREE "force z = 1\n", "012", 2);
  assert_groups(THREE "force x = 1\nforce z = -z'\n", "010", 0);
  assert_groups(THREE "dissipation y'^2\npotential t*z\n", "011", 1);
  assert_groups(THREE "force x = y\n", "001", 0);
  assert_groups(THREE "constraint z = 1 + sin(t)\n", "012", 2);
  assert_groups(THREE "contact c: y >= 0, friction 0.1, slip x\n", "001", 0);
}

/* Constants are in E, and in no account. */
static void constants_are_left_out(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x = 1, y = 1\nkinetic 1/2*x'^2 + y'^2\npotential 1/2*x^2 + 3*y^2 + 1e16\n", 0, 1e-8);
  ZwSim* sim = m.sim;
  assert_true(zw_energy_measure(sim, 0, sim->y));
  assert_true(sim->scalars[0] > 9.9e15);
  assert_near(sim->energy.groups[0].E, 0.5, 1e-16);
  assert_near(sim->energy.groups[1].E, 3, 1e-16);
  go(&m, 5);
  assert_true(sim->energy.groups[0].off > 0 && sim->energy.groups[0].off < 1e-7);
  moving_close(&m);
}

/* m c^2 (1/sqrt(1 - v^2/c^2) - 1), for c from 1 to 1e9 times v; the sum is exact where the constant is large. */
static void energies_at_rest_are_left_out(void** state) {
  (void)state;
  for (int k = 0; k <= 9; k++) {
    Moving m;
    char text[200];
    (void)snprintf(text, sizeof text,
                   "param c = 1e%d\ncoord x = 1\nlagrangian -3*c^2*sqrt(1 - x'^2/c^2) - x\nstart x' = 0.6\n", k);
    assert_starts(&m, text, 0, 1e-8);
    double b = 0.36 * pow(10, -2 * k), root = sqrt(1 - b), want = 3 * 0.36 / (root * (1 + root)) + 1;
    assert_true(zw_energy_measure(m.sim, 0, m.sim->y));
    assert_near(m.sim->energy.groups[0].E, want, 1e-12);
    assert_near(m.sim->energy.groups[0].V, 1, 0);
    moving_close(&m);
  }
}

/* Beside a company without bounds, and at a row. */
static void rows_are_heard(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x = 1, y = 1\nkinetic 1/2*x'^2 + 1e12*y'^2\npotential 1/2*x^2 + 1e12*y^2\n", 0, 1e-8);
  ZwSim* sim = m.sim;
  go(&m, 5);
  assert_near(sim->energy.groups[0].off_row, 0, 0);
  memcpy(sim->y_out, sim->y, (size_t)sim->dim * sizeof(double));
  sim->y_out[0] += 0.1;
  assert_true(zw_energy_measure(sim, 5, sim->y_out));
  zw_energy_record_row(sim, 5, 0);
  double want = 0.1 * sim->y[0] + 0.005;
  assert_near(sim->energy.groups[0].off_row, fabs(want), 1e-6);
  assert_near(sim->energy.groups[0].t_off_row, 5, 0);
  assert_near(sim->energy.groups[1].off_row / 1e12, 0, 1e-6);
  moving_close(&m);
}

/* Mean kinetic energy: half of the largest in an oscillation, -E in an ellipse of any shape. */
static void means_are_those_over_time(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x = 1\nkinetic 1/2*x'^2\npotential 1/2*x^2\n", 0, 1e-8);
  go(&m, 2 * acos(-1) * 20);
  assert_near(zw_energy_exchanged_mean(&m.sim->energy.groups[0], 0), 0.25, 0.03);
  moving_close(&m);
  for (int k = 1; k <= 3; k++) {
    char text[200];
    (void)snprintf(text, sizeof text,
                   "param e = 1 - 1e-%d\ncoord P = (1 + e, 0)\nkinetic 1/2*P'^2\npotential -1/norm(P)\n"
                   "start P' = (0, sqrt((1 - e)/(1 + e)))\n",
                   k);
    assert_starts(&m, text, 0, 1e-8);
    go(&m, 2 * acos(-1) * 5);
    assert_near(zw_energy_exchanged_mean(&m.sim->energy.groups[0], 0), 0.5, 0.05);
    assert_true(zw_energy_exchanged(&m.sim->energy.groups[0], 0) > 0.5 * pow(10, k));
    moving_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(terms_rows_and_contacts_join),
      cmocka_unit_test(groups_with_work_are_one),
      cmocka_unit_test(constants_are_left_out),
      cmocka_unit_test(energies_at_rest_are_left_out),
      cmocka_unit_test(rows_are_heard),
      cmocka_unit_test(means_are_those_over_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
