/* The equations of the whole system, entry by entry, as expressions over its own coordinates and parameters: what the kernels add up
 * element by element, added up as expressions. Equal parts of different elements are one and the same then.
 *
 * Switches (if, abs, sign, tables, ..) are what the user wrote, not held as a step holds them. */
#ifndef ZW_EXPORT_FLAT_H
#define ZW_EXPORT_FLAT_H

#include "kernel/kernel.h"

typedef struct ZwFlat {
  ZwArena* arena;
  ZwSystem system;       /* a copy without modes */
  ZwEquations equations; /* of the copy */
  ZwProgram program;
  ZwGraph graph; /* leaves are numbered as in the system; a parameter that is fixed is a number */
  ZwWalk walk;   /* over the graph of the system */
  ZwExpr* of[ZW_ENTRY_COUNT][ZW_TARGET_COUNT]; /* by the places in the targets; M and A by their patterns */
} ZwFlat;

/* Operations of all elements together, of a compiled model: what becomes of it in the end is less. */
int64_t zw_flat_operations(const ZwProgram* program);

/* Whether a parameter is a number once and for all: it sizes arrays and loops, or is no parameter of the user. */
bool zw_flat_is_fixed(const ZwParam* param);

/* `values`: of the parameters. The system does not change, and all of `flat` is in the arena. ZW_ERR_MEMORY, or what the equations
 * of the copy are refused for. */
ZwStatus zw_flat_build(ZwFlat* flat, ZwArena* arena, ZwDiagList* diags, const ZwSystem* system, const double* values);

/* An expression of the system in the flat graph. */
ZwExpr zw_flat_copy(ZwFlat* flat, ZwExpr e, const double* values);

#endif
