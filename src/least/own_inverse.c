#include "least/own_inverse.h"

#include "base/print.h"
#include "least/cholesky.h"
#include "least/dense.h"
#include "least/paper.h"

/* A condition holds when it is off by no more than this part of the products in it. Inverses are typed with some ten digits. */
static const double tol_condition_rel = 1e-8;

typedef struct Own {
  ZwPaper* paper;
  int32_t n, m, r;
  const ZwPaperProblem* p;
  double *root, *inverse_root, *L; /* of M, as it was put */
  char* reason;
  size_t size;
} Own;

static double* identity_less(int32_t n, double* X) {
  for (ptrdiff_t i = 0; i < (ptrdiff_t)n * n; i++) X[i] = (i % (n + 1) == 0 ? 1 : 0) - X[i];
  return X;
}

static double* product(Own* own, int32_t p, int32_t k, int32_t q, const double* X, const double* Y) {
  return zw_product(own->paper, p, k, q, X, Y);
}

/* ---- conditions ---- */

static double largest_difference(ptrdiff_t count, const double* X, const double* Y) {
  double most = 0;
  for (ptrdiff_t i = 0; i < count; i++) most = zw_larger(most, fabs(X[i] - Y[i]));
  return most;
}

static bool holds(Own* own, const char* condition, double off, double size) {
  double part = size > 0 ? off / size : off;
  if (part <= tol_condition_rel) return true;
  zw_snprintf(own->reason, own->size, "%s fails: it is off by %.3g of its size", condition, part);
  return false;
}

/* X G X = X for X p x q, G q x p */
static bool is_inverse(Own* own, const char* condition, int32_t p, int32_t q, const double* X, const double* G) {
  ptrdiff_t used = own->paper->used, count = (ptrdiff_t)p * q;
  const double* XGX = product(own, p, p, q, product(own, p, q, p, X, G), X);
  double size = zw_larger(zw_max_abs(count, X), zw_max_abs(count, XGX));
  bool is_one = holds(own, condition, largest_difference(count, XGX, X), size);
  own->paper->used = used;
  return is_one;
}

/* (X Y)^T = X Y for X p x q, Y q x p */
static bool is_symmetric(Own* own, const char* condition, int32_t p, int32_t q, const double* X, const double* Y) {
  ptrdiff_t used = own->paper->used, count = (ptrdiff_t)p * p;
  const double* XY = product(own, p, q, p, X, Y);
  const double* transposed = zw_transpose(own->paper, p, p, XY);
  bool is_one = holds(own, condition, largest_difference(count, XY, transposed), zw_max_abs(count, XY));
  own->paper->used = used;
  return is_one;
}

/* ---- matrices ---- */

static bool find_roots(Own* own) {
  int32_t n = own->n;
  if (!zw_roots_of(own->paper, n, own->p->M, &own->root, &own->inverse_root)) return false;
  own->L = zw_paper_take(own->paper, (ptrdiff_t)n * n);
  zw_copy((ptrdiff_t)n * n, own->p->M, own->L);
  return zw_cholesky_factor(n, own->L) == n;
}

/* x = M^-1 x for each column of the n x q matrix X, in new memory */
static double* divided_by_mass(Own* own, int32_t q, const double* X) {
  int32_t n = own->n;
  double* rows = zw_transpose(own->paper, n, q, X);
  for (ptrdiff_t j = 0; j < q; j++) zw_cholesky_solve(n, own->L, rows + j * n);
  return zw_transpose(own->paper, q, n, rows);
}

static double* deviation(Own* own, double** a0) {
  double* d = zw_paper_take(own->paper, own->m);
  *a0 = divided_by_mass(own, 1, own->p->h);
  for (int32_t i = 0; i < own->m; i++) {
    d[i] = own->p->b[i] - zw_dot(own->n, own->p->A + (ptrdiff_t)i * own->n, *a0);
  }
  return d;
}

/* X^+ + Y - X^+ X Y X X^+, or with one factor only */
static const double* from_seed(Own* own, const ZwOwnInverse* given, int32_t p, int32_t q, int32_t r, const double* X) {
  ZwPaper* paper = own->paper;
  if (!given->is_seed) return given->matrix;
  double* plus = zw_inverse_moore_penrose(paper, p, q, r, X);
  if (!plus) return NULL;
  const double *XX = product(own, p, q, p, X, plus), *PX = product(own, q, p, q, plus, X), *Y = given->matrix;
  double* G = zw_paper_take(paper, (ptrdiff_t)q * p);
  const double *left = product(own, q, q, p, PX, Y), *right = product(own, q, p, p, Y, XX);
  const double* both = product(own, q, p, p, left, XX);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)q * p; i++) {
    double less = given->kind == ZW_INVERSE_C14 ? right[i] : given->kind == ZW_INVERSE_H13 ? left[i] : both[i];
    G[i] = plus[i] + Y[i] - less;
  }
  return G;
}

/* ---- the four ---- */

/* a = a0 + M^(-1/2) G d */
static ZwStatus solve_C14(Own* own, const ZwOwnInverse* given, double* a) {
  int32_t n = own->n, m = own->m;
  const double* C = product(own, m, n, n, own->p->A, own->inverse_root);
  const double* G = from_seed(own, given, m, n, own->r, C);
  if (!G) return ZW_ERR_DOMAIN;
  if (!is_inverse(own, "C inverse14 C = C", m, n, C, G) ||
      !is_symmetric(own, "(inverse14 C)^T = inverse14 C", n, m, G, C))
    return ZW_ERR_VALUE;
  double *a0, *d = deviation(own, &a0);
  zw_multiply(n, n, own->inverse_root, product(own, n, m, 1, G, d), a);
  zw_axpy(n, 1, a0, a);
  return ZW_OK;
}

/* lambda = G d, M a = h + A^T lambda */
static ZwStatus solve_D1(Own* own, const ZwOwnInverse* given, double* a, double* lambda) {
  int32_t n = own->n, m = own->m;
  const double* At = zw_transpose(own->paper, m, n, own->p->A);
  const double* D = product(own, m, n, m, own->p->A, divided_by_mass(own, m, At));
  const double* G = from_seed(own, given, m, m, own->r, D);
  if (!G) return ZW_ERR_DOMAIN;
  if (!is_inverse(own, "D inverse1 D = D", m, m, D, G)) return ZW_ERR_VALUE;
  double *a0, *d = deviation(own, &a0);
  zw_multiply(m, m, G, d, lambda);
  zw_copy(n, own->p->h, a);
  zw_add_transposed(m, n, 1, own->p->A, lambda, a);
  zw_cholesky_solve(n, own->L, a);
  return ZW_OK;
}

/* KU93 29: a = [A- - N H~ M^(1/2) A-] b + N H~ M^(-1/2) h, with the inverse of H that is stated, or Moore and Penrose's */
static ZwStatus solve_quadratic(Own* own, const double* A_inverse, const ZwOwnInverse* given, double* a) {
  int32_t n = own->n, m = own->m;
  double* N = identity_less(n, product(own, n, m, n, A_inverse, own->p->A));
  const double* H = product(own, n, n, n, own->root, N);
  const double* G = given->kind == ZW_INVERSE_H13 ? from_seed(own, given, n, n, n - own->r, H)
                                                  : zw_inverse_moore_penrose(own->paper, n, n, n - own->r, H);
  if (!G) return ZW_ERR_DOMAIN;
  if (!is_inverse(own, "H H_inverse13 H = H", n, n, H, G) ||
      !is_symmetric(own, "(H H_inverse13)^T = H H_inverse13", n, n, H, G))
    return ZW_ERR_VALUE;
  const double *NG = product(own, n, n, n, N, G), *x = product(own, n, m, 1, A_inverse, own->p->b);
  double* push = product(own, n, n, 1, own->inverse_root, own->p->h);
  zw_axpy(n, -1, product(own, n, n, 1, own->root, x), push);
  zw_multiply(n, n, NG, push, a);
  zw_axpy(n, 1, x, a);
  return ZW_OK;
}

static ZwStatus solve_A1(Own* own, const ZwOwnInverse* given, double* a) {
  const double* A_inverse = from_seed(own, given, own->m, own->n, own->r, own->p->A);
  if (!A_inverse) return ZW_ERR_DOMAIN;
  if (!is_inverse(own, "A A_inverse1 A = A", own->m, own->n, own->p->A, A_inverse)) return ZW_ERR_VALUE;
  return solve_quadratic(own, A_inverse, given, a);
}

static ZwStatus solve_H13(Own* own, const ZwOwnInverse* given, double* a) {
  const double* A_inverse = given->A_inverse;
  if (!A_inverse) A_inverse = zw_inverse_moore_penrose(own->paper, own->m, own->n, own->r, own->p->A);
  if (!A_inverse) return ZW_ERR_DOMAIN;
  if (!is_inverse(own, "A A_inverse1 A = A", own->m, own->n, own->p->A, A_inverse)) return ZW_ERR_VALUE;
  return solve_quadratic(own, A_inverse, given, a);
}

static ZwStatus solve(Own* own, const ZwOwnInverse* given, ZwPaperResult* result) {
  switch (given->kind) {
    case ZW_INVERSE_C14:
      return solve_C14(own, given, result->a);
    case ZW_INVERSE_D1:
      result->has_lambda = true;
      return solve_D1(own, given, result->a, result->lambda);
    case ZW_INVERSE_A1:
      return solve_A1(own, given, result->a);
    case ZW_INVERSE_H13:
      return solve_H13(own, given, result->a);
    case ZW_INVERSE_NONE:
      break;
  }
  return ZW_ERR_VALUE;
}

ZwStatus zw_own_inverse_solve(ZwPaper* paper, const ZwPaperProblem* problem, const ZwOwnInverse* given,
                              ZwPaperResult* result, char* reason, size_t size) {
  Own own = {.paper = paper, .n = problem->n, .m = problem->m, .p = problem, .reason = reason, .size = size};
  ZwStatus status = zw_paper_put(paper, problem, result);
  zw_snprintf(reason, size, "%s", result->reason);
  if (status) return status;
  own.r = paper->r;
  zw_snprintf(reason, size, "an inverse of one's own needs a positive definite M, and M %s",
              zw_paper_is_indefinite(paper) ? "is indefinite: it has a negative eigenvalue"
                                            : "is singular: it has an eigenvalue that counts as zero");
  if (!paper->is_definite || !find_roots(&own)) return ZW_ERR_UNSUPPORTED;
  zw_snprintf(reason, size, "the numbers are too far apart in size for double precision");
  ZW_TRY(solve(&own, given, result));
  for (int32_t i = 0; i < own.n; i++) {
    result->Qc[i] = zw_dot(own.n, problem->M + (ptrdiff_t)i * own.n, result->a) - problem->h[i];
  }
  zw_snprintf(reason, size, "%s", "");
  return ZW_OK;
}
