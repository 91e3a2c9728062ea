/* Names for C, made from the user's: crank.phi becomes crank_phi, x[2,1] becomes x_2_1, α becomes alpha. */
#ifndef ZW_EXPORT_NAMES_H
#define ZW_EXPORT_NAMES_H

#include "base/str.h"

/* Letters, digits and single underscores. Greek letters are spelled, other letters beyond ASCII become their numbers; what is
 * left of a name without letters is "unnamed". */
void zw_c_spell(ZwText* text, ZwStr name);

/* Names that must differ from each other. */
typedef struct ZwCScope {
  ZwArena* arena;
  bool is_bare; /* they stand without a prefix: what C keeps for itself is avoided, and digits at the begin are */
  ZW_ARRAY(const char*) taken;
} ZwCScope;

/* The name of something called `name` that nothing else in the scope has; the first one to ask gets the plain one. NULL when memory
 * is out. */
const char* zw_c_name(ZwCScope* scope, ZwStr name);

/* Whether a text can be the prefix of names in C. */
bool zw_c_is_prefix(ZwStr text);

#endif
