/* Lines that stand for many points. From the point kept last there is a cone of directions whose lines pass all points since then
 * within a tolerance; each point narrows it. A point is the end of such a line if it is inside of the cone and nearer than
 * none before: then no tip of a curve that turns back is cut off. Works for curves that go anywhere, cross themselves or stand still.
 */
#ifndef ZW_OUTPUT_CONE_H
#define ZW_OUTPUT_CONE_H

#include <stdbool.h>

typedef struct ZwCone {
  double x, y;                             /* where it begins */
  double left_x, left_y, right_x, right_y; /* its sides, seen from there */
  double reach;                            /* square of the distance of the farthest point */
  bool has_sides;                          /* some directions are excluded */
} ZwCone;

void zw_cone_begin(ZwCone* cone, double x, double y);
/* Whether a line to this point passes all points taken so far within `tol`; if so, the point is taken too. A cone that has just
 * begun takes any point. */
bool zw_cone_take(ZwCone* cone, double x, double y, double tol);

#endif
