/* The order of the step and of its dense output, measured on a pendulum in Cartesian coordinates. */
#include "motion/moving.h"

enum { FINE = 2048, COORDS = 2 };
static const double T = 1.5;

/* n steps of equal length: the tolerance is so wide that every step is accepted as it is. `visit` sees each pending
 * step. */
static void walk_equal_steps(Moving* m, int n, void (*visit)(ZwSim* sim, int step, void* context), void* context) {
  assert_starts(m, PENDULUM, 0, 0.1);
  ZwSim* sim = m->sim;
  sim->tolerance = 1e10;
  sim->tol_project = 1e-14;
  assert_int_equal(zw_eval_rate(sim, 0, sim->y, sim->k[0]), ZW_OK);
  for (int i = 0; i < n; i++) {
    double t_end = T * (i + 1) / n;
    sim->h_next = t_end - sim->t;
    assert_int_equal(zw_step(sim, t_end), ZW_OK);
    assert_near(sim->step, T / n, 1e-12);
    if (visit) visit(sim, i, context);
    assert_int_equal(zw_advance(sim, t_end), ZW_OK);
  }
  assert_int_equal(sim->stats.rejected, 0);
}

static double reference[FINE + 1][2 * COORDS];

static void keep_state(ZwSim* sim, int step, void* context) {
  (void)context;
  memcpy(reference[step + 1], sim->y_new, sizeof reference[0]);
}

static int make_reference(void** state) {
  (void)state;
  Moving m;
  walk_equal_steps(&m, FINE, keep_state, NULL);
  moving_close(&m);
  return 0;
}

static double distance_from_reference(const double* y, int place) {
  double worst = 0;
  for (int i = 0; i < 2 * COORDS; i++) worst = fmax(worst, fabs(y[i] - reference[place][i]));
  return worst;
}

static double error_of_steps(int n) {
  Moving m;
  walk_equal_steps(&m, n, NULL, NULL);
  double error = distance_from_reference(m.sim->y, FINE);
  moving_close(&m);
  return error;
}

static void step_is_of_order_eight(void** state) {
  (void)state;
  double coarse = error_of_steps(8), middle = error_of_steps(16), fine = error_of_steps(32);
  print_message("errors %.3g %.3g %.3g, orders %.2f %.2f\n", coarse, middle, fine, log2(coarse / middle),
                log2(middle / fine));
  assert_true(log2(coarse / middle) >= 7.5);
  assert_true(log2(middle / fine) >= 7.5);
  assert_true(fine < 1e-9);
}

typedef struct Dense {
  int n;
  double worst;
} Dense;

static void measure_dense(ZwSim* sim, int step, void* context) {
  Dense* dense = context;
  double y[2 * COORDS + 1];
  assert_int_equal(zw_dense(sim), ZW_OK);
  for (int k = 1; k < 16; k++) {
    zw_interpolate(sim, k / 16.0, y);
    dense->worst = fmax(dense->worst, distance_from_reference(y, FINE / dense->n * step + FINE / dense->n * k / 16));
  }
}

static double error_of_dense(int n) {
  Moving m;
  Dense dense = {.n = n};
  walk_equal_steps(&m, n, measure_dense, &dense);
  moving_close(&m);
  return dense.worst;
}

static void dense_output_is_of_order_seven(void** state) {
  (void)state;
  double coarse = error_of_dense(8), middle = error_of_dense(16), fine = error_of_dense(32);
  print_message("errors %.3g %.3g %.3g, orders %.2f %.2f\n", coarse, middle, fine, log2(coarse / middle),
                log2(middle / fine));
  assert_true(log2(coarse / middle) >= 6.7);
  assert_true(log2(middle / fine) >= 6.7);
}

static void check_ends(ZwSim* sim, int step, void* context) {
  (void)step, (void)context;
  double y[2 * COORDS + 1];
  assert_int_equal(zw_dense(sim), ZW_OK);
  zw_interpolate(sim, 0, y);
  for (int i = 0; i < 2 * COORDS; i++) assert_near(y[i], sim->y[i], 0);
  zw_interpolate(sim, 1, y);
  for (int i = 0; i < 2 * COORDS; i++) assert_near(y[i], sim->y_new[i], 1e-15 * (1 + fabs(y[i])));
}

static void dense_output_meets_both_ends(void** state) {
  (void)state;
  Moving m;
  walk_equal_steps(&m, 8, check_ends, NULL);
  moving_close(&m);
}

/* ---- with step size control ---- */

typedef struct Controlled {
  double error;
  int64_t steps;
} Controlled;

static Controlled run_controlled(double tolerance) {
  Moving m;
  assert_starts(&m, PENDULUM, 0, tolerance);
  ZwSim* sim = m.sim;
  assert_int_equal(zw_eval_rate(sim, 0, sim->y, sim->k[0]), ZW_OK);
  zw_restart(sim, T);
  Controlled result = {0};
  while (sim->t < T) {
    assert_int_equal(zw_step(sim, T), ZW_OK);
    assert_true(sim->step > 0 && sim->t + sim->step <= T * (1 + 1e-15));
    double t_end = sim->step >= T - sim->t ? T : sim->t + sim->step;
    assert_int_equal(zw_advance(sim, t_end), ZW_OK);
    result.steps++;
  }
  result.error = distance_from_reference(sim->y, FINE);
  moving_close(&m);
  return result;
}

static void error_follows_the_tolerance(void** state) {
  (void)state;
  double before = INFINITY;
  for (int exponent = -4; exponent >= -12; exponent -= 2) {
    double tolerance = pow(10, exponent);
    Controlled run = run_controlled(tolerance);
    print_message("tolerance %.0e: error %.3g in %d steps\n", tolerance, run.error, (int)run.steps);
    assert_true(run.error < 100 * tolerance);
    assert_true(run.error < 0.1 * before || run.error < 1e-13);
    before = run.error;
  }
}

static void work_grows_as_the_eighth_root(void** state) {
  (void)state;
  Controlled coarse = run_controlled(1e-5), fine = run_controlled(1e-11);
  double order = log(coarse.error / fine.error) / log((double)fine.steps / (double)coarse.steps);
  print_message("order %.2f in steps\n", order);
  assert_true(order >= 6.5); /* whole steps are few, so this is rough */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(step_is_of_order_eight),        cmocka_unit_test(dense_output_is_of_order_seven),
      cmocka_unit_test(dense_output_meets_both_ends),  cmocka_unit_test(error_follows_the_tolerance),
      cmocka_unit_test(work_grows_as_the_eighth_root),
  };
  return cmocka_run_group_tests(tests, make_reference, NULL);
}
