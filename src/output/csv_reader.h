/* Reading a journal or a finished table back, row by row: what output/csv.h writes, and what others write like it.
 *
 * A first line of names, then rows of numbers, and perhaps a last column `event` of texts. Lines may end in CR LF, names may be
 * quoted. Only one line is in memory at a time. What is wrong is told with its line and column.
 *
 * A journal (`.part`) may end in the middle of a row, when the run was killed while it wrote: that rest is no row, and
 * `is_torn` says so. A finished file may go without the newline at its end.
 */
#ifndef ZW_OUTPUT_CSV_READER_H
#define ZW_OUTPUT_CSV_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "output/draft.h"

enum { ZW_CSV_LINE_MAX = 64 * 1024 * 1024 }; /* bytes of one line */

/* A zeroed reader is a closed one. */
typedef struct ZwCsvReader {
  int32_t count;      /* columns of numbers */
  const char** names; /* count */
  bool has_text;      /* a column of texts is behind them */
  bool is_part;       /* the name ends in .part: the run that writes it is not at its end */
  bool is_torn;       /* it ended in the middle of a row; known at the end */
  double* values;     /* count: of the last row */
  const char* text;   /* of the last row; "" */
  const char** texts; /* of the last row: those of zw_csv_reader_texts */
  int64_t rows;       /* read so far */

  char error[ZW_DRAFT_ERROR]; /* what is wrong, one sentence; "" */
  int64_t line, column;       /* where, from 1, the column in characters; 0: nowhere in particular */

  /* private */
  ZwArena arena; /* names and values */
  ZwAllocator allocator;
  char* path;
  int fd;
  bool is_open, at_end;
  char* buffer;
  size_t begin, used, capacity;   /* unread bytes are buffer[begin .. used) */
  int64_t next_line;              /* number of the line that comes next */
  bool is_text_known;             /* whether a last column named `event` holds texts */
  int32_t texts_begin, texts_end; /* columns of `texts` */
} ZwCsvReader;

/* Opens the file and reads the names. ZW_ERR_IO: it cannot be read; ZW_ERR_VALUE: it is no such table; ZW_ERR_MEMORY. */
ZwStatus zw_csv_reader_open(ZwCsvReader* reader, const ZwAllocator* allocator, const char* path);
/* Before the first row: `count` columns from `first` on hold texts, not numbers. Their `values` are NaN. ZW_ERR_MEMORY. */
ZwStatus zw_csv_reader_texts(ZwCsvReader* reader, int32_t first, int32_t count);
/* The next row, into `values` and `text`; *has_row is false behind the last one. ZW_ERR_VALUE: the row is wrong. */
ZwStatus zw_csv_reader_next(ZwCsvReader* reader, bool* has_row);
/* Ends also one that could not be opened; `error` stays readable. */
void zw_csv_reader_close(ZwCsvReader* reader);

#endif
