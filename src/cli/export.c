/* zwang export --c: the equations of a model as one file of C and its header. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/draft.h"

/* Where the two files go, and how the one includes the other. */
typedef struct Paths {
  char *source, *header;
  const char* include;
} Paths;

static void free_paths(Paths* paths) {
  free(paths->source);
  free(paths->header);
}

static bool ends_in_c(const char* path) {
  size_t size = strlen(path);
  return size > 2 && strcmp(path + size - 2, ".c") == 0 && path[size - 3] != '/';
}

/* EXIT_FINE or what was complained of. */
static int choose_paths(const Options* options, Paths* paths) {
  if (options->output && !ends_in_c(options->output)) {
    return complain(options, ZW_ERR_ARGUMENT,
                    "the output must be a file with the ending .c, not '%s'; its header gets the ending .h",
                    options->output);
  }
  char* name = model_name(options->file);
  paths->source = options->output ? join_path(".", options->output, "")
                  : name          ? join_path(options->out, name, ".c")
                                  : NULL;
  free(name);
  paths->header = paths->source ? join_path(".", paths->source, "") : NULL;
  if (!paths->header) return complain(options, ZW_ERR_MEMORY, "out of memory");
  paths->header[strlen(paths->header) - 1] = 'h';
  const char* slash = strrchr(paths->header, '/');
  paths->include = slash ? slash + 1 : paths->header;
  if (strpbrk(paths->include, "\"\\\n")) {
    return complain(options, ZW_ERR_ARGUMENT, "'%s' cannot be included in C: choose another name with -o",
                    paths->include);
  }
  const char* both[] = {paths->source, paths->header};
  for (int i = 0; i < 2; i++) {
    if (was_read(options, both[i])) {
      return complain(options, ZW_ERR_ARGUMENT, "the output '%s' would overwrite a file the model is made from",
                      both[i]);
    }
  }
  int exit_code = check_kind(options, both[0], KIND_CODE);
  return exit_code ? exit_code : check_kind(options, both[1], KIND_CODE);
}

/* Both files are complete before the first gets its name. */
static int write_files(const Options* options, const Paths* paths, const ZwExport* texts) {
  const char* const names[] = {paths->header, paths->source};
  const char* const contents[] = {texts->header, texts->source};
  char error[ZW_DRAFT_ERROR] = "";
  ZwAllocator allocator = zw_allocator_default();
  ZwDraft drafts[2] = {0};
  ZwStatus status = ZW_OK;
  for (int i = 0; i < 2 && !status; i++) {
    status = zw_draft_open(&drafts[i], &allocator, names[i], error);
    if (!status) status = zw_draft_write(&drafts[i], contents[i], strlen(contents[i]), error);
  }
  for (int i = 0; i < 2 && !status; i++) status = zw_draft_finish(&drafts[i], error);
  for (int i = 0; i < 2; i++) zw_draft_discard(&drafts[i]);
  return status ? complain(options, status, "%s", error) : EXIT_FINE;
}

static void print_json_answer(const Options* options, const char* name, const ZwModel* model, ZwRun* run,
                              const Paths* paths, const ZwExport* texts) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  ZwJson json;
  zw_json_init(&json, &text);
  zw_json_begin_object(&json);
  json_head(&json, status_word(EXIT_FINE));
  zw_json_key(&json, "file");
  zw_json_string(&json, options->file);
  json_system(&json, zw_run_report(run), name);
  json_number(&json, "parameters", texts->parameters);
  json_number(&json, "outputs", texts->outputs);
  json_number(&json, "operations", (double)texts->operations);
  zw_json_key(&json, "source");
  zw_json_string(&json, paths->source);
  zw_json_key(&json, "header");
  zw_json_string(&json, paths->header);
  json_diags(&json, model, run, NULL);
  zw_json_end_object(&json);
  puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
}

static void print_answer(const char* name, ZwRun* run, const Paths* paths, const ZwExport* texts) {
  print_system(zw_run_report(run), name);
  zw_printf("  equations    %lld operations for %s; %d parameter%s, %d output%s\n", (long long)texts->operations,
            zw_run_report(run)->m > 0 ? "M, h, A and b" : "M and h", (int)texts->parameters,
            texts->parameters == 1 ? "" : "s", (int)texts->outputs, texts->outputs == 1 ? "" : "s");
  zw_printf("  files        %s, %s\n", paths->source, paths->header);
}

static int export_run(const Options* options, const ZwModel* model, ZwRun* run) {
  Paths paths = {0};
  ZwExport texts = {0};
  ZwExportDef def = zw_default_export_def();
  int exit_code = choose_paths(options, &paths);
  if (exit_code == EXIT_FINE) {
    def.prefix = options->name;
    def.header = paths.include;
    def.compact = options->compact;
    ZwStatus status = zw_run_export(run, &def, &texts);
    exit_code = exit_status(status, false);
    if (status) print_refused(options, model, run, status);
  }
  if (exit_code == EXIT_FINE) exit_code = write_files(options, &paths, &texts);
  if (exit_code == EXIT_FINE) {
    print_diags(model, run, options->quiet);
    char* name = model_name(options->file);
    const char* shown = name ? name : options->file;
    if (options->json)
      print_json_answer(options, shown, model, run, &paths, &texts);
    else if (!options->quiet)
      print_answer(shown, run, &paths, &texts);
    free(name);
  }
  zw_text_free(model, texts.source);
  zw_text_free(model, texts.header);
  free_paths(&paths);
  return exit_code;
}

int command_export(const Options* options) {
  int exit_code;
  if (!options->as_c) return complain(options, ZW_ERR_ARGUMENT, "export as what? write: zwang export --c FILE");
  ZwModel* model = compile_model(options, false, &exit_code);
  if (!model) return exit_code;
  ZwRunDef def = zw_default_run_def();
  ZwRun* run = NULL;
  ZwStatus status = zw_run_create(model, &def, &run);
  exit_code = exit_status(status, false);
  if (status == ZW_OK)
    exit_code = export_run(options, model, run);
  else
    print_refused(options, model, run, status);
  zw_run_destroy(run);
  zw_model_destroy(model);
  return exit_code;
}
