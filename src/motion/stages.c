#include "motion/stages.h"

#include <math.h>
#include <string.h>

/* ---- weights ---- */

static void take_weights(ZwWeights* to, const double* weights, int count) {
  to->count = 0;
  for (int j = 0; j < count; j++) {
    if (weights[j] == 0) continue;
    to->stage[to->count] = j;
    for (int i = 0; i < ZW_STAGES_FOUR; i++) to->wide[to->count][i] = weights[j];
    to->weight[to->count++] = weights[j];
  }
}

void zw_dop853_weights(ZwDop853Weights* weights) {
  for (int s = 0; s < ZW_DOP853_STAGES_ALL; s++) take_weights(&weights->stages[s], zw_dop853.a[s], s);
  const double last[ZW_DOP853_STAGES_ALL] = {[ZW_DOP853_STAGES] = 1};
  take_weights(&weights->along, last, ZW_DOP853_STAGES_ALL);
  take_weights(&weights->end, zw_dop853.b, ZW_DOP853_STAGES);
  double apart[ZW_DOP853_STAGES];
  for (int j = 0; j < ZW_DOP853_STAGES; j++) apart[j] = zw_dop853.b[j] - zw_dop853.a[ZW_DOP853_STAGES - 1][j];
  take_weights(&weights->apart, apart, ZW_DOP853_STAGES);
  take_weights(&weights->e5, zw_dop853.e5, ZW_DOP853_STAGES);
  take_weights(&weights->e3, zw_dop853.e3, ZW_DOP853_STAGES);
  for (int r = 0; r < ZW_DOP853_DENSE; r++) take_weights(&weights->dense[r], zw_dop853.d[r], ZW_DOP853_STAGES_ALL);
}

/* ---- sums ---- */

/* Two numbers in a register, which every machine with vectors has. */
typedef double Two __attribute__((vector_size(16)));

static inline Two load_two(const double* from) {
  Two x;
  memcpy(&x, from, sizeof x);
  return x;
}

static inline void store_two(double* to, Two x) {
  memcpy(to, &x, sizeof x);
}

static void add(const ZwWeights* weights, double* const* k, double h, const double* from, double* to, int32_t size) {
  double factor[ZW_DOP853_STAGES_ALL];
  for (int32_t j = 0; j < weights->count; j++) factor[j] = h * weights->weight[j];
  for (int32_t i = 0; i < size; i += ZW_STAGES_FOUR) {
    Two a = {0}, b = {0};
    if (from) {
      a = load_two(from + i);
      b = load_two(from + i + 2);
    }
    for (int32_t j = 0; j < weights->count; j++) {
      const double* stage = k[weights->stage[j]] + i;
      Two both = {factor[j], factor[j]};
      a += both * load_two(stage);
      b += both * load_two(stage + 2);
    }
    store_two(to + i, a);
    store_two(to + i + 2, b);
  }
}

static void add_squares(const double* d5, const double* d3, const double* y, const double* y_new, const double* unit,
                        double tolerance, int32_t count, double sums[2]) {
  double e5 = sums[0], e3 = sums[1];
  for (int32_t i = 0; i < count; i++) {
    double before = fabs(y[i]), after = fabs(y_new[i]);
    double scale = tolerance * (unit[i] + (before > after ? before : after));
    e5 += (d5[i] / scale) * (d5[i] / scale);
    e3 += (d3[i] / scale) * (d3[i] / scale);
  }
  sums[0] = e5;
  sums[1] = e3;
}

static void square(const double* d5, const double* d3, const double* y, const double* y_new, const double* unit,
                   double tolerance, int32_t count, double sums[2]) {
  sums[0] = sums[1] = 0;
  add_squares(d5, d3, y, y_new, unit, tolerance, count, sums);
}

static void finish(const ZwDop853Weights* weights, double* const* k, double h, const double* y, double* y_new,
                   int32_t size, const double* unit, double tolerance, int32_t count, double sums[2]) {
  double d5[ZW_STAGES_FOUR], d3[ZW_STAGES_FOUR];
  double* at[ZW_DOP853_STAGES];
  sums[0] = sums[1] = 0;
  for (int32_t i = 0; i < size; i += ZW_STAGES_FOUR) {
    int32_t some = count - i < ZW_STAGES_FOUR ? count - i : ZW_STAGES_FOUR;
    for (int j = 0; j < ZW_DOP853_STAGES; j++) at[j] = k[j] + i;
    add(&weights->end, at, h, y + i, y_new + i, ZW_STAGES_FOUR);
    add(&weights->e5, at, 1, NULL, d5, ZW_STAGES_FOUR);
    add(&weights->e3, at, 1, NULL, d3, ZW_STAGES_FOUR);
    add_squares(d5, d3, y + i, y_new + i, unit + i, tolerance, some, sums);
  }
}

const ZwStages zw_stages_plain = {.add = add,
                                  .up_to = {NULL, add, add, add, add, add, add, add, add, add, add, add},
                                  .square = square,
                                  .finish = finish};

const ZwStages* zw_stages_best(void) {
  const ZwStages* wide = zw_stages_wide();
  return wide ? wide : &zw_stages_plain;
}

void zw_stages_join(double* const* k, double h, const double* begin, const double* end, double* const* F,
                    ptrdiff_t size) {
  const double *first = k[0], *last = k[ZW_DOP853_STAGES];
  for (ptrdiff_t i = 0; i < size; i++) {
    double difference = end[i] - begin[i];
    F[0][i] = difference;
    F[1][i] = h * first[i] - difference;
    F[2][i] = 2 * difference - h * (first[i] + last[i]);
  }
}

void zw_stages_interpolate(double* const* F, double x, const double* begin, double* to, ptrdiff_t size) {
  for (ptrdiff_t i = 0; i < size; i++) {
    double value = F[5][i] + x * F[6][i];
    value = F[4][i] + (1 - x) * value;
    value = F[3][i] + x * value;
    value = F[2][i] + (1 - x) * value;
    value = F[1][i] + x * value;
    value = F[0][i] + (1 - x) * value;
    to[i] = begin[i] + x * value;
  }
}
