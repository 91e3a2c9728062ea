/* T16: the equations of Gibbs and Appell in quasi-velocities.
 *
 *   nu = Cq v + s, gamma v + gamma_0 = 0   =>   v = B nu + r
 *   G restricted = 1/2 nu'^T M_r nu' + g_r^T nu' + ...,   dG/dnu' = F_r
 *   M_r = B^T M B,   g_r = B^T (M c - h_L),   c = B' nu + r',   F_r = B^T Q,   all at v = B nu + r
 */
#ifndef ZW_PAPER_QUASI_H
#define ZW_PAPER_QUASI_H

#include "paper/solve.h"

/* What is given. Quasi-velocity k is the leaf VELOCITY n + k, its rate ACCELERATION n + k. */
typedef struct ZwQuasiGiven {
  int32_t n, p;            /* coordinates, quasi-velocities; there are n - p rows */
  const ZwExpr* nu;        /* p expressions, affine in v */
  const ZwExpr* rows;      /* n - p expressions, affine in v, that are 0 */
  const ZwExpr *M, *h, *Q; /* n x n, n, n; h without Q */
  ZwExpr constant;         /* the part of the Gibbs function without accelerations; ref 0: not known */
} ZwQuasiGiven;

typedef struct ZwQuasi {
  int32_t n, p;
  ZwExpr *B, *r;     /* n x p, n: over t and q */
  ZwExpr *M, *g, *F; /* p x p, p, p: over t, q, nu */
  ZwExpr G;          /* restricted; without its constant only what depends on nu' */
} ZwQuasi;

typedef enum ZwQuasiResult { ZW_QUASI_FINE, ZW_QUASI_TOO_LARGE, ZW_QUASI_SINGULAR, ZW_QUASI_NOT_AFFINE } ZwQuasiResult;

/* When memory is out the arena of `tidy` says so. */
ZwQuasiResult zw_quasi_derive(ZwTidy* tidy, const ZwQuasiGiven* given, ZwQuasi* quasi);

#endif
