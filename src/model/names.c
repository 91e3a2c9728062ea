#include "model/names.h"

void zw_scope_init(ZwScope* scope, ZwArena* arena, ZwScope* outer) {
  *scope = (ZwScope){.arena = arena, .outer = outer};
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
  int32_t size = scope->table_size ? 2 * scope->table_size : 32;
  int32_t* table = ZW_NEW(scope->arena, size, int32_t);
  if (!table) return false;
  scope->table = table;
  scope->table_size = size;
  for (int32_t i = 0; i < scope->entities.count; i++) table[find_slot(scope, scope->entities.items[i].name)] = i + 1;
  return true;
}

bool zw_scope_add(ZwScope* scope, ZwEntity entity) {
  if (2 * scope->entities.count >= scope->table_size && !grow(scope)) return false;
  if (!ZW_PUSH(scope->arena, &scope->entities, entity)) return false;
  scope->table[find_slot(scope, entity.name)] = scope->entities.count;
  return true;
}

ZwEntity* zw_scope_find_here(const ZwScope* scope, ZwStr name) {
  if (!scope->table_size) return NULL;
  int32_t number = scope->table[find_slot(scope, name)];
  return number ? &scope->entities.items[number - 1] : NULL;
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
