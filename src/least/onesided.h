/* One-sided rows (T8): of all accelerations with A a = b and G a >= g, the one nearest to the free one. KU93's last
 * conclusion: Gauss's principle stays, and becomes a quadratic program.
 *
 * With the equality rows factored, a pushes back on what the k one-sided rows do to it: a force mu_j >= 0 along row j
 * changes row i by D_ij mu_j, where D = G K G^T is symmetric and positive semidefinite. So the program is one of k numbers,
 *
 *   w = w0 + D mu,     mu >= 0,  w >= 0,  mu_i w_i = 0,          w0 = G a - g without any of the forces,
 *
 * and w_i is how fast the i-th gap opens. w is unique; mu is not when rows repeat each other.
 *
 * The method is that of Goldfarb and Idnani: mu is optimal for the rows looked at so far, and the row that is violated most
 * comes next. It ends after finitely many changes, also when rows are dependent or meet in one point, and when no a
 * satisfies all rows it ends with a proof. */
#ifndef ZW_LEAST_ONESIDED_H
#define ZW_LEAST_ONESIDED_H

#include <stdbool.h>

#include "least/least.h"

/* A row whose square, less what the pushing rows have of it, is below this part of it, is one of theirs (1e-6 squared). */
#define ZW_TOL_ONESIDED_RANK 1e-12
/* Rows may be violated by this part of what they are made of. */
#define ZW_TOL_ONESIDED 1e-12

typedef struct ZwOneSided {
  /* the answer; a to about 1e-8: the pushing rows, which are independent, as equality rows of `least` give all digits */
  double *a, *mu, *w; /* n, k, k */
  bool* pushes;       /* k: before, a guess of the rows with mu > 0 (warm start); then those rows */
  double*
      proof; /* k: after ZW_ERR_INCONSISTENT: weights >= 0, with which the rows ask together for what none can give */
  int32_t changes; /* of the set of pushing rows, on the way from the guess */
  double worst;    /* largest violation of the conditions above, as a part of what the rows are made of */

  /* the problem */
  int32_t n, k;
  const double *M, *G, *g; /* n x n, k x n, k: the caller's, remembered until the solve */
  double *D, *w0;          /* k x k, k */
  double* response;        /* k x n: what a unit force along each row does to a */
  double* a_free;          /* n: a without such forces */

  /* work memory */
  int32_t *set, count; /* the pushing rows */
  double *size, *x, *y;
  double *Q, *MQ, *R;    /* count x n, count x n, k x k: of their responses; M Q */
  double *terms, *reach; /* n: what y, and what a, is the sum of */
} ZwOneSided;

/* Bytes for n coordinates and at most k_max rows, and the object placed in them, aligned like memory of malloc. */
size_t zw_onesided_work_size(int32_t n, int32_t k_max);
ZwOneSided* zw_onesided_place(void* memory, int32_t n, int32_t k_max);

/* Sets the problem up for k rows G a >= g beside M and the equality rows that `least` has factored. */
ZwStatus zw_onesided_prepare(ZwOneSided* problem, ZwLeast* least, const double* M, const double* h, const double* b,
                             int32_t k, const double* G, const double* g);
/* Solves it. ZW_ERR_INCONSISTENT: no answer, see `proof`; ZW_ERR_STEP: rounding kept it from an end (never seen). */
ZwStatus zw_onesided_solve(ZwOneSided* problem);

#endif
