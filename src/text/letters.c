#include "text/letters.h"

#include "text/unicode_table.h"

int32_t zw_utf8_decode(const char* text, int32_t size, uint32_t* character) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char first = (unsigned char)text[0];
  int32_t bytes = first < 0x80 ? 1 : (first >> 5) == 6 ? 2 : (first >> 4) == 14 ? 3 : (first >> 3) == 30 ? 4 : 0;
  if (bytes == 0 || bytes > size) return 0;
  uint32_t value = bytes == 1 ? first : first & (0xFFu >> (bytes + 1));
  for (int32_t i = 1; i < bytes; i++) {
    unsigned char next = (unsigned char)text[i];
    if ((next & 0xC0) != 0x80) return 0;
    value = value << 6 | (next & 0x3F);
  }
  if (value < least[bytes] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return 0;
  *character = value;
  return bytes;
}

int32_t zw_utf8_encode(uint32_t c, char* text) {
  static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
  int32_t bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (int32_t i = bytes - 1; i > 0; i--, c >>= 6) text[i] = (char)(0x80 | (c & 0x3F));
  text[0] = (char)(leads[bytes] | c);
  return bytes;
}

static bool is_within(const ZwCharRange* ranges, int32_t count, uint32_t c) {
  int32_t low = 0, high = count;
  while (low < high) {
    int32_t middle = low + (high - low) / 2;
    if (c > ranges[middle].last)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && c >= ranges[low].first;
}

bool zw_is_name_start(uint32_t c) {
  return is_within(zw_name_starts, zw_name_starts_count, c);
}

bool zw_is_name_continue(uint32_t c) {
  return zw_is_name_start(c) || is_within(zw_name_continues, zw_name_continues_count, c);
}

/* The same for ASCII, without the tables: nearly all names are. */
static bool is_ascii_name(unsigned char c, bool is_first) {
  bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return is_letter || (!is_first && ((c >= '0' && c <= '9') || c == '_'));
}

int32_t zw_name_size(const char* text, int32_t size) {
  int32_t at = 0;
  while (at < size) {
    if ((unsigned char)text[at] < 0x80) {
      if (!is_ascii_name((unsigned char)text[at], at == 0)) break;
      at++;
      continue;
    }
    uint32_t c;
    int32_t bytes = zw_utf8_decode(text + at, size - at, &c);
    if (!bytes || !(at == 0 ? zw_is_name_start(c) : zw_is_name_continue(c))) break;
    at += bytes;
  }
  return at;
}
