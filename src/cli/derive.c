/* zwang derive: the equations of a model as on paper, to standard output or into a file. */
#include "base/alloc.h"
#include "cli/ask.h"

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
  int exit_code = arena.failed ? complain(options, ZW_ERR_MEMORY, "out of memory") : answer_text(options, parts, 4);
  zw_arena_destroy(&arena);
  return exit_code;
}

/* What is asked for; a partition that is named is meant to be seen. */
static int32_t parts_of(const Options* options, const Ask* ask) {
  if (options->all) return ZW_DERIVE_ALL;
  int32_t parts = 0;
  if (options->explicit_) parts |= ZW_DERIVE_EXPLICIT;
  if (options->partition || ask->eliminate) parts |= ZW_DERIVE_PARTITION;
  if (options->bellman || ask->order) parts |= ZW_DERIVE_BELLMAN;
  return parts;
}

static int refuse(const Options* options, const ZwModel* model, const Ask* ask, ZwStatus status,
                  const ZwDerivePage* derived) {
  if (status != ZW_ERR_VALUE) return complain(options, status, "out of memory");
  if (derived->dependent >= 0) {
    const char* name = zw_model_column(model, 1 + derived->dependent);
    bool is_order = !ask->eliminate;
    for (int32_t i = 0; i < ask->order_count; i++) is_order = is_order || ask->order[i] == derived->dependent;
    for (int32_t i = 0; i < ask->eliminate_count; i++) is_order = is_order && ask->eliminate[i] != derived->dependent;
    const int32_t* list = is_order ? ask->order : ask->eliminate;
    bool is_first = list && list[0] == derived->dependent;
    return complain(options, status, "--%s: the constraints do not determine %s''%s; name another coordinate",
                    is_order ? "order" : "eliminate", name,
                    is_first ? "" : " beside the accelerations named before it");
  }
  if (derived->rank == 0)
    return complain(options, status,
                    "--eliminate: the model has no constraints, so no acceleration depends on the others");
  return complain(options, status, "--eliminate: it names %d %s, but %d %s independent: name as many coordinates",
                  (int)ask->eliminate_count, ask->eliminate_count == 1 ? "coordinate" : "coordinates",
                  (int)derived->rank, derived->rank == 1 ? "constraint is" : "constraints are");
}

static int derive(const Options* options, const ZwModel* model, const Ask* ask) {
  ZwDeriveDef def = {.form = options->json    ? ZW_DERIVE_JSON
                             : options->latex ? ZW_DERIVE_LATEX
                                              : ZW_DERIVE_TEXT,
                     .parts = parts_of(options, ask),
                     .eliminate = ask->eliminate,
                     .eliminate_count = ask->eliminate_count,
                     .order = ask->order,
                     .order_count = ask->order_count,
                     .letters = zw_letters_name(ask->letters)};
  ZwDerivePage derived;
  ZwStatus status = zw_model_derive_parts(model, &def, &derived);
  if (status) return refuse(options, model, ask, status, &derived);
  int exit_code = options->json ? answer_json(options, model, derived.text)
                                : answer_text(options, (const char* const[]){derived.text}, 1);
  zw_text_free(model, derived.text);
  return exit_code;
}

int command_derive(const Options* options) {
  int exit_code;
  if (options->json && options->latex) return complain(options, ZW_ERR_ARGUMENT, "--json or --latex, not both");
  ZwModel* model = compile_model(options, false, &exit_code);
  if (!model) return exit_code;
  print_diags(model, NULL, options->quiet);
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  Ask ask;
  zw_arena_init(&arena, &allocator);
  exit_code = read_ask(options, model, &arena, &ask);
  if (!exit_code) exit_code = derive(options, model, &ask);
  zw_arena_destroy(&arena);
  zw_model_destroy(model);
  return exit_code;
}
