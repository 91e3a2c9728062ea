/* The explicit pair of order 8 on the projected equations (dop853.h has its numbers). */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/sim.h"

/* to = from + h sum of weighted stages, with the room behind all of them (sim.c), in which there is nothing */
static void add_stages(const ZwSim* sim, double h, const ZwWeights* weights, int32_t size, const double* from,
                       double* to) {
  sim->stages->add(weights, sim->k, h, from, to, zw_stages_room(size));
}

/* y + h sum_j a_j k_j, of the numbers that are followed */
static void combine(const ZwSim* sim, double h, const ZwWeights* weights, double* to) {
  add_stages(sim, h, weights, sim->followed, sim->y, to);
}

static ZwStatus run_stages(ZwSim* sim, double h) {
  ZwStagesAddFn* const* up_to = sim->stages->up_to;
  double *const *k = sim->k, *y_new = sim->y_new;
  int32_t room = zw_stages_room(sim->followed);
  bool is_near = sim->near.is_near;
  for (int s = 1; s < ZW_DOP853_STAGES; s++) {
    double t = sim->t + zw_dop853.c[s] * h;
    int32_t row;
    up_to[s](&sim->weights.stages[s], k, h, sim->y, y_new, room);
    if (is_near && zw_project(sim, t, y_new, &row) == ZW_PROJECTION_FAILED) return ZW_ERR_STEP;
    ZW_TRY(zw_eval_rate(sim, t, y_new, k[s]));
  }
  return ZW_OK;
}

/* h sum_j e_j k_j over q and v, without what the rows hold only weakly (R7) */
static const double* difference_of(ZwSim* sim, const ZwWeights* weights, double* to) {
  add_stages(sim, 1, weights, 2 * sim->n, NULL, to);
  if (!sim->near.is_near && !sim->near.is_crossing) return to;
  zw_singular_leave_out(sim, to);
  zw_singular_leave_out(sim, to + sim->n);
  return to;
}

/* e5^2 / sqrt(e5^2 + 0.01 e3^2) of `count` coordinates, by the sums of squares */
static double error_of(const double e[2], double h, int32_t count) {
  return e[0] == 0 ? 0 : h * e[0] / sqrt((e[0] + 0.01 * e[1]) * (2 * count));
}

/* The error of the worst island. */
static double error_of_islands(const ZwSim* sim, const double* d5, const double* d3, double h) {
  const ZwSizes* sizes = &sim->sizes;
  double tolerance = sim->tolerance + zw_singular_noise(sim), worst = 0, *sums = sizes->sums;
  for (int32_t g = 0; g < 2 * sizes->islands; g++) sums[g] = 0;
  for (int32_t i = 0; i < 2 * sim->n; i++) {
    double* sum = sums + 2 * (ptrdiff_t)sizes->island[i < sim->n ? i : i - sim->n];
    double scale = tolerance * (sizes->unit[i] + zw_larger(fabs(sim->y[i]), fabs(sim->y_new[i])));
    sum[0] += (d5[i] / scale) * (d5[i] / scale);
    sum[1] += (d3[i] / scale) * (d3[i] / scale);
  }
  for (int32_t g = 0; g < sizes->islands; g++) {
    double error = error_of(sums + 2 * (ptrdiff_t)g, h, sizes->island_size[g]);
    worst = zw_sizes_worse(worst, error);
  }
  return worst;
}

/* The end of the step, and its error. */
static double finish(ZwSim* sim, double h) {
  bool is_plain = !sim->near.is_near && !sim->near.is_crossing && sim->sizes.islands == 1;
  if (is_plain) {
    double sums[2];
    sim->stages->finish(&sim->weights, sim->k, h, sim->y, sim->y_new, zw_stages_room(sim->followed), sim->sizes.unit,
                        sim->tolerance, 2 * sim->n, sums);
    return error_of(sums, h, sim->n);
  }
  combine(sim, h, &sim->weights.end, sim->y_new);
  /* the dense output of the step before is not needed any more */
  const double* d5 = difference_of(sim, &sim->weights.e5, sim->F[5]);
  const double* d3 = difference_of(sim, &sim->weights.e3, sim->F[6]);
  return error_of_islands(sim, d5, d3, h);
}

/* W is carried along outside the control */
ZwStatus zw_explicit_attempt(ZwSim* sim, double h, double* error) {
  ZW_TRY(run_stages(sim, h));
  *error = finish(sim, h);
  if (sim->followed < sim->dim) sim->y_new[2 * sim->n] = sim->y[2 * sim->n];
  return ZW_OK;
}

/* The dense output begins with the rate of the motion. Its stages are not read any more once it is made. */
double zw_explicit_measure(ZwSim* sim, double h, double part) {
  const double* d5 = difference_of(sim, &sim->weights.e5, sim->k[ZW_DOP853_STAGES + 1]);
  const double* d3 = difference_of(sim, &sim->weights.e3, sim->k[ZW_DOP853_STAGES + 2]);
  return part * part * error_of_islands(sim, d5, d3, h);
}

ZwStatus zw_explicit_dense(ZwSim* sim) {
  double h = sim->h_dense;
  for (int s = ZW_DOP853_STAGES + 1; s < ZW_DOP853_STAGES_ALL; s++) {
    combine(sim, h, &sim->weights.stages[s], sim->y_out);
    ZW_TRY(zw_eval_rate(sim, sim->t + zw_dop853.c[s] * h, sim->y_out, sim->k[s]));
  }
  zw_stages_join(sim->k, h, sim->y, sim->y_new, sim->F, sim->dim);
  for (int r = 0; r < ZW_DOP853_DENSE; r++) {
    add_stages(sim, 1, &sim->weights.dense[r], sim->dim, NULL, sim->F[3 + r]);
    for (int32_t i = 0; i < sim->dim; i++) sim->F[3 + r][i] *= h;
  }
  return ZW_OK;
}

void zw_explicit_interpolate(const ZwSim* sim, double x, double* y) {
  zw_stages_interpolate(sim->F, x, sim->y, y, sim->dim);
}
