/* One level of a start: positions or velocities onto the rows that hold for them. */
#ifndef ZW_MOTION_START_LEVEL_H
#define ZW_MOTION_START_LEVEL_H

#include "motion/sim.h"

typedef struct ZwStartLevel {
  ZwLevel which; /* of positions or of velocities */
  double t;
  const ZwHold* hold; /* 2 n: how firmly the values in sim->y hold */
  bool is_start;      /* with the rows of the start, where what was not typed is free; else after an event */
  bool is_direct;     /* by the shortest way or not at all, and without a word */
  bool is_motion;     /* it is the state of the motion, and not one that is tried: sensitivities follow */
} ZwStartLevel;

/* Moves the values in sim->y. The metric is that of sim->M, or of sim->Mx where the system is large. */
ZwStatus zw_start_level(ZwSim* sim, const ZwStartLevel* level);
/* "as in: start crank.phi = 1", for a row that needs it. */
void zw_start_suggest(ZwSim* sim, int32_t row, bool is_position);

#endif
