/* The problem as the papers see it, made ready once for every formulation; and the generalized inverses they speak of.
 *
 *   M a = h + Qc,  A a = b,  rows of A of any rank r <= min(m, n), consistent
 *   C = A M^(-1/2),  d = b - A a0,  M a0 = h
 *
 * Unlike least.h this takes rows that depend on each other, and it is exact to the papers rather than fast: dense,
 * symmetric roots, singular values. For M that is not definite (T20, T21) the formulations that need M^-1 work with
 * M' = M + A^T W A, h' = h + A^T W b, which changes neither the motion nor the multipliers; the others use M itself.
 *
 * Symmetric roots and singular values mix all coordinates and all rows, so the units of these would decide how many
 * digits are left. Inside, coordinates have units in which their inertia is about one, x = D a, and rows are about as
 * long as one in the metric; both by powers of two, which rounds nothing. What the user sees is in the user's units.
 *
 * Matrices are row-major. Memory for all steps is one stack of numbers: what a step takes lives until the next problem
 * is put. Nothing is allocated. */
#ifndef ZW_LEAST_PAPER_H
#define ZW_LEAST_PAPER_H

#include "least/formulation.h"
#include "least/rank.h"

struct ZwPaper {
  int32_t n_max, m_max;
  double* stack;
  ptrdiff_t used, capacity; /* of the stack */
  ZwRank* rank;             /* of the rows: independent ones first, and what the others repeat */

  /* the problem, in units of our own: D^-1 M D^-1, D^-1 h, E A D^-1, E b */
  ZwPaperProblem p;
  double* D_inverse;   /* n */
  double* E;           /* m */
  const double* size;  /* m: of the rows, in the metric of M'; p.scale has those that they can have */
  int32_t r;           /* rank of A */
  bool is_definite;    /* M itself is positive definite */
  bool is_regular;     /* M has an inverse, so a0 and the Gaussian exist (T21) */
  bool is_minimum;     /* M is positive definite on the admissible accelerations, so M' is */
  const double *M, *h; /* M' and h' where M is not definite; NULL unless is_minimum */
  const double* L;     /* M' = L L^T; NULL unless is_minimum */
  const double* LU;    /* the factors of a regular M that is not definite; NULL otherwise */
  const int32_t* swap; /* n: rows exchanged in them */
};

/* Takes the next `count` numbers of the stack. */
double* zw_paper_take(ZwPaper* paper, ptrdiff_t count);

/* ---- paper.c ---- */

/* Takes the problem over into our units, decides definiteness and rank and looks for contradictions. The coefficients of
 * paper->rank refer to the rows as given. Gives ZW_ERR_DOMAIN, ZW_ERR_INCONSISTENT or ZW_ERR_UNDETERMINED with a reason. */
ZwStatus zw_paper_put(ZwPaper* paper, const ZwPaperProblem* problem, ZwPaperResult* result);
/* a and Qc from the user's units into ours, and back. */
void zw_paper_take_over(const ZwPaper* paper, ZwPaperResult* result);
void zw_paper_give_back(const ZwPaper* paper, ZwPaperResult* result);
/* Hands multipliers of our rows to the user, if wanted: those of the rows as given. */
void zw_paper_give_multipliers(const ZwPaper* paper, const double* lambda, ZwPaperResult* result);

/* x = M^-1 x with M itself, which must be regular. */
void zw_paper_divide(const ZwPaper* paper, double* x);
/* a0 = M'^-1 h' */
double* zw_paper_free_acceleration(ZwPaper* paper);
/* d = b - A a0 */
double* zw_paper_deviation(ZwPaper* paper, const double* a0);
/* M'^(1/2) and its inverse, symmetric. False when the eigenvalues cannot be told from zero. */
/* M has a negative eigenvalue, by more than rounding. */
bool zw_paper_is_indefinite(ZwPaper* paper);
bool zw_paper_roots(ZwPaper* paper, double** root, double** inverse_root);
/* The same of any positive definite n x n matrix. */
bool zw_roots_of(ZwPaper* paper, int32_t n, const double* M, double** root, double** inverse_root);
/* The r independent rows of A, and of b. */
double* zw_paper_independent_rows(ZwPaper* paper);
double* zw_paper_independent_b(ZwPaper* paper);
/* Orthonormal rows that span the null space of A: (n - r) x n. */
double* zw_paper_null_space(ZwPaper* paper, const double* A_independent);
/* Qc = M a - h, not with M' and h' (T7). */
void zw_paper_force(const ZwPaper* paper, const double* a, double* Qc);
/* 1/2 (a - a0)^T M (a - a0) = 1/2 Qc^T M^-1 Qc; NaN where M has no inverse. */
double zw_paper_gaussian(ZwPaper* paper, const double* Qc);

/* a = a0 + M'^(-1/2) G d and Qc = M'^(1/2) G d for a {1,4}-inverse G of C, n x m (moore_penrose.c). */
void zw_paper_apply(ZwPaper* paper, const double* root, const double* inverse_root, const double* inverse,
                    ZwPaperResult* result);

/* ---- inverses.c: of the p x q matrix X of rank r, each q x p ---- */

double* zw_product(ZwPaper* paper, int32_t p, int32_t k, int32_t q, const double* X, const double* Y); /* X Y, p x q */
double* zw_transpose(ZwPaper* paper, int32_t p, int32_t q, const double* X);
/* The columns of X, those that are independent of the ones before first; `order` has q entries. */
int32_t* zw_column_order(ZwPaper* paper, int32_t p, int32_t q, const double* X);
/* The same with the columns first that the user put there, then the others as they stand. False: the first r depend on each other,
 * or there are less; result->dependent is the one that does. */
bool zw_column_order_given(ZwPaper* paper, ZwPaperResult* result, const int32_t** order);
/* Moore-Penrose. NULL when the singular values do not converge. */
double* zw_inverse_moore_penrose(ZwPaper* paper, int32_t p, int32_t q, int32_t r, const double* X);
/* A {1}-inverse: the inverse of r independent rows and columns, zero elsewhere. NULL when those are singular. */
double* zw_inverse_basic(ZwPaper* paper, int32_t p, int32_t q, int32_t r, const double* X, const int32_t* rows);
/* A {1,4}-inverse: the right inverse of r independent rows, zero for the others. */
double* zw_inverse_of_rows(ZwPaper* paper, int32_t p, int32_t q, int32_t r, const double* X, const int32_t* rows);
/* A {1,3}-inverse: the left inverse of r independent columns, zero for the others. */
double* zw_inverse_of_columns(ZwPaper* paper, int32_t p, int32_t q, int32_t r, const double* X);
/* 1 / |X|, the size of what may be added to an inverse of X. That of the inverse itself is 1 / the smallest singular
 * value, and sums that must cancel would take its digits once more. */
double zw_inverse_size(ptrdiff_t count, const double* X);
/* Y with entries of both signs about as large as `size`, the same for the same seed. */
double* zw_random_matrix(ZwPaper* paper, int32_t p, int32_t q, double size, uint64_t seed);

/* ---- one file each; zw_paper_put has been called, result->a and result->Qc are filled ---- */

ZwStatus zw_solve_moore_penrose(ZwPaper* paper, uint64_t seed, ZwPaperResult* result);
ZwStatus zw_solve_inverse14(ZwPaper* paper, uint64_t seed, ZwPaperResult* result);
ZwStatus zw_solve_inverse1(ZwPaper* paper, uint64_t seed, ZwPaperResult* result);
ZwStatus zw_solve_quadratic(ZwPaper* paper, uint64_t seed, ZwPaperResult* result);
ZwStatus zw_solve_gibbs_appell(ZwPaper* paper, uint64_t seed, ZwPaperResult* result);
ZwStatus zw_solve_lagrange(ZwPaper* paper, uint64_t seed, ZwPaperResult* result);
ZwStatus zw_solve_geometric(ZwPaper* paper, uint64_t seed, ZwPaperResult* result);
ZwStatus zw_solve_bellman(ZwPaper* paper, uint64_t seed, ZwPaperResult* result);

#endif
