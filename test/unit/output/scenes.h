/* Scenes for tests, and what their pictures are looked at with. */
#ifndef ZW_TEST_OUTPUT_SCENES_H
#define ZW_TEST_OUTPUT_SCENES_H

#include <string.h>

#include "numbers.h"
#include "output/film.h"

enum { SHAPE_NUMBERS = 12 };

/* A number of a shape: of a column, or a constant. */
#define COLUMN(i) ((ZwDrawNumber){(i), 0})
#define FIXED(x) ((ZwDrawNumber){-1, (x)})

#define SHAPE(kind_, dim_, points_, ...)                                                            \
  ((ZwDraw){.kind = (kind_),                                                                        \
            .dim = (dim_),                                                                          \
            .point_count = (points_),                                                               \
            .numbers = (const ZwDrawNumber[]){__VA_ARGS__},                                         \
            .count = (int32_t)(sizeof((const ZwDrawNumber[]){__VA_ARGS__}) / sizeof(ZwDrawNumber)), \
            .text = ""})

/* An allocator that fails from its n-th call on. */
typedef struct Rations {
  int left;
} Rations;

static inline void* rations_alloc(void* context, size_t size) {
  Rations* rations = context;
  return rations->left-- > 0 ? malloc(size) : NULL;
}

static inline void rations_release(void* context, void* memory) {
  (void)context;
  free(memory);
}

static inline ZwAllocator rationed(Rations* rations) {
  return (ZwAllocator){rations_alloc, rations_release, rations};
}

static inline ZwAllocator usual_allocator(void) {
  return zw_allocator_default();
}

static inline void scene_begin(ZwScene* scene, const ZwDraw* shapes, int32_t count) {
  ZwAllocator allocator = usual_allocator();
  assert_int_equal(zw_scene_init(scene, &allocator, shapes, count), ZW_OK);
}

static inline ZwFilmDef film_def(const char* title) {
  return (ZwFilmDef){.title = title, .speed = 1, .fps = 10, .view = {NAN, NAN}};
}

/* A point on a circle, with all that moves along: columns t, x, y, speed. */
static inline void scene_circling(ZwScene* scene, const ZwDraw* shapes, int32_t count, int rows) {
  scene_begin(scene, shapes, count);
  for (int i = 0; i < rows; i++) {
    double t = 0.1 * i;
    double row[] = {t, cos(t), sin(t), 1 + 0.5 * sin(3 * t)};
    assert_int_equal(zw_scene_add(scene, row), ZW_OK);
  }
}

/* Films are long texts, and a sanitizer that looks at whole strings measures them at every call of a library function: these look at
 * what they need only. */
static inline bool begins_with(const char* at, const char* what) {
  for (; *what; at++, what++) {
    if (*at != *what) return false;
  }
  return true;
}

static inline const char* find_text(const char* text, const char* what) {
  for (; *text; text++) {
    if (*text == *what && begins_with(text, what)) return text;
  }
  return NULL;
}

static inline int occurrences(const char* text, const char* what) {
  int count = 0;
  for (const char* at = text; (at = find_text(at, what)); at += strlen(what)) count++;
  return count;
}

/* strtod */
static inline double read_number(const char* at, const char** end) {
  char number[64];
  size_t size = 0;
  while (size < sizeof number - 1 && at[size] && find_text("0123456789+-.eE", (char[]){at[size], 0})) {
    number[size] = at[size];
    size++;
  }
  number[size] = 0;
  char* behind;
  double value = strtod(number, &behind);
  if (end) *end = at + (behind - number);
  return value;
}

/* Whether every element ends where it should; a stack of names, as a parser would keep it. */
static inline void assert_well_formed(const char* text) {
  char open[64][32];
  int depth = 0;
  for (const char* at = text; *at; at++) {
    if (*at != '<') continue;
    bool ends = at[1] == '/';
    const char* name = at + 1 + ends;
    size_t size = 0;
    while (name[size] && name[size] != ' ' && name[size] != '/' && name[size] != '>') size++;
    while (at[1] && at[1] != '>') {
      at++;
      assert_true(*at != '<');
    }
    assert_true(at[1] == '>' && size < 32);
    if (ends) {
      assert_true(depth > 0);
      depth--;
      assert_true(size == strlen(open[depth]) && memcmp(name, open[depth], size) == 0);
    } else if (*at != '/') {
      assert_true(depth < 64);
      memcpy(open[depth], name, size);
      open[depth++][size] = 0;
    }
  }
  assert_int_equal(depth, 0);
}

#endif
