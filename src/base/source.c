#include "base/source.h"

#include <string.h>

#include "base/assert.h"

int32_t zw_sources_add(ZwSources* sources, ZwArena* arena, ZwStr name, ZwStr text) {
  ZwSource source = {name, text};
  return ZW_PUSH(arena, &sources->list, source) ? sources->list.count : 0;
}

const ZwSource* zw_sources_get(const ZwSources* sources, int32_t file) {
  return file >= 1 && file <= sources->list.count ? &sources->list.items[file - 1] : NULL;
}

static bool continues_character(char c) {
  return ((unsigned char)c & 0xC0) == 0x80;
}

ZwPlace zw_sources_place(const ZwSources* sources, ZwSpan span) {
  const ZwSource* source = zw_sources_get(sources, span.file);
  if (!source) return (ZwPlace){0};
  ZW_ASSERT(span.begin >= 0 && span.begin <= source->text.size);
  const char* text = source->text.data;
  ZwPlace place = {.line = 1, .column = 1};
  /* a byte order mark is no character of the first line */
  int32_t line_begin = span.begin >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  for (int32_t i = 0; i < span.begin; i++) {
    if (text[i] == '\n') {
      place.line++;
      line_begin = i + 1;
    }
  }
  for (int32_t i = line_begin; i < span.begin; i++) place.column += !continues_character(text[i]);
  int32_t line_end = span.begin;
  while (line_end < source->text.size && text[line_end] != '\n' && text[line_end] != '\r') line_end++;
  place.line_text = (ZwStr){text + line_begin, line_end - line_begin};
  place.offset = span.begin - line_begin;
  return place;
}

ZwStr zw_sources_text(const ZwSources* sources, ZwSpan span) {
  const ZwSource* source = zw_sources_get(sources, span.file);
  if (!source) return (ZwStr){"", 0};
  int32_t end = span.begin;
  while (end < span.end && end < source->text.size && source->text.data[end] != '\n') end++;
  return (ZwStr){source->text.data + span.begin, end - span.begin};
}

ZwSpan zw_span_join(ZwSpan a, ZwSpan b) {
  if (!a.file) return b;
  if (!b.file || a.file != b.file) return a;
  return (ZwSpan){a.file, a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}
