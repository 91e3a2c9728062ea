/* From tapes to values, each computed once, and the order of the steps. */
#include <string.h>

#include "base/assert.h"
#include "kernel/section.h"

const ZwTape* zw_tape_of(const ZwKernel* kernel, ZwEntry entry) {
  return entry == ZW_ENTRY_COUNT ? &kernel->setup : &kernel->tapes[entry];
}

bool zw_section_is_single(const ZwSection* section) {
  return !section->is_loop && (!section->is_wide || section->writer->program->is_group);
}

/* ---- values ---- */

/* The place of a key in the table: of an equal value, or a free one. */
static int32_t* find_place(ZwSection* section, const int32_t key[4]) {
  uint32_t hash = 0;
  for (int i = 0; i < 4; i++) hash = (hash ^ (uint32_t)key[i]) * 0x9e3779b1u;
  int32_t at = (int32_t)((hash ^ hash >> 15) & (uint32_t)(section->table_size - 1));
  for (;; at = (at + 1) & (section->table_size - 1)) {
    int32_t value = section->table[at] - 1;
    if (value < 0 || memcmp(section->values[value].key, key, 4 * sizeof *key) == 0) return &section->table[at];
  }
}

/* The value with this key; *is_new if there was none. */
static int32_t find_value(ZwSection* section, ZwValueKind kind, const int32_t key[4], bool* is_new) {
  int32_t* place = find_place(section, key);
  *is_new = *place == 0;
  if (*is_new) {
    ZwValue* value = &section->values[section->value_count++];
    *value = (ZwValue){kind, .in = -1, .slot = -1, .sine = -1, .cosine = -1, .batch = -1, .turned_at = -1};
    memcpy(value->key, key, sizeof value->key);
    *place = section->value_count;
  }
  return *place - 1;
}

/* Keys of leaves begin behind the operators. */
enum { KEY_LITERAL = ZW_OP_COUNT, KEY_INPUT };

static int32_t literal_value(ZwSection* section, double number) {
  int32_t key[4] = {KEY_LITERAL};
  memcpy(key + 1, &number, sizeof number);
  bool is_new;
  int32_t value = find_value(section, ZW_VALUE_LITERAL, key, &is_new);
  if (is_new) section->values[value].source = zw_x86_constant(&section->writer->x86, number);
  return value;
}

static ptrdiff_t constant_place(const ZwSection* section, const ZwMember* member, int32_t number) {
  if (member->kernel->places) return member->kernel->places[number];
  ptrdiff_t place = (ptrdiff_t)number * member->kernel->shape->count;
  return section->is_loop ? place : member->kernel->constants_begin + place + member->first;
}

static ZwFeed feed_of(const ZwSection* section, const ZwMember* member, const ZwInput* input) {
  const ZwShape* shape = member->kernel->shape;
  ZwFeed feed = {.kind = input->kind, .number = input->index};
  switch (input->kind) {
    case ZW_INPUT_TIME:
      break;
    case ZW_INPUT_CONSTANT:
      feed.constant = constant_place(section, member, input->index);
      break;
    case ZW_INPUT_REACTION:
      feed.column =
          zw_section_column(section, shape->instance_reactions.items, shape->reactions, member->first, input->index);
      break;
    case ZW_INPUT_SLOT:
      feed.column = zw_section_column(section, shape->instance_slots.items, shape->slots, member->first, input->index);
      break;
    case ZW_INPUT_COORD:
    case ZW_INPUT_VELOCITY:
    case ZW_INPUT_ACCELERATION:
      feed.column =
          zw_section_column(section, shape->instance_coords.items, shape->coords, member->first, input->index);
      break;
  }
  return feed;
}

/* Single instances read the same double if it has the same index, and so do four members of a group, whose indices follow each
 * other; others if it has the same column. */
static int32_t input_value(ZwSection* section, const ZwMember* member, const ZwInput* input) {
  ZwFeed feed = feed_of(section, member, input);
  bool is_single = zw_section_is_single(section);
  int32_t number = is_single && feed.column.indices ? feed.column.indices[0] : input->index;
  int32_t key[4] = {KEY_INPUT, (int32_t)input->kind, number, (int32_t)feed.constant};
  if (input->kind == ZW_INPUT_CONSTANT) key[2] = 0;
  bool is_new;
  int32_t value = find_value(section, ZW_VALUE_INPUT, key, &is_new);
  if (is_new) {
    section->values[value].source = section->feed_count;
    section->feeds[section->feed_count++] = feed;
  }
  return value;
}

static int32_t result_value(ZwSection* section, ZwOp op, const int32_t args[3]) {
  int32_t key[4] = {(int32_t)op, args[0], args[1], args[2]};
  if ((op == ZW_OP_ADD || op == ZW_OP_MUL) && args[0] > args[1]) {
    key[1] = args[1];
    key[2] = args[0];
  }
  bool is_new;
  int32_t value = find_value(section, ZW_VALUE_RESULT, key, &is_new);
  if (!is_new) return value;
  bool is_turn = op == ZW_OP_SIN || op == ZW_OP_COS;
  for (int k = 0; k < zw_op_arity(op); k++) {
    int32_t depth = section->values[args[k]].depth + is_turn;
    if (section->values[value].depth < depth) section->values[value].depth = depth;
  }
  if (op == ZW_OP_SIN) section->values[args[0]].sine = value;
  if (op == ZW_OP_COS) section->values[args[0]].cosine = value;
  section->steps[section->step_count++] = (ZwStep){op, {key[1], key[2], key[3]}, value};
  return value;
}

static ZwSink sink_of(const ZwSection* section, const ZwMember* member, int32_t number) {
  ZwSink sink = {.number = number};
  if (section->entry == ZW_ENTRY_COUNT) {
    sink.constant = constant_place(section, member, number);
    return sink;
  }
  const ZwContributions* contributions = &member->kernel->shape->entries[section->entry];
  const int32_t* scatter = member->kernel->scatter[section->entry];
  sink.target = contributions->list.items[number].target;
  sink.column = zw_section_column(section, scatter, contributions->list.count, member->first, number);
  return sink;
}

/* The tape's registers are used again and again; `current` says which value each holds. */
static void add_member(ZwSection* section, const ZwMember* member, int32_t* current) {
  const ZwTape* tape = zw_tape_of(member->kernel, section->entry);
  for (int32_t i = 0; i < tape->literals.count; i++) {
    current[tape->literals.items[i].dst] = literal_value(section, tape->literals.items[i].value);
  }
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    current[tape->inputs.items[i].dst] = input_value(section, member, &tape->inputs.items[i]);
  }
  for (int32_t i = 0; i < tape->code.count; i++) {
    const ZwInstr* instr = &tape->code.items[i];
    const int32_t registers[3] = {instr->a, instr->b, instr->c};
    int32_t args[3];
    for (int k = 0; k < 3; k++) args[k] = k < zw_op_arity(instr->op) ? current[registers[k]] : -1;
    current[instr->dst] = result_value(section, instr->op, args);
  }
  for (int32_t i = 0; i < tape->outputs.count; i++) {
    const ZwWriter* writer = section->writer;
    if (!zw_kernel_takes(writer->program, member->kernel, section->entry, writer->is_of_masses, i)) continue;
    ZwSink sink = sink_of(section, member, i);
    sink.value = current[tape->outputs.items[i]];
    section->sinks[section->sink_count++] = sink;
  }
}

/* ---- batches ---- */

static bool is_angle(const ZwValue* value) {
  return value->sine >= 0 || value->cosine >= 0;
}

/* Angles whose sines and cosines are computed together, if there are several. Their slots must have room. */
static bool choose_batch(ZwSection* section, int32_t depth) {
  int32_t count = 0, most = 4 * section->writer->program->registers - section->batched;
  for (int32_t i = 0; i < section->value_count; i++) {
    ZwValue* value = &section->values[i];
    if (is_angle(value) && value->depth == depth && count < most) count++;
  }
  if (count < 2) return false;
  for (int32_t i = 0; i < section->value_count && count > 0; i++) {
    ZwValue* value = &section->values[i];
    if (!is_angle(value) || value->depth != depth) continue;
    value->batch = depth;
    section->batched++;
    count--;
  }
  return true;
}

static bool is_batched(const ZwSection* section, const ZwStep* step) {
  bool is_turn = step->op == ZW_OP_SIN || step->op == ZW_OP_COS;
  return is_turn && section->values[step->args[0]].batch >= 0;
}

/* Puts what a batch needs before it, and the batch behind that. */
static void place_batch(ZwSection* section, const ZwStep* steps, int32_t count, bool* is_needed, bool* is_placed,
                        int32_t batch) {
  memset(is_needed, 0, (size_t)section->value_count * sizeof *is_needed);
  for (int32_t i = 0; i < section->value_count; i++) is_needed[i] = section->values[i].batch == batch;
  for (int32_t i = count - 1; i >= 0; i--) {
    if (!is_needed[steps[i].result] || is_placed[i]) continue;
    for (int k = 0; k < zw_op_arity(steps[i].op); k++) is_needed[steps[i].args[k]] = true;
  }
  for (int32_t i = 0; i < count; i++) {
    if (!is_needed[steps[i].result] || is_placed[i]) continue;
    is_placed[i] = true;
    if (!is_batched(section, &steps[i])) section->steps[section->step_count++] = steps[i];
  }
  section->steps[section->step_count++] = (ZwStep){ZW_OP_COUNT, {batch}, -1};
}

/* Steps in their order, except that batches come as early as they can. Scalar forms are left without vector instructions. */
static bool order_steps(ZwSection* section) {
  ZwArena* arena = section->writer->scratch;
  int32_t count = section->step_count;
  if (section->writer->form == ZW_NATIVE_SCALAR) return true;
  const ZwStep* steps = section->steps;
  ZwStep* ordered = ZW_NEW(arena, count + ZW_BATCHES, ZwStep);
  bool* is_needed = ZW_NEW(arena, section->value_count, bool);
  bool* is_placed = ZW_NEW(arena, count, bool);
  if (arena->failed) return false;
  section->steps = ordered;
  section->step_count = 0;
  for (int32_t batch = 0; batch < ZW_BATCHES; batch++) {
    if (choose_batch(section, batch)) place_batch(section, steps, count, is_needed, is_placed, batch);
  }
  for (int32_t i = 0; i < count; i++) {
    if (!is_placed[i] && !is_batched(section, &steps[i])) section->steps[section->step_count++] = steps[i];
  }
  return true;
}

/* ---- uses ---- */

static void add_use(ZwSection* section, int32_t number, int32_t position, bool is_noting) {
  ZwValue* value = &section->values[number];
  if (is_noting) section->uses[value->uses_end] = position;
  value->uses_end++;
}

/* What step i reads. Of sine and cosine of one angle the first one computes both. */
static void visit_step(ZwSection* section, int32_t i, bool is_noting) {
  const ZwStep* step = &section->steps[i];
  if (step->op == ZW_OP_COUNT) {
    for (int32_t v = 0; v < section->value_count; v++) {
      if (section->values[v].batch == step->args[0]) add_use(section, v, 2 * i, is_noting);
    }
    return;
  }
  ZwValue* angle = &section->values[step->args[0]];
  if (step->op == ZW_OP_SIN || step->op == ZW_OP_COS) {
    if (angle->turned_at < 0) angle->turned_at = i;
    if (angle->turned_at != i) return;
  }
  for (int k = 0; k < zw_op_arity(step->op); k++) add_use(section, step->args[k], 2 * i, is_noting);
}

/* All uses in the order of their positions: counts them, or notes them. */
static void visit_uses(ZwSection* section, bool is_noting) {
  int32_t sink = 0;
  for (int32_t i = -1; i <= section->step_count; i++) {
    if (i >= 0 && i < section->step_count) visit_step(section, i, is_noting);
    for (; sink < section->sink_count && section->sinks[sink].ready_at == i; sink++) {
      add_use(section, section->sinks[sink].value, 2 * i + 1, is_noting);
    }
  }
  ZW_ASSERT(sink == section->sink_count);
}

/* Sinks are written in their order, each as soon as it and those before it are known; by wide sections at the end, because
 * all of one instance come before those of the next. Members of a group never write to the same place. */
static bool plan_sinks(ZwSection* section) {
  int32_t* place = ZW_NEW(section->writer->scratch, section->value_count, int32_t);
  if (!place) return false;
  for (int32_t i = 0; i < section->value_count; i++) place[i] = -1;
  for (int32_t i = 0; i < section->step_count; i++) {
    const ZwStep* step = &section->steps[i];
    if (step->op != ZW_OP_COUNT) place[step->result] = i;
    for (int32_t v = 0; v < section->value_count && step->op == ZW_OP_COUNT; v++) {
      const ZwValue* value = &section->values[v];
      if (value->batch != step->args[0]) continue;
      if (value->sine >= 0) place[value->sine] = i;
      if (value->cosine >= 0) place[value->cosine] = i;
    }
  }
  int32_t ready = section->is_wide && !zw_section_is_single(section) ? section->step_count : -1;
  for (int32_t i = 0; i < section->sink_count; i++) {
    ZwSink* sink = &section->sinks[i];
    if (place[sink->value] > ready) ready = place[sink->value];
    sink->ready_at = ready;
  }
  return true;
}

static bool find_uses(ZwSection* section) {
  visit_uses(section, false);
  int32_t begin = 0;
  for (int32_t i = 0; i < section->value_count; i++) {
    ZwValue* value = &section->values[i];
    int32_t uses = value->uses_end;
    value->use = value->uses_end = begin;
    begin += uses;
  }
  section->uses = ZW_NEW(section->writer->scratch, begin, int32_t);
  if (!section->uses) return false;
  visit_uses(section, true);
  return true;
}

/* ---- all of it ---- */

/* Room for all members as if no two values were equal. */
static int32_t* open_section(ZwSection* section, const ZwMember* members, int32_t count) {
  ZwArena* arena = section->writer->scratch;
  ptrdiff_t values = 0, steps = 0, feeds = 0, sinks = 0, registers = 0;
  for (int32_t i = 0; i < count; i++) {
    const ZwTape* tape = zw_tape_of(members[i].kernel, section->entry);
    steps += tape->code.count;
    feeds += tape->inputs.count;
    sinks += tape->outputs.count;
    values += tape->literals.count + tape->inputs.count + tape->code.count;
    if (registers < tape->registers) registers = tape->registers;
  }
  section->table_size = 16;
  while (section->table_size < 2 * values) section->table_size *= 2;
  section->values = ZW_NEW(arena, values, ZwValue);
  section->steps = ZW_NEW(arena, steps, ZwStep);
  section->feeds = ZW_NEW(arena, feeds, ZwFeed);
  section->sinks = ZW_NEW(arena, sinks, ZwSink);
  section->table = ZW_NEW(arena, section->table_size, int32_t);
  int32_t* current = ZW_NEW(arena, registers, int32_t);
  return arena->failed ? NULL : current;
}

bool zw_section_number(ZwSection* section, const ZwMember* members, int32_t count) {
  int32_t* current = open_section(section, members, count);
  if (!current) return false;
  for (int32_t i = 0; i < count; i++) add_member(section, &members[i], current);
  return order_steps(section) && plan_sinks(section) && find_uses(section);
}
