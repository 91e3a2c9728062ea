/* Which value is in which register. The code is straight, so the value that is needed last can make room: no other choice
 * loads less. Values never change, so they go to memory at most once. */
#include "base/assert.h"
#include "kernel/section.h"

void zw_section_begin(ZwSection* section) {
  for (int i = 0; i < ZW_X86_REGISTERS; i++) section->owner[i] = ZW_OWNER_NONE;
  section->pinned = 0;
  section->free_slots.count = section->leaving_slots.count = 0;
  section->slots = 0;
}

static ZwX86* code_of(ZwSection* section) {
  return &section->writer->x86;
}

/* ---- slots ---- */

int32_t zw_section_take_slot(ZwSection* section) {
  return section->free_slots.count > 0 ? section->free_slots.items[--section->free_slots.count] : section->slots++;
}

/* Not before the end of the instruction, which may read it still. */
void zw_section_free_slot(ZwSection* section, int32_t slot) {
  (void)ZW_PUSH(section->writer->scratch, &section->leaving_slots, slot);
}

ZwX86Operand zw_section_slot(const ZwSection* section, int32_t slot) {
  return zw_x86_memory(ZW_SECTION_SLOTS, slot * (int32_t)sizeof(double) * (section->is_wide ? ZW_X86_POOL_WIDTH : 1));
}

/* ---- registers ---- */

static const ZwFeed* feed_of(const ZwSection* section, const ZwValue* value) {
  return &section->feeds[value->source];
}

static bool can_reload(ZwSection* section, const ZwValue* value) {
  if (value->slot >= 0 || value->kind == ZW_VALUE_LITERAL) return true;
  return value->kind == ZW_VALUE_INPUT && zw_section_can_reload(section, feed_of(section, value));
}

static void save(ZwSection* section, ZwValue* value) {
  if (can_reload(section, value)) return;
  value->slot = zw_section_take_slot(section);
  zw_x86_store(code_of(section), section->is_wide, zw_section_slot(section, value->slot), value->in);
}

static int32_t next_use(const ZwSection* section, const ZwValue* value) {
  return value->use < value->uses_end ? section->uses[value->use] : INT32_MAX;
}

static int find_free(const ZwSection* section) {
  for (int i = 0; i < ZW_X86_REGISTERS; i++) {
    if (section->owner[i] == ZW_OWNER_NONE && !(section->pinned >> i & 1)) return i;
  }
  return -1;
}

static int find_last_needed(const ZwSection* section) {
  int found = -1;
  int32_t latest = -1;
  for (int i = 0; i < ZW_X86_REGISTERS; i++) {
    if (section->owner[i] < 0 || (section->pinned >> i & 1)) continue;
    int32_t next = next_use(section, &section->values[section->owner[i]]);
    if (next > latest) {
      latest = next;
      found = i;
    }
  }
  ZW_ASSERT(found >= 0);
  return found;
}

/* A register that nobody needs. */
static int make_room(ZwSection* section) {
  int in = find_free(section);
  if (in >= 0) return in;
  in = find_last_needed(section);
  ZwValue* value = &section->values[section->owner[in]];
  save(section, value);
  value->in = -1;
  section->owner[in] = ZW_OWNER_NONE;
  return in;
}

int zw_section_take(ZwSection* section) {
  int in = make_room(section);
  section->owner[in] = ZW_OWNER_TEMPORARY;
  section->pinned |= 1u << in;
  return in;
}

static void own(ZwSection* section, int32_t value, int in) {
  section->owner[in] = value;
  section->values[value].in = in;
  section->pinned |= 1u << in;
}

static void load(ZwSection* section, const ZwValue* value, int to) {
  if (value->slot >= 0)
    zw_x86_load(code_of(section), section->is_wide, to, zw_section_slot(section, value->slot));
  else if (value->kind == ZW_VALUE_LITERAL)
    zw_x86_load(code_of(section), section->is_wide, to, zw_x86_pool(value->source));
  else
    zw_section_load_feed(section, feed_of(section, value), to);
}

int zw_section_register(ZwSection* section, int32_t number) {
  ZwValue* value = &section->values[number];
  if (value->in < 0) {
    ZW_ASSERT(value->slot >= 0 || value->kind != ZW_VALUE_RESULT);
    int in = zw_section_take(section); /* pinned: loading may need another one */
    load(section, value, in);
    own(section, number, in);
  }
  section->pinned |= 1u << value->in;
  return value->in;
}

static bool find_memory(ZwSection* section, const ZwValue* value, ZwX86Operand* memory) {
  if (value->slot >= 0) {
    *memory = zw_section_slot(section, value->slot);
    return true;
  }
  return value->kind == ZW_VALUE_INPUT && zw_section_feed_memory(section, feed_of(section, value), memory);
}

ZwX86Operand zw_section_operand(ZwSection* section, int32_t number, bool is_bits) {
  const ZwValue* value = &section->values[number];
  if (value->in < 0) {
    ZwX86Operand memory;
    if (value->kind == ZW_VALUE_LITERAL) return zw_x86_pool(value->source);
    bool is_last = value->uses_end - value->use <= 1, may_be_memory = section->is_wide || !is_bits;
    if (may_be_memory && (is_last || find_free(section) < 0) && find_memory(section, value, &memory)) return memory;
  }
  return zw_x86_register(zw_section_register(section, number));
}

/* Frees what belongs to a value that is not used any more. */
static void release(ZwSection* section, ZwValue* value) {
  if (value->use < value->uses_end) return;
  if (value->in >= 0) {
    section->owner[value->in] = ZW_OWNER_NONE;
    section->pinned &= ~(1u << value->in);
    value->in = -1;
  }
  if (value->slot >= 0) zw_section_free_slot(section, value->slot);
  value->slot = -1;
}

void zw_section_drop(ZwSection* section, int32_t number) {
  ZwValue* value = &section->values[number];
  ZW_ASSERT(value->use < value->uses_end && section->uses[value->use] == section->position);
  value->use++;
  release(section, value);
}

void zw_section_drop_args(ZwSection* section, const ZwStep* step) {
  for (int k = 0; k < zw_op_arity(step->op); k++) zw_section_drop(section, step->args[k]);
}

void zw_section_keep(ZwSection* section, int32_t number, int in) {
  own(section, number, in);
}

int zw_section_result(ZwSection* section, int32_t number) {
  int in = make_room(section);
  own(section, number, in);
  return in;
}

void zw_section_end(ZwSection* section) {
  for (int i = 0; i < ZW_X86_REGISTERS; i++) {
    if (section->owner[i] == ZW_OWNER_TEMPORARY) section->owner[i] = ZW_OWNER_NONE;
  }
  for (int32_t i = 0; i < section->leaving_slots.count; i++) {
    (void)ZW_PUSH(section->writer->scratch, &section->free_slots, section->leaving_slots.items[i]);
  }
  section->leaving_slots.count = 0;
  section->pinned = 0;
}

void zw_section_save_all(ZwSection* section) {
  for (int i = 0; i < ZW_X86_REGISTERS; i++) {
    if (section->owner[i] >= 0) {
      ZwValue* value = &section->values[section->owner[i]];
      save(section, value);
      value->in = -1;
    }
    section->owner[i] = ZW_OWNER_NONE;
  }
  section->pinned = 0;
}

ZwX86Operand zw_section_memory(ZwSection* section, int32_t number) {
  ZwValue* value = &section->values[number];
  if (value->kind == ZW_VALUE_LITERAL) return zw_x86_pool(value->source);
  if (value->slot < 0) {
    int in = zw_section_register(section, number);
    value->slot = zw_section_take_slot(section);
    zw_x86_store(code_of(section), section->is_wide, zw_section_slot(section, value->slot), in);
  }
  return zw_section_slot(section, value->slot);
}
