/* Pictures. Their statements are read and checked like all others; the numbers are in the results, so a run goes on without them
 * and a note says so. */
#include "model/builder.h"

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
