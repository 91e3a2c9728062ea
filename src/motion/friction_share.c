/* Friction where the forces across gaps are not unique: a sledge on three feet, a block in a slot without play, a contact beside a
 * constraint that holds the same gap. With independent rows A_I and the others A_d = K A_I the forces are known up to w = (-K_d, 1).
 *
 * If no w changes the sum of all friction, the motion is unique whatever the shares are, and any of them serve. Otherwise rigid bodies leave
 * it open. The forces taken are then those that reactions tell (cones.h), so that N >= 0 and |T| = mu N hold of what is printed; both depend
 * on each other and are found in turn. The run says that this is a choice. */
#include <math.h>
#include <string.h>

#include "motion/sim.h"

#define SAME 1e-9     /* friction that differs by no more than this part of its terms is the same */
#define SETTLED 1e-13 /* forces that change by no more than this part of the largest have been found */
#define ENOUGH 1e-8   /* and so far at least */

enum { TURNS = 400 };

/* ---- is it unique? ---- */

static int32_t candidate_of(const ZwSim* sim, int32_t row) {
  for (int32_t i = 0; i < sim->rank->m; i++) {
    if (sim->candidates[i] == row) return i;
  }
  return -1;
}

/* Component of w of the dependent row d (from 0) at a candidate. */
static double freedom_at(const ZwRank* rank, int32_t d, int32_t candidate) {
  int32_t r = rank->rank;
  if (rank->order[r + d] == candidate) return 1;
  for (int32_t j = 0; j < r; j++) {
    if (rank->order[j] == candidate) return -rank->coefficients[(ptrdiff_t)d * r + j];
  }
  return 0;
}

/* What w changes of the friction, coordinate by coordinate, beside the sizes of its terms. */
static bool changes_friction(ZwSim* sim, int32_t d, int32_t* culprit) {
  double *sum = sim->contacts.sliding.sum, *size = sim->contacts.sliding.size, along[2];
  const ZwPattern* A = &sim->equations->A;
  memset(sum, 0, (size_t)sim->n * sizeof(double));
  memset(size, 0, (size_t)sim->n * sizeof(double));
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    int32_t place = zw_friction_is_sliding(sim, i) ? candidate_of(sim, contact->row) : -1;
    double w = place < 0 ? 0 : sim->contacts.sliding.mu[i] * freedom_at(sim->rank, d, place);
    if (w == 0) continue;
    *culprit = i;
    zw_friction_along(sim, i, along);
    for (int32_t s = 0; s < contact->slip_dim; s++) {
      int32_t row = contact->slip + s;
      for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
        double part = w * along[s] * sim->Ax[k];
        sum[A->column[k]] += part;
        size[A->column[k]] += fabs(part);
      }
    }
  }
  double most = 0;
  for (int32_t j = 0; j < sim->n; j++) most = fmax(most, size[j]);
  for (int32_t j = 0; j < sim->n; j++) {
    if (fabs(sum[j]) > SAME * (size[j] + 1e-6 * most)) return true;
  }
  return false;
}

static bool is_shared(ZwSim* sim, int32_t* culprit) {
  for (int32_t d = 0; d < sim->rank->m - sim->rank->rank; d++) {
    if (changes_friction(sim, d, culprit)) return true;
  }
  return false;
}

static void note_shared(ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  if (sim->contacts.has_noted_carried) return;
  sim->contacts.has_noted_carried = true;
  zw_diag_note(
      sim->diags, contact->span,
      "from t = %s on the force across '%.*s', which slips, can be shared with other contacts or constraints in "
      "many ways: its friction is not unique",
      zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(contact->name));
}

void zw_friction_judge(ZwSim* sim) {
  ZwSliding* sliding = &sim->contacts.sliding;
  int32_t culprit = -1;
  sliding->is_shared = sim->contacts.rubbing > 0 && !sim->large && is_shared(sim, &culprit);
  if (sliding->is_shared) note_shared(sim, culprit);
}

/* ---- impacts ---- */

/* Modes that contacts had at the end of the last impact, as long as it is judged: those that may have an impulse are closed, and stick
 * where they do not slip. Whether one of them slips. */
static bool enter_impact(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  bool any_slips = false;
  for (int32_t i = 0; i < contacts->count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    bool is_bound = contacts->is_bound[i], slips = false;
    sim->values[contact->closed] = is_bound;
    if (contact->slip_dim == 0) continue;
    double* slip = contacts->sliding.slip + 2 * i;
    for (int32_t k = 0; k < contact->slip_dim; k++) {
      slip[k] = sim->psi[contact->slip + k];
      slips = slips || (is_bound && !zw_still_is(sim, contact->slip + k));
    }
    sim->values[contact->sticks] = is_bound && !slips;
    sim->values[contact->slides] = !slips ? 0 : slip[0] > 0 ? 1 : -1;
    any_slips = any_slips || (slips && contacts->sliding.mu[i] > 0);
  }
  return any_slips;
}

void zw_friction_judge_impact(ZwSim* sim) {
  ZwContacts* contacts = &sim->contacts;
  double *modes = contacts->sliding.modes, *kept = modes;
  int32_t culprit = -1;
  if (contacts->rubbing == 0 || sim->large || contacts->has_noted_carried) return;
  for (int32_t i = 0; i < contacts->count; i++, kept += 3) {
    const ZwContact* contact = zw_contact_of(sim, i);
    kept[0] = sim->values[contact->closed];
    if (contact->slip_dim > 0) kept[1] = sim->values[contact->sticks], kept[2] = sim->values[contact->slides];
  }
  const double *q = sim->y, *v = sim->y + sim->n;
  bool is_asked = zw_eval_velocity(sim, sim->t, q, v) && enter_impact(sim) && zw_eval_acceleration(sim, sim->t, q, v);
  if (is_asked && zw_rows_rank(sim) == ZW_OK && is_shared(sim, &culprit)) note_shared(sim, culprit);
  kept = modes;
  for (int32_t i = 0; i < contacts->count; i++, kept += 3) {
    const ZwContact* contact = zw_contact_of(sim, i);
    sim->values[contact->closed] = kept[0];
    if (contact->slip_dim > 0) sim->values[contact->sticks] = kept[1], sim->values[contact->slides] = kept[2];
  }
}

/* ---- forces and friction in turn ---- */

/* Qc of the frozen rows with the friction of forces N */
static void load_rows(ZwSim* sim, const double* lambda_free, const double* N) {
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  const ZwSliding* sliding = &sim->contacts.sliding;
  const ZwPattern* A = &sim->equations->A;
  memset(sim->Qc, 0, (size_t)sim->n * sizeof(double));
  for (int32_t r = 0; r < set->count; r++) {
    double force = lambda_free[r];
    for (int32_t s = 0; s < sliding->count; s++) {
      force -= sliding->mu[sliding->contacts[s]] * N[s] * sliding->lambda[(ptrdiff_t)s * set->count + r];
    }
    int32_t row = set->rows[r];
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) sim->Qc[A->column[k]] += force * sim->Ax[k];
  }
}

/* The next N from the shares of the load; how far they have moved, as a part of the largest. */
static double take_shares(ZwSim* sim, const double* lambda, double* N) {
  const ZwSliding* sliding = &sim->contacts.sliding;
  double moved = 0, most = 0;
  for (int32_t i = 0; i < sim->rank->m; i++) most = fmax(most, fabs(lambda[i]));
  for (int32_t s = 0; s < sliding->count; s++) {
    int32_t place = candidate_of(sim, zw_contact_of(sim, sliding->contacts[s])->row);
    double force = place < 0 ? 0 : fmax(lambda[place], 0);
    moved = fmax(moved, fabs(force - N[s]));
    N[s] = force;
  }
  return most > 0 ? moved / most : 0;
}

ZwStatus zw_friction_share(ZwSim* sim, const double* lambda_free, double* N) {
  ZwSliding* sliding = &sim->contacts.sliding;
  ZW_TRY(zw_rows_rank(sim));
  double moved = INFINITY, *lambda = sliding->shares;
  memset(N, 0, (size_t)sliding->count * sizeof(double));
  for (int turn = 0; turn < TURNS && moved > SETTLED; turn++) {
    load_rows(sim, lambda_free, N);
    zw_reactions_share(sim, lambda);
    moved = take_shares(sim, lambda, N);
  }
  sliding->culprit = sliding->contacts[0];
  return moved <= ENOUGH ? ZW_OK : ZW_ERR_CONTACT;
}

ZwStatus zw_friction_refuse_derivatives(ZwSim* sim) {
  if (!sim->contacts.sliding.is_shared) return ZW_OK;
  zw_diag_error(sim->diags, ZW_ERR_CONTACT, (ZwSpan){0},
                "at t = %s friction is shared by contacts that slip in a way that is not unique: the motion has no "
                "derivatives there",
                zw_when(sim, sim->t, 9).text);
  zw_diag_remedy(sim->diags, "let one contact stand for those that always touch together");
  return ZW_ERR_CONTACT;
}
