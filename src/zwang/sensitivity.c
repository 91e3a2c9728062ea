/* Sensitivities that a run is asked for by name. */
#include <math.h>

#include <string.h>

#include "base/finite.h"
#include "motion/adjoint.h"
#include "text/nfc.h"
#include "zwang/handles.h"

static const char START[] = "start.";

static bool is_start(ZwStr name) {
  return name.size > (int32_t)sizeof START - 1 && memcmp(name.data, START, sizeof START - 1) == 0;
}

static bool find_start(const ZwSystem* system, ZwStr name, ZwBy* by) {
  bool is_velocity = name.size > 0 && name.data[name.size - 1] == '\'';
  ZwStr coord = {name.data, name.size - is_velocity};
  int32_t i = zw_system_find_coord(system, coord);
  if (i < 0) return false;
  *by = (ZwBy){true, is_velocity ? system->coords.count + i : i};
  return true;
}

static bool find_param(const ZwSystem* system, ZwStr name, ZwBy* by) {
  for (int32_t i = 0; i < system->params.count; i++) {
    const ZwParam* param = &system->params.items[i];
    if (param->is_hidden || !zw_str_equal(param->name, name)) continue;
    *by = (ZwBy){false, i};
    return true;
  }
  return false;
}

static ZwStatus refuse_param(ZwRun* run, const ZwParam* param) {
  if (param->is_memory) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, param->span,
                  "'%.*s' is a memory, which events change: it cannot be varied", ZW_STR_ARGS(param->name));
    zw_diag_remedy(&run->diags, "vary a parameter that its first value is computed from");
    return ZW_ERR_ARGUMENT;
  }
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, param->span,
                "the parameter '%.*s' decides what the model is made of: there is no derivative by it",
                ZW_STR_ARGS(param->name));
  return ZW_ERR_ARGUMENT;
}

static ZwStatus refuse_unknown(ZwRun* run, ZwStr name) {
  const ZwSystem* system = &run->model->system;
  ZwBy by;
  if (is_start(name)) {
    ZwStr coord = {name.data + sizeof START - 1, name.size - (int32_t)sizeof START + 1};
    zw_diag_error(&run->diags, ZW_ERR_NAME, (ZwSpan){0}, "the model has no coordinate or velocity '%.*s' to vary",
                  ZW_STR_ARGS(coord));
    zw_diag_remedy(&run->diags, "as in start.%.*s, or start.%.*s' for its velocity",
                   ZW_STR_ARGS(system->coords.items[0].name), ZW_STR_ARGS(system->coords.items[0].name));
    return ZW_ERR_NAME;
  }
  zw_diag_error(&run->diags, ZW_ERR_NAME, (ZwSpan){0}, "the model has no parameter '%.*s' to vary", ZW_STR_ARGS(name));
  ZwStr nearest = {0};
  int32_t least = 3;
  for (int32_t i = 0; i < system->params.count; i++) {
    const ZwParam* param = &system->params.items[i];
    int32_t distance = param->is_hidden ? least : zw_str_distance(name, param->name, 2);
    if (distance >= least || distance >= name.size) continue;
    least = distance;
    nearest = param->name;
  }
  if (find_start(system, name, &by))
    zw_diag_remedy(&run->diags, "its start value is 'start.%.*s'", ZW_STR_ARGS(name));
  else if (nearest.size)
    zw_diag_remedy(&run->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
  else
    zw_diag_remedy(&run->diags, "parameters by their names, start values as in start.x or start.x'");
  return ZW_ERR_NAME;
}

static ZwStatus read_name(ZwRun* run, const char* text, ZwBy* by) {
  const char* own = zw_str_copy(&run->arena, zw_str_from(text));
  if (!own) return ZW_ERR_MEMORY;
  ZwStr name = zw_nfc(&run->arena, zw_str_from(own));
  const ZwSystem* system = &run->model->system;
  if (run->arena.failed) return ZW_ERR_MEMORY;
  ZwStr coord =
      is_start(name) ? (ZwStr){name.data + sizeof START - 1, name.size - (int32_t)sizeof START + 1} : (ZwStr){0};
  if (is_start(name) && find_start(system, coord, by)) return ZW_OK;
  if (!find_param(system, name, by)) return refuse_unknown(run, name);
  const ZwParam* param = &system->params.items[by->index];
  return param->is_memory || param->is_structural ? refuse_param(run, param) : ZW_OK;
}

static ZwStatus check_host(ZwRun* run) {
  if (run->model->system.host_rows.count == 0) return ZW_OK;
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                "constraints that the host computes have no derivatives, so there are no sensitivities");
  return ZW_ERR_ARGUMENT;
}

/* By the name of the model, whichever alias it was asked for by. */
static const char* name_of(ZwRun* run, const ZwBy* by) {
  const ZwSystem* system = &run->model->system;
  int32_t n = run->sim->n;
  if (!by->is_start) return zw_str_copy(&run->arena, system->params.items[by->index].name);
  return zw_format(&run->arena, "start.%.*s%s", ZW_STR_ARGS(system->coords.items[by->index % n].name),
                   by->index < n ? "" : "'");
}

/* What is varied, for the report. */
static ZwStatus collect(ZwRun* run, const ZwBy* by, int32_t count) {
  ZwParameter* varied = ZW_NEW(&run->arena, count, ZwParameter);
  for (int32_t i = 0; varied && i < count; i++) {
    const double* values = by[i].is_start ? run->sim->typed : run->sim->values;
    varied[i] = (ZwParameter){name_of(run, &by[i]), values[by[i].index]};
  }
  run->report.varied = varied;
  run->report.varied_count = run->arena.failed ? 0 : count;
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

static ZwStatus read_names(ZwRun* run, ZwBy* by) {
  for (int32_t i = 0; i < run->def.sensitivity_count; i++) {
    ZW_TRY(read_name(run, run->def.sensitivity[i], &by[i]));
    for (int32_t k = 0; k < i; k++) {
      if (by[k].is_start != by[i].is_start || by[k].index != by[i].index) continue;
      zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "'%s' is to be varied twice", run->def.sensitivity[i]);
      return ZW_ERR_ARGUMENT;
    }
  }
  return ZW_OK;
}

/* ---- gradients ---- */

/* A parameter of several files counts once. */
static bool is_first(const ZwSystem* system, int32_t i) {
  for (int32_t k = 0; k < i; k++) {
    if (!system->params.items[k].is_hidden &&
        zw_str_equal(system->params.items[k].name, system->params.items[i].name)) {
      return false;
    }
  }
  return true;
}

/* All parameters that can be varied, and all typed start values. */
static int32_t find_all(const ZwRun* run, ZwBy* by) {
  const ZwSystem* system = &run->model->system;
  int32_t count = 0;
  for (int32_t i = 0; i < system->params.count; i++) {
    const ZwParam* param = &system->params.items[i];
    if (!param->is_hidden && !param->is_memory && !param->is_structural && is_first(system, i))
      by[count++] = (ZwBy){false, i};
  }
  for (int32_t i = 0; i < 2 * run->sim->n; i++) {
    if (run->sim->hold[i] == ZW_HOLD_TYPED) by[count++] = (ZwBy){true, i};
  }
  return count;
}

static void describe(ZwRun* run, const ZwBy* by, int32_t i, const char** names, double* at) {
  names[i] = name_of(run, by);
  at[i] = by->is_start ? run->sim->typed[by->index] : run->sim->values[by->index];
}

static ZwStatus open_gradient(ZwRun* run, const ZwGiven* given, ZwBy* by, int32_t count) {
  const char** names = ZW_NEW(&run->arena, count + 1, const char*);
  double *at = ZW_NEW(&run->arena, count + 1, double), *derivatives = ZW_NEW(&run->arena, count + 1, double);
  if (run->arena.failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < count; i++) describe(run, &by[i], i, names, at);
  run->gradient = (ZwGradient){.count = count, .by = names, .at = at, .derivatives = derivatives};
  size_t limit = run->model->arena.limit;
  return zw_adjoint_create(run->sim, given, by, count, limit);
}

ZwStatus zw_run_read_sensitivity(ZwRun* run, const ZwGiven* given) {
  int32_t count = run->def.sensitivity_count, most = run->model->system.params.count + 2 * run->sim->n;
  if (count == 0 && !run->def.gradient) return ZW_OK;
  ZW_TRY(check_host(run));
  ZwBy* by = ZW_NEW(&run->arena, count > 0 ? count : most, ZwBy);
  if (!by) return ZW_ERR_MEMORY;
  ZW_TRY(read_names(run, by));
  if (!run->def.gradient) {
    ZW_TRY(collect(run, by, count));
    return zw_sensitivity_create(run->sim, given, by, count);
  }
  return open_gradient(run, given, by, count > 0 ? count : find_all(run, by));
}

static ZwStatus refuse_column(ZwRun* run, const char* of) {
  const char* nearest = NULL;
  for (int32_t i = 1; i < run->model->column_count && !nearest; i++) {
    const char* name = run->model->columns[i];
    if (strlen(of) > 1 && zw_str_distance(zw_str_from(of), zw_str_from(name), 2) <= 2) nearest = name;
  }
  zw_diag_error(&run->diags, ZW_ERR_NAME, (ZwSpan){0}, "the model has no coordinate, velocity or output '%s'", of);
  if (nearest) zw_diag_remedy(&run->diags, "did you mean '%s'?", nearest);
  return ZW_ERR_NAME;
}

static ZwStatus find_gradient(ZwRun* run, const char* of, const ZwGradient** gradient) {
  ZW_TRY(run->status);
  if (!run->def.gradient || !run->report.has_begun) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                  "a gradient is of a run that records its path and has begun");
    zw_diag_remedy(&run->diags, "set `gradient` of ZwRunDef, and run it first");
    return ZW_ERR_ARGUMENT;
  }
  int32_t column = zw_model_column_find(run->model, of);
  if (column == 0) return refuse_column(run, of);
  ZW_TRY(zw_run_present(run->sim));
  run->gradient.of = run->model->columns[column];
  run->gradient.t = zw_time(run->sim, run->sim->t);
  run->gradient.value = run->sim->row[column];
  bool is_at_end = isnan(run->def.to) && !(run->sim->t < run->report.span);
  ZwStatus status = zw_adjoint_gradient(run->sim, column, is_at_end, (double*)(uintptr_t)run->gradient.derivatives);
  if (!status && !zw_all_finite(run->gradient.count, run->gradient.derivatives)) status = ZW_ERR_DOMAIN;
  if (!status) {
    *gradient = &run->gradient;
    return ZW_OK;
  }
  if (status == ZW_ERR_MEMORY) return status;
  zw_diag_error(&run->diags, ZW_ERR_STEP, (ZwSpan){0}, "the gradient of '%s' at t = %.*g has no finite value", of,
                zw_clock_digits(run->gradient.t, 9), run->gradient.t);
  zw_diag_remedy(&run->diags,
                 "the motion does not depend smoothly on what is varied: a singular position on its way, a "
                 "root or a quotient at its end");
  return ZW_ERR_STEP;
}

ZwStatus zw_run_gradient(ZwRun* run, const char* of, const ZwGradient** gradient) {
  ZW_CHECK(gradient);
  *gradient = NULL;
  ZW_CHECK(of && zw_run_enter(run));
  return zw_run_leave(run, find_gradient(run, of, gradient));
}

void zw_run_report_sensitivity(ZwRun* run) {
  const ZwSensitivity* sensitivity = run->sim->sensitivity;
  if (!sensitivity) return;
  run->report.sensitivity_drift = sensitivity->drift;
  run->report.sensitivity_steps = sensitivity->steps;
  run->report.sensitivity_evaluations = sensitivity->evaluations;
}

/* Derivatives are at fixed times: where the end itself moves with what is varied, the last row does not tell how the end changes. */
void zw_run_note_moving_end(ZwRun* run) {
  const ZwSensitivity* sensitivity = run->sim->sensitivity;
  if (!sensitivity || run->def.gradient || run->report.varied_count == 0) return;
  ZwText names;
  zw_text_init(&names, &run->arena);
  int32_t moving = 0;
  for (int32_t i = 0; i < run->report.varied_count && isnan(run->def.to); i++) {
    if (sensitivity->dend[i] == 0) continue;
    zw_text_addf(&names, "%s'%s'", moving++ > 0 ? ", " : "", run->report.varied[i].name);
  }
  bool is_stopped = run->sim->watch.is_stopped;
  if (run->arena.failed || (!is_stopped && moving == 0)) return;
  zw_diag_note(&run->diags, (ZwSpan){0}, "%s: derivatives are at fixed times, in the last row too, and do not follow it",
               is_stopped ? "the run ends at 'stop when', whose time depends on what is varied"
                          : zw_format(&run->arena, "the end of the run moves with %s", zw_text_get(&names)));
  zw_diag_remedy(&run->diags, "--gradient NAME gives the derivatives of a number where the run ends");
}

ZwStatus zw_run_name_sensitivity(ZwRun* run) {
  int32_t own = run->own_columns.count - (run->sim->has_evidence ? ZW_EVIDENCE : 0);
  for (int32_t i = 0; i < run->report.varied_count; i++) {
    const char* by = run->report.varied[i].name;
    for (int32_t k = 1; k < run->model->column_count + own; k++) {
      bool is_own = k >= run->model->column_count;
      const char* name = is_own ? run->own_columns.items[k - run->model->column_count] : run->model->columns[k];
      (void)ZW_PUSH(&run->arena, &run->own_columns, zw_format(&run->arena, "d(%s)/d(%s)", name, by));
    }
  }
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}
