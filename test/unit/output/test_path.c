#include "output/path.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct Written {
  ZwArena arena;
  ZwText lines, dots;
  ZwPath path;
} Written;

static void begin(Written* written) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&written->arena, &allocator);
  zw_text_init(&written->lines, &written->arena);
  zw_text_init(&written->dots, &written->arena);
  zw_path_init(&written->path, &written->lines, &written->dots);
}

static void test_numbers(void** state) {
  (void)state;
  const struct {
    int64_t value;
    const char* text;
  } cases[] = {{0, "0"}, {5, ".05"}, {-50, "-.5"}, {325, "3.25"}, {-300, "-3"}, {1001, "10.01"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    Written written;
    begin(&written);
    zw_path_number(&written.lines, cases[i].value);
    assert_string_equal(zw_text_get(&written.lines), cases[i].text);
    zw_arena_destroy(&written.arena);
  }
}

static double distance(double px, double py, double ax, double ay, double bx, double by) {
  double dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
  double part = square > 0 ? ((px - ax) * dx + (py - ay) * dy) / square : 0;
  part = fmin(fmax(part, 0), 1);
  return hypot(px - ax - part * dx, py - ay - part * dy);
}

/* Every point lies near the line that is written, in the same order; read back from `M x y l dx dy ...`. */
static void assert_passes(const char* data, const ZwPathPoint* points, int count) {
  char* at = NULL;
  double x = strtod(data + 1, &at), y = strtod(at, &at);
  assert_int_equal(*at++, 'l');
  int i = 0;
  while (*at) {
    double dx = strtod(at, &at), dy = strtod(at, &at);
    while (i < count && distance((double)points[i].x / 100, (double)points[i].y / 100, x, y, x + dx, y + dy) <=
                            ZW_PATH_TOL / 100.0 + 1e-9) {
      i++;
    }
    x += dx;
    y += dy;
  }
  assert_int_equal(i, count);
  assert_true(fabs(x - (double)points[count - 1].x / 100) < 1e-9 && fabs(y - (double)points[count - 1].y / 100) < 1e-9);
}

/* A line, a sine, noise, a spiral, and a curve that goes to and fro on itself. */
static ZwPathPoint shape(int kind, int i, uint32_t noise) {
  double a = i / 300.0;
  switch (kind) {
    case 0:
      return (ZwPathPoint){1000 + 10 * i, i};
    case 1:
      return (ZwPathPoint){1000 + 10 * i, (int64_t)(7000 + 7000 * sin(a))};
    case 2:
      return (ZwPathPoint){1000 + 10 * i, noise >> 20};
    case 3:
      return (ZwPathPoint){(int64_t)(2000 * a * cos(5 * a)), (int64_t)(2000 * a * sin(5 * a))};
    default:
      return (ZwPathPoint){(int64_t)(20000 * sin(3 * a)), (int64_t)(5000 * sin(3 * a))};
  }
}

static void test_short_and_true(void** state) {
  (void)state;
  enum { COUNT = 4000 };
  static ZwPathPoint points[COUNT];
  for (int kind = 0; kind < 5; kind++) {
    Written written;
    begin(&written);
    uint32_t noise = 1;
    for (int i = 0; i < COUNT; i++) {
      noise = noise * 1664525u + 1013904223u;
      points[i] = shape(kind, i, noise);
      zw_path_add(&written.path, points[i]);
    }
    zw_path_break(&written.path);
    assert_int_equal(written.dots.size, 0);
    assert_passes(zw_text_get(&written.lines), points, COUNT);
    if (kind == 0) assert_string_equal(zw_text_get(&written.lines), "M10 0l399.9 39.99");
    if (kind == 1) assert_in_range(written.lines.size, 100, 4000);
    if (kind == 3) assert_in_range(written.lines.size, 1000, 16000);
    if (kind == 4) assert_in_range(written.lines.size, 100, 2000); /* hardly more than its turns */
    zw_arena_destroy(&written.arena);
  }
}

static void test_keeps_jumps_and_breaks(void** state) {
  (void)state;
  Written written;
  begin(&written);
  const ZwPathPoint step[] = {{0, 0}, {100, 0}, {200, 0}, {200, 500}, {200, -500}, {300, -500}};
  for (int i = 0; i < 6; i++) zw_path_add(&written.path, step[i]);
  zw_path_break(&written.path);
  zw_path_add(&written.path, (ZwPathPoint){400, 100});
  zw_path_break(&written.path);
  zw_path_add(&written.path, (ZwPathPoint){500, 0});
  zw_path_add(&written.path, (ZwPathPoint){600, 0});
  zw_path_break(&written.path);
  zw_path_break(&written.path);
  assert_string_equal(zw_text_get(&written.lines), "M0 0l2 0 0 5 0-10 1 0M5 0l1 0");
  assert_string_equal(zw_text_get(&written.dots), "M4 1h0");
  zw_arena_destroy(&written.arena);
}

/* A tip is not cut off, however thin it is. */
static void test_keeps_tips(void** state) {
  (void)state;
  Written written;
  begin(&written);
  const ZwPathPoint step[] = {{0, 0}, {500, 0}, {1000, 1}, {700, 1}, {400, 2}, {800, 2}};
  for (int i = 0; i < 6; i++) zw_path_add(&written.path, step[i]);
  zw_path_break(&written.path);
  assert_string_equal(zw_text_get(&written.lines), "M0 0l10 .01-6 .01 4 0");
  zw_arena_destroy(&written.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_short_and_true),
      cmocka_unit_test(test_keeps_jumps_and_breaks),
      cmocka_unit_test(test_keeps_tips),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
