/* RATTLE: a variational integrator of order 2 with a fixed step, for holonomic conservative systems.
 *
 * The action of a step is taken by the trapezoidal rule, L_d = h/2 (L(q0, u) + L(q1, u)) with u = (q1 - q0) / h, and made
 * stationary over all q that satisfy the constraints at the ends of the steps. With p = dL/dv that is
 *
 *   1/2 (Lv(q0, u) + Lv(q1, u)) = p0 + h/2 Lq(q0, u) + A(q0)^T l,    phi(q1) = 0       for u and l,
 *   p1 = 1/2 (Lv(q0, u) + Lv(q1, u)) + h/2 Lq(q1, u) + A(q1)^T m,    A(q1) v1 = 0      for v1 and m,
 *
 * where p1 = Lv(q1, v1). With a constant mass matrix it is the method of Andersen (RATTLE); nothing here asks for one, nor
 * for a Lagrangian that is quadratic in the velocities. The map is symplectic and symmetric, so the energy error stays
 * bounded over very many steps (E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration", VI.6, VII.1, IX.5).
 *
 * Both systems are solved by Newton's method down to round-off, since what is left of them would add up. The matrix is that
 * of the state where the step begins, or ends: what it leaves out goes with h. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/sim.h"

enum {
  NEWTON_MAX = 60,
  STALLS = 2 /* of the corrections, until they count as round-off */
};

/* A Newton correction that shrinks no better than this has stalled; if it is small, it is round-off. */
#define STALLED 0.5
#define SMALL 1e-11
/* Least mass of a coordinate when corrections are measured, as a part of the largest. */
#define LIGHTEST 1e-6
/* The last step is made whole if that changes its length by less than this part. */
#define NEARLY_WHOLE 1e-9

typedef struct Rattle {
  double t_origin;  /* steps end at t_origin + k step_fixed, never summed up */
  int64_t count;    /* steps since */
  bool has_factors; /* of M and A, */
  bool is_factored; /* and they are at hand; after a checkpoint they are made again */
  int32_t m;        /* rows of the factors */
  ZwLeast* least;
  double *M, *A;                     /* n x n, m x n: of the factors */
  double *u, *momentum, *mean;       /* n: (q1 - q0) / h; p0; (Lv(q0, u) + Lv(q1, u)) / 2, later p1 */
  double *force, *residual, *change; /* n: A^T of the multipliers; n; n */
  double *off, *multiplier;          /* m */
} Rattle;

const char* zw_rattle_objection(const ZwEquations* equations, const char** remedy) {
  *remedy = "the integrators 'auto' and 'explicit' take all models";
  for (int32_t i = 0; i < equations->system->contacts.count; i++) {
    if (equations->system->contacts.items[i].slip_dim > 0)
      return "it is for conservative models, and friction takes energy";
  }
  if (!equations->has_energy) return "a Gibbs function has no Lagrangian, and it moves by one";
  for (int32_t i = 0; i < equations->m; i++) {
    if (equations->rows.items[i].level != ZW_LEVEL_POSITION) {
      return "it is for constraints on positions, and the model has one on velocities or accelerations";
    }
  }
  if (!equations->is_conservative) {
    return "it is for conservative models, and a force, dissipation, explicit time or a moving constraint is in this "
           "one";
  }
  return NULL;
}

size_t zw_rattle_work_size(const ZwProgram* program) {
  int32_t n = program->equations->n, m = program->equations->m;
  size_t cols = (size_t)n, rows = (size_t)(m < n ? m : n);
  return zw_rounded(sizeof(Rattle)) + zw_rounded(zw_least_work_size(n, (int32_t)rows)) +
         (cols * cols + rows * cols + 6 * cols + 2 * rows) * sizeof(double);
}

void zw_rattle_place(ZwSim* sim, void* memory) {
  ptrdiff_t n = sim->n, m = sim->m < sim->n ? sim->m : sim->n;
  Rattle* rattle = memory;
  char* next = (char*)memory + zw_rounded(sizeof(Rattle));
  rattle->least = zw_least_place(next, (int32_t)n, (int32_t)m);
  double* numbers = (double*)(void*)(next + zw_rounded(zw_least_work_size((int32_t)n, (int32_t)m)));
  double** const vectors[] = {&rattle->u,     &rattle->momentum, &rattle->mean,
                              &rattle->force, &rattle->residual, &rattle->change};
  rattle->M = numbers;
  rattle->A = rattle->M + n * n;
  numbers = rattle->A + m * n;
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++, numbers += n) *vectors[i] = numbers;
  rattle->off = numbers;
  rattle->multiplier = numbers + m;
}

void zw_rattle_forget(ZwSim* sim) {
  Rattle* rattle = sim->integrator_memory;
  rattle->t_origin = sim->t;
  rattle->count = 0;
  rattle->has_factors = rattle->is_factored = false;
}

void zw_rattle_visit(ZwSim* sim, ZwPass* pass) {
  Rattle* rattle = sim->integrator_memory;
  size_t n = (size_t)sim->n, m = (size_t)(sim->m < sim->n ? sim->m : sim->n);
  zw_pass(pass, &rattle->t_origin, sizeof rattle->t_origin);
  zw_pass(pass, &rattle->count, sizeof rattle->count);
  zw_pass(pass, &rattle->has_factors, sizeof rattle->has_factors);
  zw_pass(pass, &rattle->m, sizeof rattle->m);
  zw_pass(pass, rattle->M, n * n * sizeof(double));
  zw_pass(pass, rattle->A, m * n * sizeof(double));
}

/* ---- what can go wrong ---- */

static ZwStatus no_value(ZwSim* sim, ZwEntry entry, double t, const double* q, const double* v) {
  return zw_fault_domain(sim, entry, t, q, v, false);
}

static ZwStatus too_long(ZwSim* sim, double h) {
  double ahead = sim->near.slope < 0 ? -sim->near.smallest / sim->near.slope : INFINITY;
  if (ahead < 2 * h) return zw_singular_refuse(sim, sim->t + ahead);
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s the equations of a step of %.6g have no solution that could be found",
                zw_when(sim, sim->t, 9).text, h);
  zw_diag_remedy(sim->diags, "choose a shorter step, as in: --step %.3g", 0.1 * sim->step_fixed);
  return ZW_ERR_STEP;
}

/* ---- Newton's method ---- */

/* The frozen rows and masses at (q, v), factored. */
static ZwStatus factor_at(ZwSim* sim, Rattle* rattle, double t, const double* q, const double* v) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  rattle->has_factors = false;
  if (!zw_eval_acceleration(sim, t, q, v)) return no_value(sim, ZW_ENTRY_ACCELERATION, t, q, v);
  zw_eval_dense_M(sim);
  zw_copy((ptrdiff_t)sim->n * sim->n, sim->M, rattle->M);
  zw_eval_dense_rows(sim, set->rows, set->count, rattle->A);
  rattle->m = set->count;
  ZwStatus status = zw_least_factor(rattle->least, rattle->m, rattle->M, rattle->A);
  rattle->has_factors = rattle->is_factored = status == ZW_OK;
  if (status == ZW_ERR_UNDETERMINED) return zw_fault_undetermined(sim, t, false);
  return status ? zw_singular_refuse(sim, t) : ZW_OK;
}

/* How Newton's method goes: sizes of the last correction, in units of the velocities, and of what round-off of the positions
 * makes of them. */
typedef struct Progress {
  double size, rough;
  double before, best; /* sizes */
  int stalls;          /* corrections that were not clearly smaller than the best */
} Progress;

static const Progress beginning = {.size = INFINITY, .rough = INFINITY, .before = INFINITY, .best = INFINITY};

/* The length of x by the masses, of which no part is shorter than `least`; a coordinate without mass counts with a little of the
 * largest. */
static double length_in(const ZwSim* sim, const Rattle* rattle, const double* x, double least) {
  double largest = 0, sum = 0;
  for (ptrdiff_t i = 0, n = sim->n; i < n; i++) largest = fmax(largest, fabs(rattle->M[i * n + i]));
  if (largest == 0) largest = 1;
  for (ptrdiff_t i = 0, n = sim->n; i < n; i++) {
    sum += fmax(fabs(rattle->M[i * n + i]), LIGHTEST * largest) * (x[i] * x[i] + least * least);
  }
  return sqrt(sum);
}

/* One correction of velocities x: M dx = residual + A^T dl, A dx = off. The force A^T l is kept. False when it failed. */
static bool correct(const ZwSim* sim, Rattle* rattle, double h, double* x, Progress* progress) {
  ZwLeastResult result = {.a = rattle->change, .lambda = rattle->multiplier};
  if (zw_least_answer(rattle->least, rattle->residual, rattle->off, &result)) return false;
  zw_add_transposed(rattle->m, sim->n, 1, rattle->A, rattle->multiplier, rattle->force);
  zw_axpy(sim->n, 1, rattle->change, x);
  double change = length_in(sim, rattle, rattle->change, 0), speed = length_in(sim, rattle, x, 0);
  progress->before = progress->size;
  progress->size = change > 0 ? change / fmax(speed, change) : 0; /* it may have come to rest just now */
  progress->rough = change > 0 ? change / (speed + length_in(sim, rattle, sim->y, 1) / h) : 0;
  if (progress->size > STALLED * progress->best) progress->stalls++;
  progress->best = fmin(progress->best, progress->size);
  return isfinite(progress->size);
}

/* Corrections shrink by about the same factor: is what would follow round-off? */
static bool is_settled(const Progress* progress) {
  double ratio = progress->size / progress->before;
  if (progress->size == 0 || progress->rough < 0.01 * DBL_EPSILON) return true; /* positions do not see it */
  if (progress->stalls >= STALLS && progress->rough < SMALL) return true;
  return ratio > 0 && ratio < 1 && progress->size * ratio / (1 - ratio) < 0.1 * DBL_EPSILON;
}

static bool diverges(const Progress* progress) {
  return progress->stalls > STALLS && progress->rough > SMALL;
}

/* u, and q1 = q0 + h u in y_new; rattle->mean and the Lq(q1, u) of sim->Lq are those of them. */
static ZwStatus find_positions(ZwSim* sim, Rattle* rattle, double h) {
  int32_t n = sim->n;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  const double *q0 = sim->y, *v0 = sim->y + n, *a0 = sim->k[0] + n;
  double *u = rattle->u, *q1 = sim->y_new, t0 = sim->t, t1 = sim->t + h;
  Progress progress = beginning;
  if (!zw_eval_variation(sim, t0, q0, v0)) return no_value(sim, ZW_ENTRY_VARIATION, t0, q0, v0);
  zw_copy(n, sim->Lv, rattle->momentum);
  for (int32_t i = 0; i < n; i++) u[i] = v0[i] + 0.5 * h * a0[i];
  zw_fill(n, 0, rattle->force);
  bool is_last = false;
  for (int k = 0; k < NEWTON_MAX; k++) {
    if (!zw_eval_variation(sim, t0, q0, u)) return no_value(sim, ZW_ENTRY_VARIATION, t0, q0, u);
    for (int32_t i = 0; i < n; i++) {
      rattle->mean[i] = 0.5 * sim->Lv[i];
      rattle->residual[i] = rattle->momentum[i] + 0.5 * h * sim->Lq[i] + rattle->force[i];
      q1[i] = q0[i] + h * u[i];
    }
    if (!zw_eval_variation(sim, t1, q1, u)) return no_value(sim, ZW_ENTRY_VARIATION, t1, q1, u);
    for (int32_t i = 0; i < n; i++) {
      rattle->mean[i] += 0.5 * sim->Lv[i];
      rattle->residual[i] -= rattle->mean[i];
    }
    if (!zw_eval_position(sim, t1, q1)) return no_value(sim, ZW_ENTRY_POSITION, t1, q1, u);
    for (int32_t r = 0; r < rattle->m; r++) rattle->off[r] = -sim->phi[set->rows[r]] / h;
    if (is_last) return ZW_OK; /* what was just evaluated belongs to the last correction */
    if (!correct(sim, rattle, h, u, &progress) || diverges(&progress)) return too_long(sim, h);
    is_last = is_settled(&progress);
  }
  return too_long(sim, h);
}

/* v1 in y_new, of the momentum in rattle->mean. */
static ZwStatus find_velocities(ZwSim* sim, Rattle* rattle, double h) {
  int32_t n = sim->n;
  const double* q1 = sim->y_new;
  double *v1 = sim->y_new + n, t1 = sim->t + h;
  Progress progress = beginning;
  zw_copy(n, rattle->u, v1);
  zw_fill(n, 0, rattle->force);
  for (int k = 0; k < NEWTON_MAX; k++) {
    if (!zw_eval_variation(sim, t1, q1, v1)) return no_value(sim, ZW_ENTRY_VARIATION, t1, q1, v1);
    for (int32_t i = 0; i < n; i++) rattle->residual[i] = rattle->mean[i] + rattle->force[i] - sim->Lv[i];
    zw_multiply(rattle->m, n, rattle->A, v1, rattle->off);
    for (int32_t r = 0; r < rattle->m; r++) rattle->off[r] = -rattle->off[r];
    if (!correct(sim, rattle, h, v1, &progress) || diverges(&progress)) return too_long(sim, h);
    if (is_settled(&progress)) return ZW_OK;
  }
  return too_long(sim, h);
}

/* ---- the step ---- */

/* Whole, but for the last one, which ends where the run ends. */
static double length_of(const ZwSim* sim, double until) {
  double rest = until - sim->t, h = sim->step_fixed;
  return rest < h * (1 + NEARLY_WHOLE) ? rest : h;
}

/* What holds at the new end: rates, rank, constraints. */
static ZwStatus look_at_end(ZwSim* sim, double t) {
  int32_t row = -1;
  ZW_TRY(zw_step_settle(sim, t));
  if (zw_project_is_met(sim, t, sim->y_new, &row)) return ZW_OK;
  if (row < 0) return no_value(sim, ZW_ENTRY_VELOCITY, t, sim->y_new, sim->y_new + sim->n);
  return zw_fault_inconsistent(sim, row, 0, t, false);
}

ZwStatus zw_rattle_step(ZwSim* sim, double until) {
  Rattle* rattle = sim->integrator_memory;
  int32_t n = sim->n;
  double h = length_of(sim, until);
  bool is_whole = h == sim->step_fixed;
  bool is_kept = rattle->has_factors && rattle->m == sim->sets[ZW_LEVEL_ACCELERATION].count;
  if (is_kept && !rattle->is_factored) {
    rattle->is_factored = is_kept = zw_least_factor(rattle->least, rattle->m, rattle->M, rattle->A) == ZW_OK;
  }
  if (!is_kept) ZW_TRY(factor_at(sim, rattle, sim->t, sim->y, sim->y + n));
  ZW_TRY(find_positions(sim, rattle, h));
  for (int32_t i = 0; i < n; i++) rattle->mean[i] += 0.5 * h * sim->Lq[i];
  double t_end = is_whole ? rattle->t_origin + (double)++rattle->count * h : until;
  sim->step = sim->h_dense = t_end - sim->t;
  sim->has_dense = false;
  sim->y_new[2 * n] = sim->y[2 * n];
  ZW_TRY(factor_at(sim, rattle, t_end, sim->y_new, rattle->u));
  ZW_TRY(find_velocities(sim, rattle, h));
  ZW_TRY(look_at_end(sim, t_end));
  if (sim->has_next_sets) rattle->has_factors = false; /* other rows from there on */
  return ZW_OK;
}

/* ---- between the ends ---- */

/* The rates at both ends are there. The end itself is kept: an event may cut the step, and another state then is in its place. */
ZwStatus zw_rattle_dense(ZwSim* sim) {
  zw_copy(sim->dim, sim->y_new, sim->F[0]);
  return ZW_OK;
}

void zw_rattle_interpolate(const ZwSim* sim, double x, double* y) {
  const double *begin = sim->k[0], *end = sim->k[ZW_DOP853_STAGES], *y_end = sim->F[0];
  double z = 1 - x, h = sim->h_dense;
  for (int32_t i = 0; i < sim->dim; i++) {
    y[i] = z * z * ((1 + 2 * x) * sim->y[i] + h * x * begin[i]) + x * x * ((1 + 2 * z) * y_end[i] - h * z * end[i]);
  }
}
