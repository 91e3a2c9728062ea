/* Back onto the constraints: positions, then velocities, by the least amount in the mass metric (T22). */
#include <float.h>
#include <math.h>

#include "least/dense.h"
#include "motion/sim.h"

enum { NEWTON_MAX = 12, SIGNS = 4 };

/* Part of the kinetic energy, twice, that may be missing for velocities to be scaled for it. */
#define NEARLY 1e-3

/* What round-off may leave of row i. */
static double floor_of(const ZwSim* sim, int32_t i, const double* x) {
  const ZwPattern* pattern = &sim->equations->A;
  double size = 0;
  for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
    size += fabs(sim->Ax[k] * x[pattern->column[k]]);
  }
  return ZW_ROUND_OFF * DBL_EPSILON * size;
}

/* Residuals are measured by what may be asked of their rows: the tolerance of what their terms come to, but never less than round-off,
 * which is looked at only where the tolerance alone does not settle it. */
typedef struct Worst {
  double off;
  int32_t row;
} Worst;

static const double* sizes_of(const ZwSim* sim, const double* residual) {
  return sim->sizes.row[residual == sim->phi ? ZW_LEVEL_POSITION : ZW_LEVEL_VELOCITY];
}

static inline void look_at(const ZwSim* sim, int32_t i, double of_row, const double* residual, const double* x,
                           Worst* worst) {
  double size = fabs(residual[i]), asked = sim->tol_project * (of_row > 0 ? of_row : sim->scale[i]);
  if (size <= worst->off * asked) return;
  double off = size / (size > asked ? asked + floor_of(sim, i, x) : asked);
  if (off <= worst->off) return;
  worst->off = off;
  worst->row = i;
}

/* The largest residual of the rows up to a level. */
static Worst worst_of_all(const ZwSim* sim, const double* residual, const double* x, ZwLevel level) {
  const double* sizes = sizes_of(sim, residual);
  Worst worst = {0, -1};
  for (int32_t i = 0; i < sim->m; i++) {
    bool holds = sim->equations->rows.items[i].level <= level && zw_rows_is_on(sim, i);
    if (holds) look_at(sim, i, sizes[i], residual, x, &worst);
  }
  return worst;
}

static Worst worst_of_set(const ZwSim* sim, const double* residual, const double* x, const ZwRowSet* set) {
  const double* sizes = sizes_of(sim, residual);
  Worst worst = {0, -1};
  for (int32_t r = 0; r < set->count; r++) look_at(sim, set->rows[r], sizes[set->rows[r]], residual, x, &worst);
  return worst;
}

/* A Newton step for the frozen rows by sparse factors; by orthogonal ones. What neither a row of this level nor a mass
 * holds, such as an angle that only a velocity row determines, stays where it is. */
static bool step_large(ZwSim* sim, const ZwRowSet* set, const double* residual, bool is_first) {
  ZwStatus status = is_first ? zw_large_factor(sim, set) : ZW_OK;
  bool has_factors = status == ZW_OK || status == ZW_ERR_UNDETERMINED;
  return has_factors && zw_sparse_project(sim->large, residual, sim->dx) == ZW_OK;
}

static bool step_dense(ZwSim* sim, const ZwRowSet* set, const double* residual, bool is_first) {
  if (is_first) {
    sim->small.is_ahead = false;
    zw_eval_dense_M(sim);
    zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
    ZwStatus status = zw_least_factor(sim->least, set->count, sim->M, sim->A);
    sim->pivot_projected = status == ZW_ERR_INCONSISTENT ? 0 : zw_rows_pivot_ratio(sim, set);
    if (status && status != ZW_ERR_UNDETERMINED) return false;
  }
  for (int32_t r = 0; r < set->count; r++) sim->rI[r] = residual[set->rows[r]];
  return zw_least_project(sim->least, sim->rI, sim->dx) == ZW_OK;
}

/* By the elimination, as long as it will. */
static bool step_small(ZwSim* sim, const ZwRowSet* set, const double* residual, bool is_first) {
  if (is_first) sim->is_small_projected = zw_small_factor(sim, set);
  if (!sim->is_small_projected) return false;
  sim->pivot_projected = sim->small.pivot_ratio;
  sim->is_small_projected = zw_small_project(sim, set, residual, sim->dx);
  return sim->is_small_projected;
}

/* The factors are made at the first step and kept for the next ones. */
static bool correct(ZwSim* sim, const ZwRowSet* set, const double* residual, double* x, bool is_first) {
  bool was_small = !is_first && sim->is_small_projected;
  if (!step_small(sim, set, residual, is_first)) {
    bool is_new = is_first || was_small;
    bool is_fine = sim->large ? step_large(sim, set, residual, is_new) : step_dense(sim, set, residual, is_new);
    if (!is_fine) return false;
  }
  for (int32_t i = 0; i < sim->n; i++) x[i] += sim->dx[i];
  return true;
}

bool zw_project_direction(ZwSim* sim, const ZwRowSet* set, double* u) {
  enum { TIMES = 2 }; /* once more for what rounding has left */
  const ZwPattern* A = &sim->equations->A;
  for (int k = 0; k < TIMES && set->count > 0; k++) {
    for (int32_t r = 0; r < set->count; r++) {
      int32_t row = set->rows[r];
      double sum = 0;
      for (int32_t j = A->begin[row]; j < A->begin[row + 1]; j++) sum += sim->Ax[j] * u[A->column[j]];
      sim->lm_r[row] = sum;
    }
    if (!correct(sim, set, sim->lm_r, u, k == 0)) return false;
  }
  return true;
}

/* How far rounding of the rows may move each coordinate, with the factors of the last correction: what is small beside another that its
 * mass is coupled to is moved by the rounding of that. By what rows come to with signs drawn at random. */
static bool find_rounding(ZwSim* sim, const ZwRowSet* set, const double* x, double* rounding) {
  double* residual = sim->lm_r;
  uint64_t draw = 1;
  for (int32_t i = 0; i < sim->n; i++) rounding[i] = 0;
  for (int k = 0; k < SIGNS; k++) {
    for (int32_t r = 0; r < set->count; r++) {
      draw = draw * 6364136223846793005u + 1442695040888963407u;
      residual[set->rows[r]] = (draw >> 63 ? 2 : -2) * floor_of(sim, set->rows[r], x);
    }
    bool is_fine = sim->is_small_projected && zw_small_project(sim, set, residual, sim->dx);
    if (!sim->is_small_projected)
      is_fine = sim->large ? step_large(sim, set, residual, false) : step_dense(sim, set, residual, false);
    if (!is_fine) return false;
    for (int32_t i = 0; i < sim->n; i++) rounding[i] = fmax(rounding[i], fabs(sim->dx[i]));
  }
  return true;
}

/* Of the way in sim->dx. */
static double norm_of_way(ZwSim* sim, int32_t first, const double* after) {
  if (sim->near.is_near || sim->near.is_crossing) zw_singular_leave_out(sim, sim->dx);
  return zw_sizes_norm(sim, first, sim->n, sim->dx, after, sim->tolerance + zw_singular_noise(sim));
}

/* ... without what rounding may have done. */
static double norm_without(ZwSim* sim, int32_t first, const double* before, const double* after, const double* less) {
  for (int32_t i = 0; i < sim->n; i++) {
    double way = after[i] - before[i];
    sim->dx[i] = copysign(fmax(fabs(way) - less[i], 0), way);
  }
  return norm_of_way(sim, first, after);
}

/* The size of what projection moved, measured like an error of integration. Rounding is no error of the step: where it would be refused,
 * that is left out. */
static double moved(ZwSim* sim, const ZwRowSet* set, int32_t first, const double* before, const double* after) {
  for (int32_t i = 0; i < sim->n; i++) sim->dx[i] = after[i] - before[i];
  double size = norm_of_way(sim, first, after), *rounding = sim->lm_x + sim->n;
  if (ZW_ERROR_OF_DISPLACEMENT * size <= 1 || set->count == 0) return size;
  return find_rounding(sim, set, after, rounding) ? norm_without(sim, first, before, after, rounding) : size;
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
  Worst worst;
  for (int i = 0;; i++) {
    bool is_finite = level == ZW_LEVEL_POSITION ? zw_eval_position(sim, t, q) : zw_eval_velocity(sim, t, q, v);
    *row = -1;
    if (!is_finite) {
      sim->t_evaluated = t;
      sim->entry_evaluated = level == ZW_LEVEL_POSITION ? ZW_ENTRY_POSITION : ZW_ENTRY_VELOCITY;
      return ZW_PROJECTION_FAILED;
    }
    worst = worst_of_set(sim, residual, x, set);
    *row = worst.row;
    if (i == 0 && worst.off > sim->moved_most) {
      sim->moved_most = worst.off;
      sim->moved_row = worst.row;
    }
    if (is_last || set->count == 0) break;
    if (i == NEWTON_MAX || (i > 2 && worst.off > 0.5 * previous && worst.off > 1)) return ZW_PROJECTION_FAILED;
    is_last = worst.off <= 1;
    previous = worst.off;
    if (!correct(sim, set, residual, x, i == 0)) return ZW_PROJECTION_FAILED;
  }
  sim->displacement = zw_larger(moved(sim, set, x == v ? sim->n : 0, before, x), sim->displacement);
  if (set->count < set->candidates) worst = worst_of_all(sim, residual, x, level);
  *row = worst.row;
  return worst.off > ZW_TOL_DROPPED ? ZW_PROJECTION_DROPPED_ROW : ZW_PROJECTED;
}

/* The velocities that belong to positions a rounding away: how far they are from v. */
static double velocities_beside(ZwSim* sim, double t, double* y, const double* v) {
  int32_t row, n = sim->n;
  double* moved = sim->dx;
  zw_copy(n, v, y + n);
  if (project_level(sim, ZW_LEVEL_VELOCITY, t, y, y + n, &row) == ZW_PROJECTION_FAILED) return 0;
  for (int32_t i = 0; i < n; i++) moved[i] = y[n + i] - v[i];
  return zw_sizes_norm(sim, n, n, moved, v, sim->tolerance);
}

double zw_project_rounding(ZwSim* sim) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_POSITION];
  const double *q = sim->y, *v = sim->y + sim->n;
  double *beside = sim->y_out, *residual = sim->lm_r, most = 0;
  uint64_t draw = 1;
  if (set->count == 0 || sim->formulation == ZW_FORMULATION_QUASI) return 0;
  for (int k = 0; k < SIGNS; k++) {
    if (!zw_eval_position(sim, sim->t, q)) return 0;
    for (int32_t r = 0; r < set->count; r++) {
      draw = draw * 6364136223846793005u + 1442695040888963407u;
      residual[set->rows[r]] = (draw >> 63 ? 1 : -1) * floor_of(sim, set->rows[r], q) / ZW_ROUND_OFF;
    }
    zw_copy(sim->n, q, beside);
    if (!correct(sim, set, residual, beside, true)) return 0;
    for (int32_t i = 0; i < sim->n; i++) sim->dx[i] = beside[i] - q[i];
    most = fmax(most, zw_sizes_norm(sim, 0, sim->n, sim->dx, q, sim->tolerance));
    most = fmax(most, velocities_beside(sim, sim->t, beside, v));
  }
  return most;
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
  Worst worst = worst_of_all(sim, sim->psi, v, ZW_LEVEL_VELOCITY);
  *row = worst.row;
  return worst.off > ZW_TOL_DROPPED ? ZW_PROJECTION_DROPPED_ROW : ZW_PROJECTED;
}

/* By how much each group's energy is off, and v^T M v of it. False: there is no energy. */
static bool measure_energies(ZwSim* sim, double t, const double* q, const double* v, double* off, double* size) {
  const ZwEnergy* energy = &sim->energy;
  ptrdiff_t n = sim->n;
  if (!zw_eval_energy(sim, t, q, v)) return false;
  if (energy->group_count == 1) {
    off[0] = sim->scalars[0] - sim->stats.energy_start - energy->events;
  } else {
    for (int32_t g = 0; g < energy->group_count; g++) {
      off[g] = sim->E_of[g] - sim->C_of[g] - energy->groups[g].start - energy->groups[g].events;
    }
  }
  for (int32_t g = 0; g < energy->group_count; g++) size[g] = 0;
  for (ptrdiff_t k = 0; k < n; k++) {
    double* sum = size + zw_energy_group_of(sim, (int32_t)k);
    for (ptrdiff_t j = 0; j < n; j++) *sum += v[k] * sim->M[k * n + j] * v[j];
  }
  return true;
}

/* The energy of the start, of each group, as one more condition on the velocities. Its gradient by them is M v, so the least change in
 * the mass metric is along v itself, which the constraints of a conservative system allow. */
static void project_energy(ZwSim* sim, double t, const double* q, double* v) {
  enum { STEPS = 3 };
  double *off = sim->sizes.sums, *size = off + sim->n;
  if (!zw_eval_acceleration(sim, t, q, v)) return;
  zw_eval_dense_M(sim);
  for (int i = 0; i < STEPS; i++) {
    if (!measure_energies(sim, t, q, v, off, size)) return;
    for (int32_t k = 0; k < sim->n; k++) {
      int32_t g = zw_energy_group_of(sim, k);
      bool is_near = fabs(off[g]) < NEARLY * size[g]; /* at a turning point the velocities cannot mend it */
      if (is_near) v[k] *= 1 - off[g] / size[g];
    }
  }
}

bool zw_project_is_met(ZwSim* sim, double t, const double* y, int32_t* row) {
  const double* v = zw_velocity(sim, t, y);
  *row = -1;
  if (!zw_eval_position(sim, t, y) || !zw_eval_velocity(sim, t, y, v)) return false;
  Worst of_phi = worst_of_all(sim, sim->phi, y, ZW_LEVEL_POSITION);
  Worst of_psi = worst_of_all(sim, sim->psi, v, ZW_LEVEL_VELOCITY);
  *row = of_phi.off > ZW_TOL_DROPPED || of_psi.row < 0 ? of_phi.row : of_psi.row;
  return of_phi.off <= ZW_TOL_DROPPED && of_psi.off <= ZW_TOL_DROPPED;
}

double zw_project_measure(const ZwSim* sim, const double* q, const double* v, double known) {
  const ZwSizes* sizes = &sim->sizes;
  Worst worst = {known, -1};
  for (int32_t i = 0; i < sim->m; i++) {
    if (sizes->joins[i] == ZW_LEVEL_POSITION) look_at(sim, i, sizes->row[0][i], sim->phi, q, &worst);
    if (sizes->joins[i] <= ZW_LEVEL_VELOCITY) look_at(sim, i, sizes->row[1][i], sim->psi, v, &worst);
  }
  return worst.off;
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
