#define _DEFAULT_SOURCE /* memory that belongs to no file */
#include "base/machine.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

bool zw_machine_has_avx2(void) {
  return __builtin_cpu_supports("avx2") != 0;
}

void* zw_executable_create(const void* code, size_t size, bool* is_forbidden) {
  *is_forbidden = false;
  void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  memcpy(memory, code, size);
  if (mprotect(memory, size, PROT_READ | PROT_EXEC) == 0) return memory;
  *is_forbidden = errno != ENOMEM;
  munmap(memory, size);
  return NULL;
}

void zw_executable_destroy(void* memory, size_t size) {
  if (memory) munmap(memory, size);
}
