#include "motion/adjoint.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "expr/eval.h"
#include "least/dense.h"

/* ---- what is varied ---- */

static void vary_typed(ZwSim* sim, ZwEvaluator* evaluator, const ZwGiven* given, const ZwBy* by, const double* dvalues,
                       double* dtyped) {
  ZwEnvironment environment = {.params = sim->values};
  for (int32_t i = 0; i < 2 * sim->n; i++) {
    const ZwCoord* coord = &sim->system->coords.items[i % sim->n];
    ZwExpr e = i < sim->n ? coord->start_q : coord->start_v;
    bool is_given = given && !isnan(given->typed[i]);
    if (by->is_start)
      dtyped[i] = i == by->index;
    else if (e.ref && !is_given)
      dtyped[i] = zw_expr_rate(evaluator, &sim->system->graph, e, &environment, dvalues);
  }
}

static double vary_time(const ZwSim* sim, ZwEvaluator* evaluator, ZwExpr e, const double* dvalues) {
  ZwEnvironment environment = {.params = sim->values};
  return e.ref ? zw_expr_rate(evaluator, &sim->system->graph, e, &environment, dvalues) : 0;
}

static ZwStatus vary_all(ZwSim* sim, const ZwGiven* given, int32_t varied) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &scratch);
  evaluator.tables = &sim->system->tables;
  for (ptrdiff_t c = 0; c < varied; c++) {
    double* dvalues = sensitivity->dvalues + c * sensitivity->values;
    const ZwBy* by = &sensitivity->by[c];
    if (!by->is_start) zw_variation_values(sim, &evaluator, given ? given->params : NULL, by->index, dvalues);
    vary_typed(sim, &evaluator, given, &sensitivity->by[c], dvalues, sensitivity->dtyped + c * 2 * sim->n);
    if (!by->is_start) {
      sensitivity->dbegin[c] = vary_time(sim, &evaluator, sim->system->run.from, dvalues);
      sensitivity->dend[c] = vary_time(sim, &evaluator, sim->system->run.to, dvalues);
    }
    double value = fabs((sensitivity->by[c].is_start ? sim->typed : sim->values)[sensitivity->by[c].index]);
    sensitivity->least[c] = value > 0 ? 1 / value : 1;
  }
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : ZW_OK;
  zw_arena_destroy(&scratch);
  return status;
}

void zw_sensitivity_refresh(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity) return;
  zw_variation_constants(sim, &sensitivity->variation, sensitivity->no_values, sensitivity->still);
  sensitivity->has_rate = false;
  if (sensitivity->is_idle) return;
  for (ptrdiff_t c = 0; c < sensitivity->count; c++) {
    zw_variation_constants(sim, &sensitivity->variation, sensitivity->dvalues + c * sensitivity->values,
                           sensitivity->dconstants + c * sensitivity->constants);
  }
}

/* ---- what the motion must not notice ---- */

/* What the last evaluation has left, which the motion may read before its next one; its numbers are in `kept`. */
typedef struct Kept {
  ZwKernelState state;
  ZwSmall small;
  ZwStats stats;
  double t_evaluated, pivot_ratio, pivot_projected;
  ZwEntry entry_evaluated;
  const char* reason;
  bool is_small_projected, is_minimum, has_lambda, is_limit;
} Kept;

typedef struct Numbers {
  double* numbers;
  ptrdiff_t count;
} Numbers;

enum { KEPT_LISTS = 6 };

/* The block of the elimination with all its parts keep for each other, what it was made of, and what stands beside it. */
static void list_kept(const ZwSim* sim, Numbers lists[KEPT_LISTS]) {
  bool is_small = sim->small.is_on;
  lists[0] = (Numbers){sim->block, sim->program->block.size};
  lists[1] = (Numbers){sim->small.M, is_small ? sim->equations->M.count : 0};
  lists[2] = (Numbers){sim->small.A, is_small ? sim->equations->A.count : 0};
  lists[3] = (Numbers){sim->phi, sim->m_all};
  lists[4] = (Numbers){sim->psi, sim->m_all};
  lists[5] = (Numbers){sim->reactions, sim->m};
}

static ptrdiff_t count_kept(const ZwSim* sim) {
  Numbers lists[KEPT_LISTS];
  ptrdiff_t count = 0;
  list_kept(sim, lists);
  for (int i = 0; i < KEPT_LISTS; i++) count += lists[i].count;
  return count;
}

static Kept keep(ZwSim* sim) {
  Numbers lists[KEPT_LISTS];
  double* to = sim->sensitivity->kept;
  list_kept(sim, lists);
  for (int i = 0; i < KEPT_LISTS; to += lists[i++].count) zw_copy(lists[i].count, lists[i].numbers, to);
  return (Kept){sim->state,           sim->small,           sim->stats,  sim->t_evaluated,        sim->pivot_ratio,
                sim->pivot_projected, sim->entry_evaluated, sim->reason, sim->is_small_projected, sim->is_minimum,
                sim->has_lambda,      sim->near.is_limit};
}

static void give_back(ZwSim* sim, const Kept* kept) {
  Numbers lists[KEPT_LISTS];
  const double* from = sim->sensitivity->kept;
  list_kept(sim, lists);
  for (int i = 0; i < KEPT_LISTS; from += lists[i++].count) zw_copy(lists[i].count, from, lists[i].numbers);
  sim->sensitivity->evaluations += sim->stats.evaluations - kept->stats.evaluations;
  sim->stats = kept->stats;
  sim->state = kept->state;
  sim->small = kept->small;
  sim->t_evaluated = kept->t_evaluated;
  sim->pivot_ratio = kept->pivot_ratio;
  sim->pivot_projected = kept->pivot_projected;
  sim->entry_evaluated = kept->entry_evaluated;
  sim->reason = kept->reason;
  sim->is_small_projected = kept->is_small_projected;
  sim->is_minimum = kept->is_minimum;
  sim->has_lambda = kept->has_lambda;
  sim->near.is_limit = kept->is_limit;
}

/* ---- memory ---- */

static void place(ZwSim* sim, ZwSensitivity* sensitivity) {
  ZwArena* arena = &sensitivity->arena;
  ptrdiff_t count = sensitivity->count, n = sim->n, m = sim->m_all;
  sensitivity->by = ZW_NEW(arena, count, ZwBy);
  sensitivity->dvalues = ZW_NEW(arena, count * sensitivity->values + 1, double);
  sensitivity->dconstants = ZW_NEW(arena, count * sensitivity->constants + 1, double);
  sensitivity->dtyped = ZW_NEW(arena, count * 2 * n, double);
  sensitivity->dbegin = ZW_NEW(arena, count + 1, double);
  sensitivity->dend = ZW_NEW(arena, count + 1, double);
  sensitivity->least = ZW_NEW(arena, count, double);
  sensitivity->now = ZW_NEW(arena, sensitivity->size, double);
  sensitivity->path = (ZwPath){.dim = 2 * sim->n, .nodes = ZW_NEW(arena, ZW_PATH_NODES * 2 * n, double)};
  sensitivity->dt = ZW_NEW(arena, count, double);
  sensitivity->f = ZW_NEW(arena, 2 * n, double);
  sensitivity->y = ZW_NEW(arena, sim->dim, double);
  ptrdiff_t together = n + m + sim->contacts.rows;
  sensitivity->dense = ZW_NEW(arena, 4 * together * together + (m + 8) * n + 8 * together, double);
  sensitivity->settled = ZW_NEW(arena, count * n, double);
  sensitivity->dloss = ZW_NEW(arena, sensitivity->count + 1, double);
  sensitivity->dtheta = ZW_NEW(arena, sensitivity->count + 1, double);
  if (sim->jump.is_on) sensitivity->held = ZW_NEW(arena, count * n, double);
  sensitivity->order = ZW_NEW(arena, 3 * together, int32_t);
  sensitivity->values_there = ZW_NEW(arena, sim->equations->event_count + 1, double);
  sensitivity->rates_there = ZW_NEW(arena, sim->equations->event_count + 1, double);
  sensitivity->rights = ZW_NEW(arena, m + 1, double);
  sensitivity->no_values = ZW_NEW(arena, sensitivity->values + 1, double);
  sensitivity->still = ZW_NEW(arena, sensitivity->constants + 1, double);
  sensitivity->kept = ZW_NEW(arena, count_kept(sim) + 1, double);
}

void zw_sensitivity_place_steps(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwArena* arena = &sensitivity->arena;
  ptrdiff_t numbers = 2 * sim->n + sim->equations->output_count + zw_reactions_row(sim, NULL);
  double** all[] = {&sensitivity->before, &sensitivity->out, &sensitivity->e5, &sensitivity->e3};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = ZW_NEW(arena, sensitivity->size, double);
  for (int s = 0; s < ZW_DOP853_STAGES_ALL; s++) sensitivity->k[s] = ZW_NEW(arena, sensitivity->size, double);
  for (int s = 0; s < ZW_STAGES_DENSE; s++) sensitivity->F[s] = ZW_NEW(arena, sensitivity->size, double);
  sensitivity->row = ZW_NEW(arena, 1 + numbers + ZW_EVIDENCE + sensitivity->count * numbers, double);
}

ZwStatus zw_sensitivity_place(ZwSim* sim, int32_t count, int32_t varied) {
  ZwSensitivity* sensitivity = zw_alloc(&sim->allocator, sizeof *sensitivity);
  if (!sensitivity) return ZW_ERR_MEMORY;
  ptrdiff_t numbers = (ptrdiff_t)count * 2 * sim->n;
  *sensitivity = (ZwSensitivity){.count = count,
                                 .n = sim->n,
                                 .values = sim->system->params.count + sim->equations->literals.count,
                                 .size = (numbers + ZW_STAGES_FOUR - 1) & -ZW_STAGES_FOUR,
                                 .part = 1};
  sim->sensitivity = sensitivity;
  zw_arena_init(&sensitivity->arena, &sim->allocator);
  ZW_TRY(zw_variation_create(sim, &sensitivity->arena, &sensitivity->variation));
  sensitivity->constants = zw_variation_constant_count(&sensitivity->variation);
  place(sim, sensitivity);
  if (varied == count) zw_sensitivity_place_steps(sim);
  return sensitivity->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

ZwStatus zw_sensitivity_vary(ZwSim* sim, const ZwGiven* given, const ZwBy* by, int32_t varied) {
  memcpy(sim->sensitivity->by, by, (size_t)varied * sizeof *by);
  sim->block_size += sim->sensitivity->arena.bytes;
  ZW_TRY(vary_all(sim, given, varied));
  zw_sensitivity_refresh(sim);
  return ZW_OK;
}

ZwStatus zw_sensitivity_create(ZwSim* sim, const ZwGiven* given, const ZwBy* by, int32_t count) {
  ZW_TRY(zw_sensitivity_place(sim, count, count));
  sim->row = sim->sensitivity->row;
  return zw_sensitivity_vary(sim, given, by, count);
}

void zw_sensitivity_forget(ZwSim* sim) {
  if (!sim->sensitivity) return;
  ZwSensitivity* sensitivity = sim->sensitivity;
  sim->sensitivity = NULL;
  zw_variation_destroy(&sensitivity->variation);
  if (sensitivity->adjoint) zw_back_destroy(sensitivity->adjoint->back);
  zw_arena_destroy(&sensitivity->arena);
  zw_release(&sim->allocator, sensitivity);
}

/* ---- along the motion ---- */

ZwDirection zw_sensitivity_direction(const ZwSensitivity* sensitivity, int32_t column, const double* X) {
  const double* x = X + (ptrdiff_t)column * 2 * sensitivity->n;
  double dt = sensitivity->is_event ? sensitivity->dt[column] : 0;
  if (sensitivity->is_beginning) dt += sensitivity->dbegin[column];
  return (ZwDirection){.dt = dt,
                       .dq = x,
                       .dv = x + sensitivity->n,
                       .dconstants = sensitivity->dconstants + column * sensitivity->constants};
}

/* On the path lies a singular position that neighbours do not pass. */
static ZwStatus refuse_singular(ZwSim* sim) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText names;
  zw_text_init(&names, &scratch);
  int32_t count = zw_singular_names(sim, &names);
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s the motion passes a singular position%s%s, and with other values of what is varied it would "
                "not: there is no derivative after it",
                zw_when(sim, sim->near.t_singular, 6).text, count > 0 ? " of " : "",
                count > 0 ? zw_text_get(&names) : "");
  zw_diag_remedy(sim->diags, "ask for sensitivities up to that time, with --to, or by what keeps the position");
  zw_arena_destroy(&scratch);
  return ZW_ERR_STEP;
}

static ZwStatus fail(ZwSim* sim, ZwStatus status, double t) {
  if (status == ZW_OK || status == ZW_ERR_MEMORY || status == ZW_ERR_LIMIT) return status;
  if (sim->near.is_crossing) return refuse_singular(sim);
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0}, "at t = %s the sensitivities have no finite value",
                zw_when(sim, t, 9).text);
  zw_diag_remedy(sim->diags,
                 "the motion does not depend smoothly on what is varied there: a singular position, a root or a "
                 "quotient at its end, or an event that is only just touched");
  return ZW_ERR_STEP;
}

ZwStatus zw_sensitivity_apart(ZwSim* sim, ZwStatus (*look)(ZwSim* sim)) {
  if (!sim->sensitivity) return ZW_OK;
  Kept kept = keep(sim);
  int32_t told = sim->diags->list.count;
  ZwStatus status = look(sim);
  give_back(sim, &kept);
  return sim->diags->list.count == told ? fail(sim, status, sim->t) : status;
}

/* From columns at a start whose time changes to those at the time at which it is: S = X - f dt. */
static ZwStatus leave_begin(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ptrdiff_t n = sim->n;
  double* now = sensitivity->now;
  zw_copy(n, sim->y, sensitivity->y);
  zw_copy(n, zw_velocity(sim, sim->t, sim->y), sensitivity->y + n);
  ZW_TRY(zw_variation_at(sim, &sensitivity->variation, sim->t, sensitivity->y));
  for (int32_t c = 0; c < sensitivity->count; c++, now += 2 * n) {
    zw_axpy(sim->n, -sensitivity->dbegin[c], sensitivity->y + n, now);
    zw_axpy(sim->n, -sensitivity->dbegin[c], sensitivity->variation.a, now + n);
  }
  return ZW_OK;
}

ZwStatus zw_sensitivity_begin(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity || sim->is_resumed) return ZW_OK;
  if (sensitivity->status) return fail(sim, sensitivity->status, sim->t);
  sensitivity->is_beginning = false;
  if (zw_max_abs(sensitivity->count, sensitivity->dbegin) > 0) ZW_TRY(zw_sensitivity_apart(sim, leave_begin));
  sensitivity->has_rate = sensitivity->has_path = false;
  sensitivity->part = 1;
  if (sensitivity->adjoint) zw_adjoint_begin(sim);
  return ZW_OK;
}

ZwStatus zw_sensitivity_open(ZwSim* sim, double t_end) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity) return ZW_OK;
  if (sensitivity->status) return fail(sim, sensitivity->status, sim->t); /* its host has changed something */
  ZW_TRY(zw_friction_refuse_derivatives(sim));
  Kept kept = keep(sim);
  bool has_dense = sim->has_dense;
  ZwStatus status =
      sensitivity->adjoint ? zw_adjoint_record(sim, t_end) : zw_path_record(sim, &sensitivity->path, t_end);
  give_back(sim, &kept);
  sim->has_dense = has_dense; /* rows are projected with the masses that making it has left */
  sensitivity->x = sensitivity->x_before = 0;
  sensitivity->is_stiff = sim->stepper->is_implicit;
  sensitivity->has_path = status == ZW_OK;
  sensitivity->has_dense = false;
  return fail(sim, status, sim->t);
}

ZwStatus zw_sensitivity_advance(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity || sensitivity->adjoint) return ZW_OK;
  Kept kept = keep(sim);
  ZwStatus status = zw_sensitivity_reach(sim, 1);
  give_back(sim, &kept);
  sensitivity->has_path = false;
  if (sim->has_next_sets) sensitivity->has_rate = false;
  return fail(sim, status, sensitivity->path.t);
}

/* ---- rows ---- */

static int32_t column_size(const ZwSim* sim) {
  return 2 * sim->n + sim->equations->output_count + (sim->has_forces ? zw_reactions_row(sim, NULL) : 0);
}

int32_t zw_sensitivity_row_size(const ZwSim* sim) {
  return sim->sensitivity && !sim->sensitivity->adjoint ? sim->sensitivity->count * column_size(sim) : 0;
}

static ZwStatus fill_column(ZwSim* sim, int32_t c, bool needs_solve, double* to) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwVariation* variation = &sensitivity->variation;
  ZwDirection direction = zw_sensitivity_direction(sensitivity, c, sensitivity->out);
  int32_t n = sim->n, outputs = sim->equations->output_count;
  zw_copy(n, direction.dq, to);
  zw_copy(n, direction.dv, to + n);
  if (needs_solve) {
    ZW_TRY(zw_variation_solve(sim, variation, &direction));
    ZW_TRY(zw_variation_reactions(sim, variation));
  }
  zw_variation_outputs(sim, variation, &direction);
  zw_copy(outputs, variation->douts, to + 2 * n);
  return sim->has_forces ? zw_variation_forces(sim, variation, to + 2 * n + outputs) : ZW_OK;
}

static ZwStatus fill_row(ZwSim* sim, double t, const double* y, double* to) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  bool needs_solve = sim->has_forces || sim->outputs_need_acceleration || sim->outputs_need_reaction;
  ZW_TRY(zw_sensitivity_project(sim, t, y, sensitivity->out));
  ZW_TRY(zw_variation_at(sim, &sensitivity->variation, t, y));
  if (needs_solve && sim->m > 0) ZW_TRY(zw_reactions(sim));
  for (int32_t c = 0; c < sensitivity->count; c++) {
    ZW_TRY(fill_column(sim, c, needs_solve, to + (ptrdiff_t)c * column_size(sim)));
  }
  return ZW_OK;
}

static ZwStatus reach_row(ZwSim* sim, double t, const double* y, double* to) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  const ZwPath* path = &sensitivity->path;
  double x = sensitivity->has_path ? (t - path->t) / path->h : 1;
  if (sensitivity->has_path) ZW_TRY(zw_sensitivity_reach(sim, x < 1 ? x : 1));
  if (!sensitivity->has_path || x >= sensitivity->x)
    zw_copy(sensitivity->size, sensitivity->now, sensitivity->out);
  else
    ZW_TRY(zw_sensitivity_interpolate(sim, x));
  zw_copy(sim->n, y, sensitivity->y);
  zw_copy(sim->n, zw_velocity(sim, t, y), sensitivity->y + sim->n);
  return fill_row(sim, t, sensitivity->y, to);
}

ZwStatus zw_sensitivity_row(ZwSim* sim, double t, const double* y, bool is_singular, double* to) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity || sensitivity->adjoint) return ZW_OK;
  ptrdiff_t numbers = zw_sensitivity_row_size(sim);
  if (is_singular) { /* nothing is determined there but by limits */
    zw_fill(numbers, NAN, to);
    return ZW_OK;
  }
  Kept kept = keep(sim);
  ZwStatus status = reach_row(sim, t, y, to);
  give_back(sim, &kept);
  return fail(sim, status, t);
}

/* ---- checkpoints ---- */

/* `before`, stages and paths are made anew in every step. */
void zw_sensitivity_visit(ZwSim* sim, ZwPass* pass) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity) return;
  size_t size = (size_t)sensitivity->size * sizeof(double);
  size_t values = (size_t)sensitivity->count * (size_t)sensitivity->values * sizeof(double);
  zw_pass(pass, sensitivity->now, size);
  zw_pass(pass, sensitivity->k[ZW_DOP853_STAGES], size);
  zw_pass(pass, sensitivity->dvalues, values); /* of memories among them */
  zw_pass(pass, &sensitivity->part, sizeof sensitivity->part);
  zw_pass(pass, &sensitivity->has_rate, sizeof sensitivity->has_rate);
  zw_pass(pass, &sensitivity->drift, sizeof sensitivity->drift);
  zw_pass(pass, &sensitivity->steps, sizeof sensitivity->steps);
  zw_pass(pass, &sensitivity->evaluations, sizeof sensitivity->evaluations);
}
