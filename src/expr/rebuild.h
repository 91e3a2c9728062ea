/* Expressions with other leaves. */
#ifndef ZW_EXPR_REBUILD_H
#define ZW_EXPR_REBUILD_H

#include "expr/walk.h"

/* What stands in place of a leaf; ref 0 keeps it. */
typedef ZwExpr (*ZwLeafFn)(ZwGraph* graph, ZwOp leaf, int32_t index, void* context);

/* e with its leaves (not its constants) replaced, folded anew. Ref 0 when memory is out. */
ZwExpr zw_expr_rebuild(ZwGraph* graph, ZwWalk* walk, ZwExpr e, ZwLeafFn leaf, void* context);

/* e at a = 0. */
ZwExpr zw_expr_without_acceleration(ZwGraph* graph, ZwWalk* walk, ZwExpr e);
/* e at v = 0. */
ZwExpr zw_expr_without_velocity(ZwGraph* graph, ZwWalk* walk, ZwExpr e);

#endif
