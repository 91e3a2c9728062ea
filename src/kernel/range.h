/* Interval arithmetic on tapes, for range.c, slant.c and bends.c. */
#ifndef ZW_KERNEL_RANGE_H
#define ZW_KERNEL_RANGE_H

#include "kernel/kernel.h"

/* The literals of a tape and the inputs of an instance between their bounds. */
void zw_range_place(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state, const ZwRangeState* ranges,
                    int32_t instance, ZwRange* registers);
/* One instruction. */
void zw_range_step(const ZwInstr* instr, const ZwTables* tables, ZwRange* registers);
/* The least and the largest size of what lies between. */
double zw_range_least(ZwRange a);
double zw_range_largest(ZwRange a);
/* a^2 + b^2 */
ZwRange zw_range_squares(ZwRange a, ZwRange b);
/* b log |a|: what a power is the exponential of. */
ZwRange zw_range_exponent(ZwRange a, ZwRange b);

#endif
