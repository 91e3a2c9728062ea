/* A text taken through the stages as far as a test wants, with its messages at hand. */
#ifndef ZW_TEST_STAGES_H
#define ZW_TEST_STAGES_H

#include "../numbers.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "equations/equations.h"
#include "kernel/kernel.h"
#include "model/elaborate.h"
#include "text/parser.h"

/* Stays where it is: the later stages point into the earlier ones. */
typedef struct Stages {
  ZwAllocator allocator;
  ZwArena arena;
  ZwSources sources;
  ZwDiagList diags;
  int32_t file;
  ZwAst* tree;
  ZwSystem system;
  ZwEquations equations;
  ZwProgram program;
} Stages;

static inline void stages_open(Stages* s, const char* text, ptrdiff_t size) {
  *s = (Stages){.allocator = zw_allocator_default()};
  zw_arena_init(&s->arena, &s->allocator);
  zw_diag_init(&s->diags, &s->arena, &s->sources);
  s->file = zw_sources_add(&s->sources, &s->arena, ZW_STR("a.zw"), (ZwStr){text, (int32_t)size});
}

static inline ZwStatus stages_parse(Stages* s, const char* text) {
  stages_open(s, text, (ptrdiff_t)strlen(text));
  return zw_parse_file(&s->arena, &s->diags, s->file, &s->tree);
}

static inline ZwStatus stages_elaborate(Stages* s, const char* text) {
  ZW_TRY(stages_parse(s, text));
  return zw_elaborate(&s->arena, &s->diags, s->tree, NULL, 0, &s->system);
}

static inline ZwStatus stages_derive(Stages* s, const char* text) {
  ZW_TRY(stages_elaborate(s, text));
  return zw_derive(&s->arena, &s->diags, &s->system, &s->equations);
}

static inline ZwStatus stages_compile(Stages* s, const char* text) {
  ZW_TRY(stages_derive(s, text));
  return zw_compile_kernels(&s->arena, &s->equations, &s->program);
}

static inline void stages_close(Stages* s) {
  zw_arena_destroy(&s->arena);
}

static inline void stages_show(const Stages* s) {
  for (int32_t i = 0; i < s->diags.list.count; i++) {
    const ZwDiag* diag = &s->diags.list.items[i];
    print_message("%d:%d %d: %s [%s]\n", (int)diag->line, (int)diag->column, (int)diag->code, diag->text, diag->remedy);
  }
}

/* No error so far. */
static inline void assert_no_error(const Stages* s) {
  if (s->diags.errors == 0) return;
  stages_show(s);
  fail_msg("%d errors in a text without mistakes", (int)s->diags.errors);
}

/* One of the messages is an error at this place, with this code, whose text or remedy holds `part`. */
static inline void assert_error(const Stages* s, ZwStatus code, int32_t line, int32_t column, const char* part) {
  for (int32_t i = 0; i < s->diags.list.count; i++) {
    const ZwDiag* diag = &s->diags.list.items[i];
    bool holds = strstr(diag->text, part) || strstr(diag->remedy, part);
    bool is_error = diag->severity == ZW_SEVERITY_ERROR && diag->code == code;
    if (is_error && holds && diag->line == line && diag->column == column) return;
  }
  stages_show(s);
  fail_msg("no error of code %d at %d:%d that says '%s'", (int)code, (int)line, (int)column, part);
}

#endif
