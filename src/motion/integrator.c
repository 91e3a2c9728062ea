/* The table of integrators, and what does not depend on the choice. */
#include "motion/integrator.h"

#include <string.h>

#include "base/alloc.h"
#include "motion/radau.h"
#include "motion/sim.h"

/* ORDER INTEGRATOR; the last two stand in cvode.c */
static const ZwIntegrator integrators[] = {
    {.name = "auto",
     .order = ZW_DOP853_ORDER,
     .work_size = zw_radau_work_size,
     .place = zw_radau_place,
     .step = zw_step_controlled,
     .attempt = zw_explicit_attempt,
     .measure = zw_explicit_measure,
     .dense = zw_explicit_dense,
     .interpolate = zw_explicit_interpolate},
    {.name = "explicit",
     .order = ZW_DOP853_ORDER,
     .step = zw_step_controlled,
     .attempt = zw_explicit_attempt,
     .measure = zw_explicit_measure,
     .dense = zw_explicit_dense,
     .interpolate = zw_explicit_interpolate},
    {.name = "radau",
     .order = ZW_RADAU_ORDER,
     .has_trend = true,
     .is_implicit = true,
     .work_size = zw_radau_work_size,
     .place = zw_radau_place,
     .forget = zw_radau_forget,
     .step = zw_step_controlled,
     .attempt = zw_radau_attempt,
     .measure = zw_radau_measure,
     .dense = zw_radau_dense,
     .interpolate = zw_radau_interpolate,
     .visit = zw_radau_visit},
    {.name = "rattle",
     .order = 2,
     .is_fixed = true,
     .has_own_equations = true,
     .objection = zw_rattle_objection,
     .work_size = zw_rattle_work_size,
     .place = zw_rattle_place,
     .forget = zw_rattle_forget,
     .step = zw_rattle_step,
     .dense = zw_rattle_dense,
     .interpolate = zw_rattle_interpolate,
     .visit = zw_rattle_visit},
};

const ZwIntegrator* zw_integrator(ZwIntegratorKind kind) {
  switch (kind) {
    case ZW_INTEGRATOR_BDF:
      return &zw_bdf;
    case ZW_INTEGRATOR_ADAMS:
      return &zw_adams;
    default:
      return &integrators[kind];
  }
}

ZwIntegratorKind zw_integrator_find(const char* name) {
  int kind = 0;
  while (kind < ZW_INTEGRATOR_COUNT && strcmp(zw_integrator((ZwIntegratorKind)kind)->name, name) != 0) kind++;
  return (ZwIntegratorKind)kind;
}

size_t zw_sim_integrator_size(const ZwProgram* program, ZwIntegratorKind kind) {
  const ZwIntegrator* integrator = zw_integrator(kind);
  return integrator->work_size ? integrator->work_size(program) : 0;
}

ZwStatus zw_sim_set_integrator(ZwSim* sim, ZwIntegratorKind kind) {
  size_t size = zw_sim_integrator_size(sim->program, kind);
  sim->integrator = sim->stepper = zw_integrator(kind);
  if (size == 0) return ZW_OK;
  sim->integrator_memory = zw_alloc(&sim->allocator, size);
  if (!sim->integrator_memory) return ZW_ERR_MEMORY;
  sim->block_size += size;
  sim->integrator->place(sim, sim->integrator_memory);
  return sim->integrator->open ? sim->integrator->open(sim) : ZW_OK;
}

void zw_restart(ZwSim* sim, double span) {
  zw_sizes_restart(sim);
  zw_sizes_note_forces(sim, sim->k[0]);
  zw_sizes_note_state(sim, sim->y);
  zw_singular_begin(sim);
  if (sim->integrator->forget) sim->integrator->forget(sim);
  sim->narrow.width = 0;
  zw_stiffness_forget_rate(sim);
  sim->h_accepted = 0;
  sim->h_next = zw_step_first(sim, span);
}

/* The motion has become stiff: goes on with radau. */
static void take_radau(ZwSim* sim) {
  sim->integrator = &integrators[ZW_INTEGRATOR_RADAU];
  sim->integrator->forget(sim);
  sim->stiff.t = sim->t;
  zw_diag_note(sim->diags, (ZwSpan){0}, "the motion is stiff at t = %s; from there on the integrator is radau",
               zw_when(sim, sim->t, 9).text);
}

void zw_step_choose(ZwSim* sim, double until) {
  bool may_change = sim->integrator == &integrators[ZW_INTEGRATOR_AUTO] && sim->formulation != ZW_FORMULATION_QUASI;
  if (may_change && zw_stiffness_is_found(sim, until)) take_radau(sim);
  bool is_radau = sim->integrator == &integrators[ZW_INTEGRATOR_RADAU];
  /* only the stages of the explicit pair can be projected, as near a singular position they must be (R4) */
  sim->stepper = is_radau && zw_singular_is_ahead(sim) ? &integrators[ZW_INTEGRATOR_EXPLICIT] : sim->integrator;
}

ZwStatus zw_step(ZwSim* sim, double until) {
  zw_step_choose(sim, until);
  return sim->stepper->step(sim, until);
}

ZwStatus zw_step_settle(ZwSim* sim, double t) {
  bool has_lost = false;
  ZwStatus status = zw_eval_rate_projected(sim, t, sim->y_new, sim->k[ZW_DOP853_STAGES]);
  if (status == ZW_ERR_INCONSISTENT && !sim->reason[0]) return zw_singular_refuse(sim, t);
  if (status) return zw_fault_evaluation(sim, status, sim->y_new);
  zw_sizes_note_forces(sim, sim->k[ZW_DOP853_STAGES]);
  sim->near.is_crossing = false;
  if (!zw_singular_may_land(sim)) return zw_singular_refuse(sim, t);
  ZW_TRY(zw_rows_review(sim, sim->pivot_ratio, false, &has_lost));
  if (has_lost) return zw_singular_refuse(sim, t);
  zw_singular_accept(sim);
  return sim->near.is_to_note ? zw_singular_refuse(sim, sim->near.t_singular) : ZW_OK;
}

ZwStatus zw_dense(ZwSim* sim) {
  if (sim->has_dense) return ZW_OK;
  sim->has_dense = true;
  return sim->stepper->dense(sim);
}

void zw_interpolate(const ZwSim* sim, double x, double* y) {
  sim->stepper->interpolate(sim, x, y);
}

static void swap(double** a, double** b) {
  double* c = *a;
  *a = *b;
  *b = c;
}

ZwStatus zw_advance(ZwSim* sim, double t) {
  swap(&sim->y, &sim->y_new);
  swap(&sim->k[0], &sim->k[ZW_DOP853_STAGES]);
  sim->t = t;
  zw_sizes_note_state(sim, sim->y);
  if (!sim->has_next_sets) return ZW_OK;
  /* other rows from here on: the rate at the begin of the next step belongs to them */
  int32_t before = sim->sets[ZW_LEVEL_ACCELERATION].count;
  zw_rows_take_next(sim);
  ZwStatus status = zw_eval_rate_projected(sim, t, sim->y, sim->k[0]);
  if (status) return zw_fault_evaluation(sim, status, sim->y);
  zw_rows_note_rank(sim, before, t);
  zw_singular_begin(sim);
  sim->near.has_other_rows = true;
  return ZW_OK;
}
