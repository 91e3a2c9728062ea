/* Values of the language: scalars, 2-vectors and 3-vectors of expressions. */
#ifndef ZW_MODEL_VALUE_H
#define ZW_MODEL_VALUE_H

#include "expr/walk.h"

typedef struct ZwValue {
  int32_t dim; /* 1, 2 or 3 components */
  ZwExpr c[3];
} ZwValue;

ZwValue zw_value_scalar(ZwExpr e);
/* The zero of a dimension. */
ZwValue zw_value_zero(ZwGraph* graph, int32_t dim);
/* "a scalar", "a 2-vector", "a 3-vector" */
const char* zw_value_type(const ZwValue* value);
/* The number 0, which stands for the zero vector too. */
bool zw_value_is_zero(const ZwGraph* graph, const ZwValue* value);
/* Gives both values one dimension where the number 0 stands for a vector; false when they do not go together. */
bool zw_value_match(ZwGraph* graph, ZwValue* a, ZwValue* b);

/* Component by component; dimensions must be equal. */
ZwValue zw_value_add(ZwGraph* graph, const ZwValue* a, const ZwValue* b);
ZwValue zw_value_sub(ZwGraph* graph, const ZwValue* a, const ZwValue* b);
ZwValue zw_value_neg(ZwGraph* graph, const ZwValue* a);
/* A vector times or over a scalar, in either order for the product. */
ZwValue zw_value_scale(ZwGraph* graph, ZwExpr factor, const ZwValue* a);
ZwValue zw_value_over(ZwGraph* graph, const ZwValue* a, ZwExpr divisor);

ZwExpr zw_value_dot(ZwGraph* graph, const ZwValue* a, const ZwValue* b);
/* 3-vectors: a vector; 2-vectors: the scalar a.x b.y - a.y b.x. */
ZwValue zw_value_cross(ZwGraph* graph, const ZwValue* a, const ZwValue* b);
ZwExpr zw_value_norm(ZwGraph* graph, const ZwValue* a);

#endif
