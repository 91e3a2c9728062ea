/* Events: their time depends on what is varied, too. At an event found by a margin g(t, x) = 0 the motion before it gives
 *
 *   dg + g' dt_e = 0,      so that the state at the event changes by      X = S + f dt_e,
 *
 * where g' is the rate of g along the motion and f that of the state. From there on all that the event does to the state is done to X at
 * the changed time: what is assigned, impacts, and the way back onto the constraints. Behind it S = X - f dt_e with the new rate f. */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/adjoint.h"

/* Where accelerations are held against those before: this part of the duration of the run, and this part of their rates or less. */
#define BEFORE 1e-6
#define FALL 0.1

/* ---- when it happens ---- */

static bool switches(const ZwSim* sim, int32_t i) {
  return sim->watch.modes[i] != sim->values[sim->system->modes.items[i].param];
}

/* How long it takes a margin to come to zero, at its rate. */
static double time_to_zero(const ZwMargin* margin, double value, double rate) {
  double off = margin->kind == ZW_MARGIN_WHOLE ? value - round(value) : value;
  return rate != 0 ? fabs(off / rate) : INFINITY;
}

/* The margin that comes to zero now, among those looked at. */
typedef struct Trigger {
  int32_t margin; /* -1: none */
  double away;
  bool is_needed; /* otherwise the accelerations are the same on both sides, whenever it happens */
} Trigger;

static void look_at(const ZwSim* sim, int32_t margin, const double* values, const double* rates, Trigger* trigger) {
  const ZwMargin* looked = &sim->system->margins.items[margin];
  double away = time_to_zero(looked, values[looked->value], rates[looked->value]);
  trigger->is_needed = true;
  if (!(away < trigger->away)) return;
  trigger->margin = margin;
  trigger->away = away;
}

/* Forces that come to their end leave the accelerations what they are, so that it does not matter when that is. */
static Trigger find_trigger(const ZwSim* sim, const double* values, const double* rates) {
  Trigger trigger = {-1, INFINITY, false};
  bool any_switches = false;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    const ZwEvent* event = &sim->system->events.items[i];
    if (!zw_events_becomes_true(sim, i) || event->is_of_force) continue;
    for (int32_t k = 0; k < event->margins.count; k++) look_at(sim, event->margins.items[k], values, rates, &trigger);
    for (int32_t k = 0; k < event->time_margins.count; k++) {
      look_at(sim, event->time_margins.items[k], values, rates, &trigger);
    }
  }
  for (int32_t i = 0; i < sim->system->modes.count; i++) any_switches = any_switches || switches(sim, i);
  for (int32_t k = 0; any_switches && k < sim->system->margins.count; k++) {
    if (sim->system->margins.items[k].event == 0) look_at(sim, k, values, rates, &trigger);
  }
  return trigger;
}

/* Values of events at the present state, without disturbing those that are there. */
static void read_margins(ZwSim* sim, double* values) {
  double* kept = sim->watch.values;
  sim->watch.values = sim->state.targets[ZW_TARGET_EVENT] = values;
  (void)zw_eval_events(sim, sim->t, sim->sensitivity->y, sim->sensitivity->y + sim->n);
  sim->watch.values = sim->state.targets[ZW_TARGET_EVENT] = kept;
}

static ZwStatus vary_events(ZwSim* sim, const ZwDirection* direction) {
  ZwVariation* variation = &sim->sensitivity->variation;
  if (sim->watch.needs_solve) {
    ZW_TRY(zw_variation_solve(sim, variation, direction));
    ZW_TRY(zw_variation_reactions(sim, variation));
  }
  zw_variation_events(sim, variation, direction);
  return ZW_OK;
}

/* The present state and its rate, with the rows that hold now. */
static ZwStatus find_rate(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ptrdiff_t n = sim->n;
  zw_copy(n, sim->y, sensitivity->y);
  zw_copy(n, zw_velocity(sim, sim->t, sim->y), sensitivity->y + n);
  ZW_TRY(zw_variation_at(sim, &sensitivity->variation, sim->t, sensitivity->y));
  if (sim->watch.needs_reaction) ZW_TRY(zw_reactions(sim));
  zw_copy(n, sensitivity->y + n, sensitivity->f);
  zw_copy(n, sensitivity->variation.a, sensitivity->f + n);
  return ZW_OK;
}

/* Columns go along with the event: S + sign f dt. */
static void shift(ZwSim* sim, double sign) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  for (ptrdiff_t c = 0; c < sensitivity->count; c++) {
    zw_axpy(2 * sim->n, sign * sensitivity->dt[c], sensitivity->f, sensitivity->now + c * 2 * sim->n);
  }
}

static ZwStatus refuse_grazing(ZwSim* sim) {
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s an event is only just touched: the motion does not depend smoothly on anything there",
                zw_when(sim, sim->t, 9).text);
  zw_diag_remedy(sim->diags, "ask for sensitivities up to that time, with --to");
  return ZW_ERR_STEP;
}

/* The largest of the rates of accelerations along the motion, in parts of their sizes. */
static ZwStatus find_jerk(ZwSim* sim, const double* f, double* jerk) {
  ZwVariation* variation = &sim->sensitivity->variation;
  ZwDirection along = {.dt = 1, .dq = f, .dv = f + sim->n, .dconstants = sim->sensitivity->still};
  *jerk = 0;
  ZW_TRY(zw_variation_solve(sim, variation, &along));
  for (int32_t k = 0; k < sim->n; k++) {
    double size = zw_larger(sim->sizes.pace[k], fabs(variation->a[k]));
    if (variation->da[k] != 0) *jerk = zw_sizes_worse(*jerk, fabs(variation->da[k]) / size);
  }
  return ZW_OK;
}

static ZwStatus refuse_steep(ZwSim* sim) {
  int32_t first = 0;
  while (first + 1 < sim->system->modes.count && !switches(sim, first)) first++;
  const ZwMode* mode = &sim->system->modes.items[first];
  zw_diag_error(
      sim->diags, ZW_ERR_STEP, sim->system->params.items[mode->param].span,
      "at t = %s '%.*s' switches where forces or constraints have no derivative: sensitivities cannot be followed",
      zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(mode->name));
  zw_diag_remedy(sim->diags, "ask for sensitivities up to that time, with --to, or take differences of whole runs");
  return ZW_ERR_STEP;
}

/* Do accelerations change infinitely fast where a mode switches, as those of sqrt(abs(x))*sign(x)? They are held against those just before: the
 * equations of the sensitivities are singular there, and no step control sees what is lost. */
static ZwStatus check_steep(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  double aside = BEFORE * zw_sizes_time(sim), jerk, before;
  bool any_switches = false;
  for (int32_t i = 0; i < sim->system->modes.count; i++) any_switches = any_switches || switches(sim, i);
  if (!any_switches) return ZW_OK;
  ZW_TRY(find_jerk(sim, sensitivity->f, &jerk));
  if (!(jerk * aside > 1)) return ZW_OK;
  zw_axpy(2 * sim->n, -aside, sensitivity->f, sensitivity->y);
  ZW_TRY(zw_variation_at(sim, &sensitivity->variation, sim->t - aside, sensitivity->y));
  ZW_TRY(find_jerk(sim, sensitivity->f, &before));
  return before < FALL * jerk ? refuse_steep(sim) : find_rate(sim);
}

static ZwStatus find_times(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwVariation* variation = &sensitivity->variation;
  double *values = sensitivity->values_there, *rates = sensitivity->rates_there;
  ZwDirection along = {.dt = 1, .dq = sensitivity->f, .dv = sensitivity->f + sim->n, .dconstants = sensitivity->still};
  ZW_TRY(vary_events(sim, &along));
  zw_copy(sim->equations->event_count, variation->devents, rates);
  read_margins(sim, values);
  Trigger trigger = find_trigger(sim, values, rates);
  if (trigger.margin < 0) return trigger.is_needed ? refuse_grazing(sim) : ZW_OK;
  int32_t value = sim->system->margins.items[trigger.margin].value;
  for (int32_t c = 0; c < sensitivity->count; c++) {
    ZwDirection direction = zw_sensitivity_direction(sensitivity, c, sensitivity->now);
    direction.dt = 0;
    ZW_TRY(vary_events(sim, &direction));
    sensitivity->dt[c] = -variation->devents[value] / rates[value];
    if (!isfinite(sensitivity->dt[c])) return refuse_grazing(sim);
  }
  return ZW_OK;
}

ZwStatus zw_sensitivity_open_event(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity) return ZW_OK;
  zw_fill(sensitivity->count, 0, sensitivity->dt);
  sensitivity->is_idle = false;
  if (sensitivity->adjoint) zw_adjoint_set_columns(sim);
  ZW_TRY(find_rate(sim));
  ZW_TRY(check_steep(sim));
  ZW_TRY(find_times(sim));
  sensitivity->is_event = true;
  shift(sim, 1);
  return ZW_OK;
}

static ZwStatus refuse_rest(ZwSim* sim, const ZwMode* mode) {
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s '%.*s' comes to rest at zero: sensitivities cannot be followed through a sign that rests",
                zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(mode->name));
  zw_diag_remedy(sim->diags, "write dry friction as a contact with friction, or as a constraint with 'while'");
  return ZW_ERR_STEP;
}

ZwStatus zw_sensitivity_close_event(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity) return ZW_OK;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    if (sim->watch.rests[i]) return refuse_rest(sim, &sim->system->modes.items[i]);
  }
  if (sensitivity->status) return sensitivity->status;
  if (sensitivity->adjoint && sim->watch.is_stopped) return zw_adjoint_stop(sim);
  ZW_TRY(find_rate(sim));
  shift(sim, -1);
  sensitivity->is_event = sensitivity->has_rate = false;
  sensitivity->part = 1;
  return sensitivity->adjoint ? zw_adjoint_close_event(sim) : ZW_OK;
}

/* ---- what is assigned ---- */

static bool any_assigns(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (zw_events_becomes_true(sim, i) && sim->system->events.items[i].changes.count > 0) return true;
  }
  return false;
}

static void assign_column(ZwSim* sim, int32_t c) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  const double* devents = sensitivity->variation.devents;
  double *x = sensitivity->now + (ptrdiff_t)c * 2 * sim->n,
         *values = sensitivity->dvalues + (ptrdiff_t)c * sensitivity->values;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    const ZwEvent* event = &sim->system->events.items[i];
    for (int32_t k = 0; zw_events_becomes_true(sim, i) && k < event->changes.count; k++) {
      const ZwChange* change = &event->changes.items[k];
      double* to = change->target == ZW_OP_COORD      ? x + change->index
                   : change->target == ZW_OP_VELOCITY ? x + sim->n + change->index
                                                      : values + change->index;
      ZwChangeHow how = zw_changes_how(sim, i, k);
      if (how == ZW_CHANGE_SETS) *to = devents[change->value];
      if (how == ZW_CHANGE_ADDS) *to += devents[change->added];
    }
  }
}

ZwStatus zw_sensitivity_assign(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity || !any_assigns(sim)) return ZW_OK;
  zw_copy(2 * sim->n, sim->y, sensitivity->y);
  ZW_TRY(zw_variation_at(sim, &sensitivity->variation, sim->t, sensitivity->y));
  if (sim->watch.needs_reaction) ZW_TRY(zw_reactions(sim));
  for (int32_t c = 0; c < sensitivity->count; c++) {
    ZwDirection direction = zw_sensitivity_direction(sensitivity, c, sensitivity->now);
    ZW_TRY(vary_events(sim, &direction));
    assign_column(sim, c);
  }
  return ZW_OK;
}
