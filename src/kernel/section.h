/* A section of machine code: one tape over many instances of its kernel, in a loop or not, or the tapes of several kernels that
 * have few instances, all in one. It is straight-line code over values, each of which is a literal, an input or the result
 * of a step, and is known to be used at certain positions. Between uses a value lives in a register, in its slot of the
 * state's block of registers, or where it can be read again. Equal values are computed once.
 *
 *   position 2 i       step i
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
  ZwNativeForm form;
  ZwX86 x86;
  ptrdiff_t room;                            /* numbers in the registers of the state */
  ZwArena* scratch;                          /* of the section at hand */
  size_t word_in[ZW_X86_REGISTERS];          /* which word of the state or the stack a register holds; 0: none */
  int64_t asked_at[ZW_X86_REGISTERS], asked; /* when it was last asked for */
  bool has_constants;                        /* ZW_SECTION_CONSTANTS is state->constants */
  bool has_wide;                             /* upper halves are in use */
  bool is_of_masses;                         /* it writes M alone */
  bool is_too_large;                         /* a section needs more slots than there are */
} ZwWriter;

/* Which index each instance has in one column of a table. In many models it goes up by the same step from instance to
 * instance; then no table is read. */
typedef struct ZwColumn {
  const int32_t* indices; /* of the first instance */
  int32_t stride;         /* of the table */
  bool is_even;           /* in a loop: index = indices[0] + step * instance */
  int32_t step;
} ZwColumn;

/* A double that a section reads. */
typedef struct ZwFeed {
  ZwInputKind kind;
  int32_t number;     /* in the row of its table */
  ZwColumn column;    /* of what is read through an index table */
  ptrdiff_t constant; /* of constants: the place of the first instance's; in a loop from the register on */
} ZwFeed;

/* What is added to a target or, by the set-up tape, is a constant. */
typedef struct ZwSink {
  int32_t value;
  ZwTarget target;
  int32_t number;
  ZwColumn column;
  ptrdiff_t constant;
  int32_t ready_at; /* behind which step it is written; -1: before the first */
} ZwSink;

typedef enum ZwValueKind { ZW_VALUE_LITERAL, ZW_VALUE_INPUT, ZW_VALUE_RESULT } ZwValueKind;

typedef struct ZwValue {
  ZwValueKind kind;
  int32_t source;           /* literal: of the pool; input: of the feeds */
  int32_t key[4];           /* what tells it from others */
  int32_t use, uses_end;    /* in the section's uses: the next one, and behind the last */
  int32_t in, slot;         /* register and slot, or -1 */
  int32_t sine, cosine;     /* results of this value's sine and cosine, or -1 */
  int32_t depth;            /* how many sines within sines are below it */
  int32_t batch, turned_at; /* of an angle: the batch that computes sine and cosine, or -1; the first step that does */
} ZwValue;

/* One operation on values. A step of ZW_OP_COUNT computes sines and cosines of all angles of a batch, args[0], at once. */
typedef struct ZwStep {
  ZwOp op;
  int32_t args[3], result;
} ZwStep;

enum { ZW_BATCHES = 4 };

enum { ZW_OWNER_NONE = -1, ZW_OWNER_TEMPORARY = -2 };

typedef struct ZwSection {
  ZwWriter* writer;
  ZwEntry entry; /* ZW_ENTRY_COUNT: the set-up tape */
  bool is_wide, is_loop;
  int32_t count;          /* instances that go through together; in a loop all */
  const ZwKernel* kernel; /* of a loop */
  int32_t first;          /* its first instance */
  /* values.c */
  ZwValue* values;
  ZwStep* steps;
  ZwFeed* feeds;
  ZwSink* sinks;
  int32_t value_count, step_count, feed_count, sink_count;
  int32_t* uses;
  int32_t batched;            /* angles in batches */
  int32_t *table, table_size; /* finds values by their key */
  /* access.c */
  int32_t advances[ZW_ADVANCES]; /* of columns of indices, from instance to instance */
  int advance_count;
  /* registers.c */
  int32_t position;
  int32_t owner[ZW_X86_REGISTERS]; /* value in a register */
  uint32_t pinned;                 /* registers that the instruction at hand reads */
  ZW_ARRAY(int32_t) free_slots;
  ZW_ARRAY(int32_t) leaving_slots; /* free from the next instruction on */
  int32_t slots;
} ZwSection;

/* Some instances of a kernel, from the first on. */
typedef struct ZwMember {
  const ZwKernel* kernel;
  int32_t first;
} ZwMember;

/* ---- section_values.c ---- */

const ZwTape* zw_tape_of(const ZwKernel* kernel, ZwEntry entry);
/* Whether it takes one instance at a time, of one element or of four members of a group. */
bool zw_section_is_single(const ZwSection* section);
/* Numbers the values of the members' tapes, finds their uses and puts the steps in order. False when memory is out. */
bool zw_section_number(ZwSection* section, const ZwMember* members, int32_t count);

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
void zw_section_drop_args(ZwSection* section, const ZwStep* step);
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

/* A column of a table from the first instance on. */
ZwColumn zw_section_column(const ZwSection* section, const int32_t* table, int32_t stride, int32_t first,
                           int32_t number);
/* Whether a feed is a memory operand by itself, and which; whether it can at least be loaded again at little cost. */
bool zw_section_feed_memory(ZwSection* section, const ZwFeed* feed, ZwX86Operand* memory);
bool zw_section_can_reload(ZwSection* section, const ZwFeed* feed);
void zw_section_load_feed(ZwSection* section, const ZwFeed* feed, int to);
/* Writes one output, which is ready, from its value; of other wide sections than those of groups all outputs at their end. */
void zw_section_write_output(ZwSection* section, int32_t output);
void zw_section_write_outputs(ZwSection* section);
/* What comes before and behind the code of a loop's body. */
int32_t zw_section_begin_loop(ZwSection* section);
void zw_section_end_loop(ZwSection* section, int32_t place);
/* Forgets which pointers whole-number registers hold. */
void zw_writer_forget(ZwWriter* writer);

/* ---- section_calls.c ---- */

void zw_section_call(ZwSection* section, const ZwStep* step);

/* ---- section_code.c ---- */

/* Writes the section. False when memory is out. */
bool zw_section_write(ZwSection* section, const ZwMember* members, int32_t count);

#endif
