/* Impacts (T22): of all velocities that the constraints and the closed gaps allow, the nearest to those before it, in the mass
 * metric, where a gap that closes at the rate u must open at the rate -e u at least (Newton's restitution e). All gaps that are
 * closed take part at once; with friction, Coulomb's law holds between the impulses and the slips behind the impact. */
#include <math.h>
#include <string.h>

#include "motion/sensitivity.h"

#define GAINS 1e-10       /* kinetic energy that may be gained by rounding */
#define STEADY_RATIO 0.05 /* intervals between impacts are a geometric series when their ratio is so constant */

enum { LOWERINGS = 30 }; /* halvings of what the restitutions are lowered by */

/* ---- energy ---- */

/* The energy that row k of the program takes: its impulse times the mean of its rates before and after. A wall that moves may
 * give or take energy besides; that is its work, no loss. */
static double lost_in(const ZwSim* sim, int32_t k, double before) {
  const ZwContacts* contacts = &sim->contacts;
  const double* row = contacts->G + (ptrdiff_t)k * sim->n;
  double change = 0;
  for (int32_t j = 0; j < sim->n; j++) change += row[j] * contacts->a[j];
  return -contacts->p[k] * (before + 0.5 * change);
}

static double speed_along(const ZwSim* sim, int32_t k) {
  const double *row = sim->contacts.G + (ptrdiff_t)k * sim->n, *v = sim->y + sim->n;
  double speed = 0;
  for (int32_t j = 0; j < sim->n; j++) speed += row[j] * v[j];
  return speed;
}

/* Impulses and energies by contact, from the rows of the program. */
static void collect(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  memset(contacts->impulse, 0, (size_t)contacts->count * sizeof(double));
  memset(contacts->lost, 0, (size_t)contacts->count * sizeof(double));
  memset(contacts->rubbed, 0, (size_t)(2 * contacts->count) * sizeof(double));
  for (int32_t k = 0, along = 0; k < contacts->gathered; k++) {
    int32_t i = contacts->index[k];
    bool is_gap = k == 0 || contacts->index[k - 1] != i;
    along = is_gap ? 0 : along + 1;
    if (is_gap)
      contacts->impulse[i] = contacts->p[k];
    else
      contacts->rubbed[2 * i + along - 1] = contacts->p[k];
    double before = is_gap ? contacts->rate[i] : contacts->slip[2 * i + along - 1];
    if (zw_contact_level(sim, i) != ZW_LEVEL_POSITION) before = speed_along(sim, k); /* a limit is no wall that moves */
    contacts->lost[i] += lost_in(sim, k, before);
  }
}

/* ---- restitution ---- */

ZwStatus zw_impact_read(ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  double e = sim->contacts.restitution[i] = sim->watch.values[contact->restitution];
  if (e >= 0 && e <= 1) return ZW_OK;
  zw_diag_error(sim->diags, ZW_ERR_VALUE, contact->span, "at t = %.9g the restitution of '%.*s' is %.6g", sim->t,
                ZW_STR_ARGS(contact->name), e);
  zw_diag_remedy(sim->diags, "it is from 0, nothing bounces, to 1, nothing is lost");
  return ZW_ERR_VALUE;
}

/* Least change dv with A dv = 0 and gap rates of at least (1 + e) times what is to be undone. */
static ZwStatus solve(ZwSim* sim, double lowered) {
  ZwContacts* contacts = &sim->contacts;
  for (int32_t i = 0; i < contacts->count; i++) {
    double u = contacts->rate[i], e = lowered * contacts->restitution[i];
    contacts->right[i] = u < 0 && zw_contact_level(sim, i) == ZW_LEVEL_POSITION ? -(1 + e) * u : -u;
    for (int k = 0; k < 2; k++) contacts->right_slip[2 * i + k] = -contacts->slip[2 * i + k];
  }
  if (!zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n)) return ZW_ERR_DOMAIN;
  ZwStatus status = zw_contacts_solve(sim, contacts->takes_part, ZW_LEVEL_VELOCITY, sim->zero, NULL);
  if (status == ZW_ERR_INCONSISTENT || status == ZW_ERR_STEP) return zw_contacts_refuse(sim, status, "no velocity");
  ZW_TRY(status);
  collect(sim);
  return ZW_OK;
}

/* Would energy be gained? */
static bool gains(const ZwSim* sim) {
  const ZwContacts* contacts = &sim->contacts;
  double lost = 0, size = 0;
  for (int32_t i = 0; i < contacts->count; i++) {
    lost += contacts->lost[i];
    size += fabs(contacts->impulse[i] * contacts->rate[i]);
  }
  return lost < -GAINS * size;
}

/* Restitutions that differ, and friction, may gain energy: all restitutions are lowered together until none is. */
static ZwStatus solve_without_gain(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  double lowered = 1, low = 0, high = 1; /* without any nothing is gained; with all something is */
  ZW_TRY(solve(sim, 1));
  if (gains(sim)) {
    for (int round = 0; round < LOWERINGS; round++) {
      lowered = 0.5 * (low + high);
      ZW_TRY(solve(sim, lowered));
      *(gains(sim) ? &high : &low) = lowered;
    }
    lowered = low;
    ZW_TRY(solve(sim, lowered));
  }
  if (lowered < 1 && !contacts->has_noted_gain) {
    contacts->has_noted_gain = true;
    zw_diag_note(sim->diags, (ZwSpan){0},
                 "at t = %.9g the restitutions together would gain energy; they were lowered to %.3g of themselves",
                 sim->t, lowered);
  }
  return zw_sensitivity_impact(sim, lowered < 1);
}

/* ---- series of bounces ---- */

/* Intervals between the impacts of a contact that form a geometric series: when it has its end. NaN: no such series. */
static double end_of_series(ZwBounce* bounce, double t) {
  double interval = t - bounce->t, ratio = interval / bounce->interval;
  bool is_series = fabs(ratio - bounce->ratio) <= STEADY_RATIO * bounce->ratio && ratio < 1;
  bounce->length = is_series ? bounce->length + 1 : 0;
  bounce->t = t;
  bounce->interval = interval;
  bounce->ratio = ratio;
  bounce->impacts++;
  return bounce->length >= 3 ? t + interval * ratio / (1 - ratio) : NAN;
}

static void note_rest(ZwSim* sim, int32_t i, double end) {
  enum { NOTES = 5 };
  if (isnan(end) || sim->contacts.rests++ >= NOTES) return;
  const ZwContact* contact = zw_contact_of(sim, i);
  zw_diag_note(sim->diags, contact->span, "after %d impacts '%.*s' comes to rest at t = %.12g",
               (int)sim->contacts.bounces[i].impacts, ZW_STR_ARGS(contact->name), end);
}

/* Which contacts are hit, with which restitution. */
static ZwStatus find_hits(ZwSim* sim, bool* is_hit) {
  ZwContacts* contacts = &sim->contacts;
  *is_hit = false;
  for (int32_t i = 0; i < contacts->count; i++) {
    bool is_position = zw_contact_level(sim, i) == ZW_LEVEL_POSITION;
    contacts->restitution[i] = contacts->impulse[i] = 0;
    /* velocities jump, so all that restricts them takes part */
    contacts->takes_part[i] = contacts->touches[i] || (!is_position && zw_contact_is_there(sim, i));
    bool hits = contacts->touches[i] && contacts->rate[i] < 0 && is_position;
    if (!hits) continue;
    *is_hit = true;
    double end = end_of_series(&contacts->bounces[i], sim->t);
    ZW_TRY(zw_impact_read(sim, i));
    double e = contacts->restitution[i];
    bool is_end = zw_contact_is_slow(sim, i, -e * contacts->rate[i]); /* bounces too small to be seen are none */
    contacts->restitution[i] = is_end ? 0 : e;
    if (is_end && e > 0) note_rest(sim, i, end);
  }
  return ZW_OK;
}

ZwStatus zw_impact(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  bool is_hit;
  ZW_TRY(find_hits(sim, &is_hit));
  if (!is_hit) return ZW_OK;
  ZW_TRY(solve_without_gain(sim));
  contacts->impacts++;
  contacts->t_impact = sim->t;
  zw_contacts_tell_hits(sim);
  for (int32_t i = 0; i < sim->n; i++) sim->y[sim->n + i] += contacts->a[i];
  if (!zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n)) return ZW_ERR_DOMAIN;
  for (int32_t i = 0; i < contacts->count; i++) {
    zw_contact_read_rates(sim, i);
    bool is_reached = contacts->impulse[i] > 0 && zw_contact_level(sim, i) != ZW_LEVEL_POSITION;
    contacts->touches[i] = contacts->touches[i] || is_reached;
  }
  return ZW_OK;
}
