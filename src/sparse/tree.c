#include "sparse/tree.h"

bool zw_tree_permute(ZwArena* arena, const ZwCsr* graph, const int32_t* order, ZwCsr* lower) {
  int32_t n = graph->rows;
  int32_t* begin = ZW_NEW(arena, n + 1, int32_t);
  int32_t* column = ZW_NEW(arena, graph->begin[n] / 2, int32_t);
  int32_t* place = ZW_NEW(arena, n, int32_t);
  if (arena->failed) return false;
  for (int32_t k = 0; k < n; k++) place[order[k]] = k;
  int32_t count = 0;
  for (int32_t k = 0; k < n; k++) {
    int32_t i = order[k];
    for (int32_t p = graph->begin[i]; p < graph->begin[i + 1]; p++) {
      int32_t j = place[graph->column[p]];
      if (j < k) column[count++] = j;
    }
    begin[k + 1] = count;
  }
  *lower = (ZwCsr){.rows = n, .columns = n, .begin = begin, .column = column};
  return true;
}

/* Each entry (k, j) makes k an ancestor of j. Ways up that were gone once are shortened. */
void zw_tree_parents(const ZwCsr* lower, int32_t* parent, int32_t* work) {
  int32_t* ancestor = work;
  for (int32_t k = 0; k < lower->rows; k++) {
    parent[k] = ancestor[k] = -1;
    for (int32_t p = lower->begin[k]; p < lower->begin[k + 1]; p++) {
      int32_t j = lower->column[p];
      while (j >= 0 && j < k) {
        int32_t up = ancestor[j];
        ancestor[j] = k;
        if (up < 0) parent[j] = k;
        j = up;
      }
    }
  }
}

void zw_tree_postorder(int32_t n, const int32_t* parent, int32_t* order, int32_t* work) {
  int32_t *child = work, *sibling = work + n, *stack = work + 2 * (ptrdiff_t)n, *sorted = work + 3 * (ptrdiff_t)n;
  for (int32_t j = 0; j < n; j++) child[j] = -1;
  for (int32_t j = n - 1; j >= 0; j--) {
    if (parent[j] < 0) continue;
    sibling[j] = child[parent[j]];
    child[parent[j]] = j;
  }
  int32_t done = 0;
  for (int32_t root = 0; root < n; root++) {
    if (parent[root] >= 0) continue;
    int32_t depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
      int32_t j = stack[depth - 1], first = child[j];
      if (first < 0) {
        sorted[done++] = order[j];
        depth--;
      } else {
        child[j] = sibling[first];
        stack[depth++] = first;
      }
    }
  }
  for (int32_t k = 0; k < n; k++) order[k] = sorted[k];
}

/* Row k of L consists of the ways up from its entries in K to k. */
int64_t zw_tree_counts(const ZwCsr* lower, const int32_t* parent, int32_t* counts, int32_t* work) {
  int64_t sum = 0;
  for (int32_t k = 0; k < lower->rows && sum <= INT32_MAX; k++) {
    counts[k] = 0;
    work[k] = k;
    for (int32_t p = lower->begin[k]; p < lower->begin[k + 1]; p++) {
      for (int32_t j = lower->column[p]; work[j] != k; j = parent[j]) {
        counts[j]++;
        sum++;
        work[j] = k;
      }
    }
  }
  return sum;
}
