/* From mathematics to machine operations: x^2 is x*x, x^(1/2) a root, x^-1 a quotient. */
#include <math.h>

#include "kernel/epoch.h"

enum { POWER_MAX = 64 }; /* larger whole exponents go to pow() */

/* x^n by repeated squaring; equal partial products are shared by the graph. */
static ZwExpr whole_power(ZwGraph* graph, ZwExpr x, int n) {
  ZwExpr result = {0};
  for (; n > 0; n /= 2, x = n > 0 ? zw_expr_mul(graph, x, x) : x) {
    if (n % 2) result = result.ref ? zw_expr_mul(graph, result, x) : x;
  }
  return result;
}

static ZwExpr lower_power(ZwGraph* graph, ZwExpr x, ZwExpr exponent) {
  ZwNode node = *zw_graph_node(graph, exponent);
  double size = fabs(node.u.value);
  if (node.op != ZW_OP_CONST || size == 0 || size > POWER_MAX || 2 * size != floor(2 * size)) {
    return zw_expr_binary(graph, ZW_OP_POW, x, exponent);
  }
  ZwExpr result = whole_power(graph, x, (int)floor(size));
  if (size != floor(size)) { /* an odd number of halves */
    ZwExpr root = zw_expr_unary(graph, ZW_OP_SQRT, x);
    result = result.ref ? zw_expr_mul(graph, result, root) : root;
  }
  return node.u.value < 0 ? zw_expr_div(graph, zw_expr_const(graph, 1), result) : result;
}

static ZwExpr lower_node(ZwGraph* graph, const ZwNode* node, const ZwExpr* args) {
  if (node->op == ZW_OP_CONST) return zw_expr_const(graph, node->u.value);
  if (zw_op_arity(node->op) == 0) return zw_expr_leaf(graph, node->op, node->u.index);
  if (node->op == ZW_OP_POW) return lower_power(graph, args[0], args[1]);
  return zw_expr_apply(graph, node->op, args[0], args[1], args[2]);
}

/* Node i of the walk, whose arguments are lowered; `splits` only if it may read t. */
static ZwExpr lower_place(ZwProgram* program, const ZwShape* shape, const ZwWalk* walk, int32_t i, ZwSplit* splits) {
  const ZwNode* node = zw_graph_node(&program->equations->graph, (ZwExpr){walk->order.items[i]});
  ZwExpr args[3] = {{0}};
  ZwSplit parts[3] = {{{0}, {0}}};
  for (int k = 0; k < zw_op_arity(node->op); k++) {
    uint32_t place = zw_walk_place(walk, node->u.args[k]);
    args[k] = walk->values.items[place];
    if (splits) parts[k] = splits[place];
  }
  ZwExpr value = {0};
  if (splits) {
    ZwExpr epoch = zw_expr_leaf(&program->graph, ZW_OP_PARAM, shape->epoch - 1);
    value = zw_epoch_lower(&(ZwMoving){&program->graph, epoch, node->op, args, parts}, &splits[i]);
  }
  return value.ref ? value : lower_node(&program->graph, node, args);
}

ZwExpr* zw_lower_shape(ZwProgram* program, const ZwShape* shape, ZwWalk* walk, int32_t* count) {
  const ZwGraph* from = &program->equations->graph;
  ZW_ARRAY(ZwExpr) roots = {0};
  for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
    const ZwContributions* contributions = &shape->entries[entry];
    for (int32_t i = 0; i < contributions->list.count; i++) {
      if (!ZW_PUSH(program->arena, &roots, contributions->list.items[i].value)) return NULL;
    }
  }
  *count = roots.count;
  if (!zw_walk_collect(walk, from, roots.items, roots.count) || !zw_walk_reserve_values(walk)) return NULL;
  ZwSplit* splits = shape->epoch > 0 ? ZW_NEW(program->arena, walk->order.count, ZwSplit) : NULL;
  if (shape->epoch > 0 && !splits) return NULL;
  for (int32_t i = 0; i < walk->order.count; i++) {
    program->graph.mark = zw_graph_node(from, (ZwExpr){walk->order.items[i]})->mark;
    walk->values.items[i] = lower_place(program, shape, walk, i, splits);
    if (!walk->values.items[i].ref) return NULL;
  }
  for (int32_t i = 0; i < roots.count; i++) {
    roots.items[i] = walk->values.items[zw_walk_place(walk, roots.items[i].ref)];
  }
  return roots.count ? roots.items : ZW_NEW(program->arena, 1, ZwExpr);
}
