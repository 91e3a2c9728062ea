/* Before a file is replaced: what is there is of the same kind, or it is the user's own and stays. */
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "output/draft.h"

enum { LOOKED_AT = 4096 };

typedef struct Begin {
  char bytes[LOOKED_AT + 1]; /* 0-ended */
  size_t size;
} Begin;

/* False when there is nothing that could be lost: no file, an empty one, a device. */
static bool read_begin(const char* path, Begin* begin) {
  FILE* file = open_regular(path, NULL);
  if (!file) return false;
  begin->size = fread(begin->bytes, 1, LOOKED_AT, file);
  begin->bytes[begin->size] = 0;
  fclose(file);
  return begin->size > 0;
}

static bool begins(const Begin* begin, const char* with) {
  size_t size = strlen(with);
  return begin->size >= size && memcmp(begin->bytes, with, size) == 0;
}

static bool has(const Begin* begin, const char* what) {
  return strstr(begin->bytes, what) != NULL;
}

/* The first line ends so, as far as it was read. */
static bool line_ends(const Begin* begin, const char* with) {
  const char* end = memchr(begin->bytes, '\n', begin->size);
  size_t size = strlen(with);
  if (!end) return begin->size == LOOKED_AT;
  return (size_t)(end - begin->bytes) >= size && memcmp(end - size, with, size) == 0;
}

static bool is_page(const Begin* begin) {
  return begins(begin, "<!doctype html") || begins(begin, "<!DOCTYPE html") || begins(begin, "<html");
}

static bool is_derived(const Begin* begin) {
  return has(begin, "zwang derive") || begins(begin, "{\"zwang\"") || begins(begin, "Coordinates\n");
}

static bool is_of(const Begin* begin, FileKind kind) {
  switch (kind) {
    case KIND_ROWS:
      return begins(begin, "t,") || begins(begin, "t\n");
    case KIND_CONTACTS:
      return begins(begin, "t,contact,");
    case KIND_SWEEP:
      return begins(begin, "member,");
    case KIND_LOCUS:
      return line_ends(begin, ",verdict");
    case KIND_PICTURE:
      return has(begin, "<svg");
    case KIND_PAGE:
      return is_page(begin);
    case KIND_CODE:
      return has(begin, "The equations of motion of");
    case KIND_DERIVED:
      return is_derived(begin);
    case KIND_HDF5:
      return begins(begin, "\x89HDF\r\n");
    case KIND_MOVIE:
      return begins(begin, "GIF8") || (begin->size > 8 && memcmp(begin->bytes + 4, "ftyp", 4) == 0);
    case KIND_CHECKPOINT:
      return begins(begin, "zwang checkpoint");
  }
  return false;
}

static const char* kind_text(FileKind kind) {
  static const char* const texts[] = {[KIND_ROWS] = "table of a run",    [KIND_CONTACTS] = "log of contacts",
                                      [KIND_SWEEP] = "table of a sweep", [KIND_LOCUS] = "table of eigenvalues",
                                      [KIND_PICTURE] = "picture (SVG)",  [KIND_PAGE] = "page (HTML)",
                                      [KIND_CODE] = "exported model",    [KIND_DERIVED] = "text of `zwang derive`",
                                      [KIND_HDF5] = "HDF5 file",         [KIND_MOVIE] = "film",
                                      [KIND_CHECKPOINT] = "checkpoint"};
  return texts[kind];
}

/* A named pipe, a socket, a block device: nobody is waited for, and no result takes its place. Folders say so themselves. */
static bool is_in_the_way(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) &&
         !zw_draft_is_device(path, info.st_mode);
}

int check_kind(const Options* options, const char* path, FileKind kind) {
  Begin begin;
  char text[1024];
  if (strcmp(path, "/dev/stdout") == 0) return EXIT_FINE;
  if (is_in_the_way(path))
    zw_snprintf(text, sizeof text, "'%.400s' is there already and no regular file: no %s can take its place", path,
                kind_text(kind));
  else if (read_begin(path, &begin) && !is_of(&begin, kind))
    zw_snprintf(text, sizeof text, "'%.400s' is there already and no %s: it would be lost", path, kind_text(kind));
  else
    return EXIT_FINE;
  ZwDiag diag = plain_error(ZW_ERR_ARGUMENT, text);
  diag.remedy = "move it away, or choose another place with --out DIR or -o FILE";
  return complain_diag(options, &diag);
}
