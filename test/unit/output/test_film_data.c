#include "output/film_data.h"

#include <string.h>

#include "scenes.h"

/* ---- reading it back ---- */

static const char* behind(const char* text, const char* key) {
  const char* at = find_text(text, key);
  assert_non_null(at);
  return at + strlen(key);
}

static int32_t read_numbers(const char* at, double* numbers, int32_t most) {
  int32_t count = 0;
  for (const char* end; *at != ']'; at = *end == ',' ? end + 1 : end) {
    assert_true(count < most);
    numbers[count++] = read_number(at, &end);
    assert_true(end != at);
  }
  return count;
}

static int letter(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static unsigned char* read_base64(const char* at, size_t* size) {
  size_t letters = 0;
  while (at[letters] != '"') letters++;
  unsigned char* bytes = malloc(letters + 1);
  *size = 0;
  assert_int_equal(letters % 4, 0);
  for (size_t i = 0; i < letters; i += 4) {
    uint32_t bits = 0;
    int there = 0;
    for (int k = 0; k < 4; k++) {
      int value = letter(at[i + (size_t)k]);
      there += value >= 0;
      bits = bits << 6 | (uint32_t)(value >= 0 ? value : 0);
    }
    for (int k = 0; k + 1 < there; k++) bytes[(*size)++] = (unsigned char)(bits >> (16 - 8 * k));
  }
  return bytes;
}

typedef struct Read {
  double quanta[512], bases[512];
  int32_t columns, rows;
  double *times, *numbers; /* column by column */
  size_t size;             /* of the text */
} Read;

static double next_number(const unsigned char** at, double* last, double* before, double base, double quantum) {
  uint64_t code = 0;
  for (int shift = 0;; shift += 7) {
    unsigned char byte = *(*at)++;
    code |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) break;
  }
  if (code == 0) return NAN;
  double off = (code - 1) % 2 ? -(double)(code / 2) : (double)((code - 1) / 2);
  double whole = 2 * *last - *before + off;
  *before = *last, *last = whole;
  return base + quantum * whole;
}

static void read_film(const char* text, Read* read) {
  size_t size;
  read->size = strlen(text);
  unsigned char* times = read_base64(behind(text, "\"times\":\""), &size);
  read->rows = (int32_t)(size / 8);
  read->times = calloc((size_t)read->rows, sizeof(double));
  for (int32_t i = 0; i < read->rows; i++) {
    uint64_t bits = 0;
    for (int k = 0; k < 8; k++) bits |= (uint64_t)times[8 * i + k] << (8 * k);
    memcpy(&read->times[i], &bits, 8);
  }
  free(times);
  read->columns = read_numbers(behind(text, "\"quanta\":["), read->quanta, 512);
  assert_int_equal(read_numbers(behind(text, "\"bases\":["), read->bases, 512), read->columns);
  unsigned char* data = read_base64(behind(text, "\"data\":\""), &size);
  const unsigned char* at = data;
  read->numbers = calloc((size_t)read->rows * (size_t)read->columns + 1, sizeof(double));
  for (int32_t c = 0; c < read->columns; c++) {
    double last = 0, before = 0;
    for (int32_t r = 0; r < read->rows; r++) {
      read->numbers[c * read->rows + r] = next_number(&at, &last, &before, read->bases[c], read->quanta[c]);
    }
  }
  assert_int_equal(at - data, size); /* all of it was read */
  free(data);
}

static void free_read(Read* read) {
  free(read->times);
  free(read->numbers);
}

/* Writes the film, reads it again and compares; frees the scene. */
static void assert_reads_back(ZwScene* scene, const ZwFilmDef* def, Read* read) {
  ZwAllocator allocator = usual_allocator();
  ZwFilm film;
  ZwArena arena;
  ZwText text;
  assert_int_equal(zw_film_make(&film, def, scene), ZW_OK);
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  zw_film_data(&text, &film);
  assert_false(arena.failed);
  assert_int_equal(occurrences(zw_text_get(&text), "<"), 0);
  read_film(zw_text_get(&text), read);
  assert_int_equal(read->rows, scene->row_count);
  assert_int_equal(read->columns, scene->width - 1);
  for (int32_t r = 0; r < read->rows; r++) {
    assert_true(read->times[r] == zw_scene_time(scene, r));
    for (int32_t c = 0; c < read->columns; c++) {
      double got = read->numbers[c * read->rows + r], want = scene->numbers.items[r * scene->width + c + 1];
      if (isfinite(want))
        assert_near(got, want, 0.5001 * read->quanta[c] + 1e-15 * fabs(want));
      else
        assert_true(isnan(got));
    }
  }
  zw_arena_destroy(&arena);
}

/* ---- the tests ---- */

/* Places are true to a fiftieth of a pixel on a stage of 1300 pixels, whatever the unit. */
static void test_places(void** state) {
  (void)state;
  static const double sizes[] = {1e-12, 1, 1e12};
  for (int s = 0; s < 3; s++) {
    ZwDraw shapes[] = {SHAPE(ZW_DRAW_LINE, 2, 2, FIXED(0), FIXED(0), COLUMN(1), COLUMN(2)),
                       SHAPE(ZW_DRAW_CIRCLE, 2, 1, COLUMN(1), COLUMN(2), COLUMN(3))};
    ZwScene scene;
    scene_begin(&scene, shapes, 2);
    for (int i = 0; i < 500; i++) {
      double t = 0.01 * i,
             row[] = {t, sizes[s] * cos(t), i % 50 == 7 ? NAN : sizes[s] * sin(t), i == 3 ? INFINITY : sizes[s] / 9};
      assert_int_equal(zw_scene_add(&scene, row), ZW_OK);
    }
    Read read;
    ZwFilmDef def = film_def("places");
    assert_reads_back(&scene, &def, &read);
    for (int c = 0; c < 3; c++) assert_true(read.quanta[c] / 2 < 2 * sizes[s] / 1300 / 50);
    free_read(&read);
    zw_scene_free(&scene);
  }
}

/* Angles, axes and numbers that are shown have their own measure; what jumps about wildly comes back too. */
static void test_other_numbers(void** state) {
  (void)state;
  ZwDraw shapes[] = {SHAPE(ZW_DRAW_BOX, 2, 1, FIXED(0), FIXED(0), FIXED(1), FIXED(1), COLUMN(1)),
                     SHAPE(ZW_DRAW_CIRCLE, 3, 1, FIXED(0), FIXED(0), FIXED(0), FIXED(1), COLUMN(2), FIXED(0), FIXED(1)),
                     SHAPE(ZW_DRAW_TEXT, 2, 1, FIXED(0), FIXED(0), COLUMN(3)),
                     SHAPE(ZW_DRAW_TEXT, 2, 1, FIXED(0), FIXED(0), COLUMN(4)),
                     SHAPE(ZW_DRAW_TEXT, 2, 1, FIXED(0), FIXED(0), COLUMN(0))};
  ZwScene scene;
  scene_begin(&scene, shapes, 5);
  for (int i = 0; i < 300; i++) {
    double row[] = {i, 1000.0 * i, 1e-6 * cos(i), i % 2 ? -3e8 : 1e-3, 0};
    assert_int_equal(zw_scene_add(&scene, row), ZW_OK);
  }
  Read read;
  ZwFilmDef def = film_def("others");
  assert_reads_back(&scene, &def, &read);
  assert_int_equal(read.columns, 4); /* t is there anyway */
  assert_true(read.quanta[0] <= 1e-4 && read.quanta[1] <= 1e-10 && read.quanta[2] <= 1);
  free_read(&read);
  zw_scene_free(&scene);
}

/* A thousand frames of a hundred points take less than a megabyte, by far. */
static void test_size(void** state) {
  (void)state;
  enum { POINTS = 100 };
  ZwDraw shapes[POINTS];
  ZwDrawNumber numbers[POINTS][2];
  for (int i = 0; i < POINTS; i++) {
    numbers[i][0] = COLUMN(1 + 2 * i);
    numbers[i][1] = COLUMN(2 + 2 * i);
    shapes[i] =
        (ZwDraw){.kind = ZW_DRAW_POINT, .dim = 2, .point_count = 1, .numbers = numbers[i], .count = 2, .text = ""};
  }
  ZwScene scene;
  scene_begin(&scene, shapes, POINTS);
  double row[1 + 2 * POINTS];
  for (int i = 0; i < 1000; i++) {
    row[0] = i / 30.0;
    for (int k = 0; k < POINTS; k++) {
      row[1 + 2 * k] = cos(row[0] * (1 + 0.1 * k)) + 0.3 * sin(7 * row[0] + k);
      row[2 + 2 * k] = sin(row[0] * (1 + 0.1 * k)) + 0.3 * cos(5 * row[0] + k);
    }
    assert_int_equal(zw_scene_add(&scene, row), ZW_OK);
  }
  Read read;
  ZwFilmDef def = film_def("points");
  assert_reads_back(&scene, &def, &read);
  assert_true(read.size < 700 * 1000);
  free_read(&read);
  zw_scene_free(&scene);
}

/* Names stand in a script: nothing may end it. */
static void test_texts(void** state) {
  (void)state;
  ZwDraw shape = SHAPE(ZW_DRAW_TEXT, 2, 1, COLUMN(1), COLUMN(2));
  shape.text = "</script><!-- \"\\ \xCF\x86";
  ZwScene scene;
  scene_circling(&scene, &shape, 1, 3);
  ZwFilmDef def = film_def("</script><script>alert(1)</script>");
  ZwFilm film;
  ZwAllocator allocator = usual_allocator();
  ZwArena arena;
  ZwText text;
  assert_int_equal(zw_film_make(&film, &def, &scene), ZW_OK);
  zw_arena_init(&arena, &allocator);
  zw_text_init(&text, &arena);
  zw_film_data(&text, &film);
  assert_null(strchr(zw_text_get(&text), '<'));
  assert_non_null(strstr(zw_text_get(&text), "\"text\":\"\\u003c/script>\\u003c!-- \\\"\\\\ \xCF\x86\""));
  zw_arena_destroy(&arena);
  zw_scene_free(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_other_numbers),
      cmocka_unit_test(test_size),
      cmocka_unit_test(test_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
