/* Rows inside the pending steps of all members of a group: dense output, states put onto the constraints, outputs. */
#include "motion/group_parts.h"

static ZwEightSet make_dense(ZwGroup* group, ZwEight h) {
  ZwEightSet fine = ZW_EIGHT_ALL;
  for (int s = ZW_DOP853_STAGES + 1; s < ZW_DOP853_STAGES_ALL; s++) {
    zw_group_combine(group, h, zw_dop853.a[s], s, zw_dop853.c[s], group->y_out);
    fine &= zw_group_eval_rate(group, group->y_out, group->k[s]);
  }
  const ZwEight *begin = group->k[0], *end = group->k[ZW_DOP853_STAGES], two = spread(2);
  for (int32_t i = 0; i < group->dim; i++) {
    ZwEight difference = minus(group->y_new[i], group->y[i]);
    group->F[0][i] = difference;
    group->F[1][i] = minus(times(h, begin[i]), difference);
    group->F[2][i] = minus(times(two, difference), times(h, plus(begin[i], end[i])));
    for (int r = 0; r < ZW_DOP853_DENSE; r++) {
      ZwEight sum = spread(0);
      for (int j = 0; j < ZW_DOP853_STAGES_ALL; j++) {
        if (zw_dop853.d[r][j] != 0) sum = plus(sum, times(spread(zw_dop853.d[r][j]), group->k[j][i]));
      }
      group->F[3 + r][i] = times(h, sum);
    }
  }
  return fine;
}

static void interpolate(const ZwGroup* group, ZwEight x, ZwEight* y) {
  ZwEight* const* F = group->F;
  ZwEight rest = minus(spread(1), x);
  for (int32_t i = 0; i < group->dim; i++) {
    ZwEight value = plus(F[5][i], times(x, F[6][i]));
    value = plus(F[4][i], times(rest, value));
    value = plus(F[3][i], times(x, value));
    value = plus(F[2][i], times(rest, value));
    value = plus(F[1][i], times(x, value));
    value = plus(F[0][i], times(rest, value));
    y[i] = plus(group->y[i], times(x, value));
  }
}

/* Rows of the state and of outputs that follow from it alone. */
static bool has_plain_rows(const ZwSim* sim) {
  return !sim->outputs_need_acceleration && !sim->outputs_need_reaction && !sim->has_forces && !sim->has_evidence &&
         !sim->plan->look;
}

/* Those who have a row left in their step, and when. */
static ZwPlaces next_samples(ZwPlaces places, ZwProgress** progress, double* t) {
  ZwPlaces found = 0;
  for (int place = 0; place < ZW_GROUP; place++) {
    if (zw_group_has(places, place) && zw_run_is_sampled(progress[place], &t[place])) found |= 1u << place;
  }
  return found;
}

static ZwStatus hand_out(const ZwGroup* group, int place, ZwProgress* progress, double t, bool has_outputs) {
  ZwSim* sim = group->sims[place];
  zw_group_get(sim->y_out, group->y_out, place, sim->dim);
  zw_group_get(sim->phi, group->phi, place, sim->m);
  zw_group_get(sim->psi, group->psi, place, sim->m);
  zw_group_get(sim->outs, group->outs, place, sim->equations->output_count);
  return zw_run_hand_sample(sim, progress, t, sim->y_out, has_outputs);
}

/* For a place that goes on alone. */
static void leave_stages(const ZwGroup* group, int place) {
  ZwSim* sim = group->sims[place];
  for (int s = 1; s < ZW_DOP853_STAGES; s++) zw_group_get(sim->k[s], group->k[s], place, sim->dim);
}

/* The end of the step, as it was found alone; the sizes of rows may have grown there. */
static void read_end(ZwGroup* group, int place, double* h) {
  const ZwSim* sim = group->sims[place];
  zw_group_put(group->scale, place, sim->scale, sim->m);
  h[place] = sim->h_dense;
  zw_group_put(group->k[ZW_DOP853_STAGES], place, sim->k[ZW_DOP853_STAGES], sim->dim);
}

/* The rows at times t of all that want one. Gives those who have it and can go on here. The others stay at the begin of their steps:
 * wild numbers would be slow ones. */
static ZwPlaces emit_one(ZwGroup* group, ZwPlaces wanted, const double* t, ZwEight h, ZwProgress** progress,
                         ZwStatus* status) {
  ZwEightMask is_wanted = mask_of(wanted);
  ZwEight time = choose(is_wanted, load(t), group->t), displacement = spread(0);
  interpolate(group, choose(is_wanted, over(minus(time, group->t), h), spread(0)), group->y_out);
  group->y_out[group->dim] = time;
  ZwEightSet here = zw_group_project(group, group->y_out, wanted, &displacement),
             has_outputs = zw_group_eval_outputs(group, group->y_out);
  for (int place = 0; place < ZW_GROUP; place++) {
    if (!zw_group_has(here, place)) continue;
    bool is_met = zw_singular_would_meet(group->sims[place], number_of(&group->least->pivot_ratio, place));
    if (!is_met) status[place] = hand_out(group, place, progress[place], t[place], zw_group_has(has_outputs, place));
    if (is_met || status[place]) here &= ~(1u << place);
  }
  return here;
}

ZwPlaces zw_group_emit(ZwGroup* group, ZwPlaces places, ZwProgress** progress, ZwStatus* status) {
  double t[ZW_GROUP] = {0}, h[ZW_GROUP] = {0};
  ZwPlaces wanted = next_samples(places, progress, t), left = 0, dense = 0;
  for (int place = 0; place < ZW_GROUP; place++) {
    if (!zw_group_has(wanted, place)) continue;
    if (has_plain_rows(group->sims[place]))
      read_end(group, place, h);
    else
      left |= 1u << place;
  }
  wanted &= ~left;
  if (wanted) dense = wanted & make_dense(group, load(h));
  left |= wanted & ~dense;
  for (wanted &= dense; wanted;) {
    ZwPlaces here = emit_one(group, wanted, t, load(h), progress, status);
    for (int place = 0; place < ZW_GROUP; place++) {
      if (zw_group_has(wanted & ~here, place) && !status[place]) left |= 1u << place;
    }
    wanted = next_samples(here, progress, t);
  }
  for (int place = 0; place < ZW_GROUP; place++) {
    bool was_dense = zw_group_has(dense & ~left, place);
    if (was_dense) group->sims[place]->stats.evaluations += ZW_DOP853_STAGES_ALL - ZW_DOP853_STAGES - 1;
    if (zw_group_has(left, place)) leave_stages(group, place);
  }
  return left;
}
