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

void* zw_alloc(const ZwAllocator* allocator, size_t size) {
  if (size == 0) size = 1;
  void* memory = allocator->alloc(allocator->context, size);
  if (memory) memset(memory, 0, size);
  return memory;
}

void zw_release(const ZwAllocator* allocator, void* memory) {
  if (memory) allocator->release(allocator->context, memory);
}
