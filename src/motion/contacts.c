/* Contacts: rows that push and never pull (T8). A closed contact is a constraint row like others; this file decides which are
 * closed, and which of them stick or slip, at the start and wherever a gap closes, a force comes to its end or a slip does.
 *
 * Of the gaps that are closed and stay so, those are closed that Gauss's principle with one-sided rows keeps; with friction, those
 * that Coulomb's law keeps (least/friction.h). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/islands.h"
#include "motion/sensitivity.h"

#define STAYS 1e-9        /* a second derivative of a gap or slip below this part of what it is made of is none */
#define STAYS_AHEAD 1e-13 /* and a moment later, where something must change */
#define UNKNOWN (64 * DBL_EPSILON) /* of the largest force, in each other one: what their rounding comes to */
#define CONDITIONS 1e-8 /* how well those of the quadratic program must hold, as a part of what its rows are made of */
#define AHEAD 1e-5      /* part of a step that is looked ahead where a force ends */
#define UNSEEN (64 * DBL_EPSILON) /* as a part of what a gap is made of */
/* Rocking gets no smaller than that, as rounding of where gaps close gives back what impacts take; its rate is this part of its size then. */
#define ROCKING (1024 * DBL_EPSILON)
#define FAINT 1e-6
#define VIOLATED 1e3 /* times the tolerance: a gap so far below zero is no error of the motion, */
#define JUMPED 16.0  /* nor so far, where it has not come there but jumped */

const ZwContact* zw_contact_of(const ZwSim* sim, int32_t i) {
  return &sim->system->contacts.items[i];
}

ZwLevel zw_contact_level(const ZwSim* sim, int32_t i) {
  return sim->equations->rows.items[zw_contact_of(sim, i)->row].level;
}

bool zw_contacts_is_closed(const ZwSim* sim, int32_t i) {
  return sim->values[zw_contact_of(sim, i)->closed] != 0;
}

bool zw_contacts_any_closed(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    if (zw_contacts_is_closed(sim, i)) return true;
  }
  return false;
}

bool zw_contact_is_there(const ZwSim* sim, int32_t i) {
  int32_t gate = zw_contact_of(sim, i)->gate;
  return gate == 0 || sim->values[gate - 1] != 0;
}

static ZwContactWhat what_is(const ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  if (!zw_contacts_is_closed(sim, i)) return ZW_CONTACT_OPEN;
  if (contact->slip_dim != 1) return ZW_CONTACT_CLOSED;
  return sim->values[contact->sticks] != 0 ? ZW_CONTACT_STICKS : ZW_CONTACT_SLIPS;
}

static void open_one(ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  sim->values[contact->closed] = 0;
  if (contact->slip_dim > 0) sim->values[contact->sticks] = sim->values[contact->slides] = 0;
}

/* Closed; `slides` is the sign of the slip, 0: it sticks. */
static void close_one(ZwSim* sim, int32_t i, double slides) {
  const ZwContact* contact = zw_contact_of(sim, i);
  sim->values[contact->closed] = 1;
  if (contact->slip_dim != 1) return; /* in two directions the law is regularised */
  sim->values[contact->slides] = slides;
  sim->values[contact->sticks] = slides == 0;
}

/* ---- what is there ---- */

/* A rate that is no more than rounding is none. */
static double rate_of(const ZwSim* sim, int32_t row) {
  return zw_still_is(sim, row) ? 0 : sim->psi[row];
}

void zw_contact_read_rates(ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  sim->contacts.rate[i] = rate_of(sim, contact->row);
  for (int32_t k = 0; k < contact->slip_dim; k++) sim->contacts.slip[2 * i + k] = rate_of(sim, contact->slip + k);
}

bool zw_contact_is_at_rest(const ZwSim* sim, int32_t i, double rate) {
  int32_t row = zw_contact_of(sim, i)->row;
  double size = zw_still_size(sim, row, ZW_LEVEL_VELOCITY);
  return rate <= fmax(sim->tolerance * size, 2 * zw_still_least(sim, row));
}

bool zw_contact_is_slow(const ZwSim* sim, int32_t i, double rate) {
  const ZwBounce* bounce = &sim->contacts.bounces[i];
  int32_t row = zw_contact_of(sim, i)->row;
  if (zw_contact_is_at_rest(sim, i, rate)) return true;
  /* over its own last two impacts, at this rate, it has gone no farther than rounding can see: rocking that has come to its end.
   * One alone may be a moment before something else happens. */
  double time = sim->t - bounce->t + bounce->interval;
  bool is_faint = rate <= FAINT * zw_still_size(sim, row, ZW_LEVEL_VELOCITY);
  return rate * time <= (is_faint ? ROCKING : UNSEEN) * zw_still_size(sim, row, ZW_LEVEL_POSITION);
}

static ZwStatus refuse_violated(ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  bool comes = isnan(sim->contacts.before[i]);
  zw_diag_error(sim->diags, ZW_ERR_INCONSISTENT, contact->span,
                comes ? "at t = %s the contact '%.*s' comes, and its gap is already %.6g"
                      : "at t = %s the gap of the contact '%.*s' jumps to %.6g",
                zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(contact->name), sim->contacts.gap[i]);
  zw_diag_remedy(sim->diags, comes ? "let it come while its gap is not negative"
                                   : "what an event assigns, and what a gap is made of, must not put it below zero");
  return ZW_ERR_INCONSISTENT;
}

ZwStatus zw_contacts_note_gaps(ZwSim* sim) {
  double *q = sim->y, *v = sim->y + sim->n;
  if (sim->contacts.count == 0) return ZW_OK;
  if (!zw_eval_position(sim, sim->t, q)) return zw_fault_domain(sim, ZW_ENTRY_POSITION, sim->t, q, v, false);
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    sim->contacts.before[i] = zw_contact_is_there(sim, i) ? sim->phi[zw_contact_of(sim, i)->row] : NAN;
  }
  return ZW_OK;
}

/* Is a gap below zero that the motion cannot have taken there? One that closes is at zero to within errors, unless it has jumped. */
static bool is_violated(const ZwSim* sim, int32_t i, bool closes, double near) {
  const ZwContacts* contacts = &sim->contacts;
  int32_t margin = zw_contact_of(sim, i)->margin;
  double gap = contacts->gap[i], before = contacts->before[i];
  double rounding = margin >= 0 ? UNSEEN * zw_looks_size(&sim->watch.looks, margin) : 0;
  if (zw_contacts_is_closed(sim, i) || !zw_contact_is_there(sim, i)) return false;
  bool has_jumped = 2 * (before - gap) >= -gap; /* more than half of it */
  if (has_jumped) return gap < -JUMPED * near - rounding;
  return gap < -VIOLATED * near - rounding && (!closes || isnan(before));
}

/* Gaps, and what touches: what was closed, what the event has closed, and what is that near. */
static ZwStatus find_gaps(ZwSim* sim, const bool* closes) {
  ZwContacts* contacts = &sim->contacts;
  double *q = sim->y, *v = sim->y + sim->n;
  if (!zw_eval_position(sim, sim->t, q)) return zw_fault_domain(sim, ZW_ENTRY_POSITION, sim->t, q, v, false);
  for (int32_t i = 0; i < contacts->count; i++) {
    int32_t row = zw_contact_of(sim, i)->row;
    bool is_position = zw_contact_level(sim, i) == ZW_LEVEL_POSITION;
    double near = sim->tolerance * zw_still_size(sim, row, ZW_LEVEL_POSITION);
    contacts->gap[i] = sim->phi[row];
    contacts->touches[i] =
        zw_contacts_is_closed(sim, i) || (closes && closes[i]) || (is_position && fabs(sim->phi[row]) <= near);
    if (!zw_contact_is_there(sim, i)) contacts->touches[i] = false;
    if (closes && is_position && is_violated(sim, i, closes[i], near)) return refuse_violated(sim, i);
  }
  return ZW_OK;
}

/* Rates of gaps and slips; inequalities between velocities are gaps themselves. */
static ZwStatus find_rates(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  double *q = sim->y, *v = sim->y + sim->n;
  if (!zw_eval_velocity(sim, sim->t, q, v)) return zw_fault_domain(sim, ZW_ENTRY_VELOCITY, sim->t, q, v, false);
  for (int32_t i = 0; i < contacts->count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    zw_contact_read_rates(sim, i);
    if (zw_contact_level(sim, i) == ZW_LEVEL_POSITION) continue;
    contacts->gap[i] = sim->psi[contact->row];
    bool is_near = fabs(sim->psi[contact->row]) <= sim->tolerance * zw_still_size(sim, contact->row, ZW_LEVEL_VELOCITY);
    if (is_near && zw_contact_is_there(sim, i)) contacts->touches[i] = true;
  }
  return ZW_OK;
}

static ZwStatus find_touching(ZwSim* sim, const bool* closes) {
  ZW_TRY(find_gaps(sim, closes));
  return find_rates(sim);
}

/* What touches now, and did not before. */
static ZwStatus check_gradients(ZwSim* sim, bool is_start) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    bool is_new = is_start || sim->contacts.was[i] == ZW_CONTACT_OPEN;
    if (sim->contacts.touches[i] && is_new) ZW_TRY(zw_flat_check(sim, i));
  }
  return ZW_OK;
}

/* The equality rows alone: all contacts open. */
static ZwStatus open_all(ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) open_one(sim, i);
  return zw_start_freeze(sim, sim->t);
}

/* ---- the program ---- */

static bool rubs(const ZwSim* sim, int32_t i) {
  return zw_contact_of(sim, i)->slip_dim > 0 && sim->contacts.sliding.mu[i] > 0;
}

static void add_row(ZwSim* sim, int32_t contact, int32_t row, double right) {
  ZwContacts* contacts = &sim->contacts;
  contacts->index[contacts->gathered] = contact;
  sim->fresh_rows[contacts->gathered] = row;
  contacts->g[contacts->gathered++] = right;
}

/* The rows of the contacts in `which`; whether friction is among them. */
static bool gather(ZwSim* sim, const bool* which) {
  ZwContacts* contacts = &sim->contacts;
  bool has_friction = false;
  contacts->gathered = 0;
  for (int32_t i = 0; i < contacts->count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    if (!which[i]) continue;
    add_row(sim, i, contact->row, contacts->right[i]);
    for (int32_t k = 0; k < contact->slip_dim && rubs(sim, i); k++) {
      add_row(sim, i, contact->slip + k, contacts->right_slip[2 * i + k]);
      has_friction = true;
    }
  }
  zw_eval_dense_rows(sim, sim->fresh_rows, contacts->gathered, contacts->G);
  return has_friction;
}

/* The contacts of the rows gathered, with their friction. */
static void fill_rubs(ZwSim* sim, const bool* is_still) {
  ZwContacts* contacts = &sim->contacts;
  ZwFriction* friction = contacts->friction;
  friction->count = 0;
  for (int32_t r = 0; r < contacts->gathered; r++) {
    int32_t i = contacts->index[r];
    ZwRub* rub = &friction->rubs[friction->count++];
    *rub = (ZwRub){.gap = r, .slip = r + 1, .along = {contacts->slip[2 * i] > 0 ? 1 : -1, 0}};
    if (!rubs(sim, i)) continue;
    rub->mu = contacts->sliding.mu[i];
    rub->dim = zw_contact_of(sim, i)->slip_dim;
    bool is_regularised = is_still && rub->dim > 1;
    rub->is_slipping = is_regularised || (is_still && !is_still[i]);
    if (is_regularised) zw_friction_direction(sim, i, contacts->slip + 2 * i, rub->along);
    r += rub->dim;
  }
}

static void take_answer(ZwSim* sim, const double* p, const double* w, const double* a) {
  ZwContacts* contacts = &sim->contacts;
  memcpy(contacts->p, p, (size_t)contacts->gathered * sizeof(double));
  memcpy(contacts->w, w, (size_t)contacts->gathered * sizeof(double));
  memcpy(contacts->a, a, (size_t)sim->n * sizeof(double));
}

/* A contact that slips and pulls itself closed has no force, or two: whatever else the program says. */
static ZwStatus check_sound(ZwSim* sim) {
  ZwFriction* friction = sim->contacts.friction;
  if (zw_friction_is_sound(friction, sim->contacts.onesided)) return ZW_OK;
  for (int32_t k = 0; k < friction->set_count; k++) {
    friction->set[k] = sim->contacts.index[friction->rubs[friction->set[k]].gap];
  }
  return zw_friction_refuse(sim, friction->set, friction->set_count, sim->t);
}

static ZwStatus solve_frictionless(ZwSim* sim, ZwLevel level) {
  ZwContacts* contacts = &sim->contacts;
  ZwOneSided* onesided = contacts->onesided;
  for (int32_t k = 0; k < contacts->gathered; k++) {
    bool was_closed = contacts->was[contacts->index[k]] != ZW_CONTACT_OPEN;
    onesided->pushes[k] = level == ZW_LEVEL_VELOCITY ? contacts->g[k] > 0 : was_closed; /* a guess */
  }
  ZW_TRY(zw_onesided_solve(onesided));
  if (!(onesided->worst <= CONDITIONS)) return ZW_ERR_STEP;
  take_answer(sim, onesided->mu, onesided->w, onesided->a);
  return ZW_OK;
}

/* Gaps may be written in units that are far apart: a power of two that makes the row of the gap about as long as others, in the metric of
 * the masses. The slip has the same, so that its force stays a part of that across the gap. */
static void find_units(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  for (int32_t k = 0; k < contacts->gathered; k++) {
    const double* row = contacts->G + (ptrdiff_t)k * sim->n;
    double square = 0;
    for (int32_t j = 0; j < sim->n; j++) {
      double mass = row[j] != 0 ? zw_rows_mass(sim, j) : 0;
      if (mass > 0) square += row[j] * row[j] / mass;
    }
    bool is_gap = k == 0 || contacts->index[k] != contacts->index[k - 1];
    double size = square > 0 && square < INFINITY ? sqrt(square) : 1;
    contacts->unit[k] = is_gap ? ldexp(1, -ilogb(size)) : contacts->unit[k - 1];
  }
}

static void put_into_units(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  for (int32_t k = 0; k < contacts->gathered; k++) {
    double* row = contacts->G + (ptrdiff_t)k * sim->n;
    for (int32_t j = 0; j < sim->n; j++) row[j] *= contacts->unit[k];
    contacts->g[k] *= contacts->unit[k];
  }
}

/* Rows, and what was found for them, as they were written. */
static void take_out_of_units(ZwSim* sim, bool is_solved) {
  ZwContacts* contacts = &sim->contacts;
  for (int32_t k = 0; k < contacts->gathered; k++) {
    double *row = contacts->G + (ptrdiff_t)k * sim->n, unit = contacts->unit[k];
    double* response = contacts->onesided->response + (ptrdiff_t)k * sim->n;
    for (int32_t j = 0; j < sim->n; j++) {
      row[j] /= unit;
      response[j] /= unit;
    }
    contacts->g[k] /= unit;
    if (!is_solved) continue;
    contacts->p[k] *= unit;
    contacts->w[k] /= unit;
  }
}

static ZwStatus solve_gathered(ZwSim* sim, ZwLevel level, const double* h, const double* b, const bool* is_still,
                               bool has_friction) {
  ZwContacts* contacts = &sim->contacts;
  const ZwRowSet* set = &sim->sets[level];
  zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
  for (int32_t r = 0; r < set->count; r++) sim->bI[r] = b ? b[set->rows[r]] : 0;
  ZW_TRY(zw_least_factor(sim->least, set->count, sim->M, sim->A));
  ZW_TRY(zw_onesided_prepare(contacts->onesided, sim->least, sim->M, h, sim->bI, contacts->gathered, contacts->G,
                             contacts->g));
  if (!has_friction) return solve_frictionless(sim, level);
  fill_rubs(sim, is_still);
  if (is_still) ZW_TRY(check_sound(sim));
  ZwFriction* friction = contacts->friction;
  ZW_TRY(zw_friction_solve(friction, contacts->onesided));
  take_answer(sim, friction->p, friction->w, friction->a);
  return ZW_OK;
}

ZwStatus zw_contacts_solve(ZwSim* sim, const bool* which, ZwLevel level, const double* h, const double* b,
                           const bool* is_still) {
  bool has_friction = gather(sim, which);
  find_units(sim);
  put_into_units(sim);
  ZwStatus status = solve_gathered(sim, level, h, b, is_still, has_friction);
  take_out_of_units(sim, status == ZW_OK);
  return status;
}

/* Does contact number i take part in what has no answer? A proof tells, if there is one. */
static bool takes_part(const ZwSim* sim, int32_t i, bool has_proof) {
  const ZwContacts* contacts = &sim->contacts;
  for (int32_t k = 0; k < contacts->gathered; k++) {
    if (contacts->index[k] == i && (!has_proof || contacts->onesided->proof[k] != 0)) return true;
  }
  return false;
}

ZwStatus zw_contacts_refuse(ZwSim* sim, ZwStatus why, const char* what) {
  ZwContacts* contacts = &sim->contacts;
  bool has_friction = false;
  for (int32_t k = 0; k < contacts->gathered; k++) has_friction = has_friction || rubs(sim, contacts->index[k]);
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText names;
  zw_text_init(&names, &scratch);
  ZwSpan span = {0};
  for (int32_t i = 0; i < contacts->count; i++) {
    if (!takes_part(sim, i, !has_friction && why == ZW_ERR_INCONSISTENT)) continue;
    const ZwContact* contact = zw_contact_of(sim, i);
    if (!names.size) span = contact->span;
    zw_text_addf(&names, "%s'%.*s'", names.size ? ", " : "", ZW_STR_ARGS(contact->name));
  }
  ZwStatus status = has_friction ? ZW_ERR_CONTACT : ZW_ERR_INCONSISTENT;
  zw_diag_error(sim->diags, status, span,
                why == ZW_ERR_STEP ? "at t = %s %s was found that satisfies the contacts %s and the constraints"
                                   : "at t = %s %s satisfies the contacts %s and the constraints",
                zw_when(sim, sim->t, 9).text, what, zw_text_get(&names));
  zw_diag_remedy(sim->diags, has_friction ? "is something squeezed between them, or is there too much friction?"
                                          : "they squeeze what is between them; is one of them driven into another?");
  zw_arena_destroy(&scratch);
  return status;
}

/* ---- what is told ---- */

static void tell(const ZwSim* sim, ZwContactEvent event) {
  event.t = sim->t;
  if (sim->plan && sim->plan->contact) sim->plan->contact(sim->plan->context, &event);
}

void zw_contacts_tell_hits(ZwSim* sim) {
  const ZwContacts* contacts = &sim->contacts;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (!(contacts->impulse[i] > 0)) continue;
    zw_energy_impact(sim, i, contacts->lost[i] - contacts->wall_work[i]);
    tell(sim, (ZwContactEvent){.contact = i,
                               .what = ZW_CONTACT_HIT,
                               .impulse = contacts->impulse[i],
                               .friction = {contacts->rubbed[2 * i], contacts->rubbed[2 * i + 1]},
                               .lost = contacts->lost[i],
                               .theta = contacts->theta[i],
                               .wall_work = contacts->wall_work[i]});
  }
}

void zw_contacts_tell(ZwSim* sim) {
  zw_contacts_tell_hits(sim);
  for (int32_t i = 0; i < sim->contacts.count; i++) tell(sim, (ZwContactEvent){.contact = i, .what = what_is(sim, i)});
}

static void tell_changes(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    ZwContactWhat what = what_is(sim, i);
    if (what != sim->contacts.was[i]) tell(sim, (ZwContactEvent){.contact = i, .what = what});
  }
}

/* ---- contact ---- */

/* What row k of the program is made of: the free accelerations, and what every force adds to them. Where they are all but the same
 * their sum is nothing but rounding, and says nothing of its size. */
static double parts_of(const ZwSim* sim, int32_t k) {
  const ZwContacts* contacts = &sim->contacts;
  const ZwOneSided* program = contacts->onesided;
  const double* row = contacts->G + (ptrdiff_t)k * sim->n;
  double sum = fabs(contacts->g[k]);
  for (int32_t j = 0; j < sim->n; j++) {
    if (row[j] == 0) continue;
    double all = fabs(program->a_free[j]);
    for (int32_t r = 0; r < contacts->gathered; r++) {
      all += fabs(contacts->p[r] * program->response[(ptrdiff_t)r * sim->n + j]);
    }
    sum += fabs(row[j]) * all;
  }
  return sum;
}

/* To what the forces are known. Where feet repeat each other some of them are zero, but for the rounding of the largest one; they are
 * compared by the accelerations that they make of their own rows. */
static void find_known(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  double *known = contacts->known, largest = 0;
  for (int32_t k = 0; k < contacts->gathered; k++) {
    const double* response = contacts->onesided->response + (ptrdiff_t)k * sim->n;
    double square = zw_dot(sim->n, contacts->G + (ptrdiff_t)k * sim->n, response), size = sqrt(fmax(square, 0));
    largest = fmax(largest, fabs(contacts->p[k]) * size);
    known[k] = size > 0 && contacts->rubbing > 0 ? UNKNOWN / size : 0;
  }
  for (int32_t k = 0; k < contacts->gathered; k++) known[k] *= largest;
}

/* And to what the acceleration of row k is, with all of them. */
static double known_to(const ZwSim* sim, int32_t k) {
  const ZwContacts* contacts = &sim->contacts;
  const double* row = contacts->G + (ptrdiff_t)k * sim->n;
  double sum = 0;
  for (int32_t r = 0; r < contacts->gathered; r++) {
    const double* response = contacts->onesided->response + (ptrdiff_t)r * sim->n;
    for (int32_t j = 0; j < sim->n; j++) sum += fabs(row[j] * response[j]) * contacts->known[r];
  }
  return sum;
}

/* Is row k at rest, by its acceleration? */
static bool stays_at_rest(const ZwSim* sim, int32_t k, double stays) {
  double w = fabs(sim->contacts.w[k]);
  return w <= stays * parts_of(sim, k) || w <= known_to(sim, k);
}

/* Where the slip of contact i goes, whose coefficient is zero just now: nothing holds it. */
static double is_drawn(const ZwSim* sim, int32_t i) {
  const ZwPattern* pattern = &sim->equations->A;
  const double* a = sim->contacts.a;
  int32_t row = zw_contact_of(sim, i)->slip;
  double acceleration = -sim->contacts.right_slip[2 * i];
  for (int32_t k = pattern->begin[row]; k < pattern->begin[row + 1]; k++)
    acceleration += sim->Ax[k] * a[pattern->column[k]];
  return acceleration < 0 ? -1 : 1;
}

/* The sign of the slip of contact i, whose rows begin at k, from here on; 0: none. */
static double slides(const ZwSim* sim, int32_t i, int32_t k, double stays) {
  const ZwContacts* contacts = &sim->contacts;
  double u = contacts->slip[2 * i];
  if (!contacts->is_still[i]) return u > 0 ? 1 : -1;
  if (!rubs(sim, i)) return is_drawn(sim, i);
  double w = contacts->w[k + 1], limit = contacts->sliding.mu[i] * contacts->p[k];
  double known = contacts->known[k + 1] + contacts->sliding.mu[i] * contacts->known[k];
  double left = limit - fabs(contacts->p[k + 1]);
  if (left > STAYS * limit && left > known) return 0; /* the force is within its cone: it holds */
  return stays_at_rest(sim, k + 1, stays) ? 0 : w > 0 ? 1 : -1;
}

static void take_state(ZwSim* sim, double stays) {
  ZwContacts* contacts = &sim->contacts;
  find_known(sim);
  for (int32_t k = 0; k < contacts->gathered; k++) {
    int32_t i = contacts->index[k];
    bool is_first = k == 0 || contacts->index[k - 1] != i;
    if (!is_first) continue;
    bool is_closed = contacts->p[k] > 0 || contacts->w[k] <= 0 || stays_at_rest(sim, k, stays);
    if (is_closed)
      close_one(sim, i, zw_contact_of(sim, i)->slip_dim > 0 ? slides(sim, i, k, stays) : 0);
    else
      open_one(sim, i);
  }
}

/* What began to slip just now must be as sound as what did before. */
static ZwStatus check_slipping(ZwSim* sim) {
  ZwFriction* friction = sim->contacts.friction;
  bool has_friction = false;
  for (int32_t k = 0; k < sim->contacts.gathered; k++) has_friction = has_friction || rubs(sim, sim->contacts.index[k]);
  for (int32_t r = 0; has_friction && r < friction->count; r++) {
    ZwRub* rub = &friction->rubs[r];
    int32_t i = sim->contacts.index[rub->gap];
    if (rub->dim != 1) continue;
    rub->along[0] = sim->values[zw_contact_of(sim, i)->slides];
    rub->is_slipping = rub->along[0] != 0;
  }
  return has_friction ? check_sound(sim) : ZW_OK;
}

/* Which of the gaps in `which`, closed and at rest, stay so, and which stick, by the accelerations. */
static ZwStatus decide_for(ZwSim* sim, const bool* which, double stays) {
  ZwStatus status = zw_contacts_solve(sim, which, ZW_LEVEL_ACCELERATION, sim->h, sim->b, sim->contacts.is_still);
  if (status == ZW_ERR_INCONSISTENT || status == ZW_ERR_STEP) return zw_contacts_refuse(sim, status, "no acceleration");
  ZW_TRY(status);
  take_state(sim, stays);
  return check_slipping(sim);
}

/* With friction the forces need not be unique: what nothing joins is decided by itself, the same way in any company. */
static ZwStatus decide_islands(ZwSim* sim, double stays) {
  ZwContacts* contacts = &sim->contacts;
  ZwIslands islands = {.of = contacts->island};
  zw_islands_now(sim, ZW_JOIN_INERTIA, contacts->may_rest, &islands);
  for (int32_t island = -1; island < islands.count; island++) {
    bool* which = contacts->hit_together;
    if (zw_islands_gather(sim, &islands, island, contacts->may_rest, which)) ZW_TRY(decide_for(sim, which, stays));
  }
  return ZW_OK;
}

/* Which of the gaps that are closed at rest stay so, and which stick, by the accelerations. */
static ZwStatus decide(ZwSim* sim, double stays) {
  ZwContacts* contacts = &sim->contacts;
  int32_t count = 0;
  for (int32_t i = 0; i < contacts->count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    contacts->may_rest[i] = contacts->touches[i] && zw_contact_is_slow(sim, i, contacts->rate[i]);
    count += contacts->may_rest[i];
    contacts->is_still[i] = contacts->slip[2 * i] == 0 || contacts->stops[i];
    contacts->right[i] = sim->b[contact->row];
    for (int32_t k = 0; k < contact->slip_dim; k++) contacts->right_slip[2 * i + k] = sim->b[contact->slip + k];
  }
  return count == 0              ? ZW_OK
         : contacts->rubbing > 0 ? decide_islands(sim, stays)
                                 : decide_for(sim, contacts->may_rest, stays);
}

/* Where the force of a contact has just come to its end, it and the acceleration of the gap are both nothing: which of them
 * will be something shows a moment later, on the way that the motion had. The same for friction and the slip. */
static ZwStatus decide_ahead(ZwSim* sim) {
  double ahead = AHEAD * sim->h_dense, *y = sim->y_out;
  for (int32_t i = 0; i < sim->dim; i++) y[i] = sim->y[i] + ahead * sim->k[0][i];
  if (!(ahead > 0) || !zw_eval_acceleration(sim, sim->t + ahead, y, y + sim->n)) return ZW_OK;
  zw_eval_dense_M(sim);
  return decide(sim, STAYS_AHEAD);
}

void zw_contacts_remember(ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) sim->contacts.was[i] = what_is(sim, i);
}

void zw_contacts_release(ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) open_one(sim, i);
  zw_sim_set_constants(sim);
}

uint64_t zw_contacts_signature(const ZwSim* sim) {
  uint64_t hash = 0xcbf29ce484222325U; /* Fowler, Noll and Vo */
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    uint64_t along = contact->slip_dim > 0 && sim->values[contact->slides] < 0 ? 1 : 0;
    hash = (hash ^ (2 * (uint64_t)what_is(sim, i) + along)) * 0x100000001b3U;
  }
  return hash;
}

/* Has nothing changed where something has to? */
static bool is_undecided(const ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    bool is_over = (sim->contacts.opens[i] || sim->contacts.slips[i]) && what_is(sim, i) == sim->contacts.was[i];
    if (is_over) return true;
  }
  return false;
}

void zw_contacts_forget_events(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  bool* const flags[] = {contacts->closes, contacts->opens, contacts->stops, contacts->slips};
  for (int k = 0; k < 4; k++) memset(flags[k], 0, (size_t)contacts->count * sizeof(bool));
}

/* Rates that were decided to be zero are held like constraints for once. False: none are left to hold. */
static bool hold_still(ZwSim* sim) {
  const ZwContacts* contacts = &sim->contacts;
  bool is_any = false;
  for (int32_t i = 0; i < contacts->count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    if (!contacts->may_rest[i] || contacts->rate[i] != 0) continue;
    bool is_open = !zw_contacts_is_closed(sim, i), turns = contact->slip_dim == 1 && contacts->is_still[i];
    if (is_open) sim->values[contact->closed] = 1;
    if (turns) turns = sim->values[contact->sticks] == 0;
    if (turns) sim->values[contact->sticks] = 1;
    is_any = is_any || is_open || turns;
  }
  return is_any;
}

/* Puts the state onto the rows that are on from here on, and sets to zero what was decided to be zero: what begins to slip or to open
 * here must not seem to come from the other side. */
static bool settle_still(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  double *kept = contacts->kept, *before = sim->y_out;
  memcpy(before, sim->y, (size_t)sim->dim * sizeof(double));
  for (int32_t i = 0; i < contacts->count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    kept[2 * i] = sim->values[contact->closed];
    kept[2 * i + 1] = contact->slip_dim > 0 ? sim->values[contact->sticks] : 0;
  }
  bool is_settled = hold_still(sim) && zw_start_settle(sim, sim->t, true);
  for (int32_t i = 0; i < contacts->count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    sim->values[contact->closed] = kept[2 * i];
    if (contact->slip_dim > 0) sim->values[contact->sticks] = kept[2 * i + 1];
  }
  if (is_settled) return true;
  memcpy(sim->y, before, (size_t)sim->dim * sizeof(double));
  return zw_start_settle(sim, sim->t, true);
}

ZwStatus zw_contacts_settle(ZwSim* sim, const bool* closes) {
  ZwContacts* contacts = &sim->contacts;
  int64_t impacts = contacts->impacts;
  if (!zw_eval_events(sim, sim->t, sim->y, sim->y + sim->n)) { /* coefficients may read what was just assigned */
    return zw_fault_domain(sim, ZW_ENTRY_EVENT, sim->t, sim->y, sim->y + sim->n, false);
  }
  if (contacts->rubbing > 0) ZW_TRY(zw_friction_read(sim));
  ZW_TRY(find_touching(sim, closes));
  ZW_TRY(check_gradients(sim, closes == NULL));
  ZW_TRY(open_all(sim));
  if (zw_start_any_comes(sim)) ZW_TRY(zw_start_check_apart(sim));
  ZwStatus status = zw_impact(sim);
  if (status == ZW_OK && contacts->impacts > impacts) zw_friction_judge_impact(sim);
  if (status == ZW_OK) status = zw_start_freeze(sim, sim->t);
  if (status == ZW_OK && contacts->impacts > impacts) zw_contacts_forget_events(sim); /* everything is new */
  if (status == ZW_OK) status = decide(sim, STAYS);
  if (status == ZW_OK && is_undecided(sim)) status = decide_ahead(sim);
  zw_sim_set_constants(sim); /* conditions read which are closed */
  if (status) return status == ZW_ERR_DOMAIN ? zw_fault_evaluation(sim, status, sim->y) : status;
  if (!settle_still(sim)) {
    zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0}, "at t = %s the contacts cannot be closed together",
                  zw_when(sim, sim->t, 9).text);
    return ZW_ERR_STEP;
  }
  tell_changes(sim);
  return zw_start_freeze(sim, sim->t);
}

/* ---- the start ---- */

ZwStatus zw_contacts_close_negative(ZwSim* sim, bool* has_closed) {
  ZwContacts* contacts = &sim->contacts;
  ZW_TRY(find_touching(sim, NULL));
  *has_closed = false;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (contacts->touches[i] || contacts->gap[i] >= 0 || !zw_contact_is_there(sim, i)) continue;
    sim->values[zw_contact_of(sim, i)->closed] = 1;
    *has_closed = true;
  }
  if (*has_closed) zw_sim_set_constants(sim);
  return ZW_OK;
}

/* Velocities do not know of gaps that were closed to find positions: a gap may open from there, and one that closes is hit. */
static ZwStatus find_velocities(ZwSim* sim) {
  double* closed = sim->contacts.kept;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    closed[i] = zw_contacts_is_closed(sim, i);
    if (zw_contact_level(sim, i) == ZW_LEVEL_POSITION) open_one(sim, i);
  }
  zw_sim_set_constants(sim);
  ZwStatus status = zw_start_assemble(sim, sim->t, ZW_LEVEL_VELOCITY);
  for (int32_t i = 0; i < sim->contacts.count; i++) sim->values[zw_contact_of(sim, i)->closed] = closed[i];
  zw_sim_set_constants(sim);
  return status;
}

/* Gaps that the start violates are closed: typed values move for them by the least amount, as they do for constraints. */
static ZwStatus close_violated(ZwSim* sim, bool* has_closed) {
  ZW_TRY(zw_contacts_close_negative(sim, has_closed));
  if (!*has_closed) return ZW_OK;
  memcpy(sim->y, sim->typed, (size_t)(2 * sim->n) * sizeof(double));
  zw_sensitivity_typed(sim);
  ZW_TRY(zw_start_assemble(sim, sim->t, ZW_LEVEL_POSITION));
  return find_velocities(sim);
}

static void note_discs(ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    if (contact->slip_dim < 2) continue;
    zw_diag_note(sim->diags, contact->span,
                 "friction in two directions is regularised: instead of sticking, '%.*s' creeps at up to about %g",
                 ZW_STR_ARGS(contact->name), sim->contacts.sliding.creep[i]);
    return;
  }
}

ZwStatus zw_contacts_begin(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  if (contacts->count == 0) return ZW_OK;
  for (int32_t i = 0; i < contacts->count; i++) {
    contacts->bounces[i] = (ZwBounce){.t = -INFINITY, .interval = INFINITY, .ratio = INFINITY};
  }
  zw_contacts_forget_events(sim);
  bool has_closed = true;
  while (has_closed) ZW_TRY(close_violated(sim, &has_closed)); /* each time one more at least */
  if (!zw_eval_events(sim, sim->t, sim->y, sim->y + sim->n)) {
    return zw_fault_domain(sim, ZW_ENTRY_EVENT, sim->t, sim->y, sim->y + sim->n, true);
  }
  for (int32_t i = 0; i < contacts->count; i++) {
    if (zw_contact_of(sim, i)->is_steady) ZW_TRY(zw_impact_read(sim, i));
  }
  if (contacts->has_discs) zw_friction_find_creep(sim);
  note_discs(sim);
  zw_contacts_remember(sim);
  zw_start_note_rows(sim); /* they have been looked at */
  ZW_TRY(zw_contacts_settle(sim, NULL));
  return zw_start_tie(sim, sim->t);
}
