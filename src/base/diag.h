/* Messages for the user: what is wrong, where in their text, what to do about it. Collected, never printed here. */
#ifndef ZW_BASE_DIAG_H
#define ZW_BASE_DIAG_H

#include "base/source.h"
#include "base/status.h"
#include "zwang/types.h"

enum { ZW_LIMIT_ERRORS = 50 }; /* after so many errors further ones are only counted */

typedef struct ZwDiagList {
  ZwArena* arena;
  const ZwSources* sources;
  ZW_ARRAY(ZwDiag) list;
  int32_t last;         /* message that a remedy belongs to */
  int32_t errors;       /* reported, repeated or dropped */
  int32_t dropped;      /* beyond the limit */
  ZwStatus first_error; /* what the failing stage returns */
} ZwDiagList;

void zw_diag_init(ZwDiagList* diags, ZwArena* arena, const ZwSources* sources);

/* Adds an error and returns its code, so that a check can end with `return zw_diag_error(...)`. */
ZwStatus zw_diag_error(ZwDiagList* diags, ZwStatus code, ZwSpan span, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds a note: something the user should know that does not stop the run. */
void zw_diag_note(ZwDiagList* diags, ZwSpan span, const char* format, ...) __attribute__((format(printf, 3, 4)));
/* What to do about the message added last. */
void zw_diag_remedy(ZwDiagList* diags, const char* format, ...) __attribute__((format(printf, 2, 3)));

#endif
