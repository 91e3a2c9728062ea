/* Forces and constraints that the host computes, and a host that looks and acts on the way. Everything is compared with the same
 * thing written in the text, or with a closed form. */
#include "zwang/hosts.h"

enum { ROWS = 256, COLUMNS = 32 };

typedef struct Motion {
  double rows[ROWS][COLUMNS];
  int32_t count, columns;
  int32_t asked; /* how often the host was */
} Motion;

static ZwStatus keep_row(void* context, const double* values) {
  Motion* motion = context;
  assert_true(motion->count < ROWS);
  memcpy(motion->rows[motion->count++], values, (size_t)motion->columns * sizeof(double));
  return ZW_OK;
}

typedef struct Case {
  const char* text;     /* with the host's part written in the language */
  const char* rest;     /* without it */
  ZwRunDef how;         /* what the host computes */
  ZwHostConstraint row; /* its constraint; no name: none */
} Case;

static ZwModel* compile_case(const char* text, const ZwHostConstraint* row) {
  ZwCompileDef def = zw_default_compile_def();
  ZwModel* model;
  def.text = text;
  def.size = strlen(text);
  def.constraints = row;
  def.constraint_count = row && row->name ? 1 : 0;
  ZwStatus status = zw_model_compile(&def, &model);
  if (status) show_messages(model, NULL);
  assert_int_equal(status, ZW_OK);
  return model;
}

static ZwRun* create_run(const ZwModel* model, ZwRunDef how, Motion* motion) {
  ZwRun* run;
  *motion = (Motion){0};
  how.row = keep_row;
  how.context = motion;
  ZwStatus status = zw_run_create(model, &how, &run);
  if (status) show_messages(NULL, run);
  assert_int_equal(status, ZW_OK);
  motion->columns = zw_run_column_count(run);
  assert_true(motion->columns <= COLUMNS);
  return run;
}

static void go(ZwRun* run) {
  ZwStatus status = zw_run_go(run);
  if (status) show_messages(NULL, run);
  assert_int_equal(status, ZW_OK);
}

static double apart(const Motion* a, const Motion* b) {
  double most = 0;
  assert_int_equal(a->count, b->count);
  for (int32_t r = 0; r < a->count; r++) {
    for (int32_t k = 0; k < a->columns; k++) most = fmax(most, fabs(a->rows[r][k] - b->rows[r][k]));
  }
  return most;
}

/* By the names of their columns: a row of the host has a force on every coordinate, if only 0. */
static double apart_by_name(ZwRun* a, const Motion* of_a, ZwRun* b, const Motion* of_b) {
  double most = 0;
  assert_int_equal(of_a->count, of_b->count);
  for (int32_t i = 0; i < of_a->columns; i++) {
    int32_t k = 0;
    while (strcmp(zw_run_column(a, i), zw_run_column(b, k)) != 0) assert_true(++k < of_b->columns);
    for (int32_t r = 0; r < of_a->count; r++) most = fmax(most, fabs(of_a->rows[r][i] - of_b->rows[r][k]));
  }
  return most;
}

static ZwRunDef plain(const char* integrator) {
  ZwRunDef how = zw_default_run_def();
  how.integrator = integrator;
  how.tolerance = 1e-10;
  how.every = 0.05;
  return how;
}

static double compare(const Case* c, const char* integrator) {
  static Motion in_text, by_host;
  ZwModel *text = compile_case(c->text, NULL), *rest = compile_case(c->rest, &c->row);
  ZwRunDef how = plain(integrator), hosts = how;
  how.forces = hosts.forces = true;
  hosts.force = c->how.force;
  hosts.force_slope = c->how.force_slope;
  hosts.constraints = c->how.constraints;
  ZwRun *a = create_run(text, how, &in_text), *b = create_run(rest, hosts, &by_host);
  go(a);
  go(b);
  assert_int_equal(zw_run_report(a)->dof, zw_run_report(b)->dof);
  assert_true(by_host.asked > 10);
  double most = apart_by_name(a, &in_text, b, &by_host);
  assert_true(zw_run_report(b)->phi_max < 1e-10 && zw_run_report(b)->phidot_max < 1e-10);
  assert_true(zw_run_report(b)->energy_drift < 1e-6);
  zw_run_destroy(a);
  zw_run_destroy(b);
  zw_model_destroy(text);
  zw_model_destroy(rest);
  return most;
}

/* ---- forces ---- */

static bool damp(void* context, double t, const double* q, const double* v, double* Q) {
  ((Motion*)context)->asked++;
  Q[0] += -0.3 * v[0] + sin(2 * t);
  Q[1] += -0.3 * v[1] - q[0] * q[0];
  return true;
}

static bool damp_slope(void* context, double t, const double* q, const double* v, double* by_q, double* by_v) {
  (void)context, (void)t, (void)v;
  by_q[2] += -2 * q[0];
  by_v[0] += -0.3;
  by_v[3] += -0.3;
  return true;
}

static void forces_are_those_of_the_text(void** state) {
  (void)state;
  Case c = {PENDULUM_BODY "force x = -0.3*x' + sin(2*t)\nforce y = -0.3*y' - x^2\nrun 0 .. 3\n",
            PENDULUM_BODY "run 0 .. 3\n",
            {.force = damp},
            {0}};
  double most = compare(&c, "explicit");
  print_message("explicit: %.2g\n", most);
  assert_true(most < 1e-8);
  most = compare(&c, "radau");
  print_message("radau, differences: %.2g\n", most);
  assert_true(most < 1e-6);
  c.how.force_slope = damp_slope;
  most = compare(&c, "radau");
  print_message("radau, slopes: %.2g\n", most);
  assert_true(most < 1e-6);
}

static bool stiff(void* context, double t, const double* q, const double* v, double* Q) {
  ((Motion*)context)->asked++;
  Q[0] += -1e5 * (v[0] - cos(t)) - 1e3 * q[0];
  return true;
}

/* With derivatives of the force, whoever finds them, a stiff motion takes few steps. */
static void stiff_forces_are_known_to_radau(void** state) {
  (void)state;
  static Motion motion;
  ZwModel* model = compile_case("coord x = 0\nkinetic 1/2*x'^2\nstart x' = 1\nrun 0 .. 5\n", NULL);
  ZwRunDef how = plain("radau");
  how.tolerance = 1e-7;
  how.force = stiff;
  ZwRun* run = create_run(model, how, &motion);
  go(run);
  print_message("%d steps\n", (int)zw_run_report(run)->steps);
  assert_true(zw_run_report(run)->steps < 400);
  assert_false(zw_run_report(run)->is_conservative);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static bool nowhere(void* context, double t, const double* q, const double* v, double* Q) {
  (void)q, (void)v, (void)Q;
  ((Motion*)context)->asked++;
  return t <= 1;
}

static void a_force_without_a_value_ends_the_run(void** state) {
  (void)state;
  static Motion motion;
  ZwModel* model = compile_case(PENDULUM_BODY "run 0 .. 3\n", NULL);
  ZwRunDef how = plain("explicit");
  how.force = nowhere;
  ZwRun* run = create_run(model, how, &motion);
  assert_int_not_equal(zw_run_go(run), ZW_OK);
  assert_true(zw_run_diag_count(run) > 0);
  assert_true(zw_run_report(run)->t <= 1 && zw_run_report(run)->t > 0.9);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* ---- constraints ---- */

/* x^2 + y^2 = (1 + 0.1 sin t)^2 */
static bool rod(void* context, double t, const double* q, const double* v, const ZwHostRows* rows) {
  double l = 1 + 0.1 * sin(t), rate = 0.1 * cos(t), bend = -0.1 * sin(t);
  ((Motion*)context)->asked++;
  assert_int_equal(rows->count, 1);
  assert_int_equal(rows->n, 2);
  rows->residual[0] = q[0] * q[0] + q[1] * q[1] - l * l;
  rows->A[0] = 2 * q[0];
  rows->A[1] = 2 * q[1];
  rows->rate[0] = -2 * l * rate;
  rows->b[0] = -2 * (v[0] * v[0] + v[1] * v[1]) + 2 * (rate * rate + l * bend);
  return true;
}

#define FREE "coord x = 1, y = 0\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nstart x' = 0.1\n"

static void rows_of_positions(void** state) {
  (void)state;
  Case c = {FREE "constraint rod: x^2 + y^2 = (1 + 0.1*sin(t))^2\nrun 0 .. 3\n",
            FREE "run 0 .. 3\n",
            {.constraints = rod},
            {"rod", ZW_OF_POSITIONS}};
  double most = compare(&c, "explicit");
  print_message("explicit: %.2g\n", most);
  assert_true(most < 1e-7);
  most = compare(&c, "radau");
  print_message("radau: %.2g\n", most);
  assert_true(most < 1e-5);
}

#define SLEIGH \
  "coord x = 0, y = 0, phi = 0.3\nkinetic 1/2*(x'^2 + y'^2 + phi'^2)\npotential 0.5*x\nstart x' = 1, phi' = 0.7\n"

static bool blade(void* context, double t, const double* q, const double* v, const ZwHostRows* rows) {
  double s = sin(q[2]), c = cos(q[2]);
  (void)t;
  ((Motion*)context)->asked++;
  rows->residual[0] = v[0] * s - v[1] * c;
  rows->A[0] = s;
  rows->A[1] = -c;
  rows->b[0] = -v[2] * (v[0] * c + v[1] * s);
  return true;
}

static void rows_of_velocities(void** state) {
  (void)state;
  Case c = {SLEIGH "constraint blade: x'*sin(phi) = y'*cos(phi)\nrun 0 .. 3\n",
            SLEIGH "run 0 .. 3\n",
            {.constraints = blade},
            {"blade", ZW_OF_VELOCITIES}};
  double most = compare(&c, "explicit");
  print_message("explicit: %.2g\n", most);
  assert_true(most < 1e-7);
}

static bool pushed(void* context, double t, const double* q, const double* v, const ZwHostRows* rows) {
  (void)q;
  ((Motion*)context)->asked++;
  rows->A[0] = 1;
  rows->A[1] = 2;
  rows->b[0] = sin(t) - v[0];
  return true;
}

static void rows_of_accelerations(void** state) {
  (void)state;
  Case c = {FREE "constraint push: x'' + 2*y'' = sin(t) - x'\nrun 0 .. 3\n",
            FREE "run 0 .. 3\n",
            {.constraints = pushed},
            {"push", ZW_OF_ACCELERATIONS}};
  double most = compare(&c, "explicit");
  print_message("explicit: %.2g\n", most);
  assert_true(most < 1e-8);
}

static void a_row_needs_its_function_and_its_name(void** state) {
  (void)state;
  ZwHostConstraint row = {"rod", ZW_OF_POSITIONS};
  ZwModel* model = compile_case(FREE "run 0 .. 1\n", &row);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run;
  assert_int_equal(zw_run_create(model, &how, &run), ZW_ERR_ARGUMENT);
  assert_non_null(strstr(zw_run_diag(run, 0)->text, "no function for them"));
  zw_run_destroy(run);
  zw_model_destroy(model);
  ZwCompileDef def = zw_default_compile_def();
  def.text = PENDULUM;
  def.size = strlen(def.text);
  def.constraints = &row;
  def.constraint_count = 1;
  assert_int_equal(zw_model_compile(&def, &model), ZW_ERR_NAME);
  assert_non_null(strstr(zw_model_diag(model, 0)->text, "'rod' exists already"));
  zw_model_destroy(model);
}

/* ---- looking and acting on the way ---- */

static void stops_change_nothing_but_steps(void** state) {
  (void)state;
  static Motion at_once, by_and_by;
  ZwModel* model = compile_case(PENDULUM, NULL);
  ZwRun *a = create_run(model, plain("explicit"), &at_once), *b = create_run(model, plain("explicit"), &by_and_by);
  go(a);
  for (int i = 1; i <= 40; i++) {
    double row[COLUMNS], t = i * 0.037;
    assert_int_equal(zw_run_to(b, t), ZW_OK);
    assert_int_equal(zw_run_read(b, row), ZW_OK);
    assert_true(row[0] == t && zw_run_report(b)->t == t);
    assert_true(fabs(row[1] * row[1] + row[2] * row[2] - 1) < 1e-12);
    assert_true(fabs(row[5] - atan2(row[1], -row[2])) < 1e-14); /* outputs too */
  }
  go(b);
  assert_true(apart(&at_once, &by_and_by) < 1e-8);
  assert_true(zw_run_report(b)->t == 2);
  assert_int_equal(zw_run_to(b, 5), ZW_OK); /* it is at its end */
  assert_true(zw_run_report(b)->t == 2);
  zw_run_destroy(a);
  zw_run_destroy(b);
  zw_model_destroy(model);
}

/* A controller that holds its output for a tenth of a second: the motion is known in closed form. */
static void parameters_change_on_the_way(void** state) {
  (void)state;
  static Motion motion;
  ZwModel* model =
      compile_case("param u = 0, gain = 2*u, N = 1\ncoord x[1..N] = 0\nkinetic 1/2*x[1]'^2\nforce x[1] = gain\n", NULL);
  ZwRun* run = create_run(model, plain("auto"), &motion);
  double x = 0, v = 0, row[COLUMNS];
  assert_int_equal(zw_run_set(run, "u", 1), ZW_ERR_ARGUMENT); /* not yet */
  for (int i = 0; i < 30; i++) {
    double u = cos(3.0 * i);
    if (i > 0) assert_int_equal(zw_run_set(run, "u", u), ZW_OK);
    assert_int_equal(zw_run_to(run, 0.1 * (i + 1)), ZW_OK);
    double a = i > 0 ? 2 * u : 0, dt = 0.1 * (i + 1) - 0.1 * i;
    x += v * dt + a * dt * dt / 2;
    v += a * dt;
    assert_int_equal(zw_run_read(run, row), ZW_OK);
    assert_true(fabs(row[1] - x) < 1e-11 && fabs(row[2] - v) < 1e-11);
  }
  assert_int_equal(motion.count, 31); /* the start, and every time that was asked for */
  assert_int_equal(zw_run_set(run, "nothing", 1), ZW_ERR_ARGUMENT);
  assert_int_equal(zw_run_set(run, "u", NAN), ZW_ERR_ARGUMENT);
  assert_int_equal(zw_run_set(run, "N", 2), ZW_ERR_ARGUMENT);
  assert_non_null(strstr(zw_run_diag(run, zw_run_diag_count(run) - 1)->text, "another model"));
  assert_int_equal(zw_run_to(run, 3.5), ZW_OK); /* that harmed nobody */
  assert_int_equal(zw_run_to(run, NAN), ZW_ERR_ARGUMENT);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static double thrust;

static bool push(void* context, double t, const double* q, const double* v, double* Q) {
  (void)context, (void)t, (void)q, (void)v;
  Q[0] += thrust;
  return true;
}

/* The host may think again whenever a run has arrived where it was sent. */
static void forces_change_on_the_way(void** state) {
  (void)state;
  static Motion motion;
  static const char* const integrators[] = {"explicit", "radau"};
  for (int k = 0; k < 2; k++) {
    ZwModel* model = compile_case("coord x = 0\nkinetic 1/2*x'^2\nrun 0 .. 10\n", NULL);
    ZwRunDef how = plain(integrators[k]);
    how.every = 10;
    how.force = push;
    ZwRun* run = create_run(model, how, &motion);
    double x = 0, v = 0, row[COLUMNS];
    for (int i = 0; i < 20; i++) {
      thrust = cos(3.0 * i);
      assert_int_equal(zw_run_to(run, 0.5 * (i + 1)), ZW_OK);
      x += v * 0.5 + thrust * 0.125;
      v += thrust * 0.5;
      assert_int_equal(zw_run_read(run, row), ZW_OK);
      assert_true(fabs(row[1] - x) < 1e-10 && fabs(row[2] - v) < 1e-10);
    }
    zw_run_destroy(run);
    zw_model_destroy(model);
  }
}

/* A rod that becomes shorter takes its mass along, and its speed along the rod is gone. */
static void constraints_that_move_take_the_state_along(void** state) {
  (void)state;
  static Motion motion;
  ZwModel* model = compile_case(PENDULUM, NULL);
  ZwRun* run = create_run(model, plain("auto"), &motion);
  double row[COLUMNS];
  assert_int_equal(zw_run_to(run, 0.5), ZW_OK);
  assert_int_equal(zw_run_set(run, "l", 0.8), ZW_OK);
  assert_int_equal(zw_run_read(run, row), ZW_OK);
  assert_true(fabs(hypot(row[1], row[2]) - 0.8) < 1e-12);
  assert_true(fabs(row[1] * row[3] + row[2] * row[4]) < 1e-11);
  assert_int_equal(zw_run_to(run, 1), ZW_OK);
  assert_true(zw_run_report(run)->energy_drift < 1e-8);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* A floor that the host moves pushes what lies on it, and does not pull it: lowered, it lets fall; raised, it takes along. A floor that
 * begins to move hits, with restitution. */
static void contacts_that_move_push_and_do_not_pull(void** state) {
  (void)state;
  static Motion motion;
  const struct {
    double level, speed, after, y, v; /* what is set at t = 1, and the state so long after it */
  } cases[] = {{-1, 0, 0.1, -0.04905, -0.981},
               {0.2, 0, 0.1, 0.2, 0},
               {0, -5, 0.1, -0.04905, -0.981},
               {0, 0.4, 0.01, 0.6 * 0.01 - 0.0004905, 0.6 - 0.0981},
               {0.2, 0.4, 0.01, 0.2 + 0.6 * 0.01 - 0.0004905, 0.6 - 0.0981}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ZwModel* model = compile_case(
        "param level = 0, speed = 0\ncoord y = 0\nkinetic 1/2*y'^2\npotential 9.81*y\n"
        "contact floor: y >= level + speed*(t - 1), restitution 0.5\nrun 0 .. 3\n",
        NULL);
    ZwRun* run = create_run(model, plain("auto"), &motion);
    double row[COLUMNS];
    assert_int_equal(zw_run_to(run, 1), ZW_OK);
    const char* const names[] = {"level", "speed"};
    for (int k = 0; k < 2; k++) {
      double value = k == 0 ? cases[i].level : cases[i].speed;
      if (value != 0) assert_int_equal(zw_run_set(run, names[k], value), ZW_OK);
    }
    assert_int_equal(zw_run_to(run, 1 + cases[i].after), ZW_OK);
    assert_int_equal(zw_run_read(run, row), ZW_OK);
    assert_true(fabs(row[1] - cases[i].y) < 1e-9 && fabs(row[2] - cases[i].v) < 1e-9);
    zw_run_destroy(run);
    zw_model_destroy(model);
  }
}

/* ---- numbers ---- */

static void equations_in_numbers(void** state) {
  (void)state;
  static Motion motion;
  ZwModel* model = compile_case(PENDULUM, NULL);
  ZwRun* run = create_run(model, plain("auto"), &motion);
  const double q[2] = {0.6, -0.8}, v[2] = {0.8, 0.6};
  double M[4], h[2], A[2], b[1], phi[1], psi[1], a[2], lambda[1], Qc[2];
  ZwEvaluation all = {.M = M, .h = h, .A = A, .b = b, .phi = phi, .psi = psi, .a = a, .lambda = lambda, .Qc = Qc};
  assert_int_equal(zw_run_evaluate(run, 0, q, v, &all), ZW_OK);
  assert_true(M[0] == 1 && M[1] == 0 && M[2] == 0 && M[3] == 1);
  assert_true(h[0] == 0 && h[1] == -9.81 && A[0] == 1.2 && A[1] == -1.6 && b[0] == -2);
  assert_true(fabs(phi[0]) < 1e-15 && fabs(psi[0]) < 1e-15);
  double pull = (-2 - 1.6 * 9.81) / 4; /* A a = b with a = h + A^T lambda */
  assert_true(fabs(lambda[0] - pull) < 1e-14);
  assert_true(fabs(Qc[0] - 1.2 * pull) < 1e-14 && fabs(a[1] - (-9.81 - 1.6 * pull)) < 1e-13);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* A contact has rows of its own, which do nothing while it is open. */
static void contacts_have_rows_too(void** state) {
  (void)state;
  static Motion motion;
  ZwModel* model = compile_case(
      "coord x = 0, y = 1\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rail: x = 0\n"
      "contact floor: y >= 0, friction 0.3, slip x\nrun 0 .. 1\n",
      NULL);
  ZwRun* run = create_run(model, plain("auto"), &motion);
  const ZwReport* report = zw_run_report(run);
  assert_int_equal(report->m, 1);
  assert_int_equal(report->m_all, 3);
  const double q[2] = {0, 1}, v[2] = {0, 0};
  double A[6], lambda[3] = {NAN, NAN, NAN}, a[2];
  ZwEvaluation values = {.A = A, .lambda = lambda, .a = a};
  assert_int_equal(zw_run_evaluate(run, 0, q, v, &values), ZW_OK);
  assert_true(a[0] == 0 && a[1] == -9.81);
  for (int i = 0; i < 3; i++) assert_true(lambda[i] == 0);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void slopes_are_differences(void** state) {
  (void)state;
  static Motion motion;
  ZwModel* model = compile_case(PENDULUM, NULL);
  ZwRunDef how = plain("auto");
  how.force = damp;
  ZwRun* run = create_run(model, how, &motion);
  const double at[4] = {0.6, -0.8, 0.8, 0.6};
  double by[2][4], a[2], low[2];
  ZwEvaluation slopes = {.a_by_q = by[0], .a_by_v = by[1]}, only = {.a = a};
  assert_int_equal(zw_run_evaluate(run, 0, at, at + 2, &slopes), ZW_OK);
  for (int j = 0; j < 4; j++) {
    double x[4] = {at[0], at[1], at[2], at[3]}, step = 1e-5;
    x[j] = at[j] - step;
    assert_int_equal(zw_run_evaluate(run, 0, x, x + 2, &only), ZW_OK);
    memcpy(low, a, sizeof low);
    x[j] = at[j] + step;
    assert_int_equal(zw_run_evaluate(run, 0, x, x + 2, &only), ZW_OK);
    for (int i = 0; i < 2; i++) {
      double slope = (a[i] - low[i]) / (2 * step);
      assert_true(fabs(by[j / 2][2 * i + j % 2] - slope) < 1e-7);
    }
  }
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static bool nothing(void* context, double t, const double* q, const double* v, double* Q) {
  (void)context, (void)t, (void)q, (void)v, (void)Q;
  return true;
}

/* A sparse solve has accelerations, and no full matrices for their derivatives; nor are any made for the host's force. */
static void derivatives_of_large_systems_are_refused(void** state) {
  (void)state;
  enum { LARGE = 200 };
  static double q[LARGE], v[LARGE], a[LARGE], slopes[LARGE * LARGE];
  ZwModel* model = compile_case(
      "param N = 200\ncoord x[1..N]\nfor i in 1..N { kinetic 1/2*x[i]'^2 }\n"
      "for i in 2..N { potential 1/2*(x[i] - x[i-1])^2 }\nrun 0 .. 0.1\n",
      NULL);
  ZwRunDef how = zw_default_run_def();
  how.force = nothing;
  ZwRun* run;
  assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
  assert_true(zw_run_report(run)->is_sparse);
  q[2] = 1;
  ZwEvaluation values = {.a = a};
  assert_int_equal(zw_run_evaluate(run, 0, q, v, &values), ZW_OK);
  assert_true(a[1] == 1 && a[2] == -2 && a[3] == 1);
  values.a_by_q = slopes;
  assert_int_equal(zw_run_evaluate(run, 0, q, v, &values), ZW_ERR_UNSUPPORTED);
  assert_non_null(strstr(zw_run_diag(run, zw_run_diag_count(run) - 1)->text, "full matrices"));
  assert_int_equal(zw_run_go(run), ZW_OK);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* A value from which nothing follows ends the run: it has no other to go on with. */
static void values_without_consequences_end_the_run(void** state) {
  (void)state;
  static Motion motion;
  ZwModel* model = compile_case(
      "param g = 9.81, part = 1/(g - 5)\ncoord y = 1\nkinetic 1/2*y'^2\npotential part*g*y\nrun 0 .. 2\n", NULL);
  ZwRun* run = create_run(model, plain("auto"), &motion);
  assert_int_equal(zw_run_to(run, 0.5), ZW_OK);
  assert_int_equal(zw_run_set(run, "g", 5), ZW_ERR_VALUE);
  assert_int_equal(zw_run_to(run, 1), ZW_ERR_VALUE);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

/* Looking at other states between two steps leaves no trace in the motion. */
static void looking_leaves_no_trace(void** state) {
  (void)state;
  static Motion one, other;
  static const char* const integrators[] = {"explicit", "radau"};
  ZwModel* model = compile_case(REDUNDANT, NULL);
  for (size_t i = 0; i < 2; i++) {
    ZwRun *a = create_run(model, plain(integrators[i]), &one), *b = create_run(model, plain(integrators[i]), &other);
    for (int k = 1; k <= 20; k++) {
      const double q[4] = {0.1 * k, 1, 1.2, 0.9}, v[4] = {1, -1, 0.3, 0};
      double row[COLUMNS], acceleration[4], slopes[16];
      ZwEvaluation values = {.a = acceleration, .a_by_q = slopes};
      assert_int_equal(zw_run_to(a, 0.1 * k), ZW_OK);
      assert_int_equal(zw_run_to(b, 0.1 * k), ZW_OK);
      assert_int_equal(zw_run_evaluate(b, 3, q, v, &values), ZW_OK);
      assert_int_equal(zw_run_read(b, row), ZW_OK);
    }
    go(a);
    go(b);
    assert_int_equal(zw_run_report(a)->evaluations, zw_run_report(b)->evaluations);
    assert_true(apart(&one, &other) == 0);
    zw_run_destroy(a);
    zw_run_destroy(b);
  }
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_those_of_the_text),
      cmocka_unit_test(stiff_forces_are_known_to_radau),
      cmocka_unit_test(a_force_without_a_value_ends_the_run),
      cmocka_unit_test(rows_of_positions),
      cmocka_unit_test(rows_of_velocities),
      cmocka_unit_test(rows_of_accelerations),
      cmocka_unit_test(a_row_needs_its_function_and_its_name),
      cmocka_unit_test(stops_change_nothing_but_steps),
      cmocka_unit_test(parameters_change_on_the_way),
      cmocka_unit_test(forces_change_on_the_way),
      cmocka_unit_test(constraints_that_move_take_the_state_along),
      cmocka_unit_test(equations_in_numbers),
      cmocka_unit_test(contacts_have_rows_too),
      cmocka_unit_test(slopes_are_differences),
      cmocka_unit_test(derivatives_of_large_systems_are_refused),
      cmocka_unit_test(values_without_consequences_end_the_run),
      cmocka_unit_test(contacts_that_move_push_and_do_not_pull),
      cmocka_unit_test(looking_leaves_no_trace),
  };
  return cmocka_run_group_tests_name("unit.zwang.host", tests, NULL, NULL);
}
