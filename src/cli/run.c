#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/ask.h"

typedef struct Watch {
  Results* results;
  Progress progress;
  ZwArena arena;      /* of what follows */
  int32_t* eliminate; /* coordinates of --eliminate */
  int32_t eliminate_count;
} Watch;

static ZwStatus take_row(void* context, const double* values) {
  Watch* watch = context;
  return results_row(watch->results, values);
}

static void take_event(void* context, double t, const char* name) {
  Watch* watch = context;
  (void)t;
  results_event(watch->results, name);
}

static void take_contact(void* context, const ZwContactEvent* event) {
  Watch* watch = context;
  results_contact(watch->results, event);
}

static bool poll(void* context, double t) {
  Watch* watch = context;
  progress_update(&watch->progress, t);
  bool is_last = is_interrupted();
  results_poll(watch->results, t, is_last);
  return !is_last;
}

/* Better now than at the end of a long run. */
static int check_gradient(const Options* options, const ZwModel* model) {
  if (!options->gradient) return EXIT_FINE;
  if (options->resume) {
    return complain(options, ZW_ERR_ARGUMENT,
                    "a gradient goes back over the whole run, which --resume would begin late");
  }
  if (zw_model_column_find(model, options->gradient) > 0) return EXIT_FINE;
  const char* nearest = NULL;
  for (int32_t i = 1; i < zw_model_column_count(model) && !nearest; i++) {
    ZwStr column = zw_str_from(zw_model_column(model, i)), wrong = zw_str_from(options->gradient);
    if (wrong.size > 1 && zw_str_distance(wrong, column, 2) <= 2) nearest = column.data;
  }
  return complain(options, ZW_ERR_NAME, "the model has no coordinate, velocity or output '%s'%s%s%s", options->gradient,
                  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

/* A claim that does not hold is a mistake of who made it: the rows are right. */
static bool is_whole(ZwStatus status) {
  return status == ZW_OK || status == ZW_ERR_CLAIM;
}

/* The first reason to doubt a run, but for claims that do not hold: these have messages and a status of their own. */
static const ZwDoubt* doubt_of(const ZwReport* report) {
  bool is_doubtful = report->verdict == ZW_DOUBTFUL && strcmp(report->doubts[0].about, "claims") != 0;
  return is_doubtful ? &report->doubts[0] : NULL;
}

static int end_run(const Options* options, const ZwModel* model, ZwRun* run, Results* results, ZwStatus status,
                   double seconds) {
  const ZwReport* report = zw_run_report(run);
  const ZwGradient* gradient = NULL;
  double begun = seconds_now();
  if (is_whole(status) && options->gradient) {
    ZwStatus outcome = zw_run_gradient(run, options->gradient, &gradient);
    if (outcome) status = outcome;
  }
  seconds += seconds_now() - begun;
  const ZwDoubt* doubt = is_whole(status) ? doubt_of(report) : NULL;
  if (doubt && options->strict) status = ZW_ERR_DOUBT;
  int exit_code = exit_status(status, report->has_begun);
  if (is_whole(status) && !results_finish(results)) {
    status = ZW_ERR_IO;
    exit_code = EXIT_FAILED;
  }
  if (!is_whole(status)) results_abandon(results);
  print_diags(model, run, options->quiet);
  ZwDiag failure = plain_error(status, status == ZW_ERR_IO        ? results_error(results)
                                       : doubt && options->strict ? doubt->reason
                                                                  : zw_status_text(status));
  if (doubt && options->strict) failure.remedy = doubt->remedy;
  if (doubt && options->quiet && !options->strict) zw_fprintf(stderr, "zwang: doubtful: %s\n", doubt->reason);
  /* no failure goes without a message */
  bool is_ours = status == ZW_ERR_IO || (status && status != ZW_ERR_INTERRUPTED && !has_error(model, run));
  if (is_ours) print_diag(&failure);
  if (status == ZW_ERR_INTERRUPTED) {
    zw_fprintf(stderr, "zwang: interrupted at t = %.*g; %s.part holds the rows up to there%s\n",
               zw_clock_digits(report->t, 9), report->t, results_csv(results),
               results_has_checkpoint(results) ? ", and --resume goes on" : "");
  }
  seconds += results_seconds_before(results);
  Outcome outcome = {options, model, run, results, is_ours ? &failure : NULL, exit_code, seconds, gradient, NULL};
  if (options->json)
    print_json(&outcome);
  else if (!options->quiet)
    print_summary(&outcome);
  return exit_code;
}

/* From the start, or from a checkpoint, to the end. */
static int run_to_end(const Options* options, const ZwModel* model, ZwRun* run, const Checkpoint* from, Watch* watch) {
  int exit_code;
  double begun = seconds_now();
  watch->results = results_open(options, model, run, from, &exit_code);
  if (!watch->results) return exit_code;
  const ZwReport* report = zw_run_report(run);
  progress_begin(&watch->progress, report->from, report->to, !options->quiet);
  catch_signals();
  ZwStatus status = zw_run_go(run);
  progress_end(&watch->progress);
  exit_code = end_run(options, model, run, watch->results, status, seconds_now() - begun);
  results_close(watch->results);
  return exit_code;
}

static ZwRunDef define_run(const Options* options, const Checkpoint* from, Watch* watch) {
  ZwRunDef def = zw_default_run_def();
  def.to = options->to;
  def.every = options->every;
  /* with another end, rows keep the distance they have */
  if (from && isnan(options->every) && !isnan(options->to) && options->to != from->to) def.every = from->every;
  def.tolerance = options->tolerance;
  def.formulation = options->formulation;
  def.eliminate = watch->eliminate;
  def.eliminate_count = watch->eliminate_count;
  def.integrator = options->integrator;
  def.step = options->step;
  def.forces = options->forces;
  def.evidence = options->evidence;
  def.conserve_energy = options->conserve_energy;
  def.gradient = options->gradient != NULL;
  def.sensitivity = options->varied;
  def.sensitivity_count = options->varied_count;
  def.row = take_row;
  def.event = take_event;
  def.contact = take_contact;
  def.poll = poll;
  def.context = watch;
  return def;
}

static int run_model(const Options* options, const ZwModel* model, Watch* watch) {
  Resume resume = {0};
  int exit_code = check_gradient(options, model);
  if (!exit_code) exit_code = read_eliminate(options, model, &watch->arena, &watch->eliminate, &watch->eliminate_count);
  if (!exit_code && options->resume) exit_code = resume_look(options, &resume);
  if (exit_code) return exit_code;
  const Checkpoint* from = resume.checkpoint.state ? &resume.checkpoint : NULL;
  ZwRunDef def = define_run(options, from, watch);
  ZwRun* run = NULL;
  ZwStatus status = zw_run_create(model, &def, &run);
  if (status == ZW_OK) status = zw_run_ready(run);
  if (status) {
    exit_code = exit_status(status, false);
    print_refused(options, model, run, status);
  } else if (resume.is_finished) {
    exit_code = resume_is_finished(options, run);
  } else {
    exit_code = run_to_end(options, model, run, from, watch);
  }
  checkpoint_free(&resume.checkpoint);
  zw_run_destroy(run);
  return exit_code;
}

int command_run(const Options* options) {
  int exit_code;
  ZwModel* model = compile_model(options, false, &exit_code);
  if (!model) return exit_code;
  ZwAllocator allocator = zw_allocator_default();
  Watch watch = {0};
  zw_arena_init(&watch.arena, &allocator);
  exit_code = run_model(options, model, &watch);
  zw_arena_destroy(&watch.arena);
  zw_model_destroy(model);
  return exit_code;
}
