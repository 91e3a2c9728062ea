/* Sensitivities through the public functions: what may be varied, columns and report, runs step by step, forces of the host. Numbers are
 * compared with a closed form. */
#include "zwang/hosts.h"

enum { COLUMNS = 64 };

#define SPRING                                                                                            \
  "param m = 2, k = 8, N = 1\ncoord x = 0.5\nmemory count = 0\nkinetic 1/2*m*x'^2\npotential 1/2*k*x^2\n" \
  "for i in 1..N { output twice = 2*x }\nwhen x < -100: count = 1\nrun 0 .. 3 every 0.5 tolerance 1e-11\n"

typedef struct Last {
  double row[COLUMNS];
  int32_t columns;
} Last;

static ZwStatus keep_row(void* context, const double* values) {
  Last* last = context;
  memcpy(last->row, values, (size_t)last->columns * sizeof(double));
  return ZW_OK;
}

static ZwRunDef vary(const char* const* by, int32_t count, Last* last) {
  ZwRunDef def = zw_default_run_def();
  def.sensitivity = by;
  def.sensitivity_count = count;
  def.row = last ? keep_row : NULL;
  def.context = last;
  return def;
}

static ZwRun* create(const ZwModel* model, const ZwRunDef* def, Last* last) {
  ZwRun* run;
  ZwStatus status = zw_run_create(model, def, &run);
  if (status) show_messages(NULL, run);
  assert_int_equal(status, ZW_OK);
  last->columns = zw_run_column_count(run);
  assert_true(last->columns <= COLUMNS);
  return run;
}

static double value_of(const ZwRun* run, const Last* last, const char* name) {
  for (int32_t i = 0; i < last->columns; i++) {
    if (strcmp(zw_run_column(run, i), name) == 0) return last->row[i];
  }
  fail_msg("there is no column %s", name);
  return 0;
}

/* x = x0 cos(w t), w = sqrt(k/m) */
static void assert_spring(const ZwRun* run, const Last* last) {
  double m = 2, k = 8, x0 = 0.5, t = last->row[0], w = sqrt(k / m);
  double by_w = -x0 * t * sin(w * t);
  assert_near(value_of(run, last, "d(x)/d(k)"), by_w * w / (2 * k), 1e-9);
  assert_near(value_of(run, last, "d(x)/d(m)"), -by_w * w / (2 * m), 1e-9);
  assert_near(value_of(run, last, "d(x)/d(start.x)"), cos(w * t), 1e-9);
  assert_near(value_of(run, last, "d(x')/d(start.x')"), cos(w * t), 1e-9);
  assert_near(value_of(run, last, "d(twice)/d(start.x')"), 2 * sin(w * t) / w, 1e-9);
}

static const char* const all[] = {"k", "m", "start.x", "start.x'"};

static void rows_end_with_derivatives(void** state) {
  (void)state;
  ZwModel* model;
  Last last = {0};
  assert_int_equal(compile_text(SPRING, &model), ZW_OK);
  ZwRunDef def = vary(all, 4, &last);
  def.evidence = true;
  ZwRun* run = create(model, &def, &last);
  assert_int_equal(last.columns, 1 + 3 + 4 + 4 * 3);
  assert_string_equal(zw_run_column(run, 7), "total work");
  assert_string_equal(zw_run_column(run, 8), "d(x)/d(k)");
  assert_string_equal(zw_run_column(run, last.columns - 1), "d(twice)/d(start.x')");
  assert_int_equal(zw_run_go(run), ZW_OK);
  assert_near(last.row[0], 3, 0);
  assert_spring(run, &last);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->varied_count, 4);
  assert_string_equal(report->varied[2].name, "start.x");
  assert_near(report->varied[0].value, 8, 0);
  assert_near(report->varied[2].value, 0.5, 0);
  assert_true(report->sensitivity_steps > 0 && report->sensitivity_evaluations > 0);
  assert_near(report->sensitivity_drift, 0, 0);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* ---- what is refused ---- */

static void assert_refused(const ZwModel* model, const char* const* by, int32_t count, ZwStatus wanted,
                           const char* words) {
  ZwRun* run;
  ZwRunDef def = vary(by, count, NULL);
  assert_int_equal(zw_run_create(model, &def, &run), wanted);
  const ZwDiag* diag = zw_run_diag(run, zw_run_diag_count(run) - 1);
  if (!strstr(diag->text, words) && !strstr(diag->remedy, words)) fail_msg("'%s' does not say: %s", diag->text, words);
  assert_int_equal(zw_run_report(run)->varied_count, 0);
  zw_run_destroy(run);
}

static void what_cannot_be_varied_is_named(void** state) {
  (void)state;
  static const char* const names[] = {"kk", "x", "start.z", "count", "N", "start.", ""};
  static const char* const words[] = {
      "did you mean 'k'?",   "its start value is 'start.x'", "no coordinate or velocity 'z'",
      "'count' is a memory", "decides what the model is",    "no parameter 'start.'",
      "no parameter ''"};
  static const ZwStatus wanted[] = {ZW_ERR_NAME,     ZW_ERR_NAME, ZW_ERR_NAME, ZW_ERR_ARGUMENT,
                                    ZW_ERR_ARGUMENT, ZW_ERR_NAME, ZW_ERR_NAME};
  static const char* const twice[] = {"k", "m", "k"};
  ZwModel* model;
  assert_int_equal(compile_text(SPRING, &model), ZW_OK);
  for (int i = 0; i < 7; i++) assert_refused(model, &names[i], 1, wanted[i], words[i]);
  assert_refused(model, twice, 3, ZW_ERR_ARGUMENT, "'k' is to be varied twice");
  zw_model_destroy(model);
}

/* ---- step by step ---- */

static void derivatives_are_there_between_steps(void** state) {
  (void)state;
  ZwModel* model;
  Last last = {0}, seen = {0};
  assert_int_equal(compile_text(SPRING, &model), ZW_OK);
  ZwRunDef def = vary(all, 4, &last);
  ZwRun* run = create(model, &def, &last);
  seen.columns = last.columns;
  assert_int_equal(zw_run_read(run, seen.row), ZW_OK);
  assert_spring(run, &seen);
  for (int i = 1; i <= 7; i++) {
    assert_int_equal(zw_run_to(run, 0.4 * i), ZW_OK);
    assert_int_equal(zw_run_read(run, seen.row), ZW_OK);
    assert_near(seen.row[0], 0.4 * i, 1e-15);
    assert_spring(run, &seen);
  }
  assert_int_equal(zw_run_set(run, "k", 9), ZW_ERR_ARGUMENT);
  assert_non_null(strstr(zw_run_diag(run, 0)->text, "the run follows sensitivities"));
  assert_int_equal(zw_run_to(run, 3), ZW_OK); /* nothing was set */
  assert_spring(run, &last);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* The spring as a force of the host, with its derivatives and without. */
static bool pull(void* context, double t, const double* q, const double* v, double* Q) {
  (void)context, (void)t, (void)v;
  Q[0] -= 8 * q[0];
  return true;
}

static bool slope(void* context, double t, const double* q, const double* v, double* by_q, double* by_v) {
  (void)context, (void)t, (void)q, (void)v, (void)by_v;
  by_q[0] -= 8;
  return true;
}

static void forces_of_the_host_are_followed(void** state) {
  (void)state;
  ZwModel* model;
  static const char* const by[] = {"m", "start.x"};
  assert_int_equal(compile_text("param m = 2\ncoord x = 0.5\nkinetic 1/2*m*x'^2\nrun 0 .. 3 tolerance 1e-11\n", &model),
                   ZW_OK);
  for (int i = 0; i < 2; i++) {
    Last last = {0};
    ZwRunDef def = vary(by, 2, &last);
    def.force = pull;
    def.force_slope = i ? slope : NULL;
    ZwRun* run = create(model, &def, &last);
    for (int k = 1; k <= 4; k++) assert_int_equal(zw_run_to(run, 0.75 * k), ZW_OK);
    assert_near(value_of(run, &last, "d(x)/d(start.x)"), cos(6), 1e-6);
    assert_near(value_of(run, &last, "d(x)/d(m)"), 0.5 * 3 * sin(6) / 2, 1e-6);
    zw_run_destroy(run);
  }
  zw_model_destroy(model);
}

/* Between two calls the host may have changed its mind, so the state is put onto the constraints again: columns with it. */
static bool weigh(void* context, double t, const double* q, const double* v, double* Q) {
  (void)context, (void)t, (void)q, (void)v;
  Q[1] -= 9.81;
  return true;
}

static void constraints_and_the_host_together(void** state) {
  (void)state;
  static const char* const by[] = {"l", "start.x'", "start.y"};
  static const char rest[] =
      "param l = 1\ncoord x = 0.6, y = -0.7\nkinetic 1/2*(x'^2 + y'^2)\nconstraint rod: x^2 + y^2 = l^2\n"
      "start x' = 0.3\nrun 0 .. 2 tolerance 1e-11\n";
  Last last[2] = {{{0}, 0}, {{0}, 0}};
  ZwModel* models[2];
  ZwRun* runs[2];
  char text[400];
  snprintf(text, sizeof text, "%spotential 9.81*y\n", rest);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(compile_text(i ? rest : text, &models[i]), ZW_OK);
    ZwRunDef def = vary(by, 3, &last[i]);
    def.force = i ? weigh : NULL;
    runs[i] = create(models[i], &def, &last[i]);
    for (int k = 1; k <= 5; k++) assert_int_equal(zw_run_to(runs[i], 0.4 * k), ZW_OK);
  }
  for (int32_t i = 0; i < last[0].columns; i++) assert_near(last[1].row[i], last[0].row[i], 1e-7);
  for (int i = 0; i < 2; i++) {
    zw_run_destroy(runs[i]);
    zw_model_destroy(models[i]);
  }
}

/* ---- other questions ---- */

static void other_questions_are_answered_as_without(void** state) {
  (void)state;
  ZwModel* model;
  Last last = {0};
  assert_int_equal(compile_text(PENDULUM, &model), ZW_OK);
  static const char* const by[] = {"l"};
  ZwRunDef plain = zw_default_run_def(), def = vary(by, 1, &last);
  const ZwLinearization* answers[2];
  ZwRun* runs[2];
  plain.to = def.to = 1;
  for (int i = 0; i < 2; i++) {
    runs[i] = create(model, i ? &def : &plain, &last);
    ZwLinearizeDef how = zw_default_linearize_def();
    how.at = ZW_LINEARIZE_EQUILIBRIUM;
    assert_int_equal(zw_run_linearize(runs[i], &how, &answers[i]), ZW_OK);
  }
  for (int32_t i = 0; i < 2; i++) assert_true(answers[0]->q[i] == answers[1]->q[i]);
  for (int i = 0; i < 2; i++) zw_run_destroy(runs[i]);
  zw_model_destroy(model);
}

/* ---- many at once ---- */

typedef struct Members {
  ZwRun* run;
  ZwStatus status;
} Members;

static ZwRun* next(void* context) {
  Members* members = context;
  ZwRun* run = members->run;
  members->run = NULL;
  return run;
}

static void done(void* context, ZwRun* run, ZwStatus status) {
  Members* members = context;
  members->status = status;
  assert_non_null(strstr(zw_run_diag(run, 0)->text, "a member of an ensemble has no sensitivities"));
}

static void ensembles_have_none(void** state) {
  (void)state;
  ZwModel* model;
  Last last = {0};
  assert_int_equal(compile_text(SPRING, &model), ZW_OK);
  ZwRunDef def = vary(all, 1, &last);
  ZwRun* run = create(model, &def, &last);
  Members members = {run, ZW_OK};
  ZwEnsembleDef ensemble = zw_default_ensemble_def();
  ensemble.next = next;
  ensemble.done = done;
  ensemble.context = &members;
  zw_ensemble_go(&ensemble);
  assert_int_equal(members.status, ZW_ERR_UNSUPPORTED);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_end_with_derivatives),
      cmocka_unit_test(what_cannot_be_varied_is_named),
      cmocka_unit_test(derivatives_are_there_between_steps),
      cmocka_unit_test(forces_of_the_host_are_followed),
      cmocka_unit_test(constraints_and_the_host_together),
      cmocka_unit_test(other_questions_are_answered_as_without),
      cmocka_unit_test(ensembles_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
