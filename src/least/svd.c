/* The idea (Hestenes 1958): rotate pairs of columns of A until all are orthogonal, A J = W. Then the lengths of the
 * columns are the singular values, the columns themselves the vectors of one side, and J those of the other.
 *
 * The shorter side is rotated: W holds the k = min(m, n) long vectors, J the k short ones, each as contiguous rows.
 * For m >= n these are the columns of A, so W grows into Ut and J into Vt; for m < n they are its rows, the other way. */
#include "least/svd.h"

#include <float.h>

#include "least/dense.h"

/* Six to ten sweeps are usual; more than this means that rounding plays tricks on entries that no longer matter. */
enum { SWEEPS_MOST = 60 };

/* Of vectors shorter than this (the largest entry of A is scaled to about one) the squares underflow: they are zero. */
static const double norm_zero = 1e-140;

/* The exponent of two next above the largest entry: scaling with it is exact. */
static int exponent_of(ptrdiff_t count, const double* A) {
  int exponent = 0;
  frexp(zw_max_abs(count, A), &exponent);
  return exponent;
}

/* W = the long vectors of A, scaled; J = 1 */
static void start(int32_t m, int32_t n, const double* A, int exponent, double* W, double* J) {
  int32_t k = m < n ? m : n;
  for (int32_t i = 0; i < m; i++) {
    for (int32_t j = 0; j < n; j++) {
      double value = ldexp(A[(ptrdiff_t)i * n + j], -exponent);
      W[m < n ? (ptrdiff_t)i * n + j : (ptrdiff_t)j * m + i] = value;
    }
  }
  zw_fill((ptrdiff_t)k * k, 0, J);
  for (int32_t i = 0; i < k; i++) J[(ptrdiff_t)i * k + i] = 1;
}

static void rotate(int32_t size, double c, double s, double* x, double* y) {
  for (int32_t i = 0; i < size; i++) {
    double old = x[i];
    x[i] = c * old - s * y[i];
    y[i] = s * old + c * y[i];
  }
}

/* Makes rows p and q of W orthogonal; false when they were. */
static bool make_orthogonal(int32_t size, int32_t k, int32_t p, int32_t q, double* W, double* J) {
  double *x = W + (ptrdiff_t)p * size, *y = W + (ptrdiff_t)q * size;
  double xx = zw_dot(size, x, x), yy = zw_dot(size, y, y), xy = zw_dot(size, x, y);
  if (xx < norm_zero * norm_zero || yy < norm_zero * norm_zero) return false;
  if (fabs(xy) <= DBL_EPSILON * sqrt((double)size) * sqrt(xx) * sqrt(yy)) return false;
  /* the smaller root of t^2 + 2 zeta t - 1 = 0 is the tangent of the angle */
  double zeta = (yy - xx) / (2 * xy);
  double t = fabs(zeta) > 1e8 ? 0.5 / zeta : copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
  double c = 1 / sqrt(1 + t * t);
  rotate(size, c, c * t, x, y);
  rotate(k, c, c * t, J + (ptrdiff_t)p * k, J + (ptrdiff_t)q * k);
  return true;
}

static void sweep_until_orthogonal(int32_t size, int32_t k, double* W, double* J) {
  bool has_rotated = true;
  for (int32_t sweep = 0; has_rotated && sweep < SWEEPS_MOST; sweep++) {
    has_rotated = false;
    for (int32_t p = 0; p < k; p++) {
      for (int32_t q = p + 1; q < k; q++) {
        if (make_orthogonal(size, k, p, q, W, J)) has_rotated = true;
      }
    }
  }
}

static void sort(int32_t size, int32_t k, double* sigma, double* W, double* J) {
  for (int32_t i = 0; i < k; i++) {
    int32_t best = i;
    for (int32_t j = i + 1; j < k; j++) best = sigma[j] > sigma[best] ? j : best;
    if (best == i) continue;
    zw_swap_vectors(1, sigma + i, sigma + best);
    zw_swap_vectors(size, W + (ptrdiff_t)i * size, W + (ptrdiff_t)best * size);
    zw_swap_vectors(k, J + (ptrdiff_t)i * k, J + (ptrdiff_t)best * k);
  }
}

/* Row i of W := a unit vector orthogonal to the i rows above it. */
static void complete(int32_t size, int32_t i, double* W) {
  double* x = W + (ptrdiff_t)i * size;
  /* some coordinate direction sticks out of the span of fewer than `size` vectors by at least 1/sqrt(size) */
  for (int32_t j = 0; j < size; j++) {
    zw_fill(size, 0, x);
    x[j] = 1;
    for (int32_t pass = 0; pass < 2; pass++) {
      for (int32_t p = 0; p < i; p++) {
        const double* other = W + (ptrdiff_t)p * size;
        zw_axpy(size, -zw_dot(size, other, x), other, x);
      }
    }
    double norm = zw_norm(size, x);
    if (norm * norm * 2 * size < 1) continue;
    zw_scale(size, 1 / norm, x);
    return;
  }
}

ZwStatus zw_svd(int32_t m, int32_t n, const double* A, double* sigma, double* Ut, double* Vt) {
  if (!zw_all_finite((ptrdiff_t)m * n, A)) return ZW_ERR_DOMAIN;
  int32_t size = m < n ? n : m, k = m < n ? m : n;
  double *W = m < n ? Vt : Ut, *J = m < n ? Ut : Vt;
  /* rotate */
  int exponent = exponent_of((ptrdiff_t)m * n, A);
  start(m, n, A, exponent, W, J);
  sweep_until_orthogonal(size, k, W, J);
  /* lengths, largest first */
  for (int32_t i = 0; i < k; i++) sigma[i] = zw_norm(size, W + (ptrdiff_t)i * size);
  sort(size, k, sigma, W, J);
  /* unit vectors, also where the length is zero */
  for (int32_t i = 0; i < k; i++) {
    if (sigma[i] > norm_zero) {
      zw_scale(size, 1 / sigma[i], W + (ptrdiff_t)i * size);
    } else {
      complete(size, i, W);
    }
    sigma[i] = ldexp(sigma[i], exponent);
  }
  return ZW_OK;
}
