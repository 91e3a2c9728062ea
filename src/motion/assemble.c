/* Levenberg-Marquardt without a rank decision. First only what was not typed moves; if that is not enough, guesses move
 * too, then everything, by the least amount in the metric, the free values at a millionth of the weight. */
#include "motion/assemble.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "least/cholesky.h"

#define FREE_WEIGHT 1e-3    /* its square weighs a free value against a typed one, */
#define GUESS_WEIGHT 3e-2   /* and a guess */
#define TOL_ASSEMBLED 1e-13 /* of a row divided by the length of its gradient */
#define RIDGE 1e-12         /* of the trace: keeps redundant rows solvable, above what a factorisation takes for 0 */
#define FLAT 1e9            /* a row that would need so large a move, by its gradient, is flat */

enum { STEPS_MAX = 200, NEAREST_MAX = 100, RESTARTS = 8 };

/* ---- the metric ---- */

static void diagonal_metric(ZwAssembly* a) {
  memset(a->G, 0, (size_t)a->n * (size_t)a->n * sizeof(double));
  for (int32_t i = 0; i < a->n; i++) {
    double mass = a->M[(ptrdiff_t)i * a->n + i];
    a->G[(ptrdiff_t)i * a->n + i] = sqrt(mass > 0 ? mass : 1);
  }
}

static double weight_of(const ZwAssembly* a, int32_t i) {
  return a->hold[i] == 2 ? 1 : a->hold[i] == 1 ? GUESS_WEIGHT : FREE_WEIGHT;
}

/* G = D M D with the weights on the diagonal of D, as a Cholesky factor. */
static void weighted_metric(ZwAssembly* a) {
  ptrdiff_t n = a->n;
  for (int32_t i = 0; i < a->n; i++) {
    for (int32_t j = 0; j < a->n; j++) {
      a->G[i * n + j] = weight_of(a, i) * weight_of(a, j) * a->M[i * n + j];
    }
    if (!(a->G[i * n + i] > 0)) a->G[i * n + i] = weight_of(a, i) * weight_of(a, i);
  }
  if (zw_cholesky_factor(a->n, a->G) == a->n) return;
  diagonal_metric(a); /* M is not definite: its diagonal has to do */
  for (int32_t i = 0; i < a->n; i++) a->G[i * n + i] *= weight_of(a, i);
}

/* ---- one linear solve ---- */

/* Length of each row's gradient in the metric, with a floor, so that rows count alike. */
static double row_length(const ZwAssembly* a, int32_t i) {
  double sum = 0;
  for (int32_t j = 0; j < a->n; j++) sum += a->J[(ptrdiff_t)i * a->n + j] * a->J[(ptrdiff_t)i * a->n + j];
  return sqrt(sum);
}

static void scale_rows(const ZwAssembly* a, double* r, const double* lengths) {
  for (int32_t i = 0; i < a->m; i++) {
    r[i] /= lengths[i];
    for (int32_t j = 0; j < a->n; j++) a->J[(ptrdiff_t)i * a->n + j] /= lengths[i];
  }
}

/* dx = -G^-1 J^T (J G^-1 J^T + mu I)^-1 r, with the fixed columns of J taken out */
static bool solve(ZwAssembly* a, const bool* is_fixed, const double* r, double mu, double* dx) {
  ptrdiff_t n = a->n, m = a->m;
  for (int32_t i = 0; i < a->m; i++) { /* Y = L \ J^T, row by row */
    for (int32_t j = 0; j < a->n; j++) a->Y[i * n + j] = is_fixed && is_fixed[j] ? 0 : a->J[i * n + j];
    zw_cholesky_solve_lower(a->n, a->G, a->Y + i * n);
  }
  double trace = 0;
  for (int32_t i = 0; i < a->m; i++) {
    for (int32_t k = 0; k <= i; k++) {
      double sum = 0;
      for (int32_t j = 0; j < a->n; j++) sum += a->Y[i * n + j] * a->Y[k * n + j];
      a->S[i * m + k] = a->S[k * m + i] = sum;
    }
    trace += a->S[i * m + i];
  }
  double ridge = mu * trace / (double)m + RIDGE * trace + DBL_MIN;
  for (int32_t i = 0; i < a->m; i++) a->S[i * m + i] += ridge;
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
  for (int32_t j = 0; j < a->n && is_fixed; j++) {
    if (is_fixed[j]) dx[j] = 0;
  }
  return true;
}

/* ---- Levenberg-Marquardt ---- */

static double norm2(const double* r, int32_t m) {
  double sum = 0;
  for (int32_t i = 0; i < m; i++) sum += r[i] * r[i];
  return sum;
}

/* All rows within tolerance or round-off of zero; r and J are not scaled yet. */
static bool is_solved(const ZwAssembly* a, const double* r, const double* x, const double* lengths) {
  for (int32_t i = 0; i < a->m; i++) {
    double size = 0;
    for (int32_t j = 0; j < a->n; j++) size += fabs(a->J[(ptrdiff_t)i * a->n + j] * x[j]);
    if (!(fabs(r[i]) <= TOL_ASSEMBLED * lengths[i] + 8 * DBL_EPSILON * size)) return false;
  }
  return true;
}

/* A last undamped step, kept if it is one forward. */
static void polish(ZwAssembly* a, const bool* is_fixed, const double* lengths, double* x, double before) {
  double *trial = a->work + a->n, *dx = a->work + 2 * a->n;
  if (before == 0 || !solve(a, is_fixed, a->r, 0, dx)) return;
  for (int32_t j = 0; j < a->n; j++) trial[j] = x[j] + dx[j];
  if (!a->eval(a->context, trial, a->r, a->J)) return;
  for (int32_t k = 0; k < a->m; k++) a->r[k] /= lengths[k];
  if (norm2(a->r, a->m) < before) memcpy(x, trial, (size_t)a->n * sizeof(double));
}

/* Moves x until all rows hold. False: no progress; x is then the best point found and a->r its residuals. */
static bool levenberg(ZwAssembly* a, const bool* is_fixed, const double* lengths, double* x) {
  double* trial = a->work + a->n;
  double* dx = a->work + 2 * a->n;
  double damping = 1;
  for (int i = 0; i < STEPS_MAX; i++) {
    if (!a->eval(a->context, x, a->r, a->J)) return false;
    bool is_last = is_solved(a, a->r, x, lengths); /* one more step after the test is passed */
    scale_rows(a, a->r, lengths);
    double before = norm2(a->r, a->m);
    if (is_last) {
      polish(a, is_fixed, lengths, x, before);
      return true;
    }
    bool is_better = false;
    while (!is_better && damping < 1e16) {
      if (!solve(a, is_fixed, a->r, damping * fmin(1, before), dx)) return false;
      for (int32_t j = 0; j < a->n; j++) trial[j] = x[j] + dx[j];
      double* r = a->r; /* is evaluated again at the trial; J too, the next round needs it there */
      is_better = a->eval(a->context, trial, r, a->J);
      for (int32_t k = 0; k < a->m; k++) r[k] /= lengths[k];
      is_better = is_better && norm2(r, a->m) < before * (1 - 1e-12);
      if (!is_better) {
        damping *= 10;
        if (!a->eval(a->context, x, a->r, a->J)) return false;
        scale_rows(a, a->r, lengths);
      }
    }
    if (!is_better) return false;
    damping = fmax(damping / 10, 1e-12); /* free and typed values weigh 1 to 1e6 */
    memcpy(x, trial, (size_t)a->n * sizeof(double));
  }
  return false;
}

/* The step from x, which satisfies the rows, to the point of their tangent plane nearest to the user's values; its size,
 * or a negative number when there is none. */
static double tangent_step(ZwAssembly* a, const bool* is_fixed, const double* lengths, const double* typed,
                           const double* x, double* step) {
  if (!a->eval(a->context, x, a->r, a->J)) return -1;
  scale_rows(a, a->r, lengths);
  for (int32_t k = 0; k < a->m; k++) { /* r + J (typed - x) */
    for (int32_t j = 0; j < a->n; j++) a->r[k] += a->J[(ptrdiff_t)k * a->n + j] * (typed[j] - x[j]);
  }
  if (!solve(a, is_fixed, a->r, 0, step)) return -1;
  double size = 0;
  for (int32_t j = 0; j < a->n; j++) {
    step[j] += typed[j] - x[j];
    size = fmax(size, fabs(step[j]) / (1 + fabs(x[j])));
  }
  return size;
}

/* From a point that satisfies the rows to the one nearest to the user's values: along the tangent step, back onto the
 * rows, and a smaller part of it where that leads away (beyond the radius of curvature). */
static void approach(ZwAssembly* a, const bool* is_fixed, const double* lengths, const double* typed, double* x) {
  double *best = a->work, *step = a->work + 3 * a->n, *next = a->work + 4 * a->n;
  double part = 1, size = tangent_step(a, is_fixed, lengths, typed, x, step);
  memcpy(best, x, (size_t)a->n * sizeof(double));
  for (int i = 0; i < NEAREST_MAX && part > 1e-6 && size > 1e-13; i++) {
    for (int32_t j = 0; j < a->n; j++) x[j] = best[j] + part * step[j];
    double found = levenberg(a, is_fixed, lengths, x) ? tangent_step(a, is_fixed, lengths, typed, x, next) : -1;
    if (found < 0 || found >= size) {
      part /= 2;
      continue;
    }
    size = found;
    memcpy(best, x, (size_t)a->n * sizeof(double));
    memcpy(step, next, (size_t)a->n * sizeof(double));
  }
  memcpy(x, best, (size_t)a->n * sizeof(double));
}

/* ---- the phases ---- */

/* The same draws every time. */
static double draw(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static void guess(const ZwAssembly* a, const double* typed, int attempt, uint64_t* state, double* x) {
  for (int32_t j = 0; j < a->n; j++) {
    double width = 0.25 * (attempt + 1) * (1 + fabs(typed[j]));
    double shift = width * (attempt == 0 ? draw(state) : 2 * draw(state) - 1);
    x[j] = typed[j] + (a->hold[j] > 0 ? 0 : shift);
  }
}

/* Moves what holds less firmly than `firm`. Where that gets stuck (free values without influence to first order: x^2 = 1
 * at x = 0) other guesses of the free values may tell. */
static bool move_below(ZwAssembly* a, int32_t firm, const double* lengths, const double* typed, double* x,
                       uint64_t* state) {
  bool has_free = false, has_guess = false;
  for (int32_t i = 0; i < a->n; i++) {
    a->is_fixed[i] = a->hold[i] >= firm;
    has_free = has_free || a->hold[i] == 0;
    has_guess = has_guess || (a->hold[i] > 0 && !a->is_fixed[i]);
  }
  if (!has_free && !has_guess) return false;
  for (int attempt = -1; attempt < (has_free ? RESTARTS : 0); attempt++) {
    if (attempt < 0)
      memcpy(x, typed, (size_t)a->n * sizeof(double));
    else
      guess(a, typed, attempt, state, x);
    weighted_metric(a);
    if (firm == 1) diagonal_metric(a);
    if (!levenberg(a, a->is_fixed, lengths, x)) continue;
    if (firm > 1) { /* the way to the nearest point may lead nowhere: then this one has to do */
      memcpy(a->work, x, (size_t)a->n * sizeof(double));
      approach(a, a->is_fixed, lengths, typed, x);
      if (!levenberg(a, a->is_fixed, lengths, x)) memcpy(x, a->work, (size_t)a->n * sizeof(double));
    }
    a->has_searched = attempt >= 0;
    return true;
  }
  return false;
}

ZwAssembled zw_assemble(ZwAssembly* a, int32_t* row) {
  a->has_searched = false;
  if (a->m == 0) return ZW_ASSEMBLED;
  double* typed = a->typed;
  double* lengths = a->lengths;
  memcpy(typed, a->x, (size_t)a->n * sizeof(double));
  if (!a->eval(a->context, a->x, a->r, a->J)) return ZW_ASSEMBLY_NOT_FINITE;
  double largest = 0, size = 1;
  for (int32_t i = 0; i < a->n; i++) size = fmax(size, fabs(a->x[i]));
  for (int32_t i = 0; i < a->m; i++) {
    lengths[i] = row_length(a, i);
    largest = fmax(largest, lengths[i]);
  }
  for (int32_t i = 0; i < a->m; i++) {
    if (a->r[i] != 0 && lengths[i] * FLAT * size < fabs(a->r[i])) {
      *row = i;
      return ZW_ASSEMBLY_FLAT;
    }
    if (lengths[i] == 0) lengths[i] = largest > 0 ? largest : 1; /* it holds, and says nothing */
  }
  if (is_solved(a, a->r, a->x, lengths)) return ZW_ASSEMBLED;
  uint64_t state = 1829;
  for (int32_t firm = 1; firm <= 3; firm++) {
    if (move_below(a, firm, lengths, typed, a->x, &state)) return ZW_ASSEMBLED;
  }
  /* the least-squares point from the user's own values names the rows in conflict */
  memcpy(a->x, typed, (size_t)a->n * sizeof(double));
  weighted_metric(a);
  (void)levenberg(a, NULL, lengths, a->x);
  if (!a->eval(a->context, a->x, a->r, a->J)) return ZW_ASSEMBLY_NOT_FINITE;
  return ZW_ASSEMBLY_CONFLICT;
}
