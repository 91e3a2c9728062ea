/* The texts a model was read from, and places in them. */
#ifndef ZW_BASE_SOURCE_H
#define ZW_BASE_SOURCE_H

#include "base/arena.h"
#include "base/str.h"

/* Bytes [begin, end) of source number `file`; files count from 1, so that a zero span means "nowhere in the text". */
typedef struct ZwSpan {
  int32_t file, begin, end;
} ZwSpan;

typedef struct ZwSource {
  ZwStr name; /* as the user gave it */
  ZwStr text;
  int32_t* lines; /* where each line begins */
  int32_t line_count;
} ZwSource;

typedef struct ZwSources {
  ZW_ARRAY(ZwSource) list;
  int32_t nesting_limit; /* how deep texts may nest; 0: the parser's default */
} ZwSources;

/* A place as a person counts: line and column from 1, the column in characters, not bytes. */
typedef struct ZwPlace {
  int32_t line, column;
  ZwStr line_text; /* without its newline */
  int32_t offset;  /* of the span's first byte within line_text */
} ZwPlace;

/* Returns the file number for spans, 0 when memory is out. Name and text must outlive the sources. */
int32_t zw_sources_add(ZwSources* sources, ZwArena* arena, ZwStr name, ZwStr text);
const ZwSource* zw_sources_get(const ZwSources* sources, int32_t file);
ZwPlace zw_sources_place(const ZwSources* sources, ZwSpan span);
/* The user's own characters of the span, clipped at the end of its first line. */
ZwStr zw_sources_text(const ZwSources* sources, ZwSpan span);

/* From the begin of a to the end of b; either may be nowhere. */
ZwSpan zw_span_join(ZwSpan a, ZwSpan b);

#endif
