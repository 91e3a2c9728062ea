/* All formulations side by side at states of a motion: they agree, or say why they do not apply. */
#ifndef ZW_MOTION_COMPARE_H
#define ZW_MOTION_COMPARE_H

#include "motion/sim.h"

typedef struct ZwComparison {
  bool applies;       /* at every state looked at */
  const char* reason; /* why not, at the first where it did not; "" */
  double difference;  /* largest |a - a of auto|, as a part of the largest acceleration, free or not, at that state */
  double residual;    /* of A a = b, the largest */
  double optimality;  /* |Z^T Qc|, the largest */
  double gaussian;    /* at the first state; NaN where there is no free acceleration */
  double seconds;     /* of one solve, on average; NaN without a clock */
  int64_t solves;
} ZwComparison;

typedef struct ZwCompare {
  ZwComparison of[ZW_FORMULATION_COUNT];
  int32_t states;
  double (*clock)(void);      /* seconds from anywhere; NULL: no times are taken */
  double *a, *Qc, *reference; /* n each, of the caller */

  /* the frame at the last state (T16) */
  bool has_frame, is_stated; /* of the user's quasi-velocities, or carried along */
  bool is_alone;             /* nothing else is wanted: the papers' formulations are left out */
  int32_t f;                 /* -1 before the first */
  double* Zt;                /* n x n: rows of the frame carried along */
  double *nu, *nu_rate;      /* n each, f used */
  double *B, *r, *c;         /* n x f in n x n, n, n */
  double *K, *p;             /* f x f in n x n, n */
  double* P;                 /* n, f used: B^T h */
  double S;                  /* 1/2 a^T M a */
} ZwCompare;

/* Numbers that the pointers above need, and their places in `memory`. */
ptrdiff_t zw_compare_size(int32_t n);
void zw_compare_place(ZwCompare* compare, int32_t n, double* memory);

void zw_compare_begin(ZwCompare* compare);
/* Looks at a projected state. The simulation must have room for the papers' formulations (zw_sim_set_formulation). */
ZwStatus zw_compare_state(ZwCompare* compare, ZwSim* sim, double t, const double* y);
/* M, h and all rows that are on at a state, in memory of the simulation; sim->fresh_rows says which rows they are. False: not finite. */
bool zw_compare_gather(ZwSim* sim, double t, const double* q, const double* v, ZwPaperProblem* problem);

#endif
