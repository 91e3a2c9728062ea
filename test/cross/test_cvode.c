/* The second opinion: bdf and adams of SUNDIALS on our right side against our own explicit method. They share the equations
 * and the projection, nothing of the integration. */
#include "../reference/trajectory.h"
#include "stages.h"

static int need_sundials(void** state) {
  (void)state;
  if (zw_cvode_version()) return 0;
  print_message("built without SUNDIALS\n");
  return -1;
}

static ZwRunDef by(const char* integrator, double tolerance) {
  ZwRunDef how = zw_default_run_def();
  how.integrator = integrator;
  how.tolerance = tolerance;
  return how;
}

/* ---- the same motion ---- */

typedef struct Problem {
  const char* name;
  bool is_stiff; /* too much for adams */
} Problem;

/* The first few always, all with ZW_LONG set. */
static const Problem problems[] = {
    {"pendulum-sundials", false}, {"andrews", false},         {"chaplygin-sleigh", false}, {"kepler", false},
    {"bennett", false},           {"slider-crank", false},    {"rolling-coin", false},     {"charged-particle", false},
    {"car-axis", false},          {"flyball-governor", true},
};
enum { ALL = sizeof problems / sizeof problems[0], SAMPLE = 5 };

/* Largest difference of q and v over all rows, in units of |y| + 1. */
static double difference(const Trajectory* a, const Trajectory* b) {
  double most = 0;
  assert_int_equal(a->rows, b->rows);
  for (int32_t r = 0; r < a->rows; r++) {
    const double *x = row_of(a, r), *y = row_of(b, r);
    for (int32_t i = 1; i <= 2 * a->n; i++) most = fmax(most, fabs(x[i] - y[i]) / (1 + fabs(y[i])));
  }
  return most;
}

/* ---- what the motion makes of an error ---- */

enum { DIRECTIONS = 2 };

typedef struct Rows {
  double values[600 * 60];
  int32_t count, width;
} Rows;

static ZwStatus keep(void* context, const double* values) {
  Rows* rows = context;
  assert_true((rows->count + 1) * rows->width <= (int32_t)(sizeof rows->values / sizeof rows->values[0]));
  memcpy(rows->values + (ptrdiff_t)rows->count++ * rows->width, values, (size_t)rows->width * sizeof(double));
  return ZW_OK;
}

/* The motion from a start that is off by `off` (|y| + 1) in a random direction along the constraints. */
static void follow_off(const char* name, const char* text, double to, double off, uint64_t seed, Rows* rows) {
  Stages stages;
  open_stages(&stages, name, text);
  ZwSim* sim = stages.sim;
  zw_sim_set_up(sim, 0, 1e-10);
  demand(&stages, name, "start", zw_start(sim, 0));
  Random random = random_from(seed);
  for (int32_t i = 0; i < 2 * sim->n; i++) sim->y[i] += off * random_number(&random) * (1 + fabs(sim->y[i]));
  int32_t row = -1;
  assert_int_equal(zw_project(sim, 0, sim->y, &row), ZW_PROJECTED);
  *rows = (Rows){.width = 1 + 2 * sim->n + stages.equations.output_count};
  ZwRunPlan plan = {.to = to, .every = to / 100, .row = keep, .context = rows};
  demand(&stages, name, "run", zw_run(sim, &plan));
  close_stages(&stages);
}

/* How many times as large an error at the start becomes, in units of |y| + 1. */
static double growth_of(const char* name, const char* text, double to, int32_t n) {
  static Rows exact, near;
  const double off = 1e-7;
  double most = 1;
  follow_off(name, text, to, 0, 0, &exact);
  for (uint64_t seed = 1; seed <= DIRECTIONS; seed++) {
    follow_off(name, text, to, off, seed, &near);
    assert_int_equal(near.count, exact.count);
    for (int32_t r = 0; r < exact.count; r++) {
      const double *x = exact.values + (ptrdiff_t)r * exact.width, *y = near.values + (ptrdiff_t)r * exact.width;
      for (int32_t i = 1; i <= 2 * n; i++) most = fmax(most, fabs(y[i] - x[i]) / (1 + fabs(x[i])) / off);
    }
  }
  return most;
}

/* CVODE keeps the error of a step below the tolerance, in the mean over all components: so at most sqrt(2 n + 1) of it falls
 * on one, and N steps add up to N of that, times what the motion makes of an error. */
static void check_agreement(const Problem* problem, const char* integrator, const Trajectory* exact, double growth,
                            const char* text) {
  double allowed = INFINITY;
  for (int k = 6; k <= 10; k += 2) {
    double tolerance = pow(10, -k);
    Trajectory got = follow_how(problem->name, text, by(integrator, tolerance), 0);
    const ZwReport* report = zw_run_report(got.run);
    double error = difference(&got, exact), steps = (double)report->steps;
    double bound = growth * steps * tolerance * sqrt(2 * got.n + 1);
    print_message("%-18s %-5s %.0e: off by %.1e of at most %.1e, %5.0f steps, |phi| %.0e, |phi'| %.0e, energy %.0e\n",
                  problem->name, integrator, tolerance, error, bound, steps, report->phi_max, report->phidot_max,
                  report->energy_drift);
    assert_true(error <= bound);
    assert_true(error <= allowed);
    assert_true(report->phi_max <= 1e-10 && report->phidot_max <= 1e-10);
    assert_true(report->energy_drift <= bound);
    /* a fifth for each hundredth of the tolerance, from the first one on: one that is small by accident asks nothing of the next */
    allowed = k == 6 ? 0.2 * error : 0.2 * allowed;
    forget(&got);
  }
}

static void they_agree_with_the_explicit_method(void** state) {
  (void)state;
  for (int i = 0; i < (getenv("ZW_LONG") ? ALL : SAMPLE); i++) {
    char* text = read_example(problems[i].name);
    Trajectory exact = follow(problems[i].name, text, NAN, NAN, 1e-12, 0);
    double growth = growth_of(problems[i].name, text, last_row(&exact)[0], exact.n);
    print_message("%-18s an error becomes %.1f times as large\n", problems[i].name, growth);
    check_agreement(&problems[i], "bdf", &exact, growth, text);
    if (!problems[i].is_stiff) check_agreement(&problems[i], "adams", &exact, growth, text);
    forget(&exact);
    free(text);
  }
}

/* The flyball governor has stiff dampers: what adams takes tens of thousands of steps for. */
static void bdf_is_for_stiff_motion(void** state) {
  (void)state;
  char* text = read_example("flyball-governor");
  ZwRunDef how = by("bdf", 1e-6);
  how.to = 1;
  Trajectory bdf = follow_how("governor", text, how, 0);
  how.integrator = "adams";
  Trajectory adams = follow_how("governor", text, how, 0);
  assert_true(difference(&bdf, &adams) <= 1e-3);
  print_message("%d steps of bdf, %d of adams\n", (int)zw_run_report(bdf.run)->steps,
                (int)zw_run_report(adams.run)->steps);
  assert_true(10 * zw_run_report(bdf.run)->steps < zw_run_report(adams.run)->steps);
  assert_true(zw_run_report(bdf.run)->jacobians > 0 && zw_run_report(adams.run)->jacobians == 0);
  forget(&bdf);
  forget(&adams);
  free(text);
}

/* ---- what each says about the constraints ---- */

static void adams_says_how_far_it_was_off(void** state) {
  (void)state;
  char* text = read_example("pendulum");
  double previous = INFINITY;
  for (int k = 6; k <= 10; k += 4) {
    Trajectory adams = follow_how("pendulum", text, by("adams", pow(10, -k)), 0);
    const ZwReport* report = zw_run_report(adams.run);
    assert_true(report->is_projected_late);
    assert_true(report->phi_max <= 1e-10 && report->phidot_max <= 1e-10);
    /* nothing holds it: the error of hundreds of steps */
    assert_true(report->phi_drift > pow(10, -k) && report->phi_drift < 1e4 * pow(10, -k));
    assert_true(report->phi_drift < 0.01 * previous);
    previous = report->phi_drift;
    forget(&adams);
  }
  Trajectory bdf = follow_how("pendulum", text, by("bdf", 1e-6), 0);
  assert_false(zw_run_report(bdf.run)->is_projected_late);
  assert_true(zw_run_report(bdf.run)->phi_drift == 0);
  forget(&bdf);
  free(text);
}

/* ---- events ---- */

static void bounces_are_found(void** state) {
  (void)state;
  const char* const integrators[] = {"bdf", "adams"};
  char* text = read_example("bouncing-ball");
  for (int i = 0; i < 2; i++) {
    Trajectory ball = follow_how("ball", text, by(integrators[i], 1e-11), 0);
    int32_t column = column_of(&ball, "since");
    double t44 = last_row(&ball)[0] - last_row(&ball)[column];
    print_message("%s: the 44th bounce at %.12f, off by %.1e\n", integrators[i], t44, fabs(t44 - 8.491374025647692));
    assert_int_equal(zw_run_report(ball.run)->events, 44);
    /* errors of the speed add up over the bounces, and each delays all that follow */
    assert_near(t44, 8.491374025647692, 10 * (double)zw_run_report(ball.run)->steps * 1e-11);
    forget(&ball);
  }
  free(text);
}

/* The string slackens and tightens again: a constraint goes and comes, with an impact. */
static void constraints_may_come_and_go(void** state) {
  (void)state;
  char* text = read_example("slack-string");
  Trajectory exact = follow("string", text, NAN, NAN, 1e-12, 0);
  for (int i = 0; i < 2; i++) {
    Trajectory got = follow_how("string", text, by(i ? "adams" : "bdf", 1e-9), 0);
    assert_int_equal(zw_run_report(got.run)->events, zw_run_report(exact.run)->events);
    for (int32_t k = 1; k <= 2 * got.n; k++) assert_near(last_row(&got)[k], last_row(&exact)[k], 2e-6);
    forget(&got);
  }
  forget(&exact);
  free(text);
}

/* The branch of a root ends where it switches: no step gets across, the event is found all the same. */
static void branches_may_end(void** state) {
  (void)state;
  static const char text[] =
      "coord x = 1\nkinetic 1/2*x'^2\nforce x = if x > 0 then -1 - sqrt(x) else -1\nrun 0 .. 2\n";
  Trajectory exact = follow("root", text, NAN, NAN, 1e-12, 0);
  for (int i = 0; i < 2; i++) {
    Trajectory got = follow_how("root", text, by(i ? "adams" : "bdf", 1e-9), 0);
    for (int32_t k = 1; k <= 2; k++) assert_near(last_row(&got)[k], last_row(&exact)[k], 1e-6);
    forget(&got);
  }
  forget(&exact);
}

/* ---- what fails ---- */

static void expect_failure(const char* integrator, const char* text, ZwStatus code, const char* words) {
  ZwModel* model = compile_text("failing", text);
  ZwRun* run = NULL;
  ZwRunDef how = by(integrator, NAN);
  ZwStatus status = zw_run_create(model, &how, &run);
  if (!status) status = zw_run_go(run);
  bool is_said = false;
  for (int32_t i = 0; i < zw_run_diag_count(run); i++) is_said = is_said || strstr(zw_run_diag(run, i)->text, words);
  if (!is_said && zw_run_diag_count(run) > 0) {
    fail_msg("%s: '%s' is not said, but: %s", integrator, words, zw_run_diag(run, zw_run_diag_count(run) - 1)->text);
  }
  assert_true(is_said);
  assert_int_equal(status, code);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void failures_are_told_in_our_words(void** state) {
  (void)state;
  char* four_bar = read_example("n-four-bar");
  const char* const integrators[] = {"bdf", "adams"};
  for (int i = 0; i < 2; i++) {
    const char* integrator = integrators[i];
    expect_failure(integrator, four_bar, ZW_ERR_STEP, "comes to a singular position, where 'foot[0].pin.x'");
    expect_failure(integrator, "coord x = 1\nkinetic 1/2*x'^2\npotential 2*x^1.5 + x\nrun 0 .. 5\n", ZW_ERR_DOMAIN,
                   "the square root of a negative number");
    /* x = 1/(1 - t) */
    expect_failure(integrator, "coord x = 1\nkinetic 1/2*x'^2\nforce x = 2*x^3\nstart x' = 1\nrun 0 .. 2\n",
                   ZW_ERR_STEP, "the step size became too small");
    /* a rod pulled beyond its reach */
    expect_failure(integrator,
                   "coord x = 0.5, y = 0.8660254037844386\nkinetic 1/2*(x'^2 + y'^2)\nconstraint rod: x^2 + y^2 = 1\n"
                   "constraint pull: x = 0.5 + t\nrun 0 .. 2\n",
                   ZW_ERR_STEP, "at t = 0.");
  }
  free(four_bar);
}

/* Without projection the rod grows or shrinks until nothing is left to project. */
static void adams_drifts_until_it_says_so(void** state) {
  (void)state;
  static const char text[] =
      "coord x = 1, y = 0\nkinetic 1/2*(x'^2 + y'^2)\npotential 13.75*y\nconstraint rod: x^2 + y^2 = 1\n"
      "run 0 .. 1000 tolerance 1e-4\n";
  expect_failure("adams", text, ZW_ERR_STEP, "has drifted so far off the constraints");
  Trajectory bdf = follow_how("pendulum", text, by("bdf", NAN), 0);
  assert_true(zw_run_report(bdf.run)->phi_max <= 1e-10);
  forget(&bdf);
}

static void same_input_gives_same_bits(void** state) {
  (void)state;
  char* text = read_example("andrews");
  for (int i = 0; i < 2; i++) {
    Trajectory a = follow_how("andrews", text, by(i ? "adams" : "bdf", 1e-7), 0);
    Trajectory b = follow_how("andrews", text, by(i ? "adams" : "bdf", 1e-7), 0);
    assert_int_equal(a.rows, b.rows);
    assert_memory_equal(a.values, b.values, (size_t)a.rows * (size_t)a.width * sizeof(double));
    forget(&a);
    forget(&b);
  }
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_agree_with_the_explicit_method), cmocka_unit_test(bdf_is_for_stiff_motion),
      cmocka_unit_test(adams_says_how_far_it_was_off),       cmocka_unit_test(bounces_are_found),
      cmocka_unit_test(constraints_may_come_and_go),         cmocka_unit_test(branches_may_end),
      cmocka_unit_test(failures_are_told_in_our_words),      cmocka_unit_test(adams_drifts_until_it_says_so),
      cmocka_unit_test(same_input_gives_same_bits),
  };
  if (need_sundials(NULL)) return 0;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
