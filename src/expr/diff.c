#include "expr/diff.h"

#include "base/assert.h"

static ZwExpr number(ZwGraph* g, double value) {
  return zw_expr_const(g, value);
}

static ZwExpr square(ZwGraph* g, ZwExpr a) {
  return zw_expr_binary(g, ZW_OP_POW, a, number(g, 2));
}

static ZwExpr reciprocal(ZwGraph* g, ZwExpr a) {
  return zw_expr_div(g, number(g, 1), a);
}

static ZwExpr pow_partial(ZwGraph* g, ZwExpr self, ZwExpr a, ZwExpr b, int k) {
  if (k == 1) return zw_expr_mul(g, self, zw_expr_unary(g, ZW_OP_LOG, a)); /* a^b log a */
  ZwExpr lower = zw_expr_binary(g, ZW_OP_POW, a, zw_expr_sub(g, b, number(g, 1)));
  return zw_expr_mul(g, b, lower); /* b a^(b-1) */
}

/* d self / d (its k-th argument). `self` is the node itself, so that exp, sqrt, tan, ... reuse their own value. */
static ZwExpr partial(ZwGraph* g, ZwExpr self, int k) {
  ZwNode node = *zw_graph_node(g, self);
  ZwExpr a = {node.u.args[0]}, b = {node.u.args[1]};
  switch (node.op) {
    case ZW_OP_NEG:
      return number(g, -1);
    case ZW_OP_ADD:
      return number(g, 1);
    case ZW_OP_SUB:
      return number(g, k == 0 ? 1 : -1);
    case ZW_OP_MUL:
      return k == 0 ? b : a;
    case ZW_OP_DIV:
      return k == 0 ? reciprocal(g, b) : zw_expr_neg(g, zw_expr_div(g, self, b));
    case ZW_OP_POW:
      return pow_partial(g, self, a, b, k);
    case ZW_OP_SIN:
      return zw_expr_unary(g, ZW_OP_COS, a);
    case ZW_OP_COS:
      return zw_expr_neg(g, zw_expr_unary(g, ZW_OP_SIN, a));
    case ZW_OP_TAN:
      return zw_expr_add(g, number(g, 1), square(g, self));
    case ZW_OP_ASIN:
      return reciprocal(g, zw_expr_unary(g, ZW_OP_SQRT, zw_expr_sub(g, number(g, 1), square(g, a))));
    case ZW_OP_ACOS:
      return zw_expr_neg(g, reciprocal(g, zw_expr_unary(g, ZW_OP_SQRT, zw_expr_sub(g, number(g, 1), square(g, a)))));
    case ZW_OP_ATAN:
      return reciprocal(g, zw_expr_add(g, number(g, 1), square(g, a)));
    case ZW_OP_SINH:
      return zw_expr_unary(g, ZW_OP_COSH, a);
    case ZW_OP_COSH:
      return zw_expr_unary(g, ZW_OP_SINH, a);
    case ZW_OP_TANH:
      return zw_expr_sub(g, number(g, 1), square(g, self));
    case ZW_OP_EXP:
      return self;
    case ZW_OP_LOG:
      return reciprocal(g, a);
    case ZW_OP_SQRT:
      return zw_expr_div(g, number(g, 0.5), self);
    case ZW_OP_ABS:
      return zw_expr_unary(g, ZW_OP_SIGN, a);
    case ZW_OP_ATAN2: { /* atan2(a, b): (b da - a db) / (a^2 + b^2) */
      ZwExpr length2 = zw_expr_add(g, square(g, a), square(g, b));
      return k == 0 ? zw_expr_div(g, b, length2) : zw_expr_neg(g, zw_expr_div(g, a, length2));
    }
    case ZW_OP_HYPOT:
      return zw_expr_div(g, k == 0 ? a : b, self);
    case ZW_OP_MIN:
    case ZW_OP_MAX: {
      ZwExpr second = node.op == ZW_OP_MIN ? zw_expr_binary(g, ZW_OP_LESS, b, a) : zw_expr_binary(g, ZW_OP_LESS, a, b);
      return zw_expr_select(g, second, number(g, k == 0 ? 0 : 1), number(g, k == 0 ? 1 : 0));
    }
    case ZW_OP_MOD: /* a - floor(a/b) b */
      return k == 0 ? number(g, 1) : zw_expr_neg(g, zw_expr_unary(g, ZW_OP_FLOOR, zw_expr_div(g, a, b)));
    case ZW_OP_SELECT:
      if (k == 0) return number(g, 0);
      return zw_expr_select(g, a, number(g, k == 1 ? 1 : 0), number(g, k == 1 ? 0 : 1));
    case ZW_OP_TABLE: { /* the next derivative of the spline; it has three */
      double order = zw_graph_node(g, (ZwExpr){node.u.args[2]})->u.value;
      if (k > 0 || order >= 3) return number(g, 0);
      return zw_expr_apply(g, ZW_OP_TABLE, a, b, number(g, order + 1));
    }
    case ZW_OP_FUSED: /* a b + c */
      return k == 0 ? b : k == 1 ? a : number(g, 1);
    case ZW_OP_TURN:
      return number(g, 1);
    default:
      return number(g, 0); /* sign, floor, comparisons, logic: constant between their switches */
  }
}

/* ---- where a partial derivative is infinite ---- */

/* sqrt(u)^c with a number c > 1 is a power of u, whose derivative c/2 sqrt(u)^(c-2) has a value where that of the root has none. Finds u,
 * and this derivative by it. */
static bool is_power_of_root(ZwGraph* g, ZwExpr self, ZwExpr* u, ZwExpr* slope) {
  ZwNode node = *zw_graph_node(g, self);
  if (node.op != ZW_OP_POW) return false;
  ZwExpr root = {node.u.args[0]};
  ZwNode base = *zw_graph_node(g, root), exponent = *zw_graph_node(g, (ZwExpr){node.u.args[1]});
  if (base.op != ZW_OP_SQRT || exponent.op != ZW_OP_CONST || !(exponent.u.value > 1)) return false;
  double c = exponent.u.value;
  *u = (ZwExpr){base.u.args[0]};
  *slope = zw_expr_mul(g, number(g, c / 2), zw_expr_binary(g, ZW_OP_POW, root, number(g, c - 2)));
  return true;
}

/* Is it a sum of squares? Its root is a length. */
static bool is_square(const ZwGraph* g, ZwExpr e) {
  const ZwNode* node = zw_graph_node(g, e);
  ZwExpr a = {node->u.args[0]}, b = {node->u.args[1]};
  if (node->op == ZW_OP_ADD) return is_square(g, a) && is_square(g, b);
  if (node->op == ZW_OP_POW) return zw_expr_is_const(g, b, 2);
  return node->op == ZW_OP_MUL && zw_expr_equal(a, b);
}

static bool is_root(const ZwGraph* g, const ZwNode* node) {
  if (node->op != ZW_OP_POW) return node->op == ZW_OP_SQRT;
  const ZwNode* exponent = zw_graph_node(g, (ZwExpr){node->u.args[1]});
  return exponent->op == ZW_OP_CONST && exponent->u.value > 0 && exponent->u.value < 1;
}

/* Where it has a value, but no derivative: a root of zero (lengths apart, which mechanisms keep away from it), asin and acos of 1 and -1. A null
 * expression: nowhere. */
static ZwExpr is_steep(ZwGraph* g, const ZwNode* node) {
  ZwExpr a = {node->u.args[0]};
  if (is_root(g, node) && !is_square(g, a)) return zw_expr_binary(g, ZW_OP_EQUAL, a, number(g, 0));
  bool is_arc = node->op == ZW_OP_ASIN || node->op == ZW_OP_ACOS;
  return is_arc ? zw_expr_binary(g, ZW_OP_EQUAL, square(g, a), number(g, 1)) : (ZwExpr){0};
}

/* ---- forward ---- */

/* The rate of a node from the rates of its arguments. The common operators have their own, shorter forms. */
static ZwExpr rate(ZwGraph* g, ZwExpr self, const ZwExpr* rates) {
  ZwNode node = *zw_graph_node(g, self);
  ZwExpr a = {node.u.args[0]}, b = {node.u.args[1]};
  switch (node.op) {
    case ZW_OP_NEG:
      return zw_expr_neg(g, rates[0]);
    case ZW_OP_ADD:
      return zw_expr_add(g, rates[0], rates[1]);
    case ZW_OP_SUB:
      return zw_expr_sub(g, rates[0], rates[1]);
    case ZW_OP_MUL:
      return zw_expr_add(g, zw_expr_mul(g, rates[0], b), zw_expr_mul(g, a, rates[1]));
    case ZW_OP_DIV: /* (a' - (a/b) b') / b */
      return zw_expr_div(g, zw_expr_sub(g, rates[0], zw_expr_mul(g, self, rates[1])), b);
    case ZW_OP_SELECT:
      return zw_expr_select(g, a, rates[1], rates[2]);
    default:
      break;
  }
  ZwExpr sum = number(g, 0);
  for (int k = 0; k < zw_op_arity(node.op); k++) {
    if (zw_expr_is_const(g, rates[k], 0)) continue; /* no derivative of log a where b^a has a constant exponent */
    sum = zw_expr_add(g, sum, zw_expr_mul(g, partial(g, self, k), rates[k]));
  }
  return sum;
}

/* The rate of a node from the rates of the nodes before it. */
static ZwExpr rate_at(ZwGraph* graph, const ZwWalk* walk, ZwExpr self, bool may_rest) {
  ZwNode node = *zw_graph_node(graph, self);
  ZwExpr rates[3] = {{0}}, u, slope;
  if (is_power_of_root(graph, self, &u, &slope)) {
    return zw_expr_mul(graph, slope, walk->values.items[zw_walk_place(walk, u.ref)]);
  }
  for (int k = 0; k < zw_op_arity(node.op); k++) rates[k] = walk->values.items[zw_walk_place(walk, node.u.args[k])];
  ZwExpr moving = rate(graph, self, rates), rests = may_rest ? is_steep(graph, &node) : (ZwExpr){0};
  return rests.ref ? zw_expr_select(graph, rests, number(graph, 0), moving) : moving;
}

static ZwExpr along(ZwGraph* graph, ZwWalk* walk, ZwExpr e, ZwSeedFn seed, void* context, bool may_rest) {
  if (!zw_walk_collect(walk, graph, &e, 1) || !zw_walk_reserve_values(walk)) return (ZwExpr){0};
  uint32_t mark = graph->mark;
  for (int32_t i = 0; i < walk->order.count; i++) {
    ZwExpr self = {walk->order.items[i]};
    ZwNode node = *zw_graph_node(graph, self);
    graph->mark = node.mark;
    if (node.op == ZW_OP_CONST) {
      walk->values.items[i] = number(graph, 0);
    } else if (zw_op_arity(node.op) == 0) {
      walk->values.items[i] = seed(graph, node.op, node.u.index, context);
    } else {
      walk->values.items[i] = rate_at(graph, walk, self, may_rest);
    }
  }
  graph->mark = mark;
  return graph->arena->failed ? (ZwExpr){0} : walk->values.items[walk->order.count - 1];
}

ZwExpr zw_diff_along(ZwGraph* graph, ZwWalk* walk, ZwExpr e, ZwSeedFn seed, void* context) {
  return along(graph, walk, e, seed, context, false);
}

typedef struct LeafSeed {
  ZwOp leaf;
  int32_t index;
} LeafSeed;

static ZwExpr seed_leaf(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  const LeafSeed* wanted = context;
  return number(graph, wanted->leaf == leaf && wanted->index == index ? 1 : 0);
}

ZwExpr zw_diff_partial(ZwGraph* graph, ZwWalk* walk, ZwExpr e, ZwOp leaf, int32_t index) {
  LeafSeed wanted = {leaf, index};
  return zw_diff_along(graph, walk, e, seed_leaf, &wanted);
}

static ZwExpr seed_motion(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  const bool* with_acceleration = context;
  ZW_ASSERT(leaf != ZW_OP_ACCELERATION);
  if (leaf == ZW_OP_TIME) return number(graph, 1);
  if (leaf == ZW_OP_COORD) return zw_expr_leaf(graph, ZW_OP_VELOCITY, index);
  if (leaf == ZW_OP_VELOCITY && *with_acceleration) return zw_expr_leaf(graph, ZW_OP_ACCELERATION, index);
  return number(graph, 0);
}

ZwExpr zw_diff_total(ZwGraph* graph, ZwWalk* walk, ZwExpr e) {
  bool with_acceleration = true;
  return zw_diff_along(graph, walk, e, seed_motion, &with_acceleration);
}

ZwExpr zw_diff_drift(ZwGraph* graph, ZwWalk* walk, ZwExpr e) {
  bool with_acceleration = false;
  return zw_diff_along(graph, walk, e, seed_motion, &with_acceleration);
}

ZwExpr zw_diff_drift_at_rest(ZwGraph* graph, ZwWalk* walk, ZwExpr e) {
  bool with_acceleration = false;
  return along(graph, walk, e, seed_motion, &with_acceleration, true);
}

/* ---- reverse ---- */

static void add_to(ZwGraph* graph, ZwExpr* sum, ZwExpr e) {
  *sum = sum->ref ? zw_expr_add(graph, *sum, e) : e;
}

bool zw_diff_gradient(ZwGraph* graph, ZwWalk* walk, ZwExpr e, ZwOp leaf, int32_t first, int32_t count, ZwExpr* result) {
  for (int32_t i = 0; i < count; i++) result[i] = number(graph, 0);
  if (!zw_walk_collect(walk, graph, &e, 1) || !zw_walk_reserve_values(walk)) return false;
  /* values[i] is the derivative of e by node i, complete when all users of the node are done */
  ZwExpr* adjoint = walk->values.items;
  for (int32_t i = 0; i < walk->order.count; i++) adjoint[i] = (ZwExpr){0};
  adjoint[walk->order.count - 1] = number(graph, 1);
  uint32_t mark = graph->mark;
  for (int32_t i = walk->order.count - 1; i >= 0; i--) {
    ZwExpr self = {walk->order.items[i]};
    ZwNode node = *zw_graph_node(graph, self);
    graph->mark = node.mark;
    if (!adjoint[i].ref || zw_expr_is_const(graph, adjoint[i], 0)) continue;
    if (node.op == leaf && node.u.index >= first && node.u.index < first + count) {
      result[node.u.index - first] = adjoint[i];
    }
    ZwExpr u, slope;
    if (is_power_of_root(graph, self, &u, &slope)) {
      add_to(graph, &adjoint[zw_walk_place(walk, u.ref)], zw_expr_mul(graph, slope, adjoint[i]));
      continue;
    }
    for (int k = 0; k < zw_op_arity(node.op); k++) {
      ZwNode argument = *zw_graph_node(graph, (ZwExpr){node.u.args[k]});
      if (argument.op == ZW_OP_CONST) continue;
      ZwExpr share = zw_expr_mul(graph, partial(graph, self, k), adjoint[i]);
      add_to(graph, &adjoint[zw_walk_place(walk, node.u.args[k])], share);
    }
  }
  graph->mark = mark;
  return !graph->arena->failed;
}
