#include "base/clock.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/print.h"

#define WHOLE_MOST 9e17 /* so that whole parts can be added */
enum { DECIMALS_MOST = 18 };

static int32_t without_zeros(char* text, int32_t size) {
  if (!memchr(text, '.', (size_t)size)) return size;
  while (text[size - 1] == '0') size--;
  if (text[size - 1] == '.') size--;
  text[size] = 0;
  return size;
}

/* The whole part and the rest of it, which is not negative, each with all its digits. */
static int32_t write_exactly(double epoch, double since, int decimals, char* out) {
  char fraction[ZW_NUMBER_ROOM];
  double whole = floor(epoch), rest = (epoch - whole) + since, more = floor(rest);
  int64_t number = (int64_t)whole + (int64_t)more;
  rest -= more;
  if (number < 0 && rest > 0) { /* -5 + 0.25 is -4.75 */
    number++;
    rest = 1 - rest;
  }
  (void)zw_number_print(rest, 'f', decimals, true, fraction);
  bool is_next = fraction[0] == '1', is_negative = (whole + more) < 0;
  if (is_next) number += is_negative ? -1 : 1;
  int64_t size = number < 0 ? -number : number;
  int length = zw_snprintf(out, ZW_CLOCK_TEXT, "%s%lld%s", is_negative ? "-" : "", (long long)size, fraction + 1);
  return without_zeros(out, (int32_t)length);
}

int32_t zw_clock_text(double epoch, double since, double scale, int digits, char* out) {
  char text[ZW_NUMBER_ROOM];
  double t = epoch + since;
  bool is_far = epoch != 0 && isfinite(t) && scale > 0 && fabs(t) > scale && fabs(epoch) < WHOLE_MOST;
  int decimals = is_far ? digits - (int)ceil(log10(scale)) : 0;
  if (is_far && decimals >= 0 && decimals <= DECIMALS_MOST) return write_exactly(epoch, since, decimals, out);
  int32_t size = zw_number_print(t, 'g', is_far ? 17 : digits, false, text);
  memcpy(out, text, (size_t)size + 1); /* at most 17 digits, a sign, a point and an exponent */
  return size;
}

int zw_clock_digits(double t, int digits) {
  static const double near = 1e5;
  return fabs(t) < near ? digits : 15;
}
