#include "least/deepest.h"

#include "least/dense.h"

#define LITTLE ZW_DEEPEST_LITTLE

/* LITTLE x = C^T y, LITTLE s = 1 - sum y; adds what comes from y. */
static void add(int32_t rows, int32_t cols, const double* C, const double* y, double* x, double* s) {
  zw_add_transposed(rows, cols, 1 / LITTLE, C, y, x);
  for (int32_t i = 0; i <= rows; i++) *s -= y[i] / LITTLE;
}

/* C_i C_j^T; the row behind the others is 0 - s >= -enough. */
static double product(int32_t rows, int32_t cols, const double* C, int32_t i, int32_t j) {
  return i < rows && j < rows ? zw_dot(cols, C + (ptrdiff_t)i * cols, C + (ptrdiff_t)j * cols) : 0;
}

ZwStatus zw_deepest(ZwLemke* lemke, int32_t rows, int32_t cols, const double* C, const double* d, double enough,
                    double* x) {
  /* LITTLE (C x - d - s) = (C C^T + 1) y - 1 - LITTLE d >= 0 */
  int32_t n = lemke->n = rows + 1;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) lemke->Q[(ptrdiff_t)i * n + j] = 1 + product(rows, cols, C, i, j);
    lemke->q[i] = -1 - LITTLE * (i < rows ? d[i] : -enough);
  }
  ZW_TRY(zw_lemke_solve(lemke));
  double s = 1 / LITTLE, *off = lemke->q, *dy = lemke->w;
  zw_fill(cols, 0, x);
  add(rows, cols, C, lemke->z, x, &s);
  for (int pass = 0; pass < 2; pass++) { /* LITTLE has cost digits */
    for (int32_t i = 0; i < rows; i++) off[i] = -LITTLE * (zw_dot(cols, C + (ptrdiff_t)i * cols, x) - d[i] - s);
    off[rows] = -LITTLE * (enough - s);
    if (zw_lemke_correct(lemke, off, dy)) add(rows, cols, C, dy, x, &s);
  }
  return ZW_OK;
}
