/* Radau's collocation at three places of a step, of order 5: E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II",
 * section IV.5. For linear equations, whose collocation is solved exactly. */
#ifndef ZW_MOTION_COLLOCATION_H
#define ZW_MOTION_COLLOCATION_H

enum { ZW_COLLOCATION = 3, ZW_COLLOCATION_ORDER = 5 };

#define ZW_ROOT6 2.449489742783178098

static const double zw_collocation_c[ZW_COLLOCATION] = {(4 - ZW_ROOT6) / 10, (4 + ZW_ROOT6) / 10, 1};
static const double zw_collocation_a[ZW_COLLOCATION][ZW_COLLOCATION] = {
    {(88 - 7 * ZW_ROOT6) / 360, (296 - 169 * ZW_ROOT6) / 1800, (-2 + 3 * ZW_ROOT6) / 225},
    {(296 + 169 * ZW_ROOT6) / 1800, (88 + 7 * ZW_ROOT6) / 360, (-2 - 3 * ZW_ROOT6) / 225},
    {(16 - ZW_ROOT6) / 36, (16 + ZW_ROOT6) / 36, 1.0 / 9}};

/* Of a a. */
static inline double zw_collocation_square(int i, int j) {
  double sum = 0;
  for (int k = 0; k < ZW_COLLOCATION; k++) sum += zw_collocation_a[i][k] * zw_collocation_a[k][j];
  return sum;
}

#endif
