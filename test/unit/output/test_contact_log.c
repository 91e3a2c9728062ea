#include "output/contact_log.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "scratch.h"

enum { COUNT = 3 };
static const char* const NAMES[COUNT] = {"floor", "end[1]", "say \"a, b\""};
static const char HEADER[] = "t,contact,what,impulse,friction,friction2,lost,theta,wall work\n";

static ZwContactEvent event_of(int i) {
  return (ZwContactEvent){.t = i / 7.0,
                          .contact = i % COUNT,
                          .what = (ZwContactWhat)(i % 5),
                          .impulse = i % 5 == ZW_CONTACT_HIT ? 1.0 / (i + 1) : 0,
                          .friction = {i % 3 ? -0.1 * i : 0, i % 4 ? 1e-17 * i : 0},
                          .lost = 1e300 * i,
                          .theta = 1.0 / (i + 3),
                          .wall_work = -1e-300 * i};
}

static void assert_event(const ZwContactEvent* got, const ZwContactEvent* want) {
  assert_true(got->t == want->t && got->contact == want->contact && got->what == want->what);
  assert_true(got->impulse == want->impulse && got->lost == want->lost);
  assert_true(got->friction[0] == want->friction[0] && got->friction[1] == want->friction[1]);
  assert_true(got->theta == want->theta && got->wall_work == want->wall_work);
}

static void write_file(const char* path, const char* text) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

/* What was written is read back bit by bit, by those who know the names and by those who do not. */
static void test_reads_what_was_written(void** state) {
  (void)state;
  enum { ROWS = 3000 };
  char path[SCRATCH_PATH];
  scratch_path(path, "w.contacts.csv");
  int next_fd = scratch_next_fd();
  ZwAllocator allocator = zw_allocator_default();
  ZwContactLog log;
  assert_int_equal(zw_contact_log_open(&log, &allocator, path, NAMES, COUNT, NULL), ZW_OK);
  for (int i = 0; i < ROWS; i++) {
    ZwContactEvent event = event_of(i);
    assert_int_equal(zw_contact_log_add(&log, &event), ZW_OK);
  }
  assert_int_equal(zw_contact_log_end(&log, 1000), ZW_OK);
  assert_int_equal(log.rows, ROWS);
  assert_int_equal(zw_csv_finish(&log.csv), ZW_OK);
  for (int known = 0; known <= COUNT; known += COUNT) {
    ZwContactReader reader;
    assert_int_equal(zw_contact_reader_open(&reader, &allocator, path, NAMES, known), ZW_OK);
    assert_int_equal(reader.count, known);
    bool has_event;
    for (int i = 0; i < ROWS; i++) {
      assert_int_equal(zw_contact_reader_next(&reader, &has_event), ZW_OK);
      assert_true(has_event && isnan(reader.end));
      ZwContactEvent want = event_of(i);
      assert_event(&reader.event, &want);
    }
    assert_int_equal(zw_contact_reader_next(&reader, &has_event), ZW_OK);
    assert_false(has_event);
    assert_true(reader.end == 1000 && reader.rows == ROWS && reader.count == COUNT);
    for (int i = 0; i < COUNT; i++) assert_string_equal(zw_contact_reader_name(&reader, i), NAMES[i]);
    zw_contact_reader_close(&reader);
    zw_contact_reader_close(&reader);
  }
  assert_int_equal(scratch_next_fd(), next_fd);
}

static void test_lines(void** state) {
  (void)state;
  char path[SCRATCH_PATH];
  ZwAllocator allocator = zw_allocator_default();
  ZwContactLog log;
  scratch_path(path, "lines.csv");
  const ZwContactEvent events[] = {{.t = 0, .contact = 2, .what = ZW_CONTACT_SLIPS},
                                   {.t = 0.5,
                                    .contact = 1,
                                    .what = ZW_CONTACT_HIT,
                                    .impulse = 2,
                                    .friction = {-0.25, 0.125},
                                    .lost = 0.1,
                                    .theta = 1.5,
                                    .wall_work = -2}};
  assert_int_equal(zw_contact_log_open(&log, &allocator, path, NAMES, COUNT, NULL), ZW_OK);
  for (int i = 0; i < 2; i++) assert_int_equal(zw_contact_log_add(&log, &events[i]), ZW_OK);
  int64_t size;
  assert_int_equal(zw_csv_sync(&log.csv, &size), ZW_OK);
  assert_int_equal(zw_contact_log_add(&log, &events[0]), ZW_OK);
  assert_int_equal(zw_csv_abandon(&log.csv), ZW_OK);
  /* it goes on behind what it had when it was synced */
  assert_int_equal(zw_contact_log_reopen(&log, &allocator, path, NAMES, COUNT, 2, size, NULL), ZW_OK);
  assert_int_equal(zw_contact_log_end(&log, 3), ZW_OK);
  assert_int_equal(log.rows, 2);
  assert_int_equal(zw_csv_finish(&log.csv), ZW_OK);
  char* text = scratch_read(path);
  assert_string_equal(text,
                      "t,contact,what,impulse,friction,friction2,lost,theta,wall work\n"
                      "0,\"say \"\"a, b\"\"\",slips,0,0,0,0,0,0\n"
                      "0.5,end[1],hit,2,-0.25,0.125,0.1,1.5,-2\n3,,end,0,0,0,0,0,0\n");
  free(text);
}

/* A name is never cut, however long. */
static void test_long_names(void** state) {
  (void)state;
  static char long_names[2][2000];
  const char* names[] = {long_names[0], long_names[1]};
  for (int i = 0; i < 2; i++) {
    memset(long_names[i], '"', sizeof long_names[i] - 2);
    long_names[i][sizeof long_names[i] - 2] = (char)('a' + i);
  }
  char path[SCRATCH_PATH];
  scratch_path(path, "long.csv");
  ZwAllocator allocator = zw_allocator_default();
  ZwContactLog log;
  assert_int_equal(zw_contact_log_open(&log, &allocator, path, names, 2, NULL), ZW_OK);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(zw_contact_log_add(&log, &(ZwContactEvent){.t = i, .contact = i % 2}), ZW_OK);
  }
  assert_int_equal(zw_csv_finish(&log.csv), ZW_OK);
  ZwContactReader reader;
  assert_int_equal(zw_contact_reader_open(&reader, &allocator, path, NULL, 0), ZW_OK);
  bool has_event;
  do assert_int_equal(zw_contact_reader_next(&reader, &has_event), ZW_OK);
  while (has_event);
  assert_int_equal(reader.rows, 100);
  assert_int_equal(reader.count, 2);
  assert_string_equal(zw_contact_reader_name(&reader, 1), names[1]);
  zw_contact_reader_close(&reader);
}

/* Many names: numbers in the order they come. */
static void test_many_names(void** state) {
  (void)state;
  enum { MANY = 5000 };
  char path[SCRATCH_PATH], name[32];
  scratch_path(path, "many.csv");
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  fputs(HEADER, file);
  for (int i = 0; i < 3 * MANY; i++) fprintf(file, "%d,c[%d],open,0,0,0,0,0,0\n", i, i * 7 % MANY);
  fclose(file);
  ZwAllocator allocator = zw_allocator_default();
  ZwContactReader reader;
  assert_int_equal(zw_contact_reader_open(&reader, &allocator, path, NULL, 0), ZW_OK);
  bool has_event;
  for (int i = 0; i < 3 * MANY; i++) {
    assert_int_equal(zw_contact_reader_next(&reader, &has_event), ZW_OK);
    assert_int_equal(reader.event.contact, i % MANY);
    snprintf(name, sizeof name, "c[%d]", i * 7 % MANY);
    assert_string_equal(zw_contact_reader_name(&reader, reader.event.contact), name);
  }
  assert_int_equal(reader.count, MANY);
  zw_contact_reader_close(&reader);
}

static void test_wrong_logs(void** state) {
  (void)state;
  const struct {
    const char* text;
    int line;
    const char* error;
  } cases[] = {
      {"t,x\n0,1\n", 1, "these are not the columns of a log of contacts"},
      {"t,contact,what,impulse,friction,lost\n0,a,open,0,0,0\n", 1, "these are not the columns of a log of contacts"},
      {"t,contact,what,impulse,friction,friction2,lost\n0,a,ajar,0,0,0,0\n", 2,
       "open, closed, sticks, slips, hit or end expected, not 'ajar'"},
      {"t,contact,what,impulse,friction,friction2,lost\n0,a,open,0,0,0,0\n0,a,hit,x,0,0,0\n", 3,
       "a number expected, not 'x'"},
      {"t,contact,what,impulse,friction,friction2,lost\n1,a,open,0,0,0,0\n0.5,a,hit,1,0,0,0\n", 3,
       "this time is before that of the line above"},
      {"t,contact,what,impulse,friction,friction2,lost\nnan,a,open,0,0,0,0\n", 2, "this time is no finite number"},
      {"t,contact,what,impulse,friction,friction2,lost\n1,,end,0,0,0,0\n2,a,hit,1,0,0,0\n", 3,
       "this is behind the end of the run"},
      {"t,contact,what,impulse,friction,friction2,lost\n1,a,open,0,0,0\n", 2,
       "this row has 6 fields and the first line 7"},
      {"t,contact,what,impulse,friction,friction2,lost,theta\n1,a,open,0,0,0,0,0\n", 1,
       "these are not the columns of a log of contacts"},
      {"t,contact,what,impulse,friction,friction2,lost,theta,wall work\n1,a,open,0,0,0,0\n", 2,
       "this row has 7 fields and the first line 9"}};
  char path[SCRATCH_PATH];
  scratch_path(path, "wrong.csv");
  ZwAllocator allocator = zw_allocator_default();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_file(path, cases[i].text);
    ZwContactReader reader;
    ZwStatus status = zw_contact_reader_open(&reader, &allocator, path, NULL, 0);
    bool has_event = true;
    while (!status && has_event) status = zw_contact_reader_next(&reader, &has_event);
    assert_int_equal(status, ZW_ERR_VALUE);
    assert_int_equal(reader.csv.line, cases[i].line);
    assert_string_equal(reader.csv.error, cases[i].error);
    zw_contact_reader_close(&reader);
  }
  ZwContactReader reader;
  scratch_path(path, "nowhere.csv");
  assert_int_equal(zw_contact_reader_open(&reader, &allocator, path, NULL, 0), ZW_ERR_IO);
}

/* A log of an earlier version has neither theta nor the work of the wall. */
static void test_earlier(void** state) {
  (void)state;
  char path[SCRATCH_PATH];
  scratch_path(path, "earlier.csv");
  ZwAllocator allocator = zw_allocator_default();
  write_file(path, "t,contact,what,impulse,friction,friction2,lost\n1,a,hit,2,0.5,0.25,3\n2,,end,0,0,0,0\n");
  ZwContactReader reader;
  bool has_event;
  assert_int_equal(zw_contact_reader_open(&reader, &allocator, path, NULL, 0), ZW_OK);
  assert_int_equal(zw_contact_reader_next(&reader, &has_event), ZW_OK);
  assert_event(&reader.event,
               &(ZwContactEvent){.t = 1, .what = ZW_CONTACT_HIT, .impulse = 2, .friction = {0.5, 0.25}, .lost = 3});
  zw_contact_reader_close(&reader);
}

/* The log of a run that was killed: its last line may be cut anywhere. */
static void test_torn(void** state) {
  (void)state;
  static const char text[] =
      "t,contact,what,impulse,friction,friction2,lost,theta,wall "
      "work\n0,a,open,0,0,0,0,0,0\n1,a,hit,2.5,0,0,0.5,1,0.25\n";
  char path[SCRATCH_PATH];
  scratch_path(path, "torn.csv.part");
  ZwAllocator allocator = zw_allocator_default();
  for (size_t cut = strlen(HEADER); cut <= strlen(text); cut++) {
    char begin[sizeof text];
    int64_t rows = 0;
    memcpy(begin, text, cut);
    begin[cut] = 0;
    for (const char* at = begin + strlen(HEADER); *at; at++) rows += *at == '\n';
    write_file(path, begin);
    ZwContactReader reader;
    assert_int_equal(zw_contact_reader_open(&reader, &allocator, path, NULL, 0), ZW_OK);
    bool has_event;
    do assert_int_equal(zw_contact_reader_next(&reader, &has_event), ZW_OK);
    while (has_event);
    assert_true(reader.csv.is_part && isnan(reader.end));
    assert_int_equal(reader.rows, rows);
    assert_int_equal(reader.csv.is_torn, begin[cut - 1] != '\n');
    zw_contact_reader_close(&reader);
  }
}

typedef struct Counting {
  int calls, fail_at, live;
} Counting;

static void* counting_alloc(void* context, size_t size) {
  Counting* counting = context;
  if (++counting->calls == counting->fail_at) return NULL;
  counting->live++;
  return malloc(size);
}

static void counting_release(void* context, void* memory) {
  ((Counting*)context)->live--;
  free(memory);
}

static ZwStatus write_and_read(const ZwAllocator* allocator, const char* path) {
  ZwContactLog log;
  ZW_TRY(zw_contact_log_open(&log, allocator, path, NAMES, COUNT, NULL));
  for (int i = 0; i < 200; i++) {
    ZwContactEvent event = event_of(i);
    (void)zw_contact_log_add(&log, &event);
  }
  ZW_TRY(zw_csv_finish(&log.csv));
  ZwContactReader reader;
  ZW_TRY(zw_contact_reader_open(&reader, allocator, path, NAMES, 1));
  bool has_event = true;
  ZwStatus status = ZW_OK;
  while (!status && has_event) status = zw_contact_reader_next(&reader, &has_event);
  zw_contact_reader_close(&reader);
  return status;
}

static void test_memory(void** state) {
  (void)state;
  char path[SCRATCH_PATH];
  scratch_path(path, "memory.csv");
  ZwStatus status = ZW_ERR_MEMORY;
  for (int n = 1; status; n++) {
    Counting counting = {.fail_at = n};
    ZwAllocator allocator = {counting_alloc, counting_release, &counting};
    status = write_and_read(&allocator, path);
    assert_int_equal(counting.live, 0);
    assert_int_equal(status, counting.calls < n ? ZW_OK : ZW_ERR_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_what_was_written),
      cmocka_unit_test(test_lines),
      cmocka_unit_test(test_long_names),
      cmocka_unit_test(test_many_names),
      cmocka_unit_test(test_wrong_logs),
      cmocka_unit_test(test_earlier),
      cmocka_unit_test(test_torn),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
