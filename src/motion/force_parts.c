/* The force of the constraints in two parts (T25): Qc = Qc_b + Qc_h, what the rows demand of the motion, linear in b, and what they
 * hold up of the other forces, linear in h. The same problem is solved twice more, with h = 0 and with b = 0; M may be singular. */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/sim.h"

/* h without what a solve has made of it: where nothing slips it is the sum of its terms; the friction of what slips stays in. */
void zw_force_h(ZwSim* sim) {
  if (sim->contacts.rubbing > 0) return;
  for (int32_t i = 0; i < sim->n; i++) sim->h[i] = sim->hL[i] + sim->Q[i];
}

ZwStatus zw_force_part_b(ZwSim* sim, double* a, double* lambda, double* Qc) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  for (int32_t r = 0; r < set->count; r++) sim->bI[r] = sim->b[set->rows[r]];
  ZwLeastResult result = {.a = a, .lambda = lambda, .Qc = Qc};
  return zw_least_answer(sim->least, sim->zero, sim->bI, &result);
}

static ZwStatus solve_dense(ZwSim* sim) {
  ZwLeastResult result = {.a = sim->dx, .Qc = sim->Qc_h};
  ZW_TRY(zw_eval_refactor(sim)); /* whatever has solved, and whatever has been looked at since */
  ZW_TRY(zw_force_part_b(sim, sim->dx, NULL, sim->Qc_b));
  zw_fill(sim->sets[ZW_LEVEL_ACCELERATION].count, 0, sim->bI);
  return zw_least_answer(sim->least, sim->h, sim->bI, &result);
}

static ZwStatus solve_large(ZwSim* sim) {
  ZwSparseResult result = {.a = sim->dx, .lambda = sim->rI, .Qc = sim->Qc_b};
  ZW_TRY(zw_large_factor(sim, &sim->sets[ZW_LEVEL_ACCELERATION]));
  zw_copy(sim->m, sim->b, sim->bI);
  ZW_TRY(zw_sparse_solve(sim->large, sim->zero, sim->bI, &result));
  zw_fill(sim->m, 0, sim->bI);
  result.Qc = sim->Qc_h;
  return zw_sparse_solve(sim->large, sim->h, sim->bI, &result);
}

/* A limit has no parts: each may grow without bound where a row is lost. */
static bool is_limit(const ZwSim* sim, bool is_singular) {
  return is_singular || sim->near.is_limit;
}

ZwStatus zw_force_parts(ZwSim* sim, bool is_singular) {
  double nothing = is_limit(sim, is_singular) ? NAN : 0;
  zw_fill(sim->n, nothing, sim->Qc_b);
  zw_fill(sim->n, nothing, sim->Qc_h);
  if (sim->sets[ZW_LEVEL_ACCELERATION].count == 0 || is_limit(sim, is_singular)) return ZW_OK;
  zw_force_h(sim);
  return sim->large ? solve_large(sim) : solve_dense(sim);
}
