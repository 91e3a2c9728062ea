/* Numbers as text: of 15, 16 and 17 digits the fewest that read back as the same double.
 *
 * Rows of results are mostly numbers, and to print and read one back through the C library takes longer than to compute it. For
 * sizes from 1e-15 to 1e14 the digits come from whole numbers instead, exactly: v = m 2^e, so v 10^p = (m 5^p) 2^(e+p), and
 * m 5^p fits into 128 bits. A decimal D reads back as v when it lies within half a unit of m, that is when D 2^-(e+p) differs from
 * m 5^p by no more than 5^p / 2. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/str.h"

__extension__ typedef unsigned __int128 Wide;

enum { DIGITS_LEAST = 15, DIGITS_MOST = 17, POWER_MOST = 32, MANTISSA = 53, EXPONENT_BELOW = -4 };

/* v 10^p as a whole number and what is left of it. */
typedef struct Scaled {
  Wide exact; /* m 5^p, */
  int shift;  /* of which 2^shift make one */
  Wide half;  /* 5^p: twice the half unit of m */
  uint64_t whole;
} Scaled;

static Wide power_of_five(int p) {
  static const uint64_t small[] = {1,         5,          25,          125,          625,          3125,
                                   15625,     78125,      390625,      1953125,      9765625,      48828125,
                                   244140625, 1220703125, 6103515625u, 30517578125u, 152587890625u};
  return p <= 16 ? small[p] : (Wide)small[16] * small[p - 16];
}

static uint64_t power_of_ten(int p) {
  uint64_t power = 1;
  for (; p > 0; p--) power *= 10;
  return power;
}

/* False when the numbers would not fit. */
static bool scale(uint64_t m, int e, int p, Scaled* scaled) {
  if (p < 0 || p > POWER_MOST) return false;
  scaled->half = power_of_five(p);
  scaled->exact = m * scaled->half;
  scaled->shift = -(e + p);
  if (scaled->shift < -10 || scaled->shift > 120) return false;
  if (scaled->shift < 0) {
    scaled->exact <<= -scaled->shift; /* a whole number below 10^17: nothing is lost */
    scaled->half <<= -scaled->shift;
    scaled->shift = 0;
  }
  scaled->whole = (uint64_t)(scaled->exact >> scaled->shift);
  return true;
}

/* To the nearest, and to the even one when there are two. */
static uint64_t rounded(const Scaled* scaled) {
  Wide one = (Wide)1 << scaled->shift, rest = scaled->exact & (one - 1);
  bool is_up = 2 * rest > one || (2 * rest == one && scaled->whole % 2 == 1);
  return scaled->whole + is_up;
}

static bool reads_back(const Scaled* scaled, uint64_t digits, uint64_t m) {
  Wide there = (Wide)digits << scaled->shift;
  bool is_below = there < scaled->exact, is_even = m % 2 == 0;
  Wide off = is_below ? scaled->exact - there : there - scaled->exact;
  /* below a power of two the doubles lie twice as close */
  off *= is_below && m == (uint64_t)1 << (MANTISSA - 1) ? 4 : 2;
  return off < scaled->half || (off == scaled->half && is_even);
}

/* Digits d with the first one in the place 10^k, as %g would lay them out. */
static int32_t lay_out(bool is_negative, uint64_t d, int count, int k, char* buffer) {
  char digits[DIGITS_MOST];
  char* at = buffer;
  for (int i = count - 1; i >= 0; i--, d /= 10) digits[i] = (char)('0' + d % 10);
  while (count > 1 && digits[count - 1] == '0') count--;
  if (is_negative) *at++ = '-';
  if (k < EXPONENT_BELOW) {
    *at++ = digits[0];
    if (count > 1) *at++ = '.';
    memcpy(at, digits + 1, (size_t)count - 1);
    at += count - 1;
    return (int32_t)(at - buffer) + (int32_t)sprintf(at, "e-%02d", -k);
  }
  if (k < 0) {
    *at++ = '0';
    *at++ = '.';
    for (int i = -1; i > k; i--) *at++ = '0';
  }
  for (int i = 0; i < count || i <= k; i++) {
    if (i == k + 1 && k >= 0) *at++ = '.';
    *at++ = i < count ? digits[i] : '0';
  }
  *at = 0;
  return (int32_t)(at - buffer);
}

/* The fast way; 0 when it is not for this number. */
static int32_t number_fast(double value, char* buffer) {
  int exponent, k;
  double size = fabs(value);
  if (!(size >= 1e-15 && size < 1e14)) return 0;
  uint64_t m = (uint64_t)ldexp(frexp(size, &exponent), MANTISSA);
  exponent -= MANTISSA;
  /* where the first digit is */
  Scaled scaled;
  k = (int)floor((exponent + MANTISSA - 1) * 0.30102999566398120);
  if (!scale(m, exponent, DIGITS_MOST - 1 - k, &scaled)) return 0;
  if (scaled.whole >= power_of_ten(DIGITS_MOST)) k++;
  for (int count = DIGITS_LEAST; count <= DIGITS_MOST; count++) {
    if (!scale(m, exponent, count - 1 - k, &scaled)) return 0;
    uint64_t digits = rounded(&scaled);
    if (!reads_back(&scaled, digits, m)) continue;
    if (digits < power_of_ten(count)) return lay_out(value < 0, digits, count, k, buffer);
    return k + 1 < DIGITS_LEAST ? lay_out(value < 0, digits / 10, count, k + 1, buffer) : 0;
  }
  return 0;
}

int32_t zw_number_text(double value, char* buffer) {
  if (isnan(value)) return (int32_t)sprintf(buffer, "nan");
  if (isinf(value)) return (int32_t)sprintf(buffer, value > 0 ? "inf" : "-inf");
  if (value == 0) return (int32_t)sprintf(buffer, signbit(value) ? "-0" : "0");
  int32_t fast = number_fast(value, buffer);
  if (fast > 0) return fast;
  /* 15 digits are mostly enough, 17 always; denormals hold fewer */
  for (int digits = fabs(value) < DBL_MIN ? 1 : DIGITS_LEAST; digits < DIGITS_MOST; digits++) {
    int size = snprintf(buffer, 32, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) return (int32_t)size;
  }
  return (int32_t)snprintf(buffer, 32, "%.17g", value);
}
