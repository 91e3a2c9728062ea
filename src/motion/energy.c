#include "motion/energy.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/sim.h"

/* Rounding of an energy, in units of its size; and of what an event gave, below which it gave nothing. */
#define ROUNDING (64 * DBL_EPSILON)
/* Tolerances of what is exchanged by which the energy may be off before the work of a step is looked at again, and to which it is known
 * then. */
#define SUSPECT 30
#define ENOUGH 0.01
/* What rounding may make of velocities and accelerations of rest, as a part of their sizes. */
#define NOISE (1024 * DBL_EPSILON)
/* What errors of positions on the rows may make of accelerations, as a part of what forces and reactions come to before they cancel. */
#define HELD 1e-9
/* Steps after which what was let go has begun to move. */
enum { FIRST_STEPS = 2 };

/* ---- groups ---- */

void zw_energy_open_groups(ZwSim* sim) {
  bool is_one = sim->host.def && sim->host.def->force;
  sim->energy.group_count = is_one ? 1 : sim->equations->groups.count;
  sim->energy.works = is_one ? 0 : sim->equations->groups.works;
}

int32_t zw_energy_group_of(const ZwSim* sim, int32_t coord) {
  return sim->energy.group_count == 1 ? 0 : sim->equations->groups.of[coord];
}

/* ---- along the motion ---- */

/* As evaluated last: kinetic energies that no number can tell, where potentials are finite. */
static bool is_beyond_numbers(const ZwSim* sim) {
  for (int32_t g = 0; g < sim->equations->groups.count; g++) {
    if (sim->P_of[g] > DBL_MAX && isfinite(sim->V_of[g])) return true; /* E = P - L is no number then */
  }
  return false;
}

void zw_energy_miss(ZwSim* sim, double t) {
  ZwEnergy* energy = &sim->energy;
  if (energy->is_missing) return;
  energy->is_missing = true;
  energy->is_beyond = energy->has_start && is_beyond_numbers(sim);
  energy->t_missing = t;
}

/* What velocities within tolerance have of energy: of their sizes in this step, and as typed, if the start moved them to rest. */
static double energy_of_errors(const ZwSim* sim, int32_t coord) {
  const ZwSizes* sizes = &sim->sizes;
  double error = sim->tolerance * fmax(sizes->unit[sim->n + coord], sizes->largest[sim->n + coord]);
  return 0.5 * sizes->mass[coord] * error * error;
}

/* Has a coordinate an acceleration that rounding does not make, nor errors within tolerance of what holds it at rest? */
static bool is_pushed(const ZwSim* sim, int32_t i) {
  const ZwSizes* sizes = &sim->sizes;
  double held = (fabs(sim->h[i]) + fabs(sim->Qc[i])) * sizes->give[i] * sizes->give[i], a = fabs(sim->a[i]);
  return sizes->mass[i] > 0 && a > HELD * held && a > NOISE * sizes->pace[i];
}

/* At the start, and in the first steps after anything has changed, whose forces were evaluated last. */
static void note_driven(ZwSim* sim, const double* v) {
  const ZwSizes* sizes = &sim->sizes;
  for (int32_t i = 0; i < sim->n; i++) {
    ZwEnergyGroup* group = &sim->energy.groups[zw_energy_group_of(sim, i)];
    group->is_pushed = group->is_pushed || is_pushed(sim, i);
    group->is_driven =
        group->is_driven || group->is_pushed || (sizes->mass[i] > 0 && fabs(v[i]) > NOISE * sizes->unit[sim->n + i]);
  }
}

static void note_reach(ZwSim* sim) {
  int32_t n = sim->n, count = sim->energy.group_count;
  const double *force = sim->hL, *largest = sim->sizes.largest;
  double* reach = sim->E_of; /* what was in it has been measured */
  for (int32_t g = 0; g < count; g++) reach[g] = 0;
  for (int32_t i = 0; i < n; i++) reach[zw_energy_group_of(sim, i)] += fabs(force[i]) * largest[i];
  for (int32_t g = 0; g < count; g++) {
    ZwEnergyGroup* group = &sim->energy.groups[g];
    group->reach = zw_larger(group->reach, reach[g]);
  }
}

void zw_energy_begin(ZwSim* sim) {
  const double* v = zw_velocity(sim, sim->t, sim->y);
  note_driven(sim, v);
  for (int32_t i = 0; i < sim->n; i++) {
    ZwEnergyGroup* group = &sim->energy.groups[zw_energy_group_of(sim, i)];
    group->is_moved = group->is_moved || sim->h[i] != 0 || v[i] != 0;
    group->least += fabs(sim->h[i]) * sim->tolerance * sim->sizes.unit[i];
  }
}

/* What forces do over errors of positions that the tolerance allows, and what errors of velocities have: a structure at rest, whose energy
 * may be zero, exchanges less. */
static void record_rest(ZwSim* sim, const double* y) {
  double h = sim->step, *least = sim->E_of, *resting = sim->P_of; /* what was in them has been measured, */
  double* rounded = sim->V_of;                                    /* and in this one */
  int32_t count = sim->energy.group_count;
  for (int32_t g = 0; g < count; g++) least[g] = resting[g] = rounded[g] = 0;
  for (int32_t i = 0; i < sim->n; i++) {
    int32_t g = zw_energy_group_of(sim, i);
    double size = fmax(sim->sizes.unit[i], fmax(fabs(y[i]), h * h * sim->sizes.pace[i]));
    double moving = energy_of_errors(sim, i) + ROUNDING * sim->sizes.mass[i] * sim->sizes.pace[i] * size;
    least[g] += fabs(sim->h[i]) * sim->tolerance * size + moving;
    resting[g] += fabs(sim->hL[i]) * sim->tolerance * size + moving;
    rounded[g] += ROUNDING * fabs(sim->h[i]) * size;
  }
  for (int32_t g = 0; g < count; g++) {
    ZwEnergyGroup* group = &sim->energy.groups[g];
    if (least[g] > group->least) group->least = least[g]; /* not if it is no number */
    if (resting[g] > group->resting) group->resting = resting[g];
    if (rounded[g] > group->rounded) group->rounded = rounded[g];
  }
}

static void begin_account(ZwSim* sim, double t, double W) {
  int32_t works = sim->energy.works;
  sim->energy.has_start = true;
  for (int32_t g = 0; g < sim->energy.group_count; g++) {
    zw_energy_group_begin(&sim->energy.groups[g], t, g == works ? W : 0);
  }
}

/* An error that comes near to what is doubted is at least not that of the work, which is added up along with the motion and not watched. */
static double check_work(ZwSim* sim, double t, const double* y, double W) {
  int32_t works = sim->energy.works;
  if (sim->is_conservative || works < 0 || y != sim->y_new) return W;
  const ZwEnergyGroup* group = &sim->energy.groups[works];
  double work = sim->energy.work, error = zw_energy_group_error(group, W), change = error - group->error_now;
  if (fabs(error) <= SUSPECT * (sim->tolerance * group->kinetic)) return W; /* mostly; the bound is no less */
  double bound = sim->tolerance * zw_energy_exchanged(group, work) + zw_energy_rounding(group, work);
  bool is_suspect = fabs(error) > SUSPECT * bound && fabs(change) > bound;
  return is_suspect ? zw_work_refine(sim, t, ENOUGH * bound) : W;
}

void zw_energy_record(ZwSim* sim, double t, const double* y, double W) {
  ZwEnergy* energy = &sim->energy;
  int32_t count = sim->energy.group_count, works = sim->energy.works;
  if (!energy->has_start) begin_account(sim, t, W);
  for (int32_t g = 0; g < count; g++) zw_energy_group_take(&energy->groups[g]);
  if (sim->jump.is_on) zw_energy_measure_steepness(sim, t, y);
  if (y == sim->y_new && sim->stats.steps == 1) record_rest(sim, y); /* with the sizes of the first step */
  if (y == sim->y_new && sim->sizes.age <= FIRST_STEPS) note_driven(sim, zw_velocity(sim, t, y));
  note_reach(sim);
  W = check_work(sim, t, y, W);
  energy->work = zw_larger(energy->work, fabs(W));
  bool has_envelope = sim->integrator->is_fixed;
  for (int32_t g = 0; g < count; g++) zw_energy_group_record(&energy->groups[g], t, g == works ? W : 0, has_envelope);
}

void zw_energy_record_row(ZwSim* sim, double t, double W) {
  ZwEnergy* energy = &sim->energy;
  int32_t works = sim->energy.works;
  if (!energy->has_start || energy->is_open) return;
  for (int32_t g = 0; g < sim->energy.group_count; g++) {
    ZwEnergyGroup* group = &energy->groups[g];
    double off = fabs(zw_energy_group_error(group, g == works ? W : 0));
    if (!(off > group->off_row)) continue;
    group->off_row = off;
    group->t_off_row = t;
  }
}

/* ---- events ---- */

static ZwEnergyEntry* find_entry(ZwEnergy* energy, const char* name) {
  static const char* const others = "others";
  char cut[ZW_ENTRY_NAME];
  zw_snprintf(cut, sizeof cut, "%s", name);
  zw_str_end_whole(cut);
  for (int32_t i = 0; i < energy->count; i++) {
    if (strcmp(energy->entries[i].name, cut) == 0) return &energy->entries[i];
  }
  if (energy->count == ZW_ENTRIES) return &energy->entries[ZW_ENTRIES - 1];
  ZwEnergyEntry* entry = &energy->entries[energy->count++];
  *entry = (ZwEnergyEntry){0};
  zw_snprintf(entry->name, sizeof entry->name, "%s", energy->count == ZW_ENTRIES ? others : cut);
  return entry;
}

static void book(ZwEnergy* energy, const char* name, double given) {
  ZwEnergyEntry* entry = find_entry(energy, name);
  entry->energy += given;
  entry->count++;
}

/* Nothing happens but what contacts do, and no constraint could do work beside them: the energy tells what they took. */
static bool is_of_contacts(const ZwSim* sim) {
  if (sim->m > sim->contacts.rows && !sim->is_conservative) return false;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (zw_events_becomes_true(sim, i) && sim->system->events.items[i].contact == 0) return false;
  }
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    if (sim->watch.modes[i] != sim->values[sim->system->modes.items[i].param]) return false;
  }
  return true;
}

static void open_account(ZwSim* sim, bool has_before, bool is_measured) {
  ZwEnergy* energy = &sim->energy;
  energy->has_before = has_before;
  energy->is_open = true;
  energy->is_of_contacts = false;
  energy->rest_before = energy->rest;
  for (int32_t g = 0; g < sim->energy.group_count; g++) {
    ZwEnergyGroup* group = &energy->groups[g];
    group->before = is_measured ? group->E : group->last;
    group->hits = 0;
    group->is_hit = false;
  }
}

/* A switch that the motion has come to sets nothing: it neither gives nor takes energy, and what E differs by between its two branches at one
 * state is error. So the account opens with E on the branch that is taken. */
static void take_branches(ZwSim* sim) {
  if (!zw_energy_step_enter(sim)) return;
  ZwEnergy* energy = &sim->energy;
  int32_t changed = 0;
  double of_constants = 0;
  if (zw_energy_measure(sim, sim->t, sim->y)) {
    for (int32_t g = 0; g < energy->group_count; g++) changed += energy->groups[g].E != energy->groups[g].before;
    of_constants = energy->rest - energy->rest_before;
  }
  /* what terms without coordinates change by is that of the group, as sin(t) in (x - sin(t))*sign(x - sin(t)); of several none is known */
  bool is_known = changed == 1 || (changed > 1 && of_constants == 0);
  for (int32_t g = 0; is_known && g < energy->group_count; g++) {
    ZwEnergyGroup* group = &energy->groups[g];
    if (group->E == group->before) continue;
    group->before = group->E;
    group->events -= of_constants;
  }
  if (is_known) energy->rest_before = energy->rest;
  zw_energy_step_leave(sim);
}

void zw_energy_open(ZwSim* sim) {
  bool has_energy = sim->equations->has_energy && zw_energy_measure(sim, sim->t, sim->y);
  open_account(sim, has_energy, true);
  if (has_energy) take_branches(sim);
  sim->energy.is_of_contacts = is_of_contacts(sim);
}

void zw_energy_open_change(ZwSim* sim) {
  open_account(sim, sim->equations->has_energy && sim->energy.has_start, false);
}

void zw_energy_impact(ZwSim* sim, int32_t contact, double took) {
  ZwEnergy* energy = &sim->energy;
  char name[ZW_ENTRY_NAME];
  if (!energy->is_open || !energy->has_before) return;
  const ZwPattern* A = &sim->equations->A;
  const ZwContact* of = &sim->system->contacts.items[contact];
  zw_snprintf(name, sizeof name, "%.*s", ZW_STR_ARGS(of->name));
  book(energy, name, -took);
  if (A->begin[of->row] == A->begin[of->row + 1]) return; /* nothing of the mechanism is in its gap */
  ZwEnergyGroup* group = &energy->groups[zw_energy_group_of(sim, A->column[A->begin[of->row]])];
  group->hits += took;
  group->given += fabs(took);
  group->is_hit = true;
}

/* "hold takes hold" of the constraints that have come in this instant. */
static void add_rows(const ZwSim* sim, char* name, size_t room) {
  for (int32_t i = 0; i < sim->m; i++) {
    if (!zw_start_comes(sim, i)) continue;
    size_t used = strlen(name);
    (void)zw_snprintf(name + used, room - used, "%s%.*s takes hold", used > 0 ? "; " : "",
                      ZW_STR_ARGS(zw_row_name(sim, i)));
    zw_str_end_whole(name);
  }
}

/* What is left when contacts that were hit have got theirs: that of the other things that happened; if there are none, of the contact. */
static void book_rest(ZwSim* sim, const char* name, double rest) {
  ZwEnergy* energy = &sim->energy;
  char full[ZW_EVENT_NAME];
  zw_snprintf(full, sizeof full, "%s", name);
  add_rows(sim, full, sizeof full);
  book(energy, full, rest);
}

/* What a group was given, besides what contacts took; false: nothing but rounding. */
static bool close_group(ZwEnergy* energy, ZwEnergyGroup* group, double* given, double* rest) {
  *given = group->E - group->before;
  *rest = *given + group->hits;
  double least = ROUNDING * fmax(group->rounding, fmax(fabs(group->E), fabs(group->before)));
  group->events += *given;
  group->last = group->E;
  group->largest = fmax(group->largest, fabs(group->E));
  group->kinetic_now = isfinite(group->V) ? fabs(group->E - group->V) : group->kinetic_now;
  if (group->is_hit && energy->is_of_contacts) group->hits_off = fmax(group->hits_off, fabs(*rest));
  bool is_given = fabs(*given) > least;
  if (fabs(*rest) > least)
    group->given += fabs(*rest);
  else
    *rest = 0;
  return is_given;
}

void zw_energy_close(ZwSim* sim, const char* name) {
  ZwEnergy* energy = &sim->energy;
  energy->is_open = false;
  if (!energy->has_before) return;
  if (!zw_energy_measure(sim, sim->t, sim->y)) {
    zw_energy_miss(sim, sim->t);
    energy->is_beyond = false; /* what it gave is not known */
    return;
  }
  double of_constants = energy->rest - energy->rest_before;
  bool is_given = fabs(of_constants) > ROUNDING * fmax(fabs(energy->rest), fabs(energy->rest_before));
  double all = is_given ? of_constants : 0;
  energy->events += of_constants;
  for (int32_t g = 0; g < sim->energy.group_count; g++) {
    double given, rest;
    is_given = close_group(energy, &energy->groups[g], &given, &rest) || is_given;
    energy->events += given;
    all += rest;
  }
  if (is_given) energy->happened++;
  if (all != 0) book_rest(sim, name, all);
}

/* ---- going on later ---- */

void zw_energy_visit(ZwSim* sim, ZwPass* pass) {
  ZwEnergy* energy = &sim->energy;
  zw_pass(pass, energy, offsetof(ZwEnergy, count));
  int32_t count = energy->count;
  zw_pass(pass, &count, sizeof count);
  energy->count = count < 0 || count > ZW_ENTRIES ? 0 : count;
  zw_pass(pass, energy->entries, (size_t)energy->count * sizeof *energy->entries);
  zw_pass(pass, energy->groups, (size_t)sim->energy.group_count * sizeof *energy->groups);
}
