#include "least/rank.h"

#include "base/assert.h"
#include "least/cholesky.h"
#include "least/dense.h"
#include "least/qr.h"
#include "least/svd.h"

/* When a diagonal entry of R lies within this factor of the threshold, pivoted QR is not sure enough. */
static const double factor_close = 100;

/* Coefficients between scaled rows that are smaller than this are rounding. */
static const double tol_coefficient_abs = 1e-12;

/* A decision is as clear as another when its smallest pivot is more than this part of the other's. */
static const double as_clear = 0.1;

static size_t least_of(int32_t m, int32_t n) {
  return (size_t)(m < n ? m : n);
}

size_t zw_rank_work_size(int32_t m, int32_t n) {
  ZW_ASSERT(m >= 0 && n >= 0);
  size_t rows = (size_t)m, cols = (size_t)n, k = least_of(m, n);
  /*               rows          tau  norms, left  coefficients, triangle, Ut   sigma  Vt */
  size_t numbers = rows * cols + k + 3 * rows + 3 * rows * k + k + k * k;
  return zw_rounded(sizeof(ZwRank)) + numbers * sizeof(double) + rows * sizeof(int32_t);
}

static double* take(double** next, size_t count) {
  double* taken = *next;
  *next += count;
  return taken;
}

ZwRank* zw_rank_place(void* memory, int32_t m, int32_t n) {
  ZwRank* rank = memory;
  *rank = (ZwRank){.m_max = m, .n_max = n};
  size_t rows = (size_t)m, k = least_of(m, n);
  double* next = (double*)(void*)((char*)memory + zw_rounded(sizeof(ZwRank)));
  rank->rows = take(&next, rows * (size_t)n);
  rank->tau = take(&next, k);
  rank->norms = take(&next, 2 * rows);
  rank->left = take(&next, rows);
  rank->coefficients = take(&next, rows * k);
  rank->triangle = take(&next, rows * k);
  rank->Ut = take(&next, rows * k);
  rank->sigma = take(&next, k);
  rank->Vt = take(&next, k * k);
  rank->order = (int32_t*)(void*)next;
  return rank;
}

/* rows = A L^-T */
static void put_rows(ZwRank* rank, int32_t m, int32_t n, const double* A, const double* L) {
  ZW_ASSERT(m <= rank->m_max && n <= rank->n_max);
  zw_copy((ptrdiff_t)m * n, A, rank->rows);
  if (L) zw_cholesky_solve_lower_rows(n, L, m, rank->rows);
}

static void measure_rows(const ZwRank* rank, int32_t m, int32_t n, double* size) {
  for (int32_t i = 0; i < m; i++) size[i] = zw_norm(n, rank->rows + (ptrdiff_t)i * n);
}

void zw_rank_row_sizes(ZwRank* rank, int32_t m, int32_t n, const double* A, const double* L, double* size) {
  put_rows(rank, m, n, A, L);
  measure_rows(rank, m, n, size);
}

void zw_rank_row_sizes_by(ZwRank* rank, int32_t m, int32_t n, const double* A, const ZwLeast* metric, double* size) {
  put_rows(rank, m, n, A, NULL);
  zw_least_rows_to_metric(metric, m, rank->rows);
  measure_rows(rank, m, n, size);
}

static bool scale_rows(ZwRank* rank, int32_t m, int32_t n, const double* scale) {
  for (int32_t i = 0; scale && i < m; i++) {
    if (!(scale[i] > 0) || !isfinite(scale[i])) return false;
    zw_scale(n, 1 / scale[i], rank->rows + (ptrdiff_t)i * n);
  }
  return zw_all_finite((ptrdiff_t)m * n, rank->rows);
}

static double threshold_for(double largest) {
  double relative = ZW_TOL_RANK_REL * largest;
  return relative > ZW_TOL_RANK_ABS ? relative : ZW_TOL_RANK_ABS;
}

static bool is_close_call(const ZwQr* qr, double threshold) {
  for (int32_t k = 0; k < zw_qr_steps(qr); k++) {
    double size = fabs(zw_qr_diagonal(qr, k));
    if (size < factor_close * threshold && size * factor_close > threshold) return true;
  }
  return false;
}

/* R has the singular values of Cbar and is smaller. */
static int32_t rank_by_svd(ZwRank* rank, const ZwQr* qr) {
  int32_t m = qr->cols, k = zw_qr_steps(qr);
  for (int32_t j = 0; j < m; j++) {
    double* row = rank->triangle + (ptrdiff_t)j * k;
    int32_t filled = j + 1 < k ? j + 1 : k;
    zw_copy(filled, qr->T + (ptrdiff_t)j * qr->rows, row);
    zw_fill(k - filled, 0, row + filled);
  }
  if (zw_svd(m, k, rank->triangle, rank->sigma, rank->Ut, rank->Vt)) return 0;
  double threshold = threshold_for(rank->sigma[0]);
  int32_t r = 0;
  while (r < k && rank->sigma[r] > threshold && zw_qr_diagonal(qr, r) != 0) r++;
  return r;
}

/* With R = [R11 R12; 0 ~0]: column rank + i of Cbar^T is its first `rank` columns times R11\R12_i. */
static void find_coefficients(ZwRank* rank, const ZwQr* qr, const double* scale) {
  int32_t r = rank->rank;
  for (int32_t i = 0; i < rank->m - r; i++) {
    double* x = rank->coefficients + (ptrdiff_t)i * r;
    zw_copy(r, qr->T + (ptrdiff_t)(r + i) * qr->rows, x);
    zw_qr_solve_r(qr, r, x);
    for (int32_t j = 0; j < r; j++) {
      if (fabs(x[j]) <= tol_coefficient_abs) x[j] = 0;
      if (scale) x[j] *= scale[rank->order[r + i]] / scale[rank->order[j]]; /* Cbar_i = A_i / s_i */
    }
  }
}

/* With the same R: the length of what stands below its first `rank` rows, ~0. */
static void find_left(ZwRank* rank, const ZwQr* qr) {
  int32_t r = rank->rank, k = zw_qr_steps(qr);
  double largest = r > 0 ? fabs(zw_qr_diagonal(qr, 0)) : 0;
  for (int32_t i = 0; i < rank->m - r; i++) {
    int32_t last = r + i < k ? r + i + 1 : k;
    double left = largest > 0 ? zw_norm(last - r, qr->T + (ptrdiff_t)(r + i) * qr->rows + r) / largest : 0;
    rank->left[i] = left > ZW_TOL_RANK_ROUNDED ? left : 0;
  }
}

/* Of the rows that are in place. */
static ZwStatus decide(ZwRank* rank, int32_t m, int32_t n, const double* scale) {
  if (!scale_rows(rank, m, n, scale)) return ZW_ERR_DOMAIN;
  ZwQr qr = {.rows = n, .cols = m, .T = rank->rows, .tau = rank->tau};
  zw_qr_factor_pivoted(&qr, rank->order, rank->norms);
  /* count the pivots that stand out; ask the singular values when one nearly does or nearly does not */
  int32_t k = zw_qr_steps(&qr);
  double threshold = threshold_for(k > 0 ? fabs(zw_qr_diagonal(&qr, 0)) : 0);
  rank->m = m;
  rank->rank = zw_qr_rank(&qr, threshold);
  rank->is_by_svd = is_close_call(&qr, threshold);
  if (rank->is_by_svd) rank->rank = rank_by_svd(rank, &qr);
  /* how clear it was, and what the dependent rows repeat */
  rank->kept = rank->rank > 0 ? fabs(zw_qr_diagonal(&qr, rank->rank - 1)) : INFINITY;
  rank->dropped = rank->rank < k ? fabs(zw_qr_diagonal(&qr, rank->rank)) : 0;
  find_left(rank, &qr);
  find_coefficients(rank, &qr, scale);
  return ZW_OK;
}

ZwStatus zw_rank_decide(ZwRank* rank, int32_t m, int32_t n, const double* A, const double* scale, const double* L) {
  put_rows(rank, m, n, A, L);
  return decide(rank, m, n, scale);
}

ZwStatus zw_rank_decide_by(ZwRank* rank, int32_t m, int32_t n, const double* A, const double* scale,
                           const ZwLeast* metric) {
  put_rows(rank, m, n, A, NULL);
  zw_least_rows_to_metric(metric, m, rank->rows);
  return decide(rank, m, n, scale);
}

ZwStatus zw_rank_decide_balanced(ZwRank* rank, int32_t m, int32_t n, const double* A, const double* length,
                                 const double* unit) {
  put_rows(rank, m, n, A, NULL);
  for (ptrdiff_t i = 0; i < m; i++) {
    double* row = rank->rows + i * n;
    for (ptrdiff_t j = 0; j < n; j++) row[j] *= unit[j];
  }
  return decide(rank, m, n, length);
}

ZwRankSeen zw_rank_seen(const ZwRank* rank) {
  return (ZwRankSeen){rank->rank, rank->kept};
}

bool zw_rank_is_better(const ZwRank* rank, ZwRankSeen seen, bool is_whole) {
  bool is_as_clear = is_whole && rank->kept > as_clear * seen.kept;
  return rank->rank > seen.rank || (rank->rank == seen.rank && is_as_clear);
}

void zw_rank_share(const ZwRank* rank, double* S, double* mu, double* lambda) {
  int32_t r = rank->rank, dependent = rank->m - r;
  const double* K = rank->coefficients;
  zw_fill((ptrdiff_t)r * r, 0, S);
  for (ptrdiff_t i = 0; i < r; i++) S[i * r + i] = 1;
  for (ptrdiff_t d = 0; d < dependent; d++) {
    for (ptrdiff_t i = 0; i < r; i++) zw_axpy(r, K[d * r + i], K + d * r, S + i * r);
  }
  (void)zw_cholesky_factor(r, S); /* 1 + K^T K is positive definite */
  zw_cholesky_solve(r, S, mu);
  for (int32_t j = 0; j < r; j++) lambda[rank->order[j]] = mu[j];
  for (int32_t d = 0; d < dependent; d++) lambda[rank->order[r + d]] = zw_dot(r, K + (ptrdiff_t)d * r, mu);
}
