/* 5^p is taken apart as 5^(27 a) 5^r: a short table of the first, cut off after 128 bits, and whole numbers for the second. */
#include "base/powers.h"

#include "base/assert.h"

enum { APART = 27, FIRST = -13, EXACT_MOST = 2, DOUBT = 3 };

static const uint64_t wide_apart[][2] = {
    {0x8049a4ac0c5811aeu, 0x205b896d777d6278u}, /* 5^-351 */
    {0xcf42894a5dce35eau, 0x52064cac828675b9u}, /* 5^-324 */
    {0xa76c582338ed2621u, 0xaf2af2b80af6f24eu}, /* 5^-297 */
    {0x873e4f75e2224e68u, 0x5a7744a6e804a291u}, /* 5^-270 */
    {0xda7f5bf590966848u, 0xaf39a475506a899eu}, /* 5^-243 */
    {0xb080392cc4349decu, 0xbd8d794d96aacfb3u}, /* 5^-216 */
    {0x8e938662882af53eu, 0x547eb47b7282ee9cu}, /* 5^-189 */
    {0xe65829b3046b0afau, 0x0cb4a5a3112a5112u}, /* 5^-162 */
    {0xba121a4650e4ddebu, 0x92f34d62616ce413u}, /* 5^-135 */
    {0x964e858c91ba2655u, 0x3a6a07f8d510f86fu}, /* 5^-108 */
    {0xf2d56790ab41c2a2u, 0xfae27299423fb9c3u}, /* 5^-81 */
    {0xc428d05aa4751e4cu, 0xaa97e14c3c26b886u}, /* 5^-54 */
    {0x9e74d1b791e07e48u, 0x775ea264cf55347du}, /* 5^-27 */
    {0x8000000000000000u, 0x0000000000000000u}, /* 5^0 */
    {0xcecb8f27f4200f3au, 0x0000000000000000u}, /* 5^27 */
    {0xa70c3c40a64e6c51u, 0x999090b65f67d924u}, /* 5^54 */
    {0x86f0ac99b4e8dafdu, 0x69a028bb3ded71a3u}, /* 5^81 */
    {0xda01ee641a708de9u, 0xe80e6f4820cc9495u}, /* 5^108 */
    {0xb01ae745b101e9e4u, 0x5ec05dcff72e7f8fu}, /* 5^135 */
    {0x8e41ade9fbebc27du, 0x14588f13be847307u}, /* 5^162 */
    {0xe5d3ef282a242e81u, 0x8f1668c8a86da5fau}, /* 5^189 */
    {0xb9a74a0637ce2ee1u, 0x6d953e2bd7173692u}, /* 5^216 */
    {0x95f83d0a1fb69cd9u, 0x4abdaf101564f98eu}, /* 5^243 */
    {0xf24a01a73cf2dccfu, 0xbc633b39673c8cecu}, /* 5^270 */
    {0xc3b8358109e84f07u, 0x0a862f80ec4700c8u}, /* 5^297 */
    {0x9e19db92b4e31ba9u, 0x6c07a2c26a8346d1u}, /* 5^324 */
};

static const uint64_t small[APART] = {1u,
                                      5u,
                                      25u,
                                      125u,
                                      625u,
                                      3125u,
                                      15625u,
                                      78125u,
                                      390625u,
                                      1953125u,
                                      9765625u,
                                      48828125u,
                                      244140625u,
                                      1220703125u,
                                      6103515625u,
                                      30517578125u,
                                      152587890625u,
                                      762939453125u,
                                      3814697265625u,
                                      19073486328125u,
                                      95367431640625u,
                                      476837158203125u,
                                      2384185791015625u,
                                      11920928955078125u,
                                      59604644775390625u,
                                      298023223876953125u,
                                      1490116119384765625u};

/* floor(log2(10^p)) is p + floor(log2(5^p)); 217706 / 2^16 is log2(10), close enough for every power that is asked for. */
static int bits_of_five(int p) {
  return ((p * 217706) >> 16) - p;
}

ZwPower zw_power_of_five(int p) {
  ZW_ASSERT(p >= ZW_POWER_LEAST && p <= ZW_POWER_MOST);
  int a = (p - FIRST * APART) / APART + FIRST, r = p - a * APART;
  const uint64_t* wide = wide_apart[a - FIRST];
  /* wide times small in 192 bits; the lowest 64 are cut off */
  int empty = __builtin_clzll(small[r]);
  uint64_t factor = small[r] << empty;
  ZwWide low = (ZwWide)wide[1] * factor, high = (ZwWide)wide[0] * factor + (low >> 64);
  uint64_t cut = (uint64_t)low;
  if (!(high >> 127)) {
    high = high << 1 | cut >> 63;
    cut <<= 1;
  }
  bool is_exact = a >= 0 && a <= EXACT_MOST && cut == 0;
  return (ZwPower){high, bits_of_five(p) - 127, is_exact ? 0 : DOUBT};
}

uint64_t zw_power_of_ten(int p) {
  static const uint64_t tens[] = {1u,
                                  10u,
                                  100u,
                                  1000u,
                                  10000u,
                                  100000u,
                                  1000000u,
                                  10000000u,
                                  100000000u,
                                  1000000000u,
                                  10000000000u,
                                  100000000000u,
                                  1000000000000u,
                                  10000000000000u,
                                  100000000000000u,
                                  1000000000000000u,
                                  10000000000000000u,
                                  100000000000000000u,
                                  1000000000000000000u,
                                  10000000000000000000u};
  ZW_ASSERT(p >= 0 && p <= 19);
  return tens[p];
}
