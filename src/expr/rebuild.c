#include "expr/rebuild.h"

ZwExpr zw_expr_rebuild(ZwGraph* graph, ZwWalk* walk, ZwExpr e, ZwLeafFn leaf, void* context) {
  if (!zw_walk_collect(walk, graph, &e, 1) || !zw_walk_reserve_values(walk)) return (ZwExpr){0};
  ZwExpr* values = walk->values.items;
  uint32_t mark = graph->mark;
  for (int32_t i = 0; i < walk->order.count; i++) {
    ZwExpr self = {walk->order.items[i]};
    ZwNode node = *zw_graph_node(graph, self);
    graph->mark = node.mark;
    values[i] = self;
    if (zw_op_arity(node.op) > 0) {
      ZwExpr args[3] = {{0}};
      for (int k = 0; k < zw_op_arity(node.op); k++) args[k] = values[zw_walk_place(walk, node.u.args[k])];
      values[i] = zw_expr_apply(graph, node.op, args[0], args[1], args[2]);
    } else if (node.op != ZW_OP_CONST) {
      ZwExpr other = leaf(graph, node.op, node.u.index, context);
      if (other.ref) values[i] = other;
    }
  }
  graph->mark = mark;
  return graph->arena->failed ? (ZwExpr){0} : values[walk->order.count - 1];
}

/* context: the kind of the leaves that are zero */
static ZwExpr zero_leaf(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  (void)index;
  return leaf == *(const ZwOp*)context ? zw_expr_const(graph, 0) : (ZwExpr){0};
}

ZwExpr zw_expr_without_acceleration(ZwGraph* graph, ZwWalk* walk, ZwExpr e) {
  ZwOp zero = ZW_OP_ACCELERATION;
  return zw_expr_rebuild(graph, walk, e, zero_leaf, &zero);
}

ZwExpr zw_expr_without_velocity(ZwGraph* graph, ZwWalk* walk, ZwExpr e) {
  ZwOp zero = ZW_OP_VELOCITY;
  return zw_expr_rebuild(graph, walk, e, zero_leaf, &zero);
}
