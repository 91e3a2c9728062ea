/* Light and dark pictures.
 *
 * Elements carry the colours of a light page as attributes, which every program understands. A picture for both kinds of pages
 * adds rules for classes that hold on a dark screen only: browsers follow them, paper and programs that know no rules stay light.
 */
#ifndef ZW_OUTPUT_THEME_H
#define ZW_OUTPUT_THEME_H

#include "base/str.h"

typedef enum ZwTheme { ZW_THEME_AUTO, ZW_THEME_LIGHT, ZW_THEME_DARK } ZwTheme;

/* What is coloured; the curves 0, 1, ... are ZW_INK_CURVE + 0, 1, ... and begin again behind the last one. */
typedef enum ZwInk {
  ZW_INK_PAPER,
  ZW_INK_TEXT,
  ZW_INK_NOTE, /* text of less weight */
  ZW_INK_FRAME,
  ZW_INK_GRID,
  ZW_INK_MARK,   /* an instant */
  ZW_INK_SHADE,  /* a span of time */
  ZW_INK_CLOSED, /* a bar */
  ZW_INK_CURVE
} ZwInk;

enum { ZW_INK_CURVES = 7 };

/* "auto", "light", "dark": false if it is none of them. */
bool zw_theme_find(const char* name, ZwTheme* theme);
/* "#rrggbb" */
const char* zw_theme_colour(ZwTheme theme, ZwInk ink);
/* The rules, if there are any. */
void zw_theme_rules(ZwText* out, ZwTheme theme);
/* Attributes of an element: ` class="zs3" stroke="#e4e4e4"`, and the same with fill. An element has one of them. */
void zw_theme_stroke(ZwText* out, ZwTheme theme, ZwInk ink);
void zw_theme_fill(ZwText* out, ZwTheme theme, ZwInk ink);

#endif
