/* Names of columns: the same however the text is laid out. */
#include "text/canonical.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "text/lookalike.h"

static void check(const char* typed, const char* want) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwStr got = zw_canonical(&arena, zw_str_from(typed));
  if (!zw_str_equal(got, zw_str_from(want))) fail_msg("'%s': '%.*s', not '%s'", typed, ZW_STR_ARGS(got), want);
  ZwStr again = zw_canonical(&arena, got);
  assert_true(zw_str_equal(again, got));
  zw_arena_destroy(&arena);
}

static void test_spaces(void** state) {
  (void)state;
  check("x", "x");
  check("2*x+y", "2*x + y");
  check("2 * x   +  y", "2*x + y");
  check(" -x", "-x");
  check("- x+ -y", "-x + -y");
  check("x'", "x'");
  check("P . x '", "P.x'");
  check("x [ i , j - 1 ]", "x[i,j-1]");
  check("f( x ,y )", "f(x, y)");
  check("( x,y )", "(x, y)");
  check("sum( i in 1 .. N - 1 : x[ i ]^ 2)", "sum(i in 1..N-1: x[i]^2)");
  check("x>0 and not y<=2 or z==1", "x > 0 and not y <= 2 or z == 1");
  check("if x>0 then 1 else-1", "if x > 0 then 1 else -1");
  check("x + # the first\n  y", "x + y");
  check("e\xCC\x81", "\xC3\xA9"); /* NFC */
  check("table( \"a b.csv\",x )", "table(\"a b.csv\", x)");
}

/* What cannot be taken apart stays as it is. */
static void test_wrong(void** state) {
  (void)state;
  check("", "");
  check("\xFF", "\xFF");
}

static bool alike(const char* a, const char* b) {
  return zw_names_look_alike(zw_str_from(a), zw_str_from(b));
}

static void test_lookalikes(void** state) {
  (void)state;
  uint32_t odd;
  assert_true(alike("\xD0\xB0", "a"));        /* Cyrillic a */
  assert_true(alike("\xC2\xB5", "\xCE\xBC")); /* micro, mu */
  assert_true(alike("m\xD0\xB0ss", "mass"));
  assert_true(alike("\xEF\xBD\x81\xEF\xBC\x91", "a1")); /* wide */
  assert_true(alike("\xF0\x9D\x91\xA5", "x"));          /* italic x of mathematics */
  assert_false(alike("\xCE\xB1", "a"));                 /* alpha */
  assert_false(alike("a", "aa"));
  assert_false(alike("aa", "a"));
  assert_true(zw_name_is_mixed(zw_str_from("m\xD0\xB0ss"), &odd) && odd == 0x430);
  assert_false(zw_name_is_mixed(zw_str_from("\xD0\xBC\xD0\xB0\xD1\x81\xD1\x81\xD0\xB0"), &odd)); /* all Cyrillic */
  assert_false(zw_name_is_mixed(zw_str_from("\xCE\x94x"), &odd));                                /* Delta x */
  for (uint32_t c = 0; c < 0x20000; c++) assert_true(zw_looks_like(zw_looks_like(c)) == zw_looks_like(c));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_spaces), cmocka_unit_test(test_wrong),
                                     cmocka_unit_test(test_lookalikes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
