/* Numbers as text and back. The C library does both after the locale of the program that calls it, where a comma may stand for
 * the point; here nothing but the digits counts.
 *
 * Both ways multiply by a power of ten: v 10^p = (v 2^p) 5^p, and 5^p is known to 128 bits (base/powers.h). The product is exact,
 * or known up to a few units of its 128th bit; where these few could decide how to round, whole numbers of any size do
 * (base/big.h). So every result is the nearest one, and the even one of two. */
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/big.h"
#include "base/powers.h"

enum {
  MANTISSA = 53,
  EXPONENT_LEAST = -1022, /* of a normal double; below it digits get lost */
  DIGITS_LEAST = 15,      /* of a normal double always come back as they were */
  DIGITS_MOST = 17,       /* always bring it back */
  EXPONENT_BELOW = -4     /* where %g begins to write exponents */
};

/* v = m 2^e */
typedef struct Binary {
  uint64_t m;
  int e;
} Binary;

static Binary take_apart(double size) {
  uint64_t bits;
  memcpy(&bits, &size, sizeof bits);
  uint64_t low = bits & (((uint64_t)1 << (MANTISSA - 1)) - 1);
  int exponent = (int)(bits >> (MANTISSA - 1) & 0x7FF);
  if (exponent == 0) return (Binary){low, EXPONENT_LEAST - MANTISSA + 1};
  return (Binary){low | (uint64_t)1 << (MANTISSA - 1), exponent - 1 + EXPONENT_LEAST - MANTISSA + 1};
}

/* w 10^p, with w shifted up to 64 bits: (value + d) 2^exponent with 0 <= d <= doubt. Where there is no doubt, `has_more` says
 * that something, less than 1, is to be added to the value. */
typedef struct Product {
  ZwWide value; /* one of its two highest bits is set */
  ZwPower power;
  int exponent, empty, doubt;
  bool has_more;
} Product;

static Product multiply(uint64_t w, int p) {
  Product product = {.power = zw_power_of_five(p), .empty = __builtin_clzll(w)};
  w <<= product.empty;
  ZwWide low = (ZwWide)w * (uint64_t)product.power.digits;
  product.value = (ZwWide)w * (uint64_t)(product.power.digits >> 64) + (low >> 64);
  product.exponent = product.power.exponent + p - product.empty + 64;
  product.doubt = product.power.doubt ? product.power.doubt + 1 : 0;
  product.has_more = (uint64_t)low != 0;
  return product;
}

typedef enum Rounding { DOWN, UP, UNKNOWN } Rounding;

/* What becomes of a rest below 2 half. */
static Rounding round_rest(ZwWide rest, ZwWide half, bool has_more, int doubt, bool is_odd) {
  if (rest > half || (doubt == 0 && rest == half && (has_more || is_odd))) return UP;
  if (doubt == 0 || rest + (unsigned)doubt < half) return DOWN;
  return UNKNOWN;
}

/* ---- reading ---- */

/* What stands in a text: the digits [first, end) with perhaps a point among them, d.ddd times 10^k. */
typedef struct Decimal {
  const char *first, *end; /* from the first digit that is not 0 */
  uint64_t head;           /* the first digits, 19 at most */
  int head_count;
  bool has_more; /* digits other than 0 follow on them */
  int64_t k;
} Decimal;

enum { HEAD = 19, DIGITS_EXACT = 772 }; /* a number between two doubles has 767 digits at most */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Digits with a point at most; NULL when there is none. */
static const char* read_digits(const char* at, const char* end, Decimal* decimal) {
  int64_t place = 0; /* digits before the point, or minus the zeros after it */
  bool has_digit = false, has_point = false;
  for (; at < end && (is_digit(*at) || (*at == '.' && !has_point)); at++) {
    if (*at == '.') {
      has_point = true;
      continue;
    }
    has_digit = true;
    if (!decimal->first && *at != '0') decimal->first = at;
    if (decimal->first ? !has_point : has_point) place += decimal->first ? 1 : -1;
    if (!decimal->first) continue;
    if (decimal->head_count < HEAD) {
      decimal->head = 10 * decimal->head + (uint64_t)(*at - '0');
      decimal->head_count++;
    } else {
      decimal->has_more = decimal->has_more || *at != '0';
    }
  }
  decimal->end = at;
  decimal->k = place - 1;
  return has_digit ? at : NULL;
}

/* e, a sign, digits; or nothing. */
static const char* read_exponent(const char* at, const char* end, int64_t* exponent) {
  enum { LARGE = 1000000000 };
  const char* digit = at + 1;
  bool is_negative = false;
  if (at == end || (*at != 'e' && *at != 'E')) return at;
  if (digit < end && (*digit == '+' || *digit == '-')) is_negative = *digit++ == '-';
  if (digit == end || !is_digit(*digit)) return at;
  int64_t value = 0;
  for (; digit < end && is_digit(*digit); digit++) {
    if (value < (int64_t)LARGE * LARGE / 100) value = 10 * value + (*digit - '0');
  }
  *exponent = is_negative ? -value : value;
  return digit;
}

/* How many of the bits of a number between 2^x and 2^(x+1) a double keeps. */
static int kept_bits(int x) {
  return x >= EXPONENT_LEAST ? MANTISSA : MANTISSA - (EXPONENT_LEAST - x);
}

/* The rounded bits, of which the highest has the value 2^x, put together; a carry makes the exponent grow by itself. */
static double put_together(uint64_t mantissa, int x) {
  uint64_t infinite = (uint64_t)0x7FF << (MANTISSA - 1);
  uint64_t above = x > EXPONENT_LEAST ? (uint64_t)(x - EXPONENT_LEAST) : 0;
  uint64_t bits = (above << (MANTISSA - 1)) + mantissa;
  double value;
  if (bits > infinite) bits = infinite;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* False when it remains in doubt. */
static bool nearest_fast(uint64_t w, int64_t p, double* value) {
  if (p < ZW_POWER_LEAST || p > ZW_POWER_MOST) return false;
  Product product = multiply(w, (int)p);
  int bits = 127 + (int)(product.value >> 127), x = product.exponent + bits - 1, kept = kept_bits(x);
  if (kept < 1) return false;
  int dropped = bits - kept;
  ZwWide rest = product.value & (((ZwWide)1 << dropped) - 1);
  uint64_t mantissa = (uint64_t)(product.value >> dropped);
  Rounding rounding = round_rest(rest, (ZwWide)1 << (dropped - 1), product.has_more, product.doubt, mantissa % 2 == 1);
  *value = put_together(mantissa + (rounding == UP), x);
  return rounding != UNKNOWN;
}

/* The digits as a whole number, and how many there are; after very many a 1 stands for all others. */
static int digits_exact(const Decimal* decimal, ZwBig* big) {
  int count = 0;
  const char* end = decimal->end;
  while (end[-1] == '0' || end[-1] == '.') end--; /* the first digit is not 0 */
  zw_big_set(big, 0);
  for (const char* at = decimal->first; at < end && count <= DIGITS_EXACT; at++) {
    if (*at == '.') continue;
    zw_big_multiply(big, 10, count == DIGITS_EXACT ? 1 : (uint32_t)(*at - '0'));
    count++;
  }
  return count;
}

static double nearest_exact(const Decimal* decimal) {
  ZwBig big;
  int p = (int)decimal->k - (digits_exact(decimal, &big) - 1), exponent = p;
  if (p >= 0) {
    zw_big_multiply_five(&big, p);
  } else {
    enum { BITS = 66 }; /* more than a double keeps */
    int shift = BITS - p * 233 / 100 - zw_big_bits(&big);
    if (shift < 0) shift = 0;
    zw_big_shift(&big, shift);
    zw_big_divide_five(&big, -p);
    exponent -= shift;
  }
  int bits = zw_big_bits(&big), x = exponent + bits - 1, kept = kept_bits(x);
  if (kept < 0) return 0;
  zw_big_shift(&big, kept + 1 - bits);
  uint64_t low = zw_big_low(&big), mantissa = low / 2;
  bool is_up = low % 2 == 1 && (big.has_rest || mantissa % 2 == 1);
  return put_together(mantissa + is_up, x);
}

static double nearest(const Decimal* decimal) {
  enum { LEAST = -325, MOST = 309 };
  double value, above;
  if (!decimal->first || decimal->k < LEAST) return 0;
  if (decimal->k > MOST) return INFINITY;
  int64_t p = decimal->k - (decimal->head_count - 1);
  bool is_sure = nearest_fast(decimal->head, p, &value);
  if (is_sure && decimal->has_more) is_sure = nearest_fast(decimal->head + 1, p, &above) && above == value;
  return is_sure ? value : nearest_exact(decimal);
}

/* Either case; letters in C and ASCII, whatever the locale. */
static bool begins_with(const char* at, const char* end, const char* word) {
  for (; *word; word++, at++) {
    if (at == end || (*at | 0x20) != *word) return false;
  }
  return true;
}

static ZwNumber read_word(const char* text, const char* at, const char* end, bool is_negative) {
  static const struct {
    const char* word;
    double value;
  } words[] = {{"nan", NAN}, {"infinity", INFINITY}, {"inf", INFINITY}};
  for (int i = 0; i < 3; i++) {
    if (!begins_with(at, end, words[i].word)) continue;
    double value = is_negative ? -words[i].value : words[i].value;
    return (ZwNumber){value, at + strlen(words[i].word) - text, ZW_NUMBER_FINE};
  }
  return (ZwNumber){0, 0, ZW_NUMBER_NONE};
}

ZwNumber zw_number_read(const char* text, ptrdiff_t size) {
  const char *at = text, *end = text + size;
  int64_t exponent = 0;
  bool is_negative = size > 0 && *at == '-';
  if (size > 0 && (*at == '-' || *at == '+')) at++;
  Decimal decimal = {0};
  const char* after = read_digits(at, end, &decimal);
  if (!after) return read_word(text, at, end, is_negative);
  after = read_exponent(after, end, &exponent);
  decimal.k += exponent;
  double value = nearest(&decimal);
  ZwNumberKind kind = isinf(value) ? ZW_NUMBER_HUGE : value == 0 && decimal.first ? ZW_NUMBER_TINY : ZW_NUMBER_FINE;
  return (ZwNumber){is_negative ? -value : value, after - text, kind};
}

bool zw_number_is(const char* text, double* value) {
  return zw_number_fills(text, (ptrdiff_t)strlen(text), value);
}

bool zw_number_fills(const char* text, ptrdiff_t size, double* value) {
  ZwNumber number = zw_number_read(text, size);
  *value = number.value;
  return number.kind != ZW_NUMBER_NONE && number.size == size;
}

/* ---- digits of a double ---- */

enum { DIGITS_ROOM = 309 + 1 + ZW_NUMBER_DECIMALS + 2, SPARE = 2 };

/* v 10^p as a fixed-point number: (value + d) 2^-bits with 0 <= d <= doubt. */
typedef struct Scaled {
  ZwWide value;
  ZwWide half; /* half the distance of v from its neighbour above, in the same units, up to 1 */
  uint64_t whole;
  int bits, doubt;
  bool has_more;
} Scaled;

/* False when it does not fit. Two bits stay free: what is compared with it may be larger. */
static bool scale(Binary binary, int p, Scaled* scaled) {
  if (p < ZW_POWER_LEAST || p > ZW_POWER_MOST) return false;
  Product product = multiply(binary.m, p);
  int bits = -(product.exponent + binary.e) - SPARE;
  if (bits < 1 || bits > 125) return false;
  scaled->value = product.value >> SPARE;
  if (scaled->value >> bits >> 63) return false;
  scaled->whole = (uint64_t)(scaled->value >> bits);
  scaled->half = product.power.digits >> (65 + SPARE - product.empty);
  scaled->bits = bits;
  scaled->has_more = product.has_more || (product.value & ((1 << SPARE) - 1)) != 0;
  scaled->doubt = product.doubt ? (product.doubt >> SPARE) + 1 : 0;
  return true;
}

/* To whole multiples of `unit`; false when it remains in doubt. */
static bool round_fast(const Scaled* scaled, uint64_t unit, uint64_t* count) {
  *count = scaled->whole / unit;
  ZwWide rest = scaled->value - ((ZwWide)(*count * unit) << scaled->bits);
  ZwWide half = ((ZwWide)unit << scaled->bits) / 2;
  Rounding rounding = round_rest(rest, half, scaled->has_more, scaled->doubt, *count % 2 == 1);
  *count += rounding == UP;
  return rounding != UNKNOWN;
}

/* v 10^p rounded to a whole number. */
static void round_exact(Binary binary, int p, ZwBig* big) {
  int shift = binary.e + p + 1; /* one bit more, the half */
  zw_big_set(big, binary.m);
  if (p > 0) zw_big_multiply_five(big, p);
  if (shift > 0) zw_big_shift(big, shift);
  if (p < 0) zw_big_divide_five(big, -p);
  if (shift < 0) zw_big_shift(big, shift);
  bool has_half = zw_big_low(big) % 2 == 1, has_rest = big->has_rest;
  zw_big_shift(big, -1);
  if (has_half && (has_rest || zw_big_low(big) % 2 == 1)) zw_big_multiply(big, 1, 1);
}

/* Two digits at a time. */
static int write_whole(uint64_t whole, char* digits) {
  static const char pairs[] =
      "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
      "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
  int bits = 64 - __builtin_clzll(whole | 1), count = (bits * 1233) >> 12; /* log10(2) */
  count += whole >= zw_power_of_ten(count) || count == 0;
  int i = count;
  for (; i >= 2; i -= 2, whole /= 100) memcpy(digits + i - 2, pairs + 2 * (whole % 100), 2);
  if (i == 1) digits[0] = (char)('0' + whole);
  return count;
}

static int write_big(ZwBig* big, char* digits) {
  int count = 0;
  do digits[count++] = (char)('0' + zw_big_take_digit(big));
  while (big->count > 0);
  for (int i = 0; i < count / 2; i++) {
    char digit = digits[i];
    digits[i] = digits[count - 1 - i];
    digits[count - 1 - i] = digit;
  }
  return count;
}

/* The digits of v 10^p, rounded to a whole number; returns how many there are. */
static int digits_of_places(Binary binary, int p, char* digits) {
  Scaled scaled;
  uint64_t whole;
  ZwBig big;
  if (binary.m && scale(binary, p, &scaled) && round_fast(&scaled, 1, &whole)) return write_whole(whole, digits);
  round_exact(binary, p, &big);
  return write_big(&big, digits);
}

/* The place of the first digit, or one less. */
static int first_place(Binary binary) {
  int x = binary.e + 63 - __builtin_clzll(binary.m);
  return (x * 315653) >> 20; /* log10(2) */
}

/* `count` digits of v; returns the place of the first, k of d.ddd 10^k. */
static int digits_of(Binary binary, int count, char* digits) {
  int k = first_place(binary);
  int found = digits_of_places(binary, count - 1 - k, digits);
  if (found > count) digits_of_places(binary, count - 1 - ++k, digits);
  return k;
}

/* ---- laying digits out ---- */

static char* put(char* at, const char* data, int size) {
  memcpy(at, data, (size_t)size);
  return at + size;
}

static char* put_zeros(char* at, int count) {
  for (; count > 0; count--) *at++ = '0';
  return at;
}

static char* put_exponent(char* at, int k) {
  *at++ = 'e';
  *at++ = k < 0 ? '-' : '+';
  if (k < 0) k = -k;
  if (k >= 100) *at++ = (char)('0' + k / 100);
  *at++ = (char)('0' + k / 10 % 10);
  *at++ = (char)('0' + k % 10);
  return at;
}

/* d.ddde+kk */
static char* put_scientific(char* at, const char* digits, int count, int k) {
  *at++ = digits[0];
  if (count > 1) {
    *at++ = '.';
    at = put(at, digits + 1, count - 1);
  }
  return put_exponent(at, k);
}

/* The first digit in the place 10^k, without an exponent. */
static char* put_plain(char* at, const char* digits, int count, int k) {
  if (k < 0) {
    at = put(at, "0.", 2);
    return put(put_zeros(at, -1 - k), digits, count);
  }
  if (count <= k + 1) return put_zeros(put(at, digits, count), k + 1 - count);
  at = put(at, digits, k + 1);
  *at++ = '.';
  return put(at, digits + k + 1, count - k - 1);
}

/* As %g with so many digits. */
static char* put_general(char* at, const char* digits, int count, int k, int precision) {
  bool is_plain = k >= EXPONENT_BELOW && k < precision;
  return is_plain ? put_plain(at, digits, count, k) : put_scientific(at, digits, count, k);
}

static int without_zeros(const char* digits, int count) {
  while (count > 1 && digits[count - 1] == '0') count--;
  return count;
}

/* nan, inf, and 0 as shortest text; NULL for all others. */
static const char* special_text(double value) {
  if (isnan(value)) return "nan";
  if (isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return signbit(value) ? "-0" : "0";
  return NULL;
}

static int32_t end_text(char* begin, char* at) {
  *at = 0;
  return (int32_t)(at - begin);
}

/* ---- the shortest digits ---- */

typedef enum Answer { NO, YES, DOUBTFUL } Answer;

/* Whether a decimal, in the units of `scaled`, is nearer to v than any other double. */
static Answer reads_back(const Scaled* scaled, ZwWide there, Binary binary) {
  enum { UNSURE = 4 };
  bool is_below = there < scaled->value;
  bool is_closer = binary.m == (uint64_t)1 << (MANTISSA - 1); /* below a power of two doubles lie twice as close */
  ZwWide off = is_below ? scaled->value - there : there - scaled->value;
  ZwWide half = is_below && is_closer ? scaled->half / 2 : scaled->half;
  if (off + UNSURE < half) return YES;
  return off > half + UNSURE ? NO : DOUBTFUL;
}

/* The fewest digits, at least `least`, that read back. 0 when it remains in doubt. */
static int shortest_fast(Binary binary, int least, char* digits, int* k) {
  Scaled scaled;
  *k = first_place(binary);
  if (!scale(binary, DIGITS_MOST - 1 - *k, &scaled)) return 0;
  bool is_longer = scaled.whole >= zw_power_of_ten(DIGITS_MOST);
  *k += is_longer;
  for (int count = least; count <= DIGITS_MOST; count++) {
    uint64_t unit = zw_power_of_ten(DIGITS_MOST + is_longer - count), found;
    if (!round_fast(&scaled, unit, &found)) return 0;
    Answer answer = count == DIGITS_MOST ? YES : reads_back(&scaled, (ZwWide)(found * unit) << scaled.bits, binary);
    if (answer == DOUBTFUL) return 0;
    if (answer == NO) continue;
    int size = write_whole(found, digits);
    *k += size > count;
    return without_zeros(digits, count);
  }
  return 0;
}

static int shortest_exact(double size, Binary binary, int least, char* digits, int* k) {
  char text[ZW_NUMBER_TEXT];
  for (int count = least;; count++) {
    *k = digits_of(binary, count, digits);
    char* end = put_scientific(text, digits, count, *k);
    if (count == DIGITS_MOST || zw_number_read(text, end - text).value == size) return without_zeros(digits, count);
  }
}

int32_t zw_number_text(double value, char* out) {
  const char* special = special_text(value);
  char digits[DIGITS_ROOM], *at = out;
  int k;
  if (special) return end_text(out, put(out, special, (int)strlen(special)));
  double size = fabs(value);
  Binary binary = take_apart(size);
  int least = size < DBL_MIN ? 1 : DIGITS_LEAST; /* the digits of the smallest say less */
  int count = shortest_fast(binary, least, digits, &k);
  if (count == 0) count = shortest_exact(size, binary, least, digits, &k);
  if (value < 0) *at++ = '-';
  return end_text(out, put_general(at, digits, count, k, count < least ? least : count));
}

/* ---- a given number of digits ---- */

static char* print_fixed(char* at, Binary binary, int precision) {
  char digits[DIGITS_ROOM];
  int count = digits_of_places(binary, precision, digits);
  at = count > precision ? put(at, digits, count - precision) : put_zeros(at, 1);
  if (precision == 0) return at;
  *at++ = '.';
  if (count <= precision) return put(put_zeros(at, precision - count), digits, count);
  return put(at, digits + count - precision, precision);
}

static int some_digits(Binary binary, int count, char* digits) {
  if (binary.m) return digits_of(binary, count, digits);
  put_zeros(digits, count);
  return 0;
}

int32_t zw_number_print(double value, char how, int precision, bool keeps_zeros, char* out) {
  const char* special = isfinite(value) ? NULL : special_text(value);
  char digits[DIGITS_ROOM], *at = out;
  ZW_ASSERT(precision >= 0 && precision <= ZW_NUMBER_DECIMALS && (how == 'e' || how == 'f' || how == 'g'));
  if (special) return end_text(out, put(out, special, (int)strlen(special)));
  Binary binary = take_apart(fabs(value));
  if (signbit(value)) *at++ = '-';
  if (how == 'f') return end_text(out, print_fixed(at, binary, precision));
  int count = how == 'e' ? precision + 1 : precision > 0 ? precision : 1;
  int k = some_digits(binary, count, digits), kept = count;
  if (how == 'e') return end_text(out, put_scientific(at, digits, count, k));
  if (!keeps_zeros) kept = without_zeros(digits, count);
  return end_text(out, put_general(at, digits, kept, k, count));
}
