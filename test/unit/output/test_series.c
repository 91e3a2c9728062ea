#include "output/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ZwSeries* new_series(int32_t capacity) {
  return zw_series_init(malloc(zw_series_size(capacity)), capacity);
}

static void test_short_series_is_kept_exactly(void** state) {
  (void)state;
  ZwSeries* series = new_series(8);
  for (int i = 0; i < 8; i++) zw_series_add(series, i, i * i);
  assert_int_equal(series->count, 8);
  for (int i = 0; i < 8; i++) {
    ZwPoint points[ZW_SERIES_BUCKET_POINTS];
    assert_int_equal(zw_series_points(series, i, points), 1);
    assert_true(points[0].t == i && points[0].y == i * i);
  }
  free(series);
}

/* The envelope of a million samples, column by column, must be that of the buckets. */
static void test_long_series_looks_the_same(void** state) {
  (void)state;
  enum { SAMPLES = 1000000, COLUMNS = 200 };
  ZwSeries* series = new_series(ZW_SERIES_BUCKETS);
  double low[COLUMNS], high[COLUMNS], got_low[COLUMNS], got_high[COLUMNS];
  for (int c = 0; c < COLUMNS; c++) low[c] = got_low[c] = INFINITY, high[c] = got_high[c] = -INFINITY;
  for (int i = 0; i < SAMPLES; i++) {
    double t = 20.0 * i / SAMPLES, y = sin(t) * sin(5000 * t) + (i == 777777 ? 5 : 0);
    int c = (int)(t / 20 * COLUMNS);
    low[c] = fmin(low[c], y);
    high[c] = fmax(high[c], y);
    zw_series_add(series, t, y);
  }
  assert_in_range(series->count, ZW_SERIES_BUCKETS / 2 - 1, ZW_SERIES_BUCKETS);
  double before = -1;
  for (int32_t i = 0; i < series->count; i++) {
    ZwPoint points[ZW_SERIES_BUCKET_POINTS];
    int32_t count = zw_series_points(series, i, points);
    assert_in_range(count, 1, 4);
    for (int32_t k = 0; k < count; k++) {
      assert_true(points[k].t > before); /* in order, none twice */
      before = points[k].t;
      int c = (int)(points[k].t / 20 * COLUMNS);
      got_low[c] = fmin(got_low[c], points[k].y);
      got_high[c] = fmax(got_high[c], points[k].y);
    }
  }
  double range_low, range_high;
  assert_true(zw_series_range(series, &range_low, &range_high));
  for (int c = 0; c < COLUMNS; c++) {
    /* a bucket across a column's border gives its extreme to one side only */
    assert_true(got_low[c] >= low[c] && got_low[c] - low[c] < 0.02);
    assert_true(got_high[c] <= high[c] && high[c] - got_high[c] < 0.02);
  }
  assert_true(range_high > 4 && range_high == high[(int)(777777.0 / SAMPLES * COLUMNS)]);
  assert_true(series->buckets[0].first.t == 0);
  assert_true(series->buckets[series->count - 1].last.t == 20.0 * (SAMPLES - 1) / SAMPLES);
  free(series);
}

/* A million samples within a moment leave the rest of the curve as fine as it was. */
static void test_burst_does_not_thin_the_rest(void** state) {
  (void)state;
  ZwSeries* series = new_series(256);
  for (int i = 0; i <= 50; i++) zw_series_add(series, i, 0);
  for (int i = 1; i < 1000000; i++) zw_series_add(series, 50 + i * 1e-9, 1);
  for (int i = 51; i <= 100; i++) zw_series_add(series, i, 0);
  assert_in_range(series->count, 100, 256);
  free(series);
}

static void test_nan_breaks_the_line(void** state) {
  (void)state;
  ZwSeries* series = new_series(16);
  zw_series_add(series, -1, NAN);
  zw_series_add(series, 0, 1);
  zw_series_add(series, 1, 2);
  zw_series_add(series, 2, NAN);
  zw_series_add(series, 3, INFINITY);
  zw_series_add(series, 4, 3);
  zw_series_add(series, 9, NAN);
  assert_int_equal(series->count, 3);
  assert_false(series->buckets[1].after_break);
  assert_true(series->buckets[2].after_break);
  assert_true(series->t_low == -1 && series->t_high == 9);
  free(series);
}

/* Long breaks survive merging. */
static void test_breaks_survive(void** state) {
  (void)state;
  ZwSeries* series = new_series(64);
  for (int i = 0; i < 100000; i++) zw_series_add(series, i, i / 10000 % 2 ? NAN : 1.0);
  int breaks = 0;
  for (int32_t i = 1; i < series->count; i++) breaks += series->buckets[i].after_break;
  assert_int_equal(breaks, 4);
  free(series);
}

static void test_order_within_a_moment(void** state) {
  (void)state;
  /* before and after an impact have the same time: the order of arrival counts */
  ZwSeries* series = new_series(4);
  const double values[] = {0, 5, -5, 1};
  for (int i = 0; i < 4; i++) zw_series_add(series, 1, values[i]);
  for (int i = 0; i < 3; i++) zw_series_add(series, 1, 1);
  ZwPoint points[ZW_SERIES_BUCKET_POINTS];
  double seen[16];
  int count = 0;
  for (int32_t i = 0; i < series->count; i++) {
    int32_t n = zw_series_points(series, i, points);
    for (int32_t k = 0; k < n && count < 16; k++) seen[count++] = points[k].y;
  }
  assert_true(count >= 4 && seen[0] == 0 && seen[1] == 5 && seen[2] == -5 && seen[3] == 1);
  free(series);
}

static void test_any_times_stay_bounded(void** state) {
  (void)state;
  ZwSeries* series = new_series(16);
  for (int i = 0; i < 10000; i++) {
    zw_series_add(series, i % 3 ? i : -1e308 * (i % 7), i);
    assert_in_range(series->count, 1, 16);
  }
  for (int i = 0; i < 1000; i++) {
    zw_series_add(series, 1e308 * (i % 2 ? 1 : -1), 1);
    zw_series_add(series, NAN, 1);
    assert_in_range(series->count, 1, 16);
  }
  free(series);
}

static void test_empty_has_no_range(void** state) {
  (void)state;
  ZwSeries* series = new_series(4);
  double low, high;
  assert_false(zw_series_range(series, &low, &high));
  zw_series_add(series, 0, NAN);
  assert_false(zw_series_range(series, &low, &high));
  free(series);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_series_is_kept_exactly),
      cmocka_unit_test(test_long_series_looks_the_same),
      cmocka_unit_test(test_burst_does_not_thin_the_rest),
      cmocka_unit_test(test_nan_breaks_the_line),
      cmocka_unit_test(test_breaks_survive),
      cmocka_unit_test(test_order_within_a_moment),
      cmocka_unit_test(test_any_times_stay_bounded),
      cmocka_unit_test(test_empty_has_no_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
