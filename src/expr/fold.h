/* Folding: what a node is when it can be said more simply. */
#ifndef ZW_EXPR_FOLD_H
#define ZW_EXPR_FOLD_H

#include "expr/graph.h"

/* A simpler expression of the same value, or ref 0 when there is none and the node must be built.
 *
 * The rules only look at operators and literal constants, never at node numbers, and they keep the order of operands:
 * two terms that differ in nothing but the coordinates and parameters they read fold in the same way. Constants whose
 * value is not finite are left alone, so that the fault is found, with its place, when the model runs. */
ZwExpr zw_fold(ZwGraph* graph, ZwOp op, ZwExpr a, ZwExpr b, ZwExpr c);

#endif
