/* What outputs may read of the solve: gaussian, acceleration_energy, free(x''), constraint_force(x). A name of the user's wins, so these
 * are asked for where no other is found. */
#include "expr/quantity.h"
#include "expr/rebuild.h"
#include "model/builder.h"

static ZwExpr leaf_of(ZwBuild* build, ZwQuantity kind, int32_t coord) {
  return zw_expr_leaf(&build->system->graph, ZW_OP_REACTION, ZW_QUANTITY + zw_quantity_place(kind, coord));
}

bool zw_build_quantity(ZwBuild* build, const ZwAst* name, ZwValue* value) {
  bool is_gaussian = zw_str_equal(name->text, ZW_STR("gaussian"));
  if (!is_gaussian && !zw_str_equal(name->text, ZW_STR("acceleration_energy"))) return false;
  if (build->system->coords.count == 0) {
    *value = zw_value_zero(&build->system->graph, 1);
    return true;
  }
  zw_build_mark(build, name);
  *value = zw_value_scalar(leaf_of(build, is_gaussian ? ZW_QUANTITY_GAUSSIAN : ZW_QUANTITY_ENERGY, 0));
  return true;
}

/* ---- free(x'') ---- */

static ZwExpr free_leaf(ZwGraph* graph, ZwOp leaf, int32_t index, void* context) {
  ZwBuild* build = context;
  (void)graph;
  return leaf == ZW_OP_ACCELERATION ? leaf_of(build, ZW_QUANTITY_FREE, index) : (ZwExpr){0};
}

/* Any expression with accelerations: with those of the motion without constraints in their place. */
static ZwValue call_free(ZwBuild* build, const ZwAst* call, const ZwValue* value) {
  ZwGraph* graph = &build->system->graph;
  ZwValue result = {.dim = value->dim};
  bool has_acceleration = false;
  for (int32_t k = 0; k < value->dim; k++) {
    if (!value->c[k].ref) return zw_value_zero(graph, 1);
    has_acceleration = has_acceleration || zw_expr_reads(graph, value->c[k]).acceleration;
  }
  if (!has_acceleration) {
    zw_diag_error(build->diags, ZW_ERR_VALUE, call->first->span,
                  "'free' takes an acceleration, and this holds none: write free(x''), or free(P'') of a point");
    return zw_value_zero(graph, value->dim);
  }
  zw_build_mark(build, call);
  for (int32_t k = 0; k < value->dim; k++)
    result.c[k] = zw_expr_rebuild(graph, &build->walk, value->c[k], free_leaf, build);
  return result;
}

/* ---- constraint_force(x) ---- */

static ZwValue call_force(ZwBuild* build, const ZwAst* call, const ZwValue* value) {
  ZwGraph* graph = &build->system->graph;
  ZwValue result = {.dim = value->dim};
  zw_build_mark(build, call);
  for (int32_t k = 0; k < value->dim; k++) {
    if (!value->c[k].ref) return zw_value_zero(graph, 1);
    ZwNode node = *zw_graph_node(graph, value->c[k]);
    if (node.op != ZW_OP_COORD) {
      zw_diag_error(build->diags, ZW_ERR_VALUE, call->first->span, "'constraint_force' takes a coordinate");
      zw_diag_remedy(build->diags, "forces on other points follow from those on coordinates, or from reaction(..)");
      return zw_value_zero(graph, value->dim);
    }
    result.c[k] = leaf_of(build, ZW_QUANTITY_FORCE, node.u.index);
  }
  return result;
}

bool zw_build_quantity_call(ZwBuild* build, const ZwAst* call, ZwValue* value) {
  bool is_free = zw_str_equal(call->a->text, ZW_STR("free"));
  if (!is_free && !zw_str_equal(call->a->text, ZW_STR("constraint_force"))) return false;
  *value = zw_value_zero(&build->system->graph, 1);
  if (call->count != 1) {
    zw_diag_error(build->diags, ZW_ERR_TYPE, call->span, "'%.*s' takes 1 argument, not %d", ZW_STR_ARGS(call->a->text),
                  (int)call->count);
    return true;
  }
  ZwValue argument = zw_build_value(build, call->first->a);
  *value = is_free ? call_free(build, call, &argument) : call_force(build, call, &argument);
  return true;
}
