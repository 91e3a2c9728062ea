/* The table of powers against whole numbers of any size: 5^p lies where the table says, for every p. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/big.h"
#include "base/powers.h"

/* The 128 highest bits of a number that has more, and whether there is something below them. */
static ZwWide high_bits(ZwBig* big, int* exponent, int* has_rest) {
  *exponent = zw_big_bits(big) - 128;
  zw_big_shift(big, -*exponent);
  *has_rest = big->has_rest;
  return (ZwWide)zw_big_low(big) | (ZwWide)((uint64_t)big->limbs[3] << 32 | big->limbs[2]) << 64;
}

static void test_all(void** state) {
  (void)state;
  for (int p = ZW_POWER_LEAST; p <= ZW_POWER_MOST; p++) {
    ZwPower power = zw_power_of_five(p);
    ZwBig big;
    int exponent, has_rest, below = 128 + 1000; /* so many bits after the point */
    zw_big_set(&big, 1);
    zw_big_shift(&big, below);
    if (p >= 0)
      zw_big_multiply_five(&big, p);
    else
      zw_big_divide_five(&big, -p);
    ZwWide want = high_bits(&big, &exponent, &has_rest);
    assert_int_equal(power.exponent, exponent - below);
    assert_true(power.digits <= want && want - power.digits <= (ZwWide)(unsigned)power.doubt);
    if (power.doubt == 0) assert_true(want == power.digits && !has_rest);
    assert_true(power.digits >> 127);
    if (p >= 0 && p <= 54) assert_int_equal(power.doubt, 0);
  }
}

static void test_tens(void** state) {
  (void)state;
  uint64_t ten = 1;
  for (int p = 0; p <= 19; p++, ten *= 10) assert_true(zw_power_of_ten(p) == ten);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_all), cmocka_unit_test(test_tens)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
