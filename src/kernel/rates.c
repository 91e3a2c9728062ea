/* Kernels on values and their rates of change together. Nothing is derived or compiled for it: a tape costs about twice what it does by
 * itself, for each direction. */
#include <string.h>

#include "kernel/kernel.h"

static double rate_of(const ZwInstr* instr, const ZwTables* tables, const double* x, double value,
                      const double* rates) {
  if (instr->op != ZW_OP_TABLE) return zw_op_rate(instr->op, x, value, rates);
  int order = (int)x[2];
  return order < 3 ? zw_table_eval(&tables->list.items[(int32_t)x[1]], x[0], order + 1) * rates[0] : 0;
}

/* One instruction; the result may take the place of an argument. */
static void run_instruction(const ZwInstr* instr, const ZwKernelState* state, double* rates, ptrdiff_t width) {
  double* values = state->registers;
  ptrdiff_t d = instr->dst * width, a = instr->a * width, b = instr->b * width, c = instr->c * width;
  for (ptrdiff_t l = 0; l < width; l++) {
    double x[3] = {values[a + l], values[b + l], values[c + l]}, dx[3] = {rates[a + l], rates[b + l], rates[c + l]};
    double value = instr->op == ZW_OP_TABLE ? zw_table_eval(&state->tables->list.items[(int32_t)x[1]], x[0], (int)x[2])
                                            : zw_op_apply(instr->op, x[0], x[1], x[2]);
    rates[d + l] = rate_of(instr, state->tables, x, value, dx);
    values[d + l] = value;
  }
}

void zw_tape_run_rates(const ZwTape* tape, const ZwKernelState* state, double* rates, int width) {
  for (int32_t i = 0; i < tape->code.count; i++) run_instruction(&tape->code.items[i], state, rates, width);
}

static void run_batch(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state,
                      const ZwKernelState* rates, int32_t first, int32_t count) {
  zw_kernel_place_literals(tape, state, count);
  for (int32_t i = 0; i < tape->literals.count; i++) {
    memset(rates->registers + (ptrdiff_t)tape->literals.items[i].dst * count, 0, (size_t)count * sizeof(double));
  }
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    ptrdiff_t at = (ptrdiff_t)input->dst * count;
    zw_kernel_load(kernel, input, state, first, count, count, state->registers + at);
    zw_kernel_load(kernel, input, rates, first, count, count, rates->registers + at);
  }
  zw_tape_run_rates(tape, state, rates->registers, count);
}

static void scatter(const ZwKernel* kernel, ZwEntry entry, const ZwKernelState* rates, int32_t first, int32_t count) {
  const ZwTape* tape = &kernel->tapes[entry];
  const ZwContribution* contributions = kernel->shape->entries[entry].list.items;
  const int32_t* to = kernel->scatter[entry] + (ptrdiff_t)first * tape->outputs.count;
  for (int32_t l = 0; l < count; l++) {
    for (int32_t k = 0; k < tape->outputs.count; k++, to++) {
      rates->targets[contributions[k].target][*to] += rates->registers[(ptrdiff_t)tape->outputs.items[k] * count + l];
    }
  }
}

static int32_t least(int32_t a, int32_t b) {
  return a < b ? a : b;
}

void zw_program_rates(const ZwProgram* program, ZwEntry entry, const ZwKernelState* state, const ZwKernelState* rates) {
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    int32_t instances = kernel->shape->count;
    if (kernel->tapes[entry].outputs.count == 0) continue;
    for (int32_t first = 0; first < instances; first += ZW_LANES) {
      int32_t count = least(instances - first, ZW_LANES);
      run_batch(kernel, &kernel->tapes[entry], state, rates, first, count);
      scatter(kernel, entry, rates, first, count);
    }
  }
}

void zw_program_setup_rates(const ZwProgram* program, const ZwKernelState* state, const ZwKernelState* rates) {
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    int32_t instances = kernel->shape->count;
    for (int32_t first = 0; kernel->constants > 0 && first < instances; first += ZW_LANES) {
      int32_t count = least(instances - first, ZW_LANES);
      run_batch(kernel, &kernel->setup, state, rates, first, count);
      for (int32_t k = 0; k < kernel->constants; k++) {
        memcpy(rates->constants + kernel->constants_begin + (ptrdiff_t)k * instances + first,
               rates->registers + (ptrdiff_t)kernel->setup.outputs.items[k] * count, (size_t)count * sizeof(double));
      }
    }
  }
}
