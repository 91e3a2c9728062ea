#include "motion/follow.h"

#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "least/qr.h"
#include "motion/start_sizes.h"

enum { NEWTON_MAX = 30, WALK = 16 };

/* A Newton step this small, as a part of the sizes, is the last one. */
#define TOL_STEP 1e-13
/* ... and so is one below this that is not half as large as the one before: rounding. */
#define TOL_STALLED 1e-9
/* A step so large leads nowhere. */
#define STEP_MOST 1e6
/* A column of the constraints counts beside the others if it is larger than this part of the largest. */
#define TOL_DETERMINED 1e-9
/* What a step may leave of residuals: rounding of the rows. */
#define TOL_MET 1e-9

ZwStatus zw_follow_create(ZwFollow* follow, ZwArena* arena, ZwSim* sim, const ZwTrack* track) {
  ptrdiff_t n = sim->n, m = sim->m;
  *follow = (ZwFollow){.sim = sim, .track = track};
  for (int k = 0; k < ZW_FOLLOW_LEVELS; k++) follow->size[k] = ZW_NEW(arena, n + 1, double);
  follow->y = ZW_NEW(arena, 2 * n + 1, double);
  follow->a = ZW_NEW(arena, n + 1, double);
  follow->residual = ZW_NEW(arena, m + 1, double);
  follow->moved = ZW_NEW(arena, n + 1, double);
  follow->is_loose = ZW_NEW(arena, n + 1, bool);
  follow->unknown = ZW_NEW(arena, n + 1, int32_t);
  follow->x = ZW_NEW(arena, n + m + 1, double);
  follow->rows = ZW_NEW(arena, m * n + 1, double);
  follow->T = ZW_NEW(arena, m * n + 1, double);
  follow->tau = ZW_NEW(arena, n + m + 1, double);
  follow->norms = ZW_NEW(arena, 2 * (n + m) + 1, double);
  follow->r = ZW_NEW(arena, m + 1, double);
  follow->size_of_row = ZW_NEW(arena, m + 1, double);
  follow->order = ZW_NEW(arena, n + m + 1, int32_t);
  follow->active = ZW_NEW(arena, m + 1, int32_t);
  if (arena->failed) return ZW_ERR_MEMORY;
  double time = track->t[track->count - 1] - track->t[0];
  for (int32_t j = 0; j < sim->n; j++) {
    for (int k = 0; k < ZW_FOLLOW_LEVELS; k++) follow->size[k][j] = zw_size_over(sim, j, k, time);
    if (!track->columns[j].q) follow->unknown[follow->missing++] = j;
    for (int32_t i = 0; track->columns[j].q && i < track->count; i++) {
      const double* jet = track->jets + ((ptrdiff_t)j * track->count + i) * ZW_TRACK_JET;
      double values[ZW_FOLLOW_LEVELS] = {jet[0], jet[1], 2 * jet[2]};
      for (int k = 0; k < ZW_FOLLOW_LEVELS; k++)
        follow->size[k][j] = zw_larger(follow->size[k][j], zw_size_at(zw_size_over(sim, j, k, time), values[k]));
    }
  }
  return ZW_OK;
}

/* ---- the rows of a level ---- */

typedef struct Level {
  ZwFollow* follow;
  ZwLevel level;
  double t;
  double* x;     /* what is looked for: q, v or a */
  int32_t count; /* rows */
} Level;

/* Residuals into follow->r and rows into follow->rows, both in units of what the row can be. */
static bool look(Level* level) {
  ZwFollow* follow = level->follow;
  ZwSim* sim = follow->sim;
  const double *q = follow->y, *v = follow->y + sim->n;
  bool is_finite = level->level == ZW_LEVEL_POSITION   ? zw_eval_position(sim, level->t, q)
                   : level->level == ZW_LEVEL_VELOCITY ? zw_eval_velocity(sim, level->t, q, v)
                                                       : zw_eval_acceleration(sim, level->t, q, v);
  sim->t_evaluated = level->t;
  sim->entry_evaluated = level->level == ZW_LEVEL_POSITION   ? ZW_ENTRY_POSITION
                         : level->level == ZW_LEVEL_VELOCITY ? ZW_ENTRY_VELOCITY
                                                             : ZW_ENTRY_ACCELERATION;
  if (!is_finite) return false;
  level->count = 0;
  for (int32_t i = 0; i < sim->m; i++) {
    if (sim->equations->rows.items[i].level <= level->level && zw_rows_is_on(sim, i))
      follow->active[level->count++] = i;
  }
  zw_eval_dense_rows(sim, follow->active, level->count, follow->rows);
  const double* size = follow->size[level->level];
  for (int32_t r = 0; r < level->count; r++) {
    double* row = follow->rows + (ptrdiff_t)r * sim->n;
    int32_t i = follow->active[r];
    follow->r[r] = level->level == ZW_LEVEL_POSITION   ? sim->phi[i]
                   : level->level == ZW_LEVEL_VELOCITY ? sim->psi[i]
                                                       : zw_dot(sim->n, row, level->x) - sim->b[i];
    for (int32_t j = 0; j < sim->n; j++) row[j] *= size[j]; /* of changes as parts of the sizes */
    double length = zw_norm(sim->n, row);
    /* rows may vanish for a moment: then they say nothing, and their residual counts as it is */
    follow->size_of_row[i] = zw_larger(follow->size_of_row[i], length);
    double unit = follow->size_of_row[i] > 0 ? follow->size_of_row[i] : 1;
    zw_scale(sim->n, 1 / unit, row);
    follow->r[r] /= unit;
  }
  return true;
}

static double move(Level* level, int32_t j, double step) {
  level->x[j] += step * level->follow->size[level->level][j];
  return fabs(step);
}

static void note_residuals(Level* level) {
  ZwFollow* follow = level->follow;
  zw_fill(follow->sim->m, 0, follow->residual);
  for (int32_t r = 0; r < level->count; r++) follow->residual[follow->active[r]] = follow->r[r];
}

/* ---- first what is not given ---- */

/* One Newton step of the unknown coordinates alone, by least squares; its size, or NaN when one is not determined. */
static double step_unknown(Level* level) {
  ZwFollow* follow = level->follow;
  int32_t n = follow->sim->n, m = level->count, missing = follow->missing;
  for (int32_t k = 0; k < missing; k++) {
    for (int32_t r = 0; r < m; r++)
      follow->T[(ptrdiff_t)k * m + r] = follow->rows[(ptrdiff_t)r * n + follow->unknown[k]];
  }
  ZwQr qr = {m, missing, follow->T, follow->tau};
  zw_qr_factor_pivoted(&qr, follow->order, follow->norms);
  int32_t rank = m > 0 ? zw_qr_rank(&qr, TOL_DETERMINED) : 0;
  if (rank < missing) {
    memset(follow->is_loose, 0, (size_t)n * sizeof(bool));
    for (int32_t k = rank; k < missing; k++) follow->is_loose[follow->unknown[follow->order[k]]] = true;
    return NAN;
  }
  zw_copy(m, follow->r, follow->x);
  zw_qr_apply_qt(&qr, follow->x);
  zw_qr_solve_r(&qr, rank, follow->x);
  double most = 0;
  for (int32_t k = 0; k < missing; k++) {
    most = zw_larger(most, move(level, follow->unknown[follow->order[k]], -follow->x[k]));
  }
  return most;
}

static ZwFollowResult find_unknown(Level* level) {
  double step = INFINITY, before;
  if (level->follow->missing == 0) return ZW_FOLLOWED;
  for (int i = 0; i < NEWTON_MAX; i++) {
    if (!look(level)) return ZW_FOLLOW_NO_VALUE;
    before = step;
    step = step_unknown(level);
    if (isnan(step)) return ZW_FOLLOW_LOOSE;
    if (step > STEP_MOST) break;
    bool is_rounding = step <= TOL_STALLED && step >= before / 2;
    if (step <= TOL_STEP || is_rounding) return ZW_FOLLOWED;
  }
  note_residuals(level);
  return ZW_FOLLOW_NOWHERE;
}

/* ---- then all, by the least amount ---- */

/* The shortest change that meets the independent rows, others left out. */
static double step_all(Level* level) {
  ZwFollow* follow = level->follow;
  int32_t n = follow->sim->n, m = level->count;
  ZwQr qr = {n, m, follow->T, follow->tau};
  zw_copy((ptrdiff_t)m * n, follow->rows, follow->T);
  zw_qr_factor_pivoted(&qr, follow->order, follow->norms);
  int32_t rank = zw_qr_rank(&qr, ZW_TOL_RANK_REL);
  zw_fill(n, 0, follow->x);
  for (int32_t k = 0; k < rank; k++) follow->x[k] = -follow->r[follow->order[k]];
  zw_qr_solve_rt(&qr, rank, follow->x);
  zw_qr_apply_q(&qr, follow->x);
  double most = 0;
  for (int32_t j = 0; j < n; j++) most = zw_larger(most, move(level, j, follow->x[j]));
  return most;
}

static ZwFollowResult meet_all(Level* level) {
  ZwFollow* follow = level->follow;
  double step = INFINITY, before = INFINITY;
  for (int i = 0; i < NEWTON_MAX; i++) {
    if (!look(level)) return ZW_FOLLOW_NO_VALUE;
    if (i == 0) note_residuals(level); /* those of what is given */
    if (level->count == 0) return ZW_FOLLOWED;
    bool is_met = zw_max_abs(level->count, follow->r) <= TOL_MET;
    if (is_met && (step <= TOL_STEP || (step <= TOL_STALLED && step >= before / 2))) return ZW_FOLLOWED;
    before = step;
    step = step_all(level);
    if (!(step <= STEP_MOST)) return ZW_FOLLOW_NOWHERE;
  }
  return ZW_FOLLOW_NOWHERE;
}

/* ---- a level ---- */

/* How far what is given may be off: velocities and accelerations that are estimated have the errors of positions, over the
 * time between rows. */
static double limit_of(const ZwFollow* follow, ZwLevel level, double t, int32_t j, double within) {
  const ZwTrack* track = follow->track;
  const ZwTrackColumn* column = &track->columns[j];
  int32_t i = zw_track_interval(track, t);
  bool is_row = t == track->t[i] || t == track->t[i + 1];
  bool is_given = level == ZW_LEVEL_POSITION || (level == ZW_LEVEL_VELOCITY ? column->v != NULL : column->a != NULL);
  if (level == ZW_LEVEL_POSITION || (is_row && is_given)) return within;
  double h = track->t[i + 1] - track->t[i];
  double blown = 1;
  for (int from = 0; from < (int)level; from++) {
    blown += follow->size[from][j] / follow->size[level][j] / pow(h, (int)level - from);
  }
  return within * blown;
}

static ZwFollowResult judge(Level* level, const double* given, double within) {
  ZwFollow* follow = level->follow;
  ZwFollowResult result = ZW_FOLLOWED;
  double least = INFINITY;
  for (int32_t j = 0; j < follow->sim->n; j++) {
    follow->moved[j] = 0;
    if (!follow->track->columns[j].q) continue;
    follow->moved[j] = level->x[j] - given[j];
    double off = fabs(follow->moved[j]) / follow->size[level->level][j];
    double limit = limit_of(follow, level->level, level->t, j, within);
    ZwFollowOff* worst = &follow->worst[level->level];
    if (off > worst->size) *worst = (ZwFollowOff){off, level->t, j};
    least = zw_smaller(least, limit);
    if (off > limit) result = ZW_FOLLOW_OFF;
  }
  follow->limit = least;
  return result;
}

static ZwFollowResult meet(Level* level, double within, double* given) {
  ZwFollow* follow = level->follow;
  follow->level = level->level;
  zw_copy(follow->sim->n, level->x, given);
  ZwFollowResult result = find_unknown(level);
  if (result == ZW_FOLLOWED) result = meet_all(level);
  return result == ZW_FOLLOWED ? judge(level, given, within) : result;
}

/* ---- a time ---- */

static void take_given(ZwFollow* follow, double t) {
  int32_t n = follow->sim->n;
  for (int32_t j = 0; j < n; j++) {
    if (!follow->track->columns[j].q) continue;
    zw_track_at(follow->track, j, t, &follow->y[j], &follow->y[n + j], &follow->a[j]);
  }
}

ZwFollowResult zw_follow_at(ZwFollow* follow, double t, double near_t, const double* near_y, double within,
                            ZwLevel up_to) {
  ZwSim* sim = follow->sim;
  int32_t n = sim->n;
  double* given = sim->lm_x; /* scratch of n */
  zw_copy(2 * n, near_y, follow->y);
  zw_axpy(n, t - near_t, near_y + n, follow->y);
  take_given(follow, t);
  (void)zw_events_set_modes(sim, t, follow->y, follow->y + n);
  Level positions = {follow, ZW_LEVEL_POSITION, t, follow->y, 0};
  ZwFollowResult result = meet(&positions, within, given);
  if (result || up_to == ZW_LEVEL_POSITION) return result;
  Level velocities = {follow, ZW_LEVEL_VELOCITY, t, follow->y + n, 0};
  result = meet(&velocities, within, given);
  if (result || up_to == ZW_LEVEL_VELOCITY) return result;
  (void)zw_events_set_modes(sim, t, follow->y, follow->y + n);
  Level accelerations = {follow, ZW_LEVEL_ACCELERATION, t, follow->a, 0};
  return meet(&accelerations, within, given);
}

ZwFollowResult zw_follow_begin(ZwFollow* follow) {
  ZwSim* sim = follow->sim;
  const ZwTrack* track = follow->track;
  int32_t n = sim->n;
  double t = track->t[0];
  zw_copy(2 * n, sim->y, follow->y);
  if (follow->missing == 0) return ZW_FOLLOWED;
  Level level = {follow, ZW_LEVEL_POSITION, t, follow->y, 0};
  for (int k = 1; k <= WALK; k++) {
    for (int32_t j = 0; j < n; j++) {
      if (track->columns[j].q) follow->y[j] = sim->y[j] + (track->columns[j].q[0] - sim->y[j]) * k / WALK;
    }
    follow->level = ZW_LEVEL_POSITION;
    ZwFollowResult result = find_unknown(&level);
    if (result) return result;
  }
  return ZW_FOLLOWED;
}
