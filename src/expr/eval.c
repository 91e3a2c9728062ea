#include "expr/eval.h"

#include <math.h>

void zw_evaluator_init(ZwEvaluator* evaluator, ZwArena* arena) {
  *evaluator = (ZwEvaluator){0};
  zw_walk_init(&evaluator->own, arena);
}

void zw_evaluator_share(ZwEvaluator* evaluator, ZwWalk* walk) {
  evaluator->shared = walk;
}

static const ZwWalk* walk_of(const ZwEvaluator* evaluator) {
  return evaluator->shared ? evaluator->shared : &evaluator->own;
}

static double leaf_value(const ZwNode* node, const ZwEnvironment* env) {
  switch (node->op) {
    case ZW_OP_CONST:
      return node->u.value;
    case ZW_OP_TIME:
      return env->t;
    case ZW_OP_PARAM:
      return env->params[node->u.index];
    case ZW_OP_COORD:
      return env->q[node->u.index];
    case ZW_OP_VELOCITY:
      return env->v[node->u.index];
    case ZW_OP_ACCELERATION:
      return env->a[node->u.index];
    default:
      return NAN;
  }
}

double zw_expr_eval(ZwEvaluator* evaluator, const ZwGraph* graph, ZwExpr e, const ZwEnvironment* environment) {
  ZwWalk* walk = evaluator->shared ? evaluator->shared : &evaluator->own;
  evaluator->values.count = 0;
  if (!zw_walk_collect(walk, graph, &e, 1)) return NAN;
  for (int32_t i = 0; i < walk->order.count; i++) {
    const ZwNode* node = zw_graph_node(graph, (ZwExpr){walk->order.items[i]});
    double args[3] = {0};
    int arity = zw_op_arity(node->op);
    for (int k = 0; k < arity; k++) args[k] = evaluator->values.items[zw_walk_place(walk, node->u.args[k])];
    double value;
    if (node->op == ZW_OP_TABLE)
      value = zw_table_eval(&evaluator->tables->list.items[(int32_t)args[1]], args[0], (int)args[2]);
    else
      value = arity ? zw_op_apply(node->op, args[0], args[1], args[2]) : leaf_value(node, environment);
    if (!ZW_PUSH(walk->arena, &evaluator->values, value)) return NAN;
  }
  return evaluator->values.items[walk->order.count - 1];
}

double zw_expr_rate(ZwEvaluator* evaluator, const ZwGraph* graph, ZwExpr e, const ZwEnvironment* environment,
                    const double* dparams) {
  (void)zw_expr_eval(evaluator, graph, e, environment);
  const ZwWalk* walk = walk_of(evaluator);
  evaluator->rates.count = 0;
  if (evaluator->values.count == 0 || evaluator->values.count < walk->order.count) return NAN; /* no memory */
  for (int32_t i = 0; i < walk->order.count; i++) {
    const ZwNode* node = zw_graph_node(graph, (ZwExpr){walk->order.items[i]});
    double args[3] = {0}, rates[3] = {0};
    int arity = zw_op_arity(node->op);
    for (int k = 0; k < arity; k++) {
      uint32_t place = zw_walk_place(walk, node->u.args[k]);
      args[k] = evaluator->values.items[place];
      rates[k] = evaluator->rates.items[place];
    }
    double rate = node->op == ZW_OP_PARAM ? dparams[node->u.index] : 0;
    if (node->op == ZW_OP_TABLE)
      rate = zw_table_eval(&evaluator->tables->list.items[(int32_t)args[1]], args[0], (int)args[2] + 1) * rates[0];
    else if (arity > 0)
      rate = zw_op_rate(node->op, args, evaluator->values.items[i], rates);
    if (!ZW_PUSH(walk->arena, &evaluator->rates, rate)) return NAN;
  }
  return evaluator->rates.items[walk->order.count - 1];
}

static bool eval_level(const ZwGraph* graph, ZwExpr e, const ZwEnvironment* environment, int levels, double* value) {
  const ZwNode* node = zw_graph_node(graph, e);
  int arity = zw_op_arity(node->op);
  double args[3] = {0};
  if (levels == 0 || node->op == ZW_OP_TABLE) return false;
  for (int k = 0; k < arity; k++) {
    if (!eval_level(graph, (ZwExpr){node->u.args[k]}, environment, levels - 1, &args[k])) return false;
  }
  *value = arity ? zw_op_apply(node->op, args[0], args[1], args[2]) : leaf_value(node, environment);
  return true;
}

bool zw_expr_eval_small(const ZwGraph* graph, ZwExpr e, const ZwEnvironment* environment, double* value) {
  enum { LEVELS = 4 };
  return e.ref && eval_level(graph, e, environment, LEVELS, value);
}

ZwExpr zw_evaluator_culprit(const ZwEvaluator* evaluator) {
  for (int32_t i = 0; i < evaluator->values.count; i++) {
    /* arguments come first, so the first node that is not finite is the culprit */
    if (!isfinite(evaluator->values.items[i])) return (ZwExpr){walk_of(evaluator)->order.items[i]};
  }
  return (ZwExpr){0};
}

double zw_evaluator_value(const ZwEvaluator* evaluator, ZwExpr node) {
  return evaluator->values.items[zw_walk_place(walk_of(evaluator), node.ref)];
}
