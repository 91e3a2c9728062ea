/* Instructions of a tape as machine instructions. What has no instruction is called: the same functions that the interpreter
 * calls, lane by lane, or four lanes at once where the table of expr/elementary.h has them. */
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "expr/elementary.h"
#include "kernel/section.h"

static ZwX86* code_of(ZwSection* section) {
  return &section->writer->x86;
}

static void drop_args(ZwSection* section, const ZwStep* step) {
  zw_section_drop(section, step->args[0]);
  zw_section_drop(section, step->args[1]);
  zw_section_drop(section, step->args[2]);
}

/* ---- one machine instruction ---- */

/* result = op(a, b) */
static void write_plain(ZwSection* section, const ZwStep* step, ZwX86Op op, int32_t a, int32_t b) {
  int first = zw_section_register(section, a);
  ZwX86Operand second = zw_section_operand(section, b, false);
  drop_args(section, step);
  zw_x86_apply(code_of(section), op, section->is_wide, zw_section_result(section, step->result), first, second, 0);
}

/* The order of the operands is free: one that is in a register comes first. */
static void write_commutative(ZwSection* section, const ZwStep* step, ZwX86Op op) {
  bool is_swapped = section->values[step->args[0]].in < 0 && section->values[step->args[1]].in >= 0;
  write_plain(section, step, op, is_swapped ? step->args[1] : step->args[0],
              is_swapped ? step->args[0] : step->args[1]);
}

/* result = op(a, constant), on bits */
static void write_with_pool(ZwSection* section, const ZwStep* step, ZwX86Op op, int32_t constant) {
  int first = zw_section_register(section, step->args[0]);
  drop_args(section, step);
  int to = zw_section_result(section, step->result);
  zw_x86_apply(code_of(section), op, section->is_wide, to, first, zw_x86_pool(constant), 0);
}

static void write_unary(ZwSection* section, const ZwStep* step, ZwX86Op op, int immediate) {
  int from = zw_section_register(section, step->args[0]);
  drop_args(section, step);
  int to = zw_section_result(section, step->result);
  zw_x86_apply(code_of(section), op, section->is_wide, to, 0, zw_x86_register(from), immediate);
}

/* ---- a few of them ---- */

static void apply(ZwSection* section, ZwX86Op op, int to, int a, ZwX86Operand b, int immediate) {
  zw_x86_apply(code_of(section), op, section->is_wide, to, a, b, immediate);
}

enum { ROUND_DOWN = 9 };

/* a - floor(a/b) b */
static void write_modulo(ZwSection* section, const ZwStep* step) {
  int a = zw_section_register(section, step->args[0]), b = zw_section_register(section, step->args[1]),
      t = zw_section_take(section);
  apply(section, ZW_X86_DIV, t, a, zw_x86_register(b), 0);
  apply(section, ZW_X86_FLOOR, t, 0, zw_x86_register(t), ROUND_DOWN);
  apply(section, ZW_X86_MUL, t, t, zw_x86_register(b), 0);
  apply(section, ZW_X86_SUB, t, a, zw_x86_register(t), 0);
  drop_args(section, step);
  zw_section_keep(section, step->result, t);
}

/* 1 where a mask is set, else 0 */
static void keep_truth(ZwSection* section, const ZwStep* step, int mask) {
  apply(section, ZW_X86_AND, mask, mask, zw_x86_pool(ZW_POOL_ONE), 0);
  drop_args(section, step);
  zw_section_keep(section, step->result, mask);
}

static void write_comparison(ZwSection* section, const ZwStep* step, int how) {
  int a = zw_section_register(section, step->args[0]);
  ZwX86Operand b = zw_section_operand(section, step->args[1], false);
  int mask = zw_section_take(section);
  apply(section, ZW_X86_COMPARE, mask, a, b, how);
  keep_truth(section, step, mask);
}

/* A mask of where a value is, or is not, 0. */
static int compare_with_zero(ZwSection* section, int32_t value, int how) {
  int a = zw_section_register(section, value), mask = zw_section_take(section);
  apply(section, ZW_X86_COMPARE, mask, a, zw_x86_pool(ZW_POOL_ZERO), how);
  return mask;
}

static void write_logic(ZwSection* section, const ZwStep* step, ZwX86Op op) {
  int a = compare_with_zero(section, step->args[0], ZW_COMPARE_NOT_EQUAL);
  int b = compare_with_zero(section, step->args[1], ZW_COMPARE_NOT_EQUAL);
  apply(section, op, a, a, zw_x86_register(b), 0);
  keep_truth(section, step, a);
}

/* (a > 0) - (a < 0) */
static void write_sign(ZwSection* section, const ZwStep* step) {
  int a = zw_section_register(section, step->args[0]), zero = zw_section_take(section),
      below = zw_section_take(section);
  zw_x86_load(code_of(section), section->is_wide, zero, zw_x86_pool(ZW_POOL_ZERO));
  apply(section, ZW_X86_COMPARE, below, a, zw_x86_register(zero), ZW_COMPARE_LESS);
  apply(section, ZW_X86_COMPARE, zero, zero, zw_x86_register(a), ZW_COMPARE_LESS);
  apply(section, ZW_X86_AND, below, below, zw_x86_pool(ZW_POOL_ONE), 0);
  apply(section, ZW_X86_AND, zero, zero, zw_x86_pool(ZW_POOL_ONE), 0);
  apply(section, ZW_X86_SUB, zero, zero, zw_x86_register(below), 0);
  drop_args(section, step);
  zw_section_keep(section, step->result, zero);
}

/* a != 0 ? b : c */
static void write_select(ZwSection* section, const ZwStep* step) {
  int mask = compare_with_zero(section, step->args[0], ZW_COMPARE_NOT_EQUAL);
  int no = zw_section_register(section, step->args[2]);
  ZwX86Operand yes = zw_section_operand(section, step->args[1], true);
  apply(section, ZW_X86_BLEND, mask, no, yes, mask << 4);
  drop_args(section, step);
  zw_section_keep(section, step->result, mask);
}

/* ---- calls ---- */

/* Every function that is called takes its arguments from xmm0 on; tables come in rdi. */
typedef double (*Function)(double a, double b, double c, const ZwTables* tables);

#define CALLED(name, value)                                                  \
  static double name(double a, double b, double c, const ZwTables* tables) { \
    (void)b, (void)c, (void)tables;                                          \
    return value;                                                            \
  }
CALLED(call_pow, zw_op_apply(ZW_OP_POW, a, b, c))
CALLED(call_tan, zw_op_apply(ZW_OP_TAN, a, b, c))
CALLED(call_asin, zw_op_apply(ZW_OP_ASIN, a, b, c))
CALLED(call_acos, zw_op_apply(ZW_OP_ACOS, a, b, c))
CALLED(call_atan, zw_op_apply(ZW_OP_ATAN, a, b, c))
CALLED(call_sinh, zw_op_apply(ZW_OP_SINH, a, b, c))
CALLED(call_cosh, zw_op_apply(ZW_OP_COSH, a, b, c))
CALLED(call_tanh, zw_op_apply(ZW_OP_TANH, a, b, c))
CALLED(call_log, zw_op_apply(ZW_OP_LOG, a, b, c))
CALLED(call_atan2, zw_op_apply(ZW_OP_ATAN2, a, b, c))
CALLED(call_hypot, zw_op_apply(ZW_OP_HYPOT, a, b, c))
CALLED(call_sin, zw_sin(a))
CALLED(call_cos, zw_cos(a))
CALLED(call_exp, zw_exp(a))
CALLED(call_table, zw_table_eval(&tables->list.items[(int32_t)b], a, (int)c))

static Function function_of(ZwOp op) {
  switch (op) {
    case ZW_OP_POW:
      return call_pow;
    case ZW_OP_TAN:
      return call_tan;
    case ZW_OP_ASIN:
      return call_asin;
    case ZW_OP_ACOS:
      return call_acos;
    case ZW_OP_ATAN:
      return call_atan;
    case ZW_OP_SINH:
      return call_sinh;
    case ZW_OP_COSH:
      return call_cosh;
    case ZW_OP_TANH:
      return call_tanh;
    case ZW_OP_LOG:
      return call_log;
    case ZW_OP_ATAN2:
      return call_atan2;
    case ZW_OP_HYPOT:
      return call_hypot;
    case ZW_OP_SIN:
      return call_sin;
    case ZW_OP_COS:
      return call_cos;
    case ZW_OP_EXP:
      return call_exp;
    case ZW_OP_TABLE:
      return call_table;
    default:
      ZW_ASSERT(!"an operator without instructions or function");
      return call_tan;
  }
}

/* Four lanes of a function that knows one. */
static void call_four(double* to, const double* a, const double* b, const double* c, const ZwTables* tables,
                      Function function) {
  for (int l = 0; l < ZW_X86_POOL_WIDTH; l++) to[l] = function(a[l], b[l], c[l], tables);
}

/* C has no conversion from functions to numbers, but POSIX says that they have the same size. */
#define ADDRESS(function) address_of(&(function), sizeof(function))
static uint64_t address_of(const void* function, size_t size) {
  uint64_t address = 0;
  ZW_ASSERT(size == sizeof address);
  memcpy(&address, function, size);
  return address;
}

static void write_call(ZwSection* section, uint64_t address) {
  ZwX86* x86 = code_of(section);
  if (section->is_wide) zw_x86_clear_upper(x86);
  zw_x86_set(x86, ZW_RAX, address);
  zw_x86_call(x86, ZW_RAX);
  zw_writer_forget(section->writer);
}

static void read_tables(ZwSection* section, int to) {
  zw_x86_read(code_of(section), to, zw_x86_memory(ZW_SECTION_STATE, (int32_t)offsetof(ZwKernelState, tables)));
}

/* The arguments in slots of their own, which `slots` names. */
static void pass_in_slots(ZwSection* section, const ZwStep* step, int arity, int32_t* slots) {
  for (int k = 0; k < arity; k++) {
    int in = zw_section_register(section, step->args[k]);
    slots[k] = zw_section_take_slot(section);
    zw_x86_store(code_of(section), section->is_wide, zw_section_slot(section, slots[k]), in);
    zw_section_end(section);
  }
}

static void call_scalar(ZwSection* section, const ZwStep* step) {
  ZwX86* x86 = code_of(section);
  int arity = zw_op_arity(step->op);
  int32_t slots[3];
  if (arity == 1) {
    int in = zw_section_register(section, step->args[0]);
    drop_args(section, step);
    zw_section_save_all(section);
    if (in != 0) zw_x86_load(x86, false, 0, zw_x86_register(in));
  } else {
    pass_in_slots(section, step, arity, slots);
    drop_args(section, step);
    zw_section_save_all(section);
    for (int k = 0; k < arity; k++) {
      zw_x86_load(x86, false, k, zw_section_slot(section, slots[k]));
      zw_section_free_slot(section, slots[k]);
    }
  }
  if (step->op == ZW_OP_TABLE) read_tables(section, ZW_RDI);
  Function function = function_of(step->op);
  write_call(section, ADDRESS(function));
  zw_section_keep(section, step->result, 0);
}

/* A result that a call has left in a slot. */
static void keep_in_slot(ZwSection* section, int32_t result, int32_t slot) {
  section->values[result].slot = slot;
}

static void call_wide(ZwSection* section, const ZwStep* step) {
  static const int pointers[3] = {ZW_RSI, ZW_RDX, ZW_RCX};
  ZwX86* x86 = code_of(section);
  int arity = zw_op_arity(step->op);
  int32_t slots[3], to = zw_section_take_slot(section);
  pass_in_slots(section, step, arity, slots);
  drop_args(section, step);
  zw_section_save_all(section);
  zw_x86_address(x86, ZW_RDI, zw_section_slot(section, to));
  for (int k = 0; k < 3; k++) zw_x86_address(x86, pointers[k], zw_section_slot(section, slots[k < arity ? k : 0]));
  for (int k = 0; k < arity; k++) zw_section_free_slot(section, slots[k]);
  read_tables(section, ZW_R8);
  Function function = function_of(step->op);
  zw_x86_set(x86, ZW_R9, ADDRESS(function));
  void (*four)(double*, const double*, const double*, const double*, const ZwTables*, Function) = call_four;
  write_call(section, ADDRESS(four));
  keep_in_slot(section, step->result, to);
}

/* A function that works on four lanes in their place. */
static void call_in_place(ZwSection* section, const ZwStep* step, void (*function)(double*)) {
  int32_t slot;
  pass_in_slots(section, step, 1, &slot);
  drop_args(section, step);
  zw_section_save_all(section);
  zw_x86_address(code_of(section), ZW_RDI, zw_section_slot(section, slot));
  write_call(section, ADDRESS(function));
  keep_in_slot(section, step->result, slot);
}

/* Sine and cosine of one angle at once. */
static void call_both(ZwSection* section, const ZwStep* step, int32_t sine, int32_t cosine) {
  ZwX86* x86 = code_of(section);
  int32_t slot, other = zw_section_take_slot(section);
  pass_in_slots(section, step, 1, &slot);
  drop_args(section, step);
  zw_section_save_all(section);
  zw_x86_address(x86, ZW_RDI, zw_section_slot(section, slot));
  zw_x86_address(x86, ZW_RSI, zw_section_slot(section, other));
  if (section->is_wide) {
    void (*both)(double*, double*) = zw_elementary()->sincos4;
    write_call(section, ADDRESS(both));
  } else {
    void (*both)(double, double*, double*) = zw_sincos;
    zw_x86_load(x86, false, 0, zw_section_slot(section, slot));
    write_call(section, ADDRESS(both));
  }
  keep_in_slot(section, sine, slot);
  keep_in_slot(section, cosine, other);
}

static void write_turn(ZwSection* section, const ZwStep* step, int32_t sine, int32_t cosine) {
  const ZwValue* result = &section->values[step->result];
  if (result->in >= 0 || result->slot >= 0) return; /* computed together with the other one */
  if (sine >= 0 && cosine >= 0)
    call_both(section, step, sine, cosine);
  else if (section->is_wide)
    call_in_place(section, step, step->op == ZW_OP_SIN ? zw_elementary()->sin4 : zw_elementary()->cos4);
  else
    call_scalar(section, step);
}

/* Groups of four. */
static void call_turns(double* x, double* cosines, int64_t groups) {
  const ZwElementary* elementary = zw_elementary();
  for (int64_t g = 0; g < groups; g++) elementary->sincos4(x + ZW_FOUR * g, cosines + ZW_FOUR * g);
}

/* Sines and cosines of a batch: the angles lie one behind the other, a wide one in each group or four single ones. */
static void write_batch(ZwSection* section, int32_t batch) {
  ZwX86* x86 = code_of(section);
  int32_t first = section->slots, count = 0;
  for (int32_t v = 0; v < section->value_count; v++) count += section->values[v].batch == batch;
  int32_t room = section->is_wide ? count : (count + ZW_FOUR - 1) / ZW_FOUR * ZW_FOUR, at = 0;
  section->slots += 2 * room;
  for (int32_t v = 0; v < section->value_count; v++) {
    if (section->values[v].batch != batch) continue;
    int in = zw_section_register(section, v);
    zw_x86_store(x86, section->is_wide, zw_section_slot(section, first + at++), in);
    for (; at == count && count < room; count++) { /* what is left over repeats the last one */
      zw_x86_store(x86, section->is_wide, zw_section_slot(section, first + count), in);
    }
    zw_section_drop(section, v);
    zw_section_end(section);
  }
  zw_section_save_all(section);
  zw_x86_address(x86, ZW_RDI, zw_section_slot(section, first));
  zw_x86_address(x86, ZW_RSI, zw_section_slot(section, first + room));
  zw_x86_set(x86, ZW_RDX, (uint64_t)(section->is_wide ? room : room / ZW_FOUR));
  void (*turns)(double*, double*, int64_t) = call_turns;
  write_call(section, ADDRESS(turns));
  at = 0;
  for (int32_t v = 0; v < section->value_count; v++) {
    const ZwValue* angle = &section->values[v];
    if (angle->batch != batch) continue;
    if (angle->sine >= 0) keep_in_slot(section, angle->sine, first + at);
    if (angle->cosine >= 0) keep_in_slot(section, angle->cosine, first + room + at);
    at++;
  }
}

/* ---- all of them ---- */

static void write_step(ZwSection* section, const ZwStep* step) {
  switch (step->op) {
    case ZW_OP_NEG:
      write_with_pool(section, step, ZW_X86_XOR, ZW_POOL_SIGN);
      break;
    case ZW_OP_ABS:
      write_with_pool(section, step, ZW_X86_AND, ZW_POOL_SIZE);
      break;
    case ZW_OP_ADD:
      write_commutative(section, step, ZW_X86_ADD);
      break;
    case ZW_OP_MUL:
      write_commutative(section, step, ZW_X86_MUL);
      break;
    case ZW_OP_SUB:
      write_plain(section, step, ZW_X86_SUB, step->args[0], step->args[1]);
      break;
    case ZW_OP_DIV:
      write_plain(section, step, ZW_X86_DIV, step->args[0], step->args[1]);
      break;
    case ZW_OP_MIN: /* b < a ? b : a */
      write_plain(section, step, ZW_X86_MIN, step->args[1], step->args[0]);
      break;
    case ZW_OP_MAX:
      write_plain(section, step, ZW_X86_MAX, step->args[1], step->args[0]);
      break;
    case ZW_OP_SQRT:
      write_unary(section, step, ZW_X86_SQRT, 0);
      break;
    case ZW_OP_FLOOR:
      write_unary(section, step, ZW_X86_FLOOR, ROUND_DOWN);
      break;
    case ZW_OP_SIGN:
      write_sign(section, step);
      break;
    case ZW_OP_MOD:
      write_modulo(section, step);
      break;
    case ZW_OP_LESS:
      write_comparison(section, step, ZW_COMPARE_LESS);
      break;
    case ZW_OP_LESS_EQUAL:
      write_comparison(section, step, ZW_COMPARE_LESS_EQUAL);
      break;
    case ZW_OP_EQUAL:
      write_comparison(section, step, ZW_COMPARE_EQUAL);
      break;
    case ZW_OP_NOT_EQUAL:
      write_comparison(section, step, ZW_COMPARE_NOT_EQUAL);
      break;
    case ZW_OP_AND:
      write_logic(section, step, ZW_X86_AND);
      break;
    case ZW_OP_OR:
      write_logic(section, step, ZW_X86_OR);
      break;
    case ZW_OP_NOT:
      keep_truth(section, step, compare_with_zero(section, step->args[0], ZW_COMPARE_EQUAL));
      break;
    case ZW_OP_SELECT:
      write_select(section, step);
      break;
    case ZW_OP_SIN:
    case ZW_OP_COS:
      write_turn(section, step, section->values[step->args[0]].sine, section->values[step->args[0]].cosine);
      break;
    case ZW_OP_COUNT:
      write_batch(section, step->args[0]);
      break;
    case ZW_OP_EXP:
      if (section->is_wide)
        call_in_place(section, step, zw_elementary()->exp4);
      else
        call_scalar(section, step);
      break;
    default:
      if (section->is_wide)
        call_wide(section, step);
      else
        call_scalar(section, step);
      break;
  }
  zw_section_end(section);
}

/* Outputs of a scalar section that are ready behind step i. */
static int32_t write_ready(ZwSection* section, int32_t sink, int32_t i) {
  section->position = 2 * i + 1;
  for (; sink < section->sink_count && section->sinks[sink].ready_at == i; sink++) {
    zw_section_write_output(section, sink);
  }
  return sink;
}

bool zw_section_write(ZwSection* section, const ZwMember* members, int32_t count) {
  if (!zw_section_number(section, members, count)) return false;
  if (section->is_wide) section->writer->has_wide = true;
  zw_section_begin(section);
  int32_t place = zw_section_begin_loop(section);
  int32_t sink = write_ready(section, 0, -1);
  for (int32_t i = 0; i < section->step_count; i++) {
    section->position = 2 * i;
    write_step(section, &section->steps[i]);
    sink = write_ready(section, sink, i);
  }
  if (section->is_wide) zw_section_write_outputs(section);
  zw_section_end_loop(section, place);
  int width = section->is_wide ? ZW_X86_POOL_WIDTH : 1;
  if (section->slots * width > section->writer->program->registers * ZW_LANES) section->writer->is_too_large = true;
  return !section->writer->scratch->failed && !section->writer->x86.arena->failed;
}
