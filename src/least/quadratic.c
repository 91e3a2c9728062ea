/* T12 (KU93 29, 30, 33): the quadratic program solved by generalized inverses. With any {1}-inverse A- of A,
 * N = 1 - A- A, H = M^(1/2) N and any {1,3}-inverse H~ of H:
 *
 *   a  = (A- - X A-) b + N H~ M^(-1/2) h,            X = N H~ M^(1/2)
 *   Qc = -(1 - M X M^-1) h + M (1 - X) A- b
 *
 * H has rank n - r: that is what A leaves free, and the rank of H itself is not asked (H is nothing but rounding when
 * r = n). T13 (KU93 35) gives the multipliers of independent rows, lambda = (A A^T)^-1 A Qc. */
#include "least/cholesky.h"
#include "least/dense.h"
#include "least/paper.h"

/* 1 - A- A */
static double* left_free(ZwPaper* paper, const double* inverse) {
  int32_t n = paper->p.n;
  double* N = zw_product(paper, n, paper->p.m, n, inverse, paper->p.A);
  zw_scale(n * n, -1, N);
  for (int32_t i = 0; i < n; i++) N[(ptrdiff_t)i * n + i] += 1;
  return N;
}

/* A- + Y - A- A Y A A-, or the Moore-Penrose inverse of KU93 30 */
static const double* inverse_of_A(ZwPaper* paper, uint64_t seed) {
  int32_t n = paper->p.n, m = paper->p.m;
  const double* A = paper->p.A;
  if (!seed) return zw_inverse_moore_penrose(paper, m, n, paper->r, A);
  double* G = zw_inverse_basic(paper, m, n, paper->r, A, paper->rank->order);
  if (!G) return NULL;
  const double* Y = zw_random_matrix(paper, n, m, zw_inverse_size((ptrdiff_t)n * m, A), seed);
  const double *GA = zw_product(paper, n, m, n, G, A), *AG = zw_product(paper, m, n, m, A, G);
  const double* back = zw_product(paper, n, m, m, zw_product(paper, n, n, m, GA, Y), AG);
  zw_axpy(n * m, 1, Y, G);
  zw_axpy(n * m, -1, back, G);
  return G;
}

static const double* inverse_of_H(ZwPaper* paper, const double* H, uint64_t seed) {
  int32_t n = paper->p.n, f = n - paper->r;
  return seed ? zw_inverse_of_columns(paper, n, n, f, H) : zw_inverse_moore_penrose(paper, n, n, f, H);
}

/* Qc = -h + M X M^-1 h + M (1 - X) A- b */
static void force(ZwPaper* paper, const double* X, const double* x, ZwPaperResult* result) {
  int32_t n = paper->p.n;
  double *free = zw_paper_take(paper, n), *sum = zw_paper_take(paper, n);
  zw_copy(n, paper->h, free);
  zw_cholesky_solve(n, paper->L, free);
  zw_axpy(n, -1, x, free); /* M^-1 h - A- b */
  zw_multiply(n, n, X, free, sum);
  zw_axpy(n, 1, x, sum);
  zw_multiply(n, n, paper->M, sum, result->Qc);
  zw_axpy(n, -1, paper->h, result->Qc);
}

/* T13 */
static void multipliers(ZwPaper* paper, ZwPaperResult* result) {
  int32_t n = paper->p.n, m = paper->p.m;
  if (paper->r < m) return;
  const double* inverse = zw_inverse_of_rows(paper, m, n, m, paper->p.A, paper->rank->order); /* A^T (A A^T)^-1 */
  double* lambda = zw_paper_take(paper, m);
  zw_fill(m, 0, lambda);
  zw_add_transposed(n, m, 1, inverse, result->Qc, lambda);
  zw_paper_give_multipliers(paper, lambda, result);
}

ZwStatus zw_solve_quadratic(ZwPaper* paper, uint64_t seed, ZwPaperResult* result) {
  int32_t n = paper->p.n, m = paper->p.m;
  double *root, *inverse_root;
  if (!zw_paper_roots(paper, &root, &inverse_root)) return ZW_ERR_DOMAIN;
  const double* inverse = inverse_of_A(paper, seed);
  if (!inverse) return ZW_ERR_DOMAIN;
  const double* N = left_free(paper, inverse);
  const double* H = zw_product(paper, n, n, n, root, N);
  const double* H_inverse = inverse_of_H(paper, H, seed);
  if (!H_inverse) return ZW_ERR_DOMAIN;
  const double* NH = zw_product(paper, n, n, n, N, H_inverse);
  const double* X = zw_product(paper, n, n, n, NH, root);
  /* a = A- b - X A- b + N H~ M^(-1/2) h */
  double *x = zw_paper_take(paper, n), *w = zw_paper_take(paper, n);
  zw_multiply(n, m, inverse, paper->p.b, x);
  zw_multiply(n, n, inverse_root, paper->h, w);
  zw_multiply(n, n, NH, w, result->a);
  zw_multiply(n, n, X, x, w);
  for (int32_t i = 0; i < n; i++) result->a[i] += x[i] - w[i];
  if (paper->is_definite)
    force(paper, X, x, result);
  else
    zw_paper_force(paper, result->a, result->Qc);
  multipliers(paper, result);
  return ZW_OK;
}
