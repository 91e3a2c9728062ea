/* zwang derive: the equations of a model as on paper, to standard output or into a file. */
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/draft.h"

/* Writes the parts one after the other; EXIT_FINE or what was complained of. */
static int write_file(const Options* options, const char* const* parts, int count) {
  char error[ZW_DRAFT_ERROR] = "";
  ZwAllocator allocator = zw_allocator_default();
  ZwDraft draft = {0};
  if (was_read(options, options->output)) {
    return complain(options, ZW_ERR_ARGUMENT, "the output '%s' would overwrite a file the model is made from",
                    options->output);
  }
  int exit_code = check_kind(options, options->output, KIND_DERIVED);
  if (exit_code) return exit_code;
  ZwStatus status = zw_draft_open(&draft, &allocator, options->output, error);
  for (int i = 0; i < count && !status; i++) status = zw_draft_write(&draft, parts[i], strlen(parts[i]), error);
  if (!status) status = zw_draft_finish(&draft, error);
  zw_draft_discard(&draft);
  return status ? complain(options, status, "%s", error) : EXIT_FINE;
}

static int answer(const Options* options, const char* const* parts, int count) {
  if (options->output) return write_file(options, parts, count);
  for (int i = 0; i < count; i++) fputs(parts[i], stdout);
  return EXIT_FINE;
}

/* What every answer in JSON begins with, then the equations. */
static int answer_json(const Options* options, const ZwModel* model, const char* equations) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText head;
  zw_text_init(&head, &arena);
  ZwJson json;
  zw_json_init(&json, &head);
  zw_json_begin_object(&json);
  json_head(&json, status_word(EXIT_FINE));
  zw_json_key(&json, "file");
  zw_json_string(&json, options->file);
  json_diags(&json, model, NULL, NULL);
  /* both are objects: the one goes on where the other would end */
  const char* const parts[] = {zw_text_get(&head), ",", equations + 1, "\n"};
  int exit_code = arena.failed ? complain(options, ZW_ERR_MEMORY, "out of memory") : answer(options, parts, 4);
  zw_arena_destroy(&arena);
  return exit_code;
}

int command_derive(const Options* options) {
  int exit_code;
  if (options->json && options->latex) return complain(options, ZW_ERR_ARGUMENT, "--json or --latex, not both");
  ZwModel* model = compile_model(options, false, &exit_code);
  if (!model) return exit_code;
  print_diags(model, NULL, options->quiet);
  ZwDeriveForm form = options->json ? ZW_DERIVE_JSON : options->latex ? ZW_DERIVE_LATEX : ZW_DERIVE_TEXT;
  char* text = zw_model_derive(model, form);
  if (!text)
    exit_code = complain(options, ZW_ERR_MEMORY, "out of memory");
  else if (options->json)
    exit_code = answer_json(options, model, text);
  else
    exit_code = answer(options, (const char* const[]){text}, 1);
  zw_text_free(model, text);
  zw_model_destroy(model);
  return exit_code;
}
