/* Ranks of matrices of numbers: rows by the side of those before them. */
#ifndef ZW_PAPER_RANK_H
#define ZW_PAPER_RANK_H

#include <stdint.h>

/* Divides each column of `count` matrices, m x n, by its largest entry in all of them, so that units of coordinates decide nothing. */
void zw_rank_balance(int32_t m, int32_t n, int32_t count, double* const* A);

/* The rank of A, m x n. `rows` (m) gets the rows that are independent of those before them, Q (n x n) orthonormal rows of what each adds. */
int32_t zw_rank_rows(int32_t m, int32_t n, const double* A, int32_t* rows, double* Q);

#endif
