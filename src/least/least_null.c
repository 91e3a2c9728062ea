/* The road for M that is singular or indefinite (T20, T21): a massless point, the length of a quaternion, a Lagrangian
 * whose energy has both signs.
 *
 * First the coordinates are scaled, x = D a, so that no unit of length or angle decides what is small. With orthogonal
 * factors of the constraints in them, (A D^-1)^T = Q [R; 0], Q = [Y Z]:
 *
 *   x = Y R'\b + Z w       every w satisfies the constraints
 *   K w = Z^T (D^-1 h - M Y R'\b),  K = Z^T M Z       (M from here on is D^-1 M D^-1)
 *
 * K positive definite: a minimum. K regular: the stationary point, which still is the motion. K singular: nothing
 * determines the acceleration along its null vectors. */
#include "least/cholesky.h"
#include "least/dense.h"
#include "least/least_parts.h"
#include "least/lu.h"
#include "least/scaling.h"
#include "least/svd.h"

/* A direction has inertia when K, whose largest possible entry is about one, is larger than this along it. It stands
 * between rounding (n 1e-16) and the smallest ratio of inertias within one mechanism that we want to believe. */
static const double tol_inertia_rel = 1e-12;

/* Pivots of K larger than this are beyond doubt; below, singular values are asked. */
static const double pivot_sure = 1e-6;

/* Entries of the null vector smaller than this are rounding. */
static const double tol_null_abs = 1e-9;

static void scale_problem(ZwLeast* least) {
  int32_t n = least->n, m = least->m;
  double* D_inverse = least->D_inverse;
  zw_scale_coordinates_by(n, m, least->M, least->A, least->massless, D_inverse, least->x);
  for (int32_t i = 0; i < n; i++) {
    const double* from = least->M + (ptrdiff_t)i * n;
    double* to = least->L + (ptrdiff_t)i * n;
    for (int32_t j = 0; j < n; j++) to[j] = D_inverse[i] * from[j] * D_inverse[j];
  }
  for (int32_t i = 0; i < m; i++) {
    const double* from = least->A + (ptrdiff_t)i * n;
    double* to = least->qr.T + (ptrdiff_t)i * n;
    for (int32_t j = 0; j < n; j++) to[j] = from[j] * D_inverse[j];
  }
}

/* K = Z^T M Z, from ZtM */
static void form_K(ZwLeast* least) {
  int32_t n = least->n, f = n - least->m;
  for (int32_t i = 0; i < f; i++) {
    zw_multiply(f, n, least->Zt, least->ZtM + (ptrdiff_t)i * n, least->K + (ptrdiff_t)i * f);
  }
}

static void restrict_to_null_space(ZwLeast* least) {
  int32_t n = least->n, m = least->m, f = n - m;
  /* Z: the last columns of Q */
  for (int32_t i = 0; i < f; i++) {
    double* z = least->Zt + (ptrdiff_t)i * n;
    zw_fill(n, 0, z);
    z[m + i] = 1;
    zw_qr_apply_q(&least->qr, z);
    zw_multiply(n, n, least->L, z, least->ZtM + (ptrdiff_t)i * n);
  }
}

/* Factors K as a definite matrix or else as a regular one; returns its smallest pivot. */
static double factor_K(ZwLeast* least) {
  int32_t f = least->n - least->m;
  /* a minimum? */
  form_K(least);
  least->road = ZW_ROAD_MINIMUM;
  if (zw_cholesky_factor(f, least->K) == f) {
    least->conditioning = zw_cholesky_ratio(f, least->K);
    double pivot = INFINITY;
    for (int32_t i = 0; i < f; i++) pivot = zw_smaller(pivot, least->K[(ptrdiff_t)i * f + i]);
    return pivot * pivot;
  }
  /* a stationary point? */
  form_K(least);
  least->road = ZW_ROAD_STATIONARY;
  double pivot = zw_lu_factor(f, least->K, least->swap);
  least->conditioning = zw_smaller(1, pivot);
  return pivot;
}

/* Singular values see what pivots may hide. */
static bool is_singular(ZwLeast* least) {
  int32_t f = least->n - least->m;
  form_K(least);
  ZwStatus status = zw_svd(f, f, least->K, least->sigma, least->Ut, least->Vt);
  return status || least->sigma[f - 1] <= tol_inertia_rel;
}

/* z = D^-1 Z (the vector of the smallest singular value of K), rounding wiped off */
static void name_null_vector(ZwLeast* least) {
  int32_t n = least->n, f = n - least->m;
  double* z = least->z;
  zw_fill(n, 0, z);
  zw_add_transposed(f, n, 1, least->Zt, least->Vt + (ptrdiff_t)(f - 1) * f, z);
  for (int32_t j = 0; j < n; j++) z[j] = fabs(z[j]) <= tol_null_abs ? 0 : z[j] * least->D_inverse[j];
  zw_scale(n, 1 / zw_max_abs(n, z), z);
}

ZwStatus zw_least_factor_null(ZwLeast* least) {
  scale_problem(least);
  zw_qr_factor(&least->qr);
  restrict_to_null_space(least);
  double pivot = factor_K(least);
  if (pivot > pivot_sure) return ZW_OK;
  /* a doubt: look closer, then factor again or give the direction a name */
  if (!is_singular(least) && factor_K(least) > 0) return ZW_OK;
  least->road = ZW_ROAD_UNDETERMINED;
  name_null_vector(least);
  return ZW_ERR_UNDETERMINED;
}

/* w = V S^+ U^T w: the shortest answer, nothing along directions without inertia */
static void solve_shortest(ZwLeast* least, int32_t f, double* w) {
  double* part = least->sigma + f; /* second half of the memory for sigma */
  zw_multiply(f, f, least->Ut, w, part);
  for (int32_t i = 0; i < f; i++) part[i] = least->sigma[i] > tol_inertia_rel ? part[i] / least->sigma[i] : 0;
  zw_fill(f, 0, w);
  zw_add_transposed(f, f, 1, least->Vt, part, w);
}

/* w = K\w */
static void solve_K(ZwLeast* least, double* w) {
  int32_t f = least->n - least->m;
  switch (least->road) {
    case ZW_ROAD_STATIONARY:
      zw_lu_solve(f, least->K, least->swap, w);
      break;
    case ZW_ROAD_UNDETERMINED:
      solve_shortest(least, f, w);
      break;
    default:
      zw_cholesky_solve(f, least->K, w);
  }
}

/* x = Y R'\b + Z w for the force `force` (scaled; NULL means none) */
static void solve_scaled(ZwLeast* least, const double* force, const double* b, double sign, double* x) {
  int32_t n = least->n, m = least->m, f = n - m;
  /* what the constraints fix */
  for (int32_t i = 0; i < m; i++) x[i] = sign * b[i];
  zw_qr_solve_rt(&least->qr, m, x);
  zw_fill(f, 0, x + m);
  zw_qr_apply_q(&least->qr, x);
  /* what the masses decide: w = K\(Z^T force - Z^T M x) */
  double* w = least->f;
  for (int32_t i = 0; i < f; i++) {
    double push = force ? zw_dot(n, least->Zt + (ptrdiff_t)i * n, force) : 0;
    w[i] = push - zw_dot(n, least->ZtM + (ptrdiff_t)i * n, x);
  }
  solve_K(least, w);
  zw_add_transposed(f, n, 1, least->Zt, w, x);
}

void zw_least_solve_null(ZwLeast* least, const double* h, const double* b, double* a, double* lambda) {
  int32_t n = least->n, m = least->m;
  double* force = least->x;
  for (int32_t j = 0; j < n; j++) force[j] = least->D_inverse[j] * h[j];
  solve_scaled(least, force, b, 1, a);
  /* R lambda = Y^T (M x - force) */
  double* difference = least->f;
  for (int32_t i = 0; i < n; i++) difference[i] = zw_dot(n, least->L + (ptrdiff_t)i * n, a) - force[i];
  zw_qr_apply_qt(&least->qr, difference);
  zw_copy(m, difference, lambda);
  zw_qr_solve_r(&least->qr, m, lambda);
  for (int32_t j = 0; j < n; j++) a[j] *= least->D_inverse[j];
}

void zw_least_project_null(ZwLeast* least, const double* r, double* dx) {
  solve_scaled(least, NULL, r, -1, dx);
  for (int32_t j = 0; j < least->n; j++) dx[j] *= least->D_inverse[j];
}
