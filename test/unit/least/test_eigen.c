#include "../numbers.h"

#include <float.h>
#include <lapacke.h>
#include <string.h>

#include "least/eigen.h"

enum { N = 24 };

static double A[N * N], re[N], im[N], V[N * N], work[N * N + 3 * N];

static double norm_of(int32_t n, const double* X) {
  double sum = 0;
  for (int32_t i = 0; i < n * n; i++) sum += X[i] * X[i];
  return sqrt(sum);
}

/* |A x - lambda x| of a vector x + i y of length 1 */
static double residual(int32_t n, const double* X, int32_t k) {
  const double *x = V + k * n, *y = im[k] != 0 ? x + n : NULL;
  double sum = 0, length = 0;
  for (int32_t i = 0; i < n; i++) {
    double real = -re[k] * x[i], imaginary = -im[k] * x[i];
    if (y) {
      real += im[k] * y[i];
      imaginary -= re[k] * y[i];
      length += y[i] * y[i];
    }
    for (int32_t j = 0; j < n; j++) {
      real += X[i * n + j] * x[j];
      if (y) imaginary += X[i * n + j] * y[j];
    }
    sum += real * real + imaginary * imaginary;
    length += x[i] * x[i];
  }
  assert_near(length, 1, 1e-13);
  return sqrt(sum);
}

/* The distance of each eigenvalue to the nearest of those still free in the other list. */
static double distance(int32_t n, const double* re2, const double* im2) {
  bool is_taken[N] = {false};
  double worst = 0;
  for (int32_t i = 0; i < n; i++) {
    int32_t best = -1;
    double least = INFINITY;
    for (int32_t j = 0; j < n; j++) {
      double off = hypot(re[i] - re2[j], im[i] - im2[j]);
      if (is_taken[j] || !(off < least)) continue;
      least = off;
      best = j;
    }
    assert_true(best >= 0);
    is_taken[best] = true;
    worst = fmax(worst, least);
  }
  return worst;
}

static double against_lapack(int32_t n) {
  double kept[N * N], copy[N * N], wr[N], wi[N];
  memcpy(kept, A, sizeof kept);
  memcpy(copy, A, sizeof copy);
  assert_int_equal(zw_eigen(n, A, re, im, V, work), ZW_OK);
  for (int32_t k = 0; k < n; k++) {
    if (im[k] != 0) assert_true(im[k] > 0 && im[k + 1] == -im[k] && re[k + 1] == re[k]);
    assert_true(residual(n, kept, k) <= 40 * DBL_EPSILON * norm_of(n, kept));
    if (im[k] != 0) k++;
  }
  if (n == 0) return 0;
  assert_int_equal(LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', 'N', n, copy, n, wr, wi, NULL, 1, NULL, 1), 0);
  return distance(n, wr, wi);
}

static void random_matrices(void** state) {
  (void)state;
  Random random = random_from(3);
  for (int32_t n = 0; n <= N; n++) {
    for (int k = 0; k < 20; k++) {
      random_fill(&random, n * n, A);
      double size = norm_of(n, A);
      assert_true(against_lapack(n) <= 1e-11 * (size + 1));
    }
  }
}

/* Symmetric ones have real values and no sensitive ones. */
static void symmetric_and_skew(void** state) {
  (void)state;
  Random random = random_from(4);
  for (int sign = -1; sign <= 1; sign += 2) {
    random_fill(&random, N * N, A);
    for (int32_t i = 0; i < N; i++) {
      for (int32_t j = 0; j <= i; j++) A[j * N + i] = i == j && sign < 0 ? (A[i * N + i] = 0) : sign * A[i * N + j];
    }
    assert_true(against_lapack(N) <= 1e-13 * N);
    for (int32_t i = 0; i < N; i++) assert_near(sign > 0 ? im[i] : re[i], 0, 1e-13);
  }
}

/* A Jordan block of size k: values are off by eps^(1/k) at most; a triangle is one already and is found exactly. */
static void defective(void** state) {
  (void)state;
  for (int32_t n = 2; n <= 4; n++) {
    memset(A, 0, sizeof A);
    for (int32_t i = 0; i < n; i++) A[i * n + i] = 2;
    for (int32_t i = 0; i + 1 < n; i++) A[i * n + i + 1] = 1;
    (void)against_lapack(n);
    for (int32_t i = 0; i < n; i++) assert_true(re[i] == 2 && im[i] == 0);
  }
  /* S J S^-1 with S = 1 + x y^T / 2, y.x = 0 so that S^-1 = 1 - x y^T / 2 */
  double x[3] = {1, 2, -1}, y[3] = {1, 0, 1}, S[9], T[9], J[9] = {-1, 1, 0, 0, -1, 0, 0, 0, 3}, JT[9];
  for (int i = 0; i < 9; i++) {
    S[i] = (i % 4 == 0) + x[i / 3] * y[i % 3] / 2;
    T[i] = (i % 4 == 0) - x[i / 3] * y[i % 3] / 2;
  }
  for (int i = 0; i < 9; i++) {
    JT[i] = 0;
    for (int k = 0; k < 3; k++) JT[i] += J[i / 3 * 3 + k] * T[k * 3 + i % 3];
  }
  for (int i = 0; i < 9; i++) {
    A[i] = 0;
    for (int k = 0; k < 3; k++) A[i] += S[i / 3 * 3 + k] * JT[k * 3 + i % 3];
  }
  (void)against_lapack(3);
  assert_true(distance(3, (double[]){-1, -1, 3}, (double[]){0, 0, 0}) < 1e-7);
}

/* Scaled by 10^k along the diagonal of a similarity: balance takes it back. */
static void badly_scaled(void** state) {
  (void)state;
  Random random = random_from(6);
  for (int32_t n = 2; n <= N; n++) {
    double plain[N * N], wr[N], wi[N];
    random_fill(&random, n * n, plain);
    memcpy(A, plain, sizeof A);
    assert_int_equal(zw_eigen(n, A, wr, wi, NULL, work), ZW_OK);
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++) A[i * n + j] = ldexp(plain[i * n + j], 10 * (i % 5) - 10 * (j % 5));
    }
    assert_int_equal(zw_eigen(n, A, re, im, V, work), ZW_OK);
    assert_true(distance(n, wr, wi) <= 1e-10 * n);
  }
}

/* x^n = 1, x^3 - 6 x^2 + 11 x - 6 = (x - 1) (x - 2) (x - 3), (x^2 + 1)^2 */
static void companions(void** state) {
  (void)state;
  for (int32_t n = 2; n <= N; n++) { /* without shifts a cycle that never ends */
    double wr[N], wi[N];
    memset(A, 0, sizeof A);
    for (int32_t i = 0; i < n; i++) A[i * n + (i + n - 1) % n] = 1;
    (void)against_lapack(n);
    for (int32_t i = 0; i < n; i++) {
      wr[i] = cos(2 * 3.14159265358979323846 * i / n);
      wi[i] = sin(2 * 3.14159265358979323846 * i / n);
    }
    assert_true(distance(n, wr, wi) <= 1e-13);
  }
  double cubic[9] = {6, -11, 6, 1, 0, 0, 0, 1, 0};
  memcpy(A, cubic, sizeof cubic);
  (void)against_lapack(3);
  assert_true(distance(3, (double[]){1, 2, 3}, (double[]){0, 0, 0}) < 1e-13);
  double quartic[16] = {0, -2, 0, -1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
  memcpy(A, quartic, sizeof quartic);
  (void)against_lapack(4);
  assert_true(distance(4, (double[]){0, 0, 0, 0}, (double[]){1, 1, -1, -1}) < 1e-7);
}

/* Eigenvalues that only rounding tells from each other: masses of a chain that hangs straight. */
static void together(void** state) {
  (void)state;
  Random random = random_from(17);
  for (int k = 0; k < 2000; k++) {
    int32_t n = 4 + k % 9;
    double kept[N * N], copy[N * N], w[N];
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j <= i; j++) {
        double noise = 5e-16 * random_number(&random);
        double entry = i == j                    ? i + 2 < n ? 0.078125 : 0.25
                       : i + 2 < n || j + 2 >= n ? 0
                       : i + 1 < n               ? -0.028
                                                 : -0.0375;
        A[i * n + j] = A[j * n + i] = entry + noise;
      }
    }
    memcpy(kept, A, sizeof kept);
    memcpy(copy, A, sizeof copy);
    assert_int_equal(zw_eigen(n, A, re, im, NULL, work), ZW_OK);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, copy, n, w), 0);
    assert_true(distance(n, w, (double[N]){0}) <= 40 * DBL_EPSILON * norm_of(n, kept));
  }
}

static void not_finite(void** state) {
  (void)state;
  double X[4] = {1, NAN, 0, 1};
  assert_int_equal(zw_eigen(2, X, re, im, NULL, work), ZW_ERR_DOMAIN);
  assert_int_equal(zw_eigen_work(N), sizeof work / sizeof *work);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_matrices), cmocka_unit_test(symmetric_and_skew),
                                     cmocka_unit_test(defective),       cmocka_unit_test(badly_scaled),
                                     cmocka_unit_test(companions),      cmocka_unit_test(together),
                                     cmocka_unit_test(not_finite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
