/* The times during which contacts are closed, as light bands behind the curves of a plot over time. Up to four contacts have bands
 * that look different, also in black and white; more of them share one, for the times when any is closed. Other things that last may be told as if they were contacts. */
#ifndef ZW_OUTPUT_SHADES_H
#define ZW_OUTPUT_SHADES_H

#include "output/lanes.h"
#include "output/page.h"

enum { ZW_SHADES_LINE = 20 }; /* px, height of the line that says what they are */

typedef struct ZwShades {
  const ZwLanes* lanes;
  const char* const* names; /* of all contacts, by number */
  const char* word;         /* what a band says behind the name; NULL: "closed", "": nothing */
} ZwShades;

/* Whether any contact is closed at any time. */
bool zw_shades_any(const ZwShades* shades);
/* What bands are filled with; once, before the first of them. */
void zw_shades_patterns(ZwText* out, ZwTheme theme, const ZwShades* shades);
void zw_shades_draw(ZwText* out, ZwTheme theme, const ZwPageFrame* frame, const ZwTicks* time, const ZwShades* shades);
/* Which contact has which band: a line at (x, y), px wide. */
void zw_shades_legend(ZwText* out, ZwTheme theme, int32_t x, int32_t y, int32_t width, const ZwShades* shades);

#endif
