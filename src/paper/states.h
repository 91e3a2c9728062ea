/* Random states that satisfy the constraints, as numbers. What is generic, ranks and pivots that are not zero, is asked of them; no number of
 * theirs is ever printed.
 *
 * Constraints may be satisfied on several branches that cross: in Peaucellier's linkage two joints may coincide for good, and rows repeat
 * there that are independent elsewhere. So the rank is asked very near the start first, and states with another one are passed over.
 *
 * Each state has a twin beside it, at a distance that is small but far above rounding and above what is left of the constraints. An
 * expression that is 0 by the constraints, or for reasons that only a cleverer tidying would see, differs from its twin as much as from 0.
 *
 * The start is one more state if it is of that rank. It decides no rank, but where there is a choice of rows, columns or pivots those are
 * taken that serve at the start too: what is printed should hold there. */
#ifndef ZW_PAPER_STATES_H
#define ZW_PAPER_STATES_H

#include "expr/eval.h"
#include "paper/paper.h"

/* The random ones, then the start, then the twin of each: that of state s is s + ZW_PAPER_TWIN. */
enum { ZW_PAPER_STATES = 3, ZW_PAPER_START = ZW_PAPER_STATES, ZW_PAPER_TWIN, ZW_PAPER_ALL = 2 * ZW_PAPER_TWIN };

typedef struct ZwPaperStates {
  ZwSheet* paper;
  ZwEvaluator evaluator;
  bool are_consistent;    /* false: no state was found, and these are any */
  bool has_start;         /* it satisfies the constraints, and has their rank */
  double t[ZW_PAPER_ALL]; /* near the start of the run */
  double *q[ZW_PAPER_ALL], *v[ZW_PAPER_ALL];
  double* a[ZW_PAPER_ALL];      /* any: steps may read accelerations */
  double* values[ZW_PAPER_ALL]; /* of the parameters, then of the steps (steps.h) */
} ZwPaperStates;

/* Finds them when they are asked for first, and keeps them. NULL when memory is out. */
ZwPaperStates* zw_paper_states(ZwSheet* paper);
/* Only the start as it was typed, which need not satisfy the constraints. NULL when memory is out. */
ZwPaperStates* zw_paper_typed_start(ZwSheet* paper);

/* The value of an expression of the sheet at state s. */
double zw_paper_value(ZwPaperStates* states, int32_t s, ZwExpr e);

/* Whether an expression is clearly other than 0 at all random states. Sizes do not matter: 1e-12 may be a mass. */
bool zw_paper_is_nonzero(ZwPaperStates* states, ZwExpr e);
/* The same at the start, if that is one of the states. */
bool zw_paper_is_nonzero_at_start(ZwPaperStates* states, ZwExpr e);
/* The states at which something chosen should serve: ZW_PAPER_STATES, and one more with the start. */
int32_t zw_paper_state_count(const ZwPaperStates* states);

#endif
