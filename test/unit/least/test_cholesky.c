#include "../numbers.h"

#include <float.h>
#include <lapacke.h>
#include <string.h>

#include "least/cholesky.h"

enum { N = 40 };

static void factor_agrees_with_lapack(void** state) {
  (void)state;
  Random random = random_from(1);
  for (int32_t n = 0; n <= N; n++) {
    double M[N * N] = {0}, want[N * N];
    random_definite(&random, n, 100, M);
    memcpy(want, M, sizeof M);
    assert_int_equal(zw_cholesky_factor(n, M), n);
    if (n > 0) assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, want, n), 0);
    for (int32_t i = 0; i < n * n; i++) assert_near(M[i], want[i], 1e-14 * n);
  }
}

static void part_above_the_diagonal_is_left_alone(void** state) {
  (void)state;
  double M[4] = {4, NAN, 2, 5};
  assert_int_equal(zw_cholesky_factor(2, M), 2);
  assert_true(isnan(M[1]));
  assert_near(M[0], 2, 0);
  assert_near(M[2], 1, 0);
  assert_near(M[3], 2, 0);
}

/* |x - want| <= 4 n eps cond |want|: the textbook bound with a modest constant */
static void error_grows_with_condition_only(void** state) {
  (void)state;
  Random random = random_from(2);
  for (int round = 0; round < 200; round++) {
    int32_t n = random_int(&random, 1, 20);
    double cond = pow(10, 4 + 4 * random_number(&random));
    double M[N * N], want[N], x[N];
    random_definite(&random, n, cond, M);
    random_fill(&random, n, want);
    for (int32_t i = 0; i < n; i++) {
      long double sum = 0;
      for (int32_t j = 0; j < n; j++) sum += (long double)M[i * n + j] * want[j];
      x[i] = (double)sum;
    }
    assert_int_equal(zw_cholesky_factor(n, M), n);
    zw_cholesky_solve(n, M, x);
    for (int32_t i = 0; i < n; i++) assert_near(x[i], want[i], 4 * n * DBL_EPSILON * cond * largest(n, want));
    assert_true(zw_cholesky_ratio(n, M) * cond >= 0.99); /* the hint never exceeds the condition */
  }
}

static void lower_and_upper_solves_undo_products(void** state) {
  (void)state;
  double L[9] = {2, 0, 0, -1, 3, 0, 4, 5, 0.5};
  double x[3] = {2 * 1, -1 + 3 * 2, 4 + 10 + 0.5 * 3}; /* L (1, 2, 3) */
  zw_cholesky_solve_lower(3, L, x);
  for (int i = 0; i < 3; i++) assert_near(x[i], i + 1, 1e-15);
  double rows[6] = {2, 5, 15.5, 4, 10, 31}; /* the same for (1, 2, 3) and (2, 4, 6) */
  zw_cholesky_solve_lower_rows(3, L, 2, rows);
  for (int i = 0; i < 6; i++) assert_near(rows[i], (i % 3 + 1) * (i / 3 + 1), 1e-14);
  double y[3] = {2 - 2 + 12, 6 + 15, 1.5}; /* L^T (1, 2, 3) */
  zw_cholesky_solve_upper(3, L, y);
  for (int i = 0; i < 3; i++) assert_near(y[i], i + 1, 1e-15);
}

static void units_do_not_matter(void** state) {
  (void)state;
  Random random = random_from(3);
  double M[25], scaled[25];
  random_definite(&random, 5, 1e6, M);
  const double unit[5] = {0x1p-40, 1, 0x1p30, 0x1p3, 0x1p-7};
  for (int i = 0; i < 25; i++) scaled[i] = unit[i / 5] * M[i] * unit[i % 5];
  assert_int_equal(zw_cholesky_factor(5, M), 5);
  assert_int_equal(zw_cholesky_factor(5, scaled), 5);
  for (int i = 0; i < 5; i++) {
    for (int j = 0; j <= i; j++) assert_near(scaled[5 * i + j], unit[i] * M[5 * i + j], 0);
  }
}

static void weakest_pivot_is_measured_against_its_row(void** state) {
  (void)state;
  double M[4] = {1e6, 1, 1, 1.25e-6}; /* 1.25e-6 - 1e-6 is left: a fifth */
  assert_int_equal(zw_cholesky_factor(2, M), 2);
  assert_near(zw_cholesky_weakest(2, M), 0.2, 1e-15);
  assert_near(zw_cholesky_weakest(0, M), 1, 0);
}

static void first_pivot_without_inertia_is_named(void** state) {
  (void)state;
  double massless[9] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
  assert_int_equal(zw_cholesky_factor(3, massless), 1);
  double rank_two[9] = {1, 0.1, 1.1, 0.1, 0.7, 0.8, 1.1, 0.8, 1.9}; /* third row = first + second */
  assert_int_equal(zw_cholesky_factor(3, rank_two), 2);
  double indefinite[4] = {1, 2, 2, 1};
  assert_int_equal(zw_cholesky_factor(2, indefinite), 1);
  double negative[1] = {-1};
  assert_int_equal(zw_cholesky_factor(1, negative), 0);
  double broken[4] = {1, 0, NAN, 1};
  assert_int_equal(zw_cholesky_factor(2, broken), 1);
  double endless[1] = {INFINITY};
  assert_int_equal(zw_cholesky_factor(1, endless), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factor_agrees_with_lapack),
      cmocka_unit_test(part_above_the_diagonal_is_left_alone),
      cmocka_unit_test(error_grows_with_condition_only),
      cmocka_unit_test(lower_and_upper_solves_undo_products),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(weakest_pivot_is_measured_against_its_row),
      cmocka_unit_test(first_pivot_without_inertia_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
