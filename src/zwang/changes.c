/* Numbers that a run has in place of the model's. */
#include <math.h>

#include "expr/eval.h"
#include "text/nfc.h"
#include "zwang/handles.h"

static bool is_changeable(const ZwParam* param) {
  return !param->is_hidden && !param->is_memory;
}

static double* make_numbers(ZwRun* run, int32_t count) {
  double* numbers = ZW_NEW(&run->arena, count + 1, double);
  for (int32_t i = 0; numbers && i < count; i++) numbers[i] = NAN;
  return numbers;
}

static ZwStatus refuse_twice(ZwRun* run, ZwStr name) {
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "'%.*s' is changed twice", ZW_STR_ARGS(name));
  return ZW_ERR_ARGUMENT;
}

/* Parameters of several files may have the same name; as with `sets` all of them change. */
static ZwStatus change_params(ZwRun* run, ZwStr name, double value, double* numbers, bool* is_found) {
  const ZwSystem* system = &run->model->system;
  for (int32_t i = 0; i < system->params.count; i++) {
    const ZwParam* param = &system->params.items[i];
    if (!is_changeable(param) || !zw_str_equal(param->name, name)) continue;
    if (param->is_structural) {
      run->report.is_other_model = true;
      zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, param->span,
                    "the parameter '%.*s' decides what the model is made of: another value is another model",
                    ZW_STR_ARGS(name));
      zw_diag_remedy(&run->diags, "give it with --set, once for each value");
      return ZW_ERR_ARGUMENT;
    }
    if (!isnan(numbers[i])) return refuse_twice(run, name);
    numbers[i] = value;
    *is_found = true;
  }
  return ZW_OK;
}

static ZwStatus change_start(ZwRun* run, ZwStr name, double value, double* numbers, bool* is_found) {
  const ZwSystem* system = &run->model->system;
  bool is_velocity = name.size > 0 && name.data[name.size - 1] == '\'';
  ZwStr coord = {name.data, name.size - is_velocity};
  int32_t i = zw_system_find_coord(system, coord);
  if (i < 0) return ZW_OK;
  double* number = &numbers[is_velocity ? system->coords.count + i : i];
  if (!isnan(*number)) return refuse_twice(run, name);
  *number = value;
  *is_found = true;
  return ZW_OK;
}

static void keep_nearest(ZwStr wrong, ZwStr name, ZwStr* nearest, int32_t* least) {
  int32_t distance = zw_str_distance(wrong, name, 2);
  if (distance >= *least || distance >= wrong.size) return; /* a single letter is near to every other */
  *least = distance;
  *nearest = name;
}

static ZwStatus refuse_unknown(ZwRun* run, ZwStr name) {
  const ZwSystem* system = &run->model->system;
  ZwStr nearest = {0};
  int32_t least = 3;
  for (int32_t i = 0; i < system->params.count; i++) {
    if (is_changeable(&system->params.items[i])) keep_nearest(name, system->params.items[i].name, &nearest, &least);
  }
  for (int32_t i = 0; i < system->coords.count; i++) {
    keep_nearest(name, system->coords.items[i].name, &nearest, &least);
  }
  zw_diag_error(&run->diags, ZW_ERR_NAME, (ZwSpan){0}, "the model has no parameter, coordinate or velocity '%.*s'",
                ZW_STR_ARGS(name));
  if (nearest.size)
    zw_diag_remedy(&run->diags, "did you mean '%.*s'?", ZW_STR_ARGS(nearest));
  else
    zw_diag_remedy(&run->diags, "as in m=2 for a parameter, x=0.5 or x'=1 for a start value");
  return ZW_ERR_NAME;
}

static ZwStatus read_change(ZwRun* run, const ZwRunChange* change, double* params, double* typed) {
  const char* own = zw_str_copy(&run->arena, zw_str_from(change->name));
  if (!own) return ZW_ERR_MEMORY;
  ZwStr name = zw_nfc(&run->arena, zw_str_from(own));
  bool is_found = false;
  if (run->arena.failed) return ZW_ERR_MEMORY;
  if (!isfinite(change->value)) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "the value of '%.*s' must be a finite number",
                  ZW_STR_ARGS(name));
    return ZW_ERR_ARGUMENT;
  }
  ZW_TRY(change_params(run, name, change->value, params, &is_found));
  ZW_TRY(change_start(run, name, change->value, typed, &is_found));
  return is_found ? ZW_OK : refuse_unknown(run, name);
}

ZwStatus zw_run_read_changes(ZwRun* run, ZwGiven* given) {
  const ZwRunDef* def = &run->def;
  double* params = make_numbers(run, run->model->system.params.count);
  double* typed = make_numbers(run, 2 * run->sim->n);
  if (!params || !typed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < def->change_count; i++) ZW_TRY(read_change(run, &def->changes[i], params, typed));
  *given = (ZwGiven){params, typed};
  return ZW_OK;
}

/* ---- choices ---- */

static ZwStatus refuse_choice(ZwRun* run, const ZwChoice* choice) {
  ZwText text;
  zw_text_init(&text, &run->arena);
  zw_system_print(&text, &run->model->system, choice->condition, 60);
  zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, choice->span,
                "%s %s with these values and %s when the model was built: it would be made of other things",
                zw_text_get(&text), choice->holds ? "does not hold" : "holds", choice->holds ? "did" : "did not");
  zw_diag_remedy(&run->diags, "give the value with --set, once for each value");
  return ZW_ERR_ARGUMENT;
}

ZwStatus zw_run_check_choices(ZwRun* run) {
  const ZwSystem* system = &run->model->system;
  ZwArena scratch;
  ZwEvaluator evaluator;
  ZwEnvironment environment = {.params = run->sim->values};
  const ZwChoice* wrong = NULL;
  if (system->choices.count == 0) return ZW_OK;
  zw_arena_init(&scratch, &run->arena.allocator);
  zw_evaluator_init(&evaluator, &scratch);
  evaluator.tables = &system->tables;
  for (int32_t i = 0; i < system->choices.count && !wrong; i++) {
    const ZwChoice* choice = &system->choices.items[i];
    bool holds = zw_expr_eval(&evaluator, &system->graph, choice->condition, &environment) != 0;
    if (holds != choice->holds) wrong = choice;
  }
  bool has_failed = scratch.failed;
  zw_arena_destroy(&scratch);
  if (has_failed) return ZW_ERR_MEMORY;
  return wrong ? refuse_choice(run, wrong) : ZW_OK;
}
