/* Isolated singular positions (T23, NUMERICS R4-R8): the rank of the constraints drops at one instant of the motion. They
 * are stepped over, not into, on the branch with continuous velocity.
 *
 * The measure is the smallest singular value of the frozen rows, each in units of the largest size it has had. It falls
 * to zero at a singular position, about linearly in time. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/svd.h"
#include "motion/sim.h"

/* R4: nearer than this part of the largest value so far, stages are projected. */
#define NEAR 0.1
/* R5: a fall below this part is followed, and a singular position within so many steps is prepared for. */
#define FALLING 0.8
#define AHEAD 1.6
/* The middle of the widest gap between the stages of the order-8 pair, in steps. */
#define GAP 0.467
/* A step may be this much longer than wanted to have the position in its gap now. */
#define STRETCH 1.1
/* R6: no step ends nearer than this. */
#define LANDING 1e-3
/* Frozen rows that have fallen below this part are given up for others that hold so many times better. */
#define CHOICE 0.3
#define BETTER 3.0
/* R7: round-off of a state near a singular position. */
#define NOISE 4e-16
/* Rows that take part with less than this are not named. */
#define NAMED 0.1

enum { ITERATIONS = 8 };

/* ---- the smallest singular value ---- */

/* x <- (B^T B)^-1 x with B = R diag(1/s); returns |x|, x is scaled to length one. */
static double iterate(const ZwSim* sim, const ZwQr* qr, double* x) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  int32_t m = set->count;
  for (int32_t i = 0; i < m; i++) x[i] *= sim->scale[set->rows[i]];
  zw_qr_solve_rt(qr, m, x);
  zw_qr_solve_r(qr, m, x);
  double sum = 0;
  for (int32_t i = 0; i < m; i++) {
    x[i] *= sim->scale[set->rows[i]];
    sum += x[i] * x[i];
  }
  double length = sqrt(sum);
  for (int32_t i = 0; i < m && length > 0; i++) x[i] /= length;
  return length;
}

/* Frozen rows factored at the state of the last evaluation. */
static bool factor_rows(ZwSim* sim) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  if (sim->formulation == ZW_FORMULATION_AUTO) return true; /* the solve has just done it */
  zw_eval_dense_M(sim);
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  return zw_least_factor(sim->least, set->count, sim->M, sim->A) == ZW_OK;
}

static double measure(ZwSim* sim) {
  int32_t m = sim->sets[ZW_LEVEL_ACCELERATION].count;
  if (m == 0) return 1;
  if (!factor_rows(sim)) return 0;
  /* no guess is left without a part of what it may have missed */
  for (int32_t i = 0; i < m; i++) sim->near.guess[i] += 0.1 * sin(1 + 2.4 * i);
  double length = 0;
  for (int i = 0; i < ITERATIONS; i++) {
    double before = length;
    length = iterate(sim, zw_least_triangle(sim->least), sim->near.guess);
    if (!isfinite(length)) return 0;
    if (fabs(length - before) <= 1e-2 * length) break; /* two digits are enough */
  }
  return 1 / sqrt(length);
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
    for (ptrdiff_t i = 0; i < m; i++) B[i * m + j] = i <= j ? qr->T[j * n + i] / sim->scale[set->rows[j]] : 0;
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

void zw_singular_begin(ZwSim* sim) {
  ZwNearness* near = &sim->near;
  memset(near->guess, 0, (size_t)sim->m * sizeof(double));
  near->is_dead_end = false;
  near->smallest = near->largest_yet = near->smallest_before = measure(sim);
  near->t_before = sim->t;
  near->is_near = near->is_crossing = false;
  near->weak_count = 0;
  near->h_kept = 0;
}

double zw_singular_place(ZwSim* sim, double h, double until) {
  ZwNearness* near = &sim->near;
  near->is_crossing = false;
  /* after an accepted step t_before is its begin, whether or not it is the present state already */
  double fall = near->smallest_before - near->smallest, past = sim->t - near->t_before;
  if (near->is_dead_end || near->smallest >= FALLING * near->largest_yet || !(fall > 0) || !(past > 0)) return h;
  double ahead = near->smallest * past / fall; /* time to the singular position */
  if (ahead >= AHEAD * h || sim->t + ahead >= until) return h;
  double over = fmin(ahead / GAP, until - sim->t);
  if (over <= STRETCH * h) {
    near->is_crossing = true;
    near->t_singular = sim->t + ahead;
    return over;
  }
  near->h_kept = h;
  return fmin(h, fmax(ahead - GAP * h, 0.1 * h)); /* the next step then has it in its gap */
}

bool zw_singular_may_land(ZwSim* sim) {
  ZwNearness* near = &sim->near;
  near->smallest_new = measure(sim);
  return near->is_dead_end || near->smallest_new >= LANDING * near->largest_yet;
}

void zw_singular_no_way_over(ZwSim* sim) {
  if (sim->near.is_crossing && sim->near.is_near) sim->near.is_dead_end = true;
}

static void note_crossing(ZwSim* sim) {
  enum { NOTES = 3 };
  ZwNearness* near = &sim->near;
  if (++near->crossings > NOTES) return;
  /* the measure falls to zero and rises again, about linearly */
  double t = sim->t + sim->step * near->smallest / (near->smallest + near->smallest_new);
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText text;
  zw_text_init(&text, &scratch);
  double most = 0;
  for (int32_t i = 0; i < sim->m; i++) most = fmax(most, near->names[i]);
  for (int32_t i = 0; i < sim->m; i++) {
    if (near->names[i] == 0 || near->names[i] < NAMED * most) continue;
    zw_text_addf(&text, "%s'%.*s'", text.size ? ", " : "", ZW_STR_ARGS(zw_row_name(sim, i)));
  }
  zw_diag_note(sim->diags, (ZwSpan){0},
               "at t = %.6g the motion passes a singular position, where %s depend on each other; it goes on with "
               "continuous velocity",
               t, zw_text_get(&text));
  zw_arena_destroy(&scratch);
}

bool zw_singular_is_choice(const ZwSim* sim) {
  const ZwNearness* near = &sim->near;
  return near->smallest_new < CHOICE * near->largest_yet && sim->rank->kept > BETTER * near->smallest_new;
}

void zw_singular_accept(ZwSim* sim) {
  ZwNearness* near = &sim->near;
  if (near->is_crossing) note_crossing(sim);
  near->smallest_before = near->smallest;
  near->t_before = sim->t;
  near->smallest = near->smallest_new;
  near->largest_yet = fmax(near->largest_yet, near->smallest);
  near->is_near = near->smallest < NEAR * near->largest_yet;
  if (near->smallest > near->smallest_before) near->is_dead_end = false;
  near->weak_count = 0;
  /* the next step may go over: what is about to be lost is known from here */
  bool is_falling = near->smallest < FALLING * near->largest_yet && near->smallest < near->smallest_before;
  if ((near->is_near || is_falling) && factor_rows(sim)) {
    find_weak(sim, fmax(NEAR * near->largest_yet, 2 * near->smallest));
  }
}

