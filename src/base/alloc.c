#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void* default_alloc(void* context, size_t size) {
  (void)context;
  return malloc(size);
}

static void default_release(void* context, void* memory) {
  (void)context;
  free(memory);
}

ZwAllocator zw_allocator_default(void) {
  return (ZwAllocator){.alloc = default_alloc, .release = default_release, .context = NULL};
}

void* zw_alloc_as_is(const ZwAllocator* allocator, size_t size) {
  return allocator->alloc(allocator->context, size ? size : 1);
}

/* calloc knows which pages are fresh from the system: those are zero already, and stay untouched until they are used. */
void* zw_alloc(const ZwAllocator* allocator, size_t size) {
  if (allocator->alloc == default_alloc) return calloc(1, size ? size : 1);
  void* memory = zw_alloc_as_is(allocator, size);
  if (memory) memset(memory, 0, size);
  return memory;
}

/* realloc moves large pieces by moving their pages: nothing is copied, and nothing is there twice. */
void* zw_alloc_again(const ZwAllocator* allocator, void* memory, size_t size, size_t larger) {
  if (allocator->alloc == default_alloc) return realloc(memory, larger);
  void* copy = zw_alloc_as_is(allocator, larger);
  if (!copy) return NULL;
  memcpy(copy, memory, size);
  zw_release(allocator, memory);
  return copy;
}

void zw_release(const ZwAllocator* allocator, void* memory) {
  if (memory) allocator->release(allocator->context, memory);
}
