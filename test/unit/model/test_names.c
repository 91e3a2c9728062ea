#include "model/names.h"

#include "../numbers.h"

#include <stdio.h>
#include <string.h>

typedef struct Fixture {
  ZwArena arena;
  ZwScope outer, inner;
} Fixture;

static void open_fixture(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_scope_init(&f->outer, &f->arena, NULL);
  zw_scope_init(&f->inner, &f->arena, &f->outer);
}

static void add(ZwScope* scope, const char* name, int32_t index) {
  assert_true(zw_scope_add(scope, (ZwEntity){.kind = ZW_ENTITY_COORD, .name = zw_str_from(name), .first = index}));
}

static void names_are_found_in_their_scope(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  assert_null(zw_scope_find_here(&f.outer, ZW_STR("x"))); /* nothing in an empty one */
  add(&f.outer, "x", 1);
  add(&f.outer, "y", 2);
  assert_int_equal(zw_scope_find(&f.outer, ZW_STR("x"))->first, 1);
  assert_int_equal(zw_scope_find(&f.outer, ZW_STR("y"))->first, 2);
  assert_null(zw_scope_find(&f.outer, ZW_STR("X")));
  assert_null(zw_scope_find(&f.outer, ZW_STR("")));
  zw_arena_destroy(&f.arena);
}

static void inner_name_hides_an_outer_one(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  add(&f.outer, "x", 1);
  add(&f.outer, "y", 2);
  add(&f.inner, "x", 3);
  assert_int_equal(zw_scope_find(&f.inner, ZW_STR("x"))->first, 3);
  assert_int_equal(zw_scope_find(&f.inner, ZW_STR("y"))->first, 2);
  assert_null(zw_scope_find_here(&f.inner, ZW_STR("y")));
  assert_int_equal(zw_scope_find(&f.outer, ZW_STR("x"))->first, 1);
  zw_arena_destroy(&f.arena);
}

static void many_names_are_all_found(void** state) {
  (void)state;
  enum { COUNT = 20000 };
  Fixture f;
  open_fixture(&f);
  char(*names)[12] = malloc(COUNT * sizeof *names);
  for (int32_t i = 0; i < COUNT; i++) {
    sprintf(names[i], "x%d", (int)i);
    add(&f.outer, names[i], i);
  }
  for (int32_t i = 0; i < COUNT; i++) assert_int_equal(zw_scope_find(&f.outer, zw_str_from(names[i]))->first, i);
  assert_null(zw_scope_find(&f.outer, ZW_STR("x20000")));
  free(names);
  zw_arena_destroy(&f.arena);
}

static void assert_suggested(Fixture* f, const char* typed, const char* want) {
  static const char* const others[] = {"sin", "cos", "sqrt", NULL};
  ZwStr got = zw_scope_suggest(&f->inner, zw_str_from(typed), others);
  assert_int_equal(got.size, strlen(want));
  assert_memory_equal(got.data, want, strlen(want));
}

static void nearest_name_is_suggested(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  add(&f.outer, "length", 1);
  add(&f.outer, "mass", 2);
  add(&f.outer, "x", 3);
  add(&f.inner, "lengths", 4);
  assert_suggested(&f, "lenght", "length");
  assert_suggested(&f, "lengthz", "lengths"); /* one slip, as for length: the inner one was first */
  assert_suggested(&f, "Mass", "mass");
  assert_suggested(&f, "sqr", "sqrt"); /* from the list beside the scopes */
  assert_suggested(&f, "siin", "sin");
  assert_suggested(&f, "pressure", "");
  assert_suggested(&f, "y", ""); /* one letter is like every other letter */
  zw_arena_destroy(&f.arena);
}

static void adding_without_memory_says_so(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f);
  add(&f.outer, "x", 1);
  f.arena.failed = true;
  bool is_added = true;
  char names[64][8];
  for (int i = 0; i < 64 && is_added; i++) {
    sprintf(names[i], "y%d", i);
    is_added = zw_scope_add(&f.outer, (ZwEntity){.name = zw_str_from(names[i])});
  }
  assert_false(is_added);
  assert_int_equal(zw_scope_find(&f.outer, ZW_STR("x"))->first, 1);
  zw_arena_destroy(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_found_in_their_scope), cmocka_unit_test(inner_name_hides_an_outer_one),
      cmocka_unit_test(many_names_are_all_found),       cmocka_unit_test(nearest_name_is_suggested),
      cmocka_unit_test(adding_without_memory_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
