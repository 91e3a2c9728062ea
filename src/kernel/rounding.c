/* How exactly forces, energies and momenta are known. The tapes of the accelerations run on values and on bounds of their rounding together: each operation
 * passes on what its arguments are wrong by, and adds a rounding of its own. So what is small because large terms cancel, inside an
 * expression or between those of neighbours, is known to be no better than these terms. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/kernel.h"

/* What the arguments' errors make of the value, one after the other, and its own rounding. */
static double error_of(const ZwInstr* instr, const ZwTables* tables, const double* x, const double* errors,
                       double value) {
  double sum = DBL_EPSILON * fabs(value);
  if (instr->op == ZW_OP_NEG) sum = 0;
  for (int k = 0; k < zw_op_arity(instr->op); k++) {
    double rates[3] = {0};
    if (errors[k] == 0) continue;
    rates[k] = errors[k];
    sum += fabs(zw_kernel_rate(instr->op, tables, x, value, rates));
  }
  return sum;
}

static __attribute__((noinline)) void run_any(const ZwInstr* instr, const ZwTables* tables, double* values,
                                              double* errors) {
  double x[3] = {values[instr->a], values[instr->b], values[instr->c]};
  double of_x[3] = {errors[instr->a], errors[instr->b], errors[instr->c]};
  double value = zw_kernel_apply(instr->op, x, tables);
  errors[instr->dst] = error_of(instr, tables, x, of_x, value);
  values[instr->dst] = value;
}

/* Sums and products, which most operations are, in a few instructions of their own. */
static void run_instruction(const ZwInstr* instr, const ZwTables* tables, double* values, double* errors) {
  double a = values[instr->a], b = values[instr->b], of_a = errors[instr->a], of_b = errors[instr->b];
  double value;
  switch (instr->op) {
    case ZW_OP_ADD:
      value = a + b;
      break;
    case ZW_OP_SUB:
      value = a - b;
      break;
    case ZW_OP_MUL:
      value = a * b;
      if (of_a != 0) of_a = fabs(of_a * b); /* what is exact stays so times infinity */
      if (of_b != 0) of_b = fabs(a * of_b);
      break;
    default:
      run_any(instr, tables, values, errors);
      return;
  }
  values[instr->dst] = value;
  errors[instr->dst] = DBL_EPSILON * fabs(value) + of_a + of_b;
}

static void run_tape(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state, int32_t instance,
                     double* errors) {
  double* values = state->registers;
  memset(errors, 0, (size_t)tape->registers * sizeof(double));
  zw_kernel_load_all(kernel, tape, state, instance);
  for (int32_t i = 0; i < tape->code.count; i++) {
    run_instruction(&tape->code.items[i], state->tables, values, errors);
  }
}

/* What a contribution that is wrong by `error` does to the balance M a - h - Q. */
static void add_error(const ZwKernel* kernel, const ZwContribution* contribution, int32_t instance,
                      const ZwRounding* rounding, double error) {
  const ZwShape* shape = kernel->shape;
  const int32_t* coords = shape->coords ? shape->instance_coords.items + (ptrdiff_t)instance * shape->coords : NULL;
  switch (contribution->target) {
    case ZW_TARGET_M: {
      int32_t i = coords[contribution->row], k = coords[contribution->column];
      rounding->force[i] += error * fabs(rounding->a[k]);
      if (i != k) rounding->force[k] += error * fabs(rounding->a[i]);
      break;
    }
    case ZW_TARGET_H:
    case ZW_TARGET_Q:
      rounding->force[coords[contribution->row]] += error;
      break;
    default:
      break;
  }
}

void zw_program_rounding(const ZwProgram* program, const ZwKernelState* state, const ZwRounding* rounding) {
  memset(rounding->force, 0, (size_t)program->equations->n * sizeof(double));
  for (int32_t k = 0; k < program->kernels.count; k++) {
    const ZwKernel* kernel = &program->kernels.items[k];
    const ZwTape* tape = &kernel->tapes[ZW_ENTRY_ACCELERATION];
    const ZwContribution* contributions = kernel->shape->entries[ZW_ENTRY_ACCELERATION].list.items;
    for (int32_t instance = 0; tape->outputs.count > 0 && instance < kernel->shape->count; instance++) {
      run_tape(kernel, tape, state, instance, rounding->errors);
      for (int32_t i = 0; i < tape->outputs.count; i++) {
        int32_t from = tape->outputs.items[i];
        double error = rounding->errors[from] + DBL_EPSILON * fabs(state->registers[from]); /* it is added to others */
        add_error(kernel, &contributions[i], instance, rounding, error);
      }
    }
  }
}

void zw_program_rounding_of(const ZwProgram* program, const ZwKernelState* state, ZwTarget target, double* errors,
                            double* to) {
  int32_t energies = program->equations->groups.count + 1;
  ZwEntry entry = target == ZW_TARGET_LV ? ZW_ENTRY_VARIATION : ZW_ENTRY_ENERGY;
  memset(to, 0, (size_t)(target == ZW_TARGET_LV ? program->equations->n : energies) * sizeof(double));
  for (int32_t k = 0; k < program->kernels.count; k++) {
    const ZwKernel* kernel = &program->kernels.items[k];
    const ZwTape* tape = &kernel->tapes[entry];
    const ZwContribution* contributions = kernel->shape->entries[entry].list.items;
    for (int32_t instance = 0; tape->outputs.count > 0 && instance < kernel->shape->count; instance++) {
      run_tape(kernel, tape, state, instance, errors);
      const int32_t* places = kernel->scatter[entry] + (ptrdiff_t)instance * tape->outputs.count;
      for (int32_t i = 0; i < tape->outputs.count; i++) {
        int32_t from = tape->outputs.items[i];
        if (contributions[i].target != target) continue;
        to[places[i]] += errors[from] + DBL_EPSILON * fabs(state->registers[from]);
      }
    }
  }
}
