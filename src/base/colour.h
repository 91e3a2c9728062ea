/* The colours of curves and drawings: those of Okabe and Ito, which everyone tells apart, made darker or lighter where they would not
 * be seen on a white or a black page. */
#ifndef ZW_BASE_COLOUR_H
#define ZW_BASE_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef struct ZwColour {
  const char* name;
  const char *light, *dark; /* "#rrggbb" on a light page, on a dark page */
} ZwColour;

/* The colour of curve or shape number i, from 0: blue, vermilion, green, purple, orange, sky, grey, and again. */
const ZwColour* zw_colour_number(int32_t i);
/* By its name; NULL: there is none. */
const ZwColour* zw_colour_find(ZwStr name);
/* Colour i of all that have names, from 0; NULL behind the last. */
const ZwColour* zw_colour_all(int32_t i);
/* "#rgb" or "#rrggbb": the same on every page. */
bool zw_colour_is_exact(ZwStr text);

#endif
