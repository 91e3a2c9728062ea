/* Whole numbers of any size that a decimal of a double can need: for the few that 128 bits leave in doubt. */
#ifndef ZW_BASE_BIG_H
#define ZW_BASE_BIG_H

#include <stdbool.h>
#include <stdint.h>

enum { ZW_BIG_LIMBS = 192 }; /* 6144 bits: 772 digits over 5^1115, and 64 bits of the quotient */

typedef struct ZwBig {
  int count;                    /* limbs in use; 0 is the number 0 */
  uint32_t limbs[ZW_BIG_LIMBS]; /* the lowest first */
  bool has_rest;                /* what was divided or shifted away was not 0 */
} ZwBig;

void zw_big_set(ZwBig* big, uint64_t value);
/* big = big factor + more */
void zw_big_multiply(ZwBig* big, uint32_t factor, uint32_t more);
void zw_big_multiply_five(ZwBig* big, int power);
void zw_big_divide_five(ZwBig* big, int power);
/* Shifts left by `bits`, right when they are negative. */
void zw_big_shift(ZwBig* big, int bits);
/* Divides by ten, and returns the last digit. */
int zw_big_take_digit(ZwBig* big);
/* How many bits it has. */
int zw_big_bits(const ZwBig* big);
/* Its lowest 64 bits. */
uint64_t zw_big_low(const ZwBig* big);

#endif
