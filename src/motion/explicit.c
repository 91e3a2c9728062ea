/* The explicit pair of order 8 on the projected equations (dop853.h has its numbers). */
#include <math.h>
#include <string.h>

#include "motion/sim.h"

/* to = from + h sum of weighted stages, with the room behind all of them (sim.c), in which there is nothing */
static void add_stages(const ZwSim* sim, double h, const ZwWeights* weights, int32_t size, const double* from,
                       double* to) {
  sim->stages->add(weights, sim->k, h, from, to, (size + ZW_STAGES_FOUR - 1) & -ZW_STAGES_FOUR);
}

/* y + h sum_j a_j k_j, of the numbers that are followed */
static void combine(const ZwSim* sim, double h, const ZwWeights* weights, double* to) {
  add_stages(sim, h, weights, sim->followed, sim->y, to);
}

static ZwStatus run_stages(ZwSim* sim, double h) {
  bool is_near = sim->near.is_near;
  for (int s = 1; s < ZW_DOP853_STAGES; s++) {
    double t = sim->t + zw_dop853.c[s] * h;
    int32_t row;
    combine(sim, h, &sim->weights.stages[s], sim->y_new);
    if (is_near && zw_project(sim, t, sim->y_new, &row) == ZW_PROJECTION_FAILED) return ZW_ERR_STEP;
    ZW_TRY(zw_eval_rate(sim, t, sim->y_new, sim->k[s]));
  }
  combine(sim, h, &sim->weights.end, sim->y_new);
  if (sim->followed < sim->dim) sim->y_new[2 * sim->n] = sim->y[2 * sim->n];
  return ZW_OK;
}

/* h sum_j e_j k_j over q and v, without what the rows hold only weakly (R7) */
static const double* difference_of(ZwSim* sim, const ZwWeights* weights, double* to) {
  add_stages(sim, 1, weights, 2 * sim->n, NULL, to);
  if (sim->near.is_near || sim->near.is_crossing) {
    zw_singular_leave_out(sim, to);
    zw_singular_leave_out(sim, to + sim->n);
  }
  return to;
}

/* e5^2 / sqrt(e5^2 + 0.01 e3^2) over q and v; W is carried along outside the control */
static double error_of(ZwSim* sim, double h) {
  double e[2], tolerance = sim->tolerance + zw_singular_noise(sim);
  int32_t count = 2 * sim->n;
  /* the dense output of the step before is not needed any more */
  const double* d5 = difference_of(sim, &sim->weights.e5, sim->F[5]);
  const double* d3 = difference_of(sim, &sim->weights.e3, sim->F[6]);
  sim->stages->square(d5, d3, sim->y, sim->y_new, tolerance, count, e);
  if (e[0] == 0) return 0;
  return h * e[0] / sqrt((e[0] + 0.01 * e[1]) * count);
}

ZwStatus zw_explicit_attempt(ZwSim* sim, double h, double* error) {
  ZW_TRY(run_stages(sim, h));
  *error = error_of(sim, h);
  return ZW_OK;
}

ZwStatus zw_explicit_dense(ZwSim* sim) {
  double h = sim->h_dense;
  for (int s = ZW_DOP853_STAGES + 1; s < ZW_DOP853_STAGES_ALL; s++) {
    combine(sim, h, &sim->weights.stages[s], sim->y_out);
    ZW_TRY(zw_eval_rate(sim, sim->t + zw_dop853.c[s] * h, sim->y_out, sim->k[s]));
  }
  const double *begin = sim->k[0], *end = sim->k[ZW_DOP853_STAGES];
  for (int32_t i = 0; i < sim->dim; i++) {
    double difference = sim->y_new[i] - sim->y[i];
    sim->F[0][i] = difference;
    sim->F[1][i] = h * begin[i] - difference;
    sim->F[2][i] = 2 * difference - h * (begin[i] + end[i]);
  }
  for (int r = 0; r < ZW_DOP853_DENSE; r++) {
    add_stages(sim, 1, &sim->weights.dense[r], sim->dim, NULL, sim->F[3 + r]);
    for (int32_t i = 0; i < sim->dim; i++) sim->F[3 + r][i] *= h;
  }
  return ZW_OK;
}

void zw_explicit_interpolate(const ZwSim* sim, double x, double* y) {
  double* const* F = sim->F;
  for (int32_t i = 0; i < sim->dim; i++) {
    double value = F[5][i] + x * F[6][i];
    value = F[4][i] + (1 - x) * value;
    value = F[3][i] + x * value;
    value = F[2][i] + (1 - x) * value;
    value = F[1][i] + x * value;
    value = F[0][i] + (1 - x) * value;
    y[i] = sim->y[i] + x * value;
  }
}
