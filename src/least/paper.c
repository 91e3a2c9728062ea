#include "least/paper.h"

#include "base/assert.h"
#include "least/balance.h"
#include "least/cholesky.h"
#include "least/dense.h"
#include "least/eigen.h"
#include "least/lu.h"
#include "least/qr.h"
#include "least/scaling.h"
#include "least/svd.h"

/* A row is inconsistent when what it asks for differs from what the others imply by more than this part of the numbers it
 * is made of. Rounding leaves 1e-8 of them at worst (rows a factor 1e4 apart in a metric of condition 1e8). */
static const double tol_consistent_rel = 1e-6;

/* ... and than this part of the accelerations it could see: b may be nothing but rounding. */
static const double tol_consistent_seen = 1e-12;

/* Pivots of M smaller than this part of their diagonal entry leave too few digits for M^-1: M' is used. */
static const double tol_definite_rel = 1e-10;

/* Pivots of an M that is not definite smaller than this part of its largest entry leave too few digits for its inverse, as above; the
 * pivots of a semidefinite M that was taken for singular are not larger. */
static const double tol_regular_rel = 1e-9;

/* Entries of a free direction smaller than this part of the largest are rounding. */
static const double tol_free_rel = 1e-9;

/* K = Z^T M Z smaller than this part of |M| along a direction: no inertia. */
static const double tol_inertia_rel = 1e-12;

/* T21: how many weights of the rows are tried before M is called indefinite on them, and how far they are apart. */
enum { WEIGHTS = 4 };
static const double raise_by = 1e3;

/* The quadratic form takes most: M', L, both roots, the inverses of A and H with their factors, and N, H, X; of rows an inverse of D that the
 * user states. */
static ptrdiff_t stack_size(int32_t n_columns, int32_t m_rows) {
  ptrdiff_t n = n_columns, m = m_rows, larger = n > m ? n : m;
  return 33 * n * n + 12 * n * m + 16 * m * m + 41 * larger + 64;
}

size_t zw_paper_work_size(int32_t n, int32_t m) {
  ZW_ASSERT(n >= 0 && m >= 0);
  return zw_rounded(sizeof(ZwPaper)) + zw_rounded(zw_rank_work_size(m, n)) + (size_t)stack_size(n, m) * sizeof(double);
}

ZwPaper* zw_paper_place(void* memory, int32_t n, int32_t m) {
  ZwPaper* paper = memory;
  char* next = (char*)memory + zw_rounded(sizeof(ZwPaper));
  *paper = (ZwPaper){.n_max = n, .m_max = m, .capacity = stack_size(n, m), .rank = zw_rank_place(next, m, n)};
  paper->stack = (double*)(void*)(next + zw_rounded(zw_rank_work_size(m, n)));
  return paper;
}

double* zw_paper_take(ZwPaper* paper, ptrdiff_t count) {
  double* taken = paper->stack + paper->used;
  paper->used += count;
  ZW_ASSERT(paper->used <= paper->capacity);
  return taken;
}

/* ---- units ---- */

/* x = D a; returns the rows, whose units are still the user's */
static double* put_in_our_units(ZwPaper* paper, const ZwPaperProblem* problem) {
  ptrdiff_t n = problem->n, m = problem->m;
  double *M = zw_paper_take(paper, n * n), *h = zw_paper_take(paper, n), *A = zw_paper_take(paper, m * n);
  double* D_inverse = zw_paper_take(paper, n);
  zw_scale_coordinates((int32_t)n, (int32_t)m, problem->M, problem->A, D_inverse, h);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < n; j++) M[i * n + j] = D_inverse[i] * problem->M[i * n + j] * D_inverse[j];
    h[i] = D_inverse[i] * problem->h[i];
  }
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t j = 0; j < n; j++) A[i * n + j] = problem->A[i * n + j] * D_inverse[j];
  }
  paper->p = *problem;
  paper->p.M = M;
  paper->p.h = h;
  paper->p.A = A;
  paper->D_inverse = D_inverse;
  return A;
}

/* Rows about as long as one where they are longest, once it is known how long that is. */
static void scale_rows(ZwPaper* paper, double* A) {
  int32_t n = paper->p.n, m = paper->p.m;
  double *b = zw_paper_take(paper, m), *E = zw_paper_take(paper, m);
  for (int32_t i = 0; i < m; i++) {
    E[i] = 1 / zw_power_of_two(paper->p.scale[i]);
    b[i] = E[i] * paper->p.b[i];
    zw_scale(n, E[i], A + (ptrdiff_t)i * n);
  }
  paper->p.b = b;
  paper->E = E;
}

void zw_paper_take_over(const ZwPaper* paper, ZwPaperResult* result) {
  for (int32_t i = 0; i < paper->p.n; i++) {
    result->a[i] /= paper->D_inverse[i];
    result->Qc[i] *= paper->D_inverse[i];
  }
}

void zw_paper_give_back(const ZwPaper* paper, ZwPaperResult* result) {
  for (int32_t i = 0; i < paper->p.n; i++) {
    result->a[i] *= paper->D_inverse[i];
    result->Qc[i] /= paper->D_inverse[i];
  }
}

void zw_paper_give_multipliers(const ZwPaper* paper, const double* lambda, ZwPaperResult* result) {
  result->has_lambda = true;
  for (int32_t i = 0; result->lambda && i < paper->p.m; i++) result->lambda[i] = paper->E[i] * lambda[i];
}

/* ---- definiteness (T20, T21) ---- */

/* M = L L^T; returns the weakest pivot, 0 when there is none. */
static double factor_metric(int32_t n, const double* M, double* L) {
  zw_copy((ptrdiff_t)n * n, M, L);
  return zw_cholesky_factor(n, L) == n ? zw_cholesky_weakest(n, L) : 0;
}

/* M' = M + A^T W A, h' = h + A^T W b with W_i = mu / |A_i|^2 */
static void add_rows(const ZwPaper* paper, double mu, double* M, double* h) {
  ptrdiff_t n = paper->p.n;
  zw_copy(n * n, paper->p.M, M);
  zw_copy(n, paper->p.h, h);
  for (ptrdiff_t i = 0; i < paper->p.m; i++) {
    const double* row = paper->p.A + i * n;
    double square = zw_dot((int32_t)n, row, row);
    if (square == 0) continue;
    double w = mu / square;
    for (ptrdiff_t j = 0; j < n; j++) zw_axpy((int32_t)n, w * row[j], row, M + j * n);
    zw_axpy((int32_t)n, w * paper->p.b[i], row, h);
  }
}

/* Too little weight leaves M' barely definite, too much drowns M: of all weights the one with the strongest pivots. */
static double find_weight(ZwPaper* paper, double* M, double* h, double* L) {
  int32_t n = paper->p.n;
  double mu = n > 0 ? zw_norm(n * n, paper->p.M) / sqrt((double)n) : 0, best = 0, strongest = ZW_TOL_PIVOT_REL;
  if (mu == 0) mu = 1;
  for (int i = 0; i < WEIGHTS; i++, mu *= raise_by) {
    add_rows(paper, mu, M, h);
    double weakest = factor_metric(n, M, L);
    if (weakest > strongest) best = mu, strongest = weakest;
  }
  return best;
}

/* M = P^T L U where it is regular, though not definite (T21). */
static void factor_regular(ZwPaper* paper) {
  ptrdiff_t n = paper->p.n;
  double* LU = zw_paper_take(paper, n * n);
  int32_t* swap = (int32_t*)(void*)zw_paper_take(paper, n);
  zw_copy(n * n, paper->p.M, LU);
  double pivot = zw_lu_factor((int32_t)n, LU, swap);
  paper->is_regular = pivot > tol_regular_rel * zw_max_abs(n * n, paper->p.M);
  paper->LU = paper->is_regular ? LU : NULL;
  paper->swap = swap;
}

static void find_metric(ZwPaper* paper) {
  ptrdiff_t n = paper->p.n;
  double* L = zw_paper_take(paper, n * n);
  paper->is_definite = factor_metric((int32_t)n, paper->p.M, L) > tol_definite_rel;
  paper->is_minimum = paper->is_regular = paper->is_definite;
  paper->LU = NULL;
  paper->M = paper->p.M;
  paper->h = paper->p.h;
  paper->L = L;
  if (paper->is_definite) return;
  factor_regular(paper);
  double *M = zw_paper_take(paper, n * n), *h = zw_paper_take(paper, n), mu = find_weight(paper, M, h, L);
  paper->is_minimum = mu > 0;
  if (paper->is_minimum) {
    add_rows(paper, mu, M, h);
    (void)factor_metric((int32_t)n, M, L);
  }
  paper->M = paper->is_minimum ? M : NULL;
  paper->h = paper->is_minimum ? h : NULL;
  paper->L = paper->is_minimum ? L : NULL;
}

/* ---- rank and consistency (T5) ---- */

/* The sizes of the rows now, and those they can have: what they have, where no more is known (R1). */
static void find_sizes(ZwPaper* paper) {
  int32_t m = paper->p.m;
  double *size = zw_paper_take(paper, m), *scale = zw_paper_take(paper, m);
  zw_rank_row_sizes(paper->rank, m, paper->p.n, paper->p.A, paper->L, size);
  for (int32_t i = 0; i < m; i++) {
    scale[i] = paper->p.scale ? zw_larger(size[i], paper->p.scale[i]) : size[i];
    if (scale[i] == 0) scale[i] = 1; /* nothing can be said of it */
  }
  paper->size = size;
  paper->p.scale = scale;
}

/* Of the rows as given, in units of rows and coordinates of their own; a row that was larger can be so again. *is_better: that tells
 * more than the decision before. */
static ZwStatus look_again(ZwPaper* paper, const ZwPaperProblem* given, bool* is_better) {
  ptrdiff_t n = paper->p.n, m = paper->p.m, used = paper->used;
  ZwRank* rank = paper->rank;
  double *most = zw_paper_take(paper, m * n), *mass = zw_paper_take(paper, n);
  double *unit = zw_paper_take(paper, n), *length = zw_paper_take(paper, m);
  ZwEntries entries = {.m = (int32_t)m, .n = (int32_t)n, .most = most, .mass = mass};
  for (ptrdiff_t k = 0; k < m * n; k++) most[k] = fabs(given->A[k]);
  for (ptrdiff_t j = 0; j < n; j++) mass[j] = zw_larger(given->M[j * n + j], 0);
  bool is_whole = zw_balance(&entries, unit, length, zw_paper_take(paper, (ptrdiff_t)zw_balance_work(&entries)));
  paper->used = used;
  *is_better = true;
  if (!zw_balance_differs(&entries, unit)) return ZW_OK;
  for (ptrdiff_t i = 0; i < m; i++) {
    if (paper->size[i] > 0) length[i] *= paper->p.scale[i] / paper->size[i];
  }
  ZwRankSeen seen = zw_rank_seen(rank);
  ZW_TRY(zw_rank_decide_balanced(rank, (int32_t)m, (int32_t)n, given->A, length, unit));
  *is_better = zw_rank_is_better(rank, seen, is_whole);
  return ZW_OK;
}

/* In the metric of the masses, and where that may hide a coordinate with another look, unless it tells less. */
static ZwStatus find_rank(ZwPaper* paper, const ZwPaperProblem* given) {
  int32_t n = paper->p.n, m = paper->p.m;
  bool is_better = true;
  ZW_TRY(zw_rank_decide(paper->rank, m, n, paper->p.A, paper->p.scale, paper->L));
  if (paper->rank->rank < m) ZW_TRY(look_again(paper, given, &is_better));
  if (!is_better) ZW_TRY(zw_rank_decide(paper->rank, m, n, paper->p.A, paper->p.scale, paper->L));
  paper->r = paper->rank->rank;
  return ZW_OK;
}

/* The accelerations that rows of length one see: without constraints, and as other rows ask for. */
static double seen_accelerations(ZwPaper* paper) {
  int32_t n = paper->p.n;
  double most = 0;
  for (int32_t i = 0; i < paper->p.m; i++) most = zw_larger(most, fabs(paper->p.b[i]) / paper->p.scale[i]);
  if (!paper->L) return most;
  double* w = zw_paper_take(paper, n); /* L\h */
  zw_copy(n, paper->h, w);
  zw_cholesky_solve_lower(n, paper->L, w);
  return most + zw_norm(n, w);
}

/* A_d = K A_I asks for b_d = K b_I. Of a row that vanishes, what it asks for is seen no better than the row itself. */
static bool is_consistent(ZwPaper* paper) {
  const ZwRank* rank = paper->rank;
  const double *b = paper->p.b, accelerations = seen_accelerations(paper);
  for (int32_t d = 0; d < rank->m - rank->rank; d++) {
    int32_t row = rank->order[rank->rank + d];
    double off = b[row], parts = fabs(b[row]), reach = paper->p.scale[row] * accelerations;
    bool vanishes = paper->size[row] <= ZW_TOL_RANK_REL * paper->p.scale[row];
    for (int32_t j = 0; j < rank->rank; j++) {
      double part = rank->coefficients[(ptrdiff_t)d * rank->rank + j] * b[rank->order[j]];
      off -= part;
      parts += fabs(part);
    }
    double allowed = vanishes ? ZW_TOL_RANK_REL * reach : tol_consistent_rel * parts + tol_consistent_seen * reach;
    if (fabs(off) > allowed) return false;
  }
  return true;
}

/* z = D^-1 Z v, without rounding */
static double* name_direction(ZwPaper* paper, const double* Zt, const double* v) {
  int32_t n = paper->p.n;
  double* z = zw_paper_take(paper, n);
  zw_fill(n, 0, z);
  zw_add_transposed(n - paper->r, n, 1, Zt, v, z);
  double most = zw_max_abs(n, z);
  for (int32_t j = 0; j < n; j++) z[j] = fabs(z[j]) <= tol_free_rel * most ? 0 : z[j] * paper->D_inverse[j];
  zw_scale(n, 1 / zw_max_abs(n, z), z);
  return z;
}

/* Without a minimum: is there a stationary point at all? */
static bool is_determined(ZwPaper* paper, const double** direction) {
  int32_t n = paper->p.n, f = n - paper->r;
  if (f == 0) return true;
  const double* Zt = zw_paper_null_space(paper, zw_paper_independent_rows(paper));
  const double* ZtM = zw_product(paper, f, n, n, Zt, paper->p.M);
  const double* K = zw_product(paper, f, n, f, ZtM, zw_transpose(paper, f, n, Zt));
  double *sigma = zw_paper_take(paper, f), *Ut = zw_paper_take(paper, (ptrdiff_t)f * f),
         *Vt = zw_paper_take(paper, (ptrdiff_t)f * f);
  if (zw_svd(f, f, K, sigma, Ut, Vt)) return false;
  if (sigma[f - 1] > tol_inertia_rel * zw_max_abs((ptrdiff_t)n * n, paper->p.M)) return true;
  *direction = name_direction(paper, Zt, Vt + (ptrdiff_t)(f - 1) * f);
  return false;
}

static bool all_numbers_are_finite(const ZwPaperProblem* p) {
  ptrdiff_t n = p->n, m = p->m;
  return zw_all_finite(n * n, p->M) && zw_all_finite(n, p->h) && zw_all_finite(m * n, p->A) && zw_all_finite(m, p->b);
}

ZwStatus zw_paper_put(ZwPaper* paper, const ZwPaperProblem* problem, ZwPaperResult* result) {
  ZW_ASSERT(problem->n <= paper->n_max && problem->m <= paper->m_max);
  paper->used = 0;
  result->reason = "a number is not finite";
  if (!all_numbers_are_finite(problem)) return ZW_ERR_DOMAIN;
  double* A = put_in_our_units(paper, problem);
  find_metric(paper);
  find_sizes(paper);
  ZW_TRY(find_rank(paper, problem));
  result->rank = paper->r;
  result->kept = paper->rank->kept;
  result->is_minimum = paper->is_minimum;
  result->reason = "the constraints contradict each other: no acceleration satisfies all of them";
  if (!is_consistent(paper)) return ZW_ERR_INCONSISTENT;
  result->reason = "neither inertia nor a constraint determines some direction of the acceleration";
  if (!paper->is_minimum && !is_determined(paper, &result->free_direction)) return ZW_ERR_UNDETERMINED;
  scale_rows(paper, A);
  result->reason = "";
  return ZW_OK;
}

/* ---- what the formulations are made of ---- */

void zw_paper_divide(const ZwPaper* paper, double* x) {
  ZW_ASSERT(paper->is_regular);
  if (paper->is_definite)
    zw_cholesky_solve(paper->p.n, paper->L, x);
  else
    zw_lu_solve(paper->p.n, paper->LU, paper->swap, x);
}

double* zw_paper_free_acceleration(ZwPaper* paper) {
  double* a0 = zw_paper_take(paper, paper->p.n);
  zw_copy(paper->p.n, paper->h, a0);
  zw_cholesky_solve(paper->p.n, paper->L, a0);
  return a0;
}

double* zw_paper_deviation(ZwPaper* paper, const double* a0) {
  int32_t n = paper->p.n, m = paper->p.m;
  double* d = zw_paper_take(paper, m);
  for (int32_t i = 0; i < m; i++) d[i] = paper->p.b[i] - zw_dot(n, paper->p.A + (ptrdiff_t)i * n, a0);
  return d;
}

/* M = V diag(sigma) V^T: eigenvalues of a positive definite matrix are its singular values */
bool zw_roots_of(ZwPaper* paper, int32_t n_columns, const double* M, double** root, double** inverse_root) {
  ptrdiff_t n = n_columns;
  double *sigma = zw_paper_take(paper, n), *Ut = zw_paper_take(paper, n * n), *Vt = zw_paper_take(paper, n * n);
  *root = zw_paper_take(paper, n * n);
  *inverse_root = zw_paper_take(paper, n * n);
  if (zw_svd((int32_t)n, (int32_t)n, M, sigma, Ut, Vt)) return false;
  zw_fill(n * n, 0, *root);
  zw_fill(n * n, 0, *inverse_root);
  for (ptrdiff_t k = 0; k < n; k++) {
    if (!(sigma[k] > 0)) return false;
    const double* v = Vt + k * n;
    double s = sqrt(sigma[k]);
    for (ptrdiff_t i = 0; i < n; i++) {
      zw_axpy((int32_t)n, v[i] * s, v, *root + i * n);
      zw_axpy((int32_t)n, v[i] / s, v, *inverse_root + i * n);
    }
  }
  return true;
}

bool zw_paper_is_indefinite(ZwPaper* paper) {
  ptrdiff_t n = paper->p.n, used = paper->used;
  if (paper->is_definite) return false;
  double *M = zw_paper_take(paper, n * n), *re = zw_paper_take(paper, n), *im = zw_paper_take(paper, n);
  zw_copy(n * n, paper->p.M, M);
  double largest = zw_max_abs(n * n, M), least = 0;
  ZwStatus status = zw_eigen((int32_t)n, M, re, im, NULL, zw_paper_take(paper, zw_eigen_work((int32_t)n)));
  for (ptrdiff_t i = 0; !status && i < n; i++) least = re[i] < least ? re[i] : least;
  paper->used = used;
  return -least > tol_definite_rel * largest;
}

bool zw_paper_roots(ZwPaper* paper, double** root, double** inverse_root) {
  return zw_roots_of(paper, paper->p.n, paper->M, root, inverse_root);
}

double* zw_paper_independent_rows(ZwPaper* paper) {
  int32_t n = paper->p.n;
  double* rows = zw_paper_take(paper, (ptrdiff_t)paper->r * n);
  for (ptrdiff_t i = 0; i < paper->r; i++) zw_copy(n, paper->p.A + (ptrdiff_t)paper->rank->order[i] * n, rows + i * n);
  return rows;
}

double* zw_paper_independent_b(ZwPaper* paper) {
  double* b = zw_paper_take(paper, paper->r);
  for (int32_t i = 0; i < paper->r; i++) b[i] = paper->p.b[paper->rank->order[i]];
  return b;
}

double* zw_paper_null_space(ZwPaper* paper, const double* A_independent) {
  int32_t n = paper->p.n, r = paper->r, f = n - r;
  double *Zt = zw_paper_take(paper, (ptrdiff_t)f * n), *T = zw_paper_take(paper, (ptrdiff_t)r * n);
  zw_copy((ptrdiff_t)r * n, A_independent, T);
  ZwQr qr = {.rows = n, .cols = r, .T = T, .tau = zw_paper_take(paper, r)};
  zw_qr_factor(&qr);
  zw_fill((ptrdiff_t)f * n, 0, Zt);
  for (int32_t i = 0; i < f; i++) {
    double* z = Zt + (ptrdiff_t)i * n;
    z[r + i] = 1;
    zw_qr_apply_q(&qr, z);
  }
  return Zt;
}

void zw_paper_force(const ZwPaper* paper, const double* a, double* Qc) {
  int32_t n = paper->p.n;
  for (int32_t i = 0; i < n; i++) Qc[i] = zw_dot(n, paper->p.M + (ptrdiff_t)i * n, a) - paper->p.h[i];
}

double zw_paper_gaussian(ZwPaper* paper, const double* Qc) {
  if (!paper->is_regular) return NAN;
  int32_t n = paper->p.n;
  double* y = zw_paper_take(paper, n);
  zw_copy(n, Qc, y);
  if (!paper->is_definite) {
    zw_paper_divide(paper, y);
    return 0.5 * zw_dot(n, Qc, y);
  }
  zw_cholesky_solve_lower(n, paper->L, y); /* 1/2 |L^-1 Qc|^2 */
  return 0.5 * zw_dot(n, y, y);
}
