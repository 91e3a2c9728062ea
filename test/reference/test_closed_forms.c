/* Examples whose motion, or part of it, is known in closed form. */
#include "elliptic.h"
#include "trajectory.h"

typedef struct Worst {
  const char* name;
  double off;
} Worst;

/* Remembers the largest difference; fails above `allowed`. */
static void watch(Worst* worst, const char* what, double t, double got, double want, double allowed) {
  if (!(fabs(got - want) <= allowed)) {
    fail_msg("%s: %s at t = %g is %.15g, expected %.15g within %g", worst->name, what, t, got, want, allowed);
  }
  worst->off = fmax(worst->off, fabs(got - want));
}

static void tell(const Worst* worst) {
  print_message("%-20s off by %.1e at most\n", worst->name, worst->off);
}

static void assert_same_always(Worst* worst, const Trajectory* trajectory, const char* column, double want,
                               double allowed) {
  int32_t k = column_of(trajectory, column);
  for (int32_t i = 0; i < trajectory->rows; i++) {
    watch(worst, column, row_of(trajectory, i)[0], row_of(trajectory, i)[k], want, allowed);
  }
}

static double dot3(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The centre runs in a circle, the ground pushes it inwards and carries the weight. */
static void test_rolling_coin(void** state) {
  (void)state;
  Worst worst = {.name = "rolling-coin"};
  double m = 0.01, R = 0.02, g = 9.81, W = 6, theta = 70 * acos(-1) / 180;
  double A = m * R * R / 4, C = m * R * R / 2;
  double w3 = (A * W * cos(theta) - m * g * R * cos(theta) / (W * sin(theta))) / (C + m * R * R), rho = -R * w3 / W;
  Trajectory trajectory = follow_example("rolling-coin", NAN, 0.05, 1e-12);
  int32_t r = column_of(&trajectory, "coin.r.x"), weight = column_of(&trajectory, "normal");
  int32_t side = column_of(&trajectory, "friction.x");
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    double t = row[0];
    watch(&worst, "x", t, row[r], rho * cos(W * t), 1e-10);
    watch(&worst, "y", t, row[r + 1], rho * sin(W * t), 1e-10);
    watch(&worst, "z", t, row[r + 2], R * sin(theta), 1e-10);
    watch(&worst, "the weight", t, row[weight], m * g, 1e-9);
    watch(&worst, "friction along x", t, row[side], -m * W * W * rho * cos(W * t), 1e-9);
    watch(&worst, "friction along y", t, row[side + 1], -m * W * W * rho * sin(W * t), 1e-9);
  }
  forget(&trajectory);
  tell(&worst);
}

/* Circle with q B/m, drift E x B/B^2, glide along B. */
static void test_cyclotron(void** state) {
  (void)state;
  Worst worst = {.name = "cyclotron"};
  double w = 0.5 * 3 / 2.0, drift = -0.4 / 3; /* along y: (E, 0, 0) x (0, 0, B) / B^2 = (0, -E/B, 0) */
  double vx = 0, vy = 1 - drift;              /* of the circling part */
  Trajectory trajectory = follow_example("cyclotron", NAN, NAN, 1e-12);
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    double t = row[0], c = cos(w * t), s = sin(w * t);
    /* vx' = w vy, vy' = -w vx */
    watch(&worst, "x", t, row[1], 1 + (vx * s + vy * (1 - c)) / w, 1e-10);
    watch(&worst, "y", t, row[2], drift * t + (vy * s - vx * (1 - c)) / w, 1e-10);
    watch(&worst, "z", t, row[3], 0.25 * t, 1e-10);
    watch(&worst, "vx", t, row[4], vx * c + vy * s, 1e-10);
    watch(&worst, "vy", t, row[5], drift + vy * c - vx * s, 1e-10);
  }
  forget(&trajectory);
  tell(&worst);
}

/* Clairaut's relation and the speed; and another road: a point in space, held on the surface by a constraint. */
static void test_torus(void** state) {
  (void)state;
  static const char in_space[] =
      "param R = 2, a = 1\nlet rho = R + a*cos(0.3)\ncoord P = (R + a*cos(0.3), 0, a*sin(0.3))\nkinetic 1/2*P'^2\n"
      "constraint torus: hypot(hypot(P.x, P.y) - R, P.z) = a\n"
      "start P' = (-0.2*a*sin(0.3), rho, 0.2*a*cos(0.3))\n";
  Worst worst = {.name = "torus-geodesic"};
  Trajectory surface = follow_example("torus-geodesic", NAN, 0.1, 1e-13);
  Trajectory space = follow("torus in space", in_space, 20, 0.1, 1e-13, 0);
  double rho = 2 + cos(0.3);
  assert_same_always(&worst, &surface, "clairaut", rho * rho, 1e-10);
  assert_same_always(&worst, &surface, "speed", sqrt(0.04 + rho * rho), 1e-10);
  int32_t P = column_of(&surface, "P.x"), n = column_of(&surface, "n.x");
  assert_int_equal(surface.rows, space.rows);
  for (int32_t i = 0; i < surface.rows; i++) {
    const double *row = row_of(&surface, i), *other = row_of(&space, i);
    for (int32_t k = 0; k < 3; k++) watch(&worst, "the point", row[0], row[P + k], other[1 + k], 1e-9);
    watch(&worst, "normal by velocity", row[0], dot3(row + n, other + 4), 0, 1e-9);
  }
  forget(&surface);
  forget(&space);
  tell(&worst);
}

/* Where the swing is widest: the angle of the plane at the last turning point, by a parabola through three rows. */
static void test_foucault(void** state) {
  (void)state;
  double rate = -0.01 * sin(50 * acos(-1) / 180), worst = 0;
  Trajectory trajectory = follow_example("foucault", NAN, 0.02, 1e-12);
  int32_t reach = column_of(&trajectory, "reach"), count = 0;
  for (int32_t i = 1; i + 1 < trajectory.rows; i++) {
    const double *a = row_of(&trajectory, i - 1), *b = row_of(&trajectory, i), *c = row_of(&trajectory, i + 1);
    if (!(b[reach] > a[reach] && b[reach] >= c[reach] && b[0] > 1)) continue;
    double s = 0.5 * (a[reach] - c[reach]) / (a[reach] - 2 * b[reach] + c[reach]); /* in rows from b */
    double x = b[1] + s * (c[1] - a[1]) / 2 + s * s * (a[1] - 2 * b[1] + c[1]) / 2;
    double y = b[2] + s * (c[2] - a[2]) / 2 + s * s * (a[2] - 2 * b[2] + c[2]) / 2;
    double t = b[0] + s * 0.02, angle = atan(y / x); /* modulo half a turn */
    double off = fabs(angle - rate * t) / fabs(rate * t);
    worst = fmax(worst, off);
    if (!(off < 1e-4)) fail_msg("foucault: plane at %.9g at t = %g, expected %.9g", angle, t, rate * t);
    count++;
  }
  print_message("foucault             %d swings, precession off by %.1e of itself\n", count, worst);
  assert_true(count > 20);
  forget(&trajectory);
}

/* The straight line, the inversion, and the product of Bennett's angles. */
static void test_linkages(void** state) {
  (void)state;
  Worst worst = {.name = "peaucellier"};
  Trajectory trajectory = follow_example("peaucellier", NAN, NAN, 1e-11);
  assert_same_always(&worst, &trajectory, "line", 6, 1e-12);
  assert_same_always(&worst, &trajectory, "inversion", 12, 1e-12);
  forget(&trajectory);
  tell(&worst);

  worst = (Worst){.name = "bennett"};
  double degree = acos(-1) / 180, relation = sin(75 * degree / 2) / sin(-25 * degree / 2);
  trajectory = follow_example("bennett", NAN, NAN, 1e-11);
  const ZwReport* report = zw_run_report(trajectory.run);
  assert_int_equal(report->n, 21);
  assert_int_equal(report->m, 23);
  assert_int_equal(report->rank, 20);
  assert_int_equal(report->redundant_count, 3);
  assert_true(last_row(&trajectory)[column_of(&trajectory, "one")] > 1);
  static const char* const drawn[] = {"gap.x", "gap.y", "gap.z", "skew.x", "skew.y", "skew.z"};
  for (int k = 0; k < 6; k++) assert_same_always(&worst, &trajectory, drawn[k], 0, 1e-14);
  assert_same_always(&worst, &trajectory, "relation", relation, 1e-11);
  int32_t one = column_of(&trajectory, "one");
  for (int32_t i = 0; i < trajectory.rows; i++) { /* opposite angles move against each other */
    const double* row = row_of(&trajectory, i);
    watch(&worst, "third angle", row[0], row[one + 2], -row[one], 1e-11);
    watch(&worst, "fourth angle", row[0], row[one + 3], -row[one + 1], 1e-11);
  }
  forget(&trajectory);
  tell(&worst);
}

/* The smallest reactions that balance the plate with the cat on it, and what does not depend on that choice. */
static void test_table(void** state) {
  (void)state;
  Worst worst = {.name = "table-four-legs"};
  double g = 9.81, m = 20, cat = 5, turn = 2 * acos(-1) / 10;
  Trajectory trajectory = follow_example("table-four-legs", NAN, NAN, NAN);
  assert_int_equal(zw_run_report(trajectory.run)->dof, 0);
  assert_int_equal(zw_run_report(trajectory.run)->shared_count, 1);
  int32_t F = column_of(&trajectory, "F[1]"), right = column_of(&trajectory, "right");
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    double c = cat * cos(turn * row[0]), s = cat * sin(turn * row[0]);
    for (int k = 0; k < 4; k++) {
      double want = g / 4 * (m + cat + (k < 2 ? c : -c) + (k % 2 ? -s : s));
      watch(&worst, "a leg", row[0], row[F + k], want, 1e-11);
    }
    watch(&worst, "right", row[0], row[right], g / 2 * (m + cat + c), 1e-11);
    watch(&worst, "far", row[0], row[right + 2], g / 2 * (m + cat + s), 1e-11);
  }
  static const char* const balance[] = {"load_off", "roll_off", "pitch_off"};
  for (int k = 0; k < 3; k++) assert_same_always(&worst, &trajectory, balance[k], 0, 1e-11);
  forget(&trajectory);
  tell(&worst);
}

/* A pendulum in the part of gravity across the axis, and hinges that carry the weight with the lever of its width. */
static void test_door(void** state) {
  (void)state;
  Worst worst = {.name = "door-three-hinges"};
  long double degree = acosl(-1) / 180, k = sinl(40 * degree), K = elliptic_K(k);
  long double w = sqrtl(1.5L * 9.81L * sinl(3 * degree) / 0.9L); /* m g s (b/2) / (m b^2/3) */
  double weight = (double)(20 * 9.81L * cosl(3 * degree));
  Trajectory trajectory = follow_example("door-three-hinges", NAN, NAN, 1e-12);
  const ZwReport* report = zw_run_report(trajectory.run);
  assert_int_equal(report->m, 10);
  assert_int_equal(report->rank, 6);
  assert_int_equal(report->shared_count, 3); /* along each direction of space */
  int32_t angle = column_of(&trajectory, "angle");
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    watch(&worst, "the angle", row[0], row[angle], 2 * asin((double)(k * elliptic(K + w * row[0], k).sn)), 1e-10);
  }
  static const char* const up[] = {"low_up", "middle_up", "high_up"};
  for (int i = 0; i < 3; i++) assert_same_always(&worst, &trajectory, up[i], weight / 3, 1e-10);
  assert_same_always(&worst, &trajectory, "F.z", weight, 1e-10);
  assert_same_always(&worst, &trajectory, "lever", weight * 0.45 / 0.8, 1e-10);
  static const char* const balance[] = {"force_off.x", "force_off.y", "force_off.z", "moment_off.x", "moment_off.y"};
  for (int i = 0; i < 5; i++) assert_same_always(&worst, &trajectory, balance[i], 0, 1e-10);
  forget(&trajectory);
  tell(&worst);
}

/* Slope of a column at row i: seven points, sixth order. */
static double slope(const Trajectory* trajectory, int32_t i, int32_t column, double h) {
  static const double weights[] = {45, -9, 1};
  double sum = 0;
  for (int k = 1; k <= 3; k++) {
    sum += weights[k - 1] * (row_of(trajectory, i + k)[column] - row_of(trajectory, i - k)[column]);
  }
  return sum / (60 * h);
}

/* The legs have their lengths, and their forces carry the plate: Newton's and Euler's laws by differences of the motion. */
static void test_stewart(void** state) {
  (void)state;
  Worst worst = {.name = "stewart"};
  double h = 0.005;
  Trajectory trajectory = follow_example("stewart", NAN, h, 1e-12);
  int32_t v = column_of(&trajectory, "top.r.x'"), H = column_of(&trajectory, "moment.x");
  for (int32_t i = 3; i + 3 < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    double force[3] = {0, 0, -20 * 9.81}, moment[3] = {0};
    for (int k = 1; k <= 6; k++) {
      char name[3][32];
      snprintf(name[0], sizeof name[0], "F[%d]", k);
      snprintf(name[1], sizeof name[1], "dir[%d].x", k);
      snprintf(name[2], sizeof name[2], "arm[%d].x", k);
      double F = row[column_of(&trajectory, name[0])];
      const double *e = row + column_of(&trajectory, name[1]), *arm = row + column_of(&trajectory, name[2]);
      for (int c = 0; c < 3; c++) {
        force[c] += F * e[c];
        moment[c] += F * (arm[(c + 1) % 3] * e[(c + 2) % 3] - arm[(c + 2) % 3] * e[(c + 1) % 3]);
      }
    }
    for (int c = 0; c < 3; c++) {
      watch(&worst, "force", row[0], 20 * slope(&trajectory, i, v + c, h), force[c], 1e-6);
      watch(&worst, "moment", row[0], slope(&trajectory, i, H + c, h), moment[c], 1e-6);
    }
  }
  forget(&trajectory);
  tell(&worst);
}

/* The hand is on its circle, and the motors' power is the change of energy. */
static void test_robot_arm(void** state) {
  (void)state;
  Worst worst = {.name = "robot-arm"};
  double h = 0.002, m = 2, l = 0.5, g = 9.81;
  Trajectory trajectory = follow_example("robot-arm", NAN, h, 1e-12);
  int32_t hand = column_of(&trajectory, "hand.x"), moment = column_of(&trajectory, "moment[1]");
  int32_t height = column_of(&trajectory, "height");
  double x0 = row_of(&trajectory, 0)[hand], y0 = row_of(&trajectory, 0)[hand + 1];
  double* energy = calloc((size_t)trajectory.rows, sizeof(double));
  assert_non_null(energy);
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    watch(&worst, "x", row[0], row[hand], x0 + 0.2 * (cos(row[0]) - 1), 1e-12);
    watch(&worst, "y", row[0], row[hand + 1], y0 + 0.2 * sin(row[0]), 1e-12);
    /* links as two end points: 1/2 m v^2 + 1/2 J w^2 = m/6 (u^2 + u v + v^2) */
    double angle = 0, turn = 0, x = 0, y = 0;
    energy[i] = m * g * row[height];
    for (int k = 0; k < 3; k++) {
      angle += row[1 + k];
      turn += row[4 + k];
      double nx = x - l * sin(angle) * turn, ny = y + l * cos(angle) * turn; /* velocity of the next joint */
      energy[i] += m / 6 * (x * x + x * nx + nx * nx + y * y + y * ny + ny * ny);
      x = nx;
      y = ny;
    }
  }
  for (int32_t i = 3; i + 3 < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    double rate =
        (45 * (energy[i + 1] - energy[i - 1]) - 9 * (energy[i + 2] - energy[i - 2]) + energy[i + 3] - energy[i - 3]) /
        (60 * h);
    watch(&worst, "power", row[0], dot3(row + moment, row + 4), rate, 1e-7 * (1 + fabs(rate)));
  }
  free(energy);
  forget(&trajectory);
  tell(&worst);
}

/* Nothing is lost, and what was symmetric stays so. At the start the net is flat and unstretched: a corner then carries its
 * own mass only. */
static void test_net(void** state) {
  (void)state;
  Trajectory trajectory = follow_example("net", NAN, NAN, 1e-11);
  const ZwReport* report = zw_run_report(trajectory.run);
  print_message("net                  energy %.1e\n", report->energy_drift);
  assert_true(report->is_conservative && report->energy_drift < 1e-9);
  Worst worst = {.name = "net"};
  int32_t a = column_of(&trajectory, "r[1,1].x"), b = column_of(&trajectory, "r[5,1].x"),
          c = column_of(&trajectory, "middle.x");
  for (int32_t i = 0; i < trajectory.rows; i++) {
    const double* row = row_of(&trajectory, i);
    watch(&worst, "x", row[0], row[a] + row[b], 0.6, 1e-8);
    watch(&worst, "z", row[0], row[a + 2], row[b + 2], 1e-8);
    watch(&worst, "the middle", row[0], row[c], 0.3, 1e-8);
  }
  assert_near(row_of(&trajectory, 0)[column_of(&trajectory, "hold.z")], 0.01 * 9.81, 1e-12);
  forget(&trajectory);
  tell(&worst);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rolling_coin), cmocka_unit_test(test_cyclotron), cmocka_unit_test(test_torus),
      cmocka_unit_test(test_foucault),     cmocka_unit_test(test_linkages),  cmocka_unit_test(test_stewart),
      cmocka_unit_test(test_robot_arm),    cmocka_unit_test(test_net),       cmocka_unit_test(test_table),
      cmocka_unit_test(test_door),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
