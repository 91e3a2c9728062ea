#include "kernel/epoch.h"

static const ZwExpr none = {0};

static bool is_fixed(const ZwGraph* graph, ZwExpr e) {
  ZwReads reads = zw_expr_reads(graph, e);
  return !(reads.time || reads.coord || reads.velocity || reads.acceleration || reads.reaction);
}

static ZwOp op_of(const ZwGraph* graph, ZwExpr e) {
  return zw_graph_node(graph, e)->op;
}

static ZwExpr arg_of(const ZwGraph* graph, ZwExpr e, int k) {
  return (ZwExpr){zw_graph_node(graph, e)->u.args[k]};
}

static ZwExpr fused(ZwGraph* graph, ZwExpr a, ZwExpr b, ZwExpr c) {
  return zw_expr_apply(graph, ZW_OP_FUSED, a, b, c);
}

/* ---- fixed numbers ---- */

enum { DEPTH = 12 }; /* of sums, products and quotients that are followed exactly */

/* A fixed number with twice the digits. */
typedef struct Twofold {
  ZwExpr high, low;
} Twofold;

/* What rounding takes from the sum or difference e of a and b (Knuth). */
static ZwExpr lost_of_sum(ZwGraph* graph, ZwExpr e, ZwExpr a, ZwExpr b, bool is_sub) {
  ZwExpr of_b = zw_expr_sub(graph, e, a), of_a = zw_expr_sub(graph, e, of_b);
  ZwExpr from_b = is_sub ? zw_expr_add(graph, b, of_b) : zw_expr_sub(graph, b, of_b);
  return zw_expr_binary(graph, is_sub ? ZW_OP_SUB : ZW_OP_ADD, zw_expr_sub(graph, a, of_a), from_b);
}

static ZwExpr low_part(ZwGraph* graph, ZwExpr e, Twofold a, Twofold b) {
  ZwOp op = op_of(graph, e);
  ZwExpr minus = zw_expr_neg(graph, e);
  if (op == ZW_OP_MUL) {
    ZwExpr rest = zw_expr_add(graph, zw_expr_mul(graph, a.high, b.low), zw_expr_mul(graph, a.low, b.high));
    return zw_expr_add(graph, fused(graph, a.high, b.high, minus), rest);
  }
  if (op == ZW_OP_DIV) {
    ZwExpr rest = zw_expr_sub(graph, a.low, zw_expr_mul(graph, e, b.low));
    return zw_expr_div(graph, zw_expr_add(graph, fused(graph, minus, b.high, a.high), rest), b.high);
  }
  ZwExpr lost = lost_of_sum(graph, e, a.high, b.high, op == ZW_OP_SUB);
  return zw_expr_add(graph, lost, zw_expr_binary(graph, op, a.low, b.low));
}

static Twofold twofold(ZwGraph* graph, ZwExpr e, int depth) {
  ZwOp op = op_of(graph, e);
  ZwExpr zero = zw_expr_const(graph, 0), left = arg_of(graph, e, 0), right = arg_of(graph, e, 1);
  bool is_followed = op == ZW_OP_ADD || op == ZW_OP_SUB || op == ZW_OP_MUL || op == ZW_OP_DIV;
  if (depth > 0 && op == ZW_OP_NEG) return (Twofold){e, zw_expr_neg(graph, twofold(graph, left, depth - 1).low)};
  if (depth > 0 && op == ZW_OP_SELECT) {
    ZwExpr yes = twofold(graph, right, depth - 1).low, no = twofold(graph, arg_of(graph, e, 2), depth - 1).low;
    return (Twofold){e, zw_expr_select(graph, left, yes, no)};
  }
  if (depth == 0 || !is_followed) return (Twofold){e, zero};
  Twofold a = twofold(graph, left, depth - 1), b = twofold(graph, right, depth - 1);
  return (Twofold){e, low_part(graph, e, a, b)};
}

/* Times that are differences of far ones, as t0 - (c + 0.1) is, keep their digits. */
static ZwExpr sum_of(ZwGraph* graph, const ZwSplit* split) {
  Twofold fixed = twofold(graph, split->fixed, DEPTH);
  return zw_expr_add(graph, zw_expr_add(graph, fixed.high, fixed.low), split->moving);
}

/* ---- sums and products ---- */

/* From the start of an interval of a table, which may be one of many periods, to the origin. */
static ZwExpr since_begin(ZwGraph* graph, ZwExpr origin, ZwExpr begin) {
  int32_t number = (int32_t)zw_graph_node(graph, arg_of(graph, begin, 1))->u.value;
  ZwExpr code = zw_expr_const(graph, zw_table_code(number, ZW_TABLE_SINCE));
  return zw_expr_apply(graph, ZW_OP_TABLE_FROM, arg_of(graph, begin, 0), origin, code);
}

static bool is_begin(const ZwGraph* graph, ZwExpr e) {
  if (op_of(graph, e) != ZW_OP_TABLE) return false;
  return zw_expr_is_const(graph, arg_of(graph, e, 2), ZW_TABLE_BEGIN);
}

static ZwExpr lower_sum(const ZwMoving* node, ZwSplit* split) {
  ZwGraph* graph = node->graph;
  bool is_sub = node->op == ZW_OP_SUB;
  const ZwSplit *a = &node->splits[0], *b = &node->splits[1];
  ZwExpr left = node->args[0], right = node->args[1];
  if (a->fixed.ref && b->fixed.ref) {
    *split = (ZwSplit){zw_expr_binary(graph, node->op, a->fixed, b->fixed),
                       zw_expr_binary(graph, node->op, a->moving, b->moving)};
    return sum_of(graph, split);
  }
  if (a->fixed.ref && is_fixed(graph, right)) {
    split->fixed = is_sub && is_begin(graph, right) ? since_begin(graph, a->fixed, right)
                                                    : zw_expr_binary(graph, node->op, a->fixed, right);
    split->moving = a->moving;
    return sum_of(graph, split);
  }
  if (b->fixed.ref && is_fixed(graph, left)) {
    *split =
        (ZwSplit){zw_expr_binary(graph, node->op, left, b->fixed), is_sub ? zw_expr_neg(graph, b->moving) : b->moving};
    return sum_of(graph, split);
  }
  /* something that moves by itself: the sum is what it was, but a function of it may need the parts */
  if (a->fixed.ref)
    *split = (ZwSplit){a->fixed, zw_expr_binary(graph, node->op, a->moving, right)};
  else
    *split =
        (ZwSplit){is_sub ? zw_expr_neg(graph, b->fixed) : b->fixed, zw_expr_binary(graph, node->op, left, b->moving)};
  return none;
}

static void lower_product(const ZwMoving* node, ZwSplit* split) {
  bool is_left = node->splits[0].fixed.ref, may_divide = node->op == ZW_OP_MUL || is_left;
  const ZwSplit* of = &node->splits[is_left ? 0 : 1];
  ZwExpr factor = node->args[is_left ? 1 : 0];
  if (!may_divide || !is_fixed(node->graph, factor)) return;
  *split = (ZwSplit){zw_expr_binary(node->graph, node->op, of->fixed, factor),
                     zw_expr_binary(node->graph, node->op, of->moving, factor)};
}

/* A branch as fixed + moving; false: it moves otherwise. */
static bool branch_of(const ZwMoving* node, int k, ZwSplit* branch) {
  *branch = node->splits[k];
  if (branch->fixed.ref) return true;
  *branch = (ZwSplit){node->args[k], zw_expr_const(node->graph, 0)};
  return is_fixed(node->graph, node->args[k]);
}

/* One of two, by a condition that a step holds. */
static void lower_choice(const ZwMoving* node, ZwSplit* split) {
  ZwGraph* graph = node->graph;
  ZwExpr condition = node->args[0];
  ZwSplit yes, no;
  if (!is_fixed(graph, condition) || !branch_of(node, 1, &yes) || !branch_of(node, 2, &no)) return;
  *split = (ZwSplit){zw_expr_select(graph, condition, yes.fixed, no.fixed),
                     zw_expr_select(graph, condition, yes.moving, no.moving)};
}

/* max(a, b) is b and max(a - b, 0) more. */
static void lower_extreme(const ZwMoving* node, ZwSplit* split) {
  ZwGraph* graph = node->graph;
  ZwSplit a, b;
  if (!branch_of(node, 0, &a) || !branch_of(node, 1, &b)) return;
  ZwSplit more = {zw_expr_sub(graph, a.fixed, b.fixed), zw_expr_sub(graph, a.moving, b.moving)};
  ZwExpr beyond = zw_expr_binary(graph, node->op, sum_of(graph, &more), zw_expr_const(graph, 0));
  *split = (ZwSplit){b.fixed, zw_expr_add(graph, b.moving, beyond)};
}

/* a b + c, as remainders are: c alone moves. */
static ZwExpr lower_fused(const ZwMoving* node, ZwSplit* split) {
  ZwGraph* graph = node->graph;
  const ZwSplit* c = &node->splits[2];
  if (!c->fixed.ref || !is_fixed(graph, node->args[0]) || !is_fixed(graph, node->args[1])) return none;
  *split = (ZwSplit){fused(graph, node->args[0], node->args[1], c->fixed), c->moving};
  return sum_of(graph, split);
}

/* ---- what t is an argument of ---- */

/* A fixed angle goes without its whole turns, as far as it has many. */
static ZwExpr lower_angle(const ZwMoving* node) {
  const ZwSplit* a = &node->splits[0];
  Twofold fixed = twofold(node->graph, a->fixed, DEPTH);
  ZwExpr angle = zw_expr_add(node->graph, zw_expr_unary(node->graph, ZW_OP_TURN, fixed.high), fixed.low);
  return zw_expr_unary(node->graph, node->op, zw_expr_add(node->graph, angle, a->moving));
}

/* Whole multiples of b in the fixed part of mod(a, b) change nothing. */
static ZwExpr lower_remainder(const ZwMoving* node) {
  ZwGraph* graph = node->graph;
  const ZwSplit* a = &node->splits[0];
  ZwExpr b = node->args[1];
  if (!a->fixed.ref || !is_fixed(graph, b)) return none;
  ZwExpr whole = zw_expr_unary(graph, ZW_OP_FLOOR, zw_expr_div(graph, a->fixed, b));
  ZwExpr rest = fused(graph, zw_expr_neg(graph, whole), b, a->fixed);
  return zw_expr_binary(graph, ZW_OP_MOD, zw_expr_add(graph, rest, a->moving), b);
}

/* Whole numbers in the fixed part of floor(a) are added after it. */
static ZwExpr lower_floor(const ZwMoving* node) {
  ZwGraph* graph = node->graph;
  const ZwSplit* a = &node->splits[0];
  ZwExpr whole = zw_expr_unary(graph, ZW_OP_FLOOR, a->fixed), rest, inside;
  if (op_of(graph, a->fixed) == ZW_OP_DIV) { /* the quotient is rounded, what it leaves is not */
    ZwExpr by = arg_of(graph, a->fixed, 1);
    rest = zw_expr_div(graph, fused(graph, zw_expr_neg(graph, whole), by, arg_of(graph, a->fixed, 0)), by);
  } else {
    rest = zw_expr_sub(graph, a->fixed, whole);
  }
  inside = zw_expr_add(graph, rest, a->moving);
  return zw_expr_add(graph, whole, zw_expr_unary(graph, ZW_OP_FLOOR, inside));
}

/* Two times, or one and a number, are compared by their difference. */
static ZwExpr lower_comparison(const ZwMoving* node) {
  ZwGraph* graph = node->graph;
  const ZwSplit *a = &node->splits[0], *b = &node->splits[1];
  bool may_be = (a->fixed.ref && (b->fixed.ref || is_fixed(graph, node->args[1]))) ||
                (b->fixed.ref && is_fixed(graph, node->args[0]));
  if (!may_be) return none;
  ZwMoving difference = *node;
  ZwSplit split = {none, none};
  difference.op = ZW_OP_SUB;
  ZwExpr value = lower_sum(&difference, &split);
  return zw_expr_binary(graph, node->op, value, zw_expr_const(graph, 0));
}

static ZwExpr lower_table(const ZwMoving* node) {
  ZwGraph* graph = node->graph;
  const ZwSplit* x = &node->splits[0];
  int32_t number = (int32_t)zw_graph_node(graph, node->args[1])->u.value;
  int order = (int)zw_graph_node(graph, node->args[2])->u.value;
  if (!x->fixed.ref || order > ZW_TABLE_INTERVAL) return none;
  ZwExpr code = zw_expr_const(graph, zw_table_code(number, order));
  return zw_expr_apply(graph, ZW_OP_TABLE_FROM, x->moving, x->fixed, code);
}

ZwExpr zw_epoch_lower(const ZwMoving* node, ZwSplit* split) {
  ZwGraph* graph = node->graph;
  *split = (ZwSplit){none, none};
  if (node->op == ZW_OP_TIME) {
    *split = (ZwSplit){node->epoch, zw_expr_leaf(graph, ZW_OP_TIME, 0)};
    return sum_of(graph, split);
  }
  bool is_split = false;
  for (int k = 0; k < zw_op_arity(node->op); k++) is_split = is_split || node->splits[k].fixed.ref;
  if (!is_split) return none;
  switch (node->op) {
    case ZW_OP_NEG:
      *split = (ZwSplit){zw_expr_neg(graph, node->splits[0].fixed), zw_expr_neg(graph, node->splits[0].moving)};
      return none;
    case ZW_OP_ADD:
    case ZW_OP_SUB:
      return lower_sum(node, split);
    case ZW_OP_MUL:
    case ZW_OP_DIV:
      lower_product(node, split);
      return none;
    case ZW_OP_FUSED:
      return lower_fused(node, split);
    case ZW_OP_SELECT:
      lower_choice(node, split);
      return none;
    case ZW_OP_MIN:
    case ZW_OP_MAX:
      lower_extreme(node, split);
      return none;
    case ZW_OP_SIN:
    case ZW_OP_COS:
    case ZW_OP_TAN:
      return lower_angle(node);
    case ZW_OP_MOD:
      return lower_remainder(node);
    case ZW_OP_FLOOR:
      return lower_floor(node);
    case ZW_OP_LESS:
    case ZW_OP_LESS_EQUAL:
    case ZW_OP_EQUAL:
    case ZW_OP_NOT_EQUAL:
      return lower_comparison(node);
    case ZW_OP_TABLE:
      return lower_table(node);
    default:
      return none;
  }
}
