#include "least/lu_complex.h"

#include "least/dense.h"

/* x += f y for count complex numbers; f = (re, im) */
static void add_multiple(int32_t count, double re, double im, const double* y, double* x) {
  for (int32_t i = 0; i < count; i++) {
    double yr = y[2 * i], yi = y[2 * i + 1];
    x[2 * i] += re * yr - im * yi;
    x[2 * i + 1] += re * yi + im * yr;
  }
}

/* x = x / y, by the larger part of y, so that nothing overflows on the way */
static void divide(double* x, const double* y) {
  double a = y[0], b = y[1], xr = x[0], xi = x[1];
  bool is_flat = fabs(a) >= fabs(b);
  double ratio = is_flat ? b / a : a / b, size = is_flat ? a + b * ratio : a * ratio + b;
  x[0] = (is_flat ? xr + xi * ratio : xr * ratio + xi) / size;
  x[1] = (is_flat ? xi - xr * ratio : xi * ratio - xr) / size;
}

static double size_of(const double* x) {
  return fabs(x[0]) + fabs(x[1]);
}

static int32_t largest_below(int32_t n, const double* K, int32_t k) {
  int32_t best = k;
  for (int32_t i = k + 1; i < n; i++) {
    if (size_of(K + 2 * ((ptrdiff_t)i * n + k)) > size_of(K + 2 * ((ptrdiff_t)best * n + k))) best = i;
  }
  return best;
}

bool zw_lu_complex_factor(int32_t n, double* K, int32_t* swap) {
  for (int32_t k = 0; k < n; k++) {
    swap[k] = largest_below(n, K, k);
    double* pivot_row = K + 2 * (ptrdiff_t)k * n;
    if (swap[k] != k) zw_swap_vectors(2 * n, pivot_row, K + 2 * (ptrdiff_t)swap[k] * n);
    const double* pivot = pivot_row + 2 * (ptrdiff_t)k;
    if (!(size_of(pivot) > 0) || !isfinite(size_of(pivot))) return false;
    for (int32_t i = k + 1; i < n; i++) {
      double* factor = K + 2 * ((ptrdiff_t)i * n + k);
      divide(factor, pivot);
      add_multiple(n - k - 1, -factor[0], -factor[1], pivot + 2, factor + 2);
    }
  }
  return true;
}

void zw_lu_complex_solve(int32_t n, const double* LU, const int32_t* swap, double* x) {
  for (int32_t k = 0; k < n; k++) zw_swap_vectors(2, x + 2 * (ptrdiff_t)k, x + 2 * (ptrdiff_t)swap[k]);
  for (int32_t k = 0; k < n; k++) { /* x = L\x, column by column */
    for (int32_t i = k + 1; i < n; i++) {
      const double* l = LU + 2 * ((ptrdiff_t)i * n + k);
      add_multiple(1, -l[0], -l[1], x + 2 * (ptrdiff_t)k, x + 2 * (ptrdiff_t)i);
    }
  }
  for (int32_t k = n - 1; k >= 0; k--) { /* x = U\x */
    divide(x + 2 * (ptrdiff_t)k, LU + 2 * ((ptrdiff_t)k * n + k));
    for (int32_t i = 0; i < k; i++) {
      const double* u = LU + 2 * ((ptrdiff_t)i * n + k);
      add_multiple(1, -u[0], -u[1], x + 2 * (ptrdiff_t)k, x + 2 * (ptrdiff_t)i);
    }
  }
}
