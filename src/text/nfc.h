/* One form for each name. Unicode has two ways to write é, one character or e with an accent behind it, and more for
 * letters with more marks; NFC, canonical composition, makes them the same bytes. */
#ifndef ZW_TEXT_NFC_H
#define ZW_TEXT_NFC_H

#include "base/str.h"

/* The text in NFC: itself where it is that already, else a copy in the arena of at most three times its size, ended by
 * 0. Text that is not UTF-8, or larger than ZW_NFC_SIZE bytes, comes back as it is, and so it does when memory is out. */
ZwStr zw_nfc(ZwArena* arena, ZwStr text);
enum { ZW_NFC_SIZE = INT32_MAX / 3 };

/* An accent or another mark that belongs to the letter before it. */
bool zw_is_mark(uint32_t character);

#endif
