#include "motion/take_hold.h"

#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/islands.h"
#include "motion/jump.h"
#include "motion/sensitivity.h"

enum { NEWTON_MAX = 100 };

/* ---- what moves ---- */

/* Values that hold less firmly than this have moved, or may have. */
static int32_t firmest_moved(const ZwAssembly* a) {
  int32_t firm = 0;
  for (int32_t i = 0; i < a->n; i++) {
    int32_t turn = zw_assembly_turn(a, i);
    if (a->x[i] != a->typed[i] && turn + 1 > firm) firm = turn + 1;
  }
  return firm;
}

/* ZW_MASS_.. of the island of coordinate i. */
static unsigned masses_around(const ZwSim* sim, const ZwIslands* islands, int32_t i) {
  unsigned flags = 0;
  for (int32_t j = 0; j < sim->n; j++) {
    if (islands->of[j] == islands->of[i]) flags |= sim->equations->masses[j];
  }
  return flags;
}

static ZwStatus refuse_gibbs(ZwSim* sim, int32_t i) {
  zw_diag_error(sim->diags, ZW_ERR_MASS, sim->system->coords.items[i].span,
                "at t = %s the velocity of '%.*s' jumps, and its inertia depends on velocities and comes of a Gibbs "
                "function: it has no momenta, so the jump is not determined",
                zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(sim->system->coords.items[i].name));
  zw_diag_remedy(sim->diags, "write the motion with 'lagrangian' or 'kinetic'");
  return ZW_ERR_MASS;
}

/* Fills jump->held, of which all but the part that was assembled is; *has_moved if a velocity with such a mass has. */
static ZwStatus find_held(ZwSim* sim, const ZwAssembly* a, bool* has_moved) {
  ZwJump* jump = &sim->jump;
  ZwIslands islands = {.of = jump->islands};
  zw_islands_now(sim, ZW_JOIN_INERTIA, NULL, &islands);
  int32_t firm = firmest_moved(a);
  *has_moved = false;
  for (int32_t i = 0; i < sim->n; i++) jump->held[i] = true;
  for (int32_t k = 0; k < a->n; k++) {
    int32_t i = a->coords[k];
    unsigned masses = masses_around(sim, &islands, i);
    bool is_bent = (masses & ZW_MASS_BENT) != 0, moves = a->x[k] != a->typed[k];
    jump->held[i] = !is_bent || zw_assembly_turn(a, k) >= firm;
    if (is_bent && moves && (masses & ZW_MASS_GIBBS)) return refuse_gibbs(sim, i);
    *has_moved = *has_moved || (is_bent && moves);
  }
  return ZW_OK;
}

/* ---- the jump ---- */

/* The independent rows for what moves, in their order, into sim->candidates. */
static ZwStatus find_rows(ZwSim* sim, int32_t count, const int32_t* rows) {
  ZwJump* jump = &sim->jump;
  zw_jump_gather(sim, rows, count, sim->all_rows);
  for (int32_t i = 0; i < count; i++) {
    double size = zw_norm(sim->n, sim->all_rows + (ptrdiff_t)i * sim->n);
    sim->size[i] = size > 0 ? size : 1;
  }
  ZW_TRY(zw_rank_decide(sim->rank, count, sim->n, sim->all_rows, sim->size, NULL));
  jump->row_count = 0;
  for (int32_t i = 0; i < count; i++) {
    for (int32_t r = 0; r < sim->rank->rank; r++) {
      if (sim->rank->order[r] == i) sim->candidates[jump->row_count++] = rows[i];
    }
  }
  jump->rows = sim->candidates;
  return ZW_OK;
}

static ZwStatus open(ZwSim* sim, const ZwAssembly* a, const int32_t* rows) {
  ZwJump* jump = &sim->jump;
  jump->is_fixed = jump->held;
  zw_copy(sim->n, sim->y + sim->n, jump->v_before);
  for (int32_t k = 0; k < a->n; k++) jump->v_before[a->coords[k]] = jump->held[a->coords[k]] ? a->x[k] : a->typed[k];
  zw_copy(sim->n, jump->v_before, jump->v);
  if (!zw_jump_look(sim, jump->v)) return ZW_ERR_DOMAIN;
  zw_copy(sim->n, jump->p, jump->p_before);
  ZW_TRY(find_rows(sim, a->m, rows));
  jump->is_convex = zw_jump_is_positive(sim);
  return ZW_OK;
}

/* What the rows lack, each times more than any impulse. */
static double penalty(const ZwSim* sim) {
  const ZwJump* jump = &sim->jump;
  double largest = 0, lack = 0;
  for (int32_t r = 0; r < jump->row_count; r++) {
    largest = fmax(largest, fabs(sim->lambda[r]));
    lack += fabs(sim->psi[jump->rows[r]]);
  }
  return 2 * largest * lack;
}

/* One Newton step into jump->along, its impulses into sim->lambda. */
static ZwStatus find_step(ZwSim* sim) {
  ZwJump* jump = &sim->jump;
  zw_jump_gather(sim, jump->rows, jump->row_count, sim->A);
  for (int32_t r = 0; r < jump->row_count; r++) sim->bI[r] = -sim->psi[jump->rows[r]];
  for (int32_t j = 0; j < sim->n; j++) jump->h[j] = jump->held[j] ? 0 : jump->p_before[j] - jump->p[j];
  ZW_TRY(zw_least_factor(sim->least, jump->row_count, sim->M, sim->A));
  ZwLeastResult result = {.a = jump->along, .lambda = sim->lambda};
  return zw_least_answer(sim->least, jump->h, sim->bI, &result);
}

static ZwStatus newton(ZwSim* sim) {
  ZwJump* jump = &sim->jump;
  double before = INFINITY;
  for (int k = 0; k < NEWTON_MAX; k++) {
    if (!zw_jump_look(sim, jump->v)) return ZW_ERR_STEP;
    ZW_TRY(find_step(sim));
    bool is_small, is_last = zw_jump_is_last(sim, &before, &is_small);
    double s = is_last ? 1 : zw_jump_step(sim, jump->is_convex && !is_small, penalty(sim));
    if (s == 0) return ZW_ERR_STEP;
    zw_axpy(sim->n, s, jump->along, jump->v);
    if (is_last) return ZW_OK;
  }
  return ZW_ERR_STEP;
}

static ZwStatus refuse(ZwSim* sim, const int32_t* rows) {
  zw_diag_error(sim->diags, ZW_ERR_STEP, zw_row_span(sim, rows[0]),
                "at t = %s no velocities were found that satisfy the constraints from there on and that the "
                "Lagrangian has a value for",
                zw_when(sim, sim->t, 9).text);
  zw_diag_remedy(sim->diags, "can they be reached at all, as a velocity below that of light can?");
  return ZW_ERR_STEP;
}

ZwStatus zw_take_hold(ZwSim* sim, const ZwAssembly* a, double t, const int32_t* rows) {
  ZwJump* jump = &sim->jump;
  bool has_moved = false;
  if (a->m > 0) ZW_TRY(find_held(sim, a, &has_moved));
  if (!has_moved) {
    zw_sensitivity_assembled(sim, a, ZW_LEVEL_VELOCITY, t, rows);
    return ZW_OK;
  }
  zw_sensitivity_hold(sim, a, t, rows);
  ZwStatus status = open(sim, a, rows);
  if (!status) status = newton(sim);
  if (!status) {
    zw_copy(sim->n, jump->v, sim->y + sim->n);
    status = zw_sensitivity_held(sim);
  }
  jump->is_fixed = NULL;
  return status == ZW_ERR_MEMORY ? status : status ? refuse(sim, rows) : ZW_OK;
}
