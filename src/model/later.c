/* Statements whose machinery is not there yet. They are read and checked like all others; a run that needs them says so
 * by name. */
#include "model/builder.h"

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
