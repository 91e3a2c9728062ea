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

static void release_blocks(ZwArena* arena, ZwArenaBlock* block) {
  while (block) {
    ZwArenaBlock* older = block->older;
    zw_release(&arena->allocator, block);
    block = older;
  }
}

void zw_arena_destroy(ZwArena* arena) {
  release_blocks(arena, arena->last);
  release_blocks(arena, arena->large);
  *arena = (ZwArena){.allocator = arena->allocator};
}

typedef void* (*AllocFn)(const ZwAllocator* allocator, size_t size);

static bool may_take(ZwArena* arena, size_t size) {
  if (!arena->limit || arena->bytes + size <= arena->limit) return true;
  arena->failed = arena->limit_reached = true;
  return false;
}

static ZwArenaBlock* take_block(ZwArena* arena, size_t size, AllocFn alloc) {
  size_t total = size + header_size();
  if (!may_take(arena, total)) return NULL;
  ZwArenaBlock* block = alloc(&arena->allocator, total);
  if (!block) {
    arena->failed = true;
    return NULL;
  }
  *block = (ZwArenaBlock){.size = size};
  arena->bytes += total;
  return block;
}

/* Blocks double, so that small models stay small and large ones need few blocks. */
static bool add_block(ZwArena* arena, size_t need) {
  size_t size = arena->last ? 2 * arena->last->size : ARENA_BLOCK_MIN;
  if (size > ARENA_BLOCK_MAX) size = ARENA_BLOCK_MAX;
  ZwArenaBlock* block = take_block(arena, size < need ? need : size, zw_alloc);
  if (!block) return false;
  block->older = arena->last;
  arena->last = block;
  return true;
}

/* A large piece has a block of its own, behind the one that is being filled, and can be given back. */
static void* alloc_large(ZwArena* arena, size_t need, AllocFn alloc) {
  ZwArenaBlock* block = take_block(arena, need, alloc);
  if (!block) return NULL;
  block->used = need;
  block->older = arena->large;
  arena->large = block;
  return (char*)block + header_size();
}

/* The link to the block of a large piece; NULL if it has none. */
static ZwArenaBlock** find_large(ZwArena* arena, const void* memory) {
  for (ZwArenaBlock** link = &arena->large; memory && *link; link = &(*link)->older) {
    if ((char*)*link + header_size() == memory) return link;
  }
  return NULL;
}

void zw_arena_give_back(ZwArena* arena, void* memory) {
  ZwArenaBlock** link = find_large(arena, memory);
  if (!link) return;
  ZwArenaBlock* block = *link;
  *link = block->older;
  arena->bytes -= block->size + header_size();
  zw_release(&arena->allocator, block);
}

/* The bytes that a request takes; 0 when it cannot be met. */
static size_t measure(ZwArena* arena, ptrdiff_t count, size_t size) {
  if (arena->failed) return 0;
  if (count < 0 || (size && (size_t)count > (PTRDIFF_MAX - ARENA_ALIGN) / size)) {
    arena->failed = true;
    return 0;
  }
  size_t need = ((size_t)count * size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
  return need ? need : ARENA_ALIGN;
}

/* Of the pieces, `alloc` gets large ones only; small ones are zero. */
static void* alloc_piece(ZwArena* arena, size_t need, AllocFn alloc) {
  if (need == 0) return NULL;
  if (need >= ZW_ARENA_LARGE) return alloc_large(arena, need, alloc);
  if (!arena->last || arena->last->size - arena->last->used < need) {
    if (!add_block(arena, need)) return NULL;
  }
  char* memory = (char*)arena->last + header_size() + arena->last->used;
  arena->last->used += need;
  return memory;
}

void* zw_arena_alloc(ZwArena* arena, ptrdiff_t count, size_t size) {
  return alloc_piece(arena, measure(arena, count, size), zw_alloc);
}

/* The same piece with more room behind it, perhaps at another place. */
static void* enlarge(ZwArena* arena, ZwArenaBlock** link, size_t need) {
  ZwArenaBlock* block = *link;
  size_t more = need - block->size;
  if (!may_take(arena, more)) return NULL;
  ZwArenaBlock* larger = zw_alloc_again(&arena->allocator, block, block->size + header_size(), need + header_size());
  if (!larger) {
    arena->failed = true;
    return NULL;
  }
  *link = larger;
  larger->size = larger->used = need;
  arena->bytes += more;
  return (char*)larger + header_size();
}

/* What lies behind the items is not touched before it is pushed: the system need not provide it earlier. */
bool zw_array_grow(ZwArena* arena, void** items, int32_t count, int32_t* capacity, size_t size) {
  if (*capacity > INT32_MAX / 2) {
    arena->failed = true;
    return false;
  }
  int32_t larger = *capacity < 8 ? 8 : 2 * *capacity;
  size_t need = measure(arena, larger, size);
  ZwArenaBlock** link = need ? find_large(arena, *items) : NULL;
  void* copy = link ? enlarge(arena, link, need) : alloc_piece(arena, need, zw_alloc_as_is);
  if (!copy) return false;
  if (!link && count > 0) memcpy(copy, *items, (size_t)count * size);
  *items = copy;
  *capacity = larger;
  return true;
}
