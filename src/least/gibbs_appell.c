/* T14 (UK98 18 and 35-37, U96 25-27): the explicit Gibbs-Appell equations.
 *
 * The coordinates are relabelled so that the first r columns of A are independent, A = [Ae Ai]. With R = Ae^+ Ai
 *
 *   (Mii + R^T Mee R - Mie R - R^T Mei) ai = hi - R^T he + (R^T Mee - Mie) Ae^+ b
 *   ae = Ae^+ (b - Ai ai)
 *
 * M itself is used, not its inverse: it may be singular or indefinite (T20, T21). With x = Ae^+ b and the columns
 * B = [-R; 1] of what the independent accelerations do to all, this is B^T M B ai = B^T (h - M [x; 0]). */
#include "least/cholesky.h"
#include "least/dense.h"
#include "least/lu.h"
#include "least/paper.h"

typedef struct Split {
  int32_t n, r, f;
  const int32_t* order;
  double *M, *h; /* relabelled */
  double* R;     /* r x f */
  double* x;     /* r */
} Split;

/* The columns are told apart by the independent rows; the others only repeat them. */
static ZwStatus choose_order(ZwPaper* paper, ZwPaperResult* result, const int32_t** order) {
  const ZwPaperProblem* p = &paper->p;
  if (!p->first) {
    *order = zw_column_order(paper, paper->r, p->n, zw_paper_independent_rows(paper));
    return ZW_OK;
  }
  result->reason = "as many coordinates are eliminated as constraints are independent, no more and no less";
  if (p->first_count != paper->r) return ZW_ERR_VALUE;
  return zw_column_order_given(paper, result, order) ? ZW_OK : ZW_ERR_VALUE;
}

static Split relabel(ZwPaper* paper, const int32_t* order, bool* is_regular) {
  int32_t n = paper->p.n, m = paper->p.m, r = paper->r;
  const double *A = paper->p.A, *M = paper->p.M;
  Split s = {n, r, n - r, order, .M = zw_paper_take(paper, (ptrdiff_t)n * n), .h = zw_paper_take(paper, n)};
  double *Ae = zw_paper_take(paper, (ptrdiff_t)m * r), *Ai = zw_paper_take(paper, (ptrdiff_t)m * s.f);
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t j = 0; j < r; j++) Ae[i * r + j] = A[i * n + s.order[j]];
    for (ptrdiff_t j = 0; j < s.f; j++) Ai[i * s.f + j] = A[i * n + s.order[r + j]];
  }
  for (ptrdiff_t i = 0; i < n; i++) {
    s.h[i] = paper->p.h[s.order[i]];
    for (ptrdiff_t j = 0; j < n; j++) s.M[i * n + j] = M[(ptrdiff_t)s.order[i] * n + s.order[j]];
  }
  const double* inverse = zw_inverse_moore_penrose(paper, m, r, r, Ae);
  *is_regular = inverse != NULL;
  if (!inverse) return s;
  s.R = zw_product(paper, r, m, s.f, inverse, Ai);
  s.x = zw_product(paper, r, m, 1, inverse, paper->p.b);
  return s;
}

/* K = B^T M B and B^T w for a vector w, B = [-R; 1] */
static double* restrict_matrix(ZwPaper* paper, const Split* s) {
  int32_t n = s->n, r = s->r, f = s->f;
  double* MB = zw_paper_take(paper, (ptrdiff_t)n * f); /* M B = M_.i - M_.e R */
  for (ptrdiff_t i = 0; i < n; i++) {
    zw_copy(f, s->M + i * n + r, MB + i * f);
    for (ptrdiff_t j = 0; j < r; j++) zw_axpy(f, -s->M[i * n + j], s->R + j * f, MB + i * f);
  }
  double* K = zw_paper_take(paper, (ptrdiff_t)f * f);
  zw_copy((ptrdiff_t)f * f, MB + (ptrdiff_t)r * f, K);
  for (ptrdiff_t j = 0; j < r; j++) {
    for (ptrdiff_t i = 0; i < f; i++) zw_axpy(f, -s->R[j * f + i], MB + j * f, K + i * f);
  }
  return K;
}

/* R, K, P, c and the right side in the user's units: ae = D_e^-1 x_e */
static void give_back_matrices(const ZwPaper* paper, const Split* s, double* K, double* P, double* right) {
  ptrdiff_t r = s->r, f = s->f;
  for (ptrdiff_t i = 0; i < f; i++) {
    double unit = paper->D_inverse[s->order[r + i]];
    for (ptrdiff_t j = 0; j < r; j++) s->R[j * f + i] *= paper->D_inverse[s->order[j]] / unit;
    for (ptrdiff_t j = 0; j < f; j++) K[i * f + j] /= unit * paper->D_inverse[s->order[r + j]];
    P[i] /= unit;
    right[i] /= unit;
  }
  for (ptrdiff_t j = 0; j < r; j++) s->x[j] *= paper->D_inverse[s->order[j]];
}

static double* restrict_vector(ZwPaper* paper, const Split* s, const double* w) {
  double* result = zw_paper_take(paper, s->f);
  zw_copy(s->f, w + s->r, result);
  zw_add_transposed(s->r, s->f, -1, s->R, w, result);
  return result;
}

/* x = K\x; false when K is singular */
static bool solve_symmetric(ZwPaper* paper, int32_t f, const double* K, double* x) {
  double* factor = zw_paper_take(paper, (ptrdiff_t)f * f);
  zw_copy((ptrdiff_t)f * f, K, factor);
  if (zw_cholesky_factor(f, factor) == f) {
    zw_cholesky_solve(f, factor, x);
    return true;
  }
  int32_t* swap = (int32_t*)(void*)zw_paper_take(paper, f);
  zw_copy((ptrdiff_t)f * f, K, factor);
  if (zw_lu_factor(f, factor, swap) == 0) return false;
  zw_lu_solve(f, factor, swap, x);
  return true;
}

ZwStatus zw_solve_gibbs_appell(ZwPaper* paper, uint64_t seed, ZwPaperResult* result) {
  (void)seed; /* the largest columns are taken, or those the user names */
  bool is_regular = false;
  const int32_t* order;
  ZW_TRY(choose_order(paper, result, &order));
  Split s = relabel(paper, order, &is_regular);
  if (!is_regular) return ZW_ERR_DOMAIN;
  int32_t n = s.n, r = s.r, f = s.f;
  double *K = restrict_matrix(paper, &s), *P = restrict_vector(paper, &s, s.h);
  /* right side: P - B^T M [x; 0] */
  double *push = zw_paper_take(paper, n), *ai = zw_paper_take(paper, f), *ae = zw_paper_take(paper, r);
  double* right = zw_paper_take(paper, f);
  for (int32_t i = 0; i < n; i++) push[i] = zw_dot(r, s.M + (ptrdiff_t)i * n, s.x);
  double S0 = 0.5 * zw_dot(r, s.x, push);
  zw_copy(f, P, right);
  zw_axpy(f, -1, restrict_vector(paper, &s, push), right);
  zw_copy(f, right, ai);
  if (!solve_symmetric(paper, f, K, ai)) return ZW_ERR_UNDETERMINED;
  /* ae = Ae^+ b - R ai */
  zw_multiply(r, f, s.R, ai, ae);
  for (int32_t j = 0; j < r; j++) result->a[s.order[j]] = s.x[j] - ae[j];
  for (int32_t i = 0; i < f; i++) result->a[s.order[r + i]] = ai[i];
  zw_paper_force(paper, result->a, result->Qc);
  zw_multiply(n, n, paper->p.M, result->a, push);
  double S = 0.5 * zw_dot(n, result->a, push);
  give_back_matrices(paper, &s, K, P, right);
  result->gibbs_appell = (ZwGibbsAppell){f, s.order, s.R, K, P, right, s.x, S0, S};
  return ZW_OK;
}
