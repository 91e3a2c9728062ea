#include "motion/variation_cones.h"

#include <math.h>
#include <string.h>

#include "least/dense.h"

/* ---- memory ---- */

static void connect(ZwSim* sim, ZwArena* arena, ZwVariation* variation) {
  const ZwEquations* equations = sim->equations;
  ptrdiff_t n = sim->n, rows = sim->m_all;
  double** targets = variation->state.targets;
  for (int k = 0; k < ZW_TARGET_COUNT; k++) targets[k] = ZW_NEW(arena, 2 * n + 2, double); /* those that nobody asks */
  targets[ZW_TARGET_M] = variation->dM = ZW_NEW(arena, equations->M.count + 1, double);
  targets[ZW_TARGET_A] = variation->dA = ZW_NEW(arena, equations->A.count + 1, double);
  targets[ZW_TARGET_H] = variation->dh = ZW_NEW(arena, n + 1, double);
  targets[ZW_TARGET_Q] = variation->dQ = ZW_NEW(arena, n + 1, double);
  targets[ZW_TARGET_B] = variation->db = ZW_NEW(arena, rows + 1, double);
  targets[ZW_TARGET_POWER] = variation->dpower = ZW_NEW(arena, 1, double);
  targets[ZW_TARGET_PHI] = variation->dphi = ZW_NEW(arena, rows + 1, double);
  targets[ZW_TARGET_PSI] = variation->dpsi = ZW_NEW(arena, rows + 1, double);
  targets[ZW_TARGET_OUTPUT] = variation->douts = ZW_NEW(arena, zw_equations_values(equations) + 1, double);
  targets[ZW_TARGET_EVENT] = variation->devents = ZW_NEW(arena, equations->event_count + 1, double);
}

ZwStatus zw_variation_create(ZwSim* sim, ZwArena* arena, ZwVariation* variation) {
  ptrdiff_t n = sim->n, m = sim->m_all;
  *variation = (ZwVariation){0};
  connect(sim, arena, variation);
  variation->y = ZW_NEW(arena, sim->dim, double);
  variation->forces = ZW_NEW(arena, m + 1, double);
  variation->a = ZW_NEW(arena, n + 1, double);
  variation->lambda = ZW_NEW(arena, m + 1, double);
  variation->Ax = ZW_NEW(arena, sim->equations->A.count + 1, double);
  variation->Qc = ZW_NEW(arena, n + 1, double);
  variation->a_b = ZW_NEW(arena, n + 1, double);
  variation->lambda_b = ZW_NEW(arena, m + 1, double);
  variation->da = ZW_NEW(arena, n + 1, double);
  variation->dlambda = ZW_NEW(arena, m + 1, double);
  variation->dQc = ZW_NEW(arena, n + 1, double);
  variation->dreactions = ZW_NEW(arena, m + 1, double);
  variation->dfriction = ZW_NEW(arena, 2 * sim->contacts.count + 1, double);
  variation->right = ZW_NEW(arena, n + 1, double);
  variation->bI = ZW_NEW(arena, 2 * m + 1, double);
  variation->zero = ZW_NEW(arena, n + m + 1, double);
  ZW_TRY(zw_derive_forward(sim->program, arena, &variation->derived));
  ptrdiff_t values = sim->system->params.count + sim->equations->literals.count;
  variation->q = ZW_NEW(arena, 2 * n + 1, double);
  variation->v = ZW_NEW(arena, 2 * n + 1, double);
  variation->accelerations = ZW_NEW(arena, 2 * n + 1, double);
  variation->reactions = ZW_NEW(arena, 2 * sim->equations->reactions + 1, double);
  ptrdiff_t square = sim->equations->quantities ? n * n : 0;
  variation->M = ZW_NEW(arena, square + 1, double);
  variation->L = ZW_NEW(arena, square + 1, double);
  variation->w = ZW_NEW(arena, 2 * n + 1, double);
  variation->mass_unit = ZW_NEW(arena, n + 1, double);
  variation->mass_swap = ZW_NEW(arena, n + 1, int32_t);
  variation->values = ZW_NEW(arena, 2 * values + 1, double);
  variation->state.registers = ZW_NEW(arena, (ptrdiff_t)variation->derived.program.registers * ZW_LANES, double);
  variation->state.tables = sim->state.tables;
  variation->state.q = variation->q;
  variation->state.v = variation->v;
  variation->state.a = variation->accelerations;
  variation->state.reactions = variation->reactions;
  variation->state.values = variation->values;
  bool has_force = sim->host.def && sim->host.def->force;
  for (int k = 0; k < 2 && has_force; k++) variation->host[k] = ZW_NEW(arena, n * n, double);
  if (sim->contacts.count > 0) {
    variation->cones = ZW_NEW(arena, zw_cones_most(sim), ZwCone);
    variation->chosen = ZW_NEW(arena, zw_variation_cones_room(sim, sim->m), double);
    variation->swap = ZW_NEW(arena, zw_variation_cones_unknowns(sim, sim->m), int32_t);
  }
  if (sim->m > 0) variation->dense = ZW_NEW(arena, 3 * m * n + 2 * m * m + 8 * m + 4 * n, double);
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

void zw_variation_destroy(ZwVariation* variation) {
  zw_derived_destroy(&variation->derived);
}

ptrdiff_t zw_variation_constant_count(const ZwVariation* variation) {
  return variation->derived.program.constants;
}

void zw_variation_constants(ZwSim* sim, ZwVariation* variation, const double* dvalues, double* dconstants) {
  ptrdiff_t values = sim->system->params.count + sim->equations->literals.count;
  zw_copy(values, sim->values, variation->values);
  zw_copy(values, dvalues, variation->values + values);
  variation->state.constants = dconstants;
  zw_program_setup(&variation->derived.program, &variation->state);
}

/* Parameters of several files may have the same name: all of them are varied, as all of them are set. */
static bool is_varied(const ZwSystem* system, int32_t index, int32_t i) {
  const ZwParam* param = &system->params.items[i];
  bool is_namesake =
      !param->is_hidden && !param->is_memory && zw_str_equal(param->name, system->params.items[index].name);
  return i == index || is_namesake;
}

void zw_variation_values(ZwSim* sim, ZwEvaluator* evaluator, const double* given, int32_t index, double* dvalues) {
  const ZwSystem* system = sim->system;
  ZwEnvironment environment = {.params = sim->values};
  for (int32_t i = 0; i < system->params.count; i++) {
    bool is_given = given && !isnan(given[i]);
    if (is_varied(system, index, i))
      dvalues[i] = 1;
    else if (!is_given && i > index)
      dvalues[i] = zw_expr_rate(evaluator, &system->graph, system->params.items[i].value, &environment, dvalues);
  }
}

/* ---- kernels along a direction ---- */

static void clear(double* x, ptrdiff_t count) {
  if (count > 0) memset(x, 0, (size_t)count * sizeof(double));
}

static void point(const ZwSim* sim, ZwVariation* variation, const ZwDirection* direction) {
  ptrdiff_t n = sim->n;
  zw_copy(n, direction->dq, variation->q + n);
  zw_copy(n, direction->dv, variation->v + n);
  variation->q[2 * n] = direction->dt;
  variation->state.constants = (double*)(uintptr_t)direction->dconstants; /* entries only read them */
}

static void stand_at(const ZwSim* sim, ZwVariation* variation, double t, const double* q, const double* v) {
  variation->state.t = t;
  zw_copy(sim->n, q, variation->q);
  zw_copy(sim->n, v, variation->v);
}

static void run(ZwVariation* variation, ZwEntry entry) {
  zw_program_run(&variation->derived.program, entry, &variation->state);
}

/* Runs an entry that reads no accelerations at a place, and goes back to the state of zw_variation_at. */
static void run_at(ZwSim* sim, ZwVariation* variation, ZwEntry entry, ZwStateAt place, const ZwDirection* direction) {
  stand_at(sim, variation, place.t, place.q, place.v);
  point(sim, variation, direction);
  run(variation, entry);
  stand_at(sim, variation, variation->t, variation->y, variation->y + sim->n);
}

static void clear_rows(ZwSim* sim, ZwVariation* variation) {
  clear(variation->dA, sim->equations->A.count);
  clear(variation->dphi, sim->m_all);
  clear(variation->dpsi, sim->m_all);
}

void zw_variation_rows(ZwSim* sim, ZwVariation* variation, ZwEntry entry, ZwStateAt place,
                       const ZwDirection* direction) {
  clear_rows(sim, variation);
  run_at(sim, variation, entry, place, direction);
}

void zw_variation_start_rows(ZwSim* sim, ZwVariation* variation, ZwEntry entry, ZwStateAt place,
                             const ZwDirection* direction) {
  clear_rows(sim, variation);
  run_at(sim, variation, entry, place, direction);
  if (sim->m_start > sim->m) run_at(sim, variation, ZW_ENTRY_START, place, direction);
}

void zw_variation_event_values(ZwSim* sim, ZwVariation* variation, ZwStateAt place, const ZwDirection* direction) {
  clear(variation->devents, sim->equations->event_count);
  run_at(sim, variation, ZW_ENTRY_EVENT, place, direction);
}

void zw_variation_masses(ZwSim* sim, ZwVariation* variation, ZwStateAt place, const ZwDirection* direction) {
  clear(variation->dM, sim->equations->M.count);
  run_at(sim, variation, ZW_ENTRY_ACCELERATION, place, direction);
}

double zw_variation_momenta(ZwSim* sim, ZwVariation* variation, ZwStateAt place, const ZwDirection* direction,
                            double* dp) {
  double** targets = variation->state.targets;
  clear(targets[ZW_TARGET_LV], sim->n);
  int32_t groups = sim->equations->groups.count + 1;
  clear(targets[ZW_TARGET_ENERGY], groups);
  clear(targets[ZW_TARGET_MOMENTUM], groups);
  run_at(sim, variation, ZW_ENTRY_VARIATION, place, direction);
  run_at(sim, variation, ZW_ENTRY_ENERGY, place, direction);
  zw_copy(sim->n, targets[ZW_TARGET_LV], dp);
  double L = 0; /* v . p - E */
  for (int32_t g = 0; g < groups; g++) L += targets[ZW_TARGET_MOMENTUM][g] - targets[ZW_TARGET_ENERGY][g];
  return L;
}

/* Entries that may read accelerations and reactions. */
static void run_solved(ZwSim* sim, ZwVariation* variation, ZwEntry entry, const ZwDirection* direction) {
  ptrdiff_t n = sim->n, m = sim->m;
  zw_copy(n, variation->a, variation->accelerations);
  zw_copy(n, variation->da, variation->accelerations + n);
  zw_copy(m, sim->reactions, variation->reactions);
  zw_copy(m, variation->dreactions, variation->reactions + sim->equations->reactions);
  if (entry == ZW_ENTRY_OUTPUT && sim->equations->quantities) zw_variation_quantities(sim, variation);
  point(sim, variation, direction);
  run(variation, entry);
}

void zw_variation_outputs(ZwSim* sim, ZwVariation* variation, const ZwDirection* direction) {
  clear(variation->douts, zw_equations_values(sim->equations));
  run_solved(sim, variation, ZW_ENTRY_OUTPUT, direction);
}

void zw_variation_events(ZwSim* sim, ZwVariation* variation, const ZwDirection* direction) {
  clear(variation->devents, sim->equations->event_count);
  run_solved(sim, variation, ZW_ENTRY_EVENT, direction);
}

/* ---- the state ---- */

static void note_forces(ZwSim* sim, ZwVariation* variation) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  clear(variation->forces, sim->m_all);
  for (int32_t r = 0; r < set->count; r++) variation->forces[set->rows[r]] = sim->lambda[r];
  for (int32_t s = 0; s < sim->contacts.sliding.count; s++) {
    int32_t i = sim->contacts.sliding.contacts[s];
    const ZwContact* contact = zw_contact_of(sim, i);
    for (int32_t k = 0; k < contact->slip_dim; k++) {
      variation->forces[contact->slip + k] = sim->contacts.sliding.force[2 * i + k];
    }
  }
}

static void ask_host(ZwSim* sim, ZwVariation* variation) {
  if (!variation->host[0]) return;
  ptrdiff_t count = (ptrdiff_t)sim->n * sim->n;
  for (int k = 0; k < 2; k++) clear(variation->host[k], count);
  zw_host_add_slope(sim, variation->host[0], variation->host[1]);
}

ZwStatus zw_variation_at(ZwSim* sim, ZwVariation* variation, double t, const double* y) {
  ptrdiff_t n = sim->n;
  ZwFormulation kept = sim->formulation;
  if (variation->y != y) memcpy(variation->y, y, (size_t)(2 * n) * sizeof(double));
  sim->formulation = ZW_FORMULATION_AUTO; /* all give the same accelerations; this one leaves factors */
  ZwStatus status = zw_eval_rate(sim, t, variation->y, sim->k[ZW_DOP853_STAGES + 1]);
  if (!status && sim->near.is_limit) status = ZW_ERR_INCONSISTENT;
  if (!status) status = zw_eval_factors(sim);
  sim->formulation = kept;
  if (status) return status;
  variation->t = t;
  stand_at(sim, variation, t, variation->y, variation->y + n);
  zw_copy(n, sim->a, variation->a);
  zw_copy(sim->sets[ZW_LEVEL_ACCELERATION].count, sim->lambda, variation->lambda);
  zw_copy(n, sim->Qc, variation->Qc);
  zw_copy(sim->equations->A.count, sim->Ax, variation->Ax);
  if (sim->has_forces) ZW_TRY(zw_force_part_b(sim, variation->a_b, variation->lambda_b, NULL));
  if (sim->equations->quantities) zw_variation_quantities_at(sim, variation);
  note_forces(sim, variation);
  ask_host(sim, variation);
  return ZW_OK;
}

/* ---- the right side ---- */

/* right = -(dM a - dh - dQ - dA^T forces) */
static void gather_forces(const ZwSim* sim, ZwVariation* variation) {
  const ZwPattern *M = &sim->equations->M, *A = &sim->equations->A;
  double* right = variation->right;
  for (int32_t i = 0; i < sim->n; i++) right[i] = variation->dh[i] + variation->dQ[i];
  for (int32_t i = 0; i < sim->n; i++) {
    for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++) {
      int32_t j = M->column[k];
      right[i] -= variation->dM[k] * variation->a[j];
      if (i != j) right[j] -= variation->dM[k] * variation->a[i];
    }
  }
  for (int32_t i = 0; i < sim->m; i++) {
    if (variation->forces[i] == 0) continue;
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
      right[A->column[k]] += variation->dA[k] * variation->forces[i];
    }
  }
}

/* bI = -(dA a - db) */
static void gather_rows(const ZwSim* sim, ZwVariation* variation) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  const ZwPattern* A = &sim->equations->A;
  for (int32_t r = 0; r < set->count; r++) {
    int32_t i = set->rows[r];
    double sum = variation->db[i];
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) sum -= variation->dA[k] * variation->a[A->column[k]];
    variation->bI[r] = sum;
  }
}

static void add_host(const ZwSim* sim, ZwVariation* variation, const ZwDirection* direction) {
  if (!variation->host[0]) return;
  for (int32_t i = 0; i < sim->n; i++) {
    ptrdiff_t row = (ptrdiff_t)i * sim->n;
    variation->right[i] -= zw_dot(sim->n, variation->host[0] + row, direction->dq) +
                           zw_dot(sim->n, variation->host[1] + row, direction->dv);
  }
}

/* ---- friction of what slips ---- */

void zw_variation_coefficients(const ZwSim* sim, ZwVariation* variation) {
  clear(variation->devents, sim->equations->event_count);
  run(variation, ZW_ENTRY_EVENT);
}

static void add_along(const ZwSim* sim, const ZwVariation* variation, int32_t row, double factor, double* to) {
  const ZwPattern* A = &sim->equations->A;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) to[A->column[k]] += factor * variation->Ax[k];
}

/* The change of the force along the slips of contact i while N stays: its coefficient changes, and in two directions where it points. */
static void vary_friction(const ZwSim* sim, const ZwVariation* variation, int32_t i, double* df) {
  const ZwSliding* sliding = &sim->contacts.sliding;
  const ZwContact* contact = zw_contact_of(sim, i);
  double along[2], dmu = variation->devents[contact->friction], force = -sliding->mu[i] * sliding->N[i];
  zw_friction_along(sim, i, along);
  for (int k = 0; k < 2; k++) df[k] = -dmu * sliding->N[i] * along[k];
  if (contact->slip_dim < 2) return;
  const double *u = sliding->slip + 2 * i, *du = variation->dpsi + contact->slip;
  double size = hypot(hypot(u[0], u[1]), sim->contacts.sliding.creep[i]), turned = along[0] * du[0] + along[1] * du[1];
  for (int k = 0; k < 2; k++) df[k] += force * (du[k] - along[k] * turned) / size;
}

/* Before the solve: what does not hang on how N changes. */
static void add_friction(ZwSim* sim, ZwVariation* variation) {
  clear(variation->dpsi, sim->m_all);
  zw_variation_coefficients(sim, variation);
  if (sim->contacts.has_discs) {
    double* kept = variation->state.targets[ZW_TARGET_A]; /* dA is that of the accelerations */
    variation->state.targets[ZW_TARGET_A] = variation->dense;
    run(variation, ZW_ENTRY_VELOCITY);
    variation->state.targets[ZW_TARGET_A] = kept;
  }
  for (int32_t s = 0; s < sim->contacts.sliding.count; s++) {
    int32_t i = sim->contacts.sliding.contacts[s];
    const ZwContact* contact = zw_contact_of(sim, i);
    double* df = variation->dfriction + 2 * i;
    vary_friction(sim, variation, i, df);
    for (int32_t k = 0; k < contact->slip_dim; k++)
      add_along(sim, variation, contact->slip + k, df[k], variation->right);
  }
}

/* After it: friction follows N, and everything follows friction. */
static void follow_friction(ZwSim* sim, ZwVariation* variation) {
  const ZwSliding* sliding = &sim->contacts.sliding;
  int32_t rows = sim->sets[ZW_LEVEL_ACCELERATION].count;
  double* dN = variation->bI;
  if (sliding->is_shared) return; /* the step that follows is refused */
  for (int32_t s = 0; s < sliding->count; s++) dN[s] = variation->dlambda[sliding->places[s]];
  zw_friction_forces(sim, dN);
  for (int32_t s = 0; s < sliding->count; s++) {
    int32_t i = sliding->contacts[s];
    double along[2], force = -sliding->mu[i] * dN[s];
    zw_friction_along(sim, i, along);
    zw_axpy(sim->n, force, sliding->push + (ptrdiff_t)s * sim->n, variation->da);
    zw_axpy(rows, force, sliding->lambda + (ptrdiff_t)s * rows, variation->dlambda);
    for (int k = 0; k < 2; k++) variation->dfriction[2 * i + k] += force * along[k];
  }
}

/* ---- accelerations and multipliers ---- */

/* dQc = A^T dlambda + dA^T lambda over the frozen rows */
static void gather_reaction(const ZwSim* sim, ZwVariation* variation) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  const ZwPattern* A = &sim->equations->A;
  clear(variation->dQc, sim->n);
  for (int32_t r = 0; r < set->count; r++) {
    int32_t i = set->rows[r];
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
      variation->dQc[A->column[k]] +=
          variation->Ax[k] * variation->dlambda[r] + variation->dA[k] * variation->lambda[r];
    }
  }
}

ZwStatus zw_variation_solve(ZwSim* sim, ZwVariation* variation, const ZwDirection* direction) {
  bool has_friction = sim->contacts.sliding.count > 0;
  point(sim, variation, direction);
  clear(variation->dM, sim->equations->M.count);
  clear(variation->dA, sim->equations->A.count);
  clear(variation->dh, sim->n);
  clear(variation->dQ, sim->n);
  clear(variation->db, sim->m_all);
  clear(variation->dfriction, 2 * sim->contacts.count);
  run(variation, ZW_ENTRY_ACCELERATION);
  gather_forces(sim, variation);
  gather_rows(sim, variation);
  add_host(sim, variation, direction);
  if (has_friction) add_friction(sim, variation);
  ZwLeastResult result = {.a = variation->da, .lambda = variation->dlambda};
  ZW_TRY(zw_least_answer(sim->least, variation->right, variation->bI, &result));
  if (has_friction) follow_friction(sim, variation);
  gather_reaction(sim, variation);
  return ZW_OK;
}
