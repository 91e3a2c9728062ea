/* Random states that satisfy the constraints, as numbers. What is generic, ranks and pivots that are not zero, is asked of them; no number of
 * theirs is ever printed. */
#ifndef ZW_PAPER_STATES_H
#define ZW_PAPER_STATES_H

#include "expr/eval.h"
#include "paper/paper.h"

enum { ZW_PAPER_STATES = 3 };

typedef struct ZwPaperStates {
  ZwSheet* paper;
  ZwEvaluator evaluator;
  bool are_consistent;       /* false: no state was found, and these are any */
  double t[ZW_PAPER_STATES]; /* near the start of the run */
  double *q[ZW_PAPER_STATES], *v[ZW_PAPER_STATES];
  double* values[ZW_PAPER_STATES]; /* of the parameters, then of the steps (steps.h) */
} ZwPaperStates;

/* Finds them, the same ones each time. NULL when memory is out. */
ZwPaperStates* zw_paper_states(ZwSheet* paper);

/* The value of an expression of the sheet at state s. */
double zw_paper_value(ZwPaperStates* states, int32_t s, ZwExpr e);

#endif
