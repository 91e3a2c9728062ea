/* Reading UTF-8 that may be damaged. */
#ifndef ZW_BASE_UTF8_H
#define ZW_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

enum { ZW_UTF8_DAMAGED = 0xFFFD }; /* the replacement character */

/* The character at the start of `size` > 0 bytes. Returns how many bytes it takes; a byte that belongs to no valid
 * character (overlong, surrogate, above U+10FFFF, cut short) takes one and reads as ZW_UTF8_DAMAGED. */
int32_t zw_utf8_next(const char* data, ptrdiff_t size, uint32_t* code);
/* How many characters there are, read in this way. */
int32_t zw_utf8_count(const char* data, ptrdiff_t size);
/* "UTF-16" or "UTF-32" when a text begins as such do, with their mark or with a zero beside each letter; else NULL. */
const char* zw_utf8_other(const char* data, ptrdiff_t size);

#endif
