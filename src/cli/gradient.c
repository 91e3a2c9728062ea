#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { LINES = 30, NAME = 40 };

/* By what 1 % more adds; what has no per cent comes last. */
static double effect_of(const ZwGradient* gradient, int32_t i) {
  return gradient->at[i] != 0 ? fabs(gradient->at[i] * gradient->derivatives[i]) : -1;
}

/* The numbers in the order of their effect. */
static int32_t* sort(const ZwGradient* gradient) {
  int32_t* order = calloc((size_t)gradient->count + 1, sizeof *order);
  for (int32_t i = 0; order && i < gradient->count; i++) {
    int32_t k = i;
    for (; k > 0 && effect_of(gradient, order[k - 1]) < effect_of(gradient, i); k--) order[k] = order[k - 1];
    order[k] = i;
  }
  return order;
}

static int width_of(const ZwGradient* gradient, const int32_t* order, int32_t shown) {
  int width = 8;
  for (int32_t i = 0; i < shown; i++) {
    int size = (int)strlen(gradient->by[order[i]]);
    if (size > width) width = size < NAME ? size : NAME;
  }
  return width;
}

void print_gradient(const ZwGradient* gradient) {
  int32_t* order = sort(gradient);
  if (!order) return;
  int32_t shown = gradient->count < LINES ? gradient->count : LINES;
  int width = width_of(gradient, order, shown);
  zw_printf("  gradient     of %s = %.9g at t = %.*g\n", gradient->of, gradient->value, zw_clock_digits(gradient->t, 9),
            gradient->t);
  zw_printf("               %-*s  %12s  %12s  %14s\n", width, "by", "value", "derivative", "1 % more adds");
  for (int32_t k = 0; k < shown; k++) {
    int32_t i = order[k];
    zw_printf("               %-*s  %12.6g  %12.6g", width, gradient->by[i], gradient->at[i], gradient->derivatives[i]);
    if (gradient->at[i] != 0)
      zw_printf("  %14.4g\n", 0.01 * gradient->at[i] * gradient->derivatives[i]);
    else
      zw_printf("  %14s\n", "-");
  }
  if (gradient->count > shown)
    zw_printf("               and %d more (--json lists all)\n", (int)(gradient->count - shown));
  free(order);
}

void json_gradient(ZwJson* json, const ZwGradient* gradient) {
  zw_json_key(json, "gradient");
  zw_json_begin_object(json);
  zw_json_key(json, "of");
  zw_json_string(json, gradient->of);
  json_number(json, "t", gradient->t);
  json_number(json, "value", gradient->value);
  zw_json_key(json, "by");
  zw_json_begin_array(json);
  for (int32_t i = 0; i < gradient->count; i++) {
    zw_json_begin_object(json);
    zw_json_key(json, "name");
    zw_json_string(json, gradient->by[i]);
    json_number(json, "value", gradient->at[i]);
    json_number(json, "derivative", gradient->derivatives[i]);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
  zw_json_end_object(json);
}
