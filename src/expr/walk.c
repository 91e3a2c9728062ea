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
