/* Compiled for AVX2, without fused operations. */
#include <immintrin.h>
#include <stddef.h>

#include "base/machine.h"
#include "motion/stages.h"

#define WRITTEN_OUT static inline __attribute__((always_inline))

/* ---- sums ---- */

/* How many stages a sum has is known where this is written out, and often which: their places and factors then stay in registers, and
 * nothing is left of the loops over j. Eight numbers go together where there are so many: their sums hide how long an
 * addition takes. */
WRITTEN_OUT void add_list(int count, const int* list, bool has_from, const ZwWeights* weights, double* const* k,
                          double h, const double* from, double* to, int32_t size) {
  const double* stage[ZW_DOP853_STAGES_ALL];
  __m256d factor[ZW_DOP853_STAGES_ALL], step = _mm256_set1_pd(h);
  ptrdiff_t i = 0;
  for (int j = 0; j < count; j++) {
    stage[j] = k[list[j]];
    factor[j] = _mm256_mul_pd(step, _mm256_loadu_pd(weights->wide[j]));
  }
  for (; i + ZW_STAGES_FOUR < size; i += 2 * ZW_STAGES_FOUR) {
    __m256d x = has_from ? _mm256_loadu_pd(from + i) : _mm256_setzero_pd();
    __m256d y = has_from ? _mm256_loadu_pd(from + i + ZW_STAGES_FOUR) : _mm256_setzero_pd();
    for (int j = 0; j < count; j++) {
      x = _mm256_add_pd(x, _mm256_mul_pd(factor[j], _mm256_loadu_pd(stage[j] + i)));
      y = _mm256_add_pd(y, _mm256_mul_pd(factor[j], _mm256_loadu_pd(stage[j] + i + ZW_STAGES_FOUR)));
    }
    _mm256_storeu_pd(to + i, x);
    _mm256_storeu_pd(to + i + ZW_STAGES_FOUR, y);
  }
  if (i >= size) return;
  __m256d x = has_from ? _mm256_loadu_pd(from + i) : _mm256_setzero_pd();
  for (int j = 0; j < count; j++) x = _mm256_add_pd(x, _mm256_mul_pd(factor[j], _mm256_loadu_pd(stage[j] + i)));
  _mm256_storeu_pd(to + i, x);
}

/* The numbers of stages in the sums of the pair. */
#define COUNTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)

#define ADD(count)                                                                                              \
  static void add_##count(const ZwWeights* weights, double* const* k, double h, const double* from, double* to, \
                          int32_t size) {                                                                       \
    add_list(count, weights->stage, from != NULL, weights, k, h, from, to, size);                               \
  }
COUNTS(ADD)

static void add(const ZwWeights* weights, double* const* k, double h, const double* from, double* to, int32_t size) {
#define NAME(count) [count] = add_##count,
  static ZwStagesAddFn* const of_count[ZW_DOP853_STAGES_ALL + 1] = {COUNTS(NAME)};
  of_count[weights->count](weights, k, h, from, to, size);
}

/* ---- sums of stages that are known ---- */

/* Which stages have a weight up to each, and at the end and in its errors. */
#define UP_TO_ALL(X)               \
  X(1, 1, 0)                       \
  X(2, 2, 0, 1)                    \
  X(3, 2, 0, 2)                    \
  X(4, 3, 0, 2, 3)                 \
  X(5, 3, 0, 3, 4)                 \
  X(6, 4, 0, 3, 4, 5)              \
  X(7, 5, 0, 3, 4, 5, 6)           \
  X(8, 6, 0, 3, 4, 5, 6, 7)        \
  X(9, 7, 0, 3, 4, 5, 6, 7, 8)     \
  X(10, 8, 0, 3, 4, 5, 6, 7, 8, 9) \
  X(11, 9, 0, 3, 4, 5, 6, 7, 8, 9, 10)

enum { END = 8 };
static const int at_end[END] = {0, 5, 6, 7, 8, 9, 10, 11};

#define UP_TO(s, count, ...)                                                                                  \
  static void up_to_##s(const ZwWeights* weights, double* const* k, double h, const double* from, double* to, \
                        int32_t size) {                                                                       \
    static const int list[count] = {__VA_ARGS__};                                                             \
    add_list(count, list, true, weights, k, h, from, to, size);                                               \
  }
UP_TO_ALL(UP_TO)

/* ---- errors ---- */

WRITTEN_OUT __m256d size_of(__m256d x) {
  return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

/* Those of four lanes that are numbers of a sum, of which there are `count`. */
WRITTEN_OUT __m256d lanes_of(ptrdiff_t count) {
  static const int64_t lanes[2 * ZW_STAGES_FOUR] = {-1, -1, -1, -1, 0, 0, 0, 0};
  const int64_t* from = lanes + (count > 0 ? ZW_STAGES_FOUR - count : ZW_STAGES_FOUR);
  return _mm256_castsi256_pd(_mm256_loadu_si256((const __m256i*)(const void*)from));
}

/* What four numbers are measured by. */
WRITTEN_OUT __m256d scale_of(__m256d y, __m256d y_new, __m256d unit, __m256d tolerance) {
  return _mm256_mul_pd(tolerance, _mm256_add_pd(unit, _mm256_max_pd(size_of(y), size_of(y_new))));
}

WRITTEN_OUT __m256d square_of(__m256d d, __m256d scale) {
  __m256d e = _mm256_div_pd(d, scale);
  return _mm256_mul_pd(e, e);
}

/* Both sums together, one number after the other. */
WRITTEN_OUT __m128d add_squares(__m128d both, __m256d e5, __m256d e3) {
  __m256d even = _mm256_unpacklo_pd(e5, e3), odd = _mm256_unpackhi_pd(e5, e3);
  both = _mm_add_pd(both, _mm256_castpd256_pd128(even));
  both = _mm_add_pd(both, _mm256_castpd256_pd128(odd));
  both = _mm_add_pd(both, _mm256_extractf128_pd(even, 1));
  return _mm_add_pd(both, _mm256_extractf128_pd(odd, 1));
}

static void square(const double* d5, const double* d3, const double* y, const double* y_new, const double* unit,
                   double tolerance, int32_t count, double sums[2]) {
  const __m256d asked = _mm256_set1_pd(tolerance);
  __m128d both = _mm_setzero_pd();
  for (ptrdiff_t i = 0; i < count; i += ZW_STAGES_FOUR) {
    __m256d scale = scale_of(_mm256_loadu_pd(y + i), _mm256_loadu_pd(y_new + i), _mm256_loadu_pd(unit + i), asked);
    __m256d lanes = lanes_of(count - i < ZW_STAGES_FOUR ? count - i : ZW_STAGES_FOUR);
    both = add_squares(both, _mm256_and_pd(lanes, square_of(_mm256_loadu_pd(d5 + i), scale)),
                       _mm256_and_pd(lanes, square_of(_mm256_loadu_pd(d3 + i), scale)));
  }
  _mm_storeu_pd(sums, both);
}

/* ---- the end of a step ---- */

/* What it is made from; places and factors of the stages. */
typedef struct End {
  const ZwDop853Weights* weights;
  const double* stage[END];
  __m256d factor[END], tolerance;
  const double *y, *unit;
  double* y_new;
} End;

/* Four numbers of it, and the squares of their errors. A sum that begins with its first product has the square of one that begins
 * with 0. */
WRITTEN_OUT void end_four(const End* end, ptrdiff_t i, __m256d* e5, __m256d* e3) {
  const ZwWeights *w5 = &end->weights->e5, *w3 = &end->weights->e3;
  __m256d y = _mm256_loadu_pd(end->y + i), k = _mm256_loadu_pd(end->stage[0] + i);
  __m256d y_new = _mm256_add_pd(y, _mm256_mul_pd(k, end->factor[0]));
  __m256d d5 = _mm256_mul_pd(k, _mm256_loadu_pd(w5->wide[0])), d3 = _mm256_mul_pd(k, _mm256_loadu_pd(w3->wide[0]));
  for (int j = 1; j < END; j++) {
    k = _mm256_loadu_pd(end->stage[j] + i);
    y_new = _mm256_add_pd(y_new, _mm256_mul_pd(k, end->factor[j]));
    d5 = _mm256_add_pd(d5, _mm256_mul_pd(k, _mm256_loadu_pd(w5->wide[j])));
    d3 = _mm256_add_pd(d3, _mm256_mul_pd(k, _mm256_loadu_pd(w3->wide[j])));
  }
  __m256d scale = scale_of(y, y_new, _mm256_loadu_pd(end->unit + i), end->tolerance);
  _mm256_storeu_pd(end->y_new + i, y_new);
  *e5 = square_of(d5, scale);
  *e3 = square_of(d3, scale);
}

/* A lane of rest that is no number adds 0. */
static void finish(const ZwDop853Weights* weights, double* const* k, double h, const double* y, double* y_new,
                   int32_t size, const double* unit, double tolerance, int32_t count, double sums[2]) {
  End end = {.weights = weights, .tolerance = _mm256_set1_pd(tolerance), .y = y, .unit = unit, .y_new = y_new};
  __m256d e5, e3, step = _mm256_set1_pd(h);
  __m128d both = _mm_setzero_pd();
  ptrdiff_t i = 0;
  for (int j = 0; j < END; j++) {
    end.stage[j] = k[at_end[j]];
    end.factor[j] = _mm256_mul_pd(step, _mm256_loadu_pd(weights->end.wide[j]));
  }
  for (; i + ZW_STAGES_FOUR <= count; i += ZW_STAGES_FOUR) {
    end_four(&end, i, &e5, &e3);
    both = add_squares(both, e5, e3);
  }
  for (; i < size; i += ZW_STAGES_FOUR) {
    __m256d lanes = lanes_of(count - i);
    end_four(&end, i, &e5, &e3);
    both = add_squares(both, _mm256_and_pd(lanes, e5), _mm256_and_pd(lanes, e3));
  }
  _mm_storeu_pd(sums, both);
}

#define UP_TO_NAME(s, ...) [s] = up_to_##s,
static const ZwStages wide = {.add = add, .up_to = {UP_TO_ALL(UP_TO_NAME)}, .square = square, .finish = finish};

const ZwStages* zw_stages_wide(void) {
  return zw_machine_has_avx2() ? &wide : NULL;
}
