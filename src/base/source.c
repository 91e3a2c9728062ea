#include "base/source.h"

#include <string.h>

#include "base/assert.h"

/* A byte order mark is no character of the first line. */
static int32_t first_byte(ZwStr text) {
  return text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

static bool find_lines(ZwSource* source, ZwArena* arena) {
  int32_t count = 1;
  for (int32_t i = 0; i < source->text.size; i++) count += source->text.data[i] == '\n';
  source->lines = ZW_NEW(arena, count, int32_t);
  if (!source->lines) return false;
  source->lines[source->line_count++] = first_byte(source->text);
  for (int32_t i = 0; i < source->text.size; i++) {
    if (source->text.data[i] == '\n') source->lines[source->line_count++] = i + 1;
  }
  return true;
}

/* The line a byte stands in, from 0. */
static int32_t line_of(const ZwSource* source, int32_t at) {
  int32_t low = 0, high = source->line_count;
  while (high - low > 1) {
    int32_t middle = low + (high - low) / 2;
    if (source->lines[middle] <= at)
      low = middle;
    else
      high = middle;
  }
  return low;
}

int32_t zw_sources_add(ZwSources* sources, ZwArena* arena, ZwStr name, ZwStr text) {
  ZwSource source = {name, text, NULL, 0};
  if (!find_lines(&source, arena)) return 0;
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
  int32_t line = line_of(source, span.begin), line_begin = source->lines[line];
  ZwPlace place = {.line = line + 1, .column = 1};
  for (int32_t i = line_begin; i < span.begin; i++) place.column += !continues_character(text[i]);
  int32_t line_end = span.begin;
  while (line_end < source->text.size && text[line_end] != '\n' && text[line_end] != '\r') line_end++;
  place.line_text = (ZwStr){text + line_begin, line_end - line_begin};
  place.offset = span.begin > line_begin ? span.begin - line_begin : 0;
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
