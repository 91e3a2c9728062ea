/* Memory that is refused, limited or misused. */
#include "problems.h"

#include "../zwang/hosts.h"

/* A net of point masses in space (blocks of one), or with bodies of three coordinates; large enough for many pieces. */
typedef struct Net {
  Matrix M, A;
} Net;

static Net net_new(int32_t side, int32_t coupled) {
  Random random = random_from(1);
  int32_t knots = side * side, n = 3 * knots, m = 2 * side * (side - 1), k = 0;
  Net net = {.M = matrix_new(n, n, 3 * n), .A = matrix_new(m, n, 6 * m)};
  for (int32_t j = 0; j < n; j++) {
    for (int32_t i = j - j % 3; coupled && i < j; i++) matrix_add(&net.M, j, i, 0.1);
    matrix_add(&net.M, j, j, 2);
    matrix_next_row(&net.M, j);
  }
  for (int32_t i = 0; i < knots; i++) {
    for (int s = 0; s < 2; s++) {
      if (s ? i + side >= knots : (i + 1) % side == 0) continue;
      for (int d = 0; d < 6; d++) {
        matrix_add(&net.A, k, 3 * (d < 3 ? i : s ? i + side : i + 1) + d % 3, random_number(&random));
      }
      matrix_next_row(&net.A, k++);
    }
  }
  return net;
}

static void net_free(Net* net) {
  matrix_free(&net->M);
  matrix_free(&net->A);
}

/* True when memory was refused; then that is what the status says. In any case nothing is left behind. */
static bool survives(const ZwSparseDef* def, int64_t fails_at, bool for_good) {
  Host host = {.fails_at = fails_at, .for_good = for_good};
  ZwAllocator allocator = host_allocator(&host);
  ZwArena arena;
  ZwSparsePlan* plan;
  zw_arena_init(&arena, &allocator);
  ZwStatus status = zw_sparse_plan(&arena, def, &plan);
  assert_int_equal(status, host.refused ? ZW_ERR_MEMORY : ZW_OK);
  assert_true((plan != NULL) == (status == ZW_OK));
  assert_true(arena.failed == (status != ZW_OK));
  zw_arena_destroy(&arena);
  assert_int_equal(host.alive, 0);
  return host.refused > 0;
}

static void refusing_any_call_is_survived(void** state) {
  (void)state;
  for (int32_t coupled = 0; coupled < 2; coupled++) {
    Net net = net_new(40, coupled);
    for (int form = ZW_SPARSE_AUTO; form <= ZW_SPARSE_KKT; form++) {
      for (int way = ZW_LDL_ROWS; way <= ZW_LDL_PANELS; way++) {
        ZwSparseDef def = {.M = net.M.csr, .A = net.A.csr, .form = (ZwSparseForm)form, .way = (ZwLdlWay)way};
        for (int for_good = 0; for_good < 2; for_good++) {
          int64_t n = 1;
          while (survives(&def, n, for_good)) n++;
          assert_in_range(n, 20, 400); /* the last one was beyond the last call */
        }
      }
    }
    net_free(&net);
  }
}

/* A limit of the arena holds for what planning takes on the side too, and is told apart from a lack of memory. */
static void limits_are_obeyed(void** state) {
  (void)state;
  Net net = net_new(40, 0);
  ZwSparseDef def = {.M = net.M.csr, .A = net.A.csr};
  bool was_enough = false;
  for (size_t limit = 1024; !was_enough; limit *= 2) {
    ZwAllocator allocator = zw_allocator_default();
    ZwArena arena;
    ZwSparsePlan* plan;
    zw_arena_init(&arena, &allocator);
    arena.limit = limit;
    ZwStatus status = zw_sparse_plan(&arena, &def, &plan);
    was_enough = status == ZW_OK;
    if (!was_enough) {
      assert_int_equal(status, ZW_ERR_MEMORY);
      assert_true(arena.limit_reached);
    }
    assert_true(arena.bytes <= limit);
    zw_arena_destroy(&arena);
    assert_true(limit < ((size_t)1 << 30));
  }
  net_free(&net);
}

/* Two solvers of one plan do not disturb each other. */
static void a_plan_can_be_shared(void** state) {
  (void)state;
  Net net = net_new(10, 1);
  int32_t n = net.M.csr.rows, m = net.A.csr.rows;
  double *h = malloc(sizeof(double) * (size_t)n), *b = calloc((size_t)m, sizeof(double));
  double *first = malloc(sizeof(double) * (size_t)n), *second = malloc(sizeof(double) * (size_t)n);
  Random random = random_from(2);
  random_fill(&random, n, h);
  Solver solver = solver_new(&net.M, &net.A, ZW_SPARSE_AUTO, ZW_LDL_AUTO);
  ZwSparse* other = zw_sparse_place(malloc(zw_sparse_work_size(solver.plan)), solver.plan);
  ZwSparseResult result = {.a = first};
  assert_int_equal(zw_sparse_factor(solver.sparse, net.M.value, net.A.value), ZW_OK);
  assert_int_equal(zw_sparse_solve(solver.sparse, h, b, &result), ZW_OK);
  /* the other one gets other rows; then the first answers as before */
  for (int32_t p = 0; p < net.A.begin[m]; p++) net.A.value[p] += 1;
  assert_int_equal(zw_sparse_factor(other, net.M.value, net.A.value), ZW_OK);
  result.a = second;
  assert_int_equal(zw_sparse_solve(other, h, b, &result), ZW_OK);
  assert_memory_not_equal(first, second, sizeof(double) * (size_t)n);
  assert_int_equal(zw_sparse_solve(solver.sparse, h, b, &result), ZW_OK);
  assert_memory_equal(first, second, sizeof(double) * (size_t)n);
  free(other);
  solver_free(&solver);
  free(h);
  free(b);
  free(first);
  free(second);
  net_free(&net);
}

/* Nothing is known before the first factorisation, nor after one that failed. */
static void solving_without_factors_is_refused(void** state) {
  (void)state;
  Chain chain = chain_new(3, 1);
  double a[6];
  ZwSparseResult result = {.a = a};
  for (int form = ZW_SPARSE_SCHUR; form <= ZW_SPARSE_KKT; form++) {
    Solver solver = solver_new(&chain.M, &chain.A, (ZwSparseForm)form, ZW_LDL_AUTO);
    assert_int_equal(zw_sparse_solve(solver.sparse, chain.h, chain.b, &result), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sparse_project(solver.sparse, chain.b, a), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sparse_factor(solver.sparse, chain.M.value, chain.A.value), ZW_OK);
    assert_int_equal(zw_sparse_solve(solver.sparse, chain.h, chain.b, &result), ZW_OK);
    double kept = chain.A.value[2];
    chain.A.value[2] = NAN;
    assert_int_equal(zw_sparse_factor(solver.sparse, NULL, chain.A.value), ZW_ERR_DOMAIN);
    assert_int_equal(zw_sparse_solve(solver.sparse, chain.h, chain.b, &result), ZW_ERR_DOMAIN);
    assert_int_equal(zw_sparse_project(solver.sparse, chain.b, a), ZW_ERR_DOMAIN);
    chain.A.value[2] = kept;
    assert_int_equal(zw_sparse_factor(solver.sparse, NULL, chain.A.value), ZW_OK); /* M is still known */
    assert_int_equal(zw_sparse_solve(solver.sparse, chain.h, chain.b, &result), ZW_OK);
    solver_free(&solver);
  }
  chain_free(&chain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(refusing_any_call_is_survived),
      cmocka_unit_test(limits_are_obeyed),
      cmocka_unit_test(a_plan_can_be_shared),
      cmocka_unit_test(solving_without_factors_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
