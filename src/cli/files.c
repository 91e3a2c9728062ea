#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

enum { FILE_MAX = 256 * 1024 * 1024 }; /* bytes of a model */

static const char out_of_memory[] = "out of memory";

const char* read_stream(FILE* file, FileText* text) {
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
  if (!text->data) return out_of_memory;
  const char* why = NULL;
  if (ferror(file))
    why = strerror(errno);
  else if (text->size > FILE_MAX)
    why = "it is larger than 256 MB, the limit for a text";
  if (why) free(text->data);
  return why;
}

bool is_out_of_memory(const char* why) {
  return why == out_of_memory;
}

int unreadable_text(const Options* options, const char* file, const char* why) {
  ZwStatus status = is_out_of_memory(why) ? ZW_ERR_MEMORY : ZW_ERR_ARGUMENT;
  return complain(options, status, "cannot read '%s': %s", file, why);
}

FILE* open_regular(const char* path, const char** why) {
  struct stat info;
  int fd;
  if (why) *why = NULL;
  do fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    if (why) *why = strerror(errno);
    return NULL;
  }
  bool is_regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  FILE* file = is_regular ? fdopen(fd, "rb") : NULL;
  if (file) return file;
  if (why) *why = is_regular ? "out of memory" : S_ISDIR(info.st_mode) ? strerror(EISDIR) : "it is no regular file";
  close(fd);
  errno = is_regular ? ENOMEM : EINVAL;
  return NULL;
}

/* ---- files that were read ---- */

struct FilesRead {
  struct {
    dev_t device;
    ino_t number;
  } * list;
  size_t count, capacity;
};

FilesRead* create_files_read(void) {
  return calloc(1, sizeof(FilesRead));
}

void free_files_read(FilesRead* files) {
  if (files) free(files->list);
  free(files);
}

void remember_file(const Options* options, FILE* file) {
  FilesRead* files = options->files_read;
  struct stat info;
  if (!files || fstat(fileno(file), &info) != 0) return;
  if (files->count == files->capacity) {
    size_t capacity = files->capacity ? 2 * files->capacity : 16;
    void* larger = realloc(files->list, capacity * sizeof *files->list);
    if (!larger) return;
    files->list = larger;
    files->capacity = capacity;
  }
  files->list[files->count].device = info.st_dev;
  files->list[files->count++].number = info.st_ino;
}

bool was_read(const Options* options, const char* path) {
  const FilesRead* files = options->files_read;
  struct stat info;
  if (!files || stat(path, &info) != 0) return false;
  for (size_t i = 0; i < files->count; i++) {
    if (files->list[i].device == info.st_dev && files->list[i].number == info.st_ino) return true;
  }
  return false;
}

/* ---- models ---- */

int read_model_file(const Options* options, FileText* text) {
  struct stat info;
  if (stat(options->file, &info) == 0 && S_ISDIR(info.st_mode)) {
    bool is_problem = strcmp(options->command, "least") == 0;
    return complain(options, ZW_ERR_ARGUMENT, "'%s' is a folder, not a %s", options->file,
                    is_problem ? "problem file" : "model");
  }
  FILE* file = fopen(options->file, "rb");
  if (!file) {
    ZwStatus status = errno == ENOMEM ? ZW_ERR_MEMORY : ZW_ERR_ARGUMENT;
    return complain(options, status, "cannot open '%s': %s", options->file, strerror(errno));
  }
  remember_file(options, file);
  const char* why = read_stream(file, text);
  fclose(file);
  return why ? unreadable_text(options, options->file, why) : EXIT_FINE;
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
  if (path) zw_snprintf(path, size, "%s%s%s%s", is_here ? "" : folder, is_here || has_slash ? "" : "/", name, ending);
  return path;
}
