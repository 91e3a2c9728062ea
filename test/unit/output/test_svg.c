#include "output/svg.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "output/path.h"
#include "output/xml.h"
#include "scratch.h"

static ZwSeries* new_series(void) {
  return zw_series_init(malloc(zw_series_size(ZW_SERIES_BUCKETS)), ZW_SERIES_BUCKETS);
}

static ZwSeries* sine(int samples) {
  ZwSeries* series = new_series();
  for (int i = 0; i <= samples; i++) zw_series_add(series, 10.0 * i / samples, sin(10.0 * i / samples));
  return series;
}

static int occurrences(const char* text, const char* what) {
  int count = 0;
  for (const char* at = text; (at = strstr(at, what)); at += strlen(what)) count++;
  return count;
}

/* The plot as text, in an arena of its own. */
static const char* draw(ZwArena* arena, const ZwSvgPlot* plot) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(arena, &allocator);
  ZwText text;
  zw_text_init(&text, arena);
  zw_svg_text(&text, plot);
  assert_false(arena->failed);
  return zw_text_get(&text);
}

static void test_panels(void** state) {
  (void)state;
  ZwSeries* series = sine(500);
  ZwSvgCurve curve = {series};
  ZwSvgPanel panels[ZW_SVG_PANELS];
  for (int i = 0; i < ZW_SVG_PANELS; i++) panels[i] = (ZwSvgPanel){"coupler.at.x'", &curve, 1};
  for (int count = 1; count <= ZW_SVG_PANELS; count++) {
    ZwSvgPlot plot = {.title = "four-bar", .panels = panels, .panel_count = count};
    ZwArena arena;
    const char* text = draw(&arena, &plot);
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_string_equal(text + strlen(text) - 7, "</svg>\n");
    assert_int_equal(occurrences(text, ">coupler.at.x'<"), count);
    assert_int_equal(occurrences(text, ">four-bar<"), 2); /* drawn, and the document's title */
    assert_int_equal(occurrences(text, "stroke=\"#0072b2\""), count);
    assert_int_equal(occurrences(text, ">t</text>"), count > 3 ? 2 : 1); /* one time axis per column */
    assert_int_equal(occurrences(text, "<g"), occurrences(text, "</g>"));
    assert_int_equal(occurrences(text, "nan") + occurrences(text, "inf"), 0);
    assert_true(strlen(text) < (size_t)count * 5000 + 1000);
    zw_arena_destroy(&arena);
  }
  free(series);
}

static void test_texts_are_escaped(void** state) {
  (void)state;
  ZwSeries* series = sine(10);
  ZwSvgCurve curve = {series};
  ZwSvgPanel panel = {"a<b & \"c\"\x01\xFF", &curve, 1};
  ZwSvgPlot plot = {.title = "<script>", .panels = &panel, .panel_count = 1, .footnote = "1 & 2"};
  ZwArena arena;
  const char* text = draw(&arena, &plot);
  assert_non_null(strstr(text, ">a&lt;b &amp; &quot;c&quot;\uFFFD\uFFFD<"));
  assert_int_equal(occurrences(text, "&lt;script&gt;"), 2);
  assert_null(strstr(text, "<script>"));
  assert_non_null(strstr(text, ">1 &amp; 2<"));
  zw_arena_destroy(&arena);
  free(series);
}

static void test_long_texts_are_clipped_or_wrapped(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  zw_xml_add_clipped(&text, ZW_STR("αβγδεζηθ"), 5);
  zw_xml_add_clipped(&text, ZW_STR(" 12345"), 6);
  assert_string_equal(zw_text_get(&text), "αβ…ηθ 12345");
  zw_arena_destroy(&arena);

  ZwSeries* series = sine(10);
  ZwSvgCurve curve = {series};
  char name[400], footnote[600];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  for (size_t i = 0; i + 1 < sizeof footnote; i++) footnote[i] = i % 8 == 7 ? ' ' : 'w';
  footnote[sizeof footnote - 1] = 0;
  ZwSvgPanel panel = {name, &curve, 1};
  ZwSvgPlot plot = {.title = name, .panels = &panel, .panel_count = 1, .footnote = footnote};
  const char* svg = draw(&arena, &plot);
  assert_int_equal(occurrences(svg, "nnn…nnn"), 2);
  assert_int_equal(occurrences(svg, "wwwwwww"), 75); /* no word is lost or cut */
  assert_in_range(occurrences(svg, ">wwwwwww "), 4, 8);
  zw_arena_destroy(&arena);
  free(series);
}

static void test_odd_data(void** state) {
  (void)state;
  enum { COUNT = 8 };
  const double values[COUNT][3] = {{NAN, NAN, NAN},
                                   {3, 3, 3},
                                   {1, NAN, NAN},
                                   {1e300, -1e300, 1.7e308},
                                   {1e-300, 3e-300, 2e-300},
                                   {1e9, 1e9 + 1e-3, 1e9},
                                   {0, 0, 0},
                                   {-1.7976931348623157e308, 0, 1.7976931348623157e308}};
  for (int i = 0; i < COUNT; i++) {
    ZwSeries* series = new_series();
    for (int k = 0; k < 3; k++) zw_series_add(series, k, values[i][k]);
    ZwSvgCurve curve = {series};
    ZwSvgPanel panel = {"y", &curve, 1};
    ZwSvgPlot plot = {.panels = &panel, .panel_count = 1};
    ZwArena arena;
    const char* text = draw(&arena, &plot);
    assert_int_equal(occurrences(text, "no finite values"), i == 0);
    assert_int_equal(occurrences(text, "stroke-width=\"1.5\""), i != 0 && i != 2);
    assert_int_equal(occurrences(text, "stroke-width=\"5\""), i == 2); /* a single point is a dot */
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "922337203685477"));
    zw_arena_destroy(&arena);
    free(series);
  }
  ZwSeries* empty = new_series();
  ZwSvgCurve curve = {empty};
  ZwSvgPanel panel = {"y", &curve, 1};
  ZwSvgPlot plot = {.panels = &panel, .panel_count = 1};
  ZwArena arena;
  assert_int_equal(occurrences(draw(&arena, &plot), "no finite values"), 1);
  zw_arena_destroy(&arena);
  free(empty);
}

static void test_numbers(void** state) {
  (void)state;
  const struct {
    int64_t value;
    const char* text;
  } cases[] = {{0, "0"}, {5, ".05"}, {-50, "-.5"}, {325, "3.25"}, {-300, "-3"}, {1001, "10.01"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ZwAllocator allocator = zw_allocator_default();
    ZwArena arena;
    zw_arena_init(&arena, &allocator);
    ZwText text;
    zw_text_init(&text, &arena);
    zw_path_number(&text, cases[i].value);
    assert_string_equal(zw_text_get(&text), cases[i].text);
    zw_arena_destroy(&arena);
  }
}

/* Height of the drawn line at every given point, read back from the path data `M x y l dx dy ...`. */
static void assert_passes(const char* data, const ZwPathPoint* points, int count) {
  char* at = NULL;
  double x = strtod(data + 1, &at), y = strtod(at, &at);
  assert_int_equal(*at++, 'l');
  int i = 0;
  while (*at) {
    double dx = strtod(at, &at), dy = strtod(at, &at);
    assert_true(dx >= 0);
    for (; i < count && (double)points[i].x <= 100 * (x + dx) + 1e-6; i++) {
      double part = dx > 0 ? ((double)points[i].x / 100 - x) / dx : 1;
      assert_true(fabs(y + part * dy - (double)points[i].y / 100) < ZW_PATH_TOL / 100.0 + 1e-6);
    }
    x += dx;
    y += dy;
  }
  assert_int_equal(i, count);
}

static void test_path_is_short_and_true(void** state) {
  (void)state;
  enum { COUNT = 4000 };
  static ZwPathPoint points[COUNT];
  ZwAllocator allocator = zw_allocator_default();
  for (int round = 0; round < 3; round++) {
    ZwArena arena;
    zw_arena_init(&arena, &allocator);
    ZwText lines, dots;
    zw_text_init(&lines, &arena);
    zw_text_init(&dots, &arena);
    ZwPath path;
    zw_path_init(&path, &lines, &dots);
    uint32_t noise = 1;
    for (int i = 0; i < COUNT; i++) {
      noise = noise * 1664525u + 1013904223u;
      double y = round == 0 ? i : round == 1 ? 7000 + 7000 * sin(i / 300.0) : noise >> 20;
      points[i] = (ZwPathPoint){1000 + 10 * i, (int64_t)y};
      zw_path_add(&path, points[i]);
    }
    zw_path_break(&path);
    assert_int_equal(dots.size, 0);
    assert_passes(zw_text_get(&lines), points, COUNT);
    if (round == 0) assert_string_equal(zw_text_get(&lines), "M10 0l399.9 39.99");
    if (round == 1) assert_in_range(lines.size, 100, 4000);
    zw_arena_destroy(&arena);
  }
}

static void test_path_keeps_jumps_and_breaks(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText lines, dots;
  zw_text_init(&lines, &arena);
  zw_text_init(&dots, &arena);
  ZwPath path;
  zw_path_init(&path, &lines, &dots);
  const ZwPathPoint step[] = {{0, 0}, {100, 0}, {200, 0}, {200, 500}, {200, -500}, {300, -500}};
  for (int i = 0; i < 6; i++) zw_path_add(&path, step[i]);
  zw_path_break(&path);
  zw_path_add(&path, (ZwPathPoint){400, 100});
  zw_path_break(&path);
  zw_path_add(&path, (ZwPathPoint){500, 0});
  zw_path_add(&path, (ZwPathPoint){600, 0});
  zw_path_break(&path);
  zw_path_break(&path);
  assert_string_equal(zw_text_get(&lines), "M0 0l2 0 0 5 0-10 1 0M5 0l1 0");
  assert_string_equal(zw_text_get(&dots), "M4 1h0");
  zw_arena_destroy(&arena);
}

static void test_file(void** state) {
  (void)state;
  ZwSeries* series = sine(100);
  ZwSvgCurve curve = {series};
  ZwSvgPanel panel = {"x", &curve, 1};
  ZwSvgPlot plot = {.title = "m", .panels = &panel, .panel_count = 1};
  ZwAllocator allocator = zw_allocator_default();
  char path[SCRATCH_PATH], part[SCRATCH_PATH], error[ZW_DRAFT_ERROR];
  int next_fd = scratch_next_fd();
  assert_int_equal(zw_svg_plot(&plot, &allocator, scratch_path(path, "m.svg"), error), ZW_OK);
  assert_string_equal(error, "");
  char* got = scratch_read(path);
  ZwArena arena;
  assert_string_equal(got, draw(&arena, &plot));
  zw_arena_destroy(&arena);
  free(got);
  assert_int_not_equal(access(scratch_path(part, "m.svg.part"), F_OK), 0);
  /* and where it cannot be written */
  assert_int_equal(zw_svg_plot(&plot, &allocator, "/dev/full", error), ZW_ERR_IO);
  assert_non_null(strstr(error, "/dev/full"));
  assert_non_null(strstr(error, strerror(ENOSPC)));
  assert_int_equal(zw_svg_plot(&plot, &allocator, scratch_folder, error), ZW_ERR_IO);
  assert_int_equal(zw_svg_plot(&plot, &allocator, scratch_path(path, "none/m.svg"), error), ZW_ERR_IO);
  assert_non_null(strstr(error, "none/m.svg.part"));
  assert_int_equal(scratch_next_fd(), next_fd);
  free(series);
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
  ((Counting*)context)->live--;
  free(memory);
}

static void test_memory(void** state) {
  (void)state;
  ZwSeries* series = sine(2000);
  ZwSvgCurve curve = {series};
  ZwSvgPanel panel = {"x", &curve, 1};
  ZwSvgPlot plot = {.title = "m", .panels = &panel, .panel_count = 1};
  char path[SCRATCH_PATH], error[ZW_DRAFT_ERROR];
  scratch_path(path, "memory.svg");
  ZwStatus status = ZW_ERR_MEMORY;
  for (int n = 1; status; n++) {
    Counting counting = {.fail_at = n};
    ZwAllocator allocator = {counting_alloc, counting_release, &counting};
    status = zw_svg_plot(&plot, &allocator, path, error);
    assert_int_equal(counting.live, 0);
    assert_int_equal(status, counting.calls < n ? ZW_OK : ZW_ERR_MEMORY);
    assert_int_equal(access(path, F_OK) == 0, status == ZW_OK);
  }
  free(series);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_panels),
      cmocka_unit_test(test_texts_are_escaped),
      cmocka_unit_test(test_long_texts_are_clipped_or_wrapped),
      cmocka_unit_test(test_odd_data),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_path_is_short_and_true),
      cmocka_unit_test(test_path_keeps_jumps_and_breaks),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
