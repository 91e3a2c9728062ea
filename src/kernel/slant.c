/* Bounds of entries where the state goes nearly straight. Intervals forget what belongs together: two bodies that fly side by side at
 * 30 m/s are anywhere within 30 m of each other after a second. So each number is a straight line over the interval of time and what it
 * differs by from it; sums, differences and multiples keep both, so what goes along together cancels. All other operations take the
 * bounds of both together, by the rules of range.c. */
#include <math.h>
#include <stddef.h>

#include "kernel/range.h"

typedef struct Registers {
  ZwRange* all;
  ZwSlant* slants;
} Registers;

static bool is_fixed(ZwRange a) {
  return a.low == a.high;
}

static ZwSlant level(ZwRange all) {
  return (ZwSlant){all.low, all.high, 0};
}

/* b a + c, for a number b. */
static ZwSlant line(ZwSlant a, double b, ZwSlant c) {
  double low = fmin(b * a.low, b * a.high), high = fmax(b * a.low, b * a.high);
  return (ZwSlant){low + c.low, high + c.high, b * a.tilt + c.tilt};
}

/* Is the instruction linear in what is not fixed? */
static bool is_line(const ZwInstr* instr, Registers registers, ZwSlant* to) {
  ZwSlant a = registers.slants[instr->a], b, zero = {0};
  if (instr->op == ZW_OP_NEG) {
    *to = line(a, -1, zero);
    return true;
  }
  if (zw_op_arity(instr->op) < 2) return false;
  ZwRange x = registers.all[instr->a], y = registers.all[instr->b];
  b = registers.slants[instr->b];
  switch (instr->op) {
    case ZW_OP_ADD:
      *to = line(a, 1, b);
      return true;
    case ZW_OP_SUB:
      *to = line(b, -1, a);
      return true;
    case ZW_OP_MUL:
    case ZW_OP_FUSED: {
      ZwSlant c = instr->op == ZW_OP_FUSED ? registers.slants[instr->c] : zero;
      if (!is_fixed(x) && !is_fixed(y)) return false;
      *to = is_fixed(y) ? line(a, y.low, c) : line(b, x.low, c);
      return true;
    }
    case ZW_OP_DIV:
      if (!is_fixed(y) || y.low == 0) return false;
      *to = line(a, 1 / y.low, zero);
      return true;
    default:
      return false;
  }
}

static void step(const ZwInstr* instr, const ZwTables* tables, Registers registers) {
  ZwSlant value; /* before the arguments are gone */
  bool is_linear = is_line(instr, registers, &value) && isfinite(value.low) && isfinite(value.high);
  ZwRange* all = &registers.all[instr->dst];
  zw_range_step(instr, tables, registers.all);
  if (is_linear) {
    double low = fmax(all->low, value.low - fabs(value.tilt)), high = fmin(all->high, value.high + fabs(value.tilt));
    if (low <= high) all->low = low, all->high = high;
  }
  registers.slants[instr->dst] = is_linear ? value : level(*all);
}

/* Literals and inputs: what goes straight is known of the state and of nothing else. */
static void place(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state, const ZwSlantState* slants,
                  int32_t instance, Registers to) {
  zw_range_place(kernel, tape, state, &slants->all, instance, to.all);
  for (int32_t i = 0; i < tape->literals.count; i++) {
    int32_t dst = tape->literals.items[i].dst;
    to.slants[dst] = level(to.all[dst]);
  }
  ZwKernelState tilts = *state;
  tilts.t = slants->t_tilt, tilts.q = slants->q_tilt, tilts.v = slants->v_tilt;
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    ZwRange rest = to.all[input->dst];
    double tilt = 0;
    if (input->kind == ZW_INPUT_TIME || input->kind == ZW_INPUT_COORD || input->kind == ZW_INPUT_VELOCITY) {
      zw_range_load(kernel, input, state, &slants->rest, instance, &rest);
      zw_kernel_load(kernel, input, &tilts, instance, 1, 1, &tilt);
    }
    to.slants[input->dst] = (ZwSlant){rest.low, rest.high, tilt};
  }
}

void zw_program_slant(const ZwProgram* program, const ZwKernelState* state, const ZwSlantState* slants) {
  const ZwRangeState* ranges = &slants->all;
  Registers registers = {ranges->registers, slants->slants};
  for (int32_t i = 0; i < ranges->count; i++) ranges->events[i] = (ZwRange){0};
  for (int32_t k = 0; k < program->kernels.count; k++) {
    const ZwKernel* kernel = &program->kernels.items[k];
    const ZwTape* tape = &kernel->tapes[ZW_ENTRY_EVENT];
    for (int32_t instance = 0; instance < kernel->shape->count && tape->outputs.count > 0; instance++) {
      place(kernel, tape, state, slants, instance, registers);
      for (int32_t i = 0; i < tape->code.count; i++) step(&tape->code.items[i], state->tables, registers);
      zw_range_gather(kernel, instance, registers.all, ranges->events);
    }
  }
}
