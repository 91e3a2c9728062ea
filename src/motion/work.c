/* The work done in a step, once more where the balance of energies asks for it. Steps are chosen for positions and velocities: where these are
 * simple and forces are not, as on a crank that turns evenly under a load, the work that was added up along with them is poor. It
 * is an integral along the motion that was found, and taken here by Gauss's rule on the dense output, to as many places as it takes. */
#include <math.h>
#include <string.h>

#include "motion/energy.h"
#include "motion/sim.h"

enum { PANELS_MOST = 64 };

/* Of the part from x to x + width, in units of the step; NaN: it has no value somewhere. */
static double work_in(ZwSim* sim, double x, double width) {
  static const double places[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975362};
  static const double weights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  double sum = 0, *rate = sim->k[ZW_DOP853_STAGES + 1];
  for (int i = 0; i < 8; i++) {
    double at = x + 0.5 * width * (1 + (i % 2 ? places[i / 2] : -places[i / 2]));
    zw_interpolate(sim, at, sim->y_out);
    if (zw_eval_rate(sim, sim->t + at * sim->h_dense, sim->y_out, rate)) return NAN;
    sum += weights[i / 2] * rate[2 * sim->n];
  }
  return 0.5 * width * sim->h_dense * sum;
}

/* By more and more panels, until twice as many make no difference above `enough`. */
static double work_until(ZwSim* sim, double x, double enough) {
  double work = NAN;
  for (int panels = 1; panels <= PANELS_MOST; panels *= 2) {
    double before = work, width = x / panels;
    work = 0;
    for (int i = 0; i < panels; i++) work += work_in(sim, i * width, width);
    if (fabs(work - before) <= enough || isnan(work)) break;
  }
  return work;
}

/* In lanes the stages of the step are elsewhere; made anew they are the same, bit by bit. */
static bool make_dense(ZwSim* sim, const double* end) {
  double error;
  bool has_stages = sim->stepper->attempt != zw_explicit_attempt || !zw_explicit_attempt(sim, sim->h_dense, &error);
  memcpy(sim->y_new, end, (size_t)sim->dim * sizeof(double));
  return has_stages && !zw_dense(sim);
}

double zw_work_refine(ZwSim* sim, double t_end, double enough) {
  double *end = sim->row, *work = &sim->y_new[2 * sim->n]; /* no row is under way */
  bool has_dense = sim->has_dense, is_plain = !sim->near.is_near && !sim->near.is_crossing;
  if (sim->stepper->is_fixed || !(sim->step > 0) || !is_plain) return *work;
  memcpy(end, sim->y_new, (size_t)sim->dim * sizeof(double));
  double found = has_dense || make_dense(sim, end) ? work_until(sim, sim->step / sim->h_dense, enough) : NAN;
  if (!isnan(found)) *work = sim->y[2 * sim->n] + found;
  /* rows make it again, and are projected with the masses that this leaves */
  sim->has_dense = has_dense;
  (void)zw_eval_rate_projected(sim, t_end, sim->y_new, sim->k[ZW_DOP853_STAGES + 1]);
  return *work;
}
