/* Kernels as machine code. Every entry of a program is one function that goes through all elements: those of a shape four at a
 * time in vector registers, what is left over together once more, single ones in scalar instructions. It gives the same
 * bits as the interpreter (docs/design/native.md). */
#ifndef ZW_KERNEL_NATIVE_H
#define ZW_KERNEL_NATIVE_H

#include "kernel/kernel.h"

typedef void (*ZwNativeFn)(const ZwKernelState* state);

typedef enum ZwNativeForm {
  ZW_NATIVE_BEST,
  ZW_NATIVE_SCALAR /* one element at a time: for tests and measurements */
} ZwNativeForm;

struct ZwNative {
  void* memory; /* readable and executable */
  size_t size;
  ZwNativeFn setup; /* NULL: nothing to do */
  ZwNativeFn entries[ZW_ENTRY_COUNT];
  ZwNativeFn parts[ZW_ELIMINATE_PARTS];
  ZwNativeFn masses; /* M alone, if it is constant */
};

/* Makes machine code of a program and lets it run by it. ZW_ERR_UNSUPPORTED with *why, a sentence, when this machine, its
 * system or the size of the program does not allow it; ZW_ERR_MEMORY. The program runs by the interpreter then. */
ZwStatus zw_native_compile(ZwProgram* program, ZwNativeForm form, const char** why);
/* Why this machine or its system has no machine code at all, a sentence; NULL: it has. */
const char* zw_native_obstacle(void);
/* Gives the machine code of a program back; fine if there is none. */
void zw_native_destroy(ZwProgram* program);

#endif
