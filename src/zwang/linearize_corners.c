/* Corners: where forces, or how steeply they grow, are others on the two sides of a state, the small motions around it are those of no
 * matrix. A state lies on one if a switch (an `if`, abs, min, max, sign) comes out otherwise beside it, and with that outcome the
 * accelerations or their derivatives are others; or if a contact touches without force. Signs that friction holds at zero are no corners:
 * they are rows (repose.c). */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "zwang/linearize_parts.h"

/* So far beside, in units of the mechanism. */
#define BESIDE 1e-6
/* Part of two numbers that they must differ by; and of the units that they count in, which is rounding. */
#define TOL_OTHER 1e-9
#define TOL_NOTHING 1e-14

typedef struct Beside {
  ZwLinearTask* task;
  ZwNear near;             /* the equations with the switches of a state beside */
  double *present, *there; /* by switches: their values at the state, and beside it */
  double *dq, *dv, *q;     /* n, n, 2 n + 1 */
  bool* is_named;          /* by switches */
} Beside;

static double pace_of(const ZwLinearTask* task, int32_t coord) {
  return task->mechanisms.list[task->mechanisms.of[coord]].pace;
}

/* How the tangent vector is to be multiplied so that it is BESIDE. */
static double length_of(const Beside* beside) {
  const ZwLinearTask* task = beside->task;
  double most = 0;
  for (int32_t i = 0; i < task->sim->n; i++) {
    double unit = task->mechanisms.unit[i];
    most = fmax(most, fmax(fabs(beside->dq[i]) / unit, fabs(beside->dv[i]) / (unit * pace_of(task, i))));
  }
  return most > 0 ? BESIDE / most : 0;
}

/* Switches beside the state; false: none is another, or nothing is known there. */
static bool read_switches(Beside* beside, double part) {
  ZwSim* sim = beside->task->sim;
  int32_t n = sim->n;
  bool is_other = false;
  zw_copy(2 * n, beside->task->near.q, beside->q);
  zw_axpy(n, part, beside->dq, beside->q);
  zw_axpy(n, part, beside->dv, beside->q + n);
  if (!zw_eval_events(sim, sim->t, beside->q, beside->q + n)) return false;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    double value = sim->watch.values[sim->system->modes.items[i].value];
    beside->there[i] = sim->watch.rests[i] ? beside->present[i] : value;
    is_other = is_other || beside->there[i] != beside->present[i];
  }
  return is_other;
}

static void set_switches(ZwSim* sim, const double* values) {
  for (int32_t i = 0; i < sim->system->modes.count; i++) sim->values[sim->system->modes.items[i].param] = values[i];
  zw_sim_set_constants(sim);
}

static bool differs(double a, double b, double unit) {
  return fabs(a - b) > TOL_OTHER * (fabs(a) + fabs(b)) + TOL_NOTHING * unit;
}

/* Are the equations at the same state others, with other switches? */
static bool is_other(const Beside* beside, const ZwNear* here) {
  const ZwLinearTask* task = beside->task;
  const ZwNear* there = &beside->near;
  ptrdiff_t n = here->n;
  if (there->rp != here->rp || there->rv != here->rv) return true;
  for (int32_t i = 0; i < n; i++) {
    double pace = pace_of(task, i), unit = task->mechanisms.unit[i];
    if (differs(here->a[i], there->a[i], unit * pace * pace)) return true;
    for (int32_t j = 0; j < n; j++) {
      double ratio = unit / task->mechanisms.unit[j];
      if (differs(here->a_q[i * n + j], there->a_q[i * n + j], ratio * pace * pace)) return true;
      if (differs(here->a_v[i * n + j], there->a_v[i * n + j], ratio * pace)) return true;
    }
  }
  return false;
}

static ZwStatus evaluate(ZwSim* sim, ZwNear* near) {
  ZW_TRY(zw_start_freeze(sim, sim->t));
  return zw_near_evaluate(sim, sim->t, near);
}

/* Along the tangent vector and against it. */
static void look_along(Beside* beside, const ZwNear* here) {
  ZwSim* sim = beside->task->sim;
  double length = length_of(beside);
  for (int sign = -1; sign <= 1 && length > 0; sign += 2) {
    if (!read_switches(beside, sign * length)) continue;
    ZwDiagList kept = *sim->diags;
    set_switches(sim, beside->there);
    bool is_corner = evaluate(sim, &beside->near) != ZW_OK || is_other(beside, here);
    set_switches(sim, beside->present);
    *sim->diags = kept;
    for (int32_t i = 0; i < sim->system->modes.count && is_corner; i++) {
      beside->is_named[i] = beside->is_named[i] || beside->there[i] != beside->present[i];
    }
  }
}

static void look_around(Beside* beside, const ZwNear* here) {
  if (beside->task->sim->system->modes.count == 0) return;
  const ZwTangent* tangent = &beside->task->tangent;
  ptrdiff_t n = tangent->n;
  for (ptrdiff_t k = 0; k < tangent->fq + tangent->fv; k++) {
    bool is_position = k < tangent->fq;
    zw_fill(n, 0, beside->dq);
    if (is_position) zw_copy(n, tangent->Zq + k * n, beside->dq);
    zw_copy(n, is_position ? tangent->P + k * n : tangent->Zv + (k - tangent->fq) * n, beside->dv);
    look_along(beside, here);
  }
}

static ZwStatus open_beside(ZwLinearTask* task, Beside* beside) {
  ZwSim* sim = task->sim;
  ptrdiff_t n = sim->n, modes = sim->system->modes.count;
  beside->present = ZW_NEW(&task->scratch, modes + 1, double);
  beside->there = ZW_NEW(&task->scratch, modes + 1, double);
  beside->is_named = ZW_NEW(&task->scratch, modes + 1, bool);
  beside->dq = ZW_NEW(&task->scratch, n + 1, double);
  beside->dv = ZW_NEW(&task->scratch, n + 1, double);
  beside->q = ZW_NEW(&task->scratch, 2 * n + 1, double);
  ZW_TRY(zw_near_create(sim, &task->scratch, &beside->near));
  if (task->scratch.failed) return ZW_ERR_MEMORY;
  zw_copy(2 * n, task->near.q, beside->near.q);
  for (int32_t i = 0; i < modes; i++) beside->present[i] = sim->values[sim->system->modes.items[i].param];
  return ZW_OK;
}

/* Does a contact touch without force? After an evaluation at the state. */
static bool only_touches(const ZwLinearTask* task, int32_t i, double most) {
  const ZwSim* sim = task->sim;
  const ZwPattern* A = &sim->equations->A;
  int32_t row = zw_contact_of(sim, i)->row;
  double size = 0;
  if (zw_contact_level(sim, i) != ZW_LEVEL_POSITION || !zw_contact_is_there(sim, i)) return false;
  if (zw_contacts_is_closed(sim, i)) return fabs(sim->reactions[row]) <= TOL_OTHER * most;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
    size += fabs(sim->Ax[k]) * task->mechanisms.unit[A->column[k]];
  }
  return fabs(sim->phi[row]) <= TOL_OTHER * size;
}

static ZwStatus name_corners(ZwLinearTask* task, const Beside* beside) {
  ZwSim* sim = task->sim;
  const ZwSystem* system = sim->system;
  const char** names = ZW_NEW(task->arena, system->modes.count + sim->contacts.count + 1, const char*);
  if (!names) return ZW_ERR_MEMORY;
  double most = zw_max_abs(sim->m, sim->reactions);
  for (int32_t i = 0; i < system->modes.count; i++) {
    if (beside->is_named[i]) names[task->out->corner_count++] = zw_str_copy(task->arena, system->modes.items[i].name);
  }
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    if (!only_touches(task, i, most)) continue;
    names[task->out->corner_count++] = zw_str_copy(task->arena, zw_contact_of(sim, i)->name);
  }
  task->out->corner_names = names;
  return task->arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

ZwStatus zw_linear_find_corners(ZwLinearTask* task) {
  ZwSim* sim = task->sim;
  Beside beside = {.task = task};
  ZwNear here;
  if (sim->system->modes.count == 0 && sim->contacts.count == 0) return ZW_OK;
  ZW_TRY(open_beside(task, &beside));
  ZW_TRY(zw_near_create(sim, &task->scratch, &here)); /* without rows of signs that are held */
  zw_copy(2 * sim->n, task->near.q, here.q);
  memcpy(sim->y, task->near.q, 2 * (size_t)sim->n * sizeof(double));
  ZW_TRY(evaluate(sim, &here));
  look_around(&beside, &here);
  if (sim->system->modes.count > 0) (void)zw_eval_events(sim, sim->t, sim->y, sim->y + sim->n);
  ZW_TRY(evaluate(sim, &here));
  ZW_TRY(zw_reactions(sim));
  if (!zw_eval_position(sim, sim->t, sim->y)) return ZW_ERR_DOMAIN;
  return name_corners(task, &beside);
}
