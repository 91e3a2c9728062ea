/* What contacts, friction and switches do at rest. Nothing is decided here that the motion decides: a state of rest is handed to what a
 * run begins with and to what happens where a slip comes to its end. Friction in two directions is the exception: the motion creeps
 * instead of sticking (friction.c), and here it sticks, as Coulomb's law has it. */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "least/lu.h"
#include "motion/linear.h"

enum { TURNS = 4 }; /* in which contacts and signs have their say */

bool zw_repose_is_needed(const ZwSim* sim) {
  return sim->contacts.count > 0 || sim->system->modes.count > 0;
}

/* ---- switches ---- */

static bool is_sign(const ZwSim* sim, int32_t mode) {
  return sim->system->modes.items[mode].sign_of > 0;
}

/* Switches at the present state, and the signs that hold what they hold. */
static ZwStatus decide_switches(ZwSim* sim) {
  if (sim->system->modes.count == 0) return ZW_OK;
  for (int32_t i = 0; i < sim->system->modes.count; i++) sim->watch.rests[i] = false;
  (void)zw_events_set_modes(sim, sim->t, sim->y, sim->y + sim->n);
  if (sim->m > 0) ZW_TRY(zw_start_freeze(sim, sim->t)); /* constraints may have come or gone */
  return zw_rest_begin(sim);
}

static double margin_of(const ZwSim* sim, int32_t mode) {
  return sim->watch.looks.margins[sim->system->modes.items[mode].sign_of - 1];
}

/* Signs of what is at rest and is not held there, which are the force of friction that begins to slip, are less than they are. */
static void weaken_signs(ZwSim* sim, double part) {
  if (!zw_eval_events(sim, sim->t, sim->y, sim->y + sim->n)) return;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    double* held = &sim->values[sim->system->modes.items[i].param];
    bool begins = is_sign(sim, i) && !sim->watch.rests[i] && fabs(margin_of(sim, i)) <= zw_rest_band(sim, i);
    if (begins) *held = *held > 0 ? part : *held < 0 ? -part : 0;
  }
  zw_sim_set_constants(sim);
}

/* ---- friction in two directions ---- */

static bool is_disc(const ZwSim* sim, int32_t i) {
  return zw_contact_of(sim, i)->slip_dim > 1 && sim->contacts.sliding.mu[i] > 0 && zw_contacts_is_closed(sim, i);
}

/* By how much the force of a contact that sticks is outside its cone, as a part of its size. */
static double outside_cone(const ZwSim* sim, int32_t i) {
  const ZwContact* contact = zw_contact_of(sim, i);
  double N = sim->reactions[contact->row], most = sim->contacts.sliding.mu[i] * zw_larger(N, 0);
  double T = hypot(sim->reactions[contact->slip], sim->reactions[contact->slip + 1]);
  return T > most ? (T - most) / T : 0;
}

/* All that can stick does: those that cannot are let go, the one that is farthest from it first. */
static ZwStatus stick_discs(ZwSim* sim) {
  bool is_any = false;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    if (contact->slip_dim > 1) sim->values[contact->sticks] = is_disc(sim, i);
    is_any = is_any || is_disc(sim, i);
  }
  for (bool is_over = !is_any; !is_over;) {
    zw_sim_set_constants(sim);
    ZW_TRY(zw_start_freeze(sim, sim->t));
    ZW_TRY(zw_eval_rate(sim, sim->t, sim->y, sim->k[ZW_DOP853_STAGES + 1]));
    ZW_TRY(zw_reactions(sim));
    int32_t worst = -1;
    double most = 1e-9;
    for (int32_t i = 0; i < sim->contacts.count; i++) {
      bool sticks = is_disc(sim, i) && sim->values[zw_contact_of(sim, i)->sticks] != 0;
      if (!sticks || !(outside_cone(sim, i) > most)) continue;
      most = outside_cone(sim, i);
      worst = i;
    }
    is_over = worst < 0;
    if (worst >= 0) sim->values[zw_contact_of(sim, worst)->sticks] = 0;
  }
  return ZW_OK;
}

/* ---- all of it ---- */

static ZwStatus decide_contacts(ZwSim* sim) {
  if (sim->contacts.count == 0) return ZW_OK;
  for (int32_t i = 0; i < sim->contacts.count; i++) { /* the motion knows none that sticks */
    const ZwContact* contact = zw_contact_of(sim, i);
    if (contact->slip_dim > 1) sim->values[contact->sticks] = 0;
  }
  zw_sim_set_constants(sim);
  sim->contacts.sliding.less = 0;
  zw_contacts_remember(sim);
  ZW_TRY(zw_contacts_settle(sim, NULL));
  return sim->contacts.has_discs ? stick_discs(sim) : ZW_OK;
}

static ZwStatus decide(ZwSim* sim, double part) {
  int turns = sim->contacts.count > 0 && sim->system->modes.count > 0 ? TURNS : 1;
  ZW_TRY(zw_start_freeze(sim, sim->t));
  for (int turn = 0; turn < turns; turn++) {
    ZW_TRY(decide_contacts(sim));
    ZW_TRY(decide_switches(sim));
  }
  if (part < 1) weaken_signs(sim, part);
  if (part < 1 && sim->contacts.rubbing > 0) {
    sim->contacts.sliding.less = 1 - part;
    if (!zw_eval_events(sim, sim->t, sim->y, sim->y + sim->n)) return ZW_ERR_DOMAIN;
    ZW_TRY(zw_friction_read(sim));
  }
  return zw_start_freeze(sim, sim->t);
}

ZwStatus zw_repose_decide(ZwSim* sim, double t, double* q, const double* v, double part) {
  ZwDiagList kept = *sim->diags;
  sim->t = t;
  zw_copy(sim->n, q, sim->y);
  zw_copy(sim->n, v, sim->y + sim->n);
  ZwStatus status = decide(sim, part);
  *sim->diags = kept;
  zw_copy(sim->n, sim->y, q);
  return status;
}

bool zw_repose_is_through(ZwSim* sim, double t, const ZwMechanisms* all, int32_t which, const double* q, double part) {
  const ZwPattern* A = &sim->equations->A;
  if (sim->contacts.count == 0) return false;
  if (!zw_eval_position(sim, t, q)) return false;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    int32_t row = zw_contact_of(sim, i)->row;
    bool is_gap = zw_contact_level(sim, i) == ZW_LEVEL_POSITION && zw_contact_is_there(sim, i);
    if (!is_gap || zw_contacts_is_closed(sim, i) || A->begin[row] == A->begin[row + 1]) continue;
    if (all->of[A->column[A->begin[row]]] != which) continue;
    double size = 0;
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) size += fabs(sim->Ax[k]) * all->unit[A->column[k]];
    if (sim->phi[row] < -part * size) return true;
  }
  return false;
}

/* ---- signs at rest as rows ---- */

typedef struct Held {
  int32_t count;
  int32_t* modes; /* count */
  double *G, *F;  /* count x n: how the numbers change with the velocities; the accelerations with the signs */
  double* G_q;    /* count x n: with the positions */
} Held;

/* The differences of all numbers held when x[j] changes by h, into column j of `to`. */
static bool find_column(ZwSim* sim, const Held* held, double t, const ZwNear* near, double* x, double h, double* to) {
  double kept = *x;
  ptrdiff_t n = near->n;
  *x = kept + h;
  bool is_finite = zw_eval_events(sim, t, near->q, near->v);
  for (int32_t k = 0; k < held->count; k++) to[k * n] = margin_of(sim, held->modes[k]) / (2 * h);
  *x = kept - h;
  is_finite = is_finite && zw_eval_events(sim, t, near->q, near->v);
  for (int32_t k = 0; k < held->count; k++) to[k * n] -= margin_of(sim, held->modes[k]) / (2 * h);
  *x = kept;
  return is_finite;
}

static ZwStatus find_slopes(ZwSim* sim, const Held* held, double t, const ZwMechanisms* all, ZwNear* near) {
  for (int32_t j = 0; j < near->n; j++) {
    double unit = all->unit[j], pace = all->list[all->of[j]].pace;
    if (!find_column(sim, held, t, near, &near->v[j], unit * pace, held->G + j)) return ZW_ERR_DOMAIN;
    if (!find_column(sim, held, t, near, &near->q[j], 1e-6 * unit, held->G_q + j)) return ZW_ERR_DOMAIN;
  }
  (void)zw_eval_events(sim, t, near->q, near->v);
  for (int32_t k = 0; k < held->count; k++) { /* the signs stand linearly in the forces */
    double *value = &sim->values[sim->system->modes.items[held->modes[k]].param], kept = *value;
    double *F = held->F + (ptrdiff_t)k * near->n, *rate = sim->k[ZW_DOP853_STAGES + 1];
    *value = kept + 1;
    zw_sim_set_constants(sim);
    ZwStatus status = zw_eval_rate(sim, t, near->q, rate);
    *value = kept;
    zw_sim_set_constants(sim);
    ZW_TRY(status);
    for (int32_t j = 0; j < near->n; j++) F[j] = sim->a[j] - near->a[j];
  }
  return ZW_OK;
}

/* a gives way so that the numbers stay zero: a += F ds with G a' + G_q v' = 0, where (G F) ds = -(G a' + G_q v'). */
static void give_way(const Held* held, ZwNear* near, double* D, double* ds, int32_t* swap) {
  int32_t n = near->n, count = held->count;
  for (int32_t i = 0; i < count; i++) {
    for (int32_t j = 0; j < count; j++) {
      D[(ptrdiff_t)i * count + j] = zw_dot(n, held->G + (ptrdiff_t)i * n, held->F + (ptrdiff_t)j * n);
    }
  }
  if (!(zw_lu_factor(count, D, swap) > 0)) return;
  for (int pass = 0; pass < 2; pass++) {
    double* slope = pass == 0 ? near->a_q : near->a_v;
    for (int32_t j = 0; j < n; j++) {
      for (int32_t i = 0; i < count; i++) {
        ds[i] = pass == 0 ? 0 : -held->G_q[(ptrdiff_t)i * n + j];
        for (int32_t k = 0; k < n; k++) ds[i] -= held->G[(ptrdiff_t)i * n + k] * slope[(ptrdiff_t)k * n + j];
      }
      zw_lu_solve(count, D, swap, ds);
      for (int32_t k = 0; k < n; k++) {
        for (int32_t i = 0; i < count; i++) slope[(ptrdiff_t)k * n + j] += held->F[(ptrdiff_t)i * n + k] * ds[i];
      }
    }
  }
}

ZwStatus zw_repose_hold_signs(ZwSim* sim, ZwArena* arena, double t, const ZwMechanisms* all, ZwNear* near) {
  ptrdiff_t n = near->n, modes = sim->system->modes.count;
  Held held = {.modes = ZW_NEW(arena, modes + 1, int32_t)};
  for (int32_t i = 0; held.modes && i < modes; i++) {
    if (is_sign(sim, i) && sim->watch.rests[i]) held.modes[held.count++] = i;
  }
  if (held.count == 0) return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
  held.G = ZW_NEW(arena, 3 * held.count * n, double);
  held.F = held.G + held.count * n;
  held.G_q = held.F + held.count * n;
  double *D = ZW_NEW(arena, (ptrdiff_t)held.count * held.count, double), *ds = ZW_NEW(arena, held.count, double);
  int32_t* swap = ZW_NEW(arena, held.count, int32_t);
  if (arena->failed) return ZW_ERR_MEMORY;
  ZW_TRY(find_slopes(sim, &held, t, all, near));
  give_way(&held, near, D, ds, swap);
  for (int32_t k = 0; k < held.count; k++, near->rv++) {
    zw_copy(n, held.G + k * n, near->Av + near->rv * n);
    zw_copy(n, held.G_q + k * n, near->psi_q + near->rv * n);
    near->psi[near->rv] = near->b[near->rv] = 0;
  }
  return ZW_OK;
}
