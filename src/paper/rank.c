#include "paper/rank.h"

#include <math.h>

#include "least/dense.h"

/* A row is new when what those before it leave of it is larger than this part of it. */
#define TOL_NEW 1e-7

void zw_rank_balance(int32_t m, int32_t n, int32_t count, double* const* A) {
  for (int32_t j = 0; j < n; j++) {
    double most = 0;
    for (int32_t s = 0; s < count; s++) {
      for (int32_t k = 0; k < m; k++) most = fmax(most, fabs(A[s][k * n + j]));
    }
    for (int32_t s = 0; s < count && most > 0; s++) {
      for (int32_t k = 0; k < m; k++) A[s][k * n + j] /= most;
    }
  }
}

int32_t zw_rank_rows(int32_t m, int32_t n, const double* A, int32_t* rows, double* Q) {
  int32_t rank = 0;
  for (int32_t k = 0; k < m && rank < n; k++) {
    double* x = Q + (ptrdiff_t)rank * n;
    double length = zw_norm(n, A + (ptrdiff_t)k * n);
    if (!(length > 0) || !isfinite(length)) continue;
    for (int32_t j = 0; j < n; j++) x[j] = A[k * n + j] / length;
    for (int pass = 0; pass < 2; pass++) {
      for (int32_t i = 0; i < rank; i++) zw_axpy(n, -zw_dot(n, Q + (ptrdiff_t)i * n, x), Q + (ptrdiff_t)i * n, x);
    }
    double left = zw_norm(n, x);
    if (!(left > TOL_NEW)) continue;
    zw_scale(n, 1 / left, x);
    rows[rank++] = k;
  }
  return rank;
}
