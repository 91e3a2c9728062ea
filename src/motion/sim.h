/* A simulation: one block of memory, sized before it is taken. The model it moves is fixed; everything that changes is
 * here. Stepping allocates nothing.
 *
 * State y = (q, v, W): positions, velocities, and the work W done by forces, constraints and explicit time dependence
 * (for the energy balance; carried along outside the error control). In the formulation gibbs-appell-quasi the
 * quasi-velocities nu, and zeros behind them, stand in the place of v; zw_velocity gives v in either case. */
#ifndef ZW_MOTION_SIM_H
#define ZW_MOTION_SIM_H

#include "base/clock.h"
#include "base/diag.h"
#include "kernel/kernel.h"
#include "least/formulation.h"
#include "least/frame.h"
#include "least/friction.h"
#include "least/least.h"
#include "least/rank.h"
#include "motion/energy.h"
#include "motion/integrator.h"
#include "motion/sizes.h"
#include "motion/stages.h"
#include "motion/start_sizes.h"
#include "sparse/sparse.h"

/* ---- tolerances ---- */

/* Projection: |phi_i| / s_i after it, in terms of the integration tolerance; never below round-off (R2). */
#define ZW_TOL_PROJECT_REL 1e-3
#define ZW_TOL_PROJECT_MIN 1e-13
#define ZW_TOL_PROJECT_MAX 1e-10
/* Rows left out of the step may be off by this many projection tolerances before they are taken in (R3). */
#define ZW_TOL_DROPPED 1e3
/* Acceleration-level rows outside the independent set must hold to this, relative to their parts. */
#define ZW_TOL_CONSISTENT 1e-8
/* Round-off of a residual, in units of eps sum_j |A_ij| |q_j| (R2). */
#define ZW_ROUND_OFF 8.0
/* Part of the projection displacement that counts as error (R7). */
#define ZW_ERROR_OF_DISPLACEMENT 0.1
/* Pivot ratio of the frozen rows below which their choice is looked at again. */
#define ZW_TOL_PIVOT_LOOK 1e-4
/* A rate below this part of what it is made of is none. */
#define ZW_STILL 1e-10

/* Rows that a projection or the acceleration solve uses: independent at the last accepted state, frozen until then. */
typedef struct ZwRowSet {
  int32_t count;      /* independent ones */
  int32_t candidates; /* rows up to this level */
  int32_t* rows;      /* count */
} ZwRowSet;

/* What the rows can be (R1), for rank decisions: in units of rows and coordinates that are their own (least/balance.h). */
typedef struct ZwReach {
  double* most;   /* entries of A: the size that each has had where ranks were decided, to a factor of two */
  double* unit;   /* n: of the coordinates */
  double* length; /* m: of the rows in them */
  double *entries, *masses, *work;
  double* massless;  /* n: units of coordinates without mass in the metric of the masses (massless.c), */
  bool has_massless; /* if there are any */
  bool is_known;     /* units and lengths are those of `most` */
  bool is_whole;     /* nothing was taken for rounding */
  bool differs;      /* from those of the masses, so far that these may hide a coordinate */
} ZwReach;

/* How near the frozen rows are to losing rank (R4-R8), by the smallest singular value of the rows in units of their sizes. */
typedef struct ZwNearness {
  double smallest, largest_yet; /* at the present state; the largest that `smallest` has been */
  double pivot_gain;            /* last pivot of the rank decision / smallest, far from singular positions */
  double slope;                 /* of `smallest` in time; 0 while nothing is in sight */
  double smallest_new;          /* at the end of the pending step */
  bool may_land;                /* there, as it was measured first */
  bool has_new_units;           /* sizes of rows have grown when they were looked at last */
  bool is_near;                 /* stages are projected */
  bool is_crossing;             /* the pending step goes over a singular position */
  bool is_to_note;              /* that is certain, and has not been said yet */
  bool has_other_rows; /* they were taken at the start of the pending step: what was known of the way ahead is lost */
  double t_singular;   /* where that is */
  double ratio;        /* pivot ratio at the end of the pending step */
  double slope_there;  /* how fast `smallest` falls towards it and rises after it */
  bool is_dead_end;    /* the constraints cannot be met beyond it: no step will try to go over */
  double h_kept;       /* the step that was wanted when one was shortened to place the next; 0: none */
  int32_t weak_count;  /* directions along which the rows lose hold */
  double *weak, *weak_along; /* each n numbers: see zw_least_direction */
  double* guess;             /* m_all: of the singular vector, by rows, from state to state */
  double* mean;              /* 2 n + m: accelerations, forces, multipliers on one side */
  double* names;             /* m: how much each row takes part in what is lost */
  int64_t crossings;
  /* a start on a singular position (start_singular.c) */
  bool has_limit, is_limit; /* accelerations at the start are limits; those of the last evaluation are */
  double t_limit;           /* when that is */
  double* limit;            /* 2 n + m: accelerations, forces, multipliers there */
  double limit_largest;     /* what the measure may become away from it */
  int32_t rank_around;      /* of the rows at states around a singular start; -1: it is none */
} ZwNearness;

enum { ZW_EVIDENCE = 4 };     /* numbers of evidence in a row */
enum { ZW_EVENT_NAME = 256 }; /* bytes of the name of an event, with the 0 at its end */

enum { ZW_LOOKS_DEPTH = 24 }; /* how often an interval between looks is split */

/* Five places in a step with the margins there. */
typedef struct ZwLookInterval {
  double x[5];
  double* margins; /* 5 x count */
  bool* asked;     /* count: margins with which a condition or mode may change in it */
  int seen;        /* the last place that was compared with what is known */
  bool is_settled; /* nothing between the places matters */
  bool is_plain;   /* nor do margins bend between them more than can be seen */
  bool is_bounded; /* what is asked has been found for it, not for one that it is a part of */
  int8_t wait;     /* so many times it is split before bounds beside straight lines are looked for again */
} ZwLookInterval;

/* Where in a step conditions are looked at (looks.c). */
typedef struct ZwLooks {
  int32_t count;    /* margins */
  double* margins;  /* at the state looked at last: the end of the values of events */
  double* known;    /* count: in which cell each is where the conditions are known; NaN: in doubt */
  double* at_begin; /* count: the same at the start of the pending step, when something has been found in it */
  bool has_found;
  double* largest; /* count: that each has been */
  double* noise;   /* count: nearer to zero it is zero */
  double* size;    /* count: what it moves by when positions and velocities move by their sizes */
  ZwLookInterval stack[ZW_LOOKS_DEPTH + 1]; /* what is left of the present interval, the earliest on top */
  int32_t depth;
  int32_t first_count, next; /* intervals of the step at first; the next one */
  int32_t samples, failures, settled;
  int32_t* failed;          /* count: shortest intervals in which each was not resolved; or it has been given up */
  int32_t* splits;          /* count: of intervals for the sake of each, in this step; */
  int32_t lost;             /* of all margins that have been given up; */
  int8_t wait;              /* of the first intervals of the step, see above */
  int32_t vain;             /* bounds beside straight lines that said no more than others, in this step */
  int32_t* haste;           /* count: powers of two by which each may have less of those that others leave it */
  bool *asked, *may_change; /* count: all over the step; scratch */
  ZwRange* ranges;          /* of the values of events over an interval, */
  ZwRange* scratch;         /* registers for them, */
  double* bounds;           /* 4 n: and of the state: q and v at least, q and v at most; */
  double* forces;           /* 2 (n + m): of accelerations and reactions alike */
  double* slants; /* 6 n: how far the state goes along straight lines, and bounds of what it differs by from them */
  ZwSlant* slant_scratch; /* registers for them */
  bool has_force_kinks;   /* abs, min or max are in margins that read them */
  bool is_plain;          /* all of the step is */
  double density;         /* of the intervals in time that the step before needed; 0: few */
  int32_t needed;         /* how many those were */
  int32_t given_up;       /* the first margin that was given up, + 1; 0: none */
  bool* has_noted;        /* count: the user knows it */
} ZwLooks;

/* Margins that constraints hold (ties.c). By margins, unless it says otherwise. */
typedef struct ZwTies {
  bool is_on;     /* the model has some that may be tied */
  int32_t count;  /* that are tied, or are about to leave */
  uint8_t* state; /* loose, tied, leaving */
  bool* holds;
  int8_t* way;               /* up or down with what begins to slide, where that lets go of it */
  double *side, *leave;      /* what conditions are told of it; where it has left zero after it was tied */
  double* now;               /* their values */
  double* values;            /* 3 times those of events: scratch, */
  double* scratch;           /* registers for their rates, */
  double *aside, *direction; /* 2 n + 1, 2 n: a state, a direction */
} ZwTies;

/* How often an event has happened, or a mode has switched (passing.c). */
typedef struct ZwRepeats {
  int32_t count, length;  /* since t_begin, and when that is looked at */
  int32_t total;          /* before t_begin */
  int32_t in_instant;     /* rounds of the present instant in which it happened */
  double t_begin, t_half; /* of the first one, and of the one in the middle */
  double approach;        /* how fast the gap of a contact closed at the first one */
} ZwRepeats;

/* Energies on the two sides of a switch (energy_step.c). */
typedef struct ZwEnergyStep {
  bool is_on;                     /* switches of the model are in its energies */
  bool has_looked;                /* the values of events are those of another state */
  double *before, *between, *now; /* modes, before and after the switch; and after what the clock switches */
  /* Energies of the groups and of constants, then n momenta. Of the two branches at a state, the old one before and the new one after the switch, what each is wrong by, */
  double *old, *new, *earlier, *after, *errors, *rounding;
  double *least, *most;                /* and their differences at all states */
  bool* differs;                       /* groups: those whose energies do */
  double old_constants, new_constants; /* energies of terms without coordinates, at the state looked at last */
} ZwEnergyStep;

/* What a run watches (events.c). */
typedef struct ZwWatch {
  int32_t count;                    /* events of the model */
  double* values;                   /* conditions and new values at the state looked at last */
  bool *is_true, *was_true;         /* count: conditions there, and at the last accepted state */
  bool* at_begin;                   /* and where the pending step begins */
  bool* happens;                    /* count: those that become true at the event found last */
  bool* was_on;                     /* m: rows, before what happens now */
  bool* is_doubted;                 /* count: those that were true at the present instant by rounding alone */
  double* modes;                    /* what the modes become at the event found last */
  double* before;                   /* what they are at a state before they change */
  ZwHold* hold;                     /* n + n: what an event assigned holds, */
  double* assigned;                 /* n + n: and its values */
  bool* has_noted_move;             /* count: constraints have moved what it assigned, and it was said */
  bool needs_solve, needs_reaction; /* conditions or new values read accelerations, or reactions */
  double t_last;                    /* of the event before; minus infinity */
  int32_t together;                 /* events in a row that are hardly apart in time */
  ZwRepeats* repeats;               /* of the events, then of the modes */
  double interval;                  /* between the last two */
  int32_t shrinking;                /* how often in a row it has become shorter, */
  double t_shrinking;               /* and since when */
  int64_t happened;
  bool is_stopped;
  bool *rests, *turns; /* modes: a sign that is held at rest, or that changes now (rest.c) */
  int32_t again;       /* times in a row that one at rest has been held anew */
  ZwLooks looks;
  ZwTies ties;
  ZwEnergyStep step;
} ZwWatch;

typedef struct ZwRunPlan ZwRunPlan;

/* The row at which a claim fails most, or is nearest to that. */
typedef struct ZwClaimSeen {
  double t, left, right;
  double off;     /* |left - right|, or by how much an inequality is exceeded: negative where it is not */
  double allowed; /* of that */
  int64_t rows;   /* looked at so far; 0: all the others say nothing yet */
} ZwClaimSeen;

/* The impacts of one contact: the last one, how long after the one before, and how that compares with the time before. */
typedef struct ZwBounce {
  double t, interval, ratio;
  int32_t length; /* of the series in which the ratio has been constant */
  int64_t impacts;
  bool has_noted; /* that a series has come to its end */
} ZwBounce;

/* The friction of contacts that slip (friction.c): forces that stand in fixed proportions to those across the gaps. */
typedef struct ZwSliding {
  int32_t count;     /* of those that slip now, */
  int32_t* contacts; /* which they are, */
  int32_t* places;   /* and where their gaps are among the frozen rows */
  double *mu, *slip; /* of all contacts: coefficients; slips in two directions, 2 each, at the state evaluated last */
  double* creep;     /* of all contacts: slip velocity below which friction in two directions is regularised */
  double *N, *force; /* of all contacts: across the gap, and along the slip, 2 each */
  double* along;     /* count x n: a unit of friction against the slip, as a generalized force, */
  double* push;      /* count x n: the accelerations that it makes, */
  double* lambda;    /* count x m: and the multipliers */
  double* E;         /* factors of the matrix of N */
  int32_t* swap;
  bool
      is_shared; /* forces across gaps are not unique, and friction depends on how they are shared (friction_share.c) */
  double* shares;            /* m: the forces of all rows that are on */
  double *sum, *size;        /* n: of friction, while it is judged */
  double* modes;             /* 3 of each contact, while an impact is judged */
  double *h, *work, *values; /* scratch: n, or count; m; the values of events */
  double less;     /* part of the coefficients that is left out, where a state is looked for that friction holds */
  double sound;    /* least determinant of that matrix at the state evaluated last; it is 1 without friction */
  int32_t culprit; /* a contact for which it is not above zero */
} ZwSliding;

enum { ZW_JUMP_ROOM = 70 }; /* numbers of the quadrature for each row */

/* Velocities that jump where M depends on them (jump.c, restitution.c); all n numbers unless it says otherwise. */
typedef struct ZwJump {
  bool is_on;                  /* the model has such masses */
  double *v_before, *p_before; /* velocities and momenta before the jump */
  double *v, *p;               /* those found, or tried last */
  double *v_plastic, *p_plastic;
  double *h, *at, *along, *toward, *kept; /* scratch */
  double* b;                              /* m: right sides of the constraints */
  double *target, *mu;     /* by contacts: rates that gaps must have at least; coefficients kept meanwhile */
  double* impulse_plastic; /* by contacts, */
  double* rate_plastic;    /* and the rates of their gaps */
  double* row_loss;        /* by rows of contacts */
  double *v_way, *room;    /* scratch of the energies: n; of the quadrature */
  double* mean_M;          /* as the entries of M */
  const int32_t* rows;     /* row_count: the constraints, independent ones */
  int32_t row_count;
  const bool* is_fixed; /* n: velocities that do not jump; NULL: all may */
  bool* held;           /* n: room for them */
  int32_t* islands;     /* n: room for islands */
  double part;          /* of the way from the rates before to the targets, 1: all of it */
  bool is_convex;       /* M is positive for the velocities that the constraints allow */
} ZwJump;

/* Contacts (contacts.c). */
typedef struct ZwContacts {
  int32_t count, rows; /* rows: of all gaps and slips */
  int32_t rubbing;     /* contacts with friction */
  bool has_discs;      /* with friction in two directions */
  bool has_unsteady;   /* with a coefficient that moves */
  ZwOneSided* onesided;
  ZwFriction* friction;
  double *gap, *rate; /* count: at the state looked at last */
  double* before;     /* count: gaps before an event changed anything; NaN: of a contact that was not there */
  double* slip;       /* 2 count: rates of slips there */
  double *restitution, *impulse, *lost;
  double *theta, *wall_work;   /* count: of an impact, see ZwContactEvent */
  double* rubbed;              /* 2 count: the impulse of friction */
  double* kept;                /* 2 count: which are closed and which stick, while others hold */
  int32_t* island;             /* n: of coordinates, at an impact (islands.h) */
  bool *is_hit, *hit_together; /* count: gaps that close; those that are looked at together, on one island */
  bool* is_bound;              /* count: gaps that opened no faster than they had to at the last impact */
  bool *touches, *takes_part, *may_rest, *closes, *opens, *stops, *slips;
  bool* is_still;     /* the slip is none */
  ZwContactWhat* was; /* before what happens now */
  double *G, *g;      /* of the rows gathered: rows x n, rows */
  double* unit;       /* what they are multiplied by while they are solved for: one number for each contact */
  double *p, *w, *a;  /* rows, rows, n: forces along them, what is left of them, and the change that they make */
  double* known;      /* rows: to what the forces are known, where there is friction */
  double *right, *right_slip; /* count, 2 count: right sides of all */
  int32_t* index;             /* contacts of the rows of G */
  int32_t gathered;           /* rows of G */
  double *Z, *C, *d, *x;      /* for forces that are not unique (cones.c): m x m, cones x m, cones, m */
  int32_t* together;          /* 2 n + m: and which belong together */
  ZwSliding sliding;
  ZwBounce* bounces;
  int64_t impacts;
  int32_t rests;
  bool has_noted_gain, has_noted_carried;
} ZwContacts;

enum { ZW_NARROW_MAX = 32, ZW_NARROW_AROUND = 4 };

/* What is narrower than a step (narrow.c). */
typedef struct ZwNarrow {
  bool is_on;                  /* the model has something that can be */
  double t, width;             /* the place that was found last; width 0: it has been passed */
  int32_t count;               /* what may be hidden in the pending step, */
  ZwBend bends[ZW_NARROW_MAX]; /* and its operations */
  ZwRange* registers;          /* three times those of the program */
  double *bounds, *v;          /* 4 n: of the state; 2 n: velocities at the ends */
  double *rate, *slope;        /* dim each */
  double* around;              /* ZW_NARROW_AROUND times looks.count: margins around the place */
} ZwNarrow;

/* Whether an implicit method would go further in one step (stiffness.c). */
typedef struct ZwStiffness {
  int32_t steps, wait; /* since that was tried last, and how many there must be */
  double h_begin;      /* the step then */
  int64_t rejected;    /* steps until the last look */
  int32_t in_a_row;    /* attempts that went further */
  double t;            /* where radau took over; NaN: nowhere */
  double rate;         /* the largest of the motion, as the stages of a step show it; 0: none */
  int32_t unseen;      /* steps since the last look at it */
} ZwStiffness;

/* A row that was dropped as dependent although more than rounding of it was left (`left`, as a part of the largest row), the worst one. */
typedef struct ZwCloseRow {
  int32_t row; /* + 1; 0: there is none */
  double left, t;
  double rounding; /* so much is left of rows that coordinates moved by their rounding do not repeat */
} ZwCloseRow;

typedef struct ZwStats {
  int64_t steps, rejected, evaluations, jacobians;
  double phi_max, psi_max; /* largest residuals at accepted states and outputs */
  double residual;         /* the largest of them in units of what may be asked of its row; not below ZW_TOL_DROPPED */
  double phi_drift, psi_drift; /* before projection, of an integrator that is projected late */
  double energy_start;         /* E at the start; the account is in sim->energy */
  double energy_scale;         /* max(|E0|, max |T|) */
  int64_t rank_changes;
  ZwCloseRow close;
} ZwStats;

/* The solve of small systems (small.c). */
typedef struct ZwSmall {
  bool is_on;
  bool is_ahead;           /* the last solve was this one: `least` has factors of an earlier state */
  bool has_M, is_definite; /* M is what the block has the consequences of, and they are sound */
  double* M;
  bool is_full;             /* no row is left out */
  const ZwRowSet* factored; /* whose factors are there, at the last evaluation; NULL: nobody's */
  bool has_factors;         /* those of all rows as they were, */
  double* A;                /* which is here, */
  double pivot_ratio;       /* and what the pivots say */
  bool has_measured;        /* singular positions were last measured this way */
  ZwKernelState state;
} ZwSmall;

/* Forces and constraints that the host computes. */
typedef struct ZwHost {
  const ZwRunDef* def; /* NULL: it computes nothing */
  ZwHostRows rows;
  double* memory; /* of the rows; of a force and its derivatives */
  double *Q, *Q_aside, *at, *by_q, *by_v;
} ZwHost;

struct ZwSim {
  const ZwProgram* program;
  const ZwEquations* equations;
  const ZwSystem* system;
  ZwDiagList* diags;
  ZwAllocator allocator;
  size_t block_size;

  int32_t n, m, dim; /* coordinates, rows, 2 n + 1 */
  int32_t followed;  /* numbers of y that stages are added up for: without W where no work is done */
  int32_t m_start;   /* with the rows of the start */
  int32_t m_all;     /* with the quasi-velocities */
  bool has_acceleration_rows;
  int32_t quasi_count;
  double tolerance, tol_project;

  double epoch; /* t0, where the run begins: all times of the motion are counted from it */

  /* numbers of the model at the present parameters */
  double* values; /* parameters, literals */
  ZwKernelState state;
  double* block;   /* ZwBlock: Mx to power; h, a, lambda, Qc; scale, size, near.guess; what the elimination keeps */
  double *Mx, *Ax; /* sparse values of M (lower) and A */
  double *hL, *Q, *b, *phi, *psi, *outs; /* targets */
  double *claim_sizes, *claim_constants; /* of the values of claims, and scratch of kernel/terms.c */
  ZwClaimSeen* claims;                   /* of every claim the worst row so far */
  double* power;                         /* -dL/dt */
  double *Lv, *Lq;                       /* n: dL/dv, dL/dq */
  double scalars[2];                     /* energy, momentum */
  double *E_of, *P_of;                   /* groups + 1: the same apart; the last one is for terms without coordinates */
  double *V_of, *C_of;                   /* groups + 1: energies at v = 0; those that are the same everywhere */
  double* slowed; /* n: velocities a little slower, where energies are not quadratic in them (energy_measure.c) */

  /* dense problem of the frozen rows */
  double *M, *A, *h, *bI, *rI; /* n x n, m x n, n, m, m */
  double *a, *lambda, *Qc, *dx, *zero;
  double *Qc_b, *Qc_h; /* n each: zw_force_parts */
  ZwLeast* least;
  ZwLeastBlocks blocks; /* into which the equations fall, */
  bool is_split;        /* and they are solved one by one */
  bool lends_room;      /* to the start, for all coordinates */
  int32_t packed;       /* coordinates of blocks, all where they are not split: rows have nothing in others; */
  int32_t* place;       /* n: where each is among them, -1: nowhere */
  ZwRank* rank;
  ZwSmall small;
  /* large.c; `large` is NULL where the solve is dense, `least` and `rank` where it is not */
  ZwSparse* large;
  ZwSparsePlan* large_plan;
  ZwArena* large_arena;
  bool* large_uses;          /* m_start: rows in the factors */
  bool large_uses_all;       /* those of the constraints, and no other */
  double *large_M, *large_A; /* values on the patterns: of the last factors; masked */
  bool has_large_M;
  int32_t large_redundant; /* rows that repeat others, as far as the factors know */
  ZwFrame* frame;          /* of the quasi-velocities; NULL without any */
  int32_t frame_sign;      /* of the frame, or the partition, at the present state; 0: not known */
  const int32_t*
      eliminate; /* accelerations that the formulation gibbs-appell eliminates; of the run's arena, NULL: the largest */
  int32_t eliminate_count;
  double* eliminate_work;                   /* of the same arena, r = eliminate_count: r x r and r x n, and */
  int32_t* eliminate_swap;                  /* r */
  int32_t dependent;                        /* the one of them that cannot be, where a solve failed for that; -1 */
  double* quasi;                            /* quasi_count x n: the rows that make them of the velocities */
  double *quasi_v, *quasi_free, *quasi_psi; /* n: the velocities they stand for; n: right sides; m_all */
  bool conserves_energy;                    /* velocities are projected onto the energy of the start too */
  ZwFormulation formulation;
  ZwPaper* paper;     /* of a formulation of the papers; a block of its own, NULL otherwise */
  const char* reason; /* why the formulation gave no answer */
  double* all_rows;   /* m x n, for rank decisions */
  ZwReach reach;      /* of the dense solve */
  double *scale, *size;
  int32_t *candidates, *fresh_rows;
  ZwRowSet sets[3];      /* by level: position, velocity, acceleration */
  ZwRowSet next_sets[3]; /* for the step after the pending one, when has_next_sets */
  bool has_next_sets;
  bool is_minimum;         /* of the last solve; false: a mere stationary point (T21) */
  bool has_lambda;         /* lambda belongs to the frozen rows, in their order */
  double pivot_ratio;      /* of the last solve: near 0 when the frozen rows lose rank */
  double pivot_projected;  /* the same of the last projection */
  bool is_small_projected; /* its factors are those of the elimination */

  /* the step */
  const ZwIntegrator* integrator;
  const ZwIntegrator* stepper; /* the method of the pending step */
  void* integrator_memory;
  ZwStiffness stiff;
  ZwNarrow narrow;
  bool is_rate_met;  /* the rate of the motion, as it was seen, bounds the next step */
  double step_fixed; /* 0: the integrator chooses */
  double t, step, h_next;
  double growth_most;                /* of the step, as far as the integrator is concerned */
  double h_accepted, error_accepted; /* of the step before; 0: there was none */
  double h_dense;                    /* the step that the dense output belongs to; an event may have cut `step` */
  bool has_dense;                    /* it is made for the pending step */
  double t_evaluated;                /* of the last evaluation that could fail, */
  ZwEntry entry_evaluated;           /* and what it was */
  double *y, *y_new, *y_out;
  double* k[ZW_DOP853_STAGES_ALL];
  ZwSizes sizes;
  ZwDop853Weights weights;
  const ZwStages* stages;
  double* F[ZW_STAGES_DENSE]; /* dense output */
  ZwNearness near;
  ZwWatch watch;
  ZwContacts contacts;
  ZwJump jump;
  const ZwRunPlan* plan; /* of the run that goes on */
  double displacement;
  double moved_most; /* residual before projection, in units of what may be asked, of */
  int32_t moved_row; /* the row that was off most */
  double t_row;      /* of the last row; it may lie inside of the pending step */
  double* row;       /* t, q, v, outputs; then what is asked for: those of zw_reactions_row, ZW_EVIDENCE numbers */
  bool has_forces;   /* the row has the forces of the constraints */
  bool has_evidence; /* the row ends with its evidence: |phi|, |phi'|, energy, work */
  bool outputs_need_acceleration, outputs_need_reaction;
  double*
      reactions; /* minimum-norm multipliers of m rows; from m_all on what zw_quantities gives, if outputs read it */
  bool has_noted_output, has_noted_energy;

  /* where the run is, between two steps */
  int64_t next_sample; /* the row that comes next */
  double t_event;      /* of the last event; the begin of the run if there was none */
  bool is_resumed;     /* all this comes from a checkpoint: the run goes on, it does not begin */

  /* start: what was typed, and the least-squares work */
  ZwHold* hold;       /* n + n: how firmly the start values hold */
  double* typed;      /* n + n */
  double* scale_of;   /* n: how large the model says that a coordinate is; 0: it says nothing */
  double* start_size; /* 2 n: sizes of the start (start_sizes.h), and what told each */
  ZwTold* start_told;
  double* start_room;
  bool* start_guessed; /* n: coordinates whose size was a guess that the start depends on */
  bool* is_fixed;      /* n */
  double *lm_J, *lm_Y, *lm_S, *lm_G, *lm_L, *lm_M, *lm_r, *lm_x;
  int32_t *lm_order, *lm_parts;
  bool has_searched;

  ZwHost host;
  struct ZwSensitivity* sensitivity; /* NULL: nobody asks for any */
  bool is_conservative;              /* neither model nor host do work */
  ZwStats stats;
  ZwEnergy energy;
};

/* ---- host.c ---- */

/* Takes over what the host computes; before anything is evaluated. ZW_ERR_MEMORY. */
ZwStatus zw_host_set(ZwSim* sim, const ZwRunDef* def);
void zw_host_forget(ZwSim* sim);
/* At the state of sim->state: fills the parameters of the host's rows; what has no value becomes NaN. */
void zw_host_fill_rows(ZwSim* sim);
/* Adds the host's force at that state to Q. */
void zw_host_add_force(ZwSim* sim, double* Q);
/* Adds its derivatives, negative, to those of the residual M a - h - ... at fixed a (n x n each). */
void zw_host_add_slope(ZwSim* sim, double* dr_q, double* dr_v);

/* Bytes of the block a simulation of this program takes. */
size_t zw_sim_size(const ZwProgram* program);
/* Carves a simulation out of one block of the allocator. ZW_ERR_MEMORY; ZW_ERR_LIMIT when a dense solve would take more than `limit` bytes (0: any). It is sparse if it may be and that is
 * worth it: for the formulation auto and explicit integrators. */
ZwStatus zw_sim_create(const ZwProgram* program, const ZwAllocator* allocator, ZwDiagList* diags, bool may_be_large,
                       size_t limit, ZwSim** sim);
void zw_sim_destroy(ZwSim* sim);

/* Solves by this formulation from now on. Those of the papers need memory of their own: ZW_ERR_MEMORY. */
ZwStatus zw_sim_set_formulation(ZwSim* sim, ZwFormulation formulation);
/* Bytes that takes. */
size_t zw_sim_formulation_size(const ZwProgram* program, ZwFormulation formulation);

/* Numbers from outside; NaN: as the model says. */
typedef struct ZwGiven {
  const double* params; /* as many as the system has, hidden ones too */
  const double* typed;  /* 2 n: start values of coordinates and velocities */
} ZwGiven;

/* Evaluates parameters and typed start values, except those that are given; says which expression has no value. `given` may be
 * NULL. */
ZwStatus zw_sim_set_params(ZwSim* sim, const ZwGiven* given);
/* The scales that the model states for coordinates, at the present parameters. */
ZwStatus zw_sim_set_scales(ZwSim* sim);
/* Parameters alone; NaN: as the model says. */
ZwStatus zw_sim_set_values(ZwSim* sim, const double* params);
/* The constants of the kernels from the present values. */
void zw_sim_set_constants(ZwSim* sim);
/* Readies the constants, the tolerances and the state as typed, at time 0 of a run that begins at t0. */
void zw_sim_set_up(ZwSim* sim, double t0, double tolerance);
/* Counts times from another t0; what was counted from the one before is counted anew by whoever has it. */
void zw_sim_count_from(ZwSim* sim, double t0);
/* What a time of the motion is on the clock of the model. */
double zw_time(const ZwSim* sim, double t);
/* The same for messages, so that times of the run can be told apart. */
typedef struct ZwWhen {
  char text[ZW_CLOCK_TEXT];
} ZwWhen;
ZwWhen zw_when(const ZwSim* sim, double t, int digits);

/* ---- evaluate.c ---- */

/* What kernels run from here on read. */
void zw_eval_at(ZwSim* sim, double t, const double* q, const double* v);
/* M, h, A, b at (t, q, v), into the sparse values. False when something is not finite. */
bool zw_eval_acceleration(ZwSim* sim, double t, const double* q, const double* v);
/* phi and A, or psi and A, of all rows; false when something is not finite. */
bool zw_eval_position(ZwSim* sim, double t, const double* q);
bool zw_eval_velocity(ZwSim* sim, double t, const double* q, const double* v);
/* dL/dv and dL/dq into sim->Lv, sim->Lq. */
bool zw_eval_variation(ZwSim* sim, double t, const double* q, const double* v);
/* E and v.p into sim->scalars, and those of groups apart; whether they are finite. */
bool zw_eval_energy(ZwSim* sim, double t, const double* q, const double* v);
/* phi, psi and A of the rows of the start, added to those of the last evaluation. */
bool zw_eval_start(ZwSim* sim, double t, const double* q, const double* v);
/* Conditions and new values of events at a state, into sim->watch.values; accelerations and reactions are there if needed. */
bool zw_eval_events(ZwSim* sim, double t, const double* q, const double* v);
/* psi, A and b of the quasi-velocities, added to those of the last evaluation. */
bool zw_eval_quasi(ZwSim* sim, double t, const double* q, const double* v);
/* Outputs at a state whose accelerations are in sim->a. */
bool zw_eval_outputs(ZwSim* sim, double t, const double* q, const double* v);
/* The rate of y with the frozen rows: the one right side of every integrator. Leaves a, Qc. */
ZwStatus zw_eval_rate(ZwSim* sim, double t, const double* y, double* rate);
/* The same at a projected state, where the formulations of the papers may see all rows. */
ZwStatus zw_eval_rate_projected(ZwSim* sim, double t, const double* y, double* rate);
/* After zw_eval_acceleration: adds the friction of contacts that slip to h and Q. */
ZwStatus zw_eval_friction(ZwSim* sim);
/* The velocities of a state; not numbers where the quasi-velocities do not determine them. */
const double* zw_velocity(ZwSim* sim, double t, const double* y);
/* Fills sim->M from the sparse values; with ones on its diagonal. */
void zw_eval_dense_M(ZwSim* sim);
void zw_eval_unit_M(ZwSim* sim);
/* Copies rows of the sparse A into dense ones. */
void zw_eval_dense_rows(const ZwSim* sim, const int32_t* rows, int32_t count, double* to);
/* The same with the columns of sim->place only, `packed` of them. */
void zw_eval_packed_rows(const ZwSim* sim, const int32_t* rows, int32_t count, double* to);

/* M, A and the factors of the frozen rows at the last evaluation, if the last solve did without; its metric alone, if M is definite. */
ZwStatus zw_eval_factors(ZwSim* sim);
/* Gathers and factors the frozen rows once more, after something else used the factors. */
ZwStatus zw_eval_refactor(ZwSim* sim);
bool zw_eval_metric(ZwSim* sim);

/* ---- small.c ---- */

/* h, a, lambda, Qc and the power after the kernels have run; false: another solve has to do. */
bool zw_small_solve(ZwSim* sim);
/* Factors of the rows of a set at the last evaluation, for the two that follow; false: not this way. */
bool zw_small_factor(ZwSim* sim, const ZwRowSet* set);
/* dx with A dx = -residual (by rows of the model), least in the metric of M. */
bool zw_small_project(ZwSim* sim, const ZwRowSet* set, const double* residual, double* dx);
/* After the measure of singular positions: M^-1 times the weakest combination of rows, and what it has to be multiplied by. NULL: that
 * was measured otherwise. */
const double* zw_small_dual(const ZwSim* sim, double* unit);
/* Sizes of all rows at the last evaluation into sim->size. */
bool zw_small_row_sizes(ZwSim* sim);
/* The smallest singular value of these rows by the guess of near, which becomes better, or not a number; whether it is that. */
bool zw_small_measure(ZwSim* sim, double* smallest);

/* ---- large.c ---- */

/* Plans a sparse solve if it is worth it; ZW_ERR_MEMORY. */
ZwStatus zw_large_plan(ZwSim* sim);
void zw_large_forget(ZwSim* sim);
/* Small enough for a dense solve, if the numbers ask for one. */
bool zw_large_is_in_doubt(const ZwSim* sim);
/* With parameters set, as the start is typed: is most free, so that no singular positions need be seen, and are masses in one row not too
 * far apart for a sparse solve? */
bool zw_large_is_loose(ZwSim* sim);
/* At the last evaluation: are they? *row is the worst, -1 for none. */
bool zw_large_is_lopsided(const ZwSim* sim, int32_t* row);
/* With the rows of a set, at the last evaluation. */
ZwStatus zw_large_factor(ZwSim* sim, const ZwRowSet* set);
/* a, lambda and Qc, after zw_eval_acceleration. */
ZwStatus zw_large_solve(ZwSim* sim);
/* M x = h with the masses of the last evaluation, as if there were no rows. */
ZwStatus zw_large_free(ZwSim* sim, const double* h, double* x);
/* All rows that are on into the sets. */
void zw_large_decide(ZwSim* sim);

typedef struct ZwLargeStart {
  int32_t count;
  const int32_t* rows;
  double* x;              /* positions or velocities; */
  const ZwHold* hold;     /* how firmly they hold, */
  ZwHold softest;         /* at least so */
  const double* residual; /* by rows, where `eval` leaves it */
  const double* size;     /* n: what positions or velocities are measured by (start_sizes.h) */
  bool (*eval)(ZwSim* sim, const struct ZwLargeStart* start);
  double t;
} ZwLargeStart;

/* Says which constraint contradicts others. */
ZwStatus zw_large_fault(ZwSim* sim, double t, bool is_start);
/* Says that the masses in a row are too far apart. */
ZwStatus zw_large_refuse_masses(ZwSim* sim, int32_t row);
/* Says which constraints repeat others, as far as the factors know. */
ZwStatus zw_large_note_redundant(ZwSim* sim);
/* Moves x onto the rows: first what is free, then guesses, then what was typed, by the least amount in the mass metric. */
bool zw_large_assemble(ZwSim* sim, const ZwLargeStart* start);

/* ---- rows.c ---- */

/* Whether a constraint is there now (`while`). */
bool zw_rows_is_on(const ZwSim* sim, int32_t row);

/* At a consistent state whose M, A are evaluated: sizes, scales and the independent rows of every level. */
ZwStatus zw_rows_decide(ZwSim* sim);
/* The rank of all rows at a consistent state, into sim->rank; its order counts in sim->candidates. Nothing is frozen. */
ZwStatus zw_rows_rank(ZwSim* sim);
/* After a rank decision: has the d-th row of its order, a dependent one, a part of the independent row `other`? */
bool zw_rows_follows(const ZwSim* sim, int32_t d, int32_t other);
/* ... and how much of a dependent row do the others not say, as a part of the largest row? 0: nothing but rounding. */
double zw_rows_left(const ZwSim* sim, int32_t row);
/* Coordinates without mass, at the state last evaluated: are there any? Their units by the entries that their rows have had; have they
 * changed? Sizes of their rows are then those in the new units. */
bool zw_massless_is_any(const ZwSim* sim);
bool zw_massless_find_units(ZwSim* sim);
/* Says that the rank is another than before, if it is. */
void zw_rows_note_rank(ZwSim* sim, int32_t before, double t);
/* At the end of the pending step: are the frozen rows still the right ones? If not, others are laid ready for the next
 * step. When the rank fell (`*has_lost`) that is believed only if `may_lose`. */
ZwStatus zw_rows_review(ZwSim* sim, double pivot_ratio, bool may_lose, bool* has_lost);
/* Lays ready for the next step what is independent at a state ahead, if that is as many rows and the last pivot is larger than
 * `kept`. */
bool zw_rows_choose_ahead(ZwSim* sim, double t, const double* y, double kept);
/* Freezes the rows laid ready. */
void zw_rows_take_next(ZwSim* sim);
/* What row i is made of at the last evaluation, in the metric of the masses, of which the diagonal has to do. */
double zw_rows_size(const ZwSim* sim, int32_t i);
/* The entry of M on the diagonal; 0 if there is no positive one. */
double zw_rows_mass(const ZwSim* sim, int32_t j);
/* The sizes that rows can have in the metric of M, into `to`, which is given back; NULL where M is not definite. */
const double* zw_rows_scales(ZwSim* sim, const int32_t* rows, int32_t count, double* to);
/* Forgets what rows have been. */
void zw_rows_forget(ZwSim* sim);
/* The pivots of the dense factors of a set, the smallest beside the largest, each in units of the size its row can have. */
double zw_rows_pivot_ratio(const ZwSim* sim, const ZwRowSet* set);
/* By coordinate: the largest acceleration of the last solve in its part of the equations, or what round-off of the forces that meet at a
 * coordinate is like, if that is more: that of one coordinate is found in all that depend on it. In sim->dx. */
const double* zw_rows_largest(ZwSim* sim);
/* What the last solve leaves of row i of A a = b, 0 if that is round-off of the largest; NULL: of its own terms. */
double zw_rows_off(const ZwSim* sim, int32_t i, const double* largest);
/* An acceleration-level row outside the frozen ones that the last solve violates, or -1. */
int32_t zw_rows_violated(ZwSim* sim);

/* ---- reactions.c ---- */

/* The multipliers of all rows as the user wrote them, after zw_eval_rate; of all that give the same force, the smallest
 * (T15). */
ZwStatus zw_reactions(ZwSim* sim);
/* The multipliers of all candidates of the last rank decision that make the force Qc. */
void zw_reactions_share(ZwSim* sim, double* lambda);
/* After that, and zw_force_parts: the multiplier of every row, then what each row puts on each coordinate it holds (entries of A in
 * their order), then what all put on each coordinate, and its parts linear in b and in h. Gives how many numbers that is; `to` may
 * be NULL. */
int32_t zw_reactions_row(const ZwSim* sim, double* to);

/* ---- force_parts.c ---- */

/* After zw_eval_rate: h, whatever has solved. */
void zw_force_h(ZwSim* sim);
/* After zw_eval_rate: Qc_b and Qc_h; NaN where the accelerations are a limit. */
ZwStatus zw_force_parts(ZwSim* sim, bool is_singular);
/* The part linear in b, with the dense factors of the frozen rows: a (n), lambda (by frozen rows), Qc (n); lambda and Qc may be NULL. */
ZwStatus zw_force_part_b(ZwSim* sim, double* a, double* lambda, double* Qc);

/* ---- quantities.c ---- */

/* After zw_eval_rate, or zw_singular_limit: what outputs read of the solve beside accelerations and reactions. What has no value is NaN. */
ZwStatus zw_quantities(ZwSim* sim, double t, const double* y, bool is_singular);
/* At the start: outputs that need the motion without constraints where M has no inverse. ZW_ERR_UNDETERMINED after a message. */
ZwStatus zw_quantities_check(ZwSim* sim, double t);

/* ---- shares.c ---- */

/* Constraints that share their load: any multiple of `freedom` directions may be added to their multipliers. */
typedef struct ZwShare {
  ZW_ARRAY(int32_t) rows; /* in the order of the text */
  int32_t freedom;
  ZW_ARRAY(const char*) unique; /* combinations of their multipliers that are the same for all choices: "a + c" */
} ZwShare;

typedef struct ZwShares {
  ZW_ARRAY(ZwShare) list;
} ZwShares;

/* From the last rank decision over all rows. */
ZwStatus zw_shares_find(const ZwSim* sim, ZwArena* arena, ZwShares* shares);

/* ---- singular.c ---- */

/* At the begin of a run, after zw_eval_rate: no singular position is in sight. */
void zw_singular_begin(ZwSim* sim);
/* Is a singular position so near that the next steps have to heed it? */
bool zw_singular_is_ahead(const ZwSim* sim);
/* The step to try instead of h, so that a singular position ahead falls between its stages (R5). */
double zw_singular_place(ZwSim* sim, double h, double until);
/* After zw_eval_rate at the end of an attempt: measures how near the rows are to losing rank; false when a step may not end
 * there (R6). */
bool zw_singular_may_land(ZwSim* sim);
/* An attempt to go over found no state behind: the singular position may be the end of the constraints' reach. */
void zw_singular_no_way_over(ZwSim* sim);
/* After zw_singular_may_land and a rank decision: are the frozen rows about to fail where others would hold? */
bool zw_singular_is_choice(const ZwSim* sim);
/* Leaves out of x (n numbers, a difference of positions or velocities) what the rows hold only weakly (R7). */
void zw_singular_leave_out(const ZwSim* sim, double* x);
/* Round-off that is added to the scale of errors there (R7). */
double zw_singular_noise(const ZwSim* sim);
/* Inside the pending step: is y at t too near to a singular position to be projected or solved? Looked at only in steps
 * that go over one. */
bool zw_singular_is_at(ZwSim* sim, double t, const double* y);
/* After a projection inside the pending step, right or failed: did it meet a singular position that nobody saw coming? Then
 * the step goes over one from now on. */
bool zw_singular_is_met(ZwSim* sim, double t);
/* The same of rows that were factored elsewhere; nothing becomes of it. */
bool zw_singular_would_meet(const ZwSim* sim, double pivot_ratio);
/* There a, Qc and the multipliers are the limit along the motion: the mean of those on both sides. */
ZwStatus zw_singular_limit(ZwSim* sim, double t);
/* Is the measured end in sight of a singular position? */
bool zw_singular_is_in_sight(const ZwSim* sim);
/* The measured end is accepted; finds out whether a singular position was passed. May evaluate elsewhere. */
void zw_singular_accept(ZwSim* sim);
/* For those who measure the end of an attempt elsewhere (group_settle.c): what is added to the guess of the measure, by frozen
 * rows, so that it is not left without a part of what it may have missed; and how often the measure is taken until it is sure. It is
 * compared with parts of its largest value that were chosen by hand. */
extern const double zw_singular_nudges[];
enum { ZW_NUDGES = 11, ZW_MEASURES = 15 };
/* Whether nothing is in sight by the measures at the end of a step and in the sizes that rows have there, of zw_step_end and of
 * zw_singular_accept; and what that last one does then. */
bool zw_singular_is_plain(const ZwSim* sim, const double* measured);
void zw_singular_accept_plain(ZwSim* sim, const double* measured);
/* Is the motion at the end of the constraints' reach, as far as can be seen: closer to a singular position than any step that
 * goes over one would end? */
bool zw_singular_is_dead(const ZwSim* sim);
/* The constraint that takes most part in what is lost; -1: none is known. */
int32_t zw_singular_weakest(const ZwSim* sim);
/* The constraints that lose hold where the motion is near a singular position, as 'a', 'b'; how many they are. */
int32_t zw_singular_names(const ZwSim* sim, ZwText* text);
/* Says so, if it was passed before an event cut the step. */
void zw_singular_note(ZwSim* sim);

/* For integrators that cannot go over: says that the motion comes to a singular position at t, and where it is. The rows are
 * evaluated at the end of the pending step. */
ZwStatus zw_singular_refuse(ZwSim* sim, double t);
/* Beside a singular start, at a state `aside` from it on its branch, after zw_eval_rate: what a run has to know there. */
void zw_singular_leave(ZwSim* sim, double aside);

/* ---- partition.c ---- */

/* After a solve, if accelerations are to be eliminated: ZW_ERR_VALUE at a state beyond one where they cannot be. The first state after
 * zw_partition_forget says which side is ours. */
ZwStatus zw_partition_keep(ZwSim* sim);
/* Other rows are frozen. */
void zw_partition_forget(ZwSim* sim);
/* Whether the state evaluated last, which has no answer, is next to one where the partition is lost. */
bool zw_partition_is_lost(ZwSim* sim);
/* The message after one of these, or a solve, has failed because of them. */
ZwStatus zw_partition_fault(ZwSim* sim, double t);

/* ---- start_singular.c ---- */

/* After zw_rows_decide at the start, if the rows are dependent: are they so at the states around it? If not it is a singular
 * position: refused, or taken with the rows and accelerations of the branch that leads on, and a note. */
ZwStatus zw_singular_start(ZwSim* sim, double t);

/* ---- project.c ---- */

typedef enum ZwProjection { ZW_PROJECTED, ZW_PROJECTION_FAILED, ZW_PROJECTION_DROPPED_ROW } ZwProjection;

/* Moves y onto the constraints, least in the mass metric; adds the displacement, measured like an error, to
 * sim->displacement. Quasi-velocities need not be moved. *row is the row that failed: one that cannot be met, or, on ZW_PROJECTION_DROPPED_ROW, one outside
 * the frozen set; -1 when the failure is a value that is not finite. */
ZwProjection zw_project(ZwSim* sim, double t, double* y, int32_t* row);

/* How far one rounding of the rows moves positions, and the velocities that belong to them, at the present state; in tolerances. */
double zw_project_rounding(ZwSim* sim);
/* Leaves of u what the rows of a set allow, by the least amount in the mass metric; with M and A as evaluated last. */
bool zw_project_direction(ZwSim* sim, const ZwRowSet* set, double* u);

/* Are all rows met at y, those outside the frozen set too? Their residuals are left in sim->phi, sim->psi. *row is the one
 * that is not, -1 when a value is not finite. */
bool zw_project_is_met(ZwSim* sim, double t, const double* y, int32_t* row);
/* The largest residual of the state evaluated last, in units of what may be asked of its row, if it is more than what is known. */
double zw_project_measure(const ZwSim* sim, const double* q, const double* v, double known);

/* ---- quasi.c ---- */

/* At the consistent start, whose rows are decided: are the quasi-velocities as many as the degrees of freedom, and do
 * they tell them apart? */
ZwStatus zw_quasi_check(ZwSim* sim, double t);
/* Puts the quasi-velocities into the place of the velocities of y. */
ZwStatus zw_quasi_enter(ZwSim* sim, double t, double* y);
/* v = B nu + r. False when a value is not finite or the quasi-velocities do not determine v. */
bool zw_quasi_velocity(ZwSim* sim, double t, const double* q, const double* nu, double* v);
/* After that at the same state, with M, h, A, b evaluated: a, Qc and the rates of the quasi-velocities. */
ZwStatus zw_quasi_solve(ZwSim* sim, double t, const double* q, const double* v, double* nu_rate);
/* At the end of the pending step: have the quasi-velocities told the free velocities apart all the way? */
ZwStatus zw_quasi_follow(ZwSim* sim);
/* Says which quasi-velocity follows from others at y. */
ZwStatus zw_quasi_fault(ZwSim* sim, double t, const double* q);

/* ---- start.c ---- */

/* Makes the start consistent and freezes the first rows; reports in words what cannot be. */
ZwStatus zw_start(ZwSim* sim, double t0);
/* At the start: what constraints or contacts hold is not for rounding to decide; the forces are those of what holds then. */
ZwStatus zw_start_tie(ZwSim* sim, double t0);
/* Makes y at t consistent after an event: what `hold` says is typed stays, the rest moves by the least amount in the mass
 * metric; then freezes rows anew. */
/* Puts sim->y at t onto the constraints, positions and velocities, by the least amount and without a word. `is_motion`: it is the state
 * of the motion, and not one that somebody tries. */
bool zw_start_settle(ZwSim* sim, double t, bool is_motion);
ZwStatus zw_start_again(ZwSim* sim, double t, const ZwHold* hold, bool has_moved);

/* Before an event changes anything: which rows are on. */
void zw_start_note_rows(ZwSim* sim);
/* Is a constraint of the user there that was not? Is any? */
bool zw_start_comes(const ZwSim* sim, int32_t row);
bool zw_start_any_comes(const ZwSim* sim);
/* After an event and an evaluation of the rate after it: an error where rows contradict each other in the accelerations. */
ZwStatus zw_start_check(ZwSim* sim);
/* The same by an evaluation of its own, whatever the formulation is. */
ZwStatus zw_start_check_apart(ZwSim* sim);

/* From the values in sim->y: positions or velocities that satisfy the rows that are on. */
ZwStatus zw_start_assemble(ZwSim* sim, double t0, ZwLevel which);
/* At a state that satisfies the rows that are on: decides which rows a step uses. */
ZwStatus zw_start_freeze(ZwSim* sim, double t);

/* ---- still.c ---- */

/* What row i is made of at x, positions or velocities. */
double zw_still_size(const ZwSim* sim, int32_t row, ZwLevel level);
/* A rate of a row that is no larger is zero: the rows are evaluated at the velocities v. */
double zw_still_least(const ZwSim* sim, int32_t row);
bool zw_still_is(const ZwSim* sim, int32_t row);
/* Is the rate that the event of a contact waits for zero at the present state? Evaluates velocities there. */
bool zw_still_is_event(ZwSim* sim, int32_t event);

/* ---- contacts.c ---- */

bool zw_contacts_is_closed(const ZwSim* sim, int32_t i);
bool zw_contacts_any_closed(const ZwSim* sim);
const char* zw_row_jump_remedy(const ZwSim* sim, int32_t row); /* what to do where a row jumps */
const ZwContact* zw_contact_of(const ZwSim* sim, int32_t i);
ZwLevel zw_contact_level(const ZwSim* sim, int32_t i);
/* `while` */
bool zw_contact_is_there(const ZwSim* sim, int32_t i);
/* The rates of the gap and the slips of contact i at the last evaluation of velocities. */
void zw_contact_read_rates(ZwSim* sim, int32_t i);
/* Is a rate too small for a bounce? */
bool zw_contact_is_slow(const ZwSim* sim, int32_t i, double rate);
/* ... because of the rate alone, whatever the times of its impacts are? */
bool zw_contact_is_at_rest(const ZwSim* sim, int32_t i, double rate);
/* Puts the rows of the contacts in `which` at the last evaluation, with the right sides of all, together with the frozen
 * equality rows of a level into a program and solves it: least change beside forces h. `b` holds the right sides of the equality rows,
 * by rows of the system; NULL: zeros. Contacts with `!is_still[i]` slip and get sliding friction. */
ZwStatus zw_contacts_solve(ZwSim* sim, const bool* which, ZwLevel level, const double* h, const double* b,
                           const bool* is_still);
/* Says of the program solved last that there is no answer (ZW_ERR_INCONSISTENT), or that none was found (ZW_ERR_STEP). */
ZwStatus zw_contacts_refuse(ZwSim* sim, ZwStatus why, const char* what);
/* Tells what an impact has done to each contact. */
void zw_contacts_tell_hits(ZwSim* sim);
/* After the start: puts negative gaps to zero, closes what touches and stays. */
ZwStatus zw_contacts_begin(ZwSim* sim);
/* Before an event changes anything: what the contacts are. Before it moves something: none is closed any more. */
void zw_contacts_remember(ZwSim* sim);
void zw_contacts_release(ZwSim* sim);
/* Nothing of what contacts were told by events counts any more. */
void zw_contacts_forget_events(ZwSim* sim);
/* Closes the gaps that are below zero and not closed, so that what is moved onto the constraints is moved out of them. */
ZwStatus zw_contacts_close_negative(ZwSim* sim, bool* has_closed);
/* Tells the plan what happened at the begin of a run, and what every contact is there. */
void zw_contacts_tell(ZwSim* sim);
/* Which are closed, stick and slip, as one number that is another one where they are not the same. */
uint64_t zw_contacts_signature(const ZwSim* sim);
/* flat.c: the contact i closes at the state evaluated last, sim->t and sim->y (positions and velocities); has its gap a gradient there? */
ZwStatus zw_flat_check(ZwSim* sim, int32_t i);
/* Before an event changes anything: what gaps are, so that one that jumps is known. */
ZwStatus zw_contacts_note_gaps(ZwSim* sim);
/* At sim->t, sim->y (positions and velocities), where the gaps in `closes` have closed or forces have come to their end:
 * impacts, and which contacts are closed from here on. The values of the events are there. */
ZwStatus zw_contacts_settle(ZwSim* sim, const bool* closes);

/* ---- impacts.c ---- */

/* The velocities behind an impact of what touches; nothing happens where no gap closes. */
ZwStatus zw_impact(ZwSim* sim);
/* The restitution of contact i from the values of the events, which are there; an error if it is none. */
ZwStatus zw_impact_read(ZwSim* sim, int32_t i);

/* ---- cones.c ---- */

/* After a rank decision, with multipliers by its candidates: where they are not unique, those farthest from letting a contact open
 * or slip. */
void zw_cones_choose(ZwSim* sim, double* lambda);

/* ---- friction.c ---- */

/* Before an evaluation of the accelerations: coefficients that move, and slips in two directions. ZW_ERR_DOMAIN, or
 * ZW_ERR_VALUE for a coefficient that is none. */
ZwStatus zw_friction_look(ZwSim* sim, double t, const double* q, const double* v);
/* With the frozen rows factored: adds the friction of what slips to sim->h and sim->Q. ZW_ERR_CONTACT: it is not determined. */
ZwStatus zw_friction_add(ZwSim* sim);
bool zw_friction_is_sliding(const ZwSim* sim, int32_t i);
/* Right after a decision of the rank of all rows, at a state that counts: whether friction depends on how forces are shared. Notes it once. */
void zw_friction_judge(ZwSim* sim);
/* After an impact, alike of its impulses. The rows that are frozen must be decided anew. */
void zw_friction_judge_impact(ZwSim* sim);
/* Where it does: the forces N of those that slip, from the multipliers of the frozen rows without friction. Uses the factors up. ZW_ERR_CONTACT: forces
 * and friction do not settle. */
ZwStatus zw_friction_share(ZwSim* sim, const double* lambda_free, double* N);
/* An error where it does. */
ZwStatus zw_friction_refuse_derivatives(ZwSim* sim);
/* The direction of a slip u (two numbers) in two directions, regularised. */
void zw_friction_direction(const ZwSim* sim, int32_t i, const double* u, double* along);
/* That of the slip of contact i at the state evaluated last: a sign, or in two directions two numbers. */
void zw_friction_along(const ZwSim* sim, int32_t i, double* along);
/* At the start: how fast each contact with friction in two directions creeps at most, where it should stick. */
void zw_friction_find_creep(ZwSim* sim);
/* Coefficients at the present state, whose event values are there. */
ZwStatus zw_friction_read(ZwSim* sim);
/* Column j of the derivatives by the velocities: what friction in two directions adds to sim->h. */
void zw_friction_add_slope(ZwSim* sim, int32_t j);
/* The forces across the gaps of what slips, from those that there would be without friction, in place; also of their changes. */
void zw_friction_forces(const ZwSim* sim, double* N);
/* A column of the derivatives of the accelerations, whose multipliers are in `lambda`: friction follows the forces. */
void zw_friction_follow(ZwSim* sim, const double* lambda, double* da);
/* Says that the friction of the contacts in `set` is not determined at t. */
ZwStatus zw_friction_refuse(ZwSim* sim, const int32_t* set, int32_t count, double t);
/* Says why an evaluation gave ZW_ERR_CONTACT or ZW_ERR_VALUE. */
ZwStatus zw_friction_fault(ZwSim* sim, ZwStatus status, double t);
/* The forces along slips, into sim->reactions. */
void zw_friction_react(ZwSim* sim);

/* ---- events.c ---- */

/* Sets the modes to what they are at a state. True if one of them changed. */
bool zw_events_set_modes(ZwSim* sim, double t, const double* q, const double* v);
/* No step of size h can be made at sim->t: is a switch just ahead the reason, as at the end of the branch of a root? Then it
 * is noted and has to happen where the motion is. */
bool zw_events_is_due(ZwSim* sim, double h);
/* Ahead of the state: does a mode or a condition change on the way to this one? */
bool zw_events_is_beyond(ZwSim* sim, double t, const double* y);
/* Before a step of h: if that is short, has what a sign in a constraint drives to zero come within rounding of it, where it rests? Its
 * mode is then due. */
bool zw_events_rests(ZwSim* sim, double h);
/* At the begin of a run: which conditions hold. */
ZwStatus zw_events_begin(ZwSim* sim);
/* Looks for the first event inside the pending step. If there is one the step is cut there (`*has_event`): sim->step and
 * sim->y_new are those of the instant, projected. */
ZwStatus zw_events_look(ZwSim* sim, bool* has_event);
/* Forgets what the pending step was seen to do: it will be made again. */
void zw_events_take_back(ZwSim* sim);
/* At the present state: carries out what happens there. *is_over when the run shall stop. */
ZwStatus zw_events_happen(ZwSim* sim, bool* is_over);
/* Between two steps, after somebody changed parameters. */
ZwStatus zw_events_change(ZwSim* sim, bool* is_over);
/* What was found is only that tables pass a point; carries that out. */
bool zw_events_is_quiet(const ZwSim* sim);
ZwStatus zw_events_pass(ZwSim* sim);
/* The names of the events found last, in the order of the text, cut to the room there is. */
void zw_events_name(const ZwSim* sim, char name[ZW_EVENT_NAME]);

/* Conditions, modes and margins inside the pending step, at sim->t + x sim->h_dense. */
ZwStatus zw_events_sample(ZwSim* sim, double x);
/* Does a condition read accelerations or reactions just now? They at a state; and all values of events there, with their margins. */
bool zw_events_watch_forces(const ZwSim* sim);
ZwStatus zw_events_forces(ZwSim* sim, double t, const double* y);
ZwStatus zw_events_read(ZwSim* sim, double t, const double* y);
/* Has the condition of an event become true at the state looked at last? */
bool zw_events_becomes_true(const ZwSim* sim, int32_t i);

/* ---- ties.c ---- */

/* Before a start: none is tied. */
void zw_ties_open(ZwSim* sim);
/* At the present state, with its rows decided: which margins do constraints hold? Whether conditions may be others for it. Evaluates
 * elsewhere. */
bool zw_ties_find(ZwSim* sim);
/* After the values of events were computed: true when conditions have to be asked anew, since a margin has left zero. */
bool zw_ties_read(ZwSim* sim);
/* Margins that are tied have no value that matters: NaN. */
void zw_ties_hide(ZwSim* sim);
/* A step ends at y without an event: what has left zero speaks for itself from now on. */
void zw_ties_leave(ZwSim* sim, double t, const double* y);
/* Has a margin that was untied not yet left zero? Conditions are told of it as before. */
bool zw_ties_stays(const ZwSim* sim, int32_t margin, double value);
bool zw_ties_is_tied(const ZwSim* sim, int32_t margin);

/* ---- changes.c ---- */

typedef enum ZwChangeHow {
  ZW_CHANGE_SETS,    /* the first one of its target in this round, */
  ZW_CHANGE_ADDS,    /* another n = n + c, */
  ZW_CHANGE_REPEATS, /* another one with the same value, */
  ZW_CHANGE_DISPUTES /* or with another value */
} ZwChangeHow;

typedef struct ZwChanges {
  bool has_moved, has_remembered; /* coordinates; memories */
} ZwChanges;

/* How a change of an event that becomes true, whose values are there, counts beside those before it in the text. */
ZwChangeHow zw_changes_how(const ZwSim* sim, int32_t event, int32_t change);
/* The changes of all events that become true, all by the values that are there; y holds positions and velocities. An error where two
 * disagree. */
ZwStatus zw_changes_make(ZwSim* sim, ZwChanges* done);
/* After y was put onto the constraints: says once for each event where they moved what it assigned. */
void zw_changes_note_moves(ZwSim* sim);

/* ---- passing.c ---- */

/* At an instant in which something happens: an error where there would be no end of it. */
ZwStatus zw_passing_check(ZwSim* sim);
/* Before the first round of an instant; in every round; after too many. */
void zw_passing_open(ZwSim* sim);
void zw_passing_round(ZwSim* sim);
ZwStatus zw_passing_refuse_instant(ZwSim* sim);

/* ---- energy_step.c ---- */

/* Before modes change: notes what they are. After it: an error where energy or momenta jump with them. */
void zw_energy_step_note(ZwSim* sim);
ZwStatus zw_energy_step_check(ZwSim* sim);
/* Modes in energies that the motion switches are what they will be (sim->watch.modes), until left again. False: there are none. */
bool zw_energy_step_enter(ZwSim* sim);
void zw_energy_step_leave(ZwSim* sim);

/* ---- rest.c ---- */

/* So much may the number of which mode i is the sign be off zero while it rests. */
double zw_rest_band(const ZwSim* sim, int32_t i);
/* Is the sign of mode i at rest, at the state looked at last? */
bool zw_rest_holds(const ZwSim* sim, int32_t i);
/* At the end of the pending step: what rests is put to zero again. */
void zw_rest_keep(ZwSim* sim);
/* Before modes change: notes which signs will. After it, and after other changes: those that are driven back to zero
 * from both sides come to rest, or go on resting. */
void zw_rest_note(ZwSim* sim);
ZwStatus zw_rest_settle(ZwSim* sim);
/* Are there signs in constraints on velocities whose u is within rounding of zero and would rest there? Those have `turns`. */
bool zw_rest_is_due(ZwSim* sim);
/* At a state that nothing led to, whose event values are there: the same for all signs that are zero there. */
ZwStatus zw_rest_begin(ZwSim* sim);

/* ---- looks.c ---- */

/* Who changes with a margin: the name of a condition, and where what is compared stands in the text. */
ZwStr zw_looks_name(const ZwSim* sim, int32_t margin, ZwSpan* span);

/* Begins to look at the pending step, whose dense output is made; ends it. */
void zw_looks_open(ZwSim* sim);
void zw_looks_close(ZwSim* sim);
/* What a margin is measured by. */
double zw_looks_size(const ZwLooks* looks, int32_t margin);
/* The margins of the last evaluation belong to conditions that are known. */
void zw_looks_know(ZwSim* sim);
/* Is the force of a contact, at the state looked at last, no more than an error? Then its end is none. */
bool zw_looks_is_idle(const ZwSim* sim, int32_t event);
/* After an evaluation: margins that no contact watches now stay where they are, and forces are over where they are less than
 * nothing by more than their error. */
void zw_looks_prepare(ZwSim* sim);
/* Does rounding decide the condition of an event at the state looked at last? */
bool zw_looks_is_rounding(const ZwSim* sim, int32_t event);
/* The condition of an event does not count from the present state on, until one of its margins has left zero by more than an error. */
void zw_looks_doubt(ZwSim* sim, int32_t event);
bool zw_looks_is_doubtful(const ZwSim* sim, int32_t event);
/* Is a margin exactly zero at the state looked at last, that was not before? */
bool zw_looks_is_on_zero(const ZwSim* sim);
/* The next place *high of the step at which a margin is not what is known, and *low before it, where all are. *is_over when
 * there is none. */
ZwStatus zw_looks_next(ZwSim* sim, bool* is_over, double* low, double* high);

/* ---- integrator.c: what every integrator does ---- */

/* Moves by this integrator from now on. One that needs memory of its own may find none: ZW_ERR_MEMORY. */
ZwStatus zw_sim_set_integrator(ZwSim* sim, ZwIntegratorKind kind);
/* Bytes that takes. */
size_t zw_sim_integrator_size(const ZwProgram* program, ZwIntegratorKind kind);
/* A new beginning at sim->t, sim->y, whose rate is in sim->k[0]: after the start and after every event. */
void zw_restart(ZwSim* sim, double span);
/* Finds one acceptable step of about sim->h_next that does not pass `until`. It is left pending: sim->t, sim->y are its
 * begin, sim->step its size, sim->y_new its projected end. A step of size 0: a switch is due at once. */
ZwStatus zw_step(ZwSim* sim, double until);
/* For integrators that cannot place their steps: the rate at the projected end of the pending step, its rows, and an error if
 * a singular position is met or was passed. */
ZwStatus zw_step_settle(ZwSim* sim, double t);
/* What zw_step does first: chooses sim->stepper, the method of the next step. */
void zw_step_choose(ZwSim* sim, double until);
/* Makes the dense output of the pending step, if it is not there yet. */
ZwStatus zw_dense(ZwSim* sim);
/* y at sim->t + x sim->h_dense, 0 <= x <= 1. */
void zw_interpolate(const ZwSim* sim, double x, double* y);
/* Makes the pending step's end the present state, at time t, with the rows found there. */
ZwStatus zw_advance(ZwSim* sim, double t);

/* ---- steep.c ---- */

/* No step of `shortest` or more leads on from sim->y. If that is because accelerations are infinite there, and only there, makes the step after which they
 * are not. */
bool zw_steep_pass(ZwSim* sim, double shortest, double until);

/* ---- cut.c ---- */

/* The pending step, which an event has cut: is the part that is kept less exact than it has to be, though all of it was exact enough? */
bool zw_cut_is_coarse(ZwSim* sim);
/* Makes the step again, up to the event, by the sizes of that part. */
ZwStatus zw_cut_repeat(ZwSim* sim, double until);

/* ---- step.c: one-step methods under error control ---- */

/* The size of x (q and v) in units of the tolerance at y. */
double zw_step_norm(const ZwSim* sim, const double* x, const double* y);
/* Why a step could not be made. */
typedef struct ZwRefusal {
  ZwStatus status;
  int32_t row;     /* of a constraint that could not be met, or -1 */
  bool is_outside; /* it is none of the frozen rows */
  bool is_branch_lost;
  bool is_too_long; /* for something narrow (narrow.c) */
  /* what an evaluation left in ZwSim; until the run gives up, others follow */
  const char* reason;
  int32_t dependent;
  double t;
} ZwRefusal;

/* Of an evaluation that has just failed. */
ZwRefusal zw_step_refusal(const ZwSim* sim, ZwStatus status);

/* Says so; sim->y_new is where an evaluation failed, h the shortest step tried. */
ZwStatus zw_step_give_up(ZwSim* sim, const ZwRefusal* refusal, double h);
/* No step: a switch is due where the motion is. */
ZwStatus zw_step_stand_still(ZwSim* sim);
/* The first step size for y at sim->t, whose rate is in sim->k[0]. */
double zw_step_first(ZwSim* sim, double span);
ZwStatus zw_step_controlled(ZwSim* sim, double until);

/* The same, attempt by attempt: one that was opened is attempted and judged until it is found. */
typedef struct ZwStepSearch {
  double until, h;       /* h: to be attempted */
  double longest_growth; /* of the step that follows */
  int landings;          /* attempts that ended where rank is lost */
  int refused;           /* attempts for their error or their rows */
  bool has_taken;        /* a row more */
  bool is_found;
} ZwStepSearch;

ZwStatus zw_step_open(ZwSim* sim, double until, ZwStepSearch* search);
/* The error in units of the tolerance; infinity with a reason when the attempt failed. */
double zw_step_attempt(ZwSim* sim, double h, ZwRefusal* refusal);
/* What is left of an attempt when sim->y_new is projected and sim->F[4] holds the velocities from before: the rate there, and what
 * that says about the rows. */
double zw_step_end(ZwSim* sim, double h, double error, ZwRefusal* refusal);
ZwStatus zw_step_judge(ZwSim* sim, ZwStepSearch* search, double error, const ZwRefusal* refusal);
/* What the last two do when the rows at the end are known and ordinary (zw_singular_is_plain). */
void zw_step_accept_plain(ZwSim* sim, ZwStepSearch* search, double error, const double* measured);

/* ---- narrow.c ---- */

/* Bounds of a state, 4 n numbers: q and v at least, q and v at most. One more state between them; and wider by a part of their width. */
void zw_bounds_include(ZwSim* sim, double t, const double* y, bool is_first, double* bounds);
void zw_bounds_widen(const ZwSim* sim, double part, double* bounds);

/* May the pending step of size h, whose end is in sim->y_new and whose rate there is known, have passed over something narrow? */
bool zw_narrow_may_be(ZwSim* sim, double h);
/* Has it, and does that matter? Asks the dense output of the pending step. */
bool zw_narrow_is_passed(ZwSim* sim);
/* A step of size h, or one that is short enough for what was found. */
double zw_narrow_limit(ZwSim* sim, double h);

/* ---- explicit.c ---- */

ZwStatus zw_explicit_attempt(ZwSim* sim, double h, double* error);
double zw_explicit_measure(ZwSim* sim, double h, double part);
ZwStatus zw_explicit_dense(ZwSim* sim);
void zw_explicit_interpolate(const ZwSim* sim, double x, double* y);

/* ---- stiffness.c ---- */

void zw_stiffness_begin(ZwSim* sim);
/* Before a step of the explicit method: would radau be faster from here on? */
bool zw_stiffness_is_found(ZwSim* sim, double until);
/* After a step of the explicit method of size h, with its stages if those are due: how long the next one may be. */
double zw_stiffness_limit(ZwSim* sim, double h);
bool zw_stiffness_is_rate_due(const ZwSim* sim);
void zw_stiffness_forget_rate(ZwSim* sim);

/* ---- jacobian.c ---- */

/* The derivatives of the accelerations by q and v (n x n each), at a state where they can be solved for. */
ZwStatus zw_jacobian(ZwSim* sim, double t, const double* y, double* work, double* by_q, double* by_v);
/* The same for steps, where derivatives only help to solve: one that is not finite, as that of a root at zero, is a difference. */
ZwStatus zw_jacobian_of_steps(ZwSim* sim, double t, const double* y, double* work, double* by_q, double* by_v);
size_t zw_jacobian_work_size(const ZwProgram* program);

/* ---- radau.c ---- */

size_t zw_radau_work_size(const ZwProgram* program);
void zw_radau_place(ZwSim* sim, void* memory);
void zw_radau_forget(ZwSim* sim);
ZwStatus zw_radau_attempt(ZwSim* sim, double h, double* error);
double zw_radau_measure(ZwSim* sim, double h, double part);
ZwStatus zw_radau_dense(ZwSim* sim);
void zw_radau_interpolate(const ZwSim* sim, double x, double* y);
void zw_radau_visit(ZwSim* sim, ZwPass* pass);

/* ---- rattle.c ---- */

const char* zw_rattle_objection(const ZwEquations* equations, const char** remedy);
size_t zw_rattle_work_size(const ZwProgram* program);
void zw_rattle_place(ZwSim* sim, void* memory);
void zw_rattle_forget(ZwSim* sim);
ZwStatus zw_rattle_step(ZwSim* sim, double until);
ZwStatus zw_rattle_dense(ZwSim* sim);
void zw_rattle_interpolate(const ZwSim* sim, double x, double* y);
void zw_rattle_visit(ZwSim* sim, ZwPass* pass);

/* ---- claims.c ---- */

/* At a row of the state y, with its outputs in sim->outs. ZW_ERR_DOMAIN, with a message: a claim has no value. */
ZwStatus zw_claims_check(ZwSim* sim, double t, const double* y);
/* The same at the start, where claims are evaluated and not counted. */
ZwStatus zw_claims_check_start(ZwSim* sim, double t, const double* y);

/* ---- run.c ---- */

struct ZwRunPlan {
  double from, to, every; /* counted from sim->epoch, as all times of the motion are */
  double end;             /* what t is at `to`, if has_end: the sum of both is rounded */
  bool has_end;
  const double* times; /* rows at these, ascending within from .. to, instead of every so often; NULL: not */
  int32_t time_count;
  /* Called with the projected state at the times of rows, not at the two rows of an event; NULL: not. */
  ZwStatus (*look)(void* context, ZwSim* sim, double t, const double* y);
  /* Called before the two rows of an event, and with "" after them; NULL: not. */
  void (*event)(void* context, double t, const char* name);
  /* A row of t, q, v, outputs. A status other than ZW_OK ends the run with it. */
  ZwStatus (*row)(void* context, const double* values);
  /* Called after every step; false ends the run as interrupted. */
  bool (*poll)(void* context, double t);
  /* Called for every contact at the begin, and whenever it is hit or becomes something else; NULL: not. */
  void (*contact)(void* context, const ZwContactEvent* event);
  void* context;
};

/* From the consistent start in sim->y, or from where a checkpoint was made, to plan->to. */
ZwStatus zw_run(ZwSim* sim, const ZwRunPlan* plan);

/* Rows are at from + k every, never summed up, and at the end; or at times given. */
typedef struct ZwSamples {
  int64_t next, last;
  double from, every, to;
  const double* times;
} ZwSamples;

/* The same, step by step: begin, then until it is over a pending step, look, emit, advance. */
typedef struct ZwProgress {
  ZwSamples samples;
  double t_end;     /* of the pending step */
  double until;     /* where steps end: that of the plan, unless somebody wants to look earlier */
  int32_t standing; /* steps in a row that have not changed the time */
  bool has_event, is_over;
} ZwProgress;

ZwStatus zw_run_begin(ZwSim* sim, const ZwRunPlan* plan, ZwProgress* progress);
/* Events and evidence of the pending step. */
ZwStatus zw_run_look(ZwSim* sim, ZwProgress* progress);
/* The rows inside the pending step and at its end. */
ZwStatus zw_run_emit(ZwSim* sim, ZwProgress* progress);
/* For those who make the rows inside the step themselves: the time of the one that is so many ahead of the next one; false: there is
 * none. */
bool zw_run_is_sampled(const ZwProgress* progress, int64_t ahead, double* t);
/* Its projected state y, with residuals in sim->phi and sim->psi, and outputs in sim->outs; `has_outputs`: all are finite. */
ZwStatus zw_run_hand_sample(ZwSim* sim, ZwProgress* progress, double t, const double* y, bool has_outputs);
/* The end of the step becomes the present; what happens there happens. ZW_ERR_INTERRUPTED: nobody wants to go on. */
ZwStatus zw_run_advance(ZwSim* sim, ZwProgress* progress);
/* Step by step to `until`, where a step ends. */
ZwStatus zw_run_on(ZwSim* sim, ZwProgress* progress, double until);
/* Between two steps, somebody has changed parameters: the state is put onto the constraints as they are now. */
ZwStatus zw_run_change(ZwSim* sim, ZwProgress* progress);
/* The row of the present state. */
ZwStatus zw_run_present(ZwSim* sim);
/* Whether claims can be evaluated at the start, before there is any row: else ZW_ERR_DOMAIN, with a message. */
ZwStatus zw_run_check_claims(ZwSim* sim);

/* ---- checkpoint.c ---- */

/* All that a run needs to go on, and nothing else: between two steps, in a row of bytes that another simulation of the same
 * program with the same tolerance, formulation and integrator takes over. The steps after it are the same, bit by bit. */
size_t zw_checkpoint_size(ZwSim* sim); /* 0: the integrator has a past that cannot be saved */
void zw_checkpoint_save(ZwSim* sim, void* to);
/* False when the bytes do not fit the simulation, whose state then is of no use. */
bool zw_checkpoint_restore(ZwSim* sim, const void* from, size_t size);
/* One field of what a checkpoint holds: counted, saved or restored. */
void zw_pass(ZwPass* pass, void* field, size_t size);

/* ---- fault.c ---- */

/* Says which expression of the user has no finite value at (t, q, v), and where. */
ZwStatus zw_fault_domain(ZwSim* sim, ZwEntry entry, double t, const double* q, const double* v, bool is_start);
/* Says why the formulation gave no answer. */
ZwStatus zw_fault_formulation(ZwSim* sim, ZwStatus status, double t);
/* Says why the last evaluation failed inside a step; y is its state. */
ZwStatus zw_fault_evaluation(ZwSim* sim, ZwStatus status, const double* y);
/* Says which expression makes the motion so violent at (t, q, v) that no step is short enough. False: none was found. */
bool zw_fault_singular(ZwSim* sim, double t, double h, const double* q, const double* v);
/* Says that row contradicts the independent rows it depends on. */
ZwStatus zw_fault_inconsistent(ZwSim* sim, int32_t row, double off, double t, bool is_start);
/* Says which coordinates nothing determines. */
ZwStatus zw_fault_undetermined(ZwSim* sim, double t, bool is_start);
/* The user's name of a row. */
ZwStr zw_row_name(const ZwSim* sim, int32_t row);
ZwSpan zw_row_span(const ZwSim* sim, int32_t row);
/* "line 4, " if it is a line of the model itself. */
void zw_row_add_line(const ZwSim* sim, int32_t row, ZwText* text);

#endif
