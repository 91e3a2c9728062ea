/* Columns of sensitivities along a step of an implicit integrator: Radau's collocation of order 5 on their linear equations
 *
 *   A_i = a_q Q_i + a_v V_i + a_p,   V_i = v + h sum_j a_ij A_j,   Q_i = q + h sum_j a_ij V_j      at three places of a step,
 *
 * solved exactly, for the accelerations A_i. Two halves of a step are compared with the whole, which tells the error. */
#include <math.h>

#include "least/dense.h"
#include "least/lu.h"
#include "motion/collocation.h"
#include "motion/sensitivity.h"

struct ZwStiffColumns {
  double *by_q[ZW_COLLOCATION], *by_v[ZW_COLLOCATION]; /* n x n: derivatives of the accelerations */
  double* by_p[ZW_COLLOCATION];                        /* count x n */
  double *K, *A;                                       /* 3 n x 3 n; 3 n */
  int32_t* swap;
  double *whole, *half; /* count x 2 n */
};

static ZwStatus make_room(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ptrdiff_t n = sim->n, count = sensitivity->count;
  if (sensitivity->stiff) return ZW_OK;
  ZwArena* arena = &sensitivity->arena;
  ZwStiffColumns* stiff = ZW_NEW(arena, 1, ZwStiffColumns);
  if (!stiff) return ZW_ERR_MEMORY;
  for (int i = 0; i < ZW_COLLOCATION; i++) {
    stiff->by_q[i] = ZW_NEW(arena, n * n, double);
    stiff->by_v[i] = ZW_NEW(arena, n * n, double);
    stiff->by_p[i] = ZW_NEW(arena, n * count, double);
  }
  stiff->K = ZW_NEW(arena, ZW_COLLOCATION * n * ZW_COLLOCATION * n, double);
  stiff->A = ZW_NEW(arena, ZW_COLLOCATION * n, double);
  stiff->swap = ZW_NEW(arena, ZW_COLLOCATION * n, int32_t);
  stiff->whole = ZW_NEW(arena, sensitivity->size, double);
  stiff->half = ZW_NEW(arena, sensitivity->size, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  sensitivity->stiff = stiff;
  return ZW_OK;
}

/* ---- one collocation ---- */

static ZwStatus derive_by_state(ZwSim* sim, bool is_by_v, double* to) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwVariation* variation = &sensitivity->variation;
  double* unit = sensitivity->y; /* a state that nobody needs now */
  ptrdiff_t n = sim->n;
  zw_fill(n, 0, unit);
  for (ptrdiff_t j = 0; j < n; j++) {
    unit[j] = 1;
    ZwDirection direction = {.dq = is_by_v ? variation->zero : unit,
                             .dv = is_by_v ? unit : variation->zero,
                             .dconstants = sensitivity->still};
    ZW_TRY(zw_variation_solve(sim, variation, &direction));
    for (ptrdiff_t i = 0; i < n; i++) to[i * n + j] = variation->da[i];
    unit[j] = 0;
  }
  return ZW_OK;
}

/* All derivatives at the places of a step from x of the path on. */
static ZwStatus derive(ZwSim* sim, double x, double part) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwVariation* variation = &sensitivity->variation;
  const ZwPath* path = &sensitivity->path;
  for (int i = 0; i < ZW_COLLOCATION; i++) {
    double at = x + zw_collocation_c[i] * part;
    ZW_TRY(zw_path_vary(sim, variation, path, at));
    ZW_TRY(derive_by_state(sim, false, sensitivity->stiff->by_q[i]));
    ZW_TRY(derive_by_state(sim, true, sensitivity->stiff->by_v[i]));
    for (int32_t k = 0; k < sensitivity->count; k++) {
      ZwDirection direction = zw_sensitivity_direction(sensitivity, k, sensitivity->now);
      direction.dq = direction.dv = variation->zero;
      ZW_TRY(zw_variation_solve(sim, variation, &direction));
      zw_copy(sim->n, variation->da, sensitivity->stiff->by_p[i] + (ptrdiff_t)k * sim->n);
    }
  }
  return ZW_OK;
}

static bool factor(ZwSim* sim, double h) {
  ZwStiffColumns* stiff = sim->sensitivity->stiff;
  ptrdiff_t n = sim->n, size = ZW_COLLOCATION * n;
  for (int i = 0; i < ZW_COLLOCATION; i++) {
    for (int j = 0; j < ZW_COLLOCATION; j++) {
      double by_v = h * zw_collocation_a[i][j], by_q = h * h * zw_collocation_square(i, j);
      for (ptrdiff_t k = 0; k < n * n; k++) {
        ptrdiff_t row = k / n, column = k % n;
        stiff->K[(i * n + row) * size + j * n + column] =
            (i == j && row == column) - by_v * stiff->by_v[i][k] - by_q * stiff->by_q[i][k];
      }
    }
  }
  return zw_lu_factor((int32_t)size, stiff->K, stiff->swap) > 0;
}

/* One column from (q, v) to the end of the step. */
static void move_column(ZwSim* sim, double h, int32_t column, const double* from, double* to) {
  const ZwStiffColumns* stiff = sim->sensitivity->stiff;
  int32_t n = sim->n;
  const double *q = from, *v = from + n;
  double *A = stiff->A, *ahead = to; /* q + c h v */
  for (int i = 0; i < ZW_COLLOCATION; i++) {
    for (int32_t k = 0; k < n; k++) ahead[k] = q[k] + h * zw_collocation_c[i] * v[k];
    for (int32_t k = 0; k < n; k++) {
      ptrdiff_t row = (ptrdiff_t)k * n;
      A[i * n + k] = zw_dot(n, stiff->by_q[i] + row, ahead) + zw_dot(n, stiff->by_v[i] + row, v) +
                     stiff->by_p[i][(ptrdiff_t)column * n + k];
    }
  }
  zw_lu_solve(ZW_COLLOCATION * n, stiff->K, stiff->swap, A);
  for (int32_t k = 0; k < n; k++) {
    double dq = q[k] + h * v[k], dv = v[k];
    for (int j = 0; j < ZW_COLLOCATION; j++) {
      dq += h * h * zw_collocation_square(ZW_COLLOCATION - 1, j) * A[j * n + k];
      dv += h * zw_collocation_a[ZW_COLLOCATION - 1][j] * A[j * n + k];
    }
    to[k] = dq;
    to[n + k] = dv;
  }
}

static ZwStatus collocate(ZwSim* sim, double x, double part, const double* from, double* to) {
  const ZwSensitivity* sensitivity = sim->sensitivity;
  double h = part * sensitivity->path.h;
  ZW_TRY(derive(sim, x, part));
  if (!factor(sim, h)) return ZW_ERR_STEP;
  for (int32_t k = 0; k < sensitivity->count; k++) {
    ptrdiff_t at = (ptrdiff_t)k * 2 * sim->n;
    move_column(sim, h, k, from + at, to + at);
  }
  return ZW_OK;
}

/* ---- steps ---- */

/* What the halves and the whole differ by, of the worst column; positions and velocities each count by their largest number. */
static double compare(const ZwSensitivity* sensitivity) {
  const ZwStiffColumns* stiff = sensitivity->stiff;
  int32_t n = sensitivity->n;
  double worst = 0;
  for (ptrdiff_t k = 0; k < 2 * (ptrdiff_t)sensitivity->count; k++) {
    double off = 0, size = fmax(zw_max_abs(n, sensitivity->now + k * n), zw_max_abs(n, sensitivity->before + k * n));
    for (int32_t i = 0; i < n; i++) off = fmax(off, fabs(sensitivity->now[k * n + i] - stiff->whole[k * n + i]));
    worst = fmax(worst, off / (size + sensitivity->least[k / 2]));
    if (!isfinite(off)) return INFINITY;
  }
  return worst / ((1 << ZW_COLLOCATION_ORDER) - 1);
}

static ZwStatus try_step(ZwSim* sim, double part, double* error) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  double x = sensitivity->x_before;
  ZW_TRY(collocate(sim, x, part, sensitivity->before, sensitivity->stiff->whole));
  ZW_TRY(collocate(sim, x, part / 2, sensitivity->before, sensitivity->stiff->half));
  ZW_TRY(collocate(sim, x + part / 2, part / 2, sensitivity->stiff->half, sensitivity->now));
  *error = compare(sensitivity) / sim->tolerance;
  return ZW_OK;
}

ZwStatus zw_sensitivity_step_stiff(ZwSim* sim, double until) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZW_TRY(make_room(sim));
  double *kept = sensitivity->before, rest = until - sensitivity->x, part = rest, error;
  bool is_found = false;
  sensitivity->before = sensitivity->now;
  sensitivity->now = kept;
  sensitivity->x_before = sensitivity->x;
  while (!is_found) {
    part = zw_path_part(sensitivity->part, rest, NAN);
    ZW_TRY(try_step(sim, part, &error));
    ZW_TRY(zw_path_judge(part, error, ZW_COLLOCATION_ORDER, &is_found, &sensitivity->part));
  }
  sensitivity->x = part == rest ? until : sensitivity->x_before + part;
  const ZwPath* path = &sensitivity->path;
  zw_path_state(path, sensitivity->x, sensitivity->y);
  ZW_TRY(zw_sensitivity_project(sim, path->t + sensitivity->x * path->h, sensitivity->y, sensitivity->now));
  sensitivity->has_rate = sensitivity->has_dense = false;
  sensitivity->steps++;
  return ZW_OK;
}
