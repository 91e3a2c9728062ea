#include "text/lookalike.h"

#include "text/letters.h"

typedef struct Twin {
  uint32_t character, looks_like;
} Twin;

/* In the order of their numbers. */
static const Twin twins[] = {
    {0xAA, 'a'},   {0xB5, 0x3BC}, {0xBA, 'o'},    {0x131, 'i'},   {0x251, 'a'},   {0x261, 'g'},   {0x37F, 'J'},
    {0x391, 'A'},  {0x392, 'B'},  {0x395, 'E'},   {0x396, 'Z'},   {0x397, 'H'},   {0x399, 'I'},   {0x39A, 'K'},
    {0x39C, 'M'},  {0x39D, 'N'},  {0x39F, 'O'},   {0x3A1, 'P'},   {0x3A4, 'T'},   {0x3A5, 'Y'},   {0x3A7, 'X'},
    {0x3BD, 'v'},  {0x3BF, 'o'},  {0x3D1, 0x3B8}, {0x3D5, 0x3C6}, {0x3D6, 0x3C0}, {0x3F0, 0x3BA}, {0x3F1, 0x3C1},
    {0x3F2, 'c'},  {0x3F3, 'j'},  {0x3F5, 0x3B5}, {0x3F9, 'C'},   {0x405, 'S'},   {0x406, 'I'},   {0x408, 'J'},
    {0x410, 'A'},  {0x412, 'B'},  {0x415, 'E'},   {0x41A, 'K'},   {0x41C, 'M'},   {0x41D, 'H'},   {0x41E, 'O'},
    {0x420, 'P'},  {0x421, 'C'},  {0x422, 'T'},   {0x425, 'X'},   {0x430, 'a'},   {0x435, 'e'},   {0x43E, 'o'},
    {0x440, 'p'},  {0x441, 'c'},  {0x443, 'y'},   {0x445, 'x'},   {0x455, 's'},   {0x456, 'i'},   {0x458, 'j'},
    {0x4AE, 'Y'},  {0x4BB, 'h'},  {0x4C0, 'I'},   {0x4CF, 'l'},   {0x501, 'd'},   {0x51A, 'Q'},   {0x51B, 'q'},
    {0x51C, 'W'},  {0x51D, 'w'},  {0x570, 'h'},   {0x578, 'n'},   {0x57D, 'u'},   {0x585, 'o'},   {0x5D5, 'l'},
    {0x2102, 'C'}, {0x210A, 'g'}, {0x210B, 'H'},  {0x210C, 'H'},  {0x210D, 'H'},  {0x210E, 'h'},  {0x2110, 'I'},
    {0x2111, 'I'}, {0x2112, 'L'}, {0x2113, 'l'},  {0x2115, 'N'},  {0x2119, 'P'},  {0x211A, 'Q'},  {0x211B, 'R'},
    {0x211C, 'R'}, {0x211D, 'R'}, {0x2124, 'Z'},  {0x212C, 'B'},  {0x212F, 'e'},  {0x2130, 'E'},  {0x2131, 'F'},
    {0x2133, 'M'}, {0x2134, 'o'}, {0x2139, 'i'},  {0x2160, 'I'},  {0x2164, 'V'},  {0x2169, 'X'},  {0x216C, 'L'},
    {0x216D, 'C'}, {0x216E, 'D'}, {0x216F, 'M'},  {0x2170, 'i'},  {0x2174, 'v'},  {0x2179, 'x'},  {0x217C, 'l'},
    {0x217D, 'c'}, {0x217E, 'd'}, {0x217F, 'm'}};

static uint32_t find_twin(uint32_t c) {
  int low = 0, high = (int)(sizeof twins / sizeof *twins);
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (twins[middle].character < c)
      low = middle + 1;
    else
      high = middle;
  }
  bool is_there = low < (int)(sizeof twins / sizeof *twins) && twins[low].character == c;
  return is_there ? twins[low].looks_like : c;
}

static uint32_t letter_number(uint32_t number) {
  return number < 26 ? 'A' + number : 'a' + number - 26;
}

uint32_t zw_looks_like(uint32_t c) {
  if (c < 0x80) return c;
  if (c >= 0xFF10 && c <= 0xFF19) return '0' + c - 0xFF10; /* as wide as Chinese ones */
  if (c >= 0xFF21 && c <= 0xFF3A) return 'A' + c - 0xFF21;
  if (c >= 0xFF41 && c <= 0xFF5A) return 'a' + c - 0xFF41;
  if (c >= 0x1D400 && c <= 0x1D6A3) return letter_number((c - 0x1D400) % 52); /* of mathematics: bold, italic, ... */
  if (c >= 0x1D7CE && c <= 0x1D7FF) return '0' + (c - 0x1D7CE) % 10;
  return find_twin(c);
}

static uint32_t next_letter(ZwStr name, int32_t* at) {
  uint32_t c = 0;
  int32_t bytes = zw_utf8_decode(name.data + *at, name.size - *at, &c);
  *at += bytes ? bytes : 1;
  return c;
}

bool zw_name_has_twins(ZwStr name) {
  for (int32_t i = 0; i < name.size;) {
    uint32_t c = next_letter(name, &i);
    if (zw_looks_like(c) != c) return true;
  }
  return false;
}

bool zw_names_look_alike(ZwStr a, ZwStr b) {
  int32_t i = 0, k = 0;
  while (i < a.size && k < b.size) {
    if (zw_looks_like(next_letter(a, &i)) != zw_looks_like(next_letter(b, &k))) return false;
  }
  return i == a.size && k == b.size;
}

bool zw_name_is_mixed(ZwStr name, uint32_t* odd) {
  bool has_plain = false;
  *odd = 0;
  for (int32_t i = 0; i < name.size;) {
    uint32_t c = next_letter(name, &i), like = zw_looks_like(c);
    bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    has_plain = has_plain || is_plain;
    if (!*odd && c >= 0x80 && like < 0x80) *odd = c;
  }
  return has_plain && *odd;
}
