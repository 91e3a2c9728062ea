/* Events: conditions that become true inside a step are found on its dense output, the step ends there, and what the user
 * assigned is carried out. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/sensitivity.h"

/* Units of rounding that events found together wait for each other. */
#define LATE 64
/* Part of the duration of the run: how far ahead a switch is due where no step gets further, and steps that what comes to rest may have
 * shortened. */
#define SHORT 1e-6
/* Part of a step by which an event may be later than the place looked at, while nothing else happens. */
#define BEYOND 0x1p-8

enum { ROUNDS_MAX = 100 }; /* events that set off events at one instant */

/* ---- conditions at a state ---- */

bool zw_events_watch_forces(const ZwSim* sim) {
  return sim->watch.needs_solve && (sim->system->has_watched_forces || zw_contacts_any_closed(sim));
}

ZwStatus zw_events_forces(ZwSim* sim, double t, const double* y) {
  ZW_TRY(zw_eval_rate(sim, t, y, sim->k[ZW_DOP853_STAGES + 1]));
  return sim->watch.needs_reaction ? zw_reactions(sim) : ZW_OK;
}

ZwStatus zw_events_read(ZwSim* sim, double t, const double* y) {
  if (zw_events_watch_forces(sim)) ZW_TRY(zw_events_forces(sim, t, y));
  if (!zw_eval_events(sim, t, y, zw_velocity(sim, t, y))) return ZW_ERR_DOMAIN;
  zw_looks_prepare(sim);
  return ZW_OK;
}

static ZwStatus values_at(ZwSim* sim, double t, const double* y) {
  sim->t_evaluated = t;
  sim->entry_evaluated = ZW_ENTRY_EVENT;
  sim->reason = "";
  ZwStatus status = zw_events_read(sim, t, y);
  return status ? zw_fault_evaluation(sim, status, y) : ZW_OK;
}

static ZwStatus conditions_at(ZwSim* sim, double t, const double* y) {
  ZW_TRY(values_at(sim, t, y));
  for (int32_t i = 0; i < sim->watch.count; i++) {
    bool holds = sim->watch.values[sim->system->events.items[i].condition] != 0;
    sim->watch.is_true[i] = holds && !zw_looks_is_idle(sim, i) && !zw_looks_is_doubtful(sim, i);
  }
  return ZW_OK;
}

/* ---- modes ---- */

/* At the state looked at last. */
static double mode_at(const ZwSim* sim, int32_t i) {
  const ZwMode* mode = &sim->system->modes.items[i];
  return zw_rest_holds(sim, i) ? sim->values[mode->param] : sim->watch.values[mode->value];
}

static bool has_switched(const ZwSim* sim, int32_t i) {
  return mode_at(sim, i) != sim->values[sim->system->modes.items[i].param];
}

static bool any_has_switched(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    if (has_switched(sim, i)) return true;
  }
  return false;
}

static void note_modes(ZwSim* sim) {
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    sim->watch.modes[i] = mode_at(sim, i);
  }
}

static bool any_to_take(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    if (sim->watch.modes[i] != sim->values[sim->system->modes.items[i].param]) return true;
  }
  return false;
}

/* From now on; true if one is another. */
static bool take_modes(ZwSim* sim) {
  bool has_changed = false;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    double* held = &sim->values[sim->system->modes.items[i].param];
    has_changed = has_changed || *held != sim->watch.modes[i];
    *held = sim->watch.modes[i];
  }
  if (has_changed) zw_sim_set_constants(sim);
  return has_changed;
}

/* A mode may hang on another one, as a table of mod(t, 1) does. Those that are others at this state because of the change
 * follow; all others stay, see below. */
static ZwStatus take_and_follow(ZwSim* sim, bool* has_changed) {
  enum { DEEP = 8 }; /* modes of modes */
  ZwWatch* watch = &sim->watch;
  *has_changed = false;
  if (!any_to_take(sim)) return ZW_OK;
  *has_changed = true;
  for (int round = 0; round < DEEP && any_to_take(sim); round++) {
    ZW_TRY(values_at(sim, sim->t, sim->y));
    for (int32_t i = 0; i < sim->system->modes.count; i++) watch->before[i] = mode_at(sim, i);
    for (int32_t i = 0; i < sim->system->modes.count; i++) {
      bool is_taken = watch->modes[i] != sim->values[sim->system->modes.items[i].param];
      if (is_taken) watch->before[i] = NAN;
    }
    (void)take_modes(sim);
    ZW_TRY(values_at(sim, sim->t, sim->y));
    for (int32_t i = 0; i < sim->system->modes.count; i++) {
      double value = mode_at(sim, i);
      if (!isnan(watch->before[i]) && value != watch->before[i]) watch->modes[i] = value;
    }
  }
  return ZW_OK;
}

/* Modes follow what an event changed: those whose value at this state is another than noted before it. All others stay what
 * the motion has found; at the place of a switch rounding would decide them anew. */
static ZwStatus follow_modes(ZwSim* sim) {
  if (sim->system->modes.count == 0) return ZW_OK;
  ZW_TRY(values_at(sim, sim->t, sim->y));
  bool has_changed = false;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    double value = mode_at(sim, i);
    if (value == sim->watch.modes[i]) continue;
    sim->watch.modes[i] = sim->values[sim->system->modes.items[i].param] = value;
    has_changed = true;
  }
  if (has_changed) zw_sim_set_constants(sim);
  return ZW_OK;
}

bool zw_events_set_modes(ZwSim* sim, double t, const double* q, const double* v) {
  if (sim->system->modes.count == 0 || !zw_eval_events(sim, t, q, v)) return false;
  note_modes(sim);
  return take_modes(sim);
}

bool zw_events_is_due(ZwSim* sim, double h) {
  if (sim->system->modes.count == 0) return false;
  for (double ahead = fmax(h, DBL_MIN); ahead < SHORT * zw_sizes_time(sim); ahead *= 4) {
    for (int32_t i = 0; i < sim->dim; i++) sim->y_out[i] = sim->y[i] + ahead * sim->k[0][i];
    double t = sim->t + ahead;
    if (!zw_eval_events(sim, t, sim->y_out, zw_velocity(sim, t, sim->y_out)) || !any_has_switched(sim)) continue;
    note_modes(sim);
    return true;
  }
  return false;
}

bool zw_events_rests(ZwSim* sim, double h) {
  if (sim->system->modes.count == 0 || !(h < SHORT * zw_sizes_time(sim)) || !zw_rest_is_due(sim)) return false;
  if (!zw_eval_events(sim, sim->t, sim->y, zw_velocity(sim, sim->t, sim->y))) return false;
  note_modes(sim);
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    if (sim->watch.turns[i]) sim->watch.modes[i] = 0;
  }
  return true;
}

static void keep_conditions(ZwSim* sim) {
  zw_looks_know(sim);
  if (sim->watch.count > 0) memcpy(sim->watch.was_true, sim->watch.is_true, (size_t)sim->watch.count * sizeof(bool));
}

bool zw_events_becomes_true(const ZwSim* sim, int32_t i) {
  return sim->watch.is_true[i] && !sim->watch.was_true[i];
}

static bool any_happens(const ZwSim* sim) {
  if (any_has_switched(sim)) return true;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (zw_events_becomes_true(sim, i)) return true;
  }
  return false;
}

static bool is_watched_without_forces(const ZwEvent* event) {
  return event->contact == 0 && !event->is_of_force;
}

bool zw_events_is_beyond(ZwSim* sim, double t, const double* y) {
  const ZwEvent* events = sim->system->events.items;
  if (sim->system->modes.count == 0 && sim->watch.count == 0) return false;
  if (!zw_eval_events(sim, t, y, zw_velocity(sim, t, y))) return false;
  if (any_has_switched(sim)) return true;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    bool holds = sim->watch.values[events[i].condition] != 0 && !sim->watch.was_true[i];
    if (holds && is_watched_without_forces(&events[i])) return true;
  }
  return false;
}

static bool watches(const ZwSim* sim) {
  return sim->watch.count > 0 || sim->system->modes.count > 0;
}

ZwStatus zw_events_begin(ZwSim* sim) {
  if (!watches(sim)) return ZW_OK;
  sim->watch.t_last = -INFINITY;
  sim->watch.interval = INFINITY;
  ZW_TRY(conditions_at(sim, sim->t, sim->y));
  keep_conditions(sim);
  return ZW_OK;
}

/* ---- where in the step ---- */

ZwStatus zw_events_sample(ZwSim* sim, double x) {
  zw_interpolate(sim, x, sim->y_out);
  return conditions_at(sim, sim->t + x * sim->h_dense, sim->y_out);
}

/* What passes zero is not left on zero itself, where rounding may have put it: there x > 0 and x >= 0 are not the same. But where
 * rounding takes back what has happened, it happens on zero. */
static ZwStatus go_past_zero(ZwSim* sim, double least, double* high) {
  double happens = *high;
  for (double more = least; more <= 16 * least; more *= 2) {
    if (!zw_looks_is_on_zero(sim) || *high + more > 1) break;
    *high += more;
    ZW_TRY(zw_events_sample(sim, *high));
    if (any_happens(sim)) happens = *high;
  }
  if (happens == *high) return ZW_OK;
  *high = happens;
  return zw_events_sample(sim, happens);
}

/* Of a place in the pending step. */
static double rounding_of(const ZwSim* sim) {
  return DBL_EPSILON * fmax(fabs(sim->t) / sim->h_dense, 1);
}

/* Between `low`, where was_true holds the conditions, and `high`, where another has become true: the first instant. */
static ZwStatus bisect(ZwSim* sim, double low, double* high) {
  double least = rounding_of(sim);
  while (*high - low > least) {
    double middle = 0.5 * (low + *high);
    if (middle <= low || middle >= *high) break;
    ZW_TRY(zw_events_sample(sim, middle));
    if (any_happens(sim))
      *high = middle;
    else
      low = middle;
  }
  ZW_TRY(zw_events_sample(sim, *high));
  return go_past_zero(sim, least, high);
}

/* The work up to x, by Gauss's rule of order 16: the steps are not chosen for it, so its dense output may be poor. */
static void add_work(ZwSim* sim, double x, double* work) {
  static const double places[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975362};
  static const double weights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  double sum = 0, *rate = sim->k[ZW_DOP853_STAGES + 1];
  for (int i = 0; i < 8; i++) {
    double at = 0.5 * x * (1 + (i % 2 ? places[i / 2] : -places[i / 2]));
    zw_interpolate(sim, at, sim->y_out);
    if (zw_eval_rate(sim, sim->t + at * sim->h_dense, sim->y_out, rate)) return;
    sum += weights[i / 2] * rate[2 * sim->n];
  }
  *work = sim->y[2 * sim->n] + 0.5 * x * sim->h_dense * sum;
}

/* The state at x, projected, becomes the end of the step. */
static ZwStatus end_step(ZwSim* sim, double x) {
  int32_t row = -1;
  zw_interpolate(sim, x, sim->y_new);
  sim->step = x * sim->h_dense;
  if (zw_project(sim, sim->t + sim->step, sim->y_new, &row) == ZW_PROJECTED) return ZW_OK;
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s the state of an event could not be put onto the constraints",
                zw_when(sim, sim->t + sim->step, 9).text);
  return ZW_ERR_STEP;
}

/* What was found at x on the dense output: does all of it happen at the state looked at last too, or some of it? */
typedef struct Found {
  bool all, some;
} Found;

static void count_in(Found* found, bool happens) {
  found->all = found->all && happens;
  found->some = found->some || happens;
}

static Found what_happens_too(const ZwSim* sim) {
  Found found = {.all = true};
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (sim->watch.happens[i]) count_in(&found, sim->watch.is_true[i]);
  }
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    bool is_found = sim->watch.modes[i] != sim->values[sim->system->modes.items[i].param];
    if (is_found) count_in(&found, has_switched(sim, i));
  }
  return found;
}

/* The others may have been rounding: some is enough after a short while, so that what never comes is not waited for. */
static ZwStatus is_there_too(ZwSim* sim, bool is_late, bool* is_there) {
  *is_there = true;
  if (sim->m == 0) return ZW_OK;
  ZW_TRY(conditions_at(sim, sim->t + sim->step, sim->y_new));
  Found found = what_happens_too(sim);
  *is_there = found.all || (found.some && is_late);
  return ZW_OK;
}

/* On the dense output at x: just what was found? */
static ZwStatus look_for_others(ZwSim* sim, double x, bool* is_alone) {
  ZW_TRY(zw_events_sample(sim, x));
  *is_alone = true;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    *is_alone = *is_alone && zw_events_becomes_true(sim, i) == sim->watch.happens[i];
  }
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    *is_alone = *is_alone && mode_at(sim, i) == sim->watch.modes[i];
  }
  return ZW_OK;
}

/* May the step end at x instead, `until` being the place looked at? Hardly after it, and not where others happen. */
static ZwStatus may_end(ZwSim* sim, double x, double until, bool* may) {
  *may = x <= until;
  if (*may || x > fmin(until + BEYOND, 1)) return ZW_OK;
  return look_for_others(sim, x, may);
}

/* The step ends at x, where something happens on the dense output. The constraints may move the state back before it; then the
 * step ends as much later as it takes, but hardly after the place `until`, since others may happen there; or nothing
 * happens (`*is_there`) and the step stays as it was. */
static ZwStatus cut_step(ZwSim* sim, double x, double until, bool* is_there) {
  double least = rounding_of(sim), more = least, *end = sim->k[ZW_DOP853_STAGES + 2], step = sim->step;
  for (int32_t i = 0; i < sim->watch.count; i++) sim->watch.happens[i] = zw_events_becomes_true(sim, i);
  note_modes(sim);
  memcpy(end, sim->y_new, (size_t)sim->dim * sizeof(double));
  for (*is_there = false;; more *= 4) {
    bool is_last = x + more > until, may_be = false;
    ZW_TRY(end_step(sim, x));
    ZW_TRY(is_there_too(sim, is_last || more > LATE * least, is_there));
    if (!*is_there) ZW_TRY(may_end(sim, x + more, until, &may_be));
    if (!may_be) break;
    x += more;
  }
  if (*is_there) {
    note_modes(sim);
    sim->has_next_sets = false;
    if (!sim->is_conservative) add_work(sim, x, &sim->y_new[2 * sim->n]);
    return ZW_OK;
  }
  sim->step = step;
  memcpy(sim->y_new, end, (size_t)sim->dim * sizeof(double));
  return ZW_OK;
}

static bool is_of_contact(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (zw_events_becomes_true(sim, i) && sim->system->events.items[i].contact > 0) return true;
  }
  return false;
}

/* After nothing has come of what was found: does something else happen up to the place looked at last? */
static bool others_happen(ZwSim* sim) {
  bool is_any = false;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (sim->watch.happens[i]) sim->watch.was_true[i] = is_any = true; /* it is known */
  }
  return is_any && !any_has_switched(sim) && any_happens(sim);
}

/* Between `low` and `high`, where something has become true: ends the step at the first that really happens, if there is one. */
static ZwStatus find_between(ZwSim* sim, double low, double high, bool* has_event) {
  for (double x = low;; low = x) {
    x = high;
    ZW_TRY(bisect(sim, low, &x));
    ZW_TRY(cut_step(sim, x, is_of_contact(sim) ? 1 : high, has_event));
    if (*has_event) return ZW_OK;
    ZW_TRY(zw_events_sample(sim, high));
    if (!others_happen(sim)) return ZW_OK;
  }
}

/* In which cells margins are before the first place in the step where one changes. */
static void note_known(ZwLooks* looks) {
  if (!looks->has_found && looks->count > 0) {
    memcpy(looks->at_begin, looks->known, (size_t)looks->count * sizeof(double));
  }
  looks->has_found = true;
}

void zw_events_take_back(ZwSim* sim) {
  ZwLooks* looks = &sim->watch.looks;
  if (!looks->has_found) return;
  if (looks->count > 0) memcpy(looks->known, looks->at_begin, (size_t)looks->count * sizeof(double));
  if (sim->watch.count > 0) {
    memcpy(sim->watch.was_true, sim->watch.at_begin, (size_t)sim->watch.count * sizeof(bool));
  }
}

/* Goes through the places where something has changed, until something happens. */
static ZwStatus first_event(ZwSim* sim, bool* has_event) {
  bool is_over = false, was_refused = false;
  size_t size = (size_t)sim->watch.count * sizeof(bool);
  if (size > 0) memcpy(sim->watch.at_begin, sim->watch.was_true, size);
  sim->watch.looks.has_found = false;
  for (;;) {
    double low, high;
    ZW_TRY(zw_looks_next(sim, &is_over, &low, &high));
    if (is_over) break;
    note_known(&sim->watch.looks);
    ZW_TRY(zw_events_sample(sim, high));
    if (any_happens(sim)) {
      ZW_TRY(find_between(sim, low, high, has_event));
      if (*has_event) return ZW_OK;
      was_refused = true;
    }
    keep_conditions(sim);
  }
  if (!was_refused) return ZW_OK;
  /* what counts is the state that the next step begins with */
  ZW_TRY(conditions_at(sim, sim->t + sim->step, sim->y_new));
  if (size > 0) memcpy(sim->watch.was_true, sim->watch.at_begin, size);
  *has_event = any_happens(sim);
  if (*has_event)
    note_modes(sim); /* projection has put it off to the very end of the step */
  else
    keep_conditions(sim);
  return ZW_OK;
}

ZwStatus zw_events_look(ZwSim* sim, bool* has_event) {
  *has_event = sim->step == 0; /* a switch is due at once */
  if (*has_event || !watches(sim)) return ZW_OK;
  ZwStatus status = zw_dense(sim);
  if (status) return zw_fault_evaluation(sim, status, sim->y_out);
  zw_looks_open(sim);
  status = first_event(sim, has_event);
  zw_looks_close(sim);
  if (!status && !*has_event) zw_rest_keep(sim);
  if (!status && !*has_event) zw_ties_leave(sim, sim->t + sim->step, sim->y_new);
  return status;
}

/* ---- what happens ---- */

static void add_name(char* to, ZwStr name, const char* ending) {
  size_t used = strlen(to);
  (void)zw_snprintf(to + used, ZW_EVENT_NAME - used, "%s%.*s%s", used > 0 ? "; " : "", ZW_STR_ARGS(name), ending);
  zw_str_end_whole(to);
}

void zw_events_name(const ZwSim* sim, char name[ZW_EVENT_NAME]) {
  name[0] = 0;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (zw_events_becomes_true(sim, i)) add_name(name, sim->system->events.items[i].name, "");
  }
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    const ZwMode* mode = &sim->system->modes.items[i];
    if (!mode->is_quiet && sim->watch.modes[i] != sim->values[mode->param]) add_name(name, mode->name, " switches");
  }
}

static void count_events(ZwSim* sim, bool* is_over, int32_t* happening) {
  *happening = 0;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    bool happens = zw_events_becomes_true(sim, i);
    *happening += happens;
    if (happens && sim->system->events.items[i].is_stop) *is_over = true;
  }
  sim->watch.happened += *happening;
  sim->watch.is_stopped = *is_over;
}

/* While y holds velocities, nothing may take them for quasi-velocities. */
static ZwStatus with_velocities(ZwSim* sim, ZwStatus (*act)(ZwSim* sim)) {
  ZwFormulation formulation = sim->formulation;
  if (formulation == ZW_FORMULATION_QUASI) sim->formulation = ZW_FORMULATION_AUTO;
  ZwStatus status = act(sim);
  sim->formulation = formulation;
  return status;
}

/* What contacts do among what has become true. */
static void find_closing(ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = &sim->system->contacts.items[i];
    sim->contacts.closes[i] = zw_events_becomes_true(sim, contact->closes);
    sim->contacts.opens[i] = zw_events_becomes_true(sim, contact->opens);
    sim->contacts.stops[i] = contact->stops >= 0 && zw_events_becomes_true(sim, contact->stops);
    sim->contacts.slips[i] = contact->slips >= 0 && zw_events_becomes_true(sim, contact->slips);
  }
}

/* Is a coordinate or velocity given a value? */
static bool is_anything_assigned(const ZwSim* sim) {
  for (int32_t i = 0; i < 2 * sim->n; i++) {
    if (sim->watch.hold[i] != ZW_HOLD_FREE) return true;
  }
  return false;
}

static ZwStatus vary_assigned(ZwSim* sim) {
  return zw_sensitivity_apart(sim, zw_sensitivity_assign);
}

/* What is in contact may be moved, and gaps, slips and constraints may jump. Contacts push then and never pull: they are open while
 * the state is put onto the constraints, and what is left of the jump is an impact. */
static void let_contacts_go(ZwSim* sim, bool may_jump) {
  if (sim->contacts.count > 0 && (may_jump || is_anything_assigned(sim))) zw_contacts_release(sim);
}

/* One round: everything that has become true, at once. */
static ZwStatus carry_out(ZwSim* sim, bool has_switched) {
  int32_t n = sim->n;
  ZwChanges done;
  /* y holds positions and velocities from here on, whatever the state is counted in */
  const double* v = zw_velocity(sim, sim->t, sim->y);
  if (v != sim->y + n) memcpy(sim->y + n, v, (size_t)n * sizeof(double));
  for (int32_t i = 0; i < 2 * n; i++) sim->watch.hold[i] = ZW_HOLD_FREE;
  note_modes(sim);
  ZW_TRY(with_velocities(sim, vary_assigned));
  ZW_TRY(zw_changes_make(sim, &done));
  if (done.has_remembered) {
    zw_sim_set_constants(sim);
    ZW_TRY(with_velocities(sim, follow_modes));
  }
  find_closing(sim);
  zw_contacts_remember(sim);
  let_contacts_go(sim, has_switched || done.has_remembered || zw_start_any_comes(sim));
  ZW_TRY(zw_start_again(sim, sim->t, sim->watch.hold, done.has_moved));
  zw_changes_note_moves(sim);
  if (sim->contacts.count > 0) ZW_TRY(zw_contacts_settle(sim, sim->contacts.closes));
  ZW_TRY(with_velocities(sim, follow_modes));
  return sim->formulation == ZW_FORMULATION_QUASI ? zw_quasi_enter(sim, sim->t, sim->y) : ZW_OK;
}

bool zw_events_is_quiet(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (zw_events_becomes_true(sim, i)) return false;
  }
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    const ZwMode* mode = &sim->system->modes.items[i];
    if (!mode->is_quiet && sim->watch.modes[i] != sim->values[mode->param]) return false;
  }
  return true;
}

ZwStatus zw_events_pass(ZwSim* sim) {
  bool has_changed;
  ZW_TRY(take_and_follow(sim, &has_changed));
  keep_conditions(sim); /* margins count from the new interval on */
  return ZW_OK;
}

/* What an event makes true by rounding alone has not happened: the motion will tell. */
static void leave_rounding_out(ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (!zw_events_becomes_true(sim, i) || !(zw_looks_is_rounding(sim, i) || zw_still_is_event(sim, i))) continue;
    sim->watch.is_true[i] = false;
    sim->watch.is_doubted[i] = true;
  }
}

/* Events of contacts that have been decided are to be decided again if they still hold. */
static void forget_contacts(ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (sim->system->events.items[i].contact > 0) sim->watch.was_true[i] = false;
  }
}

/* ---- one instant ---- */

/* What the contacts have been in the rounds of an instant, since an impact or an event of the user changed something else. */
typedef struct Instant {
  uint64_t states[ROUNDS_MAX + 1];
  int32_t first, count;
  int64_t impacts;
  bool has_switched; /* a mode, before the next round */
} Instant;

static Instant open_instant(ZwSim* sim, bool has_switched) {
  Instant instant = {.count = 1, .impacts = sim->contacts.impacts, .has_switched = has_switched};
  instant.states[0] = zw_contacts_signature(sim);
  zw_passing_open(sim);
  for (int32_t i = 0; i < sim->watch.count; i++) sim->watch.is_doubted[i] = false;
  return instant;
}

static bool is_of_user(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (zw_events_becomes_true(sim, i) && sim->system->events.items[i].contact == 0) return true;
  }
  return false;
}

/* After a round: have the contacts come back to what they were? Then to decide once more decides nothing. */
static bool comes_back(ZwSim* sim, Instant* instant, bool was_of_user) {
  uint64_t state = zw_contacts_signature(sim);
  if (was_of_user || sim->contacts.impacts > instant->impacts) instant->first = instant->count;
  instant->impacts = sim->contacts.impacts;
  for (int32_t k = instant->first; k < instant->count; k++) {
    if (instant->states[k] == state) return true;
  }
  instant->states[instant->count++] = state;
  return false;
}

/* What contacts were told of in vain does not count until the motion tells more. */
static void leave_contacts_out(ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (!zw_events_becomes_true(sim, i) || sim->system->events.items[i].contact == 0) continue;
    sim->watch.is_true[i] = false;
    sim->watch.is_doubted[i] = true;
  }
}

static void close_instant(ZwSim* sim) {
  keep_conditions(sim);
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (sim->watch.is_doubted[i] && !sim->watch.is_true[i]) zw_looks_doubt(sim, i);
  }
}

/* Constraints that have come or gone may hold margins, or hold them no more. */
static ZwStatus tie(ZwSim* sim) {
  return zw_ties_find(sim) ? follow_modes(sim) : ZW_OK;
}

/* One round, and what it has made true. */
static ZwStatus go_round(ZwSim* sim, Instant* instant) {
  bool was_of_user = is_of_user(sim);
  zw_looks_know(sim);
  zw_passing_round(sim);
  ZW_TRY(carry_out(sim, instant->has_switched));
  instant->has_switched = false;
  ZW_TRY(tie(sim));
  if (sim->watch.count > 0) memcpy(sim->watch.was_true, sim->watch.is_true, (size_t)sim->watch.count * sizeof(bool));
  forget_contacts(sim); /* what contacts were told of must be over */
  ZW_TRY(conditions_at(sim, sim->t, sim->y));
  leave_rounding_out(sim);
  if (sim->contacts.count > 0 && comes_back(sim, instant, was_of_user)) leave_contacts_out(sim);
  return ZW_OK;
}

/* A run that stops does so behind the changes of its last instant. */
static ZwStatus make_last_changes(ZwSim* sim, bool has_switched) {
  bool has_changes = false;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    has_changes = has_changes || (zw_events_becomes_true(sim, i) && sim->system->events.items[i].changes.count > 0);
  }
  if (!has_changes) return ZW_OK;
  ZW_TRY(values_at(sim, sim->t, sim->y));
  return carry_out(sim, has_switched);
}

/* A constraint may come, go, or take another branch, and so may a gap; the modes stay what the motion has found. What contacts then do
 * may be an event to others. */
static ZwStatus settle_switch(ZwSim* sim, bool* is_over, int32_t* happening) {
  int64_t impacts = sim->contacts.impacts;
  uint64_t state = zw_contacts_signature(sim);
  ZW_TRY(values_at(sim, sim->t, sim->y));
  ZW_TRY(carry_out(sim, true));
  ZW_TRY(tie(sim));
  if (sim->contacts.impacts == impacts && zw_contacts_signature(sim) == state) return ZW_OK;
  forget_contacts(sim);
  ZW_TRY(conditions_at(sim, sim->t, sim->y));
  leave_rounding_out(sim);
  count_events(sim, is_over, happening);
  return ZW_OK;
}

static ZwStatus check_energy(ZwSim* sim) {
  ZW_TRY(zw_energy_step_check(sim));
  return sim->watch.step.has_looked ? values_at(sim, sim->t, sim->y) : ZW_OK;
}

ZwStatus zw_events_happen(ZwSim* sim, bool* is_over) {
  int32_t happening;
  *is_over = false;
  ZW_TRY(zw_passing_check(sim));
  zw_start_note_rows(sim);
  ZW_TRY(zw_contacts_note_gaps(sim));
  zw_rest_note(sim);
  bool has_switched_mode;
  zw_energy_step_note(sim);
  ZW_TRY(take_and_follow(sim, &has_switched_mode));
  if (has_switched_mode) ZW_TRY(check_energy(sim));
  sim->watch.happened += has_switched_mode;
  count_events(sim, is_over, &happening);
  if (happening > 0) sim->watch.again = 0;
  if (has_switched_mode) ZW_TRY(zw_rest_settle(sim));
  if (*is_over) ZW_TRY(make_last_changes(sim, has_switched_mode));
  bool is_settled = happening == 0 && has_switched_mode && sim->m > 0 && !*is_over;
  if (is_settled) ZW_TRY(settle_switch(sim, is_over, &happening));
  if (*is_over || happening == 0) {
    keep_conditions(sim);
    return ZW_OK;
  }
  /* that the conditions have become true is known from the motion; the new values are read where it is projected */
  ZW_TRY(values_at(sim, sim->t, sim->y));
  Instant instant = open_instant(sim, has_switched_mode && !is_settled);
  for (int round = 0; round < ROUNDS_MAX; round++) {
    ZW_TRY(go_round(sim, &instant));
    count_events(sim, is_over, &happening);
    if (*is_over || happening == 0) {
      close_instant(sim);
      return zw_rest_settle(sim);
    }
  }
  return zw_passing_refuse_instant(sim);
}

/* Puts positions onto the constraints, and out of gaps that what has changed put below zero, as at the start. */
static ZwStatus move_out_of_gaps(ZwSim* sim) {
  ptrdiff_t n = sim->n;
  double* v = sim->contacts.a;
  bool has_closed = true;
  for (memcpy(v, sim->y + n, (size_t)n * sizeof(double)); has_closed;) {
    ZW_TRY(zw_contacts_close_negative(sim, &has_closed));
    if (has_closed) ZW_TRY(zw_start_again(sim, sim->t, sim->watch.hold, true));
  }
  memcpy(sim->y + n, v, (size_t)n * sizeof(double));
  zw_contacts_release(sim);
  return ZW_OK;
}

/* What touches after a change: it pushes, and never pulls. */
static ZwStatus settle_contacts(ZwSim* sim) {
  zw_contacts_remember(sim);
  zw_contacts_release(sim);
  ZW_TRY(move_out_of_gaps(sim));
  ZW_TRY(zw_start_again(sim, sim->t, sim->watch.hold, true));
  zw_contacts_forget_events(sim);
  ZW_TRY(zw_contacts_note_gaps(sim));
  return zw_contacts_settle(sim, sim->contacts.closes);
}

/* Nothing is assigned; constraints that read what has changed may have moved. */
static ZwStatus settle_change(ZwSim* sim) {
  for (int32_t i = 0; i < 2 * sim->n; i++) sim->watch.hold[i] = ZW_HOLD_FREE;
  const double* v = zw_velocity(sim, sim->t, sim->y);
  if (v != sim->y + sim->n) memcpy(sim->y + sim->n, v, (size_t)sim->n * sizeof(double));
  ZW_TRY(with_velocities(sim, follow_modes));
  ZW_TRY(sim->contacts.count > 0 ? settle_contacts(sim) : zw_start_again(sim, sim->t, sim->watch.hold, true));
  return sim->formulation == ZW_FORMULATION_QUASI ? zw_quasi_enter(sim, sim->t, sim->y) : ZW_OK;
}

ZwStatus zw_events_change(ZwSim* sim, bool* is_over) {
  int32_t happening;
  *is_over = false;
  for (int32_t i = 0; i < sim->m; i++) sim->watch.was_on[i] = false; /* what was changed is not known */
  for (int32_t i = 0; i < sim->watch.count; i++) sim->watch.is_doubted[i] = false;
  zw_sim_set_constants(sim);
  ZW_TRY(settle_change(sim));
  if (zw_ties_find(sim)) ZW_TRY(follow_modes(sim));
  ZW_TRY(conditions_at(sim, sim->t, sim->y));
  leave_rounding_out(sim);
  count_events(sim, is_over, &happening);
  if (happening > 0) return zw_events_happen(sim, is_over);
  keep_conditions(sim);
  return ZW_OK;
}
