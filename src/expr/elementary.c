#include "expr/elementary.h"

#include <math.h>
#include <stdbool.h>

#include "expr/elementary_core.h"

const ZwElementaryConstants zw_elementary_constants = {
#define ZW_CONSTANT(name, value) {value, value, value, value},
    ZW_ELEMENTARY_CONSTANTS(ZW_CONSTANT)
#undef ZW_CONSTANT
};

/* ---- angles of any size ---- */

/* 2/pi behind its point. */
static const uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

enum { WINDOW = 7, PRODUCT = WINDOW + 2 }; /* words */

/* product = m times WINDOW words of 2/pi from `first` on; its words go from the lowest up. */
static void multiply(uint64_t m, int first, uint32_t product[PRODUCT]) {
  uint64_t low = m & 0xffffffff, high = m >> 32, carry = 0, before = 0;
  for (int i = 0; i < WINDOW; i++) {
    uint64_t word = two_over_pi[first + WINDOW - 1 - i];
    uint64_t sum = (low * word & 0xffffffff) + (before & 0xffffffff) + carry;
    product[i] = (uint32_t)sum;
    carry = (sum >> 32) + (low * word >> 32) + (before >> 32);
    before = high * word;
  }
  carry += before;
  product[WINDOW] = (uint32_t)carry;
  product[WINDOW + 1] = (uint32_t)(carry >> 32);
}

/* 32 bits of the product from a bit on. */
static uint32_t bits_from(const uint32_t product[PRODUCT], int bit) {
  int word = bit / 32, shift = bit % 32;
  uint64_t high = word + 1 < PRODUCT ? product[word + 1] : 0;
  return (uint32_t)((high << 32 | product[word]) >> shift);
}

/* hi + lo = a + b exactly, whatever their sizes */
static void add_exactly(double a, double b, double* hi, double* lo) {
  double sum = a + b, added = sum - a;
  *lo = (a - (sum - added)) + (b - added);
  *hi = sum;
}

/* hi + lo = a b exactly: halves of 26 bits have exact products */
static void multiply_exactly(double a, double b, double* hi, double* lo) {
  const double splitter = 0x1p27 + 1;
  double a1 = splitter * a - (splitter * a - a), a2 = a - a1, b1 = splitter * b - (splitter * b - b), b2 = b - b1;
  *hi = a * b;
  *lo = ((a1 * b1 - *hi) + a1 * b2 + a2 * b1) + a2 * b2;
}

/* As zw_reduce, for what is too large for it: x 2/pi modulo 4 in whole numbers (Payne and Hanek). */
static ZwAngle reduce_large(double x) {
  uint64_t bits = zw_bits(x);
  int exponent = (int)(bits >> 52 & 0x7ff) - 1075; /* |x| = m 2^exponent */
  uint64_t m = (bits & 0xfffffffffffff) | 0x10000000000000;
  int first = exponent >= 2 ? (exponent - 2) / 32 : 0; /* words before it give multiples of 4 */
  uint32_t product[PRODUCT];
  multiply(m, first, product);
  int point = 32 * WINDOW - (exponent - 32 * first); /* the bit of weight 1 */
  ZwAngle angle = {.quarter = bits_from(product, point) & 3};
  uint32_t words[4];
  for (int i = 0; i < 4; i++) words[i] = bits_from(product, point - 32 * (i + 1));
  /* the fraction, to the nearest whole number */
  bool is_up = words[0] >> 31;
  angle.quarter += is_up ? 1 : 0;
  for (int i = 0; i < 4 && is_up; i++) words[i] = ~words[i]; /* -1 - fraction, off by 2^-128 */
  double hi, lo, lo2;
  add_exactly(words[0] * 0x1p-32, words[1] * 0x1p-64, &hi, &lo);
  add_exactly(hi, words[2] * 0x1p-96, &hi, &lo2);
  lo += lo2 + words[3] * 0x1p-128;
  /* times pi/2 */
  double turned, rest;
  multiply_exactly(hi, 0x1.921fb54442d18p+0, &turned, &rest);
  rest += hi * 0x1.1a62633145c07p-54 + lo * 0x1.921fb54442d18p+0;
  angle.hi = turned + rest;
  angle.less = (angle.hi - turned) - rest;
  if (is_up != (x < 0)) {
    angle.hi = -angle.hi;
    angle.less = -angle.less;
  }
  if (x < 0) angle.quarter = 0 - angle.quarter;
  return angle;
}

/* ---- one number ---- */

#define EXP_END 746.0 /* from there on infinity or 0 */

static ZwAngle reduce(double x) {
  if (fabs(x) <= ZW_ANGLE_MAX) return zw_reduce(x, 0);
  return isfinite(x) ? reduce_large(x) : (ZwAngle){x - x, 0, 0};
}

static double sine_at(const ZwAngle* angle, uint64_t ahead) {
  uint64_t quarter = angle->quarter + ahead;
  if (quarter & 1) return zw_turn(0, zw_cosine_of(angle->hi, angle->less, 0), quarter);
  return zw_turn(zw_sine_of(angle->hi, angle->less, 0), 0, quarter);
}

double zw_sin(double x) {
  ZwAngle angle = reduce(x);
  return sine_at(&angle, 0);
}

double zw_cos(double x) {
  ZwAngle angle = reduce(x);
  return sine_at(&angle, 1);
}

void zw_sincos(double x, double* sine, double* cosine) {
  ZwAngle angle = reduce(x);
  double s = zw_sine_of(angle.hi, angle.less, 0), c = zw_cosine_of(angle.hi, angle.less, 0);
  *sine = zw_turn(s, c, angle.quarter);
  *cosine = zw_turn(s, c, angle.quarter + 1);
}

/* Results below the smallest normal number are rounded once, when the last factor comes in. */
double zw_exp(double x) {
  uint64_t power;
  if (fabs(x) <= ZW_EXP_ORDINARY) {
    double value = zw_exp_of(x, &power, 0);
    return value * zw_power_of_two(power);
  }
  if (!(fabs(x) <= EXP_END)) return x > 0 ? INFINITY : x < 0 ? 0 : x;
  double value = zw_exp_of(x, &power, 0), factor = x > 0 ? 0x1p512 : 0x1p-512;
  return value * zw_power_of_two(x > 0 ? power - 512 : power + 512) * factor;
}

/* ---- four numbers, on any machine ---- */

static void sin4(double* x) {
  for (int l = 0; l < ZW_FOUR; l++) x[l] = zw_sin(x[l]);
}

static void cos4(double* x) {
  for (int l = 0; l < ZW_FOUR; l++) x[l] = zw_cos(x[l]);
}

static void exp4(double* x) {
  for (int l = 0; l < ZW_FOUR; l++) x[l] = zw_exp(x[l]);
}

static void sincos4(double* x, double* cosine) {
  for (int l = 0; l < ZW_FOUR; l++) zw_sincos(x[l], &x[l], &cosine[l]);
}

const ZwElementary zw_elementary_portable = {sin4, cos4, exp4, sincos4};

const ZwElementary* zw_elementary(void) {
  const ZwElementary* avx2 = zw_elementary_avx2();
  return avx2 ? avx2 : &zw_elementary_portable;
}
