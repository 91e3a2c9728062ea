#include "output/json.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

typedef struct Fixture {
  ZwArena arena;
  ZwText text;
  ZwJson json;
} Fixture;

static void begin(Fixture* f) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&f->arena, &allocator);
  zw_text_init(&f->text, &f->arena);
  zw_json_init(&f->json, &f->text);
}

static void end(Fixture* f) {
  zw_arena_destroy(&f->arena);
}

static void test_structure(void** state) {
  (void)state;
  Fixture f;
  begin(&f);
  assert_false(zw_json_is_complete(&f.json));
  zw_json_begin_object(&f.json);
  zw_json_key(&f.json, "zwang");
  zw_json_string(&f.json, "0.1");
  zw_json_key(&f.json, "schema");
  zw_json_integer(&f.json, 1);
  zw_json_key(&f.json, "errors");
  zw_json_begin_array(&f.json);
  zw_json_begin_object(&f.json);
  zw_json_end_object(&f.json);
  zw_json_begin_array(&f.json);
  zw_json_end_array(&f.json);
  zw_json_bool(&f.json, true);
  zw_json_bool(&f.json, false);
  zw_json_null(&f.json);
  zw_json_number(&f.json, 0.5);
  zw_json_end_array(&f.json);
  zw_json_key(&f.json, "least");
  zw_json_integer(&f.json, INT64_MIN);
  assert_false(zw_json_is_complete(&f.json));
  zw_json_end_object(&f.json);
  assert_true(zw_json_is_complete(&f.json));
  assert_string_equal(zw_text_get(&f.text),
                      "{\"zwang\":\"0.1\",\"schema\":1,\"errors\":[{},[],true,false,null,0.5],"
                      "\"least\":-9223372036854775808}");
  end(&f);
}

static void test_numbers_read_back(void** state) {
  (void)state;
  const double values[] = {1.0 / 3, -1.7976931348623157e308, 5e-324, 1e-5, 0.1 + 0.2, 1e21, NAN, INFINITY, -INFINITY};
  enum { COUNT = sizeof values / sizeof values[0] };
  Fixture f;
  begin(&f);
  zw_json_begin_array(&f.json);
  for (int i = 0; i < COUNT; i++) zw_json_number(&f.json, values[i]);
  zw_json_end_array(&f.json);
  json_t* read = json_loads(zw_text_get(&f.text), 0, NULL);
  assert_non_null(read);
  assert_int_equal(json_array_size(read), COUNT);
  for (int i = 0; i < COUNT; i++) {
    json_t* item = json_array_get(read, (size_t)i);
    if (isfinite(values[i])) {
      assert_true(json_number_value(item) == values[i]);
    } else {
      assert_true(json_is_null(item));
    }
  }
  json_decref(read);
  end(&f);
}

/* What a string reads back as. */
static void assert_string_read(const char* data, int32_t size, const char* want, size_t want_size) {
  Fixture f;
  begin(&f);
  zw_json_str(&f.json, (ZwStr){data, size});
  json_t* read = json_loads(zw_text_get(&f.text), JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  assert_non_null(read);
  assert_int_equal(json_string_length(read), want_size);
  assert_memory_equal(json_string_value(read), want, want_size);
  json_decref(read);
  end(&f);
}

#define ASSERT_STRING(in, out) assert_string_read((in), (int32_t)sizeof(in) - 1, (out), sizeof(out) - 1)

static void test_strings(void** state) {
  (void)state;
  ASSERT_STRING("", "");
  ASSERT_STRING("coupler.at.x' \"q\" \\ / \b\f\n\r\t\x01\x1F\x7F", "coupler.at.x' \"q\" \\ / \b\f\n\r\t\x01\x1F\x7F");
  ASSERT_STRING("a\0b", "a\0b");
  ASSERT_STRING("φ̇ − 中 😀", "φ̇ − 中 😀");
  /* damaged: lone continuation, overlong, surrogate, too large, cut short */
  ASSERT_STRING("a\x80z", "a\uFFFDz");
  ASSERT_STRING("\xC0\xAF", "\uFFFD\uFFFD");
  ASSERT_STRING("\xE0\x80\xAF", "\uFFFD\uFFFD\uFFFD");
  ASSERT_STRING("\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD");
  ASSERT_STRING("\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD");
  ASSERT_STRING("\xFF\xC3", "\uFFFD\uFFFD");
  ASSERT_STRING("\xE2\x82", "\uFFFD\uFFFD");
}

static void test_keys_are_escaped(void** state) {
  (void)state;
  Fixture f;
  begin(&f);
  zw_json_begin_object(&f.json);
  zw_json_key(&f.json, "a\"b\n");
  zw_json_null(&f.json);
  zw_json_end_object(&f.json);
  assert_string_equal(zw_text_get(&f.text), "{\"a\\\"b\\n\":null}");
  end(&f);
}

static void value_without_key(ZwJson* json) {
  zw_json_begin_object(json);
  zw_json_null(json);
}

static void key_in_array(ZwJson* json) {
  zw_json_begin_array(json);
  zw_json_key(json, "a");
}

static void key_without_value(ZwJson* json) {
  zw_json_begin_object(json);
  zw_json_key(json, "a");
  zw_json_end_object(json);
}

static void wrong_end(ZwJson* json) {
  zw_json_begin_object(json);
  zw_json_end_array(json);
}

static void end_without_begin(ZwJson* json) {
  zw_json_end_object(json);
}

static void two_values(ZwJson* json) {
  zw_json_null(json);
  zw_json_null(json);
}

static void too_deep(ZwJson* json) {
  for (int i = 0; i <= ZW_JSON_DEPTH; i++) zw_json_begin_array(json);
}

static bool aborts(void (*misuse)(ZwJson* json)) {
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!freopen("/dev/null", "w", stderr)) _exit(2);
    Fixture f;
    begin(&f);
    misuse(&f.json);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void test_misuse_is_asserted(void** state) {
  (void)state;
#ifdef ZW_NO_ASSERT
  skip();
#endif
  assert_true(aborts(value_without_key));
  assert_true(aborts(key_in_array));
  assert_true(aborts(key_without_value));
  assert_true(aborts(wrong_end));
  assert_true(aborts(end_without_begin));
  assert_true(aborts(two_values));
  assert_true(aborts(too_deep));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_structure),
      cmocka_unit_test(test_numbers_read_back),
      cmocka_unit_test(test_strings),
      cmocka_unit_test(test_keys_are_escaped),
      cmocka_unit_test(test_misuse_is_asserted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
