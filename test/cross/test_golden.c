/* Trajectories of all examples and what they cost, against test/golden. A change there is a change of our numbers: either
 * meant, then
 *
 *   ZW_GOLDEN_WRITE=1 build/release/test/cross.golden
 *
 * writes the files anew and the difference is reviewed like code, or a mistake.
 *
 * NAME.csv has the names of the columns, how far each may be off, and eleven rows at the default tolerance. What is allowed
 * comes from the accuracy of the motion itself: ten times the change when the tolerance is a hundred times finer.
 * effort.csv has the number of steps, rejected steps and evaluations. */
#include "../reference/trajectory.h"

enum { ROWS = 10, LINE_SIZE = 1 << 14 };

static const double tolerance = 1e-8;

static bool is_writing(void) {
  const char* write = getenv("ZW_GOLDEN_WRITE");
  return write && *write;
}

static FILE* open_golden(const char* name, const char* mode) {
  char path[PATH_SIZE];
  source_path(path, "test/golden", name, ".csv");
  FILE* file = fopen(path, mode);
  if (!file) fail_msg("cannot open %s", path);
  return file;
}

/* Leaves out the rows of events, which stand between the parts. */
static void keep_parts(Trajectory* trajectory, double every) {
  int32_t kept = 0;
  double from = row_of(trajectory, 0)[0];
  for (int32_t i = 0; i < trajectory->rows; i++) {
    const double* row = row_of(trajectory, i);
    if (fabs(row[0] - from - kept * every) > 1e-9 * every) continue;
    memmove(trajectory->values + (size_t)kept++ * (size_t)trajectory->width, row,
            (size_t)trajectory->width * sizeof(double));
  }
  trajectory->rows = kept;
}

/* The example in ten parts. */
static Trajectory follow_in_parts(const char* name, double fineness) {
  char* text = read_example(name);
  Trajectory start = follow(name, text, NAN, NAN, NAN, 1);
  const ZwReport* report = zw_run_report(start.run);
  double every = (report->to - report->from) / ROWS;
  forget(&start);
  Trajectory trajectory = follow(name, text, NAN, every, fineness, 0);
  free(text);
  keep_parts(&trajectory, every);
  assert_int_equal(trajectory.rows, ROWS + 1);
  return trajectory;
}

/* ---- writing ---- */

static void write_row(FILE* file, int32_t width, const double* row, const char* format) {
  for (int32_t i = 0; i < width; i++) {
    if (i > 0) fputc(',', file);
    fprintf(file, format, row[i]);
  }
  fputc('\n', file);
}

static void write_golden(const char* name, const Trajectory* trajectory) {
  Trajectory fine = follow_in_parts(name, 1e-2 * tolerance);
  FILE* file = open_golden(name, "w");
  int32_t width = trajectory->width;
  double* allowed = calloc((size_t)width, sizeof(double));
  assert_non_null(allowed);
  for (int32_t i = 0; i < width; i++) {
    const char* column = zw_model_column(trajectory->model, i);
    const char* quote = strchr(column, ',') ? "\"" : ""; /* r[1,2] */
    fprintf(file, "%s%s%s%s", i > 0 ? "," : "", quote, column, quote);
    for (int32_t r = 0; r <= ROWS; r++) {
      double value = row_of(trajectory, r)[i], change = fabs(value - row_of(&fine, r)[i]);
      allowed[i] = fmax(allowed[i], fmax(10 * change, 1e-9 * fabs(value)));
    }
    allowed[i] = fmax(allowed[i], 1e-9);
  }
  fputc('\n', file);
  write_row(file, width, allowed, "%.1e");
  for (int32_t r = 0; r <= ROWS; r++) write_row(file, width, row_of(trajectory, r), "%.12g");
  free(allowed);
  assert_int_equal(fclose(file), 0);
  forget(&fine);
}

static void write_all(const Examples* examples) {
  FILE* effort = open_golden("effort", "w");
  fprintf(effort, "example,steps,rejected,evaluations\n");
  for (int i = 0; i < examples->count; i++) {
    Trajectory trajectory = follow_in_parts(examples->names[i], tolerance);
    const ZwReport* report = zw_run_report(trajectory.run);
    write_golden(examples->names[i], &trajectory);
    fprintf(effort, "%s,%lld,%lld,%lld\n", examples->names[i], (long long)report->steps, (long long)report->rejected,
            (long long)report->evaluations);
    forget(&trajectory);
  }
  assert_int_equal(fclose(effort), 0);
}

/* ---- comparing ---- */

/* The next line's numbers. */
static void read_row(FILE* file, int32_t width, double* row) {
  char line[LINE_SIZE];
  assert_non_null(fgets(line, sizeof line, file));
  char* at = line;
  for (int32_t i = 0; i < width; i++) {
    char* end = NULL;
    row[i] = strtod(at, &end);
    assert_true(end != at && *end == (i + 1 < width ? ',' : '\n'));
    at = end + 1;
  }
}

static void compare_golden(const char* name, const Trajectory* trajectory) {
  FILE* file = open_golden(name, "r");
  char line[LINE_SIZE];
  assert_non_null(fgets(line, sizeof line, file)); /* names */
  int32_t width = trajectory->width;
  double *allowed = calloc(2 * (size_t)width, sizeof(double)), *want = allowed + width;
  assert_non_null(allowed);
  read_row(file, width, allowed);
  for (int32_t r = 0; r <= ROWS; r++) {
    read_row(file, width, want);
    const double* got = row_of(trajectory, r);
    for (int32_t i = 0; i < width; i++) {
      if (fabs(got[i] - want[i]) <= allowed[i]) continue;
      fail_msg("%s: %s at t = %g was %.12g and is %.12g now, more than %g off", name,
               zw_model_column(trajectory->model, i), got[0], want[i], got[i], allowed[i]);
    }
  }
  free(allowed);
  fclose(file);
}

/* A tenth and a few either way: other compilers and C libraries round otherwise. */
static void compare_effort(const char* name, const char* what, long long got, long long want) {
  if (llabs(got - want) <= want / 10 + 5) return;
  fail_msg("%s: took %lld %s, now %lld", name, want, what, got);
}

static void compare_all(const Examples* examples) {
  FILE* effort = open_golden("effort", "r");
  char line[LINE_SIZE];
  assert_non_null(fgets(line, sizeof line, effort));
  for (int i = 0; i < examples->count; i++) {
    const char* name = examples->names[i];
    char listed[EXAMPLE_NAME_MAX];
    long long steps = 0, rejected = 0, evaluations = 0;
    if (fscanf(effort, "%63[^,],%lld,%lld,%lld\n", listed, &steps, &rejected, &evaluations) != 4) {
      fail_msg("effort.csv ends before %s", name);
    }
    if (strcmp(name, listed) != 0) fail_msg("effort.csv has %s where %s should be: write it anew", listed, name);
    Trajectory trajectory = follow_in_parts(name, tolerance);
    const ZwReport* report = zw_run_report(trajectory.run);
    compare_golden(name, &trajectory);
    compare_effort(name, "steps", report->steps, steps);
    compare_effort(name, "rejected steps", report->rejected, rejected);
    compare_effort(name, "evaluations", report->evaluations, evaluations);
    forget(&trajectory);
  }
  fclose(effort);
}

static void test_golden(void** state) {
  (void)state;
  Examples examples;
  list_examples(&examples);
  if (is_writing()) write_all(&examples);
  compare_all(&examples);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
