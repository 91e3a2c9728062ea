/* The explicit pair of order 8 on the projected equations (dop853.h has its numbers). */
#include <math.h>
#include <string.h>

#include "motion/sim.h"

/* Two numbers in a register, which every machine with vectors has. */
typedef double Two __attribute__((vector_size(16)));

static inline Two load_two(const double* from) {
  Two x;
  memcpy(&x, from, sizeof x);
  return x;
}

static inline void store_two(double* to, Two x) {
  memcpy(to, &x, sizeof x);
}

/* Stages with a weight, and factor times it. */
typedef struct Stages {
  int count;
  double factors[ZW_DOP853_STAGES_ALL];
  const double* k[ZW_DOP853_STAGES_ALL];
} Stages;

/* Eight numbers from place i on. */
static inline void add_eight(const Stages* stages, int32_t i, const double* from, double* to) {
  Two a = {0}, b = {0}, c = {0}, d = {0};
  if (from) {
    a = load_two(from + i);
    b = load_two(from + i + 2);
    c = load_two(from + i + 4);
    d = load_two(from + i + 6);
  }
  for (int j = 0; j < stages->count; j++) {
    const double* k = stages->k[j] + i;
    Two factor = {stages->factors[j], stages->factors[j]};
    a += factor * load_two(k);
    b += factor * load_two(k + 2);
    c += factor * load_two(k + 4);
    d += factor * load_two(k + 6);
  }
  store_two(to + i, a);
  store_two(to + i + 2, b);
  store_two(to + i + 4, c);
  store_two(to + i + 6, d);
}

/* to = from + factor sum of weight[j] k[j] over `count` stages; from NULL: 0. A few numbers at a time, so that they stay in registers
 * while stages are added, each number in the order of the stages. */
static void add_stages(const ZwSim* sim, double factor, const double* weight, int count, int32_t size,
                       const double* from, double* to) {
  Stages stages = {.count = 0};
  for (int j = 0; j < count; j++) {
    if (weight[j] == 0) continue;
    stages.factors[stages.count] = factor * weight[j];
    stages.k[stages.count++] = sim->k[j];
  }
  int32_t i = 0;
  for (; i + 8 <= size; i += 8) add_eight(&stages, i, from, to);
  for (; i + 2 <= size; i += 2) {
    Two sum = {0};
    if (from) sum = load_two(from + i);
    for (int j = 0; j < stages.count; j++) {
      Two factors = {stages.factors[j], stages.factors[j]};
      sum += factors * load_two(stages.k[j] + i);
    }
    store_two(to + i, sum);
  }
  for (; i < size; i++) {
    double sum = from ? from[i] : 0;
    for (int j = 0; j < stages.count; j++) sum += stages.factors[j] * stages.k[j][i];
    to[i] = sum;
  }
}

/* y + h sum_j a_j k_j */
static void combine(const ZwSim* sim, double h, const double* a, int count, double* to) {
  add_stages(sim, h, a, count, sim->dim, sim->y, to);
}

static ZwStatus run_stages(ZwSim* sim, double h) {
  for (int s = 1; s < ZW_DOP853_STAGES; s++) {
    combine(sim, h, zw_dop853.a[s], s, sim->y_new);
    int32_t row;
    if (sim->near.is_near && zw_project(sim, sim->t + zw_dop853.c[s] * h, sim->y_new, &row) == ZW_PROJECTION_FAILED) {
      return ZW_ERR_STEP;
    }
    ZW_TRY(zw_eval_rate(sim, sim->t + zw_dop853.c[s] * h, sim->y_new, sim->k[s]));
  }
  combine(sim, h, zw_dop853.b, ZW_DOP853_STAGES, sim->y_new);
  return ZW_OK;
}

/* h sum_j e_j k_j over q and v, without what the rows hold only weakly (R7) */
static const double* difference_of(ZwSim* sim, const double* weights, double* to) {
  add_stages(sim, 1, weights, ZW_DOP853_STAGES, 2 * sim->n, NULL, to);
  if (sim->near.is_near || sim->near.is_crossing) {
    zw_singular_leave_out(sim, to);
    zw_singular_leave_out(sim, to + sim->n);
  }
  return to;
}

/* e5^2 / sqrt(e5^2 + 0.01 e3^2) over q and v; W is carried along outside the control */
static double error_of(ZwSim* sim, double h) {
  double e5 = 0, e3 = 0, tolerance = sim->tolerance + zw_singular_noise(sim);
  int32_t count = 2 * sim->n;
  /* the dense output of the step before is not needed any more */
  const double* d5 = difference_of(sim, zw_dop853.e5, sim->F[5]);
  const double* d3 = difference_of(sim, zw_dop853.e3, sim->F[6]);
  for (int32_t i = 0; i < count; i++) {
    double before = fabs(sim->y[i]), after = fabs(sim->y_new[i]);
    double scale = tolerance * (1 + (before > after ? before : after));
    e5 += (d5[i] / scale) * (d5[i] / scale);
    e3 += (d3[i] / scale) * (d3[i] / scale);
  }
  if (e5 == 0) return 0;
  return h * e5 / sqrt((e5 + 0.01 * e3) * count);
}

ZwStatus zw_explicit_attempt(ZwSim* sim, double h, double* error) {
  ZW_TRY(run_stages(sim, h));
  *error = error_of(sim, h);
  return ZW_OK;
}

ZwStatus zw_explicit_dense(ZwSim* sim) {
  double h = sim->h_dense;
  for (int s = ZW_DOP853_STAGES + 1; s < ZW_DOP853_STAGES_ALL; s++) {
    combine(sim, h, zw_dop853.a[s], s, sim->y_out);
    ZW_TRY(zw_eval_rate(sim, sim->t + zw_dop853.c[s] * h, sim->y_out, sim->k[s]));
  }
  const double *begin = sim->k[0], *end = sim->k[ZW_DOP853_STAGES];
  for (int32_t i = 0; i < sim->dim; i++) {
    double difference = sim->y_new[i] - sim->y[i];
    sim->F[0][i] = difference;
    sim->F[1][i] = h * begin[i] - difference;
    sim->F[2][i] = 2 * difference - h * (begin[i] + end[i]);
    for (int r = 0; r < ZW_DOP853_DENSE; r++) {
      double sum = 0;
      for (int j = 0; j < ZW_DOP853_STAGES_ALL; j++) sum += zw_dop853.d[r][j] * sim->k[j][i];
      sim->F[3 + r][i] = h * sum;
    }
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
