/* A folder for the files of a test, under $TMPDIR or the current folder. */
#ifndef ZW_TEST_OUTPUT_SCRATCH_H
#define ZW_TEST_OUTPUT_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCRATCH_PATH = 1024 };

static char scratch_folder[SCRATCH_PATH / 2];

static inline int scratch_create(void** state) {
  (void)state;
  const char* parent = getenv("TMPDIR");
  snprintf(scratch_folder, sizeof scratch_folder, "%s/zwang-XXXXXX", parent && parent[0] ? parent : ".");
  return mkdtemp(scratch_folder) ? 0 : -1;
}

/* Removes the folder and the plain files and empty folders in it. */
static inline int scratch_remove(void** state) {
  (void)state;
  DIR* folder = opendir(scratch_folder);
  if (!folder) return -1;
  for (struct dirent* entry; (entry = readdir(folder));) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char path[SCRATCH_PATH];
    snprintf(path, sizeof path, "%s/%s", scratch_folder, entry->d_name);
    if (unlink(path) != 0) rmdir(path);
  }
  closedir(folder);
  return rmdir(scratch_folder);
}

static inline const char* scratch_path(char buffer[SCRATCH_PATH], const char* name) {
  snprintf(buffer, SCRATCH_PATH, "%s/%s", scratch_folder, name);
  return buffer;
}

/* The whole file, 0-ended, to be freed; NULL when there is none. */
static inline char* scratch_read(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  size_t size = 0, capacity = 1 << 16;
  char* text = malloc(capacity);
  for (size_t got; text && (got = fread(text + size, 1, capacity - size - 1, file)) > 0;) {
    size += got;
    if (capacity - size < 2) text = realloc(text, capacity *= 2);
  }
  fclose(file);
  if (text) text[size] = 0;
  return text;
}

/* The next descriptor the system would give: the same before and after means nothing was left open. */
static inline int scratch_next_fd(void) {
  int fd = dup(0);
  if (fd >= 0) close(fd);
  return fd;
}

#endif
