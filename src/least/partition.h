/* A partition of the coordinates into r dependent ones and the others, and all that the explicit Gibbs-Appell equations are made of
 * (T27; UK98 7-18, 33-37; U96 13-27, 37-40). */
#ifndef ZW_LEAST_PARTITION_H
#define ZW_LEAST_PARTITION_H

#include "least/formulation.h"

typedef struct ZwPartition {
  int32_t n, m, r, f;  /* f = n - r */
  int32_t* order;      /* n: the dependent ones, then the others */
  double *Ae, *Ai;     /* m x r, m x f */
  double *R, *K;       /* r x f, f x f */
  double *P, *right;   /* f */
  double* c;           /* r: Ae^+ b */
  double *S1, S0;      /* S(ai) = 1/2 ai^T K ai + S1.ai + S0 */
  double* eigenvalues; /* f: of K, ascending; the first is positive at a minimum (U96 A2) */
  double determinant;  /* of Ae^T Ae */
  bool is_uncoupled;   /* Mei = 0: UK98 (37) is (18) */
  double *nu_i, *nu_e; /* f, r: a virtual displacement, and what follows */
  double work;
} ZwPartition;

ptrdiff_t zw_partition_size(int32_t n, int32_t m);
void zw_partition_place(ZwPartition* partition, int32_t n, int32_t m, double* memory);

/* Of the problem, with the columns it puts first, or the largest. Statuses, reason and `dependent` as those of zw_formulation_solve. */
ZwStatus zw_partition_make(ZwPaper* paper, const ZwPaperProblem* problem, ZwPartition* partition,
                           ZwPaperResult* result);

/* A virtual displacement of the independent coordinates: nu_e = -R nu_i, and its work nu_i^T P (UK98 16, 17). `stated` has n numbers, NaN where none is.
 * Gives -1, or the first eliminated coordinate that one is stated of. */
int32_t zw_partition_displace(ZwPartition* partition, const double* stated);

#endif
