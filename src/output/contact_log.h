/* The log of contacts: a journal with one line for each thing that happens to a contact (ZwContactEvent).
 *
 *   t,contact,what,impulse,friction,friction2,lost,theta,wall work
 *   0,floor,open,0,0,0,0,0,0                what every contact is at the start of the run,
 *   0.4515,floor,hit,7.97,0,0,3.53,1,0      each hit, with its impulses, the energy lost, theta and the work of the wall,
 *   2.8734,floor,closed,0,0,0,0,0,0         each change: open, closed, sticks, slips
 *   10,,end,0,0,0,0,0,0                     and, when the run is at its end, that it is
 *
 * The columns are the same for all models. `friction2` is the second part of an impulse of friction along a surface; a slip
 * of one direction has none.
 */
#ifndef ZW_OUTPUT_CONTACT_LOG_H
#define ZW_OUTPUT_CONTACT_LOG_H

#include "output/csv.h"
#include "output/csv_reader.h"
#include "zwang/types.h"

/* "open", "closed", "sticks", "slips", "hit" */
const char* zw_contact_what_text(ZwContactWhat what);

/* ---- writing ---- */

/* A zeroed log is a closed one. It is ended as its journal is (output/csv.h). */
typedef struct ZwContactLog {
  ZwCsv csv;
  const char* const* names; /* of the contacts; the caller keeps them */
  int64_t rows;             /* events so far */
} ZwContactLog;

ZwStatus zw_contact_log_open(ZwContactLog* log, const ZwAllocator* allocator, const char* path,
                             const char* const* names, int32_t count, const char** why);
/* Goes on behind the first `rows` events, which take `size` bytes; as zw_csv_reopen. */
ZwStatus zw_contact_log_reopen(ZwContactLog* log, const ZwAllocator* allocator, const char* path,
                               const char* const* names, int32_t count, int64_t rows, int64_t size, const char** why);
ZwStatus zw_contact_log_add(ZwContactLog* log, const ZwContactEvent* event);
/* The last line. */
ZwStatus zw_contact_log_end(ZwContactLog* log, double t);

/* ---- reading ---- */

typedef struct ZwContactNames ZwContactNames;

/* A zeroed reader is a closed one. */
typedef struct ZwContactReader {
  ZwContactEvent event; /* the last one */
  int32_t count;        /* contacts so far: those known at first, then as they come */
  int64_t rows;         /* events so far */
  double end;           /* of the run; NaN: not known (yet) */
  ZwCsvReader csv;      /* `line`, `column` and `error`, `is_part`, `is_torn` */

  /* private */
  ZwContactNames* names;
} ZwContactReader;

/* Whether a table with these columns is such a log. */
bool zw_contact_log_is(const char* const* names, int32_t count);
/* Contacts with these names have their numbers already; `count` may be 0. ZW_ERR_VALUE: it is no log of contacts. */
ZwStatus zw_contact_reader_open(ZwContactReader* reader, const ZwAllocator* allocator, const char* path,
                                const char* const* names, int32_t count);
/* The next event; *has_event is false behind the last one. */
ZwStatus zw_contact_reader_next(ZwContactReader* reader, bool* has_event);
/* The name of contact number i; lives until the reader is closed. */
const char* zw_contact_reader_name(const ZwContactReader* reader, int32_t i);
/* Ends also one that could not be opened; `csv.error` stays readable. */
void zw_contact_reader_close(ZwContactReader* reader);

#endif
