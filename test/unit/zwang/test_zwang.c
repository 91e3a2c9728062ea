/* The public functions, as a program that links the library uses them. */
#include "zwang/hosts.h"

static ZwModel* fine_model(const char* text) {
  ZwModel* model;
  ZwStatus status = compile_text(text, &model);
  if (status) show_messages(model, NULL);
  assert_int_equal(status, ZW_OK);
  return model;
}

static ZwRun* fine_run(const ZwModel* model, const ZwRunDef* how) {
  ZwRun* run;
  ZwStatus status = zw_run_create(model, how, &run);
  if (status) show_messages(model, run);
  assert_int_equal(status, ZW_OK);
  return run;
}

static void columns_carry_the_names_of_the_user(void** state) {
  (void)state;
  ZwModel* model = fine_model(PENDULUM);
  static const char* const names[] = {"t", "x", "y", "x'", "y'", "angle", "pull"};
  assert_int_equal(zw_model_column_count(model), 7);
  for (int32_t i = 0; i < 7; i++) assert_string_equal(zw_model_column(model, i), names[i]);
  assert_int_equal(zw_model_coordinate_count(model), 2);
  assert_int_equal(zw_model_output_count(model), 2);
  zw_model_destroy(model);
}

static void text_need_not_outlive_the_call(void** state) {
  (void)state;
  char* text = strdup("coord x\nkinetic x'^2\npotential y\n");
  char* name = strdup("own.zw");
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  def.name = name;
  ZwModel* model;
  assert_int_equal(zw_model_compile(&def, &model), ZW_ERR_NAME);
  memset(text, '?', strlen(text));
  memset(name, '?', strlen(name));
  free(text);
  free(name);
  assert_int_equal(zw_model_diag_count(model), 1);
  const ZwDiag* diag = zw_model_diag(model, 0);
  assert_string_equal(diag->file, "own.zw");
  assert_int_equal(diag->line, 3);
  assert_int_equal(diag->column, 11);
  assert_int_equal(diag->source_line_size, 11);
  assert_memory_equal(diag->source_line, "potential y", 11);
  assert_int_equal(diag->offset, 10);
  assert_int_equal(diag->size, 1);
  zw_model_destroy(model);
}

static void text_need_not_end_in_zero(void** state) {
  (void)state;
  char* text = malloc(strlen(PENDULUM)); /* a sanitizer watches its end */
  memcpy(text, PENDULUM, strlen(PENDULUM));
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(PENDULUM);
  ZwModel* model;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  free(text);
  zw_model_destroy(model);
  def.text = NULL;
  def.size = 0;
  assert_int_equal(zw_model_compile(&def, &model), ZW_ERR_VALUE); /* an empty model */
  zw_model_destroy(model);
}

static void wrong_model_holds_its_messages_and_cannot_run(void** state) {
  (void)state;
  ZwModel* model;
  assert_int_equal(compile_text("coord x\nkinetic m*x'^2\npotential k*x\n", &model), ZW_ERR_NAME);
  assert_int_equal(zw_model_error_count(model), 2);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run = (ZwRun*)(uintptr_t)8;
  assert_int_equal(zw_run_create(model, &how, &run), ZW_ERR_NAME);
  assert_null(run);
  assert_int_equal(zw_model_column_count(model), 0);
  zw_model_destroy(model);
}

static void errors_beyond_the_list_are_counted(void** state) {
  (void)state;
  char text[4000] = "coord x\nkinetic x'^2\n", *at = text + strlen(text);
  for (int i = 0; i < 120; i++) at += sprintf(at, "potential z%d\n", i);
  ZwModel* model;
  assert_int_equal(compile_text(text, &model), ZW_ERR_NAME);
  assert_int_equal(zw_model_diag_count(model), 50);
  assert_int_equal(zw_model_error_count(model), 120);
  zw_model_destroy(model);
}

static void mistakes_of_reading_and_meaning_come_together(void** state) {
  (void)state;
  ZwModel* model;
  assert_int_equal(compile_text("coord x\nkinetic 1/2*x'^2 x\npotential q\n", &model), ZW_ERR_SYNTAX);
  assert_int_equal(zw_model_error_count(model), 2);
  zw_model_destroy(model);
  /* a wrong declaration would only bring complaints about its names */
  assert_int_equal(compile_text("coord x,\nkinetic 1/2*x'^2\npotential q\n", &model), ZW_ERR_SYNTAX);
  assert_int_equal(zw_model_error_count(model), 1);
  zw_model_destroy(model);
}

typedef struct Last {
  double values[16];
  int64_t count;
  double first_t;
} Last;

static ZwStatus keep_last(void* context, const double* values) {
  Last* last = context;
  if (last->count++ == 0) last->first_t = values[0];
  memcpy(last->values, values, 5 * sizeof(double));
  return ZW_OK;
}

static void run_hands_out_rows_and_evidence(void** state) {
  (void)state;
  ZwModel* model = fine_model(PENDULUM);
  Last last = {0};
  ZwRunDef how = zw_default_run_def();
  how.row = keep_last;
  how.context = &last;
  ZwRun* run = fine_run(model, &how);
  const ZwReport* report = zw_run_report(run);
  assert_false(report->has_begun);
  assert_int_equal(report->n, 2);
  assert_int_equal(report->m, 1);
  assert_int_equal(report->rank, 1);
  assert_int_equal(report->dof, 1);
  assert_int_equal(zw_run_ready(run), ZW_OK);
  assert_int_equal(zw_run_go(run), ZW_OK);
  report = zw_run_report(run);
  assert_true(report->has_begun);
  assert_int_equal(report->rows, 501);
  assert_int_equal(last.count, 501);
  assert_true(last.first_t == 0 && last.values[0] == 2 && report->t == 2);
  assert_near(last.values[1] * last.values[1] + last.values[2] * last.values[2], 1, 1e-12);
  assert_true(report->is_conservative);
  assert_true(report->energy_drift < 1e-6);
  assert_true(report->phi_max < 1e-11 && report->phidot_max < 1e-9);
  assert_near(report->every, 2.0 / 500, 1e-18);
  assert_near(report->tolerance, 1e-8, 0);
  assert_int_equal(report->move_count, 0);
  assert_int_equal(report->redundant_count, 0);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void def_of_a_run_overrides_the_model(void** state) {
  (void)state;
  ZwModel* model = fine_model(PENDULUM_BODY "run 1 .. 3 every 0.5 tolerance 1e-6\n");
  Last last = {0};
  ZwRunDef how = zw_default_run_def();
  how.row = keep_last;
  how.context = &last;
  ZwRun* run = fine_run(model, &how);
  assert_int_equal(zw_run_go(run), ZW_OK);
  assert_int_equal(last.count, 5);
  assert_true(last.first_t == 1);
  zw_run_destroy(run);
  last = (Last){0};
  how.to = 2;
  how.every = 0.25;
  how.tolerance = 1e-10;
  run = fine_run(model, &how);
  assert_int_equal(zw_run_go(run), ZW_OK);
  assert_int_equal(last.count, 5);
  assert_true(last.values[0] == 2);
  assert_near(zw_run_report(run)->tolerance, 1e-10, 0);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void wrong_numbers_of_a_run_are_refused(void** state) {
  (void)state;
  ZwModel* model = fine_model(PENDULUM);
  const double wrong[][3] = {{-1, NAN, NAN},    {0, NAN, NAN},     {INFINITY, NAN, NAN}, {NAN, 0, NAN},
                             {NAN, -1, NAN},    {NAN, 1e-12, NAN}, {NAN, INFINITY, NAN}, {NAN, NAN, 0},
                             {NAN, NAN, -1e-8}, {NAN, NAN, 1e-14}, {NAN, NAN, 1},        {NAN, NAN, INFINITY}};
  for (int i = 0; i < (int)(sizeof wrong / sizeof *wrong); i++) {
    ZwRunDef how = zw_default_run_def();
    how.to = wrong[i][0];
    how.every = wrong[i][1];
    how.tolerance = wrong[i][2];
    ZwRun* run;
    assert_int_equal(zw_run_create(model, &how, &run), ZW_ERR_VALUE);
    assert_int_equal(zw_run_diag_count(run), 1);
    assert_true(strlen(zw_run_diag(run, 0)->remedy) > 0);
    assert_int_equal(zw_run_go(run), ZW_ERR_VALUE);
    zw_run_destroy(run);
  }
  zw_model_destroy(model);
}

static void model_without_run_can_be_checked_but_not_run(void** state) {
  (void)state;
  ZwModel* model = fine_model(PENDULUM_BODY);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run = fine_run(model, &how);
  assert_int_equal(zw_run_ready(run), ZW_ERR_VALUE);
  assert_int_equal(zw_run_go(run), ZW_ERR_VALUE);
  assert_int_equal(zw_run_diag_count(run), 1); /* said once */
  zw_run_destroy(run);
  how.to = 1;
  run = fine_run(model, &how);
  assert_int_equal(zw_run_go(run), ZW_OK);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void settings_change_parameters(void** state) {
  (void)state;
  const ZwSet sets[] = {{"l", "2*m"}, {"m", "3"}};
  ZwCompileDef def = zw_default_compile_def();
  def.text = PENDULUM;
  def.size = strlen(PENDULUM);
  def.sets = sets;
  def.set_count = 2;
  ZwModel* model;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run = fine_run(model, &how);
  /* the rod is 6 long now, so the typed x = 1, y = 0 has to move */
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->move_count, 1);
  assert_string_equal(report->moves[0].name, "x");
  assert_near(report->moves[0].from, 1, 0);
  assert_near(report->moves[0].to, 6, 1e-11);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* The last row of a run, and a sum over the bits of all of them. */
typedef struct Rows {
  double last[16];
  int32_t columns;
  uint64_t sum;
} Rows;

static ZwStatus take_bits(void* context, const double* values) {
  Rows* rows = context;
  memcpy(rows->last, values, (size_t)rows->columns * sizeof(double));
  for (int32_t i = 0; i < rows->columns; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    rows->sum = (rows->sum ^ bits) * 1099511628211u;
  }
  return ZW_OK;
}

static Rows run_changed(const ZwModel* model, const ZwRunChange* changes, int32_t count) {
  Rows rows = {.columns = zw_model_column_count(model)};
  ZwRunDef how = zw_default_run_def();
  how.row = take_bits;
  how.context = &rows;
  how.changes = changes;
  how.change_count = count;
  ZwRun* run = fine_run(model, &how);
  assert_int_equal(zw_run_go(run), ZW_OK);
  zw_run_destroy(run);
  return rows;
}

#define SPRING(x, v)                                             \
  "param m = 1, k = 3*m, d = k/10, x0 = 1, v0 = 0\ncoord x = " x \
  ", y\nkinetic 1/2*m*(x'^2 + y'^2)\n"                           \
  "potential 1/2*k*x^2 + 2*x^2*y^2\nforce x = -d*x'\nstart y = 0.2, x' = " v "\nrun 0 .. 5\n"

static void changed_parameters_are_those_of_another_compilation(void** state) {
  (void)state;
  ZwModel *model = fine_model(SPRING("x0", "v0")), *other;
  ZwRunChange changes[] = {{"m", 0.7}, {"d", 0.11}};
  Rows changed = run_changed(model, changes, 2);
  ZwSet sets[] = {{"m", "0.7"}, {"d", "0.11"}};
  ZwCompileDef def = zw_default_compile_def();
  def.text = SPRING("x0", "v0");
  def.size = strlen(def.text);
  def.sets = sets;
  def.set_count = 2;
  assert_int_equal(zw_model_compile(&def, &other), ZW_OK);
  Rows compiled = run_changed(other, NULL, 0);
  assert_true(changed.sum == compiled.sum);
  /* the model itself has not changed */
  assert_true(run_changed(model, NULL, 0).sum != changed.sum);
  assert_true(run_changed(model, changes, 2).sum == changed.sum);
  zw_model_destroy(other);
  zw_model_destroy(model);
}

static void changed_start_values_are_typed_ones(void** state) {
  (void)state;
  ZwModel *by_parameter = fine_model(SPRING("x0", "v0")), *plain = fine_model(SPRING("9", "9"));
  ZwRunChange parameters[] = {{"x0", 0.3}, {"v0", -0.4}}, starts[] = {{"x", 0.3}, {"x'", -0.4}};
  assert_true(run_changed(by_parameter, parameters, 2).sum == run_changed(plain, starts, 2).sum);
  zw_model_destroy(by_parameter);
  zw_model_destroy(plain);
}

static void refuse_change(const char* text, const char* name, double value, ZwStatus wanted, const char* words) {
  ZwModel* model = fine_model(text);
  ZwRunChange change = {name, value};
  ZwRunDef how = zw_default_run_def();
  how.changes = &change;
  how.change_count = 1;
  ZwRun* run;
  assert_int_equal(zw_run_create(model, &how, &run), wanted);
  assert_non_null(strstr(zw_run_diag(run, 0)->text, words));
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void changes_that_cannot_be_are_refused(void** state) {
  (void)state;
  static const char sized[] =
      "param n = 2, p = 2*n\nmemory c = 1\ncoord x[1..p] = 0\nfor i in 1..p { kinetic 1/2*x[i]'^2 }\nrun 0 .. 1\n";
  refuse_change(sized, "p", 2, ZW_ERR_ARGUMENT, "another model");
  refuse_change(sized, "n", 2, ZW_ERR_ARGUMENT, "another model"); /* by way of p */
  refuse_change(sized, "c", 2, ZW_ERR_NAME, "no parameter, coordinate or velocity 'c'");
  refuse_change(sized, "x[9]", 2, ZW_ERR_NAME, "'x[9]'");
  refuse_change(sized, "x[1]", NAN, ZW_ERR_ARGUMENT, "finite");
  refuse_change(PENDULUM, "m", -INFINITY, ZW_ERR_ARGUMENT, "finite");
  refuse_change(PENDULUM, "m'", 1, ZW_ERR_NAME, "'m''");
  refuse_change(PENDULUM, "", 1, ZW_ERR_NAME, "''");
}

static void redundant_constraints_are_reported(void** state) {
  (void)state;
  ZwModel* model = fine_model(REDUNDANT);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run = fine_run(model, &how);
  assert_int_equal(zw_run_go(run), ZW_OK);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->m, 4);
  assert_int_equal(report->rank, 3);
  assert_int_equal(report->redundant_count, 1);
  assert_true(zw_run_diag_count(run) >= 1);
  assert_int_equal(zw_run_diag(run, 0)->severity, ZW_SEVERITY_NOTE);
  assert_true(report->energy_drift < 1e-6);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void one_model_serves_many_runs(void** state) {
  (void)state;
  ZwModel* model = fine_model(PENDULUM);
  Last a = {0}, b = {0};
  ZwRunDef how = zw_default_run_def();
  how.row = keep_last;
  how.context = &a;
  ZwRun* first = fine_run(model, &how);
  how.context = &b;
  ZwRun* second = fine_run(model, &how);
  assert_int_equal(zw_run_go(first), ZW_OK);
  assert_int_equal(zw_run_go(second), ZW_OK);
  assert_memory_equal(a.values, b.values, 5 * sizeof(double)); /* to the last bit */
  zw_run_destroy(first);
  zw_run_destroy(second);
  zw_model_destroy(model);
}

static void every_stage_can_be_dumped(void** state) {
  (void)state;
  static const char* const parts[] = {"constraint", "rod: x^2 + y^2 - l^2", "shape 0", "kernel 0"};
  ZwCompileDef def = zw_default_compile_def();
  def.text = PENDULUM;
  def.size = strlen(PENDULUM);
  def.keep_tree = true;
  ZwModel* model;
  assert_int_equal(zw_model_compile(&def, &model), ZW_OK);
  for (int stage = ZW_STAGE_TEXT; stage <= ZW_STAGE_KERNEL; stage++) {
    char* text = zw_model_dump(model, (ZwStage)stage);
    assert_non_null(text);
    if (!strstr(text, parts[stage])) fail_msg("no '%s' in:\n%s", parts[stage], text);
    zw_text_free(model, text);
  }
  zw_model_destroy(model);
  model = fine_model(PENDULUM); /* without the tree there is nothing to show of it */
  char* text = zw_model_dump(model, ZW_STAGE_TEXT);
  assert_string_equal(text, "");
  zw_text_free(model, text);
  zw_model_destroy(model);
}

static void events_and_switches_are_counted(void** state) {
  (void)state;
  ZwModel* model = fine_model("coord x\nkinetic x'^2\nforce x = -sign(x')\nwhen x > 1: x' = 0\nstop when t > 2\n");
  assert_int_equal(zw_model_diag_count(model), 0);
  assert_int_equal(zw_model_event_count(model), 3);
  zw_model_destroy(model);
  model = fine_model("coord x\nkinetic x'^2\n");
  assert_int_equal(zw_model_event_count(model), 0);
  zw_model_destroy(model);
}

static void version_has_three_numbers(void** state) {
  (void)state;
  int a, b, c;
  assert_int_equal(sscanf(zw_version(), "%d.%d.%d", &a, &b, &c), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_carry_the_names_of_the_user),
      cmocka_unit_test(text_need_not_outlive_the_call),
      cmocka_unit_test(text_need_not_end_in_zero),
      cmocka_unit_test(wrong_model_holds_its_messages_and_cannot_run),
      cmocka_unit_test(errors_beyond_the_list_are_counted),
      cmocka_unit_test(mistakes_of_reading_and_meaning_come_together),
      cmocka_unit_test(run_hands_out_rows_and_evidence),
      cmocka_unit_test(def_of_a_run_overrides_the_model),
      cmocka_unit_test(wrong_numbers_of_a_run_are_refused),
      cmocka_unit_test(model_without_run_can_be_checked_but_not_run),
      cmocka_unit_test(settings_change_parameters),
      cmocka_unit_test(changed_parameters_are_those_of_another_compilation),
      cmocka_unit_test(changed_start_values_are_typed_ones),
      cmocka_unit_test(changes_that_cannot_be_are_refused),
      cmocka_unit_test(redundant_constraints_are_reported),
      cmocka_unit_test(one_model_serves_many_runs),
      cmocka_unit_test(every_stage_can_be_dumped),
      cmocka_unit_test(events_and_switches_are_counted),
      cmocka_unit_test(version_has_three_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
