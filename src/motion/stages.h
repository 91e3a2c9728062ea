/* Sums of stages and the size of errors: the only loops over all numbers of a state that a step has besides its evaluations. */
#ifndef ZW_MOTION_STAGES_H
#define ZW_MOTION_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motion/dop853.h"

enum { ZW_STAGES_FOUR = 4 }; /* vectors of a sum have room for a multiple of this */

/* Stages with a weight that is not zero, and these weights as vectors of four. */
typedef struct ZwWeights {
  int32_t count;
  int32_t stage[ZW_DOP853_STAGES_ALL];
  double weight[ZW_DOP853_STAGES_ALL];
  double wide[ZW_DOP853_STAGES_ALL][ZW_STAGES_FOUR];
} ZwWeights;

/* All sums of the explicit pair. */
typedef struct ZwDop853Weights {
  ZwWeights stages[ZW_DOP853_STAGES_ALL]; /* up to each stage */
  ZwWeights end, e5, e3, dense[ZW_DOP853_DENSE];
  ZwWeights along; /* the rate at the end alone */
  ZwWeights apart; /* from the last stage to the end: both are states at the end of the step */
} ZwDop853Weights;

void zw_dop853_weights(ZwDop853Weights* weights);

typedef void ZwStagesAddFn(const ZwWeights* weights, double* const* k, double h, const double* from, double* to,
                           int32_t size);

/* What this machine adds with. Each number is added up in the order of the stages, and sizes in the order of the numbers, so that it
 * does not matter how many go together. */
typedef struct ZwStages {
  /* to = from + h sum_j weight_j k[stage_j], of `size` numbers, a multiple of ZW_STAGES_FOUR; from NULL: 0 */
  ZwStagesAddFn* add;
  ZwStagesAddFn*
      up_to[ZW_DOP853_STAGES]; /* the same, only for the weights up to a stage but the first, and from a state */
  /* The sums of (d5 / s)^2 and of (d3 / s)^2 over `count` numbers, where s = tolerance (unit + max(|y|, |y_new|)). */
  void (*square)(const double* d5, const double* d3, const double* y, const double* y_new, const double* unit,
                 double tolerance, int32_t count, double sums[2]);
  /* The end of the step, and these sums with the differences that the weights e5 and e3 give. */
  void (*finish)(const ZwDop853Weights* weights, double* const* k, double h, const double* y, double* y_new,
                 int32_t size, const double* unit, double tolerance, int32_t count, double sums[2]);
} ZwStages;

static inline int32_t zw_stages_room(int32_t size) {
  return (size + ZW_STAGES_FOUR - 1) & -ZW_STAGES_FOUR;
}

/* The first three vectors of the dense output of a step, which join its ends and their slopes; those of weights.dense come behind them. And
 * the state that all seven give at x of the step, from 0 to 1. */
enum { ZW_STAGES_DENSE = 3 + ZW_DOP853_DENSE };
void zw_stages_join(double* const* k, double h, const double* begin, const double* end, double* const* F,
                    ptrdiff_t size);
void zw_stages_interpolate(double* const* F, double x, const double* begin, double* to, ptrdiff_t size);

/* On every machine; four at a time, NULL on machines without AVX2 (stages_avx2.c, stages_absent.c); the better one of those that
 * work here. */
extern const ZwStages zw_stages_plain;
const ZwStages* zw_stages_wide(void);
const ZwStages* zw_stages_best(void);

#endif
