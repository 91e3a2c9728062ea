/* zw_number_text against the C library: the same text for every number, and the same number for every text. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

static void reference(double value, char* buffer) {
  for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits < 17; digits++) {
    snprintf(buffer, 40, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) return;
  }
  snprintf(buffer, 40, "%.17g", value);
}

static void check(double value) {
  char got[40], want[40];
  reference(value, want);
  int32_t size = zw_number_text(value, got);
  if (strcmp(got, want) != 0 || size != (int32_t)strlen(want)) fail_msg("%a: '%s', not '%s'", value, got, want);
  double back = strtod(got, NULL);
  assert_memory_equal(&back, &value, sizeof value);
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

static uint64_t next(uint64_t* seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
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
  int count = getenv("ZW_LONG") ? 20000000 : 300000;
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_special), cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
