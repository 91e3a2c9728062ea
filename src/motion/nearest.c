/* The nearest assembly: of all x that satisfy the rows, the one whose firmest values that have to move do so by the least
 * amount in the mass metric.
 *
 * Lengths are u = L^T (x - typed), where the metric L L^T takes each turn by itself. On the rows, 1/2 sum w u^2 is
 * minimised by Newton steps in the tangent space Z of the rows, with the curvature of the rows in the Hessian,
 *
 *   Z^T (W - sum_i lambda_i d2r_i/du2) Z p = -Z^T W u,
 *
 * and back onto the rows by Levenberg-Marquardt. Curvature matters: a typed value beyond reach ends where the mechanism is
 * stretched, and there it is all that determines the softer values. Softer values weigh w = 1e-3, 1e-4, 1e-5 of the firmest
 * ones, free ones 1e-6; the last minimum counts the firmest ones alone, w = 0, so that guesses do not pull at all. Then these
 * are held, and what comes next is as near as it can be; and so on, down to the softest. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/cholesky.h"
#include "least/qr.h"
#include "motion/assemble.h"

#define MASSLESS 1e-6    /* of its parts' masses, for a combination without mass */
#define COUNTS 1e-6      /* of a row, by the spans: less may be rounding */
#define FREE_WEIGHT 1e-6 /* of a free value beside the firmest that move */
#define LIGHTER 0.1      /* of these, what has no mass */
#define NEXT_WEIGHT 1e-3 /* of what comes next beside them, at first; */
#define WEIGHT_FALLS 0.1 /* then this part of it, */
#define WEIGHTS 3        /* so many times */
#define TOL_TANGENT 1e-9 /* a row is new when it leaves more than this part of the largest */
#define DIFFERENCE 1e-5  /* of the sizes, for the curvature of the rows */
#define PROXIMAL 1e-8    /* of the Hessian's largest entry: holds what nothing determines where it is */
#define DECREASE 1e-4    /* of the decrease that the slope foretells must come true */
#define SMALL 1e-5       /* steps below this may gain less than round-off */
#define STILL 1e-13      /* and below this are none */
#define LONGEST 1.0      /* step, as a part of the sizes */
#define CRAWLS 1e-2      /* smaller steps where the way is no minimum are too small */
#define HOPELESS 3.0     /* times the cost to beat: another guess is given up, */
#define LEVEL 1e-9       /* slopes below this part of the way are none */
#define ASIDE 0.1        /* size of a step off a saddle */
#define FOLD 1e-6        /* curvature beyond this part of the metric determines softer values */
#define SADDLE 1e-6      /* negative curvature beyond this part of the largest entry is real */

enum { STEPS_MAX = 60, PATIENCE = 8, CURVED_MAX = 200, POWER_MAX = 300 }; /* after so many steps */

/* ---- the metric ---- */

/* An entry of M as the metric has it. Values of different turns are measured by themselves. */
static double metric_of(const ZwAssembly* a, int32_t i, int32_t j, ZwMetricKind kind) {
  double mass = a->M[(ptrdiff_t)i * a->n + j];
  if (i == j && !(mass > 0)) return a->energy / a->span[i] / a->span[i];
  if (i == j) return kind == ZW_METRIC_HELPED ? mass * (1 + ZW_ASSEMBLY_MASSLESS) : mass;
  bool is_together = kind != ZW_METRIC_DIAGONAL && zw_assembly_turn(a, i) == zw_assembly_turn(a, j);
  return is_together ? mass : 0;
}

void zw_assembly_form_metric(const ZwAssembly* a, double* W, ZwMetricKind kind) {
  for (int32_t i = 0; i < a->n; i++) {
    for (int32_t j = 0; j < a->n; j++) W[(ptrdiff_t)i * a->n + j] = metric_of(a, i, j, kind);
  }
}

/* What a row is by values without mass that move by their spans, squared, as a part of what it is by those with mass, each in the metric;
 * infinite where it has none of either, or where those without mass may be rounding. */
static double part_without_mass(const ZwAssembly* a, int32_t i) {
  double without = 0, with = 0, most = 0, by_mass = 0;
  for (ptrdiff_t j = 0; j < a->n; j++) {
    double entry = fabs(a->J[i * a->n + j]), mass = a->M[j * a->n + j], way = entry * a->span[j];
    if (mass > 0) {
      with = fmax(with, way);
      by_mass += entry * entry / mass;
    } else {
      without = fmax(without, way);
      most += way * way;
    }
  }
  bool is_any = without > COUNTS * with && by_mass > 0;
  return is_any ? most / by_mass : INFINITY;
}

/* Where a combination of coordinates has no mass, as the length of a quaternion, it goes where the rows want it. Values without mass
 * have turns of their own, so what they count beside the others is free: no more than that rows which have both can be met by them.
 * By the largest energy of the spans alone a pointer of 1e-5 beside a rod of 1 was too heavy to be moved. */
void zw_assembly_metric(ZwAssembly* a) {
  a->energy = 0;
  for (int32_t i = 0; i < a->n; i++) {
    a->energy = fmax(a->energy, a->M[(ptrdiff_t)i * a->n + i] * a->span[i] * a->span[i]);
  }
  for (int32_t i = 0; i < a->m; i++) a->energy = fmin(a->energy, part_without_mass(a, i));
  if (!(a->energy > 0)) a->energy = 1; /* there are no masses: it does not matter */
  for (a->metric = ZW_METRIC_FULL;; a->metric++) {
    zw_assembly_form_metric(a, a->L, a->metric);
    if (zw_cholesky_factor(a->n, a->L) == a->n || a->metric == ZW_METRIC_DIAGONAL) return;
  }
}

/* How much the value i counts while what holds less than `firm` moves. `graded` is the weight of what comes next. */
static double weight_of(const ZwAssembly* a, int32_t firm, int32_t i, double graded) {
  int32_t turn = zw_assembly_turn(a, i), hold = turn / 2;
  double part = turn % 2 == 1 ? 1 : LIGHTER;
  if (turn >= firm - 1) return 1;
  if (hold == (firm - 1) / 2) return graded;
  return part * (hold == 0 ? FREE_WEIGHT : graded);
}

void zw_assembly_weigh(ZwAssembly* a, int32_t firm) {
  ptrdiff_t n = a->n;
  for (int32_t i = 0; i < a->n; i++) {
    double w = sqrt(weight_of(a, firm, i, NEXT_WEIGHT));
    for (int32_t j = 0; j <= i; j++) a->G[i * n + j] = w * a->L[i * n + j];
  }
}

/* u = L^T (x - typed) */
static void measure(const ZwAssembly* a, const double* x, double* u) {
  ptrdiff_t n = a->n;
  for (ptrdiff_t j = 0; j < n; j++) {
    u[j] = 0;
    for (ptrdiff_t i = j; i < n; i++) u[j] += a->L[i * n + j] * (x[i] - a->typed[i]);
  }
}

/* ---- a minimum for given weights ---- */

/* One minimisation; its vectors lie in a->work behind those of levenberg. */
typedef struct Descent {
  ZwAssembly* a;
  int32_t firm, p, f; /* p values move, f ways are open to them */
  int32_t* moving;    /* p */
  double *w, *u, *gu; /* n: weights; lengths; W u */
  double *step, *trial, *full, *g;
  double *lambda, *size, *tau, *norms; /* of the rows: m, m, m, 2 m */
  double largest;                      /* entry of the Hessian */
  double damping;                      /* that it needed */
} Descent;

static Descent open_descent(ZwAssembly* a, int32_t firm) {
  ptrdiff_t n = a->n, m = a->m;
  Descent d = {.a = a, .firm = firm, .moving = a->order + m};
  double** vectors[] = {&d.w, &d.u, &d.gu, &d.step, &d.trial, &d.full, &d.g};
  for (int i = 0; i < 7; i++) *vectors[i] = a->work + (3 + i) * n;
  d.lambda = a->r + 2 * m;
  d.size = a->r + 3 * m;
  d.tau = a->r + 4 * m;
  d.norms = a->r + 5 * m;
  for (int32_t i = 0; i < a->n; i++) {
    if (!a->is_fixed[i]) d.moving[d.p++] = i;
  }
  return d;
}

static double cost_of(Descent* d, const double* x) {
  double sum = 0;
  measure(d->a, x, d->u);
  for (int32_t i = 0; i < d->a->n; i++) sum += d->w[i] * d->u[i] * d->u[i];
  return 0.5 * sum;
}

/* The rows in the metric, each of length one, on what moves: p numbers per row in a->Y. */
static void gather_rows(Descent* d) {
  ZwAssembly* a = d->a;
  ptrdiff_t n = a->n, p = d->p;
  double largest = 0;
  for (int32_t i = 0; i < a->m; i++) {
    for (int32_t j = 0; j < a->n; j++) a->Y[i * n + j] = a->is_fixed[j] ? 0 : a->J[i * n + j];
  }
  zw_cholesky_solve_lower_rows(a->n, a->L, a->m, a->Y);
  for (int32_t i = 0; i < a->m; i++) {
    d->size[i] = 0;
    for (int32_t j = 0; j < d->p; j++) {
      double entry = a->Y[i * n + d->moving[j]];
      a->Y[i * p + j] = entry;
      d->size[i] += entry * entry;
    }
    d->size[i] = sqrt(d->size[i]);
    largest = fmax(largest, d->size[i]);
  }
  for (int32_t i = 0; i < a->m; i++) {
    d->size[i] = fmax(d->size[i], 1e-6 * largest + DBL_MIN);
    for (ptrdiff_t j = 0; j < p; j++) a->Y[i * p + j] /= d->size[i];
  }
}

/* The tangent space into a->Z (f x p), the multipliers of W u = J^T lambda, and g = Z^T W u. */
static void find_tangent(Descent* d) {
  ZwAssembly* a = d->a;
  ptrdiff_t p = d->p;
  ZwQr qr = {.rows = d->p, .cols = a->m, .T = a->Y, .tau = d->tau};
  gather_rows(d);
  zw_qr_factor_pivoted(&qr, a->order, d->norms);
  int32_t rank = zw_qr_steps(&qr) > 0 ? zw_qr_rank(&qr, TOL_TANGENT * fabs(zw_qr_diagonal(&qr, 0))) : 0;
  d->f = d->p - rank;
  for (int32_t j = 0; j < d->p; j++) d->full[j] = d->w[d->moving[j]] * d->u[d->moving[j]];
  memcpy(d->gu, d->full, (size_t)p * sizeof(double));
  zw_qr_apply_qt(&qr, d->full);
  zw_qr_solve_r(&qr, rank, d->full);
  memset(d->lambda, 0, (size_t)a->m * sizeof(double));
  for (int32_t i = 0; i < rank; i++) d->lambda[a->order[i]] = d->full[i] / d->size[a->order[i]];
  for (int32_t k = 0; k < d->f; k++) {
    double *z = a->Z + k * p, sum = 0;
    memset(z, 0, (size_t)p * sizeof(double));
    z[rank + k] = 1;
    zw_qr_apply_q(&qr, z);
    for (int32_t j = 0; j < d->p; j++) sum += z[j] * d->gu[j];
    d->g[k] = sum;
  }
}

/* A direction z of what moves (p) as a step of x (n). */
static void to_step(const Descent* d, const double* z, double* step) {
  memset(step, 0, (size_t)d->a->n * sizeof(double));
  for (int32_t j = 0; j < d->p; j++) step[d->moving[j]] = z[j];
  zw_cholesky_solve_upper(d->a->n, d->a->L, step);
}

/* full += sign lambda^T J at x + h step */
static bool add_gradients(Descent* d, const double* x, double h, double sign) {
  ZwAssembly* a = d->a;
  ptrdiff_t n = a->n;
  for (int32_t j = 0; j < a->n; j++) d->trial[j] = x[j] + sign * h * d->step[j];
  if (!a->eval(a->context, d->trial, a->r, a->J)) return false;
  for (int32_t i = 0; i < a->m; i++) {
    if (d->lambda[i] == 0) continue;
    for (ptrdiff_t j = 0; j < n; j++) d->full[j] += sign * d->lambda[i] * a->J[i * n + j];
  }
  return true;
}

/* What the rows bend along z: d2(lambda . r)/du2 z by a central difference of their gradients, into d->full. */
static void bend(Descent* d, const double* x, const double* z) {
  ZwAssembly* a = d->a;
  double size = 0;
  to_step(d, z, d->step);
  for (int32_t j = 0; j < a->n; j++) size = fmax(size, fabs(d->step[j]) / zw_assembly_size(a, j, x[j]));
  memset(d->full, 0, (size_t)a->n * sizeof(double));
  double h = DIFFERENCE / fmax(size, DBL_MIN);
  if (!add_gradients(d, x, h, 1) || !add_gradients(d, x, h, -1)) {
    memset(d->full, 0, (size_t)a->n * sizeof(double)); /* at the edge of where there are values: as if straight */
    return;
  }
  for (int32_t j = 0; j < a->n; j++) d->full[j] = a->is_fixed[j] ? 0 : d->full[j] / (2 * h);
  zw_cholesky_solve_lower(a->n, a->L, d->full);
}

/* The Hessian into the upper triangle of a->H (f x f). */
static void find_hessian(Descent* d, const double* x) {
  ZwAssembly* a = d->a;
  ptrdiff_t f = d->f, p = d->p;
  bool is_curved = false;
  for (int32_t i = 0; i < a->m; i++) is_curved = is_curved || d->lambda[i] != 0;
  d->largest = 1; /* that of W */
  for (ptrdiff_t k = 0; k < f; k++) {
    const double* z = a->Z + k * p;
    memset(d->full, 0, (size_t)a->n * sizeof(double));
    if (is_curved && f <= CURVED_MAX) bend(d, x, z);
    for (ptrdiff_t j = 0; j <= k; j++) {
      double sum = 0;
      for (int32_t i = 0; i < d->p; i++) {
        int32_t at = d->moving[i];
        sum += a->Z[j * p + i] * (d->w[at] * z[i] - d->full[at]);
      }
      a->H[j * f + k] = sum;
      d->largest = fmax(d->largest, fabs(sum));
    }
  }
}

/* (H + damping) y = -g with the least damping that makes it definite; y in d->full. */
static bool solve_newton(Descent* d) {
  double* H = d->a->H;
  ptrdiff_t f = d->f;
  double* diagonal = d->trial;
  for (ptrdiff_t k = 0; k < f; k++) diagonal[k] = H[k * f + k];
  bool is_definite = false;
  for (d->damping = PROXIMAL * d->largest; !is_definite; d->damping *= 10) {
    if (!(d->damping < 1e3 * d->largest)) return false;
    for (ptrdiff_t k = 0; k < f; k++) {
      for (ptrdiff_t j = 0; j < k; j++) H[k * f + j] = H[j * f + k];
      H[k * f + k] = diagonal[k] + d->damping;
    }
    is_definite = zw_cholesky_factor(d->f, H) == d->f;
  }
  d->damping /= 10;
  for (ptrdiff_t k = 0; k < f; k++) d->full[k] = -d->g[k];
  zw_cholesky_solve(d->f, H, d->full);
  for (ptrdiff_t k = 0; k < f; k++) H[k * f + k] = diagonal[k];
  return true;
}

/* The way Z y as a step of x, into d->step; its size. */
static double lay_step(Descent* d, const double* x, const double* y) {
  const ZwAssembly* a = d->a;
  ptrdiff_t p = d->p;
  double *z = d->trial, size = 0;
  memset(z, 0, (size_t)p * sizeof(double));
  for (int32_t k = 0; k < d->f; k++) {
    for (ptrdiff_t j = 0; j < p; j++) z[j] += y[k] * a->Z[k * p + j];
  }
  to_step(d, z, d->step);
  for (int32_t j = 0; j < a->n; j++) size = fmax(size, fabs(d->step[j]) / zw_assembly_size(a, j, x[j]));
  return size;
}

/* Along the step, back onto the rows; shorter until the cost falls as the slope foretells. */
static bool descend(Descent* d, double slope, double size, double* x, double* cost) {
  ZwAssembly* a = d->a;
  for (double part = 1; part > 1e-7; part *= part < 0.3 ? 0.25 : 0.5) {
    for (int32_t j = 0; j < a->n; j++) d->trial[j] = x[j] + part * d->step[j];
    if (!zw_assembly_levenberg(a, d->trial)) continue;
    double found = cost_of(d, d->trial);
    bool is_down = found <= *cost - DECREASE * part * slope && found < *cost;
    if (!is_down && !(part == 1 && size < SMALL && found <= *cost * (1 + 1e-13))) continue;
    memcpy(x, d->trial, (size_t)a->n * sizeof(double));
    *cost = found;
    return true;
  }
  return false;
}

/* The direction of least curvature, by powers of (c - H), into d->full; its curvature. */
static double least_curvature(Descent* d) {
  const double* H = d->a->H;
  ptrdiff_t f = d->f;
  double *y = d->full, *next = d->trial, shift = 0, curvature = 0;
  for (ptrdiff_t k = 0; k < f; k++) {
    double sum = 0;
    for (ptrdiff_t j = 0; j < f; j++) sum += fabs(j < k ? H[j * f + k] : H[k * f + j]);
    shift = fmax(shift, sum); /* no eigenvalue is larger */
    y[k] = 1 + 0.3 * sin(1 + 2.4 * (double)k);
  }
  for (int i = 0; i < POWER_MAX; i++) {
    double square = 0;
    for (ptrdiff_t k = 0; k < f; k++) square += y[k] * y[k];
    for (ptrdiff_t k = 0; k < f; k++) y[k] /= sqrt(square) + DBL_MIN;
    curvature = 0;
    for (ptrdiff_t k = 0; k < f; k++) {
      double sum = 0;
      for (ptrdiff_t j = 0; j < f; j++) sum += (j < k ? H[j * f + k] : H[k * f + j]) * y[j];
      next[k] = shift * y[k] - sum;
      curvature += y[k] * sum;
    }
    if (i + 1 < POWER_MAX) memcpy(y, next, (size_t)f * sizeof(double));
  }
  return curvature;
}

/* Where the way is no minimum even if it is level: off along the direction in which the slope falls most. */
static bool leave_saddle(Descent* d, double* x, double* cost) {
  ZwAssembly* a = d->a;
  double curvature = least_curvature(d), slope = 0, level = 0;
  if (curvature > -SADDLE * d->largest) return false;
  for (int32_t k = 0; k < d->f; k++) {
    slope += d->g[k] * d->full[k];
    level += d->g[k] * d->g[k];
  }
  bool is_level = sqrt(level) < LEVEL * sqrt(2 * *cost);
  double size = lay_step(d, x, d->full) * (slope > 0 ? -1 : 1);
  for (int32_t j = 0; j < a->n; j++) d->step[j] *= ASIDE / size;
  if (!descend(d, 0, ASIDE, x, cost)) return false;
  a->was_between = a->was_between || is_level;
  return true;
}

/* Down to a minimum for the present weights. */
static void minimise(Descent* d, double* x) {
  ZwAssembly* a = d->a;
  double cost = cost_of(d, x);
  for (int i = 0; i < STEPS_MAX; i++) {
    (void)cost_of(d, x); /* leaves the lengths u */
    if (!a->eval(a->context, x, a->r, a->J)) return;
    find_tangent(d);
    if (d->f == 0) return;
    find_hessian(d, x);
    if (!solve_newton(d)) return;
    bool is_convex = d->damping <= 2 * PROXIMAL * d->largest;
    double size = lay_step(d, x, d->full);
    if (!is_convex && size < CRAWLS) {
      if (leave_saddle(d, x, &cost)) continue;
      (void)solve_newton(d); /* that look has taken its place */
      size = lay_step(d, x, d->full);
    }
    double slope = 0;
    for (int32_t k = 0; k < d->f; k++) slope -= d->g[k] * d->full[k];
    if (size > LONGEST) {
      for (int32_t j = 0; j < a->n; j++) d->step[j] *= LONGEST / size;
      slope *= LONGEST / size;
    }
    bool is_still = !(size > STILL) || !(slope > 1e-16 * DECREASE * cost);
    if (is_still || !descend(d, slope, size, x, &cost)) return;
    if (i >= PATIENCE && cost > HOPELESS * a->cost_to_beat) return;
  }
}

double zw_assembly_cost(ZwAssembly* a, int32_t firm, const double* x) {
  Descent d = open_descent(a, firm);
  for (int32_t i = 0; i < a->n; i++) {
    bool is_firm = zw_assembly_turn(a, i) / 2 == (firm - 1) / 2;
    d.w[i] = is_firm ? 1 : weight_of(a, firm, i, NEXT_WEIGHT * pow(WEIGHT_FALLS, WEIGHTS - 1));
  }
  return cost_of(&d, x);
}

/* What the firmest values that move weigh alone. */
static void weigh_firmest(Descent* d) {
  for (int32_t i = 0; i < d->a->n; i++) d->w[i] = zw_assembly_turn(d->a, i) == d->firm - 1 ? 1 : 0;
}

/* The firmest values as near as they can be; softer ones are carried along. */
static void approach(ZwAssembly* a, int32_t firm, double* x) {
  Descent d = open_descent(a, firm);
  double graded = NEXT_WEIGHT;
  bool has_softer = false, has_graded = false;
  for (int32_t i = 0; i < a->n; i++) {
    int32_t turn = zw_assembly_turn(a, i);
    has_softer = has_softer || turn < firm - 1;
    has_graded = has_graded || (turn < firm - 1 && (turn / 2 == (firm - 1) / 2 || turn / 2 == 1));
  }
  for (int k = 0; k < (has_graded ? WEIGHTS : 1); k++, graded *= WEIGHT_FALLS) {
    for (int32_t i = 0; i < a->n; i++) d.w[i] = weight_of(a, firm, i, graded);
    minimise(&d, x);
  }
  if (!has_softer) return;
  weigh_firmest(&d);
  minimise(&d, x);
}

/* Whether the rows, under the load of what is as near as it can be, bend along directions that leave it where it is. Then it
 * is stretched to its end, and the curvature has determined what is softer. What is near is held from now on. */
static bool is_at_fold(ZwAssembly* a, int32_t firm, const double* x) {
  Descent d = open_descent(a, firm);
  double *kept = a->r + 7 * (ptrdiff_t)a->m, load = 0, most = 0;
  weigh_firmest(&d);
  (void)cost_of(&d, x);
  if (!a->eval(a->context, x, a->r, a->J)) return true;
  find_tangent(&d);
  for (int32_t i = 0; i < a->m; i++) load = fmax(load, fabs(kept[i] = d.lambda[i]));
  for (int32_t i = 0; i < a->n; i++) a->is_fixed[i] = a->is_fixed[i] || zw_assembly_turn(a, i) == firm - 1;
  d = open_descent(a, firm - 1);
  if (load == 0 || d.p == 0) return false;
  find_tangent(&d);
  if (d.f > CURVED_MAX) return true;
  memcpy(d.lambda, kept, (size_t)a->m * sizeof(double));
  for (int32_t k = 0; k < d.f && most < FOLD; k++) {
    bend(&d, x, a->Z + (ptrdiff_t)k * d.p);
    for (int32_t j = 0; j < d.p; j++) most = fmax(most, fabs(d.full[d.moving[j]]));
  }
  return !(most < FOLD);
}

static bool has_turn(const ZwAssembly* a, int32_t turn) {
  for (int32_t i = 0; i < a->n; i++) {
    if (!a->is_fixed[i] && zw_assembly_turn(a, i) == turn) return true;
  }
  return false;
}

void zw_assembly_nearest(ZwAssembly* a, int32_t firm, double* x) {
  double* was_fixed = a->work + 12 * (ptrdiff_t)a->n;
  for (int32_t i = 0; i < a->n; i++) was_fixed[i] = a->is_fixed[i];
  approach(a, firm, x);
  for (int32_t next = firm - 1; next > 0; next--) {
    if (has_turn(a, next) && is_at_fold(a, next + 1, x)) break;
    if (!has_turn(a, next - 1)) continue;
    zw_assembly_weigh(a, next);
    approach(a, next, x);
  }
  for (int32_t i = 0; i < a->n; i++) a->is_fixed[i] = was_fixed[i] != 0;
  zw_assembly_weigh(a, firm);
}
