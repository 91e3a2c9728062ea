#include "output/csv_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/assert.h"
#include "base/str.h"
#include "base/utf8.h"

enum { BUFFER = 256 * 1024, QUOTED_MAX = 40 };

static ZwStatus fail(ZwCsvReader* reader, ZwStatus status, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

static ZwStatus fail(ZwCsvReader* reader, ZwStatus status, const char* format, ...) {
  va_list args;
  va_start(args, format);
  zw_vsnprintf(reader->error, sizeof reader->error, format, args);
  va_end(args);
  zw_str_end_whole(reader->error);
  return status;
}

static ZwStatus out_of_memory(ZwCsvReader* reader) {
  return fail(reader, ZW_ERR_MEMORY, "out of memory");
}

static ZwStatus cannot_read(ZwCsvReader* reader, int code) {
  char reason[128];
  if (strerror_r(code, reason, sizeof reason) != 0) zw_snprintf(reason, sizeof reason, "error %d", code);
  return fail(reader, ZW_ERR_IO, "cannot read '%s': %s", reader->path, reason);
}

/* ---- lines ---- */

/* Makes room behind the unread bytes. */
static ZwStatus make_room(ZwCsvReader* reader) {
  size_t rest = reader->used - reader->begin;
  if (reader->begin > 0) {
    memmove(reader->buffer, reader->buffer + reader->begin, rest);
    reader->begin = 0;
    reader->used = rest;
  }
  if (rest + 1 < reader->capacity) return ZW_OK;
  reader->line = reader->next_line;
  if (reader->capacity >= ZW_CSV_LINE_MAX) {
    return fail(reader, ZW_ERR_LIMIT, "this line is longer than 64 MB: the file is no table of results");
  }
  char* larger = zw_alloc(&reader->allocator, 2 * reader->capacity);
  if (!larger) return out_of_memory(reader);
  memcpy(larger, reader->buffer, rest);
  zw_release(&reader->allocator, reader->buffer);
  reader->buffer = larger;
  reader->capacity *= 2;
  return ZW_OK;
}

static ZwStatus read_more(ZwCsvReader* reader) {
  ZW_TRY(make_room(reader));
  ssize_t got;
  do got = read(reader->fd, reader->buffer + reader->used, reader->capacity - reader->used - 1);
  while (got < 0 && errno == EINTR);
  if (got < 0) return cannot_read(reader, errno);
  if (got == 0) reader->at_end = true;
  reader->used += (size_t)got;
  return ZW_OK;
}

/* The newline that ends the record at `begin`, not one inside quotes; looks from `*seen` on, which moves to the end of what was
 * looked at. */
static char* find_end(const ZwCsvReader* reader, size_t* seen, bool* is_quoted) {
  char *at = reader->buffer + reader->begin + *seen, *end = reader->buffer + reader->used;
  for (; at < end; at++) {
    if (*at == '"') *is_quoted = !*is_quoted;
    if (*at == '\n' && !*is_quoted) return at;
  }
  *seen = reader->used - reader->begin;
  return NULL;
}

/* One record without its newline, ended by 0 in the buffer; NULL at the end of the file. *is_whole: it had a newline. */
static ZwStatus next_record(ZwCsvReader* reader, char** record, size_t* size, bool* is_whole) {
  size_t seen = 0;
  bool is_quoted = false;
  char* end;
  reader->line = reader->next_line;
  reader->column = 0;
  while (!(end = find_end(reader, &seen, &is_quoted)) && !reader->at_end) ZW_TRY(read_more(reader));
  *is_whole = end != NULL;
  if (!end) end = reader->buffer + reader->used;
  *record = reader->buffer + reader->begin;
  *size = (size_t)(end - *record);
  reader->begin = (size_t)(end - reader->buffer) + *is_whole;
  for (const char* at = *record; (at = memchr(at, '\n', (size_t)(end - at))); at++) reader->next_line++;
  reader->next_line++;
  if (*size == 0 && !*is_whole) *record = NULL;
  *end = 0;
  if (*record && *size > 0 && end[-1] == '\r') (*record)[--*size] = 0;
  return ZW_OK;
}

/* Something is wrong at this place of the record. */
static ZwStatus wrong(ZwCsvReader* reader, const char* record, const char* at, const char* what) {
  char found[4 * QUOTED_MAX + 8];
  size_t size = 0;
  while (at[size] && at[size] != ',' && at[size] != '\n') size++;
  zw_snprintf(found, sizeof found, "%.*s", (int)(size > QUOTED_MAX ? QUOTED_MAX : size), at);
  zw_str_end_whole(found);
  for (char* c = found; *c; c++) *c = (unsigned char)*c < 0x20 ? '?' : *c;
  reader->column = 1 + zw_utf8_count(record, at - record);
  return fail(reader, ZW_ERR_VALUE, "%s, not '%s%s'", what, found, size > QUOTED_MAX ? "..." : "");
}

/* ---- fields ---- */

/* Takes one name or text off the record, quoted or not, and ends it by 0; *at moves behind it and its comma. False: a quote
 * is not closed, or something stands behind it. `*is_last` when no comma followed. */
static bool take_text(char** at, char** text, bool* is_last) {
  char *from = *at, *to = *at;
  *text = to;
  if (*from == '"') {
    for (from++; *from && !(from[0] == '"' && from[1] != '"'); from++) {
      if (*from == '"') from++; /* two quotes are one */
      *to++ = *from;
    }
    if (*from++ != '"') return false;
  } else {
    while (*from && *from != ',') from++;
    to = from;
  }
  if (*from && *from != ',') return false;
  *is_last = *from == 0;
  *at = from + !*is_last;
  *to = 0;
  return true;
}

static ZwStatus keep_name(ZwCsvReader* reader, int32_t i, const char* name) {
  reader->names[i] = zw_str_copy(&reader->arena, zw_str_from(name));
  return reader->names[i] ? ZW_OK : out_of_memory(reader);
}

static int32_t count_fields(const char* record) {
  int32_t count = 1;
  bool is_quoted = false;
  for (; *record; record++) {
    if (*record == '"') is_quoted = !is_quoted;
    if (*record == ',' && !is_quoted) count++;
  }
  return count;
}

static bool is_a_number(const char* text) {
  double value;
  return zw_number_is(text + strspn(text, " \t"), &value);
}

/* UTF-8 without zeros. */
static bool is_text(const char* record, size_t size) {
  uint32_t code;
  for (size_t i = 0; i < size; i += (size_t)zw_utf8_next(record + i, (ptrdiff_t)(size - i), &code)) {
    bool is_damaged = zw_utf8_next(record + i, (ptrdiff_t)(size - i), &code) == 1 && code == ZW_UTF8_DAMAGED;
    if (record[i] == 0 || is_damaged) return false;
  }
  return true;
}

static ZwStatus read_names(ZwCsvReader* reader) {
  char *record, *name;
  size_t size;
  bool is_whole, is_last = false;
  ZW_TRY(next_record(reader, &record, &size, &is_whole));
  if (record && size >= 3 && memcmp(record, "\xEF\xBB\xBF", 3) == 0) record += 3, size -= 3; /* a mark of UTF-8 */
  if (!record || size == 0)
    return fail(reader, ZW_ERR_VALUE, "the file is empty: the names of the columns are missing");
  if (reader->is_part && !is_whole) return fail(reader, ZW_ERR_VALUE, "the names of the columns are cut short");
  const char* encoding = zw_utf8_other(record, (ptrdiff_t)size);
  if (encoding) return fail(reader, ZW_ERR_VALUE, "this is %s: save the table as UTF-8", encoding);
  if (!is_text(record, size)) return fail(reader, ZW_ERR_VALUE, "this is no text: the file is no table of results");
  reader->count = count_fields(record);
  reader->names = ZW_NEW(&reader->arena, reader->count, const char*);
  reader->values = ZW_NEW(&reader->arena, reader->count, double);
  if (reader->arena.failed) return out_of_memory(reader);
  char* at = record;
  for (int32_t i = 0; i < reader->count; i++) {
    char* place = at;
    if (!take_text(&at, &name, &is_last)) return wrong(reader, record, place, "a name expected");
    if (i == 0 && (name[0] == 0 || is_a_number(name)))
      return wrong(reader, record, place, "the names of the columns expected");
    ZW_TRY(keep_name(reader, i, name));
  }
  reader->has_text = reader->count > 1 && strcmp(reader->names[reader->count - 1], "event") == 0;
  if (reader->has_text) reader->count--;
  return ZW_OK;
}

/* An output may be called `event` too: the first row tells numbers from texts. */
static void look_at_text(ZwCsvReader* reader, const char* record) {
  if (reader->is_text_known || !reader->has_text) return;
  reader->is_text_known = true;
  const char* comma = strrchr(record, ',');
  if (!comma || !is_a_number(comma + 1)) return;
  reader->has_text = false;
  reader->count++;
}

static ZwStatus wrong_count(ZwCsvReader* reader, const char* record, const char* at) {
  reader->column = 1 + zw_utf8_count(record, at - record);
  return fail(reader, ZW_ERR_VALUE, "this row has %d fields and the first line %d", (int)count_fields(record),
              (int)(reader->count + reader->has_text));
}

/* A number and the comma behind it, or the end of the record. */
static ZwStatus read_number(ZwCsvReader* reader, const char* record, char** at, bool is_last, double* value) {
  char* begin = *at;
  while (*begin == ' ' || *begin == '\t') begin++;
  char* end = begin;
  while (*end && *end != ',') end++;
  ZwNumber number = zw_number_read(begin, end - begin);
  *value = number.value;
  if (number.kind == ZW_NUMBER_NONE || begin + number.size != end) {
    return wrong(reader, record, *at, "a number expected");
  }
  if ((*end == 0) != is_last) return wrong_count(reader, record, end);
  *at = end + (*end == ',');
  return ZW_OK;
}

static ZwStatus read_text(ZwCsvReader* reader, const char* record, char** at, bool is_last, const char* expected,
                          const char** text) {
  char *place = *at, *found;
  bool is_end;
  if (!take_text(at, &found, &is_end)) return wrong(reader, record, place, expected);
  if (is_end != is_last) return wrong_count(reader, record, is_end ? place + strlen(place) : *at - 1);
  *text = found;
  return ZW_OK;
}

static ZwStatus read_row(ZwCsvReader* reader, char* record, size_t size) {
  if (strlen(record) != size) return wrong(reader, record, record + strlen(record), "a number expected");
  /* texts are ended in place: afterwards nobody could count */
  if (reader->texts && count_fields(record) != reader->count + reader->has_text) {
    return wrong_count(reader, record, record + size);
  }
  char* at = record;
  for (int32_t i = 0; i < reader->count; i++) {
    bool is_last = i + 1 == reader->count && !reader->has_text;
    if (i >= reader->texts_begin && i < reader->texts_end) {
      reader->values[i] = NAN;
      ZW_TRY(read_text(reader, record, &at, is_last, "a name expected", &reader->texts[i - reader->texts_begin]));
    } else {
      ZW_TRY(read_number(reader, record, &at, is_last, &reader->values[i]));
    }
  }
  reader->text = "";
  if (!reader->has_text) return ZW_OK;
  return read_text(reader, record, &at, true, "the name of an event expected", &reader->text);
}

/* ---- the file ---- */

static bool ends_in(const char* path, const char* ending) {
  size_t size = strlen(path), end = strlen(ending);
  return size >= end && strcmp(path + size - end, ending) == 0;
}

static ZwStatus open_file(ZwCsvReader* reader, const char* path) {
  reader->path = zw_str_copy(&reader->arena, zw_str_from(path));
  reader->capacity = BUFFER;
  reader->buffer = zw_alloc(&reader->allocator, reader->capacity);
  if (!reader->path || !reader->buffer) return out_of_memory(reader);
  do reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* a fifo is not waited for, */
  while (reader->fd < 0 && errno == EINTR);
  if (reader->fd < 0) return cannot_read(reader, errno);
  reader->is_open = true;
  struct stat info;
  if (fstat(reader->fd, &info) != 0) return cannot_read(reader, errno);
  if (S_ISDIR(info.st_mode)) return cannot_read(reader, EISDIR);
  if (!S_ISREG(info.st_mode)) return fail(reader, ZW_ERR_IO, "cannot read \"%.300s\": it is no regular file", path);
  return ZW_OK;
}

ZwStatus zw_csv_reader_open(ZwCsvReader* reader, const ZwAllocator* allocator, const char* path) {
  *reader = (ZwCsvReader){.allocator = *allocator, .text = "", .next_line = 1, .is_part = ends_in(path, ".part")};
  zw_arena_init(&reader->arena, allocator);
  ZwStatus status = open_file(reader, path);
  if (!status) status = read_names(reader);
  if (status) zw_csv_reader_close(reader);
  return status;
}

ZwStatus zw_csv_reader_texts(ZwCsvReader* reader, int32_t first, int32_t count) {
  ZW_ASSERT(reader->is_open && reader->rows == 0 && first >= 0 && count >= 0 && first + count <= reader->count);
  reader->texts = ZW_NEW(&reader->arena, count + 1, const char*);
  if (!reader->texts) return out_of_memory(reader);
  reader->texts_begin = first;
  reader->texts_end = first + count;
  return ZW_OK;
}

ZwStatus zw_csv_reader_next(ZwCsvReader* reader, bool* has_row) {
  char* record;
  size_t size;
  bool is_whole;
  *has_row = false;
  ZW_TRY(next_record(reader, &record, &size, &is_whole));
  if (!record) return ZW_OK;
  if (!is_whole && reader->is_part) {
    reader->is_torn = true;
    return ZW_OK;
  }
  look_at_text(reader, record);
  ZW_TRY(read_row(reader, record, size));
  reader->rows++;
  *has_row = true;
  return ZW_OK;
}

void zw_csv_reader_close(ZwCsvReader* reader) {
  if (reader->is_open) close(reader->fd);
  reader->is_open = false;
  if (reader->buffer) zw_release(&reader->allocator, reader->buffer);
  reader->buffer = NULL;
  if (reader->allocator.alloc) zw_arena_destroy(&reader->arena);
  reader->names = NULL;
  reader->values = NULL;
  reader->texts = NULL;
  reader->path = NULL;
  reader->allocator = (ZwAllocator){0};
}
