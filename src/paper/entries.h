/* What stands on the page, in order: a list of equations with what is left of their equals sign. Text, LaTeX and JSON all
 * are made from it. */
#ifndef ZW_PAPER_ENTRIES_H
#define ZW_PAPER_ENTRIES_H

#include "paper/names.h"
#include "paper/write.h"

typedef enum ZwPaperKind {
  ZW_PAPER_L,
  ZW_PAPER_M,  /* row i, column j <= i */
  ZW_PAPER_H,  /* i */
  ZW_PAPER_Q,  /* i */
  ZW_PAPER_P0, /* i */
  ZW_PAPER_T0,
  ZW_PAPER_VALUE, /* left - right of constraint k */
  ZW_PAPER_A,     /* constraint k, column j */
  ZW_PAPER_B,     /* constraint k */
  ZW_PAPER_G,
  ZW_PAPER_G_CONSTANT,
  ZW_PAPER_V, /* velocity i by quasi-velocities */
  ZW_PAPER_G_QUASI,
  ZW_PAPER_EQUATION, /* of quasi-velocity k: `value` = `right` */
  ZW_PAPER_GAMMA,    /* i; j k */
  ZW_PAPER_TERM,     /* of the user, as it stands; a force works on `right` */
  /* the equations solved (explicit.h) */
  ZW_PAPER_E,      /* constraint k by independent constraint j */
  ZW_PAPER_D,      /* constraints k, j */
  ZW_PAPER_D_PART, /* constraint k: d */
  ZW_PAPER_LAMBDA, /* constraint k */
  ZW_PAPER_QC,     /* i */
  ZW_PAPER_ACCELERATION,
  ZW_PAPER_GAIN,  /* i, constraint k */
  ZW_PAPER_W,     /* constraints k, j */
  ZW_PAPER_VALID, /* may not be 0 */
  /* of a partition (partition.h) */
  ZW_PAPER_R,         /* i by j: dependent, independent */
  ZW_PAPER_C,         /* i */
  ZW_PAPER_K,         /* i, j */
  ZW_PAPER_P,         /* i */
  ZW_PAPER_RIGHT,     /* i */
  ZW_PAPER_DEPENDING, /* acceleration i by the independent ones */
  ZW_PAPER_S,         /* by the independent accelerations */
  ZW_PAPER_PIVOT,     /* may not be 0 */
  /* of the recursion (recursion.h): column i, in its order */
  ZW_PAPER_BELLMAN_R, /* constraints k, j */
  ZW_PAPER_BETA,      /* constraint k */
  ZW_PAPER_KAPPA,
  ZW_PAPER_COST,          /* g_i(d) */
  ZW_PAPER_LINK,          /* the acceleration of coordinate i by later ones */
  ZW_PAPER_BELLMAN_VALID, /* may not be 0 */
  /* of contacts: row k, among those after the constraints; what belongs to one follows its gap or slip */
  ZW_PAPER_GAP,
  ZW_PAPER_SLIP,
  ZW_PAPER_CONTACT_A, /* column j */
  ZW_PAPER_CONTACT_B,
  ZW_PAPER_RESTITUTION,
  ZW_PAPER_FRICTION,
  ZW_PAPER_STEP,  /* k-th of paper->steps */
  ZW_PAPER_SHARED /* k-th name */
} ZwPaperKind;

typedef struct ZwPaperEntry {
  ZwPaperKind kind;
  int32_t i, j, k;
  ZwExpr value, right;
} ZwPaperEntry;

typedef struct ZwPaperEntries {
  ZW_ARRAY(ZwPaperEntry) list;
  ZwPaperShare share;
} ZwPaperEntries;

/* Everything that is not zero. False when memory is out. */
bool zw_paper_entries(ZwSheet* paper, ZwPaperEntries* entries);
/* Adds the names of what is shared, after everything else. */
bool zw_paper_name_shared(ZwSheet* paper, ZwPaperEntries* entries);
/* What is left of the equals sign, "" for constraints' values and equations. */
void zw_entry_left(ZwWriter* writer, const ZwPaperEntry* entry);
/* The other side, marked for zw_write_lines. */
void zw_entry_right(ZwWriter* writer, const ZwPaperEntries* entries, const ZwPaperEntry* entry);

/* The values of all parameters; NULL when memory is out. */
const double* zw_paper_params(const ZwSheet* paper);

/* ---- large systems ---- */

/* A shape with the entries of its first element. */
typedef struct ZwPaperShape {
  const ZwShape* shape;
  int32_t begin, end; /* entries */
} ZwPaperShape;

typedef struct ZwPaperShapes {
  ZW_ARRAY(ZwPaperShape) list;
} ZwPaperShapes;

/* One element of each shape, in place of zw_paper_derive and zw_paper_entries. False when memory is out. */
bool zw_paper_shapes(ZwSheet* paper, ZwArena* arena, const ZwEquations* equations, ZwPaperEntries* entries,
                     ZwPaperShapes* shapes);

#endif
