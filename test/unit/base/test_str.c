#include "base/str.h"

#include "../numbers.h"

#include <float.h>
#include <string.h>

static ZwArena open_arena(void) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  return arena;
}

static int32_t distance(const char* a, const char* b, int32_t limit) {
  int32_t there = zw_str_distance(zw_str_from(a), zw_str_from(b), limit);
  assert_int_equal(zw_str_distance(zw_str_from(b), zw_str_from(a), limit), there);
  return there;
}

static void distance_counts_each_kind_of_slip(void** state) {
  (void)state;
  assert_int_equal(distance("", "", 2), 0);
  assert_int_equal(distance("", "ab", 2), 2);
  assert_int_equal(distance("kinetic", "kinetic", 2), 0);
  assert_int_equal(distance("kinetic", "kintic", 2), 1);   /* one missing */
  assert_int_equal(distance("kinetic", "kinnetic", 2), 1); /* one too many */
  assert_int_equal(distance("kinetic", "kinetik", 2), 1);  /* another one */
  assert_int_equal(distance("kinetic", "knietic", 2), 1);  /* neighbours swapped */
  assert_int_equal(distance("kinetic", "knietik", 2), 2);
  assert_int_equal(distance("ab", "ba", 2), 1);
}

static void distance_stops_at_its_limit(void** state) {
  (void)state;
  assert_int_equal(distance("coord", "param", 2), 3);
  assert_int_equal(distance("coord", "param", 9), 5);
  assert_int_equal(distance("a", "abcdefgh", 2), 3);
  assert_int_equal(distance("abc", "abd", 0), 1);
  char a[65], b[65];
  memset(a, 'a', 64);
  memset(b, 'a', 64);
  a[64] = b[64] = 0;
  assert_int_equal(distance(a, b, 2), 3); /* names this long are not compared */
  a[63] = b[63] = 0;
  assert_int_equal(distance(a, b, 2), 0);
}

/* The text-book recursion, for words short enough. */
static int32_t plain_distance(const char* a, int32_t i, const char* b, int32_t j) {
  if (i == 0 || j == 0) return i + j;
  int32_t best = plain_distance(a, i - 1, b, j - 1) + (a[i - 1] != b[j - 1]);
  int32_t other = plain_distance(a, i - 1, b, j) + 1;
  best = other < best ? other : best;
  other = plain_distance(a, i, b, j - 1) + 1;
  best = other < best ? other : best;
  if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
    other = plain_distance(a, i - 2, b, j - 2) + 1;
    best = other < best ? other : best;
  }
  return best;
}

static void distance_agrees_with_its_definition(void** state) {
  (void)state;
  Random random = random_from(11);
  for (int trial = 0; trial < 1500; trial++) {
    char a[8] = {0}, b[8] = {0};
    int32_t i = random_int(&random, 0, 6), j = random_int(&random, 0, 6);
    for (int32_t k = 0; k < i; k++) a[k] = (char)('a' + random_int(&random, 0, 2));
    for (int32_t k = 0; k < j; k++) b[k] = (char)('a' + random_int(&random, 0, 2));
    assert_int_equal(distance(a, b, 10), plain_distance(a, i, b, j));
  }
}

static void equality_looks_at_length_and_bytes(void** state) {
  (void)state;
  assert_true(zw_str_equal(ZW_STR("ab"), zw_str_from("ab")));
  assert_false(zw_str_equal(ZW_STR("ab"), ZW_STR("abc")));
  assert_false(zw_str_equal(ZW_STR("ab"), ZW_STR("aB")));
  assert_true(zw_str_equal((ZwStr){NULL, 0}, ZW_STR("")));
  assert_false(zw_str_equal(ZW_STR("a\0b"), ZW_STR("a\0c")));
  assert_true(zw_str_hash(ZW_STR("ab")) == zw_str_hash(ZW_STR("ab")));
  assert_true(zw_str_hash(ZW_STR("ab")) != zw_str_hash(ZW_STR("ba")));
}

static void assert_reads_back(double value) {
  char buffer[32];
  memset(buffer, 'x', sizeof buffer);
  int32_t size = zw_number_text(value, buffer);
  assert_in_range(size, 1, 31);
  assert_int_equal(strlen(buffer), size);
  double back = strtod(buffer, NULL);
  if (memcmp(&back, &value, sizeof back) != 0) fail_msg("%.17g is written as %s", value, buffer);
}

static void numbers_read_back_to_the_last_bit(void** state) {
  (void)state;
  const double special[] = {0.0,
                            -0.0,
                            5e-324,
                            -5e-324,
                            DBL_MIN,
                            DBL_MAX,
                            -DBL_MAX,
                            0.1,
                            0.2 + 0.1,
                            1.0 / 3,
                            2.0 / 3,
                            1e22,
                            1e23,
                            9007199254740993.0,
                            DBL_EPSILON,
                            1 + DBL_EPSILON,
                            1 - DBL_EPSILON / 2,
                            2.2250738585072011e-308,
                            123456789012345678.0};
  for (int i = 0; i < (int)(sizeof special / sizeof *special); i++) assert_reads_back(special[i]);
  Random random = random_from(12);
  for (int i = 0; i < 100000; i++) {
    uint64_t bits = random_next(&random);
    if (i % 16 == 0) bits &= 0x800FFFFFFFFFFFFFu; /* all exponents alike, and denormals besides */
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) assert_reads_back(value);
  }
}

static void numbers_are_written_as_short_as_they_can_be(void** state) {
  (void)state;
  const struct {
    double value;
    const char* text;
  } expected[] = {{0, "0"},
                  {-0.0, "-0"},
                  {1, "1"},
                  {0.1, "0.1"},
                  {-2.5, "-2.5"},
                  {1e-5, "1e-05"},
                  {1e300, "1e+300"},
                  {5e-324, "5e-324"},
                  {0.3, "0.3"},
                  {9.81, "9.81"},
                  {NAN, "nan"},
                  {INFINITY, "inf"},
                  {-INFINITY, "-inf"},
                  {0.1 + 0.2, "0.30000000000000004"}};
  for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++) {
    char buffer[32];
    zw_number_text(expected[i].value, buffer);
    assert_string_equal(buffer, expected[i].text);
  }
}

static void text_grows_by_every_road(void** state) {
  (void)state;
  ZwArena arena = open_arena();
  ZwText text;
  zw_text_init(&text, &arena);
  assert_string_equal(zw_text_get(&text), "");
  zw_text_add(&text, "", 0);
  zw_text_add(&text, "ab\0c", 2);
  zw_text_addf(&text, "-%d-%s", 42, "x");
  zw_text_add_number(&text, 0.5);
  assert_string_equal(zw_text_get(&text), "ab-42-x0.5");
  assert_int_equal(text.size, 10);
  zw_arena_destroy(&arena);
}

/* Around the 256 bytes of the small buffer, and far beyond. */
static void formatting_has_no_longest_text(void** state) {
  (void)state;
  const int sizes[] = {0, 1, 254, 255, 256, 257, 511, 512, 5000, 100000};
  for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) {
    ZwArena arena = open_arena();
    char* long_text = malloc((size_t)sizes[i] + 1);
    for (int k = 0; k < sizes[i]; k++) long_text[k] = (char)('a' + k % 26);
    long_text[sizes[i]] = 0;
    char* formatted = zw_format(&arena, "%s", long_text);
    assert_string_equal(formatted, long_text);
    ZwText text;
    zw_text_init(&text, &arena);
    zw_text_addf(&text, "<%s|%d|%s>", long_text, 7, long_text);
    assert_int_equal(text.size, 2 * sizes[i] + 5);
    assert_int_equal(strlen(zw_text_get(&text)), text.size);
    assert_memory_equal(zw_text_get(&text) + 1, long_text, (size_t)sizes[i]);
    free(long_text);
    zw_arena_destroy(&arena);
  }
}

static void text_without_memory_stays_as_it_was(void** state) {
  (void)state;
  ZwArena arena = open_arena();
  arena.limit = 20000;
  ZwText text;
  zw_text_init(&text, &arena);
  zw_text_add(&text, "kept", 4);
  while (!arena.failed) zw_text_addf(&text, "%0300d", 0);
  int32_t size = text.size;
  zw_text_addf(&text, "%0300d", 0);
  assert_int_equal(text.size, size);
  assert_int_equal(strlen(zw_text_get(&text)), size);
  assert_memory_equal(zw_text_get(&text), "kept", 4);
  assert_null(zw_format(&arena, "%d", 1));
  assert_null(zw_str_copy(&arena, ZW_STR("x")));
  zw_arena_destroy(&arena);
}

static void copies_end_in_zero(void** state) {
  (void)state;
  ZwArena arena = open_arena();
  assert_string_equal(zw_str_copy(&arena, (ZwStr){"abcdef", 3}), "abc");
  assert_string_equal(zw_str_copy(&arena, (ZwStr){NULL, 0}), "");
  assert_string_equal(zw_str_join(&arena, (ZwStr){"abcdef", 3}, (ZwStr){"xyz", 2}), "abcxy");
  assert_string_equal(zw_str_join(&arena, ZW_STR(""), ZW_STR("'")), "'");
  zw_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distance_counts_each_kind_of_slip),
      cmocka_unit_test(distance_stops_at_its_limit),
      cmocka_unit_test(distance_agrees_with_its_definition),
      cmocka_unit_test(equality_looks_at_length_and_bytes),
      cmocka_unit_test(numbers_read_back_to_the_last_bit),
      cmocka_unit_test(numbers_are_written_as_short_as_they_can_be),
      cmocka_unit_test(text_grows_by_every_road),
      cmocka_unit_test(formatting_has_no_longest_text),
      cmocka_unit_test(text_without_memory_stays_as_it_was),
      cmocka_unit_test(copies_end_in_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
