#include "../numbers.h"

#include <float.h>
#include <lapacke.h>

#include "least/least.h"
#include "least/qr.h"

enum { N = 24 };

/* One problem with room for its answer. */
typedef struct Case {
  int32_t n, m;
  double M[N * N], h[N], A[N * N], b[N];
  double a[N], lambda[N], Qc[N];
  ZwLeastResult result;
} Case;

/* Exactly as much memory as was asked for, so that a sanitizer sees one number too many. */
static ZwLeast* new_least(int32_t n, int32_t m) {
  return zw_least_place(malloc(zw_least_work_size(n, m)), n, m);
}

static ZwStatus solve(Case* c) {
  ZwLeast* least = new_least(c->n, c->m);
  ZwLeastProblem problem = {.n = c->n, .m = c->m, .M = c->M, .h = c->h, .A = c->A, .b = c->b};
  c->result = (ZwLeastResult){.a = c->a, .lambda = c->lambda, .Qc = c->Qc};
  ZwStatus status = zw_least_minimise(least, &problem, &c->result);
  free(least);
  return status;
}

/* A, and h and b for chosen a and lambda, in extended precision: the answer is known. */
static void plant(Random* random, Case* c, double* a, double* lambda) {
  int32_t n = c->n, m = c->m;
  random_fill(random, m * n, c->A);
  random_fill(random, n, a);
  random_fill(random, m, lambda);
  for (int32_t i = 0; i < n; i++) {
    long double sum = 0;
    for (int32_t j = 0; j < n; j++) sum += (long double)c->M[i * n + j] * a[j];
    for (int32_t k = 0; k < m; k++) sum -= (long double)c->A[k * n + i] * lambda[k];
    c->h[i] = (double)sum;
  }
  for (int32_t k = 0; k < m; k++) {
    long double sum = 0;
    for (int32_t j = 0; j < n; j++) sum += (long double)c->A[k * n + j] * a[j];
    c->b[k] = (double)sum;
  }
}

/* |M a - h - A^T lambda|, |A a - b| and Qc = A^T lambda */
static void check_equations(const Case* c, double tol) {
  int32_t n = c->n, m = c->m;
  for (int32_t i = 0; i < n; i++) {
    double force = 0, left = -c->h[i];
    for (int32_t k = 0; k < m; k++) force += c->A[k * n + i] * c->lambda[k];
    for (int32_t j = 0; j < n; j++) left += c->M[i * n + j] * c->a[j];
    assert_near(c->Qc[i], force, tol);
    assert_near(left, force, tol);
  }
  for (int32_t k = 0; k < m; k++) {
    double sum = 0;
    for (int32_t j = 0; j < n; j++) sum += c->A[k * n + j] * c->a[j];
    assert_near(sum, c->b[k], tol);
  }
}

static double condition(int32_t m, int32_t n, const double* A) {
  double copy[N * N], sigma[N], unused[N];
  if (m == 0) return 1;
  for (int32_t i = 0; i < m * n; i++) copy[i] = A[i];
  assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m, n, copy, n, sigma, unused, 1, unused, 1, unused + 1),
                   0);
  return sigma[0] / sigma[m - 1];
}

static void agrees_with_lapack_on_the_whole_system(void** state) {
  (void)state;
  Random random = random_from(1);
  for (int round = 0; round < 300; round++) {
    Case c = {.n = random_int(&random, 1, 12)};
    c.m = random_int(&random, 0, c.n);
    random_definite(&random, c.n, 10, c.M);
    random_fill(&random, c.m * c.n, c.A);
    random_fill(&random, c.n, c.h);
    random_fill(&random, c.m, c.b);
    assert_int_equal(solve(&c), ZW_OK);
    assert_true(c.result.is_minimum);
    /* [M -A^T; A 0] [a; lambda] = [h; b] */
    int32_t size = c.n + c.m;
    double K[4 * N * N] = {0}, x[2 * N];
    lapack_int pivots[2 * N];
    for (int32_t i = 0; i < c.n; i++) {
      x[i] = c.h[i];
      for (int32_t j = 0; j < c.n; j++) K[i * size + j] = c.M[i * c.n + j];
    }
    for (int32_t k = 0; k < c.m; k++) {
      x[c.n + k] = c.b[k];
      for (int32_t j = 0; j < c.n; j++) {
        K[(c.n + k) * size + j] = c.A[k * c.n + j];
        K[j * size + c.n + k] = -c.A[k * c.n + j];
      }
    }
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, size, 1, K, size, pivots, x, 1), 0);
    double cond = condition(c.m, c.n, c.A), scale = DBL_EPSILON * 100 * c.n * 10 * cond * cond;
    for (int32_t i = 0; i < c.n; i++) assert_near(c.a[i], x[i], scale * (1 + largest(size, x)));
    for (int32_t k = 0; k < c.m; k++) assert_near(c.lambda[k], x[c.n + k], scale * (1 + largest(size, x)));
    check_equations(&c, 1e-13 * cond * (1 + largest(size, x)));
  }
}

/* With kM = cond(M) and kA = cond(A), the error of a stays below 20 n eps kM kA, that of lambda below 20 n eps kM kA^2
 * (in units of the largest of a, lambda). Residuals stay below 20 n eps kA sqrt(kM), for L has the root of the condition
 * of M; after refinement they do not know kM at all. */
static void errors_grow_with_the_condition_only(void** state) {
  (void)state;
  Random random = random_from(2);
  for (int round = 0; round < 400; round++) {
    Case c = {.n = random_int(&random, 1, 20)};
    c.m = random_int(&random, 0, c.n);
    double a[N], lambda[N], kM = pow(10, 4 + 4 * random_number(&random));
    random_definite(&random, c.n, kM, c.M);
    plant(&random, &c, a, lambda);
    double kA = condition(c.m, c.n, c.A);
    if (kA > 1e4) continue;
    assert_int_equal(solve(&c), ZW_OK);
    double unit = 20 * c.n * DBL_EPSILON;
    for (int32_t i = 0; i < c.n; i++) assert_near(c.a[i], a[i], unit * kM * kA);
    for (int32_t k = 0; k < c.m; k++) assert_near(c.lambda[k], lambda[k], unit * kM * kA * kA);
    double without = c.result.is_refined ? 1 : sqrt(kM);
    check_equations(&c, unit * kA * without * (1 + largest(c.n, c.a) + largest(c.m, c.lambda)));
  }
}

static void gaussian_is_least(void** state) {
  (void)state;
  /* unit masses pulled by (1, 2, 2), held to a_1 = 4: away by 3, so 9/2 */
  Case c = {.n = 3, .m = 1, .M = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .h = {1, 2, 2}, .A = {1, 0, 0}, .b = {4}};
  assert_int_equal(solve(&c), ZW_OK);
  assert_near(c.result.gaussian, 4.5, 1e-14);
  assert_near(c.lambda[0], 3, 1e-14);
  assert_near(c.result.pivot_ratio, 1, 1e-15);
  assert_false(c.result.is_refined);
}

/* UK98 28-33: unit mass under gravity, x'^2 + y'^2 - z'^2 = 2 alpha h. */
static void paper_nonholonomic_particle(void** state) {
  (void)state;
  const double v[3] = {0.7, -1.1, 0.4}, g = 9.81, s = 0.37;
  Case c = {.n = 3, .m = 1, .M = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .h = {0, 0, -g}, .A = {v[0], v[1], -v[2]}, .b = {s}};
  assert_int_equal(solve(&c), ZW_OK);
  double part = (s - v[2] * g) / (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  assert_near(c.a[0], part * v[0], 1e-14);
  assert_near(c.a[1], part * v[1], 1e-14);
  assert_near(c.a[2], -g - part * v[2], 1e-14);
  assert_near(c.lambda[0], part, 1e-14);
}

/* BG99 35-45: the pendulum in Cartesian coordinates, also where x1 = 0. */
static void paper_pendulum(void** state) {
  (void)state;
  const double x[3][2] = {{0.6, -0.8}, {0, -1}, {1, 0}}, mass = 2.5, g = 9.81;
  for (int i = 0; i < 3; i++) {
    double x1 = x[i][0], x2 = x[i][1], v2 = 1.3;
    Case c = {.n = 2, .m = 1, .M = {mass, 0, 0, mass}, .h = {0, -mass * g}, .A = {x1, x2}, .b = {-v2}};
    assert_int_equal(solve(&c), ZW_OK);
    assert_near(c.a[0], g * x1 * x2 - x1 * v2, 1e-14);
    assert_near(c.a[1], -g * x1 * x1 - x2 * v2, 1e-14);
  }
}

/* KU93 36-38: y' = z x'. */
static void paper_free_particle(void** state) {
  (void)state;
  const double z = 0.8, product = 1.7; /* z' x' */
  Case c = {.n = 3, .m = 1, .M = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .A = {-z, 1, 0}, .b = {product}};
  assert_int_equal(solve(&c), ZW_OK);
  assert_near(c.a[0], -z * product / (1 + z * z), 1e-15);
  assert_near(c.a[1], product / (1 + z * z), 1e-15);
  assert_near(c.a[2], 0, 0);
}

/* Two masses on a rope over a massless pulley wheel s that both follow: x = s, y = -s. */
static void massless_coordinate_follows_its_constraints(void** state) {
  (void)state;
  Case c = {.n = 3, .m = 2, .M = {3, 0, 0, 0, 1, 0, 0, 0, 0}, .h = {3 * 9.81, 9.81, 0}, .A = {1, 0, -1, 0, 1, 1}};
  assert_int_equal(solve(&c), ZW_OK);
  assert_true(c.result.is_minimum);
  assert_true(isnan(c.result.gaussian));
  assert_near(c.a[0], 9.81 / 2, 1e-14);
  assert_near(c.a[1], -9.81 / 2, 1e-14);
  assert_near(c.a[2], 9.81 / 2, 1e-14);
  assert_near(c.lambda[0], -3 * 9.81 / 2, 1e-13);
  check_equations(&c, 1e-13);
}

static void semidefinite_problems_have_their_planted_answer(void** state) {
  (void)state;
  Random random = random_from(3);
  for (int round = 0; round < 300; round++) {
    Case c = {.n = random_int(&random, 1, 12)};
    c.m = random_int(&random, 0, c.n);
    /* at most m directions without inertia */
    double eigenvalues[N], a[N], lambda[N];
    int32_t without = random_int(&random, 0, c.m);
    for (int32_t i = 0; i < c.n; i++) eigenvalues[i] = i < without ? 0 : 1 + 0.5 * random_number(&random);
    random_symmetric(&random, c.n, eigenvalues, c.M);
    plant(&random, &c, a, lambda);
    double kA = condition(c.m, c.n, c.A);
    if (kA > 100) continue;
    assert_int_equal(solve(&c), ZW_OK);
    assert_true(c.result.is_minimum);
    check_equations(&c, 1e-12 * kA * (1 + largest(c.n, c.a) + largest(c.m, c.lambda)));
    for (int32_t i = 0; i < c.n; i++) assert_near(c.a[i], a[i], 1e-6);
  }
}

/* The same mechanism in metres or in microns: masses and rows of the massless point differ by 1e12. */
static void units_do_not_decide_what_is_massless(void** state) {
  (void)state;
  const double unit[3] = {1e-6, 1, 1e6};
  Case c = {.n = 3, .m = 2, .h = {0, 2, 0}};
  const double M[9] = {2, 1, 0, 1, 3, 0, 0, 0, 0}, A[6] = {1, 1, 1, 1, -1, 2}, b[2] = {1, 2};
  for (int i = 0; i < 9; i++) c.M[i] = unit[i / 3] * M[i] * unit[i % 3];
  for (int i = 0; i < 6; i++) c.A[i] = A[i] * unit[i % 3];
  for (int i = 0; i < 2; i++) c.b[i] = b[i];
  Case plain = {.n = 3, .m = 2, .h = {0, 2, 0}, .b = {1, 2}};
  for (int i = 0; i < 9; i++) plain.M[i] = M[i];
  for (int i = 0; i < 6; i++) plain.A[i] = A[i];
  assert_int_equal(solve(&plain), ZW_OK);
  check_equations(&plain, 1e-14);
  assert_int_equal(solve(&c), ZW_OK);
  for (int i = 0; i < 3; i++) assert_near(c.a[i] * unit[i], plain.a[i], 1e-13);
  for (int i = 0; i < 2; i++) assert_near(c.lambda[i], plain.lambda[i], 1e-13);
}

/* Given units, rows have lengths where M is singular, and these do not follow the present entries of the rows. */
static void units_of_the_massless_are_a_metric_of_rows(void** state) {
  (void)state;
  const double M[4] = {4, 0, 0, 0}, unit[2] = {0, 1024}, h[2] = {8, 0}, b[1] = {0};
  ZwLeast* least = new_least(2, 1);
  for (int k = 0; k < 3; k++) {
    const double A[2] = {k == 0 ? 0 : k == 1 ? 1e-9 : 2, 1.0 / 1024};
    double X[2] = {A[0], A[1]}, a[2], lambda[1];
    ZwLeastResult result = {.a = a, .lambda = lambda};
    assert_int_equal(zw_least_factor(least, 1, M, A), ZW_OK);
    zw_least_rows_to_metric(least, 1, X);
    assert_true(X[0] == A[0] && X[1] == A[1]); /* no units are known, and no metric */
    zw_least_set_massless(least, unit);
    assert_int_equal(zw_least_factor(least, 1, M, A), ZW_OK);
    zw_least_rows_to_metric(least, 1, X);
    assert_near(X[0], A[0], 1e-15); /* a power of two near to 1/2 */
    assert_near(X[1], 1, 1e-15);
    assert_near(fabs(zw_qr_diagonal(zw_least_triangle(least), 0)), hypot(A[0], 1), 1e-12);
    assert_int_equal(zw_least_answer(least, h, b, &result), ZW_OK);
    assert_near(a[0], 2, 1e-12);
    assert_near(a[1], -2048 * A[0], 1e-9);
    zw_least_set_massless(least, NULL);
  }
  free(least);
}

static void undetermined_coordinates_are_named(void** state) {
  (void)state;
  /* coordinates 1 and 3 have no inertia; the only row ties them together: q1 = 2 q3 stays free */
  const double M[16] = {2, 0, 1, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0, 0}, A[4] = {0, 1, 0, -2};
  ZwLeast* least = new_least(4, 1);
  assert_int_equal(zw_least_factor(least, 1, M, A), ZW_ERR_UNDETERMINED);
  const double* z = zw_least_null_vector(least);
  assert_non_null(z);
  assert_near(z[0], 0, 0);
  assert_near(fabs(z[1]), 1, 0);
  assert_near(z[2], 0, 0);
  assert_near(z[3] / z[1], 0.5, 1e-15);
  assert_null(zw_least_metric(least));
  /* it cannot be solved, but projected: the shortest way for what has no inertia */
  double a[4], dx[4];
  const double h[4] = {0}, b[1] = {0}, r[1] = {5};
  ZwLeastResult result = {.a = a};
  assert_int_equal(zw_least_answer(least, h, b, &result), ZW_ERR_UNDETERMINED);
  assert_int_equal(zw_least_project(least, r, dx), ZW_OK);
  assert_near(dx[1] - 2 * dx[3], -5, 1e-14);
  assert_near(dx[0], 0, 1e-15);
  assert_near(dx[2], 0, 1e-15);
  assert_true(dx[1] < 0 && dx[3] > 0);
  free(least);
}

static void nothing_at_all_is_undetermined(void** state) {
  (void)state;
  const double M[4] = {0};
  ZwLeast* least = new_least(2, 0);
  assert_int_equal(zw_least_factor(least, 0, M, NULL), ZW_ERR_UNDETERMINED);
  assert_near(largest(2, zw_least_null_vector(least)), 1, 0);
  free(least);
}

static void planted_undetermined_directions_are_found(void** state) {
  (void)state;
  Random random = random_from(4);
  for (int round = 0; round < 200; round++) {
    int32_t n = random_int(&random, 2, 12), m = random_int(&random, 0, n - 1);
    double M[N * N], A[N * N];
    random_gram(&random, n, n - m - 1, M); /* one direction more without inertia than constraints */
    random_fill(&random, m * n, A);
    if (condition(m, n, A) > 100) continue;
    ZwLeast* least = new_least(n, m);
    assert_int_equal(zw_least_factor(least, m, M, A), ZW_ERR_UNDETERMINED);
    const double* z = zw_least_null_vector(least);
    for (int32_t i = 0; i < n + m; i++) {
      const double* row = i < n ? M + i * n : A + (i - n) * n;
      double sum = 0;
      for (int32_t j = 0; j < n; j++) sum += row[j] * z[j];
      assert_near(sum, 0, 1e-8);
    }
    free(least);
  }
}

/* Coordinates 0 and 1 move the masses almost alike: the small pivot of 1 blows the rounding in the pivot of 2 up to where
 * it looks like inertia. */
static void rounding_is_not_taken_for_inertia(void** state) {
  (void)state;
  Random random = random_from(7);
  for (int round = 0; round < 200; round++) {
    double B[6], M[9];
    random_fill(&random, 6, B);
    for (int k = 0; k < 2; k++) B[2 + k] = B[k] + 1e-4 * B[2 + k];
    for (int i = 0; i < 9; i++) M[i] = B[i / 3 * 2] * B[i % 3 * 2] + B[i / 3 * 2 + 1] * B[i % 3 * 2 + 1];
    ZwLeast* least = new_least(3, 0);
    assert_int_equal(zw_least_factor(least, 0, M, NULL), ZW_ERR_UNDETERMINED);
    free(least);
  }
}

static void indefinite_inertia_gives_the_stationary_point(void** state) {
  (void)state;
  /* free: M a = h, not a minimum */
  Case c = {.n = 2, .m = 0, .M = {0, 1, 1, 0}, .h = {3, 5}};
  assert_int_equal(solve(&c), ZW_OK);
  assert_false(c.result.is_minimum);
  assert_near(c.a[0], 5, 1e-15);
  assert_near(c.a[1], 3, 1e-15);
  /* held along the negative direction: a minimum of what is left */
  Case held = {.n = 2, .m = 1, .M = {1, 0, 0, -1}, .h = {3, 5}, .A = {0, 1}, .b = {2}};
  assert_int_equal(solve(&held), ZW_OK);
  assert_true(held.result.is_minimum);
  assert_near(held.a[0], 3, 1e-15);
  assert_near(held.a[1], 2, 1e-15);
  assert_near(held.lambda[0], -7, 1e-14);
  /* held along the other */
  Case other = {.n = 2, .m = 1, .M = {1, 0, 0, -1}, .h = {3, 5}, .A = {1, 0}, .b = {2}};
  assert_int_equal(solve(&other), ZW_OK);
  assert_false(other.result.is_minimum);
  assert_near(other.a[1], -5, 1e-15);
  /* regular M, but nothing where the constraint leaves it free */
  Case lost = {.n = 2, .m = 1, .M = {0, 1, 1, 0}, .h = {3, 5}, .A = {0, 1}, .b = {2}};
  assert_int_equal(solve(&lost), ZW_ERR_UNDETERMINED);
}

static void indefinite_problems_have_their_planted_answer(void** state) {
  (void)state;
  Random random = random_from(5);
  int stationary = 0;
  for (int round = 0; round < 300; round++) {
    Case c = {.n = random_int(&random, 1, 12)};
    c.m = random_int(&random, 0, c.n);
    double eigenvalues[N], a[N], lambda[N];
    for (int32_t i = 0; i < c.n; i++)
      eigenvalues[i] = (random_number(&random) < 0 ? -1 : 1) * (1.5 + random_number(&random));
    random_symmetric(&random, c.n, eigenvalues, c.M);
    plant(&random, &c, a, lambda);
    double kA = condition(c.m, c.n, c.A);
    if (kA > 100) continue;
    assert_int_equal(solve(&c), ZW_OK);
    check_equations(&c, 1e-12 * kA * (1 + largest(c.n, c.a) + largest(c.m, c.lambda)));
    for (int32_t i = 0; i < c.n; i++) assert_near(c.a[i], a[i], 1e-8);
    stationary += !c.result.is_minimum;
  }
  assert_true(stationary > 50);
}

/* dx satisfies A dx = -r, and M dx is a combination of the rows of A: no other such step is shorter. */
static void projection_is_the_shortest_step(void** state) {
  (void)state;
  Random random = random_from(6);
  for (int round = 0; round < 200; round++) {
    int32_t n = random_int(&random, 1, 12), m = random_int(&random, 0, n), without = random_int(&random, 0, m);
    double M[N * N], A[N * N], r[N], dx[N], other[N], eigenvalues[N];
    for (int32_t i = 0; i < n; i++) eigenvalues[i] = i < without ? 0 : 1.5 + random_number(&random);
    random_symmetric(&random, n, eigenvalues, M);
    random_fill(&random, m * n, A);
    random_fill(&random, m, r);
    if (condition(m, n, A) > 100) continue;
    ZwLeast* least = new_least(n, m);
    assert_int_equal(zw_least_factor(least, m, M, A), ZW_OK);
    assert_int_equal(zw_least_project(least, r, dx), ZW_OK);
    double size = 1 + largest(n, dx);
    for (int32_t k = 0; k < m; k++) {
      double sum = r[k];
      for (int32_t j = 0; j < n; j++) sum += A[k * n + j] * dx[j];
      assert_near(sum, 0, 1e-11 * size);
    }
    /* the same through the solver: no force, b = -r */
    const double none[N] = {0};
    for (int32_t k = 0; k < m; k++) r[k] = -r[k];
    ZwLeastResult result = {.a = other};
    assert_int_equal(zw_least_answer(least, none, r, &result), ZW_OK);
    for (int32_t i = 0; i < n; i++) assert_near(dx[i], other[i], 1e-8 * size);
    free(least);
  }
}

static void projection_weighs_with_the_masses(void** state) {
  (void)state;
  /* two beads joined by a rod that is too long by 3: the light one moves twice as far */
  const double M[4] = {2, 0, 0, 1}, A[2] = {-1, 1}, r[1] = {3};
  double dx[2];
  ZwLeast* least = new_least(2, 1);
  assert_int_equal(zw_least_factor(least, 1, M, A), ZW_OK);
  assert_int_equal(zw_least_project(least, r, dx), ZW_OK);
  assert_near(dx[0], 1, 1e-15);
  assert_near(dx[1], -2, 1e-15);
  free(least);
}

static void smallest_sizes(void** state) {
  (void)state;
  Case none = {.n = 0, .m = 0};
  assert_int_equal(solve(&none), ZW_OK);
  assert_near(none.result.pivot_ratio, 1, 0);
  Case free_one = {.n = 1, .m = 0, .M = {4}, .h = {2}};
  assert_int_equal(solve(&free_one), ZW_OK);
  assert_near(free_one.a[0], 0.5, 0);
  assert_near(free_one.Qc[0], 0, 0);
  Case held_one = {.n = 1, .m = 1, .M = {4}, .h = {2}, .A = {-2}, .b = {6}};
  assert_int_equal(solve(&held_one), ZW_OK);
  assert_near(held_one.a[0], -3, 1e-15);
  assert_near(held_one.lambda[0], 7, 1e-14);
  assert_near(held_one.Qc[0], -14, 1e-14);
  Case all_held = {.n = 2, .m = 2, .A = {1, 1, 1, -1}, .b = {3, 1}, .h = {1, 1}}; /* M = 0 */
  assert_int_equal(solve(&all_held), ZW_OK);
  assert_near(all_held.a[0], 2, 1e-15);
  assert_near(all_held.a[1], 1, 1e-15);
  assert_near(all_held.lambda[0], -1, 1e-15);
}

static void memory_serves_fewer_rows_and_again(void** state) {
  (void)state;
  const double M[4] = {1, 0, 0, 1}, singular[4] = {1, 0, 0, 0}, A[4] = {0, 1, 1, 0}, h[2] = {1, 2}, b[2] = {5, 6};
  double a[2];
  ZwLeastResult result = {.a = a};
  ZwLeast* least = new_least(2, 5); /* more rows than coordinates can never be independent, but may be announced */
  assert_int_equal(zw_least_answer(least, h, b, &result), ZW_ERR_ARGUMENT);
  for (int round = 0; round < 2; round++) {
    assert_int_equal(zw_least_factor(least, 2, M, A), ZW_OK);
    assert_int_equal(zw_least_answer(least, h, b, &result), ZW_OK);
    assert_near(a[0], 6, 1e-15);
    assert_int_equal(zw_least_factor(least, 1, singular, A), ZW_OK);
    assert_int_equal(zw_least_answer(least, h, b, &result), ZW_OK);
    assert_near(a[0], 1, 1e-15);
    assert_near(a[1], 5, 1e-15);
    assert_int_equal(zw_least_factor(least, 0, M, NULL), ZW_OK);
    assert_int_equal(zw_least_answer(least, h, NULL, &result), ZW_OK);
    assert_near(a[1], 2, 1e-15);
  }
  free(least);
}

/* Factors of what was factored before are kept; the answer is that of a solver without a past, bit by bit. */
static void factors_are_those_of_a_fresh_solver(void** state) {
  (void)state;
  enum { KINDS = 4 };
  static double M[KINDS][N * N], A[KINDS][N * N];
  Random random = random_from(77);
  int32_t n = 9, m = 5;
  for (int kind = 0; kind < KINDS; kind++) {
    random_fill(&random, m * n, A[kind]);
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j <= i; j++)
        M[kind][i * n + j] = M[kind][j * n + i] = kind == 1 ? 0 : 0.1 * random_number(&random);
      M[kind][i * n + i] = kind == 3 && i == 2 ? -1 : 1 + i; /* coupled, diagonal, coupled, indefinite */
    }
  }
  ZwLeast* least = new_least(n, m);
  for (int round = 0; round < 500; round++) {
    int32_t rows = random_int(&random, 0, m);
    const double *mass = M[random_int(&random, 0, KINDS - 1)], *row = A[random_int(&random, 0, 1)];
    double h[N], b[N], a[N], lambda[N], a_fresh[N], lambda_fresh[N];
    random_fill(&random, n, h);
    random_fill(&random, m, b);
    ZwLeastResult result = {.a = a, .lambda = lambda}, result_fresh = {.a = a_fresh, .lambda = lambda_fresh};
    ZwLeast* fresh = new_least(n, m);
    ZwStatus status = zw_least_factor(least, rows, mass, row);
    assert_int_equal(status, zw_least_factor(fresh, rows, mass, row));
    assert_int_equal(zw_least_answer(least, h, b, &result), zw_least_answer(fresh, h, b, &result_fresh));
    if (!status) assert_memory_equal(a, a_fresh, (size_t)n * sizeof(double));
    if (!status && rows > 0) assert_memory_equal(lambda, lambda_fresh, (size_t)rows * sizeof(double));
    free(fresh);
  }
  free(least);
}

static void lost_rank_is_noticed(void** state) {
  (void)state;
  Case near = {.n = 2, .m = 2, .M = {1, 0, 0, 1}, .A = {1, 0, 1, 1e-7}, .b = {1, 1}};
  assert_int_equal(solve(&near), ZW_OK);
  assert_near(near.result.pivot_ratio, 1e-7, 1e-14);
  assert_true(near.result.is_refined);
  Case twice = {.n = 3, .m = 2, .M = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .A = {0.1, 0.2, 0.3, 0.3, 0.6, 0.9}, .b = {1, 3}};
  assert_int_equal(solve(&twice), ZW_ERR_INCONSISTENT);
  Case zero = {.n = 2, .m = 1, .M = {1, 0, 0, 1}, .A = {0, 0}};
  assert_int_equal(solve(&zero), ZW_ERR_INCONSISTENT);
}

static void numbers_that_are_none_are_refused(void** state) {
  (void)state;
  const Case good = {.n = 2, .m = 1, .M = {1, 0, 0, 1}, .h = {1, 2}, .A = {1, 1}, .b = {1}};
  Case c = good;
  c.M[3] = NAN;
  assert_int_equal(solve(&c), ZW_ERR_DOMAIN);
  c = good;
  c.h[1] = INFINITY;
  assert_int_equal(solve(&c), ZW_ERR_DOMAIN);
  c = good;
  c.A[0] = -INFINITY;
  assert_int_equal(solve(&c), ZW_ERR_DOMAIN);
  c = good;
  c.b[0] = NAN;
  assert_int_equal(solve(&c), ZW_ERR_DOMAIN);
  c = good;
  c.M[0] = 1e-308, c.h[0] = 1e300, c.A[0] = 0;
  assert_int_equal(solve(&c), ZW_ERR_DOMAIN); /* the answer overflows */
  c = good;
  assert_int_equal(solve(&c), ZW_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_lapack_on_the_whole_system),
      cmocka_unit_test(errors_grow_with_the_condition_only),
      cmocka_unit_test(gaussian_is_least),
      cmocka_unit_test(paper_nonholonomic_particle),
      cmocka_unit_test(paper_pendulum),
      cmocka_unit_test(paper_free_particle),
      cmocka_unit_test(massless_coordinate_follows_its_constraints),
      cmocka_unit_test(semidefinite_problems_have_their_planted_answer),
      cmocka_unit_test(units_do_not_decide_what_is_massless),
      cmocka_unit_test(units_of_the_massless_are_a_metric_of_rows),
      cmocka_unit_test(undetermined_coordinates_are_named),
      cmocka_unit_test(nothing_at_all_is_undetermined),
      cmocka_unit_test(planted_undetermined_directions_are_found),
      cmocka_unit_test(rounding_is_not_taken_for_inertia),
      cmocka_unit_test(indefinite_inertia_gives_the_stationary_point),
      cmocka_unit_test(indefinite_problems_have_their_planted_answer),
      cmocka_unit_test(projection_is_the_shortest_step),
      cmocka_unit_test(projection_weighs_with_the_masses),
      cmocka_unit_test(smallest_sizes),
      cmocka_unit_test(memory_serves_fewer_rows_and_again),
      cmocka_unit_test(factors_are_those_of_a_fresh_solver),
      cmocka_unit_test(lost_rank_is_noticed),
      cmocka_unit_test(numbers_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
