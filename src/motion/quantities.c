/* What outputs read of the solve beside accelerations and reactions (expr/quantity.h): the force of the constraints, the motion
 * without them, and two numbers made of these. */
#include "expr/quantity.h"

#include <math.h>

#include "least/dense.h"
#include "motion/sim.h"

/* 1/2 x^T M x */
static double half_square(const ZwSim* sim, const double* x) {
  const ZwPattern* M = &sim->equations->M;
  double sum = 0;
  for (int32_t i = 0; i < sim->n; i++) {
    for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++) {
      int32_t j = M->column[k];
      sum += (i == j ? 0.5 : 1) * sim->Mx[k] * x[i] * x[j];
    }
  }
  return sum;
}

/* a0 with M a0 = h. ZW_ERR_UNDETERMINED: M has no inverse; an indefinite one may have (T21), and sparse is ZW_ERR_MASS. */
static ZwStatus find_free(ZwSim* sim, double* a0) {
  zw_force_h(sim);
  if (sim->large) return zw_large_free(sim, sim->h, a0);
  zw_eval_dense_M(sim);
  ZwLeastResult result = {.a = a0};
  bool is_found = zw_least_factor(sim->least, 0, sim->M, sim->A) == ZW_OK &&
                  zw_least_answer(sim->least, sim->h, sim->bI, &result) == ZW_OK;
  bool is_regular = is_found && (zw_least_has_metric(sim->least) || !result.is_minimum);
  return is_regular ? ZW_OK : ZW_ERR_UNDETERMINED;
}

static bool needs_free(const ZwSim* sim) {
  return sim->equations->quantities & (1u << ZW_QUANTITY_FREE | 1u << ZW_QUANTITY_GAUSSIAN);
}

ZwStatus zw_quantities(ZwSim* sim, double t, const double* y, bool is_singular) {
  double *to = sim->reactions + sim->m_all, *a0 = sim->dx;
  if (is_singular && !zw_eval_acceleration(sim, t, y, zw_velocity(sim, t, y))) return ZW_ERR_DOMAIN;
  if (!needs_free(sim) || find_free(sim, a0) != ZW_OK) zw_fill(sim->n, NAN, a0);
  for (int32_t i = 0; i < sim->n; i++) {
    to[zw_quantity_place(ZW_QUANTITY_FORCE, i)] = sim->Qc[i];
    to[zw_quantity_place(ZW_QUANTITY_FREE, i)] = a0[i];
    a0[i] = sim->a[i] - a0[i];
  }
  to[zw_quantity_place(ZW_QUANTITY_GAUSSIAN, 0)] = half_square(sim, a0);
  to[zw_quantity_place(ZW_QUANTITY_ENERGY, 0)] = half_square(sim, sim->a);
  return ZW_OK;
}

/* Where the user has written it; there is one if it is needed. */
static ZwSpan span_of_free(const ZwSystem* system) {
  for (uint32_t ref = 1; ref < (uint32_t)system->graph.nodes.count; ref++) {
    const ZwNode* node = zw_graph_node(&system->graph, (ZwExpr){ref});
    if (node->op != ZW_OP_REACTION || node->u.index < ZW_QUANTITY) continue;
    int32_t kind = (node->u.index - ZW_QUANTITY) % ZW_QUANTITY_KINDS;
    if (kind == ZW_QUANTITY_FREE || kind == ZW_QUANTITY_GAUSSIAN) return zw_system_span(system, (ZwExpr){ref});
  }
  return (ZwSpan){0};
}

/* A coordinate without any inertia, its own or together with others; or -1. */
static int32_t find_massless(const ZwSim* sim) {
  const ZwPattern* M = &sim->equations->M;
  for (int32_t j = 0; j < sim->n; j++) {
    bool has_mass = false;
    for (int32_t i = 0; i < sim->n && !has_mass; i++) {
      for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++)
        has_mass = has_mass || ((i == j || M->column[k] == j) && sim->Mx[k] != 0);
    }
    if (!has_mass) return j;
  }
  return -1;
}

ZwStatus zw_quantities_check(ZwSim* sim, double t) {
  if (!needs_free(sim)) return ZW_OK;
  bool is_finite = zw_eval_acceleration(sim, t, sim->y, zw_velocity(sim, t, sim->y));
  ZwStatus status = is_finite ? find_free(sim, sim->dx) : ZW_ERR_UNDETERMINED;
  if (status == ZW_OK) return ZW_OK;
  ZwSpan span = span_of_free(sim->system);
  if (status == ZW_ERR_MASS) {
    zw_diag_error(
        sim->diags, status, span,
        "'gaussian' and 'free' need the motion without constraints, and sparse equations have it of a positive "
        "definite mass matrix only; this one is indefinite");
    zw_diag_remedy(sim->diags, "--formulation lagrange solves on full matrices");
    return status;
  }
  int32_t i = find_massless(sim);
  ZwStr name = i >= 0 ? sim->system->coords.items[i].name : ZW_STR("");
  zw_diag_error(sim->diags, ZW_ERR_UNDETERMINED, span,
                "'gaussian' and 'free' need the motion without constraints, and there is none: %s%.*s%s",
                i >= 0 ? "'" : "the mass matrix has no inverse", ZW_STR_ARGS(name), i >= 0 ? "' has no inertia" : "");
  zw_diag_remedy(sim->diags, "'acceleration_energy' and 'constraint_force' are defined all the same");
  return ZW_ERR_UNDETERMINED;
}
