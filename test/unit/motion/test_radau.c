/* The numbers of Radau IIA, and the orders of its step and dense output on a pendulum in Cartesian coordinates. */
#include "motion/radau.h"

#include "motion/moving.h"

static const double T = 1.5;
enum { COORDS = 2, STEPS_FINE = 1024 };

static double power(double x, int k) {
  double value = 1;
  for (; k > 0; k--) value *= x;
  return value;
}

/* sum_j a_ij c_j^(k-1) = c_i^k / k for k up to 3; at the end, which is the last stage, up to 5. */
static void numbers_satisfy_the_order_conditions(void** state) {
  (void)state;
  const ZwRadauNumbers* x = &zw_radau_numbers;
  for (int i = 0; i < 3; i++) {
    for (int k = 1; k <= (i == 2 ? 5 : 3); k++) {
      double sum = 0;
      for (int j = 0; j < 3; j++) sum += x->a[i][j] * power(x->c[j], k - 1);
      assert_near(sum, power(x->c[i], k) / k, 1e-16);
    }
  }
}

/* A T = T B^-1 with B = (real; (re, -im; im, re)), that is A T B = T; and T TI = 1. */
static void transformation_separates_the_stages(void** state) {
  (void)state;
  const ZwRadauNumbers* x = &zw_radau_numbers;
  double B[3][3] = {{x->real, 0, 0}, {0, x->re, -x->im}, {0, x->im, x->re}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double unit = 0, ATB = 0;
      for (int k = 0; k < 3; k++) {
        double AT = 0;
        unit += x->T[i][k] * x->TI[k][j];
        for (int l = 0; l < 3; l++) AT += x->a[i][l] * x->T[l][k];
        ATB += AT * B[k][j];
      }
      assert_near(unit, i == j, 2e-15);
      assert_near(ATB, x->T[i][j], 1e-15);
    }
  }
}

/* The error weights give a formula that is right for y' = 1, t, t^2: g f(0) + sum_i e_i Z_i = 0 for h = 1. */
static void error_weights_are_of_order_three(void** state) {
  (void)state;
  const ZwRadauNumbers* x = &zw_radau_numbers;
  for (int k = 1; k <= 3; k++) {
    double sum = k == 1 ? 1 / x->real : 0;
    for (int i = 0; i < 3; i++) sum += x->e[i] * power(x->c[i], k) / k;
    assert_near(sum, 0, 1e-15);
  }
}

/* ---- orders ---- */

static double fine[STEPS_FINE + 1][2 * COORDS];

typedef struct Walk {
  int n;
  bool is_reference;
  double dense;
} Walk;

static double distance(const double* y, int place) {
  double worst = 0;
  for (int i = 0; i < 2 * COORDS; i++) worst = fmax(worst, fabs(y[i] - fine[place][i]));
  return worst;
}

/* n steps of equal length; gives the error at the end. */
static double walk(Walk* walk) {
  Moving m;
  assert_starts(&m, PENDULUM, 0, 0.1);
  ZwSim* sim = m.sim;
  assert_int_equal(zw_sim_set_integrator(sim, walk->is_reference ? ZW_INTEGRATOR_EXPLICIT : ZW_INTEGRATOR_RADAU),
                   ZW_OK);
  assert_int_equal(zw_eval_rate(sim, 0, sim->y, sim->k[0]), ZW_OK);
  sim->tolerance = walk->is_reference ? 1e10 : 1e-13; /* for the iterations of the stages */
  zw_restart(sim, T);
  zw_sizes_ease(sim); /* the tolerance is that of rounding */
  sim->tol_project = 1e-14;
  for (int i = 0; i < walk->n; i++) {
    double t_end = T * (i + 1) / walk->n, y[2 * COORDS + 1], error;
    if (walk->is_reference) {
      sim->h_next = t_end - sim->t;
      assert_int_equal(zw_step(sim, t_end), ZW_OK);
      memcpy(fine[i + 1], sim->y_new, sizeof fine[0]);
    } else {
      int32_t row;
      sim->step = sim->h_dense = t_end - sim->t;
      sim->has_dense = false;
      zw_sizes_take(sim, sim->step);
      assert_int_equal(zw_radau_attempt(sim, sim->step, &error), ZW_OK);
      assert_int_equal(zw_project(sim, t_end, sim->y_new, &row), ZW_PROJECTED);
      assert_int_equal(zw_eval_rate(sim, t_end, sim->y_new, sim->k[ZW_DOP853_STAGES]), ZW_OK);
      assert_int_equal(zw_dense(sim), ZW_OK);
      int part = STEPS_FINE / walk->n;
      for (int k = 0; k <= 8; k++) {
        zw_interpolate(sim, k / 8.0, y);
        if (k > 0 || i > 0) walk->dense = fmax(walk->dense, distance(y, part * i + part * k / 8));
      }
    }
    assert_int_equal(zw_advance(sim, t_end), ZW_OK);
  }
  double error = distance(sim->y, STEPS_FINE);
  moving_close(&m);
  return error;
}

static void step_is_of_order_five_and_dense_output_of_order_three(void** state) {
  (void)state;
  Walk reference = {.n = STEPS_FINE, .is_reference = true}, walks[] = {{.n = 32}, {.n = 64}, {.n = 128}};
  double errors[3];
  (void)walk(&reference);
  for (int i = 0; i < 3; i++) errors[i] = walk(&walks[i]);
  for (int i = 0; i < 2; i++) {
    double order = log2(errors[i] / errors[i + 1]), dense = log2(walks[i].dense / walks[i + 1].dense);
    print_message("%d steps: error %.3g, order %.2f; dense output %.3g, order %.2f\n", walks[i].n, errors[i], order,
                  walks[i].dense, dense);
    assert_true(order >= 4.7);
    assert_true(dense >= 3.6); /* its local error is of one order more */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_satisfy_the_order_conditions),
                                     cmocka_unit_test(transformation_separates_the_stages),
                                     cmocka_unit_test(error_weights_are_of_order_three),
                                     cmocka_unit_test(step_is_of_order_five_and_dense_output_of_order_three)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
