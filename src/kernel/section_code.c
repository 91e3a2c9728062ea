/* Steps as machine instructions. What has none is called. */
#include "kernel/section.h"

static ZwX86* code_of(ZwSection* section) {
  return &section->writer->x86;
}

/* ---- one machine instruction ---- */

/* result = op(a, b) */
static void write_plain(ZwSection* section, const ZwStep* step, ZwX86Op op, int32_t a, int32_t b) {
  int first = zw_section_register(section, a);
  ZwX86Operand second = zw_section_operand(section, b, false);
  zw_section_drop_args(section, step);
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
  zw_section_drop_args(section, step);
  int to = zw_section_result(section, step->result);
  zw_x86_apply(code_of(section), op, section->is_wide, to, first, zw_x86_pool(constant), 0);
}

static void write_unary(ZwSection* section, const ZwStep* step, ZwX86Op op, int immediate) {
  int from = zw_section_register(section, step->args[0]);
  zw_section_drop_args(section, step);
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
  zw_section_drop_args(section, step);
  zw_section_keep(section, step->result, t);
}

/* 1 where a mask is set, else 0 */
static void keep_truth(ZwSection* section, const ZwStep* step, int mask) {
  apply(section, ZW_X86_AND, mask, mask, zw_x86_pool(ZW_POOL_ONE), 0);
  zw_section_drop_args(section, step);
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
  zw_section_drop_args(section, step);
  zw_section_keep(section, step->result, zero);
}

/* a != 0 ? b : c */
static void write_select(ZwSection* section, const ZwStep* step) {
  int mask = compare_with_zero(section, step->args[0], ZW_COMPARE_NOT_EQUAL);
  int no = zw_section_register(section, step->args[2]);
  ZwX86Operand yes = zw_section_operand(section, step->args[1], true);
  apply(section, ZW_X86_BLEND, mask, no, yes, mask << 4);
  zw_section_drop_args(section, step);
  zw_section_keep(section, step->result, mask);
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
    default:
      zw_section_call(section, step);
      break;
  }
  zw_section_end(section);
}

/* Outputs that are ready behind step i; not of wide sections, except those of groups. */
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
  if (section->is_wide && !zw_section_is_single(section)) zw_section_write_outputs(section);
  zw_section_end_loop(section, place);
  int width = section->is_wide ? ZW_X86_POOL_WIDTH : 1;
  if (section->slots * width > section->writer->room) section->writer->is_too_large = true;
  return !section->writer->scratch->failed && !section->writer->x86.arena->failed;
}
