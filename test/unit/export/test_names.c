/* Names in C from the user's. */
#include "export/names.h"

#include "base/alloc.h"
#include "numbers.h"

static void expect_spelling(ZwArena* arena, const char* name, const char* want) {
  ZwText text;
  zw_text_init(&text, arena);
  zw_c_spell(&text, zw_str_from(name));
  assert_string_equal(zw_text_get(&text), want);
}

static void names_are_spelled(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  expect_spelling(&arena, "x", "x");
  expect_spelling(&arena, "crank.phi", "crank_phi");
  expect_spelling(&arena, "r[2,1].x", "r_2_1_x");
  expect_spelling(&arena, "line 5", "line_5");
  expect_spelling(&arena, "a__b_", "a_b");
  expect_spelling(&arena, "α", "alpha");
  expect_spelling(&arena, "Ω_2", "Omega_2");
  expect_spelling(&arena, "φ'", "phi");
  expect_spelling(&arena, "é", "u00E9");
  expect_spelling(&arena, "-x[-1]", "x_1");
  expect_spelling(&arena, "..", "unnamed");
  zw_arena_destroy(&arena);
}

static void expect_name(ZwCScope* scope, const char* name, const char* want) {
  assert_string_equal(zw_c_name(scope, zw_str_from(name)), want);
}

static void names_differ(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwCScope scope = {.arena = &arena};
  expect_name(&scope, "x[1]", "x_1");
  expect_name(&scope, "x_1", "x_1_2");
  expect_name(&scope, "x.1", "x_1_3");
  expect_name(&scope, "double", "double"); /* a prefix stands before it */
  expect_name(&scope, "3", "3");
  ZwCScope bare = {.arena = &arena, .is_bare = true};
  expect_name(&bare, "double", "double_2");
  expect_name(&bare, "double", "double_3");
  expect_name(&bare, "3", "n3");
  expect_name(&bare, "NAN", "NAN_2");
  expect_name(&bare, "int_", "int_2");
  zw_arena_destroy(&arena);
}

static void prefixes_are_identifiers(void** state) {
  (void)state;
  assert_true(zw_c_is_prefix(ZW_STR("arm_2")));
  assert_false(zw_c_is_prefix(ZW_STR("2arm")));
  assert_false(zw_c_is_prefix(ZW_STR("_arm")));
  assert_false(zw_c_is_prefix(ZW_STR("a-b")));
  assert_false(zw_c_is_prefix(ZW_STR("")));
  assert_false(zw_c_is_prefix(ZW_STR("α")));
}

/* Memory may end anywhere: there is a name, or none. */
static void memory_ends(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  arena.limit = 1;
  ZwCScope scope = {.arena = &arena};
  assert_null(zw_c_name(&scope, ZW_STR("x")));
  assert_true(arena.failed);
  zw_arena_destroy(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_spelled),
      cmocka_unit_test(names_differ),
      cmocka_unit_test(prefixes_are_identifiers),
      cmocka_unit_test(memory_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
