#include "base/arena.h"

#include <string.h>

enum { ARENA_ALIGN = 16, ARENA_BLOCK_MIN = 16 * 1024, ARENA_BLOCK_MAX = 1024 * 1024 };

struct ZwArenaBlock {
  ZwArenaBlock* older;
  size_t used, size; /* of the bytes behind this header */
};

static size_t header_size(void) {
  return (sizeof(ZwArenaBlock) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
}

void zw_arena_init(ZwArena* arena, const ZwAllocator* allocator) {
  *arena = (ZwArena){.allocator = *allocator};
}

void zw_arena_destroy(ZwArena* arena) {
  for (ZwArenaBlock* block = arena->last; block;) {
    ZwArenaBlock* older = block->older;
    zw_release(&arena->allocator, block);
    block = older;
  }
  *arena = (ZwArena){.allocator = arena->allocator};
}

static bool add_block(ZwArena* arena, size_t need) {
  /* blocks double, so that small models stay small and large ones need few blocks */
  size_t size = arena->last ? 2 * arena->last->size : ARENA_BLOCK_MIN;
  if (size > ARENA_BLOCK_MAX) size = ARENA_BLOCK_MAX;
  if (size < need) size = need;
  size_t total = size + header_size();
  if (arena->limit && arena->bytes + total > arena->limit) {
    arena->failed = arena->limit_reached = true;
    return false;
  }
  ZwArenaBlock* block = zw_alloc(&arena->allocator, total);
  if (!block) {
    arena->failed = true;
    return false;
  }
  *block = (ZwArenaBlock){.older = arena->last, .used = 0, .size = size};
  arena->last = block;
  arena->bytes += total;
  return true;
}

void* zw_arena_alloc(ZwArena* arena, ptrdiff_t count, size_t size) {
  if (arena->failed) return NULL;
  if (count < 0 || (size && (size_t)count > (PTRDIFF_MAX - ARENA_ALIGN) / size)) {
    arena->failed = true;
    return NULL;
  }
  size_t need = ((size_t)count * size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
  if (need == 0) need = ARENA_ALIGN;
  if (!arena->last || arena->last->size - arena->last->used < need) {
    if (!add_block(arena, need)) return NULL;
  }
  char* memory = (char*)arena->last + header_size() + arena->last->used;
  arena->last->used += need;
  return memory;
}

bool zw_array_grow(ZwArena* arena, void** items, int32_t count, int32_t* capacity, size_t size) {
  if (*capacity > INT32_MAX / 2) {
    arena->failed = true;
    return false;
  }
  int32_t larger = *capacity < 8 ? 8 : 2 * *capacity;
  void* copy = zw_arena_alloc(arena, larger, size);
  if (!copy) return false;
  if (count > 0) memcpy(copy, *items, (size_t)count * size);
  *items = copy;
  *capacity = larger;
  return true;
}
