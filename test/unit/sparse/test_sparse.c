#include "problems.h"

#include <float.h>
#include <lapacke.h>

enum { N = 40, ROWS = 48 };

static const ZwSparseForm forms[] = {ZW_SPARSE_SCHUR, ZW_SPARSE_KKT};
static const ZwLdlWay ways[] = {ZW_LDL_ROWS, ZW_LDL_PANELS};

/* A dense problem whose zeros make the patterns. */
typedef struct Case {
  int32_t n, m;
  double M[N * N], A[ROWS * N], h[N], b[ROWS];
  double a[N], lambda[ROWS], Qc[N]; /* the answer of the sparse solve */
  ZwSparseResult result;
} Case;

/* M of blocks up to `largest`, each B B^T, coordinates shuffled among them. */
static void fill_inertia(Random* random, Case* c, int32_t largest) {
  int32_t shuffled[N], n = c->n;
  for (int32_t j = 0; j < n; j++) shuffled[j] = j;
  for (int32_t j = n - 1; j > 0; j--) {
    int32_t other = random_int(random, 0, j), kept = shuffled[j];
    shuffled[j] = shuffled[other];
    shuffled[other] = kept;
  }
  for (int32_t begin = 0; begin < n;) {
    int32_t size = random_int(random, 1, largest), end = begin + size < n ? begin + size : n;
    double B[N * N];
    size = end - begin;
    random_definite(random, size, 1 + 20 * fabs(random_number(random)), B);
    for (int32_t i = 0; i < size * size; i++) {
      c->M[shuffled[begin + i / size] * n + shuffled[begin + i % size]] = 3 * B[i];
    }
    begin = end;
  }
}

/* Rows with up to five entries; `repeated` of the m rows are combinations of two others. */
static void fill_rows(Random* random, Case* c, int32_t repeated) {
  int32_t n = c->n, own = c->m - repeated;
  for (int32_t k = 0; k < own; k++) {
    int32_t entries = random_int(random, 1, n < 5 ? n : 5);
    for (int32_t e = 0; e < entries; e++) c->A[k * n + random_int(random, 0, n - 1)] = random_number(random);
  }
  for (int32_t k = own; k < c->m; k++) {
    if (own == 0) continue;
    int32_t first = random_int(random, 0, own - 1), second = random_int(random, 0, own - 1);
    double x = random_number(random), y = random_number(random);
    for (int32_t j = 0; j < n; j++) c->A[k * n + j] = x * c->A[first * n + j] + y * c->A[second * n + j];
  }
}

/* h at random and b so that the rows do not contradict each other. */
static void fill_right(Random* random, Case* c) {
  double a[N];
  random_fill(random, c->n, c->h);
  random_fill(random, c->n, a);
  for (int32_t k = 0; k < c->m; k++) {
    c->b[k] = 0;
    for (int32_t j = 0; j < c->n; j++) c->b[k] += c->A[k * c->n + j] * a[j];
  }
}

static ZwStatus solve(Case* c, ZwSparseForm form, ZwLdlWay way) {
  Matrix M = matrix_from(c->n, c->n, c->M, true), A = matrix_from(c->m, c->n, c->A, false);
  Solver solver = solver_new(&M, &A, form, way);
  c->result = (ZwSparseResult){.a = c->a, .lambda = c->lambda, .Qc = c->Qc};
  ZwStatus status = zw_sparse_factor(solver.sparse, M.value, A.value);
  if (status == ZW_OK) status = zw_sparse_solve(solver.sparse, c->h, c->b, &c->result);
  solver_free(&solver);
  matrix_free(&M);
  matrix_free(&A);
  return status;
}

/* Independent rows of A in the metric of M, found by LAPACK's pivoted QR of L^-1 A^T; gives how many, and how well
 * they are told apart from the rest: |R_rr| / |R_11|. */
static int32_t independent_rows(const Case* c, int32_t* rows, double* weakest) {
  int32_t n = c->n, m = c->m;
  double L[N * N], Q[N * ROWS], tau[ROWS];
  lapack_int pivots[ROWS] = {0};
  *weakest = 1;
  if (m == 0) return 0;
  memcpy(L, c->M, sizeof L);
  assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, L, n), 0);
  for (int32_t i = 0; i < n * m; i++) Q[i] = c->A[i % m * n + i / m];
  assert_int_equal(LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'L', 'N', 'N', n, m, L, n, Q, m), 0);
  assert_int_equal(LAPACKE_dgeqp3(LAPACK_ROW_MAJOR, n, m, Q, m, pivots, tau), 0);
  int32_t rank = 0, most = n < m ? n : m;
  while (rank < most && fabs(Q[rank * m + rank]) > 1e-10 * fabs(Q[0])) rank++;
  for (int32_t k = 0; k < rank; k++) rows[k] = (int32_t)pivots[k] - 1;
  if (rank > 0) *weakest = fabs(Q[(rank - 1) * m + rank - 1] / Q[0]);
  return rank;
}

/* a of the dense solve with independent rows alone. */
static void solve_dense(const Case* c, int32_t rank, const int32_t* rows, double* a, double* Qc) {
  double A[ROWS * N], b[ROWS];
  for (int32_t k = 0; k < rank; k++) {
    memcpy(A + k * c->n, c->A + rows[k] * c->n, sizeof(double) * (size_t)c->n);
    b[k] = c->b[rows[k]];
  }
  ZwLeast* least = zw_least_place(malloc(zw_least_work_size(c->n, rank)), c->n, rank);
  ZwLeastProblem problem = {.n = c->n, .m = rank, .M = c->M, .h = c->h, .A = A, .b = b};
  ZwLeastResult result = {.a = a, .Qc = Qc};
  assert_int_equal(zw_least_minimise(least, &problem, &result), ZW_OK);
  free(least);
}

/* M a = h + A^T lambda, A a = b, Qc = A^T lambda, each in parts of its terms. */
static void check_equations(const Case* c, double tol) {
  for (int32_t i = 0; i < c->n; i++) {
    double force = 0, left = -c->h[i], size = fabs(c->h[i]);
    for (int32_t k = 0; k < c->m; k++) {
      force += c->A[k * c->n + i] * c->lambda[k];
      size += fabs(c->A[k * c->n + i] * c->lambda[k]);
    }
    for (int32_t j = 0; j < c->n; j++) {
      left += c->M[i * c->n + j] * c->a[j];
      size += fabs(c->M[i * c->n + j] * c->a[j]);
    }
    assert_near(c->Qc[i], force, tol * (1 + size));
    assert_near(left, force, tol * (1 + size));
  }
  double forces = 1 + largest(c->m, c->lambda);
  for (int32_t k = 0; k < c->m; k++) {
    double sum = -c->b[k], size = 0;
    for (int32_t j = 0; j < c->n; j++) {
      sum += c->A[k * c->n + j] * c->a[j];
      size += fabs(c->A[k * c->n + j] * c->a[j]);
    }
    assert_near(sum, 0, tol * (forces + size));
  }
}

static void agrees_with_the_dense_solve_on(uint64_t seed, int rounds, int32_t largest_block) {
  Random random = random_from(seed);
  int redundant = 0, tall = 0, compared = 0;
  for (int round = 0; round < rounds; round++) {
    Case c = {.n = random_int(&random, 1, 30)};
    c.m = random_int(&random, 0, 4) == 0 ? random_int(&random, 0, c.n + 6) : random_int(&random, 0, c.n);
    int32_t repeated = random_int(&random, 0, 1) ? random_int(&random, 0, c.m / 2) : 0;
    fill_inertia(&random, &c, largest_block);
    fill_rows(&random, &c, repeated);
    fill_right(&random, &c);
    int32_t rows[ROWS];
    double a[N], Qc[N], weakest;
    int32_t rank = independent_rows(&c, rows, &weakest);
    if (weakest < 1e-4) continue; /* neither dependent nor independent */
    solve_dense(&c, rank, rows, a, Qc);
    redundant += rank < c.m;
    tall += c.m > c.n;
    for (int f = 0; f < 4; f++) {
      ZwStatus status = solve(&c, forms[f / 2], ways[f % 2]);
      if (status != ZW_OK) {
        fail_msg("round %d, form %d, way %d: n %d, m %d, rank %d, weakest %g: status %d, residual %g", round, f / 2,
                 f % 2, (int)c.n, (int)c.m, (int)rank, weakest, (int)status, c.result.residual);
      }
      check_equations(&c, 1e-12);
      double scale = 1 + largest(c.n, a) + largest(c.n, Qc);
      for (int32_t j = 0; j < c.n; j++) assert_near(c.a[j], a[j], 1e-10 * scale);
      for (int32_t j = 0; j < c.n; j++) assert_near(c.Qc[j], Qc[j], 1e-10 * scale * 10);
    }
    compared++;
  }
  assert_true(redundant > rounds / 5);
  assert_true(tall > rounds / 50);
  assert_true(compared > rounds / 2);
}

static void agrees_with_the_dense_solve_for_point_masses(void** state) {
  (void)state;
  agrees_with_the_dense_solve_on(1, 1500, 1);
}

static void agrees_with_the_dense_solve_for_bodies(void** state) {
  (void)state;
  agrees_with_the_dense_solve_on(2, 1500, 6);
}

/* M couples neighbours along a line, as beams of finite elements do: one block, so that no form but the KKT one stays
 * sparse. */
static void agrees_with_lapack_for_coupled_inertia(void** state) {
  (void)state;
  Random random = random_from(3);
  for (int round = 0; round < 500; round++) {
    Case c = {.n = random_int(&random, 2, 30)};
    c.m = random_int(&random, 0, c.n / 2);
    int32_t size = c.n + c.m;
    for (int32_t i = 0; i < c.n; i++) {
      c.M[i * c.n + i] = 4 + random_number(&random);
      if (i > 0) c.M[i * c.n + i - 1] = c.M[(i - 1) * c.n + i] = 1 + 0.5 * random_number(&random);
    }
    for (int32_t k = 0; k < c.m; k++) { /* independent: each has a column that the later ones do not have */
      c.A[k * c.n + k] = 1 + 0.5 * random_number(&random);
      c.A[k * c.n + random_int(&random, c.m, c.n - 1)] = random_number(&random);
    }
    random_fill(&random, c.n, c.h);
    random_fill(&random, c.m, c.b);
    double* K = calloc((size_t)(size * size), sizeof(double));
    double x[N + ROWS];
    lapack_int pivots[N + ROWS];
    for (int32_t i = 0; i < c.n * c.n; i++) K[i / c.n * size + i % c.n] = c.M[i];
    for (int32_t i = 0; i < c.m * c.n; i++) {
      K[(c.n + i / c.n) * size + i % c.n] = c.A[i];
      K[i % c.n * size + c.n + i / c.n] = -c.A[i];
    }
    memcpy(x, c.h, sizeof(double) * (size_t)c.n);
    memcpy(x + c.n, c.b, sizeof(double) * (size_t)c.m);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, size, 1, K, size, pivots, x, 1), 0);
    for (int way = 0; way < 2; way++) {
      assert_int_equal(solve(&c, ZW_SPARSE_KKT, ways[way]), ZW_OK);
      for (int32_t j = 0; j < c.n; j++) assert_near(c.a[j], x[j], 1e-12 * (1 + largest(size, x)));
      for (int32_t k = 0; k < c.m; k++) assert_near(c.lambda[k], x[c.n + k], 1e-12 * (1 + largest(size, x)));
    }
    free(K);
  }
}

/* Coordinates and rows in other units: sizes of 1e-6 and 1e6 side by side. */
static void units_change_nothing(void** state) {
  (void)state;
  Random random = random_from(4);
  for (int round = 0; round < 300; round++) {
    Case c = {.n = random_int(&random, 2, 20)};
    c.m = random_int(&random, 1, c.n);
    fill_inertia(&random, &c, 4);
    fill_rows(&random, &c, random_int(&random, 0, c.m / 3));
    fill_right(&random, &c);
    int32_t rows[ROWS];
    double a[N], Qc[N], weakest;
    int32_t rank = independent_rows(&c, rows, &weakest);
    if (weakest < 1e-3) continue;
    solve_dense(&c, rank, rows, a, Qc);
    double of_coordinate[N], scale = 1 + largest(c.n, a) + largest(c.n, Qc);
    for (int32_t j = 0; j < c.n; j++) of_coordinate[j] = exp2(random_int(&random, -20, 20));
    for (int32_t k = 0; k < c.m; k++) {
      double of_row = exp2(random_int(&random, -20, 20));
      for (int32_t j = 0; j < c.n; j++) c.A[k * c.n + j] *= of_row * of_coordinate[j];
      c.b[k] *= of_row;
    }
    for (int32_t i = 0; i < c.n * c.n; i++) c.M[i] *= of_coordinate[i / c.n] * of_coordinate[i % c.n];
    for (int32_t j = 0; j < c.n; j++) c.h[j] *= of_coordinate[j];
    for (int f = 0; f < 4; f++) {
      assert_int_equal(solve(&c, forms[f / 2], ways[f % 2]), ZW_OK);
      for (int32_t j = 0; j < c.n; j++) assert_near(c.a[j] * of_coordinate[j], a[j], 1e-10 * scale);
    }
  }
}

/* Directions without inertia that the rows hold: blocks of M are of lower rank, diagonal entries may be zero. */
static void agrees_with_the_dense_solve_where_inertia_is_missing(void** state) {
  (void)state;
  Random random = random_from(5);
  int compared = 0, massless = 0;
  for (int round = 0; round < 1500; round++) {
    Case c = {.n = random_int(&random, 2, 16)};
    c.m = random_int(&random, 1, c.n);
    for (int32_t begin = 0; begin < c.n;) {
      double B[16];
      int32_t size = random_int(&random, 1, 4), rank = random_int(&random, 0, size);
      if (begin + size > c.n) size = c.n - begin;
      if (rank > size || random_int(&random, 0, 2)) rank = size;
      random_gram(&random, size, rank, B);
      for (int32_t i = 0; i < size; i++) B[i * (size + 1)] += rank == size ? 0.5 : 0;
      for (int32_t i = 0; i < size * size; i++) c.M[(begin + i / size) * c.n + begin + i % size] = B[i];
      massless += rank < size;
      begin += size;
    }
    fill_rows(&random, &c, 0);
    fill_right(&random, &c);
    /* what the dense solve does not find well posed is not compared */
    double a[N], lambda[ROWS];
    ZwLeast* least = zw_least_place(malloc(zw_least_work_size(c.n, c.m)), c.n, c.m);
    ZwLeastProblem problem = {.n = c.n, .m = c.m, .M = c.M, .h = c.h, .A = c.A, .b = c.b};
    ZwLeastResult result = {.a = a, .lambda = lambda};
    ZwStatus status = zw_least_minimise(least, &problem, &result);
    bool is_good = status == ZW_OK && result.pivot_ratio > 1e-2 && largest(c.n, a) + largest(c.m, lambda) < 100;
    for (int f = 0; is_good && f < 4; f++) {
      ZwStatus sparse_status = solve(&c, forms[f / 2], ways[f % 2]);
      if (sparse_status != ZW_OK) fail_msg("round %d, form %d: status %d", round, f / 2, (int)sparse_status);
      for (int32_t j = 0; j < c.n; j++) assert_near(c.a[j], a[j], 1e-9 * (1 + largest(c.n, a) + largest(c.m, lambda)));
      compared++;
    }
    free(least);
  }
  assert_true(compared > 1200);
  assert_true(massless > 500);
}

static void undetermined_directions_are_found(void** state) {
  (void)state;
  /* coordinates 1 and 3 have no inertia; the only row ties them together: q1 = 2 q3 stays free */
  const double M[16] = {2, 0, 1, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 0, 0}, A[4] = {0, 1, 0, -2};
  Matrix sparse_M = matrix_from(4, 4, M, true), sparse_A = matrix_from(1, 4, A, false);
  for (int f = 0; f < 4; f++) {
    Solver solver = solver_new(&sparse_M, &sparse_A, forms[f / 2], ways[f % 2]);
    assert_null(zw_sparse_null_vector(solver.sparse));
    assert_int_equal(zw_sparse_factor(solver.sparse, sparse_M.value, sparse_A.value), ZW_ERR_UNDETERMINED);
    const double* z = zw_sparse_null_vector(solver.sparse);
    assert_non_null(z);
    assert_near(z[0], 0, 0);
    assert_near(fabs(z[1]), 1, 0);
    assert_near(z[2], 0, 0);
    assert_near(z[3] / z[1], 0.5, 1e-6);
    /* it cannot be solved, but projected */
    double a[4], dx[4];
    const double h[4] = {0}, b[1] = {0}, r[1] = {5};
    ZwSparseResult result = {.a = a};
    assert_int_equal(zw_sparse_solve(solver.sparse, h, b, &result), ZW_ERR_UNDETERMINED);
    assert_int_equal(zw_sparse_project(solver.sparse, r, dx), ZW_OK);
    assert_near(dx[1] - 2 * dx[3], -5, 1e-13);
    assert_near(dx[0], 0, 1e-15);
    assert_true(dx[1] <= 0 && dx[3] >= 0); /* neither goes the wrong way */
    solver_free(&solver);
  }
  matrix_free(&sparse_M);
  matrix_free(&sparse_A);
}

/* Rows stated twice with right sides that differ, and a row without entries that asks for something. */
static void contradictions_are_found_and_named(void** state) {
  (void)state;
  for (int f = 0; f < 4; f++) {
    Case c = {.n = 4, .m = 4, .h = {1, 2, 3, 4}, .b = {1, 2, 5, 2.5}};
    const double A[16] = {1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0}; /* the last is the second once more */
    memcpy(c.A, A, sizeof A);
    for (int i = 0; i < 4; i++) c.M[i * 5] = 1 + i;
    assert_int_equal(solve(&c, forms[f / 2], ways[f % 2]), ZW_ERR_INCONSISTENT);
    assert_true(c.result.worst_row == 1 || c.result.worst_row == 3);
    assert_true(c.result.residual > 0.01);
    /* the others hold */
    assert_near(c.a[0] + c.a[1], 1, 1e-12);
    assert_near(c.a[2] + c.a[3], 5, 1e-12);
    c.b[3] = 2;
    assert_int_equal(solve(&c, forms[f / 2], ways[f % 2]), ZW_OK);
    check_equations(&c, 1e-14);

    Case empty = {.n = 2, .m = 2, .M = {1, 0, 0, 1}, .A = {1, 1, 0, 0}, .b = {1, 0}};
    assert_int_equal(solve(&empty, forms[f / 2], ways[f % 2]), ZW_OK);
    assert_near(empty.a[0], 0.5, 1e-15);
    empty.b[1] = 1e-3;
    assert_int_equal(solve(&empty, forms[f / 2], ways[f % 2]), ZW_ERR_INCONSISTENT);
    assert_int_equal(empty.result.worst_row, 1);
  }
}

/* A frame with one bar too many, loaded and at rest: accelerations are nothing but rounding, and that is no contradiction. */
static void loaded_frames_at_rest_do_not_contradict_themselves(void** state) {
  (void)state;
  Random random = random_from(8);
  for (int round = 0; round < 300; round++) {
    Case c = {.n = random_int(&random, 1, 12)};
    c.m = c.n + random_int(&random, 1, 6);
    fill_inertia(&random, &c, 3);
    for (int32_t k = 0; k < c.m; k++) {
      for (int e = 0; e < 3; e++) c.A[k * c.n + random_int(&random, 0, c.n - 1)] = random_number(&random);
      if (k < c.n) c.A[k * c.n + k] = 2;
    }
    double load = pow(10, 8 * random_number(&random));
    for (int32_t j = 0; j < c.n; j++) c.h[j] = load * random_number(&random);
    for (int f = 0; f < 4; f++) {
      assert_int_equal(solve(&c, forms[f / 2], ways[f % 2]), ZW_OK);
      assert_true(largest(c.n, c.a) < 1e-13 * load);
      for (int32_t j = 0; j < c.n; j++) assert_near(c.Qc[j], -c.h[j], 1e-12 * load + 1e-14 * largest(c.m, c.lambda));
    }
  }
}

static void helpers_say_which_row_follows_from_which(void** state) {
  (void)state;
  /* row 2 = 3 row 0 - 2 row 1, row 3 stands alone */
  const double A[16] = {1, 2, 0, 0, 0, 1, 1, 0, 3, 4, -2, 0, 0, 0, 0, 1},
               M[16] = {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4};
  const double relation[3] = {3, -2, -1};
  Matrix sparse_M = matrix_from(4, 4, M, true), sparse_A = matrix_from(4, 4, A, false);
  for (int f = 0; f < 4; f++) {
    Solver solver = solver_new(&sparse_M, &sparse_A, forms[f / 2], ways[f % 2]);
    assert_int_equal(zw_sparse_factor(solver.sparse, sparse_M.value, sparse_A.value), ZW_OK);
    int32_t weak[4];
    double c[4], residuals[4], a[4];
    assert_int_equal(zw_sparse_weak_rows(solver.sparse, weak), 1);
    assert_in_range(weak[0], 0, 2);
    assert_true(zw_sparse_pivot_ratio(solver.sparse) < 1e-14);
    double growth = zw_sparse_growth(solver.sparse);
    assert_true(growth > 1 - 1e-15 && growth < (f < 2 ? 1 + 1e-15 : 10));
    zw_sparse_dependence(solver.sparse, weak[0], c);
    for (int k = 0; k < 3; k++) assert_near(c[k], relation[k] / relation[weak[0]], 1e-13);
    assert_near(c[3], 0, 1e-13);
    /* one of the three is violated when they contradict each other */
    const double h[4] = {0}, b[4] = {1, 1, 2, 7};
    ZwSparseResult result = {.a = a};
    assert_int_equal(zw_sparse_solve(solver.sparse, h, b, &result), ZW_ERR_INCONSISTENT);
    zw_sparse_row_residuals(solver.sparse, residuals);
    assert_int_equal(result.worst_row, weak[0]);
    assert_true(residuals[weak[0]] > 0.01);
    assert_near(residuals[3], 0, 1e-14);
    solver_free(&solver);
  }
  matrix_free(&sparse_M);
  matrix_free(&sparse_A);
}

/* dx satisfies A dx = -r, and M dx is a combination of the rows of A: no other such step is shorter. */
static void projection_is_the_shortest_step(void** state) {
  (void)state;
  Random random = random_from(6);
  for (int round = 0; round < 300; round++) {
    Case c = {.n = random_int(&random, 1, 20)};
    c.m = random_int(&random, 0, c.n);
    fill_inertia(&random, &c, 4);
    fill_rows(&random, &c, random_int(&random, 0, c.m / 3));
    fill_right(&random, &c); /* b is in the range of A: take it for r */
    int32_t rows[ROWS];
    double weakest, want[N], Qc[N], dx[N];
    int32_t rank = independent_rows(&c, rows, &weakest);
    if (weakest < 1e-3) continue;
    for (int32_t j = 0; j < c.n; j++) c.h[j] = 0;
    solve_dense(&c, rank, rows, want, Qc);
    Matrix M = matrix_from(c.n, c.n, c.M, true), A = matrix_from(c.m, c.n, c.A, false);
    for (int f = 0; f < 4; f++) {
      Solver solver = solver_new(&M, &A, forms[f / 2], ways[f % 2]);
      assert_int_equal(zw_sparse_factor(solver.sparse, M.value, A.value), ZW_OK);
      assert_int_equal(zw_sparse_project(solver.sparse, c.b, dx), ZW_OK);
      for (int32_t j = 0; j < c.n; j++) assert_near(dx[j], -want[j], 1e-10 * (1 + largest(c.n, want)));
      solver_free(&solver);
    }
    matrix_free(&M);
    matrix_free(&A);
  }
}

/* With the same M as before only A is read; equal input gives equal bits, whatever was solved in between. */
static void constant_inertia_is_kept_and_answers_repeat(void** state) {
  (void)state;
  Random random = random_from(7);
  Case c = {.n = 20, .m = 12}, other;
  fill_inertia(&random, &c, 3);
  fill_rows(&random, &c, 3);
  fill_right(&random, &c);
  other = c;
  for (int32_t i = 0; i < c.m * c.n; i++) other.A[i] *= 1 + 0.1 * random_number(&random);
  Matrix M = matrix_from(c.n, c.n, c.M, true), A = matrix_from(c.m, c.n, c.A, false);
  Matrix other_A = matrix_from(c.m, c.n, other.A, false);
  for (int f = 0; f < 4; f++) {
    Solver solver = solver_new(&M, &A, forms[f / 2], ways[f % 2]);
    double a[3][N], lambda[3][ROWS];
    assert_int_equal(zw_sparse_factor(solver.sparse, NULL, A.value), ZW_ERR_ARGUMENT); /* there is no M yet */
    for (int i = 0; i < 3; i++) {
      ZwSparseResult result = {.a = a[i], .lambda = lambda[i]};
      assert_int_equal(zw_sparse_factor(solver.sparse, i == 0 ? M.value : NULL, i == 1 ? other_A.value : A.value),
                       ZW_OK);
      ZwStatus status = zw_sparse_solve(solver.sparse, c.h, c.b, &result);
      if (i != 1) assert_int_equal(status, ZW_OK);
    }
    assert_memory_equal(a[0], a[2], sizeof(double) * (size_t)c.n);
    assert_memory_equal(lambda[0], lambda[2], sizeof(double) * (size_t)c.m);
    assert_memory_not_equal(a[0], a[1], sizeof(double) * (size_t)c.n);
    solver_free(&solver);
  }
  matrix_free(&M);
  matrix_free(&A);
  matrix_free(&other_A);
}

/* A plan for all rows, told to use some, answers like a plan for these. */
static void rows_that_are_not_used_are_not_there(void** state) {
  (void)state;
  Random random = random_from(9);
  for (int round = 0; round < 300; round++) {
    Case c = {.n = random_int(&random, 1, 20)}, part;
    c.m = random_int(&random, 1, c.n);
    fill_inertia(&random, &c, 4);
    fill_rows(&random, &c, random_int(&random, 0, c.m / 3));
    fill_right(&random, &c);
    bool is_used[ROWS];
    part = c;
    part.m = 0;
    for (int32_t k = 0; k < c.m; k++) {
      is_used[k] = random_int(&random, 0, 1);
      if (!is_used[k]) continue;
      memcpy(part.A + part.m * c.n, c.A + k * c.n, sizeof(double) * (size_t)c.n);
      part.b[part.m++] = c.b[k];
    }
    int32_t rows[ROWS];
    double weakest;
    (void)independent_rows(&part, rows, &weakest);
    if (weakest < 1e-3) continue;
    Matrix M = matrix_from(c.n, c.n, c.M, true), A = matrix_from(c.m, c.n, c.A, false);
    for (int f = 0; f < 4; f++) {
      assert_int_equal(solve(&part, forms[f / 2], ways[f % 2]), ZW_OK);
      double scale = 1 + largest(c.n, part.a) + largest(c.n, part.Qc), dx[N], all[N];
      Solver solver = solver_new(&M, &A, forms[f / 2], ways[f % 2]);
      ZwSparseResult result = {.a = c.a, .lambda = c.lambda, .Qc = c.Qc};
      assert_int_equal(zw_sparse_factor(solver.sparse, M.value, A.value), ZW_OK);
      zw_sparse_use_rows(solver.sparse, is_used);
      assert_int_equal(zw_sparse_solve(solver.sparse, c.h, c.b, &result), ZW_ERR_ARGUMENT); /* not factored yet */
      assert_int_equal(zw_sparse_factor(solver.sparse, NULL, A.value), ZW_OK);
      for (int32_t k = 0; k < c.m; k++) c.b[k] += is_used[k] ? 0 : 1; /* nobody looks */
      assert_int_equal(zw_sparse_solve(solver.sparse, c.h, c.b, &result), ZW_OK);
      for (int32_t j = 0; j < c.n; j++) assert_near(c.a[j], part.a[j], 1e-10 * scale);
      for (int32_t j = 0; j < c.n; j++) assert_near(c.Qc[j], part.Qc[j], 1e-9 * scale);
      for (int32_t k = 0; k < c.m; k++) assert_true(is_used[k] || c.lambda[k] == 0);
      assert_int_equal(zw_sparse_project(solver.sparse, c.b, dx), ZW_OK);
      for (int32_t k = 0; k < c.m; k++) {
        double sum = c.b[k];
        for (int32_t j = 0; j < c.n; j++) sum += c.A[k * c.n + j] * dx[j];
        if (is_used[k]) assert_near(sum, 0, 1e-11 * scale);
        c.b[k] -= is_used[k] ? 0 : 1;
      }
      /* all of them again */
      zw_sparse_use_rows(solver.sparse, NULL);
      assert_int_equal(zw_sparse_factor(solver.sparse, NULL, A.value), ZW_OK);
      result.a = all;
      assert_int_equal(zw_sparse_solve(solver.sparse, c.h, c.b, &result), ZW_OK);
      for (int32_t k = 0; k < c.m; k++) {
        double sum = -c.b[k];
        for (int32_t j = 0; j < c.n; j++) sum += c.A[k * c.n + j] * all[j];
        assert_near(sum, 0, 1e-11 * (1 + largest(c.n, all) + largest(c.m, c.lambda)));
      }
      solver_free(&solver);
    }
    matrix_free(&M);
    matrix_free(&A);
  }
}

static void numbers_that_are_not_finite_are_refused(void** state) {
  (void)state;
  for (int f = 0; f < 4; f++) {
    Case c = {.n = 2, .m = 1, .M = {1, 0, 0, 1}, .A = {1, 1}, .b = {1}};
    assert_int_equal(solve(&c, forms[f / 2], ways[f % 2]), ZW_OK);
    Case bad[4] = {c, c, c, c};
    bad[0].M[3] = NAN;
    bad[1].A[1] = INFINITY;
    bad[2].h[0] = NAN;
    bad[3].b[0] = INFINITY;
    for (int i = 0; i < 4; i++) assert_int_equal(solve(&bad[i], forms[f / 2], ways[f % 2]), ZW_ERR_DOMAIN);
  }
}

static void indefinite_inertia_is_left_to_the_dense_solve(void** state) {
  (void)state;
  for (int f = 0; f < 4; f++) {
    Case c = {.n = 2, .m = 0, .M = {1, 2, 2, 1}, .h = {3, 5}};
    assert_int_equal(solve(&c, forms[f / 2], ways[f % 2]), ZW_ERR_MASS);
    Case negative = {.n = 2, .m = 1, .M = {1, 0, 0, -1}, .A = {1, 1}};
    assert_int_equal(solve(&negative, forms[f / 2], ways[f % 2]), ZW_ERR_MASS);
  }
}

static void patterns_that_are_none_are_refused(void** state) {
  (void)state;
  ZwArena arena;
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&arena, &allocator);
  const int32_t begin[3] = {0, 1, 2}, lower[2] = {0, 1}, upper[2] = {1, 1}, beyond[2] = {0, 2}, falling[2] = {1, 0};
  const int32_t two[2] = {0, 2};
  ZwCsr good = {2, 2, begin, lower}, row = {1, 2, two, lower};
  ZwSparsePlan* plan;
  ZwSparseDef defs[] = {{.M = {2, 2, begin, upper}, .A = good},
                        {.M = good, .A = {2, 2, begin, beyond}},
                        {.M = good, .A = {1, 2, two, falling}},
                        {.M = good, .A = {1, 3, two, lower}},
                        {.M = row, .A = good}};
  for (size_t i = 0; i < sizeof defs / sizeof *defs; i++) {
    assert_int_equal(zw_sparse_plan(&arena, &defs[i], &plan), ZW_ERR_ARGUMENT);
    assert_null(plan);
  }
  ZwSparseDef fine = {.M = good, .A = row};
  assert_int_equal(zw_sparse_plan(&arena, &fine, &plan), ZW_OK);
  zw_arena_destroy(&arena);
}

static void nothing_at_all_is_solved(void** state) {
  (void)state;
  for (int f = 0; f < 4; f++) {
    Case none = {.n = 0, .m = 0};
    assert_int_equal(solve(&none, forms[f / 2], ways[f % 2]), ZW_OK);
    Case free_mass = {.n = 1, .m = 0, .M = {2}, .h = {3}};
    assert_int_equal(solve(&free_mass, forms[f / 2], ways[f % 2]), ZW_OK);
    assert_near(free_mass.a[0], 1.5, 1e-15);
    assert_int_equal(free_mass.result.worst_row, -1);
    Case rows_only = {.n = 1, .m = 3, .M = {2}, .A = {1, 2, 4}, .b = {1, 2, 4}};
    assert_int_equal(solve(&rows_only, forms[f / 2], ways[f % 2]), ZW_OK);
    assert_near(rows_only.a[0], 1, 1e-15);
    assert_near(rows_only.Qc[0], 2, 1e-14);
  }
}

static void gaussian_is_least(void** state) {
  (void)state;
  /* unit masses pulled by (1, 2, 2), held to a_1 = 4: away by 3, so 9/2 */
  for (int way = 0; way < 2; way++) {
    Case c = {.n = 3, .m = 1, .M = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .h = {1, 2, 2}, .A = {1, 0, 0}, .b = {4}};
    assert_int_equal(solve(&c, ZW_SPARSE_SCHUR, ways[way]), ZW_OK);
    assert_near(c.result.gaussian, 4.5, 1e-14);
    assert_near(c.lambda[0], 3, 1e-14);
    assert_int_equal(solve(&c, ZW_SPARSE_KKT, ways[way]), ZW_OK);
    assert_true(isnan(c.result.gaussian));
    assert_near(c.lambda[0], 3, 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_the_dense_solve_for_point_masses),
      cmocka_unit_test(agrees_with_the_dense_solve_for_bodies),
      cmocka_unit_test(agrees_with_lapack_for_coupled_inertia),
      cmocka_unit_test(units_change_nothing),
      cmocka_unit_test(agrees_with_the_dense_solve_where_inertia_is_missing),
      cmocka_unit_test(undetermined_directions_are_found),
      cmocka_unit_test(contradictions_are_found_and_named),
      cmocka_unit_test(loaded_frames_at_rest_do_not_contradict_themselves),
      cmocka_unit_test(helpers_say_which_row_follows_from_which),
      cmocka_unit_test(projection_is_the_shortest_step),
      cmocka_unit_test(constant_inertia_is_kept_and_answers_repeat),
      cmocka_unit_test(rows_that_are_not_used_are_not_there),
      cmocka_unit_test(numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(indefinite_inertia_is_left_to_the_dense_solve),
      cmocka_unit_test(patterns_that_are_none_are_refused),
      cmocka_unit_test(nothing_at_all_is_solved),
      cmocka_unit_test(gaussian_is_least),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
