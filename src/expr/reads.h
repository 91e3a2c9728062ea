/* Which kinds of leaves an expression reads, and whether it switches. Every node knows it from its arguments when it is
 * built, so that asking costs nothing, however large the expression is. */
#ifndef ZW_EXPR_READS_H
#define ZW_EXPR_READS_H

#include "expr/graph.h"

typedef struct ZwReads {
  bool time, param, coord, velocity, acceleration, reaction;
  bool quantity; /* a reaction among them is one of expr/quantity.h */
  bool switches; /* an if, abs, sign, min, max, floor, mod or table switches as the state moves */
} ZwReads;

/* Of no expression (ref 0): nothing. */
ZwReads zw_expr_reads(const ZwGraph* graph, ZwExpr e);
/* Is the operation in the expression? Also if there is no memory to tell that it is not. */
bool zw_expr_has(ZwArena* arena, const ZwGraph* graph, ZwExpr e, ZwOp op);

/* For the graph: the bits that a new node keeps. */
uint8_t zw_node_reads(const ZwGraph* graph, const ZwNode* node);

#endif
