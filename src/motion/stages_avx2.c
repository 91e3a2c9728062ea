/* Compiled for AVX2, without fused operations. */
#include <immintrin.h>

#include "base/machine.h"
#include "motion/stages.h"

static inline __m256d begin_at(const ZwSum* sum, int32_t i) {
  return sum->from ? _mm256_loadu_pd(sum->from + i) : _mm256_setzero_pd();
}

/* Several sums hide how long an addition takes. */
static inline void add_sixteen(const ZwSum* sum, int32_t i) {
  __m256d a = begin_at(sum, i), b = begin_at(sum, i + 4), c = begin_at(sum, i + 8), d = begin_at(sum, i + 12);
  for (int32_t j = 0; j < sum->count; j++) {
    const double* k = sum->k[j] + i;
    __m256d factor = _mm256_broadcast_sd(&sum->factor[j]);
    a = _mm256_add_pd(a, _mm256_mul_pd(factor, _mm256_loadu_pd(k)));
    b = _mm256_add_pd(b, _mm256_mul_pd(factor, _mm256_loadu_pd(k + 4)));
    c = _mm256_add_pd(c, _mm256_mul_pd(factor, _mm256_loadu_pd(k + 8)));
    d = _mm256_add_pd(d, _mm256_mul_pd(factor, _mm256_loadu_pd(k + 12)));
  }
  _mm256_storeu_pd(sum->to + i, a);
  _mm256_storeu_pd(sum->to + i + 4, b);
  _mm256_storeu_pd(sum->to + i + 8, c);
  _mm256_storeu_pd(sum->to + i + 12, d);
}

static inline void add_eight(const ZwSum* sum, int32_t i) {
  __m256d a = begin_at(sum, i), b = begin_at(sum, i + 4);
  for (int32_t j = 0; j < sum->count; j++) {
    const double* k = sum->k[j] + i;
    __m256d factor = _mm256_broadcast_sd(&sum->factor[j]);
    a = _mm256_add_pd(a, _mm256_mul_pd(factor, _mm256_loadu_pd(k)));
    b = _mm256_add_pd(b, _mm256_mul_pd(factor, _mm256_loadu_pd(k + 4)));
  }
  _mm256_storeu_pd(sum->to + i, a);
  _mm256_storeu_pd(sum->to + i + 4, b);
}

static inline void add_four(const ZwSum* sum, int32_t i) {
  __m256d a = begin_at(sum, i);
  for (int32_t j = 0; j < sum->count; j++) {
    a = _mm256_add_pd(a, _mm256_mul_pd(_mm256_broadcast_sd(&sum->factor[j]), _mm256_loadu_pd(sum->k[j] + i)));
  }
  _mm256_storeu_pd(sum->to + i, a);
}

int32_t zw_stages_add_wide(const ZwSum* sum, int32_t begin, int32_t size) {
  int32_t i = begin;
  if (!zw_machine_has_avx2()) return i;
  for (; i + 16 <= size; i += 16) add_sixteen(sum, i);
  for (; i + 8 <= size; i += 8) add_eight(sum, i);
  for (; i + 4 <= size; i += 4) add_four(sum, i);
  return i;
}
