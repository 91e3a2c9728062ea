/* Numbers against the C library, in the locale C: the same text for every number, and the same number for every text. With ZW_LONG
 * millions of each. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"

static void reference(double value, char* buffer) {
  for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits < 17; digits++) {
    snprintf(buffer, 40, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) return;
  }
  snprintf(buffer, 40, "%.17g", value);
}

static void check_read(const char* text) {
  double want = strtod(text, NULL);
  ptrdiff_t size = (ptrdiff_t)strlen(text);
  ZwNumber got = zw_number_read(text, size);
  if (memcmp(&got.value, &want, sizeof want) != 0 || got.size != size)
    fail_msg("'%s': %a, not %a", text, got.value, want);
}

static uint64_t next(uint64_t* seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

static uint64_t seed_prints = 2463534242u;

/* Some digits of it, laid out in some way. */
static void check_print(double value) {
  static const char hows[] = "efg";
  char format[16], want[512], got[ZW_NUMBER_ROOM];
  char how = hows[next(&seed_prints) % 3];
  int digits = (int)(next(&seed_prints) % 3 ? next(&seed_prints) % 18 : next(&seed_prints) % 41);
  bool keeps = how == 'g' && next(&seed_prints) % 4 == 0 && value != floor(value);
  snprintf(format, sizeof format, "%%%s.%d%c", keeps ? "#" : "", digits, how);
  snprintf(want, sizeof want, format, value);
  int32_t size = zw_number_print(value, how, digits, keeps, got);
  size_t end = strlen(want);
  if (keeps && want[end - 1] == '.') want[--end] = 0; /* %#.1g writes a point too much */
  if (keeps && strstr(want, ".e")) return;
  if (strcmp(got, want) != 0 || size != (int32_t)end) fail_msg("%s of %a: '%s', not '%s'", format, value, got, want);
  check_read(want);
}

static void check(double value) {
  char got[40], want[40];
  reference(value, want);
  int32_t size = zw_number_text(value, got);
  if (strcmp(got, want) != 0 || size != (int32_t)strlen(want)) fail_msg("%a: '%s', not '%s'", value, got, want);
  double back = strtod(got, NULL);
  assert_memory_equal(&back, &value, sizeof value);
  check_read(got);
  check_print(value);
}

static void check_around(double value) {
  double below = value, above = value;
  for (int i = 0; i < 6; i++) {
    check(below);
    check(above);
    check(-above);
    below = nextafter(below, -INFINITY);
    above = nextafter(above, INFINITY);
  }
}

static void test_special(void** state) {
  (void)state;
  check(0.0);
  check(-0.0);
  for (int k = -30; k <= 30; k++) {
    check_around(pow(10, k));
    check_around(5 * pow(10, k));
    check_around(9.999999999999999 * pow(10, k));
  }
  for (int k = -1074; k <= 1023; k++) check_around(ldexp(1, k));
  check_around(DBL_MAX / 2);
  for (int i = 0; i < 20000; i++) check(i / 1000.0), check(i * 0.125), check(i * 1e9), check(i * 0.1 + 0.2);
  /* halves of the last of 15, 16 and 17 digits: ties */
  for (int i = 0; i < 20000; i++) {
    check(1e14 / 8 + i + 0.5);
    check(1e13 + i + 0.25);
    check((double)((1LL << 52) + i) / 1024);
    check((double)((1LL << 53) - i) / 64);
  }
}

static void test_random(void** state) {
  (void)state;
  uint64_t seed = 88172645463325252u;
  int count = getenv("ZW_LONG") ? 20000000 : 100000;
  for (int i = 0; i < count; i++) {
    uint64_t bits = next(&seed);
    double any;
    memcpy(&any, &bits, sizeof any);
    if (isfinite(any)) check(any);
    /* sizes that results have */
    double usual = ldexp((double)(next(&seed) >> 11) + 1, -53 - (int)(next(&seed) % 14) + 7 * (int)(next(&seed) % 9));
    check(i % 2 ? usual : -usual);
    /* few digits */
    check((double)(next(&seed) % 100000) / pow(10, (double)(next(&seed) % 12)));
  }
}

/* A decimal exactly between two doubles, with all its digits; and the same with a digit more. */
static void check_between(double value) {
  char text[1200];
  long double half = ldexpl((long double)nextafter(value, INFINITY) - value, -1);
  int size = snprintf(text, sizeof text, "%.800Le", (long double)value + half);
  check_read(text);
  char* e = strchr(text, 'e');
  char exponent[16];
  snprintf(exponent, sizeof exponent, "%s", e);
  snprintf(e, sizeof text - (size_t)size, "1%s", exponent);
  check_read(text);
}

static void test_between(void** state) {
  (void)state;
  uint64_t seed = 123456789u;
  for (int k = -1074; k < 1024; k++) {
    check_between(ldexp(1, k));
    check_between(nextafter(ldexp(1, k), 0));
    check_between(ldexp(1 + ldexp((double)(next(&seed) >> 12), -52), k));
  }
}

static void test_texts(void** state) {
  (void)state;
  static const char* const texts[] = {
      "0",
      "-0",
      "000.000",
      "1e400",
      "-1e400",
      "1e-400",
      "1.7976931348623157e308",
      "1.7976931348623158e308",
      "1.7976931348623159e308",
      "17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901"
      "797758720709633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176"
      "447573027006985557136695962284291481986083493647529271907416844436551070434271155969950809304288017790417449"
      "7791.999",
      "2.2250738585072011e-308",
      "2.2250738585072014e-308",
      "2.4703282292062327208e-324",
      "2.4703282292062328e-324",
      "2.4703282292062327e-324",
      "4.9406564584124654e-324",
      "0.0000000000000000000000000000000000000000000001e+40",
      "9007199254740993",
      "9007199254740992.99999999999999999999999999999999999",
      "9007199254740993.00000000000000000000000000000000001",
      "9223372036854775807",
      "18446744073709551615",
      "18446744073709551616",
      "99999999999999999999999999999999",
      "1e23",
      "8.5e22",
      "123456789012345678901234567890e-30",
      ".5",
      "5.",
      "+1.5E+3",
      "1e99999999999999999999999",
      "0e99999999999999999999999",
      "1e-99999999999999999999999",
      "nan",
      "inf",
      "-inf",
      "INFINITY"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_read(texts[i]);
}

/* What is no number, and how far one reaches. */
static void test_ends(void** state) {
  (void)state;
  static const struct {
    const char* text;
    int size;
  } ends[] = {{"", 0},        {"-", 0},     {".", 0},    {"e5", 0},      {" 1", 0},    {"x", 0},
              {"1,5", 1},     {"0x1p3", 1}, {"1e", 1},   {"1e+", 1},     {"1.2.3", 3}, {"1..2", 2},
              {"1.5x", 3},    {"1e5.5", 3}, {"1 2", 1},  {"--1", 0},     {"1'000", 1}, {"in", 0},
              {"infinit", 3}, {"nano", 3},  {"+.e1", 0}, {"\xD9\xA1", 0}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    ZwNumber number = zw_number_read(ends[i].text, (ptrdiff_t)strlen(ends[i].text));
    assert_int_equal(number.size, ends[i].size);
    assert_int_equal(number.kind != ZW_NUMBER_NONE, ends[i].size > 0);
  }
  assert_int_equal(zw_number_read("1e400", 5).kind, ZW_NUMBER_HUGE);
  assert_int_equal(zw_number_read("-1e-400", 7).kind, ZW_NUMBER_TINY);
  assert_int_equal(zw_number_read("0e-400", 6).kind, ZW_NUMBER_FINE);
  assert_int_equal(zw_number_read("4e-324", 6).kind, ZW_NUMBER_FINE);
  assert_int_equal(zw_number_read("12345", 3).value, 123);
}

/* Digits of any length with any exponent, and whole numbers near ties. */
static void test_any_text(void** state) {
  (void)state;
  uint64_t seed = 362436069u;
  int count = getenv("ZW_LONG") ? 20000000 : 100000;
  for (int i = 0; i < count; i++) {
    char text[96];
    uint64_t odd = next(&seed) >> 10 | (uint64_t)1 << 53 | 1;
    snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(next(&seed) >> next(&seed) % 64),
             (unsigned long long)(next(&seed) >> next(&seed) % 64), (int)(next(&seed) % 700) - 360);
    check_read(text);
    snprintf(text, sizeof text, "%llu", (unsigned long long)odd);
    check_read(text);
    snprintf(text, sizeof text, "%llu.5", (unsigned long long)(odd >> 1));
    check_read(text);
    snprintf(text, sizeof text, "%llu.%llu%llue-%d", (unsigned long long)(next(&seed) % 10),
             (unsigned long long)next(&seed), (unsigned long long)next(&seed), (int)(next(&seed) % 25));
    check_read(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_special), cmocka_unit_test(test_random),
                                     cmocka_unit_test(test_between), cmocka_unit_test(test_texts),
                                     cmocka_unit_test(test_ends),    cmocka_unit_test(test_any_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
