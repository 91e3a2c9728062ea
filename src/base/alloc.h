/* Where memory comes from. The host may bring its own allocator; every byte of the library goes through it. */
#ifndef ZW_BASE_ALLOC_H
#define ZW_BASE_ALLOC_H

#include <stddef.h>

#include "zwang/types.h"

/* malloc and free. */
ZwAllocator zw_allocator_default(void);

/* Zeroed memory, or NULL. The size is rounded up; asking for 0 bytes gives a valid pointer. */
void* zw_alloc(const ZwAllocator* allocator, size_t size);
/* The same with whatever stands in it. */
void* zw_alloc_as_is(const ZwAllocator* allocator, size_t size);
/* Memory of another size that begins like `memory`, whose `size` bytes it takes over; NULL: there is none, and `memory` is as it
 * was. What is behind them is not zeroed. */
void* zw_alloc_again(const ZwAllocator* allocator, void* memory, size_t size, size_t larger);
void zw_release(const ZwAllocator* allocator, void* memory);

#endif
