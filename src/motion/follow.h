/* A given motion on the constraints, and the forces that make it (docs/design/forces.md).
 *
 * follow.c makes a state of what the table gives at a time: coordinates that are not given follow from the constraints; those that
 * are, move onto them by the least amount, and how far that is, is what the table violates them by. control.c finds the forces:
 * with a the accelerations of the motion and a* those of the model left alone there, M (a - a*) is the least force that makes
 * the difference, in the metric of M^-1 (T7: the motion as a constraint, its force as the control). */
#ifndef ZW_MOTION_FOLLOW_H
#define ZW_MOTION_FOLLOW_H

#include "motion/sim.h"
#include "motion/track.h"

/* ---- follow.c ---- */

enum { ZW_FOLLOW_LEVELS = 3 }; /* positions, velocities, accelerations */

/* What the table is off the constraints by: in units of the size of the coordinate (start_sizes.h) and its largest value. */
typedef struct ZwFollowOff {
  double size, t;
  int32_t coordinate;
} ZwFollowOff;

typedef struct ZwFollow {
  ZwSim* sim;
  const ZwTrack* track;
  double* size[ZW_FOLLOW_LEVELS]; /* n each: 1 + the largest value */
  double* y;                      /* 2 n + 1: the state found last; */
  double* a;                      /* n: its accelerations */
  ZwFollowOff worst[ZW_FOLLOW_LEVELS];

  /* of a failure: */
  double* residual; /* m: of the rows that are there, in units of what they can be; else 0 */
  double* moved;    /* n: by how much each coordinate is off */
  bool* is_loose;   /* n: not given, and not determined */
  ZwLevel level;    /* that could not be met, or is off too far */
  double limit;     /* and that is how far it may be */

  /* private */
  int32_t missing; /* coordinates that are not given */
  int32_t* unknown;
  double *x, *rows, *T, *tau, *norms, *r, *size_of_row;
  int32_t *order, *active;
} ZwFollow;

typedef enum ZwFollowResult {
  ZW_FOLLOWED,
  ZW_FOLLOW_OFF,   /* the table is off the constraints: `level`, `residual`, `moved` */
  ZW_FOLLOW_LOOSE, /* a coordinate is neither given nor determined: `is_loose` */
  ZW_FOLLOW_NOWHERE /* no state near the table meets the constraints: `level`, `residual` */,
  ZW_FOLLOW_NO_VALUE /* an expression has none: sim->entry_evaluated */
} ZwFollowResult;

/* Room for it; ZW_ERR_MEMORY. */
ZwStatus zw_follow_create(ZwFollow* follow, ZwArena* arena, ZwSim* sim, const ZwTrack* track);
/* Before the first time: takes what is not given from the model's start to where the table begins, on the side where it is. */
ZwFollowResult zw_follow_begin(ZwFollow* follow);
/* The state at t into `y` and `a`, up to a level: positions alone, velocities too, accelerations too. What is not given is looked for
 * around `near` (t, q and v of a state that was found). */
ZwFollowResult zw_follow_at(ZwFollow* follow, double t, double near_t, const double* near_y, double within,
                            ZwLevel up_to);

/* ---- control.c ---- */

/* Mobility below which actuators do not move anything, as a part of that without constraints. */
#define ZW_TOL_MOBILITY 1e-9

typedef struct ZwControl {
  int32_t count;     /* actuators */
  const int32_t* by; /* their coordinates */
  bool is_full;      /* all coordinates, and that was not asked for by name */
  double* force;     /* count */
  double* missing;   /* n: what they cannot provide, as a force on the coordinates */

  /* private */
  double* balance; /* n: largest sum of what a balance is made of, |M_ij a_j| + |h_i| + |A_ki lambda_k|, so far */
  double* mass;    /* n: largest M_ii so far */
  double*
      most; /* by group of energies: largest balance over sqrt(mass), which have one unit, whatever the coordinates are */
  const struct ZwGroups* groups;
  double *w, *answer, *unit, *zero, *S, *R, *metric, *sigma, *Ut, *Vt;
} ZwControl;

ZwStatus zw_control_create(ZwControl* control, ZwArena* arena, ZwSim* sim, int32_t count, const int32_t* by);
/* At a state y = (q, v, ..) on the constraints with the accelerations a: forces, what is missing, and the reactions of the model's own
 * constraints beside them (sim->reactions). Freezes the rows there. */
ZwStatus zw_control_solve(ZwControl* control, ZwSim* sim, double t, const double* y, const double* a);

/* What forces on a coordinate are compared with: those in its balance, or as large a force, by the masses, as there is on any. */
double zw_control_scale(const ZwControl* control, int32_t coordinate);

#endif
