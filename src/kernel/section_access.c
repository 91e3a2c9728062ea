/* How a section reads the state and adds to the targets. In a loop the index tables are walked; without one the instances are
 * known and so are the addresses. */
#include "base/assert.h"
#include "kernel/section.h"

static ZwX86* code_of(ZwSection* section) {
  return &section->writer->x86;
}

static int32_t bytes(ptrdiff_t doubles) {
  ZW_ASSERT(doubles < (1 << 27)); /* zw_native_compile looks at all sizes */
  return (int32_t)(doubles * (ptrdiff_t)sizeof(double));
}

static int32_t index_bytes(ptrdiff_t indices) {
  return (int32_t)(indices * (ptrdiff_t)sizeof(int32_t));
}

/* The instance of a lane; lanes that are left over repeat others. */
static int32_t instance_of(const ZwSection* section, int lane) {
  return section->first + lane % (section->count < ZW_X86_POOL_WIDTH ? section->count : ZW_X86_POOL_WIDTH);
}

/* ---- pointers of the state ---- */

void zw_writer_forget(ZwWriter* writer) {
  for (int i = 0; i < ZW_X86_REGISTERS; i++) writer->field_in[i] = 0;
}

/* A register that holds the pointer at this offset of the state; calls destroy it. */
static int pointer(ZwSection* section, size_t offset) {
  static const int candidates[] = {ZW_RSI, ZW_RDI, ZW_R8, ZW_R9, ZW_R10, ZW_R11};
  enum { CANDIDATES = sizeof candidates / sizeof *candidates };
  ZwWriter* writer = section->writer;
  for (int i = 0; i < CANDIDATES; i++) {
    if (writer->field_in[candidates[i]] == offset + 1) return candidates[i];
  }
  int in = candidates[writer->next_field];
  writer->next_field = (writer->next_field + 1) % CANDIDATES;
  writer->field_in[in] = offset + 1;
  zw_x86_read(&writer->x86, in, zw_x86_memory(ZW_SECTION_STATE, (int32_t)offset));
  return in;
}

static int target_pointer(ZwSection* section, ZwTarget target) {
  return pointer(section, offsetof(ZwKernelState, targets) + (size_t)target * sizeof(double*));
}

/* ---- inputs ---- */

/* An input that is read through an index table. */
typedef struct Source {
  const int32_t* indices; /* instances x stride */
  int32_t stride;
  bool has_indices;
} Source;

static Source source_of(const ZwSection* section, const ZwInput* input) {
  const ZwShape* shape = section->kernel->shape;
  switch (input->kind) {
    case ZW_INPUT_COORD:
    case ZW_INPUT_VELOCITY:
    case ZW_INPUT_ACCELERATION:
      return (Source){shape->instance_coords.items, shape->coords, true};
    case ZW_INPUT_REACTION:
      return (Source){shape->instance_reactions.items, shape->reactions, true};
    case ZW_INPUT_SLOT:
      return (Source){shape->instance_slots.items, shape->slots, true};
    case ZW_INPUT_TIME:
    case ZW_INPUT_CONSTANT:
      break;
  }
  return (Source){0};
}

static int base_of(ZwSection* section, ZwInputKind kind) {
  switch (kind) {
    case ZW_INPUT_COORD:
      return ZW_SECTION_Q;
    case ZW_INPUT_VELOCITY:
      return ZW_SECTION_V;
    case ZW_INPUT_ACCELERATION:
      return pointer(section, offsetof(ZwKernelState, a));
    case ZW_INPUT_REACTION:
      return pointer(section, offsetof(ZwKernelState, reactions));
    case ZW_INPUT_SLOT:
      return pointer(section, offsetof(ZwKernelState, values));
    case ZW_INPUT_TIME:
    case ZW_INPUT_CONSTANT:
      break;
  }
  return ZW_SECTION_CONSTANTS;
}

/* Constant number k of the instance of a lane. */
static ZwX86Operand constant_at(const ZwSection* section, int32_t k, int lane) {
  const ZwKernel* kernel = section->kernel;
  ptrdiff_t place = (ptrdiff_t)k * kernel->shape->count;
  if (section->is_loop) return zw_x86_memory(ZW_SECTION_CONSTANTS, bytes(place + lane));
  return zw_x86_memory(ZW_SECTION_CONSTANTS, bytes(kernel->constants_begin + place + instance_of(section, lane)));
}

/* The double that a lane reads; in a loop through rax. */
static ZwX86Operand input_at(ZwSection* section, const ZwInput* input, int lane) {
  if (input->kind == ZW_INPUT_TIME) return zw_x86_memory(ZW_SECTION_STATE, (int32_t)offsetof(ZwKernelState, t));
  if (input->kind == ZW_INPUT_CONSTANT) return constant_at(section, input->index, lane);
  Source source = source_of(section, input);
  int base = base_of(section, input->kind);
  if (!section->is_loop) {
    ptrdiff_t place = (ptrdiff_t)instance_of(section, lane) * source.stride + input->index;
    return zw_x86_memory(base, bytes(source.indices[place]));
  }
  int table = ZW_SECTION_INDICES;
  if (input->kind == ZW_INPUT_REACTION) {
    table = ZW_RCX;
    zw_x86_read(code_of(section), table, zw_x86_memory(ZW_RSP, ZW_STACK_REACTIONS));
  }
  int32_t offset = index_bytes(input->index + (ptrdiff_t)lane * source.stride);
  zw_x86_read_32(code_of(section), ZW_RAX, zw_x86_memory(table, offset));
  return zw_x86_indexed(base, ZW_RAX, 0);
}

/* The doubles of all lanes lie one behind the other. */
static bool is_contiguous(const ZwSection* section, const ZwInput* input) {
  if (!section->is_wide) return !section->is_loop || input->kind == ZW_INPUT_TIME || input->kind == ZW_INPUT_CONSTANT;
  if (!section->is_loop && section->count < ZW_X86_POOL_WIDTH) return false;
  if (input->kind == ZW_INPUT_CONSTANT) return true;
  Source source = source_of(section, input);
  if (section->is_loop || !source.has_indices) return false;
  for (int lane = 1; lane < ZW_X86_POOL_WIDTH; lane++) {
    ptrdiff_t place = (ptrdiff_t)instance_of(section, lane) * source.stride + input->index;
    if (source.indices[place] != source.indices[place - source.stride] + 1) return false;
  }
  return true;
}

/* All lanes read the same double. */
static bool is_common(const ZwSection* section, const ZwInput* input) {
  if (input->kind == ZW_INPUT_TIME) return true;
  Source source = source_of(section, input);
  if (section->is_loop || !source.has_indices) return false;
  for (int lane = 1; lane < ZW_X86_POOL_WIDTH; lane++) {
    ptrdiff_t first = (ptrdiff_t)instance_of(section, 0) * source.stride + input->index;
    ptrdiff_t place = (ptrdiff_t)instance_of(section, lane) * source.stride + input->index;
    if (source.indices[place] != source.indices[first]) return false;
  }
  return true;
}

bool zw_section_input_memory(ZwSection* section, const ZwInput* input, ZwX86Operand* memory) {
  if (!is_contiguous(section, input)) return false;
  *memory = input_at(section, input, 0);
  return true;
}

bool zw_section_can_reload(const ZwSection* section, const ZwInput* input) {
  return is_contiguous(section, input) || is_common(section, input);
}

static void gather(ZwSection* section, const ZwInput* input, int to) {
  ZwX86* x86 = code_of(section);
  zw_x86_load(x86, false, to, input_at(section, input, 0));
  zw_x86_load_second(x86, to, input_at(section, input, 1));
  if (!section->is_loop && section->count <= 2) {
    zw_x86_join(x86, to, to);
    return;
  }
  int upper = zw_section_take(section);
  zw_x86_load(x86, false, upper, input_at(section, input, 2));
  zw_x86_load_second(x86, upper, input_at(section, input, 3));
  zw_x86_join(x86, to, upper);
}

void zw_section_load_input(ZwSection* section, const ZwInput* input, int to) {
  ZwX86* x86 = code_of(section);
  if (is_contiguous(section, input))
    zw_x86_load(x86, section->is_wide, to, input_at(section, input, 0));
  else if (!section->is_wide)
    zw_x86_load(x86, false, to, input_at(section, input, 0));
  else if (is_common(section, input))
    zw_x86_spread(x86, to, input_at(section, input, 0));
  else
    gather(section, input, to);
}

/* ---- outputs ---- */

static bool is_setup(const ZwSection* section) {
  return section->entry == ZW_ENTRY_COUNT;
}

/* Where an output of a lane is added to; in a loop through rax. */
static ZwX86Operand target_at(ZwSection* section, int32_t output, int lane) {
  const ZwContribution* contribution = &section->kernel->shape->entries[section->entry].list.items[output];
  int32_t outputs = section->tape->outputs.count;
  int base = target_pointer(section, contribution->target);
  if (!section->is_loop) {
    const int32_t* scatter = section->kernel->scatter[section->entry];
    return zw_x86_memory(base, bytes(scatter[(ptrdiff_t)(section->first + lane) * outputs + output]));
  }
  ptrdiff_t place = (ptrdiff_t)lane * outputs + output;
  zw_x86_read_32(code_of(section), ZW_RAX, zw_x86_memory(ZW_SECTION_SCATTER, index_bytes(place)));
  return zw_x86_indexed(base, ZW_RAX, 0);
}

static void point_at_scatter(ZwSection* section) {
  if (!section->is_loop || is_setup(section)) return;
  zw_x86_read(code_of(section), ZW_SECTION_SCATTER, zw_x86_memory(ZW_RSP, ZW_STACK_SCATTER));
}

/* Scalar sections. */
void zw_section_write_output(ZwSection* section, int32_t output) {
  ZwX86* x86 = code_of(section);
  int32_t value = section->outputs[output];
  int from = zw_section_register(section, value);
  if (is_setup(section)) {
    zw_x86_store(x86, false, constant_at(section, output, 0), from);
  } else {
    point_at_scatter(section);
    ZwX86Operand target = target_at(section, output, 0);
    int sum = zw_section_take(section);
    zw_x86_apply(x86, ZW_X86_ADD, false, sum, from, target, 0);
    zw_x86_store(x86, false, target, sum);
  }
  zw_section_drop(section, value);
  zw_section_end(section);
}

/* One double of an output that lies in memory. */
static ZwX86Operand lane_of(ZwX86Operand memory, int lane) {
  memory.offset += memory.kind == ZW_X86_POOL ? 0 : lane * (int32_t)sizeof(double);
  return memory;
}

static void write_constants(ZwSection* section) {
  ZwX86* x86 = code_of(section);
  for (int32_t k = 0; k < section->tape->outputs.count; k++) {
    if (section->is_loop || section->count == ZW_X86_POOL_WIDTH) {
      zw_x86_store(x86, true, constant_at(section, k, 0), zw_section_register(section, section->outputs[k]));
      zw_section_end(section);
      continue;
    }
    ZwX86Operand memory = zw_section_memory(section, section->outputs[k]);
    int through = zw_section_take(section);
    for (int lane = 0; lane < section->count; lane++) {
      zw_x86_load(x86, false, through, lane_of(memory, lane));
      zw_x86_store(x86, false, constant_at(section, k, lane), through);
    }
    zw_section_end(section);
  }
}

/* Wide sections: instance by instance, as the interpreter does. */
void zw_section_write_outputs(ZwSection* section) {
  ZwX86* x86 = code_of(section);
  int32_t outputs = section->tape->outputs.count;
  if (is_setup(section)) {
    write_constants(section);
    return;
  }
  for (int32_t k = 0; k < outputs; k++) {
    (void)zw_section_memory(section, section->outputs[k]);
    zw_section_end(section);
  }
  point_at_scatter(section);
  int sum = zw_section_take(section);
  for (int lane = 0; lane < (section->is_loop ? ZW_X86_POOL_WIDTH : section->count); lane++) {
    for (int32_t k = 0; k < outputs; k++) {
      ZwX86Operand from = zw_section_memory(section, section->outputs[k]), target = target_at(section, k, lane);
      zw_x86_load(x86, false, sum, lane_of(from, lane));
      zw_x86_apply(x86, ZW_X86_ADD, false, sum, sum, target, 0);
      zw_x86_store(x86, false, target, sum);
    }
  }
  zw_section_end(section);
}

/* ---- loops ---- */

static const int32_t* at(const int32_t* table, ptrdiff_t place) {
  return table ? table + place : NULL;
}

static void set_address(ZwX86* x86, int to, const void* address) {
  zw_x86_set(x86, to, (uint64_t)(uintptr_t)address);
}

static const int32_t* indices_of(const ZwSection* section, int32_t* stride) {
  const ZwShape* shape = section->kernel->shape;
  *stride = is_setup(section) ? shape->slots : shape->coords;
  return is_setup(section) ? shape->instance_slots.items : shape->instance_coords.items;
}

int32_t zw_section_begin_loop(ZwSection* section) {
  ZwX86* x86 = code_of(section);
  ZwWriter* writer = section->writer;
  if (!section->is_loop) {
    if (!writer->has_constants) {
      zw_x86_read(x86, ZW_SECTION_CONSTANTS,
                  zw_x86_memory(ZW_SECTION_STATE, (int32_t)offsetof(ZwKernelState, constants)));
    }
    writer->has_constants = true;
    return 0;
  }
  const ZwShape* shape = section->kernel->shape;
  ptrdiff_t first = section->first;
  int32_t stride;
  const int32_t* indices = indices_of(section, &stride);
  set_address(x86, ZW_SECTION_INDICES, at(indices, first * stride));
  zw_x86_read(x86, ZW_SECTION_CONSTANTS, zw_x86_memory(ZW_SECTION_STATE, (int32_t)offsetof(ZwKernelState, constants)));
  zw_x86_add(x86, ZW_SECTION_CONSTANTS, bytes(section->kernel->constants_begin + first));
  if (!is_setup(section)) {
    set_address(x86, ZW_RAX, at(section->kernel->scatter[section->entry], first * section->tape->outputs.count));
    zw_x86_write(x86, zw_x86_memory(ZW_RSP, ZW_STACK_SCATTER), ZW_RAX);
  }
  if (shape->reactions > 0) {
    set_address(x86, ZW_RAX, at(shape->instance_reactions.items, first * shape->reactions));
    zw_x86_write(x86, zw_x86_memory(ZW_RSP, ZW_STACK_REACTIONS), ZW_RAX);
  }
  zw_x86_set(x86, ZW_RAX, (uint64_t)(section->count / (section->is_wide ? ZW_X86_POOL_WIDTH : 1)));
  zw_x86_write(x86, zw_x86_memory(ZW_RSP, ZW_STACK_COUNT), ZW_RAX);
  writer->has_constants = false;
  zw_writer_forget(writer);
  return x86->code.count;
}

void zw_section_end_loop(ZwSection* section, int32_t place) {
  if (!section->is_loop) return;
  ZwX86* x86 = code_of(section);
  int32_t width = section->is_wide ? ZW_X86_POOL_WIDTH : 1, stride;
  const ZwShape* shape = section->kernel->shape;
  (void)indices_of(section, &stride);
  zw_x86_add(x86, ZW_SECTION_INDICES, index_bytes((ptrdiff_t)stride * width));
  zw_x86_add(x86, ZW_SECTION_CONSTANTS, bytes(width));
  if (!is_setup(section)) {
    int32_t advance = index_bytes((ptrdiff_t)section->tape->outputs.count * width);
    zw_x86_add_memory(x86, zw_x86_memory(ZW_RSP, ZW_STACK_SCATTER), advance);
  }
  if (shape->reactions > 0) {
    int32_t advance = index_bytes((ptrdiff_t)shape->reactions * width);
    zw_x86_add_memory(x86, zw_x86_memory(ZW_RSP, ZW_STACK_REACTIONS), advance);
  }
  zw_x86_add_memory(x86, zw_x86_memory(ZW_RSP, ZW_STACK_COUNT), -1);
  zw_x86_jump_back_if_not_zero(x86, place);
  zw_writer_forget(section->writer);
}
