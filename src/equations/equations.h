/* What the equations stage hands on: every term as finite elements.
 *
 * An element touches a few coordinates and yields local contributions to M, h, A, b and their relatives. Elements whose
 * expressions are equal up to which coordinates, parameters and literals they read share one shape; the shape is
 * differentiated and later compiled once, whatever the number of its instances.
 *
 *   shape      an expression over local leaves: coordinates q0 q1 .., slots p0 p1 .., t
 *   instance   which global coordinate is q0, which value is p0, ..; which row; which term of the user it came from
 */
#ifndef ZW_EQUATIONS_EQUATIONS_H
#define ZW_EQUATIONS_EQUATIONS_H

#include "expr/reads.h"
#include "expr/walk.h"
#include "model/system.h"

/* Where a local contribution goes; rows and columns are local coordinates. ORDER TARGET */
typedef enum ZwTarget {
  ZW_TARGET_M,        /* d2L/dv dv, lower triangle (row, column) */
  ZW_TARGET_H,        /* dL/dq - d/dt(dL/dv) at a = 0 (row) */
  ZW_TARGET_Q,        /* generalized force (row) */
  ZW_TARGET_POWER,    /* -dL/dt: what an explicit time dependence feeds in */
  ZW_TARGET_A,        /* constraint row (column) */
  ZW_TARGET_B,        /* right side of A a = b */
  ZW_TARGET_PHI,      /* residual at position level */
  ZW_TARGET_PSI,      /* residual at velocity level */
  ZW_TARGET_ENERGY,   /* v . dL/dv - L */
  ZW_TARGET_MOMENTUM, /* v . dL/dv */
  ZW_TARGET_RESTING,  /* -L at v = 0: the energy without what moves, */
  ZW_TARGET_GROUND,   /* or this, where it is the same everywhere, as m c^2 is */
  ZW_TARGET_OUTPUT,
  ZW_TARGET_EVENT, /* conditions and what events assign */
  ZW_TARGET_LV,    /* dL/dv (row) */
  ZW_TARGET_LQ,    /* dL/dq (row) */
  ZW_TARGET_COUNT
} ZwTarget;

/* What can be asked for at a state; each is one tape per shape. ORDER ENTRY */
typedef enum ZwEntry {
  ZW_ENTRY_POSITION,     /* phi and A of the position-level rows */
  ZW_ENTRY_VELOCITY,     /* psi and A of the position- and velocity-level rows */
  ZW_ENTRY_ACCELERATION, /* M, h, Q, power, A, b */
  ZW_ENTRY_ENERGY,
  ZW_ENTRY_OUTPUT,
  ZW_ENTRY_START, /* phi, psi and A of the rows that hold at the first instant only */
  ZW_ENTRY_EVENT,
  ZW_ENTRY_QUASI,     /* psi, A and b of the quasi-velocities */
  ZW_ENTRY_VARIATION, /* dL/dv and dL/dq */
  /* What events read, in terms of sizes: sum_i |dg/dq_i| s_i, sum_i |dg/dv_i| s_i and sum_i |dg/dlambda_i| s_i, where the
   * accelerations, or the reactions, are sizes s. */
  ZW_ENTRY_SIZE_Q,
  ZW_ENTRY_SIZE_V,
  ZW_ENTRY_SIZE_R,
  ZW_ENTRY_COUNT
} ZwEntry;

typedef enum ZwShapeKind {
  ZW_SHAPE_ENERGY, /* a part of L */
  ZW_SHAPE_DISSIPATION,
  ZW_SHAPE_FORCE,
  ZW_SHAPE_GIBBS,
  ZW_SHAPE_CONSTRAINT,
  ZW_SHAPE_EXACT,
  ZW_SHAPE_QUASI,
  ZW_SHAPE_EVENT,
  ZW_SHAPE_OUTPUT
} ZwShapeKind;

typedef struct ZwContribution {
  ZwTarget target;
  int32_t row, column; /* local */
  ZwExpr value;        /* in the shape graph */
} ZwContribution;

typedef struct ZwContributions {
  ZW_ARRAY(ZwContribution) list;
} ZwContributions;

enum { ZW_FORM_WORDS = 4 }; /* per node: operator and three arguments, a leaf number, or the bits of a literal */

/* The canonical form of an expression: its nodes, arguments before users, leaves numbered at first use; then the places of its
 * roots. */
typedef struct ZwForm {
  ZW_ARRAY(uint32_t) code;
  ZW_ARRAY(int32_t) coords;    /* local -> global coordinate */
  ZW_ARRAY(int32_t) slots;     /* local -> value number (see ZwEquations.literals) */
  ZW_ARRAY(int32_t) reactions; /* local -> constraint row */
  int32_t epoch;               /* see ZwShape */
  int32_t node_count;          /* node i of the form is node i of the walk over the piece */
  int32_t* coord_number;       /* scratch: global coordinate -> local + 1, valid for the coordinates in `coords` */
} ZwForm;

typedef struct ZwShape {
  ZwShapeKind kind;
  ZwLevel level; /* of a constraint */
  const uint32_t* code;
  int32_t code_size;
  int32_t coords, slots, reactions; /* local leaves */
  int32_t epoch;                    /* the slot of t0, + 1; 0: the shape does not read t */
  ZwExpr value, rate;               /* in the shape graph; its marks are form node numbers + 1 */
  ZwContributions entries[ZW_ENTRY_COUNT];
  /* instances */
  int32_t count;
  ZW_ARRAY(int32_t) instance_coords; /* count x coords */
  ZW_ARRAY(int32_t) instance_slots;  /* count x slots */
  ZW_ARRAY(int32_t) instance_reactions;
  ZW_ARRAY(int32_t) instance_rows;   /* constraint row, output number, or the group of an energy; -1 otherwise */
  ZW_ARRAY(int32_t) instance_pieces; /* into ZwEquations.pieces */
} ZwShape;

/* One element's own expressions in the system's graph, kept for messages. */
typedef struct ZwPiece {
  int32_t term;
  ZwExpr value, rate;
} ZwPiece;

/* A sparse pattern by rows, columns ascending. */
typedef struct ZwPattern {
  int32_t rows, count;
  int32_t *begin, *column; /* rows + 1, count */
} ZwPattern;

typedef struct ZwRow {
  int32_t term;
  ZwLevel level;
} ZwRow;

/* Masses for which impacts need more than M (T32): they depend on velocities; they come of a Gibbs function, which has no momenta. */
enum { ZW_MASS_BENT = 1, ZW_MASS_GIBBS = 2 };

/* What the equations fall into, whatever the state: parts of coordinates that entries of M and constraints and contacts join, and those
 * that are alone, without any row. All ascending. */
typedef struct ZwParts {
  int32_t count;
  int32_t *begin, *coords; /* count + 1; the coordinates of part k from begin[k] on */
  int32_t* rows;           /* count: how many rows each has */
  int32_t* of;             /* n: the part of each coordinate; -1: it is alone */
  int32_t alone_count;
  int32_t* alone;
} ZwParts;

/* Coordinates whose energies are balanced apart (groups.c). */
typedef struct ZwGroups {
  int32_t count;
  int32_t* of;   /* n: the group of each coordinate */
  int32_t works; /* the one group in which work is done; -1: none is */
} ZwGroups;

typedef struct ZwEquations {
  ZwArena* arena;
  const ZwSystem* system;
  ZwGraph graph;
  int32_t n, m;    /* coordinates, constraint rows */
  int32_t m_start; /* with the rows of `start exactly` behind them */
  int32_t m_all;   /* with the quasi-velocities behind those: row (A, -b) is the rate A a - b of such a velocity */
  int32_t
      reactions; /* what leaves of reactions count: m_all, and behind them the quantities that outputs read (expr/quantity.h) */
  uint32_t quantities; /* bits of ZwQuantity: those that are read */
  int32_t output_count;
  int32_t claim_value_count; /* values of claims: they are computed as outputs are, and follow them */
  int32_t event_count;       /* values of events */
  ZW_ARRAY(ZwShape) shapes;
  ZW_ARRAY(ZwPiece) pieces;
  ZW_ARRAY(ZwRow) rows;
  ZW_ARRAY(int32_t) outputs; /* terms; those of claims follow */
  ZW_ARRAY(int32_t) events;  /* terms */
  ZW_ARRAY(double) literals; /* value number params + k */
  ZwPattern M, A;            /* M: lower triangle */
  ZwPattern row_reads;       /* coordinates that each row reads; their order is that of the text */
  int32_t* joined[2];        /* n: what always joins coordinates, by ZwJoin (islands.h) */
  ZwParts parts;             /* islands.h */
  ZwGroups groups;
  bool has_bent_rows;   /* a constraint or contact is not linear in velocities */
  uint8_t* masses;      /* n: ZW_MASS_.. of the entries of M with this coordinate */
  bool has_energy;      /* no Gibbs function whose energy is unknown */
  bool is_conservative; /* E must stay what it is: no force, no time, constraints that do no work */
} ZwEquations;

/* The stage. Mistakes that show only in the derivatives are reported in `diags`. */
ZwStatus zw_derive(ZwArena* arena, ZwDiagList* diags, const ZwSystem* system, ZwEquations* equations);

/* ---- the steps, one file each ---- */

/* Does an output read the multiplier of a row? */
bool zw_equations_outputs_read_rows(const ZwEquations* equations);

/* What is still to be split of an energy. */
typedef struct ZwSummand {
  ZwExpr e, factor;
} ZwSummand;
typedef struct ZwSummands {
  ZW_ARRAY(ZwSummand) list;
} ZwSummands;
/* Splits an energy at its top-level + and -, also through factors without coordinates; appends to `pieces`. `stack` is scratch
 * in the arena of the walk. */
bool zw_split_term(ZwSystem* system, ZwWalk* walk, ZwSummands* stack, int32_t term, ZwEquations* equations);
/* The canonical form of a piece. */
bool zw_form_build(ZwForm* form, ZwWalk* walk, ZwEquations* equations, const ZwPiece* piece);
/* The shape of that form, made if there is none yet (then `*is_new`); NULL when memory is out. */
ZwShape* zw_shape_find(ZwEquations* equations, ZwShapeKind kind, ZwLevel level, const ZwForm* form, bool* is_new);
/* Differentiates a new shape: fills its entries. Reports what cannot be an element of its kind. */
ZwStatus zw_shape_derive(ZwEquations* equations, ZwShape* shape, ZwWalk* walk, ZwDiagList* diags, ZwSpan span);
/* The patterns of M and A from all instances. */
bool zw_pattern_build(ZwEquations* equations);
/* Position of (row, column) in a pattern; it must be there. */
int32_t zw_pattern_find(const ZwPattern* pattern, int32_t row, int32_t column);
/* Whether nothing feeds or drains energy. */
bool zw_is_conservative(ZwEquations* equations, ZwWalk* walk);
/* The same of one piece, which is an element of its own. */
bool zw_piece_does_work(ZwEquations* equations, ZwWalk* walk, const ZwPiece* piece);
/* After both: which energies have nothing to do with each other. Numbers the elements of energies by their groups. */
bool zw_groups_find(ZwEquations* equations, ZwWalk* walk);
/* Outputs and values of claims. */
static inline int32_t zw_equations_values(const ZwEquations* equations) {
  return equations->output_count + equations->claim_value_count;
}
/* Whether the work on a coordinate is counted. */
static inline bool zw_groups_is_worked_on(const ZwEquations* equations, int32_t coord) {
  const ZwGroups* groups = &equations->groups;
  return groups->count < 2 || groups->works < 0 || groups->of[coord] == groups->works;
}

void zw_equations_dump(ZwText* text, const ZwEquations* equations);
const char* zw_target_text(ZwTarget target);
const char* zw_entry_text(ZwEntry entry);

#endif
