/* The operations behind expr/elementary.h. Included by the files that compile them: once for any machine, once for AVX2.
 * Nothing here branches, so that a loop over four numbers becomes vector instructions. Coefficients come from a weighted
 * minimax fit; the comments say how far off the polynomials are before rounding. */
#ifndef ZW_EXPR_ELEMENTARY_CORE_H
#define ZW_EXPR_ELEMENTARY_CORE_H

#include <stdint.h>
#include <string.h>

#include "expr/elementary.h"

#define ZW_ANGLE_MAX 1e6      /* beyond it the parts of pi/2 below are too short */
#define ZW_EXP_ORDINARY 700.0 /* up to it, and down to its negative, exp gives normal numbers */

// clang-format off
#define ZW_ELEMENTARY_CONSTANTS(X)                                                                                   \
  X(one, 1.0) X(half, 0.5)                                                                                           \
  X(shift, 0x1.8p+52) /* added and taken away again, it rounds to a whole number, which stays in its low bits */     \
  X(two_over_pi, 0x1.45f306dc9c883p-1)                                                                               \
  X(half_pi_1, 0x1.921fb544p+0) X(half_pi_2, 0x1.0b4611a6p-34)                                                       \
  X(half_pi_3, 0x1.3198a2ep-69) X(half_pi_4, 0x1.b839a252049c1p-104)                                                 \
  X(sin_3, 0x1.5555555555555p-3) X(sin_5, -0x1.11111111106f3p-7) X(sin_7, 0x1.a01a019d8f96ap-13)                     \
  X(sin_9, -0x1.71de369493f8ep-19) X(sin_11, 0x1.ae5f2b4cfc791p-26) X(sin_13, -0x1.5dc6745127646p-33)                \
  X(cos_4, 0x1.5555555555555p-5) X(cos_6, -0x1.6c16c16c16313p-10) X(cos_8, 0x1.a01a019e3965fp-16)                    \
  X(cos_10, -0x1.27e4f90abd582p-22) X(cos_12, 0x1.1eea8c7613f5ep-29) X(cos_14, -0x1.8ffbd9e3b5804p-37)               \
  X(log2_e, 0x1.71547652b82fep+0) X(ln2_1, 0x1.62e42feep-1) X(ln2_2, 0x1.a39ef35793c76p-33)                          \
  X(exp_3, 0x1.5555555555557p-3) X(exp_4, 0x1.5555555555556p-5) X(exp_5, 0x1.11111111100dcp-7)                       \
  X(exp_6, 0x1.6c16c16c162d4p-10) X(exp_7, 0x1.a01a01abe7fe1p-13) X(exp_8, 0x1.a01a01a6d889cp-16)                    \
  X(exp_9, 0x1.71de0231960ebp-19) X(exp_10, 0x1.27e4db646b17ep-22) X(exp_11, 0x1.af4de97ca4194p-26)                  \
  X(exp_12, 0x1.1f730349868cep-29)
// clang-format on

/* Each four times, one for each lane l, so that a vector instruction reads them where they are. */
typedef struct ZwElementaryConstants {
#define ZW_CONSTANT(name, value) double name[ZW_FOUR];
  ZW_ELEMENTARY_CONSTANTS(ZW_CONSTANT)
#undef ZW_CONSTANT
} ZwElementaryConstants;

extern const ZwElementaryConstants zw_elementary_constants;

static inline uint64_t zw_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double zw_from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* An angle as a number of quarter turns and a rest hi - less of at most an eighth turn. A difference, not a sum, because
 * -0 - 0 is -0. */
typedef struct ZwAngle {
  double hi, less;
  uint64_t quarter; /* its last two bits count */
} ZwAngle;

/* pi/2 in four parts. The number of quarter turns has 20 bits and the first three parts have 33, so that their products are
 * exact; what is lost lies under 2^-105 of the rest, however near to a multiple of pi/2 the angle is.
 *
 * The difference of two numbers a - b is kept exactly as hi - less with hi = a - b, less = b - (a - hi). This is right if a
 * is the larger one, and otherwise hi has no error and less is 0: the first a is a multiple of 2^-53, the first b one of
 * 2^-66 below 2^-14, the second b one of 2^-101 below 2^-49, so that differences of numbers that small have 53 bits. */
static inline ZwAngle zw_reduce(double x, int l) {
  const ZwElementaryConstants* k = &zw_elementary_constants;
  double shifted = x * k->two_over_pi[l] + k->shift[l];
  double n = shifted - k->shift[l];
  double rest = x - n * k->half_pi_1[l], second = n * k->half_pi_2[l], third = n * k->half_pi_3[l];
  double hi2 = rest - second, less2 = second - (rest - hi2);
  double hi3 = hi2 - third, less3 = third - (hi2 - hi3);
  double less = n * k->half_pi_4[l] + (less2 + less3);
  ZwAngle angle = {.quarter = zw_bits(shifted)};
  angle.hi = hi3 - less;
  angle.less = less - (hi3 - angle.hi);
  return angle;
}

/* sin(hi - less) = hi - hi^3 S(hi^2) - less cos(hi); off by 2^-57 */
static inline double zw_sine_of(double hi, double less, int l) {
  const ZwElementaryConstants* k = &zw_elementary_constants;
  double z = hi * hi, zz = z * z;
  double even = k->sin_7[l] + z * k->sin_9[l], top = k->sin_11[l] + z * k->sin_13[l];
  double bend = k->sin_3[l] + z * (k->sin_5[l] + z * (even + zz * top));
  return hi - (less * (k->one[l] - k->half[l] * z) + hi * z * bend);
}

/* cos(hi - less) = 1 - hi^2/2 + hi^4 C(hi^2) + hi less; off by 2^-63 */
static inline double zw_cosine_of(double hi, double less, int l) {
  const ZwElementaryConstants* k = &zw_elementary_constants;
  double z = hi * hi, zz = z * z, half = k->half[l] * z;
  double even = k->cos_8[l] + z * k->cos_10[l], top = k->cos_12[l] + z * k->cos_14[l];
  double bend = k->cos_4[l] + z * (k->cos_6[l] + z * (even + zz * top));
  double head = k->one[l] - half;
  return head + (((k->one[l] - head) - half) + (zz * bend + hi * less));
}

/* The sine of an angle that many quarter turns ahead, from the sine and cosine of its rest. */
static inline double zw_turn(double sine, double cosine, uint64_t quarter) {
  uint64_t odd = 0 - (quarter & 1); /* all bits or none: no branch to tempt the compiler */
  uint64_t bits = (zw_bits(cosine) & odd) | (zw_bits(sine) & ~odd);
  return zw_from_bits(bits ^ (quarter & 2) << 62);
}

/* exp(x) = value 2^power, |x| <= 746; off by 2^-61. The rest of x beside a multiple of ln 2 is r + lo, and 1 + r is kept
 * exactly, as head and what it lost. */
static inline double zw_exp_of(double x, uint64_t* power, int l) {
  const ZwElementaryConstants* k = &zw_elementary_constants;
  double shifted = x * k->log2_e[l] + k->shift[l];
  double n = shifted - k->shift[l];
  double hi = x - n * k->ln2_1[l], away = n * k->ln2_2[l];
  double r = hi - away, lo = (hi - r) - away;
  double rr = r * r, r4 = rr * rr;
  double a = k->half[l] + r * k->exp_3[l], b = k->exp_4[l] + r * k->exp_5[l];
  double c = k->exp_6[l] + r * k->exp_7[l], d = k->exp_8[l] + r * k->exp_9[l];
  double e = k->exp_10[l] + r * k->exp_11[l] + rr * k->exp_12[l];
  double rest = rr * (a + rr * b + r4 * (c + rr * d + r4 * e));
  double head = k->one[l] + r;
  *power = zw_bits(shifted) - zw_bits(k->shift[l]);
  return head + (((k->one[l] - head) + r) + (lo + rest));
}

/* 2^power of a normal number */
static inline double zw_power_of_two(uint64_t power) {
  return zw_from_bits((power + 1023) << 52);
}

#endif
