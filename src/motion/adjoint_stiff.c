/* Back along a step of an implicit integrator: Radau's collocation of order 5 in reversed time. With M_i = mu_v at three places,
 *
 *   M_i - h sum_j a_ij a_v,j^T M_j - h^2 sum_j (a^2)_ij a_q,j^T M_j = mu_v + h c_i mu_q,
 *
 * and mu_q at the end follows. Two halves of a step are compared with the whole, which tells the error. */
#include <math.h>

#include "least/dense.h"
#include "least/lu.h"
#include "motion/adjoint.h"
#include "motion/collocation.h"

typedef struct Room {
  ZwSim* sim;
  const ZwPath* path;
  int32_t n;
  double *by_q[ZW_COLLOCATION], *by_v[ZW_COLLOCATION]; /* n x n: derivatives of the accelerations */
  double *K, *M;                                       /* 3 n x 3 n; 3 n */
  int32_t* swap;
  double *mu, *whole, *half, *rates; /* 2 n */
  double *values, *direct;           /* gathered at a place */
  double *sum, *direct_sum;          /* and over the two halves */
} Room;

static ZwStatus make_room(ZwSim* sim, ZwArena* arena, Room* room) {
  ptrdiff_t n = sim->n, size = ZW_COLLOCATION * n;
  for (int i = 0; i < ZW_COLLOCATION; i++) {
    room->by_q[i] = ZW_NEW(arena, n * n, double);
    room->by_v[i] = ZW_NEW(arena, n * n, double);
  }
  room->K = ZW_NEW(arena, size * size, double);
  room->M = ZW_NEW(arena, size, double);
  room->swap = ZW_NEW(arena, size, int32_t);
  double** states[] = {&room->mu, &room->whole, &room->half, &room->rates};
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) *states[i] = ZW_NEW(arena, 2 * n, double);
  room->values = ZW_NEW(arena, sim->sensitivity->values + 1, double);
  room->sum = ZW_NEW(arena, sim->sensitivity->values + 1, double);
  room->direct = ZW_NEW(arena, sim->sensitivity->count, double);
  room->direct_sum = ZW_NEW(arena, sim->sensitivity->count, double);
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* Row i of the derivatives is what the weight 1 on acceleration i becomes. */
static ZwStatus derive(const Room* room, double x, double* by_q, double* by_v) {
  ptrdiff_t n = room->n;
  zw_fill(2 * n, 0, room->mu);
  for (ptrdiff_t i = 0; i < n; i++) {
    room->mu[n + i] = 1;
    ZW_TRY(zw_back_rates(room->sim, room->path, x, room->mu, room->rates, NULL, NULL));
    room->mu[n + i] = 0;
    zw_copy(n, room->rates, by_q + i * n);
    zw_copy(n, room->rates + n, by_v + i * n);
  }
  return ZW_OK;
}

static bool factor(const Room* room, double h) {
  ptrdiff_t n = room->n, size = ZW_COLLOCATION * n;
  for (int i = 0; i < ZW_COLLOCATION; i++) {
    for (int j = 0; j < ZW_COLLOCATION; j++) {
      double v = h * zw_collocation_a[i][j], q = h * h * zw_collocation_square(i, j);
      for (ptrdiff_t k = 0; k < n * n; k++) { /* transposed */
        ptrdiff_t row = k % n, column = k / n;
        room->K[(i * n + row) * size + j * n + column] =
            (i == j && row == column) - v * room->by_v[j][k] - q * room->by_q[j][k];
      }
    }
  }
  return zw_lu_factor((int32_t)size, room->K, room->swap) > 0;
}

/* From x back over a part of the path. The places are in M. */
static ZwStatus collocate(const Room* room, double x, double part, const double* from, double* to) {
  int32_t n = room->n;
  double h = part * room->path->h;
  for (int i = 0; i < ZW_COLLOCATION; i++) {
    ZW_TRY(derive(room, x - zw_collocation_c[i] * part, room->by_q[i], room->by_v[i]));
  }
  if (!factor(room, h)) return ZW_ERR_STEP;
  for (int i = 0; i < ZW_COLLOCATION; i++) {
    for (int32_t k = 0; k < n; k++) room->M[i * n + k] = from[n + k] + h * zw_collocation_c[i] * from[k];
  }
  zw_lu_solve(ZW_COLLOCATION * n, room->K, room->swap, room->M);
  zw_copy(n, from, room->rates);
  for (int j = 0; j < ZW_COLLOCATION; j++) {
    double weight = h * zw_collocation_a[ZW_COLLOCATION - 1][j];
    zw_add_transposed(n, n, weight, room->by_q[j], room->M + j * n, room->rates);
  }
  zw_copy(n, room->M + (ptrdiff_t)(ZW_COLLOCATION - 1) * n, to + n);
  zw_copy(n, room->rates, to);
  return ZW_OK;
}

/* What the gradient gathers over the step that was collocated last. */
static ZwStatus gather(const Room* room, double x, double part) {
  ZwSim* sim = room->sim;
  for (int i = 0; i < ZW_COLLOCATION; i++) {
    double weight = part * room->path->h * zw_collocation_a[ZW_COLLOCATION - 1][i];
    zw_fill(room->n, 0, room->mu);
    zw_copy(room->n, room->M + (ptrdiff_t)i * room->n, room->mu + room->n);
    ZW_TRY(zw_back_rates(sim, room->path, x - zw_collocation_c[i] * part, room->mu, room->rates, room->values,
                         room->direct));
    for (ptrdiff_t k = 0; k < sim->sensitivity->values; k++) room->sum[k] += weight * room->values[k];
    zw_axpy(sim->sensitivity->adjoint->varied, weight, room->direct, room->direct_sum);
  }
  return ZW_OK;
}

static double compare(const Room* room, const double* before, const double* after) {
  double worst = 0;
  for (int block = 0; block < 2; block++) {
    ptrdiff_t at = (ptrdiff_t)block * room->n;
    double off = 0, size = zw_back_size(room->sim, before, after, block == 1);
    for (int32_t i = 0; i < room->n; i++) off = fmax(off, fabs(after[at + i] - room->whole[at + i]));
    worst = fmax(worst, off / size);
    if (!isfinite(off)) return INFINITY;
  }
  return worst / ((1 << ZW_COLLOCATION_ORDER) - 1) / room->sim->tolerance;
}

static ZwStatus try_step(const Room* room, double x, double part, const double* from, double* to, double* error) {
  zw_fill(room->sim->sensitivity->values, 0, room->sum);
  zw_fill(room->sim->sensitivity->adjoint->varied, 0, room->direct_sum);
  ZW_TRY(collocate(room, x, part, from, room->whole));
  ZW_TRY(collocate(room, x, part / 2, from, room->half));
  ZW_TRY(gather(room, x, part / 2));
  ZW_TRY(collocate(room, x - part / 2, part / 2, room->half, to));
  *error = compare(room, from, to);
  return gather(room, x - part / 2, part / 2);
}

static ZwStatus go_back(const Room* room, double* mu, double* end, double* gathered, double* gradient) {
  for (double x = 1, next = 1; x > 0;) {
    double error, part = zw_path_part(next, x, NAN);
    bool is_found;
    ZW_TRY(try_step(room, x, part, mu, end, &error));
    ZW_TRY(zw_path_judge(part, error, ZW_COLLOCATION_ORDER, &is_found, &next));
    if (!is_found) continue;
    x = part == x ? 0 : x - part;
    zw_copy(2 * room->n, end, mu);
    for (ptrdiff_t k = 0; k < room->sim->sensitivity->values; k++) gathered[k] += room->sum[k];
    zw_axpy(room->sim->sensitivity->adjoint->varied, 1, room->direct_sum, gradient);
  }
  return ZW_OK;
}

ZwStatus zw_back_over_stiff(ZwSim* sim, const ZwPath* path, double* gathered, double* gradient) {
  ZwArena arena;
  Room room = {.sim = sim, .path = path, .n = sim->n};
  zw_arena_init(&arena, &sim->allocator);
  ZwStatus status = make_room(sim, &arena, &room);
  double* end = ZW_NEW(&arena, 2 * sim->n, double);
  if (!end) status = ZW_ERR_MEMORY;
  if (!status) status = go_back(&room, zw_back_state(sim->sensitivity->adjoint->back), end, gathered, gradient);
  zw_arena_destroy(&arena);
  return status;
}
