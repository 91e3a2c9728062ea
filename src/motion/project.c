/* Back onto the constraints: positions, then velocities, by the least amount in the mass metric (T22). */
#include <float.h>
#include <math.h>

#include "motion/sim.h"

enum { NEWTON_MAX = 12 };

/* Part of the kinetic energy, twice, that may be missing for velocities to be scaled for it. */
#define NEARLY 1e-3

/* What a residual of row i can be asked for: the tolerance, but never less than round-off. */
static double floor_of(const ZwSim* sim, int32_t i, const double* x) {
  const ZwPattern* pattern = &sim->equations->A;
  double size = 0;
  for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
    size += fabs(sim->Ax[k] * x[pattern->column[k]]);
  }
  return ZW_ROUND_OFF * DBL_EPSILON * size;
}

/* Largest residual of the rows up to a level, in units of what may be asked of them; the row it belongs to. */
static double worst(const ZwSim* sim, const double* residual, const double* x, ZwLevel level, int32_t* row) {
  double largest = 0;
  for (int32_t i = 0; i < sim->m; i++) {
    if (sim->equations->rows.items[i].level > level || !zw_rows_is_on(sim, i)) continue;
    double off = fabs(residual[i]) / (sim->tol_project * sim->scale[i] + floor_of(sim, i, x));
    if (!(off <= largest)) {
      largest = off;
      *row = i;
    }
  }
  return largest;
}

static double worst_frozen(const ZwSim* sim, const double* residual, const double* x, const ZwRowSet* set,
                           int32_t* row) {
  double largest = 0;
  for (int32_t r = 0; r < set->count; r++) {
    int32_t i = set->rows[r];
    double off = fabs(residual[i]) / (sim->tol_project * sim->scale[i] + floor_of(sim, i, x));
    if (off <= largest) continue;
    largest = off;
    *row = i;
  }
  return largest;
}

/* One Newton step for the frozen rows; the factors are made at the first step and kept for the next ones. */
static bool correct(ZwSim* sim, const ZwRowSet* set, const double* residual, double* x, bool is_first) {
  if (sim->large) {
    if (is_first && zw_large_factor(sim, set)) return false;
    if (zw_sparse_project(sim->large, residual, sim->dx)) return false;
    for (int32_t i = 0; i < sim->n; i++) x[i] += sim->dx[i];
    return true;
  }
  if (is_first) sim->is_small_projected = zw_small_factor(sim, set);
  if (sim->is_small_projected) {
    sim->pivot_projected = sim->small.pivot_ratio;
    if (zw_small_project(sim, set, residual, sim->dx)) {
      for (int32_t i = 0; i < sim->n; i++) x[i] += sim->dx[i];
      return true;
    }
    sim->is_small_projected = false;
    is_first = true;
  }
  if (is_first) {
    sim->small.is_ahead = false;
    zw_eval_dense_M(sim);
    zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
    ZwStatus status = zw_least_factor(sim->least, set->count, sim->M, sim->A);
    sim->pivot_projected = zw_least_pivot_ratio(sim->least);
    if (status) return false;
  }
  for (int32_t r = 0; r < set->count; r++) sim->rI[r] = residual[set->rows[r]];
  if (zw_least_project(sim->least, sim->rI, sim->dx)) return false;
  for (int32_t i = 0; i < sim->n; i++) x[i] += sim->dx[i];
  return true;
}

/* The size of what projection moved, measured like an error of integration. */
static double moved(ZwSim* sim, const double* before, const double* after) {
  double sum = 0, tolerance = sim->tolerance + zw_singular_noise(sim);
  for (int32_t i = 0; i < sim->n; i++) sim->dx[i] = after[i] - before[i];
  if (sim->near.is_near || sim->near.is_crossing) zw_singular_leave_out(sim, sim->dx);
  for (int32_t i = 0; i < sim->n; i++) {
    double scaled = sim->dx[i] / (tolerance * (1 + fabs(after[i])));
    sum += scaled * scaled;
  }
  return sqrt(sum / (sim->n > 0 ? sim->n : 1));
}

static ZwProjection project_level(ZwSim* sim, ZwLevel level, double t, double* q, double* v, int32_t* row) {
  const ZwRowSet* set = &sim->sets[level];
  double* x = level == ZW_LEVEL_POSITION ? q : v;
  const double* residual = level == ZW_LEVEL_POSITION ? sim->phi : sim->psi;
  if (set->candidates == 0) return ZW_PROJECTED;
  double* before = sim->lm_x;
  for (int32_t i = 0; i < sim->n; i++) before[i] = x[i];
  bool is_last = false; /* one more step after the test is passed */
  double previous = INFINITY;
  for (int i = 0;; i++) {
    bool is_finite = level == ZW_LEVEL_POSITION ? zw_eval_position(sim, t, q) : zw_eval_velocity(sim, t, q, v);
    *row = -1;
    if (!is_finite) {
      sim->t_evaluated = t;
      sim->entry_evaluated = level == ZW_LEVEL_POSITION ? ZW_ENTRY_POSITION : ZW_ENTRY_VELOCITY;
      return ZW_PROJECTION_FAILED;
    }
    double off = worst_frozen(sim, residual, x, set, row);
    if (i == 0 && off > sim->moved_most) {
      sim->moved_most = off;
      sim->moved_row = *row;
    }
    if (is_last || set->count == 0) break;
    if (i == NEWTON_MAX || (i > 2 && off > 0.5 * previous && off > 1)) return ZW_PROJECTION_FAILED;
    is_last = off <= 1;
    previous = off;
    if (!correct(sim, set, residual, x, i == 0)) return ZW_PROJECTION_FAILED;
  }
  sim->displacement = fmax(sim->displacement, moved(sim, before, x));
  return worst(sim, residual, x, level, row) > ZW_TOL_DROPPED ? ZW_PROJECTION_DROPPED_ROW : ZW_PROJECTED;
}

/* Quasi-velocities satisfy the constraints by what they are: only their residual is taken down. */
static ZwProjection measure_velocities(ZwSim* sim, double t, const double* y, int32_t* row) {
  const double* v = zw_velocity(sim, t, y);
  if (!zw_eval_velocity(sim, t, y, v)) {
    sim->t_evaluated = t;
    sim->entry_evaluated = ZW_ENTRY_VELOCITY;
    *row = -1;
    return ZW_PROJECTION_FAILED;
  }
  return worst(sim, sim->psi, v, ZW_LEVEL_VELOCITY, row) > ZW_TOL_DROPPED ? ZW_PROJECTION_DROPPED_ROW : ZW_PROJECTED;
}

/* The energy of the start, as one more condition on the velocities. Its gradient by them is M v, so the least change in
 * the mass metric is along v itself, which the constraints of a conservative system allow. */
static void project_energy(ZwSim* sim, double t, const double* q, double* v) {
  enum { STEPS = 3 };
  int32_t n = sim->n;
  if (!zw_eval_acceleration(sim, t, q, v)) return;
  zw_eval_dense_M(sim);
  for (int i = 0; i < STEPS; i++) {
    double size = 0;
    if (!zw_eval_energy(sim, t, q, v)) return;
    for (ptrdiff_t k = 0; k < n; k++) {
      for (ptrdiff_t j = 0; j < n; j++) size += v[k] * sim->M[k * n + j] * v[j];
    }
    double off = sim->scalars[0] - sim->stats.energy_start;
    if (!(fabs(off) < NEARLY * size)) return; /* at a turning point the velocities cannot mend it */
    for (int32_t k = 0; k < n; k++) v[k] *= 1 - off / size;
  }
}

bool zw_project_is_met(ZwSim* sim, double t, const double* y, int32_t* row) {
  const double* v = zw_velocity(sim, t, y);
  *row = -1;
  if (!zw_eval_position(sim, t, y) || !zw_eval_velocity(sim, t, y, v)) return false;
  return worst(sim, sim->phi, y, ZW_LEVEL_POSITION, row) <= ZW_TOL_DROPPED &&
         worst(sim, sim->psi, v, ZW_LEVEL_VELOCITY, row) <= ZW_TOL_DROPPED;
}

ZwProjection zw_project(ZwSim* sim, double t, double* y, int32_t* row) {
  sim->pivot_projected = 1;
  ZwProjection result = project_level(sim, ZW_LEVEL_POSITION, t, y, y + sim->n, row);
  if (result != ZW_PROJECTED) return result;
  if (sim->formulation == ZW_FORMULATION_QUASI) return measure_velocities(sim, t, y, row);
  result = project_level(sim, ZW_LEVEL_VELOCITY, t, y, y + sim->n, row);
  if (result == ZW_PROJECTED && sim->conserves_energy) project_energy(sim, t, y, y + sim->n);
  return result;
}
