/* Radau IIA of order 5 on the projected equations, for stiff motion (radau.h has its numbers).
 *
 * The state is (q, v), and q' = v: with J = (0, I; by_q, by_v) a system (s I - J) x = r of the Newton iteration comes down
 * to one of n equations,
 *
 *   (s^2 I - s by_v - by_q) x_q = r_v + s r_q - by_v r_q,     x_v = s x_q - r_q,
 *
 * once with a real s and once with a complex one. The work W is not iterated upon: it follows from the stages. */
#include "motion/radau.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "least/lu.h"
#include "least/lu_complex.h"
#include "motion/sim.h"

#define KEEP_JACOBIAN 1e-3 /* rate of convergence up to which a Jacobian serves the next step too */
#define DIVERGING 0.99
#define ERROR_OF_DIVERGENCE \
  6.5                   /* a step whose stages cannot be found counts like one with this error: half of it is next */
#define SLOW 0.1        /* iterations that converge at this rate */
#define SLOW_GROWTH 1.2 /* let the step grow by no more than this, */
#define SLOWEST 0.4     /* and at this one not at all */

#define ALONE \
  1.0 /* tolerances by which a single iteration may move the stages: nothing has been seen of what is left */

enum { ITERATIONS_MAX = 8 };

typedef struct Radau {
  double *by_q, *by_v;  /* n x n: the Jacobian, */
  double t_jacobian;    /* taken at */
  bool has_jacobian;    /* one that is still good enough */
  double *real, *pairs; /* n x n, 2 n x n: the factors, */
  double h_factored;    /* for steps of this size; 0: none */
  int32_t *swap_real, *swap_pairs;
  double *Z[3], *W[3], *f[3]; /* dim each: stages, transformed, rates there */
  double* pair;               /* 4 n */
  double h, rate;             /* of the last attempt: its size, how its iterations converged */
  double t, t_end;            /* where it began and ended */
  bool has_stages;            /* Z is that of a step that can be continued, */
  double* Z_last[3];          /* dim each */
  double h_last;
  double* work; /* of zw_jacobian */
} Radau;

/* ---- memory ---- */

static double* take(char** at, ptrdiff_t count) {
  double* piece = (double*)(void*)*at;
  *at += (size_t)count * sizeof(double);
  return piece;
}

static size_t lay_out(Radau* radau, char* base, ptrdiff_t n, ptrdiff_t dim) {
  char* at = base + (sizeof(Radau) + 63) / 64 * 64;
  radau->by_q = take(&at, n * n);
  radau->by_v = take(&at, n * n);
  radau->real = take(&at, n * n);
  radau->pairs = take(&at, 2 * n * n);
  radau->pair = take(&at, 4 * n);
  for (int i = 0; i < 3; i++) {
    radau->Z[i] = take(&at, dim);
    radau->W[i] = take(&at, dim);
    radau->f[i] = take(&at, dim);
    radau->Z_last[i] = take(&at, dim);
  }
  radau->swap_real = (int32_t*)(void*)take(&at, n);
  radau->swap_pairs = (int32_t*)(void*)take(&at, n);
  radau->work = (double*)(void*)at;
  return (size_t)(at - base);
}

size_t zw_radau_work_size(const ZwProgram* program) {
  Radau radau;
  static char nothing; /* only differences of addresses count */
  ptrdiff_t n = program->equations->n;
  return lay_out(&radau, &nothing, n, 2 * n + 1) + zw_jacobian_work_size(program);
}

void zw_radau_place(ZwSim* sim, void* memory) {
  Radau* radau = memory;
  *radau = (Radau){0};
  (void)lay_out(radau, memory, sim->n, sim->dim);
}

static Radau* radau_of(const ZwSim* sim) {
  return sim->integrator_memory;
}

void zw_radau_forget(ZwSim* sim) {
  Radau* radau = radau_of(sim);
  radau->has_jacobian = radau->has_stages = false;
  radau->h_factored = radau->h_last = radau->rate = 0;
  radau->t = NAN;
}

/* ---- the linear systems ---- */

static ZwStatus refresh_jacobian(ZwSim* sim, Radau* radau) {
  radau->h_factored = 0;
  ZW_TRY(zw_jacobian_of_steps(sim, sim->t, sim->y, radau->work, radau->by_q, radau->by_v));
  radau->t_jacobian = sim->t;
  radau->has_jacobian = true;
  return ZW_OK;
}

static ZwStatus factor(const ZwSim* sim, Radau* radau, double h) {
  const ZwRadauNumbers* x = &zw_radau_numbers;
  ptrdiff_t n = sim->n;
  double s = x->real / h, re = x->re / h, im = x->im / h;
  if (radau->h_factored == h) return ZW_OK;
  for (ptrdiff_t i = 0; i < n * n; i++) {
    bool is_diagonal = i % (n + 1) == 0;
    radau->real[i] = (is_diagonal ? s * s : 0) - s * radau->by_v[i] - radau->by_q[i];
    radau->pairs[2 * i] = (is_diagonal ? re * re - im * im : 0) - re * radau->by_v[i] - radau->by_q[i];
    radau->pairs[2 * i + 1] = (is_diagonal ? 2 * re * im : 0) - im * radau->by_v[i];
  }
  if (!(zw_lu_factor(sim->n, radau->real, radau->swap_real) > 0)) return ZW_ERR_STEP;
  if (!zw_lu_complex_factor(sim->n, radau->pairs, radau->swap_pairs)) return ZW_ERR_STEP;
  radau->h_factored = h;
  return ZW_OK;
}

/* r = (s I - J)^-1 r, over q and v */
static void solve_real(const ZwSim* sim, Radau* radau, double* r) {
  ptrdiff_t n = sim->n;
  double s = zw_radau_numbers.real / radau->h_factored;
  double *rq = r, *rv = r + n, *x = radau->pair;
  for (ptrdiff_t i = 0; i < n; i++) {
    x[i] = rv[i] + s * rq[i];
    for (ptrdiff_t j = 0; j < n; j++) x[i] -= radau->by_v[i * n + j] * rq[j];
  }
  zw_lu_solve(sim->n, radau->real, radau->swap_real, x);
  for (ptrdiff_t i = 0; i < n; i++) {
    rv[i] = s * x[i] - rq[i];
    rq[i] = x[i];
  }
}

/* r + i p = ((re + i im) I - J)^-1 (r + i p), over q and v */
static void solve_pair(const ZwSim* sim, Radau* radau, double* r, double* p) {
  ptrdiff_t n = sim->n;
  double re = zw_radau_numbers.re / radau->h_factored, im = zw_radau_numbers.im / radau->h_factored;
  double* x = radau->pair;
  for (ptrdiff_t i = 0; i < n; i++) {
    x[2 * i] = r[n + i] + re * r[i] - im * p[i];
    x[2 * i + 1] = p[n + i] + re * p[i] + im * r[i];
    for (ptrdiff_t j = 0; j < n; j++) {
      x[2 * i] -= radau->by_v[i * n + j] * r[j];
      x[2 * i + 1] -= radau->by_v[i * n + j] * p[j];
    }
  }
  zw_lu_complex_solve(sim->n, radau->pairs, radau->swap_pairs, x);
  for (ptrdiff_t i = 0; i < n; i++) {
    double xr = x[2 * i], xi = x[2 * i + 1];
    r[n + i] = re * xr - im * xi - r[i];
    p[n + i] = re * xi + im * xr - p[i];
    r[i] = xr;
    p[i] = xi;
  }
}

/* ---- the stages ---- */

/* to_i = sum_j matrix_ij from_j over q and v */
static void transform(const ZwSim* sim, const double matrix[3][3], double* const from[3], double* const to[3]) {
  for (int32_t k = 0; k < 2 * sim->n; k++) {
    double x[3] = {from[0][k], from[1][k], from[2][k]};
    for (int i = 0; i < 3; i++) to[i][k] = matrix[i][0] * x[0] + matrix[i][1] * x[1] + matrix[i][2] * x[2];
  }
}

/* The cubic through 0 at 0 and the stages at their times, at x. */
static void weights_at(double x, double* weights) {
  const double* c = zw_radau_numbers.c;
  for (int i = 0; i < 3; i++) {
    weights[i] = x / c[i];
    for (int j = 0; j < 3; j++) weights[i] *= i == j ? 1 : (x - c[j]) / (c[i] - c[j]);
  }
}

/* The first guess of the stages: the polynomial of the step before goes on. */
static void guess_stages(const ZwSim* sim, Radau* radau, double h) {
  if (radau->has_stages && radau->t_end == sim->t && radau->t != sim->t) { /* that step was accepted */
    for (int i = 0; i < 3; i++) memcpy(radau->Z_last[i], radau->Z[i], (size_t)sim->dim * sizeof(double));
    radau->h_last = radau->h;
  } else if (radau->t != sim->t) {
    radau->h_last = 0;
  }
  for (int i = 0; i < 3; i++) {
    double weights[3] = {0};
    if (radau->h_last > 0) weights_at(1 + zw_radau_numbers.c[i] * h / radau->h_last, weights);
    for (int32_t k = 0; k < 2 * sim->n; k++) {
      double goes_on = 0;
      for (int j = 0; j < 3; j++) goes_on += weights[j] * radau->Z_last[j][k];
      radau->Z[i][k] = radau->h_last > 0 ? goes_on - radau->Z_last[2][k] : 0;
    }
  }
}

static ZwStatus rates_at_stages(ZwSim* sim, Radau* radau, double h) {
  for (int i = 0; i < 3; i++) {
    for (int32_t k = 0; k < 2 * sim->n; k++) sim->y_new[k] = sim->y[k] + radau->Z[i][k];
    ZW_TRY(zw_eval_rate(sim, sim->t + zw_radau_numbers.c[i] * h, sim->y_new, radau->f[i]));
  }
  return ZW_OK;
}

/* One Newton step of W; its size in units of the tolerance. */
static double iterate(const ZwSim* sim, Radau* radau, double h) {
  const ZwRadauNumbers* x = &zw_radau_numbers;
  double s = x->real / h, re = x->re / h, im = x->im / h, sum = 0;
  double** f = radau->f;
  transform(sim, x->TI, f, f);
  for (int32_t k = 0; k < 2 * sim->n; k++) {
    double W1 = radau->W[1][k], W2 = radau->W[2][k];
    f[0][k] -= s * radau->W[0][k];
    f[1][k] -= re * W1 - im * W2;
    f[2][k] -= im * W1 + re * W2;
  }
  solve_real(sim, radau, f[0]);
  solve_pair(sim, radau, f[1], f[2]);
  for (int i = 0; i < 3; i++) {
    double norm = zw_step_norm(sim, f[i], sim->y);
    sum += norm * norm / 3;
    for (int32_t k = 0; k < 2 * sim->n; k++) radau->W[i][k] += f[i][k];
  }
  return sqrt(sum);
}

/* Solves for the stages. False: the iterations do not converge. */
static ZwStatus find_stages(ZwSim* sim, Radau* radau, double h, bool* has_converged) {
  double tolerance = fmax(10 * DBL_EPSILON / sim->tolerance, fmin(0.03, sqrt(sim->tolerance)));
  double before = 0, rate = radau->rate > 0 ? fmin(pow(radau->rate, 0.8), 0.5) : 0.5;
  *has_converged = false;
  transform(sim, zw_radau_numbers.TI, radau->Z, radau->W);
  for (int k = 0; k < ITERATIONS_MAX; k++) {
    ZW_TRY(rates_at_stages(sim, radau, h));
    double norm = iterate(sim, radau, h);
    if (!isfinite(norm)) return ZW_OK;
    if (k > 0) {
      rate = norm / before;
      double rest = pow(rate, ITERATIONS_MAX - k) / (1 - rate) * norm;
      if (rate >= DIVERGING || rest > tolerance) return ZW_OK;
    }
    transform(sim, zw_radau_numbers.T, radau->W, radau->Z);
    before = norm;
    bool is_told = k > 0 || norm <= ALONE; /* how fast other steps have converged says little of this one */
    if (norm == 0 || (is_told && rate / (1 - rate) * norm <= tolerance)) {
      *has_converged = true;
      radau->rate = k > 0 && norm > 0 ? rate : 0; /* one iteration has none, and was fast */
      return ZW_OK;
    }
  }
  return ZW_OK;
}

/* The work at the stages: W' is known there, from the last iteration. */
static void find_work(const ZwSim* sim, Radau* radau, double h) {
  ptrdiff_t W = 2 * sim->n;
  for (int i = 0; i < 3; i++) {
    double sum = 0;
    for (int j = 0; j < 3; j++) sum += zw_radau_numbers.a[i][j] * radau->f[j][W];
    radau->Z[i][W] = h * sum;
  }
}

/* ---- the error ---- */

/* (s I - J)^-1 (f + sum_i (e_i / g h) Z_i), where f is the rate at the begin */
static const double* error_vector(const ZwSim* sim, Radau* radau, double h, const double* f) {
  const ZwRadauNumbers* x = &zw_radau_numbers;
  double* error = radau->f[0];
  for (int32_t k = 0; k < 2 * sim->n; k++) {
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += x->e[i] * radau->Z[i][k];
    error[k] = f[k] + sum * x->real / h;
  }
  solve_real(sim, radau, error);
  if (sim->near.is_near || sim->near.is_crossing) {
    zw_singular_leave_out(sim, error);
    zw_singular_leave_out(sim, error + sim->n);
  }
  return error;
}

/* A second filtering keeps the stiff components of a large error from deciding. */
static double error_of(ZwSim* sim, Radau* radau, double h) {
  double noise = sim->tolerance / (sim->tolerance + zw_singular_noise(sim));
  const double* error = error_vector(sim, radau, h, sim->k[0]);
  double norm = zw_step_norm(sim, error, sim->y) * noise;
  if (!(norm > 1)) return norm;
  double* f = radau->f[1];
  for (int32_t k = 0; k < 2 * sim->n; k++) sim->y_new[k] = sim->y[k] + error[k];
  if (zw_eval_rate(sim, sim->t, sim->y_new, f)) return norm;
  error = error_vector(sim, radau, h, f);
  return zw_step_norm(sim, error, sim->y) * noise;
}

/* ---- what the table asks for ---- */

/* With the Jacobian there is; with a new one if that does not do. */
static ZwStatus solve(ZwSim* sim, Radau* radau, double h, bool* has_converged) {
  for (;;) {
    bool is_here = radau->has_jacobian && radau->t_jacobian == sim->t;
    ZW_TRY(factor(sim, radau, h));
    guess_stages(sim, radau, h);
    radau->t = sim->t;
    radau->has_stages = false;
    ZW_TRY(find_stages(sim, radau, h, has_converged));
    if (*has_converged || is_here) return ZW_OK;
    ZW_TRY(refresh_jacobian(sim, radau));
  }
}

ZwStatus zw_radau_attempt(ZwSim* sim, double h, double* error) {
  Radau* radau = radau_of(sim);
  bool is_good = radau->has_jacobian && (radau->t_jacobian == sim->t || radau->rate <= KEEP_JACOBIAN);
  if (!is_good) ZW_TRY(refresh_jacobian(sim, radau));
  bool has_converged;
  ZW_TRY(solve(sim, radau, h, &has_converged));
  if (!has_converged) {
    radau->rate = 0;
    *error = ERROR_OF_DIVERGENCE;
    return ZW_OK;
  }
  if (radau->rate > SLOW) sim->growth_most = radau->rate > SLOWEST ? 1 : SLOW_GROWTH;
  find_work(sim, radau, h);
  *error = error_of(sim, radau, h);
  for (int32_t k = 0; k < sim->dim; k++) sim->y_new[k] = sim->y[k] + radau->Z[2][k];
  radau->h = h;
  radau->t_end = sim->t + h;
  radau->has_stages = true;
  return ZW_OK;
}

/* The dense output goes through the stages, and is off by a part of the error between them. */
double zw_radau_measure(ZwSim* sim, double h, double part) {
  Radau* radau = radau_of(sim);
  double noise = sim->tolerance / (sim->tolerance + zw_singular_noise(sim)), *most = radau->f[1];
  (void)h;
  for (int32_t k = 0; k < 2 * sim->n; k++) most[k] = fmax(fabs(sim->y[k]), fabs(sim->y_new[k]));
  return part * zw_step_norm(sim, radau->f[0], most) * noise; /* where error_of left it */
}

ZwStatus zw_radau_dense(ZwSim* sim) {
  Radau* radau = radau_of(sim);
  for (int32_t k = 0; k < sim->dim; k++) {
    sim->F[0][k] = radau->Z[0][k];
    sim->F[1][k] = radau->Z[1][k];
    sim->F[2][k] = sim->y_new[k] - sim->y[k]; /* the projected end */
  }
  return ZW_OK;
}

void zw_radau_interpolate(const ZwSim* sim, double x, double* y) {
  double weights[3];
  weights_at(x, weights);
  for (int32_t k = 0; k < sim->dim; k++) {
    y[k] = sim->y[k] + weights[0] * sim->F[0][k] + weights[1] * sim->F[1][k] + weights[2] * sim->F[2][k];
  }
}

/* The factors follow from the Jacobian and the step, bit by bit: they are made again. */
void zw_radau_visit(ZwSim* sim, ZwPass* pass) {
  Radau* radau = radau_of(sim);
  size_t square = (size_t)sim->n * (size_t)sim->n * sizeof(double), stage = (size_t)sim->dim * sizeof(double);
  zw_pass(pass, radau->by_q, square);
  zw_pass(pass, radau->by_v, square);
  zw_pass(pass, &radau->t_jacobian, sizeof radau->t_jacobian);
  zw_pass(pass, &radau->has_jacobian, sizeof radau->has_jacobian);
  zw_pass(pass, &radau->h, sizeof radau->h);
  zw_pass(pass, &radau->rate, sizeof radau->rate);
  zw_pass(pass, &radau->t, sizeof radau->t);
  zw_pass(pass, &radau->t_end, sizeof radau->t_end);
  zw_pass(pass, &radau->has_stages, sizeof radau->has_stages);
  zw_pass(pass, &radau->h_last, sizeof radau->h_last);
  for (int i = 0; i < 3; i++) {
    zw_pass(pass, radau->Z[i], stage);
    zw_pass(pass, radau->Z_last[i], stage);
  }
}
