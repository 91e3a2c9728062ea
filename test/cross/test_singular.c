/* Motion through isolated singular positions (T23, NUMERICS R4-R8): two mechanisms whose constraints become dependent for
 * an instant, beside the same systems in one angle, where nothing is singular. Masses, sizes, starts and tolerances are
 * drawn at random. All draws with ZW_LONG set, a fixed sample otherwise. */
#include "../reference/trajectory.h"
#include "drawn.h"

/* The last value of a column, after a run that must not fail. */
static double end_of(const char* name, const Text* text, const char* column, ZwReport* report, int* notes) {
  Trajectory trajectory = follow(name, text->data, NAN, NAN, NAN, 0);
  double value = NAN;
  for (int32_t i = 0; i < zw_model_column_count(trajectory.model); i++) {
    if (strcmp(zw_model_column(trajectory.model, i), column) == 0) value = row_of(&trajectory, trajectory.rows - 1)[i];
  }
  *report = *zw_run_report(trajectory.run);
  *notes = 0;
  for (int32_t i = 0; i < zw_run_diag_count(trajectory.run); i++) {
    *notes += strstr(zw_run_diag(trajectory.run, i)->text, "passes a singular position") != NULL;
  }
  forget(&trajectory);
  return value;
}

/* The error that a run of this tolerance may have made by its end, in tolerances of a radian and of the angle, which turns up to
 * 40 radians: the motion is neither stiff nor chaotic. */
static const double errors_allowed = 100;

static void check(const char* name, int draw, double got, double want, double tolerance, const ZwReport* report) {
  double errors = fabs(got - want) / (tolerance * (1 + fabs(want)));
  if (!(errors <= errors_allowed)) {
    fail_msg("%s, draw %d: ends at %.15g instead of %.15g, off by %.1f tolerances of %.2g", name, draw, got, want,
             errors, tolerance);
  }
  assert_near(report->phi_max, 0, 1e-10);
  assert_near(report->phidot_max, 0, 1e-9);
}

/* ---- N windows of rods: all loops are flat at once ---- */

enum { WINDOWS = 40 };

typedef struct Windows {
  int N;
  bool is_twice; /* the pins of the bars are stated twice */
  double crank[WINDOWS + 1], bar[WINDOWS + 1];
  double width, angle, speed, to, tolerance;
} Windows;

static Windows draw_windows(Random* random, int low, int high) {
  Windows w = {.N = random_int(random, low, high), .is_twice = random_next(random) % 5 < 2};
  for (int i = 0; i <= high; i++) {
    w.crank[i] = between(random, 0.3, 3);
    w.bar[i] = between(random, 0.3, 3);
  }
  w.width = between(random, 0.5, 1.5);
  w.angle = between(random, 0.3, 2.6);
  w.speed = between(random, -3, 3);
  w.to = between(random, 2, 6);
  w.tolerance = drawn_tolerance(random, -11, -5);
  return w;
}

static void write_windows(const Windows* w, Text* text) {
  write_text(text, "use planar\nparam N = %d, w = %.17g\n", w->N, w->width);
  write_array(text, "mc", 0, w->N, w->crank);
  write_array(text, "mb", 1, w->N, w->bar);
  write_text(text,
             "let d = (cos(%.17g), sin(%.17g))\npart ground = earth()\nfor i in 0..N {\n"
             "  part crank[i] = rod(mc[i], (i*w, 0), (i*w, 0) + d)\n"
             "  part foot[i]  = pin(ground, crank[i], (i*w, 0))\n}\nfor i in 1..N {\n"
             "  part bar[i]   = rod(mb[i], ((i-1)*w, 0) + d, (i*w, 0) + d)\n",
             w->angle, w->angle);
  for (int k = 0; k <= w->is_twice; k++) {
    const char* again = k ? "2" : "";
    write_text(text,
               "  part left%s[i]  = pin(crank[i-1], bar[i], ((i-1)*w, 0) + d)\n"
               "  part right%s[i] = pin(crank[i], bar[i], (i*w, 0) + d)\n",
               again, again);
  }
  write_text(text,
             "}\noutput angle = crank[0].phi\nstart exactly crank[0].phi' = %.17g\nrun 0 .. %.17g every %.17g "
             "tolerance %.17g\n",
             w->speed, w->to, w->to, w->tolerance);
}

static void write_windows_in_one_angle(const Windows* w, Text* text) {
  write_text(text, "param N = %d\n", w->N);
  write_array(text, "mc", 0, w->N, w->crank);
  write_array(text, "mb", 1, w->N, w->bar);
  write_text(
      text,
      "coord phi = %.17g\n"
      "kinetic 1/2*(sum(i in 0..N: mc[i]/3) + sum(i in 1..N: mb[i]))*phi'^2\n"
      "potential 9.81*(sum(i in 0..N: mc[i]/2) + sum(i in 1..N: mb[i]))*sin(phi)\n"
      "start phi' = %.17g\nmemory flat = 0\nwhen sin(phi) > 0: flat = flat + 1\nwhen sin(phi) < 0: flat = flat + 1\n"
      "run 0 .. %.17g every %.17g tolerance 1e-13\n",
      w->angle, w->speed, w->to, w->to);
}

/* They end where the angle does, and have been flat as often. */
static void check_windows(Random* random, int count, int low, int high) {
  int crossed = 0;
  for (int i = 0; i < count; i++) {
    Windows w = draw_windows(random, low, high);
    Text text = {0}, one = {0};
    write_windows(&w, &text);
    write_windows_in_one_angle(&w, &one);
    ZwReport report, reference;
    int notes, none;
    double want = end_of("one angle", &one, "phi", &reference, &none);
    double got = end_of("windows", &text, "angle", &report, &notes);
    check("windows", i, got, want, w.tolerance, &report);
    assert_int_equal(none, 0);
    if (report.singular != reference.events) {
      fail_msg("windows, draw %d: passes %d singular positions instead of %d", i, (int)report.singular,
               (int)reference.events);
    }
    crossed += (int)reference.events;
  }
  print_message("%d rows of %d to %d windows, through %d singular positions\n", count, low, high, crossed);
  assert_true(crossed > count);
}

static void windows_go_on_as_one_angle(void** state) {
  (void)state;
  Random random = random_from(102);
  check_windows(&random, draws(16, 150), 1, 6);
}

static void many_windows_go_on_as_one_angle(void** state) {
  (void)state;
  Random random = random_from(105);
  check_windows(&random, draws(1, 16), 7, WINDOWS);
}

/* Rows stated twice are no more work; by rounding a step may end elsewhere near a singular position, and more follow. */
static void redundant_rows_cost_no_steps(void** state) {
  (void)state;
  Random random = random_from(103);
  int64_t all_once = 0, all_twice = 0;
  for (int i = 0; i < draws(4, 20); i++) {
    Windows w = draw_windows(&random, 1, 6);
    w.tolerance = fmin(w.tolerance, 1e-7);
    ZwReport once, twice;
    int notes;
    for (int k = 0; k < 2; k++) {
      Text text = {0};
      w.is_twice = k == 1;
      write_windows(&w, &text);
      (void)end_of("windows", &text, "angle", k ? &twice : &once, &notes);
    }
    assert_int_equal(twice.rank, once.rank);
    assert_true(twice.steps <= once.steps + once.steps / 10);
    all_once += once.steps;
    all_twice += twice.steps;
  }
  assert_true(all_twice <= all_once + all_once / 50);
}

/* ---- a slider-crank with equal arms: the slider goes through the centre ---- */

typedef struct Arms {
  double crank, coupler, slider, gravity, angle, speed, to, tolerance;
} Arms;

static Arms draw_arms(Random* random) {
  Arms a = {.crank = between(random, 0.3, 3)};
  a.coupler = between(random, 0.3, 3);
  a.slider = between(random, 0.3, 3);
  a.gravity = random_next(random) % 2 ? 9.81 : 0;
  a.angle = between(random, -1, 1);
  a.speed = between(random, 1, 6) * (random_next(random) % 2 ? 1 : -1);
  a.to = between(random, 2, 6);
  a.tolerance = drawn_tolerance(random, -11, -5);
  return a;
}

static void write_arms(const Arms* a, Text* text) {
  write_text(text,
             "param g = %.17g\ncomponent rod(m) {\n  coord x, y, phi\n"
             "  kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(m/12)*phi'^2\n  potential m*g*y\n"
             "  let at(s) = (x + s*cos(phi), y + s*sin(phi))\n}\npart crank = rod(%.17g)\npart coupler = rod(%.17g)\n"
             "coord s = %.17g\nkinetic 1/2*%.17g*s'^2\nconstraint ground: crank.at(-1/2) = (0, 0)\n"
             "constraint pin: crank.at(1/2) = coupler.at(-1/2)\nconstraint slide: coupler.at(1/2) = (s, 0)\n"
             "start exactly crank.phi = %.17g, crank.phi' = %.17g, coupler.phi = %.17g\n"
             "run 0 .. %.17g every %.17g tolerance %.17g\n",
             a->gravity, a->crank, a->coupler, 2 * cos(a->angle), a->slider, a->angle, a->speed, -a->angle, a->to,
             a->to, a->tolerance);
}

static void write_arms_in_one_angle(const Arms* a, Text* text) {
  write_text(text,
             "param g = %.17g, m1 = %.17g, m2 = %.17g, m3 = %.17g\ncoord phi = %.17g\n"
             "let c1 = (cos(phi), sin(phi))/2, c2 = (1.5*cos(phi), sin(phi)/2), s = 2*cos(phi)\n"
             "kinetic 1/2*m1*c1'^2 + 1/2*m1/12*phi'^2 + 1/2*m2*c2'^2 + 1/2*m2/12*phi'^2 + 1/2*m3*s'^2\n"
             "potential g*(m1*c1.y + m2*c2.y)\nstart phi' = %.17g\nrun 0 .. %.17g every %.17g tolerance 1e-13\n",
             a->gravity, a->crank, a->coupler, a->slider, a->angle, a->speed, a->to, a->to);
}

static void slider_goes_through_the_centre(void** state) {
  (void)state;
  Random random = random_from(104);
  int count = draws(20, 200), crossed = 0;
  for (int i = 0; i < count; i++) {
    Arms a = draw_arms(&random);
    Text text = {0}, one = {0};
    write_arms(&a, &text);
    write_arms_in_one_angle(&a, &one);
    ZwReport report, reference;
    int notes, none;
    double want = end_of("one angle", &one, "phi", &reference, &none);
    double got = end_of("equal arms", &text, "crank.phi", &report, &notes);
    check("equal arms", i, got, want, a.tolerance, &report);
    crossed += notes > 0;
  }
  print_message("%d slider-cranks with equal arms, %d of them through the centre\n", count, crossed);
  assert_true(crossed > count / 2);
}

/* A crank with mass turns evenly; coupler and slider have none. At t = 1 and t = 3 exactly a row of the result falls on the
 * singular position: the acceleration of the slider and the force in the bearing are limits there. */
static void rows_at_the_singular_position_are_limits(void** state) {
  (void)state;
  static const char text[] =
      "param w = pi/2\ncomponent rod(m) {\n  coord x, y, phi\n  kinetic 1/2*m*(x'^2 + y'^2) + 1/2*(m/12)*phi'^2\n"
      "  let at(s) = (x + s*cos(phi), y + s*sin(phi))\n}\npart crank = rod(1)\npart coupler = rod(0)\ncoord s = 2\n"
      "constraint ground: crank.at(-1/2) = (0, 0)\nconstraint pin: crank.at(1/2) = coupler.at(-1/2)\n"
      "constraint slide: coupler.at(1/2) = (s, 0)\n"
      "start exactly crank.phi = 0, crank.phi' = w, coupler.phi = 0\n"
      "output off = s'' + 2*w^2*cos(w*t), pull = reaction(ground) + w^2/2*(cos(w*t), sin(w*t))\n"
      "run 0 .. 4 every 0.25\n";
  for (int k = 6; k <= 11; k++) {
    Trajectory trajectory = follow("even turning", text, NAN, NAN, pow(10, -k), 0);
    assert_int_equal(trajectory.rows, 17);
    for (int32_t i = 0; i < trajectory.rows; i++) {
      const double* row = row_of(&trajectory, i);
      bool is_singular = row[0] == 1 || row[0] == 3;
      double bound = (is_singular ? 3e-6 : 0) + 1e3 * pow(10, -k); /* the limit is of second order in 1e-3 */
      for (int32_t c = 0; c < 3; c++) assert_near(row[15 + c], 0, bound);
    }
    forget(&trajectory);
  }
}

/* ---- starts on the position ---- */

/* The angle at the end, beside that of one angle; the start must say what it is. */
static void check_start(const char* name, int draw, const Text* text, const Text* one, const char* column,
                        const char* angle, double tolerance) {
  ZwReport report, reference;
  int notes, none;
  double want = end_of("one angle", one, angle, &reference, &none);
  double got = end_of(name, text, column, &report, &notes);
  check(name, draw, got, want, tolerance, &report);
  assert_int_equal(report.dof, 1); /* not those of the rank there */
  assert_int_equal(report.redundant_count, 0);
}

static void starts_on_the_position_go_on_along_their_velocity(void** state) {
  (void)state;
  Random random = random_from(105);
  for (int i = 0; i < draws(10, 100); i++) {
    Windows w = draw_windows(&random, 1, 6);
    Text text = {0}, one = {0};
    w.angle = i % 2 ? 3.14159265358979323846 : 0;
    w.speed = copysign(fmax(fabs(w.speed), 0.7), w.speed); /* slower ones turn within a step behind the position */
    w.is_twice = false;
    write_windows(&w, &text);
    for (int k = 1; k <= w.N; k++) write_text(&text, "start exactly crank[%d].phi' = %.17g\n", k, w.speed);
    write_windows_in_one_angle(&w, &one);
    check_start("flat windows", i, &text, &one, "angle", "phi", w.tolerance);
  }
  for (int i = 0; i < draws(10, 100); i++) {
    Arms a = draw_arms(&random);
    Text text = {0}, one = {0};
    a.angle = (i % 2 ? 1 : -1) * 3.14159265358979323846 / 2;
    write_arms(&a, &text);
    write_text(&text, "start exactly coupler.phi' = %.17g\n", -a.speed);
    write_arms_in_one_angle(&a, &one);
    check_start("slider in the centre", i, &text, &one, "crank.phi", "phi", a.tolerance);
  }
}

/* ---- what is no crossing ---- */

/* A rod pulled beyond its reach: the constraints cannot be met behind the singular position. */
static void dead_end_is_an_error(void** state) {
  (void)state;
  static const char text[] =
      "coord x = 0.5, y = 0.8660254037844386\nkinetic 1/2*(x'^2 + y'^2)\nconstraint rod: x^2 + y^2 = 1\n"
      "constraint pull: x = 0.5 + t\nrun 0 .. 2\n";
  ZwModel* model = compile_text("dead end", text);
  ZwRunDef how = zw_default_run_def();
  for (int k = 5; k <= 12; k++) {
    how.tolerance = pow(10, -k);
    ZwRun* run = NULL;
    assert_int_equal(zw_run_create(model, &how, &run), ZW_OK);
    ZwStatus status = zw_run_go(run); /* 'rod' can no longer be met, or 'pull' contradicts it */
    assert_true(status == ZW_ERR_STEP || status == ZW_ERR_INCONSISTENT);
    assert_near(zw_run_report(run)->t, 0.5, 1e-6);
    zw_run_destroy(run);
  }
  zw_model_destroy(model);
}

/* Bennett's linkage has three rows too many; those frozen at the start fail on the way, others hold. */
static void other_rows_are_taken_where_the_frozen_ones_fail(void** state) {
  (void)state;
  for (int k = 8; k <= 12; k += 2) {
    Trajectory trajectory = follow_example("bennett", 5, 1, pow(10, -k));
    const ZwReport* report = zw_run_report(trajectory.run);
    assert_int_equal(report->rank, 20);
    for (int32_t i = 0; i < zw_run_diag_count(trajectory.run); i++) {
      assert_null(strstr(zw_run_diag(trajectory.run, i)->text, "singular"));
    }
    assert_near(report->energy_drift, 0, 100 * pow(10, -k));
    forget(&trajectory);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(windows_go_on_as_one_angle),
      cmocka_unit_test(many_windows_go_on_as_one_angle),
      cmocka_unit_test(redundant_rows_cost_no_steps),
      cmocka_unit_test(slider_goes_through_the_centre),
      cmocka_unit_test(rows_at_the_singular_position_are_limits),
      cmocka_unit_test(starts_on_the_position_go_on_along_their_velocity),
      cmocka_unit_test(dead_end_is_an_error),
      cmocka_unit_test(other_rows_are_taken_where_the_frozen_ones_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
