#include "motion/compare.h"

#include <math.h>
#include <string.h>

/* Seeds of the generalized inverses that may be chosen at will; 0 is the natural choice. */
static const uint64_t seeds[] = {0, 20260705};

ptrdiff_t zw_compare_size(int32_t n) {
  return 3 * (ptrdiff_t)n * n + 9 * (ptrdiff_t)n;
}

void zw_compare_place(ZwCompare* compare, int32_t n, double* memory) {
  ptrdiff_t square = (ptrdiff_t)n * n;
  double** const squares[] = {&compare->Zt, &compare->B, &compare->K};
  double** const vectors[] = {&compare->a, &compare->Qc, &compare->reference, &compare->nu, &compare->nu_rate,
                              &compare->r, &compare->c,  &compare->p,         &compare->P};
  for (int i = 0; i < 3; i++, memory += square) *squares[i] = memory;
  for (int i = 0; i < 9; i++, memory += n) *vectors[i] = memory;
}

void zw_compare_begin(ZwCompare* compare) {
  compare->states = 0;
  compare->f = -1;
  for (int i = 0; i < ZW_FORMULATION_COUNT; i++) {
    compare->of[i] = (ZwComparison){.applies = true, .reason = "", .gaussian = NAN};
  }
}

static double now(const ZwCompare* compare) {
  return compare->clock ? compare->clock() : NAN;
}

static double largest(int32_t n, const double* x) {
  double most = 0;
  for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* The accelerations at this state that others are measured against. */
static double scale_of(const ZwSim* sim, const double* a) {
  double scale = largest(sim->n, a);
  if (zw_least_has_metric(sim->least)) { /* the free ones */
    memcpy(sim->dx, sim->h, (size_t)sim->n * sizeof(double));
    zw_least_to_metric(sim->least, sim->dx);
    zw_least_from_metric(sim->least, sim->dx);
    scale = fmax(scale, largest(sim->n, sim->dx));
  }
  return scale > 0 ? scale : 1;
}

static void take(ZwComparison* one, const ZwCompare* compare, const ZwPaperResult* result, double off, double seconds) {
  if (compare->states == 0 && one->solves == 0) one->gaussian = result->gaussian;
  one->difference = fmax(one->difference, off);
  one->residual = fmax(one->residual, result->residual);
  one->optimality = fmax(one->optimality, result->optimality);
  one->seconds += seconds;
  one->solves++;
}

static double off_by(const ZwCompare* compare, int32_t n, double scale) {
  double most = 0;
  for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(compare->a[i] - compare->reference[i]));
  return most / scale;
}

static void refuse(ZwComparison* one, const char* reason) {
  if (one->applies) one->reason = reason;
  one->applies = false;
}

/* One formulation of the papers with each of its choices. */
static void compare_paper(ZwCompare* compare, ZwSim* sim, ZwFormulation which, const ZwPaperProblem* problem,
                          double scale) {
  ZwComparison* one = &compare->of[which];
  for (int32_t choice = 0; choice < zw_formulation_choices(which); choice++) {
    ZwPaperResult result = {.a = compare->a, .Qc = compare->Qc};
    double begun = now(compare);
    ZwStatus status = zw_formulation_solve(sim->paper, which, seeds[choice], problem, &result);
    double seconds = now(compare) - begun;
    if (status)
      refuse(one, result.reason);
    else
      take(one, compare, &result, off_by(compare, sim->n, scale), seconds);
  }
}

bool zw_compare_gather(ZwSim* sim, double t, const double* q, const double* v, ZwPaperProblem* problem) {
  bool has_friction = sim->contacts.rubbing > 0;
  if (has_friction && zw_friction_look(sim, t, q, v)) return false;
  if (!zw_eval_acceleration(sim, t, q, v) || (has_friction && zw_eval_friction(sim))) return false;
  zw_eval_dense_M(sim);
  int32_t count = 0;
  for (int32_t i = 0; i < sim->m; i++) {
    if (!zw_rows_is_on(sim, i)) continue;
    sim->rI[count] = sim->b[i];
    sim->fresh_rows[count++] = i;
  }
  zw_eval_dense_rows(sim, sim->fresh_rows, count, sim->all_rows);
  *problem = (ZwPaperProblem){.n = sim->n, .m = count, .M = sim->M, .h = sim->h, .A = sim->all_rows, .b = sim->rI};
  problem->scale = zw_rows_scales(sim, sim->fresh_rows, count, sim->lm_r);
  return true;
}

/* The production solve on its frozen rows, judged by all rows like the others. */
static ZwStatus compare_auto(ZwCompare* compare, ZwSim* sim, const ZwPaperProblem* problem) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  for (int32_t r = 0; r < set->count; r++) sim->bI[r] = sim->b[set->rows[r]];
  ZwLeastResult least = {.a = compare->reference, .lambda = sim->lambda, .Qc = compare->Qc};
  double begun = now(compare);
  ZW_TRY(zw_least_factor(sim->least, set->count, sim->M, sim->A));
  ZW_TRY(zw_least_answer(sim->least, sim->h, sim->bI, &least));
  double seconds = now(compare) - begun;
  ZwPaperResult result = {.a = compare->reference, .Qc = compare->Qc};
  ZW_TRY(zw_formulation_judge(sim->paper, problem, &result));
  take(&compare->of[ZW_FORMULATION_AUTO], compare, &result, 0, seconds);
  return ZW_OK;
}

static void compare_quasi(ZwCompare* compare, ZwSim* sim, double t, const double* q, const double* v, double scale) {
  ZwComparison* one = &compare->of[ZW_FORMULATION_QUASI];
  if (sim->quasi_count == 0) {
    refuse(one, "the model states no quasi-velocities");
    return;
  }
  double begun = now(compare);
  bool is_regular = zw_quasi_velocity(sim, t, q, sim->zero, sim->quasi_v); /* for the frame alone */
  double seconds = now(compare) - begun;
  ZwPaperProblem problem;
  if (!is_regular || !zw_compare_gather(sim, t, q, v, &problem)) {
    refuse(one, "the quasi-velocities do not tell the free velocities apart everywhere");
    return;
  }
  begun = now(compare);
  ZwStatus status = zw_quasi_solve(sim, t, q, v, sim->dx);
  seconds += now(compare) - begun;
  memcpy(compare->a, sim->a, (size_t)sim->n * sizeof(double));
  memcpy(compare->Qc, sim->Qc, (size_t)sim->n * sizeof(double));
  ZwPaperResult result = {.a = compare->a, .Qc = compare->Qc};
  if (status == ZW_OK) status = zw_formulation_judge(sim->paper, &problem, &result);
  if (status)
    refuse(one, "the inertia along the quasi-velocities is singular");
  else
    take(one, compare, &result, off_by(compare, sim->n, scale), seconds);
}

/* ---- the frame ---- */

/* y = B^T x, row by row of B */
static void multiply_frame(const ZwCompare* compare, ptrdiff_t n, const double* x, double* y) {
  ptrdiff_t f = compare->f;
  for (ptrdiff_t j = 0; j < f; j++) y[j] = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < f; j++) y[j] += compare->B[i * f + j] * x[i];
  }
}

/* K = B^T M B and p = B^T (h - M c) */
static void restrict_gibbs(ZwCompare* compare, const ZwSim* sim) {
  ptrdiff_t n = sim->n, f = compare->f;
  double* push = sim->dx;
  for (ptrdiff_t j = 0; j < f; j++) {
    for (ptrdiff_t i = 0; i < n; i++) {
      const double* row = sim->M + i * n;
      push[i] = 0;
      for (ptrdiff_t q = 0; q < n; q++) {
        if (row[q] != 0) push[i] += row[q] * compare->B[q * f + j]; /* M of many coordinates has few entries */
      }
    }
    multiply_frame(compare, n, push, compare->K + j * f); /* K is symmetric */
  }
  for (ptrdiff_t i = 0; i < n; i++) {
    push[i] = sim->h[i];
    for (ptrdiff_t q = 0; q < n; q++) push[i] -= sim->M[i * n + q] * compare->c[q];
  }
  multiply_frame(compare, n, push, compare->p);
  multiply_frame(compare, n, sim->h, compare->P);
  compare->S = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t q = 0; q < n; q++) {
      compare->S += 0.5 * compare->reference[i] * sim->M[i * n + q] * compare->reference[q];
    }
  }
}

/* rest = x - B y */
static void subtract_part(const ZwCompare* compare, ptrdiff_t n, const double* x, const double* y, double* rest) {
  for (ptrdiff_t i = 0; i < n; i++) {
    rest[i] = x[i];
    for (ptrdiff_t j = 0; j < compare->f; j++) rest[i] -= compare->B[i * compare->f + j] * y[j];
  }
}

/* The user's: B is the first columns of the inverse that compare_quasi left. */
static void take_stated_frame(ZwCompare* compare, ZwSim* sim, double t, const double* q, const double* v) {
  ptrdiff_t n = sim->n, f = sim->quasi_count;
  compare->f = (int32_t)f;
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < f; j++) compare->B[i * f + j] = sim->frame->X[i * n + j];
  }
  (void)(zw_eval_velocity(sim, t, q, v) && zw_eval_quasi(sim, t, q, v)); /* was finite a moment ago */
  memcpy(compare->nu, sim->psi + sim->m_start, (size_t)f * sizeof(double));
  memcpy(compare->nu_rate, sim->dx, (size_t)f * sizeof(double));
}

static ZwStatus take_carried_frame(ZwCompare* compare, ZwSim* sim, const ZwPaperProblem* problem, const double* v) {
  ZW_TRY(zw_formulation_carry(sim->paper, problem, &compare->f, compare->Zt));
  ptrdiff_t n = sim->n, f = compare->f;
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < f; j++) compare->B[i * f + j] = compare->Zt[j * n + i];
  }
  multiply_frame(compare, n, v, compare->nu);
  multiply_frame(compare, n, compare->reference, compare->nu_rate);
  return ZW_OK;
}

static ZwStatus take_frame(ZwCompare* compare, ZwSim* sim, double t, const double* q, const double* v) {
  ZwPaperProblem problem;
  compare->is_stated = sim->quasi_count > 0 && compare->of[ZW_FORMULATION_QUASI].applies;
  if (compare->is_stated) take_stated_frame(compare, sim, t, q, v);
  if (!zw_compare_gather(sim, t, q, v, &problem)) return ZW_ERR_DOMAIN;
  if (!compare->is_stated) ZW_TRY(take_carried_frame(compare, sim, &problem, v));
  subtract_part(compare, sim->n, v, compare->nu, compare->r);
  subtract_part(compare, sim->n, compare->reference, compare->nu_rate, compare->c);
  restrict_gibbs(compare, sim);
  return ZW_OK;
}

ZwStatus zw_compare_state(ZwCompare* compare, ZwSim* sim, double t, const double* y) {
  const double* v = zw_velocity(sim, t, y);
  ZwPaperProblem problem;
  if (!zw_compare_gather(sim, t, y, v, &problem)) return zw_fault_domain(sim, ZW_ENTRY_ACCELERATION, t, y, v, false);
  ZwStatus status = compare_auto(compare, sim, &problem);
  if (status) {
    bool is_singular = sim->near.has_limit && t == sim->near.t_limit;
    zw_diag_error(sim->diags, status, (ZwSpan){0}, "at t = %s there is nothing to compare with: %s",
                  zw_when(sim, t, 9).text,
                  is_singular ? "the start is a singular position, where accelerations are limits"
                              : "the accelerations are not determined");
    if (is_singular) zw_diag_remedy(sim->diags, "compare along the motion, as in: --at 0.1");
    return status;
  }
  double scale = scale_of(sim, compare->reference);
  for (int i = ZW_FORMULATION_AUTO + 1; i < ZW_FORMULATION_QUASI; i++) {
    if (compare->is_alone)
      refuse(&compare->of[i], "it was not asked for");
    else
      compare_paper(compare, sim, (ZwFormulation)i, &problem, scale);
  }
  compare_quasi(compare, sim, t, y, v, scale);
  compare->states++;
  return compare->has_frame ? take_frame(compare, sim, t, y, v) : ZW_OK;
}
