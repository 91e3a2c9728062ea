/* The HDF5 file of a run, read through libhdf5 itself: every number is that of the table, and everything that is needed to
 * make the run again is there. Runs the program ($ZWANG). */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "examples.h"

#ifdef ZW_TEST_HAS_HDF5

#include <hdf5.h>

#include "base/alloc.h"
#include "output/csv_reader.h"

static char folder[] = "/tmp/zwang-hdf5-XXXXXX";

static void path_to(char path[PATH_SIZE], const char* name) {
  assert_true(snprintf(path, PATH_SIZE, "%s/%s", folder, name) < PATH_SIZE);
}

static void write_text(const char* name, const char* text) {
  char path[PATH_SIZE];
  path_to(path, name);
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int run_zwang(const char* arguments) {
  char command[2 * PATH_SIZE];
  const char* zwang = getenv("ZWANG");
  assert_non_null(zwang);
  snprintf(command, sizeof command, "cd '%s' && '%s' %s >out 2>err", folder, zwang, arguments);
  int status = system(command);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static hid_t open_file(const char* name) {
  char path[PATH_SIZE];
  path_to(path, name);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  return file;
}

/* To be freed. */
static double* read_numbers(hid_t file, const char* path, hsize_t* count) {
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  if (dataset < 0) fail_msg("there is no %s", path);
  hid_t space = H5Dget_space(dataset);
  *count = (hsize_t)H5Sget_simple_extent_npoints(space);
  double* values = malloc((size_t)(*count + 1) * sizeof(double));
  assert_non_null(values);
  assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
  return values;
}

static double read_number(hid_t file, const char* path) {
  hsize_t count;
  double *values = read_numbers(file, path, &count), value = values[0];
  assert_int_equal(count, 1);
  free(values);
  return value;
}

static hid_t text_type(void) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/* Texts that H5free_memory frees, in a list to be freed. */
static char** read_texts(hid_t file, const char* path, hsize_t* count) {
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), type = text_type();
  if (dataset < 0) fail_msg("there is no %s", path);
  hid_t space = H5Dget_space(dataset);
  *count = (hsize_t)H5Sget_simple_extent_npoints(space);
  char** texts = calloc((size_t)*count + 1, sizeof(char*));
  assert_non_null(texts);
  if (*count > 0) assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, (void*)texts) >= 0);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(dataset);
  return texts;
}

static void free_texts(char** texts, hsize_t count) {
  for (hsize_t i = 0; i < count; i++) H5free_memory(texts[i]);
  free(texts);
}

static void assert_text(hid_t file, const char* path, const char* want) {
  hsize_t count;
  char** texts = read_texts(file, path, &count);
  assert_int_equal(count, 1);
  assert_string_equal(texts[0], want);
  free_texts(texts, count);
}

static void assert_attribute_text(hid_t object, const char* name, const char* want) {
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = text_type();
  if (attribute < 0) fail_msg("there is no attribute %s", name);
  char* text = NULL;
  assert_true(H5Aread(attribute, type, (void*)&text) >= 0);
  assert_string_equal(text, want);
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(attribute);
}

static double attribute_number(hid_t object, const char* name) {
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0) fail_msg("there is no attribute %s", name);
  double value;
  assert_true(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0);
  H5Aclose(attribute);
  return value;
}

/* ---- every number of the table ---- */

typedef struct Table {
  ZwCsvReader reader;
  double* values; /* column after column */
  char** events;
  int64_t rows;
} Table;

static void read_table(Table* table, const char* name) {
  enum { ROWS_MAX = 20000 };
  char path[PATH_SIZE];
  path_to(path, name);
  ZwAllocator allocator = zw_allocator_default();
  *table = (Table){0};
  assert_int_equal(zw_csv_reader_open(&table->reader, &allocator, path), ZW_OK);
  table->values = calloc((size_t)table->reader.count * ROWS_MAX, sizeof(double));
  table->events = calloc(ROWS_MAX, sizeof(char*));
  assert_true(table->values && table->events);
  for (bool has_row;;) {
    assert_int_equal(zw_csv_reader_next(&table->reader, &has_row), ZW_OK);
    if (!has_row) break;
    assert_true(table->rows < ROWS_MAX);
    for (int32_t i = 0; i < table->reader.count; i++) {
      table->values[(ptrdiff_t)i * ROWS_MAX + table->rows] = table->reader.values[i];
    }
    table->events[table->rows++] = strdup(table->reader.text);
  }
  for (int32_t i = 1; i < table->reader.count; i++) {
    memmove(table->values + (ptrdiff_t)i * table->rows, table->values + (ptrdiff_t)i * ROWS_MAX,
            (size_t)table->rows * sizeof(double));
  }
}

static void free_table(Table* table) {
  for (int64_t i = 0; i < table->rows; i++) free(table->events[i]);
  free(table->events);
  free(table->values);
  zw_csv_reader_close(&table->reader);
}

static void check_columns(hid_t file, const Table* table) {
  hsize_t count;
  char** paths = read_texts(file, "columns", &count);
  assert_int_equal(count, table->reader.count);
  assert_string_equal(paths[0], "t");
  for (int32_t i = 0; i < table->reader.count; i++) {
    hsize_t rows;
    double* values = read_numbers(file, paths[i], &rows);
    assert_int_equal(rows, table->rows);
    const double* want = table->values + (ptrdiff_t)i * table->rows;
    for (int64_t k = 0; k < table->rows; k++) {
      bool is_same = memcmp(&values[k], &want[k], sizeof(double)) == 0 || (isnan(values[k]) && isnan(want[k]));
      if (!is_same) fail_msg("%s, row %d: %.17g, not %.17g", paths[i], (int)k, values[k], want[k]);
    }
    hid_t dataset = H5Dopen2(file, paths[i], H5P_DEFAULT);
    assert_attribute_text(dataset, "name", table->reader.names[i]);
    H5Dclose(dataset);
    free(values);
  }
  free_texts(paths, count);
}

static void check_events(hid_t file, const Table* table) {
  hsize_t count, names, times;
  double *rows = read_numbers(file, "events/row", &count), *t = read_numbers(file, "events/t", &times);
  char** texts = read_texts(file, "events/name", &names);
  assert_true(names == count && times == count);
  int64_t pairs = 0;
  for (int64_t i = 0; i < table->rows; i++) pairs += table->events[i][0] != 0;
  assert_int_equal(2 * count, pairs);
  for (hsize_t i = 0; i < count; i++) {
    int64_t row = (int64_t)rows[i];
    assert_true(row >= 1 && row < table->rows);
    assert_string_equal(texts[i], table->events[row]);
    assert_string_equal(texts[i], table->events[row - 1]);
    assert_true(t[i] == table->values[row] && t[i] == table->values[row - 1]);
  }
  free_texts(texts, names);
  free(rows);
  free(t);
}

static void test_examples(void** state) {
  (void)state;
  static const char* const names[] = {"bouncing-ball",    "slider-crank-parts", "door-three-hinges",
                                      "chaplygin-sleigh", "slack-string",       "relativistic",
                                      "kepler",           "appell-hamel"};
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
    char arguments[PATH_SIZE], file_name[100], *text = read_example(names[i]);
    snprintf(file_name, sizeof file_name, "%s.zw", names[i]);
    write_text(file_name, text);
    snprintf(arguments, sizeof arguments, "run %s.zw --format csv,h5", names[i]);
    if (run_zwang(arguments) != 0) fail_msg("%s does not run", names[i]);
    Table table;
    snprintf(file_name, sizeof file_name, "%s.csv", names[i]);
    read_table(&table, file_name);
    snprintf(file_name, sizeof file_name, "%s.h5", names[i]);
    hid_t file = open_file(file_name);
    check_columns(file, &table);
    check_events(file, &table);
    assert_text(file, "model/text", text);
    assert_attribute_text(file, "format", "zwang result");
    assert_attribute_text(file, "model", names[i]);
    assert_int_equal(attribute_number(file, "rows"), table.rows);
    H5Fclose(file);
    free_table(&table);
    free(text);
  }
}

/* ---- what is needed to make it again ---- */

static const char table_text[] = "x,lift\n0,0\n1,0.5\n2,0.3\n3,0\n";
static const char part_text[] = "component block(m) {\n  coord y = 0.004\n  kinetic 1/2*m*y'^2\n}\n";
static const char model_text[] =
    "# a cam, \u03c6 = w t\nuse planar\nuse \"parts/block.zw\"\nparam m = 2, w = 1\nmemory turns = 0\n"
    "part b = block(m)\npotential 9.81*m*b.y\nconstraint cam: b.y = 0.01*table(\"lift.csv\", 1.5 + sin(w*t))\n"
    "when sin(t) > 0.5: turns = turns + 1\noutput up = b.y, n = turns\nrun 0 .. 3 every 0.1\n";

static void test_everything_to_make_it_again(void** state) {
  (void)state;
  char path[PATH_SIZE];
  path_to(path, "parts");
  snprintf(path + strlen(path), PATH_SIZE - strlen(path), "/block.zw");
  assert_int_equal(run_zwang("--version"), 0); /* and the folder is there */
  char command[2 * PATH_SIZE];
  snprintf(command, sizeof command, "mkdir -p '%s/parts'", folder);
  assert_int_equal(system(command), 0);
  write_text("lift.csv", table_text);
  write_text("parts/block.zw", part_text);
  write_text("cam.zw", model_text);
  assert_int_equal(
      run_zwang("run cam.zw --format h5 --set m=3.5 --set 'w = 2*0.75' --tolerance 1e-9 --integrator explicit"), 2);
  assert_int_equal(
      run_zwang("run cam.zw --format h5 --set m=3.5 --set 'w=2*0.75' --tolerance 1e-9 --integrator explicit"), 0);
  path_to(path, "cam.csv.part");
  assert_int_not_equal(access(path, F_OK), 0); /* the journal has served its purpose */
  path_to(path, "cam.csv");
  assert_int_not_equal(access(path, F_OK), 0);
  hid_t file = open_file("cam.h5");
  assert_text(file, "model/text", model_text);
  assert_text(file, "model/files/lift.csv", table_text);
  assert_text(file, "model/files/block.zw", part_text);
  hsize_t count;
  char** library = read_texts(file, "model/files/planar", &count);
  assert_true(count == 1 && strstr(library[0], "component"));
  free_texts(library, count);
  assert_true(read_number(file, "parameters/m") == 3.5);
  assert_true(read_number(file, "parameters/w") == 1.5);
  assert_true(read_number(file, "parameters/turns") == 0); /* at the begin */
  assert_attribute_text(
      file, "command",
      "zwang run cam.zw --format h5 --set m=3.5 --set 'w=2*0.75' --tolerance 1e-9 --integrator explicit");
  assert_true(attribute_number(file, "tolerance") == 1e-9);
  assert_true(attribute_number(file, "from") == 0 && attribute_number(file, "to") == 3);
  assert_true(attribute_number(file, "every") == 0.1);
  assert_attribute_text(file, "integrator", "explicit");
  assert_attribute_text(file, "formulation", "auto");
  assert_attribute_text(file, "energy", "balance");
  assert_int_equal(attribute_number(file, "seed"), 0);
  assert_int_equal(attribute_number(file, "schema"), 1);
  assert_int_equal(attribute_number(file, "events"), 1);
  H5Fclose(file);
}

/* Residuals, energy and work are those the summary has the largest of. */
static void test_evidence(void** state) {
  (void)state;
  write_text("p.zw",
             "coord x = 1, y = 0\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
             "force x = -0.3*x'\nforce y = -0.3*y'\nrun 0 .. 5\n");
  assert_int_equal(run_zwang("run p.zw --format h5 --tolerance 1e-11"), 0);
  hid_t file = open_file("p.h5");
  hsize_t n;
  double *x = read_numbers(file, "q/x", &n), *y = read_numbers(file, "q/y", &n);
  double *u = read_numbers(file, "v/x", &n), *v = read_numbers(file, "v/y", &n);
  double *phi = read_numbers(file, "evidence/phi", &n), *phidot = read_numbers(file, "evidence/phidot", &n);
  double *E = read_numbers(file, "evidence/energy", &n), *W = read_numbers(file, "evidence/work", &n);
  double *rod = read_numbers(file, "reactions/rod", &n), *on_x = read_numbers(file, "forces/rod on x", &n);
  for (hsize_t i = 0; i < n; i++) {
    assert_near(phi[i], fabs(x[i] * x[i] + y[i] * y[i] - 1), 1e-15);
    assert_near(phidot[i], fabs(2 * x[i] * u[i] + 2 * y[i] * v[i]), 2e-15);
    assert_near(E[i], 0.5 * (u[i] * u[i] + v[i] * v[i]) + 9.81 * y[i], 1e-13);
    assert_near(E[i] - E[0], W[i], 1e-7); /* the balance */
    assert_near(on_x[i], 2 * x[i] * rod[i], 1e-13);
    assert_true(phi[i] <= attribute_number(file, "phi_max") && phidot[i] <= attribute_number(file, "phidot_max"));
  }
  assert_true(W[n - 1] < -1); /* friction takes */
  double* all[] = {x, y, u, v, phi, phidot, E, W, rod, on_x};
  for (int i = 0; i < 10; i++) free(all[i]);
  H5Fclose(file);
}

/* ---- contacts ---- */

/* Every line of the log, by number, and the reactions of contacts among the others. */
static void test_contacts(void** state) {
  (void)state;
  enum { LINES_MAX = 1000 };
  write_text("two.zw",
             "coord x = 0.2, y = 1\nkinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\nstart x' = -1\n"
             "contact wall: x >= 0, restitution 0.5\ncontact floor: y >= 0, restitution 0.6\nrun 0 .. 3\n");
  assert_int_equal(run_zwang("run two.zw --format csv,h5"), 0);
  hid_t file = open_file("two.h5");
  hsize_t counts[9], names, words;
  static const char* const paths[9] = {"contacts/t",       "contacts/contact",  "contacts/what",
                                       "contacts/impulse", "contacts/friction", "contacts/friction2",
                                       "contacts/lost",    "contacts/theta",    "contacts/wall work"};
  double* columns[9];
  for (int i = 0; i < 9; i++) columns[i] = read_numbers(file, paths[i], &counts[i]);
  char **name = read_texts(file, "contacts/name", &names), **word = read_texts(file, "contacts/word", &words);
  assert_int_equal(names, 2);
  assert_int_equal(words, 5);
  static const char* const want[] = {"wall", "floor"};
  for (int i = 0; i < 2; i++) assert_string_equal(name[i], want[i]);
  char path[PATH_SIZE], line[LINES_MAX];
  path_to(path, "two.contacts.csv");
  FILE* log = fopen(path, "rb");
  assert_non_null(log);
  assert_non_null(fgets(line, sizeof line, log));
  hsize_t hits = 0, row = 0;
  for (; fgets(line, sizeof line, log) && !strstr(line, ",end,"); row++) {
    char log_name[100], what[100];
    double t, impulse, friction[2], lost, theta, work;
    assert_int_equal(sscanf(line, "%lf,%99[^,],%99[^,],%lf,%lf,%lf,%lf,%lf,%lf", &t, log_name, what, &impulse,
                            &friction[0], &friction[1], &lost, &theta, &work),
                     9);
    assert_true(row < counts[0]);
    assert_true(t == columns[0][row] && impulse == columns[3][row] && lost == columns[6][row]);
    assert_true(friction[0] == columns[4][row] && friction[1] == columns[5][row]);
    assert_true(theta == columns[7][row] && work == columns[8][row]);
    assert_string_equal(log_name, name[(int)columns[1][row]]);
    assert_string_equal(what, word[(int)columns[2][row]]);
    hits += strcmp(what, "hit") == 0;
  }
  fclose(log);
  for (int i = 0; i < 9; i++) assert_int_equal(counts[i], row);
  assert_true(hits > 20 && hits == (hsize_t)attribute_number(file, "impacts")); /* none at the same time */
  assert_int_equal(attribute_number(file, "contacts"), 2);
  hsize_t n;
  double* reaction = read_numbers(file, "reactions/floor", &n);
  assert_near(reaction[n - 1], 9.81, 1e-9); /* it lies there at last */
  free(reaction);
  for (int i = 0; i < 9; i++) free(columns[i]);
  free_texts(name, names);
  free_texts(word, words);
  H5Fclose(file);
  /* a model without contacts has no group for them */
  write_text("free.zw", "coord x\nkinetic 1/2*x'^2\nrun 0 .. 1\n");
  assert_int_equal(run_zwang("run free.zw --format h5"), 0);
  file = open_file("free.h5");
  assert_int_equal(H5Lexists(file, "contacts", H5P_DEFAULT), 0);
  H5Fclose(file);
}

/* The same run, the same bytes; and asking for evidence does not change the motion. (Forces do, in the last digits of rows
 * between steps: those are projected in the metric of the last solve.) */
static void test_repeatable(void** state) {
  (void)state;
  char* text = read_example("andrews");
  write_text("andrews.zw", text);
  free(text);
  char command[2 * PATH_SIZE];
  assert_int_equal(run_zwang("run andrews.zw --format h5"), 0);
  snprintf(command, sizeof command, "cd '%s' && mv andrews.h5 first.h5 && sleep 1.1",
           folder); /* no time of day inside */
  assert_int_equal(system(command), 0);
  assert_int_equal(run_zwang("run andrews.zw --format h5"), 0);
  snprintf(command, sizeof command, "cd '%s' && cmp andrews.h5 first.h5", folder);
  assert_int_equal(system(command), 0);
  assert_int_equal(run_zwang("run andrews.zw --forces"), 0);
  Table table;
  read_table(&table, "andrews.csv");
  hid_t file = open_file("andrews.h5");
  hsize_t n;
  for (int32_t i = 0; i < table.reader.count && !strchr(table.reader.names[i], '('); i++) {
    const char* name = table.reader.names[i];
    bool is_velocity = name[strlen(name) - 1] == '\'';
    char path[200];
    snprintf(path, sizeof path, "%s%.*s",
             i == 0        ? ""
             : is_velocity ? "v/"
                           : "q/",
             (int)strlen(name) - is_velocity, name);
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0) snprintf(path, sizeof path, "outputs/%s", name);
    double* values = read_numbers(file, path, &n);
    assert_memory_equal(values, table.values + (ptrdiff_t)i * table.rows, (size_t)table.rows * sizeof(double));
    free(values);
  }
  H5Fclose(file);
  free_table(&table);
}

static int make_folder(void** state) {
  (void)state;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void** state) {
  (void)state;
  char command[PATH_SIZE];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples),   cmocka_unit_test(test_everything_to_make_it_again),
      cmocka_unit_test(test_evidence),   cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_repeatable),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

#else

int main(void) {
  printf("left out: this build has no HDF5\n");
  return 0;
}

#endif
