/* Forward sensitivities: how the motion changes when a parameter or a start value does.
 *
 * A column S = (dq, dv) obeys the motion's equations, varied: dq' = dv, dv' = da (variation.h). It is integrated along the motion that
 * has just been found, step by step, with steps of its own inside a step where it needs them, and is put onto its own constraints,
 *
 *   A dq + dphi = 0,   A dv + dpsi = 0,
 *
 * by the least amount in the mass metric, as the motion is. Where something happens the time of it changes too (events below).
 * docs/design/sensitivities.md has the reasons. */
#ifndef ZW_MOTION_SENSITIVITY_H
#define ZW_MOTION_SENSITIVITY_H

#include "motion/assemble.h"
#include "motion/path.h"

/* What is varied: a parameter, or the start value of coordinate (or, from n on, velocity) `index`. */
typedef struct ZwBy {
  bool is_start;
  int32_t index;
} ZwBy;

typedef struct ZwStiffColumns ZwStiffColumns; /* sensitivity_stiff.c */

typedef struct ZwSensitivity {
  ZwArena arena;
  int32_t count;       /* columns */
  int32_t n, values;   /* coordinates; parameters and literals */
  ptrdiff_t constants; /* of the program of changes */
  ptrdiff_t size;      /* numbers of all columns, with room to a multiple of ZW_STAGES_FOUR */
  ZwBy* by;
  double *dvalues, *dconstants; /* count x values, count x constants */
  double* dtyped;               /* count x 2 n: of start values */
  double *dbegin, *dend;        /* count: of the times at which the run begins and ends, as the model states them */
  bool is_beginning;            /* the start is looked for: columns are those at its time */
  bool is_from_typed;           /* what is assembled is what was typed */
  double* least; /* count: a change that is small beside this counts by it: 1 / |value| of what is varied */
  double *now, *before, *out; /* count x 2 n: where the integration is; where its last step began; at a row */
  double *k[ZW_DOP853_STAGES_ALL], *F[ZW_STAGES_DENSE];
  double *e5, *e3, *y; /* differences of the error; scratch: a state */
  double* row;         /* the rows of the motion with those of the columns behind them */
  ZwVariation variation;

  ZwPath path;        /* the pending step */
  double x, x_before; /* of the step: where `now` and `before` are */
  double part;        /* of the pending step that is tried next */
  bool has_rate;      /* k[12] belongs to `now` */
  bool has_path, has_dense;
  bool is_stiff; /* the step is one of an implicit integrator */
  ZwStiffColumns* stiff;

  struct ZwAdjoint*
      adjoint; /* of a gradient (adjoint.h): columns are used at the start, in events and at the end; NULL: there is none */
  bool is_idle; /* nobody uses them now */

  /* while something happens: columns are along the motion that is there at the same event, and times differ */
  bool is_event;
  double* dt;                         /* count */
  double* f;                          /* 2 n: rate of the state on one side */
  double *values_there, *rates_there; /* of what events read, along the motion */
  double *dense, *rights;             /* of assemblies and impacts */
  double *dloss, *dtheta;             /* count: of an impact by T32 */
  double* held;    /* count x n: changes of velocities before a constraint takes hold by T32; NULL: not needed */
  double* settled; /* count x n: what an assembly has made of a level, until all its parts are there */
  double *still, *no_values; /* constants of the program of changes where no value changes; those changes */
  int32_t* order;
  double* kept; /* numbers of the motion's last evaluation */

  /* how it went */
  double drift; /* what projection moved most, in units of the columns' size, as their error is measured */
  int64_t steps, evaluations;
  ZwStatus status; /* of what failed inside an event */
} ZwSensitivity;

/* After zw_sim_set_params and zw_sim_set_up, before zw_start, which moves the columns as it moves the state. `given` as there. */
ZwStatus zw_sensitivity_create(ZwSim* sim, const ZwGiven* given, const ZwBy* by, int32_t count);
/* Its two halves: room for columns, of which the first `varied` vary something that the user named; and what they vary. */
ZwStatus zw_sensitivity_place(ZwSim* sim, int32_t count, int32_t varied);
ZwStatus zw_sensitivity_vary(ZwSim* sim, const ZwGiven* given, const ZwBy* by, int32_t varied);
/* Room for what integration and rows need. */
void zw_sensitivity_place_steps(ZwSim* sim);
void zw_sensitivity_forget(ZwSim* sim);
/* Numbers in a row: for each column the changes of positions, velocities, outputs, and of forces where they are asked for. */
int32_t zw_sensitivity_row_size(const ZwSim* sim);

/* ---- for others; each does nothing without sensitivities ---- */

/* Values have changed: those of the kernels' constants. */
void zw_sensitivity_refresh(ZwSim* sim);
/* The consistent start is there. */
ZwStatus zw_sensitivity_begin(ZwSim* sim);
/* The pending step is final and ends at t_end. */
ZwStatus zw_sensitivity_open(ZwSim* sim, double t_end);
/* The row at a state within it (or, after the start or an event, at sim->t), put onto the constraints. */
ZwStatus zw_sensitivity_row(ZwSim* sim, double t, const double* y, bool is_singular, double* to);
/* Before the pending step's end becomes the present. */
ZwStatus zw_sensitivity_advance(ZwSim* sim);
/* Lets `look` evaluate what it likes, which the motion does not notice. A failure that is not told yet is told. */
ZwStatus zw_sensitivity_apart(ZwSim* sim, ZwStatus (*look)(ZwSim* sim));
/* A checkpoint holds what survives a step. */
void zw_sensitivity_visit(ZwSim* sim, ZwPass* pass);

/* ---- sensitivity_step.c ---- */

/* From where the columns are to x of the path. */
ZwStatus zw_sensitivity_reach(ZwSim* sim, double x);
/* The columns at x of the path, within their last step, into `out`. */
ZwStatus zw_sensitivity_interpolate(ZwSim* sim, double x);
/* Puts columns X (count x 2 n) at the state (t, y) onto their constraints. */
ZwStatus zw_sensitivity_project(ZwSim* sim, double t, const double* y, double* X);
/* The direction of a column. */
ZwDirection zw_sensitivity_direction(const ZwSensitivity* sensitivity, int32_t column, const double* X);

/* ---- sensitivity_stiff.c ---- */

/* One step, which does not pass `until` of the path. */
ZwStatus zw_sensitivity_step_stiff(ZwSim* sim, double until);

/* ---- sensitivity_event.c ---- */

/* Something happens at sim->t: how its time changes. Then, all that moves the state moves the columns. */
ZwStatus zw_sensitivity_open_event(ZwSim* sim);
/* Before an event assigns anything, its values read. */
ZwStatus zw_sensitivity_assign(ZwSim* sim);
/* It is over, and sim->k[0] is the rate of the state behind it. */
ZwStatus zw_sensitivity_close_event(ZwSim* sim);

/* ---- sensitivity_impact.c ---- */

/* After an impact was solved, before velocities jump. `is_bent`: by T32, with theta. */
ZwStatus zw_sensitivity_impact(ZwSim* sim, bool is_bent, double theta, bool is_lowered);
/* On the way to it, with friction left out: after the plastic answer, which takes the energy `loss`; and at theta, which varies. */
ZwStatus zw_sensitivity_plastic(ZwSim* sim, double loss);
ZwStatus zw_sensitivity_theta(ZwSim* sim, double theta);
/* Of a jump by take_hold.h: before it, with the assembly that found what moves; after it, with its factors and impulses. */
void zw_sensitivity_hold(ZwSim* sim, const ZwAssembly* assembly, double t, const int32_t* rows);
ZwStatus zw_sensitivity_held(ZwSim* sim);

/* ---- sensitivity_start.c ---- */

/* The start values as typed begin to be assembled. */
void zw_sensitivity_typed(ZwSim* sim);
/* Positions or velocities are going to be assembled, part by part, from what was typed or from the motion; an assembly has moved a part, `rows` are its rows; all parts have
 * been moved. */
void zw_sensitivity_open_level(ZwSim* sim, ZwLevel level, bool is_start);
void zw_sensitivity_assembled(ZwSim* sim, const ZwAssembly* assembly, ZwLevel level, double t, const int32_t* rows);
void zw_sensitivity_close_level(ZwSim* sim, ZwLevel level);

#endif
