/* The numbers of the implicit Runge-Kutta method Radau IIA of order 5: E. Hairer, G. Wanner, "Solving Ordinary
 * Differential Equations II", sections IV.5 and IV.8, and their code RADAU5. Numbers only; radau.c steps with them.
 *
 * For y' = f(t, y), a step from (t, y) of size h, with Z_i = Y_i - y:
 *
 *   Z_i = h sum_j a_ij f(t + c_j h, y + Z_j)       i = 0, 1, 2;     y_1 = y + Z_2   (c_2 = 1)
 *
 * T^-1 A^-1 T is the real number `real` and the block ((re, -im), (im, re)): in W = T^-1 Z a Newton step solves one real
 * and one complex system instead of one three times as large.
 *
 * Error: with g = 1 / real, (I - h g J)^-1 (h g f(t, y) + sum_i e_i Z_i) goes to zero like h^4 and stays bounded for stiff
 * components. */
#ifndef ZW_MOTION_RADAU_H
#define ZW_MOTION_RADAU_H

enum { ZW_RADAU_ORDER = 4 }; /* of the error estimate; the method itself is of order 5 */

typedef struct ZwRadauNumbers {
  double c[3];
  double a[3][3];
  double T[3][3], TI[3][3];
  double real, re, im;
  double e[3];
} ZwRadauNumbers;

extern const ZwRadauNumbers zw_radau_numbers;

#endif
