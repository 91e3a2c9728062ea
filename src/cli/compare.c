#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/compare.h"

enum { REPORTS_MAX = 16 };

/* The answer, and for --json the frames, which are written as they come. */
typedef struct Comparison {
  const Options* options;
  const ZwModel* model;
  ZwRun* run;
  ZwFormulationReport reports[REPORTS_MAX];
  int32_t instants;
  Ask ask;
  ZwArena arena;
  ZwText text;
  ZwJson json;
} Comparison;

/* ---- as a table ---- */

static void print_number(double value) {
  if (isnan(value))
    zw_printf("  %-10s", "-");
  else
    zw_printf("  %-10.1e", value);
}

static void print_row(const ZwFormulationReport* report, double reference) {
  zw_printf("  %-19s", report->name);
  if (!report->applies) {
    zw_printf("  does not apply: %s\n", report->reason);
    return;
  }
  print_number(report->difference);
  print_number(report->residual);
  print_number(report->optimality);
  if (isnan(report->gaussian))
    zw_printf("  %-12s", "undefined");
  else
    zw_printf("  %-12.6g", report->gaussian);
  zw_printf("  %8.3g us  %5.1f\n", 1e6 * report->seconds, report->seconds / reference);
}

static void print_table(const Comparison* c) {
  char* name = model_name(c->options->file);
  print_system(zw_run_report(c->run), name ? name : c->options->file);
  free(name);
  zw_printf("compared at %d instant%s\n\n", (int)c->instants, c->instants == 1 ? "" : "s");
  zw_printf("  %-19s  %-10s  %-10s  %-10s  %-12s  %-11s  %s\n", "formulation", "difference", "residual", "optimality",
            "Gaussian", "a solve", "times auto");
  for (int32_t i = 0; zw_formulation_text(i); i++) print_row(&c->reports[i], c->reports[0].seconds);
}

/* ---- as JSON ---- */

/* Frames are part of the JSON object, or shown at once. */
static ZwStatus take_frame(void* context, const ZwFrameReport* frame) {
  Comparison* c = context;
  if (!c->options->json) {
    if (!c->options->quiet) show_frame(c->model, &c->ask, c->options->full, frame);
    return ZW_OK;
  }
  zw_json_begin_object(&c->json);
  json_frame(&c->json, c->options->full, frame);
  zw_json_end_object(&c->json);
  return c->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

static void json_formulation(ZwJson* json, const ZwFormulationReport* report) {
  zw_json_begin_object(json);
  zw_json_key(json, "name");
  zw_json_string(json, report->name);
  zw_json_key(json, "applies");
  zw_json_bool(json, report->applies);
  zw_json_key(json, "reason");
  zw_json_string(json, report->reason);
  json_number(json, "max_difference", report->applies ? report->difference : NAN);
  json_number(json, "residual", report->applies ? report->residual : NAN);
  json_number(json, "optimality", report->applies ? report->optimality : NAN);
  json_number(json, "gaussian", report->applies ? report->gaussian : NAN);
  json_number(json, "seconds", report->applies ? report->seconds : NAN);
  zw_json_end_object(json);
}

/* The frames are in place already: the object is begun before the comparison, ended after it. */
static void begin_json(Comparison* c) {
  char* name = model_name(c->options->file);
  zw_json_begin_object(&c->json);
  json_head(&c->json, "ok");
  json_system(&c->json, zw_run_report(c->run), name ? name : "");
  free(name);
  zw_json_key(&c->json, "frames");
  zw_json_begin_array(&c->json);
}

static void end_json(Comparison* c) {
  zw_json_end_array(&c->json);
  zw_json_key(&c->json, "instants");
  zw_json_integer(&c->json, c->instants);
  zw_json_key(&c->json, "formulations");
  zw_json_begin_array(&c->json);
  for (int32_t i = 0; zw_formulation_text(i); i++) json_formulation(&c->json, &c->reports[i]);
  zw_json_end_array(&c->json);
  json_diags(&c->json, c->model, c->run, NULL);
  zw_json_end_object(&c->json);
  if (c->arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the table\n");
  else
    puts(zw_text_get(&c->text));
}

/* ---- the command ---- */

/* JSON has all that is not too long to be read; tables have what is asked for. */
static ZwDetailDef detail_of(const Comparison* c) {
  const Ask* ask = &c->ask;
  const ZwReport* report = zw_run_report(c->run);
  bool is_json = c->options->json, is_possible = ask->possible != NULL;
  double numbers = (double)report->n * report->m * report->m;
  bool has_bellman = ask->order || c->options->full || numbers <= NUMBERS_WIDE;
  int32_t parts = 0;
  if (is_json || ask->show || is_possible) parts |= ZW_DETAIL_FORCES;
  if (is_json || (ask->show & SHOW_PARTITION)) parts |= ZW_DETAIL_PARTITION;
  if ((is_json && has_bellman) || (ask->show & SHOW_BELLMAN)) parts |= ZW_DETAIL_BELLMAN;
  if (is_possible) parts |= ZW_DETAIL_POSSIBLE;
  return (ZwDetailDef){parts,
                       ask->eliminate,
                       ask->eliminate_count,
                       ask->order,
                       ask->order_count,
                       ask->possible,
                       ask->displacement,
                       !is_json && !shows_matrices(ask)};
}

static ZwStatus compare(Comparison* c) {
  ZwCompareDef def = zw_default_compare_def();
  if (c->options->at_count > 0) {
    def.times = c->options->at;
    def.count = c->options->at_count;
  }
  def.clock = seconds_now;
  def.context = c;
  def.detail = detail_of(c);
  if (def.detail.parts) def.frame = take_frame;
  def.frames_only = def.frame && !c->options->json; /* no table of the formulations beside these */
  if (c->options->json) begin_json(c);
  return zw_run_compare(c->run, &def, c->reports, &c->instants);
}

static int compare_model(Comparison* c) {
  ZwRunDef def = zw_default_run_def();
  def.to = c->options->to;
  def.tolerance = c->options->tolerance;
  def.integrator = c->options->integrator;
  ZwStatus status = zw_run_create(c->model, &def, &c->run);
  if (status == ZW_OK && zw_run_report(c->run)->is_sparse) { /* there is nothing to compare with */
    zw_run_destroy(c->run);
    def.dense = true;
    status = zw_run_create(c->model, &def, &c->run);
  }
  if (status == ZW_OK) status = compare(c);
  int exit_code = exit_status(status, c->run && zw_run_report(c->run)->has_begun);
  if (status == ZW_ERR_VALUE && c->instants <= 1)
    exit_code = EXIT_WRONG; /* what was asked for cannot be at the start */
  if (status) {
    print_refused(c->options, c->model, c->run, status);
    return exit_code;
  }
  print_diags(c->model, c->run, c->options->quiet);
  if (c->options->json)
    end_json(c);
  else if (!c->options->quiet && !c->ask.show && !c->ask.possible)
    print_table(c);
  return exit_code;
}

int command_compare(const Options* options) {
  int exit_code;
  ZwModel* model = compile_model(options, false, &exit_code);
  if (!model) return exit_code;
  ZwAllocator allocator = zw_allocator_default();
  Comparison* c = zw_alloc(&allocator, sizeof *c);
  if (!c) {
    zw_model_destroy(model);
    return complain(options, ZW_ERR_MEMORY, "out of memory");
  }
  *c = (Comparison){.options = options, .model = model};
  zw_arena_init(&c->arena, &allocator);
  zw_text_init(&c->text, &c->arena);
  zw_json_init(&c->json, &c->text);
  exit_code = read_ask(options, model, &c->arena, &c->ask);
  if (!exit_code) exit_code = compare_model(c);
  zw_run_destroy(c->run);
  zw_model_destroy(model);
  zw_arena_destroy(&c->arena);
  zw_release(&allocator, c);
  return exit_code;
}
