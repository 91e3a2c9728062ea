/* How far rows of results are off the constraints: phi and phi' from the user's expressions in extended precision, derivatives
 * by differences, nothing of the kernels that made the rows. */
#ifndef ZW_TEST_RESIDUALS_H
#define ZW_TEST_RESIDUALS_H

#include "../cross/precise.h"
#include "../cross/stages.h"
#include "trajectory.h"

typedef struct Residuals {
  int32_t constraints, rows;
  double phi, phidot; /* the largest, in units of |dphi/dq| max(1, |q|) */
} Residuals;

static inline double length_of(int32_t n, const long double* x) {
  long double sum = 0;
  for (int32_t i = 0; i < n; i++) sum += x[i] * x[i];
  return (double)sqrtl(sum);
}

/* |de/dq|, or |de/dv|; a scale needs few digits */
static inline double slope_of(Precise* precise, ZwExpr e, Point* at, int32_t n, bool is_by_velocity) {
  long double slopes[PRECISE_MAX], step = 0x1p-20L;
  for (int32_t i = 0; i < n; i++) {
    long double *x = is_by_velocity ? &at->v[i] : &at->q[i], kept = *x;
    *x = kept + step;
    slopes[i] = precise_eval(precise, e, at);
    *x = kept - step;
    slopes[i] = (slopes[i] - precise_eval(precise, e, at)) / (2 * step);
    *x = kept;
  }
  return length_of(n, slopes);
}

/* The total rate of a function of positions and time: along the motion, by a direction of length one. */
static inline double rate_of(Precise* precise, ZwExpr e, const Point* at, int32_t n) {
  double speed = fmax(1, length_of(n, at->v));
  Point along = {.t = 1 / (long double)speed};
  for (int32_t i = 0; i < n; i++) along.q[i] = at->v[i] / speed;
  return speed * (double)precise_first(precise, e, at, &along);
}

static inline void measure_row(const Stages* stages, Precise* precise, Point* at, Residuals* worst) {
  int32_t n = stages->system.coords.count;
  double size = fmax(1, length_of(n, at->q));
  for (int32_t i = 0; i < stages->system.terms.count; i++) {
    const ZwTerm* term = &stages->system.terms.items[i];
    if (term->kind != ZW_TERM_CONSTRAINT) continue;
    assert_true(term->level <= ZW_LEVEL_VELOCITY && term->gate == 0);
    double value = (double)precise_eval(precise, term->value, at);
    double scale = size * slope_of(precise, term->value, at, n, term->level == ZW_LEVEL_VELOCITY);
    double rate = term->level == ZW_LEVEL_POSITION ? rate_of(precise, term->value, at, n) : value;
    if (term->level == ZW_LEVEL_POSITION) worst->phi = fmax(worst->phi, fabs(value) / scale);
    worst->phidot = fmax(worst->phidot, fabs(rate) / scale);
    assert_true(isfinite(value) && isfinite(rate) && scale > 0);
  }
}

/* Over all rows of a trajectory of this text. */
static inline Residuals measure_residuals(const char* name, const char* text, const Trajectory* trajectory) {
  Stages stages;
  open_stages(&stages, name, text);
  Residuals worst = {stages.system.row_count, trajectory->rows, 0, 0};
  Precise precise;
  precise_init(&precise, &stages.system.graph, &stages.arena);
  precise.tables = &stages.system.tables;
  Point* at = calloc(1, sizeof *at);
  assert_non_null(at);
  assert_true(stages.system.params.count <= PRECISE_PARAMS && trajectory->n <= PRECISE_MAX);
  for (int32_t i = 0; i < stages.system.params.count; i++) at->p[i] = stages.sim->values[i];
  for (int32_t r = 0; r < trajectory->rows; r++) {
    const double* row = row_of(trajectory, r);
    at->t = row[0];
    for (int32_t i = 0; i < trajectory->n; i++) {
      at->q[i] = row[1 + i];
      at->v[i] = row[1 + trajectory->n + i];
    }
    measure_row(&stages, &precise, at, &worst);
  }
  free(at);
  close_stages(&stages);
  return worst;
}

#endif
