#include "kernel/eliminate.h"

static void dump_tape(ZwText* text, const ZwTape* tape, const char* name) {
  /* ORDER INPUT: as in ZwInputKind */
  static const char* const kinds[] = {"t", "q", "v", "a", "reaction", "slot", "constant"};
  if (tape->outputs.count == 0) return;
  zw_text_addf(text, "  %s: %d operations, %d registers\n", name, (int)tape->code.count, (int)tape->registers);
  for (int32_t i = 0; i < tape->literals.count; i++) {
    zw_text_addf(text, "    r%d = ", (int)tape->literals.items[i].dst);
    zw_text_add_number(text, tape->literals.items[i].value);
    zw_text_add(text, "\n", 1);
  }
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    const ZwInput* input = &tape->inputs.items[i];
    zw_text_addf(text, "    r%d = %s", (int)input->dst, kinds[input->kind]);
    if (input->kind != ZW_INPUT_TIME) zw_text_addf(text, " %d", (int)input->index);
    zw_text_add(text, "\n", 1);
  }
  for (int32_t i = 0; i < tape->code.count; i++) {
    const ZwInstr* instr = &tape->code.items[i];
    int32_t args[3] = {instr->a, instr->b, instr->c};
    zw_text_addf(text, "    r%d = %s", (int)instr->dst, zw_op_text(instr->op));
    for (int k = 0; k < zw_op_arity(instr->op); k++) zw_text_addf(text, " r%d", (int)args[k]);
    zw_text_add(text, "\n", 1);
  }
}

static void dump_outputs(ZwText* text, const ZwKernel* kernel, ZwEntry entry) {
  const ZwTape* tape = &kernel->tapes[entry];
  for (int32_t i = 0; i < tape->outputs.count; i++) {
    const ZwContribution* c = &kernel->shape->entries[entry].list.items[i];
    zw_text_addf(text, "    %s += r%d\n", zw_target_text(c->target), (int)tape->outputs.items[i]);
  }
}

/* ORDER PARTS */
static const char* const parts[] = {"mass", "factor", "sizes", "solve", "project", "measure"};

static void dump_elimination(ZwText* text, const ZwProgram* program) {
  const ZwElimination* elimination = program->elimination;
  zw_text_addf(text, "elimination, in a block of %d numbers\n", (int)program->block.size);
  for (int part = 0; part < ZW_ELIMINATE_PARTS; part++) {
    const ZwKernel* kernel = &elimination->parts[part];
    dump_tape(text, &kernel->setup, parts[part]);
    for (int32_t i = 0; i < kernel->constants; i++) {
      zw_text_addf(text, "    slot %d = r%d\n", (int)kernel->places[i], (int)kernel->setup.outputs.items[i]);
    }
  }
}

void zw_program_dump(ZwText* text, const ZwProgram* program) {
  zw_text_addf(text, "%d kernels, %d registers of %d lanes, %td constants\n", (int)program->kernels.count,
               (int)program->registers, (int)ZW_LANES, program->constants);
  for (int32_t i = 0; i < program->kernels.count; i++) {
    const ZwKernel* kernel = &program->kernels.items[i];
    zw_text_addf(text, "kernel %d: %d element%s\n", (int)i, (int)kernel->shape->count,
                 kernel->shape->count == 1 ? "" : "s");
    dump_tape(text, &kernel->setup, "set-up");
    for (int entry = 0; entry < ZW_ENTRY_COUNT; entry++) {
      dump_tape(text, &kernel->tapes[entry], zw_entry_text((ZwEntry)entry));
      dump_outputs(text, kernel, (ZwEntry)entry);
    }
  }
  if (program->elimination) dump_elimination(text, program);
}
