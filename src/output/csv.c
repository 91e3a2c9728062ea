#include "output/csv.h"

#include <stdio.h>
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
  int32_t columns = csv->count + csv->has_text;
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
  csv->row_max = (size_t)csv->count * FIELD_MAX + (csv->has_text ? 2 * ZW_CSV_TEXT + 3 : 0);
  csv->capacity = max_size(ZW_CSV_BUFFER, max_size(csv->row_max, header_max(names, csv->count + csv->has_text)));
  csv->buffer = zw_alloc(allocator, csv->capacity);
  if (csv->buffer) return ZW_OK;
  snprintf(csv->error, sizeof csv->error, "out of memory");
  return ZW_ERR_MEMORY;
}

static ZwStatus open_journal(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names) {
  ZW_TRY(zw_draft_open(&csv->draft, allocator, path, csv->error));
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

static ZwStatus open_with(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names,
                          int32_t count, bool has_text, const char** why) {
  ZW_ASSERT(count > 0);
  *csv = (ZwCsv){.clock = system_clock, .count = count, .has_text = has_text};
  ZwStatus status = open_journal(csv, allocator, path, names);
  if (status && why) *why = csv->error;
  return status;
}

ZwStatus zw_csv_open(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names,
                     int32_t count, const char** why) {
  return open_with(csv, allocator, path, names, count, false, why);
}

ZwStatus zw_csv_open_text(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names,
                          int32_t count, const char** why) {
  return open_with(csv, allocator, path, names, count, true, why);
}

/* The row of names is what it would write itself, and so many bytes are there. */
static ZwStatus pass_rows(ZwCsv* csv, const char* const* names, int64_t size) {
  int64_t all = csv->draft.left;
  add_header(csv, names);
  size_t header = csv->used;
  if (size == 0) size = (int64_t)header;
  if (size < (int64_t)header || all < size) {
    snprintf(csv->error, sizeof csv->error, "\"%.300s\" has %lld bytes, and should have at least %lld", csv->draft.part,
             (long long)all, (long long)size);
    return ZW_ERR_VALUE;
  }
  csv->used = 0;
  if (!zw_draft_starts(&csv->draft, csv->buffer, header)) {
    snprintf(csv->error, sizeof csv->error, "\"%.300s\" has other columns", csv->draft.part);
    return ZW_ERR_VALUE;
  }
  if (zw_draft_skip(&csv->draft, size)) return ZW_OK;
  snprintf(csv->error, sizeof csv->error, "\"%.300s\" has no end of a row at byte %lld", csv->draft.part,
           (long long)size);
  return ZW_ERR_VALUE;
}

ZwStatus zw_csv_reopen(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names,
                       int32_t count, bool has_text, int64_t size, const char** why) {
  ZW_ASSERT(count > 0);
  *csv = (ZwCsv){.clock = system_clock, .count = count, .has_text = has_text};
  ZwStatus status = zw_draft_reopen(&csv->draft, allocator, path, csv->error);
  if (!status) status = take_buffer(csv, allocator, names);
  if (!status) status = pass_rows(csv, names, size);
  csv->last_flush = now(csv);
  if (status) {
    char ignored[ZW_DRAFT_ERROR];
    if (csv->buffer) release(csv);
    zw_draft_abandon(&csv->draft, ignored); /* what was there stays */
    if (why) *why = csv->error;
  }
  return status;
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

static void add_numbers(ZwCsv* csv, const double* values) {
  for (int32_t i = 0; i < csv->count; i++) {
    ZW_ASSERT(csv->used + FIELD_MAX <= csv->capacity);
    csv->used += (size_t)zw_number_text(values[i], csv->buffer + csv->used);
    if (i + 1 < csv->count) add_char(csv, ',');
  }
}

/* A text that is not there is an empty field, without quotes; newlines become spaces, so that a line is a row. */
static void add_text(ZwCsv* csv, const char* text) {
  char cut[ZW_CSV_TEXT + 1];
  snprintf(cut, sizeof cut, "%s", text);
  zw_str_end_whole(cut);
  for (char* c = cut; *c; c++) *c = *c == '\n' || *c == '\r' ? ' ' : *c;
  add_char(csv, ',');
  if (cut[0]) add_name(csv, cut);
}

ZwStatus zw_csv_row_text(ZwCsv* csv, const double* values, const char* text) {
  ZW_ASSERT(csv->buffer);
  if (csv->failed) return csv->failed;
  if (csv->used + csv->row_max > csv->capacity) ZW_TRY(flush(csv));
  add_numbers(csv, values);
  if (csv->has_text) add_text(csv, text);
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
