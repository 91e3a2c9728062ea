/* Memory with one life. Objects in an arena have no destroy function; dropping the arena frees them all.
 *
 * An arena that could not get memory stays `failed`: every later request gives NULL too, so a stage may build on and
 * look at the flag once, at its end. Growable arrays (ZW_PUSH) follow the same rule.
 */
#ifndef ZW_BASE_ARENA_H
#define ZW_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

typedef struct ZwArenaBlock ZwArenaBlock;

typedef struct ZwArena {
  ZwAllocator allocator;
  ZwArenaBlock* last;  /* newest block, linked to the older ones */
  ZwArenaBlock* large; /* blocks that hold one large piece each */
  size_t bytes;        /* taken from the allocator so far */
  size_t limit;        /* most bytes it may take; 0: no limit */
  bool failed;         /* a request was not met; sticky */
  bool limit_reached;  /* ... because of the limit, not of the allocator */
} ZwArena;

void zw_arena_init(ZwArena* arena, const ZwAllocator* allocator);
void zw_arena_destroy(ZwArena* arena);

/* Zeroed memory for `count` objects of `size` bytes, aligned for any of them; NULL when there is none. */
void* zw_arena_alloc(ZwArena* arena, ptrdiff_t count, size_t size);

#define ZW_NEW(arena, count, type) ((type*)zw_arena_alloc((arena), (ptrdiff_t)(count), sizeof(type)))

/* Gives back memory that was asked for in one piece of at least ZW_ARENA_LARGE bytes; smaller pieces stay until the arena
 * goes. NULL is fine. */
enum { ZW_ARENA_LARGE = 64 * 1024 };
void zw_arena_give_back(ZwArena* arena, void* memory);

/* A growable array is three fields of any struct: T* items; int32_t count, capacity. Growing leaves the old copy in
 * the arena while it is small; a large one is not copied where the allocator can move it. What stands behind `count` is not
 * zero. */
bool zw_array_grow(ZwArena* arena, void** items, int32_t count, int32_t* capacity, size_t size);

/* Appends `value`; false when memory is out or the array would exceed 2^31 - 1 items. */
#define ZW_PUSH(arena, array, value)                                                                              \
  (((array)->count < (array)->capacity ||                                                                         \
    zw_array_grow((arena), (void**)&(array)->items, (array)->count, &(array)->capacity, sizeof(*(array)->items))) \
       ? ((array)->items[(array)->count++] = (value), true)                                                       \
       : false)

#define ZW_ARRAY(type) \
  struct {             \
    type* items;       \
    int32_t count;     \
    int32_t capacity;  \
  }

#endif
