/* The Gibbs function whole: G = 1/2 (a - X_L)^T M (a - X_L) with M X_L = h_L, h_L being the right side without forces (T16, T29). */
#ifndef ZW_PAPER_GIBBS_H
#define ZW_PAPER_GIBBS_H

#include "paper/blocks.h"

/* Derives G and its constant from M and h, to which Q has not been added. M falls into blocks that nothing joins, and the constant is a sum
 * over them: small blocks with short entries give closed formulas, others named steps, the first ones of the sheet. When memory is out the
 * arena says so. */
void zw_paper_gibbs(ZwSheet* paper);

#endif
