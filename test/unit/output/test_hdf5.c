#include "output/hdf5.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

#ifdef ZW_TEST_HAS_HDF5

#include <hdf5.h>

static const ZwHdf5Column columns[] = {{"t", {"", "t"}}, {"x", {"q", "x"}}, {"a/b", {"q", "a/b"}}, {"x", {"q", "x"}}};
static const ZwHdf5Attribute attributes[] = {{.name = "who", .text = "\u03c6"},
                                             {.name = "half", .number = 0.5},
                                             {.name = "three", .number = 3, .is_whole = true}};
static const ZwHdf5Number numbers[] = {{{"parameters", "m"}, 2.5}};
static const ZwHdf5Text texts[] = {
    {{"model", "text"}, "", "m.zw"}, {{"model/files", "a"}, "one", NULL}, {{"model/files", "a"}, "two", NULL}};
static const char journal_text[] =
    "t,x,a/b,x,event\n0,1,2,3,\n1,nan,-inf,3,\n1,5,6,3,\"hit, twice\"\n1,6,7,4,\"hit, twice\"\n2,7,8,9,\n";

static char journal[SCRATCH_PATH], path[SCRATCH_PATH], part[SCRATCH_PATH];

static void write_bytes(const char* name, const char* data, size_t size) {
  FILE* file = fopen(name, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
}

static const char log_text[] =
    "t,contact,what,impulse,friction,friction2,lost\n0,wall,hit,2,0,0,1\n0,floor,open,0,0,0,0\n"
    "0,wall,open,0,0,0,0\n0.5,floor,hit,0.1,0,0,0\n2,,end,0,0,0,0\n";
static const char* const contact_names[] = {"floor", "wall"};
static char contact_log[SCRATCH_PATH];

static ZwHdf5Result make_result(int64_t rows) {
  write_bytes(scratch_path(journal, "j.csv.part"), journal_text, strlen(journal_text));
  scratch_path(path, "r.h5");
  scratch_path(part, "r.h5.part");
  write_bytes(scratch_path(contact_log, "j.contacts.csv.part"), log_text, strlen(log_text));
  return (ZwHdf5Result){path, journal,    rows, columns,     4, numbers,       1, texts,
                        3,    attributes, 3,    contact_log, 4, contact_names, 2};
}

static ZwStatus write_result(int64_t rows, char error[ZW_DRAFT_ERROR]) {
  ZwHdf5Result result = make_result(rows);
  ZwAllocator allocator = zw_allocator_default();
  ZwStatus status = zw_hdf5_write(&result, &allocator, error);
  if (status == ZW_ERR_IO) print_error("%s\n", error);
  return status;
}

static void test_reads_what_was_written(void** state) {
  (void)state;
  char error[ZW_DRAFT_ERROR], about[ZW_HDF5_ABOUT];
  assert_true(zw_hdf5_is_there(about));
  assert_non_null(strstr(about, "HDF5 1."));
  assert_int_equal(write_result(5, error), ZW_OK);
  assert_int_not_equal(access(part, F_OK), 0);
  assert_true(zw_hdf5_is_file(path));
  assert_false(zw_hdf5_is_file(journal));
  ZwAllocator allocator = zw_allocator_default();
  ZwHdf5Reader reader;
  assert_int_equal(zw_hdf5_reader_open(&reader, &allocator, path), ZW_OK);
  assert_int_equal(reader.count, 4);
  assert_int_equal(reader.rows, 5);
  assert_string_equal(reader.names[2], "a/b");
  static const double want[5][4] = {{0, 1, 2, 3}, {1, NAN, -INFINITY, 3}, {1, 5, 6, 3}, {1, 6, 7, 4}, {2, 7, 8, 9}};
  bool has_row;
  for (int i = 0; i < 5; i++) {
    assert_int_equal(zw_hdf5_reader_next(&reader, &has_row), ZW_OK);
    assert_true(has_row);
    for (int k = 0; k < 4; k++)
      assert_true(reader.values[k] == want[i][k] || (isnan(reader.values[k]) && isnan(want[i][k])));
    assert_string_equal(reader.event, i == 2 || i == 3 ? "hit, twice" : "");
  }
  assert_int_equal(zw_hdf5_reader_next(&reader, &has_row), ZW_OK);
  assert_false(has_row);
  zw_hdf5_reader_close(&reader);
  zw_hdf5_reader_close(&reader);
  /* names that HDF5 cannot hold, or that are there already */
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(H5Lexists(file, "q/a\u2215b", H5P_DEFAULT) > 0);
  assert_true(H5Lexists(file, "q/x (2)", H5P_DEFAULT) > 0);
  assert_true(H5Lexists(file, "model/files/a (2)", H5P_DEFAULT) > 0);
  H5Fclose(file);
}

/* A result that cannot be made leaves nothing behind, and an older one as it was. */
static void test_journal_that_does_not_fit(void** state) {
  (void)state;
  char error[ZW_DRAFT_ERROR];
  assert_int_equal(write_result(5, error), ZW_OK);
  char* before = scratch_read(path);
  assert_int_equal(write_result(6, error), ZW_ERR_VALUE);
  assert_non_null(strstr(error, "rows are missing"));
  ZwHdf5Result result = make_result(5);
  ZwAllocator allocator = zw_allocator_default();
  result.column_count = 3;
  assert_int_equal(zw_hdf5_write(&result, &allocator, error), ZW_ERR_VALUE);
  assert_non_null(strstr(error, "has other columns"));
  result = make_result(5);
  result.contact_rows = 5;
  assert_int_equal(zw_hdf5_write(&result, &allocator, error), ZW_ERR_VALUE);
  assert_non_null(strstr(error, "j.contacts.csv.part\", line 7: lines are missing"));
  result = make_result(5);
  result.contact_count = 1; /* the log knows one that the model does not */
  assert_int_equal(zw_hdf5_write(&result, &allocator, error), ZW_ERR_VALUE);
  assert_int_not_equal(access(part, F_OK), 0);
  result = make_result(5);
  result.contacts = journal;
  assert_int_equal(zw_hdf5_write(&result, &allocator, error), ZW_ERR_VALUE);
  assert_non_null(strstr(error, "these are not the columns of a log of contacts"));
  result = make_result(5);
  result.journal = "nowhere";
  assert_int_equal(zw_hdf5_write(&result, &allocator, error), ZW_ERR_IO);
  assert_non_null(strstr(error, "No such file"));
  result = make_result(5);
  result.path = "nowhere/r.h5";
  assert_int_equal(zw_hdf5_write(&result, &allocator, error), ZW_ERR_IO);
  assert_non_null(strstr(error, "cannot write \"nowhere/r.h5.part\""));
  assert_int_not_equal(access(part, F_OK), 0);
  char* after = scratch_read(path);
  assert_string_equal(before, after);
  free(before);
  free(after);
}

static void read_all(const char* name, bool must_fail) {
  ZwAllocator allocator = zw_allocator_default();
  ZwHdf5Reader reader;
  ZwStatus status = zw_hdf5_reader_open(&reader, &allocator, name);
  bool has_row = true;
  while (!status && has_row) status = zw_hdf5_reader_next(&reader, &has_row);
  assert_int_equal(status, must_fail ? ZW_ERR_VALUE : ZW_OK);
  if (status) assert_true(reader.error[0] != 0);
  zw_hdf5_reader_close(&reader);
}

/* Cut anywhere, or a byte changed anywhere: refused. */
static void test_damaged(void** state) {
  (void)state;
  char error[ZW_DRAFT_ERROR], damaged[SCRATCH_PATH];
  assert_int_equal(write_result(5, error), ZW_OK);
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  static char data[1 << 20];
  size_t size = fread(data, 1, sizeof data, file);
  fclose(file);
  assert_true(size > 1000 && size < sizeof data);
  scratch_path(damaged, "d.h5");
  for (size_t cut = 0; cut < size - 16; cut += cut < 100 ? 7 : 397) {
    write_bytes(damaged, data, cut);
    read_all(damaged, true);
  }
  uint64_t seed = 5;
  for (int round = 0; round < 300; round++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    size_t at = (size_t)(seed >> 33) % (size - 16);
    char kept = data[at];
    data[at] = (char)(kept ^ (char)(1 << (seed >> 20) % 8));
    write_bytes(damaged, data, size);
    read_all(damaged, true);
    data[at] = kept;
  }
  /* without its seal, as when somebody has added something: read; without more: refused by the library */
  write_bytes(damaged, data, size - 16);
  read_all(damaged, false);
  write_bytes(damaged, data, size - 17);
  read_all(damaged, true);
}

static void put_text(hid_t object, const char* name, const char* text) {
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, type, &text);
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

/* HDF5 files of other people, and some that pretend. */
static void test_foreign(void** state) {
  (void)state;
  char name[SCRATCH_PATH];
  scratch_path(name, "f.h5");
  for (int kind = 0; kind < 4; kind++) {
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (kind > 0) put_text(file, "format", kind == 1 ? "something" : "zwang result");
    if (kind == 3) { /* columns that are numbers in two dimensions */
      hsize_t dims[2] = {3, 4};
      hid_t space = H5Screate_simple(2, dims, NULL);
      H5Dclose(H5Dcreate2(file, "columns", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      H5Sclose(space);
    }
    H5Fclose(file);
    ZwAllocator allocator = zw_allocator_default();
    ZwHdf5Reader reader;
    assert_int_equal(zw_hdf5_reader_open(&reader, &allocator, name), ZW_ERR_VALUE);
    assert_non_null(strstr(reader.error, kind < 2 ? "no result of zwang" : "'columns' cannot be read"));
    zw_hdf5_reader_close(&reader);
  }
}

/* Writes other numbers over a dataset, as somebody else might. */
static void overwrite(const char* dataset, const int64_t* values) {
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), data = H5Dopen2(file, dataset, H5P_DEFAULT);
  assert_true(H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(data);
  H5Fclose(file);
}

static ZwStatus read_contacts(const ZwAllocator* allocator, ZwHdf5Reader* reader, ZwHdf5Contacts* contacts) {
  ZwStatus status = zw_hdf5_reader_open(reader, allocator, path);
  return status ? status : zw_hdf5_reader_contacts(reader, contacts);
}

static void test_contacts(void** state) {
  (void)state;
  char error[ZW_DRAFT_ERROR];
  ZwAllocator allocator = zw_allocator_default();
  ZwHdf5Reader reader;
  ZwHdf5Contacts contacts;
  assert_int_equal(write_result(5, error), ZW_OK);
  assert_int_equal(read_contacts(&allocator, &reader, &contacts), ZW_OK);
  assert_int_equal(contacts.count, 4);
  assert_int_equal(contacts.name_count, 2);
  assert_string_equal(contacts.names[0], "floor");
  assert_string_equal(contacts.names[1], "wall");
  static const int64_t want_contact[] = {1, 0, 1, 0};
  static const int64_t want_what[] = {ZW_CONTACT_HIT, ZW_CONTACT_OPEN, ZW_CONTACT_OPEN, ZW_CONTACT_HIT};
  for (int i = 0; i < 4; i++) {
    assert_true(contacts.t[i] == (i == 3 ? 0.5 : 0) && contacts.impulse[i] == (i == 0 ? 2 : i == 3 ? 0.1 : 0));
    assert_true(contacts.contact[i] == want_contact[i] && contacts.what[i] == want_what[i]);
  }
  zw_hdf5_reader_close(&reader);
  /* numbers that mean nothing are refused */
  static const int64_t wrong[][4] = {{0, 1, 2, 7}, {0, -1, 0, 0}};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(write_result(5, error), ZW_OK);
    overwrite(i < 2 ? "contacts/contact" : "contacts/what", wrong[i % 2]);
    assert_int_equal(read_contacts(&allocator, &reader, &contacts), ZW_ERR_VALUE);
    assert_non_null(strstr(reader.error, "'contacts' cannot be read"));
    assert_int_equal(contacts.count, 0);
    zw_hdf5_reader_close(&reader);
  }
  /* a model without contacts */
  ZwHdf5Result result = make_result(5);
  result.contacts = NULL;
  assert_int_equal(zw_hdf5_write(&result, &allocator, error), ZW_OK);
  assert_int_equal(read_contacts(&allocator, &reader, &contacts), ZW_OK);
  assert_int_equal(contacts.count, 0);
  zw_hdf5_reader_close(&reader);
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

static void test_memory(void** state) {
  (void)state;
  ZwAllocator allocator = {scarce_alloc, scarce_release, NULL};
  char error[ZW_DRAFT_ERROR];
  ZwHdf5Result result = make_result(5);
  ZwStatus status = ZW_ERR_MEMORY;
  for (int calls = 0; status; calls++) {
    calls_left = calls;
    status = zw_hdf5_write(&result, &allocator, error);
    if (status) assert_int_equal(status, ZW_ERR_MEMORY);
    if (status) assert_int_not_equal(access(part, F_OK), 0);
  }
  status = ZW_ERR_MEMORY;
  for (int calls = 0; status; calls++) {
    ZwHdf5Reader reader;
    ZwHdf5Contacts contacts;
    calls_left = calls;
    status = read_contacts(&allocator, &reader, &contacts);
    if (status) assert_int_equal(status, ZW_ERR_MEMORY);
    zw_hdf5_reader_close(&reader);
  }
}

static int begin(void** state) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return scratch_create(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_what_was_written),
      cmocka_unit_test(test_journal_that_does_not_fit),
      cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_foreign),
      cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, begin, scratch_remove);
}

#else

/* Without the library everything is refused with a sentence. */
static void test_refused(void** state) {
  (void)state;
  char error[ZW_DRAFT_ERROR] = "", about[ZW_HDF5_ABOUT] = "";
  ZwAllocator allocator = zw_allocator_default();
  ZwHdf5Result result = {0};
  ZwHdf5Reader reader;
  assert_false(zw_hdf5_is_there(about));
  assert_non_null(strstr(about, "HDF5 cannot be used"));
  assert_int_equal(zw_hdf5_write(&result, &allocator, error), ZW_ERR_UNSUPPORTED);
  assert_string_equal(error, about);
  assert_int_equal(zw_hdf5_reader_open(&reader, &allocator, "r.h5"), ZW_ERR_UNSUPPORTED);
  assert_non_null(strstr(reader.error, about));
  zw_hdf5_reader_close(&reader);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}

#endif
