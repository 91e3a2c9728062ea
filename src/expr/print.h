/* Expressions as text, in the user's notation and names. */
#ifndef ZW_EXPR_PRINT_H
#define ZW_EXPR_PRINT_H

#include "base/str.h"
#include "expr/graph.h"

/* How tightly an expression holds together: weakest first, as in the grammar. */
enum {
  ZW_BIND_SELECT,
  ZW_BIND_OR,
  ZW_BIND_AND,
  ZW_BIND_NOT,
  ZW_BIND_COMPARE,
  ZW_BIND_SUM,
  ZW_BIND_TERM,
  ZW_BIND_UNARY,
  ZW_BIND_POWER,
  ZW_BIND_LEAF
};

int zw_expr_binding(const ZwNode* node);

/* Writes the name of a leaf, without primes for velocities and accelerations: the printer adds those. */
typedef void (*ZwNameFn)(ZwText* text, ZwOp leaf, int32_t index, void* context);

/* Prints e. What would not fit into about `limit` characters, or is nested too deeply to read, is cut with "...". */
void zw_expr_print(ZwText* text, const ZwGraph* graph, ZwExpr e, int32_t limit, ZwNameFn name, void* context);

#endif
