#include "least/cholesky.h"

#include "least/dense.h"

int32_t zw_cholesky_factor(int32_t n, double* M) {
  for (int32_t j = 0; j < n; j++) {
    double* row_j = M + (ptrdiff_t)j * n;
    /* the pivot: what the rows above leave of the diagonal */
    double diagonal = row_j[j];
    double pivot = diagonal - zw_dot(j, row_j, row_j);
    if (!(pivot > ZW_TOL_PIVOT_REL * diagonal) || !isfinite(pivot)) return j;
    row_j[j] = sqrt(pivot);
    /* the column below it, one division for all */
    double inverse = 1 / row_j[j];
    for (int32_t i = j + 1; i < n; i++) {
      double* row_i = M + (ptrdiff_t)i * n;
      row_i[j] = (row_i[j] - zw_dot(j, row_i, row_j)) * inverse; /* L_ij = (M_ij - L_i . L_j) / L_jj */
    }
  }
  return n;
}

void zw_cholesky_solve_lower(int32_t n, const double* L, double* x) {
  for (int32_t i = 0; i < n; i++) {
    const double* row = L + (ptrdiff_t)i * n;
    x[i] = (x[i] - zw_dot(i, row, x)) / row[i];
  }
}

int32_t zw_cholesky_begin(int32_t i, const double* row) {
  int32_t first = 0;
  while (first < i && row[first] == 0) first++;
  return first - first % 4;
}

void zw_cholesky_solve_lower_strided(int32_t n, const double* L, int32_t m, double* X, ptrdiff_t stride) {
  for (int32_t i = 0; i < n; i++) {
    const double* row = L + (ptrdiff_t)i * n;
    double inverse = 1 / row[i];
    int32_t first = zw_cholesky_begin(i, row);
    for (int32_t k = 0; k < m; k++) {
      double* x = X + k * stride;
      x[i] = (x[i] - zw_dot(i - first, row + first, x + first)) * inverse;
    }
  }
}

void zw_cholesky_solve_lower_rows(int32_t n, const double* L, int32_t m, double* X) {
  zw_cholesky_solve_lower_strided(n, L, m, X, n);
}

void zw_cholesky_solve_upper(int32_t n, const double* L, double* x) {
  /* rows of L are columns of L^T: each known x_i is taken out of the equations above it */
  for (int32_t i = n - 1; i >= 0; i--) {
    const double* row = L + (ptrdiff_t)i * n;
    x[i] /= row[i];
    zw_axpy(i, -x[i], row, x);
  }
}

void zw_cholesky_solve(int32_t n, const double* L, double* x) {
  zw_cholesky_solve_lower(n, L, x);
  zw_cholesky_solve_upper(n, L, x);
}

double zw_cholesky_weakest(int32_t n, const double* L) {
  double least = 1;
  for (int32_t i = 0; i < n; i++) {
    const double* row = L + (ptrdiff_t)i * n;
    double part = row[i] * row[i] / zw_dot(i + 1, row, row); /* M_ii = |L_i|^2 */
    if (part < least) least = part;
  }
  return least;
}

double zw_cholesky_ratio(int32_t n, const double* L) {
  if (n == 0) return 1;
  double least = L[0], most = L[0];
  for (int32_t i = 1; i < n; i++) {
    double diagonal = L[(ptrdiff_t)i * n + i];
    if (diagonal < least) least = diagonal;
    if (diagonal > most) most = diagonal;
  }
  return (least / most) * (least / most);
}
