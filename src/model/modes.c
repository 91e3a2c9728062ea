/* Switches inside the equations, taken apart: what is discrete (a branch, a sign, a whole number) goes into a hidden
 * parameter, a mode, that a step holds; what is left is smooth. Where the motion changes what is discrete is found between
 * steps, like an event. */
#include <math.h>

#include "model/builder.h"

/* By ref of what is held: the number of its mode + 1, 0 while there is none. NULL when memory is out. */
static int32_t* mode_number(ZwBuild* build, ZwExpr key) {
  while (!build->arena->failed && (uint32_t)build->mode_of.count <= key.ref) {
    int32_t none = 0;
    (void)ZW_PUSH(build->arena, &build->mode_of, none);
  }
  return build->arena->failed || !key.ref ? NULL : &build->mode_of.items[key.ref];
}

static ZwStr name_of(ZwBuild* build, ZwExpr e) {
  ZwText text;
  zw_text_init(&text, build->arena);
  zw_system_print(&text, build->system, e, 60);
  return zw_str_from(zw_text_get(&text));
}

/* A hidden parameter for a mode; its number, or -1 when memory is out. */
static int32_t add_param(ZwBuild* build, ZwStr name, ZwSpan span) {
  ZwSystem* system = build->system;
  ZwParam param = {.name = name,
                   .span = span,
                   .value = zw_expr_const(&system->graph, 0),
                   .is_used = true,
                   .is_memory = true,
                   .is_hidden = true,
                   .is_mode = true};
  double start = 0;
  bool is_added = ZW_PUSH(system->arena, &system->params, param) && ZW_PUSH(build->arena, &build->values, start);
  return is_added ? system->params.count - 1 : -1;
}

/* The parameter of the mode then holds `discrete`. */
static bool add_mode(ZwBuild* build, ZwMode mode, ZwExpr discrete, ZwSpan span) {
  ZwSystem* system = build->system;
  ZwTerm term = {.kind = ZW_TERM_EVENT, .span = span, .name = mode.name, .value = discrete};
  mode.value = system->event_value_count;
  if (!zw_build_add_term(build, term) || !ZW_PUSH(system->arena, &system->modes, mode)) return false;
  system->event_value_count++;
  return true;
}

/* The parameter that holds `discrete`, made if there is none yet. */
static ZwExpr mode_for(ZwBuild* build, ZwExpr discrete) {
  ZwSystem* system = build->system;
  const int32_t* number = mode_number(build, discrete);
  if (!number) return (ZwExpr){0};
  if (zw_graph_node(&system->graph, discrete)->op == ZW_OP_CONST) return discrete;
  if (*number > 0) return zw_expr_leaf(&system->graph, ZW_OP_PARAM, system->modes.items[*number - 1].param);
  ZwSpan span = zw_system_span(system, discrete);
  ZwMode mode = {.name = name_of(build, discrete)};
  mode.param = add_param(build, mode.name, span);
  if (mode.param < 0 || !add_mode(build, mode, discrete, span)) return (ZwExpr){0};
  build->mode_of.items[discrete.ref] = system->modes.count;
  return zw_expr_leaf(&system->graph, ZW_OP_PARAM, mode.param);
}

/* ---- tables ---- */

static ZwExpr of_interval(ZwGraph* graph, ZwExpr interval, ZwExpr table, int what) {
  return zw_expr_apply(graph, ZW_OP_TABLE, interval, table, zw_expr_const(graph, what));
}

/* The number of the interval that x lies in, as a mode. Nobody calls it an event when the motion passes a point. */
static ZwExpr interval_mode(ZwBuild* build, ZwExpr x, ZwExpr table) {
  ZwSystem* system = build->system;
  ZwGraph* graph = &system->graph;
  ZwExpr find = of_interval(graph, x, table, ZW_TABLE_INTERVAL);
  const int32_t* number = mode_number(build, find);
  if (!number) return (ZwExpr){0};
  if (*number > 0) return zw_expr_leaf(graph, ZW_OP_PARAM, system->modes.items[*number - 1].param);
  ZwSpan span = zw_system_span(system, find);
  ZwMode mode = {.name = name_of(build, find), .is_quiet = true};
  mode.param = add_param(build, mode.name, span);
  if (mode.param < 0) return (ZwExpr){0};
  ZwExpr held = zw_expr_leaf(graph, ZW_OP_PARAM, mode.param);
  ZwExpr u = zw_expr_sub(graph, x, of_interval(graph, held, table, ZW_TABLE_BEGIN));
  ZwExpr width = of_interval(graph, held, table, ZW_TABLE_WIDTH);
  ZwExpr least = zw_expr_mul(graph, zw_expr_const(graph, -ZW_TABLE_REACH), width);
  ZwExpr most = zw_expr_mul(graph, zw_expr_const(graph, 1 + ZW_TABLE_REACH), width);
  ZwExpr is_inside = zw_expr_binary(graph, ZW_OP_AND, zw_expr_binary(graph, ZW_OP_LESS_EQUAL, least, u),
                                    zw_expr_binary(graph, ZW_OP_LESS_EQUAL, u, most));
  if (!add_mode(build, mode, zw_expr_select(graph, is_inside, held, find), span)) return (ZwExpr){0};
  build->mode_of.items[find.ref] = system->modes.count;
  return held;
}

/* The cubic of the interval held; outside of the points the table itself, which has no value there. */
static ZwExpr hold_table(ZwBuild* build, ZwExpr x, ZwExpr table, ZwExpr order) {
  ZwGraph* graph = &build->system->graph;
  int derivative = (int)zw_graph_node(graph, order)->u.value;
  int32_t number = (int32_t)zw_graph_node(graph, table)->u.value;
  ZwExpr interval = interval_mode(build, x, table);
  if (!interval.ref) return interval;
  ZwExpr u = zw_expr_sub(graph, x, of_interval(graph, interval, table, ZW_TABLE_BEGIN)), sum = zw_expr_const(graph, 0);
  for (int k = 3; k >= derivative; k--) {
    double factor = 1; /* of u^k after so many derivatives */
    for (int i = 0; i < derivative; i++) factor *= k - i;
    ZwExpr c = zw_expr_mul(graph, zw_expr_const(graph, factor), of_interval(graph, interval, table, ZW_TABLE_C0 + k));
    sum = zw_expr_add(graph, c, zw_expr_mul(graph, u, sum));
  }
  if (build->system->tables.list.items[number].is_periodic) return sum;
  ZwExpr last = zw_expr_const(graph, build->system->tables.list.items[number].count - 2);
  ZwExpr is_inside =
      zw_expr_binary(graph, ZW_OP_AND, zw_expr_binary(graph, ZW_OP_LESS_EQUAL, zw_expr_const(graph, 0), interval),
                     zw_expr_binary(graph, ZW_OP_LESS_EQUAL, interval, last));
  return zw_expr_select(graph, is_inside, sum, zw_expr_apply(graph, ZW_OP_TABLE, x, table, order));
}

/* ---- switches ---- */

/* What stands for a node: `held` by the modes, and `own`, in which abs, min and max, which are continuous, take their own values. */
typedef struct Held {
  ZwExpr held, own;
  bool moves;
} Held;

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
    case ZW_OP_TABLE:
      return hold_table(build, a, b, c);
    default: { /* mod(a, b) = a - b floor(a/b); of a time, whose multiples of b are large, without rounding in between */
      ZwExpr whole = mode_for(build, zw_expr_unary(graph, ZW_OP_FLOOR, zw_expr_div(graph, a, b)));
      if (zw_build_is_of_time(graph, a)) return zw_expr_apply(graph, ZW_OP_FUSED, zw_expr_neg(graph, b), whole, a);
      return zw_expr_sub(graph, a, zw_expr_mul(graph, b, whole));
    }
  }
}

/* Has no value for negative arguments: a root, a logarithm, a power whose exponent is not a whole number. */
static bool ends_at_zero(const ZwGraph* graph, ZwOp op, ZwExpr exponent) {
  if (op != ZW_OP_POW) return op == ZW_OP_SQRT || op == ZW_OP_LOG;
  const ZwNode* node = zw_graph_node(graph, exponent);
  return node->op != ZW_OP_CONST || node->u.value != floor(node->u.value);
}

/* abs(x), max(x, 0): a root of it has no value beyond the switch unless it takes part in it. */
static bool is_never_negative(const ZwGraph* graph, ZwExpr e) {
  const ZwNode* node = zw_graph_node(graph, e);
  ZwExpr a = {node->u.args[0]}, b = {node->u.args[1]};
  bool is_max = node->op == ZW_OP_MAX && (zw_expr_is_const(graph, a, 0) || zw_expr_is_const(graph, b, 0));
  return is_max || node->op == ZW_OP_ABS;
}

/* The argument of a root. Beyond the instant of a switch what is held goes on smoothly, below zero: sqrt(abs(x)) would have no value there,
 * and no step would get across. So it is held only as far as it is not negative. */
static ZwExpr argument_of_root(ZwGraph* graph, const Held* argument) {
  if (zw_expr_equal(argument->held, argument->own)) return argument->held;
  if (is_never_negative(graph, argument->own)) return argument->own;
  ZwExpr has_value = zw_expr_binary(graph, ZW_OP_LESS_EQUAL, zw_expr_const(graph, 0), argument->held);
  return zw_expr_select(graph, has_value, argument->held, argument->own);
}

static bool is_continuous(ZwOp op) {
  return op == ZW_OP_ABS || op == ZW_OP_MIN || op == ZW_OP_MAX;
}

static bool is_switch(ZwOp op) {
  return op == ZW_OP_SELECT || op == ZW_OP_ABS || op == ZW_OP_SIGN || op == ZW_OP_FLOOR || op == ZW_OP_MIN ||
         op == ZW_OP_MAX || op == ZW_OP_MOD || op == ZW_OP_TABLE;
}

static bool is_moving_leaf(ZwOp op) {
  return op == ZW_OP_TIME || op == ZW_OP_COORD || op == ZW_OP_VELOCITY || op == ZW_OP_ACCELERATION;
}

/* What stands for a node whose arguments are done. */
static Held hold(ZwBuild* build, const ZwNode* node, const Held* args) {
  ZwGraph* graph = &build->system->graph;
  Held result = {.moves = args[0].moves || args[1].moves || args[2].moves};
  ZwExpr a = args[0].held;
  if (is_switch(node->op) && (node->op == ZW_OP_SELECT ? args[0].moves : result.moves)) {
    result.held = result.own = hold_node(build, node->op, a, args[1].held, args[2].held);
    if (is_continuous(node->op)) result.own = zw_expr_apply(graph, node->op, args[0].own, args[1].own, args[2].own);
    return result;
  }
  if (ends_at_zero(graph, node->op, args[1].held)) a = argument_of_root(graph, &args[0]);
  result.held = zw_expr_apply(graph, node->op, a, args[1].held, args[2].held);
  result.own = zw_expr_apply(graph, node->op, args[0].own, args[1].own, args[2].own);
  return result;
}

/* One sweep, arguments before users; done[i] is what stands for node i. */
static ZwExpr sweep(ZwBuild* build, const uint32_t* order, int32_t count, Held* done) {
  ZwGraph* graph = &build->system->graph;
  for (int32_t i = 0; i < count && !build->arena->failed; i++) {
    ZwNode node = *zw_graph_node(graph, (ZwExpr){order[i]});
    done[i] = (Held){{order[i]}, {order[i]}, is_moving_leaf(node.op)};
    if (zw_op_arity(node.op) == 0) continue;
    Held args[3] = {{{0}, {0}, false}};
    for (int k = 0; k < zw_op_arity(node.op); k++) args[k] = done[zw_walk_place(&build->hold_walk, node.u.args[k])];
    graph->mark = node.mark;
    done[i] = hold(build, &node, args);
  }
  return build->arena->failed ? (ZwExpr){0} : done[count - 1].held;
}

ZwExpr zw_build_hold(ZwBuild* build, ZwExpr e) {
  ZwGraph* graph = &build->system->graph;
  if (!zw_expr_reads(graph, e).switches) return e;
  if (!zw_walk_collect(&build->hold_walk, graph, &e, 1)) return (ZwExpr){0};
  int32_t count = build->hold_walk.order.count;
  Held* done = ZW_NEW(build->arena, count, Held);
  if (!done) return (ZwExpr){0};
  uint32_t mark = graph->mark;
  ZwExpr held = sweep(build, build->hold_walk.order.items, count, done);
  graph->mark = mark;
  return held;
}

int32_t zw_build_gate(ZwBuild* build, ZwExpr condition) {
  ZwGraph* graph = &build->system->graph;
  if (zw_graph_node(graph, condition)->op == ZW_OP_CONST) {
    /* known while building: a gate that never opens still is one */
    if (zw_expr_is_const(graph, condition, 1)) return 0;
    condition = zw_expr_binary(graph, ZW_OP_LESS, zw_build_time(build), zw_expr_const(graph, -INFINITY));
  }
  (void)mode_for(build, condition);
  return build->arena->failed ? 0 : build->system->modes.items[build->mode_of.items[condition.ref] - 1].param + 1;
}

/* ---- who reads them ---- */

/* By parameters: the number of the mode that each holds, + 1; 0: none. NULL when memory is out. */
static int32_t* modes_of_params(ZwBuild* build) {
  const ZwSystem* system = build->system;
  int32_t* of = ZW_NEW(build->arena, system->params.count, int32_t);
  for (int32_t i = 0; of && i < system->modes.count; i++) of[system->modes.items[i].param] = i + 1;
  return of;
}

/* The modes that an expression reads, one after the other, to `visit`. */
static bool visit_modes(ZwBuild* build, const int32_t* mode_of, ZwExpr e, ZwMode* reader,
                        void (*visit)(ZwMode* mode, ZwMode* reader)) {
  ZwSystem* system = build->system;
  ZwWalk* walk = &build->hold_walk;
  if (!zw_expr_reads(&system->graph, e).param) return true;
  if (!zw_walk_collect(walk, &system->graph, &e, 1)) return false;
  for (int32_t k = 0; k < walk->order.count; k++) {
    const ZwNode* node = zw_graph_node(&system->graph, (ZwExpr){walk->order.items[k]});
    int32_t number = node->op == ZW_OP_PARAM ? mode_of[node->u.index] : 0;
    if (number > 0) visit(&system->modes.items[number - 1], reader);
  }
  return true;
}

static void inherit(ZwMode* mode, ZwMode* reader) {
  reader->is_of_state = reader->is_of_state || mode->is_of_state;
  reader->is_of_velocity = reader->is_of_velocity || mode->is_of_velocity;
}

static void enter_energy(ZwMode* mode, ZwMode* reader) {
  (void)reader;
  mode->is_in_energy = !mode->is_quiet; /* tables go on smoothly from one interval to the next */
}

/* The mode whose value this term is; NULL: it is none. Modes and their terms are in the same order. */
static ZwMode* mode_of_term(ZwSystem* system, int32_t number, int32_t* next) {
  if (*next >= system->modes.count || system->modes.items[*next].value != number) return NULL;
  return &system->modes.items[(*next)++];
}

void zw_build_relate_modes(ZwBuild* build) {
  ZwSystem* system = build->system;
  int32_t* mode_of = system->modes.count > 0 ? modes_of_params(build) : NULL;
  if (!mode_of) return;
  for (int32_t i = 0, number = 0, next = 0; i < system->terms.count; i++) {
    const ZwTerm* term = &system->terms.items[i];
    bool is_energy =
        term->kind == ZW_TERM_KINETIC || term->kind == ZW_TERM_POTENTIAL || term->kind == ZW_TERM_LAGRANGIAN;
    if (is_energy && !visit_modes(build, mode_of, term->held_value, NULL, enter_energy)) return;
    ZwMode* mode = term->kind == ZW_TERM_EVENT ? mode_of_term(system, number++, &next) : NULL;
    if (!mode) continue;
    ZwReads reads = zw_expr_reads(&system->graph, term->value);
    mode->is_of_velocity = reads.velocity || reads.acceleration || reads.reaction;
    mode->is_of_state = reads.coord || mode->is_of_velocity;
    if (!visit_modes(build, mode_of, term->value, mode, inherit)) return;
  }
}
