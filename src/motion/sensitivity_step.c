/* Columns of sensitivities along a step of the motion: the explicit pair of order 8 on their linear equations, whose coefficients are
 * those of the path, with steps of its own. */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/sensitivity.h"

/* ---- rates ---- */

/* The rates of columns X at x of the path. Near a singular position what is off the constraints counts many times: columns are put onto
 * them first. */
static ZwStatus rates_at(ZwSim* sim, double x, double* X, double* rates) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwVariation* variation = &sensitivity->variation;
  if (sensitivity->path.is_near) {
    double drift = sensitivity->drift;
    zw_path_state(&sensitivity->path, x, sensitivity->y);
    ZW_TRY(zw_sensitivity_project(sim, sensitivity->path.t + x * sensitivity->path.h, sensitivity->y, X));
    sensitivity->drift = drift;
  }
  ZW_TRY(zw_path_vary(sim, variation, &sensitivity->path, x));
  for (int32_t c = 0; c < sensitivity->count; c++) {
    ZwDirection direction = zw_sensitivity_direction(sensitivity, c, X);
    double* to = rates + (ptrdiff_t)c * 2 * sim->n;
    ZW_TRY(zw_variation_solve(sim, variation, &direction));
    zw_copy(sim->n, direction.dv, to);
    zw_copy(sim->n, variation->da, to + sim->n);
  }
  return ZW_OK;
}

/* ---- one step ---- */

static void add(const ZwSim* sim, const ZwWeights* weights, double h, const double* from, double* to) {
  sim->stages->add(weights, sim->sensitivity->k, h, from, to, (int32_t)sim->sensitivity->size);
}

/* The largest number among positions or velocities of a column, before and after. */
static double size_of(const ZwSensitivity* sensitivity, ptrdiff_t at) {
  double before = zw_max_abs(sensitivity->n, sensitivity->before + at);
  return fmax(before, zw_max_abs(sensitivity->n, sensitivity->now + at));
}

/* As the motion's, of the worst column; positions and velocities of a column each count by their largest number, and by what changes
 * the motion by its own size when what is varied changes by its own. */
static double error_of(ZwSim* sim, double h) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ptrdiff_t n = sim->n;
  double worst = 0;
  add(sim, &sim->weights.e5, h, NULL, sensitivity->e5);
  add(sim, &sim->weights.e3, h, NULL, sensitivity->e3);
  for (ptrdiff_t c = 0; c < 2 * sensitivity->count && sensitivity->path.is_near; c++) {
    zw_singular_leave_out(sim, sensitivity->e5 + c * n);
    zw_singular_leave_out(sim, sensitivity->e3 + c * n);
  }
  for (ptrdiff_t c = 0; c < sensitivity->count; c++) {
    double e5 = 0, e3 = 0, sizes[2] = {size_of(sensitivity, 2 * n * c), size_of(sensitivity, 2 * n * c + n)};
    for (ptrdiff_t i = 0; i < 2 * n; i++) {
      ptrdiff_t at = 2 * n * c + i;
      double size = sizes[i >= n] + fabs(sensitivity->now[at]) + sensitivity->least[c];
      double d5 = sensitivity->e5[at] / (sim->tolerance * size), d3 = sensitivity->e3[at] / (sim->tolerance * size);
      e5 += d5 * d5;
      e3 += d3 * d3;
    }
    if (e5 > 0) worst = fmax(worst, e5 / sqrt((e5 + 0.01 * e3) * (double)(2 * n)));
    if (!(isfinite(e5) && isfinite(e3))) return INFINITY;
  }
  return worst;
}

static void swap(double** a, double** b) {
  double* kept = *a;
  *a = *b;
  *b = kept;
}

/* The stages and the end of a step from `before` at x_before, of a part of the path; k[0] is there. */
static ZwStatus run_stages(ZwSim* sim, double part) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  double h = part * sensitivity->path.h;
  for (int s = 1; s < ZW_DOP853_STAGES; s++) {
    add(sim, &sim->weights.stages[s], h, sensitivity->before, sensitivity->now);
    ZW_TRY(rates_at(sim, sensitivity->x_before + zw_dop853.c[s] * part, sensitivity->now, sensitivity->k[s]));
  }
  add(sim, &sim->weights.end, h, sensitivity->before, sensitivity->now);
  return ZW_OK;
}

/* The rest of an accepted step: onto the constraints, and the rate there. */
static ZwStatus end_step(ZwSim* sim, double x) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  const ZwPath* path = &sensitivity->path;
  zw_path_state(path, x, sensitivity->y);
  ZW_TRY(zw_sensitivity_project(sim, path->t + x * path->h, sensitivity->y, sensitivity->now));
  sensitivity->x = x;
  sensitivity->has_dense = false;
  sensitivity->steps++;
  ZW_TRY(rates_at(sim, x, sensitivity->now, sensitivity->k[ZW_DOP853_STAGES]));
  sensitivity->has_rate = true;
  return ZW_OK;
}

static ZwStatus step(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  swap(&sensitivity->before, &sensitivity->now);
  swap(&sensitivity->k[0], &sensitivity->k[ZW_DOP853_STAGES]);
  sensitivity->x_before = sensitivity->x;
  if (!sensitivity->has_rate) ZW_TRY(rates_at(sim, sensitivity->x, sensitivity->before, sensitivity->k[0]));
  bool is_found = false;
  double part = 1, rest = 1 - sensitivity->x_before;
  while (!is_found) {
    part = zw_path_part(sensitivity->part, rest, sensitivity->path.singular - sensitivity->x_before);
    if (part == 0) return ZW_ERR_INCONSISTENT;
    ZW_TRY(run_stages(sim, part));
    double error = error_of(sim, part * sensitivity->path.h);
    ZW_TRY(zw_path_judge(part, error, ZW_DOP853_ORDER, &is_found, &sensitivity->part));
  }
  return end_step(sim, part == rest ? 1 : sensitivity->x_before + part);
}

ZwStatus zw_sensitivity_reach(ZwSim* sim, double x) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!(sensitivity->path.h > 0)) return ZW_OK;
  while (sensitivity->x < x) ZW_TRY(sensitivity->is_stiff ? zw_sensitivity_step_stiff(sim, x) : step(sim));
  return ZW_OK;
}

/* ---- within a step ---- */

static ZwStatus make_dense(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  double part = sensitivity->x - sensitivity->x_before, h = part * sensitivity->path.h;
  for (int s = ZW_DOP853_STAGES + 1; s < ZW_DOP853_STAGES_ALL; s++) {
    add(sim, &sim->weights.stages[s], h, sensitivity->before, sensitivity->out);
    ZW_TRY(rates_at(sim, sensitivity->x_before + zw_dop853.c[s] * part, sensitivity->out, sensitivity->k[s]));
  }
  zw_stages_join(sensitivity->k, h, sensitivity->before, sensitivity->now, sensitivity->F, sensitivity->size);
  for (int r = 0; r < ZW_DOP853_DENSE; r++) add(sim, &sim->weights.dense[r], h, NULL, sensitivity->F[3 + r]);
  sensitivity->has_dense = true;
  return ZW_OK;
}

ZwStatus zw_sensitivity_interpolate(ZwSim* sim, double x) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity->has_dense) ZW_TRY(make_dense(sim));
  double s = (x - sensitivity->x_before) / (sensitivity->x - sensitivity->x_before);
  zw_stages_interpolate(sensitivity->F, s, sensitivity->before, sensitivity->out, sensitivity->size);
  return ZW_OK;
}

/* ---- back onto the constraints ---- */

static ZwStatus factor_level(ZwSim* sim, const ZwRowSet* set) {
  sim->small.is_ahead = false;
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  return zw_least_factor(sim->least, set->count, sim->M, sim->A);
}

/* One column of positions or velocities. The rows are factored. */
static ZwStatus project_column(ZwSim* sim, ZwLevel level, double t, const double* y, int32_t column, double* X) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwVariation* variation = &sensitivity->variation;
  const ZwRowSet* set = &sim->sets[level];
  bool is_position = level == ZW_LEVEL_POSITION;
  ZwDirection direction = zw_sensitivity_direction(sensitivity, column, X);
  double* x = X + (ptrdiff_t)column * 2 * sim->n + (is_position ? 0 : sim->n);
  zw_variation_rows(sim, variation, is_position ? ZW_ENTRY_POSITION : ZW_ENTRY_VELOCITY, (ZwStateAt){t, y, y + sim->n},
                    &direction);
  const double* change = is_position ? variation->dphi : variation->dpsi;
  for (int32_t r = 0; r < set->count; r++) variation->bI[r] = change[set->rows[r]];
  ZW_TRY(zw_least_project(sim->least, variation->bI, variation->right));
  double moved = zw_max_abs(sim->n, variation->right), size = zw_max_abs(sim->n, x) + sensitivity->least[column];
  if (moved > sensitivity->drift * size) sensitivity->drift = moved / size;
  zw_axpy(sim->n, 1, variation->right, x);
  return ZW_OK;
}

ZwStatus zw_sensitivity_project(ZwSim* sim, double t, const double* y, double* X) {
  if (sim->sets[ZW_LEVEL_VELOCITY].count == 0) return ZW_OK;
  if (!zw_eval_acceleration(sim, t, y, y + sim->n)) return ZW_ERR_DOMAIN;
  zw_eval_dense_M(sim);
  for (ZwLevel level = ZW_LEVEL_POSITION; level <= ZW_LEVEL_VELOCITY; level++) {
    const ZwRowSet* set = &sim->sets[level];
    if (set->count == 0) continue;
    ZwStatus status = factor_level(sim, set);
    if (status && status != ZW_ERR_UNDETERMINED) return status;
    for (int32_t c = 0; c < sim->sensitivity->count; c++) ZW_TRY(project_column(sim, level, t, y, c, X));
  }
  return ZW_OK;
}
