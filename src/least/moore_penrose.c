/* T9 (UK98 24, U96 12): a = a0 + M^(-1/2) C^+ (b - A a0), C = A M^(-1/2). */
#include "least/dense.h"
#include "least/paper.h"

void zw_paper_apply(ZwPaper* paper, const double* root, const double* inverse_root, const double* inverse,
                    ZwPaperResult* result) {
  int32_t n = paper->p.n, m = paper->p.m;
  const double* a0 = zw_paper_free_acceleration(paper);
  const double* d = zw_paper_deviation(paper, a0);
  double* y = zw_paper_take(paper, n);
  zw_multiply(n, m, inverse, d, y);
  zw_multiply(n, n, inverse_root, y, result->a);
  zw_axpy(n, 1, a0, result->a);
  if (paper->is_definite)
    zw_multiply(n, n, root, y, result->Qc); /* UK98 25 */
  else
    zw_paper_force(paper, result->a, result->Qc);
}

ZwStatus zw_solve_moore_penrose(ZwPaper* paper, uint64_t seed, ZwPaperResult* result) {
  (void)seed; /* there is only one */
  int32_t n = paper->p.n, m = paper->p.m;
  double *root, *inverse_root;
  if (!zw_paper_roots(paper, &root, &inverse_root)) return ZW_ERR_DOMAIN;
  const double* C = zw_product(paper, m, n, n, paper->p.A, inverse_root);
  const double* inverse = zw_inverse_moore_penrose(paper, m, n, paper->r, C);
  if (!inverse) return ZW_ERR_DOMAIN;
  zw_paper_apply(paper, root, inverse_root, inverse, result);
  return ZW_OK;
}
