#include "kernel/native.h"

#include <string.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/machine.h"
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

static bool write_section(ZwWriter* writer, ZwSection section) {
  ZwArena scratch;
  zw_arena_init(&scratch, &writer->program->arena->allocator);
  scratch.limit = writer->x86.arena->limit;
  writer->scratch = &scratch;
  section.writer = writer;
  bool is_fine = zw_section_write(&section);
  if (scratch.limit_reached) writer->x86.arena->limit_reached = true;
  zw_arena_destroy(&scratch);
  return is_fine;
}

/* Four instances at a time in a loop, the rest at once, a single one in scalar instructions. */
static bool write_best(ZwWriter* writer, ZwSection section) {
  int32_t count = section.kernel->shape->count, loops = count / ZW_X86_POOL_WIDTH, rest = count % ZW_X86_POOL_WIDTH;
  if (loops > 0) {
    section.is_wide = true;
    section.is_loop = loops > 1;
    section.count = loops * ZW_X86_POOL_WIDTH;
    if (!write_section(writer, section)) return false;
  }
  if (rest == 0) return true;
  section.first = count - rest;
  section.count = rest;
  section.is_wide = rest > 1;
  section.is_loop = false;
  return write_section(writer, section);
}

static bool write_scalar(ZwWriter* writer, ZwSection section) {
  section.count = section.kernel->shape->count;
  section.is_loop = section.count > 1;
  return write_section(writer, section);
}

static const ZwTape* tape_of(const ZwKernel* kernel, ZwEntry entry) {
  return entry == ZW_ENTRY_COUNT ? &kernel->setup : &kernel->tapes[entry];
}

static bool has_work(const ZwProgram* program, ZwEntry entry) {
  for (int32_t i = 0; i < program->kernels.count; i++) {
    if (tape_of(&program->kernels.items[i], entry)->outputs.count > 0) return true;
  }
  return false;
}

static bool write_function(ZwWriter* writer, ZwEntry entry, ZwNativeForm form) {
  begin_function(writer);
  for (int32_t i = 0; i < writer->program->kernels.count; i++) {
    const ZwKernel* kernel = &writer->program->kernels.items[i];
    ZwSection section = {.kernel = kernel, .tape = tape_of(kernel, entry), .entry = entry};
    if (section.tape->outputs.count == 0 || kernel->shape->count == 0) continue;
    bool is_fine = form == ZW_NATIVE_SCALAR ? write_scalar(writer, section) : write_best(writer, section);
    if (!is_fine) return false;
  }
  end_function(writer);
  return true;
}

/* ---- programs ---- */

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
  for (int entry = 0; entry <= ZW_ENTRY_COUNT; entry++) {
    ZwNativeFn function = begins[entry] >= 0 ? function_at(native->memory, begins[entry]) : NULL;
    if (entry < ZW_ENTRY_COUNT)
      native->entries[entry] = function;
    else
      native->setup = function;
  }
  program->native = native;
  return ZW_OK;
}

static ZwStatus write_program(ZwWriter* writer, ZwNativeForm form, int32_t* begins) {
  ZwX86* x86 = &writer->x86;
  add_fixed_constants(x86);
  for (int entry = 0; entry <= ZW_ENTRY_COUNT; entry++) {
    begins[entry] = has_work(writer->program, (ZwEntry)entry) ? x86->code.count : -1;
    if (begins[entry] >= 0 && !write_function(writer, (ZwEntry)entry, form)) return ZW_ERR_MEMORY;
    if (x86->code.count > CODE_MAX || x86->pool.count > CODE_MAX / (int32_t)sizeof(double)) return ZW_ERR_LIMIT;
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
  ZwWriter writer = {.program = program};
  zw_x86_init(&writer.x86, &arena);
  int32_t begins[ZW_ENTRY_COUNT + 1];
  ZwStatus status = write_program(&writer, form, begins);
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
