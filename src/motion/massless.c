/* Units of coordinates without mass. In the metric of the masses such a coordinate has none: a row in which it stands beside others may be told
 * by any of them. Taken from the present entries, as 1 or by what the others of a row come to, the unit follows what vanishes: `u = x^2`
 * looked singular wherever x passed through 0, and of `1e6*x + 1e-6*u` nothing was seen but x. So these coordinates are measured among
 * themselves, by the entries that their columns have had, and then all of a part so that none of their rows is made of masses alone. */
#include <math.h>

#include "least/balance.h"
#include "least/dense.h"
#include "motion/sim.h"

/* In a row the coordinates without mass are at least so many times what the others have been: then it does not vanish with those. */
#define LIGHT 1.0

static bool is_massless(const ZwSim* sim, int32_t j) {
  return zw_rows_mass(sim, j) == 0;
}

bool zw_massless_is_any(const ZwSim* sim) {
  int32_t j = 0;
  while (j < sim->n && !is_massless(sim, j)) j++;
  return j < sim->n;
}

/* The largest entry of a row by coordinates with mass. */
static double largest_with_mass(const ZwSim* sim, int32_t i) {
  const ZwPattern* A = &sim->equations->A;
  double largest = 0;
  for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
    double mass = zw_rows_mass(sim, A->column[k]);
    if (mass > 0) largest = zw_larger(largest, sim->reach.most[k] / sqrt(mass));
  }
  return largest;
}

/* The entries that say something of such coordinates, into reach->entries. One that is far smaller beside the masses of its row than that of another
 * row is what is left of one that vanishes: at its top a sine leaves 6e-17. */
static void take_entries(ZwSim* sim) {
  const ZwPattern* A = &sim->equations->A;
  double *best = sim->reach.masses, *to = sim->reach.entries;
  zw_fill(sim->n, 0, best);
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t i = 0; i < sim->m; i++) {
      double others = largest_with_mass(sim, i);
      for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
        int32_t j = A->column[k];
        double most = is_massless(sim, j) ? sim->reach.most[k] : 0, part = others > 0 ? most / others : 0;
        if (pass == 0) best[j] = zw_larger(best[j], part);
        if (pass == 1) to[k] = others > 0 && part < ZW_TOL_ENTRY_REL * best[j] ? 0 : most;
      }
    }
  }
}

/* Columns of these coordinates brought to one length, as far as the entries alone tell. */
static void balance(ZwSim* sim, double* unit) {
  const ZwPattern* A = &sim->equations->A;
  ZwReach* reach = &sim->reach;
  ZwEntries entries = {sim->m, sim->n, A->begin, A->column, reach->entries, NULL};
  (void)zw_balance(&entries, unit, sim->rI, reach->work);
  for (int32_t j = 0; j < sim->n; j++) {
    if (!(unit[j] > 0)) unit[j] = 1;
  }
}

/* The largest of the entries that count, in the units. */
static double largest_without(const ZwSim* sim, int32_t i, const double* unit) {
  const ZwPattern* A = &sim->equations->A;
  double largest = 0;
  for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
    largest = zw_larger(largest, sim->reach.entries[k] * unit[A->column[k]]);
  }
  return largest;
}

/* All of a part by one factor. */
static void weigh(ZwSim* sim, double* unit) {
  const ZwPattern* A = &sim->equations->A;
  const int32_t* part_of = sim->equations->parts.of;
  double* factor = sim->reach.masses; /* by parts, of which there are not more than coordinates */
  zw_fill(sim->n, 0, factor);
  for (int32_t i = 0; i < sim->m; i++) {
    if (A->begin[i] == A->begin[i + 1]) continue;
    double own = largest_without(sim, i, unit), others = largest_with_mass(sim, i);
    int32_t part = part_of[A->column[A->begin[i]]];
    if (own > 0 && part >= 0) factor[part] = zw_larger(factor[part], LIGHT * others / own);
  }
  for (int32_t j = 0; j < sim->n; j++) {
    double own = is_massless(sim, j) && part_of[j] >= 0 ? factor[part_of[j]] : 0;
    if (own > 0 && isfinite(own)) unit[j] *= ldexp(1, ilogb(own));
  }
}

/* What a row that has such a coordinate can be, in its new unit. */
static double size_of(const ZwSim* sim, int32_t i) {
  const ZwPattern* A = &sim->equations->A;
  double sum = 0;
  for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
    double mass = zw_rows_mass(sim, A->column[k]);
    double part = sim->reach.most[k] * (mass > 0 ? 1 / sqrt(mass) : sim->reach.massless[A->column[k]]);
    sum += part * part;
  }
  return sqrt(sum);
}

static bool has_massless(const ZwSim* sim, int32_t i) {
  const ZwPattern* A = &sim->equations->A;
  int32_t k = A->begin[i];
  while (k < A->begin[i + 1] && !is_massless(sim, A->column[k])) k++;
  return k < A->begin[i + 1];
}

bool zw_massless_find_units(ZwSim* sim) {
  double *unit = sim->dx, *known = sim->reach.massless;
  bool has_changed = false;
  take_entries(sim);
  balance(sim, unit);
  weigh(sim, unit);
  for (int32_t j = 0; j < sim->n; j++) {
    has_changed = has_changed || (is_massless(sim, j) && unit[j] != known[j]);
    known[j] = unit[j];
  }
  for (int32_t i = 0; has_changed && i < sim->m; i++) {
    if (sim->scale[i] > 0 && has_massless(sim, i)) sim->scale[i] = size_of(sim, i);
  }
  return has_changed;
}
