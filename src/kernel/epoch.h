/* Time in kernels: t = t0 + s. The epoch t0, where the run begins, is a hidden parameter, so that whatever depends on it alone is
 * computed by the set-up tape, once; kernels are given s. What is linear in t is the sum of a fixed part, which may be large, and of a
 * moving part: t - c becomes (t0 - c) + s, and sin(w t) a sine of w s and an angle without its whole turns. With t0 = 0 all numbers are
 * those of t itself. */
#ifndef ZW_KERNEL_EPOCH_H
#define ZW_KERNEL_EPOCH_H

#include "kernel/kernel.h"

/* fixed + moving; ref 0: the expression is not linear in t. */
typedef struct ZwSplit {
  ZwExpr fixed, moving;
} ZwSplit;

/* A node as it is lowered: its operator, its arguments, and what these are the sums of. */
typedef struct ZwMoving {
  ZwGraph* graph;
  ZwExpr epoch; /* t0 */
  ZwOp op;
  const ZwExpr* args;
  const ZwSplit* splits;
} ZwMoving;

/* The value of a node that t matters to, and what it is the sum of; ref 0: it is lowered like any other. */
ZwExpr zw_epoch_lower(const ZwMoving* node, ZwSplit* split);

#endif
