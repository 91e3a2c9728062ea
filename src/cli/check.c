#include "cli/cli.h"

int command_check(const Options* options) {
  int exit_code;
  ZwModel* model = compile_model(options, false, &exit_code);
  if (!model) return exit_code;
  ZwRunDef def = zw_default_run_def();
  def.to = options->to;
  def.every = options->every;
  def.tolerance = options->tolerance;
  def.integrator = options->integrator;
  def.step = options->step;
  ZwRun* run = NULL;
  ZwStatus status = zw_run_create(model, &def, &run);
  exit_code = exit_status(status, false);
  if (status == ZW_OK) {
    Outcome outcome = {options, model, run, NULL, NULL, exit_code, 0, NULL};
    print_diags(model, run, options->quiet);
    if (options->json)
      print_json(&outcome);
    else if (!options->quiet)
      print_summary(&outcome);
  } else {
    print_refused(options, model, run, status);
  }
  zw_run_destroy(run);
  zw_model_destroy(model);
  return exit_code;
}
