/* The lane interpreter: one instruction works on many instances at once, so that its dispatch costs nothing per
 * instance. Batches are padded to 1, 8 or 64 lanes with copies of their last instance. */
#include <math.h>
#include <string.h>

#include "expr/elementary.h"
#include "kernel/eliminate.h"
#include "kernel/native.h"

#define LANES(value)                        \
  for (int l = 0; l < W; l++) d[l] = value; \
  break

/* One lane, or all four by four: the bits are the same. */
static inline void apply(double (*one)(double), void (*four)(double*), double* d, const double* a, int width) {
  if (width == 1) {
    d[0] = one(a[0]);
    return;
  }
  memmove(d, a, (size_t)width * sizeof(double));
  for (int l = 0; l < width; l += ZW_FOUR) four(d + l);
}

/* The tape over W lanes; W is a literal at each call, so that every loop below is unrolled or vectorised for it. */
static inline __attribute__((always_inline)) void run_code(const ZwTape* tape, const ZwTables* tables,
                                                           double* registers, const int W) {
  const ZwElementary* elementary = zw_elementary();
  for (int32_t i = 0; i < tape->code.count; i++) {
    const ZwInstr* instr = &tape->code.items[i];
    double* d = registers + (ptrdiff_t)instr->dst * W;
    const double* a = registers + (ptrdiff_t)instr->a * W;
    const double* b = registers + (ptrdiff_t)instr->b * W;
    const double* c = registers + (ptrdiff_t)instr->c * W;
    switch (instr->op) {
      case ZW_OP_NEG:
        LANES(-a[l]);
      case ZW_OP_ADD:
        LANES(a[l] + b[l]);
      case ZW_OP_SUB:
        LANES(a[l] - b[l]);
      case ZW_OP_MUL:
        LANES(a[l] * b[l]);
      case ZW_OP_DIV:
        LANES(a[l] / b[l]);
      case ZW_OP_SQRT:
        LANES(sqrt(a[l]));
      case ZW_OP_SIN:
        apply(zw_sin, elementary->sin4, d, a, W);
        break;
      case ZW_OP_COS:
        apply(zw_cos, elementary->cos4, d, a, W);
        break;
      case ZW_OP_EXP:
        apply(zw_exp, elementary->exp4, d, a, W);
        break;
      case ZW_OP_TABLE:
        LANES(zw_table_eval(&tables->list.items[(int32_t)b[l]], a[l], (int)c[l]));
      case ZW_OP_TABLE_FROM:
        LANES(zw_table_eval_from(tables, a[l], b[l], c[l]));
      default:
        LANES(zw_op_apply(instr->op, a[l], b[l], c[l]));
    }
  }
}

static void run_code_1(const ZwTape* tape, const ZwTables* tables, double* registers) {
  run_code(tape, tables, registers, 1);
}

static void run_code_8(const ZwTape* tape, const ZwTables* tables, double* registers) {
  run_code(tape, tables, registers, 8);
}

static void run_code_64(const ZwTape* tape, const ZwTables* tables, double* registers) {
  run_code(tape, tables, registers, ZW_LANES);
}

double zw_kernel_apply(ZwOp op, const double* args, const ZwTables* tables) {
  if (op == ZW_OP_TABLE) return zw_table_eval(&tables->list.items[(int32_t)args[1]], args[0], (int)args[2]);
  if (op == ZW_OP_TABLE_FROM) return zw_table_eval_from(tables, args[0], args[1], args[2]);
  return zw_op_apply(op, args[0], args[1], args[2]);
}

static int width_for(int32_t count) {
  return count == 1 ? 1 : count <= 8 ? 8 : ZW_LANES;
}

/* Reads table[index[l]] for each instance of the batch, where index advances by `stride`. */
static void gather(double* to, const double* table, const int32_t* index, ptrdiff_t stride, int32_t count, int width) {
  for (int l = 0; l < width; l++) to[l] = table[index[stride * (l < count ? l : count - 1)]];
}

static void fill(double* to, double value, int width) {
  for (int l = 0; l < width; l++) to[l] = value;
}

void zw_kernel_load(const ZwKernel* kernel, const ZwInput* input, const ZwKernelState* state, int32_t first,
                    int32_t count, int width, double* to) {
  const ZwShape* shape = kernel->shape;
  const int32_t* coords = NULL; /* of an element without coordinates */
  if (shape->coords) coords = shape->instance_coords.items + (ptrdiff_t)first * shape->coords + input->index;
  switch (input->kind) {
    case ZW_INPUT_TIME:
      fill(to, state->t, width);
      break;
    case ZW_INPUT_COORD:
      gather(to, state->q, coords, shape->coords, count, width);
      break;
    case ZW_INPUT_VELOCITY:
      gather(to, state->v, coords, shape->coords, count, width);
      break;
    case ZW_INPUT_ACCELERATION:
      gather(to, state->a, coords, shape->coords, count, width);
      break;
    case ZW_INPUT_REACTION:
      gather(to, state->reactions, shape->instance_reactions.items + (ptrdiff_t)first * shape->reactions + input->index,
             shape->reactions, count, width);
      break;
    case ZW_INPUT_SLOT:
      gather(to, state->values, shape->instance_slots.items + (ptrdiff_t)first * shape->slots + input->index,
             shape->slots, count, width);
      break;
    case ZW_INPUT_CONSTANT: {
      const double* from = state->constants + kernel->constants_begin + (ptrdiff_t)input->index * shape->count + first;
      for (int l = 0; l < width; l++) to[l] = from[l < count ? l : count - 1];
      break;
    }
  }
}

static void run_batch(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state, int32_t first,
                      int32_t count, int width) {
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    zw_kernel_load(kernel, input, state, first, count, width, state->registers + (ptrdiff_t)input->dst * width);
  }
  if (width == 1)
    run_code_1(tape, state->tables, state->registers);
  else if (width == 8)
    run_code_8(tape, state->tables, state->registers);
  else
    run_code_64(tape, state->tables, state->registers);
}

void zw_kernel_place_literals(const ZwTape* tape, const ZwKernelState* state, int width) {
  for (int32_t i = 0; i < tape->literals.count; i++) {
    fill(state->registers + (ptrdiff_t)tape->literals.items[i].dst * width, tape->literals.items[i].value, width);
  }
}

void zw_kernel_load_all(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state, int32_t instance) {
  zw_kernel_place_literals(tape, state, 1);
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    zw_kernel_load(kernel, input, state, instance, 1, 1, state->registers + input->dst);
  }
}

/* What an interpreter goes through. */
typedef struct Pass {
  const ZwProgram* program;
  ZwEntry entry;
  bool is_of_masses; /* M alone */
} Pass;

static int32_t count_taken(const Pass* pass, const ZwKernel* kernel) {
  int32_t count = 0, outputs = kernel->tapes[pass->entry].outputs.count;
  for (int32_t k = 0; k < outputs; k++) {
    count += zw_kernel_takes(pass->program, kernel, pass->entry, pass->is_of_masses, k);
  }
  return count;
}

static void scatter(const Pass* pass, const ZwKernel* kernel, bool takes_all, const ZwKernelState* state, int32_t first,
                    int32_t count, int width) {
  ZwEntry entry = pass->entry;
  const ZwTape* tape = &kernel->tapes[entry];
  int32_t outputs = tape->outputs.count;
  const ZwContribution* contributions = kernel->shape->entries[entry].list.items;
  const int32_t* to = kernel->scatter[entry] + (ptrdiff_t)first * outputs;
  for (int32_t l = 0; l < count; l++) {
    for (int32_t k = 0; k < outputs; k++, to++) {
      if (!takes_all && !zw_kernel_takes(pass->program, kernel, entry, pass->is_of_masses, k)) continue;
      state->targets[contributions[k].target][*to] += state->registers[(ptrdiff_t)tape->outputs.items[k] * width + l];
    }
  }
}

void zw_program_setup(const ZwProgram* program, const ZwKernelState* state) {
  if (program->native) {
    if (program->native->setup) program->native->setup(state);
    return;
  }
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    const ZwTape* tape = &kernel->setup;
    int32_t instances = kernel->shape->count;
    if (kernel->constants == 0) continue;
    for (int32_t first = 0; first < instances; first += ZW_LANES) {
      int32_t count = instances - first < ZW_LANES ? instances - first : ZW_LANES;
      int width = width_for(count);
      zw_kernel_place_literals(tape, state, width);
      run_batch(kernel, tape, state, first, count, width);
      for (int32_t k = 0; k < kernel->constants; k++) {
        double* to = state->constants + kernel->constants_begin + (ptrdiff_t)k * instances + first;
        const double* from = state->registers + (ptrdiff_t)tape->outputs.items[k] * width;
        for (int32_t l = 0; l < count; l++) to[l] = from[l];
      }
    }
  }
}

/* A part of the elimination: sums of products, a product and its sum in one go. */
static void run_sums(const ZwTape* tape, double* r) {
  const ZwInstr *instr = tape->code.items, *end = instr + tape->code.count;
  for (; instr < end; instr++) {
    double a = r[instr->a], b = r[instr->b];
    switch (instr->op) {
      case ZW_OP_MUL: {
        const ZwInstr* next = instr + 1;
        double product = r[instr->dst] = a * b;
        bool is_sum = next < end && next->b == instr->dst && next->a != instr->dst;
        if (is_sum && next->op == ZW_OP_SUB) {
          r[next->dst] = r[next->a] - product;
          instr = next;
        } else if (is_sum && next->op == ZW_OP_ADD) {
          r[next->dst] = r[next->a] + product;
          instr = next;
        }
        break;
      }
      case ZW_OP_ADD:
        r[instr->dst] = a + b;
        break;
      case ZW_OP_SUB:
        r[instr->dst] = a - b;
        break;
      case ZW_OP_DIV:
        r[instr->dst] = a / b;
        break;
      default:
        r[instr->dst] = zw_op_apply(instr->op, a, b, 0);
    }
  }
}

/* Of the members of a group, whose numbers lie side by side. */
static void interpret_group_part(const ZwKernel* kernel, const ZwKernelState* state) {
  const ZwTape* tape = &kernel->setup;
  int32_t count = kernel->shape->count;
  int width = width_for(count);
  zw_kernel_place_literals(tape, state, width);
  run_batch(kernel, tape, state, 0, count, width);
  for (int32_t k = 0; k < kernel->constants; k++) {
    const double* from = state->registers + (ptrdiff_t)tape->outputs.items[k] * width;
    for (int32_t l = 0; l < count; l++) state->constants[kernel->places[k] + l] = from[l];
  }
}

/* Interpreters stand apart, so that calls of machine code do not pay for their registers. */
static __attribute__((noinline)) void interpret_part(const ZwProgram* program, ZwEliminatePart part,
                                                     const ZwKernelState* state) {
  const ZwKernel* kernel = &program->elimination->parts[part];
  const ZwTape* tape = &kernel->setup;
  if (program->is_group) {
    interpret_group_part(kernel, state);
    return;
  }
  zw_kernel_place_literals(tape, state, 1);
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    state->registers[input->dst] = (input->kind == ZW_INPUT_VELOCITY ? state->v : state->values)[input->index];
  }
  run_sums(tape, state->registers);
  for (int32_t k = 0; k < kernel->constants; k++) {
    state->constants[kernel->places[k]] = state->registers[kernel->setup.outputs.items[k]];
  }
}

void zw_program_eliminate(const ZwProgram* program, ZwEliminatePart part, const ZwKernelState* state) {
  if (!program->native)
    interpret_part(program, part, state);
  else if (program->native->parts[part])
    program->native->parts[part](state);
}

static __attribute__((noinline)) void interpret(const Pass* pass, const ZwKernelState* state) {
  const ZwProgram* program = pass->program;
  ZwEntry entry = pass->entry;
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    const ZwTape* tape = &kernel->tapes[entry];
    int32_t instances = kernel->shape->count, taken = count_taken(pass, kernel);
    if (taken == 0) continue;
    int width = 0;
    for (int32_t first = 0; first < instances; first += ZW_LANES) {
      int32_t count = instances - first < ZW_LANES ? instances - first : ZW_LANES;
      if (width != width_for(count)) { /* literals stay in their registers from batch to batch */
        width = width_for(count);
        zw_kernel_place_literals(tape, state, width);
      }
      run_batch(kernel, tape, state, first, count, width);
      scatter(pass, kernel, taken == tape->outputs.count, state, first, count, width);
    }
  }
}

void zw_program_run(const ZwProgram* program, ZwEntry entry, const ZwKernelState* state) {
  if (!program->native)
    interpret(&(Pass){program, entry, false}, state);
  else if (program->native->entries[entry])
    program->native->entries[entry](state);
}

void zw_program_masses(const ZwProgram* program, const ZwKernelState* state) {
  if (!program->is_M_constant) return;
  if (!program->native)
    interpret(&(Pass){program, ZW_ENTRY_ACCELERATION, true}, state);
  else if (program->native->masses)
    program->native->masses(state);
}

void zw_program_element(const ZwProgram* program, int32_t kernel, ZwEntry entry, int32_t instance,
                        const ZwKernelState* state) {
  const ZwTape* tape = &program->kernels.items[kernel].tapes[entry];
  zw_kernel_place_literals(tape, state, 1);
  run_batch(&program->kernels.items[kernel], tape, state, instance, 1, 1);
}

double zw_program_element_output(const ZwProgram* program, int32_t kernel, ZwEntry entry, int32_t output,
                                 const ZwKernelState* state) {
  return state->registers[program->kernels.items[kernel].tapes[entry].outputs.items[output]];
}

/* ---- looking for the operation that failed ---- */

static bool is_within(double value, double limit) {
  return isfinite(value) && fabs(value) <= limit;
}

/* Operations that turn ordinary numbers into enormous ones; sums and products only pass them on. */
static bool is_sharp(ZwOp op) {
  return op == ZW_OP_DIV || op == ZW_OP_POW || op == ZW_OP_LOG || op == ZW_OP_TAN || op == ZW_OP_EXP ||
         op == ZW_OP_SINH || op == ZW_OP_COSH;
}

static ZwCulprit find_in_tape(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state, int32_t instance,
                              double limit) {
  ZwCulprit culprit = {.shape = kernel->shape, .instance = instance};
  double* registers = state->registers;
  zw_kernel_place_literals(tape, state, 1);
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    zw_kernel_load(kernel, input, state, instance, 1, 1, registers + input->dst);
    if (isfinite(registers[input->dst])) continue;
    culprit.is_found = input->kind != ZW_INPUT_CONSTANT; /* a constant's fault is found in the set-up tape */
    culprit.mark = input->mark;
    culprit.op = ZW_OP_PARAM;
    culprit.value = registers[input->dst];
    if (culprit.is_found) return culprit;
  }
  for (int32_t i = 0; i < tape->code.count; i++) {
    const ZwInstr* instr = &tape->code.items[i];
    double args[3] = {registers[instr->a], registers[instr->b], registers[instr->c]};
    bool is_fine = true;
    for (int k = 0; k < zw_op_arity(instr->op); k++) is_fine = is_fine && is_within(args[k], limit);
    double value = zw_kernel_apply(instr->op, args, state->tables);
    registers[instr->dst] = value;
    if (is_within(value, limit) || !is_fine || (isfinite(value) && !is_sharp(instr->op))) continue;
    culprit.is_found = true;
    culprit.mark = tape->marks.items[i];
    culprit.op = instr->op;
    culprit.value = value;
    for (int k = 0; k < 3; k++) culprit.args[k] = k < zw_op_arity(instr->op) ? args[k] : 0;
    return culprit;
  }
  return culprit;
}

ZwCulprit zw_program_culprit(const ZwProgram* program, ZwEntry entry, const ZwKernelState* state, double limit) {
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    if (kernel->tapes[entry].outputs.count == 0) continue;
    for (int32_t instance = 0; instance < kernel->shape->count; instance++) {
      ZwCulprit culprit = find_in_tape(kernel, &kernel->setup, state, instance, limit);
      if (!culprit.is_found) culprit = find_in_tape(kernel, &kernel->tapes[entry], state, instance, limit);
      if (culprit.is_found) return culprit;
    }
  }
  return (ZwCulprit){0};
}
