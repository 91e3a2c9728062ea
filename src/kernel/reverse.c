/* Derivatives of a weighted sum of what kernels yield, by all that they read: each tape once forward, where the arguments of its
 * operations are noted, and once backward. */
#include <string.h>

#include "kernel/kernel.h"

enum { ARGS = 3 };

typedef struct Batch {
  const ZwKernel* kernel;
  const ZwTape* tape;
  const ZwKernelState* state;
  const ZwReverse* reverse;
  int32_t first, count; /* instances; as many lanes */
} Batch;

ptrdiff_t zw_program_trace_size(const ZwProgram* program) {
  int32_t longest = 0;
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    if (kernel->setup.code.count > longest) longest = kernel->setup.code.count;
    for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
      if (kernel->tapes[entry].code.count > longest) longest = kernel->tapes[entry].code.count;
    }
  }
  return (ptrdiff_t)(ARGS + 1) * longest * ZW_LANES;
}

/* What instruction i found in lane 0; lane l stands l numbers further, arguments and value a batch apart. */
static double* trace_of(const Batch* batch, int32_t i) {
  return batch->reverse->trace + (ptrdiff_t)(ARGS + 1) * i * batch->count;
}

static void go_forward(const Batch* batch) {
  const ZwTape* tape = batch->tape;
  double* values = batch->state->registers;
  ptrdiff_t width = batch->count;
  zw_kernel_place_literals(tape, batch->state, batch->count);
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    zw_kernel_load(batch->kernel, input, batch->state, batch->first, batch->count, batch->count,
                   values + input->dst * width);
  }
  for (int32_t i = 0; i < tape->code.count; i++) {
    const ZwInstr* instr = &tape->code.items[i];
    double* trace = trace_of(batch, i);
    for (ptrdiff_t l = 0; l < width; l++) {
      double x[ARGS] = {values[instr->a * width + l], values[instr->b * width + l], values[instr->c * width + l]};
      double value = instr->op == ZW_OP_TABLE
                         ? zw_table_eval(&batch->state->tables->list.items[(int32_t)x[1]], x[0], (int)x[2])
                         : zw_op_apply(instr->op, x[0], x[1], x[2]);
      for (int k = 0; k < ARGS; k++) trace[k * width + l] = x[k];
      trace[ARGS * width + l] = values[instr->dst * width + l] = value;
    }
  }
}

/* The derivative of an operation by its argument k. */
static double slope_of(const ZwInstr* instr, const ZwTables* tables, const double* x, double value, int k) {
  double rates[ARGS] = {k == 0, k == 1, k == 2};
  if (instr->op != ZW_OP_TABLE) return zw_op_rate(instr->op, x, value, rates);
  int order = (int)x[2];
  return k == 0 && order < 3 ? zw_table_eval(&tables->list.items[(int32_t)x[1]], x[0], order + 1) : 0;
}

static void go_back_over(const Batch* batch, int32_t i) {
  const ZwInstr* instr = &batch->tape->code.items[i];
  const double* trace = trace_of(batch, i);
  double* adjoints = batch->reverse->adjoints;
  ptrdiff_t width = batch->count, args[ARGS] = {instr->a * width, instr->b * width, instr->c * width};
  int arity = zw_op_arity(instr->op);
  for (ptrdiff_t l = 0; l < width; l++) {
    double adjoint = adjoints[instr->dst * width + l];
    adjoints[instr->dst * width + l] = 0; /* what was there before is another value */
    if (adjoint == 0) continue;
    double x[ARGS] = {trace[l], trace[width + l], trace[2 * width + l]}, value = trace[ARGS * width + l];
    for (int k = 0; k < arity; k++) {
      double slope = slope_of(instr, batch->state->tables, x, value, k);
      if (slope != 0) adjoints[args[k] + l] += adjoint * slope;
    }
  }
}

static void go_back(const Batch* batch) {
  for (int32_t i = batch->tape->code.count - 1; i >= 0; i--) go_back_over(batch, i);
}

static void forget_adjoints(const Batch* batch) {
  memset(batch->reverse->adjoints, 0, (size_t)batch->tape->registers * (size_t)batch->count * sizeof(double));
}

/* ---- what was read ---- */

static void add_indexed(const double* adjoints, const int32_t* index, ptrdiff_t stride, int32_t count, double* to) {
  for (int32_t l = 0; l < count; l++) to[index[stride * l]] += adjoints[l];
}

static void collect_input(const Batch* batch, const ZwInput* input, double* values) {
  const ZwShape* shape = batch->kernel->shape;
  const ZwReverse* reverse = batch->reverse;
  const double* adjoints = reverse->adjoints + (ptrdiff_t)input->dst * batch->count;
  ptrdiff_t first = batch->first;
  int32_t count = batch->count;
  switch (input->kind) {
    case ZW_INPUT_TIME:
      for (int32_t l = 0; l < count; l++) *reverse->t += adjoints[l];
      break;
    case ZW_INPUT_COORD:
    case ZW_INPUT_VELOCITY:
      add_indexed(adjoints, shape->instance_coords.items + first * shape->coords + input->index, shape->coords, count,
                  input->kind == ZW_INPUT_COORD ? reverse->q : reverse->v);
      break;
    case ZW_INPUT_SLOT:
      add_indexed(adjoints, shape->instance_slots.items + first * shape->slots + input->index, shape->slots, count,
                  values);
      break;
    case ZW_INPUT_CONSTANT: {
      double* to = reverse->constants + batch->kernel->constants_begin + (ptrdiff_t)input->index * shape->count + first;
      for (int32_t l = 0; l < count; l++) to[l] += adjoints[l];
      break;
    }
    case ZW_INPUT_ACCELERATION:
    case ZW_INPUT_REACTION:
      break;
  }
}

static void collect(const Batch* batch, double* values) {
  for (int32_t i = 0; i < batch->tape->inputs.count; i++) collect_input(batch, &batch->tape->inputs.items[i], values);
}

/* ---- entries ---- */

static bool weighs_anything(const ZwKernel* kernel, ZwEntry entry, const ZwReverse* reverse) {
  const ZwContributions* contributions = &kernel->shape->entries[entry];
  for (int32_t k = 0; k < kernel->tapes[entry].outputs.count; k++) {
    if (reverse->weights[contributions->list.items[k].target]) return true;
  }
  return false;
}

static void seed_outputs(const Batch* batch, ZwEntry entry) {
  const ZwContribution* contributions = batch->kernel->shape->entries[entry].list.items;
  int32_t outputs = batch->tape->outputs.count;
  const int32_t* from = batch->kernel->scatter[entry] + (ptrdiff_t)batch->first * outputs;
  for (int32_t l = 0; l < batch->count; l++) {
    for (int32_t k = 0; k < outputs; k++, from++) {
      const double* weights = batch->reverse->weights[contributions[k].target];
      ptrdiff_t at = (ptrdiff_t)batch->tape->outputs.items[k] * batch->count + l;
      if (weights) batch->reverse->adjoints[at] += weights[*from];
    }
  }
}

static Batch open_batch(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state,
                        const ZwReverse* reverse, int32_t first) {
  int32_t rest = kernel->shape->count - first;
  return (Batch){kernel, tape, state, reverse, first, rest < ZW_LANES ? rest : ZW_LANES};
}

void zw_program_reverse(const ZwProgram* program, ZwEntry entry, const ZwKernelState* state, const ZwReverse* reverse) {
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    if (!weighs_anything(kernel, entry, reverse)) continue;
    for (int32_t first = 0; first < kernel->shape->count; first += ZW_LANES) {
      Batch batch = open_batch(kernel, &kernel->tapes[entry], state, reverse, first);
      go_forward(&batch);
      forget_adjoints(&batch);
      seed_outputs(&batch, entry);
      go_back(&batch);
      collect(&batch, NULL);
    }
  }
}

void zw_program_setup_reverse(const ZwProgram* program, const ZwKernelState* state, const ZwReverse* reverse,
                              double* values) {
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    for (int32_t first = 0; kernel->constants > 0 && first < kernel->shape->count; first += ZW_LANES) {
      Batch batch = open_batch(kernel, &kernel->setup, state, reverse, first);
      go_forward(&batch);
      forget_adjoints(&batch);
      for (int32_t k = 0; k < kernel->constants; k++) {
        const double* from = reverse->constants + kernel->constants_begin + (ptrdiff_t)k * kernel->shape->count + first;
        double* to = reverse->adjoints + (ptrdiff_t)kernel->setup.outputs.items[k] * batch.count;
        for (int32_t l = 0; l < batch.count; l++) to[l] += from[l];
      }
      go_back(&batch);
      collect(&batch, values);
    }
  }
}
