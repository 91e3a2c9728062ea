/* What a variational integrator promises: order 2, the way back is the way there, areas of phase space stay, and the energy
 * error does not grow, however many steps are made. Sampled over 1e5 steps, over 1e6 with ZW_LONG set. */
#include "../reference/trajectory.h"
#include "sample.h"

typedef struct System {
  const char* name;
  const char* text; /* ends after one or two swings */
  double step;      /* the coarsest of the test of order */
  int rows;         /* of constraints */
} System;

#define PENDULUM                                                                                     \
  "coord x = 1, y = 0\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n" \
  "output E = 1/2*(x'^2 + y'^2) + 9.81*y\n"
#define TWICE                                                              \
  "coord x = 0.8, y = -0.6\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n" \
  "constraint rod: x^2 + y^2 = 1\nconstraint again: hypot(x, y) = 1\n"     \
  "output E = 1/2*(x'^2 + y'^2) + 9.81*y\n"
#define DOUBLE_PENDULUM                                                            \
  "coord a = 0.5, b = 0.2\nlet P = (sin(a), -cos(a)), Q = P + (sin(b), -cos(b))\n" \
  "kinetic 1/2*P'^2 + 1/2*Q'^2\npotential 9.81*(P.y + Q.y)\n"                      \
  "output E = 1/2*P'^2 + 1/2*Q'^2 + 9.81*(P.y + Q.y)\n"
#define CONSTRAINED_DOUBLE                                                                                 \
  "coord x = 0.6, y = -0.8, u = 0.6, w = -1.8\nkinetic 1/2*(x'^2 + y'^2 + u'^2 + w'^2)\n"                  \
  "potential 9.81*(y + w)\nconstraint upper: x^2 + y^2 = 1\nconstraint lower: (u - x)^2 + (w - y)^2 = 1\n" \
  "output E = 1/2*(x'^2 + y'^2 + u'^2 + w'^2) + 9.81*(y + w)\n"
#define SPHERICAL                                                                        \
  "coord x = 0.8, y = 0, z = -0.6\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential 9.81*z\n" \
  "constraint string: x^2 + y^2 + z^2 = 1\nstart y' = 0.3\n"                             \
  "output E = 1/2*(x'^2 + y'^2 + z'^2) + 9.81*z\n"
#define MAGNETIC                                                                                             \
  "coord x = 1, y = 0\nkinetic 1/2*(x'^2 + y'^2)\npotential -(1 + 0.15*(x^2 + y^2))*(x*y' - y*x') - 0.2*x\n" \
  "start y' = 1\noutput E = 1/2*(x'^2 + y'^2) - 0.2*x\n"
#define RELATIVISTIC                                                                                   \
  "coord x = 1, y = 0\nlagrangian -sqrt(1 - x'^2 - y'^2)\npotential 1/2*(x^2 + y^2)\nstart y' = 0.3\n" \
  "output E = 1/sqrt(1 - x'^2 - y'^2) + 1/2*(x^2 + y^2)\n"
/* the coupler has no mass: only the constraint moves it */
#define MASSLESS                                                                                      \
  "coord x = 0.8, s\nkinetic 1/2*x'^2\npotential 2*s^2 + 1/4*x^4\nconstraint follow: s = x - x^3/2\n" \
  "output E = 1/2*x'^2 + 2*s^2 + 1/4*x^4\n"

static const System systems[] = {
    {"pendulum", PENDULUM "run 0 .. 2\n", 0.02, 1},
    {"rod stated twice", TWICE "run 0 .. 2\n", 0.02, 2},
    {"double pendulum", DOUBLE_PENDULUM "run 0 .. 2\n", 0.02, 0},
    {"two rods", CONSTRAINED_DOUBLE "run 0 .. 2\n", 0.01, 2},
    {"spherical pendulum", SPHERICAL "run 0 .. 2\n", 0.02, 1},
    {"magnetic field", MAGNETIC "run 0 .. 5\n", 0.02, 0},
    {"relativistic", RELATIVISTIC "run 0 .. 5\n", 0.05, 0},
    {"massless coupler", MASSLESS "run 0 .. 2\n", 0.02, 1},
};

enum { SYSTEMS = sizeof systems / sizeof systems[0] };

static ZwRunDef by_rattle(double step) {
  ZwRunDef how = zw_default_run_def();
  how.integrator = "rattle";
  how.step = step;
  return how;
}

/* The largest difference of q and v at the end. */
static double difference(const Trajectory* a, const Trajectory* b) {
  double most = 0;
  for (int32_t i = 1; i <= 2 * a->n; i++) most = fmax(most, fabs(last_row(a)[i] - last_row(b)[i]));
  return most;
}

static void error_falls_with_the_square_of_the_step(void** state) {
  (void)state;
  for (int i = 0; i < SYSTEMS; i++) {
    const System* system = &systems[i];
    Trajectory exact = follow(system->name, system->text, NAN, NAN, 1e-13, 0);
    double errors[3];
    for (int k = 0; k < 3; k++) {
      Trajectory got = follow_how(system->name, system->text, by_rattle(ldexp(system->step, -k)), 0);
      errors[k] = difference(&got, &exact);
      assert_true(zw_run_report(got.run)->phi_max <= 1e-14);
      assert_true(zw_run_report(got.run)->phidot_max <= 1e-14);
      assert_int_equal(zw_run_report(got.run)->m, system->rows);
      forget(&got);
    }
    print_message("%-20s errors %.2e %.2e %.2e, orders %.3f %.3f\n", system->name, errors[0], errors[1], errors[2],
                  log2(errors[0] / errors[1]), log2(errors[1] / errors[2]));
    assert_near(log2(errors[1] / errors[2]), 2, 0.05);
    forget(&exact);
  }
}

/* The text of a system with another start. */
static void write_start(char* to, size_t size, const System* system, const char* const* names, const double* q,
                        const double* v, int n) {
  int used = snprintf(to, size, "%s", system->text);
  for (int i = 0; i < n; i++) {
    used += snprintf(to + used, size - (size_t)used, "start %s = %.17g, %s' = %.17g\n", names[i], q[i], names[i], v[i]);
  }
  assert_true(used > 0 && (size_t)used < size);
}

/* From the end with turned velocities back to the start. */
static void way_back_is_the_way_there(void** state) {
  (void)state;
  /* no start values in these, so that others can be given */
  static const System there[] = {
      {"pendulum",
       "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\nrun 0 .. 2\n", 0.05, 1},
      {"double pendulum",
       "coord x, y\nlet P = (sin(x), -cos(x)), Q = P + (sin(y), -cos(y))\nkinetic 1/2*P'^2 + 1/2*Q'^2\n"
       "potential 9.81*(P.y + Q.y)\nrun 0 .. 2\n",
       0.05, 0}};
  static const char* const names[] = {"x", "y"};
  for (size_t i = 0; i < sizeof there / sizeof there[0]; i++) {
    char text[2000];
    double q[] = {0.8, 0.6}, v[] = {0.3, -0.4}, back[2];
    write_start(text, sizeof text, &there[i], names, q, v, 2);
    Trajectory out = follow_how(there[i].name, text, by_rattle(there[i].step), 0);
    const double* end = last_row(&out);
    for (int k = 0; k < 2; k++) back[k] = -end[3 + k];
    write_start(text, sizeof text, &there[i], names, end + 1, back, 2);
    Trajectory home = follow_how(there[i].name, text, by_rattle(there[i].step), 0);
    for (int k = 0; k < 2; k++) {
      assert_near(last_row(&home)[1 + k], q[k], 2e-13);
      assert_near(last_row(&home)[3 + k], -v[k], 2e-12);
    }
    print_message("%-20s comes back to %.1e\n", there[i].name, fabs(last_row(&home)[1] - q[0]));
    forget(&out);
    forget(&home);
  }
}

/* One degree of freedom with the mass 1 + x^2: the map of (x, p) after some steps keeps areas. */
static void areas_of_phase_space_stay(void** state) {
  (void)state;
  static const System one = {"x^2 in the mass",
                             "coord x\nkinetic 1/2*(1 + x^2)*x'^2\npotential 1/2*x^2 - 0.3*x^3\nrun 0 .. 2\n", 0.1, 0};
  static const char* const names[] = {"x"};
  const double x = 0.4, p = 0.7, d = 1e-4;
  double got[4][2];
  for (int k = 0; k < 4; k++) {
    char text[1000];
    double sign = k % 2 ? -d : d, q = x + (k < 2 ? sign : 0), v = (p + (k < 2 ? 0 : sign)) / (1 + q * q);
    write_start(text, sizeof text, &one, names, &q, &v, 1);
    Trajectory trajectory = follow_how(one.name, text, by_rattle(one.step), 0);
    got[k][0] = last_row(&trajectory)[1];
    got[k][1] = last_row(&trajectory)[2] * (1 + got[k][0] * got[k][0]);
    forget(&trajectory);
  }
  double dx[2], dp[2];
  for (int i = 0; i < 2; i++) {
    dx[i] = (got[0][i] - got[1][i]) / (2 * d);
    dp[i] = (got[2][i] - got[3][i]) / (2 * d);
  }
  double area = dx[0] * dp[1] - dx[1] * dp[0];
  print_message("an area becomes %.9f of itself\n", area);
  assert_near(area, 1, 1e-6); /* differences of second order in d */
}

/* ---- the energy over many steps ---- */

enum { TENTHS = 10 };

typedef struct Tenths {
  double from, length; /* of time, of one tenth */
  int32_t column;
  double start;
  double most[TENTHS], sum[TENTHS];
  int count[TENTHS];
} Tenths;

static ZwStatus note_energy(void* context, const double* values) {
  Tenths* tenths = context;
  int i = (int)((values[0] - tenths->from) / tenths->length);
  if (i >= TENTHS) i = TENTHS - 1;
  if (values[0] == tenths->from) tenths->start = values[tenths->column];
  double off = values[tenths->column] - tenths->start;
  tenths->most[i] = fmax(tenths->most[i], fabs(off));
  tenths->sum[i] += off;
  tenths->count[i]++;
  return ZW_OK;
}

static double mean_of(const Tenths* tenths, int from, int to) {
  double sum = 0, count = 0;
  for (int i = from; i < to; i++) {
    sum += tenths->sum[i];
    count += tenths->count[i];
  }
  return sum / count;
}

static void energy_error_stays_bounded(void** state) {
  (void)state;
  double steps = sample(20000, 100000, 1000000);
  for (int i = 0; i < SYSTEMS; i++) {
    const System* system = &systems[i];
    ZwModel* model = compile_text(system->name, system->text);
    Tenths tenths = {.length = steps * system->step / TENTHS, .column = zw_model_column_count(model) - 1};
    ZwRunDef how = by_rattle(system->step);
    how.to = steps * system->step;
    how.every = 7 * system->step;
    how.row = note_energy;
    how.context = &tenths;
    ZwRun* run = NULL;
    assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
    assert_int_equal(zw_run_go(run), ZW_OK);
    double first = tenths.most[0], last = tenths.most[TENTHS - 1];
    double drift = mean_of(&tenths, TENTHS / 2, TENTHS) - mean_of(&tenths, 0, TENTHS / 2);
    print_message("%-20s %.0f steps: |E - E0| <= %.4e in the first tenth, %.4e in the last; its mean moves by %.1e\n",
                  system->name, (double)zw_run_report(run)->steps, first, last, drift);
    assert_near((double)zw_run_report(run)->steps, steps, 0.5);
    assert_near(last, first, 0.03 * first);
    assert_near(drift, 0, 0.01 * first);
    assert_true(zw_run_report(run)->phi_max <= 1e-14);
    zw_run_destroy(run);
    zw_model_destroy(model);
  }
}

/* ---- steps, rows, events, and what is refused ---- */

static void last_step_ends_where_the_run_ends(void** state) {
  (void)state;
  ZwRunDef how = by_rattle(0.02);
  how.to = 1.01;
  Trajectory trajectory = follow_how("pendulum", PENDULUM, how, 0);
  assert_int_equal(zw_run_report(trajectory.run)->steps, 51);
  assert_true(last_row(&trajectory)[0] == 1.01);
  forget(&trajectory);
  how.to = 10;
  how.step = 0.1; /* a hundred of them sum up to less than 10 */
  trajectory = follow_how("spherical pendulum", SPHERICAL, how, 0);
  assert_int_equal(zw_run_report(trajectory.run)->steps, 100);
  forget(&trajectory);
}

/* Rows between the steps are as good as those at their ends. */
static void rows_between_the_steps_are_on_the_motion(void** state) {
  (void)state;
  ZwRunDef how = by_rattle(0.002);
  how.to = 1;
  how.every = 0.0013;
  Trajectory got = follow_how("spherical pendulum", SPHERICAL, how, 0);
  Trajectory want = follow("spherical pendulum", SPHERICAL, how.to, how.every, 1e-12, 0);
  double at_steps = difference(&got, &want), most = 0;
  assert_int_equal(got.rows, want.rows);
  for (int32_t r = 0; r < got.rows; r++) {
    for (int32_t i = 1; i <= 6; i++) most = fmax(most, fabs(row_of(&got, r)[i] - row_of(&want, r)[i]));
    const double* q = row_of(&got, r) + 1;
    assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2], 1, 1e-13);
  }
  print_message("off by %.1e at the end, by at most %.1e anywhere\n", at_steps, most);
  assert_true(most <= 3 * at_steps);
  forget(&got);
  forget(&want);
}

/* An event ends a step early; the steps go on from there. A ball in a uniform field is followed exactly. */
static void events_cut_a_step(void** state) {
  (void)state;
  static const char text[] =
      "coord x = 1\nkinetic 1/2*x'^2\npotential 9.81*x\nwhen x < 0 and x' < 0: x' = -x'\nrun 0 .. 5\n";
  Trajectory got = follow_how("ball", text, by_rattle(0.03), 0);
  Trajectory want = follow("ball", text, NAN, NAN, 1e-12, 0);
  assert_int_equal(zw_run_report(got.run)->events, zw_run_report(want.run)->events);
  assert_near(difference(&got, &want), 0, 1e-10);
  forget(&got);
  forget(&want);
}

static void expect_refusal(const char* text, ZwRunDef how, ZwStatus code, const char* words) {
  ZwModel* model = compile_text("refused", text);
  ZwRun* run = NULL;
  ZwStatus status = zw_run_create(model, &how, &run);
  if (!status) status = zw_run_go(run);
  assert_int_equal(status, code);
  bool is_said = false;
  for (int32_t i = 0; i < zw_run_diag_count(run); i++) is_said = is_said || strstr(zw_run_diag(run, i)->text, words);
  if (!is_said) fail_msg("'%s' is not said; but: %s", words, zw_run_diag(run, zw_run_diag_count(run) - 1)->text);
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void what_it_cannot_do_is_refused(void** state) {
  (void)state;
  ZwRunDef how = by_rattle(0.01);
  expect_refusal("coord x\nkinetic x'^2\nforce x = 1\nrun 0 .. 1\n", how, ZW_ERR_ARGUMENT, "conservative");
  expect_refusal("coord x\nkinetic x'^2\ndissipation x'^2\nrun 0 .. 1\n", how, ZW_ERR_ARGUMENT, "conservative");
  expect_refusal("coord x\nkinetic x'^2\npotential x*t\nrun 0 .. 1\n", how, ZW_ERR_ARGUMENT, "conservative");
  expect_refusal("coord x, y\nkinetic x'^2 + y'^2\nconstraint x = t\nrun 0 .. 1\n", how, ZW_ERR_ARGUMENT, "moving");
  expect_refusal("coord x, y = 1\nkinetic x'^2 + y'^2\nconstraint x' = y*y'\nrun 0 .. 1\n", how, ZW_ERR_ARGUMENT,
                 "on velocities");
  expect_refusal("coord x, y\nkinetic x'^2 + y'^2\nconstraint x'' = y\nrun 0 .. 1\n", how, ZW_ERR_ARGUMENT,
                 "accelerations");
  expect_refusal("coord x\ngibbs 1/2*x''^2\nrun 0 .. 1\n", how, ZW_ERR_ARGUMENT, "Gibbs");
  how.formulation = "bellman";
  expect_refusal("coord x\nkinetic x'^2\nrun 0 .. 1\n", how, ZW_ERR_ARGUMENT, "equations of its own");
  how = by_rattle(NAN);
  expect_refusal("coord x\nkinetic x'^2\nrun 0 .. 1\n", how, ZW_ERR_ARGUMENT, "needs a step");
  how = by_rattle(0.01);
  how.conserve_energy = true;
  expect_refusal("coord x\nkinetic x'^2\nrun 0 .. 1\n", how, ZW_ERR_ARGUMENT, "energy cannot be held");
}

static void what_fails_on_the_way_is_said(void** state) {
  (void)state;
  expect_refusal(PENDULUM "run 0 .. 10\n", by_rattle(2), ZW_ERR_STEP, "have no solution");
  expect_refusal("coord x = 1\nkinetic 1/2*x'^2\npotential x + x^1.5\nrun 0 .. 10\n", by_rattle(0.01), ZW_ERR_DOMAIN,
                 "at t = ");
  char* text = read_example("n-four-bar");
  expect_refusal(text, by_rattle(0.002), ZW_ERR_STEP, "comes to a singular position");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_falls_with_the_square_of_the_step),
      cmocka_unit_test(way_back_is_the_way_there),
      cmocka_unit_test(areas_of_phase_space_stay),
      cmocka_unit_test(energy_error_stays_bounded),
      cmocka_unit_test(last_step_ends_where_the_run_ends),
      cmocka_unit_test(rows_between_the_steps_are_on_the_motion),
      cmocka_unit_test(events_cut_a_step),
      cmocka_unit_test(what_it_cannot_do_is_refused),
      cmocka_unit_test(what_fails_on_the_way_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
