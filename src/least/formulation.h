/* Every formulation of the five papers behind one table (T9-T19). All compute the acceleration of Gauss's principle (T6)
 * from plain numbers {n, m, M, h, A, b}; they agree, though they are not the same.
 *
 * The rows of A may repeat each other. A formulation gives the right answer, or a status and a reason in words why it
 * does not apply; never garbage. */
#ifndef ZW_LEAST_FORMULATION_H
#define ZW_LEAST_FORMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* ORDER FORMULATION */
typedef enum ZwFormulation {
  ZW_FORMULATION_AUTO, /* the production solve (least.h) */
  ZW_FORMULATION_MOORE_PENROSE,
  ZW_FORMULATION_INVERSE14,
  ZW_FORMULATION_INVERSE1,
  ZW_FORMULATION_QUADRATIC,
  ZW_FORMULATION_GIBBS_APPELL,
  ZW_FORMULATION_LAGRANGE,
  ZW_FORMULATION_GEOMETRIC,
  ZW_FORMULATION_BELLMAN,
  ZW_FORMULATION_QUASI, /* in the quasi-velocities of the model (frame.h) */
  ZW_FORMULATION_COUNT
} ZwFormulation;

const char* zw_formulation_name(ZwFormulation formulation);
const char* zw_formulation_words(ZwFormulation formulation); /* what it computes, in a line */
/* ZW_FORMULATION_COUNT when there is none of that name. */
ZwFormulation zw_formulation_find(const char* name);
/* In how many ways its generalized inverses are chosen; the answer must not depend on it. */
int32_t zw_formulation_choices(ZwFormulation formulation);

typedef struct ZwPaperProblem {
  int32_t n, m;
  const double* M;     /* n x n, symmetric, both triangles filled */
  const double* h;     /* n */
  const double* A;     /* m x n, of any rank */
  const double* b;     /* m */
  const double* scale; /* m: the sizes rows can have (R1); NULL: the sizes they have */
  /* Columns the user puts first: those that are eliminated (T27), those the recursion begins with (T28); NULL: the largest. */
  const int32_t* first;
  int32_t first_count;
} ZwPaperProblem;

/* The explicit Gibbs-Appell equations (T14): K a_i = right side. */
typedef struct ZwGibbsAppell {
  int32_t f;            /* n - r independent accelerations */
  const int32_t* order; /* n: coordinates, the r dependent ones first */
  const double* R;      /* r x f: Ae^+ Ai */
  const double* K;      /* f x f: Mii + R^T Mee R - Mie R - R^T Mei */
  const double* P;      /* f: hi - R^T he, the force of virtual work */
  const double* right;  /* f: P + (R^T Mee - Mie) c */
  const double* c;      /* r: Ae^+ b */
  double S0;            /* S(ai) = 1/2 ai^T K ai + (P - right)^T ai + S0 */
  double S;             /* 1/2 a^T M a, the kinetic energy of acceleration, at the answer */
} ZwGibbsAppell;

/* The multipliers of Lagrange's equations (T15): lambda + W^T w for any w. */
typedef struct ZwLagrange {
  int32_t dim;     /* m - r: the dimension of the freedom */
  const double* W; /* dim x m: rows that span the null space of A^T */
} ZwLagrange;

/* Bellman-Gauss (T19). */
typedef struct ZwBellman {
  const int32_t* order; /* n: columns, the r independent ones first */
  const double* R_r;    /* m x m: where the recursion begins */
  const double* beta;   /* (n - r) x m: beta_k of column order[r], order[r + 1], .. */
  double cost;          /* d^T R_n d, which must be twice the Gaussian of M' */
} ZwBellman;

typedef struct ZwPaperResult {
  /* the caller's memory */
  double *a, *Qc; /* n */
  double* lambda; /* m; NULL when not wanted. Filled only where has_lambda */

  /* how it went */
  int32_t rank;
  double kept; /* the smallest independent row, as a part of its size, beside the others; near 0: rank is being lost */
  bool has_lambda; /* the formulation has multipliers: those of Lagrange are the smallest (T15) */
  bool is_minimum; /* false: a is the stationary point, but the Gaussian has no minimum there (T21) */
  double
      gaussian; /* 1/2 (a - a0)^T M (a - a0), of either sign where M is indefinite; NaN where M has no inverse (T20) */
  double residual;    /* |A a - b|, the largest row in units of its size (R1) and of the accelerations, free ones too */
  double optimality;  /* |Z^T Qc|, the largest in units of |Qc| and |h| (T7) */
  const char* reason; /* why there is no answer, a sentence; "" when there is one */
  int32_t dependent;  /* the column of those put first that depends on the ones before it; -1 */
  /* n: a direction that ZW_ERR_UNDETERMINED leaves free, the largest is one in size, rounding is exactly zero; NULL. Lives until the next problem */
  const double* free_direction;

  /* what only some have, in memory that lives until the next problem */
  ZwGibbsAppell gibbs_appell;
  ZwLagrange lagrange;
  ZwBellman bellman;
} ZwPaperResult;

typedef struct ZwPaper ZwPaper;

/* Bytes for n coordinates and at most m rows, and the object placed in them, aligned like malloc's memory. */
size_t zw_paper_work_size(int32_t n, int32_t m);
ZwPaper* zw_paper_place(void* memory, int32_t n, int32_t m);

/* Solves by one formulation. `seed` 0 takes a natural choice of generalized inverses, any other number a random one. Not for ZW_FORMULATION_AUTO (least.h) and ZW_FORMULATION_QUASI (frame.h). Gives
 *   ZW_ERR_DOMAIN        a number is not finite, or numbers too far apart for double precision
 *   ZW_ERR_INCONSISTENT  no a satisfies A a = b
 *   ZW_ERR_UNDETERMINED  neither inertia nor a constraint determines some direction
 *   ZW_ERR_UNSUPPORTED   the formulation needs a minimum and M has none on the admissible accelerations
 *   ZW_ERR_VALUE         the columns put first depend on each other, or are not as many as rows are independent
 * each with a reason; a and Qc are then NaN. */
ZwStatus zw_formulation_solve(ZwPaper* paper, ZwFormulation formulation, uint64_t seed, const ZwPaperProblem* problem,
                              ZwPaperResult* result);

/* Measures an answer that came from elsewhere, in result->a and result->Qc, like those of the formulations: rank,
 * gaussian, residual, optimality. */
ZwStatus zw_formulation_judge(ZwPaper* paper, const ZwPaperProblem* problem, ZwPaperResult* result);

/* The orthonormal rows Zt (*f x n) that span the null space of A, nearest to those that Zt holds from a state before; *f
 * other than the dimension, as -1, begins anew. Zt has room for n x n numbers. */
ZwStatus zw_formulation_carry(ZwPaper* paper, const ZwPaperProblem* problem, int32_t* f, double* Zt);

#endif
