#include "../numbers.h"

#include <lapacke.h>
#include <string.h>

#include "least/qr.h"

enum { N = 24 };

typedef struct Case {
  int32_t rows, cols;
  double X[N * N]; /* as given: cols x rows, columns contiguous */
  double T[N * N], tau[N];
  int32_t order[N];
  ZwQr qr;
} Case;

static Case random_case(Random* random, int32_t rows, int32_t cols) {
  Case c = {.rows = rows, .cols = cols};
  random_fill(random, rows * cols, c.X);
  return c;
}

static void factor(Case* c, bool is_pivoted) {
  double norms[2 * N];
  memcpy(c->T, c->X, sizeof c->T);
  c->qr = (ZwQr){.rows = c->rows, .cols = c->cols, .T = c->T, .tau = c->tau};
  for (int32_t j = 0; j < c->cols; j++) c->order[j] = j;
  if (is_pivoted) {
    zw_qr_factor_pivoted(&c->qr, c->order, norms);
  } else {
    zw_qr_factor(&c->qr);
  }
}

/* Q (column j of R) is the column that came j-th */
static void check_product(const Case* c) {
  for (int32_t j = 0; j < c->cols; j++) {
    double x[N] = {0};
    for (int32_t i = 0; i <= j && i < c->rows; i++) x[i] = c->T[j * c->rows + i];
    zw_qr_apply_q(&c->qr, x);
    for (int32_t i = 0; i < c->rows; i++) assert_near(x[i], c->X[c->order[j] * c->rows + i], 3e-15 * N);
  }
}

/* Q^T Q = 1, and Q keeps lengths */
static void check_orthogonal(const Case* c) {
  for (int32_t j = 0; j < c->rows; j++) {
    double x[N] = {0}, square = 0;
    x[j] = 1;
    zw_qr_apply_q(&c->qr, x);
    for (int32_t i = 0; i < c->rows; i++) square += x[i] * x[i];
    assert_near(square, 1, 1e-14);
    zw_qr_apply_qt(&c->qr, x);
    for (int32_t i = 0; i < c->rows; i++) assert_near(x[i], i == j, 1e-14);
  }
}

static void factors_multiply_to_the_matrix(void** state) {
  (void)state;
  Random random = random_from(1);
  for (int round = 0; round < 300; round++) {
    Case c = random_case(&random, random_int(&random, 1, N), random_int(&random, 0, N));
    for (int pivoted = 0; pivoted < 2; pivoted++) {
      factor(&c, pivoted);
      check_product(&c);
      check_orthogonal(&c);
    }
  }
}

static void plain_factors_agree_with_lapack(void** state) {
  (void)state;
  Random random = random_from(2);
  for (int round = 0; round < 100; round++) {
    Case c = random_case(&random, random_int(&random, 1, N), random_int(&random, 1, N));
    factor(&c, false);
    double want[N * N], tau[N];
    memcpy(want, c.X, sizeof want);
    assert_int_equal(LAPACKE_dgeqrf(LAPACK_COL_MAJOR, c.rows, c.cols, want, c.rows, tau), 0);
    for (int32_t j = 0; j < c.cols; j++) {
      for (int32_t i = 0; i <= j && i < c.rows; i++) {
        assert_near(fabs(c.T[j * c.rows + i]), fabs(want[j * c.rows + i]), 1e-12);
      }
    }
  }
}

static void pivots_agree_with_lapack(void** state) {
  (void)state;
  Random random = random_from(3);
  for (int round = 0; round < 100; round++) {
    Case c = random_case(&random, random_int(&random, 1, N), random_int(&random, 1, N));
    factor(&c, true);
    double want[N * N], tau[N];
    lapack_int pivots[N] = {0};
    memcpy(want, c.X, sizeof want);
    assert_int_equal(LAPACKE_dgeqp3(LAPACK_COL_MAJOR, c.rows, c.cols, want, c.rows, pivots, tau), 0);
    for (int32_t k = 0; k < zw_qr_steps(&c.qr); k++) {
      assert_int_equal(c.order[k], pivots[k] - 1);
      assert_near(fabs(zw_qr_diagonal(&c.qr, k)), fabs(want[k * c.rows + k]), 1e-13);
    }
  }
}

/* Columns that nearly agree: lengths that are only ever reduced would be wrong in all digits. */
static void pivots_survive_cancellation(void** state) {
  (void)state;
  Random random = random_from(4);
  for (int round = 0; round < 50; round++) {
    Case c = random_case(&random, 12, 10);
    for (int32_t j = 1; j < 10; j++) {
      for (int32_t i = 0; i < 12; i++) c.X[12 * j + i] = c.X[i] + pow(10, -j) * c.X[12 * j + i];
    }
    factor(&c, true);
    check_product(&c);
    for (int32_t k = 1; k < 10; k++) {
      /* the k-th pivot is the longest of what was left: no remaining column is longer from row k on */
      for (int32_t j = k; j < 10; j++) {
        double square = 0;
        for (int32_t i = k; i <= j && i < 12; i++) square += c.T[12 * j + i] * c.T[12 * j + i];
        assert_true(sqrt(square) <= fabs(zw_qr_diagonal(&c.qr, k)) * (1 + 1e-6) + 1e-15);
      }
    }
  }
}

static void equal_columns_keep_their_order(void** state) {
  (void)state;
  Case c = {.rows = 2, .cols = 3, .X = {0.6, 0.8, 1, 0, 0.8, 0.6}};
  factor(&c, true);
  assert_int_equal(c.order[0], 0);
  Case same = {.rows = 2, .cols = 3, .X = {0.1, 0, 1, 2, 1, 2}};
  factor(&same, true);
  assert_int_equal(same.order[0], 1);
  assert_int_equal(same.order[1], 0);
  assert_int_equal(same.order[2], 2);
}

static void triangles_are_solved(void** state) {
  (void)state;
  Random random = random_from(5);
  Case c = random_case(&random, 9, 6);
  factor(&c, false);
  double want[6], x[6] = {0}, y[6] = {0};
  random_fill(&random, 6, want);
  for (int32_t j = 0; j < 6; j++) {
    for (int32_t i = 0; i <= j; i++) {
      x[i] += c.T[9 * j + i] * want[j]; /* R want */
      y[j] += c.T[9 * j + i] * want[i]; /* R^T want */
    }
  }
  zw_qr_solve_r(&c.qr, 6, x);
  zw_qr_solve_rt(&c.qr, 6, y);
  for (int32_t i = 0; i < 6; i++) assert_near(x[i], want[i], 1e-13);
  for (int32_t i = 0; i < 6; i++) assert_near(y[i], want[i], 1e-13);
}

static void rank_ratio_and_sine(void** state) {
  (void)state;
  Case c = {.rows = 3, .cols = 3, .X = {1, 0, 0, 0, 1e-5, 0, 1, 1e-5, 0}};
  factor(&c, true);
  assert_int_equal(zw_qr_rank(&c.qr, 1e-6), 2);
  assert_int_equal(zw_qr_rank(&c.qr, 1e-3), 1);
  Case zero = {.rows = 3, .cols = 2};
  factor(&zero, true);
  assert_int_equal(zw_qr_rank(&zero.qr, 0), 0);
  assert_near(zw_qr_ratio(&zero.qr), 0, 0);
  assert_near(zw_qr_sine(&zero.qr), 0, 0);
  check_orthogonal(&zero);
  Case none = {.rows = 3, .cols = 0};
  factor(&none, false);
  assert_near(zw_qr_ratio(&none.qr), 1, 0);
  assert_near(zw_qr_sine(&none.qr), 1, 0);
  /* orthogonal columns of unlike length: the ratio sees the lengths, the sine the angle */
  Case unlike = {.rows = 2, .cols = 2, .X = {1, 0, 0, 1e-8}};
  factor(&unlike, false);
  assert_near(zw_qr_ratio(&unlike.qr), 1e-8, 1e-20);
  assert_near(zw_qr_sine(&unlike.qr), 1, 1e-15);
  Case oblique = {.rows = 2, .cols = 2, .X = {1, 0, sqrt(3), 1}};
  factor(&oblique, false);
  assert_near(zw_qr_sine(&oblique.qr), 0.5, 1e-15);
}

static void extreme_sizes_neither_overflow_nor_vanish(void** state) {
  (void)state;
  Random random = random_from(6);
  const double sizes[] = {1e-250, 1e-160, 1e160, 1e250};
  for (int s = 0; s < 4; s++) {
    Case c = random_case(&random, 5, 3), scaled = c;
    for (int i = 0; i < 15; i++) scaled.X[i] *= sizes[s];
    factor(&c, true);
    factor(&scaled, true);
    for (int32_t k = 0; k < 3; k++) {
      assert_int_equal(c.order[k], scaled.order[k]);
      assert_near(zw_qr_diagonal(&scaled.qr, k) / sizes[s], zw_qr_diagonal(&c.qr, k), 1e-14);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_multiply_to_the_matrix),
      cmocka_unit_test(plain_factors_agree_with_lapack),
      cmocka_unit_test(pivots_agree_with_lapack),
      cmocka_unit_test(pivots_survive_cancellation),
      cmocka_unit_test(equal_columns_keep_their_order),
      cmocka_unit_test(triangles_are_solved),
      cmocka_unit_test(rank_ratio_and_sine),
      cmocka_unit_test(extreme_sizes_neither_overflow_nor_vanish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
