/* What the papers print beside the answer (detail.h, partition.h, recursion.h, possible.h), against the definitions with pseudo-inverses by
 * LAPACK's singular values. */
#include "least/detail.h"

#include <lapacke.h>
#include <string.h>

#include "least/partition.h"
#include "least/possible.h"
#include "least/recursion.h"
#include "solved.h"

enum { N = 7 };

typedef struct Case {
  int32_t n, m, r;
  double M[N * N], h[N], A[N * N], b[N];
} Case;

static ZwPaperProblem problem_of(const Case* c) {
  return (ZwPaperProblem){.n = c->n, .m = c->m, .M = c->M, .h = c->h, .A = c->A, .b = c->b};
}

/* ---- plain matrices, p x q, row-major, in new memory ---- */

static double* multiply(int p, int k, int q, const double* X, const double* Y) {
  double* Z = calloc((size_t)(p * q) + 1, sizeof(double));
  for (int i = 0; i < p; i++) {
    for (int j = 0; j < q; j++) {
      for (int s = 0; s < k; s++) Z[i * q + j] += X[i * k + s] * Y[s * q + j];
    }
  }
  return Z;
}

static double* transpose(int p, int q, const double* X) {
  double* Y = new_numbers(p * q + 1);
  for (int i = 0; i < p; i++) {
    for (int j = 0; j < q; j++) Y[j * p + i] = X[i * q + j];
  }
  return Y;
}

/* V f(sigma) U^T, of singular values above a small part of the largest */
static double* by_values(int p, int q, const double* X, double power) {
  int k = p < q ? p : q;
  double U[N * N], Vt[N * N], sigma[N], rest[N], copy[N * N];
  double* Y = calloc((size_t)(p * q) + 1, sizeof(double));
  memcpy(copy, X, sizeof(double) * (size_t)(p * q));
  if (p * q == 0) return Y;
  assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'S', 'S', p, q, copy, q, sigma, U, k, Vt, q, rest), 0);
  for (int s = 0; s < k && sigma[s] > 1e-10 * sigma[0]; s++) {
    for (int i = 0; i < q; i++) {
      for (int j = 0; j < p; j++) Y[i * p + j] += Vt[s * q + i] * pow(sigma[s], power) * U[j * k + s];
    }
  }
  return Y;
}

static void expect_same(const char* what, int count, const double* got, const double* want, double tol) {
  double most = 1;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(want[i]));
  for (int i = 0; i < count; i++) {
    if (!(fabs(got[i] - want[i]) <= tol * most)) fail_msg("%s[%d] = %.17g, not %.17g", what, i, got[i], want[i]);
  }
}

/* ---- cases ---- */

/* M = B^T B + 1, r independent rows and m - r sums of them; b fits. */
static Case random_case(Random* random, int32_t n, int32_t m, int32_t r) {
  Case c = {.n = n, .m = m, .r = r};
  double B[N * N], x[N];
  for (int i = 0; i < n * n; i++) B[i] = random_number(random);
  for (int i = 0; i < n; i++) {
    x[i] = 2 * random_number(random);
    c.h[i] = 5 * random_number(random);
    for (int j = 0; j < n; j++) {
      c.M[i * n + j] = i == j;
      for (int k = 0; k < n; k++) c.M[i * n + j] += B[k * n + i] * B[k * n + j];
    }
  }
  for (int k = 0; k < m; k++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int s = 0; s < r; s++) sum += (k - r + s + 1) * c.A[s * n + j];
      c.A[k * n + j] = k < r ? random_number(random) : sum;
    }
    for (int j = 0; j < n; j++) c.b[k] += c.A[k * n + j] * x[j];
  }
  return c;
}

static const Case u96 = {
    .n = 3, .m = 2, .r = 1, .M = {2, 0, 0, 0, 2, 0, 0, 0, 2}, .h = {1.6, 0.6, 1}, .A = {0.6, 0.8, -1, 1.2, 1.6, -2}};

/* ---- everything of a case ---- */

typedef struct Room {
  ZwPaper* paper;
  ZwDetail detail;
  ZwPartition partition;
  ZwRecursion recursion;
  ZwPossible possible;
  double* memory[4];
} Room;

/* Each in exactly the memory it asks for. */
static Room open_room(const Case* c) {
  Room room = {.paper = new_paper(c->n, c->m + c->n)};
  ptrdiff_t sizes[] = {zw_detail_size(c->n, c->m), zw_partition_size(c->n, c->m), zw_recursion_size(c->n, c->m),
                       zw_possible_size(c->n, c->m)};
  for (int i = 0; i < 4; i++) room.memory[i] = new_numbers((int32_t)sizes[i]);
  zw_detail_place(&room.detail, c->n, c->m, room.memory[0]);
  zw_partition_place(&room.partition, c->n, c->m, room.memory[1]);
  zw_recursion_place(&room.recursion, c->n, c->m, room.memory[2]);
  zw_possible_place(&room.possible, c->n, c->m, room.memory[3]);
  return room;
}

static void close_room(Room* room) {
  for (int i = 0; i < 4; i++) free(room->memory[i]);
  free(room->paper);
}

static void solve_detail(Room* room, const Case* c) {
  ZwPaperProblem problem = problem_of(c);
  const char* reason;
  assert_int_equal(zw_detail_solve(room->paper, &problem, &room->detail, &reason), ZW_OK);
  assert_string_equal(reason, "");
  assert_int_equal(room->detail.rank, c->r);
}

static void expect_detail(const Case* c, const ZwDetail* detail, double tol) {
  int n = c->n, m = c->m;
  double *inverse = by_values(n, n, c->M, -1), *At = transpose(m, n, c->A);
  double *a0 = multiply(n, n, 1, inverse, c->h), *Aa0 = multiply(m, n, 1, c->A, a0);
  double *AM = multiply(m, n, n, c->A, inverse), *D = multiply(m, n, m, AM, At), *D_plus = by_values(m, m, D, -1);
  double *MAt = multiply(n, n, m, inverse, At), *gain = multiply(n, m, m, MAt, D_plus), d[N], X[N * N], W[N * N];
  double *A_plus = by_values(m, n, c->A, -1), *AA = multiply(m, n, m, c->A, A_plus),
         *GA = multiply(n, m, n, gain, c->A);
  for (int i = 0; i < m; i++) d[i] = c->b[i] - Aa0[i];
  for (int i = 0; i < n * n; i++) X[i] = (i % (n + 1) == 0) - GA[i];
  for (int i = 0; i < m * m; i++) W[i] = (i % (m + 1) == 0) - AA[i];
  double *lambda = multiply(m, m, 1, D_plus, d), *lambda_b = multiply(m, m, 1, D_plus, c->b);
  double *Qc = multiply(n, m, 1, At, lambda), *Qc_b = multiply(n, m, 1, At, lambda_b);
  double *a_h = multiply(n, n, 1, X, a0), *a_b = multiply(n, m, 1, gain, c->b), a[N];
  for (int i = 0; i < n; i++) a[i] = a_b[i] + a_h[i];
  expect_same("a0", n, detail->a0, a0, tol);
  expect_same("d", m, detail->d, d, tol);
  expect_same("D", m * m, detail->D, D, tol);
  expect_same("gain", n * m, detail->gain, gain, tol);
  expect_same("X", n * n, detail->X, X, tol);
  expect_same("W", m * m, detail->W, W, tol);
  expect_same("lambda", m, detail->lambda, lambda, tol);
  expect_same("lambda_b", m, detail->lambda_b, lambda_b, tol);
  expect_same("Qc", n, detail->Qc, Qc, tol);
  expect_same("Qc_b", n, detail->Qc_b, Qc_b, tol);
  expect_same("a_b", n, detail->a_b, a_b, tol);
  expect_same("a_h", n, detail->a_h, a_h, tol);
  expect_same("a", n, detail->a, a, tol);
  double G = 0, S = 0;
  for (int i = 0; i < n; i++) {
    assert_near(detail->Qc_b[i] + detail->Qc_h[i], Qc[i], 100 * tol);
    for (int j = 0; j < n; j++) {
      G += 0.5 * (a[i] - a0[i]) * c->M[i * n + j] * (a[j] - a0[j]);
      S += 0.5 * a[i] * c->M[i * n + j] * a[j];
    }
  }
  assert_near(detail->G, G, tol * (1 + G));
  assert_near(detail->S, S, tol * (1 + S));
  double* all[] = {inverse, At, a0, Aa0,    AM,       D,  D_plus, MAt, gain,
                   A_plus,  AA, GA, lambda, lambda_b, Qc, Qc_b,   a_h, a_b};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void details_are_those_of_the_definitions(void** state) {
  (void)state;
  Random random = random_from(7);
  for (int round = 0; round < 60; round++) {
    int32_t n = 1 + round % 6, r = round % (n + 1), m = r + (r > 0 ? round % 3 : 0);
    if (m > N) continue;
    Case c = random_case(&random, n, m, r);
    Room room = open_room(&c);
    solve_detail(&room, &c);
    expect_detail(&c, &room.detail, 1e-10);
    close_room(&room);
  }
}

static void units_cost_no_digits(void** state) {
  (void)state;
  Random random = random_from(8);
  Case c = random_case(&random, 5, 4, 3), scaled = c;
  double unit[] = {1e-9, 1e6, 1, 1e3, 1e-4}, row[] = {1e8, 1, 1e-7, 1}; /* q = unit x, rows times row */
  for (int i = 0; i < 5; i++) {
    scaled.h[i] *= unit[i];
    for (int j = 0; j < 5; j++) scaled.M[i * 5 + j] *= unit[i] * unit[j];
    for (int k = 0; k < 3; k++) scaled.A[k * 5 + i] *= unit[i] * row[k];
  }
  for (int k = 0; k < 3; k++) scaled.b[k] *= row[k];
  c.m = scaled.m = 3;
  Room one = open_room(&c), other = open_room(&scaled);
  solve_detail(&one, &c);
  solve_detail(&other, &scaled);
  for (int i = 0; i < 5; i++) {
    assert_near(other.detail.a_b[i] * unit[i], one.detail.a_b[i], 1e-10);
    assert_near(other.detail.a_h[i] * unit[i], one.detail.a_h[i], 1e-10);
    assert_near(other.detail.Qc_h[i] / unit[i], one.detail.Qc_h[i], 1e-10);
    for (int j = 0; j < 5; j++)
      assert_near(other.detail.X[i * 5 + j] * unit[i] / unit[j], one.detail.X[i * 5 + j], 1e-10);
  }
  close_room(&one);
  close_room(&other);
}

/* ---- M that has no inverse: s is massless, and held by the row ---- */

static void singular_masses_have_both_parts(void** state) {
  (void)state;
  Case c = {.n = 2, .m = 1, .r = 1, .M = {1, 0, 0, 0}, .h = {3, 0}, .A = {-1, 1}, .b = {0.5}};
  Room room = open_room(&c);
  solve_detail(&room, &c);
  assert_false(room.detail.is_definite);
  assert_true(isnan(room.detail.G) && isnan(room.detail.a0[0]) && isnan(room.detail.D[0]));
  expect_same("a_h", 2, room.detail.a_h, (double[]){3, 3}, 1e-14);
  expect_same("a_b", 2, room.detail.a_b, (double[]){0, 0.5}, 1e-14);
  expect_same("Qc", 2, room.detail.Qc, (double[]){0, 0}, 1e-14);
  expect_same("X", 4, room.detail.X, (double[]){1, 0, 1, 0}, 1e-14);
  close_room(&room);
}

/* ---- M that is indefinite, with an inverse (T21) ---- */

/* M loses its sign along one coordinate; the rows, of rank r, stay. */
static Case indefinite_case(Random* random, int32_t n, int32_t m, int32_t r) {
  Case c = random_case(random, n, m, r);
  for (int j = 0; j < n; j++) c.M[j] *= -1, c.M[j * n] *= -1;
  c.M[0] = -3 - c.M[0]; /* so e1 . M e1 < 0, and what is left of M beside the others is not 0 */
  return c;
}

/* a0 = M^-1 h, d = b - A a0, D = A M^-1 A^T, G = 1/2 (a - a0)^T M (a - a0) */
static void expect_free(const Case* c, const ZwDetail* detail, double tol) {
  int n = c->n, m = c->m;
  double *inverse = by_values(n, n, c->M, -1), *a0 = multiply(n, n, 1, inverse, c->h), *At = transpose(m, n, c->A);
  double *MAt = multiply(n, n, m, inverse, At), *D = multiply(m, n, m, c->A, MAt), *d = multiply(m, n, 1, c->A, a0);
  double left[N];
  for (int i = 0; i < m; i++) d[i] = c->b[i] - d[i];
  for (int i = 0; i < n; i++) left[i] = detail->a[i] - a0[i];
  double *force = multiply(n, n, 1, c->M, left), *square = multiply(1, n, 1, left, force);
  expect_same("a0", n, detail->a0, a0, tol);
  expect_same("d", m, detail->d, d, tol);
  expect_same("D", m * m, detail->D, D, tol);
  expect_same("Qc", n, detail->Qc, force, tol);
  expect_same("G", 1, &detail->G, &(double){square[0] / 2}, tol);
  double* const all[] = {inverse, a0, At, MAt, D, d, force, square};
  for (int i = 0; i < 8; i++) free(all[i]);
}

static void indefinite_masses_have_an_inverse(void** state) {
  (void)state;
  Random random = random_from(7);
  for (int i = 0; i < 200; i++) {
    int32_t n = 2 + i % 5, r = 1 + i % (n - 1), m = r + i % 2;
    Case c = indefinite_case(&random, n, m, r);
    Room room = open_room(&c);
    solve_detail(&room, &c);
    assert_true(room.detail.is_indefinite && room.detail.is_regular && !room.detail.is_definite);
    expect_free(&c, &room.detail, 1e-8);
    double a[N], Qc[N];
    ZwPaperProblem problem = problem_of(&c);
    ZwPaperResult result = {.a = a, .Qc = Qc};
    assert_int_equal(zw_formulation_solve(room.paper, ZW_FORMULATION_LAGRANGE, 0, &problem, &result), ZW_OK);
    expect_same("gaussian", 1, &result.gaussian, &room.detail.G, 1e-8);
    assert_int_equal(result.is_minimum, room.detail.is_minimum);
    close_room(&room);
  }
}

/* The inertia of y is negative, s has none. */
static void indefinite_masses_may_be_singular(void** state) {
  (void)state;
  Case c = {.n = 3, .m = 1, .r = 1, .M = {1, 0, 0, 0, -1, 0, 0, 0, 0}, .h = {3, 1, 0}, .A = {-1, 0, 1}, .b = {0.5}};
  Room room = open_room(&c);
  solve_detail(&room, &c);
  assert_true(room.detail.is_indefinite && !room.detail.is_regular && !room.detail.is_minimum);
  assert_true(isnan(room.detail.G) && isnan(room.detail.a0[0]) && isnan(room.detail.D[0]));
  expect_same("a", 3, room.detail.a, (double[]){3, -1, 3.5}, 1e-14);
  close_room(&room);
}

/* ---- partition ---- */

static void partitions_change_K_and_not_a(void** state) {
  (void)state;
  Case c = u96;
  Room room = open_room(&c);
  ZwPaperProblem problem = problem_of(&c);
  ZwPaperResult result;
  int32_t x = 0, z = 2;
  problem.first = &x;
  problem.first_count = 1;
  assert_int_equal(zw_partition_make(room.paper, &problem, &room.partition, &result), ZW_OK);
  const ZwPartition* p = &room.partition;
  expect_same("R", 2, p->R, (double[]){4.0 / 3, -5.0 / 3}, 1e-14);
  expect_same("K", 4, p->K, (double[]){50.0 / 9, -40.0 / 9, -40.0 / 9, 68.0 / 9}, 1e-13);
  expect_same("P", 2, p->P, (double[]){-23.0 / 15, 11.0 / 3}, 1e-13);
  expect_same("right", 2, p->right, p->P, 1e-14);
  expect_same("eigenvalues", 2, p->eigenvalues, (double[]){2, 100.0 / 9}, 1e-13);
  assert_near(p->determinant, 1.8, 1e-13);
  assert_true(p->is_uncoupled);
  const double stated[] = {NAN, 1, NAN}, follows[] = {1, 0, 0};
  assert_int_equal(zw_partition_displace(&room.partition, stated), -1);
  assert_near(p->work, -23.0 / 15, 1e-13);
  assert_near(p->nu_e[0], -4.0 / 3, 1e-14);
  expect_same("nu_i", 2, p->nu_i, (double[]){1, 0}, 0);
  assert_int_equal(zw_partition_displace(&room.partition, follows), 0); /* x is eliminated */
  expect_same("a", 3, result.a, (double[]){0.734, 0.212, 0.61}, 1e-14);
  problem.first = &z;
  assert_int_equal(zw_partition_make(room.paper, &problem, &room.partition, &result), ZW_OK);
  expect_same("a", 3, result.a, (double[]){0.734, 0.212, 0.61}, 1e-14);
  assert_true(fabs(p->K[0] - 50.0 / 9) > 1);
  close_room(&room);
}

static void dependent_columns_are_named(void** state) {
  (void)state;
  Case c = {.n = 3, .m = 2, .r = 2, .M = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .A = {1, 2, 0, 2, 4, 1}};
  Room room = open_room(&c);
  ZwPaperProblem problem = problem_of(&c);
  ZwPaperResult result;
  int32_t first[] = {0, 1};
  problem.first = first;
  problem.first_count = 2;
  assert_int_equal(zw_partition_make(room.paper, &problem, &room.partition, &result), ZW_ERR_VALUE);
  assert_int_equal(result.dependent, 1);
  problem.first_count = 1;
  assert_int_equal(zw_partition_make(room.paper, &problem, &room.partition, &result), ZW_ERR_VALUE);
  assert_int_equal(result.dependent, -1);
  solve_detail(&room, &c);
  problem.first_count = 2;
  const char* reason;
  assert_int_equal(zw_detail_solve(room.paper, &problem, &room.detail, &reason), ZW_OK);
  assert_int_equal(zw_recursion_run(room.paper, &problem, &room.detail, ZW_ROOT_SYMMETRIC, &room.recursion, &result),
                   ZW_ERR_VALUE);
  assert_int_equal(result.dependent, 1);
  close_room(&room);
}

/* ---- Bellman ---- */

/* R_k = (C_k C_k^T)^+, kappa_k^T d_k = y_k, and what is fed back */
static void expect_recursion(const ZwDetail* detail, const ZwRecursion* all, double tol) {
  int n = all->n, m = all->m, r = all->r;
  for (int k = r; k <= n; k++) {
    double first[N * N];
    for (int i = 0; i < m; i++) {
      for (int j = 0; j < k; j++) first[i * k + j] = all->C[i * n + j];
    }
    double *Ct = transpose(m, k, first), *square = multiply(m, k, m, first, Ct), *R = by_values(m, m, square, -1);
    expect_same("R", m * m, all->R + (k - r) * m * m, R, tol);
    free(Ct), free(square), free(R);
  }
  assert_near(all->g[n - r], 2 * detail->G, tol * (1 + detail->G));
  double squares = 0;
  for (int k = 0; k < n; k++) {
    double y = 0;
    for (int j = k + 1; j < n; j++) y -= all->feedback[k * n + j] * all->y[j];
    for (int i = 0; k >= r && i < m; i++) y += all->kappa[(k - r) * m + i] * detail->d[i];
    if (k >= r) assert_near(all->y[k], y, tol * 10);
    squares += all->y[k] * all->y[k];
    if (k >= r) assert_near(all->g[k - r] - all->drop[k - r], all->g[k - r + 1], tol * (1 + all->g[k - r]));
    if (k >= r) assert_true(all->excess[k - r] >= 0);
  }
  assert_near(squares, 2 * detail->G, tol * (1 + detail->G));
}

static void recursions_are_pseudo_inverses(void** state) {
  (void)state;
  Random random = random_from(9);
  for (int round = 0; round < 40; round++) {
    int32_t n = 2 + round % 4, r = 1 + round % n, m = r + round % 2;
    Case c = random_case(&random, n, m, r);
    Room room = open_room(&c);
    ZwPaperProblem problem = problem_of(&c);
    ZwPaperResult result;
    for (int root = ZW_ROOT_SYMMETRIC; root <= ZW_ROOT_CHOLESKY; root++) {
      solve_detail(&room, &c);
      assert_int_equal(zw_recursion_run(room.paper, &problem, &room.detail, (ZwRoot)root, &room.recursion, &result),
                       ZW_OK);
      expect_recursion(&room.detail, &room.recursion, 1e-8);
    }
    close_room(&room);
  }
}

/* ---- possible accelerations ---- */

static void possible_ones_cost_more(void** state) {
  (void)state;
  Case c = u96;
  Room room = open_room(&c);
  ZwPaperProblem problem = problem_of(&c);
  const char* reason;
  solve_detail(&room, &c);
  const ZwPossible* p = &room.possible;
  double named[] = {0, 1, 0.8};
  assert_int_equal(zw_possible_look(room.paper, &problem, &room.detail, named, &room.possible, &reason), ZW_OK);
  expect_same("residual", 2, p->residual, (double[]){0, 0}, 1e-14);
  assert_near(p->G, 1.22, 1e-14);
  assert_near(p->excess, 1.1958, 1e-13);
  assert_near(p->work, 0, 1e-14);
  expect_same("nearest", 3, p->nearest, named, 1e-14);
  /* one that is not named takes the row: 0.6 + 0.8 - z'' = 0 */
  double two[] = {1, 1, NAN};
  assert_int_equal(zw_possible_look(room.paper, &problem, &room.detail, two, &room.possible, &reason), ZW_OK);
  assert_true(p->is_completed);
  assert_near(p->a[2], 1.4, 1e-13);
  /* none named: the motion */
  double none[] = {NAN, NAN, NAN};
  assert_int_equal(zw_possible_look(room.paper, &problem, &room.detail, none, &room.possible, &reason), ZW_OK);
  expect_same("a", 3, p->a, room.detail.a, 1e-14);
  assert_near(p->excess, 0, 1e-14);
  close_room(&room);
}

static void impossible_ones_have_a_nearest(void** state) {
  (void)state;
  Case c = {.n = 2, .m = 1, .r = 1, .M = {1.5, 0, 0, 1.5}, .h = {0, -14.715}, .A = {0.6, -0.8}, .b = {-4}};
  Room room = open_room(&c);
  ZwPaperProblem problem = problem_of(&c);
  const char* reason;
  solve_detail(&room, &c);
  double named[] = {0, -5};
  const ZwPossible* p = &room.possible;
  assert_int_equal(zw_possible_look(room.paper, &problem, &room.detail, named, &room.possible, &reason), ZW_OK);
  assert_near(p->residual[0], 8, 1e-13);
  assert_near(p->G, 17.352075, 1e-12);
  assert_near(p->excess, -87.929253, 1e-11);
  assert_near(p->distance2, 54.246747, 1e-11);
  assert_near(p->work, -142.176, 1e-11);
  assert_near(p->G_nearest, 111.528075, 1e-11);
  expect_same("nearest", 2, p->nearest, (double[]){-4.8, 1.4}, 1e-13);
  close_room(&room);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(details_are_those_of_the_definitions),
      cmocka_unit_test(units_cost_no_digits),
      cmocka_unit_test(singular_masses_have_both_parts),
      cmocka_unit_test(indefinite_masses_have_an_inverse),
      cmocka_unit_test(indefinite_masses_may_be_singular),
      cmocka_unit_test(partitions_change_K_and_not_a),
      cmocka_unit_test(dependent_columns_are_named),
      cmocka_unit_test(recursions_are_pseudo_inverses),
      cmocka_unit_test(possible_ones_cost_more),
      cmocka_unit_test(impossible_ones_have_a_nearest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
