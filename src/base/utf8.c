#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

#include "base/assert.h"

/* Length of the character that starts with this byte; 0 if none does. */
static int32_t length_from(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

static bool is_valid(uint32_t code, int32_t length) {
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code >= least[length] && code <= 0x10FFFF && !is_surrogate;
}

int32_t zw_utf8_next(const char* data, ptrdiff_t size, uint32_t* code) {
  ZW_ASSERT(size > 0);
  const unsigned char* bytes = (const unsigned char*)data;
  *code = ZW_UTF8_DAMAGED;
  int32_t length = length_from(bytes[0]);
  if (length == 0 || length > size) return 1;
  uint32_t value = length == 1 ? bytes[0] : bytes[0] & (0x7Fu >> length);
  for (int32_t i = 1; i < length; i++) {
    if ((bytes[i] & 0xC0) != 0x80) return 1;
    value = value << 6 | (bytes[i] & 0x3Fu);
  }
  if (!is_valid(value, length)) return 1;
  *code = value;
  return length;
}

int32_t zw_utf8_count(const char* data, ptrdiff_t size) {
  int32_t count = 0;
  for (ptrdiff_t i = 0; i < size; count++) {
    uint32_t code;
    i += zw_utf8_next(data + i, size - i, &code);
  }
  return count;
}

const char* zw_utf8_other(const char* data, ptrdiff_t size) {
  if (size < 4) return NULL;
  bool has_low = memcmp(data, "\xFF\xFE", 2) == 0, has_high = memcmp(data, "\xFE\xFF", 2) == 0;
  bool is_wide = memcmp(data, "\0\0\xFE\xFF", 4) == 0 || (has_low && data[2] == 0 && data[3] == 0);
  bool has_zeros =
      (data[0] == 0) != (data[1] == 0) && (data[0] == 0) == (data[2] == 0) && (data[1] == 0) == (data[3] == 0);
  return is_wide ? "UTF-32" : has_low || has_high || has_zeros ? "UTF-16" : NULL;
}
