#include "model/value.h"

ZwValue zw_value_scalar(ZwExpr e) {
  return (ZwValue){.dim = 1, .c = {e}};
}

ZwValue zw_value_zero(ZwGraph* graph, int32_t dim) {
  ZwExpr zero = zw_expr_const(graph, 0);
  return (ZwValue){.dim = dim, .c = {zero, zero, zero}};
}

const char* zw_value_type(const ZwValue* value) {
  return value->dim == 1 ? "a scalar" : value->dim == 2 ? "a 2-vector" : "a 3-vector";
}

bool zw_value_is_zero(const ZwGraph* graph, const ZwValue* value) {
  return value->dim == 1 && zw_expr_is_const(graph, value->c[0], 0);
}

bool zw_value_match(ZwGraph* graph, ZwValue* a, ZwValue* b) {
  if (a->dim == b->dim) return true;
  if (zw_value_is_zero(graph, a))
    *a = zw_value_zero(graph, b->dim);
  else if (zw_value_is_zero(graph, b))
    *b = zw_value_zero(graph, a->dim);
  return a->dim == b->dim;
}

ZwValue zw_value_add(ZwGraph* graph, const ZwValue* a, const ZwValue* b) {
  ZwValue sum = {.dim = a->dim};
  for (int32_t k = 0; k < a->dim; k++) sum.c[k] = zw_expr_add(graph, a->c[k], b->c[k]);
  return sum;
}

ZwValue zw_value_sub(ZwGraph* graph, const ZwValue* a, const ZwValue* b) {
  ZwValue difference = {.dim = a->dim};
  for (int32_t k = 0; k < a->dim; k++) difference.c[k] = zw_expr_sub(graph, a->c[k], b->c[k]);
  return difference;
}

ZwValue zw_value_neg(ZwGraph* graph, const ZwValue* a) {
  ZwValue negative = {.dim = a->dim};
  for (int32_t k = 0; k < a->dim; k++) negative.c[k] = zw_expr_neg(graph, a->c[k]);
  return negative;
}

ZwValue zw_value_scale(ZwGraph* graph, ZwExpr factor, const ZwValue* a) {
  ZwValue product = {.dim = a->dim};
  for (int32_t k = 0; k < a->dim; k++) product.c[k] = zw_expr_mul(graph, factor, a->c[k]);
  return product;
}

ZwValue zw_value_over(ZwGraph* graph, const ZwValue* a, ZwExpr divisor) {
  ZwValue quotient = {.dim = a->dim};
  for (int32_t k = 0; k < a->dim; k++) quotient.c[k] = zw_expr_div(graph, a->c[k], divisor);
  return quotient;
}

ZwExpr zw_value_dot(ZwGraph* graph, const ZwValue* a, const ZwValue* b) {
  ZwExpr sum = zw_expr_const(graph, 0);
  for (int32_t k = 0; k < a->dim; k++) {
    /* a vector by itself is a sum of squares: shorter derivatives than products */
    bool is_square = zw_expr_equal(a->c[k], b->c[k]);
    ZwExpr part = is_square ? zw_expr_binary(graph, ZW_OP_POW, a->c[k], zw_expr_const(graph, 2))
                            : zw_expr_mul(graph, a->c[k], b->c[k]);
    sum = zw_expr_add(graph, sum, part);
  }
  return sum;
}

static ZwExpr minor(ZwGraph* graph, const ZwValue* a, const ZwValue* b, int i, int j) {
  return zw_expr_sub(graph, zw_expr_mul(graph, a->c[i], b->c[j]), zw_expr_mul(graph, a->c[j], b->c[i]));
}

ZwValue zw_value_cross(ZwGraph* graph, const ZwValue* a, const ZwValue* b) {
  if (a->dim == 2) return zw_value_scalar(minor(graph, a, b, 0, 1));
  return (ZwValue){.dim = 3, .c = {minor(graph, a, b, 1, 2), minor(graph, a, b, 2, 0), minor(graph, a, b, 0, 1)}};
}

ZwExpr zw_value_norm(ZwGraph* graph, const ZwValue* a) {
  return zw_expr_unary(graph, ZW_OP_SQRT, zw_value_dot(graph, a, a));
}
