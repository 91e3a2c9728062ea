/* The sum does not depend on how bytes are handed over, and every flipped bit, added or missing byte changes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sum.h"

static uint64_t sum_of(const unsigned char* data, size_t size, size_t piece) {
  ZwSum sum = zw_sum_begin();
  for (size_t at = 0; at < size; at += piece) zw_sum_add(&sum, data + at, size - at < piece ? size - at : piece);
  return zw_sum_get(&sum);
}

static void test_pieces(void** state) {
  (void)state;
  unsigned char data[100];
  for (int i = 0; i < 100; i++) data[i] = (unsigned char)(i * 37 + 11);
  for (size_t size = 0; size <= 100; size++) {
    uint64_t whole = sum_of(data, size, 1000);
    for (size_t piece = 1; piece <= 20; piece++) assert_true(sum_of(data, size, piece) == whole);
  }
}

static void test_damage(void** state) {
  (void)state;
  unsigned char data[61] = {0};
  for (int i = 0; i < 40; i++) data[i] = (unsigned char)(i * 101);
  uint64_t whole = sum_of(data, 61, 61);
  for (int bit = 0; bit < 8 * 61; bit++) {
    data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    assert_false(sum_of(data, 61, 61) == whole);
    data[bit / 8] ^= (unsigned char)(1u << bit % 8);
  }
  for (size_t size = 0; size < 61; size++) assert_false(sum_of(data, size, 61) == whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces), cmocka_unit_test(test_damage)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
