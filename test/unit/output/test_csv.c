#include "output/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "scratch.h"

static const char* const NAMES[] = {"t", "x"};

static double fake_clock(void* context) {
  return *(double*)context;
}

static bool exists(const char* path) {
  return access(path, F_OK) == 0;
}

static void assert_content(const char* path, const char* want) {
  char* got = scratch_read(path);
  assert_non_null(got);
  assert_string_equal(got, want);
  free(got);
}

static void test_grows_in_part_and_is_renamed(void** state) {
  (void)state;
  char path[SCRATCH_PATH], part[SCRATCH_PATH];
  scratch_path(path, "a.csv");
  scratch_path(part, "a.csv.part");
  int next_fd = scratch_next_fd();
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(zw_csv_open(&csv, &allocator, path, NAMES, 2, NULL), ZW_OK);
  assert_true(exists(part));
  assert_false(exists(path));
  assert_int_equal(zw_csv_row(&csv, (double[]){0.5, NAN}), ZW_OK);
  assert_int_equal(zw_csv_row(&csv, (double[]){0.1, -INFINITY}), ZW_OK);
  assert_int_equal(zw_csv_finish(&csv), ZW_OK);
  assert_false(exists(part));
  assert_content(path, "t,x\n0.5,nan\n0.1,-inf\n");
  assert_int_equal(scratch_next_fd(), next_fd);
  /* ending twice does nothing */
  assert_int_equal(zw_csv_finish(&csv), ZW_OK);
  assert_int_equal(zw_csv_abandon(&csv), ZW_OK);
}

static void test_numbers_read_back(void** state) {
  (void)state;
  const double values[] = {1.0 / 3, -1.7976931348623157e308, 5e-324, 0.1 + 0.2, -0.0, 1e22};
  enum { COUNT = sizeof values / sizeof values[0] };
  const char* names[COUNT] = {"a", "b", "c", "d", "e", "f"};
  char path[SCRATCH_PATH];
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(zw_csv_open(&csv, &allocator, scratch_path(path, "n.csv"), names, COUNT, NULL), ZW_OK);
  assert_int_equal(zw_csv_row(&csv, values), ZW_OK);
  assert_int_equal(zw_csv_finish(&csv), ZW_OK);
  char* text = scratch_read(path);
  assert_non_null(text);
  char* at = strchr(text, '\n') + 1;
  for (int i = 0; i < COUNT; i++) {
    double got = strtod(at, &at);
    assert_memory_equal(&got, &values[i], sizeof got);
    assert_int_equal(*at++, i + 1 < COUNT ? ',' : '\n');
  }
  free(text);
}

static void test_names_are_quoted(void** state) {
  (void)state;
  const char* names[] = {"r[1,2].x'", "say \"a\"", "two\nlines", "", "plain name"};
  char path[SCRATCH_PATH];
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(zw_csv_open(&csv, &allocator, scratch_path(path, "q.csv"), names, 5, NULL), ZW_OK);
  assert_int_equal(zw_csv_finish(&csv), ZW_OK);
  assert_content(path, "\"r[1,2].x'\",\"say \"\"a\"\"\",\"two\nlines\",\"\",plain name\n");
}

/* Texts among the numbers: quoted where they must be, cut at whole characters, one line each. */
static void test_fields(void** state) {
  (void)state;
  static const char* const names[] = {"t", "contact", "what", "impulse"};
  const ZwCsvColumns columns = {names, 2, 2, 8, NULL};
  const ZwCsvField rows[][4] = {{{NULL, 0.5}, {"end[1]", 0}, {"hit", 0}, {NULL, 1.0 / 3}},
                                {{NULL, 1}, {"a,\"b\"", 0}, {"", 0}, {NULL, 0}},
                                {{NULL, 2}, {"1234567\u00e4", 0}, {"x\ny", 0}, {NULL, NAN}}};
  char path[SCRATCH_PATH], part[SCRATCH_PATH];
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  scratch_path(path, "fields.csv");
  scratch_path(part, "fields.csv.part");
  assert_int_equal(zw_csv_open_fields(&csv, &allocator, path, &columns, NULL), ZW_OK);
  for (int i = 0; i < 2; i++) assert_int_equal(zw_csv_row_fields(&csv, rows[i]), ZW_OK);
  int64_t size;
  assert_int_equal(zw_csv_sync(&csv, &size), ZW_OK);
  assert_int_equal(zw_csv_row_fields(&csv, rows[0]), ZW_OK);
  assert_int_equal(zw_csv_abandon(&csv), ZW_OK);
  /* and it goes on */
  assert_int_equal(zw_csv_reopen_fields(&csv, &allocator, path, &columns, size, NULL), ZW_OK);
  assert_int_equal(zw_csv_row_fields(&csv, rows[2]), ZW_OK);
  assert_int_equal(zw_csv_finish(&csv), ZW_OK);
  assert_content(
      path, "t,contact,what,impulse\n0.5,end[1],hit,0.3333333333333333\n1,\"a,\"\"b\"\"\",,0\n2,1234567,x y,nan\n");
  assert_false(exists(part));
}

static void test_flushes_once_a_second(void** state) {
  (void)state;
  char path[SCRATCH_PATH], part[SCRATCH_PATH];
  scratch_path(path, "f.csv");
  scratch_path(part, "f.csv.part");
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(zw_csv_open(&csv, &allocator, path, NAMES, 2, NULL), ZW_OK);
  double seconds = 100;
  csv.clock = fake_clock;
  csv.clock_context = &seconds;
  csv.last_flush = seconds;
  seconds = 100.9;
  zw_csv_row(&csv, (double[]){1, 2});
  assert_content(part, "t,x\n");
  seconds = 101.1;
  zw_csv_row(&csv, (double[]){3, 4});
  assert_content(part, "t,x\n1,2\n3,4\n");
  /* the second counts from the flush; a poll is enough */
  seconds = 102;
  zw_csv_row(&csv, (double[]){5, 6});
  assert_content(part, "t,x\n1,2\n3,4\n");
  seconds = 102.2;
  assert_int_equal(zw_csv_poll(&csv), ZW_OK);
  assert_content(part, "t,x\n1,2\n3,4\n5,6\n");
  zw_csv_row(&csv, (double[]){7, 8});
  assert_int_equal(zw_csv_abandon(&csv), ZW_OK);
  assert_content(part, "t,x\n1,2\n3,4\n5,6\n7,8\n");
  assert_false(exists(path));
}

static void test_writes_only_whole_rows_when_full(void** state) {
  (void)state;
  char path[SCRATCH_PATH], part[SCRATCH_PATH];
  scratch_path(path, "w.csv");
  scratch_path(part, "w.csv.part");
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(zw_csv_open(&csv, &allocator, path, NAMES, 2, NULL), ZW_OK);
  double seconds = 0;
  csv.clock = fake_clock;
  csv.clock_context = &seconds;
  csv.last_flush = 0;
  off_t last = 4;
  int growths = 0;
  for (int i = 0; i < 20000; i++) {
    zw_csv_row(&csv, (double[]){i / 7.0, -i / 3.0});
    struct stat now;
    assert_int_equal(stat(part, &now), 0);
    if (now.st_size == last) continue;
    last = now.st_size;
    growths++;
    int fd = open(part, O_RDONLY);
    char end = 0;
    assert_int_equal(pread(fd, &end, 1, last - 1), 1);
    close(fd);
    assert_int_equal(end, '\n');
  }
  assert_in_range(growths, 5, 20); /* about 750 KB in pieces of 64 KB */
  zw_csv_abandon(&csv);
}

static void test_row_longer_than_the_buffer(void** state) {
  (void)state;
  enum { COUNT = 20000 };
  const char** names = malloc(COUNT * sizeof *names);
  double* values = malloc(COUNT * sizeof *values);
  for (int i = 0; i < COUNT; i++) names[i] = "q", values[i] = -1.0 / 3e-200;
  char path[SCRATCH_PATH];
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(zw_csv_open(&csv, &allocator, scratch_path(path, "long.csv"), names, COUNT, NULL), ZW_OK);
  for (int i = 0; i < 3; i++) assert_int_equal(zw_csv_row(&csv, values), ZW_OK);
  assert_int_equal(zw_csv_finish(&csv), ZW_OK);
  char* text = scratch_read(path);
  int rows = 0, commas = 0;
  for (char* c = text; *c; c++) rows += *c == '\n', commas += *c == ',';
  assert_int_equal(rows, 4);
  assert_int_equal(commas, 4 * (COUNT - 1));
  free(text);
  free(values);
  free(names);
}

/* What opening `path` answers: it must be ZW_ERR_IO, name the file and the reason, and leave nothing open. */
static void assert_refused(const char* path, const char* named, int reason) {
  int next_fd = scratch_next_fd();
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  const char* why = NULL;
  assert_int_equal(zw_csv_open(&csv, &allocator, path, NAMES, 2, &why), ZW_ERR_IO);
  assert_ptr_equal(why, csv.error);
  assert_non_null(strstr(why, named));
  assert_non_null(strstr(why, strerror(reason)));
  assert_int_equal(scratch_next_fd(), next_fd);
  assert_int_equal(zw_csv_abandon(&csv), ZW_OK);
}

static void test_places_that_cannot_be_written(void** state) {
  (void)state;
  char path[SCRATCH_PATH];
  assert_refused(scratch_path(path, "missing/a.csv"), "missing/a.csv.part", ENOENT);
  assert_refused(scratch_folder, scratch_folder, EISDIR);
  assert_refused("/dev/full", "/dev/full", ENOSPC);
  assert_false(exists("/dev/full.part"));
  /* a name too long to be shown is shown by its end */
  char tall[3000];
  memset(tall, 'a', sizeof tall);
  memcpy(tall + sizeof tall - 9, "/end.csv", 9);
  assert_refused(tall, "a/end.csv", ENAMETOOLONG);
}

static void test_a_named_pipe_is_not_waited_for(void** state) {
  (void)state;
  char path[SCRATCH_PATH];
  const char* why = "";
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(mkfifo(scratch_path(path, "pipe.csv"), 0666), 0);
  assert_int_equal(zw_csv_open(&csv, &allocator, path, NAMES, 2, &why), ZW_ERR_IO);
  assert_non_null(strstr(why, "pipe.csv\": it is no regular file"));
}

static void test_write_protection_is_respected(void** state) {
  (void)state;
  char path[SCRATCH_PATH], part[SCRATCH_PATH];
  FILE* file = fopen(scratch_path(path, "kept.csv"), "w");
  assert_non_null(file);
  fputs("old\n", file);
  fclose(file);
  chmod(path, 0444);
  /* root may write everything: look as somebody else */
  bool is_root = geteuid() == 0;
  chmod(scratch_folder, 0777);
  if (is_root && seteuid(65534) != 0) skip();
  if (access(path, F_OK) == 0 || !is_root) assert_refused(path, "kept.csv", EACCES);
  if (is_root) assert_int_equal(seteuid(0), 0);
  assert_content(path, "old\n");
  assert_false(exists(scratch_path(part, "kept.csv.part")));
}

static void test_device_is_written_directly(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(zw_csv_open(&csv, &allocator, "/dev/null", NAMES, 2, NULL), ZW_OK);
  assert_int_equal(zw_csv_row(&csv, (double[]){1, 2}), ZW_OK);
  assert_int_equal(zw_csv_finish(&csv), ZW_OK);
  assert_false(exists("/dev/null.part"));
}

static void test_standard_output_keeps_its_place(void** state) {
  (void)state;
  char path[SCRATCH_PATH];
  int saved = dup(STDOUT_FILENO);
  int file = open(scratch_path(path, "stdout.txt"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  fflush(stdout);
  dup2(file, STDOUT_FILENO);
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  ssize_t before = write(STDOUT_FILENO, "before\n", 7);
  ZwStatus opened = zw_csv_open(&csv, &allocator, "/dev/stdout", NAMES, 2, NULL);
  ZwStatus row = opened ? opened : zw_csv_row(&csv, (double[]){1, 2});
  ZwStatus finished = zw_csv_finish(&csv);
  ssize_t after = write(STDOUT_FILENO, "after\n", 6);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  close(file);
  assert_int_equal(before + after, 13);
  assert_int_equal(opened, ZW_OK);
  assert_int_equal(row, ZW_OK);
  assert_int_equal(finished, ZW_OK);
  assert_content(path, "before\nt,x\n1,2\nafter\n");
}

/* A disk that is full after `bytes`: the limit on the size of files stands in for it. */
static struct rlimit limit_files(rlim_t bytes) {
  struct rlimit old;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  struct rlimit tight = {bytes, old.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  return old;
}

static void test_full_disk_keeps_whole_rows(void** state) {
  (void)state;
  char path[SCRATCH_PATH], part[SCRATCH_PATH];
  scratch_path(path, "full.csv");
  scratch_path(part, "full.csv.part");
  int next_fd = scratch_next_fd();
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(zw_csv_open(&csv, &allocator, path, NAMES, 2, NULL), ZW_OK);
  struct rlimit old = limit_files(100005);
  ZwStatus status = ZW_OK;
  int rows = 0;
  for (; rows < 20000 && !status; rows++) status = zw_csv_row(&csv, (double[]){rows, 1000 + rows / 3.0});
  ZwStatus again = zw_csv_row(&csv, (double[]){0, 0});
  ZwStatus finished = zw_csv_finish(&csv);
  setrlimit(RLIMIT_FSIZE, &old);
  assert_in_range(rows, 2000, 19999);
  assert_int_equal(status, ZW_ERR_IO);
  assert_int_equal(again, ZW_ERR_IO);
  assert_int_equal(finished, ZW_ERR_IO);
  assert_non_null(strstr(csv.error, "full.csv.part"));
  assert_non_null(strstr(csv.error, strerror(EFBIG)));
  assert_false(exists(path));
  assert_int_equal(scratch_next_fd(), next_fd);
  /* what is left: each row complete, none missing, close to the limit */
  char* text = scratch_read(part);
  size_t size = strlen(text);
  assert_in_range(size, 100005 - 60, 100004);
  char* at = strchr(text, '\n') + 1;
  for (int i = 0; *at; i++) {
    assert_true(strtod(at, &at) == i);
    assert_int_equal(*at++, ',');
    assert_true(strtod(at, &at) == 1000 + i / 3.0);
    assert_int_equal(*at++, '\n');
  }
  free(text);
}

static void test_full_disk_in_the_header_leaves_nothing(void** state) {
  (void)state;
  char path[SCRATCH_PATH], part[SCRATCH_PATH];
  const char* names[] = {"first\nname", "second"};
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  struct rlimit old = limit_files(12);
  ZwStatus status = zw_csv_open(&csv, &allocator, scratch_path(path, "head.csv"), names, 2, NULL);
  setrlimit(RLIMIT_FSIZE, &old);
  assert_int_equal(status, ZW_ERR_IO);
  assert_false(exists(path));
  assert_false(exists(scratch_path(part, "head.csv.part")));
}

static void test_rename_that_fails_keeps_the_rows(void** state) {
  (void)state;
  char path[SCRATCH_PATH], part[SCRATCH_PATH];
  scratch_path(path, "late.csv");
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  assert_int_equal(zw_csv_open(&csv, &allocator, path, NAMES, 2, NULL), ZW_OK);
  assert_int_equal(zw_csv_row(&csv, (double[]){1, 2}), ZW_OK);
  assert_int_equal(mkdir(path, 0777), 0);
  assert_int_equal(zw_csv_finish(&csv), ZW_ERR_IO);
  assert_non_null(strstr(csv.error, "late.csv"));
  assert_content(scratch_path(part, "late.csv.part"), "t,x\n1,2\n");
}

/* An allocator that fails at the n-th call, counts what is out, and counts calls. */
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

static void test_memory(void** state) {
  (void)state;
  char path[SCRATCH_PATH], part[SCRATCH_PATH];
  scratch_path(path, "m.csv");
  scratch_path(part, "m.csv.part");
  for (int n = 1;; n++) {
    Counting counting = {.fail_at = n};
    ZwAllocator allocator = {counting_alloc, counting_release, &counting};
    int next_fd = scratch_next_fd();
    ZwCsv csv;
    ZwStatus status = zw_csv_open(&csv, &allocator, path, NAMES, 2, NULL);
    if (status) {
      assert_int_equal(status, ZW_ERR_MEMORY);
      assert_false(exists(part));
    } else {
      int calls = counting.calls;
      for (int i = 0; i < 10000; i++) zw_csv_row(&csv, (double[]){i, i / 3.0});
      assert_int_equal(counting.calls, calls); /* rows allocate nothing */
      assert_int_equal(zw_csv_finish(&csv), ZW_OK);
    }
    assert_int_equal(counting.live, 0);
    assert_int_equal(scratch_next_fd(), next_fd);
    if (!status) {
      assert_true(n > 1);
      break;
    }
  }
}

/* ---- a column of text ---- */

static void text_stands_in_the_last_column(void** state) {
  (void)state;
  ZwAllocator allocator = zw_allocator_default();
  char path[SCRATCH_PATH];
  ZwCsv csv;
  static const char* const names[] = {"t", "x", "event"};
  assert_int_equal(zw_csv_open_text(&csv, &allocator, scratch_path(path, "text.csv"), names, 2, NULL), ZW_OK);
  assert_int_equal(zw_csv_row(&csv, (double[]){0, 1}), ZW_OK);
  assert_int_equal(zw_csv_row_text(&csv, (double[]){1, 2}, "y < 0"), ZW_OK);
  assert_int_equal(zw_csv_row_text(&csv, (double[]){2, 3}, "max(x, 1) > \"2\"\nand y < 0"), ZW_OK);
  char text[ZW_CSV_TEXT + 20];
  memset(text, 'a', sizeof text);
  memcpy(text + ZW_CSV_TEXT - 1, "\xC3\xA9", 2); /* a letter of two bytes is cut in the middle */
  text[sizeof text - 1] = 0;
  assert_int_equal(zw_csv_row_text(&csv, (double[]){3, 4}, text), ZW_OK);
  assert_int_equal(zw_csv_finish(&csv), ZW_OK);
  char want[1000] = "t,x,event\n0,1,\n1,2,y < 0\n2,3,\"max(x, 1) > \"\"2\"\" and y < 0\"\n3,4,";
  size_t size = strlen(want);
  memset(want + size, 'a', ZW_CSV_TEXT - 1);
  memcpy(want + size + ZW_CSV_TEXT - 1, "\n", 2);
  assert_content(path, want);
}

/* ---- going on ---- */

static void write_text(const char* path, const char* text) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

/* A journal that goes on writes what is there already without touching it, whatever is left of it: whole rows, a piece of a
 * row, other rows. */
static void test_goes_on(void** state) {
  (void)state;
  static const char head[] = "t,x\n0,1\n", rows[] = "1,2\n2,3\n3,4\n";
  static const char* const left[] = {
      "", "1", "1,2\n", "1,2\n2", "1,2\n2,3\n3,4\n", "1,2\n2,9\n3,4\n4,5\n", "x", "1,2\n2,3\n3,4\n4,5\n"};
  char path[SCRATCH_PATH], part[SCRATCH_PATH], text[200];
  scratch_path(path, "on.csv");
  scratch_path(part, "on.csv.part");
  ZwAllocator allocator = zw_allocator_default();
  for (int i = 0; i < (int)(sizeof left / sizeof *left); i++) {
    for (int is_finished = 0; is_finished < 2; is_finished++) {
      snprintf(text, sizeof text, "%s%s", head, left[i]);
      write_text(part, text);
      ZwCsv csv;
      assert_int_equal(zw_csv_reopen(&csv, &allocator, path, NAMES, 2, false, (int64_t)strlen(head), NULL), ZW_OK);
      assert_content(part, text);
      int64_t size;
      assert_int_equal(zw_csv_row(&csv, (double[]){1, 2}), ZW_OK);
      assert_int_equal(zw_csv_sync(&csv, &size), ZW_OK);
      assert_int_equal(size, strlen(head) + 4);
      assert_int_equal(zw_csv_row(&csv, (double[]){2, 3}), ZW_OK);
      assert_int_equal(zw_csv_row(&csv, (double[]){3, 4}), ZW_OK);
      assert_int_equal(is_finished ? zw_csv_finish(&csv) : zw_csv_abandon(&csv), ZW_OK);
      /* rows beyond the new ones stay until it is finished */
      bool has_more = !is_finished && strncmp(left[i], rows, strlen(rows)) == 0;
      snprintf(text, sizeof text, "%s%s", head, has_more ? left[i] : rows);
      assert_content(is_finished ? path : part, text);
      unlink(path);
      unlink(part);
    }
  }
}

static void test_cannot_go_on(void** state) {
  (void)state;
  static const struct {
    const char* text;
    int64_t size;
    const char* why;
  } cases[] = {{"t,x\n0,1\n", 9, "has 8 bytes, and should have at least 9"},
               {"t,y\n0,1\n", 8, "has other columns"},
               {"t,x\n0,1\n", 7, "has no end of a row at byte 7"},
               {"t,x\n0,1\n", 2, "should have at least 2"},
               {"", 4, "should have at least 4"}};
  char path[SCRATCH_PATH], part[SCRATCH_PATH];
  scratch_path(path, "off.csv");
  scratch_path(part, "off.csv.part");
  int next_fd = scratch_next_fd();
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv;
  const char* why = NULL;
  assert_int_equal(zw_csv_reopen(&csv, &allocator, path, NAMES, 2, false, 4, &why), ZW_ERR_IO);
  assert_non_null(strstr(why, "No such file"));
  assert_false(exists(part));
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    write_text(part, cases[i].text);
    assert_int_equal(zw_csv_reopen(&csv, &allocator, path, NAMES, 2, false, cases[i].size, &why), ZW_ERR_VALUE);
    if (!strstr(why, cases[i].why)) fail_msg("'%s' does not say '%s'", why, cases[i].why);
    assert_content(part, cases[i].text);
  }
  assert_int_equal(scratch_next_fd(), next_fd);
  unlink(part);
}

int main(void) {
  signal(SIGXFSZ, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grows_in_part_and_is_renamed),
      cmocka_unit_test(test_goes_on),
      cmocka_unit_test(test_cannot_go_on),
      cmocka_unit_test(test_numbers_read_back),
      cmocka_unit_test(text_stands_in_the_last_column),
      cmocka_unit_test(test_names_are_quoted),
      cmocka_unit_test(test_fields),
      cmocka_unit_test(test_flushes_once_a_second),
      cmocka_unit_test(test_writes_only_whole_rows_when_full),
      cmocka_unit_test(test_row_longer_than_the_buffer),
      cmocka_unit_test(test_places_that_cannot_be_written),
      cmocka_unit_test(test_a_named_pipe_is_not_waited_for),
      cmocka_unit_test(test_write_protection_is_respected),
      cmocka_unit_test(test_device_is_written_directly),
      cmocka_unit_test(test_standard_output_keeps_its_place),
      cmocka_unit_test(test_full_disk_keeps_whole_rows),
      cmocka_unit_test(test_full_disk_in_the_header_leaves_nothing),
      cmocka_unit_test(test_rename_that_fails_keeps_the_rows),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
