/* When does `auto` go over to radau? Eigenvalues are no good guide: near them an order-8 method is limited by accuracy long
 * before it is by stability, in a way that depends on damping and tolerance. So it is tried: from time to time, in the place
 * of a step, radau attempts one that is several times as long; if that is accurate enough, a few times in a row, radau will
 * be faster. The attempts leave no trace in the motion. They become rare where they are in vain.
 *
 * Where the explicit method stays, although stability bounds its steps, its estimate is no guide either: for a decay at the rate z/h it
 * vanishes at z = -5.7, and steps find their way there. Its last two stages tell the rate, and steps stay shorter than that. */
#include <math.h>

#include "least/dense.h"
#include "motion/sim.h"

#define LONGER 3.0     /* steps of radau must be this much longer to be worth their price */
#define SHRUNK 0.5     /* a step that became shorter than this part since the last attempt is not steady, */
#define LEAST 1e-10    /* nor one so short, as a part of the time: that is a pole */
#define STEADY_LOW 0.7 /* nor one that changes at once by more than this */
#define STEADY_HIGH 1.6
#define RATE_MOST 4.0     /* times the step: up to there the estimate, and the dense output, are as good as they say */
#define RATE_FADES 0.93   /* of a rate that is not seen, from look to look */
#define RATE_RESOLVED 1.0 /* times the step: a motion that it resolves */
#define RATE_SEEN 0.1     /* tolerances by which the stages must differ to tell it: rounding is less */

enum {
  RATE_EVERY = 4, /* steps between looks at the rate */
  WAIT_FIRST = 20,
  WAIT_MOST = 640,
  IN_A_ROW = 3,
  COORDS_MAX =
      200 /* that radau is tried with, where the equations fall into parts and steps of the explicit method cost little */
};

void zw_stiffness_begin(ZwSim* sim) {
  sim->stiff = (ZwStiffness){.wait = WAIT_FIRST, .t = NAN};
}

/* ---- the rate ---- */

bool zw_stiffness_is_rate_due(const ZwSim* sim) {
  return sim->stiff.unseen + 1 >= RATE_EVERY;
}

/* Adds, of `count` entries, the squares of what the rates at the last two stages, both at the end of the step, differ by in parts of the
 * sizes, and of what these states do. */
static inline void add_entries(const ZwSim* sim, const double* apart, int32_t first, int32_t count, double* sum) {
  const double *before = sim->k[ZW_DOP853_STAGES - 1], *end = sim->k[ZW_DOP853_STAGES];
  const double *unit = sim->sizes.unit, *y = sim->y;
  double of_rates = sum[0], of_states = sum[1];
  for (int32_t i = first; i < first + count; i++) {
    double part = 1 / (unit[i] + fabs(y[i])), rates = part * (end[i] - before[i]), states = part * apart[i];
    of_rates += rates * rates;
    of_states += states * states;
  }
  sum[0] = of_rates;
  sum[1] = of_states;
}

/* ... by island. */
static void compare_stages(const ZwSim* sim, const double* apart, double* sums) {
  const ZwSizes* sizes = &sim->sizes;
  int32_t n = sim->n;
  for (int32_t g = 0; g < 2 * sizes->islands; g++) sums[g] = 0;
  if (sizes->islands == 1) {
    add_entries(sim, apart, 0, 2 * n, sums);
    return;
  }
  for (int32_t i = 0; i < 2 * n; i++) {
    add_entries(sim, apart, i, 1, sums + 2 * (ptrdiff_t)sizes->island[i < n ? i : i - n]);
  }
}

/* Of the quickest island: how much the rates differ over how much the states do. Islands where that is rounding tell nothing. */
static double rate_of(const ZwSim* sim, double h) {
  const ZwSizes* sizes = &sim->sizes;
  double *apart = sim->F[5], *sums = sizes->sums, most = 0, seen = RATE_SEEN * sim->tolerance;
  sim->stages->add(&sim->weights.apart, sim->k, h, NULL, apart, zw_stages_room(2 * sim->n));
  compare_stages(sim, apart, sums);
  for (int32_t g = 0; g < sizes->islands; g++) {
    const double* sum = sums + 2 * (ptrdiff_t)g;
    bool is_seen = sum[1] > seen * seen * 2 * sizes->island_size[g];
    if (is_seen) most = zw_larger(most, sum[0] / sum[1]);
  }
  return sqrt(most);
}

/* What decays at once is not seen most of the time. A lower rate is believed where it is that of a motion which the steps resolve; where
 * nothing of their length is to be seen, the old one is let go slowly. */
static void note_rate(ZwStiffness* stiff, double rate, double h) {
  bool is_believed = rate >= RATE_FADES * stiff->rate || h * rate >= RATE_RESOLVED;
  stiff->rate = is_believed ? rate : RATE_FADES * stiff->rate;
}

void zw_stiffness_forget_rate(ZwSim* sim) {
  sim->stiff.rate = 0;
}

double zw_stiffness_limit(ZwSim* sim, double h) {
  ZwStiffness* stiff = &sim->stiff;
  bool is_due = zw_stiffness_is_rate_due(sim);
  stiff->unseen = is_due ? 0 : stiff->unseen + 1;
  if (is_due) note_rate(stiff, rate_of(sim, h), h);
  return stiff->rate > 0 ? RATE_MOST / stiff->rate : INFINITY;
}

/* ---- would radau go further? ---- */

/* The explicit step has found its size: it did not fail just now, it stays, and it is not on its way to zero, as it would
 * be before a pole. */
static bool is_steady(const ZwSim* sim) {
  const ZwStiffness* stiff = &sim->stiff;
  bool is_near = zw_singular_is_ahead(sim);
  bool is_smooth = sim->stats.rejected == stiff->rejected && sim->h_next > SHRUNK * stiff->h_begin;
  return !is_near && is_smooth && sim->h_next > STEADY_LOW * sim->step && sim->h_next < STEADY_HIGH * sim->step;
}

bool zw_stiffness_is_found(ZwSim* sim, double until) {
  ZwStiffness* stiff = &sim->stiff;
  double h = LONGER * sim->h_next, error = INFINITY;
  bool is_too_large = sim->large || (sim->is_split && sim->n > COORDS_MAX); /* radau is dense */
  if (is_too_large) return false;
  if (stiff->steps++ == 0) stiff->h_begin = sim->h_next;
  bool is_due = stiff->steps > stiff->wait,
       is_possible = is_steady(sim) && h < until - sim->t && h > LEAST * fabs(until);
  stiff->rejected = sim->stats.rejected;
  if (!is_due) return false;
  if (!is_possible) {
    stiff->steps = stiff->in_a_row = 0;
    return false;
  }
  zw_radau_forget(sim);
  bool is_longer = zw_radau_attempt(sim, h, &error) == ZW_OK && error <= 1;
  if (is_longer) return ++stiff->in_a_row == IN_A_ROW; /* if not, again at the next step */
  stiff->steps = stiff->in_a_row = 0;
  if (stiff->wait < WAIT_MOST) stiff->wait *= 2;
  return false;
}
