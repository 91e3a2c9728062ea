/* The standard libraries, compiled into the program from lib/. */
#ifndef ZW_MODEL_LIBRARY_H
#define ZW_MODEL_LIBRARY_H

#include <stddef.h>

typedef struct ZwLibraryText {
  const char* name; /* as in `use name`; NULL ends the list */
  const char* text;
  size_t size;
} ZwLibraryText;

extern const ZwLibraryText zw_library_texts[];

#endif
