#include "../numbers.h"

#include <string.h>

#include "least/spectrum.h"

enum { N = 12, WORK = 8000 };

static double R[N * N], noise[N * N], doubt[N], S[N * N], re[N], im[N], V[N * N], work[WORK];
static bool is_known[N];

static ZwSpectrum solve(int32_t n, int32_t count) {
  ZwSpectrum spectrum = {.n = n, .re = re, .im = im, .is_known = is_known, .vectors = V, .doubt = doubt};
  assert_true(zw_spectrum_work(n) <= WORK);
  double most = 0;
  for (int32_t i = 0; i < n * n; i++) most = fmax(most, fabs(R[i]));
  for (int32_t i = 0; i < n * n; i++) noise[i] = 1e-15 * most;
  assert_int_equal(zw_spectrum(&spectrum, R, noise, count, S, work), ZW_OK);
  return spectrum;
}

/* R = W^T J W for a random orthogonal W, made of reflections. */
static void hide(Random* random, int32_t n, const double* J) {
  double v[N];
  memcpy(R, J, (size_t)(n * n) * sizeof(double));
  for (int k = 0; k < 3; k++) {
    double square = 0;
    random_fill(random, n, v);
    for (int32_t i = 0; i < n; i++) square += v[i] * v[i];
    for (int side = 0; side < 2; side++) {
      for (int32_t j = 0; j < n; j++) {
        int32_t step = side ? 1 : n, first = side ? j * n : j;
        double sum = 0;
        for (int32_t i = 0; i < n; i++) sum += v[i] * R[first + i * step];
        for (int32_t i = 0; i < n; i++) R[first + i * step] -= 2 * sum / square * v[i];
      }
    }
  }
}

/* Chains of three and two zeros beside -1, -2 and a pair 1 +- 3 i: any iteration alone would give zeros of 1e-5. */
static void chains_of_zeros(void** state) {
  (void)state;
  Random random = random_from(11);
  double J[81] = {0};
  J[0 * 9 + 1] = J[1 * 9 + 2] = J[3 * 9 + 4] = 1;
  J[5 * 9 + 5] = -1;
  J[6 * 9 + 6] = -2;
  J[7 * 9 + 7] = J[8 * 9 + 8] = 1;
  J[7 * 9 + 8] = 3;
  J[8 * 9 + 7] = -3;
  J[0 * 9 + 6] = J[2 * 9 + 7] = 0.5; /* the rest moves along the zeros too */
  for (int k = 0; k < 20; k++) {
    hide(&random, 9, J);
    double kept[81];
    memcpy(kept, R, sizeof kept);
    ZwSpectrum spectrum = solve(9, 0);
    assert_int_equal(spectrum.zeros, 5);
    assert_int_equal(spectrum.known, 0);
    for (int32_t i = 0; i < 5; i++) assert_true(re[i] == 0 && im[i] == 0);
    double sum = 0, product = 1;
    for (int32_t i = 5; i < 9; i++) sum += re[i];
    assert_near(sum, -1, 1e-12);
    for (int32_t i = 5; i < 9; i++) {
      if (im[i] == 0) product *= re[i];
      if (im[i] > 0) assert_true(fabs(re[i] - 1) < 1e-12 && fabs(im[i] - 3) < 1e-12);
    }
    assert_near(product, 2, 1e-12);
    for (int32_t i = 5; i < 9; i++) { /* R x = lambda x, through the zeros */
      if (im[i] < 0) continue;
      const double *x = V + i * 9, *y = im[i] > 0 ? x + 9 : NULL;
      for (int32_t r = 0; r < 9; r++) {
        double off = -re[i] * x[r] + (y ? im[i] * y[r] : 0);
        for (int32_t c = 0; c < 9; c++) off += kept[r * 9 + c] * x[c];
        assert_near(off, 0, 1e-12);
      }
    }
  }
}

/* Two chains of two; one of them is that of a known direction, its partner goes with it. */
static void known_ones_are_told_apart(void** state) {
  (void)state;
  memset(R, 0, sizeof R);
  R[0 * 5 + 1] = R[2 * 5 + 3] = 1;
  R[4 * 5 + 4] = -1;
  memset(S, 0, sizeof S);
  S[0] = 2;     /* twice the same, */
  S[5 + 0] = 3; /* and one that is in no null space */
  S[10 + 4] = 1;
  ZwSpectrum spectrum = solve(5, 3);
  assert_int_equal(spectrum.zeros, 4);
  assert_int_equal(spectrum.known, 2);
  for (int32_t i = 0; i < 4; i++) assert_int_equal(is_known[i], i < 2);
  for (int32_t i = 2; i < 5; i++) assert_near(V[i], 0, 1e-14); /* known zeros are in the first chain */
  assert_near(re[4], -1, 1e-15);
  assert_true(is_known[4]); /* a known direction that turns into itself */
}

static void nothing_but_zeros(void** state) {
  (void)state;
  memset(R, 0, sizeof R);
  assert_int_equal(solve(4, 0).zeros, 4);
  assert_int_equal(solve(0, 0).zeros, 0);
  R[0] = INFINITY;
  ZwSpectrum spectrum = {.n = 1, .re = re, .im = im, .is_known = is_known, .vectors = V, .doubt = doubt};
  assert_int_equal(zw_spectrum(&spectrum, R, noise, 0, S, work), ZW_ERR_DOMAIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chains_of_zeros), cmocka_unit_test(known_ones_are_told_apart),
                                     cmocka_unit_test(nothing_but_zeros)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
