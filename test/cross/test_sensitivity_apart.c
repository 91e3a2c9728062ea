/* Sensitivities look at the motion and leave it alone: without their columns, rows are bit by bit those of a run that was not asked for
 * them; every example, in steps of other sizes too, with forces and evidence. */
#include "examples.h"
#include "zwang/zwang.h"

typedef struct Rows {
  double* values;
  int64_t count, capacity; /* numbers */
  int32_t kept;            /* of each row */
  int64_t polls, most;
} Rows;

static ZwStatus take_row(void* context, const double* values) {
  Rows* rows = context;
  if (rows->count + rows->kept > rows->capacity) {
    rows->capacity = 2 * rows->capacity + rows->kept * 64;
    rows->values = realloc(rows->values, (size_t)rows->capacity * sizeof(double));
    assert_non_null(rows->values);
  }
  memcpy(rows->values + rows->count, values, (size_t)rows->kept * sizeof(double));
  rows->count += rows->kept;
  return ZW_OK;
}

static bool poll(void* context, double t) {
  Rows* rows = context;
  (void)t;
  return ++rows->polls < rows->most;
}

typedef struct Question {
  const char* integrator;
  double tolerance;
  bool has_more;
  int64_t most; /* steps */
} Question;

static ZwRun* create(const ZwModel* model, const Question* question, const char* by, Rows* rows) {
  ZwRunDef def = zw_default_run_def();
  def.integrator = question->integrator;
  def.tolerance = question->tolerance;
  def.forces = def.evidence = question->has_more;
  def.sensitivity = &by;
  def.sensitivity_count = by ? 1 : 0;
  def.row = take_row;
  def.poll = poll;
  def.context = rows;
  ZwRun* run = NULL;
  if (zw_run_create(model, &def, &run) || zw_run_ready(run) || zw_run_report(run)->is_sparse) {
    zw_run_destroy(run);
    return NULL;
  }
  return run;
}

/* Dense solves on both sides: sparse ones are other sums. Numbers that are not a motion's must agree as well. */
static void assert_same_report(const char* name, const ZwReport* got, const ZwReport* want) {
  bool is_same = got->steps == want->steps && got->rejected == want->rejected && got->rows == want->rows &&
                 got->events == want->events && got->singular == want->singular && got->impacts == want->impacts &&
                 got->evaluations == want->evaluations && got->t == want->t && got->phi_max == want->phi_max &&
                 got->phidot_max == want->phidot_max && got->energy_drift == want->energy_drift &&
                 got->work == want->work;
  if (!is_same) fail_msg("%s: the evidence is another", name);
}

/* Whether it could be asked. */
static bool ask(const char* name, const ZwModel* model, const Question* question, const char* by) {
  Rows plain = {.most = question->most}, varied = {.most = question->most};
  ZwRun *one = create(model, question, NULL, &plain), *other = one ? create(model, question, by, &varied) : NULL;
  bool is_asked = other != NULL;
  if (is_asked) {
    plain.kept = varied.kept = zw_run_column_count(one);
    ZwStatus status = zw_run_go(one), status_varied = zw_run_go(other);
    /* where there is no derivative the run has ended earlier */
    int64_t common = plain.count < varied.count ? plain.count : varied.count;
    for (int64_t i = 0; i < common; i++) {
      if (memcmp(&plain.values[i], &varied.values[i], sizeof(double)) == 0) continue;
      fail_msg("%s by %s, %s: column %s of row %lld is %.17g, not %.17g", name, by,
               question->integrator ? question->integrator : "auto", zw_run_column(one, (int32_t)(i % plain.kept)),
               (long long)(i / plain.kept), varied.values[i], plain.values[i]);
    }
    if (status == status_varied) assert_same_report(name, zw_run_report(other), zw_run_report(one));
    is_asked = status == status_varied;
  }
  free(plain.values);
  free(varied.values);
  zw_run_destroy(one);
  zw_run_destroy(other);
  return is_asked;
}

static ZwModel* compile(const char* name) {
  ZwCompileDef def = zw_default_compile_def();
  char* text = read_example(name);
  ZwModel* model = NULL;
  def.text = text;
  def.size = strlen(text);
  if (zw_model_compile(&def, &model)) {
    zw_model_destroy(model);
    model = NULL;
  }
  free(text);
  return model;
}

/* Every `stride`-th of them. */
static int ask_examples(const Question* question, int stride) {
  static Examples examples;
  int asked = 0;
  list_examples(&examples);
  for (int i = 0; i < examples.count; i += stride) {
    ZwModel* model = compile(examples.names[i]);
    if (!model) continue;
    char start[200];
    snprintf(start, sizeof start, "start.%s", zw_model_column(model, 1));
    bool is_small = zw_model_coordinate_count(model) <= (getenv("ZW_LONG") ? 20 : 12);
    if (is_small && ask(examples.names[i], model, question, start))
      asked++;
    else if (is_small)
      print_message("%s: not to the end\n", examples.names[i]);
    zw_model_destroy(model);
  }
  return asked;
}

static void examples_are_left_alone(void** state) {
  (void)state;
  Question question = {NULL, NAN, false, getenv("ZW_LONG") ? 5000 : 25};
  int asked = ask_examples(&question, 1);
  print_message("%d examples\n", asked);
  assert_true(asked >= 45);
}

static void forces_and_evidence_too(void** state) {
  (void)state;
  Question question = {NULL, 1e-5, true, getenv("ZW_LONG") ? 5000 : 20};
  bool is_long = getenv("ZW_LONG") != NULL;
  assert_true(ask_examples(&question, is_long ? 1 : 3) >= (is_long ? 50 : 15));
}

static void other_integrators_too(void** state) {
  (void)state;
  static const char* const names[] = {"pendulum", "slider-crank", "bouncing-ball", "stick-slip", "andrews"};
  static const char* const integrators[] = {"radau", "explicit", "bdf", "adams"};
  int asked = 0;
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
    ZwModel* model = compile(names[i]);
    assert_non_null(model);
    char start[200];
    snprintf(start, sizeof start, "start.%s", zw_model_column(model, 1));
    for (int k = 0; k < 4; k++) {
      Question question = {integrators[k], 1e-6, k % 2, 100};
      asked += ask(names[i], model, &question, start);
    }
    zw_model_destroy(model);
  }
  print_message("%d runs\n", asked);
  assert_true(asked >= 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(examples_are_left_alone),
                                     cmocka_unit_test(forces_and_evidence_too),
                                     cmocka_unit_test(other_integrators_too)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
