/* Which rows are independent, and what the others are made of: A = E A_J (T15, T24). */
#ifndef ZW_PAPER_INDEPENDENT_H
#define ZW_PAPER_INDEPENDENT_H

#include "paper/blocks.h"

/* Why E is not known where it is not. */
#define ZW_INDEPENDENT_WHY "the shares that rows have in others change with the state"

typedef struct ZwIndependent {
  int32_t m, r;
  int32_t* J; /* r: rows that say something new, in the order of the model */
  ZwExpr* E;  /* m x r */
  ZwExpr* F;  /* m x r: E (E^T E)^-1; lambda_min = F mu where mu belongs to A_J alone */
  bool
      is_known; /* E is: false where a row is made of several others in shares that change with the state; no E, F, W then */
  ZwExpr* W; /* m x m: 1 - F E^T, the projector on the null space of A^T; NULL where m = r */
} ZwIndependent;

/* The rank is the generic one, that of the states. When memory is out the arena says so. */
void zw_independent_find(ZwPaperStates* states, ZwIndependent* independent);

/* Of the r rows J, r columns that make a regular matrix at all states: the first ones of `wish` (`count`), then those of coordinates without mass, then the
 * first ones that are clearly independent, then the largest. False: those of the
 * wish depend on each other, and *dependent is the first that does. `columns` has room for n: the chosen ones, then the others, both in the
 * order of the model. */
bool zw_columns_choose(ZwPaperStates* states, const ZwIndependent* independent, const int32_t* wish, int32_t count,
                       int32_t* columns, int32_t* dependent);

/* As few of the rows J as determine the accelerations of coordinates without mass; how many. `rows` has room for r. */
int32_t zw_rows_of_massless(ZwPaperStates* states, const ZwIndependent* independent, int32_t* rows);

#endif
