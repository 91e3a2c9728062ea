#include "expr/walk.h"

#include <string.h>

void zw_walk_init(ZwWalk* walk, ZwArena* arena) {
  *walk = (ZwWalk){.arena = arena};
}

static bool reserve(ZwWalk* walk, int32_t count) {
  if (count <= walk->capacity) return true;
  int32_t capacity = walk->capacity < 256 ? 256 : walk->capacity;
  while (capacity < count) capacity *= 2;
  uint32_t* stamp = ZW_NEW(walk->arena, capacity, uint32_t);
  uint32_t* place = ZW_NEW(walk->arena, capacity, uint32_t);
  if (!stamp || !place) return false;
  zw_arena_give_back(walk->arena, walk->stamp);
  zw_arena_give_back(walk->arena, walk->place);
  walk->stamp = stamp; /* zero: never visited; the epoch goes on counting */
  walk->place = place;
  walk->capacity = capacity;
  return true;
}

static bool visit(ZwWalk* walk, const ZwGraph* graph, uint32_t root) {
  if (!ZW_PUSH(walk->arena, &walk->stack, root)) return false;
  while (walk->stack.count > 0) {
    uint32_t ref = walk->stack.items[walk->stack.count - 1];
    if (walk->stamp[ref] == walk->epoch) {
      walk->stack.count--;
      continue;
    }
    /* push the arguments not yet visited, the first on top; when there are none the node itself is ready */
    const ZwNode* node = &graph->nodes.items[ref];
    int32_t before = walk->stack.count;
    for (int k = zw_op_arity(node->op) - 1; k >= 0; k--) {
      if (walk->stamp[node->u.args[k]] != walk->epoch && !ZW_PUSH(walk->arena, &walk->stack, node->u.args[k])) {
        return false;
      }
    }
    if (walk->stack.count > before) continue;
    walk->stack.count--;
    walk->stamp[ref] = walk->epoch;
    walk->place[ref] = (uint32_t)walk->order.count;
    if (!ZW_PUSH(walk->arena, &walk->order, ref)) return false;
  }
  return true;
}

bool zw_walk_collect(ZwWalk* walk, const ZwGraph* graph, const ZwExpr* roots, int32_t count) {
  walk->order.count = walk->stack.count = 0;
  if (graph->arena->failed || !reserve(walk, graph->nodes.count)) return false;
  walk->epoch++;
  for (int32_t i = 0; i < count; i++) {
    if (!roots[i].ref || !visit(walk, graph, roots[i].ref)) return false;
  }
  return true;
}

bool zw_walk_reserve_values(ZwWalk* walk) {
  while (walk->values.capacity < walk->order.count) {
    if (!zw_array_grow(walk->arena, (void**)&walk->values.items, 0, &walk->values.capacity, sizeof(ZwExpr))) {
      return false;
    }
  }
  return true;
}

static bool is_switch(ZwOp op) {
  return op == ZW_OP_SELECT || op == ZW_OP_ABS || op == ZW_OP_SIGN || op == ZW_OP_MIN || op == ZW_OP_MAX ||
         op == ZW_OP_FLOOR || op == ZW_OP_MOD || op == ZW_OP_TABLE;
}

/* Whether the node moves with the state; the walk's values say so of its arguments (ref 1: it does). */
static bool is_moving(const ZwWalk* walk, const ZwNode* node) {
  bool moves = node->op == ZW_OP_TIME || node->op == ZW_OP_COORD || node->op == ZW_OP_VELOCITY ||
               node->op == ZW_OP_ACCELERATION || node->op == ZW_OP_REACTION;
  for (int k = 0; k < zw_op_arity(node->op); k++) {
    moves = moves || walk->values.items[zw_walk_place(walk, node->u.args[k])].ref;
  }
  return moves;
}

ZwReads zw_expr_reads(ZwWalk* walk, const ZwGraph* graph, ZwExpr e) {
  ZwReads reads = {0};
  if (!zw_walk_collect(walk, graph, &e, 1) || !zw_walk_reserve_values(walk)) return reads;
  for (int32_t i = 0; i < walk->order.count; i++) {
    const ZwNode* node = zw_graph_node(graph, (ZwExpr){walk->order.items[i]});
    reads.time |= node->op == ZW_OP_TIME;
    reads.param |= node->op == ZW_OP_PARAM;
    reads.coord |= node->op == ZW_OP_COORD;
    reads.velocity |= node->op == ZW_OP_VELOCITY;
    reads.acceleration |= node->op == ZW_OP_ACCELERATION;
    reads.reaction |= node->op == ZW_OP_REACTION;
    walk->values.items[i].ref = is_moving(walk, node);
    /* an if switches with its condition, everything else with its arguments */
    uint32_t cause = node->op == ZW_OP_SELECT ? zw_walk_place(walk, node->u.args[0]) : (uint32_t)i;
    reads.switches |= is_switch(node->op) && walk->values.items[cause].ref;
  }
  return reads;
}
