/* Eigenvalues and eigenvectors of a real matrix without symmetry: balanced by powers of two, brought to Hessenberg form by
 * reflections, then to real Schur form by Francis's double shifts; the vectors are found by substitution in that form. */
#ifndef ZW_LEAST_EIGEN_H
#define ZW_LEAST_EIGEN_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Numbers of work memory. */
ptrdiff_t zw_eigen_work(int32_t n);

/* Of the n x n matrix A, which is used up. re, im: n numbers each; a pair stands together, the one with im > 0 first.
 * vectors: n x n, or NULL. Row i belongs to a real eigenvalue; of a pair, row i is the real part and row i + 1 the imaginary part of
 * the vector of the first one. Each has length 1. ZW_ERR_DOMAIN when an entry is not finite, ZW_ERR_STEP when the iteration does
 * not end. */
ZwStatus zw_eigen(int32_t n, double* A, double* re, double* im, double* vectors, double* work);

#endif
