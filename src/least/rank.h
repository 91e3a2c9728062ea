/* How many of the rows of A say something new, which ones, and what the others repeat (T5, T15; rules R1 and R2).
 *
 * This is the one place where a rank is decided. It judges Cbar = diag(1/s) A L^-T: the rows measured in the metric of
 * the masses, or in other units (balance.h), and against the size they themselves can have (s): not the size they have now,
 * so that a row that vanishes is seen to vanish, and never that of other rows. Call it at states that satisfy the constraints: elsewhere dependent rows look independent. */
#ifndef ZW_LEAST_RANK_H
#define ZW_LEAST_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "least/least.h"

/* A row is new when what the rows before it leave of it is larger than this part of the largest row. Smaller: drift off
 * the constraints makes redundant rows look new. Larger: positions near a singular one lose a constraint. */
#define ZW_TOL_RANK_REL 1e-6

/* ... and larger than this, absolutely. The rows of Cbar have length one where they are largest, so this is rounding;
 * without it a set of rows that is nothing but rounding would have a rank. */
#define ZW_TOL_RANK_ABS 1e-13

/* What the independent rows leave of a dependent one is rounding below this part of the largest row: rows that really repeat each other stay
 * below 1e-13 in all examples, whatever the tolerance. Above it, and still not new, a row says something of its own that is too little
 * to be solved for. Smaller: rounding is taken for that. Larger: such rows are dropped without a word. */
#define ZW_TOL_RANK_ROUNDED 1e-12

typedef struct ZwRank ZwRank;

/* Bytes for at most m rows of n columns. The memory must be aligned like that of malloc. */
size_t zw_rank_work_size(int32_t m, int32_t n);
ZwRank* zw_rank_place(void* memory, int32_t m, int32_t n);

struct ZwRank {
  /* the answer of the last zw_rank_decide */
  int32_t m, rank;
  int32_t* order;       /* m: the independent rows, then the dependent ones; largest contribution first */
  double* coefficients; /* (m - rank) x rank: A_order[rank + i] = sum_j coefficients[i rank + j] A_order[j] */
  double kept;          /* smallest |R_kk| among the independent rows; infinity if there are none */
  double dropped;       /* largest |R_kk| among the dependent ones; 0 if there are none */
  double*
      left; /* m - rank: what the independent rows leave of each dependent one, as a part of the largest row; 0: rounding */
  bool is_by_svd; /* it was close, and singular values had the last word */

  /* work memory */
  int32_t m_max, n_max;
  double *rows, *tau, *norms, *triangle, *sigma, *Ut, *Vt;
};

/* Decides the rank of the m x n matrix A. `scale` holds the m positive sizes s_i, NULL means ones; `L` is the n x n
 * Cholesky factor of M, NULL means the Euclidean metric. Coefficients refer to the rows of A as given, not to scaled
 * ones; those that are nothing but rounding are exactly zero, so the nonzero ones name the rows that a dependent row
 * follows from. ZW_ERR_DOMAIN when a number is not finite or a scale not positive. */
ZwStatus zw_rank_decide(ZwRank* rank, int32_t m, int32_t n, const double* A, const double* scale, const double* L);

/* The same in the metric of the last factors of M, as far as it is definite; columns as zw_least_rows_to_metric wants them. */
ZwStatus zw_rank_decide_by(ZwRank* rank, int32_t m, int32_t n, const double* A, const double* scale,
                           const ZwLeast* metric);

/* The same in units of rows and coordinates that do not depend on those of the user or on the masses (balance.h): `length`
 * holds the m lengths rows can have, in units of coordinates that `unit` (n) leads to. */
ZwStatus zw_rank_decide_balanced(ZwRank* rank, int32_t m, int32_t n, const double* A, const double* length,
                                 const double* unit);

/* What one decision saw; does the one after it, in balanced units, tell more: a higher rank, or the same as clearly, and what rows are
 * made of without leaving anything out (`is_whole`)? */
typedef struct ZwRankSeen {
  int32_t rank;
  double kept;
} ZwRankSeen;

ZwRankSeen zw_rank_seen(const ZwRank* rank);
bool zw_rank_is_better(const ZwRank* rank, ZwRankSeen seen, bool is_whole);

/* The present sizes |A_i L^-T| of the rows, of which s_i is the running maximum (R1). Overwrites the last answer's work
 * memory, not the answer. */
void zw_rank_row_sizes(ZwRank* rank, int32_t m, int32_t n, const double* A, const double* L, double* size);
void zw_rank_row_sizes_by(ZwRank* rank, int32_t m, int32_t n, const double* A, const ZwLeast* metric, double* size);

/* Multipliers of all rows with the force of the multipliers mu (rank numbers) of the independent ones alone. Since
 * A_d = K A_i they obey lambda_i + K^T lambda_d = mu; of all that do, the smallest are [1; K] (1 + K^T K)^-1 mu (T15). S has
 * room for rank x rank numbers; mu is used up; lambda has m numbers, by the rows' own order. */
void zw_rank_share(const ZwRank* rank, double* S, double* mu, double* lambda);

#endif
