#include <string.h>

#include "output/film.h"
#include "scenes.h"

typedef struct Book {
  ZwScene scene;
  ZwFilm film;
  ZwArena arena;
  const char* text;
} Book;

static void make(Book* book, const ZwFilmDef* def) {
  ZwAllocator allocator = usual_allocator();
  assert_int_equal(zw_film_make(&book->film, def, &book->scene), ZW_OK);
  zw_arena_init(&book->arena, &allocator);
  ZwText text;
  zw_text_init(&text, &book->arena);
  zw_film_svg(&text, &book->film);
  assert_false(book->arena.failed);
  book->text = zw_text_get(&text);
  assert_well_formed(book->text);
}

static void done(Book* book) {
  zw_arena_destroy(&book->arena);
  zw_scene_free(&book->scene);
}

/* Sheets take turns: each begins when the one before ends, the first at 0, and the last stays to the end. */
static int count_sheets(const char* text) {
  int sheets = 0;
  double ended = 0;
  bool is_last = false;
  for (const char* at = text; (at = strstr(at, "attributeName=\"display\""));) {
    assert_false(is_last);
    const char* values = strstr(at, "values=\"") + 8;
    const char* key_times = strstr(at, "keyTimes=\"") + 10;
    char* end;
    double begin = strtod(key_times, &end);
    assert_true(begin == 0);
    bool begins_hidden = strncmp(values, "none;", 5) == 0;
    assert_int_equal(begins_hidden, sheets > 0);
    if (begins_hidden) {
      assert_true(*end == ';');
      begin = strtod(end + 1, &end);
    }
    assert_true(begin == ended);
    is_last = *end == '"';
    if (!is_last) ended = strtod(end + 1, &end);
    assert_true(ended > begin || is_last);
    assert_true(*end == '"');
    sheets++;
    at = key_times;
  }
  assert_true(is_last);
  return sheets;
}

static void test_sheets(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_GROUND, 2, 2, FIXED(-1), FIXED(-1), FIXED(1), FIXED(-1)),
                     SHAPE(ZW_DRAW_BOX, 2, 1, FIXED(0), FIXED(0), FIXED(1), FIXED(1), FIXED(0)),
                     SHAPE(ZW_DRAW_LINE, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2))};
  Book book;
  scene_circling(&book.scene, shapes, 3, 51);
  ZwFilmDef def = film_def("sheets");
  make(&book, &def);
  assert_int_equal(count_sheets(book.text), 51);
  assert_int_equal(occurrences(book.text, "<g display=\"none\">"), 50); /* who knows no motion shows the first */
  assert_int_equal(occurrences(book.text, "class=\"l "), 51);
  /* what is still is there once */
  assert_int_equal(occurrences(book.text, "class=\"g "), 1);
  assert_int_equal(occurrences(book.text, "class=\"a "), 1);
  assert_int_equal(occurrences(book.text, "<script"), 0);
  assert_int_equal(occurrences(book.text, "dur=\"5.1s\""), 51);
  done(&book);
}

/* At half the speed there are twice the frames, and it takes twice the time. */
static void test_speed(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), COLUMN(2));
  Book book;
  scene_begin(&book.scene, &shape, 1);
  for (int i = 0; i <= 1000; i++)
    assert_int_equal(zw_scene_add(&book.scene, (double[]){0.01 * i, cos(0.01 * i), 0}), ZW_OK);
  ZwFilmDef def = film_def("slow");
  def.speed = 0.5;
  make(&book, &def);
  assert_int_equal(book.film.frame_count, 201);
  assert_near(zw_film_seconds(&book.film), 20, 1e-12);
  assert_int_equal(count_sheets(book.text), 201);
  for (int i = 0; i < 201; i++) assert_near(zw_scene_time(&book.scene, zw_film_row(&book.film, i)), 0.05 * i, 1e-12);
  done(&book);
}

/* The trail is uncovered step by step, to its end. */
static void test_trail(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_TRAIL, 2, 1, COLUMN(1), COLUMN(2));
  Book book;
  scene_circling(&book.scene, &shape, 1, 61);
  ZwFilmDef def = film_def("trail");
  make(&book, &def);
  assert_int_equal(occurrences(book.text, "<path class=\"w "), 1);
  const char* dashes = strstr(book.text, "stroke-dasharray=\"");
  const char* values = strstr(book.text, "attributeName=\"stroke-dashoffset\" values=\"");
  assert_true(dashes && values);
  double dash = strtod(dashes + 18, NULL), last = INFINITY;
  /* a circle of radius 1: six seconds of it, on the stage */
  assert_near(dash, 6 * book.film.view.scale + 2, 2);
  char* at = (char*)(uintptr_t)strstr(values, "values=\"") + 7;
  int count = 0;
  for (; *at != '"' || count == 0; count++) {
    double offset = strtod(at + 1, &at);
    assert_true(offset < last);
    if (count == 0) assert_true(offset == dash);
    last = offset;
  }
  assert_int_equal(count, 61);
  assert_true(last <= 3);
  int times = 1;
  for (const char* key = strstr(values, "keyTimes=\"") + 10; *key != '"'; key++) times += *key == ';';
  assert_int_equal(times, count); /* browsers show nothing if they differ */
  done(&book);
}

/* Large drawings have fewer sheets, but enough to be seen as a motion. */
static void test_size(void** state) {
  (void)state;
  enum { POINTS = 1000 };
  ZwDraw* shapes = calloc(POINTS, sizeof *shapes);
  ZwDrawNumber(*numbers)[2] = calloc(POINTS, sizeof *numbers);
  for (int i = 0; i < POINTS; i++) {
    numbers[i][0] = COLUMN(1 + i % 2);
    numbers[i][1] = FIXED(i);
    shapes[i] =
        (ZwDraw){.kind = ZW_DRAW_POINT, .dim = 2, .point_count = 1, .numbers = numbers[i], .count = 2, .text = ""};
  }
  Book book;
  scene_circling(&book.scene, shapes, POINTS, 1000);
  ZwFilmDef def = film_def("large");
  def.fps = 60;
  def.speed = 6; /* every row is a frame */
  make(&book, &def);
  int sheets = count_sheets(book.text);
  assert_int_equal(book.film.frame_count, 1000);
  assert_true(sheets < 1000 && sheets >= 1000 / 5); /* at least 12 in a second */
  done(&book);
  free(shapes);
  free(numbers);
}

/* One frame is a picture. */
static void test_one_frame(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_POINT, 2, 1, COLUMN(1), COLUMN(2));
  Book book;
  scene_circling(&book.scene, &shape, 1, 1);
  ZwFilmDef def = film_def("one");
  make(&book, &def);
  assert_int_equal(book.film.frame_count, 1);
  assert_int_equal(occurrences(book.text, "<animate"), 0);
  assert_int_equal(occurrences(book.text, "<circle"), 1);
  done(&book);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sheets), cmocka_unit_test(test_speed),     cmocka_unit_test(test_trail),
      cmocka_unit_test(test_size),   cmocka_unit_test(test_one_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
