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
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "least/qr.h"
#include "least/svd.h"
#include "motion/linear.h"

/* A pivot below this part of the first one is zero: numbers at the states are good to about 1e-12. */
#define TOL_NULL 1e-8
/* Differences in time, in that of the mechanism: for equations that depend on it, whose symmetries are not those of others. */
#define TIME_STEP 1e-3
/* ... and at least this part of the time itself, which has no more digits. */
#define TIME_DIGITS 1e-10

/* Rounding becomes at most this part of that. */
#define NOISE_TO_NULL 10.0

/* So many times the rounding of a row, and at least this part of the terms that cancel in it, a field may be off it. */
#define NOISE_SAFETY 8.0
#define NOISE_LEAST (8 * DBL_EPSILON)
/* A field that has less of the time than this has none. */
#define TOL_OF_TIME 1e-9
/* A field that has more than this part of one that was dropped is that one. */
#define MOSTLY 0.5

/* Unknowns by kind: entries of B, of c, and tau. Numbers that multiply unknowns of one kind are known about equally well. */
enum { KIND_TURN, KIND_SHIFT, KIND_TIME, KINDS };

/* Forces at rest that are slower than this part of the mechanism are looked at by themselves. */
#define SLOW 0.125

enum { AGAIN = 2 };            /* times that a state is looked at again, moved by rounding */
enum { SEEN = 4 };             /* states at which fields that vanish on the constraints are told apart */
enum { SPARE = 4 };            /* states more than unknowns need */
enum { ATTEMPTS = 6 };         /* to find a state on the constraints, nearer each time */
enum { UNKNOWNS_MOST = 1200 }; /* more would take too long: translations alone are looked for */

/* An entry of B that is looked for. */
typedef struct Entry {
  int32_t row, column;
} Entry;

typedef struct Search {
  ZwSim* sim;
  const ZwMechanisms* all;
  int32_t which;
  ZwMechanism* m;
  const ZwNear* near; /* that of the mechanism: everything below is in its units */
  ZwNear model;
  int32_t n;
  Entry* entries; /* entry_count: of B; all others are zero */
  ptrdiff_t entry_count, unknowns;
  double* rows;  /* what has been gathered: count x unknowns */
  double* noise; /* count x KINDS: how well each row is known */
  ptrdiff_t count, room;
  double *a_t,
      *blur_t;       /* n: how accelerations change with the time, and the rounding of the differences that tell it */
  double *T_q, *T_v; /* n */
  const double *q0, *v0; /* of the model */
  double t0, t;
  double slow; /* the pace of the forces at rest, where velocities are much faster; else 0 */
  uint64_t seed;
  double* seen; /* SEEN x 2 n: states on the constraints, positions and velocities */
  int32_t seen_count;
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

/* A state around the first one, on the constraints; what other mechanisms do stays. `is_slow`: around rest, at the pace of the forces. */
static bool move_aside(Search* s, bool is_slow) {
  ZwSim* sim = s->sim;
  double size = 0.5;
  for (int attempt = 0; attempt < ATTEMPTS; attempt++, size /= 4) {
    s->t = s->t0 + size * draw(s) / s->m->pace;
    zw_copy(sim->n, s->q0, sim->y);
    zw_copy(sim->n, s->v0, sim->y + sim->n);
    for (int32_t j = 0; j < s->n; j++) {
      int32_t i = s->m->coords[j];
      double unit = s->m->size[j], rate = unit * (is_slow ? s->slow : s->m->pace), v0 = is_slow ? 0 : s->v0[i];
      sim->y[i] += size * draw(s) * (unit + fabs(s->q0[i]));
      sim->y[sim->n + i] = v0 + 2 * size * draw(s) * (rate + fabs(v0));
    }
    bool is_met = zw_start_settle(sim, s->t, false);
    if (!is_met) continue;
    memcpy(s->model.q, sim->y, 2 * (size_t)sim->n * sizeof(double));
    if (zw_near_evaluate(sim, s->t, &s->model) != ZW_OK) continue;
    zw_mechanism_look(sim, s->all, s->which, &s->model);
    return true;
  }
  return false;
}

/* The weight of a top that spins fast is next to nothing beside what its spin makes of it, and so are the fields that the weight tells
 * apart. At rest it is all there is. */
static void find_slow_pace(Search* s) {
  double* v = s->model.v;
  zw_copy(s->sim->n, s->q0, s->model.q);
  zw_copy(s->sim->n, s->v0, v);
  for (int32_t j = 0; j < s->n; j++) v[s->m->coords[j]] = 0;
  if (zw_near_evaluate(s->sim, s->t0, &s->model)) return;
  double pace = zw_mechanism_pace(s->sim, &s->model, s->m);
  if (pace < SLOW * s->m->pace) s->slow = pace;
}

/* What an acceleration is made of before forces and reactions cancel; after an evaluation. */
static double terms_of(const ZwSim* sim, int32_t coord) {
  double mass = zw_rows_mass(sim, coord), size = fabs(sim->a[coord]);
  return mass > 0 ? zw_larger(size, (fabs(sim->h[coord]) + fabs(sim->Qc[coord])) / mass) : size;
}

/* How the accelerations change with the time alone: differences of fourth order. */
static bool find_time_slope(Search* s) {
  static const double weights[] = {1, -8, 8, -1}; /* at -2 h, -h, h, 2 h */
  static const double places[] = {-2, -1, 1, 2};
  ZwSim* sim = s->sim;
  double pace = s->m->pace, h = zw_larger(TIME_STEP / pace, TIME_DIGITS * fabs(s->t));
  double* rate = sim->k[ZW_DOP853_STAGES + 1];
  zw_fill(s->n, 0, s->a_t);
  zw_fill(s->n, 0, s->blur_t);
  for (int k = 0; k < 4; k++) {
    if (zw_eval_rate(sim, s->t + places[k] * h, s->model.q, rate)) return false;
    for (int32_t j = 0; j < s->n; j++) {
      double part = weights[k] / (12 * h * s->m->size[j] * pace * pace * pace);
      s->a_t[j] += part * sim->a[s->m->coords[j]];
      s->blur_t[j] += DBL_EPSILON * fabs(part) * terms_of(sim, s->m->coords[j]);
    }
  }
  return true;
}

static void add_slopes(Search* s, double part_q, double part_v) {
  for (int32_t j = 0; j < s->n; j++) {
    int32_t i = s->m->coords[j];
    s->T_q[j] += part_q * s->sim->Lq[i] * s->m->size[j];
    s->T_v[j] += part_v * s->sim->Lv[i] * s->m->size[j] * s->m->pace;
  }
}

/* T(q, v) = (L(v) + L(-v)) / 2 - L(0) */
static bool find_kinetic_slopes(Search* s) {
  ZwSim* sim = s->sim;
  int32_t n = sim->n;
  double *q = s->model.q, *v = s->model.v;
  zw_fill(s->n, 0, s->T_q);
  zw_fill(s->n, 0, s->T_v);
  bool is_finite = zw_eval_variation(sim, s->t, q, v);
  add_slopes(s, 0.5, 0.5);
  zw_scale(n, -1, v);
  is_finite = is_finite && zw_eval_variation(sim, s->t, q, v);
  add_slopes(s, 0.5, -0.5);
  zw_scale(n, -1, v); /* as it was */
  is_finite = is_finite && zw_eval_variation(sim, s->t, q, sim->zero);
  add_slopes(s, -1, 0);
  return is_finite;
}

/* ---- rows ---- */

/* X is asked for by x, B v by y, and B (-z) in row i of the equations; tau by `time`. */
static void add_row(Search* s, const double* x, const double* y, int32_t i, const double* z, double time) {
  double *row = s->rows + s->count++ * s->unknowns, *c = row + s->entry_count;
  const double *q = s->near->q, *v = s->near->v;
  for (ptrdiff_t e = 0; e < s->entry_count; e++) {
    int32_t j = s->entries[e].row, k = s->entries[e].column;
    row[e] = x[j] * q[k] + y[j] * v[k] - (z && i == j ? z[k] : 0);
  }
  zw_copy(s->n, x, c);
  c[s->n] = time;
}

static int kind_of(const Search* s, ptrdiff_t unknown) {
  if (unknown < s->entry_count) return KIND_TURN;
  return unknown + 1 < s->unknowns ? KIND_SHIFT : KIND_TIME;
}

/* Rows from `from` on, and the same rows beside them, at states that differ by rounding, from `from + count` on: each is divided by its
 * largest number, unless that would make rounding larger than what counts as zero. A row that is nothing but rounding stays so, and
 * slow motions beside fast ones are not lost. `noise` holds what is known of it already. */
static void scale_rows(Search* s, ptrdiff_t from, ptrdiff_t count) {
  ptrdiff_t u = s->unknowns;
  for (ptrdiff_t i = from; i < from + count; i++) {
    double *row = s->rows + i * u, *noise = s->noise + i * KINDS;
    for (ptrdiff_t again = i + count; again < s->count; again += count) {
      for (ptrdiff_t j = 0; j < u; j++) {
        double* of_kind = &noise[kind_of(s, j)];
        *of_kind = zw_larger(*of_kind, fabs(s->rows[again * u + j] - row[j]));
      }
    }
    double most = zw_larger(zw_max_abs(u, row), zw_max_abs(KINDS, noise) * NOISE_TO_NULL / TOL_NULL);
    for (ptrdiff_t j = 0; most > 0 && j < u; j++) row[j] /= most;
    if (most > 0) zw_scale(KINDS, 1 / most, noise);
  }
  s->count = from + count;
}

/* The rows of the motion and of the constraints at the present state. */
static void add_equations(Search* s) {
  const ZwNear* near = s->near;
  ptrdiff_t n = s->n;
  for (int32_t i = 0; i < s->n; i++) add_row(s, near->a_q + i * n, near->a_v + i * n, i, near->a, s->a_t[i]);
  for (int32_t r = 0; r < near->rp; r++) { /* phi' = phi_q v + phi_t = 0 */
    add_row(s, near->Ap + r * n, s->sim->zero, -1, NULL, -zw_dot(s->n, near->Ap + r * n, near->v));
  }
  for (int32_t r = 0; r < near->rv; r++) { /* psi' = psi_q v + psi_v a + psi_t = A a - b */
    add_row(s, near->psi_q + r * n, near->Av + r * n, -1, NULL,
            -near->b[r] - zw_dot(s->n, near->psi_q + r * n, near->v));
  }
}

static double sum_of_terms(int32_t n, const double* x, const double* y) {
  double sum = 0;
  for (int32_t j = 0; j < n; j++) sum += fabs(x[j] * y[j]);
  return sum;
}

/* What is known of the rounding of these rows: that of the differences and sums which tell how they change with the time. */
static void note_blur(const Search* s, ptrdiff_t from) {
  const ZwNear* near = s->near;
  ptrdiff_t n = s->n;
  double* noise = s->noise + from * KINDS;
  zw_fill((s->count - from) * KINDS, 0, noise);
  for (int32_t i = 0; i < s->n; i++, noise += KINDS) noise[KIND_TIME] = s->blur_t[i];
  for (int32_t r = 0; r < near->rp; r++, noise += KINDS) {
    noise[KIND_TIME] = DBL_EPSILON * sum_of_terms(s->n, near->Ap + r * n, near->v);
  }
  for (int32_t r = 0; r < near->rv; r++, noise += KINDS) {
    noise[KIND_TIME] = DBL_EPSILON * (fabs(near->b[r]) + sum_of_terms(s->n, near->psi_q + r * n, near->v));
  }
}

/* Moves the present state by rounding. */
static void stir(Search* s) {
  for (int32_t j = 0; j < s->n; j++) {
    int32_t i = s->m->coords[j];
    double unit = s->m->size[j], rate = unit * s->m->pace;
    s->model.q[i] += 2 * DBL_EPSILON * draw(s) * (unit + fabs(s->model.q[i]));
    s->model.v[i] += 2 * DBL_EPSILON * draw(s) * (rate + fabs(s->model.v[i]));
  }
}

static bool look_again(Search* s) {
  stir(s);
  if (zw_near_evaluate(s->sim, s->t, &s->model) != ZW_OK) return false;
  zw_mechanism_look(s->sim, s->all, s->which, &s->model);
  return find_time_slope(s);
}

/* What the present state says about (B, c, tau), by motion and constraints. */
static bool add_state(Search* s) {
  ptrdiff_t from = s->count;
  if (!find_time_slope(s)) return false;
  add_equations(s);
  ptrdiff_t count = s->count - from;
  note_blur(s, from);
  for (int again = 0; again < AGAIN; again++) {
    if (!look_again(s)) {
      s->count = from;
      return false;
    }
    add_equations(s);
  }
  scale_rows(s, from, count);
  return true;
}

/* What it says by the masses. They may read a coordinate on which they do not depend: the cosine and the sine of an angle, squared and
 * added. That is known to rounding, as all is. */
static void add_masses(Search* s) {
  ptrdiff_t from = s->count;
  for (int again = 0; again <= AGAIN; again++) {
    if (again > 0) stir(s);
    zw_mechanism_read(s->m, s->model.q, s->model.v);
    if (find_kinetic_slopes(s)) add_row(s, s->T_q, s->T_v, -1, NULL, 0);
  }
  if (s->count == from) return;
  zw_fill(KINDS, 0, s->noise + from * KINDS);
  scale_rows(s, from, 1);
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

/* How far the fields (count x unknowns, of columns that were divided by `scale`) may be off each row by rounding: that of the numbers in
 * the row, and of the terms that cancel. */
static void find_doubts(const Search* s, const double* rows, const double* scale, int32_t count, const double* fields,
                        double* doubts) {
  ptrdiff_t u = s->unknowns;
  for (ptrdiff_t i = 0; i < s->count; i++) {
    const double *row = rows + i * u, *noise = s->noise + i * KINDS;
    double known = 0, terms = 0;
    for (int32_t k = 0; k < count; k++) {
      const double* field = fields + k * u;
      double sum = 0;
      for (ptrdiff_t j = 0; j < u; j++) {
        double off = noise[kind_of(s, j)] * field[j] / scale[j];
        known += off * off;
        sum += fabs(row[j] * field[j]);
      }
      terms += sum * sum;
    }
    doubts[i] = NOISE_SAFETY * sqrt(known) + NOISE_LEAST * sqrt(terms);
  }
}

/* E (rows x count) = by how much the fields are off each row, in what they may be off by; 0: a row that says nothing of them. */
static void find_errors(const Search* s, const double* rows, const double* doubts, int32_t count, const double* fields,
                        double* E) {
  ptrdiff_t u = s->unknowns;
  for (ptrdiff_t i = 0; i < s->count; i++) {
    for (int32_t k = 0; k < count; k++) {
      double sum = zw_dot((int32_t)u, rows + i * u, fields + k * u);
      E[i * count + k] = doubts[i] > 0 ? sum / doubts[i] : 0;
    }
  }
}

/* Fields from the QR factorisation keep some rows exactly, and the rounding of these may be many times as large in the others: where the
 * last pivots are small. The fields are changed, within what `qr` calls its range, so that they keep all rows as well as can be. */
static ZwStatus refine(const Search* s, ZwArena* arena, const ZwQr* qr, int32_t rank, const double* rows,
                       const double* doubts, double* E, int32_t count, double* fields) {
  ptrdiff_t u = s->unknowns, wide = s->count;
  double *K = ZW_NEW(arena, rank * wide + 1, double), *tau = ZW_NEW(arena, rank + 1, double),
         *x = ZW_NEW(arena, wide + u + 1, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  if (rank == 0 || wide < rank) return ZW_OK;
  double* turned = x + wide;
  for (ptrdiff_t i = 0; i < wide; i++) { /* K = (rows / doubts) Q, by columns */
    zw_copy((int32_t)u, rows + i * u, turned);
    zw_qr_apply_qt(qr, turned);
    for (int32_t k = 0; k < rank; k++) K[k * wide + i] = doubts[i] > 0 ? turned[k] / doubts[i] : 0;
  }
  ZwQr fit = {(int32_t)wide, rank, K, tau};
  zw_qr_factor(&fit);
  if (!(zw_qr_ratio(&fit) > 0)) return ZW_OK;
  for (int32_t k = 0; k < count; k++) {
    for (ptrdiff_t i = 0; i < wide; i++) x[i] = -E[i * count + k];
    zw_qr_apply_qt(&fit, x);
    zw_qr_solve_r(&fit, rank, x);
    zw_copy(rank, x, turned);
    zw_fill((int32_t)u - rank, 0, turned + rank);
    zw_qr_apply_q(qr, turned);
    zw_axpy((int32_t)u, 1, turned, fields + k * u);
  }
  return ZW_OK;
}

/* Combinations of the fields, by the rows of `by` (count x count), in their place. */
static ZwStatus combine(ptrdiff_t u, ZwArena* arena, const double* by, int32_t count, double* fields) {
  double* to = ZW_NEW(arena, count * u + 1, double);
  if (!to) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < count; k++) {
    for (int32_t i = 0; i < count; i++) {
      zw_axpy((int32_t)u, by[(ptrdiff_t)k * count + i], fields + i * u, to + k * u);
    }
  }
  memcpy(fields, to, (size_t)(count * u) * sizeof(double));
  return ZW_OK;
}

/* The rows as they were before they were factored, and how their columns were divided. */
typedef struct Given {
  const ZwQr* qr;
  int32_t rank;
  const double *rows, *scale;
} Given;

/* Turns the fields so that those come first which the rows do not keep to rounding: a small pivot may be a weak force, and not none. *weak:
 * how many these are. */
static ZwStatus bring_weak(const Search* s, ZwArena* arena, const Given* given, int32_t count, double* fields,
                           int32_t* weak) {
  double *E = ZW_NEW(arena, s->count * count + 1, double), *sigma = ZW_NEW(arena, count + 1, double);
  double *left = ZW_NEW(arena, s->count * count + 1, double),
         *right = ZW_NEW(arena, (ptrdiff_t)count * count + 1, double), *doubts = ZW_NEW(arena, s->count + 1, double);
  *weak = 0;
  if (arena->failed) return ZW_ERR_MEMORY;
  if (count == 0 || s->count < count) return ZW_OK;
  for (int again = 0; again < 2; again++) {
    find_doubts(s, given->rows, given->scale, count, fields, doubts);
    find_errors(s, given->rows, doubts, count, fields, E);
    if (again > 0) ZW_TRY(refine(s, arena, given->qr, given->rank, given->rows, doubts, E, count, fields));
    if (again > 0) find_errors(s, given->rows, doubts, count, fields, E);
    if (zw_svd((int32_t)s->count, count, E, sigma, left, right)) return ZW_ERR_STEP;
    for (*weak = 0; *weak < count && sigma[*weak] > sqrt((double)s->count);) (*weak)++;
    if (*weak == 0) return ZW_OK;
  }
  return combine(s->unknowns, arena, right, count, fields);
}

/* Turns the fields so that the last one alone has something of `direction`, which is of length 1; how much. */
static double bring_last(ptrdiff_t u, const double* direction, int32_t count, double* fields) {
  double* last = fields + (count - 1) * u;
  for (int32_t k = 0; k + 1 < count; k++) {
    double *field = fields + k * u, a = zw_dot((int32_t)u, direction, field), b = zw_dot((int32_t)u, direction, last);
    double length = hypot(a, b);
    for (ptrdiff_t j = 0; j < u && length > 0; j++) {
      double x = field[j], y = last[j];
      field[j] = (b * x - a * y) / length;
      last[j] = (a * x + b * y) / length;
    }
  }
  return fabs(zw_dot((int32_t)u, direction, last));
}

/* Of the fields that have nothing to do with the time those that the rows do not keep to rounding, into `weak`. How rows change with the time
 * comes from differences and is known less well than all else, so that beside fields that go with it a weak force is not seen. */
static ZwStatus find_weak_at_rest(const Search* s, ZwArena* arena, const Given* given, int32_t count,
                                  const double* fields, double* weak, int32_t* found) {
  ptrdiff_t u = s->unknowns;
  double* time = ZW_NEW(arena, u, double);
  if (!time) return ZW_ERR_MEMORY;
  time[u - 1] = 1;
  memcpy(weak, fields, (size_t)(count * u) * sizeof(double));
  bool has_time = bring_last(u, time, count, weak) > TOL_OF_TIME;
  return bring_weak(s, arena, given, has_time ? count - 1 : count, weak, found);
}

static void leave_out(ptrdiff_t u, int32_t weak, int32_t* count, double* fields) {
  *count -= weak;
  memmove(fields, fields + weak * u, (size_t)(*count * u) * sizeof(double));
}

/* Fields that the rows do not keep to rounding are dropped; *count becomes how many are left. */
static ZwStatus drop_weak(const Search* s, ZwArena* arena, const Given* given, int32_t* count, double* fields) {
  ptrdiff_t u = s->unknowns;
  double* at_rest = ZW_NEW(arena, *count * u + 1, double);
  if (!at_rest) return ZW_ERR_MEMORY;
  if (*count == 0) return ZW_OK;
  int32_t weak, found;
  ZW_TRY(find_weak_at_rest(s, arena, given, *count, fields, at_rest, &found));
  ZW_TRY(bring_weak(s, arena, given, *count, fields, &weak));
  leave_out(u, weak, count, fields);
  for (int32_t k = 0; k<found&& * count> 0; k++) {
    if (bring_last(u, at_rest + k * u, *count, fields) > MOSTLY) (*count)--;
  }
  return ZW_OK;
}

/* What a field does to a state: changes of positions, of velocities, of the time. */
static void act(const Search* s, const double* field, const double* state, double* to) {
  int32_t n = s->n;
  zw_copy(n, field + s->entry_count, to);
  zw_fill(n, 0, to + n);
  for (ptrdiff_t e = 0; e < s->entry_count; e++) {
    int32_t i = s->entries[e].row, j = s->entries[e].column;
    to[i] += field[e] * state[j];
    to[n + i] += field[e] * state[n + j];
  }
  to[2 * n] = field[s->entry_count + n]; /* the time */
}

/* Fields (count x unknowns) that vanish on the constraints move nothing, and are dropped. How many are left. */
static int32_t drop_idle(const Search* s, ZwArena* arena, int32_t count, double* fields) {
  ptrdiff_t u = s->unknowns, wide = 2 * s->n + 1, rows = s->seen_count * wide;
  double *K = ZW_NEW(arena, rows * count + 1, double), *sigma = ZW_NEW(arena, count + 1, double);
  double *left = ZW_NEW(arena, rows * count + 1, double), *right = ZW_NEW(arena, (ptrdiff_t)count * count + 1, double);
  double *kept = ZW_NEW(arena, count * u + 1, double), *to = ZW_NEW(arena, wide, double);
  if (arena->failed || count == 0 || rows < count) return arena->failed ? 0 : count;
  for (int32_t k = 0; k < count; k++) {
    for (int32_t r = 0; r < s->seen_count; r++) {
      act(s, fields + k * u, s->seen + (ptrdiff_t)r * 2 * s->n, to);
      for (ptrdiff_t i = 0; i < wide; i++) K[(r * wide + i) * count + k] = to[i];
    }
  }
  if (zw_svd((int32_t)rows, count, K, sigma, left, right)) return count;
  int32_t moving = 0;
  while (moving < count && sigma[moving] > TOL_NULL * sigma[0]) moving++;
  for (int32_t k = 0; k < moving; k++) {
    for (int32_t i = 0; i < count; i++) {
      for (ptrdiff_t j = 0; j < u; j++) kept[k * u + j] += right[(ptrdiff_t)k * count + i] * fields[i * u + j];
    }
  }
  if (moving < count) memcpy(fields, kept, (size_t)(moving * u) * sizeof(double));
  return moving;
}

/* How well the least known number of all rows is known, in columns divided by `scale`. */
static double find_blur(const Search* s, const double* scale) {
  double least[KINDS] = {INFINITY, INFINITY, INFINITY}, most = 0;
  for (ptrdiff_t j = 0; j < s->unknowns; j++) least[kind_of(s, j)] = fmin(least[kind_of(s, j)], scale[j]);
  for (ptrdiff_t i = 0; i < s->count * KINDS; i++) most = zw_larger(most, s->noise[i] / least[i % KINDS]);
  return most;
}

static ZwStatus read_null_space(Search* s, ZwArena* arena, ZwSymmetries* symmetries) {
  ptrdiff_t u = s->unknowns, n = s->n;
  double *tau = ZW_NEW(arena, u, double), *norms = ZW_NEW(arena, 2 * s->count, double),
         *scale = ZW_NEW(arena, u, double), *rows = ZW_NEW(arena, s->count * u + 1, double);
  int32_t* order = ZW_NEW(arena, s->count, int32_t);
  if (arena->failed) return ZW_ERR_MEMORY;
  scale_columns(s, scale);
  memcpy(rows, s->rows, (size_t)(s->count * u) * sizeof(double));
  ZwQr qr = {(int32_t)u, (int32_t)s->count, s->rows, tau};
  zw_qr_factor_pivoted(&qr, order, norms);
  double first = s->count > 0 ? fabs(zw_qr_diagonal(&qr, 0)) : 0;
  double null = zw_larger(TOL_NULL, find_blur(s, scale)) * first; /* what may be rounding is judged row by row below */
  int32_t rank = first > 0 ? zw_qr_rank(&qr, null) : 0, count = (int32_t)u - rank;
  double* fields = ZW_NEW(arena, count * u + 1, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < count; k++) {
    fields[k * u + rank + k] = 1;
    zw_qr_apply_q(&qr, fields + k * u);
  }
  Given given = {&qr, rank, rows, scale};
  if (drop_weak(s, arena, &given, &count, fields)) count = 0;
  if (arena->failed) return ZW_ERR_MEMORY;
  for (ptrdiff_t i = 0; i < count * u; i++) fields[i] /= scale[i % u];
  symmetries->count = drop_idle(s, arena, count, fields);
  symmetries->fields = ZW_NEW(arena, symmetries->count * zw_symmetry_size(s->n) + 1, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < symmetries->count; k++) {
    double *field = symmetries->fields + k * zw_symmetry_size(s->n), *x = fields + k * u;
    for (ptrdiff_t e = 0; e < s->entry_count; e++) field[s->entries[e].row * n + s->entries[e].column] = x[e];
    zw_copy(n + 1, x + s->entry_count, field + n * n);
  }
  return ZW_OK;
}

/* Masses have as many numbers as a quadratic form; one state says something about one. */
static ptrdiff_t states_for_masses(const Search* s) {
  ptrdiff_t n = s->n, numbers = s->entry_count > 0 ? n * (n + 1) / 2 : n;
  return (numbers < s->unknowns ? numbers : s->unknowns) + SPARE;
}

/* States at which motion and constraints tell everything. */
static ptrdiff_t states_for_motion(const Search* s) {
  return s->unknowns / s->n + 1 + SPARE;
}

static void gather(Search* s) {
  ptrdiff_t whole = states_for_motion(s), states = states_for_masses(s);
  if (states < whole) states = whole;
  for (ptrdiff_t k = 0; k < states; k++) {
    if (!move_aside(s, false)) continue;
    if (s->seen_count < SEEN) zw_copy(2 * s->n, s->near->q, s->seen + (ptrdiff_t)s->seen_count++ * 2 * s->n);
    bool is_told = k >= whole || add_state(s);
    if (is_told) add_masses(s);
  }
  for (ptrdiff_t k = 0; k < whole && s->slow > 0; k++) {
    if (move_aside(s, true)) (void)add_state(s);
  }
}

/* ---- which entries of B ---- */

static bool is_of_motion(ZwTermKind kind) {
  return kind == ZW_TERM_KINETIC || kind == ZW_TERM_LAGRANGIAN || kind == ZW_TERM_GIBBS;
}

/* Marks the coordinates of the mechanism that term number `term` reads; how many. */
static int32_t mark_term(const Search* s, int32_t term, bool* is_read) {
  const ZwEquations* equations = s->sim->equations;
  memset(is_read, 0, (size_t)s->sim->n * sizeof(bool));
  int32_t count = 0;
  for (int32_t k = 0; k < equations->shapes.count; k++) {
    const ZwShape* shape = &equations->shapes.items[k];
    for (int32_t i = 0; i < shape->count; i++) {
      if (equations->pieces.items[shape->instance_pieces.items[i]].term != term) continue;
      for (int32_t c = 0; c < shape->coords; c++) {
        int32_t coord = shape->instance_coords.items[(ptrdiff_t)i * shape->coords + c];
        if (is_read[coord] || s->all->of[coord] != s->which) continue;
        is_read[coord] = true;
        count++;
      }
    }
  }
  return count;
}

/* In a large mechanism only coordinates that one kinetic energy of the text reads can turn into each other: those of a point, of a
 * body, of a vector. */
static void allow_by_terms(const Search* s, bool* allowed, bool* is_read) {
  const ZwSystem* system = s->sim->system;
  for (int32_t term = 0; term < system->terms.count; term++) {
    if (!is_of_motion(system->terms.items[term].kind)) continue;
    int32_t count = mark_term(s, term, is_read);
    if (count > ZW_SYMMETRY_AFFINE_UP_TO) continue;
    for (int32_t i = 0; i < s->n; i++) {
      for (int32_t j = 0; is_read[s->m->coords[i]] && j < s->n; j++) {
        if (is_read[s->m->coords[j]]) allowed[(ptrdiff_t)i * s->n + j] = true;
      }
    }
  }
}

static ZwStatus choose_entries(Search* s, ZwArena* arena) {
  ptrdiff_t n = s->n;
  bool *allowed = ZW_NEW(arena, n * n + 1, bool), *is_read = ZW_NEW(arena, s->sim->n + 1, bool);
  s->entries = ZW_NEW(arena, n * n + 1, Entry);
  if (arena->failed) return ZW_ERR_MEMORY;
  if (n <= ZW_SYMMETRY_AFFINE_UP_TO)
    memset(allowed, true, (size_t)(n * n) * sizeof(bool));
  else
    allow_by_terms(s, allowed, is_read);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) {
      if (allowed[i * n + j]) s->entries[s->entry_count++] = (Entry){i, j};
    }
  }
  if (s->entry_count + n + 1 > UNKNOWNS_MOST) s->entry_count = 0;
  s->unknowns = s->entry_count + n + 1;
  return ZW_OK;
}

ZwStatus zw_symmetries_find(ZwSim* sim, ZwArena* arena, double t, const ZwMechanisms* all, int32_t which,
                            const double* q, const double* v, ZwSymmetries* symmetries) {
  ZwMechanism* m = &all->list[which];
  Search s = {.sim = sim, .all = all, .which = which, .m = m, .near = &m->near, .n = m->n};
  s.q0 = q;
  s.v0 = v;
  s.t0 = t;
  s.seed = 1;
  *symmetries = (ZwSymmetries){.n = m->n, .is_autonomous = true};
  if (m->n == 0) return ZW_OK;
  ZW_TRY(choose_entries(&s, arena));
  ptrdiff_t n = m->n, whole = states_for_motion(&s);
  ZW_TRY(zw_near_create(sim, arena, &s.model));
  find_slow_pace(&s);
  ptrdiff_t states = s.slow > 0 ? 2 * whole : whole;
  s.room = (states + AGAIN) * (n + 2 * (ptrdiff_t)sim->m) + states_for_masses(&s) + whole + AGAIN;
  s.rows = ZW_NEW(arena, s.room * s.unknowns, double);
  s.noise = ZW_NEW(arena, s.room * KINDS, double);
  s.seen = ZW_NEW(arena, SEEN * 2 * n, double);
  s.a_t = ZW_NEW(arena, 4 * n, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  s.T_q = s.a_t + n;
  s.T_v = s.T_q + n;
  s.blur_t = s.T_v + n;
  gather(&s);
  symmetries->is_autonomous = is_autonomous(&s);
  return read_null_space(&s, arena, symmetries);
}
