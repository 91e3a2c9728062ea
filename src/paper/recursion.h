/* Bellman's quantities as formulas (T28; BG99 9-45), of the independent rows J, and for all rows by F of independent.h.
 *
 * With M = L L^T in the order of the columns, y = L^T (a - a0) and C = A L^-T, y_k holds a_k .. a_n only; L is the root of M where M is
 * diagonal. R_k = (C_k C_k^T)^-1 of the first k columns follows from R_(k-1) by beta_k = R_(k-1) c_k, kappa_k = beta_k/(1 + c_k^T beta_k). */
#ifndef ZW_PAPER_RECURSION_H
#define ZW_PAPER_RECURSION_H

#include "paper/independent.h"

typedef struct ZwPaperRecursion {
  int32_t n, m, r;
  int32_t* order;       /* n: columns */
  bool is_diagonal;     /* M is */
  ZwExpr* R;            /* (n - r + 1) x m x m: R_k, k = r .. n */
  ZwExpr *beta, *kappa; /* (n - r) x m: k = r + 1 .. n */
  ZwExpr* g;            /* n - r + 1: the cost to go d^T R_k d */
  ZwExpr* a;            /* n, by place in the order: the acceleration by those after it */
  ZwConditions valid;   /* what may not be 0: the determinant of the first r columns of A */
  const char* why;      /* nothing is there, for this reason; or NULL */
  int32_t dependent;    /* a column that was put first and depends on those before it; -1 */
} ZwPaperRecursion;

/* `wish`: `count` columns to begin with; 0: the first ones that are independent. When memory is out the arena says so. */
void zw_paper_recursion(ZwPaperStates* states, const ZwIndependent* rows, const int32_t* wish, int32_t count,
                        ZwPaperRecursion* recursion);

#endif
