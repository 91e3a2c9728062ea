/* Derivatives of expressions: along a direction (forward), by every leaf at once (reverse), along the motion. */
#ifndef ZW_EXPR_DIFF_H
#define ZW_EXPR_DIFF_H

#include "expr/walk.h"

/* The rate of a leaf along the direction of differentiation; the constant 0 for leaves that stay. */
typedef ZwExpr (*ZwSeedFn)(ZwGraph* graph, ZwOp leaf, int32_t index, void* context);

/* d e along the seeds. New nodes get the mark of the node they come from. Ref 0 when memory is out. */
ZwExpr zw_diff_along(ZwGraph* graph, ZwWalk* walk, ZwExpr e, ZwSeedFn seed, void* context);

/* d e / d leaf, all other leaves held. */
ZwExpr zw_diff_partial(ZwGraph* graph, ZwWalk* walk, ZwExpr e, ZwOp leaf, int32_t index);

/* d e / d leaf for `count` leaves at once, by one reverse sweep: result[i] belongs to (leaf, first + i). */
bool zw_diff_gradient(ZwGraph* graph, ZwWalk* walk, ZwExpr e, ZwOp leaf, int32_t first, int32_t count, ZwExpr* result);

/* The total time derivative: q -> v, v -> a, t -> 1. The expression must hold no accelerations. */
ZwExpr zw_diff_total(ZwGraph* graph, ZwWalk* walk, ZwExpr e);
/* The same at a = 0: what is left of the rate when the accelerations are taken out. */
ZwExpr zw_diff_drift(ZwGraph* graph, ZwWalk* walk, ZwExpr e);
/* The same for what may come to rest where a root, asin or acos has no derivative: its rate is 0 there. Where it passes instead, its rate
 * is infinite for that instant, and left out. */
ZwExpr zw_diff_drift_at_rest(ZwGraph* graph, ZwWalk* walk, ZwExpr e);

#endif
