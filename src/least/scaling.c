#include "least/scaling.h"

#include "least/dense.h"

/* Passes of equilibration; each halves the distance to one in the exponent. */
enum { SCALING_PASSES = 5 };

double zw_power_of_two(double x) {
  int exponent = 0;
  frexp(x, &exponent);
  return ldexp(1, exponent);
}

/* Scales coordinates with inertia so that the largest entry of each row of D^-1 M D^-1 is about one (Ruiz). Rows
 * without any inertia get D^-1 = 0 here; scale_by_constraints sees to them. */
static void scale_by_inertia(int32_t n, const double* M, double* D_inverse, double* most) {
  zw_fill(n, 1, D_inverse);
  for (int32_t pass = 0; pass < SCALING_PASSES; pass++) {
    for (int32_t i = 0; i < n; i++) {
      const double* row = M + (ptrdiff_t)i * n;
      most[i] = 0;
      for (int32_t j = 0; j < n; j++) most[i] = zw_larger(most[i], fabs(row[j]) * D_inverse[j]);
      most[i] *= D_inverse[i];
    }
    for (int32_t i = 0; i < n; i++) D_inverse[i] = most[i] > 0 ? D_inverse[i] / sqrt(most[i]) : 0;
  }
  for (int32_t i = 0; i < n; i++) D_inverse[i] = D_inverse[i] > 0 ? zw_power_of_two(D_inverse[i]) : 0;
}

/* Scales coordinates without inertia by the constraints: their largest share in a row becomes that of the others. */
static void scale_by_constraints(int32_t n, int32_t m, const double* A, double* D_inverse, double* share) {
  zw_fill(n, 0, share);
  for (int32_t i = 0; i < m; i++) {
    const double* row = A + (ptrdiff_t)i * n;
    double others = 0;
    for (int32_t j = 0; j < n; j++) others = zw_larger(others, fabs(row[j]) * D_inverse[j]);
    if (others == 0) others = zw_max_abs(n, row);
    for (int32_t j = 0; others > 0 && j < n; j++) share[j] = zw_larger(share[j], fabs(row[j]) / others);
  }
  for (int32_t j = 0; j < n; j++) {
    if (D_inverse[j] == 0) D_inverse[j] = share[j] > 0 ? 1 / zw_power_of_two(share[j]) : 1;
  }
}

void zw_scale_coordinates(int32_t n, int32_t m, const double* M, const double* A, double* D_inverse, double* work) {
  zw_scale_coordinates_by(n, m, M, A, NULL, D_inverse, work);
}

void zw_scale_coordinates_by(int32_t n, int32_t m, const double* M, const double* A, const double* massless,
                             double* D_inverse, double* work) {
  scale_by_inertia(n, M, D_inverse, work);
  for (int32_t j = 0; massless && j < n; j++) {
    if (D_inverse[j] == 0 && massless[j] > 0) D_inverse[j] = massless[j];
  }
  scale_by_constraints(n, m, A, D_inverse, work);
}
