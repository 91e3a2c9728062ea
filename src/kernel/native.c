#include "kernel/native.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/machine.h"
#include "kernel/eliminate.h"
#include "kernel/section.h"

/* ---- functions ---- */

static const int saved[] = {ZW_RBX, ZW_RBP, ZW_R12, ZW_R13, ZW_R14, ZW_R15};
enum { SAVED = sizeof saved / sizeof *saved };

static void read_field(ZwWriter* writer, int to, size_t offset) {
  zw_x86_read(&writer->x86, to, zw_x86_memory(ZW_SECTION_STATE, (int32_t)offset));
}

/* With the return address seven words are on the stack: the room for loops aligns it for calls. */
static void begin_function(ZwWriter* writer) {
  ZwX86* x86 = &writer->x86;
  for (int i = 0; i < SAVED; i++) zw_x86_push(x86, saved[i]);
  zw_x86_add(x86, ZW_RSP, -ZW_STACK_SIZE);
  zw_x86_move(x86, ZW_SECTION_STATE, ZW_RDI);
  read_field(writer, ZW_SECTION_SLOTS, offsetof(ZwKernelState, registers));
  read_field(writer, ZW_SECTION_Q, offsetof(ZwKernelState, q));
  read_field(writer, ZW_SECTION_V, offsetof(ZwKernelState, v));
  zw_writer_forget(writer);
  writer->has_constants = writer->has_wide = false;
}

static void end_function(ZwWriter* writer) {
  ZwX86* x86 = &writer->x86;
  if (writer->has_wide) zw_x86_clear_upper(x86);
  zw_x86_add(x86, ZW_RSP, ZW_STACK_SIZE);
  for (int i = SAVED - 1; i >= 0; i--) zw_x86_pop(x86, saved[i]);
  zw_x86_return(x86);
}

/* ---- sections ---- */

static bool write_section(ZwWriter* writer, ZwSection section, const ZwMember* members, int32_t count) {
  ZwArena scratch;
  zw_arena_init(&scratch, &writer->program->arena->allocator);
  scratch.limit = writer->x86.arena->limit;
  writer->scratch = &scratch;
  section.writer = writer;
  bool is_fine = zw_section_write(&section, members, count);
  if (scratch.limit_reached) writer->x86.arena->limit_reached = true;
  zw_arena_destroy(&scratch);
  return is_fine;
}

/* Some instances of one kernel. */
static bool write_kernel(ZwWriter* writer, ZwEntry entry, ZwMember member, int32_t count, bool is_wide, bool is_loop) {
  ZwSection section = {.entry = entry,
                       .is_wide = is_wide,
                       .is_loop = is_loop,
                       .count = count,
                       .kernel = member.kernel,
                       .first = member.first};
  return write_section(writer, section, &member, 1);
}

/* Four instances at a time in a loop, the rest at once. */
static bool write_wide(ZwWriter* writer, ZwEntry entry, const ZwKernel* kernel) {
  int32_t count = kernel->shape->count, rest = count % ZW_X86_POOL_WIDTH, fours = count - rest;
  bool is_fine =
      fours == 0 || write_kernel(writer, entry, (ZwMember){kernel, 0}, fours, true, fours > ZW_X86_POOL_WIDTH);
  return is_fine && (rest == 0 || write_kernel(writer, entry, (ZwMember){kernel, fours}, rest, rest > 1, false));
}

/* Consecutive kernels that go into one section, instance by instance; of a group the same instance of four members at once. */
typedef struct Run {
  ZW_ARRAY(ZwMember) members;
  ptrdiff_t values; /* at most */
} Run;

static bool write_run(ZwWriter* writer, ZwEntry entry, Run* run) {
  bool is_group = writer->program->is_group;
  ZwSection section = {.entry = entry, .is_wide = is_group, .count = is_group ? ZW_GROUP_FOUR : 1};
  bool is_fine = run->members.count == 0 || write_section(writer, section, run->members.items, run->members.count);
  run->members.count = 0;
  run->values = 0;
  return is_fine;
}

/* Whether few instances are better off one by one, where they can share what they compute: by the count of instructions, if
 * four lanes are put together from single doubles and taken apart again. */
static bool is_for_run(const ZwKernel* kernel, const ZwTape* tape) {
  ptrdiff_t count = kernel->shape->count, code = tape->code.count, outputs = tape->outputs.count;
  ptrdiff_t groups = (count + ZW_X86_POOL_WIDTH - 1) / ZW_X86_POOL_WIDTH;
  ptrdiff_t single = count * (code + 2 * outputs),
            wide = groups * (code + 5 * tape->inputs.count) + 3 * count * outputs;
  return count == 1 || (count <= 16 && single <= wide + wide / 4);
}

/* All values of a run may be in slots at once, sines and cosines of a batch too. */
static bool has_room(const ZwWriter* writer, const Run* run, const ZwTape* tape) {
  ptrdiff_t values = run->values + tape->inputs.count + tape->code.count;
  ptrdiff_t registers = writer->program->registers, batches = 8 * (registers + ZW_BATCHES);
  ptrdiff_t width = writer->program->is_group ? ZW_GROUP_FOUR : 1;
  return width * (values + batches + 16) <= registers * ZW_LANES;
}

static bool add_to_run(ZwWriter* writer, ZwEntry entry, const ZwKernel* kernel, Run* run) {
  const ZwTape* tape = zw_tape_of(kernel, entry);
  for (int32_t i = 0; i < kernel->shape->count; i += writer->program->is_group ? ZW_GROUP_FOUR : 1) {
    if (!has_room(writer, run, tape) && !write_run(writer, entry, run)) return false;
    ZwMember member = {kernel, i};
    if (!ZW_PUSH(writer->x86.arena, &run->members, member)) return false;
    run->values += tape->inputs.count + tape->code.count;
  }
  return true;
}

static bool write_scalar(ZwWriter* writer, ZwEntry entry, const ZwKernel* kernel) {
  int32_t count = kernel->shape->count;
  return write_kernel(writer, entry, (ZwMember){kernel, 0}, count, false, count > 1);
}

static int32_t count_outputs(const ZwWriter* writer, const ZwKernel* kernel, ZwEntry entry) {
  int32_t count = 0;
  for (int32_t i = 0; i < zw_tape_of(kernel, entry)->outputs.count; i++) {
    count += zw_kernel_takes(writer->program, kernel, entry, writer->is_of_masses, i);
  }
  return count;
}

static bool write_function(ZwWriter* writer, ZwEntry entry) {
  Run run = {0};
  begin_function(writer);
  for (int32_t i = 0; i < writer->program->kernels.count; i++) {
    const ZwKernel* kernel = &writer->program->kernels.items[i];
    const ZwTape* tape = zw_tape_of(kernel, entry);
    bool is_fine;
    if (count_outputs(writer, kernel, entry) == 0 || kernel->shape->count == 0) continue;
    if (writer->form == ZW_NATIVE_SCALAR)
      is_fine = write_scalar(writer, entry, kernel);
    else if (writer->program->is_group || is_for_run(kernel, tape))
      is_fine = add_to_run(writer, entry, kernel, &run);
    else
      is_fine = write_run(writer, entry, &run) && write_wide(writer, entry, kernel);
    if (!is_fine) return false;
  }
  if (!write_run(writer, entry, &run)) return false;
  end_function(writer);
  return true;
}

/* A part of the elimination is a set-up tape of one instance, or one of each of four members, whose values and constants are the
 * block. */
static bool write_part(ZwWriter* writer, ZwEliminatePart part) {
  writer->room = writer->program->elimination->registers;
  begin_function(writer);
  bool is_group = writer->program->is_group;
  ZwMember member = {&writer->program->elimination->parts[part], 0};
  ZwSection section = {.entry = ZW_ENTRY_COUNT, .is_wide = is_group, .count = is_group ? ZW_GROUP_FOUR : 1};
  if (!write_section(writer, section, &member, 1)) return false;
  end_function(writer);
  return true;
}

/* ---- programs ---- */

/* Functions of a program, one behind the other: entries, set-up, parts of the elimination, masses. */
enum { FIRST_PART = ZW_ENTRY_COUNT + 1, MASSES = FIRST_PART + ZW_ELIMINATE_PARTS, FUNCTIONS };

static const char* const no_avx2 = "it needs a processor with AVX2";
static const char* const forbidden = "this system does not let a program run code that it has written";

const char* zw_native_obstacle(void) {
  static const unsigned char nothing[] = {0xc3};
  bool is_forbidden;
  if (!zw_machine_has_avx2()) return no_avx2;
  void* memory = zw_executable_create(nothing, sizeof nothing, &is_forbidden);
  zw_executable_destroy(memory, sizeof nothing);
  return is_forbidden ? forbidden : NULL;
}

/* ORDER POOL */
static void add_fixed_constants(ZwX86* x86) {
  const uint64_t size_bits = INT64_MAX;
  double size;
  memcpy(&size, &size_bits, sizeof size);
  (void)zw_x86_constant(x86, 0.0);
  (void)zw_x86_constant(x86, 1.0);
  (void)zw_x86_constant(x86, -0.0);
  int32_t last = zw_x86_constant(x86, size);
  ZW_ASSERT(x86->arena->failed || last == ZW_POOL_FIXED - 1);
  (void)last;
}

/* Addresses are written with 32 bits. */
static bool is_small_enough(const ZwProgram* program) {
  const ZwEquations* e = program->equations;
  const ptrdiff_t sizes[] = {program->constants,
                             (ptrdiff_t)program->registers * ZW_LANES,
                             e->n,
                             e->m_all,
                             program->block.size,
                             e->M.count,
                             e->A.count,
                             e->output_count,
                             e->event_count,
                             (ptrdiff_t)e->system->params.count + e->literals.count};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    if (sizes[i] >= 1 << 27) return false;
  }
  return true;
}

enum { CODE_MAX = 1 << 30 }; /* bytes */

static ZwNativeFn function_at(const void* memory, int32_t begin) {
  const char* place = (const char*)memory + begin;
  ZwNativeFn function;
  _Static_assert(sizeof function == sizeof place, "POSIX lets functions be pointed at");
  memcpy(&function, &place, sizeof function);
  return function;
}

static ZwStatus install(ZwProgram* program, const ZwX86* x86, const int32_t* begins, const char** why) {
  ZwNative* native = ZW_NEW(program->arena, 1, ZwNative);
  if (!native) return ZW_ERR_MEMORY;
  bool is_forbidden;
  native->size = (size_t)x86->code.count;
  native->memory = zw_executable_create(x86->code.items, native->size, &is_forbidden);
  if (!native->memory && !is_forbidden) return ZW_ERR_MEMORY;
  if (!native->memory) {
    *why = forbidden;
    return ZW_ERR_UNSUPPORTED;
  }
  for (int i = 0; i < FUNCTIONS; i++) {
    ZwNativeFn function = begins[i] >= 0 ? function_at(native->memory, begins[i]) : NULL;
    if (i < ZW_ENTRY_COUNT)
      native->entries[i] = function;
    else if (i == ZW_ENTRY_COUNT)
      native->setup = function;
    else if (i < MASSES)
      native->parts[i - FIRST_PART] = function;
    else
      native->masses = function;
  }
  program->native = native;
  return ZW_OK;
}

static bool has_work(const ZwProgram* program, int function) {
  if (function == MASSES) return program->is_M_constant;
  if (function >= FIRST_PART) {
    return program->elimination && program->elimination->parts[function - FIRST_PART].constants > 0;
  }
  ZwEntry entry = (ZwEntry)function;
  for (int32_t i = 0; i < program->kernels.count; i++) {
    if (zw_tape_of(&program->kernels.items[i], entry)->outputs.count > 0) return true;
  }
  return false;
}

static bool write_any(ZwWriter* writer, int function) {
  writer->is_of_masses = function == MASSES;
  if (function == MASSES) return write_function(writer, ZW_ENTRY_ACCELERATION);
  return function >= FIRST_PART ? write_part(writer, (ZwEliminatePart)(function - FIRST_PART))
                                : write_function(writer, (ZwEntry)function);
}

static ZwStatus write_program(ZwWriter* writer, int32_t* begins) {
  ZwX86* x86 = &writer->x86;
  add_fixed_constants(x86);
  for (int i = 0; i < FUNCTIONS; i++) {
    begins[i] = has_work(writer->program, i) ? x86->code.count : -1;
    if (begins[i] >= 0 && !write_any(writer, i)) return ZW_ERR_MEMORY;
    if (writer->is_too_large || x86->code.count > CODE_MAX || x86->pool.count > CODE_MAX / (int32_t)sizeof(double))
      return ZW_ERR_LIMIT;
  }
  zw_x86_finish(x86);
  return x86->arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* What the limit of memory leaves; at least a byte, because 0 means no limit. */
static size_t room_of(const ZwArena* arena) {
  return arena->bytes < arena->limit ? arena->limit - arena->bytes : 1;
}

ZwStatus zw_native_compile(ZwProgram* program, ZwNativeForm form, const char** why) {
  static const char* const too_large = "the model is too large for it";
  *why = "";
  if (!zw_machine_has_avx2()) {
    *why = no_avx2;
    return ZW_ERR_UNSUPPORTED;
  }
  if (!is_small_enough(program)) {
    *why = too_large;
    return ZW_ERR_UNSUPPORTED;
  }
  ZwArena arena;
  zw_arena_init(&arena, &program->arena->allocator);
  if (program->arena->limit > 0) arena.limit = room_of(program->arena);
  ZwWriter writer = {.program = program, .form = form, .room = (ptrdiff_t)program->registers * ZW_LANES};
  zw_x86_init(&writer.x86, &arena);
  int32_t begins[FUNCTIONS];
  ZwStatus status = write_program(&writer, begins);
  if (status == ZW_ERR_LIMIT) {
    *why = too_large;
    status = ZW_ERR_UNSUPPORTED;
  }
  if (status == ZW_OK && writer.x86.code.count > 0) status = install(program, &writer.x86, begins, why);
  if (arena.limit_reached) {
    *why = "the limit of memory leaves no room for it";
    status = ZW_ERR_UNSUPPORTED;
  }
  zw_arena_destroy(&arena);
  return status;
}

void zw_native_destroy(ZwProgram* program) {
  if (program->native) zw_executable_destroy(program->native->memory, program->native->size);
  program->native = NULL;
}
