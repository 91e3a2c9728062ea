/* The derivatives of the accelerations by positions and velocities, and of psi by positions, of every example, against
 * differences of order 8. */
#include "extras.h"
#include "stages.h"

static const double step = 1e-4, bound = 1e-8;
static double worst;

/* d(rate of v)/d y_j by central differences of order 8. */
static void difference(ZwSim* sim, double* y, int32_t j, double* column) {
  static const double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double kept = y[j], h = step * (1 + fabs(kept));
  double* rate = malloc((size_t)sim->dim * sizeof(double));
  assert_non_null(rate);
  memset(column, 0, (size_t)sim->n * sizeof(double));
  for (int k = 0; k < 8; k++) {
    int far = k / 2 + 1, side = k % 2 ? -1 : 1;
    y[j] = kept + side * far * h;
    assert_int_equal(zw_eval_rate(sim, sim->t, y, rate), ZW_OK);
    for (int32_t i = 0; i < sim->n; i++) column[i] += side * weights[k / 2] * rate[sim->n + i] / h;
  }
  y[j] = kept;
  free(rate);
}

static void compare_at(ZwSim* sim, const char* name, double* y) {
  ptrdiff_t n = sim->n;
  double* memory = malloc((size_t)(2 * n * n + n) * sizeof(double) + zw_jacobian_work_size(sim->program));
  assert_non_null(memory);
  double *by[2] = {memory, memory + n * n}, *column = memory + 2 * n * n, *work = column + n, size = 1;
  assert_int_equal(zw_jacobian(sim, sim->t, y, work, by[0], by[1]), ZW_OK);
  for (ptrdiff_t i = 0; i < 2 * n * n; i++) size = fmax(size, fabs(memory[i]));
  for (int32_t j = 0; j < 2 * n; j++) {
    difference(sim, y, j, column);
    for (ptrdiff_t i = 0; i < n; i++) {
      double got = by[j / n][i * n + j % n], off = fabs(got - column[i]) / size;
      worst = fmax(worst, off);
      if (!(off <= bound)) {
        fail_msg("%s: d a[%d] / d y[%d] is %.17g, differences say %.17g (largest %.3g)", name, (int)i, (int)j, got,
                 column[i], size);
      }
    }
  }
  free(memory);
}

/* The same of psi by the positions. */
static void compare_velocities_at(ZwSim* sim, const char* name, double* y) {
  static const double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  ptrdiff_t n = sim->n, m = sim->m;
  double* by_q = malloc((size_t)(m * n + m + 1) * sizeof(double) + zw_jacobian_work_size(sim->program));
  assert_non_null(by_q);
  double *column = by_q + m * n, *work = column + m + 1, size = 1;
  assert_true(zw_eval_velocity(sim, sim->t, y, y + n));
  zw_program_velocity_slope(sim->program, &sim->state, work, by_q);
  for (ptrdiff_t i = 0; i < m * n; i++) size = fmax(size, fabs(by_q[i]));
  for (ptrdiff_t j = 0; j < n; j++) {
    double kept = y[j], h = step * (1 + fabs(kept));
    memset(column, 0, (size_t)m * sizeof(double));
    for (int k = 0; k < 8; k++) {
      int far = k / 2 + 1, side = k % 2 ? -1 : 1;
      y[j] = kept + side * far * h;
      assert_true(zw_eval_velocity(sim, sim->t, y, y + n));
      for (ptrdiff_t i = 0; i < m; i++) column[i] += side * weights[k / 2] * sim->psi[i] / h;
    }
    y[j] = kept;
    for (ptrdiff_t i = 0; i < m; i++) {
      double off = fabs(by_q[i * n + j] - column[i]) / size;
      worst = fmax(worst, off);
      if (!(off <= bound)) {
        fail_msg("%s: d psi[%d] / d q[%d] is %.17g, differences say %.17g", name, (int)i, (int)j, by_q[i * n + j],
                 column[i]);
      }
    }
  }
  free(by_q);
}

/* At the start, and beside the constraints. */
static void check_model(const char* name, const char* text) {
  Stages stages;
  open_stages(&stages, name, text);
  ZwSim* sim = stages.sim;
  demand(&stages, name, "start", zw_start(sim, sim->t));
  if (sim->n > 60) { /* a net: its elements are those of the small ones */
    close_stages(&stages);
    return;
  }
  compare_at(sim, name, sim->y);
  compare_velocities_at(sim, name, sim->y);
  Random random = random_from(7);
  for (int32_t i = 0; i < sim->dim; i++) sim->y[i] += 0.01 * random_number(&random);
  compare_at(sim, name, sim->y);
  compare_velocities_at(sim, name, sim->y);
  close_stages(&stages);
}

static void derivatives_agree_with_differences(void** state) {
  (void)state;
  check_all_models(check_model);
  print_message("worst %.2g of the largest entry\n", worst);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives_agree_with_differences)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
