#include "equations/equations.h"

static ZwShapeKind shape_kind(ZwTermKind kind) {
  switch (kind) {
    case ZW_TERM_DISSIPATION: return ZW_SHAPE_DISSIPATION;
    case ZW_TERM_FORCE: return ZW_SHAPE_FORCE;
    case ZW_TERM_GIBBS: return ZW_SHAPE_GIBBS;
    case ZW_TERM_CONSTRAINT: return ZW_SHAPE_CONSTRAINT;
    case ZW_TERM_EXACT: return ZW_SHAPE_EXACT;
    case ZW_TERM_OUTPUT: return ZW_SHAPE_OUTPUT;
    default: return ZW_SHAPE_ENERGY;
  }
}

/* Energies are split; every other term is one piece. */
static bool add_pieces(ZwEquations* equations, ZwSystem* system, ZwWalk* walk, int32_t number) {
  const ZwTerm* term = &system->terms.items[number];
  bool is_sum = shape_kind(term->kind) == ZW_SHAPE_ENERGY || term->kind == ZW_TERM_DISSIPATION ||
                term->kind == ZW_TERM_GIBBS;
  if (is_sum) {
    return zw_split_term(system, walk, number, equations);
  }
  ZwPiece piece = {number, term->value, term->rate};
  return ZW_PUSH(equations->arena, &equations->pieces, piece);
}

/* The row of a constraint or the number of an output; -1 for all others. */
static int32_t add_row(ZwEquations* equations, int32_t number, const ZwTerm* term) {
  if (term->kind == ZW_TERM_CONSTRAINT || term->kind == ZW_TERM_EXACT) {
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
  for (int32_t i = 0; i < form->reactions.count; i++) {
    (void)ZW_PUSH(arena, &shape->instance_reactions, form->reactions.items[i]);
  }
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

static ZwStatus derive(ZwEquations* equations, ZwDiagList* diags, const ZwSystem* system, ZwArena* scratch) {
  ZwWalk system_walk, shape_walk;
  zw_walk_init(&system_walk, scratch);
  zw_walk_init(&shape_walk, scratch);
  ZwForm form = {0};
  for (int32_t i = 0; i < system->terms.count; i++) {
    /* splitting builds factors into the system's graph; nothing else of the system changes */
    if (!add_pieces(equations, (ZwSystem*)(uintptr_t)system, &system_walk, i)) return ZW_ERR_MEMORY;
  }
  /* the rows of the motion first, then those of the start */
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < equations->pieces.count; i++) {
      bool is_exact = system->terms.items[equations->pieces.items[i].term].kind == ZW_TERM_EXACT;
      if (is_exact != (pass == 1)) continue;
      ZW_TRY(add_element(equations, &form, &system_walk, &shape_walk, diags, i));
    }
    if (pass == 0) equations->m = equations->rows.count;
  }
  if (diags->errors > 0) return diags->first_error;
  equations->m_all = equations->rows.count;
  equations->output_count = equations->outputs.count;
  if (!zw_pattern_build(equations)) return ZW_ERR_MEMORY;
  equations->has_energy = true;
  for (int32_t i = 0; i < system->terms.count; i++) {
    if (system->terms.items[i].kind == ZW_TERM_GIBBS) equations->has_energy = false;
  }
  equations->is_conservative = zw_is_conservative(equations, &system_walk);
  return ZW_OK;
}

ZwStatus zw_derive(ZwArena* arena, ZwDiagList* diags, const ZwSystem* system, ZwEquations* equations) {
  *equations = (ZwEquations){.arena = arena, .system = system, .n = system->coords.count};
  zw_graph_init(&equations->graph, arena);
  ZwArena scratch;
  zw_arena_init(&scratch, &arena->allocator);
  scratch.limit = arena->limit;
  ZwStatus status = derive(equations, diags, system, &scratch);
  if (scratch.limit_reached) arena->limit_reached = true;
  if (scratch.failed || arena->failed) status = ZW_ERR_MEMORY;
  zw_arena_destroy(&scratch);
  return status;
}
