/* Tapes run on expressions in place of numbers. */
#ifndef ZW_EXPORT_SYMBOLIC_H
#define ZW_EXPORT_SYMBOLIC_H

#include "kernel/kernel.h"

/* What an input of the tape is. */
typedef ZwExpr (*ZwTapeReadFn)(void* context, const ZwInput* input);

/* Afterwards the registers, of which there must be as many as the tape has, hold its outputs. When memory is out they are no
 * expressions. */
void zw_tape_run(const ZwTape* tape, ZwGraph* graph, ZwExpr* registers, ZwTapeReadFn read, void* context);

#endif
