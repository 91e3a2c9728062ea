/* When does `auto` go over to radau? Eigenvalues are no good guide: near them an order-8 method is limited by accuracy long
 * before it is by stability, in a way that depends on damping and tolerance. So it is tried: from time to time, in the place
 * of a step, radau attempts one that is several times as long; if that is accurate enough, a few times in a row, radau will
 * be faster. The attempts leave no trace in the motion. They become rare where they are in vain. */
#include <math.h>

#include "motion/sim.h"

#define LONGER 3.0     /* steps of radau must be this much longer to be worth their price */
#define SHRUNK 0.5     /* a step that became shorter than this part since the last attempt is not steady, */
#define LEAST 1e-10    /* nor one so short, as a part of the time: that is a pole */
#define STEADY_LOW 0.7 /* nor one that changes at once by more than this */
#define STEADY_HIGH 1.6

enum {
  WAIT_FIRST = 20,
  WAIT_MOST = 640,
  IN_A_ROW = 3,
  COORDS_MAX =
      200 /* that radau is tried with, where the equations fall into parts and steps of the explicit method cost little */
};

void zw_stiffness_begin(ZwSim* sim) {
  sim->stiff = (ZwStiffness){.wait = WAIT_FIRST, .t = NAN};
}

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
