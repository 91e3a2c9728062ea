/* What a step could have passed over. Its stages sample the forces at a few places; a bell that is narrower than the way between them
 * stays unseen, however exact the step is otherwise. But its argument is slow where the bell is quick: the range of the argument over the
 * step tells that it has been nearer to the bell than the ends of the step show. */
#include <math.h>

#include "kernel/range.h"

/* The exponent of a bell may be larger between the ends by this much, and change by it where it is known. */
#define EXPONENT 2.0
/* Arguments of fronts: nearer than this to zero it bends, and this far from it there is nothing left to see. */
#define NEAR 4.0
#define FAR 8.0
/* A divisor, or what a root is taken of, may be so many times less between the ends. */
#define RATIO 8.0
/* Below this exponent there is nothing, whatever it is multiplied by. */
#define NOTHING (-700.0)

/* ---- which ---- */

static bool is_fixed(const ZwTape* tape, int32_t from) {
  bool is_found = false;
  for (int32_t i = 0; i < tape->literals.count; i++) is_found = is_found || tape->literals.items[i].dst == from;
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    if (input->dst == from) is_found = input->kind == ZW_INPUT_CONSTANT;
  }
  return is_found;
}

/* The instruction before number `i` that makes what is in a register; -1: none. */
static int32_t maker_of(const ZwTape* tape, int32_t i, int32_t from) {
  do i--;
  while (i >= 0 && tape->code.items[i].dst != from);
  return i;
}

/* c + x: of distances, which are sums of squares and their roots, it is known long before that they become small. */
static bool is_of_hill(const ZwTape* tape, int32_t i, int32_t from) {
  int32_t maker = maker_of(tape, i, from);
  if (maker < 0) return false;
  const ZwInstr* instr = &tape->code.items[maker];
  if (instr->op == ZW_OP_MUL && instr->a == instr->b) return is_of_hill(tape, maker, instr->a);
  if (instr->op == ZW_OP_FUSED) return is_fixed(tape, instr->c) && maker_of(tape, maker, instr->c) < 0;
  if (instr->op != ZW_OP_ADD) return false;
  for (int k = 0; k < 2; k++) {
    int32_t part = k == 0 ? instr->a : instr->b;
    if (is_fixed(tape, part) && maker_of(tape, maker, part) < 0) return true;
  }
  return false;
}

static bool can_bend(const ZwTape* tape, int32_t i) {
  const ZwInstr* instr = &tape->code.items[i];
  switch (instr->op) {
    case ZW_OP_EXP:
    case ZW_OP_TANH:
    case ZW_OP_ATAN:
    case ZW_OP_SINH:
    case ZW_OP_COSH:
    case ZW_OP_POW: /* small whole ones are products here */
      return true;
    case ZW_OP_DIV:
      return is_of_hill(tape, i, instr->b);
    case ZW_OP_SQRT:
      return is_of_hill(tape, i, instr->a);
    case ZW_OP_HYPOT:
      return is_fixed(tape, instr->a) || is_fixed(tape, instr->b);
    default:
      return false;
  }
}

static bool is_friction(const ZwSystem* system, int32_t value) {
  for (int32_t i = 0; i < system->contacts.count; i++) {
    const ZwContact* contact = &system->contacts.items[i];
    if (contact->slip_dim > 0 && contact->friction == value) return true;
  }
  return false;
}

/* Does an instance yield a coefficient of friction? That is a value of events, and part of the forces. */
static bool yields_friction(const ZwEquations* equations, const ZwKernel* kernel) {
  int32_t outputs = kernel->tapes[ZW_ENTRY_EVENT].outputs.count * kernel->shape->count;
  for (int32_t i = 0; i < outputs; i++) {
    if (is_friction(equations->system, kernel->scatter[ZW_ENTRY_EVENT][i])) return true;
  }
  return false;
}

static const ZwTape* bent_tape(const ZwKernel* kernel) {
  return &kernel->tapes[kernel->bent];
}

bool zw_kernel_find_bends(ZwArena* arena, const ZwEquations* equations, ZwKernel* kernel) {
  kernel->bent = yields_friction(equations, kernel) ? ZW_ENTRY_EVENT : ZW_ENTRY_ACCELERATION;
  const ZwTape* tape = bent_tape(kernel);
  for (int32_t i = 0; i < tape->code.count; i++) {
    if (can_bend(tape, i) && !ZW_PUSH(arena, &kernel->bends, i)) return false;
  }
  return true;
}

int64_t zw_program_bend_count(const ZwProgram* program) {
  int64_t count = 0;
  for (int32_t k = 0; k < program->kernels.count; k++) {
    const ZwKernel* kernel = &program->kernels.items[k];
    count += (int64_t)kernel->bends.count * kernel->shape->count;
  }
  return count;
}

/* ---- where ---- */

static const ZwInstr* instr_of(const ZwProgram* program, const ZwBend* bend) {
  return &bent_tape(&program->kernels.items[bend->kernel])->code.items[bend->instr];
}

static bool is_exponential(const ZwInstr* instr) {
  return instr->op == ZW_OP_EXP || instr->op == ZW_OP_POW;
}

/* A corner that is rounded off, or a pole that is not quite reached: as wide as its argument is small there. */
static bool is_corner(const ZwInstr* instr) {
  return instr->op == ZW_OP_DIV || instr->op == ZW_OP_SQRT || instr->op == ZW_OP_HYPOT;
}

static ZwRange argument_of(const ZwInstr* instr, const ZwRange* registers) {
  if (instr->op == ZW_OP_HYPOT) return zw_range_squares(registers[instr->a], registers[instr->b]);
  if (instr->op == ZW_OP_POW) return zw_range_exponent(registers[instr->a], registers[instr->b]);
  return registers[instr->op == ZW_OP_DIV ? instr->b : instr->a];
}

double zw_bend_distance(const ZwBend* bend, ZwRange argument) {
  return bend->is_peak ? -argument.high : zw_range_least(argument);
}

bool zw_bend_is_resolved(const ZwProgram* program, const ZwBend* bend, ZwRange argument) {
  if (is_corner(instr_of(program, bend))) return zw_range_largest(argument) <= 2 * zw_range_least(argument);
  return argument.high - argument.low <= EXPONENT;
}

bool zw_bend_is_hidden(const ZwProgram* program, const ZwBend* bend, ZwRange argument) {
  if (bend->is_peak) return argument.high > bend->at_ends + EXPONENT && argument.high > NOTHING;
  if (is_corner(instr_of(program, bend))) return RATIO * zw_range_least(argument) < bend->at_ends;
  return bend->at_ends > FAR && zw_range_least(argument) < NEAR;
}

/* Adds what the instruction may hide, of its argument at the ends and between them. */
static int32_t add_hidden(const ZwProgram* program, ZwBend bend, const ZwRange argument[3], ZwBend* found,
                          int32_t room) {
  int32_t count = 0;
  bool has_peak = is_exponential(instr_of(program, &bend));
  for (int peak = 0; peak <= has_peak && count < room; peak++) {
    bend.is_peak = peak;
    bend.at_ends = peak ? fmax(argument[0].high, argument[1].high)
                        : fmin(zw_range_least(argument[0]), zw_range_least(argument[1]));
    if (zw_bend_is_hidden(program, &bend, argument[2])) found[count++] = bend;
  }
  return count;
}

static int32_t bends_of(const ZwProgram* program, ZwBend bend, const ZwKernelState* state, const ZwRangeState ranges[3],
                        ZwBend* found, int32_t room) {
  const ZwKernel* kernel = &program->kernels.items[bend.kernel];
  const ZwTape* tape = bent_tape(kernel);
  int32_t count = 0, next = 0;
  for (int j = 0; j < 3; j++) zw_range_place(kernel, tape, state, &ranges[j], bend.instance, ranges[j].registers);
  for (int32_t i = 0; next < kernel->bends.count && count < room; i++) {
    const ZwInstr* instr = &tape->code.items[i];
    if (i == kernel->bends.items[next]) {
      ZwRange argument[3];
      for (int j = 0; j < 3; j++) argument[j] = argument_of(instr, ranges[j].registers);
      bend.instr = i;
      count += add_hidden(program, bend, argument, found + count, room - count);
      next++;
    }
    for (int j = 0; j < 3; j++) zw_range_step(instr, state->tables, ranges[j].registers);
  }
  return count;
}

int32_t zw_program_bends(const ZwProgram* program, const ZwKernelState* state, const ZwRangeState ranges[3],
                         ZwBend* found, int32_t room) {
  int32_t count = 0;
  for (int32_t k = 0; k < program->kernels.count; k++) {
    const ZwKernel* kernel = &program->kernels.items[k];
    if (kernel->bends.count == 0) continue;
    for (int32_t i = 0; i < kernel->shape->count; i++) {
      ZwBend bend = {.kernel = k, .instance = i};
      count += bends_of(program, bend, state, ranges, found + count, room - count);
    }
  }
  return count;
}

ZwRange zw_program_bend_argument(const ZwProgram* program, const ZwKernelState* state, const ZwRangeState* ranges,
                                 const ZwBend* bend) {
  const ZwKernel* kernel = &program->kernels.items[bend->kernel];
  const ZwTape* tape = bent_tape(kernel);
  zw_range_place(kernel, tape, state, ranges, bend->instance, ranges->registers);
  for (int32_t i = 0; i < bend->instr; i++) zw_range_step(&tape->code.items[i], state->tables, ranges->registers);
  return argument_of(&tape->code.items[bend->instr], ranges->registers);
}
