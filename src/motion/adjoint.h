/* Gradients: how one number at the end of a run changes with many parameters and start values, at a cost that does not grow with them.
 *
 * The run records its path. Then weights mu on (q, v) go back along it, from the derivatives of the number by the last state on:
 *
 *   mu_q' = -(da/dq)^T mu_v,   mu_v' = -mu_q - (da/dv)^T mu_v,      and the gradient gathers  (da/dp)^T mu_v  on the way.
 *
 * Products with transposed derivatives are one solve and one run of a program in reverse (kernel/derived.c). At the end of every step the projection of the
 * columns of sensitivities is gone back over, so that mu keeps to what the constraints leave free. An event is the matrix that it makes
 * of changes before it, found by the columns of sensitivity.h. */
#ifndef ZW_MOTION_ADJOINT_H
#define ZW_MOTION_ADJOINT_H

#include "motion/sensitivity.h"

/* What holds between two events, or from one choice of rows to the next. */
typedef struct ZwLeg {
  int32_t first; /* of its pieces */
  double* values;
  ZwRowSet sets[3];
  double* mu; /* of friction, by contact */
  double*
      jump; /* before it: changes (state, memories) behind by those of columns before, row by row; NULL: nothing jumps */
} ZwLeg;

typedef struct ZwTrackPiece {
  ZwPath path;
  bool is_stiff;
} ZwTrackPiece;

typedef struct ZwBack ZwBack; /* adjoint_step.c: the way back */

/* Columns are: what is varied, then the state, then memories. */
typedef struct ZwAdjoint {
  int32_t varied;             /* parameters and start values */
  int32_t memories, *memory;  /* which values they are */
  double* base;               /* varied x values: changes of values, without memories */
  double *start, *remembered; /* varied x 2 n, varied x memories: at the start */
  ZW_ARRAY(ZwTrackPiece) pieces;
  ZW_ARRAY(ZwLeg) legs;
  double* jump; /* of the event that was last, for the leg to come */
  /* the run has stopped at an event, whose time changes too: the columns there, and what they make of values; NULL: it has not */
  double *end_columns, *end_values;
  ZwBack* back;
} ZwAdjoint;

/* In place of zw_sensitivity_create, for a gradient by `by`; paths may take so many bytes (0: any). */
ZwStatus zw_adjoint_create(ZwSim* sim, const ZwGiven* given, const ZwBy* by, int32_t count, size_t limit);
/* Where the run is: the derivatives of number `column` of a row (a coordinate, a velocity or an output) by all that is varied. `is_at_end`:
 * it has come to the end that the model states, whose time may depend on it. */
ZwStatus zw_adjoint_gradient(ZwSim* sim, int32_t column, bool is_at_end, double* gradient);

/* ---- for sensitivity.c ---- */

ZwStatus zw_adjoint_record(ZwSim* sim, double t_end);
/* Columns that are what they say: each varies one thing. */
void zw_adjoint_set_columns(ZwSim* sim);
ZwStatus zw_adjoint_close_event(ZwSim* sim);
/* The same where the run stops. */
ZwStatus zw_adjoint_stop(ZwSim* sim);
/* The start is there, as the columns of what is varied say. */
void zw_adjoint_begin(ZwSim* sim);

/* ---- adjoint_step.c ---- */

ZwStatus zw_back_create(ZwSim* sim, ZwArena* arena, ZwBack** back);
/* Gives back what is not in the arena. */
void zw_back_destroy(ZwBack* back);
/* Values have changed. */
void zw_back_refresh(ZwSim* sim);
/* The weights on (q, v), and on memories. */
double* zw_back_state(ZwBack* back);
/* Back over a piece, from its end to its begin; direct parts of the gradient are added to it. */
ZwStatus zw_back_over(ZwSim* sim, const ZwTrackPiece* piece, double* gradient);
/* What was gathered of derivatives by values is added, and forgotten. */
void zw_back_collect(ZwSim* sim, double* by_values);
/* Rates of weights (2 n) at x of a path, back in time; `values`: what the gradient gathers by them, or NULL; `direct`: by columns. */
ZwStatus zw_back_rates(ZwSim* sim, const ZwPath* path, double x, const double* mu, double* rates, double* values,
                       double* direct);

/* What errors of weights on positions, or on velocities, are measured by. */
double zw_back_size(const ZwSim* sim, const double* before, const double* after, bool is_velocity);

/* ---- adjoint_stiff.c ---- */

ZwStatus zw_back_over_stiff(ZwSim* sim, const ZwPath* path, double* gathered, double* gradient);

#endif
