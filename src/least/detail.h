/* What the papers print beside the answer (T24-T26): the free acceleration, the multipliers, the force of the constraints in its two
 * parts, the projector on the null space, the gain. All in the units of the problem as it was put.
 *
 * With independent rows A_J and A = E A_J, lambda_min = E (E^T E)^-1 mu where mu belongs to A_J alone. Nothing but D, d, a0 and the
 * Gaussian needs M^-1, so M may be singular (T20): those four are then absent. They are there for an indefinite M that has an inverse
 * (T21), where the Gaussian is the stationary value, of either sign. */
#ifndef ZW_LEAST_DETAIL_H
#define ZW_LEAST_DETAIL_H

#include "least/formulation.h"

typedef struct ZwDetail {
  bool vectors_only; /* set by the caller: D, X, W and gain are not computed */
  int32_t n, m, rank;
  bool is_definite;      /* M is positive definite */
  bool is_indefinite;    /* M has a negative eigenvalue */
  bool is_regular;       /* M has an inverse: a0, d, D and G are there; NaN otherwise */
  bool is_minimum;       /* a is where the Gaussian is least, and not only stationary */
  int32_t* rows;         /* rank: J, the independent rows */
  double* E;             /* m x rank: A = E A_J */
  double *a0, *d, *D;    /* n, m, m x m */
  double *a, *a_b, *a_h; /* n each: a = a_b + a_h, linear in b and in h */
  double *Qc, *Qc_b, *Qc_h;
  double *lambda, *lambda_b, *lambda_h; /* m each, the smallest */
  double* X;                            /* n x n: the projector on the null space of A along M (T25) */
  double* W;                            /* m x m: that on the null space of A^T (T30) */
  double* gain;                         /* n x m: M^(-1/2) C^+ (T24) */
  double G, S;                          /* the Gaussian, and 1/2 a^T M a */
} ZwDetail;

/* Numbers for the pointers above, and their places in `memory`. */
ptrdiff_t zw_detail_size(int32_t n, int32_t m);
void zw_detail_place(ZwDetail* detail, int32_t n, int32_t m, double* memory);

/* Solves the problem and fills everything. Statuses and reasons are those of zw_formulation_solve. */
ZwStatus zw_detail_solve(ZwPaper* paper, const ZwPaperProblem* problem, ZwDetail* detail, const char** reason);

#endif
