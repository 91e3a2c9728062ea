/* The KKT form: K = [M A^T; A 0] with unknowns a and -lambda, scaled so that the diagonal of M and the rows of A are
 * of size one.
 *
 * Coordinates must have positive pivots, rows negative ones. Where one is missing a small number takes its place: then
 * K + E is factored, and refinement on both residuals brings the answer to K. Each pass wins about as many digits as
 * the replacements are smaller than what they stand beside. */
#include "base/assert.h"
#include "sparse/sparse_parts.h"

/* Rows: as in schur.c, but a row may have come too early for a pivot of its own, so the replacement is small. */
static const ZwPivotRule rule_rows = {.tol = 1e-12, .replacement = 1e-10};
static const ZwPivotRule rule_inertia = {.tol = 1e-10, .replacement = 1e-8};

/* A pivot of the wrong sign: everything is shifted by this, then once more by a hundred times as much. */
static const double first_shift = 1e-8, more_shift = 100;
enum { SHIFTS = 2 };

/* What may be left of a combination of rows of size one, when one is said to follow from the others: factors with a pivot replaced by
 * 1e-10 leave about that; a row that came too early leaves about one. */
static const double tol_follows = 1e-6;

/* ---- scaling ---- */

static double inverse_root(double x) {
  return x > 0 ? 1 / sqrt(x) : 0;
}

/* Rows get size one in the metric of the coordinates that have a scale already; the others stay 0. */
static void scale_rows(ZwSparse* sparse, const double* A) {
  const ZwCsr* pattern = &sparse->plan->kkt.A;
  double* scale = sparse->scale;
  for (int32_t k = 0; k < pattern->rows; k++) {
    double* mine = &scale[pattern->columns + k];
    if (*mine > 0) continue;
    double sum = 0;
    for (int32_t p = pattern->begin[k]; p < pattern->begin[k + 1]; p++) {
      double part = A[p] * scale[pattern->column[p]];
      sum += part * part;
    }
    *mine = inverse_root(sum);
  }
}

/* Coordinates without inertia count as much as the others in the rows that have a scale, or in all. */
static void scale_massless(ZwSparse* sparse, const double* A, double* most) {
  const ZwCsr* pattern = &sparse->plan->kkt.A;
  int32_t n = pattern->columns;
  for (int32_t j = 0; j < n; j++) most[j] = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t k = 0; k < pattern->rows; k++) {
      double row = pass == 0 ? sparse->scale[n + k] : 1;
      for (int32_t p = pattern->begin[k]; p < pattern->begin[k + 1]; p++) {
        int32_t j = pattern->column[p];
        if (sparse->scale[j] == 0) most[j] = fmax(most[j], row * fabs(A[p]));
      }
    }
    for (int32_t j = 0; j < n; j++) {
      if (sparse->scale[j] == 0 && most[j] > 0) sparse->scale[j] = 1 / most[j];
    }
  }
}

/* False when a mass is negative. */
static bool find_scales(ZwSparse* sparse, const double* M, const double* A) {
  const ZwCsr *pattern_M = &sparse->plan->kkt.M, *pattern_A = &sparse->plan->kkt.A;
  int32_t n = pattern_M->rows, m = pattern_A->rows, massless = 0;
  double* scale = sparse->scale;
  for (int32_t j = 0; j < n; j++) {
    int32_t end = pattern_M->begin[j + 1];
    double mass = end > pattern_M->begin[j] && pattern_M->column[end - 1] == j ? M[end - 1] : 0;
    if (mass < 0) return false;
    scale[j] = inverse_root(mass);
    massless += scale[j] == 0;
  }
  for (int32_t k = 0; k < m; k++) scale[n + k] = 0;
  scale_rows(sparse, A);
  if (massless > 0) {
    scale_massless(sparse, A, sparse->r_h);
    scale_rows(sparse, A);
  }
  for (int32_t i = 0; i < n + m; i++) {
    if (scale[i] == 0) scale[i] = 1;
  }
  return true;
}

static void apply_scales(ZwSparse* sparse, const double* M, const double* A) {
  const ZwCsr *pattern_M = &sparse->plan->kkt.M, *pattern_A = &sparse->plan->kkt.A;
  const double* scale = sparse->scale;
  for (int32_t i = 0; i < pattern_M->rows; i++) {
    for (int32_t p = pattern_M->begin[i]; p < pattern_M->begin[i + 1]; p++) {
      sparse->M[p] = M[p] * scale[i] * scale[pattern_M->column[p]];
    }
  }
  for (int32_t k = 0; k < pattern_A->rows; k++) {
    for (int32_t p = pattern_A->begin[k]; p < pattern_A->begin[k + 1]; p++) {
      double value = A[p] * scale[pattern_A->columns + k] * scale[pattern_A->column[p]];
      sparse->A[p] = sparse->is_off[k] ? 0 : value;
    }
  }
}

/* ---- factor ---- */

static void factor_shifted(ZwSparse* sparse, double shift) {
  const ZwSparsePlan* plan = sparse->plan;
  const ZwKktPlan* kkt = &plan->kkt;
  ZwLdl* ldl = &sparse->ldl;
  zw_ldl_clear(ldl);
  for (int32_t i = 0; i < plan->n + plan->m; i++) {
    ldl->weight[kkt->place[i]] = i < plan->n ? 1 : -1;
    bool is_off = i >= plan->n && sparse->is_off[i - plan->n];
    ldl->K[zw_ldl_input(&kkt->ldl, kkt->input_diagonal[i])] = is_off ? -1 : 0;
  }
  for (int32_t p = 0; p < plan->M_count; p++) ldl->K[zw_ldl_input(&kkt->ldl, kkt->input_M[p])] = sparse->M[p];
  for (int32_t p = 0; p < plan->A_count; p++) ldl->K[zw_ldl_input(&kkt->ldl, kkt->input_A[p])] = sparse->A[p];
  for (int32_t i = 0; shift > 0 && i < plan->n + plan->m; i++) {
    ldl->K[zw_ldl_input(&kkt->ldl, kkt->input_diagonal[i])] += i < plan->n ? shift : -shift;
  }
  ldl->rule_plus = rule_inertia;
  ldl->rule_minus = rule_rows;
  sparse->shift = shift;
  zw_ldl_factor(ldl);
}

ZwStatus zw_kkt_factor(ZwSparse* sparse, const double* M, const double* A) {
  const ZwSparsePlan* plan = sparse->plan;
  for (int32_t p = 0; M && p < plan->M_count; p++) sparse->M_given[p] = M[p];
  sparse->has_M = true;
  double zero = 0;
  for (int32_t p = 0; p < plan->A_count; p++) zero += 0 * A[p];
  if (zero != 0) return ZW_ERR_DOMAIN;
  if (!find_scales(sparse, sparse->M_given, A)) return ZW_ERR_MASS;
  apply_scales(sparse, sparse->M_given, A);
  double shift = 0;
  factor_shifted(sparse, shift);
  for (int i = 0; i < SHIFTS && sparse->ldl.wrong_count > 0; i++) {
    shift = i == 0 ? first_shift : more_shift * shift;
    factor_shifted(sparse, shift);
  }
  sparse->is_massless = sparse->shift > 0;
  for (int32_t w = 0; w < sparse->ldl.weak_count; w++) {
    sparse->is_massless |= plan->kkt.order[sparse->ldl.weak[w]] < plan->n;
  }
  return sparse->ldl.wrong_count > 0 ? ZW_ERR_MASS : ZW_OK;
}

/* ---- solve ---- */

/* r_h = h + A^T lambda - M a, r = b - A a, and the sizes of what was summed. */
static void find_residuals(ZwSparse* sparse, const ZwSparsePass* pass) {
  const ZwCsr *M = &sparse->plan->kkt.M, *A = &sparse->plan->kkt.A;
  int32_t n = M->rows;
  const double *a = sparse->x, *lambda = sparse->x + n;
  double *r_h = sparse->r_h, *size_h = sparse->size_h;
  for (int32_t i = 0; i < n; i++) {
    r_h[i] = pass->h ? pass->h[i] * sparse->scale[i] : 0;
    size_h[i] = fabs(r_h[i]);
  }
  for (int32_t i = 0; i < n; i++) {
    for (int32_t p = M->begin[i]; p < M->begin[i + 1]; p++) {
      int32_t j = M->column[p];
      double part = sparse->M[p] * a[j], other = sparse->M[p] * a[i];
      r_h[i] -= part;
      size_h[i] += fabs(part);
      if (i == j) continue;
      r_h[j] -= other;
      size_h[j] += fabs(other);
    }
  }
  for (int32_t k = 0; k < A->rows; k++) {
    double rest = sparse->b[k], all = fabs(rest);
    for (int32_t p = A->begin[k]; p < A->begin[k + 1]; p++) {
      int32_t j = A->column[p];
      double part = sparse->A[p] * a[j], force = sparse->A[p] * lambda[k];
      rest -= part;
      all += fabs(part);
      r_h[j] += force;
      size_h[j] += fabs(force);
    }
    sparse->r[k] = rest;
    sparse->size[k] = all;
  }
}

/* What the factors make of the residuals is added to a and lambda. */
static void correct(ZwSparse* sparse, bool has_forces) {
  const ZwSparsePlan* plan = sparse->plan;
  const int32_t* place = plan->kkt.place;
  int32_t n = plan->n;
  for (int32_t j = 0; j < n; j++) sparse->dx[place[j]] = has_forces ? sparse->r_h[j] : 0;
  for (int32_t k = 0; k < plan->m; k++) sparse->dx[place[n + k]] = sparse->r[k];
  zw_ldl_solve(&sparse->ldl, sparse->dx);
  for (int32_t j = 0; j < n; j++) sparse->x[j] += sparse->dx[place[j]];
  for (int32_t k = 0; k < plan->m; k++) sparse->x[n + k] -= sparse->dx[place[n + k]];
}

/* The largest residual in parts of its terms; `nothing` is too small to count. */
static double judge(int32_t count, const double* r, const double* size, double nothing, int32_t* worst) {
  double most = 0;
  for (int32_t k = 0; k < count; k++) {
    if (!(fabs(r[k]) > most * size[k] && fabs(r[k]) > nothing)) continue;
    most = fabs(r[k]) / size[k];
    *worst = k;
  }
  return most;
}

static double strongest_force(const ZwSparse* sparse) {
  double most = 0;
  for (int32_t j = 0; j < sparse->plan->n; j++) most = fmax(most, sparse->size_h[j]);
  return most;
}

/* As in schur.c. A coordinate whose forces do not balance is one that nothing determines. */
static void judge_closely(ZwSparse* sparse, ZwSparsePass* pass) {
  const ZwCsr* A = &sparse->plan->kkt.A;
  int32_t n = A->columns;
  const double* lambda = sparse->x + n;
  double *all = sparse->dx, rounding = tol_rounding * strongest_force(sparse), fastest = 0;
  for (int32_t j = 0; j < n; j++) {
    all[j] = fabs(sparse->x[j]);
    fastest = fmax(fastest, all[j]);
  }
  for (int32_t k = 0; k < A->rows; k++) {
    for (int32_t p = A->begin[k]; p < A->begin[k + 1]; p++) all[A->column[p]] += fabs(sparse->A[p] * lambda[k]);
  }
  pass->residual = 0;
  for (int32_t k = 0; k < A->rows; k++) {
    double r = fabs(sparse->r[k]), forces = sparse->size[k], terms = sparse->size[k] + quiet * fastest;
    for (int32_t p = A->begin[k]; p < A->begin[k + 1]; p++) forces += fabs(sparse->A[p]) * all[A->column[p]];
    if (!(r > tol_rounding * forces && r > pass->residual * terms)) continue;
    pass->residual = r / terms;
    pass->worst_row = k;
  }
  pass->is_inconsistent = pass->residual > tol_inconsistent;
  for (int32_t j = 0; j < n && !pass->is_projection; j++) {
    double r = fabs(sparse->r_h[j]);
    if (r > tol_inconsistent * sparse->size_h[j] && r > rounding) pass->is_undetermined = true;
  }
}

static void refine(ZwSparse* sparse, ZwSparsePass* pass) {
  const ZwSparsePlan* plan = sparse->plan;
  bool has_forces = !(pass->is_projection && sparse->is_massless);
  double before = INFINITY;
  for (;;) {
    find_residuals(sparse, pass);
    if (pass->refinements == 0) sparse->strongest = strongest_force(sparse);
    double nothing = tol_nothing * sparse->strongest;
    double rows = judge(plan->m, sparse->r, sparse->size, nothing, &pass->worst_row), forces = 0;
    if (has_forces) forces = judge(plan->n, sparse->r_h, sparse->size_h, nothing, &pass->worst_coordinate);
    double now = rows > forces ? rows : forces;
    pass->residual = now;
    if (!(now > tol_refined)) return;
    if (pass->refinements == ZW_REFINE_MOST || now > refine_gain * before) {
      judge_closely(sparse, pass);
      return;
    }
    before = now;
    pass->refinements++;
    correct(sparse, has_forces);
  }
}

void zw_kkt_solve(ZwSparse* sparse, ZwSparsePass* pass) {
  const ZwSparsePlan* plan = sparse->plan;
  int32_t n = plan->n, m = plan->m;
  const double* scale = sparse->scale;
  for (int32_t i = 0; i < n + m; i++) sparse->x[i] = 0;
  for (int32_t j = 0; j < n; j++) sparse->r_h[j] = pass->h ? pass->h[j] * scale[j] : 0;
  for (int32_t k = 0; k < m; k++) {
    sparse->b[k] = pass->b && !sparse->is_off[k] ? pass->b[k] * scale[n + k] : 0;
    sparse->r[k] = sparse->b[k];
  }
  correct(sparse, true);
  if (m > 0) pass->worst_row = 0;
  refine(sparse, pass);
  pass->gaussian = NAN;
  for (int32_t j = 0; j < n; j++) pass->a[j] = sparse->x[j] * scale[j];
  for (int32_t k = 0; k < m; k++) sparse->lambda[k] = sparse->x[n + k] * scale[n + k];
  for (int32_t k = 0; pass->lambda && k < m; k++) pass->lambda[k] = sparse->lambda[k];
  if (!pass->Qc) return;
  for (int32_t j = 0; j < n; j++) pass->Qc[j] = 0;
  for (int32_t k = 0; k < m; k++) {
    for (int32_t p = plan->kkt.A.begin[k]; p < plan->kkt.A.begin[k + 1]; p++) {
      int32_t j = plan->kkt.A.column[p];
      pass->Qc[j] += sparse->A[p] * sparse->x[n + k] / scale[j];
    }
  }
}

void zw_kkt_residuals(const ZwSparse* sparse, double* residuals) {
  for (int32_t k = 0; k < sparse->plan->m; k++) {
    double size = sparse->size[k];
    residuals[k] = size > 0 ? fabs(sparse->r[k]) / size : 0;
  }
}

void zw_kkt_missing(const ZwSparse* sparse, const double* a, double* force) {
  const ZwSparsePlan* plan = sparse->plan;
  for (int32_t j = 0; j < plan->n; j++) force[j] = sparse->shift * a[j] / (sparse->scale[j] * sparse->scale[j]);
  for (int32_t w = 0; w < sparse->ldl.weak_count; w++) {
    int32_t j = plan->kkt.order[sparse->ldl.weak[w]];
    if (j < plan->n) force[j] = rule_inertia.replacement * a[j] / (sparse->scale[j] * sparse->scale[j]);
  }
}

/* Weights that do not undo each other by chance, the same every time. */
static double next_weight(uint32_t* random) {
  *random = *random * 1664525u + 1013904223u;
  return (*random >> 31 ? 1 : -1) * (0.5 + 0x1p-32 * (*random & 0x7fffffffu));
}

/* sum_i x_i A_i with L^T x = the weights: what the factors say is nothing. Rows have size one here, so that a row that came too early
 * leaves about one in a coordinate of its own. */
bool zw_kkt_rows_follow(ZwSparse* sparse, const int32_t* rows, int32_t count) {
  const ZwSparsePlan* plan = sparse->plan;
  const ZwCsr* A = &plan->kkt.A;
  double *x = sparse->dx, *sum = sparse->r_h, *size = sparse->size_h;
  uint32_t random = 1;
  for (int32_t i = 0; i < plan->n + plan->m; i++) x[i] = 0;
  for (int32_t w = 0; w < count; w++) x[plan->kkt.place[plan->n + rows[w]]] = next_weight(&random);
  zw_ldl_solve_upper(&sparse->ldl, x);
  for (int32_t j = 0; j < plan->n; j++) sum[j] = size[j] = 0;
  for (int32_t k = 0; k < plan->m; k++) {
    double own = x[plan->kkt.place[plan->n + k]];
    for (int32_t p = A->begin[k]; p < A->begin[k + 1]; p++) {
      sum[A->column[p]] += own * sparse->A[p];
      size[A->column[p]] += fabs(own * sparse->A[p]);
    }
  }
  for (int32_t j = 0; j < plan->n; j++) {
    if (fabs(sum[j]) > tol_follows * fmax(size[j], 1)) return false;
  }
  return true;
}

/* Coefficients of scaled rows become those of the rows as given, that of `row` being one. */
void zw_kkt_unscale_rows(const ZwSparse* sparse, int32_t row, double* coefficients) {
  const double* scale = sparse->scale + sparse->plan->n;
  double unit = scale[row];
  for (int32_t k = 0; k < sparse->plan->m; k++) coefficients[k] *= scale[k] / unit;
}

/* ---- memory ---- */

size_t zw_kkt_numbers(const ZwSparsePlan* plan) {
  size_t n = (size_t)plan->n, m = (size_t)plan->m;
  return 2 * (size_t)plan->M_count + (size_t)plan->A_count + 3 * (n + m) + 2 * n;
}

double* zw_kkt_place(ZwSparse* sparse, double* next) {
  const ZwSparsePlan* plan = sparse->plan;
  sparse->M = next;
  sparse->M_given = next + plan->M_count;
  next += 2 * (ptrdiff_t)plan->M_count;
  sparse->A = next;
  next += plan->A_count;
  double** arrays[] = {&sparse->scale, &sparse->x, &sparse->dx};
  for (int i = 0; i < 3; i++, next += plan->n + plan->m) *arrays[i] = next;
  sparse->r_h = next;
  sparse->size_h = next + plan->n;
  return next + 2 * (ptrdiff_t)plan->n;
}
