/* Compiled for AVX2, without fused operations. */
#include <immintrin.h>
#include <stddef.h>

#include "motion/stages.h"

/* ---- sums ---- */

/* How many stages a sum has is known where this is written out, once for every such number: the places of the stages and their factors
 * then stay in registers, and nothing is left of the loops over j. The sums of neighbours hide how long an addition takes. */
static inline __attribute__((always_inline)) void add_stages(int count, const ZwWeights* weights, double* const* k,
                                                             double h, const double* from, double* to, int32_t size) {
  const double* stage[ZW_DOP853_STAGES_ALL];
  __m256d factor[ZW_DOP853_STAGES_ALL], step = _mm256_set1_pd(h);
  for (int j = 0; j < count; j++) {
    stage[j] = k[weights->stage[j]];
    factor[j] = _mm256_mul_pd(step, _mm256_broadcast_sd(&weights->weight[j]));
  }
  for (ptrdiff_t i = 0; i < size; i += ZW_STAGES_FOUR) {
    __m256d x = from ? _mm256_loadu_pd(from + i) : _mm256_setzero_pd();
    for (int j = 0; j < count; j++) x = _mm256_add_pd(x, _mm256_mul_pd(factor[j], _mm256_loadu_pd(stage[j] + i)));
    _mm256_storeu_pd(to + i, x);
  }
}

/* The numbers of stages in the sums of the pair. */
#define COUNTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)

#define ADD(count)                                                                                              \
  static void add_##count(const ZwWeights* weights, double* const* k, double h, const double* from, double* to, \
                          int32_t size) {                                                                       \
    add_stages(count, weights, k, h, from, to, size);                                                           \
  }
COUNTS(ADD)

static void add(const ZwWeights* weights, double* const* k, double h, const double* from, double* to, int32_t size) {
#define NAME(count) [count] = add_##count,
  static void (*const of_count[ZW_DOP853_STAGES_ALL + 1])(const ZwWeights*, double* const*, double, const double*,
                                                          double*, int32_t) = {COUNTS(NAME)};
  of_count[weights->count](weights, k, h, from, to, size);
}

/* ---- errors ---- */

static inline __m256d size_of(__m256d x) {
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

/* Squares of four numbers at once; both sums together, one number after the other. */
static void square(const double* d5, const double* d3, const double* y, const double* y_new, double tolerance,
                   int32_t count, double sums[2]) {
  const __m256d one = _mm256_set1_pd(1), unit = _mm256_set1_pd(tolerance);
  __m128d both = _mm_setzero_pd();
  ptrdiff_t i = 0;
  for (; i < count; i += ZW_STAGES_FOUR) {
    __m256d larger = _mm256_max_pd(size_of(_mm256_loadu_pd(y + i)), size_of(_mm256_loadu_pd(y_new + i)));
    __m256d scale = _mm256_mul_pd(unit, _mm256_add_pd(one, larger));
    __m256d e5 = _mm256_div_pd(_mm256_loadu_pd(d5 + i), scale), e3 = _mm256_div_pd(_mm256_loadu_pd(d3 + i), scale);
    e5 = _mm256_mul_pd(e5, e5);
    e3 = _mm256_mul_pd(e3, e3);
    __m256d even = _mm256_unpacklo_pd(e5, e3), odd = _mm256_unpackhi_pd(e5, e3);
    both = _mm_add_pd(both, _mm256_castpd256_pd128(even));
    if (i + 1 < count) both = _mm_add_pd(both, _mm256_castpd256_pd128(odd));
    if (i + 2 < count) both = _mm_add_pd(both, _mm256_extractf128_pd(even, 1));
    if (i + 3 < count) both = _mm_add_pd(both, _mm256_extractf128_pd(odd, 1));
  }
  _mm_storeu_pd(sums, both);
}

static const ZwStages wide = {.add = add, .square = square};

const ZwStages* zw_stages_wide(void) {
  return &wide;
}
