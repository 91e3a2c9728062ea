/* How the accelerations change with the state: with r = (M a - h - A^T lambda, A a - b) = 0 and its derivatives at fixed a
 * and lambda,
 *
 *   [M -A^T] [da     ]     dr
 *   [A   0 ] [dlambda] = - --  ,
 *                          dx
 *
 * the same problem as that of the accelerations, with other right sides. The rows are the frozen ones. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "least/dense.h"
#include "motion/sim.h"

static ZwStatus solve_columns(ZwSim* sim, const double* dr, bool is_by_v, double* da) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  ptrdiff_t n = sim->n;
  bool has_friction = sim->contacts.sliding.count > 0;
  ZwLeastResult result = {.a = sim->dx, .lambda = has_friction ? sim->contacts.sliding.work : NULL};
  for (ptrdiff_t j = 0; j < n; j++) {
    for (ptrdiff_t i = 0; i < n; i++) sim->h[i] = -dr[i * n + j];
    for (int32_t r = 0; r < set->count; r++) sim->bI[r] = -dr[(n + set->rows[r]) * n + j];
    if (has_friction && is_by_v) zw_friction_add_slope(sim, (int32_t)j);
    ZwStatus status = zw_least_answer(sim->least, sim->h, sim->bI, &result);
    if (status == ZW_ERR_DOMAIN) zw_fill(sim->n, NAN, sim->dx); /* who asked says what that means */
    if (status && status != ZW_ERR_DOMAIN) return status;
    if (has_friction && !status) zw_friction_follow(sim, result.lambda, sim->dx);
    for (ptrdiff_t i = 0; i < n; i++) da[i * n + j] = sim->dx[i];
  }
  return ZW_OK;
}

size_t zw_jacobian_work_size(const ZwProgram* program) {
  ptrdiff_t n = program->equations->n, m = program->equations->m, events = program->equations->event_count;
  ptrdiff_t beside = 2 * (2 * n + 1) + n; /* of zw_jacobian_of_steps */
  return (size_t)(2 * (n + m) * n + m + 2 * events + beside + (ptrdiff_t)program->registers * ZW_LANES) *
         sizeof(double);
}

/* Friction of what slips changes with its coefficient, where that depends on the state. `work`: two numbers for each value of events. */
static void add_coefficients(ZwSim* sim, const ZwJacobian* jacobian, double* work) {
  const ZwSliding* sliding = &sim->contacts.sliding;
  int32_t events = sim->equations->event_count, *of = (int32_t*)(void*)(work + events);
  bool is_any = false;
  for (int32_t i = 0; i < events; i++) of[i] = -1;
  for (int32_t s = 0; s < sliding->count; s++) {
    const ZwContact* contact = zw_contact_of(sim, sliding->contacts[s]);
    if (contact->is_friction_steady) continue;
    is_any = true;
    of[contact->friction] = s;
    work[s] = -sliding->N[sliding->contacts[s]];
  }
  if (!is_any) return;
  ZwPulls pulls = {.of = of, .force = sliding->along, .size = work};
  zw_program_pulls(sim->program, &sim->state, jacobian, &pulls);
}

/* Multipliers of the frozen rows, and the friction of what slips. */
static void gather_forces(const ZwSim* sim, double* lambda) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  memset(lambda, 0, (size_t)sim->m * sizeof(double));
  for (int32_t r = 0; r < set->count; r++) lambda[set->rows[r]] = sim->lambda[r];
  for (int32_t s = 0; s < sim->contacts.sliding.count; s++) {
    int32_t i = sim->contacts.sliding.contacts[s];
    const ZwContact* contact = zw_contact_of(sim, i);
    for (int32_t k = 0; k < contact->slip_dim; k++) {
      lambda[contact->slip + k] = sim->contacts.sliding.force[2 * i + k];
    }
  }
}

ZwStatus zw_jacobian(ZwSim* sim, double t, const double* y, double* work, double* by_q, double* by_v) {
  ptrdiff_t n = sim->n, m = sim->m;
  double *dr_q = work, *dr_v = dr_q + (n + m) * n, *lambda = dr_v + (n + m) * n, *pulls = lambda + m;
  double* rates = pulls + 2 * (ptrdiff_t)sim->equations->event_count;
  ZwFormulation kept = sim->formulation;
  sim->formulation = ZW_FORMULATION_AUTO; /* all give the same accelerations; this one leaves factors */
  ZwStatus status = zw_eval_rate(sim, t, y, sim->k[ZW_DOP853_STAGES + 1]);
  sim->formulation = kept;
  if (status) return status;
  ZW_TRY(zw_eval_factors(sim));
  gather_forces(sim, lambda);
  sim->stats.jacobians++;
  ZwJacobian jacobian = {sim->a, lambda, dr_q, dr_v, rates};
  zw_program_jacobian(sim->program, &sim->state, &jacobian);
  if (sim->contacts.sliding.count > 0) add_coefficients(sim, &jacobian, pulls);
  zw_host_add_slope(sim, dr_q, dr_v);
  ZW_TRY(solve_columns(sim, dr_q, false, by_q));
  return solve_columns(sim, dr_v, true, by_v);
}

/* ---- for steps ---- */

/* A state beside that of the derivatives, its rate, and the accelerations at the state itself. */
typedef struct Beside {
  double *y, *rate, *a;
} Beside;

static bool is_finite_column(const ZwSim* sim, const double* by, ptrdiff_t j) {
  ptrdiff_t n = sim->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    if (!zw_all_finite(1, by + i * n + j)) return false;
  }
  return true;
}

/* Column j of `by` from the accelerations at a state that is beside the other one by `step` in its place k; zero where there are none. */
static bool take_difference(ZwSim* sim, double t, const Beside* beside, ptrdiff_t k, double step, ptrdiff_t j,
                            double* by) {
  ptrdiff_t n = sim->n;
  double kept = beside->y[k];
  beside->y[k] += step;
  double moved = beside->y[k] - kept;
  bool has_rate = moved != 0 && !zw_eval_rate(sim, t, beside->y, beside->rate);
  beside->y[k] = kept;
  for (ptrdiff_t i = 0; i < n; i++) by[i * n + j] = has_rate ? (beside->rate[n + i] - beside->a[i]) / moved : 0;
  return has_rate;
}

/* The columns of `by` that are not finite, over a distance that counts as no error. */
static void mend_columns(ZwSim* sim, double t, const Beside* beside, ptrdiff_t first, double* by) {
  for (ptrdiff_t j = 0; j < sim->n; j++) {
    ptrdiff_t k = first + j;
    if (is_finite_column(sim, by, j)) continue;
    double step = sim->tolerance * zw_larger(sim->sizes.unit[k], fabs(beside->y[k]));
    if (!take_difference(sim, t, beside, k, step, j, by)) (void)take_difference(sim, t, beside, k, -step, j, by);
  }
}

ZwStatus zw_jacobian_of_steps(ZwSim* sim, double t, const double* y, double* work, double* by_q, double* by_v) {
  ptrdiff_t n = sim->n, m = sim->m;
  ZW_TRY(zw_jacobian(sim, t, y, work, by_q, by_v));
  if (zw_all_finite(n * n, by_q) && zw_all_finite(n * n, by_v)) return ZW_OK;
  double* room = work + 2 * (n + m) * n;
  Beside beside = {.y = room, .rate = room + 2 * n + 1, .a = room + 2 * (2 * n + 1)};
  ZwFormulation kept = sim->formulation;
  memcpy(beside.y, y, (size_t)(2 * n + 1) * sizeof(double));
  memcpy(beside.a, sim->a, (size_t)n * sizeof(double));
  sim->formulation = ZW_FORMULATION_AUTO;
  mend_columns(sim, t, &beside, 0, by_q);
  mend_columns(sim, t, &beside, n, by_v);
  ZwStatus status = zw_eval_rate(sim, t, y, beside.rate);
  sim->formulation = kept;
  return status;
}
