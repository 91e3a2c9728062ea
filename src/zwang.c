/* The stages, one per line, and the public functions around them. */
#include "zwang/zwang.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "equations/equations.h"
#include "expr/eval.h"
#include "kernel/kernel.h"
#include "model/elaborate.h"
#include "model/library.h"
#include "motion/compare.h"
#include "motion/sim.h"
#include "output/json.h"
#include "paper/paper.h"
#include "text/dump.h"
#include "text/format.h"
#include "text/nfc.h"
#include "text/parser.h"

#define DEFAULT_TOLERANCE 1e-8
#define TOLERANCE_MIN 1e-13
#define TOLERANCE_MAX 0.1
#define DEFAULT_ROWS 500.0
#define ROWS_MAX 1e9

struct ZwModel {
  ZwArena arena;   /* text, graph, system, equations, kernels */
  ZwArena compile; /* tokens and tree */
  ZwSources sources;
  ZwDiagList diags;
  ZwStatus status;
  ZwAst* tree;
  ZwSystem system;
  ZwEquations equations;
  ZwProgram program;
  const char** columns;
  int32_t column_count;
};

struct ZwRun {
  const ZwModel* model;
  ZwArena arena; /* messages and moves */
  ZwDiagList diags;
  ZwRunDef def;
  ZwSim* sim;
  ZwStatus status;
  ZwReport report;
  ZW_ARRAY(const char*) force_columns; /* behind those of the model */
};

/* ---- the stages ---- */

static ZwStatus run_stages(ZwModel* model, int32_t file, const ZwElaborateDef* how) {
  ZwDiagList* diags = &model->diags;
  ZW_TRY(zw_parse_file(&model->compile, diags, file, &model->tree));
  if (zw_ast_has_wrong_declaration(model->tree)) return diags->first_error;
  ZW_TRY(zw_elaborate(&model->arena, diags, model->tree, how, &model->system));
  ZW_TRY(zw_derive(&model->arena, diags, &model->system, &model->equations));
  ZW_TRY(zw_compile_kernels(&model->arena, &model->equations, &model->program));
  return ZW_OK;
}

/* ---- versions and statuses ---- */

const char* zw_version(void) {
  return ZW_VERSION;
}

const char* zw_status_text(ZwStatus status) {
  static const char* const texts[] = {
#define ZW_STATUS_TEXT(name, stage, text) text,
      ZW_STATUS_LIST(ZW_STATUS_TEXT)
#undef ZW_STATUS_TEXT
  };
  return status >= 0 && status < ZW_STATUS_COUNT ? texts[status] : "unknown status";
}

const char* zw_status_name(ZwStatus status) {
  static const char* const names[] = {
#define ZW_STATUS_NAME(name, stage, text) "ZW_" #name,
      ZW_STATUS_LIST(ZW_STATUS_NAME)
#undef ZW_STATUS_NAME
  };
  return status >= 0 && status < ZW_STATUS_COUNT ? names[status] : "unknown status";
}

const char* zw_formulation_text(int32_t i) {
  return i >= 0 && i < ZW_FORMULATION_COUNT ? zw_formulation_name((ZwFormulation)i) : NULL;
}

ZwLimits zw_default_limits(void) {
  return (ZwLimits){.memory = (size_t)4 << 30, .iterations = ZW_LIMIT_ITERATIONS, .nesting = ZW_LIMIT_NESTING};
}

ZwCompileDef zw_default_compile_def(void) {
  return (ZwCompileDef){.name = "model", .limits = zw_default_limits(), .allocator = zw_allocator_default()};
}

ZwRunDef zw_default_run_def(void) {
  return (ZwRunDef){.to = NAN, .every = NAN, .tolerance = NAN, .formulation = "auto"};
}

ZwCompareDef zw_default_compare_def(void) {
  return (ZwCompareDef){0};
}

/* ---- compiling ---- */

/* Copies a text into the model, where messages find it, and numbers it. */
static int32_t add_source(ZwModel* model, const char* name, const char* text, size_t size) {
  if (size > INT32_MAX - 1) return 0;
  char* own_name = zw_str_copy(&model->arena, zw_str_from(name));
  char* own_text = zw_str_copy(&model->arena, (ZwStr){text, (int32_t)size});
  if (!own_name || !own_text) return 0;
  return zw_sources_add(&model->sources, &model->arena, zw_str_from(own_name), (ZwStr){own_text, (int32_t)size});
}

/* Each `name=value` becomes a small text of its own, so that its mistakes have a place. */
static ZwStatus read_settings(ZwModel* model, const ZwCompileDef* def, ZwSetting** settings) {
  *settings = ZW_NEW(&model->arena, def->set_count + 1, ZwSetting);
  if (!*settings) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < def->set_count; i++) {
    const ZwSet* set = &def->sets[i];
    const char* name = zw_format(&model->arena, "--set %s", set->name);
    if (!name) return ZW_ERR_MEMORY;
    int32_t file = add_source(model, name, set->value, strlen(set->value));
    ZwAst* value = NULL;
    if (!file) return ZW_ERR_MEMORY;
    ZW_TRY(zw_parse_expression(&model->arena, &model->diags, file, &value));
    const char* own_name = zw_str_copy(&model->arena, zw_str_from(set->name));
    if (!own_name) return ZW_ERR_MEMORY;
    (*settings)[i] = (ZwSetting){.name = zw_nfc(&model->arena, zw_str_from(own_name)),
                                 .file_tree = value,
                                 .value = value->first,
                                 .span = (ZwSpan){file, 0, (int32_t)strlen(set->value)}};
  }
  return model->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* ---- used files ---- */

typedef struct Loader {
  ZwModel* model;
  const ZwCompileDef* def;
} Loader;

static int32_t load_standard(ZwModel* model, const char* name) {
  for (const ZwLibraryText* library = zw_library_texts; library->name; library++) {
    if (strcmp(library->name, name) == 0) return add_source(model, name, library->text, library->size);
  }
  return 0;
}

static void no_library(ZwModel* model, const char* name, ZwSpan from) {
  zw_diag_error(&model->diags, ZW_ERR_NAME, from, "there is no library '%s'", name);
  ZwText text;
  zw_text_init(&text, &model->arena);
  for (const ZwLibraryText* library = zw_library_texts; library->name; library++) {
    zw_text_addf(&text, "%s%s", text.size ? ", " : "", library->name);
  }
  zw_diag_remedy(&model->diags, "there are: %s; a file of your own stands in quotes", zw_text_get(&text));
}

/* A path in a file is meant from the folder of that file. */
static const char* path_from(ZwModel* model, const char* name, ZwSpan from) {
  ZwStr asking = zw_sources_get(&model->sources, from.file)->name;
  int32_t folder = asking.size;
  while (folder > 0 && asking.data[folder - 1] != '/') folder--;
  if (name[0] == '/') folder = 0;
  return zw_format(&model->arena, "%.*s%s", (int)folder, asking.data, name);
}

/* The reader comes first, so that --lib can replace a standard library. */
static int32_t load(void* context, ZwStr name, bool is_library, ZwSpan from) {
  Loader* loader = context;
  ZwModel* model = loader->model;
  const ZwReader* reader = &loader->def->reader;
  const char* own = zw_str_copy(&model->arena, name);
  const char* path = own && !is_library ? path_from(model, own, from) : own;
  if (!path) return 0;
  ZwStatus status = ZW_ERR_NAME;
  char* text = NULL;
  size_t size = 0;
  const char* why = NULL;
  if (reader->read) status = reader->read(reader->context, own, path, is_library, &text, &size, &why);
  int32_t file = 0;
  if (status == ZW_OK) {
    file = add_source(model, path, text, size);
    reader->release(reader->context, text);
  } else if (status == ZW_ERR_MEMORY) {
    model->arena.failed = true;
  } else if (status == ZW_ERR_IO) {
    zw_diag_error(&model->diags, ZW_ERR_NAME, from, "'%s' cannot be used: %s", own, why ? why : "it cannot be read");
  } else if (is_library) {
    file = load_standard(model, own);
    if (!file && !model->arena.failed) no_library(model, own, from);
  } else {
    zw_diag_error(&model->diags, ZW_ERR_NAME, from, "there is no file '%s' to use", own);
  }
  return file;
}

static ZwStatus name_columns(ZwModel* model) {
  const ZwEquations* equations = &model->equations;
  int32_t n = equations->n;
  model->column_count = 1 + 2 * n + equations->output_count;
  model->columns = ZW_NEW(&model->arena, model->column_count, const char*);
  if (!model->columns) return ZW_ERR_MEMORY;
  model->columns[0] = "t";
  for (int32_t i = 0; i < n; i++) {
    ZwStr name = model->system.coords.items[i].name;
    model->columns[1 + i] = zw_str_copy(&model->arena, name);
    model->columns[1 + n + i] = zw_format(&model->arena, "%.*s'", ZW_STR_ARGS(name));
  }
  for (int32_t i = 0; i < equations->output_count; i++) {
    ZwStr name = model->system.terms.items[equations->outputs.items[i]].name;
    model->columns[1 + 2 * n + i] = zw_str_copy(&model->arena, name);
  }
  return model->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

static ZwStatus compile(ZwModel* model, const ZwCompileDef* def) {
  int32_t file = add_source(model, def->name, def->text, def->size);
  if (!file) return ZW_ERR_MEMORY;
  ZwSetting* settings = NULL;
  ZW_TRY(read_settings(model, def, &settings));
  Loader loader = {model, def};
  ZwElaborateDef how = {.settings = settings,
                        .setting_count = def->set_count,
                        .load = load,
                        .load_context = &loader,
                        .trees = &model->compile,
                        .iteration_limit = def->limits.iterations};
  ZW_TRY(run_stages(model, file, &how));
  if (model->system.pictures > 0) {
    zw_diag_note(&model->diags, model->system.picture_span,
                 "'plot' and 'draw' are checked, but pictures of their own are not made yet; the numbers are in the "
                 "results");
  }
  return name_columns(model);
}

static ZwModel* create_model(const ZwCompileDef* def) {
  ZwModel* model = zw_alloc(&def->allocator, sizeof *model);
  if (!model) return NULL;
  zw_arena_init(&model->arena, &def->allocator);
  zw_arena_init(&model->compile, &def->allocator);
  model->arena.limit = model->compile.limit = def->limits.memory;
  model->sources.nesting_limit = def->limits.nesting;
  zw_diag_init(&model->diags, &model->arena, &model->sources);
  return model;
}

ZwStatus zw_model_compile(const ZwCompileDef* def, ZwModel** out) {
  ZwModel* model = *out = create_model(def);
  if (!model) return ZW_ERR_MEMORY;
  model->status = compile(model, def);
  if (model->status == ZW_OK && model->diags.errors > 0) model->status = model->diags.first_error;
  if (model->arena.failed || model->compile.failed) model->status = ZW_ERR_MEMORY; /* messages may be lost */
  if (model->arena.limit_reached || model->compile.limit_reached) model->status = ZW_ERR_LIMIT;
  if (!def->keep_tree || model->status) {
    zw_arena_destroy(&model->compile);
    model->tree = NULL;
  }
  return model->status;
}

static ZwStatus format(ZwModel* model, const ZwCompileDef* def, char** text, size_t* size) {
  int32_t file = add_source(model, def->name, def->text, def->size);
  if (!file) return ZW_ERR_MEMORY;
  ZwText result;
  zw_text_init(&result, &model->compile);
  ZW_TRY(zw_format_text(&model->compile, &model->diags, file, &result));
  *text = zw_alloc(&def->allocator, (size_t)result.size + 1);
  if (!*text) return ZW_ERR_MEMORY;
  memcpy(*text, zw_text_get(&result), (size_t)result.size);
  *size = (size_t)result.size;
  return ZW_OK;
}

ZwStatus zw_model_format(const ZwCompileDef* def, ZwModel** out, char** text, size_t* size) {
  *text = NULL;
  *size = 0;
  ZwModel* model = *out = create_model(def);
  if (!model) return ZW_ERR_MEMORY;
  ZwStatus status = format(model, def, text, size);
  if (model->arena.limit_reached || model->compile.limit_reached) status = ZW_ERR_LIMIT;
  zw_arena_destroy(&model->compile);
  model->status = ZW_ERR_ARGUMENT; /* it holds messages only and cannot run */
  return status;
}

void zw_model_destroy(ZwModel* model) {
  if (!model) return;
  ZwAllocator allocator = model->arena.allocator;
  zw_arena_destroy(&model->compile);
  zw_arena_destroy(&model->arena);
  zw_release(&allocator, model);
}

int32_t zw_model_diag_count(const ZwModel* model) {
  return model->diags.list.count;
}

const ZwDiag* zw_model_diag(const ZwModel* model, int32_t i) {
  return &model->diags.list.items[i];
}

int32_t zw_model_error_count(const ZwModel* model) {
  int32_t count = model->diags.dropped;
  for (int32_t i = 0; i < model->diags.list.count; i++) {
    count += model->diags.list.items[i].severity == ZW_SEVERITY_ERROR;
  }
  return count;
}

int32_t zw_model_column_count(const ZwModel* model) {
  return model->column_count;
}

const char* zw_model_column(const ZwModel* model, int32_t i) {
  return model->columns[i];
}

int32_t zw_model_coordinate_count(const ZwModel* model) {
  return model->equations.n;
}

int32_t zw_model_output_count(const ZwModel* model) {
  return model->equations.output_count;
}

int32_t zw_model_event_count(const ZwModel* model) {
  return model->system.events.count + model->system.modes.count;
}

char* zw_model_dump(const ZwModel* model, ZwStage stage) {
  ZwArena scratch;
  zw_arena_init(&scratch, &model->arena.allocator);
  ZwText text;
  zw_text_init(&text, &scratch);
  switch (stage) {
    case ZW_STAGE_TEXT:
      if (model->tree) zw_ast_dump(&text, &model->sources, model->tree);
      break;
    case ZW_STAGE_MODEL:
      zw_system_dump(&text, &model->system);
      break;
    case ZW_STAGE_EQUATIONS:
      zw_equations_dump(&text, &model->equations);
      break;
    case ZW_STAGE_KERNEL:
      zw_program_dump(&text, &model->program);
      break;
  }
  char* copy = scratch.failed ? NULL : zw_alloc(&scratch.allocator, (size_t)text.size + 1);
  if (copy) memcpy(copy, zw_text_get(&text), (size_t)text.size);
  zw_arena_destroy(&scratch);
  return copy;
}

char* zw_model_derive(const ZwModel* model, ZwDeriveForm form) {
  if (model->status) return NULL;
  ZwArena scratch;
  zw_arena_init(&scratch, &model->arena.allocator);
  scratch.limit = model->arena.limit;
  ZwText text;
  zw_text_init(&text, &scratch);
  ZwJson json;
  zw_json_init(&json, &text);
  switch (form) {
    case ZW_DERIVE_TEXT:
      zw_paper_text(&text, &model->equations);
      break;
    case ZW_DERIVE_LATEX:
      zw_paper_latex(&text, &model->equations);
      break;
    case ZW_DERIVE_JSON:
      zw_json_begin_object(&json);
      zw_paper_json(&json, &scratch, &model->equations);
      zw_json_end_object(&json);
      break;
  }
  char* copy = scratch.failed ? NULL : zw_alloc(&scratch.allocator, (size_t)text.size + 1);
  if (copy) memcpy(copy, zw_text_get(&text), (size_t)text.size);
  zw_arena_destroy(&scratch);
  return copy;
}

void zw_text_free(const ZwModel* model, char* text) {
  zw_release(&model->arena.allocator, text);
}

/* ---- running ---- */

static double constant_of(ZwRun* run, ZwExpr e) {
  ZwEvaluator evaluator;
  zw_evaluator_init(&evaluator, &run->arena);
  evaluator.tables = &run->model->system.tables;
  ZwEnvironment environment = {.params = run->sim->values};
  return zw_expr_eval(&evaluator, &run->model->system.graph, e, &environment);
}

/* The command line's number if there is one, else the model's, else the default. */
static double choose(ZwRun* run, double given, ZwExpr stated, double otherwise) {
  if (!isnan(given)) return given;
  return stated.ref ? constant_of(run, stated) : otherwise;
}

static ZwStatus refuse(ZwRun* run, ZwSpan span, const char* what, double value, const char* remedy) {
  if (isfinite(value))
    zw_diag_error(&run->diags, ZW_ERR_VALUE, span, "%s: this is %.9g", what, value);
  else
    zw_diag_error(&run->diags, ZW_ERR_VALUE, span, "%s: this has no finite value", what);
  zw_diag_remedy(&run->diags, "%s", remedy);
  return ZW_ERR_VALUE;
}

static ZwSpan where(double given, ZwSpan stated) {
  return isnan(given) ? stated : (ZwSpan){0};
}

static ZwStatus check_times(ZwRun* run) {
  const ZwRunSpec* spec = &run->model->system.run;
  const ZwRunDef* def = &run->def;
  ZwReport* report = &run->report;
  if (!isfinite(report->from)) {
    return refuse(run, spec->from_span, "the begin of the run must be a number", report->from, "as in: run 0 .. 10");
  }
  if (!isfinite(report->to) || !(report->to > report->from)) {
    return refuse(run, where(def->to, spec->to_span), "the run must end after it begins", report->to,
                  "as in: run 0 .. 10, or --to 10");
  }
  if (!isfinite(report->every) || !(report->every > 0)) {
    return refuse(run, where(def->every, spec->every_span), "the time between rows must be positive", report->every,
                  "as in: every 0.01");
  }
  if ((report->to - report->from) / report->every > ROWS_MAX) {
    return refuse(run, where(def->every, spec->every_span), "the time between rows would give more than 1e9 of them",
                  report->every, "choose a longer time between rows");
  }
  return ZW_OK;
}

static ZwStatus check_tolerance(ZwRun* run) {
  ZwSpan span = where(run->def.tolerance, run->model->system.run.tolerance_span);
  double tolerance = run->report.tolerance;
  if (!isfinite(tolerance) || !(tolerance > 0)) {
    return refuse(run, span, "the tolerance must be positive", tolerance, "as in: tolerance 1e-8");
  }
  if (tolerance < TOLERANCE_MIN) {
    return refuse(run, span, "the tolerance must be at least 1e-13, what double precision can give", tolerance,
                  "1e-12 is a very fine one");
  }
  if (tolerance > TOLERANCE_MAX) {
    return refuse(run, span, "the tolerance must be at most 0.1", tolerance, "1e-6 is a coarse one");
  }
  return ZW_OK;
}

static ZwStatus plan_run(ZwRun* run) {
  const ZwRunSpec* spec = &run->model->system.run;
  ZwReport* report = &run->report;
  report->from = choose(run, NAN, spec->from, 0);
  report->to = choose(run, run->def.to, spec->to, NAN);
  report->tolerance = choose(run, run->def.tolerance, spec->tolerance, DEFAULT_TOLERANCE);
  report->every = choose(run, run->def.every, spec->every, (report->to - report->from) / DEFAULT_ROWS);
  if (run->arena.failed) return ZW_ERR_MEMORY;
  ZW_TRY(check_tolerance(run));
  if (isnan(report->to) && !spec->is_stated) return ZW_OK; /* can be checked, not run */
  return check_times(run);
}

static ZwStatus collect_moves(ZwRun* run) {
  const ZwSim* sim = run->sim;
  ZW_ARRAY(ZwMove) moves = {0};
  for (int32_t i = 0; i < 2 * sim->n; i++) {
    bool has_moved = fabs(sim->y[i] - sim->typed[i]) > 1e-10 * (1 + fabs(sim->typed[i]));
    if (has_moved && sim->hold[i] == ZW_HOLD_GUESS) run->report.guess_count++;
    if (!has_moved || sim->hold[i] != ZW_HOLD_TYPED) continue;
    ZwStr name = run->model->system.coords.items[i % sim->n].name;
    ZwMove move = {zw_format(&run->arena, "%.*s%s", ZW_STR_ARGS(name), i < sim->n ? "" : "'"), sim->typed[i],
                   sim->y[i]};
    if (!ZW_PUSH(&run->arena, &moves, move)) return ZW_ERR_MEMORY;
  }
  run->report.moves = moves.items;
  run->report.move_count = moves.count;
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

static ZwStatus collect_redundant(ZwRun* run) {
  const ZwSim* sim = run->sim;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  ZW_ARRAY(const char*) names = {0};
  for (int32_t i = 0, r = 0; i < sim->m; i++) {
    if (r < set->count && set->rows[r] == i) {
      r++;
      continue;
    }
    if (!zw_rows_is_on(sim, i)) {
      run->report.waiting++;
      continue;
    }
    const char* name = zw_str_copy(&run->arena, zw_row_name(sim, i));
    if (!ZW_PUSH(&run->arena, &names, name)) return ZW_ERR_MEMORY;
  }
  run->report.redundant = names.items;
  run->report.redundant_count = names.count;
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

static const char** copy_names(ZwRun* run, const int32_t* rows, int32_t count) {
  const char** names = ZW_NEW(&run->arena, count + 1, const char*);
  for (int32_t i = 0; names && i < count; i++) names[i] = zw_str_copy(&run->arena, zw_row_name(run->sim, rows[i]));
  return names;
}

static ZwStatus collect_shares(ZwRun* run) {
  ZwShares shares = {0};
  ZW_TRY(zw_shares_find(run->sim, &run->arena, &shares));
  ZwSharedLoad* loads = ZW_NEW(&run->arena, shares.list.count + 1, ZwSharedLoad);
  for (int32_t i = 0; loads && i < shares.list.count; i++) {
    const ZwShare* share = &shares.list.items[i];
    loads[i] = (ZwSharedLoad){copy_names(run, share->rows.items, share->rows.count), share->rows.count, share->freedom,
                              share->unique.items, share->unique.count};
  }
  run->report.shared = loads;
  run->report.shared_count = shares.list.count;
  return run->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* The columns of zw_reactions_row. */
static ZwStatus name_forces(ZwRun* run) {
  const ZwSim* sim = run->sim;
  const ZwPattern* pattern = &sim->equations->A;
  ZwArena* arena = &run->arena;
  for (int32_t i = 0; i < sim->m; i++) {
    const char* name = zw_format(arena, "reaction(%.*s)", ZW_STR_ARGS(zw_row_name(sim, i)));
    (void)ZW_PUSH(arena, &run->force_columns, name);
  }
  for (int32_t i = 0; i < sim->m; i++) {
    for (int32_t k = pattern->begin[i]; k < pattern->begin[i + 1]; k++) {
      ZwStr coord = sim->system->coords.items[pattern->column[k]].name;
      const char* name = zw_format(arena, "%.*s on %.*s", ZW_STR_ARGS(zw_row_name(sim, i)), ZW_STR_ARGS(coord));
      (void)ZW_PUSH(arena, &run->force_columns, name);
    }
  }
  for (int32_t i = 0; i < sim->n; i++) {
    const char* name = zw_format(arena, "constraints on %.*s", ZW_STR_ARGS(sim->system->coords.items[i].name));
    (void)ZW_PUSH(arena, &run->force_columns, name);
  }
  return arena->failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* The solve is dense: its memory grows with the square of the number of coordinates. */
static ZwStatus check_size(ZwRun* run, ZwFormulation formulation) {
  const ZwProgram* program = &run->model->program;
  size_t limit = run->model->arena.limit;
  size_t size = zw_sim_size(program) + zw_sim_formulation_size(program, formulation);
  if (limit == 0 || size <= limit) return ZW_OK;
  zw_diag_error(&run->diags, ZW_ERR_LIMIT, (ZwSpan){0},
                "%d coordinates and %d constraints need %.3g GB for the dense solve, the limit is %.3g GB",
                (int)run->model->equations.n, (int)run->model->equations.m, (double)size / 1e9, (double)limit / 1e9);
  zw_diag_remedy(&run->diags, "raise it with --limit memory=...; a solve for large sparse models is not supported yet");
  return ZW_ERR_LIMIT;
}

static ZwStatus choose_formulation(ZwRun* run, ZwFormulation* formulation) {
  const char* name = run->def.formulation ? run->def.formulation : "auto";
  *formulation = zw_formulation_find(name);
  if (*formulation == ZW_FORMULATION_COUNT) {
    ZwText names;
    zw_text_init(&names, &run->arena);
    for (int32_t i = 0; zw_formulation_text(i); i++)
      zw_text_addf(&names, "%s%s", i ? ", " : "", zw_formulation_text(i));
    const char* meant = NULL;
    for (int32_t i = 0; zw_formulation_text(i) && !meant; i++) {
      bool is_near = zw_str_distance(zw_str_from(name), zw_str_from(zw_formulation_text(i)), 2) <= 2;
      if (is_near || (name[0] && strstr(zw_formulation_text(i), name))) meant = zw_formulation_text(i);
    }
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "there is no formulation '%s'%s%s%s", name,
                  meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    zw_diag_remedy(&run->diags, "one of %s", zw_text_get(&names));
    return ZW_ERR_ARGUMENT;
  }
  const ZwEquations* equations = &run->model->equations;
  if (*formulation == ZW_FORMULATION_QUASI && equations->m_all == equations->m_start) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                  "the formulation '%s' needs quasi-velocities, and the model states none", name);
    zw_diag_remedy(&run->diags,
                   "state as many as degrees of freedom, as in: quasi u = x'*cos(phi) + y'*sin(phi), w = phi'");
    return ZW_ERR_ARGUMENT;
  }
  return ZW_OK;
}

static ZwStatus choose_conservation(ZwRun* run) {
  const ZwEquations* equations = &run->model->equations;
  if (!run->def.conserve_energy) return ZW_OK;
  if (!equations->is_conservative || !equations->has_energy) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "energy cannot be held: the model does not conserve it");
    zw_diag_remedy(&run->diags,
                   "a force, dissipation, explicit time, a moving constraint or a Gibbs function changes it");
    return ZW_ERR_ARGUMENT;
  }
  if (run->sim->formulation == ZW_FORMULATION_QUASI) {
    zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "energy cannot be held in quasi-velocities");
    zw_diag_remedy(&run->diags, "leave --formulation or --conserve out");
    return ZW_ERR_ARGUMENT;
  }
  run->sim->conserves_energy = run->report.is_energy_held = true;
  return ZW_OK;
}

/* A formulation that does not apply is refused before anything is simulated. */
static ZwStatus try_formulation(ZwSim* sim) {
  if (!sim->paper) return ZW_OK;
  ZwStatus status = zw_eval_rate_projected(sim, sim->t, sim->y, sim->k[0]);
  return status ? zw_fault_evaluation(sim, status, sim->y) : ZW_OK;
}

static ZwStatus open_run(ZwRun* run) {
  ZwFormulation formulation;
  ZW_TRY(choose_formulation(run, &formulation));
  ZW_TRY(check_size(run, formulation));
  ZW_TRY(zw_sim_create(&run->model->program, &run->arena.allocator, &run->diags, &run->sim));
  ZwSim* sim = run->sim;
  ZW_TRY(zw_sim_set_formulation(sim, formulation));
  run->report.formulation = zw_formulation_name(formulation);
  run->report.n = sim->n;
  run->report.m = sim->m;
  ZW_TRY(zw_sim_set_params(sim));
  ZW_TRY(plan_run(run));
  zw_sim_set_up(sim, run->report.from, run->report.tolerance);
  ZW_TRY(zw_start(sim, run->report.from));
  ZW_TRY(try_formulation(sim));
  ZW_TRY(choose_conservation(run));
  run->report.rank = sim->sets[ZW_LEVEL_ACCELERATION].count;
  run->report.dof = sim->n - run->report.rank;
  ZW_TRY(collect_redundant(run));
  ZW_TRY(collect_shares(run));
  sim->has_forces = run->def.forces;
  if (sim->has_forces) ZW_TRY(name_forces(run));
  return collect_moves(run);
}

ZwStatus zw_run_create(const ZwModel* model, const ZwRunDef* def, ZwRun** out) {
  *out = NULL;
  if (model->status) return model->status;
  ZwRun* run = zw_alloc(&model->arena.allocator, sizeof *run);
  if (!run) return ZW_ERR_MEMORY;
  run->model = model;
  run->def = *def;
  zw_arena_init(&run->arena, &model->arena.allocator);
  zw_diag_init(&run->diags, &run->arena, &model->sources);
  run->status = open_run(run);
  if (run->arena.failed) run->status = ZW_ERR_MEMORY; /* messages may be lost */
  *out = run;
  return run->status;
}

static ZwStatus hand_row(void* context, const double* values) {
  ZwRun* run = context;
  run->report.has_begun = true;
  run->report.rows++;
  return run->def.row ? run->def.row(run->def.context, values) : ZW_OK;
}

static void hand_event(void* context, double t, const char* name) {
  ZwRun* run = context;
  if (run->def.event) run->def.event(run->def.context, t, name);
}

static bool hand_poll(void* context, double t) {
  const ZwRun* run = context;
  return run->def.poll ? run->def.poll(run->def.context, t) : true;
}

ZwStatus zw_run_ready(ZwRun* run) {
  if (run->status) return run->status;
  const ZwSystem* system = &run->model->system;
  for (int32_t i = 0; i < system->needs.count; i++) {
    run->status =
        zw_diag_error(&run->diags, ZW_ERR_UNSUPPORTED, system->needs.items[i].span,
                      "to run this model %s is needed, which is not supported yet", system->needs.items[i].what);
  }
  if (run->arena.failed) run->status = ZW_ERR_MEMORY; /* messages may be lost */
  if (run->status || !isnan(run->report.to)) return run->status;
  zw_diag_error(&run->diags, ZW_ERR_VALUE, (ZwSpan){0}, "the model does not say how long to run");
  zw_diag_remedy(&run->diags, "add 'run 0 .. 10' to the model, or --to 10 to the command");
  return run->status = run->arena.failed ? ZW_ERR_MEMORY : ZW_ERR_VALUE;
}

ZwStatus zw_run_go(ZwRun* run) {
  ZW_TRY(zw_run_ready(run));
  const ZwReport* report = &run->report;
  ZwRunPlan plan = {.from = report->from,
                    .to = report->to,
                    .every = report->every,
                    .row = hand_row,
                    .event = hand_event,
                    .poll = hand_poll,
                    .context = run};
  run->status = zw_run(run->sim, &plan);
  if (run->arena.failed) run->status = ZW_ERR_MEMORY; /* messages may be lost */
  return run->status;
}

/* ---- comparing ---- */

#define DEFAULT_INSTANTS 11

typedef struct Comparing {
  ZwRun* run;
  const ZwCompareDef* def;
  ZwCompare compare;
} Comparing;

static ZwStatus compare_here(void* context, ZwSim* sim, double t, const double* y) {
  Comparing* comparing = context;
  ZwCompare* c = &comparing->compare;
  ZW_TRY(zw_compare_state(c, sim, t, y));
  if (!comparing->def->frame) return ZW_OK;
  ZwFrameReport frame = {.t = t,
                         .is_stated = c->is_stated,
                         .n = sim->n,
                         .f = c->f,
                         .nu = c->nu,
                         .nu_rate = c->nu_rate,
                         .B = c->B,
                         .r = c->r,
                         .c = c->c,
                         .K = c->K,
                         .p = c->p};
  return comparing->def->frame(comparing->def->context, &frame);
}

static bool poll_comparing(void* context, double t) {
  const Comparing* comparing = context;
  return hand_poll(comparing->run, t);
}

/* The instants: those given, or evenly spaced ones, or the start alone. */
static ZwStatus choose_instants(ZwRun* run, const ZwCompareDef* def, ZwRunPlan* plan) {
  const ZwReport* report = &run->report;
  bool has_end = !isnan(report->to);
  int32_t count = def->times ? def->count : has_end ? DEFAULT_INSTANTS : 1;
  double* times = ZW_NEW(&run->arena, count + 1, double);
  if (!times) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < count; i++) {
    double part = (double)i / (DEFAULT_INSTANTS - 1);
    times[i] = def->times ? def->times[i] : has_end ? report->from + part * (report->to - report->from) : report->from;
    bool is_inside = times[i] == report->from || (has_end && times[i] >= report->from && times[i] <= report->to);
    bool is_ascending = i == 0 || times[i] >= times[i - 1];
    if (is_inside && is_ascending) continue;
    if (!is_ascending)
      zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "the instants to compare at must ascend");
    else if (has_end)
      zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0}, "t = %.9g is not within the run %.9g .. %.9g", times[i],
                    report->from, report->to);
    else
      zw_diag_error(&run->diags, ZW_ERR_ARGUMENT, (ZwSpan){0},
                    "t = %.9g cannot be reached: the model does not say how long to run", times[i]);
    zw_diag_remedy(&run->diags, "--to T makes the run longer");
    return ZW_ERR_ARGUMENT;
  }
  plan->times = times;
  plan->time_count = count;
  plan->from = report->from;
  plan->to = count > 0 ? times[count - 1] : report->from;
  return ZW_OK;
}

static ZwStatus compare_run(ZwRun* run, Comparing* comparing) {
  ZwSim* sim = run->sim;
  ZwFormulation kept = sim->formulation;
  ZW_TRY(check_size(run, ZW_FORMULATION_LAGRANGE));
  ZW_TRY(zw_sim_set_formulation(sim, ZW_FORMULATION_LAGRANGE)); /* makes room */
  ZW_TRY(zw_sim_set_formulation(sim, kept));
  double* memory = ZW_NEW(&run->arena, (int32_t)zw_compare_size(sim->n), double);
  if (!memory) return ZW_ERR_MEMORY;
  zw_compare_place(&comparing->compare, sim->n, memory);
  zw_compare_begin(&comparing->compare);
  comparing->compare.clock = comparing->def->clock;
  comparing->compare.has_frame = comparing->def->frame != NULL;
  ZwRunPlan plan = {.look = compare_here, .poll = poll_comparing, .context = comparing};
  ZW_TRY(choose_instants(run, comparing->def, &plan));
  if (plan.to > plan.from) ZW_TRY(zw_run_ready(run));
  run->report.has_begun = true;
  return zw_run(sim, &plan);
}

ZwStatus zw_run_compare(ZwRun* run, const ZwCompareDef* def, ZwFormulationReport* reports, int32_t* instants) {
  Comparing comparing = {.run = run, .def = def};
  *instants = 0;
  if (run->status == ZW_OK) run->status = compare_run(run, &comparing);
  if (run->arena.failed) run->status = ZW_ERR_MEMORY; /* messages may be lost */
  for (int i = 0; i < ZW_FORMULATION_COUNT && run->status == ZW_OK; i++) {
    const ZwComparison* one = &comparing.compare.of[i];
    reports[i] = (ZwFormulationReport){zw_formulation_name((ZwFormulation)i),
                                       one->applies,
                                       one->reason,
                                       one->difference,
                                       one->residual,
                                       one->optimality,
                                       one->gaussian,
                                       one->seconds / (double)one->solves};
  }
  *instants = comparing.compare.states;
  return run->status;
}

void zw_run_destroy(ZwRun* run) {
  if (!run) return;
  ZwAllocator allocator = run->arena.allocator;
  zw_sim_destroy(run->sim);
  zw_arena_destroy(&run->arena);
  zw_release(&allocator, run);
}

const ZwReport* zw_run_report(ZwRun* run) {
  ZwReport* report = &run->report;
  report->is_conservative = run->model->equations.is_conservative;
  report->has_energy = run->model->equations.has_energy;
  if (!run->sim) return report;
  const ZwStats* stats = &run->sim->stats;
  report->t = run->sim->t;
  report->steps = stats->steps;
  report->rejected = stats->rejected;
  report->evaluations = stats->evaluations;
  report->singular = run->sim->near.crossings;
  report->events = run->sim->watch.happened;
  report->is_stopped = run->sim->watch.is_stopped;
  report->energy_events = stats->energy_events;
  report->phi_max = stats->phi_max;
  report->phidot_max = stats->psi_max;
  report->energy_start = stats->energy_start;
  report->energy_drift = stats->energy_scale > 0 ? stats->energy_off / stats->energy_scale : stats->energy_off;
  report->work = stats->work_max;
  return report;
}

int32_t zw_run_column_count(const ZwRun* run) {
  return run->model->column_count + run->force_columns.count;
}

const char* zw_run_column(const ZwRun* run, int32_t i) {
  int32_t own = run->model->column_count;
  return i < own ? run->model->columns[i] : run->force_columns.items[i - own];
}

int32_t zw_run_diag_count(const ZwRun* run) {
  return run->diags.list.count;
}

const ZwDiag* zw_run_diag(const ZwRun* run, int32_t i) {
  return &run->diags.list.items[i];
}

size_t zw_run_memory(const ZwRun* run) {
  return run->sim ? run->sim->block_size : 0;
}
