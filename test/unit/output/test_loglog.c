#include "output/loglog.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int occurrences(const char* text, const char* what) {
  int count = 0;
  for (const char* at = text; (at = strstr(at, what)); at += strlen(what)) count++;
  return count;
}

static const char* draw(ZwArena* arena, const ZwLogPlot* plot) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(arena, &allocator);
  ZwText text;
  zw_text_init(&text, arena);
  zw_loglog_text(&text, plot);
  assert_false(arena->failed);
  return zw_text_get(&text);
}

static const char* const legend[] = {"explicit", "a < b"};

/* x = 10, 100, 1000 over y = 1, 1e-4, 1e-8: corners and middle of the frame. */
static void test_places(void** state) {
  (void)state;
  ZwLogPoint points[] = {{10, 1}, {100, 1e-4}, {1000, 1e-8}};
  ZwLogCurve curve = {0, points, 3};
  ZwLogPanel panel = {"kepler", &curve, 1};
  ZwLogPlot plot = {"effort", "evaluations", "error", legend, 1, &panel, 1};
  ZwArena arena;
  const char* text = draw(&arena, &plot);
  assert_non_null(strstr(text, "d=\"M78.00 74.00L243.00 189.00L408.00 304.00\""));
  assert_int_equal(occurrences(text, ">kepler<") + occurrences(text, ">evaluations<") + occurrences(text, ">error<"),
                   3);
  /* powers 1, 2, 3 across; 0, -2, -4, -6, -8 up */
  assert_int_equal(occurrences(text, ">10<tspan"), 3 + 5);
  zw_arena_destroy(&arena);
}

/* What has no logarithm is left out, the rest is drawn. */
static void test_what_has_no_place(void** state) {
  (void)state;
  ZwLogPoint points[] = {{10, 0}, {20, NAN}, {-1, 1}, {INFINITY, 1}, {50, 1e-3}};
  ZwLogCurve curves[] = {{0, points, 5}, {1, points, 4}};
  ZwLogPanel panels[] = {{"some", curves, 1}, {"none", curves + 1, 1}};
  ZwLogPlot plot = {"a & b", "x", "y", legend, 2, panels, 2};
  ZwArena arena;
  const char* text = draw(&arena, &plot);
  assert_int_equal(occurrences(text, "nan") + occurrences(text, "inf"), 0);
  assert_int_equal(occurrences(text, ">a &amp; b<"), 2);
  assert_int_equal(occurrences(text, ">a &lt; b<"), 1);
  assert_int_equal(occurrences(text, "m-4-4h8v8h-8z"), 2); /* one point, one in the legend */
  zw_arena_destroy(&arena);
}

static void test_failure_is_said(void** state) {
  (void)state;
  ZwLogPoint point = {1, 1};
  ZwLogCurve curve = {0, &point, 1};
  ZwLogPanel panel = {"p", &curve, 1};
  ZwLogPlot plot = {"t", "x", "y", legend, 1, &panel, 1};
  ZwAllocator allocator = zw_allocator_default();
  char error[ZW_DRAFT_ERROR];
  assert_int_equal(zw_loglog_plot(&plot, &allocator, "no such folder/chart.svg", error), ZW_ERR_IO);
  assert_non_null(strstr(error, "no such folder"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_what_has_no_place),
      cmocka_unit_test(test_failure_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
