/* The parts of zw_run_linearize: where it is done, and the eigenvalues there. */
#ifndef ZW_ZWANG_LINEARIZE_PARTS_H
#define ZW_ZWANG_LINEARIZE_PARTS_H

#include "motion/linear.h"
#include "zwang/handles.h"

typedef struct ZwLinearTask {
  ZwRun* run;
  ZwSim* sim;
  ZwArena* arena; /* of the answer */
  ZwArena scratch;
  const ZwLinearizeDef* def;
  double* start; /* n: positions of the run, which tell sizes */
  ZwNear near;   /* of the model */
  ZwMechanisms mechanisms;
  ZwSymmetries* symmetries; /* of each mechanism, */
  ZwSteady* steady;         /* and where it is steady */
  ZwTangent tangent;        /* of the model, mechanism by mechanism */
  ZwLinearization* out;
} ZwLinearTask;

/* linearize_state.c: goes to the state that is asked for, and looks at the equations there. */
ZwStatus zw_linear_find_state(ZwLinearTask* task);
/* The equations at the state of `near`, into it and to the mechanisms. */
ZwStatus zw_linear_look(ZwLinearTask* task);
/* linearize_corners.c: switches at whose border the state lies. */
ZwStatus zw_linear_find_corners(ZwLinearTask* task);
/* Refuses an equilibrium that was not found because the accelerations of the mechanism of coordinate `worst` lead to a kink from both sides; ZW_OK: that is not why. */
ZwStatus zw_linear_refuse_kink(ZwLinearTask* task, int32_t worst);
/* linearize_modes.c: the matrix, the eigenvalues and the shapes. */
ZwStatus zw_linear_find_modes(ZwLinearTask* task);

#endif
