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

/* ---- lanes that are lent ---- */

enum { NOBODY = -1, WORTH = 2 }; /* rows for each lane from which on another one helps */

/* Whose rows each lane makes. One whose own member has none left helps another, whose rows it makes in turn with that one's own
 * lane: members have more or fewer rows in their steps, and nobody should wait for the one with most. */
typedef struct Lanes {
  int owner[ZW_GROUP];
  int64_t rows[ZW_GROUP]; /* that a place has left */
  ZwPlaces lent;
} Lanes;

static void copy_lane(ZwEight* numbers, ptrdiff_t count, int from, int to) {
  for (ptrdiff_t i = 0; i < count; i++) numbers_of(&numbers[i])[to] = number_of(&numbers[i], from);
}

/* Where the constants of a lane begin; they are four apart. */
static double* constants_of(const ZwGroup* group, int lane) {
  return group->states[lane / ZW_GROUP_FOUR].constants + lane % ZW_GROUP_FOUR;
}

static void copy_constants(const ZwGroup* group, const double* from, int step, double* to, int to_step) {
  ptrdiff_t count = group->program.constants / ZW_GROUP_FOUR;
  for (ptrdiff_t i = 0; i < count; i++) to[i * to_step] = from[i * step];
}

static void keep_constants(const ZwGroup* group, int lane) {
  copy_constants(group, constants_of(group, lane), ZW_GROUP_FOUR, group->kept[lane], 1);
}

/* All that rows inside the step of one member are made from. */
static void lend(ZwGroup* group, int lane, int place) {
  ptrdiff_t dim = group->dim;
  copy_constants(group, constants_of(group, place), ZW_GROUP_FOUR, constants_of(group, lane), ZW_GROUP_FOUR);
  copy_lane(group->y, dim, place, lane);
  for (int i = 0; i < 7; i++) copy_lane(group->F[i], dim, place, lane);
  copy_lane(group->block, group->program.block.size, place, lane);
  copy_lane(&group->t, 1, place, lane);
  copy_lane(&group->tolerance, 1, place, lane);
  copy_lane(&group->tol_project, 1, place, lane);
  for (int level = 0; level < 2; level++) copy_lane(group->row_size[level], group->m, place, lane);
}

/* What the next attempt does not read anew. */
static void give_back(ZwGroup* group, int lane) {
  const ZwSim* sim = group->sims[lane];
  copy_constants(group, group->kept[lane], 1, constants_of(group, lane), ZW_GROUP_FOUR);
  group->has_M = false;
  if (!sim) return;
  numbers_of(&group->tolerance)[lane] = sim->tolerance;
  numbers_of(&group->tol_project)[lane] = sim->tol_project;
}

static int64_t count_samples(const ZwProgress* progress) {
  double t;
  int64_t count = 0;
  while (zw_run_is_sampled(progress, count, &t)) count++;
  return count;
}

/* Lanes without rows go to whoever has most rows for each of its lanes, while that is worth it. */
static void share_lanes(ZwGroup* group, Lanes* lanes, double* h) {
  int32_t lanes_of[ZW_GROUP] = {0};
  const int64_t* rows = lanes->rows;
  for (int i = 0; i < ZW_GROUP; i++) {
    if (lanes->owner[i] != NOBODY && rows[lanes->owner[i]] == 0) lanes->owner[i] = NOBODY;
    if (lanes->owner[i] != NOBODY) lanes_of[lanes->owner[i]]++;
  }
  for (int i = 0; i < ZW_GROUP; i++) {
    if (lanes->owner[i] != NOBODY) continue;
    int most = NOBODY;
    for (int p = 0; p < ZW_GROUP; p++) {
      bool has_more = most == NOBODY || rows[p] * lanes_of[most] > rows[most] * lanes_of[p];
      if (lanes_of[p] > 0 && has_more) most = p;
    }
    if (most == NOBODY || rows[most] < WORTH * lanes_of[most]) return;
    if (!zw_group_has(lanes->lent, i)) keep_constants(group, i);
    lend(group, i, most);
    h[i] = h[most];
    lanes->owner[i] = most;
    lanes->lent |= 1u << i;
    lanes_of[most]++;
  }
}

/* A row that was made in some lane. */
static ZwStatus hand_out(const ZwGroup* group, int lane, int place, ZwProgress* progress, double t, bool has_outputs) {
  ZwSim* sim = group->sims[place];
  zw_group_get(sim->y_out, group->y_out, lane, sim->dim);
  zw_group_get(sim->phi, group->phi, lane, sim->m);
  zw_group_get(sim->psi, group->psi, lane, sim->m);
  zw_group_get(sim->outs, group->outs, lane, zw_equations_values(sim->equations));
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

/* ---- rounds ---- */

/* When the lanes' next rows are; those that have one. */
static ZwPlaces next_samples(const Lanes* lanes, ZwProgress** progress, double* t) {
  ZwPlaces found = 0;
  int32_t ahead[ZW_GROUP] = {0};
  for (int lane = 0; lane < ZW_GROUP; lane++) {
    int place = lanes->owner[lane];
    if (place == NOBODY || ahead[place] >= lanes->rows[place]) continue;
    if (zw_run_is_sampled(progress[place], ahead[place]++, &t[lane])) found |= 1u << lane;
  }
  return found;
}

/* States at times t in the lanes that have one, put onto the constraints, and their outputs. Gives those lanes where all went well.
 * The others stay at the begin of their steps: wild numbers would be slow ones. */
static ZwPlaces make_rows(ZwGroup* group, ZwPlaces rows, const double* t, ZwEight h, ZwPlaces* has_outputs) {
  ZwEightMask is_wanted = mask_of(rows);
  ZwEight time = choose(is_wanted, load(t), group->t), displacement = spread(0);
  interpolate(group, choose(is_wanted, over(minus(time, group->t), h), spread(0)), group->y_out);
  group->y_out[group->dim] = time;
  rows = zw_group_project(group, group->y_out, rows, &displacement);
  *has_outputs = zw_group_eval_outputs(group, group->y_out);
  return rows;
}

/* The times of a member's rows go up with its lanes. */
static ZwPlaces hand_out_rows(const ZwGroup* group, Lanes* lanes, ZwPlaces rows, ZwPlaces fine, ZwPlaces has_outputs,
                              const double* t, ZwProgress** progress, ZwStatus* status) {
  ZwPlaces stopped = 0;
  for (int lane = 0; lane < ZW_GROUP; lane++) {
    int place = lanes->owner[lane];
    if (!zw_group_has(rows, lane) || zw_group_has(stopped, place)) continue;
    bool is_fine =
        zw_group_has(fine, lane) && !zw_singular_would_meet(group->sims[place], number_of(&group->pivot_ratio, lane));
    if (is_fine)
      status[place] = hand_out(group, lane, place, progress[place], t[lane], zw_group_has(has_outputs, lane));
    lanes->rows[place] -= is_fine;
    if (!is_fine || status[place]) stopped |= 1u << place;
  }
  return stopped;
}

/* Gives those places that have to go on alone. */
static ZwPlaces emit_dense(ZwGroup* group, ZwPlaces wanted, double* h, ZwProgress** progress, ZwStatus* status) {
  double t[ZW_GROUP] = {0};
  ZwPlaces left = 0, occupied = group->occupied;
  Lanes lanes = {.lent = 0};
  for (int i = 0; i < ZW_GROUP; i++) {
    bool is_wanted = zw_group_has(wanted, i);
    lanes.owner[i] = is_wanted ? i : NOBODY;
    if (is_wanted) lanes.rows[i] = count_samples(progress[i]);
  }
  for (;;) {
    share_lanes(group, &lanes, h);
    group->occupied = occupied | lanes.lent;
    ZwPlaces rows = next_samples(&lanes, progress, t);
    if (!rows) break;
    ZwPlaces has_outputs, fine = make_rows(group, rows, t, load(h), &has_outputs);
    ZwPlaces stopped = hand_out_rows(group, &lanes, rows, fine, has_outputs, t, progress, status);
    for (int place = 0; place < ZW_GROUP; place++) {
      if (!zw_group_has(stopped, place)) continue;
      lanes.rows[place] = 0;
      if (!status[place]) left |= 1u << place;
    }
  }
  group->occupied = occupied;
  for (int lane = 0; lane < ZW_GROUP; lane++) {
    if (zw_group_has(lanes.lent, lane)) give_back(group, lane);
  }
  return left;
}

ZwPlaces zw_group_emit(ZwGroup* group, ZwPlaces places, ZwProgress** progress, ZwStatus* status) {
  double t, h[ZW_GROUP] = {0};
  ZwPlaces wanted = 0, left = 0;
  for (int place = 0; place < ZW_GROUP; place++) {
    if (!zw_group_has(places, place) || !zw_run_is_sampled(progress[place], 0, &t)) continue;
    bool is_plain = has_plain_rows(group->sims[place]);
    *(is_plain ? &wanted : &left) |= 1u << place;
    if (is_plain) read_end(group, place, h);
  }
  ZwPlaces dense = wanted ? wanted & make_dense(group, load(h)) : 0;
  left |= wanted & ~dense;
  if (dense) left |= emit_dense(group, dense, h, progress, status);
  for (int place = 0; place < ZW_GROUP; place++) {
    bool was_dense = zw_group_has(dense & ~left, place);
    if (was_dense) group->sims[place]->stats.evaluations += ZW_DOP853_STAGES_ALL - ZW_DOP853_STAGES - 1;
    if (zw_group_has(left, place)) leave_stages(group, place);
  }
  return left;
}
