/* Levenberg-Marquardt without a rank decision (NUMERICS 2). First only what was not typed moves; if that is not enough,
 * everything moves by the least amount in the metric, the free values at a millionth of the weight. */
#include "motion/assemble.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "least/cholesky.h"

#define FREE_WEIGHT 1e-3     /* its square weighs a free value against a typed one */
#define TOL_ASSEMBLED 1e-13  /* of a row divided by the length of its gradient */
#define RIDGE 1e-12          /* of the trace: keeps redundant rows solvable, above what a factorisation takes for 0 */
#define FLAT 1e-9            /* a gradient this small, against the largest row, vanishes */

enum { STEPS_MAX = 200, NEAREST_MAX = 20, RESTARTS = 8 };

/* ---- the metric ---- */

static void diagonal_metric(ZwAssembly* a) {
  memset(a->G, 0, (size_t)a->n * (size_t)a->n * sizeof(double));
  for (int32_t i = 0; i < a->n; i++) {
    double mass = a->M[(ptrdiff_t)i * a->n + i];
    a->G[(ptrdiff_t)i * a->n + i] = sqrt(mass > 0 ? mass : 1);
  }
}

/* G = D M D, D = 1 for typed and FREE_WEIGHT for free values, as a Cholesky factor. */
static void weighted_metric(ZwAssembly* a) {
  ptrdiff_t n = a->n;
  for (int32_t i = 0; i < a->n; i++) {
    for (int32_t j = 0; j < a->n; j++) {
      double weight = (a->is_held[i] ? 1 : FREE_WEIGHT) * (a->is_held[j] ? 1 : FREE_WEIGHT);
      a->G[i * n + j] = weight * a->M[i * n + j];
    }
    if (!(a->G[i * n + i] > 0)) a->G[i * n + i] = a->is_held[i] ? 1 : FREE_WEIGHT * FREE_WEIGHT;
  }
  if (zw_cholesky_factor(a->n, a->G) == a->n) return;
  diagonal_metric(a); /* M is not definite: its diagonal has to do */
  for (int32_t i = 0; i < a->n; i++) a->G[i * n + i] *= a->is_held[i] ? 1 : FREE_WEIGHT;
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

/* Moves x until all rows hold. False: no progress; x is then the best point found and a->r its residuals. */
static bool levenberg(ZwAssembly* a, const bool* is_fixed, const double* lengths, double* x) {
  double* trial = a->work + a->n;
  double* dx = a->work + 2 * a->n;
  double damping = 1;
  for (int i = 0; i < STEPS_MAX; i++) {
    if (!a->eval(a->context, x, a->r, a->J)) return false;
    if (is_solved(a, a->r, x, lengths)) return true;
    scale_rows(a, a->r, lengths);
    double before = norm2(a->r, a->m);
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

/* From a point that satisfies the rows to the one nearest to the user's values: the tangent plane's nearest point,
 * again and again. */
static void approach(ZwAssembly* a, const double* lengths, const double* typed, double* x) {
  double* dx = a->work + 2 * a->n;
  for (int i = 0; i < NEAREST_MAX; i++) {
    if (!a->eval(a->context, x, a->r, a->J)) return;
    scale_rows(a, a->r, lengths);
    for (int32_t k = 0; k < a->m; k++) { /* r + J (typed - x) */
      for (int32_t j = 0; j < a->n; j++) a->r[k] += a->J[(ptrdiff_t)k * a->n + j] * (typed[j] - x[j]);
    }
    if (!solve(a, NULL, a->r, 0, dx)) return;
    double change = 0;
    for (int32_t j = 0; j < a->n; j++) {
      double next = typed[j] + dx[j];
      change = fmax(change, fabs(next - x[j]) / (1 + fabs(x[j])));
      x[j] = next;
    }
    if (change < 1e-12) return;
  }
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
    x[j] = a->is_held[j] ? typed[j] : typed[j] + width * (attempt == 0 ? draw(state) : 2 * draw(state) - 1);
  }
}

static bool move_free(ZwAssembly* a, const double* lengths, const double* typed, double* x, uint64_t* state) {
  diagonal_metric(a);
  memcpy(x, typed, (size_t)a->n * sizeof(double));
  if (levenberg(a, a->is_held, lengths, x)) return true;
  /* stuck: where the free values have no influence to first order (x^2 = 1 at x = 0), another guess may tell */
  for (int attempt = 0; attempt < RESTARTS; attempt++) {
    guess(a, typed, attempt, state, x);
    if (!levenberg(a, a->is_held, lengths, x)) continue;
    a->has_searched = true;
    return true;
  }
  return false;
}

static bool move_all(ZwAssembly* a, const double* lengths, const double* typed, double* x, uint64_t* state) {
  for (int attempt = -1; attempt < RESTARTS; attempt++) {
    if (attempt < 0) memcpy(x, typed, (size_t)a->n * sizeof(double));
    else guess(a, typed, attempt, state, x);
    weighted_metric(a);
    if (!levenberg(a, NULL, lengths, x)) continue;
    approach(a, lengths, typed, x);
    if (!levenberg(a, NULL, lengths, x)) continue;
    a->has_moved_held = true;
    a->has_searched = attempt >= 0;
    return true;
  }
  return false;
}

ZwAssembled zw_assemble(ZwAssembly* a, int32_t* row) {
  a->has_moved_held = a->has_searched = false;
  if (a->m == 0) return ZW_ASSEMBLED;
  double* typed = a->typed;
  double* lengths = a->lengths;
  memcpy(typed, a->x, (size_t)a->n * sizeof(double));
  if (!a->eval(a->context, a->x, a->r, a->J)) return ZW_ASSEMBLY_NOT_FINITE;
  double largest = 0;
  for (int32_t i = 0; i < a->m; i++) {
    lengths[i] = row_length(a, i);
    largest = fmax(largest, lengths[i]);
  }
  for (int32_t i = 0; i < a->m; i++) {
    if (lengths[i] <= FLAT * largest || lengths[i] == 0) {
      if (fabs(a->r[i]) > TOL_ASSEMBLED) {
        *row = i;
        return ZW_ASSEMBLY_FLAT;
      }
      lengths[i] = largest > 0 ? largest : 1;
    }
  }
  if (is_solved(a, a->r, a->x, lengths)) return ZW_ASSEMBLED;
  uint64_t state = 1829;
  if (move_free(a, lengths, typed, a->x, &state)) return ZW_ASSEMBLED;
  if (move_all(a, lengths, typed, a->x, &state)) return ZW_ASSEMBLED;
  /* the least-squares point from the user's own values names the rows in conflict */
  memcpy(a->x, typed, (size_t)a->n * sizeof(double));
  weighted_metric(a);
  (void)levenberg(a, NULL, lengths, a->x);
  if (!a->eval(a->context, a->x, a->r, a->J)) return ZW_ASSEMBLY_NOT_FINITE;
  return ZW_ASSEMBLY_CONFLICT;
}
