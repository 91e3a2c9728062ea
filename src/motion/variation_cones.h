/* How forces of contacts that are not unique change, as cones.h chooses them. */
#ifndef ZW_MOTION_VARIATION_CONES_H
#define ZW_MOTION_VARIATION_CONES_H

#include "motion/cones.h"
#include "motion/variation.h"

/* Rows that repeat each other: all m rows are C A_J with r independent ones, C^T lambda = mu is what the whole force asks of them. */
typedef struct ZwShared {
  int32_t m, r;
  const double *C, *dC;    /* m x r */
  const double *mu, *dmu;  /* r */
  const double* lambda;    /* m: the smallest */
  const double* dsmallest; /* m: how these change */
} ZwShared;

/* Numbers, and places to swap, that are needed for up to m rows. */
ptrdiff_t zw_variation_cones_room(const ZwSim* sim, int32_t m);
ptrdiff_t zw_variation_cones_unknowns(const ZwSim* sim, int32_t m);
/* The change of the forces chosen into dlambda (m), or of the smallest, where these are given. */
void zw_variation_cones(ZwSim* sim, ZwVariation* variation, const ZwShared* shared, double* dlambda);

#endif
