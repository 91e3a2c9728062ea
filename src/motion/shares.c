/* Where multipliers are not unique (T15, U96 42): which constraints share the load, and what is unique all the same.
 *
 * With dependent rows A_d = K A_i, lambda_i + K^T lambda_d is what the force determines: one combination for each
 * independent row. Rows that are linked through K share their load; all others have multipliers of their own. */
#include <math.h>

#include "motion/sim.h"

/* Coefficients this near to a whole number are it. */
#define WHOLE 1e-9

static int32_t root_of(int32_t* parent, int32_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

static double coefficient(const ZwRank* rank, int32_t d, int32_t j) {
  return rank->coefficients[(ptrdiff_t)d * rank->rank + j];
}

static int32_t* link_rows(const ZwRank* rank, ZwArena* arena) {
  int32_t* parent = ZW_NEW(arena, rank->m + 1, int32_t);
  if (!parent) return NULL;
  for (int32_t i = 0; i < rank->m; i++) parent[i] = i;
  for (int32_t d = 0; d < rank->m - rank->rank; d++) {
    for (int32_t j = 0; j < rank->rank; j++) {
      if (coefficient(rank, d, j) != 0) parent[root_of(parent, j)] = root_of(parent, rank->rank + d);
    }
  }
  return parent;
}

/* " + 2*name", " - name", or without the sign at the begin */
static void add_part(ZwText* text, double factor, ZwStr name) {
  double whole = round(factor);
  if (fabs(factor - whole) <= WHOLE) factor = whole;
  if (text->size > 0)
    zw_text_addf(text, factor < 0 ? " - " : " + ");
  else if (factor < 0)
    zw_text_addf(text, "-");
  if (fabs(factor) != 1) zw_text_addf(text, "%.6g*", fabs(factor));
  zw_text_addf(text, "%.*s", ZW_STR_ARGS(name));
}

/* lambda_j + sum_d K_dj lambda_d, in the order of the text */
static bool add_unique(const ZwSim* sim, ZwArena* arena, ZwShare* share, int32_t j) {
  const ZwRank* rank = sim->rank;
  double* factors = ZW_NEW(arena, sim->m, double);
  if (!factors) return false;
  factors[sim->candidates[rank->order[j]]] = 1;
  for (int32_t d = 0; d < rank->m - rank->rank; d++) {
    factors[sim->candidates[rank->order[rank->rank + d]]] = coefficient(rank, d, j);
  }
  ZwText text;
  zw_text_init(&text, arena);
  for (int32_t i = 0; i < sim->m; i++) {
    if (factors[i] != 0) add_part(&text, factors[i], zw_row_name(sim, i));
  }
  return ZW_PUSH(arena, &share->unique, zw_text_get(&text));
}

static bool add_share(const ZwSim* sim, ZwArena* arena, const int32_t* group, int32_t which, ZwShare* share) {
  const ZwRank* rank = sim->rank;
  for (int32_t k = 0; k < rank->m; k++) {
    if (group[k] != which) continue;
    int32_t row = sim->candidates[rank->order[k]];
    if (!ZW_PUSH(arena, &share->rows, row)) return false;
    if (k >= rank->rank)
      share->freedom++;
    else if (!add_unique(sim, arena, share, k))
      return false;
  }
  /* by their place in the text */
  for (int32_t i = 1; i < share->rows.count; i++) {
    int32_t row = share->rows.items[i], j = i;
    for (; j > 0 && share->rows.items[j - 1] > row; j--) share->rows.items[j] = share->rows.items[j - 1];
    share->rows.items[j] = row;
  }
  return true;
}

ZwStatus zw_shares_find(const ZwSim* sim, ZwArena* arena, ZwShares* shares) {
  const ZwRank* rank = sim->rank;
  if (rank->m == rank->rank) return ZW_OK;
  int32_t* group = link_rows(rank, arena);
  if (!group) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < rank->m; k++) group[k] = root_of(group, k);
  bool* is_done = ZW_NEW(arena, rank->m, bool);
  if (!is_done) return ZW_ERR_MEMORY;
  for (int32_t d = rank->rank; d < rank->m; d++) {
    if (is_done[group[d]]) continue;
    is_done[group[d]] = true;
    ZwShare share = {0};
    if (!add_share(sim, arena, group, group[d], &share) || !ZW_PUSH(arena, &shares->list, share)) return ZW_ERR_MEMORY;
  }
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}
