/* Graphs and symmetric patterns for the tests of orders and factors. */
#ifndef ZW_TEST_GRAPHS_H
#define ZW_TEST_GRAPHS_H

#include "../numbers.h"

#include "base/alloc.h"
#include "sparse/csr.h"

typedef struct Graph {
  ZwCsr csr; /* both triangles, no diagonal, columns ascending */
  int32_t *begin, *column;
} Graph;

static inline void graph_free(Graph* graph) {
  free(graph->begin);
  free(graph->column);
}

static inline int compare_columns(const void* a, const void* b) {
  int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
  return (x > y) - (x < y);
}

/* From pairs, which may be repeated. */
static inline Graph graph_from(int32_t n, int32_t count, int32_t (*pairs)[2]) {
  Graph graph = {.begin = calloc((size_t)n + 1, sizeof(int32_t)),
                 .column = malloc(sizeof(int32_t) * (size_t)(2 * count + 1))};
  int32_t *next = calloc((size_t)n + 1, sizeof(int32_t)), *all = malloc(sizeof(int32_t) * (size_t)(2 * count + 1));
  for (int32_t p = 0; p < count; p++) {
    next[pairs[p][0] + 1]++;
    next[pairs[p][1] + 1]++;
  }
  for (int32_t i = 0; i < n; i++) next[i + 1] += next[i];
  int32_t* end = malloc(sizeof(int32_t) * (size_t)(n + 1));
  for (int32_t i = 0; i <= n; i++) end[i] = next[i];
  for (int32_t p = 0; p < count; p++) {
    all[end[pairs[p][0]]++] = pairs[p][1];
    all[end[pairs[p][1]]++] = pairs[p][0];
  }
  int32_t kept = 0;
  for (int32_t i = 0; i < n; i++) {
    qsort(all + next[i], (size_t)(end[i] - next[i]), sizeof(int32_t), compare_columns);
    for (int32_t p = next[i]; p < end[i]; p++) {
      if (all[p] != i && (p == next[i] || all[p] != all[p - 1])) graph.column[kept++] = all[p];
    }
    graph.begin[i + 1] = kept;
  }
  free(next);
  free(end);
  free(all);
  graph.csr = (ZwCsr){.rows = n, .columns = n, .begin = graph.begin, .column = graph.column};
  return graph;
}

static inline Graph graph_random(Random* random, int32_t n, int32_t count) {
  int32_t(*pairs)[2] = malloc(sizeof *pairs * (size_t)(count + 1));
  for (int32_t p = 0; p < count; p++) {
    pairs[p][0] = random_int(random, 0, n - 1);
    pairs[p][1] = random_int(random, 0, n - 1);
  }
  Graph graph = graph_from(n, count, pairs);
  free(pairs);
  return graph;
}

/* Every node but the first hangs on an earlier one, then all are renamed at random. */
static inline Graph graph_tree(Random* random, int32_t n) {
  int32_t(*pairs)[2] = malloc(sizeof *pairs * (size_t)(n + 1)), *name = malloc(sizeof(int32_t) * (size_t)(n + 1));
  for (int32_t i = 0; i < n; i++) name[i] = i;
  for (int32_t i = n - 1; i > 0; i--) {
    int32_t j = random_int(random, 0, i), kept = name[i];
    name[i] = name[j];
    name[j] = kept;
  }
  for (int32_t i = 1; i < n; i++) {
    pairs[i - 1][0] = name[i];
    pairs[i - 1][1] = name[random_int(random, 0, i - 1)];
  }
  Graph graph = graph_from(n, n > 0 ? n - 1 : 0, pairs);
  free(pairs);
  free(name);
  return graph;
}

/* side x side, each node with its four or eight neighbours. */
static inline Graph graph_grid(int32_t side, bool has_diagonals) {
  int32_t(*pairs)[2] = malloc(sizeof *pairs * (size_t)(4 * side * side + 1)), count = 0;
  const int32_t steps[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
  for (int32_t i = 0; i < side * side; i++) {
    for (int s = 0; s < (has_diagonals ? 4 : 2); s++) {
      int32_t x = i % side + steps[s][0], y = i / side + steps[s][1];
      if (x < 0 || x >= side || y >= side) continue;
      pairs[count][0] = i;
      pairs[count++][1] = y * side + x;
    }
  }
  Graph graph = graph_from(side * side, count, pairs);
  free(pairs);
  return graph;
}

#endif
