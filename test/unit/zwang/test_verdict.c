/* The account of energy and the verdict, as a host sees them. */
#include <math.h>

#include "zwang/hosts.h"

#define SWING "coord x = 1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nrun 0 .. 10\n"

static ZwRun* open_run(const char* text, const char* integrator, double step, ZwModel** model) {
  ZwRun* run = NULL;
  ZwRunDef how = zw_default_run_def();
  how.integrator = integrator;
  how.step = step;
  assert_int_equal(compile_text(text, model), ZW_OK);
  assert_int_equal(zw_run_create(*model, &how, &run), ZW_OK);
  return run;
}

static void close_run(ZwRun* run, ZwModel* model) {
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void good_run_is_trusted(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run = open_run(SWING, NULL, NAN, &model);
  assert_int_equal(zw_run_report(run)->verdict, ZW_VERDICT_NONE); /* it has not begun */
  assert_int_equal(zw_run_go(run), ZW_OK);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->verdict, ZW_TRUSTED);
  assert_int_equal(report->doubt_count, 0);
  assert_true(report->energy_exchanged > 0.4 &&
              report->energy_exchanged < 0.5 + 1e-6); /* as seen at the ends of steps */
  assert_true(report->energy_off < 100 * report->energy_allowed && report->energy_allowed < 1e-6);
  assert_int_equal(report->energy_share_count, 0);
  close_run(run, model);
}

static void long_steps_are_refused(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run = open_run(SWING, "rattle", 2.1, &model);
  assert_int_equal(zw_run_go(run), ZW_ERR_DOUBT);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->verdict, ZW_REFUSED);
  assert_string_equal(report->doubts[0].about, "energy");
  assert_true(report->energy_drift > 1e-2);
  assert_int_equal(zw_run_diag(run, zw_run_diag_count(run) - 1)->code, ZW_ERR_DOUBT);
  assert_int_equal(zw_run_go(run), ZW_ERR_DOUBT); /* it stays so */
  close_run(run, model);
}

static void swing_is_doubted_where_it_is_wide(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run = open_run(SWING, "rattle", 0.02, &model);
  assert_int_equal(zw_run_go(run), ZW_OK);
  assert_int_equal(zw_run_report(run)->verdict, ZW_TRUSTED);
  close_run(run, model);
  run = open_run("coord x = 1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nrun 0 .. 300\n", "rattle", 1.2, &model);
  assert_int_equal(zw_run_go(run), ZW_OK);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->verdict, ZW_DOUBTFUL);
  assert_string_equal(report->doubts[0].about, "oscillation");
  assert_true(strlen(report->doubts[0].remedy) > 0);
  close_run(run, model);
}

/* A ball of mass 2 that falls by 1, bounces with half its speed, and is stopped in flight by a line of the user. */
static void events_have_their_shares(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run = open_run(
      "coord y = 1\nmemory n = 0\nkinetic y'^2\npotential 2*10*y\ncontact floor: y >= 0, restitution 0.5\n"
      "when y' < 0 and t > 0.5 and n < 1: y' = 0, n = 1\nrun 0 .. 0.8\n",
      NULL, NAN, &model);
  assert_int_equal(zw_run_go(run), ZW_OK);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->verdict, ZW_TRUSTED);
  assert_true(report->energy_share_count >= 1);
  assert_string_equal(report->energy_shares[0].name, "floor");
  assert_true(fabs(report->energy_shares[0].energy + 15) < 1e-6); /* three quarters of 20 */
  assert_int_equal(report->energy_shares[0].count, 1);
  double sum = 0;
  for (int32_t i = 0; i < report->energy_share_count; i++) sum += report->energy_shares[i].energy;
  assert_true(fabs(sum - report->energy_events) < 1e-9);
  assert_true(fabs(report->energy_start - 20) < 1e-12); /* it stays that of the start */
  close_run(run, model);
}

/* What a host sets is in the account too. */
static void host_has_its_share(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run =
      open_run("param k = 1\ncoord x = 1\nkinetic 1/2*x'^2\npotential 1/2*k*x^2\nrun 0 .. 10\n", NULL, NAN, &model);
  assert_int_equal(zw_run_to(run, 2 * acos(-1.0)), ZW_OK);
  assert_int_equal(zw_run_set(run, "k", 4), ZW_OK);
  assert_int_equal(zw_run_to(run, 10), ZW_OK);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->verdict, ZW_TRUSTED);
  assert_int_equal(report->energy_share_count, 1);
  assert_string_equal(report->energy_shares[0].name, "set by the host");
  assert_true(fabs(report->energy_shares[0].energy - 1.5) < 1e-6);
  close_run(run, model);
}

/* More names than there is room for: the sum is right all the same. */
static void many_names_are_summed(void** state) {
  (void)state;
  char text[8000] = "coord x = 0\nkinetic 1/2*x'^2\nstart x' = 1\nrun 0 .. 50\n";
  for (int i = 1; i <= 40; i++) {
    char line[100];
    snprintf(line, sizeof line, "when x > %d: x' = %.17g\n", i, i % 2 ? 1.5 : 1.0);
    strcat(text, line);
  }
  ZwModel* model;
  ZwRun* run = open_run(text, NULL, NAN, &model);
  assert_int_equal(zw_run_go(run), ZW_OK);
  const ZwReport* report = zw_run_report(run);
  double sum = 0;
  int64_t count = 0;
  for (int32_t i = 0; i < report->energy_share_count; i++) {
    sum += report->energy_shares[i].energy;
    count += report->energy_shares[i].count;
  }
  assert_string_equal(report->energy_shares[report->energy_share_count - 1].name, "others");
  assert_int_equal(count, report->energy_event_count);
  assert_true(fabs(sum - report->energy_events) < 1e-12);
  assert_int_equal(report->verdict, ZW_TRUSTED);
  close_run(run, model);
}

/* A run that goes on from a saved state has the account of one that was never left. */
static void account_goes_on(void** state) {
  (void)state;
  const char* text =
      "coord y = 1, x = 0\nkinetic 1/2*y'^2 + 1/2*x'^2\npotential 9.81*y + 1/2*x^2\n"
      "contact floor: y >= 0, restitution 0.9\nforce x = -0.1*x'\nstart x' = 1\nrun 0 .. 4\n";
  ZwModel *model, *other;
  ZwRun *run = open_run(text, NULL, NAN, &model), *again = open_run(text, NULL, NAN, &other);
  assert_int_equal(zw_run_to(run, 2), ZW_OK);
  size_t size = zw_run_state_size(run);
  void* bytes = malloc(size);
  assert_non_null(bytes);
  assert_int_equal(zw_run_save(run, bytes), ZW_OK);
  assert_int_equal(zw_run_restore(again, bytes, size), ZW_OK);
  free(bytes);
  assert_int_equal(zw_run_go(run), ZW_OK);
  assert_int_equal(zw_run_go(again), ZW_OK);
  const ZwReport *one = zw_run_report(run), *two = zw_run_report(again);
  assert_true(one->energy_share_count == 1 && two->energy_share_count == 1);
  assert_true(one->energy_shares[0].count > 3 && one->energy_shares[0].count == two->energy_shares[0].count);
  assert_true(one->energy_events == two->energy_events && one->energy_shares[0].energy == two->energy_shares[0].energy);
  assert_true(one->energy_off == two->energy_off && one->energy_exchanged == two->energy_exchanged);
  assert_int_equal(two->verdict, ZW_TRUSTED);
  close_run(run, model);
  close_run(again, other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_run_is_trusted),
      cmocka_unit_test(long_steps_are_refused),
      cmocka_unit_test(swing_is_doubted_where_it_is_wide),
      cmocka_unit_test(events_have_their_shares),
      cmocka_unit_test(host_has_its_share),
      cmocka_unit_test(many_names_are_summed),
      cmocka_unit_test(account_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
