/* Forces that make a motion. */
#include <math.h>
#include <string.h>

#include "least/cholesky.h"
#include "least/dense.h"
#include "least/svd.h"
#include "motion/follow.h"

ZwStatus zw_control_create(ZwControl* control, ZwArena* arena, ZwSim* sim, int32_t count, const int32_t* by) {
  ptrdiff_t n = sim->n, k = count;
  *control = (ZwControl){.count = count, .by = by};
  control->force = ZW_NEW(arena, k + 1, double);
  control->missing = ZW_NEW(arena, n + 1, double);
  control->balance = ZW_NEW(arena, n + 1, double);
  control->mass = ZW_NEW(arena, n + 1, double);
  control->most = ZW_NEW(arena, n + 1, double);
  control->groups = &sim->equations->groups;
  control->w = ZW_NEW(arena, n + 1, double);
  control->answer = ZW_NEW(arena, k * n + 1, double);
  control->unit = ZW_NEW(arena, n + 1, double);
  control->zero = ZW_NEW(arena, sim->m + 1, double);
  control->S = ZW_NEW(arena, k * k + 1, double);
  control->R = ZW_NEW(arena, k * k + 1, double);
  control->metric = ZW_NEW(arena, n * n + 1, double);
  control->sigma = ZW_NEW(arena, k + 1, double);
  control->Ut = ZW_NEW(arena, k * k + 1, double);
  control->Vt = ZW_NEW(arena, k * k + 1, double);
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* After the reactions are known. */
static void note_balance(ZwControl* control, const ZwSim* sim, const double* a) {
  const ZwPattern* A = &sim->equations->A;
  double* sum = control->unit;
  for (int32_t i = 0; i < sim->n; i++) {
    const double* row = sim->M + (ptrdiff_t)i * sim->n;
    sum[i] = fabs(sim->h[i]);
    for (int32_t j = 0; j < sim->n; j++) sum[i] += fabs(row[j] * a[j]);
    control->mass[i] = zw_larger(control->mass[i], row[i]);
  }
  for (int32_t k = 0; k < sim->m; k++) {
    for (int32_t l = A->begin[k]; l < A->begin[k + 1]; l++) sum[A->column[l]] += fabs(sim->Ax[l] * sim->reactions[k]);
  }
  for (int32_t i = 0; i < sim->n; i++) {
    control->balance[i] = zw_larger(control->balance[i], sum[i]);
    double* most = control->most + control->groups->of[i];
    if (control->mass[i] > 0) *most = zw_larger(*most, sum[i] / sqrt(control->mass[i]));
  }
}

double zw_control_scale(const ZwControl* control, int32_t coordinate) {
  double mass = control->mass[coordinate];
  double most = control->most[control->groups->of[coordinate]];
  return zw_larger(control->balance[coordinate], mass > 0 ? most * sqrt(mass) : 0);
}

/* Of the forces at work, rounding leaves about this; it is no force. */
#define ROUND_OFF 1e-14

static void chop(ZwControl* control, const ZwSim* sim) {
  for (int32_t k = 0; k < control->count; k++) {
    if (fabs(control->force[k]) <= ROUND_OFF * zw_control_scale(control, control->by[k])) control->force[k] = 0;
  }
  for (int32_t i = 0; i < sim->n; i++) {
    if (fabs(control->missing[i]) <= ROUND_OFF * zw_control_scale(control, i)) control->missing[i] = 0;
  }
}

/* ---- all coordinates ---- */

static void give_all(ZwControl* control, const ZwSim* sim) {
  zw_multiply(sim->n, sim->n, sim->M, control->w, control->force);
  zw_fill(sim->n, 0, control->missing);
}

/* ---- named ones ---- */

/* How each actuator alone changes the accelerations: answer_k = G e_k, where G is the inverse of M under the constraints. */
static ZwStatus find_answers(ZwControl* control, ZwSim* sim) {
  for (int32_t k = 0; k < control->count; k++) {
    zw_fill(sim->n, 0, control->unit);
    control->unit[control->by[k]] = 1;
    ZwLeastResult result = {.a = control->answer + (ptrdiff_t)k * sim->n};
    ZW_TRY(zw_least_answer(sim->least, control->unit, control->zero, &result));
  }
  return ZW_OK;
}

/* metric += mu A_i^T A_i / |A_i|^2 for every row that is there. */
static void add_rows(ZwControl* control, const ZwSim* sim, double mu) {
  const ZwPattern* A = &sim->equations->A;
  for (int32_t i = 0; i < sim->m; i++) {
    double square = 0;
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) square += sim->Ax[k] * sim->Ax[k];
    if (!(square > 0) || !zw_rows_is_on(sim, i)) continue;
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
      double* to = control->metric + (ptrdiff_t)A->column[k] * sim->n;
      for (int32_t l = A->begin[i]; l < A->begin[i + 1]; l++) to[A->column[l]] += mu / square * sim->Ax[k] * sim->Ax[l];
    }
  }
}

/* M as its Cholesky factor; where it is not definite, M' = M + A^T W A (T20) with weights so small that forces on coordinates without
 * mass are dear. */
static bool find_metric(ZwControl* control, const ZwSim* sim) {
  ptrdiff_t square = (ptrdiff_t)sim->n * sim->n;
  double mean = zw_norm(sim->n * sim->n, sim->M) / sqrt((double)sim->n), mu = 0;
  for (int attempt = 0; attempt < 5; attempt++) {
    zw_copy(square, sim->M, control->metric);
    if (mu > 0) add_rows(control, sim, mu);
    if (zw_cholesky_factor(sim->n, control->metric) == sim->n) return true;
    mu = mu > 0 ? 1e3 * mu : 1e-3 * (mean > 0 ? mean : 1);
  }
  return false;
}

/* R = B^T M^-1 B, the measure of forces, as its Cholesky factor: a force on one coordinate counts by what it would do there
 * without the others, whatever its unit is. The unit matrix where there is no such measure. */
static void find_measure(ZwControl* control, const ZwSim* sim) {
  int32_t count = control->count;
  bool has_metric = find_metric(control, sim);
  for (int32_t k = 0; has_metric && k < count; k++) {
    zw_fill(sim->n, 0, control->unit);
    control->unit[control->by[k]] = 1;
    zw_cholesky_solve(sim->n, control->metric, control->unit);
    for (int32_t l = 0; l < count; l++) control->R[(ptrdiff_t)l * count + k] = control->unit[control->by[l]];
  }
  if (has_metric && zw_cholesky_factor(count, control->R) == count) return;
  for (ptrdiff_t i = 0; i < (ptrdiff_t)count * count; i++) control->R[i] = i / count == i % count;
}

/* Of all forces u with S u = w along the actuators, as far as they can, the least by R. S in the measure of R has singular values
 * between 0, an actuator that the constraints hold, and 1. */
static ZwStatus solve_forces(ZwControl* control) {
  int32_t count = control->count;
  double *x = control->unit, *u = control->force;
  zw_cholesky_solve_lower_rows(count, control->R, count, control->S); /* S is symmetric: once from each side */
  for (int32_t i = 0; i < count; i++) {
    for (int32_t j = 0; j < i; j++) {
      double kept = control->S[(ptrdiff_t)i * count + j];
      control->S[(ptrdiff_t)i * count + j] = control->S[(ptrdiff_t)j * count + i];
      control->S[(ptrdiff_t)j * count + i] = kept;
    }
  }
  zw_cholesky_solve_lower_rows(count, control->R, count, control->S);
  for (int32_t k = 0; k < count; k++) x[k] = control->w[control->by[k]];
  zw_cholesky_solve_lower(count, control->R, x);
  ZW_TRY(zw_svd(count, count, control->S, control->sigma, control->Ut, control->Vt));
  zw_fill(count, 0, u);
  double least = ZW_TOL_MOBILITY * zw_larger(1, control->sigma[0]);
  for (int32_t k = 0; k < count && control->sigma[k] > least; k++) {
    double part = zw_dot(count, control->Ut + (ptrdiff_t)k * count, x) / control->sigma[k];
    zw_axpy(count, part, control->Vt + (ptrdiff_t)k * count, u);
  }
  zw_cholesky_solve_upper(count, control->R, u);
  return ZW_OK;
}

static ZwStatus give_named(ZwControl* control, ZwSim* sim) {
  int32_t n = sim->n, count = control->count;
  ZW_TRY(find_answers(control, sim));
  for (int32_t k = 0; k < count; k++) {
    const double* answer = control->answer + (ptrdiff_t)k * n;
    for (int32_t l = 0; l < count; l++) control->S[(ptrdiff_t)k * count + l] = answer[control->by[l]];
  }
  find_measure(control, sim);
  ZW_TRY(solve_forces(control));
  /* what is left of w, as a force; and the constraints feel what was given */
  for (int32_t k = 0; k < count; k++) {
    zw_axpy(n, -control->force[k], control->answer + (ptrdiff_t)k * n, control->w);
    zw_axpy(n, control->force[k], control->answer + (ptrdiff_t)k * n, sim->a);
  }
  zw_multiply(n, n, sim->M, control->w, control->missing);
  zw_multiply(n, n, sim->M, sim->a, sim->Qc);
  zw_axpy(n, -1, sim->h, sim->Qc);
  for (int32_t k = 0; k < count; k++) sim->Qc[control->by[k]] -= control->force[k];
  sim->has_lambda = false;
  return ZW_OK;
}

ZwStatus zw_control_solve(ZwControl* control, ZwSim* sim, double t, const double* y, const double* a) {
  int32_t n = sim->n;
  sim->near.has_limit = false; /* that of a singular start */
  sim->near.is_limit = false;
  memmove(sim->y, y, 2 * (size_t)n * sizeof(double));
  ZW_TRY(zw_start_freeze(sim, t));
  ZW_TRY(zw_eval_rate(sim, t, sim->y, sim->k[ZW_DOP853_STAGES + 1]));
  ZW_TRY(zw_eval_factors(sim));
  zw_eval_dense_M(sim);
  for (int32_t i = 0; i < n; i++) control->w[i] = a[i] - sim->a[i];
  if (control->is_full)
    give_all(control, sim);
  else
    ZW_TRY(give_named(control, sim));
  ZW_TRY(zw_reactions(sim));
  note_balance(control, sim, a);
  chop(control, sim);
  return ZW_OK;
}
