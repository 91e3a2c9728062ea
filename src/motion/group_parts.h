/* What the files of a group share; for them only. They are compiled for AVX2. */
#ifndef ZW_MOTION_GROUP_PARTS_H
#define ZW_MOTION_GROUP_PARTS_H

#include "least/group.h"
#include "motion/group.h"

_Static_assert((int)ZW_GROUP == (int)ZW_EIGHT, "a place for each number");

enum { ZW_GROUP_HALVES = ZW_GROUP / ZW_GROUP_FOUR };

struct ZwGroup {
  void* memory; /* that it stands in */
  ZwArena arena;
  ZwProgram program;
  ZwKernelState states[ZW_GROUP_HALVES];
  ZwSim* sims[ZW_GROUP];
  double* kept[ZW_GROUP];      /* constants of a lane that is lent (group_rows.c) */
  ZwPlaces occupied, ordinary; /* places; those whose steps may be made here */
  int32_t n, m, dim;
  const ZwEquations* equations;
  ZwRowSet sets[3];
  ZwEight tolerance, tol_project, t;
  ZwEight* values;               /* parameters and literals */
  ZwEight *scale, *size, *guess; /* m: of the rows (rows.c, singular.c) */
  /* what kernels write, as in ZwSim */
  ZwEight *Mx, *Ax, *hL, *Q, *b, *phi, *psi, *outs, *power;
  /* the problem */
  ZwEight *M, *A, *h, *bI, *rI, *a, *lambda, *Qc, *dx, *zero, *before;
  ZwLeastGroup* least;
  /* the step; states y have their time behind them */
  ZwEight *y, *y_new, *y_out, *k[ZW_DOP853_STAGES_ALL], *F[7];
};

static inline bool zw_group_has(ZwPlaces places, int place) {
  return places >> place & 1;
}

/* The numbers of one place. */
static inline void zw_group_put(ZwEight* to, int place, const double* from, int32_t count) {
  for (int32_t i = 0; i < count; i++) numbers_of(&to[i])[place] = from[i];
}

static inline void zw_group_get(double* to, const ZwEight* from, int place, int32_t count) {
  for (int32_t i = 0; i < count; i++) to[i] = number_of(&from[i], place);
}

/* ---- group_state.c: as evaluate.c and project.c; they give those places for which all went well ---- */

/* The rate of y with the frozen rows. */
ZwEightSet zw_group_eval_rate(ZwGroup* group, const ZwEight* y, ZwEight* rate);
ZwEightSet zw_group_eval_outputs(ZwGroup* group, const ZwEight* y);
/* Moves the states of `places` in y onto the constraints; the displacement, measured like an error, grows. */
ZwEightSet zw_group_project(ZwGroup* group, ZwEight* y, ZwEightSet places, ZwEight* displacement);

/* ---- group_step.c ---- */

/* y + h sum_j a_j k_j at time t + c h */
void zw_group_combine(const ZwGroup* group, ZwEight h, const double* a, int count, double c, ZwEight* to);

#endif
