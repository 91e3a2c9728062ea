/* What the model stage hands on: names resolved, everything flat. Coordinates, parameters, and a list of terms, each an
 * expression over them with the place in the user's text it came from. */
#ifndef ZW_MODEL_SYSTEM_H
#define ZW_MODEL_SYSTEM_H

#include "base/diag.h"
#include "expr/graph.h"
#include "expr/table.h"
#include "zwang/types.h"

typedef struct ZwParam {
  ZwStr name;
  ZwSpan span;
  ZwExpr value; /* over parameters declared before; replaced by --set */
  bool is_used;
  bool is_structural; /* sizes arrays or loops: another value needs another compilation */
  bool is_deciding;   /* a condition that was known while building asks for it: system->choices */
  bool is_memory;     /* changed by events */
  bool is_joined;     /* set by the `with` of the file that uses its library */
  bool is_hidden;     /* a literal or loop index that stands in a slot, or a mode; the user did not declare it */
  bool is_mode;       /* holds a switch within a step; its name is the condition */
} ZwParam;

/* How firmly a start value holds. */
typedef enum ZwHold { ZW_HOLD_FREE, ZW_HOLD_GUESS, ZW_HOLD_TYPED } ZwHold;

typedef struct ZwCoord {
  ZwStr name;
  ZwSpan span;
  ZwExpr start_q, start_v; /* start values over parameters; ref 0: none */
  ZwHold hold_q, hold_v;
  bool is_started_q, is_started_v; /* by a start statement */
  ZwSpan start_q_span, start_v_span;
  ZwExpr scale; /* how large it is, as stated, over parameters; ref 0: nothing is */
  ZwSpan scale_span;
} ZwCoord;

// clang-format off
#define ZW_TERM_LIST(X)                                                                       \
  X(KINETIC,     "kinetic")      /* value: energy, counts + in L */                           \
  X(POTENTIAL,   "potential")    /* value: energy, counts - in L */                           \
  X(LAGRANGIAN,  "lagrangian")   /* value: counts + in L */                                   \
  X(DISSIPATION, "dissipation")  /* value: R, the force is -dR/dv */                          \
  X(FORCE,       "force")        /* value: F; rate: the velocity it works on */               \
  X(GIBBS,       "gibbs")        /* value: S, quadratic in the accelerations */               \
  X(CONSTRAINT,  "constraint")   /* value: left - right */                                    \
  X(EXACT,       "start exactly") /* value: left - right, at the first instant only */        \
  X(QUASI,       "quasi")        /* value: a velocity that the user wants to count in */      \
  X(EVENT,       "event")        /* value: a condition, or what a 'when' assigns */           \
  X(OUTPUT,      "output")       /* value */                                                  \
  X(CLAIM,       "claim")        /* value: a number that a claim compares */
// clang-format on

typedef enum ZwTermKind {
#define ZW_TERM_ENUM(name, text) ZW_TERM_##name,
  ZW_TERM_LIST(ZW_TERM_ENUM)
#undef ZW_TERM_ENUM
} ZwTermKind;

/* How many differentiations bring a constraint to acceleration level: ORDER LEVEL (T1, T2, T3). */
typedef enum ZwLevel { ZW_LEVEL_POSITION, ZW_LEVEL_VELOCITY, ZW_LEVEL_ACCELERATION } ZwLevel;

typedef struct ZwTerm {
  ZwTermKind kind;
  ZwLevel level; /* of a constraint */
  ZwStr name;    /* of a constraint or output; constraints without a label are called by their line */
  ZwSpan span;   /* the statement */
  ZwExpr value, rate;
  int32_t gate;    /* of a constraint: the parameter, + 1, that is 0 while it is not there; 0: it is always there */
  int32_t contact; /* of the gap or slip of a contact: its number + 1; 0: an ordinary constraint */
  ZwExpr held_value, held_rate; /* what a step evaluates: the same, with switches held by modes */
} ZwTerm;

/* What a claim says of its left side: that it is the right one, or no more, or no less. ORDER RELATION */
typedef enum ZwRelation { ZW_RELATION_EQUAL, ZW_RELATION_AT_MOST, ZW_RELATION_AT_LEAST } ZwRelation;

/* `claim "shape": x^2 + y^2 = l^2 within 1e-6`, or one component of such a claim between vectors. Its numbers follow each other among the values
 * of claims: the left side, the right side, and what is allowed if that is stated. */
typedef struct ZwClaim {
  ZwStr name;
  ZwSpan span;
  ZwRelation relation;
  ZwExpr left, right, within; /* within: ref 0 if it is not stated */
  int32_t first;              /* number of the value of the left side */
  int32_t component, dim; /* this one of the components of a vector, whose claims follow each other; 0 of 1: a scalar */
} ZwClaim;

/* The `run` statement; refs over parameters, 0 where not typed. */
typedef struct ZwRunSpec {
  bool is_stated;
  ZwSpan span;
  ZwExpr from, to, every, tolerance, step;
  ZwExpr length; /* b of `run a .. a + b`, which loses no digits where a is large; ref 0: the end is not written so */
  ZwSpan from_span, to_span, every_span, tolerance_span, step_span;
  ZwStr integrator; /* empty: not stated */
  ZwSpan integrator_span;
} ZwRunSpec;

/* What an event assigns: a coordinate, a velocity or a memory. */
typedef struct ZwChange {
  ZwOp target;   /* ZW_OP_COORD, ZW_OP_VELOCITY or ZW_OP_PARAM */
  int32_t index; /* of the coordinate or parameter */
  int32_t value; /* number of the event value it becomes */
  int32_t added; /* of n = n + c, which add up: number of the event value c; -1: it is no such change */
  ZwSpan span;
} ZwChange;

/* `when condition: ...`, `stop when condition` */
typedef struct ZwEvent {
  ZwStr name; /* the condition as the user wrote it */
  ZwSpan span;
  bool is_stop;
  int32_t contact;                /* of the event of a contact: its number + 1; 0: the user's */
  int32_t asleep_param;           /* such an event cannot happen while this parameter */
  double asleep_value;            /* has this value */
  bool is_of_force;               /* it watches forces: what is no more than their error is none */
  int32_t condition;              /* number of the event value that is 1 while it holds */
  ZW_ARRAY(int32_t) margins;      /* of the state, that decide the condition */
  ZW_ARRAY(int32_t) time_margins; /* and those of the time alone */
  ZW_ARRAY(ZwChange) changes;
} ZwEvent;

/* `contact floor: y >= 0, restitution 0.8, friction mu, slip x`: a row that pushes and never pulls, while it is closed; and
 * one or two rows along the slip. */
typedef struct ZwContact {
  ZwStr name;
  ZwSpan span;
  int32_t row;         /* of its gap, among those of the constraints */
  int32_t margin;      /* of the gap, in system->margins; -1: it has none */
  int32_t gate;        /* the parameter, + 1, that is 0 while it is not there (`while`); 0: it is always there */
  int32_t closed;      /* the parameter that is 1 while it is */
  int32_t restitution; /* number of the event value, */
  bool is_steady;      /* which is the same always */
  int32_t closes;      /* the events, in system->events: its gap becomes negative while it is open, */
  int32_t opens;       /* its force becomes negative while it is closed */

  /* friction */
  int32_t slip_dim;        /* directions of the slip; 0: there is no friction */
  int32_t slip;            /* the first of their rows */
  int32_t friction;        /* number of the event value: the coefficient */
  bool is_friction_steady; /* it reads nothing that moves */
  int32_t sticks;          /* the parameter that is 1 while it does */
  int32_t slides;          /* the parameter that is the sign of its slip, 0 while it sticks or is open */
  int32_t stops,
      slips; /* the events, of a slip in one direction: it becomes zero; its force becomes too large; else -1 */
} ZwContact;

/* A switch inside the equations (if, abs, sign, min, max, floor, mod, table): a step holds the branch, or the sign, or the
 * whole number, in a hidden parameter; where the value is another one the step ends and the mode changes. */
typedef struct ZwMode {
  int32_t param;       /* where it is held */
  int32_t value;       /* number of the event value that it is */
  ZwStr name;          /* "x' >= 0" */
  int32_t sign_of;     /* the margin, + 1, that it is the sign of; 0: it is no sign */
  bool is_quiet;       /* the interval of a table: no event for the user */
  bool is_in_energy;   /* the Lagrangian reads it, and may jump with it */
  bool is_of_state;    /* it reads positions or velocities, itself or by modes that it reads; */
  bool is_of_velocity; /* velocities */
} ZwMode;

typedef enum ZwMarginKind {
  ZW_MARGIN_ZERO,  /* matters where it is zero */
  ZW_MARGIN_WHOLE, /* matters where it passes a whole number */
  ZW_MARGIN_KINK   /* at zero other margins are not smooth: abs, min, max */
} ZwMarginKind;

/* How far a comparison, a sign or a whole number inside conditions and modes is from changing. */
typedef struct ZwMargin {
  int32_t value; /* number of the event value; margins are the last of them */
  ZwMarginKind kind;
  bool is_of_time;  /* it reads nothing that moves but the time */
  bool is_of_force; /* it reads accelerations or reactions */
  int32_t event;    /* of a contact, that alone watches it: its number + 1; 0: others do too */
  int32_t tie;   /* the parameter, + 1, that says where it is while constraints hold it: ORDER TIE; 0: there is none */
  bool may_jump; /* the gap of a contact that reads an atan2, which jumps at its cut */
} ZwMargin;

/* A condition or mode, by the number of its event value, and one of the margins that it changes with. */
typedef struct ZwMarginUse {
  int32_t margin, value;
} ZwMarginUse;

/* ORDER TIE: what that parameter says of a margin. Of one that passes whole numbers it says between which it is, as n + 1/2. */
enum { ZW_TIE_LOOSE, ZW_TIE_BELOW, ZW_TIE_ZERO, ZW_TIE_ABOVE };

/* A number that a picture shows: of the time, of the state, or an output. */
typedef enum ZwShownKind {
  ZW_SHOWN_VALUE, /* always the same: value */
  ZW_SHOWN_TIME,
  ZW_SHOWN_COORD,    /* index */
  ZW_SHOWN_VELOCITY, /* index */
  ZW_SHOWN_OUTPUT    /* index, among the outputs */
} ZwShownKind;

typedef struct ZwShown {
  ZwExpr e;
  ZwStr name;
  ZwShownKind kind; /* this and what follows is found when all is built */
  int32_t index;
  double value;
} ZwShown;

/* `plot y, z against x` */
typedef struct ZwPlotSpec {
  int32_t first, count; /* curves, in system->curves; the axis below, if there is one, behind them */
  bool has_against, is_equal;
} ZwPlotSpec;

/* `draw line P -> Q color red` */
typedef struct ZwDrawSpec {
  ZwDrawKind kind;
  int32_t dim, point_count;
  int32_t first, count; /* numbers, in system->drawn */
  ZwStr text, colour;   /* the colour is empty: none was asked for by name */
  int32_t colour_number;
} ZwDrawSpec;

/* A constraint that the host computes. Its row is written in hidden parameters, which the host fills before every evaluation:
 *
 *   of positions      residual + sum A_k (q_k - x_k) + rate (t - t0) + bend/2 (t - t0)^2
 *   of velocities     residual + sum A_k (v_k - x_k) + bend (t - t0)
 *   of accelerations  bend + sum A_k a_k
 *
 * t0 is counted from the start of the run. At the state that x and t0 hold, its residual, its derivative and its right side -bend are those of the host, so everything else
 * treats it as any other row. */
typedef struct ZwHostRow {
  ZwLevel level;
  int32_t residual, rate, bend, t0; /* parameters */
  int32_t A, x;                     /* the first of n parameters each */
} ZwHostRow;

/* The condition of an `if` that was known while building: one branch was built, and the system is right as long as its outcome stays. */
typedef struct ZwChoice {
  ZwExpr condition; /* over parameters */
  bool holds;
  ZwSpan span;
} ZwChoice;

/* Another name of a coordinate: crank.b.phi of crank.phi. */
typedef struct ZwAlias {
  ZwStr name;
  int32_t coord;
} ZwAlias;

typedef struct ZwSystem {
  ZwArena* arena;
  ZwGraph graph;
  ZW_ARRAY(ZwSpan) marks; /* graph marks number these */
  ZW_ARRAY(ZwParam) params;
  ZW_ARRAY(ZwChoice) choices;
  ZW_ARRAY(ZwCoord) coords;
  ZW_ARRAY(ZwAlias) aliases; /* of coordinates */
  ZW_ARRAY(ZwTerm) terms;
  ZwTables tables;
  ZW_ARRAY(ZwEvent) events; /* in the order of the text */
  ZW_ARRAY(ZwContact) contacts;
  ZW_ARRAY(ZwClaim) claims;
  int32_t claim_value_count; /* terms of kind ZW_TERM_CLAIM so far: the number of the next one */
  bool has_watched_forces;   /* events other than those of contacts read accelerations or reactions */
  ZW_ARRAY(ZwMode) modes;
  ZW_ARRAY(ZwMargin) margins;
  ZW_ARRAY(ZwMarginUse) margin_uses; /* of all conditions and modes, one after the other */
  int32_t event_value_count;         /* terms of kind ZW_TERM_EVENT so far: the number of the next one */
  int32_t row_count;                 /* constraint terms so far: the row of the next one */
  ZW_ARRAY(ZwHostRow) host_rows;
  ZW_ARRAY(ZwPlotSpec) plots;
  ZW_ARRAY(ZwShown) curves;
  ZW_ARRAY(ZwDrawSpec) shapes;
  ZW_ARRAY(ZwShown) drawn;
  ZwRunSpec run;
  int32_t epoch; /* the hidden parameter of the time at which a run begins, + 1; 0: nothing reads t */
} ZwSystem;

const char* zw_term_kind_text(ZwTermKind kind);

/* The coordinate of this name, or of which it is an alias; -1: there is none. */
int32_t zw_system_find_coord(const ZwSystem* system, ZwStr name);

/* Where the user first wrote this expression. */
ZwSpan zw_system_span(const ZwSystem* system, ZwExpr e);

/* The name of constraint row number `row`. */
ZwStr zw_system_row_name(const ZwSystem* system, int32_t row);

/* Prints an expression with the user's names. */
void zw_system_print(ZwText* text, const ZwSystem* system, ZwExpr e, int32_t limit);

/* Everything the stage hands on, for `zwang dump --stage model`. */
void zw_system_dump(ZwText* text, const ZwSystem* system);

#endif
