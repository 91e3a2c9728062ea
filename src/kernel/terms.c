/* How large the terms of a value are before they cancel, through all that is made of sums:
 *
 *   size(x) = |x|   of what is read or typed         size(f(a, b)) = max(|f|, |change of f|/p)
 *   size(a + b) = max(size(a), size(b))
 *
 * where the change is that of f when a alone, or b alone, becomes larger or smaller by p times its size. To first order that is |df/da| size(a), so
 * that a b has the size max(|a| size(b), |b| size(a)); where a derivative is infinite, as that of sqrt(u) at 0, the change is finite all the
 * same. What jumps (a comparison, floor, sign) is as it is. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/kernel.h"

#define TURN 6.283185307179586 /* 2 pi */
#define ROUNDINGS 4            /* of an angle of many turns: these are not less than what is asked for */

/* A value and its size. */
typedef struct Sized {
  double value, size;
} Sized;

/* What f changes by, in parts p, when its argument k moves by a part p of its size. */
static double change_of(ZwOp op, const ZwTables* tables, const Sized* of, int k, double value, double part) {
  double x[3] = {of[0].value, of[1].value, of[2].value}, most = 0;
  for (int sign = -1; sign <= 1; sign += 2) {
    x[k] = of[k].value + sign * part * of[k].size;
    double change = fabs(zw_kernel_apply(op, x, tables) - value) / part;
    if (isfinite(change)) most = fmax(most, change); /* beyond its domain it has no value */
  }
  return most;
}

/* Whole turns do not matter to an angle, but for their rounding. */
static double size_of_angle(const Sized* angle, double part) {
  return fmax(fmin(angle->size, TURN), ROUNDINGS * DBL_EPSILON / part * angle->size);
}

static double size_of_function(ZwOp op, const ZwTables* tables, const Sized* of, double value, double part) {
  Sized args[3] = {of[0], of[1], of[2]};
  int count = zw_op_arity(op);
  double size = fabs(value);
  if (op == ZW_OP_SIN || op == ZW_OP_COS || op == ZW_OP_TAN) args[0].size = size_of_angle(&of[0], part);
  if (op == ZW_OP_TABLE || op == ZW_OP_TABLE_FROM) count = 1; /* the others say which table */
  bool has_plain_exponent = op == ZW_OP_POW && of[1].size <= fabs(of[1].value);
  if (has_plain_exponent) count = 1;
  for (int k = 0; k < count; k++) size = fmax(size, change_of(op, tables, args, k, value, part));
  return size;
}

static double size_of_product(const Sized* a, const Sized* b) {
  return fmax(fabs(a->value * b->value), fmax(fabs(a->value) * b->size, a->size * fabs(b->value)));
}

/* The angle of the point (b, a); it jumps where b is negative and a passes 0. */
static double size_of_direction(const Sized* a, const Sized* b, double value) {
  double r = hypot(a->value, b->value);
  if (r == 0) return fabs(value);
  return fmax(fabs(value), fmax(fabs(b->value / r) * a->size / r, fabs(a->value / r) * b->size / r));
}

static double size_of(ZwOp op, const ZwTables* tables, const Sized* of, double value, double part) {
  switch (op) {
    case ZW_OP_NEG:
      return of[0].size;
    case ZW_OP_ADD:
    case ZW_OP_SUB:
      return fmax(of[0].size, of[1].size);
    case ZW_OP_MUL:
      return size_of_product(&of[0], &of[1]);
    case ZW_OP_FUSED:
      return fmax(size_of_product(&of[0], &of[1]), of[2].size);
    case ZW_OP_MOD: /* a - floor(a/b) b */
      return fmax(of[0].size, fabs(floor(of[0].value / of[1].value)) * of[1].size);
    case ZW_OP_ATAN2:
      return size_of_direction(&of[0], &of[1], value);
    case ZW_OP_SELECT:
      return of[0].value != 0 ? of[1].size : of[2].size;
    case ZW_OP_TURN: /* it is there to keep all digits of a large angle */
    case ZW_OP_SIGN:
    case ZW_OP_FLOOR:
    case ZW_OP_LESS:
    case ZW_OP_LESS_EQUAL:
    case ZW_OP_EQUAL:
    case ZW_OP_NOT_EQUAL:
    case ZW_OP_AND:
    case ZW_OP_OR:
    case ZW_OP_NOT:
      return fabs(value);
    default:
      return size_of_function(op, tables, of, value, part);
  }
}

/* A tape on values and sizes; `constants` are the sizes of what the set-up tape has made. */
static void run_tape(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state, int32_t instance,
                     const ZwTermSizes* terms) {
  double *values = state->registers, *sizes = terms->sizes;
  zw_kernel_load_all(kernel, tape, state, instance);
  for (int32_t i = 0; i < tape->registers; i++) sizes[i] = fabs(values[i]);
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    if (input->kind == ZW_INPUT_CONSTANT) sizes[input->dst] = terms->constants[input->index];
  }
  for (int32_t i = 0; i < tape->code.count; i++) {
    const ZwInstr* instr = &tape->code.items[i];
    const int32_t from[3] = {instr->a, instr->b, instr->c};
    Sized of[3];
    double x[3];
    for (int k = 0; k < 3; k++) {
      x[k] = values[from[k]];
      of[k] = (Sized){x[k], sizes[from[k]]};
    }
    double value = zw_kernel_apply(instr->op, x, state->tables);
    sizes[instr->dst] = size_of(instr->op, state->tables, of, value, terms->part);
    values[instr->dst] = value;
  }
}

/* One element: what its parameters make first, since terms may cancel there too. */
static void run_element(const ZwKernel* kernel, const ZwKernelState* state, int32_t instance,
                        const ZwTermSizes* terms) {
  if (kernel->constants > 0) run_tape(kernel, &kernel->setup, state, instance, terms);
  for (int32_t i = 0; i < kernel->constants; i++) terms->constants[i] = terms->sizes[kernel->setup.outputs.items[i]];
  run_tape(kernel, &kernel->tapes[ZW_ENTRY_OUTPUT], state, instance, terms);
}

static bool has_place_from(const int32_t* places, int32_t count, int32_t first) {
  for (int32_t i = 0; i < count; i++) {
    if (places[i] >= first) return true;
  }
  return false;
}

void zw_program_term_sizes(const ZwProgram* program, const ZwKernelState* state, const ZwTermSizes* terms) {
  int32_t count = zw_equations_values(program->equations) - terms->first;
  memset(terms->to, 0, (size_t)count * sizeof(double));
  for (int32_t k = 0; k < program->kernels.count; k++) {
    const ZwKernel* kernel = &program->kernels.items[k];
    const ZwTape* tape = &kernel->tapes[ZW_ENTRY_OUTPUT];
    int32_t outputs = tape->outputs.count;
    for (int32_t instance = 0; outputs > 0 && instance < kernel->shape->count; instance++) {
      const int32_t* places = kernel->scatter[ZW_ENTRY_OUTPUT] + (ptrdiff_t)instance * outputs;
      if (!has_place_from(places, outputs, terms->first)) continue;
      run_element(kernel, state, instance, terms);
      for (int32_t i = 0; i < outputs; i++) {
        if (places[i] < terms->first) continue;
        double* to = &terms->to[places[i] - terms->first];
        *to = fmax(*to, terms->sizes[tape->outputs.items[i]]);
      }
    }
  }
}

int32_t zw_program_constants_most(const ZwProgram* program) {
  int32_t most = 0;
  for (int32_t k = 0; k < program->kernels.count; k++) {
    int32_t count = program->kernels.items[k].constants;
    if (count > most) most = count;
  }
  return most;
}
