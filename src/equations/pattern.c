/* Where the global M and A have entries. */
#include <stdlib.h>

#include "base/assert.h"
#include "equations/equations.h"

typedef struct Keys {
  ZW_ARRAY(uint64_t) list; /* row << 32 | column */
} Keys;

static int compare_keys(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return (x > y) - (x < y);
}

static void add_key(Keys* keys, ZwArena* arena, int32_t row, int32_t column) {
  uint64_t key = (uint64_t)(uint32_t)row << 32 | (uint32_t)column;
  (void)ZW_PUSH(arena, &keys->list, key);
}

/* The entry in which a shape has all the places it ever writes to. */
static ZwEntry fullest_entry(const ZwShape* shape) {
  switch (shape->kind) {
    case ZW_SHAPE_EXACT:
      return ZW_ENTRY_START;
    case ZW_SHAPE_QUASI:
      return ZW_ENTRY_QUASI;
    default:
      return ZW_ENTRY_ACCELERATION;
  }
}

static void collect(const ZwEquations* equations, const ZwShape* shape, Keys* M, Keys* A) {
  const ZwContributions* entry = &shape->entries[fullest_entry(shape)];
  for (int32_t instance = 0; instance < shape->count; instance++) {
    const int32_t* coords = shape->coords ? shape->instance_coords.items + (ptrdiff_t)instance * shape->coords : NULL;
    for (int32_t k = 0; k < entry->list.count; k++) {
      const ZwContribution* c = &entry->list.items[k];
      if (c->target == ZW_TARGET_M) {
        int32_t i = coords[c->row], j = coords[c->column];
        add_key(M, equations->arena, i > j ? i : j, i > j ? j : i);
      } else if (c->target == ZW_TARGET_A) {
        add_key(A, equations->arena, shape->instance_rows.items[instance], coords[c->column]);
      }
    }
  }
}

static bool build(ZwArena* arena, Keys* keys, int32_t rows, ZwPattern* pattern) {
  if (keys->list.count > 0) qsort(keys->list.items, (size_t)keys->list.count, sizeof(uint64_t), compare_keys);
  *pattern = (ZwPattern){
      .rows = rows, .begin = ZW_NEW(arena, rows + 1, int32_t), .column = ZW_NEW(arena, keys->list.count, int32_t)};
  if (arena->failed) return false;
  for (int32_t k = 0; k < keys->list.count; k++) {
    if (k > 0 && keys->list.items[k] == keys->list.items[k - 1]) continue;
    pattern->begin[(keys->list.items[k] >> 32) + 1]++;
    pattern->column[pattern->count++] = (int32_t)(keys->list.items[k] & 0xFFFFFFFFu);
  }
  for (int32_t i = 0; i < rows; i++) pattern->begin[i + 1] += pattern->begin[i];
  return true;
}

bool zw_pattern_build(ZwEquations* equations) {
  Keys M = {0}, A = {0};
  for (int32_t i = 0; i < equations->shapes.count; i++) collect(equations, &equations->shapes.items[i], &M, &A);
  if (equations->arena->failed) return false;
  bool is_built = build(equations->arena, &M, equations->n, &equations->M) &&
                  build(equations->arena, &A, equations->m_all, &equations->A);
  zw_arena_give_back(equations->arena, M.list.items);
  zw_arena_give_back(equations->arena, A.list.items);
  return is_built;
}

int32_t zw_pattern_find(const ZwPattern* pattern, int32_t row, int32_t column) {
  int32_t low = pattern->begin[row], high = pattern->begin[row + 1];
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (pattern->column[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  ZW_ASSERT(low < pattern->begin[row + 1] && pattern->column[low] == column);
  return low;
}
