#include "graphs.h"

#include "sparse/ldl.h"
#include "sparse/order.h"

static ZwArena new_arena(void) {
  ZwArena arena;
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&arena, &allocator);
  return arena;
}

static void assert_permutation(int32_t n, const int32_t* order) {
  bool* is_there = calloc((size_t)n + 1, sizeof(bool));
  for (int32_t k = 0; k < n; k++) {
    assert_in_range(order[k], 0, n - 1);
    assert_false(is_there[order[k]]);
    is_there[order[k]] = true;
  }
  free(is_there);
}

/* Entries of L below the diagonal when the graph is eliminated in our order. */
static double count_entries(const Graph* graph) {
  ZwArena arena = new_arena();
  int32_t* order = malloc(sizeof(int32_t) * (size_t)(graph->csr.rows + 1));
  double operations, entries;
  assert_true(zw_order(&arena, &graph->csr, NULL, order));
  assert_permutation(graph->csr.rows, order);
  assert_true(zw_ldl_count(&arena, &graph->csr, order, &operations, &entries));
  zw_arena_destroy(&arena);
  free(order);
  return entries;
}

/* The same for eliminating a node of the smallest degree each time, the graph being kept as a matrix: slow and plain. */
static double count_minimum_degree(const Graph* graph) {
  int32_t n = graph->csr.rows;
  bool *edge = calloc((size_t)(n * n + 1), sizeof(bool)), *is_gone = calloc((size_t)n + 1, sizeof(bool));
  for (int32_t i = 0; i < n; i++) {
    for (int32_t p = graph->begin[i]; p < graph->begin[i + 1]; p++) edge[i * n + graph->column[p]] = true;
  }
  double entries = 0;
  for (int32_t step = 0; step < n; step++) {
    int32_t best = -1, fewest = n + 1;
    for (int32_t i = 0; i < n; i++) {
      int32_t degree = 0;
      for (int32_t j = 0; j < n; j++) degree += edge[i * n + j] && !is_gone[j];
      if (is_gone[i] || degree >= fewest) continue;
      best = i;
      fewest = degree;
    }
    is_gone[best] = true;
    entries += fewest;
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n && edge[best * n + i]; j++) edge[i * n + j] |= edge[best * n + j] && i != j;
    }
  }
  free(edge);
  free(is_gone);
  return entries;
}

static void random_graphs_fill_as_little_as_with_exact_degrees(void** state) {
  (void)state;
  Random random = random_from(1);
  double ours = 0, exact = 0;
  for (int round = 0; round < 3000; round++) {
    int32_t n = random_int(&random, 1, 60);
    Graph graph = graph_random(&random, n, random_int(&random, 0, 4 * n));
    double mine = count_entries(&graph), best = count_minimum_degree(&graph);
    assert_true(mine <= 1.3 * best + 12);
    ours += mine;
    exact += best;
    graph_free(&graph);
  }
  assert_true(ours <= 1.02 * exact);
}

static void trees_do_not_fill(void** state) {
  (void)state;
  Random random = random_from(2);
  for (int round = 0; round < 200; round++) {
    int32_t n = round == 0 ? 100000 : random_int(&random, 1, 400);
    Graph graph = graph_tree(&random, n);
    assert_near(count_entries(&graph), n - 1, 0);
    graph_free(&graph);
  }
}

/* One node that all others touch comes last; with it everything else is free of fill. */
static void a_hub_comes_last(void** state) {
  (void)state;
  enum { SPOKES = 5000 };
  static int32_t pairs[SPOKES][2];
  for (int32_t i = 0; i < SPOKES; i++) pairs[i][1] = i + 1;
  Graph graph = graph_from(SPOKES + 1, SPOKES, pairs);
  assert_near(count_entries(&graph), SPOKES, 0);
  graph_free(&graph);
}

/* No order can do better than a multiple of n log n. Row by row a grid would have side entries per node: 200 in place
 * of 38. */
static void grids_fill_like_n_log_n(void** state) {
  (void)state;
  for (int32_t side = 25; side <= 200; side *= 2) {
    Graph nine = graph_grid(side, true), five = graph_grid(side, false);
    double n = (double)side * side, limit = n * log2(n);
    assert_true(count_entries(&nine) < 2.7 * limit);
    assert_true(count_entries(&five) < 1.8 * limit);
    graph_free(&nine);
    graph_free(&five);
  }
}

static void those_who_wait_come_later(void** state) {
  (void)state;
  Random random = random_from(3);
  for (int round = 0; round < 1000; round++) {
    /* the second half waits for neighbours in the first */
    int32_t n = random_int(&random, 2, 80), order[80], place[80], waits[80];
    Graph graph = graph_random(&random, n, random_int(&random, n, 3 * n));
    for (int32_t i = 0; i < n; i++) {
      bool can_wait = i >= n / 2 && graph.begin[i + 1] > graph.begin[i] && graph.column[graph.begin[i]] < n / 2;
      waits[i] = can_wait ? graph.column[graph.begin[i]] : -1;
    }
    ZwArena arena = new_arena();
    assert_true(zw_ldl_order(&arena, &graph.csr, waits, order));
    assert_permutation(n, order);
    for (int32_t k = 0; k < n; k++) place[order[k]] = k;
    for (int32_t i = 0; i < n; i++) {
      if (waits[i] >= 0) assert_true(place[i] > place[waits[i]]);
    }
    zw_arena_destroy(&arena);
    graph_free(&graph);
  }
}

static void waiting_in_a_circle_ends(void** state) {
  (void)state;
  int32_t pairs[4][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, order[4];
  const int32_t waits[4] = {1, 2, 3, 0};
  Graph graph = graph_from(4, 4, pairs);
  ZwArena arena = new_arena();
  assert_true(zw_order(&arena, &graph.csr, waits, order));
  assert_permutation(4, order);
  zw_arena_destroy(&arena);
  graph_free(&graph);
}

static void the_same_graph_gets_the_same_order(void** state) {
  (void)state;
  Random random = random_from(4);
  enum { NODES = 500 };
  int32_t first[NODES], second[NODES];
  Graph graph = graph_random(&random, NODES, 3 * NODES);
  ZwArena arena = new_arena();
  assert_true(zw_order(&arena, &graph.csr, NULL, first));
  assert_true(zw_order(&arena, &graph.csr, NULL, second));
  assert_memory_equal(first, second, sizeof first);
  zw_arena_destroy(&arena);
  graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_graphs_fill_as_little_as_with_exact_degrees),
      cmocka_unit_test(trees_do_not_fill),
      cmocka_unit_test(a_hub_comes_last),
      cmocka_unit_test(grids_fill_like_n_log_n),
      cmocka_unit_test(those_who_wait_come_later),
      cmocka_unit_test(waiting_in_a_circle_ends),
      cmocka_unit_test(the_same_graph_gets_the_same_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
