#include "output/player.h"

#include <string.h>

#include "scenes.h"

static const char* make_page(ZwScene* scene, ZwArena* arena, const ZwFilmDef* def) {
  ZwAllocator allocator = usual_allocator();
  ZwFilm film;
  ZwText text;
  assert_int_equal(zw_film_make(&film, def, scene), ZW_OK);
  zw_arena_init(arena, &allocator);
  zw_text_init(&text, arena);
  zw_film_page(&text, &film);
  assert_false(arena->failed);
  return zw_text_get(&text);
}

/* Whatever the title, the texts and the model hold: the page has the elements it is meant to have, and no others. */
static void test_nothing_escapes(void** state) {
  (void)state;
  static const char nasty[] =
      "</script></title></pre><script>alert('\xCF\x86')</script><img src=x onerror=alert(1)>@DATA@ \"&amp;";
  static const char plain[] = "plain";
  int counts[2][6];
  for (int i = 0; i < 2; i++) {
    ZwDraw shape = SHAPE(ZW_DRAW_TEXT, 2, 1, COLUMN(1), COLUMN(2));
    shape.text = i ? nasty : plain;
    ZwScene scene;
    ZwArena arena;
    scene_circling(&scene, &shape, 1, 5);
    ZwFilmDef def = film_def(i ? nasty : plain);
    def.source = i ? nasty : plain;
    const char* page = make_page(&scene, &arena, &def);
    static const char* const elements[] = {"<script", "</script>", "<title", "<pre", "<img", "</pre>"};
    for (int k = 0; k < 6; k++) counts[i][k] = occurrences(page, elements[k]);
    assert_true(strncmp(page, "<!doctype html>", 15) == 0);
    assert_int_equal(occurrences(page, "@TITLE@") + occurrences(page, "@SCRIPT@") + occurrences(page, "@STYLE@"), 0);
    if (i)
      assert_int_equal(occurrences(page, "alert(1)&gt;@DATA@ &quot;&amp;amp;"), 4); /* title, heading, drawing, model */
    zw_arena_destroy(&arena);
    zw_scene_free(&scene);
  }
  for (int k = 0; k < 6; k++) assert_int_equal(counts[0][k], counts[1][k]);
  assert_int_equal(counts[0][0], 2);
  assert_int_equal(counts[0][4], 0);
}

/* Nothing is fetched from anywhere. */
static void test_is_self_contained(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), COLUMN(2));
  ZwScene scene;
  ZwArena arena;
  scene_circling(&scene, &shape, 1, 5);
  ZwFilmDef def = film_def("alone");
  const char* page = make_page(&scene, &arena, &def);
  static const char* const outside[] = {
      "http:", "https:", "src=", "@import", "url(", "fetch(", "<link rel=\"stylesheet\""};
  for (int i = 0; i < 7; i++) assert_int_equal(occurrences(page, outside[i]), 0);
  assert_int_equal(occurrences(page, "<details>"), 0); /* no model was given */
  zw_arena_destroy(&arena);
  zw_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_escapes), cmocka_unit_test(test_is_self_contained)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
