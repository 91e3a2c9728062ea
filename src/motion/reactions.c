/* Multipliers of all rows. The frozen rows determine the force Qc; where other rows repeat them the load can be shared in
 * many ways, and the smallest multipliers are given; of contacts those that hold best. */
#include <string.h>

#include "least/qr.h"
#include "motion/sim.h"

/* A_J^T mu = Qc for the independent rows J the last rank decision found; mu into sim->rI. */
static void solve_independent(ZwSim* sim, int32_t r) {
  const ZwRank* rank = sim->rank;
  for (int32_t j = 0; j < r; j++) sim->fresh_rows[j] = sim->candidates[rank->order[j]];
  zw_eval_packed_rows(sim, sim->fresh_rows, r, sim->lm_J); /* its rows are the columns of A_J^T */
  ZwQr qr = {.rows = sim->packed, .cols = r, .T = sim->lm_J, .tau = sim->lm_r};
  zw_qr_factor(&qr);
  for (int32_t j = 0; j < sim->n; j++) {
    if (sim->place[j] >= 0) sim->lm_x[sim->place[j]] = sim->Qc[j];
  }
  zw_qr_apply_qt(&qr, sim->lm_x);
  zw_qr_solve_r(&qr, r, sim->lm_x);
  memcpy(sim->rI, sim->lm_x, (size_t)r * sizeof(double));
}

void zw_reactions_share(ZwSim* sim, double* lambda) {
  memset(lambda, 0, (size_t)sim->rank->m * sizeof(double));
  if (sim->rank->rank == 0) return;
  solve_independent(sim, sim->rank->rank);
  zw_rank_share(sim->rank, sim->lm_S, sim->rI, lambda);
  zw_cones_choose(sim, lambda);
}

ZwStatus zw_reactions(ZwSim* sim) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  if (sim->near.is_limit) {
    memcpy(sim->reactions, sim->near.limit + 2 * (ptrdiff_t)sim->n, (size_t)sim->m * sizeof(double));
    return ZW_OK;
  }
  memset(sim->reactions, 0, (size_t)sim->m * sizeof(double)); /* of those that are not there */
  if (set->count == set->candidates && sim->has_lambda) {
    for (int32_t r = 0; r < set->count; r++) sim->reactions[set->rows[r]] = sim->lambda[r];
    if (sim->contacts.rubbing > 0) zw_friction_react(sim);
    return ZW_OK;
  }
  ZW_TRY(zw_rows_rank(sim));
  double* lambda = sim->bI; /* used up by the solve */
  zw_reactions_share(sim, lambda);
  for (int32_t i = 0; i < sim->rank->m; i++) sim->reactions[sim->candidates[i]] = lambda[i];
  if (sim->contacts.rubbing > 0) zw_friction_react(sim);
  return ZW_OK;
}

int32_t zw_reactions_row(const ZwSim* sim, double* to) {
  const ZwPattern* pattern = &sim->equations->A;
  int32_t m = sim->m, entries = pattern->begin[m];
  if (to) {
    memcpy(to, sim->reactions, (size_t)m * sizeof(double));
    for (int32_t i = 0; i < m; i++) {
      for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++)
        to[m + k] = sim->Ax[k] * sim->reactions[i] + 0.0; /* no -0 */
    }
    const double* of_all[] = {sim->Qc, sim->Qc_b, sim->Qc_h};
    for (int k = 0; k < 3; k++) memcpy(to + m + entries + k * sim->n, of_all[k], (size_t)sim->n * sizeof(double));
  }
  return m + entries + 3 * sim->n;
}
