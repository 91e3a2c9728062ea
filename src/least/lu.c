#include "least/lu.h"

#include "least/dense.h"

static int32_t largest_below(int32_t n, const double* K, int32_t k) {
  int32_t best = k;
  for (int32_t i = k + 1; i < n; i++) {
    if (fabs(K[(ptrdiff_t)i * n + k]) > fabs(K[(ptrdiff_t)best * n + k])) best = i;
  }
  return best;
}

double zw_lu_factor(int32_t n, double* K, int32_t* swap) {
  double least = INFINITY;
  for (int32_t k = 0; k < n; k++) {
    swap[k] = largest_below(n, K, k);
    double* pivot_row = K + (ptrdiff_t)k * n;
    if (swap[k] != k) zw_swap_vectors(n, pivot_row, K + (ptrdiff_t)swap[k] * n);
    double pivot = pivot_row[k];
    if (!(fabs(pivot) > 0)) return 0;
    if (fabs(pivot) < least) least = fabs(pivot);
    /* take the pivot row out of those below */
    for (int32_t i = k + 1; i < n; i++) {
      double* row = K + (ptrdiff_t)i * n;
      row[k] /= pivot;
      zw_axpy(n - k - 1, -row[k], pivot_row + k + 1, row + k + 1);
    }
  }
  return least;
}

void zw_lu_solve(int32_t n, const double* LU, const int32_t* swap, double* x) {
  for (int32_t k = 0; k < n; k++) zw_swap_vectors(1, x + k, x + swap[k]);      /* x = P x */
  for (int32_t i = 1; i < n; i++) x[i] -= zw_dot(i, LU + (ptrdiff_t)i * n, x); /* x = L\x */
  for (int32_t i = n - 1; i >= 0; i--) {                                       /* x = U\x */
    const double* row = LU + (ptrdiff_t)i * n;
    x[i] = (x[i] - zw_dot(n - i - 1, row + i + 1, x + i + 1)) / row[i];
  }
}
