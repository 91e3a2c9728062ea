/* Which rows a step uses (R1-R3): decided at accepted, projected states only, then frozen.
 *
 * Each level has a set of its own: positions are projected with independent position rows, velocities with independent
 * rows of both levels, accelerations with all. So x = 0 beside x' = 0 keeps both its position and its velocity. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/sim.h"

enum { RANK_NOTES = 4 };

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
  double largest = 0, least = INFINITY;
  sim->near.has_new_units = false;
  if (!has_larger(sim)) return;
  bool have_grown = false;
  for (int32_t i = 0; i < sim->m; i++) {
    double scale = sim->scale[i];
    if (sim->size[i] > scale) {
      have_grown = true;
      scale = sim->scale[i] = sim->size[i];
    }
    if (scale > largest) largest = scale;
    if (scale < least) least = scale;
  }
  double floor = ZW_SCALE_FLOOR * (largest == 0 ? 1 : largest);
  for (int32_t i = 0; i < sim->m && least < floor; i++) {
    bool is_low = sim->scale[i] < floor;
    have_grown = have_grown || is_low;
    if (is_low) sim->scale[i] = floor;
  }
  sim->near.has_new_units = have_grown;
}

double zw_rows_mass(const ZwSim* sim, int32_t j) {
  const ZwPattern* M = &sim->equations->M; /* its lower triangle */
  int32_t last = M->begin[j + 1] - 1;
  bool has_mass = last >= M->begin[j] && M->column[last] == j && sim->Mx[last] > 0;
  return has_mass ? sim->Mx[last] : 0;
}

/* What row i is made of, in the metric of the masses, of which the diagonal has to do. */
static double size_of_row(const ZwSim* sim, int32_t i) {
  const ZwPattern* A = &sim->equations->A;
  double sum = 0;
  for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
    double mass = zw_rows_mass(sim, A->column[k]);
    sum += sim->Ax[k] * sim->Ax[k] / (mass > 0 ? mass : 1);
  }
  return sqrt(sum);
}

static void measure_rows(ZwSim* sim) {
  if (sim->large) {
    for (int32_t i = 0; i < sim->m; i++) sim->size[i] = size_of_row(sim, i);
    update_scales(sim);
    return;
  }
  if (zw_small_row_sizes(sim)) {
    update_scales(sim);
    return;
  }
  for (int32_t i = 0; i < sim->m; i++) sim->candidates[i] = i;
  zw_eval_dense_rows(sim, sim->candidates, sim->m, sim->all_rows);
  zw_rank_row_sizes(sim->rank, sim->m, sim->n, sim->all_rows, zw_eval_metric(sim), sim->size);
  update_scales(sim);
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

/* Independent rows among those up to a level; rank->order refers to sim->candidates afterwards. */
static ZwStatus decide_level(ZwSim* sim, ZwLevel level, ZwRowSet* set) {
  int32_t count = 0;
  for (int32_t i = 0; i < sim->m; i++) {
    if (sim->equations->rows.items[i].level <= level && zw_rows_is_on(sim, i)) sim->candidates[count++] = i;
  }
  set->candidates = count;
  sim->small.factored = NULL;
  zw_eval_dense_rows(sim, sim->candidates, count, sim->all_rows);
  for (int32_t i = 0; i < count; i++) sim->size[i] = sim->scale[sim->candidates[i]];
  ZW_TRY(zw_rank_decide(sim->rank, count, sim->n, sim->all_rows, sim->size, zw_eval_metric(sim)));
  set->count = sim->rank->rank;
  for (int32_t i = 0; i < set->count; i++) set->rows[i] = sim->candidates[sim->rank->order[i]];
  sort_rows(set->rows, set->count);
  return ZW_OK;
}

ZwStatus zw_rows_rank(ZwSim* sim) {
  ZwRowSet set = {.rows = sim->fresh_rows};
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

ZwStatus zw_rows_decide(ZwSim* sim) {
  measure_rows(sim);
  if (sim->large) {
    zw_large_decide(sim);
    return ZW_OK;
  }
  for (int level = 0; level < 3; level++) ZW_TRY(decide_level(sim, (ZwLevel)level, &sim->sets[level]));
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
  for (int level = 0; level < 3; level++) {
    const ZwRowSet* set = &sim->sets[level];
    ZwRowSet* next = &sim->next_sets[level];
    ZW_TRY(decide_level(sim, (ZwLevel)level, next));
    bool is_weak = set->count < set->candidates && (pivot_ratio <= ZW_TOL_PIVOT_LOOK || zw_singular_is_choice(sim));
    bool is_lost = next->count < set->count;
    if (is_lost) *has_lost = true;
    /* the frozen rows are kept as long as they serve */
    if (next->count > set->count || is_weak || (is_lost && may_lose))
      sim->has_next_sets = true;
    else
      copy_set(sim, next, set);
  }
  return ZW_OK;
}

bool zw_rows_choose_ahead(ZwSim* sim, double t, const double* y, double kept) {
  if (sim->has_next_sets || !zw_eval_acceleration(sim, t, y, zw_velocity(sim, t, y))) return false;
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
}

/* Where constraints undo large forces, the accelerations have the round-off of those. */
double zw_rows_largest(const ZwSim* sim) {
  double largest = 0, undone = 0;
  for (int32_t j = 0; j < sim->n; j++) {
    double mass = zw_rows_mass(sim, j);
    largest = fmax(largest, fabs(sim->a[j]));
    if (mass > 0) undone = fmax(undone, (fabs(sim->h[j]) + fabs(sim->Qc[j])) / mass);
  }
  return fmax(largest, ZW_ROUND_OFF * DBL_EPSILON / ZW_TOL_CONSISTENT * undone);
}

double zw_rows_off(const ZwSim* sim, int32_t i, double largest) {
  const ZwPattern* pattern = &sim->equations->A;
  double off = -sim->b[i], size = fabs(sim->b[i]);
  for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
    off += sim->Ax[k] * sim->a[pattern->column[k]];
    size += fabs(sim->Ax[k]) * largest;
  }
  return fabs(off) > ZW_TOL_CONSISTENT * size ? off : 0;
}

int32_t zw_rows_violated(const ZwSim* sim) {
  double largest = NAN;
  if (!sim->has_acceleration_rows) return -1;
  for (int32_t i = 0; i < sim->m; i++) {
    if (sim->equations->rows.items[i].level != ZW_LEVEL_ACCELERATION) continue; /* lower ones are projected */
    if (!zw_rows_is_on(sim, i)) continue;
    if (isnan(largest)) largest = zw_rows_largest(sim);
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
  zw_diag_note(sim->diags, (ZwSpan){0}, "the rank of the constraints changes from %d to %d at t = %.9g", (int)before,
               (int)now, t);
}
