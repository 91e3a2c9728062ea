/* Margins that constraints hold. On a rod of length 1 the two sides of norm(P) > 1 are equal; which of them is the larger number is
 * rounding, and what projection leaves. Such a margin is *tied*: conditions and modes are told by a hidden parameter of the model where
 * it is (ZwMargin.tie), and its value is not asked. It is tied where the rows in force leave it no way to change:
 *
 *   a margin of positions    its gradient lies in the span of those of the rows on velocities,
 *   a margin of velocities   its gradient by them lies in the span of the rows on accelerations,
 *
 * and its rate, which then no motion can change, is zero. That is asked at a state aside, since a gradient may lie there at one
 * place by accident: at the lowest point of a pendulum its height does not change either. Only rows that come or go, or something
 * assigned, can tie or untie; so it is asked at the start and at events.
 *
 * What is tied is zero: the two sides are equal, whichever of them the motion had found larger just before. Where constraints hold them
 * apart, by more than projection may leave, it stays on its side. A margin that is untied stays what it was until it has left zero by more than
 * an error; where a contact lets go of it that begins to slide, it is on the side where the slip takes it. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/sim.h"

/* Farther from zero than this part of its size a margin needs no tie; one that is tied may have drifted. */
#define NEAR 1e-6
#define DRIFTED 1e-4
/* How far aside a state is, in sizes of positions and of velocities; a shorter way where constraints cannot be met there. */
#define ASIDE 1e-3
#define ASIDE_LEAST 1e-7
#define ASIDE_SHORTER 1e-2
#define ASIDE_VELOCITY 0.1
/* Part of what a rate is made of that counts as none. */
#define NONE 1e-8
/* Roundings of a margin. */
#define ROUNDINGS 64
/* Part of the tolerance. */
#define ERROR_OF_MOTION 0.1
/* A margin that is untied has left when it is this many times as far from zero as it was. */
#define LEFT 2

enum { LOOSE, TIED, LEAVING };

static const ZwMargin* margin_at(const ZwSim* sim, int32_t i) {
  return &sim->system->margins.items[i];
}

static double* number_of(const ZwSim* sim, int32_t i) {
  return &sim->values[margin_at(sim, i)->tie - 1];
}

static double* margins_of(const ZwSim* sim, double* values) {
  return values + sim->equations->event_count - sim->watch.looks.count;
}

static bool is_whole(const ZwSim* sim, int32_t i) {
  return margin_at(sim, i)->kind == ZW_MARGIN_WHOLE;
}

/* How far it is from where it matters. */
static double away(const ZwSim* sim, int32_t i, double value) {
  return fabs(is_whole(sim, i) ? value - round(value) : value);
}

/* ---- what conditions are told ---- */

/* After its number has left zero by so much, one that was untied speaks for itself. */
static bool still_stays(const ZwSim* sim, int32_t i, double value) {
  return away(sim, i, value) <= sim->watch.ties.leave[i];
}

bool zw_ties_read(ZwSim* sim) {
  ZwTies* ties = &sim->watch.ties;
  const double* margins = margins_of(sim, sim->watch.values);
  bool is_other = false;
  for (int32_t i = 0; i < sim->watch.looks.count; i++) {
    if (ties->state[i] != LEAVING) continue;
    double *number = number_of(sim, i), said = still_stays(sim, i, margins[i]) ? ties->side[i] : ZW_TIE_LOOSE;
    is_other = is_other || *number != said;
    *number = said;
  }
  if (is_other) zw_sim_set_constants(sim);
  return is_other;
}

void zw_ties_hide(ZwSim* sim) {
  double* margins = margins_of(sim, sim->watch.values);
  for (int32_t i = 0; i < sim->watch.looks.count; i++) {
    if (sim->watch.ties.state[i] == TIED) margins[i] = NAN;
  }
}

bool zw_ties_stays(const ZwSim* sim, int32_t margin, double value) {
  return sim->watch.ties.count > 0 && sim->watch.ties.state[margin] == LEAVING && still_stays(sim, margin, value);
}

bool zw_ties_is_tied(const ZwSim* sim, int32_t margin) {
  return sim->watch.ties.count > 0 && sim->watch.ties.state[margin] == TIED;
}

/* ---- is it held? ---- */

/* Between 1/2 and 1, of either sign. */
static double draw_from(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  double size = 0.5 + 0.5 * (double)(*seed >> 40) / (1 << 24);
  return *seed >> 63 ? size : -size;
}

static double size_of(const ZwSim* sim, int32_t i) {
  double size = sim->start_size[i];
  if (size > 0 && isfinite(size)) return size;
  return i < sim->n ? sim->sizes.unit[i] : fmax(sim->sizes.unit[i], sim->start_size[i - sim->n]);
}

/* A state on the constraints beside the present one. */
static bool go_aside(ZwSim* sim, double part, uint64_t* seed, double* y) {
  ptrdiff_t n = sim->n;
  int32_t row;
  const double* v = sim->watch.ties.direction; /* those of the present state, as long as no direction is looked at */
  for (int32_t i = 0; i < n; i++) y[i] = sim->y[i] + part * draw_from(seed) * size_of(sim, i);
  for (int32_t i = 0; i < n; i++) y[n + i] = v[i] + ASIDE_VELOCITY * draw_from(seed) * size_of(sim, (int32_t)n + i);
  y[2 * n] = 0;
  return zw_project(sim, sim->t, y, &row) == ZW_PROJECTED;
}

/* What margins move by where positions, or velocities, change by `change`: along it; and if all its parts added up. */
static void move_along(ZwSim* sim, const ZwAlong* along, double* rates) {
  zw_program_event_rates(sim->program, &sim->state, along, sim->watch.ties.scratch, rates);
}

static void add_sizes(ZwSim* sim, ZwEntry entry, const double* change, double* absolute, double* to) {
  ZwKernelState* state = &sim->state;
  double* kept = state->targets[ZW_TARGET_EVENT];
  const double* a = state->a;
  for (int32_t i = 0; i < sim->n; i++) absolute[i] = fabs(change[i]);
  state->targets[ZW_TARGET_EVENT] = to;
  state->a = absolute;
  zw_program_run(sim->program, entry, state);
  state->a = a;
  state->targets[ZW_TARGET_EVENT] = kept;
}

/* Numbers by values of events. */
typedef struct Asked {
  double *rates, *sizes, *sizes_v;
} Asked;

static void clear(const ZwSim* sim, double* x) {
  memset(x, 0, (size_t)sim->equations->event_count * sizeof(double));
}

/* Along a direction that the rows of a level allow: margins of positions, or of velocities, that change are not held. */
static bool look_along(ZwSim* sim, ZwLevel level, const double* y, uint64_t* seed, const Asked* asked) {
  ZwTies* ties = &sim->watch.ties;
  bool is_of_velocity = level == ZW_LEVEL_ACCELERATION;
  double *u = ties->direction, *absolute = u + sim->n;
  if (!zw_eval_acceleration(sim, sim->t, y, y + sim->n)) return false;
  for (int32_t i = 0; i < sim->n; i++) u[i] = draw_from(seed) * size_of(sim, i);
  clear(sim, asked->sizes_v);
  add_sizes(sim, ZW_ENTRY_SIZE_V, u, absolute, asked->sizes_v);
  clear(sim, asked->sizes);
  if (!is_of_velocity) add_sizes(sim, ZW_ENTRY_SIZE_Q, u, absolute, asked->sizes);
  if (!zw_project_direction(sim, &sim->sets[level], u)) return false;
  ZwAlong along = {.dq = is_of_velocity ? sim->zero : u, .dv = is_of_velocity ? u : sim->zero};
  zw_eval_at(sim, sim->t, y, y + sim->n);
  move_along(sim, &along, asked->rates);
  const double *rates = margins_of(sim, asked->rates), *sizes_v = margins_of(sim, asked->sizes_v);
  const double* sizes = is_of_velocity ? sizes_v : margins_of(sim, asked->sizes);
  for (int32_t i = 0; i < sim->watch.looks.count; i++) {
    if ((sizes_v[i] > 0) != is_of_velocity) continue;
    ties->holds[i] = ties->holds[i] && sizes[i] > 0 && fabs(rates[i]) <= NONE * sizes[i];
  }
  return true;
}

/* Along the motion there. */
static bool look_ahead(ZwSim* sim, const double* y, const Asked* asked) {
  ZwTies* ties = &sim->watch.ties;
  ptrdiff_t n = sim->n;
  double *rate = sim->k[ZW_DOP853_STAGES + 1], *a = ties->direction, *absolute = a + n;
  if (zw_eval_rate(sim, sim->t, y, rate)) return false;
  for (int32_t i = 0; i < n; i++) a[i] = fmax(fabs(rate[n + i]), sim->sizes.pace[i]);
  clear(sim, asked->sizes);
  zw_eval_at(sim, sim->t, y, y + n);
  add_sizes(sim, ZW_ENTRY_SIZE_V, a, absolute, asked->sizes);
  add_sizes(sim, ZW_ENTRY_SIZE_Q, y + n, absolute, asked->sizes);
  move_along(sim, &(ZwAlong){.dt = 1, .dq = y + n, .dv = rate + n}, asked->rates);
  const double *rates = margins_of(sim, asked->rates), *sizes = margins_of(sim, asked->sizes);
  for (int32_t i = 0; i < sim->watch.looks.count; i++) {
    ties->holds[i] = ties->holds[i] && fabs(rates[i]) <= NONE * sizes[i];
  }
  return true;
}

static bool look_from(ZwSim* sim, double* y, uint64_t* seed, const Asked* asked) {
  bool is_found = false;
  for (double part = ASIDE; part >= ASIDE_LEAST && !is_found; part *= ASIDE_SHORTER) {
    is_found = go_aside(sim, part, seed, y);
  }
  return is_found && look_along(sim, ZW_LEVEL_VELOCITY, y, seed, asked) &&
         look_along(sim, ZW_LEVEL_ACCELERATION, y, seed, asked) && look_ahead(sim, y, asked);
}

/* Which of the margins in `holds` are held by rows; false where that cannot be told. */
static bool ask_rows(ZwSim* sim) {
  ZwTies* ties = &sim->watch.ties;
  ptrdiff_t events = sim->equations->event_count;
  Asked asked = {ties->values, ties->values + events, ties->values + 2 * events};
  ZwFormulation formulation = sim->formulation;
  double displacement = sim->displacement, moved_most = sim->moved_most;
  uint64_t seed = 1;
  memcpy(ties->direction, zw_velocity(sim, sim->t, sim->y), (size_t)sim->n * sizeof(double));
  sim->formulation = ZW_FORMULATION_AUTO; /* the state aside holds velocities */
  bool is_told = look_from(sim, ties->aside, &seed, &asked);
  sim->formulation = formulation;
  sim->displacement = displacement;
  sim->moved_most = moved_most;
  return is_told;
}

/* ---- which way does it go? ---- */

/* Of a coefficient of friction that reads the speed of the slip, the branch that was held at no speed would be the wrong one for a while. */

static bool begins_to_slide(const ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  bool is_still = contact->slip_dim == 1 && zw_contacts_is_closed(sim, i) && sim->contacts.is_still[i];
  return is_still && sim->values[contact->slides] != 0;
}

/* How a change of the velocities changes the slip of contact i, forward. */
static double forward(const ZwSim* sim, int32_t i, const double* u) {
  const ZwContact* contact = zw_contact_of(sim, i);
  const ZwPattern* A = &sim->equations->A;
  double sum = 0;
  for (int32_t k = A->begin[contact->slip]; k < A->begin[contact->slip + 1]; k++) sum += sim->Ax[k] * u[A->column[k]];
  return sum * sim->values[contact->slides];
}

/* Adds the steepest change of the velocities, in their sizes, that takes the slip of contact i forward by 1. */
static void add_forward(const ZwSim* sim, int32_t i, double* u) {
  const ZwContact* contact = zw_contact_of(sim, i);
  const ZwPattern* A = &sim->equations->A;
  double all = 0, sign = sim->values[contact->slides];
  for (int32_t k = A->begin[contact->slip]; k < A->begin[contact->slip + 1]; k++) {
    double part = sim->Ax[k] * size_of(sim, sim->n + A->column[k]);
    all += part * part;
  }
  for (int32_t k = A->begin[contact->slip]; all > 0 && k < A->begin[contact->slip + 1]; k++) {
    double size = size_of(sim, sim->n + A->column[k]);
    u[A->column[k]] += sign * sim->Ax[k] * size * size / all;
  }
}

/* A change of the velocities that the rows allow, and that takes everything forward that begins to slide; false: none is found. */
static bool find_slide(ZwSim* sim, double* u) {
  bool is_any = false, is_forward = true;
  for (int32_t j = 0; j < sim->n; j++) u[j] = 0;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    if (!begins_to_slide(sim, i)) continue;
    is_any = true;
    add_forward(sim, i, u);
  }
  if (!is_any || !zw_project_direction(sim, &sim->sets[ZW_LEVEL_ACCELERATION], u)) return false;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    if (begins_to_slide(sim, i)) is_forward = is_forward && forward(sim, i, u) > 0;
  }
  return is_forward;
}

static bool any_leaves(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.looks.count; i++) {
    if (sim->watch.ties.state[i] == TIED && !sim->watch.ties.holds[i]) return true;
  }
  return false;
}

/* The margins that leave go up (1) or down (-1) with what begins to slide; 0: that does not tell. */
static void find_ways(ZwSim* sim) {
  ZwTies* ties = &sim->watch.ties;
  const double* v = ties->aside;
  double *u = ties->direction, *rates = ties->values, *sizes = rates + sim->equations->event_count;
  for (int32_t i = 0; i < sim->watch.looks.count; i++) ties->way[i] = 0;
  if (!any_leaves(sim)) return;
  memcpy(ties->aside, zw_velocity(sim, sim->t, sim->y), (size_t)sim->n * sizeof(double));
  if (!zw_eval_acceleration(sim, sim->t, sim->y, v) || !find_slide(sim, u)) return;
  clear(sim, sizes);
  zw_eval_at(sim, sim->t, sim->y, v);
  add_sizes(sim, ZW_ENTRY_SIZE_V, u, u + sim->n, sizes);
  move_along(sim, &(ZwAlong){.dq = sim->zero, .dv = u}, rates);
  rates = margins_of(sim, rates);
  sizes = margins_of(sim, sizes);
  for (int32_t i = 0; i < sim->watch.looks.count; i++) {
    bool moves = fabs(rates[i]) > NONE * sizes[i];
    ties->way[i] = (int8_t)(!moves ? 0 : rates[i] > 0 ? 1 : -1);
  }
}

/* ---- tying ---- */

/* The margins at a state, whatever is said of them. */
static void read_raw(ZwSim* sim, double t, const double* y, double* to) {
  ZwKernelState* state = &sim->state;
  double *kept = state->targets[ZW_TARGET_EVENT], *values = sim->watch.ties.values;
  clear(sim, values);
  zw_eval_at(sim, t, y, zw_velocity(sim, t, y));
  state->targets[ZW_TARGET_EVENT] = values;
  zw_program_run(sim->program, ZW_ENTRY_EVENT, state);
  state->targets[ZW_TARGET_EVENT] = kept;
  memcpy(to, margins_of(sim, values), (size_t)sim->watch.looks.count * sizeof(double));
}

static bool may_tie(const ZwSim* sim) {
  return sim->watch.ties.is_on && sim->m > 0 && !sim->near.has_limit;
}

/* What rounding and projection may leave of a margin that is zero. */
static double zero_of(const ZwSim* sim, int32_t i) {
  return (ROUNDINGS * DBL_EPSILON + sim->tol_project) * zw_looks_size(&sim->watch.looks, i);
}

/* How far a margin must have left zero: by what counts as the error of the motion, and as no rate. */
static double error_of(const ZwSim* sim, int32_t i) {
  double least = sim->contacts.count > 0 ? LEFT * ZW_STILL : 0;
  double part = ROUNDINGS * DBL_EPSILON + fmax(ERROR_OF_MOTION * sim->tolerance, least);
  return part * zw_looks_size(&sim->watch.looks, i);
}

static double side_of(const ZwSim* sim, int32_t i, double value) {
  if (is_whole(sim, i)) return floor(value) + 0.5;
  return value > 0 ? ZW_TIE_ABOVE : value < 0 ? ZW_TIE_BELOW : ZW_TIE_ZERO;
}

static double on_zero(const ZwSim* sim, int32_t i, double value) {
  return is_whole(sim, i) ? round(value) + 0.5 : ZW_TIE_ZERO;
}

/* Where a margin is that is tied now. */
static double choose_side(const ZwSim* sim, int32_t i, double value) {
  if (sim->watch.ties.state[i] != LOOSE) return sim->watch.ties.side[i];
  return away(sim, i, value) > zero_of(sim, i) ? side_of(sim, i, value) : on_zero(sim, i, value);
}

static void set_state(ZwSim* sim, int32_t i, uint8_t state, double side) {
  ZwTies* ties = &sim->watch.ties;
  ties->state[i] = state;
  ties->side[i] = *number_of(sim, i) = side;
}

/* What is said of a margin that is tied no more, until it has left. */
static double side_left(const ZwSim* sim, int32_t i) {
  const ZwTies* ties = &sim->watch.ties;
  bool is_told = ties->way[i] != 0 && ties->side[i] == ZW_TIE_ZERO && !is_whole(sim, i);
  return !is_told ? ties->side[i] : ties->way[i] > 0 ? ZW_TIE_ABOVE : ZW_TIE_BELOW;
}

/* One margin, whose value is `value`; whether something is another than before. */
static bool settle(ZwSim* sim, int32_t i, double value) {
  ZwTies* ties = &sim->watch.ties;
  uint8_t state = ties->state[i];
  double number = *number_of(sim, i);
  if (ties->holds[i]) {
    set_state(sim, i, TIED, choose_side(sim, i, value));
  } else if (state == TIED) {
    sim->watch.looks.known[i] = NAN; /* whatever it will be is another */
    ties->leave[i] = fmax(LEFT * away(sim, i, value), error_of(sim, i));
    bool is_far = away(sim, i, value) > DRIFTED * zw_looks_size(&sim->watch.looks, i);
    set_state(sim, i, is_far ? LOOSE : LEAVING, is_far ? ZW_TIE_LOOSE : side_left(sim, i));
  } else if (state == LEAVING && !still_stays(sim, i, value)) {
    set_state(sim, i, LOOSE, ZW_TIE_LOOSE);
  }
  return *number_of(sim, i) != number;
}

static bool find_near(ZwSim* sim, const double* values) {
  ZwTies* ties = &sim->watch.ties;
  bool is_any = false;
  for (int32_t i = 0; i < sim->watch.looks.count; i++) {
    double part = ties->state[i] == TIED ? DRIFTED : NEAR;
    bool is_near = away(sim, i, values[i]) <= part * zw_looks_size(&sim->watch.looks, i);
    ties->holds[i] = margin_at(sim, i)->tie > 0 && is_near;
    is_any = is_any || ties->holds[i] || ties->state[i] != LOOSE;
  }
  return is_any;
}

bool zw_ties_find(ZwSim* sim) {
  ZwTies* ties = &sim->watch.ties;
  bool is_other = false;
  if (!may_tie(sim)) return false;
  zw_sizes_take_margins(sim, sim->t, sim->y);
  read_raw(sim, sim->t, sim->y, ties->now);
  if (!find_near(sim, ties->now) || !ask_rows(sim)) return false;
  find_ways(sim);
  ties->count = 0;
  for (int32_t i = 0; i < sim->watch.looks.count; i++) {
    if (margin_at(sim, i)->tie == 0) continue;
    is_other = settle(sim, i, ties->now[i]) || is_other;
    ties->count += ties->state[i] != LOOSE;
  }
  if (is_other) zw_sim_set_constants(sim);
  return is_other;
}

void zw_ties_leave(ZwSim* sim, double t, const double* y) {
  ZwTies* ties = &sim->watch.ties;
  bool is_other = false;
  if (ties->count == 0) return;
  read_raw(sim, t, y, ties->now);
  for (int32_t i = 0; i < sim->watch.looks.count; i++) {
    if (ties->state[i] != LEAVING || still_stays(sim, i, ties->now[i])) continue;
    is_other = is_other || *number_of(sim, i) != ZW_TIE_LOOSE;
    set_state(sim, i, LOOSE, ZW_TIE_LOOSE);
    ties->count--;
  }
  if (is_other) zw_sim_set_constants(sim);
}

void zw_ties_open(ZwSim* sim) {
  ZwTies* ties = &sim->watch.ties;
  bool is_other = false;
  ties->is_on = false;
  ties->count = 0;
  for (int32_t i = 0; i < sim->watch.looks.count; i++) {
    ties->state[i] = LOOSE;
    ties->side[i] = ties->leave[i] = 0;
    if (margin_at(sim, i)->tie == 0) continue;
    ties->is_on = true;
    is_other = is_other || *number_of(sim, i) != ZW_TIE_LOOSE;
    *number_of(sim, i) = ZW_TIE_LOOSE;
  }
  if (is_other) zw_sim_set_constants(sim);
}
