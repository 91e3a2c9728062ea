/* A start on a singular position (T23): the rows are of lower rank there than at the states around it. Dropping the rows that
 * seem redundant would give the motion of another mechanism, with more freedom than this one has.
 *
 * If the velocity leads along one branch, its rows are those of the states on that branch, and its acceleration at the start
 * is their limit. In equilibrium the start is where the motion stays. Everything else is refused. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/sim.h"

/* How far aside the states lie that are looked at, as a part of the sizes of coordinates. */
#define ASIDE 1e-3
/* States that end nearer to the start than this part of where they began have gone back to it. */
#define ALONE 2e-3
/* Along a branch a state is found where the direction says, but for this part of the way. */
#define STRAYS 0.1
/* A combination of rows vanishes where it is smaller than this part of what it consists of. */
#define VANISHES 1e-7
/* Velocities and accelerations below this part of their sizes are rest. */
#define REST 1e-12

/* The start, and what is found out about it. */
typedef struct Place {
  ZwSim* sim;
  double t, t_way, t_beside; /* of the start; of the state at the end of `way`; of the last state on the branch */
  double *y0, *way, *direction, *x, *reach; /* 2 n; n: to a state beside; n: along the branch; m; m */
  double* size;                             /* 2 n: of coordinates and velocities there (start_sizes.h) */
  bool* is_lost;                            /* m, by the order of the rank decision: dependent here, and not nearby */
  int32_t here, around;                     /* rank */
  bool is_at_rest, is_in_equilibrium;
  ZwArena scratch;
} Place;

/* ---- states around the start ---- */

/* Puts sim->y onto the rows beside q0, v0; the rank of the rows there, or -1. */
static int32_t rank_beside(ZwSim* sim, double t, const double* direction, double way, const double* y0) {
  ptrdiff_t n = sim->n;
  for (ptrdiff_t i = 0; i < n; i++) sim->y[i] = y0[i] + way * direction[i];
  memcpy(sim->y + n, y0 + n, (size_t)n * sizeof(double));
  if (!zw_start_settle(sim, t, false)) return -1;
  if (!zw_eval_acceleration(sim, t, sim->y, sim->y + n)) return -1;
  zw_eval_dense_M(sim);
  (void)zw_least_factor(sim->least, 0, sim->M, sim->A); /* for the metric alone */
  return zw_rows_rank(sim) ? -1 : sim->rank->rank;
}

/* How far a direction leads at most, as a part of the sizes of coordinates. */
static double size_of(const Place* place, const double* direction, const double* q) {
  double most = 0;
  for (int32_t i = 0; i < place->sim->n; i++) {
    most = fmax(most, fabs(direction[i]) / zw_size_at(place->size[i], q[i]));
  }
  return most;
}

static bool is_moving(const Place* place, const double* v) {
  int32_t n = place->sim->n;
  bool is_any = false;
  for (int32_t i = 0; i < n; i++) is_any = is_any || fabs(v[i]) > REST * place->size[n + i];
  return is_any;
}

/* Sizes of velocities, over the times in which they lead as far as coordinates are large, are those of accelerations. */
static bool is_pulled(const Place* place, const double* a) {
  int32_t n = place->sim->n;
  bool is_any = false;
  for (int32_t i = 0; i < n; i++) {
    double rate = place->size[n + i] / place->size[i];
    is_any = is_any || fabs(a[i]) > REST * rate * place->size[n + i];
  }
  return is_any;
}

/* The same directions every time. */
static void draw_direction(const ZwSim* sim, int k, const double* size, const double* x, double* to) {
  for (int32_t i = 0; i < sim->n; i++) {
    to[i] = zw_size_at(size[i], x[i]) * sin(1.3 + 2.4 * i + 1.7 * (k + 1) * (i % 7 + 1));
  }
}

/* The lower rank of two consistent states around y0, or -1 if there are none: a little later and earlier along the velocity,
 * then to some sides. The way to the second is left in place->way, the longer of both ways in `reach`. */
static int32_t rank_around(Place* place, double* reach) {
  ZwSim* sim = place->sim;
  const double* y0 = place->y0;
  double *way = place->way, t = place->t;
  enum { TRIES = 8 };
  int32_t lowest = INT32_MAX, found = 0;
  double speed = size_of(place, y0 + sim->n, y0);
  for (int k = is_moving(place, y0 + sim->n) ? 0 : 2; k < TRIES && found < 2; k++) {
    double later = k >= 2 ? 0 : (k ? -1 : 1) * ASIDE / speed;
    if (k >= 2) draw_direction(sim, k, place->size, y0, way);
    int32_t rank = k < 2 ? rank_beside(sim, t + later, y0 + sim->n, later, y0) : rank_beside(sim, t, way, ASIDE, y0);
    if (rank < 0) continue;
    found++;
    if (rank < lowest) lowest = rank;
    place->t_way = t + later;
    for (int32_t i = 0; i < sim->n; i++) way[i] = sim->y[i] - y0[i];
    *reach = fmax(*reach, size_of(place, way, y0));
  }
  return found == 2 ? lowest : -1;
}

/* ---- the rows that become dependent ---- */

/* After a rank decision at the start: sum_i w_i x_i for the d-th row of its order, which follows from independent ones; *size
 * is the sum of the sizes. */
static double combine(const ZwSim* sim, int32_t d, const double* x, double* size) {
  const ZwRank* rank = sim->rank;
  const double* c = rank->coefficients + (ptrdiff_t)(d - rank->rank) * rank->rank;
  double sum = x[sim->candidates[rank->order[d]]];
  *size = fabs(sum);
  for (int32_t j = 0; j < rank->rank; j++) {
    double part = c[j] * x[sim->candidates[rank->order[j]]];
    sum -= part;
    *size += fabs(part);
  }
  return sum;
}

/* Is the combination another than zero? `reach` is what round-off is relative to, by row. */
static bool is_off(const ZwSim* sim, int32_t d, const double* x, const double* reach) {
  double parts, around;
  double sum = combine(sim, d, x, &parts);
  (void)combine(sim, d, reach, &around);
  return fabs(sum) > ZW_TOL_CONSISTENT * (parts + around);
}

/* One column of A at the state last evaluated. */
static void take_column(const ZwSim* sim, int32_t column, double* x) {
  const ZwPattern* pattern = &sim->equations->A;
  for (int32_t i = 0; i < sim->m; i++) {
    x[i] = 0;
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      if (pattern->column[k] == column) x[i] = sim->Ax[k];
    }
  }
}

/* The combination vanishes at the start. If it does at the state last evaluated too, a row is merely redundant. */
static bool is_redundant(const ZwSim* sim, int32_t d, double* x) {
  double most = 0, size = 0;
  for (int32_t column = 0; column < sim->n; column++) {
    double parts;
    take_column(sim, column, x);
    most = fmax(most, fabs(combine(sim, d, x, &parts)));
    size = fmax(size, parts);
  }
  return most <= VANISHES * size;
}

static ZwStatus open_place(Place* place, ZwSim* sim, double t) {
  *place = (Place){.sim = sim, .t = t, .here = sim->sets[ZW_LEVEL_ACCELERATION].count};
  zw_arena_init(&place->scratch, &sim->allocator);
  int32_t n = sim->n, m = sim->m;
  place->y0 = ZW_NEW(&place->scratch, 2 * n, double);
  place->size = ZW_NEW(&place->scratch, 2 * n, double);
  place->way = ZW_NEW(&place->scratch, n, double);
  place->direction = ZW_NEW(&place->scratch, n, double);
  place->x = ZW_NEW(&place->scratch, m, double);
  place->reach = ZW_NEW(&place->scratch, m, double);
  place->is_lost = ZW_NEW(&place->scratch, m, bool);
  if (place->scratch.failed) return ZW_ERR_MEMORY;
  memcpy(place->y0, sim->y, (size_t)(2 * n) * sizeof(double));
  memcpy(place->size, sim->start_size, (size_t)(2 * n) * sizeof(double));
  return ZW_OK;
}

/* Back to the start, with the rank decision there. */
static ZwStatus go_back(Place* place) {
  ZwSim* sim = place->sim;
  ptrdiff_t n = sim->n;
  memcpy(sim->y, place->y0, (size_t)(2 * n) * sizeof(double));
  if (!zw_eval_acceleration(sim, place->t, sim->y, sim->y + n)) return ZW_ERR_DOMAIN;
  zw_eval_dense_M(sim);
  (void)zw_least_factor(sim->least, 0, sim->M, sim->A); /* for the metric alone */
  return zw_rows_rank(sim);
}

/* Which combinations of rows vanish here only. */
static ZwStatus find_lost(Place* place) {
  ZwSim* sim = place->sim;
  double* beside = sim->y_out;
  for (int32_t i = 0; i < sim->n; i++) beside[i] = place->y0[i] + place->way[i];
  memcpy(beside + sim->n, place->y0 + sim->n, (size_t)sim->n * sizeof(double));
  ZW_TRY(go_back(place));
  if (!zw_eval_acceleration(sim, place->t_way, beside, beside + sim->n)) return ZW_ERR_DOMAIN;
  for (int32_t d = sim->rank->rank; d < sim->rank->m; d++) place->is_lost[d] = !is_redundant(sim, d, place->x);
  return zw_eval_acceleration(sim, place->t, sim->y, sim->y + sim->n) ? ZW_OK : ZW_ERR_DOMAIN;
}

/* ---- is there one motion that leads on? ---- */

/* The largest of the velocities that row i has to do with. */
static double fastest_beside(const ZwSim* sim, int32_t i, const double* v) {
  const ZwPattern* A = &sim->equations->A;
  const ZwParts* parts = &sim->equations->parts;
  if (A->begin[i] == A->begin[i + 1]) return 0;
  int32_t part = parts->of[A->column[A->begin[i]]];
  double fastest = 0;
  for (int32_t k = parts->begin[part]; k < parts->begin[part + 1]; k++) {
    fastest = fmax(fastest, fabs(v[parts->coords[k]]));
  }
  return fastest;
}

/* w^T b = 0 for all combinations that are lost, at the start with velocity v: then v is tangent to a branch (T23). */
static bool is_tangent(Place* place, const double* v) {
  ZwSim* sim = place->sim;
  const ZwPattern* pattern = &sim->equations->A;
  if (!zw_eval_acceleration(sim, place->t, place->y0, v)) return false;
  for (int32_t i = 0; i < sim->m; i++) {
    double fastest = fastest_beside(sim, i, v);
    place->reach[i] = 0;
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      place->reach[i] = fmax(place->reach[i], fabs(sim->Ax[k]) * fastest * fastest);
    }
  }
  for (int32_t d = sim->rank->rank; d < sim->rank->m; d++) {
    if (place->is_lost[d] && is_off(sim, d, sim->b, place->reach)) return false;
  }
  return true;
}

/* Along the velocity. From rest nothing tells the branches apart, unless nothing pulls. */
static bool find_direction(Place* place) {
  ZwSim* sim = place->sim;
  const double* v = place->y0 + sim->n;
  memcpy(place->direction, v, (size_t)sim->n * sizeof(double));
  place->is_at_rest = !is_moving(place, v);
  if (!is_tangent(place, v)) return false;
  if (!place->is_at_rest) return true;
  if (zw_eval_rate(sim, place->t, sim->y, sim->k[0])) return false;
  place->is_in_equilibrium = !is_pulled(place, sim->a);
  return place->is_in_equilibrium;
}

/* A state on the branch, so much time before or after, with accelerations, forces and multipliers there added to the limit. */
static bool add_beside(Place* place, double way, double weight) {
  ZwSim* sim = place->sim;
  ptrdiff_t n = sim->n;
  double *limit = sim->near.limit, off = 0, size = 0;
  double t = place->t + way;
  if (rank_beside(sim, t, place->direction, way, place->y0) != place->around) return false;
  for (ptrdiff_t i = 0; i < n; i++) {
    double scale = zw_size_at(place->size[i], place->y0[i]);
    off = fmax(off, fabs(sim->y[i] - place->y0[i] - way * place->direction[i]) / scale);
    size = fmax(size, fabs(way * place->direction[i]) / scale);
  }
  if (off > STRAYS * size || zw_rows_decide(sim)) return false;
  if (zw_eval_rate(sim, t, sim->y, sim->k[0]) || zw_reactions(sim)) return false;
  for (ptrdiff_t i = 0; i < n; i++) {
    limit[i] += weight * sim->a[i];
    limit[n + i] += weight * sim->Qc[i];
  }
  for (int32_t i = 0; i < sim->m; i++) limit[2 * n + i] += weight * sim->reactions[i];
  place->t_beside = t;
  return zw_eval_acceleration(sim, t, sim->y, sim->y + n);
}

/* The limit along the branch, from two states on either side: the error is of fourth order. The rows of the nearest are
 * frozen. */
static bool take_limit(Place* place) {
  ZwSim* sim = place->sim;
  double way = ASIDE / size_of(place, place->direction, place->y0);
  memset(sim->near.limit, 0, (size_t)(2 * sim->n + sim->m) * sizeof(double));
  if (!add_beside(place, -2 * way, -1.0 / 6) || !add_beside(place, 2 * way, -1.0 / 6)) return false;
  if (!add_beside(place, -way, 2.0 / 3) || !add_beside(place, way, 2.0 / 3)) return false;
  return true;
}

/* ---- words ---- */

/* "'a', 'b', 'c'" of the rows in what is lost; the first of them. */
static int32_t name_lost(const Place* place, ZwText* text) {
  const ZwSim* sim = place->sim;
  const ZwRank* rank = sim->rank;
  int32_t first = -1;
  for (int32_t i = 0; i < sim->m; i++) {
    bool takes_part = false;
    for (int32_t d = rank->rank; d < rank->m; d++) {
      if (!place->is_lost[d]) continue;
      takes_part = takes_part || sim->candidates[rank->order[d]] == i || zw_rows_follows(sim, d, i);
    }
    if (!takes_part) continue;
    zw_text_addf(text, "%s'%.*s'", first >= 0 ? ", " : "", ZW_STR_ARGS(zw_row_name(sim, i)));
    if (first < 0) first = i;
  }
  return first;
}

/* A coordinate that leads off the position, one that the user typed if there is such a one. */
static int32_t find_way_off(const Place* place) {
  const ZwSim* sim = place->sim;
  int32_t best = 0;
  double most = 0;
  for (int32_t i = 0; i < sim->n; i++) {
    double size =
        fabs(place->way[i]) / zw_size_at(place->size[i], place->y0[i]) * (sim->hold[i] == ZW_HOLD_TYPED ? 3 : 1);
    if (size <= most) continue;
    most = size;
    best = i;
  }
  return best;
}

static ZwStatus refuse(Place* place) {
  ZwSim* sim = place->sim;
  ZwText names;
  zw_text_init(&names, &place->scratch);
  ZW_TRY(go_back(place));
  int32_t first = name_lost(place, &names), off = find_way_off(place);
  zw_diag_error(sim->diags, ZW_ERR_START, zw_row_span(sim, first < 0 ? 0 : first),
                place->is_at_rest
                    ? "the start is a singular position: there, and not nearby, %s depend on each other, and "
                      "from rest several motions may lead on"
                    : "the start is a singular position: there, and not nearby, %s depend on each other, and "
                      "the start velocity leads along none of the motions that meet there",
                zw_text_get(&names));
  double value = place->y0[off];
  zw_diag_remedy(sim->diags,
                 "move the start a little, as in: start %.*s = %.4g; or give a velocity along one of the motions",
                 ZW_STR_ARGS(sim->system->coords.items[off].name),
                 value + copysign(0.01 * zw_size_at(place->size[off], value), place->way[off]));
  return place->scratch.failed ? ZW_ERR_MEMORY : ZW_ERR_START;
}

/* Three pins in one line: to first order there is a motion, but none that keeps the constraints. */
static ZwStatus refuse_alone(Place* place) {
  ZwSim* sim = place->sim;
  ZwText names;
  zw_text_init(&names, &place->scratch);
  ZW_TRY(go_back(place));
  for (int32_t d = sim->rank->rank; d < sim->rank->m; d++) place->is_lost[d] = true;
  int32_t first = name_lost(place, &names);
  zw_diag_error(
      sim->diags, ZW_ERR_START, zw_row_span(sim, first < 0 ? 0 : first),
      "the start is a singular position: %s depend on each other there, and no other position nearby satisfies "
      "the constraints",
      zw_text_get(&names));
  zw_diag_remedy(sim->diags,
                 "nothing can move there, and nothing holds it firmly; change a length a little, or remove a "
                 "constraint");
  return place->scratch.failed ? ZW_ERR_MEMORY : ZW_ERR_START;
}

/* Leaves the rank decision of a state beside the start: what is redundant, and how loads are shared, is told from there. */
static ZwStatus note(Place* place) {
  ZwSim* sim = place->sim;
  ZwText names;
  zw_text_init(&names, &place->scratch);
  ZW_TRY(go_back(place));
  (void)name_lost(place, &names);
  zw_diag_note(
      sim->diags, (ZwSpan){0},
      "the start is a singular position: there, and not nearby, %s depend on each other; several motions may lead "
      "on, and %s",
      zw_text_get(&names),
      place->is_in_equilibrium ? "being in equilibrium it stays" : "the one along the start velocity is taken");
  if (rank_beside(sim, place->t_way, place->way, 1, place->y0) < 0) ZW_TRY(go_back(place));
  if (!zw_eval_acceleration(sim, place->t, place->y0, place->y0 + sim->n)) return ZW_ERR_DOMAIN;
  return place->scratch.failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* ---- the look at a start ---- */

/* Rows that depend on each other everywhere, whether they hold or not, as those of a rod that is stated twice, do so around the start
 * too: of all states nearby a drawn one has as high a rank as any. */
static bool has_same_rank_aside(Place* place) {
  ZwSim* sim = place->sim;
  ptrdiff_t n = sim->n;
  double *y = sim->y_out, speed = size_of(place, place->y0 + n, place->y0);
  double t = place->t + (is_moving(place, place->y0 + n) ? ASIDE / speed : 0);
  draw_direction(sim, 0, place->size, place->y0, y);
  draw_direction(sim, 1, place->size + n, place->y0 + n, y + n);
  for (ptrdiff_t i = 0; i < 2 * n; i++) y[i] = place->y0[i] + ASIDE * y[i];
  if (!zw_eval_acceleration(sim, t, y, y + n)) return false;
  zw_eval_dense_M(sim);
  (void)zw_least_factor(sim->least, 0, sim->M, sim->A); /* for the metric alone */
  return zw_rows_rank(sim) == ZW_OK && sim->rank->rank <= place->here;
}

static ZwStatus look(Place* place) {
  ZwSim* sim = place->sim;
  double reach = 0;
  if (has_same_rank_aside(place)) return go_back(place);
  place->around = rank_around(place, &reach);
  bool is_alone = place->around >= 0 && place->here < sim->n && reach < ALONE * ASIDE;
  if (is_alone) return refuse_alone(place);
  if (place->around <= place->here) return go_back(place);
  ZW_TRY(find_lost(place));
  if (!find_direction(place)) return refuse(place);
  sim->near.rank_around = place->around;
  if (place->is_in_equilibrium) return note(place);
  if (!take_limit(place)) return refuse(place);
  memcpy(sim->y_out, sim->y, (size_t)(2 * sim->n) * sizeof(double));
  ZW_TRY(note(place));
  if (zw_eval_rate(sim, place->t_beside, sim->y_out, sim->k[0])) return refuse(place);
  zw_singular_leave(sim, ASIDE);
  sim->near.has_limit = true;
  sim->near.t_limit = place->t;
  return ZW_OK;
}

ZwStatus zw_singular_start(ZwSim* sim, double t) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  sim->near.has_limit = false;
  sim->near.rank_around = -1;
  if (sim->large) return ZW_OK;                                            /* only the dense solve sees them */
  if (set->count == set->candidates || set->count == sim->n) return ZW_OK; /* more than n there is nowhere */
  Place place;
  ZwStatus status = open_place(&place, sim, t);
  if (!status) status = look(&place);
  if (place.y0) memcpy(sim->y, place.y0, (size_t)(2 * sim->n) * sizeof(double));
  zw_arena_destroy(&place.scratch);
  return status;
}
