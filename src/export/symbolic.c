#include "export/symbolic.h"

#include <math.h>

/* Exports count t from zero: what kernels do for far times is what it was written as. */
static ZwExpr apply(ZwGraph* graph, ZwOp op, ZwExpr a, ZwExpr b, ZwExpr c) {
  if (op == ZW_OP_TURN) return a;
  if (op == ZW_OP_FUSED) return zw_expr_add(graph, zw_expr_mul(graph, a, b), c);
  if (op != ZW_OP_TABLE_FROM) return zw_expr_apply(graph, op, a, b, c);
  double code = zw_graph_node(graph, c)->u.value, number = floor(code / ZW_TABLE_ORDERS);
  int order = (int)(code - number * ZW_TABLE_ORDERS);
  bool is_since = order == ZW_TABLE_SINCE;
  ZwExpr table = zw_expr_const(graph, number), which = zw_expr_const(graph, is_since ? ZW_TABLE_BEGIN : order);
  if (is_since) return zw_expr_sub(graph, b, zw_expr_apply(graph, ZW_OP_TABLE, a, table, which));
  return zw_expr_apply(graph, ZW_OP_TABLE, zw_expr_add(graph, b, a), table, which);
}

void zw_tape_run(const ZwTape* tape, ZwGraph* graph, ZwExpr* registers, ZwTapeReadFn read, void* context) {
  for (int32_t i = 0; i < tape->literals.count; i++) {
    registers[tape->literals.items[i].dst] = zw_expr_const(graph, tape->literals.items[i].value);
  }
  for (int32_t i = 0; i < tape->inputs.count; i++) {
    registers[tape->inputs.items[i].dst] = read(context, &tape->inputs.items[i]);
  }
  for (int32_t i = 0; i < tape->code.count; i++) {
    const ZwInstr* instr = &tape->code.items[i];
    registers[instr->dst] = apply(graph, instr->op, registers[instr->a], registers[instr->b], registers[instr->c]);
  }
}
