/* Possible accelerations (T26; KU93 7, 8, 14-20): what any acceleration costs beside that of the motion.
 *
 *   G(a~) - G(a) = 1/2 (a~ - a)^T M (a~ - a) + Qc^T (a~ - a)
 *
 * The last term, lambda^T (A a~ - b), vanishes for those that satisfy the rows. */
#ifndef ZW_LEAST_POSSIBLE_H
#define ZW_LEAST_POSSIBLE_H

#include "least/detail.h"

typedef struct ZwPossible {
  double *a, *nearest;    /* n: the acceleration, and the nearest one that satisfies the rows */
  double* residual;       /* m: A a~ - b */
  double G, G_nearest;    /* NaN where M has no inverse */
  double distance2, work; /* 1/2 (a~ - a)^T M (a~ - a), Qc^T (a~ - a) */
  double excess;          /* G(a~) - G(a) = distance2 + work */
  double S;               /* 1/2 a~^T M a~ */
  bool is_completed;      /* not all were named, and the others could satisfy the rows, */
  bool is_minimum;        /* at the least G, and not only where it is stationary (T21) */
} ZwPossible;

ptrdiff_t zw_possible_size(int32_t n, int32_t m);
void zw_possible_place(ZwPossible* possible, int32_t n, int32_t m, double* memory);

/* After zw_detail_solve. `named` has n numbers, NaN where none was given: there the accelerations are those of least G, subject to the
 * rows if these can be satisfied. `room` has room for n + m rows. */
ZwStatus zw_possible_look(ZwPaper* room, const ZwPaperProblem* problem, const ZwDetail* detail, const double* named,
                          ZwPossible* possible, const char** reason);

#endif
