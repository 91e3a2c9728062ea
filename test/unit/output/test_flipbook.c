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
  for (const char* at = text; (at = find_text(at, "attributeName=\"display\""));) {
    assert_false(is_last);
    const char* values = find_text(at, "values=\"") + 8;
    const char* key_times = find_text(at, "keyTimes=\"") + 10;
    const char* end;
    double begin = read_number(key_times, &end);
    assert_true(begin == 0);
    bool begins_hidden = begins_with(values, "none;");
    assert_int_equal(begins_hidden, sheets > 0);
    if (begins_hidden) {
      assert_true(*end == ';');
      begin = read_number(end + 1, &end);
    }
    assert_true(begin == ended);
    is_last = *end == '"';
    if (!is_last) ended = read_number(end + 1, &end);
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
  const char* dashes = find_text(book.text, "stroke-dasharray=\"");
  const char* values = find_text(book.text, "attributeName=\"stroke-dashoffset\" values=\"");
  assert_true(dashes && values);
  double dash = read_number(dashes + 18, NULL), last = INFINITY;
  /* a circle of radius 1: six seconds of it, on the stage */
  assert_near(dash, 6 * book.film.view.scale + 2, 2);
  const char* at = find_text(values, "values=\"") + 7;
  int count = 0;
  for (; *at != '"' || count == 0; count++) {
    double offset = read_number(at + 1, &at);
    assert_true(offset < last);
    if (count == 0) assert_true(offset == dash);
    last = offset;
  }
  assert_int_equal(count, 61);
  assert_true(last <= 3);
  int times = 1;
  for (const char* key = find_text(values, "keyTimes=\"") + 10; *key != '"'; key++) times += *key == ';';
  assert_int_equal(times, count); /* browsers show nothing if they differ */
  done(&book);
}

/* A trail in several pieces: each grows while its point is there, and only then. */
static void test_interrupted_trail(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_TRAIL, 2, 1, COLUMN(1), COLUMN(2));
  Book book;
  scene_begin(&book.scene, &shape, 1);
  for (int i = 0; i < 90; i++) {
    double x = i >= 30 && i < 40 ? NAN : 0.1 * (i % 60);
    assert_int_equal(zw_scene_add(&book.scene, (double[]){0.1 * i, x, i < 60 ? 1 : -1}), ZW_OK);
    if (i == 59) assert_int_equal(zw_scene_add(&book.scene, (double[]){0.1 * i, 0, -1}), ZW_OK);
  }
  ZwFilmDef def = film_def("pieces");
  make(&book, &def);
  /* from a row to a row, with a length in steps; the jump at row 59 has the last of its two rows shown */
  static const int first[] = {0, 40, 59}, last[] = {29, 59, 89}, steps[] = {29, 19, 29};
  const char* at = book.text;
  for (int piece = 0; piece < 3; piece++) {
    at = find_text(at + 1, "<path class=\"w ");
    assert_non_null(at);
    double dash = read_number(find_text(at, "stroke-dasharray=\"") + 18, NULL), step = 0.1 * book.film.view.scale;
    assert_near(dash, ceil(steps[piece] * step - 1e-6) + 2, 1.01);
    const char* values = find_text(at, "values=\"") + 7;
    const char* times = find_text(at, "keyTimes=\"") + 9;
    double from = -1, to = -1, offset = dash;
    for (int count = 0; *times != '"' || count == 0; count++) {
      double now = read_number(values + 1, &values), t = read_number(times + 1, &times) * 90;
      if (now < offset && from < 0) from = t;
      if (now < offset) to = t;
      offset = now;
    }
    assert_near(from, first[piece] + 1, 1.01);
    assert_near(to, last[piece], 1.01);
    assert_true(offset <= 3);
  }
  assert_null(find_text(at + 1, "<path class=\"w "));
  done(&book);
}

/* Large drawings have fewer sheets, but enough to be seen as a motion. */
static void test_size(void** state) {
  (void)state;
  enum { POINTS = 300 };
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
      cmocka_unit_test(test_sheets), cmocka_unit_test(test_speed),
      cmocka_unit_test(test_trail),  cmocka_unit_test(test_interrupted_trail),
      cmocka_unit_test(test_size),   cmocka_unit_test(test_one_frame),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
