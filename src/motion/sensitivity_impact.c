/* What an impact makes of sensitivities. The law of impacts has decided which gaps get an impulse, and which slips stick or slide; that makes
 * its conditions equations, and these are differentiated.
 *
 * Where M depends on velocities (T32) the equations are p(v+) - p(v-) - A^T Lambda - G^T P = 0, and theta varies too: the impact is solved
 * without restitution, for what that takes; without friction, for theta; and as it is. Each is differentiated in turn, with
 *
 *   d loss = (p+ - p-) . d(v+ - v-) + dL+ - dL- - dp- . (v+ - v-) - dP . c - P . dc,
 *
 * where dL+ and dL- are along one and the same change of the state before. */
#include <math.h>

#include "least/dense.h"
#include "least/lu.h"
#include "motion/jump.h"
#include "motion/sensitivity.h"

#define STICKS 1e-9 /* part of the friction that may be missing for a slip */

typedef enum Law {
  LAW_FREE,   /* no impulse */
  LAW_HOLDS,  /* its rate behind the impact is given */
  LAW_SLIDES, /* friction in one direction, at its limit */
  LAW_TURNS   /* friction in two directions, at its limit */
} Law;

/* The equations of an impact, M dv - A^T Lambda - G^T p = 0 and one more for every row. Unknowns are dv, Lambda and p. */
typedef struct Impact {
  ZwSim* sim;
  int32_t n, r, g, size; /* coordinates, constraints, rows of contacts, all together */
  double *K, *x, *right; /* size x size; size */
  int32_t* swap;
  double* moved; /* g: by the rows that change */
  /* T32: */
  bool is_bent;
  double theta, dtheta;          /* of the column */
  double *rate, *dp, *dp_before; /* g: changes of the rates before; n: of the momenta after and before */
  double dL;                     /* change of L over the impact */
} Impact;

static Impact open_impact(ZwSim* sim) {
  Impact impact = {.sim = sim,
                   .n = sim->n,
                   .r = sim->sets[ZW_LEVEL_VELOCITY].count,
                   .g = sim->contacts.gathered,
                   .swap = sim->sensitivity->order};
  impact.size = impact.n + impact.r + impact.g;
  impact.K = sim->sensitivity->dense;
  impact.x = impact.K + (ptrdiff_t)impact.size * impact.size;
  impact.right = impact.x + impact.size;
  impact.moved = impact.right + impact.size;
  impact.rate = impact.moved + impact.g;
  impact.dp = impact.rate + impact.g;
  impact.dp_before = impact.dp + impact.n;
  return impact;
}

/* One of T32, at the velocities jump->v that were found. */
static Impact open_bent(ZwSim* sim, double theta) {
  Impact impact = open_impact(sim);
  impact.is_bent = true;
  impact.theta = theta;
  (void)zw_jump_momenta(sim, sim->jump.v, sim->jump.p);
  (void)zw_eval_acceleration(sim, sim->t, sim->y, sim->jump.v);
  zw_eval_dense_M(sim);
  (void)zw_eval_velocity(sim, sim->t, sim->y, sim->jump.v);
  return impact;
}

/* The gap of the contact that row k of the program belongs to, and which of its slips it is; -1: the gap itself. */
static int32_t gap_of(const Impact* impact, int32_t k, int32_t* slip) {
  const int32_t* index = impact->sim->contacts.index;
  int32_t gap = k;
  while (gap > 0 && index[gap - 1] == index[k]) gap--;
  *slip = k - gap - 1;
  return gap;
}

static int32_t row_of(const Impact* impact, int32_t k) {
  int32_t slip;
  (void)gap_of(impact, k, &slip);
  const ZwContact* contact = zw_contact_of(impact->sim, impact->sim->contacts.index[k]);
  return slip < 0 ? contact->row : contact->slip + slip;
}

static Law law_of(const Impact* impact, int32_t k) {
  const ZwContacts* contacts = &impact->sim->contacts;
  int32_t slip, gap = gap_of(impact, k, &slip), i = contacts->index[k];
  double N = contacts->p[gap];
  if (!(N > 0)) return LAW_FREE;
  if (slip < 0) return LAW_HOLDS;
  int32_t dim = zw_contact_of(impact->sim, i)->slip_dim;
  double size = hypot(contacts->p[gap + 1], dim > 1 ? contacts->p[gap + 2] : 0);
  if (size < (1 - STICKS) * contacts->sliding.mu[i] * N) return LAW_HOLDS;
  return dim > 1 ? LAW_TURNS : LAW_SLIDES;
}

/* Slips behind the impact, of two directions; their size. */
static double slip_behind(const Impact* impact, int32_t gap, double* along) {
  const ZwContacts* contacts = &impact->sim->contacts;
  const double* slip = contacts->slip + 2 * contacts->index[gap];
  for (int k = 0; k < 2; k++) {
    along[k] = slip[k] + zw_dot(impact->n, contacts->G + (ptrdiff_t)(gap + 1 + k) * impact->n, contacts->a);
  }
  double size = hypot(along[0], along[1]);
  for (int k = 0; k < 2 && size > 0; k++) along[k] /= size;
  return size;
}

/* p_t + mu N along = 0, where along = u/|u| behind the impact. */
static void fill_turning(const Impact* impact, int32_t k, double* row) {
  const ZwContacts* contacts = &impact->sim->contacts;
  int32_t slip, gap = gap_of(impact, k, &slip), i = contacts->index[k];
  double along[2], size = slip_behind(impact, gap, along), mu = contacts->sliding.mu[i], N = contacts->p[gap];
  double* forces = row + impact->n + impact->r;
  forces[k] += 1;
  forces[gap] += mu * along[slip];
  for (int j = 0; j < 2; j++) {
    double turn = mu * N * ((j == slip) - along[slip] * along[j]) / size;
    zw_axpy(impact->n, turn, contacts->G + (ptrdiff_t)(gap + 1 + j) * impact->n, row);
  }
}

static void fill_contact(const Impact* impact, int32_t k) {
  const ZwContacts* contacts = &impact->sim->contacts;
  double* row = impact->K + (ptrdiff_t)(impact->n + impact->r + k) * impact->size;
  double* forces = row + impact->n + impact->r;
  int32_t slip, gap = gap_of(impact, k, &slip);
  switch (law_of(impact, k)) {
    case LAW_FREE:
      forces[k] = 1;
      break;
    case LAW_HOLDS:
      zw_copy(impact->n, contacts->G + (ptrdiff_t)k * impact->n, row);
      break;
    case LAW_SLIDES:
      forces[k] = 1;
      forces[gap] = (contacts->p[k] > 0 ? -1 : 1) * contacts->sliding.mu[contacts->index[k]];
      break;
    case LAW_TURNS:
      fill_turning(impact, k, row);
      break;
  }
}

static void fill_matrix(const Impact* impact) {
  ZwSim* sim = impact->sim;
  ptrdiff_t n = impact->n, size = impact->size;
  zw_fill(size * size, 0, impact->K);
  for (ptrdiff_t i = 0; i < n; i++) zw_copy(n, sim->M + i * n, impact->K + i * size);
  zw_eval_dense_rows(sim, sim->sets[ZW_LEVEL_VELOCITY].rows, impact->r, sim->A);
  for (ptrdiff_t r = 0; r < impact->r + impact->g; r++) {
    const double* row = r < impact->r ? sim->A + r * n : sim->contacts.G + (r - impact->r) * n;
    for (ptrdiff_t j = 0; j < n; j++) impact->K[j * size + n + r] = -row[j];
    if (r < impact->r) zw_copy(n, row, impact->K + (n + r) * size);
  }
  for (int32_t k = 0; k < impact->g; k++) fill_contact(impact, k);
}

/* The impact itself, for the impulses of the constraints; factors the matrix. */
static bool solve_impact(const Impact* impact) {
  const ZwJump* jump = &impact->sim->jump;
  zw_fill(impact->size, 0, impact->x);
  for (int32_t k = impact->is_bent ? 0 : impact->n + impact->r; k < impact->size; k++) {
    impact->x[k] = zw_dot(impact->n, impact->K + (ptrdiff_t)k * impact->size, impact->sim->contacts.a);
  }
  for (int32_t j = 0; impact->is_bent && j < impact->n; j++) impact->x[j] -= jump->p[j] - jump->p_before[j];
  if (!(zw_lu_factor(impact->size, impact->K, impact->swap) > 0)) return false;
  zw_lu_solve(impact->size, impact->K, impact->swap, impact->x);
  return true;
}

/* sum of forces times what their rows change by, and minus what the rows change by times dv */
static void vary_rows(const Impact* impact, int32_t row, double force, double* moved) {
  const ZwPattern* A = &impact->sim->equations->A;
  const double* dA = impact->sim->sensitivity->variation.dA;
  *moved = 0;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
    impact->right[A->column[k]] += dA[k] * force;
    *moved += dA[k] * impact->sim->contacts.a[A->column[k]];
  }
}

static void vary_masses(const Impact* impact) {
  const ZwPattern* M = &impact->sim->equations->M;
  const double *dM = impact->sim->sensitivity->variation.dM, *dv = impact->sim->contacts.a;
  for (int32_t i = 0; i < impact->n; i++) {
    for (int32_t k = M->begin[i]; k < M->begin[i + 1]; k++) {
      int32_t j = M->column[k];
      impact->right[i] -= dM[k] * dv[j];
      if (i != j) impact->right[j] -= dM[k] * dv[i];
    }
  }
}

/* Has row k of the program a rate that the restitution gives? */
static bool is_bouncing(const Impact* impact, int32_t k) {
  const ZwContacts* contacts = &impact->sim->contacts;
  int32_t slip, i = contacts->index[k];
  (void)gap_of(impact, k, &slip);
  return slip < 0 && contacts->rate[i] < 0 && zw_contact_level(impact->sim, i) == ZW_LEVEL_POSITION;
}

/* The change of the rate that is given, c = -theta e u. */
static double vary_target(const Impact* impact, int32_t k) {
  ZwSim* sim = impact->sim;
  int32_t i = sim->contacts.index[k];
  double e = sim->contacts.restitution[i], u = sim->contacts.rate[i];
  if (!is_bouncing(impact, k) || e == 0) return 0;
  double de = sim->sensitivity->variation.devents[zw_contact_of(sim, i)->restitution];
  return -(impact->dtheta * e * u + impact->theta * (de * u + e * impact->rate[k]));
}

/* What the law of row k asks for changes by this while dv and the impulses stay; `moved`: of the rate by its row. */
static double vary_law(const Impact* impact, int32_t k) {
  ZwSim* sim = impact->sim;
  const ZwContacts* contacts = &sim->contacts;
  const ZwVariation* variation = &sim->sensitivity->variation;
  int32_t slip, gap = gap_of(impact, k, &slip), i = contacts->index[k];
  const ZwContact* contact = zw_contact_of(sim, i);
  const double* moved = impact->moved;
  double rate = variation->dpsi[row_of(impact, k)], N = contacts->p[gap], e = contacts->restitution[i];
  double dmu = slip >= 0 ? variation->devents[contact->friction] : 0;
  switch (law_of(impact, k)) {
    case LAW_FREE:
      return 0;
    case LAW_HOLDS: {
      if (impact->is_bent) return vary_target(impact, k) - rate; /* which is the one after the impact */
      bool bounces = is_bouncing(impact, k);
      double de = bounces && e > 0 ? variation->devents[contact->restitution] : 0;
      return -moved[k] - (bounces ? (1 + e) * rate + de * contacts->rate[i] : rate);
    }
    case LAW_SLIDES:
      return (contacts->p[k] > 0 ? 1 : -1) * dmu * N;
    case LAW_TURNS:
      break;
  }
  double along[2], size = slip_behind(impact, gap, along), change = -dmu * N * along[slip];
  for (int j = 0; j < 2; j++) {
    double du = (impact->is_bent ? 0 : moved[gap + 1 + j]) + variation->dpsi[contact->slip + j];
    change -= contacts->sliding.mu[i] * N * ((j == slip) - along[slip] * along[j]) / size * du;
  }
  return change;
}

/* Changes of the momenta after and before the impact, and of the rates before. */
static void vary_momenta(Impact* impact, const ZwDirection* direction) {
  ZwSim* sim = impact->sim;
  ZwVariation* variation = &sim->sensitivity->variation;
  ZwStateAt before = {sim->t, sim->y, sim->jump.v_before}, after = {sim->t, sim->y, sim->jump.v};
  double dL_before = zw_variation_momenta(sim, variation, before, direction, impact->dp_before);
  impact->dL = zw_variation_momenta(sim, variation, after, direction, impact->dp) - dL_before;
  for (int32_t j = 0; j < impact->n; j++) impact->right[j] = impact->dp_before[j] - impact->dp[j];
  zw_variation_rows(sim, variation, ZW_ENTRY_VELOCITY, before, direction);
  for (int32_t k = 0; k < impact->g; k++) impact->rate[k] = variation->dpsi[row_of(impact, k)];
}

/* How v+ - v-, the impulses of the constraints and those of the contacts change with column c, into impact->right. */
static void solve_column(Impact* impact, int32_t c) {
  ZwSim* sim = impact->sim;
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwVariation* variation = &sensitivity->variation;
  ZwDirection direction = zw_sensitivity_direction(sensitivity, c, sensitivity->now);
  ZwStateAt before = {sim->t, sim->y, sim->y + sim->n}, after = {sim->t, sim->y, sim->jump.v};
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_VELOCITY];
  const double *Lambda = impact->x + impact->n, *p = sim->contacts.p;
  zw_fill(impact->size, 0, impact->right);
  if (impact->is_bent) {
    vary_momenta(impact, &direction);
  } else {
    zw_variation_masses(sim, variation, before, &direction);
    vary_masses(impact);
  }
  zw_variation_event_values(sim, variation, before, &direction);
  zw_variation_rows(sim, variation, ZW_ENTRY_VELOCITY, impact->is_bent ? after : before, &direction);
  for (int32_t r = 0; r < impact->r; r++) {
    double change;
    vary_rows(impact, set->rows[r], Lambda[r], &change);
    impact->right[impact->n + r] = impact->is_bent ? -variation->dpsi[set->rows[r]] : -change;
  }
  for (int32_t k = 0; k < impact->g; k++) vary_rows(impact, row_of(impact, k), p[k], &impact->moved[k]);
  for (int32_t k = 0; k < impact->g; k++) impact->right[impact->n + impact->r + k] = vary_law(impact, k);
  zw_lu_solve(impact->size, impact->K, impact->swap, impact->right);
}

static ZwStatus refuse_lowered(ZwSim* sim) {
  zw_diag_error(sim->diags, ZW_ERR_STEP, (ZwSpan){0},
                "at t = %s restitutions were lowered so that no energy is gained: sensitivities cannot be followed "
                "through that impact",
                zw_when(sim, sim->t, 9).text);
  return ZW_ERR_STEP;
}

/* Rows that are not linear in velocities bend: M - d(A^T Lambda + G^T P)/dv+ takes the place of M. Whether any does. */
static bool bend(const Impact* impact) {
  ZwSim* sim = impact->sim;
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwStateAt after = {sim->t, sim->y, sim->jump.v};
  double *unit = sim->jump.along, *column = impact->right, ignored;
  bool has_bent = false;
  for (int32_t j = 0; j < impact->n; j++) {
    zw_fill(impact->n, 0, unit);
    zw_fill(impact->n, 0, column);
    unit[j] = 1;
    ZwDirection direction = {.dq = sensitivity->variation.zero, .dv = unit, .dconstants = sensitivity->still};
    zw_variation_rows(sim, &sensitivity->variation, ZW_ENTRY_VELOCITY, after, &direction);
    for (int32_t r = 0; r < impact->r; r++) {
      vary_rows(impact, sim->sets[ZW_LEVEL_VELOCITY].rows[r], impact->x[impact->n + r], &ignored);
    }
    for (int32_t k = 0; k < impact->g; k++) vary_rows(impact, row_of(impact, k), sim->contacts.p[k], &ignored);
    has_bent = has_bent || zw_max_abs(impact->n, column) > 0;
    for (int32_t i = 0; i < impact->n; i++) sim->M[(ptrdiff_t)i * impact->n + j] -= column[i];
  }
  return has_bent;
}

/* The matrix and the impulses of the constraints; false: there is nothing to differentiate. */
static bool prepare(const Impact* impact) {
  fill_matrix(impact);
  bool is_fine = solve_impact(impact);
  if (is_fine && impact->is_bent && bend(impact)) {
    fill_matrix(impact);
    is_fine = zw_lu_factor(impact->size, impact->K, impact->swap) > 0;
  }
  if (!is_fine) impact->sim->sensitivity->status = ZW_ERR_INCONSISTENT;
  return is_fine;
}

ZwStatus zw_sensitivity_impact(ZwSim* sim, bool is_bent, double theta, bool is_lowered) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity) return ZW_OK;
  if (is_lowered) return refuse_lowered(sim);
  Impact impact = is_bent ? open_bent(sim, theta) : open_impact(sim);
  if (!prepare(&impact)) return ZW_OK;
  for (int32_t c = 0; c < sensitivity->count; c++) {
    impact.dtheta = sensitivity->dtheta[c];
    solve_column(&impact, c);
    zw_axpy(sim->n, 1, impact.right, sensitivity->now + ((ptrdiff_t)c * 2 + 1) * sim->n);
  }
  return ZW_OK;
}

/* ---- how theta changes (T32) ---- */

/* The change of Div(v+|v-) - P . c with the column solved last. */
static double vary_loss(const Impact* impact) {
  const ZwSim* sim = impact->sim;
  const ZwJump* jump = &sim->jump;
  const ZwContacts* contacts = &sim->contacts;
  const double* impulses = impact->right + impact->n + impact->r;
  double change = impact->dL;
  for (int32_t j = 0; j < impact->n; j++) {
    change += (jump->p[j] - jump->p_before[j]) * impact->right[j];
    change -= impact->dp_before[j] * (jump->v[j] - jump->v_before[j]);
  }
  for (int32_t k = 0; k < impact->g; k++) {
    if (!is_bouncing(impact, k) || !(contacts->p[k] > 0)) continue;
    double c = -impact->theta * contacts->restitution[contacts->index[k]] * contacts->rate[contacts->index[k]];
    change -= impulses[k] * c + contacts->p[k] * vary_target(impact, k);
  }
  return change;
}

/* eb^2 and, of the column solved last, its change. */
static double vary_back(const Impact* impact, double* change) {
  const ZwSim* sim = impact->sim;
  const ZwContacts* contacts = &sim->contacts;
  const double* impulses = impact->right + impact->n + impact->r;
  double sum = 0, bounced = 0, dsum = 0, dbounced = 0;
  for (int32_t k = 0; k < impact->g; k++) {
    int32_t i = contacts->index[k];
    if (!is_bouncing(impact, k) || !(contacts->p[k] > 0)) continue;
    double e = contacts->restitution[i], w = -contacts->p[k] * contacts->rate[i];
    double de = e > 0 ? sim->sensitivity->variation.devents[zw_contact_of(sim, i)->restitution] : 0;
    double dw = -impulses[k] * contacts->rate[i] - contacts->p[k] * impact->rate[k];
    sum += w;
    dsum += dw;
    bounced += e * e * w;
    dbounced += e * e * dw + 2 * e * de * w;
  }
  *change = sum > 0 ? (dbounced - bounced / sum * dsum) / sum : 0;
  return sum > 0 ? bounced / sum : 0;
}

ZwStatus zw_sensitivity_plastic(ZwSim* sim, double loss) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity) return ZW_OK;
  zw_fill(sensitivity->count, 0, sensitivity->dtheta);
  Impact impact = open_bent(sim, 0);
  if (!prepare(&impact)) return ZW_OK;
  for (int32_t c = 0; c < sensitivity->count; c++) {
    double dback;
    solve_column(&impact, c);
    double back = vary_back(&impact, &dback);
    sensitivity->dloss[c] = (1 - back) * vary_loss(&impact) - dback * loss;
  }
  return ZW_OK;
}

/* What the impulses change by with theta, times the rates given. */
static double vary_by_theta(const Impact* impact) {
  const ZwContacts* contacts = &impact->sim->contacts;
  int32_t first = impact->n + impact->r;
  double sum = 0;
  zw_fill(impact->size, 0, impact->right);
  for (int32_t k = 0; k < impact->g; k++) {
    int32_t i = contacts->index[k];
    bool is_given = is_bouncing(impact, k) && contacts->p[k] > 0;
    if (is_given) impact->right[first + k] = -contacts->restitution[i] * contacts->rate[i];
  }
  zw_lu_solve(impact->size, impact->K, impact->swap, impact->right);
  for (int32_t k = 0; k < impact->g; k++) {
    int32_t i = contacts->index[k];
    if (is_bouncing(impact, k))
      sum -= impact->right[first + k] * impact->theta * contacts->restitution[i] * contacts->rate[i];
  }
  return sum;
}

ZwStatus zw_sensitivity_theta(ZwSim* sim, double theta) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity) return ZW_OK;
  Impact impact = open_bent(sim, theta);
  if (!prepare(&impact)) return ZW_OK;
  double slope = -vary_by_theta(&impact);
  for (int32_t c = 0; c < sensitivity->count; c++) {
    solve_column(&impact, c);
    sensitivity->dtheta[c] = (sensitivity->dloss[c] - vary_loss(&impact)) / slope;
    if (!isfinite(sensitivity->dtheta[c])) sensitivity->status = ZW_ERR_INCONSISTENT;
  }
  return ZW_OK;
}

/* ---- constraints that take hold (T32) ---- */

void zw_sensitivity_hold(ZwSim* sim, const ZwAssembly* assembly, double t, const int32_t* rows) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  if (!sensitivity) return;
  for (ptrdiff_t c = 0; c < sensitivity->count; c++) {
    zw_copy(sim->n, sensitivity->now + (2 * c + 1) * sim->n, sensitivity->held + c * sim->n);
  }
  zw_sensitivity_assembled(sim, assembly, ZW_LEVEL_VELOCITY, t, rows); /* for what moves by the mass metric */
  zw_sensitivity_close_level(sim, ZW_LEVEL_VELOCITY);
}

/* right += (dA)^T lambda, of the rows varied last. */
static void add_bending(const ZwSim* sim, double* right) {
  const ZwPattern* A = &sim->equations->A;
  const ZwJump* jump = &sim->jump;
  const double* dA = sim->sensitivity->variation.dA;
  for (int32_t r = 0; r < jump->row_count; r++) {
    for (int32_t k = A->begin[jump->rows[r]]; k < A->begin[jump->rows[r] + 1]; k++) {
      right[A->column[k]] += dA[k] * sim->lambda[r];
    }
  }
}

/* How the jump changes with a column whose changes before it are those of `direction`: M d - A^T dLambda = dp- - dp+ + dA^T Lambda,
 * A d = -dpsi. Rows that are not linear in velocities bend with the answer itself, which is iterated. */
static ZwStatus vary_hold(ZwSim* sim, const ZwDirection* direction, double* change) {
  enum { ROUNDS_MAX = 60 };
  ZwJump* jump = &sim->jump;
  ZwVariation* variation = &sim->sensitivity->variation;
  ZwStateAt before = {sim->t, sim->y, jump->v_before}, after = {sim->t, sim->y, jump->v};
  double *right = jump->h, *base = jump->kept, *dp = jump->toward;
  (void)zw_variation_momenta(sim, variation, before, direction, base);
  (void)zw_variation_momenta(sim, variation, after, direction, dp);
  zw_variation_rows(sim, variation, ZW_ENTRY_VELOCITY, after, direction);
  for (int32_t j = 0; j < sim->n; j++) base[j] -= dp[j];
  add_bending(sim, base);
  for (int32_t r = 0; r < jump->row_count; r++) sim->bI[r] = -variation->dpsi[jump->rows[r]];
  ZwLeastResult result = {.a = jump->along};
  zw_fill(sim->n, 0, change);
  for (int round = 0; round < ROUNDS_MAX; round++) {
    ZwDirection bent = {.dq = variation->zero, .dv = change, .dconstants = sim->sensitivity->still};
    zw_variation_rows(sim, variation, ZW_ENTRY_VELOCITY, after, &bent);
    zw_copy(sim->n, base, right);
    add_bending(sim, right);
    for (int32_t j = 0; j < sim->n; j++) right[j] = jump->held[j] ? 0 : right[j];
    ZW_TRY(zw_least_answer(sim->least, right, sim->bI, &result));
    double moved = 0, size = 0;
    for (int32_t j = 0; j < sim->n; j++) {
      moved = fmax(moved, fabs(jump->along[j] - change[j]));
      size = fmax(size, fabs(jump->along[j]));
    }
    zw_copy(sim->n, jump->along, change);
    if (moved <= 1e-15 * size) return ZW_OK;
  }
  return ZW_OK;
}

ZwStatus zw_sensitivity_held(ZwSim* sim) {
  ZwSensitivity* sensitivity = sim->sensitivity;
  ZwJump* jump = &sim->jump;
  if (!sensitivity) return ZW_OK;
  if (!zw_jump_look(sim, jump->v) || !zw_jump_is_positive(sim)) return ZW_ERR_STEP;
  for (int32_t c = 0; c < sensitivity->count; c++) {
    double *dv = sensitivity->now + ((ptrdiff_t)c * 2 + 1) * sim->n, *change = jump->v_way;
    for (int32_t j = 0; j < sim->n; j++) {
      if (!jump->held[j]) dv[j] = sensitivity->held[(ptrdiff_t)c * sim->n + j];
    }
    ZwDirection direction = zw_sensitivity_direction(sensitivity, c, sensitivity->now);
    ZW_TRY(vary_hold(sim, &direction, change));
    zw_axpy(sim->n, 1, change, dv);
    zw_copy(sim->n, dv, sensitivity->settled + (ptrdiff_t)c * sim->n);
  }
  return ZW_OK;
}
