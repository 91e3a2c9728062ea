/* Gradients by the way back against forward sensitivities, of every kind of motion: to 1e-9. */
#include "examples.h"
#include "zwang/zwang.h"

typedef struct Question {
  const char *name, *text; /* text NULL: that of the example */
  const char* of;
  double to, tolerance;
  const char* integrator;
  double bound;
} Question;

typedef struct Last {
  double* row;
  int32_t count;
} Last;

static ZwStatus keep_row(void* context, const double* values) {
  Last* last = context;
  if (last->row) memcpy(last->row, values, (size_t)last->count * sizeof(double));
  return ZW_OK;
}

static ZwModel* compile(const Question* question) {
  ZwCompileDef def = zw_default_compile_def();
  char* text = question->text ? strdup(question->text) : read_example(question->name);
  ZwModel* model;
  def.text = text;
  def.size = strlen(text);
  if (zw_model_compile(&def, &model)) fail_msg("%s: %s", question->name, zw_model_diag(model, 0)->text);
  free(text);
  return model;
}

static ZwRun* open_run(const ZwModel* model, const Question* question, Last* last, const char* const* by, int32_t count,
                       bool is_gradient) {
  ZwRunDef def = zw_default_run_def();
  def.to = question->to;
  def.tolerance = question->tolerance;
  def.every = 1e9;
  def.integrator = question->integrator;
  def.sensitivity = by;
  def.sensitivity_count = count;
  def.gradient = is_gradient;
  def.row = keep_row;
  def.context = last;
  ZwRun* run;
  if (zw_run_create(model, &def, &run)) fail_msg("%s: %s", question->name, zw_run_diag(run, 0)->text);
  last->count = zw_run_column_count(run);
  last->row = calloc((size_t)last->count, sizeof(double));
  assert_non_null(last->row);
  if (zw_run_go(run)) fail_msg("%s: %s", question->name, zw_run_diag(run, zw_run_diag_count(run) - 1)->text);
  return run;
}

static double compare(const Question* question) {
  ZwModel* model = compile(question);
  Last back = {0}, forth = {0};
  const ZwGradient* gradient;
  ZwRun* backward = open_run(model, question, &back, NULL, 0, true);
  if (zw_run_gradient(backward, question->of, &gradient))
    fail_msg("%s: %s", question->name, zw_run_diag(backward, zw_run_diag_count(backward) - 1)->text);
  ZwRun* forward = open_run(model, question, &forth, gradient->by, gradient->count, false);
  double worst = 0, largest = 0;
  char name[256];
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < gradient->count; i++) {
      (void)snprintf(name, sizeof name, "d(%s)/d(%s)", question->of, gradient->by[i]);
      int32_t column = 0;
      while (column < forth.count && strcmp(zw_run_column(forward, column), name) != 0) column++;
      assert_true(column < forth.count);
      /* by what a change of the parameter by its own size makes */
      double scale = gradient->at[i] != 0 ? fabs(gradient->at[i]) : 1;
      if (pass == 0) {
        largest = fmax(largest, scale * fabs(forth.row[column]));
        continue;
      }
      double size = fmax(fabs(forth.row[column]), (largest + 1e-9) / scale);
      double off = fabs(gradient->derivatives[i] - forth.row[column]) / size;
      worst = fmax(worst, off);
      if (!(off <= question->bound))
        fail_msg("%s: %s is %.15g by the way back, %.15g forward", question->name, name, gradient->derivatives[i],
                 forth.row[column]);
    }
  }
  print_message("%-20s %-12s by %2d numbers off by %.2g\n", question->name, question->of, (int)gradient->count, worst);
  zw_run_destroy(backward);
  zw_run_destroy(forward);
  zw_model_destroy(model);
  free(back.row);
  free(forth.row);
  return worst;
}

static void compare_all(const Question* questions, int count) {
  for (int i = 0; i < count; i++) (void)compare(&questions[i]);
}

static void smooth(void** state) {
  (void)state;
  static const Question questions[] = {
      {"pendulum", NULL, "angle", 3, 1e-12, NULL, 1e-9}, {"knife-edge", NULL, "along", 3, 1e-12, NULL, 1e-9},
      {"andrews", NULL, "be", 0.01, 1e-12, NULL, 1e-9},  {"slider-crank", NULL, "stroke", 2, 1e-12, NULL, 1e-9},
      {"appell-hamel", NULL, "x", 1, 1e-12, NULL, 1e-9},
  };
  compare_all(questions, sizeof questions / sizeof *questions);
}

static void stiff(void** state) {
  (void)state;
  static const Question questions[] = {
      {"flyball-governor", NULL, "speed", 0.2, 1e-11, "radau", 1e-9},
      {"slider-crank", NULL, "stroke", 0.3, 1e-11, "radau", 1e-9},
  };
  compare_all(questions, sizeof questions / sizeof *questions);
}

static void events(void** state) {
  (void)state;
  static const char reset[] =
      "param a = 0.5, b = 0.7, c = 2\ncoord x = 1, y\nmemory m = a, k = 1\nkinetic 1/2*(x'^2 + y'^2) + 0.1*x'*y'\n"
      "potential 1/2*k*x^2 + 1/2*y^2 - m*y\nwhen x < a*y: x' = -b*x', m = x'*c, k = k + a\nforce y = -y'*abs(x)*c\n";
  static const char thrown[] =
      "param g = 9.81, l = 1, w = 0.4\ncoord x = 0.6, y = -0.8\nkinetic 1/2*(x'^2 + y'^2)\npotential g*y\n"
      "constraint rod: x^2 + y^2 = l^2\nwhen x < w*l: x' = x' - w, y = y + 0.1*w\noutput pull = reaction(rod)\n";
  static const char bent[] =
      "param e = 0.7, a = 0.2, s = 0.6, T = 2.4\ncoord x, y = 2\n"
      "lagrangian x'^2 + x'*y'/2 + y'^2/2 + a*x'^4 - 0.3*y + 0.1*x*y'^2\n"
      "contact wall: 0.8*y - s*x >= 0.05*t, restitution e\nconstraint tie: x' = e*y' while t > T\n"
      "start x' = 1.2, y' = -0.7\n";
  static const Question questions[] = {
      {"bent", bent, "y", 3, 1e-12, NULL, 1e-9},
      {"bouncing-ball", NULL, "y", 2, 1e-12, NULL, 1e-9},
      {"woodpecker", NULL, "y", 0.3, 1e-12, NULL, 1e-9},
      {"stick-slip", NULL, "x", 2, 1e-12, NULL, 1e-9},
      {"rocking-block", NULL, "block.phi", 1, 1e-12, NULL, 1e-9},
      {"ball-in-a-box", NULL, "P.x", 1, 1e-12, NULL, 1e-9},
      {"reset", reset, "x", 2, 1e-12, NULL, 1e-9},
      {"thrown", thrown, "pull", 0.6, 1e-12, NULL, 1e-9},
  };
  compare_all(questions, sizeof questions / sizeof *questions);
}

/* Where a short part of its run ends. */
static double end_of(const ZwModel* model) {
  ZwRunDef def = zw_default_run_def();
  ZwRun* run;
  assert_int_equal(zw_run_create(model, &def, &run), ZW_OK);
  const ZwReport* report = zw_run_report(run);
  double end = report->from + fmin(0.4, (report->to - report->from) / 5);
  zw_run_destroy(run);
  return end;
}

/* Every example, by everything, for a while; every fourth one in a short test. What goes over a singular position has neither. */
static void all_examples(void** state) {
  (void)state;
  Examples examples;
  list_examples(&examples);
  int asked = 0, apart = getenv("ZW_LONG") ? 1 : 4;
  for (int i = 0; i < examples.count; i += apart) {
    Question question = {examples.names[i], NULL, NULL, 0.4, 1e-10, NULL, 1e-6};
    ZwModel* model = compile(&question);
    int32_t n = zw_model_coordinate_count(model), last = zw_model_column_count(model) - 1;
    char* name = strdup(zw_model_column(model, last > 2 * n ? 2 * n + 1 : 1));
    question.of = name;
    question.to = end_of(model);
    if (n <= 40 && strcmp(question.name, "n-four-bar") != 0) {
      (void)compare(&question);
      asked++;
    }
    free(name);
    zw_model_destroy(model);
  }
  assert_true(asked > 10);
}

/* How far a stone flies: it stops where it lands, at a time that depends on everything. Range = v^2 sin(2 a)/g from the ground. */
static void range_of_a_stone(void** state) {
  (void)state;
  static const Question question = {
      "stone",
      "param v = 3, a = 0.6, g = 9.81, h = 0\ncoord x = 0, y = h\nkinetic 1/2*(x'^2 + y'^2)\npotential g*y\n"
      "start x' = v*cos(a), y' = v*sin(a)\nstop when y < -1e-300\noutput range = x\n",
      "range",
      10,
      1e-12,
      NULL,
      0};
  ZwModel* model = compile(&question);
  Last last = {0};
  ZwRun* run = open_run(model, &question, &last, NULL, 0, true);
  const ZwGradient* gradient;
  assert_int_equal(zw_run_gradient(run, "range", &gradient), ZW_OK);
  double v = 3, a = 0.6, g = 9.81;
  const double expected[] = {2 * v * sin(2 * a) / g, 2 * v * v * cos(2 * a) / g, -v * v * sin(2 * a) / (g * g),
                             cos(a) / sin(a)};
  for (int i = 0; i < 4; i++) assert_true(fabs(gradient->derivatives[i] - expected[i]) <= 1e-9);
  assert_int_equal(zw_run_gradient(run, "rang", &gradient), ZW_ERR_NAME);
  zw_run_destroy(run);
  zw_model_destroy(model);
  free(last.row);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(smooth), cmocka_unit_test(stiff), cmocka_unit_test(events),
                                     cmocka_unit_test(range_of_a_stone), cmocka_unit_test(all_examples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
