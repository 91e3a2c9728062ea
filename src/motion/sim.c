#include "motion/sim.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "expr/eval.h"
#include "kernel/eliminate.h"
#include "least/balance.h"
#include "motion/sensitivity.h"

/* Hands out pieces of one block; with no block it only counts. */
typedef struct Carver {
  char* base;
  size_t used;
} Carver;

static void* carve_bytes(Carver* carver, size_t size) {
  void* piece = carver->base ? carver->base + carver->used : NULL;
  carver->used += (size + 63) / 64 * 64;
  return piece;
}

static double* carve(Carver* carver, ptrdiff_t count) {
  return carve_bytes(carver, (size_t)count * sizeof(double));
}

/* Without a block, places are only counted. */
static double* at(double* block, ptrdiff_t place) {
  return block ? block + place : NULL;
}

/* What the elimination reads and writes, and the targets of accelerations at its begin. */
static void carve_block(Carver* c, ZwSim* sim) {
  const ZwBlock* block = &sim->program->block;
  sim->block = carve(c, block->size);
  sim->Mx = at(sim->block, block->M);
  sim->Ax = at(sim->block, block->A);
  sim->hL = at(sim->block, block->hL);
  sim->Q = at(sim->block, block->Q);
  sim->b = at(sim->block, block->b);
  sim->power = at(sim->block, block->power);
  sim->h = at(sim->block, block->h);
  sim->a = at(sim->block, block->a);
  sim->lambda = at(sim->block, block->lambda);
  sim->Qc = at(sim->block, block->Qc);
  sim->scale = at(sim->block, block->scale);
  sim->size = at(sim->block, block->sizes);
  sim->near.guess = at(sim->block, block->guess);
  sim->small.is_on = sim->program->elimination != NULL;
  if (!sim->small.is_on) return;
  sim->small.M = carve(c, sim->equations->M.count);
  sim->small.A = carve(c, sim->equations->A.count);
  sim->small.state.registers = carve(c, sim->program->elimination->registers);
}

static void carve_reach(Carver* c, ZwSim* sim) {
  const ZwPattern* A = &sim->equations->A;
  ZwEntries entries = {.m = sim->m, .n = sim->n, .begin = A->begin, .column = A->column};
  ZwReach* reach = &sim->reach;
  reach->most = carve(c, A->begin[sim->m]);
  reach->entries = carve(c, A->begin[sim->m]);
  reach->unit = carve(c, sim->n);
  reach->masses = carve(c, sim->n);
  reach->massless = carve(c, sim->n);
  reach->length = carve(c, sim->m);
  reach->work = carve(c, (ptrdiff_t)zw_balance_work(&entries));
}

static void carve_problem(Carver* c, ZwSim* sim) {
  const ZwEquations* equations = sim->equations;
  ptrdiff_t n = sim->n, m = sim->m, m_all = sim->m_all;
  sim->values = carve(c, sim->system->params.count + equations->literals.count);
  sim->state.constants = carve(c, sim->program->constants);
  sim->state.registers = carve(c, (ptrdiff_t)sim->program->registers * ZW_LANES);
  carve_block(c, sim);
  ptrdiff_t groups = equations->groups.count + 1;
  sim->E_of = carve(c, 4 * groups);
  sim->P_of = c->base ? sim->E_of + groups : NULL;
  sim->V_of = c->base ? sim->P_of + groups : NULL;
  sim->C_of = c->base ? sim->V_of + groups : NULL;
  sim->energy.groups = carve_bytes(c, (size_t)groups * sizeof(ZwEnergyGroup));
  sim->Lv = carve(c, n);
  sim->Lq = carve(c, n);
  sim->phi = carve(c, m_all);
  sim->psi = carve(c, m_all);
  sim->reactions = carve(c, equations->reactions);
  sim->outs = carve(c, zw_equations_values(equations));
  sim->claims = carve_bytes(c, (size_t)sim->system->claims.count * sizeof(ZwClaimSeen));
  bool has_claims = equations->claim_value_count > 0;
  sim->claim_sizes = carve(c, equations->claim_value_count);
  sim->claim_constants = carve(c, has_claims ? zw_program_constants_most(sim->program) : 0);
  bool is_dense = !sim->large_plan;
  sim->M = carve(c, is_dense ? n * n : 0);
  sim->A = carve(c, is_dense ? m * n : 0);
  sim->all_rows = carve(c, is_dense ? m * n : 0);
  if (is_dense) carve_reach(c, sim);
  sim->place = carve_bytes(c, (size_t)n * sizeof(int32_t));
  sim->bI = carve(c, m);
  sim->rI = carve(c, m);
  sim->dx = carve(c, n);
  sim->zero = carve(c, n);
  sim->quasi = carve(c, sim->quasi_count * n);
  sim->quasi_v = carve(c, sim->quasi_count > 0 ? n : 0);
  sim->quasi_free = carve(c, sim->quasi_count > 0 ? n : 0);
  sim->quasi_psi = carve(c, sim->quasi_count > 0 ? m_all : 0);
  sim->candidates = carve_bytes(c, (size_t)m * sizeof(int32_t));
  sim->fresh_rows = carve_bytes(c, (size_t)m_all * sizeof(int32_t));
  for (int level = 0; level < 3; level++) {
    sim->sets[level].rows = carve_bytes(c, (size_t)m * sizeof(int32_t));
    sim->next_sets[level].rows = carve_bytes(c, (size_t)m * sizeof(int32_t));
  }
}

static void carve_narrow(Carver* c, ZwSim* sim) {
  ZwNarrow* narrow = &sim->narrow;
  ptrdiff_t n = narrow->is_on ? sim->n : 0, dim = narrow->is_on ? sim->dim : 0;
  narrow->registers = carve_bytes(c, (size_t)(narrow->is_on ? 3 * sim->program->registers : 0) * sizeof(ZwRange));
  narrow->bounds = carve(c, 4 * n);
  narrow->v = carve(c, 2 * n);
  narrow->rate = carve(c, dim);
  narrow->slope = carve(c, dim);
  narrow->around = carve(c, narrow->is_on ? ZW_NARROW_AROUND * (ptrdiff_t)sim->watch.looks.count : 0);
}

static void carve_ties(Carver* c, ZwSim* sim) {
  ZwTies* ties = &sim->watch.ties;
  int32_t count = sim->watch.looks.count;
  bool may_be = count > 0 && sim->m > 0;
  ties->state = carve_bytes(c, (size_t)count);
  ties->holds = carve_bytes(c, (size_t)count * sizeof(bool));
  ties->way = carve_bytes(c, (size_t)count);
  double** numbers[] = {&ties->side, &ties->leave, &ties->now};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = carve(c, count);
  ties->values = carve(c, may_be ? 3 * (ptrdiff_t)sim->equations->event_count : 0);
  ties->scratch = carve(c, may_be ? (ptrdiff_t)sim->program->registers * ZW_LANES : 0);
  ties->aside = carve(c, may_be ? sim->dim : 0);
  ties->direction = carve(c, may_be ? 2 * sim->n : 0);
}

static void carve_step(Carver* c, ZwSim* sim) {
  ZwEnergyStep* step = &sim->watch.step;
  step->is_on = false;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    step->is_on = step->is_on || sim->system->modes.items[i].is_in_energy;
  }
  double** modes[] = {&step->before, &step->between, &step->now};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    *modes[i] = carve(c, step->is_on ? sim->system->modes.count : 0);
  }
  double** numbers[] = {&step->old,    &step->new,      &step->earlier, &step->after,
                        &step->errors, &step->rounding, &step->least,   &step->most};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    *numbers[i] = carve(c, step->is_on ? sim->equations->groups.count + 1 + sim->n : 0);
  }
  step->differs = carve_bytes(c, step->is_on ? (size_t)sim->equations->groups.count + 1 : 0);
}

static void carve_motion(Carver* c, ZwSim* sim) {
  ptrdiff_t n = sim->n, m = sim->m_all, dim = sim->dim;
  sim->y = carve(c, dim);
  sim->y_new = carve(c, dim);
  sim->y_out = carve(c, dim);
  for (int i = 0; i < ZW_DOP853_STAGES_ALL; i++) sim->k[i] = carve(c, dim);
  for (int i = 0; i < 7; i++) sim->F[i] = carve(c, dim);
  sim->slowed = carve(c, n);
  sim->sizes.unit = carve(c, dim);
  sim->sizes.largest = carve(c, 2 * n);
  sim->sizes.pace = carve(c, n);
  sim->sizes.pace_before = carve(c, n);
  sim->sizes.kept = carve(c, 3 * n + 2 * m);
  sim->sizes.mass = carve(c, n);
  sim->sizes.give = carve(c, n);
  sim->sizes.noise = carve(c, n);
  sim->sizes.errors = carve(c, sim->program->registers);
  sim->sizes.reaction = carve(c, m);
  for (int level = 0; level < 2; level++) sim->sizes.row[level] = carve(c, m);
  sim->sizes.sums = carve(c, 2 * n);
  sim->sizes.joins = carve_bytes(c, (size_t)m);
  sim->sizes.island = carve_bytes(c, (size_t)n * sizeof(int32_t));
  sim->sizes.island_size = carve_bytes(c, (size_t)n * sizeof(int32_t));
  sim->sizes.entry = carve(c, sim->equations->A.count);
  sim->sizes.move = carve(c, sim->equations->A.count);
  carve_narrow(c, sim);
  sim->watch.values = carve(c, sim->equations->event_count);
  ZwLooks* looks = &sim->watch.looks;
  for (int i = 0; i <= ZW_LOOKS_DEPTH; i++) {
    looks->stack[i].margins = carve(c, (ptrdiff_t)5 * looks->count);
    looks->stack[i].asked = carve_bytes(c, (size_t)looks->count * sizeof(bool));
  }
  looks->known = carve(c, looks->count);
  looks->at_begin = carve(c, looks->count);
  looks->largest = carve(c, looks->count);
  looks->noise = carve(c, looks->count);
  looks->failed = carve_bytes(c, (size_t)looks->count * sizeof(int32_t));
  looks->splits = carve_bytes(c, (size_t)looks->count * sizeof(int32_t));
  looks->haste = carve_bytes(c, (size_t)looks->count * sizeof(int32_t));
  looks->may_change = carve_bytes(c, (size_t)looks->count * sizeof(bool));
  looks->asked = carve_bytes(c, (size_t)looks->count * sizeof(bool));
  looks->has_noted = carve_bytes(c, (size_t)looks->count * sizeof(bool));
  looks->ranges = carve_bytes(c, (size_t)(looks->count > 0 ? sim->equations->event_count : 0) * sizeof(ZwRange));
  looks->scratch = carve_bytes(c, (size_t)(looks->count > 0 ? sim->program->registers : 0) * sizeof(ZwRange));
  looks->bounds = carve(c, looks->count > 0 ? 4 * n : 0);
  looks->slants = carve(c, looks->count > 0 ? 6 * n : 0);
  looks->slant_scratch = carve_bytes(c, (size_t)(looks->count > 0 ? sim->program->registers : 0) * sizeof(ZwSlant));
  looks->has_force_kinks = false;
  for (int32_t i = 0; i < looks->count; i++) {
    const ZwMargin* margin = &sim->system->margins.items[i];
    looks->has_force_kinks = looks->has_force_kinks || (margin->kind == ZW_MARGIN_KINK && margin->is_of_force);
  }
  looks->size = carve(c, looks->count);
  looks->forces = carve(c, looks->count > 0 ? 2 * (n + (ptrdiff_t)sim->m) : 0);
  carve_ties(c, sim);
  sim->sizes.events = carve(c, sim->equations->event_count);
  looks->margins = sim->watch.values + sim->equations->event_count - looks->count;
  sim->watch.is_true = carve_bytes(c, (size_t)sim->watch.count * sizeof(bool));
  sim->watch.happens = carve_bytes(c, (size_t)sim->watch.count * sizeof(bool));
  sim->watch.was_on = carve_bytes(c, (size_t)sim->m * sizeof(bool));
  sim->watch.is_doubted = carve_bytes(c, (size_t)sim->watch.count * sizeof(bool));
  sim->watch.at_begin = carve_bytes(c, (size_t)sim->watch.count * sizeof(bool));
  sim->watch.was_true = carve_bytes(c, (size_t)sim->watch.count * sizeof(bool));
  sim->watch.repeats = carve_bytes(c, (size_t)(sim->watch.count + sim->system->modes.count) * sizeof(ZwRepeats));
  sim->watch.modes = carve(c, sim->system->modes.count);
  sim->watch.before = carve(c, sim->system->modes.count);
  sim->watch.rests = carve_bytes(c, (size_t)sim->system->modes.count * sizeof(bool));
  sim->watch.turns = carve_bytes(c, (size_t)sim->system->modes.count * sizeof(bool));
  carve_step(c, sim);
  sim->watch.hold = carve_bytes(c, (size_t)(2 * n) * sizeof(ZwHold));
  sim->watch.assigned = carve(c, 2 * n);
  sim->watch.has_noted_move = carve_bytes(c, (size_t)sim->watch.count * sizeof(bool));
  bool is_dense = !sim->large_plan;
  ptrdiff_t directions =
      !sim->lends_room && sim->m < sim->n ? sim->m : n; /* no more of them than rows; else lent to the start */
  sim->near.weak = carve(c, is_dense ? directions * n : 0);
  sim->near.weak_along = carve(c, is_dense ? directions * n : 0);
  sim->near.names = carve(c, m);
  sim->Qc_b = carve(c, n);
  sim->Qc_h = carve(c, n);
  sim->near.mean = carve(c, 2 * n + m);
  sim->near.limit = carve(c, 2 * n + m);
  sim->row = carve(c, dim + sim->equations->output_count + zw_reactions_row(sim, NULL) + ZW_EVIDENCE);
  sim->hold = carve_bytes(c, (size_t)(2 * n) * sizeof(ZwHold));
  sim->typed = carve(c, 2 * n);
  sim->scale_of = carve(c, n);
  sim->start_size = carve(c, 2 * n);
  sim->start_told = carve_bytes(c, (size_t)(2 * n) * sizeof(ZwTold));
  sim->start_room = carve(c, zw_start_sizes_room(sim->equations));
  sim->start_guessed = carve_bytes(c, (size_t)n * sizeof(bool));
  sim->is_fixed = carve_bytes(c, (size_t)n * sizeof(bool));
  sim->lm_J = carve(c, is_dense ? m * n : 0);
  sim->lm_Y = carve(c, is_dense ? m * n : 0);
  sim->lm_S = carve(c, is_dense ? m * m : 0);
  ptrdiff_t square =
      is_dense && sim->lends_room ? n * n : 0; /* the start of a large model in parts has room of its own */
  sim->lm_G = carve(c, square);
  sim->lm_L = carve(c, square);
  sim->lm_r = carve(c, 9 * m);
  sim->lm_x = carve(c, 17 * n);
  sim->lm_M = carve(c, square);
  sim->lm_order = carve_bytes(c, (size_t)(m + 2 * n) * sizeof(int32_t));
  sim->lm_parts = carve_bytes(c, (size_t)(2 * m + 5 * n + 2) * sizeof(int32_t));
}

static void carve_sliding(Carver* c, ZwSim* sim) {
  ZwSliding* sliding = &sim->contacts.sliding;
  ptrdiff_t n = sim->n, count = sim->contacts.rubbing > 0 ? sim->contacts.count : 0;
  ptrdiff_t rows = count > 0 ? (sim->m < sim->n ? sim->m : sim->n) : 0;
  sliding->contacts = carve_bytes(c, (size_t)count * sizeof(int32_t));
  sliding->places = carve_bytes(c, (size_t)count * sizeof(int32_t));
  sliding->swap = carve_bytes(c, (size_t)count * sizeof(int32_t));
  sliding->mu = carve(c, count);
  sliding->slip = carve(c, 2 * count);
  sliding->N = carve(c, count);
  sliding->creep = carve(c, count);
  sliding->force = carve(c, 2 * count);
  sliding->along = carve(c, count * n);
  sliding->push = carve(c, count * n);
  sliding->lambda = carve(c, count * rows);
  sliding->E = carve(c, count * count);
  sliding->h = carve(c, n > count ? n : count);
  sliding->work = carve(c, rows);
  sliding->shares = carve(c, count > 0 ? sim->m : 0);
  sliding->modes = carve(c, 3 * count);
  sliding->sum = carve(c, count > 0 ? n : 0);
  sliding->size = carve(c, count > 0 ? n : 0);
  sliding->values = carve(c, sim->contacts.has_unsteady ? sim->equations->event_count : 0);
}

static void carve_jump(Carver* c, ZwSim* sim) {
  ZwJump* jump = &sim->jump;
  double** const vectors[] = {&jump->v_before,  &jump->p_before,  &jump->v,    &jump->p,
                              &jump->v_plastic, &jump->p_plastic, &jump->h,    &jump->at,
                              &jump->along,     &jump->toward,    &jump->kept, &jump->v_way};
  double** const by_contacts[] = {&jump->target, &jump->mu, &jump->impulse_plastic, &jump->rate_plastic};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = carve(c, sim->n);
  for (size_t i = 0; i < sizeof by_contacts / sizeof *by_contacts; i++) *by_contacts[i] = carve(c, sim->contacts.count);
  jump->b = carve(c, sim->m);
  jump->held = carve_bytes(c, (size_t)sim->n * sizeof(bool));
  jump->islands = carve_bytes(c, (size_t)sim->n * sizeof(int32_t));
  jump->row_loss = carve(c, sim->contacts.rows);
  jump->room = carve(c, (ptrdiff_t)ZW_JUMP_ROOM * sim->contacts.rows);
  jump->mean_M = carve(c, sim->equations->M.count);
}

static void carve_contacts(Carver* c, ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  ptrdiff_t count = contacts->count, rows = contacts->rows;
  double** const numbers[] = {&contacts->gap,     &contacts->rate,      &contacts->restitution,
                              &contacts->impulse, &contacts->lost,      &contacts->theta,
                              &contacts->right,   &contacts->wall_work, &contacts->before};
  double** const pairs[] = {&contacts->slip, &contacts->rubbed, &contacts->right_slip, &contacts->kept};
  double** const of_rows[] = {&contacts->g, &contacts->p, &contacts->w, &contacts->unit, &contacts->known};
  bool** const flags[] = {&contacts->touches, &contacts->takes_part,   &contacts->may_rest, &contacts->closes,
                          &contacts->opens,   &contacts->stops,        &contacts->slips,    &contacts->is_still,
                          &contacts->is_hit,  &contacts->hit_together, &contacts->is_bound};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) *numbers[i] = carve(c, count);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) *pairs[i] = carve(c, 2 * count);
  for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++) *of_rows[i] = carve(c, rows);
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) *flags[i] = carve_bytes(c, (size_t)count * sizeof(bool));
  contacts->a = carve(c, sim->n);
  contacts->island = carve_bytes(c, (size_t)sim->n * sizeof(int32_t));
  contacts->G = carve(c, rows * sim->n);
  contacts->index = carve_bytes(c, (size_t)rows * sizeof(int32_t));
  contacts->was = carve_bytes(c, (size_t)count * sizeof(ZwContactWhat));
  contacts->bounces = carve_bytes(c, (size_t)count * sizeof(ZwBounce));
  void* onesided = carve_bytes(c, zw_onesided_work_size(sim->n, contacts->rows));
  ptrdiff_t m = sim->m, cones = count + 2 * (ptrdiff_t)contacts->rubbing;
  contacts->Z = carve(c, m * m);
  contacts->C = carve(c, cones * m);
  contacts->d = carve(c, cones);
  contacts->x = carve(c, m);
  contacts->together = carve_bytes(c, (size_t)(2 * sim->n + sim->m) * sizeof(int32_t));
  void* friction = carve_bytes(c, zw_friction_work_size(sim->n, contacts->count, contacts->rows, contacts->rubbing));
  carve_sliding(c, sim);
  if (!c->base) return;
  contacts->onesided = zw_onesided_place(onesided, sim->n, contacts->rows);
  contacts->friction = zw_friction_place(friction, sim->n, contacts->count, contacts->rows, contacts->rubbing);
}

static void carve_large(Carver* c, ZwSim* sim) {
  void* large = carve_bytes(c, zw_sparse_work_size(sim->large_plan));
  sim->large_uses = carve_bytes(c, (size_t)sim->m_start * sizeof(bool));
  sim->large_M = carve(c, sim->equations->M.count);
  sim->large_A = carve(c, sim->equations->A.count);
  if (c->base) sim->large = zw_sparse_place(large, sim->large_plan);
}

static void carve_all(Carver* c, ZwSim* sim) {
  (void)carve_bytes(c, sizeof(ZwSim));
  carve_problem(c, sim);
  carve_motion(c, sim);
  if (sim->large_plan) {
    carve_large(c, sim);
    return;
  }
  int32_t rows = sim->m < sim->n ? sim->m : sim->n; /* no more can be independent */
  void* least = carve_bytes(
      c, sim->is_split ? zw_least_split_size(sim->n, rows, &sim->blocks) : zw_least_work_size(sim->n, rows));
  if (sim->contacts.count > 0) carve_contacts(c, sim);
  if (sim->jump.is_on) carve_jump(c, sim);
  void* rank = carve_bytes(c, zw_rank_work_size(sim->m + sim->quasi_count, sim->n));
  void* frame = sim->quasi_count > 0 ? carve_bytes(c, zw_frame_work_size(sim->n)) : NULL;
  if (!c->base) return;
  if (frame) sim->frame = zw_frame_place(frame, sim->n);
  sim->least =
      sim->is_split ? zw_least_place_split(least, sim->n, rows, &sim->blocks) : zw_least_place(least, sim->n, rows);
  sim->rank = zw_rank_place(rank, sim->m + sim->quasi_count, sim->n);
}

/* ORDER TARGET */
static void connect_targets(ZwSim* sim) {
  double** targets = sim->state.targets;
  targets[ZW_TARGET_M] = sim->Mx;
  targets[ZW_TARGET_H] = sim->hL;
  targets[ZW_TARGET_Q] = sim->Q;
  targets[ZW_TARGET_POWER] = sim->power;
  targets[ZW_TARGET_A] = sim->Ax;
  targets[ZW_TARGET_B] = sim->b;
  targets[ZW_TARGET_PHI] = sim->phi;
  targets[ZW_TARGET_PSI] = sim->psi;
  targets[ZW_TARGET_ENERGY] = sim->E_of;
  targets[ZW_TARGET_MOMENTUM] = sim->P_of;
  targets[ZW_TARGET_RESTING] = sim->V_of;
  targets[ZW_TARGET_GROUND] = sim->C_of;
  targets[ZW_TARGET_OUTPUT] = sim->outs;
  targets[ZW_TARGET_EVENT] = sim->watch.values;
  targets[ZW_TARGET_LV] = sim->Lv;
  targets[ZW_TARGET_LQ] = sim->Lq;
}

static ZwContacts plan_contacts(const ZwSystem* system) {
  ZwContacts contacts = {.count = system->contacts.count, .rows = system->contacts.count};
  for (int32_t i = 0; i < contacts.count; i++) {
    const ZwContact* contact = &system->contacts.items[i];
    contacts.rows += contact->slip_dim;
    contacts.rubbing += contact->slip_dim > 0;
    contacts.has_discs = contacts.has_discs || contact->slip_dim > 1;
    contacts.has_unsteady = contacts.has_unsteady || (contact->slip_dim > 0 && !contact->is_friction_steady);
  }
  return contacts;
}

static bool has_bent_masses(const ZwEquations* equations) {
  for (int32_t i = 0; i < equations->n; i++) {
    if (equations->masses[i] & ZW_MASS_BENT) return true;
  }
  return false;
}

static ZwLeastBlocks blocks_of(const ZwParts* parts) {
  return (ZwLeastBlocks){.count = parts->count,
                         .begin = parts->begin,
                         .coords = parts->coords,
                         .alone_count = parts->alone_count,
                         .alone = parts->alone};
}

/* However few coordinates there are: a mass of 1e30 in the metric of all would hide what another part is made of. */
static bool is_worth_splitting(const ZwEquations* equations) {
  return equations->parts.count + equations->parts.alone_count > 1;
}

/* Below, the start has room for all coordinates in the memory of the simulation, so that an event asks for none. */
enum { ROOM_FROM = 33 };

static bool lends_room(const ZwEquations* equations) {
  return equations->n < ROOM_FROM || !is_worth_splitting(equations);
}

static int32_t count_packed(const ZwEquations* equations) {
  return is_worth_splitting(equations) ? equations->n - equations->parts.alone_count : equations->n;
}

static void place_coordinates(ZwSim* sim) {
  for (int32_t j = 0; j < sim->n; j++) sim->place[j] = sim->is_split ? -1 : j;
  for (int32_t k = 0; sim->is_split && k < sim->packed; k++) sim->place[sim->blocks.coords[k]] = k;
}

static ZwSim plan_sim(const ZwProgram* program) {
  return (ZwSim){.program = program,
                 .equations = program->equations,
                 .system = program->equations->system,
                 .n = program->equations->n,
                 .m = program->equations->m,
                 .m_start = program->equations->m_start,
                 .m_all = program->equations->m_all,
                 .quasi_count = program->equations->m_all - program->equations->m_start,
                 .contacts = plan_contacts(program->equations->system),
                 .jump = {.is_on = has_bent_masses(program->equations)},
                 .narrow = {.is_on = zw_program_bend_count(program) > 0},
                 .blocks = blocks_of(&program->equations->parts),
                 .is_split = is_worth_splitting(program->equations),
                 .lends_room = lends_room(program->equations),
                 .packed = count_packed(program->equations),
                 .watch = {.count = program->equations->system->events.count,
                           .looks = {.count = program->equations->system->margins.count}},
                 .dim = 2 * program->equations->n + 1,
                 .followed = 2 * program->equations->n + (program->equations->is_conservative ? 0 : 1)};
}

size_t zw_sim_size(const ZwProgram* program) {
  ZwSim plan = plan_sim(program);
  Carver counter = {0};
  carve_all(&counter, &plan);
  return counter.used;
}

static ZwStatus create(const ZwProgram* program, const ZwAllocator* allocator, ZwDiagList* diags, bool may_be_large,
                       size_t limit, ZwSim** out) {
  *out = NULL;
  ZwSim plan = plan_sim(program);
  plan.diags = diags;
  plan.allocator = *allocator;
  if (may_be_large) ZW_TRY(zw_large_plan(&plan));
  Carver counter = {0};
  carve_all(&counter, &plan);
  bool is_too_large = limit > 0 && !plan.large_plan && counter.used > limit;
  ZwSim* sim = is_too_large ? NULL : zw_alloc(allocator, counter.used);
  if (!sim) {
    zw_large_forget(&plan);
    return is_too_large ? ZW_ERR_LIMIT : ZW_ERR_MEMORY;
  }
  *sim = plan;
  sim->block_size = counter.used;
  sim->is_conservative = sim->equations->is_conservative;
  for (int32_t i = 0; i < sim->m; i++) {
    if (sim->equations->rows.items[i].level == ZW_LEVEL_ACCELERATION) sim->has_acceleration_rows = true;
  }
  sim->state.tables = &sim->system->tables;
  zw_dop853_weights(&sim->weights);
  sim->stages = zw_stages_best();
  sim->integrator = sim->stepper = zw_integrator(ZW_INTEGRATOR_EXPLICIT);
  zw_stiffness_begin(sim);
  Carver carver = {.base = (char*)sim};
  carve_all(&carver, sim);
  connect_targets(sim);
  place_coordinates(sim);
  zw_energy_open_groups(sim);
  sim->small.state.values = sim->small.state.constants = sim->block;
  *out = sim;
  return ZW_OK;
}

/* With parameters and a start as the model has them; what is wrong with these will be said when they are set. */
static bool is_loose(ZwSim* sim) {
  ZwArena scratch;
  ZwDiagList unsaid, *diags = sim->diags;
  zw_arena_init(&scratch, &sim->allocator);
  zw_diag_init(&unsaid, &scratch, diags->sources);
  sim->diags = &unsaid;
  bool is_loose = zw_sim_set_params(sim, NULL) == ZW_OK && zw_large_is_loose(sim);
  sim->diags = diags;
  zw_arena_destroy(&scratch);
  return is_loose;
}

ZwStatus zw_sim_create(const ZwProgram* program, const ZwAllocator* allocator, ZwDiagList* diags, bool may_be_large,
                       size_t limit, ZwSim** out) {
  ZW_TRY(create(program, allocator, diags, may_be_large, limit, out));
  if (!zw_large_is_in_doubt(*out) || is_loose(*out)) return ZW_OK;
  zw_sim_destroy(*out);
  return create(program, allocator, diags, false, limit, out);
}

static bool is_of_papers(ZwFormulation formulation) {
  return formulation != ZW_FORMULATION_AUTO && formulation != ZW_FORMULATION_QUASI;
}

size_t zw_sim_formulation_size(const ZwProgram* program, ZwFormulation formulation) {
  return is_of_papers(formulation) ? zw_paper_work_size(program->equations->n, program->equations->m) : 0;
}

ZwStatus zw_sim_set_formulation(ZwSim* sim, ZwFormulation formulation) {
  size_t size = zw_sim_formulation_size(sim->program, formulation);
  sim->formulation = formulation;
  if (size == 0 || sim->paper) return ZW_OK;
  void* memory = zw_alloc(&sim->allocator, size);
  if (!memory) return ZW_ERR_MEMORY;
  sim->paper = zw_paper_place(memory, sim->n, sim->m);
  sim->block_size += size;
  return ZW_OK;
}

void zw_sim_destroy(ZwSim* sim) {
  if (!sim) return;
  ZwAllocator allocator = sim->allocator;
  if (sim->paper) zw_release(&allocator, sim->paper);
  if (sim->integrator_memory && sim->integrator->close) sim->integrator->close(sim);
  if (sim->integrator_memory) zw_release(&allocator, sim->integrator_memory);
  zw_large_forget(sim);
  zw_host_forget(sim);
  zw_sensitivity_forget(sim);
  zw_release(&allocator, sim);
}

/* ---- parameters and typed values ---- */

static double eval_constant(ZwSim* sim, ZwEvaluator* evaluator, ZwExpr e) {
  ZwEnvironment environment = {.params = sim->values};
  double value;
  if (zw_expr_eval_small(&sim->system->graph, e, &environment, &value) && isfinite(value)) return value;
  return zw_expr_eval(evaluator, &sim->system->graph, e, &environment);
}

static ZwStatus no_value(ZwSim* sim, ZwEvaluator* evaluator, ZwSpan span, const char* what, ZwStr name) {
  ZwExpr culprit = zw_evaluator_culprit(evaluator);
  if (evaluator->own.arena->failed || !culprit.ref) return ZW_ERR_MEMORY;
  ZwText text;
  zw_text_init(&text, evaluator->own.arena);
  zw_system_print(&text, sim->system, culprit, 80);
  zw_diag_error(sim->diags, ZW_ERR_VALUE, span, "%s '%.*s' has no finite value: %s is %s", what, ZW_STR_ARGS(name),
                zw_text_get(&text), isnan(zw_evaluator_value(evaluator, culprit)) ? "not a number" : "infinite");
  return ZW_ERR_VALUE;
}

/* In the order of the text: what follows from a given value is evaluated with it. */
static ZwStatus set_params(ZwSim* sim, ZwEvaluator* evaluator, const ZwGiven* given) {
  ZwStatus status = ZW_OK;
  for (int32_t i = 0; i < sim->system->params.count; i++) {
    const ZwParam* param = &sim->system->params.items[i];
    bool is_given = given && !isnan(given->params[i]);
    sim->values[i] = is_given ? given->params[i] : eval_constant(sim, evaluator, param->value);
    if (is_given) continue;
    if (!isfinite(sim->values[i])) status = no_value(sim, evaluator, param->span, "the parameter", param->name);
    if (status == ZW_ERR_MEMORY) return status;
  }
  if (sim->system->epoch > 0) sim->values[sim->system->epoch - 1] = sim->epoch;
  return status;
}

static ZwStatus set_typed(ZwSim* sim, ZwEvaluator* evaluator, int32_t i, ZwExpr e, ZwHold hold, ZwSpan span,
                          ZwStr name) {
  sim->hold[i] = hold;
  sim->typed[i] = e.ref ? eval_constant(sim, evaluator, e) : 0;
  if (isfinite(sim->typed[i])) return ZW_OK;
  return no_value(sim, evaluator, span, "the start value of", name);
}

/* What the model says about how large a coordinate is. */
static ZwStatus set_scale(ZwSim* sim, ZwEvaluator* evaluator, int32_t i) {
  const ZwCoord* coord = &sim->system->coords.items[i];
  sim->scale_of[i] = coord->scale.ref ? eval_constant(sim, evaluator, coord->scale) : 0;
  if (!isfinite(sim->scale_of[i])) return no_value(sim, evaluator, coord->scale_span, "the scale of", coord->name);
  if (!coord->scale.ref || sim->scale_of[i] > 0) return ZW_OK;
  zw_diag_error(sim->diags, ZW_ERR_VALUE, coord->scale_span, "the scale of '%.*s' is %g: it must be above zero",
                ZW_STR_ARGS(coord->name), sim->scale_of[i]);
  zw_diag_remedy(sim->diags, "write how large the coordinate becomes, about, as in: coord %.*s = 0 scale 1e-3",
                 ZW_STR_ARGS(coord->name));
  return ZW_ERR_VALUE;
}

static ZwStatus set_scales(ZwSim* sim, ZwEvaluator* evaluator) {
  for (int32_t i = 0; i < sim->n; i++) ZW_TRY(set_scale(sim, evaluator, i));
  return ZW_OK;
}

static void give_typed(ZwSim* sim, const ZwGiven* given) {
  for (int32_t i = 0; i < 2 * sim->n; i++) {
    if (isnan(given->typed[i])) continue;
    sim->hold[i] = ZW_HOLD_TYPED;
    sim->typed[i] = given->typed[i];
  }
}

ZwStatus zw_sim_set_params(ZwSim* sim, const ZwGiven* given) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &scratch);
  evaluator.tables = &sim->system->tables;
  ZwStatus status = set_params(sim, &evaluator, given);
  for (int32_t i = 0; i < sim->n && status == ZW_OK; i++) {
    const ZwCoord* coord = &sim->system->coords.items[i];
    status = set_typed(sim, &evaluator, i, coord->start_q, coord->hold_q, coord->start_q_span, coord->name);
    if (status == ZW_OK) {
      status = set_typed(sim, &evaluator, sim->n + i, coord->start_v, coord->hold_v, coord->start_v_span, coord->name);
    }
  }
  if (status == ZW_OK) status = set_scales(sim, &evaluator);
  if (given && status == ZW_OK) give_typed(sim, given);
  if (scratch.failed) status = ZW_ERR_MEMORY;
  zw_arena_destroy(&scratch);
  return status;
}

ZwStatus zw_sim_set_scales(ZwSim* sim) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &scratch);
  evaluator.tables = &sim->system->tables;
  ZwStatus status = set_scales(sim, &evaluator);
  if (scratch.failed) status = ZW_ERR_MEMORY;
  zw_arena_destroy(&scratch);
  return status;
}

ZwStatus zw_sim_set_values(ZwSim* sim, const double* params) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &scratch);
  evaluator.tables = &sim->system->tables;
  ZwGiven given = {.params = params};
  ZwStatus status = set_params(sim, &evaluator, &given);
  if (scratch.failed) status = ZW_ERR_MEMORY;
  zw_arena_destroy(&scratch);
  return status;
}

/* M alone, where it does not depend on the state; elsewhere it stays what it was at the last one. */
static void set_masses(ZwSim* sim) {
  if (!sim->program->is_M_constant) return;
  for (int32_t i = 0; i < sim->equations->M.count; i++) sim->Mx[i] = 0;
  sim->state.q = sim->y; /* some state */
  sim->state.v = sim->y + sim->n;
  sim->state.a = sim->a;
  sim->state.reactions = sim->reactions;
  zw_program_masses(sim->program, &sim->state);
}

void zw_sim_set_constants(ZwSim* sim) {
  zw_program_setup(sim->program, &sim->state);
  set_masses(sim);
  sim->small.has_M = sim->has_large_M = false;
  zw_sensitivity_refresh(sim);
}

double zw_time(const ZwSim* sim, double t) {
  bool is_end = sim->plan && sim->plan->has_end && t == sim->plan->to;
  return is_end ? sim->plan->end : sim->epoch + t;
}

ZwWhen zw_when(const ZwSim* sim, double t, int digits) {
  ZwWhen when;
  double span = sim->plan && isfinite(sim->plan->to) ? sim->plan->to : fabs(t);
  (void)zw_clock_text(sim->epoch, t, span, digits, when.text);
  return when;
}

void zw_sim_count_from(ZwSim* sim, double t0) {
  if (t0 == sim->epoch) return;
  sim->t += sim->epoch - t0;
  sim->epoch = t0;
  if (sim->system->epoch == 0) return;
  sim->values[sim->system->epoch - 1] = t0;
  zw_sim_set_constants(sim);
}

void zw_sim_set_up(ZwSim* sim, double t0, double tolerance) {
  const ZwEquations* equations = sim->equations;
  for (int32_t i = 0; i < equations->literals.count; i++) {
    sim->values[sim->system->params.count + i] = equations->literals.items[i];
  }
  sim->epoch = t0;
  if (sim->system->epoch > 0) sim->values[sim->system->epoch - 1] = t0;
  sim->state.values = sim->values;
  zw_sim_set_constants(sim);
  sim->t = 0;
  sim->tolerance = tolerance;
  sim->tol_project = fmax(ZW_TOL_PROJECT_MIN, fmin(ZW_TOL_PROJECT_MAX, ZW_TOL_PROJECT_REL * tolerance));
  memcpy(sim->y, sim->typed, (size_t)(2 * sim->n) * sizeof(double));
  sim->y[2 * sim->n] = 0;
  zw_rows_forget(sim);
  sim->sizes.span = INFINITY;
  zw_sizes_open(sim);
}
