#include "base/source.h"

#include "../numbers.h"

#include <string.h>

typedef struct Fixture {
  ZwArena arena;
  ZwSources sources;
} Fixture;

static int32_t open_with(Fixture* f, const char* text) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  f->sources = (ZwSources){0};
  return zw_sources_add(&f->sources, &f->arena, ZW_STR("a.zw"), zw_str_from(text));
}

static void assert_place(const char* text, const char* at, int32_t line, int32_t column, const char* line_text) {
  Fixture f;
  int32_t file = open_with(&f, text);
  assert_int_equal(file, 1);
  int32_t begin = (int32_t)(at - text);
  ZwPlace place = zw_sources_place(&f.sources, (ZwSpan){file, begin, begin + 1});
  assert_int_equal(place.line, line);
  assert_int_equal(place.column, column);
  assert_int_equal(place.line_text.size, strlen(line_text));
  assert_memory_equal(place.line_text.data, line_text, strlen(line_text));
  assert_ptr_equal(place.line_text.data + place.offset, text + begin);
  zw_arena_destroy(&f.arena);
}

static void lines_and_columns_count_from_one(void** state) {
  (void)state;
  const char* text = "coord x\nparam m = 1\n\nrun 0 .. 1\n";
  assert_place(text, text, 1, 1, "coord x");
  assert_place(text, strchr(text, 'x'), 1, 7, "coord x");
  assert_place(text, strchr(text, 'm'), 2, 5, "param m = 1");
  assert_place(text, strstr(text, "run"), 4, 1, "run 0 .. 1");
  assert_place(text, strstr(text, "\n\n") + 1, 3, 1, "");  /* an empty line has a place too */
  assert_place(text, strchr(text, '\n'), 1, 8, "coord x"); /* just behind the line's last character */
}

static void columns_count_characters_not_bytes(void** state) {
  (void)state;
  const char* text = "let φ = 2*ω\nlet 中😀 = ü + z";
  assert_place(text, strstr(text, "="), 1, 7, "let φ = 2*ω");
  assert_place(text, strstr(text, "ω"), 1, 11, "let φ = 2*ω");
  assert_place(text, strstr(text, "+"), 2, 12, "let 中😀 = ü + z");
  assert_place(text, strstr(text, "z"), 2, 14, "let 中😀 = ü + z");
}

static void carriage_returns_belong_to_no_line(void** state) {
  (void)state;
  const char* text = "coord x\r\nparam m = 1\r\nrun 0 .. 1\r\n";
  assert_place(text, strchr(text, 'x'), 1, 7, "coord x");
  assert_place(text, strchr(text, 'm'), 2, 5, "param m = 1");
  assert_place(text, strchr(text, '1'), 2, 11, "param m = 1");
  assert_place(text, strstr(text, "run"), 3, 1, "run 0 .. 1");
}

static void last_line_needs_no_newline(void** state) {
  (void)state;
  const char* text = "coord x\nrun 0";
  assert_place(text, strchr(text, '0'), 2, 5, "run 0");
  assert_place(text, text + strlen(text), 2, 6, "run 0"); /* the end of the text */
  const char *ended = "x\n", *empty = "";
  assert_place(ended, ended + 2, 2, 1, "");
  assert_place(empty, empty, 1, 1, "");
}

static void files_count_from_one_and_zero_is_nowhere(void** state) {
  (void)state;
  Fixture f;
  assert_int_equal(open_with(&f, "one"), 1);
  assert_int_equal(zw_sources_add(&f.sources, &f.arena, ZW_STR("b.zw"), ZW_STR("\ntwo")), 2);
  assert_memory_equal(zw_sources_get(&f.sources, 2)->name.data, "b.zw", 4);
  assert_int_equal(zw_sources_place(&f.sources, (ZwSpan){2, 1, 2}).line, 2);
  assert_null(zw_sources_get(&f.sources, 0));
  assert_null(zw_sources_get(&f.sources, 3));
  assert_null(zw_sources_get(&f.sources, -1));
  assert_int_equal(zw_sources_place(&f.sources, (ZwSpan){0}).line, 0);
  assert_int_equal(zw_sources_text(&f.sources, (ZwSpan){0}).size, 0);
  zw_arena_destroy(&f.arena);
}

static void text_of_a_span_stops_at_the_line(void** state) {
  (void)state;
  Fixture f;
  int32_t file = open_with(&f, "a + b\n  + c");
  assert_int_equal(zw_sources_text(&f.sources, (ZwSpan){file, 4, 11}).size, 1);
  assert_int_equal(zw_sources_text(&f.sources, (ZwSpan){file, 8, 11}).size, 3);
  assert_int_equal(zw_sources_text(&f.sources, (ZwSpan){file, 10, 999}).size, 1);
  zw_arena_destroy(&f.arena);
}

static void joined_spans_cover_both(void** state) {
  (void)state;
  ZwSpan a = {1, 5, 9}, b = {1, 2, 3}, other = {2, 0, 4}, nowhere = {0};
  ZwSpan both = zw_span_join(a, b);
  assert_int_equal(both.begin, 2);
  assert_int_equal(both.end, 9);
  assert_int_equal(zw_span_join(nowhere, b).begin, 2);
  assert_int_equal(zw_span_join(a, nowhere).end, 9);
  assert_int_equal(zw_span_join(a, other).file, 1); /* two files have no common span */
  assert_int_equal(zw_span_join(a, other).end, 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_and_columns_count_from_one),
      cmocka_unit_test(columns_count_characters_not_bytes),
      cmocka_unit_test(carriage_returns_belong_to_no_line),
      cmocka_unit_test(last_line_needs_no_newline),
      cmocka_unit_test(files_count_from_one_and_zero_is_nowhere),
      cmocka_unit_test(text_of_a_span_stops_at_the_line),
      cmocka_unit_test(joined_spans_cover_both),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
