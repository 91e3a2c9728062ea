/* The problem of least.h for eight members of an ensemble at once, on its first road: positive definite M. The operations and
 * their order are those of least_definite.c, so each member gets the bits that it would get alone. What has to leave that road,
 * or is not finite, is named: it must be solved alone. Numbers of the members stand side by side: entry i of a matrix is
 * number i of an array of ZwEight. */
#ifndef ZW_LEAST_GROUP_H
#define ZW_LEAST_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/eight.h"

typedef struct ZwLeastGroup {
  int32_t n, m;
  const ZwEight *M, *A; /* the caller's */
  ZwEight pivot_ratio, conditioning;
  ZwEight* L;                 /* n x n */
  ZwEight *T, *tau;           /* m x n, m: orthogonal factors of L^-1 A^T, as in qr.h */
  ZwEight *M_known, *A_known; /* what they are the factors of */
  bool has_L, has_qr;
  int32_t m_known;
  ZwEightSet definite; /* whose M is positive definite */
  int32_t* begin;      /* n: entries of a row of L before it are zero for all members */
  ZwEight *x, *r_h, *r_b, *da, *dlambda;
} ZwLeastGroup;

/* Bytes, a multiple of 64, and the object placed in them; the memory is aligned to 64. */
size_t zw_least_group_size(int32_t n, int32_t m_max);
ZwLeastGroup* zw_least_group_place(void* memory, int32_t n, int32_t m_max);

/* As zw_least_factor, zw_least_solve and zw_least_project. They give the members that went this road to its end. */
ZwEightSet zw_least_group_factor(ZwLeastGroup* group, int32_t m, const ZwEight* M, const ZwEight* A);
ZwEightSet zw_least_group_solve(ZwLeastGroup* group, const ZwEight* h, const ZwEight* b, ZwEight* a, ZwEight* lambda,
                                ZwEight* Qc);
ZwEightSet zw_least_group_project(ZwLeastGroup* group, const ZwEight* r, ZwEight* dx);

/* With the last factors: x = R \ (R' \ x), m numbers. */
void zw_least_group_solve_normal(const ZwLeastGroup* group, ZwEight* x);
/* The lengths of rows A (m x n, which become L\A^T) in the metric of M; as zw_rank_row_sizes. */
ZwEightSet zw_least_group_row_sizes(const ZwLeastGroup* group, int32_t m, ZwEight* A, ZwEight* size);

#endif
