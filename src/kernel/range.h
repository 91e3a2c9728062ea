/* Interval arithmetic on tapes, for range.c, slant.c and bends.c. */
#ifndef ZW_KERNEL_RANGE_H
#define ZW_KERNEL_RANGE_H

#include "kernel/kernel.h"

/* An input of an instance between its bounds; anything where forces have none. */
void zw_range_load(const ZwKernel* kernel, const ZwInput* input, const ZwKernelState* state, const ZwRangeState* ranges,
                   int32_t instance, ZwRange* to);
/* The literals of a tape and the inputs of an instance between their bounds. */
void zw_range_place(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state, const ZwRangeState* ranges,
                    int32_t instance, ZwRange* registers);
/* What an instance adds to the values of events. */
void zw_range_gather(const ZwKernel* kernel, int32_t instance, const ZwRange* registers, ZwRange* events);
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
