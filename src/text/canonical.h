/* A piece of a text as `zwang fmt` would write it: what columns and events are called after it must not change when the text is laid
 * out anew. */
#ifndef ZW_TEXT_CANONICAL_H
#define ZW_TEXT_CANONICAL_H

#include "base/arena.h"
#include "base/str.h"

/* Its tokens with the spaces that belong between them, without comments and line ends; names in NFC. The text itself when it cannot be
 * taken apart. */
ZwStr zw_canonical(ZwArena* arena, ZwStr text);

#endif
