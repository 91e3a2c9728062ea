/* What an expression is made of before its terms cancel: of a sum the sum of sizes, of a product the product, of a sine 1. Residuals of
 * constraints are measured by it, in whatever units. */
#ifndef ZW_EXPORT_MADE_OF_H
#define ZW_EXPORT_MADE_OF_H

#include "expr/walk.h"

/* `walk` is one over the graph. Ref 0 when memory is out. */
ZwExpr zw_made_of(ZwWalk* walk, ZwGraph* graph, ZwExpr e);

#endif
