/* What a simulation carries from step to step, as a row of bytes.
 *
 * One list serves for counting, saving and restoring, so that they cannot differ. On it is whatever a step reads before it
 * has written it; what is made anew in every step (stages, factors, dense output) is not. An integrator visits its own memory;
 * one that does not forgets it when a run goes on: the motion is as accurate then, but its steps are other ones. One whose past
 * lies in a foreign library cannot be saved at all: rows would differ from those that are there. */
#include <string.h>

#include "motion/sensitivity.h"

typedef enum PassKind { PASS_COUNT, PASS_SAVE, PASS_RESTORE } PassKind;

struct ZwPass {
  PassKind kind;
  char* to;
  const char* from;
  size_t size; /* bytes so far */
  size_t room; /* of all, when restoring */
  bool is_wrong;
};

void zw_pass(ZwPass* pass, void* field, size_t size) {
  bool fits = pass->kind != PASS_RESTORE || (!pass->is_wrong && size <= pass->room - pass->size);
  if (!fits) {
    pass->is_wrong = true;
    return;
  }
  if (pass->kind == PASS_SAVE && size > 0) memcpy(pass->to + pass->size, field, size);
  if (pass->kind == PASS_RESTORE && size > 0) memcpy(field, pass->from + pass->size, size);
  pass->size += size;
}

static void visit_numbers(ZwPass* pass, double* numbers, ptrdiff_t count) {
  zw_pass(pass, numbers, (size_t)count * sizeof(double));
}

#define VISIT(field) zw_pass(pass, &(field), sizeof(field))

/* A count decides how much comes behind it: a wrong one must not be followed. */
static void visit_count(ZwPass* pass, int32_t* count, int32_t most) {
  int32_t value = *count;
  zw_pass(pass, &value, sizeof value);
  if (value < 0 || value > most) pass->is_wrong = true;
  if (!pass->is_wrong) *count = value;
}

static void visit_rows(ZwPass* pass, ZwSim* sim) {
  for (int level = 0; level < 3; level++) {
    ZwRowSet* set = &sim->sets[level];
    visit_count(pass, &set->count, sim->m < sim->n || sim->large ? sim->m : sim->n);
    visit_count(pass, &set->candidates, sim->m);
    zw_pass(pass, set->rows, (size_t)set->count * sizeof(int32_t));
    for (int32_t i = 0; i < set->count; i++) {
      if (set->rows[i] < 0 || set->rows[i] >= sim->m) pass->is_wrong = true;
    }
    if (pass->is_wrong) set->count = 0;
  }
  visit_numbers(pass, sim->scale, sim->m);
  visit_numbers(pass, sim->size, sim->m);
  if (sim->rank) {
    VISIT(sim->rank->kept);
    visit_numbers(pass, sim->reach.most, sim->equations->A.begin[sim->m]);
    visit_numbers(pass, sim->reach.massless, sim->n);
    VISIT(sim->reach.has_massless);
    if (sim->reach.has_massless) zw_least_set_massless(sim->least, sim->reach.massless);
    sim->reach.is_known = false;
  }
  VISIT(sim->pivot_ratio);
  VISIT(sim->is_minimum);
  VISIT(sim->has_lambda);
  VISIT(sim->frame_sign);
}

static void visit_near(ZwPass* pass, ZwSim* sim) {
  ZwNearness* near = &sim->near;
  VISIT(near->smallest);
  VISIT(near->largest_yet);
  VISIT(near->pivot_gain);
  VISIT(near->slope);
  VISIT(near->smallest_new);
  VISIT(near->is_near);
  VISIT(near->is_crossing);
  VISIT(near->is_to_note);
  VISIT(near->has_other_rows);
  VISIT(near->t_singular);
  VISIT(near->ratio);
  VISIT(near->slope_there);
  VISIT(near->is_dead_end);
  VISIT(near->h_kept);
  VISIT(near->crossings);
  visit_count(pass, &near->weak_count, sim->n);
  visit_numbers(pass, near->weak, (ptrdiff_t)near->weak_count * sim->n);
  visit_numbers(pass, near->weak_along, (ptrdiff_t)near->weak_count * sim->n);
  visit_numbers(pass, near->guess, sim->m_all);
  visit_numbers(pass, near->names, sim->m_all);
  VISIT(near->has_limit);
  VISIT(near->is_limit);
  VISIT(near->t_limit);
  VISIT(near->limit_largest);
  VISIT(near->rank_around);
  visit_numbers(pass, near->limit, 2 * sim->n + sim->m_all);
}

static void visit_watch(ZwPass* pass, ZwSim* sim) {
  ZwWatch* watch = &sim->watch;
  zw_pass(pass, watch->is_true, (size_t)watch->count * sizeof(bool));
  zw_pass(pass, watch->was_true, (size_t)watch->count * sizeof(bool));
  zw_pass(pass, watch->happens, (size_t)watch->count * sizeof(bool));
  zw_pass(pass, watch->has_noted_move, (size_t)watch->count * sizeof(bool));
  visit_numbers(pass, watch->values, sim->equations->event_count);
  visit_numbers(pass, watch->modes, sim->system->modes.count);
  VISIT(watch->t_last);
  VISIT(watch->together);
  zw_pass(pass, watch->repeats, (size_t)(watch->count + sim->system->modes.count) * sizeof(ZwRepeats));
  VISIT(watch->interval);
  VISIT(watch->shrinking);
  VISIT(watch->t_shrinking);
  VISIT(watch->happened);
  VISIT(watch->is_stopped);
  zw_pass(pass, watch->rests, (size_t)sim->system->modes.count * sizeof(bool));
  VISIT(watch->again);
  visit_numbers(pass, watch->before, sim->system->modes.count);
  visit_numbers(pass, watch->looks.known, watch->looks.count);
  visit_numbers(pass, watch->looks.largest, watch->looks.count);
  visit_numbers(pass, watch->looks.size, watch->looks.count);
  zw_pass(pass, watch->ties.state, (size_t)watch->looks.count);
  visit_numbers(pass, watch->ties.side, watch->looks.count);
  visit_numbers(pass, watch->ties.leave, watch->looks.count);
  VISIT(watch->ties.is_on);
  VISIT(watch->ties.count);
  VISIT(watch->looks.density);
  VISIT(watch->looks.needed);
  VISIT(watch->looks.given_up);
  zw_pass(pass, watch->looks.haste, (size_t)watch->looks.count * sizeof(int32_t));
  zw_pass(pass, watch->looks.has_noted, (size_t)watch->looks.count * sizeof(bool));
}

static void visit_contacts(ZwPass* pass, ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  if (contacts->count == 0) return;
  zw_pass(pass, contacts->bounces, (size_t)contacts->count * sizeof(ZwBounce));
  if (contacts->rubbing > 0) {
    visit_numbers(pass, contacts->sliding.mu, contacts->count);
    visit_numbers(pass, contacts->sliding.creep, contacts->count);
  }
  VISIT(contacts->impacts);
  VISIT(contacts->rests);
  VISIT(contacts->has_noted_gain);
  VISIT(contacts->has_noted_carried);
  VISIT(contacts->sliding.is_shared);
}

static void visit_sizes(ZwPass* pass, ZwSim* sim) {
  ZwSizes* sizes = &sim->sizes;
  visit_numbers(pass, sizes->unit, 2 * sim->n);
  visit_numbers(pass, sizes->largest, 2 * sim->n);
  visit_numbers(pass, sizes->pace, sim->n);
  visit_numbers(pass, sizes->mass, sim->n);
  visit_numbers(pass, sizes->give, sim->n);
  visit_numbers(pass, sizes->noise, sim->n);
  VISIT(sizes->refused);
  VISIT(sizes->unseen);
  VISIT(sizes->wait);
  visit_numbers(pass, sizes->reaction, sim->m_all);
  for (int level = 0; level < 2; level++) visit_numbers(pass, sizes->row[level], sim->m_all);
  VISIT(sizes->is_taken);
  VISIT(sizes->h);
  VISIT(sizes->age);
  VISIT(sizes->has_masses);
  VISIT(sizes->is_eased);
  visit_numbers(pass, sizes->entry, sim->equations->A.count);
  visit_numbers(pass, sizes->move, sim->equations->A.count);
  VISIT(sizes->span);
}

static void visit_motion(ZwPass* pass, ZwSim* sim) {
  VISIT(sim->epoch);
  VISIT(sim->t);
  VISIT(sim->step);
  VISIT(sim->h_next);
  VISIT(sim->h_dense);
  VISIT(sim->next_sample);
  VISIT(sim->t_event);
  visit_numbers(pass, sim->values, sim->system->params.count); /* memories and modes among them */
  visit_numbers(pass, sim->y, sim->dim);
  visit_numbers(pass, sim->k[0], sim->dim);
  visit_sizes(pass, sim);
  /* accelerations, multipliers and the metric of the last solve: projections and conditions may read them before the next */
  visit_numbers(pass, sim->a, sim->n);
  visit_numbers(pass, sim->Qc, sim->n);
  visit_numbers(pass, sim->lambda, sim->m);
  visit_numbers(pass, sim->reactions, sim->m);
  visit_numbers(pass, sim->Mx, sim->equations->M.count);
  zw_pass(pass, sim->claims, (size_t)sim->system->claims.count * sizeof(ZwClaimSeen));
  VISIT(sim->has_noted_output);
  VISIT(sim->has_noted_energy);
  VISIT(sim->stats);
  zw_energy_visit(sim, pass);
}

/* The integrator may be another one than at the begin: `auto` has gone over to radau. */
static void visit_integrator(ZwPass* pass, ZwSim* sim) {
  int32_t kind = (int32_t)zw_integrator_find(sim->integrator->name);
  bool is_auto = kind == ZW_INTEGRATOR_AUTO;
  zw_pass(pass, &kind, sizeof kind);
  bool is_known = kind >= 0 && kind < ZW_INTEGRATOR_COUNT;
  const ZwIntegrator* integrator = is_known ? zw_integrator((ZwIntegratorKind)kind) : sim->integrator;
  if (integrator != sim->integrator && !(is_auto && kind == ZW_INTEGRATOR_RADAU)) pass->is_wrong = true;
  if (pass->is_wrong) return;
  sim->integrator = integrator;
  VISIT(sim->stiff);
  VISIT(sim->is_rate_met);
  VISIT(sim->narrow.t);
  VISIT(sim->narrow.width);
  VISIT(sim->growth_most);
  VISIT(sim->h_accepted);
  VISIT(sim->error_accepted);
  if (pass->kind == PASS_RESTORE && integrator->forget) integrator->forget(sim);
  if (integrator->visit) integrator->visit(sim, pass);
}

static void visit_all(ZwPass* pass, ZwSim* sim) {
  visit_motion(pass, sim);
  visit_rows(pass, sim);
  visit_near(pass, sim);
  visit_watch(pass, sim);
  visit_contacts(pass, sim);
  visit_integrator(pass, sim);
  zw_sensitivity_visit(sim, pass);
}

size_t zw_checkpoint_size(ZwSim* sim) {
  bool has_foreign_past = sim->integrator->open && !sim->integrator->visit;
  bool has_path = sim->sensitivity && sim->sensitivity->adjoint; /* all of the run, and more than a checkpoint may be */
  if (has_foreign_past || has_path) return 0;
  ZwPass pass = {.kind = PASS_COUNT};
  visit_all(&pass, sim);
  return pass.size;
}

void zw_checkpoint_save(ZwSim* sim, void* to) {
  ZwPass pass = {.kind = PASS_SAVE, .to = to};
  visit_all(&pass, sim);
}

bool zw_checkpoint_restore(ZwSim* sim, const void* from, size_t size) {
  ZwPass pass = {.kind = PASS_RESTORE, .from = from, .room = size};
  visit_all(&pass, sim);
  if (pass.is_wrong || pass.size != size) return false;
  bool has_rate = sim->sensitivity && sim->sensitivity->has_rate;
  zw_sim_set_constants(sim);
  if (sim->sensitivity) sim->sensitivity->has_rate = has_rate; /* these constants are no other ones */
  sim->has_next_sets = sim->has_dense = false;
  zw_sizes_find_islands(sim);
  sim->is_resumed = true;
  return true;
}
