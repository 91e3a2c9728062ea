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

/* ---- the error over the run ---- */

static void halve(ZwEnvelope* envelope) {
  for (int32_t i = 0; i < ZW_SPANS / 2; i++) {
    envelope->least[i] = fmin(envelope->least[2 * i], envelope->least[2 * i + 1]);
    envelope->most[i] = fmax(envelope->most[2 * i], envelope->most[2 * i + 1]);
  }
  envelope->count = ZW_SPANS / 2;
  envelope->length *= 2;
}

static void begin_span(ZwEnvelope* envelope) {
  if (envelope->count == ZW_SPANS) halve(envelope);
  envelope->least[envelope->count] = INFINITY;
  envelope->most[envelope->count++] = 0;
  envelope->filled = 0;
}

static void follow(ZwEnvelope* envelope, double error) {
  double off = fabs(error), change = error - envelope->error;
  if (envelope->length == 0) envelope->length = 1;
  if (envelope->count == 0 || envelope->filled == envelope->length) begin_span(envelope);
  int32_t last = envelope->count - 1;
  envelope->least[last] = zw_smaller(envelope->least[last], off);
  envelope->most[last] = zw_larger(envelope->most[last], off);
  envelope->filled++;
  if (change * envelope->change < 0) envelope->turns++;
  envelope->error = error;
  if (change != 0) envelope->change = change;
}

bool zw_energy_grows(const ZwEnergy* energy) {
  const ZwEnvelope* envelope = &energy->envelope;
  int32_t count = envelope->count, quarter = (count + 3) / 4;
  double before = 0, after = INFINITY;
  for (int32_t i = 0; i < count / 2; i++) before = fmax(before, envelope->most[i]);
  for (int32_t i = count - quarter; i < count; i++) after = fmin(after, envelope->least[i]);
  return count > 1 && after > before;
}

/* ---- along the motion ---- */

void zw_energy_miss(ZwSim* sim, double t) {
  ZwEnergy* energy = &sim->energy;
  if (!energy->is_missing) energy->t_missing = t;
  energy->is_missing = true;
}

/* v . dE/dv / 2, by a difference: near the speed of light it is much more than the energy. */
static double steepness(ZwSim* sim, double t, const double* y, double E) {
  const double more = 0x1p-12;
  const double* v = zw_velocity(sim, t, y);
  for (int32_t i = 0; i < sim->n; i++) sim->slowed[i] = (1 - more) * v[i];
  return zw_eval_energy(sim, t, y, sim->slowed) ? fabs(E - sim->scalars[0]) / (2 * more) : 0;
}

/* What moves, and what does not: E with and without velocities. */
static void record_parts(ZwSim* sim, double t, const double* y, double E) {
  ZwEnergy* energy = &sim->energy;
  double V = sim->scalars[2];
  if (!isfinite(V)) return;
  energy->kinetic = zw_larger(energy->kinetic, fabs(E - V));
  energy->potential_least = zw_smaller(energy->potential_least, V);
  energy->potential_most = zw_larger(energy->potential_most, V);
  if (sim->jump.is_on) energy->steep = zw_larger(energy->steep, steepness(sim, t, y, E));
}

void zw_energy_begin(ZwSim* sim, double least) {
  sim->energy.least = least;
}

/* What forces do over errors of positions that the tolerance allows: a structure at rest, whose energy may be zero, exchanges less. */
static void record_rest(ZwSim* sim, const double* y) {
  ZwEnergy* energy = &sim->energy;
  double least = 0, resting = 0, h = sim->step;
  for (int32_t i = 0; i < sim->n; i++) {
    double size = fmax(sim->sizes.unit[i], fmax(fabs(y[i]), h * h * sim->sizes.pace[i]));
    least += fabs(sim->h[i]) * sim->tolerance * size;
    resting += fabs(sim->hL[i]) * sim->tolerance * size;
  }
  if (least > energy->least) energy->least = least; /* not if it is no number */
  if (resting > energy->resting) energy->resting = resting;
}

static void begin_account(ZwEnergy* energy, double E, double W) {
  energy->has_start = true;
  energy->start = E - W;
  energy->potential_least = INFINITY;
  energy->potential_most = -INFINITY;
  energy->hit = -1;
}

static double error_of(const ZwEnergy* energy, double E, double W) {
  return E - energy->start - W - energy->events;
}

/* An error that comes near to what is doubted is at least not that of the work, which is added up along with the motion and not watched. */
static double check_work(ZwSim* sim, double t, const double* y, double E, double W) {
  const ZwEnergy* energy = &sim->energy;
  if (sim->is_conservative || y != sim->y_new) return W;
  double bound = sim->tolerance * zw_energy_exchanged(energy) + zw_energy_rounding(energy);
  double error = error_of(energy, E, W), change = error - energy->envelope.error;
  bool is_suspect = fabs(error) > SUSPECT * bound && fabs(change) > bound;
  return is_suspect ? zw_work_refine(sim, t, ENOUGH * bound) : W;
}

void zw_energy_record(ZwSim* sim, double t, const double* y, double W) {
  ZwEnergy* energy = &sim->energy;
  double E = sim->scalars[0];
  if (!energy->has_start) begin_account(energy, E, W);
  energy->last = E;
  energy->largest = zw_larger(energy->largest, fabs(E));
  record_parts(sim, t, y, E);
  if (y == sim->y_new && sim->stats.steps == 1) record_rest(sim, y); /* with the sizes of the first step */
  W = check_work(sim, t, y, E, W);
  double error = error_of(energy, E, W), off = fabs(error);
  if (off > energy->off) {
    energy->off = off;
    energy->t_off = t;
  }
  energy->work = zw_larger(energy->work, fabs(W));
  follow(&energy->envelope, error);
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
  energy->given += fabs(given);
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

static void open_account(ZwEnergy* energy, bool has_before, double before) {
  energy->has_before = has_before;
  energy->before = before;
  energy->is_open = true;
  energy->hits = 0;
  energy->hit = -1;
  energy->is_of_contacts = false;
}

void zw_energy_open(ZwSim* sim) {
  bool has_energy = sim->equations->has_energy && zw_eval_energy(sim, sim->t, sim->y, zw_velocity(sim, sim->t, sim->y));
  open_account(&sim->energy, has_energy, sim->scalars[0]);
  sim->energy.is_of_contacts = is_of_contacts(sim);
}

void zw_energy_open_change(ZwSim* sim) {
  open_account(&sim->energy, sim->equations->has_energy && sim->energy.has_start, sim->energy.last);
}

void zw_energy_impact(ZwSim* sim, int32_t contact, double took) {
  ZwEnergy* energy = &sim->energy;
  char name[ZW_ENTRY_NAME];
  if (!energy->is_open || !energy->has_before) return;
  zw_snprintf(name, sizeof name, "%.*s", ZW_STR_ARGS(sim->system->contacts.items[contact].name));
  book(energy, name, -took);
  energy->hits += took;
  energy->hit = contact;
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

void zw_energy_close(ZwSim* sim, const char* name) {
  ZwEnergy* energy = &sim->energy;
  energy->is_open = false;
  if (!energy->has_before || !zw_eval_energy(sim, sim->t, sim->y, zw_velocity(sim, sim->t, sim->y))) return;
  double E = sim->scalars[0], given = E - energy->before, rest = given + energy->hits;
  double least = ROUNDING * fmax(fabs(E), fabs(energy->before));
  energy->events += given;
  energy->last = E;
  energy->largest = fmax(energy->largest, fabs(E));
  if (fabs(given) > least) energy->happened++;
  if (energy->hit >= 0 && energy->is_of_contacts) energy->hits_off = fmax(energy->hits_off, fabs(rest));
  if (fabs(rest) > least) book_rest(sim, name, rest);
}

/* ---- sizes ---- */

double zw_energy_exchanged(const ZwEnergy* energy) {
  double range = energy->potential_most - energy->potential_least;
  double most = zw_larger(energy->kinetic, zw_larger(energy->work, energy->given));
  return isfinite(range) ? zw_larger(most, range) : most;
}

double zw_energy_steepness(const ZwEnergy* energy) {
  return fmax(zw_energy_exchanged(energy), energy->steep);
}

double zw_energy_rounding(const ZwEnergy* energy) {
  double range = fmax(fabs(energy->potential_most), fabs(energy->potential_least));
  double most = fmax(energy->largest, energy->work);
  return ROUNDING * (isfinite(range) ? fmax(most, range) : most);
}

/* ---- going on later ---- */

void zw_energy_visit(ZwSim* sim, ZwPass* pass) {
  ZwEnergy* energy = &sim->energy;
  zw_pass(pass, energy, offsetof(ZwEnergy, count));
  int32_t count = energy->count;
  zw_pass(pass, &count, sizeof count);
  energy->count = count < 0 || count > ZW_ENTRIES ? 0 : count;
  zw_pass(pass, energy->entries, (size_t)energy->count * sizeof *energy->entries);
  zw_pass(pass, &energy->envelope, sizeof energy->envelope);
}
