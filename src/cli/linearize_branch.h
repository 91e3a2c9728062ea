/* A branch of equilibria (or steady motions, or states at a time) over the values of a parameter, and its borders: where the verdict
 * changes, where a contact closes or opens (a corner of the branch), and where the branch ends. */
#ifndef ZW_CLI_LINEARIZE_BRANCH_H
#define ZW_CLI_LINEARIZE_BRANCH_H

#include "base/arena.h"
#include "cli/linearize.h"

enum { BRANCH_MODES = 400 }; /* most eigenvalues that are followed */
enum { VERDICT_SIZE = 16, BRANCH_SIGNS = 64 };

typedef struct Place {
  double re, im; /* of an eigenvalue */
} Place;

/* What was found at one value. */
typedef struct BranchPoint {
  double value;
  bool is_found;
  ZwLinearizeAt at;
  double* q;                  /* coordinates of the model */
  Place* places;              /* count: eigenvalues */
  int32_t count;              /* of them */
  ZwContactWhat* contacts;    /* of the model */
  bool is_held[BRANCH_SIGNS]; /* by the branch's signs */
  char verdict[VERDICT_SIZE];
} BranchPoint;

typedef enum BorderKind {
  BORDER_VERDICT, /* the verdict alone changes */
  BORDER_CORNER,  /* the branch goes on with other contacts, or with other signs held */
  BORDER_END      /* after it there is another branch, or none */
} BorderKind;

/* A contact, or a sign of friction, that is another one after a border. */
typedef struct BorderChange {
  const char *name, *before, *after;
} BorderChange;

/* Between two values with something different, as near to each other as was possible. */
typedef struct Border {
  BorderKind kind;
  double low, high;
  bool is_sharp;   /* it is known to all digits that are printed */
  double from, to; /* the values it lies between */
  char before[VERDICT_SIZE], after[VERDICT_SIZE];
  ZwLinearizeAt at;
  BorderChange* changes;
  int32_t change_count;
  int32_t count_before, count_after; /* eigenvalues on both sides */
  Place *low_places, *high_places;
} Border;

typedef struct Branch {
  const Options* options;
  const ZwModel* model;
  const char* name; /* of the parameter */
  ZwArena* arena;
  bool is_open;
  int32_t n, contact_count;
  double* sizes; /* n: of coordinates, at the last value */
  const char** contact_names;
  const char* signs[BRANCH_SIGNS]; /* names of those that friction has held so far */
  int32_t sign_count;
  BranchPoint last;            /* where something was found last, */
  bool has_last, is_following; /* if anything was; and that at the value before */
  double rate;                 /* how fast it moved with the parameter; 0: not known */
  bool has_moved, is_other;    /* the point that was looked at is another one; and so is the present one in the end */
  double mode_size;            /* the largest eigenvalue around */
  BranchPoint next;            /* the present one */
  BranchPoint low, high, middle, far, jump_low, jump_high, jump_middle; /* of the search between */
  ZW_ARRAY(Border) borders;
} Branch;

/* Makes room as the first answer asks for; false: memory. */
bool branch_open(Branch* branch, const ZwLinearization* l);
/* From where the next answer is looked for; NULL: from the start values. */
const double* branch_near(const Branch* branch);
/* The answer at the next value, NULL where there is none, with the status of the search: borders since the value before are found and
 * added. Where the branch goes on to another answer at that value, `is_other` of the branch is set, and its last point is that. The first of them, or where the next one will be; -1: memory. */
int32_t branch_take(Branch* branch, double value, const ZwLinearization* l, ZwStatus status);

/* To be printed: what is next to 0 is 0. */
double border_value(const Border* border);
/* "'w' closes, 'v' opens"; "" */
void border_add_changes(const Border* border, ZwText* text);

#endif
