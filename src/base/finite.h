#ifndef ZW_BASE_FINITE_H
#define ZW_BASE_FINITE_H

#include <stdbool.h>
#include <stddef.h>

/* Finite numbers times zero are zero; infinity and NaN are not. No branch in the loop. */
static inline bool zw_all_finite(ptrdiff_t count, const double* x) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  ptrdiff_t i = 0;
  for (; i + 4 <= count; i += 4) {
    s0 += x[i] * 0.0;
    s1 += x[i + 1] * 0.0;
    s2 += x[i + 2] * 0.0;
    s3 += x[i + 3] * 0.0;
  }
  for (; i < count; i++) s0 += x[i] * 0.0;
  return (s0 + s2) + (s1 + s3) == 0;
}

#endif
