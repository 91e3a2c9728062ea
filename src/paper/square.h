/* Linear equations K X = R with a square matrix of expressions that need not be symmetric, solved by elimination. Each result is a step with
 * a name. Of all entries that are not 0 and not small in their column that one becomes the pivot which can make the fewest new entries, as
 * Markowitz proposes: chains take as many steps as links. */
#ifndef ZW_PAPER_SQUARE_H
#define ZW_PAPER_SQUARE_H

#include "paper/solve.h"
#include "paper/steps.h"

typedef struct ZwConditions {
  ZW_ARRAY(ZwExpr) list; /* none of these may be 0 */
} ZwConditions;

/* Adds a condition, unless it is a number or there already. */
void zw_conditions_add(ZwSheet* paper, ZwConditions* conditions, ZwExpr e);

/* K is n x n, R and X are n x c, row by row; zero entries are the constant 0. The pivots are added to the conditions. ZW_SOLVED_SINGULAR: no
 * entry is left that is other than 0 at the states. When memory is out the arena says so. */
ZwSolved zw_square_solve(ZwPaperStates* states, ZwConditions* conditions, int32_t n, const ZwExpr* K, int32_t c,
                         const ZwExpr* R, ZwExpr* X);

#endif
