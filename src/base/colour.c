#include "base/colour.h"

enum { NUMBERED = 7 };

static const ZwColour colours[] = {
    {"blue", "#0072b2", "#56a8e0"},
    {"vermilion", "#d55e00", "#ff7f32"},
    {"green", "#00875f", "#2cc295"},
    {"purple", "#b0528c", "#e08cc0"},
    {"orange", "#c98600", "#f0b030"},
    {"sky", "#3d97cc", "#8fd0f5"},
    {"grey", "#6e6e6e", "#a8a8a8"},
    /* and those that one may ask for besides */
    {"red", "#c8102e", "#ff6b6b"},
    {"yellow", "#b8a400", "#f0e442"},
    {"brown", "#8c5a2b", "#c8935a"},
    {"black", "#1f1f1f", "#e8e8e8"},
    {"white", "#ffffff", "#161616"},
    {"gray", "#6e6e6e", "#a8a8a8"},
};

static const int32_t colour_count = (int32_t)(sizeof colours / sizeof *colours);

const ZwColour* zw_colour_number(int32_t i) {
  return &colours[(i % NUMBERED + NUMBERED) % NUMBERED];
}

const ZwColour* zw_colour_all(int32_t i) {
  return i >= 0 && i < colour_count ? &colours[i] : NULL;
}

const ZwColour* zw_colour_find(ZwStr name) {
  for (int32_t i = 0; i < colour_count; i++) {
    if (zw_str_equal(name, zw_str_from(colours[i].name))) return &colours[i];
  }
  return NULL;
}

bool zw_colour_is_exact(ZwStr text) {
  if ((text.size != 4 && text.size != 7) || text.data[0] != '#') return false;
  for (int32_t i = 1; i < text.size; i++) {
    char c = text.data[i];
    bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!is_digit) return false;
  }
  return true;
}
