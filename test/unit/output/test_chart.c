#include "output/chart.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const int32_t columns[] = {1, 2, 0};
static const char* const names[] = {"x", "y", "t"};

/* Two over time together, and one against another. */
static const ZwPlot plots[] = {{columns, names, 2, 0, "t", false}, {columns, names, 1, 2, "y", true}};

static void test_rows_become_curves(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwChart* chart = zw_chart_create(&allocator, plots, 2, false, false);
  for (int i = 0; i <= 10; i++) zw_chart_row(chart, (double[]){i, 2.0 * i, -3.0 * i}, i == 4 ? "kick" : "");
  const ZwSvgPlot* plot = zw_chart_plot(chart);
  assert_int_equal(plot->panel_count, 2);
  const ZwSvgPanel *over = &plot->panels[0], *against = &plot->panels[1];
  assert_true(over->curve_count == 2 && !over->against && !over->is_equal);
  assert_true(against->curve_count == 1 && against->is_equal);
  assert_string_equal(against->against, "y");
  assert_string_equal(over->curves[1].name, "y");
  double low, high;
  assert_true(zw_series_range(over->curves[1].series, &low, &high) && low == -30 && high == 0);
  const ZwTrace* trace = against->curves[0].trace;
  assert_true(trace->x_low == -30 && trace->x_high == 0 && trace->y_low == 0 && trace->y_high == 20);
  assert_true(plot->marks->count == 1 && plot->marks->marks[0].t == 4);
  zw_chart_destroy(chart);
}

/* On a logarithmic axis what is not positive is left out and counted; what is not finite was never there. */
static void test_logarithmic(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwChart* chart = zw_chart_create(&allocator, plots, 2, false, true);
  const double rows[][3] = {{0, 100, 1}, {1, 0, 1}, {2, -5, 1}, {3, NAN, 1}, {4, 1e-3, 1}};
  for (int i = 0; i < 5; i++) zw_chart_row(chart, rows[i], "");
  assert_int_equal(zw_chart_points_lost(chart), 4); /* two in each panel */
  const ZwSvgPlot* plot = zw_chart_plot(chart);
  assert_true(plot->is_log_up && !plot->is_log_across);
  double low, high;
  assert_true(zw_series_range(plot->panels[0].curves[0].series, &low, &high));
  assert_true(fabs(low + 3) < 1e-12 && fabs(high - 2) < 1e-12);
  assert_int_equal(plot->panels[0].curves[0].series->count, 2);
  assert_true(plot->panels[0].curves[0].series->buckets[1].after_break);
  zw_chart_destroy(chart);
}

static void test_limits(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  static int32_t many[40];
  static const char* many_names[40];
  ZwPlot all[20];
  for (int i = 0; i < 40; i++) many[i] = 1, many_names[i] = "x";
  for (int i = 0; i < 20; i++) all[i] = (ZwPlot){many, many_names, i == 3 ? 40 : 1, 0, "t", false};
  ZwChart* chart = zw_chart_create(&allocator, all, 20, false, false);
  assert_int_equal(zw_chart_panels_more(chart), 20 - ZW_SVG_PANELS);
  assert_int_equal(zw_chart_curves_more(chart), 40 - ZW_SVG_CURVES);
  assert_int_equal(zw_chart_plot(chart)->panel_count, ZW_SVG_PANELS);
  zw_chart_destroy(chart);
}

typedef struct Counting {
  int calls, fail_at, live;
} Counting;

static void* counting_alloc(void* context, size_t size) {
  Counting* counting = context;
  if (++counting->calls == counting->fail_at) return NULL;
  counting->live++;
  return malloc(size);
}

static void counting_release(void* context, void* memory) {
  if (memory) ((Counting*)context)->live--;
  free(memory);
}

static void test_memory(void** state) {
  (void)state;
  ZwChart* chart = NULL;
  for (int n = 1; !chart; n++) {
    Counting counting = {.fail_at = n};
    ZwAllocator allocator = {counting_alloc, counting_release, &counting};
    chart = zw_chart_create(&allocator, plots, 2, false, false);
    if (!chart) assert_int_equal(counting.live, 0);
    if (!chart) continue;
    assert_int_equal(counting.calls, 4);
    zw_chart_destroy(chart);
    assert_int_equal(counting.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_become_curves),
      cmocka_unit_test(test_logarithmic),
      cmocka_unit_test(test_limits),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
