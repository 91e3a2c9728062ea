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
/* Part of that by which all that is looked at is off the borders through the state, on which outcomes may be those of no side. */
#define OFF_BORDER 1e-2
/* Part of two numbers that they must differ by; and of the units that they count in, which is rounding. */
#define TOL_OTHER 1e-9
#define TOL_NOTHING 1e-14

typedef struct Beside {
  ZwLinearTask* task;
  ZwNear near;             /* the equations with the switches of a state beside */
  double *present, *there; /* by switches: their values at the state, and beside it */
  double *dq, *dv, *q;     /* n, n, 2 n + 1 */
  double* off;             /* 2 n: that far off all borders; zero: not known yet */
  bool* is_named;          /* by switches */
  bool* jumps;             /* by switches: accelerations themselves are others, not only how steeply they grow */
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
  zw_axpy(2 * n, 1, beside->off, beside->q);
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

/* Are accelerations others? */
static bool has_jumped(const Beside* beside, const ZwNear* here) {
  const ZwLinearTask* task = beside->task;
  for (int32_t i = 0; i < here->n; i++) {
    double pace = pace_of(task, i), unit = task->mechanisms.unit[i];
    if (differs(here->a[i], beside->near.a[i], unit * pace * pace)) return true;
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
    bool is_known = evaluate(sim, &beside->near) == ZW_OK;
    bool is_corner = !is_known || is_other(beside, here), is_jump = is_known && has_jumped(beside, here);
    set_switches(sim, beside->present);
    *sim->diags = kept;
    for (int32_t i = 0; i < sim->system->modes.count && is_corner; i++) {
      bool is_turned = beside->there[i] != beside->present[i];
      beside->is_named[i] = beside->is_named[i] || is_turned;
      beside->jumps[i] = beside->jumps[i] || (is_turned && is_jump);
    }
  }
}

/* Some way that the state can go, along none of its tangent vectors. */
static void lead_aside(Beside* beside) {
  const ZwTangent* tangent = &beside->task->tangent;
  ptrdiff_t n = tangent->n, all = tangent->fq + tangent->fv;
  zw_fill(n, 0, beside->dq);
  zw_fill(n, 0, beside->dv);
  for (ptrdiff_t k = 0; k < all; k++) {
    bool is_position = k < tangent->fq;
    double part = 1 / (1 + (double)k);
    if (is_position) zw_axpy((int32_t)n, part, tangent->Zq + k * n, beside->dq);
    zw_axpy((int32_t)n, part, is_position ? tangent->P + k * n : tangent->Zv + (k - tangent->fq) * n, beside->dv);
  }
}

/* On a border the outcomes may be those of no side: at x = 0 both parts of max(x, 0)^2 + max(-x, 0)^2 are there. Where forces go over it
 * without a jump, the switches of one side are taken, and the equations with them into `here`. */
static ZwStatus take_side(Beside* beside, ZwNear* here) {
  ZwSim* sim = beside->task->sim;
  int32_t modes = sim->system->modes.count;
  lead_aside(beside);
  int32_t n = sim->n;
  double length = modes > 0 ? length_of(beside) : 0;
  bool is_border = length > 0 && read_switches(beside, length);
  zw_axpy(n, OFF_BORDER * length, beside->dq, beside->off);
  zw_axpy(n, OFF_BORDER * length, beside->dv, beside->off + n);
  if (!is_border) return ZW_OK;
  ZwDiagList kept = *sim->diags;
  set_switches(sim, beside->there);
  bool is_side = evaluate(sim, &beside->near) == ZW_OK && !has_jumped(beside, here);
  *sim->diags = kept;
  if (is_side) zw_copy(modes, beside->there, beside->present);
  set_switches(sim, beside->present);
  ZW_TRY(evaluate(sim, here));
  return is_side ? zw_linear_look(beside->task) : ZW_OK;
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
  beside->jumps = ZW_NEW(&task->scratch, modes + 1, bool);
  beside->dq = ZW_NEW(&task->scratch, n + 1, double);
  beside->dv = ZW_NEW(&task->scratch, n + 1, double);
  beside->q = ZW_NEW(&task->scratch, 2 * n + 1, double);
  beside->off = ZW_NEW(&task->scratch, 2 * n + 1, double);
  ZW_TRY(zw_near_create(sim, &task->scratch, &beside->near));
  if (task->scratch.failed) return ZW_ERR_MEMORY;
  if (task->near.q) zw_copy(2 * n, task->near.q, beside->near.q);
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

/* ---- forces that jump ---- */

static ZwSpan place_of(const ZwSystem* system, int32_t value) {
  for (int32_t k = 0, number = 0; k < system->terms.count; k++) {
    if (system->terms.items[k].kind == ZW_TERM_EVENT && number++ == value) return system->terms.items[k].span;
  }
  return (ZwSpan){0};
}

static ZwStatus refuse_kink(ZwLinearTask* task, int32_t mode) {
  const ZwSystem* system = task->sim->system;
  bool is_steady = task->out->at == ZW_LINEARIZE_STEADY;
  zw_diag_error(
      &task->run->diags, ZW_ERR_STEP, place_of(system, system->modes.items[mode].value),
      "the %s is at a kink: accelerations jump where '%.*s' switches, so small motions around it are those of "
      "no matrix",
      is_steady ? "steady motion" : "equilibrium", ZW_STR_ARGS(system->modes.items[mode].name));
  zw_diag_remedy(&task->run->diags,
                 "round it off, as sqrt(x^2 + e^2) does abs(x); 'zwang run' follows the motion over it as it is");
  return ZW_ERR_STEP;
}

/* Units from the start along which accelerations are followed, from the first to the last, each twice the one before. */
#define KINK_FIRST 1e-9
#define KINK_LAST 1e12
/* Cosine of what counts as straight back. */
#define STRAIGHT 0.999

/* Where the accelerations lead to, and what they are there: their part along `way`, with the switches of that place. */
static bool look_at(Beside* beside, const double* from, const double* way, double length, double* along,
                    bool* is_other) {
  ZwSim* sim = beside->task->sim;
  int32_t n = sim->n;
  zw_copy(n, from, beside->near.q);
  zw_axpy(n, length, way, beside->near.q);
  zw_fill(n, 0, beside->near.q + n);
  if (!zw_eval_events(sim, sim->t, beside->near.q, beside->near.q + n)) return false;
  *is_other = false;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    beside->there[i] = sim->watch.values[sim->system->modes.items[i].value];
    *is_other = *is_other || beside->there[i] != beside->present[i];
  }
  set_switches(sim, beside->there);
  if (evaluate(sim, &beside->near) != ZW_OK) return false;
  *along = zw_dot(n, way, beside->near.a);
  return true;
}

/* From `from` the accelerations lead over a switch, and lead back from beyond it. */
static bool leads_to_kink(Beside* beside, const double* from, int32_t worst, double* way, int32_t* mode) {
  const ZwLinearTask* task = beside->task;
  ZwSim* sim = task->sim;
  int32_t n = sim->n;
  double along, most = 0, low = 0, high = KINK_FIRST;
  bool is_turned;
  zw_fill(n, 0, way);
  if (!look_at(beside, from, way, 0, &along, &is_turned)) return false;
  zw_copy(sim->system->modes.count, beside->there, beside->present);
  const int32_t* of = task->mechanisms.of;
  for (int32_t i = 0; i < n; i++) way[i] = of[i] == of[worst] ? beside->near.a[i] : 0; /* the others have their own */
  for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(way[i]) / task->mechanisms.unit[i]);
  if (!(most > 0) || !isfinite(most)) return false;
  for (int32_t i = 0; i < n; i++) way[i] /= most;
  for (is_turned = false; !is_turned && high < KINK_LAST; high *= 2) {
    if (!look_at(beside, from, way, high, &along, &is_turned)) return false;
    if (!is_turned && along <= 0) return false; /* zero in between, without a switch */
    if (is_turned) break;
    low = high;
  }
  while (is_turned && high - low > 4e-16 * high && low < 0.5 * (low + high) && 0.5 * (low + high) < high) {
    bool is_beyond;
    double middle = 0.5 * (low + high);
    if (!look_at(beside, from, way, middle, &along, &is_beyond)) return false;
    if (is_beyond)
      high = middle;
    else
      low = middle;
  }
  bool is_before;
  double before, after;
  if (!is_turned || !look_at(beside, from, way, low, &before, &is_before)) return false;
  high += KINK_FIRST + 1e-9 * high; /* on the border itself a sign is 0 */
  if (!look_at(beside, from, way, high, &after, &is_turned)) return false;
  for (int32_t i = sim->system->modes.count - 1; i >= 0; i--) {
    if (beside->there[i] != beside->present[i]) *mode = i;
  }
  double back = 0; /* straight back: where they lead along the border, it is no state of rest */
  for (int32_t i = 0; i < n; i++) back += way[i] != 0 ? beside->near.a[i] * beside->near.a[i] : 0;
  return is_turned && before > 0 && after < 0 && after < -STRAIGHT * sqrt(back * zw_dot(n, way, way));
}

ZwStatus zw_linear_refuse_kink(ZwLinearTask* task, int32_t worst) {
  ZwSim* sim = task->sim;
  Beside beside = {.task = task};
  int32_t mode = 0;
  if (sim->system->modes.count == 0) return ZW_OK;
  ZW_TRY(open_beside(task, &beside));
  ZwDiagList kept = *sim->diags;
  bool is_kink = leads_to_kink(&beside, task->start, worst, beside.dq, &mode);
  *sim->diags = kept;
  return is_kink ? refuse_kink(task, mode) : ZW_OK;
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
  ZW_TRY(take_side(&beside, &here));
  look_around(&beside, &here);
  for (int32_t i = 0; i < sim->system->modes.count && task->out->at != ZW_LINEARIZE_PRESENT; i++) {
    if (beside.jumps[i]) return refuse_kink(task, i);
  }
  if (sim->system->modes.count > 0) (void)zw_eval_events(sim, sim->t, sim->y, sim->y + sim->n);
  ZW_TRY(evaluate(sim, &here));
  ZW_TRY(zw_reactions(sim));
  if (!zw_eval_position(sim, sim->t, sim->y)) return ZW_ERR_DOMAIN;
  return name_corners(task, &beside);
}
