#include "sparse/sparse.h"

#include <string.h>

#include "base/assert.h"
#include "base/finite.h"
#include "sparse/sparse_parts.h"

/* How many refinements the KKT form takes on average, for counting. */
enum { KKT_REFINEMENTS = 2 };

/* ---- plan ---- */

/* L^-1 A^T and orthogonal factors of it (least_definite.c). */
double zw_sparse_cost_dense(int32_t n_all, int32_t m_all) {
  double n = n_all, m = m_all < n_all ? m_all : n_all;
  double factor = n * n * n / 6 + 0.5 * m * n * n + m * m * (n - m / 3);
  double solve = n * n + 2 * m * (2 * n - m) + m * m;
  return factor + solve + 4 * (n + m);
}

/* The least that the KKT form could take: if the other is below, its order need not be found. */
static double kkt_at_least(const ZwSparseDef* def) {
  double entries = (double)def->A.begin[def->A.rows] + def->M.begin[def->M.rows];
  return 4.0 * (def->M.rows + def->A.rows) + 2 * entries + (1 + KKT_REFINEMENTS) * 4 * entries;
}

static double kkt_operations(const ZwSparseDef* def, const ZwDraft* draft) {
  double entries = (double)def->A.begin[def->A.rows] + def->M.begin[def->M.rows];
  return draft->operations + 4 * entries + (1 + KKT_REFINEMENTS) * (2 * draft->entries + 2 * entries);
}

static bool draft_forms(ZwArena* scratch, const ZwSparseDef* def, ZwDraft* schur, ZwDraft* kkt, ZwSparseCost* cost) {
  *schur = *kkt = (ZwDraft){0};
  cost->schur = cost->kkt = INFINITY;
  if (def->form != ZW_SPARSE_KKT) {
    if (!zw_schur_draft(scratch, def, schur)) return false;
    if (schur->is_possible) cost->schur = schur->operations;
  }
  bool has_to_look = def->form == ZW_SPARSE_KKT || (def->form == ZW_SPARSE_AUTO && cost->schur > kkt_at_least(def));
  if (has_to_look || !schur->is_possible) {
    if (!zw_kkt_draft(scratch, def, kkt)) return false;
    cost->kkt = kkt_operations(def, kkt);
  }
  return true;
}

static ZwStatus plan_form(ZwArena* arena, ZwArena* scratch, const ZwSparseDef* def, ZwSparsePlan* plan) {
  ZwDraft schur, kkt;
  ZwSparseCost* cost = &plan->cost;
  if (!draft_forms(scratch, def, &schur, &kkt, cost)) return ZW_ERR_MEMORY;
  bool is_schur = schur.is_possible && cost->schur <= cost->kkt;
  cost->form = is_schur ? ZW_SPARSE_SCHUR : ZW_SPARSE_KKT;
  cost->entries = is_schur ? schur.entries : kkt.entries;
  cost->dense = zw_sparse_cost_dense(def->M.rows, def->A.rows);
  cost->is_worth_it = 3 * (is_schur ? cost->schur : cost->kkt) < cost->dense;
  ZW_TRY(is_schur ? zw_schur_plan(arena, def, &schur, &plan->schur) : zw_kkt_plan(arena, def, &kkt, &plan->kkt));
  cost->way = is_schur ? plan->schur.ldl.way : plan->kkt.ldl.way;
  return ZW_OK;
}

ZwStatus zw_sparse_plan(ZwArena* arena, const ZwSparseDef* def, ZwSparsePlan** plan) {
  *plan = NULL;
  if (!zw_csr_is_lower(&def->M) || !zw_csr_is_valid(&def->A) || def->A.columns != def->M.rows) return ZW_ERR_ARGUMENT;
  int64_t size = (int64_t)def->M.rows + def->A.rows,
          entries = (int64_t)def->M.begin[def->M.rows] + def->A.begin[def->A.rows];
  if (size > INT32_MAX / 8 || entries > INT32_MAX / 4) return ZW_ERR_LIMIT;
  ZwSparsePlan* made = ZW_NEW(arena, 1, ZwSparsePlan);
  if (!made) return ZW_ERR_MEMORY;
  made->n = def->M.rows;
  made->m = def->A.rows;
  made->M_count = def->M.begin[made->n];
  made->A_count = def->A.begin[made->m];
  ZwArena scratch;
  zw_scratch_init(&scratch, arena);
  ZwStatus status = plan_form(arena, &scratch, def, made);
  if (!zw_scratch_destroy(&scratch, arena)) status = ZW_ERR_MEMORY;
  if (status == ZW_OK) *plan = made;
  return status;
}

ZwSparseCost zw_sparse_cost(const ZwSparsePlan* plan) {
  return plan->cost;
}

/* ---- memory ---- */

static bool is_schur(const ZwSparsePlan* plan) {
  return plan->cost.form == ZW_SPARSE_SCHUR;
}

static const ZwLdlPlan* ldl_plan(const ZwSparsePlan* plan) {
  return is_schur(plan) ? &plan->schur.ldl : &plan->kkt.ldl;
}

static size_t rounded(size_t bytes) {
  enum { ALIGN = 16 };
  return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

size_t zw_sparse_work_size(const ZwSparsePlan* plan) {
  size_t n = (size_t)plan->n, m = (size_t)plan->m;
  size_t numbers = (is_schur(plan) ? zw_schur_numbers(plan) : zw_kkt_numbers(plan)) + 4 * m + 2 * n;
  return rounded(sizeof(ZwSparse)) + rounded(m * sizeof(bool)) + numbers * sizeof(double) +
         zw_ldl_work_size(ldl_plan(plan));
}

ZwSparse* zw_sparse_place(void* memory, const ZwSparsePlan* plan) {
  ZwSparse* sparse = memory;
  *sparse = (ZwSparse){.plan = plan, .status = ZW_ERR_ARGUMENT};
  char* behind = (char*)memory + rounded(sizeof(ZwSparse));
  sparse->is_off = (bool*)(void*)behind;
  memset(sparse->is_off, 0, (size_t)plan->m * sizeof(bool));
  double* next = (double*)(void*)(behind + rounded((size_t)plan->m * sizeof(bool)));
  double** arrays[] = {&sparse->b, &sparse->lambda, &sparse->r, &sparse->size};
  for (int i = 0; i < 4; i++, next += plan->m) *arrays[i] = next;
  sparse->z = next;
  sparse->z_force = next + plan->n;
  next += 2 * (ptrdiff_t)plan->n;
  next = is_schur(plan) ? zw_schur_place(sparse, next) : zw_kkt_place(sparse, next);
  zw_ldl_place(&sparse->ldl, next, ldl_plan(plan));
  return sparse;
}

/* ---- numbers ---- */

static void run(ZwSparse* sparse, ZwSparsePass* pass) {
  pass->worst_row = pass->worst_coordinate = -1;
  if (is_schur(sparse->plan)) {
    zw_schur_solve(sparse, pass);
  } else {
    zw_kkt_solve(sparse, pass);
  }
}

/* Where inertia is missing, are the constraints enough? Accelerations are chosen at will, and the forces that the
 * little inertia put in takes for them are applied: what is determined hardly moves, everything else follows. What is
 * left after two rounds is a direction that nothing holds. */
static ZwStatus probe(ZwSparse* sparse) {
  static const double follows = 1e-4, counts = 1e-4;
  enum { ROUNDS = 2 };
  int32_t n = sparse->plan->n;
  double *z = sparse->z, *force = sparse->z_force, most = 0, all = 0;
  uint32_t random = 1;
  for (int32_t j = 0; j < n; j++) {
    random = random * 1664525u + 1013904223u;
    z[j] = (random >> 31 ? 1 : -1) * (0.5 + 0x1p-32 * random);
  }
  for (int round = 0; round < ROUNDS; round++) {
    if (is_schur(sparse->plan)) {
      zw_schur_missing(sparse, z, force);
    } else {
      zw_kkt_missing(sparse, z, force);
    }
    ZwSparsePass pass = {.h = force, .is_projection = true, .a = z};
    run(sparse, &pass);
  }
  for (int32_t j = 0; j < n; j++) {
    all = fmax(all, fabs(z[j]));
    if (force[j] != 0) most = fmax(most, fabs(z[j]));
  }
  if (!(most > follows)) return ZW_OK;
  for (int32_t j = 0; j < n; j++) z[j] = fabs(z[j]) > counts * all ? z[j] / all : 0;
  return ZW_ERR_UNDETERMINED;
}

static ZwStatus factor(ZwSparse* sparse, const double* M, const double* A) {
  const ZwSparsePlan* plan = sparse->plan;
  if (M && !zw_all_finite(plan->M_count, M)) return ZW_ERR_DOMAIN;
  if (!M && !sparse->has_M) return ZW_ERR_ARGUMENT;
  if (M) sparse->has_M = false;
  ZW_TRY(is_schur(plan) ? zw_schur_factor(sparse, M, A) : zw_kkt_factor(sparse, M, A));
  bool is_massless = is_schur(plan) ? sparse->blocks.boosted > 0 : sparse->is_massless;
  return is_massless ? probe(sparse) : ZW_OK;
}

void zw_sparse_use_rows(ZwSparse* sparse, const bool* is_used) {
  sparse->has_off = false;
  for (int32_t k = 0; k < sparse->plan->m; k++) {
    sparse->is_off[k] = is_used && !is_used[k];
    sparse->has_off |= sparse->is_off[k];
  }
  sparse->status = ZW_ERR_ARGUMENT; /* the factors are those of other rows */
}

ZwStatus zw_sparse_factor(ZwSparse* sparse, const double* M, const double* A) {
  sparse->status = factor(sparse, M, A);
  return sparse->status;
}

ZwStatus zw_sparse_solve(ZwSparse* sparse, const double* h, const double* b, ZwSparseResult* result) {
  ZW_TRY(sparse->status);
  int32_t n = sparse->plan->n, m = sparse->plan->m;
  ZwSparsePass pass = {.h = h, .b = b, .a = result->a, .lambda = result->lambda, .Qc = result->Qc};
  run(sparse, &pass);
  result->gaussian = pass.gaussian;
  result->residual = pass.residual;
  result->worst_row = pass.worst_row;
  result->worst_coordinate = pass.worst_coordinate;
  result->refinements = pass.refinements;
  if (!zw_all_finite(n, result->a) || !zw_all_finite(m, sparse->lambda)) return ZW_ERR_DOMAIN;
  if (pass.is_undetermined) return ZW_ERR_UNDETERMINED;
  return pass.is_inconsistent ? ZW_ERR_INCONSISTENT : ZW_OK;
}

ZwStatus zw_sparse_project(ZwSparse* sparse, const double* r, double* dx) {
  if (sparse->status && sparse->status != ZW_ERR_UNDETERMINED) return sparse->status;
  ZwSparsePass pass = {.b = r, .is_projection = true, .a = dx};
  run(sparse, &pass);
  for (int32_t j = 0; j < sparse->plan->n; j++) dx[j] = -dx[j]; /* A dx = r was solved */
  return zw_all_finite(sparse->plan->n, dx) ? ZW_OK : ZW_ERR_DOMAIN;
}

/* ---- what went wrong ---- */

void zw_sparse_row_residuals(ZwSparse* sparse, double* residuals) {
  if (is_schur(sparse->plan)) {
    zw_schur_residuals(sparse, residuals);
  } else {
    zw_kkt_residuals(sparse, residuals);
  }
}

/* The row eliminated in place k, or -1 for a coordinate. */
static int32_t row_at(const ZwSparsePlan* plan, int32_t k) {
  return is_schur(plan) ? plan->schur.order[k] : plan->kkt.order[k] - plan->n;
}

int32_t zw_sparse_weak_rows(const ZwSparse* sparse, int32_t* rows) {
  int32_t count = 0;
  for (int32_t w = 0; w < sparse->ldl.weak_count; w++) {
    int32_t row = row_at(sparse->plan, sparse->ldl.weak[w]);
    if (row >= 0) rows[count++] = row;
  }
  return count;
}

void zw_sparse_dependence(ZwSparse* sparse, int32_t row, double* coefficients) {
  ZW_ASSERT(row >= 0 && row < sparse->plan->m);
  int32_t size = ldl_plan(sparse->plan)->n;
  double* x = is_schur(sparse->plan) ? sparse->r : sparse->dx;
  for (int32_t k = 0; k < size; k++) x[k] = row_at(sparse->plan, k) == row ? 1 : 0;
  zw_ldl_solve_upper(&sparse->ldl, x);
  for (int32_t k = 0; k < size; k++) {
    int32_t i = row_at(sparse->plan, k);
    if (i >= 0) coefficients[i] = x[k];
  }
  if (!is_schur(sparse->plan)) zw_kkt_unscale_rows(sparse, row, coefficients);
}

bool zw_sparse_rows_follow(ZwSparse* sparse, const int32_t* rows, int32_t count) {
  return is_schur(sparse->plan) || zw_kkt_rows_follow(sparse, rows, count);
}

double zw_sparse_pivot_ratio(const ZwSparse* sparse) {
  return sparse->ldl.pivot_ratio > 0 ? sparse->ldl.pivot_ratio : 0;
}

double zw_sparse_growth(const ZwSparse* sparse) {
  const ZwLdl* ldl = &sparse->ldl;
  double most = 0;
  for (int32_t k = 0; k < ldl->plan->n; k++) {
    if (ldl->weight[k] != 0) most = fmax(most, fabs(ldl->D[k] / ldl->weight[k]));
  }
  return most;
}

const double* zw_sparse_null_vector(const ZwSparse* sparse) {
  return sparse->status == ZW_ERR_UNDETERMINED ? sparse->z : NULL;
}
