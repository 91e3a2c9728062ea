#include "sparse/csr.h"

bool zw_csr_is_valid(const ZwCsr* csr) {
  if (csr->rows < 0 || csr->columns < 0 || csr->begin[0] != 0) return false;
  for (int32_t i = 0; i < csr->rows; i++) {
    if (csr->begin[i + 1] < csr->begin[i]) return false;
    for (int32_t p = csr->begin[i]; p < csr->begin[i + 1]; p++) {
      int32_t least = p > csr->begin[i] ? csr->column[p - 1] + 1 : 0;
      if (csr->column[p] < least || csr->column[p] >= csr->columns) return false;
    }
  }
  return true;
}

bool zw_csr_is_lower(const ZwCsr* csr) {
  if (csr->rows != csr->columns || !zw_csr_is_valid(csr)) return false;
  for (int32_t i = 0; i < csr->rows; i++) {
    int32_t end = csr->begin[i + 1];
    if (end > csr->begin[i] && csr->column[end - 1] > i) return false;
  }
  return true;
}

/* Turns counts in begin[1..rows] into beginnings. */
static void accumulate(int32_t rows, int32_t* begin) {
  for (int32_t i = 0; i < rows; i++) begin[i + 1] += begin[i];
}

/* While rows were being filled begin[i] moved to their ends; this moves it back. */
static void step_back(int32_t rows, int32_t* begin) {
  for (int32_t i = rows; i > 0; i--) begin[i] = begin[i - 1];
  begin[0] = 0;
}

bool zw_csr_transpose(ZwArena* arena, const ZwCsr* csr, ZwCsr* transposed, int32_t** place) {
  int32_t count = csr->begin[csr->rows];
  int32_t* begin = ZW_NEW(arena, csr->columns + 1, int32_t);
  int32_t* column = ZW_NEW(arena, count, int32_t);
  int32_t* from = place ? ZW_NEW(arena, count, int32_t) : NULL;
  if (arena->failed) return false;
  for (int32_t p = 0; p < count; p++) begin[csr->column[p] + 1]++;
  accumulate(csr->columns, begin);
  for (int32_t i = 0; i < csr->rows; i++) {
    for (int32_t p = csr->begin[i]; p < csr->begin[i + 1]; p++) {
      int32_t to = begin[csr->column[p]]++;
      column[to] = i;
      if (from) from[to] = p;
    }
  }
  step_back(csr->columns, begin);
  *transposed = (ZwCsr){.rows = csr->columns, .columns = csr->rows, .begin = begin, .column = column};
  if (place) *place = from;
  return true;
}

bool zw_csr_graph(ZwArena* arena, const ZwCsr* lower, ZwCsr* graph) {
  int32_t n = lower->rows;
  int32_t* begin = ZW_NEW(arena, n + 1, int32_t);
  if (arena->failed) return false;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t p = lower->begin[i]; p < lower->begin[i + 1]; p++) {
      if (lower->column[p] == i) continue;
      begin[i + 1]++;
      begin[lower->column[p] + 1]++;
    }
  }
  accumulate(n, begin);
  int32_t* column = ZW_NEW(arena, begin[n], int32_t);
  if (arena->failed) return false;
  /* row i gets its own columns, all smaller than i, before later rows add themselves to it */
  for (int32_t i = 0; i < n; i++) {
    for (int32_t p = lower->begin[i]; p < lower->begin[i + 1]; p++) {
      int32_t j = lower->column[p];
      if (j == i) continue;
      column[begin[i]++] = j;
      column[begin[j]++] = i;
    }
  }
  step_back(n, begin);
  *graph = (ZwCsr){.rows = n, .columns = n, .begin = begin, .column = column};
  return true;
}

void zw_scratch_init(ZwArena* scratch, const ZwArena* arena) {
  zw_arena_init(scratch, &arena->allocator);
  if (arena->limit) scratch->limit = arena->limit > arena->bytes ? arena->limit - arena->bytes : 1;
}

bool zw_scratch_destroy(ZwArena* scratch, ZwArena* arena) {
  bool has_worked = !scratch->failed;
  arena->failed |= scratch->failed;
  arena->limit_reached |= scratch->limit_reached;
  zw_arena_destroy(scratch);
  return has_worked;
}
