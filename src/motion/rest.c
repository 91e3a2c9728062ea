/* Signs that come to rest. A force with sign(u) may drive u back to zero from both sides, as dry friction does with a velocity.
 * Then u stays zero, and the sign is whatever number between -1 and 1 keeps it there. Several may rest at a time; their
 * numbers are found together. */
#include <float.h>
#include <math.h>

#include "least/dense.h"
#include "motion/sim.h"

/* The rate of u is its difference over twice a time: the longest one is this part of the duration of the run, each of the next
 * SHORTER times as long. */
#define LONGEST 1e-2
#define SHORTER 0.1
/* A shorter time must be better by this factor: where rates are nothing but rounding, short times make them large. */
#define BETTER 0.1
/* Part of the largest rate that may be left at rest: the sign stands linearly in the force. */
#define LINEAR 1e-6
/* Part of the size of u that is rounding. */
#define ROUNDING (64 * DBL_EPSILON)

enum {
  ASIDES = 14,    /* times that are tried */
  AGAIN_MAX = 20, /* times in a row that what holds it at rest has changed */
  TOGETHER = 16   /* that rest at a time */
};

/* Those that rest, or might: their modes, and the signs that would hold them. */
typedef struct Resting {
  int count;
  int32_t modes[TOGETHER];
  double signs[TOGETHER];
  double aside;    /* the time over which rates are taken */
  bool is_of_rows; /* signs stand in constraints on velocities, as in an outflow h' = -k*sqrt(abs(h))*sign(h) */
} Resting;

static double margin_of(const ZwSim* sim, int32_t i) {
  return sim->watch.looks.margins[sim->system->modes.items[i].sign_of - 1];
}

double zw_rest_band(const ZwSim* sim, int32_t i) {
  return sim->tolerance * zw_looks_size(&sim->watch.looks, sim->system->modes.items[i].sign_of - 1);
}

bool zw_rest_holds(const ZwSim* sim, int32_t i) {
  return sim->watch.rests[i] && fabs(margin_of(sim, i)) <= zw_rest_band(sim, i);
}

void zw_rest_note(ZwSim* sim) {
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    const ZwMode* mode = &sim->system->modes.items[i];
    bool changes = sim->watch.modes[i] != sim->values[mode->param];
    sim->watch.turns[i] = mode->sign_of > 0 && changes;
    if (changes && mode->sign_of == 0) sim->watch.again = 0; /* a reason to be held anew */
  }
}

static void set_sign(ZwSim* sim, int32_t i, double sign) {
  sim->watch.modes[i] = sim->values[sim->system->modes.items[i].param] = sign;
}

static void set_signs(ZwSim* sim, const Resting* resting, const double* signs) {
  for (int i = 0; i < resting->count; i++) set_sign(sim, resting->modes[i], signs[i]);
  zw_sim_set_constants(sim);
}

static void set_all_signs(ZwSim* sim, const Resting* resting, double sign) {
  double signs[TOGETHER];
  for (int i = 0; i < resting->count; i++) signs[i] = sign;
  set_signs(sim, resting, signs);
}

/* Does a constraint on velocities read one of the signs? */
static bool is_read_by_rows(ZwSim* sim, const Resting* resting) {
  const double* v = sim->y + sim->n;
  double* psi = sim->lm_r;
  if (sim->m == 0 || sim->formulation == ZW_FORMULATION_QUASI) return false;
  set_all_signs(sim, resting, 1);
  if (!zw_eval_velocity(sim, sim->t, sim->y, v)) return false;
  zw_copy(sim->m, sim->psi, psi);
  set_all_signs(sim, resting, -1);
  if (!zw_eval_velocity(sim, sim->t, sim->y, v)) return false;
  for (int32_t i = 0; i < sim->m; i++) {
    if (psi[i] != sim->psi[i]) return true;
  }
  return false;
}

/* The state with the signs that are set: velocities that constraints determine belong to these. NULL when there are none. */
static const double* find_state(ZwSim* sim, const Resting* resting) {
  double *y = sim->k[ZW_DOP853_STAGES + 2], displacement = sim->displacement, most = sim->moved_most;
  int32_t row, moved_row = sim->moved_row;
  if (!resting->is_of_rows) return sim->y;
  zw_copy(sim->dim, sim->y, y);
  bool is_there = zw_project(sim, sim->t, y, &row) == ZW_PROJECTED;
  sim->displacement = displacement; /* it is a question, no step */
  sim->moved_most = most;
  sim->moved_row = moved_row;
  return is_there ? y : NULL;
}

/* The rate of the state with the signs that are set, and the state; NULL when there is none. */
static const double* find_state_and_rate(ZwSim* sim, const Resting* resting, double* rate) {
  const double* y = find_state(sim, resting);
  return y && !zw_eval_rate(sim, sim->t, y, rate) ? y : NULL;
}

/* All u at a time aside, on the straight line along the rate. */
static bool find_aside(ZwSim* sim, const Resting* resting, double aside, const double* from, const double* rate,
                       double* u) {
  double *y = sim->y_out, t = sim->t + aside;
  for (int32_t k = 0; k < sim->dim; k++) y[k] = from[k] + aside * rate[k];
  bool is_finite = zw_eval_events(sim, t, y, zw_velocity(sim, t, y));
  for (int i = 0; i < resting->count; i++) u[i] = margin_of(sim, resting->modes[i]);
  return is_finite;
}

/* The rates of all u, where that of the state is known. */
static bool find_rates_over(ZwSim* sim, const Resting* resting, double aside, const double* from, const double* rate,
                            double* rates) {
  double before[TOGETHER];
  if (!find_aside(sim, resting, -aside, from, rate, before)) return false;
  if (!find_aside(sim, resting, aside, from, rate, rates)) return false;
  for (int i = 0; i < resting->count; i++) rates[i] = (rates[i] - before[i]) / (2 * aside);
  return true;
}

/* The rates of all u with these signs; false where they have none. */
static bool find_rates(ZwSim* sim, const Resting* resting, const double* signs, double* rates) {
  double* rate = sim->k[ZW_DOP853_STAGES + 1];
  set_signs(sim, resting, signs);
  const double* from = find_state_and_rate(sim, resting, rate);
  return from && find_rates_over(sim, resting, resting->aside, from, rate, rates);
}

/* The duration of the run; of a state of rest, which has no duration, the longest time in which a coordinate moves by its size. */
static double longest_time(const ZwSim* sim, const double* rate) {
  double time = zw_sizes_time(sim), found = 0;
  if (isfinite(time) && time > 0) return time;
  for (int32_t k = 0; k < sim->n && sim->n + k < sim->dim; k++) {
    double size = sim->start_size[k], v = fabs(rate[k]), a = fabs(rate[sim->n + k]);
    if (v > 0) found = fmax(found, size / v);
    if (a > 0) found = fmax(found, sqrt(size / a));
  }
  return found > 0 && isfinite(found) ? found : 1;
}

/* Rates of all u with all signs at `sign`, over each of the times, of which *longest is the first; 0: not known yet. */
static bool find_all_rates(ZwSim* sim, const Resting* resting, double sign, double* longest,
                           double rates[ASIDES][TOGETHER]) {
  double* rate = sim->k[ZW_DOP853_STAGES + 1];
  set_all_signs(sim, resting, sign);
  const double* from = find_state_and_rate(sim, resting, rate);
  if (!from) return false;
  if (*longest == 0) *longest = LONGEST * longest_time(sim, rate);
  double aside = *longest;
  for (int k = 0; k < ASIDES; k++, aside *= SHORTER) {
    bool is_finite = find_rates_over(sim, resting, aside, from, rate, rates[k]);
    for (int i = 0; i < resting->count && !is_finite; i++) rates[k][i] = NAN;
  }
  return true;
}

/* Do the signs change the rate of u_i over none of the times? */
static bool is_idle(double with[ASIDES][TOGETHER], double against[ASIDES][TOGETHER], int i) {
  for (int k = 0; k < ASIDES; k++) {
    if (with[k][i] != against[k][i]) return false;
  }
  return true;
}

/* Of all times the one over which rates agree best with those over the next shorter one. They are measured by what the signs do to them:
 * neither units nor the pace of what else moves matter. */
static bool choose_aside(ZwSim* sim, Resting* resting) {
  double with[ASIDES][TOGETHER], against[ASIDES][TOGETHER], aside = 0, best = INFINITY;
  if (!find_all_rates(sim, resting, 1, &aside, with) || !find_all_rates(sim, resting, -1, &aside, against))
    return false;
  for (int k = 0; k + 1 < ASIDES; k++, aside *= SHORTER) {
    double worst = 0;
    for (int i = 0; i < resting->count; i++) {
      double off = fabs(with[k][i] - with[k + 1][i]) + fabs(against[k][i] - against[k + 1][i]);
      double does = fabs(with[k + 1][i] - against[k + 1][i]);
      bool is_lost = does == 0 && !is_idle(with, against, i); /* in rounding */
      if (off > 0 || !(off <= 0) || is_lost) worst = zw_sizes_worse(worst, is_lost ? INFINITY : off / does);
    }
    if (!(worst < BETTER * best)) continue;
    best = worst;
    resting->aside = aside;
  }
  return isfinite(best);
}

/* Solves R x = -r by elimination with pivots; R is small and is used up. */
static bool solve(int n, double R[TOGETHER][TOGETHER], const double* r, double* x) {
  for (int i = 0; i < n; i++) x[i] = -r[i];
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++) pivot = fabs(R[i][k]) > fabs(R[pivot][k]) ? i : pivot;
    if (!(fabs(R[pivot][k]) > 0)) return false;
    for (int j = 0; j < n; j++) {
      double kept = R[k][j];
      R[k][j] = R[pivot][j];
      R[pivot][j] = kept;
    }
    double kept = x[k];
    x[k] = x[pivot];
    x[pivot] = kept;
    for (int i = k + 1; i < n; i++) {
      double factor = R[i][k] / R[k][k];
      for (int j = k; j < n; j++) R[i][j] -= factor * R[k][j];
      x[i] -= factor * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) x[k] -= R[k][j] * x[j];
    x[k] /= R[k][k];
  }
  return true;
}

/* It is none of them: it moves, with this sign. */
static void let_go(ZwSim* sim, Resting* resting, int i, double sign) {
  set_sign(sim, resting->modes[i], sign);
  resting->count--;
  resting->modes[i] = resting->modes[resting->count];
}

/* One attempt: finds the signs that hold all, or lets one go. False when nothing can be said. */
static bool find_signs(ZwSim* sim, Resting* resting, const double* moving, bool* is_found) {
  double zero[TOGETHER] = {0}, free_rates[TOGETHER], R[TOGETHER][TOGETHER], left[TOGETHER], largest = 0;
  int n = resting->count, first = 0;
  if (!find_rates(sim, resting, zero, free_rates)) return false;
  for (int j = 0; j < n; j++) {
    double one[TOGETHER] = {0}, rates[TOGETHER];
    one[j] = 1;
    if (!find_rates(sim, resting, one, rates)) return false;
    for (int i = 0; i < n; i++) R[i][j] = rates[i] - free_rates[i];
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(R[i][j]));
  }
  for (int i = 0; i < n; i++) {
    if (R[i][i] < 0) continue; /* the sign drives it back */
    let_go(sim, resting, i, moving[resting->modes[i]]);
    return true;
  }
  if (!solve(n, R, free_rates, resting->signs)) return false;
  for (int i = 0; i < n; i++) first = fabs(resting->signs[i]) > fabs(resting->signs[first]) ? i : first;
  if (!(fabs(resting->signs[first]) <= 1)) {
    let_go(sim, resting, first, resting->signs[first] > 0 ? 1 : -1);
    return true;
  }
  *is_found = find_rates(sim, resting, resting->signs, left);
  for (int i = 0; i < n; i++) *is_found = *is_found && fabs(left[i]) <= LINEAR * largest;
  return *is_found;
}

/* What a velocity is moved by to see what it does: its size, or the number one where nothing is known of it. */
static double nudge_of(const ZwSim* sim, int32_t k, double v) {
  double size = zw_larger(sim->sizes.unit[sim->n + k], fabs(v));
  return size > 0 ? size : 1;
}

/* How easily the velocity moves, 1/m; where nothing that u reads has a mass, by its size. */
static double ease_of(const ZwSim* sim, int32_t k, bool has_mass, double v) {
  if (!has_mass) return nudge_of(sim, k, v) * nudge_of(sim, k, v);
  return sim->sizes.mass[k] > 0 ? 1 / sim->sizes.mass[k] : 0;
}

/* u is beside zero by an error: the velocities move by as little as puts it there. False when it was zero. */
static bool put_one_to_zero(ZwSim* sim, int32_t i, double t, double* y) {
  double *v = y + sim->n, *slope = sim->dx, square = 0;
  bool has_mass = false;
  if (!zw_eval_events(sim, t, y, v)) return false;
  double off = margin_of(sim, i);
  if (off == 0) return false;
  for (int32_t k = 0; k < sim->n; k++) {
    double kept = v[k];
    v[k] += nudge_of(sim, k, kept);
    bool is_finite = zw_eval_events(sim, t, y, v);
    slope[k] = is_finite ? (margin_of(sim, i) - off) / (v[k] - kept) : 0;
    v[k] = kept;
    has_mass = has_mass || (slope[k] != 0 && sim->sizes.mass[k] > 0);
  }
  for (int32_t k = 0; k < sim->n; k++) square += slope[k] * slope[k] * ease_of(sim, k, has_mass, v[k]);
  for (int32_t k = 0; k < sim->n && square > 0; k++) v[k] -= off * slope[k] * ease_of(sim, k, has_mass, v[k]) / square;
  return square > 0;
}

/* All that rest, in turns: one may move another. */
static void put_to_zero(ZwSim* sim, double t, double* y) {
  enum { TURNS = 40 };
  if (sim->formulation == ZW_FORMULATION_QUASI) return;
  bool has_moved = true;
  for (int turn = 0; turn < TURNS && has_moved; turn++) {
    has_moved = false;
    for (int32_t i = 0; i < sim->system->modes.count; i++) {
      if (sim->watch.rests[i] && put_one_to_zero(sim, i, t, y)) has_moved = true;
    }
  }
}

static ZwStatus fail_changing(ZwSim* sim, const ZwMode* mode) {
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s '%.*s' rests at zero, and what holds it there changes all the time",
                zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(mode->name));
  zw_diag_remedy(sim->diags,
                 "write the stick as a constraint with 'while', and let 'when' say where it begins and ends");
  return ZW_ERR_STEP;
}

/* Those at rest, and those that change their sign now. */
static Resting collect(const ZwSim* sim) {
  Resting resting = {0};
  for (int32_t i = 0; i < sim->system->modes.count && resting.count < TOGETHER; i++) {
    if (sim->watch.rests[i] || sim->watch.turns[i]) resting.modes[resting.count++] = i;
  }
  return resting;
}

ZwStatus zw_rest_settle(ZwSim* sim) {
  ZwWatch* watch = &sim->watch;
  Resting resting = collect(sim);
  if (resting.count == 0) return ZW_OK;
  bool is_again = false, is_found = false, is_known = true;
  for (int i = 0; i < resting.count; i++) {
    int32_t mode = resting.modes[i];
    is_again = is_again || (watch->rests[mode] && watch->turns[mode]);
    watch->before[mode] = watch->modes[mode];
    watch->rests[mode] = watch->turns[mode] = false;
  }
  resting.is_of_rows = is_read_by_rows(sim, &resting);
  is_known = choose_aside(sim, &resting);
  while (is_known && !is_found && resting.count > 0) is_known = find_signs(sim, &resting, watch->before, &is_found);
  if (!is_found) {
    for (int i = 0; i < resting.count; i++) set_sign(sim, resting.modes[i], watch->before[resting.modes[i]]);
    resting.count = 0;
  }
  set_signs(sim, &resting, resting.signs);
  for (int i = 0; i < resting.count; i++) watch->rests[resting.modes[i]] = true;
  put_to_zero(sim, sim->t, sim->y);
  watch->again = is_again && resting.count > 0 ? watch->again + 1 : 0;
  return watch->again > AGAIN_MAX ? fail_changing(sim, &sim->system->modes.items[resting.modes[0]]) : ZW_OK;
}

/* Signs that may come to rest: what they are the sign of is rounding. */
static Resting collect_rounding(ZwSim* sim) {
  Resting resting = {0};
  if (!zw_eval_events(sim, sim->t, sim->y, sim->y + sim->n)) return resting;
  for (int32_t i = 0; i < sim->system->modes.count && resting.count < TOGETHER; i++) {
    int32_t margin = sim->system->modes.items[i].sign_of - 1;
    if (margin < 0 || sim->values[sim->system->modes.items[i].param] == 0) continue;
    bool is_rounding = fabs(margin_of(sim, i)) <= ROUNDING * zw_looks_size(&sim->watch.looks, margin);
    if (is_rounding) resting.modes[resting.count++] = i;
  }
  return resting;
}

bool zw_rest_is_due(ZwSim* sim) {
  if (sim->m == 0 || sim->formulation == ZW_FORMULATION_QUASI) return false;
  Resting resting = collect_rounding(sim), all = resting;
  double kept[TOGETHER];
  bool is_found = false;
  if (all.count == 0) return false;
  for (int i = 0; i < all.count; i++) {
    int32_t mode = all.modes[i];
    kept[i] = sim->watch.before[mode] = sim->values[sim->system->modes.items[mode].param];
  }
  resting.is_of_rows = is_read_by_rows(sim, &resting);
  bool is_known = resting.is_of_rows && choose_aside(sim, &resting);
  while (is_known && !is_found && resting.count > 0) {
    is_known = find_signs(sim, &resting, sim->watch.before, &is_found);
  }
  set_signs(sim, &all, kept);
  for (int i = 0; i < resting.count && is_found; i++) sim->watch.turns[resting.modes[i]] = true;
  return is_found;
}

ZwStatus zw_rest_begin(ZwSim* sim) {
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    bool is_sign = sim->system->modes.items[i].sign_of > 0;
    sim->watch.rests[i] = false;
    sim->watch.turns[i] = is_sign && fabs(margin_of(sim, i)) <= zw_rest_band(sim, i);
  }
  return zw_rest_settle(sim);
}

void zw_rest_keep(ZwSim* sim) {
  bool is_any = false;
  int32_t row;
  for (int32_t i = 0; i < sim->system->modes.count; i++) is_any = is_any || sim->watch.rests[i];
  if (!is_any) return;
  put_to_zero(sim, sim->t + sim->step, sim->y_new);
  if (sim->m > 0) (void)zw_project(sim, sim->t + sim->step, sim->y_new, &row); /* it was on the constraints before */
}
