/* The partition that a run was asked for (T27): the accelerations that the explicit Gibbs-Appell equations eliminate. It must hold all the
 * way, so that the determinant of their columns in the frozen rows keeps its sign. A state where it has the other sign lies beyond one where
 * the partition is lost: it has no rate, so that steps get shorter and end before that place. */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "least/lu.h"
#include "motion/sim.h"

/* A pivot below this part of the rows has been lost, where there is no answer. */
#define LOST 1e-3

static ZwStr name_of(const ZwSim* sim, int32_t coordinate) {
  return sim->system->coords.items[coordinate].name;
}

/* "at t = 1.5", or the two times between which it is, where steps cannot come nearer. */
static ZwStatus fault_dependent(ZwSim* sim, double t) {
  ZwWhen from = zw_when(sim, sim->t, 9), to = zw_when(sim, t, 9);
  bool is_between = strcmp(from.text, to.text) != 0 && sim->t < t;
  zw_diag_error(sim->diags, ZW_ERR_VALUE, (ZwSpan){0},
                "%s t = %s%s%s the acceleration of '%.*s' cannot be eliminated: %sthe constraints do not determine it "
                "from those that stay",
                is_between ? "between" : "at", is_between ? from.text : to.text, is_between ? " and " : "",
                is_between ? to.text : "", ZW_STR_ARGS(name_of(sim, sim->dependent)), is_between ? "there " : "");
  zw_diag_remedy(sim->diags, "eliminate others; without --eliminate the largest columns are taken at every instant");
  return ZW_ERR_VALUE;
}

ZwStatus zw_partition_fault(ZwSim* sim, double t) {
  ZwWhen when = zw_when(sim, t, 9);
  int32_t rank = sim->sets[ZW_LEVEL_ACCELERATION].count;
  if (sim->dependent >= 0) return fault_dependent(sim, t);
  zw_diag_error(sim->diags, ZW_ERR_VALUE, (ZwSpan){0},
                "at t = %s %d acceleration%s cannot be eliminated: as many are as constraints are independent, and "
                "that is %d",
                when.text, (int)sim->eliminate_count, sim->eliminate_count == 1 ? "" : "s", (int)rank);
  zw_diag_remedy(sim->diags, "name as many coordinates as the rank that 'zwang check' tells");
  return ZW_ERR_VALUE;
}

/* The sign of the determinant, 0 where it has none; *weakest is the place of the smallest pivot. */
static int32_t find_sign(const ZwSim* sim, int32_t* weakest) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  ptrdiff_t n = sim->n, r = sim->eliminate_count;
  double *K = sim->eliminate_work, *rows = K + r * r;
  int32_t sign = 1, *swap = sim->eliminate_swap;
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

ZwStatus zw_partition_keep(ZwSim* sim) {
  int32_t weakest, sign = find_sign(sim, &weakest);
  if (sim->frame_sign == 0) sim->frame_sign = sign;
  if (sign == 0 || sign == sim->frame_sign) return ZW_OK;
  sim->reason = "it lies beyond a state where the columns put first depend on each other";
  sim->dependent = sim->eliminate[weakest];
  return ZW_ERR_VALUE;
}

bool zw_partition_is_lost(ZwSim* sim) {
  int32_t weakest;
  if (sim->eliminate_count == 0 || find_sign(sim, &weakest) == 0) return false;
  int32_t r = sim->eliminate_count;
  const double *K = sim->eliminate_work, *rows = K + (ptrdiff_t)r * r;
  if (fabs(K[weakest * r + weakest]) > LOST * zw_max_abs(r * sim->n, rows)) return false;
  sim->dependent = sim->eliminate[weakest];
  return true;
}

void zw_partition_forget(ZwSim* sim) {
  if (sim->eliminate_count > 0) sim->frame_sign = 0;
}
