/* The eigenvalues of a matrix that has zeros among them, perhaps several with too few vectors.
 *
 * A zero of a Jordan block of two comes out of any iteration as +-1e-8. So zeros are taken out before: the null space is split off
 * (by singular values), then that of what is left, and so on until that is regular,
 *
 *       Q R Q^T = [0 * *; 0 0 *; 0 0 C],
 *
 * and the iteration sees C alone. Directions that are known to belong to zeros, such as those of symmetries, and what they bring
 * with them in later blocks, are told apart from others. */
#ifndef ZW_LEAST_SPECTRUM_H
#define ZW_LEAST_SPECTRUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct ZwSpectrum {
  int32_t n;
  double frame;         /* R is seen from a frame that moves along known directions, so fast; 0: it stands still */
  int32_t zeros, known; /* zeros, and how many of them the known directions explain */
  double *re, *im;      /* n: known zeros, other zeros, then the rest as zw_eigen gives it */
  bool* is_known; /* n: it is a zero that is explained, or its vector is in the span of the known directions, which turn
                           into each other where symmetries do not commute */
  double* vectors; /* n x n, as zw_eigen gives them; for zeros the directions found */
  double* doubt;   /* n: how far the rounding of R may have moved each eigenvalue, by its two vectors */
} ZwSpectrum;

/* Numbers of work memory. */
ptrdiff_t zw_spectrum_work(int32_t n);
/* Of R (n x n, used up), whose entries are known to within `noise` (n x n, used up): what that cannot tell from zero is zero, each
 * singular value and each eigenvalue by its own vectors, whatever others there are. `directions`: count x n, perhaps dependent, used up;
 * they are believed as far as they are in the null space. ZW_ERR_DOMAIN, ZW_ERR_STEP as zw_eigen. */
ZwStatus zw_spectrum(ZwSpectrum* spectrum, double* R, double* noise, int32_t count, double* directions, double* work);

#endif
