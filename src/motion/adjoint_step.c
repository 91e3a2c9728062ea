/* Back along a step: weights on the state, by the explicit pair of order 8 in reversed time, with steps of its own. */
#include <float.h>
#include <math.h>

#include "least/dense.h"
#include "motion/adjoint.h"

struct ZwBack {
  int32_t n;
  ptrdiff_t size, values; /* 2 n with room to a multiple of ZW_STAGES_FOUR; parameters and literals */
  double *mu, *before, *stage;
  double *k[ZW_DOP853_STAGES_ALL], *e5, *e3;
  double* gathered;      /* by values, since the last zw_back_collect */
  double *first, *noted; /* the same at the begin of a step; at a stage */
  double* step;          /* and over the step that is tried */
  double* direct;        /* of what is varied, by columns: begin of the step, stage, step */
  double part;
  /* the program of derivatives in reverse, what it reads, q with the weights behind it, and what it gives */
  ZwDerived derived;
  ZwKernelState state;
  double *weights, *by_q, *by_v;
  double *w, *u;
};

static ZwStatus place_program(ZwSim* sim, ZwArena* arena, ZwBack* back) {
  ptrdiff_t n = sim->n;
  ZW_TRY(zw_derive_backward(sim->program, arena, &back->derived));
  const ZwProgram* program = &back->derived.program;
  double* q = ZW_NEW(arena, n + back->derived.weight_count + 1, double);
  back->by_q = ZW_NEW(arena, n + 1, double);
  back->by_v = ZW_NEW(arena, n + 1, double);
  back->state.constants = ZW_NEW(arena, program->constants + 1, double);
  back->state.registers = ZW_NEW(arena, (ptrdiff_t)program->registers * ZW_LANES, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  back->state.q = q;
  back->weights = q + n;
  back->state.tables = sim->state.tables;
  back->state.values = sim->values;
  back->state.targets[ZW_TARGET_H] = back->by_q;
  back->state.targets[ZW_TARGET_Q] = back->by_v;
  return ZW_OK;
}

ZwStatus zw_back_create(ZwSim* sim, ZwArena* arena, ZwBack** out) {
  ptrdiff_t n = sim->n, m = sim->m_all, values = sim->sensitivity->values;
  ZwBack* back = *out = ZW_NEW(arena, 1, ZwBack);
  if (!back) return ZW_ERR_MEMORY;
  *back = (ZwBack){.n = sim->n, .size = (2 * n + ZW_STAGES_FOUR - 1) & -ZW_STAGES_FOUR, .values = values, .part = 1};
  double** states[] = {&back->mu, &back->before, &back->stage, &back->e5, &back->e3};
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) *states[i] = ZW_NEW(arena, back->size, double);
  for (int s = 0; s < ZW_DOP853_STAGES_ALL; s++) back->k[s] = ZW_NEW(arena, back->size, double);
  double** sums[] = {&back->gathered, &back->first, &back->noted, &back->step};
  for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) *sums[i] = ZW_NEW(arena, values + 1, double);
  back->direct = ZW_NEW(arena, 3 * sim->sensitivity->count, double);
  back->w = ZW_NEW(arena, n + 1, double);
  back->u = ZW_NEW(arena, m + 1, double);
  return place_program(sim, arena, back);
}

void zw_back_destroy(ZwBack* back) {
  if (back) zw_derived_destroy(&back->derived);
}

void zw_back_refresh(ZwSim* sim) {
  ZwBack* back = sim->sensitivity->adjoint->back;
  zw_program_setup(&back->derived.program, &back->state);
}

double* zw_back_state(ZwBack* back) {
  return back->mu;
}

static ZwBack* back_of(const ZwSim* sim) {
  return sim->sensitivity->adjoint->back;
}

/* ---- kernels in reverse ---- */

static double* weights_on(ZwBack* back, ZwTarget target) {
  return back->weights + back->derived.weights[target];
}

/* Runs an entry in reverse at a state, with the weights that are there: into back->by_q, back->by_v, and adds to `values`. */
static void reverse(ZwBack* back, ZwEntry entry, ZwStateAt place, double* values) {
  back->state.t = place.t;
  zw_copy(back->n, place.q, back->weights - back->n);
  back->state.v = place.v;
  back->state.targets[ZW_TARGET_LV] = values;
  zw_fill(back->n, 0, back->by_q);
  zw_fill(back->n, 0, back->by_v);
  zw_program_run(&back->derived.program, entry, &back->state);
}

/* mu_v . da = -(w . dr1 + u . dr2), where M w + A^T u = mu_v, A w = 0; as weights on what dr is made of. */
static void weigh_residuals(ZwSim* sim) {
  ZwBack* back = back_of(sim);
  const ZwVariation* variation = &sim->sensitivity->variation;
  const ZwPattern *M = &sim->equations->M, *A = &sim->equations->A;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  const double *w = back->w, *a = variation->a;
  double *by_M = weights_on(back, ZW_TARGET_M), *by_A = weights_on(back, ZW_TARGET_A);
  double* by_b = weights_on(back, ZW_TARGET_B);
  for (int32_t i = 0; i < sim->n; i++) {
    for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++) {
      int32_t j = M->column[k];
      by_M[k] = i == j ? -w[i] * a[i] : -(w[i] * a[j] + w[j] * a[i]);
    }
  }
  zw_fill(A->count, 0, by_A);
  zw_fill(sim->m_all, 0, by_b);
  for (int32_t r = 0; r < set->count; r++) {
    int32_t row = set->rows[r];
    by_b[row] = back->u[r];
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
      int32_t j = A->column[k];
      by_A[k] = w[j] * variation->forces[row] - back->u[r] * a[j];
    }
  }
  zw_copy(sim->n, w, weights_on(back, ZW_TARGET_H));
  zw_copy(sim->n, w, weights_on(back, ZW_TARGET_Q));
}

static bool needs_columns(const ZwSim* sim) {
  return sim->contacts.sliding.count > 0 || sim->sensitivity->variation.host[0] != NULL;
}

/* Friction follows other forces, and the host has no kernels: change by change. */
static ZwStatus rates_by_columns(ZwSim* sim, const double* mu, double* rates, double* direct) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwVariation* variation = &sensitivity->variation;
  int32_t n = sim->n, varied = sensitivity->adjoint->varied, count = direct ? varied + 2 * n : 2 * n;
  for (int32_t i = 0; i < count; i++) {
    int32_t c = i < 2 * n ? varied + i : i - 2 * n;
    ZwDirection direction = zw_sensitivity_direction(sensitivity, c, sensitivity->now);
    if (i >= 2 * n) direction.dq = direction.dv = variation->zero;
    ZW_TRY(zw_variation_solve(sim, variation, &direction));
    double product = zw_dot(n, mu + n, variation->da);
    if (i < 2 * n)
      rates[i] = product + (i >= n ? mu[i - n] : 0);
    else
      direct[c] = product;
  }
  return ZW_OK;
}

ZwStatus zw_back_rates(ZwSim* sim, const ZwPath* path, double x, const double* mu, double* rates, double* values,
                       double* direct) {
  ZwBack* back = back_of(sim);
  ZwVariation* variation = &sim->sensitivity->variation;
  int32_t n = sim->n;
  ZW_TRY(zw_path_vary(sim, variation, path, x));
  if (values) zw_fill(back->values, 0, values);
  if (needs_columns(sim)) return rates_by_columns(sim, mu, rates, direct);
  if (direct) zw_fill(sim->sensitivity->adjoint->varied, 0, direct);
  ZwLeastResult result = {.a = back->w, .lambda = back->u};
  ZW_TRY(zw_least_answer(sim->least, mu + n, variation->zero, &result));
  for (int32_t r = 0; r < sim->sets[ZW_LEVEL_ACCELERATION].count; r++) back->u[r] = -back->u[r];
  weigh_residuals(sim);
  reverse(back, ZW_ENTRY_ACCELERATION, (ZwStateAt){variation->t, variation->y, variation->y + n},
          values ? values : back->noted);
  for (int32_t i = 0; i < n; i++) {
    rates[i] = back->by_q[i];
    rates[n + i] = mu[i] + back->by_v[i];
  }
  return ZW_OK;
}

void zw_back_collect(ZwSim* sim, double* by_values) {
  ZwBack* back = back_of(sim);
  for (ptrdiff_t i = 0; i < back->values; i++) by_values[i] += back->gathered[i];
  zw_fill(back->values, 0, back->gathered);
}

/* ---- back over a projection ---- */

/* nu = B^T x, where -B r is the step that the projection makes of residuals r. */
static ZwStatus transpose_projection(ZwSim* sim, const ZwRowSet* set, const double* x, double* nu) {
  ZwBack* back = back_of(sim);
  ZwVariation* variation = &sim->sensitivity->variation;
  sim->small.is_ahead = false;
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  ZwStatus status = zw_least_factor(sim->least, set->count, sim->M, sim->A);
  if (status && status != ZW_ERR_UNDETERMINED) return status;
  if (!status && zw_least_has_metric(sim->least)) {
    ZwLeastResult result = {.a = back->w, .lambda = nu};
    ZW_TRY(zw_least_answer(sim->least, x, variation->zero, &result));
    for (int32_t r = 0; r < set->count; r++) nu[r] = -nu[r];
    return ZW_OK;
  }
  zw_fill(set->count, 0, variation->bI);
  for (int32_t r = 0; r < set->count; r++) { /* row by row, where directions without inertia go another way */
    variation->bI[r] = 1;
    ZW_TRY(zw_least_project(sim->least, variation->bI, back->w));
    variation->bI[r] = 0;
    nu[r] = -zw_dot(sim->n, back->w, x);
  }
  return ZW_OK;
}

/* dx -= B (dr): the weights on dr. */
static ZwStatus unproject_level(ZwSim* sim, ZwLevel level, ZwStateAt place) {
  ZwBack* back = back_of(sim);
  const ZwRowSet* set = &sim->sets[level];
  bool is_position = level == ZW_LEVEL_POSITION;
  double *x = back->mu + (is_position ? 0 : sim->n),
         *weights = weights_on(back, is_position ? ZW_TARGET_PHI : ZW_TARGET_PSI);
  if (set->count == 0) return ZW_OK;
  ZW_TRY(transpose_projection(sim, set, x, back->u));
  zw_fill(sim->m_all, 0, weights);
  for (int32_t r = 0; r < set->count; r++) weights[set->rows[r]] = -back->u[r];
  reverse(back, is_position ? ZW_ENTRY_POSITION : ZW_ENTRY_VELOCITY, place, back->gathered);
  zw_axpy(sim->n, 1, back->by_q, back->mu);
  if (!is_position) zw_axpy(sim->n, 1, back->by_v, back->mu + sim->n);
  return ZW_OK;
}

/* Velocities were last, so they are first. */
static ZwStatus unproject(ZwSim* sim, const ZwPath* path) {
  double* y = sim->sensitivity->y;
  if (sim->sets[ZW_LEVEL_VELOCITY].count == 0) return ZW_OK;
  zw_path_state(path, 1, y);
  if (!zw_eval_acceleration(sim, path->t + path->h, y, y + sim->n)) return ZW_ERR_DOMAIN;
  zw_eval_dense_M(sim);
  ZwStateAt place = {path->t + path->h, y, y + sim->n};
  ZW_TRY(unproject_level(sim, ZW_LEVEL_VELOCITY, place));
  return unproject_level(sim, ZW_LEVEL_POSITION, place);
}

/* ---- steps ---- */

static void add(const ZwSim* sim, const ZwWeights* weights, double h, const double* from, double* to) {
  const ZwBack* back = back_of(sim);
  sim->stages->add(weights, back->k, h, from, to, (int32_t)back->size);
}

/* Of weights on positions or velocities: the largest on either side of a step, and what those on the others make of it in the time of the
 * run. */
double zw_back_size(const ZwSim* sim, const double* before, const double* after, bool is_velocity) {
  const ZwTrackPiece* first = &sim->sensitivity->adjoint->pieces.items[0];
  int32_t n = sim->n, own = is_velocity ? n : 0, other = n - own;
  double time = sim->t - first->path.t, in_time = is_velocity ? time : 1 / time;
  double size = fmax(zw_max_abs(n, before + own), zw_max_abs(n, after + own));
  return fmax(size, in_time * fmax(zw_max_abs(n, before + other), zw_max_abs(n, after + other))) + DBL_MIN;
}

static double error_of(ZwSim* sim, double h) {
  ZwBack* back = back_of(sim);
  int32_t n = sim->n;
  double sums[2] = {0},
         sizes[2] = {zw_back_size(sim, back->before, back->mu, false), zw_back_size(sim, back->before, back->mu, true)};
  add(sim, &sim->weights.e5, h, NULL, back->e5);
  add(sim, &sim->weights.e3, h, NULL, back->e3);
  for (int32_t i = 0; i < 2 * n; i++) {
    double unit = sim->tolerance * sizes[i >= n], d5 = back->e5[i] / unit, d3 = back->e3[i] / unit;
    sums[0] += d5 * d5;
    sums[1] += d3 * d3;
  }
  if (!(isfinite(sums[0]) && isfinite(sums[1]))) return INFINITY;
  return sums[0] > 0 ? sums[0] / sqrt((sums[0] + 0.01 * sums[1]) * (2 * n)) : 0;
}

/* Adds what a stage gathers to that of the step. */
static void gather(ZwSim* sim, double weight, const double* values, const double* direct) {
  ZwBack* back = back_of(sim);
  int32_t count = sim->sensitivity->count;
  for (ptrdiff_t i = 0; i < back->values; i++) back->step[i] += weight * values[i];
  zw_axpy(sim->sensitivity->adjoint->varied, weight, direct, back->direct + 2 * count);
}

/* A step of a part of the path from x back, where the rate and what it gathers are there; `mu` behind it. */
static ZwStatus run_stages(ZwSim* sim, const ZwPath* path, double x, double part) {
  ZwBack* back = back_of(sim);
  int32_t count = sim->sensitivity->count;
  double h = part * path->h, *direct = back->direct + count;
  zw_fill(back->values, 0, back->step);
  zw_fill(count, 0, back->direct + 2 * count);
  gather(sim, h * zw_dop853.b[0], back->first, back->direct);
  for (int s = 1; s < ZW_DOP853_STAGES; s++) {
    add(sim, &sim->weights.stages[s], h, back->before, back->stage);
    ZW_TRY(zw_back_rates(sim, path, x - zw_dop853.c[s] * part, back->stage, back->k[s], back->noted, direct));
    if (zw_dop853.b[s] != 0) gather(sim, h * zw_dop853.b[s], back->noted, direct);
  }
  add(sim, &sim->weights.end, h, back->before, back->mu);
  return ZW_OK;
}

static ZwStatus step_back(ZwSim* sim, const ZwPath* path, double* x, double* gradient) {
  ZwBack* back = back_of(sim);
  int32_t count = sim->sensitivity->count;
  zw_copy(back->size, back->mu, back->before);
  ZW_TRY(zw_back_rates(sim, path, *x, back->before, back->k[0], back->first, back->direct));
  bool is_found = false;
  double part = 0;
  while (!is_found) {
    part = zw_path_part(back->part, *x, *x - path->singular);
    if (part == 0) return ZW_ERR_INCONSISTENT;
    ZW_TRY(run_stages(sim, path, *x, part));
    ZW_TRY(zw_path_judge(part, error_of(sim, part * path->h), ZW_DOP853_ORDER, &is_found, &back->part));
  }
  *x = part == *x ? 0 : *x - part;
  zw_axpy(sim->sensitivity->adjoint->varied, 1, back->direct + 2 * count, gradient);
  for (ptrdiff_t i = 0; i < back->values; i++) back->gathered[i] += back->step[i];
  return ZW_OK;
}

ZwStatus zw_back_over(ZwSim* sim, const ZwTrackPiece* piece, double* gradient) {
  const ZwPath* path = &piece->path;
  ZW_TRY(unproject(sim, path));
  if (piece->is_stiff) return zw_back_over_stiff(sim, path, back_of(sim)->gathered, gradient);
  for (double x = 1; x > 0;) ZW_TRY(step_back(sim, path, &x, gradient));
  return ZW_OK;
}
