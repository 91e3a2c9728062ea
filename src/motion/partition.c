/* The partition that a run was asked for (T27): the accelerations that the explicit Gibbs-Appell equations eliminate. It must hold all the
 * way, so that the determinant of their columns in the constraints keeps its sign. */
#include <math.h>

#include "least/dense.h"
#include "least/lu.h"
#include "motion/sim.h"

static ZwStr name_of(const ZwSim* sim, int32_t coordinate) {
  return sim->system->coords.items[coordinate].name;
}

ZwStatus zw_partition_fault(ZwSim* sim, double t) {
  ZwWhen when = zw_when(sim, t, 9);
  int32_t rank = sim->sets[ZW_LEVEL_ACCELERATION].count;
  if (sim->dependent >= 0) {
    zw_diag_error(sim->diags, ZW_ERR_VALUE, (ZwSpan){0},
                  "at t = %s the acceleration of '%.*s' cannot be eliminated: the constraints do not determine it from "
                  "those that stay",
                  when.text, ZW_STR_ARGS(name_of(sim, sim->dependent)));
    zw_diag_remedy(sim->diags, "eliminate others; without --eliminate the largest columns are taken at every instant");
  } else {
    zw_diag_error(sim->diags, ZW_ERR_VALUE, (ZwSpan){0},
                  "at t = %s %d acceleration%s cannot be eliminated: as many are as constraints are independent, and "
                  "that is %d",
                  when.text, (int)sim->eliminate_count, sim->eliminate_count == 1 ? "" : "s", (int)rank);
    zw_diag_remedy(sim->diags, "name as many coordinates as the rank that 'zwang check' tells");
  }
  return ZW_ERR_VALUE;
}

/* The sign of the determinant, 0 where it has none; *weakest is the place of the smallest pivot. */
static int32_t find_sign(ZwSim* sim, int32_t* weakest) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  ptrdiff_t n = sim->n, r = sim->eliminate_count;
  double *rows = sim->all_rows, *K = sim->A; /* both have room for m x n */
  int32_t sign = 1, *swap = sim->fresh_rows;
  *weakest = 0;
  if (set->count != r) return 0;
  zw_eval_dense_rows(sim, set->rows, set->count, rows);
  for (ptrdiff_t i = 0; i < r; i++) {
    for (ptrdiff_t j = 0; j < r; j++) K[i * r + j] = rows[i * n + sim->eliminate[j]];
  }
  if (zw_lu_factor((int32_t)r, K, swap) == 0) return 0;
  for (int32_t k = 0; k < r; k++) {
    double pivot = K[k * r + k];
    if (fabs(pivot) < fabs(K[*weakest * r + *weakest])) *weakest = k;
    if ((pivot < 0) != (swap[k] != k)) sign = -sign;
  }
  return sign;
}

ZwStatus zw_partition_follow(ZwSim* sim) {
  if (sim->eliminate_count == 0) return ZW_OK;
  double t = sim->t + sim->step;
  int32_t before = sim->frame_sign, weakest;
  if (!zw_eval_acceleration(sim, t, sim->y_new, zw_velocity(sim, t, sim->y_new))) return ZW_OK; /* others say so */
  sim->frame_sign = sim->has_next_sets ? 0 : find_sign(sim, &weakest); /* other rows, another sign */
  if (before == 0 || sim->frame_sign == 0 || before == sim->frame_sign) return ZW_OK;
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "between t = %s and %s the acceleration of '%.*s' cannot be eliminated: there the constraints do not "
                "determine it from those that stay",
                zw_when(sim, sim->t, 9).text, zw_when(sim, t, 9).text,
                ZW_STR_ARGS(name_of(sim, sim->eliminate[weakest])));
  zw_diag_remedy(sim->diags, "eliminate others; without --eliminate the largest columns are taken at every instant");
  return ZW_ERR_STEP;
}
