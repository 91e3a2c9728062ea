/* From the start to the end: steps, rows at the times asked for, evidence along the way. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/sim.h"

/* Residuals of the state projected last. */
static void record_residuals(ZwSim* sim) {
  for (int32_t i = 0; i < sim->m; i++) {
    ZwLevel level = sim->equations->rows.items[i].level;
    if (level == ZW_LEVEL_POSITION) sim->stats.phi_max = fmax(sim->stats.phi_max, fabs(sim->phi[i]));
    if (level <= ZW_LEVEL_VELOCITY) sim->stats.psi_max = fmax(sim->stats.psi_max, fabs(sim->psi[i]));
  }
}

static void note_energy(ZwSim* sim, double t) {
  if (sim->has_noted_energy) return;
  sim->has_noted_energy = true;
  zw_diag_note(sim->diags, (ZwSpan){0}, "the energy has no finite value at t = %.9g; its drift leaves such states out", t);
}

static void record_energy(ZwSim* sim, double t, const double* y, bool is_start) {
  if (!zw_eval_energy(sim, t, y, zw_velocity(sim, t, y))) {
    note_energy(sim, t);
    return;
  }
  ZwStats* stats = &sim->stats;
  double E = sim->scalars[1], T = 0.5 * sim->scalars[2], W = sim->equations->is_conservative ? 0 : y[2 * sim->n];
  if (is_start) {
    stats->energy_start = E;
    /* what positions within tolerance can change: a structure at rest has no energy to measure against */
    double least = 0;
    for (int32_t i = 0; i < sim->n; i++) least += fabs(sim->h[i]) * sim->tolerance * (1 + fabs(y[i]));
    stats->energy_scale = least;
  }
  stats->energy_scale = fmax(stats->energy_scale, fmax(fabs(stats->energy_start), fabs(T)));
  stats->energy_off = fmax(stats->energy_off, fabs(E - stats->energy_start - W));
  stats->work_max = fmax(stats->work_max, fabs(W));
}

static void note_output(ZwSim* sim, double t) {
  for (int32_t i = 0; i < sim->equations->output_count && !sim->has_noted_output; i++) {
    if (isfinite(sim->outs[i])) continue;
    const ZwTerm* term = &sim->system->terms.items[sim->equations->outputs.items[i]];
    zw_diag_note(sim->diags, term->span, "the output '%.*s' has no finite value at t = %.9g", ZW_STR_ARGS(term->name),
                 t);
    sim->has_noted_output = true;
  }
}

/* Hands out the row of a projected state. */
static ZwStatus emit(ZwSim* sim, const ZwRunPlan* plan, double t, const double* y) {
  int32_t n = sim->n, outputs = sim->equations->output_count;
  bool needs_reaction = sim->has_forces || sim->outputs_need_reaction;
  /* only a state within an accepted step comes here, so its rate exists; an output may still have none */
  if (needs_reaction || sim->outputs_need_acceleration) {
    ZwStatus status = zw_eval_rate_projected(sim, t, y, sim->k[ZW_DOP853_STAGES + 1]);
    if (status) return zw_fault_evaluation(sim, status, y);
  }
  if (needs_reaction) ZW_TRY(zw_reactions(sim));
  if (sim->has_forces) (void)zw_reactions_row(sim, sim->row + 1 + 2 * n + outputs);
  if (outputs > 0 && !zw_eval_outputs(sim, t, y, zw_velocity(sim, t, y))) note_output(sim, t);
  sim->row[0] = t;
  memcpy(sim->row + 1, y, (size_t)n * sizeof(double));
  memcpy(sim->row + 1 + n, zw_velocity(sim, t, y), (size_t)n * sizeof(double));
  if (outputs > 0) memcpy(sim->row + 1 + 2 * n, sim->outs, (size_t)outputs * sizeof(double));
  if (plan->look) ZW_TRY(plan->look(plan->context, sim, t, y));
  return plan->row ? plan->row(plan->context, sim->row) : ZW_OK;
}

/* Rows are at from + k every, never summed up, and at the end; or at times given. */
typedef struct Samples {
  int64_t next, last;
  double from, every, to;
  const double* times;
} Samples;

static Samples open_samples(const ZwRunPlan* plan) {
  if (plan->times) {
    int64_t first = plan->time_count > 0 && plan->times[0] <= plan->from ? 1 : 0;
    return (Samples){first, plan->time_count - 1, .times = plan->times};
  }
  double count = (plan->to - plan->from) / plan->every;
  int64_t whole = (int64_t)floor(count * (1 + 4 * DBL_EPSILON));
  /* the end has a row of its own, unless the grid ends there anyway */
  bool grid_ends_there = whole > 0 && fabs(plan->from + (double)whole * plan->every - plan->to) <= 1e-9 * plan->every;
  return (Samples){1, grid_ends_there ? whole : whole + 1, plan->from, plan->every, plan->to, NULL};
}

static double sample_time(const Samples* samples) {
  if (samples->times) return samples->times[samples->next];
  return samples->next >= samples->last ? samples->to : samples->from + (double)samples->next * samples->every;
}

/* The rows inside the pending step and at its end. */
static ZwStatus emit_samples(ZwSim* sim, const ZwRunPlan* plan, Samples* samples, double t_end) {
  bool has_dense = false;
  for (; samples->next <= samples->last; samples->next++) {
    double t = sample_time(samples);
    if (t > t_end) return ZW_OK;
    if (t == t_end) {
      ZW_TRY(emit(sim, plan, t, sim->y_new));
      continue;
    }
    ZwStatus status = has_dense ? ZW_OK : zw_explicit_dense(sim);
    if (status) return zw_fault_evaluation(sim, status, sim->y_out);
    has_dense = true;
    zw_explicit_interpolate(sim, (t - sim->t) / sim->step, sim->y_out);
    int32_t row = -1;
    if (zw_project(sim, t, sim->y_out, &row) != ZW_PROJECTED) {
      zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                    "at t = %.9g the state between two steps could not be put onto the constraints", t);
      return ZW_ERR_STEP;
    }
    record_residuals(sim);
    ZW_TRY(emit(sim, plan, t, sim->y_out));
  }
  return ZW_OK;
}

static ZwStatus begin(ZwSim* sim, const ZwRunPlan* plan) {
  if (!zw_eval_position(sim, sim->t, sim->y) || !zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n)) {
    return zw_fault_domain(sim, ZW_ENTRY_VELOCITY, sim->t, sim->y, sim->y + sim->n, true);
  }
  record_residuals(sim);
  if (sim->formulation == ZW_FORMULATION_QUASI) ZW_TRY(zw_quasi_enter(sim, sim->t, sim->y));
  record_energy(sim, sim->t, sim->y, true);
  bool is_wanted = !plan->times || (plan->time_count > 0 && plan->times[0] <= plan->from);
  if (is_wanted) ZW_TRY(emit(sim, plan, sim->t, sim->y));
  ZwStatus status = zw_eval_rate_projected(sim, sim->t, sim->y, sim->k[0]);
  if (status) return zw_fault_evaluation(sim, status, sim->y);
  zw_singular_begin(sim);
  sim->h_next = zw_explicit_first_step(sim, plan->to - plan->from);
  return ZW_OK;
}

ZwStatus zw_run(ZwSim* sim, const ZwRunPlan* plan) {
  Samples samples = open_samples(plan);
  ZW_TRY(begin(sim, plan));
  while (sim->t < plan->to) {
    ZW_TRY(zw_explicit_step(sim, plan->to));
    bool is_last = sim->step >= plan->to - sim->t;
    double t_end = is_last ? plan->to : sim->t + sim->step;
    sim->stats.steps++;
    record_residuals(sim);
    record_energy(sim, t_end, sim->y_new, false);
    ZW_TRY(emit_samples(sim, plan, &samples, t_end));
    ZW_TRY(zw_explicit_advance(sim, t_end));
    if (plan->poll && !plan->poll(plan->context, sim->t)) return ZW_ERR_INTERRUPTED;
  }
  return ZW_OK;
}
