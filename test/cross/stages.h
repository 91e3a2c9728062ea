/* A text taken through all stages, each left open to view. */
#ifndef ZW_TEST_STAGES_H
#define ZW_TEST_STAGES_H

#include "base/alloc.h"
#include "examples.h"
#include "kernel/kernel.h"
#include "model/elaborate.h"
#include "model/library.h"
#include "motion/sim.h"
#include "text/parser.h"

typedef struct Stages {
  ZwAllocator allocator;
  ZwArena arena;
  ZwSources sources;
  ZwDiagList diags;
  ZwSystem system;
  ZwEquations equations;
  ZwProgram program;
  ZwSim* sim; /* parameters set, not started */
} Stages;

static inline void demand(const Stages* stages, const char* name, const char* stage, ZwStatus status) {
  if (!status && stages->diags.errors == 0) return;
  for (int32_t i = 0; i < stages->diags.list.count; i++) print_message("%s\n", stages->diags.list.items[i].text);
  fail_msg("%s fails at %s", name, stage);
}

/* The standard libraries; no other files. */
static inline int32_t load_library(void* context, ZwStr name, bool is_library, ZwSpan from) {
  Stages* stages = context;
  (void)from;
  for (const ZwLibraryText* library = zw_library_texts; is_library && library->name; library++) {
    if (!zw_str_equal(name, zw_str_from(library->name))) continue;
    ZwStr text = {library->text, (int32_t)library->size};
    return zw_sources_add(&stages->sources, &stages->arena, zw_str_from(library->name), text);
  }
  fail_msg("there is no library %.*s", ZW_STR_ARGS(name));
  return 0;
}

/* `stages` holds pointers into itself, so it is filled in place and must not move. */
static inline void open_stages(Stages* stages, const char* name, const char* text) {
  *stages = (Stages){.allocator = zw_allocator_default()};
  zw_arena_init(&stages->arena, &stages->allocator);
  zw_diag_init(&stages->diags, &stages->arena, &stages->sources);
  int32_t file = zw_sources_add(&stages->sources, &stages->arena, zw_str_from(name), zw_str_from(text));
  ZwAst* tree = NULL;
  demand(stages, name, "text", zw_parse_file(&stages->arena, &stages->diags, file, &tree));
  ZwElaborateDef def = {.load = load_library, .load_context = stages, .trees = &stages->arena};
  demand(stages, name, "model", zw_elaborate(&stages->arena, &stages->diags, tree, &def, &stages->system));
  demand(stages, name, "equations", zw_derive(&stages->arena, &stages->diags, &stages->system, &stages->equations));
  demand(stages, name, "kernel", zw_compile_kernels(&stages->arena, &stages->equations, &stages->program));
  demand(stages, name, "sim",
         zw_sim_create(&stages->program, &stages->allocator, &stages->diags, false, 0, &stages->sim));
  demand(stages, name, "parameters", zw_sim_set_params(stages->sim, NULL));
  zw_sim_set_up(stages->sim, 0, 1e-8);
}

static inline void close_stages(Stages* stages) {
  zw_sim_destroy(stages->sim);
  zw_arena_destroy(&stages->arena);
}

#endif
