/* Zeros that the motion passes with infinite acceleration. The level of a tank with h' = -sqrt(abs(h - s))*sign(h - s) falls ever more slowly to the level s of the
 * sea, and rises with it: h' is continuous, and h'' = (h' - s')/(2 sqrt(abs(h - s))) infinite for an instant, from which no step is
 * short enough to lead on. There one step of first order leads
 * on, so short that its error counts for nothing. */
#include <math.h>

#include "least/dense.h"
#include "motion/integrator.h"
#include "motion/sim.h"

#define PART 0.1     /* of the tolerance: the error of such a step */
#define LONGEST 1e-6 /* of the duration of the run: such a step */
#define SHORTER 0.25 /* if that is too long */
#define FALL \
  0.8 /* accelerations after it, and after a step as much shorter: this part at most, or they are not infinite before */

static double largest_acceleration(const ZwSim* sim, const double* rate) {
  double largest = 0;
  for (int32_t k = 0; k < sim->n; k++) {
    double size = sim->sizes.unit[sim->n + k];
    if (size > 0) largest = zw_larger(largest, fabs(rate[sim->n + k]) / size);
  }
  return largest;
}

/* The end of a step, and its rate: positions along the velocities, velocities by the accelerations `a`, or as they are without them. What constraints
 * determine of these follows from them. */
static bool go_on(ZwSim* sim, double h, const double* a, double* rate) {
  ptrdiff_t n = sim->n;
  int32_t row;
  zw_copy(sim->dim, sim->y, sim->y_new);
  for (ptrdiff_t k = 0; k < n; k++) {
    sim->y_new[k] += h * sim->y[n + k];
    if (a) sim->y_new[n + k] += h * a[k];
  }
  if (zw_project(sim, sim->t + h, sim->y_new, &row) != ZW_PROJECTED) return false;
  return !zw_eval_rate_projected(sim, sim->t + h, sim->y_new, rate);
}

/* The size of a position; of one that has been zero so far, by how far it may come. */
static double size_of(const ZwSim* sim, int32_t k) {
  double size = zw_larger(sim->sizes.unit[k], fabs(sim->y[k]));
  return sim->sizes.largest[k] > 0 ? size : zw_larger(size, fabs(sim->y[sim->n + k]) * zw_sizes_time(sim));
}

/* What positions are off by, as velocities change on the way, in parts of what they may be. */
static double error_of(const ZwSim* sim, double h) {
  double worst = 0;
  for (int32_t k = 0; k < sim->n; k++) {
    double off = h * fabs(sim->y_new[sim->n + k] - sim->y[sim->n + k]);
    if (off > 0) worst = zw_sizes_worse(worst, off / (PART * sim->tolerance * size_of(sim, k)));
  }
  return worst;
}

/* The longest step that is good enough; 0: none. */
static double longest_step(ZwSim* sim, double h, double shortest, double* rate) {
  for (; h > shortest; h *= SHORTER) {
    if (go_on(sim, h, NULL, rate) && error_of(sim, h) <= 1) return h;
  }
  return 0;
}

/* The step is as good as straight. */
static void take_step(ZwSim* sim, double h) {
  sim->stepper = zw_integrator(ZW_INTEGRATOR_EXPLICIT);
  sim->step = sim->h_dense = sim->h_next = h;
  sim->has_dense = true;
  for (int32_t i = 0; i < sim->dim; i++) sim->F[0][i] = sim->y_new[i] - sim->y[i];
  for (int r = 1; r < 3 + ZW_DOP853_DENSE; r++) zw_fill(sim->dim, 0, sim->F[r]);
  sim->near.is_crossing = sim->near.is_to_note = sim->has_next_sets = false;
}

bool zw_steep_pass(ZwSim* sim, double shortest, double until) {
  double *rate = sim->k[ZW_DOP853_STAGES], *nearer = sim->k[ZW_DOP853_STAGES + 1];
  bool may_be = sim->m > 0 && sim->system->modes.count > 0 && sim->formulation != ZW_FORMULATION_QUASI;
  if (!may_be || sim->sensitivity) return false;
  double h = longest_step(sim, fmin(LONGEST * zw_sizes_time(sim), until - sim->t), shortest, rate);
  if (h == 0 || !go_on(sim, SHORTER * h, NULL, nearer)) return false;
  if (!(largest_acceleration(sim, rate) < FALL * largest_acceleration(sim, nearer))) return false;
  zw_copy(sim->dim, rate, nearer);
  if (!go_on(sim, h, nearer + sim->n, rate)) return false;
  take_step(sim, h);
  return true;
}
