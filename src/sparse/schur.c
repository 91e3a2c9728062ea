/* The Schur form: with M + E = L L^T by blocks, C = A L^-T and u = L^T a,
 *
 *   S lambda = b - C L\h,  S = C C^T,     u = L\h + C^T lambda.
 *
 * The first equation of motion then holds by construction, and A a = C u is all that needs refinement. Where inertia
 * is missing E is not zero, and the force E a that does not exist is put back on the right until it stays the same. */
#include "sparse/ldl_rows.h"
#include "sparse/sparse_parts.h"

/* Squared sines below this are what rounding leaves of a dependent row, or too near to it to be told apart:
 * ZW_TOL_RANK_REL, squared. The row is then left to the others: any larger number in place of the pivot does that, and
 * its own size keeps its multiplier moderate. */
static const ZwPivotRule rule = {.tol = 1e-12, .replacement = 1};

/* Squared sines above this need no refinement: without it up to 1e-16 / sine^2 of the answer is wrong. */
static const double sound = 1e-3;

/* ---- factor ---- */

/* Rows that do not count are empty; S gets a one on its diagonal there. */
static void empty_rows(ZwSparse* sparse) {
  const ZwSchurPlan* plan = &sparse->plan->schur;
  for (int32_t k = 0; k < sparse->plan->m; k++) {
    if (!sparse->is_off[plan->order[k]]) continue;
    for (int32_t p = plan->c_begin[k]; p < plan->c_begin[k + 1]; p++) sparse->C[p] = 0;
  }
}

static void form_c(ZwSparse* sparse, const double* A) {
  const ZwSchurPlan* plan = &sparse->plan->schur;
  const int32_t* restrict from = plan->c_from;
  const int32_t* restrict column = plan->c_column;
  const double* restrict scale = sparse->blocks.scale;
  double* restrict C = sparse->C;
  int32_t count = plan->c_begin[sparse->plan->m];
  if (plan->blocks.is_diagonal) {
    for (int32_t p = 0; p < count; p++) C[p] = A[from[p]] * scale[column[p]];
    return;
  }
  for (int32_t p = 0; p < count; p++) C[p] = from[p] < 0 ? 0 : A[from[p]] * scale[column[p]];
  for (int32_t q = 0; q < plan->incidence_count; q++) {
    zw_block_lower(&plan->blocks, &sparse->blocks, plan->incidence[q].block, C + plan->incidence[q].at);
  }
}

/* Runs are short: two products at a time keep the sums from waiting for each other. */
static double sum_run(int32_t count, const double* x, const double* y) {
  double sum = 0;
  int32_t i = 0;
  for (; i + 1 < count; i += 2) sum += x[i] * y[i] + x[i + 1] * y[i + 1];
  return i < count ? sum + x[i] * y[i] : sum;
}

/* Row k of S; its diagonal, which is last, is what the pivot is measured by. */
static double form_row(const ZwSchurPlan* plan, const double* restrict C, int32_t k, const int64_t* restrict place,
                       double* restrict K) {
  int32_t p = plan->ldl.input.begin[k];
  double sum = 0, value = 0;
  for (int32_t r = plan->run_begin[k]; r < plan->run_begin[k + 1]; r++) {
    const ZwRun* run = &plan->runs[r];
    bool is_last = run->count < 0;
    sum += sum_run(is_last ? -run->count - 1 : run->count, C + run->first, C + run->second);
    if (!is_last) continue;
    K[place ? place[p] : p] = value = sum;
    p++;
    sum = 0;
  }
  return value;
}

/* S, factored row by row while it is formed where that can be done. Gives zero times the sum of its diagonal: NaN
 * unless all rows are finite. */
static double form_and_factor(ZwSparse* sparse) {
  const ZwSchurPlan* plan = &sparse->plan->schur;
  ZwLdl* ldl = &sparse->ldl;
  bool by_rows = plan->ldl.way == ZW_LDL_ROWS;
  double zero = 0;
  zw_ldl_clear(ldl);
  zw_ldl_begin(ldl);
  for (int32_t k = 0; k < sparse->plan->m; k++) {
    double value = form_row(plan, sparse->C, k, plan->ldl.input_place, ldl->K);
    if (sparse->has_off && sparse->is_off[plan->order[k]]) {
      ldl->K[zw_ldl_input(&plan->ldl, plan->ldl.input.begin[k + 1] - 1)] = value = 1;
    }
    ldl->weight[k] = value;
    zero += 0 * value;
    if (by_rows) zw_ldl_factor_row(ldl, k);
  }
  if (!by_rows) zw_ldl_factor(ldl);
  return zero;
}

ZwStatus zw_schur_factor(ZwSparse* sparse, const double* M, const double* A) {
  if (M && !zw_blocks_factor(&sparse->plan->schur.blocks, M, &sparse->blocks)) return ZW_ERR_MASS;
  sparse->has_M = true;
  form_c(sparse, A);
  if (sparse->has_off) empty_rows(sparse);
  sparse->ldl.rule_plus = sparse->ldl.rule_minus = rule;
  return form_and_factor(sparse) == 0 ? ZW_OK : ZW_ERR_DOMAIN;
}

/* ---- solve ---- */

/* x = L\x and x = L'\x for all coordinates, in the order of the blocks. */
static void apply_blocks(const ZwSparse* sparse, double* restrict x,
                         void (*apply)(const ZwBlocks*, const ZwBlockFactor*, int32_t, double*)) {
  const ZwBlocks* blocks = &sparse->plan->schur.blocks;
  if (blocks->is_diagonal) {
    const double* restrict scale = sparse->blocks.scale;
    for (int32_t j = 0; j < blocks->n; j++) x[j] *= scale[j];
    return;
  }
  for (int32_t b = 0; b < blocks->count; b++) apply(blocks, &sparse->blocks, b, x + blocks->begin[b]);
}

/* u += C_k^T lambda_k */
static inline void add_force(const ZwSparse* sparse, int32_t k, double lambda, double* restrict u) {
  const ZwSchurPlan* plan = &sparse->plan->schur;
  const int32_t* restrict column = plan->c_column;
  const double* restrict C = sparse->C;
  for (int32_t p = plan->c_begin[k]; p < plan->c_begin[k + 1]; p++) u[column[p]] += C[p] * lambda;
}

/* b_k - C_k u */
static double find_lacking(const ZwSparse* sparse, int32_t k, const double* restrict u) {
  const ZwSchurPlan* plan = &sparse->plan->schur;
  const int32_t* restrict column = plan->c_column;
  const double* restrict C = sparse->C;
  double rest = sparse->b[k];
  int32_t p = plan->c_begin[k], end = plan->c_begin[k + 1];
  for (; p + 1 < end; p += 2) rest -= C[p] * u[column[p]] + C[p + 1] * u[column[p + 1]];
  return p < end ? rest - C[p] * u[column[p]] : rest;
}

/* lambda = S\(b - C u), u += C^T lambda, in two sweeps. The Gaussian is 1/2 lambda^T S lambda. */
static double sweep_rows(ZwSparse* sparse, double* restrict lambda, double* restrict u) {
  const ZwLdl* ldl = &sparse->ldl;
  int32_t m = sparse->plan->m;
  double gaussian = 0;
  for (int32_t k = 0; k < m; k++) lambda[k] = 0;
  for (int32_t k = 0; k < m; k++) {
    lambda[k] += find_lacking(sparse, k, u);
    zw_ldl_lower_row(ldl, k, lambda[k], lambda);
  }
  for (int32_t k = m - 1; k >= 0; k--) {
    double x = lambda[k] * ldl->D_inverse[k];
    gaussian += lambda[k] * x;
    lambda[k] = zw_ldl_upper_row(ldl, k, x, lambda);
    add_force(sparse, k, lambda[k], u);
  }
  return 0.5 * gaussian;
}

static double sweep_panels(ZwSparse* sparse, double* restrict lambda, double* restrict u) {
  int32_t m = sparse->plan->m;
  double gaussian = 0;
  for (int32_t k = 0; k < m; k++) sparse->r[k] = lambda[k] = find_lacking(sparse, k, u);
  zw_ldl_solve(&sparse->ldl, lambda);
  for (int32_t k = 0; k < m; k++) gaussian += lambda[k] * sparse->r[k];
  for (int32_t k = 0; k < m; k++) add_force(sparse, k, lambda[k], u);
  return 0.5 * gaussian;
}

/* r = b - C u, with the sizes of what was summed. Gives the largest in parts of the terms of its row; *worst is its
 * place. Forces do not count among the terms: they may be far larger than the accelerations, and each pass adds but a
 * small one. */
static double find_residuals(const ZwSparse* sparse, double* restrict r, double* restrict size, int32_t* worst) {
  const ZwSchurPlan* plan = &sparse->plan->schur;
  const int32_t* restrict column = plan->c_column;
  const double* restrict C = sparse->C;
  const double* restrict u = sparse->u;
  double nothing = tol_nothing * sparse->strongest;
  double most = 0;
  for (int32_t k = 0; k < sparse->plan->m; k++) {
    double rest = sparse->b[k], all = fabs(rest);
    for (int32_t p = plan->c_begin[k]; p < plan->c_begin[k + 1]; p++) {
      double part = C[p] * u[column[p]];
      rest -= part;
      all += fabs(part);
    }
    r[k] = rest;
    size[k] = all;
    if (fabs(rest) > most * all && fabs(rest) > nothing * sqrt(sparse->ldl.weight[k])) {
      most = fabs(rest) / all;
      *worst = k;
    }
  }
  return most;
}

/* The force that missing inertia takes, E a, less what was put back of it before: e, as L\e in sparse->g. Gives how large it is
 * in parts of the forces there. */
static double find_missing(ZwSparse* sparse, const double* h, int32_t* worst) {
  const ZwBlocks* blocks = &sparse->plan->schur.blocks;
  const double* E = sparse->blocks.E;
  double most = 0, *now = sparse->g;
  for (int32_t j = 0; j < blocks->n; j++) now[j] = sparse->u[j];
  apply_blocks(sparse, now, zw_block_upper);
  for (int32_t j = 0; j < blocks->n; j++) {
    double force = E[j] * now[j], more = force - sparse->e[j];
    double all = fabs(force) / rho + sqrt(E[j]) * sparse->forces[j] + (h ? fabs(h[blocks->coordinate[j]]) : 0);
    if (fabs(more) > most * all) {
      most = fabs(more) / all;
      *worst = blocks->coordinate[j];
    }
    sparse->e[j] = force;
    now[j] = more;
  }
  apply_blocks(sparse, now, zw_block_lower);
  return most;
}

/* Puts it back, and finds what the rows lack then. */
static void put_back(ZwSparse* sparse) {
  for (int32_t j = 0; j < sparse->plan->n; j++) sparse->u[j] += sparse->g[j];
  for (int32_t k = 0; k < sparse->plan->m; k++) sparse->r[k] = find_lacking(sparse, k, sparse->u);
}

/* |u| + |C^T| |lambda|: the forces that meet at each coordinate, in units of u; gives the largest. */
static double gather_forces(const ZwSparse* sparse, double* all) {
  const ZwSchurPlan* plan = &sparse->plan->schur;
  double most = 0;
  for (int32_t j = 0; j < sparse->plan->n; j++) all[j] = fabs(sparse->u[j]);
  for (int32_t k = 0; k < sparse->plan->m; k++) {
    double now = fabs(sparse->lambda[k]);
    for (int32_t p = plan->c_begin[k]; p < plan->c_begin[k + 1]; p++)
      all[plan->c_column[p]] += fabs(sparse->C[p]) * now;
  }
  for (int32_t j = 0; j < sparse->plan->n; j++) most = fmax(most, all[j]);
  return most;
}

/* Refinement did not get down to rounding of the terms. Are rows violated by more than the rounding of all forces that meet
 * in them? */
static void judge_closely(ZwSparse* sparse, ZwSparsePass* pass) {
  const ZwSchurPlan* plan = &sparse->plan->schur;
  double *all = sparse->g, fastest = 0;
  (void)gather_forces(sparse, all);
  for (int32_t j = 0; j < sparse->plan->n; j++) fastest = fmax(fastest, fabs(sparse->u[j]));
  pass->residual = 0;
  for (int32_t k = 0; k < sparse->plan->m; k++) {
    double r = fabs(sparse->r[k]), forces = sparse->size[k];
    for (int32_t p = plan->c_begin[k]; p < plan->c_begin[k + 1]; p++) {
      forces += fabs(sparse->C[p]) * all[plan->c_column[p]];
    }
    double terms = sparse->size[k] + quiet * sqrt(sparse->ldl.weight[k]) * fastest;
    if (!(r > tol_rounding * forces && r > pass->residual * terms)) continue;
    pass->residual = r / terms;
    pass->worst_row = plan->order[k];
  }
  pass->is_inconsistent = pass->residual > tol_inconsistent;
}

static void refine(ZwSparse* sparse, ZwSparsePass* pass) {
  int32_t m = sparse->plan->m, worst = 0;
  bool is_massless = sparse->blocks.boosted > 0 && !pass->is_projection;
  double before = INFINITY;
  for (int32_t j = 0; is_massless && j < sparse->plan->n; j++) sparse->e[j] = 0;
  sparse->strongest = gather_forces(sparse, sparse->forces);
  for (;;) {
    double forces = is_massless ? find_missing(sparse, pass->h, &pass->worst_coordinate) : 0;
    double rows = find_residuals(sparse, sparse->r, sparse->size, &worst), now = rows > forces ? rows : forces;
    pass->residual = now;
    if (m > 0) pass->worst_row = sparse->plan->schur.order[worst];
    if (!(now > tol_refined)) return;
    if (pass->refinements == ZW_REFINE_MOST || now > refine_gain * before) {
      pass->is_undetermined = forces > tol_inconsistent;
      judge_closely(sparse, pass);
      return;
    }
    before = now;
    pass->refinements++;
    if (is_massless) put_back(sparse);
    zw_ldl_solve(&sparse->ldl, sparse->r);
    for (int32_t k = 0; k < m; k++) {
      sparse->lambda[k] += sparse->r[k];
      add_force(sparse, k, sparse->r[k], sparse->u);
    }
  }
}

/* Qc = A^T lambda = L C^T lambda */
static void find_force(ZwSparse* sparse, double* Qc) {
  const ZwBlocks* blocks = &sparse->plan->schur.blocks;
  double* force = sparse->g;
  for (int32_t j = 0; j < blocks->n; j++) force[j] = 0;
  for (int32_t k = 0; k < sparse->plan->m; k++) add_force(sparse, k, sparse->lambda[k], force);
  if (blocks->is_diagonal) { /* places are coordinates */
    for (int32_t j = 0; j < blocks->n; j++) Qc[j] = force[j] / sparse->blocks.scale[j];
    return;
  }
  for (int32_t b = 0; b < blocks->count; b++) zw_block_multiply(blocks, &sparse->blocks, b, force + blocks->begin[b]);
  for (int32_t j = 0; j < blocks->n; j++) Qc[blocks->coordinate[j]] = force[j];
}

/* u = L\h */
static void start_free(ZwSparse* sparse, const double* h) {
  const ZwBlocks* blocks = &sparse->plan->schur.blocks;
  const double* restrict scale = sparse->blocks.scale;
  double* restrict u = sparse->u;
  if (!h) {
    for (int32_t j = 0; j < blocks->n; j++) u[j] = 0;
  } else if (blocks->is_diagonal) { /* places are coordinates */
    for (int32_t j = 0; j < blocks->n; j++) u[j] = h[j] * scale[j];
  } else {
    for (int32_t j = 0; j < blocks->n; j++) u[j] = h[blocks->coordinate[j]];
    apply_blocks(sparse, u, zw_block_lower);
  }
}

/* a = L'\u */
static void end_with(ZwSparse* sparse, double* restrict a) {
  const ZwBlocks* blocks = &sparse->plan->schur.blocks;
  const double* restrict scale = sparse->blocks.scale;
  const double* restrict u = sparse->u;
  if (blocks->is_diagonal) {
    for (int32_t j = 0; j < blocks->n; j++) a[j] = u[j] * scale[j];
    return;
  }
  double* now = sparse->g;
  for (int32_t j = 0; j < blocks->n; j++) now[j] = u[j];
  apply_blocks(sparse, now, zw_block_upper);
  for (int32_t j = 0; j < blocks->n; j++) a[blocks->coordinate[j]] = now[j];
}

/* Where no pivot came near to nothing the factors are those of S to rounding, and so is the answer: nobody needs to
 * look. */
static bool may_be_off(const ZwSparse* sparse) {
  return sparse->ldl.weak_count > 0 || sparse->blocks.boosted > 0 || sparse->ldl.pivot_ratio < sound;
}

void zw_schur_solve(ZwSparse* sparse, ZwSparsePass* pass) {
  const ZwSchurPlan* plan = &sparse->plan->schur;
  int32_t m = sparse->plan->m;
  double* lambda = sparse->lambda;
  for (int32_t k = 0; k < m; k++) sparse->b[k] = pass->b ? pass->b[plan->order[k]] : 0;
  for (int32_t k = 0; sparse->has_off && k < m; k++) {
    if (sparse->is_off[plan->order[k]]) sparse->b[k] = 0;
  }
  start_free(sparse, pass->h);
  bool by_rows = plan->ldl.way == ZW_LDL_ROWS;
  pass->gaussian = by_rows ? sweep_rows(sparse, lambda, sparse->u) : sweep_panels(sparse, lambda, sparse->u);
  if (may_be_off(sparse)) refine(sparse, pass);
  if (pass->Qc) find_force(sparse, pass->Qc);
  end_with(sparse, pass->a);
  for (int32_t k = 0; pass->lambda && k < m; k++) pass->lambda[plan->order[k]] = lambda[k];
}

void zw_schur_residuals(ZwSparse* sparse, double* residuals) {
  int32_t worst;
  sparse->strongest = 0;
  (void)find_residuals(sparse, sparse->r, sparse->size, &worst);
  for (int32_t k = 0; k < sparse->plan->m; k++) {
    double size = sparse->size[k];
    residuals[sparse->plan->schur.order[k]] = size > 0 ? fabs(sparse->r[k]) / size : 0;
  }
}

void zw_schur_missing(const ZwSparse* sparse, const double* a, double* force) {
  const ZwBlocks* blocks = &sparse->plan->schur.blocks;
  for (int32_t j = 0; j < blocks->n; j++) {
    int32_t coordinate = blocks->coordinate[j];
    force[coordinate] = sparse->blocks.E[j] * a[coordinate];
  }
}

/* ---- memory ---- */

size_t zw_schur_numbers(const ZwSparsePlan* plan) {
  size_t n = (size_t)plan->n;
  return (size_t)plan->schur.blocks.value_begin[plan->schur.blocks.count] + (size_t)plan->schur.c_begin[plan->m] +
         6 * n;
}

double* zw_schur_place(ZwSparse* sparse, double* next) {
  const ZwSparsePlan* plan = sparse->plan;
  sparse->blocks.L = next;
  next += plan->schur.blocks.value_begin[plan->schur.blocks.count];
  sparse->C = next;
  next += plan->schur.c_begin[plan->m];
  double** arrays[] = {&sparse->blocks.E, &sparse->blocks.scale, &sparse->u, &sparse->g, &sparse->e, &sparse->forces};
  for (int i = 0; i < 6; i++, next += plan->n) *arrays[i] = next;
  return next;
}
