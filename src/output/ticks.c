#include "output/ticks.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/print.h"
#include "base/utf8.h"

/* Data that differ by less than this, relative to their size, are drawn as constant: it is rounding noise. */
static const double TOL_FLAT_REL = 256 * DBL_EPSILON;
/* The shortest axis; below it the arithmetic of the ticks would leave the normal numbers. */
static const double RANGE_MIN = 1e-305;
/* Part of the range shown on both sides of a constant. */
static const double FLAT_MARGIN = 0.1;
/* Part of a step, or of the axis, by which a tick may miss its end: 0.3/0.1 is a little less than 3. */
static const double TOL_END_REL = 1e-9;

enum {
  DIGITS_MAX = 100000, /* labels of more digits than this are split into note and rest */
  SHARED_UNIT = 1000,  /* the shared part is a multiple of this, so the rest has three digits */
  PLAIN_LOW = -2,      /* decimal exponents that are written out, without a power of ten in the note */
  PLAIN_HIGH = 4
};

static const char MINUS[] = "\xE2\x88\x92"; /* U+2212 */
static const char TIMES[] = "\xC3\x97";     /* U+00D7 */

/* n * 10^exponent, rounded as well as powers of ten allow and without leaving the range on the way */
static double scaled(double n, int exponent) {
  if (exponent < -300) return n / 1e300 / pow(10, -exponent - 300);
  return exponent < 0 ? n / pow(10, -exponent) : n * pow(10, exponent);
}

/* Half of high - low: the whole might overflow. */
static double half_range(double low, double high) {
  return high / 2 - low / 2;
}

static double clamp(double value) {
  return fmax(-DBL_MAX, fmin(DBL_MAX, value));
}

static void set_range(ZwTicks* ticks, double low, double high, double margin) {
  double size = fmax(fabs(low), fabs(high));
  double half = half_range(low, high);
  if (half <= fmax(TOL_FLAT_REL * size, RANGE_MIN) / 2) {
    double middle = low + half, room = FLAT_MARGIN * fabs(middle);
    if (!(room > RANGE_MIN)) room = 1;
    ticks->low = clamp(middle - room);
    ticks->high = clamp(middle + room);
  } else {
    ticks->low = clamp(low - 2 * margin * half);
    ticks->high = clamp(high + 2 * margin * half);
  }
}

/* --- where the ticks are ------------------------------------------------------------------------------------- */

/* Ticks are the multiples k = first .. last of factor * 10^exponent. */
typedef struct Steps {
  int factor, exponent;
  int64_t first, last;
} Steps;

static double tick_value(const Steps* steps, int64_t k) {
  return scaled((double)(k * steps->factor), steps->exponent);
}

static bool is_on_axis(const ZwTicks* ticks, double value) {
  double place = zw_ticks_place(ticks, value);
  return place >= -TOL_END_REL && place <= 1 + TOL_END_REL;
}

static Steps steps_from(const ZwTicks* ticks, int factor, int exponent) {
  double step = scaled(factor, exponent);
  Steps steps = {.factor = factor, .exponent = exponent};
  steps.first = (int64_t)ceil(ticks->low / step - TOL_END_REL);
  steps.last = (int64_t)floor(ticks->high / step + TOL_END_REL);
  /* the quotients of a short range far from zero are rounded by a good part of a step */
  if (!is_on_axis(ticks, tick_value(&steps, steps.first))) steps.first++;
  if (!is_on_axis(ticks, tick_value(&steps, steps.last))) steps.last--;
  return steps;
}

static Steps choose_steps(const ZwTicks* ticks, int32_t most) {
  static const int factors[] = {1, 2, 5};
  double ideal = half_range(ticks->low, ticks->high) / (0.5 * most);
  int exponent = (int)floor(log10(ideal));
  for (;; exponent++) {
    for (int i = 0; i < 3; i++) {
      if (scaled(factors[i], exponent) < 0.5 * ideal) continue;
      Steps steps = steps_from(ticks, factors[i], exponent);
      if (steps.last - steps.first < most) return steps;
    }
  }
}

/* --- how they are written ------------------------------------------------------------------------------------ */

/* n * 10^exponent in plain decimals; all labels of an axis get the same number of them. */
static int write_decimal(char* out, size_t size, int64_t n, int exponent) {
  if (n == 0) return zw_snprintf(out, size, "0");
  const char* sign = n < 0 ? MINUS : "";
  int64_t rest = n < 0 ? -n : n;
  if (exponent >= 0) return zw_snprintf(out, size, "%s%" PRId64 "%.*s", sign, rest, exponent, "00000000000000000000");
  int64_t unit = 1;
  for (int i = 0; i > exponent; i--) unit *= 10;
  return zw_snprintf(out, size, "%s%" PRId64 ".%0*" PRId64, sign, rest / unit, -exponent, rest % unit);
}

static int write_power(char* out, size_t size, int exponent) {
  static const char* const raised[10] = {"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
                                         "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
                                         "\xE2\x81\xB8", "\xE2\x81\xB9"};
  char digits[16];
  zw_snprintf(digits, sizeof digits, "%d", abs(exponent));
  int used = zw_snprintf(out, size, "%s10%s", TIMES, exponent < 0 ? "\xE2\x81\xBB" : "");
  for (const char* d = digits; *d; d++) used += zw_snprintf(out + used, size - (size_t)used, "%s", raised[*d - '0']);
  return used;
}

/* floor(log10(n)) for n > 0 */
static int exponent_of(int64_t n) {
  int exponent = 0;
  for (; n >= 10; n /= 10) exponent++;
  return exponent;
}

/* "+ 1000000000", or "+ 1.5×10²⁰" where zeros would be too many */
static void write_shared(char* out, size_t size, int64_t n, int exponent) {
  int used = zw_snprintf(out, size, "%s ", n < 0 ? MINUS : "+");
  if (n < 0) n = -n;
  for (; n % 10 == 0; n /= 10) exponent++;
  int high = exponent_of(n) + exponent;
  if (exponent >= -9 && high <= 12) {
    write_decimal(out + used, size - (size_t)used, n, exponent);
  } else {
    used += write_decimal(out + used, size - (size_t)used, n, exponent - high);
    write_power(out + used, size - (size_t)used, high);
  }
}

static int64_t floor_to(int64_t n, int64_t unit) {
  int64_t rest = n % unit;
  return n - (rest < 0 ? rest + unit : rest);
}

/* The part that ticks low .. high have in common: a round number next to them, 0 if their labels are short anyway. */
static int64_t shared_part(int64_t low, int64_t high) {
  if (low > -DIGITS_MAX && high < DIGITS_MAX) return 0;
  int64_t shared = floor_to(low, SHARED_UNIT);
  return high - shared >= SHARED_UNIT ? shared + SHARED_UNIT : shared;
}

static void write_labels(ZwTicks* ticks, const Steps* steps) {
  /* in units of 10^exponent the ticks are whole numbers */
  int64_t low = steps->first * steps->factor, high = steps->last * steps->factor;
  int64_t shared = shared_part(low, high);
  int64_t largest = llabs(low - shared) > llabs(high - shared) ? llabs(low - shared) : llabs(high - shared);
  int power = largest > 0 ? exponent_of(largest) + steps->exponent : 0;
  if (power >= PLAIN_LOW && power <= PLAIN_HIGH) power = 0;
  for (int32_t i = 0; i < ticks->count; i++) {
    int64_t n = (steps->first + i) * steps->factor;
    write_decimal(ticks->label[i], ZW_TICK_LABEL, n - shared, steps->exponent - power);
  }
  int used = power ? write_power(ticks->note, ZW_TICK_NOTE, power) : 0;
  if (shared) {
    if (used) ticks->note[used++] = ' ';
    write_shared(ticks->note + used, ZW_TICK_NOTE - (size_t)used, shared, steps->exponent);
  }
}

void zw_ticks_make(ZwTicks* ticks, double low, double high, double margin, int32_t most) {
  ZW_ASSERT(isfinite(low) && isfinite(high) && low <= high);
  ZW_ASSERT(most >= ZW_TICKS_MOST_MIN && most <= ZW_TICKS_MAX);
  *ticks = (ZwTicks){0};
  set_range(ticks, low, high, margin);
  Steps steps = choose_steps(ticks, most);
  ticks->count = (int32_t)(steps.last - steps.first + 1);
  for (int32_t i = 0; i < ticks->count; i++) {
    ticks->value[i] = tick_value(&steps, steps.first + i);
  }
  write_labels(ticks, &steps);
}

/* --- logarithmic axes ----------------------------------------------------------------------------------------- */

/* Decades; below it the data are drawn as constant, */
static const double LOG_FLAT = 1e-13;
/* and up to here ticks are round numbers, not powers of ten. */
static const double LOG_SHORT = 0.7;
/* Decimal exponents beyond which differences of such numbers are no normal numbers any more. */
static const double LOG_LARGEST = 250;

enum { LOG_PLAIN_LOW = -3, LOG_PLAIN_HIGH = 4 }; /* decades that are written out */

/* Which multiples of 10^k are ticks, from the most to the fewest. */
typedef struct Parts {
  int count;
  int8_t parts[3];
} Parts;

static const Parts part_sets[] = {{3, {1, 2, 5}}, {2, {1, 3}}, {1, {1}}};

/* Ticks for every `step` decades; returns how many, or one more than `most` if there are more. */
static int32_t add_powers(ZwTicks* ticks, const Parts* set, int step, int32_t most, int8_t parts[ZW_TICKS_MAX]) {
  int32_t count = 0;
  int first = (int)floor(ticks->low), last = (int)ceil(ticks->high);
  for (int k = first; k <= last; k++) {
    for (int i = 0; i < set->count && k % step == 0; i++) {
      double value = k + log10(set->parts[i]);
      if (!is_on_axis(ticks, value)) continue;
      if (count == most) return most + 1;
      parts[count] = set->parts[i];
      ticks->value[count++] = value;
    }
  }
  return count;
}

static void write_log_label(char* out, int part, int exponent, bool is_plain) {
  if (is_plain) {
    write_decimal(out, ZW_TICK_LABEL, part, exponent);
    return;
  }
  int used = part == 1 ? 0 : zw_snprintf(out, ZW_TICK_LABEL, "%d", part);
  write_power(out + used, ZW_TICK_LABEL - (size_t)used, exponent);
  if (part == 1) memmove(out, out + sizeof TIMES - 1, strlen(out) - (sizeof TIMES - 1) + 1); /* 10⁵, not ×10⁵ */
}

static void make_powers(ZwTicks* ticks, int32_t most) {
  static const int steps[] = {1, 2, 5, 10, 20, 50, 100, 200};
  int8_t parts[ZW_TICKS_MAX];
  ticks->count = most + 1;
  for (int i = 0; i < 2 && ticks->count > most; i++) ticks->count = add_powers(ticks, &part_sets[i], 1, most, parts);
  for (int i = 0; ticks->count > most; i++) ticks->count = add_powers(ticks, &part_sets[2], steps[i], most, parts);
  bool is_plain = ticks->low > LOG_PLAIN_LOW - 1 && ticks->high < LOG_PLAIN_HIGH + 1;
  for (int32_t i = 0; i < ticks->count; i++) {
    int exponent = (int)floor(ticks->value[i] + TOL_END_REL);
    write_log_label(ticks->label[i], parts[i], exponent, is_plain);
  }
}

void zw_ticks_make_log(ZwTicks* ticks, double low, double high, double margin, int32_t most) {
  ZW_ASSERT(isfinite(low) && isfinite(high) && low <= high);
  double span = high - low, room = span > LOG_FLAT ? margin * span : 0.5;
  *ticks = (ZwTicks){.low = low - room, .high = high + room, .is_log = true};
  bool is_short = ticks->high - ticks->low < LOG_SHORT;
  if (!is_short || fabs(ticks->low) > LOG_LARGEST || fabs(ticks->high) > LOG_LARGEST) {
    make_powers(ticks, most);
    return;
  }
  double from = ticks->low, to = ticks->high;
  zw_ticks_make(ticks, pow(10, from), pow(10, to), 0, most);
  for (int32_t i = 0; i < ticks->count; i++) ticks->value[i] = log10(ticks->value[i]);
  ticks->low = from;
  ticks->high = to;
  ticks->is_log = true;
}

double zw_ticks_place(const ZwTicks* ticks, double value) {
  return half_range(ticks->low, value) / half_range(ticks->low, ticks->high);
}

int32_t zw_ticks_label_width(const ZwTicks* ticks) {
  int32_t widest = 0;
  for (int32_t i = 0; i < ticks->count; i++) {
    int32_t width = zw_utf8_count(ticks->label[i], (ptrdiff_t)strlen(ticks->label[i]));
    if (width > widest) widest = width;
  }
  return widest;
}
