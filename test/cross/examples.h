/* The models in examples/, as texts. */
#ifndef ZW_TEST_EXAMPLES_H
#define ZW_TEST_EXAMPLES_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "numbers.h"

enum { EXAMPLES_MAX = 200, EXAMPLE_NAME_MAX = 64, PATH_SIZE = 1024 };

/* A path inside the source tree. The test runner says where that is. */
static inline void source_path(char path[PATH_SIZE], const char* folder, const char* name, const char* ending) {
  const char* root = getenv("ZWANG_ROOT");
  int size = snprintf(path, PATH_SIZE, "%s/%s/%s%s", root ? root : ".", folder, name, ending);
  assert_true(size > 0 && size < PATH_SIZE);
}

/* The whole file, ended by 0; the caller frees it. */
static inline char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) fail_msg("cannot open %s", path);
  size_t size = 0, room = 1 << 12;
  char* text = malloc(room);
  assert_non_null(text);
  for (;;) {
    size_t got = fread(text + size, 1, room - size - 1, file);
    if (got == 0) break;
    size += got;
    if (size + 1 < room) continue;
    room *= 2;
    text = realloc(text, room);
    assert_non_null(text);
  }
  assert_int_equal(ferror(file), 0);
  fclose(file);
  text[size] = 0;
  return text;
}

static inline char* read_model(const char* folder, const char* name) {
  char path[PATH_SIZE];
  source_path(path, folder, name, ".zw");
  return read_text(path);
}

static inline char* read_example(const char* name) {
  return read_model("examples", name);
}

/* The names of all examples, sorted. */
typedef struct Examples {
  int count;
  char names[EXAMPLES_MAX][EXAMPLE_NAME_MAX];
} Examples;

static inline int compare_names(const void* a, const void* b) {
  return strcmp(a, b);
}

static inline void list_models(const char* from, Examples* examples) {
  char path[PATH_SIZE];
  source_path(path, from, "", "");
  DIR* folder = opendir(path);
  if (!folder) fail_msg("cannot open %s", path);
  examples->count = 0;
  for (const struct dirent* entry = readdir(folder); entry; entry = readdir(folder)) {
    size_t size = strlen(entry->d_name);
    if (size < 4 || strcmp(entry->d_name + size - 3, ".zw") != 0) continue;
    assert_true(examples->count < EXAMPLES_MAX && size - 3 < EXAMPLE_NAME_MAX);
    char* name = examples->names[examples->count++];
    memcpy(name, entry->d_name, size - 3);
    name[size - 3] = 0;
  }
  closedir(folder);
  qsort(examples->names, (size_t)examples->count, sizeof examples->names[0], compare_names);
  assert_true(examples->count >= 20);
}

static inline void list_examples(Examples* examples) {
  list_models("examples", examples);
}

#endif
