/* An axis: its range, its round ticks and their labels.
 *
 * Ticks are whole multiples of 1, 2 or 5 times a power of ten. Labels stay short: when all ticks share many leading
 * digits, the shared part goes into the note (`+ 1000000000`), when they are very large or very small, the power of
 * ten does (`×10⁻³⁰⁰`). A tick's value is its label times the power of ten plus the shared part. Labels are made from
 * integers, so they are exact and do not depend on the locale.
 *
 * On a logarithmic axis range, ticks and places are decimal logarithms; ticks are powers of ten, with 2 and 5, or 3, between
 * where there is room, or round numbers where the range is less than a factor of five.
 */
#ifndef ZW_OUTPUT_TICKS_H
#define ZW_OUTPUT_TICKS_H

#include <stdbool.h>
#include <stdint.h>

enum { ZW_TICKS_MOST_MIN = 5, ZW_TICKS_MAX = 16, ZW_TICK_LABEL = 32, ZW_TICK_NOTE = 96 };

typedef struct ZwTicks {
  double low, high; /* the range; low < high, both finite */
  bool is_log;
  int32_t count;
  double value[ZW_TICKS_MAX];
  char label[ZW_TICKS_MAX][ZW_TICK_LABEL]; /* UTF-8, with a true minus sign */
  char note[ZW_TICK_NOTE];                 /* UTF-8, "" when the labels say all */
} ZwTicks;

/* An axis for finite data from low to high, with room of `margin` times the range on both sides and at most `most`
 * ticks (ZW_TICKS_MOST_MIN to ZW_TICKS_MAX; with fewer, no round step might fit twice). Data that do not differ, or by
 * rounding errors only, get a range around them. */
void zw_ticks_make(ZwTicks* ticks, double low, double high, double margin, int32_t most);
/* The same for positive data from 10^low to 10^high on a logarithmic axis. */
void zw_ticks_make_log(ZwTicks* ticks, double low, double high, double margin, int32_t most);
/* Where a value stands on the axis: 0 at low, 1 at high. */
double zw_ticks_place(const ZwTicks* ticks, double value);
/* Characters of the longest label. */
int32_t zw_ticks_label_width(const ZwTicks* ticks);

#endif
