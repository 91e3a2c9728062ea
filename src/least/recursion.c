#include "least/recursion.h"

#include "least/cholesky.h"
#include "least/dense.h"
#include "least/lu.h"
#include "least/paper.h"

ptrdiff_t zw_recursion_size(int32_t n_columns, int32_t m_rows) {
  ptrdiff_t n = n_columns, m = m_rows;
  return m * n + 2 * (n + 1) * m * m + 3 * (n + 1) * m + n * n + 5 * (n + 1);
}

void zw_recursion_place(ZwRecursion* recursion, int32_t n_columns, int32_t m_rows, double* memory) {
  ptrdiff_t n = n_columns, m = m_rows;
  recursion->C = memory, memory += m * n;
  recursion->R = memory, memory += (n + 1) * m * m;
  recursion->R_J = memory, memory += (n + 1) * m * m;
  double** const by_column[] = {&recursion->beta, &recursion->kappa, &recursion->d};
  for (int i = 0; i < 3; i++, memory += (n + 1) * m) *by_column[i] = memory;
  recursion->feedback = memory, memory += n * n;
  double** const numbers[] = {&recursion->y, &recursion->g, &recursion->drop, &recursion->excess};
  for (int i = 0; i < 4; i++, memory += n + 1) *numbers[i] = memory;
  recursion->order = (int32_t*)(void*)memory;
}

/* The recursion on independent rows: everything r x .., columns in their order, each contiguous. */
typedef struct Chain {
  ptrdiff_t n, r;
  double* c;             /* n x r */
  double* first_inverse; /* r x r: Cr^-1 */
  double *R, *beta;      /* (n - r + 1) x r x r, (n - r) x r */
  double* d;             /* (n - r + 1) x r */
  double* scale;         /* n - r: 1 + c_k^T beta_k */
} Chain;

/* ---- columns ---- */

/* Rows A_J of the problem, its columns in the order asked for. */
static double* ordered_rows(ZwPaper* paper, const ZwPaperProblem* problem, const ZwDetail* detail,
                            const int32_t* order) {
  ptrdiff_t n = detail->n, r = detail->rank;
  double* A = zw_paper_take(paper, r * n);
  for (ptrdiff_t i = 0; i < r; i++) {
    for (ptrdiff_t j = 0; j < n; j++) A[i * n + j] = problem->A[detail->rows[i] * n + order[j]];
  }
  return A;
}

static double* ordered_mass(ZwPaper* paper, const ZwPaperProblem* problem, const int32_t* order) {
  ptrdiff_t n = problem->n;
  double* M = zw_paper_take(paper, n * n);
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < n; j++) M[i * n + j] = problem->M[order[i] * n + order[j]];
  }
  return M;
}

/* A = A M^(-1/2) */
static bool divide_by_symmetric(ZwPaper* paper, int32_t n, const double* M, int32_t r, double* A) {
  double *root, *inverse_root;
  if (!zw_roots_of(paper, n, M, &root, &inverse_root)) return false;
  zw_copy((ptrdiff_t)r * n, zw_product(paper, r, n, n, A, inverse_root), A);
  return true;
}

static bool find_columns(ZwPaper* paper, const ZwPaperProblem* problem, const ZwDetail* detail, ZwRoot root,
                         const int32_t* order, Chain* chain) {
  int32_t n = detail->n, r = detail->rank;
  double *A = ordered_rows(paper, problem, detail, order), *M = ordered_mass(paper, problem, order);
  bool has_root = true;
  if (root == ZW_ROOT_SYMMETRIC) {
    has_root = divide_by_symmetric(paper, n, M, r, A);
  } else {
    has_root = zw_cholesky_factor(n, M) == n;
    if (has_root) zw_cholesky_solve_lower_rows(n, M, r, A);
  }
  chain->c = zw_transpose(paper, r, n, A);
  return has_root;
}

static bool invert_first(ZwPaper* paper, Chain* chain) {
  int32_t r = (int32_t)chain->r;
  double* square = zw_transpose(paper, r, r, chain->c); /* columns are rows of c */
  int32_t* swap = (int32_t*)(void*)zw_paper_take(paper, r);
  chain->first_inverse = zw_paper_take(paper, chain->r * chain->r);
  if (zw_lu_factor(r, square, swap) == 0) return false;
  double* x = zw_paper_take(paper, r);
  for (ptrdiff_t j = 0; j < r; j++) {
    zw_fill(r, 0, x);
    x[j] = 1;
    zw_lu_solve(r, square, swap, x);
    for (ptrdiff_t i = 0; i < r; i++) chain->first_inverse[i * r + j] = x[i];
  }
  return true;
}

/* ---- forward and back ---- */

/* R_r = Cr^-T Cr^-1, then column by column */
static void go_forward(ZwPaper* paper, Chain* chain) {
  ptrdiff_t r = chain->r, square = r * r;
  int32_t size = (int32_t)r;
  const double* transposed = zw_transpose(paper, size, size, chain->first_inverse);
  zw_copy(square, zw_product(paper, size, size, size, transposed, chain->first_inverse), chain->R);
  for (ptrdiff_t k = 0; k < chain->n - r; k++) {
    const double *R = chain->R + k * square, *c = chain->c + (r + k) * r;
    double *next = chain->R + (k + 1) * square, *beta = chain->beta + k * r;
    zw_multiply(size, size, R, c, beta);
    chain->scale[k] = 1 + zw_dot(size, c, beta);
    zw_copy(square, R, next);
    for (ptrdiff_t i = 0; i < r; i++) zw_axpy(size, -beta[i] / chain->scale[k], beta, next + i * r);
  }
}

static void go_back(Chain* chain, double* y) {
  int32_t r = (int32_t)chain->r;
  for (ptrdiff_t k = chain->n - r - 1; k >= 0; k--) {
    const double *beta = chain->beta + k * r, *c = chain->c + (r + k) * r, *d = chain->d + (k + 1) * r;
    double* before = chain->d + k * r;
    y[r + k] = zw_dot(r, beta, d) / chain->scale[k];
    zw_copy(r, d, before);
    zw_axpy(r, -y[r + k], c, before);
  }
  zw_multiply(r, r, chain->first_inverse, chain->d, y);
}

/* ---- what is shown ---- */

static double cost_of(const Chain* chain, ptrdiff_t k, const double* d) {
  ptrdiff_t r = chain->r;
  double sum = 0;
  for (ptrdiff_t i = 0; i < r; i++) sum += d[i] * zw_dot((int32_t)r, chain->R + (k * r + i) * r, d);
  return sum;
}

/* BG99 9: how much more other y_k cost, at least. */
static double least_excess(ZwPaper* paper, const Chain* chain, ptrdiff_t k, double y) {
  static const double parts[] = {-1, -0.1, -0.01, 0.01, 0.1, 1};
  ptrdiff_t used = paper->used;
  int32_t r = (int32_t)chain->r;
  const double *d = chain->d + (k + 1) * r, *c = chain->c + (chain->r + k) * r;
  double *rest = zw_paper_take(paper, r), here = cost_of(chain, k + 1, d), least = INFINITY;
  double unit = here > 0 ? sqrt(here) : 1;
  for (int i = 0; i < 6; i++) {
    double other = y + parts[i] * unit;
    zw_copy(r, d, rest);
    zw_axpy(r, -other, c, rest);
    least = zw_smaller(least, other * other + cost_of(chain, k, rest) - here);
  }
  paper->used = used;
  return least;
}

/* kappa_k^T c_j for the columns after k; of the first r, Cr^-1 c_j */
static void find_feedback(const Chain* chain, double* feedback) {
  ptrdiff_t n = chain->n, r = chain->r;
  zw_fill(n * n, 0, feedback);
  for (ptrdiff_t j = r; j < n; j++) {
    const double* c = chain->c + j * r;
    for (ptrdiff_t k = 0; k < r; k++) feedback[k * n + j] = zw_dot((int32_t)r, chain->first_inverse + k * r, c);
    for (ptrdiff_t k = r; k < j; k++)
      feedback[k * n + j] = zw_dot((int32_t)r, chain->beta + (k - r) * r, c) / chain->scale[k - r];
  }
}

/* From the independent rows to all: E^+T R E^+, E^+T beta, E d. */
static void give_all_rows(ZwPaper* paper, const ZwDetail* detail, const Chain* chain, ZwRecursion* all) {
  ptrdiff_t n = chain->n, r = chain->r, m = detail->m;
  const double* Et = zw_transpose(paper, (int32_t)m, (int32_t)r, detail->E);
  double *square = zw_product(paper, (int32_t)r, (int32_t)m, (int32_t)r, Et, detail->E),
         *F = zw_paper_take(paper, m * r);
  (void)zw_cholesky_factor((int32_t)r, square);
  zw_copy(m * r, detail->E, F); /* F = E^+T = E (E^T E)^-1 */
  for (ptrdiff_t i = 0; i < m; i++) zw_cholesky_solve((int32_t)r, square, F + i * r);
  double* half = zw_paper_take(paper, m * r);
  for (ptrdiff_t k = 0; k <= n - r; k++) {
    const double* R = chain->R + k * r * r;
    for (ptrdiff_t i = 0; i < m; i++) zw_multiply((int32_t)r, (int32_t)r, R, F + i * r, half + i * r);
    for (ptrdiff_t i = 0; i < m; i++) {
      zw_multiply((int32_t)m, (int32_t)r, F, half + i * r, all->R + (k * m + i) * m);
    }
    zw_multiply((int32_t)m, (int32_t)r, detail->E, chain->d + k * r, all->d + k * m);
    all->g[k] = cost_of(chain, k, chain->d + (n - r) * r);
  }
  for (ptrdiff_t k = 0; k < n - r; k++) {
    zw_multiply((int32_t)m, (int32_t)r, F, chain->beta + k * r, all->beta + k * m);
    for (ptrdiff_t i = 0; i < m; i++) all->kappa[k * m + i] = all->beta[k * m + i] / chain->scale[k];
    double pull = zw_dot((int32_t)r, chain->beta + k * r, chain->d + (n - r) * r);
    all->drop[k] = pull * pull / chain->scale[k];
    all->excess[k] = least_excess(paper, chain, k, all->y[r + k]);
  }
  for (ptrdiff_t i = 0; i < m; i++) {
    for (ptrdiff_t j = 0; j < n; j++) all->C[i * n + j] = zw_dot((int32_t)r, detail->E + i * r, chain->c + j * r);
  }
}

static ZwStatus choose_order(ZwPaper* paper, int32_t* order, ZwPaperResult* result) {
  const ZwPaperProblem* p = &paper->p;
  const int32_t* chosen;
  if (!p->first)
    chosen = zw_column_order(paper, paper->r, p->n, zw_paper_independent_rows(paper));
  else if (!zw_column_order_given(paper, result, &chosen))
    return ZW_ERR_VALUE;
  for (int32_t j = 0; j < p->n; j++) order[j] = chosen[j];
  return ZW_OK;
}

static ZwStatus run(ZwPaper* paper, const ZwPaperProblem* problem, const ZwDetail* detail, ZwRoot root,
                    ZwRecursion* recursion, ZwPaperResult* result) {
  ptrdiff_t n = detail->n, r = detail->rank;
  Chain chain = {.n = n, .r = r, .R = recursion->R_J};
  recursion->n = detail->n;
  recursion->m = detail->m;
  recursion->r = detail->rank;
  result->dependent = -1;
  result->reason = zw_paper_is_indefinite(paper) ? "the recursion needs a root of M, and M is indefinite"
                                                 : "the recursion needs a root of M, and M is singular";
  if (!detail->is_definite) return ZW_ERR_UNSUPPORTED;
  ZW_TRY(choose_order(paper, recursion->order, result));
  result->reason = "its factors do not exist in double precision";
  if (!find_columns(paper, problem, detail, root, recursion->order, &chain)) return ZW_ERR_DOMAIN;
  if (!invert_first(paper, &chain)) return ZW_ERR_DOMAIN;
  chain.beta = zw_paper_take(paper, (n - r) * r);
  chain.d = zw_paper_take(paper, (n - r + 1) * r);
  chain.scale = zw_paper_take(paper, n - r);
  for (ptrdiff_t i = 0; i < r; i++) chain.d[(n - r) * r + i] = detail->d[detail->rows[i]];
  go_forward(paper, &chain);
  go_back(&chain, recursion->y);
  find_feedback(&chain, recursion->feedback);
  give_all_rows(paper, detail, &chain, recursion);
  result->reason = "";
  return ZW_OK;
}

ZwStatus zw_recursion_run(ZwPaper* paper, const ZwPaperProblem* problem, const ZwDetail* detail, ZwRoot root,
                          ZwRecursion* recursion, ZwPaperResult* result) {
  ptrdiff_t used = paper->used;
  ZwStatus status = run(paper, problem, detail, root, recursion, result);
  paper->used = used;
  return status;
}
