#include "expr/fold.h"

#include <math.h>

static const ZwExpr none = {0};

/* Nodes are copied, because building may move the array. */
static ZwNode at(const ZwGraph* graph, ZwExpr e) {
  return *zw_graph_node(graph, e);
}

static ZwExpr arg(const ZwNode* node, int k) {
  return (ZwExpr){node->u.args[k]};
}

static bool is_const(const ZwNode* node) {
  return node->op == ZW_OP_CONST;
}

/* All arguments are numbers: so is the result, if it is finite. */
static ZwExpr fold_numbers(ZwGraph* graph, ZwOp op, ZwExpr a, ZwExpr b, ZwExpr c) {
  ZwExpr args[3] = {a, b, c};
  double values[3] = {0};
  if (op == ZW_OP_TABLE || op == ZW_OP_TABLE_FROM) return none; /* its points are not known here */
  for (int k = 0; k < zw_op_arity(op); k++) {
    ZwNode node = at(graph, args[k]);
    if (!is_const(&node)) return none;
    values[k] = node.u.value;
  }
  double value = zw_op_apply(op, values[0], values[1], values[2]);
  return isfinite(value) ? zw_expr_const(graph, value) : none;
}

static ZwExpr fold_neg(ZwGraph* graph, ZwExpr a) {
  ZwNode x = at(graph, a);
  if (x.op == ZW_OP_NEG) return arg(&x, 0);
  if (x.op == ZW_OP_SUB) return zw_expr_sub(graph, arg(&x, 1), arg(&x, 0));
  if (x.op == ZW_OP_MUL) {
    ZwNode factor = at(graph, arg(&x, 0));
    if (is_const(&factor)) return zw_expr_mul(graph, zw_expr_const(graph, -factor.u.value), arg(&x, 1));
  }
  return none;
}

static ZwExpr fold_add(ZwGraph* graph, ZwExpr a, ZwExpr b) {
  if (zw_expr_is_const(graph, a, 0)) return b;
  if (zw_expr_is_const(graph, b, 0)) return a;
  ZwNode x = at(graph, a), y = at(graph, b);
  if (y.op == ZW_OP_NEG) return zw_expr_sub(graph, a, arg(&y, 0));
  if (x.op == ZW_OP_NEG) return zw_expr_sub(graph, b, arg(&x, 0));
  return none;
}

static ZwExpr fold_sub(ZwGraph* graph, ZwExpr a, ZwExpr b) {
  if (zw_expr_equal(a, b)) return zw_expr_const(graph, 0);
  if (zw_expr_is_const(graph, b, 0)) return a;
  if (zw_expr_is_const(graph, a, 0)) return zw_expr_neg(graph, b);
  ZwNode y = at(graph, b);
  if (y.op == ZW_OP_NEG) return zw_expr_add(graph, a, arg(&y, 0));
  return none;
}

/* A literal factor stands on the left, and only one of them. */
static ZwExpr fold_mul(ZwGraph* graph, ZwExpr a, ZwExpr b) {
  ZwNode x = at(graph, a), y = at(graph, b);
  if (is_const(&y) && !is_const(&x)) return zw_expr_mul(graph, b, a);
  if (x.op == ZW_OP_NEG) return zw_expr_neg(graph, zw_expr_mul(graph, arg(&x, 0), b));
  if (is_const(&x)) {
    double c = x.u.value;
    if (c == 0) return a;
    if (c == 1) return b;
    if (c == -1) return zw_expr_neg(graph, b);
    if (y.op == ZW_OP_NEG) return zw_expr_mul(graph, zw_expr_const(graph, -c), arg(&y, 0));
    if (y.op == ZW_OP_MUL) {
      ZwNode factor = at(graph, arg(&y, 0));
      double both = is_const(&factor) ? c * factor.u.value : 0; /* beyond the range of numbers they stay two */
      if (isnormal(both)) return zw_expr_mul(graph, zw_expr_const(graph, both), arg(&y, 1));
    }
    return none;
  }
  if (y.op == ZW_OP_NEG) return zw_expr_neg(graph, zw_expr_mul(graph, a, arg(&y, 0)));
  /* a literal inside either operand moves out to the left */
  if (x.op == ZW_OP_MUL) {
    ZwNode factor = at(graph, arg(&x, 0));
    if (is_const(&factor)) return zw_expr_mul(graph, arg(&x, 0), zw_expr_mul(graph, arg(&x, 1), b));
  }
  if (y.op == ZW_OP_MUL) {
    ZwNode factor = at(graph, arg(&y, 0));
    if (is_const(&factor)) return zw_expr_mul(graph, arg(&y, 0), zw_expr_mul(graph, a, arg(&y, 1)));
  }
  return none;
}

static ZwExpr fold_div(ZwGraph* graph, ZwExpr a, ZwExpr b) {
  ZwNode x = at(graph, a), y = at(graph, b);
  if (is_const(&y) && y.u.value == 0) return none; /* found when the model runs */
  if (zw_expr_is_const(graph, a, 0)) return a;
  if (zw_expr_is_const(graph, b, 1)) return a;
  if (zw_expr_is_const(graph, b, -1)) return zw_expr_neg(graph, a);
  if (x.op == ZW_OP_NEG) return zw_expr_neg(graph, zw_expr_div(graph, arg(&x, 0), b));
  if (y.op == ZW_OP_NEG) return zw_expr_neg(graph, zw_expr_div(graph, a, arg(&y, 0)));
  return none;
}

static ZwExpr fold_pow(ZwGraph* graph, ZwExpr a, ZwExpr b) {
  if (zw_expr_is_const(graph, b, 0)) return zw_expr_const(graph, 1);
  if (zw_expr_is_const(graph, b, 1)) return a;
  if (zw_expr_is_const(graph, a, 1)) return a;
  return none;
}

/* A side that is known decides, or leaves the other side. Conditions are 1 and 0. */
static ZwExpr fold_logic(ZwGraph* graph, ZwOp op, ZwExpr a, ZwExpr b) {
  ZwNode x = at(graph, a), y = at(graph, b);
  double decides = op == ZW_OP_OR ? 1 : 0;
  if (is_const(&x)) return (x.u.value != 0) == (decides != 0) ? zw_expr_const(graph, decides) : b;
  if (is_const(&y)) return (y.u.value != 0) == (decides != 0) ? zw_expr_const(graph, decides) : a;
  return none;
}

static ZwExpr fold_select(ZwGraph* graph, ZwExpr condition, ZwExpr yes, ZwExpr no) {
  if (zw_expr_equal(yes, no)) return yes;
  ZwNode x = at(graph, condition);
  if (is_const(&x)) return x.u.value != 0 ? yes : no;
  return none;
}

ZwExpr zw_fold(ZwGraph* graph, ZwOp op, ZwExpr a, ZwExpr b, ZwExpr c) {
  ZwExpr folded = fold_numbers(graph, op, a, b, c);
  if (folded.ref) return folded;
  switch (op) {
    case ZW_OP_NEG:
      return fold_neg(graph, a);
    case ZW_OP_ADD:
      return fold_add(graph, a, b);
    case ZW_OP_SUB:
      return fold_sub(graph, a, b);
    case ZW_OP_MUL:
      return fold_mul(graph, a, b);
    case ZW_OP_DIV:
      return fold_div(graph, a, b);
    case ZW_OP_POW:
      return fold_pow(graph, a, b);
    case ZW_OP_AND:
    case ZW_OP_OR:
      return fold_logic(graph, op, a, b);
    case ZW_OP_SELECT:
      return fold_select(graph, a, b, c);
    default:
      return none;
  }
}
