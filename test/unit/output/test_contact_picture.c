#include "output/contact_picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

#define CLOSED "fill=\"#8ec1e3\" d="
#define STICKS "fill=\"#0072b2\" d="
#define SLIPS "fill=\"url(#zw-slips)\" d="
#define HITS "stroke=\"#1f1f1f\" d="

enum { LEFT = 20 + 5 * 8 + 8, WIDTH = 640, TOP = 10 + 34 + 10, LANE = 36 }; /* px, for names of five letters */

static ZwLanes lanes;

static void begin(void) {
  zw_lanes_free(&lanes);
  lanes = (ZwLanes){.allocator = zw_allocator_default()};
}

static void become(double t, int32_t contact, ZwContactWhat what) {
  assert_int_equal(zw_lanes_add(&lanes, &(ZwContactEvent){.t = t, .contact = contact, .what = what}), ZW_OK);
}

static void hit(double t, int32_t contact, double impulse) {
  ZwContactEvent event = {.t = t, .contact = contact, .what = ZW_CONTACT_HIT, .impulse = impulse};
  assert_int_equal(zw_lanes_add(&lanes, &event), ZW_OK);
}

static int occurrences(const char* text, const char* what) {
  int count = 0;
  for (const char* at = text; (at = strstr(at, what)); at += strlen(what)) count++;
  return count;
}

/* The picture as text, in an arena of its own. */
static const char* draw(ZwArena* arena, const ZwContactPicture* picture) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(arena, &allocator);
  ZwText text;
  zw_text_init(&text, arena);
  zw_contact_picture_text(&text, picture);
  assert_false(arena->failed);
  const char* svg = zw_text_get(&text);
  assert_int_equal(strncmp(svg, "<svg ", 5), 0);
  assert_string_equal(svg + strlen(svg) - 7, "</svg>\n");
  assert_int_equal(occurrences(svg, "<g"), occurrences(svg, "</g>"));
  assert_int_equal(occurrences(svg, "<text"), occurrences(svg, "</text>"));
  assert_int_equal(occurrences(svg, "nan") + occurrences(svg, "inf"), 0);
  return svg;
}

/* Path data of the first path that is drawn so. */
static const char* path_of(const char* svg, const char* style) {
  const char* at = strstr(svg, style);
  assert_non_null(at);
  return at + strlen(style) + 1;
}

static void assert_path(const char* svg, const char* style, const char* want) {
  const char* got = path_of(svg, style);
  if (strncmp(got, want, strlen(want)) != 0 || got[strlen(want)] != '"') fail_msg("%.100s, not %s", got, want);
}

/* Bars and ticks stand where they belong. */
static void test_bars_and_ticks(void** state) {
  (void)state;
  static const char* const names[] = {"floor", "wall"};
  begin();
  become(0, 0, ZW_CONTACT_OPEN);
  become(0, 1, ZW_CONTACT_STICKS);
  hit(2.5, 0, 10);
  hit(4, 0, 0.1);
  become(5, 0, ZW_CONTACT_CLOSED);
  become(5, 1, ZW_CONTACT_SLIPS);
  become(7.5, 1, ZW_CONTACT_OPEN);
  ZwContactPicture picture = {"ball", &lanes, names, 0, 10, NULL, ZW_THEME_AUTO};
  ZwArena arena;
  const char* svg = draw(&arena, &picture);
  char want[100];
  /* from 5 to the end, on the base line of the first lane */
  snprintf(want, sizeof want, "M%d %dh%dv9h-%dz", LEFT + WIDTH / 2, TOP + LANE - 9, WIDTH / 2, WIDTH / 2);
  assert_path(svg, CLOSED, want);
  snprintf(want, sizeof want, "M%d %dh%dv9h-%dz", LEFT, TOP + 2 * LANE - 9, WIDTH / 2, WIDTH / 2);
  assert_path(svg, STICKS, want);
  snprintf(want, sizeof want, "M%d %dh%dv9h-%dz", LEFT + WIDTH / 2, TOP + 2 * LANE - 9, WIDTH / 4, WIDTH / 4);
  assert_path(svg, SLIPS, want);
  /* the largest impulse is as high as can be, a hundredth of it half as much above the least height */
  snprintf(want, sizeof want, "M%d.5 %dv-32M%d.5 %dv-18", LEFT + WIDTH / 4, TOP + LANE, LEFT + 2 * WIDTH / 5,
           TOP + LANE);
  assert_path(svg, HITS, want);
  assert_int_equal(occurrences(svg, ">ball<"), 2);
  for (int i = 0; i < 2; i++) assert_non_null(strstr(svg, names[i]));
  /* the legend shows what there is, and says how ticks are to be read */
  for (int i = 0; i < 3; i++) {
    static const char* const words[] = {">closed<", ">sticks<", ">slips<"};
    assert_int_equal(occurrences(svg, words[i]), 1);
  }
  assert_non_null(strstr(svg, "logarithmic"));
  assert_non_null(strstr(svg, ">10</text>"));
  assert_non_null(strstr(svg, ">\u2264 0.001</text>"));
  zw_arena_destroy(&arena);
}

/* Fills that differ without colours: light, dark, hatched; and only where they are needed. */
static void test_only_what_there_is(void** state) {
  (void)state;
  static const char* const names[] = {"floor", "wall"};
  ZwArena arena;
  begin();
  become(0, 0, ZW_CONTACT_OPEN);
  become(0, 1, ZW_CONTACT_OPEN);
  ZwContactPicture picture = {"m", &lanes, names, 0, 1, "A footnote.", ZW_THEME_AUTO};
  const char* svg = draw(&arena, &picture);
  assert_non_null(strstr(svg, ">No contact is touched. A footnote.<"));
  assert_int_equal(occurrences(svg, "logarithmic") + occurrences(svg, ">closed<") + occurrences(svg, "pattern"), 0);
  assert_int_equal(occurrences(svg, CLOSED) + occurrences(svg, HITS), 0);
  zw_arena_destroy(&arena);
  hit(0.5, 1, 1e-30);
  svg = draw(&arena, &picture);
  assert_int_equal(occurrences(svg, "logarithmic"), 1);
  assert_int_equal(occurrences(svg, ">1e-30</text>"), 1);
  assert_null(strstr(svg, ">closed<"));
  assert_null(strstr(svg, "No contact"));
  zw_arena_destroy(&arena);
}

/* What is too short to be seen is seen all the same, and does not become what surrounds it. */
static void test_short_contacts_are_seen(void** state) {
  (void)state;
  static const char* const names[] = {"floor"};
  ZwArena arena;
  begin();
  become(0, 0, ZW_CONTACT_OPEN);
  become(5, 0, ZW_CONTACT_CLOSED);
  become(5 + 1e-9, 0, ZW_CONTACT_OPEN);
  ZwContactPicture picture = {NULL, &lanes, names, 0, 10, NULL, ZW_THEME_AUTO};
  const char* svg = draw(&arena, &picture);
  char want[100];
  snprintf(want, sizeof want, "M%d %dh.5v9h-.5z", LEFT + WIDTH / 2, TOP - 34 + LANE - 9);
  assert_path(svg, CLOSED, want);
  zw_arena_destroy(&arena);
}

/* A million events make a small file. */
static void test_small_whatever_happens(void** state) {
  (void)state;
  static const char* const names[] = {"floor"};
  ZwArena arena;
  begin();
  uint32_t noise = 1;
  for (int i = 0; i < 1000000; i++) {
    noise = noise * 1664525u + 1013904223u;
    if (i % 3)
      hit(i * 1e-3, 0, pow(10, noise % 8));
    else
      become(i * 1e-3, 0, (ZwContactWhat)(noise >> 30));
  }
  ZwContactPicture picture = {"m", &lanes, names, 0, 1000, NULL, ZW_THEME_AUTO};
  const char* svg = draw(&arena, &picture);
  assert_true(strlen(svg) < 60000);
  assert_in_range(occurrences(path_of(svg, HITS), "M"), WIDTH / 2, WIDTH + 20);
  zw_arena_destroy(&arena);
}

static void test_names(void** state) {
  (void)state;
  static const char* const names[] = {"a<b & \"c\"", "arm[12].left.upper.link[3].end[7]"};
  ZwArena arena;
  begin();
  become(0, 0, ZW_CONTACT_OPEN);
  become(0, 1, ZW_CONTACT_CLOSED);
  ZwContactPicture picture = {"<m>", &lanes, names, 0, 1, NULL, ZW_THEME_AUTO};
  const char* svg = draw(&arena, &picture);
  assert_non_null(strstr(svg, ">a&lt;b &amp; &quot;c&quot;<"));
  assert_null(strstr(svg, "<m>"));
  assert_non_null(strstr(svg, ">arm[12].lef\u2026nk[3].end[7]<"));
  zw_arena_destroy(&arena);
}

static void test_many_contacts(void** state) {
  (void)state;
  enum { COUNT = 200 };
  static char texts[COUNT][16];
  static const char* names[COUNT];
  ZwArena arena;
  begin();
  for (int32_t i = 0; i < COUNT; i++) {
    snprintf(texts[i], sizeof texts[i], "f[%d]", (int)i);
    names[i] = texts[i];
    become(0, i, i % 2 ? ZW_CONTACT_CLOSED : ZW_CONTACT_OPEN);
  }
  ZwContactPicture picture = {"m", &lanes, names, 0, 1, NULL, ZW_THEME_AUTO};
  const char* svg = draw(&arena, &picture);
  assert_int_equal(occurrences(svg, ">f["), ZW_LANES_MAX);
  assert_int_equal(occurrences(svg, CLOSED), ZW_LANES_MAX);
  assert_non_null(strstr(svg, ">36 more contacts are touched later. 100 contacts are never touched. <"));
  zw_arena_destroy(&arena);
}

/* Times that make an axis hard: none, huge, far from zero. */
static void test_odd_times(void** state) {
  (void)state;
  static const char* const names[] = {"floor"};
  static const double ranges[][2] = {{0, 0}, {1e9, 1e9 + 1e-3}, {-1e300, 1e300}, {0, 1e-300}};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
    ZwArena arena;
    begin();
    become(ranges[i][0], 0, ZW_CONTACT_CLOSED);
    hit(ranges[i][1], 0, 1);
    ZwContactPicture picture = {"m", &lanes, names, ranges[i][0], ranges[i][1], NULL, ZW_THEME_AUTO};
    const char* svg = draw(&arena, &picture);
    assert_int_equal(occurrences(svg, CLOSED), 1);
    assert_null(strstr(svg, "922337203685477"));
    zw_arena_destroy(&arena);
  }
}

static void test_file(void** state) {
  (void)state;
  static const char* const names[] = {"floor"};
  begin();
  become(0, 0, ZW_CONTACT_CLOSED);
  ZwContactPicture picture = {"m", &lanes, names, 0, 1, NULL, ZW_THEME_AUTO};
  ZwAllocator allocator = zw_allocator_default();
  char path[SCRATCH_PATH], error[ZW_DRAFT_ERROR];
  assert_int_equal(zw_contact_picture_write(&picture, &allocator, scratch_path(path, "m.svg"), error), ZW_OK);
  char* got = scratch_read(path);
  ZwArena arena;
  assert_string_equal(got, draw(&arena, &picture));
  zw_arena_destroy(&arena);
  free(got);
  assert_int_equal(zw_contact_picture_write(&picture, &allocator, "/dev/full", error), ZW_ERR_IO);
  assert_non_null(strstr(error, "/dev/full"));
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
  static const char* const names[] = {"floor"};
  begin();
  for (int i = 0; i < 3000; i++) hit(i, 0, 1 + i);
  ZwContactPicture picture = {"m", &lanes, names, 0, 3000, NULL, ZW_THEME_AUTO};
  char path[SCRATCH_PATH], error[ZW_DRAFT_ERROR];
  scratch_path(path, "memory.svg");
  ZwStatus status = ZW_ERR_MEMORY;
  for (int n = 1; status; n++) {
    Counting counting = {.fail_at = n};
    ZwAllocator allocator = {counting_alloc, counting_release, &counting};
    status = zw_contact_picture_write(&picture, &allocator, path, error);
    assert_int_equal(counting.live, 0);
    assert_int_equal(status, counting.calls < n ? ZW_OK : ZW_ERR_MEMORY);
    assert_int_equal(access(path, F_OK) == 0, status == ZW_OK);
  }
}

static int end(void** state) {
  zw_lanes_free(&lanes);
  return scratch_remove(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bars_and_ticks),
      cmocka_unit_test(test_only_what_there_is),
      cmocka_unit_test(test_short_contacts_are_seen),
      cmocka_unit_test(test_small_whatever_happens),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_many_contacts),
      cmocka_unit_test(test_odd_times),
      cmocka_unit_test(test_file),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, scratch_create, end);
}
