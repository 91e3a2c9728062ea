#include "least/frame.h"

#include "base/assert.h"
#include "least/dense.h"
#include "least/lu.h"

/* A pivot of B^T M B smaller than this part of its largest entry says that a direction has no inertia. */
static const double tol_pivot_rel = 1e-13;

size_t zw_frame_work_size(int32_t n) {
  ZW_ASSERT(n >= 0);
  size_t size = (size_t)n;
  return zw_rounded(sizeof(ZwFrame)) + (3 * size * size + 3 * size) * sizeof(double) + size * sizeof(int32_t);
}

ZwFrame* zw_frame_place(void* memory, int32_t n) {
  ZwFrame* frame = memory;
  ptrdiff_t square = (ptrdiff_t)n * n;
  double* next = (double*)(void*)((char*)memory + zw_rounded(sizeof(ZwFrame)));
  *frame = (ZwFrame){.n_max = n,
                     .X = next,
                     .LU = next + square,
                     .K = next + 2 * square,
                     .lengths = next + 3 * square,
                     .x = next + 3 * square + n,
                     .f = next + 3 * square + 2 * (ptrdiff_t)n,
                     .swap = (int32_t*)(void*)(next + 3 * square + 3 * (ptrdiff_t)n)};
  return frame;
}

/* [C; A] with rows of length one; false when a row has no length. */
static bool put_rows(ZwFrame* frame, const double* C, const double* A) {
  ptrdiff_t n = frame->n, k = frame->k;
  zw_copy(k * n, C, frame->LU);
  zw_copy((n - k) * n, A, frame->LU + k * n);
  for (int32_t i = 0; i < frame->n; i++) {
    double length = zw_norm(frame->n, frame->LU + i * n);
    if (length == 0) return false;
    frame->lengths[i] = length;
    zw_scale(frame->n, 1 / length, frame->LU + i * n);
  }
  return true;
}

/* Column j of the inverse, of rows of length one. */
static void solve_column(ZwFrame* frame, int32_t j) {
  zw_fill(frame->n, 0, frame->x);
  frame->x[j] = 1;
  zw_lu_solve(frame->n, frame->LU, frame->swap, frame->x);
}

/* Of the product of the pivots, and of the exchanges of rows. */
static int32_t sign_of(const ZwFrame* frame) {
  int32_t sign = 1;
  for (int32_t k = 0; k < frame->n; k++) {
    if (frame->LU[(ptrdiff_t)k * frame->n + k] < 0) sign = -sign;
    if (frame->swap[k] != k) sign = -sign;
  }
  return sign;
}

ZwStatus zw_frame_factor(ZwFrame* frame, int32_t n, int32_t k, const double* C, const double* A) {
  ZW_ASSERT(n <= frame->n_max && k >= 0 && k <= n);
  frame->n = n;
  frame->k = k;
  frame->condition = INFINITY;
  if (!zw_all_finite((ptrdiff_t)k * n, C) || !zw_all_finite((ptrdiff_t)(n - k) * n, A)) return ZW_ERR_DOMAIN;
  if (!put_rows(frame, C, A)) return ZW_ERR_INCONSISTENT;
  if (zw_lu_factor(n, frame->LU, frame->swap) == 0) return ZW_ERR_INCONSISTENT;
  frame->sign = sign_of(frame);
  double sum = 0;
  for (int32_t j = 0; j < n; j++) {
    solve_column(frame, j);
    sum += zw_dot(n, frame->x, frame->x);
    for (int32_t i = 0; i < n; i++) frame->X[(ptrdiff_t)i * n + j] = frame->x[i] / frame->lengths[j];
  }
  frame->condition = n > 0 ? sqrt(sum * n) : 1; /* |[C; A]|_F = sqrt(n) */
  return frame->condition <= ZW_FRAME_CONDITION_MAX ? ZW_OK : ZW_ERR_INCONSISTENT;
}

void zw_frame_velocity(const ZwFrame* frame, const double* free, const double* bound, double* v) {
  int32_t n = frame->n, k = frame->k;
  for (int32_t i = 0; i < n; i++) {
    const double* row = frame->X + (ptrdiff_t)i * n;
    v[i] = zw_dot(k, row, free) + zw_dot(n - k, row + k, bound);
  }
}

/* K = B^T M B; returns its largest entry */
static double restrict_inertia(ZwFrame* frame, const double* M) {
  ptrdiff_t n = frame->n, k = frame->k;
  zw_fill(k * k, 0, frame->K);
  for (ptrdiff_t i = 0; i < n; i++) {
    /* row i of M B, then its outer product with row i of B */
    zw_fill(k, 0, frame->f);
    for (ptrdiff_t j = 0; j < n; j++) zw_axpy((int32_t)k, M[i * n + j], frame->X + j * n, frame->f);
    for (ptrdiff_t p = 0; p < k; p++) zw_axpy((int32_t)k, frame->X[i * n + p], frame->f, frame->K + p * k);
  }
  return zw_max_abs(k * k, frame->K);
}

ZwStatus zw_frame_solve(ZwFrame* frame, const double* M, const double* h, const double* c, const double* b,
                        double* nu_rate, double* a) {
  int32_t n = frame->n, k = frame->k;
  double largest = restrict_inertia(frame, M);
  double pivot = zw_lu_factor(k, frame->K, frame->swap);
  if (k > 0 && !(pivot > tol_pivot_rel * largest)) return ZW_ERR_UNDETERMINED;
  /* nu' = K\B^T (h - M X [c; b]) */
  zw_frame_velocity(frame, c, b, a);
  zw_fill(k, 0, nu_rate);
  for (int32_t i = 0; i < n; i++) {
    double push = h[i] - zw_dot(n, M + (ptrdiff_t)i * n, a);
    zw_axpy(k, push, frame->X + (ptrdiff_t)i * n, nu_rate);
  }
  zw_lu_solve(k, frame->K, frame->swap, nu_rate);
  /* a = B nu' + X [c; b] */
  for (int32_t i = 0; i < n; i++) a[i] += zw_dot(k, frame->X + (ptrdiff_t)i * n, nu_rate);
  return zw_all_finite(n, a) ? ZW_OK : ZW_ERR_DOMAIN;
}
