/* Singular values by one-sided Jacobi rotations: A = U diag(sigma) V^T.
 *
 * Slower than bidiagonalisation, short, and as accurate as any method known: small singular values of well-scaled
 * columns come out with small relative errors. Meant for matrices of a few dozen rows. */
#ifndef ZW_LEAST_SVD_H
#define ZW_LEAST_SVD_H

#include <stdint.h>

#include "base/status.h"

/* For the m x n matrix A, k = min(m, n):
 *   sigma  k numbers, largest first
 *   Ut     k x m, row i is the left vector of sigma_i
 *   Vt     k x n, row i is the right vector of sigma_i
 * All rows of Ut and Vt are orthonormal, also those that belong to sigma_i = 0. A is not changed and may not overlap
 * the results. There is no other work memory. ZW_ERR_DOMAIN when an entry of A is not finite. */
ZwStatus zw_svd(int32_t m, int32_t n, const double* A, double* sigma, double* Ut, double* Vt);

#endif
