/* P K = L U with row interchanges, for small square complex matrices. Numbers lie as pairs (re, im). */
#ifndef ZW_LEAST_LU_COMPLEX_H
#define ZW_LEAST_LU_COMPLEX_H

#include <stdint.h>

/* As zw_lu_factor (least/lu.h), for an n x n matrix of 2 n^2 numbers. False when K is exactly singular or not finite. */
_Bool zw_lu_complex_factor(int32_t n, double* K, int32_t* swap);

void zw_lu_complex_solve(int32_t n, const double* LU, const int32_t* swap, double* x); /* x = K\x, 2 n numbers */

#endif
