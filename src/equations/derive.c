#include "equations/islands.h"
#include "expr/quantity.h"

static ZwShapeKind shape_kind(ZwTermKind kind) {
  switch (kind) {
    case ZW_TERM_DISSIPATION:
      return ZW_SHAPE_DISSIPATION;
    case ZW_TERM_FORCE:
      return ZW_SHAPE_FORCE;
    case ZW_TERM_GIBBS:
      return ZW_SHAPE_GIBBS;
    case ZW_TERM_CONSTRAINT:
      return ZW_SHAPE_CONSTRAINT;
    case ZW_TERM_EXACT:
      return ZW_SHAPE_EXACT;
    case ZW_TERM_QUASI:
      return ZW_SHAPE_QUASI;
    case ZW_TERM_EVENT:
      return ZW_SHAPE_EVENT;
    case ZW_TERM_OUTPUT:
    case ZW_TERM_CLAIM:
      return ZW_SHAPE_OUTPUT;
    default:
      return ZW_SHAPE_ENERGY;
  }
}

/* A system that was not built from a text has nothing held. */
static ZwExpr held(const ZwTerm* term) {
  return term->held_value.ref ? term->held_value : term->value;
}

/* Energies are split; every other term is one piece. */
static bool add_pieces(ZwEquations* equations, ZwSystem* system, ZwWalk* walk, ZwSummands* stack, int32_t number) {
  const ZwTerm* term = &system->terms.items[number];
  bool is_sum =
      shape_kind(term->kind) == ZW_SHAPE_ENERGY || term->kind == ZW_TERM_DISSIPATION || term->kind == ZW_TERM_GIBBS;
  if (is_sum) {
    return zw_split_term(system, walk, stack, number, equations);
  }
  ZwPiece piece = {number, held(term), term->held_rate.ref ? term->held_rate : term->rate};
  return ZW_PUSH(equations->arena, &equations->pieces, piece);
}

/* The row of a constraint, the number of an output or event value; -1 for all others. */
static int32_t add_row(ZwEquations* equations, int32_t number, const ZwTerm* term) {
  if (term->kind == ZW_TERM_CONSTRAINT || term->kind == ZW_TERM_EXACT || term->kind == ZW_TERM_QUASI) {
    ZwRow row = {number, term->level};
    return ZW_PUSH(equations->arena, &equations->rows, row) ? equations->rows.count - 1 : -1;
  }
  if (term->kind == ZW_TERM_OUTPUT || term->kind == ZW_TERM_CLAIM) {
    return ZW_PUSH(equations->arena, &equations->outputs, number) ? equations->outputs.count - 1 : -1;
  }
  if (term->kind == ZW_TERM_EVENT) {
    return ZW_PUSH(equations->arena, &equations->events, number) ? equations->events.count - 1 : -1;
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

static int pass_of(ZwTermKind kind) {
  return kind == ZW_TERM_EXACT ? 1 : kind == ZW_TERM_QUASI ? 2 : kind == ZW_TERM_CLAIM ? 3 : 0;
}

/* T4: quasi-velocities count the velocities that the constraints leave free, so these must be affine in them. */
static void check_affine(const ZwEquations* equations, ZwDiagList* diags) {
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    if (shape->kind != ZW_SHAPE_CONSTRAINT || shape->level == ZW_LEVEL_POSITION) continue;
    bool is_affine = shape->level == ZW_LEVEL_VELOCITY;
    const ZwContributions* entry = &shape->entries[ZW_ENTRY_VELOCITY];
    for (int32_t k = 0; k < entry->list.count; k++) {
      const ZwContribution* c = &entry->list.items[k];
      if (c->target == ZW_TARGET_A && zw_expr_reads(&equations->graph, c->value).velocity) is_affine = false;
    }
    for (int32_t i = 0; i < shape->count && !is_affine; i++) {
      const ZwTerm* term =
          &equations->system->terms.items[equations->pieces.items[shape->instance_pieces.items[i]].term];
      zw_diag_error(diags, ZW_ERR_CONSTRAINT, term->span,
                    "beside quasi-velocities constraints must be affine in the velocities; '%.*s' is not",
                    ZW_STR_ARGS(term->name));
      zw_diag_remedy(diags, "leave 'quasi' out, and name what you want to see with 'output'");
    }
  }
}

/* Conditions are looked at between the solves that would give them. */
static void refuse_quantity(const ZwEquations* equations, const ZwShape* shape, int32_t instance, ZwDiagList* diags) {
  const ZwPiece* piece = &equations->pieces.items[shape->instance_pieces.items[instance]];
  zw_diag_error(diags, ZW_ERR_VALUE, equations->system->terms.items[piece->term].span,
                "a condition may not read gaussian, acceleration_energy, free(..) or constraint_force(..)");
  zw_diag_remedy(diags, "these can stand in output, plot, draw and claim; a condition may read reaction(..)");
}

/* Quantities that outputs read get their places, behind all rows. */
static void place_quantities(ZwEquations* equations, ZwDiagList* diags) {
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    ZwShape* shape = &equations->shapes.items[s];
    for (int32_t k = 0; k < shape->instance_reactions.count; k++) {
      int32_t* index = &shape->instance_reactions.items[k];
      if (*index < ZW_QUANTITY) continue;
      if (shape->kind != ZW_SHAPE_OUTPUT) refuse_quantity(equations, shape, k / shape->reactions, diags);
      equations->quantities |= 1u << (*index - ZW_QUANTITY) % ZW_QUANTITY_KINDS;
      *index += equations->m_all - ZW_QUANTITY;
    }
  }
  equations->reactions = equations->m_all + (equations->quantities ? ZW_QUANTITY_KINDS * equations->n : 0);
}

bool zw_equations_outputs_read_rows(const ZwEquations* equations) {
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    for (int32_t k = 0; shape->kind == ZW_SHAPE_OUTPUT && k < shape->instance_reactions.count; k++) {
      if (shape->instance_reactions.items[k] < equations->m_all) return true;
    }
  }
  return false;
}

static ZwStatus derive(ZwEquations* equations, ZwDiagList* diags, const ZwSystem* system, ZwArena* scratch) {
  ZwWalk system_walk, shape_walk;
  zw_walk_init(&system_walk, scratch);
  zw_walk_init(&shape_walk, scratch);
  ZwForm form = {0};
  ZwSummands stack = {0};
  for (int32_t i = 0; i < system->terms.count; i++) {
    /* splitting builds factors into the system's graph; nothing else of the system changes */
    if (!add_pieces(equations, (ZwSystem*)(uintptr_t)system, &system_walk, &stack, i)) return ZW_ERR_MEMORY;
  }
  /* the rows of the motion first, then those of the start, then the quasi-velocities; the values of claims follow those of outputs */
  int32_t* const ends[] = {&equations->m, &equations->m_start, &equations->m_all, &equations->m_all};
  for (int pass = 0; pass < 4; pass++) {
    if (pass == 3) equations->output_count = equations->outputs.count;
    for (int32_t i = 0; i < equations->pieces.count; i++) {
      if (pass_of(system->terms.items[equations->pieces.items[i].term].kind) != pass) continue;
      ZW_TRY(add_element(equations, &form, &system_walk, &shape_walk, diags, i));
    }
    *ends[pass] = equations->rows.count;
  }
  if (equations->m_all > equations->m_start) check_affine(equations, diags);
  place_quantities(equations, diags);
  if (diags->errors > 0) return diags->first_error;
  equations->claim_value_count = equations->outputs.count - equations->output_count;
  equations->event_count = equations->events.count;
  if (!zw_pattern_build(equations) || !zw_islands_find(equations)) return ZW_ERR_MEMORY;
  equations->has_energy = true;
  for (int32_t i = 0; i < system->terms.count; i++) {
    if (system->terms.items[i].kind == ZW_TERM_GIBBS) equations->has_energy = false;
  }
  equations->is_conservative = zw_is_conservative(equations, &system_walk);
  return zw_groups_find(equations, &system_walk) ? ZW_OK : ZW_ERR_MEMORY;
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
