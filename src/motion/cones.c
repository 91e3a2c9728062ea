/* Where contacts repeat each other their forces are not unique: the load of a table can be shared by its legs in many ways, and
 * so can the friction of two feet. Coulomb's law only says that forces must exist with N >= 0 and |T| <= mu N. Of all that
 * carry the load the smallest are given that are far enough from lifting and from slipping, or as far as can be, so that a contact opens or slips where
 * no forces hold it any more, and not where a rule for sharing says so. */
#include <math.h>
#include <string.h>

#include "least/deepest.h"
#include "motion/cones.h"
#include "motion/islands.h"

#define ENOUGH \
  0.05 /* distance from lifting and slipping, as a part of the largest force; then the smallest forces are best */

/* ---- groups ---- */

int32_t zw_cones_find_groups(ZwSim* sim) {
  const ZwRank* rank = sim->rank;
  int32_t *of = sim->contacts.together, *number = of + sim->n, *group = number + sim->n, count = 0;
  if (sim->contacts.count == 0 || rank->rank == rank->m) return 0;
  ZwIslands islands = {.of = of};
  zw_islands_now(sim, ZW_JOIN_INERTIA, NULL, &islands);
  for (int32_t k = 0; k < islands.count; k++) number[k] = -1;
  for (int32_t i = 0; i < rank->m; i++) group[i] = zw_islands_of_row(&islands, sim->equations, sim->candidates[i]);
  for (int32_t d = rank->rank; d < rank->m; d++) {
    int32_t island = group[rank->order[d]];
    if (island >= 0 && number[island] < 0) number[island] = count++;
  }
  for (int32_t i = 0; i < rank->m; i++) group[i] = group[i] >= 0 ? number[group[i]] : -1;
  return count;
}

int32_t zw_cones_group(const ZwSim* sim, int32_t candidate) {
  return sim->contacts.together[2 * (ptrdiff_t)sim->n + candidate];
}

/* ---- the forces of one ---- */

/* Orthonormal columns span what may be added to the multipliers; returns how many. Z is m x most, by columns. */
static int32_t find_free(const ZwSim* sim, int32_t group, double* Z) {
  const ZwRank* rank = sim->rank;
  int32_t m = rank->m, r = rank->rank, count = 0;
  for (int32_t d = 0; d < m - r; d++) {
    if (zw_cones_group(sim, rank->order[r + d]) != group) continue;
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
  ZwCone* told; /* NULL: it is not asked for */
} Cones;

/* a lambda_i + b lambda_j >= 0, unless nothing can be done about it. */
static void add_cone(Cones* cones, int32_t contact, double a, int32_t i, double b, int32_t j) {
  double *row = cones->C + (ptrdiff_t)cones->rows * cones->cols, size = 0;
  for (int32_t c = 0; c < cones->cols; c++) {
    const double* z = cones->Z + (ptrdiff_t)c * cones->m;
    row[c] = a * z[i] + b * z[j];
    size = fmax(size, fabs(row[c]));
  }
  if (size <= 1e-12) return;
  if (cones->told)
    cones->told[cones->rows] = (ZwCone){.contact = contact, .gap = i, .slip = b != 0 ? j : -1, .sign = b};
  cones->d[cones->rows++] = -(a * cones->lambda[i] + b * cones->lambda[j]) / cones->scale;
}

static int32_t place_of(const ZwSim* sim, int32_t row) {
  for (int32_t i = 0; i < sim->rank->m; i++) {
    if (sim->candidates[i] == row) return i;
  }
  return -1;
}

static void fill(const ZwSim* sim, int32_t group, Cones* cones) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    int32_t gap = place_of(sim, contact->row);
    if (gap < 0 || zw_cones_group(sim, gap) != group) continue;
    add_cone(cones, i, 1, gap, 0, gap);
    int32_t slip = contact->slip_dim == 1 ? place_of(sim, contact->slip) : -1;
    if (slip < 0) continue;
    add_cone(cones, i, sim->contacts.sliding.mu[i], gap, 1, slip);
    add_cone(cones, i, sim->contacts.sliding.mu[i], gap, -1, slip);
  }
}

/* The largest of the smallest forces, by which all of the group are measured. */
static int32_t find_largest(const ZwSim* sim, int32_t group, const double* lambda) {
  int32_t largest = -1;
  for (int32_t i = 0; i < sim->rank->m; i++) {
    bool is_larger = largest < 0 || fabs(lambda[i]) > fabs(lambda[largest]);
    if (is_larger && zw_cones_group(sim, i) == group) largest = i;
  }
  return largest;
}

static void tell(const ZwLemke* lemke, const Cones* cones, ZwConesChoice* choice) {
  choice->is_made = true;
  choice->scale = cones->scale;
  choice->count = cones->rows;
  for (int32_t k = 0; k < cones->rows; k++) choice->cones[k].is_met = lemke->is_in[k];
  choice->is_enough = lemke->is_in[cones->rows];
}

static void choose(ZwSim* sim, int32_t group, double* lambda, ZwConesChoice* choice) {
  ZwContacts* contacts = &sim->contacts;
  Cones cones = {.m = sim->rank->m, .Z = contacts->Z, .lambda = lambda, .C = contacts->C, .d = contacts->d};
  if (choice) cones.told = choice->cones;
  cones.cols = find_free(sim, group, contacts->Z);
  int32_t largest = find_largest(sim, group, lambda);
  cones.scale = fabs(lambda[largest]);
  if (cones.scale == 0) return;
  fill(sim, group, &cones);
  double* x = contacts->x;
  ZwLemke* lemke = contacts->friction->lemke;
  if (cones.rows == 0 || zw_deepest(lemke, cones.rows, cones.cols, cones.C, cones.d, ENOUGH, x)) return;
  for (int32_t c = 0; c < cones.cols; c++) {
    for (int32_t i = 0; i < cones.m; i++) lambda[i] += cones.scale * x[c] * contacts->Z[(ptrdiff_t)c * cones.m + i];
  }
  if (!choice) return;
  choice->largest = largest;
  tell(lemke, &cones, choice);
}

void zw_cones_choose(ZwSim* sim, double* lambda) {
  int32_t groups = zw_cones_find_groups(sim);
  for (int32_t g = 0; g < groups; g++) choose(sim, g, lambda, NULL);
}

int32_t zw_cones_most(const ZwSim* sim) {
  return sim->contacts.count + 2 * sim->contacts.rubbing;
}

double zw_cones_enough(void) {
  return ENOUGH;
}

void zw_cones_tell(ZwSim* sim, int32_t group, double* lambda, ZwConesChoice* choice) {
  choice->is_made = false;
  choose(sim, group, lambda, choice);
}
