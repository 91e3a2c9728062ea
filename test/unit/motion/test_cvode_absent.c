/* A build without SUNDIALS: this file takes the place of motion/cvode.c here. */
#include "motion/cvode_absent.c"

#include <string.h>

#include "numbers.h"
#include "zwang/zwang.h"

static void assert_refused(const char* integrator) {
  static const char text[] = "coord x\nkinetic 1/2*x'^2\nrun 0 .. 1\n";
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  ZwModel* model;
  ZwRun* run;
  ZwRunDef how = zw_default_run_def();
  how.integrator = integrator;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  assert_int_equal(zw_run_create(model, &how, &run), ZW_ERR_ARGUMENT);
  assert_int_equal(zw_run_diag_count(run), 1);
  assert_non_null(strstr(zw_run_diag(run, 0)->text, integrator));
  assert_non_null(strstr(zw_run_diag(run, 0)->text, "this build has no SUNDIALS"));
  assert_non_null(strstr(zw_run_diag(run, 0)->remedy, "libsundials-dev"));
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void its_integrators_are_refused_by_name(void** state) {
  (void)state;
  assert_refused("bdf");
  assert_refused("adams");
  assert_null(zw_cvode_version());
}

static void all_others_are_there(void** state) {
  (void)state;
  for (int32_t i = 0; zw_integrator_text(i); i++) {
    const char* name = zw_integrator_text(i);
    bool is_theirs = strcmp(name, "bdf") == 0 || strcmp(name, "adams") == 0;
    assert_true(is_theirs == (zw_integrator(zw_integrator_find(name))->step == NULL));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(its_integrators_are_refused_by_name),
      cmocka_unit_test(all_others_are_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
