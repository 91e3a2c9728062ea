/* A run that its host looks at, and acts on, on the way. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "zwang/handles.h"

/* ---- going on ---- */

/* A run that nobody said the end of ends where it is asked to go, until it is asked again. */
static void stretch(ZwRun* run, double t) {
  double to = t - run->sim->epoch;
  run->plan.to = run->report.span = to;
  run->plan.end = run->report.to = t;
  run->progress.samples = (ZwSamples){.next = 1, .last = 1, .every = to, .to = to};
  run->progress.is_over = run->sim->watch.is_stopped || !(run->sim->t < to);
}

static ZwStatus begin(ZwRun* run, double t) {
  if (isnan(run->report.to)) {
    run->is_endless = true;
    run->report.to = t;
    run->report.every = run->report.span = t - run->report.from;
  }
  zw_run_make_plan(run);
  run->is_under_way = true;
  return zw_run_begin(run->sim, &run->plan, &run->progress);
}

/* What the host computes may be another thing since it was asked last; the length of the step stays. */
static ZwStatus ask_host_again(ZwRun* run) {
  double h = run->sim->h_next;
  ZW_TRY(zw_run_change(run->sim, &run->progress));
  run->sim->h_next = h;
  return ZW_OK;
}

static ZwStatus refuse_time(ZwRun* run, double t) {
  bool is_number = !isnan(t) && (isfinite(t) || !(isnan(run->report.to) || run->is_endless));
  if (is_number && t >= zw_time(run->sim, run->sim->t) && !run->is_spent) return ZW_OK;
  if (run->is_spent)
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "the run was moved to its end by others and cannot go on");
  else if (!is_number)
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "the time to go on to must be a finite number");
  else
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                  "the run is at t = %.17g and does not go back to t = %.17g", zw_time(run->sim, run->sim->t), t);
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_ERR_ARGUMENT;
}

/* A time on the clock of the model, counted as the motion does; what was read from there comes back as it was. */
static double since_begin(const ZwRun* run, double t) {
  if (t >= run->report.to) return run->plan.to;
  return fmax(t - run->sim->epoch, run->sim->t);
}

ZwStatus zw_run_move(ZwRun* run, double t) {
  if (run->status) return run->status;
  ZW_TRY(refuse_time(run, t));
  if (!run->is_under_way) {
    ZwStatus status = begin(run, t);
    if (status) return zw_run_end(run, status);
  } else {
    if (run->is_endless && t > run->report.to) stretch(run, t);
    if (run->sim->host.def && t > zw_time(run->sim, run->sim->t) && !run->progress.is_over) {
      ZwStatus status = ask_host_again(run);
      if (status) return zw_run_end(run, status);
    }
  }
  ZwStatus status = zw_run_on(run->sim, &run->progress, since_begin(run, t));
  bool has_ended = !status && run->progress.is_over && !run->is_endless;
  if (!has_ended) return zw_run_end(run, status);
  ZW_TRY(zw_run_end(run, zw_run_pass_verdict(run)));
  return zw_run_pass_claims(run);
}

ZwStatus zw_run_to(ZwRun* run, double t) {
  ZW_CHECK(zw_run_enter(run));
  return zw_run_leave(run, zw_run_move(run, t));
}

/* ---- other values ---- */

int32_t zw_run_find_value(const ZwRun* run, ZwStr name) {
  const ZwSystem* system = &run->model->system;
  for (int32_t i = 0; i < system->params.count; i++) {
    if (!system->params.items[i].is_hidden && zw_str_equal(system->params.items[i].name, name)) return i;
  }
  return -1;
}

ZwStatus zw_run_refuse_value(ZwRun* run, const char* name, const char* why) {
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "'%s' cannot be changed: %s", name, why);
  return ZW_ERR_ARGUMENT;
}

ZwStatus zw_run_give_value(ZwRun* run, int32_t index, double value) {
  ZwSim* sim = run->sim;
  const ZwSystem* system = &run->model->system;
  run->given[index] = value;
  for (int32_t i = 0; i < system->params.count; i++) {
    const ZwParam* param = &system->params.items[i];
    bool is_kept = param->is_hidden || (param->is_memory && i != index);
    if (is_kept) run->given[i] = sim->values[i];
  }
  return zw_sim_set_values(sim, run->given);
}

static ZwStatus set_value(ZwRun* run, const char* name, double value) {
  if (run->status) return run->status;
  int32_t index = zw_run_find_value(run, zw_str_from(name));
  if (index < 0) return zw_run_refuse_value(run, name, "the model has no parameter or memory of this name");
  if (!isfinite(value)) return zw_run_refuse_value(run, name, "its value must be a finite number");
  if (run->model->system.params.items[index].is_structural) {
    return zw_run_refuse_value(run, name, "it decides what the model is made of: another value is another model");
  }
  if (!run->is_under_way) return zw_run_refuse_value(run, name, "the run has not begun; give it with ZwRunDef.changes");
  if (run->is_spent) return zw_run_refuse_value(run, name, "the run was moved to its end by others and cannot go on");
  if (run->def.sensitivity_count > 0) {
    return zw_run_refuse_value(run, name,
                               "the run follows sensitivities, and how what its host sets depends on what is varied is "
                               "not known");
  }
  double before = run->sim->values[index], given = run->given[index];
  ZwStatus status = zw_run_give_value(run, index, value);
  if (!status && zw_run_check_choices(run) == ZW_ERR_ARGUMENT) { /* as it was */
    status = zw_run_give_value(run, index, before);
    run->given[index] = given;
    return status ? zw_run_end(run, status) : ZW_ERR_ARGUMENT;
  }
  if (!status) status = zw_run_change(run->sim, &run->progress);
  return zw_run_end(run, status);
}

ZwStatus zw_run_set(ZwRun* run, const char* name, double value) {
  ZW_CHECK(name && zw_run_enter(run));
  return zw_run_leave(run, set_value(run, name, value));
}

/* ---- looking ---- */

ZwStatus zw_run_look_at(ZwRun* run, ZwStatus (*look)(ZwSim* sim)) {
  ZwSim* sim = run->sim;
  ZwFormulation formulation = sim->formulation;
  bool is_early = formulation == ZW_FORMULATION_QUASI && !run->is_under_way; /* y holds velocities until it begins */
  if (is_early) sim->formulation = ZW_FORMULATION_AUTO;
  ZwStatus status = look(sim);
  sim->formulation = formulation;
  return status;
}

static ZwStatus read_row(ZwRun* run, double* row) {
  if (run->status) return run->status;
  ZW_TRY(zw_run_look_at(run, zw_run_present));
  memcpy(row, run->sim->row, (size_t)zw_run_column_count(run) * sizeof(double));
  return ZW_OK;
}

ZwStatus zw_run_read(ZwRun* run, double* row) {
  ZW_CHECK(row && zw_run_enter(run));
  return zw_run_leave(run, read_row(run, row));
}

static void copy(double* to, const double* from, ptrdiff_t count) {
  if (to && count > 0) memcpy(to, from, (size_t)count * sizeof(double));
}

static void fill_A(const ZwSim* sim, double* to) {
  const ZwPattern* pattern = &sim->equations->A;
  memset(to, 0, (size_t)sim->m * (size_t)sim->n * sizeof(double));
  for (int32_t i = 0; i < sim->m; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      to[(ptrdiff_t)i * sim->n + pattern->column[k]] = sim->Ax[k];
    }
  }
}

static void fill_M(const ZwSim* sim, double* to) {
  const ZwPattern* pattern = &sim->equations->M;
  ptrdiff_t n = sim->n;
  memset(to, 0, (size_t)(n * n) * sizeof(double));
  for (int32_t i = 0; i < sim->n; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      int32_t j = pattern->column[k];
      to[i * n + j] = to[j * n + i] = sim->Mx[k];
    }
  }
}

static ZwStatus fill_residuals(ZwSim* sim, double t, const double* q, const double* v, const ZwEvaluation* values) {
  if (values->phi && !zw_eval_position(sim, t, q)) return ZW_ERR_DOMAIN;
  copy(values->phi, sim->phi, sim->m);
  if (values->psi && !zw_eval_velocity(sim, t, q, v)) return ZW_ERR_DOMAIN;
  copy(values->psi, sim->psi, sim->m);
  return ZW_OK;
}

/* The room for them is made once. */
static ZwStatus fill_slopes(ZwRun* run, double t, const double* y, const ZwEvaluation* values) {
  ZwSim* sim = run->sim;
  if (sim->large) {
    zw_diag_error(&run->diags, ZW_ERR_UNSUPPORTED, (ZwSpan){0},
                  "the solve of this model is sparse, and derivatives of the accelerations need full matrices");
    zw_diag_remedy(&run->diags, "create the run with the integrator radau, if the memory is there");
    return ZW_ERR_UNSUPPORTED;
  }
  ptrdiff_t square = (ptrdiff_t)sim->n * sim->n;
  if (!run->slopes) {
    run->slopes = zw_alloc(&sim->allocator, zw_jacobian_work_size(sim->program) + 2 * (size_t)square * sizeof(double));
  }
  if (!run->slopes) return ZW_ERR_MEMORY;
  double *by_q = run->slopes, *by_v = by_q + square;
  ZW_TRY(zw_jacobian(sim, t, y, by_v + square, by_q, by_v));
  copy(values->a_by_q, by_q, square);
  copy(values->a_by_v, by_v, square);
  return ZW_OK;
}

static ZwStatus fill_all(ZwRun* run, double t, const double* y, const ZwEvaluation* values) {
  ZwSim* sim = run->sim;
  const double *q = y, *v = y + sim->n;
  bool wants_slopes = values->a_by_q || values->a_by_v;
  bool wants_motion = values->a || values->lambda || values->Qc || wants_slopes;
  ZW_TRY(fill_residuals(sim, t, q, v, values));
  if (!zw_eval_acceleration(sim, t, q, v)) return ZW_ERR_DOMAIN;
  if (values->M) fill_M(sim, values->M);
  copy(values->h, sim->h, sim->n);
  if (values->A) fill_A(sim, values->A);
  copy(values->b, sim->b, sim->m);
  if (!wants_motion) return ZW_OK;
  ZW_TRY(zw_eval_rate(sim, t, y, sim->k[ZW_DOP853_STAGES + 1]));
  copy(values->a, sim->a, sim->n);
  copy(values->Qc, sim->Qc, sim->n);
  if (values->lambda) ZW_TRY(zw_reactions(sim));
  copy(values->lambda, sim->reactions, sim->m);
  return wants_slopes ? fill_slopes(run, t, y, values) : ZW_OK;
}

static ZwStatus evaluate(ZwRun* run, double t, const double* q, const double* v, const ZwEvaluation* values) {
  ZwSim* sim = run->sim;
  if (run->status) return run->status;
  ZW_CHECK(isfinite(t) && zw_all_finite(sim->n, q) && zw_all_finite(sim->n, v));
  double* y = sim->y_out; /* nobody needs it between two steps */
  memcpy(y, q, (size_t)sim->n * sizeof(double));
  memcpy(y + sim->n, v, (size_t)sim->n * sizeof(double));
  bool has_limit = sim->near.has_limit; /* at a singular start, which another state is not */
  if (memcmp(y, sim->y, 2 * (size_t)sim->n * sizeof(double)) != 0) sim->near.has_limit = false;
  ZwFormulation formulation = sim->formulation;
  if (formulation == ZW_FORMULATION_QUASI) sim->formulation = ZW_FORMULATION_AUTO; /* y holds velocities */
  ZwStats stats = sim->stats;
  ZwStatus status = fill_all(run, t - sim->epoch, y, values);
  sim->stats = stats; /* of the run */
  sim->formulation = formulation;
  sim->near.has_limit = has_limit;
  return status;
}

ZwStatus zw_run_evaluate(ZwRun* run, double t, const double* q, const double* v, const ZwEvaluation* values) {
  ZW_CHECK(q && v && values && zw_run_enter(run));
  return zw_run_leave(run, evaluate(run, t, q, v, values));
}
