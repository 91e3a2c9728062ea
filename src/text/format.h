/* A text to the same text, laid out well: `zwang fmt`.
 *
 * Only space, line ends around braces and the columns of comments change. Comments, blank lines (one at a time) and the
 * author's line breaks stay; columns that the author aligned stay aligned. Formatting twice changes nothing more. */
#ifndef ZW_TEXT_FORMAT_H
#define ZW_TEXT_FORMAT_H

#include "base/diag.h"

enum { ZW_FORMAT_WIDTH = 120 }; /* columns; blocks on one line are opened beyond it, other lines are left alone */

/* Appends source number `file`, laid out, to `out`. A text that does not follow the grammar gives its messages in
 * `diags` and leaves `out` as it was. */
ZwStatus zw_format_text(ZwArena* arena, ZwDiagList* diags, int32_t file, ZwText* out);

#endif
