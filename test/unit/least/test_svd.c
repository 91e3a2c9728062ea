#include "../numbers.h"

#include <float.h>
#include <lapacke.h>
#include <string.h>

#include "least/svd.h"

enum { N = 20 };

static double A[N * N], sigma[N], Ut[N * N], Vt[N * N];

static double dot(int32_t n, const double* x, const double* y) {
  double s = 0;
  for (int32_t i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

/* Orthonormal vectors, falling values, and U S V^T = A to the rounding of the largest value. */
static void check(int32_t m, int32_t n) {
  int32_t k = m < n ? m : n;
  assert_int_equal(zw_svd(m, n, A, sigma, Ut, Vt), ZW_OK);
  for (int32_t i = 0; i < k; i++) {
    assert_true(sigma[i] >= 0 && (i == 0 || sigma[i] <= sigma[i - 1]));
    for (int32_t j = 0; j < k; j++) {
      assert_near(dot(m, Ut + i * m, Ut + j * m), i == j, 2e-14);
      assert_near(dot(n, Vt + i * n, Vt + j * n), i == j, 2e-14);
    }
  }
  for (int32_t i = 0; i < m; i++) {
    for (int32_t j = 0; j < n; j++) {
      double sum = 0;
      for (int32_t p = 0; p < k; p++) sum += Ut[p * m + i] * sigma[p] * Vt[p * n + j];
      assert_near(sum, A[i * n + j], 2e-14 * sigma[0]);
    }
  }
}

static void check_lapack(int32_t m, int32_t n) {
  double copy[N * N], want[N], unused[N];
  int32_t k = m < n ? m : n;
  memcpy(copy, A, sizeof copy);
  if (k == 0) return;
  assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m, n, copy, n, want, unused, 1, unused, 1, unused + 1),
                   0);
  for (int32_t i = 0; i < k; i++) assert_near(sigma[i], want[i], 4 * DBL_EPSILON * N * want[0]);
}

static void random_matrices_of_all_shapes(void** state) {
  (void)state;
  Random random = random_from(1);
  for (int32_t m = 0; m <= N; m++) {
    for (int32_t n = 0; n <= N; n++) {
      random_fill(&random, m * n, A);
      check(m, n);
      check_lapack(m, n);
    }
  }
}

static void deficient_matrices(void** state) {
  (void)state;
  Random random = random_from(2);
  for (int round = 0; round < 200; round++) {
    int32_t m = random_int(&random, 1, N), n = random_int(&random, 1, N), r = random_int(&random, 0, m < n ? m : n);
    double left[N * N], right[N * N];
    random_fill(&random, m * r, left);
    random_fill(&random, r * n, right);
    memset(A, 0, sizeof A);
    for (int32_t i = 0; i < m * n; i++) {
      for (int32_t p = 0; p < r; p++) A[i] += left[(i / n) * r + p] * right[p * n + i % n];
    }
    check(m, n);
    check_lapack(m, n);
    for (int32_t i = r; i < (m < n ? m : n); i++) assert_near(sigma[i], 0, 1e-14 * (r ? sigma[0] : 1));
  }
}

static void zero_matrix_still_has_vectors(void** state) {
  (void)state;
  memset(A, 0, sizeof A);
  check(3, 5);
  check(5, 3);
  check(4, 4);
  assert_near(sigma[0], 0, 0);
}

static void size_does_not_matter(void** state) {
  (void)state;
  Random random = random_from(3);
  const double sizes[] = {1e-300, 1e-200, 1e200, 1e300};
  for (int s = 0; s < 4; s++) {
    random_fill(&random, 6 * 4, A);
    for (int i = 0; i < 24; i++) A[i] *= sizes[s];
    check(6, 4);
  }
}

/* Graded columns: every singular value right to 14 digits of its own, where LAPACK's bound is sixteen of the largest. */
static void small_values_of_graded_columns_are_right(void** state) {
  (void)state;
  Random random = random_from(4);
  double Q[36];
  random_orthogonal(&random, 6, Q);
  for (int i = 0; i < 36; i++) A[i] = Q[i] * pow(10, -5 * (i % 6));
  check(6, 6);
  for (int i = 0; i < 6; i++) assert_near(sigma[i] / pow(10, -5 * i), 1, 1e-14);
}

static void numbers_that_are_none_are_refused(void** state) {
  (void)state;
  memset(A, 0, sizeof A);
  A[3] = NAN;
  assert_int_equal(zw_svd(2, 2, A, sigma, Ut, Vt), ZW_ERR_DOMAIN);
  A[3] = INFINITY;
  assert_int_equal(zw_svd(2, 2, A, sigma, Ut, Vt), ZW_ERR_DOMAIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_matrices_of_all_shapes),
      cmocka_unit_test(deficient_matrices),
      cmocka_unit_test(zero_matrix_still_has_vectors),
      cmocka_unit_test(size_does_not_matter),
      cmocka_unit_test(small_values_of_graded_columns_are_right),
      cmocka_unit_test(numbers_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
