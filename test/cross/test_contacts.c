/* Contacts and impacts: times against closed forms; along motions of many kinds the energy never grows and nothing
 * penetrates. */
#include "../reference/trajectory.h"
#include "sample.h"

enum { IMPACTS_MAX = 4096 };

typedef struct Log {
  Trajectory trajectory;
  int32_t count;
  double t[IMPACTS_MAX], impulse[IMPACTS_MAX], lost[IMPACTS_MAX];
  int32_t changes, contact; /* of what contacts are, and the last of them */
  ZwContactWhat what;
  double gap_least, energy_growth, energy, energy_scale;
} Log;

static void log_contact(void* context, const ZwContactEvent* event) {
  Log* log = context;
  if (event->what != ZW_CONTACT_HIT) {
    assert_true(event->impulse == 0 && event->lost == 0);
    assert_true(log->changes == 0 || event->what != log->what || event->contact != log->contact); /* it changes */
    log->what = event->what;
    log->contact = event->contact;
    log->changes++;
    return;
  }
  assert_true(log->count < IMPACTS_MAX);
  assert_true(event->impulse > 0);
  log->t[log->count] = event->t;
  log->impulse[log->count] = event->impulse;
  log->lost[log->count++] = event->lost;
}

/* Outputs called `gap...` are gaps, or what is left of mu N over the friction: never below zero. The last four numbers of a row are evidence; the third of them is the energy. */
static ZwStatus look_at_row(void* context, const double* values) {
  Log* log = context;
  const ZwModel* model = log->trajectory.model;
  int32_t width = zw_model_column_count(model);
  for (int32_t i = 0; i < width; i++) {
    const char* name = zw_model_column(model, i);
    bool is_gap = strncmp(name, "gap", 3) == 0 && !strchr(name, '\'');
    if (is_gap) log->gap_least = fmin(log->gap_least, values[i]);
  }
  double energy = values[width + 2];
  if (!isnan(log->energy)) log->energy_growth = fmax(log->energy_growth, energy - log->energy);
  log->energy = energy;
  log->energy_scale = fmax(log->energy_scale, fabs(energy));
  return ZW_OK;
}

static void run_logged(Log* log, const char* name, const char* text, double tolerance, const char* integrator) {
  *log = (Log){.trajectory = {.model = compile_text(name, text)}, .energy = NAN};
  ZwRunDef how = zw_default_run_def();
  how.tolerance = tolerance;
  how.integrator = integrator;
  how.evidence = true;
  how.row = look_at_row;
  how.contact = log_contact;
  how.context = log;
  ZwStatus status = zw_run_create(log->trajectory.model, &how, &log->trajectory.run);
  if (!status) status = zw_run_go(log->trajectory.run);
  if (status) show_diags(&log->trajectory);
  if (status) fail_msg("%s: %s", name, zw_status_text(status));
}

/* ---- the bouncing ball ---- */

/* When its bounces have an end, as the note says. */
static double end_of_bounces(const Log* log) {
  for (int32_t i = 0; i < zw_run_diag_count(log->trajectory.run); i++) {
    const char* at = strstr(zw_run_diag(log->trajectory.run, i)->text, "comes to rest at t = ");
    if (at) return strtod(at + strlen("comes to rest at t = "), NULL);
  }
  return NAN;
}

static void check_ball(double h, double e, double tolerance, const char* integrator, double bound) {
  static Log log;
  char text[400];
  const double g = 9.81;
  double first = sqrt(2 * h / g), end = first * (1 + e) / (1 - e);
  snprintf(text, sizeof text,
           "coord x, gap = %.17g\nkinetic 1/2*(x'^2 + gap'^2)\npotential 9.81*gap\n"
           "contact floor: gap >= 0, restitution %.17g\nstart x' = 1\nrun 0 .. %.17g\n",
           h, e, 1.2 * end);
  run_logged(&log, "ball", text, tolerance, integrator);
  double t = first, speed = g * first, worst = 0;
  for (int32_t i = 0; i < log.count; i++) {
    if (2 * speed / g < 1e-7) break; /* so close together they are compared by their end */
    worst = fmax(worst, fabs(log.t[i] - t));
    bool is_last = i + 1 == log.count;
    if (!is_last) assert_near(log.impulse[i], (1 + e) * speed, 1e-8 * speed + 1e-9);
    speed *= e;
    t += 2 * speed / g;
  }
  assert_true(worst <= bound);
  assert_near(end_of_bounces(&log), end, bound);
  /* at rest: no impact behind the end, and the floor carries it */
  assert_true(log.changes == 2 && log.what == ZW_CONTACT_CLOSED);
  assert_true(log.t[log.count - 1] <= end + bound);
  if (!(log.energy_growth <= 1e-9 * log.energy_scale && log.gap_least > -1e-12)) {
    fail_msg("h %g, e %g: the energy grows by %.3g, the gap is %.3g", h, e, log.energy_growth / log.energy_scale,
             log.gap_least);
  }
  forget(&log.trajectory);
}

static void bounces_are_on_time_and_have_an_end(void** state) {
  (void)state;
  check_ball(1, 0.9, 1e-11, "auto", 1e-9); /* the published one */
  Random random = random_from(42);
  for (int i = 0; i < 20; i++) {
    double h = pow(10, random_number(&random)), e = 0.5 + 0.4 * random_number(&random);
    check_ball(h, e, 1e-10, "auto", 1e-9);
  }
  check_ball(1, 0.6, 1e-10, "radau", 1e-9);
}

/* ---- motions of many kinds ---- */

typedef struct Kind {
  const char *name, *text;
} Kind;

static const Kind kinds[] = {
    {"rocking block",
     "param a = 0.2, b = 0.5, m = 1, g = 9.81\ncoord x, y = 0.6, ph = 0.3\n"
     "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(m*(a^2 + b^2)/3)*ph'^2\npotential m*g*y\n"
     "let low = y - a*sin(ph) - b*cos(ph), high = y + a*sin(ph) - b*cos(ph)\n"
     "contact left: low >= 0, restitution 0.3\ncontact right: high >= 0, restitution 0.3\n"
     "output gap1 = low, gap2 = high\nrun 0 .. 3\n"},
    {"chain on a table",
     "param N = 5, g = 9.81, l = 0.2\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n  kinetic 1/2*(x[i]'^2 + y[i]'^2)\n"
     "  potential g*y[i]\n  contact table[i]: y[i] >= 0, restitution 0.2\n  output gap[i] = y[i]\n"
     "  start x[i] = i*l*0.6, y[i] = 1 + i*l*0.8\n}\n"
     "for i in 2..N { constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2 }\nrun 0 .. 1.5\n"},
    {"cradle",
     "param N = 5\ncoord x[1..N]\nfor i in 1..N {\n  kinetic 1/2*x[i]'^2\n  potential 1/2*40*(x[i] - i)^2\n"
     "  start x[i] = (if i == 1 then 0 else i)\n}\n"
     "for i in 2..N {\n  contact hit[i]: x[i] - x[i-1] >= 1, restitution 0.9\n  output gap[i] = x[i] - x[i-1] - 1\n}\n"
     "run 0 .. 5\n"},
    {"end stops",
     "coord x\nkinetic 1/2*x'^2\npotential 1/2*4*x^2\ncontact hi: x <= 0.5, restitution 0.6\n"
     "contact lo: x >= -0.5\noutput gap1 = 0.5 - x, gap2 = x + 0.5\nstart x' = 3\nrun 0 .. 10\n"},
    {"ball in a bowl",
     "coord x = 0.5, y = 0.4\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
     "contact bowl: y >= x^2, restitution 0.5\noutput gap = y - x^2\nrun 0 .. 4\n"},
    {"two balls, one on the other",
     "coord a = 1, b = 1.5\nkinetic 1/2*3*a'^2 + 1/2*b'^2\npotential 9.81*(3*a + b)\ncontact floor: a >= 0, "
     "restitution 0.7\n"
     "contact both: b - a >= 0.1, restitution 0.5\noutput gap1 = a, gap2 = b - a - 0.1\nrun 0 .. 5\n"},
    {"pendulum against a wall",
     "coord x = 0.8, y = -0.6\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
     "contact wall: x >= -0.1, restitution 0.6\noutput gap = x + 0.1\nrun 0 .. 8\n"},
    {"rocking block, rough floor",
     "param a = 0.1, b = 0.4, m = 1, g = 9.81, mu = 0.6\ncoord x, y = 0.6, ph = 0.1\n"
     "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(m*(a^2 + b^2)/3)*ph'^2\npotential m*g*y\n"
     "for i in 0..1 {\n  let e = 2*i - 1, low = y + e*a*sin(ph) - b*cos(ph)\n"
     "  contact foot[i]: low >= 0, restitution 0.2, friction mu, slip x + e*a*cos(ph) + b*sin(ph)\n"
     "  output gap[i] = low, gap_of_friction[i] = mu*reaction(foot[i]) - abs(reaction(foot[i].slip))\n}\nrun 0 .. 3\n"},
    {"chain on a rough table",
     "param N = 5, g = 9.81, l = 0.2, mu = 0.4\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n"
     "  kinetic 1/2*(x[i]'^2 + y[i]'^2)\n  potential g*y[i]\n"
     "  contact table[i]: y[i] >= 0, restitution 0.1, friction mu, slip x[i]\n"
     "  output gap[i] = y[i], gap_of_friction[i] = mu*reaction(table[i]) - abs(reaction(table[i].slip))\n"
     "  start x[i] = i*l*0.6, y[i] = 0.5 + i*l*0.8\n}\n"
     "for i in 2..N { constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2 }\nrun 0 .. 1.5\n"},
    {"ball that bounces and spins",
     "param R = 0.1, mu = 0.2\ncoord x, y = 1, ph\nkinetic 1/2*(x'^2 + y'^2) + 0.2*R^2*ph'^2\npotential 9.81*y\n"
     "contact floor: y >= R, restitution 0.6, friction mu, slip x' + R*ph'\nstart x' = 2, ph' = 30\n"
     "output gap = y - R, gap_of_friction = mu*reaction(floor) - abs(reaction(floor.slip))\nrun 0 .. 4\n"},
    {"disc on a board on a rough floor",
     "param R = 0.2, mu1 = 0.3, mu2 = 0.2, g = 9.81\ncoord X, Y, x, y = R + 0.1, ph\n"
     "kinetic 1/2*2*(X'^2 + Y'^2) + 1/2*(x'^2 + y'^2) + 1/4*R^2*ph'^2\npotential g*(2*Y + y)\nmemory k = 0\n"
     "when x > 0.3: k = k + 1\nwhen x' < 1.2: k = k + 1\n"
     "contact floor: Y >= 0, friction mu2, slip X\ncontact board: y - Y >= R, friction mu1, slip x' - X' - R*ph'\n"
     "start x' = 1.5, ph' = -20\noutput gap1 = Y, gap2 = y - Y - R\n"
     "output gap_of_friction1 = mu2*reaction(floor) - abs(reaction(floor.slip)), gap_power1 = "
     "-reaction(floor.slip)*X'\n"
     "output gap_of_friction2 = mu1*reaction(board) - abs(reaction(board.slip))\n"
     "output gap_power2 = -reaction(board.slip)*(x' - X' - R*ph')\nrun 0 .. 3\n"},
    {"disc that rolls down a drawn slope",
     "param R = 0.3, al = 37*deg, mu = 0.5, g = 9.81\ncoord x, y = 0.9, ph\nlet n = -x*sin(al) + y*cos(al)\n"
     "let s = x*cos(al) + y*sin(al)\nkinetic 1/2*(x'^2 + y'^2) + 1/4*R^2*ph'^2\npotential g*y\nmemory k = 0\n"
     "when x < -0.2: k = k + 1\ncontact slope: n >= R, restitution 0.3, friction mu, slip s' + R*ph'\n"
     "output gap = n - R, gap_of_friction = mu*reaction(slope) - abs(reaction(slope.slip))\n"
     "output gap_power = -reaction(slope.slip)*(s' + R*ph')\nrun 0 .. 2\n"},
    {"ball on a rough plane, in space",
     "param mu = 0.3\ncoord x, y, z = 0.5\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\npotential 9.81*(z + 0.05*x)\n"
     "contact floor: z >= 0, restitution 0.5, friction mu, slip (x, y)\nstart x' = 1, y' = -0.5\n"
     "output gap = z, gap_of_friction = mu*reaction(floor) - norm(reaction(floor.slip))\nrun 0 .. 3\n"},
};

static void energy_never_grows_and_nothing_penetrates(void** state) {
  (void)state;
  static const double tolerances[] = {1e-6, 1e-8, 1e-10};
  static Log log;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
      run_logged(&log, kinds[i].name, kinds[i].text, tolerances[k], "auto");
      print_message("%-28s %.0e: %d impacts, gap >= %.2g, energy grows by %.2g at most\n", kinds[i].name, tolerances[k],
                    (int)log.count, log.gap_least, log.energy_growth / log.energy_scale);
      assert_true(log.count > 0);
      assert_true(log.gap_least >= -10 * tolerances[k]);
      assert_true(log.energy_growth <= 100 * tolerances[k] * log.energy_scale);
      for (int32_t j = 0; j < log.count;) { /* one contact may gain what others of the same impact lose */
        double t = log.t[j], lost = 0;
        for (; j < log.count && log.t[j] == t; j++) lost += log.lost[j];
        assert_true(lost > -1e-9 * log.energy_scale);
      }
      forget(&log.trajectory);
    }
  }
}

/* ---- another integrator, another way through the equations ---- */

/* Their derivatives know the friction too: radau meets the motion of the explicit pair, through impacts, sticking and slipping. */
static void integrators_agree(void** state) {
  (void)state;
  static const char* const names[] = {"woodpecker", "chain-on-a-table", "rocking-block", "bowling-ball", "end-stops"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char* text = read_example(names[i]);
    ZwRunDef how = zw_default_run_def();
    how.to = strcmp(names[i], "rocking-block") == 0 ? 2 : 1;
    how.tolerance = 1e-9;
    how.integrator = "explicit";
    Trajectory one = follow_how(names[i], text, how, 0);
    how.integrator = "radau";
    Trajectory other = follow_how(names[i], text, how, 0);
    const double *a = last_row(&one), *b = last_row(&other);
    double apart = 0;
    for (int32_t k = 1; k <= 2 * one.n; k++) apart = fmax(apart, fabs(a[k] - b[k]) / (1 + fabs(a[k])));
    print_message("%-20s apart by %.2g\n", names[i], apart);
    assert_true(apart < 1e-6);
    forget(&one);
    forget(&other);
    free(text);
  }
}

/* ---- published motions ---- */

/* Housner 1963: a block that rocks about a corner that does not slip goes on about the other one with 1 - 3/2 sin^2(alpha) of its
 * rate, where alpha is the angle of its diagonal. */
static void blocks_rock_as_housner_says(void** state) {
  (void)state;
  static const double slimness[] = {0.1, 0.2, 0.35};
  for (size_t k = 0; k < sizeof slimness / sizeof *slimness; k++) {
    char text[1000];
    double alpha = atan(slimness[k]), expected = 1 - 1.5 * sin(alpha) * sin(alpha);
    snprintf(text, sizeof text,
             "param h = 0.5, b = %.17g*h, m = 3, mu = 1.5, ph0 = 0.3*%.17g\n"
             "coord x = -b*cos(ph0) + h*sin(ph0), y = b*sin(ph0) + h*cos(ph0), ph = -ph0\n"
             "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(m*(b^2 + h^2)/3)*ph'^2\npotential 9.81*m*y\n"
             "contact left: y - b*sin(ph) - h*cos(ph) >= 0, friction mu, slip x - b*cos(ph) + h*sin(ph)\n"
             "contact right: y + b*sin(ph) - h*cos(ph) >= 0, friction mu, slip x + b*cos(ph) + h*sin(ph)\n"
             "stop when ph > 0.001\nrun 0 .. 5 tolerance 1e-10\n",
             slimness[k], alpha);
    Trajectory trajectory = follow("rocking block", text, NAN, NAN, NAN, 0);
    int32_t rate = column_of(&trajectory, "ph'"), found = 0;
    for (int32_t i = 1; i < trajectory.rows; i++) {
      const double *before = row_of(&trajectory, i - 1), *after = row_of(&trajectory, i);
      if (before[0] != after[0] || fabs(before[rate] - after[rate]) < 1e-4) continue;
      print_message("b/h = %g: %.10f of the rate is left, Housner says %.10f\n", slimness[k],
                    after[rate] / before[rate], expected);
      assert_near(after[rate] / before[rate], expected, 1e-8);
      found++;
    }
    assert_int_equal(found, 1);
    forget(&trajectory);
  }
}

/* ---- fast and thin ---- */

/* What a ball flies at or over, whose middle is at the origin and which is two centimetres wide. */
static const char* const thin[] = {
    "contact post: norm(P) >= 0.01\n", "contact post: P^2 >= 0.0001\n",
    "contact bump: P.y + 0.02 >= 0.1*exp(-(P.x/0.01)^2)\n", "contact bell: P.y + 0.02 >= 0.1/(1 + (P.x/0.01)^2)\n",
    "contact post: abs(P.x) >= 0.01\n",
    /* beside a condition that rounding decides all the time, as the constraint holds */
    "contact post: norm(P) >= 0.01\ncoord Q = (1, 0)\nkinetic 1/2*Q'^2\npotential 9.81*Q.y\n"
    "constraint rod: norm(Q) = 1\nmemory c = 0\nwhen norm(Q) > 1: c = c + 1\nwhen Q^2 < 1: c = c + 1\n",
    /* and beside one that changes fast */
    "contact post: norm(P) >= 0.01\nmemory c = 0\nwhen sin(300*t) > 0.5: c = c + 1\n"};

static void fast_things_hit_thin_ones(void** state) {
  (void)state;
  static Log log;
  Random random = random_from(7);
  for (size_t k = 0; k < sizeof thin / sizeof *thin; k++) {
    for (int i = 0; i < 8; i++) {
      char text[1000];
      double v = 1000 * pow(10, random_number(&random)), ahead = 0.0005 + 1.5 * fabs(random_number(&random));
      double y = 0.009 * random_number(&random), to = ahead * (1.1 + 2 * fabs(random_number(&random)));
      snprintf(text, sizeof text,
               "coord P = (%.17g, %.17g)\nkinetic 1/2*P'^2\nstart P' = (%.17g, 0)\n%srun 0 .. %.17g every %.17g\n",
               -v * ahead, y, v, thin[k], to, to);
      run_logged(&log, "fast", text, 1e-8, "auto");
      if (log.count != 1) fail_msg("%d impacts of: %s", (int)log.count, text);
      assert_near(log.t[0], ahead, 0.1 / v);
      forget(&log.trajectory);
    }
  }
}

/* ---- many contacts ---- */

/* Decisions must not undo each other, whatever rounding leaves of a slip: each of these once did, and never came to its end. */
static void check_chain(int links) {
  static Log log;
  char* example = read_example("chain-on-a-table");
  char text[4000];
  const char* after = strstr(example, "param N = 8");
  assert_non_null(after);
  snprintf(text, sizeof text, "param N = %d%s", links, after + strlen("param N = 8"));
  run_logged(&log, "chain", text, 1e-8, "auto");
  print_message("%d links: %d impacts\n", links, (int)log.count);
  assert_true(log.count > links && log.energy_growth <= 1e-6 * log.energy_scale);
  forget(&log.trajectory);
  free(example);
}

static void long_chains_come_to_their_end(void** state) {
  (void)state;
  int last = sample(12, 14, 32);
  for (int links = 11; links <= last; links++) check_chain(links);
}

static void dominoes_come_to_rest(void** state) {
  (void)state;
  char* text = read_example("dominoes");
  ZwRunDef how = zw_default_run_def();
  how.to = getenv("ZW_LONG") ? 2 : 0.8; /* once they stuck at 0.759 */
  Trajectory trajectory = follow_how("dominoes", text, how, 0);
  assert_true(last_row(&trajectory)[0] == how.to);
  forget(&trajectory);
  free(text);
}

/* Also where the text gives none, as in a loop: a log of contacts is by name. */
static void names_are_unique(void** state) {
  (void)state;
  static const char* const names[] = {"end[1]", "line 5", "end[2]", "line 5 (2)", "end[3]", "line 5 (3)", "line 7"};
  ZwModel* model = compile_text("names",
                                "coord x, y[1..3] = 1\nkinetic 1/2*x'^2\nfor i in 1..3 {\n  contact end[i]: y[i] >= 0\n"
                                "  contact y[i] <= 3\n  kinetic 1/2*y[i]'^2 }\ncontact x >= -1\n");
  assert_int_equal(zw_model_contact_count(model), 7);
  for (int32_t i = 0; i < 7; i++) assert_string_equal(zw_model_contact(model, i), names[i]);
  zw_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bounces_are_on_time_and_have_an_end),
                                     cmocka_unit_test(energy_never_grows_and_nothing_penetrates),
                                     cmocka_unit_test(integrators_agree),
                                     cmocka_unit_test(blocks_rock_as_housner_says),
                                     cmocka_unit_test(fast_things_hit_thin_ones),
                                     cmocka_unit_test(long_chains_come_to_their_end),
                                     cmocka_unit_test(dominoes_come_to_rest),
                                     cmocka_unit_test(names_are_unique)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
