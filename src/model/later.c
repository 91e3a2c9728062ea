/* Statements whose machinery is not there yet. They are read and checked like all others; a run that needs them says so
 * by name. */
#include "model/builder.h"
#include "text/lexer.h"

void zw_build_need(ZwBuild* build, ZwSpan span, const char* what) {
  ZwNeed need = {span, what};
  (void)ZW_PUSH(build->arena, &build->system->needs, need);
}

/* ---- contacts ---- */

static void check_options(ZwBuild* build, const ZwAst* node) {
  const ZwAst *friction = NULL, *slip = NULL;
  for (const ZwAst* option = node->first; option; option = option->next) {
    bool is_slip = zw_str_equal(option->text, ZW_STR("slip"));
    if (zw_str_equal(option->text, ZW_STR("friction"))) friction = option;
    if (is_slip) slip = option;
    ZwValue value = zw_build_checked(build, option->a, ZW_MAY_READ_STATE, is_slip ? "a slip" : "a coefficient");
    bool fits = is_slip ? value.dim <= 2 : value.dim == 1;
    if (fits) continue;
    zw_diag_error(build->diags, ZW_ERR_TYPE, option->span,
                  is_slip ? "a slip is a scalar or a 2-vector, this is %s" : "a coefficient is a scalar, this is %s",
                  zw_value_type(&value));
  }
  if (friction && !slip) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, friction->span, "friction needs to know what slips");
    zw_diag_remedy(build->diags, "add: slip expr, the position or velocity along the surface");
  }
}

void zw_build_contact(ZwBuild* build, const ZwAst* node) {
  double key[ZW_ARRAY_RANK];
  zw_build_checked_scalar(build, node->a, ZW_MAY_READ_STATE, "a side of a contact");
  zw_build_checked_scalar(build, node->b, ZW_MAY_READ_STATE, "a side of a contact");
  check_options(build, node);
  if (node->c) (void)zw_build_condition(build, node->c);
  zw_build_need(build, node->span, "a contact");
  if (!node->label || !zw_build_key(build, node->label->first, node->label->count, key, node->label->span)) return;
  ZwStr name = zw_build_full_name(build, node->label->text, key, node->label->count);
  ZwEntity label = {.kind = ZW_ENTITY_MEMORY, .name = name, .span = node->label->span, .value = {.dim = 1}};
  const ZwEntity* before = zw_scope_find_here(&build->labels, name);
  if (before) {
    zw_diag_error(build->diags, ZW_ERR_NAME, node->label->span, "a constraint or contact '%.*s' exists already",
                  ZW_STR_ARGS(name));
    zw_diag_remedy(build->diags, "choose another name, or an index inside a loop");
    return;
  }
  (void)zw_scope_add(&build->labels, label);
}

/* ---- events ---- */

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
    ZwReads reads = zw_expr_reads(&build->walk, &build->system->graph, side);
    if (!reads.time && !reads.coord && !reads.velocity && !reads.acceleration && !reads.reaction) continue;
    zw_diag_error(build->diags, ZW_ERR_VALUE, node->span, "'==' is never met by something that moves all the time");
    zw_diag_remedy(build->diags, "write < or >: an event happens where its condition becomes true");
    return;
  }
}

static void build_event(ZwBuild* build, const ZwAst* condition) {
  int32_t errors = build->diags->errors;
  (void)zw_build_condition(build, condition);
  if (build->diags->errors == errors) check_equals(build, condition);
}

static void check_change(ZwBuild* build, const ZwAst* assign) {
  const ZwGraph* graph = &build->system->graph;
  int32_t errors = build->diags->errors;
  ZwValue target = zw_build_value(build, assign->a);
  ZwValue value = zw_build_checked(build, assign->b, ZW_MAY_READ_REACTION, "a new value");
  if (build->diags->errors > errors || build->arena->failed) return;
  if (target.dim != value.dim && !zw_value_is_zero(graph, &value)) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, assign->span, "the left side is %s, the right side %s",
                  zw_value_type(&target), zw_value_type(&value));
    return;
  }
  for (int32_t k = 0; k < target.dim; k++) {
    const ZwNode* node = zw_graph_node(graph, target.c[k]);
    bool is_memory = node->op == ZW_OP_PARAM && build->system->params.items[node->u.index].is_memory;
    if (node->op == ZW_OP_COORD || node->op == ZW_OP_VELOCITY || is_memory) continue;
    zw_diag_error(build->diags, ZW_ERR_VALUE, assign->a->span, "an event changes memory, coordinates and velocities only");
    return;
  }
}

void zw_build_when(ZwBuild* build, const ZwAst* node) {
  build_event(build, node->c);
  for (const ZwAst* assign = node->first; assign; assign = assign->next) check_change(build, assign);
  zw_build_need(build, node->span, "an event ('when')");
}

void zw_build_stop(ZwBuild* build, const ZwAst* node) {
  build_event(build, node->c);
  zw_build_need(build, node->span, "an event ('stop when')");
}

/* ---- pictures: the numbers are in the results, so a run goes on without them and a note says so ---- */

static void note_picture(ZwBuild* build, ZwSpan span) {
  if (build->is_in_library) return; /* the user did not write it */
  if (build->system->pictures++ == 0) build->system->picture_span = span;
}

void zw_build_plot(ZwBuild* build, const ZwAst* node) {
  if (build->is_in_component) {
    zw_diag_error(build->diags, ZW_ERR_SYNTAX, node->span, "'plot' does not stand inside a component");
    return;
  }
  for (const ZwAst* item = node->first; item; item = item->next) {
    (void)zw_build_checked(build, item, ZW_MAY_READ_REACTION, "a plot");
  }
  if (node->a) (void)zw_build_checked(build, node->a, ZW_MAY_READ_REACTION, "a plot");
  note_picture(build, node->span);
}

void zw_build_draw(ZwBuild* build, const ZwAst* node) {
  int32_t k = 0;
  for (const ZwAst* item = node->first; item; item = item->next, k++) {
    if (item->kind == ZW_AST_STRING) continue;
    ZwValue value = zw_build_checked(build, item, ZW_MAY_READ_REACTION, "a drawing");
    if (k > 0 || value.dim > 1 || zw_value_is_zero(&build->system->graph, &value)) continue;
    zw_diag_error(build->diags, ZW_ERR_TYPE, item->span, "a drawing begins at a point: a 2- or 3-vector");
  }
  if (node->a && node->a->kind != ZW_AST_STRING && node->a->kind != ZW_AST_NAME) {
    (void)zw_build_checked(build, node->a, ZW_MAY_READ_STATE, "a colour");
  }
  note_picture(build, node->span);
}
