#include "output/trace.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ZwTrace* new_trace(int32_t capacity) {
  return zw_trace_init(malloc(zw_trace_size(capacity)), capacity);
}

static void test_short_trace_is_kept_exactly(void** state) {
  (void)state;
  ZwTrace* trace = new_trace(64);
  for (int i = 0; i < 60; i++) zw_trace_add(trace, cos(i), i == 30 ? NAN : sin(2.0 * i));
  zw_trace_flush(trace);
  assert_int_equal(trace->count, 59);
  for (int i = 0; i < 59; i++) {
    int k = i < 30 ? i : i + 1;
    assert_true(trace->points[i].x == cos(k) && trace->points[i].y == sin(2.0 * k));
    assert_int_equal(trace->points[i].after_break, i == 0 || i == 30);
  }
  free(trace);
}

/* ---- a picture of pixels, drawn with all samples and with what is kept ---- */

enum { WIDTH = 640, HEIGHT = 420 };

typedef struct Pixels {
  bool is_set[HEIGHT][WIDTH];
  bool has_pen;
  double x, y;
} Pixels;

static Pixels all, kept;

/* (x, y) in -1 .. 1 */
static void draw_to(Pixels* pixels, double x, double y) {
  x = (x + 1) / 2 * (WIDTH - 1);
  y = (y + 1) / 2 * (HEIGHT - 1);
  double from_x = pixels->has_pen ? pixels->x : x, from_y = pixels->has_pen ? pixels->y : y;
  int steps = (int)ceil(2 * fmax(fabs(x - from_x), fabs(y - from_y)));
  for (int i = 0; i <= steps; i++) {
    double part = steps ? (double)i / steps : 0;
    pixels->is_set[lround(from_y + part * (y - from_y))][lround(from_x + part * (x - from_x))] = true;
  }
  pixels->has_pen = true;
  pixels->x = x;
  pixels->y = y;
}

static bool is_near(const Pixels* pixels, int row, int column) {
  for (int y = row - 1; y <= row + 1; y++) {
    for (int x = column - 1; x <= column + 1; x++) {
      if (y >= 0 && y < HEIGHT && x >= 0 && x < WIDTH && pixels->is_set[y][x]) return true;
    }
  }
  return false;
}

/* Nothing is missing and nothing is there that was not, by more than a pixel. */
static void assert_same_picture(const ZwTrace* trace) {
  memset(&kept, 0, sizeof kept);
  for (int32_t i = 0; i < trace->count; i++) {
    if (trace->points[i].after_break) kept.has_pen = false;
    draw_to(&kept, trace->points[i].x, trace->points[i].y);
  }
  int missing = 0, more = 0;
  for (int y = 0; y < HEIGHT; y++) {
    for (int x = 0; x < WIDTH; x++) {
      missing += all.is_set[y][x] && !is_near(&kept, y, x);
      more += kept.is_set[y][x] && !is_near(&all, y, x);
    }
  }
  if (missing || more) fail_msg("%d pixels missing, %d too many", missing, more);
}

/* What a curve is at sample i: turns on itself, a torus that fills a ring, beats, a growing spiral, a circle in large steps. */
static void curve(int kind, int i, double* x, double* y) {
  double t = i * 1e-3, r;
  switch (kind) {
    case 0:
      *x = 0.9 * cos(7 * t), *y = 0.9 * sin(7 * t + 0.3 * sin(7 * t));
      return;
    case 1:
      r = 0.7 + 0.25 * sin(sqrt(2) * 40 * t);
      *x = r * cos(40 * t), *y = r * sin(40 * t);
      return;
    case 2:
      *x = 0.9 * sin(3 * t), *y = 0.9 * sin(sqrt(3) * 5 * t);
      return;
    case 3:
      r = 0.95 * exp((t - 1000) / 60);
      *x = r * cos(9 * t), *y = r * sin(9 * t);
      return;
    default:
      *x = 0.9 * cos(2.4 * i), *y = 0.9 * sin(2.4 * i);
  }
}

static void test_long_trace_looks_the_same(void** state) {
  (void)state;
  enum { SAMPLES = 1000000, FEWER = 100000 };
  for (int kind = 0; kind < 5; kind++) {
    int begin = getenv("ZW_LONG") ? 0 : SAMPLES - FEWER;
    ZwTrace* trace = new_trace(ZW_TRACE_POINTS);
    memset(&all, 0, sizeof all);
    for (int i = begin; i <= SAMPLES; i++) {
      double x, y;
      curve(kind, i, &x, &y);
      zw_trace_add(trace, x, y);
      draw_to(&all, x, y);
    }
    zw_trace_flush(trace);
    assert_in_range(trace->count, 10, 25000);
    assert_same_picture(trace);
    free(trace);
  }
}

/* Round and round on the same way: hardly more than one turn is kept. */
static void test_repetition_costs_nothing(void** state) {
  (void)state;
  ZwTrace* trace = new_trace(1024);
  for (int i = 0; i < 500000; i++) zw_trace_add(trace, cos(0.01 * i), sin(0.01 * i));
  zw_trace_flush(trace);
  assert_in_range(trace->count, 50, 1024);
  assert_true(fabs(trace->x_low + 1) < 1e-6 && fabs(trace->x_high - 1) < 1e-6);
  assert_true(fabs(trace->y_low + 1) < 1e-6 && fabs(trace->y_high - 1) < 1e-6);
  free(trace);
}

/* Noise fills everything; memory is what it is, and the corners are reached. */
static void test_noise(void** state) {
  (void)state;
  ZwTrace* trace = new_trace(256);
  uint32_t noise = 1;
  for (int i = 0; i < 20000; i++) {
    double value[2];
    for (int k = 0; k < 2; k++) {
      noise = noise * 1664525u + 1013904223u;
      value[k] = noise / 4294967296.0;
    }
    zw_trace_add(trace, value[0], value[1]);
    if (i % 97 == 0) zw_trace_add(trace, NAN, 0);
    assert_true(trace->count < trace->capacity);
  }
  zw_trace_flush(trace);
  double low = 1, high = 0;
  for (int32_t i = 0; i < trace->count; i++) {
    low = fmin(low, trace->points[i].x);
    high = fmax(high, trace->points[i].x);
  }
  assert_true(low < 0.1 && high > 0.9);
  free(trace);
}

/* Ranges that make cells hard: none, huge, tiny, far from zero. */
static void test_odd_ranges(void** state) {
  (void)state;
  const double ranges[][2] = {{0, 0},           {3, 3},         {-DBL_MAX, DBL_MAX}, {0, 1e-12},
                              {0, 1e12},        {0, 4.94e-324}, {1e9, 1e9 + 1e-6},   {1, 1 + DBL_EPSILON},
                              {-1e-300, 1e-300}};
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
    for (size_t m = 0; m < sizeof ranges / sizeof *ranges; m++) {
      ZwTrace* trace = new_trace(16);
      for (int i = 0; i < 1000; i++) {
        bool is_low = i % 3 == 0, is_right = i % 5 == 0;
        zw_trace_add(trace, ranges[k][is_right], ranges[m][is_low]);
      }
      zw_trace_flush(trace);
      assert_true(trace->has_range && trace->x_low == ranges[k][0] && trace->x_high == ranges[k][1]);
      assert_true(trace->y_low == ranges[m][0] && trace->y_high == ranges[m][1]);
      assert_in_range(trace->count, 1, 16);
      free(trace);
    }
  }
}

static void test_points_and_gaps(void** state) {
  (void)state;
  ZwTrace* trace = new_trace(16);
  /* nothing, then single points only: each is one, also when there are more than fit one by one */
  zw_trace_add(trace, NAN, NAN);
  zw_trace_flush(trace);
  assert_int_equal(trace->count, 0);
  assert_false(trace->has_range);
  for (int i = 0; i < 100; i++) {
    zw_trace_add(trace, i % 4, i % 2);
    zw_trace_add(trace, INFINITY, 0);
  }
  zw_trace_flush(trace);
  assert_in_range(trace->count, 4, 16);
  for (int32_t i = 0; i < trace->count; i++) assert_true(trace->points[i].after_break);
  free(trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_short_trace_is_kept_exactly),
      cmocka_unit_test(test_long_trace_looks_the_same),
      cmocka_unit_test(test_repetition_costs_nothing),
      cmocka_unit_test(test_noise),
      cmocka_unit_test(test_odd_ranges),
      cmocka_unit_test(test_points_and_gaps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
