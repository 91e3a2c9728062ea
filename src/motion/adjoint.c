#include "motion/adjoint.h"

#include <math.h>
#include <string.h>

#include "least/dense.h"

/* ---- columns ---- */

static ptrdiff_t state_size(const ZwSim* sim) {
  return 2 * (ptrdiff_t)sim->n;
}

static ZwStatus find_memories(ZwSim* sim, ZwAdjoint* adjoint, ZwArena* arena) {
  const ZwSystem* system = sim->system;
  adjoint->memory = ZW_NEW(arena, system->params.count + 1, int32_t);
  if (!adjoint->memory) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < system->params.count; i++) {
    if (system->params.items[i].is_memory) adjoint->memory[adjoint->memories++] = i;
  }
  return ZW_OK;
}

static int32_t count_memories(const ZwSim* sim) {
  int32_t count = 0;
  for (int32_t i = 0; i < sim->system->params.count; i++) count += sim->system->params.items[i].is_memory;
  return count;
}

/* What is varied keeps to itself: memories are columns of their own. */
static void keep_base(ZwSensitivity* sensitivity) {
  ZwAdjoint* adjoint = sensitivity->adjoint;
  ptrdiff_t values = sensitivity->values;
  zw_copy(adjoint->varied * values, sensitivity->dvalues, adjoint->base);
  for (ptrdiff_t c = 0; c < adjoint->varied; c++) {
    for (int32_t k = 0; k < adjoint->memories; k++) {
      adjoint->remembered[c * adjoint->memories + k] = adjoint->base[c * values + adjoint->memory[k]];
      adjoint->base[c * values + adjoint->memory[k]] = 0;
    }
  }
}

ZwStatus zw_adjoint_create(ZwSim* sim, const ZwGiven* given, const ZwBy* by, int32_t count, size_t limit) {
  int32_t columns = count + 2 * sim->n + count_memories(sim);
  ZW_TRY(zw_sensitivity_place(sim, columns, count));
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwArena* arena = &sensitivity->arena;
  ZwAdjoint* adjoint = ZW_NEW(arena, 1, ZwAdjoint);
  if (!adjoint) return ZW_ERR_MEMORY;
  sensitivity->adjoint = adjoint;
  adjoint->varied = count;
  ZW_TRY(find_memories(sim, adjoint, arena));
  adjoint->base = ZW_NEW(arena, (ptrdiff_t)count * sensitivity->values + 1, double);
  adjoint->start = ZW_NEW(arena, count * state_size(sim) + 1, double);
  adjoint->remembered = ZW_NEW(arena, (ptrdiff_t)count * adjoint->memories + 1, double);
  ZW_TRY(zw_back_create(sim, arena, &adjoint->back));
  if (arena->failed) return ZW_ERR_MEMORY;
  ZW_TRY(zw_sensitivity_vary(sim, given, by, count));
  keep_base(sensitivity);
  arena->limit = limit > 0 ? arena->bytes + limit : 0;
  return ZW_OK;
}

void zw_adjoint_set_columns(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  const ZwAdjoint* adjoint = sensitivity->adjoint;
  ptrdiff_t values = sensitivity->values, size = state_size(sim), varied = adjoint->varied;
  zw_fill(sensitivity->count * values, 0, sensitivity->dvalues);
  zw_fill(sensitivity->count * size, 0, sensitivity->now);
  zw_copy(varied * values, adjoint->base, sensitivity->dvalues);
  for (ptrdiff_t i = 0; i < size; i++) sensitivity->now[(varied + i) * size + i] = 1;
  for (ptrdiff_t k = 0; k < adjoint->memories; k++) {
    sensitivity->dvalues[(varied + size + k) * values + adjoint->memory[k]] = 1;
  }
  bool was_idle = sensitivity->is_idle;
  sensitivity->is_idle = false;
  zw_sensitivity_refresh(sim);
  sensitivity->is_idle = was_idle;
}

void zw_adjoint_begin(ZwSim* sim) {
  ZwAdjoint* adjoint = sim->sensitivity->adjoint;
  sim->sensitivity->is_idle = true;
  zw_copy(adjoint->varied * state_size(sim), sim->sensitivity->now, adjoint->start);
}

/* ---- the record ---- */

static bool is_same_set(const ZwRowSet* a, const ZwRowSet* b) {
  return a->count == b->count && a->candidates == b->candidates &&
         (a->count == 0 || memcmp(a->rows, b->rows, (size_t)a->count * sizeof(int32_t)) == 0);
}

/* Does what held on the last leg still hold? */
static bool is_same_leg(const ZwSim* sim, const ZwLeg* leg) {
  size_t size = (size_t)sim->system->params.count * sizeof(double);
  if (size > 0 && memcmp(leg->values, sim->values, size) != 0) return false;
  for (int level = 0; level < 3; level++) {
    if (!is_same_set(&leg->sets[level], &sim->sets[level])) return false;
  }
  return true;
}

/* What holds now. */
static ZwStatus note_present(const ZwSim* sim, ZwArena* arena, ZwLeg* leg) {
  leg->values = ZW_NEW(arena, sim->system->params.count + 1, double);
  leg->mu = ZW_NEW(arena, sim->contacts.count + 1, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  zw_copy(sim->system->params.count, sim->values, leg->values);
  if (sim->contacts.rubbing > 0) zw_copy(sim->contacts.count, sim->contacts.sliding.mu, leg->mu);
  for (int level = 0; level < 3; level++) {
    const ZwRowSet* set = &sim->sets[level];
    leg->sets[level] = (ZwRowSet){set->count, set->candidates, ZW_NEW(arena, set->count + 1, int32_t)};
    if (arena->failed) return ZW_ERR_MEMORY;
    if (set->count > 0) memcpy(leg->sets[level].rows, set->rows, (size_t)set->count * sizeof(int32_t));
  }
  return ZW_OK;
}

static ZwStatus open_leg(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwAdjoint* adjoint = sensitivity->adjoint;
  ZwArena* arena = &sensitivity->arena;
  bool has_last = adjoint->legs.count > 0;
  if (has_last && !adjoint->jump && is_same_leg(sim, &adjoint->legs.items[adjoint->legs.count - 1])) return ZW_OK;
  ZwLeg leg = {.first = adjoint->pieces.count, .jump = adjoint->jump};
  adjoint->jump = NULL;
  ZW_TRY(note_present(sim, arena, &leg));
  return ZW_PUSH(arena, &adjoint->legs, leg) ? ZW_OK : ZW_ERR_MEMORY;
}

/* What columns have become is what they make of one change each: the matrix of what lies between this leg and the next. */
static ZwStatus note_jump(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwAdjoint* adjoint = sensitivity->adjoint;
  ptrdiff_t size = state_size(sim), count = sensitivity->count;
  double* jump = ZW_NEW(&sensitivity->arena, (size + adjoint->memories) * count, double);
  if (!jump) return ZW_ERR_MEMORY;
  for (ptrdiff_t c = 0; c < count; c++) {
    for (ptrdiff_t i = 0; i < size; i++) jump[i * count + c] = sensitivity->now[c * size + i];
    for (ptrdiff_t k = 0; k < adjoint->memories; k++) {
      jump[(size + k) * count + c] = sensitivity->dvalues[c * sensitivity->values + adjoint->memory[k]];
    }
  }
  adjoint->jump = jump;
  sensitivity->is_idle = true;
  return ZW_OK;
}

/* By what the numbers of a column of the state, which begins as one change, count at least: by the smallest size of a number beside its
 * own. */
static void find_least(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  const double* unit = sim->sizes.unit;
  double smallest = INFINITY;
  ptrdiff_t size = state_size(sim), varied = sensitivity->adjoint->varied;
  for (ptrdiff_t i = 0; i < size; i++) smallest = unit[i] > 0 ? fmin(smallest, unit[i]) : smallest;
  for (ptrdiff_t c = varied; c < sensitivity->count; c++) {
    double own = c < varied + size ? unit[c - varied] : 0;
    sensitivity->least[c] = own > 0 && isfinite(smallest) ? smallest / own : 1;
  }
}

/* Near singular positions, and over them, the way back is the transpose of the way there. */
static ZwStatus go_along(ZwSim* sim, const ZwPath* path) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity->before) zw_sensitivity_place_steps(sim);
  if (sensitivity->arena.failed) return ZW_ERR_MEMORY;
  ZwPath kept = sensitivity->path;
  sensitivity->path = *path;
  sensitivity->is_idle = false;
  zw_adjoint_set_columns(sim);
  find_least(sim);
  sensitivity->x = sensitivity->x_before = 0;
  sensitivity->has_rate = sensitivity->has_dense = false;
  sensitivity->part = 1;
  zw_path_state(path, 0, sensitivity->y);
  ZwStatus status = zw_sensitivity_project(sim, path->t, sensitivity->y, sensitivity->now);
  if (!status) status = zw_sensitivity_reach(sim, 1);
  sensitivity->path = kept;
  ZW_TRY(status);
  ZW_TRY(note_jump(sim));
  return open_leg(sim);
}

static ZwStatus record(ZwSim* sim, double t_end) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwArena* arena = &sensitivity->arena;
  ZW_TRY(open_leg(sim));
  if (!(t_end > sim->t)) return ZW_OK; /* a switch that is due at once */
  ZwTrackPiece piece = {.path = {.dim = 2 * sim->n}, .is_stiff = sim->stepper->is_implicit};
  piece.path.nodes = ZW_NEW(arena, ZW_PATH_NODES * state_size(sim), double);
  if (arena->failed) return ZW_ERR_MEMORY;
  ZW_TRY(zw_path_record(sim, &piece.path, t_end));
  if (piece.path.is_near && !piece.is_stiff) return go_along(sim, &piece.path);
  return ZW_PUSH(arena, &sensitivity->adjoint->pieces, piece) ? ZW_OK : ZW_ERR_MEMORY;
}

ZwStatus zw_adjoint_record(ZwSim* sim, double t_end) {
  ZwStatus status = record(sim, t_end);
  ZwArena* arena = &sim->sensitivity->arena;
  if (status != ZW_ERR_MEMORY || !arena->limit_reached) return status;
  zw_diag_error(sim->diags, ZW_ERR_LIMIT, (ZwSpan){0},
                "up to t = %s the path that a gradient goes back along takes %.3g GB, which is the limit",
                zw_when(sim, sim->t, 9).text, (double)arena->limit / 1e9);
  zw_diag_remedy(sim->diags, "raise it with --limit memory=..., or ask for --sensitivity, which needs no path");
  return ZW_ERR_LIMIT;
}

ZwStatus zw_adjoint_close_event(ZwSim* sim) {
  return note_jump(sim);
}

ZwStatus zw_adjoint_stop(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwAdjoint* adjoint = sensitivity->adjoint;
  ptrdiff_t columns = sensitivity->count * state_size(sim),
            values = (ptrdiff_t)sensitivity->count * sensitivity->values;
  adjoint->end_columns = ZW_NEW(&sensitivity->arena, columns, double);
  adjoint->end_values = ZW_NEW(&sensitivity->arena, values, double);
  if (sensitivity->arena.failed) return ZW_ERR_MEMORY;
  zw_copy(columns, sensitivity->now, adjoint->end_columns);
  zw_copy(values, sensitivity->dvalues, adjoint->end_values);
  sensitivity->is_event = false;
  sensitivity->is_idle = true;
  return ZW_OK;
}

/* ---- the end ---- */

/* The columns where the run is. */
static void set_end_columns(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  const ZwAdjoint* adjoint = sensitivity->adjoint;
  zw_adjoint_set_columns(sim);
  if (!adjoint->end_columns) return;
  zw_copy(sensitivity->count * state_size(sim), adjoint->end_columns, sensitivity->now);
  zw_copy((ptrdiff_t)sensitivity->count * sensitivity->values, adjoint->end_values, sensitivity->dvalues);
  sensitivity->is_idle = false;
  zw_sensitivity_refresh(sim);
  sensitivity->is_event = true; /* at a time that changes */
}

/* What the number changes by in a direction. */
static ZwStatus vary_number(ZwSim* sim, int32_t column, const ZwDirection* direction, double* change) {
  ZwVariation* variation = &sim->sensitivity->variation;
  int32_t n = sim->n, output = column - 1 - 2 * n;
  bool needs_solve = sim->outputs_need_acceleration || sim->outputs_need_reaction;
  if (output < 0) {
    *change = column - 1 < n ? direction->dq[column - 1] : direction->dv[column - 1 - n];
    return ZW_OK;
  }
  if (needs_solve) {
    ZW_TRY(zw_variation_solve(sim, variation, direction));
    ZW_TRY(zw_variation_reactions(sim, variation));
  }
  zw_variation_outputs(sim, variation, direction);
  *change = variation->douts[output];
  return ZW_OK;
}

/* Where the run ends at its time, this changes with what is varied, and the number goes on along the motion. */
static ZwStatus add_end(ZwSim* sim, int32_t column, double* by_columns) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  int32_t varied = sensitivity->adjoint->varied;
  double rate, *v = sensitivity->y + sim->n, *a = sensitivity->f;
  if (!(zw_max_abs(varied, sensitivity->dend) > 0)) return ZW_OK;
  zw_copy(sim->n, sensitivity->variation.a, a);
  ZwDirection along = {.dt = 1, .dq = v, .dv = a, .dconstants = sensitivity->still};
  ZW_TRY(vary_number(sim, column, &along, &rate));
  zw_axpy(varied, rate, sensitivity->dend, by_columns);
  return ZW_OK;
}

/* What the number changes by along each column. */
static ZwStatus vary_end(ZwSim* sim, int32_t column, bool is_at_end, double* by_columns) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwVariation* variation = &sensitivity->variation;
  int32_t n = sim->n;
  bool needs_solve = sim->outputs_need_acceleration || sim->outputs_need_reaction;
  zw_copy(n, sim->y, sensitivity->y);
  zw_copy(n, zw_velocity(sim, sim->t, sim->y), sensitivity->y + n);
  ZW_TRY(zw_variation_at(sim, variation, sim->t, sensitivity->y));
  if (needs_solve && sim->m > 0) ZW_TRY(zw_reactions(sim));
  for (int32_t c = 0; c < sensitivity->count; c++) {
    ZwDirection direction = zw_sensitivity_direction(sensitivity, c, sensitivity->now);
    ZW_TRY(vary_number(sim, column, &direction, &by_columns[c]));
  }
  return is_at_end ? add_end(sim, column, by_columns) : ZW_OK;
}

/* Columns as weights: direct parts of the gradient, weights on the state, weights on memories. */
static void take_columns(ZwSim* sim, const double* by_columns, double* gradient, double* remembered) {
  const ZwAdjoint* adjoint = sim->sensitivity->adjoint;
  for (int32_t c = 0; c < adjoint->varied; c++) gradient[c] += by_columns[c];
  zw_copy(state_size(sim), by_columns + adjoint->varied, zw_back_state(adjoint->back));
  zw_copy(adjoint->memories, by_columns + adjoint->varied + state_size(sim), remembered);
}

/* ---- the way back ---- */

static void take_leg(ZwSim* sim, const ZwLeg* leg) {
  zw_copy(sim->system->params.count, leg->values, sim->values);
  if (sim->contacts.rubbing > 0) zw_copy(sim->contacts.count, leg->mu, sim->contacts.sliding.mu);
  for (int level = 0; level < 3; level++) {
    ZwRowSet* set = &sim->sets[level];
    set->count = leg->sets[level].count;
    set->candidates = leg->sets[level].candidates;
    if (set->count > 0) memcpy(set->rows, leg->sets[level].rows, (size_t)set->count * sizeof(int32_t));
  }
  zw_sim_set_constants(sim);
  zw_back_refresh(sim);
  if (sim->contacts.rubbing > 0 || sim->host.def) zw_adjoint_set_columns(sim); /* they are gone over by columns */
}

/* The transpose of what the event did. */
static void jump_back(ZwSim* sim, const ZwLeg* leg, double* by_columns, double* gradient, double* remembered) {
  const ZwAdjoint* adjoint = sim->sensitivity->adjoint;
  int32_t count = sim->sensitivity->count;
  ptrdiff_t size = state_size(sim);
  zw_fill(count, 0, by_columns);
  zw_add_transposed((int32_t)size, count, 1, leg->jump, zw_back_state(adjoint->back), by_columns);
  zw_add_transposed(adjoint->memories, count, 1, leg->jump + size * count, remembered, by_columns);
  take_columns(sim, by_columns, gradient, remembered);
}

static ZwStatus go_back_over_leg(ZwSim* sim, int32_t number, double* by_values, double* gradient, double* remembered) {
  const ZwAdjoint* adjoint = sim->sensitivity->adjoint;
  const ZwLeg* leg = &adjoint->legs.items[number];
  int32_t end = number + 1 < adjoint->legs.count ? adjoint->legs.items[number + 1].first : adjoint->pieces.count;
  take_leg(sim, leg);
  for (int32_t i = end - 1; i >= leg->first; i--) {
    ZwStatus status = zw_back_over(sim, &adjoint->pieces.items[i], gradient);
    if (status) return status;
  }
  zw_fill(sim->sensitivity->values, 0, by_values);
  zw_back_collect(sim, by_values);
  for (ptrdiff_t c = 0; c < adjoint->varied; c++) { /* memories do not change in it */
    gradient[c] += zw_dot(sim->sensitivity->values, by_values, adjoint->base + c * sim->sensitivity->values);
  }
  for (int32_t k = 0; k < adjoint->memories; k++) remembered[k] += by_values[adjoint->memory[k]];
  return ZW_OK;
}

static ZwStatus go_back(ZwSim* sim, int32_t column, bool is_at_end, double* scratch, double* gradient) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwAdjoint* adjoint = sensitivity->adjoint;
  double *by_columns = scratch, *by_values = scratch + sensitivity->count,
         *remembered = by_values + sensitivity->values;
  ptrdiff_t size = state_size(sim);
  set_end_columns(sim);
  ZwStatus status = vary_end(sim, column, is_at_end, by_columns);
  sensitivity->is_event = false;
  sensitivity->is_idle = true;
  ZW_TRY(status);
  take_columns(sim, by_columns, gradient, remembered);
  for (int32_t i = adjoint->legs.count - 1; i >= 0; i--) {
    const ZwLeg* leg = &adjoint->legs.items[i];
    ZW_TRY(go_back_over_leg(sim, i, by_values, gradient, remembered));
    if (leg->jump) jump_back(sim, leg, by_columns, gradient, remembered);
  }
  for (ptrdiff_t c = 0; c < adjoint->varied; c++) {
    gradient[c] += zw_dot((int32_t)size, adjoint->start + c * size, zw_back_state(adjoint->back));
    gradient[c] += zw_dot(adjoint->memories, adjoint->remembered + c * adjoint->memories, remembered);
  }
  return ZW_OK;
}

ZwStatus zw_adjoint_gradient(ZwSim* sim, int32_t column, bool is_at_end, double* gradient) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwAdjoint* adjoint = sensitivity->adjoint;
  ZwArena scratch;
  ZwLeg present = {0};
  zw_arena_init(&scratch, &sim->allocator);
  double* numbers = ZW_NEW(&scratch, sensitivity->count + sensitivity->values + adjoint->memories + 1, double);
  zw_fill(adjoint->varied, 0, gradient);
  ZwStatus status = note_present(sim, &scratch, &present);
  if (!status && adjoint->jump) status = open_leg(sim); /* an event that nobody has moved on from */
  if (!status && numbers) status = go_back(sim, column, is_at_end && !adjoint->end_columns, numbers, gradient);
  if (present.sets[2].rows) take_leg(sim, &present);
  if (scratch.failed) status = ZW_ERR_MEMORY;
  zw_arena_destroy(&scratch);
  return status;
}
