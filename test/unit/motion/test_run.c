#include "motion/moving.h"

typedef struct Rows {
  double* values; /* width each */
  int32_t width, count, capacity;
  int32_t polls, polls_max; /* interrupt after so many; 0: never */
  int32_t stop_at;          /* refuse this row; 0: none */
} Rows;

static ZwStatus keep_row(void* context, const double* values) {
  Rows* rows = context;
  if (rows->stop_at && rows->count + 1 == rows->stop_at) return ZW_ERR_IO;
  if (rows->count == rows->capacity) {
    rows->capacity = rows->capacity ? 2 * rows->capacity : 64;
    rows->values = realloc(rows->values, (size_t)(rows->capacity * rows->width) * sizeof(double));
  }
  memcpy(rows->values + (ptrdiff_t)rows->count++ * rows->width, values, (size_t)rows->width * sizeof(double));
  return ZW_OK;
}

static bool poll(void* context, double t) {
  Rows* rows = context;
  assert_true(t > -1e9);
  return ++rows->polls != rows->polls_max;
}

static ZwStatus run(Moving* m, Rows* rows, double from, double to, double every) {
  rows->width = 1 + 2 * m->sim->n + m->sim->equations->output_count;
  ZwRunPlan plan = {
      .to = to - from, .end = to, .has_end = true, .every = every, .row = keep_row, .poll = poll, .context = rows};
  return zw_run(m->sim, &plan);
}

/* Rows at from + k every, to the last bit, and at the end; x = cos(t - from), y = sin(t - from) in each. */
static void assert_sampled(double from, double to, double every, int32_t count) {
  Moving m;
  assert_starts(&m, TURNING, from, 1e-10);
  Rows rows = {0};
  assert_int_equal(run(&m, &rows, from, to, every), ZW_OK);
  if (rows.count != count)
    fail_msg("%d rows from %g to %g every %g, not %d", (int)rows.count, from, to, every, (int)count);
  for (int32_t k = 0; k < count; k++) {
    const double* row = rows.values + (ptrdiff_t)k * rows.width;
    double want = k + 1 < count ? from + (double)k * every : to;
    if (row[0] != want) fail_msg("row %d is at %.17g, not at %.17g", (int)k, row[0], want);
    assert_near(row[1], cos(row[0] - from), 1e-7);
    assert_near(row[2], sin(row[0] - from), 1e-7);
    assert_near(row[1] * row[1] + row[2] * row[2], 1, 1e-13);
  }
  assert_true(zw_time(m.sim, m.sim->t) == to);
  moving_close(&m);
  free(rows.values);
}

static void rows_are_on_the_grid_and_at_the_end(void** state) {
  (void)state;
  assert_sampled(0, 1, 0.1, 11);
  assert_sampled(0, 1, 0.25, 5);
  assert_sampled(0, 1, 0.3, 5);   /* 0 0.3 0.6 0.9 1 */
  assert_sampled(0, 3, 0.1, 31);  /* 30 * 0.1 is not quite 3 */
  assert_sampled(0, 0.7, 0.1, 8); /* 7 * 0.1 is a little more than 0.7 */
  assert_sampled(-2, 2, 0.5, 9);
  assert_sampled(0.3, 2.7, 0.1, 25);
  assert_sampled(1000, 1001, 0.125, 9);
}

static void rows_can_be_as_few_as_two(void** state) {
  (void)state;
  assert_sampled(0, 1, 1, 2);
  assert_sampled(0, 1, 0.9999, 3);
  assert_sampled(0, 1, 1.5, 2);
  assert_sampled(0, 1, 1e6, 2);
}

/* However long the time between rows, the end has one. */
static void huge_time_between_rows_leaves_the_end(void** state) {
  (void)state;
  assert_sampled(0, 1, 1e9, 2);
  assert_sampled(0, 1, 1e12, 2);
  assert_sampled(0, 1, 1e300, 2);
}

static void rows_can_be_many_in_a_step(void** state) {
  (void)state;
  assert_sampled(0, 1, 1e-4, 10001);
  assert_sampled(0, 1e-3, 1e-7, 10001);
}

static void evidence_is_collected_along_the_way(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, PENDULUM "output height = y, pull = x'', t2 = t^2\n", 0, 1e-9);
  Rows rows = {0};
  assert_int_equal(run(&m, &rows, 0, 5, 0.05), ZW_OK);
  assert_int_equal(rows.count, 101);
  const ZwStats* stats = &m.sim->stats;
  assert_true(stats->steps > 10);
  assert_int_equal(rows.polls, stats->steps);
  assert_true(stats->evaluations >= 12 * stats->steps);
  assert_true(stats->phi_max < 1e-12);
  assert_true(stats->psi_max < 1e-11);
  assert_near(stats->energy_start, 0, 1e-15);
  assert_true(m.sim->energy.groups[0].off < 1e-6 * stats->energy_scale);
  for (int32_t k = 0; k < rows.count; k++) {
    const double* row = rows.values + (ptrdiff_t)k * rows.width;
    double x = row[1], y = row[2], vx = row[3], vy = row[4];
    double lambda = -(vx * vx + vy * vy) + 9.81 * y; /* x'' = lambda x for m = l = 1 */
    assert_near(row[5], y, 0);
    assert_near(row[6], lambda * x, 1e-9);
    assert_near(row[7], row[0] * row[0], 1e-15 * 25);
  }
  moving_close(&m);
  free(rows.values);
}

static void work_balances_the_energy_of_a_driven_system(void** state) {
  (void)state;
  Moving m;
  assert_starts(
      &m, "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential y\nconstraint y = x*sin(t)\nforce x = cos(3*t) - x'\n", 0,
      1e-9);
  Rows rows = {0};
  assert_int_equal(run(&m, &rows, 0, 5, 0.5), ZW_OK);
  const ZwStats* stats = &m.sim->stats;
  assert_true(m.sim->energy.work > 0.1);
  assert_true(m.sim->energy.groups[0].off < 1e-6 * stats->energy_scale);
  moving_close(&m);
  free(rows.values);
}

static void run_can_be_interrupted(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, TURNING, 0, 1e-10);
  Rows rows = {.polls_max = 3};
  assert_int_equal(run(&m, &rows, 0, 100, 1), ZW_ERR_INTERRUPTED);
  assert_int_equal(m.sim->stats.steps, 3);
  moving_close(&m);
  free(rows.values);
}

static void refused_row_ends_the_run_with_its_status(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, TURNING, 0, 1e-10);
  Rows rows = {.stop_at = 5};
  assert_int_equal(run(&m, &rows, 0, 1, 0.1), ZW_ERR_IO);
  assert_int_equal(rows.count, 4);
  moving_close(&m);
  free(rows.values);
}

static void motion_out_of_the_domain_names_the_expression(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x\nkinetic 1/2*x'^2\nforce x = log(1 - t)\n", 0, 1e-8);
  Rows rows = {0};
  assert_int_equal(run(&m, &rows, 0, 2, 0.1), ZW_ERR_DOMAIN);
  assert_error(&m.s, ZW_ERR_DOMAIN, 3, 11, "log(1 - t)");
  assert_near(m.sim->t, 1, 1e-3);
  assert_in_range(rows.count, 9, 11);
  moving_close(&m);
  free(rows.values);
}

/* x' grows beyond all bounds before t = 1. */
static void blow_up_ends_the_run(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, "coord x\nkinetic 1/2*x'^2\nforce x = 2*x'*(1 + x'^2)\nstart x' = 1\n", 0, 1e-8);
  Rows rows = {0};
  ZwStatus status = run(&m, &rows, 0, 2, 0.1);
  assert_true(status == ZW_ERR_STEP || status == ZW_ERR_DOMAIN);
  assert_true(m.s.diags.errors == 1);
  moving_close(&m);
  free(rows.values);
}

static void output_without_a_value_is_noted_once(void** state) {
  (void)state;
  Moving m;
  assert_starts(&m, TURNING "output o = log(0.5 - t)\n", 0, 1e-8);
  Rows rows = {0};
  assert_int_equal(run(&m, &rows, 0, 1, 0.1), ZW_OK);
  assert_int_equal(rows.count, 11);
  assert_true(isnan(rows.values[10 * rows.width + 5]));
  assert_int_equal(m.s.diags.list.count, 1);
  assert_int_equal(m.s.diags.list.items[0].severity, ZW_SEVERITY_NOTE);
  moving_close(&m);
  free(rows.values);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_on_the_grid_and_at_the_end),
      cmocka_unit_test(rows_can_be_as_few_as_two),
      cmocka_unit_test(huge_time_between_rows_leaves_the_end),
      cmocka_unit_test(rows_can_be_many_in_a_step),
      cmocka_unit_test(evidence_is_collected_along_the_way),
      cmocka_unit_test(work_balances_the_energy_of_a_driven_system),
      cmocka_unit_test(run_can_be_interrupted),
      cmocka_unit_test(refused_row_ends_the_run_with_its_status),
      cmocka_unit_test(motion_out_of_the_domain_names_the_expression),
      cmocka_unit_test(blow_up_ends_the_run),
      cmocka_unit_test(output_without_a_value_is_noted_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
