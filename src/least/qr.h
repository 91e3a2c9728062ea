/* Householder QR: X = Q R, or X P = Q R with column pivoting, for a matrix X of rows x cols, either side larger.
 *
 * X is given transposed, so that each of its columns is contiguous: for X = C^T that is C itself, row-major. It is
 * overwritten by the factors. With steps = min(rows, cols):
 *
 *   column j of X = T + j rows:   R_0j ... R_jj | v_j      (H_j = I - tau_j v_j v_j^T, v_j starts with an unwritten 1)
 *   Q = H_0 H_1 ... H_(steps-1), an orthogonal rows x rows matrix that is never formed
 *
 * Plain QR does not feel the scale of the columns: scaling a column scales its column of R and nothing else. */
#ifndef ZW_LEAST_QR_H
#define ZW_LEAST_QR_H

#include <stddef.h>
#include <stdint.h>

typedef struct ZwQr {
  int32_t rows, cols;
  double* T;   /* cols x rows: X^T, then the factors */
  double* tau; /* min(rows, cols) */
} ZwQr;

static inline int32_t zw_qr_steps(const ZwQr* qr) {
  return qr->rows < qr->cols ? qr->rows : qr->cols;
}

/* R_kk, of either sign. */
static inline double zw_qr_diagonal(const ZwQr* qr, int32_t k) {
  return qr->T[(ptrdiff_t)k * qr->rows + k];
}

void zw_qr_factor(ZwQr* qr);

/* Takes the longest remaining column first, so that |R_kk| does not grow. Columns of equal length (to 1e-8) go in their
 * given order: of two rows that say the same, the first stays. `order[k]` is the given index of the column that came
 * k-th; `norms` is work memory for 2 cols numbers. */
void zw_qr_factor_pivoted(ZwQr* qr, int32_t* order, double* norms);

void zw_qr_apply_q(const ZwQr* qr, double* x);  /* x = Q x, x has `rows` entries */
void zw_qr_apply_qt(const ZwQr* qr, double* x); /* x = Q' x */

/* With the leading r x r triangle of R. */
void zw_qr_solve_r(const ZwQr* qr, int32_t r, double* x);  /* x = R\x */
void zw_qr_solve_rt(const ZwQr* qr, int32_t r, double* x); /* x = R'\x */

/* How many leading |R_kk| are larger than `threshold`. A rank only after pivoting. */
int32_t zw_qr_rank(const ZwQr* qr, double threshold);

/* min |R_kk| / max |R_kk|; 1 without columns, 0 when a column vanishes. */
double zw_qr_ratio(const ZwQr* qr);

/* The smallest sine of the angle between a column and the span of those before it. Unlike the ratio it does not depend
 * on how long the columns are. */
double zw_qr_sine(const ZwQr* qr);

#endif
