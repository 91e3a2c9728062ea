/* The loops that all of `least` is made of. Matrices are dense, row-major, without padding.
 *
 * A dot product keeps four sums, always the same four: the compiler may put them into vector registers without
 * changing a bit of the result, which it may not do with one sum. */
#ifndef ZW_LEAST_DENSE_H
#define ZW_LEAST_DENSE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/finite.h"

/* Bytes up to where the next object placed in the same memory may begin. */
static inline size_t zw_rounded(size_t bytes) {
  enum { ALIGN = 16 };
  return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static inline double zw_dot(int32_t n, const double* x, const double* y) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int32_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  for (; i < n; i++) s0 += x[i] * y[i];
  return (s0 + s2) + (s1 + s3);
}

/* y += c x */
static inline void zw_axpy(int32_t n, double c, const double* x, double* y) {
  for (int32_t i = 0; i < n; i++) y[i] += c * x[i];
}

static inline void zw_scale(int32_t n, double c, double* x) {
  for (int32_t i = 0; i < n; i++) x[i] *= c;
}

/* Unlike memcpy, this takes null pointers when there is nothing to copy. */
static inline void zw_copy(ptrdiff_t count, const double* from, double* to) {
  for (ptrdiff_t i = 0; i < count; i++) to[i] = from[i];
}

static inline void zw_fill(ptrdiff_t count, double value, double* x) {
  for (ptrdiff_t i = 0; i < count; i++) x[i] = value;
}

static inline void zw_swap_vectors(int32_t n, double* x, double* y) {
  for (int32_t i = 0; i < n; i++) {
    double kept = x[i];
    x[i] = y[i];
    y[i] = kept;
  }
}

static inline double zw_larger(double x, double y) {
  return x > y ? x : y;
}

static inline double zw_smaller(double x, double y) {
  return x < y ? x : y;
}

/* The largest |x_i|; NaN entries are passed over. */
static inline double zw_max_abs(ptrdiff_t count, const double* x) {
  double most = 0;
  for (ptrdiff_t i = 0; i < count; i++) most = zw_larger(fabs(x[i]), most);
  return most;
}

/* Euclidean length, also where the squares overflow or underflow. */
static inline double zw_norm(int32_t n, const double* x) {
  double square = zw_dot(n, x, x);
  if (square > 1e-270 && square < 1e270) return sqrt(square);
  double most = zw_max_abs(n, x);
  if (most == 0 || isinf(most)) return most + square;
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += (x[i] / most) * (x[i] / most);
  return most * sqrt(sum);
}

/* y = A x, A is m x n */
static inline void zw_multiply(int32_t m, int32_t n, const double* A, const double* x, double* y) {
  for (int32_t i = 0; i < m; i++) y[i] = zw_dot(n, A + (ptrdiff_t)i * n, x);
}

/* y += c A^T x, A is m x n */
static inline void zw_add_transposed(int32_t m, int32_t n, double c, const double* A, const double* x, double* y) {
  for (int32_t i = 0; i < m; i++) zw_axpy(n, c * x[i], A + (ptrdiff_t)i * n, y);
}

#endif
