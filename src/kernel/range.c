/* Between which bounds an entry lies where the state is between bounds: interval arithmetic on the tapes. Where an operation bends so much
 * within the bounds of its arguments that a few samples do not tell what it does between them, its result is rough: a root near
 * zero, an angle over more than a part of a turn, a bell that is narrower than the way. Sums and products are told by
 * samples, unless what they are made of is not. */
#include <math.h>

#include "kernel/range.h"

/* Largest values of what is inside over the least, and widths of what is inside, that samples can follow. */
#define RATIO 8.0
#define ANGLE 1.5
#define EXPONENT 2.0
/* Intervals of a table. */
#define CELLS 2

static const double PI = 3.141592653589793;

static ZwRange between(double low, double high) {
  if (isnan(low) || isnan(high)) return (ZwRange){-INFINITY, INFINITY, false};
  return (ZwRange){low, high, false};
}

static ZwRange anything(bool is_rough) {
  return (ZwRange){-INFINITY, INFINITY, is_rough};
}

static double width_of(ZwRange a) {
  return a.high - a.low;
}

static bool has_zero(ZwRange a) {
  return a.low <= 0 && a.high >= 0;
}

double zw_range_least(ZwRange a) {
  return has_zero(a) ? 0 : fmin(fabs(a.low), fabs(a.high));
}

double zw_range_largest(ZwRange a) {
  return fmax(fabs(a.low), fabs(a.high));
}

static ZwRange roughly(ZwRange a, bool is_rough) {
  a.is_rough = a.is_rough || is_rough;
  return a;
}

/* ---- operations ---- */

static ZwRange multiply(ZwRange a, ZwRange b, bool is_square) {
  if (is_square) return between(zw_range_least(a) * zw_range_least(a), zw_range_largest(a) * zw_range_largest(a));
  double p[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  for (int k = 0; k < 4; k++) p[k] = isnan(p[k]) ? 0 : p[k]; /* zero times infinity */
  return between(fmin(fmin(p[0], p[1]), fmin(p[2], p[3])), fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
}

static ZwRange add(ZwRange a, ZwRange b) {
  return between(a.low + b.low, a.high + b.high);
}

static ZwRange divide(ZwRange a, ZwRange b) {
  if (has_zero(b)) return anything(true);
  ZwRange inverse = between(1 / b.high, 1 / b.low);
  return roughly(multiply(a, inverse, false), zw_range_largest(b) > RATIO * zw_range_least(b));
}

/* A function that rises all the way. */
static ZwRange rise(double (*f)(double), ZwRange a, bool is_rough) {
  return roughly(between(f(a.low), f(a.high)), is_rough);
}

static ZwRange square_root(ZwRange a) {
  double low = fmax(a.low, 0);
  return roughly(between(sqrt(low), sqrt(fmax(a.high, 0))), !(a.low > 0 && a.high <= RATIO * a.low));
}

static ZwRange logarithm(ZwRange a) {
  if (!(a.low > 0)) return anything(true);
  return rise(log, a, a.high > RATIO * a.low);
}

static ZwRange power(ZwRange a, ZwRange b) {
  double n = b.low;
  bool is_whole = b.low == b.high && n == floor(n);
  if (is_whole && n >= 0) {
    double low = pow(a.low, n), high = pow(a.high, n);
    bool is_even = fmod(n, 2) == 0;
    if (is_even && has_zero(a)) return between(n == 0 ? 1 : 0, fmax(low, high));
    return between(fmin(low, high), fmax(low, high));
  }
  if (has_zero(a) || (a.low < 0 && !is_whole)) return anything(true);
  double p[4] = {pow(a.low, b.low), pow(a.low, b.high), pow(a.high, b.low), pow(a.high, b.high)};
  ZwRange value = between(fmin(fmin(p[0], p[1]), fmin(p[2], p[3])), fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
  return roughly(value, zw_range_largest(a) > RATIO * zw_range_least(a) || width_of(b) > EXPONENT);
}

ZwRange zw_range_squares(ZwRange a, ZwRange b) {
  return add(multiply(a, a, true), multiply(b, b, true));
}

ZwRange zw_range_exponent(ZwRange a, ZwRange b) {
  return multiply(b, between(log(zw_range_least(a)), log(zw_range_largest(a))), false);
}

static ZwRange cosine(ZwRange a) {
  bool is_rough = !(width_of(a) <= ANGLE);
  if (!(width_of(a) < 2 * PI)) return (ZwRange){-1, 1, is_rough};
  double low = fmin(cos(a.low), cos(a.high)), high = fmax(cos(a.low), cos(a.high));
  if (floor(a.high / (2 * PI)) > floor(a.low / (2 * PI)) || a.low == 0) high = 1;
  if (floor((a.high - PI) / (2 * PI)) > floor((a.low - PI) / (2 * PI))) low = -1;
  return (ZwRange){low, high, is_rough};
}

static ZwRange sine(ZwRange a) {
  return cosine((ZwRange){a.low - PI / 2, a.high - PI / 2, false});
}

static ZwRange tangent(ZwRange a) {
  bool has_pole = floor(a.high / PI + 0.5) > floor(a.low / PI + 0.5);
  if (has_pole || !(width_of(a) < PI)) return anything(true);
  return rise(tan, a, width_of(a) > 0.5 || fmax(fabs(tan(a.low)), fabs(tan(a.high))) > RATIO);
}

/* Those that bend about zero, on a length of 1. */
static bool is_bent(ZwRange a) {
  return width_of(a) > 1 && width_of(a) > zw_range_least(a);
}

/* Arcs: they end at -1 and 1, steeply. */
static ZwRange arc(double (*f)(double), ZwRange a) {
  double low = f(fmax(fmin(a.low, 1), -1)), high = f(fmax(fmin(a.high, 1), -1));
  double near = 1 - zw_range_largest(a), far = 1 - zw_range_least(a);
  return roughly(between(fmin(low, high), fmax(low, high)), !(near > 0) || far > RATIO * near);
}

static ZwRange hyperbolic_cosine(ZwRange a) {
  return roughly(between(cosh(zw_range_least(a)), cosh(zw_range_largest(a))), width_of(a) > EXPONENT);
}

static ZwRange hypotenuse(ZwRange a, ZwRange b) {
  double low = hypot(zw_range_least(a), zw_range_least(b)), high = hypot(zw_range_largest(a), zw_range_largest(b));
  return roughly(between(low, high), !(high * high <= RATIO * low * low));
}

static ZwRange angle(ZwRange y, ZwRange x) {
  bool is_cut = has_zero(y) && x.low <= 0;
  if (is_cut) return (ZwRange){-PI, PI, true};
  double p[4] = {atan2(y.low, x.low), atan2(y.low, x.high), atan2(y.high, x.low), atan2(y.high, x.high)};
  ZwRange value = between(fmin(fmin(p[0], p[1]), fmin(p[2], p[3])), fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
  return roughly(value, width_of(value) > ANGLE);
}

/* 1, 0, or either. */
static ZwRange truth(bool is_true, bool is_false) {
  return (ZwRange){is_true ? 1 : 0, is_false ? 0 : 1, false};
}

static bool is_one(ZwRange a) {
  return !has_zero(a);
}

static bool is_nought(ZwRange a) {
  return a.low == 0 && a.high == 0;
}

/* ---- what switches ---- */

/* At a switch within the bounds a value turns or jumps, and what it does beside it may be over between two samples. Of what may be anything
 * (a reaction) nothing is known, and the samples have to do. */
static bool is_known(ZwRange a) {
  return isfinite(a.low) && isfinite(a.high);
}

static bool may_switch(ZwRange a, ZwRange b) {
  return is_known(a) && is_known(b);
}

static ZwRange choose(ZwRange condition, ZwRange yes, ZwRange no) {
  if (is_one(condition)) return yes;
  if (is_nought(condition)) return no;
  bool is_rough = yes.is_rough || no.is_rough || may_switch(yes, no);
  return (ZwRange){fmin(yes.low, no.low), fmax(yes.high, no.high), is_rough};
}

static ZwRange smaller(ZwRange a, ZwRange b) {
  if (a.high <= b.low) return a;
  if (b.high <= a.low) return b;
  return (ZwRange){fmin(a.low, b.low), fmin(a.high, b.high), a.is_rough || b.is_rough || may_switch(a, b)};
}

static ZwRange negative(ZwRange a) {
  return (ZwRange){-a.high, -a.low, a.is_rough};
}

static ZwRange larger(ZwRange a, ZwRange b) {
  return negative(smaller(negative(a), negative(b)));
}

static ZwRange absolute(ZwRange a) {
  bool is_bent = a.low < 0 && a.high > 0 && is_known(a);
  return roughly(between(zw_range_least(a), zw_range_largest(a)), is_bent);
}

static ZwRange stairs(double low, double high, ZwRange a) {
  return roughly(between(low, high), low < high && is_known(a));
}

/* a - b floor(a/b) */
static ZwRange remainder_of(ZwRange a, ZwRange b) {
  if (b.low != b.high || b.low == 0 || !is_known(a)) return anything(false);
  double whole = floor(a.low / b.low);
  if (whole != floor(a.high / b.low)) return (ZwRange){fmin(b.low, 0), fmax(b.low, 0), true};
  return (ZwRange){a.low - b.low * whole, a.high - b.low * whole, a.is_rough};
}

static ZwRange apply(const ZwInstr* instr, ZwRange a, ZwRange b, ZwRange c) {
  switch (instr->op) {
    case ZW_OP_NEG:
      return between(-a.high, -a.low);
    case ZW_OP_ADD:
      return add(a, b);
    case ZW_OP_SUB:
      return between(a.low - b.high, a.high - b.low);
    case ZW_OP_MUL:
      return multiply(a, b, instr->a == instr->b);
    case ZW_OP_DIV:
      return divide(a, b);
    case ZW_OP_POW:
      return power(a, b);
    case ZW_OP_SIN:
      return sine(a);
    case ZW_OP_COS:
      return cosine(a);
    case ZW_OP_TAN:
      return tangent(a);
    case ZW_OP_ASIN:
      return arc(asin, a);
    case ZW_OP_ACOS:
      return arc(acos, a);
    case ZW_OP_ATAN:
      return rise(atan, a, is_bent(a));
    case ZW_OP_TANH:
      return rise(tanh, a, is_bent(a));
    case ZW_OP_SINH:
      return rise(sinh, a, width_of(a) > EXPONENT);
    case ZW_OP_COSH:
      return hyperbolic_cosine(a);
    case ZW_OP_EXP:
      return rise(exp, a, width_of(a) > EXPONENT);
    case ZW_OP_LOG:
      return logarithm(a);
    case ZW_OP_SQRT:
      return square_root(a);
    case ZW_OP_ABS:
      return absolute(a);
    case ZW_OP_SIGN:
      return stairs((a.low > 0) - (a.low < 0), (a.high > 0) - (a.high < 0), a);
    case ZW_OP_FLOOR:
      return stairs(floor(a.low), floor(a.high), a);
    case ZW_OP_MOD:
      return remainder_of(a, b);
    case ZW_OP_ATAN2:
      return angle(a, b);
    case ZW_OP_HYPOT:
      return hypotenuse(a, b);
    case ZW_OP_MIN:
      return smaller(a, b);
    case ZW_OP_MAX:
      return larger(a, b);
    case ZW_OP_LESS:
      return truth(a.high < b.low, a.low >= b.high);
    case ZW_OP_LESS_EQUAL:
      return truth(a.high <= b.low, a.low > b.high);
    case ZW_OP_EQUAL:
      return truth(a.low == a.high && b.low == b.high && a.low == b.low, a.high < b.low || b.high < a.low);
    case ZW_OP_NOT_EQUAL:
      return truth(a.high < b.low || b.high < a.low, a.low == a.high && b.low == b.high && a.low == b.low);
    case ZW_OP_AND:
      return truth(is_one(a) && is_one(b), is_nought(a) || is_nought(b));
    case ZW_OP_OR:
      return truth(is_one(a) || is_one(b), is_nought(a) && is_nought(b));
    case ZW_OP_NOT:
      return truth(is_nought(a), is_one(a));
    case ZW_OP_SELECT:
      return choose(a, b, c);
    case ZW_OP_FUSED:
      return add(multiply(a, b, instr->a == instr->b), c);
    case ZW_OP_TURN: /* whole turns make no difference to those who read it */
      return a;
    default:
      return anything(false);
  }
}

/* A table: its third derivative jumps at its points, so that samples cannot follow over many of them. */
static ZwRange look_up(const ZwInstr* instr, const ZwTables* tables, ZwRange a, ZwRange b, ZwRange c) {
  bool is_from = instr->op == ZW_OP_TABLE_FROM;
  int32_t number = is_from ? (int32_t)(c.low / ZW_TABLE_ORDERS) : (int32_t)b.low;
  double order = is_from ? c.low - (double)number * ZW_TABLE_ORDERS : c.low;
  ZwRange x = is_from ? add(a, b) : a;
  ZwTableBounds bounds;
  double cells = order == 0 ? zw_table_range(&tables->list.items[number], x.low, x.high, &bounds) : 0;
  return cells > 0 ? (ZwRange){bounds.least, bounds.most, cells > CELLS} : anything(false);
}

/* ---- tapes ---- */

void zw_range_load(const ZwKernel* kernel, const ZwInput* input, const ZwKernelState* state, const ZwRangeState* ranges,
                   int32_t instance, ZwRange* to) {
  ZwKernelState at = *state;
  at.t = ranges->t_low;
  at.q = ranges->q_low;
  at.v = ranges->v_low;
  at.a = ranges->a_low;
  at.reactions = ranges->reactions_low;
  *to = anything(false);
  if (input->kind == ZW_INPUT_ACCELERATION && !ranges->a_low) return;
  if (input->kind == ZW_INPUT_REACTION && !ranges->reactions_low) return;
  zw_kernel_load(kernel, input, &at, instance, 1, 1, &to->low);
  at.t = ranges->t_high;
  at.q = ranges->q_high;
  at.v = ranges->v_high;
  at.a = ranges->a_high;
  at.reactions = ranges->reactions_high;
  zw_kernel_load(kernel, input, &at, instance, 1, 1, &to->high);
}

void zw_range_place(const ZwKernel* kernel, const ZwTape* tape, const ZwKernelState* state, const ZwRangeState* ranges,
                    int32_t instance, ZwRange* registers) {
  for (int32_t i = 0; i < tape->literals.count; i++) {
    double value = tape->literals.items[i].value;
    registers[tape->literals.items[i].dst] = between(value, value);
  }
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    zw_range_load(kernel, input, state, ranges, instance, &registers[input->dst]);
  }
}

void zw_range_step(const ZwInstr* instr, const ZwTables* tables, ZwRange* registers) {
  int arity = zw_op_arity(instr->op);
  ZwRange none = {0}, a = registers[instr->a];
  ZwRange b = arity > 1 ? registers[instr->b] : none, c = arity > 2 ? registers[instr->c] : none;
  bool chooses = instr->op == ZW_OP_SELECT || instr->op == ZW_OP_MIN || instr->op == ZW_OP_MAX;
  bool is_rough = !chooses && (a.is_rough || b.is_rough || c.is_rough);
  bool is_of_table = instr->op == ZW_OP_TABLE || instr->op == ZW_OP_TABLE_FROM;
  ZwRange value = is_of_table ? look_up(instr, tables, a, b, c) : apply(instr, a, b, c);
  registers[instr->dst] = roughly(value, is_rough);
}

void zw_range_gather(const ZwKernel* kernel, int32_t instance, const ZwRange* registers, ZwRange* events) {
  const ZwTape* tape = &kernel->tapes[ZW_ENTRY_EVENT];
  const int32_t* to = kernel->scatter[ZW_ENTRY_EVENT] + (ptrdiff_t)instance * tape->outputs.count;
  for (int32_t i = 0; i < tape->outputs.count; i++) {
    ZwRange *sum = &events[to[i]], part = registers[tape->outputs.items[i]];
    *sum = roughly(between(sum->low + part.low, sum->high + part.high), sum->is_rough || part.is_rough);
  }
}

void zw_program_range(const ZwProgram* program, const ZwKernelState* state, const ZwRangeState* ranges) {
  for (int32_t i = 0; i < ranges->count; i++) ranges->events[i] = (ZwRange){0};
  for (int32_t k = 0; k < program->kernels.count; k++) {
    const ZwKernel* kernel = &program->kernels.items[k];
    const ZwTape* tape = &kernel->tapes[ZW_ENTRY_EVENT];
    for (int32_t instance = 0; instance < kernel->shape->count && tape->outputs.count > 0; instance++) {
      zw_range_place(kernel, tape, state, ranges, instance, ranges->registers);
      for (int32_t i = 0; i < tape->code.count; i++)
        zw_range_step(&tape->code.items[i], state->tables, ranges->registers);
      zw_range_gather(kernel, instance, ranges->registers, ranges->events);
    }
  }
}
