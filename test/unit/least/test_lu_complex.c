/* Random complex systems: the answer put in comes out, and the residual is at rounding. */
#include "least/lu_complex.h"

#include "numbers.h"

enum { N_MAX = 12 };

static void solves_random_systems(void** state) {
  (void)state;
  Random random = random_from(11);
  for (int32_t n = 1; n <= N_MAX; n++) {
    for (int k = 0; k < 50; k++) {
      double K[2 * N_MAX * N_MAX], LU[2 * N_MAX * N_MAX], x[2 * N_MAX], b[2 * N_MAX] = {0}, size = 0;
      int32_t swap[N_MAX];
      for (int32_t i = 0; i < 2 * n * n; i++) K[i] = LU[i] = random_number(&random);
      for (int32_t i = 0; i < 2 * n; i++) x[i] = random_number(&random);
      for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
          const double* f = K + 2 * (i * n + j);
          b[2 * i] += f[0] * x[2 * j] - f[1] * x[2 * j + 1];
          b[2 * i + 1] += f[0] * x[2 * j + 1] + f[1] * x[2 * j];
        }
      }
      assert_true(zw_lu_complex_factor(n, LU, swap));
      double got[2 * N_MAX];
      for (int32_t i = 0; i < 2 * n; i++) got[i] = b[i];
      zw_lu_complex_solve(n, LU, swap, got);
      for (int32_t i = 0; i < 2 * n; i++) size = fmax(size, fabs(got[i]));
      for (int32_t i = 0; i < n; i++) { /* backward error */
        double re = -b[2 * i], im = -b[2 * i + 1];
        for (int32_t j = 0; j < n; j++) {
          const double* f = K + 2 * (i * n + j);
          re += f[0] * got[2 * j] - f[1] * got[2 * j + 1];
          im += f[0] * got[2 * j + 1] + f[1] * got[2 * j];
        }
        assert_near(re, 0, 1e-14 * n * size);
        assert_near(im, 0, 1e-14 * n * size);
      }
    }
  }
}

/* Pivots that are zero, purely imaginary, or far too large to be squared. */
static void takes_awkward_pivots(void** state) {
  (void)state;
  double K[8] = {0, 0, 0, 2, 0, 1e200, 3, 0}, x[4] = {4, 0, 3, 1e200}; /* (0, 2i; 1e200 i, 3) (1, -2i) */
  int32_t swap[2];
  assert_true(zw_lu_complex_factor(2, K, swap));
  x[2] = 0;
  x[3] = 1e200 - 6;
  zw_lu_complex_solve(2, K, swap, x);
  assert_near(x[0], 1, 1e-15);
  assert_near(x[1], 0, 1e-15);
  assert_near(x[2], 0, 1e-15);
  assert_near(x[3], -2, 1e-15);
}

static void refuses_singular_matrices(void** state) {
  (void)state;
  double K[8] = {1, 1, 2, 2, 2, 2, 4, 4}, N[2] = {NAN, 0};
  int32_t swap[2];
  assert_false(zw_lu_complex_factor(2, K, swap));
  assert_false(zw_lu_complex_factor(1, N, swap));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(solves_random_systems), cmocka_unit_test(takes_awkward_pivots),
                                     cmocka_unit_test(refuses_singular_matrices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
