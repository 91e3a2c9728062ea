/* Steps of one-step methods under error control: attempts, projection onto the constraints, what may be accepted and how
 * long the next step is. The method itself (integrator.h) gives the end of an attempt and its error. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/sim.h"

/* Step control: how cautious, and how far a step may shrink or grow at once. */
#define SAFETY 0.8 /* 0.9 costs as many evaluations, twice the rejections, and accuracy */
#define SHRINK_MOST 0.2
#define GROW_MOST 6.0
#define LEAST_ERROR 0.01     /* an error by accident as small as this tells nothing about the next step */
#define AFTER_FAULT 0.25     /* a stage or a projection failed: far too long */
#define NO_TIME 0.1          /* of the run: a time for a start that tells none */
#define LEAST_TIME 1e-4      /* of the run: quicker is rounding, in velocities that are zero */
#define RUNS_AWAY 8.0        /* so many times the accelerations that are known, beyond a switch: */
#define NEARER 0.25          /* another state is tried, so much nearer, */
#define NEAREST 1e-6         /* down to this part */
#define NEARLY_SINGULAR 1e-3 /* pivot ratio of the constraints */
#define DEAD_END 1e-10       /* shortest step towards a position that cannot be passed, as a part of the time */
#define SHORTER 0.8          /* to end a step elsewhere than in a singular position (R6): before it, */
#define LONGER 1.25          /* or behind it */
#define BRANCH 0.05          /* part of the velocity that may change over a singular position (R8) */
#define FEW 1e-3             /* steps that end in a singular motion are shorter than all rounding */
#define ROUNDED 0.1          /* of the tolerance: more rounding of the time in a step, as a part of it, counts */

enum { REFUSED_MAX = 4 };  /* attempts before rounding is suspected */
enum { LANDINGS_MAX = 4 }; /* attempts to end a step elsewhere before a lower rank is believed */

double zw_step_norm(const ZwSim* sim, const double* x, const double* y) {
  return zw_sizes_norm(sim, 0, 2 * sim->n, x, y, sim->tolerance);
}

/* How fast x changes in parts of the sizes, on the quickest island: a rate, in 1 / time. */
static double relative_rate(const ZwSim* sim, const double* x) {
  return zw_sizes_norm(sim, 0, 2 * sim->n, x, NULL, 1);
}

/* How fast the velocities change in parts of themselves, on the quickest island. They are summed by their kinetic energy: one that is
 * zero but for rounding says nothing. */
static double rate_of_velocities(const ZwSim* sim) {
  const ZwSizes* sizes = &sim->sizes;
  double *sums = sizes->sums, most = 0;
  int32_t n = sim->n;
  for (int32_t g = 0; g < 2 * sizes->islands; g++) sums[g] = 0;
  for (int32_t i = 0; i < n; i++) {
    double *sum = sums + 2 * (ptrdiff_t)sizes->island[i], change = sim->k[0][n + i], size = sizes->unit[n + i];
    sum[0] += sizes->mass[i] * change * change;
    sum[1] += sizes->mass[i] * size * size;
  }
  for (int32_t g = 0; g < sizes->islands; g++) {
    if (sums[2 * g + 1] > 0) most = fmax(most, sums[2 * g] / sums[2 * g + 1]);
  }
  return sqrt(most);
}

/* Is an acceleration in k[1] far larger than those known? */
static bool runs_away(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->n; i++) {
    if (fabs(sim->k[1][sim->n + i]) > RUNS_AWAY * sim->sizes.pace[i]) return true;
  }
  return false;
}

/* A state ahead by h or less, along the present rate, and its rate: but not one beyond a switch, where forces of this branch have run away to
 * what the motion does not meet. False: it has none. */
static bool try_ahead(ZwSim* sim, double* h) {
  double shortest = NEAREST * *h;
  for (;; *h *= NEARER) {
    for (int32_t i = 0; i < sim->dim; i++) sim->y_new[i] = sim->y[i] + *h * sim->k[0][i];
    if (zw_eval_rate(sim, sim->t + *h, sim->y_new, sim->k[1])) return false;
    if (*h * NEARER < shortest || !runs_away(sim) || !zw_events_is_beyond(sim, sim->t + *h, sim->y_new)) return true;
  }
}

double zw_step_first(ZwSim* sim, double rest) {
  double span = isfinite(sim->sizes.span) ? sim->sizes.span : rest;
  /* a time in which velocities change by their own size: sizes of positions follow from it */
  zw_sizes_take(sim, 0);
  double quickest = rate_of_velocities(sim);
  double quick = quickest * span > 1 ? fmax(1 / quickest, LEAST_TIME * span) : NO_TIME * span;
  zw_sizes_take(sim, quick);
  /* a step in which an Euler step changes y by a hundredth of its size ... */
  double slope = relative_rate(sim, sim->k[0]);
  double h = slope * span > 0.01 ? 0.01 / slope : span;
  /* ... then the rate of change that the second derivative shows there (Hairer, Norsett, Wanner II.4, in units of that rate) */
  if (!try_ahead(sim, &h)) return 0.01 * h;
  for (int32_t i = 0; i < sim->dim; i++) sim->k[2][i] = sim->k[1][i] - sim->k[0][i];
  /* what begins to move only now has its first size from there */
  for (int32_t i = 0; i < sim->n; i++) {
    double *pace = sim->sizes.pace + i, *unit = sim->sizes.unit + i;
    *pace = fmax(*pace, fabs(sim->k[1][sim->n + i]));
    *unit = fmax(*unit, quick * quick * fabs(sim->k[2][i]) / h);
    unit[sim->n] = fmax(unit[sim->n], quick * *pace);
  }
  sim->sizes.is_taken = false; /* the first attempt makes its own */
  double rate = fmax(slope, sqrt(relative_rate(sim, sim->k[2]) / h));
  double part = pow(0.01 * sim->tolerance, 1.0 / sim->integrator->order);
  double h1 = rate * span > part ? part / rate : span;
  return fmin(fmin(100 * h, h1), rest);
}

/* Whether the projection may have moved velocities along directions that rows hold only weakly. Elsewhere all that it moves counts as
 * error (R7), so that it is no more than some tolerances. */
static bool may_lose_branch(const ZwSim* sim) {
  return (sim->near.is_near || sim->near.is_crossing) && zw_singular_is_in_sight(sim);
}

/* ... of what inertia and rows join; what is alone has no row. */
static bool has_lost_part(const ZwSim* sim, const double* predicted, int32_t part) {
  const ZwPattern* M = &sim->equations->M; /* its lower triangle */
  const ZwParts* parts = &sim->equations->parts;
  const double* v = sim->y_new + sim->n;
  double off = 0, size = 0, least = 0; /* of a system at rest, which has no velocity to measure against */
  int32_t n = sim->n;
  for (int32_t l = parts->begin[part]; l < parts->begin[part + 1]; l++) {
    int32_t i = parts->coords[l];
    double small = sim->tolerance * sim->sizes.unit[n + i];
    least += sim->sizes.mass[i] * small * small;
    for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++) {
      int32_t j = M->column[k];
      double mass = i == j ? sim->Mx[k] : 2 * sim->Mx[k];
      off += (v[i] - predicted[i]) * mass * (v[j] - predicted[j]);
      size += v[i] * mass * v[j];
    }
  }
  return off > BRANCH * BRANCH * size + least;
}

/* R8: the velocity after a singular position is that of the branch the motion was on. */
static bool has_lost_branch(const ZwSim* sim, const double* predicted) {
  for (int32_t part = 0; part < sim->equations->parts.count; part++) {
    if (has_lost_part(sim, predicted, part)) return true;
  }
  return false;
}

ZwRefusal zw_step_refusal(const ZwSim* sim, ZwStatus status) {
  return (ZwRefusal){
      .status = status, .row = -1, .reason = sim->reason, .dependent = sim->dependent, .t = sim->t_evaluated};
}

/* Puts the end of an attempt onto the constraints, and looks at the rate there. */
static double end_attempt(ZwSim* sim, double h, double error, ZwRefusal* refusal) {
  sim->displacement = sim->moved_most = 0;
  int32_t row = -1;
  if (sim->near.is_near || sim->near.is_crossing)
    memcpy(sim->F[4], sim->y_new + sim->n, (size_t)sim->n * sizeof(double));
  ZwProjection projection = zw_project(sim, sim->t + h, sim->y_new, &row);
  if (projection != ZW_PROJECTED) {
    refusal->row = row;
    refusal->is_outside = projection == ZW_PROJECTION_DROPPED_ROW;
    if (row < 0) refusal->status = ZW_ERR_DOMAIN;
    return INFINITY;
  }
  error = zw_larger(error, ZW_ERROR_OF_DISPLACEMENT * sim->displacement);
  if (!(error <= 1)) {
    if (sim->moved_most > 0) refusal->row = sim->moved_row;
    return error;
  }
  return zw_step_end(sim, h, error, refusal);
}

/* Where the step may have passed over something narrow. What the end has left is made again afterwards. */
static double look_closer(ZwSim* sim, double h, double error, ZwRefusal* refusal) {
  sim->step = sim->h_dense = h;
  sim->has_dense = false;
  refusal->is_too_long = zw_narrow_is_passed(sim);
  return refusal->is_too_long ? INFINITY : end_attempt(sim, h, error, refusal);
}

/* The end and error of the method, projection, and the rate at the projected end. Returns the error in units of the tolerance; infinity
 * with a reason when the attempt failed. */
double zw_step_attempt(ZwSim* sim, double h, ZwRefusal* refusal) {
  *refusal = (ZwRefusal){.status = ZW_ERR_STEP, .row = -1};
  double error = INFINITY;
  zw_sizes_take(sim, h);
  ZwStatus status = sim->stepper->attempt(sim, h, &error);
  if (status) {
    *refusal = zw_step_refusal(sim, status);
    return INFINITY;
  }
  if (!(error <= 1)) return error; /* also when it is not a number */
  error = end_attempt(sim, h, error, refusal);
  return error <= 1 && zw_narrow_may_be(sim, h) ? look_closer(sim, h, error, refusal) : error;
}

double zw_step_end(ZwSim* sim, double h, double error, ZwRefusal* refusal) {
  *refusal = (ZwRefusal){.status = ZW_ERR_STEP, .row = -1};
  ZwStatus status = zw_eval_rate_projected(sim, sim->t + h, sim->y_new, sim->k[ZW_DOP853_STAGES]);
  if (status) {
    *refusal = zw_step_refusal(sim, status);
    return INFINITY;
  }
  zw_sizes_note_forces(sim, sim->k[ZW_DOP853_STAGES]);
  /* at a forbidden landing there is another answer: the step ends elsewhere */
  if (zw_singular_may_land(sim) && may_lose_branch(sim) && has_lost_branch(sim, sim->F[4])) {
    refusal->is_branch_lost = true;
    return INFINITY;
  }
  refusal->row = zw_rows_violated(sim);
  refusal->is_outside = refusal->row >= 0;
  return refusal->is_outside ? INFINITY : error;
}

/* A row outside the frozen ones is violated at the end of the attempt. If the rows are of higher rank there, the
 * larger set is taken and the step repeated with it (R3); otherwise the row contradicts the others. */
static bool took_row(ZwSim* sim, double h) {
  int32_t before = 0, after = 0;
  for (int level = 0; level < 3; level++) before += sim->sets[level].count;
  if (!zw_eval_acceleration(sim, sim->t + h, sim->y_new, zw_velocity(sim, sim->t + h, sim->y_new))) return false;
  if (zw_rows_decide(sim)) return false;
  for (int level = 0; level < 3; level++) after += sim->sets[level].count;
  return after > before && zw_eval_rate_projected(sim, sim->t, sim->y, sim->k[0]) == ZW_OK;
}

/* The rows at the new end. False: the step would end where rank is lost; end it elsewhere. */
static bool settle_rows(ZwSim* sim, int landings) {
  bool has_lost = false, may_lose = landings >= LANDINGS_MAX;
  if (zw_rows_review(sim, sim->pivot_ratio, may_lose, &has_lost)) return false;
  return !has_lost || may_lose;
}

/* A step this short does not change t any more, or would take forever. */
static double shortest_step(const ZwSim* sim, double until) {
  double time = fmax(fabs(sim->t), fabs(until));
  if (zw_singular_is_dead(sim)) return DEAD_END * time; /* nearer to the end of the way there is nothing to see */
  return fmax(16 * DBL_EPSILON * time, 1e-300);
}

/* By how much a row moves, at a level, while the clock goes on by one number, as a part of what it is made of. */
static double coarseness(ZwSim* sim, int32_t row, bool is_of_velocity) {
  enum { NUMBERS = 64 };
  const double* v = zw_velocity(sim, sim->t, sim->y);
  double residual[2], size = 0, t = sim->t;
  for (int k = 0; k < 2; k++, t += NUMBERS * DBL_EPSILON * fabs(t)) {
    bool is_finite = is_of_velocity ? zw_eval_velocity(sim, t, sim->y, v) : zw_eval_position(sim, t, sim->y);
    if (!is_finite) return 0;
    residual[k] = is_of_velocity ? sim->psi[row] : sim->phi[row];
    size = zw_still_size(sim, row, is_of_velocity ? ZW_LEVEL_VELOCITY : ZW_LEVEL_POSITION);
  }
  return size > 0 ? fabs(residual[1] - residual[0]) / (NUMBERS * size) : 0;
}

static ZwStatus fault_clock(ZwSim* sim, int32_t row) {
  zw_diag_error(
      sim->diags, ZW_ERR_STEP, zw_row_span(sim, row),
      "at t = %s the clock is too coarse for the constraint '%.*s': times there are %.2g apart, and it moves by "
      "more than the tolerance in between",
      zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(zw_row_name(sim, row)), DBL_EPSILON * fabs(sim->t));
  zw_diag_remedy(sim->diags, "begin the run later, or take a larger tolerance");
  return ZW_ERR_STEP;
}

/* Is a constraint that moves rounded away by the clock? */
static bool is_clock_coarse(ZwSim* sim, int32_t row) {
  bool is_rounded = DBL_EPSILON * fabs(sim->t) > ROUNDED * sim->tolerance * sim->h_accepted;
  if (!is_rounded) return false;
  return zw_larger(coarseness(sim, row, false), coarseness(sim, row, true)) > ROUNDED * sim->tolerance;
}

/* Are the constraints no nearer to losing hold than before, and is what they cannot do rounding? Masses far apart in one of them do that: the light ones
 * are held by the ratio of the masses. */
static bool is_rounding(ZwSim* sim) {
  bool is_dead = sim->near.is_near || zw_singular_is_dead(sim);
  return !is_dead && ZW_ERROR_OF_DISPLACEMENT * zw_project_rounding(sim) > 1;
}

static ZwStatus fault_rounding(ZwSim* sim, int32_t row) {
  zw_diag_error(sim->diags, ZW_ERR_STEP, zw_row_span(sim, row),
                "at t = %s rounding of the constraint '%.*s' moves positions or velocities by more than the tolerance",
                zw_when(sim, sim->t, 7).text, ZW_STR_ARGS(zw_row_name(sim, row)));
  zw_diag_remedy(sim->diags, "are masses in it too far apart? Leave out the small ones, or take a larger tolerance");
  return ZW_ERR_STEP;
}

/* The motion has come to where the constraints cannot be met together any more. */
const char* zw_row_jump_remedy(const ZwSim* sim, int32_t row) {
  const ZwTerm* term = &sim->system->terms.items[sim->equations->rows.items[row].term];
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  bool has_cut = zw_expr_has(&scratch, &sim->system->graph, term->value, ZW_OP_ATAN2);
  zw_arena_destroy(&scratch);
  if (!has_cut) return "does it jump, or ask for more than the mechanism can reach?";
  return "atan2(y, x) jumps by 2*pi where y = 0 and x < 0, and has no value at y = x = 0: write pi + atan2(-y, -x), "
         "which "
         "jumps where x > 0, or count turns by a coordinate f and the constraint f' = (x*y' - y*x')/(x^2 + y^2)";
}

static ZwStatus fault_dead_end(ZwSim* sim, int32_t row) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText names;
  zw_text_init(&names, &scratch);
  bool is_singular = sim->near.is_near || sim->pivot_ratio < NEARLY_SINGULAR;
  if (sim->near.is_near && zw_singular_names(sim, &names) > 1) {
    zw_diag_error(sim->diags, ZW_ERR_STEP, zw_row_span(sim, row),
                  "at t = %s the constraints %s can no longer be met together", zw_when(sim, sim->t, 7).text,
                  zw_text_get(&names));
  } else {
    zw_diag_error(sim->diags, ZW_ERR_STEP, zw_row_span(sim, row),
                  "at t = %s the constraint '%.*s' can no longer be met", zw_when(sim, sim->t, 7).text,
                  ZW_STR_ARGS(zw_row_name(sim, row)));
  }
  zw_diag_remedy(sim->diags, "%s",
                 is_singular ? "they become dependent there: a dead position, from which no motion leads on"
                             : zw_row_jump_remedy(sim, row));
  zw_arena_destroy(&scratch);
  return ZW_ERR_STEP;
}

/* An evaluation that failed; of a formulation without an answer the last attempt tells more than what was looked at since. */
static ZwStatus fault_refused(ZwSim* sim, const ZwRefusal* refusal) {
  if (refusal->reason && refusal->reason[0]) {
    sim->reason = refusal->reason;
    sim->dependent = refusal->dependent;
    sim->t_evaluated = refusal->t;
  }
  return zw_fault_evaluation(sim, refusal->status, sim->y_new);
}

ZwStatus zw_step_give_up(ZwSim* sim, const ZwRefusal* refusal, double h) {
  if (refusal->is_branch_lost) {
    zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                  "the branch of the motion is lost at the singular position t = %s",
                  zw_when(sim, sim->near.t_singular, 9).text);
    zw_diag_remedy(sim->diags, "several motions lead on from there; a smaller tolerance may tell them apart");
    return ZW_ERR_STEP;
  }
  if (refusal->is_outside) return zw_fault_inconsistent(sim, refusal->row, 0, sim->t, false);
  if (refusal->status != ZW_ERR_STEP) return fault_refused(sim, refusal);
  if (zw_fault_singular(sim, sim->t, h, sim->y, zw_velocity(sim, sim->t, sim->y))) return ZW_ERR_DOMAIN;
  int32_t row = refusal->row < 0 && zw_singular_is_dead(sim) ? zw_singular_weakest(sim) : refusal->row;
  if (row >= 0 && is_clock_coarse(sim, row)) return fault_clock(sim, row);
  if (row >= 0 && is_rounding(sim)) return fault_rounding(sim, row);
  if (row >= 0) return fault_dead_end(sim, row);
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s the step size became too small (%.3g) and the run cannot go on",
                zw_when(sim, sim->t, 9).text, h);
  int32_t lost = zw_sizes_untold(sim);
  if (lost >= 0) {
    zw_diag_remedy(
        sim->diags,
        "nothing tells how large '%.*s' becomes, which has no mass: say it, as in: coord %.*s = 0 scale 1e-3",
        ZW_STR_ARGS(sim->system->coords.items[lost].name), ZW_STR_ARGS(sim->system->coords.items[lost].name));
    return ZW_ERR_STEP;
  }
  zw_diag_remedy(sim->diags, sim->pivot_ratio < NEARLY_SINGULAR
                                 ? "the constraints become dependent there: a dead or singular position"
                                 : "the motion may be singular there; look at the results up to this time");
  return ZW_ERR_STEP;
}

/* Ends exactly at `until` when it is near, and does not leave a tiny rest. */
static double fit_step(ZwSim* sim, double until) {
  double rest = until - sim->t, h = zw_narrow_limit(sim, sim->h_next);
  if (h >= 0.99 * rest) return rest;
  return h > 0.5 * rest ? 0.5 * rest : h;
}

/* Of order 8 by square roots: they are rounded alike on every machine, and a tenth of the work. */
static double root_of(double x, int order) {
  return order == ZW_DOP853_ORDER ? sqrt(sqrt(sqrt(x))) : pow(x, 1.0 / order);
}

/* How much longer or shorter a step with this error could be. */
static double factor_of(const ZwSim* sim, double error) {
  return zw_larger(SHRINK_MOST, SAFETY / root_of(error, sim->stepper->order));
}

/* For methods whose error does not follow its order where the motion is stiff: what the last two steps say (Gustafsson). */
static double trend_of(const ZwSim* sim, double h, double error) {
  return SAFETY * h / sim->h_accepted * pow(sim->error_accepted / (error * error), 1.0 / sim->stepper->order);
}

static void size_step(ZwSim* sim, double h, double error, double longest_growth) {
  bool has_trend = sim->stepper->has_trend && sim->h_accepted != 0;
  double factor = factor_of(sim, error);
  if (has_trend) factor = zw_smaller(factor, zw_larger(SHRINK_MOST, trend_of(sim, h, error)));
  bool is_explicit = sim->stepper->attempt == zw_explicit_attempt;
  double longest = is_explicit ? zw_stiffness_limit(sim, h) : INFINITY;
  sim->step = sim->h_dense = h;
  sim->has_dense = false;
  sim->h_next = h * zw_smaller(sim->growth_most, error > 0 ? zw_smaller(longest_growth, factor) : longest_growth);
  sim->h_accepted = h;
  sim->error_accepted = zw_larger(error, LEAST_ERROR);
  sim->is_rate_met = longest < sim->h_next;
  sim->h_next = zw_smaller(sim->h_next, zw_larger(longest, SHRINK_MOST * h));
  if (sim->near.h_kept > 0) sim->h_next = zw_larger(sim->h_next, sim->near.h_kept); /* this one was short on purpose */
  sim->near.h_kept = 0;
}

ZwStatus zw_step_stand_still(ZwSim* sim) {
  sim->step = sim->h_dense = 0;
  memcpy(sim->y_new, sim->y, (size_t)sim->dim * sizeof(double));
  memcpy(sim->k[ZW_DOP853_STAGES], sim->k[0], (size_t)sim->dim * sizeof(double));
  sim->near.is_crossing = sim->near.is_to_note = sim->has_next_sets = false;
  return ZW_OK;
}

/* Long after the start a step is as long as the time that the clock goes on by: what it is longer would be a motion without time, which a
 * constraint that moves would see. */
static double on_clock(const ZwSim* sim, double h) {
  double end = sim->t + h, part = DBL_EPSILON * fabs(end);
  return part > ROUNDED * sim->tolerance * h && part < FEW * h ? end - sim->t : h;
}

ZwStatus zw_step_open(ZwSim* sim, double until, ZwStepSearch* search) {
  if (sim->is_rate_met && zw_sizes_note_suspect(sim)) zw_stiffness_forget_rate(sim); /* rounding may have shown it */
  sim->growth_most = GROW_MOST;
  *search = (ZwStepSearch){.until = until, .longest_growth = GROW_MOST};
  double h = zw_singular_place(sim, fit_step(sim, until), until);
  int32_t weakest = zw_singular_is_dead(sim) ? zw_singular_weakest(sim) : -1;
  if (weakest >= 0 && h < fmin(shortest_step(sim, until), 0.5 * (until - sim->t))) return fault_dead_end(sim, weakest);
  search->h = zw_smaller(on_clock(sim, h), until - sim->t);
  return ZW_OK;
}

/* The attempt was not good enough. */
static ZwStatus try_another(ZwSim* sim, ZwStepSearch* search, double error, const ZwRefusal* refusal) {
  double until = search->until;
  sim->stats.rejected++;
  search->longest_growth = 1; /* right after a rejection */
  if (error <= 1) {
    if (search->landings++ == 0) sim->near.h_kept = search->h; /* shorter on purpose */
    search->h *= sim->near.is_crossing && search->h * LONGER <= until - sim->t ? LONGER : SHORTER;
    return ZW_OK;
  }
  if (refusal->is_outside && !search->has_taken && took_row(sim, search->h)) {
    search->has_taken = true;
    return ZW_OK;
  }
  if (refusal->row >= 0) zw_singular_no_way_over(sim);
  if (++search->refused == REFUSED_MAX) zw_sizes_ease(sim);
  if (isfinite(error)) zw_sizes_note_refused(sim, search->refused);
  if (refusal->is_too_long)
    search->h = fmin(zw_narrow_limit(sim, search->h), SHORTER * search->h);
  else
    search->h *= isfinite(error) ? factor_of(sim, error) : AFTER_FAULT;
  if (search->h < shortest_step(sim, until)) {
    search->is_found = true;
    if (zw_steep_pass(sim, search->h, until)) return ZW_OK;
    return zw_events_is_due(sim, search->h) ? zw_step_stand_still(sim) : zw_step_give_up(sim, refusal, search->h);
  }
  sim->near.h_kept = 0;
  search->h = zw_singular_place(sim, search->h, until);
  return ZW_OK;
}

ZwStatus zw_step_judge(ZwSim* sim, ZwStepSearch* search, double error, const ZwRefusal* refusal) {
  bool may_land = error <= 1 && (sim->near.may_land || search->landings >= LANDINGS_MAX);
  search->is_found = may_land && settle_rows(sim, search->landings);
  if (search->is_found) {
    size_step(sim, search->h, error, search->longest_growth);
    zw_singular_accept(sim);
    return ZW_OK;
  }
  ZW_TRY(try_another(sim, search, error, refusal));
  search->h = fmin(on_clock(sim, search->h), search->until - sim->t);
  return ZW_OK;
}

void zw_step_accept_plain(ZwSim* sim, ZwStepSearch* search, double error, const double* measured) {
  sim->has_next_sets = false;
  search->is_found = true;
  size_step(sim, search->h, error, search->longest_growth);
  zw_singular_accept_plain(sim, measured);
}

ZwStatus zw_step_controlled(ZwSim* sim, double until) {
  ZwStepSearch search;
  ZW_TRY(zw_step_open(sim, until, &search));
  if (zw_events_rests(sim, search.h)) return zw_step_stand_still(sim);
  while (!search.is_found) {
    ZwRefusal refusal;
    double error = zw_step_attempt(sim, search.h, &refusal);
    ZW_TRY(zw_step_judge(sim, &search, error, &refusal));
  }
  return ZW_OK;
}
