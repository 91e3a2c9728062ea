/* zwang fmt: to standard output, back into the files, or only the question whether they are laid out well. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/draft.h"

enum { LINKS_MAX = 40 }; /* symbolic links followed before it must be a circle */

static bool is_standard_input(const char* file) {
  return strcmp(file, "-") == 0;
}

static int read_text(const Options* options, FileText* text) {
  if (!is_standard_input(options->file)) return read_model_file(options, text);
  const char* why = read_stream(stdin, text);
  return why ? unreadable_text(options, "standard input", why) : EXIT_FINE;
}

/* ---- rewriting ---- */

/* Where a symbolic link leads, one step: NULL when it is none (or memory is out). */
static char* follow_link(const char* path) {
  struct stat info;
  if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode)) return NULL;
  size_t folder = 0, size = info.st_size > 0 ? (size_t)info.st_size : 4096;
  const char* slash = strrchr(path, '/');
  if (slash) folder = (size_t)(slash - path) + 1;
  char* target = calloc(folder + size + 1, 1);
  if (!target) return NULL;
  memcpy(target, path, folder);
  ssize_t got = readlink(path, target + folder, size);
  if (got > 0 && target[folder] == '/') memmove(target, target + folder, (size_t)got + 1);
  if (got > 0) return target;
  free(target);
  return NULL;
}

/* The file itself, so that a link stays a link. */
static char* resolve(const char* path) {
  char* real = calloc(strlen(path) + 1, 1);
  if (real) memcpy(real, path, strlen(path));
  for (int i = 0; real && i < LINKS_MAX; i++) {
    char* next = follow_link(real);
    if (!next) break;
    free(real);
    real = next;
  }
  return real;
}

/* The new text grows beside the file and takes its place and its permissions. */
static int rewrite(const Options* options, const char* text, size_t size) {
  char error[ZW_DRAFT_ERROR] = "";
  ZwAllocator allocator = zw_allocator_default();
  ZwDraft draft = {0};
  struct stat info;
  char* path = resolve(options->file);
  if (!path) return complain(options, ZW_ERR_MEMORY, "out of memory");
  int exit_code = check_draft(options, path, text, size);
  if (exit_code) {
    free(path);
    return exit_code;
  }
  ZwStatus status = zw_draft_open(&draft, &allocator, path, error);
  if (!status && stat(path, &info) == 0 && !draft.is_direct && fchmod(draft.fd, info.st_mode & 07777) != 0) {
    status = ZW_ERR_IO;
    zw_snprintf(error, sizeof error, "cannot keep the permissions of \"%s\": %s", options->file, strerror(errno));
  }
  if (!status) status = zw_draft_write(&draft, text, size, error);
  if (!status) status = zw_draft_sync(&draft, error);
  if (!status) status = zw_draft_finish(&draft, error);
  zw_draft_discard(&draft);
  free(path);
  return status ? complain(options, status, "%s", error) : EXIT_FINE;
}

/* ---- one text ---- */

static int print_text(const char* text, size_t size) {
  return fwrite(text, 1, size, stdout) == size ? EXIT_FINE : EXIT_FAILED; /* main says why */
}

static int deliver(const Options* options, const FileText* before, const char* text, size_t size) {
  bool has_changed = size != before->size || memcmp(text, before->data, size) != 0;
  if (options->check) {
    if (has_changed) zw_printf("%s\n", options->file);
    return has_changed ? EXIT_FAILED : EXIT_FINE;
  }
  if (!options->write) return print_text(text, size);
  return has_changed ? rewrite(options, text, size) : EXIT_FINE;
}

static int refuse(const Options* options, const ZwModel* model, ZwStatus status) {
  if (model && zw_model_error_count(model) > 0) {
    print_diags(model, NULL, true);
    return exit_status(status, false);
  }
  return complain(options, status, "'%s': %s", options->file, zw_status_text(status));
}

static int format_file(const Options* options) {
  FileText before;
  int unread = read_text(options, &before);
  if (unread) return unread;
  ZwCompileDef def = zw_default_compile_def();
  def.text = before.data;
  def.size = before.size;
  def.name = is_standard_input(options->file) ? "<stdin>" : options->file;
  ZwModel* model;
  char* text;
  size_t size;
  ZwStatus status = zw_model_format(&def, &model, &text, &size);
  int exit_code = status ? refuse(options, model, status) : deliver(options, &before, text, size);
  if (text) zw_text_free(model, text);
  zw_model_destroy(model);
  free(before.data);
  return exit_code;
}

/* Every file is looked at; the worst answer is the answer. */
int command_fmt(const Options* options) {
  if (options->operand_count == 0) {
    return complain(options, ZW_ERR_ARGUMENT, "which model? write: zwang fmt FILE");
  }
  if (options->write && options->check) {
    return complain(options, ZW_ERR_ARGUMENT, "--write changes files and --check does not: choose one");
  }
  int worst = EXIT_FINE;
  for (int32_t i = 0; i < options->operand_count; i++) {
    Options one = *options;
    one.file = options->operands[i];
    int exit_code = one.write && is_standard_input(one.file)
                        ? complain(options, ZW_ERR_ARGUMENT, "standard input cannot be rewritten: leave out --write")
                        : format_file(&one);
    if (exit_code > worst) worst = exit_code;
  }
  return worst;
}
