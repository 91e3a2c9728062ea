/* The mechanisms of a model, each in units of its own. */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/connected.h"
#include "motion/linear.h"

/* Below this part of what it could be by the others, a coordinate is nothing but rounding, and tells no size. */
#define TOL_TELLS 1e-6
/* Below this part of what was typed a value is its rounding. */
#define TOL_TYPED 1e-12
/* Velocities below this part of what forces make of them in their time are rounding. */
#define TOL_AT_REST 1e-12

/* ---- sizes ---- */

/* Units are powers of two, so that a state goes into them and back without rounding. */
static double as_power(double x) {
  return x > 0 && isfinite(x) ? ldexp(1, ilogb(x)) : 1;
}

/* The metric by coordinate, the root of its mass; 0: it has none. */
static double weight_of(const ZwSim* sim, int32_t coord) {
  double mass = zw_rows_mass(sim, coord);
  return mass > 0 && isfinite(mass) ? sqrt(mass) : 0;
}

/* How large a coordinate is known to be: its value, or that of the start, or what `scale` states. Where constraints or contacts have
 * brought it to zero but for rounding, as large as it was typed. */
static double known_size(const ZwSim* sim, const ZwNear* near, const double* start, int32_t coord) {
  double known = zw_larger(fabs(near->q[coord]), zw_larger(fabs(start[coord]), sim->scale_of[coord]));
  double typed = fabs(sim->typed[coord]);
  return known > TOL_TYPED * typed ? known : typed;
}

/* Coordinates without mass: as far as a row lets them go when another moves by its size. What no row tells is taken for as large as
 * its value, or one. */
static void size_massless(const ZwSim* sim, const ZwNear* near, const double* start, ZwMechanism* m) {
  for (int32_t round = 0; round < m->n; round++) {
    bool has_changed = false;
    for (int32_t r = 0; r < near->rv; r++) {
      const double* row = near->Av + (ptrdiff_t)r * near->n;
      double most = 0;
      for (int32_t j = 0; j < m->n; j++) most = zw_larger(most, fabs(row[m->coords[j]]) * m->size[j]);
      for (int32_t j = 0; j < m->n && most > 0; j++) {
        if (m->size[j] > 0 || row[m->coords[j]] == 0) continue;
        m->size[j] = most / fabs(row[m->coords[j]]);
        has_changed = true;
      }
    }
    if (!has_changed) break;
  }
  for (int32_t j = 0; j < m->n; j++) {
    double known = known_size(sim, near, start, m->coords[j]);
    if (!(m->size[j] > 0)) m->size[j] = known > 0 ? known : 1;
  }
}

/* The least length that contacts and rows tell, measured by the masses, where all values are zero; else that of 1. */
static double told_length(const ZwSim* sim, const ZwMechanism* m, double heaviest) {
  double least = INFINITY;
  for (int32_t j = 0; j < m->n; j++) {
    double length = weight_of(sim, m->coords[j]) * sim->start_size[m->coords[j]];
    if (sim->start_told[m->coords[j]] > ZW_TOLD_GUESS && length > 0) least = fmin(least, length);
  }
  return isfinite(least) ? least : heaviest;
}

/* A coordinate is as large as it is known to be, and at least as the smallest of the others is, when both are measured by the masses. */
static void find_sizes(const ZwSim* sim, const ZwNear* near, const double* start, ZwMechanism* m) {
  double most = 0, least = INFINITY, heaviest = 0;
  for (int32_t j = 0; j < m->n; j++) {
    double weight = weight_of(sim, m->coords[j]);
    heaviest = zw_larger(heaviest, weight);
    most = zw_larger(most, weight * known_size(sim, near, start, m->coords[j]));
  }
  for (int32_t j = 0; j < m->n; j++) {
    double length = weight_of(sim, m->coords[j]) * known_size(sim, near, start, m->coords[j]);
    if (length > TOL_TELLS * most && length < least) least = length;
  }
  if (!isfinite(least)) least = told_length(sim, m, heaviest);
  for (int32_t j = 0; j < m->n; j++) {
    double weight = weight_of(sim, m->coords[j]);
    m->size[j] = weight > 0 ? zw_larger(known_size(sim, near, start, m->coords[j]), least / weight) : 0;
  }
  size_massless(sim, near, start, m);
}

double zw_mechanism_pace(const ZwSim* sim, const ZwNear* near, const ZwMechanism* m) {
  double square = 0, first = 0;
  for (int32_t i = 0; i < m->n; i++) {
    int32_t row = m->coords[i];
    double weight = weight_of(sim, row), size = m->size[i];
    square = zw_larger(square, fabs(near->a[row]) / size);
    if (weight > 0) square = zw_larger(square, fabs(sim->Qc[row]) / (weight * weight * size));
    for (int32_t j = 0; j < m->n; j++) {
      ptrdiff_t at = (ptrdiff_t)row * near->n + m->coords[j];
      square = zw_larger(square, fabs(near->a_q[at]) * m->size[j] / size);
      first = zw_larger(first, fabs(near->a_v[at]) * m->size[j] / size);
    }
  }
  return zw_larger(sqrt(square), first);
}

static void find_units(const ZwSim* sim, const ZwNear* near, const double* start, ZwMechanism* m) {
  find_sizes(sim, near, start, m);
  double pace = zw_mechanism_pace(sim, near, m), fastest = 0;
  for (int32_t j = 0; j < m->n; j++) fastest = zw_larger(fastest, fabs(near->v[m->coords[j]]) / m->size[j]);
  m->is_moving = fastest > TOL_AT_REST * pace;
  m->pace = as_power(zw_larger(pace, fastest));
  for (int32_t j = 0; j < m->n; j++) m->size[j] = as_power(m->size[j]);
}

/* ---- all of them ---- */

static ZwStatus place(ZwSim* sim, ZwArena* arena, ZwMechanism* m) {
  m->size = ZW_NEW(arena, m->n, double);
  m->near = (ZwNear){.m = sim->m};
  return zw_near_place(arena, m->n, zw_near_rows(sim), &m->near);
}

ZwStatus zw_mechanisms_find(ZwSim* sim, ZwArena* arena, const ZwNear* near, const double* start,
                            ZwMechanisms* mechanisms) {
  ZwIslands connected;
  ZW_TRY(zw_connected_find(sim, arena, &connected));
  *mechanisms = (ZwMechanisms){.count = connected.count, .of = connected.of};
  mechanisms->list = ZW_NEW(arena, connected.count + 1, ZwMechanism);
  mechanisms->unit = ZW_NEW(arena, sim->n + 1, double);
  if (arena->failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < sim->n; i++) mechanisms->list[connected.of[i]].n++;
  for (int32_t k = 0; k < connected.count; k++) {
    ZwMechanism* m = &mechanisms->list[k];
    m->coords = ZW_NEW(arena, m->n, int32_t);
    ZW_TRY(place(sim, arena, m));
    m->n = 0;
  }
  for (int32_t i = 0; i < sim->n; i++) {
    ZwMechanism* m = &mechanisms->list[connected.of[i]];
    m->coords[m->n++] = i;
  }
  for (int32_t k = 0; k < connected.count; k++) {
    ZwMechanism* m = &mechanisms->list[k];
    find_units(sim, near, start, m);
    for (int32_t j = 0; j < m->n; j++) mechanisms->unit[m->coords[j]] = m->size[j];
    zw_mechanism_look(sim, mechanisms, k, near);
  }
  return ZW_OK;
}

/* ---- one of them ---- */

void zw_mechanism_read(ZwMechanism* m, const double* q, const double* v) {
  for (int32_t j = 0; j < m->n; j++) {
    m->near.q[j] = q[m->coords[j]] / m->size[j];
    m->near.v[j] = v[m->coords[j]] / (m->size[j] * m->pace);
  }
}

void zw_mechanism_write(const ZwMechanism* m, double* q, double* v) {
  for (int32_t j = 0; j < m->n; j++) {
    q[m->coords[j]] = m->near.q[j] * m->size[j];
    v[m->coords[j]] = m->near.v[j] * m->size[j] * m->pace;
  }
}

/* Is row r of a set, or one of those that come after them, of this mechanism? */
static bool has_row(const ZwSim* sim, const ZwMechanisms* all, int32_t which, const ZwRowSet* set, int32_t r,
                    const double* row) {
  const ZwPattern* A = &sim->equations->A;
  if (r < set->count) {
    int32_t first = A->begin[set->rows[r]];
    return first < A->begin[set->rows[r] + 1] && all->of[A->column[first]] == which;
  }
  for (int32_t j = 0; j < sim->n; j++) {
    if (row[j] != 0) return all->of[j] == which;
  }
  return false;
}

/* to = from in units of the mechanism, divided by its own length, which is given back; 1 where there is none */
static double take_row(const ZwMechanism* m, const double* from, double* to) {
  for (int32_t j = 0; j < m->n; j++) to[j] = from[m->coords[j]] * m->size[j];
  double length = zw_norm(m->n, to);
  if (!(length > 0) || !isfinite(length)) return 1;
  zw_scale(m->n, 1 / length, to);
  return length;
}

static void take_rows(const ZwSim* sim, const ZwMechanisms* all, int32_t which, const ZwNear* near) {
  ZwMechanism* m = &all->list[which];
  ZwNear* to = &m->near;
  ptrdiff_t n = m->n, wide = near->n;
  to->rp = to->rv = 0;
  for (int32_t r = 0; r < near->rp; r++) {
    if (!has_row(sim, all, which, &sim->sets[ZW_LEVEL_POSITION], r, near->Ap + r * wide)) continue;
    double length = take_row(m, near->Ap + r * wide, to->Ap + to->rp * n);
    to->phi[to->rp++] = near->phi[r] / length;
  }
  for (int32_t r = 0; r < near->rv; r++) {
    if (!has_row(sim, all, which, &sim->sets[ZW_LEVEL_VELOCITY], r, near->Av + r * wide)) continue;
    double length = take_row(m, near->Av + r * wide, to->Av + to->rv * n) * m->pace;
    for (int32_t j = 0; j < m->n; j++) {
      to->psi_q[to->rv * n + j] = near->psi_q[r * wide + m->coords[j]] * m->size[j] / length;
    }
    to->psi[to->rv] = near->psi[r] / length;
    to->b[to->rv++] = near->b[r] / (length * m->pace);
  }
}

void zw_mechanism_look(const ZwSim* sim, const ZwMechanisms* all, int32_t which, const ZwNear* near) {
  ZwMechanism* m = &all->list[which];
  ptrdiff_t n = m->n, wide = near->n;
  zw_mechanism_read(m, near->q, near->v);
  for (int32_t i = 0; i < m->n; i++) {
    double size = m->size[i] * m->pace;
    ptrdiff_t row = m->coords[i] * wide;
    m->near.a[i] = near->a[m->coords[i]] / (size * m->pace);
    for (int32_t j = 0; j < m->n; j++) {
      m->near.a_q[i * n + j] = near->a_q[row + m->coords[j]] * m->size[j] / (size * m->pace);
      m->near.a_v[i * n + j] = near->a_v[row + m->coords[j]] * m->size[j] / size;
    }
  }
  take_rows(sim, all, which, near);
}

ZwStatus zw_mechanism_evaluate(ZwSim* sim, double t, const ZwMechanisms* all, int32_t which, ZwNear* near) {
  zw_mechanism_write(&all->list[which], near->q, near->v);
  ZW_TRY(zw_near_evaluate(sim, t, near));
  zw_mechanism_look(sim, all, which, near);
  return ZW_OK;
}
