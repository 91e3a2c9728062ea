/* M = L L^T for symmetric positive definite M, and solves with L. */
#ifndef ZW_LEAST_CHOLESKY_H
#define ZW_LEAST_CHOLESKY_H

#include <stddef.h>
#include <stdint.h>

/* A pivot counts as positive when it is larger than this part of the diagonal entry it came from. Rounding leaves about
 * n 1e-16 of it; a smaller tolerance takes that noise for inertia, a larger one calls stiff but sound matrices singular.
 * The measure is the row's own diagonal, so the units of the coordinates do not matter. */
#define ZW_TOL_PIVOT_REL 1e-13

/* Overwrites the lower triangle of the n x n matrix M with L; the part above the diagonal is neither read nor written.
 * Returns n, or the index of the first pivot that is not positive (or not finite); M then is half done. */
int32_t zw_cholesky_factor(int32_t n, double* M);

void zw_cholesky_solve_lower(int32_t n, const double* L, double* x); /* x = L\x */
void zw_cholesky_solve_upper(int32_t n, const double* L, double* x); /* x = L'\x */
void zw_cholesky_solve(int32_t n, const double* L, double* x);       /* x = M\x */

/* Where row i of L begins, so that a dot product from there on adds up alike: bodies that are not coupled leave most of it empty. */
int32_t zw_cholesky_begin(int32_t i, const double* row);
/* x = L\x for each of the m rows x of the m x n matrix X, that is X = X L^-T. The rows go in step, so that one waits for
 * the divisions of none. */
void zw_cholesky_solve_lower_rows(int32_t n, const double* L, int32_t m, double* X);
/* The same of rows that are `stride` numbers apart. */
void zw_cholesky_solve_lower_strided(int32_t n, const double* L, int32_t m, double* X, ptrdiff_t stride);

/* The smallest part that a pivot is of the diagonal entry it came from, L_ii^2 / M_ii. Rounding in later pivots is about
 * 1e-16 / this: above 1e-7 the matrix is definite beyond doubt, below that may be an illusion. 1 for n = 0. */
double zw_cholesky_weakest(int32_t n, const double* L);

/* (smallest / largest diagonal entry of L) squared. 1 / cond(M) is not larger; it is the cheap hint at it. */
double zw_cholesky_ratio(int32_t n, const double* L);

#endif
