#include "motion/linear.h"

#include <string.h>

#include "least/dense.h"
#include "least/qr.h"

/* ---- the equations at a state ---- */

ZwStatus zw_near_place(ZwArena* arena, int32_t coords, int32_t rows, ZwNear* near) {
  ptrdiff_t n = coords, m = rows;
  near->n = coords;
  near->q = ZW_NEW(arena, 2 * n + 1, double); /* the work of the energy balance stands after the state */
  near->a = ZW_NEW(arena, n, double);
  near->a_q = ZW_NEW(arena, n * n, double);
  near->a_v = ZW_NEW(arena, n * n, double);
  near->Ap = ZW_NEW(arena, m * n, double);
  near->Av = ZW_NEW(arena, m * n, double);
  near->psi_q = ZW_NEW(arena, m * n, double);
  near->phi = ZW_NEW(arena, 3 * m + 1, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  near->v = near->q + n;
  near->psi = near->phi + m;
  near->b = near->psi + m;
  return ZW_OK;
}

ZwStatus zw_near_create(ZwSim* sim, ZwArena* arena, ZwNear* near) {
  int32_t rows = zw_near_rows(sim);
  *near = (ZwNear){.m = sim->m};
  ZW_TRY(zw_near_place(arena, sim->n, rows, near));
  near->psi_q_all = ZW_NEW(arena, (ptrdiff_t)rows * sim->n, double);
  near->work = zw_arena_alloc(arena, 1, zw_jacobian_work_size(sim->program));
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

static void pick(const ZwRowSet* set, const double* all, double* to) {
  for (int32_t r = 0; r < set->count; r++) to[r] = all[set->rows[r]];
}

static ZwStatus evaluate_rows(ZwSim* sim, double t, ZwNear* near) {
  const ZwRowSet *positions = &sim->sets[ZW_LEVEL_POSITION], *velocities = &sim->sets[ZW_LEVEL_VELOCITY];
  ptrdiff_t n = near->n;
  near->rp = positions->count;
  near->rv = velocities->count;
  if (!zw_eval_position(sim, t, near->q)) return ZW_ERR_DOMAIN;
  zw_eval_dense_rows(sim, positions->rows, positions->count, near->Ap);
  pick(positions, sim->phi, near->phi);
  if (!zw_eval_velocity(sim, t, near->q, near->v)) return ZW_ERR_DOMAIN;
  zw_eval_dense_rows(sim, velocities->rows, velocities->count, near->Av);
  pick(velocities, sim->psi, near->psi);
  zw_program_velocity_slope(sim->program, &sim->state, near->work, near->psi_q_all);
  for (int32_t r = 0; r < velocities->count; r++) {
    memcpy(near->psi_q + r * n, near->psi_q_all + velocities->rows[r] * n, (size_t)n * sizeof(double));
  }
  return zw_all_finite(near->rv * n, near->psi_q) ? ZW_OK : ZW_ERR_DOMAIN;
}

ZwStatus zw_near_evaluate(ZwSim* sim, double t, ZwNear* near) {
  ptrdiff_t n = near->n;
  ZW_TRY(evaluate_rows(sim, t, near));
  ZW_TRY(zw_jacobian(sim, t, near->q, near->work, near->a_q, near->a_v));
  memcpy(near->a, sim->a, (size_t)n * sizeof(double));
  pick(&sim->sets[ZW_LEVEL_VELOCITY], sim->b, near->b);
  bool is_finite = zw_all_finite(n, near->a) && zw_all_finite(n * n, near->a_q) && zw_all_finite(n * n, near->a_v);
  return is_finite ? ZW_OK : ZW_ERR_DOMAIN;
}

/* ---- the tangent space ---- */

/* Vectors across all rows of A (count x n, independent), which is used up: the last columns of Q. */
static void find_across(ZwQr* qr, int32_t count, double* Z) {
  int32_t n = qr->rows;
  zw_qr_factor(qr);
  for (int32_t k = count; k < n; k++) {
    double* z = Z + (ptrdiff_t)(k - count) * n;
    zw_fill(n, 0, z);
    z[k] = 1;
    zw_qr_apply_q(qr, z);
  }
}

/* The least dv with A dv + psi_q dq = 0 */
static void follow(const ZwNear* near, const ZwQr* qr, const double* dq, double* dv) {
  zw_fill(near->n, 0, dv);
  for (int32_t r = 0; r < near->rv; r++) dv[r] = -zw_dot(near->n, near->psi_q + (ptrdiff_t)r * near->n, dq);
  zw_qr_solve_rt(qr, near->rv, dv);
  zw_qr_apply_q(qr, dv);
}

ZwStatus zw_tangent_create(ZwArena* arena, const ZwNear* near, ZwTangent* tangent) {
  ptrdiff_t n = near->n, m = near->rv > near->rp ? near->rv : near->rp;
  *tangent = (ZwTangent){.n = near->n, .fq = near->n - near->rp, .fv = near->n - near->rv};
  tangent->Zq = ZW_NEW(arena, n * n, double);
  tangent->P = ZW_NEW(arena, n * n, double);
  tangent->Zv = ZW_NEW(arena, n * n, double);
  double *rows = ZW_NEW(arena, m * n, double), *tau = ZW_NEW(arena, m, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  ZwQr qr = {near->n, near->rp, rows, tau};
  zw_copy(near->rp * n, near->Ap, rows);
  find_across(&qr, near->rp, tangent->Zq);
  qr.cols = near->rv;
  zw_copy(near->rv * n, near->Av, rows);
  find_across(&qr, near->rv, tangent->Zv);
  for (int32_t i = 0; i < tangent->fq; i++) follow(near, &qr, tangent->Zq + i * n, tangent->P + i * n);
  return ZW_OK;
}

/* The rows of a mechanism in the user's units; what they are multiplied by does not matter. */
static ZwStatus find_plain_rows(ZwArena* arena, const ZwMechanism* m, ZwNear* plain) {
  ptrdiff_t n = m->n;
  *plain = (ZwNear){.n = m->n, .rp = m->near.rp, .rv = m->near.rv};
  plain->Ap = ZW_NEW(arena, plain->rp * n + 1, double);
  plain->Av = ZW_NEW(arena, plain->rv * n + 1, double);
  plain->psi_q = ZW_NEW(arena, plain->rv * n + 1, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  for (ptrdiff_t i = 0; i < plain->rp * n; i++) plain->Ap[i] = m->near.Ap[i] / m->size[i % n];
  for (ptrdiff_t i = 0; i < plain->rv * n; i++) {
    plain->Av[i] = m->near.Av[i] / m->size[i % n];
    plain->psi_q[i] = m->near.psi_q[i] / m->size[i % n] * m->pace;
  }
  return ZW_OK;
}

static void spread(const ZwMechanism* m, int32_t n, const double* from, double* to) {
  zw_fill(n, 0, to);
  for (int32_t j = 0; j < m->n; j++) to[m->coords[j]] = from[j];
}

ZwStatus zw_tangent_of_model(ZwArena* arena, const ZwMechanisms* all, int32_t n, ZwTangent* tangent) {
  ptrdiff_t square = (ptrdiff_t)n * n;
  *tangent = (ZwTangent){.n = n};
  tangent->Zq = ZW_NEW(arena, square + 1, double);
  tangent->P = ZW_NEW(arena, square + 1, double);
  tangent->Zv = ZW_NEW(arena, square + 1, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < all->count; k++) {
    const ZwMechanism* m = &all->list[k];
    ZwNear plain;
    ZwTangent own;
    ZW_TRY(find_plain_rows(arena, m, &plain));
    ZW_TRY(zw_tangent_create(arena, &plain, &own));
    for (ptrdiff_t i = 0; i < own.fq; i++, tangent->fq++) {
      spread(m, n, own.Zq + i * m->n, tangent->Zq + (ptrdiff_t)tangent->fq * n);
      spread(m, n, own.P + i * m->n, tangent->P + (ptrdiff_t)tangent->fq * n);
    }
    for (ptrdiff_t i = 0; i < own.fv; i++) spread(m, n, own.Zv + i * m->n, tangent->Zv + (ptrdiff_t)tangent->fv++ * n);
  }
  return ZW_OK;
}

/* P is across Zv, so that the free velocities are seen alone. */
void zw_tangent_enter(const ZwTangent* tangent, const double* dq, const double* dv, double* x) {
  zw_multiply(tangent->fq, tangent->n, tangent->Zq, dq, x);
  zw_multiply(tangent->fv, tangent->n, tangent->Zv, dv, x + tangent->fq);
}

void zw_tangent_leave(const ZwTangent* tangent, const double* x, double* dq, double* dv) {
  zw_fill(tangent->n, 0, dq);
  zw_fill(tangent->n, 0, dv);
  zw_add_transposed(tangent->fq, tangent->n, 1, tangent->Zq, x, dq);
  zw_add_transposed(tangent->fq, tangent->n, 1, tangent->P, x, dv);
  zw_add_transposed(tangent->fv, tangent->n, 1, tangent->Zv, x + tangent->fq, dv);
}

void zw_linear_matrix(const ZwNear* near, const ZwTangent* tangent, const double* B, double* R, double* scratch) {
  int32_t n = near->n, size = tangent->fq + tangent->fv;
  double *dq = scratch, *dv = dq + n, *wq = dv + n, *wv = wq + n;
  for (int32_t j = 0; j < size; j++) {
    bool is_position = j < tangent->fq;
    const double* velocity =
        is_position ? tangent->P + (ptrdiff_t)j * n : tangent->Zv + (ptrdiff_t)(j - tangent->fq) * n;
    zw_fill(n, 0, dq);
    if (is_position) zw_copy(n, tangent->Zq + (ptrdiff_t)j * n, dq);
    zw_copy(n, velocity, dv);
    for (int32_t i = 0; i < n; i++) { /* (dv, a_q dq + a_v dv) - (B dq, B dv) */
      ptrdiff_t at = (ptrdiff_t)i * n;
      wq[i] = dv[i] - (B ? zw_dot(n, B + at, dq) : 0);
      wv[i] = zw_dot(n, near->a_q + at, dq) + zw_dot(n, near->a_v + at, dv) - (B ? zw_dot(n, B + at, dv) : 0);
    }
    for (int32_t i = 0; i < size; i++) {
      R[(ptrdiff_t)i * size + j] = i < tangent->fq ? zw_dot(n, tangent->Zq + (ptrdiff_t)i * n, wq)
                                                   : zw_dot(n, tangent->Zv + (ptrdiff_t)(i - tangent->fq) * n, wv);
    }
  }
}
