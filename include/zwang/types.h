/* The data that goes into Zwang and comes out of it. Functions are in zwang.h. */
#ifndef ZWANG_TYPES_H
#define ZWANG_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zwang/status.h"

typedef double ZwReal;

/* Every definition (ZwCompileDef, ZwRunDef, ...) begins with a cookie and its size. Its zw_default_..._def() sets them, and every
 * function that takes one refuses it without them: what was forgotten, or made for another version of the library, is not guessed. */

/* Where memory comes from. `alloc` may give NULL; the call that needed it then answers ZW_ERR_MEMORY. Both functions NULL: malloc
 * and free; one of them NULL: ZW_ERR_ARGUMENT. */
typedef struct ZwAllocator {
  void* (*alloc)(void* context, size_t size);
  void (*release)(void* context, void* memory);
  void* context;
} ZwAllocator;

typedef enum ZwSeverity { ZW_SEVERITY_ERROR, ZW_SEVERITY_NOTE } ZwSeverity;

/* One message about the user's text or about the run. */
typedef struct ZwDiag {
  ZwSeverity severity;
  ZwStatus code;
  const char* file;        /* "" when the message belongs to no place in a text; then line is 0 */
  int32_t line, column;    /* from 1; the column counts characters */
  const char* text;        /* what is wrong, one sentence */
  const char* remedy;      /* what to do, "" if nothing is known */
  const char* source_line; /* the user's line, not ended by 0 */
  int32_t source_line_size;
  int32_t offset, size; /* of the culprit within source_line, in bytes; it may go past the line's end */
} ZwDiag;

/* A model: compiled once, then read-only; may be shared between threads. */
typedef struct ZwModel ZwModel;
/* One simulation of a model; belongs to one thread. */
typedef struct ZwRun ZwRun;

/* A parameter value from outside the text; `value` is any constant expression of the language. */
typedef struct ZwSet {
  const char* name; /* UTF-8, composed or not */
  const char* value;
} ZwSet;

/* A number that one run has in place of the model's: of a parameter (m, l[2], g.x), or the start value of a coordinate (x) or
 * velocity (x'), which then holds as firmly as one that is typed. */
typedef struct ZwRunChange {
  const char* name; /* UTF-8, composed or not */
  double value;
} ZwRunChange;

/* Finds the text of a used file or table. `name` is as the user wrote it: the name of a library (`use planar`:
 * is_library), or a path; `path` is that path seen from the file that asks. Gives ZW_OK and memory that `release` frees,
 * ZW_ERR_NAME when there is no such file, ZW_ERR_IO with *why when it may not or cannot be read, ZW_ERR_MEMORY when there
 * is no memory for it. The standard libraries need no reader. One function without the other: ZW_ERR_ARGUMENT. */
typedef struct ZwReader {
  ZwStatus (*read)(void* context, const char* name, const char* path, bool is_library, char** text, size_t* size,
                   const char** why);
  void (*release)(void* context, char* text);
  void* context;
} ZwReader;

/* Bounds for texts that come from strangers; zw_default_compile_def() has the usual ones. */
typedef struct ZwLimits {
  size_t memory;      /* bytes a compiled model, or a run of it, may take; default 4 GiB, 0: no limit */
  int64_t iterations; /* loop passes and array elements in all; default 20 million, 0 alike */
  int32_t nesting;    /* brackets, blocks and operators within each other; default 200, 0 alike, at most 2000 */
} ZwLimits;

/* How a constraint restricts: what it is an equation between. */
typedef enum ZwConstraintLevel { ZW_OF_POSITIONS, ZW_OF_VELOCITIES, ZW_OF_ACCELERATIONS } ZwConstraintLevel;

/* A constraint that the host computes: its name in messages, forces and results. */
typedef struct ZwHostConstraint {
  const char* name;
  ZwConstraintLevel level;
} ZwHostConstraint;

/* What the host fills in for its constraints at t, q, v; all is zero before. */
typedef struct ZwHostRows {
  int32_t count, n;
  /* One for each: phi(t, q) of positions, psi(t, q, v) of velocities; nothing of accelerations. */
  double* residual;
  /* count x n, row-major: dphi/dq, dpsi/dv, or the factors of the accelerations. */
  double* A;
  /* One for each of positions: dphi/dt, how fast the constraint itself moves. */
  double* rate;
  /* One for each: A a = b for the accelerations a, so -(dA/dt v + d2phi/dt2 + ...) of positions and velocities. */
  double* b;
} ZwHostRows;

/* What to compile. Fill with zw_default_compile_def(), then set text, size and name. */
typedef struct ZwCompileDef {
  uint32_t cookie, def_size; /* set by zw_default_compile_def() */

  const char* text;  /* the model, UTF-8; need not outlive the call */
  size_t size;       /* bytes of text */
  const char* name;  /* how messages call it, usually the file name; default "model", NULL alike */
  const ZwSet* sets; /* parameter values that replace those of the text; default none */
  int32_t set_count;
  ZwReader reader; /* where `use` finds files; default: the standard libraries only */
  bool keep_tree;  /* keep the syntax tree for zw_model_dump; default false */
  bool drawing;    /* rows have the numbers of the drawing too: zw_model_draw tells which; default false */
  /* Constraints that the host computes, behind those of the text: ZwRunDef.constraints; default none. */
  const ZwHostConstraint* constraints;
  int32_t constraint_count;
  /* What computes the equations: "auto", machine code where this machine and its system allow it, else the interpreter;
   * "native"; "interpret". zw_kernel_text lists the names. Results are the same, bit by bit. Default NULL: "auto". */
  const char* kernel;
  ZwLimits limits;
  ZwAllocator allocator; /* default malloc and free */
} ZwCompileDef;

/* How derived equations are written; JSON is one object whose formulas are in the form of the text. */
typedef enum ZwDeriveForm { ZW_DERIVE_TEXT, ZW_DERIVE_LATEX, ZW_DERIVE_JSON } ZwDeriveForm;

/* What is derived beside M, h, A, b and the Gibbs function; they are added up. */
typedef enum ZwDerivePart {
  ZW_DERIVE_EXPLICIT = 1,  /* the equations solved: multipliers, forces of the constraints, accelerations (T24) */
  ZW_DERIVE_PARTITION = 2, /* the explicit equations of Gibbs and Appell (T27) */
  ZW_DERIVE_BELLMAN = 4,   /* the recursion of Bellman (T28) */
  ZW_DERIVE_ALL = 7
} ZwDerivePart;

/* Zeros are fine. */
typedef struct ZwDeriveDef {
  ZwDeriveForm form;
  int32_t parts; /* of ZwDerivePart */
  /* Coordinates, counted from 0, whose accelerations the partition makes dependent, as many as the rank; default NULL: those of
   * coordinates without mass, then the first ones that are independent. */
  const int32_t* eliminate;
  int32_t eliminate_count;
  const int32_t* order; /* columns the recursion begins with; default NULL: the first ones that are independent */
  int32_t order_count;
  const char*
      letters; /* "uk98", "bg99", "ku93", "l96" or "u96": names quantities as that paper does; default NULL: our own */
} ZwDeriveDef;

typedef struct ZwDerivePage {
  char* text;        /* NULL: see the status */
  int32_t rank;      /* of the constraints; -1: nothing needed it */
  int32_t dependent; /* of `eliminate` or `order`: the coordinate whose column depends on those before it; -1 */
} ZwDerivePage;

/* What to export. Fill with zw_default_export_def(). */
typedef struct ZwExportDef {
  uint32_t cookie, def_size; /* set by zw_default_export_def() */

  const char* prefix; /* of all names in C: an identifier; default NULL: made from the name of the model */
  const char* header; /* how the source includes its header; default NULL: "<prefix>.h" */
  bool compact;       /* a shorter file, whose solve is dense and several times slower; default false */
} ZwExportDef;

/* A model as C: texts that end in 0 and belong to the caller (zw_text_free), and what is in them. */
typedef struct ZwExport {
  char *source, *header;
  int32_t parameters, outputs;
  int64_t operations; /* of M, h, A and b together */
} ZwExport;

/* A `plot` statement: columns that are drawn together. */
typedef struct ZwPlot {
  const int32_t* columns;   /* numbers of columns of the rows */
  const char* const* names; /* of the curves, as the user wrote them */
  int32_t count;
  int32_t against;          /* the column of the axis below; 0: the time */
  const char* against_name; /* "t" */
  bool is_equal;            /* both axes measure components of one vector: they have one scale */
} ZwPlot;

/* What a `draw` statement shows. Its numbers are, in this order: */
typedef enum ZwDrawKind {
  ZW_DRAW_LINE,   /* two points or more */
  ZW_DRAW_SPRING, /* two points */
  ZW_DRAW_POINT,  /* a point */
  ZW_DRAW_CIRCLE, /* the centre, the radius; in space also the axis, which is 0 for a ball */
  ZW_DRAW_BOX,   /* the centre, width, height, angle; in space width, height, depth, unit vectors along the first two */
  ZW_DRAW_ARROW, /* two points */
  ZW_DRAW_TRAIL, /* a point, which leaves a line behind */
  ZW_DRAW_GROUND, /* two points or more; the ground is on the right of them who go along */
  ZW_DRAW_TEXT    /* a point; then a number to be shown behind the text, if there is one more */
} ZwDrawKind;

/* A number of a shape. */
typedef struct ZwDrawNumber {
  int32_t column; /* of the row that holds it; -1: it is always `value` */
  double value;
} ZwDrawNumber;

typedef struct ZwDraw {
  ZwDrawKind kind;
  int32_t dim;                 /* of its points: 2 or 3 */
  int32_t point_count;         /* the first dim * point_count numbers are points */
  const ZwDrawNumber* numbers; /* all of them */
  int32_t count;
  const char* text;      /* of a text; else "" */
  const char* colour;    /* a name of src/base/colour.c, or "#rrggbb"; NULL: none was asked for, */
  int32_t colour_number; /* or it was asked for by this number, from 1; 0: it was not */
} ZwDraw;

typedef enum ZwStage { ZW_STAGE_TEXT, ZW_STAGE_MODEL, ZW_STAGE_EQUATIONS, ZW_STAGE_KERNEL } ZwStage;

/* What a contact is from a time on, or that it is hit then. */
typedef enum ZwContactWhat {
  ZW_CONTACT_OPEN,
  ZW_CONTACT_CLOSED,
  ZW_CONTACT_STICKS,
  ZW_CONTACT_SLIPS,
  ZW_CONTACT_HIT
} ZwContactWhat;

typedef struct ZwContactEvent {
  double t;
  int32_t contact; /* its number */
  ZwContactWhat what;
  /* of a hit, else 0: */
  double impulse;     /* across the gap */
  double friction[2]; /* the impulse of friction along the slip; a slip of one direction has one */
  double lost;        /* energy */
  double theta; /* gaps open at the rate theta e |u| where they closed at u, with the restitution e; 0: none bounces */
  double wall_work; /* done by a gap or slip that itself depends on time, as a wall that moves */
} ZwContactEvent;

/* How to run. Fill with zw_default_run_def(); NaN means "as the model says, or the language's default". */
typedef struct ZwRunDef {
  uint32_t cookie, def_size; /* set by zw_default_run_def() */

  double to;    /* end time; default NaN */
  double every; /* time between rows; default NaN: as the model says, else a 500th of the run */
  double
      tolerance; /* local error <= tolerance (|y| + size), docs/numerics.md; default NaN: as the model says, else 1e-8; >= 1e-13 */
  /* Which equations give the accelerations: default "auto"; zw_formulation_text lists the names. */
  const char* formulation;
  /* Coordinates, from 0, whose accelerations the formulation "gibbs-appell" eliminates: as many as constraints are independent; default none: the
   * largest columns at every instant. Where they cannot be eliminated at the start the run is refused, with ZW_ERR_VALUE; where the motion comes
   * to such a place it ends. They need not outlive zw_run_create. */
  const int32_t* eliminate;
  int32_t eliminate_count;
  /* What moves: default NULL, as the model says, else "auto"; zw_integrator_text lists the names. */
  const char* integrator;
  double step;          /* of an integrator with a fixed one; default NaN: as the model says */
  bool conserve_energy; /* project velocities onto the energy of the start; for conservative models; default false */
  bool forces;          /* rows have the forces of the constraints: zw_run_column names them; default false */
  bool evidence;        /* rows end with |phi|, |phi'|, the energy and the work done; default false */
  /* Numbers in place of the model's, so that one model serves many runs; default none. A run with a parameter changed is, bit by
   * bit, that of a model compiled with it in `sets`. A parameter that sizes arrays and loops cannot be changed here, nor so that an `if`
   * which was decided when the model was built comes out otherwise: ZW_ERR_ARGUMENT, and is_other_model of the report. They need not
   * outlive zw_run_create. */
  const ZwRunChange* changes;
  int32_t change_count;
  /* What the rows are to be differentiated by: parameters ("m"), start values ("start.x", "start.x'"); default none. Rows then end with the
   * derivatives of every column but t by each of them in turn, which zw_run_column calls "d(x)/d(m)". Parameters that decide what the
   * model is made of cannot be varied: ZW_ERR_ARGUMENT. They need not outlive zw_run_create. */
  const char* const* sensitivity;
  int32_t sensitivity_count;
  /* The run records its path, so that zw_run_gradient can go back along it: what `sensitivity` names is then what a gradient is by, all
   * parameters and typed start values if it names nothing, and rows have no derivatives. Default false. */
  bool gradient;
  bool dense; /* full matrices also where M and A have few entries, as zw_run_compare needs them; default false */

  /* A force that the host computes: adds to Q what acts on the coordinates, in their order. false: it has no value there, and the
   * step is tried again with a shorter one. It depends on nothing but t, q and v, until zw_run_to has returned: the same state may be asked for
   * often, and in any order. NULL: there is none. */
  bool (*force)(void* context, double t, const double* q, const double* v, double* Q);
  /* Adds its derivatives, n x n and row-major; for implicit integrators. NULL: differences are taken. */
  bool (*force_slope)(void* context, double t, const double* q, const double* v, double* by_q, double* by_v);
  /* The constraints of ZwCompileDef.constraints. v is zero where only positions are asked for. The rest as for forces. */
  bool (*constraints)(void* context, double t, const double* q, const double* v, const ZwHostRows* rows);

  /* A row of numbers in the order of zw_run_column. A status other than ZW_OK ends the run with that status. */
  ZwStatus (*row)(void* context, const double* values);
  /* Called before the two rows of an event, that before and that after it, with its name, and behind them with "". */
  void (*event)(void* context, double t, const char* name);
  /* Called for every contact at the begin of the run with what it is, then whenever it is hit or becomes something else.
   * NULL: never. */
  void (*contact)(void* context, const ZwContactEvent* event);
  /* Called after every step; false ends the run as interrupted. NULL: never asked. */
  bool (*poll)(void* context, double t);
  void* context;
} ZwRunDef;

/* How one number where the run is depends on many. Where the run has stopped at an event, that happens at another time when they change,
 * and the number is the one there. */
typedef struct ZwGradient {
  const char* of;
  double t, value;
  int32_t count;
  const char* const* by;     /* "m", "start.x" */
  const double* at;          /* their values */
  const double* derivatives; /* d(of)/d(by) */
} ZwGradient;

/* Room for the equations M a = h + A^T lambda, A a = b of n coordinates and m rows, row-major, where m is m_all of the report: a contact
 * has rows too, whose multipliers are 0 while it is open. NULL: not wanted. */
typedef struct ZwEvaluation {
  double *M, *h, *A, *b; /* n x n, n, m x n, m */
  double *phi, *psi;     /* m: residuals of positions and velocities, 0 where a row has none */
  double *a,
      *lambda; /* n, m: accelerations; multipliers as reaction(..) has them, the smallest where they are not unique */
  double* Qc;  /* n: the force of the constraints, A^T lambda */
  double *a_by_q, *a_by_v; /* n x n: derivatives of the accelerations; constraints of the host count as if straight */
} ZwEvaluation;

/* A typed start value that had to move to satisfy the constraints. */
typedef struct ZwMove {
  const char* name; /* of the coordinate, with ' for a velocity */
  double from, to;
} ZwMove;

/* Where a motion is linearized. */
typedef enum ZwLinearizeAt {
  ZW_LINEARIZE_AUTO,        /* an equilibrium if the start is at rest, else a steady motion */
  ZW_LINEARIZE_EQUILIBRIUM, /* the one that is found from the present positions */
  ZW_LINEARIZE_STEADY, /* the steady motion that is found from the present state: one along a symmetry of the equations */
  ZW_LINEARIZE_PRESENT /* the state where the run is, whatever it does there */
} ZwLinearizeAt;

/* What to linearize. Fill with zw_default_linearize_def(). */
typedef struct ZwLinearizeDef {
  uint32_t cookie, def_size; /* set by zw_default_linearize_def() */

  ZwLinearizeAt at;
  const double* near_q; /* n: begin the search at these positions; NULL: where the run is */
  const char* const*
      inputs; /* parameters that act on the motion, for input_matrix; none of them may move a constraint */
  int32_t input_count;
  bool has_outputs; /* output_matrix and direct_matrix are wanted */
  /* A steady motion may be one that has other velocities than the start values: without it, one that moved a velocity that was given by
   * more than a tenth of the largest given one is an error. */
  bool anywhere;
} ZwLinearizeDef;

typedef enum ZwEigenmodeKind {
  ZW_MODE_UNSTABLE,
  ZW_MODE_UNDAMPED, /* an oscillation whose real part is zero to rounding */
  ZW_MODE_STABLE,
  ZW_MODE_NEUTRAL, /* a zero that no symmetry explains: the border of stability, or a family of equilibria */
  ZW_MODE_SYMMETRY, /* belongs to symmetries: a zero, since nothing pulls back, by nature; or a turn of the frame that moves along */
  ZW_MODE_STUCK /* a zero since friction holds: it would slip, and does not */
} ZwEigenmodeKind;

/* One eigenvalue; each of a pair has its own. */
typedef struct ZwEigenmode {
  double re, im;
  ZwEigenmodeKind kind;
  const double *shape_re,
      *shape_im; /* n: the coordinates in this motion, the largest is 1; in the frame that moves along */
} ZwEigenmode;

/* The motion near a state, on the tangent space of the constraints. Belongs to the run. */
typedef struct ZwLinearization {
  ZwLinearizeAt at; /* what it is; never AUTO */
  double t;
  int32_t n, m;
  const double *q, *v, *a;              /* n: the state */
  const double* reactions;              /* m: multipliers there */
  const char* const* row_names;         /* m: of the constraints */
  double residual;                      /* of the equations of a steady state, relative */
  int32_t iterations;                   /* that found it */
  double way;                           /* how far the search moved, as a part of the size of what it moved most: */
  int32_t way_index;                    /* that coordinate, or n and more: that velocity, */
  double way_from;                      /* and what it was */
  int32_t move_count;                   /* values of the start that the search moved, and */
  const ZwMove* moves;                  /* which they are; velocities with a ' after their names */
  int32_t contact_count;                /* of the model, */
  const ZwContactWhat* contacts;        /* what each of them is at the state, */
  const char* const* contact_names;     /* and their names */
  int32_t held_count;                   /* signs that friction holds at zero, */
  const char* const* held_names;        /* and how they are written */
  int32_t corner_count;                 /* switches (if, abs, min, max, sign) at whose border the state lies, */
  const char* const* corner_names;      /* and contacts that touch without force: the modes are those of one side */
  const double* sizes;                  /* n: what the search took for the size of each coordinate */
  int32_t freedom;                      /* of the equilibria around it: 0, it stands alone; -1 if it is none */
  int32_t position_rows, velocity_rows; /* independent ones: their zeros (twice, and once, each) are left out */
  int32_t symmetries;                   /* eigenvalues that belong to symmetries */
  int32_t count;                        /* eigenvalues */
  const ZwEigenmode* modes;             /* unstable ones first, those of symmetries and of friction last */
  /* x' = A x + B u, y = C x + D u: x are coordinates of the tangent space, u changes of the inputs, y those of the run's columns */
  const double* matrix; /* A: count x count */
  const double*
      basis; /* count x 2 n: row i is the change (dq, dv) of the state with x_i; in the frame that moves along */
  const double* projection;   /* count x 2 n: row i gives x_i of a change (dq, dv) that the constraints allow */
  const double* input_matrix; /* B: count x input_count */
  /* C: zw_run_column_count x count; NULL: not asked for, as the next; columns of evidence have none: NaN */
  const double* output_matrix;
  const double* direct_matrix; /* D: zw_run_column_count x input_count */
} ZwLinearization;

/* Many runs, which zw_ensemble_go moves. Fill with zw_default_ensemble_def(), then set both functions. */
typedef struct ZwEnsembleDef {
  uint32_t cookie, def_size; /* set by zw_default_ensemble_def() */

  /* The next run, created and not begun; NULL: there is none now. Asked again whenever one has ended. */
  ZwRun* (*next)(void* context);
  /* It has ended with this status, which zw_run_go would have given; it is the caller's again. */
  void (*done)(void* context, ZwRun* run, ZwStatus status);
  void* context;
} ZwEnsembleDef;

/* A column of a motion: a coordinate ("crank.phi"), its velocity ("crank.phi'") or acceleration ("crank.phi''"). */
typedef struct ZwMotionColumn {
  const char* name;     /* UTF-8, composed or not */
  const double* values; /* one for each time */
} ZwMotionColumn;

/* A motion, and what is to make it. Fill with zw_default_forces_def(), then set t, rows and columns; 0 in the place of a number is the
 * usual. Nothing of it is kept. */
typedef struct ZwForcesDef {
  uint32_t cookie, def_size; /* set by zw_default_forces_def() */

  const double* t; /* ascending; at least 5 */
  int32_t rows;
  /* Coordinates that the constraints determine from the others may be missing. Velocities and accelerations are used where they are
   * given, else estimated from the rows around. Columns of other names are not used, and listed in the answer. */
  const ZwMotionColumn* columns;
  int32_t column_count;
  const char* const* by; /* coordinates on which forces may act; NULL: all */
  int32_t by_count;
  double within;    /* how far it may be off the constraints, of sizes and largest values of coordinates; 0: 1e-6 */
  double every;     /* time between rows of the answer; 0: so that the spline of `table` through them is right to: */
  double tolerance; /* as part of the forces at work; 0: 1e-11 */
} ZwForcesDef;

/* A force on one coordinate over the motion. It is compared with the forces at work: the largest in the balance of its coordinate, or as
 * large a force, by the masses, as acts on any. */
typedef struct ZwActuator {
  const char* name;
  int32_t coordinate;
  double largest, t_largest; /* in size, with its sign, and when */
  double part;               /* of the forces at work */
  double rms;                /* over time */
  double power, t_power;     /* force times velocity: the largest in size, with its sign, and when */
} ZwActuator;

/* What the actuators cannot provide on one coordinate. */
typedef struct ZwMissingForce {
  const char* name;
  int32_t coordinate;
  double largest, t_largest; /* in size, with its sign, and when */
  double part;               /* of the forces at work */
} ZwMissingForce;

/* How far the motion that was given is off the constraints at most. */
typedef struct ZwMotionOff {
  double size; /* of the size and the largest value of the coordinate */
  double t;
  int32_t coordinate;
} ZwMotionOff;

/* The forces that make a motion. Rows are row-major. Belongs to the run. */
typedef struct ZwForces {
  int32_t n, m, count;          /* coordinates, rows of the model's own constraints, actuators */
  int32_t rows;                 /* times */
  bool is_full;                 /* forces on all coordinates, since none were named */
  const double* t;              /* rows */
  const double *q, *v, *a;      /* rows x n: the motion, on the constraints */
  const double* force;          /* rows x count */
  const double* missing;        /* rows x n: what they cannot provide, as a force on the coordinates */
  const double* reaction;       /* rows x m: multipliers of the model's own constraints beside these forces */
  const char* const* row_names; /* m */
  const ZwActuator* actuators;  /* count */
  const ZwMissingForce* lacks;  /* those larger than `within` of the forces at work, the largest part first */
  int32_t lack_count;
  double missing_part; /* the largest part of all, also where it is nothing but the accuracy of the motion */
  /* Accelerations that were estimated from the rows: how sure they are, of the largest; coordinate -1: all were given. */
  ZwMotionOff doubt;
  ZwMotionOff off[3]; /* positions, velocities, accelerations */
  double
      spline_off; /* between rows the spline of `table` is off a force by so much at most, as a part of those at work, */
  double t_spline_off;      /* and when */
  bool is_from_start;       /* the motion begins at the start of the run, to 1e-10 */
  const char* const* found; /* coordinates that were not given and follow from the constraints */
  int32_t found_count;
  const char* const* unused; /* columns that were not used */
  int32_t unused_count;
} ZwForces;

/* A text that a model was made from. */
typedef struct ZwModelText {
  const char* name; /* as messages call it */
  const char* text;
  size_t size; /* bytes */
} ZwModelText;

/* A parameter or memory of the model, at the begin of a run. */
typedef struct ZwParameter {
  const char* name;
  double value;
} ZwParameter;

/* Redundant constraints share their load: their multipliers are not unique. */
typedef struct ZwSharedLoad {
  const char* const* names; /* of the constraints that share it */
  int32_t count;
  int32_t freedom;           /* how many numbers may be chosen freely */
  const char* const* unique; /* combinations of the multipliers that do not depend on the choice, as "a + 2*c" */
  int32_t unique_count;
} ZwSharedLoad;

/* Whether the evidence of a run speaks for it. */
typedef enum ZwVerdict {
  ZW_VERDICT_NONE, /* it has not begun, has ended with an error, or was interrupted */
  ZW_TRUSTED,
  ZW_DOUBTFUL, /* for the reasons in `doubts`; a claim of the model that does not hold is one */
  ZW_REFUSED   /* its energy is not accounted for: zw_run_go answers ZW_ERR_DOUBT at its end */
} ZwVerdict;

/* A reason to doubt the result of a run. */
typedef struct ZwDoubt {
  const char* about;  /* one word: "energy", "oscillation", "constraints", "events", "start", "claims", ... */
  const char* reason; /* a sentence */
  const char* remedy; /* what to do about it; "" if nothing is known */
} ZwDoubt;

/* What events of one name gave in all; negative: took. */
typedef struct ZwEnergyShare {
  const char* name;
  double energy;
  int64_t count;
} ZwEnergyShare;

/* What became of a claim of the model: the row at which it fails most, or is nearest to that. NaN before the first row. */
typedef struct ZwClaimReport {
  const char* name; /* as written, with the path of its part; of one without a name "line 7" */
  bool holds;       /* at all rows so far */
  double worst;     /* |left - right|, or by how much an inequality is exceeded: negative where it is not */
  double
      allowed; /* that may be so much: as stated with `within`, else 1e-9 of the largest term of both sides, before terms cancel */
  double t, left, right; /* when, and the two sides then */
} ZwClaimReport;

/* How it went: the evidence. */
typedef struct ZwReport {
  int32_t n, m;             /* coordinates, constraint rows */
  int32_t m_all;            /* rows of zw_run_evaluate: those of the constraints and of the contacts */
  int32_t waiting;          /* of those rows, how many are not there at the start (`while`) */
  int32_t contacts, closed; /* contacts, and how many are closed at the start */
  const char* contact_law;  /* by which they are hit and rub, in words */
  int64_t impacts;
  int32_t rank, dof; /* independent rows, degrees of freedom n - rank (at the start) */
  double from, to, every, tolerance;
  double span;  /* to - from, with digits that `to` may have lost far from zero */
  double since; /* t - from, likewise */
  double step;  /* of an integrator with a fixed one; NaN */
  const char* formulation;
  bool is_sparse; /* the solve uses that M and A have few entries */
  size_t memory;  /* bytes of the run's numbers */
  const char* integrator;
  const char* kernel; /* what computed the equations: "native" or "interpret" */
  double t;           /* time reached */
  bool has_begun;     /* false: refused before the first row */
  bool
      is_other_model; /* refused, since what ZwRunDef.changes asks for is made of other things: compile it with `sets` */
  int64_t steps, rejected, evaluations, rows;
  int64_t jacobians;    /* derivatives of the accelerations that an implicit integrator took */
  double stiff_from;    /* where the integrator auto found the motion stiff and went over to radau; NaN: nowhere */
  int64_t events;       /* that happened */
  bool is_stopped;      /* a `stop when` ended the run before its time */
  double energy_events; /* what events gave in all; negative: took */
  const ZwEnergyShare*
      energy_shares; /* the same by the names of the events, as rows have them; of contacts that were hit by theirs */
  int32_t energy_share_count;
  int64_t energy_event_count;     /* events that gave or took something */
  int64_t singular;               /* singular positions that the motion passed */
  double phi_max;                 /* largest position-level residual |phi| at steps and rows */
  double phidot_max;              /* largest velocity-level residual |phi'| */
  bool is_projected_late;         /* the integrator's states are put onto the constraints at rows and events only, */
  double phi_drift, phidot_drift; /* and these are their largest residuals before that; 0 otherwise */
  bool is_conservative; /* no work is done: E - E0 is what events gave, and else error; otherwise E - E0 - W is */
  bool is_energy_held;  /* by projection: its drift is no evidence */
  double energy_start;  /* E0 = v . dL/dv - L */
  /* of the worst of all groups of coordinates that terms, constraints or contacts join (docs/design/verdict.md) */
  double energy_off;       /* max |E - E0 - W - what events gave| over the run, also at rows with evidence */
  double energy_exchanged; /* largest of kinetic energy, range of the potential, work, and what events gave and took */
  double energy_drift; /* energy_off / energy_exchanged; by what is exchanged in the mean, where that is what counts */
  double energy_allowed;     /* what the tolerance allows energy_off to be; the verdict doubts a hundred times that */
  double work;               /* largest |W| done by forces and constraints; 0 when conservative */
  int32_t guess_count;       /* guesses inside parts that moved */
  bool has_energy;           /* false: a Gibbs function's energy is unknown */
  const ZwParameter* varied; /* what ZwRunDef.sensitivity names, with its value: of a parameter, or as typed */
  int32_t varied_count;
  double
      sensitivity_drift; /* how far columns of derivatives were off their constraints, the largest part of their size */
  int64_t sensitivity_steps, sensitivity_evaluations; /* their own; those of the motion are without them */
  const ZwMove* moves;
  int32_t move_count;
  const ZwMove*
      guesses; /* those that moved by more than a hundredth of the size of the mechanism: of the spread of all coordinates */
  int32_t guesses_far;          /* of that name in the model, before and after */
  const char* const* redundant; /* names of constraints that follow from others */
  int32_t redundant_count;
  const ZwSharedLoad* shared;
  int32_t shared_count;
  const char* const*
      guessed_sizes; /* coordinates of which nothing told how large they are, where the start depends on it */
  int32_t guessed_size_count;
  ZwVerdict verdict; /* so far; final when the run has ended */
  const ZwDoubt* doubts;
  int32_t doubt_count;
  const ZwClaimReport*
      claims; /* in the order of the text; zw_run_go answers ZW_ERR_CLAIM at its end if one does not hold */
  int32_t claim_count;
} ZwReport;

/* One formulation beside the others. */
typedef struct ZwFormulationReport {
  const char* name;
  bool applies;       /* at every instant looked at */
  const char* reason; /* why it does not, a sentence; "" */
  double
      difference; /* largest |a - a of auto| as a part of the largest acceleration, free or constrained, at the instant */
  double residual;   /* of A a = b, the largest, relative */
  double optimality; /* |Z^T Qc|, the largest, relative */
  double gaussian;   /* at the first instant; NaN where no free acceleration exists, M being singular */
  double seconds;    /* one solve, on average; NaN without a clock */
} ZwFormulationReport;

/* ---- what the papers print beside an answer (docs/papers.md) ---- */

/* Which parts are wanted; they are added up. Only what is asked for is computed. */
typedef enum ZwDetailPart {
  ZW_DETAIL_FORCES = 1,    /* everything of ZwLeastDetail itself */
  ZW_DETAIL_PARTITION = 2, /* the explicit Gibbs-Appell equations */
  ZW_DETAIL_BELLMAN = 4,   /* the Bellman-Gauss recursion */
  ZW_DETAIL_POSSIBLE = 8,  /* what another acceleration costs */
  ZW_DETAIL_ALL = 15
} ZwDetailPart;

/* What is asked. Zeros are fine: nothing is. Coordinates are counted from 0. */
typedef struct ZwDetailDef {
  int32_t parts; /* of ZwDetailPart */
  /* Coordinates whose accelerations the partition eliminates, as many as the rank; default NULL: the largest columns. */
  const int32_t* eliminate;
  int32_t eliminate_count;
  /* Columns the recursion begins with; the others follow as they stand. Default NULL: the largest. */
  const int32_t* order;
  int32_t order_count;
  const double* possible; /* n: an acceleration to look at, NaN where it is not stated; needed for ZW_DETAIL_POSSIBLE */
  /* n: a virtual displacement for ZW_DETAIL_PARTITION, NaN where it is not stated, which is 0. Those of eliminated coordinates follow from the others
   * and cannot be stated. Default NULL: none. */
  const double* displacement;
  /* D, X, W and gain are left out, which cost most where there are many coordinates. Not beside ZW_DETAIL_POSSIBLE. Default false */
  bool vectors_only;
} ZwDetailDef;

/* The explicit Gibbs-Appell equations K ai = right (UK98 18, 37; U96 25-27). r = rank, f = n - r. */
typedef struct ZwPartitionDetail {
  int32_t r, f;
  const int32_t *e, *i;    /* r and f coordinates: those eliminated, the others */
  const double *Ae, *Ai;   /* m x r, m x f */
  const double *R, *K;     /* r x f: Ae^+ Ai; f x f */
  const double *P, *right; /* f: hi - R^T he; P + (R^T Mee - Mie) c */
  const double* c;         /* r: Ae^+ b */
  const double* S1;        /* f: S(ai) = 1/2 ai^T K ai + S1.ai + S0 */
  double S0;
  const double* K_eigenvalues; /* f, ascending */
  double det;                  /* of Ae^T Ae */
  bool is_uncoupled;           /* Mei = 0: UK98 (37) is (18) */
  /* The virtual displacement that was asked for: f numbers, and what follows, r: nu_e = -R nu_i; its work nu_i^T P (UK98 16, 17). NULL, NaN: none */
  const double *nu_i, *nu_e;
  double work;
} ZwPartitionDetail;

/* Bellman's quantities (BG99 9-33). Columns are in `order`; what belongs to column k counts from r, or from r + 1. */
typedef struct ZwBellmanDetail {
  int32_t r;
  const int32_t* order;       /* n */
  const double* C;            /* m x n: A M^(-1/2) */
  const double* R;            /* (n - r + 1) x m x m: R_k, k = r .. n */
  const double *beta, *kappa; /* (n - r) x m: k = r + 1 .. n */
  const double* feedback;     /* n x n: entry k n + j is what y_k takes of y_j, j > k */
  const double* d;            /* (n - r + 1) x m: d_k, k = r .. n */
  const double* y;            /* n */
  const double *g, *gdrop;    /* n - r + 1: g_k(d); n - r: what releasing column k is worth */
  const double* excess;       /* n - r: how much more it costs beside y_k, at least (BG99 9) */
} ZwBellmanDetail;

/* Another acceleration beside that of the motion (KU93 7-20). */
typedef struct ZwPossibleDetail {
  const double *a, *nearest; /* n: it, completed where it was not stated; the nearest one that satisfies the rows */
  const double* residual;    /* m: A a - b */
  double G, G_nearest;       /* NaN where M has no inverse */
  double distance2, work,
      excess;        /* 1/2 (a - actual)^T M (a - actual), Qc^T (a - actual), and their sum: G - G(actual) */
  double S;          /* 1/2 a^T M a */
  bool is_completed; /* accelerations that were not stated satisfy the rows */
  bool is_minimum;   /* they have the least G; otherwise it is only stationary (T21) */
} ZwPossibleDetail;

/* Kinds of generalized inverses that a caller may state (UK98 24-26, KU93 21-30). ORDER INVERSE */
typedef enum ZwInverseKind {
  ZW_INVERSE_NONE,
  ZW_INVERSE_C14, /* n x m: C G C = C, (G C)^T = G C with C = A M^(-1/2) */
  ZW_INVERSE_D1,  /* m x m: D G D = D with D = A M^-1 A^T; lambda is G d then */
  ZW_INVERSE_A1,  /* n x m: A G A = A */
  ZW_INVERSE_H13  /* n x n: H G H = H, (H G)^T = H G with H = M^(1/2) (1 - A- A) */
} ZwInverseKind;

/* Numbers of one problem M, h, A, b with n coordinates and m rows. Matrices are row-major; they live as long as the call that gave them says.
 * NULL: not asked for. */
typedef struct ZwLeastDetail {
  int32_t n, m, rank;
  bool is_definite;    /* M is positive definite; otherwise the recursion is absent */
  bool is_indefinite;  /* M has a negative eigenvalue */
  bool is_regular;     /* M has an inverse; otherwise a0, d, D and G are absent */
  bool is_minimum;     /* G is least at a; otherwise it is only stationary there (T21) */
  const int32_t* rows; /* rank: independent rows J */
  const double* E;     /* m x rank: A = E A_J */
  const double *M, *h, *A, *b;
  const double *a0, *d, *D;                   /* n, m, m x m: M a0 = h, b - A a0, A M^-1 A^T */
  const double *a, *a_b, *a_h;                /* n: a = a_b + a_h, linear in b and in h */
  const double *Qc, *Qc_b, *Qc_h;             /* n */
  const double *lambda, *lambda_b, *lambda_h; /* m: the smallest */
  const double *X, *W,
      *gain;   /* n x n: the projector on the null space of A along M; m x m: that of A^T; n x m: M^(-1/2) C^+ */
  double G, S; /* Gaussian, of either sign where M is indefinite; 1/2 a^T M a */
  ZwPartitionDetail partition;
  ZwBellmanDetail bellman,
      chain; /* with the symmetric root of M; with its Cholesky factor, where y_k holds a_k .. a_n only */
  ZwPossibleDetail possible;
} ZwLeastDetail;

/* The frame of the free velocities at an instant (T16): v = B nu + r, a = B nu' + c, and the restricted Gibbs function
 * 1/2 nu'^T K nu' - p^T nu' + constant, whose stationary point K nu' = p is the motion. Row-major. */
typedef struct ZwFrameReport {
  double t;
  bool is_stated;             /* nu are the model's quasi-velocities; false: a frame carried along the motion */
  int32_t n, f;               /* coordinates, free velocities */
  const double *q, *v;        /* n: the state */
  const double *nu, *nu_rate; /* f */
  const double *B, *r, *c;    /* n x f, n, n */
  const double *K, *p;        /* f x f, f */
  const double* P;            /* f: B^T h, the force of virtual work on the free velocities (T14) */
  double S;                   /* 1/2 a^T M a, the kinetic energy of acceleration (T14) */

  const ZwLeastDetail* detail; /* what `detail` of ZwCompareDef asked for; NULL: nothing. Lives as long as the call */
  const char* const* rows;     /* detail->m: the constraint that each row of A belongs to */
  const double *X_L, *Q;       /* n: the motion without forces, M X_L = h - Q, and the forces */
  double constant, G_L;        /* 1/2 X_L^T M X_L; the Gibbs function at a. NaN where M has no inverse, as X_L */
  double G_L_possible;         /* and at the acceleration that was asked for */
  double G_L_constant_part;    /* and at a = c: what the restricted Gibbs function has without rates of nu */
  double kinetic;              /* 1/2 v^T M v */
} ZwFrameReport;

/* What to compare. Fill with zw_default_compare_def(). */
typedef struct ZwCompareDef {
  uint32_t cookie, def_size; /* set by zw_default_compare_def() */

  const double* times; /* ascending, within the run; default NULL: the start and ten more to the end */
  int32_t count;
  double (*clock)(void); /* seconds from anywhere, for the cost of a solve; default NULL */
  /* Called with the frame at every instant; default NULL. */
  ZwStatus (*frame)(void* context, const ZwFrameReport* frame);
  void* context;
  ZwDetailDef detail; /* what else frames hold; default nothing */
  /* No formulation but auto is solved, and those in quasi-velocities if the model states any: for frames alone, which cost much less. The
   * others do not apply, for that reason. Default false */
  bool frames_only;
} ZwCompareDef;

/* What the parts of a run cost, in seconds. */
typedef struct ZwCosts {
  double kernels;    /* M, h, A and b of one state */
  double evaluation; /* accelerations of one state: the kernels and the solve */
  double projection; /* of one state that is on the constraints already; 0 without constraints */
  double run;        /* the whole run */
} ZwCosts;

#endif
