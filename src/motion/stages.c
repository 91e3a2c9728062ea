#include "motion/stages.h"

#include <string.h>

/* ---- weights ---- */

static void take_weights(ZwWeights* to, const double* weights, int count) {
  to->count = 0;
  for (int j = 0; j < count; j++) {
    if (weights[j] == 0) continue;
    to->stage[to->count] = j;
    to->weight[to->count++] = weights[j];
  }
}

void zw_dop853_weights(ZwDop853Weights* weights) {
  for (int s = 0; s < ZW_DOP853_STAGES_ALL; s++) take_weights(&weights->stages[s], zw_dop853.a[s], s);
  take_weights(&weights->end, zw_dop853.b, ZW_DOP853_STAGES);
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

static inline void add_four(const ZwSum* sum, int32_t i) {
  Two a = {0}, b = {0};
  if (sum->from) {
    a = load_two(sum->from + i);
    b = load_two(sum->from + i + 2);
  }
  for (int32_t j = 0; j < sum->count; j++) {
    const double* k = sum->k[j] + i;
    Two factor = {sum->factor[j], sum->factor[j]};
    a += factor * load_two(k);
    b += factor * load_two(k + 2);
  }
  store_two(sum->to + i, a);
  store_two(sum->to + i + 2, b);
}

void zw_stages_add(const ZwSum* sum, int32_t size) {
  int32_t i = zw_stages_add_wide(sum, 0, size);
  for (; i + 4 <= size; i += 4) add_four(sum, i);
  for (; i < size; i++) {
    double x = sum->from ? sum->from[i] : 0;
    for (int32_t j = 0; j < sum->count; j++) x += sum->factor[j] * sum->k[j][i];
    sum->to[i] = x;
  }
}
