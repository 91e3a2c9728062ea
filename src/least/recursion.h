/* Bellman's quantities (T28; BG99 9-33): the recursion of bellman.c with everything it forms on the way, in the units of the problem.
 *
 * R_k = (C_k C_k^T)^+ belongs to the first k columns, g_k(d) = d^T R_k d is what they need to make d. The recursion runs on the
 * independent rows, C = E C_J, where R_k is regular; all rows follow by R_k = E^+T R_k,J E^+. */
#ifndef ZW_LEAST_RECURSION_H
#define ZW_LEAST_RECURSION_H

#include "least/detail.h"

typedef enum ZwRoot {
  ZW_ROOT_SYMMETRIC, /* y = M^(1/2) (a - a0) */
  ZW_ROOT_CHOLESKY,  /* y = L^T (a - a0), M = L L^T in the order of the columns: y_k holds a_k .. a_n only */
} ZwRoot;

typedef struct ZwRecursion {
  int32_t n, m, r;
  int32_t* order;       /* n */
  double* C;            /* m x n, columns in that order; so are y and feedback */
  double* R;            /* (n - r + 1) x m x m: R_k, k = r .. n */
  double* R_J;          /* (n - r + 1) x r x r: those of the independent rows */
  double *beta, *kappa; /* (n - r) x m: k = r + 1 .. n */
  double* feedback; /* n x n: y_k = kappa_k^T d - sum_j feedback[k n + j] y_j, j > k; of the first r, Cr^+ c_j, j > r */
  double* d;        /* (n - r + 1) x m: d_k, k = r .. n */
  double* y;        /* n */
  double *g, *drop; /* n - r + 1: g_k(d); n - r: what releasing column k is worth */
  double* excess;   /* n - r: how much more y_k^2 + g_(k-1)(d_k - c_k y_k) is beside y_k, at least (BG99 9) */
} ZwRecursion;

ptrdiff_t zw_recursion_size(int32_t n, int32_t m);
void zw_recursion_place(ZwRecursion* recursion, int32_t n, int32_t m, double* memory);

/* After zw_detail_solve of the same problem. ZW_ERR_UNSUPPORTED: M has no root; ZW_ERR_VALUE: the columns put first depend on each other, and
 * result->dependent is one of them. result->reason says it in words. */
ZwStatus zw_recursion_run(ZwPaper* paper, const ZwPaperProblem* problem, const ZwDetail* detail, ZwRoot root,
                          ZwRecursion* recursion, ZwPaperResult* result);

#endif
