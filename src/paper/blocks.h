/* Linear equations K X = R with a symmetric matrix of expressions, solved in steps that can be printed.
 *
 * K falls into blocks that nothing joins. A block of up to four unknowns is solved by cofactors, with names for its entries and for its
 * determinant; a larger one by elimination, each result of which is a step, in an order that makes few new entries: chains take as many steps
 * as links. Pivots stand on the diagonal, so that what is left stays symmetric; only where all that is left of it is 0 (T = x' y') they may
 * stand anywhere (square.h). What may not vanish, determinants and pivots, is collected. */
#ifndef ZW_PAPER_BLOCKS_H
#define ZW_PAPER_BLOCKS_H

#include "paper/square.h"

enum { ZW_COFACTORS_MOST = 4 };

typedef struct ZwBlocks {
  ZwPaperStates* states;
  const char*
      letter; /* of K: its entries are called D12, their determinant detD1; one letter for one matrix, however often it is solved */
  bool is_plain;            /* two unknowns are solved without names: M of a double pendulum */
  ZwConditions* conditions; /* these are added */
} ZwBlocks;

/* K is n x n, R and X are n x c, row by row; zero entries are the constant 0. ZW_SOLVED_SINGULAR: no pivot is other than 0 at the states. When
 * memory is out the arena says so. */
ZwSolved zw_blocks_solve(const ZwBlocks* blocks, int32_t n, const ZwExpr* K, int32_t c, const ZwExpr* R, ZwExpr* X);

#endif
