#include "cli/forces.h"

#include <math.h>

static ZwStatus open_run(const ZwModel* model, ZwRun** run) {
  ZwRunDef def = zw_default_run_def();
  ZwStatus status = zw_run_create(model, &def, run);
  if (status == ZW_OK && zw_run_report(*run)->is_sparse) { /* the matrices are dense */
    zw_run_destroy(*run);
    def.integrator = "radau";
    status = zw_run_create(model, &def, run);
  }
  return status;
}

/* A number that must be positive where it is given. */
static int check_positive(const Options* options, const char* name, double value) {
  if (isnan(value) || value > 0) return EXIT_FINE;
  return complain(options, ZW_ERR_ARGUMENT, "%s needs a number above 0, not %g", name, value);
}

static int check_options(const Options* options) {
  if (options->file && !options->motion) {
    return complain(options, ZW_ERR_ARGUMENT, "which motion? write: zwang forces FILE --motion TABLE.csv");
  }
  int exit_code = check_positive(options, "--every", options->every);
  if (!exit_code) exit_code = check_positive(options, "--within", options->within);
  if (!exit_code) exit_code = check_positive(options, "--tolerance", options->tolerance);
  return exit_code;
}

static int find_forces(const Options* options, const ZwModel* model, const Motion* motion, const char* const* by,
                       int32_t by_count) {
  ForceFiles files;
  int exit_code = force_files_name(options, &files);
  ZwRun* run = NULL;
  if (!exit_code) {
    ZwForcesDef def = zw_default_forces_def();
    def.t = motion->t;
    def.rows = motion->rows;
    def.columns = motion->columns;
    def.column_count = motion->column_count;
    def.by = by;
    def.by_count = by_count;
    def.within = isnan(options->within) ? 0 : options->within;
    def.every = isnan(options->every) ? 0 : options->every;
    def.tolerance = isnan(options->tolerance) ? 0 : options->tolerance;
    const ZwForces* forces = NULL;
    ZwStatus status = open_run(model, &run);
    if (status == ZW_OK) status = zw_run_forces(run, &def, &forces);
    if (status) {
      print_refused(options, model, run, status);
      exit_code = exit_status(status, false);
    } else {
      ForceAnswer answer = {options, model, run, forces, motion, &files};
      print_diags(model, run, options->quiet);
      exit_code = force_files_write(options, &files, forces, model);
      if (!exit_code) say_missing(&answer);
      if (!exit_code && options->json) print_forces_json(&answer);
      if (!exit_code && !options->json && !options->quiet) print_forces(&answer);
    }
  }
  zw_run_destroy(run);
  force_files_free(&files);
  return exit_code;
}

int command_forces(const Options* options) {
  int exit_code = check_options(options);
  if (exit_code) return exit_code;
  ZwModel* model = compile_model(options, false, &exit_code);
  if (!model) return exit_code;
  Motion motion;
  exit_code = motion_read(options, &motion);
  int32_t by_count = 0;
  const char** by = options->by ? split_names(&motion.arena, options->by, &by_count) : NULL;
  if (!exit_code && options->by && !by) exit_code = complain(options, ZW_ERR_MEMORY, "out of memory");
  if (!exit_code) exit_code = find_forces(options, model, &motion, by, by_count);
  motion_free(&motion);
  zw_model_destroy(model);
  return exit_code;
}
