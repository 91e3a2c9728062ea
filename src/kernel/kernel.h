/* What the kernel stage hands on: every shape as tapes that an interpreter runs over lanes of instances.
 *
 * A shape has one tape per entry (what can be asked for at a state) over t, q, v, a, and one set-up tape over slots
 * alone. What depends on parameters and literals only is computed by the set-up tape, once per parameter change, and
 * read by the entries as per-instance constants.
 *
 * Register layout of a tape: literals, then inputs and temporaries, each register ZW_LANES doubles wide. */
#ifndef ZW_KERNEL_KERNEL_H
#define ZW_KERNEL_KERNEL_H

#include "equations/equations.h"

enum { ZW_LANES = 64 }; /* instances per instruction: a tenth of the cost of one at a time */

typedef struct ZwInstr {
  ZwOp op;
  int32_t dst, a, b, c; /* registers */
} ZwInstr;

typedef enum ZwInputKind {
  ZW_INPUT_TIME,
  ZW_INPUT_COORD,
  ZW_INPUT_VELOCITY,
  ZW_INPUT_ACCELERATION,
  ZW_INPUT_REACTION,
  ZW_INPUT_SLOT,    /* set-up tape: a parameter or literal of the instance */
  ZW_INPUT_CONSTANT /* entry tapes: a value of the set-up tape */
} ZwInputKind;

typedef struct ZwInput {
  ZwInputKind kind;
  int32_t index, dst;
  uint32_t mark;
} ZwInput;

typedef struct ZwLiteral {
  double value;
  int32_t dst;
} ZwLiteral;

typedef struct ZwTape {
  ZW_ARRAY(ZwInstr) code;
  ZW_ARRAY(uint32_t) marks; /* per instruction: form node + 1 */
  ZW_ARRAY(ZwInput) inputs;
  ZW_ARRAY(ZwLiteral) literals;
  ZW_ARRAY(int32_t) outputs; /* registers */
  int32_t registers;
} ZwTape;

typedef struct ZwKernel {
  const ZwShape* shape;
  ZwTape setup;
  ZwTape tapes[ZW_ENTRY_COUNT];
  int32_t constants;         /* outputs of the set-up tape */
  ptrdiff_t constants_begin; /* of this kernel in the constants of the program */
  ZwEntry bent;              /* the entry that drives the motion: accelerations; events, of a coefficient of friction */
  ZW_ARRAY(int32_t) bends;   /* instructions of that entry that can be narrow (bends.c) */
  int32_t* scatter[ZW_ENTRY_COUNT]; /* instances x outputs: index into the target */
  const int32_t* places;            /* of the outputs of the set-up tape, if not one behind the other */
} ZwKernel;

typedef struct ZwNative ZwNative;           /* kernel/native.h */
typedef struct ZwElimination ZwElimination; /* kernel/eliminate.h */

/* Where numbers lie in the one block that kernels add to and the elimination reads and writes. */
typedef struct ZwBlock {
  /* targets: zero before every evaluation of accelerations */
  int32_t M, A, hL, Q, b, power;
  int32_t targets; /* numbers so far */
  /* what the elimination is given */
  int32_t slack;    /* m: 0, or ZW_LEFT_OUT of a row that is left out */
  int32_t residual; /* m: r of a projection */
  int32_t scale;    /* m: sizes of the rows, in units of which they are measured */
  int32_t guess;    /* m and those of the start: a singular vector, which the measure makes better */
  /* what it gives */
  int32_t h, a, lambda, Qc, work;
  int32_t check; /* positive: all is well */
  int32_t mass_check, project_check;
  int32_t pivots, sizes; /* m: of the factors; of the rows in the metric of M */
  int32_t smallest;      /* singular value of the rows */
  int32_t dual;          /* n: M^-1 times the combination of rows that has it, */
  int32_t length;        /* times this */
  int32_t surety;        /* not negative: it is the smallest */
  int32_t measure_check;
  int32_t dx, impulse;
  int32_t size; /* with what its parts keep for each other */
} ZwBlock;

/* ORDER PARTS */
typedef enum ZwEliminatePart {
  ZW_ELIMINATE_MASS,
  ZW_ELIMINATE_FACTOR,
  ZW_ELIMINATE_SIZES,
  ZW_ELIMINATE_SOLVE,
  ZW_ELIMINATE_PROJECT,
  ZW_ELIMINATE_MEASURE,
  ZW_ELIMINATE_PARTS
} ZwEliminatePart;

typedef struct ZwProgram {
  ZwArena* arena;
  const ZwEquations* equations;
  ZwGraph graph; /* lowered expressions */
  ZW_ARRAY(ZwKernel) kernels;
  int32_t registers;   /* most of any tape */
  ptrdiff_t constants; /* of all kernels */
  bool is_M_constant;  /* it does not depend on t, q, v: accelerations leave it out, and zw_program_masses adds it */
  ZwBlock block;
  ZwElimination* elimination; /* NULL: there is none */
  ZwNative* native;           /* its machine code; NULL: the interpreter runs it */
  bool is_group;              /* its instances come in fours, one for each of four members (zw_program_group) */
} ZwProgram;

/* The numbers a program reads and writes. */
typedef struct ZwKernelState {
  double t;
  const ZwTables* tables;
  const double *q, *v, *a, *reactions;
  const double* values; /* parameters, then literals; set-up only */
  double* constants;    /* program->constants */
  double* registers;    /* program->registers * ZW_LANES */
  double* targets[ZW_TARGET_COUNT];
} ZwKernelState;

/* The stage. */
ZwStatus zw_compile_kernels(ZwArena* arena, const ZwEquations* equations, ZwProgram* program);

/* ---- group.c ---- */

enum { ZW_GROUP_FOUR = 4 };

/* The same program for four members of an ensemble at once. Number i of member l, of whatever array, stands at i stride + l, so
 * that a state whose pointers are moved on by four belongs to the next four members. Each has its own time: it is number `time`
 * of q. The tapes belong to the program; the rest is in the arena. */
ZwStatus zw_program_group(const ZwProgram* program, ZwArena* arena, int32_t stride, int32_t time, ZwProgram* group);

/* Recomputes the constants from the values. */
void zw_program_setup(const ZwProgram* program, const ZwKernelState* state);
/* Adds the contributions of an entry to the targets, those of one element behind those of another; the caller has zeroed
 * those it wants. */
void zw_program_run(const ZwProgram* program, ZwEntry entry, const ZwKernelState* state);

/* Adds M to its target, of a program whose M is constant; nothing otherwise. */
void zw_program_masses(const ZwProgram* program, const ZwKernelState* state);
/* Runs a part of the elimination; `values` and `constants` of its state are the block. */
void zw_program_eliminate(const ZwProgram* program, ZwEliminatePart part, const ZwKernelState* state);

/* Runs one element alone; its outputs are read with the next function, in the order of the shape's contributions. */
void zw_program_element(const ZwProgram* program, int32_t kernel, ZwEntry entry, int32_t instance,
                        const ZwKernelState* state);
double zw_program_element_output(const ZwProgram* program, int32_t kernel, ZwEntry entry, int32_t output,
                                 const ZwKernelState* state);

/* The residual of the equations of motion at fixed accelerations and multipliers,
 *
 *   r = (M a - h - Q - A^T lambda,  A a - b)        n + m numbers
 *
 * and its derivatives by q and by v: (n + m) x n numbers each, row by row. Every element is run once for each of its own
 * coordinates and velocities, on values and their rates of change together. */
typedef struct ZwJacobian {
  const double *a, *lambda;
  double *by_q, *by_v;
  double* rates; /* program->registers * ZW_LANES: scratch */
} ZwJacobian;

void zw_program_jacobian(const ZwProgram* program, const ZwKernelState* state, const ZwJacobian* jacobian);

/* Forces that are proportional to values of events, as friction is to its coefficient. */
typedef struct ZwPulls {
  const int32_t* of;   /* by values of events: the force of each, -1: none */
  const double* force; /* n numbers for each force: per unit of its value, */
  const double* size;  /* times this */
} ZwPulls;

/* Takes the derivatives of these forces from those of the residual. */
void zw_program_pulls(const ZwProgram* program, const ZwKernelState* state, const ZwJacobian* jacobian,
                      const ZwPulls* pulls);
/* The derivatives of psi by q alone, m x n; `rates` is scratch as above. */
/* How fast the values of events change at the rates dt, dq, dv of what they read, into `to`; `rates` is scratch as above. */
typedef struct ZwAlong {
  double dt;
  const double *dq, *dv;
} ZwAlong;

void zw_program_event_rates(const ZwProgram* program, const ZwKernelState* state, const ZwAlong* along, double* rates,
                            double* to);

void zw_program_velocity_slope(const ZwProgram* program, const ZwKernelState* state, double* rates, double* psi_q);

/* ---- rounding.c ---- */

typedef struct ZwRounding {
  const double* a; /* n: accelerations */
  double* errors;  /* program->registers: scratch */
  double* force;   /* n: what comes of it */
} ZwRounding;

/* By how much the forces on each coordinate, M a - h - Q, may be wrong by rounding. */
void zw_program_rounding(const ZwProgram* program, const ZwKernelState* state, const ZwRounding* rounding);
/* The same of momenta (ZW_TARGET_LV: n numbers) or of the energies of groups and of constants (ZW_TARGET_ENERGY: one more than groups); `errors` is scratch as there. */
void zw_program_rounding_of(const ZwProgram* program, const ZwKernelState* state, ZwTarget target, double* errors,
                            double* to);

/* ---- terms.c ---- */

typedef struct ZwTermSizes {
  double part;       /* of its size, by which an argument is moved to see what a function makes of it */
  double* sizes;     /* program->registers: scratch */
  double* constants; /* zw_program_constants_most: scratch */
  int32_t first;     /* value of the entry of outputs */
  double* to;        /* from that value on: the sizes */
} ZwTermSizes;

/* The sizes that the largest terms of outputs and claims have before they cancel; of a state with `values`. */
void zw_program_term_sizes(const ZwProgram* program, const ZwKernelState* state, const ZwTermSizes* terms);
/* The largest number of constants of one kernel. */
int32_t zw_program_constants_most(const ZwProgram* program);

/* ---- range.c ---- */

/* What lies between two numbers. */
typedef struct ZwRange {
  double low, high;
  bool is_rough; /* it may bend more between a few samples than they tell */
} ZwRange;

typedef struct ZwRangeState {
  double t_low, t_high;
  const double *q_low, *q_high, *v_low, *v_high;
  const double *a_low, *a_high, *reactions_low, *reactions_high; /* NULL: they may be anything */
  ZwRange* registers;                                            /* program->registers */
  ZwRange* events;                                               /* count: what comes of it */
  int32_t count;
} ZwRangeState;

/* The values of events where the state is between bounds. */
void zw_program_range(const ZwProgram* program, const ZwKernelState* state, const ZwRangeState* ranges);

/* ---- slant.c ---- */

/* What lies beside a straight line: value = tilt u + rest, with u from -1 at the start of an interval to 1 at its end. */
typedef struct ZwSlant {
  double low, high, tilt; /* of the rest */
} ZwSlant;

typedef struct ZwSlantState {
  ZwRangeState all, rest; /* of the state, and of what it differs by from straight lines; forces are not read */
  const double *q_tilt, *v_tilt;
  double t_tilt;
  ZwSlant* slants; /* program->registers */
} ZwSlantState;

/* The same as zw_program_range, by bounds that know which way the state goes: of bodies that go along together, differences are small. */
void zw_program_slant(const ZwProgram* program, const ZwKernelState* state, const ZwSlantState* slants);

/* ---- bends.c ---- */

/* An operation of accelerations or coefficients of friction that does much while its argument moves by a little, in one place, and hardly
 * anything elsewhere: the bell of exp(-x^2), the front of tanh(x), the hill of 1/(1 + x^2). What is narrower than the samples of a step can
 * lie between them. */
typedef struct ZwBend {
  int32_t kernel, instance, instr;
  bool
      is_peak; /* the argument of an exponential that becomes larger than at the ends; else one that comes near to zero */
  double at_ends; /* the largest of the argument there, or the least of its size */
} ZwBend;

/* Finds those operations of a kernel that can be one; its scatter is known. */
bool zw_kernel_find_bends(ZwArena* arena, const ZwEquations* equations, ZwKernel* kernel);
/* How many operations of a program can be one. */
int64_t zw_program_bend_count(const ZwProgram* program);
/* Those that may have done something between two states that neither shows, of bounds of the states between them; at most `room`.
 * `ranges` are the first state, the second (bounds that are equal) and the bounds; each with registers of its own. */
int32_t zw_program_bends(const ZwProgram* program, const ZwKernelState* state, const ZwRangeState ranges[3],
                         ZwBend* found, int32_t room);
/* Its argument between bounds. */
ZwRange zw_program_bend_argument(const ZwProgram* program, const ZwKernelState* state, const ZwRangeState* ranges,
                                 const ZwBend* bend);
/* How far an argument between bounds is at best from where most happens; and whether it moves so little within them that it is known. */
double zw_bend_distance(const ZwBend* bend, ZwRange argument);
bool zw_bend_is_resolved(const ZwProgram* program, const ZwBend* bend, ZwRange argument);
/* Whether an argument is much nearer there than at the ends. */
bool zw_bend_is_hidden(const ZwProgram* program, const ZwBend* bend, ZwRange argument);

/* ---- derived.c ---- */

/* A program made of another one: its derivatives. It has the same targets; `equations` are its own. */
typedef struct ZwDerived {
  ZwEquations equations;
  ZwProgram program;
  int32_t
      weights[ZW_TARGET_COUNT]; /* of a backward one: where those on each target begin behind q; -1: it reads none */
  int32_t weight_count;
} ZwDerived;

/* How everything that entries yield changes along a direction. Its state holds, one behind the other,
 *
 *   q (n), dq (n), dt;   v, dv;   a, da;   reactions and quantities, their changes;   values (parameters, literals), their changes. */
ZwStatus zw_derive_forward(const ZwProgram* program, ZwArena* arena, ZwDerived* derived);

/* The other way round: derivatives of a sum of what an entry yields, each with its weight, by all that it reads, at the cost of a few
 * evaluations. It reads q and behind it the weights, as the targets lie; it adds derivatives by q to target H, by v to target Q, by values to
 * target LV. Of positions it takes phi alone, of velocities psi alone, and it has no other entries than these and accelerations. */
ZwStatus zw_derive_backward(const ZwProgram* program, ZwArena* arena, ZwDerived* derived);
/* Gives its machine code back. */
void zw_derived_destroy(ZwDerived* derived);

/* Where a value stopped being finite. */
typedef struct ZwCulprit {
  bool is_found;
  const ZwShape* shape;
  int32_t instance;
  uint32_t mark; /* form node + 1 of the user's expression it comes from */
  ZwOp op;
  double args[3];
  double value;
} ZwCulprit;

/* Looks for the first operation of an entry whose value is not finite, or beyond `limit` by its own doing (a quotient, a
 * power), although its arguments are neither. */
ZwCulprit zw_program_culprit(const ZwProgram* program, ZwEntry entry, const ZwKernelState* state, double limit);

void zw_program_dump(ZwText* text, const ZwProgram* program);

/* ---- the steps ---- */

/* Tapes and scatter tables of all shapes, and no more. */
ZwStatus zw_compile_shapes(ZwArena* arena, const ZwEquations* equations, ZwProgram* program);

/* Copies the contributions of a shape into the program's graph, with powers turned into products and roots. */
ZwExpr* zw_lower_shape(ZwProgram* program, const ZwShape* shape, ZwWalk* walk, int32_t* count);
/* Tapes of one shape from its lowered contributions, in the order of its entries. */
bool zw_tape_build(ZwProgram* program, ZwKernel* kernel, ZwWalk* walk, const ZwExpr* lowered);

/* Whether an output belongs to what is run: M alone, or an entry, without M if that is constant. */
bool zw_kernel_takes(const ZwProgram* program, const ZwKernel* kernel, ZwEntry entry, bool is_of_masses,
                     int32_t output);
/* The rate of an operator's value when its arguments x change at these rates, of tables too. */
double zw_kernel_rate(ZwOp op, const ZwTables* tables, const double* x, double value, const double* rates);
/* The value of an operator, of tables too. */
double zw_kernel_apply(ZwOp op, const double* args, const ZwTables* tables);
/* One input of a tape for `count` instances from `first` on, over `width` lanes. */
void zw_kernel_load(const ZwKernel* kernel, const ZwInput* input, const ZwKernelState* state, int32_t first,
                    int32_t count, int width, double* to);
/* The literals of a tape into their registers. */
void zw_kernel_place_literals(const ZwTape* tape, const ZwKernelState* state, int width);
/* Literals and inputs of one instance into the registers of a tape, one lane wide. */
void zw_kernel_load_all(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state, int32_t instance);

#endif
