/* A section of machine code: one tape over some instances of its kernel. It is straight-line code over values, each of which is
 * a literal, an input or the result of an instruction, and is known to be used at certain positions. Between uses a
 * value lives in a register, in its slot of the state's block of registers, or where it can be read again.
 *
 *   position 2 i       instruction i of the tape
 *   position 2 i + 1   outputs that are written right behind it
 */
#ifndef ZW_KERNEL_SECTION_H
#define ZW_KERNEL_SECTION_H

#include "kernel/native.h"
#include "kernel/x86.h"

/* Whole-number registers. The first ones survive calls; rax, rcx and rdx are free at any time. */
enum {
  ZW_SECTION_STATE = ZW_RBX,     /* the ZwKernelState */
  ZW_SECTION_SLOTS = ZW_RBP,     /* state->registers */
  ZW_SECTION_Q = ZW_R12,         /* state->q */
  ZW_SECTION_V = ZW_R13,         /* state->v */
  ZW_SECTION_INDICES = ZW_R14,   /* in a loop: which coordinates (or slots of parameters) the next instance reads */
  ZW_SECTION_CONSTANTS = ZW_R15, /* state->constants; in a loop: the first one of the next instance */
  ZW_SECTION_SCATTER = ZW_RDX    /* while outputs are written in a loop */
};

/* What a loop keeps on the stack, from rsp on: how often it still goes round, where it is in the index tables, and how far its
 * columns of indices have advanced. */
enum {
  ZW_STACK_COUNT = 0,
  ZW_STACK_SCATTER = 8,
  ZW_STACK_REACTIONS = 16,
  ZW_STACK_ADVANCES = 24,
  ZW_ADVANCES = 6,
  ZW_STACK_SIZE = ZW_STACK_ADVANCES + 8 * ZW_ADVANCES
};

/* Constants that every function may use, first in the pool. ORDER POOL */
enum { ZW_POOL_ZERO, ZW_POOL_ONE, ZW_POOL_SIGN, ZW_POOL_SIZE, ZW_POOL_FIXED };

/* A function being written; sections follow one another in it. */
typedef struct ZwWriter {
  const ZwProgram* program;
  ZwX86 x86;
  ZwArena* scratch;                          /* of the section at hand */
  size_t word_in[ZW_X86_REGISTERS];          /* which word of the state or the stack a register holds; 0: none */
  int64_t asked_at[ZW_X86_REGISTERS], asked; /* when it was last asked for */
  bool has_constants;                        /* ZW_SECTION_CONSTANTS is state->constants */
  bool has_wide;                             /* upper halves are in use */
} ZwWriter;

/* Which index each instance has in one column of a table. In many models it goes up by the same step from instance to
 * instance; then no table is read. */
typedef struct ZwColumn {
  const int32_t* indices; /* of the first instance */
  int32_t stride;         /* of the table */
  bool is_even;           /* in a loop: index = indices[0] + step * instance */
  int32_t step;
} ZwColumn;

typedef enum ZwValueKind { ZW_VALUE_LITERAL, ZW_VALUE_INPUT, ZW_VALUE_RESULT } ZwValueKind;

typedef struct ZwValue {
  ZwValueKind kind;
  int32_t source;        /* literal: of the pool; input, result: number in the tape */
  int32_t use, uses_end; /* in the section's uses: the next one, and behind the last */
  int32_t in, slot;      /* register and slot, or -1 */
  int32_t sine, cosine;  /* results of this value's sine and cosine, or -1 */
} ZwValue;

enum { ZW_OWNER_NONE = -1, ZW_OWNER_TEMPORARY = -2 };

typedef struct ZwSection {
  ZwWriter* writer;
  const ZwKernel* kernel;
  const ZwTape* tape;
  ZwEntry entry; /* ZW_ENTRY_COUNT: the set-up tape */
  bool is_wide, is_loop;
  int32_t first, count; /* instances; without a loop they are known, and at most one or four */
  /* values.c */
  ZwValue* values;
  int32_t* args;     /* three values per instruction */
  int32_t* outputs;  /* values */
  int32_t* ready_at; /* per output: behind which instruction it is written; -1: before the first */
  int32_t* uses;
  int32_t first_result;
  /* access.c */
  ZwColumn *input_columns, *output_columns;
  int32_t steps[ZW_ADVANCES]; /* of columns of indices, from instance to instance */
  int step_count;
  /* registers.c */
  int32_t position;
  int32_t owner[ZW_X86_REGISTERS]; /* value in a register */
  uint32_t pinned;                 /* registers that the instruction at hand reads */
  ZW_ARRAY(int32_t) free_slots;
  ZW_ARRAY(int32_t) leaving_slots; /* free from the next instruction on */
  int32_t slots;
} ZwSection;

/* ---- section_values.c ---- */

/* Numbers the values of the tape and finds their uses. False when memory is out. */
bool zw_section_number(ZwSection* section);

/* ---- section_registers.c ---- */

void zw_section_begin(ZwSection* section);
/* A register for the time of the instruction at hand. */
int zw_section_take(ZwSection* section);
/* The value in a register, which stays for the instruction at hand. */
int zw_section_register(ZwSection* section, int32_t value);
/* The same or the memory it is in, where that is better. One double that takes part in operations on bits must come from a
 * register or the pool. */
ZwX86Operand zw_section_operand(ZwSection* section, int32_t value, bool is_bits);
/* The instruction at hand has read an argument, as often as it does: what is not used again makes room. */
void zw_section_drop(ZwSection* section, int32_t value);
/* A register for a result. */
int zw_section_result(ZwSection* section, int32_t value);
/* A temporary becomes a result. */
void zw_section_keep(ZwSection* section, int32_t value, int in);
/* The end of an instruction: temporaries and pins go. */
void zw_section_end(ZwSection* section);
/* Everything that is used later goes to memory and all registers become free. */
void zw_section_save_all(ZwSection* section);
/* The value in memory, as one or four doubles at rbp or in the pool; it gets a slot if it needs one. */
ZwX86Operand zw_section_memory(ZwSection* section, int32_t value);
int32_t zw_section_take_slot(ZwSection* section);
void zw_section_free_slot(ZwSection* section, int32_t slot);
ZwX86Operand zw_section_slot(const ZwSection* section, int32_t slot);

/* ---- section_access.c ---- */

/* Looks at the index tables. False when memory is out. */
bool zw_section_find_columns(ZwSection* section);
/* Whether an input is a memory operand by itself, and which; `can_load`: it can at least be loaded again at little cost. */
bool zw_section_input_memory(ZwSection* section, const ZwInput* input, ZwX86Operand* memory);
bool zw_section_can_reload(ZwSection* section, const ZwInput* input);
void zw_section_load_input(ZwSection* section, const ZwInput* input, int to);
/* Writes one output, which is ready, from its value; of wide sections all outputs at their end. */
void zw_section_write_output(ZwSection* section, int32_t output);
void zw_section_write_outputs(ZwSection* section);
/* What comes before and behind the code of a loop's body. */
int32_t zw_section_begin_loop(ZwSection* section);
void zw_section_end_loop(ZwSection* section, int32_t place);
/* Forgets which pointers whole-number registers hold. */
void zw_writer_forget(ZwWriter* writer);

/* ---- section_code.c ---- */

/* Writes the section. False when memory is out. */
bool zw_section_write(ZwSection* section);

#endif
