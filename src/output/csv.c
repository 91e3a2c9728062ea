#include "output/csv.h"

#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "base/str.h"

enum { FIELD_MAX = 32 }; /* zw_number_text and a separator */

static double system_clock(void* context) {
  (void)context;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double now(const ZwCsv* csv) {
  return csv->clock(csv->clock_context);
}

/* An empty name is quoted too: a row that is a single empty field would be an empty line. */
static bool needs_quotes(const char* name) {
  return name[0] == 0 || strpbrk(name, ",\"\n\r") != NULL;
}

static void add_char(ZwCsv* csv, char c) {
  ZW_ASSERT(csv->used < csv->capacity);
  csv->buffer[csv->used++] = c;
}

static void add_name(ZwCsv* csv, const char* name) {
  bool quotes = needs_quotes(name);
  if (quotes) add_char(csv, '"');
  for (; *name; name++) {
    if (*name == '"') add_char(csv, '"');
    add_char(csv, *name);
  }
  if (quotes) add_char(csv, '"');
}

static void add_header(ZwCsv* csv, const char* const* names) {
  int32_t columns = csv->count + csv->texts;
  for (int32_t i = 0; i < columns; i++) {
    add_name(csv, names[i]);
    add_char(csv, i + 1 < columns ? ',' : '\n');
  }
}

static size_t header_max(const char* const* names, int32_t count) {
  size_t size = 0;
  for (int32_t i = 0; i < count; i++) size += 2 * strlen(names[i]) + 3;
  return size;
}

static size_t max_size(size_t a, size_t b) {
  return a > b ? a : b;
}

/* Where the last whole row ends in a file that grew from start to end by a part of the buffer. Numbers hold no
 * newlines, and a header that was not written whole is discarded with its file. */
static int64_t whole_rows(const ZwCsv* csv, int64_t start, int64_t end) {
  int64_t size = end - start;
  while (size > 0 && csv->buffer[size - 1] != '\n') size--;
  return start + size;
}

static ZwStatus flush(ZwCsv* csv) {
  if (csv->failed) return csv->failed;
  int64_t start = csv->draft.size;
  csv->failed = zw_draft_write(&csv->draft, csv->buffer, csv->used, csv->error);
  if (csv->failed) {
    /* the reason of the failed write is the one to tell */
    char ignored[ZW_DRAFT_ERROR];
    zw_draft_cut(&csv->draft, whole_rows(csv, start, csv->draft.size), ignored);
  }
  csv->used = 0;
  csv->last_flush = now(csv);
  return csv->failed;
}

static void release(ZwCsv* csv) {
  zw_release(&csv->draft.allocator, csv->buffer);
  csv->buffer = NULL;
}

static ZwStatus take_buffer(ZwCsv* csv, const ZwAllocator* allocator, const char* const* names) {
  csv->row_max = (size_t)csv->count * FIELD_MAX + (size_t)csv->texts * (2 * (size_t)csv->text_max + 3);
  csv->capacity = max_size(ZW_CSV_BUFFER, max_size(csv->row_max, header_max(names, csv->count + csv->texts)));
  csv->buffer = zw_alloc(allocator, csv->capacity);
  if (csv->buffer) return ZW_OK;
  zw_snprintf(csv->error, sizeof csv->error, "out of memory");
  return ZW_ERR_MEMORY;
}

static ZwStatus open_journal(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const ZwCsvColumns* columns) {
  const char* const* names = columns->names;
  ZW_TRY(zw_draft_replace(&csv->draft, allocator, path, columns->stale, csv->error));
  ZwStatus status = take_buffer(csv, allocator, names);
  if (!status) {
    /* the names go out at once: a file that cannot be written is known before the run begins */
    add_header(csv, names);
    status = flush(csv);
  }
  if (status) {
    release(csv);
    zw_draft_discard(&csv->draft);
  }
  return status;
}

static ZwCsvColumns plain_columns(const char* const* names, int32_t count, bool has_text) {
  return (ZwCsvColumns){names, count, has_text, ZW_CSV_TEXT, NULL};
}

static void set_columns(ZwCsv* csv, const ZwCsvColumns* columns) {
  ZW_ASSERT(columns->numbers > 0);
  *csv =
      (ZwCsv){.clock = system_clock, .count = columns->numbers, .texts = columns->texts, .text_max = columns->text_max};
}

ZwStatus zw_csv_open_fields(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const ZwCsvColumns* columns,
                            const char** why) {
  set_columns(csv, columns);
  ZwStatus status = open_journal(csv, allocator, path, columns);
  if (status && why) *why = csv->error;
  return status;
}

ZwStatus zw_csv_open(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names,
                     int32_t count, const char** why) {
  ZwCsvColumns columns = plain_columns(names, count, false);
  return zw_csv_open_fields(csv, allocator, path, &columns, why);
}

ZwStatus zw_csv_open_text(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names,
                          int32_t count, const char** why) {
  ZwCsvColumns columns = plain_columns(names, count, true);
  return zw_csv_open_fields(csv, allocator, path, &columns, why);
}

/* The row of names is what it would write itself, and so many bytes are there. */
static ZwStatus pass_rows(ZwCsv* csv, const char* const* names, int64_t size) {
  int64_t all = csv->draft.left;
  add_header(csv, names);
  size_t header = csv->used;
  if (size == 0) size = (int64_t)header;
  if (size < (int64_t)header || all < size) {
    zw_snprintf(csv->error, sizeof csv->error, "\"%.300s\" has %lld bytes, and should have at least %lld",
                csv->draft.part, (long long)all, (long long)size);
    return ZW_ERR_VALUE;
  }
  csv->used = 0;
  if (!zw_draft_starts(&csv->draft, csv->buffer, header)) {
    zw_snprintf(csv->error, sizeof csv->error, "\"%.300s\" has other columns", csv->draft.part);
    return ZW_ERR_VALUE;
  }
  if (zw_draft_skip(&csv->draft, size)) return ZW_OK;
  zw_snprintf(csv->error, sizeof csv->error, "\"%.300s\" has no end of a row at byte %lld", csv->draft.part,
              (long long)size);
  return ZW_ERR_VALUE;
}

ZwStatus zw_csv_reopen_fields(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const ZwCsvColumns* columns,
                              int64_t size, const char** why) {
  set_columns(csv, columns);
  ZwStatus status = zw_draft_reopen(&csv->draft, allocator, path, csv->error);
  if (!status) status = take_buffer(csv, allocator, columns->names);
  if (!status) status = pass_rows(csv, columns->names, size);
  csv->last_flush = now(csv);
  if (status) {
    char ignored[ZW_DRAFT_ERROR];
    if (csv->buffer) release(csv);
    zw_draft_abandon(&csv->draft, ignored); /* what was there stays */
    if (why) *why = csv->error;
  }
  return status;
}

ZwStatus zw_csv_reopen(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names,
                       int32_t count, bool has_text, int64_t size, const char** why) {
  ZwCsvColumns columns = plain_columns(names, count, has_text);
  return zw_csv_reopen_fields(csv, allocator, path, &columns, size, why);
}

ZwStatus zw_csv_sync(ZwCsv* csv, int64_t* size) {
  if (csv->failed) return csv->failed;
  if (csv->used > 0) ZW_TRY(flush(csv));
  *size = csv->draft.size;
  return zw_draft_sync(&csv->draft, csv->error);
}

ZwStatus zw_csv_poll(ZwCsv* csv) {
  if (csv->failed) return csv->failed;
  if (csv->used > 0 && now(csv) - csv->last_flush >= ZW_CSV_PAUSE) return flush(csv);
  return ZW_OK;
}

static void add_number(ZwCsv* csv, double value) {
  ZW_ASSERT(csv->used + FIELD_MAX <= csv->capacity);
  csv->used += (size_t)zw_number_text(value, csv->buffer + csv->used);
}

/* How much of a text is written: whole characters. */
static size_t cut_text(const ZwCsv* csv, const char* text) {
  size_t size = strlen(text), most = (size_t)csv->text_max;
  if (size <= most) return size;
  while (most > 0 && ((unsigned char)text[most] & 0xC0) == 0x80) most--;
  return most;
}

/* A text that is not there is an empty field, without quotes; newlines become spaces, so that a line is a row. */
static void add_text(ZwCsv* csv, const char* text) {
  size_t size = cut_text(csv, text);
  bool quotes = false;
  for (size_t i = 0; i < size; i++) quotes = quotes || text[i] == ',' || text[i] == '"';
  if (quotes) add_char(csv, '"');
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '"') add_char(csv, '"');
    add_char(csv, text[i] == '\n' || text[i] == '\r' ? ' ' : text[i]);
  }
  if (quotes) add_char(csv, '"');
}

static ZwStatus make_room(ZwCsv* csv) {
  ZW_ASSERT(csv->buffer);
  if (csv->failed) return csv->failed;
  return csv->used + csv->row_max > csv->capacity ? flush(csv) : ZW_OK;
}

ZwStatus zw_csv_row_fields(ZwCsv* csv, const ZwCsvField* fields) {
  ZW_TRY(make_room(csv));
  int32_t columns = csv->count + csv->texts;
  for (int32_t i = 0; i < columns; i++) {
    if (fields[i].text)
      add_text(csv, fields[i].text);
    else
      add_number(csv, fields[i].number);
    add_char(csv, i + 1 < columns ? ',' : '\n');
  }
  return zw_csv_poll(csv);
}

ZwStatus zw_csv_row_text(ZwCsv* csv, const double* values, const char* text) {
  ZW_TRY(make_room(csv));
  for (int32_t i = 0; i < csv->count; i++) {
    if (i > 0) add_char(csv, ',');
    add_number(csv, values[i]);
  }
  if (csv->texts > 0) {
    add_char(csv, ',');
    add_text(csv, text);
  }
  add_char(csv, '\n');
  return zw_csv_poll(csv);
}

ZwStatus zw_csv_row(ZwCsv* csv, const double* values) {
  return zw_csv_row_text(csv, values, "");
}

/* Rows still waiting; after a failure there are none. */
static ZwStatus flush_rest(ZwCsv* csv) {
  return csv->used > 0 ? flush(csv) : csv->failed;
}

ZwStatus zw_csv_finish(ZwCsv* csv) {
  if (!csv->buffer) return ZW_OK;
  ZwStatus status = flush_rest(csv);
  if (!status) status = zw_draft_sync(&csv->draft, csv->error);
  release(csv);
  if (!status) return zw_draft_finish(&csv->draft, csv->error);
  char ignored[ZW_DRAFT_ERROR];
  zw_draft_abandon(&csv->draft, ignored);
  return status;
}

ZwStatus zw_csv_abandon(ZwCsv* csv) {
  if (!csv->buffer) return ZW_OK;
  ZwStatus status = flush_rest(csv);
  release(csv);
  char late[ZW_DRAFT_ERROR];
  ZwStatus closed = zw_draft_abandon(&csv->draft, status ? late : csv->error);
  return status ? status : closed;
}

void zw_csv_discard(ZwCsv* csv) {
  if (!csv->buffer) return;
  release(csv);
  zw_draft_discard(&csv->draft);
}
