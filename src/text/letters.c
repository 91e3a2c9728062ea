#include "text/letters.h"

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

bool zw_is_letter(uint32_t c) {
  static const struct {
    uint32_t first, last;
  } ranges[] = {{'A', 'Z'},       {'a', 'z'},       {0xAA, 0xAA},     {0xB5, 0xB5},     {0xBA, 0xBA},
                {0xC0, 0xD6},     {0xD8, 0xF6},     {0xF8, 0x2C1},    {0x370, 0x374},   {0x376, 0x377},
                {0x37B, 0x37D},   {0x37F, 0x37F},   {0x386, 0x386},   {0x388, 0x3FF},   {0x400, 0x481},
                {0x48A, 0x52F},   {0x531, 0x556},   {0x561, 0x587},   {0x5D0, 0x5EA},   {0x620, 0x64A},
                {0x904, 0x939},   {0x1D00, 0x1DBF}, {0x1E00, 0x1FFC}, {0x2C60, 0x2C7F}, {0x3041, 0x3096},
                {0x30A1, 0x30FA}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3}};
  for (int i = 0; i < (int)(sizeof ranges / sizeof *ranges); i++) {
    if (c >= ranges[i].first && c <= ranges[i].last) return true;
  }
  return false;
}

bool zw_is_combining(uint32_t c) {
  return (c >= 0x300 && c <= 0x36F) || (c >= 0x1AB0 && c <= 0x1AFF) || (c >= 0x20D0 && c <= 0x20FF);
}
