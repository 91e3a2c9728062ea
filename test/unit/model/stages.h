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
  ZwElaborateDef def = {.trees = &s->arena};
  return zw_elaborate(&s->arena, &s->diags, s->tree, &def, &s->system);
}

/* A file beside the model, as its text names it. */
typedef struct StageFile {
  const char *name, *text; /* name NULL ends the list */
} StageFile;

typedef struct StageLoader {
  Stages* s;
  const StageFile* files;
  int32_t loads;
} StageLoader;

static inline int32_t stages_load(void* context, ZwStr name, bool is_library, ZwSpan from) {
  StageLoader* loader = context;
  Stages* s = loader->s;
  (void)is_library;
  loader->loads++;
  for (const StageFile* file = loader->files; file && file->name; file++) {
    if (!zw_str_equal(name, zw_str_from(file->name))) continue;
    return zw_sources_add(&s->sources, &s->arena, zw_str_from(file->name), zw_str_from(file->text));
  }
  zw_diag_error(&s->diags, ZW_ERR_NAME, from, "there is no file '%.*s'", ZW_STR_ARGS(name));
  return 0;
}

/* With files to load; *loads, if asked for, is how often one was. */
static inline ZwStatus stages_elaborate_files(Stages* s, const char* text, const StageFile* files, int32_t* loads) {
  ZW_TRY(stages_parse(s, text));
  StageLoader loader = {s, files, 0};
  ZwElaborateDef def = {.trees = &s->arena, .load = stages_load, .load_context = &loader};
  ZwStatus status = zw_elaborate(&s->arena, &s->diags, s->tree, &def, &s->system);
  if (loads) *loads = loader.loads;
  return status;
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

/* ---- what came out ---- */

static inline const char* stages_printed(Stages* s, ZwExpr e) {
  ZwText text;
  zw_text_init(&text, &s->arena);
  zw_system_print(&text, &s->system, e, 1000);
  return zw_text_get(&text);
}

static inline bool is_called(ZwStr name, const char* want) {
  return zw_str_equal(name, zw_str_from(want));
}

/* The term of a kind with this name; NULL if there is none. */
static inline const ZwTerm* stages_find_term(const Stages* s, ZwTermKind kind, const char* name) {
  for (int32_t i = 0; i < s->system.terms.count; i++) {
    const ZwTerm* term = &s->system.terms.items[i];
    if (term->kind == kind && is_called(term->name, name)) return term;
  }
  return NULL;
}

static inline void assert_output(Stages* s, const char* name, const char* want) {
  const ZwTerm* term = stages_find_term(s, ZW_TERM_OUTPUT, name);
  if (!term)
    fail_msg("there is no output '%s'", name);
  else if (strcmp(stages_printed(s, term->value), want) != 0) {
    fail_msg("the output '%s' is %s, not %s", name, stages_printed(s, term->value), want);
  }
}

static inline void assert_coords(const Stages* s, const char* const* names, int32_t count) {
  assert_int_equal(s->system.coords.count, count);
  for (int32_t i = 0; i < count; i++) {
    ZwStr name = s->system.coords.items[i].name;
    if (!is_called(name, names[i])) fail_msg("coordinate %d is '%.*s', not '%s'", (int)i, ZW_STR_ARGS(name), names[i]);
  }
}

/* `line` behind `head` (whole lines) is refused with one message, at this column of its first line. */
static inline void assert_line_refused(const char* head, const char* line, ZwStatus code, int32_t column,
                                       const char* part) {
  char text[2000];
  int size = snprintf(text, sizeof text, "%s%s\n", head, line);
  assert_true(size > 0 && size < (int)sizeof text);
  int32_t row = 1;
  for (const char* at = head; *at; at++) row += *at == '\n';
  Stages s;
  ZwStatus status = stages_elaborate(&s, text);
  int32_t errors = 0;
  for (int32_t i = 0; i < s.diags.list.count; i++) errors += s.diags.list.items[i].severity == ZW_SEVERITY_ERROR;
  if (errors != 1) {
    stages_show(&s);
    fail_msg("%d errors in: %s", (int)errors, line);
  }
  assert_error(&s, code, row, column, part);
  assert_int_equal(status, code);
  stages_close(&s);
}

typedef struct Refused {
  const char* line;
  ZwStatus code;
  int32_t column;
  const char* part;
} Refused;

#define assert_all_refused(head, table)                                                                    \
  for (size_t refused_i = 0; refused_i < sizeof(table) / sizeof *(table); refused_i++) {                   \
    assert_line_refused(head, (table)[refused_i].line, (table)[refused_i].code, (table)[refused_i].column, \
                        (table)[refused_i].part);                                                          \
  }

/* Outputs "o = ..." behind `head` mean this; for a vector, components are parted by " | ". */
typedef struct Means {
  const char *written, *means;
} Means;

static inline void assert_means(const char* head, const char* written, const char* means) {
  char text[2000], want[2000];
  snprintf(text, sizeof text, "%soutput o = %s\n", head, written);
  snprintf(want, sizeof want, "%s", means);
  Stages s;
  stages_elaborate(&s, text);
  assert_no_error(&s);
  static const char* const names[] = {"o.x", "o.y", "o.z"};
  char* at = want;
  if (!strstr(want, " | ")) {
    assert_output(&s, "o", want);
  } else {
    int k = 0;
    for (char* bar = at; bar; at = bar + 3, k++) {
      bar = strstr(at, " | ");
      if (bar) *bar = 0;
      assert_output(&s, names[k], at);
      if (!bar) break;
    }
    assert_int_equal(s.system.terms.items[s.system.terms.count - 1].name.data[2], "xyz"[k]); /* no further component */
  }
  stages_close(&s);
}

#define assert_all_mean(head, table)                                               \
  for (size_t means_i = 0; means_i < sizeof(table) / sizeof *(table); means_i++) { \
    assert_means(head, (table)[means_i].written, (table)[means_i].means);          \
  }

#endif
