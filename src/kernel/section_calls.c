/* What has no machine instruction is called: the same functions that the interpreter calls, lane by lane, or four lanes at once
 * where the table of expr/elementary.h has them. Calls destroy all floating-point registers, so that everything that is used
 * later goes to memory before. */
#include <string.h>

#include "base/assert.h"
#include "expr/elementary.h"
#include "kernel/section.h"

static ZwX86* code_of(ZwSection* section) {
  return &section->writer->x86;
}

static double (*own_function(ZwOp op))(double) {
  return op == ZW_OP_SIN ? zw_sin : op == ZW_OP_COS ? zw_cos : op == ZW_OP_EXP ? zw_exp : NULL;
}

/* What is neither an instruction nor a function of ours, as the interpreter computes it. */
static double call_one(double a, double b, double c, const ZwTables* tables, ZwOp op) {
  bool is_of_table = op == ZW_OP_TABLE || op == ZW_OP_TABLE_FROM;
  return is_of_table ? zw_kernel_apply(op, (double[]){a, b, c}, tables) : zw_op_apply(op, a, b, c);
}

static void call_four(double* to, const double* a, const double* b, const double* c, const ZwTables* tables, ZwOp op) {
  for (int l = 0; l < ZW_X86_POOL_WIDTH; l++) to[l] = call_one(a[l], b[l], c[l], tables, op);
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
    zw_section_drop_args(section, step);
    zw_section_save_all(section);
    if (in != 0) zw_x86_load(x86, false, 0, zw_x86_register(in));
  } else {
    pass_in_slots(section, step, arity, slots);
    zw_section_drop_args(section, step);
    zw_section_save_all(section);
    for (int k = 0; k < arity; k++) {
      zw_x86_load(x86, false, k, zw_section_slot(section, slots[k]));
      zw_section_free_slot(section, slots[k]);
    }
  }
  double (*own)(double) = own_function(step->op);
  if (own) {
    write_call(section, ADDRESS(own));
  } else {
    double (*one)(double, double, double, const ZwTables*, ZwOp) = call_one;
    read_tables(section, ZW_RDI);
    zw_x86_set(x86, ZW_RSI, (uint64_t)step->op);
    write_call(section, ADDRESS(one));
  }
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
  zw_section_drop_args(section, step);
  zw_section_save_all(section);
  zw_x86_address(x86, ZW_RDI, zw_section_slot(section, to));
  for (int k = 0; k < 3; k++) zw_x86_address(x86, pointers[k], zw_section_slot(section, slots[k < arity ? k : 0]));
  for (int k = 0; k < arity; k++) zw_section_free_slot(section, slots[k]);
  read_tables(section, ZW_R8);
  zw_x86_set(x86, ZW_R9, (uint64_t)step->op);
  void (*four)(double*, const double*, const double*, const double*, const ZwTables*, ZwOp) = call_four;
  write_call(section, ADDRESS(four));
  keep_in_slot(section, step->result, to);
}

/* A function that works on four lanes in their place. */
static void call_in_place(ZwSection* section, const ZwStep* step, void (*function)(double*)) {
  int32_t slot;
  pass_in_slots(section, step, 1, &slot);
  zw_section_drop_args(section, step);
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
  zw_section_drop_args(section, step);
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

static void call_turn(ZwSection* section, const ZwStep* step) {
  int32_t sine = section->values[step->args[0]].sine, cosine = section->values[step->args[0]].cosine;
  const ZwValue* result = &section->values[step->result];
  if (result->in >= 0 || result->slot >= 0) return; /* computed together with the other one */
  if (sine >= 0 && cosine >= 0)
    call_both(section, step, sine, cosine);
  else if (section->is_wide)
    call_in_place(section, step, step->op == ZW_OP_SIN ? zw_elementary()->sin4 : zw_elementary()->cos4);
  else
    call_scalar(section, step);
}

/* Groups of four. Which function turns one is known when the call is written. */
static void call_turns(double* x, double* cosines, int64_t groups, void (*turn)(double*, double*)) {
  for (int64_t g = 0; g < groups; g++) turn(x + ZW_FOUR * g, cosines + ZW_FOUR * g);
}

/* Sines and cosines of a batch: the angles lie one behind the other, a wide one in each group or four single ones. */
static void call_batch(ZwSection* section, int32_t batch) {
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
  int32_t groups = section->is_wide ? room : room / ZW_FOUR;
  void (*turn)(double*, double*) = zw_elementary()->sincos4;
  void (*turns)(double*, double*, int64_t, void (*)(double*, double*)) = call_turns;
  if (groups > 1) {
    zw_x86_set(x86, ZW_RDX, (uint64_t)groups);
    zw_x86_set(x86, ZW_RCX, ADDRESS(turn));
  }
  write_call(section, groups > 1 ? ADDRESS(turns) : ADDRESS(turn));
  at = 0;
  for (int32_t v = 0; v < section->value_count; v++) {
    const ZwValue* angle = &section->values[v];
    if (angle->batch != batch) continue;
    if (angle->sine >= 0) keep_in_slot(section, angle->sine, first + at);
    if (angle->cosine >= 0) keep_in_slot(section, angle->cosine, first + room + at);
    at++;
  }
}

void zw_section_call(ZwSection* section, const ZwStep* step) {
  if (step->op == ZW_OP_COUNT)
    call_batch(section, step->args[0]);
  else if (step->op == ZW_OP_SIN || step->op == ZW_OP_COS)
    call_turn(section, step);
  else if (!section->is_wide)
    call_scalar(section, step);
  else if (step->op == ZW_OP_EXP)
    call_in_place(section, step, zw_elementary()->exp4);
  else
    call_wide(section, step);
}
