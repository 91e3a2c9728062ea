#include "equations/equations.h"

static ZwShapeKind shape_kind(ZwTermKind kind) {
  switch (kind) {
    case ZW_TERM_DISSIPATION: return ZW_SHAPE_DISSIPATION;
    case ZW_TERM_FORCE: return ZW_SHAPE_FORCE;
    case ZW_TERM_CONSTRAINT: return ZW_SHAPE_CONSTRAINT;
    case ZW_TERM_OUTPUT: return ZW_SHAPE_OUTPUT;
    default: return ZW_SHAPE_ENERGY;
  }
}

/* Energies are split; every other term is one piece. */
static bool add_pieces(ZwEquations* equations, ZwSystem* system, ZwWalk* walk, int32_t number) {
  const ZwTerm* term = &system->terms.items[number];
  if (shape_kind(term->kind) == ZW_SHAPE_ENERGY || term->kind == ZW_TERM_DISSIPATION) {
    return zw_split_term(system, walk, number, equations);
  }
  ZwPiece piece = {number, term->value, term->rate};
  return ZW_PUSH(equations->arena, &equations->pieces, piece);
}

/* The row of a constraint or the number of an output; -1 for all others. */
static int32_t add_row(ZwEquations* equations, int32_t number, const ZwTerm* term) {
  if (term->kind == ZW_TERM_CONSTRAINT) {
    ZwRow row = {number, term->level};
    return ZW_PUSH(equations->arena, &equations->rows, row) ? equations->rows.count - 1 : -1;
  }
  if (term->kind == ZW_TERM_OUTPUT) {
    return ZW_PUSH(equations->arena, &equations->outputs, number) ? equations->outputs.count - 1 : -1;
  }
  return -1;
}

static void add_instance(ZwEquations* equations, ZwShape* shape, const ZwForm* form, int32_t row, int32_t piece) {
  ZwArena* arena = equations->arena;
  for (int32_t i = 0; i < form->coords.count; i++) (void)ZW_PUSH(arena, &shape->instance_coords, form->coords.items[i]);
  for (int32_t i = 0; i < form->slots.count; i++) (void)ZW_PUSH(arena, &shape->instance_slots, form->slots.items[i]);
  (void)ZW_PUSH(arena, &shape->instance_rows, row);
  (void)ZW_PUSH(arena, &shape->instance_pieces, piece);
  shape->count++;
}

static ZwStatus add_element(ZwEquations* equations, ZwForm* form, ZwWalk* system_walk, ZwWalk* shape_walk,
                            ZwDiagList* diags, int32_t number) {
  const ZwPiece* piece = &equations->pieces.items[number];
  const ZwTerm* term = &equations->system->terms.items[piece->term];
  if (!zw_form_build(form, system_walk, equations, piece)) return ZW_ERR_MEMORY;
  bool is_new = false;
  ZwShape* shape = zw_shape_find(equations, shape_kind(term->kind), term->level, form, &is_new);
  if (!shape) return ZW_ERR_MEMORY;
  int32_t row = add_row(equations, piece->term, term);
  if (is_new) {
    ZwStatus status = zw_shape_derive(equations, shape, shape_walk, diags, term->span);
    if (status == ZW_ERR_MEMORY) return status;
    if (status) { /* forgotten again, so that the next one of its kind is reported too */
      equations->shapes.count--;
      return ZW_OK;
    }
  }
  add_instance(equations, shape, form, row, number);
  return equations->arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

ZwStatus zw_derive(ZwArena* arena, ZwDiagList* diags, const ZwSystem* system, ZwEquations* equations) {
  *equations = (ZwEquations){.arena = arena, .system = system, .n = system->coords.count};
  zw_graph_init(&equations->graph, arena);
  ZwWalk system_walk, shape_walk;
  zw_walk_init(&system_walk, arena);
  zw_walk_init(&shape_walk, arena);
  ZwForm form = {0};
  for (int32_t i = 0; i < system->terms.count; i++) {
    /* splitting builds factors into the system's graph; nothing else of the system changes */
    if (!add_pieces(equations, (ZwSystem*)(uintptr_t)system, &system_walk, i)) return ZW_ERR_MEMORY;
  }
  for (int32_t i = 0; i < equations->pieces.count; i++) {
    ZW_TRY(add_element(equations, &form, &system_walk, &shape_walk, diags, i));
  }
  if (diags->errors > 0) return diags->first_error;
  equations->m = equations->rows.count;
  equations->output_count = equations->outputs.count;
  if (!zw_pattern_build(equations)) return ZW_ERR_MEMORY;
  equations->is_conservative = zw_is_conservative(equations, &system_walk);
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}
