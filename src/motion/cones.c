/* Where contacts repeat each other their forces are not unique: the load of a table can be shared by its legs in many ways, and
 * so can the friction of two feet. Coulomb's law only says that forces must exist with N >= 0 and |T| <= mu N. Of all that
 * carry the load the smallest are given that are far enough from lifting and from slipping, or as far as can be, so that a contact opens or slips where
 * no forces hold it any more, and not where a rule for sharing says so. */
#include <math.h>
#include <string.h>

#include "least/deepest.h"
#include "motion/sim.h"

#define ENOUGH \
  0.05 /* distance from lifting and slipping, as a part of the largest force; then the smallest forces are best */

/* Orthonormal columns span what may be added to the multipliers; returns how many. Z is m x most, by columns. */
static int32_t find_free(const ZwSim* sim, double* Z) {
  const ZwRank* rank = sim->rank;
  int32_t m = rank->m, r = rank->rank, count = 0;
  for (int32_t d = 0; d < m - r; d++) {
    double* z = Z + (ptrdiff_t)count * m;
    memset(z, 0, (size_t)m * sizeof(double));
    z[rank->order[r + d]] = 1;
    for (int32_t j = 0; j < r; j++) z[rank->order[j]] = -rank->coefficients[(ptrdiff_t)d * r + j];
    for (int pass = 0; pass < 2; pass++) {
      for (int32_t c = 0; c < count; c++) {
        const double* other = Z + (ptrdiff_t)c * m;
        double along = 0;
        for (int32_t i = 0; i < m; i++) along += other[i] * z[i];
        for (int32_t i = 0; i < m; i++) z[i] -= along * other[i];
      }
    }
    double square = 0;
    for (int32_t i = 0; i < m; i++) square += z[i] * z[i];
    for (int32_t i = 0; i < m; i++) z[i] /= sqrt(square); /* each has a row of its own: never zero */
    count++;
  }
  return count;
}

typedef struct Cones {
  int32_t rows, cols, m;
  const double *Z, *lambda;
  double *C, *d, scale;
} Cones;

/* a lambda_i + b lambda_j >= 0, unless nothing can be done about it. */
static void add_cone(Cones* cones, double a, int32_t i, double b, int32_t j) {
  double *row = cones->C + (ptrdiff_t)cones->rows * cones->cols, size = 0;
  for (int32_t c = 0; c < cones->cols; c++) {
    const double* z = cones->Z + (ptrdiff_t)c * cones->m;
    row[c] = a * z[i] + b * z[j];
    size = fmax(size, fabs(row[c]));
  }
  if (size <= 1e-12) return;
  cones->d[cones->rows++] = -(a * cones->lambda[i] + b * cones->lambda[j]) / cones->scale;
}

static int32_t place_of(const ZwSim* sim, int32_t row) {
  for (int32_t i = 0; i < sim->rank->m; i++) {
    if (sim->candidates[i] == row) return i;
  }
  return -1;
}

static void fill(const ZwSim* sim, Cones* cones) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    int32_t gap = place_of(sim, contact->row);
    if (gap < 0) continue;
    add_cone(cones, 1, gap, 0, gap);
    int32_t slip = contact->slip_dim == 1 ? place_of(sim, contact->slip) : -1;
    if (slip < 0) continue;
    add_cone(cones, sim->contacts.sliding.mu[i], gap, 1, slip);
    add_cone(cones, sim->contacts.sliding.mu[i], gap, -1, slip);
  }
}

void zw_cones_choose(ZwSim* sim, double* lambda) {
  ZwContacts* contacts = &sim->contacts;
  Cones cones = {.m = sim->rank->m, .Z = contacts->Z, .lambda = lambda, .C = contacts->C, .d = contacts->d};
  if (contacts->count == 0 || sim->rank->rank == cones.m) return;
  cones.cols = find_free(sim, contacts->Z);
  for (int32_t i = 0; i < cones.m; i++) cones.scale = fmax(cones.scale, fabs(lambda[i]));
  if (cones.scale == 0) return;
  fill(sim, &cones);
  double* x = contacts->x;
  if (cones.rows == 0 || zw_deepest(contacts->friction->lemke, cones.rows, cones.cols, cones.C, cones.d, ENOUGH, x))
    return;
  for (int32_t c = 0; c < cones.cols; c++) {
    for (int32_t i = 0; i < cones.m; i++) lambda[i] += cones.scale * x[c] * contacts->Z[(ptrdiff_t)c * cones.m + i];
  }
}
