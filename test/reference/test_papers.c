/* The worked examples of the papers: at random states the accelerations are those of the published formulas, which are
 * typed here by hand. And motions with a closed form. The numbers of the examples are those of docs/theory. */
#include "elliptic.h"
#include "trajectory.h"

enum { STATES = 100, TEXT_SIZE = 4096 };

/* Relative to the size of the acceleration: a dozen operations of double precision. */
static const double tol_acceleration = 1e-12;

/* The first row of a model, at its start; it must be where the text puts it. */
static Trajectory first_row(const char* name, const char* text) {
  Trajectory trajectory = follow(name, text, NAN, NAN, NAN, 1);
  assert_int_equal(trajectory.rows, 1);
  return trajectory;
}

static double between(Random* random, double low, double high) {
  return low + (high - low) * (0.5 + 0.5 * random_number(random));
}

/* Compares the outputs named ax, ay, ... with `count` numbers, relative to the largest of them or of `size`. */
static double compare_outputs(const Trajectory* trajectory, int32_t count, const double* want, double size) {
  const double* got = row_of(trajectory, 0) + 1 + 2 * trajectory->n;
  double scale = fmax(largest(count, want), size), worst = 0;
  for (int32_t i = 0; i < count; i++) {
    assert_near(got[i], want[i], tol_acceleration * scale);
    worst = fmax(worst, fabs(got[i] - want[i]) / scale);
  }
  return worst;
}

static void report(const char* name, double worst) {
  print_message("%-40s off by %.2g relative at %d states\n", name, worst, STATES);
}

/* ---- 1. UK98 28-33: x'^2 + y'^2 - z'^2 = 2 alpha h(x, y, z, t) under gravity ---- */

typedef struct Height {
  double h, x, y, z, t; /* value and partial derivatives */
} Height;

typedef struct HeightCase {
  const char* text;
  Height (*at)(double x, double y, double z, double t);
} HeightCase;

static Height height_waves(double x, double y, double z, double t) {
  double bell = exp(-z * z / 50);
  return (Height){2 + sin(x + t) + cos(y) * bell, cos(x + t), -sin(y) * bell, -z / 25 * cos(y) * bell, cos(x + t)};
}

static Height height_bowl(double x, double y, double z, double t) {
  return (Height){x * x + x * y + 2 * y * y + z * t, 2 * x + y, x + 4 * y, t, z};
}

static Height height_none(double x, double y, double z, double t) {
  (void)x, (void)y, (void)z, (void)t;
  return (Height){0};
}

static const HeightCase heights[] = {
    {"2 + sin(x + t) + cos(y)*exp(-z^2/50)", height_waves},
    {"x^2 + x*y + 2*y^2 + z*t", height_bowl},
    {"0", height_none},
};

/* The Gibbs-Appell form (33) of the same motion: three equations that these accelerations must satisfy. */
static void check_gibbs_appell(double g, double s, const double* v, const double* a) {
  double x = v[0], y = v[1], z = v[2];
  double left[3] = {x * a[0] + y * a[1] - z * a[2], (1 + y * y / (x * x)) * a[1] - y * z / (x * x) * a[2],
                    -y * z / (x * x) * a[1] + (1 + z * z / (x * x)) * a[2]};
  double right[3] = {s, s * y / (x * x), -g - s * z / (x * x)};
  double size = largest(3, a) * (1 + (x * x + y * y + z * z) / (x * x));
  for (int i = 0; i < 3; i++) assert_near(left[i], right[i], 1e-12 * size);
}

static double check_sheet(const HeightCase* height, Random* random) {
  double g = 9.81, alpha = between(random, 0.1, 1), t = between(random, 0, 3);
  double x = random_number(random), y = random_number(random), z = random_number(random);
  Height h = height->at(x, y, z, t);
  /* a velocity on the sheet: y' from the others */
  double vz = 2 + random_number(random), rest = vz * vz + 2 * alpha * h.h;
  double vx = rest > 0 ? between(random, 0.2, 0.9) * sqrt(rest) : 0;
  if (rest < 0.1) return 0;
  double vy = sqrt(rest - vx * vx);
  char text[TEXT_SIZE];
  snprintf(text, sizeof text,
           "param g = 9.81, alpha = %.17g\n"
           "coord x = %.17g, y = %.17g, z = %.17g\n"
           "let h = %s\n"
           "kinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
           "potential g*z\n"
           "constraint sheet: x'^2 + y'^2 - z'^2 = 2*alpha*h\n"
           "start x' = %.17g, y' = %.17g, z' = %.17g\n"
           "output ax = x'', ay = y'', az = z''\n"
           "run %.17g .. 10\n",
           alpha, x, y, z, height->text, vx, vy, vz, t);
  Trajectory trajectory = first_row("uk98", text);
  const double* row = row_of(&trajectory, 0);
  const double* v = row + 4;
  h = height->at(row[1], row[2], row[3], t);
  double s = alpha * (h.x * v[0] + h.y * v[1] + h.z * v[2] + h.t);
  double pull = (s - v[2] * g) / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  double want[3] = {pull * v[0], pull * v[1], -g - pull * v[2]};
  double off = compare_outputs(&trajectory, 3, want, g);
  check_gibbs_appell(g, s, v, row + 7);
  forget(&trajectory);
  return off;
}

static void test_uk98(void** state) {
  (void)state;
  Random random = random_from(98);
  double worst = 0;
  for (size_t k = 0; k < sizeof heights / sizeof heights[0]; k++) {
    for (int i = 0; i < STATES; i++) worst = fmax(worst, check_sheet(&heights[k], &random));
  }
  report("UK98 28-33, sheet of velocities", worst);
}

/* ---- 2. BG99 35-45: the pendulum in Cartesian coordinates ---- */

static double check_rod(double l, double angle, double turn) {
  double g = 9.81;
  char text[TEXT_SIZE];
  snprintf(text, sizeof text,
           "param m = 1.7, l = %.17g, g = 9.81\n"
           "coord x1 = %.17g, x2 = %.17g\n"
           "kinetic 1/2*m*(x1'^2 + x2'^2)\n"
           "potential m*g*x2\n"
           "constraint rod: x1^2 + x2^2 = l^2\n"
           "start x1' = %.17g, x2' = %.17g\n"
           "output a1 = x1'', a2 = x2''\n"
           "run 0 .. 1\n",
           l, l * sin(angle), -l * cos(angle), l * cos(angle) * turn, l * sin(angle) * turn);
  Trajectory trajectory = first_row("bg99", text);
  const double* row = row_of(&trajectory, 0);
  double x1 = row[1], x2 = row[2], vv = row[3] * row[3] + row[4] * row[4], ll = x1 * x1 + x2 * x2;
  double want[2] = {(g * x1 * x2 - x1 * vv) / ll, (-g * x1 * x1 - x2 * vv) / ll};
  double off = compare_outputs(&trajectory, 2, want, g);
  forget(&trajectory);
  return off;
}

static void test_bg99(void** state) {
  (void)state;
  Random random = random_from(99);
  double worst = 0;
  for (int i = 0; i < STATES; i++) {
    worst = fmax(worst, check_rod(between(&random, 0.1, 5), between(&random, -3.2, 3.2), 3 * random_number(&random)));
  }
  /* where x1 = 0 the first column of A vanishes: hanging, and upside down */
  worst = fmax(worst, check_rod(1, 0, 2));
  worst = fmax(worst, check_rod(1, 0, 0));
  worst = fmax(worst, check_rod(1, acos(-1), 1.5));
  report("BG99 35-45, pendulum", worst);
}

/* ---- 3. KU93 36-38: a free particle with y' = z x' ---- */

static void test_ku93_free(void** state) {
  (void)state;
  Random random = random_from(93);
  double worst = 0;
  for (int i = 0; i < STATES; i++) {
    double z = 2 * random_number(&random), vx = random_number(&random), vz = random_number(&random);
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "coord x, y, z = %.17g\n"
             "kinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
             "constraint skew: y' = z*x'\n"
             "start x' = %.17g, y' = %.17g, z' = %.17g\n"
             "output ax = x'', ay = y'', az = z''\n"
             "run 0 .. 1\n",
             z, vx, z * vx, vz);
    Trajectory trajectory = first_row("ku93-free", text);
    double push = vz * vx / (1 + z * z), want[3] = {-push * z, push, 0};
    worst = fmax(worst, compare_outputs(&trajectory, 3, want, 0));
    forget(&trajectory);
  }
  report("KU93 36-38, y' = z x'", worst);
}

/* ---- 4. KU93 39-42: a mass in the plane with x' - t y' = alpha(t) ---- */

static void test_ku93_plane(void** state) {
  (void)state;
  Random random = random_from(39);
  double worst = 0;
  for (int i = 0; i < STATES; i++) {
    double m = between(&random, 0.3, 4), k = between(&random, 0, 5), d = between(&random, 0, 1), w = 1.3;
    double t = between(&random, -2, 6), x = random_number(&random), y = random_number(&random);
    double vy = 2 * random_number(&random), vx = t * vy + sin(w * t);
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "param m = %.17g, k = %.17g, d = %.17g, w = 1.3\n"
             "coord x = %.17g, y = %.17g\n"
             "kinetic 1/2*m*(x'^2 + y'^2)\n"
             "force x = -k*x + cos(t)\n"
             "force y = -k*y - d*y'\n"
             "constraint steer: x' - t*y' = sin(w*t)\n"
             "start x' = %.17g, y' = %.17g\n"
             "output fx = m*x'', fy = m*y'', cx = m*x'' + k*x - cos(t), cy = m*y'' + k*y + d*y'\n"
             "run %.17g .. 10\n",
             m, k, d, x, y, vx, vy, t);
    Trajectory trajectory = first_row("ku93-plane", text);
    const double* row = row_of(&trajectory, 0);
    double X = -k * row[1] + cos(t), Y = -k * row[2] - d * row[4], pace = m * (row[4] + w * cos(w * t));
    double f[2] = {(t * t * X + t * Y + pace) / (1 + t * t), (t * X + Y - t * pace) / (1 + t * t)};
    double want[4] = {f[0], f[1], f[0] - X, f[1] - Y}; /* the control force (42) is what the constraint adds */
    worst = fmax(worst, compare_outputs(&trajectory, 4, want, fmax(fabs(X), fabs(Y))));
    forget(&trajectory);
  }
  report("KU93 39-42, x' - t y' = alpha", worst);
}

/* ---- 5. L96 5.3: z' = y x' under a force, in quasi-velocities nu1 = y', nu2 = y z' + x' ---- */

static void test_l96(void** state) {
  (void)state;
  Random random = random_from(96);
  double worst = 0;
  for (int i = 0; i < STATES; i++) {
    double m = between(&random, 0.3, 4), y = 2 * random_number(&random);
    double vx = random_number(&random), vy = random_number(&random), F[3];
    random_fill(&random, 3, F);
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "param m = %.17g, Fx = %.17g, Fy = %.17g, Fz = %.17g\n"
             "coord x, y = %.17g, z\n"
             "kinetic 1/2*m*(x'^2 + y'^2 + z'^2)\n"
             "force x = Fx\nforce y = Fy\nforce z = Fz\n"
             "constraint lewis: z' - y*x' = 0\n"
             "start x' = %.17g, y' = %.17g, z' = %.17g\n"
             "let nu1 = y', nu2 = y*z' + x'\n"
             "output r1 = nu1', r2 = nu2'\n"
             "run 0 .. 1\n",
             m, F[0], F[1], F[2], y, vx, vy, y * vx);
    Trajectory trajectory = first_row("l96", text);
    const double* row = row_of(&trajectory, 0);
    double nu1 = row[5], nu2 = y * row[6] + row[4], stretch = 1 + y * y;
    double want[2] = {F[1] / m, (F[0] + y * F[2]) / m + y * nu1 * nu2 / stretch};
    worst = fmax(worst, compare_outputs(&trajectory, 2, want, largest(3, F) / m));
    forget(&trajectory);
  }
  report("L96 5.3, quasi-velocities of z' = y x'", worst);
}

/* ---- 6. U96 32-43: z'^2 = x'^2 + y'^2 stated twice, the second time doubled ---- */

static void test_u96(void** state) {
  (void)state;
  Random random = random_from(6);
  double worst = 0;
  for (int i = 0; i < STATES; i++) {
    double m = between(&random, 0.3, 4), vx = random_number(&random), vy = random_number(&random), F[3];
    if (hypot(vx, vy) < 0.1) continue;
    double vz = i % 2 ? hypot(vx, vy) : -hypot(vx, vy);
    random_fill(&random, 3, F);
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "param m = %.17g, Fx = %.17g, Fy = %.17g, Fz = %.17g\n"
             "coord x, y, z\n"
             "kinetic 1/2*m*(x'^2 + y'^2 + z'^2)\n"
             "force x = m*Fx\nforce y = m*Fy\nforce z = m*Fz\n"
             "constraint cone:  (x'^2 + y'^2 - z'^2)/2 = 0\n"
             "constraint again: x'^2 + y'^2 - z'^2 = 0\n"
             "start x' = %.17g, y' = %.17g, z' = %.17g\n"
             "output ax = x'', ay = y'', az = z''\n"
             "run 0 .. 1\n",
             m, F[0], F[1], F[2], vx, vy, vz);
    Trajectory trajectory = first_row("u96", text);
    const ZwReport* how = zw_run_report(trajectory.run);
    assert_true(how->m == 2 && how->rank == 1 && how->dof == 2 && how->redundant_count == 1);
    const double* v = row_of(&trajectory, 0) + 4;
    double push = (-F[0] * v[0] - F[1] * v[1] + F[2] * v[2]) / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double want[3] = {F[0] + push * v[0], F[1] + push * v[1], F[2] - push * v[2]};
    worst = fmax(worst, compare_outputs(&trajectory, 3, want, largest(3, F)));
    forget(&trajectory);
  }
  report("U96 32-43, a cone stated twice", worst);
}

/* ---- motions with a closed form ---- */

/* Released at rest at the angle theta0: sin(theta/2) = k sn(K + w t), k = sin(theta0/2), w^2 = g/l. */
static double check_swing(double theta0) {
  double g = 9.81, l = 0.7;
  char text[TEXT_SIZE];
  snprintf(text, sizeof text,
           "param m = 1, l = %.17g, g = %.17g\n"
           "coord x = %.17g, y = %.17g\n"
           "kinetic 1/2*m*(x'^2 + y'^2)\n"
           "potential m*g*y\n"
           "constraint rod: x^2 + y^2 = l^2\n"
           "output angle = atan2(x, -y)\n"
           "run 0 .. 10\n",
           l, g, l * sin(theta0), -l * cos(theta0));
  Trajectory trajectory = follow("pendulum", text, NAN, NAN, 1e-12, 0);
  long double k = sinl((long double)theta0 / 2), K = elliptic_K(k), w = sqrtl((long double)g / l);
  double worst = 0;
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    Elliptic e = elliptic(K + w * row[0], k);
    worst = fmax(worst, fabs(row[5] - 2 * asin((double)k * e.sn)));
  }
  forget(&trajectory);
  return worst;
}

/* At tolerance 1e-12. Near the top an error of the energy changes the period by 1/cos^2(theta0/2) as much, 1.3e4 times at
 * 179 degrees. */
static void test_pendulum_angle(void** state) {
  (void)state;
  static const double degrees[] = {1, 20, 90, 150, 179};
  for (size_t i = 0; i < sizeof degrees / sizeof degrees[0]; i++) {
    double off = check_swing(degrees[i] * acos(-1) / 180);
    print_message("pendulum from %g degrees: theta off by %.2g\n", degrees[i], off);
    assert_true(off < (degrees[i] > 170 ? 1e-7 : 1e-9));
  }
}

/* The example itself, at its own tolerance of 1e-8. */
static void test_pendulum_example(void** state) {
  (void)state;
  Trajectory trajectory = follow_example("pendulum", NAN, NAN, NAN);
  int32_t angle = column_of(&trajectory, "angle");
  long double k = sqrtl(0.5L), K = elliptic_K(k), w = sqrtl(9.81L);
  double worst = 0;
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    worst = fmax(worst, fabs(row[angle] - 2 * asin((double)k * elliptic(K + w * row[0], k).sn)));
  }
  print_message("examples/pendulum at tolerance 1e-8: theta off by %.2g\n", worst);
  assert_true(worst < 1e-5);
  forget(&trajectory);
}

/* Relativistic particle on the turning wire: r w/c = s0 / dn(w t/k, k) with s0 = r0 w/c, k^2 = 1 - s0^2. From the integral
 * (1 - r^2 w^2/c^2)/sqrt(1 - (r'^2 + r^2 w^2)/c^2) = k. */
static void test_relativistic_wire(void** state) {
  (void)state;
  Trajectory trajectory = follow_example("relativistic-wire", NAN, NAN, 1e-12);
  int32_t r = column_of(&trajectory, "r");
  long double c = 3, w = 0.7L, s0 = w / c, k = sqrtl(1 - s0 * s0);
  double worst = 0;
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    double want = (double)(c / w * s0 / elliptic(w * row[0] / k, k).dn);
    worst = fmax(worst, fabs(row[r] - want));
  }
  print_message("relativistic wire: r off by %.2g\n", worst);
  assert_true(worst < 1e-9);
  forget(&trajectory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_uk98),
      cmocka_unit_test(test_bg99),
      cmocka_unit_test(test_ku93_free),
      cmocka_unit_test(test_ku93_plane),
      cmocka_unit_test(test_l96),
      cmocka_unit_test(test_u96),
      cmocka_unit_test(test_pendulum_angle),
      cmocka_unit_test(test_pendulum_example),
      cmocka_unit_test(test_relativistic_wire),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
