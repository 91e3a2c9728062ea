/* Times as text: by hand, and so that neighbours can be told apart. */
#include "base/clock.h"

#include <string.h>

#include "../numbers.h"

static void assert_text(double epoch, double since, double scale, int digits, const char* want) {
  char text[ZW_CLOCK_TEXT];
  assert_int_equal(zw_clock_text(epoch, since, scale, digits, text), strlen(want));
  assert_string_equal(text, want);
}

static void near_zero_they_are_as_always(void** state) {
  (void)state;
  assert_text(0, 0, 10, 9, "0");
  assert_text(0, 1.23456789012, 10, 9, "1.23456789");
  assert_text(0, 1.23456789012, 10, 6, "1.23457");
  assert_text(0, 1e9, 1e9, 9, "1e+09");
  assert_text(1, 0.5, 10, 9, "1.5");
}

static void far_from_it_they_have_as_many_digits_as_it_takes(void** state) {
  (void)state;
  assert_text(1e9, 0, 1, 9, "1000000000");
  assert_text(1e9, 1, 1, 9, "1000000001");
  assert_text(1e9, 0.123456789, 1, 9, "1000000000.123456789");
  assert_text(1e15, 0.001, 1, 9, "1000000000000000.001");
  assert_text(1e17, 100, 100, 9, "100000000000000100");
  assert_text(1700000000.5, 0.25, 1, 9, "1700000000.75");
  assert_text(1e9, 0.9999999999, 1, 9, "1000000001");
  assert_text(-1e9, 0.25, 1, 9, "-999999999.75");
  assert_text(-1e9, 0, 1, 9, "-1000000000");
  assert_text(-1e9, 1e-12, 1, 9, "-1000000000");
  assert_text(-3, 2.25, 1, 9, "-0.75");
  assert_text(-3, 3.25, 1, 9, "0.25");
  assert_text(1e300, 1, 1, 9, "1e+300");
  assert_text(5, NAN, 1, 9, "nan");
}

static void digits_grow_with_the_time(void** state) {
  (void)state;
  assert_int_equal(zw_clock_digits(12345, 9), 9);
  assert_int_equal(zw_clock_digits(-1.7e9, 9), 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(near_zero_they_are_as_always),
      cmocka_unit_test(far_from_it_they_have_as_many_digits_as_it_takes),
      cmocka_unit_test(digits_grow_with_the_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
