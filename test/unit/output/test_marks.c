#include "output/marks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "svg_reader.h"

static Svg svg;
static ZwMarks marks;
static const ZwPageFrame frame = {50, 100, 640, 200};

static void begin(void) {
  marks = (ZwMarks){0};
}

/* Lines and labels between `from` and `to`, read back. */
static void draw(ZwArena* arena, double from, double to, bool is_log) {
  ZwAllocator allocator = zw_allocator_default();
  ZwText text;
  ZwTicks time;
  zw_arena_init(arena, &allocator);
  zw_text_init(&text, arena);
  (is_log ? zw_ticks_make_log : zw_ticks_make)(&time, from, to, 0, 10);
  zw_page_add(&text, "<svg>");
  zw_marks_draw(&text, ZW_THEME_LIGHT, &frame, &time, &marks);
  zw_marks_labels(&text, ZW_THEME_LIGHT, &frame, &time, &marks);
  zw_page_add(&text, "</svg>");
  assert_false(arena->failed);
  svg_read(&svg, zw_text_get(&text));
}

/* How many lines end so. */
static int lines(const char* ending) {
  int count = 0;
  for (int i = 0; i < svg.count; i++) {
    const SvgElement* element = &svg.elements[i];
    if (strcmp(element->name, "path") != 0) continue;
    const char* end = element->attributes + element->attribute_size;
    for (const char* at = element->attributes; (at = strstr(at, ending)) && at < end; at++) count++;
  }
  return count;
}

static int labels(void) {
  int count = 0;
  for (int i = 0; i < svg.count; i++) count += strcmp(svg.elements[i].name, "text") == 0;
  return count;
}

static void test_lines_and_names(void** state) {
  (void)state;
  ZwArena arena;
  begin();
  zw_marks_add(&marks, 2.5, "lift <off>");
  zw_marks_add(&marks, 2.5, "lift <off>"); /* the row after the event */
  zw_marks_add(&marks, 7.5, "touch");
  zw_marks_add(&marks, NAN, "never");
  zw_marks_add(&marks, 11, "outside");
  assert_int_equal(marks.count, 3);
  draw(&arena, 0, 10, false);
  assert_non_null(strstr(svg.elements[1].attributes, " d=\"M210 100v200M530 100v200\""));
  assert_int_equal(labels(), 2);
  assert_true(svg_number(svg_text(&svg, "lift &lt;off&gt;"), "x") == 210);
  assert_true(svg_number(svg_text(&svg, "touch"), "x") == 530);
  assert_true(svg_number(svg_text(&svg, "touch"), "y") < frame.y);
  zw_arena_destroy(&arena);
}

/* Two things at the same time are two, and said to be. */
static void test_same_time(void** state) {
  (void)state;
  ZwArena arena;
  begin();
  for (int i = 0; i < 2; i++) {
    zw_marks_add(&marks, 5, "a");
    zw_marks_add(&marks, 5, "b");
  }
  draw(&arena, 0, 10, false);
  assert_int_equal(lines("v200"), 1);
  assert_int_equal(labels(), 1);
  assert_non_null(svg_text(&svg, "2 events"));
  zw_arena_destroy(&arena);
}

/* Labels never overlap, stay inside of the frame, and count every instant. */
static void test_labels_merge(void** state) {
  (void)state;
  for (int count = 1; count < 400; count += 7) {
    ZwArena arena;
    begin();
    for (int i = 0; i < count; i++)
      zw_marks_add(&marks, 10 * sqrt((i + 0.5) / count), i % 50 == 49 ? "stop" : "bounce");
    draw(&arena, 0, 10, false);
    double right = 0;
    long total = 0;
    for (int i = 0; i < svg.count; i++) {
      const SvgElement* label = &svg.elements[i];
      if (strcmp(label->name, "text") != 0) continue;
      char text[64];
      snprintf(text, sizeof text, "%.*s", label->text_size, label->text);
      const char* times = strstr(text, "\u00d7");
      total += times ? atol(times + 2) : strstr(text, "events") ? atol(text) : 1;
      int chars = 0;
      for (const char* c = text; *c; c++) chars += ((unsigned char)*c & 0xC0) != 0x80;
      double x = svg_number(label, "x"), half = chars * 5.5 / 2; /* about the width of a character of 10 px */
      assert_true(x - half > right && x - half >= frame.x - 1 && x + half <= frame.x + frame.width + 1);
      right = x + half;
    }
    assert_int_equal(total, count);
    zw_arena_destroy(&arena);
  }
}

/* Where lines would be too dense they are short, and a million of them make a small picture. */
static void test_many(void** state) {
  (void)state;
  ZwArena arena;
  begin();
  zw_marks_add(&marks, 0, "begin");
  for (int i = 0; i < 1000000; i++) zw_marks_add(&marks, 500 + i * 1e-6, "chatter");
  for (int i = 0; i < 100000; i++) zw_marks_add(&marks, 600 + i * 4e-3, i % 2 ? "left" : "right");
  assert_true(marks.count <= ZW_MARKS);
  int64_t total = 0;
  for (int32_t i = 0; i < marks.count; i++) total += marks.marks[i].count;
  assert_int_equal(total, 1100001);
  draw(&arena, 0, 1000, false);
  assert_in_range(lines("v200"), 30, 50);
  assert_in_range(lines("v7"), 150, 256);
  assert_non_null(svg_text(&svg, "begin"));
  assert_non_null(svg_text(&svg, "chatter \u00d71000000"));
  long others = 0;
  for (int i = 0; i < svg.count; i++) {
    const SvgElement* label = &svg.elements[i];
    bool is_other = strcmp(label->name, "text") == 0 && strncmp(label->text, "be", 2) != 0 && label->text[0] != 'c';
    if (is_other) others += atol(label->text);
  }
  assert_int_equal(others, 100000);
  zw_arena_destroy(&arena);
}

/* More names than can be told apart, and names of any length. */
static void test_many_names(void** state) {
  (void)state;
  ZwArena arena;
  begin();
  for (int i = 0; i < 40; i++) {
    char name[300];
    snprintf(name, sizeof name, "%d%0200d", i, 0);
    zw_marks_add(&marks, i, name);
  }
  assert_int_equal(marks.name_count, ZW_MARK_NAMES);
  assert_int_equal(marks.count, 40);
  draw(&arena, 0, 1e-9, false);
  assert_int_equal(labels(), 1);
  assert_int_equal(svg.elements[svg.count - 1].text_size, 24 + 2); /* with an ellipsis of three bytes */
  zw_arena_destroy(&arena);
}

static void test_logarithmic(void** state) {
  (void)state;
  ZwArena arena;
  begin();
  zw_marks_add(&marks, 0, "at zero");
  zw_marks_add(&marks, 10, "ten");
  draw(&arena, 0, 2, true);
  assert_int_equal(labels(), 1);
  assert_true(svg_number(svg_text(&svg, "ten"), "x") == frame.x + frame.width / 2);
  zw_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines_and_names), cmocka_unit_test(test_same_time),
      cmocka_unit_test(test_labels_merge),    cmocka_unit_test(test_many),
      cmocka_unit_test(test_many_names),      cmocka_unit_test(test_logarithmic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
