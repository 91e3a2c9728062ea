/* Isolated singular positions (T23, R4-R8): the rank of the constraints drops at one instant of the motion. They
 * are stepped over, not into, on the branch with continuous velocity.
 *
 * The measure is the smallest singular value of the frozen rows, each in units of the largest size it has had. It falls
 * to zero at a singular position, about linearly in time. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/eliminate.h"
#include "least/dense.h"
#include "least/svd.h"
#include "motion/path.h"

/* R4: nearer than this part of the largest value so far, stages are projected. */
#define NEAR 0.1
/* R5: a fall below this part is followed, and a singular position within so many steps is prepared for. */
#define FALLING 0.8
#define AHEAD 1.6
/* A position within so many steps is no longer left to methods that cannot go over it. */
#define IN_VIEW 5.0
#define GAP ZW_SINGULAR_GAP
/* A step may be this much longer than wanted to have the position in its gap now. */
#define STRETCH 1.1
/* R6: no step ends nearer than this. */
#define LANDING 1e-3
/* Frozen rows that have fallen below this part are given up for others that hold so many times better. */
#define CHOICE 0.4
#define BETTER 2.0
/* Others are taken ahead of that if they will hold with this part of what the frozen rows hold with now, where the next step may
 * be so many times longer. */
#define AS_GOOD 0.5
#define GROWTH 2.0
/* Above this part the frozen rows hold as they should. */
#define FAR 0.5
/* Part of a step that is looked back to see whether the measure falls or rises. */
#define LOOK_BACK 0.02
/* Between two states the measure falls below this part of both at a singular position. */
#define CONFIRMED 0.2
/* So far from a singular start, in units of 1 + |q|, positions are like any others. */
#define GENERIC 0.1
/* The search for its place ends where it is below this part of both. */
#define PLACED 1e-3
/* R7: round-off of a state near a singular position. */
#define NOISE 4e-16
/* Rows that take part with less than this are not named; with no more than so many times another, like that one. */
#define NAMED 0.1
#define ALIKE (1 + 1e-6)

enum {
  PLACES = 6, /* looks for the place of a singular position */
  NAMES = 8   /* rows that are named, at most */
};

/* ---- the smallest singular value ---- */

/* What an inversion makes of the guess, times itself before, and times itself. */
typedef struct Image {
  double along, square;
} Image;

/* x <- (B^T B)^-1 x with B = R diag(1/s), by the factors of the dense solve. */
static Image invert(ZwSim* sim, double* x) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  const ZwQr* qr = zw_least_triangle(sim->least);
  double* z = sim->rI;
  Image image = {0, 0};
  for (int32_t i = 0; i < set->count; i++) z[i] = x[set->rows[i]] * sim->scale[set->rows[i]];
  zw_qr_solve_rt(qr, set->count, z);
  zw_qr_solve_r(qr, set->count, z);
  for (int32_t i = 0; i < set->count; i++) {
    int32_t row = set->rows[i];
    z[i] *= sim->scale[row];
    image.along += z[i] * x[row];
    image.square += z[i] * z[i];
    x[row] = z[i];
  }
  return image;
}

/* As the measure of the elimination (zw_small_measure), by those factors. */
static bool measure_dense(ZwSim* sim, double* smallest) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  double* guess = sim->near.guess;
  Image first = invert(sim, guess), second = invert(sim, guess);
  double lengths = sqrt(first.square * second.square), part = 1 / sqrt(second.square);
  *smallest = lengths > 0 && isfinite(lengths) ? sqrt(second.along / second.square) : NAN;
  for (int32_t i = 0; i < set->count; i++) guess[set->rows[i]] *= part;
  return second.along >= (1 - ZW_TOL_MEASURE) * lengths;
}

/* Frozen rows factored at the state of the last evaluation. */
static bool factor_rows(ZwSim* sim) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  if (sim->formulation == ZW_FORMULATION_AUTO) return zw_eval_factors(sim) == ZW_OK; /* or the solve has just done it */
  zw_eval_dense_M(sim);
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  return zw_least_factor(sim->least, set->count, sim->M, sim->A) == ZW_OK;
}

/* As many as no mechanism is likely to repeat its rows in. */
const double zw_singular_nudges[ZW_NUDGES] = {0.004,  -0.012, 0.016, 0.002,  -0.016, 0.012,
                                              -0.004, -0.02,  0.008, -0.008, 0.02};

/* Rows that repeat others do not count: they leave the measure what it is without them. */
static void nudge(const ZwRowSet* set, double* guess) {
  const int32_t* row = set->rows;
  int32_t count = set->count;
  for (; count >= ZW_NUDGES; count -= ZW_NUDGES, row += ZW_NUDGES) {
    for (int i = 0; i < ZW_NUDGES; i++) guess[row[i]] += zw_singular_nudges[i];
  }
  for (int32_t i = 0; i < count; i++) guess[row[i]] += zw_singular_nudges[i];
}

/* The smallest singular value by either factors; not a number where they do not tell. The guess becomes its vector. */
static double measure_by(ZwSim* sim, bool is_small) {
  double smallest = NAN;
  bool is_sure = false;
  nudge(&sim->sets[ZW_LEVEL_ACCELERATION], sim->near.guess);
  for (int i = 0; i < ZW_MEASURES && !is_sure; i++) {
    is_sure = is_small ? zw_small_measure(sim, &smallest) : measure_dense(sim, &smallest);
    if (isnan(smallest)) return NAN;
  }
  return smallest;
}

static void forget_guess(ZwSim* sim) {
  memset(sim->near.guess, 0, (size_t)sim->m * sizeof(double));
}

static double measure(ZwSim* sim) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  sim->small.has_measured = false;
  if (set->count == 0 || sim->large) return 1;
  if (sim->small.is_ahead && zw_small_factor(sim, set)) {
    sim->pivot_ratio = sim->small.pivot_ratio;
    double smallest = measure_by(sim, true);
    sim->small.has_measured = !isnan(smallest);
    if (!isnan(smallest)) return smallest;
    forget_guess(sim);
  }
  if (!factor_rows(sim)) return 0;
  double smallest = measure_by(sim, false);
  if (!isnan(smallest)) return smallest;
  forget_guess(sim);
  return 0;
}

/* ---- the weak directions ---- */

/* All directions along which the rows hold with less than `bound`, and the rows that take part in losing the weakest. */
static void find_weak(ZwSim* sim, double bound) {
  ZwNearness* near = &sim->near;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  const ZwQr* qr = zw_least_triangle(sim->least);
  ptrdiff_t m = set->count, n = sim->n;
  double *B = sim->lm_S, *sigma = sim->lm_r, *Ut = sim->lm_J, *Vt = sim->lm_Y;
  near->weak_count = 0;
  for (ptrdiff_t j = 0; j < m; j++) {
    for (ptrdiff_t i = 0; i < m; i++) B[i * m + j] = i <= j ? qr->T[j * qr->rows + i] / sim->scale[set->rows[j]] : 0;
  }
  if (zw_svd((int32_t)m, (int32_t)m, B, sigma, Ut, Vt)) return;
  memset(near->names, 0, (size_t)sim->m * sizeof(double));
  for (ptrdiff_t k = 0; k < m; k++) {
    if (!(sigma[k] < bound)) continue;
    ptrdiff_t at = near->weak_count++;
    zw_least_direction(sim->least, Ut + k * m, near->weak + at * n, near->weak_along + at * n);
    for (ptrdiff_t i = 0; i < m; i++) {
      double* part = &near->names[set->rows[i]];
      *part = fmax(*part, fabs(Vt[k * m + i]));
    }
  }
}

void zw_singular_leave_out(const ZwSim* sim, double* x) {
  const ZwNearness* near = &sim->near;
  ptrdiff_t n = sim->n;
  for (ptrdiff_t k = 0; k < near->weak_count; k++) {
    double part = 0;
    for (ptrdiff_t i = 0; i < n; i++) part += near->weak_along[k * n + i] * x[i];
    for (ptrdiff_t i = 0; i < n; i++) x[i] -= part * near->weak[k * n + i];
  }
}

double zw_singular_noise(const ZwSim* sim) {
  const ZwNearness* near = &sim->near;
  if (!near->is_near && !near->is_crossing) return 0;
  double d = fmax(near->smallest, LANDING);
  return NOISE / (d * d);
}

/* ---- steps ---- */

void zw_singular_leave(ZwSim* sim, double aside) {
  ZwNearness* near = &sim->near;
  forget_guess(sim);
  near->smallest_new = measure(sim);
  near->limit_largest = near->smallest_new * fmin(GENERIC / aside, 1 / near->smallest_new);
  find_weak(sim, fmax(NEAR * near->limit_largest, 2 * near->smallest_new));
}

/* From a singular start the measure can only rise. */
static void begin_at_limit(ZwSim* sim) {
  ZwNearness* near = &sim->near;
  near->largest_yet = near->limit_largest;
  near->smallest = LANDING * near->largest_yet;
  near->is_near = true;
  near->slope = near->h_kept = 0;
  near->is_crossing = near->is_dead_end = false;
  near->ratio = 1;
}

void zw_singular_begin(ZwSim* sim) {
  ZwNearness* near = &sim->near;
  if (near->is_limit) {
    begin_at_limit(sim);
    return;
  }
  forget_guess(sim);
  near->smallest = near->largest_yet = measure(sim);
  near->pivot_gain = sim->large ? 1 : sim->rank->kept / near->smallest;
  near->slope = near->h_kept = 0;
  near->is_near = near->is_crossing = near->is_dead_end = false;
  near->weak_count = 0;
}

bool zw_singular_is_ahead(const ZwSim* sim) {
  const ZwNearness* near = &sim->near;
  bool is_falling = near->slope < 0 && near->smallest < -near->slope * IN_VIEW * sim->h_next;
  return near->is_near || is_falling;
}

double zw_singular_place(ZwSim* sim, double h, double until) {
  ZwNearness* near = &sim->near;
  near->is_crossing = false;
  if (near->is_dead_end || !(near->slope < 0)) return h;
  double ahead = -near->smallest / near->slope; /* time to the singular position */
  if (ahead >= AHEAD * h || sim->t + ahead >= until) return h;
  double over = fmin(ahead / GAP, until - sim->t);
  if (over <= STRETCH * h) {
    near->is_crossing = true;
    near->t_singular = sim->t + ahead;
    near->slope_there = -near->slope;
    return over;
  }
  near->h_kept = h;
  return fmin(h, fmax(ahead - GAP * h, 0.1 * h)); /* the next step then has it in its gap */
}

bool zw_singular_may_land(ZwSim* sim) {
  ZwNearness* near = &sim->near;
  near->smallest_new = measure(sim);
  near->may_land = near->is_dead_end || near->smallest_new >= LANDING * near->largest_yet;
  return near->may_land;
}

bool zw_singular_is_in_sight(const ZwSim* sim) {
  const ZwNearness* near = &sim->near;
  return near->is_crossing || near->smallest_new < FALLING * near->largest_yet;
}

void zw_singular_no_way_over(ZwSim* sim) {
  if (sim->near.is_crossing && sim->near.is_near) sim->near.is_dead_end = true;
}

/* After a rank decision: are there rows that hold so much better than the frozen ones? The last pivot of the decision is not
 * the smallest singular value, for the same rows neither; how they compare was seen far from the singular position. */
static bool holds_better(const ZwSim* sim) {
  return sim->rank->kept > BETTER * sim->near.pivot_gain * sim->near.smallest_new;
}

/* After a rank decision over all rows: other rows would hold where the frozen ones are about to fail. */
static bool others_hold(const ZwSim* sim) {
  bool has_others = sim->sets[ZW_LEVEL_ACCELERATION].count < sim->sets[ZW_LEVEL_ACCELERATION].candidates;
  return has_others && (sim->has_next_sets || holds_better(sim));
}

bool zw_singular_is_choice(const ZwSim* sim) {
  return sim->near.smallest_new < CHOICE * sim->near.largest_yet && holds_better(sim);
}

/* The combination x of the rows, each in units of its size. */
static void combine_rows(const ZwSim* sim, const double* x, double* to) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  const ZwPattern* pattern = &sim->equations->A;
  memset(to, 0, (size_t)sim->n * sizeof(double));
  for (int32_t r = 0; r < set->count; r++) {
    int32_t row = set->rows[r];
    double part = x[row] / sim->scale[row];
    for (int32_t k = pattern->begin[row]; k < pattern->begin[row + 1]; k++) to[pattern->column[k]] += part * sim->Ax[k];
  }
}

/* The measure is the length of that in the metric of M^-1 when x is its singular vector. Products with it are those with
 * M^-1 times it, which the elimination has left of its measure, in units of its own, or come from the factors of M. */
static const double* find_dual(ZwSim* sim, double* unit) {
  const double* left = zw_small_dual(sim, unit);
  if (left) return left;
  double* dual = sim->lm_x;
  *unit = 1;
  (void)zw_eval_metric(sim);
  combine_rows(sim, sim->near.guess, dual);
  zw_least_to_metric(sim->least, dual);
  zw_least_from_metric(sim->least, dual);
  return dual;
}

/* What the combination of the rows A, with its dual, is more than with the rows at the last evaluation. */
static double change_of_rows(const ZwSim* sim, const double* A, const double* dual) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  const ZwPattern* pattern = &sim->equations->A;
  double change = 0;
  for (int32_t r = 0; r < set->count; r++) {
    int32_t row = set->rows[r];
    double more = 0;
    for (int32_t k = pattern->begin[row]; k < pattern->begin[row + 1]; k++) {
      more += (A[k] - sim->Ax[k]) * dual[pattern->column[k]];
    }
    change += sim->near.guess[row] / sim->scale[row] * more;
  }
  return change;
}

/* The slope of the measure at the end of the pending step, from a little earlier on the same motion: how the combination of
 * rows that is weakest now went along its own direction. Factors and rows are at the end. 0 if it cannot be said. */
static double find_slope(ZwSim* sim) {
  double back = LOOK_BACK * sim->step, t = sim->t + sim->step - back;
  double *y = sim->y_out, *now = sim->lm_J, unit, measured = sim->near.smallest_new;
  const double* dual = find_dual(sim, &unit);
  memcpy(now, sim->Ax, (size_t)sim->equations->A.count * sizeof(double));
  sim->stages->add(&sim->weights.along, sim->k, -back, sim->y_new, y, zw_stages_room(sim->dim));
  if (!zw_eval_acceleration(sim, t, y, zw_velocity(sim, t, y))) return 0;
  return measured > 0 ? change_of_rows(sim, now, dual) * unit / (measured * back) : 0;
}

/* A fall and a rise within one step: it may have gone over a singular position that nobody saw coming. */
static void look_back(ZwSim* sim) {
  ZwNearness* near = &sim->near;
  bool is_there = near->smallest < 2 * LANDING * near->largest_yet;
  bool begins_there = is_there && !near->is_dead_end; /* then that is what it sees (begin_at_limit) */
  if (near->is_crossing || begins_there || !(near->slope > 0)) return;
  double ago = near->smallest_new / near->slope;
  if (ago >= sim->step) return;
  near->is_crossing = true;
  near->t_singular = sim->t + sim->step - ago;
  near->slope_there = near->slope;
}

/* The measure inside the pending step, on the cubic through its ends. */
static double measure_between(ZwSim* sim, double t) {
  double h = sim->step, x = (t - sim->t) / h;
  double *y = sim->y_out, *rate = sim->k[ZW_DOP853_STAGES + 1];
  const double *begin = sim->k[0], *end = sim->k[ZW_DOP853_STAGES];
  double h00 = (1 + 2 * x) * (1 - x) * (1 - x), h10 = x * (1 - x) * (1 - x), h01 = x * x * (3 - 2 * x),
         h11 = x * x * (x - 1);
  for (int32_t i = 0; i < sim->dim; i++) {
    y[i] = h00 * sim->y[i] + h * h10 * begin[i] + h01 * sim->y_new[i] + h * h11 * end[i];
  }
  if (zw_eval_rate(sim, t, y, rate)) return 0; /* the rows are dependent to rounding */
  return measure(sim);
}

/* Did the pending step go over a singular position? The measure falls to zero and rises again with about the same slope, so
 * from a place beside it there are two where it may be; the better one is the next place. */
static bool is_confirmed(ZwSim* sim) {
  ZwNearness* near = &sim->near;
  double end = sim->t + sim->step, least = fmin(near->smallest, near->smallest_new);
  double t = near->t_singular, slope = (near->smallest + near->smallest_new) / sim->step;
  if (!(t > sim->t && t < end)) return false;
  double here = measure_between(sim, t);
  for (int i = 0; i < PLACES && here > PLACED * least; i++) {
    double before = fmax(t - here / slope, sim->t), after = fmin(t + here / slope, end);
    double m_before = measure_between(sim, before), m_after = measure_between(sim, after);
    double other = fmin(m_before, m_after), at = m_before < m_after ? before : after;
    if (!(other < here)) break;
    if (at != t) slope = fmax(slope, (here - other) / fabs(at - t));
    here = other;
    t = at;
  }
  near->t_singular = t;
  return here < CONFIRMED * least;
}

bool zw_singular_is_dead(const ZwSim* sim) {
  const ZwNearness* near = &sim->near;
  return near->is_dead_end || near->smallest < LANDING * near->largest_yet;
}

/* Of those that take part alike the first one in the text: rounding does not choose. */
int32_t zw_singular_weakest(const ZwSim* sim) {
  int32_t weakest = -1;
  for (int32_t i = 0; i < sim->m; i++) {
    if (sim->near.names[i] > (weakest < 0 ? 0 : ALIKE * sim->near.names[weakest])) weakest = i;
  }
  return weakest;
}

int32_t zw_singular_names(const ZwSim* sim, ZwText* text) {
  const ZwNearness* near = &sim->near;
  double most = 0;
  int32_t count = 0;
  for (int32_t i = 0; i < sim->m; i++) most = fmax(most, near->names[i]);
  for (int32_t i = 0; i < sim->m; i++) {
    if (near->names[i] == 0 || near->names[i] < NAMED * most) continue;
    if (count++ >= NAMES) continue;
    zw_text_addf(text, "%s'%.*s'", text->size ? ", " : "", ZW_STR_ARGS(zw_row_name(sim, i)));
  }
  if (count > NAMES) zw_text_addf(text, " and %d more", (int)(count - NAMES));
  return count;
}

void zw_singular_note(ZwSim* sim) {
  enum { NOTES = 3 };
  ZwNearness* near = &sim->near;
  /* an event may have cut the step before it got there, or be what makes the rows vanish */
  bool is_cut = sim->step < sim->h_dense && near->t_singular > sim->t + sim->step - 0.01 * sim->h_dense;
  if (!near->is_to_note || is_cut) return;
  if (++near->crossings > NOTES) return;
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText text;
  zw_text_init(&text, &scratch);
  int32_t count = zw_singular_names(sim, &text);
  zw_diag_note(sim->diags, (ZwSpan){0},
               "at t = %s the motion passes a singular position, where %s %s; it goes on with continuous velocity",
               zw_when(sim, near->t_singular, 6).text, zw_text_get(&text),
               count == 1 ? "restricts nothing" : "depend on each other");
  zw_arena_destroy(&scratch);
}

ZwStatus zw_singular_refuse(ZwSim* sim, double t) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText text;
  zw_text_init(&text, &scratch);
  if (factor_rows(sim)) find_weak(sim, fmax(NEAR * sim->near.largest_yet, 2 * sim->near.smallest_new));
  int32_t count = zw_singular_names(sim, &text);
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s the motion comes to a singular position, where %s %s; the integrator %s cannot go over it",
                zw_when(sim, t, 6).text, count > 0 ? zw_text_get(&text) : "the constraints",
                count == 1 ? "restricts nothing" : "depend on each other", sim->integrator->name);
  zw_diag_remedy(sim->diags, "the integrators 'auto' and 'explicit' can");
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : ZW_ERR_STEP;
  zw_arena_destroy(&scratch);
  return status;
}

/* The measure falls to zero and rises again, about linearly. */
static void place_between(ZwSim* sim) {
  ZwNearness* near = &sim->near;
  bool is_linear = near->smallest < FALLING * near->largest_yet || !(near->slope > 0);
  if (is_linear) near->t_singular = sim->t + sim->step * near->smallest / (near->smallest + near->smallest_new);
}

/* What a measure taken before is to be multiplied by, if the same rows measured `before` then and `now` in the units that were found since. But
 * what other units of coordinates without mass make of the present measure they did not make of that at other states: where such an entry was
 * next to nothing and grows, the present one rises from nothing, and that of the past would seem far beyond what rows can have. */
static double change_of_units(const ZwSim* sim, double before, double now) {
  double ratio = now / before;
  return sim->reach.has_massless ? zw_smaller(ratio, 1) : ratio;
}

/* The sizes that rows are measured by have grown since the measure was taken: at the same state it is another number, and its
 * vector another one. What was measured before is put into the new units. */
static void take_measure(ZwSim* sim, double measured) {
  ZwNearness* near = &sim->near;
  double before = near->smallest_new;
  near->smallest_new = measured;
  if (!(before > 0 && near->smallest_new > 0)) return;
  double ratio = change_of_units(sim, before, measured);
  near->smallest *= ratio;
  near->largest_yet *= ratio;
}

/* The frozen rows will fail within the next steps: do others hold there? Then these are taken from now on, and no step has to be
 * placed. */
static void choose_ahead(ZwSim* sim) {
  const ZwNearness* near = &sim->near;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  double ahead = -near->smallest_new / near->slope;
  if (!(near->slope < 0) || ahead >= AHEAD * GROWTH * sim->step || set->count == set->candidates) return;
  double *y = sim->y_out, least = AS_GOOD * near->pivot_gain * near->smallest_new;
  for (int32_t i = 0; i < sim->dim; i++) y[i] = sim->y_new[i] + ahead * sim->k[ZW_DOP853_STAGES][i];
  (void)zw_rows_choose_ahead(sim, sim->t + sim->step + ahead, y, least);
}

/* Whether what is about to be lost will be asked for: the pending step went over a singular position or the next one may
 * (zw_singular_place), which is hardly longer than it is wanted. */
static bool may_go_over(const ZwSim* sim) {
  const ZwNearness* near = &sim->near;
  bool is_within_step = near->slope < 0 && near->smallest_new < -near->slope * STRETCH * sim->h_next;
  return near->is_near || near->is_crossing || is_within_step;
}

/* Factors of the end of the pending step, where the last evaluation was not. */
static bool return_to_end(ZwSim* sim) {
  double t = sim->t + sim->step;
  if (!sim->small.is_ahead) return true;
  return zw_eval_acceleration(sim, t, sim->y_new, zw_velocity(sim, t, sim->y_new)) && zw_eval_factors(sim) == ZW_OK;
}

static void accept(ZwSim* sim, double measured) {
  ZwNearness* near = &sim->near;
  take_measure(sim, measured);
  near->largest_yet = zw_larger(near->largest_yet, near->smallest_new);
  near->ratio = sim->pivot_ratio;
  bool is_in_sight = zw_singular_is_in_sight(sim) || near->has_other_rows, is_choice = others_hold(sim);
  near->has_other_rows = false;
  if (near->smallest_new > FAR * near->largest_yet) near->pivot_gain = sim->rank->kept / near->smallest_new;
  near->is_near = near->smallest_new < NEAR * near->largest_yet;
  near->weak_count = 0;
  near->slope = 0;
  near->is_to_note = false;
  if (is_in_sight && (sim->small.is_ahead || factor_rows(sim))) {
    near->slope = find_slope(sim);
    look_back(sim);
    if (may_go_over(sim) && return_to_end(sim)) {
      find_weak(sim, zw_larger(NEAR * near->largest_yet, 2 * near->smallest_new));
    }
  }
  if (near->slope > 0) near->is_dead_end = false;
  if (near->is_crossing) {
    place_between(sim);
    near->is_crossing = is_confirmed(sim);
    near->is_to_note = near->is_crossing && !is_choice;
  }
  near->smallest = near->smallest_new;
  choose_ahead(sim);
}

void zw_singular_accept(ZwSim* sim) {
  if (!sim->large) accept(sim, sim->near.has_new_units ? measure(sim) : sim->near.smallest_new);
}

bool zw_singular_is_plain(const ZwSim* sim, const double* measured) {
  const ZwNearness* near = &sim->near;
  double bound = FALLING * near->largest_yet;
  bool is_far = !near->is_near && !near->is_crossing && !near->is_dead_end && !near->has_other_rows;
  if (!is_far || !(measured[0] >= bound && measured[0] > 0)) return false;
  double largest = fmax(near->largest_yet * change_of_units(sim, measured[0], measured[1]), measured[1]);
  return measured[1] > 0 && isfinite(measured[1]) && measured[1] >= FALLING * largest;
}

void zw_singular_accept_plain(ZwSim* sim, const double* measured) {
  sim->near.smallest_new = measured[0];
  accept(sim, measured[1]);
}

/* ---- at the singular position ---- */

bool zw_singular_is_at(ZwSim* sim, double t, const double* y) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  if (!sim->near.is_crossing || !zw_eval_acceleration(sim, t, y, zw_velocity(sim, t, y))) return false;
  zw_eval_dense_M(sim);
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  if (zw_least_factor(sim->least, set->count, sim->M, sim->A)) return true;
  return measure(sim) < LANDING * sim->near.largest_yet;
}

bool zw_singular_would_meet(const ZwSim* sim, double pivot_ratio) {
  return !sim->near.is_crossing && pivot_ratio < LANDING * sim->near.ratio;
}

bool zw_singular_is_met(ZwSim* sim, double t) {
  if (sim->large) return false;
  ZwNearness* near = &sim->near;
  if (!zw_singular_would_meet(sim, sim->pivot_projected)) return false;
  near->is_crossing = true;
  near->t_singular = t;
  near->slope_there = near->largest_yet / sim->step;
  return true;
}

/* Accelerations, forces and multipliers at a projected state of the pending step. */
static ZwStatus solve_at(ZwSim* sim, double t) {
  double *y = sim->k[ZW_DOP853_STAGES + 2], *rate = sim->k[ZW_DOP853_STAGES + 1];
  int32_t row = -1;
  zw_interpolate(sim, (t - sim->t) / sim->h_dense, y);
  if (zw_project(sim, t, y, &row) != ZW_PROJECTED) return ZW_ERR_STEP;
  ZW_TRY(zw_eval_rate_projected(sim, t, y, rate));
  return zw_reactions(sim);
}

ZwStatus zw_singular_limit(ZwSim* sim, double t) {
  ZwNearness* near = &sim->near;
  ptrdiff_t n = sim->n;
  double aside = 2 * LANDING * near->largest_yet / near->slope_there, end = sim->t + sim->step;
  double before = fmax(t - aside, sim->t), after = fmin(t + aside, end);
  ZW_TRY(solve_at(sim, before));
  memcpy(near->mean, sim->a, (size_t)n * sizeof(double));
  memcpy(near->mean + n, sim->Qc, (size_t)n * sizeof(double));
  memcpy(near->mean + 2 * n, sim->reactions, (size_t)sim->m * sizeof(double));
  ZW_TRY(solve_at(sim, after));
  for (ptrdiff_t i = 0; i < n; i++) {
    sim->a[i] = 0.5 * (sim->a[i] + near->mean[i]);
    sim->Qc[i] = 0.5 * (sim->Qc[i] + near->mean[n + i]);
  }
  for (ptrdiff_t i = 0; i < sim->m; i++) sim->reactions[i] = 0.5 * (sim->reactions[i] + near->mean[2 * n + i]);
  return ZW_OK;
}
