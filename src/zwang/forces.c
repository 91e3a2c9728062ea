/* The forces that make a model follow a motion, by the user's names. */
#include <math.h>
#include <string.h>

#include "least/dense.h"
#include "text/nfc.h"
#include "zwang/forces.h"

#define WITHIN 1e-6
#define TOLERANCE 1e-11

/* ---- what cannot be done ---- */

/* Contacts and events are decided by a motion as it goes on from state to state; here states are looked at one by one. */
static ZwStatus refuse_switches(ZwForceTask* task) {
  const ZwSystem* system = task->sim->system;
  ZwDiagList* diags = &task->run->diags;
  ZwStatus status = ZW_OK;
  for (int32_t i = 0; i < system->contacts.count; i++) {
    const ZwContact* contact = &system->contacts.items[i];
    status =
        zw_diag_error(diags, ZW_ERR_UNSUPPORTED, contact->span,
                      "forces cannot be found beside the contact '%.*s': whether it is open, closed or slips is not "
                      "told by a motion alone",
                      ZW_STR_ARGS(contact->name));
    zw_diag_remedy(diags, "state it as a constraint while it is closed, or leave it out while it is open");
  }
  for (int32_t i = 0; i < system->events.count; i++) {
    const ZwEvent* event = &system->events.items[i];
    if (event->contact > 0) continue;
    if (event->is_stop) {
      zw_diag_note(diags, event->span, "'stop when %.*s' is not looked at: the table says how long the motion is",
                   ZW_STR_ARGS(event->name));
      continue;
    }
    status =
        zw_diag_error(diags, ZW_ERR_UNSUPPORTED, event->span,
                      "forces cannot be found beside 'when %.*s': what it changes depends on how the motion came there",
                      ZW_STR_ARGS(event->name));
  }
  return status;
}

static ZwStatus check_numbers(ZwForceTask* task) {
  const ZwForcesDef* def = task->def;
  ZwDiagList* diags = &task->run->diags;
  if (!(def->within >= 0) || !isfinite(def->within))
    return zw_diag_error(diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                         "how far the motion may be off the constraints must be above 0");
  if (!(def->every >= 0) || !isfinite(def->every))
    return zw_diag_error(diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "the time between rows must be above 0");
  if (def->tolerance != 0 && !(def->tolerance >= 1e-13 && def->tolerance < 1))
    return zw_diag_error(diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "the tolerance must be below 1 and at least 1e-13");
  task->within = def->within > 0 ? def->within : WITHIN;
  task->tolerance = def->tolerance > 0 ? def->tolerance : TOLERANCE;
  return ZW_OK;
}

/* ---- actuators ---- */

static ZwStatus read_actuators(ZwForceTask* task) {
  const ZwForcesDef* def = task->def;
  int32_t n = task->sim->n, count = def->by_count > 0 ? def->by_count : n;
  int32_t* by = ZW_NEW(&task->scratch, count + 1, int32_t);
  if (!by) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < count; k++) {
    by[k] = k;
    if (def->by_count == 0) continue;
    by[k] = zw_forces_coordinate(task, zw_nfc(&task->scratch, zw_str_from(def->by[k])));
    if (by[k] < 0) return zw_forces_unknown(task, "the actuator", def->by[k]);
    for (int32_t l = 0; l < k; l++) {
      if (by[l] == by[k])
        return zw_diag_error(&task->run->diags, ZW_ERR_NAME, (ZwSpan){0}, "the actuator '%s' is named twice",
                             def->by[k]);
    }
  }
  ZW_TRY(zw_control_create(&task->control, &task->scratch, task->sim, count, by));
  task->control.is_full = task->out->is_full = def->by_count == 0;
  return ZW_OK;
}

/* ---- the answer ---- */

static const char* name_of(ZwForceTask* task, int32_t coordinate) {
  return zw_str_copy(task->arena, task->sim->system->coords.items[coordinate].name);
}

/* One of the parts of all points. */
static const double* gather(ZwForceTask* task, ptrdiff_t at, int32_t width) {
  double* all = ZW_NEW(task->arena, (ptrdiff_t)task->points.count * width + 1, double);
  for (int32_t i = 0; all && i < task->points.count; i++) {
    zw_copy(width, task->points.items[i].values + at, all + (ptrdiff_t)i * width);
  }
  return all;
}

static void measure_actuator(const ZwForceTask* task, int32_t k, ZwActuator* actuator) {
  const ZwForces* out = task->out;
  int32_t j = actuator->coordinate;
  double sum = 0;
  actuator->t_largest = actuator->t_power = out->t[0];
  for (int32_t i = 0; i < out->rows; i++) {
    double force = out->force[(ptrdiff_t)i * out->count + k], power = force * out->v[(ptrdiff_t)i * out->n + j];
    double before = i > 0 ? out->t[i] - out->t[i - 1] : 0, behind = i + 1 < out->rows ? out->t[i + 1] - out->t[i] : 0;
    sum += force * force * (before + behind) / 2;
    if (fabs(force) > fabs(actuator->largest)) {
      actuator->largest = force;
      actuator->t_largest = out->t[i];
    }
    if (fabs(power) > fabs(actuator->power)) {
      actuator->power = power;
      actuator->t_power = out->t[i];
    }
  }
  actuator->part = actuator->largest != 0 ? fabs(actuator->largest) / zw_control_scale(&task->control, j) : 0;
  actuator->rms = sqrt(sum / (out->t[out->rows - 1] - out->t[0]));
}

static ZwStatus name_actuators(ZwForceTask* task) {
  ZwActuator* actuators = ZW_NEW(task->arena, task->control.count + 1, ZwActuator);
  if (!actuators) return ZW_ERR_MEMORY;
  for (int32_t k = 0; k < task->control.count; k++) {
    actuators[k].coordinate = task->control.by[k];
    actuators[k].name = name_of(task, task->control.by[k]);
    measure_actuator(task, k, &actuators[k]);
  }
  task->out->actuators = actuators;
  return ZW_OK;
}

static ZwStatus name_missing(ZwForceTask* task) {
  ZwForces* out = task->out;
  ZwMissingForce* lacks = ZW_NEW(task->arena, out->n + 1, ZwMissingForce);
  if (!lacks) return ZW_ERR_MEMORY;
  for (int32_t j = 0; j < out->n; j++) {
    ZwMissingForce lack = {.coordinate = j};
    for (int32_t i = 0; i < out->rows; i++) {
      double missing = out->missing[(ptrdiff_t)i * out->n + j];
      if (!(fabs(missing) > fabs(lack.largest))) continue;
      lack.largest = missing;
      lack.t_largest = out->t[i];
    }
    lack.part = lack.largest != 0 ? fabs(lack.largest) / zw_control_scale(&task->control, j) : 0;
    out->missing_part = zw_larger(out->missing_part, lack.part);
    if (!(lack.part > task->within)) continue;
    lack.name = name_of(task, j);
    int32_t k = out->lack_count++;
    for (; k > 0 && lacks[k - 1].part < lack.part; k--) lacks[k] = lacks[k - 1];
    lacks[k] = lack;
  }
  out->lacks = lacks;
  return ZW_OK;
}

static ZwStatus name_found(ZwForceTask* task) {
  ZwForces* out = task->out;
  const char** found = ZW_NEW(task->arena, out->n + 1, const char*);
  const char** rows = ZW_NEW(task->arena, out->m + 1, const char*);
  if (!found || !rows) return ZW_ERR_MEMORY;
  for (int32_t j = 0; j < out->n; j++) {
    if (!task->columns[j].q) found[out->found_count++] = name_of(task, j);
  }
  for (int32_t i = 0; i < out->m; i++) rows[i] = zw_str_copy(task->arena, zw_row_name(task->sim, i));
  out->found = found;
  out->row_names = rows;
  return ZW_OK;
}

/* A start that is farther from that of the motion makes another motion. */
#define SAME_START 1e-10

static bool is_from_start(const ZwForceTask* task, const double* start) {
  const double* first = task->points.items[0].values;
  int32_t n = task->sim->n;
  double time = task->def->t[task->def->rows - 1] - task->def->t[0];
  for (int32_t i = 0; i < 2 * n; i++) {
    double size = zw_size_over(task->sim, i < n ? i : i - n, i < n ? 0 : 1, time);
    if (fabs(first[i] - start[i]) > SAME_START * zw_size_at(size, start[i])) return false;
  }
  return task->sim->t == task->points.items[0].t;
}

static ZwStatus fill_answer(ZwForceTask* task, const double* start) {
  ZwForces* out = task->out;
  int32_t n = task->sim->n;
  out->n = n;
  out->m = task->sim->m;
  out->count = task->control.count;
  out->rows = task->points.count;
  double* t = ZW_NEW(task->arena, out->rows + 1, double);
  for (int32_t i = 0; t && i < out->rows; i++) t[i] = zw_time(task->sim, task->points.items[i].t);
  out->t = t;
  out->q = gather(task, 0, n);
  out->v = gather(task, n, n);
  out->a = gather(task, 2 * (ptrdiff_t)n, n);
  out->force = gather(task, zw_force_at(task), out->count);
  out->missing = gather(task, zw_missing_at(task), n);
  out->reaction = gather(task, zw_reaction_at(task), out->m);
  if (task->arena->failed) return ZW_ERR_MEMORY;
  for (int k = 0; k < ZW_FOLLOW_LEVELS; k++) {
    const ZwFollowOff* off = &task->follow.worst[k];
    out->off[k] = (ZwMotionOff){off->size, zw_time(task->sim, off->t), off->coordinate};
  }
  out->doubt = (ZwMotionOff){task->track.doubt, zw_time(task->sim, task->track.t_doubt), task->track.doubtful};
  out->is_from_start = is_from_start(task, start);
  ZW_TRY(name_actuators(task));
  ZW_TRY(name_missing(task));
  ZW_TRY(name_found(task));
  return task->arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* Accelerations that are not sure to three digits make forces that nobody should trust. */
#define DOUBT_NOTED 1e-3

static void note_doubt(ZwForceTask* task) {
  const ZwTrack* track = &task->track;
  if (!(track->doubt > DOUBT_NOTED)) return;
  zw_diag_note(
      &task->run->diags, (ZwSpan){0},
      "the rows are too far apart, or too rough, to tell accelerations: %.*s'' at t = %.*g is sure to %.1g of its "
      "largest value only",
      ZW_STR_ARGS(task->sim->system->coords.items[track->doubtful].name),
      zw_clock_digits(zw_time(task->sim, track->t_doubt), 6), zw_time(task->sim, track->t_doubt), track->doubt);
  zw_diag_remedy(&task->run->diags, "give more rows or more digits, or columns of velocities and accelerations");
}

static ZwStatus work(ZwForceTask* task, const double* start) {
  ZW_TRY(refuse_switches(task));
  ZW_TRY(check_numbers(task));
  ZW_TRY(read_actuators(task));
  ZW_TRY(zw_forces_read(task));
  ZW_TRY(zw_follow_create(&task->follow, &task->scratch, task->sim, &task->track));
  note_doubt(task);
  ZW_TRY(zw_forces_fill(task));
  return fill_answer(task, start);
}

static ZwStatus refuse_large(ZwRun* run) {
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "forces of a motion need the dense solve");
  zw_diag_remedy(&run->diags, "set `integrator` of ZwRunDef to \"radau\"");
  return ZW_ERR_ARGUMENT;
}

/* The run goes on from where it was. */
static ZwStatus put_back(ZwSim* sim, const double* start, bool has_limit, ZwStats stats) {
  memcpy(sim->y, start, 2 * (size_t)sim->n * sizeof(double));
  (void)zw_events_set_modes(sim, sim->t, sim->y, sim->y + sim->n);
  ZwStatus status = zw_start_freeze(sim, sim->t);
  sim->stats = stats;
  sim->near.has_limit = has_limit;
  return status;
}

/* y may hold quasi-velocities; here it holds velocities. */
static ZwStatus work_aside(ZwForceTask* task) {
  ZwSim* sim = task->sim;
  int32_t n = sim->n;
  double* kept = ZW_NEW(&task->scratch, 2 * n + 1, double);
  double* start = ZW_NEW(&task->scratch, 2 * n + 1, double);
  if (!kept || !start) return ZW_ERR_MEMORY;
  zw_copy(2 * n, sim->y, kept);
  zw_copy(n, sim->y, start);
  zw_copy(n, zw_velocity(sim, sim->t, sim->y), start + n);
  ZwFormulation formulation = sim->formulation;
  bool has_limit = sim->near.has_limit;
  ZwStats stats = sim->stats;
  sim->formulation = ZW_FORMULATION_AUTO;
  double epoch = sim->epoch, t = sim->t;
  bool has_begin = task->def->rows > 0 && isfinite(task->def->t[0]);
  if (has_begin) zw_sim_count_from(sim, task->def->t[0]); /* the motion may be far from the run */
  ZwStatus status = work(task, start);
  zw_sim_count_from(sim, epoch);
  sim->t = t;
  ZwStatus back = put_back(sim, start, has_limit, stats);
  sim->formulation = formulation;
  zw_copy(2 * n, kept, sim->y);
  return status ? status : back;
}

static ZwStatus find_forces(ZwRun* run, const ZwForcesDef* def, const ZwForces** forces) {
  ZwSim* sim = run->sim;
  if (run->status) return run->status;
  if (sim->large) return zw_run_end(run, refuse_large(run));
  ZwForceTask task = {.run = run, .sim = sim, .def = def, .arena = &run->arena};
  zw_arena_init(&task.scratch, &run->arena.allocator);
  task.out = ZW_NEW(&run->arena, 1, ZwForces);
  ZwStatus status = task.out ? work_aside(&task) : ZW_ERR_MEMORY;
  zw_arena_destroy(&task.scratch);
  status = zw_run_end(run, status);
  if (!status) *forces = task.out;
  return status;
}

ZwStatus zw_run_forces(ZwRun* run, const ZwForcesDef* def, const ZwForces** forces) {
  ZW_CHECK(forces);
  *forces = NULL;
  ZW_CHECK(zw_forces_def_is_whole(def) && zw_run_enter(run));
  return zw_run_leave(run, find_forces(run, def, forces));
}
