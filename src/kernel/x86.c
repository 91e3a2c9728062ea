#include "kernel/x86.h"

#include <string.h>

#include "base/assert.h"

/* The prefix of an instruction, as VEX writes it. */
enum { PREFIX_NONE = 0, PREFIX_66 = 1, PREFIX_F3 = 2, PREFIX_F2 = 3 };

typedef struct Form {
  int map, opcode, one, four;
  bool has_first;
} Form;

static const Form forms[] = {
#define FIRST_BOTH true
#define FIRST_ONE false
#define ZW_X86_FORM(name, map, opcode, one, four, operands) \
  {map, opcode, PREFIX_##one, PREFIX_##four, FIRST_##operands},
    ZW_X86_LIST(ZW_X86_FORM)
#undef ZW_X86_FORM
};

void zw_x86_init(ZwX86* x86, ZwArena* arena) {
  *x86 = (ZwX86){.arena = arena};
}

ZwX86Operand zw_x86_register(int number) {
  return (ZwX86Operand){.kind = ZW_X86_REGISTER, .base = number};
}

ZwX86Operand zw_x86_memory(int base, int32_t offset) {
  return (ZwX86Operand){.kind = ZW_X86_MEMORY, .base = base, .offset = offset};
}

ZwX86Operand zw_x86_indexed(int base, int index, int32_t offset) {
  ZW_ASSERT(index != ZW_RSP);
  return (ZwX86Operand){.kind = ZW_X86_INDEXED, .base = base, .index = index, .offset = offset};
}

ZwX86Operand zw_x86_pool(int32_t number) {
  return (ZwX86Operand){.kind = ZW_X86_POOL, .index = number};
}

int32_t zw_x86_constant(ZwX86* x86, double value) {
  for (int i = 0; i < ZW_X86_POOL_WIDTH; i++) (void)ZW_PUSH(x86->arena, &x86->pool, value);
  return x86->pool.count / ZW_X86_POOL_WIDTH - 1;
}

/* ---- bytes ---- */

static void put(ZwX86* x86, int byte) {
  (void)ZW_PUSH(x86->arena, &x86->code, (uint8_t)byte);
}

static void put_32(ZwX86* x86, int32_t value) {
  uint32_t bits = (uint32_t)value;
  for (int i = 0; i < 32; i += 8) put(x86, (int)(bits >> i & 0xff));
}

static bool fits_8(int32_t value) {
  return value >= -128 && value <= 127;
}

/* Registers above 7 need a bit in the prefix; these say which, for the three places an operand can have. */
static int base_high(const ZwX86Operand* operand) {
  return operand->kind == ZW_X86_POOL ? 0 : operand->base >> 3;
}

static int index_high(const ZwX86Operand* operand) {
  return operand->kind == ZW_X86_INDEXED ? operand->index >> 3 : 0;
}

/* The register field and the operand behind an opcode; `after` bytes of the instruction follow. */
static void put_operand(ZwX86* x86, int field, const ZwX86Operand* operand, int after) {
  int reg = (field & 7) << 3, base = operand->base & 7;
  if (operand->kind == ZW_X86_REGISTER) {
    put(x86, 0xc0 | reg | base);
    return;
  }
  if (operand->kind == ZW_X86_POOL) {
    put(x86, 0x05 | reg);
    ZwX86Patch patch = {x86->code.count, x86->code.count + 4 + after, operand->index};
    (void)ZW_PUSH(x86->arena, &x86->patches, patch);
    put_32(x86, 0);
    return;
  }
  /* rbp and r13 have no form without an offset, rsp and r12 none without the second byte */
  bool is_far = !fits_8(operand->offset), is_plain = operand->offset == 0 && base != ZW_RBP;
  bool has_second = operand->kind == ZW_X86_INDEXED || base == ZW_RSP;
  put(x86, (is_plain ? 0 : is_far ? 0x80 : 0x40) | reg | (has_second ? 4 : base));
  if (operand->kind == ZW_X86_INDEXED)
    put(x86, 0xc0 | (operand->index & 7) << 3 | base);
  else if (has_second)
    put(x86, 0x20 | base);
  if (is_plain) return;
  if (is_far)
    put_32(x86, operand->offset);
  else
    put(x86, operand->offset & 0xff);
}

/* A floating-point instruction in the VEX form: `field` and `first` are registers, `first` 0 where there is none. */
static void put_vex(ZwX86* x86, int map, int prefix, bool is_wide, int opcode, int field, int first,
                    const ZwX86Operand* operand, int after) {
  int r = !(field >> 3), x = !index_high(operand), b = !base_high(operand);
  int rest = (~first & 15) << 3 | (is_wide ? 4 : 0) | prefix;
  if (x && b && map == 1) {
    put(x86, 0xc5);
    put(x86, r << 7 | rest);
  } else {
    put(x86, 0xc4);
    put(x86, r << 7 | x << 6 | b << 5 | map);
    put(x86, rest);
  }
  put(x86, opcode);
  put_operand(x86, field, operand, after);
}

/* ---- floating point ---- */

void zw_x86_apply(ZwX86* x86, ZwX86Op op, bool is_wide, int to, int a, ZwX86Operand b, int immediate) {
  const Form* form = &forms[op];
  bool has_immediate = op == ZW_X86_COMPARE || op == ZW_X86_FLOOR || op == ZW_X86_BLEND;
  int opcode = op == ZW_X86_FLOOR && is_wide ? 0x09 : form->opcode;
  /* one double keeps the upper half of its first operand: where there is none, of itself */
  int first = form->has_first ? a : is_wide ? 0 : b.kind == ZW_X86_REGISTER ? b.base : to;
  put_vex(x86, form->map, is_wide ? form->four : form->one, is_wide, opcode, to, first, &b, has_immediate);
  if (has_immediate) put(x86, immediate);
}

void zw_x86_load(ZwX86* x86, bool is_wide, int to, ZwX86Operand from) {
  if (from.kind == ZW_X86_REGISTER)
    put_vex(x86, 1, PREFIX_66, is_wide, 0x28, to, 0, &from, 0);
  else
    put_vex(x86, 1, is_wide ? PREFIX_66 : PREFIX_F2, is_wide, 0x10, to, 0, &from, 0);
}

void zw_x86_store(ZwX86* x86, bool is_wide, ZwX86Operand to, int from) {
  ZW_ASSERT(to.kind != ZW_X86_REGISTER);
  put_vex(x86, 1, is_wide ? PREFIX_66 : PREFIX_F2, is_wide, 0x11, from, 0, &to, 0);
}

void zw_x86_spread(ZwX86* x86, int to, ZwX86Operand from) {
  ZW_ASSERT(from.kind != ZW_X86_REGISTER);
  put_vex(x86, 2, PREFIX_66, true, 0x19, to, 0, &from, 0);
}

void zw_x86_load_second(ZwX86* x86, int to, ZwX86Operand from) {
  ZW_ASSERT(from.kind != ZW_X86_REGISTER);
  put_vex(x86, 1, PREFIX_66, false, 0x16, to, to, &from, 0);
}

void zw_x86_join(ZwX86* x86, int to, int upper) {
  ZwX86Operand from = zw_x86_register(upper);
  put_vex(x86, 3, PREFIX_66, true, 0x18, to, to, &from, 1);
  put(x86, 1);
}

void zw_x86_clear_upper(ZwX86* x86) {
  put(x86, 0xc5);
  put(x86, 0xf8);
  put(x86, 0x77);
}

/* ---- whole numbers ---- */

static void put_whole(ZwX86* x86, bool is_64, int opcode, int field, const ZwX86Operand* operand, int after) {
  int rex = 0x40 | (is_64 ? 8 : 0) | (field >> 3) << 2 | index_high(operand) << 1 | base_high(operand);
  if (rex != 0x40) put(x86, rex);
  put(x86, opcode);
  put_operand(x86, field, operand, after);
}

void zw_x86_set(ZwX86* x86, int to, uint64_t value) {
  bool is_small = value <= 0xffffffff;
  int rex = 0x40 | (is_small ? 0 : 8) | to >> 3;
  if (rex != 0x40) put(x86, rex);
  put(x86, 0xb8 | (to & 7));
  put_32(x86, (int32_t)(uint32_t)value);
  if (!is_small) put_32(x86, (int32_t)(uint32_t)(value >> 32));
}

void zw_x86_move(ZwX86* x86, int to, int from) {
  ZwX86Operand operand = zw_x86_register(from);
  put_whole(x86, true, 0x8b, to, &operand, 0);
}

void zw_x86_read(ZwX86* x86, int to, ZwX86Operand from) {
  put_whole(x86, true, 0x8b, to, &from, 0);
}

void zw_x86_write(ZwX86* x86, ZwX86Operand to, int from) {
  put_whole(x86, true, 0x89, from, &to, 0);
}

void zw_x86_read_32(ZwX86* x86, int to, ZwX86Operand from) {
  put_whole(x86, false, 0x8b, to, &from, 0);
}

void zw_x86_address(ZwX86* x86, int to, ZwX86Operand of) {
  ZW_ASSERT(of.kind != ZW_X86_REGISTER);
  put_whole(x86, true, 0x8d, to, &of, 0);
}

void zw_x86_add_memory(ZwX86* x86, ZwX86Operand to, int32_t value) {
  bool is_near = fits_8(value);
  put_whole(x86, true, is_near ? 0x83 : 0x81, 0, &to, is_near ? 1 : 4);
  if (is_near)
    put(x86, value & 0xff);
  else
    put_32(x86, value);
}

void zw_x86_add(ZwX86* x86, int to, int32_t value) {
  zw_x86_add_memory(x86, zw_x86_register(to), value);
}

static void put_short(ZwX86* x86, int opcode, int number) {
  if (number >> 3) put(x86, 0x41);
  put(x86, opcode | (number & 7));
}

void zw_x86_push(ZwX86* x86, int from) {
  put_short(x86, 0x50, from);
}

void zw_x86_pop(ZwX86* x86, int to) {
  put_short(x86, 0x58, to);
}

void zw_x86_call(ZwX86* x86, int address) {
  ZwX86Operand operand = zw_x86_register(address);
  put_whole(x86, false, 0xff, 2, &operand, 0);
}

void zw_x86_return(ZwX86* x86) {
  put(x86, 0xc3);
}

void zw_x86_jump_back_if_not_zero(ZwX86* x86, int32_t place) {
  put(x86, 0x0f);
  put(x86, 0x85);
  put_32(x86, place - (x86->code.count + 4));
}

void zw_x86_finish(ZwX86* x86) {
  while (x86->code.count % 32 != 0 && !x86->arena->failed) put(x86, 0xcc); /* a trap */
  int32_t pool = x86->code.count;
  for (int32_t i = 0; i < x86->pool.count; i++) {
    unsigned char bytes[sizeof(double)];
    memcpy(bytes, &x86->pool.items[i], sizeof bytes);
    for (size_t k = 0; k < sizeof bytes; k++) put(x86, bytes[k]);
  }
  if (x86->arena->failed) return;
  for (int32_t i = 0; i < x86->patches.count; i++) {
    const ZwX86Patch* patch = &x86->patches.items[i];
    int32_t distance = pool + patch->number * ZW_X86_POOL_WIDTH * (int32_t)sizeof(double) - patch->end;
    memcpy(x86->code.items + patch->at, &distance, sizeof distance);
  }
}
