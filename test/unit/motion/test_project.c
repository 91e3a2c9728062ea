#include "motion/moving.h"

/* zw_project with positions and velocities apart. */
static ZwProjection project(ZwSim* sim, double t, double* q, double* v, int32_t* row) {
  double y[16] = {0};
  int32_t n = sim->n;
  assert_true(2 * n < 16);
  memcpy(y, q, (size_t)n * sizeof(double));
  memcpy(y + n, v, (size_t)n * sizeof(double));
  ZwProjection result = zw_project(sim, t, y, row);
  memcpy(q, y, (size_t)n * sizeof(double));
  memcpy(v, y + n, (size_t)n * sizeof(double));
  return result;
}

static void state_off_the_constraints_is_put_back(void** state) {
  (void)state;
  Random random = random_from(31);
  for (int trial = 0; trial < 200; trial++) {
    Moving m;
    assert_starts(&m, PENDULUM, 0, 1e-8);
    double angle = 3 * random_number(&random), rate = 4 * random_number(&random);
    double q[] = {cos(angle) + 1e-3 * random_number(&random), sin(angle) + 1e-3 * random_number(&random)};
    double v[] = {-rate * sin(angle) + 1e-3 * random_number(&random),
                  rate * cos(angle) + 1e-3 * random_number(&random)};
    int32_t row = -1;
    m.sim->displacement = 0;
    assert_int_equal(project(m.sim, 0, q, v, &row), ZW_PROJECTED);
    assert_near(q[0] * q[0] + q[1] * q[1], 1, 1e-14);
    assert_near(q[0] * v[0] + q[1] * v[1], 0, 1e-14);
    moving_close(&m);
  }
}

static void consistent_state_does_not_move(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, PENDULUM, 0, 1e-8);
  double q[] = {0.6, -0.8}, v[] = {0.8, 0.6};
  int32_t row = -1;
  m.sim->displacement = 0;
  assert_int_equal(project(m.sim, 0, q, v, &row), ZW_PROJECTED);
  assert_near(q[0], 0.6, 1e-15);
  assert_near(v[1], 0.6, 1e-15);
  assert_near(m.sim->displacement, 0, 1e-6); /* in units of the tolerance */
  moving_close(&m);
}

/* From (1 + d, 0) the nearest point is (1, 0): the position moves by d, which is d / (tol (1 + |q|)) in the norm. */
static void displacement_is_measured_like_an_error(void** state) {
  (void)state;
  const double d = 1e-4, tolerance = 1e-8;
  Moving m;
  assert_starts(&m, PENDULUM, 0, tolerance);
  double q[] = {1 + d, 0}, v[] = {0, 0.5};
  int32_t row = -1;
  m.sim->displacement = 0;
  assert_int_equal(project(m.sim, 0, q, v, &row), ZW_PROJECTED);
  assert_near(q[0], 1, 1e-14);
  assert_near(m.sim->displacement, d / (tolerance * 2) / sqrt(2), 1);
  moving_close(&m);
}

/* x + y = 0 with masses 1 and 3: of a deviation e the light one takes three quarters. */
static void light_masses_move_more(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x, y\nkinetic 1/2*x'^2 + 3/2*y'^2\nconstraint a: x + y = 0\n", 0, 1e-8);
  double q[] = {1.04, -1}, v[] = {-2, 2.4};
  int32_t row = -1;
  assert_int_equal(project(m.sim, 0, q, v, &row), ZW_PROJECTED);
  assert_near(q[0], 1.01, 1e-14);
  assert_near(q[1], -1.01, 1e-14);
  assert_near(v[0], -2.3, 1e-14);
  assert_near(v[1], 2.3, 1e-14);
  moving_close(&m);
}

static void velocity_constraints_move_velocities_only(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m,
                "coord x, y, phi = 0.3\nkinetic x'^2 + y'^2 + phi'^2\n"
                "constraint edge: x'*sin(phi) = y'*cos(phi)\n",
                0, 1e-8);
  double q[] = {1, 2, 0.3}, v[] = {0.5, 0.7, 0.1};
  int32_t row = -1;
  assert_int_equal(project(m.sim, 0, q, v, &row), ZW_PROJECTED);
  assert_true(q[0] == 1 && q[1] == 2 && q[2] == 0.3);
  assert_near(v[0] * sin(0.3) - v[1] * cos(0.3), 0, 1e-15);
  assert_near(v[0] * cos(0.3) + v[1] * sin(0.3), 0.5 * cos(0.3) + 0.7 * sin(0.3),
              1e-14); /* along the edge it is free */
  moving_close(&m);
}

static void moving_constraints_are_met_at_the_time_asked_for(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x, y\nkinetic x'^2 + y'^2\nconstraint a: x = sin(t)\n", 0, 1e-8);
  double q[] = {0.4, 0}, v[] = {0.4, 1};
  int32_t row = -1;
  assert_int_equal(project(m.sim, 0.5, q, v, &row), ZW_PROJECTED);
  assert_near(q[0], sin(0.5), 1e-15);
  assert_near(v[0], cos(0.5), 1e-15);
  moving_close(&m);
}

/* A row outside the frozen ones that stops following from them must not pass unseen. */
static void violated_row_outside_the_frozen_ones_is_named(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x, y\nkinetic x'^2 + y'^2\nconstraint a: x = t\nconstraint b: x = t + t^4\n", 0, 1e-8);
  assert_int_equal(m.sim->sets[ZW_LEVEL_POSITION].count, 1);
  double q[] = {1, 0}, v[] = {1, 0};
  int32_t row = -1;
  assert_int_equal(project(m.sim, 1, q, v, &row), ZW_PROJECTION_DROPPED_ROW);
  assert_int_equal(row, 1 - m.sim->sets[ZW_LEVEL_POSITION].rows[0]);
  moving_close(&m);
}

static void hopeless_projection_fails(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x = 1, y\nkinetic x'^2 + y'^2\nconstraint a: log(x) = y\n", 0, 1e-8);
  double q[] = {-1, 0}, v[] = {0, 0};
  int32_t row = -1;
  assert_int_equal(project(m.sim, 0, q, v, &row), ZW_PROJECTION_FAILED);
  moving_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(state_off_the_constraints_is_put_back),
      cmocka_unit_test(consistent_state_does_not_move),
      cmocka_unit_test(displacement_is_measured_like_an_error),
      cmocka_unit_test(light_masses_move_more),
      cmocka_unit_test(velocity_constraints_move_velocities_only),
      cmocka_unit_test(moving_constraints_are_met_at_the_time_asked_for),
      cmocka_unit_test(violated_row_outside_the_frozen_ones_is_named),
      cmocka_unit_test(hopeless_projection_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
