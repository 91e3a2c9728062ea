/* The end of a step, of all members of a group: its rate, the sizes of the rows there, and how near they are to losing rank, measured
 * as often as zw_step_end and zw_singular_accept measure it, because each begins where the one before ended. */
#include <math.h>

#include "motion/group_parts.h"

/* As `measure` of singular.c: the smallest singular value of the rows in units of their sizes. */
static ZwEight measure(ZwGroup* group, ZwEightSet places) {
  const ZwRowSet* set = &group->sets[ZW_LEVEL_ACCELERATION];
  int32_t m = set->count;
  if (m == 0) return spread(1);
  ZwEight smallest = spread(0), *before = group->x, *guess = group->guess;
  ZwEightSet sound = zw_group_factor(group, set), sure;
  ZwEightMask all = mask_of(places);
  for (int32_t i = 0; i < m; i++) {
    guess[i] = choose(all, plus(guess[i], spread(zw_singular_nudges[i % ZW_NUDGES])), guess[i]);
  }
  for (int k = 0; k < ZW_MEASURES && places; k++) {
    ZwEight found;
    ZwEightMask moves = mask_of(places);
    for (int32_t i = 0; i < m; i++) before[i] = guess[i];
    sound &= zw_group_measure(group, &found, &sure) | ~places;
    for (int32_t i = 0; i < m; i++) guess[i] = choose(moves, guess[i], before[i]);
    smallest = choose(moves, found, smallest);
    places &= sound & ~sure;
  }
  return choose(mask_of(sound), smallest, spread(0)); /* what is not sound is looked at alone */
}

/* As rows.c: sizes of all rows at the state evaluated last, and the largest that they have had; who has larger ones than before. */
static ZwEightSet measure_rows(ZwGroup* group, ZwEightSet* have_grown) {
  ZwEightSet fine = zw_group_row_sizes(group);
  *have_grown = 0;
  for (int32_t i = 0; i < group->m; i++) {
    *have_grown |= set_of(is_less(group->scale[i], group->size[i]));
    group->scale[i] = larger(group->size[i], group->scale[i]);
  }
  return fine;
}

/* All rows are in the solve: nothing has to be looked at outside it. */
static bool has_all_rows(const ZwGroup* group) {
  return group->sets[ZW_LEVEL_ACCELERATION].count == group->m;
}

static void accept(const ZwGroup* group, int place, ZwStepSearch* search, double error, const double* measured) {
  ZwSim* sim = group->sims[place];
  zw_group_get(sim->k[ZW_DOP853_STAGES], group->k[ZW_DOP853_STAGES], place, sim->dim);
  zw_group_get(sim->a, group->a, place, sim->n);
  zw_group_get(sim->h, zw_group_number(group, group->program.block.h), place, sim->n);
  zw_group_get(sim->Ax, group->Ax, place, sim->equations->A.count);
  zw_group_get(sim->Mx, group->Mx, place, sim->equations->M.count);
  zw_group_get(sim->Qc, group->Qc, place, sim->n);
  zw_group_get(sim->lambda, group->lambda, place, sim->m);
  sim->has_lambda = true;
  zw_sizes_note_forces(sim, sim->k[ZW_DOP853_STAGES]); /* with the scales from before, as alone */
  zw_group_get(sim->scale, group->scale, place, sim->m);
  zw_group_get(sim->size, group->size, place, sim->m);
  zw_group_get(sim->near.guess, group->guess, place, sim->m);
  sim->pivot_ratio = group->m > 0 ? number_of(&group->pivot_ratio, place) : 1;
  sim->stats.evaluations++;
  zw_step_accept_plain(sim, search, error, measured);
}

ZwPlaces zw_group_settle(ZwGroup* group, ZwPlaces places, ZwStepSearch** searches, const double* errors) {
  if (!has_all_rows(group)) return 0;
  for (int place = 0; place < ZW_GROUP; place++) {
    if (zw_group_has(places, place)) zw_group_put(group->guess, place, group->sims[place]->near.guess, group->m);
  }
  places &= zw_group_eval_rate(group, group->y_new, group->k[ZW_DOP853_STAGES]);
  ZwEight first = measure(group, places);
  if (group->m > 0) places &= set_of(is_less(spread(ZW_TOL_PIVOT_LOOK), group->pivot_ratio));
  ZwEightSet have_grown;
  places &= measure_rows(group, &have_grown);
  have_grown &= places;
  ZwEight second = have_grown ? choose(mask_of(have_grown), measure(group, have_grown), first) : first;
  for (int place = 0; place < ZW_GROUP; place++) {
    double measured[2] = {number_of(&first, place), number_of(&second, place)};
    bool is_plain = zw_group_has(places, place) && zw_singular_is_plain(group->sims[place], measured);
    if (is_plain)
      accept(group, place, searches[place], errors[place], measured);
    else
      places &= ~(1u << place);
  }
  return places;
}
