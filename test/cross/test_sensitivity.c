/* Sensitivities against differences of order 4 of whole runs: state, outputs and forces at the end, through events and impacts. */
#include "examples.h"
#include "zwang/zwang.h"

enum { ROWS = 8 };

/* The rows at the times asked for; behind an event where one happens at such a time. */
typedef struct Rows {
  double *numbers, every;
  int32_t columns;
} Rows;

static ZwStatus keep_row(void* context, const double* values) {
  Rows* rows = context;
  int k = (int)round(values[0] / rows->every);
  if (k >= ROWS || fabs(values[0] - k * rows->every) > 1e-12 * rows->every) return ZW_OK;
  memcpy(rows->numbers + k * rows->columns, values, (size_t)rows->columns * sizeof(double));
  return ZW_OK;
}

typedef struct Question {
  const char* name; /* an example; or a name for the text */
  const char* text; /* NULL: of the example */
  const char* by;
  double to, tolerance, step; /* step of the differences, as a part of 1 + |value| */
  double bound;               /* of what is off, as a part of 1 + |derivative| */
  const char* integrator;
  double typed; /* start value, where it is not what the start is */
} Question;

static ZwModel* compile(const Question* question) {
  ZwCompileDef def = zw_default_compile_def();
  char path[PATH_SIZE];
  source_path(path, "examples", question->name, ".zw");
  char* text = question->text ? strdup(question->text) : read_text(path);
  ZwModel* model;
  def.text = text;
  def.size = strlen(text);
  def.name = path;
  if (zw_model_compile(&def, &model)) fail_msg("%s: %s", question->name, zw_model_diag(model, 0)->text);
  free(text);
  return model;
}

/* The rows of a run with one number changed; NULL: none is. */
static double* run_to_end(const ZwModel* model, const Question* question, const ZwRunChange* change, bool is_varied,
                          ZwRun** out) {
  Rows rows = {.every = question->to / (ROWS - 1)};
  ZwRunDef def = zw_default_run_def();
  def.to = question->to;
  def.tolerance = question->tolerance;
  def.every = rows.every;
  def.integrator = question->integrator;
  def.changes = change;
  def.change_count = change ? 1 : 0;
  def.forces = true;
  def.row = keep_row;
  def.context = &rows;
  def.sensitivity = &question->by;
  def.sensitivity_count = is_varied;
  ZwRun* run;
  if (zw_run_create(model, &def, &run)) fail_msg("%s: %s", question->name, zw_run_diag(run, 0)->text);
  rows.columns = zw_run_column_count(run);
  rows.numbers = calloc((size_t)(ROWS * rows.columns), sizeof(double));
  assert_non_null(rows.numbers);
  if (zw_run_go(run)) fail_msg("%s: %s", question->name, zw_run_diag(run, zw_run_diag_count(run) - 1)->text);
  if (out)
    *out = run;
  else
    zw_run_destroy(run);
  return rows.numbers;
}

static double value_of(const ZwRun* run, const char* name, const double* first) {
  for (int32_t i = 0; i < zw_run_parameter_count(run); i++) {
    if (!strcmp(zw_run_parameter(run, i).name, name)) return zw_run_parameter(run, i).value;
  }
  for (int32_t i = 0; i < zw_run_column_count(run); i++) {
    if (!strcmp(zw_run_column(run, i), name)) return first[i];
  }
  fail_msg("no number is called %s", name);
  return 0;
}

static double start_of(const ZwModel* model, const Question* question, const char* name) {
  Question at_once = *question;
  at_once.to = 1e-12;
  ZwRun* run;
  double* row = run_to_end(model, &at_once, NULL, false, &run);
  double value = value_of(run, name, row);
  free(row);
  zw_run_destroy(run);
  return value;
}

static double ask(const Question* question) {
  static const double weights[] = {8.0 / 12, -1.0 / 12};
  bool is_start = !strncmp(question->by, "start.", 6);
  const char* name = question->by + (is_start ? 6 : 0);
  ZwModel* model = compile(question);
  double value = question->typed != 0 ? question->typed : start_of(model, question, name),
         h = question->step * (1 + fabs(value)), worst = 0;
  ZwRun* run;
  double* got = run_to_end(model, question, NULL, true, &run);
  int32_t all = zw_run_column_count(run), count = (all + 1) / 2; /* t, columns, their derivatives */
  double* differences = calloc((size_t)(ROWS * count), sizeof(double));
  assert_non_null(differences);
  for (int k = 0; k < 4; k++) {
    int far = k / 2 + 1, side = k % 2 ? -1 : 1;
    ZwRunChange change = {name, value + side * far * h};
    double* row = run_to_end(model, question, &change, false, NULL);
    for (int32_t i = 0; i < ROWS * count; i++) differences[i] += side * weights[k / 2] * row[i] / h;
    free(row);
  }
  for (int32_t i = 0; i < ROWS * count; i++) {
    if (i % count == 0) continue;
    int32_t column = count + i % count - 1;
    double derivative = got[i / count * all + column];
    double off = fabs(derivative - differences[i]) / (1 + fabs(differences[i]));
    worst = fmax(worst, off);
    if (!(off <= question->bound))
      fail_msg("%s: %s in row %d is %.12g, differences say %.12g", question->name, zw_run_column(run, column),
               (int)(i / count), derivative, differences[i]);
  }
  free(got);
  free(differences);
  zw_run_destroy(run);
  zw_model_destroy(model);
  return worst;
}

static void ask_all(const Question* questions, int count) {
  for (int i = 0; i < count; i++) {
    double worst = ask(&questions[i]);
    print_message("%-22s by %-12s off by %.2g\n", questions[i].name, questions[i].by, worst);
  }
}

static void smooth_motions(void** state) {
  (void)state;
  static const Question questions[] = {
      {"pendulum", NULL, "l", 3, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"pendulum", NULL, "g", 3, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"pendulum-sundials", NULL, "start.y", 3, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"knife-edge", NULL, "g", 3, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"andrews", NULL, "c0", 0.03, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"andrews", NULL, "start.be", 0.03, 1e-12, 2e-5, 1e-7, NULL, 0},
      {"slider-crank", NULL, "start.ph1'", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"slider-crank", NULL, "l2", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"rattleback", NULL, "h", 1, 1e-13, 2e-4, 1e-7, NULL, 0},
      {"table-four-legs", NULL, "a", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"appell-hamel", NULL, "kap", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"relativistic", NULL, "start.x", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"car-axis", NULL, "L", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"andrews", NULL, "mom", 0.03, 1e-12, 5e-6, 1e-7, NULL, 0},
  };
  ask_all(questions, sizeof questions / sizeof *questions);
}

static void stiff_motions(void** state) {
  (void)state;
  static const Question questions[] = {
      {"flyball-governor", NULL, "g", 0.5, 1e-10, 1e-4, 1e-7, "radau", 0},
      {"slider-crank", NULL, "l2", 1, 1e-10, 1e-3, 1e-7, "radau", 0},
      {"pendulum", NULL, "l", 1, 1e-11, 1e-3, 1e-7, "adams", 0},
  };
  ask_all(questions, sizeof questions / sizeof *questions);
}

/* Starts that are not determined by their rows alone, or only just. */
static void starts(void** state) {
  (void)state;
  static const char far[] =
      "param l = 1, k = 0.3\ncoord x = 1.3, y = 0.2\nkinetic 1/2*(1 + k*x^2)*x'^2 + y'^2\npotential y\n"
      "constraint rod: x^2 + y^2 = l^2\nstart x' = 1, y' = k\n";
  static const char exactly[] =
      "param l = 2, w = 1\ncoord x = 1.3, y = 0.2\nkinetic 1/2*x'^2 + 1/2*y'^2\npotential y\n"
      "constraint rod: x^2 + y^2 = l^2\nstart exactly x = y*w\nstart exactly x' = w\n";
  static const char twice[] =
      "param l = 1\ncoord x = 0.6, y = -0.8, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential y\n"
      "constraint rod: x^2 + y^2 = l^2\nconstraint again: 3*x^2 + 3*y^2 = 3*l^2\nconstraint along: z = l*x\n"
      "output pull = reaction(rod)\n";
  static const Question questions[] = {
      {"moved", far, "start.x", 1, 1e-12, 2e-4, 1e-7, NULL, 1.3},
      {"moved", far, "k", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"moved", far, "l", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"moved", far, "start.y'", 1, 1e-12, 2e-4, 1e-7, NULL, 0.3},
      {"exactly", exactly, "w", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"exactly", exactly, "l", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"twice", twice, "l", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
      {"twice", twice, "start.x", 1, 1e-12, 2e-4, 1e-7, NULL, 0},
  };
  ask_all(questions, sizeof questions / sizeof *questions);
}

/* Events that assign, remember, and switch. */
static void events(void** state) {
  (void)state;
  static const char reset[] =
      "param a = 0.5, b = 0.7, c = 2\ncoord x = 1, y\nmemory m = a, k = 1\nkinetic 1/2*(x'^2 + y'^2) + 0.1*x'*y'\n"
      "potential 1/2*k*x^2 + 1/2*y^2 - m*y\nwhen x < a*y: x' = -b*x', m = x'*c, k = k + a\nforce y = -y'*abs(x)*c\n";
  static const char thrown[] =
      "param g = 9.81, l = 1, w = 0.4\ncoord x = 0.6, y = -0.8\nkinetic 1/2*(x'^2 + y'^2)\npotential g*y\n"
      "constraint rod: x^2 + y^2 = l^2\nwhen x < w*l: x' = x' - w, y = y + 0.1*w\n";
  static const char timed[] = /* conditions of the time alone, and beside others */
      "param a = 0.3, u = 0.55, c = 0.2\ncoord x, y\nkinetic 1/2*x'^2*(1 + y^2) + 1/2*y'^2\npotential 0.1*x\n"
      "when x > c and t > u: x' = a\nwhen t > u/2: y' = y' + a\nstart x' = 0.7, y' = 0.1\n";
  static const Question questions[] = {
      {"reset", reset, "a", 2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"reset", reset, "b", 2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"reset", reset, "start.y'", 2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"thrown", thrown, "w", 0.6, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"thrown", thrown, "l", 0.6, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"timed", timed, "u", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"timed", timed, "c", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
  };
  ask_all(questions, sizeof questions / sizeof *questions);
}

static void impacts(void** state) {
  (void)state;
  static const Question questions[] = {
      {"bouncing-ball", NULL, "g", 2, 1e-12, 1e-3, 1e-7, NULL, 0},
      {"woodpecker", NULL, "mu", 0.3, 1e-12, 2e-5, 1e-7, NULL, 0},
      {"stick-slip", NULL, "k", 2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"stick-slip", NULL, "mu", 2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"rocking-block", NULL, "h", 1, 1e-12, 1e-5, 1e-7, NULL, 0},
      {"newtons-cradle", NULL, "g", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"end-stops", NULL, "k", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"slack-string", NULL, "push", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"ball-in-a-box", NULL, "om", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"bowling-ball", NULL, "mu", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"chain-on-a-table", NULL, "g", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"ball-comes-to-rest", NULL, "e", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"ball-comes-to-rest", NULL, "start.y", 6, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"bouncing-ball", NULL, "start.y", 2, 1e-12, 1e-3, 1e-7, NULL, 0},
  };
  ask_all(questions, sizeof questions / sizeof *questions);
}

/* Where M depends on velocities (T32): theta, walls and belts that move, several contacts, friction, constraints beside and ones that
 * take hold, velocities that are set. */
static void bent_impacts(void** state) {
  (void)state;
  static const char wall[] =
      "param e = 0.7, a = 0.2, m = 1, s = 0.6, w = 0.05\ncoord x, y = 2\n"
      "lagrangian m*x'^2 + x'*y'/2 + y'^2/2 + a*x'^4 - 0.3*y + 0.1*x*y'^2\n"
      "contact wall: 0.8*y - s*x >= w*t, restitution e\nstart x' = 1.2, y' = -0.7\n";
  static const char corner[] =
      "param e1 = 0.8, e2 = 0.3, b = 0.3\ncoord x, y\nlagrangian -sqrt(1 - x'^2 - y'^2 - b*x'*y') - 0.1*x*y\n"
      "contact left: x >= -0.5, restitution e1\ncontact floor: y >= -0.5, restitution e2\n"
      "contact ceiling: y <= 3 - t, restitution e1\nstart x' = -0.5, y' = -0.5\n";
  static const char belt[] =
      "param e = 0.5, mu = 0.2, v = 0.3\ncoord x, y = 0.5\nlagrangian -sqrt(1 - x'^2 - y'^2)\n"
      "contact floor: y >= 0, restitution e, friction mu, slip x - v*t\nstart x' = 0.5, y' = -0.5\n";
  static const char rod[] =
      "param e = 0.6, l = 0.52\ncoord P = (0, 0.5), Q = (0.6, 0.9)\n"
      "lagrangian -sqrt(1 - P.x'^2 - P.y'^2) - 2*sqrt(1 - Q.x'^2 - Q.y'^2)\nconstraint rod: (P - Q)^2 = l\n"
      "contact floor: P.y >= 0, restitution e\nstart P.x' = 0.3, P.y' = -0.5, Q.x' = 0.3, Q.y' = -0.5\n";
  static const char speed[] = /* a row that is not linear in velocities */
      "param e = 0.5, w = 0.25\ncoord x = 0.5, y, z\nlagrangian -sqrt(1 - x'^2 - y'^2 - z'^2)\n"
      "constraint speed: x'^2 + y'^2 = w\ncontact wall: x >= 0, restitution e\n"
      "start x' = -0.4, y' = 0.3, z' = 0.5\n";
  static const char hold[] =
      "param a = 0.3, T = 0.5, k = 1\ncoord x, y, z, f\n"
      "lagrangian -sqrt(1 - x'^2 - y'^2) - 2*sqrt(1 - z'^2) - 0.1*x^2 + 1/2*f'^2\n"
      "constraint tie: x' = k*z' while t > T\nconstraint off: y' = a*x' while t > T + 0.2\n"
      "constraint far: f' = k while t > T\nstart x' = 0.7, y' = 0.4, z' = -0.2, f' = 0.3\n";
  static const char set[] =
      "param a = 0.3, T = 0.5, k = 1\ncoord x, y, z\n"
      "lagrangian -sqrt(1 - x'^2 - y'^2) - 2*sqrt(1 - z'^2 - 0.1*x'*z') - 0.1*x^2\nconstraint tie: x' + y' = k*z'\n"
      "when t > T: x' = a\nstart x' = 0.7, y' = 0.2\n";
  static const Question questions[] = {
      {"wall", wall, "e", 3, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"wall", wall, "a", 3, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"wall", wall, "m", 3, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"wall", wall, "s", 3, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"wall", wall, "w", 3, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"wall", wall, "start.x'", 3, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"wall", wall, "start.y", 3, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"corner", corner, "e1", 3, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"corner", corner, "e2", 3, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"belt", belt, "mu", 2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"belt", belt, "e", 2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"belt", belt, "v", 2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"rod", rod, "e", 1.2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"rod", rod, "start.P.y'", 1.2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"speed", speed, "e", 2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"speed", speed, "start.z'", 2, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"hold", hold, "a", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"hold", hold, "T", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"hold", hold, "k", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"hold", hold, "start.z'", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"set", set, "a", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"set", set, "T", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
      {"set", set, "k", 1, 1e-12, 1e-4, 1e-7, NULL, 0},
  };
  ask_all(questions, sizeof questions / sizeof *questions);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(smooth_motions), cmocka_unit_test(stiff_motions),
                                     cmocka_unit_test(starts),         cmocka_unit_test(events),
                                     cmocka_unit_test(impacts),        cmocka_unit_test(bent_impacts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
