/* Levenberg-Marquardt without a rank decision: onto the rows, by steps that are small in the metric. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/cholesky.h"
#include "least/dense.h"
#include "motion/assemble.h"

#define TOL_ASSEMBLED 1e-13 /* of what a row changes by where each value moves by its size */
#define VANISHING 1e-3      /* ... but not less than this part of what it is at the user's values */
#define RIDGE 1e-12         /* of a row: keeps redundant ones solvable, above what a factorisation takes for 0 */

enum { STEPS_MAX = 200 };

/* ---- one linear solve ---- */

static void scale_rows(const ZwAssembly* a, double* r) {
  for (int32_t i = 0; i < a->m; i++) {
    r[i] /= a->lengths[i];
    for (int32_t j = 0; j < a->n; j++) a->J[(ptrdiff_t)i * a->n + j] /= a->lengths[i];
  }
}

/* Y = L \ J^T, row by row; what of L is empty, and before the first entry of a row, is left out */
static void find_Y(ZwAssembly* a) {
  ptrdiff_t n = a->n;
  for (ptrdiff_t k = 0; k < a->m * n; k++) a->Y[k] = a->is_fixed[k % n] ? 0 : a->J[k];
  for (int32_t i = 0; i < a->n; i++) {
    const double* row = a->G + i * n;
    int32_t first = zw_cholesky_begin(i, row);
    for (int32_t k = 0; k < a->m; k++) {
      double* y = a->Y + k * n;
      y[i] = (y[i] - zw_dot(i - first, row + first, y + first)) / row[i];
    }
  }
}

/* S = Y Y^T; its trace. A row reads few coordinates. */
static double find_S(ZwAssembly* a) {
  ptrdiff_t n = a->n, m = a->m;
  double trace = 0;
  for (ptrdiff_t i = 0; i < m; i++) {
    double* S = a->S + i * m;
    for (ptrdiff_t k = 0; k <= i; k++) S[k] = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
      double y = a->Y[i * n + j];
      for (ptrdiff_t k = 0; k <= i && y != 0; k++) S[k] += y * a->Y[k * n + j];
    }
    for (ptrdiff_t k = 0; k < i; k++) a->S[k * m + i] = S[k];
    trace += S[i];
  }
  return trace;
}

/* dx = -G^-1 J^T (J G^-1 J^T + mu I)^-1 r, with the fixed columns of J taken out */
static bool solve(ZwAssembly* a, const double* r, double mu, double* dx) {
  ptrdiff_t n = a->n, m = a->m;
  find_Y(a);
  double trace = find_S(a);
  double damping = mu * trace / (double)m + DBL_MIN;
  for (int32_t i = 0; i < a->m; i++) {
    double own = a->S[i * m + i];
    a->S[i * m + i] += damping + RIDGE * (own > 0 ? (double)m * own : trace);
  }
  if (zw_cholesky_factor(a->m, a->S) != a->m) return false;
  double* y = a->r + m;
  for (int32_t i = 0; i < a->m; i++) y[i] = -r[i];
  zw_cholesky_solve_lower(a->m, a->S, y);
  zw_cholesky_solve_upper(a->m, a->S, y);
  memset(dx, 0, (size_t)n * sizeof(double));
  for (int32_t i = 0; i < a->m; i++) {
    for (int32_t j = 0; j < a->n; j++) dx[j] += a->Y[i * n + j] * y[i];
  }
  zw_cholesky_solve_upper(a->n, a->G, dx);
  for (int32_t j = 0; j < a->n; j++) {
    if (a->is_fixed[j]) dx[j] = 0;
  }
  return true;
}

/* ---- steps ---- */

static double norm2(const double* r, int32_t m) {
  double sum = 0;
  for (int32_t i = 0; i < m; i++) sum += r[i] * r[i];
  return sum;
}

/* The length of a gradient is that at x, since the one at the user's values may be out of all proportion, but not less than
 * a part of it: a gradient may vanish where its row holds. */
bool zw_assembly_is_solved(const ZwAssembly* a, const double* x) {
  for (int32_t i = 0; i < a->m; i++) {
    const double* row = a->J + (ptrdiff_t)i * a->n;
    double size = 0, square = 0;
    for (int32_t j = 0; j < a->n; j++) {
      size += fabs(row[j] * x[j]);
      square += row[j] * a->size[j] * row[j] * a->size[j];
    }
    double length = fmin(fmax(sqrt(square), VANISHING * a->lengths[i]), a->lengths[i]);
    if (!(fabs(a->r[i]) <= TOL_ASSEMBLED * length + 8 * DBL_EPSILON * size)) return false;
  }
  return true;
}

/* A last undamped step, kept if it is one forward. */
static void polish(ZwAssembly* a, double* x, double before) {
  double *trial = a->work + a->n, *dx = a->work + 2 * (ptrdiff_t)a->n;
  if (before == 0 || !solve(a, a->r, 0, dx)) return;
  for (int32_t j = 0; j < a->n; j++) trial[j] = x[j] + dx[j];
  if (!a->eval(a->context, trial, a->r, a->J)) return;
  for (int32_t k = 0; k < a->m; k++) a->r[k] /= a->lengths[k];
  if (norm2(a->r, a->m) < before) memcpy(x, trial, (size_t)a->n * sizeof(double));
}

bool zw_assembly_levenberg(ZwAssembly* a, double* x) {
  double *trial = a->work + a->n, *dx = a->work + 2 * (ptrdiff_t)a->n;
  double damping = 1;
  for (int i = 0; i < STEPS_MAX; i++) {
    if (!a->eval(a->context, x, a->r, a->J)) return false;
    bool is_last = zw_assembly_is_solved(a, x); /* one more step after the test is passed */
    scale_rows(a, a->r);
    double before = norm2(a->r, a->m);
    if (is_last) {
      polish(a, x, before);
      return true;
    }
    bool is_better = false;
    while (!is_better && damping < 1e16) {
      if (!solve(a, a->r, damping * fmin(1, before), dx)) return false;
      for (int32_t j = 0; j < a->n; j++) trial[j] = x[j] + dx[j];
      double* r = a->r; /* is evaluated again at the trial; J too, the next round needs it there */
      is_better = a->eval(a->context, trial, r, a->J);
      for (int32_t k = 0; k < a->m; k++) r[k] /= a->lengths[k];
      is_better = is_better && norm2(r, a->m) < before * (1 - 1e-12);
      if (!is_better) {
        damping *= 10;
        if (!a->eval(a->context, x, a->r, a->J)) return false;
        scale_rows(a, a->r);
      }
    }
    if (!is_better) return false;
    damping = fmax(damping / 10, 1e-12); /* free and typed values weigh 1 to 1e6 */
    memcpy(x, trial, (size_t)a->n * sizeof(double));
  }
  return false;
}
