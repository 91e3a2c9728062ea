/* Gauss's principle in numbers (T6, T15) where M and A have few entries: what least/least.h does, for systems of any
 * size.
 *
 *   M a = h + A^T lambda,   A a = b
 *
 * Patterns are looked at once and give a plan; factoring and solving are then nothing but arithmetic at places known
 * beforehand, in an order that depends on the patterns alone. Two forms lead to the answer, and the plan takes the one
 * with fewer operations:
 *
 *   Schur   S = A M^-1 A^T, where M falls into small blocks: point masses, rigid bodies (schur.c)
 *   KKT     [M A^T; A 0] as a whole, where M does not, or a coordinate has so many rows that S would be dense (kkt.c)
 *
 * Rows of A may be dependent, m may be larger than n, and M may be semidefinite. A pivot that is nothing but rounding
 * is replaced and the answer refined: for rows that do not contradict each other a, Qc and all sums A_i a are right,
 * and lambda is one of the possible ones. No rank is decided here (least/rank.h does that): an unpivoted factorisation
 * knows hints only.
 *
 * Tree-like systems cost O(n). Nothing is allocated after planning. A plan is read-only and may be shared between
 * threads; each ZwSparse belongs to one thread at a time. */
#ifndef ZW_SPARSE_SPARSE_H
#define ZW_SPARSE_SPARSE_H

#include "base/status.h"
#include "sparse/csr.h"
#include "sparse/ldl.h"

typedef struct ZwSparsePlan ZwSparsePlan;
typedef struct ZwSparse ZwSparse;

typedef enum ZwSparseForm { ZW_SPARSE_AUTO, ZW_SPARSE_SCHUR, ZW_SPARSE_KKT } ZwSparseForm;

/* What to plan for. `form` and `way` may stay zero; they are for tests and measurements. Where the form asked for is not
 * possible the other one is taken. */
typedef struct ZwSparseDef {
  ZwCsr M; /* n x n, the lower triangle */
  ZwCsr A; /* m x n */
  ZwSparseForm form;
  ZwLdlWay way;
} ZwSparseDef;

/* What one factorisation and one solve take, in multiply-adds. */
typedef struct ZwSparseCost {
  ZwSparseForm form; /* the one that was taken */
  ZwLdlWay way;      /* and how its matrix is factored */
  double schur, kkt; /* of both forms; infinite where a form was ruled out without counting */
  double dense;      /* of zw_least_factor and zw_least_answer, for definite M */
  double entries;    /* of L */
  bool is_worth_it;  /* three times the sparse operations are less than the dense ones */
} ZwSparseCost;

/* Plans; everything lives in `arena`, patterns are not needed afterwards. ZW_ERR_ARGUMENT: a pattern is not valid;
 * ZW_ERR_MEMORY; ZW_ERR_LIMIT: the factors would have more than 2^31 - 1 entries, or the patterns have more than 2^29. */
ZwStatus zw_sparse_plan(ZwArena* arena, const ZwSparseDef* def, ZwSparsePlan** plan);
ZwSparseCost zw_sparse_cost(const ZwSparsePlan* plan);
/* Of the dense solve alone, in multiply-adds. */
double zw_sparse_cost_dense(int32_t n, int32_t m);

/* Bytes for the numbers, and the object placed in them. The memory must be aligned like that of malloc. */
size_t zw_sparse_work_size(const ZwSparsePlan* plan);
ZwSparse* zw_sparse_place(void* memory, const ZwSparsePlan* plan);

/* Factors M and A, given as values on their patterns. Both are copied. M may be NULL: then it is as it was the last
 * time, which saves its factorisation where M is constant. Gives
 *   ZW_ERR_DOMAIN        an entry is not finite
 *   ZW_ERR_MASS          M is indefinite, which this layer does not do: the dense solve does
 *   ZW_ERR_UNDETERMINED  a direction has neither inertia nor constraint: zw_sparse_null_vector tells which; only
 *                        zw_sparse_project may follow */
ZwStatus zw_sparse_factor(ZwSparse* sparse, const double* M, const double* A);

/* From the next factorisation on only those rows count for which is_used (m) is true; NULL: all, as at first. The others are
 * as if they were not there, and have multiplier 0. So one plan serves the rows of each level, a frozen set of independent
 * rows, or those of closed contacts. */
void zw_sparse_use_rows(ZwSparse* sparse, const bool* is_used);

typedef struct ZwSparseResult {
  /* the caller's memory; lambda and Qc may be NULL when not wanted */
  double* a;      /* n */
  double* lambda; /* m */
  double* Qc;     /* n */

  /* how it went */
  double gaussian;   /* 1/2 (a - a0)^T M (a - a0); NaN in the KKT form, where a0 is not computed */
  double residual;   /* of the equation that holds worst, in parts of its terms; 0 where there was no need to look */
  int32_t worst_row; /* row of A that holds worst, -1 where there was no need to look */
  int32_t worst_coordinate; /* whose forces balance worst, where inertia is missing or in the KKT form; else -1 */
  int32_t refinements;      /* passes after the first */
} ZwSparseResult;

/* Solves with the last factors. ZW_ERR_DOMAIN when h, b or the answer is not finite; ZW_ERR_INCONSISTENT when rows
 * contradict each other: a then satisfies as many as could be, and zw_sparse_row_residuals tells which are left (on a
 * state that is projected onto the constraints; elsewhere redundant rows contradict each other by as much as they are
 * violated). The status of the factorisation when that failed. Results may not overlap h and b. */
ZwStatus zw_sparse_solve(ZwSparse* sparse, const double* h, const double* b, ZwSparseResult* result);

/* The smallest step dx, measured by M, with A dx = -r (T22). Where rows contradict each other the independent ones are
 * met. Directions without inertia are measured by a small one. r and dx may not overlap. */
ZwStatus zw_sparse_project(ZwSparse* sparse, const double* r, double* dx);

/* ---- what went wrong, and how near it was ---- */

/* |b_i - A_i a| of the last solve in parts of |A_i| |a| + |b_i|, for each row (m). */
void zw_sparse_row_residuals(ZwSparse* sparse, double* residuals);
/* Rows whose pivot was replaced: nothing was left of them but rounding once the rows before them were taken off. A
 * hint at dependent rows, not a decision; in the KKT form some may just have come too early. Writes at most m row
 * numbers; gives how many. */
int32_t zw_sparse_weak_rows(const ZwSparse* sparse, int32_t* rows);
/* For such a row: coefficients (m) with sum c_i A_i = 0 as far as the pivot was zero, c_row = 1. Says which rows it
 * follows from. */
void zw_sparse_dependence(ZwSparse* sparse, int32_t row, double* coefficients);
/* Whether all of these weak rows really follow from others: the combinations that the factors give them vanish. All are looked at
 * together, with weights of their own, in one pass; if one does not the answer is false. In the Schur form they always do. */
bool zw_sparse_rows_follow(ZwSparse* sparse, const int32_t* rows, int32_t count);
/* The smallest pivot, in parts of what it is measured by: for rows that is the squared sine of the angle to the rows before
 * (in the KKT form as far as their coordinates were eliminated). */
double zw_sparse_pivot_ratio(const ZwSparse* sparse);
/* The largest pivot, in parts of what it is measured by: at most about one in the Schur form. In the KKT form replaced pivots
 * let it grow, and every factor of ten costs a digit per pass of refinement. */
double zw_sparse_growth(const ZwSparse* sparse);
/* After ZW_ERR_UNDETERMINED: z (n, the largest is one in size) with A z = 0 and M z = 0, nearly. NULL otherwise. Valid
 * until the next factorisation. */
const double* zw_sparse_null_vector(const ZwSparse* sparse);

#endif
