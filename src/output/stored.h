/* A stored result, of whatever format, read row by row: columns of numbers with names, and the names of events. */
#ifndef ZW_OUTPUT_STORED_H
#define ZW_OUTPUT_STORED_H

#include "output/csv_reader.h"
#include "output/hdf5.h"

/* A zeroed one is closed. */
typedef struct ZwStored {
  int32_t count;            /* columns; the first is the time */
  const char* const* names; /* count */
  bool is_part;             /* the journal of a run that is not at its end, */
  bool is_torn;             /* which stops in the middle of a row: known behind the last one */
  const double* values;     /* count: of the last row */
  const char* event;        /* of the last row; "" */

  const char* error;    /* what is wrong, one sentence; "" */
  int64_t line, column; /* where in a text, from 1; 0: nowhere in particular */

  /* private */
  bool is_hdf5;
  ZwCsvReader csv;
  ZwHdf5Reader hdf5;
} ZwStored;

/* ZW_ERR_IO: it cannot be read; ZW_ERR_VALUE: it holds no result; ZW_ERR_MEMORY. */
ZwStatus zw_stored_open(ZwStored* stored, const ZwAllocator* allocator, const char* path);
/* *has_row is false behind the last row. ZW_ERR_VALUE: the file is damaged there. */
ZwStatus zw_stored_next(ZwStored* stored, bool* has_row);
/* The contacts that the file itself holds; a table holds none. Valid until it is closed. ZW_ERR_VALUE, ZW_ERR_MEMORY. */
ZwStatus zw_stored_contacts(ZwStored* stored, ZwHdf5Contacts* contacts);
/* Ends also one that could not be opened; `error` stays readable. */
void zw_stored_close(ZwStored* stored);

#endif
