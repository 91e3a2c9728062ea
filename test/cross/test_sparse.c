/* The sparse solve against the dense one, on the matrices of every example: at its start all rows at once, also redundant
 * ones, against the frozen rows; beside the constraints where no row is redundant. Projections too. */
#include "extras.h"
#include "sparse/sparse.h"
#include "stages.h"

static const double bound = 1e-11;
static double worst[2];
static int compared, skipped, redundant;

typedef struct Solver {
  ZwArena arena;
  ZwSparsePlan* plan;
  ZwSparse* sparse;
} Solver;

static ZwCsr csr_of(const ZwPattern* pattern, int32_t rows, int32_t columns) {
  return (ZwCsr){.rows = rows, .columns = columns, .begin = pattern->begin, .column = pattern->column};
}

static void open_solver(Solver* solver, const ZwSim* sim, ZwSparseForm form) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&solver->arena, &allocator);
  ZwSparseDef def = {
      .M = csr_of(&sim->equations->M, sim->n, sim->n), .A = csr_of(&sim->equations->A, sim->m, sim->n), .form = form};
  assert_int_equal(zw_sparse_plan(&solver->arena, &def, &solver->plan), ZW_OK);
  void* memory = malloc(zw_sparse_work_size(solver->plan));
  assert_non_null(memory);
  solver->sparse = zw_sparse_place(memory, solver->plan);
}

static void close_solver(Solver* solver) {
  free(solver->sparse);
  zw_arena_destroy(&solver->arena);
}

/* Accelerations and forces of the last evaluation, both of them. */
static void compare(ZwSim* sim, const char* name, ZwSparseForm form) {
  size_t n = (size_t)sim->n, m = (size_t)sim->m;
  double *a = malloc((n + 1) * sizeof(double)), *Qc = malloc((n + 1) * sizeof(double));
  bool* is_used = malloc(m + 1);
  assert_true(a && Qc && is_used);
  for (int32_t k = 0; k < sim->m; k++) is_used[k] = zw_rows_is_on(sim, k);
  Solver solver;
  open_solver(&solver, sim, form);
  zw_sparse_use_rows(solver.sparse, is_used);
  ZwSparseResult result = {.a = a, .Qc = Qc};
  ZwStatus status = zw_sparse_factor(solver.sparse, sim->Mx, sim->Ax);
  if (status == ZW_OK) status = zw_sparse_solve(solver.sparse, sim->h, sim->b, &result);
  if (status)
    fail_msg("%s, form %d: status %d, residual %.2g in row %d", name, (int)form, (int)status, result.residual,
             (int)result.worst_row);
  double size[2] = {0}, off[2] = {0};
  for (size_t j = 0; j < n; j++) {
    size[0] = fmax(size[0], fabs(sim->a[j]));
    size[1] = fmax(size[1], fmax(fabs(sim->Qc[j]), fabs(sim->h[j])));
    off[0] = fmax(off[0], fabs(a[j] - sim->a[j]));
    off[1] = fmax(off[1], fabs(Qc[j] - sim->Qc[j]));
  }
  for (int i = 0; i < 2; i++) {
    if (!(off[i] <= bound * (1e-6 + size[i])))
      fail_msg("%s, form %d: %s off by %.2g of %.2g", name, (int)form, i ? "forces are" : "accelerations are", off[i],
               size[i]);
    if (size[i] > 1e-6) worst[i] = fmax(worst[i], off[i] / size[i]);
  }
  close_solver(&solver);
  free(a);
  free(Qc);
  free(is_used);
}

/* The same step onto the constraints, for a violation drawn at random: rows are in the order of the frozen ones. */
static void compare_projection(ZwSim* sim, const char* name, ZwSparseForm form) {
  size_t n = (size_t)sim->n, m = (size_t)sim->m;
  double *r = calloc(m + 1, sizeof(double)), *frozen = malloc((m + 1) * sizeof(double));
  double *dx = malloc((n + 1) * sizeof(double)), *want = malloc((n + 1) * sizeof(double)), size = 0;
  assert_true(r && frozen && dx && want);
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  Random random = random_from(3);
  for (int32_t k = 0; k < set->count; k++) r[set->rows[k]] = frozen[k] = random_number(&random);
  Solver solver;
  open_solver(&solver, sim, form);
  assert_int_equal(zw_sparse_factor(solver.sparse, sim->Mx, sim->Ax), ZW_OK);
  assert_int_equal(zw_sparse_project(solver.sparse, r, dx), ZW_OK);
  assert_int_equal(zw_least_project(sim->least, frozen, want), ZW_OK);
  for (size_t j = 0; j < n; j++) size = fmax(size, fabs(want[j]));
  for (size_t j = 0; j < n; j++) {
    if (!(fabs(dx[j] - want[j]) <= 1e-9 * size)) {
      fail_msg("%s, form %d: step %d is %.17g, should be %.17g", name, (int)form, (int)j, dx[j], want[j]);
    }
  }
  close_solver(&solver);
  free(r);
  free(frozen);
  free(dx);
  free(want);
}

/* Whether all coordinates have inertia: else steps may be measured in different ways. */
static bool has_inertia(const ZwSim* sim) {
  const ZwPattern* M = &sim->equations->M;
  for (int32_t j = 0; j < sim->n; j++) {
    int32_t end = M->begin[j + 1];
    if (end == M->begin[j] || M->column[end - 1] != j || !(sim->Mx[end - 1] > 0)) return false;
  }
  return true;
}

static void compare_at(ZwSim* sim, const char* name) {
  double* rate = malloc((size_t)sim->dim * sizeof(double));
  assert_non_null(rate);
  sim->small.is_on = false; /* the dense solve, and its factors */
  assert_int_equal(zw_eval_rate(sim, sim->t, sim->y, rate), ZW_OK);
  free(rate);
  /* left to the dense solve: stationary points, and starts on a singular position */
  bool is_left = !sim->is_minimum || sim->near.rank_around >= 0;
  bool is_independent = sim->sets[ZW_LEVEL_ACCELERATION].count == sim->m;
  for (int form = ZW_SPARSE_SCHUR; form <= ZW_SPARSE_KKT && !is_left; form++) {
    compare(sim, name, (ZwSparseForm)form);
    if (is_independent && has_inertia(sim)) compare_projection(sim, name, (ZwSparseForm)form);
  }
  skipped += is_left;
  compared += !is_left;
}

static void check_model(const char* name, const char* text) {
  Stages stages;
  open_stages(&stages, name, text);
  ZwSim* sim = stages.sim;
  demand(&stages, name, "start", zw_start(sim, sim->t));
  compare_at(sim, name);
  if (sim->sets[ZW_LEVEL_ACCELERATION].count == sim->m) {
    Random random = random_from(7);
    for (int32_t i = 0; i < 2 * sim->n; i++) sim->y[i] += 0.01 * random_number(&random);
    compare_at(sim, name);
  } else {
    redundant++;
  }
  close_stages(&stages);
}

static void every_model_moves_alike(void** state) {
  (void)state;
  check_all_models(check_model);
  print_message("%d states, %d left out, %d models with redundant rows; worst: accelerations %.2g, forces %.2g\n",
                compared, skipped, redundant, worst[0], worst[1]);
  assert_true(compared > 80 && skipped <= 10 && redundant >= 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_model_moves_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
