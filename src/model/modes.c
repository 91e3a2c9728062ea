/* Switches inside the equations, taken apart: what is discrete (a branch, a sign, a whole number) goes into a hidden
 * parameter, a mode, that a step holds; what is left is smooth. Where the motion changes what is discrete is found between
 * steps, like an event. */
#include <math.h>

#include "model/builder.h"

/* The parameter that holds `discrete`, made if there is none yet. */
static ZwExpr mode_for(ZwBuild* build, ZwExpr discrete) {
  ZwSystem* system = build->system;
  while (!build->arena->failed && (uint32_t)build->mode_of.count <= discrete.ref) {
    int32_t none = 0;
    (void)ZW_PUSH(build->arena, &build->mode_of, none);
  }
  if (build->arena->failed || !discrete.ref) return (ZwExpr){0};
  if (zw_graph_node(&system->graph, discrete)->op == ZW_OP_CONST) return discrete;
  int32_t* number = &build->mode_of.items[discrete.ref];
  if (*number > 0) return zw_expr_leaf(&system->graph, ZW_OP_PARAM, system->modes.items[*number - 1].param);
  ZwText text;
  zw_text_init(&text, build->arena);
  zw_system_print(&text, system, discrete, 60);
  ZwStr name = zw_str_from(zw_text_get(&text));
  ZwSpan span = zw_system_span(system, discrete);
  ZwParam param = {.name = name,
                   .span = span,
                   .value = zw_expr_const(&system->graph, 0),
                   .is_used = true,
                   .is_memory = true,
                   .is_hidden = true,
                   .is_mode = true};
  ZwTerm term = {.kind = ZW_TERM_EVENT, .span = span, .name = name, .value = discrete};
  ZwMode mode = {system->params.count, system->event_value_count, name};
  double start = 0;
  if (!zw_build_add_term(build, term) || !ZW_PUSH(system->arena, &system->params, param)) return (ZwExpr){0};
  if (!ZW_PUSH(build->arena, &build->values, start) || !ZW_PUSH(system->arena, &system->modes, mode))
    return (ZwExpr){0};
  system->event_value_count++;
  build->mode_of.items[discrete.ref] = system->modes.count;
  return zw_expr_leaf(&system->graph, ZW_OP_PARAM, mode.param);
}

/* 0 <= x as a mode */
static ZwExpr is_positive(ZwBuild* build, ZwExpr x) {
  ZwGraph* graph = &build->system->graph;
  return mode_for(build, zw_expr_binary(graph, ZW_OP_LESS_EQUAL, zw_expr_const(graph, 0), x));
}

/* A switching node with its arguments held already. */
static ZwExpr hold_node(ZwBuild* build, ZwOp op, ZwExpr a, ZwExpr b, ZwExpr c) {
  ZwGraph* graph = &build->system->graph;
  switch (op) {
    case ZW_OP_SELECT:
      return zw_expr_select(graph, mode_for(build, a), b, c);
    case ZW_OP_ABS:
      return zw_expr_select(graph, is_positive(build, a), a, zw_expr_neg(graph, a));
    case ZW_OP_SIGN:
      return mode_for(build, zw_expr_unary(graph, ZW_OP_SIGN, a));
    case ZW_OP_FLOOR:
      return mode_for(build, zw_expr_unary(graph, ZW_OP_FLOOR, a));
    case ZW_OP_MIN:
      return zw_expr_select(graph, mode_for(build, zw_expr_binary(graph, ZW_OP_LESS_EQUAL, a, b)), a, b);
    case ZW_OP_MAX:
      return zw_expr_select(graph, mode_for(build, zw_expr_binary(graph, ZW_OP_LESS_EQUAL, b, a)), a, b);
    default: { /* mod(a, b) = a - b floor(a/b) */
      ZwExpr whole = mode_for(build, zw_expr_unary(graph, ZW_OP_FLOOR, zw_expr_div(graph, a, b)));
      return zw_expr_sub(graph, a, zw_expr_mul(graph, b, whole));
    }
  }
}

static bool is_switch(ZwOp op) {
  return op == ZW_OP_SELECT || op == ZW_OP_ABS || op == ZW_OP_SIGN || op == ZW_OP_FLOOR || op == ZW_OP_MIN ||
         op == ZW_OP_MAX || op == ZW_OP_MOD;
}

static bool is_moving_leaf(ZwOp op) {
  return op == ZW_OP_TIME || op == ZW_OP_COORD || op == ZW_OP_VELOCITY || op == ZW_OP_ACCELERATION;
}

/* One sweep, arguments before users; refs[i] is what stands for node i. */
static ZwExpr sweep(ZwBuild* build, const uint32_t* order, int32_t count, ZwExpr* refs, bool* moves) {
  ZwGraph* graph = &build->system->graph;
  for (int32_t i = 0; i < count && !build->arena->failed; i++) {
    ZwNode node = *zw_graph_node(graph, (ZwExpr){order[i]});
    int arity = zw_op_arity(node.op);
    refs[i] = (ZwExpr){order[i]};
    moves[i] = is_moving_leaf(node.op);
    if (arity == 0) continue;
    ZwExpr args[3] = {{0}};
    bool arg_moves[3] = {false};
    for (int k = 0; k < arity; k++) {
      uint32_t at = zw_walk_place(&build->hold_walk, node.u.args[k]);
      args[k] = refs[at];
      arg_moves[k] = moves[at];
      moves[i] = moves[i] || moves[at];
    }
    graph->mark = node.mark;
    bool switches = is_switch(node.op) && (node.op == ZW_OP_SELECT ? arg_moves[0] : moves[i]);
    refs[i] = switches ? hold_node(build, node.op, args[0], args[1], args[2])
                       : zw_expr_apply(graph, node.op, args[0], args[1], args[2]);
  }
  return build->arena->failed ? (ZwExpr){0} : refs[count - 1];
}

ZwExpr zw_build_hold(ZwBuild* build, ZwExpr e) {
  ZwGraph* graph = &build->system->graph;
  if (!zw_expr_reads(&build->walk, graph, e).switches) return e;
  if (!zw_walk_collect(&build->hold_walk, graph, &e, 1)) return (ZwExpr){0};
  int32_t count = build->hold_walk.order.count;
  ZwExpr* refs = ZW_NEW(build->arena, count, ZwExpr);
  bool* moves = ZW_NEW(build->arena, count, bool);
  if (!refs || !moves) return (ZwExpr){0};
  uint32_t mark = graph->mark;
  ZwExpr held = sweep(build, build->hold_walk.order.items, count, refs, moves);
  graph->mark = mark;
  return held;
}

int32_t zw_build_gate(ZwBuild* build, ZwExpr condition) {
  ZwGraph* graph = &build->system->graph;
  if (zw_graph_node(graph, condition)->op == ZW_OP_CONST) {
    /* known while building: a gate that never opens still is one */
    if (zw_expr_is_const(graph, condition, 1)) return 0;
    condition = zw_expr_binary(graph, ZW_OP_LESS, zw_expr_leaf(graph, ZW_OP_TIME, 0), zw_expr_const(graph, -INFINITY));
  }
  (void)mode_for(build, condition);
  return build->arena->failed ? 0 : build->mode_of.items[condition.ref];
}
