/* The quasi-velocities the user stated (T16): do they count the velocities that the constraints leave free? */
#include <string.h>

#include "motion/sim.h"

static ZwStatus wrong_number(ZwSim* sim, int32_t dof) {
  zw_diag_error(sim->diags, ZW_ERR_VALUE, zw_row_span(sim, sim->m_start),
                "there %s %d quasi-velocit%s for %d degree%s of freedom", sim->quasi_count == 1 ? "is" : "are",
                (int)sim->quasi_count, sim->quasi_count == 1 ? "y" : "ies", (int)dof, dof == 1 ? "" : "s");
  zw_diag_remedy(sim->diags, "state as many as there are degrees of freedom; other velocities are an 'output'");
  return ZW_ERR_VALUE;
}

/* At no velocity: the rows of the quasi-velocities, and the independent constraints into sim->A; psi holds what is left
 * of them without velocities, s and gamma_0. */
static bool gather(ZwSim* sim, double t, const double* q) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  for (int32_t i = 0; i < sim->quasi_count; i++) sim->fresh_rows[i] = sim->m_start + i;
  if (!zw_eval_velocity(sim, t, q, sim->zero) || !zw_eval_quasi(sim, t, q, sim->zero)) return false;
  zw_eval_dense_rows(sim, sim->fresh_rows, sim->quasi_count, sim->quasi);
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  return true;
}

/* The name behind a row of [A; C]. */
static ZwStr stacked_name(const ZwSim* sim, int32_t i) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  return zw_row_name(sim, i < set->count ? set->rows[i] : sim->m_start + i - set->count);
}

/* The first row that depends on the others, and those it is made of. */
static void add_dependent(const ZwSim* sim, ZwText* text) {
  const ZwRank* rank = sim->rank;
  zw_text_addf(text, "'%.*s'", ZW_STR_ARGS(stacked_name(sim, rank->order[rank->rank])));
  const char* lead = " follows from ";
  for (int32_t k = 0; k < rank->rank; k++) {
    if (rank->coefficients[k] == 0) continue;
    zw_text_addf(text, "%s'%.*s'", lead, ZW_STR_ARGS(stacked_name(sim, rank->order[k])));
    lead = ", ";
  }
  if (lead[0] == ' ') zw_text_addf(text, " vanishes");
}

ZwStatus zw_quasi_fault(ZwSim* sim, double t, const double* q) {
  if (!gather(sim, t, q)) return zw_fault_domain(sim, ZW_ENTRY_QUASI, t, q, sim->zero, false);
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText text;
  zw_text_init(&text, &scratch);
  ptrdiff_t n = sim->n, bound = sim->sets[ZW_LEVEL_ACCELERATION].count;
  memcpy(sim->lm_J, sim->A, (size_t)(bound * n) * sizeof(double));
  memcpy(sim->lm_J + bound * n, sim->quasi, (size_t)((n - bound) * n) * sizeof(double));
  ZwStatus status = zw_rank_decide(sim->rank, sim->n, sim->n, sim->lm_J, NULL, NULL);
  if (status == ZW_OK && sim->rank->rank < sim->n) add_dependent(sim, &text);
  zw_diag_error(sim->diags, ZW_ERR_VALUE, zw_row_span(sim, sim->m_start),
                "the quasi-velocities do not tell the free velocities apart at t = %s%s%s", zw_when(sim, t, 9).text,
                text.size ? ": " : "", zw_text_get(&text));
  zw_diag_remedy(sim->diags, "choose velocities that are independent of each other and of the constraints");
  status = scratch.failed ? ZW_ERR_MEMORY : ZW_ERR_VALUE;
  zw_arena_destroy(&scratch);
  return status;
}

ZwStatus zw_quasi_check(ZwSim* sim, double t) {
  if (sim->quasi_count == 0) return ZW_OK;
  int32_t dof = sim->n - sim->sets[ZW_LEVEL_ACCELERATION].count;
  if (sim->quasi_count != dof) return wrong_number(sim, dof);
  if (!gather(sim, t, sim->y)) return zw_fault_domain(sim, ZW_ENTRY_QUASI, t, sim->y, sim->zero, true);
  ZwStatus status = zw_frame_factor(sim->frame, sim->n, dof, sim->quasi, sim->A);
  return status ? zw_quasi_fault(sim, t, sim->y) : ZW_OK;
}

/* ---- the motion in (q, nu) ---- */

ZwStatus zw_quasi_enter(ZwSim* sim, double t, double* y) {
  double* v = y + sim->n;
  if (!zw_eval_velocity(sim, t, y, v) || !zw_eval_quasi(sim, t, y, v)) {
    return zw_fault_domain(sim, ZW_ENTRY_QUASI, t, y, v, true);
  }
  memset(v, 0, (size_t)sim->n * sizeof(double));
  memcpy(v, sim->psi + sim->m_start, (size_t)sim->quasi_count * sizeof(double));
  return ZW_OK;
}

static bool factor_frame(ZwSim* sim, double t, const double* q, const double* nu) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  int32_t k = sim->quasi_count;
  if (set->count + k != sim->n || !gather(sim, t, q)) return false;
  for (int32_t i = 0; i < k; i++) sim->quasi_free[i] = nu[i] - sim->psi[sim->m_start + i];
  for (int32_t r = 0; r < set->count; r++) sim->quasi_free[k + r] = -sim->psi[set->rows[r]];
  return zw_frame_factor(sim->frame, sim->n, k, sim->quasi, sim->A) == ZW_OK;
}

bool zw_quasi_velocity(ZwSim* sim, double t, const double* q, const double* nu, double* v) {
  /* the residuals of the last projection are evidence and stay */
  size_t size = (size_t)sim->m_all * sizeof(double);
  memcpy(sim->quasi_psi, sim->psi, size);
  bool is_regular = factor_frame(sim, t, q, nu);
  memcpy(sim->psi, sim->quasi_psi, size);
  if (is_regular) zw_frame_velocity(sim->frame, sim->quasi_free, sim->quasi_free + sim->quasi_count, v);
  return is_regular;
}

ZwStatus zw_quasi_solve(ZwSim* sim, double t, const double* q, const double* v, double* nu_rate) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  int32_t n = sim->n;
  if (!zw_eval_quasi(sim, t, q, v)) return ZW_ERR_DOMAIN;
  zw_eval_dense_M(sim);
  memset(nu_rate, 0, (size_t)n * sizeof(double));
  for (int32_t r = 0; r < set->count; r++) sim->bI[r] = sim->b[set->rows[r]];
  ZW_TRY(zw_frame_solve(sim->frame, sim->M, sim->h, sim->b + sim->m_start, sim->bI, nu_rate, sim->a));
  for (int32_t i = 0; i < n; i++) {
    sim->Qc[i] = -sim->h[i];
    for (int32_t j = 0; j < n; j++) sim->Qc[i] += sim->M[(ptrdiff_t)i * n + j] * sim->a[j];
  }
  sim->is_minimum = true;
  sim->has_lambda = false;
  sim->pivot_ratio = 1 / sim->frame->condition;
  return ZW_OK;
}

ZwStatus zw_quasi_follow(ZwSim* sim) {
  if (sim->formulation != ZW_FORMULATION_QUASI) return ZW_OK;
  double t = sim->t + sim->step;
  (void)zw_velocity(sim, t, sim->y_new); /* for the frame */
  int32_t before = sim->frame_sign;
  sim->frame_sign = sim->has_next_sets ? 0 : sim->frame->sign; /* other rows, another sign */
  if (before == 0 || sim->frame_sign == 0 || before == sim->frame_sign) return ZW_OK;
  zw_diag_error(sim->diags, ZW_ERR_STEP, zw_row_span(sim, sim->m_start),
                "between t = %s and %s the quasi-velocities do not tell the free velocities apart",
                zw_when(sim, sim->t, 9).text, zw_when(sim, t, 9).text);
  zw_diag_remedy(sim->diags, "choose others that count the motion all the way, or leave --formulation out");
  return ZW_ERR_STEP;
}
