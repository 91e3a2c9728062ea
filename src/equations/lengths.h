/* Lengths: how far a coordinate must move to matter to a row, whatever the units.
 *
 * Upwards through the expression of the row goes what each node is made of before terms cancel: of a sum the sum of sizes, of a
 * product the product, of a sine 1. Downwards goes how far each node must move to change the row by half of that, one side of
 * the equation: a term of a sum as far as the sum, a factor by as much less as the other factor is large, the argument of a sine or an
 * exponential by 1. So it needs no derivatives, which may vanish where the row is looked at:
 *
 *   norm(P) = R at P = (R, 0)     R for P.x and 1.7 R for P.y
 *   L*cos(phi) = s                1 for phi, (L + |s|)/2 for s
 */
#ifndef ZW_EQUATIONS_LENGTHS_H
#define ZW_EQUATIONS_LENGTHS_H

#include "equations/equations.h"

typedef struct ZwLengths {
  double t;
  double epoch, since; /* t = epoch + since: where the run begins, and the time since then */
  const double* values;          /* of parameters and literals */
  const double *q, *v;           /* n: the state */
  const double *size_q, *size_v; /* n: sizes that are known, for what is zero; 0: not known */
  const ZwTables* tables;
  double *value, *size, *length; /* room for the nodes of the largest row, zw_lengths_room numbers each */
} ZwLengths;

/* Nodes of the largest row. */
int32_t zw_lengths_room(const ZwEquations* equations);
/* Of one instance of a constraint's shape: how far its coordinates (leaf ZW_OP_COORD) or velocities (ZW_OP_VELOCITY) must move, by
 * their number within the shape; infinite where nothing tells. */
void zw_lengths_find(const ZwLengths* at, const ZwShape* shape, int32_t instance, ZwOp leaf, double* to);

#endif
