/* A frame of the admissible accelerations carried along the motion: of all orthonormal bases of the null space of A the one
 * nearest to that of the state before, Z = polar((1 - A^+ A) Z0) (T16). It turns no more than the constraints do,
 * so that numbers in it can be followed from state to state. */
#include "least/dense.h"
#include "least/paper.h"
#include "least/svd.h"

/* U V^T of (1 - A^+ A) Z0 = U S V^T; Zt holds Z0^T, then the answer. False when the null space has turned away from Z0. */
static bool turn(ZwPaper* paper, const double* basis, int32_t f, double* Zt) {
  int32_t n = paper->p.n;
  /* in the new basis: basis^T Z0, f x f, whose polar factor turns the basis towards Z0 */
  const double* W = zw_product(paper, f, n, f, Zt, zw_transpose(paper, f, n, basis)); /* Z0^T basis */
  double *sigma = zw_paper_take(paper, f), *Ut = zw_paper_take(paper, (ptrdiff_t)f * f),
         *Vt = zw_paper_take(paper, (ptrdiff_t)f * f);
  if (zw_svd(f, f, W, sigma, Ut, Vt) || (f > 0 && !(sigma[f - 1] > 1e-6))) return false;
  const double* polar = zw_product(paper, f, f, f, zw_transpose(paper, f, f, Ut), Vt);
  zw_copy((ptrdiff_t)f * n, zw_product(paper, f, f, n, polar, basis), Zt);
  return true;
}

ZwStatus zw_formulation_carry(ZwPaper* paper, const ZwPaperProblem* problem, int32_t* f, double* Zt) {
  ZwPaperResult result = {0};
  ZW_TRY(zw_paper_put(paper, problem, &result));
  int32_t n = paper->p.n, now = n - paper->r;
  /* orthonormal in the units of the user, who will read it */
  double* rows = zw_paper_take(paper, (ptrdiff_t)paper->r * n);
  for (ptrdiff_t i = 0; i < paper->r; i++) zw_copy(n, problem->A + (ptrdiff_t)paper->rank->order[i] * n, rows + i * n);
  const double* basis = zw_paper_null_space(paper, rows);
  if (*f != now || !turn(paper, basis, now, Zt)) zw_copy((ptrdiff_t)now * n, basis, Zt);
  *f = now;
  return ZW_OK;
}
