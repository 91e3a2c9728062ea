/* Which forces of contacts are given where many carry the load (cones.c). */
#ifndef ZW_MOTION_CONES_H
#define ZW_MOTION_CONES_H

#include "motion/sim.h"

/* What a contact asks of its forces: N >= 0, or mu N + sign T >= 0. Places are those of the candidates of the last rank decision. */
typedef struct ZwCone {
  int32_t contact, gap, slip; /* slip < 0: N alone */
  double sign;
  bool is_met; /* the choice lies on this one */
} ZwCone;

/* How the forces of one group were chosen. */
typedef struct ZwConesChoice {
  bool is_made;    /* otherwise the smallest forces are given */
  bool is_enough;  /* they are as far from lifting and slipping as is asked for */
  double scale;    /* the largest of the smallest forces */
  int32_t largest; /* which that is */
  int32_t count;   /* of cones */
  ZwCone* cones;   /* the caller's: room for zw_cones_most */
} ZwConesChoice;

int32_t zw_cones_most(const ZwSim* sim);
/* Distance from lifting and slipping that is enough, as a part of the largest force. */
double zw_cones_enough(void);
/* Forces are chosen by groups: each has the rows of an island (islands.h) some of which repeat others. Their number, for the last rank
 * decision, and the group of each of its candidates, -1: of none. */
int32_t zw_cones_find_groups(ZwSim* sim);
int32_t zw_cones_group(const ZwSim* sim, int32_t candidate);
/* Like zw_cones_choose for one group, after they have been found, and tells how. */
void zw_cones_tell(ZwSim* sim, int32_t group, double* lambda, ZwConesChoice* choice);

#endif
