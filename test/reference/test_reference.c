/* The example models against published and closed-form results, one JSON file each. What is compared and how closely is
 * said by the file's `check`: |got - want| <= abs + rel |want|, at an integration tolerance of `run_tolerance`. */
#include <jansson.h>

#include "elliptic.h"
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ends),       cmocka_unit_test(test_arevalo_multiplier),
      cmocka_unit_test(test_car_axis),   cmocka_unit_test(test_pleiades),
      cmocka_unit_test(test_andrews),    cmocka_unit_test(test_pendulum_sundials),
      cmocka_unit_test(test_iftomm_a01),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
