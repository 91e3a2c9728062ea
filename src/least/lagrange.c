/* T15 (U96 30, 31): Lagrange's equations of the first kind,
 *
 *   [ M  -A^T ] [ a      ]   [ h ]
 *   [ A    0  ] [ lambda ] = [ b ]
 *
 * solved with independent rows. Where other rows repeat them, A_d = K A_i, the load can be shared: of all multipliers
 * with the same force the smallest are [1; K] (1 + K^T K)^-1 mu, and the rows w = e_d - K_d of W span all that may be added
 * (U96 42). Multipliers refer to the rows as given, not to scaled ones. */
#include "least/dense.h"
#include "least/lu.h"
#include "least/paper.h"

/* The equations with rows and columns of comparable size: symmetric scaling by powers of two. */
static bool solve_equations(ZwPaper* paper, const double* A, const double* b, double* a, double* mu) {
  ptrdiff_t n = paper->p.n, r = paper->r, size = n + r;
  double *K = zw_paper_take(paper, size * size), *x = zw_paper_take(paper, size), *scale = zw_paper_take(paper, size);
  int32_t* swap = (int32_t*)(void*)zw_paper_take(paper, size);
  zw_fill(size * size, 0, K);
  for (ptrdiff_t i = 0; i < n; i++) zw_copy(n, paper->p.M + i * n, K + i * size);
  for (ptrdiff_t k = 0; k < r; k++) {
    zw_copy(n, A + k * n, K + (n + k) * size);
    for (ptrdiff_t i = 0; i < n; i++) K[i * size + n + k] = A[k * n + i];
  }
  zw_copy(n, paper->p.h, x);
  zw_copy(r, b, x + n);
  for (ptrdiff_t i = 0; i < size; i++) {
    double most = zw_max_abs(size, K + i * size);
    int exponent = 0;
    (void)frexp(most, &exponent);
    scale[i] = most > 0 ? ldexp(1, -exponent / 2) : 1;
  }
  for (ptrdiff_t i = 0; i < size; i++) {
    x[i] *= scale[i];
    for (ptrdiff_t j = 0; j < size; j++) K[i * size + j] *= scale[i] * scale[j];
  }
  if (zw_lu_factor((int32_t)size, K, swap) == 0) return false;
  zw_lu_solve((int32_t)size, K, swap, x);
  for (ptrdiff_t i = 0; i < n; i++) a[i] = x[i] * scale[i];
  for (ptrdiff_t k = 0; k < r; k++) mu[k] = -x[n + k] * scale[n + k]; /* the matrix is symmetric with -lambda */
  return true;
}

static ZwLagrange freedom(ZwPaper* paper) {
  const ZwRank* rank = paper->rank;
  int32_t m = rank->m, r = rank->rank, dim = m - r;
  double* W = zw_paper_take(paper, (ptrdiff_t)dim * m);
  zw_fill((ptrdiff_t)dim * m, 0, W);
  for (ptrdiff_t d = 0; d < dim; d++) {
    W[d * m + rank->order[r + d]] = 1;
    for (int32_t j = 0; j < r; j++) W[d * m + rank->order[j]] = -rank->coefficients[d * r + j];
  }
  return (ZwLagrange){dim, W};
}

ZwStatus zw_solve_lagrange(ZwPaper* paper, uint64_t seed, ZwPaperResult* result) {
  (void)seed; /* nothing is chosen */
  int32_t n = paper->p.n, m = paper->p.m;
  const double *A = zw_paper_independent_rows(paper), *b = zw_paper_independent_b(paper);
  double *mu = zw_paper_take(paper, paper->r), *lambda = zw_paper_take(paper, m);
  if (!solve_equations(paper, A, b, result->a, mu)) return ZW_ERR_UNDETERMINED;
  zw_fill(n, 0, result->Qc);
  zw_add_transposed(paper->r, n, 1, A, mu, result->Qc);
  for (int32_t i = 0; i < paper->r; i++) mu[i] *= paper->E[paper->rank->order[i]]; /* of the rows as given */
  zw_rank_share(paper->rank, zw_paper_take(paper, (ptrdiff_t)paper->r * paper->r), mu, lambda);
  result->has_lambda = true;
  if (result->lambda) zw_copy(m, lambda, result->lambda);
  result->lagrange = freedom(paper);
  return ZW_OK;
}
