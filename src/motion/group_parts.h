/* What the files of a group share; for them only. They are compiled for AVX2. */
#ifndef ZW_MOTION_GROUP_PARTS_H
#define ZW_MOTION_GROUP_PARTS_H

#include "base/eight.h"
#include "kernel/eliminate.h"
#include "motion/group.h"

_Static_assert((int)ZW_GROUP == (int)ZW_EIGHT, "a place for each number");

enum { ZW_GROUP_HALVES = ZW_GROUP / ZW_GROUP_FOUR };

struct ZwGroup {
  void* memory; /* that it stands in */
  ZwArena arena;
  ZwProgram program;
  ZwKernelState states[ZW_GROUP_HALVES];
  ZwKernelState parts[ZW_GROUP_HALVES]; /* of the elimination */
  ZwSim* sims[ZW_GROUP];
  double* kept[ZW_GROUP];      /* constants of a lane that is lent (group_rows.c) */
  ZwPlaces occupied, ordinary; /* places; those whose steps may be made here */
  int32_t n, m, dim;
  const ZwEquations* equations;
  ZwRowSet sets[3];
  int32_t *island, *island_size, islands; /* as in ZwSizes; all members have the same */
  ZwEight* sums;                          /* 2 n, by islands */
  ZwEight tolerance, tol_project, t;
  ZwEight* values;               /* parameters and literals */
  ZwEight *scale, *size, *guess; /* m: of the rows (rows.c, singular.c) */
  /* as in ZwSim: what kernels write, and the block of the elimination */
  ZwEight *block, *Mx, *Ax, *b, *a, *lambda, *Qc, *phi, *psi, *outs, *zero, *before, *x;
  bool has_M;          /* what follows from M is there */
  ZwEightSet definite; /* for whom that is sound */
  ZwEight pivot_ratio; /* of the last factors */
  int32_t row_count;   /* rows in the elimination; -1: not known */
  /* the step; states y have their time behind them */
  ZwEight *y, *y_new, *y_out, *unit, *row_size[2], *k[ZW_DOP853_STAGES_ALL], *F[7];
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

/* As zw_sizes_worse. */
static inline ZwEight worse(ZwEight worst, ZwEight error) {
  return choose(is_at_most(error, worst), worst, choose(is_equal(worst, worst), error, worst));
}

/* ---- group_state.c: as evaluate.c and project.c; they give those places for which all went well ---- */

/* Whether somebody is in this half. */
bool zw_group_half(const ZwGroup* group, int half);
/* The rate of y with the frozen rows. */
ZwEightSet zw_group_eval_rate(ZwGroup* group, const ZwEight* y, ZwEight* rate);
ZwEightSet zw_group_eval_outputs(ZwGroup* group, const ZwEight* y);
/* Moves the states of `places` in y onto the constraints; the displacement, measured like an error, grows. */
ZwEightSet zw_group_project(ZwGroup* group, ZwEight* y, ZwEightSet places, ZwEight* displacement);

/* ---- group_solve.c: as small.c ---- */

/* h, a, lambda, Qc and the power after the kernels have run. */
ZwEightSet zw_group_solve(ZwGroup* group, const ZwEight* v);
/* Factors of the rows of a set, for the two that follow; dx with A dx = -residual; the smallest singular
 * value of all rows by the guess, which becomes better, and for whom it is that. */
ZwEightSet zw_group_factor(ZwGroup* group, const ZwRowSet* set);
ZwEightSet zw_group_step(ZwGroup* group, const ZwRowSet* set, const ZwEight* residual);
ZwEightSet zw_group_measure(ZwGroup* group, ZwEight* smallest, ZwEightSet* sure);
/* Sizes of all rows into group->size. */
ZwEightSet zw_group_row_sizes(ZwGroup* group);
/* The number of the block. */
static inline ZwEight* zw_group_number(const ZwGroup* group, int32_t place) {
  return group->block + place;
}

/* ---- group_step.c ---- */

/* y + h sum_j a_j k_j at time t + c h */
void zw_group_combine(const ZwGroup* group, ZwEight h, const double* a, int count, double c, ZwEight* to);

#endif
