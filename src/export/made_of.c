#include "export/made_of.h"

static ZwExpr absolute(ZwGraph* graph, ZwExpr e) {
  return zw_expr_unary(graph, ZW_OP_ABS, e);
}

/* Of a power with a constant exponent: the power of the size. */
static ZwExpr of_power(ZwGraph* graph, ZwExpr e, const ZwNode* node, ZwExpr size) {
  const ZwNode* exponent = zw_graph_node(graph, (ZwExpr){node->u.args[1]});
  bool is_positive = exponent->op == ZW_OP_CONST && exponent->u.value > 0;
  return is_positive ? zw_expr_binary(graph, ZW_OP_POW, size, (ZwExpr){node->u.args[1]}) : absolute(graph, e);
}

/* Of a node, where `size` has what its arguments are made of. */
static ZwExpr of_node(ZwGraph* graph, ZwExpr e, const ZwExpr size[3]) {
  ZwNode node = *zw_graph_node(graph, e);
  switch (node.op) {
    case ZW_OP_ADD:
    case ZW_OP_SUB:
      return zw_expr_add(graph, size[0], size[1]);
    case ZW_OP_FUSED:
      return zw_expr_add(graph, zw_expr_mul(graph, size[0], size[1]), size[2]);
    case ZW_OP_NEG:
    case ZW_OP_ABS:
      return size[0];
    case ZW_OP_MUL:
      return zw_expr_mul(graph, size[0], size[1]);
    case ZW_OP_DIV:
      return zw_expr_div(graph, size[0], absolute(graph, (ZwExpr){node.u.args[1]}));
    case ZW_OP_POW:
      return of_power(graph, e, &node, size[0]);
    case ZW_OP_SQRT:
      return zw_expr_unary(graph, ZW_OP_SQRT, size[0]);
    case ZW_OP_HYPOT:
      return zw_expr_binary(graph, ZW_OP_HYPOT, size[0], size[1]);
    case ZW_OP_SELECT:
      return zw_expr_select(graph, (ZwExpr){node.u.args[0]}, size[1], size[2]);
    case ZW_OP_SIN:
    case ZW_OP_COS:
      return zw_expr_const(graph, 1);
    default:
      return absolute(graph, e);
  }
}

ZwExpr zw_made_of(ZwWalk* walk, ZwGraph* graph, ZwExpr e) {
  if (!zw_walk_collect(walk, graph, &e, 1) || !zw_walk_reserve_values(walk)) return (ZwExpr){0};
  for (int32_t i = 0; i < walk->order.count; i++) {
    ZwExpr at = {walk->order.items[i]}, size[3] = {{0}};
    const ZwNode* node = zw_graph_node(graph, at);
    for (int k = 0; k < zw_op_arity(node->op); k++) {
      size[k] = walk->values.items[zw_walk_place(walk, node->u.args[k])];
    }
    walk->values.items[i] = of_node(graph, at, size);
  }
  return walk->values.items[walk->order.count - 1];
}
