#include "output/sketch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"

static ZwSeries* new_series(void) {
  return zw_series_init(malloc(zw_series_size(ZW_SERIES_BUCKETS)), ZW_SERIES_BUCKETS);
}

static const char* sketch(ZwArena* arena, const ZwSvgCurve* curve, const char* against, bool is_log, bool is_utf8) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(arena, &allocator);
  ZwText text;
  zw_text_init(&text, arena);
  ZwSvgPanel panel = {.curves = curve, .curve_count = 1, .against = against};
  ZwSvgPlot plot = {.panels = &panel, .panel_count = 1, .is_log_up = is_log};
  zw_sketch_text(&text, &plot, is_utf8);
  assert_false(arena->failed);
  return zw_text_get(&text);
}

static void test_ascii(void** state) {
  (void)state;
  ZwSeries* series = new_series();
  zw_series_add(series, 0, 0);
  zw_series_add(series, 59, 15);
  ZwSvgCurve curve = {.name = "y", .series = series};
  ZwArena arena;
  assert_string_equal(sketch(&arena, &curve, NULL, false, false),
                      "  y\n"
                      "          15 |                                                      ....''\n"
                      "             |                                              ....''''\n"
                      "             |                                      ....''''\n"
                      "             |                              ....''''\n"
                      "             |                      ....''''\n"
                      "             |              ....''''\n"
                      "             |      ....''''\n"
                      "           0 |..''''\n"
                      "              t = 0                                                     59\n" +
                          0);
  zw_arena_destroy(&arena);
  free(series);
}

/* Every line is as wide as it may be, and all of it is UTF-8. */
static void test_braille(void** state) {
  (void)state;
  ZwSeries* series = new_series();
  for (int i = 0; i <= 1000; i++) zw_series_add(series, 0.01 * i, sin(0.01 * i));
  ZwSvgCurve curve = {.name = "φ", .series = series};
  ZwArena arena;
  const char* text = sketch(&arena, &curve, NULL, false, true);
  int count = 0;
  for (const char* line = text; *line; count++) {
    const char* end = strchr(line, '\n');
    assert_non_null(end);
    int32_t chars = zw_utf8_count(line, end - line);
    assert_true(chars <= 14 + ZW_SKETCH_WIDTH);
    line = end + 1;
  }
  assert_int_equal(count, 1 + ZW_SKETCH_HEIGHT + 1);
  assert_non_null(strstr(text, "  φ\n           1 \u2502"));
  assert_non_null(strstr(text, "t = 0"));
  /* the first maximum is in the first row, the minimum in the last */
  assert_non_null(strstr(text, "\u28e0\u2824\u2812") ? text : strstr(text, "\u2809"));
  zw_arena_destroy(&arena);
  free(series);
}

static void test_special_values(void** state) {
  (void)state;
  const struct {
    double y[3];
    bool is_log;
    const char* words;
  } cases[] = {{{NAN, NAN, NAN}, false, "no finite values"},
               {{NAN, NAN, NAN}, true, "no positive values"},
               {{3, 3, 3}, false, "           3 |............................................................"},
               {{1, NAN, NAN}, false, "           1 |"},
               {{-1e300, 1e308, 0}, false, "1e+308 |"},
               {{0, 1e-12, 0}, false, "1e-12 |"},
               {{-1e-17, 1, 0}, false, "           0 |"},
               {{-3, 0, 3}, true, "        1000 |"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ZwSeries* series = new_series();
    for (int k = 0; k < 3; k++) zw_series_add(series, k, cases[i].y[k]);
    ZwSvgCurve curve = {.name = "y", .series = series};
    ZwArena arena;
    const char* text = sketch(&arena, &curve, NULL, cases[i].is_log, false);
    if (!strstr(text, cases[i].words)) fail_msg("no '%s' in:\n%s", cases[i].words, text);
    zw_arena_destroy(&arena);
    (void)sketch(&arena, &curve, NULL, cases[i].is_log, true);
    zw_arena_destroy(&arena);
    free(series);
  }
}

static void test_against(void** state) {
  (void)state;
  ZwTrace* trace = zw_trace_init(malloc(zw_trace_size(64)), 64);
  for (int i = 0; i <= 40; i++) zw_trace_add(trace, 5 * cos(i), 2 * sin(i));
  zw_trace_flush(trace);
  ZwSvgCurve curve = {.name = "y", .trace = trace};
  ZwArena arena;
  const char* text = sketch(&arena, &curve, "x", false, false);
  assert_non_null(strstr(text, "  y against x\n"));
  assert_non_null(strstr(text, "x = -4.99"));
  zw_arena_destroy(&arena);
  free(trace);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ascii),
      cmocka_unit_test(test_braille),
      cmocka_unit_test(test_special_values),
      cmocka_unit_test(test_against),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
