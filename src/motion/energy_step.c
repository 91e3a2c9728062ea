/* An energy that jumps. Where a switch of the Lagrangian changes with the motion, energy and momenta p = dL/dv must be the same on both of
 * its sides: a kink. Where they are not, its force is an impulse, which no branch of the expression knows of; the run ends there. One that
 * changes with the clock may change the energy, which is work, but not the momenta.
 *
 * What the two branches differ by, D, is asked at the state of the switch and at states before and after it, along the motion as it was.
 * That of a kink passes zero between them, and is no larger there than it changes; that of a jump is the same at all of them. A branch may
 * have no value on the other side, as (x - 1)^1.5 has none below 1: those states do not count. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/sim.h"

/* Roundings of what energies and momenta are made of. */
#define ROUNDINGS 4.0
/* A kink is no larger than this part of what it changes by between the states. */
#define PART 0.5
/* Where at no state both branches have a value, one before and one after the switch are compared. They are apart by the error with which
 * the switch is found, a part of the tolerance, of which a kink may make a root. */
#define ERROR_OF_SWITCH(tolerance) sqrt(tolerance)
/* How far back the first state is, in roundings of the time; how much farther the next one; and how far at most, in the time of the run. */
#define FIRST 64.0
#define FARTHER 16.0
#define FARTHEST 1e-3

enum { STATES = 3 }; /* on each side */

/* ---- modes as they were, and as they are ---- */

static const ZwMode* mode_at(const ZwSim* sim, int32_t i) {
  return &sim->system->modes.items[i];
}

void zw_energy_step_note(ZwSim* sim) {
  sim->watch.step.has_looked = false;
  if (!sim->watch.step.is_on) return;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    sim->watch.step.before[i] = sim->values[mode_at(sim, i)->param];
  }
}

static void set_modes(ZwSim* sim, const double* modes) {
  for (int32_t i = 0; i < sim->system->modes.count; i++) sim->values[mode_at(sim, i)->param] = modes[i];
  zw_sim_set_constants(sim);
}

static bool any_in_energy(const ZwSim* sim, const double* from, const double* to) {
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    if (from[i] != to[i] && mode_at(sim, i)->is_in_energy) return true;
  }
  return false;
}

bool zw_energy_step_enter(ZwSim* sim) {
  ZwEnergyStep* step = &sim->watch.step;
  bool is_any = false;
  for (int32_t i = 0; step->is_on && i < sim->system->modes.count; i++) {
    bool is_taken = mode_at(sim, i)->is_of_state && mode_at(sim, i)->is_in_energy;
    step->before[i] = sim->values[mode_at(sim, i)->param];
    step->now[i] = is_taken ? sim->watch.modes[i] : step->before[i];
    is_any = is_any || step->now[i] != step->before[i];
  }
  if (is_any) set_modes(sim, step->now);
  return is_any;
}

void zw_energy_step_leave(ZwSim* sim) {
  set_modes(sim, sim->watch.step.before);
}

/* The state y a time `back` ago, along the rates of the motion as it was. */
static void go_back(ZwSim* sim, double back, double* y) {
  const double* rate = sim->k[ZW_DOP853_STAGES + 1];
  for (int32_t i = 0; i < sim->dim; i++) y[i] = sim->y[i] - back * rate[i];
}

/* With the modes `from`, which are set: are those that change what `wanted` says, a time `back` ago? */
static bool is_at(ZwSim* sim, const double* from, const double* to, const double* wanted, double back) {
  double t = sim->t - back, *y = sim->y_out;
  go_back(sim, back, y);
  if (!zw_eval_events(sim, t, y, zw_velocity(sim, t, y))) return false;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    const ZwMode* mode = mode_at(sim, i);
    if (from[i] != to[i] && mode->is_in_energy && sim->watch.values[mode->value] != wanted[i]) return false;
  }
  return true;
}

/* ---- what differs ---- */

/* How many energies there are: of each group one, so that rounding of one hides no jump of another, and that of the constants. Momenta
 * come after them. What a switch changes in terms without coordinates belongs to the groups that it changes, as sin(t) in
 * (x - sin(t))*sign(x - sin(t)): then their sum counts, and else each group. */
static int32_t energies_of(const ZwSim* sim) {
  return sim->equations->groups.count + 1;
}

static int32_t numbers_of(const ZwSim* sim) {
  return energies_of(sim) + sim->n;
}

/* The energies and the momenta of one branch at a state. */
static bool look(ZwSim* sim, double t, const double* y, double* values, double* constants) {
  const double* v = zw_velocity(sim, t, y);
  int32_t groups = sim->equations->groups.count;
  bool is_finite = zw_eval_energy(sim, t, y, v);
  zw_copy(groups, sim->E_of, values);
  values[groups] = *constants = sim->E_of[groups];
  is_finite = zw_eval_variation(sim, t, y, v) && is_finite;
  zw_copy(sim->n, sim->Lv, values + energies_of(sim));
  return is_finite;
}

/* Adds what those looked at last may be wrong by. */
static void add_rounding(ZwSim* sim, double* to) {
  ZwEnergyStep* step = &sim->watch.step;
  zw_program_rounding_of(sim->program, &sim->state, ZW_TARGET_ENERGY, sim->sizes.errors, step->errors);
  zw_program_rounding_of(sim->program, &sim->state, ZW_TARGET_LV, sim->sizes.errors, step->errors + energies_of(sim));
  zw_axpy(numbers_of(sim), ROUNDINGS, step->errors, to);
}

/* How far away the states before and after the switch are, which need not be where it was found; at most so far. */
static double find_distance(ZwSim* sim, const double* from, const double* to) {
  double span = zw_sizes_time(sim), back = FIRST * DBL_EPSILON * fmax(fabs(sim->t), span);
  while (back < FARTHEST * span && !(is_at(sim, from, to, from, back) && is_at(sim, from, to, to, -back))) back *= 4;
  return back;
}

static void find_rates(ZwSim* sim) {
  double* rate = sim->k[ZW_DOP853_STAGES + 1];
  if (zw_eval_rate(sim, sim->t, sim->y, rate) == ZW_OK) return;
  zw_fill(sim->dim, 0, rate);
  zw_copy(sim->n, zw_velocity(sim, sim->t, sim->y), rate); /* a branch that has no value there */
}

/* Whether number i is one that counts, with what the switch does to the constants. */
static bool tells(const ZwSim* sim, int32_t i) {
  const ZwEnergyStep* step = &sim->watch.step;
  int32_t constants = energies_of(sim) - 1;
  bool have_changed = step->new_constants != step->old_constants;
  return i > constants || (i == constants) == have_changed;
}

/* Of the branches looked at last: which groups differ; if constants do, these are added to them. */
static void join_constants(ZwSim* sim) {
  ZwEnergyStep* step = &sim->watch.step;
  int32_t constants = energies_of(sim) - 1;
  for (int32_t g = 0; g < constants; g++) {
    if (step->new[g] == step->old[g]) continue;
    step->differs[g] = true;
    if (!tells(sim, constants)) continue;
    step->old[constants] += step->old[g];
    step->new[constants] += step->new[g];
  }
}

/* By how much the differences of number i may be wrong. */
static double rounding_of(const ZwSim* sim, int32_t i) {
  const ZwEnergyStep* step = &sim->watch.step;
  double sum = step->rounding[i];
  for (int32_t g = 0; i == energies_of(sim) - 1 && g < i; g++) sum += step->differs[g] ? step->rounding[g] : 0;
  return sum;
}

/* D at one of the states into the bounds of all. */
static void include(ZwSim* sim) {
  ZwEnergyStep* step = &sim->watch.step;
  for (int32_t i = 0; i < numbers_of(sim); i++) {
    double D = tells(sim, i) ? step->new[i] - step->old[i] : 0;
    if (!isfinite(D)) continue;
    step->least[i] = fmin(step->least[i], D);
    step->most[i] = fmax(step->most[i], D);
  }
}

/* D between the modes `from` and `to` at the state y into the bounds, and what rounding makes of it. */
static void measure_at(ZwSim* sim, const double* from, const double* to, double t, const double* y) {
  ZwEnergyStep* step = &sim->watch.step;
  set_modes(sim, from);
  if (look(sim, t, y, step->old, &step->old_constants)) add_rounding(sim, step->rounding);
  set_modes(sim, to);
  if (look(sim, t, y, step->new, &step->new_constants)) add_rounding(sim, step->rounding);
  join_constants(sim);
  include(sim);
}

/* Do the two branches agree here to the rounding of the numbers themselves, which is the least that they may be wrong by? */
static bool agrees(ZwSim* sim, const double* from, const double* to, int32_t first) {
  ZwEnergyStep* step = &sim->watch.step;
  set_modes(sim, from);
  (void)look(sim, sim->t, sim->y, step->old, &step->old_constants);
  set_modes(sim, to);
  (void)look(sim, sim->t, sim->y, step->new, &step->new_constants);
  join_constants(sim);
  for (int32_t i = first; i < numbers_of(sim); i++) {
    double least = ROUNDINGS * DBL_EPSILON * (fabs(step->old[i]) + fabs(step->new[i]));
    if (tells(sim, i) && !(fabs(step->new[i] - step->old[i]) <= least)) return false;
  }
  return true;
}

static void measure_here(ZwSim* sim, const double* from, const double* to) {
  ZwEnergyStep* step = &sim->watch.step;
  zw_fill(numbers_of(sim), 0, step->rounding);
  zw_fill(numbers_of(sim), INFINITY, step->least);
  zw_fill(numbers_of(sim), -INFINITY, step->most);
  zw_fill(numbers_of(sim), NAN, step->earlier);
  for (int32_t g = 0; g < energies_of(sim); g++) step->differs[g] = false;
  measure_at(sim, from, to, sim->t, sim->y);
  zw_copy(numbers_of(sim), step->new, step->after);
}

/* The same at states before and after the switch. */
static void measure_around(ZwSim* sim, const double* from, const double* to) {
  ZwEnergyStep* step = &sim->watch.step;
  step->has_looked = true;
  set_modes(sim, from);
  find_rates(sim);
  double back = find_distance(sim, from, to);
  for (int k = 0; k < STATES; k++, back *= FARTHER) {
    go_back(sim, -back, sim->y_out);
    measure_at(sim, from, to, sim->t + back, sim->y_out);
    go_back(sim, back, sim->y_out);
    measure_at(sim, from, to, sim->t - back, sim->y_out);
    if (k == 0) zw_copy(numbers_of(sim), step->old, step->earlier);
  }
}

/* The jump of number i from a state before to one after the switch; not a number where either is not known. */
static double jump_between(const ZwSim* sim, int32_t i) {
  const ZwEnergyStep* step = &sim->watch.step;
  double D = step->after[i] - step->earlier[i], largest = fmax(fabs(step->after[i]), fabs(step->earlier[i]));
  return fabs(D) <= rounding_of(sim, i) + ERROR_OF_SWITCH(sim->tolerance) * largest ? 0 : D;
}

/* The jump of number i: 0 where there is none. */
static double jump_of(const ZwSim* sim, int32_t i) {
  const ZwEnergyStep* step = &sim->watch.step;
  double least = step->least[i], most = step->most[i];
  if (!(least <= most)) return jump_between(sim, i);
  if (least * most <= 0) return 0;
  double D = least > 0 ? least : most;
  return fabs(D) > rounding_of(sim, i) + PART * (most - least) ? D : 0;
}

/* The first number that jumps, from `first` on, or may for all that is known; numbers_of: none does. */
static int32_t find_jump(const ZwSim* sim, int32_t first) {
  int32_t i = first, count = numbers_of(sim);
  while (i < count && jump_of(sim, i) == 0) i++;
  return i;
}

/* ---- what is said ---- */

/* Of the modes that change, the one that changes the energy most when it changes alone; else the first. */
static int32_t find_culprit(ZwSim* sim, const double* from, const double* to) {
  ZwEnergyStep* step = &sim->watch.step;
  int32_t culprit = -1;
  double most = -1;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    const ZwMode* mode = mode_at(sim, i);
    if (from[i] == to[i] || !mode->is_in_energy) continue;
    set_modes(sim, from);
    (void)look(sim, sim->t, sim->y, step->old, &step->old_constants);
    sim->values[mode->param] = to[i];
    zw_sim_set_constants(sim);
    (void)look(sim, sim->t, sim->y, step->new, &step->new_constants);
    double change = 0;
    for (int32_t g = 0; g < energies_of(sim); g++) change += step->new[g] - step->old[g];
    change = fabs(change);
    if (change > most || culprit < 0) {
      culprit = i;
      most = change;
    }
  }
  return culprit;
}

static void advise(ZwSim* sim, const ZwMode* mode) {
  const char* remedy =
      "write a step that is steep but smooth, with tanh; or leave it out of the energy and let a "
      "'when' set the velocities";
  if (mode->is_of_velocity)
    remedy = "an energy may have a kink in the velocities, where its momenta agree, but no jump";
  if (!mode->is_of_state) remedy = "let it change fast but smoothly, or let a 'when' set the velocities";
  zw_diag_remedy(sim->diags, "%s", remedy);
}

static ZwStatus refuse(ZwSim* sim, int32_t number, double jump, int32_t i) {
  const ZwMode* mode = mode_at(sim, number);
  ZwSpan span = sim->system->params.items[mode->param].span;
  if (i < energies_of(sim)) {
    zw_diag_error(sim->diags, ZW_ERR_STEP, span,
                  "at t = %s '%.*s' switches and the energy jumps by %.6g: the force of a jump is not defined",
                  zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(mode->name), jump);
  } else {
    ZwStr name = sim->system->coords.items[i - energies_of(sim)].name;
    zw_diag_error(sim->diags, ZW_ERR_STEP, span,
                  "at t = %s '%.*s' switches and dL/d%.*s', the momentum of '%.*s', jumps by %.6g at the same "
                  "velocities: how these change is not defined",
                  zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(mode->name), ZW_STR_ARGS(name), ZW_STR_ARGS(name), jump);
  }
  advise(sim, mode);
  return ZW_ERR_STEP;
}

/* From the modes `from` to the modes `to`; the energy itself may jump or not. */
static ZwStatus check(ZwSim* sim, const double* from, const double* to, bool may_energy_jump) {
  int32_t first = may_energy_jump ? energies_of(sim) : 0;
  if (!any_in_energy(sim, from, to) || agrees(sim, from, to, first)) return ZW_OK;
  measure_here(sim, from, to);
  int32_t i = find_jump(sim, first);
  if (i == numbers_of(sim)) return ZW_OK;
  measure_around(sim, from, to);
  i = find_jump(sim, first);
  return i == numbers_of(sim) || isnan(jump_of(sim, i)) ? ZW_OK
                                                        : refuse(sim, find_culprit(sim, from, to), jump_of(sim, i), i);
}

ZwStatus zw_energy_step_check(ZwSim* sim) {
  ZwEnergyStep* step = &sim->watch.step;
  if (!step->is_on) return ZW_OK;
  int32_t count = sim->system->modes.count;
  for (int32_t i = 0; i < count; i++) step->now[i] = sim->values[mode_at(sim, i)->param];
  if (!any_in_energy(sim, step->before, step->now)) return ZW_OK;
  /* what the clock switches first, then the rest */
  for (int32_t i = 0; i < count; i++) step->between[i] = mode_at(sim, i)->is_of_state ? step->before[i] : step->now[i];
  int64_t evaluations = sim->stats.evaluations; /* of accelerations: these are none */
  ZwStatus status = check(sim, step->before, step->between, true);
  if (!status) status = check(sim, step->between, step->now, false);
  set_modes(sim, step->now);
  sim->stats.evaluations = evaluations;
  return status;
}
