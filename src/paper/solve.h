/* Linear equations with expressions for numbers, small and solved as on paper. */
#ifndef ZW_PAPER_SOLVE_H
#define ZW_PAPER_SOLVE_H

#include "paper/tidy.h"

enum { ZW_SOLVE_MAX = 10, ZW_SOLVE_CORE = 6 }; /* unknowns in all, and those left when the simple ones are gone */

typedef enum ZwSolved { ZW_SOLVED, ZW_SOLVED_TOO_LARGE, ZW_SOLVED_SINGULAR } ZwSolved;

/* X with K X = R for an n x n matrix K and n x c right sides, row by row, all zero entries being the constant 0.
 *
 * Rows that give an unknown with a number in front are solved for it first, the simplest first; what is left is solved
 * by Cramer's rule, so that one determinant stands below every fraction. ZW_SOLVED_SINGULAR when that is 0 for every state.
 * When memory is out the arena says so. */
ZwSolved zw_solve(ZwTidy* tidy, int32_t n, const ZwExpr* K, int32_t c, const ZwExpr* R, ZwExpr* X);
/* The same with at most `most` of ZW_SOLVE_CORE unknowns left for Cramer's rule; `below`, if not NULL, is that determinant: 1 if all
 * unknowns were solved for with numbers in front. */
ZwSolved zw_solve_small(ZwTidy* tidy, int32_t most, int32_t n, const ZwExpr* K, int32_t c, const ZwExpr* R, ZwExpr* X,
                        ZwExpr* below);

#endif
