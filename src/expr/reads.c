#include "expr/reads.h"

#include "expr/quantity.h"

enum {
  TIME = 1,
  PARAM = 2,
  COORD = 4,
  VELOCITY = 8,
  ACCELERATION = 16,
  REACTION = 32,
  SWITCHES = 64,
  QUANTITY = 128,
  MOVING = TIME | COORD | VELOCITY | ACCELERATION | REACTION
};

static unsigned leaf_reads(ZwOp op) {
  switch (op) {
    case ZW_OP_TIME:
      return TIME;
    case ZW_OP_PARAM:
      return PARAM;
    case ZW_OP_COORD:
      return COORD;
    case ZW_OP_VELOCITY:
      return VELOCITY;
    case ZW_OP_ACCELERATION:
      return ACCELERATION;
    case ZW_OP_REACTION:
      return REACTION;
    default:
      return 0;
  }
}

static bool is_switch(ZwOp op) {
  return op == ZW_OP_SELECT || op == ZW_OP_ABS || op == ZW_OP_SIGN || op == ZW_OP_MIN || op == ZW_OP_MAX ||
         op == ZW_OP_FLOOR || op == ZW_OP_MOD || op == ZW_OP_TABLE;
}

static unsigned reads_of(const ZwGraph* graph, uint32_t ref) {
  return graph->nodes.items[ref].reads;
}

uint8_t zw_node_reads(const ZwGraph* graph, const ZwNode* node) {
  int arity = zw_op_arity(node->op);
  unsigned reads = arity == 0 ? leaf_reads(node->op) : 0;
  if (node->op == ZW_OP_REACTION && node->u.index >= ZW_QUANTITY) reads |= QUANTITY;
  for (int k = 0; k < arity; k++) reads |= reads_of(graph, node->u.args[k]);
  /* an if switches with its condition, everything else with its arguments */
  unsigned cause = node->op == ZW_OP_SELECT ? reads_of(graph, node->u.args[0]) : reads;
  if (is_switch(node->op) && (cause & MOVING)) reads |= SWITCHES;
  return (uint8_t)reads;
}

ZwReads zw_expr_reads(const ZwGraph* graph, ZwExpr e) {
  unsigned reads = zw_graph_node(graph, e)->reads;
  return (ZwReads){.time = reads & TIME,
                   .param = reads & PARAM,
                   .coord = reads & COORD,
                   .velocity = reads & VELOCITY,
                   .acceleration = reads & ACCELERATION,
                   .reaction = reads & REACTION,
                   .quantity = reads & QUANTITY,
                   .switches = reads & SWITCHES};
}

bool zw_expr_has(ZwArena* arena, const ZwGraph* graph, ZwExpr e, ZwOp op) {
  bool* is_in = ZW_NEW(arena, (ptrdiff_t)e.ref + 1, bool);
  if (!is_in) return true;
  is_in[e.ref] = true;
  for (uint32_t ref = e.ref; ref > 0; ref--) { /* arguments have smaller refs */
    const ZwNode* node = zw_graph_node(graph, (ZwExpr){ref});
    if (!is_in[ref]) continue;
    if (node->op == op) return true;
    for (int k = 0; k < zw_op_arity(node->op); k++) is_in[node->u.args[k]] = true;
  }
  return false;
}
