#include "base/diag.h"

#include <string.h>

void zw_diag_init(ZwDiagList* diags, ZwArena* arena, const ZwSources* sources) {
  *diags = (ZwDiagList){.arena = arena, .sources = sources};
}

static bool is_same(const ZwDiag* a, const ZwDiag* b) {
  return a->severity == b->severity && a->line == b->line && a->column == b->column && a->line > 0 &&
         strcmp(a->file, b->file) == 0 && strcmp(a->text, b->text) == 0;
}

static void add(ZwDiagList* diags, ZwSeverity severity, ZwStatus code, ZwSpan span, const char* format, va_list args) {
  ZwText text;
  zw_text_init(&text, diags->arena);
  zw_text_addv(&text, format, args);
  const ZwSource* source = zw_sources_get(diags->sources, span.file);
  ZwPlace place = zw_sources_place(diags->sources, span);
  ZwDiag diag = {.severity = severity,
                 .code = code,
                 .file = source ? zw_str_copy(diags->arena, source->name) : "",
                 .line = place.line,
                 .column = place.column,
                 .text = zw_text_get(&text),
                 .remedy = "",
                 .source_line = place.line_text.data,
                 .source_line_size = place.line_text.size,
                 .offset = place.offset,
                 .size = span.end - span.begin};
  if (diags->arena->failed) return;
  for (int32_t i = 0; i < diags->list.count; i++) { /* a loop or a component used twice says it once */
    if (!is_same(&diags->list.items[i], &diag)) continue;
    diags->last = i;
    return;
  }
  if (ZW_PUSH(diags->arena, &diags->list, diag)) diags->last = diags->list.count - 1;
}

ZwStatus zw_diag_error(ZwDiagList* diags, ZwStatus code, ZwSpan span, const char* format, ...) {
  if (diags->errors++ == 0) diags->first_error = code;
  if (diags->errors > ZW_LIMIT_ERRORS) {
    diags->dropped++;
    return code;
  }
  va_list args;
  va_start(args, format);
  add(diags, ZW_SEVERITY_ERROR, code, span, format, args);
  va_end(args);
  return code;
}

void zw_diag_note(ZwDiagList* diags, ZwSpan span, const char* format, ...) {
  va_list args;
  va_start(args, format);
  add(diags, ZW_SEVERITY_NOTE, ZW_OK, span, format, args);
  va_end(args);
}

void zw_diag_remedy(ZwDiagList* diags, const char* format, ...) {
  if (diags->errors > ZW_LIMIT_ERRORS || diags->list.count == 0 || diags->arena->failed) return;
  ZwText text;
  zw_text_init(&text, diags->arena);
  va_list args;
  va_start(args, format);
  zw_text_addv(&text, format, args);
  va_end(args);
  diags->list.items[diags->last].remedy = zw_text_get(&text);
}
