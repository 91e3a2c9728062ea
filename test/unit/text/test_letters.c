#include "text/letters.h"

#include <string.h>

#include "../numbers.h"

// clang-format off
/* Typed from the Unicode character database, not taken from our table. */
static void letters_of_many_scripts_begin_names(void** state) {
  (void)state;
  static const uint32_t letters[] = {
      'A', 'Z', 'a', 'z', 0xAA /* ª */, 0xB5 /* micro */, 0xBA /* º */, 0xC0, 0xD6, 0xD8, 0xF6, 0xF8, 0xFF,
      0x142 /* ł */, 0x250 /* ɐ */, 0x386, 0x3A9 /* Ω */, 0x3C6 /* φ */, 0x3D1 /* ϑ */, 0x3F5 /* ϵ */, 0x416 /* Ж */,
      0x531 /* Armenian */, 0x5D0 /* Hebrew */, 0x628 /* Arabic */, 0x710 /* Syriac */, 0x915 /* Devanagari */,
      0x995 /* Bengali */, 0xB95 /* Tamil */, 0xE01 /* Thai */, 0xF40 /* Tibetan */, 0x10D0 /* Georgian */,
      0x1100 /* jamo */, 0x1200 /* Ethiopic */, 0x13A0 /* Cherokee */, 0x1401 /* Canadian */, 0x16A0 /* runic */,
      0x1780 /* Khmer */, 0x1820 /* Mongolian */, 0x1D62 /* ᵢ */, 0x1E9E /* ẞ */, 0x1F00 /* ἀ */, 0x2071 /* ⁱ */,
      0x2090 /* ₐ */, 0x210F /* ℏ */, 0x2113 /* ℓ */, 0x2118 /* ℘ */, 0x2126 /* ohm */, 0x212A /* kelvin */,
      0x212B /* ångström */, 0x212E /* ℮ */, 0x2160 /* Ⅰ */, 0x3042 /* あ */, 0x30A2 /* ア */, 0x3105 /* bopomofo */,
      0x3400, 0x4DBF, 0x4E2D /* 中 */, 0x9FFF, 0xA000 /* Yi */, 0xAC00, 0xD7A3, 0xF900, 0xFB01 /* ﬁ */,
      0xFF21 /* wide A */, 0x10000 /* Linear B */, 0x1D400 /* bold A */, 0x1D6FC /* italic alpha */, 0x20000, 0x2A6DF,
      0x30000};
  for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
    if (!zw_is_name_start(letters[i])) fail_msg("U+%04X", (unsigned)letters[i]);
    assert_true(zw_is_name_continue(letters[i]));
  }
}

static void digits_and_marks_only_continue_names(void** state) {
  (void)state;
  static const uint32_t others[] = {
      '0', '9', '_', 0x300, 0x301, 0x36F, 0x483 /* Cyrillic */, 0x5B0 /* Hebrew point */, 0x660 /* Arabic 0 */, 0x669,
      0x93E /* Devanagari vowel */, 0x94D /* virama */, 0x966 /* Devanagari 0 */, 0x1369 /* Ethiopic 1 */, 0x1AB0,
      0x203F /* undertie */, 0x20D7 /* vector above */, 0x3099 /* kana voicing */, 0xFE20, 0xFF10 /* wide 0 */,
      0xFF3F /* wide _ */, 0x1D165, 0x1D7CE /* bold 0 */, 0xE0100};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (zw_is_name_start(others[i])) fail_msg("U+%04X begins a name", (unsigned)others[i]);
    if (!zw_is_name_continue(others[i])) fail_msg("U+%04X", (unsigned)others[i]);
  }
}

static void signs_are_in_no_name(void** state) {
  (void)state;
  static const uint32_t signs[] = {
      0, ' ', '\'', '+', '-', '.', '/', ':', '@', '[', '`', '{', 0x7F, 0xA0, 0xB0 /* ° */, 0xB2 /* ² */, 0xB4, 0xB7,
      0xB9 /* ¹ */, 0xD7, 0xF7, 0x37A, 0x37E, 0x387, 0x3F6, 0x200B, 0x200C /* joiners */, 0x200D, 0x2018, 0x2019, 0x2032,
      0x2033, 0x2044, 0x2070 /* ⁰ */, 0x2080 /* ₀ */, 0x20DD /* circle around */, 0x2190, 0x2202 /* ∂ */, 0x2207 /* ∇ */,
      0x2211, 0x2212, 0x221E, 0x2260, 0x309B, 0x378 /* not assigned */, 0xD800, 0xE000 /* private */, 0xFEFF, 0xFFFD,
      0xFFFF, 0x1F600, 0x10FFFF, 0x110000, UINT32_MAX};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    if (zw_is_name_continue(signs[i]) || zw_is_name_start(signs[i])) fail_msg("U+%04X", (unsigned)signs[i]);
  }
}
// clang-format on

static void what_begins_a_name_continues_it(void** state) {
  (void)state;
  int32_t starts = 0, continues = 0;
  for (uint32_t c = 0; c < 0x110000; c++) {
    starts += zw_is_name_start(c);
    continues += zw_is_name_continue(c);
    if (zw_is_name_start(c)) assert_true(zw_is_name_continue(c));
  }
  /* every alphabet is there: Unicode has more letters with each version, and never fewer */
  assert_in_range(starts, 131000, 200000);
  assert_in_range(continues - starts, 2900, 6000);
}

static void characters_survive_encoding(void** state) {
  (void)state;
  for (uint32_t c = 0; c < 0x110000; c++) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    char text[4];
    uint32_t back = UINT32_MAX;
    int32_t bytes = zw_utf8_encode(c, text);
    assert_int_equal(zw_utf8_decode(text, bytes, &back), bytes);
    assert_int_equal(back, c);
  }
}

static int32_t name_size(const char* text) {
  return zw_name_size(text, (int32_t)strlen(text));
}

static void names_end_where_their_characters_do(void** state) {
  (void)state;
  assert_int_equal(name_size(""), 0);
  assert_int_equal(name_size("x"), 1);
  assert_int_equal(name_size("x_1y+2"), 4);
  assert_int_equal(name_size("_x"), 0);
  assert_int_equal(name_size("1x"), 0);
  assert_int_equal(name_size("é "), 2);
  assert_int_equal(name_size("e\xCC\x81'"), 3);
  assert_int_equal(name_size("\xCC\x81"), 0);
  assert_int_equal(name_size("m\xD9\xA3-"), 3); /* an Arabic digit */
  assert_int_equal(name_size("\xD9\xA3m"), 0);
  assert_int_equal(name_size("a·b"), 1); /* a product, mistyped */
  assert_int_equal(name_size("中文名.x"), 9);
  assert_int_equal(name_size("ab\xC3"), 2); /* cut short */
  assert_int_equal(zw_name_size("é", 1), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(letters_of_many_scripts_begin_names),
      cmocka_unit_test(digits_and_marks_only_continue_names),
      cmocka_unit_test(signs_are_in_no_name),
      cmocka_unit_test(what_begins_a_name_continues_it),
      cmocka_unit_test(characters_survive_encoding),
      cmocka_unit_test(names_end_where_their_characters_do),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
