/* A point inside: of all x, that for which the least of the numbers C x - d is largest, but no larger than `enough`, and of several
 * such the smallest x. Where C x >= d can be satisfied at all, it is, with enough room or as much as there is.
 *
 * It is the linear program "s as large as can be, C x - d >= s" with a small multiple of |x|^2 + s^2 beside it, which for
 * numbers of about one picks the smallest solution without leaving the set of solutions, and makes it change steadily with C
 * and d. Its optimality conditions are a linear complementarity problem of as many numbers as C has rows. */
#ifndef ZW_LEAST_DEEPEST_H
#define ZW_LEAST_DEEPEST_H

#include "least/lemke.h"

#define ZW_DEEPEST_LITTLE 1e-5 /* of |x|^2 + s^2 beside s; more of it may leave the solutions */

/* C is rows x cols; lemke has room for rows + 1 numbers. d and the numbers of C should be about one. x has cols numbers. */
ZwStatus zw_deepest(ZwLemke* lemke, int32_t rows, int32_t cols, const double* C, const double* d, double enough,
                    double* x);

#endif
