/* The journal of a run: a CSV file that only grows, row by row (RFC 4180, LF, `nan`, numbers that read back as the same
 * double).
 *
 * Rows are collected in a buffer and written together; a write ends at the end of a row. So when a run ends, for whatever
 * reason, the `.part` holds whole rows (see output/draft.h for the .part and for devices and pipes). A disk that fills up
 * in the middle of a row costs that row: the file is cut back to the last whole one. Only a device or a pipe, which
 * cannot be cut, may keep a piece of a row, and a process that is killed (SIGKILL) while it writes: the system then
 * may stop at the end of a page. Readers leave out such a piece (output/csv_reader.h).
 *
 * All memory is taken when the journal is opened.
 *
 * A table of rows has numbers, and perhaps a text behind them. A log may have texts anywhere among its columns.
 */
#ifndef ZW_OUTPUT_CSV_H
#define ZW_OUTPUT_CSV_H

#include "output/draft.h"

enum { ZW_CSV_BUFFER = 64 * 1024 };   /* bytes collected before they are written; more if one row is longer */
enum { ZW_CSV_TEXT = 240 };           /* bytes of a text */
static const double ZW_CSV_PAUSE = 1; /* s; rows wait no longer than this in the buffer while rows or polls arrive */

/* Seconds on a clock that never goes back. */
typedef double (*ZwCsvClockFn)(void* context);

/* What a row consists of. */
typedef struct ZwCsvColumns {
  const char* const* names; /* numbers + texts */
  int32_t numbers, texts;
  int32_t text_max;  /* bytes of the longest text; what is longer is cut */
  const char* stale; /* a file that belongs to the rows that were there, and goes with them; NULL: none */
} ZwCsvColumns;

/* One of a row: a text, or a number where `text` is NULL. */
typedef struct ZwCsvField {
  const char* text;
  double number;
} ZwCsvField;

/* A zeroed journal is a closed one. */
typedef struct ZwCsv {
  ZwCsvClockFn clock; /* the system's, until a test replaces it after opening */
  void* clock_context;
  char error[ZW_DRAFT_ERROR]; /* why the last call failed, one sentence; "" if none did */

  /* private */
  ZwDraft draft;
  char* buffer;
  size_t used, capacity;
  size_t row_max;    /* bytes of the longest possible row */
  double last_flush; /* s */
  int32_t count;     /* columns of numbers, */
  int32_t texts;     /* of texts; in a table the last one */
  int32_t text_max;  /* bytes */
  ZwStatus failed;   /* a write failed: sticky, nothing is written any more */
} ZwCsv;

/* Opens the journal and writes the row of names. When it fails, `*why` (if `why` is not NULL) is the sentence in
 * `csv->error` and no file is left behind: ZW_ERR_IO or ZW_ERR_MEMORY. */
ZwStatus zw_csv_open(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names,
                     int32_t count, const char** why);
/* The same with one column more, the last of `names`, which holds a text. */
ZwStatus zw_csv_open_text(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names,
                          int32_t count, const char** why);
/* The same for rows of fields. */
ZwStatus zw_csv_open_fields(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const ZwCsvColumns* columns,
                            const char** why);
/* Goes on behind the first `size` bytes, or behind the row of names (0), of the .part that an earlier journal with the same
 * columns left; rows behind them stay as long as the new ones are the same. ZW_ERR_VALUE: it has other columns, or there is no row's end at that byte. */
ZwStatus zw_csv_reopen(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const char* const* names,
                       int32_t count, bool has_text, int64_t size, const char** why);
ZwStatus zw_csv_reopen_fields(ZwCsv* csv, const ZwAllocator* allocator, const char* path, const ZwCsvColumns* columns,
                              int64_t size, const char** why);
/* Adds one row of `count` values. ZW_ERR_IO when a write became necessary and failed, and for every row after that. */
ZwStatus zw_csv_row(ZwCsv* csv, const double* values);
/* The same with a text, cut after ZW_CSV_TEXT bytes; for a journal that has a column for it. */
ZwStatus zw_csv_row_text(ZwCsv* csv, const double* values, const char* text);
/* Adds one row of fields, as many numbers and texts as there are columns for. */
ZwStatus zw_csv_row_fields(ZwCsv* csv, const ZwCsvField* fields);
/* Writes the waiting rows if the last write is longer ago than ZW_CSV_PAUSE. For long pauses between rows. */
ZwStatus zw_csv_poll(ZwCsv* csv);

/* Writes the waiting rows and waits until all are on the disk; *size becomes the bytes of the file. */
ZwStatus zw_csv_sync(ZwCsv* csv, int64_t* size);

/* Three ends; each closes the file and frees the memory, also when it fails. Ending a closed journal does nothing.
 * `error` stays readable. */
ZwStatus zw_csv_finish(ZwCsv* csv);  /* all rows are on the disk and the .part becomes the file; on failure it stays */
ZwStatus zw_csv_abandon(ZwCsv* csv); /* all rows are written and the .part stays */
void zw_csv_discard(ZwCsv* csv);     /* the .part is removed */

#endif
