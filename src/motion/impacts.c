/* Impacts (T22): of all velocities that the constraints and the closed gaps allow, the nearest to those before it, in the mass
 * metric, where a gap that closes at the rate u must open at the rate -e u at least (Newton's restitution e). All gaps that are
 * closed take part at once; with friction, Coulomb's law holds between the impulses and the slips after the impact. Where M depends on
 * velocities T32 takes the place of T22 (restitution.h). Everything is done island by island: what is hit elsewhere at the same
 * instant does not matter. */
#include <math.h>
#include <string.h>

#include "motion/islands.h"
#include "motion/restitution.h"
#include "motion/sensitivity.h"

#define GAINS 1e-10       /* kinetic energy that may be gained by rounding */
#define BOUND 1e-9        /* a rate that differs from what is asked for by no more than this part is that */
#define UNMOVED 1e-14     /* a gap that depends on time by less than this part of its rate does not */
#define STEADY_RATIO 0.05 /* intervals between impacts are a geometric series when their ratio is so constant */

enum {
  LOWERINGS = 30,   /* halvings of what the restitutions are lowered by */
  TURNS_MAX = 10000 /* impacts one after the other at one instant */
};

/* ---- energy ---- */

/* What the impact changes of the rate of row k. */
static double change_along(const ZwSim* sim, int32_t k) {
  const double* row = sim->contacts.G + (ptrdiff_t)k * sim->n;
  double change = 0;
  for (int32_t j = 0; j < sim->n; j++) change += row[j] * sim->contacts.a[j];
  return change;
}

/* Gap k opens no faster than it must, so it may have an impulse, whether the solution gives it one or not. */
static bool is_bound(const ZwSim* sim, int32_t k, bool is_bent) {
  const ZwContacts* contacts = &sim->contacts;
  int32_t i = contacts->index[k];
  double right = contacts->right[i];
  if (contacts->p[k] > 0 || is_bent) return contacts->p[k] > 0 || contacts->is_hit[i];
  return fabs(change_along(sim, k) - right) <= BOUND * fabs(right);
}

/* The energy that row k of the program takes: its impulse times the mean of its rates before and after. A wall that moves may
 * give or take energy besides; that is its work, no loss. */
static double lost_in(const ZwSim* sim, int32_t k, double before) {
  return -sim->contacts.p[k] * (before + 0.5 * change_along(sim, k));
}

static double speed_along(const ZwSim* sim, int32_t k) {
  const double *row = sim->contacts.G + (ptrdiff_t)k * sim->n, *v = sim->y + sim->n;
  double speed = 0;
  for (int32_t j = 0; j < sim->n; j++) speed += row[j] * v[j];
  return speed;
}

/* What a gap or slip that depends on time moves at; 0 where that is rounding. */
static double drift_of(const ZwSim* sim, int32_t k, int32_t row) {
  const double *entries = sim->contacts.G + (ptrdiff_t)k * sim->n, *v = sim->y + sim->n;
  double drift = sim->psi[row], size = 0;
  for (int32_t j = 0; j < sim->n; j++) {
    drift -= entries[j] * v[j];
    size += fabs(entries[j] * v[j]);
  }
  return fabs(drift) <= UNMOVED * size ? 0 : drift;
}

/* Impulses and energies by contact, from the rows of the program; `taken` are energies by rows, NULL: those of a quadratic L. */
static void collect(ZwSim* sim, const bool* which, const double* taken) {
  ZwContacts* contacts = &sim->contacts;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (which[i]) contacts->impulse[i] = contacts->lost[i] = contacts->wall_work[i] = 0;
    if (which[i]) contacts->is_bound[i] = false;
    for (int k = 0; which[i] && k < 2; k++) contacts->rubbed[2 * i + k] = 0;
  }
  for (int32_t k = 0, along = 0; k < contacts->gathered; k++) {
    int32_t i = contacts->index[k];
    const ZwContact* contact = zw_contact_of(sim, i);
    bool is_gap = k == 0 || contacts->index[k - 1] != i, is_wall = zw_contact_level(sim, i) == ZW_LEVEL_POSITION;
    along = is_gap ? 0 : along + 1;
    if (is_gap) {
      contacts->impulse[i] = contacts->p[k];
      contacts->is_bound[i] = is_bound(sim, k, taken != NULL);
    } else
      contacts->rubbed[2 * i + along - 1] = contacts->p[k];
    double before = is_gap ? contacts->rate[i] : contacts->slip[2 * i + along - 1];
    if (!is_wall) before = speed_along(sim, k); /* a limit is no wall that moves */
    contacts->lost[i] += taken ? taken[k] : lost_in(sim, k, before);
    int32_t row = is_gap ? contact->row : contact->slip + along - 1;
    if (is_wall) contacts->wall_work[i] -= contacts->p[k] * drift_of(sim, k, row);
  }
}

/* ---- restitution ---- */

ZwStatus zw_impact_read(ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  double e = sim->contacts.restitution[i] = sim->watch.values[contact->restitution];
  if (e >= 0 && e <= 1) return ZW_OK;
  zw_diag_error(sim->diags, ZW_ERR_VALUE, contact->span, "at t = %s the restitution of '%.*s' is %.6g",
                zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(contact->name), e);
  zw_diag_remedy(sim->diags, "it is from 0, nothing bounces, to 1, nothing is lost");
  return ZW_ERR_VALUE;
}

/* Least change dv with A dv = 0 and gap rates of at least (1 + e) times what is to be undone. */
static ZwStatus solve(ZwSim* sim, const bool* which, double lowered) {
  ZwContacts* contacts = &sim->contacts;
  for (int32_t i = 0; i < contacts->count; i++) {
    double u = contacts->rate[i], e = lowered * contacts->restitution[i];
    contacts->right[i] = u < 0 && zw_contact_level(sim, i) == ZW_LEVEL_POSITION ? -(1 + e) * u : -u;
    for (int k = 0; k < 2; k++) contacts->right_slip[2 * i + k] = -contacts->slip[2 * i + k];
  }
  if (!zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n)) return ZW_ERR_DOMAIN;
  ZW_TRY(zw_contacts_solve(sim, which, ZW_LEVEL_VELOCITY, sim->zero, NULL, NULL));
  collect(sim, which, NULL);
  return ZW_OK;
}

/* Would energy be gained? */
static bool gains(const ZwSim* sim, const bool* which) {
  const ZwContacts* contacts = &sim->contacts;
  double lost = 0, size = 0;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (!which[i]) continue;
    lost += contacts->lost[i];
    size += fabs(contacts->impulse[i] * contacts->rate[i]);
  }
  return lost < -GAINS * size;
}

/* Restitutions that differ, and friction, may gain energy: all restitutions are lowered together until none is. */
static ZwStatus solve_without_gain(ZwSim* sim, const bool* which, double* lowered) {
  double low = 0, high = 1; /* without any nothing is gained; with all something is */
  *lowered = 1;
  ZW_TRY(solve(sim, which, 1));
  if (gains(sim, which)) {
    for (int round = 0; round < LOWERINGS; round++) {
      *lowered = 0.5 * (low + high);
      ZW_TRY(solve(sim, which, *lowered));
      *(gains(sim, which) ? &high : &low) = *lowered;
    }
    *lowered = low;
    ZW_TRY(solve(sim, which, *lowered));
  }
  return zw_sensitivity_impact(sim, false, 1, *lowered < 1);
}

static void note_lowered(ZwSim* sim, double theta) {
  if (sim->contacts.has_noted_gain) return;
  sim->contacts.has_noted_gain = true;
  zw_diag_note(sim->diags, (ZwSpan){0},
               "at t = %s the restitutions together would gain energy; they were lowered to %.3g of themselves",
               zw_when(sim, sim->t, 9).text, theta);
}

/* ---- one island ---- */

/* The flags of the masses of an island (ZW_MASS_..). */
static unsigned masses_of(const ZwSim* sim, int32_t island) {
  unsigned flags = 0;
  for (int32_t j = 0; j < sim->n; j++) {
    if (sim->contacts.island[j] == island) flags |= sim->equations->masses[j];
  }
  return flags;
}

static const ZwContact* first_hit(const ZwSim* sim, const bool* which) {
  int32_t i = 0;
  while (!(which[i] && sim->contacts.is_hit[i])) i++;
  return zw_contact_of(sim, i);
}

static ZwStatus refuse(ZwSim* sim, const bool* which, ZwStatus status, const char* why, const char* remedy) {
  const ZwContact* contact = first_hit(sim, which);
  zw_diag_error(sim->diags, status, contact->span, "at t = %s '%.*s' is hit, and %s", zw_when(sim, sim->t, 9).text,
                ZW_STR_ARGS(contact->name), why);
  zw_diag_remedy(sim->diags, "%s", remedy);
  return status;
}

static ZwStatus refuse_negative(ZwSim* sim, const bool* which) {
  return refuse(sim, which, ZW_ERR_MASS,
                "the inertia across it is not positive: an impulse would close the gap even faster",
                "check the signs in the Lagrangian");
}

static ZwStatus refuse_gibbs(ZwSim* sim, const bool* which) {
  return refuse(
      sim, which, ZW_ERR_CONTACT,
      "an inertia there depends on velocities and comes of a Gibbs function: it has no momenta, so the impact "
      "is not determined",
      "write the motion with 'lagrangian' or 'kinetic'");
}

static bool any_bounces(const ZwSim* sim, const bool* which) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    if (which[i] && sim->contacts.restitution[i] > 0) return true;
  }
  return false;
}

/* What is hit together: velocities jump, all else stays as it is. */
static ZwStatus hit(ZwSim* sim, int32_t island, const bool* which) {
  ZwContacts* contacts = &sim->contacts;
  unsigned masses = masses_of(sim, island);
  bool is_bent = (masses & ZW_MASS_BENT) != 0, is_lowered;
  double theta;
  if (is_bent && (masses & ZW_MASS_GIBBS)) return refuse_gibbs(sim, which);
  ZwStatus status;
  if (is_bent) {
    status = zw_restitution_solve(sim, which, &theta, &is_lowered);
    if (!status) collect(sim, which, sim->jump.row_loss);
    if (!status) status = zw_sensitivity_impact(sim, true, theta, is_lowered);
  } else {
    status = solve_without_gain(sim, which, &theta);
    is_lowered = theta < 1;
    theta = any_bounces(sim, which) ? theta : 0;
  }
  if (status == ZW_ERR_INCONSISTENT || status == ZW_ERR_STEP) return zw_contacts_refuse(sim, status, "no velocity");
  if (status == ZW_ERR_MASS && is_bent) return refuse_negative(sim, which);
  ZW_TRY(status);
  if (is_lowered) note_lowered(sim, theta);
  for (int32_t i = 0; i < contacts->count; i++) {
    if (which[i]) contacts->theta[i] = theta;
  }
  for (int32_t i = 0; i < sim->n; i++) sim->y[sim->n + i] += contacts->a[i];
  return ZW_OK;
}

/* The contacts of an island that take part; whether one of them is hit. */
static bool gather_island(const ZwSim* sim, const ZwIslands* islands, int32_t island, bool* which) {
  const ZwContacts* contacts = &sim->contacts;
  if (!zw_islands_gather(sim, islands, island, contacts->takes_part, which)) return false;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (which[i] && contacts->is_hit[i]) return true;
  }
  return false;
}

/* Impulses pass through M, rows and contacts that touch, and no further: what they do not join is hit by itself. */
static ZwStatus hit_islands(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  ZwIslands islands = {.of = contacts->island};
  zw_islands_now(sim, ZW_JOIN_INERTIA, contacts->takes_part, &islands);
  for (int32_t island = -1; island < islands.count; island++) { /* -1: a gap without coordinates */
    if (gather_island(sim, &islands, island, contacts->hit_together)) ZW_TRY(hit(sim, island, contacts->hit_together));
  }
  return ZW_OK;
}

/* ---- series of bounces ---- */

/* Intervals between the impacts of a contact that form a geometric series: when it has its end. NaN: no such series. */
static double end_of_series(ZwBounce* bounce, double t) {
  if (t == bounce->t) return NAN; /* once more in the same instant */
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
  ZwBounce* bounce = &sim->contacts.bounces[i];
  if (isnan(end) || bounce->has_noted || sim->contacts.rests++ >= NOTES) return;
  bounce->has_noted = true; /* it may be lifted, or rock, and come to rest again and again */
  const ZwContact* contact = zw_contact_of(sim, i);
  zw_diag_note(sim->diags, contact->span, "after %d impacts '%.*s' comes to rest at t = %s", (int)bounce->impacts,
               ZW_STR_ARGS(contact->name), zw_when(sim, end, 12).text);
}

/* A gap that has just bounced and opens again has not come farther than a tolerance: it touches only because that cannot be seen. In a
 * series without end, as of a bead between two masses that close in, such gaps are hit in turns and not together. */
static bool has_just_bounced(const ZwSim* sim, int32_t i) {
  const ZwContacts* contacts = &sim->contacts;
  double rate = contacts->rate[i], time = sim->t - contacts->bounces[i].t;
  if (contacts->was[i] != ZW_CONTACT_OPEN || !(rate > 0) || zw_contact_is_at_rest(sim, i, rate)) return false;
  return rate * time <= 2 * sim->tolerance * zw_still_size(sim, zw_contact_of(sim, i)->row, ZW_LEVEL_POSITION);
}

/* Velocities jump, so all that restricts them takes part. Whether a gap was left out: impacts are in turns. */
static bool find_parts(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  bool is_in_turns = false;
  for (int32_t i = 0; i < contacts->count; i++) {
    bool is_position = zw_contact_level(sim, i) == ZW_LEVEL_POSITION;
    bool is_left_out = is_position && contacts->touches[i] && has_just_bounced(sim, i);
    contacts->takes_part[i] = (contacts->touches[i] && !is_left_out) || (!is_position && zw_contact_is_there(sim, i));
    is_in_turns = is_in_turns || is_left_out;
  }
  return is_in_turns;
}

/* Bounces too small to be seen are none; among turns the rate alone tells, as their times are all too small. */
static bool is_last(const ZwSim* sim, int32_t i, double rate, bool is_in_turns) {
  return is_in_turns ? zw_contact_is_at_rest(sim, i, rate) : zw_contact_is_slow(sim, i, rate);
}

/* Which contacts are hit, with which restitution. */
static ZwStatus find_hits(ZwSim* sim, bool* is_hit) {
  ZwContacts* contacts = &sim->contacts;
  bool is_in_turns = find_parts(sim);
  *is_hit = false;
  for (int32_t i = 0; i < contacts->count; i++) {
    contacts->restitution[i] = contacts->impulse[i] = contacts->theta[i] = 0;
    contacts->is_bound[i] = false;
    contacts->is_hit[i] =
        contacts->touches[i] && contacts->rate[i] < 0 && zw_contact_level(sim, i) == ZW_LEVEL_POSITION;
    if (!contacts->is_hit[i]) continue;
    *is_hit = true;
    double end = end_of_series(&contacts->bounces[i], sim->t);
    ZW_TRY(zw_impact_read(sim, i));
    double e = contacts->restitution[i];
    bool is_end = is_last(sim, i, -e * contacts->rate[i], is_in_turns);
    contacts->restitution[i] = is_end ? 0 : e;
    if (is_end && e > 0) note_rest(sim, i, end);
  }
  return ZW_OK;
}

/* All that is hit now, together. */
static ZwStatus hit_once(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  ZW_TRY(hit_islands(sim));
  contacts->impacts++;
  zw_contacts_tell_hits(sim);
  if (!zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n)) return ZW_ERR_DOMAIN;
  for (int32_t i = 0; i < contacts->count; i++) {
    zw_contact_read_rates(sim, i);
    bool is_reached = contacts->impulse[i] > 0 && zw_contact_level(sim, i) != ZW_LEVEL_POSITION;
    contacts->touches[i] = contacts->touches[i] || is_reached;
  }
  return ZW_OK;
}

/* The first of the gaps that were left out of an impact and are closed by it; NULL: there is none. */
static const ZwContact* next_hit(const ZwSim* sim) {
  const ZwContacts* contacts = &sim->contacts;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (contacts->touches[i] && !contacts->takes_part[i] && contacts->rate[i] < 0) return zw_contact_of(sim, i);
  }
  return NULL;
}

static ZwStatus refuse_turns(const ZwSim* sim, const ZwContact* contact) {
  zw_diag_error(sim->diags, ZW_ERR_STEP, contact->span, "at t = %s '%.*s' is hit in turns with others, without end",
                zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(contact->name));
  zw_diag_remedy(sim->diags, "lower the restitution: what is squeezed at 1 does not come to rest");
  return ZW_ERR_STEP;
}

ZwStatus zw_impact(ZwSim* sim) {
  bool is_hit;
  const ZwContact* next = NULL;
  ZW_TRY(find_hits(sim, &is_hit));
  if (!is_hit) return ZW_OK;
  for (int turn = 0; turn < TURNS_MAX; turn++) {
    ZW_TRY(hit_once(sim));
    next = next_hit(sim);
    if (!next) return ZW_OK;
    ZW_TRY(find_hits(sim, &is_hit));
  }
  return refuse_turns(sim, next);
}
