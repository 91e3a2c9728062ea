/* Linear complementarity: for given Q (n x n) and q, numbers z with
 *
 *   w = q + Q z,     z >= 0,  w >= 0,  z_i w_i = 0.
 *
 * Lemke's method: all z are pushed up together until no w is negative; then that common push is taken back, one exchange of a
 * w for a z at a time. Ties are broken by the lexicographic rule, so that no exchange comes twice. When the push cannot be
 * taken back there is no answer for matrices of contacts that have one at all (see friction.h); for others there might be. */
#ifndef ZW_LEAST_LEMKE_H
#define ZW_LEAST_LEMKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct ZwLemke {
  double *Q, *q; /* n x n, n: the problem, to be filled in by the caller */
  double *z, *w; /* n: the answer */
  bool* is_in;   /* n: z_i may be above zero, w_i is zero */
  int32_t exchanges;
  double worst; /* largest violation of the conditions */
  bool has_factors;

  int32_t n; /* of this problem: as many as there is room for, or less */
  /* work memory: the tableau of w | z | push | right side, and what is in its rows */
  double* tableau;
  int32_t *row_of, *swap;
} ZwLemke;

/* Bytes for problems of up to n numbers, and the object placed in them, aligned like memory of malloc. */
size_t zw_lemke_work_size(int32_t n);
ZwLemke* zw_lemke_place(void* memory, int32_t n);

/* Solves the problem of lemke->n numbers. It should be scaled so that the numbers of Q are about one. ZW_ERR_INCONSISTENT: the
 * push cannot be taken back; ZW_ERR_STEP: rounding kept it from an end. */
ZwStatus zw_lemke_solve(ZwLemke* lemke);

/* What must be added to z so that w changes by `change` where z is in; with the factors of the last answer. False: there are
 * none. */
bool zw_lemke_correct(const ZwLemke* lemke, const double* change, double* dz);

#endif
