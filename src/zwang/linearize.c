/* Small motions around a steady one, by the user's names. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "least/dense.h"
#include "zwang/linearize_parts.h"
#include "zwang/state_space.h"

/* ---- reactions ---- */

/* Part of the forces on a coordinate below which a reaction is their rounding. */
#define TOL_REACTION 1e-13

/* The forces on a coordinate before they cancel: the net one of the model, those of all rows, and what moves it by its size in the time of
 * its mechanism. */
static void find_loads(const ZwLinearTask* task, double* loads) {
  const ZwSim* sim = task->sim;
  const ZwPattern* A = &sim->equations->A;
  for (int32_t j = 0; j < sim->n; j++) {
    double pace = task->mechanisms.list[task->mechanisms.of[j]].pace;
    loads[j] = fabs(sim->h[j]) + fmax(zw_rows_mass(sim, j), 0) * task->mechanisms.unit[j] * pace * pace;
  }
  for (int32_t i = 0; i < sim->m; i++) {
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) {
      loads[A->column[k]] += fabs(sim->Ax[k] * sim->reactions[i]);
    }
  }
}

/* Is the reaction of a row rounding of the other forces at its coordinates? At those without any, as where a coordinate without mass only
 * reads, it is what it is at the others. */
static bool is_rounding(const ZwSim* sim, int32_t row, const double* loads) {
  const ZwPattern* A = &sim->equations->A;
  int32_t told = 0;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
    double own = fabs(sim->Ax[k] * sim->reactions[row]), load = loads[A->column[k]];
    if (!(own < 0.5 * load)) continue;
    if (own > TOL_REACTION * load) return false;
    told++;
  }
  return told > 0;
}

/* Reactions that are rounding of other forces are zero. */
static ZwStatus clear_reactions(ZwLinearTask* task) {
  ZwSim* sim = task->sim;
  double* loads = ZW_NEW(&task->scratch, sim->n + 1, double);
  if (!loads) return ZW_ERR_MEMORY;
  find_loads(task, loads);
  for (int32_t i = 0; i < sim->m; i++) {
    if (is_rounding(sim, i, loads)) sim->reactions[i] = 0;
  }
  return ZW_OK;
}

/* ---- the answer ---- */

static double* give(ZwLinearTask* task, const double* from, int32_t count) {
  double* to = ZW_NEW(task->arena, count + 1, double);
  if (to) zw_copy(count, from, to);
  return to;
}

static ZwStatus fill_state(ZwLinearTask* task) {
  ZwLinearization* out = task->out;
  ZwSim* sim = task->sim;
  ZW_TRY(zw_eval_rate(sim, sim->t, sim->y, sim->k[ZW_DOP853_STAGES + 1]));
  ZW_TRY(zw_reactions(sim));
  ZW_TRY(clear_reactions(task));
  out->t = zw_time(sim, sim->t);
  out->n = sim->n;
  out->m = sim->m;
  out->q = give(task, task->near.q, sim->n);
  out->v = give(task, task->near.v, sim->n);
  out->a = give(task, task->near.a, sim->n);
  out->sizes = give(task, task->mechanisms.unit, sim->n);
  out->reactions = give(task, sim->reactions, sim->m);
  const char** names = ZW_NEW(task->arena, sim->m + 1, const char*);
  for (int32_t i = 0; names && i < sim->m; i++) names[i] = zw_str_copy(task->arena, zw_row_name(sim, i));
  out->row_names = names;
  out->freedom = out->at == ZW_LINEARIZE_EQUILIBRIUM ? 0 : -1;
  for (int32_t k = 0; k < task->mechanisms.count; k++) {
    const ZwSteady* steady = &task->steady[k];
    out->residual = zw_larger(out->residual, steady->residual);
    out->iterations = steady->iterations > out->iterations ? steady->iterations : out->iterations;
    if (out->at == ZW_LINEARIZE_EQUILIBRIUM) out->freedom += steady->freedom;
  }
  out->position_rows = task->near.rp;
  out->velocity_rows = task->near.rv - task->near.rp;
  out->count = task->tangent.fq + task->tangent.fv;
  return task->arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* What each contact is, and what friction holds. */
static ZwStatus fill_contacts(ZwLinearTask* task) {
  ZwLinearization* out = task->out;
  const ZwSim* sim = task->sim;
  int32_t count = sim->contacts.count, modes = sim->system->modes.count;
  const char **names = ZW_NEW(task->arena, count + 1, const char*),
             **held = ZW_NEW(task->arena, modes + 1, const char*);
  ZwContactWhat* what = ZW_NEW(task->arena, count + 1, ZwContactWhat);
  if (task->arena->failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    bool is_closed = zw_contacts_is_closed(sim, i), rubs = contact->slip_dim > 0 && sim->contacts.sliding.mu[i] > 0;
    names[i] = zw_str_copy(task->arena, contact->name);
    what[i] = !is_closed                          ? ZW_CONTACT_OPEN
              : !rubs                             ? ZW_CONTACT_CLOSED
              : sim->values[contact->sticks] != 0 ? ZW_CONTACT_STICKS
                                                  : ZW_CONTACT_SLIPS;
  }
  for (int32_t i = 0; i < modes; i++) {
    if (sim->watch.rests[i]) held[out->held_count++] = zw_str_copy(task->arena, sim->system->modes.items[i].name);
  }
  if (out->freedom >= 0) out->freedom += out->held_count; /* each of them may be held elsewhere too */
  out->contact_count = count;
  out->contacts = what;
  out->contact_names = names;
  out->held_names = held;
  return task->arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* ---- where the search begins ---- */

/* Closes contacts whose gaps are negative at the present positions; how many. */
static int32_t close_crossed(ZwSim* sim) {
  int32_t count = 0;
  if (!zw_eval_position(sim, sim->t, sim->y)) return 0;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    bool is_gap = zw_contact_level(sim, i) == ZW_LEVEL_POSITION && zw_contact_is_there(sim, i);
    if (!is_gap || zw_contacts_is_closed(sim, i) || !(sim->phi[contact->row] < 0)) continue;
    sim->values[contact->closed] = 1;
    count++;
  }
  if (count > 0) zw_sim_set_constants(sim);
  return count;
}

/* Puts the present positions onto the constraints, and those that lie inside contacts onto these: the walls may have moved since. What is
 * closed then is for the search to decide. */
static ZwStatus settle_outside(ZwLinearTask* task, bool* is_met) {
  ZwSim* sim = task->sim;
  double* kept = ZW_NEW(&task->scratch, sim->contacts.count + 1, double);
  if (!kept) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < sim->contacts.count; i++) kept[i] = sim->values[zw_contact_of(sim, i)->closed];
  *is_met = zw_start_settle(sim, sim->t, false);
  for (int32_t i = 0; i < sim->contacts.count && *is_met && close_crossed(sim) > 0; i++) {
    *is_met = zw_start_settle(sim, sim->t, false);
  }
  for (int32_t i = 0; i < sim->contacts.count; i++) sim->values[zw_contact_of(sim, i)->closed] = kept[i];
  if (sim->contacts.count > 0) zw_sim_set_constants(sim);
  return ZW_OK;
}

static ZwStatus work(ZwLinearTask* task, const ZwLinearizeDef* def) {
  ZwSim* sim = task->sim;
  task->start = ZW_NEW(&task->scratch, sim->n + 1, double);
  if (!task->start) return ZW_ERR_MEMORY;
  zw_copy(sim->n, sim->y, task->start);
  if (def->near_q) {
    memcpy(sim->y, def->near_q, (size_t)sim->n * sizeof(double));
    bool is_met;
    ZW_TRY(settle_outside(task, &is_met));
    if (!is_met) {
      zw_diag_error(&task->run->diags, ZW_ERR_START, (ZwSpan){0},
                    "the constraints cannot be met near the positions that the search begins at");
      return ZW_ERR_START;
    }
  }
  ZW_TRY(zw_start_freeze(sim, sim->t));
  ZW_TRY(zw_near_create(sim, &task->scratch, &task->near));
  ZW_TRY(zw_linear_find_state(task));
  ZW_TRY(zw_tangent_of_model(&task->scratch, &task->mechanisms, sim->n, &task->tangent));
  ZW_TRY(fill_state(task));
  ZW_TRY(fill_contacts(task));
  ZW_TRY(zw_linear_find_corners(task));
  ZW_TRY(zw_linear_find_modes(task));
  ZwStateSpace space = {task->run, task->arena, &task->scratch, &task->near, &task->tangent};
  return zw_state_space_fill(&space, def, task->out);
}

static ZwStatus refuse_large(ZwRun* run) {
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "a linearization needs the dense solve");
  zw_diag_remedy(&run->diags, "set `integrator` of ZwRunDef to \"radau\"");
  return ZW_ERR_ARGUMENT;
}

/* What the host does not tell cannot be left out: a rod that is taken for straight holds no pendulum back. */
static ZwStatus refuse_host_rows(ZwRun* run) {
  zw_diag_error(&run->diags, ZW_ERR_UNSUPPORTED, (ZwSpan){0},
                "a linearization needs to know how constraints bend, and those that the host computes do not tell");
  zw_diag_remedy(&run->diags, "state them in the text of the model");
  return ZW_ERR_UNSUPPORTED;
}

static ZwStatus linearize(ZwRun* run, const ZwLinearizeDef* def, const ZwLinearization** linearization) {
  ZwSim* sim = run->sim;
  if (run->status) return run->status;
  ZW_CHECK(!def->near_q || zw_all_finite(sim->n, def->near_q));
  if (sim->large) return zw_run_end(run, refuse_large(run));
  if (run->model->system.host_rows.count > 0) return zw_run_end(run, refuse_host_rows(run));
  ZwLinearTask task = {.run = run, .sim = sim, .arena = &run->arena, .def = def};
  zw_arena_init(&task.scratch, &run->arena.allocator);
  ZwLinearization* out = task.out = ZW_NEW(&run->arena, 1, ZwLinearization);
  ZwFormulation formulation = sim->formulation;
  bool is_quasi = formulation == ZW_FORMULATION_QUASI && run->is_under_way; /* y holds quasi-velocities */
  if (is_quasi) memmove(sim->y + sim->n, zw_velocity(sim, sim->t, sim->y), (size_t)sim->n * sizeof(double));
  if (formulation == ZW_FORMULATION_QUASI) sim->formulation = ZW_FORMULATION_AUTO;
  ZwStatus status = out ? ZW_OK : ZW_ERR_MEMORY;
  if (out) status = work(&task, def);
  zw_arena_destroy(&task.scratch);
  sim->formulation = formulation;
  if (is_quasi && !status) status = zw_quasi_enter(sim, sim->t, sim->y);
  if (!status) *linearization = out;
  return zw_run_end(run, status);
}

ZwStatus zw_run_linearize(ZwRun* run, const ZwLinearizeDef* def, const ZwLinearization** linearization) {
  ZW_CHECK(linearization);
  *linearization = NULL;
  ZW_CHECK(zw_linearize_def_is_whole(def) && zw_run_enter(run));
  return zw_run_leave(run, linearize(run, def, linearization));
}
