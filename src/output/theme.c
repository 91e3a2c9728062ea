#include "output/theme.h"

#include <string.h>

#include "base/colour.h"

/* in the order of ZwInk: on a light page, on a dark page */
static const char* const inks[ZW_INK_CURVE][2] = {
    {"#ffffff", "#161616"}, {"#1f1f1f", "#e8e8e8"}, {"#595959", "#a8a8a8"}, {"#7a7a7a", "#8a8a8a"},
    {"#e4e4e4", "#333333"}, {"#8a6d00", "#d9b64a"}, {"#6e6e6e", "#a8a8a8"}, {"#8ec1e3", "#2f6f9f"},
};

static const char* const names[] = {"auto", "light", "dark"};

bool zw_theme_find(const char* name, ZwTheme* theme) {
  for (int i = 0; i < 3; i++) {
    if (strcmp(name, names[i]) != 0) continue;
    *theme = (ZwTheme)i;
    return true;
  }
  return false;
}

static ZwInk canonical(ZwInk ink) {
  return ink < ZW_INK_CURVE ? ink : ZW_INK_CURVE + (ink - ZW_INK_CURVE) % ZW_INK_CURVES;
}

static const char* colour_on(bool is_dark, ZwInk ink) {
  if (ink < ZW_INK_CURVE) return inks[ink][is_dark];
  const ZwColour* colour = zw_colour_number((int32_t)(ink - ZW_INK_CURVE));
  return is_dark ? colour->dark : colour->light;
}

const char* zw_theme_colour(ZwTheme theme, ZwInk ink) {
  return colour_on(theme == ZW_THEME_DARK, canonical(ink));
}

void zw_theme_rules(ZwText* out, ZwTheme theme) {
  if (theme != ZW_THEME_AUTO) return;
  zw_text_addf(out, "<style>@media screen and (prefers-color-scheme:dark){");
  for (int i = 0; i < ZW_INK_CURVE + ZW_INK_CURVES; i++) {
    const char* colour = colour_on(true, (ZwInk)i);
    zw_text_addf(out, ".zs%d{stroke:%s}.zf%d{fill:%s}", i, colour, i, colour);
  }
  zw_text_addf(out, "}</style>\n");
}

static void add(ZwText* out, ZwTheme theme, ZwInk ink, const char* property) {
  if (theme == ZW_THEME_AUTO) zw_text_addf(out, " class=\"z%c%d\"", property[0], (int)canonical(ink));
  zw_text_addf(out, " %s=\"%s\"", property, zw_theme_colour(theme, ink));
}

void zw_theme_stroke(ZwText* out, ZwTheme theme, ZwInk ink) {
  add(out, theme, ink, "stroke");
}

void zw_theme_fill(ZwText* out, ZwTheme theme, ZwInk ink) {
  add(out, theme, ink, "fill");
}
