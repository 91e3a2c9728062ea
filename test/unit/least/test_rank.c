#include "../numbers.h"

#include <lapacke.h>

#include "least/cholesky.h"
#include "least/rank.h"

enum { N = 16 };

/* Exactly as much memory as was asked for, so that a sanitizer sees one number too many. */
static ZwRank* new_rank(int32_t m, int32_t n) {
  return zw_rank_place(malloc(zw_rank_work_size(m, n)), m, n);
}

/* Every dependent row is the named combination of the rows as given. */
static void check_coefficients(const ZwRank* rank, int32_t n, const double* A, double tol) {
  int32_t r = rank->rank;
  for (int32_t i = 0; i < rank->m - r; i++) {
    for (int32_t j = 0; j < n; j++) {
      double sum = 0;
      for (int32_t p = 0; p < r; p++) sum += rank->coefficients[i * r + p] * A[rank->order[p] * n + j];
      assert_near(sum, A[rank->order[r + i] * n + j], tol);
    }
  }
}

static void check_order(const ZwRank* rank) {
  bool seen[N] = {false};
  for (int32_t i = 0; i < rank->m; i++) {
    assert_in_range(rank->order[i], 0, rank->m - 1);
    assert_false(seen[rank->order[i]]);
    seen[rank->order[i]] = true;
  }
}

/* U96: a constraint stated twice, the second time doubled. */
static void row_stated_twice_names_the_first(void** state) {
  (void)state;
  const double A[6] = {0.3, -0.4, 0.5, 0.6, -0.8, 1.0}, scale[2] = {sqrt(0.5), 2 * sqrt(0.5)};
  ZwRank* rank = new_rank(2, 3);
  assert_int_equal(zw_rank_decide(rank, 2, 3, A, scale, NULL), ZW_OK);
  assert_int_equal(rank->rank, 1);
  assert_int_equal(rank->order[0], 0);
  assert_int_equal(rank->order[1], 1);
  assert_near(rank->coefficients[0], 2, 1e-15);
  free(rank);
}

static void dependent_row_names_only_its_sources(void** state) {
  (void)state;
  /* row 3 = 2 row 0 - row 2; row 1 has nothing to do with it */
  const double A[20] = {3, 0, 1, 0, 0, 0, 5, 0, 0, 1, 0, 1, 0, 4, 0, 6, -1, 2, -4, 0};
  ZwRank* rank = new_rank(4, 5);
  assert_int_equal(zw_rank_decide(rank, 4, 5, A, NULL, NULL), ZW_OK);
  assert_int_equal(rank->rank, 3);
  check_order(rank);
  check_coefficients(rank, 5, A, 1e-14);
  for (int32_t p = 0; p < 3; p++) {
    if (rank->order[p] == 1) assert_near(rank->coefficients[p], 0, 0);
  }
  assert_false(rank->is_by_svd);
  assert_near(rank->dropped, 0, 1e-14);
  free(rank);
}

static void planted_ranks_are_found(void** state) {
  (void)state;
  Random random = random_from(1);
  for (int round = 0; round < 500; round++) {
    int32_t m = random_int(&random, 0, N), n = random_int(&random, 1, N);
    int32_t r = random_int(&random, 0, m < n ? m : n);
    /* r random rows, and combinations of them; then units that differ by up to 1e6 between rows */
    double A[N * N] = {0}, scale[N], M[N * N];
    for (int32_t i = 0; i < m; i++) {
      if (i < r) random_fill(&random, n, A + i * n);
      for (int32_t p = 0; i >= r && p < r; p++) {
        double c = random_number(&random);
        for (int32_t j = 0; j < n; j++) A[i * n + j] += c * A[p * n + j];
      }
    }
    for (int32_t i = 0; i < m; i++) {
      double unit = pow(10, 3 * random_number(&random));
      for (int32_t j = 0; j < n; j++) A[i * n + j] *= unit;
    }
    random_definite(&random, n, 100, M);
    assert_int_equal(zw_cholesky_factor(n, M), n);
    ZwRank* rank = new_rank(m, n);
    zw_rank_row_sizes(rank, m, n, A, M, scale);
    for (int32_t i = 0; i < m; i++) scale[i] = scale[i] > 0 ? scale[i] : 1;
    assert_int_equal(zw_rank_decide(rank, m, n, A, scale, M), ZW_OK);
    assert_int_equal(rank->rank, r);
    check_order(rank);
    check_coefficients(rank, n, A, 1e-7 * (1 + largest(m * n, A)));
    free(rank);
  }
}

static void metric_measures_the_rows(void** state) {
  (void)state;
  /* M = diag(4, 1/4): L^-1 turns (2, 1) into (1, 2) */
  const double A[2] = {2, 1}, L[4] = {2, 0, 0, 0.5};
  double size[1];
  ZwRank* rank = new_rank(1, 2);
  zw_rank_row_sizes(rank, 1, 2, A, L, size);
  assert_near(size[0], sqrt(5), 1e-15);
  zw_rank_row_sizes(rank, 1, 2, A, NULL, size);
  assert_near(size[0], sqrt(5), 1e-15);
  /* a heavy coordinate makes its row small */
  const double heavy[4] = {1e8, 0, 0, 1}, rows[4] = {1, 0, 0, 1};
  ZwRank* two = new_rank(2, 2);
  assert_int_equal(zw_rank_decide(two, 2, 2, rows, NULL, heavy), ZW_OK);
  assert_int_equal(two->rank, 1);
  assert_int_equal(two->order[0], 1);
  free(rank);
  free(two);
}

/* Scales remember the size that rows can have: a row that is small now is zero, although its direction is new. */
static void vanishing_row_is_seen(void** state) {
  (void)state;
  const double A[4] = {1, 0, 0, 1e-9}, remembered[2] = {1, 1}, present[2] = {1, 1e-9};
  ZwRank* rank = new_rank(2, 2);
  assert_int_equal(zw_rank_decide(rank, 2, 2, A, remembered, NULL), ZW_OK);
  assert_int_equal(rank->rank, 1);
  assert_near(rank->kept, 1, 1e-15);
  assert_near(rank->dropped, 1e-9, 1e-20);
  assert_int_equal(zw_rank_decide(rank, 2, 2, A, present, NULL), ZW_OK);
  assert_int_equal(rank->rank, 2);
  free(rank);
}

static void rounding_has_no_rank(void** state) {
  (void)state;
  const double zero[6] = {0}, noise[6] = {1e-16, -2e-16, 0, 1e-17, 3e-16, 1e-16};
  ZwRank* rank = new_rank(2, 3);
  assert_int_equal(zw_rank_decide(rank, 2, 3, zero, NULL, NULL), ZW_OK);
  assert_int_equal(rank->rank, 0);
  assert_int_equal(zw_rank_decide(rank, 2, 3, noise, NULL, NULL), ZW_OK);
  assert_int_equal(rank->rank, 0);
  assert_int_equal(rank->order[0] + rank->order[1], 1);
  assert_int_equal(zw_rank_decide(rank, 0, 3, NULL, NULL, NULL), ZW_OK);
  assert_int_equal(rank->rank, 0);
  assert_int_equal(zw_rank_decide(rank, 2, 0, NULL, NULL, NULL), ZW_OK);
  assert_int_equal(rank->rank, 0);
  free(rank);
}

/* Kahan's matrix: the last pivot stays far above the smallest singular value, so that counting pivots is wrong. */
static void singular_values_have_the_last_word(void** state) {
  (void)state;
  enum { K = 16 };
  double A[K * K] = {0}, s = 0.4, c = -sqrt(1 - s * s), sigma[K], copy[K * K], unused[K];
  for (int32_t i = 0; i < K; i++) {
    /* columns shrink a little, so that pivoting leaves the order alone; rows of A are columns of Kahan's matrix */
    for (int32_t j = 0; j <= i; j++) A[i * K + j] = (j == i ? 1 : c) * pow(s, j) * pow(1 - 1e-6, i);
  }
  for (int32_t i = 0; i < K * K; i++) copy[i] = A[i];
  assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', K, K, copy, K, sigma, unused, 1, unused, 1, unused + 1),
                   0);
  int32_t want = 0;
  while (want < K && sigma[want] > 1e-6 * sigma[0]) want++;
  int32_t counted = 0;
  while (counted < K && pow(s, counted) * pow(1 - 1e-6, counted) > 1e-6) counted++;
  assert_true(want < counted); /* the example does what it is for */
  ZwRank* rank = new_rank(K, K);
  assert_int_equal(zw_rank_decide(rank, K, K, A, NULL, NULL), ZW_OK);
  assert_true(rank->is_by_svd);
  assert_int_equal(rank->rank, want);
  free(rank);
}

static void threshold_is_where_it_is_said_to_be(void** state) {
  (void)state;
  ZwRank* rank = new_rank(2, 2);
  for (int sign = -1; sign <= 1; sign += 2) {
    const double A[4] = {1, 0, 0, 1e-6 * (1 + 0.01 * sign)};
    assert_int_equal(zw_rank_decide(rank, 2, 2, A, NULL, NULL), ZW_OK);
    assert_true(rank->is_by_svd);
    assert_int_equal(rank->rank, sign > 0 ? 2 : 1);
  }
  free(rank);
}

/* Between rounding and what counts as new, what is left of a row is told. */
static void rows_that_are_nearly_said_are_told(void** state) {
  (void)state;
  const double near[3] = {1e-15, 1e-8, 1e-5};
  ZwRank* rank = new_rank(2, 2);
  for (int k = 0; k < 3; k++) {
    const double A[4] = {1, 0, 1 - 1e-3, near[k]}, other[4] = {1e9, 0, 1e9, 1e9 * near[k]};
    assert_int_equal(zw_rank_decide(rank, 2, 2, A, NULL, NULL), ZW_OK);
    assert_int_equal(rank->rank, k == 2 ? 2 : 1);
    if (k < 2) assert_true(fabs(rank->left[0] - (k == 1 ? 1e-8 : 0)) < 1e-14);
    if (k < 2) assert_int_equal(rank->order[1], 1);
    assert_int_equal(zw_rank_decide(rank, 2, 2, other, NULL, NULL), ZW_OK);
    if (k < 2) assert_true(fabs(rank->left[0] - (k == 1 ? 1e-8 : 0)) < 1e-14);
  }
  const double alone[4] = {0, 0, 1e-14, 1e-15};
  assert_int_equal(zw_rank_decide(rank, 2, 2, alone, NULL, NULL), ZW_OK);
  assert_int_equal(rank->rank, 0);
  assert_true(rank->left[0] == 0 && rank->left[1] == 0);
  free(rank);
}

static void numbers_that_are_none_are_refused(void** state) {
  (void)state;
  const double bad[2] = {1, NAN}, good[2] = {1, 2}, scale[1] = {0};
  ZwRank* rank = new_rank(1, 2);
  assert_int_equal(zw_rank_decide(rank, 1, 2, bad, NULL, NULL), ZW_ERR_DOMAIN);
  assert_int_equal(zw_rank_decide(rank, 1, 2, good, scale, NULL), ZW_ERR_DOMAIN);
  free(rank);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(row_stated_twice_names_the_first),
      cmocka_unit_test(dependent_row_names_only_its_sources),
      cmocka_unit_test(planted_ranks_are_found),
      cmocka_unit_test(metric_measures_the_rows),
      cmocka_unit_test(vanishing_row_is_seen),
      cmocka_unit_test(rounding_has_no_rank),
      cmocka_unit_test(singular_values_have_the_last_word),
      cmocka_unit_test(threshold_is_where_it_is_said_to_be),
      cmocka_unit_test(rows_that_are_nearly_said_are_told),
      cmocka_unit_test(numbers_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
