#include "base/big.h"

#include <string.h>

#include "base/assert.h"

enum { LIMB = 32, FIVES = 13 }; /* 5^13 fits into a limb */

static uint32_t five_to(int power) {
  uint32_t five = 1;
  for (; power > 0; power--) five *= 5;
  return five;
}

void zw_big_set(ZwBig* big, uint64_t value) {
  big->has_rest = false;
  for (big->count = 0; value; value >>= LIMB) big->limbs[big->count++] = (uint32_t)value;
}

void zw_big_multiply(ZwBig* big, uint32_t factor, uint32_t more) {
  uint64_t carry = more;
  for (int i = 0; i < big->count; i++) {
    carry += (uint64_t)big->limbs[i] * factor;
    big->limbs[i] = (uint32_t)carry;
    carry >>= LIMB;
  }
  if (!carry) return;
  ZW_ASSERT(big->count < ZW_BIG_LIMBS);
  big->limbs[big->count++] = (uint32_t)carry;
}

void zw_big_multiply_five(ZwBig* big, int power) {
  for (; power > 0; power -= FIVES) zw_big_multiply(big, five_to(power < FIVES ? power : FIVES), 0);
}

static uint32_t divide(ZwBig* big, uint32_t divisor) {
  uint64_t rest = 0;
  for (int i = big->count - 1; i >= 0; i--) {
    rest = rest << LIMB | big->limbs[i];
    big->limbs[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  while (big->count > 0 && big->limbs[big->count - 1] == 0) big->count--;
  return (uint32_t)rest;
}

/* The whole part of a whole part's quotient is that of the quotient: one small divisor after the other. */
void zw_big_divide_five(ZwBig* big, int power) {
  for (; power > 0; power -= FIVES) {
    if (divide(big, five_to(power < FIVES ? power : FIVES)) != 0) big->has_rest = true;
  }
}

static void shift_left(ZwBig* big, int bits) {
  int limbs = bits / LIMB;
  zw_big_multiply(big, (uint32_t)1 << bits % LIMB, 0);
  if (limbs == 0 || big->count == 0) return;
  ZW_ASSERT(big->count + limbs <= ZW_BIG_LIMBS);
  memmove(big->limbs + limbs, big->limbs, (size_t)big->count * sizeof *big->limbs);
  memset(big->limbs, 0, (size_t)limbs * sizeof *big->limbs);
  big->count += limbs;
}

static void shift_right(ZwBig* big, int bits) {
  int limbs = bits / LIMB < big->count ? bits / LIMB : big->count;
  for (int i = 0; i < limbs; i++) big->has_rest = big->has_rest || big->limbs[i] != 0;
  memmove(big->limbs, big->limbs + limbs, (size_t)(big->count - limbs) * sizeof *big->limbs);
  big->count -= limbs;
  if (bits % LIMB && divide(big, (uint32_t)1 << bits % LIMB) != 0) big->has_rest = true;
}

void zw_big_shift(ZwBig* big, int bits) {
  if (bits >= 0)
    shift_left(big, bits);
  else
    shift_right(big, -bits);
}

int zw_big_take_digit(ZwBig* big) {
  return (int)divide(big, 10);
}

int zw_big_bits(const ZwBig* big) {
  return big->count == 0 ? 0 : LIMB * big->count - __builtin_clz(big->limbs[big->count - 1]);
}

uint64_t zw_big_low(const ZwBig* big) {
  uint64_t high = big->count > 1 ? big->limbs[1] : 0;
  return high << LIMB | (big->count > 0 ? big->limbs[0] : 0);
}
