#include "output/cone.h"

#include <math.h>

void zw_cone_begin(ZwCone* cone, double x, double y) {
  *cone = (ZwCone){.x = x, .y = y};
}

static double cross(double ax, double ay, double bx, double by) {
  return ax * by - ay * bx;
}

/* Only directions that pass the point (dx, dy), at the distance sqrt(square) > tol, within tol. */
static void narrow(ZwCone* cone, double dx, double dy, double square, double tol) {
  double along = sqrt(square - tol * tol); /* the sides touch a circle around the point */
  double left_x = dx * along - dy * tol, left_y = dy * along + dx * tol;
  double right_x = dx * along + dy * tol, right_y = dy * along - dx * tol;
  if (!cone->has_sides || cross(left_x, left_y, cone->left_x, cone->left_y) > 0) {
    cone->left_x = left_x;
    cone->left_y = left_y;
  }
  if (!cone->has_sides || cross(cone->right_x, cone->right_y, right_x, right_y) > 0) {
    cone->right_x = right_x;
    cone->right_y = right_y;
  }
  cone->has_sides = true;
}

bool zw_cone_take(ZwCone* cone, double x, double y, double tol) {
  double dx = x - cone->x, dy = y - cone->y;
  double square = dx * dx + dy * dy;
  bool is_near = square <= tol * tol;
  if (cone->has_sides) {
    bool is_inside = cross(cone->right_x, cone->right_y, dx, dy) >= 0 && cross(dx, dy, cone->left_x, cone->left_y) >= 0;
    if (square < cone->reach || !is_inside) return false;
  }
  if (square > cone->reach) cone->reach = square;
  if (!is_near) narrow(cone, dx, dy, square, tol);
  return true;
}
