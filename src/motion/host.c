/* Forces and constraints that the host computes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/sim.h"

static ptrdiff_t memory_count(const ZwSim* sim) {
  ptrdiff_t n = sim->n, rows = sim->system->host_rows.count;
  return rows * (n + 3) + 3 * n +
         (sim->large ? 0 : 2 * n * n); /* where the solve is sparse nobody asks for derivatives */
}

static void place(ZwSim* sim) {
  ZwHost* host = &sim->host;
  ptrdiff_t n = sim->n, rows = sim->system->host_rows.count;
  host->rows = (ZwHostRows){.count = (int32_t)rows, .n = sim->n, .residual = host->memory};
  host->rows.A = host->rows.residual + rows;
  host->rows.rate = host->rows.A + rows * n;
  host->rows.b = host->rows.rate + rows;
  host->Q = host->rows.b + rows;
  host->Q_aside = host->Q + n;
  host->at = host->Q_aside + n;
  host->by_q = host->at + n;
  host->by_v = host->by_q + n * n;
}

ZwStatus zw_host_set(ZwSim* sim, const ZwRunDef* def) {
  sim->is_conservative = sim->equations->is_conservative && !def->force;
  sim->followed = 2 * sim->n + (sim->is_conservative ? 0 : 1);
  if (!def->force && sim->system->host_rows.count == 0) return ZW_OK;
  sim->host.memory = zw_alloc(&sim->allocator, (size_t)memory_count(sim) * sizeof(double));
  if (!sim->host.memory) return ZW_ERR_MEMORY;
  sim->host.def = def;
  place(sim);
  zw_energy_open_groups(sim);
  return ZW_OK;
}

void zw_host_forget(ZwSim* sim) {
  if (sim->host.memory) zw_release(&sim->allocator, sim->host.memory);
}

/* ---- constraints ---- */

static void fill_row(ZwSim* sim, int32_t i, bool has_value) {
  const ZwHostRow* row = &sim->system->host_rows.items[i];
  const ZwHostRows* rows = &sim->host.rows;
  double* values = sim->values;
  values[row->residual] = has_value ? rows->residual[i] : NAN;
  values[row->rate] = rows->rate[i];
  values[row->bend] = has_value ? -rows->b[i] : NAN;
  values[row->t0] = sim->state.t;
  memcpy(values + row->A, rows->A + (ptrdiff_t)i * sim->n, (size_t)sim->n * sizeof(double));
  const double* x = row->level == ZW_LEVEL_POSITION ? sim->state.q : sim->state.v;
  memcpy(values + row->x, x, (size_t)sim->n * sizeof(double));
}

void zw_host_fill_rows(ZwSim* sim) {
  const ZwHost* host = &sim->host;
  const ZwHostRows* rows = &host->rows;
  if (!host->def || rows->count == 0) return;
  memset(rows->residual, 0, (size_t)(rows->count * (sim->n + 3)) * sizeof(double));
  bool has_value =
      host->def->constraints(host->def->context, zw_time(sim, sim->state.t), sim->state.q, sim->state.v, rows);
  for (int32_t i = 0; i < rows->count; i++) fill_row(sim, i, has_value);
  zw_program_setup(sim->program, &sim->state);
}

/* ---- forces ---- */

static void ask_force(ZwSim* sim, const double* q, const double* v, double* Q) {
  const ZwRunDef* def = sim->host.def;
  for (int32_t i = 0; i < sim->n; i++) Q[i] = 0;
  if (def->force(def->context, zw_time(sim, sim->state.t), q, v, Q)) return;
  for (int32_t i = 0; i < sim->n; i++) Q[i] = NAN;
}

void zw_host_add_force(ZwSim* sim, double* Q) {
  if (!sim->host.def || !sim->host.def->force) return;
  ask_force(sim, sim->state.q, sim->state.v, sim->host.Q);
  for (int32_t i = 0; i < sim->n; i++) Q[i] += sim->host.Q[i];
}

/* What entry i of the state is measured by; 1 where nothing has told a size yet. */
static double size_of(const ZwSim* sim, ptrdiff_t i, double x) {
  double size = zw_size_at(sim->sizes.unit[i], x);
  return size * DBL_EPSILON > DBL_MIN ? size : 1;
}

/* By differences along one coordinate or velocity after the other. */
static void differ(ZwSim* sim, bool is_by_v, double* slope) {
  ZwHost* host = &sim->host;
  const double *q = sim->state.q, *v = sim->state.v, *from = is_by_v ? v : q;
  ptrdiff_t n = sim->n;
  memcpy(host->at, from, (size_t)n * sizeof(double));
  for (ptrdiff_t j = 0; j < n; j++) {
    double step = cbrt(DBL_EPSILON) * size_of(sim, is_by_v ? n + j : j, from[j]);
    host->at[j] = from[j] + step;
    ask_force(sim, is_by_v ? q : host->at, is_by_v ? host->at : v, host->Q_aside);
    double width = host->at[j];
    host->at[j] = from[j] - step;
    width -= host->at[j];
    ask_force(sim, is_by_v ? q : host->at, is_by_v ? host->at : v, host->Q);
    host->at[j] = from[j];
    for (ptrdiff_t i = 0; i < n; i++) slope[i * n + j] = (host->Q_aside[i] - host->Q[i]) / width;
  }
}

void zw_host_add_slope(ZwSim* sim, double* dr_q, double* dr_v) {
  const ZwHost* host = &sim->host;
  ptrdiff_t count = (ptrdiff_t)sim->n * sim->n;
  if (!host->def || !host->def->force) return;
  memset(host->by_q, 0, (size_t)(2 * count) * sizeof(double));
  const ZwRunDef* def = host->def;
  bool is_known = def->force_slope && def->force_slope(def->context, zw_time(sim, sim->state.t), sim->state.q,
                                                       sim->state.v, host->by_q, host->by_v);
  if (!is_known) {
    differ(sim, false, host->by_q);
    differ(sim, true, host->by_v);
  }
  for (ptrdiff_t k = 0; k < count; k++) {
    dr_q[k] -= host->by_q[k];
    dr_v[k] -= host->by_v[k];
  }
}
