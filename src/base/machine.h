/* What this machine can do, and memory for code written at run time. */
#ifndef ZW_BASE_MACHINE_H
#define ZW_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether processor and operating system know the 256-bit registers and instructions of x86-64's AVX2. */
bool zw_machine_has_avx2(void);

/* Memory that holds a copy of `code` and may be read and executed. It is never writable and executable at once: first
 * one, then the other. NULL when there is no memory (*is_forbidden false) or when the system forbids the change. */
void* zw_executable_create(const void* code, size_t size, bool* is_forbidden);
void zw_executable_destroy(void* memory, size_t size);

#endif
