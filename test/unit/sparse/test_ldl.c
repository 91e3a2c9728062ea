#include "graphs.h"

#include <float.h>
#include <lapacke.h>
#include <string.h>

#include "sparse/ldl.h"
#include "sparse/tree.h"

enum { N = 60 };

static ZwArena new_arena(void) {
  ZwArena arena;
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&arena, &allocator);
  return arena;
}

/* A symmetric matrix in elimination order, dense and as input. */
typedef struct Case {
  int32_t n, order[N];
  double K[N * N], weight[N];
  int32_t begin[N + 1], column[N * N];
  double value[N * N];
} Case;

/* Signs of the diagonal: `negative` of n unknowns have a negative pivot (and then no negative neighbours of size). */
static void fill_case(Random* random, Case* c, int32_t n, int32_t negative) {
  Graph graph = graph_random(random, n, random_int(random, 0, 3 * n));
  ZwArena arena = new_arena();
  ZwCsr lower;
  c->n = n;
  assert_true(zw_ldl_order(&arena, &graph.csr, NULL, c->order));
  assert_true(zw_tree_permute(&arena, &graph.csr, c->order, &lower));
  memset(c->K, 0, sizeof c->K);
  int32_t count = 0;
  for (int32_t k = 0; k < n; k++) {
    c->begin[k] = count;
    for (int32_t p = lower.begin[k]; p < lower.begin[k + 1]; p++) {
      int32_t j = lower.column[p];
      c->column[count++] = j;
      c->K[k * n + j] = c->K[j * n + k] = random_number(random);
    }
    c->column[count++] = k;
    c->begin[k + 1] = count;
  }
  for (int32_t k = 0; k < n; k++) {
    c->weight[k] = random_int(random, 0, n - 1) < negative ? -1 : 1;
    double sum = 0.5 + fabs(random_number(random));
    for (int32_t j = 0; j < n; j++) sum += j == k ? 0 : fabs(c->K[k * n + j]);
    c->K[k * n + k] = c->weight[k] * sum;
  }
  for (int32_t k = 0; k < n; k++) {
    for (int32_t p = c->begin[k]; p < c->begin[k + 1]; p++) c->value[p] = c->K[k * n + c->column[p]];
  }
  zw_arena_destroy(&arena);
  graph_free(&graph);
}

static ZwLdl factor(ZwArena* arena, const Case* c, ZwLdlWay way, ZwLdlPlan* plan) {
  ZwCsr input = {.rows = c->n, .columns = c->n, .begin = c->begin, .column = c->column};
  ZwLdl ldl;
  assert_int_equal(zw_ldl_plan(arena, &input, way, plan), ZW_OK);
  zw_ldl_place(&ldl, malloc(zw_ldl_work_size(plan) + 1), plan);
  zw_ldl_clear(&ldl);
  for (int32_t p = 0; p < c->begin[c->n]; p++) ldl.K[zw_ldl_input(plan, p)] = c->value[p];
  for (int32_t k = 0; k < c->n; k++) ldl.weight[k] = c->weight[k];
  ldl.rule_plus = ldl.rule_minus = (ZwPivotRule){.tol = 1e-12, .replacement = 1};
  zw_ldl_factor(&ldl);
  return ldl;
}

static void solves_like_lapack(void** state) {
  (void)state;
  Random random = random_from(1);
  static Case c;
  for (int round = 0; round < 2000; round++) {
    int32_t n = random_int(&random, 1, N);
    fill_case(&random, &c, n, round % 2 ? n / 2 : 0);
    double copy[N * N], right[N], want[N], x[N];
    lapack_int pivots[N];
    random_fill(&random, n, right);
    memcpy(copy, c.K, sizeof copy);
    memcpy(want, right, sizeof want);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, copy, n, pivots, want, 1), 0);
    for (int way = ZW_LDL_ROWS; way <= ZW_LDL_PANELS; way++) {
      ZwArena arena = new_arena();
      ZwLdlPlan plan;
      ZwLdl ldl = factor(&arena, &c, (ZwLdlWay)way, &plan);
      assert_int_equal(ldl.weak_count, 0);
      memcpy(x, right, sizeof x);
      zw_ldl_solve(&ldl, x);
      for (int32_t k = 0; k < n; k++) assert_near(x[k], want[k], 1e-12 * (1 + largest(n, want)));
      free(ldl.L);
      zw_arena_destroy(&arena);
    }
  }
}

/* Eliminating a dense copy tells where L has entries; the plan must have as many. */
static void counts_what_elimination_fills(void** state) {
  (void)state;
  Random random = random_from(2);
  static Case c;
  for (int round = 0; round < 500; round++) {
    int32_t n = random_int(&random, 1, N);
    fill_case(&random, &c, n, 0);
    bool is_there[N * N];
    int64_t entries = 0;
    double operations = 0;
    for (int32_t i = 0; i < n * n; i++) is_there[i] = c.K[i] != 0;
    for (int32_t k = 0; k < n; k++) {
      int32_t below = 0;
      for (int32_t i = k + 1; i < n; i++) {
        below += is_there[i * n + k];
        for (int32_t j = k + 1; j < n && is_there[i * n + k]; j++) is_there[i * n + j] |= is_there[j * n + k];
      }
      entries += below;
      operations += 4 + 0.5 * below * (below + 3);
    }
    ZwArena arena = new_arena();
    ZwLdlPlan plan;
    ZwLdl ldl = factor(&arena, &c, ZW_LDL_ROWS, &plan);
    assert_int_equal(plan.entries, entries);
    assert_near(plan.operations, operations, 1e-9 * operations);
    free(ldl.L);
    zw_arena_destroy(&arena);
  }
}

/* Both ways compute L D L^T = K; they sum in other orders. */
static void both_ways_agree_and_each_repeats_itself(void** state) {
  (void)state;
  Random random = random_from(3);
  static Case c;
  for (int round = 0; round < 300; round++) {
    fill_case(&random, &c, random_int(&random, 1, N), 0);
    double D[3][N];
    for (int i = 0; i < 3; i++) {
      ZwArena arena = new_arena();
      ZwLdlPlan plan;
      ZwLdl ldl = factor(&arena, &c, i == 0 ? ZW_LDL_ROWS : ZW_LDL_PANELS, &plan);
      memcpy(D[i], ldl.D, sizeof(double) * (size_t)c.n);
      free(ldl.L);
      zw_arena_destroy(&arena);
    }
    for (int32_t k = 0; k < c.n; k++) assert_near(D[1][k], D[0][k], 1e-13 * D[0][k]);
    assert_memory_equal(D[1], D[2], sizeof(double) * (size_t)c.n);
  }
}

/* Rows 0 and 1 are alike: nothing is left of the second. What took its place gives back a null vector of K. */
static void a_pivot_of_nothing_is_replaced_and_told(void** state) {
  (void)state;
  Case c = {.n = 3,
            .K = {2, 2, 1, 2, 2, 1, 1, 1, 5},
            .weight = {2, 2, 5},
            .begin = {0, 1, 3, 6},
            .column = {0, 0, 1, 0, 1, 2},
            .value = {2, 2, 2, 1, 1, 5}};
  for (int way = ZW_LDL_ROWS; way <= ZW_LDL_PANELS; way++) {
    ZwArena arena = new_arena();
    ZwLdlPlan plan;
    ZwLdl ldl = factor(&arena, &c, (ZwLdlWay)way, &plan);
    assert_int_equal(ldl.weak_count, 1);
    assert_int_equal(ldl.weak[0], 1);
    assert_int_equal(ldl.wrong_count, 0);
    assert_near(ldl.pivot_ratio, 0, 1e-15);
    assert_near(ldl.D[1], 2, 0);
    double z[3] = {0, 1, 0};
    zw_ldl_solve_upper(&ldl, z);
    assert_near(z[0], -1, 1e-15);
    assert_near(z[1], 1, 0);
    assert_near(z[2], 0, 0);
    free(ldl.L);
    /* of the wrong sign by far */
    c.weight[0] = -2;
    ldl = factor(&arena, &c, (ZwLdlWay)way, &plan);
    assert_int_equal(ldl.wrong_count, 1);
    c.weight[0] = 2;
    free(ldl.L);
    zw_arena_destroy(&arena);
  }
}

/* Weak pivots after a weak one are still seen. */
static void every_pivot_of_nothing_is_counted(void** state) {
  (void)state;
  Case c = {.n = 4,
            .weight = {1, 1, 1, 1},
            .begin = {0, 1, 2, 3, 4},
            .column = {0, 1, 2, 3},
            .value = {1, -1e-20, 1e-14, 1e-11}};
  for (int way = ZW_LDL_ROWS; way <= ZW_LDL_PANELS; way++) {
    ZwArena arena = new_arena();
    ZwLdlPlan plan;
    ZwLdl ldl = factor(&arena, &c, (ZwLdlWay)way, &plan);
    assert_int_equal(ldl.weak_count, 2);
    assert_near(ldl.D[3], 1e-11, 0);
    free(ldl.L);
    zw_arena_destroy(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solves_like_lapack),
      cmocka_unit_test(counts_what_elimination_fills),
      cmocka_unit_test(both_ways_agree_and_each_repeats_itself),
      cmocka_unit_test(a_pivot_of_nothing_is_replaced_and_told),
      cmocka_unit_test(every_pivot_of_nothing_is_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
