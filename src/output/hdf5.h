/* Results as HDF5 files: made from the journal at the end of a run, and read back.
 *
 *   /                  attributes: format "zwang result", schema 1, and whatever the caller tells about the run
 *   /columns           paths of the datasets of numbers, in the order of the journal
 *   /t, /q/x, ...      one dataset of numbers for each column, all as long as there are rows; its attribute `name` is the
 *                      name of the column in the journal
 *   /events/t, row, name   one entry for each event: when, the row right after it, what
 *   /contacts/...          of a model that has any, its log of contacts (output/contact_log.h): `name` and `word` are lists, and
 *                          `t`, `contact`, `what`, `impulse`, `friction`, `friction2`, `lost`, `theta`, `wall work` have one entry for each
 *                          event, where `contact` and `what` are places in the lists, from 0
 *   /parameters/m, ...     a number each
 *   /model/text, ...       a text each
 *
 * Behind what belongs to HDF5 stand 16 bytes more, "zwangsum" and a sum over all before: libhdf5 does not look at them, and
 * does not survive every damaged file itself. A program that changes the file cuts them off, and it is read without.
 *
 * Two files of the same content are the same, byte for byte. A slash inside a name is written as U+2215, and names that are
 * there already get a number, as in "line 5 (2)".
 */
#ifndef ZW_OUTPUT_HDF5_H
#define ZW_OUTPUT_HDF5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/status.h"
#include "output/draft.h"

enum { ZW_HDF5_ABOUT = 160, ZW_HDF5_SCHEMA = 1 };

/* Whether HDF5 files can be written and read here; `about` says by which version, or why not, in one sentence. */
bool zw_hdf5_is_there(char about[ZW_HDF5_ABOUT]);

/* ---- writing ---- */

/* Where something belongs. */
typedef struct ZwHdf5Place {
  const char* group; /* "": the root */
  const char* name;
} ZwHdf5Place;

typedef struct ZwHdf5Column {
  const char* journal; /* its name there */
  ZwHdf5Place place;
} ZwHdf5Column;

typedef struct ZwHdf5Number {
  ZwHdf5Place place;
  double value;
} ZwHdf5Number;

typedef struct ZwHdf5Text {
  ZwHdf5Place place;
  const char* text;
  const char* path; /* becomes an attribute; NULL: none */
} ZwHdf5Text;

/* Of the root: a text, or a whole number, or a number. */
typedef struct ZwHdf5Attribute {
  const char* name;
  const char* text; /* NULL: a number */
  double number;
  bool is_whole;
} ZwHdf5Attribute;

/* Only data; nothing of it is kept. */
typedef struct ZwHdf5Result {
  const char* path;    /* of the file; it grows in a .part beside it */
  const char* journal; /* the rows come from there; the first column is the time */
  int64_t rows;        /* so many of them */
  const ZwHdf5Column* columns;
  int32_t column_count;
  const ZwHdf5Number* numbers;
  int32_t number_count;
  const ZwHdf5Text* texts;
  int32_t text_count;
  const ZwHdf5Attribute* attributes;
  int32_t attribute_count;
  const char* contacts; /* the log of contacts; NULL: there is none */
  int64_t contact_rows; /* so many events of it */
  const char* const* contact_names;
  int32_t contact_count;
} ZwHdf5Result;

/* ZW_ERR_IO, ZW_ERR_VALUE (the journal is not what it should be), ZW_ERR_UNSUPPORTED or ZW_ERR_MEMORY, with one sentence in
 * `error` (ZW_DRAFT_ERROR bytes); no new file is left then, and an old one stays. */
ZwStatus zw_hdf5_write(const ZwHdf5Result* result, const ZwAllocator* allocator, char* error);

/* ---- reading ---- */

typedef struct ZwHdf5File ZwHdf5File;

/* A zeroed reader is a closed one. */
typedef struct ZwHdf5Reader {
  int32_t count;
  const char** names; /* those of the journal */
  const double* values;
  const char* event;
  int64_t rows; /* of all */
  char error[ZW_DRAFT_ERROR];

  /* private */
  ZwHdf5File* file;
} ZwHdf5Reader;

/* Adds the sum to a finished file, and whether the one of a file is right (also if it has none). */
bool zw_hdf5_seal(const char* path);
bool zw_hdf5_is_whole(const char* path);

/* Whether a file begins like one of HDF5. */
bool zw_hdf5_is_file(const char* path);
/* ZW_ERR_VALUE: damaged, or no result of ours; ZW_ERR_UNSUPPORTED: no HDF5 here; ZW_ERR_MEMORY. */
ZwStatus zw_hdf5_reader_open(ZwHdf5Reader* reader, const ZwAllocator* allocator, const char* path);
ZwStatus zw_hdf5_reader_next(ZwHdf5Reader* reader, bool* has_row);

/* What happened to contacts, in the order of time. */
typedef struct ZwHdf5Contacts {
  int64_t count;
  const double *t, *impulse;
  const int64_t *contact, *what; /* a number below name_count, and a ZwContactWhat */
  const char* const* names;
  int32_t name_count;
} ZwHdf5Contacts;

/* The contacts of the file, valid until the reader is closed; none if it has none. ZW_ERR_VALUE, ZW_ERR_MEMORY. */
ZwStatus zw_hdf5_reader_contacts(ZwHdf5Reader* reader, ZwHdf5Contacts* contacts);
void zw_hdf5_reader_close(ZwHdf5Reader* reader);

#endif
