/* How the accelerations change with the state: with r = (M a - h - A^T lambda, A a - b) = 0 and its derivatives at fixed a
 * and lambda,
 *
 *   [M -A^T] [da     ]     dr
 *   [A   0 ] [dlambda] = - --  ,
 *                          dx
 *
 * the same problem as that of the accelerations, with other right sides. The rows are the frozen ones. */
#include <string.h>

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
    ZW_TRY(zw_least_answer(sim->least, sim->h, sim->bI, &result));
    if (has_friction) zw_friction_follow(sim, result.lambda, sim->dx);
    for (ptrdiff_t i = 0; i < n; i++) da[i * n + j] = sim->dx[i];
  }
  return ZW_OK;
}

size_t zw_jacobian_work_size(const ZwProgram* program) {
  ptrdiff_t n = program->equations->n, m = program->equations->m, events = program->equations->event_count;
  return (size_t)(2 * (n + m) * n + m + 2 * events + (ptrdiff_t)program->registers * ZW_LANES) * sizeof(double);
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
