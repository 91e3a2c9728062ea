#include "least/least.h"

#include <string.h>

#include "base/assert.h"
#include "least/cholesky.h"
#include "least/dense.h"
#include "least/least_parts.h"

/* A row whose angle to the rows before it has a smaller sine is dependent: what is left of it is rounding. Whether a
 * row *should* count as dependent is for rank.h to say, with a much larger tolerance. */
static const double tol_sine = 1e-14;

/* One step of refinement when the conditioning hint is below this. Without it about 1e-16 / hint of the answer is
 * wrong, so four digits are given up before the second pass is paid for. */
static const double conditioning_bad = 1e-4;

size_t zw_least_work_size(int32_t n, int32_t m_max) {
  ZW_ASSERT(n >= 0 && m_max >= 0);
  size_t cols = (size_t)n, rows = (size_t)(m_max < n ? m_max : n);
  /*               L, M, Zt, ZtM, K, Ut, Vt  T, A, tau         D^-1, sigma twice, z, x, f, r_h, da   r_b and lambdas */
  size_t numbers = 7 * cols * cols + 2 * rows * cols + rows + 8 * cols + 3 * rows;
  return zw_rounded(sizeof(ZwLeast)) + numbers * sizeof(double) + cols * sizeof(int32_t);
}

static double* take(double** next, ptrdiff_t count) {
  double* taken = *next;
  *next += count;
  return taken;
}

ZwLeast* zw_least_place(void* memory, int32_t n, int32_t m_max) {
  ZwLeast* least = memory;
  ptrdiff_t rows = m_max < n ? m_max : n, square = (ptrdiff_t)n * n;
  *least = (ZwLeast){.n = n, .m_max = (int32_t)rows, .status = ZW_ERR_ARGUMENT};
  double* next = (double*)(void*)((char*)memory + zw_rounded(sizeof(ZwLeast)));
  /* factors */
  least->L = take(&next, square);
  least->M_known = take(&next, square);
  least->A_known = take(&next, rows * n);
  least->qr = (ZwQr){.rows = n, .cols = 0, .T = take(&next, rows * n), .tau = take(&next, rows)};
  least->Zt = take(&next, square);
  least->ZtM = take(&next, square);
  least->K = take(&next, square);
  least->Ut = take(&next, square);
  least->Vt = take(&next, square);
  least->sigma = take(&next, 2 * (ptrdiff_t)n);
  least->D_inverse = take(&next, n);
  least->z = take(&next, n);
  /* scratch */
  least->x = take(&next, n);
  least->f = take(&next, n);
  least->r_h = take(&next, n);
  least->da = take(&next, n);
  least->lambda = take(&next, rows);
  least->r_b = take(&next, rows);
  least->dlambda = take(&next, rows);
  least->swap = (int32_t*)(void*)next;
  return least;
}

bool zw_least_rows_are_independent(ZwLeast* least) {
  double sine = zw_qr_sine(&least->qr);
  least->pivot_ratio = sine;
  least->conditioning *= sine * sine;
  return sine > tol_sine;
}

static ZwStatus factor(ZwLeast* least) {
  ptrdiff_t n = least->n, m = least->m;
  least->has_L = least->has_L && memcmp(least->M, least->M_known, (size_t)(n * n) * sizeof(double)) == 0;
  if (!least->has_L && !zw_all_finite(n * n, least->M)) return ZW_ERR_DOMAIN;
  if (!zw_all_finite(m * n, least->A)) return ZW_ERR_DOMAIN;
  ZwStatus status = ZW_OK;
  if (!zw_least_factor_definite(least)) status = zw_least_factor_null(least);
  if (!zw_least_rows_are_independent(least)) return ZW_ERR_INCONSISTENT;
  return status;
}

ZwStatus zw_least_factor(ZwLeast* least, int32_t m, const double* M, const double* A) {
  ZW_ASSERT(m >= 0 && m <= least->m_max);
  if (least->split) return zw_split_factor(least, m, M, A);
  least->m = m;
  least->M = M;
  least->A = A;
  least->qr.cols = m;
  least->status = factor(least);
  return least->status;
}

void zw_least_set_massless(ZwLeast* least, const double* unit) {
  least->massless = unit;
}

/* One pass of whichever road; the Gaussian, or NaN. */
static double pass(ZwLeast* least, const double* h, const double* b, double* a, double* lambda) {
  if (least->road == ZW_ROAD_DEFINITE) return zw_least_solve_definite(least, h, b, a, lambda);
  zw_least_solve_null(least, h, b, a, lambda);
  return NAN;
}

/* r_h = h + A^T lambda - M a and r_b = b - A a are what is still wrong; the same factors tell how to mend it. */
static void refine(ZwLeast* least, const double* h, const double* b, double* a, double* lambda) {
  int32_t n = least->n, m = least->m;
  zw_copy(n, h, least->r_h);
  zw_add_transposed(m, n, 1, least->A, lambda, least->r_h);
  for (int32_t i = 0; i < n; i++) least->r_h[i] -= zw_dot(n, least->M + (ptrdiff_t)i * n, a);
  for (int32_t i = 0; i < m; i++) least->r_b[i] = b[i] - zw_dot(n, least->A + (ptrdiff_t)i * n, a);
  pass(least, least->r_h, least->r_b, least->da, least->dlambda);
  zw_axpy(n, 1, least->da, a);
  zw_axpy(m, 1, least->dlambda, lambda);
}

ZwStatus zw_least_answer(ZwLeast* least, const double* h, const double* b, ZwLeastResult* result) {
  ZW_TRY(least->status);
  if (least->split) return zw_split_answer(least, h, b, result);
  int32_t n = least->n, m = least->m;
  if (!zw_all_finite(n, h) || !zw_all_finite(m, b)) return ZW_ERR_DOMAIN;
  /* how it goes is known from the factors */
  result->pivot_ratio = least->pivot_ratio;
  result->is_minimum = least->road != ZW_ROAD_STATIONARY;
  result->is_refined = least->conditioning < conditioning_bad;
  /* accelerations and multipliers */
  double* lambda = result->lambda ? result->lambda : least->lambda;
  result->gaussian = pass(least, h, b, result->a, lambda);
  if (result->is_refined) refine(least, h, b, result->a, lambda);
  /* the force */
  if (result->Qc) {
    zw_fill(n, 0, result->Qc);
    zw_add_transposed(m, n, 1, least->A, lambda, result->Qc);
  }
  return zw_all_finite(n, result->a) && zw_all_finite(m, lambda) ? ZW_OK : ZW_ERR_DOMAIN;
}

ZwStatus zw_least_minimise(ZwLeast* least, const ZwLeastProblem* problem, ZwLeastResult* result) {
  ZW_ASSERT(problem->n == least->n);
  ZW_TRY(zw_least_factor(least, problem->m, problem->M, problem->A));
  return zw_least_answer(least, problem->h, problem->b, result);
}

ZwStatus zw_least_project(ZwLeast* least, const double* r, double* dx) {
  if (least->status && least->status != ZW_ERR_UNDETERMINED) return least->status;
  if (!zw_all_finite(least->m, r)) return ZW_ERR_DOMAIN;
  if (least->split) return zw_split_project(least, r, dx);
  if (least->road == ZW_ROAD_DEFINITE) {
    zw_least_project_definite(least, r, dx);
  } else {
    zw_least_project_null(least, r, dx);
  }
  return zw_all_finite(least->n, dx) ? ZW_OK : ZW_ERR_DOMAIN;
}

const double* zw_least_null_vector(const ZwLeast* least) {
  if (least->split) return zw_split_null_vector(least);
  return least->status == ZW_ERR_UNDETERMINED ? least->z : NULL;
}

bool zw_least_has_metric(const ZwLeast* least) {
  if (least->split) return zw_split_has_metric(least);
  return least->road == ZW_ROAD_DEFINITE && (least->status == ZW_OK || least->status == ZW_ERR_INCONSISTENT);
}

bool zw_least_has_units(const ZwLeast* least) {
  return least->massless && least->road != ZW_ROAD_DEFINITE;
}

void zw_least_rows_to_units(const ZwLeast* least, int32_t m, double* X, ptrdiff_t stride) {
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t j = 0; j < least->n; j++) X[i * stride + j] *= least->D_inverse[j];
  }
}

const double* zw_least_metric(const ZwLeast* least) {
  return !least->split && zw_least_has_metric(least) ? least->L : NULL;
}

void zw_least_rows_to_metric(const ZwLeast* least, int32_t m, double* X) {
  if (least->split)
    zw_split_rows_to_metric(least, m, X);
  else if (zw_least_has_metric(least))
    zw_cholesky_solve_lower_rows(least->n, least->L, m, X);
  else if (zw_least_has_units(least))
    zw_least_rows_to_units(least, m, X, least->n);
}

const ZwQr* zw_least_triangle(const ZwLeast* least) {
  return least->split ? zw_split_triangle(least) : &least->qr;
}

double zw_least_pivot_ratio(const ZwLeast* least) {
  if (least->split) return zw_split_pivot_ratio(least);
  return least->status == ZW_ERR_INCONSISTENT ? 0 : least->pivot_ratio;
}

void zw_least_to_metric(const ZwLeast* least, double* x) {
  if (least->split) {
    zw_split_to_metric(least, x);
  } else if (least->road == ZW_ROAD_DEFINITE) {
    zw_cholesky_solve_lower(least->n, least->L, x);
  } else {
    for (int32_t i = 0; i < least->n; i++) x[i] *= least->D_inverse[i];
  }
}

void zw_least_from_metric(const ZwLeast* least, double* x) {
  if (least->split) {
    zw_split_from_metric(least, x);
  } else if (least->road == ZW_ROAD_DEFINITE) {
    zw_cholesky_solve_upper(least->n, least->L, x);
  } else {
    for (int32_t i = 0; i < least->n; i++) x[i] *= least->D_inverse[i];
  }
}

/* Definite: x = L^T dx has the Euclidean metric. Null space: x = D dx. */
void zw_least_direction(const ZwLeast* least, const double* u, double* w, double* along) {
  if (least->split) {
    zw_split_direction(least, u, w, along);
    return;
  }
  int32_t n = least->n;
  zw_copy(least->m, u, w);
  zw_fill(n - least->m, 0, w + least->m);
  zw_qr_apply_q(&least->qr, w);
  if (least->road == ZW_ROAD_DEFINITE) {
    for (int32_t i = 0; i < n; i++) along[i] = zw_dot(i + 1, least->L + (ptrdiff_t)i * n, w); /* L x */
    zw_cholesky_solve_upper(n, least->L, w);
    return;
  }
  for (int32_t i = 0; i < n; i++) {
    along[i] = w[i] / least->D_inverse[i];
    w[i] *= least->D_inverse[i];
  }
}
