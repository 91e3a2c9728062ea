/* Many runs of one model: up to eight at a time are under way, and make together what they can (group.h). Each is, bit by bit,
 * what zw_run makes of it. */
#ifndef ZW_MOTION_ENSEMBLE_H
#define ZW_MOTION_ENSEMBLE_H

#include "motion/sim.h"

typedef struct ZwMembers {
  /* The next run, at its consistent start; false: there is none now. Asked again whenever one has ended. */
  bool (*next)(void* context, ZwSim** sim, const ZwRunPlan** plan);
  /* It has ended. */
  void (*done)(void* context, ZwSim* sim, ZwStatus status);
  /* Members like this one move together from now on: its equations are needed until the end. */
  void (*grouped)(void* context, const ZwSim* sim);
  void* context;
} ZwMembers;

/* Until there is none and none is under way. */
void zw_ensemble_run(const ZwMembers* members);

#endif
