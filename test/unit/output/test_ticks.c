#include "output/ticks.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_labels(const ZwTicks* ticks, const char* const* labels, int32_t count, const char* note) {
  assert_int_equal(ticks->count, count);
  for (int32_t i = 0; i < count; i++) assert_string_equal(ticks->label[i], labels[i]);
  assert_string_equal(ticks->note, note);
}

#define LABELS(...) (const char* const[]){__VA_ARGS__}, (int32_t)(sizeof((const char*[]){__VA_ARGS__}) / sizeof(char*))

static void test_round_steps(void** state) {
  (void)state;
  ZwTicks ticks;
  zw_ticks_make(&ticks, 0, 10, 0, 6);
  assert_labels(&ticks, LABELS("0", "2", "4", "6", "8", "10"), "");
  zw_ticks_make(&ticks, 0, 0.3, 0, 5);
  assert_labels(&ticks, LABELS("0", "0.1", "0.2", "0.3"), "");
  assert_true(ticks.value[3] == 0.3);
  zw_ticks_make(&ticks, -1, 1, 0, 5);
  assert_labels(&ticks, LABELS("−1.0", "−0.5", "0", "0.5", "1.0"), "");
  zw_ticks_make(&ticks, 0, 20000, 0, 5);
  assert_labels(&ticks, LABELS("0", "5000", "10000", "15000", "20000"), "");
}

static void test_powers_go_into_the_note(void** state) {
  (void)state;
  ZwTicks ticks;
  zw_ticks_make(&ticks, -1e-300, 1e-300, 0, 5);
  assert_labels(&ticks, LABELS("−1.0", "−0.5", "0", "0.5", "1.0"), "×10⁻³⁰⁰");
  zw_ticks_make(&ticks, 0, 4e300, 0, 5);
  assert_labels(&ticks, LABELS("0", "1", "2", "3", "4"), "×10³⁰⁰");
  zw_ticks_make(&ticks, 0, 1e6, 0, 6);
  assert_labels(&ticks, LABELS("0", "0.2", "0.4", "0.6", "0.8", "1.0"), "×10⁶");
}

static void test_offsets_go_into_the_note(void** state) {
  (void)state;
  ZwTicks ticks;
  zw_ticks_make(&ticks, 1e9, 1e9 + 4, 0, 5);
  assert_labels(&ticks, LABELS("0", "1", "2", "3", "4"), "+ 1000000000");
  zw_ticks_make(&ticks, -1e9 - 1, -1e9 + 1, 0, 5);
  assert_labels(&ticks, LABELS("−1.0", "−0.5", "0", "0.5", "1.0"), "− 1000000000");
  zw_ticks_make(&ticks, 123456.7, 123457.1, 0, 5);
  assert_labels(&ticks, LABELS("56.7", "56.8", "56.9", "57.0", "57.1"), "+ 123400");
  zw_ticks_make(&ticks, 1.00001, 1.000014, 0, 5);
  assert_labels(&ticks, LABELS("1.0", "1.1", "1.2", "1.3", "1.4"), "×10⁻⁵ + 1");
  zw_ticks_make(&ticks, 1.5e20, 1.5e20 + 4e10, 0, 5);
  assert_labels(&ticks, LABELS("0", "1", "2", "3", "4"), "×10¹⁰ + 1.5×10²⁰");
}

static void test_constant_data(void** state) {
  (void)state;
  ZwTicks ticks;
  zw_ticks_make(&ticks, 0, 0, 0.05, 5);
  assert_labels(&ticks, LABELS("−1.0", "−0.5", "0", "0.5", "1.0"), "");
  zw_ticks_make(&ticks, 5, 5, 0.05, 5);
  assert_true(ticks.low == 4.5 && ticks.high == 5.5);
  /* rounding noise is no signal */
  zw_ticks_make(&ticks, 5, 5 + 8 * DBL_EPSILON, 0.05, 5);
  assert_true(ticks.low < 4.6 && ticks.high > 5.4);
  assert_true(fabs(zw_ticks_place(&ticks, 5) - 0.5) < 1e-9);
}

/* Whatever the range: at least two ticks, not too many, on the axis, in order, and the labels tell the values. */
static void check_any(double low, double high, int32_t most) {
  ZwTicks ticks;
  zw_ticks_make(&ticks, low, high, 0.05, most);
  assert_true(isfinite(ticks.low) && isfinite(ticks.high) && ticks.low < ticks.high);
  assert_true(ticks.low <= low && high <= ticks.high);
  assert_in_range(ticks.count, 2, most);
  for (int32_t i = 0; i < ticks.count; i++) {
    double place = zw_ticks_place(&ticks, ticks.value[i]);
    assert_true(place > -1e-6 && place < 1 + 1e-6);
    if (i > 0) assert_true(ticks.value[i] > ticks.value[i - 1]);
    if (i > 0) assert_string_not_equal(ticks.label[i], ticks.label[i - 1]);
  }
  assert_in_range(zw_ticks_label_width(&ticks), 1, 9);
  if (ticks.note[0]) return;
  for (int32_t i = 0; i < ticks.count; i++) {
    const char* label = ticks.label[i];
    size_t minus = strncmp(label, "−", strlen("−")) == 0 ? strlen("−") : 0;
    double value = strtod(label + minus, NULL);
    assert_true((minus ? -value : value) == ticks.value[i]);
  }
}

static void test_any_range(void** state) {
  (void)state;
  const double special[] = {
      0, 5e-324, 1e-310, 1e-305, 1e-300, 1e-8, 0.1, 1, 3.7, 999.9999, 1e5, 1e9, 1e15, 1e300, 1.7976931348623157e308};
  enum { COUNT = sizeof special / sizeof special[0] };
  for (int i = 0; i < COUNT; i++) {
    for (int k = 0; k < COUNT; k++) {
      for (int32_t most = ZW_TICKS_MOST_MIN; most <= ZW_TICKS_MAX; most++) {
        check_any(-special[i], special[k], most);
        if (special[i] <= special[k]) check_any(special[i], special[k], most);
        if (special[i] <= special[k]) check_any(-special[k], -special[i], most);
      }
    }
  }
  /* small ranges on large offsets, down to the last bits */
  for (int bits = 1; bits < 52; bits++) {
    for (int i = 1; i < 40; i++) {
      double low = ldexp(1 + i / 41.0, 20 * (i - 20)), high = low * (1 + ldexp(1, -bits));
      check_any(low, high, 5);
      check_any(-high, -low, 8);
    }
  }
}

static void test_logarithmic(void** state) {
  (void)state;
  ZwTicks ticks;
  zw_ticks_make_log(&ticks, -3, 3, 0, 10);
  assert_labels(&ticks, LABELS("0.001", "0.01", "0.1", "1", "10", "100", "1000"), "");
  assert_true(ticks.is_log && ticks.value[0] == -3 && ticks.value[6] == 3);
  zw_ticks_make_log(&ticks, -9, 6, 0, 9);
  assert_labels(&ticks, LABELS("10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰", "10²", "10⁴", "10⁶"), "");
  zw_ticks_make_log(&ticks, 0.1, 1.9, 0, 6);
  assert_labels(&ticks, LABELS("2", "5", "10", "20", "50"), "");
  zw_ticks_make_log(&ticks, 0.1, 2.4, 0, 5);
  assert_labels(&ticks, LABELS("3", "10", "30", "100"), "");
  zw_ticks_make_log(&ticks, 6.1, 7.9, 0, 6);
  assert_labels(&ticks, LABELS("2×10⁶", "5×10⁶", "10⁷", "2×10⁷", "5×10⁷"), "");
  /* less than a factor of five: round numbers */
  zw_ticks_make_log(&ticks, log10(10), log10(14), 0, 5);
  assert_labels(&ticks, LABELS("10", "11", "12", "13", "14"), "");
  assert_true(fabs(ticks.value[2] - log10(12)) < 1e-14);
  /* a constant */
  zw_ticks_make_log(&ticks, 1, 1, 0.06, 5);
  assert_true(ticks.low == 0.5 && ticks.high == 1.5);
}

static void test_any_logarithmic_range(void** state) {
  (void)state;
  for (int i = 0; i < 4000; i++) {
    double low = -323 + 0.15 * i;
    for (double span = 0; low + span < 309; span = span < 1e-9 ? 1e-9 : 2.3 * span) {
      for (int32_t most = ZW_TICKS_MOST_MIN; most <= 11; most += 3) {
        ZwTicks ticks;
        zw_ticks_make_log(&ticks, low, low + span, 0.06, most);
        assert_true(ticks.low <= low && low + span <= ticks.high && ticks.low < ticks.high);
        bool is_extreme = fabs(low) > 240 || fabs(low + span) > 240; /* only powers of ten there */
        assert_in_range(ticks.count, is_extreme ? 0 : 2, most);
        for (int32_t k = 0; k < ticks.count; k++) {
          double place = zw_ticks_place(&ticks, ticks.value[k]);
          assert_true(place > -1e-3 && place < 1 + 1e-3);
          assert_true(strlen(ticks.label[k]) > 0);
          if (k > 0) assert_true(ticks.value[k] > ticks.value[k - 1]);
          if (k > 0) assert_string_not_equal(ticks.label[k], ticks.label[k - 1]);
        }
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_steps),
      cmocka_unit_test(test_powers_go_into_the_note),
      cmocka_unit_test(test_constant_data),
      cmocka_unit_test(test_offsets_go_into_the_note),
      cmocka_unit_test(test_any_range),
      cmocka_unit_test(test_logarithmic),
      cmocka_unit_test(test_any_logarithmic_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
