/* Numbers that the solve of the accelerations gives beside them, which outputs may read. They are leaves of the kind of multipliers: one
 * whose index is ZW_QUANTITY or more is the quantity of that kind, of that coordinate if it belongs to one. */
#ifndef ZW_EXPR_QUANTITY_H
#define ZW_EXPR_QUANTITY_H

#include <stdint.h>

typedef enum ZwQuantity {
  ZW_QUANTITY_FREE,     /* the acceleration of a coordinate without constraints, a0 */
  ZW_QUANTITY_FORCE,    /* the force of the constraints on a coordinate, Qc */
  ZW_QUANTITY_GAUSSIAN, /* 1/2 (a - a0)^T M (a - a0) */
  ZW_QUANTITY_ENERGY,   /* 1/2 a^T M a */
  ZW_QUANTITY_KINDS
} ZwQuantity;

#define ZW_QUANTITY (1 << 28) /* more than there are multipliers */

/* Counted from the first quantity; one that belongs to no coordinate is that of coordinate 0. */
static inline int32_t zw_quantity_place(ZwQuantity kind, int32_t coord) {
  return ZW_QUANTITY_KINDS * coord + (int32_t)kind;
}

#endif
