#include "model/names.h"

#include <string.h>

enum { LINEAR_UP_TO = 8 }; /* entities that are found by looking at each */

void zw_scope_init(ZwScope* scope, ZwArena* arena, const ZwScope* outer) {
  *scope = (ZwScope){.arena = arena, .outer = outer};
}

void zw_scope_reset(ZwScope* scope) {
  scope->entities.count = 0;
  if (scope->table) memset(scope->table, 0, (size_t)scope->table_size * sizeof(int32_t));
}

static int32_t find_slot(const ZwScope* scope, ZwStr name) {
  uint64_t mask = (uint64_t)scope->table_size - 1;
  uint64_t slot = zw_str_hash(name) & mask;
  while (scope->table[slot] && !zw_str_equal(scope->entities.items[scope->table[slot] - 1].name, name)) {
    slot = (slot + 1) & mask;
  }
  return (int32_t)slot;
}

static bool grow(ZwScope* scope) {
  int32_t size = scope->table_size ? 2 * scope->table_size : 4 * LINEAR_UP_TO;
  int32_t* table = ZW_NEW(scope->arena, size, int32_t);
  if (!table) return false;
  zw_arena_give_back(scope->arena, scope->table);
  scope->table = table;
  scope->table_size = size;
  for (int32_t i = 0; i < scope->entities.count; i++) table[find_slot(scope, scope->entities.items[i].name)] = i + 1;
  return true;
}

ZwEntity* zw_scope_add(ZwScope* scope, ZwEntity entity) {
  bool needs_table = scope->table || scope->entities.count >= LINEAR_UP_TO;
  if (needs_table && 2 * scope->entities.count >= scope->table_size && !grow(scope)) return NULL;
  if (!ZW_PUSH(scope->arena, &scope->entities, entity)) return NULL;
  if (scope->table) scope->table[find_slot(scope, entity.name)] = scope->entities.count;
  return &scope->entities.items[scope->entities.count - 1];
}

ZwEntity* zw_scope_find_here(const ZwScope* scope, ZwStr name) {
  if (scope->table) {
    int32_t number = scope->table[find_slot(scope, name)];
    return number ? &scope->entities.items[number - 1] : NULL;
  }
  for (int32_t i = 0; i < scope->entities.count; i++) {
    if (zw_str_equal(scope->entities.items[i].name, name)) return &scope->entities.items[i];
  }
  return NULL;
}

ZwEntity* zw_scope_find(const ZwScope* scope, ZwStr name) {
  for (; scope; scope = scope->outer) {
    ZwEntity* entity = zw_scope_find_here(scope, name);
    if (entity) return entity;
  }
  return NULL;
}

ZwStr zw_scope_suggest(const ZwScope* scope, ZwStr name, const char* const* others) {
  ZwStr nearest = {"", 0};
  int32_t limit = name.size <= 3 ? 1 : 2; /* a short name is near to everything */
  int32_t least = limit + 1;
  for (; scope; scope = scope->outer) {
    for (int32_t i = 0; i < scope->entities.count; i++) {
      int32_t distance = zw_str_distance(name, scope->entities.items[i].name, limit);
      if (distance >= least || (name.size == 1 && scope->entities.items[i].name.size == 1)) continue;
      least = distance;
      nearest = scope->entities.items[i].name;
    }
  }
  for (; others && *others; others++) {
    int32_t distance = zw_str_distance(name, zw_str_from(*others), limit);
    if (distance >= least) continue;
    least = distance;
    nearest = zw_str_from(*others);
  }
  return nearest;
}

/* ---- arrays ---- */

static uint64_t hash_key(const double* key, int32_t rank) {
  uint64_t hash = 14695981039346656037u;
  for (int32_t i = 0; i < rank; i++) {
    hash = (hash ^ (uint64_t)(int64_t)key[i]) * 1099511628211u;
    hash ^= hash >> 29;
  }
  return hash;
}

static bool equal_keys(const double* a, const double* b, int32_t rank) {
  for (int32_t i = 0; i < rank; i++) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

static int32_t find_key(const ZwArray* array, const double* key) {
  uint64_t mask = (uint64_t)array->table_size - 1;
  uint64_t slot = hash_key(key, array->rank) & mask;
  while (array->table[slot]) {
    const double* other = array->keys.items + (ptrdiff_t)(array->table[slot] - 1) * array->rank;
    if (equal_keys(other, key, array->rank)) break;
    slot = (slot + 1) & mask;
  }
  return (int32_t)slot;
}

ZwEntity* zw_array_find(const ZwArray* array, const double* key) {
  if (!array->table_size) return NULL;
  int32_t number = array->table[find_key(array, key)];
  return number ? &array->elements.items[number - 1] : NULL;
}

static bool grow_array(ZwArena* arena, ZwArray* array) {
  int32_t size = array->table_size ? 2 * array->table_size : 16;
  int32_t* table = ZW_NEW(arena, size, int32_t);
  if (!table) return false;
  zw_arena_give_back(arena, array->table);
  array->table = table;
  array->table_size = size;
  for (int32_t i = 0; i < array->elements.count; i++) {
    table[find_key(array, array->keys.items + (ptrdiff_t)i * array->rank)] = i + 1;
  }
  return true;
}

ZwEntity* zw_array_add(ZwArena* arena, ZwArray* array, const double* key, ZwEntity entity) {
  if (2 * array->elements.count >= array->table_size && !grow_array(arena, array)) return NULL;
  int32_t slot = find_key(array, key);
  for (int32_t i = 0; i < array->rank; i++) {
    if (!ZW_PUSH(arena, &array->keys, key[i])) return NULL;
  }
  if (!ZW_PUSH(arena, &array->elements, entity)) return NULL;
  array->table[slot] = array->elements.count;
  return &array->elements.items[array->elements.count - 1];
}
