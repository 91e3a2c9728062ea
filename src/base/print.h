/* printf that is the same in every locale, and that shows what a text brings along.
 *
 * It knows %d %i %u %x %X %c %s %e %f %g %% with the flags - + 0 and #, widths, precisions (both may be *) and the lengths
 * hh h l ll z t j: what this program uses, and the compiler checks. Numbers are rounded exactly (base/number.h). */
#ifndef ZW_BASE_PRINT_H
#define ZW_BASE_PRINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Into `out`, of which `room` bytes may be written and the last one is 0; returns the length that the whole text has. */
int zw_snprintf(char* out, size_t room, const char* format, ...) __attribute__((format(printf, 3, 4)));
int zw_vsnprintf(char* out, size_t room, const char* format, va_list args) __attribute__((format(printf, 3, 0)));

/* For people to read. Texts of %s come from names of files, models and tables: a control character in one could move the cursor
 * or turn the direction of the line, and is shown as \u{1B} instead (zw_shown). */
void zw_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
void zw_fprintf(FILE* stream, const char* format, ...) __attribute__((format(printf, 2, 3)));

/* Whether a character says nothing by itself, or does something to the characters around it: controls (C0, DEL, C1), marks of
 * direction, separators of lines, and what has no width. */
bool zw_is_hidden(uint32_t character);

enum { ZW_SHOWN_MOST = 12 }; /* bytes of one character, shown */

/* The character at the start of `size` > 0 bytes as it is shown: itself, \u{..} when it is hidden, \x{..} for a byte that is no
 * UTF-8. Writes at most ZW_SHOWN_MOST bytes, without a 0 after them, and returns how many; *taken is what was read. */
int zw_shown(const char* text, ptrdiff_t size, char* out, int* taken);

#endif
