/* Friction of contacts that slip: against the slip, and mu times the force N across the gap. N is a multiplier of the same
 * equations, so both are found together:
 *
 *   N_j = N0_j - sum over i of mu_i N_i lambda_j(i),
 *
 * where lambda(i) are the multipliers that a unit force along the slip of contact i calls forth. Once it is known it is a force
 * like others. Contacts that stick are constraints and have no place here.
 *
 * In one direction the slip has a sign, which events keep (Coulomb's law, exactly). In two directions the law is regularised: the
 * force is mu N u/sqrt(u^2 + creep^2), which is Coulomb's while it slips, and lets it creep instead of sticking. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "least/lu.h"
#include "motion/sim.h"

#define CREEP 3e-5    /* of the velocity that a body gets when it falls by its own size, or of that it starts with */
#define NO_LENGTH 0.1 /* of the duration of the run: falls so long where there is no size */
#define SOUND 1e-9    /* the determinant of the equations above; 1 without friction, 0 where they have no answer */

static bool is_disc(const ZwSim* sim, int32_t i) {
  return zw_contact_of(sim, i)->slip_dim > 1;
}

bool zw_friction_is_sliding(const ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  if (contact->slip_dim == 0 || !zw_contacts_is_closed(sim, i) || !(sim->contacts.sliding.mu[i] > 0)) return false;
  return contact->slip_dim > 1 || sim->values[contact->slides] != 0;
}

/* ---- coefficients and directions ---- */

static ZwStatus refuse_coefficient(ZwSim* sim, int32_t i, double t) {
  const ZwContact* contact = zw_contact_of(sim, i);
  zw_diag_error(sim->diags, ZW_ERR_VALUE, contact->span, "at t = %s the friction of '%.*s' is %.6g",
                zw_when(sim, t, 9).text, ZW_STR_ARGS(contact->name), sim->contacts.sliding.mu[i]);
  zw_diag_remedy(sim->diags, "a coefficient of friction is 0 or a positive number");
  return ZW_ERR_VALUE;
}

static bool is_coefficient(double mu) {
  return mu >= 0 && isfinite(mu);
}

/* Where a state is looked for that friction holds, what would begin to slip there has a little less of it. */
static double part_of(const ZwSim* sim, int32_t i) {
  return sim->contacts.is_still[i] ? 1 - sim->contacts.sliding.less : 1;
}

ZwStatus zw_friction_read(ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    if (contact->slip_dim == 0) continue;
    sim->contacts.sliding.mu[i] = part_of(sim, i) * sim->watch.values[contact->friction];
    if (!is_coefficient(sim->contacts.sliding.mu[i])) return refuse_coefficient(sim, i, sim->t);
  }
  return ZW_OK;
}

/* Coefficients that move, into a place where they disturb no condition. */
static bool read_unsteady(ZwSim* sim, double t, const double* q, const double* v) {
  ZwSliding* sliding = &sim->contacts.sliding;
  double* kept = sim->watch.values;
  sim->watch.values = sim->state.targets[ZW_TARGET_EVENT] = sliding->values;
  (void)zw_eval_events(sim, t, q, v);
  sim->watch.values = sim->state.targets[ZW_TARGET_EVENT] = kept;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    if (contact->slip_dim == 0 || contact->is_friction_steady) continue;
    sliding->mu[i] = part_of(sim, i) * sliding->values[contact->friction];
    sliding->culprit = i;
    if (!is_coefficient(sliding->mu[i])) return false;
  }
  return true;
}

ZwStatus zw_friction_look(ZwSim* sim, double t, const double* q, const double* v) {
  ZwContacts* contacts = &sim->contacts;
  if (contacts->has_unsteady && !read_unsteady(sim, t, q, v)) return ZW_ERR_VALUE;
  if (!contacts->has_discs) return ZW_OK;
  if (!zw_eval_velocity(sim, t, q, v)) return ZW_ERR_DOMAIN;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (is_disc(sim, i))
      memcpy(contacts->sliding.slip + 2 * i, sim->psi + zw_contact_of(sim, i)->slip, 2 * sizeof(double));
  }
  return ZW_OK;
}

void zw_friction_direction(const ZwSim* sim, int32_t i, const double* u, double* along) {
  double size = hypot(hypot(u[0], u[1]), sim->contacts.sliding.creep[i]);
  along[0] = u[0] / size;
  along[1] = u[1] / size;
}

/* sum_j |A_j| x_j of a row */
static double along_row(const ZwSim* sim, int32_t row, const double* x) {
  const ZwPattern* A = &sim->equations->A;
  double sum = 0;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) sum += fabs(sim->Ax[k] * x[A->column[k]]);
  return sum;
}

/* By lengths, start velocities and the accelerations of what is free, all seen along gap and slip. */
static double velocity_of(const ZwSim* sim, int32_t i, const double* free) {
  const ZwContact* contact = zw_contact_of(sim, i);
  double length = along_row(sim, contact->row, sim->sizes.largest), velocity = 0;
  double acceleration = along_row(sim, contact->row, free);
  for (int32_t k = 0; k < contact->slip_dim; k++) {
    length = fmax(length, along_row(sim, contact->slip + k, sim->sizes.largest));
    velocity = fmax(velocity, along_row(sim, contact->slip + k, sim->sizes.largest + sim->n));
    acceleration = fmax(acceleration, along_row(sim, contact->slip + k, free));
  }
  velocity = fmax(velocity, sqrt(length * acceleration));
  /* what starts at rest in the origin tells nothing but how long it is watched */
  bool is_told = velocity > 0 || !isfinite(sim->sizes.span);
  return is_told ? velocity : NO_LENGTH * acceleration * sim->sizes.span;
}

void zw_friction_find_creep(ZwSim* sim) {
  double *q = sim->y, *v = sim->y + sim->n, *free = sim->dx;
  zw_sizes_note_state(sim, sim->y);
  if (!zw_eval_acceleration(sim, sim->t, q, v)) return; /* what comes next says so */
  for (int32_t j = 0; j < sim->n; j++) {
    double mass = zw_rows_mass(sim, j);
    free[j] = mass > 0 ? sim->h[j] / mass : 0;
  }
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    sim->contacts.sliding.creep[i] = fmax(CREEP * velocity_of(sim, i, free), DBL_MIN);
  }
}

/* ---- forces ---- */

void zw_friction_along(const ZwSim* sim, int32_t i, double* along) {
  along[0] = sim->values[zw_contact_of(sim, i)->slides];
  along[1] = 0;
  if (is_disc(sim, i)) zw_friction_direction(sim, i, sim->contacts.sliding.slip + 2 * i, along);
}

static int32_t place_of(const ZwRowSet* set, int32_t row) {
  for (int32_t r = 0; r < set->count; r++) {
    if (set->rows[r] == row) return r;
  }
  return -1;
}

static void add_row(const ZwSim* sim, int32_t row, double factor, double* to) {
  const ZwPattern* pattern = &sim->equations->A;
  for (int32_t k = pattern->begin[row]; k < pattern->begin[row + 1]; k++) to[pattern->column[k]] += factor * sim->Ax[k];
}

/* Which contacts slip now, and along what. One whose gap repeats others is carried by them, unless forces are shared. */
static void collect(ZwSim* sim) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  ZwSliding* sliding = &sim->contacts.sliding;
  sliding->count = 0;
  memset(sliding->force, 0, (size_t)(2 * sim->contacts.count) * sizeof(double));
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    if (!zw_friction_is_sliding(sim, i)) continue;
    int32_t place = place_of(set, contact->row);
    if (place < 0 && !sliding->is_shared) continue;
    double direction[2], *along = sliding->along + (ptrdiff_t)sliding->count * sim->n;
    zw_friction_along(sim, i, direction);
    memset(along, 0, (size_t)sim->n * sizeof(double));
    for (int32_t k = 0; k < contact->slip_dim; k++) add_row(sim, contact->slip + k, direction[k], along);
    sliding->contacts[sliding->count] = i;
    sliding->places[sliding->count++] = place;
  }
}

/* The matrix of N, factored; false where its determinant is not above zero. */
static bool factor_forces(ZwSim* sim) {
  ZwSliding* sliding = &sim->contacts.sliding;
  int32_t count = sliding->count, rows = sim->sets[ZW_LEVEL_ACCELERATION].count;
  double* E = sliding->E;
  sliding->culprit = sliding->contacts[0];
  double least = INFINITY;
  for (int32_t j = 0; j < count; j++) {
    for (int32_t i = 0; i < count; i++) {
      double lambda = sliding->lambda[(ptrdiff_t)i * rows + sliding->places[j]];
      E[(ptrdiff_t)j * count + i] = (i == j) + sliding->mu[sliding->contacts[i]] * lambda;
    }
    double own = E[(ptrdiff_t)j * count + j];
    if (own < least) sliding->culprit = sliding->contacts[j];
    least = fmin(least, own);
  }
  sliding->sound = zw_lu_factor(count, E, sliding->swap) > 0 ? 1 : 0;
  for (int32_t j = 0; j < count; j++) sliding->sound *= (sliding->swap[j] == j ? 1 : -1) * E[(ptrdiff_t)j * count + j];
  return sliding->sound > SOUND;
}

/* What a unit force against each slip does. */
static ZwStatus push_each(ZwSim* sim) {
  ZwSliding* sliding = &sim->contacts.sliding;
  int32_t rows = sim->sets[ZW_LEVEL_ACCELERATION].count;
  for (int32_t s = 0; s < sliding->count; s++) {
    ZwLeastResult result = {.a = sliding->push + (ptrdiff_t)s * sim->n,
                            .lambda = sliding->lambda + (ptrdiff_t)s * rows};
    ZW_TRY(zw_least_answer(sim->least, sliding->along + (ptrdiff_t)s * sim->n, sim->zero, &result));
  }
  return ZW_OK;
}

static void add_force(ZwSim* sim, int32_t s, double N) {
  ZwSliding* sliding = &sim->contacts.sliding;
  int32_t i = sliding->contacts[s];
  double direction[2], force = -sliding->mu[i] * N;
  const double* along = sliding->along + (ptrdiff_t)s * sim->n;
  zw_friction_along(sim, i, direction);
  sliding->N[i] = N;
  for (int k = 0; k < 2; k++) sliding->force[2 * i + k] = force * direction[k];
  for (int32_t j = 0; j < sim->n; j++) {
    sim->h[j] += force * along[j];
    sim->Q[j] += force * along[j];
  }
}

ZwStatus zw_friction_add(ZwSim* sim) {
  ZwSliding* sliding = &sim->contacts.sliding;
  collect(sim);
  sliding->sound = 1;
  if (sliding->count == 0) return ZW_OK;
  ZwLeastResult result = {.a = sliding->h, .lambda = sliding->work};
  ZW_TRY(zw_least_answer(sim->least, sim->h, sim->bI, &result));
  ZW_TRY(push_each(sim));
  double* N = sliding->h;
  if (sliding->is_shared) {
    ZW_TRY(zw_friction_share(sim, sliding->work, N));
    ZW_TRY(zw_eval_refactor(sim));
  } else {
    if (!factor_forces(sim)) return ZW_ERR_CONTACT;
    for (int32_t s = 0; s < sliding->count; s++) N[s] = sliding->work[sliding->places[s]];
    zw_friction_forces(sim, N);
  }
  for (int32_t s = 0; s < sliding->count; s++) add_force(sim, s, N[s]);
  return ZW_OK;
}

void zw_friction_react(ZwSim* sim) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    if (contact->slip_dim == 0 || sim->values[contact->sticks] != 0) continue;
    memcpy(sim->reactions + contact->slip, sim->contacts.sliding.force + 2 * i,
           (size_t)contact->slip_dim * sizeof(double));
  }
}

/* ---- derivatives ---- */

static double entry(const ZwSim* sim, int32_t row, int32_t column) {
  const ZwPattern* pattern = &sim->equations->A;
  for (int32_t k = pattern->begin[row]; k < pattern->begin[row + 1]; k++) {
    if (pattern->column[k] == column) return sim->Ax[k];
  }
  return 0;
}

void zw_friction_add_slope(ZwSim* sim, int32_t j) {
  const ZwSliding* sliding = &sim->contacts.sliding;
  for (int32_t s = 0; s < sliding->count; s++) {
    int32_t i = sliding->contacts[s], row = zw_contact_of(sim, i)->slip;
    if (!is_disc(sim, i)) continue;
    double d[2], du[2] = {entry(sim, row, j), entry(sim, row + 1, j)};
    const double* u = sliding->slip + 2 * i;
    zw_friction_direction(sim, i, u, d);
    double force = -sliding->mu[i] * sliding->N[i] / hypot(hypot(u[0], u[1]), sliding->creep[i]),
           along = d[0] * du[0] + d[1] * du[1];
    for (int k = 0; k < 2; k++) add_row(sim, row + k, force * (du[k] - d[k] * along), sim->h);
  }
}

void zw_friction_forces(const ZwSim* sim, double* N) {
  const ZwSliding* sliding = &sim->contacts.sliding;
  zw_lu_solve(sliding->count, sliding->E, sliding->swap, N);
}

void zw_friction_follow(ZwSim* sim, const double* lambda, double* da) {
  ZwSliding* sliding = &sim->contacts.sliding;
  if (sliding->is_shared) return; /* Newton's iterations do without */
  double* dN = sliding->h;
  for (int32_t s = 0; s < sliding->count; s++) dN[s] = lambda[sliding->places[s]];
  zw_friction_forces(sim, dN);
  for (int32_t s = 0; s < sliding->count; s++) {
    double force = -sliding->mu[sliding->contacts[s]] * dN[s];
    for (int32_t j = 0; j < sim->n; j++) da[j] += force * sliding->push[(ptrdiff_t)s * sim->n + j];
  }
}

/* ---- where it ends ---- */

ZwStatus zw_friction_fault(ZwSim* sim, ZwStatus status, double t) {
  const ZwSliding* sliding = &sim->contacts.sliding;
  if (status == ZW_ERR_VALUE) return refuse_coefficient(sim, sliding->culprit, t);
  return zw_friction_refuse(sim, &sliding->culprit, 1, t);
}

ZwStatus zw_friction_refuse(ZwSim* sim, const int32_t* set, int32_t count, double t) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText names;
  zw_text_init(&names, &scratch);
  for (int32_t k = 0; k < count; k++) {
    zw_text_addf(&names, "%s'%.*s'", k ? ", " : "", ZW_STR_ARGS(zw_contact_of(sim, set[k])->name));
  }
  zw_diag_error(sim->diags, ZW_ERR_CONTACT, zw_contact_of(sim, set[0])->span,
                "at t = %s the friction of %s leaves no force, or more than one, that satisfies Coulomb's law "
                "(Painlevé's paradox)",
                zw_when(sim, t, 9).text, zw_text_get(&names));
  zw_diag_remedy(sim->diags,
                 "rigid bodies have no motion from there on: less friction, or a spring in place of the contact");
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : ZW_ERR_CONTACT;
  zw_arena_destroy(&scratch);
  return status;
}
