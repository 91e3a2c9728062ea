#include "motion/jump.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "least/dense.h"

#define DONE 1e-14               /* a Newton step this small beside the jump is the last one */
#define ROUNDING 1e-14           /* velocities are no more exact than this part of themselves */
#define STALLED 1e-8             /* steps below this part of the jump that no longer shrink are rounding */
#define DONE 1e-14               /* a Newton step this small beside the jump is the last one */
#define ROUNDING 1e-14           /* velocities are no more exact than this part of themselves */
#define STALLED 1e-8             /* steps below this part of the jump that no longer shrink are rounding */
#define DECREASE 1e-4            /* part of the decrease that the slope foretells must come true */
#define QUADRATURE 2e-15         /* error of a divergence, */
#define QUADRATURE_OF_WAYS 1e-13 /* and of rates on a way that Newton's method finds */
#define PART_LEAST 1e-6          /* the shortest part of the way that is tried at once */

enum { NEWTON_MAX = 80, HALVINGS = 60, DEPTH_MAX = 20, INTERVALS_MAX = 300, GAUSS = 8 };

/* Gauss's rule of order 16 on -1 .. 1. */
static const double places[GAUSS / 2] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                         0.9602898564975362};
static const double weights[GAUSS / 2] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                          0.1012285362903763};

/* ---- at velocities ---- */

bool zw_jump_momenta(ZwSim* sim, const double* v, double* p) {
  bool is_finite = zw_eval_variation(sim, sim->t, sim->y, v);
  zw_copy(sim->n, sim->Lv, p);
  return is_finite;
}

/* Velocities that are held have no part in M: a one stands for their masses. */
static void mask_masses(ZwSim* sim) {
  ptrdiff_t n = sim->n;
  for (ptrdiff_t i = 0; i < n; i++) {
    for (ptrdiff_t j = 0; j < n; j++) {
      if (sim->jump.is_fixed[i] || sim->jump.is_fixed[j]) sim->M[i * n + j] = i == j;
    }
  }
}

bool zw_jump_look(ZwSim* sim, const double* v) {
  if (!zw_jump_momenta(sim, v, sim->jump.p)) return false;
  if (!zw_eval_acceleration(sim, sim->t, sim->y, v)) return false;
  zw_eval_dense_M(sim);
  if (sim->jump.is_fixed) mask_masses(sim);
  return zw_eval_velocity(sim, sim->t, sim->y, v);
}

void zw_jump_gather(const ZwSim* sim, const int32_t* rows, int32_t count, double* to) {
  zw_eval_dense_rows(sim, rows, count, to);
  for (int32_t r = 0; sim->jump.is_fixed && r < count; r++) {
    for (int32_t j = 0; j < sim->n; j++) {
      if (sim->jump.is_fixed[j]) to[(ptrdiff_t)r * sim->n + j] = 0;
    }
  }
}

bool zw_jump_is_positive(ZwSim* sim) {
  const ZwJump* jump = &sim->jump;
  zw_jump_gather(sim, jump->rows, jump->row_count, sim->A);
  if (zw_least_factor(sim->least, jump->row_count, sim->M, sim->A)) return false;
  ZwLeastResult result = {.a = jump->toward};
  return zw_least_answer(sim->least, sim->zero, sim->zero, &result) == ZW_OK && result.is_minimum;
}

double zw_jump_length(const ZwSim* sim, const double* x) {
  double sum = 0;
  for (int32_t i = 0; i < sim->n; i++) {
    if (x[i] != 0) sum += x[i] * zw_dot(sim->n, sim->M + (ptrdiff_t)i * sim->n, x);
  }
  return sqrt(fabs(sum));
}

ZwStatus zw_jump_open(ZwSim* sim) {
  ZwJump* jump = &sim->jump;
  jump->rows = sim->sets[ZW_LEVEL_VELOCITY].rows;
  jump->row_count = sim->sets[ZW_LEVEL_VELOCITY].count;
  jump->is_fixed = NULL;
  zw_copy(sim->n, sim->y + sim->n, jump->v_before);
  if (!zw_jump_look(sim, jump->v_before)) return ZW_ERR_DOMAIN;
  zw_copy(sim->n, jump->p, jump->p_before);
  jump->is_convex = zw_jump_is_positive(sim);
  jump->part = 1;
  return ZW_OK;
}

/* ---- one step ---- */

/* Right sides for a change of the velocities looked at last. */
static void set_rights(ZwSim* sim, const bool* which) {
  ZwContacts* contacts = &sim->contacts;
  ZwJump* jump = &sim->jump;
  for (int32_t i = 0; i < contacts->count; i++) {
    if (!which[i]) continue;
    const ZwContact* contact = zw_contact_of(sim, i);
    double from = contacts->rate[i], target = from + jump->part * (jump->target[i] - from);
    if (jump->part == 1 || from >= jump->target[i]) target = jump->target[i];
    contacts->right[i] = target - sim->psi[contact->row];
    for (int32_t k = 0; k < contact->slip_dim; k++) contacts->right_slip[2 * i + k] = -sim->psi[contact->slip + k];
  }
  for (int32_t i = 0; i < sim->m; i++) jump->b[i] = -sim->psi[i];
  for (int32_t j = 0; j < sim->n; j++) jump->h[j] = jump->p_before[j] - jump->p[j];
}

/* Where M is not positive, is the answer to impulses still? */
static bool answers_rightly(const ZwSim* sim) {
  const ZwContacts* contacts = &sim->contacts;
  for (int32_t k = 0; k < contacts->gathered; k++) {
    if (!(contacts->onesided->D[(ptrdiff_t)k * contacts->gathered + k] > 0)) return false;
  }
  return true;
}

/* What the gaps lack, each times more than any impulse: with it, Div falls along every step. */
static double penalty(const ZwSim* sim) {
  const ZwContacts* contacts = &sim->contacts;
  double largest = 0, lack = 0;
  for (int32_t k = 0; k < contacts->gathered; k++) {
    largest = fmax(largest, fabs(contacts->p[k]));
    lack += fmax(contacts->g[k], 0);
  }
  return 2 * largest * lack;
}

/* The change of Div over the step s d from jump->v, roughly. */
static double change_along(ZwSim* sim, const double* d, double s) {
  ZwJump* jump = &sim->jump;
  double sum = 0;
  for (int i = 0; i < GAUSS; i++) {
    double x = 0.5 * s * (1 + (i % 2 ? places[i / 2] : -places[i / 2]));
    for (int32_t j = 0; j < sim->n; j++) jump->at[j] = jump->v[j] + x * d[j];
    if (!zw_jump_momenta(sim, jump->at, jump->toward)) return INFINITY;
    sum += weights[i / 2] * (zw_dot(sim->n, jump->toward, d) - zw_dot(sim->n, jump->p_before, d));
  }
  return 0.5 * s * sum;
}

/* Is v + s d a velocity that L has a value for, and convex where it was? */
static bool may_be(ZwSim* sim, const double* d, double s) {
  ZwJump* jump = &sim->jump;
  for (int32_t j = 0; j < sim->n; j++) jump->at[j] = jump->v[j] + s * d[j];
  return zw_jump_look(sim, jump->at) && (!jump->is_convex || zw_jump_is_positive(sim));
}

double zw_jump_step(ZwSim* sim, bool has_merit, double lack) {
  ZwJump* jump = &sim->jump;
  const double* d = jump->along;
  double slope = -zw_dot(sim->n, jump->h, d) - lack, s = 1;
  for (int k = 0; k < HALVINGS; k++, s *= 0.5) {
    if (!may_be(sim, d, s)) continue;
    if (!has_merit || slope >= 0) return s;
    if (change_along(sim, d, s) - s * lack <= DECREASE * s * slope) return s;
  }
  return 0;
}

bool zw_jump_is_last(ZwSim* sim, double* before, bool* is_small) {
  ZwJump* jump = &sim->jump;
  for (int32_t j = 0; j < sim->n; j++) jump->at[j] = jump->v[j] + jump->along[j] - jump->v_before[j];
  double step = zw_jump_length(sim, jump->along), all = zw_jump_length(sim, jump->at);
  double size = zw_jump_length(sim, jump->v);
  *is_small = step <= STALLED * all;
  bool is_stalled = *is_small && step > 0.25 * *before;
  *before = step;
  return step <= fmax(DONE * all, ROUNDING * size) || is_stalled;
}

static bool has_friction(const ZwSim* sim) {
  const ZwContacts* contacts = &sim->contacts;
  for (int32_t k = 1; k < contacts->gathered; k++) {
    if (contacts->index[k] == contacts->index[k - 1]) return true;
  }
  return false;
}

/* Newton's method from jump->v on. */
static ZwStatus newton(ZwSim* sim, const bool* which) {
  ZwContacts* contacts = &sim->contacts;
  ZwJump* jump = &sim->jump;
  double before = INFINITY;
  for (int k = 0; k < NEWTON_MAX; k++) {
    if (!zw_jump_look(sim, jump->v)) return ZW_ERR_STEP;
    set_rights(sim, which);
    ZwStatus status = zw_contacts_solve(sim, which, ZW_LEVEL_VELOCITY, jump->h, jump->b, NULL);
    if (!jump->is_convex && !answers_rightly(sim)) return ZW_ERR_MASS;
    ZW_TRY(status);
    zw_copy(sim->n, contacts->a, jump->along);
    bool is_small, is_last = zw_jump_is_last(sim, &before, &is_small);
    bool has_merit = jump->is_convex && !has_friction(sim) && !is_small;
    double s = is_last ? 1 : zw_jump_step(sim, has_merit, penalty(sim));
    if (s == 0) return ZW_ERR_STEP;
    zw_axpy(sim->n, s, jump->along, jump->v);
    if (!is_last) continue;
    for (int32_t j = 0; j < sim->n; j++) contacts->a[j] = jump->v[j] - jump->v_before[j];
    return ZW_OK;
  }
  return ZW_ERR_STEP;
}

/* From the rates before to those asked for by parts, where one step does not lead there. */
static ZwStatus go_by_parts(ZwSim* sim, const bool* which) {
  ZwJump* jump = &sim->jump;
  double done = 0, next = 0.25;
  ZwStatus status = ZW_OK;
  zw_copy(sim->n, jump->v_before, jump->v);
  while (done < 1 && next >= PART_LEAST) {
    zw_copy(sim->n, jump->v, jump->kept);
    jump->part = fmin(1, done + next);
    status = newton(sim, which);
    bool is_found = status == ZW_OK;
    if (is_found)
      done = jump->part;
    else
      zw_copy(sim->n, jump->kept, jump->v);
    next *= is_found ? 2 : 0.5;
  }
  jump->part = 1;
  return status;
}

/* ---- the secant mass ---- */

/* The mean of M between v- and v, into sim->M. */
static bool find_secant(ZwSim* sim) {
  ZwJump* jump = &sim->jump;
  int32_t count = sim->equations->M.count;
  double* mean = jump->mean_M;
  zw_fill(count, 0, mean);
  for (int i = 0; i < GAUSS; i++) {
    double x = 0.5 * (1 + (i % 2 ? places[i / 2] : -places[i / 2]));
    for (int32_t j = 0; j < sim->n; j++) jump->at[j] = jump->v_before[j] + x * (jump->v[j] - jump->v_before[j]);
    if (!zw_eval_acceleration(sim, sim->t, sim->y, jump->at)) return false;
    zw_axpy(count, 0.5 * weights[i / 2], sim->Mx, mean);
  }
  zw_copy(count, mean, sim->Mx);
  zw_eval_dense_M(sim);
  return zw_eval_velocity(sim, sim->t, sim->y, jump->v_before);
}

/* To a fixed point of it, from v- on; steadier than Newton's method where contacts stick and slip in turn. */
static ZwStatus iterate_secant(ZwSim* sim, const bool* which) {
  enum { ROUNDS_MAX = 400, PATIENCE = 20 };
  ZwContacts* contacts = &sim->contacts;
  ZwJump* jump = &sim->jump;
  zw_copy(sim->n, jump->v_before, jump->v);
  double damping = 1;
  for (int k = 0; k < ROUNDS_MAX; k++) {
    if (!find_secant(sim)) return ZW_ERR_STEP;
    set_rights(sim, which);
    ZW_TRY(zw_contacts_solve(sim, which, ZW_LEVEL_VELOCITY, sim->zero, jump->b, NULL));
    for (int32_t j = 0; j < sim->n; j++) jump->along[j] = jump->v_before[j] + contacts->a[j] - jump->v[j];
    double step = zw_jump_length(sim, jump->along), all = zw_jump_length(sim, contacts->a);
    double s = damping;
    while (s > DBL_EPSILON && !may_be(sim, jump->along, s)) s *= 0.5;
    zw_axpy(sim->n, s, jump->along, jump->v);
    if (k % PATIENCE == PATIENCE - 1) damping *= 0.7;
    if (s == damping && step <= 4 * DONE * all) return newton(sim, which);
  }
  return ZW_ERR_STEP;
}

ZwStatus zw_jump_solve(ZwSim* sim, const bool* which) {
  ZwJump* jump = &sim->jump;
  if (!jump->is_convex) return go_by_parts(sim, which);
  ZwStatus status = newton(sim, which);
  /* with friction, that an iterate has no answer says nothing about the end */
  bool is_over = status == ZW_OK || !(status == ZW_ERR_STEP || (status == ZW_ERR_INCONSISTENT && has_friction(sim)));
  if (is_over) return status;
  status = go_by_parts(sim, which);
  return status && has_friction(sim) ? iterate_secant(sim, which) : status;
}

/* ---- divergence ---- */

/* What is integrated over 0 .. 1: `count` numbers at s, false where they have no value. */
typedef struct Integral {
  ZwSim* sim;
  const double *from, *to;
  int32_t count;
  bool (*at)(const struct Integral* integral, double s, double* values);
  double relative, absolute; /* error that is allowed: of the largest value, and beside it */
  double size;               /* the integral of the largest absolute value, roughly */
  int32_t intervals;         /* that may still be halved */
} Integral;

static bool gauss(Integral* integral, double a, double b, double* values, double* sum) {
  zw_fill(integral->count, 0, sum);
  for (int i = 0; i < GAUSS; i++) {
    double x = 0.5 * (a + b) + 0.5 * (b - a) * (i % 2 ? places[i / 2] : -places[i / 2]);
    if (!integral->at(integral, x, values)) return false;
    if (b - a == 1) integral->size += 0.5 * weights[i / 2] * zw_max_abs(integral->count, values);
    zw_axpy(integral->count, 0.5 * (b - a) * weights[i / 2], values, sum);
  }
  return true;
}

static bool agree(const Integral* integral, const double* whole, const double* left, const double* right) {
  for (int32_t k = 0; k < integral->count; k++) {
    if (fabs(left[k] + right[k] - whole[k]) > integral->relative * integral->size + integral->absolute) return false;
  }
  return true;
}

/* Adds the integral over a .. b, whose value by one rule is `whole`. `room`: 3 count numbers for each level. */
static bool refine(Integral* integral, double a, double b, const double* whole, int depth, double* room,
                   double* total) {
  double *left = room, *right = room + integral->count, *values = room + 2 * integral->count, middle = 0.5 * (a + b);
  if (!gauss(integral, a, middle, values, left) || !gauss(integral, middle, b, values, right)) return false;
  if (depth == 0 || integral->intervals-- <= 0 || agree(integral, whole, left, right)) {
    zw_axpy(integral->count, 1, left, total);
    zw_axpy(integral->count, 1, right, total);
    return true;
  }
  double* further = room + 3 * integral->count;
  return refine(integral, a, middle, left, depth - 1, further, total) &&
         refine(integral, middle, b, right, depth - 1, further, total);
}

static bool integrate(Integral* integral, double* room, double* total) {
  double *whole = room, *values = room + integral->count;
  zw_fill(integral->count, 0, total);
  if (!gauss(integral, 0, 1, values, whole)) return false;
  return refine(integral, 0, 1, whole, DEPTH_MAX, room + integral->count, total);
}

/* (p(from + s (to - from)) - p(from)) . (to - from); p(from) is in jump->toward */
static bool divergence_at(const Integral* integral, double s, double* value) {
  ZwSim* sim = integral->sim;
  ZwJump* jump = &sim->jump;
  for (int32_t j = 0; j < sim->n; j++) jump->at[j] = integral->from[j] + s * (integral->to[j] - integral->from[j]);
  if (!zw_eval_variation(sim, sim->t, sim->y, jump->at)) return false;
  *value = 0;
  for (int32_t j = 0; j < sim->n; j++) {
    *value += (sim->Lv[j] - jump->toward[j]) * (integral->to[j] - integral->from[j]);
  }
  return true;
}

double zw_jump_divergence(ZwSim* sim, const double* to, const double* from) {
  double room[4 * (DEPTH_MAX + 2)], total;
  Integral integral = {.sim = sim, .from = from, .to = to, .count = 1, .at = divergence_at, .relative = QUADRATURE};
  if (!zw_jump_momenta(sim, from, sim->jump.toward)) return NAN;
  integral.intervals = INTERVALS_MAX;
  for (int32_t j = 0; j < sim->n; j++) { /* rounding of the momenta */
    integral.absolute += DBL_EPSILON * fabs(sim->jump.toward[j] * (to[j] - from[j]));
  }
  return integrate(&integral, room, &total) ? total : NAN;
}

/* ---- the energy of each row ---- */

/* p- + s G^T P into jump->kept. */
static void aim(ZwSim* sim, double s) {
  const ZwContacts* contacts = &sim->contacts;
  zw_copy(sim->n, sim->jump.p_before, sim->jump.kept);
  for (int32_t k = 0; k < contacts->gathered; k++) {
    zw_axpy(sim->n, s * contacts->p[k], contacts->G + (ptrdiff_t)k * sim->n, sim->jump.kept);
  }
}

/* The velocities at.. with the momenta aimed at, and impulses of the constraints, which hold on the way. */
static bool find_on_way(ZwSim* sim, double* v) {
  ZwJump* jump = &sim->jump;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_VELOCITY];
  ZwLeastResult result = {.a = jump->along};
  double before = INFINITY;
  for (int k = 0; k < NEWTON_MAX; k++) {
    if (!zw_jump_look(sim, v)) return false;
    zw_eval_dense_rows(sim, set->rows, set->count, sim->A);
    for (int32_t r = 0; r < set->count; r++) sim->bI[r] = -sim->psi[set->rows[r]];
    for (int32_t j = 0; j < sim->n; j++) jump->h[j] = jump->kept[j] - jump->p[j];
    if (zw_least_factor(sim->least, set->count, sim->M, sim->A)) return false;
    if (zw_least_answer(sim->least, jump->h, sim->bI, &result)) return false;
    for (int32_t j = 0; j < sim->n; j++) jump->at[j] = jump->v[j] - jump->v_before[j];
    double step = zw_jump_length(sim, jump->along), s = 1;
    double size = fmax(zw_jump_length(sim, v), zw_jump_length(sim, jump->at));
    bool is_last = step <= ROUNDING * size || (step <= STALLED * size && step > 0.25 * before);
    double slope = zw_dot(sim->n, jump->h, jump->along);
    for (int i = 0; !is_last && i < HALVINGS; i++, s *= 0.5) {
      for (int32_t j = 0; j < sim->n; j++) jump->at[j] = v[j] + s * jump->along[j];
      if (!zw_jump_momenta(sim, jump->at, jump->toward)) continue;
      double left = 0;
      for (int32_t j = 0; j < sim->n; j++) left += (jump->kept[j] - jump->toward[j]) * jump->along[j];
      if (left >= -0.5 * fabs(slope)) break; /* not too far past the least value */
    }
    zw_axpy(sim->n, s, jump->along, v);
    before = step;
    if (is_last) return true;
  }
  return false;
}

/* Rates of the rows of contacts on the way; of limits of velocities without what they ask for, which is no wall that moves. */
static bool rates_at(const Integral* integral, double s, double* values) {
  ZwSim* sim = integral->sim;
  const ZwContacts* contacts = &sim->contacts;
  double* v = sim->jump.v_way;
  aim(sim, s);
  for (int32_t j = 0; j < sim->n; j++) v[j] = integral->from[j] + s * (integral->to[j] - integral->from[j]);
  if (!find_on_way(sim, v)) return false;
  for (int32_t k = 0; k < contacts->gathered; k++) {
    int32_t i = contacts->index[k], place = k;
    while (place > 0 && contacts->index[place - 1] == i) place--;
    const ZwContact* contact = zw_contact_of(sim, i);
    bool is_wall = zw_contact_level(sim, i) == ZW_LEVEL_POSITION;
    int32_t row = place == k ? contact->row : contact->slip + (k - place - 1);
    values[k] = is_wall ? sim->psi[row] : zw_dot(sim->n, contacts->G + (ptrdiff_t)k * sim->n, v);
  }
  return true;
}

bool zw_jump_share(ZwSim* sim) {
  ZwJump* jump = &sim->jump;
  const ZwContacts* contacts = &sim->contacts;
  Integral integral = {.sim = sim, .from = jump->v_before, .to = jump->v, .count = contacts->gathered, .at = rates_at};
  integral.relative = QUADRATURE_OF_WAYS;
  integral.intervals = INTERVALS_MAX;
  if (!integrate(&integral, jump->room, jump->row_loss)) return false;
  for (int32_t k = 0; k < contacts->gathered; k++) jump->row_loss[k] *= -contacts->p[k];
  return true;
}
