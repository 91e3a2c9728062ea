/* T11 (UK98 26): M a = h + A^T (A M^-1 A^T)^{1} (b - A a0), the same for every {1}-inverse.
 *
 * With one of them, G, all are G + Y - G S Y S G, S = A M^-1 A^T, for any Y. They give different multipliers and the same
 * force. */
#include "least/cholesky.h"
#include "least/dense.h"
#include "least/paper.h"

static const double* shifted(ZwPaper* paper, const double* S, double* G, uint64_t seed) {
  int32_t m = paper->p.m;
  const double* Y = zw_random_matrix(paper, m, m, zw_inverse_size((ptrdiff_t)m * m, S), seed);
  const double *GS = zw_product(paper, m, m, m, G, S), *SG = zw_product(paper, m, m, m, S, G);
  const double* back = zw_product(paper, m, m, m, zw_product(paper, m, m, m, GS, Y), SG);
  zw_axpy(m * m, 1, Y, G);
  zw_axpy(m * m, -1, back, G);
  return G;
}

ZwStatus zw_solve_inverse1(ZwPaper* paper, uint64_t seed, ZwPaperResult* result) {
  int32_t n = paper->p.n, m = paper->p.m;
  const double* a0 = zw_paper_free_acceleration(paper);
  const double* d = zw_paper_deviation(paper, a0);
  /* S = (A L^-T) (A L^-T)^T */
  double* rows = zw_paper_take(paper, (ptrdiff_t)m * n);
  zw_copy((ptrdiff_t)m * n, paper->p.A, rows);
  zw_cholesky_solve_lower_rows(n, paper->L, m, rows);
  const double* S = zw_product(paper, m, n, m, rows, zw_transpose(paper, m, n, rows));
  double* G = zw_inverse_basic(paper, m, m, paper->r, S, paper->rank->order);
  if (!G) return ZW_ERR_DOMAIN;
  const double* inverse = seed ? shifted(paper, S, G, seed) : G;
  /* lambda, the force, and what it adds to the free acceleration */
  double *lambda = zw_paper_take(paper, m), *force = zw_paper_take(paper, n);
  zw_multiply(m, m, inverse, d, lambda);
  zw_fill(n, 0, force);
  zw_add_transposed(m, n, 1, paper->p.A, lambda, force);
  zw_copy(n, force, result->a);
  zw_cholesky_solve(n, paper->L, result->a);
  zw_axpy(n, 1, a0, result->a);
  /* of M' these are multipliers of the shifted problem; the force belongs to the user's M and h */
  if (!paper->is_definite) {
    zw_paper_force(paper, result->a, result->Qc);
    return ZW_OK;
  }
  zw_copy(n, force, result->Qc);
  zw_paper_give_multipliers(paper, lambda, result);
  return ZW_OK;
}
