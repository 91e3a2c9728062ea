/* The equations solved (T24; UK98 24-26, KU93 29, BG99 45, U96 36-43): multipliers, forces of the constraints, accelerations.
 *
 *   D = A M^-1 A^T, d = b - A M^-1 h, lambda = D^-1 d, Qc = A^T lambda, a = M^-1 (h + Qc)
 *
 * with the independent rows J; lambda_min of all rows is F lambda_J. Where M has no inverse (T20) a set of dependent accelerations is
 * eliminated instead: a_e = c - R a_i, K a_i = p, and lambda follows from A_e^T lambda = (M a - h)_e. */
#ifndef ZW_PAPER_EXPLICIT_H
#define ZW_PAPER_EXPLICIT_H

#include "paper/independent.h"
#include "paper/partition.h"

typedef struct ZwExplicit {
  ZwIndependent rows;
  ZwConditions valid;     /* what may not be 0 */
  bool is_singular;       /* M has no inverse: the partition was used, and D, d and the gain are missing */
  ZwPaperPartition split; /* where it was */
  int32_t* added; /* rows s of M' = M + A_s^T A_s, which took the place of an M without an inverse in a large system; */
  int32_t added_count;     /* 0: M itself */
  ZwExpr *D, *d;           /* r x r, r */
  ZwExpr *lambda, *Qc, *a; /* m (the smallest), n, n */
  ZwExpr*
      gain; /* n x m: what d, of all rows, adds to the accelerations; NULL: not formed, because it is as large as D^-1 */
  const char* gain_why; /* why it was not */
  const char* why;      /* nothing is there, for this reason; or NULL */
} ZwExplicit;

/* Solves. When memory is out the arena says so. */
void zw_explicit_derive(ZwPaperStates* states, ZwExplicit* explicit_);

#endif
