/* Powers of five in 128 bits: what turns decimal digits into a double and back. */
#ifndef ZW_BASE_POWERS_H
#define ZW_BASE_POWERS_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 ZwWide;

enum { ZW_POWER_LEAST = -342, ZW_POWER_MOST = 340 };

/* 5^p = (digits + d) 2^exponent with 0 <= d <= doubt; the highest bit of `digits` is set. */
typedef struct ZwPower {
  ZwWide digits;
  int exponent;
  int doubt; /* 0: exact */
} ZwPower;

ZwPower zw_power_of_five(int p);

/* 10^p for 0 <= p <= 19. */
uint64_t zw_power_of_ten(int p);

#endif
