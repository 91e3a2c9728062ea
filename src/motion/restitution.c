#include "motion/restitution.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "motion/jump.h"
#include "motion/sensitivity.h"

#define GAINS 1e-10             /* part of the plastic loss that rounding may give back */
#define EXACT (4 * DBL_EPSILON) /* of theta */

enum { THETAS_MAX = 100, LOWERINGS = 30 };

/* ---- one answer ---- */

static bool is_hit(const ZwSim* sim, int32_t i) {
  return sim->contacts.rate[i] < 0 && zw_contact_level(sim, i) == ZW_LEVEL_POSITION;
}

/* The velocities after which gaps that were hit open at -theta e u at least, and no other that touches closes. */
static ZwStatus solve(ZwSim* sim, const bool* which, double theta) {
  const ZwContacts* contacts = &sim->contacts;
  for (int32_t i = 0; i < contacts->count; i++) {
    sim->jump.target[i] = is_hit(sim, i) ? -theta * contacts->restitution[i] * contacts->rate[i] : 0;
  }
  return zw_jump_solve(sim, which);
}

/* Friction is left out while theta is looked for, and back afterwards. */
static void leave_friction_out(ZwSim* sim, bool is_out) {
  double *mu = sim->contacts.sliding.mu, *kept = sim->jump.mu;
  for (int32_t i = 0; sim->contacts.rubbing > 0 && i < sim->contacts.count; i++) {
    if (is_out) kept[i] = mu[i];
    mu[i] = is_out ? 0 : kept[i];
  }
}

static bool rubs(const ZwSim* sim, const bool* which) {
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    if (which[i] && zw_contact_of(sim, i)->slip_dim > 0 && sim->contacts.sliding.mu[i] > 0) return true;
  }
  return false;
}

/* ---- energy ---- */

/* The rate of row k of the program at the velocities that were found; of limits of velocities without what they ask for. */
static double rate_after(const ZwSim* sim, int32_t k) {
  const ZwContacts* contacts = &sim->contacts;
  int32_t i = contacts->index[k], gap = k;
  while (gap > 0 && contacts->index[gap - 1] == i) gap--;
  const ZwContact* contact = zw_contact_of(sim, i);
  if (zw_contact_level(sim, i) != ZW_LEVEL_POSITION) {
    return zw_dot(sim->n, contacts->G + (ptrdiff_t)k * sim->n, sim->jump.v);
  }
  return sim->psi[gap == k ? contact->row : contact->slip + (k - gap - 1)];
}

/* What all rows together take: Div(v+|v-) - P . u+ */
static double loss_of_all(ZwSim* sim) {
  double loss = zw_jump_divergence(sim, sim->jump.v, sim->jump.v_before);
  if (!zw_eval_velocity(sim, sim->t, sim->y, sim->jump.v)) return NAN;
  for (int32_t k = 0; k < sim->contacts.gathered; k++) {
    if (sim->contacts.p[k] != 0) loss -= sim->contacts.p[k] * rate_after(sim, k);
  }
  return loss;
}

static int32_t rows_with_impulse(const ZwSim* sim, int32_t* last) {
  int32_t count = 0;
  for (int32_t k = 0; k < sim->contacts.gathered; k++) {
    if (sim->contacts.p[k] == 0) continue;
    count++;
    *last = k;
  }
  return count;
}

/* The energy that each row takes, into jump->row_loss. */
static void share_loss(ZwSim* sim, double all) {
  double* loss = sim->jump.row_loss;
  int32_t last = 0;
  if (rows_with_impulse(sim, &last) > 1 && zw_jump_share(sim)) return;
  memset(loss, 0, (size_t)sim->contacts.gathered * sizeof(double));
  if (sim->contacts.gathered > 0) loss[last] = all;
}

/* ---- theta ---- */

/* The plastic answer; its loss, and how much of it is to come back. */
static ZwStatus solve_plastic(ZwSim* sim, const bool* which, double* loss, double* back) {
  const ZwContacts* contacts = &sim->contacts;
  ZwJump* jump = &sim->jump;
  zw_copy(sim->n, jump->v_before, jump->v);
  ZW_TRY(solve(sim, which, 0));
  zw_copy(sim->n, jump->v, jump->v_plastic);
  *loss = zw_jump_divergence(sim, jump->v, jump->v_before);
  if (!zw_eval_velocity(sim, sim->t, sim->y, jump->v)) return ZW_ERR_DOMAIN;
  double sum = 0, bounced = 0;
  memset(jump->impulse_plastic, 0, (size_t)contacts->count * sizeof(double));
  for (int32_t k = 0; k < contacts->gathered; k++) {
    int32_t i = contacts->index[k];
    double e = contacts->restitution[i], w = is_hit(sim, i) ? contacts->p[k] * -contacts->rate[i] : 0;
    jump->impulse_plastic[i] = contacts->p[k];
    jump->rate_plastic[i] = fmax(sim->psi[zw_contact_of(sim, i)->row], 0);
    sum += w;
    bounced += e * e * w;
  }
  *back = sum > 0 ? bounced / sum : 0;
  return isfinite(*loss) ? ZW_OK : ZW_ERR_DOMAIN;
}

/* What the answer at theta has more than the plastic one, whose loss was `plastic`: loss(0) - loss(theta) = Div(v_c|v+) + P . u_c, both never
 * negative, where rows are linear in velocities. */
static double regained(ZwSim* sim, double theta, double plastic) {
  const ZwContacts* contacts = &sim->contacts;
  bool is_linear = !sim->equations->has_bent_rows;
  double sum = is_linear ? zw_jump_divergence(sim, sim->jump.v_plastic, sim->jump.v)
                         : plastic - zw_jump_divergence(sim, sim->jump.v, sim->jump.v_before);
  for (int32_t k = 0; k < contacts->gathered; k++) {
    int32_t i = contacts->index[k];
    double c = is_hit(sim, i) ? -theta * contacts->restitution[i] * contacts->rate[i] : 0;
    sum += contacts->p[k] * (is_linear ? sim->jump.rate_plastic[i] : c);
  }
  return sum;
}

/* Between `low`, where too little comes back, and `high`: the next theta. x is sqrt(part that comes back) - 1, about linear. */
typedef struct Bracket {
  double low, high, x_low, x_high;
} Bracket;

static double choose(const Bracket* bracket, double theta, double x) {
  if (isinf(bracket->high)) return theta * fmin(2, 1 / (1 + x));
  if (!isfinite(bracket->x_high)) return 0.5 * (bracket->low + bracket->high);
  double next = bracket->low - bracket->x_low * (bracket->high - bracket->low) / (bracket->x_high - bracket->x_low);
  double margin = EXACT * bracket->high;
  return fmin(fmax(next, bracket->low + margin), bracket->high - margin);
}

/* Takes theta with x as an end. An end that stays is weighed half the second time (Illinois). */
static void narrow(Bracket* bracket, double theta, double x, int* side) {
  bool is_high = !(x < 0);
  if (is_high) {
    bracket->high = theta;
    bracket->x_high = x;
    if (*side > 0) bracket->x_low *= 0.5;
  } else {
    bracket->low = theta;
    bracket->x_low = x;
    if (*side < 0 && isfinite(bracket->x_high)) bracket->x_high *= 0.5;
  }
  *side = is_high ? 1 : -1;
}

/* The answer for which the energy `back` of what is lost without restitution comes back, into jump->v. */
static ZwStatus find_theta(ZwSim* sim, const bool* which, double plastic, double back, double* theta) {
  Bracket bracket = {0, INFINITY, -1, INFINITY};
  double next = 1;
  int side = 0;
  ZwStatus status = ZW_ERR_STEP;
  for (int k = 0; k < THETAS_MAX; k++) {
    *theta = next;
    zw_copy(sim->n, sim->jump.v_plastic, sim->jump.v);
    status = solve(sim, which, *theta);
    bool is_beyond = status == ZW_ERR_STEP || status == ZW_ERR_INCONSISTENT || status == ZW_ERR_MASS;
    if (status && !is_beyond) return status; /* beyond: no velocity opens gaps so fast */
    double more = is_beyond ? INFINITY : regained(sim, *theta, plastic);
    double x = isnan(more) ? INFINITY : sqrt(fmax(more, 0) / back) - 1;
    if (fabs(x) <= EXACT) return ZW_OK;
    narrow(&bracket, *theta, x, &side);
    next = choose(&bracket, *theta, x);
    bool is_narrow = isfinite(bracket.high) && bracket.high - bracket.low <= 2 * EXACT * bracket.high;
    if (is_narrow && !is_beyond) return ZW_OK;
    if (is_narrow) next = bracket.low;
  }
  return status;
}

/* ---- friction ---- */

/* With friction, at theta of the answer without; lowered until no energy is gained. */
static ZwStatus solve_rubbing(ZwSim* sim, const bool* which, double size, double* theta, bool* is_lowered) {
  double first = *theta, low = 0, high = 1;
  *is_lowered = false;
  ZW_TRY(solve(sim, which, first));
  if (loss_of_all(sim) >= -GAINS * size) return ZW_OK;
  *is_lowered = true;
  for (int round = 0; round <= LOWERINGS; round++) {
    *theta = first * (round < LOWERINGS ? 0.5 * (low + high) : low);
    ZW_TRY(solve(sim, which, *theta));
    *(loss_of_all(sim) < -GAINS * size ? &high : &low) = *theta / first;
  }
  return ZW_OK;
}

static ZwStatus solve_smooth(ZwSim* sim, const bool* which, double* plastic, double* theta) {
  double back;
  ZW_TRY(solve_plastic(sim, which, plastic, &back));
  ZW_TRY(zw_sensitivity_plastic(sim, *plastic));
  *theta = 0;
  if (!(back * *plastic > 0)) return ZW_OK;
  ZW_TRY(find_theta(sim, which, *plastic, back * *plastic, theta));
  return zw_sensitivity_theta(sim, *theta);
}

ZwStatus zw_restitution_solve(ZwSim* sim, const bool* which, double* theta, bool* is_lowered) {
  double plastic = 0;
  bool has_friction = rubs(sim, which);
  *is_lowered = false;
  ZW_TRY(zw_jump_open(sim));
  leave_friction_out(sim, true);
  ZwStatus status = solve_smooth(sim, which, &plastic, theta);
  leave_friction_out(sim, false);
  if (status == ZW_OK && has_friction) status = solve_rubbing(sim, which, plastic, theta, is_lowered);
  if (status) return status;
  share_loss(sim, loss_of_all(sim));
  return zw_eval_velocity(sim, sim->t, sim->y, sim->y + sim->n) ? ZW_OK : ZW_ERR_DOMAIN;
}
