/* Whole mechanisms, large ones too: what every form must do alike. */
#include "problems.h"

/* Tridiagonal elimination, written for chains of unit masses. */
static void solve_chain_by_hand(const Chain* chain, double* a) {
  int32_t n = chain->links;
  double *diagonal = malloc(sizeof(double) * (size_t)n), *off = calloc((size_t)n, sizeof(double));
  double* right = malloc(sizeof(double) * (size_t)n);
  for (int32_t i = 0; i < n; i++) {
    const double* row = chain->A.value + chain->A.begin[i];
    const double* before = chain->A.value + (i > 0 ? chain->A.begin[i] - 2 : 0);
    int32_t first = i > 0 ? 2 : 0; /* where the entries of mass i begin */
    diagonal[i] = (row[first] * row[first] + row[first + 1] * row[first + 1]) * (i > 0 ? 2 : 1);
    if (i > 0) off[i] = row[0] * before[0] + row[1] * before[1];
    right[i] = chain->b[i] + (i > 0 ? 0 : 9.81 * row[1]); /* gravity moves all alike */
  }
  for (int32_t i = 1; i < n; i++) {
    double l = off[i] / diagonal[i - 1];
    diagonal[i] -= l * off[i];
    right[i] -= l * right[i - 1];
  }
  for (int32_t i = n - 1; i >= 0; i--)
    right[i] = (right[i] - (i + 1 < n ? off[i + 1] * right[i + 1] : 0)) / diagonal[i];
  for (int32_t j = 0; j < 2 * n; j++) a[j] = chain->h[j];
  for (int32_t i = 0; i < n; i++) {
    for (int32_t p = chain->A.begin[i]; p < chain->A.begin[i + 1]; p++)
      a[chain->A.column[p]] += chain->A.value[p] * right[i];
  }
  free(diagonal);
  free(off);
  free(right);
}

static double largest_difference(ptrdiff_t count, const double* x, const double* y) {
  double most = 0;
  for (ptrdiff_t i = 0; i < count; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

static void chains_of_any_length_hang_as_by_hand(void** state) {
  (void)state;
  const int32_t lengths[] = {1, 2, 3, 10, 1000, 100000};
  for (int i = 0; i < 6; i++) {
    Chain chain = chain_new(lengths[i], 1);
    int32_t n = 2 * lengths[i];
    double *a = malloc(sizeof(double) * (size_t)n), *want = malloc(sizeof(double) * (size_t)n);
    solve_chain_by_hand(&chain, want);
    for (int form = ZW_SPARSE_AUTO; form <= ZW_SPARSE_KKT; form++) {
      Solver solver = solver_new(&chain.M, &chain.A, (ZwSparseForm)form, ZW_LDL_AUTO);
      ZwSparseResult result = {.a = a};
      assert_int_equal(zw_sparse_factor(solver.sparse, chain.M.value, chain.A.value), ZW_OK);
      assert_int_equal(zw_sparse_solve(solver.sparse, chain.h, chain.b, &result), ZW_OK);
      assert_true(largest_difference(n, a, want) < 1e-11 * (1 + largest(n, want)));
      assert_true(zw_sparse_cost(solver.plan).entries < 3 * lengths[i] + 3 * lengths[i]);
      solver_free(&solver);
    }
    free(a);
    free(want);
    chain_free(&chain);
  }
}

/* Straight down, the rows of a chain are as near to dependent as they can be: what is left of the last one is one part in
 * as many as there are links. A pull at the end accelerates all links alike, against their inertia. */
static void straight_chains_keep_their_digits(void** state) {
  (void)state;
  const int32_t lengths[] = {1000, 100000};
  for (int i = 0; i < 2; i++) {
    int32_t links = lengths[i], n = 2 * links;
    Chain chain = chain_new(links, 1);
    for (int32_t k = 0; k < links; k++) {
      for (int32_t p = chain.A.begin[k]; p < chain.A.begin[k + 1]; p++) {
        bool is_own = p >= chain.A.begin[k + 1] - 2;
        chain.A.value[p] = chain.A.column[p] % 2 ? (is_own ? -1 : 1) : 0;
      }
      chain.b[k] = -2; /* each mass is left behind by two more than the one above it */
    }
    double *a = malloc(sizeof(double) * (size_t)n), *lambda = malloc(sizeof(double) * (size_t)links);
    for (int form = ZW_SPARSE_SCHUR; form <= ZW_SPARSE_KKT; form++) {
      Solver solver = solver_new(&chain.M, &chain.A, (ZwSparseForm)form, ZW_LDL_AUTO);
      ZwSparseResult result = {.a = a, .lambda = lambda};
      assert_int_equal(zw_sparse_factor(solver.sparse, chain.M.value, chain.A.value), ZW_OK);
      assert_int_equal(zw_sparse_solve(solver.sparse, chain.h, chain.b, &result), ZW_OK);
      for (int32_t k = 0; k < links; k++) {
        assert_near(a[2 * k], 0, 0);
        assert_near(a[2 * k + 1], 2.0 * (k + 1), 1e-16 * links * (2.0 * links)); /* the condition is `links` */
      }
      solver_free(&solver);
    }
    free(a);
    free(lambda);
    chain_free(&chain);
  }
}

/* Every tenth row is stated again, twice as large. The motion does not know. */
static void rows_stated_twice_change_no_acceleration(void** state) {
  (void)state;
  enum { LINKS = 5000, TWICE = LINKS / 10, ROWS = LINKS + TWICE };
  Chain chain = chain_new(LINKS, 2);
  Matrix A = matrix_new(ROWS, 2 * LINKS, 4 * ROWS);
  double *b = malloc(sizeof(double) * ROWS), *lambda = malloc(sizeof(double) * ROWS);
  double *a = malloc(sizeof(double) * 2 * LINKS), *want = malloc(sizeof(double) * 2 * LINKS);
  for (int32_t k = 0; k < ROWS; k++) {
    int32_t from = k < LINKS ? k : 10 * (k - LINKS) + 3;
    double factor = k < LINKS ? 1 : 2;
    for (int32_t p = chain.A.begin[from]; p < chain.A.begin[from + 1]; p++) {
      matrix_add(&A, k, chain.A.column[p], factor * chain.A.value[p]);
    }
    matrix_next_row(&A, k);
    b[k] = factor * chain.b[from];
  }
  solve_chain_by_hand(&chain, want);
  for (int form = ZW_SPARSE_SCHUR; form <= ZW_SPARSE_KKT; form++) {
    for (int way = ZW_LDL_ROWS; way <= ZW_LDL_PANELS; way++) {
      Solver solver = solver_new(&chain.M, &A, (ZwSparseForm)form, (ZwLdlWay)way);
      ZwSparseResult result = {.a = a, .lambda = lambda};
      assert_int_equal(zw_sparse_factor(solver.sparse, chain.M.value, A.value), ZW_OK);
      assert_int_equal(zw_sparse_solve(solver.sparse, chain.h, b, &result), ZW_OK);
      assert_true(largest_difference(2 * LINKS, a, want) < 1e-10 * (1 + largest(2 * LINKS, want)));
      int32_t* weak = malloc(sizeof(int32_t) * ROWS);
      assert_int_equal(zw_sparse_weak_rows(solver.sparse, weak), TWICE);
      free(weak);
      solver_free(&solver);
    }
  }
  free(b);
  free(lambda);
  free(a);
  free(want);
  matrix_free(&A);
  chain_free(&chain);
}

/* A net of bars in the plane with both diagonals in each field: more rows than it takes, and loops everywhere. The
 * positions of the knots are those of the bars, so b follows from an acceleration of the knots; with it the rows do
 * not contradict each other. */
static void braced_nets_agree_in_all_forms(void** state) {
  (void)state;
  enum { SIDE = 12, KNOTS = SIDE * SIDE, BARS = 4 * KNOTS };
  Random random = random_from(3);
  double x[KNOTS][2], given[2 * KNOTS], h[2 * KNOTS], b[BARS], a[4][2 * KNOTS];
  Matrix M = matrix_new(2 * KNOTS, 2 * KNOTS, 2 * KNOTS), A = matrix_new(BARS, 2 * KNOTS, 4 * BARS);
  const int32_t steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
  int32_t bars = 0;
  for (int32_t i = 0; i < KNOTS; i++) {
    x[i][0] = i % SIDE + 0.2 * random_number(&random);
    x[i][1] = i / SIDE + 0.2 * random_number(&random);
  }
  random_fill(&random, 2 * KNOTS, given);
  random_fill(&random, 2 * KNOTS, h);
  for (int32_t j = 0; j < 2 * KNOTS; j++) {
    matrix_add(&M, j, j, 1 + j % 3);
    matrix_next_row(&M, j);
  }
  for (int32_t i = 0; i < KNOTS; i++) {
    for (int s = 0; s < 4; s++) {
      int32_t column = i % SIDE + steps[s][0], j = i + steps[s][0] + SIDE * steps[s][1];
      if (column < 0 || column >= SIDE || j >= KNOTS) continue;
      b[bars] = 0;
      for (int d = 0; d < 4; d++) {
        int32_t knot = d < 2 ? i : j;
        double value = (x[i][d % 2] - x[j][d % 2]) * (d < 2 ? 1 : -1);
        matrix_add(&A, bars, 2 * knot + d % 2, value);
        b[bars] += value * given[2 * knot + d % 2];
      }
      matrix_next_row(&A, bars);
      bars++;
    }
  }
  A.csr.rows = bars;
  assert_true(bars > 2 * KNOTS - 3 + KNOTS / 2); /* many more than hold the net rigid */
  for (int f = 0; f < 4; f++) {
    Solver solver = solver_new(&M, &A, f / 2 ? ZW_SPARSE_KKT : ZW_SPARSE_SCHUR, f % 2 ? ZW_LDL_PANELS : ZW_LDL_ROWS);
    ZwSparseResult result = {.a = a[f]};
    assert_int_equal(zw_sparse_factor(solver.sparse, M.value, A.value), ZW_OK);
    assert_int_equal(zw_sparse_solve(solver.sparse, h, b, &result), ZW_OK);
    assert_true(result.residual < 1e-11);
    int32_t weak[BARS];
    int32_t found = zw_sparse_weak_rows(solver.sparse, weak), redundant = bars - (2 * KNOTS - 3);
    assert_in_range(found, redundant, f < 2 ? redundant : redundant + 3); /* some rows of the KKT form come too early */
    solver_free(&solver);
  }
  for (int f = 1; f < 4; f++) assert_true(largest_difference(2 * KNOTS, a[0], a[f]) < 1e-9 * largest(2 * KNOTS, a[0]));
  matrix_free(&M);
  matrix_free(&A);
}

/* ---- which form, and whether at all ---- */

static void short_chains_are_dense_and_long_ones_sparse(void** state) {
  (void)state;
  int32_t worth_from = 0;
  for (int32_t links = 1; links <= 40; links++) {
    Chain chain = chain_new(links, 1);
    Solver solver = solver_new(&chain.M, &chain.A, ZW_SPARSE_AUTO, ZW_LDL_AUTO);
    ZwSparseCost cost = zw_sparse_cost(solver.plan);
    assert_int_equal(cost.form, ZW_SPARSE_SCHUR);
    assert_int_equal(cost.way, ZW_LDL_ROWS);
    assert_near(cost.dense, zw_sparse_cost_dense(2 * links, links), 0);
    assert_true(cost.is_worth_it == (3 * cost.schur < cost.dense));
    if (cost.is_worth_it && worth_from == 0) worth_from = links;
    if (worth_from) assert_true(cost.is_worth_it);
    solver_free(&solver);
    chain_free(&chain);
  }
  assert_in_range(worth_from, 3, 9); /* n + m is three times as much */
}

/* A body that thousands of rows touch: S would be full, K is not. */
static void a_hub_takes_the_whole_matrix(void** state) {
  (void)state;
  const int32_t spokes[] = {50, 400, 5000};
  for (int i = 0; i < 3; i++) {
    int32_t m = spokes[i], n = m + 1;
    Matrix M = matrix_new(n, n, n), A = matrix_new(m, n, 2 * m);
    double *h = calloc((size_t)n, sizeof(double)), *b = calloc((size_t)m, sizeof(double));
    double* a = malloc(sizeof(double) * (size_t)n);
    for (int32_t j = 0; j < n; j++) {
      matrix_add(&M, j, j, 1);
      matrix_next_row(&M, j);
    }
    for (int32_t k = 0; k < m; k++) { /* all follow the first coordinate */
      matrix_add(&A, k, 0, 1);
      matrix_add(&A, k, k + 1, -1);
      matrix_next_row(&A, k);
    }
    h[0] = n;
    Solver solver = solver_new(&M, &A, ZW_SPARSE_AUTO, ZW_LDL_AUTO);
    ZwSparseCost cost = zw_sparse_cost(solver.plan);
    assert_int_equal(cost.form, ZW_SPARSE_KKT);
    assert_true(cost.kkt < 0.5 * cost.schur);
    assert_true(cost.kkt < 200 * n);
    ZwSparseResult result = {.a = a};
    assert_int_equal(zw_sparse_factor(solver.sparse, M.value, A.value), ZW_OK);
    assert_int_equal(zw_sparse_solve(solver.sparse, h, b, &result), ZW_OK);
    for (int32_t j = 0; j < n; j++) assert_near(a[j], 1, 1e-12);
    solver_free(&solver);
    free(h);
    free(b);
    free(a);
    matrix_free(&M);
    matrix_free(&A);
  }
}

/* Twice as many links take twice as many operations and twice as much memory. */
static void chains_cost_the_same_per_link(void** state) {
  (void)state;
  double operations[2], bytes[2];
  for (int i = 0; i < 2; i++) {
    Chain chain = chain_new(i ? 20000 : 10000, 1);
    for (int form = ZW_SPARSE_SCHUR; form <= ZW_SPARSE_KKT; form++) {
      Solver solver = solver_new(&chain.M, &chain.A, (ZwSparseForm)form, ZW_LDL_AUTO);
      ZwSparseCost cost = zw_sparse_cost(solver.plan);
      double now = form == ZW_SPARSE_SCHUR ? cost.schur : cost.kkt, size = (double)zw_sparse_work_size(solver.plan);
      if (i == 1) {
        assert_near(now / operations[form - 1], 2, 0.01);
        assert_near(size / bytes[form - 1], 2, 0.01);
      }
      operations[form - 1] = now;
      bytes[form - 1] = size;
      solver_free(&solver);
    }
    if (i == 0) {
      /* 10000 links, below 60 and 200 multiply-adds each */
      assert_true(operations[0] < 60 * 10000);
      assert_true(operations[1] < 200 * 10000);
    }
    chain_free(&chain);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_of_any_length_hang_as_by_hand),
      cmocka_unit_test(straight_chains_keep_their_digits),
      cmocka_unit_test(rows_stated_twice_change_no_acceleration),
      cmocka_unit_test(braced_nets_agree_in_all_forms),
      cmocka_unit_test(short_chains_are_dense_and_long_ones_sparse),
      cmocka_unit_test(a_hub_takes_the_whole_matrix),
      cmocka_unit_test(chains_cost_the_same_per_link),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
