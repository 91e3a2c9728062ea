/* Eight numbers in two vector registers, for machines with AVX2: one of each of the eight members that move together (motion/group.h).
 * Included only by files that are compiled for them (cmake/native.cmake). Every operation is that of one number, eight times. */
#ifndef ZW_BASE_EIGHT_H
#define ZW_BASE_EIGHT_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

enum { ZW_EIGHT = 8 };

typedef struct ZwEight {
  __m256d lo, hi;
} ZwEight;

/* Bit l stands for number l. */
typedef uint32_t ZwEightSet;
enum { ZW_EIGHT_ALL = 0xff };

/* What is true of which numbers: all bits of them are set, or none. */
typedef struct ZwEightMask {
  __m256d lo, hi;
} ZwEightMask;

static inline double* numbers_of(ZwEight* x) {
  return (double*)x;
}

static inline double number_of(const ZwEight* x, int l) {
  return ((const double*)x)[l];
}

static inline ZwEight spread(double x) {
  return (ZwEight){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}

static inline ZwEight load(const double* x) {
  return (ZwEight){_mm256_loadu_pd(x), _mm256_loadu_pd(x + 4)};
}

static inline ZwEight plus(ZwEight x, ZwEight y) {
  return (ZwEight){x.lo + y.lo, x.hi + y.hi};
}

static inline ZwEight minus(ZwEight x, ZwEight y) {
  return (ZwEight){x.lo - y.lo, x.hi - y.hi};
}

static inline ZwEight times(ZwEight x, ZwEight y) {
  return (ZwEight){x.lo * y.lo, x.hi * y.hi};
}

static inline ZwEight over(ZwEight x, ZwEight y) {
  return (ZwEight){x.lo / y.lo, x.hi / y.hi};
}

static inline ZwEight root(ZwEight x) {
  return (ZwEight){_mm256_sqrt_pd(x.lo), _mm256_sqrt_pd(x.hi)};
}

static inline ZwEight negative(ZwEight x) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  return (ZwEight){_mm256_xor_pd(x.lo, sign), _mm256_xor_pd(x.hi, sign)};
}

static inline ZwEight size_of(ZwEight x) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  return (ZwEight){_mm256_andnot_pd(sign, x.lo), _mm256_andnot_pd(sign, x.hi)};
}

/* ---- comparing; false where one of the two is not a number ---- */

static inline ZwEightMask is_less(ZwEight x, ZwEight y) {
  return (ZwEightMask){_mm256_cmp_pd(x.lo, y.lo, _CMP_LT_OQ), _mm256_cmp_pd(x.hi, y.hi, _CMP_LT_OQ)};
}

static inline ZwEightMask is_at_most(ZwEight x, ZwEight y) {
  return (ZwEightMask){_mm256_cmp_pd(x.lo, y.lo, _CMP_LE_OQ), _mm256_cmp_pd(x.hi, y.hi, _CMP_LE_OQ)};
}

static inline ZwEightMask is_equal(ZwEight x, ZwEight y) {
  return (ZwEightMask){_mm256_cmp_pd(x.lo, y.lo, _CMP_EQ_OQ), _mm256_cmp_pd(x.hi, y.hi, _CMP_EQ_OQ)};
}

/* x where the mask says so, else y. */
static inline ZwEight choose(ZwEightMask mask, ZwEight x, ZwEight y) {
  return (ZwEight){_mm256_blendv_pd(y.lo, x.lo, mask.lo), _mm256_blendv_pd(y.hi, x.hi, mask.hi)};
}

/* The larger one; y where one is not a number. */
static inline ZwEight larger(ZwEight x, ZwEight y) {
  return (ZwEight){_mm256_max_pd(x.lo, y.lo), _mm256_max_pd(x.hi, y.hi)};
}

static inline ZwEight smaller(ZwEight x, ZwEight y) {
  return (ZwEight){_mm256_min_pd(x.lo, y.lo), _mm256_min_pd(x.hi, y.hi)};
}

static inline ZwEightSet set_of(ZwEightMask mask) {
  return (ZwEightSet)_mm256_movemask_pd(mask.lo) | (ZwEightSet)_mm256_movemask_pd(mask.hi) << 4;
}

static inline ZwEightMask mask_of(ZwEightSet set) {
  const __m256i bits = _mm256_set_epi64x(8, 4, 2, 1);
  __m256i lo = _mm256_and_si256(_mm256_set1_epi64x(set), bits),
          hi = _mm256_and_si256(_mm256_set1_epi64x(set >> 4), bits);
  return (ZwEightMask){_mm256_castsi256_pd(_mm256_cmpeq_epi64(lo, bits)),
                       _mm256_castsi256_pd(_mm256_cmpeq_epi64(hi, bits))};
}

/* The members of which all of these numbers are finite. */
static inline ZwEightSet all_finite(int64_t count, const ZwEight* x) {
  ZwEight sum = spread(0), zero = spread(0);
  for (int64_t i = 0; i < count; i++) sum = plus(sum, times(x[i], zero)); /* 0, or not a number */
  return set_of(is_equal(sum, zero));
}

#endif
