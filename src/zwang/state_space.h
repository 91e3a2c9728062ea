/* A linearization as control engineers write it: x' = A x + B u, y = C x + D u. */
#ifndef ZW_ZWANG_STATE_SPACE_H
#define ZW_ZWANG_STATE_SPACE_H

#include "motion/linear.h"
#include "zwang/handles.h"

/* What is known of the state where sim->y stands. */
typedef struct ZwStateSpace {
  ZwRun* run;
  ZwArena *arena, *scratch; /* of the answer */
  const ZwNear* near;
  const ZwTangent* tangent;
} ZwStateSpace;

/* Everything but A. ZW_ERR_ARGUMENT: an input is none. */
ZwStatus zw_state_space_fill(const ZwStateSpace* space, const ZwLinearizeDef* def, ZwLinearization* out);

#endif
