#include "text/nfc.h"

#include <stdlib.h>
#include <string.h>

#include "../numbers.h"
#include "text/letters.h"

typedef struct Memory {
  ZwAllocator allocator;
  ZwArena arena;
} Memory;

static void open_memory(Memory* m) {
  m->allocator = zw_allocator_default();
  zw_arena_init(&m->arena, &m->allocator);
}

enum { CODES = 8 };

static ZwStr encode(const uint32_t* codes, char* text) {
  ZwStr result = {text, 0};
  for (int i = 0; i < CODES && codes[i]; i++) result.size += zw_utf8_encode(codes[i], text + result.size);
  return result;
}

/* Typed from the Unicode standard, not computed. */
// clang-format off
static const struct {
  uint32_t typed[CODES], normal[CODES];
} cases[] = {
    /* Latin */
    {{'e', 0x301}, {0xE9}},
    {{'M', 'u', 0x308, 'l', 'l', 'e', 'r'}, {'M', 0xFC, 'l', 'l', 'e', 'r'}},
    {{'A', 0x30A}, {0xC5}},
    {{0x212B}, {0xC5}},                     /* ångström sign */
    {{'x', 0x301}, {'x', 0x301}},           /* there is no such letter */
    {{'x', 0x307, '1'}, {0x1E8B, '1'}},
    {{'u', 0x308, 0x304}, {0x1D6}},         /* two accents, one letter */
    {{0xFC, 0x304}, {0x1D6}},
    {{'u', 0x304, 0x308}, {0x1E7B}},        /* the other order is another letter */
    {{'e', 0x302, 0x301}, {0x1EBF}},
    {{0x1EBF}, {0x1EBF}},
    /* marks in their order */
    {{'a', 0x301, 0x323}, {0x1EA1, 0x301}}, /* the dot below goes first and joins */
    {{'a', 0x323, 0x301}, {0x1EA1, 0x301}},
    {{'s', 0x323, 0x307}, {0x1E69}},
    {{'s', 0x307, 0x323}, {0x1E69}},
    {{0x1E0B, 0x323}, {0x1E0D, 0x307}},     /* taken apart and joined another way */
    {{'q', 0x307, 0x323}, {'q', 0x323, 0x307}},
    {{'q', 0x300, 0x301}, {'q', 0x300, 0x301}}, /* the same class stays */
    {{'a', 0x302, 0x300, 0x302}, {0x1EA7, 0x302}},
    {{'a', 0x315, 0x300, 0x5AE, 'b'}, {0xE0, 0x5AE, 0x315, 'b'}},
    {{0x1100, 0x300, 0x1161}, {0x1100, 0x300, 0x1161}}, /* a mark between them blocks */
    {{'e', 0x34F, 0x301}, {'e', 0x34F, 0x301}},         /* and so does a joiner of class 0 */
    {{0x301, 'e'}, {0x301, 'e'}},
    {{0x308, 0x301}, {0x308, 0x301}},
    {{0x344}, {0x308, 0x301}},              /* marks do not compose */
    /* Greek */
    {{0x2126}, {0x3A9}},                    /* ohm sign */
    {{0x3B1, 0x313, 0x300}, {0x1F02}},
    {{0x3B1, 0x313, 0x300, 0x345}, {0x1F82}},
    {{0x3B1, 0x345, 0x300, 0x313}, {0x1FB2, 0x313}},
    {{0x3CA, 0x301}, {0x390}},
    {{0x3B9, 0x308, 0x301}, {0x390}},
    {{0x1FD3}, {0x390}},
    {{0x1F71}, {0x3AC}},                    /* oxia is tonos */
    {{0x374}, {0x2B9}},
    {{0x1FBE}, {0x3B9}},
    {{0x3C6, 0x307}, {0x3C6, 0x307}},
    /* Cyrillic, Hebrew, Arabic, Indic */
    {{0x438, 0x306}, {0x439}},
    {{0xFB2A}, {0x5E9, 0x5C1}},             /* excluded from composition */
    {{0x5E9, 0x5C1}, {0x5E9, 0x5C1}},
    {{0x627, 0x653}, {0x622}},
    {{0x958}, {0x915, 0x93C}},              /* excluded */
    {{0x915, 0x93C}, {0x915, 0x93C}},
    {{0x928, 0x93C}, {0x929}},
    {{0x9C7, 0x9BE}, {0x9CB}},              /* a second part of class 0 */
    {{0xBC6, 0xBD7}, {0xBCC}},
    /* Hangul */
    {{0x1100, 0x1161}, {0xAC00}},
    {{0x1100, 0x1161, 0x11A8}, {0xAC01}},
    {{0xAC00, 0x11A8}, {0xAC01}},
    {{0x1112, 0x1175, 0x11C2}, {0xD7A3}},
    {{0x1112, 0x1161, 0x11AB, 0x1100, 0x1173, 0x11AF}, {0xD55C, 0xAE00}}, /* hangeul */
    {{0xAC01, 0x11A8}, {0xAC01, 0x11A8}},   /* it has its final */
    {{0xAC00, 0x11A7}, {0xAC00, 0x11A7}},   /* not a final */
    {{0xAC00, 0x1161}, {0xAC00, 0x1161}},
    {{0x1100, 0x11A8}, {0x1100, 0x11A8}},
    /* kana, Han, beyond 16 bits */
    {{0x304B, 0x3099}, {0x304C}},
    {{0xF900}, {0x8C48}},
    {{0x2F800}, {0x4E3D}},
    {{0x1D15F}, {0x1D158, 0x1D165}},        /* excluded */
    {{0x1D160}, {0x1D158, 0x1D165, 0x1D16E}},
    {{0x11131, 0x11127}, {0x1112E}},
    /* other codes of ASCII, and what only looks alike */
    {{0x212A}, {'K'}},
    {{0xB5}, {0xB5}},                       /* the micro sign is no mu */
    {{0xFB01}, {0xFB01}},
    {{0x1D6FC}, {0x1D6FC}},
};
// clang-format on

static void cases_of_the_standard(void** state) {
  (void)state;
  Memory m;
  open_memory(&m);
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    char typed[4 * CODES], normal[4 * CODES];
    ZwStr want = encode(cases[i].normal, normal), got = zw_nfc(&m.arena, encode(cases[i].typed, typed));
    if (!zw_str_equal(got, want)) fail_msg("case %d, U+%04X ...", i, (unsigned)cases[i].typed[0]);
    assert_ptr_equal(zw_nfc(&m.arena, got).data, got.data);
  }
  zw_arena_destroy(&m.arena);
}

/* Nothing is copied that is in order already, whether by the quick look or by the long one. */
static void composed_text_is_handed_back(void** state) {
  (void)state;
  Memory m;
  open_memory(&m);
  static const char* const texts[] = {"", "x", "alpha_2", "é", "Müller", "φ_1", "q\xCC\x87", "中文", "한글"};
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) {
    assert_ptr_equal(zw_nfc(&m.arena, zw_str_from(texts[i])).data, texts[i]);
  }
  assert_int_equal(m.arena.bytes, 0);
  zw_arena_destroy(&m.arena);
}

/* Once is enough, for every character alone and behind a letter; and no text grows beyond three times its size. */
static void normal_text_stays(void** state) {
  (void)state;
  Memory m;
  open_memory(&m);
  for (uint32_t c = 1; c < 0x30000; c++) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    char text[8] = "a";
    int32_t size = 1 + zw_utf8_encode(c, text + 1);
    for (int32_t skip = 0; skip < 2; skip++) {
      ZwStr once = zw_nfc(&m.arena, (ZwStr){text + skip, size - skip});
      assert_true(once.size <= 3 * (size - skip));
      if (zw_nfc(&m.arena, once).data != once.data) fail_msg("U+%04X", (unsigned)c);
    }
  }
  zw_arena_destroy(&m.arena);
}

static void every_syllable_is_built_of_its_letters(void** state) {
  (void)state;
  Memory m;
  open_memory(&m);
  uint32_t syllable = 0xAC00;
  for (uint32_t lead = 0x1100; lead < 0x1113; lead++) {
    for (uint32_t vowel = 0x1161; vowel < 0x1176; vowel++) {
      for (uint32_t final = 0x11A7; final < 0x11C3; final++, syllable++) {
        char typed[4 * CODES], normal[4 * CODES];
        ZwStr want = encode((uint32_t[CODES]){syllable}, normal);
        ZwStr letters = encode((uint32_t[CODES]){lead, vowel, final > 0x11A7 ? final : 0}, typed);
        assert_true(zw_str_equal(zw_nfc(&m.arena, letters), want));
      }
    }
  }
  assert_int_equal(syllable, 0xD7A4);
  zw_arena_destroy(&m.arena);
}

static void text_that_is_no_text_is_left_alone(void** state) {
  (void)state;
  Memory m;
  open_memory(&m);
  static const char* const texts[] = {"\xFF", "e\xCC\x81\xFF", "\xFF e\xCC\x81", "e\xCC\x81\xC3", "e\xCC"};
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++) {
    assert_ptr_equal(zw_nfc(&m.arena, zw_str_from(texts[i])).data, texts[i]);
  }
  zw_arena_destroy(&m.arena);
}

/* A letter with a million marks in the worst order: time and memory grow with the text, not with its square. */
static void a_million_marks_take_no_time(void** state) {
  (void)state;
  enum { MARKS = 1000000 };
  Memory m;
  open_memory(&m);
  char* text = malloc(1 + 2 * MARKS);
  text[0] = 'q';
  for (int32_t i = 0; i < MARKS; i++) memcpy(text + 1 + 2 * i, i % 2 ? "\xCC\xA3" : "\xCC\x81", 2);
  ZwStr normal = zw_nfc(&m.arena, (ZwStr){text, 1 + 2 * MARKS});
  assert_int_equal(normal.size, 1 + 2 * MARKS);
  assert_memory_equal(normal.data + 1, "\xCC\xA3\xCC\xA3", 4);
  assert_memory_equal(normal.data + normal.size - 4, "\xCC\x81\xCC\x81", 4);
  assert_true(m.arena.bytes < 4 * 1024 * 1024); /* the scratch was given back */
  zw_arena_destroy(&m.arena);
  free(text);
}

static void no_memory_leaves_the_text(void** state) {
  (void)state;
  Memory m;
  open_memory(&m);
  m.arena.limit = 1;
  static const char text[] = "e\xCC\x81";
  assert_ptr_equal(zw_nfc(&m.arena, zw_str_from(text)).data, text);
  assert_true(m.arena.failed);
  zw_arena_destroy(&m.arena);
}

static void marks_are_known(void** state) {
  (void)state;
  assert_true(zw_is_mark(0x301));
  assert_true(zw_is_mark(0x323));
  assert_true(zw_is_mark(0x94D));
  assert_false(zw_is_mark('e'));
  assert_false(zw_is_mark(0xE9));
  assert_false(zw_is_mark(0x1161));
  assert_false(zw_is_mark(0xF900));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cases_of_the_standard),
      cmocka_unit_test(composed_text_is_handed_back),
      cmocka_unit_test(normal_text_stays),
      cmocka_unit_test(every_syllable_is_built_of_its_letters),
      cmocka_unit_test(text_that_is_no_text_is_left_alone),
      cmocka_unit_test(a_million_marks_take_no_time),
      cmocka_unit_test(no_memory_leaves_the_text),
      cmocka_unit_test(marks_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
