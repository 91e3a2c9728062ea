/* The worked examples of the papers in numbers: M, h, A and b as the papers have them go to every formulation, and what
 * comes back, intermediate results included, is compared with the published formulas, typed here by hand. test_papers.c
 * looks at the same examples from further away, as models. */
#include <string.h>

#include "least/frame.h"
#include "least/solved.h"

enum { STATES = 100 };

/* Relative to the largest of what is compared, or of what it is the sum of. */
static const double tol = 1e-12;

static double between(Random* random, double low, double high) {
  return low + (high - low) * (0.5 + 0.5 * random_number(random));
}

/* Between 0.1 and 2, of either sign. */
static double not_small(Random* random) {
  double x = between(random, 0.1, 2);
  return random_next(random) % 2 ? x : -x;
}

static double worst_seen;

static void assert_all_near(const char* what, int32_t count, const double* got, const double* want, double size) {
  double scale = fmax(largest(count, want), size);
  for (int32_t i = 0; i < count; i++) {
    double off = fabs(got[i] - want[i]);
    if (!(off <= tol * scale)) fail_msg("%s[%d] = %.17g, published %.17g", what, (int)i, got[i], want[i]);
    if (scale > 0) worst_seen = fmax(worst_seen, off / scale);
  }
}

/* a and Qc by every formulation and every choice; `free` is the size of the free acceleration. */
static void check_all(const ZwPaperProblem* problem, const double* a, const double* Qc, double free) {
  for (int f = FORMULATION_FIRST; f <= FORMULATION_LAST; f++) {
    ZwFormulation formulation = (ZwFormulation)f;
    for (int i = 0; i < choices_of(formulation); i++) {
      Solved solved = solve_by(formulation, choice_seeds[i], problem);
      if (solved.status) fail_msg("%s: %s", zw_formulation_name(formulation), solved.result.reason);
      double mass = largest(problem->n * problem->n, problem->M);
      assert_all_near(zw_formulation_name(formulation), problem->n, solved.result.a, a, free);
      assert_all_near(zw_formulation_name(formulation), problem->n, solved.result.Qc, Qc, mass * free);
      forget_solved(&solved);
    }
  }
}

/* An inverse that a paper gives, of the p x q matrix X of rank r. */
static void check_inverse(const char* what, int32_t p, int32_t q, int32_t r, const double* X, const double* want) {
  ZwPaper* paper = new_paper(4, 4);
  const double* got = zw_inverse_moore_penrose(paper, p, q, r, X);
  assert_non_null(got);
  assert_all_near(what, p * q, got, want, 0);
  free(paper);
}

static void report(const char* name) {
  print_message("%-52s off by %.2g at most\n", name, worst_seen);
  worst_seen = 0;
}

/* ---- 1. UK98 28-33 ---- */

/* The Gibbs-Appell equations of a particle on one row (A_p, A_j, A_k), coordinate p eliminated:
 * delta_ij + A_i A_j / A_p^2 on the left, F_i - F_p A_i/A_p + b A_i/A_p^2 on the right. Written out in UK98 33 and U96 40
 * for p = x. `left` is in the order y, z. */
typedef struct Published {
  double R[2], left[2][2], P[2], right[2];
} Published;

static void check_gibbs_appell(const ZwPaperProblem* problem, const Published* want, double mass) {
  Solved solved = solve_by(ZW_FORMULATION_GIBBS_APPELL, 0, problem);
  assert_int_equal(solved.status, ZW_OK);
  const ZwGibbsAppell* g = &solved.result.gibbs_appell;
  assert_int_equal(g->f, 2);
  assert_int_equal(g->order[0], 0);
  for (int i = 0; i < 2; i++) {
    int32_t row = g->order[1 + i] - 1;
    double right = 0;
    assert_all_near("R", 1, &g->R[i], &want->R[row], 0);
    assert_all_near("P", 1, &g->P[i], &want->P[row], largest(2, want->P));
    for (int j = 0; j < 2; j++) {
      int32_t column = g->order[1 + j] - 1;
      double left = mass * want->left[row][column];
      assert_all_near("K", 1, &g->K[2 * i + j], &left, 0);
      right += g->K[2 * i + j] * solved.result.a[g->order[1 + j]];
    }
    assert_all_near("right side", 1, &right, &want->right[row], largest(2, want->right));
  }
  double S = 0;
  for (int i = 0; i < 3; i++) S += 0.5 * mass * solved.result.a[i] * solved.result.a[i];
  assert_all_near("S", 1, &g->S, &S, 0);
  forget_solved(&solved);
}

static void test_uk98(void** state) {
  (void)state;
  Random random = random_from(1);
  for (int i = 0; i < STATES; i++) {
    double vx = not_small(&random), vy = not_small(&random), vz = not_small(&random), g = 9.81;
    if (i % 2) vx = copysign(between(&random, 2.1, 4), vx); /* then it is x that is eliminated, as in the paper */
    double s = 3 * random_number(&random);                  /* alpha (hx x' + hy y' + hz z' + ht) */
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, h[3] = {0, 0, -g}, A[3] = {vx, vy, -vz}, b[1] = {s};
    ZwPaperProblem problem = {.n = 3, .m = 1, .M = M, .h = h, .A = A, .b = b};
    /* 32 */
    double vv = vx * vx + vy * vy + vz * vz, part = (s - vz * g) / vv;
    check_all(&problem, (double[]){part * vx, part * vy, -g - part * vz}, (double[]){part * vx, part * vy, -part * vz},
              g);
    check_inverse("A^+", 1, 3, 1, A, (double[]){vx / vv, vy / vv, -vz / vv});
    /* 33 */
    double xx = vx * vx;
    Published want = {{vy / vx, -vz / vx},
                      {{1 + vy * vy / xx, -vy * vz / xx}, {-vy * vz / xx, 1 + vz * vz / xx}},
                      {0, -g},
                      {s * vy / xx, -g - s * vz / xx}};
    if (i % 2) check_gibbs_appell(&problem, &want, 1);
  }
  report("UK98 28-33, sheet of velocities");
}

/* ---- 2. BG99 35-45 ---- */

static void check_pendulum(double m, double x1, double x2, double v1, double v2) {
  double g = 9.81, vv = v1 * v1 + v2 * v2, ll = x1 * x1 + x2 * x2;
  const double M[4] = {m, 0, 0, m}, h[2] = {0, -m * g}, A[2] = {x1, x2}, b[1] = {-vv}; /* 37 */
  ZwPaperProblem problem = {.n = 2, .m = 1, .M = M, .h = h, .A = A, .b = b};
  /* 45 */
  double a[2] = {(g * x1 * x2 - x1 * vv) / ll, (-g * x1 * x1 - x2 * vv) / ll};
  check_all(&problem, a, (double[]){m * a[0], m * (a[1] + g)}, g);
  Solved solved = solve_by(ZW_FORMULATION_BELLMAN, 0, &problem);
  assert_int_equal(solved.status, ZW_OK);
  const ZwBellman* bellman = &solved.result.bellman;
  /* 41, 42 for the column that comes first: the longer one, which is the paper's x1 half of the time */
  bool is_swapped = fabs(x1) < fabs(x2);
  assert_int_equal(bellman->order[0], is_swapped);
  double first = is_swapped ? x2 : x1, second = is_swapped ? x1 : x2;
  double R_1 = m / (first * first), beta_2 = sqrt(m) * second / (first * first);
  assert_all_near("R_1", 1, bellman->R_r, &R_1, 0);
  assert_all_near("beta_2", 1, bellman->beta, &beta_2, 0);
  /* 43, 44: y = M^(1/2) (a - a0), by the recursion from its stored betas */
  double d = -vv + g * x2, c2 = second / sqrt(m); /* 39 */
  double y2 = bellman->beta[0] / (1 + c2 * bellman->beta[0]) * d, y1 = sqrt(m) / first * (d - c2 * y2);
  double want_y2 = sqrt(m) * second / ll * (g * x2 - vv), want_y1 = sqrt(m) * first / ll * (g * x2 - vv);
  assert_all_near("y2", 1, &y2, &want_y2, 0);
  assert_all_near("y1", 1, &y1, &want_y1, fabs(want_y2));
  /* d^T R_2 d = |y|^2 = 2 G */
  double cost = want_y1 * want_y1 + want_y2 * want_y2, twice = 2 * solved.result.gaussian;
  assert_all_near("cost", 1, &bellman->cost, &cost, 0);
  assert_all_near("2 G", 1, &twice, &cost, 0);
  forget_solved(&solved);
}

static void test_bg99(void** state) {
  (void)state;
  Random random = random_from(2);
  for (int i = 0; i < STATES; i++) {
    check_pendulum(between(&random, 0.1, 5), not_small(&random), not_small(&random), random_number(&random),
                   random_number(&random));
  }
  /* where the paper's first column vanishes: hanging, at rest and not, and upside down */
  check_pendulum(1.7, 0, -1, 1.3, 0);
  check_pendulum(1.7, 0, -1, 0, 0);
  check_pendulum(1.7, 0, 0.3, -2, 0);
  check_pendulum(1.7, 1e-9, -1, 1.3, 0);
  check_pendulum(1.7, 1, 0, 0, 1.3);
  report("BG99 35-45, pendulum");
}

/* ---- 3. KU93 36-38 ---- */

static void test_ku93_free(void** state) {
  (void)state;
  Random random = random_from(3);
  for (int i = 0; i < STATES; i++) {
    double z = 2 * random_number(&random), vx = random_number(&random), vz = random_number(&random), w = 1 + z * z;
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, h[3] = {0}, A[3] = {-z, 1, 0}, b[1] = {vz * vx};
    ZwPaperProblem problem = {.n = 3, .m = 1, .M = M, .h = h, .A = A, .b = b};
    double push = vz * vx / w, a[3] = {-z * push, push, 0}; /* 38 */
    check_all(&problem, a, a, 0);
    check_inverse("D^+", 1, 3, 1, A, (double[]){-z / w, 1 / w, 0});
    /* 37: (1 - D^- D)^+ */
    const double free[9] = {1 - z * z / w, z / w, 0, z / w, 1 - 1 / w, 0, 0, 0, 1};
    check_inverse("(1 - D- D)^+", 3, 3, 2, free, (double[]){1 / w, z / w, 0, z / w, z * z / w, 0, 0, 0, 1});
  }
  report("KU93 36-38, y' = z x'");
}

/* ---- 4. KU93 39-42 ---- */

static void test_ku93_plane(void** state) {
  (void)state;
  Random random = random_from(4);
  for (int i = 0; i < STATES; i++) {
    double t = 3 * random_number(&random), m = between(&random, 0.1, 5), X = random_number(&random),
           Y = random_number(&random), vy = random_number(&random), alpha_rate = random_number(&random), w = 1 + t * t;
    const double M[4] = {m, 0, 0, m}, h[2] = {X, Y}, A[2] = {1, -t}, b[1] = {vy + alpha_rate};
    ZwPaperProblem problem = {.n = 2, .m = 1, .M = M, .h = h, .A = A, .b = b};
    double push = m * (vy + alpha_rate) / w;
    /* 41, 42 (with f - Q = -(X, Y), as in 33) */
    double a[2] = {((t * t * X + t * Y) / w + push) / m, ((t * X + Y) / w - t * push) / m};
    double Qc[2] = {-(X - t * Y) / w + push, -(-t * X + t * t * Y) / w - t * push};
    check_all(&problem, a, Qc, hypot(X, Y) / m);
    /* 40: the inverse of H = M^(1/2) (1 - D^+ D) */
    double s = sqrt(m), H[4] = {s * (1 - 1 / w), s * t / w, s * t / w, s * (1 - t * t / w)};
    check_inverse("H^+", 2, 2, 1, H, (double[]){t * t / w / s, t / w / s, t / w / s, 1 / w / s});
    /* 35: lambda = (D D^T)^-1 D Q' */
    double lambda = (Qc[0] - t * Qc[1]) / w;
    const ZwFormulation with_lambda[] = {ZW_FORMULATION_QUADRATIC, ZW_FORMULATION_LAGRANGE, ZW_FORMULATION_INVERSE1};
    for (int k = 0; k < 3; k++) {
      Solved solved = solve_by(with_lambda[k], 0, &problem);
      assert_true(solved.result.has_lambda);
      assert_all_near("lambda", 1, solved.result.lambda, &lambda, hypot(X, Y));
      forget_solved(&solved);
    }
  }
  report("KU93 39-42, x' - t y' = alpha(t)");
}

/* ---- 5. L96 section 2 and 5.4 ---- */

/* G_L restricted to the constraint, at rates alpha of nu */
static double restricted_gibbs(double m, double y, const double* nu, const double* alpha) {
  double w = 1 + y * y, product = nu[0] * nu[1];
  return 0.5 * m *
         (alpha[1] * alpha[1] / w + product * product / (w * w) - 2 * y / (w * w) * product * alpha[1] +
          alpha[0] * alpha[0]);
}

static void check_quasi(double m, double y, const double* nu, const double* F, Random* random) {
  double w = 1 + y * y, product = nu[0] * nu[1];
  const double v[3] = {nu[1] / w, nu[0], y * nu[1] / w}; /* 2.2 */
  const double M[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, A[3] = {-y, 0, 1}, b[1] = {v[1] * v[0]};
  const double C[6] = {0, 1, 0, 1, 0, y}, c[2] = {0, -v[1] * v[2]}; /* nu2' = x'' + y z'' + y' z' */
  ZwFrame* frame = zw_frame_place(malloc(zw_frame_work_size(3)), 3);
  assert_int_equal(zw_frame_factor(frame, 3, 2, C, A), ZW_OK);
  /* B, and with it K = B^T M B = diag(m, m/w) and the forces */
  const double B[6] = {0, 1 / w, 1, 0, 0, y / w};
  double got_B[6], K[4] = {0}, force[2] = {0};
  for (int i = 0; i < 6; i++) got_B[i] = frame->X[i / 2 * 3 + i % 2];
  assert_all_near("B", 6, got_B, B, 1);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) K[j] += got_B[2 * i + j / 2] * m * got_B[2 * i + j % 2];
    for (int j = 0; j < 2; j++) force[j] += got_B[2 * i + j] * F[i];
  }
  assert_all_near("K", 4, K, (double[]){m, 0, 0, m / w}, 0);
  assert_all_near("B^T F", 2, force, (double[]){F[1], (F[0] + y * F[2]) / w}, 1);
  /* velocities from nu and back */
  double got_v[3], nothing[1] = {0};
  zw_frame_velocity(frame, nu, nothing, got_v);
  assert_all_near("v", 3, got_v, v, 1);
  /* 2.4, 2.5, and the accelerations 2.3 */
  double rate[2] = {F[1] / m, (F[0] + y * F[2]) / m + y * product / w}, got_rate[2], got_a[3];
  double a[3] = {rate[1] / w - 2 * y / (w * w) * product, rate[0],
                 y * rate[1] / w + product / w - 2 * y * y / (w * w) * product};
  assert_int_equal(zw_frame_solve(frame, M, F, c, b, got_rate, got_a), ZW_OK);
  assert_all_near("nu'", 2, got_rate, rate, 1);
  assert_all_near("a", 3, got_a, a, 1);
  /* the restricted Gibbs function at any rates: 1/2 m |a|^2 at a = B alpha + X [c; b] */
  for (int k = 0; k < 5; k++) {
    double alpha[2] = {2 * random_number(random), 2 * random_number(random)},
           free[2] = {alpha[0] + c[0], alpha[1] + c[1]};
    double any[3], G = 0, want = restricted_gibbs(m, y, nu, alpha);
    zw_frame_velocity(frame, free, b, any);
    for (int i = 0; i < 3; i++) G += 0.5 * m * any[i] * any[i];
    assert_all_near("G restricted", 1, &G, &want, m);
  }
  free(frame);
  /* 2.6-2.8 */
  ZwPaperProblem problem = {.n = 3, .m = 1, .M = M, .h = F, .A = A, .b = b};
  double lambda = m * a[2] - F[2];
  check_all(&problem, a, (double[]){-lambda * y, 0, lambda}, 1 + largest(3, F) / m);
  Solved solved = solve_by(ZW_FORMULATION_LAGRANGE, 0, &problem);
  assert_all_near("lambda", 1, solved.result.lambda, &lambda, m);
  forget_solved(&solved);
}

static void test_l96(void** state) {
  (void)state;
  Random random = random_from(5);
  for (int i = 0; i < STATES; i++) {
    double m = between(&random, 0.1, 5), y = 2 * random_number(&random), nu[2], F[3];
    random_fill(&random, 2, nu);
    random_fill(&random, 3, F);
    check_quasi(m, y, nu, F, &random);
  }
  report("L96 2 and 5.4, z' = y x' in quasi-velocities");
}

/* ---- 6. U96 32-43 ---- */

static void check_twice(double m, double vx, double vy, double vz, const double* F) {
  double vv = vx * vx + vy * vy + vz * vz, load = (-F[0] * vx - F[1] * vy + F[2] * vz) / vv;
  const double M[9] = {m, 0, 0, 0, m, 0, 0, 0, m}, h[3] = {m * F[0], m * F[1], m * F[2]};
  const double A[6] = {vx, vy, -vz, 2 * vx, 2 * vy, -2 * vz}, b[2] = {0};
  ZwPaperProblem problem = {.n = 3, .m = 2, .M = M, .h = h, .A = A, .b = b};
  /* 36, 43 */
  double a[3] = {F[0] + load * vx, F[1] + load * vy, F[2] - load * vz};
  check_all(&problem, a, (double[]){m * load * vx, m * load * vy, -m * load * vz}, largest(3, F));
  /* 35 */
  double inverse[6] = {vx, 2 * vx, vy, 2 * vy, -vz, -2 * vz};
  for (int i = 0; i < 6; i++) inverse[i] /= 5 * vv;
  check_inverse("A^+", 2, 3, 1, A, inverse);
  /* 38-40, dots on y z restored */
  double xx = vx * vx;
  Published want = {{vy / vx, -vz / vx},
                    {{1 + vy * vy / xx, -vy * vz / xx}, {-vy * vz / xx, 1 + vz * vz / xx}},
                    {m * (F[1] - F[0] * vy / vx), m * (F[2] + F[0] * vz / vx)},
                    {m * (F[1] - F[0] * vy / vx), m * (F[2] + F[0] * vz / vx)}};
  if (fabs(vx) > 2) check_gibbs_appell(&problem, &want, m);
  /* 42: the smallest multipliers, and the projection on what may be added, [4 -2; -2 1]/5 */
  Solved solved = solve_by(ZW_FORMULATION_LAGRANGE, 0, &problem);
  assert_int_equal(solved.status, ZW_OK);
  assert_int_equal(solved.result.rank, 1);
  assert_all_near("lambda", 2, solved.result.lambda, (double[]){m * load / 5, 2 * m * load / 5},
                  m * largest(3, F) / sqrt(vv));
  assert_int_equal(solved.result.lagrange.dim, 1);
  const double* W = solved.result.lagrange.W;
  double ww = W[0] * W[0] + W[1] * W[1];
  assert_all_near("projection", 4, (double[]){W[0] * W[0] / ww, W[0] * W[1] / ww, W[1] * W[0] / ww, W[1] * W[1] / ww},
                  (double[]){0.8, -0.4, -0.4, 0.2}, 0);
  forget_solved(&solved);
}

static void test_u96(void** state) {
  (void)state;
  Random random = random_from(6);
  for (int i = 0; i < STATES; i++) {
    double vx = not_small(&random), vy = not_small(&random), F[3];
    if (i % 2) {
      vx = copysign(between(&random, 2.5, 4), vx);
      vy /= 2;
    }
    random_fill(&random, 3, F);
    /* on the cone; z' is the longest column there, so half of the time off it, where x' is */
    double vz = i % 2 ? not_small(&random) : sqrt(vx * vx + vy * vy);
    check_twice(i % 4 < 2 ? 1 : between(&random, 0.1, 5), vx, vy, vz, F);
  }
  report("U96 32-43, the cone of velocities twice");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_uk98),       cmocka_unit_test(test_bg99), cmocka_unit_test(test_ku93_free),
      cmocka_unit_test(test_ku93_plane), cmocka_unit_test(test_l96),  cmocka_unit_test(test_u96),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
