#include "output/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/colour.h"

const ZwLookSizes zw_look_sizes = {
#define ZW_LOOK_VALUE(name, value) value,
    ZW_LOOK_SIZES(ZW_LOOK_VALUE)
#undef ZW_LOOK_VALUE
};

static const double coil_length = 10; /* px of a spring for one winding */
enum { WINDINGS_LEAST = 4, WINDINGS_MOST = 14, DECIMALS_MOST = 9, DIGITS_SHOWN = 4, EXPONENT_DIGITS = 3 };
const double zw_look_tints[ZW_SHADES] = {0.16, 0.26, 0.38};

/* ---- inks ---- */

static uint32_t hex_digit(char c) {
  return (uint32_t)(c >= 'a' ? c - 'a' + 10 : c >= 'A' ? c - 'A' + 10 : c - '0');
}

/* "#rgb" or "#rrggbb" */
static uint32_t read_colour(const char* text) {
  bool is_short = strlen(text) == 4;
  uint32_t value = 0;
  for (const char* at = text + 1; *at; at++) {
    value = 16 * value + hex_digit(*at);
    if (is_short) value = 16 * value + hex_digit(*at);
  }
  return value & 0xffffff;
}

static ZwLookInk ink_from(const ZwColour* colour) {
  return (ZwLookInk){read_colour(colour->light), read_colour(colour->dark)};
}

/* Paper and writing are those of all our pictures. */
static ZwLookInk first_ink(int32_t i) {
  static const ZwInk inks[ZW_LOOK_FIRST] = {[ZW_LOOK_PAPER] = ZW_INK_PAPER,
                                            [ZW_LOOK_TEXT] = ZW_INK_TEXT,
                                            [ZW_LOOK_QUIET] = ZW_INK_NOTE,
                                            [ZW_LOOK_GRID] = ZW_INK_GRID};
  return (ZwLookInk){read_colour(zw_theme_colour(ZW_THEME_LIGHT, inks[i])),
                     read_colour(zw_theme_colour(ZW_THEME_DARK, inks[i]))};
}

/* Without a colour of the user's, things of a kind have one: bodies blue, what moves them or is told about them others. */
static ZwLookInk usual_ink(ZwDrawKind kind) {
  switch (kind) {
    case ZW_DRAW_ARROW:
      return ink_from(zw_colour_number(1));
    case ZW_DRAW_SPRING:
      return ink_from(zw_colour_number(2));
    case ZW_DRAW_TRAIL:
      return ink_from(zw_colour_number(4));
    case ZW_DRAW_GROUND:
      return first_ink(ZW_LOOK_QUIET);
    case ZW_DRAW_POINT:
    case ZW_DRAW_TEXT:
      return first_ink(ZW_LOOK_TEXT);
    default:
      return ink_from(zw_colour_number(0));
  }
}

static ZwLookInk ink_of(const ZwDraw* shape) {
  if (shape->colour) {
    const ZwColour* colour = zw_colour_find(zw_str_from(shape->colour));
    if (colour) return ink_from(colour);
    uint32_t exact = read_colour(shape->colour);
    return (ZwLookInk){exact, exact};
  }
  return shape->colour_number > 0 ? ink_from(zw_colour_number(shape->colour_number - 1)) : usual_ink(shape->kind);
}

static int32_t find_ink(ZwLook* look, ZwArena* arena, ZwLookInk ink) {
  for (int32_t i = 0; i < look->inks.count; i++) {
    if (look->inks.items[i].light == ink.light && look->inks.items[i].dark == ink.dark) return i;
  }
  return ZW_PUSH(arena, &look->inks, ink) ? look->inks.count - 1 : 0;
}

uint32_t zw_look_colour(const ZwLook* look, int32_t ink, bool is_dark) {
  return is_dark ? look->inks.items[ink].dark : look->inks.items[ink].light;
}

uint32_t zw_look_tint(const ZwLook* look, int32_t ink, int32_t shade, bool is_dark) {
  uint32_t paper = zw_look_colour(look, ZW_LOOK_PAPER, is_dark), colour = zw_look_colour(look, ink, is_dark), mixed = 0;
  for (int32_t bits = 0; bits < 24; bits += 8) {
    double a = (paper >> bits) & 0xff, b = (colour >> bits) & 0xff;
    mixed |= (uint32_t)lround(a + zw_look_tints[shade] * (b - a)) << bits;
  }
  return mixed;
}

/* ---- springs ---- */

/* Its length on the stage when it is not foreshortened, on average. */
static double mean_length(const ZwScene* scene, const ZwView* view, const ZwDraw* shape) {
  double sum = 0;
  int32_t count = 0;
  for (int32_t row = 0; row < scene->row_count; row++) {
    double a[3], b[3];
    zw_scene_point(scene, row, shape, 0, a);
    zw_scene_point(scene, row, shape, 1, b);
    double length = view->scale * hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
    if (!isfinite(length)) continue;
    sum += length;
    count++;
  }
  return count > 0 ? sum / count : 0;
}

/* A spring keeps its windings while it is stretched. */
static void wind(ZwDrawLook* look, double length) {
  double windings = length / coil_length;
  look->windings = windings < WINDINGS_LEAST  ? WINDINGS_LEAST
                   : windings > WINDINGS_MOST ? WINDINGS_MOST
                                              : (int32_t)windings;
  look->coil = fmin(zw_look_sizes.coil, fmax(2, length / 6));
}

/* ---- digits ---- */

ZwDigits zw_digits_for(double largest, double step) {
  if (!(largest > 0) || !isfinite(largest)) return (ZwDigits){0};
  if (!(step > 0)) step = largest;
  if (largest >= 1e7 || largest < 1e-4) return (ZwDigits){-1};
  double decimals = ceil(-log10(step) - 1e-9);
  return (ZwDigits){decimals < 0 ? 0 : decimals > DECIMALS_MOST ? DECIMALS_MOST : (int32_t)decimals};
}

/* A number whose text shows four digits of the largest that it has. */
static ZwDigits digits_of(const ZwScene* scene, const ZwDraw* shape) {
  double largest = 0;
  for (int32_t row = 0; row < scene->row_count; row++) {
    double value = fabs(zw_scene_number(scene, row, shape, shape->dim));
    if (isfinite(value) && value > largest) largest = value;
  }
  return zw_digits_for(largest, largest > 0 ? pow(10, floor(log10(largest)) + 1 - DIGITS_SHOWN) : 0);
}

static void add_whole(ZwText* out, double value, int32_t least) {
  char digits[32];
  int32_t count = 0;
  for (; count < 24 && (value >= 1 || count < least); count++) {
    digits[count] = (char)('0' + (int)fmod(value, 10));
    value = floor(value / 10);
  }
  while (count > 0) zw_text_add(out, &digits[--count], 1);
}

static void add_fixed(ZwText* out, double value, int32_t decimals) {
  double power = pow(10, decimals), whole = floor(value * power + 0.5);
  add_whole(out, floor(whole / power), 1);
  if (decimals == 0) return;
  zw_text_add(out, ".", 1);
  add_whole(out, fmod(whole, power), decimals);
}

static void add_minus(ZwText* out) {
  zw_text_add(out, "\xE2\x88\x92", 3);
}

void zw_digits_add(ZwText* out, ZwDigits digits, double value) {
  if (!isfinite(value)) {
    zw_text_add(out, "?", 1);
    return;
  }
  double size = fabs(value);
  if (digits.decimals >= 0) {
    if (value < 0 && floor(size * pow(10, digits.decimals) + 0.5) > 0) add_minus(out);
    add_fixed(out, size, digits.decimals);
    return;
  }
  int32_t exponent = size > 0 ? (int32_t)floor(log10(size)) : 0;
  double mantissa = size / pow(10, exponent);
  if (mantissa >= 10 - 0.5 * pow(10, -EXPONENT_DIGITS)) mantissa /= 10, exponent++;
  if (value < 0) add_minus(out);
  add_fixed(out, mantissa, EXPONENT_DIGITS);
  zw_text_add(out, "e", 1);
  if (exponent < 0) add_minus(out);
  add_whole(out, abs(exponent), 1);
}

/* ---- all ---- */

ZwStatus zw_look_make(ZwLook* look, ZwTheme theme, ZwScene* scene, const ZwView* view, double step) {
  *look = (ZwLook){.theme = theme, .shapes = ZW_NEW(&scene->arena, scene->shape_count, ZwDrawLook)};
  for (int32_t i = 0; i < ZW_LOOK_FIRST; i++) (void)ZW_PUSH(&scene->arena, &look->inks, first_ink(i));
  if (scene->arena.failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < scene->shape_count; i++) {
    const ZwDraw* shape = &scene->shapes[i];
    look->shapes[i].ink = find_ink(look, &scene->arena, ink_of(shape));
    if (shape->kind == ZW_DRAW_SPRING) wind(&look->shapes[i], mean_length(scene, view, shape));
    if (shape->kind == ZW_DRAW_TEXT && shape->count > shape->dim) look->shapes[i].digits = digits_of(scene, shape);
  }
  double from = scene->row_count > 0 ? fabs(zw_scene_time(scene, 0)) : 0;
  double to = scene->row_count > 0 ? fabs(zw_scene_time(scene, scene->row_count - 1)) : 0;
  look->time_digits = zw_digits_for(fmax(from, to), step);
  return scene->arena.failed ? ZW_ERR_MEMORY : ZW_OK;
}
