/* Sums of stages, the only loops over all numbers of a state that a step has besides its evaluations. */
#ifndef ZW_MOTION_STAGES_H
#define ZW_MOTION_STAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "motion/dop853.h"

/* Stages with a weight that is not zero. */
typedef struct ZwWeights {
  int32_t count;
  int32_t stage[ZW_DOP853_STAGES_ALL];
  double weight[ZW_DOP853_STAGES_ALL];
} ZwWeights;

/* All sums of the explicit pair. */
typedef struct ZwDop853Weights {
  ZwWeights stages[ZW_DOP853_STAGES_ALL]; /* up to each stage */
  ZwWeights end, e5, e3, dense[ZW_DOP853_DENSE];
} ZwDop853Weights;

void zw_dop853_weights(ZwDop853Weights* weights);

/* to = from + sum of factor[j] k[j] over `count` stages; from NULL: 0. Each number is added up in the order of the stages, so that
 * it does not matter how many go together. */
typedef struct ZwSum {
  int32_t count;
  double factor[ZW_DOP853_STAGES_ALL];
  const double* k[ZW_DOP853_STAGES_ALL];
  const double* from;
  double* to;
} ZwSum;

void zw_stages_add(const ZwSum* sum, int32_t size);

/* The same from number `begin` on, four at a time, for machines with AVX2; gives where it ended (stages_avx2.c, stages_absent.c). */
int32_t zw_stages_add_wide(const ZwSum* sum, int32_t begin, int32_t size);

#endif
