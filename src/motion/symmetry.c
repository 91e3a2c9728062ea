/* Symmetries of the equations that are affine in the coordinates: translations of cyclic coordinates, turns about an axis, in angles,
 * in Cartesian coordinates or in quaternions, and all of them together.
 *
 * X(q) = B q + c with t' = tau is one if, at every state on the constraints,
 *
 *   a_q X + a_v B v + a_t tau = B a            motions go to motions,
 *   phi_q X + phi_t tau = 0, psi_q X + psi_v B v + psi_t tau = 0        on the constraints,
 *   T_q X + T_v B v = 0                        and masses stay what they are: no change of scale,
 *
 * where T is the quadratic part of L. All this is linear in (B, c, tau): at enough states chosen at random, its null space is
 * the answer. States must be on the constraints, since off them the accelerations are nobody's. */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "least/qr.h"
#include "motion/linear.h"

/* A pivot below this part of the first one is zero: numbers at the states are good to about 1e-12. */
#define TOL_NULL 1e-8
/* Differences in time: for equations that depend on it, whose symmetries are not those of others. */
#define TIME_STEP 1e-4

enum { SPARE = 4 };    /* states more than unknowns need */
enum { ATTEMPTS = 6 }; /* to find a state on the constraints, nearer each time */

typedef struct Search {
  ZwSim* sim;
  ZwNear near;
  int32_t n;
  bool is_affine; /* B is unknown too */
  ptrdiff_t unknowns;
  double* rows; /* what has been gathered: count x unknowns */
  ptrdiff_t count, room;
  double* a_t;       /* n */
  double *T_q, *T_v; /* n */
  const double *q0, *v0;
  double t0, t;
  uint64_t seed;
} Search;

void zw_symmetry_apply(int32_t n, const double* field, const double* q, const double* v, double* dq, double* dv) {
  const double *B = field, *c = field + (ptrdiff_t)n * n;
  for (int32_t i = 0; i < n; i++) {
    dq[i] = zw_dot(n, B + (ptrdiff_t)i * n, q) + c[i];
    dv[i] = zw_dot(n, B + (ptrdiff_t)i * n, v);
  }
}

/* ---- states ---- */

/* In [-1, 1), the same ones always. */
static double draw(Search* s) {
  s->seed += 0x9E3779B97F4A7C15u;
  uint64_t z = s->seed;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* A state around the first one, on the constraints. */
static bool move_aside(Search* s) {
  ZwSim* sim = s->sim;
  double size = 0.5;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++, size /= 4) {
    s->t = s->t0 + size * draw(s);
    for (int32_t i = 0; i < s->n; i++) {
      sim->y[i] = s->q0[i] + size * draw(s) * (1 + fabs(s->q0[i]));
      sim->y[s->n + i] = s->v0[i] + 2 * size * draw(s) * (1 + fabs(s->v0[i]));
    }
    bool is_met = zw_start_settle(sim, s->t, false);
    if (!is_met) continue;
    memcpy(s->near.q, sim->y, 2 * (size_t)s->n * sizeof(double));
    if (zw_near_evaluate(sim, s->t, &s->near) == ZW_OK) return true;
  }
  return false;
}

/* How the accelerations change with the time alone. */
static bool find_time_slope(Search* s) {
  ZwSim* sim = s->sim;
  double h = TIME_STEP * (1 + fabs(s->t));
  double* rate = sim->k[ZW_DOP853_STAGES + 1];
  if (zw_eval_rate(sim, s->t + h, s->near.q, rate)) return false;
  memcpy(s->a_t, sim->a, (size_t)s->n * sizeof(double));
  if (zw_eval_rate(sim, s->t - h, s->near.q, rate)) return false;
  for (int32_t i = 0; i < s->n; i++) s->a_t[i] = (s->a_t[i] - sim->a[i]) / (2 * h);
  return true;
}

/* T(q, v) = (L(v) + L(-v)) / 2 - L(0) */
static bool find_kinetic_slopes(Search* s) {
  ZwSim* sim = s->sim;
  int32_t n = s->n;
  double *q = s->near.q, *v = s->near.v;
  zw_fill(n, 0, s->T_q);
  zw_fill(n, 0, s->T_v);
  for (int pass = 0; pass < 2; pass++) {
    bool is_finite = zw_eval_variation(sim, s->t, q, v);
    zw_axpy(n, 0.5, sim->Lq, s->T_q);
    zw_axpy(n, pass == 0 ? 0.5 : -0.5, sim->Lv, s->T_v);
    zw_scale(n, -1, v); /* twice: as it was */
    if (!is_finite) {
      if (pass == 0) zw_scale(n, -1, v);
      return false;
    }
  }
  bool is_finite = zw_eval_variation(sim, s->t, q, sim->zero);
  zw_axpy(n, -1, sim->Lq, s->T_q);
  return is_finite;
}

/* ---- rows ---- */

/* X is asked for by x, B v by y, and B (-z) in row i of the equations; tau by `time`. */
static void add_row(Search* s, const double* x, const double* y, int32_t i, const double* z, double time) {
  int32_t n = s->n;
  double* row = s->rows + s->count++ * s->unknowns;
  double* c = s->is_affine ? row + (ptrdiff_t)n * n : row;
  for (int32_t j = 0; j < n; j++) {
    c[j] = x[j];
    if (!s->is_affine) continue;
    double* B = row + (ptrdiff_t)j * n;
    for (int32_t k = 0; k < n; k++) B[k] = x[j] * s->near.q[k] + y[j] * s->near.v[k] - (z && i == j ? z[k] : 0);
  }
  c[n] = time;
}

/* The rows added since `from` have one size in common: a row that is nothing but rounding stays so. */
static void scale_rows(Search* s, ptrdiff_t from) {
  double* rows = s->rows + from * s->unknowns;
  ptrdiff_t count = (s->count - from) * s->unknowns;
  double most = zw_max_abs(count, rows);
  for (ptrdiff_t i = 0; most > 0 && i < count; i++) rows[i] /= most;
}

static void add_motion(Search* s) {
  const ZwNear* near = &s->near;
  ptrdiff_t n = s->n, from = s->count;
  for (int32_t i = 0; i < s->n; i++) add_row(s, near->a_q + i * n, near->a_v + i * n, i, near->a, s->a_t[i]);
  scale_rows(s, from);
}

static void add_constraints(Search* s) {
  const ZwNear* near = &s->near;
  ptrdiff_t n = s->n, from = s->count;
  for (int32_t r = 0; r < near->rp; r++) { /* phi' = phi_q v + phi_t = 0 */
    add_row(s, near->Ap + r * n, s->sim->zero, -1, NULL, -zw_dot(s->n, near->Ap + r * n, near->v));
  }
  scale_rows(s, from);
  from = s->count;
  for (int32_t r = 0; r < near->rv; r++) { /* psi' = psi_q v + psi_v a + psi_t = A a - b */
    add_row(s, near->psi_q + r * n, near->Av + r * n, -1, NULL,
            -near->b[r] - zw_dot(s->n, near->psi_q + r * n, near->v));
  }
  scale_rows(s, from);
}

static void add_masses(Search* s) {
  ptrdiff_t from = s->count;
  add_row(s, s->T_q, s->T_v, -1, NULL, 0);
  scale_rows(s, from);
}

/* ---- the answer ---- */

/* Columns as long as others, so that small units do not count less; gives back by what they were divided. */
static void scale_columns(Search* s, double* scale) {
  double most = 0;
  for (ptrdiff_t j = 0; j < s->unknowns; j++) {
    scale[j] = 0;
    for (ptrdiff_t i = 0; i < s->count; i++) scale[j] = zw_larger(scale[j], fabs(s->rows[i * s->unknowns + j]));
    most = zw_larger(most, scale[j]);
  }
  for (ptrdiff_t j = 0; j < s->unknowns; j++) {
    if (!(scale[j] > TOL_NULL * most)) scale[j] = 1;
    for (ptrdiff_t i = 0; i < s->count; i++) s->rows[i * s->unknowns + j] /= scale[j];
  }
}

/* Does nothing that was gathered speak of the time? */
static bool is_autonomous(const Search* s) {
  double most = 0;
  for (ptrdiff_t i = 1; i <= s->count; i++) most = zw_larger(most, fabs(s->rows[i * s->unknowns - 1]));
  return most < TOL_NULL;
}

static ZwStatus read_null_space(Search* s, ZwArena* arena, ZwSymmetries* symmetries) {
  ptrdiff_t u = s->unknowns, n = s->n;
  double *tau = ZW_NEW(arena, u, double), *norms = ZW_NEW(arena, 2 * s->count, double), *x = ZW_NEW(arena, u, double),
         *scale = ZW_NEW(arena, u, double);
  int32_t* order = ZW_NEW(arena, s->count, int32_t);
  if (arena->failed) return ZW_ERR_MEMORY;
  scale_columns(s, scale);
  ZwQr qr = {(int32_t)u, (int32_t)s->count, s->rows, tau};
  zw_qr_factor_pivoted(&qr, order, norms);
  double first = s->count > 0 ? fabs(zw_qr_diagonal(&qr, 0)) : 0;
  int32_t rank = first > 0 ? zw_qr_rank(&qr, TOL_NULL * first) : 0;
  symmetries->count = (int32_t)u - rank;
  symmetries->fields = ZW_NEW(arena, symmetries->count * zw_symmetry_size(s->n), double);
  if (arena->failed) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < symmetries->count; k++) {
    double* field = symmetries->fields + k * zw_symmetry_size(s->n);
    zw_fill(u, 0, x);
    x[rank + k] = 1;
    zw_qr_apply_q(&qr, x);
    for (ptrdiff_t j = 0; j < u; j++) x[j] /= scale[j];
    memcpy(s->is_affine ? field : field + n * n, x, (size_t)u * sizeof(double));
  }
  return ZW_OK;
}

/* Masses have as many numbers as a quadratic form; one state says something about one. */
static ptrdiff_t states_for_masses(const Search* s) {
  ptrdiff_t n = s->n;
  return (s->is_affine ? n * (n + 1) / 2 : n) + SPARE;
}

static void gather(Search* s) {
  ptrdiff_t whole = s->unknowns / s->n + 1 + SPARE, states = states_for_masses(s);
  if (states < whole) states = whole;
  for (ptrdiff_t k = 0; k < states; k++) {
    if (!move_aside(s)) continue;
    bool has_time = k >= whole || find_time_slope(s);
    if (!has_time) continue;
    if (k < whole) {
      add_motion(s);
      add_constraints(s);
    }
    if (find_kinetic_slopes(s)) add_masses(s);
  }
}

ZwStatus zw_symmetries_find(ZwSim* sim, ZwArena* arena, double t, const double* q, const double* v,
                            ZwSymmetries* symmetries) {
  ptrdiff_t n = sim->n;
  Search s = {.sim = sim, .n = sim->n, .q0 = q, .v0 = v, .t0 = t, .seed = 1};
  *symmetries = (ZwSymmetries){.n = sim->n};
  s.is_affine = n <= ZW_SYMMETRY_AFFINE_UP_TO;
  s.unknowns = s.is_affine ? n * n + n + 1 : n + 1;
  ptrdiff_t whole = s.unknowns / (n > 0 ? n : 1) + 1 + SPARE;
  s.room = whole * (n + 2 * (ptrdiff_t)sim->m) + states_for_masses(&s) + whole;
  s.rows = ZW_NEW(arena, s.room * s.unknowns, double);
  s.a_t = ZW_NEW(arena, 3 * n, double);
  symmetries->is_autonomous = true;
  if (n == 0) return ZW_OK;
  ZW_TRY(zw_near_create(sim, arena, &s.near));
  if (arena->failed) return ZW_ERR_MEMORY;
  s.T_q = s.a_t + n;
  s.T_v = s.T_q + n;
  gather(&s);
  symmetries->is_autonomous = is_autonomous(&s);
  return read_null_space(&s, arena, symmetries);
}
