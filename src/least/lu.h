/* P K = L U with row interchanges, for small square matrices that are regular but not definite. */
#ifndef ZW_LEAST_LU_H
#define ZW_LEAST_LU_H

#include <stdint.h>

/* Overwrites the n x n matrix K with L (below, unit diagonal) and U; `swap[k]` is the row that changed places with row
 * k. Returns the smallest pivot |U_kk|, 0 when K is exactly singular (the factors then are of no use), infinity for
 * n = 0. A small pivot is a hint at a singular matrix, never a proof of the contrary. */
double zw_lu_factor(int32_t n, double* K, int32_t* swap);

void zw_lu_solve(int32_t n, const double* LU, const int32_t* swap, double* x); /* x = K\x */

#endif
