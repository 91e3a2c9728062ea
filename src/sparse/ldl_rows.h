/* One row of the factorisation by rows and one unknown of its solves, for loops that do more in the same pass: pivots
 * and unknowns wait for those before them, and work that does not wait fills the time. */
#ifndef ZW_SPARSE_LDL_ROWS_H
#define ZW_SPARSE_LDL_ROWS_H

#include "sparse/ldl.h"

/* Row k of L solves L y = K[k, :k], and its pivot is what is left of the diagonal. Where the entries of the row are
 * and in which order was planned, so that nothing is searched for. ldl->work is y, zero between rows. */
static inline void zw_ldl_factor_row(ZwLdl* ldl, int32_t k) {
  const ZwLdlPlan* plan = ldl->plan;
  double* restrict y = ldl->work;
  double* restrict L = ldl->L;
  const double* restrict K = ldl->K;
  int32_t diagonal = plan->input.begin[k + 1] - 1;
  for (int32_t p = plan->input.begin[k]; p < diagonal; p++) y[plan->input.column[p]] = K[p];
  double d = K[diagonal];
  for (int32_t p = plan->row_begin[k]; p < plan->row_begin[k + 1]; p++) {
    int32_t j = plan->row_column[p], end = plan->row_place[p];
    double yj = y[j], square = yj * yj, inverse = ldl->D_inverse[j];
    y[j] = 0;
    for (int32_t q = plan->column_begin[j]; q < end; q++) y[plan->row[q]] -= L[q] * yj;
    L[end] = yj * inverse;
    d -= square * inverse; /* the next pivot waits for this one: as few operations in between as may be */
  }
  ldl->D[k] = zw_ldl_pivot(ldl, k, d);
  ldl->D_inverse[k] = 1 / ldl->D[k];
}

/* What x_j does to the unknowns below it. */
static inline void zw_ldl_lower_row(const ZwLdl* ldl, int32_t j, double xj, double* restrict x) {
  const ZwLdlPlan* plan = ldl->plan;
  const double* restrict L = ldl->L;
  for (int32_t q = plan->column_begin[j]; q < plan->column_begin[j + 1]; q++) x[plan->row[q]] -= L[q] * xj;
}

/* x_j less what the unknowns below it take. */
static inline double zw_ldl_upper_row(const ZwLdl* ldl, int32_t j, double xj, const double* restrict x) {
  const ZwLdlPlan* plan = ldl->plan;
  const double* restrict L = ldl->L;
  for (int32_t q = plan->column_begin[j]; q < plan->column_begin[j + 1]; q++) xj -= L[q] * x[plan->row[q]];
  return xj;
}

#endif
