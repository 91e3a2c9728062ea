/* Letters that look like others: Cyrillic a like Latin a, the sign of micro like Greek mu. Names made of them are other names, which
 * nobody sees. */
#ifndef ZW_TEXT_LOOKALIKE_H
#define ZW_TEXT_LOOKALIKE_H

#include "base/str.h"

/* The letter that a character looks like, itself when it is that letter or looks like no other. */
uint32_t zw_looks_like(uint32_t character);
/* Whether one of a name's letters looks like another letter. */
bool zw_name_has_twins(ZwStr name);
/* Whether two names look alike. */
bool zw_names_look_alike(ZwStr a, ZwStr b);
/* Whether a name holds letters of ASCII beside letters that look like such; *odd is the first of these. */
bool zw_name_is_mixed(ZwStr name, uint32_t* odd);

#endif
