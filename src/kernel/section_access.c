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

/* The instance of a lane, from the first on; lanes that are left over repeat others. */
static int32_t instance_of(const ZwSection* section, int lane) {
  return lane % (section->count < ZW_X86_POOL_WIDTH ? section->count : ZW_X86_POOL_WIDTH);
}

/* ---- pointers of the state ---- */

void zw_writer_forget(ZwWriter* writer) {
  for (int i = 0; i < ZW_X86_REGISTERS; i++) writer->word_in[i] = 0;
}

/* A register that holds the word at this place; calls destroy it. The last few that were asked for stay. */
static int word_at(ZwSection* section, int base, size_t offset) {
  static const int candidates[] = {ZW_RSI, ZW_RDI, ZW_R8, ZW_R9, ZW_R10, ZW_R11};
  ZwWriter* writer = section->writer;
  size_t word = offset * 2 + (base == ZW_RSP) + 1;
  int found = candidates[0];
  for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
    int in = candidates[i];
    if (writer->word_in[in] == word) {
      writer->asked_at[in] = ++writer->asked;
      return in;
    }
    if (writer->asked_at[in] < writer->asked_at[found]) found = in;
  }
  writer->word_in[found] = word;
  writer->asked_at[found] = ++writer->asked;
  zw_x86_read(&writer->x86, found, zw_x86_memory(base, (int32_t)offset));
  return found;
}

static int pointer(ZwSection* section, size_t offset) {
  return word_at(section, ZW_SECTION_STATE, offset);
}

static int target_pointer(ZwSection* section, ZwTarget target) {
  return pointer(section, offsetof(ZwKernelState, targets) + (size_t)target * sizeof(double*));
}

/* ---- columns of index tables ---- */

ZwColumn zw_section_column(const ZwSection* section, const int32_t* table, int32_t stride, int32_t first,
                           int32_t number) {
  const int32_t* indices = table + (ptrdiff_t)first * stride + number;
  ZwColumn column = {indices, stride, section->is_loop, section->is_loop ? indices[stride] - indices[0] : 0};
  for (ptrdiff_t i = 2; i < section->count && column.is_even; i++) {
    column.is_even = indices[i * stride] - indices[(i - 1) * stride] == column.step;
  }
  return column;
}

/* The number of the step among those that the loop counts; -1: there are too many. */
static int number_of_step(ZwSection* section, int32_t step) {
  for (int i = 0; i < section->advance_count; i++) {
    if (section->advances[i] == step) return i;
  }
  if (section->advance_count == ZW_ADVANCES) return -1;
  section->advances[section->advance_count] = step;
  return section->advance_count++;
}

/* The double that a lane finds by a column; `table` points at the row of the next instance if one must be read. */
static ZwX86Operand element_at(ZwSection* section, const ZwColumn* column, int base, int table, int32_t number,
                               int lane) {
  if (!section->is_loop) {
    return zw_x86_memory(base, bytes(column->indices[(ptrdiff_t)instance_of(section, lane) * column->stride]));
  }
  int step = column->is_even && column->step != 0 ? number_of_step(section, column->step) : -1;
  if (column->is_even && (column->step == 0 || step >= 0)) {
    int32_t offset = bytes((ptrdiff_t)column->indices[0] + (ptrdiff_t)lane * column->step);
    if (column->step == 0) return zw_x86_memory(base, offset);
    return zw_x86_indexed(base, word_at(section, ZW_RSP, ZW_STACK_ADVANCES + (size_t)step * 8), offset);
  }
  int32_t offset = index_bytes(number + (ptrdiff_t)lane * column->stride);
  zw_x86_read_32(code_of(section), ZW_RAX, zw_x86_memory(table, offset));
  return zw_x86_indexed(base, ZW_RAX, 0);
}

/* ---- feeds ---- */

static bool has_column(const ZwFeed* feed) {
  return feed->kind != ZW_INPUT_TIME && feed->kind != ZW_INPUT_CONSTANT;
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

/* The constant of a lane from that of the first instance. */
static ZwX86Operand constant_at(const ZwSection* section, ptrdiff_t place, int lane) {
  return zw_x86_memory(ZW_SECTION_CONSTANTS, bytes(place + instance_of(section, lane)));
}

/* The double that a lane reads; in a loop perhaps through rax. */
static ZwX86Operand feed_at(ZwSection* section, const ZwFeed* feed, int lane) {
  if (feed->kind == ZW_INPUT_TIME) return zw_x86_memory(ZW_SECTION_STATE, (int32_t)offsetof(ZwKernelState, t));
  if (feed->kind == ZW_INPUT_CONSTANT) return constant_at(section, feed->constant, lane);
  int base = base_of(section, feed->kind), table = ZW_SECTION_INDICES;
  if (feed->kind == ZW_INPUT_REACTION && section->is_loop) {
    table = ZW_RCX;
    zw_x86_read(code_of(section), table, zw_x86_memory(ZW_RSP, ZW_STACK_REACTIONS));
  }
  return element_at(section, &feed->column, base, table, feed->number, lane);
}

/* The steps from lane to lane are all this one. */
static bool has_step(ZwSection* section, const ZwColumn* column, int32_t step) {
  if (section->is_loop) {
    return column->is_even && column->step == step && (step == 0 || number_of_step(section, step) >= 0);
  }
  for (int lane = 1; lane < ZW_X86_POOL_WIDTH; lane++) {
    int32_t before = instance_of(section, lane - 1), here = instance_of(section, lane);
    const int32_t* indices = column->indices;
    if (indices[(ptrdiff_t)here * column->stride] - indices[(ptrdiff_t)before * column->stride] != step) return false;
  }
  return true;
}

/* The doubles of all lanes lie one behind the other. */
static bool is_contiguous(ZwSection* section, const ZwFeed* feed) {
  if (!has_column(feed)) {
    bool is_short = !section->is_loop && section->count < ZW_X86_POOL_WIDTH;
    return !section->is_wide || (feed->kind == ZW_INPUT_CONSTANT && !is_short);
  }
  if (!section->is_wide && !section->is_loop) return true;
  const ZwColumn* column = &feed->column;
  if (!section->is_wide) return column->is_even && (column->step == 0 || number_of_step(section, column->step) >= 0);
  return has_step(section, column, 1);
}

/* All lanes read the same double. */
static bool is_common(ZwSection* section, const ZwFeed* feed) {
  if (!has_column(feed)) return feed->kind == ZW_INPUT_TIME;
  return has_step(section, &feed->column, 0);
}

bool zw_section_feed_memory(ZwSection* section, const ZwFeed* feed, ZwX86Operand* memory) {
  if (!is_contiguous(section, feed)) return false;
  *memory = feed_at(section, feed, 0);
  return true;
}

bool zw_section_can_reload(ZwSection* section, const ZwFeed* feed) {
  return is_contiguous(section, feed) || is_common(section, feed);
}

static void gather(ZwSection* section, const ZwFeed* feed, int to) {
  ZwX86* x86 = code_of(section);
  zw_x86_load(x86, false, to, feed_at(section, feed, 0));
  zw_x86_load_second(x86, to, feed_at(section, feed, 1));
  if (!section->is_loop && section->count <= 2) {
    zw_x86_join(x86, to, to);
    return;
  }
  int upper = zw_section_take(section);
  zw_x86_load(x86, false, upper, feed_at(section, feed, 2));
  zw_x86_load_second(x86, upper, feed_at(section, feed, 3));
  zw_x86_join(x86, to, upper);
}

void zw_section_load_feed(ZwSection* section, const ZwFeed* feed, int to) {
  ZwX86* x86 = code_of(section);
  if (is_contiguous(section, feed))
    zw_x86_load(x86, section->is_wide, to, feed_at(section, feed, 0));
  else if (!section->is_wide)
    zw_x86_load(x86, false, to, feed_at(section, feed, 0));
  else if (is_common(section, feed))
    zw_x86_spread(x86, to, feed_at(section, feed, 0));
  else
    gather(section, feed, to);
}

/* ---- sinks ---- */

static bool is_setup(const ZwSection* section) {
  return section->entry == ZW_ENTRY_COUNT;
}

/* Where a lane adds; in a loop perhaps through rax. */
static ZwX86Operand target_at(ZwSection* section, const ZwSink* sink, int lane) {
  return element_at(section, &sink->column, target_pointer(section, sink->target), ZW_SECTION_SCATTER, sink->number,
                    lane);
}

enum { LOOKED_AT_MAX = 64 }; /* pairs of them are compared */

/* Whether no two of four instances write to the same place: then their order is free. */
static bool are_lanes_apart(ZwSection* section) {
  if (section->sink_count > LOOKED_AT_MAX) return false;
  for (int32_t k = 0; k < section->sink_count; k++) {
    const ZwSink* sink = &section->sinks[k];
    if (!has_step(section, &sink->column, 1)) return false;
    for (int32_t i = 0; i < k; i++) {
      const ZwSink* other = &section->sinks[i];
      int32_t apart = sink->column.indices[0] - other->column.indices[0];
      bool is_near = apart != 0 && apart > -ZW_X86_POOL_WIDTH && apart < ZW_X86_POOL_WIDTH;
      if (is_near && sink->target == other->target) return false;
    }
  }
  return true;
}

static void point_at_scatter(ZwSection* section) {
  if (!section->is_loop || is_setup(section)) return;
  zw_x86_read(code_of(section), ZW_SECTION_SCATTER, zw_x86_memory(ZW_RSP, ZW_STACK_SCATTER));
}

/* Scalar sections, and those of groups. */
void zw_section_write_output(ZwSection* section, int32_t number) {
  ZwX86* x86 = code_of(section);
  const ZwSink* sink = &section->sinks[number];
  int from = zw_section_register(section, sink->value);
  if (is_setup(section)) {
    zw_x86_store(x86, section->is_wide, constant_at(section, sink->constant, 0), from);
  } else {
    point_at_scatter(section);
    ZwX86Operand target = target_at(section, sink, 0);
    int sum = zw_section_take(section);
    zw_x86_apply(x86, ZW_X86_ADD, section->is_wide, sum, from, target, 0);
    zw_x86_store(x86, section->is_wide, target, sum);
  }
  zw_section_drop(section, sink->value);
  zw_section_end(section);
}

/* One double of what lies in memory. */
static ZwX86Operand lane_of(ZwX86Operand memory, int lane) {
  memory.offset += memory.kind == ZW_X86_POOL ? 0 : lane * (int32_t)sizeof(double);
  return memory;
}

static bool is_full(const ZwSection* section) {
  return section->is_loop || section->count == ZW_X86_POOL_WIDTH;
}

static void write_constants(ZwSection* section) {
  ZwX86* x86 = code_of(section);
  for (int32_t k = 0; k < section->sink_count; k++) {
    const ZwSink* sink = &section->sinks[k];
    if (is_full(section)) {
      zw_x86_store(x86, true, constant_at(section, sink->constant, 0), zw_section_register(section, sink->value));
      zw_section_end(section);
      continue;
    }
    ZwX86Operand memory = zw_section_memory(section, sink->value);
    int through = zw_section_take(section);
    for (int lane = 0; lane < section->count; lane++) {
      zw_x86_load(x86, false, through, lane_of(memory, lane));
      zw_x86_store(x86, false, constant_at(section, sink->constant, lane), through);
    }
    zw_section_end(section);
  }
}

/* Four instances at once. */
static void add_wide(ZwSection* section) {
  ZwX86* x86 = code_of(section);
  for (int32_t k = 0; k < section->sink_count; k++) {
    const ZwSink* sink = &section->sinks[k];
    int from = zw_section_register(section, sink->value), sum = zw_section_take(section);
    ZwX86Operand target = target_at(section, sink, 0);
    zw_x86_apply(x86, ZW_X86_ADD, true, sum, from, target, 0);
    zw_x86_store(x86, true, target, sum);
    zw_section_end(section);
  }
}

/* Instance by instance, as the interpreter does. */
static void add_in_order(ZwSection* section) {
  ZwX86* x86 = code_of(section);
  for (int32_t k = 0; k < section->sink_count; k++) {
    (void)zw_section_memory(section, section->sinks[k].value);
    zw_section_end(section);
  }
  point_at_scatter(section);
  int sum = zw_section_take(section);
  for (int lane = 0; lane < (section->is_loop ? ZW_X86_POOL_WIDTH : section->count); lane++) {
    for (int32_t k = 0; k < section->sink_count; k++) {
      const ZwSink* sink = &section->sinks[k];
      ZwX86Operand from = zw_section_memory(section, sink->value), target = target_at(section, sink, lane);
      zw_x86_load(x86, false, sum, lane_of(from, lane));
      zw_x86_apply(x86, ZW_X86_ADD, false, sum, sum, target, 0);
      zw_x86_store(x86, false, target, sum);
    }
  }
  zw_section_end(section);
}

/* Wide sections. */
void zw_section_write_outputs(ZwSection* section) {
  if (is_setup(section))
    write_constants(section);
  else if (is_full(section) && are_lanes_apart(section))
    add_wide(section);
  else
    add_in_order(section);
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

/* Of the kernel of a loop: the length of a row of its table, whether all of it is written or not. */
static ptrdiff_t outputs_of(const ZwSection* section) {
  return zw_tape_of(section->kernel, section->entry)->outputs.count;
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
    set_address(x86, ZW_RAX, at(section->kernel->scatter[section->entry], first * outputs_of(section)));
    zw_x86_write(x86, zw_x86_memory(ZW_RSP, ZW_STACK_SCATTER), ZW_RAX);
  }
  if (shape->reactions > 0) {
    set_address(x86, ZW_RAX, at(shape->instance_reactions.items, first * shape->reactions));
    zw_x86_write(x86, zw_x86_memory(ZW_RSP, ZW_STACK_REACTIONS), ZW_RAX);
  }
  zw_x86_set(x86, ZW_RAX, (uint64_t)(section->count / (section->is_wide ? ZW_X86_POOL_WIDTH : 1)));
  zw_x86_write(x86, zw_x86_memory(ZW_RSP, ZW_STACK_COUNT), ZW_RAX);
  zw_x86_set(x86, ZW_RAX, 0); /* which of them the body counts is known behind it */
  for (int i = 0; i < ZW_ADVANCES; i++) zw_x86_write(x86, zw_x86_memory(ZW_RSP, ZW_STACK_ADVANCES + 8 * i), ZW_RAX);
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
    int32_t advance = index_bytes(outputs_of(section) * width);
    zw_x86_add_memory(x86, zw_x86_memory(ZW_RSP, ZW_STACK_SCATTER), advance);
  }
  if (shape->reactions > 0) {
    int32_t advance = index_bytes((ptrdiff_t)shape->reactions * width);
    zw_x86_add_memory(x86, zw_x86_memory(ZW_RSP, ZW_STACK_REACTIONS), advance);
  }
  for (int i = 0; i < section->advance_count; i++) {
    zw_x86_add_memory(x86, zw_x86_memory(ZW_RSP, ZW_STACK_ADVANCES + 8 * i), section->advances[i] * width);
  }
  zw_x86_add_memory(x86, zw_x86_memory(ZW_RSP, ZW_STACK_COUNT), -1);
  zw_x86_jump_back_if_not_zero(x86, place);
  zw_writer_forget(section->writer);
}
