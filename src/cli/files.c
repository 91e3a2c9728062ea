#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"

enum { FILE_MAX = 256 * 1024 * 1024 }; /* bytes of a model */

static bool read_all(const Options* options, FILE* file, FileText* text) {
  size_t capacity = 64 * 1024;
  text->data = malloc(capacity);
  text->size = 0;
  while (text->data) {
    size_t got = fread(text->data + text->size, 1, capacity - text->size, file);
    text->size += got;
    if (got == 0 || text->size > FILE_MAX) break;
    if (text->size < capacity) continue;
    capacity *= 2;
    char* larger = realloc(text->data, capacity);
    if (!larger) free(text->data);
    text->data = larger;
  }
  if (!text->data) {
    complain(options, ZW_ERR_MEMORY, "out of memory while reading '%s'", options->file);
    return false;
  }
  bool is_fine = true;
  if (ferror(file)) {
    complain(options, ZW_ERR_ARGUMENT, "cannot read '%s': %s", options->file, strerror(errno));
    is_fine = false;
  } else if (text->size > FILE_MAX) {
    complain(options, ZW_ERR_LIMIT, "'%s' is larger than %d MB, the limit for a model", options->file,
             FILE_MAX / 1024 / 1024);
    is_fine = false;
  }
  if (!is_fine) free(text->data);
  return is_fine;
}

bool read_model_file(const Options* options, FileText* text) {
  struct stat info;
  if (stat(options->file, &info) == 0 && S_ISDIR(info.st_mode)) {
    complain(options, ZW_ERR_ARGUMENT, "'%s' is a folder, not a model", options->file);
    return false;
  }
  FILE* file = fopen(options->file, "rb");
  if (!file) {
    complain(options, ZW_ERR_ARGUMENT, "cannot open '%s': %s", options->file, strerror(errno));
    return false;
  }
  bool is_fine = read_all(options, file, text);
  fclose(file);
  return is_fine;
}

char* model_name(const char* file) {
  const char* slash = strrchr(file, '/');
  const char* base = slash ? slash + 1 : file;
  size_t size = strlen(base);
  if (size > 3 && strcmp(base + size - 3, ".zw") == 0) size -= 3;
  char* name = calloc(size + 1, 1);
  if (name) memcpy(name, base, size);
  return name;
}

char* join_path(const char* folder, const char* name, const char* ending) {
  bool is_here = strcmp(folder, ".") == 0;
  size_t folder_size = strlen(folder);
  bool has_slash = folder_size > 0 && folder[folder_size - 1] == '/';
  size_t size = folder_size + strlen(name) + strlen(ending) + 2;
  char* path = calloc(size, 1);
  if (path) snprintf(path, size, "%s%s%s%s", is_here ? "" : folder, is_here || has_slash ? "" : "/", name, ending);
  return path;
}
