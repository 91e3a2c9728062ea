#include "base/diag.h"

#include "../numbers.h"

#include <string.h>

typedef struct Fixture {
  ZwArena arena;
  ZwSources sources;
  ZwDiagList diags;
} Fixture;

static void open_fixture(Fixture* f, const char* text) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  f->sources = (ZwSources){0};
  (void)zw_sources_add(&f->sources, &f->arena, ZW_STR("a.zw"), zw_str_from(text));
  zw_diag_init(&f->diags, &f->arena, &f->sources);
}

static void message_knows_its_place_and_line(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f, "coord x\nlet é = yy\n");
  ZwStatus status = zw_diag_error(&f.diags, ZW_ERR_NAME, (ZwSpan){1, 17, 19}, "'%s' is not declared", "yy");
  assert_int_equal(status, ZW_ERR_NAME);
  assert_int_equal(f.diags.list.count, 1);
  const ZwDiag* diag = &f.diags.list.items[0];
  assert_int_equal(diag->severity, ZW_SEVERITY_ERROR);
  assert_int_equal(diag->code, ZW_ERR_NAME);
  assert_string_equal(diag->file, "a.zw");
  assert_int_equal(diag->line, 2);
  assert_int_equal(diag->column, 9);
  assert_int_equal(diag->offset, 9);
  assert_int_equal(diag->size, 2);
  assert_int_equal(diag->source_line_size, 11);
  assert_memory_equal(diag->source_line, "let é = yy", 11);
  assert_string_equal(diag->text, "'yy' is not declared");
  assert_string_equal(diag->remedy, "");
  zw_arena_destroy(&f.arena);
}

static void message_from_nowhere_has_no_file(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f, "coord x");
  zw_diag_error(&f.diags, ZW_ERR_STEP, (ZwSpan){0}, "too small");
  assert_string_equal(f.diags.list.items[0].file, "");
  assert_int_equal(f.diags.list.items[0].line, 0);
  assert_int_equal(f.diags.list.items[0].source_line_size, 0);
  zw_arena_destroy(&f.arena);
}

static void remedy_belongs_to_the_message_added_last(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f, "coord x");
  zw_diag_remedy(&f.diags, "for nothing"); /* no message yet: no harm */
  zw_diag_error(&f.diags, ZW_ERR_NAME, (ZwSpan){1, 0, 1}, "first");
  zw_diag_note(&f.diags, (ZwSpan){1, 2, 3}, "second");
  zw_diag_remedy(&f.diags, "write %d", 2);
  assert_string_equal(f.diags.list.items[0].remedy, "");
  assert_string_equal(f.diags.list.items[1].remedy, "write 2");
  zw_arena_destroy(&f.arena);
}

static void notes_are_no_errors(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f, "coord x");
  zw_diag_note(&f.diags, (ZwSpan){0}, "by the way");
  assert_int_equal(f.diags.errors, 0);
  assert_int_equal(f.diags.first_error, ZW_OK);
  assert_int_equal(f.diags.list.items[0].severity, ZW_SEVERITY_NOTE);
  zw_diag_error(&f.diags, ZW_ERR_TYPE, (ZwSpan){0}, "one");
  zw_diag_error(&f.diags, ZW_ERR_NAME, (ZwSpan){0}, "two");
  assert_int_equal(f.diags.errors, 2);
  assert_int_equal(f.diags.first_error, ZW_ERR_TYPE);
  zw_arena_destroy(&f.arena);
}

static void errors_beyond_the_limit_are_counted_only(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f, "coord x");
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(zw_diag_error(&f.diags, ZW_ERR_NAME, (ZwSpan){1, 0, 1}, "number %d", i), ZW_ERR_NAME);
    zw_diag_remedy(&f.diags, "remedy %d", i);
  }
  assert_int_equal(f.diags.errors, 1000);
  assert_int_equal(f.diags.list.count, ZW_LIMIT_ERRORS);
  assert_string_equal(f.diags.list.items[ZW_LIMIT_ERRORS - 1].text, "number 49");
  assert_string_equal(f.diags.list.items[ZW_LIMIT_ERRORS - 1].remedy, "remedy 49"); /* not that of an unlisted one */
  zw_diag_note(&f.diags, (ZwSpan){0}, "notes still come");
  assert_int_equal(f.diags.list.count, ZW_LIMIT_ERRORS + 1);
  zw_arena_destroy(&f.arena);
}

static void long_messages_are_whole(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f, "coord x");
  zw_diag_error(&f.diags, ZW_ERR_NAME, (ZwSpan){0}, "%01000d", 0);
  zw_diag_remedy(&f.diags, "%02000d", 0);
  assert_int_equal(strlen(f.diags.list.items[0].text), 1000);
  assert_int_equal(strlen(f.diags.list.items[0].remedy), 2000);
  zw_arena_destroy(&f.arena);
}

static void messages_without_memory_are_dropped_quietly(void** state) {
  (void)state;
  Fixture f;
  open_fixture(&f, "coord x");
  zw_diag_error(&f.diags, ZW_ERR_NAME, (ZwSpan){1, 0, 1}, "first");
  zw_diag_remedy(&f.diags, "keep");
  f.arena.failed = true;
  for (int i = 0; i < 20; i++) zw_diag_error(&f.diags, ZW_ERR_TYPE, (ZwSpan){1, 0, 1}, "lost");
  zw_diag_note(&f.diags, (ZwSpan){1, 0, 1}, "lost");
  zw_diag_remedy(&f.diags, "lost");
  assert_int_equal(f.diags.errors, 21);
  assert_int_equal(f.diags.list.count, 1); /* half a message would be worse than none */
  assert_string_equal(f.diags.list.items[0].text, "first");
  assert_string_equal(f.diags.list.items[0].remedy, "keep");
  zw_arena_destroy(&f.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(message_knows_its_place_and_line),
      cmocka_unit_test(message_from_nowhere_has_no_file),
      cmocka_unit_test(remedy_belongs_to_the_message_added_last),
      cmocka_unit_test(notes_are_no_errors),
      cmocka_unit_test(errors_beyond_the_limit_are_counted_only),
      cmocka_unit_test(long_messages_are_whole),
      cmocka_unit_test(messages_without_memory_are_dropped_quietly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
