/* How the motion changes to first order at one state when time, state and parameters change along a direction.
 *
 * With r = (M a - h - Q - A^T lambda, A a - b) = 0 and its change dr at fixed a and lambda,
 *
 *   [M -A^T] [da     ]
 *   [A   0 ] [dlambda] = -dr,
 *
 * the problem of the accelerations with another right side. Changes of all terms come from a program of their own (kernel/derived.c):
 * nothing is differenced. */
#ifndef ZW_MOTION_VARIATION_H
#define ZW_MOTION_VARIATION_H

#include "expr/eval.h"
#include "motion/sim.h"

/* Rates of what the equations read; each is the caller's. */
typedef struct ZwDirection {
  double dt;
  const double *dq, *dv;    /* n */
  const double* dconstants; /* of the program of changes, for the changes of values: see zw_variation_constants */
} ZwDirection;

typedef struct ZwVariation {
  /* the state, from zw_variation_at on */
  double t;
  double* y;              /* q, v */
  double* forces;         /* m: multipliers of the frozen rows, and forces of friction along slips */
  double* a;              /* n */
  double* lambda;         /* by frozen rows */
  double* Ax;             /* the rows there */
  double* Qc;             /* n */
  double *a_b, *lambda_b; /* their parts linear in b, if forces are asked for */
  double* host[2];        /* n x n: minus the derivatives of a force of the host by q and v; NULL without one */
  /* if outputs read quantities (variation_quantities.c) */
  double *M, *L, *w;     /* n x n, n x n, 2 n: masses, their factor, a - a0 and its change */
  double* mass_unit;     /* n: units in which M has an LU factor in L, where it is indefinite; */
  int32_t* mass_swap;    /* n: rows exchanged in that */
  bool has_free, has_LU; /* M has an inverse; by that factor, and not by Cholesky's */
  /* what changes along the direction of zw_variation_solve */
  double *da, *dlambda, *dQc;                                              /* n; by frozen rows; n */
  double* dreactions;                                                      /* m: zw_variation_reactions */
  double *dM, *dA, *dh, *dQ, *db, *dpower, *dphi, *dpsi, *douts, *devents; /* as the targets lie */
  double* dfriction;                                                       /* 2 for each contact: along its slips */
  /* the program of changes, and what it reads: values and behind them their changes */
  ZwDerived derived;
  ZwKernelState state;
  double *q, *v, *accelerations, *reactions, *values;
  double *right, *bI, *zero; /* scratch: n, 2 m, n + m */
  double* dense;             /* of the reactions of redundant rows; NULL while there are none */
  struct ZwCone* cones;      /* of contacts whose forces are not unique */
  double* chosen;            /* room for how these change */
  int32_t* swap;
} ZwVariation;

ZwStatus zw_variation_create(ZwSim* sim, ZwArena* arena, ZwVariation* variation);
/* Gives back what is not in the arena. */
void zw_variation_destroy(ZwVariation* variation);
/* What the values, which are zero, change by when the parameter `index` changes by 1, with all that is computed from it; `given` are parameters that
 * are not the model's, NaN: the model's; NULL: none. */
void zw_variation_values(ZwSim* sim, ZwEvaluator* evaluator, const double* given, int32_t index, double* dvalues);
/* The constants of the program of changes, for changes of the values (parameters, then literals); how many they are. */
ptrdiff_t zw_variation_constant_count(const ZwVariation* variation);
void zw_variation_constants(ZwSim* sim, ZwVariation* variation, const double* dvalues, double* dconstants);

/* Evaluates the state (t, y), y = (q, v): accelerations and factors of the frozen rows. */
ZwStatus zw_variation_at(ZwSim* sim, ZwVariation* variation, double t, const double* y);
/* At it: da, dlambda, dQc. */
ZwStatus zw_variation_solve(ZwSim* sim, ZwVariation* variation, const ZwDirection* direction);
/* After that: dreactions, of the multipliers as zw_reactions chooses them, which sim->reactions holds. */
ZwStatus zw_variation_reactions(ZwSim* sim, ZwVariation* variation);
/* After zw_variation_solve: changes of the coefficients of friction, among devents. */
void zw_variation_coefficients(const ZwSim* sim, ZwVariation* variation);
/* Right after zw_variation_at has evaluated, and before outputs are varied: the quantities of expr/quantity.h, and their changes. */
void zw_variation_quantities_at(ZwSim* sim, ZwVariation* variation);
void zw_variation_quantities(const ZwSim* sim, ZwVariation* variation);
/* After zw_variation_reactions: changes of the numbers of zw_reactions_row. */
ZwStatus zw_variation_forces(ZwSim* sim, ZwVariation* variation, double* to);
/* After that: changes of outputs; of conditions, margins and new values of events. */
void zw_variation_outputs(ZwSim* sim, ZwVariation* variation, const ZwDirection* direction);
void zw_variation_events(ZwSim* sim, ZwVariation* variation, const ZwDirection* direction);

/* A state of the caller's, which need not be that of zw_variation_at. */
typedef struct ZwStateAt {
  double t;
  const double *q, *v;
} ZwStateAt;

/* There: changes of phi or psi (by the entry), and of the rows A. */
void zw_variation_rows(ZwSim* sim, ZwVariation* variation, ZwEntry entry, ZwStateAt place,
                       const ZwDirection* direction);
/* The same, of the rows of the start too. */
void zw_variation_start_rows(ZwSim* sim, ZwVariation* variation, ZwEntry entry, ZwStateAt place,
                             const ZwDirection* direction);
/* There: changes of conditions, margins and new values of events, which read no accelerations. */
void zw_variation_event_values(ZwSim* sim, ZwVariation* variation, ZwStateAt place, const ZwDirection* direction);
/* There: changes of the momenta dL/dv into dp (n); gives that of L. */
double zw_variation_momenta(ZwSim* sim, ZwVariation* variation, ZwStateAt place, const ZwDirection* direction,
                            double* dp);
/* There: changes of M. */
void zw_variation_masses(ZwSim* sim, ZwVariation* variation, ZwStateAt place, const ZwDirection* direction);

#endif
