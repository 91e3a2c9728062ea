/* From the start to the end: steps, rows at the times asked for, evidence along the way. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/sensitivity.h"

/* Residuals of the state evaluated last, if they are larger than what is there. */
static void largest_residuals(const ZwSim* sim, double* phi, double* psi) {
  const double *of_phi_all = sim->phi, *of_psi_all = sim->psi;
  double phi_before = *phi, psi_before = *psi;
  int32_t first = 0, m = sim->m; /* that is more: hardly ever is there one */
  while (first < m && fabs(of_phi_all[first]) <= phi_before && fabs(of_psi_all[first]) <= psi_before) first++;
  for (int32_t i = first; i < m; i++) {
    double of_phi = fabs(sim->phi[i]), of_psi = fabs(sim->psi[i]);
    if (!(of_phi > *phi || of_psi > *psi) || !zw_rows_is_on(sim, i)) continue;
    ZwLevel level = sim->equations->rows.items[i].level;
    if (level == ZW_LEVEL_POSITION) *phi = fmax(*phi, of_phi);
    if (level <= ZW_LEVEL_VELOCITY) *psi = fmax(*psi, of_psi);
  }
}

/* ... of the state projected last, y. */
static void record_residuals(ZwSim* sim, const double* y) {
  ZwStats* stats = &sim->stats;
  largest_residuals(sim, &stats->phi_max, &stats->psi_max);
  stats->residual = zw_project_measure(sim, y, y + sim->n, zw_larger(stats->residual, ZW_TOL_DROPPED));
}

static void note_energy(ZwSim* sim, double t) {
  if (sim->has_noted_energy) return;
  sim->has_noted_energy = true;
  zw_diag_note(sim->diags, (ZwSpan){0}, "the energy has no finite value at t = %s; its drift leaves such states out",
               zw_when(sim, t, 9).text);
}

static double work_of(const ZwSim* sim, const double* y) {
  return sim->is_conservative ? 0 : y[2 * sim->n];
}

static void record_energy(ZwSim* sim, double t, const double* y, bool is_start) {
  if (!zw_energy_measure(sim, t, y)) {
    zw_energy_miss(sim, t);
    note_energy(sim, t);
    return;
  }
  ZwStats* stats = &sim->stats;
  double E = sim->scalars[0], T = 0.5 * sim->scalars[1], W = work_of(sim, y);
  if (is_start) {
    stats->energy_start = E;
    /* what positions within tolerance can change: a structure at rest has no energy to measure against */
    double least = 0;
    for (int32_t i = 0; i < sim->n; i++) least += fabs(sim->h[i]) * sim->tolerance * sim->sizes.unit[i];
    stats->energy_scale = least;
  }
  if (is_start) zw_energy_begin(sim);
  stats->energy_scale = zw_larger(stats->energy_scale, zw_larger(fabs(stats->energy_start), fabs(T)));
  zw_energy_record(sim, t, y, W);
}

static void note_output(ZwSim* sim, double t) {
  for (int32_t i = 0; i < sim->equations->output_count && !sim->has_noted_output; i++) {
    if (isfinite(sim->outs[i])) continue;
    const ZwTerm* term = &sim->system->terms.items[sim->equations->outputs.items[i]];
    zw_diag_note(sim->diags, term->span, "the output '%.*s' has no finite value at t = %s", ZW_STR_ARGS(term->name),
                 zw_when(sim, t, 9).text);
    sim->has_noted_output = true;
  }
}

/* Accelerations and multipliers, as far as outputs read them. Only a state within an accepted step comes here, so they
 * exist; at a singular position as a limit. */
static ZwStatus solve_for_outputs(ZwSim* sim, double t, const double* y, bool is_singular) {
  bool needs_reaction = sim->has_forces || sim->outputs_need_reaction;
  if (!needs_reaction && !sim->outputs_need_acceleration) return ZW_OK;
  if (is_singular) return zw_singular_limit(sim, t);
  ZW_TRY(zw_eval_rate_projected(sim, t, y, sim->k[ZW_DOP853_STAGES + 1]));
  return needs_reaction ? zw_reactions(sim) : ZW_OK;
}

/* |phi|, |phi'|, E and W at a state. */
static void measure_row(ZwSim* sim, double t, const double* y, double* to) {
  const double* v = zw_velocity(sim, t, y);
  (void)zw_eval_position(sim, t, y);
  (void)zw_eval_velocity(sim, t, y, v);
  to[0] = to[1] = 0;
  largest_residuals(sim, &to[0], &to[1]);
  bool has_energy = sim->equations->has_energy && zw_energy_measure(sim, t, y);
  if (has_energy) zw_energy_record_row(sim, t, work_of(sim, y));
  to[2] = has_energy ? sim->scalars[0] : NAN;
  to[3] = work_of(sim, y);
}

/* The row of a state whose outputs are known. */
static void fill_row(ZwSim* sim, double t, const double* y) {
  int32_t n = sim->n, outputs = sim->equations->output_count;
  sim->t_row = t;
  sim->row[0] = zw_time(sim, t);
  memcpy(sim->row + 1, y, (size_t)n * sizeof(double));
  memcpy(sim->row + 1 + n, zw_velocity(sim, t, y), (size_t)n * sizeof(double));
  if (outputs > 0) memcpy(sim->row + 1 + 2 * n, sim->outs, (size_t)outputs * sizeof(double));
}

/* Hands out the row of a projected state. */
static ZwStatus emit(ZwSim* sim, const ZwRunPlan* plan, double t, const double* y, bool is_singular) {
  ZwStatus status = solve_for_outputs(sim, t, y, is_singular);
  if (status) return zw_fault_evaluation(sim, status, y);
  int32_t outputs = sim->equations->output_count;
  double* rest = sim->row + 1 + 2 * sim->n + outputs;
  if (sim->has_forces) {
    status = zw_force_parts(sim, is_singular);
    if (status) return zw_fault_evaluation(sim, status, y);
    rest += zw_reactions_row(sim, rest);
  }
  if (sim->equations->quantities) {
    status = zw_quantities(sim, t, y, is_singular);
    if (status) return zw_fault_evaluation(sim, status, y);
  }
  bool has_values = zw_equations_values(sim->equations) > 0;
  if (has_values && !zw_eval_outputs(sim, t, y, zw_velocity(sim, t, y))) note_output(sim, t);
  if (plan->row) ZW_TRY(zw_claims_check(sim, t, y));
  fill_row(sim, t, y);
  if (sim->has_evidence) measure_row(sim, t, y, rest);
  ZW_TRY(zw_sensitivity_row(sim, t, y, is_singular, rest + (sim->has_evidence ? ZW_EVIDENCE : 0)));
  return plan->row ? plan->row(plan->context, sim->row) : ZW_OK;
}

/* A row at one of the times of the plan. */
static ZwStatus emit_sample(ZwSim* sim, const ZwRunPlan* plan, double t, const double* y, bool is_singular) {
  ZW_TRY(emit(sim, plan, t, y, is_singular));
  return plan->look ? plan->look(plan->context, sim, t, y) : ZW_OK;
}

static ZwSamples open_samples(const ZwRunPlan* plan) {
  if (plan->times) {
    int64_t first = plan->time_count > 0 && plan->times[0] <= plan->from ? 1 : 0;
    return (ZwSamples){first, plan->time_count - 1, .times = plan->times};
  }
  double count = (plan->to - plan->from) / plan->every;
  int64_t whole = (int64_t)floor(count * (1 + 4 * DBL_EPSILON));
  /* the end has a row of its own, unless the grid ends there anyway */
  bool grid_ends_there = whole > 0 && fabs(plan->from + (double)whole * plan->every - plan->to) <= 1e-9 * plan->every;
  return (ZwSamples){1, grid_ends_there ? whole : whole + 1, plan->from, plan->every, plan->to, NULL};
}

static double time_of(const ZwSamples* samples, int64_t number) {
  if (samples->times) return samples->times[number];
  return number >= samples->last ? samples->to : samples->from + (double)number * samples->every;
}

static double sample_time(const ZwSamples* samples) {
  return time_of(samples, samples->next);
}

/* The residuals of a sample that is not projected. */
static ZwStatus measure_sample(ZwSim* sim, double t) {
  bool is_finite = zw_eval_position(sim, t, sim->y_out);
  is_finite = zw_eval_velocity(sim, t, sim->y_out, zw_velocity(sim, t, sim->y_out)) && is_finite;
  return is_finite ? ZW_OK : zw_fault_domain(sim, ZW_ENTRY_VELOCITY, t, sim->y_out, sim->y_out + sim->n, false);
}

/* The state at a time inside the pending step, put onto the constraints; at a singular position it is taken as it is. */
static ZwStatus settle_sample(ZwSim* sim, double t, bool* is_singular) {
  double x = (t - sim->t) / sim->h_dense;
  zw_interpolate(sim, x, sim->y_out);
  *is_singular = zw_singular_is_at(sim, t, sim->y_out);
  if (*is_singular) return measure_sample(sim, t);
  int32_t row = -1;
  ZwProjection projection = zw_project(sim, t, sim->y_out, &row);
  if (zw_singular_is_met(sim, t)) {
    *is_singular = true;
    zw_interpolate(sim, x, sim->y_out);
    return measure_sample(sim, t);
  }
  if (projection == ZW_PROJECTED) return ZW_OK;
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s the state between two steps could not be put onto the constraints", zw_when(sim, t, 9).text);
  return ZW_ERR_STEP;
}

/* The rows inside the pending step and at its end. */
static ZwStatus emit_samples(ZwSim* sim, const ZwRunPlan* plan, ZwSamples* samples, double t_end) {
  for (; samples->next <= samples->last; samples->next++) {
    double t = sample_time(samples);
    if (t > t_end) return ZW_OK;
    if (t == t_end) {
      ZW_TRY(emit_sample(sim, plan, t, sim->y_new, false));
      continue;
    }
    ZwStatus status = zw_dense(sim);
    if (status) return zw_fault_evaluation(sim, status, sim->y_out);
    bool is_singular;
    ZW_TRY(settle_sample(sim, t, &is_singular));
    record_residuals(sim, sim->y_out);
    ZW_TRY(emit_sample(sim, plan, t, sim->y_out, is_singular));
  }
  return ZW_OK;
}

/* The rate at the start or after an event. */
static ZwStatus begin_rate(ZwSim* sim) {
  ZwStatus status = zw_eval_rate_projected(sim, sim->t, sim->y, sim->k[0]);
  return status ? zw_fault_evaluation(sim, status, sim->y) : ZW_OK;
}

/* The first step from there. At the end of a plan the caller may go on with a longer one. */
static void begin_steps(ZwSim* sim, const ZwRunPlan* plan) {
  zw_restart(sim, sim->t < plan->to ? plan->to - sim->t : plan->to - plan->from);
}

static ZwStatus restart(ZwSim* sim, const ZwRunPlan* plan) {
  ZW_TRY(begin_rate(sim));
  begin_steps(sim, plan);
  return ZW_OK;
}

/* After an event rows may be others: what was asked of those of the start is asked of them, at the state itself. The search for a first
 * step evaluates a trial state off the constraints, where rows that repeat each other seem to contradict. */
static ZwStatus restart_after(ZwSim* sim, const ZwRunPlan* plan) {
  bool is_paper = sim->formulation != ZW_FORMULATION_AUTO && sim->formulation != ZW_FORMULATION_QUASI;
  if (is_paper) ZW_TRY(zw_start_check_apart(sim)); /* it would say that there is no answer, and not why */
  ZW_TRY(begin_rate(sim));
  ZW_TRY(zw_start_check(sim));
  begin_steps(sim, plan);
  return ZW_OK;
}

static ZwStatus begin(ZwSim* sim, const ZwRunPlan* plan) {
  if (!zw_eval_position(sim, sim->t, sim->y) || !zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n)) {
    return zw_fault_domain(sim, ZW_ENTRY_VELOCITY, sim->t, sim->y, sim->y + sim->n, true);
  }
  record_residuals(sim, sim->y);
  if (sim->formulation == ZW_FORMULATION_QUASI) {
    ZW_TRY(zw_quasi_enter(sim, sim->t, sim->y));
    zw_sizes_enter_quasi(sim);
  }
  record_energy(sim, sim->t, sim->y, true);
  zw_contacts_tell(sim);
  ZW_TRY(zw_sensitivity_begin(sim));
  bool is_wanted = !plan->times || (plan->time_count > 0 && plan->times[0] <= plan->from);
  if (is_wanted) ZW_TRY(emit_sample(sim, plan, sim->t, sim->y, false));
  ZW_TRY(zw_events_begin(sim));
  return restart(sim, plan);
}

/* A row before and a row after, with the same t. What the event takes or gives goes into the account. */
static ZwStatus run_event(ZwSim* sim, const ZwRunPlan* plan, double interval, bool* is_over) {
  char name[ZW_EVENT_NAME];
  zw_events_name(sim, name);
  if (plan->event) plan->event(plan->context, sim->t, name);
  ZwStatus status = emit(sim, plan, sim->t, sim->y, false);
  zw_energy_open(sim);
  if (!status) status = zw_sensitivity_apart(sim, zw_sensitivity_open_event);
  if (!status) status = zw_events_happen(sim, is_over);
  zw_energy_close(sim, name);
  if (!status && !*is_over) status = restart_after(sim, plan);
  if (!status) status = zw_sensitivity_apart(sim, zw_sensitivity_close_event);
  /* what comes back at once must not be stepped over */
  if (interval > 0) sim->h_next = fmin(sim->h_next, interval / 4);
  if (!status) status = emit(sim, plan, sim->t, sim->y, false);
  if (plan->event) plan->event(plan->context, sim->t, "");
  return status;
}

/* A table passes a point: the motion is smooth enough to go on with the same step, and nobody calls it an event. */
static ZwStatus run_quietly(ZwSim* sim, const ZwRunPlan* plan) {
  double h = sim->h_next;
  ZW_TRY(zw_events_pass(sim));
  ZW_TRY(restart(sim, plan));
  sim->h_next = h;
  return ZW_OK;
}

/* ---- step by step ---- */

ZwStatus zw_run_begin(ZwSim* sim, const ZwRunPlan* plan, ZwProgress* progress) {
  sim->plan = plan;
  *progress = (ZwProgress){.samples = open_samples(plan), .until = plan->to};
  if (sim->is_resumed) {
    progress->samples.next = sim->next_sample;
  } else {
    sim->t_event = plan->from;
    ZW_TRY(begin(sim, plan));
  }
  progress->is_over = sim->watch.is_stopped || !(sim->t < plan->to);
  return ZW_OK;
}

/* A motion that ends somewhere, as a fall into a centre does, has such steps too, but they soon are shorter than this part of rounding. */
#define STANDING_LEAST 1e-3
enum { STANDING_MOST = 1000 };

/* So long after the start that a step does not change the time any more. */
static ZwStatus fault_clock(ZwSim* sim) {
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "the clock stands still at t = %s: a step of %.3g is lost beside the %.3g since the start of the run",
                zw_when(sim, sim->t, 9).text, sim->step, sim->t);
  zw_diag_remedy(sim->diags, "begin the run later, or count time in a larger unit");
  return ZW_ERR_STEP;
}

/* What happens in the pending step; it is made again where it is not exact enough up to there. */
static ZwStatus look_for_events(ZwSim* sim, ZwProgress* progress) {
  for (;;) {
    ZW_TRY(zw_quasi_follow(sim));
    ZW_TRY(zw_events_look(sim, &progress->has_event));
    if (!progress->has_event || !zw_cut_is_coarse(sim)) return ZW_OK;
    ZW_TRY(zw_cut_repeat(sim, progress->until));
  }
}

ZwStatus zw_run_look(ZwSim* sim, ZwProgress* progress) {
  ZW_TRY(look_for_events(sim, progress));
  zw_singular_note(sim);
  bool is_last = !progress->has_event && sim->step >= progress->until - sim->t;
  progress->t_end = is_last ? progress->until : sim->t + sim->step;
  bool is_long = sim->step > STANDING_LEAST * DBL_EPSILON * fabs(sim->t);
  bool stands = !progress->has_event && is_long && !(progress->t_end > sim->t);
  progress->standing = stands ? progress->standing + 1 : 0;
  if (progress->standing > STANDING_MOST) return fault_clock(sim);
  sim->stats.steps++;
  record_residuals(sim, sim->y_new);
  record_energy(sim, progress->t_end, sim->y_new, false);
  return zw_sensitivity_open(sim, progress->t_end);
}

bool zw_run_is_sampled(const ZwProgress* progress, int64_t ahead, double* t) {
  const ZwSamples* samples = &progress->samples;
  if (samples->next + ahead > samples->last) return false;
  *t = time_of(samples, samples->next + ahead);
  return *t < progress->t_end;
}

ZwStatus zw_run_hand_sample(ZwSim* sim, ZwProgress* progress, double t, const double* y, bool has_outputs) {
  const ZwRunPlan* plan = sim->plan;
  progress->samples.next++;
  record_residuals(sim, y);
  if (!has_outputs) note_output(sim, t);
  if (plan->row) ZW_TRY(zw_claims_check(sim, t, y));
  fill_row(sim, t, y);
  return plan->row ? plan->row(plan->context, sim->row) : ZW_OK;
}

ZwStatus zw_run_emit(ZwSim* sim, ZwProgress* progress) {
  return emit_samples(sim, sim->plan, &progress->samples, progress->t_end);
}

ZwStatus zw_run_advance(ZwSim* sim, ZwProgress* progress) {
  const ZwRunPlan* plan = sim->plan;
  bool has_event = progress->has_event, is_over = false;
  ZW_TRY(zw_sensitivity_advance(sim));
  ZW_TRY(zw_advance(sim, progress->t_end));
  if (has_event && zw_events_is_quiet(sim)) {
    has_event = false;
    ZW_TRY(run_quietly(sim, plan));
  }
  if (has_event) ZW_TRY(run_event(sim, plan, progress->t_end - sim->t_event, &is_over));
  if (has_event) sim->t_event = progress->t_end;
  sim->next_sample = progress->samples.next;
  progress->is_over = is_over || !(sim->t < plan->to);
  return plan->poll && !plan->poll(plan->context, sim->t) ? ZW_ERR_INTERRUPTED : ZW_OK;
}

ZwStatus zw_run_on(ZwSim* sim, ZwProgress* progress, double until) {
  progress->until = fmin(until, sim->plan->to);
  while (!progress->is_over && sim->t < progress->until) {
    ZW_TRY(zw_step(sim, progress->until));
    ZW_TRY(zw_run_look(sim, progress));
    ZW_TRY(zw_run_emit(sim, progress));
    ZW_TRY(zw_run_advance(sim, progress));
  }
  return ZW_OK;
}

static ZwStatus run_whole(ZwSim* sim, const ZwRunPlan* plan) {
  ZwProgress progress;
  ZW_TRY(zw_run_begin(sim, plan, &progress));
  return zw_run_on(sim, &progress, plan->to);
}

ZwStatus zw_run(ZwSim* sim, const ZwRunPlan* plan) {
  ZwStatus status = run_whole(sim, plan);
  sim->plan = NULL; /* it is the caller's, and may be gone */
  return status;
}

ZwStatus zw_run_change(ZwSim* sim, ZwProgress* progress) {
  zw_energy_open_change(sim);
  ZW_TRY(zw_events_change(sim, &progress->is_over));
  zw_energy_close(sim, "set by the host");
  return progress->is_over ? ZW_OK : restart_after(sim, sim->plan);
}

ZwStatus zw_run_check_claims(ZwSim* sim) {
  ZwStats stats = sim->stats;
  double t = sim->t;
  const double* y = sim->y;
  ZwStatus status = solve_for_outputs(sim, t, y, false);
  if (!status && sim->equations->quantities) status = zw_quantities(sim, t, y, false);
  if (status) {
    status = zw_fault_evaluation(sim, status, y);
  } else {
    (void)zw_eval_outputs(sim, t, y, zw_velocity(sim, t, y)); /* outputs may be without a value */
    status = zw_claims_check_start(sim, t, y);
  }
  sim->stats = stats; /* of the motion */
  return status;
}

ZwStatus zw_run_present(ZwSim* sim) {
  ZwRunPlan nobody = {0};
  return emit(sim, &nobody, sim->t, sim->y, false);
}
