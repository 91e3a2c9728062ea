/* The forces that cones.c chooses are those of a quadratic program. In units of the largest of the smallest forces, L = ZW_DEEPEST_LITTLE,
 *
 *   L/2 (|lambda|^2 + s^2) - s as small as can be,   C^T lambda = mu,   K lambda >= s,   s <= enough:
 *
 * |lambda|^2 and the |x|^2 of deepest.h differ by a constant, since x is what is added to the smallest forces, at right angles to them. The
 * rows of K that are met make it equations,
 *
 *   L lambda - C nu - K^T y = 0,   C^T lambda = mu,   K lambda - s = 0,   L s + sum y = 1  (or s = enough),
 *
 * whose unknowns are lambda, nu, y and s, and these are differentiated: C, mu, the coefficients in K and the unit all change. */
#include "motion/variation_cones.h"

#include <math.h>

#include "least/deepest.h"
#include "least/dense.h"
#include "least/lu.h"

typedef struct Chosen {
  const ZwSim* sim;
  const ZwShared* shared;
  ZwConesChoice choice;
  int32_t met, size;  /* cones that are met; unknowns */
  double *T, *x, *dx; /* the matrix; the answer; its change */
} Chosen;

ptrdiff_t zw_variation_cones_unknowns(const ZwSim* sim, int32_t m) {
  return 2 * (ptrdiff_t)m + zw_cones_most(sim) + 1;
}

ptrdiff_t zw_variation_cones_room(const ZwSim* sim, int32_t m) {
  ptrdiff_t size = zw_variation_cones_unknowns(sim, m);
  return size * size + 2 * size + m;
}

/* The factor of N in a cone, and how it changes. */
static double coefficient(const Chosen* chosen, const ZwCone* cone) {
  return cone->slip < 0 ? 1 : chosen->sim->contacts.sliding.mu[cone->contact];
}

static double coefficient_rate(const Chosen* chosen, const ZwVariation* variation, const ZwCone* cone) {
  return cone->slip < 0 ? 0 : variation->devents[zw_contact_of(chosen->sim, cone->contact)->friction];
}

/* Row and column of a cone: K lambda - s. */
static void place_cone(const Chosen* chosen, const ZwCone* cone, int32_t at) {
  ptrdiff_t size = chosen->size;
  double *row = chosen->T + at * size, mu = coefficient(chosen, cone);
  row[cone->gap] += mu;
  chosen->T[cone->gap * size + at] -= mu;
  if (cone->slip >= 0) {
    row[cone->slip] += cone->sign;
    chosen->T[cone->slip * size + at] -= cone->sign;
  }
  row[size - 1] = -1;
}

static bool factor(const Chosen* chosen, int32_t* swap) {
  const ZwShared* shared = chosen->shared;
  ptrdiff_t m = shared->m, r = shared->r, size = chosen->size;
  zw_fill(size * size, 0, chosen->T);
  for (ptrdiff_t i = 0; i < m; i++) {
    chosen->T[i * size + i] = ZW_DEEPEST_LITTLE;
    for (ptrdiff_t j = 0; j < r; j++) {
      chosen->T[i * size + m + j] = -shared->C[i * r + j];
      chosen->T[(m + j) * size + i] = shared->C[i * r + j];
    }
  }
  int32_t at = shared->m + shared->r;
  for (int32_t k = 0; k < chosen->choice.count; k++) {
    if (chosen->choice.cones[k].is_met) place_cone(chosen, &chosen->choice.cones[k], at++);
  }
  double* last = chosen->T + (size - 1) * size;
  last[size - 1] = chosen->choice.is_enough ? 1 : ZW_DEEPEST_LITTLE;
  for (ptrdiff_t k = m + r; !chosen->choice.is_enough && k < size - 1; k++) last[k] = 1;
  return zw_lu_factor(chosen->size, chosen->T, swap) > 0;
}

static void fill_answer(const Chosen* chosen) {
  const ZwShared* shared = chosen->shared;
  zw_fill(chosen->size, 0, chosen->x);
  for (int32_t j = 0; j < shared->r; j++) chosen->x[shared->m + j] = shared->mu[j] / chosen->choice.scale;
  chosen->x[chosen->size - 1] = chosen->choice.is_enough ? zw_cones_enough() : 1;
}

/* The right side of the changes: what C, mu and K change by, times the answer. */
static void fill_change(const Chosen* chosen, const ZwVariation* variation, double dscale) {
  const ZwShared* shared = chosen->shared;
  ptrdiff_t m = shared->m, r = shared->r;
  const double *x = chosen->x, *nu = x + m, *y = nu + r;
  double *dx = chosen->dx, scale = chosen->choice.scale;
  zw_fill(chosen->size, 0, dx);
  for (ptrdiff_t j = 0; j < r; j++) dx[m + j] = (shared->dmu[j] - shared->mu[j] * dscale / scale) / scale;
  for (ptrdiff_t i = 0; i < m; i++) {
    dx[i] = zw_dot(shared->r, shared->dC + i * r, nu);
    zw_axpy(shared->r, -x[i], shared->dC + i * r, dx + m);
  }
  ptrdiff_t at = m + r;
  for (int32_t k = 0; k < chosen->choice.count; k++) {
    const ZwCone* cone = &chosen->choice.cones[k];
    if (!cone->is_met) continue;
    double dmu = coefficient_rate(chosen, variation, cone);
    dx[cone->gap] += dmu * y[at - m - r];
    dx[at++] = -dmu * x[cone->gap];
  }
}

static Chosen open_chosen(ZwSim* sim, int32_t group, const ZwVariation* variation, const ZwShared* shared) {
  Chosen chosen = {.sim = sim, .shared = shared, .choice = {.cones = variation->cones}};
  double* lambda = variation->chosen;
  zw_copy(shared->m, shared->lambda, lambda);
  zw_cones_tell(sim, group, lambda, &chosen.choice);
  for (int32_t k = 0; chosen.choice.is_made && k < chosen.choice.count; k++) {
    chosen.met += chosen.choice.cones[k].is_met;
  }
  chosen.size = shared->m + shared->r + chosen.met + 1;
  chosen.T = lambda + shared->m;
  chosen.x = chosen.T + (ptrdiff_t)chosen.size * chosen.size;
  chosen.dx = chosen.x + chosen.size;
  return chosen;
}

/* Of the rows of one group; the others belong to the equations, but their cones do not. */
static void vary_group(ZwSim* sim, int32_t group, ZwVariation* variation, const ZwShared* shared, double* dlambda) {
  Chosen chosen = open_chosen(sim, group, variation, shared);
  if (!chosen.choice.is_made) return;
  int32_t largest = chosen.choice.largest;
  double scale = chosen.choice.scale;
  double dscale = shared->lambda[largest] < 0 ? -shared->dsmallest[largest] : shared->dsmallest[largest];
  bool is_sound = factor(&chosen, variation->swap);
  if (is_sound) {
    zw_variation_coefficients(sim, variation);
    fill_answer(&chosen);
    zw_lu_solve(chosen.size, chosen.T, variation->swap, chosen.x);
    fill_change(&chosen, variation, dscale);
    zw_lu_solve(chosen.size, chosen.T, variation->swap, chosen.dx);
  }
  for (int32_t i = 0; i < shared->m; i++) {
    if (zw_cones_group(sim, i) == group) dlambda[i] = is_sound ? scale * chosen.dx[i] + dscale * chosen.x[i] : NAN;
  }
}

void zw_variation_cones(ZwSim* sim, ZwVariation* variation, const ZwShared* shared, double* dlambda) {
  zw_copy(shared->m, shared->dsmallest, dlambda);
  if (!variation->cones) return;
  int32_t groups = zw_cones_find_groups(sim);
  for (int32_t g = 0; g < groups; g++) vary_group(sim, g, variation, shared, dlambda);
}
