/* The eigenvalues of small motions, mechanism by mechanism, each in units of its own. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "least/spectrum.h"
#include "least/svd.h"
#include "zwang/linearize_parts.h"

/* A direction of a symmetry that moves the state by less than this part of its unit does not move it. */
#define TOL_MOVES 1e-9
/* A motion changes what is stuck if it does so by more than this part of its size. */
#define TOL_STUCK 1e-6
/* Part of the largest entry of a matrix that its entries are off by at least where it could not be looked at again. */
#define NOISE_UNSEEN 1e-14

enum { AGAIN = 4 }; /* times that the equations are looked at again, moved by rounding */

/* One mechanism. */
typedef struct Part {
  ZwLinearTask* task;
  int32_t which;
  const ZwMechanism* m;
  const ZwSymmetries* symmetries;
  const double* B; /* of the frame, in units of the mechanism; NULL: it stands still */
  ZwTangent tangent;
  int32_t size;      /* of the matrix */
  double *R, *noise; /* size x size: the matrix, and how far its entries may be off */
  ZwSpectrum spectrum;
  double* stuck; /* rows x n: how what sticks would slip, in units of the mechanism */
  int32_t stuck_count;
} Part;

/* ---- rounding ---- */

/* In [-1, 1), the same ones always. */
static double draw(uint64_t* seed) {
  *seed += 0x9E3779B97F4A7C15u;
  uint64_t z = *seed;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

/* The state and, unless they must stay, the numbers of the model, each moved by a rounding. */
static void move_by_rounding(ZwLinearTask* task, const double* state, const double* values, int32_t value_count,
                             uint64_t* seed) {
  const ZwMechanisms* all = &task->mechanisms;
  int32_t n = task->sim->n;
  for (int32_t i = 0; i < n; i++) {
    double unit = all->unit[i], rate = unit * all->list[all->of[i]].pace;
    task->near.q[i] = state[i] + DBL_EPSILON * draw(seed) * (unit + fabs(state[i]));
    task->near.v[i] = state[n + i] + DBL_EPSILON * draw(seed) * (state[n + i] != 0 ? rate + fabs(state[n + i]) : 0);
  }
  for (int32_t k = 0; k < all->count && task->out->at != ZW_LINEARIZE_PRESENT;
       k++) { /* the search ended before the state itself */
    const ZwMechanism* m = &all->list[k];
    double part = 2 * draw(seed);
    for (int32_t j = 0; j < m->n; j++) task->near.q[m->coords[j]] += part * task->steady[k].next[j] * m->size[j];
  }
  for (int32_t i = 0; i < value_count; i++) task->sim->values[i] = values[i] * (1 + DBL_EPSILON * draw(seed));
  zw_sim_set_constants(task->sim);
}

/* How much the entries of all matrices change when everything that they are made of does so by a rounding. */
static ZwStatus find_noise(ZwLinearTask* task, Part* parts, double* scratch) {
  ZwSim* sim = task->sim;
  int32_t n = sim->n, count = sim->system->params.count + sim->equations->literals.count;
  double *state = ZW_NEW(&task->scratch, 2 * n + 1, double), *values = ZW_NEW(&task->scratch, count + 1, double);
  if (task->scratch.failed) return ZW_ERR_MEMORY;
  zw_copy(2 * n, task->near.q, state);
  zw_copy(count, sim->values, values);
  uint64_t seed = 7;
  int seen = 0;
  for (int again = 0; again < 2 * AGAIN && seen < AGAIN; again++) {
    /* a number that must be whole, or at the end of a domain, may not be moved: then the state alone is */
    move_by_rounding(task, state, values, again < AGAIN ? count : 0, &seed);
    if (zw_linear_look(task) == ZW_OK) {
      seen++;
      for (int32_t k = 0; k < task->mechanisms.count; k++) {
        Part* part = &parts[k];
        ptrdiff_t square = (ptrdiff_t)part->size * part->size;
        zw_linear_matrix(&part->m->near, &part->tangent, part->B, scratch, scratch + square);
        for (ptrdiff_t i = 0; i < square; i++) {
          double off = fabs(scratch[i] - part->R[i]);
          part->noise[i] = isfinite(off) ? zw_larger(part->noise[i], off) : part->noise[i];
        }
      }
    }
    zw_copy(count, values, sim->values);
  }
  zw_sim_set_constants(sim);
  zw_copy(2 * n, state, task->near.q);
  ZW_TRY(zw_linear_look(task));
  for (int32_t k = 0; k < task->mechanisms.count && seen == 0; k++) {
    ptrdiff_t square = (ptrdiff_t)parts[k].size * parts[k].size;
    zw_fill(square, NOISE_UNSEEN * zw_max_abs(square, parts[k].R), parts[k].noise);
  }
  return ZW_OK;
}

/* ---- symmetries ---- */

/* The directions of all symmetries in the tangent space, those that fix the state left out; how many there are. */
static int32_t find_directions(const Part* part, double* directions, double* x) {
  const ZwNear* near = &part->m->near;
  int32_t n = near->n, count = 0;
  for (int32_t k = 0; k < part->symmetries->count; k++) {
    double* to = directions + (ptrdiff_t)count * part->size;
    zw_symmetry_apply(n, zw_symmetry(part->symmetries, k), near->q, near->v, x, x + n);
    /* time does not move a state: what goes with it is the motion itself */
    double tau = zw_symmetry(part->symmetries, k)[(ptrdiff_t)n * n + n];
    zw_axpy(n, -tau, near->v, x);
    zw_axpy(n, -tau, near->a, x + n);
    zw_tangent_enter(&part->tangent, x, x + n, to);
    count += zw_norm(part->size, to) > TOL_MOVES;
  }
  return count;
}

/* ---- modes ---- */

/* What rounding may be is none. */
static ZwEigenmodeKind kind_of(const ZwSpectrum* spectrum, int32_t i) {
  if (spectrum->is_known[i]) return ZW_MODE_SYMMETRY;
  if (i < spectrum->zeros) return ZW_MODE_NEUTRAL;
  double re = spectrum->re[i], im = spectrum->im[i], doubt = spectrum->doubt[i];
  if (hypot(re, im) <= doubt) return ZW_MODE_NEUTRAL;
  if (fabs(re) <= doubt) return im != 0 ? ZW_MODE_UNDAMPED : ZW_MODE_NEUTRAL;
  return re > 0 ? ZW_MODE_UNSTABLE : ZW_MODE_STABLE;
}

/* The largest coordinate becomes 1. */
static void normalise(int32_t n, double* re, double* im) {
  int32_t largest = 0;
  for (int32_t i = 1; i < n; i++) {
    /* of two that are equal to rounding the first one */
    if (hypot(re[i], im[i]) > (1 + 1e-9) * hypot(re[largest], im[largest])) largest = i;
  }
  double a = re[largest], b = im[largest], square = a * a + b * b;
  if (!(square > 0)) return;
  for (int32_t i = 0; i < n; i++) {
    double x = re[i], y = im[i];
    re[i] = (x * a + y * b) / square;
    im[i] = (y * a - x * b) / square;
  }
}

/* A vector of the tangent space as a change of the model's state, in the user's units; q and v, 2 n numbers. */
static void bring_out(const Part* part, const double* vector, double* to, double* scratch) {
  const ZwMechanism* m = part->m;
  int32_t n = part->task->sim->n;
  zw_tangent_leave(&part->tangent, vector, scratch, scratch + m->n);
  for (int32_t j = 0; j < m->n; j++) {
    to[m->coords[j]] = scratch[j] * m->size[j];
    to[n + m->coords[j]] = scratch[m->n + j] * m->size[j] * m->pace;
  }
}

static ZwStatus read_mode(const Part* part, int32_t i, double* scratch, ZwEigenmode* mode) {
  const ZwSpectrum* spectrum = &part->spectrum;
  ZwArena* arena = part->task->arena;
  int32_t n = part->task->sim->n, size = part->size;
  double *re = ZW_NEW(arena, 2 * n + 1, double), *im = ZW_NEW(arena, 2 * n + 1, double);
  if (!re || !im) return ZW_ERR_MEMORY;
  bool is_second = spectrum->im[i] < 0;
  const double* vector = spectrum->vectors + (ptrdiff_t)(is_second ? i - 1 : i) * size;
  bring_out(part, vector, re, scratch);
  if (spectrum->im[i] != 0) bring_out(part, vector + size, im, scratch);
  if (is_second) zw_scale(2 * n, -1, im);
  zw_tangent_leave(&part->tangent, vector, scratch, scratch + part->m->n);
  double positions = zw_norm(part->m->n, scratch), velocities = zw_norm(part->m->n, scratch + part->m->n);
  bool is_of_velocities =
      i < spectrum->zeros && positions < 1e-6 * velocities; /* a partner of a zero may move no coordinate */
  if (is_of_velocities) zw_copy(n, re + n, re);
  normalise(n, re, im);
  double pace = part->m->pace;
  *mode = (ZwEigenmode){spectrum->re[i] * pace, spectrum->im[i] * pace, kind_of(spectrum, i), re, im};
  if (mode->kind == ZW_MODE_STABLE || mode->kind == ZW_MODE_UNSTABLE) return ZW_OK;
  mode->re = 0; /* rounding */
  if (mode->kind == ZW_MODE_NEUTRAL) mode->im = 0;
  return ZW_OK;
}

/* By kind; within one the fastest growth first, then the slowest oscillation; of a pair the positive one. */
static bool comes_before(const ZwEigenmode* a, const ZwEigenmode* b) {
  if (a->kind != b->kind) return a->kind < b->kind;
  double near = 1e-9 * (hypot(a->re, a->im) + hypot(b->re, b->im));
  if (fabs(a->re - b->re) > near) return a->re > b->re;
  if (fabs(fabs(a->im) - fabs(b->im)) > near) return fabs(a->im) < fabs(b->im);
  return a->im > b->im;
}

static void sort_modes(int32_t count, ZwEigenmode* modes) {
  for (int32_t i = 1; i < count; i++) {
    ZwEigenmode mode = modes[i];
    int32_t j = i;
    for (; j > 0 && comes_before(&mode, &modes[j - 1]); j--) modes[j] = modes[j - 1];
    modes[j] = mode;
  }
}

/* ---- what sticks ---- */

/* Adds a row, by coordinates of the model, to what sticks. */
static void add_stuck(Part* part, const double* row) {
  const ZwMechanism* m = part->m;
  double* to = part->stuck + (ptrdiff_t)part->stuck_count * m->n;
  for (int32_t j = 0; j < m->n; j++) to[j] = row[m->coords[j]] * m->size[j];
  double length = zw_norm(m->n, to);
  if (!(length > 0)) return;
  zw_scale(m->n, 1 / length, to);
  part->stuck_count++;
}

/* How contacts that stick would slip, and signs that are held would change. */
static ZwStatus find_stuck(Part* part) {
  ZwLinearTask* task = part->task;
  ZwSim* sim = task->sim;
  ptrdiff_t rows = 2 * sim->contacts.count + sim->system->modes.count;
  part->stuck = ZW_NEW(&task->scratch, rows * part->m->n + 1, double);
  double* row = ZW_NEW(&task->scratch, 2 * sim->n + 1, double);
  if (task->scratch.failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    for (int32_t k = 0; k < contact->slip_dim && sim->values[contact->sticks] != 0; k++) {
      int32_t which = contact->slip + k;
      zw_eval_dense_rows(sim, &which, 1, row);
      add_stuck(part, row);
    }
  }
  for (int32_t r = sim->sets[ZW_LEVEL_VELOCITY].count; r < task->near.rv; r++) {
    add_stuck(part, task->near.Av + (ptrdiff_t)r * sim->n);
  }
  return ZW_OK;
}

/* Of the zeros from `first` on, `count` of them: those that would slip and are held are turned into the last ones; how many. */
static int32_t turn_stuck(Part* part, int32_t first, int32_t count) {
  ZwArena* arena = &part->task->scratch;
  int32_t n = part->m->n, rows = part->stuck_count, size = part->size;
  if (count == 0 || rows == 0) return 0;
  double* F = ZW_NEW(arena, (ptrdiff_t)rows * count, double);
  double *sigma = ZW_NEW(arena, count + 1, double), *left = ZW_NEW(arena, (ptrdiff_t)rows * count + 1, double);
  double *right = ZW_NEW(arena, (ptrdiff_t)count * count + 1, double),
         *turned = ZW_NEW(arena, (ptrdiff_t)count * size, double), *x = ZW_NEW(arena, 2 * n, double);
  if (arena->failed) return 0;
  double* vectors = part->spectrum.vectors + (ptrdiff_t)first * size;
  for (int32_t k = 0; k < count; k++) {
    zw_tangent_leave(&part->tangent, vectors + (ptrdiff_t)k * size, x, x + n);
    for (int32_t r = 0; r < rows; r++) F[(ptrdiff_t)r * count + k] = zw_dot(n, part->stuck + (ptrdiff_t)r * n, x);
  }
  if (zw_svd(rows, count, F, sigma, left, right)) return 0;
  int32_t stuck = 0, most = rows < count ? rows : count;
  while (stuck < most && sigma[stuck] > TOL_STUCK) stuck++;
  if (stuck == 0) return 0;
  /* those that are stuck last; before them the axes that are least so, made perpendicular to them and to each other */
  int32_t have = 0;
  for (int32_t axis = 0; axis < count && have < count - stuck; axis++) {
    double* v = left; /* count numbers are there: rows >= 1 */
    zw_fill(count, 0, v);
    v[axis] = 1;
    for (int32_t k = 0; k < stuck; k++) {
      zw_axpy(count, -right[(ptrdiff_t)k * count + axis], right + (ptrdiff_t)k * count, v);
    }
    double* to = turned + (ptrdiff_t)have * size;
    zw_fill(size, 0, to);
    for (int32_t k = 0; k < count; k++) zw_axpy(size, v[k], vectors + (ptrdiff_t)k * size, to);
    for (int32_t k = 0; k < have; k++) {
      const double* other = turned + (ptrdiff_t)k * size;
      zw_axpy(size, -zw_dot(size, other, to), other, to);
    }
    double length = zw_norm(size, to);
    if (length < 1e-6) continue;
    zw_scale(size, 1 / length, to);
    have++;
  }
  for (int32_t k = 0; k < stuck; k++) {
    double* to = turned + (ptrdiff_t)(count - stuck + k) * size;
    zw_fill(size, 0, to);
    for (int32_t j = 0; j < count; j++)
      zw_axpy(size, right[(ptrdiff_t)k * count + j], vectors + (ptrdiff_t)j * size, to);
  }
  zw_copy((ptrdiff_t)count * size, turned, vectors);
  return stuck;
}

/* ---- one mechanism ---- */

static ZwStatus place_part(ZwLinearTask* task, int32_t k, Part* part) {
  ZwArena* arena = &task->scratch;
  *part = (Part){.task = task, .which = k, .m = &task->mechanisms.list[k], .symmetries = &task->symmetries[k]};
  if (task->steady[k].is_moving) part->B = task->steady[k].field;
  ZW_TRY(zw_tangent_create(arena, &part->m->near, &part->tangent));
  part->size = part->tangent.fq + part->tangent.fv;
  ptrdiff_t square = (ptrdiff_t)part->size * part->size;
  part->R = ZW_NEW(arena, square + 1, double);
  part->noise = ZW_NEW(arena, square + 1, double);
  double* x = ZW_NEW(arena, 4 * part->m->n + 1, double);
  ZwSpectrum* spectrum = &part->spectrum;
  spectrum->n = part->size;
  spectrum->re = ZW_NEW(arena, part->size + 1, double);
  spectrum->im = ZW_NEW(arena, part->size + 1, double);
  spectrum->doubt = ZW_NEW(arena, part->size + 1, double);
  spectrum->vectors = ZW_NEW(arena, square + 1, double);
  spectrum->is_known = ZW_NEW(arena, part->size + 1, bool);
  if (arena->failed) return ZW_ERR_MEMORY;
  zw_linear_matrix(&part->m->near, &part->tangent, part->B, part->R, x);
  return ZW_OK;
}

static ZwStatus solve_part(Part* part, ZwEigenmode* modes) {
  ZwArena* arena = &part->task->scratch;
  int32_t size = part->size, wide = 4 * part->m->n + 2 * size;
  double *directions = ZW_NEW(arena, (ptrdiff_t)(part->symmetries->count + 1) * size, double),
         *x = ZW_NEW(arena, wide + 1, double), *work = ZW_NEW(arena, zw_spectrum_work(size), double);
  if (arena->failed) return ZW_ERR_MEMORY;
  int32_t count = find_directions(part, directions, x);
  if (part->B) part->spectrum.frame = zw_max_abs((ptrdiff_t)part->m->n * part->m->n, part->B);
  ZW_TRY(zw_spectrum(&part->spectrum, part->R, part->noise, count, directions, work));
  ZW_TRY(find_stuck(part));
  ZwSpectrum* spectrum = &part->spectrum;
  int32_t known = turn_stuck(part, 0, spectrum->known),
          neutral = turn_stuck(part, spectrum->known, spectrum->zeros - spectrum->known);
  for (int32_t i = 0; i < size; i++) {
    ZW_TRY(read_mode(part, i, x, &modes[i]));
    bool is_stuck = (i < spectrum->known && i >= spectrum->known - known) ||
                    (i < spectrum->zeros && i >= spectrum->zeros - neutral);
    if (is_stuck) modes[i].kind = ZW_MODE_STUCK;
    part->task->out->symmetries += modes[i].kind == ZW_MODE_SYMMETRY;
  }
  return ZW_OK;
}

/* The matrix of the model, in the basis and the units of the user. */
static ZwStatus fill_matrix(ZwLinearTask* task) {
  ptrdiff_t n = task->sim->n, size = task->out->count;
  double *R = ZW_NEW(task->arena, size * size + 1, double), *x = ZW_NEW(&task->scratch, 4 * n + 1, double);
  double* B = ZW_NEW(&task->scratch, n * n + 1, double);
  if (task->arena->failed || task->scratch.failed) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < task->mechanisms.count; k++) {
    const ZwMechanism* m = &task->mechanisms.list[k];
    for (int32_t i = 0; i < m->n && task->steady[k].is_moving; i++) {
      for (int32_t j = 0; j < m->n; j++) {
        double entry = task->steady[k].field[(ptrdiff_t)i * m->n + j];
        B[m->coords[i] * n + m->coords[j]] = entry * m->size[i] * m->pace / m->size[j];
      }
    }
  }
  zw_linear_matrix(&task->near, &task->tangent, B, R, x);
  task->out->matrix = R;
  return ZW_OK;
}

ZwStatus zw_linear_find_modes(ZwLinearTask* task) {
  int32_t count = task->mechanisms.count;
  ptrdiff_t most = 0;
  Part* parts = ZW_NEW(&task->scratch, count + 1, Part);
  ZwEigenmode* modes = ZW_NEW(task->arena, task->out->count + 1, ZwEigenmode);
  if (task->arena->failed || task->scratch.failed) return ZW_ERR_MEMORY;
  ZW_TRY(fill_matrix(task));
  for (int32_t k = 0; k < count; k++) {
    ZW_TRY(place_part(task, k, &parts[k]));
    ptrdiff_t size = parts[k].size;
    if (size * size + 4 * parts[k].m->n > most) most = size * size + 4 * parts[k].m->n;
  }
  double* scratch = ZW_NEW(&task->scratch, most + 1, double);
  if (!scratch) return ZW_ERR_MEMORY;
  ZW_TRY(find_noise(task, parts, scratch));
  int32_t at = 0;
  for (int32_t k = 0; k < count; at += parts[k++].size) ZW_TRY(solve_part(&parts[k], modes + at));
  sort_modes(task->out->count, modes);
  task->out->modes = modes;
  return ZW_OK;
}
