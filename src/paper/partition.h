/* The explicit equations of Gibbs and Appell for a choice of dependent accelerations (T27; UK98 7-18, 33-37, U96 13-27).
 *
 *   Ae ae + Ai ai = b, ae = c - R ai with R = Ae^-1 Ai, c = Ae^-1 b of the independent rows; K ai = right */
#ifndef ZW_PAPER_PARTITION_H
#define ZW_PAPER_PARTITION_H

#include "paper/independent.h"

typedef struct ZwPaperPartition {
  int32_t r, f;
  int32_t* order;        /* n: the dependent ones, then the others */
  ZwExpr *R, *c;         /* r x f, r */
  ZwExpr *K, *P, *right; /* f x f, f, f */
  ZwExpr* depending;     /* r: ae by the accelerations ai, if it was found in steps */
  ZwExpr S;              /* 1/2 a^T M a by the accelerations ai */
  bool is_uncoupled;     /* Mei = 0: UK98 (37) is (18) */
  ZwExpr *ai, *ae;       /* f, r: solved; NULL: not asked for */
  bool has_steps; /* Ae is large: R and c were found by an elimination in steps, and long entries of K have names */
  ZwConditions
      valid;       /* what may not be 0: the determinant of Ae or pivots of that elimination, and what solving needs */
  const char* why; /* nothing is there, for this reason; or NULL */
  int32_t dependent; /* a coordinate of the wish that depends on those before it; -1 */
} ZwPaperPartition;

/* `wish` has `count` coordinates to eliminate; 0: the largest columns. With `solves` the accelerations are solved for. */
void zw_paper_partition(ZwPaperStates* states, const ZwIndependent* rows, const int32_t* wish, int32_t count,
                        bool solves, ZwPaperPartition* partition);

#endif
