/* Units of coordinates, chosen so that no unit of length or angle decides what is small. */
#ifndef ZW_LEAST_SCALING_H
#define ZW_LEAST_SCALING_H

#include <stdint.h>

/* The power of two next to x, so that scaling rounds nothing. */
double zw_power_of_two(double x);

/* D^-1 (n) such that the largest entry of each row of D^-1 M D^-1 is about one; coordinates without inertia count in A as
 * much as the others. `work` takes n numbers. */
void zw_scale_coordinates(int32_t n, int32_t m, const double* M, const double* A, double* D_inverse, double* work);
/* The same where those of coordinates without inertia are known (n, powers of two; 0: not of this one; NULL: of none). */
void zw_scale_coordinates_by(int32_t n, int32_t m, const double* M, const double* A, const double* massless,
                             double* D_inverse, double* work);

#endif
