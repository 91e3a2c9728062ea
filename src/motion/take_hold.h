/* Velocities that jump because a constraint takes hold (`while`), or because an event sets some of them, where M depends on velocities
 * (T32): plastic, with equalities. The assembly of the event has found out which values have to move; those of islands with such masses
 * then move by the least divergence from what they were, in place of the least distance in the mass metric. */
#ifndef ZW_MOTION_TAKE_HOLD_H
#define ZW_MOTION_TAKE_HOLD_H

#include "motion/assemble.h"
#include "motion/sim.h"

/* After the assembly `a` of velocities at an event, whose rows are `rows`: moves sim->y and its sensitivities. */
ZwStatus zw_take_hold(ZwSim* sim, const ZwAssembly* a, double t, const int32_t* rows);

#endif
