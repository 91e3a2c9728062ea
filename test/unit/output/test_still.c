#include <string.h>

#include "output/film.h"
#include "scenes.h"

typedef struct Drawn {
  ZwScene scene;
  ZwFilm film;
  ZwArena arena;
} Drawn;

static const char* draw(Drawn* drawn, const ZwFilmDef* def, int32_t row, bool has_ghosts) {
  ZwAllocator allocator = usual_allocator();
  assert_int_equal(zw_film_make(&drawn->film, def, &drawn->scene), ZW_OK);
  zw_arena_init(&drawn->arena, &allocator);
  ZwText text;
  zw_text_init(&text, &drawn->arena);
  zw_film_still(&text, &drawn->film, row < 0 ? drawn->scene.row_count - 1 : row, has_ghosts, 1);
  assert_false(drawn->arena.failed);
  assert_well_formed(zw_text_get(&text));
  assert_int_equal(occurrences(zw_text_get(&text), "nan") + occurrences(zw_text_get(&text), "inf"), 0);
  return zw_text_get(&text);
}

static void done(Drawn* drawn) {
  zw_arena_destroy(&drawn->arena);
  zw_scene_free(&drawn->scene);
}

static const ZwDrawNumber along[] = {{1, 0}, {2, 0}, {3, 0}};

/* Greek letters stay, markup is written out, what XML cannot hold is replaced. */
static void test_texts(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_TEXT, 2, 1, COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_TEXT, 2, 1, FIXED(0), FIXED(0), COLUMN(3))};
  shapes[0].text = "\xCF\x86 < \xCE\xB1 & \"b\"</text><script>alert(1)</script>\x01";
  shapes[1].text = "speed ";
  Drawn drawn;
  scene_circling(&drawn.scene, shapes, 2, 11);
  ZwFilmDef def = film_def("<b>&\xCE\xA9</title>");
  const char* text = draw(&drawn, &def, 10, true);
  assert_int_equal(occurrences(text, "<script"), 0);
  assert_int_equal(occurrences(text, "\xCF\x86 &lt; \xCE\xB1 &amp; &quot;b&quot;&lt;/text&gt;&lt;script&gt;"), 1);
  assert_int_equal(occurrences(text, "\xEF\xBF\xBD"), 1);
  assert_int_equal(occurrences(text, "&lt;b&gt;&amp;\xCE\xA9&lt;/title&gt;"), 2); /* the title, seen and unseen */
  assert_int_equal(occurrences(text, ">speed 1.071<"), 1);                        /* 1 + sin(3)/2 */
  assert_int_equal(occurrences(text, ">t = 1.0<"), 1);
  done(&drawn);
}

static void test_themes(void** state) {
  (void)state;
  ZwDraw shape = {
      .kind = ZW_DRAW_POINT, .dim = 2, .point_count = 1, .numbers = along, .count = 2, .text = "", .colour = "blue"};
  for (int theme = 0; theme < 3; theme++) {
    Drawn drawn;
    scene_circling(&drawn.scene, &shape, 1, 3);
    ZwFilmDef def = film_def("point");
    def.theme = (ZwTheme)theme;
    const char* text = draw(&drawn, &def, -1, false);
    assert_int_equal(occurrences(text, "prefers-color-scheme:dark"), theme == ZW_THEME_AUTO);
    assert_int_equal(occurrences(text, "fill:#0072b2"), theme != ZW_THEME_DARK);
    assert_int_equal(occurrences(text, "fill:#56a8e0"), theme != ZW_THEME_LIGHT);
    done(&drawn);
  }
}

/* Positions before the last one, as many as there is room for; none of what has not moved. */
static void test_ghosts(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), COLUMN(2)), SHAPE(ZW_DRAW_POINT, 2, 1, FIXED(0), FIXED(0))};
  Drawn drawn;
  scene_circling(&drawn.scene, shapes, 2, 60);
  ZwFilmDef def = film_def("ghosts");
  const char* text = draw(&drawn, &def, -1, true);
  assert_int_equal(occurrences(text, "<g opacity"), 4);
  assert_int_equal(occurrences(text, "<circle"), 4 + 2);
  done(&drawn);
  scene_circling(&drawn.scene, shapes, 2, 60);
  text = draw(&drawn, &def, 1, true); /* it has not gone far yet */
  assert_int_equal(occurrences(text, "<g opacity"), 0);
  assert_int_equal(occurrences(text, "<circle"), 2);
  done(&drawn);
}

/* Chains of lines are one path; every kind of shape has its mark. */
static void test_paths(void** state) {
  (void)state;
  enum { LINKS = 50 };
  ZwDraw shapes[LINKS];
  ZwDrawNumber numbers[LINKS][4];
  for (int i = 0; i < LINKS; i++) {
    ZwDrawNumber own[] = {FIXED(i), COLUMN(1), FIXED(i + 1), COLUMN(2)};
    memcpy(numbers[i], own, sizeof own);
    shapes[i] =
        (ZwDraw){.kind = ZW_DRAW_LINE, .dim = 2, .point_count = 2, .numbers = numbers[i], .count = 4, .text = ""};
  }
  Drawn drawn;
  scene_circling(&drawn.scene, shapes, LINKS, 3);
  ZwFilmDef def = film_def("chain");
  const char* text = draw(&drawn, &def, -1, false);
  const char* path = strstr(text, "class=\"l ");
  assert_non_null(path);
  assert_null(strstr(path + 1, "class=\"l "));
  int begins = 0;
  for (const char* at = strstr(path, " d=\"") + 4; *at != '"'; at++) begins += *at == 'M';
  assert_int_equal(begins, LINKS);
  done(&drawn);
}

/* The path of a chain whose links meet is one line through all its joints, true to a hundredth of a pixel. */
static void test_chain_is_joined(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_LINE, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_LINE, 2, 2, COLUMN(1), COLUMN(2), FIXED(1), FIXED(0.5)),
                     SHAPE(ZW_DRAW_LINE, 2, 2, FIXED(1), FIXED(0.5), FIXED(1), FIXED(-0.5)),
                     SHAPE(ZW_DRAW_LINE, 2, 2, FIXED(-1), FIXED(0.5), FIXED(-1), FIXED(-0.5))};
  Drawn drawn;
  scene_circling(&drawn.scene, shapes, 4, 3);
  ZwFilmDef def = film_def("chain");
  const char* text = draw(&drawn, &def, 2, false);
  const char* at = find_text(find_text(text, "class=\"l "), " d=\"") + 4;
  double corners[][2] = {{0, 0}, {cos(0.2), sin(0.2)}, {1, 0.5}, {1, -0.5}, {-1, 0.5}, {-1, -0.5}};
  double x = 0, y = 0;
  for (int i = 0; i < 6; i++) {
    bool begins = *at == 'M';
    assert_int_equal(begins, i == 0 || i == 4); /* the last link is apart */
    if (begins) x = y = 0;
    if (begins || *at == 'l') at++;
    x += read_number(at + (*at == ' '), &at);
    y += read_number(at + (*at == ' '), &at);
    double place[2];
    zw_view_place(&drawn.film.view, (double[]){corners[i][0], corners[i][1], 0}, place);
    assert_near(x, place[0], 0.0051);
    assert_near(y, place[1], 0.0051);
  }
  assert_true(*at == '"');
  done(&drawn);
}

static void test_space(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_TRAIL, 3, 1, COLUMN(1), COLUMN(2), COLUMN(3));
  Drawn drawn;
  scene_circling(&drawn.scene, &shape, 1, 100);
  ZwFilmDef def = film_def("space");
  const char* text = draw(&drawn, &def, -1, true);
  assert_int_equal(occurrences(text, ">x</text>") + occurrences(text, ">y</text>") + occurrences(text, ">z</text>"), 3);
  assert_int_equal(occurrences(text, "class=\"w "), 1);
  assert_true(occurrences(text, ">grid ") == 1);
  done(&drawn);
}

static void test_memory(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_TRAIL, 2, 1, COLUMN(1), COLUMN(2)),
                     SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), COLUMN(2))};
  ZwScene scene;
  ZwFilm film;
  ZwFilmDef def = film_def("memory");
  scene_circling(&scene, shapes, 2, 300);
  assert_int_equal(zw_film_make(&film, &def, &scene), ZW_OK);
  bool has_succeeded = false;
  for (int calls = 0; calls < 60; calls++) {
    Rations rations = {calls};
    ZwAllocator allocator = rationed(&rations);
    ZwArena arena;
    zw_arena_init(&arena, &allocator);
    ZwText text;
    zw_text_init(&text, &arena);
    zw_film_still(&text, &film, 299, true, 1);
    zw_film_svg(&text, &film);
    zw_film_page(&text, &film);
    has_succeeded |= !arena.failed;
    assert_true(arena.failed || occurrences(zw_text_get(&text), "</html>") == 1);
    zw_arena_destroy(&arena);
  }
  assert_true(has_succeeded);
  zw_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_texts),  cmocka_unit_test(test_themes), cmocka_unit_test(test_ghosts),
      cmocka_unit_test(test_paths),  cmocka_unit_test(test_space),  cmocka_unit_test(test_chain_is_joined),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
