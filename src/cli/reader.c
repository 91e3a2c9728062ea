/* Files that a model uses: libraries of the user's own (--lib), files and tables beside the model. A model from a
 * stranger must not read what it likes: paths stay below the folder of the file that asks, unless --allow-path. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static bool leaves_folder(const char* name) {
  if (name[0] == '/') return true;
  for (const char* at = name; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL) {
    if (at[0] == '.' && at[1] == '.' && (at[2] == '/' || at[2] == 0)) return true;
  }
  return false;
}

static char* real_path(const char* path, bool* lacks_memory) {
  char* real = realpath(path, NULL);
  if (!real && errno == ENOMEM) *lacks_memory = true;
  return real;
}

/* Whether a path lies below the folder that was allowed, links followed. */
static bool is_allowed(const char* allowed, const char* path, bool* lacks_memory) {
  char* folder = allowed ? real_path(allowed, lacks_memory) : NULL;
  char* file = real_path(path, lacks_memory);
  size_t size = folder ? strlen(folder) : 0;
  bool is_inside = folder && file && strncmp(folder, file, size) == 0 && (file[size] == '/' || folder[size - 1] == '/');
  free(folder);
  free(file);
  return is_inside;
}

/* A link inside the folder may lead out of it as well as `..` does. */
static bool stays_inside(const char* name, const char* path, bool* lacks_memory) {
  size_t size = strlen(path) - strlen(name);
  char* folder = size > 0 ? calloc(size + 1, 1) : NULL;
  if (size > 0 && !folder) *lacks_memory = true;
  if (folder) memcpy(folder, path, size);
  bool is_inside =
      !leaves_folder(name) && (size == 0 || folder) && is_allowed(folder ? folder : ".", path, lacks_memory);
  free(folder);
  return is_inside;
}

static bool is_missing(const char* path) {
  char* file = realpath(path, NULL);
  bool is_there = file != NULL || errno != ENOENT;
  free(file);
  return !is_there;
}

static ZwStatus read_path(const Options* options, const char* path, char** text, size_t* size, const char** why) {
  FILE* file = open_regular(path, why);
  if (!file) return errno == ENOENT ? ZW_ERR_NAME : errno == ENOMEM ? ZW_ERR_MEMORY : ZW_ERR_IO;
  remember_file(options, file);
  FileText content;
  *why = read_stream(file, &content);
  fclose(file);
  *text = content.data;
  *size = content.size;
  if (!*why) return ZW_OK;
  return is_out_of_memory(*why) ? ZW_ERR_MEMORY : ZW_ERR_IO;
}

static ZwStatus read_used(void* context, const char* name, const char* path, bool is_library, char** text, size_t* size,
                          const char** why) {
  const Options* options = context;
  if (!is_library) {
    if (!leaves_folder(name) && is_missing(path)) return ZW_ERR_NAME;
    bool lacks_memory = false;
    if (!stays_inside(name, path, &lacks_memory) && !is_allowed(options->allow_path, path, &lacks_memory)) {
      if (lacks_memory) return ZW_ERR_MEMORY; /* its place is not known */
      *why = "a path may not leave the folder of the model; --allow-path DIR allows a further folder";
      return ZW_ERR_IO;
    }
    return read_path(options, path, text, size, why);
  }
  if (!options->lib) return ZW_ERR_NAME;
  char* file = join_path(options->lib, name, ".zw");
  ZwStatus status = file ? read_path(options, file, text, size, why) : ZW_ERR_MEMORY;
  free(file);
  return status;
}

static void release_used(void* context, char* text) {
  (void)context;
  free(text);
}

ZwReader make_reader(const Options* options) {
  return (ZwReader){read_used, release_used, (void*)(uintptr_t)options};
}
