#include <math.h>

#include "base/alloc.h"
#include "cli/check_force.h"

static ZwRunDef define_run(const Options* options) {
  ZwRunDef def = zw_default_run_def();
  def.to = options->to;
  def.every = options->every;
  def.tolerance = options->tolerance;
  def.integrator = options->integrator;
  def.step = options->step;
  return def;
}

static void answer(const Options* options, const ZwModel* model, ZwRun* run, const StatedForce* force) {
  Outcome outcome = {options, model, run, NULL, NULL, EXIT_FINE, 0, NULL, options->stated_force ? force : NULL};
  print_diags(model, run, options->quiet);
  if (options->json)
    print_json(&outcome);
  else if (!options->quiet)
    print_summary(&outcome);
}

static int check_model(const Options* options, const ZwModel* model, ZwArena* arena) {
  ZwRunDef def = define_run(options);
  StatedForce force = {0};
  ZwRun* run = NULL;
  ZwStatus status = zw_run_create(model, &def, &run);
  bool has_end = status == ZW_OK && !isnan(zw_run_report(run)->to);
  if (has_end) status = zw_run_ready(run); /* what a run would be refused for */
  int exit_code = exit_status(status, false);
  if (status)
    print_refused(options, model, run, status);
  else if (options->stated_force)
    exit_code = check_force(options, model, &def, arena, &force);
  if (!exit_code) answer(options, model, run, &force);
  zw_run_destroy(run);
  return exit_code;
}

int command_check(const Options* options) {
  int exit_code;
  ZwModel* model = compile_model(options, false, &exit_code);
  if (!model) return exit_code;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  exit_code = check_model(options, model, &arena);
  zw_arena_destroy(&arena);
  zw_model_destroy(model);
  return exit_code;
}
