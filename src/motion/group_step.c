/* Steps of the explicit pair, of all members of a group at once. */
#include <math.h>

#include "motion/group_parts.h"

void zw_group_combine(const ZwGroup* group, ZwEight h, const double* a, int count, double c, ZwEight* to) {
  for (int32_t i = 0; i < group->dim; i++) to[i] = group->y[i];
  for (int j = 0; j < count; j++) {
    if (a[j] == 0) continue;
    ZwEight factor = times(h, spread(a[j]));
    const ZwEight* k = group->k[j];
    for (int32_t i = 0; i < group->dim; i++) to[i] = plus(to[i], times(factor, k[i]));
  }
  to[group->dim] = plus(group->t, times(spread(c), h));
}

static ZwEightSet run_stages(ZwGroup* group, ZwEight h) {
  ZwEightSet fine = ZW_EIGHT_ALL;
  for (int s = 1; s < ZW_DOP853_STAGES; s++) {
    zw_group_combine(group, h, zw_dop853.a[s], s, zw_dop853.c[s], group->y_new);
    fine &= zw_group_eval_rate(group, group->y_new, group->k[s]);
  }
  zw_group_combine(group, h, zw_dop853.b, ZW_DOP853_STAGES, 1, group->y_new);
  return fine;
}

/* Finite numbers times 0 change no bit of a sum that began with 0. */
static ZwEight difference_of(const ZwGroup* group, const double* weights, int32_t i) {
  ZwEight sum = spread(0);
  for (int j = 0; j < ZW_DOP853_STAGES; j++) {
    if (weights[j] != 0) sum = plus(sum, times(spread(weights[j]), group->k[j][i]));
  }
  return sum;
}

static ZwEight error_of(const ZwGroup* group, ZwEight h) {
  ZwEight *sums = group->sums, worst = spread(0), none = spread(0);
  for (int32_t g = 0; g < 2 * group->islands; g++) sums[g] = none;
  for (int32_t i = 0; i < 2 * group->n; i++) {
    ZwEight* sum = sums + 2 * (ptrdiff_t)group->island[i < group->n ? i : i - group->n];
    ZwEight size = larger(size_of(group->y[i]), size_of(group->y_new[i]));
    ZwEight scale = times(group->tolerance, plus(group->unit[i], size));
    ZwEight d5 = over(difference_of(group, zw_dop853.e5, i), scale),
            d3 = over(difference_of(group, zw_dop853.e3, i), scale);
    sum[0] = plus(sum[0], times(d5, d5));
    sum[1] = plus(sum[1], times(d3, d3));
  }
  for (int32_t g = 0; g < group->islands; g++) {
    const ZwEight* sum = sums + 2 * (ptrdiff_t)g;
    ZwEight below = root(times(plus(sum[0], times(spread(0.01), sum[1])), spread(2 * group->island_size[g])));
    worst = worse(worst, choose(is_equal(sum[0], none), none, over(times(h, sum[0]), below)));
  }
  return worst;
}

static void read_begin(ZwGroup* group, int place, double h) {
  ZwSim* sim = group->sims[place];
  zw_sizes_take(sim, h);
  zw_group_put(group->unit, place, sim->sizes.unit, 2 * sim->n);
  for (int level = 0; level < 2; level++) zw_group_put(group->row_size[level], place, sim->sizes.row[level], sim->m);
  zw_group_put(group->y, place, sim->y, sim->dim);
  zw_group_put(group->k[0], place, sim->k[0], sim->dim);
  zw_group_put(group->scale, place, sim->scale, sim->m);
  numbers_of(&group->t)[place] = sim->t;
}

static void write_end(const ZwGroup* group, int place) {
  ZwSim* sim = group->sims[place];
  zw_group_get(sim->y_new, group->y_new, place, sim->dim);
  zw_group_get(sim->phi, group->phi, place, sim->m);
  zw_group_get(sim->psi, group->psi, place, sim->m);
  for (int j = 1; j < ZW_DOP853_STAGES && zw_stiffness_is_rate_due(sim); j++) {
    zw_group_get(sim->k[j], group->k[j], place, 2 * sim->n);
  }
}

ZwPlaces zw_group_attempt(ZwGroup* group, ZwPlaces places, const double* h, double* errors) {
  for (int place = 0; place < ZW_GROUP; place++) {
    if (zw_group_has(places, place)) read_begin(group, place, h[place]);
  }
  ZwEight steps = load(h);
  ZwPlaces ended = places & run_stages(group, steps);
  ZwEight error = error_of(group, steps), one = spread(1), displacement = spread(0);
  ZwPlaces is_good = ended & set_of(is_at_most(error, one));
  for (int place = 0; place < ZW_GROUP; place++) {
    ZwSim* sim = group->sims[place];
    if (zw_group_has(ended, place)) sim->stats.evaluations += ZW_DOP853_STAGES - 1;
    if (zw_group_has(is_good, place)) zw_group_get(sim->F[4], group->y_new + sim->n, place, sim->n);
  }
  ZwPlaces projected = is_good ? zw_group_project(group, group->y_new, is_good, &displacement) : 0;
  error = larger(times(spread(ZW_ERROR_OF_DISPLACEMENT), displacement), error);
  projected &= set_of(is_at_most(error, one)); /* who was moved too far finds out by which row */
  for (int place = 0; place < ZW_GROUP; place++) {
    errors[place] = number_of(&error, place);
    if (zw_group_has(projected, place)) write_end(group, place);
    if (zw_group_has(is_good & ~projected, place)) group->sims[place]->stats.evaluations -= ZW_DOP853_STAGES - 1;
  }
  return (ended & ~is_good) | projected;
}
