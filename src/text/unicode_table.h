/* What Unicode says about characters in names, as tables in ascending order. tools/unicode.py writes unicode_table.c. */
#ifndef ZW_TEXT_UNICODE_TABLE_H
#define ZW_TEXT_UNICODE_TABLE_H

#include <stdint.h>

typedef struct ZwCharRange {
  uint32_t first, last;
} ZwCharRange;

typedef struct ZwMarkRange {
  uint32_t first, last;
  uint32_t combining_class; /* 0: begins a new sequence */
} ZwMarkRange;

typedef struct ZwDecomposition {
  uint32_t whole, first, second; /* second 0: `whole` is but another code for `first` */
} ZwDecomposition;

/* XID_Start without '_'; XID_Continue without those. */
extern const ZwCharRange zw_name_starts[], zw_name_continues[];
extern const int32_t zw_name_starts_count, zw_name_continues_count;

/* A text without any of these is in NFC: they have a combining class, are changed by NFC, or join what is before them. */
extern const ZwMarkRange zw_marks[];
extern const int32_t zw_marks_count;

/* All but the Hangul syllables. */
extern const ZwDecomposition zw_decompositions[];
extern const int32_t zw_decompositions_count;
/* Places in zw_decompositions, ascending by (first, second): the pairs that NFC composes. */
extern const uint16_t zw_compositions[];
extern const int32_t zw_compositions_count;

#endif
