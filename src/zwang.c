/* The stages, one per line, and the public functions around them. */
#include "zwang/details.h"
#include "zwang/handles.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "equations/equations.h"
#include "kernel/native.h"
#include "model/elaborate.h"
#include "model/library.h"
#include "output/json.h"
#include "paper/paper.h"
#include "text/dump.h"
#include "text/format.h"
#include "text/nfc.h"
#include "text/parser.h"

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

const char* zw_integrator_text(int32_t i) {
  return i >= 0 && i < ZW_INTEGRATOR_COUNT ? zw_integrator((ZwIntegratorKind)i)->name : NULL;
}

static ZwLimits default_limits(void) {
  return (ZwLimits){.memory = (size_t)4 << 30, .iterations = ZW_LIMIT_ITERATIONS, .nesting = ZW_LIMIT_NESTING};
}

ZwCompileDef zw_default_compile_def(void) {
  return (ZwCompileDef){ZW_DEF_HEAD(ZwCompileDef), .name = "model", .limits = default_limits(),
                        .allocator = zw_allocator_default()};
}

ZwRunDef zw_default_run_def(void) {
  return (ZwRunDef){ZW_DEF_HEAD(ZwRunDef), .to = NAN,   .every = NAN,
                    .tolerance = NAN,      .step = NAN, .formulation = "auto"};
}

/* ---- compiling ---- */

/* Texts are counted by 32 bits; what comes from outside may be longer. */
static ZwStatus check_text_size(ZwModel* model, const char* name, size_t size) {
  if (size < INT32_MAX) return ZW_OK;
  return zw_diag_error(&model->diags, ZW_ERR_LIMIT, (ZwSpan){0}, "'%s' is longer than 2 GiB", name);
}

/* Copies a text into the model, where messages find it, and numbers it. */
static int32_t add_source(ZwModel* model, const char* name, const char* text, size_t size) {
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
    ZW_TRY(check_text_size(model, name, strlen(set->value)));
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
  if (status == ZW_OK && !text) status = ZW_ERR_IO;
  if (status == ZW_OK) {
    if (!check_text_size(model, path, size)) file = add_source(model, path, text, size);
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

/* Contacts without a name that stand on the same line, as in a loop, are told apart: "line 5", "line 5 (2)". */
static const char* name_contact(ZwModel* model, int32_t i) {
  const ZwContact* contacts = model->system.contacts.items;
  int32_t number = 1;
  for (int32_t k = 0; k < i; k++) number += zw_str_equal(contacts[k].name, contacts[i].name);
  if (number == 1) return zw_str_copy(&model->arena, contacts[i].name);
  return zw_format(&model->arena, "%.*s (%d)", ZW_STR_ARGS(contacts[i].name), (int)number);
}

static ZwStatus name_columns(ZwModel* model) {
  const ZwEquations* equations = &model->equations;
  int32_t n = equations->n;
  model->column_count = 1 + 2 * n + equations->output_count;
  model->columns = ZW_NEW(&model->arena, model->column_count, const char*);
  if (!model->columns) return ZW_ERR_MEMORY;
  int32_t contacts = model->system.contacts.count;
  model->contacts = ZW_NEW(&model->arena, contacts + 1, const char*);
  for (int32_t i = 0; model->contacts && i < contacts; i++) model->contacts[i] = name_contact(model, i);
  model->columns[0] = "t";
  for (int32_t i = 0; i < n; i++) {
    ZwStr name = model->system.coords.items[i].name;
    model->columns[1 + i] = zw_str_copy(&model->arena, name);
    model->columns[1 + n + i] = zw_str_join(&model->arena, name, ZW_STR("'"));
  }
  for (int32_t i = 0; i < equations->output_count; i++) {
    ZwStr name = model->system.terms.items[equations->outputs.items[i]].name;
    model->columns[1 + 2 * n + i] = zw_str_copy(&model->arena, name);
  }
  return model->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}

/* The text of the definition, and its number. */
static ZwStatus add_text(ZwModel* model, const ZwCompileDef* def, int32_t* file) {
  const char* name = def->name ? def->name : "model";
  ZW_TRY(check_text_size(model, name, def->size));
  *file = add_source(model, name, def->text ? def->text : "", def->size);
  return *file ? ZW_OK : ZW_ERR_MEMORY;
}

static ZwStatus compile(ZwModel* model, const ZwCompileDef* def) {
  int32_t file;
  ZW_TRY(add_text(model, def, &file));
  ZwSetting* settings = NULL;
  ZW_TRY(read_settings(model, def, &settings));
  Loader loader = {model, def};
  ZwElaborateDef how = {.settings = settings,
                        .setting_count = def->set_count,
                        .load = load,
                        .load_context = &loader,
                        .trees = &model->compile,
                        .drawing = def->drawing,
                        .constraints = def->constraints,
                        .constraint_count = def->constraint_count,
                        .iteration_limit = def->limits.iterations};
  ZW_TRY(run_stages(model, file, &how));
  zw_graph_settle(&model->system.graph);
  zw_graph_settle(&model->equations.graph);
  ZW_TRY(zw_model_choose_kernel(model, def->kernel));
  ZW_TRY(name_columns(model));
  return zw_model_name_pictures(model);
}

static ZwModel* create_model(const ZwCompileDef* def) {
  ZwAllocator allocator = zw_allocator_of(&def->allocator);
  ZwModel* model = zw_alloc(&allocator, sizeof *model);
  if (!model) return NULL;
  atomic_init(&model->users, 1);
  zw_arena_init(&model->arena, &allocator);
  zw_arena_init(&model->compile, &allocator);
  model->arena.limit = model->compile.limit = def->limits.memory;
  model->sources.nesting_limit = def->limits.nesting;
  zw_diag_init(&model->diags, &model->arena, &model->sources);
  return model;
}

ZwStatus zw_model_compile(const ZwCompileDef* def, ZwModel** out) {
  ZW_CHECK(out);
  *out = NULL;
  ZW_CHECK(zw_compile_def_is_whole(def));
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
  int32_t file;
  ZW_TRY(add_text(model, def, &file));
  ZwText result;
  zw_text_init(&result, &model->compile);
  ZW_TRY(zw_format_text(&model->compile, &model->diags, file, &result));
  *text = zw_alloc(&model->arena.allocator, (size_t)result.size + 1);
  if (!*text) return ZW_ERR_MEMORY;
  memcpy(*text, zw_text_get(&result), (size_t)result.size);
  *size = (size_t)result.size;
  return ZW_OK;
}

ZwStatus zw_model_format(const ZwCompileDef* def, ZwModel** out, char** text, size_t* size) {
  ZW_CHECK(out && text && size);
  *out = NULL;
  *text = NULL;
  *size = 0;
  ZW_CHECK(zw_compile_def_is_whole(def));
  ZwModel* model = *out = create_model(def);
  if (!model) return ZW_ERR_MEMORY;
  ZwStatus status = format(model, def, text, size);
  if (model->arena.limit_reached || model->compile.limit_reached) status = ZW_ERR_LIMIT;
  zw_arena_destroy(&model->compile);
  model->status = ZW_ERR_ARGUMENT; /* it holds messages only and cannot run */
  return status;
}

static void free_model(ZwModel* model) {
  ZwAllocator allocator = model->arena.allocator;
  zw_native_destroy(&model->program);
  zw_arena_destroy(&model->compile);
  zw_arena_destroy(&model->arena);
  zw_release(&allocator, model);
}

const ZwModel* zw_model_keep(const ZwModel* model) {
  ZwModel* own = (ZwModel*)(uintptr_t)model;
  atomic_fetch_add_explicit(&own->users, 1, memory_order_relaxed);
  return model;
}

void zw_model_drop(const ZwModel* model) {
  ZwModel* own = (ZwModel*)(uintptr_t)model;
  if (atomic_fetch_sub_explicit(&own->users, 1, memory_order_acq_rel) == 1) free_model(own);
}

void zw_model_destroy(ZwModel* model) {
  if (model) zw_model_drop(model);
}

int32_t zw_model_diag_count(const ZwModel* model) {
  return model ? model->diags.list.count : 0;
}

const ZwDiag* zw_model_diag(const ZwModel* model, int32_t i) {
  return zw_index_is_inside(i, zw_model_diag_count(model)) ? &model->diags.list.items[i] : NULL;
}

int32_t zw_model_error_count(const ZwModel* model) {
  if (!model) return 0;
  int32_t count = model->diags.dropped;
  for (int32_t i = 0; i < model->diags.list.count; i++) {
    count += model->diags.list.items[i].severity == ZW_SEVERITY_ERROR;
  }
  return count;
}

int32_t zw_model_column_count(const ZwModel* model) {
  return model && model->columns ? model->column_count : 0;
}

const char* zw_model_column(const ZwModel* model, int32_t i) {
  return zw_index_is_inside(i, zw_model_column_count(model)) ? model->columns[i] : NULL;
}

int32_t zw_model_column_find(const ZwModel* model, const char* name) {
  int32_t count = name ? zw_model_column_count(model) : 0;
  for (int32_t i = 1; i < count; i++) {
    if (strcmp(model->columns[i], name) == 0) return i;
  }
  if (count == 0) return 0;
  ZwStr coord = zw_str_from(name);
  bool is_velocity = coord.size > 0 && coord.data[coord.size - 1] == '\'';
  coord.size -= is_velocity;
  int32_t i = zw_system_find_coord(&model->system, coord);
  return i < 0 ? 0 : 1 + i + (is_velocity ? model->equations.n : 0);
}

int32_t zw_model_coordinate_count(const ZwModel* model) {
  return model ? model->equations.n : 0;
}

int32_t zw_model_output_count(const ZwModel* model) {
  return model ? model->equations.output_count : 0;
}

int32_t zw_model_contact_count(const ZwModel* model) {
  return model && model->contacts ? model->system.contacts.count : 0;
}

const char* zw_model_contact(const ZwModel* model, int32_t i) {
  return zw_index_is_inside(i, zw_model_contact_count(model)) ? model->contacts[i] : NULL;
}

int32_t zw_model_event_count(const ZwModel* model) {
  if (!model) return 0;
  int32_t count = model->system.events.count;
  for (int32_t i = 0; i < model->system.modes.count; i++) count += !model->system.modes.items[i].is_quiet;
  return count;
}

int32_t zw_model_text_count(const ZwModel* model) {
  return model ? model->sources.list.count : 0;
}

ZwModelText zw_model_text(const ZwModel* model, int32_t i) {
  if (!zw_index_is_inside(i, zw_model_text_count(model))) return (ZwModelText){0};
  const ZwSource* source = &model->sources.list.items[i];
  return (ZwModelText){source->name.data, source->text.data, (size_t)source->text.size};
}

char* zw_model_dump(const ZwModel* model, ZwStage stage) {
  if (!model || (int)stage < ZW_STAGE_TEXT || (int)stage > ZW_STAGE_KERNEL) return NULL;
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

static void write_derived(ZwText* text, const ZwModel* model, const ZwDeriveDef* def, ZwPaperWish* wish) {
  ZwJson json;
  zw_json_init(&json, text);
  switch (def->form) {
    case ZW_DERIVE_TEXT:
      zw_paper_text(text, &model->equations, wish);
      break;
    case ZW_DERIVE_LATEX:
      zw_paper_latex(text, &model->equations, wish);
      break;
    case ZW_DERIVE_JSON:
      zw_json_begin_object(&json);
      zw_paper_json(&json, text->arena, &model->equations, wish);
      zw_json_end_object(&json);
      break;
  }
}

ZwStatus zw_model_derive_parts(const ZwModel* model, const ZwDeriveDef* def, ZwDerivePage* derived) {
  ZW_CHECK(derived);
  *derived = (ZwDerivePage){.rank = -1, .dependent = -1};
  ZW_CHECK(model && !model->status && def && (int)def->form >= ZW_DERIVE_TEXT && (int)def->form <= ZW_DERIVE_JSON);
  ZwDetailDef columns = {.eliminate = def->eliminate,
                         .eliminate_count = def->eliminate_count,
                         .order = def->order,
                         .order_count = def->order_count};
  ZW_CHECK(def->parts >= 0 && def->parts <= ZW_DERIVE_ALL && zw_detail_def_is_whole(&columns, model->equations.n));
  ZwLetters letters = zw_letters_find(def->letters ? def->letters : "ours");
  ZW_CHECK(letters != ZW_LETTERS_COUNT);
  ZwArena scratch;
  zw_arena_init(&scratch, &model->arena.allocator);
  scratch.limit = model->arena.limit;
  ZwText text;
  zw_text_init(&text, &scratch);
  ZwPaperWish wish = {.is_explicit = def->parts & ZW_DERIVE_EXPLICIT,
                      .has_partition = def->parts & ZW_DERIVE_PARTITION,
                      .eliminate = def->eliminate,
                      .eliminate_count = def->eliminate_count,
                      .has_bellman = def->parts & ZW_DERIVE_BELLMAN,
                      .order = def->order,
                      .order_count = def->order_count,
                      .letters = letters,
                      .rank = -1,
                      .dependent = -1};
  write_derived(&text, model, def, &wish);
  derived->rank = wish.rank;
  derived->dependent = wish.dependent;
  ZwStatus status = wish.is_refused ? ZW_ERR_VALUE : scratch.failed ? ZW_ERR_MEMORY : ZW_OK;
  char* copy = status ? NULL : zw_alloc(&scratch.allocator, (size_t)text.size + 1);
  if (!status && !copy) status = ZW_ERR_MEMORY;
  if (copy) memcpy(copy, zw_text_get(&text), (size_t)text.size);
  derived->text = copy;
  zw_arena_destroy(&scratch);
  return status;
}

char* zw_model_derive(const ZwModel* model, ZwDeriveForm form) {
  ZwDerivePage derived;
  (void)zw_model_derive_parts(model, &(ZwDeriveDef){.form = form}, &derived);
  return derived.text;
}

void zw_text_free(const ZwModel* model, char* text) {
  if (model) zw_release(&model->arena.allocator, text);
}
