/* Gauss's principle of least constraint on plain matrices, for those who have M, h, A and b already:
 *
 *   minimise 1/2 (a - a0)^T M (a - a0)   subject to   A a = b,   where M a0 = h.
 *
 *   ZwLeastDef def = zw_default_least_def();
 *   def.n = 9; def.m = 8;
 *   ZwLeastSolver* solver;
 *   if (zw_least_create(&def, &solver) == ZW_OK) {
 *     ZwLeastInput in = {.m = 8, .M = M, .h = h, .A = A, .b = b};
 *     ZwLeastOutput out = {.a = a, .lambda = lambda};
 *     ZwStatus status = zw_least_solve(solver, &in, &out);
 *     ...
 *     zw_least_destroy(solver);
 *   }
 *
 * Rows of A may repeat each other, M may be semidefinite. Nothing is allocated while solving. A solver belongs to one thread at a
 * time; any number of them may be at work at once.
 */
#ifndef ZWANG_LEAST_H
#define ZWANG_LEAST_H

#include "zwang/types.h"
#include "zwang/zwang.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ZwLeastSolver ZwLeastSolver;

/* Where a sparse matrix has an entry. */
typedef struct ZwLeastPlace {
  int32_t row, column;
} ZwLeastPlace;

/* What to make room for. Fill with zw_default_least_def(), then set n and m. */
typedef struct ZwLeastDef {
  uint32_t cookie, def_size; /* set by zw_default_least_def() */

  int32_t n, m; /* coordinates; most rows of a problem */
  /* Which equations give the answer: default NULL, "auto"; zw_formulation_text lists the names. "gibbs-appell-quasi" needs a model. */
  const char* formulation;
  /* For sparse matrices: where they have entries; default NULL: all are dense. Of M each entry is named once, in either triangle.
   * A place that is named twice has the sum of its values; an entry of M that is named in both triangles is refused. With them only "auto"
   * solves. */
  const ZwLeastPlace *M_places, *A_places;
  int32_t M_count, A_count;
  int32_t detail;        /* parts of ZwDetailPart to make room for; default 0: none. Not with sparse matrices */
  ZwAllocator allocator; /* default malloc and free */
} ZwLeastDef;

typedef struct ZwLeastInput {
  int32_t m;           /* rows of this problem: at most those of the definition; as many if it is sparse */
  const double *M, *A; /* n x n and m x n, row-major; or a value for every place */
  const double *h, *b; /* n, m */
  bool
      wants_evidence; /* fills residual, optimality and gaussian, for about the price of the solve; not of sparse matrices. `detail` fills them too */
  /* A generalized inverse of the caller's own, by which it is solved in place of the formulation; default none. The conditions of its kind are checked.
   * Not with sparse matrices. */
  ZwInverseKind kind;
  const double* inverse;
  const double* A_inverse; /* n x m: A- in H, for ZW_INVERSE_H13; NULL: A^+ */
  bool is_seed; /* `inverse` is any matrix Y of that size, from which an inverse is made, as C^+ + Y (1 - C C^+) */
  const ZwDetailDef* detail;      /* what else is wanted, of the parts that the solver has room for; NULL: nothing */
  const char* const* coordinates; /* n: names of the coordinates, for `reason`; NULL: their numbers, from 1 */
} ZwLeastInput;

typedef struct ZwLeastOutput {
  /* the caller's memory; all but a may be NULL */
  double* a; /* n */
  double*
      lambda; /* m: M a = h + A^T lambda; the smallest where rows repeat each other; NaN where the formulation has none */
  double* Qc; /* n: the force of the constraints, A^T lambda */

  /* how it went */
  int32_t rank;       /* independent rows; -1: sparse, nobody counted */
  bool is_minimum;    /* false: a is the stationary point, but the Gaussian has no minimum there */
  double residual;    /* |A a - b|, the largest row in units of its size; NaN: it was not asked for */
  double optimality;  /* |Z^T Qc|, the largest in units of |Qc| and |h|; NaN: it was not asked for */
  double gaussian;    /* what was minimised, or is stationary; NaN: it was not asked for, or M has no inverse */
  const char* reason; /* why there is no answer, a sentence; "" */
  const ZwLeastDetail* detail; /* what `detail` asked for, until the next solve; NULL: nothing */
} ZwLeastOutput;

/* The definition as it usually is. Checks: nothing is given. */
ZW_API ZwLeastDef zw_default_least_def(void);
/* ZW_ERR_MEMORY; ZW_ERR_LIMIT: the factors would be too large, full matrices have more than 32768 rows, or sparse ones more than 2^28. *solver is NULL then. Checks: NULL;
 * the cookie of `def`; n below 1, m below 0; the formulation; counts below 0, or without places; places outside; half an allocator. */
ZW_API ZwStatus zw_least_create(const ZwLeastDef* def, ZwLeastSolver** solver);
/* Gives
 *   ZW_ERR_ARGUMENT      as under "Checks"
 *   ZW_ERR_DOMAIN        a number is not finite, or numbers are too far apart for double precision
 *   ZW_ERR_INCONSISTENT  no a satisfies A a = b
 *   ZW_ERR_UNDETERMINED  neither inertia nor a constraint determines some direction
 *   ZW_ERR_UNSUPPORTED   the formulation needs a minimum, and there is none
 *   ZW_ERR_MASS          M is indefinite, and sparse
 *   ZW_ERR_VALUE         a stated inverse violates a condition of its kind, or columns put first depend on each other
 * each with a reason. Checks: solver, in or out NULL; m that the solver has no room for; M, h, A, b or the room for a missing; results that
 * overlap what goes in, or each other; a full M that is not symmetric to 1e-10, of its entries or of the masses on its diagonal; a kind of inverse that does not exist, one without its matrix, or
 * with a number that is not finite; details that the solver has no room for, or whose lists are not whole; either with sparse matrices. */
ZW_API ZwStatus zw_least_solve(ZwLeastSolver* solver, const ZwLeastInput* in, ZwLeastOutput* out);
/* Frees the solver. Checks: NULL is fine. */
ZW_API void zw_least_destroy(ZwLeastSolver* solver);

#ifdef __cplusplus
}
#endif

#endif
