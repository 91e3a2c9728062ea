/* T19 (BG99 26-33): the Bellman-Gauss beta-R recursion on C y = d, the shortest y column by column.
 *
 * R_k is the matrix of the cost-to-go: d^T R_k d is the least |y|^2 that the first k columns need to make d. It begins
 * with r independent columns, R_r = (Cr^+)^T Cr^+, and with each further column c
 *
 *   beta = R c,   R <- R - beta beta^T / (1 + c^T beta)
 *
 * Back from the last column, y_k = beta_k^T d_k / (1 + c_k^T beta_k), d_(k-1) = d_k - c_k y_k; the first r columns take
 * what is left. d^T R_n d must be twice the Gaussian. */
#include "least/dense.h"
#include "least/paper.h"

typedef struct Columns {
  int32_t m, n, r;
  const int32_t* order;
  double* c;             /* n x m: the columns in that order, each contiguous */
  double* first_inverse; /* r x m: Cr^+ */
} Columns;

static bool gather(ZwPaper* paper, const double* C, Columns* columns) {
  int32_t n = paper->p.n, m = paper->p.m, r = paper->r;
  *columns = (Columns){m, n, r, zw_column_order(paper, m, n, C), zw_paper_take(paper, (ptrdiff_t)n * m), NULL};
  double* first = zw_paper_take(paper, (ptrdiff_t)m * r);
  for (ptrdiff_t k = 0; k < n; k++) {
    for (ptrdiff_t i = 0; i < m; i++) columns->c[k * m + i] = C[i * n + columns->order[k]];
  }
  for (ptrdiff_t k = 0; k < r; k++) {
    for (ptrdiff_t i = 0; i < m; i++) first[i * r + k] = columns->c[k * m + i];
  }
  columns->first_inverse = zw_inverse_moore_penrose(paper, m, r, r, first);
  return columns->first_inverse != NULL;
}

/* Forward: R_n, and the betas of the columns behind the first r. */
static void recur(const Columns* columns, double* R, double* beta) {
  int32_t m = columns->m;
  for (int32_t k = columns->r; k < columns->n; k++) {
    const double* c = columns->c + (ptrdiff_t)k * m;
    double* b = beta + (ptrdiff_t)(k - columns->r) * m;
    zw_multiply(m, m, R, c, b);
    double denominator = 1 + zw_dot(m, c, b);
    for (ptrdiff_t i = 0; i < m; i++) zw_axpy(m, -b[i] / denominator, b, R + i * m);
  }
}

/* Backward: y by columns of C, in the order of the recursion. d is used up. */
static void unroll(const Columns* columns, const double* beta, double* d, double* y) {
  int32_t m = columns->m, r = columns->r;
  for (int32_t k = columns->n - 1; k >= r; k--) {
    const double *c = columns->c + (ptrdiff_t)k * m, *b = beta + (ptrdiff_t)(k - r) * m;
    double value = zw_dot(m, b, d) / (1 + zw_dot(m, c, b));
    y[columns->order[k]] = value;
    zw_axpy(m, -value, c, d);
  }
  for (int32_t k = 0; k < r; k++) y[columns->order[k]] = zw_dot(m, columns->first_inverse + (ptrdiff_t)k * m, d);
}

/* R and beta of the rows as given: E R E, E beta */
static void give_back_rows(const ZwPaper* paper, double* R, double* beta) {
  ptrdiff_t m = paper->p.m, more = paper->p.n - paper->r;
  for (ptrdiff_t j = 0; j < m; j++) {
    for (ptrdiff_t i = 0; i < m; i++) R[i * m + j] *= paper->E[i] * paper->E[j];
    for (ptrdiff_t k = 0; k < more; k++) beta[k * m + j] *= paper->E[j];
  }
}

ZwStatus zw_solve_bellman(ZwPaper* paper, uint64_t seed, ZwPaperResult* result) {
  (void)seed; /* the largest columns come first */
  int32_t n = paper->p.n, m = paper->p.m, r = paper->r;
  double *root, *inverse_root;
  if (!zw_paper_roots(paper, &root, &inverse_root)) return ZW_ERR_DOMAIN;
  Columns columns;
  if (!gather(paper, zw_product(paper, m, n, n, paper->p.A, inverse_root), &columns)) return ZW_ERR_DOMAIN;
  const double* a0 = zw_paper_free_acceleration(paper);
  double* d = zw_paper_deviation(paper, a0);
  /* forward */
  double* R_r = zw_product(paper, m, r, m, zw_transpose(paper, r, m, columns.first_inverse), columns.first_inverse);
  double *R = zw_paper_take(paper, (ptrdiff_t)m * m), *beta = zw_paper_take(paper, (ptrdiff_t)(n - r) * m);
  zw_copy((ptrdiff_t)m * m, R_r, R);
  recur(&columns, R, beta);
  double cost = 0;
  for (int32_t i = 0; i < m; i++) cost += d[i] * zw_dot(m, R + (ptrdiff_t)i * m, d);
  /* backward */
  double* y = zw_paper_take(paper, n);
  unroll(&columns, beta, d, y);
  zw_multiply(n, n, inverse_root, y, result->a);
  zw_axpy(n, 1, a0, result->a);
  if (paper->is_definite)
    zw_multiply(n, n, root, y, result->Qc);
  else
    zw_paper_force(paper, result->a, result->Qc);
  give_back_rows(paper, R_r, beta);
  result->bellman = (ZwBellman){columns.order, R_r, beta, cost};
  return ZW_OK;
}
