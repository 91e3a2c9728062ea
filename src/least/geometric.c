/* T16 (L96 5.3, 5.4): Gibbs-Appell equations for any regular Lagrangian. The admissible accelerations are a = Z alpha + c
 * with a basis Z of the null space of A and any c with A c = b; the Gibbs function restricted to them is stationary,
 *
 *   Z^T M Z alpha = Z^T (h - M c)
 *
 * which needs neither M^-1 nor multipliers. A seed other than 0 takes another basis and another c. */
#include "least/dense.h"
#include "least/lu.h"
#include "least/paper.h"

/* Z and c that look nothing like the orthonormal ones: Z S with a random S, c + Z s as large as the accelerations are. */
static const double* other_basis(ZwPaper* paper, const double* Zt, int32_t f, uint64_t seed, double* c) {
  int32_t n = paper->p.n;
  double* S = zw_random_matrix(paper, f, f, 1 / sqrt(f > 0 ? f : 1), seed);
  for (int32_t i = 0; i < f; i++) S[(ptrdiff_t)i * f + i] += 2;
  zw_add_transposed(f, n, zw_larger(zw_max_abs(n, paper->p.h), zw_max_abs(n, c)), Zt, S, c); /* |M| is about 1 */
  return zw_product(paper, f, f, n, S, Zt);
}

ZwStatus zw_solve_geometric(ZwPaper* paper, uint64_t seed, ZwPaperResult* result) {
  int32_t n = paper->p.n, r = paper->r, f = n - r;
  const double *A = zw_paper_independent_rows(paper), *b = zw_paper_independent_b(paper);
  const double* Zt = zw_paper_null_space(paper, A);
  /* c = A_i^+ b_i, the shortest */
  int32_t* all = (int32_t*)(void*)zw_paper_take(paper, r);
  for (int32_t i = 0; i < r; i++) all[i] = i;
  double* c = result->a;
  zw_multiply(n, r, zw_inverse_of_rows(paper, r, n, r, A, all), b, c);
  if (seed) Zt = other_basis(paper, Zt, f, seed, c);
  /* alpha */
  const double* ZtM = zw_product(paper, f, n, n, Zt, paper->p.M);
  double* K = zw_product(paper, f, n, f, ZtM, zw_transpose(paper, f, n, Zt));
  double* alpha = zw_paper_take(paper, f);
  for (int32_t i = 0; i < f; i++) {
    alpha[i] = zw_dot(n, Zt + (ptrdiff_t)i * n, paper->p.h) - zw_dot(n, ZtM + (ptrdiff_t)i * n, c);
  }
  int32_t* swap = (int32_t*)(void*)zw_paper_take(paper, f);
  if (zw_lu_factor(f, K, swap) == 0) return ZW_ERR_UNDETERMINED;
  zw_lu_solve(f, K, swap, alpha);
  zw_add_transposed(f, n, 1, Zt, alpha, result->a);
  zw_paper_force(paper, result->a, result->Qc);
  return ZW_OK;
}
