/* `when` and `stop when`: conditions that a run watches, and what changes where they become true. */
#include "expr/rebuild.h"
#include "model/builder.h"
#include "text/lexer.h"

/* What moves meets a value in passing: `==` would hold at no instant that is looked at. */
static void check_equals(ZwBuild* build, const ZwAst* node) {
  if (!node) return;
  for (const ZwAst* member = node->first; member; member = member->next) check_equals(build, member);
  if (node->kind == ZW_AST_NOT) check_equals(build, node->a);
  if (node->kind != ZW_AST_COMPARE || node->op != (int32_t)ZW_TOKEN_EQ) return;
  const ZwAst* sides[] = {node->a, node->b};
  for (int i = 0; i < 2; i++) {
    ZwExpr side = zw_build_scalar(build, sides[i], "what is compared");
    if (!side.ref) return;
    ZwReads reads = zw_expr_reads(&build->system->graph, side);
    if (!reads.time && !reads.coord && !reads.velocity && !reads.acceleration && !reads.reaction) continue;
    zw_diag_error(build->diags, ZW_ERR_VALUE, node->span, "'==' is never met by something that moves all the time");
    zw_diag_remedy(build->diags, "write < or >: an event happens where its condition becomes true");
    return;
  }
}

int32_t zw_build_event_value(ZwBuild* build, ZwSpan span, ZwStr name, ZwExpr value) {
  ZwTerm term = {.kind = ZW_TERM_EVENT, .span = span, .name = name, .value = value};
  return zw_build_add_term(build, term) ? build->system->event_value_count++ : -1;
}

/* The condition of an event, with its text as the name. */
static bool build_event(ZwBuild* build, const ZwAst* node, ZwEvent* event) {
  int32_t errors = build->diags->errors;
  ZwExpr condition = zw_build_condition(build, node->c);
  if (build->diags->errors == errors) check_equals(build, node->c);
  if (build->diags->errors > errors || build->arena->failed) return false;
  *event = (ZwEvent){.name = zw_build_quote(build, node->c->span), .span = node->span};
  event->condition = zw_build_event_value(build, node->c->span, event->name, condition);
  return event->condition >= 0;
}

/* ---- what adds up ---- */

/* Zero in the place of one leaf. */
static ZwExpr leave_out(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  const ZwNode* left = context;
  return leaf == left->op && index == left->u.index ? zw_expr_const(graph, 0) : (ZwExpr){0};
}

static bool reads_leaf(ZwBuild* build, ZwExpr e, ZwNode* leaf) {
  ZwExpr without = zw_expr_rebuild(&build->system->graph, &build->walk, e, leave_out, leaf);
  return without.ref != e.ref;
}

/* The c of n + c, where c does not read n; ref 0: this is no such sum. */
static ZwExpr added_to(ZwBuild* build, ZwExpr sum, ZwNode* leaf) {
  ZwGraph* graph = &build->system->graph;
  ZwNode node = *zw_graph_node(graph, sum);
  if (node.op == leaf->op && node.u.index == leaf->u.index) return zw_expr_const(graph, 0);
  if (node.op != ZW_OP_ADD && node.op != ZW_OP_SUB) return (ZwExpr){0};
  ZwExpr a = {node.u.args[0]}, b = {node.u.args[1]};
  bool is_swapped = node.op == ZW_OP_ADD && !reads_leaf(build, a, leaf);
  ZwExpr inner = is_swapped ? b : a, rest = is_swapped ? a : b;
  if (reads_leaf(build, rest, leaf)) return (ZwExpr){0};
  ZwExpr c = added_to(build, inner, leaf);
  if (!c.ref) return c;
  return node.op == ZW_OP_ADD ? zw_expr_add(graph, c, rest) : zw_expr_sub(graph, c, rest);
}

static bool add_change(ZwBuild* build, const ZwAst* assign, ZwEvent* event, ZwNode target, ZwExpr value) {
  ZwChange change = {.target = target.op, .index = target.u.index, .span = assign->span};
  change.value = zw_build_event_value(build, assign->span, event->name, value);
  ZwExpr added = added_to(build, value, &target);
  change.added = added.ref ? zw_build_event_value(build, assign->span, event->name, added) : -1;
  return change.value >= 0 && !build->arena->failed && ZW_PUSH(build->arena, &event->changes, change);
}

static void build_change(ZwBuild* build, const ZwAst* assign, ZwEvent* event) {
  const ZwGraph* graph = &build->system->graph;
  ZwValue target, value;
  if (!zw_build_assignment(build, assign, ZW_MAY_READ_REACTION, "a new value", &target, &value)) return;
  for (int32_t k = 0; k < target.dim; k++) {
    ZwNode node = *zw_graph_node(graph, target.c[k]);
    bool is_memory = node.op == ZW_OP_PARAM && build->system->params.items[node.u.index].is_memory;
    if (node.op != ZW_OP_COORD && node.op != ZW_OP_VELOCITY && !is_memory) {
      zw_diag_error(build->diags, ZW_ERR_VALUE, assign->a->span,
                    "an event changes memory, coordinates and velocities only");
      return;
    }
    if (!add_change(build, assign, event, node, value.c[k])) return;
  }
}

void zw_build_when(ZwBuild* build, const ZwAst* node) {
  ZwEvent event = {0};
  bool is_right = build_event(build, node, &event);
  for (const ZwAst* assign = node->first; assign; assign = assign->next) build_change(build, assign, &event);
  if (is_right) (void)ZW_PUSH(build->arena, &build->system->events, event);
}

void zw_build_stop(ZwBuild* build, const ZwAst* node) {
  ZwEvent event = {0};
  if (!build_event(build, node, &event)) return;
  event.is_stop = true;
  (void)ZW_PUSH(build->arena, &build->system->events, event);
}
