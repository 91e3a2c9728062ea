/* Every example by every integrator with error control, over a part of its time: second opinions on one another. The
 * measure of what can be asked is what the explicit pair itself changes by between this tolerance and a tighter one: it
 * tells how a model spreads errors. */
#include "../reference/trajectory.h"
#include "sample.h"

static const double tolerance = 1e-8, tighter = 1e-11, part = 0.2;
static const double factor = 3; /* of that change, at least of the tolerance */
/* n-four-bar passes singular positions, where last bits decide: changes of 1e-13 of its start move the error of radau between 0.9
 * and 3.1 tolerances, so 3 would be a test of luck. */
static const double factor_singular = 4;

static const char* const others[] = {"radau"};

typedef struct End {
  ZwStatus status;
  int32_t count;
  double* row;
} End;

static ZwStatus keep_end(void* context, const double* values) {
  End* end = context;
  memcpy(end->row, values, (size_t)end->count * sizeof(double));
  return ZW_OK;
}

static End end_of(const ZwModel* model, const char* integrator, double to, double tol) {
  End end = {.count = 1 + 2 * zw_model_coordinate_count(model)};
  end.row = calloc((size_t)end.count, sizeof(double));
  assert_non_null(end.row);
  ZwRunDef how = zw_default_run_def();
  how.to = to;
  how.tolerance = tol;
  how.integrator = integrator;
  how.row = keep_end;
  how.context = &end;
  ZwRun* run = NULL;
  end.status = zw_run_create(model, &how, &run);
  if (!end.status) end.status = zw_run_go(run);
  for (int32_t i = 0; end.status && run && i < zw_run_diag_count(run); i++) {
    print_message("%s: %s\n", integrator, zw_run_diag(run, i)->text);
  }
  zw_run_destroy(run);
  return end;
}

static double part_of_time(const ZwModel* model) {
  ZwRunDef how = zw_default_run_def();
  ZwRun* run = NULL;
  assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
  double from = zw_run_report(run)->from, to = from + part * (zw_run_report(run)->to - from);
  zw_run_destroy(run);
  return to;
}

static double distance(const End* a, const End* b) {
  double worst = 0;
  for (int32_t i = 1; i < a->count; i++) worst = fmax(worst, fabs(a->row[i] - b->row[i]) / (1 + fabs(b->row[i])));
  return worst;
}

static void compare_integrators(const char* name) {
  char* text = read_example(name);
  ZwModel* model = compile_text(name, text);
  double to = part_of_time(model);
  End best = end_of(model, "explicit", to, tighter), plain = end_of(model, "explicit", to, tolerance);
  assert_int_equal(best.status, ZW_OK);
  bool is_singular = strcmp(name, "n-four-bar") == 0;
  double allowed = (is_singular ? factor_singular : factor) * fmax(distance(&plain, &best), tolerance);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    End other = end_of(model, others[i], to, tolerance);
    if (other.status) fail_msg("%s does not run with %s: %s", name, others[i], zw_status_text(other.status));
    double off = distance(&other, &best);
    print_message("%-24s %-8s off by %.2g, %.2g of what is allowed\n", name, others[i], off, off / allowed);
    if (!(off <= allowed)) fail_msg("%s: %s is off by %.3g, allowed is %.3g", name, others[i], off, allowed);
    free(other.row);
  }
  free(best.row);
  free(plain.row);
  zw_model_destroy(model);
  free(text);
}

static void integrators_agree(void** state) {
  (void)state;
  Examples examples;
  list_examples(&examples);
  for (int i = 0; i < examples.count; i += sample(4, 1, 1)) compare_integrators(examples.names[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(integrators_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
