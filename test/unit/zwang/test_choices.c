/* An `if` that was decided when the model was built: values with which its outcome stays are fine, others are refused and change nothing. */
#include "hosts.h"

#define SPRING                                                                                                  \
  "param m = 2, c = 0, N = 2, twice = 2*m\ncoord x = 1\nkinetic 1/2*m*x'^2\npotential x^2\n"                    \
  "if c > 0 {\n  dissipation 1/2*c*x'^2\n}\noutput a = if twice > 1 then x else 2*x, s = sum(i in 1 .. N: x)\n" \
  "run 0 .. 1\n"

static ZwStatus create_with(const ZwModel* model, const char* name, double value, ZwRun** run) {
  ZwRunDef def = zw_default_run_def();
  ZwRunChange change = {name, value};
  def.changes = &change;
  def.change_count = 1;
  return zw_run_create(model, &def, run);
}

static void assert_other_model(const ZwModel* model, const char* name, double value, const char* words) {
  ZwRun* run;
  assert_int_equal(create_with(model, name, value, &run), ZW_ERR_ARGUMENT);
  assert_true(zw_run_report(run)->is_other_model);
  assert_non_null(strstr(zw_run_diag(run, 0)->text, words));
  zw_run_destroy(run);
}

static void outcomes_that_stay_are_fine(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run;
  assert_int_equal(compile_text(SPRING, &model), ZW_OK);
  assert_int_equal(create_with(model, "m", 0.6, &run), ZW_OK);
  assert_false(zw_run_report(run)->is_other_model);
  assert_int_equal(zw_run_go(run), ZW_OK);
  zw_run_destroy(run);
  assert_int_equal(create_with(model, "c", -1, &run), ZW_OK);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void other_outcomes_are_refused(void** state) {
  (void)state;
  ZwModel* model;
  assert_int_equal(compile_text(SPRING, &model), ZW_OK);
  assert_other_model(model, "c", 1, "holds with these values and did not");
  assert_other_model(model, "m", 0.5, "does not hold with these values and did"); /* through `twice` */
  assert_other_model(model, "N", 3, "decides what the model is made of");
  zw_model_destroy(model);
}

static void values_on_the_way_are_checked(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun *run, *other;
  ZwRunDef def = zw_default_run_def();
  double row[8], want[8];
  assert_int_equal(compile_text(SPRING, &model), ZW_OK);
  assert_int_equal(zw_run_create(model, &def, &run), ZW_OK);
  assert_int_equal(zw_run_create(model, &def, &other), ZW_OK);
  assert_int_equal(zw_run_to(run, 0.5), ZW_OK);
  assert_int_equal(zw_run_to(other, 0.5), ZW_OK);
  assert_int_equal(zw_run_set(run, "c", 1), ZW_ERR_ARGUMENT);
  assert_int_equal(zw_run_set(run, "m", 0.1), ZW_ERR_ARGUMENT);
  assert_int_equal(zw_run_set(run, "m", 3), ZW_OK); /* refused ones have left nothing */
  assert_int_equal(zw_run_set(other, "m", 3), ZW_OK);
  assert_int_equal(zw_run_go(run), ZW_OK);
  assert_int_equal(zw_run_go(other), ZW_OK);
  assert_int_equal(zw_run_read(run, row), ZW_OK);
  assert_int_equal(zw_run_read(other, want), ZW_OK);
  assert_memory_equal(row, want, (size_t)zw_run_column_count(run) * sizeof(double));
  zw_run_destroy(run);
  zw_run_destroy(other);
  zw_model_destroy(model);
}

static void sensitivities_by_them_are_there(void** state) {
  (void)state;
  static const char* const by[] = {"m", "c"};
  ZwModel* model;
  ZwRun* run;
  ZwRunDef def = zw_default_run_def();
  def.sensitivity = by;
  def.sensitivity_count = 2;
  assert_int_equal(compile_text(SPRING, &model), ZW_OK);
  assert_int_equal(zw_run_create(model, &def, &run), ZW_OK);
  assert_int_equal(zw_run_go(run), ZW_OK);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcomes_that_stay_are_fine),
      cmocka_unit_test(other_outcomes_are_refused),
      cmocka_unit_test(values_on_the_way_are_checked),
      cmocka_unit_test(sensitivities_by_them_are_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
