/* Islands of a simulation at its present state: those of the equations (equations/islands.h), joined by the rows that are on, among
 * them those of closed contacts, and by further contacts of the caller's. */
#ifndef ZW_MOTION_ISLANDS_H
#define ZW_MOTION_ISLANDS_H

#include "equations/islands.h"
#include "motion/sim.h"

/* `islands->of` has room for n numbers. `with` (a flag for each contact, or NULL) are contacts that join besides the closed ones. For
 * ZW_JOIN_TERMS a force that the host computes joins everything. */
void zw_islands_now(const ZwSim* sim, ZwJoin join, const bool* with, ZwIslands* islands);

/* The contacts of an island among those `from`, into `to`; whether there is any. Island -1: gaps without coordinates. */
bool zw_islands_gather(const ZwSim* sim, const ZwIslands* islands, int32_t island, const bool* from, bool* to);

/* Which laws of impacts the contacts of the model need: T32 where an inertia that they reach depends on velocities, else T22. */
void zw_islands_laws(ZwSim* sim, bool* is_energetic, bool* is_newtonian);

#endif
