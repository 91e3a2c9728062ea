#include "least/detail.h"

#include "least/cholesky.h"
#include "least/dense.h"
#include "least/lu.h"
#include "least/paper.h"
#include "least/qr.h"

ptrdiff_t zw_detail_size(int32_t n_columns, int32_t m_rows) {
  ptrdiff_t n = n_columns, m = m_rows;
  return 3 * m * m + n * n + n * m + 7 * n + 5 * m; /* E has at most m columns */
}

void zw_detail_place(ZwDetail* detail, int32_t n_columns, int32_t m_rows, double* memory) {
  ptrdiff_t n = n_columns, m = m_rows;
  double** const of_rows[] = {&detail->d, &detail->lambda, &detail->lambda_b, &detail->lambda_h};
  double** const of_columns[] = {&detail->a0, &detail->a,    &detail->a_b, &detail->a_h,
                                 &detail->Qc, &detail->Qc_b, &detail->Qc_h};
  double** const squares[] = {&detail->E, &detail->D, &detail->W};
  for (int i = 0; i < 3; i++, memory += m * m) *squares[i] = memory;
  detail->X = memory;
  detail->gain = detail->X + n * n;
  memory = detail->gain + n * m;
  for (int i = 0; i < 7; i++, memory += n) *of_columns[i] = memory;
  for (int i = 0; i < 4; i++, memory += m) *of_rows[i] = memory;
  detail->rows = (int32_t*)(void*)memory;
}

/* The problem in our units, restricted to its independent rows. */
typedef struct Base {
  int32_t n, m, r, f;
  const double *A, *b; /* r x n, r */
  ZwQr qr;             /* A^T = Q [R; 0] */
  const double* Zt;    /* f x n, orthonormal */
  double* K;           /* f x f: Z^T M Z, factored */
  int32_t* swap;
} Base;

static ZwStatus make_base(ZwPaper* paper, Base* base) {
  int32_t n = paper->p.n, r = paper->r, f = n - r;
  *base = (Base){.n = n, .m = paper->p.m, .r = r, .f = f};
  base->A = zw_paper_independent_rows(paper);
  base->b = zw_paper_independent_b(paper);
  base->qr = (ZwQr){.rows = n, .cols = r, .T = zw_paper_independent_rows(paper), .tau = zw_paper_take(paper, r)};
  zw_qr_factor(&base->qr);
  base->Zt = zw_paper_null_space(paper, base->A);
  const double* ZtM = zw_product(paper, f, n, n, base->Zt, paper->p.M);
  base->K = zw_product(paper, f, n, f, ZtM, zw_transpose(paper, f, n, base->Zt));
  base->swap = (int32_t*)(void*)zw_paper_take(paper, f);
  return zw_lu_factor(f, base->K, base->swap) == 0 ? ZW_ERR_UNDETERMINED : ZW_OK;
}

/* x = Z (Z^T M Z)^-1 Z^T y */
static void project(ZwPaper* paper, const Base* base, const double* y, double* x) {
  ptrdiff_t used = paper->used;
  double* w = zw_paper_take(paper, base->f);
  zw_multiply(base->f, base->n, base->Zt, y, w);
  zw_lu_solve(base->f, base->K, base->swap, w);
  zw_fill(base->n, 0, x);
  zw_add_transposed(base->f, base->n, 1, base->Zt, w, x);
  paper->used = used;
}

/* x = A^T (A A^T)^-1 y, less its part in the null space along M */
static void lift(ZwPaper* paper, const Base* base, const double* y, double* x) {
  ptrdiff_t used = paper->used;
  int32_t n = base->n, r = base->r;
  double *Mx = zw_paper_take(paper, n), *part = zw_paper_take(paper, n);
  zw_fill(n, 0, x);
  zw_copy(r, y, x);
  zw_qr_solve_rt(&base->qr, r, x);
  zw_qr_apply_q(&base->qr, x);
  zw_multiply(n, n, paper->p.M, x, Mx);
  project(paper, base, Mx, part);
  zw_axpy(n, -1, part, x);
  paper->used = used;
}

/* mu with A^T mu = force, then the force from it: what rounding left outside the rows is gone. */
static void find_multipliers(ZwPaper* paper, const Base* base, double* force, double* mu) {
  ptrdiff_t used = paper->used;
  double* w = zw_paper_take(paper, base->n);
  zw_copy(base->n, force, w);
  zw_qr_apply_qt(&base->qr, w);
  zw_qr_solve_r(&base->qr, base->r, w);
  zw_copy(base->r, w, mu);
  zw_fill(base->n, 0, force);
  zw_add_transposed(base->r, base->n, 1, base->A, mu, force);
  paper->used = used;
}

/* The smallest multipliers of all rows, as the user wrote them, from those of the independent ones in our units. */
static void share(ZwPaper* paper, const Base* base, const double* mu, double* lambda) {
  ptrdiff_t used = paper->used;
  double* own = zw_paper_take(paper, base->r);
  for (int32_t i = 0; i < base->r; i++) own[i] = mu[i] * paper->E[paper->rank->order[i]];
  zw_rank_share(paper->rank, zw_paper_take(paper, (ptrdiff_t)base->r * base->r), own, lambda);
  paper->used = used;
}

/* ---- the parts ---- */

/* A = E A_J */
static void find_dependence(ZwPaper* paper, const Base* base, ZwDetail* detail) {
  const ZwRank* rank = paper->rank;
  ptrdiff_t m = base->m, r = base->r;
  double* E = detail->E;
  zw_fill(m * r, 0, E);
  for (ptrdiff_t j = 0; j < r; j++) E[rank->order[j] * r + j] = 1;
  for (ptrdiff_t i = r; i < m; i++) zw_copy(r, rank->coefficients + (i - r) * r, E + rank->order[i] * r);
}

/* E^+ = (E^T E)^-1 E^T, r x m, and W = 1 - E E^+ */
static double* invert_dependence(ZwPaper* paper, const Base* base, ZwDetail* detail) {
  ptrdiff_t m = base->m, r = base->r;
  const double* E = detail->E;
  double* inverse = zw_paper_take(paper, r * m);
  double* square =
      zw_product(paper, (int32_t)r, (int32_t)m, (int32_t)r, zw_transpose(paper, (int32_t)m, (int32_t)r, E), E);
  (void)zw_cholesky_factor((int32_t)r, square); /* 1 + K^T K */
  double* column = zw_paper_take(paper, r);
  for (ptrdiff_t i = 0; i < m; i++) {
    zw_copy(r, E + i * r, column);
    zw_cholesky_solve((int32_t)r, square, column);
    for (ptrdiff_t j = 0; j < r; j++) inverse[j * m + i] = column[j];
  }
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t j = 0; j < m; j++) detail->W[i * m + j] = i == j ? 1 : 0;
    for (ptrdiff_t k = 0; k < r; k++) zw_axpy((int32_t)m, -E[i * r + k], inverse + k * m, detail->W + i * m);
  }
  return inverse;
}

/* a = a_b + a_h, Qc = Qc_b + Qc_h, lambda = lambda_b + lambda_h, in our units but for the multipliers (T25) */
static void split(ZwPaper* paper, const Base* base, ZwDetail* detail) {
  int32_t n = base->n, r = base->r;
  double *mu_b = zw_paper_take(paper, r), *mu_h = zw_paper_take(paper, r);
  lift(paper, base, base->b, detail->a_b);
  project(paper, base, paper->p.h, detail->a_h);
  zw_multiply(n, n, paper->p.M, detail->a_b, detail->Qc_b);
  zw_paper_force(paper, detail->a_h, detail->Qc_h);
  find_multipliers(paper, base, detail->Qc_b, mu_b);
  find_multipliers(paper, base, detail->Qc_h, mu_h);
  for (int32_t i = 0; i < n; i++) {
    detail->a[i] = detail->a_b[i] + detail->a_h[i];
    detail->Qc[i] = detail->Qc_b[i] + detail->Qc_h[i];
  }
  share(paper, base, mu_b, detail->lambda_b);
  share(paper, base, mu_h, detail->lambda_h);
  zw_axpy(r, 1, mu_b, mu_h);
  share(paper, base, mu_h, detail->lambda);
}

/* X = Z (Z^T M Z)^-1 Z^T M, column by column */
static void find_projector(ZwPaper* paper, const Base* base, ZwDetail* detail) {
  ptrdiff_t n = base->n;
  double* x = zw_paper_take(paper, n);
  for (ptrdiff_t j = 0; j < n; j++) {
    project(paper, base, paper->p.M + j * n, x); /* M is symmetric */
    for (ptrdiff_t i = 0; i < n; i++) detail->X[i * n + j] = x[i] * paper->D_inverse[i] / paper->D_inverse[j];
  }
}

/* gain = (1 - X) A_J^+ E^+: what a deviation of the rows does to the accelerations */
static void find_gain(ZwPaper* paper, const Base* base, const double* E_inverse, ZwDetail* detail) {
  ptrdiff_t n = base->n, m = base->m, r = base->r;
  double *unit = zw_paper_take(paper, r), *x = zw_paper_take(paper, n);
  zw_fill(n * m, 0, detail->gain);
  for (ptrdiff_t j = 0; j < r; j++) {
    zw_fill(r, 0, unit);
    unit[j] = paper->E[paper->rank->order[j]];
    lift(paper, base, unit, x);
    for (ptrdiff_t i = 0; i < n; i++) {
      zw_axpy((int32_t)m, x[i] * paper->D_inverse[i], E_inverse + j * m, detail->gain + i * m);
    }
  }
}

/* D = A M^-1 A^T, in the user's units: C C^T with C = A L^-T, or the rows of A times M^-1 A^T */
static void find_D(ZwPaper* paper, const Base* base, double* D) {
  ptrdiff_t n = base->n, m = base->m;
  double* C = zw_paper_take(paper, m * n);
  const double* other = paper->is_definite ? C : paper->p.A;
  zw_copy(m * n, paper->p.A, C);
  if (paper->is_definite) zw_cholesky_solve_lower_rows((int32_t)n, paper->L, (int32_t)m, C);
  for (ptrdiff_t i = 0; i < m && !paper->is_definite; i++) zw_paper_divide(paper, C + i * n);
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t j = 0; j <= i; j++)
      D[i * m + j] = D[j * m + i] = zw_dot((int32_t)n, C + i * n, other + j * n) / (paper->E[i] * paper->E[j]);
  }
}

/* a0, d, D and the Gaussian; NaN where M has no inverse (T20) */
static void find_free(ZwPaper* paper, const Base* base, ZwDetail* detail) {
  ptrdiff_t n = base->n, m = base->m;
  detail->G = zw_paper_gaussian(paper, detail->Qc);
  if (!paper->is_regular) {
    zw_fill(n, NAN, detail->a0);
    zw_fill(m, NAN, detail->d);
    zw_fill(m * m, NAN, detail->D);
    return;
  }
  double* a0 = zw_paper_take(paper, n);
  zw_copy(n, paper->p.h, a0);
  zw_paper_divide(paper, a0);
  const double* d = zw_paper_deviation(paper, a0);
  for (ptrdiff_t i = 0; i < m; i++) detail->d[i] = d[i] / paper->E[i];
  if (!detail->vectors_only) find_D(paper, base, detail->D);
  for (ptrdiff_t i = 0; i < n; i++) detail->a0[i] = a0[i] * paper->D_inverse[i];
}

/* Accelerations and forces from our units into those of the user. */
static void give_back(const ZwPaper* paper, ZwDetail* detail) {
  for (int32_t i = 0; i < paper->p.n; i++) {
    double unit = paper->D_inverse[i];
    detail->a[i] *= unit, detail->a_b[i] *= unit, detail->a_h[i] *= unit;
    detail->Qc[i] /= unit, detail->Qc_b[i] /= unit, detail->Qc_h[i] /= unit;
  }
}

ZwStatus zw_detail_solve(ZwPaper* paper, const ZwPaperProblem* problem, ZwDetail* detail, const char** reason) {
  ZwPaperResult result = {.reason = ""};
  ZwStatus status = zw_paper_put(paper, problem, &result);
  *reason = result.reason;
  if (status) return status;
  detail->n = problem->n;
  detail->m = problem->m;
  detail->rank = paper->r;
  for (int32_t i = 0; i < paper->r; i++) detail->rows[i] = paper->rank->order[i];
  detail->is_definite = paper->is_definite;
  detail->is_indefinite = zw_paper_is_indefinite(paper);
  detail->is_regular = paper->is_regular;
  detail->is_minimum = paper->is_minimum;
  Base base;
  *reason = "its factors do not exist in double precision";
  ZW_TRY(make_base(paper, &base));
  find_dependence(paper, &base, detail);
  split(paper, &base, detail);
  if (!detail->vectors_only) {
    find_projector(paper, &base, detail);
    find_gain(paper, &base, invert_dependence(paper, &base, detail), detail);
  }
  find_free(paper, &base, detail);
  double* Ma = zw_paper_take(paper, base.n);
  zw_multiply(base.n, base.n, paper->p.M, detail->a, Ma);
  detail->S = 0.5 * zw_dot(base.n, detail->a, Ma);
  give_back(paper, detail);
  *reason = "";
  return ZW_OK;
}
