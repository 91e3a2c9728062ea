#include "output/csv_reader.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "output/csv.h"
#include "scratch.h"

static void write_file(const char* path, const char* text, size_t size) {
  (void)remove(path); /* to empty it would wait for the disk */
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, size, file), size);
  fclose(file);
}

static uint64_t random_bits(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed ^ (*seed >> 29);
}

/* What the writer wrote is read back bit by bit: numbers of all sizes, names and texts with everything in them. */
static void test_reads_what_was_written(void** state) {
  (void)state;
  enum { ROWS = 5000, COUNT = 7 };
  const char* names[COUNT + 1] = {"t", "x'", "a,b", "say \"x\"", "two\nlines", "μ", "", "event"};
  const char* texts[] = {"", "bounce", "a, b", "say \"x\""};
  char path[SCRATCH_PATH];
  scratch_path(path, "w.csv");
  int next_fd = scratch_next_fd();
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(zw_csv_open_text(&csv, &allocator, path, names, COUNT, NULL), ZW_OK);
  uint64_t seed = 1;
  for (int i = 0; i < ROWS; i++) {
    double row[COUNT];
    for (int k = 0; k < COUNT; k++) {
      uint64_t bits = random_bits(&seed);
      memcpy(&row[k], &bits, sizeof bits);
      if (isnan(row[k])) row[k] = NAN;
    }
    assert_int_equal(zw_csv_row_text(&csv, row, texts[i % 4]), ZW_OK);
  }
  assert_int_equal(zw_csv_finish(&csv), ZW_OK);

  ZwCsvReader reader;
  assert_int_equal(zw_csv_reader_open(&reader, &allocator, path), ZW_OK);
  assert_int_equal(reader.count, COUNT);
  assert_true(reader.has_text);
  assert_false(reader.is_part);
  for (int k = 0; k < COUNT; k++) assert_string_equal(reader.names[k], names[k]);
  seed = 1;
  bool has_row;
  for (int i = 0; i < ROWS; i++) {
    assert_int_equal(zw_csv_reader_next(&reader, &has_row), ZW_OK);
    assert_true(has_row);
    for (int k = 0; k < COUNT; k++) {
      uint64_t bits = random_bits(&seed);
      double want;
      memcpy(&want, &bits, sizeof bits);
      if (isnan(want))
        assert_true(isnan(reader.values[k]));
      else
        assert_memory_equal(&reader.values[k], &want, sizeof want);
    }
    assert_string_equal(reader.text, texts[i % 4]);
  }
  assert_int_equal(zw_csv_reader_next(&reader, &has_row), ZW_OK);
  assert_false(has_row);
  assert_int_equal(reader.rows, ROWS);
  zw_csv_reader_close(&reader);
  zw_csv_reader_close(&reader);
  assert_int_equal(scratch_next_fd(), next_fd);
}

/* A journal cut at every byte: the whole rows are read, the rest is known to be torn. */
static ZwStatus read_texts(const char* text, ZwCsvReader* reader) {
  char path[SCRATCH_PATH];
  ZwAllocator allocator = zw_allocator_default();
  write_file(scratch_path(path, "texts.csv"), text, strlen(text));
  assert_int_equal(zw_csv_reader_open(reader, &allocator, path), ZW_OK);
  assert_int_equal(zw_csv_reader_texts(reader, 1, 2), ZW_OK);
  bool has_row;
  return zw_csv_reader_next(reader, &has_row);
}

/* Columns of texts among those of numbers. */
static void test_texts(void** state) {
  (void)state;
  ZwCsvReader reader;
  assert_int_equal(read_texts("t,contact,what,impulse\n0.5,\"a,\"\"b\"\"\",hit,0.1\n1,,end,2\n", &reader), ZW_OK);
  assert_true(reader.values[0] == 0.5 && isnan(reader.values[1]) && isnan(reader.values[2]));
  assert_true(reader.values[3] == 0.1);
  assert_string_equal(reader.texts[0], "a,\"b\"");
  assert_string_equal(reader.texts[1], "hit");
  bool has_row;
  assert_int_equal(zw_csv_reader_next(&reader, &has_row), ZW_OK);
  assert_true(has_row && reader.values[3] == 2);
  assert_string_equal(reader.texts[0], "");
  assert_string_equal(reader.texts[1], "end");
  zw_csv_reader_close(&reader);
  const struct {
    const char* row;
    int column;
    const char* error;
  } wrong[] = {{"0,a,b\n", 6, "this row has 3 fields and the first line 4"},
               {"0,a,b,1,2\n", 10, "this row has 5 fields and the first line 4"},
               {"0,\"a\"x,b,1\n", 3, "a name expected, not '"},
               {"0,a,b,c\n", 7, "a number expected, not 'c'"},
               {"a,a,b,0\n", 1, "a number expected, not 'a'"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[100];
    snprintf(text, sizeof text, "t,contact,what,impulse\n%s", wrong[i].row);
    assert_int_equal(read_texts(text, &reader), ZW_ERR_VALUE);
    assert_int_equal(reader.line, 2);
    assert_int_equal(reader.column, wrong[i].column);
    assert_non_null(strstr(reader.error, wrong[i].error));
    zw_csv_reader_close(&reader);
  }
}

static void test_torn_anywhere(void** state) {
  (void)state;
  const char text[] = "t,x,event\n0,1.25,\n0.5,-3e-5,\"a, b\"\n1,nan,\n";
  char path[SCRATCH_PATH];
  scratch_path(path, "torn.csv.part");
  ZwAllocator allocator = zw_allocator_default();
  for (size_t size = 0; size < sizeof text; size++) {
    write_file(path, text, size);
    int32_t lines = 0;
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    ZwCsvReader reader;
    ZwStatus status = zw_csv_reader_open(&reader, &allocator, path);
    if (lines == 0) {
      assert_int_equal(status, ZW_ERR_VALUE);
      assert_true(reader.error[0] != 0);
      continue;
    }
    assert_int_equal(status, ZW_OK);
    bool has_row = true;
    while (has_row) assert_int_equal(zw_csv_reader_next(&reader, &has_row), ZW_OK);
    assert_int_equal(reader.rows, lines - 1);
    assert_int_equal(reader.is_torn, size > 0 && text[size - 1] != '\n');
    zw_csv_reader_close(&reader);
  }
}

/* Lines that are longer than any buffer, and begin anywhere in it. */
static void test_long_lines(void** state) {
  (void)state;
  enum { COLUMNS = 100000, ROWS = 4 };
  char path[SCRATCH_PATH];
  FILE* file = fopen(scratch_path(path, "long.csv"), "wb");
  assert_non_null(file);
  fputs("t", file);
  for (int i = 1; i < COLUMNS; i++) fprintf(file, ",x[%d]", i);
  for (int row = 0; row < ROWS; row++) {
    fprintf(file, "\n%d", row);
    for (int i = 1; i < COLUMNS; i++) fprintf(file, ",%d", row * i);
  }
  fclose(file);
  ZwAllocator allocator = zw_allocator_default();
  ZwCsvReader reader;
  assert_int_equal(zw_csv_reader_open(&reader, &allocator, path), ZW_OK);
  assert_int_equal(reader.count, COLUMNS);
  for (int row = 0; row < ROWS; row++) {
    bool has_row;
    assert_int_equal(zw_csv_reader_next(&reader, &has_row), ZW_OK);
    assert_true(has_row);
    assert_true(reader.values[COLUMNS - 1] == row * (COLUMNS - 1.0));
  }
  zw_csv_reader_close(&reader);
}

/* An output may be called `event` too. */
static void test_column_named_event(void** state) {
  (void)state;
  char path[SCRATCH_PATH];
  const char text[] = "t,event\n0,1\n1,2\n";
  write_file(scratch_path(path, "e.csv"), text, sizeof text - 1);
  ZwAllocator allocator = zw_allocator_default();
  ZwCsvReader reader;
  bool has_row;
  assert_int_equal(zw_csv_reader_open(&reader, &allocator, path), ZW_OK);
  assert_int_equal(zw_csv_reader_next(&reader, &has_row), ZW_OK);
  assert_false(reader.has_text);
  assert_int_equal(reader.count, 2);
  assert_string_equal(reader.names[1], "event");
  assert_true(reader.values[1] == 1);
  zw_csv_reader_close(&reader);
}

static int calls_left;

static void* scarce_alloc(void* context, size_t size) {
  (void)context;
  return calls_left-- > 0 ? malloc(size) : NULL;
}

static void scarce_release(void* context, void* memory) {
  (void)context;
  free(memory);
}

/* Memory that is out, at every call. */
static void test_memory(void** state) {
  (void)state;
  char path[SCRATCH_PATH];
  const char text[] = "t,x,event\n0,1,\n1,2,a\n";
  write_file(scratch_path(path, "m.csv"), text, sizeof text - 1);
  ZwAllocator allocator = {scarce_alloc, scarce_release, NULL};
  for (int calls = 0;; calls++) {
    calls_left = calls;
    ZwCsvReader reader;
    ZwStatus status = zw_csv_reader_open(&reader, &allocator, path);
    bool has_row = true;
    while (!status && has_row) status = zw_csv_reader_next(&reader, &has_row);
    zw_csv_reader_close(&reader);
    if (!status) {
      assert_true(calls > 0);
      return;
    }
    assert_int_equal(status, ZW_ERR_MEMORY);
    assert_string_equal(reader.error, "out of memory");
  }
}

/* Any bytes at all: read or refused, never more than that. */
static void test_any_bytes(void** state) {
  (void)state;
  static const char letters[] = "0123456789.,,,,\n\n\n\"\"eE+-naxift\r\\\xC3\xA4 ";
  char path[SCRATCH_PATH];
  ZwAllocator allocator = zw_allocator_default();
  uint64_t seed = 7;
  int rounds = getenv("ZW_LONG") ? 20000 : 600;
  for (int round = 0; round < rounds; round++) {
    char text[200] = "t,x,event\n";
    size_t size = round % 2 ? strlen(text) : 0;
    size_t end = size + random_bits(&seed) % 150;
    for (; size < end; size++) text[size] = letters[(random_bits(&seed) >> 20) % sizeof letters];
    write_file(scratch_path(path, round % 4 < 2 ? "any.csv" : "any.csv.part"), text, size);
    ZwCsvReader reader;
    ZwStatus status = zw_csv_reader_open(&reader, &allocator, path);
    bool has_row = true;
    while (!status && has_row) status = zw_csv_reader_next(&reader, &has_row);
    if (status) assert_int_equal(status, ZW_ERR_VALUE);
    if (status) assert_true(reader.error[0] && reader.line > 0);
    zw_csv_reader_close(&reader);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_what_was_written),
      cmocka_unit_test(test_texts),
      cmocka_unit_test(test_torn_anywhere),
      cmocka_unit_test(test_long_lines),
      cmocka_unit_test(test_column_named_event),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_any_bytes),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
