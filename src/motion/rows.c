/* Which rows a step uses (R1-R3): decided at accepted, projected states only, then frozen.
 *
 * Each level has a set of its own: positions are projected with independent position rows, velocities with independent
 * rows of both levels, accelerations with all. So x = 0 beside x' = 0 keeps both its position and its velocity. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/balance.h"
#include "least/dense.h"
#include "least/qr.h"
#include "motion/sim.h"

enum { RANK_NOTES = 4 };

/* How far coordinates are moved, in units of their rounding, to see what that leaves of dependent rows; and how much more than that is
 * no rounding. */
#define MOVED 64.0
#define BEYOND_ROUNDING 8.0
enum { SIGNS = 4 };

bool zw_rows_is_on(const ZwSim* sim, int32_t row) {
  int32_t gate = sim->system->terms.items[sim->equations->rows.items[row].term].gate;
  return gate == 0 || sim->values[gate - 1] != 0;
}

/* Whether a row has grown, or none has been measured yet: a scale that was is not zero. */
static bool has_larger(const ZwSim* sim) {
  const double *size = sim->size, *scale = sim->scale;
  int32_t i = 0, m = sim->m;
  while (i < m && size[i] <= scale[i]) i++;
  return i < m || (m > 0 && scale[0] == 0);
}

static void update_scales(ZwSim* sim) {
  sim->near.has_new_units = false;
  if (!has_larger(sim)) return;
  bool have_grown = false;
  for (int32_t i = 0; i < sim->m; i++) {
    if (!(sim->size[i] > sim->scale[i])) continue;
    have_grown = true;
    sim->scale[i] = sim->size[i];
  }
  sim->near.has_new_units = have_grown;
}

void zw_rows_forget(ZwSim* sim) {
  memset(sim->scale, 0, (size_t)sim->m * sizeof(double));
  if (sim->large) return;
  memset(sim->reach.most, 0, (size_t)sim->equations->A.begin[sim->m] * sizeof(double));
  memset(sim->reach.massless, 0, (size_t)sim->n * sizeof(double));
  sim->reach.is_known = false;
}

double zw_rows_mass(const ZwSim* sim, int32_t j) {
  const ZwPattern* M = &sim->equations->M; /* its lower triangle */
  int32_t last = M->begin[j + 1] - 1;
  bool has_mass = last >= M->begin[j] && M->column[last] == j && sim->Mx[last] > 0;
  return has_mass ? sim->Mx[last] : 0;
}

double zw_rows_size(const ZwSim* sim, int32_t i) {
  const ZwPattern* A = &sim->equations->A;
  double sum = 0;
  for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
    double mass = zw_rows_mass(sim, A->column[k]);
    sum += sim->Ax[k] * sim->Ax[k] / (mass > 0 ? mass : 1);
  }
  return sqrt(sum);
}

static void measure_sizes(ZwSim* sim) {
  if (sim->large) {
    for (int32_t i = 0; i < sim->m; i++) sim->size[i] = zw_rows_size(sim, i);
    update_scales(sim);
    return;
  }
  if (zw_small_row_sizes(sim)) {
    update_scales(sim);
    return;
  }
  for (int32_t i = 0; i < sim->m; i++) sim->candidates[i] = i;
  zw_eval_packed_rows(sim, sim->candidates, sim->m, sim->all_rows);
  (void)zw_eval_metric(sim);
  zw_rank_row_sizes_by(sim->rank, sim->m, sim->packed, sim->all_rows, sim->least, sim->size);
  update_scales(sim);
}

/* ---- units for rank decisions ---- */

/* Whether an entry is far larger than any has been in its place. */
static bool has_larger_entry(const ZwSim* sim) {
  int32_t count = sim->equations->A.begin[sim->m], k = 0;
  while (k < count && !(fabs(sim->Ax[k]) > 2 * sim->reach.most[k])) k++;
  return k < count;
}

/* Units of rows and coordinates for entries that can be as large as these. */
static void balance(ZwSim* sim, const double* most) {
  const ZwPattern* A = &sim->equations->A;
  ZwReach* reach = &sim->reach;
  for (int32_t j = 0; j < sim->n; j++) reach->masses[j] = zw_rows_mass(sim, j);
  ZwEntries entries = {sim->m, sim->n, A->begin, A->column, most, reach->masses};
  reach->is_whole = zw_balance(&entries, reach->unit, reach->length, reach->work);
  if (!zw_eval_metric(sim)) entries.mass = NULL;
  reach->differs = zw_balance_differs(&entries, reach->unit);
  reach->is_known = most == reach->most;
}

static void raise_entries(const ZwSim* sim, double* most) {
  int32_t count = sim->equations->A.begin[sim->m];
  for (int32_t k = 0; k < count; k++) {
    double now = fabs(sim->Ax[k]);
    if (now > 2 * most[k]) most[k] = now;
  }
}

/* At an accepted state: units of coordinates without mass. Factors in other units are made anew. */
static bool learn_massless(ZwSim* sim) {
  ZwReach* reach = &sim->reach;
  bool is_first = !(sim->n > 0 && reach->massless[0] > 0);
  if (!is_first && !has_larger_entry(sim)) return false;
  raise_entries(sim, reach->most);
  reach->is_known = false;
  if (!zw_massless_find_units(sim)) return false;
  zw_least_set_massless(sim->least, reach->massless);
  (void)zw_eval_refactor(sim);
  return true;
}

static void measure_rows(ZwSim* sim) {
  bool has_new_units = !sim->large && sim->reach.has_massless && learn_massless(sim);
  measure_sizes(sim);
  sim->near.has_new_units = sim->near.has_new_units || has_new_units;
}

/* At an accepted state: what rows are there they can be from now on. */
static void learn_units(ZwSim* sim) {
  ZwReach* reach = &sim->reach;
  if (reach->is_known && !has_larger_entry(sim)) return;
  raise_entries(sim, reach->most);
  balance(sim, reach->most);
}

/* At any other state: for the next decision alone. */
static void borrow_units(ZwSim* sim) {
  ZwReach* reach = &sim->reach;
  if (reach->is_known && !has_larger_entry(sim)) return;
  memcpy(reach->entries, reach->most, (size_t)sim->equations->A.begin[sim->m] * sizeof(double));
  raise_entries(sim, reach->entries);
  balance(sim, reach->entries);
}

/* ---- decisions ---- */

/* The size that a row can have; of one that has never had any, nothing can be said. */
static double row_scale(const ZwSim* sim, int32_t i) {
  return sim->scale[i] > 0 ? sim->scale[i] : 1;
}

static int compare_rows(int32_t a, int32_t b) {
  return (a > b) - (a < b);
}

/* Rows in the order of the text, so that sums are formed alike from step to step. */
static void sort_rows(int32_t* rows, int32_t count) {
  for (int32_t i = 1; i < count; i++) {
    int32_t row = rows[i], j = i;
    for (; j > 0 && compare_rows(rows[j - 1], row) > 0; j--) rows[j] = rows[j - 1];
    rows[j] = row;
  }
}

/* In the metric of the masses. Where that may hide a coordinate, rows that seem dependent are looked at in units that are their own,
 * unless those tell less. */
static ZwStatus decide_rank(ZwSim* sim, int32_t count) {
  (void)zw_eval_metric(sim);
  for (int32_t i = 0; i < count; i++) sim->size[i] = row_scale(sim, sim->candidates[i]);
  ZW_TRY(zw_rank_decide_by(sim->rank, count, sim->packed, sim->all_rows, sim->size, sim->least));
  ZwRankSeen seen = zw_rank_seen(sim->rank);
  if (seen.rank == count || !sim->reach.differs) return ZW_OK;
  for (int32_t i = 0; i < count; i++) sim->rI[i] = sim->reach.length[sim->candidates[i]];
  double* unit = sim->reach.masses; /* done with */
  for (int32_t j = 0; j < sim->n; j++) {
    if (sim->place[j] >= 0) unit[sim->place[j]] = sim->reach.unit[j];
  }
  ZW_TRY(zw_rank_decide_balanced(sim->rank, count, sim->packed, sim->all_rows, sim->rI, unit));
  if (zw_rank_is_better(sim->rank, seen, sim->reach.is_whole)) return ZW_OK;
  return zw_rank_decide_by(sim->rank, count, sim->packed, sim->all_rows, sim->size, sim->least);
}

/* Independent rows among those up to a level; rank->order refers to sim->candidates afterwards. */
static ZwStatus decide_level(ZwSim* sim, ZwLevel level, ZwRowSet* set) {
  int32_t count = 0;
  for (int32_t i = 0; i < sim->m; i++) {
    if (sim->equations->rows.items[i].level <= level && zw_rows_is_on(sim, i)) sim->candidates[count++] = i;
  }
  set->candidates = count;
  sim->small.factored = NULL;
  zw_eval_packed_rows(sim, sim->candidates, count, sim->all_rows);
  ZW_TRY(decide_rank(sim, count));
  set->count = sim->rank->rank;
  for (int32_t i = 0; i < set->count; i++) set->rows[i] = sim->candidates[sim->rank->order[i]];
  sort_rows(set->rows, set->count);
  return ZW_OK;
}

ZwStatus zw_rows_rank(ZwSim* sim) {
  ZwRowSet set = {.rows = sim->fresh_rows};
  borrow_units(sim);
  return decide_level(sim, ZW_LEVEL_ACCELERATION, &set);
}

bool zw_rows_follows(const ZwSim* sim, int32_t d, int32_t other) {
  const ZwRank* rank = sim->rank;
  for (int32_t j = 0; j < rank->rank; j++) {
    if (sim->candidates[rank->order[j]] != other) continue;
    return rank->coefficients[(ptrdiff_t)(d - rank->rank) * rank->rank + j] != 0;
  }
  return false;
}

/* ---- rows that others nearly say ---- */

/* The dependent row of which most is left, by its place among them; -1: none has more than `least`. */
static int32_t closest_row(const ZwRank* rank, double least) {
  int32_t found = -1;
  for (int32_t d = 0; d < rank->m - rank->rank; d++) {
    if (!(rank->left[d] > least)) continue;
    least = rank->left[d];
    found = d;
  }
  return found;
}

/* By how much what is left of dependent rows changes when coordinates are moved by their rounding. Everything is put back as it was. */
static ZwStatus find_rounding_left(ZwSim* sim, ZwLevel level, double* rounding) {
  ZwRowSet set = {.rows = sim->fresh_rows};
  const double t = sim->state.t, *q = sim->state.q, *v = sim->state.v;
  int32_t here = closest_row(sim->rank, 0), there;
  double left = here < 0 ? 0 : sim->rank->left[here];
  uint64_t draw = 1;
  *rounding = 0;
  for (int k = 0; k < SIGNS; k++) {
    for (int32_t i = 0; i < sim->n; i++) {
      draw = draw * 6364136223846793005u + 1442695040888963407u;
      sim->dx[i] = q[i] * (1 + (draw >> 63 ? MOVED : -MOVED) * DBL_EPSILON);
    }
    if (!zw_eval_acceleration(sim, t, sim->dx, v)) continue;
    ZW_TRY(decide_level(sim, level, &set));
    there = closest_row(sim->rank, 0);
    *rounding = fmax(*rounding, fabs((there < 0 ? 0 : sim->rank->left[there]) - left));
  }
  (void)zw_eval_acceleration(sim, t, q, v);
  return decide_level(sim, level, &set);
}

/* After a decision at a state that satisfies the constraints: remembers the row that was dropped although most was left of it. */
static ZwStatus note_close_row(ZwSim* sim, ZwLevel level) {
  ZwCloseRow* close = &sim->stats.close;
  int32_t d = closest_row(sim->rank, fmax(close->left, BEYOND_ROUNDING * close->rounding));
  if (d < 0) return ZW_OK;
  int32_t row = sim->candidates[sim->rank->order[sim->rank->rank + d]];
  double left = sim->rank->left[d], rounding = 0;
  ZW_TRY(find_rounding_left(sim, level, &rounding));
  close->rounding = fmax(close->rounding, rounding);
  if (left <= BEYOND_ROUNDING * rounding) return ZW_OK;
  *close = (ZwCloseRow){row + 1, left, sim->state.t, close->rounding};
  return ZW_OK;
}

/* ---- at accepted states ---- */

double zw_rows_left(const ZwSim* sim, int32_t row) {
  const ZwRank* rank = sim->large ? NULL : sim->rank;
  double least = BEYOND_ROUNDING * sim->stats.close.rounding;
  for (int32_t d = 0; rank && d < rank->m - rank->rank; d++) {
    if (sim->candidates[rank->order[rank->rank + d]] == row && rank->left[d] > least) return rank->left[d];
  }
  return 0;
}

ZwStatus zw_rows_decide(ZwSim* sim) {
  if (!sim->large) sim->reach.has_massless = zw_massless_is_any(sim);
  measure_rows(sim);
  zw_partition_forget(sim);
  if (sim->large) {
    zw_large_decide(sim);
    return ZW_OK;
  }
  learn_units(sim);
  for (int level = 0; level < 3; level++) {
    ZW_TRY(decide_level(sim, (ZwLevel)level, &sim->sets[level]));
    ZW_TRY(note_close_row(sim, (ZwLevel)level));
  }
  zw_friction_judge(sim);
  return ZW_OK;
}

static bool has_redundant_rows(const ZwSim* sim) {
  for (int level = 0; level < 3; level++) {
    if (sim->sets[level].count < sim->sets[level].candidates) return true;
  }
  return false;
}

static void copy_set(ZwSim* sim, ZwRowSet* to, const ZwRowSet* from) {
  sim->small.factored = NULL;
  to->count = from->count;
  to->candidates = from->candidates;
  memcpy(to->rows, from->rows, (size_t)from->count * sizeof(int32_t));
}

ZwStatus zw_rows_review(ZwSim* sim, double pivot_ratio, bool may_lose, bool* has_lost) {
  *has_lost = sim->has_next_sets = false;
  measure_rows(sim);
  if (sim->large || (!has_redundant_rows(sim) && pivot_ratio > ZW_TOL_PIVOT_LOOK)) return ZW_OK;
  learn_units(sim);
  for (int level = 0; level < 3; level++) {
    const ZwRowSet* set = &sim->sets[level];
    ZwRowSet* next = &sim->next_sets[level];
    ZW_TRY(decide_level(sim, (ZwLevel)level, next));
    ZW_TRY(note_close_row(sim, (ZwLevel)level));
    bool is_weak = set->count < set->candidates && (pivot_ratio <= ZW_TOL_PIVOT_LOOK || zw_singular_is_choice(sim));
    bool is_lost = next->count < set->count;
    if (is_lost) *has_lost = true;
    /* the frozen rows are kept as long as they serve */
    if (next->count > set->count || is_weak || (is_lost && may_lose))
      sim->has_next_sets = true;
    else
      copy_set(sim, next, set);
  }
  zw_friction_judge(sim);
  return ZW_OK;
}

bool zw_rows_choose_ahead(ZwSim* sim, double t, const double* y, double kept) {
  if (sim->has_next_sets || !zw_eval_acceleration(sim, t, y, zw_velocity(sim, t, y))) return false;
  borrow_units(sim);
  for (int level = 0; level < 3; level++) {
    bool is_decided = decide_level(sim, (ZwLevel)level, &sim->next_sets[level]) == ZW_OK;
    if (!is_decided || sim->next_sets[level].count != sim->sets[level].count) return false;
  }
  sim->has_next_sets = sim->rank->kept > kept;
  return sim->has_next_sets;
}

void zw_rows_take_next(ZwSim* sim) {
  for (int level = 0; level < 3; level++) copy_set(sim, &sim->sets[level], &sim->next_sets[level]);
  sim->has_next_sets = false;
  zw_partition_forget(sim);
}

const double* zw_rows_scales(ZwSim* sim, const int32_t* rows, int32_t count, double* to) {
  for (int32_t r = 0; r < count; r++) {
    to[r] = sim->scale[rows[r]];
    if (!(to[r] > 0)) return NULL;
  }
  return zw_eval_metric(sim) ? to : NULL;
}

double zw_rows_pivot_ratio(const ZwSim* sim, const ZwRowSet* set) {
  const ZwQr* qr = zw_least_triangle(sim->least);
  double least = INFINITY, largest = 0;
  for (int32_t r = 0; r < set->count; r++) {
    double pivot = fabs(zw_qr_diagonal(qr, r)) / sim->scale[set->rows[r]];
    least = zw_smaller(pivot, least);
    largest = zw_larger(pivot, largest);
  }
  return set->count > 0 ? least / largest : 1;
}

/* ---- what a solve leaves of rows ---- */

/* |A|^T |lambda|: the forces that meet at each coordinate, not what is left of them when they undo each other. Without
 * multipliers of the last solve, those are the smallest that give its force. */
static void gather_forces(ZwSim* sim, double* all) {
  const ZwPattern* A = &sim->equations->A;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  for (int32_t j = 0; j < sim->n; j++) all[j] = fabs(sim->h[j]) + fabs(sim->Qc[j]);
  bool has_reactions = !sim->has_lambda && !sim->large && zw_reactions(sim) == ZW_OK;
  int32_t count = sim->has_lambda ? set->count : has_reactions ? sim->m : 0;
  for (int32_t r = 0; r < count; r++) {
    int32_t i = sim->has_lambda ? set->rows[r] : r;
    double force = fabs(sim->has_lambda ? sim->lambda[r] : sim->reactions[i]);
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) all[A->column[k]] += fabs(sim->Ax[k]) * force;
  }
}

/* Where constraints undo large forces, the accelerations have the round-off of those. */
const double* zw_rows_largest(ZwSim* sim) {
  const ZwParts* parts = &sim->equations->parts;
  double* all = sim->dx;
  gather_forces(sim, all);
  for (int32_t p = 0; p < parts->count; p++) {
    double largest = 0, undone = 0;
    for (int32_t k = parts->begin[p]; k < parts->begin[p + 1]; k++) {
      int32_t j = parts->coords[k];
      double mass = zw_rows_mass(sim, j);
      largest = fmax(largest, fabs(sim->a[j]));
      if (mass > 0) undone = fmax(undone, all[j] / mass);
    }
    largest = fmax(largest, ZW_ROUND_OFF * DBL_EPSILON / ZW_TOL_CONSISTENT * undone);
    for (int32_t k = parts->begin[p]; k < parts->begin[p + 1]; k++) all[parts->coords[k]] = largest;
  }
  return all;
}

double zw_rows_off(const ZwSim* sim, int32_t i, const double* largest) {
  const ZwPattern* pattern = &sim->equations->A;
  double off = -sim->b[i], size = fabs(sim->b[i]);
  for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
    int32_t j = pattern->column[k];
    off += sim->Ax[k] * sim->a[j];
    size += fabs(sim->Ax[k]) * (largest ? largest[j] : 0);
  }
  return fabs(off) > ZW_TOL_CONSISTENT * size ? off : 0;
}

/* Without looking for the largest: is row i far from being violated? */
static bool holds_plainly(const ZwSim* sim, int32_t i) {
  return zw_rows_off(sim, i, NULL) == 0;
}

int32_t zw_rows_violated(ZwSim* sim) {
  const double* largest = NULL;
  if (!sim->has_acceleration_rows) return -1;
  /* lower rows are projected, which hides what accelerations do to them; those of contacts are decided at events, not contradicted */
  bool may_be_lower = !zw_contacts_any_closed(sim);
  for (int32_t i = 0; i < sim->m; i++) {
    if (!zw_rows_is_on(sim, i) || holds_plainly(sim, i)) continue;
    if (!may_be_lower && sim->equations->rows.items[i].level != ZW_LEVEL_ACCELERATION) continue;
    if (!largest) largest = zw_rows_largest(sim);
    if (zw_rows_off(sim, i, largest) != 0) return i;
  }
  return -1;
}

void zw_rows_note_rank(ZwSim* sim, int32_t before, double t) {
  int32_t now = sim->sets[ZW_LEVEL_ACCELERATION].count;
  if (now == before) return;
  sim->pivot_ratio = 1;
  if (sim->contacts.count > 0) return;                 /* contacts close and open: those are events of their own */
  if (sim->stats.rank_changes++ >= RANK_NOTES) return; /* a constraint that comes and goes has its events */
  zw_diag_note(sim->diags, (ZwSpan){0}, "the rank of the constraints changes from %d to %d at t = %s", (int)before,
               (int)now, zw_when(sim, t, 9).text);
}
