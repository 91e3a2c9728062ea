/* Whether a rate is zero. An impact leaves a slip of 1e-14 or of 1e-11, as the sums happen to be; whoever decides what a contact
 * does, watches over it or puts it back must give the same answer, or decisions undo each other. All of them ask here. */
#include <math.h>

#include "motion/sim.h"

double zw_still_size(const ZwSim* sim, int32_t row, ZwLevel level) {
  const ZwPattern* pattern = &sim->equations->A;
  const double* unit = sim->sizes.unit + (level == ZW_LEVEL_POSITION ? 0 : sim->n);
  double size = 0;
  for (int32_t k = pattern->begin[row]; k < pattern->begin[row + 1]; k++) {
    size += fabs(sim->Ax[k]) * unit[pattern->column[k]];
  }
  return size;
}

double zw_still_least(const ZwSim* sim, int32_t row) {
  return ZW_STILL * zw_still_size(sim, row, ZW_LEVEL_VELOCITY);
}

bool zw_still_is(const ZwSim* sim, int32_t row) {
  return fabs(sim->psi[row]) <= zw_still_least(sim, row);
}

/* The row of the rate that the event of a contact waits for; -1: it waits for a force. */
static int32_t row_of(const ZwSim* sim, int32_t event) {
  int32_t number = sim->system->events.items[event].contact;
  if (number == 0) return -1;
  const ZwContact* contact = &sim->system->contacts.items[number - 1];
  return event == contact->closes ? contact->row : event == contact->stops ? contact->slip : -1;
}

bool zw_still_is_event(ZwSim* sim, int32_t event) {
  int32_t row = row_of(sim, event);
  const double* v = row >= 0 ? zw_velocity(sim, sim->t, sim->y) : NULL;
  return row >= 0 && zw_eval_velocity(sim, sim->t, sim->y, v) && zw_still_is(sim, row);
}
