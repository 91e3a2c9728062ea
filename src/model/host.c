/* Constraints that the host computes, written in hidden parameters (see ZwHostRow). */
#include "model/builder.h"

static int32_t add_slots(ZwBuild* build, int32_t count) {
  int32_t first = build->system->params.count;
  for (int32_t i = 0; i < count; i++) (void)zw_build_slot(build, 0);
  return first;
}

static ZwExpr slot(ZwBuild* build, int32_t param) {
  return zw_expr_leaf(&build->system->graph, ZW_OP_PARAM, param);
}

/* sum A_k (leaf_k - x_k); accelerations are counted from zero. */
static ZwExpr add_terms(ZwBuild* build, const ZwHostRow* row, ZwExpr sum) {
  static const ZwOp leaves[] = {ZW_OP_COORD, ZW_OP_VELOCITY, ZW_OP_ACCELERATION};
  ZwGraph* graph = &build->system->graph;
  for (int32_t k = 0; k < build->system->coords.count; k++) {
    ZwExpr leaf = zw_expr_leaf(graph, leaves[row->level], k);
    if (row->level != ZW_LEVEL_ACCELERATION) leaf = zw_expr_sub(graph, leaf, slot(build, row->x + k));
    sum = zw_expr_add(graph, sum, zw_expr_mul(graph, slot(build, row->A + k), leaf));
  }
  return sum;
}

static ZwExpr write_row(ZwBuild* build, const ZwHostRow* row) {
  ZwGraph* graph = &build->system->graph;
  ZwExpr since_begin = zw_expr_sub(graph, zw_build_time(build), zw_build_epoch(build));
  ZwExpr since = zw_expr_sub(graph, since_begin, slot(build, row->t0));
  ZwExpr bend = slot(build, row->bend);
  if (row->level == ZW_LEVEL_ACCELERATION) return add_terms(build, row, bend);
  ZwExpr sum = add_terms(build, row, slot(build, row->residual));
  if (row->level == ZW_LEVEL_VELOCITY) return zw_expr_add(graph, sum, zw_expr_mul(graph, bend, since));
  ZwExpr half = zw_expr_mul(graph, zw_expr_const(graph, 0.5), zw_expr_mul(graph, bend, since));
  ZwExpr slope = zw_expr_add(graph, slot(build, row->rate), half);
  return zw_expr_add(graph, sum, zw_expr_mul(graph, slope, since));
}

static void add_host_row(ZwBuild* build, const ZwHostConstraint* constraint) {
  ZwSystem* system = build->system;
  int32_t n = system->coords.count;
  ZwStr name = zw_str_from(zw_str_copy(build->arena, zw_str_from(constraint->name)));
  if (zw_scope_find_here(&build->labels, name)) {
    zw_diag_error(build->diags, ZW_ERR_NAME, (ZwSpan){0}, "a constraint '%.*s' exists already", ZW_STR_ARGS(name));
    zw_diag_remedy(build->diags, "choose another name for the one that the host computes");
    return;
  }
  ZwEntity label = {.kind = ZW_ENTITY_LET, .name = name};
  if (!name.data || !zw_scope_add(&build->labels, label)) return;
  int32_t first = add_slots(build, 4 + 2 * n);
  ZwHostRow row = {.level = (ZwLevel)constraint->level,
                   .residual = first,
                   .rate = first + 1,
                   .bend = first + 2,
                   .t0 = first + 3,
                   .A = first + 4,
                   .x = first + 4 + n};
  ZwTerm term = {.kind = ZW_TERM_CONSTRAINT, .level = row.level, .name = name, .value = write_row(build, &row)};
  (void)zw_build_add_term(build, term);
  (void)ZW_PUSH(build->arena, &system->host_rows, row);
  system->row_count++;
}

void zw_build_host_rows(ZwBuild* build) {
  for (int32_t i = 0; i < build->def->constraint_count && !zw_build_is_out_of_memory(build); i++) {
    add_host_row(build, &build->def->constraints[i]);
  }
}
