#include "least/deepest.h"

#include "least/dense.h"

#define LITTLE 1e-5 /* of |x|^2 + s^2 beside s; more of it may leave the solutions */

/* LITTLE x = C^T y, LITTLE s = 1 - sum y; adds what comes from y. */
static void add(int32_t rows, int32_t cols, const double* C, const double* y, double* x, double* s) {
  zw_add_transposed(rows, cols, 1 / LITTLE, C, y, x);
  for (int32_t i = 0; i < rows; i++) *s -= y[i] / LITTLE;
}

ZwStatus zw_deepest(ZwLemke* lemke, int32_t rows, int32_t cols, const double* C, const double* d, double* x) {
  /* LITTLE (C x - d - s) = (C C^T + 1) y - 1 - LITTLE d >= 0 */
  lemke->n = rows;
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t j = 0; j < rows; j++) {
      lemke->Q[(ptrdiff_t)i * rows + j] = 1 + zw_dot(cols, C + (ptrdiff_t)i * cols, C + (ptrdiff_t)j * cols);
    }
    lemke->q[i] = -1 - LITTLE * d[i];
  }
  ZW_TRY(zw_lemke_solve(lemke));
  double s = 1 / LITTLE, *off = lemke->q, *dy = lemke->w;
  zw_fill(cols, 0, x);
  add(rows, cols, C, lemke->z, x, &s);
  for (int pass = 0; pass < 2; pass++) { /* LITTLE has cost digits */
    for (int32_t i = 0; i < rows; i++) {
      off[i] = -LITTLE * (zw_dot(cols, C + (ptrdiff_t)i * cols, x) - d[i] - s);
    }
    if (zw_lemke_correct(lemke, off, dy)) add(rows, cols, C, dy, x, &s);
  }
  return ZW_OK;
}
