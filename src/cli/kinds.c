/* Before a file is replaced: what is there was written by the same command, or it is the user's own and stays. How each kind is known is
 * in docs/design/results.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "output/draft.h"
#include "output/xml.h"

enum { LOOKED_AT = 64 * 1024 };

typedef struct Begin {
  char bytes[LOOKED_AT];
  size_t size;
  int64_t file_size;
  bool has_mark;
} Begin;

/* ZW_OK also when there is nothing that could be lost: no file, an empty one, a device; its size is 0 then. ZW_ERR_VALUE: it cannot be
 * read, so nobody knows what it is. */
static ZwStatus read_begin(const char* path, Begin* begin) {
  struct stat info;
  FILE* file = open_regular(path, NULL);
  begin->size = 0;
  if (!file && errno == ENOMEM) return ZW_ERR_MEMORY;
  if (!file) return errno == ENOENT || errno == ENOTDIR || errno == EINVAL ? ZW_OK : ZW_ERR_VALUE;
  begin->size = fread(begin->bytes, 1, LOOKED_AT, file);
  begin->file_size = fstat(fileno(file), &info) == 0 ? (int64_t)info.st_size : 0;
  begin->has_mark = has_mark(fileno(file));
  bool is_read = !ferror(file);
  fclose(file);
  return is_read ? ZW_OK : ZW_ERR_VALUE;
}

static bool is_at(const Begin* begin, size_t at, const char* what) {
  size_t size = strlen(what);
  return begin->size >= at + size && memcmp(begin->bytes + at, what, size) == 0;
}

static bool begins(const Begin* begin, const char* with) {
  return is_at(begin, 0, with);
}

/* Somewhere in the first `size` bytes. */
static bool has_within(const Begin* begin, size_t size, const char* what) {
  for (size_t at = 0; at < size; at++) {
    const char* next = memchr(begin->bytes + at, what[0], size - at);
    if (!next) return false;
    at = (size_t)(next - begin->bytes);
    if (is_at(begin, at, what)) return true;
  }
  return false;
}

static bool has(const Begin* begin, const char* what) {
  return has_within(begin, begin->size, what);
}

/* ---- texts ---- */

/* Our fonts stand in the very first tag. */
static bool is_picture(const Begin* begin) {
  const char* end = memchr(begin->bytes, '>', begin->size);
  return end && begins(begin, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"") &&
         has_within(begin, (size_t)(end - begin->bytes), ZW_SVG_FONTS);
}

/* Pages of earlier versions have no generator, but what they may load. */
static bool is_page(const Begin* begin) {
  return begins(begin, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n") &&
         (has(begin, "<meta name=\"generator\" content=\"zwang\">") ||
          has(begin,
              "content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src "
              "data:\">\n<link rel=\"icon\" href=\"data:,\">\n"));
}

/* The source, or its header. */
static bool is_code(const Begin* begin) {
  bool is_source = begins(begin, "/* The equations of motion of ") && has(begin, "Made by zwang ");
  bool is_header =
      begins(begin, "/* ") && has(begin, "\n *\n * The equations of motion of ") && has(begin, "\n * Made by zwang ");
  return is_source || is_header;
}

static bool is_derived(const Begin* begin) {
  bool is_json = begins(begin, "{\"zwang\":\"") && has(begin, "\"coordinates\":[") && has(begin, "\"M\":[");
  bool is_text = begins(begin, "Coordinates\n  ") && (has(begin, "\nMass matrix") || has(begin, "\nRight side h: ") ||
                                                      has(begin, "\nEquations by shape\n"));
  bool is_paper = (begins(begin, "The equations of ") && has(begin, "\n      paper  ")) ||
                  (begins(begin, "{\"zwang\":\"") && has(begin, "\"paper\":\"") && has(begin, "\"equations\":["));
  return is_json || is_text || is_paper || begins(begin, "% Made by `zwang derive --latex`.\n") ||
         begins(begin, "% Made by `zwang paper --latex`.\n");
}

/* ---- HDF5 ---- */

static uint64_t read_u64(const Begin* begin, size_t at) {
  uint64_t value = 0;
  for (size_t i = 8; i-- > 0;) value = value << 8 | (unsigned char)begin->bytes[at + i];
  return value;
}

/* One whose writing was ended by force says that it ends where its first block does, and does not. */
static bool is_unfinished(const Begin* begin) {
  enum { END_OF_FILE = 40, FIRST_BLOCK = 2048 };
  if (begin->size < END_OF_FILE + 8) return false;
  uint64_t end = read_u64(begin, END_OF_FILE);
  return end <= FIRST_BLOCK && (uint64_t)begin->file_size > end;
}

static bool is_hdf5(const Begin* begin, bool is_part) {
  return begins(begin, "\x89HDF\r\n") && (has(begin, "zwang result") || (is_part && is_unfinished(begin)));
}

/* ---- all kinds ---- */

static bool is_text_of(const Begin* begin, FileKind kind, bool is_part) {
  switch (kind) {
    case KIND_PICTURE:
      return is_picture(begin);
    case KIND_PAGE:
      return is_page(begin);
    case KIND_CODE:
      return is_code(begin);
    case KIND_DERIVED:
      return is_derived(begin);
    case KIND_HDF5:
      return is_hdf5(begin, is_part);
    case KIND_CHECKPOINT:
      return begins(begin, "zwang checkpoint ");
    default:
      return false;
  }
}

/* ZW_OK: nothing is lost when this is replaced; ZW_ERR_VALUE: it is not ours; ZW_ERR_MEMORY. */
static ZwStatus look_at(const char* path, const FilePlace* place, bool is_part) {
  Begin begin;
  ZW_TRY(read_begin(path, &begin));
  if (begin.size == 0) return ZW_OK;
  if (kind_is_table(place->kind)) return know_table(path, place->kind, place->own);
  bool is_marked = (place->kind == KIND_PICTURE || place->kind == KIND_MOVIE) && begin.has_mark;
  return is_marked || is_text_of(&begin, place->kind, is_part) ? ZW_OK : ZW_ERR_VALUE;
}

static const char* kind_text(FileKind kind) {
  static const char* const texts[] = {[KIND_ROWS] = "table of a run",
                                      [KIND_FORCES] = "table of forces",
                                      [KIND_CONTACTS] = "log of contacts",
                                      [KIND_SWEEP] = "table of a sweep",
                                      [KIND_LOCUS] = "table of eigenvalues",
                                      [KIND_PICTURE] = "picture",
                                      [KIND_PAGE] = "page",
                                      [KIND_CODE] = "exported model",
                                      [KIND_DERIVED] = "text of `zwang derive`",
                                      [KIND_HDF5] = "HDF5 result",
                                      [KIND_MOVIE] = "film",
                                      [KIND_CHECKPOINT] = "checkpoint"};
  return texts[kind];
}

/* A named pipe, a socket, a block device: nobody is waited for, and no result takes its place. Folders say so themselves. */
static bool is_in_the_way(const char* path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode) &&
         !zw_draft_is_device(path, info.st_mode);
}

/* ---- refusals ---- */

static int refuse(const Options* options, const char* text) {
  ZwDiag diag = plain_error(ZW_ERR_ARGUMENT, text);
  diag.remedy = "move it away, or choose another place with --out DIR or -o FILE";
  return complain_diag(options, &diag);
}

/* What look_at has found, for the user. */
static int refuse_other(const Options* options, ZwStatus status, const char* path, const char* kind) {
  char text[1024];
  if (!status) return EXIT_FINE;
  if (status == ZW_ERR_MEMORY) return complain(options, ZW_ERR_MEMORY, "out of memory");
  zw_snprintf(text, sizeof text, "'%.400s' is there already and no %s that zwang wrote: it would be lost", path, kind);
  return refuse(options, text);
}

static int check_whole(const Options* options, const FilePlace* place) {
  char text[1024];
  const char* kind = kind_text(place->kind);
  if (is_in_the_way(place->path)) {
    zw_snprintf(text, sizeof text, "'%.400s' is there already and no regular file: no %s can take its place",
                place->path, kind);
    return refuse(options, text);
  }
  return refuse_other(options, look_at(place->path, place, false), place->path, kind);
}

/* A link, a pipe or a .part that another process writes is refused by the draft itself. */
static bool is_plain(const char* path) {
  struct stat info;
  return lstat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static int check_part(const Options* options, const FilePlace* place) {
  char* part = join_path(".", place->path, ".part");
  if (!part) return complain(options, ZW_ERR_MEMORY, "out of memory");
  ZwStatus status = is_plain(part) ? look_at(part, place, true) : ZW_OK;
  int exit_code = refuse_other(options, status, part, kind_text(place->kind));
  free(part);
  return exit_code;
}

int check_file_place(const Options* options, const FilePlace* place) {
  if (strcmp(place->path, "/dev/stdout") == 0) return EXIT_FINE;
  int exit_code = place->keeps_whole ? EXIT_FINE : check_whole(options, place);
  return exit_code || place->keeps_part ? exit_code : check_part(options, place);
}

int check_kind(const Options* options, const char* path, FileKind kind) {
  return check_file_place(options, &(FilePlace){.path = path, .kind = kind});
}

void remove_kind(const char* path, FileKind kind) {
  FilePlace place = {.path = path, .kind = kind};
  if (is_plain(path) && look_at(path, &place, true) == ZW_OK) (void)unlink(path);
}

int check_draft(const Options* options, const char* path, const char* text, size_t size) {
  char* part = join_path(".", path, ".part");
  Begin begin = {.size = 0};
  if (!part) return complain(options, ZW_ERR_MEMORY, "out of memory");
  ZwStatus status = is_plain(part) ? read_begin(part, &begin) : ZW_OK;
  if (begin.file_size > (int64_t)size || begin.size > size || memcmp(begin.bytes, text, begin.size) != 0)
    status = ZW_ERR_VALUE;
  int exit_code = refuse_other(options, status, part, "piece of this text");
  free(part);
  return exit_code;
}
