/* The account of one group: how its error goes on, and how large its energies are. */
#include <float.h>
#include <math.h>

#include "least/dense.h"
#include "motion/energy.h"

/* Rounding of an energy, in units of its size. */
#define ROUNDING (64 * DBL_EPSILON)
/* In a step kinetic energies are taken to grow no further than this from its smaller end: one that ends near a pole tells
 * nothing of the time before. */
#define STEEPEST 16.0

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

bool zw_energy_grows(const ZwEnergyGroup* group) {
  const ZwEnvelope* envelope = &group->envelope;
  int32_t count = envelope->count, quarter = (count + 3) / 4;
  double before = 0, after = INFINITY;
  for (int32_t i = 0; i < count / 2; i++) before = fmax(before, envelope->most[i]);
  for (int32_t i = count - quarter; i < count; i++) after = fmin(after, envelope->least[i]);
  return count > 1 && after > before;
}

/* ---- along the motion ---- */

void zw_energy_group_begin(ZwEnergyGroup* group, double t, double W) {
  group->start = group->E - W;
  group->potential_least = INFINITY;
  group->potential_most = -INFINITY;
  group->t = t;
  group->kinetic_now = isfinite(group->V) ? fabs(group->E - group->V) : 0;
}

double zw_energy_group_error(const ZwEnergyGroup* group, double W) {
  return group->E - group->start - W - group->events;
}

void zw_energy_group_take(ZwEnergyGroup* group) {
  group->largest = zw_larger(group->largest, fabs(group->E));
  group->moving = zw_larger(group->moving, fabs(group->P) / 2);
  if (!isfinite(group->V)) return;
  group->kinetic = zw_larger(group->kinetic, fabs(group->E - group->V));
  group->potential_least = zw_smaller(group->potential_least, group->V);
  group->potential_most = zw_larger(group->potential_most, group->V);
}

static void record_means(ZwEnergyGroup* group, double t, double off) {
  double step = t - group->t, before = group->kinetic_now;
  double now = isfinite(group->V) ? fabs(group->E - group->V) : before;
  double mean = zw_smaller((before + now) / 2, STEEPEST * zw_smaller(before, now));
  group->time += step;
  group->motion += step * mean;
  group->error += step * off;
  group->t = t;
  group->kinetic_now = now;
}

void zw_energy_group_record(ZwEnergyGroup* group, double t, double W, bool has_envelope) {
  double error = zw_energy_group_error(group, W), off = fabs(error);
  group->last = group->E;
  record_means(group, t, off);
  if (off > group->off) {
    group->off = off;
    group->t_off = t;
  }
  group->error_now = error;
  if (has_envelope) follow(&group->envelope, error);
}

/* ---- sizes ---- */

static double exchanged_besides(const ZwEnergyGroup* group, double work) {
  return zw_larger(work, group->given);
}

double zw_energy_exchanged(const ZwEnergyGroup* group, double work) {
  double range = group->potential_most - group->potential_least;
  double most = zw_larger(group->kinetic, exchanged_besides(group, work));
  return isfinite(range) ? zw_larger(most, range) : most;
}

double zw_energy_exchanged_mean(const ZwEnergyGroup* group, double work) {
  double mean = group->time > 0 ? group->motion / group->time : 0;
  return zw_larger(mean, exchanged_besides(group, work));
}

static double ratio_of(double off, double size, double least) {
  return off > least && size > 0 ? off / size : 0;
}

double zw_energy_lasting(const ZwEnergyGroup* group, double work, double least) {
  double mean = zw_energy_exchanged_mean(group, work), off = group->time > 0 ? group->error / group->time : 0;
  double last = fabs(group->error_now), now = zw_larger(mean, group->kinetic_now);
  return fmax(ratio_of(off, mean, least), ratio_of(last, now, least));
}

double zw_energy_steepness(const ZwEnergyGroup* group, double work) {
  return fmax(zw_energy_exchanged(group, work), group->steep);
}

double zw_energy_largest(const ZwEnergyGroup* group, double work) {
  double range = fmax(fabs(group->potential_most), fabs(group->potential_least));
  double most = fmax(group->largest, work);
  return fmax(isfinite(range) ? fmax(most, range) : most, group->rounding);
}

double zw_energy_rounding(const ZwEnergyGroup* group, double work) {
  return ROUNDING * zw_energy_largest(group, work);
}
