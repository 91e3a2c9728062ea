#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"

enum { RUNS = 5 };

typedef struct Bench {
  const Options* options;
  ZwModel* model;
  ZwRun* run; /* the last one */
  double begun, compiled;
  ZwCosts costs; /* the least of all runs */
} Bench;

/* "12.3 us" */
static const char* duration(double seconds, char text[32]) {
  static const struct {
    double scale;
    const char* unit;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  int i = 0;
  while (i < 3 && seconds < units[i].scale) i++;
  zw_snprintf(text, 32, "%.3g %s", seconds / units[i].scale, units[i].unit);
  return text;
}

static double least(double a, double b) {
  return a > 0 && a < b ? a : b;
}

/* Several runs; the least of each cost counts. */
static ZwStatus measure(Bench* b) {
  ZwRunDef def = zw_default_run_def();
  def.to = b->options->to;
  def.every = b->options->every;
  def.tolerance = b->options->tolerance;
  def.integrator = b->options->integrator;
  def.formulation = b->options->formulation;
  for (int i = 0; i < RUNS; i++) {
    ZwCosts costs;
    zw_run_destroy(b->run);
    ZwStatus status = zw_run_create(b->model, &def, &b->run);
    if (status == ZW_OK) status = zw_run_measure(b->run, seconds_now, &costs);
    if (status) return status;
    b->costs.kernels = least(b->costs.kernels, costs.kernels);
    b->costs.evaluation = least(b->costs.evaluation, costs.evaluation);
    b->costs.projection = least(b->costs.projection, costs.projection);
    b->costs.run = least(b->costs.run, costs.run);
  }
  return ZW_OK;
}

/* Parts of the run, as far as they can be told from their number. */
typedef struct Shares {
  double kernels, solve, projection, rest;
} Shares;

static Shares shares_of(const Bench* b) {
  const ZwReport* report = zw_run_report(b->run);
  const ZwCosts* costs = &b->costs;
  double evaluations = (double)report->evaluations, places = (double)(report->steps + report->rows);
  Shares shares = {.kernels = evaluations * costs->kernels / costs->run,
                   .solve = evaluations * (costs->evaluation - costs->kernels) / costs->run,
                   .projection = places * costs->projection / costs->run};
  shares.rest = 1 - shares.kernels - shares.solve - shares.projection;
  if (shares.rest < 0) shares.rest = 0;
  return shares;
}

static void print_costs(const Bench* b) {
  const ZwReport* report = zw_run_report(b->run);
  const ZwCosts* costs = &b->costs;
  Shares shares = shares_of(b);
  char first[32], second[32], third[32];
  char* name = model_name(b->options->file);
  print_system(report, name ? name : "");
  free(name);
  zw_printf("  compiled     %s, %s\n", duration(b->compiled, first), report->kernel);
  zw_printf("  evaluation   %s: kernels %s, solve %s%s\n", duration(costs->evaluation, first),
            duration(costs->kernels, second), duration(costs->evaluation - costs->kernels, third),
            report->is_sparse ? " (sparse)" : "");
  if (costs->projection > 0) zw_printf("  projection   %s\n", duration(costs->projection, first));
  zw_printf("  run          %s for t = %.*g .. %.*g: %lld steps, %lld evaluations, %lld rows\n",
            duration(costs->run, first), zw_clock_digits(report->from, 6), report->from, zw_clock_digits(report->to, 6),
            report->to, (long long)report->steps, (long long)report->evaluations, (long long)report->rows);
  zw_printf("               kernels %.0f %%, solve %.0f %%, projections %.0f %%, the rest %.0f %%\n",
            100 * shares.kernels, 100 * shares.solve, 100 * shares.projection, 100 * shares.rest);
}

static void print_costs_json(const Bench* b) {
  const ZwReport* report = zw_run_report(b->run);
  Shares shares = shares_of(b);
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  ZwText text;
  ZwJson json;
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  zw_json_init(&json, &text);
  char* name = model_name(b->options->file);
  zw_json_begin_object(&json);
  json_head(&json, "ok");
  json_system(&json, report, name ? name : "");
  free(name);
  zw_json_key(&json, "kernel");
  zw_json_string(&json, report->kernel);
  zw_json_key(&json, "sparse");
  zw_json_bool(&json, report->is_sparse);
  json_number(&json, "compile_seconds", b->compiled);
  json_number(&json, "evaluation_seconds", b->costs.evaluation);
  json_number(&json, "kernels_seconds", b->costs.kernels);
  json_number(&json, "projection_seconds", b->costs.projection);
  json_number(&json, "run_seconds", b->costs.run);
  json_number(&json, "steps", (double)report->steps);
  json_number(&json, "evaluations", (double)report->evaluations);
  json_number(&json, "rows", (double)report->rows);
  json_number(&json, "share_kernels", shares.kernels);
  json_number(&json, "share_solve", shares.solve);
  json_number(&json, "share_projections", shares.projection);
  json_number(&json, "share_rest", shares.rest);
  zw_json_end_object(&json);
  if (arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the table\n");
  else
    puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
}

int command_bench(const Options* options) {
  int exit_code;
  Bench b = {.options = options, .begun = seconds_now()};
  b.model = compile_model(options, false, &exit_code);
  if (!b.model) return exit_code;
  b.compiled = seconds_now() - b.begun;
  b.costs = (ZwCosts){INFINITY, INFINITY, INFINITY, INFINITY};
  ZwStatus status = measure(&b);
  exit_code = exit_status(status, b.run && zw_run_report(b.run)->has_begun);
  if (b.costs.projection == INFINITY) b.costs.projection = 0;
  if (status)
    print_refused(options, b.model, b.run, status);
  else if (options->json)
    print_costs_json(&b);
  else
    print_costs(&b);
  zw_run_destroy(b.run);
  zw_model_destroy(b.model);
  return exit_code;
}
