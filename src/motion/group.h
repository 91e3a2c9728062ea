/* Up to eight members of an ensemble that make their steps together: each has its own time, step and error, and all are evaluated at
 * once, lane by lane. What they do is what zw_explicit_attempt, zw_project and the rows inside a step do, operation by operation, so
 * that each gets the bits that it would get alone. A group only does what is ordinary. Whoever meets something else, a number that
 * is not finite, rows that lose rank, a projection that fails, does the same attempt or row once more alone, where that is dealt with.
 *
 * It needs AVX2 (group_absent.c stands for other machines). */
#ifndef ZW_MOTION_GROUP_H
#define ZW_MOTION_GROUP_H

#include "motion/sim.h"

enum { ZW_GROUP = 8 };

/* Which of them: bit i stands for place i. */
typedef uint32_t ZwPlaces;

typedef struct ZwGroup ZwGroup;

/* Whether there can be a group for simulations like this one, at its start. */
bool zw_group_is_for(const ZwSim* sim);
/* A group for simulations like this one, at its start; NULL when there can be none, or no memory: all move alone then. */
ZwGroup* zw_group_create(const ZwSim* sim);
void zw_group_destroy(ZwGroup* group);

/* A simulation takes a place, and leaves it. */
void zw_group_enter(ZwGroup* group, int place, ZwSim* sim);
void zw_group_leave(ZwGroup* group, int place);
/* Can the next attempt of the simulation in a place, of a step of size h, be made together with others? */
bool zw_group_takes(const ZwGroup* group, int place, double h);

/* Attempts steps of sizes h up to the projected end, which is in sim->y_new then, with the velocities from before it in sim->F[4].
 * Gives those places that came to an end; errors are in units of the tolerance, and where they are above 1 that end is none. */
ZwPlaces zw_group_attempt(ZwGroup* group, ZwPlaces places, const double* h, double* errors);

/* After it, at ends whose error is at most 1: the rate there and what it says about the rows. Gives those places where that is
 * ordinary: their steps are found. For the others zw_step_end has to look closer. */
ZwPlaces zw_group_settle(ZwGroup* group, ZwPlaces places, ZwStepSearch** searches, const double* errors);

/* After an accepted attempt: the rows inside the pending step of each place. A place whose rows have to be made alone is left
 * ready for that. Gives those places; the status of a place is that of handing its rows out. */
ZwPlaces zw_group_emit(ZwGroup* group, ZwPlaces places, ZwProgress** progress, ZwStatus* status);

#endif
