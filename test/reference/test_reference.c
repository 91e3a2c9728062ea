/* The example models against published and closed-form results, one JSON file each. What is compared and how closely is
 * said by the file's `check`: |got - want| <= abs + rel |want|, at an integration tolerance of `run_tolerance`. */
#include <jansson.h>

#include "elliptic.h"
#include "residuals.h"
#include "trajectory.h"

typedef struct Check {
  double rel, abs, tolerance;
} Check;

typedef struct Reference {
  const char* name;
  json_t* root;
  Check check;
  double worst; /* largest |got - want| / (abs + rel |want|) */
  double largest_abs, largest_rel;
} Reference;

/* ---- reading ---- */

static json_t* member(const json_t* object, const char* name) {
  json_t* value = json_object_get(object, name);
  if (!value) fail_msg("the reference has no %s", name);
  return value;
}

/* Numbers with more digits than a double are written as strings. */
static double number_of(const json_t* value) {
  if (!json_is_string(value)) return json_number_value(value);
  char* end = NULL;
  double number = strtod(json_string_value(value), &end);
  assert_true(end != json_string_value(value) && *end == 0);
  return number;
}

static double number_at(const json_t* array, int32_t i) {
  assert_true(json_is_array(array) && (size_t)i < json_array_size(array));
  return number_of(json_array_get(array, (size_t)i));
}

static Reference open_reference(const char* name) {
  char path[PATH_SIZE];
  source_path(path, "test/reference", name, ".json");
  json_error_t error;
  Reference reference = {.name = name, .root = json_load_file(path, 0, &error)};
  if (!reference.root) fail_msg("%s:%d: %s", path, error.line, error.text);
  const json_t* check = member(reference.root, "check");
  reference.check.rel = number_of(member(check, "rel"));
  reference.check.abs = number_of(member(check, "abs"));
  reference.check.tolerance = number_of(member(check, "run_tolerance"));
  return reference;
}

static void close_reference(Reference* reference) {
  print_message("%-26s off by %.2g absolute, %.2g relative: %.2g of what is allowed\n", reference->name,
                reference->largest_abs, reference->largest_rel, reference->worst);
  json_decref(reference->root);
}

/* ---- comparing ---- */

static void compare_within(Reference* reference, const char* what, double t, double got, double want, double rel,
                           double abs) {
  double off = fabs(got - want), allowed = abs + rel * fabs(want);
  if (!(off <= allowed)) {
    fail_msg("%s: %s at t = %g is %.17g, expected %.17g within %.3g, is off by %.3g", reference->name, what, t, got,
             want, allowed, off);
  }
  reference->largest_abs = fmax(reference->largest_abs, off);
  /* relative to a number that vanishes says nothing */
  if (fabs(want) > 1e-3) reference->largest_rel = fmax(reference->largest_rel, off / fabs(want));
  if (allowed > 0) reference->worst = fmax(reference->worst, off / allowed);
}

static void compare(Reference* reference, const char* what, double t, double got, double want) {
  compare_within(reference, what, t, got, want, reference->check.rel, reference->check.abs);
}

/* A row's numbers from the k-th after t, against an array. */
static void compare_row(Reference* reference, const Trajectory* trajectory, const double* row, int32_t k,
                        const json_t* array) {
  for (int32_t i = 0; i < (int32_t)json_array_size(array); i++) {
    compare(reference, zw_model_column(trajectory->model, 1 + k + i), row[0], row[1 + k + i], number_at(array, i));
  }
}

/* ---- those that state (q, v) at the end ---- */

typedef struct EndCase {
  const char *json, *example;
} EndCase;

static const EndCase end_cases[] = {
    {"appell_hamel", "appell-hamel"},
    {"arevalo_particle", "arevalo"},
    {"chaplygin_sleigh", "chaplygin-sleigh"},
    {"kepler_e06", "kepler"},
    {"knife_edge_incline", "knife-edge"},
    {"nonholonomic_particle", "nonholonomic-particle"},
    {"relativistic_const_force", "relativistic"},
};

static void test_ends(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof end_cases / sizeof end_cases[0]; i++) {
    Reference reference = open_reference(end_cases[i].json);
    double to = number_of(member(reference.root, "t_end"));
    Trajectory trajectory = follow_example(end_cases[i].example, to, NAN, reference.check.tolerance);
    const json_t* want = member(reference.root, "reference_exact");
    assert_int_equal(json_array_size(want), 2 * trajectory.n);
    assert_true(last_row(&trajectory)[0] == to);
    compare_row(&reference, &trajectory, last_row(&trajectory), 0, want);
    forget(&trajectory);
    close_reference(&reference);
  }
}

/* The force of the circle, x'' = 2 y + x mu: mu = -4 t^2 at every row. */
static void test_arevalo_multiplier(void** state) {
  (void)state;
  Reference reference = open_reference("arevalo_particle");
  Trajectory trajectory = follow_example("arevalo", NAN, NAN, reference.check.tolerance);
  int32_t outward = column_of(&trajectory, "outward");
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    compare(&reference, "the multiplier", row[0], row[outward], -4 * row[0] * row[0]);
  }
  forget(&trajectory);
  close_reference(&reference);
}

/* ---- those recomputed in quadruple precision ---- */

static void test_car_axis(void** state) {
  (void)state;
  Reference reference = open_reference("car_axis");
  const json_t* recomputed = member(reference.root, "reference_recomputed");
  Trajectory trajectory = follow_example("car-axis", 3, 1, reference.check.tolerance);
  assert_int_equal(trajectory.rows, 4);
  for (int32_t i = 1; i <= 3; i++) {
    char key[16];
    snprintf(key, sizeof key, "t=%d", i);
    compare_row(&reference, &trajectory, row_of(&trajectory, i), 0, member(member(recomputed, key), "q"));
  }
  forget(&trajectory);
  close_reference(&reference);
}

static void test_pleiades(void** state) {
  (void)state;
  Reference reference = open_reference("pleiades");
  const json_t* recomputed = member(reference.root, "reference_recomputed");
  Trajectory trajectory = follow_example("pleiades", 3, NAN, reference.check.tolerance);
  compare_row(&reference, &trajectory, last_row(&trajectory), 0, member(recomputed, "q"));
  compare_row(&reference, &trajectory, last_row(&trajectory), 14, member(recomputed, "v"));
  forget(&trajectory);
  close_reference(&reference);
}

/* Stiff: the states at all published instants, and how many steps it takes. */
static void test_flyball(void** state) {
  (void)state;
  static const struct {
    const char* key;
    double t;
  } instants[] = {{"t=0.1", 0.1}, {"t=0.5", 0.5}, {"t=1", 1}, {"t=2", 2}, {"t=5", 5}, {"t=10", 10}};
  Reference reference = open_reference("iftomm_A05_flyball");
  const json_t* recomputed = member(reference.root, "reference_recomputed");
  Trajectory trajectory = follow_example("flyball-governor", 10, 0.1, reference.check.tolerance);
  for (size_t i = 0; i < sizeof instants / sizeof *instants; i++) {
    const double* row = row_of(&trajectory, (int32_t)lround(10 * instants[i].t));
    assert_near(row[0], instants[i].t, 1e-15);
    compare_row(&reference, &trajectory, row, 0, member(member(recomputed, instants[i].key), "q"));
    compare_row(&reference, &trajectory, row, 4, member(member(recomputed, instants[i].key), "v"));
  }
  const ZwReport* report = zw_run_report(trajectory.run);
  print_message("flyball governor: %lld steps, stiff from t = %.3g\n", (long long)report->steps, report->stiff_from);
  assert_true(report->steps < 5000);
  assert_true(report->stiff_from < 0.1);
  assert_near(report->energy_start, number_of(member(member(recomputed, "t=0"), "E")), 1e-10);
  forget(&trajectory);
  close_reference(&reference);
}

/* ---- Andrews' squeezer ---- */

/* The six loop equations, typed from the reference and not from the example; the largest of them. */
static double andrews_phi(const json_t* params, const double* q) {
  double be = q[0], th = q[1], ga = q[2], ph = q[3], de = q[4], om = q[5], ep = q[6];
  double rr = number_of(member(params, "rr")), d = number_of(member(params, "d")), e = number_of(member(params, "e"));
  double ss = number_of(member(params, "ss")), zt = number_of(member(params, "zt"));
  double zf = number_of(member(params, "zf")), u = number_of(member(params, "u"));
  double xa = number_of(member(params, "xa")), ya = number_of(member(params, "ya"));
  double xb = number_of(member(params, "xb")), yb = number_of(member(params, "yb"));
  double x = rr * cos(be) - d * cos(be + th), y = rr * sin(be) - d * sin(be + th);
  double phi[6] = {x - ss * sin(ga) - xb,
                   y + ss * cos(ga) - yb,
                   x - e * sin(ph + de) - zt * cos(de) - xa,
                   y + e * cos(ph + de) - zt * sin(de) - ya,
                   x - zf * cos(om + ep) - u * sin(ep) - xa,
                   y - zf * sin(om + ep) + u * cos(ep) - ya};
  return largest(6, phi);
}

/* "v to rel 1e-7" */
static double velocity_rel(const Reference* reference) {
  double rel = NAN;
  const char* also = json_string_value(member(member(reference->root, "check"), "also"));
  assert_int_equal(sscanf(also, "v to rel %lf", &rel), 1);
  return rel;
}

static void check_andrews_until(Reference* reference, const char* key, double to) {
  const json_t* want = member(member(reference->root, "reference_recomputed"), key);
  assert_near(number_of(member(want, "t")), to, 0);
  Trajectory trajectory = follow_example("andrews", to, NAN, reference->check.tolerance);
  const double* row = last_row(&trajectory);
  compare_row(reference, &trajectory, row, 0, member(want, "q"));
  for (int32_t i = 0; i < 7; i++) {
    compare_within(reference, zw_model_column(trajectory.model, 8 + i), to, row[8 + i], number_at(member(want, "v"), i),
                   velocity_rel(reference), 0);
  }
  double worst = 0;
  for (int32_t i = 0; i < trajectory.rows; i++) {
    worst = fmax(worst, andrews_phi(member(reference->root, "params"), row_of(&trajectory, i) + 1));
  }
  print_message("andrews until %g: %d rows, |phi| <= %.2g\n", to, trajectory.rows, worst);
  assert_true(trajectory.rows > 400 && worst < 1e-12);
  forget(&trajectory);
}

static void test_andrews(void** state) {
  (void)state;
  static const struct {
    const char* key;
    double to;
  } cases[] = {{"t=0.03", 0.03}, {"t=0.01", 0.01}, {"t=0.02", 0.02}, {"t=0.05", 0.05}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Reference reference = open_reference("andrews_squeezer");
    check_andrews_until(&reference, cases[i].key, cases[i].to);
    close_reference(&reference);
  }
}

/* ---- pendulums ---- */

/* Period 2: (1, 0, 0, 0) at even t, (-1, 0, 0, 0) at odd t; between them the closed form sin(phi/2) = k sn(K - sqrt(g) t)
 * with k^2 = 1/2 and sqrt(g) = 2 K. */
static void test_pendulum_sundials(void** state) {
  (void)state;
  Reference reference = open_reference("pendulum_sundials");
  Trajectory trajectory = follow_example("pendulum-sundials", 30, 0.125, reference.check.tolerance);
  assert_int_equal(trajectory.rows, 30 * 8 + 1);
  long double k = sqrtl(0.5L), K = elliptic_K(k);
  double rate = (double)(2 * K); /* sqrt(g) */
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    Elliptic e = elliptic(K * (1 - 2 * (long double)row[0]), k);
    double phi = 2 * asin((double)k * e.sn), turn = -sqrt(2) * rate * e.cn; /* phi and its rate */
    double want[4] = {sin(phi), -cos(phi), cos(phi) * turn, sin(phi) * turn};
    if (i % 8 == 0) {
      double x = i % 16 == 0 ? 1 : -1;
      assert_near(want[0], x, 1e-14);
      assert_near(largest(3, want + 1), 0, 1e-13);
      want[0] = x;
      want[1] = want[2] = want[3] = 0;
    }
    for (int32_t c = 0; c < 4; c++) {
      compare(&reference, zw_model_column(trajectory.model, 1 + c), row[0], row[1 + c], want[c]);
    }
  }
  forget(&trajectory);
  close_reference(&reference);
}

/* theta from the x axis: x = cos theta, y = sin theta. */
static void test_iftomm_a01(void** state) {
  (void)state;
  Reference reference = open_reference("iftomm_A01_pendulum");
  const json_t* exact = member(reference.root, "reference_exact");
  const json_t* want = member(exact, "theta_thetadot_x_y_t10");
  Trajectory trajectory = follow_example("iftomm-a01", 10, NAN, reference.check.tolerance);
  const double* row = last_row(&trajectory);
  double theta = number_at(want, 0), turn = number_at(want, 1);
  compare(&reference, "x", 10, row[1], number_at(want, 2));
  compare(&reference, "y", 10, row[2], number_at(want, 3));
  compare(&reference, "x'", 10, row[3], -sin(theta) * turn);
  compare(&reference, "y'", 10, row[4], cos(theta) * turn);
  forget(&trajectory);
  /* after whole periods the mass is back on the left */
  double period = number_of(member(exact, "period"));
  trajectory = follow_example("iftomm-a01", 4 * period, period, reference.check.tolerance);
  assert_int_equal(trajectory.rows, 5);
  for (int32_t i = 0; i < trajectory.rows; i++) {
    compare(&reference, "x", i * period, row_of(&trajectory, i)[1], -1);
    compare(&reference, "y", i * period, row_of(&trajectory, i)[2], 0);
  }
  forget(&trajectory);
  close_reference(&reference);
}

/* ---- systems written with vectors, loops and the libraries ---- */

/* An example with one of its lines changed; both texts have the same length or less. */
static Trajectory follow_changed(const char* name, const char* from, const char* into, double to, double every,
                                 double tolerance) {
  char* text = read_example(name);
  char* at = strstr(text, from);
  if (!at) fail_msg("%s does not say %s", name, from);
  assert_true(strlen(into) <= strlen(from));
  memset(at, ' ', strlen(from));
  memcpy(at, into, strlen(into));
  Trajectory trajectory = follow(name, text, to, every, tolerance, 0);
  free(text);
  return trajectory;
}

/* The vector form has the scalar one's coordinates in the same order. */
static void test_car_axis_vectors(void** state) {
  (void)state;
  Reference reference = open_reference("car_axis");
  const json_t* recomputed = member(reference.root, "reference_recomputed");
  Trajectory vectors = follow_example("car-axis-vectors", 3, 1, reference.check.tolerance);
  Trajectory scalars = follow_example("car-axis", 3, 1, reference.check.tolerance);
  for (int32_t i = 1; i <= 3; i++) {
    char key[16];
    snprintf(key, sizeof key, "t=%d", i);
    compare_row(&reference, &vectors, row_of(&vectors, i), 0, member(member(recomputed, key), "q"));
    for (int32_t k = 1; k <= 8; k++) assert_near(row_of(&vectors, i)[k], row_of(&scalars, i)[k], 1e-9);
  }
  forget(&vectors);
  forget(&scalars);
  close_reference(&reference);
}

static void test_n_body(void** state) {
  (void)state;
  Reference reference = open_reference("pleiades");
  const json_t* recomputed = member(reference.root, "reference_recomputed");
  Trajectory trajectory = follow_example("n-body", 3, NAN, reference.check.tolerance);
  compare_row(&reference, &trajectory, last_row(&trajectory), 0, member(recomputed, "q"));
  compare_row(&reference, &trajectory, last_row(&trajectory), 14, member(recomputed, "v"));
  forget(&trajectory);
  close_reference(&reference);
}

/* The angle next to `near` that differs from `angle` by whole turns. */
static double unwound(double angle, double near) {
  double turn = 4 * acos(0);
  return angle + turn * round((near - angle) / turn);
}

/* The angles of R = Rz(a) Rx(b) Ry(c), whose columns are e, and their rates. */
static void compare_angles(Reference* reference, double t, const double* e, const double* spin, const json_t* want) {
  const json_t *abc = member(want, "abc"), *rates = member(want, "rates");
  const double *e1 = e, *e2 = e + 3, *e3 = e + 6;
  double a = atan2(-e2[0], e2[1]), b = asin(e2[2]), c = atan2(-e1[2], e3[2]);
  compare(reference, "a", t, unwound(a, number_at(abc, 0)), number_at(abc, 0));
  compare(reference, "b", t, b, number_at(abc, 1));
  compare(reference, "c", t, unwound(c, number_at(abc, 2)), number_at(abc, 2));
  double about_axis = spin[0] * e2[0] + spin[1] * e2[1] + spin[2] * e2[2];
  double a_rate = (spin[2] - sin(b) * about_axis) / (cos(b) * cos(b));
  compare(reference, "a'", t, a_rate, number_at(rates, 0));
  compare(reference, "b'", t, spin[0] * cos(a) + spin[1] * sin(a), number_at(rates, 1));
  compare(reference, "c'", t, about_axis - sin(b) * a_rate, number_at(rates, 2));
}

/* In quaternions: everything. In angles: until the top hangs straight down, where they are of no use. */
static void test_heavy_top(void** state) {
  (void)state;
  static const struct {
    const char* key;
    int32_t row;
  } cases[] = {{"t=0", 0}, {"t=0.1", 1}, {"t=0.2", 2}, {"t=0.5", 5}, {"t=1", 10}};
  Reference reference = open_reference("heavy_top_terze");
  const json_t* recomputed = member(reference.root, "reference_recomputed");
  Trajectory quaternions = follow_example("heavy-top", 1, 0.1, reference.check.tolerance);
  Trajectory angles = follow_example("heavy-top-angles", 0.2, 0.1, reference.check.tolerance);
  int32_t axes = column_of(&quaternions, "e1.x"), spin = column_of(&quaternions, "spin.x"),
          tip = column_of(&angles, "tip.x");
  double apart = 0;
  for (int32_t i = 0; i < 5; i++) {
    const json_t* want = member(recomputed, cases[i].key);
    const double* row = row_of(&quaternions, cases[i].row);
    compare_row(&reference, &quaternions, row, 0, member(want, "com_position"));
    for (int32_t k = 0; k < 9; k++) {
      compare(&reference, "R", row[0], row[axes + k], number_at(member(want, "R_rowmajor"), 3 * (k % 3) + k / 3));
    }
    compare_angles(&reference, row[0], row + axes, row + spin, want);
    if (i >= angles.rows) continue;
    const double* other = row_of(&angles, i);
    compare_row(&reference, &angles, other, 0, member(want, "abc"));
    compare_row(&reference, &angles, other, 3, member(want, "rates"));
    compare_row(&reference, &angles, other, tip - 1, member(want, "com_position"));
    for (int32_t k = 0; k < 3; k++) apart = fmax(apart, fabs(row[1 + k] - other[tip + k]));
  }
  print_message("heavy top: quaternions and angles differ by %.1e\n", apart);
  assert_true(apart < 1e-9);
  forget(&quaternions);
  forget(&angles);
  close_reference(&reference);
}

static void compare_spin(Reference* reference, const Trajectory* trajectory) {
  const json_t* exact = member(reference->root, "reference_exact");
  compare_row(reference, trajectory, last_row(trajectory), column_of(trajectory, "w.x") - 1, member(exact, "w t=5"));
}

/* In quaternions, and in the Euler angles of the reference's own equations. */
static void test_euler_top(void** state) {
  (void)state;
  static const char by_angles[] =
      "coord psi, th = pi/2, ph\n"
      "let w1 = psi'*sin(th)*sin(ph) + th'*cos(ph), w2 = psi'*sin(th)*cos(ph) - th'*sin(ph), w3 = psi'*cos(th) + ph'\n"
      "kinetic 1/2*(w1^2 + 2*w2^2 + 3*w3^2)\nstart th' = 0.3, ph' = 1\noutput w = (w1, w2, w3)\n";
  Reference reference = open_reference("euler_top");
  double to = number_of(member(reference.root, "t_end"));
  Trajectory trajectory = follow_example("euler-top", to, NAN, reference.check.tolerance);
  compare_spin(&reference, &trajectory);
  forget(&trajectory);
  trajectory = follow("Euler angles", by_angles, to, NAN, reference.check.tolerance, 0);
  compare_spin(&reference, &trajectory);
  forget(&trajectory);
  /* after a period the angular velocity is back; the angular momentum in space never moves */
  double period = number_of(member(member(reference.root, "reference_exact"), "period"));
  trajectory = follow_example("euler-top", period, NAN, reference.check.tolerance);
  int32_t w = column_of(&trajectory, "w.x"), H = column_of(&trajectory, "H.x");
  static const double start[3] = {0.3, 0, 1}, momentum[3] = {0.3, 0, 3};
  for (int32_t k = 0; k < 3; k++) {
    compare(&reference, "w after a period", period, last_row(&trajectory)[w + k], start[k]);
    for (int32_t i = 0; i < trajectory.rows; i++) {
      compare(&reference, "H", row_of(&trajectory, i)[0], row_of(&trajectory, i)[H + k], momentum[k]);
    }
  }
  forget(&trajectory);
  close_reference(&reference);
}

/* The rank drops when the rods lie flat, at t = 0.7143 for the first time, and about ten times in all. */
static void test_iftomm_a02(void** state) {
  (void)state;
  static const double times[] = {0.5, 4, 5, 10};
  Reference reference = open_reference("iftomm_A02_fourbar_N2");
  const json_t* exact = member(reference.root, "reference_exact");
  for (int i = 0; i < 4; i++) {
    char key[32];
    snprintf(key, sizeof key, "A02_N2_t%g", times[i]);
    const json_t* want = member(exact, key);
    Trajectory trajectory = follow_example("n-four-bar", times[i], NAN, reference.check.tolerance);
    const double* row = last_row(&trajectory);
    compare(&reference, "th", times[i], row[column_of(&trajectory, "angle")], number_at(want, 0));
    compare(&reference, "th'", times[i], row[column_of(&trajectory, "crank[0].phi'")], number_at(want, 1));
    compare(&reference, "x", times[i], row[column_of(&trajectory, "corner.x")], number_at(want, 2));
    compare(&reference, "y", times[i], row[column_of(&trajectory, "corner.y")], number_at(want, 3));
    compare(&reference, "x'", times[i], row[column_of(&trajectory, "speed.x")], number_at(want, 4));
    compare(&reference, "y'", times[i], row[column_of(&trajectory, "speed.y")], number_at(want, 5));
    forget(&trajectory);
  }
  close_reference(&reference);
}

/* 44 bounces; the published state at the end, and when the last one was. */
static void test_bouncing_ball(void** state) {
  (void)state;
  Reference reference = open_reference("bouncing_ball");
  const json_t* exact = member(reference.root, "reference_exact");
  Trajectory trajectory = follow_example("bouncing-ball", NAN, NAN, reference.check.tolerance);
  const double* row = last_row(&trajectory);
  assert_near(row[column_of(&trajectory, "count")], 44, 0);
  double last = row[0] - row[column_of(&trajectory, "since")];
  compare(&reference, "t44", 8.5, last, strtod(json_string_value(member(exact, "t44")), NULL));
  compare(&reference, "y", 8.5, row[column_of(&trajectory, "y")],
          strtod(json_string_value(member(exact, "x_end")), NULL));
  compare(&reference, "y'", 8.5, row[column_of(&trajectory, "y'")],
          strtod(json_string_value(member(exact, "v_end")), NULL));
  assert_int_equal(zw_run_report(trajectory.run)->events, 44);
  forget(&trajectory);
  close_reference(&reference);
}

/* A number behind its name in a text of the reference. */
static double number_in(const char* text, const char* name) {
  const char* at = strstr(text, name);
  assert_non_null(at);
  return strtod(at + strlen(name), NULL);
}

/* From a printed point of the limit cycle: the state of the published run two hops later, its mean descent; and hops of one
 * length, one height each, where the beak hits the pole. */
static void test_woodpecker(void** state) {
  (void)state;
  Reference reference = open_reference("woodpecker_toy");
  const char* published = json_string_value(member(reference.root, "reference_published"));
  double t = number_in(published, " t=");
  Trajectory trajectory = follow_example("woodpecker", t, NAN, reference.check.tolerance);
  const double* row = last_row(&trajectory);
  int32_t y = column_of(&trajectory, "y"), beak = column_of(&trajectory, "phS'");
  compare(&reference, "mean descent", t, row[y] / t, number_in(published, "y=") / t);
  compare(&reference, "phM", t, row[column_of(&trajectory, "phM")], number_in(published, "phiM="));
  compare(&reference, "phS", t, row[column_of(&trajectory, "phS")], number_in(published, "phiS="));
  forget(&trajectory);
  trajectory = follow_example("woodpecker", 3, NAN, reference.check.tolerance);
  double hit = NAN, height = NAN, period = NAN, hop = NAN;
  int hops = 0;
  for (int32_t i = 1; i < trajectory.rows; i++) {
    const double *before = row_of(&trajectory, i - 1), *after = row_of(&trajectory, i);
    bool is_hit = before[0] == after[0] && before[beak] > 0 && after[beak] < -0.4 * before[beak];
    if (!is_hit) continue;
    if (hops > 1) compare(&reference, "period", after[0], after[0] - hit, period);
    if (hops > 1) compare(&reference, "hop", after[0], after[y] - height, hop);
    period = after[0] - hit;
    hop = after[y] - height;
    hit = after[0];
    height = after[y];
    hops++;
  }
  print_message("woodpecker: %d hops, the last of %.5f s and %.5f m\n", hops, period, hop);
  assert_int_equal(hops, 20);
  forget(&trajectory);
  close_reference(&reference);
}

/* When an output changes its sign for the first time. */
static double reversal(const Trajectory* trajectory, int32_t column) {
  for (int32_t i = 1; i < trajectory->rows; i++) {
    double before = row_of(trajectory, i - 1)[column], after = row_of(trajectory, i)[column];
    if (before * after < 0) return row_of(trajectory, i)[0];
  }
  return INFINITY;
}

/* Qualitative, as the reference says: it turns back when spun one way, and hardly the other way. */
static void test_rattleback(void** state) {
  (void)state;
  Reference reference = open_reference("rattleback_kane");
  Trajectory trajectory = follow_example("rattleback", 12, 0.01, reference.check.tolerance);
  int32_t w3 = column_of(&trajectory, "w3");
  compare(&reference, "time of reversal", 0, reversal(&trajectory, w3), 2.8);
  double fastest = 0, when = 0;
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    if (row[w3] > fastest) when = row[0];
    fastest = fmax(fastest, row[w3]);
  }
  print_message("rattleback: turns back at %.3f, is at %.3f at %.3f\n", reversal(&trajectory, w3), fastest, when);
  compare(&reference, "spin after that", when, fastest, 5.2);
  assert_true(when > 5 && when < 8);
  forget(&trajectory);
  trajectory = follow_changed("rattleback", "spin = -5", "spin = 5", 12, 0.01, reference.check.tolerance);
  print_message("the other way: turns back at %.3f\n", reversal(&trajectory, w3));
  compare(&reference, "time of reversal", 0, reversal(&trajectory, w3), 11.5);
  forget(&trajectory);
  close_reference(&reference);
}

/* ---- on the constraints ---- */

/* As shipped, at the tolerance of the reference and at its own: |phi| and |phi'| at every row. */
static void test_rows_are_on_the_constraints(void** state) {
  (void)state;
  static const EndCase cases[] = {
      {"andrews_squeezer", "andrews"},
      {"appell_hamel", "appell-hamel"},
      {"arevalo_particle", "arevalo"},
      {"bouncing_ball", "bouncing-ball"},
      {"car_axis", "car-axis"},
      {"car_axis", "car-axis-vectors"},
      {"chaplygin_sleigh", "chaplygin-sleigh"},
      {"euler_top", "euler-top"},
      {"heavy_top_terze", "heavy-top"},
      {"heavy_top_terze", "heavy-top-angles"},
      {"iftomm_A01_pendulum", "iftomm-a01"},
      {"iftomm_A02_fourbar_N2", "n-four-bar"},
      {"kepler_e06", "kepler"},
      {"knife_edge_incline", "knife-edge"},
      {"nonholonomic_particle", "nonholonomic-particle"},
      {"pendulum_sundials", "pendulum-sundials"},
      {"pleiades", "pleiades"},
      {"rattleback_kane", "rattleback"},
      {"relativistic_const_force", "relativistic"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Reference reference = open_reference(cases[i].json);
    char* text = read_example(cases[i].example);
    const double tolerances[] = {reference.check.tolerance, NAN};
    for (int k = 0; k < 2; k++) {
      Trajectory trajectory = follow(cases[i].example, text, NAN, NAN, tolerances[k], 0);
      Residuals worst = measure_residuals(cases[i].example, text, &trajectory);
      print_message("%-22s %2d constraints, %4d rows at %.0e: |phi| <= %.1e, |phi'| <= %.1e of scale\n",
                    cases[i].example, worst.constraints, worst.rows, zw_run_report(trajectory.run)->tolerance,
                    worst.phi, worst.phidot);
      assert_true(worst.rows > 100 && worst.phi < 1e-10 && worst.phidot < 1e-10);
      forget(&trajectory);
    }
    free(text);
    json_decref(reference.root);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ends),
      cmocka_unit_test(test_arevalo_multiplier),
      cmocka_unit_test(test_car_axis),
      cmocka_unit_test(test_pleiades),
      cmocka_unit_test(test_flyball),
      cmocka_unit_test(test_andrews),
      cmocka_unit_test(test_pendulum_sundials),
      cmocka_unit_test(test_iftomm_a01),
      cmocka_unit_test(test_car_axis_vectors),
      cmocka_unit_test(test_n_body),
      cmocka_unit_test(test_heavy_top),
      cmocka_unit_test(test_euler_top),
      cmocka_unit_test(test_iftomm_a02),
      cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_woodpecker),
      cmocka_unit_test(test_rattleback),
      cmocka_unit_test(test_rows_are_on_the_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
