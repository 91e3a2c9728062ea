/* Contacts: rows that push and never pull (T8, T22). A closed contact is a constraint row like others; this file decides
 * which are closed, at the start and wherever a gap closes or a force comes to its end, and what an impact does to the
 * velocities.
 *
 * Impact: of all velocities that the constraints and the closed gaps allow, the nearest to those before it, in the mass
 * metric, where a gap that closes at the rate u must open at the rate -e u at least (Newton's restitution e). All gaps that
 * are closed take part at once.
 * Contact: of the gaps that are closed and stay so, those are closed that Gauss's principle with one-sided rows keeps. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/sim.h"

#define RATE 1e-10        /* a gap rate below this part of what it is made of is none */
#define STAYS 1e-9        /* the same for the second derivative of a gap */
#define AHEAD 1e-5        /* part of a step that is looked ahead where a force ends */
#define GAINS 1e-10       /* kinetic energy that may be gained by rounding */
#define STEADY_RATIO 0.05 /* intervals between impacts are a geometric series when their ratio is so constant */

enum { LOWERINGS = 60 }; /* of the restitution, each by a fifth */

static const ZwContact* contact_of(const ZwSim* sim, int32_t i) {
  return &sim->system->contacts.items[i];
}

static ZwLevel level_of(const ZwSim* sim, int32_t i) {
  return sim->equations->rows.items[contact_of(sim, i)->row].level;
}

bool zw_contacts_is_closed(const ZwSim* sim, int32_t i) {
  return sim->values[contact_of(sim, i)->closed] != 0;
}

static void set_closed(ZwSim* sim, int32_t i, bool is_closed) {
  sim->values[contact_of(sim, i)->closed] = is_closed;
}

/* ---- what is there ---- */

/* The size of a row: what its residual is made of. */
static double size_of_row(const ZwSim* sim, int32_t row, const double* x) {
  const ZwPattern* pattern = &sim->equations->A;
  double size = 0;
  for (int32_t k = pattern->begin[row]; k < pattern->begin[row + 1]; k++) {
    size += fabs(sim->Ax[k]) * (1 + fabs(x[pattern->column[k]]));
  }
  return size;
}

/* Gaps, their rates, and what touches: what was closed, what the event has closed, and what is that near. */
static ZwStatus find_touching(ZwSim* sim, const bool* closes) {
  ZwContacts* contacts = &sim->contacts;
  double *q = sim->y, *v = sim->y + sim->n;
  if (!zw_eval_position(sim, sim->t, q)) {
    return zw_fault_domain(sim, ZW_ENTRY_POSITION, sim->t, q, v, false);
  }
  for (int32_t i = 0; i < contacts->count; i++) {
    int32_t row = contact_of(sim, i)->row;
    bool is_near =
        level_of(sim, i) == ZW_LEVEL_POSITION && fabs(sim->phi[row]) <= sim->tolerance * size_of_row(sim, row, q);
    contacts->gap[i] = sim->phi[row];
    contacts->touches[i] = zw_contacts_is_closed(sim, i) || (closes && closes[i]) || is_near;
  }
  if (!zw_eval_velocity(sim, sim->t, q, v)) return zw_fault_domain(sim, ZW_ENTRY_VELOCITY, sim->t, q, v, false);
  for (int32_t i = 0; i < contacts->count; i++) {
    int32_t row = contact_of(sim, i)->row;
    double size = size_of_row(sim, row, v);
    contacts->rate[i] = fabs(sim->psi[row]) <= RATE * size ? 0 : sim->psi[row];
    if (level_of(sim, i) == ZW_LEVEL_POSITION) continue;
    contacts->gap[i] = sim->psi[row];
    if (fabs(sim->psi[row]) <= sim->tolerance * size) contacts->touches[i] = true;
  }
  return ZW_OK;
}

/* The equality rows alone: all contacts open. */
static ZwStatus open_all(ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) set_closed(sim, i, false);
  return zw_start_freeze(sim, sim->t);
}

/* The rows of the contacts in `which`, at the last evaluation, and their right sides. */
static int32_t gather(ZwSim* sim, const bool* which, const double* right, double* g) {
  ZwContacts* contacts = &sim->contacts;
  int32_t count = 0;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (!which[i]) continue;
    contacts->index[count] = i;
    sim->fresh_rows[count] = contact_of(sim, i)->row;
    g[count++] = right[i];
  }
  zw_eval_dense_rows(sim, sim->fresh_rows, count, contacts->G);
  return count;
}

static ZwStatus refuse(ZwSim* sim, const char* when) {
  ZwContacts* contacts = &sim->contacts;
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText names;
  zw_text_init(&names, &scratch);
  ZwSpan span = {0};
  for (int32_t k = 0; k < contacts->onesided->k; k++) {
    if (contacts->onesided->proof[k] == 0) continue;
    const ZwContact* contact = contact_of(sim, contacts->index[k]);
    if (!names.size) span = contact->span;
    zw_text_addf(&names, "%s'%.*s'", names.size ? ", " : "", ZW_STR_ARGS(contact->name));
  }
  zw_diag_error(sim->diags, ZW_ERR_INCONSISTENT, span, "at t = %.9g %s satisfies the contacts %s and the constraints",
                sim->t, when, zw_text_get(&names));
  zw_diag_remedy(sim->diags, "they squeeze what is between them; is one of them driven into another?");
  zw_arena_destroy(&scratch);
  return ZW_ERR_INCONSISTENT;
}

/* ---- what is told ---- */

static void tell(const ZwSim* sim, ZwContactEvent event) {
  event.t = sim->t;
  if (sim->plan && sim->plan->contact) sim->plan->contact(sim->plan->context, &event);
}

static void tell_hits(const ZwSim* sim) {
  const ZwContacts* contacts = &sim->contacts;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (contacts->impulse[i] == 0) continue;
    tell(sim, (ZwContactEvent){
                  .contact = i, .what = ZW_CONTACT_HIT, .impulse = contacts->impulse[i], .lost = contacts->lost[i]});
  }
}

static ZwContactWhat what_is(const ZwSim* sim, int32_t i) {
  return zw_contacts_is_closed(sim, i) ? ZW_CONTACT_CLOSED : ZW_CONTACT_OPEN;
}

void zw_contacts_tell(const ZwSim* sim) {
  tell_hits(sim);
  for (int32_t i = 0; i < sim->contacts.count; i++) tell(sim, (ZwContactEvent){.contact = i, .what = what_is(sim, i)});
}

static void tell_changes(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    ZwContactWhat what = what_is(sim, i);
    if (what != sim->contacts.was[i]) tell(sim, (ZwContactEvent){.contact = i, .what = what});
  }
}

/* ---- impacts ---- */

/* The energy that contact number k of the program takes: its impulse times the mean of the gap's rates before and after.
 * A wall that moves may give or take energy besides; that is its work, no loss. */
static double lost_in(const ZwSim* sim, int32_t k) {
  const ZwContacts* contacts = &sim->contacts;
  const double* row = contacts->G + (ptrdiff_t)k * sim->n;
  double change = 0;
  for (int32_t j = 0; j < sim->n; j++) change += row[j] * contacts->onesided->a[j];
  return -contacts->onesided->mu[k] * (contacts->rate[contacts->index[k]] + 0.5 * change);
}

/* The restitution of contact i, from the values of the events. */
static ZwStatus find_restitution(ZwSim* sim, int32_t i, double* e) {
  const ZwContact* contact = contact_of(sim, i);
  *e = sim->watch.values[contact->restitution];
  if (*e >= 0 && *e <= 1) return ZW_OK;
  zw_diag_error(sim->diags, ZW_ERR_VALUE, contact->span, "at t = %.9g the restitution of '%.*s' is %.6g", sim->t,
                ZW_STR_ARGS(contact->name), *e);
  zw_diag_remedy(sim->diags, "it is from 0, nothing bounces, to 1, nothing is lost");
  return ZW_ERR_VALUE;
}

/* Bounces that are too small to be seen are none. */
static bool is_too_small(const ZwSim* sim, int32_t i, double rate) {
  double size = size_of_row(sim, contact_of(sim, i)->row, sim->y + sim->n);
  return rate <= fmax(sim->tolerance, 2 * RATE) * size;
}

/* Least change dv with A dv = 0 and gap rates of at least (1 + e) times what is to be undone. */
static ZwStatus solve_impact(ZwSim* sim, double lowered) {
  ZwContacts* contacts = &sim->contacts;
  for (int32_t i = 0; i < contacts->count; i++) {
    double u = contacts->rate[i], e = lowered * contacts->restitution[i];
    contacts->right[i] = u < 0 && level_of(sim, i) == ZW_LEVEL_POSITION ? -(1 + e) * u : -u;
  }
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_VELOCITY];
  if (!zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n)) return ZW_ERR_DOMAIN;
  int32_t count = gather(sim, contacts->touches, contacts->right, contacts->g);
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  memset(sim->bI, 0, (size_t)sim->m * sizeof(double));
  ZW_TRY(zw_least_factor(sim->least, set->count, sim->M, sim->A));
  ZW_TRY(
      zw_onesided_prepare(contacts->onesided, sim->least, sim->M, sim->zero, sim->bI, count, contacts->G, contacts->g));
  for (int32_t k = 0; k < count; k++) contacts->onesided->pushes[k] = contacts->right[contacts->index[k]] > 0;
  ZwStatus status = zw_onesided_solve(contacts->onesided);
  return status == ZW_ERR_INCONSISTENT ? refuse(sim, "no velocity") : status;
}

/* Restitutions that differ may gain energy: all are lowered together until none is. */
static ZwStatus impact_without_gain(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  double lowered = 1;
  for (int round = 0; round < LOWERINGS; round++) {
    double lost = 0, size = 0;
    ZW_TRY(solve_impact(sim, lowered));
    for (int32_t k = 0; k < contacts->onesided->k; k++) {
      lost += lost_in(sim, k);
      size += fabs(contacts->onesided->mu[k] * contacts->rate[contacts->index[k]]);
    }
    if (lost >= -GAINS * size) break;
    lowered = round + 1 == LOWERINGS - 1 ? 0 : 0.8 * lowered;
  }
  if (lowered < 1 && !contacts->has_noted_gain) {
    contacts->has_noted_gain = true;
    zw_diag_note(sim->diags, (ZwSpan){0},
                 "at t = %.9g the restitutions together would gain energy; they were lowered to %.3g of themselves",
                 sim->t, lowered);
  }
  return ZW_OK;
}

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
  const ZwContact* contact = contact_of(sim, i);
  zw_diag_note(sim->diags, contact->span, "after %d impacts '%.*s' comes to rest at t = %.12g",
               (int)sim->contacts.bounces[i].impacts, ZW_STR_ARGS(contact->name), end);
}

/* Which contacts are hit, with which restitution. */
static ZwStatus find_hits(ZwSim* sim, bool* is_hit) {
  ZwContacts* contacts = &sim->contacts;
  *is_hit = false;
  for (int32_t i = 0; i < contacts->count; i++) {
    contacts->restitution[i] = contacts->impulse[i] = 0;
    bool hits = contacts->touches[i] && contacts->rate[i] < 0 && level_of(sim, i) == ZW_LEVEL_POSITION;
    if (!hits) continue;
    *is_hit = true;
    double end = end_of_series(&contacts->bounces[i], sim->t), e;
    ZW_TRY(find_restitution(sim, i, &e));
    bool is_end = is_too_small(sim, i, -e * contacts->rate[i]);
    contacts->restitution[i] = is_end ? 0 : e;
    if (is_end && e > 0) note_rest(sim, i, end);
  }
  return ZW_OK;
}

static ZwStatus impact(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  bool is_hit;
  ZW_TRY(find_hits(sim, &is_hit));
  if (!is_hit) return ZW_OK;
  ZW_TRY(impact_without_gain(sim));
  contacts->impacts++;
  for (int32_t k = 0; k < contacts->onesided->k; k++) {
    contacts->impulse[contacts->index[k]] = contacts->onesided->mu[k];
    contacts->lost[contacts->index[k]] = lost_in(sim, k);
  }
  tell_hits(sim);
  for (int32_t i = 0; i < sim->n; i++) sim->y[sim->n + i] += contacts->onesided->a[i];
  if (!zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n)) return ZW_ERR_DOMAIN;
  for (int32_t i = 0; i < contacts->count; i++) {
    int32_t row = contact_of(sim, i)->row;
    double size = size_of_row(sim, row, sim->y + sim->n);
    contacts->rate[i] = fabs(sim->psi[row]) <= RATE * size ? 0 : sim->psi[row];
  }
  return ZW_OK;
}

/* ---- contact ---- */

/* Which of the gaps that are closed at rest stay so, by the accelerations. */
static ZwStatus decide(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  ZwOneSided* onesided = contacts->onesided;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  for (int32_t i = 0; i < contacts->count; i++) {
    contacts->may_rest[i] = contacts->touches[i] && is_too_small(sim, i, contacts->rate[i]);
    contacts->right[i] = sim->b[contact_of(sim, i)->row];
  }
  int32_t count = gather(sim, contacts->may_rest, contacts->right, contacts->g);
  if (count == 0) return ZW_OK;
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  for (int32_t r = 0; r < set->count; r++) sim->bI[r] = sim->b[set->rows[r]];
  ZW_TRY(zw_least_factor(sim->least, set->count, sim->M, sim->A));
  ZW_TRY(zw_onesided_prepare(onesided, sim->least, sim->M, sim->h, sim->bI, count, contacts->G, contacts->g));
  for (int32_t k = 0; k < count; k++) onesided->pushes[k] = contacts->was[contacts->index[k]] != ZW_CONTACT_OPEN;
  ZwStatus status = zw_onesided_solve(onesided);
  if (status == ZW_ERR_INCONSISTENT) return refuse(sim, "no acceleration");
  ZW_TRY(status);
  for (int32_t k = 0; k < count; k++) {
    double size = fabs(contacts->g[k]) + onesided->size[k] * onesided->size[k] * fabs(onesided->mu[k]);
    for (int32_t j = 0; j < sim->n; j++) size += fabs(contacts->G[(ptrdiff_t)k * sim->n + j] * onesided->a[j]);
    set_closed(sim, contacts->index[k], onesided->pushes[k] || onesided->w[k] <= STAYS * size);
  }
  return ZW_OK;
}

/* Where the force of a contact has just come to its end, it and the acceleration of the gap are both nothing: which of them
 * will be something shows a moment later, on the way that the motion had. */
static ZwStatus decide_ahead(ZwSim* sim) {
  double ahead = AHEAD * sim->h_dense, *y = sim->y_out;
  for (int32_t i = 0; i < sim->dim; i++) y[i] = sim->y[i] + ahead * sim->k[0][i];
  if (!(ahead > 0) || !zw_eval_acceleration(sim, sim->t + ahead, y, y + sim->n)) return ZW_OK;
  zw_eval_dense_M(sim);
  return decide(sim);
}

static bool opens_now(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    if (sim->contacts.opens[i] && zw_contacts_is_closed(sim, i)) return true;
  }
  return false;
}

ZwStatus zw_contacts_settle(ZwSim* sim, const bool* closes) {
  ZwContacts* contacts = &sim->contacts;
  int64_t impacts = contacts->impacts;
  for (int32_t i = 0; i < contacts->count; i++) contacts->was[i] = what_is(sim, i);
  ZW_TRY(find_touching(sim, closes));
  ZW_TRY(open_all(sim));
  ZwStatus status = impact(sim);
  if (status == ZW_OK) status = zw_start_freeze(sim, sim->t);
  if (status == ZW_OK) status = decide(sim);
  if (status == ZW_OK && contacts->impacts == impacts && opens_now(sim)) status = decide_ahead(sim);
  zw_program_setup(sim->program, &sim->state); /* conditions read which are closed */
  if (status) return status == ZW_ERR_DOMAIN ? zw_fault_evaluation(sim, status, sim->y) : status;
  if (!zw_start_settle(sim, sim->t)) {
    zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0}, "at t = %.9g the contacts cannot be closed together", sim->t);
    return ZW_ERR_STEP;
  }
  tell_changes(sim);
  return zw_start_freeze(sim, sim->t);
}

/* Gaps that the start violates are closed: typed values move for them by the least amount, as they do for constraints. */
static ZwStatus close_violated(ZwSim* sim, bool* has_closed) {
  ZwContacts* contacts = &sim->contacts;
  ZW_TRY(find_touching(sim, NULL));
  *has_closed = false;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (contacts->touches[i] || contacts->gap[i] >= 0) continue;
    set_closed(sim, i, true);
    *has_closed = true;
  }
  if (!*has_closed) return ZW_OK;
  zw_program_setup(sim->program, &sim->state);
  memcpy(sim->y, sim->typed, (size_t)(2 * sim->n) * sizeof(double));
  return zw_start_assemble(sim, sim->t);
}

ZwStatus zw_contacts_begin(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  if (contacts->count == 0) return ZW_OK;
  for (int32_t i = 0; i < contacts->count; i++) {
    contacts->bounces[i] = (ZwBounce){.t = -INFINITY, .interval = INFINITY, .ratio = INFINITY};
  }
  bool has_closed = true;
  while (has_closed) ZW_TRY(close_violated(sim, &has_closed)); /* each time one more at least */
  if (!zw_eval_events(sim, sim->t, sim->y, sim->y + sim->n)) {
    return zw_fault_domain(sim, ZW_ENTRY_EVENT, sim->t, sim->y, sim->y + sim->n, true);
  }
  for (int32_t i = 0; i < contacts->count; i++) {
    double e;
    if (contact_of(sim, i)->is_steady) ZW_TRY(find_restitution(sim, i, &e));
  }
  return zw_contacts_settle(sim, NULL);
}
