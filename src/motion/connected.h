/* Which coordinates hang together at all states: islands (islands.h) joined by all constraints and contacts, whether they are there now
 * or not, and by switches, memories and events, where one coordinate decides what another one reads. A state of rest is looked for
 * among all of these. Mechanisms that do not hang together have nothing to do with each other, and no number of one may depend on
 * those of another. */
#ifndef ZW_MOTION_CONNECTED_H
#define ZW_MOTION_CONNECTED_H

#include "motion/islands.h"

/* ZW_ERR_MEMORY. */
ZwStatus zw_connected_find(const ZwSim* sim, ZwArena* arena, ZwIslands* connected);

#endif
