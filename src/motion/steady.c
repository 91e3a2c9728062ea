/* Steady states of a mechanism: Gauss and Newton's steps to
 *
 *   phi(q) = 0, psi(q, v) = 0, v = X(q), a(q, v) = B v, tau = 1     for X = (B, c, tau), a combination of the symmetries,
 *
 * in the unknowns q, v and the coefficients of X; without symmetries v and X are zero. Steps are the shortest that do it, so
 * that families of steady states are as good as isolated ones; steps that do not help are damped (Levenberg). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "least/lu.h"
#include "least/qr.h"
#include "least/svd.h"
#include "motion/linear.h"

#define TOL_RANK 1e-14 /* of the largest singular value: the rounding of the values themselves */
#define TOL_FIELD \
  1e-9 /* the same where fields are among them; of how fast a field may move the state: one that does not */
#define NOISE_OF_LEFT 32.0        /* times that rounding makes what no step removes: a force that nothing balances */
#define LEFT_AT_REST 2e-14        /* ... and at least this part of what accelerations are counted in, */
#define LEFT_IN_MOTION 1e-12      /* or this one, where rows hold fields too */
#define UNSEEN (64 * DBL_EPSILON) /* of the forces that cancel in an acceleration: what their rounding comes to */
#define FIELD_BEST 2e-13          /* of the largest entry of a field: its zeros are known to that */
#define NOISE_SAFETY 8.0 /* times that rounding moves a singular value: a direction along which steady states go on */
#define UNIT 1.0         /* of positions and velocities: the mechanism counts in its own sizes */
#define TOL_STEADY 1e-9  /* of the residual, relative to what it is made of */
#define TOL_STILL 1e-14  /* the same, of a state that need not be looked for */
#define TOL_NEAR 1e-12   /* ... and nearly done */
#define TOL_DONE 1e-15   /* of the same: what is left is rounding, and one more step is made */
#define TOL_STRIDE 1e-6  /* the next step, in units of the state; 1e-8 where equilibria meet */
#define UNIT_LEAST 1e-7  /* so that 1e-16 is rounding in any case */
#define DAMPING_FIRST 1e-4
#define PART_LEAST 0.01  /* of Newton's step */
#define PART_GOOD 0.25   /* ... and what is made before a way across a valley is tried */
#define POLISH_MOST 1e-3 /* how long a step may be that only polishes, in units of the state */
#define REACH 1.0 /* how far a coordinate or velocity may go in one, in its unit: the nearest state is looked for */
#define GROWTH_MOST 1e4 /* of the residual in one step */
#define DAMPING_LAST 1e3

#define BLUR 1e-6      /* of the pace, squared: how well a stiffness must be known; ... */
#define BLUR_PART 1e-3 /* ... or as this part of itself */
#define TOL_MASS 1e-12 /* of the mass at the start: a coordinate that has none left turns into nothing, as at a pole */
#define FAR 1e8        /* in units of the mechanism: infinity */
#define CREEP_ENOUGH 1e-2 /* of the first accelerations: near enough to an equilibrium */
#define CREEP_GROWTH 2.0  /* of accelerations in one step */
#define TOL_FRAME 1e-6    /* of the largest entry of B: smaller ones are meant to be zero */
#define TOL_TIME 1e-6     /* of the rate of the time: fields that do not go with it */
#define TOL_TURN 1e-10    /* of the largest entry of B and c: smaller ones of B are rounding */
#define FRAME_BIAS 1.0    /* how much more the first coordinates count than the last */

enum { AGAIN = 2 }; /* times that J is looked at again, moved by rounding */
enum {
  KINDS = 4,
  STEPS_MOST = 200,
  IDLE_MOST = 40,
  FRAME_ROUNDS = 120,
  CREEP_MOST = 1000,
  HALVINGS = 60,
  RELAX_MOST = 6,
  CORRECTIONS = 4 /* steps back into a valley */
};

typedef struct Problem {
  ZwSim* sim;
  const ZwMechanisms* all;
  int32_t which;
  ZwNear* model;
  ZwNear* near;                   /* of the mechanism, in its units: so is everything below */
  const ZwSymmetries* symmetries; /* NULL: an equilibrium */
  const bool* is_held;            /* 2 n: positions and velocities that stay what they are; NULL: none */
  double t;
  int32_t n, fields, rows, unknowns;
  double* xi;    /* fields */
  double* field; /* X */
  double *r, *J; /* rows, rows x unknowns */
  double *sigma, *Ut, *Vt, *step, *way, *kept, *origin;
  double* mass;                    /* n: at the start */
  int32_t* swap;                   /* n */
  double* next;                    /* n: of positions, the step after the last one */
  double *noise, *J_kept, *r_kept; /* rows x unknowns: how well J is known; copies */
  double* moved;   /* 2 AGAIN x rows: what rounding adds to r, that of the state and that of the numbers of the model */
  double* numbers; /* these */
  double known;    /* what accelerations are known to, where r was looked at last */
  uint64_t seed;
  double weights[KINDS]; /* of rows, by kind: forces and lengths count alike */
  bool may_touch;        /* contacts may close on the way */
  bool is_stopped;       /* one has, where the last step ended */
  bool is_driven;        /* where it was last looked at, a force is left that nothing balances */
  bool is_blurred;       /* forces are singular where the search ended */
} Problem;

/* Parameters and literals: those of `values`. */
static int32_t count_numbers(const Problem* p) {
  return p->sim->system->params.count + p->sim->equations->literals.count;
}

static ZwStatus place(Problem* p, ZwArena* arena) {
  ptrdiff_t n = p->n;
  p->fields = p->symmetries ? p->symmetries->count : 0;
  p->rows = p->near->m * 2 + 2 * p->n + 1;
  p->unknowns = p->symmetries ? 2 * p->n + p->fields : p->n;
  ptrdiff_t least = p->rows < p->unknowns ? p->rows : p->unknowns;
  p->xi = ZW_NEW(arena, p->fields + 1, double);
  p->field = ZW_NEW(arena, zw_symmetry_size(p->n), double);
  p->r = ZW_NEW(arena, p->rows, double);
  p->J = ZW_NEW(arena, (ptrdiff_t)p->rows * p->unknowns, double);
  p->noise = ZW_NEW(arena, (ptrdiff_t)p->rows * p->unknowns, double);
  p->J_kept = ZW_NEW(arena, (ptrdiff_t)p->rows * p->unknowns, double);
  p->r_kept = ZW_NEW(arena, p->rows, double);
  p->moved = ZW_NEW(arena, (ptrdiff_t)2 * AGAIN * p->rows, double);
  p->numbers = ZW_NEW(arena, count_numbers(p) + 1, double);
  p->sigma = ZW_NEW(arena, least + 1, double);
  p->Ut = ZW_NEW(arena, least * p->rows, double);
  p->Vt = ZW_NEW(arena, least * p->unknowns, double);
  p->step = ZW_NEW(arena, p->unknowns, double);
  p->way = ZW_NEW(arena, p->unknowns, double);
  p->kept = ZW_NEW(arena, 2 * n + p->fields, double);
  p->origin = ZW_NEW(arena, 2 * n + p->fields, double);
  p->next = ZW_NEW(arena, n + 1, double);
  p->mass = ZW_NEW(arena, n + 1, double);
  p->swap = ZW_NEW(arena, n + 1, int32_t);
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

static void combine(Problem* p) {
  ptrdiff_t size = zw_symmetry_size(p->n);
  zw_fill(size, 0, p->field);
  for (int32_t k = 0; k < p->fields; k++) {
    const double* field = zw_symmetry(p->symmetries, k);
    for (ptrdiff_t j = 0; j < size; j++) p->field[j] += p->xi[k] * field[j];
  }
}

/* Row `at` of the residual, with its derivatives by q and v; either may be NULL. */
static void set_row(Problem* p, int32_t at, double r, const double* by_q, const double* by_v) {
  double* row = p->J + (ptrdiff_t)at * p->unknowns;
  zw_fill(p->unknowns, 0, row);
  p->r[at] = r;
  if (by_q) zw_copy(p->n, by_q, row);
  if (by_v && p->symmetries) zw_copy(p->n, by_v, row + p->n);
}

/* v - B q - c and a - B v */
static void set_motion(Problem* p, int32_t at) {
  const ZwNear* near = p->near;
  int32_t n = p->n;
  const double *B = p->field, *c = B + (ptrdiff_t)n * n;
  for (int32_t i = 0; i < n; i++) {
    const double* Bi = B + (ptrdiff_t)i * n;
    set_row(p, at + i, near->a[i] - zw_dot(n, Bi, near->v), near->a_q + (ptrdiff_t)i * n, near->a_v + (ptrdiff_t)i * n);
    if (!p->symmetries) continue;
    set_row(p, at + n + i, near->v[i] - zw_dot(n, Bi, near->q) - c[i], NULL, NULL);
    double *accelerations = p->J + (ptrdiff_t)(at + i) * p->unknowns,
           *velocities = p->J + (ptrdiff_t)(at + n + i) * p->unknowns;
    zw_axpy(n, -1, Bi, accelerations + n);
    zw_axpy(n, -1, Bi, velocities);
    velocities[n + i] += 1;
    for (int32_t k = 0; k < p->fields; k++) {
      const double* field = zw_symmetry(p->symmetries, k);
      accelerations[2 * n + k] = -zw_dot(n, field + (ptrdiff_t)i * n, near->v);
      velocities[2 * n + k] = -zw_dot(n, field + (ptrdiff_t)i * n, near->q) - field[(ptrdiff_t)n * n + i];
    }
  }
}

/* Rows by kind: positions, velocities, accelerations, the field. */
static void find_ends(const Problem* p, int32_t ends[KINDS]) {
  ends[0] = p->near->rp;
  ends[1] = ends[0] + p->near->rv;
  ends[2] = ends[1] + p->n;
  ends[3] = p->rows;
}

static void weigh(Problem* p) {
  int32_t ends[KINDS];
  find_ends(p, ends);
  for (int kind = 0, i = 0; kind < KINDS; kind++) {
    for (; i < ends[kind]; i++) {
      p->r[i] *= p->weights[kind];
      zw_scale(p->unknowns, p->weights[kind], p->J + (ptrdiff_t)i * p->unknowns);
    }
  }
}

/* r and J at the present unknowns; infinity where there are none. */
static double evaluate(Problem* p) {
  const ZwNear* near = p->near;
  ptrdiff_t n = p->n;
  if (p->symmetries) combine(p);
  if (zw_mechanism_evaluate(p->sim, p->t, p->all, p->which, p->model)) return INFINITY;
  int32_t at = 0;
  for (int32_t r = 0; r < near->rp; r++) set_row(p, at++, near->phi[r], near->Ap + r * n, NULL);
  for (int32_t r = 0; r < near->rv; r++) set_row(p, at++, near->psi[r], near->psi_q + r * n, near->Av + r * n);
  set_motion(p, at);
  at += p->symmetries ? 2 * p->n : p->n;
  if (p->symmetries) { /* the field goes with the time */
    set_row(p, at, p->field[n * n + n] - 1, NULL, NULL);
    for (int32_t k = 0; k < p->fields; k++) {
      p->J[(ptrdiff_t)at * p->unknowns + 2 * n + k] = zw_symmetry(p->symmetries, k)[n * n + n];
    }
    at++;
  }
  p->rows = at;
  weigh(p);
  return zw_norm(p->rows, p->r);
}

/* What row i of the residual is made of. */
static double size_of_row(const Problem* p, int32_t i) {
  const double* row = p->J + (ptrdiff_t)i * p->unknowns;
  double sum = 0;
  for (int32_t j = 0; j < p->n; j++) sum += fabs(row[j]) * (fabs(p->near->q[j]) + UNIT);
  if (!p->symmetries) return sum;
  for (int32_t j = 0; j < p->n; j++) sum += fabs(row[p->n + j]) * (fabs(p->near->v[j]) + UNIT);
  return sum;
}

/* What the rows of each kind are made of. What is nothing but rounding has no such unit, but a least one. */
static void find_sizes(const Problem* p, double sizes[KINDS]) {
  int32_t ends[KINDS];
  find_ends(p, ends);
  for (int kind = 0, i = 0; kind < KINDS; kind++) {
    sizes[kind] = UNIT_LEAST * p->weights[kind];
    for (; i < ends[kind]; i++) sizes[kind] = zw_larger(sizes[kind], size_of_row(p, i));
  }
}

/* The largest residual in these units: a violated constraint is not excused by large forces. */
static double relative_residual(const Problem* p) {
  double sizes[KINDS], worst = 0;
  int32_t ends[KINDS];
  find_ends(p, ends);
  find_sizes(p, sizes);
  sizes[2] = zw_larger(sizes[2], p->known * p->weights[2] / TOL_STEADY);
  for (int kind = 0, i = 0; kind < KINDS; kind++) {
    for (; i < ends[kind]; i++) worst = zw_larger(worst, fabs(p->r[i]) / sizes[kind]);
  }
  return worst;
}

/* All kinds of rows count alike from here on. */
static void choose_weights(Problem* p) {
  double sizes[KINDS];
  find_sizes(p, sizes);
  for (int kind = 0; kind < KINDS; kind++) p->weights[kind] /= sizes[kind];
}

static void move(Problem* p, const double* step) {
  zw_axpy(p->n, 1, step, p->near->q);
  if (!p->symmetries) return;
  zw_axpy(p->n, 1, step + p->n, p->near->v);
  zw_axpy(p->fields, 1, step + 2 * (ptrdiff_t)p->n, p->xi);
}

static void keep(Problem* p, bool is_back) {
  double *state = p->near->q, *kept = p->kept;
  size_t bytes = 2 * (size_t)p->n * sizeof(double), more = (size_t)p->fields * sizeof(double);
  if (is_back) {
    memcpy(state, kept, bytes);
    if (more) memcpy(p->xi, kept + 2 * (ptrdiff_t)p->n, more);
  } else {
    memcpy(kept, state, bytes);
    if (more) memcpy(kept + 2 * (ptrdiff_t)p->n, p->xi, more);
  }
}

/* In [-1, 1), the same ones always. */
static double draw(Problem* p) {
  p->seed += 0x9E3779B97F4A7C15u;
  uint64_t z = p->seed;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* How much the entries of J, and the residual, change when the state does so by a rounding. J, r and the state stay. */
static void find_noise(Problem* p) {
  ptrdiff_t size = (ptrdiff_t)p->rows * p->unknowns;
  int32_t rows = p->rows;
  zw_copy(size, p->J, p->J_kept);
  zw_copy(rows, p->r, p->r_kept);
  zw_fill(size, 0, p->noise);
  keep(p, false);
  for (int again = 0; again < AGAIN; again++) {
    for (int32_t j = 0; j < p->n; j++) {
      p->near->q[j] += 2 * DBL_EPSILON * draw(p) * (UNIT + fabs(p->near->q[j]));
      if (p->symmetries) p->near->v[j] += 2 * DBL_EPSILON * draw(p) * (UNIT + fabs(p->near->v[j]));
    }
    bool is_finite = isfinite(evaluate(p));
    for (ptrdiff_t i = 0; i < size && is_finite; i++) {
      p->noise[i] = zw_larger(p->noise[i], fabs(p->J[i] - p->J_kept[i]));
    }
    for (int32_t i = 0; i < rows; i++) p->moved[again * rows + i] = is_finite ? p->r[i] - p->r_kept[i] : 0;
    keep(p, true);
  }
  zw_mechanism_write(&p->all->list[p->which], p->model->q, p->model->v);
  if (p->symmetries) combine(p);
  zw_copy(size, p->J_kept, p->J);
  zw_copy(rows, p->r_kept, p->r);
}

/* The reactions that cancel in accelerations. */
static double largest_reaction(const Problem* p) {
  const ZwMechanism* m = &p->all->list[p->which];
  double most = 0;
  for (int32_t i = 0; i < m->n; i++) {
    double inertia = zw_rows_mass(p->sim, m->coords[i]) * m->size[i] * m->pace * m->pace;
    double force = inertia > 0 ? fabs(p->sim->Qc[m->coords[i]]) / inertia : 0;
    if (force < INFINITY) most = zw_larger(most, force);
  }
  return most;
}

/* What B v is known to where B should be zero. */
static double blur_of_turns(const Problem* p) {
  if (!p->symmetries) return 0;
  return FIELD_BEST * zw_max_abs((ptrdiff_t)p->n * (p->n + 1), p->field) * zw_max_abs(p->n, p->near->v);
}

/* What r is known to, whatever the state is. A body that slides at a constant speed is left what weight, the force of the floor and friction
 * leave of each other: constant forces, of which a rounding of the state tells nothing. Numbers of the model are moved by theirs, J
 * and the state stay. */
static void find_known(Problem* p) {
  ZwSim* sim = p->sim;
  int32_t rows = p->rows, count = count_numbers(p), ends[KINDS];
  ptrdiff_t size = (ptrdiff_t)rows * p->unknowns;
  find_ends(p, ends);
  p->known = zw_larger(UNSEEN * largest_reaction(p), blur_of_turns(p));
  zw_copy(size, p->J, p->J_kept);
  zw_copy(rows, p->r, p->r_kept);
  zw_copy(count, sim->values, p->numbers);
  for (int again = 0; again < AGAIN; again++) {
    double* moved = p->moved + (ptrdiff_t)(AGAIN + again) * rows;
    for (int32_t i = 0; i < count; i++) sim->values[i] = p->numbers[i] * (1 + DBL_EPSILON * draw(p));
    zw_sim_set_constants(sim);
    bool is_finite = isfinite(evaluate(p)); /* a number may have to be whole */
    for (int32_t i = 0; i < rows; i++) moved[i] = is_finite ? p->r[i] - p->r_kept[i] : 0;
    for (int32_t i = ends[1]; i < ends[2]; i++)
      p->known = zw_larger(p->known, NOISE_OF_LEFT * fabs(moved[i]) / p->weights[2]);
  }
  zw_copy(count, p->numbers, sim->values);
  zw_sim_set_constants(sim);
  (void)evaluate(p);
  zw_copy(size, p->J_kept, p->J);
  zw_copy(rows, p->r_kept, p->r);
}

/* Is the k-th singular value of J more than its rounding? The vectors tell which entries it is made of. */
static bool is_felt(const Problem* p, int32_t k) {
  const double *u = p->Ut + (ptrdiff_t)k * p->rows, *v = p->Vt + (ptrdiff_t)k * p->unknowns;
  double sum = (p->symmetries ? TOL_FIELD : TOL_RANK) * p->sigma[0]; /* fields are known no better */
  for (int32_t i = 0; i < p->rows; i++) {
    double row = 0;
    for (int32_t j = 0; j < p->unknowns; j++) row += p->noise[(ptrdiff_t)i * p->unknowns + j] * fabs(v[j]);
    sum += NOISE_SAFETY * fabs(u[i]) * row;
  }
  return p->sigma[k] > sum;
}

/* step = -V (sigma / (sigma^2 + damping^2)) U^T r */
static void make_step(Problem* p, const double* r, double damping) {
  int32_t least = p->rows < p->unknowns ? p->rows : p->unknowns;
  double most = least > 0 ? p->sigma[0] : 0;
  zw_fill(p->unknowns, 0, p->step);
  for (int32_t k = 0; k < least; k++) {
    double along = zw_dot(p->rows, p->Ut + (ptrdiff_t)k * p->rows, r), mu = damping * most;
    if (!is_felt(p, k)) continue;
    zw_axpy(p->unknowns, -along * p->sigma[k] / (p->sigma[k] * p->sigma[k] + mu * mu),
            p->Vt + (ptrdiff_t)k * p->unknowns, p->step);
  }
}

/* What is held takes no part in a step. */
static void hold(Problem* p) {
  int32_t count = p->symmetries ? 2 * p->n : p->n;
  for (int32_t j = 0; p->is_held && j < count; j++) {
    for (int32_t i = 0; p->is_held[j] && i < p->rows; i++) p->J[(ptrdiff_t)i * p->unknowns + j] = 0;
  }
}

/* From the state that is kept, this part of the step. */
static void go_part(Problem* p, double part) {
  for (int32_t j = 0; j < p->n; j++) p->near->q[j] = p->kept[j] + part * p->step[j];
  zw_mechanism_write(&p->all->list[p->which], p->model->q, p->model->v);
}

static void go_there(Problem* p) {
  zw_mechanism_write(&p->all->list[p->which], p->model->q, p->model->v);
}

/* After a step: where it would go through an open contact it ends at that. */
static void stop_at_gap(Problem* p) {
  p->is_stopped = false;
  if (!p->may_touch) return;
  go_part(p, 1);
  if (!zw_repose_is_through(p->sim, p->t, p->all, p->which, p->model->q, ZW_THROUGH)) return;
  p->is_stopped = true;
  double low = 0, high = 1;
  for (int round = 0; round < HALVINGS; round++) {
    double middle = low + (high - low) / 2;
    go_part(p, middle);
    bool is_through = zw_repose_is_through(p->sim, p->t, p->all, p->which, p->model->q, 0);
    *(is_through ? &high : &low) = middle;
  }
  go_part(p, low);
}

/* From the state that is kept along `step`; the residual there. */
static double try_step(Problem* p) {
  keep(p, true);
  move(p, p->step);
  stop_at_gap(p);
  return evaluate(p);
}

/* The part of `way` that goes no farther than a step may. */
static double part_in_reach(const Problem* p) {
  double reach = zw_max_abs(p->symmetries ? 2 * p->n : p->n, p->way);
  return reach > REACH ? REACH / reach : 1;
}

/* step = part of `way`; the residual there */
static double try_part(Problem* p, double part) {
  zw_copy(p->unknowns, p->way, p->step);
  zw_scale(p->unknowns, part, p->step);
  return try_step(p);
}

/* Newton's step, or a part of it from `from` down to `least`: good if what he would do next, by the same derivatives, is shorter. That does
 * not depend on units, and goes along curved valleys, where the residual itself may grow for a while. */
static bool follow_newton(Problem* p, double from, double least, double* residual, const double* r) {
  make_step(p, r, 0);
  zw_copy(p->unknowns, p->step, p->way);
  double length = zw_norm(p->unknowns, p->way), most = part_in_reach(p);
  for (double part = from * most; part >= least * most; part /= 2) {
    double now = try_part(p, part);
    if (!isfinite(now)) continue;
    make_step(p, p->r, 0);
    bool is_shorter = zw_norm(p->unknowns, p->step) <= (1 - part / 4) * length && now < GROWTH_MOST * *residual;
    if (!p->is_stopped && !is_shorter && !(now < *residual)) continue;
    *residual = now;
    return true;
  }
  return false;
}

/* The singular values and vectors of J at the present state, for steps from there. */
static bool look(Problem* p) {
  find_noise(p);
  hold(p);
  keep(p, false);
  return zw_svd(p->rows, p->unknowns, p->J, p->sigma, p->Ut, p->Vt) == 0;
}

/* Newton's steps from the present state, until the residual is below `residual`; false if it is not after a few. */
static bool correct(Problem* p, double residual, double* now) {
  for (int k = 0; k < CORRECTIONS && isfinite(*now) && !p->is_stopped; k++) {
    if (*now < residual) return true;
    if (!look(p)) return false;
    zw_copy(p->rows, p->r, p->r_kept);
    make_step(p, p->r_kept, 0);
    zw_copy(p->unknowns, p->step, p->way);
    *now = try_part(p, part_in_reach(p));
  }
  return *now < residual && !p->is_stopped;
}

static void copy_state(const Problem* p, const double* from, double* to) {
  zw_copy(2 * (ptrdiff_t)p->n + p->fields, from, to);
}

/* In a narrow valley that turns, a step along it leaves it by the square of its length, and there the walls push far more than what led along it:
 * short steps alone keep inside. A long one is good if the next ones, each by the derivatives where it begins, lead back and to less
 * than was left. */
static bool cross_valley(Problem* p, double* residual, const double* r) {
  copy_state(p, p->kept, p->origin);
  for (double part = 1; part >= PART_LEAST; part /= 2) {
    make_step(p, r, 0);
    zw_copy(p->unknowns, p->step, p->way);
    double now = try_part(p, part * part_in_reach(p));
    if (correct(p, *residual, &now)) {
      *residual = now;
      return true;
    }
    copy_state(p, p->origin, p->kept);
    keep(p, true);
    if (!isfinite(evaluate(p)) || !look(p)) return false;
  }
  return false;
}

/* One step that leads nearer, or ends at a contact; false when there is none. *residual is that of the present state. */
static bool improve(Problem* p, double* residual, double* r) {
  zw_copy(p->rows, p->r, r);
  if (!look(p)) return false;
  if (follow_newton(p, 1, PART_GOOD, residual, r)) return true;
  if (!p->symmetries && cross_valley(p, residual, r)) return true;
  if (follow_newton(p, PART_GOOD / 2, PART_LEAST, residual, r)) return true;
  for (double damping = DAMPING_FIRST; damping <= DAMPING_LAST; damping *= 10) {
    make_step(p, r, damping);
    double now = try_step(p);
    if (!(now < *residual) && !(p->is_stopped && isfinite(now))) continue;
    *residual = now;
    return true;
  }
  keep(p, true);
  (void)evaluate(p);
  return false;
}

/* How fast a field of size 1 may move the state. Fields that vanish on the constraints move it by rounding of that. */
static double reach_of(const Problem* p) {
  return UNIT + zw_norm(2 * p->n, p->near->q);
}

/* The combination of the symmetries that is nearest to the motion at the start. */
static void guess_field(Problem* p) {
  int32_t n = p->n;
  zw_fill(p->fields, 0, p->xi);
  (void)evaluate(p);
  int32_t first = p->near->rp + p->near->rv, count = 2 * n + 1, fields = p->fields;
  if (fields == 0) return;
  double* K = p->Vt; /* a part of J; there is room */
  for (int32_t i = 0; i < count; i++) {
    zw_copy(fields, p->J + (ptrdiff_t)(first + i) * p->unknowns + 2 * (ptrdiff_t)n, K + (ptrdiff_t)i * fields);
  }
  double* right = p->J; /* used up */
  if (zw_svd(count, fields, K, p->sigma, p->Ut, right)) return;
  int32_t least = count < fields ? count : fields;
  for (int32_t k = 0; k < least && p->sigma[k] > TOL_FIELD * reach_of(p); k++) {
    double along = zw_dot(count, p->Ut + (ptrdiff_t)k * count, p->r + first);
    zw_axpy(fields, -along / p->sigma[k], right + (ptrdiff_t)k * fields, p->xi);
  }
}

/* How many directions the steady states go on along; and the step that would be the next one. */
static int32_t count_freedom(Problem* p) {
  zw_fill(p->n, 0, p->next);
  (void)evaluate(p);
  find_noise(p);
  if (zw_svd(p->rows, p->unknowns, p->J, p->sigma, p->Ut, p->Vt)) return 0;
  int32_t least = p->rows < p->unknowns ? p->rows : p->unknowns, rank = 0;
  while (rank < least && is_felt(p, rank)) rank++;
  make_step(p, p->r, 0);
  zw_copy(p->n, p->step, p->next);
  return p->unknowns - rank;
}

/* ---- the frame ---- */

/* Where several symmetries move the state alike (a top that spins: it turns about its own axis, or space turns about it), the
 * frame that moves along is a matter of choice. It shall turn as little as it can: of all B the one with the least sum of
 * |B_ij|, which has most of them zero; of two alike the one that leaves the coordinates declared first alone. Found by weighted
 * least squares, whose weights follow the entries. */
typedef struct Frame {
  int32_t count;     /* fields that leave the state where it is */
  ptrdiff_t entries; /* of B */
  double *N, *E;     /* count x fields: those; count x entries: their B */
  double *b, *w;     /* entries: B, and weights */
  double *G, *eta;   /* count x count, count */
  int32_t* swap;
} Frame;

/* b + E^T eta, the least in the weights; eta is added to the field. */
static void turn_least(Problem* p, Frame* f) {
  /* entries that are rounding must not decide: what they say is less than this */
  double size = zw_max_abs(f->count * f->entries, f->E), heaviest = zw_max_abs(f->entries, f->w);
  for (int32_t i = 0; i < f->count; i++) {
    const double* Ei = f->E + i * f->entries;
    f->eta[i] = 0;
    for (ptrdiff_t k = 0; k < f->entries; k++) f->eta[i] -= Ei[k] * f->w[k] * f->b[k];
    for (int32_t j = 0; j < f->count; j++) {
      const double* Ej = f->E + j * f->entries;
      double sum = 0;
      for (ptrdiff_t k = 0; k < f->entries; k++) sum += Ei[k] * f->w[k] * Ej[k];
      f->G[(ptrdiff_t)i * f->count + j] = sum;
    }
    f->G[(ptrdiff_t)i * f->count + i] += 1e-20 * size * size * heaviest;
  }
  if (!(zw_lu_factor(f->count, f->G, f->swap) > 0)) return;
  zw_lu_solve(f->count, f->G, f->swap, f->eta);
  for (int32_t i = 0; i < f->count; i++) {
    zw_axpy((int32_t)f->entries, f->eta[i], f->E + i * f->entries, f->b);
    zw_axpy(p->fields, f->eta[i], f->N + (ptrdiff_t)i * p->fields, p->xi);
  }
}

/* Fields that leave the state where it is, and do not go with the time. */
static ZwStatus find_idle(Problem* p, ZwArena* arena, Frame* f) {
  int32_t n = p->n, rows = 2 * n + 1;
  double *K = ZW_NEW(arena, (ptrdiff_t)rows * p->fields, double), *dx = ZW_NEW(arena, rows, double),
         *tau = ZW_NEW(arena, rows, double), *norms = ZW_NEW(arena, 2 * rows, double);
  int32_t* order = ZW_NEW(arena, rows, int32_t);
  if (arena->failed) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < p->fields; k++) {
    const double* field = zw_symmetry(p->symmetries, k);
    zw_symmetry_apply(n, field, p->near->q, p->near->v, dx, dx + n);
    dx[2 * n] = field[(ptrdiff_t)n * n + n];
    for (int32_t i = 0; i < rows; i++) K[(ptrdiff_t)i * p->fields + k] = dx[i];
  }
  ZwQr qr = {p->fields, rows, K, tau};
  zw_qr_factor_pivoted(&qr, order, norms);
  int32_t rank = zw_qr_rank(&qr, TOL_FIELD * reach_of(p));
  f->count = p->fields - rank;
  f->N = ZW_NEW(arena, (ptrdiff_t)f->count * p->fields, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < f->count; i++) {
    f->N[(ptrdiff_t)i * p->fields + rank + i] = 1;
    zw_qr_apply_q(&qr, f->N + (ptrdiff_t)i * p->fields);
  }
  return ZW_OK;
}

static ZwStatus place_frame(Problem* p, ZwArena* arena, Frame* f) {
  f->entries = (ptrdiff_t)p->n * p->n;
  f->E = ZW_NEW(arena, f->count * f->entries, double);
  f->b = ZW_NEW(arena, f->entries, double);
  f->w = ZW_NEW(arena, f->entries, double);
  f->G = ZW_NEW(arena, (ptrdiff_t)f->count * f->count, double);
  f->eta = ZW_NEW(arena, f->count, double);
  f->swap = ZW_NEW(arena, f->count, int32_t);
  if (arena->failed) return ZW_ERR_MEMORY;
  zw_copy(f->entries, p->field, f->b);
  for (int32_t i = 0; i < f->count; i++) {
    for (int32_t k = 0; k < p->fields; k++) {
      zw_axpy((int32_t)f->entries, f->N[(ptrdiff_t)i * p->fields + k], zw_symmetry(p->symmetries, k),
              f->E + i * f->entries);
    }
  }
  return ZW_OK;
}

static ZwStatus choose_frame(Problem* p, ZwArena* arena) {
  Frame frame = {0}, *f = &frame;
  if (p->fields == 0) return ZW_OK;
  ZW_TRY(find_idle(p, arena, f));
  if (f->count == 0) return ZW_OK;
  ZW_TRY(place_frame(p, arena, f));
  double blur = 1;
  for (int round = 0; round < FRAME_ROUNDS; round++, blur = fmax(blur / 4, 1e-9)) {
    double most = zw_max_abs(f->entries, f->b);
    if (most == 0) break;
    for (ptrdiff_t k = 0; k < f->entries; k++) {
      double weight = 1 + FRAME_BIAS * (1 - (double)k / (double)f->entries);
      f->w[k] = weight / (fabs(f->b[k]) + blur * most);
    }
    turn_least(p, f);
  }
  /* what is meant to be zero becomes zero to rounding */
  double most = zw_max_abs(f->entries, f->b);
  for (ptrdiff_t k = 0; k < f->entries; k++) f->w[k] = fabs(f->b[k]) < TOL_FRAME * most ? 1 : 0;
  for (int pass = 0; pass < 2; pass++) turn_least(p, f);
  combine(p);
  return ZW_OK;
}

/* Turns that are nothing but rounding beside the speed of the field are none. */
static void clear_turns(Problem* p) {
  ptrdiff_t entries = (ptrdiff_t)p->n * p->n;
  double most = zw_max_abs(entries + p->n, p->field);
  for (ptrdiff_t k = 0; k < entries; k++) {
    if (fabs(p->field[k]) < TOL_TURN * most) p->field[k] = 0;
  }
}

/* ---- the search ---- */

/* The length of Newton's next step from the present state, which is made `way`. */
static double find_way(Problem* p) {
  if (!look(p)) return INFINITY;
  zw_copy(p->rows, p->r, p->r_kept);
  make_step(p, p->r_kept, 0);
  zw_copy(p->unknowns, p->step, p->way);
  return zw_norm(p->unknowns, p->way);
}

/* Where the residual is small beside what is stiff, how far the state is off along what is slow is seen by steps alone: they are made while
 * each halves the next one. The residual at the end. */
static double polish(Problem* p, double residual) {
  double length = find_way(p);
  for (int k = 0; k < CORRECTIONS && length > TOL_NEAR && length < POLISH_MOST; k++) {
    copy_state(p, p->kept, p->origin); /* where `find_way` has looked */
    double now = try_part(p, 1), next = isfinite(now) && !p->is_stopped ? find_way(p) : INFINITY;
    if (!(next < length / 2) || !(relative_residual(p) < TOL_NEAR)) {
      copy_state(p, p->origin, p->kept);
      keep(p, true);
      p->is_stopped = false;
      return evaluate(p);
    }
    residual = now;
    length = next;
  }
  return residual;
}

/* Down to where steps help no more. */
static double descend(Problem* p, double* r, int32_t* steps) {
  if (!isfinite(evaluate(p))) return INFINITY;
  choose_weights(p);
  double residual = evaluate(p), best = residual;
  int32_t idle = 0; /* steps since the residual was halved */
  for (bool is_done = false; !is_done && residual > 0 && *steps < STEPS_MOST && idle < IDLE_MOST; (*steps)++) {
    double off = relative_residual(p), before = residual;
    idle = residual < best / 2 ? 0 : idle + 1;
    if (idle == 0) best = residual;
    is_done = off <= TOL_DONE;
    if (!improve(p, &residual, r) || p->is_stopped) break;
    if (off < TOL_NEAR && residual > before / 2) break; /* rounding comes and goes */
  }
  bool is_near = !p->symmetries && residual > 0 && !p->is_stopped && relative_residual(p) < TOL_NEAR;
  return is_near ? polish(p, residual) : residual;
}

/* Has the search gone so far that it leads to infinity? */
static bool is_lost(const Problem* p) {
  return !(zw_max_abs(2 * p->n, p->near->q) < FAR);
}

/* After find_noise: is how forces change nothing but rounding of the state? Where they are singular, as those of two bodies that have
 * fallen into each other, anything is small beside what the residual might be made of. */
static bool is_blurred(const Problem* p) {
  int32_t ends[KINDS];
  double noise = 0, size = 0;
  find_ends(p, ends);
  for (ptrdiff_t i = (ptrdiff_t)ends[1] * p->unknowns; i < (ptrdiff_t)ends[2] * p->unknowns; i++) {
    noise = zw_larger(noise, p->noise[i] / p->weights[2]);
    size = zw_larger(size, fabs(p->J[i]) / p->weights[2]);
  }
  return noise > BLUR && noise > BLUR_PART * size;
}

/* The length of what no change of the state removes from r (changed), by the vectors of J. */
static double part_left(const Problem* p, double* r) {
  int32_t least = p->rows < p->unknowns ? p->rows : p->unknowns;
  for (int32_t k = 0; k < least; k++) {
    const double* u = p->Ut + (ptrdiff_t)k * p->rows;
    if (is_felt(p, k)) zw_axpy(p->rows, -zw_dot(p->rows, u, r), u, r);
  }
  return zw_norm(p->rows, r);
}

/* How far rows of the motion may be off since fields are known no better: TOL_FIELD of B v, and of B q + c. */
static double blur_of_field(const Problem* p) {
  ptrdiff_t n = p->n;
  const double *B = p->field, *c = B + n * n;
  double square = 0;
  for (int32_t i = 0; i < p->n && p->symmetries; i++) {
    double turn = 0, shift = fabs(p->near->v[i]) + fabs(c[i]);
    for (int32_t j = 0; j < p->n; j++) {
      turn += fabs(B[i * n + j] * p->near->v[j]);
      shift += fabs(B[i * n + j] * p->near->q[j]);
    }
    turn *= p->weights[2];
    shift *= p->weights[3];
    square += turn * turn + shift * shift;
  }
  return TOL_FIELD * sqrt(square);
}

/* Is there a force that nothing balances, nor would if the state moved? Beside a stiff spring the weight of what falls with it is
 * less than the part of a residual that may be left, but it is more than rounding. */
static bool is_driven(Problem* p) {
  double rounding = 0;
  for (int again = 0; again < 2 * AGAIN; again++) {
    rounding = zw_larger(rounding, part_left(p, p->moved + (ptrdiff_t)again * p->rows));
  }
  zw_copy(p->rows, p->r, p->r_kept);
  double left = part_left(p, p->r_kept);
  double least = (p->symmetries ? LEFT_IN_MOTION : LEFT_AT_REST) * p->weights[2];
  least = zw_larger(least, UNSEEN * largest_reaction(p) * p->weights[2]);
  return left > NOISE_OF_LEFT * rounding + blur_of_field(p) + least;
}

/* The relative residual; infinity where the next step would still be long: the search goes to where the equations end. */
static double judge(Problem* p, double residual) {
  if (!isfinite(residual) || is_lost(p)) return INFINITY;
  if (residual == 0) return 0;
  find_known(p);
  find_noise(p);
  p->is_blurred = is_blurred(p);
  if (p->is_blurred) return INFINITY;
  hold(p);
  if (zw_svd(p->rows, p->unknowns, p->J, p->sigma, p->Ut, p->Vt)) return INFINITY;
  p->is_driven = is_driven(p);
  if (p->is_driven) return INFINITY;
  make_step(p, p->r, 0);
  double stride = zw_norm(p->unknowns, p->step) / (UNIT + zw_norm(2 * p->n, p->near->q));
  return stride < TOL_STRIDE ? relative_residual(p) : INFINITY;
}

/* What the motion makes of the contacts, the friction and the switches at the present positions, at rest; infinity where it cannot
 * tell. `part`: so much of friction is left for what follows. */
static double decide(Problem* p, double part) {
  if (!p->may_touch) return evaluate(p);
  if (zw_repose_decide(p->sim, p->t, p->model->q, p->model->v, part)) return INFINITY;
  zw_mechanism_read(&p->all->list[p->which], p->model->q, p->model->v);
  for (int kind = 0; kind < KINDS; kind++) p->weights[kind] = 1;
  return evaluate(p);
}

/* step = (1/h - a_q)^-1 a: q' = a over a time h, by Euler's implicit rule, so that a stiff spring does not ask for small steps while a
 * weight sinks slowly. False where that is not downhill: h is too long for what grows. */
static bool make_creep(Problem* p, double h) {
  ptrdiff_t n = p->n;
  double* K = p->J_kept;
  for (ptrdiff_t i = 0; i < n * n; i++) K[i] = -p->near->a_q[i] + (i % (n + 1) == 0 ? 1 / h : 0);
  zw_copy(p->n, p->near->a, p->step);
  if (!(zw_lu_factor(p->n, K, p->swap) > 0)) return false;
  zw_lu_solve(p->n, K, p->swap, p->step);
  return zw_dot(p->n, p->step, p->near->a) > 0 && zw_norm(p->n, p->step) <= REACH * (UNIT + zw_norm(p->n, p->near->q));
}

/* One step of q' = a(q, 0) on the constraints, of length h; false where that leads nowhere. */
static bool creep(Problem* p, double h) {
  ZwSim* sim = p->sim;
  if (!make_creep(p, h)) return false;
  go_part(p, 1);
  stop_at_gap(p);
  if (p->is_stopped) return isfinite(decide(p, ZW_REPOSE_PART));
  memcpy(sim->y, p->model->q, 2 * (size_t)sim->n * sizeof(double));
  if (!zw_start_settle(sim, p->t, false)) return false;
  memcpy(p->model->q, sim->y, (size_t)sim->n * sizeof(double));
  zw_mechanism_read(&p->all->list[p->which], p->model->q, p->model->v);
  return isfinite(decide(p, ZW_REPOSE_PART));
}

/* After a step from where accelerations were `before`: not over the lowest place, nor far off a valley that turns, whose walls then push;
 * and a step that ends at a contact must have got there, or closed it. */
static bool has_come_down(const Problem* p, const double* before) {
  const double* a = p->near->a;
  if (p->is_stopped) return memcmp(a, before, (size_t)p->n * sizeof(double)) != 0;
  return zw_dot(p->n, before, a) >= 0 && zw_norm(p->n, a) <= CREEP_GROWTH * zw_norm(p->n, before);
}

/* Where steps towards a smaller residual end before it is zero, the motion itself knows the way: without inertia it creeps
 * downhill to an equilibrium. From the state in `first` until the forces are much smaller. */
static void relax(Problem* p, const double* first, double* before) {
  int32_t n = p->n;
  zw_copy(n, first, p->near->q);
  go_there(p);
  if (!isfinite(decide(p, ZW_REPOSE_PART))) return;
  double begun = zw_norm(n, p->near->a), h = begun > 0 ? 0.05 * (UNIT + zw_norm(n, first)) / begun : 0;
  for (int step = 0; step < CREEP_MOST && zw_norm(n, p->near->a) > CREEP_ENOUGH * begun && !is_lost(p); step++) {
    zw_copy(n, p->near->a, before);
    keep(p, false);
    bool is_fine = creep(p, h) && has_come_down(p, before);
    h *= is_fine ? 1.5 : 0.3;
    if (is_fine) continue;
    keep(p, true);
    go_there(p);
    (void)decide(p, ZW_REPOSE_PART);
  }
}

/* Where it ended: a - B v, which should be zero; in the user's units. */
static void find_worst(const Problem* p, ZwSteady* steady) {
  const ZwMechanism* m = &p->all->list[p->which];
  double most = -1;
  double rate = p->field[(ptrdiff_t)p->n * p->n + p->n];
  steady->is_dated = p->symmetries && !(fabs(rate - 1) < TOL_TIME);
  steady->is_singular = p->is_blurred;
  steady->is_endless = isinf(steady->residual) && !p->is_driven && relative_residual(p) < TOL_STEADY;
  for (int32_t i = 0; i < p->n; i++) {
    double left = p->near->a[i] - zw_dot(p->n, p->field + (ptrdiff_t)i * p->n, p->near->v);
    if (!(fabs(left) > most)) continue;
    most = fabs(left);
    steady->left = left * m->size[i] * m->pace * m->pace;
    steady->worst = m->coords[i];
  }
}

static void note_masses(Problem* p) {
  if (!isfinite(evaluate(p))) return;
  for (int32_t j = 0; j < p->n; j++) p->mass[j] = zw_rows_mass(p->sim, p->all->list[p->which].coords[j]);
}

static bool has_row(const Problem* p, int32_t j) {
  for (int32_t r = 0; r < p->near->rv; r++) {
    if (p->near->Av[(ptrdiff_t)r * p->n + j] != 0) return true;
  }
  return false;
}

/* Has a coordinate lost its mass where the search ended, with no row to say what it does? The angle about an axis does so on the axis:
 * what these coordinates say there is nothing about the motion. */
static bool is_at_pole(const Problem* p, ZwSteady* steady) {
  const ZwMechanism* m = &p->all->list[p->which];
  for (int32_t j = 0; j < p->n; j++) {
    if (!(zw_rows_mass(p->sim, m->coords[j]) < TOL_MASS * p->mass[j]) || has_row(p, j)) continue;
    steady->is_at_pole = true;
    steady->worst = m->coords[j];
  }
  return steady->is_at_pole;
}

/* Down to an equilibrium, contact by contact: steps end where one closes, and what holds there the motion decides. True if all is
 * still where the motion has had its last word. */
static bool come_to_rest(Problem* p, double* r, ZwSteady* steady) {
  int32_t rounds = 8 + 4 * (p->sim->contacts.count + p->sim->system->modes.count);
  steady->residual = judge(p, decide(p, 1));
  if (steady->residual < TOL_STILL) return true; /* it is where it is */
  if (!isfinite(decide(p, ZW_REPOSE_PART))) return false;
  for (int32_t round = 0; round < rounds; round++) {
    double residual = descend(p, r, &steady->iterations);
    bool was_stopped = p->is_stopped;
    steady->residual = was_stopped ? INFINITY : judge(p, residual);
    if (!was_stopped && !(steady->residual < TOL_STEADY)) return false;
    if (!was_stopped && !p->may_touch) return true;
    residual = decide(p, 1);
    if (!isfinite(residual)) return false;
    steady->residual = judge(p, residual);
    if (steady->residual < TOL_STEADY) return true;
    if (!isfinite(decide(p, ZW_REPOSE_PART))) return false;
  }
  return false;
}

static bool find_equilibrium(Problem* p, double* r, double* first, double* before, ZwSteady* steady) {
  zw_fill(p->n, 0, p->near->v);
  go_there(p);
  if (come_to_rest(p, r, steady)) return true;
  for (int turn = 0; turn < RELAX_MOST && !is_lost(p); turn++) {
    relax(p, first, before);
    zw_copy(p->n, p->near->q, first); /* where it is taken up if more is needed: what is slow may have hardly moved */
    steady->iterations = 0;
    if (come_to_rest(p, r, steady)) return true;
  }
  return false;
}

ZwStatus zw_steady_find(ZwSim* sim, ZwArena* arena, double t, const ZwMechanisms* all, int32_t which,
                        const ZwSymmetries* symmetries, const bool* is_held, ZwNear* model, ZwSteady* steady) {
  ZwNear* near = &all->list[which].near;
  Problem problem = {.sim = sim, .all = all, .which = which, .model = model, .near = near, .symmetries = symmetries},
          *p = &problem;
  p->t = t;
  p->n = near->n;
  p->is_held = is_held;
  p->may_touch = !symmetries && zw_repose_is_needed(sim);
  for (int kind = 0; kind < KINDS; kind++) p->weights[kind] = 1;
  zw_mechanism_read(&all->list[which], model->q, model->v);
  ZW_TRY(place(p, arena));
  double *r = ZW_NEW(arena, p->rows, double), *first = ZW_NEW(arena, 2 * near->n, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  zw_copy(near->n, near->q, first);
  *steady = (ZwSteady){.is_moving = symmetries != NULL, .field = p->field, .next = p->next};
  note_masses(p);
  bool is_found;
  if (symmetries) {
    guess_field(p);
    steady->residual = judge(p, descend(p, r, &steady->iterations));
    is_found = steady->residual < TOL_STEADY;
  } else {
    is_found = find_equilibrium(p, r, first, first + near->n, steady);
  }
  if (!is_found) {
    find_worst(p, steady);
    return ZW_ERR_STEP;
  }
  if (is_at_pole(p, steady)) return ZW_ERR_STEP;
  steady->freedom = count_freedom(p);
  if (!symmetries) return ZW_OK;
  ZW_TRY(choose_frame(p, arena));
  clear_turns(p);
  return ZW_OK;
}
