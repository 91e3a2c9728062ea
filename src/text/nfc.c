/* Take characters apart as far as they go, put the marks of each letter into their canonical order, and compose again
 * what composes: Unicode Standard, chapter 3.11. The middle step is what makes two orders of the same marks one. */
#include "text/nfc.h"

#include <stdlib.h>
#include <string.h>

#include "text/letters.h"
#include "text/unicode_table.h"

typedef struct Char {
  uint32_t code;
  uint32_t combining_class; /* 0: a starter, which no mark is moved across */
} Char;

/* ---- tables ---- */

static int compare_mark(const void* key, const void* item) {
  uint32_t c = *(const uint32_t*)key;
  const ZwMarkRange* range = item;
  return c < range->first ? -1 : c > range->last;
}

/* NULL for a character that NFC leaves alone. */
static const ZwMarkRange* find_mark(uint32_t c) {
  if (c < zw_marks[0].first) return NULL;
  return bsearch(&c, zw_marks, (size_t)zw_marks_count, sizeof *zw_marks, compare_mark);
}

static uint32_t class_of(uint32_t c) {
  const ZwMarkRange* mark = find_mark(c);
  return mark ? mark->combining_class : 0;
}

bool zw_is_mark(uint32_t c) {
  return class_of(c) > 0;
}

static int compare_whole(const void* key, const void* item) {
  uint32_t c = *(const uint32_t*)key, whole = ((const ZwDecomposition*)item)->whole;
  return c < whole ? -1 : c > whole;
}

static const ZwDecomposition* find_decomposition(uint32_t c) {
  return bsearch(&c, zw_decompositions, (size_t)zw_decompositions_count, sizeof *zw_decompositions, compare_whole);
}

static int compare_pair(const void* key, const void* item) {
  const uint32_t* pair = key;
  const ZwDecomposition* d = &zw_decompositions[*(const uint16_t*)item];
  if (pair[0] != d->first) return pair[0] < d->first ? -1 : 1;
  return pair[1] < d->second ? -1 : pair[1] > d->second;
}

/* ---- Hangul: syllables are numbered by their lead, vowel and final, so that arithmetic replaces a table ---- */

// clang-format off
enum {
  SYLLABLE = 0xAC00, LEAD = 0x1100, VOWEL = 0x1161, FINAL = 0x11A7, /* FINAL: "none", one before the first */
  LEADS = 19, VOWELS = 21, FINALS = 28,
  SYLLABLES = LEADS * VOWELS * FINALS
};
// clang-format on

static bool is_among(uint32_t c, uint32_t first, uint32_t count) {
  return c >= first && c - first < count;
}

static int32_t decompose_syllable(uint32_t c, Char* to) {
  uint32_t place = c - SYLLABLE, final = place % FINALS;
  to[0] = (Char){LEAD + place / (VOWELS * FINALS), 0};
  to[1] = (Char){VOWEL + place / FINALS % VOWELS, 0};
  if (final == 0) return 2;
  to[2] = (Char){FINAL + final, 0};
  return 3;
}

/* lead + vowel, or a syllable without final + final; 0 if these are neither */
static uint32_t compose_syllable(uint32_t a, uint32_t b) {
  if (is_among(a, LEAD, LEADS) && is_among(b, VOWEL, VOWELS)) {
    return SYLLABLE + ((a - LEAD) * VOWELS + (b - VOWEL)) * FINALS;
  }
  bool is_open = is_among(a, SYLLABLE, SYLLABLES) && (a - SYLLABLE) % FINALS == 0;
  return is_open && is_among(b, FINAL + 1, FINALS - 1) ? a + (b - FINAL) : 0;
}

/* ---- the three steps ---- */

/* Returns how many characters it wrote: at most four. Mappings nest a few levels. */
static int32_t decompose(uint32_t c, Char* to) {
  if (is_among(c, SYLLABLE, SYLLABLES)) return decompose_syllable(c, to);
  const ZwDecomposition* d = c < 0x80 ? NULL : find_decomposition(c);
  if (!d) {
    *to = (Char){c, class_of(c)};
    return 1;
  }
  int32_t count = decompose(d->first, to);
  return d->second ? count + decompose(d->second, to + count) : count;
}

/* Ascending by class, the same class as typed. By counting: a letter may carry a million marks. */
static void sort_marks(Char* marks, int32_t count, Char* spare) {
  int32_t places[256] = {0}, next = 0;
  for (int32_t i = 0; i < count; i++) places[marks[i].combining_class]++;
  for (int32_t k = 0; k < 256; k++) {
    int32_t here = next;
    next += places[k];
    places[k] = here;
  }
  for (int32_t i = 0; i < count; i++) spare[places[marks[i].combining_class]++] = marks[i];
  memcpy(marks, spare, (size_t)count * sizeof *marks);
}

static void order(Char* chars, int32_t count, Char* spare) {
  for (int32_t begin = 0; begin < count;) {
    int32_t end = begin;
    while (end < count && chars[end].combining_class) end++;
    if (end - begin > 1) sort_marks(chars + begin, end - begin, spare);
    begin = end + 1;
  }
}

static uint32_t compose_pair(uint32_t a, uint32_t b) {
  uint32_t syllable = compose_syllable(a, b), pair[] = {a, b};
  if (syllable) return syllable;
  const uint16_t* found =
      bsearch(pair, zw_compositions, (size_t)zw_compositions_count, sizeof *zw_compositions, compare_pair);
  return found ? zw_decompositions[*found].whole : 0;
}

/* Each character joins the last starter, unless one that stayed between them has the same class or a higher one.
 * In place; returns how many are left. */
static int32_t compose(Char* chars, int32_t count) {
  int32_t kept = 0, starter = -1;
  for (int32_t i = 0; i < count; i++) {
    Char next = chars[i];
    bool is_next_to = kept - 1 == starter;
    bool is_blocked = starter < 0 || (!is_next_to && chars[kept - 1].combining_class >= next.combining_class);
    uint32_t whole = is_blocked ? 0 : compose_pair(chars[starter].code, next.code);
    if (whole) {
      chars[starter].code = whole;
      continue;
    }
    if (next.combining_class == 0) starter = kept;
    chars[kept++] = next;
  }
  return kept;
}

/* ---- text ---- */

/* Nearly every name: no character in it that NFC could move or change. */
static bool is_settled(ZwStr text) {
  for (int32_t i = 0; i < text.size;) {
    uint32_t c = (unsigned char)text.data[i];
    int32_t bytes = c < 0x80 ? 1 : zw_utf8_decode(text.data + i, text.size - i, &c);
    if (bytes == 0) return true; /* not UTF-8: nothing to settle */
    if (find_mark(c)) return false;
    i += bytes;
  }
  return true;
}

/* The number of characters, 0 if the text is not UTF-8. */
static int32_t take_apart(ZwStr text, Char* chars) {
  int32_t count = 0;
  for (int32_t i = 0, bytes; i < text.size; i += bytes) {
    uint32_t c;
    bytes = zw_utf8_decode(text.data + i, text.size - i, &c);
    if (bytes == 0) return 0;
    count += decompose(c, chars + count);
  }
  return count;
}

/* The characters as UTF-8, or `text` itself where that says the same. */
static ZwStr put_together(ZwArena* arena, ZwStr text, const Char* chars, int32_t count) {
  char bytes[4];
  int32_t size = 0;
  bool is_same = true;
  for (int32_t i = 0; i < count; i++) {
    int32_t more = zw_utf8_encode(chars[i].code, bytes);
    is_same = is_same && size + more <= text.size && memcmp(text.data + size, bytes, (size_t)more) == 0;
    size += more;
  }
  if (is_same && size == text.size) return text;
  char* data = ZW_NEW(arena, (ptrdiff_t)size + 1, char);
  if (!data) return text;
  ZwStr result = {data, 0};
  for (int32_t i = 0; i < count; i++) result.size += zw_utf8_encode(chars[i].code, data + result.size);
  return result;
}

ZwStr zw_nfc(ZwArena* arena, ZwStr text) {
  if (text.size > ZW_NFC_SIZE || is_settled(text)) return text;
  /* U+03B0 becomes three characters from two bytes, no other does worse */
  Char few[128], *chars = few;
  int32_t room = text.size + text.size / 2 + 1;
  bool is_large = room > 64;
  if (is_large) chars = ZW_NEW(arena, 2 * (ptrdiff_t)room, Char);
  if (!chars) return text;
  int32_t count = take_apart(text, chars);
  order(chars, count, chars + room);
  count = compose(chars, count);
  ZwStr result = count > 0 ? put_together(arena, text, chars, count) : text;
  if (is_large) zw_arena_give_back(arena, chars);
  return result;
}
