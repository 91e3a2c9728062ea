/* The nodes an expression is made of, each once, arguments before users: the order of every sweep.
 *
 * A walk owns scratch arrays as long as the graph, so that repeated sweeps over small expressions of a large graph cost
 * no more than those expressions. No recursion: a sum of a million terms is an ordinary expression here. */
#ifndef ZW_EXPR_WALK_H
#define ZW_EXPR_WALK_H

#include "expr/graph.h"

typedef struct ZwWalk {
  ZwArena* arena;
  uint32_t* stamp; /* per node: the epoch that visited it last */
  uint32_t* place; /* per node: its position in `order`, valid when stamped with this epoch */
  uint32_t epoch;
  int32_t capacity;
  ZW_ARRAY(uint32_t) order;
  ZW_ARRAY(uint32_t) stack;
  ZW_ARRAY(ZwExpr) values; /* scratch of the sweeps, parallel to `order` */
} ZwWalk;

void zw_walk_init(ZwWalk* walk, ZwArena* arena);

/* Collects the nodes below `roots` in depth-first order, the first root's first; false when memory is out. */
bool zw_walk_collect(ZwWalk* walk, const ZwGraph* graph, const ZwExpr* roots, int32_t count);

/* Makes `values` as long as `order`; false when memory is out. */
bool zw_walk_reserve_values(ZwWalk* walk);

/* Position in `order` of a node collected last. */
static inline uint32_t zw_walk_place(const ZwWalk* walk, uint32_t ref) {
  return walk->place[ref];
}

#endif
