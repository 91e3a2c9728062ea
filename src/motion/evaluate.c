/* Numbers at a state: kernels are run, sparse values become the small dense problem of the frozen rows. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "motion/sim.h"

static void zero(double* x, ptrdiff_t count) {
  if (count > 0) memset(x, 0, (size_t)count * sizeof(double));
}

void zw_eval_at(ZwSim* sim, double t, const double* q, const double* v) {
  sim->state.t = t;
  sim->state.q = q;
  sim->state.v = v;
  sim->state.a = sim->a;
  sim->state.reactions = sim->reactions;
  sim->small.factored = NULL;
}

/* The kernels of accelerations, unchecked. */
static void run_kernels(ZwSim* sim, double t, const double* q, const double* v) {
  zw_eval_at(sim, t, q, v);
  /* M, which is first, may be there to stay */
  int32_t kept = sim->program->is_M_constant ? sim->program->block.A : 0;
  zero(sim->block + kept, sim->program->block.targets - kept);
  sim->stats.evaluations++;
  if (sim->host.def) zw_host_fill_rows(sim);
  zw_program_run(sim->program, ZW_ENTRY_ACCELERATION, &sim->state);
  if (sim->host.def) zw_host_add_force(sim, sim->Q);
}

static bool finish_acceleration(ZwSim* sim) {
  for (int32_t i = 0; i < sim->n; i++) sim->h[i] = sim->hL[i] + sim->Q[i];
  return zw_all_finite(sim->equations->M.count, sim->Mx) && zw_all_finite(sim->equations->A.count, sim->Ax) &&
         zw_all_finite(sim->n, sim->h) && zw_all_finite(sim->m, sim->b) && isfinite(*sim->power);
}

bool zw_eval_acceleration(ZwSim* sim, double t, const double* q, const double* v) {
  run_kernels(sim, t, q, v);
  return finish_acceleration(sim);
}

bool zw_eval_position(ZwSim* sim, double t, const double* q) {
  zw_eval_at(sim, t, q, sim->zero);
  zero(sim->Ax, sim->equations->A.count);
  zero(sim->phi, sim->m_all);
  if (sim->host.def) zw_host_fill_rows(sim);
  zw_program_run(sim->program, ZW_ENTRY_POSITION, &sim->state);
  return zw_all_finite(sim->equations->A.count, sim->Ax) && zw_all_finite(sim->m, sim->phi);
}

bool zw_eval_velocity(ZwSim* sim, double t, const double* q, const double* v) {
  zw_eval_at(sim, t, q, v);
  zero(sim->Ax, sim->equations->A.count);
  zero(sim->psi, sim->m_all);
  if (sim->host.def) zw_host_fill_rows(sim);
  zw_program_run(sim->program, ZW_ENTRY_VELOCITY, &sim->state);
  return zw_all_finite(sim->equations->A.count, sim->Ax) && zw_all_finite(sim->m, sim->psi);
}

bool zw_eval_start(ZwSim* sim, double t, const double* q, const double* v) {
  if (sim->m_start == sim->m) return true;
  zw_eval_at(sim, t, q, v);
  if (sim->host.def) zw_host_fill_rows(sim);
  zw_program_run(sim->program, ZW_ENTRY_START, &sim->state);
  return zw_all_finite(sim->equations->A.count, sim->Ax) && zw_all_finite(sim->m_start, sim->phi) &&
         zw_all_finite(sim->m_start, sim->psi);
}

bool zw_eval_quasi(ZwSim* sim, double t, const double* q, const double* v) {
  zw_eval_at(sim, t, q, v);
  zero(sim->b + sim->m_start, sim->quasi_count);
  if (sim->host.def) zw_host_fill_rows(sim);
  zw_program_run(sim->program, ZW_ENTRY_QUASI, &sim->state);
  return zw_all_finite(sim->equations->A.count, sim->Ax) && zw_all_finite(sim->m_all, sim->psi) &&
         zw_all_finite(sim->quasi_count, sim->b + sim->m_start);
}

bool zw_eval_variation(ZwSim* sim, double t, const double* q, const double* v) {
  zw_eval_at(sim, t, q, v);
  zero(sim->Lv, sim->n);
  zero(sim->Lq, sim->n);
  sim->stats.evaluations++;
  zw_program_run(sim->program, ZW_ENTRY_VARIATION, &sim->state);
  return zw_all_finite(sim->n, sim->Lv) && zw_all_finite(sim->n, sim->Lq);
}

bool zw_eval_energy(ZwSim* sim, double t, const double* q, const double* v) {
  zw_eval_at(sim, t, q, v);
  int32_t last = sim->equations->groups.count;
  zero(sim->E_of, (ptrdiff_t)4 * (last + 1));
  zw_program_run(sim->program, ZW_ENTRY_ENERGY, &sim->state);
  double E = sim->E_of[last], P = sim->P_of[last];
  for (int32_t g = 0; g < last; g++) {
    E += sim->E_of[g];
    P += sim->P_of[g];
  }
  sim->scalars[0] = E;
  sim->scalars[1] = P;
  return isfinite(E) && isfinite(P);
}

bool zw_eval_events(ZwSim* sim, double t, const double* q, const double* v) {
  zw_eval_at(sim, t, q, v);
  zero(sim->watch.values, sim->equations->event_count);
  zw_program_run(sim->program, ZW_ENTRY_EVENT, &sim->state);
  if (sim->watch.ties.count > 0) {
    if (zw_ties_read(sim)) {
      zw_eval_at(sim, t, q, v);
      zero(sim->watch.values, sim->equations->event_count);
      zw_program_run(sim->program, ZW_ENTRY_EVENT, &sim->state);
    }
    zw_ties_hide(sim);
  }
  /* a margin may have no value where the condition that it belongs to is not asked */
  return zw_all_finite(sim->equations->event_count - sim->watch.looks.count, sim->watch.values);
}

bool zw_eval_outputs(ZwSim* sim, double t, const double* q, const double* v) {
  zw_eval_at(sim, t, q, v);
  zero(sim->outs, zw_equations_values(sim->equations));
  zw_program_run(sim->program, ZW_ENTRY_OUTPUT, &sim->state);
  return zw_all_finite(sim->equations->output_count, sim->outs);
}

/* What is outside of the blocks is zero, and stays so. */
static void clear_blocks(ZwSim* sim) {
  const ZwLeastBlocks* blocks = &sim->blocks;
  const ZwPattern* pattern = &sim->equations->M;
  ptrdiff_t n = sim->n;
  for (int32_t k = 0; k < blocks->count; k++) {
    for (int32_t p = blocks->begin[k]; p < blocks->begin[k + 1]; p++) {
      double* row = sim->M + blocks->coords[p] * n;
      for (int32_t r = blocks->begin[k]; r < blocks->begin[k + 1]; r++) row[blocks->coords[r]] = 0;
    }
  }
  for (int32_t k = 0; k < blocks->alone_count; k++) {
    ptrdiff_t j = blocks->alone[k];
    if (pattern->begin[j] == pattern->begin[j + 1]) sim->M[j * n + j] = 0; /* others will be written over */
  }
}

static void clear_masses(ZwSim* sim) {
  if (sim->is_split)
    clear_blocks(sim);
  else
    zero(sim->M, (ptrdiff_t)sim->n * sim->n);
}

void zw_eval_unit_M(ZwSim* sim) {
  ptrdiff_t n = sim->n;
  clear_masses(sim);
  for (ptrdiff_t i = 0; i < n; i++) sim->M[i * n + i] = 1;
}

void zw_eval_dense_M(ZwSim* sim) {
  if (sim->large) return;
  const ZwPattern* pattern = &sim->equations->M;
  ptrdiff_t n = sim->n;
  clear_masses(sim);
  for (int32_t i = 0; i < sim->n; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      int32_t j = pattern->column[k];
      sim->M[i * n + j] = sim->M[j * n + i] = sim->Mx[k];
    }
  }
}

void zw_eval_dense_rows(const ZwSim* sim, const int32_t* rows, int32_t count, double* to) {
  const ZwPattern* pattern = &sim->equations->A;
  ptrdiff_t n = sim->n;
  zero(to, count * n);
  for (int32_t r = 0; r < count; r++) {
    for (int32_t k = pattern->begin[rows[r]]; k < pattern->begin[rows[r] + 1]; k++) {
      to[r * n + pattern->column[k]] = sim->Ax[k];
    }
  }
}

void zw_eval_packed_rows(const ZwSim* sim, const int32_t* rows, int32_t count, double* to) {
  const ZwPattern* pattern = &sim->equations->A;
  zero(to, (ptrdiff_t)count * sim->packed);
  for (int32_t r = 0; r < count; r++) {
    double* row = to + (ptrdiff_t)r * sim->packed;
    for (int32_t k = pattern->begin[rows[r]]; k < pattern->begin[rows[r] + 1]; k++) {
      row[sim->place[pattern->column[k]]] = sim->Ax[k];
    }
  }
}

/* What only some motions need stands apart in the functions that each evaluation calls, so that the others do not pay for its registers. */
#define APART static __attribute__((noinline))

APART const double* velocity_of_quasi(ZwSim* sim, double t, const double* y) {
  if (!zw_quasi_velocity(sim, t, y, y + sim->n, sim->quasi_v)) {
    for (int32_t i = 0; i < sim->n; i++) sim->quasi_v[i] = NAN;
  }
  return sim->quasi_v;
}

const double* zw_velocity(ZwSim* sim, double t, const double* y) {
  return sim->formulation != ZW_FORMULATION_QUASI ? y + sim->n : velocity_of_quasi(sim, t, y);
}

/* ---- solving ---- */

static void gather_rows(ZwSim* sim, const int32_t* rows, int32_t count) {
  zw_eval_dense_M(sim);
  zw_eval_dense_rows(sim, rows, count, sim->A);
  for (int32_t r = 0; r < count; r++) sim->bI[r] = sim->b[rows[r]];
}

ZwStatus zw_eval_refactor(ZwSim* sim) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  gather_rows(sim, set->rows, set->count);
  return zw_least_factor(sim->least, set->count, sim->M, sim->A);
}

/* The production solve. */
static ZwStatus solve_auto(ZwSim* sim) {
  sim->small.is_ahead = false;
  if (sim->large) return zw_large_solve(sim);
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  gather_rows(sim, set->rows, set->count);
  ZwLeastResult result = {.a = sim->a, .lambda = sim->lambda, .Qc = sim->Qc};
  ZW_TRY(zw_least_factor(sim->least, set->count, sim->M, sim->A));
  if (sim->contacts.rubbing > 0) ZW_TRY(zw_friction_add(sim));
  ZW_TRY(zw_least_answer(sim->least, sim->h, sim->bI, &result));
  sim->is_minimum = result.is_minimum;
  sim->pivot_ratio = zw_rows_pivot_ratio(sim, set);
  sim->has_lambda = true;
  return ZW_OK;
}

ZwStatus zw_eval_factors(ZwSim* sim) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  if (!sim->small.is_ahead) return ZW_OK;
  sim->small.is_ahead = false;
  zw_eval_dense_M(sim);
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  return zw_least_factor(sim->least, set->count, sim->M, sim->A);
}

bool zw_eval_metric(ZwSim* sim) {
  if (sim->small.is_ahead) {
    zw_eval_dense_M(sim);
    (void)zw_least_factor(sim->least, 0, sim->M, sim->A);
  }
  return zw_least_has_metric(sim->least);
}

/* The friction of what slips, once it is found, is a force like others. */
ZwStatus zw_eval_friction(ZwSim* sim) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  gather_rows(sim, set->rows, set->count);
  ZW_TRY(zw_least_factor(sim->least, set->count, sim->M, sim->A));
  return zw_friction_add(sim);
}

/* A formulation of the papers, on the frozen rows or on all. */
static ZwStatus solve_paper(ZwSim* sim, bool is_projected) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  int32_t count = set->count;
  if (sim->contacts.rubbing > 0) ZW_TRY(zw_eval_friction(sim));
  if (is_projected) {
    count = 0;
    for (int32_t i = 0; i < sim->m; i++) {
      if (zw_rows_is_on(sim, i)) sim->fresh_rows[count++] = i;
    }
  }
  const int32_t* rows = is_projected ? sim->fresh_rows : set->rows;
  gather_rows(sim, rows, count);
  ZwPaperProblem problem = {.n = sim->n, .m = count, .M = sim->M, .h = sim->h, .A = sim->A, .b = sim->bI};
  problem.scale = zw_rows_scales(sim, rows, count, sim->rI);
  problem.first = sim->eliminate;
  problem.first_count = sim->eliminate_count;
  ZwPaperResult result = {.a = sim->a, .Qc = sim->Qc};
  ZwStatus status = zw_formulation_solve(sim->paper, sim->formulation, 0, &problem, &result);
  sim->reason = result.reason;
  sim->dependent = result.dependent;
  sim->is_minimum = result.is_minimum;
  sim->pivot_ratio = fmin(result.kept, 1);
  sim->has_lambda = false;
  return status || sim->eliminate_count == 0 ? status : zw_partition_keep(sim);
}

static bool has_host_force(const ZwSim* sim) {
  return sim->host.def && sim->host.def->force;
}

/* W' = (Q + Qc) . v - dL/dt, of the coordinates on which work is done: what rounding leaves of constraints elsewhere is none. */
static double power_of(const ZwSim* sim, const double* v) {
  const double *Q = sim->Q, *Qc = sim->Qc;
  double power = *sim->power;
  bool is_everywhere = has_host_force(sim);
  for (int32_t i = 0; i < sim->n; i++) {
    if (is_everywhere || zw_groups_is_worked_on(sim->equations, i)) power += (Q[i] + Qc[i]) * v[i];
  }
  return power;
}

/* At a singular start: the limit along its branch. */
static void take_limit(ZwSim* sim) {
  ptrdiff_t n = sim->n;
  memcpy(sim->a, sim->near.limit, (size_t)n * sizeof(double));
  memcpy(sim->Qc, sim->near.limit + n, (size_t)n * sizeof(double));
  sim->pivot_ratio = 1;
  sim->has_lambda = false;
  zw_eval_dense_M(sim);
}

/* Accelerations by what does not leave it to the elimination, from the kernels that have run. */
APART ZwStatus solve_otherwise(ZwSim* sim, double t, const double* y, const double* v, bool is_projected,
                               double* rate) {
  int32_t n = sim->n;
  if (!finish_acceleration(sim)) return ZW_ERR_DOMAIN;
  rate[2 * n] = 0;
  switch (sim->near.is_limit ? ZW_FORMULATION_COUNT : sim->formulation) {
    case ZW_FORMULATION_COUNT:
      take_limit(sim);
      break;
    case ZW_FORMULATION_AUTO:
      ZW_TRY(solve_auto(sim));
      break;
    case ZW_FORMULATION_QUASI:
      ZW_TRY(zw_quasi_solve(sim, t, y, v, rate + n));
      break;
    default:
      ZW_TRY(solve_paper(sim, is_projected));
      break;
  }
  if (sim->formulation != ZW_FORMULATION_QUASI) memcpy(rate + n, sim->a, (size_t)n * sizeof(double));
  rate[2 * n] = power_of(sim, v);
  return ZW_OK;
}

static ZwStatus rate_of(ZwSim* sim, double t, const double* y, bool is_projected, double* rate) {
  int32_t n = sim->n;
  sim->t_evaluated = t;
  sim->entry_evaluated = ZW_ENTRY_ACCELERATION;
  sim->reason = "";
  const double* v = zw_velocity(sim, t, y);
  if (sim->contacts.rubbing > 0) ZW_TRY(zw_friction_look(sim, t, y, v));
  run_kernels(sim, t, y, v);
  memcpy(rate, v, (size_t)n * sizeof(double));
  sim->near.is_limit = sim->near.has_limit && t == sim->near.t_limit;
  if (sim->near.is_limit || !zw_small_solve(sim)) return solve_otherwise(sim, t, y, v, is_projected, rate);
  memcpy(rate + n, sim->a, (size_t)n * sizeof(double));
  rate[2 * n] = has_host_force(sim) ? power_of(sim, v) : sim->block[sim->program->block.work];
  return ZW_OK;
}

ZwStatus zw_eval_rate(ZwSim* sim, double t, const double* y, double* rate) {
  return rate_of(sim, t, y, false, rate);
}

ZwStatus zw_eval_rate_projected(ZwSim* sim, double t, const double* y, double* rate) {
  return rate_of(sim, t, y, true, rate);
}
