#include "base/str.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

ZwStr zw_str_from(const char* text) {
  return (ZwStr){text, text ? (int32_t)strlen(text) : 0}; /* a copy may have failed */
}

bool zw_str_equal(ZwStr a, ZwStr b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, (size_t)a.size) == 0);
}

uint64_t zw_str_hash(ZwStr s) {
  uint64_t hash = 14695981039346656037u; /* FNV-1a */
  for (int32_t i = 0; i < s.size; i++) hash = (hash ^ (unsigned char)s.data[i]) * 1099511628211u;
  return hash;
}

char* zw_str_copy(ZwArena* arena, ZwStr s) {
  return zw_str_join(arena, s, ZW_STR(""));
}

char* zw_str_join(ZwArena* arena, ZwStr a, ZwStr b) {
  char* joined = ZW_NEW(arena, (ptrdiff_t)a.size + b.size + 1, char);
  if (joined && a.size) memcpy(joined, a.data, (size_t)a.size);
  if (joined && b.size) memcpy(joined + a.size, b.data, (size_t)b.size);
  return joined;
}

static int32_t min3(int32_t a, int32_t b, int32_t c) {
  int32_t least = a < b ? a : b;
  return least < c ? least : c;
}

int32_t zw_str_distance(ZwStr a, ZwStr b, int32_t limit) {
  enum { LONGEST = 63 };
  if (abs(a.size - b.size) > limit || a.size > LONGEST || b.size > LONGEST) return limit + 1;
  int32_t rows[3][LONGEST + 1]; /* distances for the prefixes i-2, i-1, i of a */
  for (int32_t j = 0; j <= b.size; j++) rows[1][j] = j;
  int32_t *before = rows[0], *above = rows[1], *row = rows[2];
  for (int32_t i = 1; i <= a.size; i++) {
    row[0] = i;
    for (int32_t j = 1; j <= b.size; j++) {
      int32_t cost = a.data[i - 1] != b.data[j - 1];
      row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost);
      bool swapped = i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1];
      if (swapped && before[j - 2] + 1 < row[j]) row[j] = before[j - 2] + 1;
    }
    int32_t* oldest = before;
    before = above;
    above = row;
    row = oldest;
  }
  return above[b.size] <= limit ? above[b.size] : limit + 1;
}

void zw_text_init(ZwText* text, ZwArena* arena) {
  *text = (ZwText){.arena = arena};
}

static bool reserve(ZwText* text, ptrdiff_t more) {
  while ((ptrdiff_t)text->size + more + 1 > text->capacity) {
    int32_t before = text->capacity;
    if (!zw_array_grow(text->arena, (void**)&text->data, text->size, &text->capacity, 1)) return false;
    if (text->capacity == before) return false;
  }
  return true;
}

void zw_text_add(ZwText* text, const char* data, ptrdiff_t size) {
  if (!reserve(text, size)) return;
  if (size > 0) memcpy(text->data + text->size, data, (size_t)size);
  text->size += (int32_t)size;
  text->data[text->size] = 0;
}

void zw_text_addv(ZwText* text, const char* format, va_list args) {
  char small[256];
  va_list again;
  va_copy(again, args);
  int size = zw_vsnprintf(small, sizeof small, format, args);
  if (size >= 0 && size < (int)sizeof small) {
    zw_text_add(text, small, size);
  } else if (size >= 0 && reserve(text, size)) {
    zw_vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
    text->size += size;
  }
  va_end(again);
}

void zw_text_addf(ZwText* text, const char* format, ...) {
  va_list args;
  va_start(args, format);
  zw_text_addv(text, format, args);
  va_end(args);
}

void zw_text_add_number(ZwText* text, double value) {
  char buffer[ZW_NUMBER_TEXT];
  zw_text_add(text, buffer, zw_number_text(value, buffer));
}

const char* zw_text_get(const ZwText* text) {
  return text->data ? text->data : "";
}

/* In one piece of just the right size: a large model has a million names. */
char* zw_format(ZwArena* arena, const char* format, ...) {
  char small[256];
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int size = zw_vsnprintf(small, sizeof small, format, args);
  if (size < 0) size = 0;
  char* text = ZW_NEW(arena, size + 1, char);
  if (text && size < (int)sizeof small)
    memcpy(text, small, (size_t)size);
  else if (text)
    zw_vsnprintf(text, (size_t)size + 1, format, again);
  va_end(again);
  va_end(args);
  return text;
}

void zw_str_end_whole(char* text) {
  size_t size = strlen(text), begin = size;
  while (begin > 0 && ((unsigned char)text[begin - 1] & 0xC0) == 0x80) begin--;
  if (begin == 0) return;
  unsigned char lead = (unsigned char)text[begin - 1];
  size_t wanted = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (size - (begin - 1) < wanted) text[begin - 1] = 0;
}
