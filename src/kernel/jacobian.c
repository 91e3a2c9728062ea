/* Derivatives of the equations of motion, by running their kernels on values and rates of change together. Nothing is
 * derived or compiled for it, and the cost grows with the elements like that of an evaluation: twice that of an element
 * for each coordinate and each velocity it touches. */
#include <string.h>

#include "kernel/kernel.h"

/* A batch of instances of one kernel, and the local coordinate whose change is followed. */
typedef struct Batch {
  const ZwKernel* kernel;
  ZwEntry entry;
  const ZwTape* tape;
  const ZwKernelState* state;
  const ZwJacobian* jacobian;
  const ZwPulls* pulls; /* of events */
  int32_t first, count, n;
  int width;
} Batch;

static double rate_of_table(ZwOp op, const ZwTables* tables, const double* x, const double* rates) {
  if (op == ZW_OP_TABLE_FROM) {
    bool is_smooth = (int)x[2] % ZW_TABLE_ORDERS < 3;
    return is_smooth ? zw_table_eval_from(tables, x[0], x[1], x[2] + 1) * (rates[0] + rates[1]) : 0;
  }
  int order = (int)x[2];
  return order < 3 ? zw_table_eval(&tables->list.items[(int32_t)x[1]], x[0], order + 1) * rates[0] : 0;
}

double zw_kernel_rate(ZwOp op, const ZwTables* tables, const double* x, double value, const double* rates) {
  bool is_of_table = op == ZW_OP_TABLE || op == ZW_OP_TABLE_FROM;
  return is_of_table ? rate_of_table(op, tables, x, rates) : zw_op_rate(op, x, value, rates);
}

/* One instruction on values and rates; the result may take the place of an argument. */
static void run_instruction(const Batch* batch, const ZwInstr* instr) {
  double *values = batch->state->registers, *rates = batch->jacobian->rates;
  ptrdiff_t width = batch->width, d = instr->dst * width, a = instr->a * width, b = instr->b * width,
            c = instr->c * width;
  for (ptrdiff_t l = 0; l < width; l++) {
    double x[3] = {values[a + l], values[b + l], values[c + l]}, dx[3] = {rates[a + l], rates[b + l], rates[c + l]};
    double value = zw_kernel_apply(instr->op, x, batch->state->tables);
    rates[d + l] = zw_kernel_rate(instr->op, batch->state->tables, x, value, dx);
    values[d + l] = value;
  }
}

/* Values of the inputs of a tape; nothing changes yet. */
static void load_tape(const Batch* batch) {
  const ZwTape* tape = batch->tape;
  ptrdiff_t width = batch->width;
  memset(batch->jacobian->rates, 0, (size_t)(tape->registers * width) * sizeof(double));
  zw_kernel_place_literals(tape, batch->state, batch->width);
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    zw_kernel_load(batch->kernel, input, batch->state, batch->first, batch->count, batch->width,
                   batch->state->registers + input->dst * width);
  }
}

/* The tape, where the input (kind, index) changes at rate 1 and all others stay. */
static void run_tape(const Batch* batch, ZwInputKind kind, int32_t index) {
  const ZwTape* tape = batch->tape;
  ptrdiff_t width = batch->width;
  load_tape(batch);
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    if (input->kind != kind || input->index != index) continue;
    for (ptrdiff_t l = 0; l < width; l++) batch->jacobian->rates[input->dst * width + l] = 1;
  }
  for (int32_t i = 0; i < tape->code.count; i++) run_instruction(batch, &tape->code.items[i]);
}

static void add_pull(const Batch* batch, int32_t pull, double rate, int32_t j, double* by) {
  if (pull < 0) return;
  const double* force = batch->pulls->force + (ptrdiff_t)pull * batch->n;
  for (ptrdiff_t i = 0; i < batch->n; i++) by[i * batch->n + j] -= rate * batch->pulls->size[pull] * force[i];
}

/* What a contribution that changes by `rate` adds to column j of the derivatives. */
static void add_one(const Batch* batch, const ZwContribution* contribution, int32_t instance, double rate, int32_t j,
                    double* by) {
  const ZwShape* shape = batch->kernel->shape;
  const int32_t* coords = shape->instance_coords.items + (ptrdiff_t)instance * shape->coords;
  const double *a = batch->jacobian->a, *lambda = batch->jacobian->lambda;
  ptrdiff_t n = batch->n, row = shape->instance_rows.items[instance];
  switch (contribution->target) {
    case ZW_TARGET_M: {
      ptrdiff_t i = coords[contribution->row], k = coords[contribution->column];
      by[i * n + j] += rate * a[k];
      if (i != k) by[k * n + j] += rate * a[i];
      break;
    }
    case ZW_TARGET_H:
    case ZW_TARGET_Q:
      by[coords[contribution->row] * n + j] -= rate;
      break;
    case ZW_TARGET_A: {
      ptrdiff_t k = coords[contribution->column];
      by[k * n + j] -= rate * lambda[row];
      by[(n + row) * n + j] += rate * a[k];
      break;
    }
    case ZW_TARGET_B:
      by[(n + row) * n + j] -= rate;
      break;
    case ZW_TARGET_PSI:
      by[row * n + j] += rate;
      break;
    case ZW_TARGET_EVENT:
      add_pull(batch, batch->pulls->of[row], rate, j, by);
      break;
    default:
      break; /* power is no part of the residual */
  }
}

static void add_all(const Batch* batch, int32_t local, double* by) {
  const ZwShape* shape = batch->kernel->shape;
  const ZwContribution* contributions = shape->entries[batch->entry].list.items;
  for (int32_t k = 0; k < batch->tape->outputs.count; k++) {
    const double* rates = batch->jacobian->rates + (ptrdiff_t)batch->tape->outputs.items[k] * batch->width;
    for (int32_t l = 0; l < batch->count; l++) {
      int32_t instance = batch->first + l;
      int32_t j = shape->instance_coords.items[(ptrdiff_t)instance * shape->coords + local];
      bool is_wanted = batch->entry == ZW_ENTRY_ACCELERATION || contributions[k].target == ZW_TARGET_PSI ||
                       (batch->pulls && contributions[k].target == ZW_TARGET_EVENT);
      if (is_wanted && rates[l] != 0) add_one(batch, &contributions[k], instance, rates[l], j, by);
    }
  }
}

/* Adds up the derivatives of what an entry gives, by q, and by v where they are asked for. */
static void follow(const ZwProgram* program, ZwEntry entry, const ZwKernelState* state, const ZwJacobian* jacobian,
                   const ZwPulls* pulls) {
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    Batch batch = {kernel, entry, &kernel->tapes[entry], state, jacobian, pulls, .n = program->equations->n};
    if (batch.tape->outputs.count == 0) continue;
    for (; batch.first < kernel->shape->count; batch.first += ZW_LANES) {
      int32_t rest = kernel->shape->count - batch.first;
      batch.count = rest < ZW_LANES ? rest : ZW_LANES;
      batch.width = batch.count;
      for (int32_t local = 0; local < kernel->shape->coords; local++) {
        run_tape(&batch, ZW_INPUT_COORD, local);
        add_all(&batch, local, jacobian->by_q);
        if (!jacobian->by_v) continue;
        run_tape(&batch, ZW_INPUT_VELOCITY, local);
        add_all(&batch, local, jacobian->by_v);
      }
    }
  }
}

void zw_program_jacobian(const ZwProgram* program, const ZwKernelState* state, const ZwJacobian* jacobian) {
  ptrdiff_t n = program->equations->n, m = program->equations->m;
  memset(jacobian->by_q, 0, (size_t)((n + m) * n) * sizeof(double));
  memset(jacobian->by_v, 0, (size_t)((n + m) * n) * sizeof(double));
  follow(program, ZW_ENTRY_ACCELERATION, state, jacobian, NULL);
}

void zw_program_pulls(const ZwProgram* program, const ZwKernelState* state, const ZwJacobian* jacobian,
                      const ZwPulls* pulls) {
  follow(program, ZW_ENTRY_EVENT, state, jacobian, pulls);
}

void zw_program_velocity_slope(const ZwProgram* program, const ZwKernelState* state, double* rates, double* psi_q) {
  ptrdiff_t n = program->equations->n, m = program->equations->m;
  ZwJacobian jacobian = {.by_q = psi_q, .rates = rates};
  memset(psi_q, 0, (size_t)(m * n) * sizeof(double));
  follow(program, ZW_ENTRY_VELOCITY, state, &jacobian, NULL);
}

/* ---- along one direction ---- */

/* The tape, where all that moves changes at the rates of `along`, which stand where a state has values. */
static void run_along(const Batch* batch, const ZwKernelState* along) {
  const ZwTape* tape = batch->tape;
  ptrdiff_t width = batch->width;
  load_tape(batch);
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    bool moves = input->kind == ZW_INPUT_TIME || input->kind == ZW_INPUT_COORD || input->kind == ZW_INPUT_VELOCITY;
    if (!moves) continue;
    zw_kernel_load(batch->kernel, input, along, batch->first, batch->count, batch->width,
                   batch->jacobian->rates + input->dst * width);
  }
  for (int32_t i = 0; i < tape->code.count; i++) run_instruction(batch, &tape->code.items[i]);
}

void zw_program_event_rates(const ZwProgram* program, const ZwKernelState* state, const ZwAlong* along, double* rates,
                            double* to) {
  ZwKernelState direction = {.t = along->dt, .q = along->dq, .v = along->dv};
  ZwJacobian jacobian = {.rates = rates};
  memset(to, 0, (size_t)program->equations->event_count * sizeof(double));
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    Batch batch = {kernel, ZW_ENTRY_EVENT, &kernel->tapes[ZW_ENTRY_EVENT], state, &jacobian, .first = 0};
    int32_t outputs = batch.tape->outputs.count;
    for (; outputs > 0 && batch.first < kernel->shape->count; batch.first += batch.count) {
      int32_t rest = kernel->shape->count - batch.first;
      batch.count = batch.width = rest < ZW_LANES ? rest : ZW_LANES;
      run_along(&batch, &direction);
      for (int32_t l = 0; l < batch.count; l++) {
        const int32_t* place = kernel->scatter[ZW_ENTRY_EVENT] + (ptrdiff_t)(batch.first + l) * outputs;
        for (int32_t k = 0; k < outputs; k++) {
          to[place[k]] += rates[(ptrdiff_t)batch.tape->outputs.items[k] * batch.width + l];
        }
      }
    }
  }
}
