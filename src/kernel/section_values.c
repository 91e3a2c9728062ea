#include "base/assert.h"
#include "kernel/section.h"

static bool is_turn(ZwOp op) {
  return op == ZW_OP_SIN || op == ZW_OP_COS;
}

/* The values behind the registers of the tape, which are used again and again there. */
static void name_values(ZwSection* section, int32_t* current) {
  const ZwTape* tape = section->tape;
  int32_t count = 0;
  for (int32_t i = 0; i < tape->literals.count; i++) {
    int32_t constant = zw_x86_constant(&section->writer->x86, tape->literals.items[i].value);
    current[tape->literals.items[i].dst] = count;
    section->values[count++] = (ZwValue){ZW_VALUE_LITERAL, constant, .in = -1, .slot = -1, .sine = -1, .cosine = -1};
  }
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    current[tape->inputs.items[i].dst] = count;
    section->values[count++] = (ZwValue){ZW_VALUE_INPUT, i, .in = -1, .slot = -1, .sine = -1, .cosine = -1};
  }
  section->first_result = count;
  for (int32_t i = 0; i < tape->code.count; i++) {
    const ZwInstr* instr = &tape->code.items[i];
    const int32_t registers[3] = {instr->a, instr->b, instr->c};
    for (int k = 0; k < 3; k++) section->args[3 * i + k] = k < zw_op_arity(instr->op) ? current[registers[k]] : -1;
    ZwValue* angle = &section->values[section->args[3 * i]];
    if (instr->op == ZW_OP_SIN) angle->sine = count;
    if (instr->op == ZW_OP_COS) angle->cosine = count;
    current[instr->dst] = count;
    section->values[count++] = (ZwValue){ZW_VALUE_RESULT, i, .in = -1, .slot = -1, .sine = -1, .cosine = -1};
  }
  for (int32_t i = 0; i < tape->outputs.count; i++) section->outputs[i] = current[tape->outputs.items[i]];
}

/* Outputs are written in their order, each as soon as it and those before it are known; by wide sections at the end, because
 * all of one instance come before those of the next. */
static void plan_outputs(ZwSection* section) {
  int32_t ready = section->is_wide ? section->tape->code.count : -1;
  for (int32_t i = 0; i < section->tape->outputs.count; i++) {
    const ZwValue* value = &section->values[section->outputs[i]];
    if (value->kind == ZW_VALUE_RESULT && value->source > ready) ready = value->source;
    section->ready_at[i] = ready;
  }
}

/* Sine and cosine of one angle are computed together: the later one does not read the angle. */
static bool reads(const ZwSection* section, int32_t i, int k) {
  int32_t arg = section->args[3 * i + k];
  if (arg < 0) return false;
  if (!is_turn(section->tape->code.items[i].op)) return true;
  const ZwValue* angle = &section->values[arg];
  int32_t self = section->first_result + i;
  return !((angle->sine >= 0 && angle->sine < self) || (angle->cosine >= 0 && angle->cosine < self));
}

/* Goes through all uses in the order of their positions; counts them, or notes them where `begins` says. */
static void visit_uses(ZwSection* section, bool is_noting) {
  int32_t output = 0, outputs = section->tape->outputs.count, count = section->tape->code.count;
  for (int32_t i = -1; i <= count; i++) {
    for (int k = 0; k < 3 && i >= 0 && i < count; k++) {
      if (!reads(section, i, k)) continue;
      ZwValue* value = &section->values[section->args[3 * i + k]];
      if (is_noting) section->uses[value->uses_end] = 2 * i;
      value->uses_end++;
    }
    for (; output < outputs && section->ready_at[output] == i; output++) {
      ZwValue* value = &section->values[section->outputs[output]];
      if (is_noting) section->uses[value->uses_end] = 2 * i + 1;
      value->uses_end++;
    }
  }
  ZW_ASSERT(output == outputs);
}

bool zw_section_number(ZwSection* section) {
  const ZwTape* tape = section->tape;
  ZwArena* arena = section->writer->scratch;
  int32_t count = tape->literals.count + tape->inputs.count + tape->code.count, outputs = tape->outputs.count;
  int32_t* current = ZW_NEW(arena, tape->registers, int32_t);
  section->values = ZW_NEW(arena, count, ZwValue);
  section->args = ZW_NEW(arena, (ptrdiff_t)3 * tape->code.count, int32_t);
  section->outputs = ZW_NEW(arena, outputs, int32_t);
  section->ready_at = ZW_NEW(arena, outputs, int32_t);
  section->uses = ZW_NEW(arena, (ptrdiff_t)3 * tape->code.count + outputs, int32_t);
  if (arena->failed) return false;
  name_values(section, current);
  plan_outputs(section);
  visit_uses(section, false);
  int32_t begin = 0;
  for (int32_t i = 0; i < count; i++) {
    ZwValue* value = &section->values[i];
    int32_t uses = value->uses_end;
    value->use = value->uses_end = begin;
    begin += uses;
  }
  visit_uses(section, true);
  return true;
}
