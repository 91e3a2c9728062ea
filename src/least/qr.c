#include "least/qr.h"

#include <float.h>

#include "least/dense.h"

/* Columns shorter than this are zero: their inverse would overflow. */
static const double norm_smallest = 1e-300;

/* Columns whose lengths agree to this part count as equally long when a pivot is chosen. */
static const double tol_tie_rel = 1e-8;

static double* column(const ZwQr* qr, int32_t j) {
  return qr->T + (ptrdiff_t)j * qr->rows;
}

/* Finds H with H x = (beta, 0, ..., 0); leaves beta and the tail of v in x and returns tau. */
static double reflect(int32_t size, double* x) {
  double norm = zw_norm(size, x);
  if (size < 2) return 0;
  if (norm < norm_smallest) {
    zw_fill(size, 0, x);
    return 0;
  }
  double beta = x[0] > 0 ? -norm : norm; /* the sign without cancellation in x_0 - beta */
  double first = x[0] - beta;
  x[0] = beta;
  zw_scale(size - 1, 1 / first, x + 1);
  return -first / beta;
}

/* x = H x, where v = (1, tail) */
static void apply_reflector(int32_t size, const double* tail, double tau, double* x) {
  double c = tau * (x[0] + zw_dot(size - 1, tail, x + 1));
  x[0] -= c;
  zw_axpy(size - 1, -c, tail, x + 1);
}

/* One step: column k becomes a reflector, which is applied to the columns behind it. */
static void eliminate(ZwQr* qr, int32_t k) {
  int32_t size = qr->rows - k;
  double* pivot = column(qr, k) + k;
  qr->tau[k] = reflect(size, pivot);
  for (int32_t j = k + 1; j < qr->cols; j++) apply_reflector(size, pivot + 1, qr->tau[k], column(qr, j) + k);
}

void zw_qr_factor(ZwQr* qr) {
  for (int32_t k = 0; k < zw_qr_steps(qr); k++) eliminate(qr, k);
}

/* The longest column from k on; among equals the one that was given first. */
static int32_t choose(int32_t k, int32_t cols, const int32_t* order, const double* norm) {
  double most = 0;
  for (int32_t j = k; j < cols; j++) most = norm[j] > most ? norm[j] : most;
  int32_t best = -1;
  for (int32_t j = k; j < cols; j++) {
    bool is_long = norm[j] >= (1 - tol_tie_rel) * most;
    if (is_long && (best < 0 || order[j] < order[best])) best = j;
  }
  return best < 0 ? k : best;
}

static void bring_forward(ZwQr* qr, int32_t k, int32_t chosen, int32_t* order, double* norm, double* reference) {
  if (chosen == k) return;
  zw_swap_vectors(qr->rows, column(qr, k), column(qr, chosen));
  int32_t kept = order[k];
  order[k] = order[chosen];
  order[chosen] = kept;
  norm[chosen] = norm[k];
  reference[chosen] = reference[k];
}

/* The length of column j without its entry k: |x|^2 - x_k^2, unless so much has been cancelled since it was last
 * computed (`reference`) that half the digits are gone; then it is computed anew. */
static void shorten(const ZwQr* qr, int32_t j, int32_t k, double* norm, double* reference) {
  if (norm[j] == 0) return;
  double part = fabs(column(qr, j)[k]) / norm[j];
  double left = (1 - part) * (1 + part);
  double shrunk = norm[j] / reference[j];
  if (left * shrunk * shrunk > sqrt(DBL_EPSILON)) {
    norm[j] *= sqrt(left);
  } else {
    norm[j] = reference[j] = zw_norm(qr->rows - k - 1, column(qr, j) + k + 1);
  }
}

void zw_qr_factor_pivoted(ZwQr* qr, int32_t* order, double* norms) {
  double *norm = norms, *reference = norms + qr->cols;
  for (int32_t j = 0; j < qr->cols; j++) {
    order[j] = j;
    norm[j] = reference[j] = zw_norm(qr->rows, column(qr, j));
  }
  for (int32_t k = 0; k < zw_qr_steps(qr); k++) {
    bring_forward(qr, k, choose(k, qr->cols, order, norm), order, norm, reference);
    eliminate(qr, k);
    for (int32_t j = k + 1; j < qr->cols; j++) shorten(qr, j, k, norm, reference);
  }
}

void zw_qr_apply_q(const ZwQr* qr, double* x) {
  for (int32_t k = zw_qr_steps(qr) - 1; k >= 0; k--) {
    apply_reflector(qr->rows - k, column(qr, k) + k + 1, qr->tau[k], x + k);
  }
}

void zw_qr_apply_qt(const ZwQr* qr, double* x) {
  for (int32_t k = 0; k < zw_qr_steps(qr); k++) {
    apply_reflector(qr->rows - k, column(qr, k) + k + 1, qr->tau[k], x + k);
  }
}

void zw_qr_solve_r(const ZwQr* qr, int32_t r, double* x) {
  for (int32_t j = r - 1; j >= 0; j--) {
    x[j] /= zw_qr_diagonal(qr, j);
    zw_axpy(j, -x[j], column(qr, j), x);
  }
}

void zw_qr_solve_rt(const ZwQr* qr, int32_t r, double* x) {
  for (int32_t j = 0; j < r; j++) x[j] = (x[j] - zw_dot(j, column(qr, j), x)) / zw_qr_diagonal(qr, j);
}

int32_t zw_qr_rank(const ZwQr* qr, double threshold) {
  int32_t r = 0;
  while (r < zw_qr_steps(qr) && fabs(zw_qr_diagonal(qr, r)) > threshold) r++;
  return r;
}

double zw_qr_ratio(const ZwQr* qr) {
  if (qr->cols == 0) return 1;
  if (qr->cols > qr->rows) return 0;
  double least = INFINITY, most = 0;
  for (int32_t k = 0; k < qr->cols; k++) {
    double size = fabs(zw_qr_diagonal(qr, k));
    if (size < least) least = size;
    if (size > most) most = size;
  }
  return most > 0 ? least / most : 0;
}

double zw_qr_sine(const ZwQr* qr) {
  if (qr->cols > qr->rows) return 0;
  double least = 1;
  for (int32_t k = 0; k < qr->cols; k++) {
    double length = zw_norm(k + 1, column(qr, k)); /* |column k of R| = |column k of X| */
    double sine = length > 0 ? fabs(zw_qr_diagonal(qr, k)) / length : 0;
    if (!(sine >= least)) least = sine;
  }
  return least;
}
