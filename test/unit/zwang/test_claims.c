/* Claims of a model, as a host sees them. */
#include <math.h>
#include <string.h>

#include "zwang/hosts.h"

#define SWING "coord x = 1\nkinetic 1/2*x'^2\npotential 1/2*x^2\n"

static ZwRun* open_run(const char* text, ZwModel** model) {
  ZwRun* run = NULL;
  ZwRunDef how = zw_default_run_def();
  assert_int_equal(compile_text(text, model), ZW_OK);
  assert_int_equal(zw_run_create(*model, &how, &run), ZW_OK);
  return run;
}

static void close_run(ZwRun* run, ZwModel* model) {
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void claims_that_hold_are_reported(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run = open_run(SWING "claim law: x'' = -x\nclaim \"a bound\": x >= -2\nrun 0 .. 4\n", &model);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->claim_count, 2);
  assert_true(isnan(report->claims[0].worst) && isnan(report->claims[0].t));
  assert_int_equal(zw_model_output_count(model), 0);
  assert_int_equal(zw_run_column_count(run), 3);
  assert_int_equal(zw_run_go(run), ZW_OK);
  report = zw_run_report(run);
  assert_string_equal(report->claims[0].name, "law");
  assert_true(report->claims[0].holds && report->claims[0].worst <= 1e-15);
  assert_string_equal(report->claims[1].name, "a bound");
  assert_true(report->claims[1].holds);
  assert_float_equal(report->claims[1].worst, -1, 1e-4); /* x is -1 at pi */
  assert_float_equal(report->claims[1].t, 3.1416, 0.01);
  assert_float_equal(report->claims[1].allowed, 2e-9, 0);
  close_run(run, model);
}

static void claim_that_fails_comes_at_the_end(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run = open_run(SWING "claim low: x <= 0.5 within 0.1\nrun 0 .. 4\n", &model);
  double row[3];
  assert_int_equal(zw_run_to(run, 1), ZW_OK);
  assert_false(zw_run_report(run)->claims[0].holds);
  assert_int_equal(zw_run_diag_count(run), 0);
  for (int i = 0; i < 2; i++) { /* said once */
    assert_int_equal(zw_run_to(run, 4), ZW_ERR_CLAIM);
    assert_int_equal(zw_run_diag_count(run), 1);
  }
  const ZwDiag* diag = zw_run_diag(run, 0);
  assert_int_equal(diag->code, ZW_ERR_CLAIM);
  assert_int_equal(diag->line, 4);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->verdict, ZW_DOUBTFUL);
  assert_int_equal(report->doubt_count, 1);
  assert_string_equal(report->doubts[0].about, "claims");
  assert_non_null(strstr(report->doubts[0].reason, "the claim 'low' does not hold: off by 0.5 at t = 0, where 0.1"));
  const ZwClaimReport* claim = &report->claims[0];
  assert_true(claim->worst == 0.5 && claim->allowed == 0.1 && claim->t == 0 && claim->left == 1 && claim->right == 0.5);
  assert_int_equal(zw_run_read(run, row), ZW_OK);
  assert_float_equal(row[1], cos(4), 1e-6);
  close_run(run, model);
}

/* Off by 9e-4 x, which is less than 1e-9 of 1e6 x; 1.1e-9 of the terms is not allowed. */
static void terms_are_those_before_they_cancel(void** state) {
  (void)state;
  ZwModel* model;
  ZwRun* run = open_run(
      SWING "claim a: 1e6*x - 1e6*(x + 9e-10*x) = 0\nclaim b: 1e3*x - 1e3*(x + 1.1e-9*x) = 0\nrun 0 .. 1\n", &model);
  assert_int_equal(zw_run_go(run), ZW_ERR_CLAIM);
  assert_true(zw_run_report(run)->claims[0].holds && !zw_run_report(run)->claims[1].holds);
  close_run(run, model);
}

/* x is 3 all the time. What terms make of a product, a quotient, a function, is what they make of it to first order. */
static void terms_are_seen_through_what_is_made_of_them(void** state) {
  (void)state;
  static const struct {
    const char* claim;
    double size;
  } cases[] = {{"x^2 = 9", 9},
               {"(x - 3)*x = 0", 9},
               {"(x - 3)/x = 0", 1},
               {"x/(x - 2) = 3", 9},
               {"2*(x^2 - x*3)/2 - 1 = -1", 9},
               {"-(-(x - 3)) = 0", 3},
               {"sqrt(x*x - 5) = 2", 9.0 / 4},
               {"sqrt(x - 3) = 0", 5.4772255751e4}, /* sqrt(3e-9)/1e-9 */
               {"(x - 2)^4.5 = 1", 3},
               {"(x - 2)^p = 1", 6},
               {"x^(x - 2) = 3", 9.8875105980}, /* 3 log 3 times 3 */
               {"sin(x - 3) = 0", 3},
               {"sin(x - 3 + x) = sin(3)", 2.9699774898},
               {"exp(x - 3) = 1", 3},
               {"log(x - 2) = 0", 3},
               {"atan2(x - 3, x) = 0", 1},
               {"hypot(x - 3, x) = 3", 3},
               {"abs(3 - x) = 0", 3},
               {"max(x - 3, -1) = 0", 3},
               {"mod(x, 1) = 0", 3},
               {"(if x < 4 then x - 3 else 1e9*x) = 0", 3},
               {"cos(1e4*x) - cos(3e4) = 0", 6.2831853072 * 0.8026654419},
               {"(p - 2)*q = 0", 10},
               {"x*(p^2 - 4 + 0*q) = 0", 12},
               {"floor(x + 0.5) = 3", 3}};
  enum { COUNT = sizeof cases / sizeof cases[0] };
  char text[4096] = "param p = 2, q = 5\ncoord x = 3\nkinetic 1/2*x'^2\n";
  for (int i = 0; i < COUNT; i++) {
    strcat(strcat(strcat(text, "claim "), cases[i].claim), "\n");
  }
  ZwModel* model;
  ZwRun* run = open_run(strcat(text, "run 0 .. 1 every 1\n"), &model);
  (void)zw_run_go(run);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->claim_count, COUNT);
  for (int i = 0; i < COUNT; i++) {
    const ZwClaimReport* claim = &report->claims[i];
    if (!claim->holds || fabs(claim->allowed - 1e-9 * cases[i].size) > 1e-3 * claim->allowed) {
      fail_msg("%s: off by %g, where %g is allowed and not %g", cases[i].claim, claim->worst, claim->allowed,
               1e-9 * cases[i].size);
    }
  }
  close_run(run, model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(claims_that_hold_are_reported),
                                     cmocka_unit_test(claim_that_fails_comes_at_the_end),
                                     cmocka_unit_test(terms_are_those_before_they_cancel),
                                     cmocka_unit_test(terms_are_seen_through_what_is_made_of_them)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
