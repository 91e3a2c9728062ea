#include "least/cholesky.h"
#include "least/dense.h"
#include "least/lu.h"
#include "least/paper.h"
#include "least/qr.h"
#include "least/svd.h"

double* zw_product(ZwPaper* paper, int32_t p, int32_t k, int32_t q, const double* X, const double* Y) {
  double* Z = zw_paper_take(paper, (ptrdiff_t)p * q);
  zw_fill((ptrdiff_t)p * q, 0, Z);
  for (ptrdiff_t i = 0; i < p; i++) {
    for (ptrdiff_t j = 0; j < k; j++) zw_axpy(q, X[i * k + j], Y + j * q, Z + i * q);
  }
  return Z;
}

double* zw_transpose(ZwPaper* paper, int32_t p, int32_t q, const double* X) {
  double* Y = zw_paper_take(paper, (ptrdiff_t)p * q);
  for (ptrdiff_t i = 0; i < p; i++) {
    for (ptrdiff_t j = 0; j < q; j++) Y[j * p + i] = X[i * q + j];
  }
  return Y;
}

static int32_t* take_integers(ZwPaper* paper, int32_t count) {
  return (int32_t*)(void*)zw_paper_take(paper, count);
}

int32_t* zw_column_order(ZwPaper* paper, int32_t p, int32_t q, const double* X) {
  int32_t* order = take_integers(paper, q);
  ZwQr qr = {.rows = p, .cols = q, .T = zw_transpose(paper, p, q, X), .tau = zw_paper_take(paper, p < q ? p : q)};
  zw_qr_factor_pivoted(&qr, order, zw_paper_take(paper, 2 * (ptrdiff_t)q));
  return order;
}

/* The columns of the independent rows, in units in which rows and inertia are about one: a column whose rest beside those before it is
 * smaller than a rank may be depends on them. */
static int32_t find_dependent(ZwPaper* paper, const int32_t* order) {
  int32_t n = paper->p.n, r = paper->r;
  const double* A = zw_paper_independent_rows(paper);
  ZwQr qr = {.rows = r, .cols = r, .T = zw_paper_take(paper, (ptrdiff_t)r * r), .tau = zw_paper_take(paper, r)};
  for (ptrdiff_t j = 0; j < r; j++) {
    for (ptrdiff_t i = 0; i < r; i++) qr.T[j * r + i] = A[i * n + order[j]];
  }
  zw_qr_factor(&qr);
  double most = zw_max_abs((ptrdiff_t)r * n, A);
  for (int32_t k = 0; k < r; k++) {
    if (!(fabs(zw_qr_diagonal(&qr, k)) > ZW_TOL_RANK_REL * most)) return order[k];
  }
  return -1;
}

bool zw_column_order_given(ZwPaper* paper, ZwPaperResult* result, const int32_t** given) {
  const ZwPaperProblem* p = &paper->p;
  result->reason = "the columns put first are fewer than the independent rows";
  if (p->first_count < paper->r) return false;
  int32_t *order = take_integers(paper, p->n), count = 0;
  for (; count < p->first_count; count++) order[count] = p->first[count];
  for (int32_t j = 0; j < p->n; j++) {
    bool is_first = false;
    for (int32_t k = 0; k < p->first_count; k++) is_first = is_first || p->first[k] == j;
    if (!is_first) order[count++] = j;
  }
  result->reason = "the columns put first depend on each other";
  result->dependent = find_dependent(paper, order);
  *given = order;
  return result->dependent < 0;
}

/* X^+ = V diag(1/sigma) U^T with the r largest singular values */
double* zw_inverse_moore_penrose(ZwPaper* paper, int32_t p, int32_t q, int32_t r, const double* X) {
  ptrdiff_t k = p < q ? p : q;
  double* inverse = zw_paper_take(paper, (ptrdiff_t)p * q);
  double *sigma = zw_paper_take(paper, k), *Ut = zw_paper_take(paper, k * p), *Vt = zw_paper_take(paper, k * q);
  if (zw_svd(p, q, X, sigma, Ut, Vt)) return NULL;
  zw_fill((ptrdiff_t)p * q, 0, inverse);
  for (ptrdiff_t i = 0; i < r; i++) {
    if (!(sigma[i] > 0)) return NULL;
    for (ptrdiff_t j = 0; j < q; j++) zw_axpy(p, Vt[i * q + j] / sigma[i], Ut + i * p, inverse + j * p);
  }
  return inverse;
}

static double* take_rows(ZwPaper* paper, int32_t q, int32_t r, const double* X, const int32_t* rows) {
  double* Y = zw_paper_take(paper, (ptrdiff_t)r * q);
  for (ptrdiff_t i = 0; i < r; i++) zw_copy(q, X + (ptrdiff_t)rows[i] * q, Y + i * q);
  return Y;
}

double* zw_inverse_basic(ZwPaper* paper, int32_t p, int32_t q, int32_t r, const double* X, const int32_t* rows) {
  double* inverse = zw_paper_take(paper, (ptrdiff_t)p * q);
  zw_fill((ptrdiff_t)p * q, 0, inverse);
  const double* Y = take_rows(paper, q, r, X, rows);
  const int32_t* columns = zw_column_order(paper, r, q, Y);
  double *square = zw_paper_take(paper, (ptrdiff_t)r * r), *x = zw_paper_take(paper, r);
  int32_t* swap = take_integers(paper, r);
  for (ptrdiff_t i = 0; i < r; i++) {
    for (ptrdiff_t j = 0; j < r; j++) square[i * r + j] = Y[i * q + columns[j]];
  }
  if (zw_lu_factor(r, square, swap) == 0) return NULL;
  for (ptrdiff_t i = 0; i < r; i++) {
    zw_fill(r, 0, x);
    x[i] = 1;
    zw_lu_solve(r, square, swap, x);
    for (ptrdiff_t j = 0; j < r; j++) inverse[(ptrdiff_t)columns[j] * p + rows[i]] = x[j];
  }
  return inverse;
}

/* With X_I^T = Q [R; 0]: the columns of X_I^T (X_I X_I^T)^-1 are Q [R'\e_i; 0]. */
double* zw_inverse_of_rows(ZwPaper* paper, int32_t p, int32_t q, int32_t r, const double* X, const int32_t* rows) {
  double* inverse = zw_paper_take(paper, (ptrdiff_t)p * q);
  zw_fill((ptrdiff_t)p * q, 0, inverse);
  ZwQr qr = {.rows = q, .cols = r, .T = take_rows(paper, q, r, X, rows), .tau = zw_paper_take(paper, r)};
  zw_qr_factor(&qr);
  double* x = zw_paper_take(paper, q);
  for (int32_t i = 0; i < r; i++) {
    zw_fill(q, 0, x);
    x[i] = 1;
    zw_qr_solve_rt(&qr, r, x);
    zw_qr_apply_q(&qr, x);
    for (ptrdiff_t j = 0; j < q; j++) inverse[j * p + rows[i]] = x[j];
  }
  return inverse;
}

/* With X_J = Q [R; 0]: row i of (X_J^T X_J)^-1 X_J^T is (Q [R'\... ])^T, that is R\ of the first rows of Q^T. */
double* zw_inverse_of_columns(ZwPaper* paper, int32_t p, int32_t q, int32_t r, const double* X) {
  double* inverse = zw_paper_take(paper, (ptrdiff_t)p * q);
  zw_fill((ptrdiff_t)p * q, 0, inverse);
  const int32_t* columns = zw_column_order(paper, p, q, X);
  const double* transposed = zw_transpose(paper, p, q, X);
  ZwQr qr = {.rows = p, .cols = r, .T = take_rows(paper, p, r, transposed, columns), .tau = zw_paper_take(paper, r)};
  zw_qr_factor(&qr);
  double* x = zw_paper_take(paper, p);
  for (int32_t i = 0; i < p; i++) {
    zw_fill(p, 0, x);
    x[i] = 1;
    zw_qr_apply_qt(&qr, x);
    zw_qr_solve_r(&qr, r, x);
    for (ptrdiff_t j = 0; j < r; j++) inverse[(ptrdiff_t)columns[j] * p + i] = x[j];
  }
  return inverse;
}

double zw_inverse_size(ptrdiff_t count, const double* X) {
  double most = zw_max_abs(count, X);
  return most > 0 ? 1 / most : 1;
}

/* splitmix64 */
static double next_random(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

double* zw_random_matrix(ZwPaper* paper, int32_t p, int32_t q, double size, uint64_t seed) {
  double* Y = zw_paper_take(paper, (ptrdiff_t)p * q);
  for (ptrdiff_t i = 0; i < (ptrdiff_t)p * q; i++) Y[i] = size * next_random(&seed);
  return Y;
}
