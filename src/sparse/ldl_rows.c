/* Row by row: nothing but lists. */
#include "sparse/ldl_rows.h"

void zw_ldl_factor_rows(ZwLdl* ldl) {
  for (int32_t k = 0; k < ldl->plan->n; k++) zw_ldl_factor_row(ldl, k);
}

void zw_ldl_solve_lower_rows(const ZwLdl* ldl, double* x) {
  for (int32_t j = 0; j < ldl->plan->n; j++) zw_ldl_lower_row(ldl, j, x[j], x);
}

void zw_ldl_solve_upper_rows(const ZwLdl* ldl, double* x) {
  for (int32_t j = ldl->plan->n - 1; j >= 0; j--) x[j] = zw_ldl_upper_row(ldl, j, x[j], x);
}
