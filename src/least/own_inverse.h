/* Solves with a generalized inverse that the user states (T30; UK98 24-26, KU93 21-30, U96 11, 42), after the conditions that define its kind
 * have been checked. Everything is in the units of the problem: an inverse of scaled matrices would be another one. */
#ifndef ZW_LEAST_OWN_INVERSE_H
#define ZW_LEAST_OWN_INVERSE_H

#include "least/formulation.h"
#include "zwang/types.h"

typedef struct ZwOwnInverse {
  ZwInverseKind kind;
  const double* matrix;
  const double* A_inverse; /* n x m: A- in H; NULL: A^+ */
  bool is_seed;            /* `matrix` is Y, from which an inverse is made: C^+ + Y (1 - C C^+) and so on */
} ZwOwnInverse;

/* Fills a, Qc and, for the kind D1, lambda = G d; has_lambda says whether. Statuses as zw_formulation_solve, and ZW_ERR_VALUE: a condition fails; `reason`
 * (room for `size` characters) names it with its residual. */
ZwStatus zw_own_inverse_solve(ZwPaper* paper, const ZwPaperProblem* problem, const ZwOwnInverse* own,
                              ZwPaperResult* result, char* reason, size_t size);

#endif
