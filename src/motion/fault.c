/* What went wrong, in the user's words: names of constraints and coordinates, lines and expressions of their text. */
#include <float.h>
#include <math.h>

#include "motion/sim.h"

ZwStr zw_row_name(const ZwSim* sim, int32_t row) {
  return sim->system->terms.items[sim->equations->rows.items[row].term].name;
}

ZwSpan zw_row_span(const ZwSim* sim, int32_t row) {
  return sim->system->terms.items[sim->equations->rows.items[row].term].span;
}

void zw_row_add_line(const ZwSim* sim, int32_t row, ZwText* text) {
  ZwSpan span = zw_row_span(sim, row);
  /* a line of a library says nothing: the part is in the name */
  if (span.file == 1) zw_text_addf(text, "line %d, ", (int)zw_sources_place(sim->diags->sources, span).line);
}

/* ---- values that are not finite ---- */

static const char* describe(const ZwCulprit* c, ZwArena* arena) {
  double a = c->args[0], b = c->args[1];
  switch (c->op) {
    case ZW_OP_DIV:
      return b == 0 ? "division by zero" : zw_format(arena, "division by almost zero (%.3g)", b);
    case ZW_OP_LOG:
      return zw_format(arena, a < 0 ? "the logarithm of a negative number (%.6g)" : "the logarithm of zero", a);
    case ZW_OP_SQRT:
      return zw_format(arena, "the square root of a negative number (%.6g)", a);
    case ZW_OP_POW:
      if (a == 0) return "zero to a negative power";
      return zw_format(arena, a < 0 ? "a negative number (%.6g) to the power %.6g" : "a power too large for a number",
                       a, b);
    case ZW_OP_ASIN:
    case ZW_OP_ACOS:
      return zw_format(arena, "%s of a number outside -1 .. 1 (%.6g)", zw_op_text(c->op), a);
    case ZW_OP_TABLE:
      return zw_format(arena, "a table read outside of its points (at %.6g)", a);
    case ZW_OP_TABLE_FROM:
      return zw_format(arena, "a table read outside of its points (at %.9g)", a + b);
    case ZW_OP_MOD:
      return "a remainder of division by zero";
    default:
      return isnan(c->value) ? "a value that is not a number" : "a value too large for a number";
  }
}

/* The user's expression behind a mark: node mark - 1 of the walk over the element's own expressions. */
static ZwExpr user_expression(ZwSim* sim, const ZwCulprit* culprit, ZwArena* arena) {
  const ZwPiece* piece = &sim->equations->pieces.items[culprit->shape->instance_pieces.items[culprit->instance]];
  ZwExpr roots[2] = {piece->value, piece->rate};
  ZwWalk walk;
  zw_walk_init(&walk, arena);
  if (!zw_walk_collect(&walk, &sim->system->graph, roots, piece->rate.ref ? 2 : 1)) return (ZwExpr){0};
  if (culprit->mark == 0 || culprit->mark > (uint32_t)walk.order.count) return piece->value;
  return (ZwExpr){walk.order.items[culprit->mark - 1]};
}

static ZwStatus report_culprit(ZwSim* sim, const ZwCulprit* culprit, double t, bool is_start, ZwStatus code) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  const ZwPiece* piece = &sim->equations->pieces.items[culprit->shape->instance_pieces.items[culprit->instance]];
  const ZwTerm* term = &sim->system->terms.items[piece->term];
  ZwExpr e = user_expression(sim, culprit, &scratch);
  ZwSpan span = e.ref ? zw_system_span(sim->system, e) : term->span;
  if (!span.file) span = term->span;
  ZwText shown, owner;
  zw_text_init(&shown, &scratch);
  zw_text_init(&owner, &scratch);
  zw_system_print(&shown, sim->system, e.ref ? e : piece->value, 80);
  zw_text_addf(&owner, "%s", zw_term_kind_text(term->kind));
  if (term->name.size) zw_text_addf(&owner, " '%.*s'", ZW_STR_ARGS(term->name));
  zw_diag_error(sim->diags, code, span, "%s at t = %s: %s, or a derivative of it, in the %s",
                describe(culprit, &scratch), zw_when(sim, t, 9).text, zw_text_get(&shown), zw_text_get(&owner));
  if (is_start) zw_diag_remedy(sim->diags, "check the start values and parameters it reads");
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : code;
  zw_arena_destroy(&scratch);
  return status;
}

ZwStatus zw_fault_domain(ZwSim* sim, ZwEntry entry, double t, const double* q, const double* v, bool is_start) {
  ZwStatus code = is_start ? ZW_ERR_START : ZW_ERR_DOMAIN;
  for (int32_t i = 0; i < sim->n; i++) {
    if (isfinite(q[i]) && isfinite(v[i])) continue;
    ZwStr name = sim->system->coords.items[i].name;
    zw_diag_error(sim->diags, code, sim->system->coords.items[i].span,
                  "at t = %s the motion of '%.*s' grew beyond all numbers", zw_when(sim, t, 9).text, ZW_STR_ARGS(name));
    return code;
  }
  sim->state.t = t;
  sim->state.q = q;
  sim->state.v = v;
  sim->state.a = sim->a;
  ZwCulprit culprit = zw_program_culprit(sim->program, entry, &sim->state, INFINITY);
  if (culprit.is_found) return report_culprit(sim, &culprit, t, is_start, code);
  zw_diag_error(sim->diags, code, (ZwSpan){0}, "at t = %s the accelerations have no finite value",
                zw_when(sim, t, 9).text);
  return code;
}

ZwStatus zw_fault_formulation(ZwSim* sim, ZwStatus status, double t) {
  zw_diag_error(sim->diags, status, (ZwSpan){0}, "the formulation '%s' has no answer at t = %s: %s",
                zw_formulation_name(sim->formulation), zw_when(sim, t, 9).text, sim->reason);
  zw_diag_remedy(sim->diags, "'auto' and 'lagrange' ask least of the masses and constraints");
  return status;
}

ZwStatus zw_fault_evaluation(ZwSim* sim, ZwStatus status, const double* y) {
  double t = sim->t_evaluated;
  if (sim->reason[0] && sim->eliminate && status == ZW_ERR_VALUE) return zw_partition_fault(sim, t);
  if (sim->reason[0] && zw_partition_is_lost(sim)) return zw_partition_fault(sim, t);
  if (sim->reason[0]) return zw_fault_formulation(sim, status, t);
  if (sim->formulation == ZW_FORMULATION_QUASI && isnan(zw_velocity(sim, t, y)[0])) return zw_quasi_fault(sim, t, y);
  if (status == ZW_ERR_CONTACT || status == ZW_ERR_VALUE) return zw_friction_fault(sim, status, t);
  if (status == ZW_ERR_UNDETERMINED) return zw_fault_undetermined(sim, t, false);
  if (status == ZW_ERR_INCONSISTENT && sim->large) return zw_large_fault(sim, t, false);
  if (status == ZW_ERR_DOMAIN) return zw_fault_domain(sim, sim->entry_evaluated, t, y, zw_velocity(sim, t, y), false);
  zw_diag_error(sim->diags, status, (ZwSpan){0}, "at t = %s the constraints have become dependent on each other",
                zw_when(sim, sim->t_evaluated, 9).text);
  zw_diag_remedy(sim->diags, "a dead or singular position; look at the results up to this time");
  return status;
}

/* Values a step control cannot follow. */
#define VIOLENT 1e6

bool zw_fault_singular(ZwSim* sim, double t, double h, const double* q, const double* v) {
  ZwCulprit culprit = {0};
  sim->state.q = q;
  sim->state.v = v;
  /* just ahead something may have no value at all: a root of a negative number */
  for (double ahead = fmax(h, DBL_MIN); ahead < 1e-6 * zw_sizes_time(sim) && !culprit.is_found; ahead *= 4) {
    sim->state.t = t + ahead;
    culprit = zw_program_culprit(sim->program, ZW_ENTRY_ACCELERATION, &sim->state, INFINITY);
  }
  sim->state.t = t;
  if (!culprit.is_found) culprit = zw_program_culprit(sim->program, ZW_ENTRY_ACCELERATION, &sim->state, VIOLENT);
  return culprit.is_found && report_culprit(sim, &culprit, t, false, ZW_ERR_DOMAIN) == ZW_ERR_DOMAIN;
}

/* ---- constraints against each other ---- */

/* "a (line 3), b (line 4)" of the independent rows that a dependent one follows from. */
static void add_related(ZwSim* sim, ZwText* text, int32_t row) {
  const ZwRank* rank = sim->rank;
  for (int32_t d = rank ? rank->rank : 0; rank && d < rank->m; d++) {
    if (sim->candidates[rank->order[d]] != row) continue;
    for (int32_t other = 0; other < sim->m; other++) {
      if (!zw_rows_follows(sim, d, other)) continue;
      ZwSpan span = zw_row_span(sim, other);
      zw_text_addf(text, "%s'%.*s'", text->size ? ", " : "", ZW_STR_ARGS(zw_row_name(sim, other)));
      /* a line of a library says nothing */
      if (span.file == 1) zw_text_addf(text, " (line %d)", (int)zw_sources_place(sim->diags->sources, span).line);
    }
  }
}

ZwStatus zw_fault_inconsistent(ZwSim* sim, int32_t row, double off, double t, bool is_start) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText others;
  zw_text_init(&others, &scratch);
  ZwStatus code = is_start ? ZW_ERR_START : ZW_ERR_INCONSISTENT;
  /* decide once more, so that the coefficients belong to this state and all rows */
  if (zw_eval_acceleration(sim, t, sim->y, zw_velocity(sim, t, sim->y)) && zw_rows_decide(sim) == ZW_OK) {
    add_related(sim, &others, row);
  }
  ZwStr name = zw_row_name(sim, row);
  double left = others.size ? zw_rows_left(sim, row) : 0;
  if (left > 0) {
    zw_diag_error(sim->diags, code, zw_row_span(sim, row),
                  "the constraint '%.*s' cannot be met at t = %s: but for %.2g of it, too little to be solved for, it "
                  "says what %s "
                  "says",
                  ZW_STR_ARGS(name), zw_when(sim, t, 9).text, left, zw_text_get(&others));
    zw_diag_remedy(sim->diags, "state what it adds by itself, as the difference of the two, or remove it");
    ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : code;
    zw_arena_destroy(&scratch);
    return status;
  }
  if (others.size) {
    zw_diag_error(sim->diags, code, zw_row_span(sim, row), "the constraint '%.*s' contradicts %s at t = %s",
                  ZW_STR_ARGS(name), zw_text_get(&others), zw_when(sim, t, 9).text);
  } else {
    zw_diag_error(sim->diags, code, zw_row_span(sim, row), "the constraint '%.*s' cannot be met at t = %s",
                  ZW_STR_ARGS(name), zw_when(sim, t, 9).text);
  }
  if (off != 0)
    zw_diag_remedy(sim->diags, "it is off by %.3g; change or remove one of them", off);
  else
    zw_diag_remedy(sim->diags, "change or remove one of them");
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : code;
  zw_arena_destroy(&scratch);
  return status;
}

/* ---- coordinates that nothing determines ---- */

/* A kinetic term that is meant to give the coordinate its inertia, but gives none; NULL if there is none. */
static const ZwTerm* massless_term(const ZwSim* sim, int32_t coord) {
  const ZwEquations* equations = sim->equations;
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    if (shape->kind != ZW_SHAPE_ENERGY) continue;
    for (int32_t i = 0; i < shape->count; i++) {
      const ZwTerm* term = &sim->system->terms.items[equations->pieces.items[shape->instance_pieces.items[i]].term];
      for (int32_t k = 0; k < shape->coords && term->kind == ZW_TERM_KINETIC; k++) {
        if (shape->instance_coords.items[(ptrdiff_t)i * shape->coords + k] == coord) return term;
      }
    }
  }
  return NULL;
}

/* A constraint in force that reads the coordinate, or -1. */
static int32_t row_with(const ZwSim* sim, int32_t coord) {
  const ZwPattern* A = &sim->equations->A;
  for (int32_t i = 0; coord >= 0 && i < sim->m; i++) {
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
      if (A->column[k] == coord && zw_rows_is_on(sim, i)) return i;
    }
  }
  return -1;
}

/* Of those that are not determined together, the first without mass is the one to speak of. */
static int32_t first_undetermined(const ZwSim* sim, const double* z) {
  int32_t first = -1;
  for (int32_t i = sim->n; z && i-- > 0;) {
    if (z[i] == 0) continue;
    bool has_mass = zw_rows_mass(sim, i) > 0;
    if (first < 0 || !has_mass || zw_rows_mass(sim, first) > 0) first = i;
  }
  return first;
}

static void advise_undetermined(ZwSim* sim, const ZwTerm* term, int32_t coord, int32_t row, bool is_start) {
  if (term) {
    zw_diag_remedy(sim->diags, "give it a mass that is not zero");
  } else if (row >= 0 && is_start) {
    zw_diag_remedy(
        sim->diags,
        "start beside that position, or write the constraint so that its derivative by '%.*s' does not vanish there",
        ZW_STR_ARGS(sim->system->coords.items[coord].name));
  } else if (row >= 0) {
    zw_diag_remedy(sim->diags, "the motion may be singular there; look at the results up to this time");
  } else {
    zw_diag_remedy(
        sim->diags,
        "give it a kinetic energy, or a constraint that determines it; where its forces are to balance, state that "
        "as a constraint");
  }
}

ZwStatus zw_fault_undetermined(ZwSim* sim, double t, bool is_start) {
  const double* z = sim->large ? zw_sparse_null_vector(sim->large) : zw_least_null_vector(sim->least);
  ZwStatus code = ZW_ERR_UNDETERMINED;
  int32_t first = first_undetermined(sim, z), count = 0;
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText names;
  zw_text_init(&names, &scratch);
  for (int32_t i = 0; z && i < sim->n; i++) {
    if (z[i] == 0) continue;
    zw_text_addf(&names, "%s'%.*s'", count++ ? ", " : "", ZW_STR_ARGS(sim->system->coords.items[i].name));
  }
  const ZwTerm* term = first >= 0 ? massless_term(sim, first) : NULL;
  ZwSpan span = term ? term->span : first >= 0 ? sim->system->coords.items[first].span : (ZwSpan){0};
  if (term) code = ZW_ERR_MASS;
  int32_t row = term ? -1 : row_with(sim, first);
  ZwText why;
  zw_text_init(&why, &scratch);
  if (row >= 0) {
    zw_text_addf(&why, ": '%.*s' has no inertia, and the constraint '%.*s' does not tell it there",
                 ZW_STR_ARGS(sim->system->coords.items[first].name), ZW_STR_ARGS(zw_row_name(sim, row)));
  } else if (is_start) {
    zw_text_addf(&why, ": %s",
                 term ? "this kinetic energy gives no mass, and no constraint helps"
                      : "there is neither inertia nor a constraint for it");
  }
  if (is_start) {
    zw_diag_error(sim->diags, code, span, "the acceleration of %s is not determined%s", zw_text_get(&names),
                  zw_text_get(&why));
  } else {
    zw_diag_error(sim->diags, code, span, "at t = %s the acceleration of %s is no longer determined%s",
                  zw_when(sim, t, 9).text, zw_text_get(&names), zw_text_get(&why));
  }
  advise_undetermined(sim, term, first, row, is_start);
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : code;
  zw_arena_destroy(&scratch);
  return status;
}
