/* zw_snprintf against snprintf in the locale C; what is shown of characters that hide. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/print.h"

#define SAME(...)                                                      \
  do {                                                                 \
    char want[512], got[512];                                          \
    int size = snprintf(want, sizeof want, __VA_ARGS__);               \
    assert_int_equal(zw_snprintf(got, sizeof got, __VA_ARGS__), size); \
    assert_string_equal(got, want);                                    \
  } while (0)

static void test_whole(void** state) {
  (void)state;
  static const long long values[] = {0, 1, -1, 9, 10, -99, 12345, INT_MAX, INT_MIN, LLONG_MAX, LLONG_MIN};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    SAME("%lld|%20lld|%-20lld|%020lld|%+lld", values[i], values[i], values[i], values[i], values[i]);
    SAME("%llu %llx %016llX", (unsigned long long)values[i], (unsigned long long)values[i],
         (unsigned long long)values[i]);
    SAME("%d %i %6d %-6d| %06d %02d %0*d %u", (int)values[i], (int)values[i], (int)values[i], (int)values[i],
         (int)values[i], (int)values[i], 7, (int)values[i], (unsigned)values[i]);
    SAME("%zu %td %ld %jd", (size_t)values[i], (ptrdiff_t)values[i], (long)values[i], (intmax_t)values[i]);
  }
  SAME("%c%%%c %04X %5c %-3c|", 'a', 'b', 0x1fu, 'x', 'y');
}

static void test_texts(void** state) {
  (void)state;
  SAME("plain");
  SAME("%s|%10s|%-10s|%.2s|%5.1s|%*s|%-*s|%.*s|%.0s", "abc", "abc", "abc", "abc", "abc", 6, "abc", 6, "abc", 2, "abc",
       "abc");
  char got[4];
  assert_int_equal(zw_snprintf(got, sizeof got, "%s", "abcdef"), 6);
  assert_string_equal(got, "abc");
  assert_int_equal(zw_snprintf(NULL, 0, "%d %s", 12, "abc"), 6);
}

static void test_numbers(void** state) {
  (void)state;
  static const double values[] = {0,         -0.0, 1,   -1.5, 0.1,  1e-5,  1e-4,   123456, 1234567,
                                  9.9999995, 0.5,  1.5, 2.5,  1e22, 1e300, 5e-324, 1.0 / 3};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    double v = values[i];
    SAME("%g %.9g %.3g %.17g %.1e %.2e %.0f %.2f %3.0f %5.1f|%e %f", v, v, v, v, v, v, v, v, v, v, v, v);
    SAME("%12.6g|%-12.6g|%012.4f|%+.3e|%+012.1f|%.*g|%*.*e", v, v, v, v, v, 5, v, 14, 3, v);
  }
  SAME("%g %5g %-5g| %05g %.2f %e", (double)INFINITY, -(double)INFINITY, (double)INFINITY, (double)INFINITY,
       (double)INFINITY, (double)INFINITY);
}

/* What a stream got. */
static void printed(FILE* file, const char* want) {
  char got[4096];
  rewind(file);
  size_t size = fread(got, 1, sizeof got - 1, file);
  got[size] = 0;
  assert_string_equal(got, want);
  fclose(file);
}

static void test_shown(void** state) {
  (void)state;
  FILE* file = tmpfile();
  zw_fprintf(file, "%s\n", "a\tb\033[2Jc\x7F");
  zw_fprintf(file, "%s|%.3s\n",
             "\xC2\x9B"
             "31m \xE2\x80\xAE"
             "gpj.exe \xE2\x80\x8B \xEF\xBB\xBF",
             "ab\ncd");
  zw_fprintf(file, "%s\n", "\x9B \xFF \xC3(");
  zw_fprintf(file, "%s\n", "gr\xC3\xBC\xC3\x9F \xCE\xBC\xF0\x9F\x99\x82");
  printed(file,
          "a\\u{09}b\\u{1B}[2Jc\\u{7F}\n"
          "\\u{9B}31m \\u{202E}gpj.exe \\u{200B} \\u{FEFF}|ab\\u{0A}\n"
          "\\x{9B} \\x{FF} \\x{C3}(\n"
          "gr\xC3\xBC\xC3\x9F \xCE\xBC\xF0\x9F\x99\x82\n");
}

/* More than the buffer of a stream holds. */
static void test_long(void** state) {
  (void)state;
  char want[3001];
  memset(want, 'x', 3000);
  want[3000] = 0;
  FILE* file = tmpfile();
  zw_fprintf(file, "%s", want);
  printed(file, want);
  file = tmpfile();
  zw_fprintf(file, "%3000s", "x");
  memset(want, ' ', 2999);
  printed(file, want);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_texts),
                                     cmocka_unit_test(test_numbers), cmocka_unit_test(test_shown),
                                     cmocka_unit_test(test_long)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
