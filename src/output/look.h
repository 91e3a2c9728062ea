/* What drawings look like: sizes in pixels, colours, how numbers are written. Pictures, films and the player on a page share them, so
 * that a model looks the same everywhere. */
#ifndef ZW_OUTPUT_LOOK_H
#define ZW_OUTPUT_LOOK_H

#include "base/str.h"
#include "output/theme.h"
#include "output/view.h"

/* px, unless said otherwise */
#define ZW_LOOK_SIZES(X)                                                          \
  X(line, 4)        /* width of a line */                                         \
  X(spring, 2)      /* of a spring */                                             \
  X(coil, 7)        /* how far a spring reaches to either side, at most */        \
  X(edge, 2)        /* of the outline of a circle or box */                       \
  X(trail, 1.6)     /* of a trail */                                              \
  X(ground, 2)      /* of the line of the ground */                               \
  X(hatch, 1.2)     /* of the strokes below it */                                 \
  X(hatch_step, 9)  /* distance and length of these strokes */                    \
  X(point, 5)       /* radius of a point */                                       \
  X(halo, 1.5)      /* what is left free around points, so that they stand out */ \
  X(arrow, 2.4)     /* width of an arrow */                                       \
  X(head, 11)       /* length of its head, */                                     \
  X(head_half, 4.5) /* and half its width */                                      \
  X(text, 14)       /* size of letters */                                         \
  X(text_off, 8)    /* from a place to the text about it, across and up */        \
  X(grid, 1)        /* width of the lines of the floor */                         \
  X(piece, 30)      /* lines in space are sorted by depth in pieces of this length */

typedef struct ZwLookSizes {
#define ZW_LOOK_FIELD(name, value) double name;
  ZW_LOOK_SIZES(ZW_LOOK_FIELD)
#undef ZW_LOOK_FIELD
} ZwLookSizes;
extern const ZwLookSizes zw_look_sizes;

/* A colour on white and on black ground, as 0xrrggbb. */
typedef struct ZwLookInk {
  uint32_t light, dark;
} ZwLookInk;

/* The first inks of every look. */
enum { ZW_LOOK_PAPER, ZW_LOOK_TEXT, ZW_LOOK_QUIET, ZW_LOOK_GRID, ZW_LOOK_FIRST };
enum { ZW_SHADES = 3 };                       /* of a surface: how much it is turned to the light */
extern const double zw_look_tints[ZW_SHADES]; /* how much ink is in them; the rest is paper */

/* How a number is written, so that its digits do not jump while it changes: fixed decimals, or an exponent if < 0. */
typedef struct ZwDigits {
  int32_t decimals;
} ZwDigits;

/* What one shape needs besides its numbers. */
typedef struct ZwDrawLook {
  int32_t ink;
  int32_t windings; /* of a spring */
  double coil;      /* px, of a spring */
  ZwDigits digits;  /* of the number of a text */
} ZwDrawLook;

typedef struct ZwLook {
  ZwTheme theme;
  ZW_ARRAY(ZwLookInk) inks;
  ZwDrawLook* shapes;
  ZwDigits time_digits;
} ZwLook;

/* Memory is the scene's. `step` is the time from one picture to the next. ZW_ERR_MEMORY. */
ZwStatus zw_look_make(ZwLook* look, ZwTheme theme, ZwScene* scene, const ZwView* view, double step);
/* A surface of this ink on this paper, 0 to ZW_SHADES - 1: mostly paper, so that what is drawn on it is seen. */
uint32_t zw_look_tint(const ZwLook* look, int32_t ink, int32_t shade, bool is_dark);
uint32_t zw_look_colour(const ZwLook* look, int32_t ink, bool is_dark);

/* Digits for numbers that go up to `largest` and are told apart by `step`. */
ZwDigits zw_digits_for(double largest, double step);
/* Writes a number with these digits; the same in every locale, with a true minus sign. */
void zw_digits_add(ZwText* out, ZwDigits digits, double value);

#endif
