/* Machine code for x86-64 with AVX2, instruction by instruction: only the forms that kernel/native.c writes.
 *
 * Registers are numbers: 0 to 15 are rax rcx rdx rbx rsp rbp rsi rdi r8 .. r15, or xmm0 .. xmm15, whose wide forms are ymm0 ..
 * ymm15. Floating-point instructions work on one double, or on four if they are wide. */
#ifndef ZW_KERNEL_X86_H
#define ZW_KERNEL_X86_H

#include "base/arena.h"

enum {
  ZW_RAX,
  ZW_RCX,
  ZW_RDX,
  ZW_RBX,
  ZW_RSP,
  ZW_RBP,
  ZW_RSI,
  ZW_RDI,
  ZW_R8,
  ZW_R9,
  ZW_R10,
  ZW_R11,
  ZW_R12,
  ZW_R13,
  ZW_R14,
  ZW_R15,
  ZW_X86_REGISTERS
};

// clang-format off
#define ZW_X86_LIST(X)                                                                                    \
  /* name    map opcode  one double / four doubles: prefix; whether the first operand is there */         \
  X(ADD,     1,  0x58,   F2, 66, BOTH)                                                                    \
  X(MUL,     1,  0x59,   F2, 66, BOTH)                                                                    \
  X(SUB,     1,  0x5c,   F2, 66, BOTH)                                                                    \
  X(MIN,     1,  0x5d,   F2, 66, BOTH)   /* a < b ? a : b */                                              \
  X(DIV,     1,  0x5e,   F2, 66, BOTH)                                                                    \
  X(MAX,     1,  0x5f,   F2, 66, BOTH)   /* a > b ? a : b */                                              \
  X(SQRT,    1,  0x51,   F2, 66, ONE)    /* of b */                                                       \
  X(COMPARE, 1,  0xc2,   F2, 66, BOTH)   /* immediate: ZW_COMPARE_..; all bits or none */                 \
  X(AND,     1,  0x54,   66, 66, BOTH)   /* bits, of 128 also if not wide: no memory of 8 bytes */        \
  X(XOR,     1,  0x57,   66, 66, BOTH)                                                                    \
  X(OR,      1,  0x56,   66, 66, BOTH)                                                                    \
  X(FLOOR,   3,  0x0b,   66, 66, ONE)    /* of b; immediate 9; opcode 9 if wide */                        \
  X(BLEND,   3,  0x4b,   66, 66, BOTH)   /* immediate: register of the mask << 4; mask ? b : a */
// clang-format on

typedef enum ZwX86Op {
#define ZW_X86_ENUM(name, map, opcode, one, four, operands) ZW_X86_##name,
  ZW_X86_LIST(ZW_X86_ENUM)
#undef ZW_X86_ENUM
      ZW_X86_OP_COUNT
} ZwX86Op;

enum { ZW_COMPARE_EQUAL = 0, ZW_COMPARE_LESS = 17, ZW_COMPARE_LESS_EQUAL = 18, ZW_COMPARE_NOT_EQUAL = 4 };

/* A register, or memory at base + 8 index + offset, or a constant of the pool. */
typedef struct ZwX86Operand {
  enum { ZW_X86_REGISTER, ZW_X86_MEMORY, ZW_X86_INDEXED, ZW_X86_POOL } kind;
  int base, index; /* register; of the pool: its number */
  int32_t offset;
} ZwX86Operand;

ZwX86Operand zw_x86_register(int number);
ZwX86Operand zw_x86_memory(int base, int32_t offset);
ZwX86Operand zw_x86_indexed(int base, int index, int32_t offset); /* index: not rsp */
ZwX86Operand zw_x86_pool(int32_t number);

/* Where the code must learn the distance to the pool. */
typedef struct ZwX86Patch {
  int32_t at, end, number; /* of the distance, of its instruction; constant */
} ZwX86Patch;

typedef struct ZwX86 {
  ZwArena* arena; /* failed: memory is out, the code is of no use */
  ZW_ARRAY(uint8_t) code;
  ZW_ARRAY(double) pool; /* each constant four times */
  ZW_ARRAY(ZwX86Patch) patches;
} ZwX86;

enum { ZW_X86_POOL_WIDTH = 4 };

void zw_x86_init(ZwX86* x86, ZwArena* arena);
/* Number of a new constant. */
int32_t zw_x86_constant(ZwX86* x86, double value);
/* Puts the pool behind the code; nothing can be written afterwards. */
void zw_x86_finish(ZwX86* x86);

/* Floating point: to = op(a, b). The immediate counts where the list says so. */
void zw_x86_apply(ZwX86* x86, ZwX86Op op, bool is_wide, int to, int a, ZwX86Operand b, int immediate);
/* One double or four, from a register or memory, and to memory. */
void zw_x86_load(ZwX86* x86, bool is_wide, int to, ZwX86Operand from);
void zw_x86_store(ZwX86* x86, bool is_wide, ZwX86Operand to, int from);
/* One double of memory into all four places; into place 1, the others of 0 to 1 kept; places 0 and 1 of a register into 2 and 3. */
void zw_x86_spread(ZwX86* x86, int to, ZwX86Operand from);
void zw_x86_load_second(ZwX86* x86, int to, ZwX86Operand from);
void zw_x86_join(ZwX86* x86, int to, int upper);
/* Clears the upper halves of all wide registers: before code that does not know them. */
void zw_x86_clear_upper(ZwX86* x86);

/* Whole numbers and addresses, 64 bits wide. */
void zw_x86_set(ZwX86* x86, int to, uint64_t value);
void zw_x86_move(ZwX86* x86, int to, int from);
void zw_x86_read(ZwX86* x86, int to, ZwX86Operand from);
void zw_x86_write(ZwX86* x86, ZwX86Operand to, int from);
void zw_x86_read_32(ZwX86* x86, int to, ZwX86Operand from); /* upper half: 0 */
void zw_x86_address(ZwX86* x86, int to, ZwX86Operand of);
void zw_x86_add(ZwX86* x86, int to, int32_t value);
void zw_x86_add_memory(ZwX86* x86, ZwX86Operand to, int32_t value);

void zw_x86_push(ZwX86* x86, int from);
void zw_x86_pop(ZwX86* x86, int to);
void zw_x86_call(ZwX86* x86, int address);
void zw_x86_return(ZwX86* x86);
/* Back to a place of the code, if the last addition did not give 0. */
void zw_x86_jump_back_if_not_zero(ZwX86* x86, int32_t place);

#endif
