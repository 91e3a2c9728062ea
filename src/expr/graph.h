/* The expression graph: scalar nodes in one flat array, addressed by 32-bit refs.
 *
 * Building a node folds it, looks it up, then appends it: equal expressions are the same ref. Arguments come before
 * their users, so evaluation and derivative sweeps are plain loops in index order.
 *
 * Each node keeps the `mark` that was current when it was first built. Whoever builds decides what a mark means: the
 * model stage numbers source spans with it, the equations stage the nodes of a shape.
 *
 * Ref 0 is no expression. When memory runs out every builder answers ref 0 and the arena stays failed; a stage looks
 * at that once, at its end.
 */
#ifndef ZW_EXPR_GRAPH_H
#define ZW_EXPR_GRAPH_H

#include "base/arena.h"
#include "expr/op.h"

typedef struct ZwExpr {
  uint32_t ref;
} ZwExpr;

typedef struct ZwNode {
  ZwOp op : 8;
  uint8_t reads; /* see reads.h */
  uint32_t mark;
  union {
    uint32_t args[3]; /* refs; unused ones are 0 */
    int32_t index;    /* of a parameter, coordinate, velocity or acceleration */
    double value;     /* of a constant */
  } u;
} ZwNode;

typedef struct ZwGraph {
  ZwArena* arena;
  ZW_ARRAY(ZwNode) nodes; /* nodes.items[0] is unused */
  uint32_t* table;        /* refs by open addressing */
  uint32_t table_size;    /* a power of two */
  uint32_t mark;          /* given to nodes built from now on */
} ZwGraph;

void zw_graph_init(ZwGraph* graph, ZwArena* arena);
/* Gives the table back when all is built. If something is built nevertheless, there is a new one. */
void zw_graph_settle(ZwGraph* graph);

ZwExpr zw_expr_const(ZwGraph* graph, double value);
ZwExpr zw_expr_leaf(ZwGraph* graph, ZwOp op, int32_t index); /* TIME, PARAM, COORD, VELOCITY, ACCELERATION */
ZwExpr zw_expr_unary(ZwGraph* graph, ZwOp op, ZwExpr a);
ZwExpr zw_expr_binary(ZwGraph* graph, ZwOp op, ZwExpr a, ZwExpr b);
ZwExpr zw_expr_select(ZwGraph* graph, ZwExpr condition, ZwExpr yes, ZwExpr no);
/* Any operator; arguments beyond its arity are ignored. */
ZwExpr zw_expr_apply(ZwGraph* graph, ZwOp op, ZwExpr a, ZwExpr b, ZwExpr c);

ZwExpr zw_expr_add(ZwGraph* graph, ZwExpr a, ZwExpr b);
ZwExpr zw_expr_sub(ZwGraph* graph, ZwExpr a, ZwExpr b);
ZwExpr zw_expr_mul(ZwGraph* graph, ZwExpr a, ZwExpr b);
ZwExpr zw_expr_div(ZwGraph* graph, ZwExpr a, ZwExpr b);
ZwExpr zw_expr_neg(ZwGraph* graph, ZwExpr a);

const ZwNode* zw_graph_node(const ZwGraph* graph, ZwExpr e);
bool zw_expr_is_const(const ZwGraph* graph, ZwExpr e, double value);
static inline bool zw_expr_equal(ZwExpr a, ZwExpr b) {
  return a.ref == b.ref;
}

#endif
