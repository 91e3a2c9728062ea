/* Gauss's principle in numbers (T6): of all accelerations a with A a = b, the one nearest to the free one,
 *
 *   minimise 1/2 (a - a0)^T M (a - a0)   subject to   A a = b,   where M a0 = h.
 *
 * The answer satisfies M a = h + A^T lambda (T15); the constraint force is Qc = A^T lambda = M a - h (T7). A has
 * independent rows (`least/rank.h` finds them), m <= n.
 *
 * Two roads lead there, and the factorisation takes the first that is open:
 *   definite    M = L L^T, and orthogonal factors of L^-1 A^T (least_definite.c)
 *   null space  M is singular, indefinite or close to it: orthogonal factors of A^T, and Z^T M Z on the directions
 *               that A leaves free (least_null.c; T20, T21)
 *
 * Factor once, then solve for as many (h, b) as wanted and project as often as wanted. Nothing is allocated. Each
 * ZwLeast belongs to one thread at a time. */
#ifndef ZW_LEAST_LEAST_H
#define ZW_LEAST_LEAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "least/qr.h"

typedef struct ZwLeast ZwLeast;

typedef struct ZwLeastProblem {
  int32_t n, m;
  const double* M; /* n x n, symmetric, both triangles filled */
  const double* h; /* n */
  const double* A; /* m x n, independent rows */
  const double* b; /* m */
} ZwLeastProblem;

typedef struct ZwLeastResult {
  /* the caller's memory; lambda and Qc may be NULL when not wanted */
  double* a;      /* n */
  double* lambda; /* m */
  double* Qc;     /* n */

  /* how it went */
  double
      pivot_ratio; /* smallest sine of the angle of a row to those before it, in the metric: near 0 when rank is being lost */
  double gaussian; /* 1/2 (a - a0)^T M (a - a0); NaN on the null-space road, where a0 may not exist (T20) */
  bool is_minimum; /* false: a is the stationary point, but the Gaussian has no minimum there (T21) */
  bool is_refined; /* the conditioning was bad enough for a step of refinement */
} ZwLeastResult;

/* Bytes for n coordinates and at most m_max rows (about 6 n^2 + n m numbers), and the object placed in them. The memory
 * must be aligned like that of malloc. */
size_t zw_least_work_size(int32_t n, int32_t m_max);
ZwLeast* zw_least_place(void* memory, int32_t n, int32_t m_max);

/* Coordinates that neither M nor a row joins: blocks of several, each with its rows, and those that nothing is joined to, not even
 * a row. Each list of coordinates is ascending. */
typedef struct ZwLeastBlocks {
  int32_t count;
  const int32_t* begin;  /* count + 1 */
  const int32_t* coords; /* those of block k from begin[k] on */
  int32_t alone_count;
  const int32_t* alone;
} ZwLeastBlocks;

/* The same for a problem that falls into blocks: each is solved as if it were the only one (split.c). Of M only the entries within
 * blocks are read. `blocks` is remembered. */
size_t zw_least_split_size(int32_t n, int32_t m_max, const ZwLeastBlocks* blocks);
ZwLeast* zw_least_place_split(void* memory, int32_t n, int32_t m_max, const ZwLeastBlocks* blocks);

/* Factors M and A (m <= m_max rows). Both are remembered, not copied: zw_least_answer reads them again. Gives
 *   ZW_ERR_DOMAIN        an entry is not finite
 *   ZW_ERR_INCONSISTENT  the rows of A are dependent to rounding
 *   ZW_ERR_UNDETERMINED  a direction has neither inertia nor constraint: zw_least_null_vector tells which; only
 *                        zw_least_project may follow */
ZwStatus zw_least_factor(ZwLeast* least, int32_t m, const double* M, const double* A);

/* For all factorisations from now on: units (n, powers of two, remembered, not copied) of the coordinates that have no inertia, as 1/sqrt(mass) is
 * of the others; NULL: each takes them from its own rows. With units rows have a metric there too (zw_least_rows_to_metric). */
void zw_least_set_massless(ZwLeast* least, const double* unit);

/* Solves with the last factors. ZW_ERR_DOMAIN when h, b or the answer is not finite; the status of the factorisation
 * when that failed. After an error the contents of the result are not defined. Results may not overlap h and b. */
ZwStatus zw_least_answer(ZwLeast* least, const double* h, const double* b, ZwLeastResult* result);

/* Both in one. */
ZwStatus zw_least_minimise(ZwLeast* least, const ZwLeastProblem* problem, ZwLeastResult* result);

/* The smallest step dx, measured by M, with A dx = -r (T22): Newton steps onto the constraints, corrections of
 * velocities. Directions without inertia go the shortest way in coordinates scaled to comparable size. Uses the
 * factors only, so M and A may have been overwritten. r and dx may not overlap. */
ZwStatus zw_least_project(ZwLeast* least, const double* r, double* dx);

/* After ZW_ERR_UNDETERMINED: z (n numbers, the largest is one in size) with A z = 0 along which M has nothing to say
 * (M z = 0 for semidefinite M). Coordinates with z_j != 0 are those left undetermined; rounding is exactly zero. NULL
 * otherwise. Valid until the next factorisation. */
const double* zw_least_null_vector(const ZwLeast* least);

/* The factor L of M (n x n, lower triangle) on the definite road, as zw_rank_decide wants it; NULL on the other, and of a problem
 * in blocks. */
const double* zw_least_metric(const ZwLeast* least);
/* Is M definite, so that there is one? */
bool zw_least_has_metric(const ZwLeast* least);
/* x = L\x for each of the m rows x of X, which is m x n; of a problem in blocks X has the columns of the coordinates of blocks only, in their
 * order there, since rows have nothing in others, and where M of a block is not definite they stay as they are. */
void zw_least_rows_to_metric(const ZwLeast* least, int32_t m, double* X);

/* ---- how near the rows are to losing rank ---- */

/* The constraints in orthogonal coordinates (of a problem in blocks R only, each block with orthogonal coordinates of its own): column i of the triangle R belongs to row i of A, Q R = F^-1 A^T where F^-1
 * takes forces to the metric. Its singular values, with columns divided by the sizes of the rows, tell how far the rows are
 * from being dependent (R4). */
const ZwQr* zw_least_triangle(const ZwLeast* least);
/* The smallest |R_kk| beside the length of its column: the sine of an angle; 0 when the rows are dependent to rounding. */
double zw_least_pivot_ratio(const ZwLeast* least);
/* x = F^-1 x for a force x (n). */
void zw_least_to_metric(const ZwLeast* least, double* x);
/* x = F^-T x: back to coordinates. */
void zw_least_from_metric(const ZwLeast* least, double* x);
/* For unit coordinates u (m) of a direction in the span of the rows: its step w (n) in the coordinates of the problem, and
 * the vector `along` (n) with along . dx = the part of dx that goes along it. */
void zw_least_direction(const ZwLeast* least, const double* u, double* w, double* along);

#endif
