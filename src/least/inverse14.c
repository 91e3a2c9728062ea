/* T10 (UK98 24/25, U96 11): any {1,4}-inverse of C = A M^(-1/2) in place of the Moore-Penrose inverse.
 *
 * All of them are G + Y (1 - C G) with one, G, and any Y; they differ only outside of the range of C, where consistent
 * constraints have nothing. */
#include "least/dense.h"
#include "least/paper.h"

/* G + Y (1 - C G) */
static const double* shifted(ZwPaper* paper, const double* C, double* G, uint64_t seed) {
  int32_t n = paper->p.n, m = paper->p.m;
  double* rest = zw_product(paper, m, n, m, C, G);
  zw_scale(m * m, -1, rest);
  for (int32_t i = 0; i < m; i++) rest[(ptrdiff_t)i * m + i] += 1;
  const double* Y = zw_random_matrix(paper, n, m, zw_inverse_size((ptrdiff_t)n * m, C), seed);
  zw_axpy(n * m, 1, zw_product(paper, n, m, m, Y, rest), G);
  return G;
}

ZwStatus zw_solve_inverse14(ZwPaper* paper, uint64_t seed, ZwPaperResult* result) {
  int32_t n = paper->p.n, m = paper->p.m;
  double *root, *inverse_root;
  if (!zw_paper_roots(paper, &root, &inverse_root)) return ZW_ERR_DOMAIN;
  const double* C = zw_product(paper, m, n, n, paper->p.A, inverse_root);
  double* rows = zw_inverse_of_rows(paper, m, n, paper->r, C, paper->rank->order);
  zw_paper_apply(paper, root, inverse_root, seed ? shifted(paper, C, rows, seed) : rows, result);
  return ZW_OK;
}
