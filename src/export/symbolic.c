#include "export/symbolic.h"

void zw_tape_run(const ZwTape* tape, ZwGraph* graph, ZwExpr* registers, ZwTapeReadFn read, void* context) {
  for (int32_t i = 0; i < tape->literals.count; i++) {
    registers[tape->literals.items[i].dst] = zw_expr_const(graph, tape->literals.items[i].value);
  }
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    registers[tape->inputs.items[i].dst] = read(context, &tape->inputs.items[i]);
  }
  for (int32_t i = 0; i < tape->code.count; i++) {
    const ZwInstr* instr = &tape->code.items[i];
    registers[instr->dst] =
        zw_expr_apply(graph, instr->op, registers[instr->a], registers[instr->b], registers[instr->c]);
  }
}
