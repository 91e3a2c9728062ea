/* Runs every .zw file below a folder and compares what happens with what its comments expect.
 *
 *   run_lang FOLDER [PART]     PART: only files whose path holds it
 *
 * A file expects, in comments:
 *
 *   # expect ok                                     no errors; the run goes to its end
 *   # expect error 3:9 ZW_ERR_NAME: text-part       line:column; `9` alone is a column of the comment's own line;
 *   # expect note 3:9: text-part                    `-` is a message without a place, `arm.zw:3:9` one in a used
 *                                                   file. The part may come from the message or its remedy;
 *                                                   `text | remedy` asks for parts of both
 *   # expect failed                                 the run began before it failed; without it an error must come first
 *   # expect n=2 m=1 rank=1 dof=1 guesses=0         any of them; guesses: those that moved
 *   # expect x(1.5) = 0.123 +- 1e-9                 a column at the time of a row, or x(end)
 *   # expect moved x to 0.6 +- 1e-9                 a typed value that had to move; `to ...` may be left out
 *   # expect redundant again
 *   # expect columns t,x,x',e
 *   # expect rows=11
 *   # expect drift < 1e-8                           also phi, phidot, work; energy conserved
 *   # expect energy conserved                       or: balance
 *   # with m = 2                                    a parameter value from outside; `to`, `every`, `tolerance` alike
 *   # only check                                    do not run
 *   # pending: why                                  a known fault: the file must not pass yet
 *
 * Every error, note, moved value and redundant constraint must be expected: none may be left over.
 *
 * Files that models use, and tables, lie in folders called `parts`, which hold no tests. */
#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "zwang/zwang.h"

enum { EXPECTS_MAX = 128, SETS_MAX = 16, WORD_MAX = 128, LINE_MAX_SIZE = 512, PATH_SIZE = 1024, FILES_MAX = 4096 };

typedef enum ExpectKind {
  EXPECT_OK,
  EXPECT_MESSAGE,
  EXPECT_FAILED,
  EXPECT_COUNTS,
  EXPECT_VALUE,
  EXPECT_MOVED,
  EXPECT_REDUNDANT,
  EXPECT_COLUMNS,
  EXPECT_BOUND,
  EXPECT_ENERGY
} ExpectKind;

typedef struct Expect {
  ExpectKind kind;
  int at; /* line of the comment */
  bool is_met;
  ZwSeverity severity;
  int line, column;    /* of a message; 0, 0: without a place */
  char file[WORD_MAX]; /* of a message; empty: any */
  char code[WORD_MAX]; /* of an error */
  char name[WORD_MAX]; /* column, constraint, count or quantity */
  char text[LINE_MAX_SIZE];
  double t, value, tolerance; /* t is infinite for the last row */
  bool has_value;
} Expect;

typedef struct Rows {
  double* values;
  size_t count, capacity;
  size_t width;
} Rows;

typedef struct Test {
  const char* path;
  const char* text;
  size_t size;
  Expect expects[EXPECTS_MAX];
  int count;
  ZwSet sets[SETS_MAX];
  char set_texts[SETS_MAX][2][WORD_MAX];
  int set_count;
  double to, every, tolerance;
  bool only_check;
  const char* pending;
  char pending_text[LINE_MAX_SIZE];
  bool is_quiet; /* count mismatches, do not print them */
  int mismatches, errors;
  Rows rows;
} Test;

__attribute__((format(printf, 3, 4))) static void mismatch(Test* test, int line, const char* format, ...) {
  test->mismatches++;
  if (test->is_quiet) return;
  va_list args;
  va_start(args, format);
  printf("%s:%d: ", test->path, line);
  vprintf(format, args);
  printf("\n");
  va_end(args);
}

/* ---- reading expectations ---- */

static void copy_text(char* to, size_t capacity, const char* from, size_t size) {
  if (size >= capacity) size = capacity - 1;
  memcpy(to, from, size);
  to[size] = 0;
}

/* "3:9", "arm.zw:3:9", "9" or "-" */
static bool read_place(const char** at, int own_line, Expect* expect) {
  char* end;
  size_t name = strcspn(*at, ": ");
  if ((*at)[name] == ':' && memchr(*at, '.', name)) {
    copy_text(expect->file, sizeof expect->file, *at, name);
    *at += name + 1;
  }
  if (**at == '-') {
    expect->line = expect->column = 0;
    (*at)++;
    return true;
  }
  long first = strtol(*at, &end, 10);
  if (end == *at) return false;
  *at = end;
  expect->line = own_line;
  expect->column = (int)first;
  if (*end != ':' || end[1] < '0' || end[1] > '9') return true;
  expect->line = (int)first;
  expect->column = (int)strtol(end + 1, &end, 10);
  *at = end;
  return true;
}

static bool read_message(Expect* expect, const char* at, bool is_error) {
  expect->kind = EXPECT_MESSAGE;
  expect->severity = is_error ? ZW_SEVERITY_ERROR : ZW_SEVERITY_NOTE;
  if (!read_place(&at, expect->at, expect)) return false;
  if (is_error) {
    char code[WORD_MAX];
    if (sscanf(at, " %127[A-Z_]", code) != 1) return false;
    copy_text(expect->code, sizeof expect->code, code, strlen(code));
    at = strstr(at, code) + strlen(code);
  }
  if (*at++ != ':') return false;
  while (*at == ' ') at++;
  copy_text(expect->text, sizeof expect->text, at, strlen(at));
  return expect->text[0] != 0;
}

/* "= 0.123 +- 1e-9" after a name; without "+-" the value must be met exactly */
static bool read_value(Expect* expect, const char* at) {
  char* end;
  expect->value = strtod(at, &end);
  if (end == at) return false;
  expect->has_value = true;
  while (*end == ' ') end++;
  if (strncmp(end, "+-", 2) == 0) expect->tolerance = strtod(end + 2, &end);
  while (*end == ' ') end++;
  return *end == 0;
}

/* "x(1.5) = 0.123 +- 1e-9" */
static bool read_sample(Expect* expect, const char* at) {
  expect->kind = EXPECT_VALUE;
  const char* open = strchr(at, '(');
  const char* equals = strstr(at, ") = ");
  if (!open || !equals || equals < open) return false;
  copy_text(expect->name, sizeof expect->name, at, (size_t)(open - at));
  expect->t = strncmp(open, "(end)", 5) == 0 ? INFINITY : strtod(open + 1, NULL);
  return read_value(expect, equals + 4);
}

static bool read_moved(Expect* expect, const char* at) {
  expect->kind = EXPECT_MOVED;
  const char* to = strstr(at, " to ");
  copy_text(expect->name, sizeof expect->name, at, to ? (size_t)(to - at) : strlen(at));
  return !to || read_value(expect, to + 4);
}

/* "drift < 1e-8" */
static bool read_bound(Expect* expect, const char* at) {
  expect->kind = EXPECT_BOUND;
  return sscanf(at, "%127[a-z] < %lf", expect->name, &expect->value) == 2;
}

static bool is_count_name(const char* name, size_t size) {
  static const char* const names[] = {"n", "m", "rank", "dof", "rows", "guesses"};
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
    if (strlen(names[i]) == size && strncmp(names[i], name, size) == 0) return true;
  }
  return false;
}

/* What follows "# expect "; false if it cannot be understood. A line of counts adds several. */
static bool read_expect(Test* test, int line, const char* at) {
  if (test->count == EXPECTS_MAX) return false;
  Expect* expect = &test->expects[test->count++];
  *expect = (Expect){.at = line};
  if (strcmp(at, "ok") == 0) return true;
  if (strcmp(at, "failed") == 0) {
    expect->kind = EXPECT_FAILED;
    return true;
  }
  if (strncmp(at, "error ", 6) == 0) return read_message(expect, at + 6, true);
  if (strncmp(at, "note ", 5) == 0) return read_message(expect, at + 5, false);
  if (strncmp(at, "moved ", 6) == 0) return read_moved(expect, at + 6);
  if (strncmp(at, "redundant ", 10) == 0 || strncmp(at, "columns ", 8) == 0 || strncmp(at, "energy ", 7) == 0) {
    expect->kind = at[0] == 'r' ? EXPECT_REDUNDANT : at[0] == 'c' ? EXPECT_COLUMNS : EXPECT_ENERGY;
    at = strchr(at, ' ') + 1;
    copy_text(expect->text, sizeof expect->text, at, strlen(at));
    return true;
  }
  const char* equals = strchr(at, '=');
  if (equals && is_count_name(at, (size_t)(equals - at))) {
    char* end;
    expect->kind = EXPECT_COUNTS;
    copy_text(expect->name, sizeof expect->name, at, (size_t)(equals - at));
    expect->value = (double)strtol(equals + 1, &end, 10);
    while (*end == ' ') end++;
    return *end == 0 || read_expect(test, line, end);
  }
  if (strstr(at, " < ") && !strchr(at, '(')) return read_bound(expect, at);
  return read_sample(expect, at);
}

/* "m = 2" */
static bool read_with(Test* test, const char* at) {
  char name[WORD_MAX], value[WORD_MAX];
  if (sscanf(at, "%127[^ =] = %127[^\n]", name, value) != 2 || test->set_count == SETS_MAX) return false;
  double* option = strcmp(name, "to") == 0          ? &test->to
                   : strcmp(name, "every") == 0     ? &test->every
                   : strcmp(name, "tolerance") == 0 ? &test->tolerance
                                                    : NULL;
  if (option) {
    *option = strtod(value, NULL);
    return true;
  }
  int i = test->set_count++;
  memcpy(test->set_texts[i][0], name, sizeof name);
  memcpy(test->set_texts[i][1], value, sizeof value);
  test->sets[i] = (ZwSet){test->set_texts[i][0], test->set_texts[i][1]};
  return true;
}

static void read_comment(Test* test, int line, const char* comment) {
  if (strncmp(comment, "# expect ", 9) == 0) {
    if (!read_expect(test, line, comment + 9)) mismatch(test, line, "cannot understand: %s", comment);
  } else if (strncmp(comment, "# with ", 7) == 0) {
    if (!read_with(test, comment + 7)) mismatch(test, line, "cannot understand: %s", comment);
  } else if (strcmp(comment, "# only check") == 0) {
    test->only_check = true;
  } else if (strncmp(comment, "# pending: ", 11) == 0) {
    copy_text(test->pending_text, sizeof test->pending_text, comment + 11, strlen(comment + 11));
    test->pending = test->pending_text;
  }
}

static void read_comments(Test* test) {
  int line = 1;
  const char* end = test->text + test->size;
  for (const char* at = test->text; at < end; line++) {
    const char* newline = memchr(at, '\n', (size_t)(end - at));
    const char* stop = newline ? newline : end;
    const char* hash = memchr(at, '#', (size_t)(stop - at));
    if (hash) {
      char comment[LINE_MAX_SIZE];
      size_t size = (size_t)(stop - hash);
      while (size > 0 && (hash[size - 1] == ' ' || hash[size - 1] == '\r')) size--;
      copy_text(comment, sizeof comment, hash, size);
      read_comment(test, line, comment);
    }
    at = stop + 1;
  }
  if (test->count == 0) mismatch(test, 1, "the file expects nothing; add '# expect ok' at least");
}

/* ---- comparing ---- */

static const Expect* find_kind(const Test* test, ExpectKind kind) {
  for (int i = 0; i < test->count; i++) {
    if (test->expects[i].kind == kind) return &test->expects[i];
  }
  return NULL;
}

static bool fits_message(const Expect* expect, const ZwDiag* diag) {
  if (expect->kind != EXPECT_MESSAGE || expect->is_met || expect->severity != diag->severity) return false;
  if (expect->line != diag->line || (expect->line && expect->column != diag->column)) return false;
  size_t file = strlen(expect->file), whole = strlen(diag->file);
  if (file > 0 && (file > whole || strcmp(diag->file + whole - file, expect->file) != 0)) return false;
  if (diag->severity == ZW_SEVERITY_ERROR && strcmp(expect->code, zw_status_name(diag->code)) != 0) return false;
  const char* bar = strstr(expect->text, " | ");
  if (!bar) return strstr(diag->text, expect->text) || strstr(diag->remedy, expect->text);
  char text[LINE_MAX_SIZE];
  copy_text(text, sizeof text, expect->text, (size_t)(bar - expect->text));
  return strstr(diag->text, text) && strstr(diag->remedy, bar + 3);
}

/* What every message promises, whatever it says. */
static void check_form(Test* test, const ZwDiag* diag) {
  size_t size = strlen(diag->text);
  if (size == 0 || size > 600) mismatch(test, (int)diag->line, "a message of %zu bytes", size);
  if (size > 0 && diag->text[size - 1] == '.') mismatch(test, (int)diag->line, "ends in a full stop: %s", diag->text);
  if (diag->text[0] >= 'A' && diag->text[0] <= 'Z') {
    mismatch(test, (int)diag->line, "begins with a capital: %s", diag->text);
  }
  if (diag->line < 0 || (diag->line > 0 && diag->column < 1)) mismatch(test, 1, "a wrong place: %s", diag->text);
  if ((diag->line > 0) != (diag->file[0] != 0)) mismatch(test, 1, "place and file disagree: %s", diag->text);
  if (diag->offset < 0 || diag->offset > diag->source_line_size) {
    mismatch(test, (int)diag->line, "points outside its line: %s", diag->text);
  }
}

static void take_message(Test* test, const ZwDiag* diag) {
  check_form(test, diag);
  test->errors += diag->severity == ZW_SEVERITY_ERROR;
  for (int i = 0; i < test->count; i++) {
    if (!fits_message(&test->expects[i], diag)) continue;
    test->expects[i].is_met = true;
    return;
  }
  bool is_error = diag->severity == ZW_SEVERITY_ERROR;
  bool is_own = diag->line == 0 || strcmp(diag->file, test->path) == 0;
  mismatch(test, diag->line > 0 ? (int)diag->line : 1, "got %s %s%s%d:%d %s%s%s [%s]", is_error ? "error" : "note",
           is_own ? "" : diag->file, is_own ? "" : ":", (int)diag->line, (int)diag->column,
           is_error ? zw_status_name(diag->code) : "", is_error ? ": " : "", diag->text, diag->remedy);
}

static int column_of(const ZwModel* model, const char* name) {
  for (int32_t i = 0; i < zw_model_column_count(model); i++) {
    if (strcmp(zw_model_column(model, i), name) == 0) return (int)i;
  }
  return -1;
}

static const double* row_at(const Rows* rows, double t) {
  if (rows->count == 0) return NULL;
  if (isinf(t)) return rows->values + (rows->count - 1) * rows->width;
  for (size_t i = 0; i < rows->count; i++) {
    const double* row = rows->values + i * rows->width;
    if (fabs(row[0] - t) <= 1e-12 * (1 + fabs(t))) return row;
  }
  return NULL;
}

static bool is_near(double value, const Expect* expect) {
  if (isnan(expect->value)) return isnan(value);
  return fabs(value - expect->value) <= expect->tolerance;
}

static void check_value(Test* test, Expect* expect, const ZwModel* model) {
  int column = column_of(model, expect->name);
  const double* row = row_at(&test->rows, expect->t);
  expect->is_met = true; /* looked at; what is wrong is said here */
  if (column < 0)
    mismatch(test, expect->at, "there is no column '%s'", expect->name);
  else if (!row)
    mismatch(test, expect->at, "there is no row at t = %.17g", expect->t);
  else if (!is_near(row[column], expect)) {
    mismatch(test, expect->at, "%s is %.17g, not %.17g +- %.3g (off by %.3g)", expect->name, row[column], expect->value,
             expect->tolerance, row[column] - expect->value);
  }
}

static void check_count(Test* test, Expect* expect, const ZwReport* report) {
  const char* name = expect->name;
  int64_t value = strcmp(name, "n") == 0      ? report->n
                  : strcmp(name, "m") == 0    ? report->m
                  : strcmp(name, "rank") == 0 ? report->rank
                  : strcmp(name, "dof") == 0  ? report->dof
                  : strcmp(name, "rows") == 0 ? report->rows
                                              : report->guess_count;
  expect->is_met = true;
  if ((double)value != expect->value) {
    mismatch(test, expect->at, "%s is %lld, not %g", name, (long long)value, expect->value);
  }
}

static void check_bound(Test* test, Expect* expect, const ZwReport* report) {
  const char* name = expect->name;
  double value = strcmp(name, "drift") == 0    ? report->energy_drift
                 : strcmp(name, "phi") == 0    ? report->phi_max
                 : strcmp(name, "phidot") == 0 ? report->phidot_max
                 : strcmp(name, "work") == 0   ? report->work
                                               : NAN;
  expect->is_met = true;
  if (!(value < expect->value)) mismatch(test, expect->at, "%s is %.3g, not below %.3g", name, value, expect->value);
}

static void check_columns(Test* test, Expect* expect, const ZwModel* model) {
  char names[LINE_MAX_SIZE] = "";
  size_t used = 0;
  for (int32_t i = 0; i < zw_model_column_count(model) && used < sizeof names; i++) {
    used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? "," : "", zw_model_column(model, i));
  }
  expect->is_met = true;
  if (strcmp(names, expect->text) != 0) mismatch(test, expect->at, "the columns are %s", names);
}

static void check_moves(Test* test, const ZwReport* report) {
  for (int32_t i = 0; i < report->move_count; i++) {
    const ZwMove* move = &report->moves[i];
    bool is_expected = false;
    for (int k = 0; k < test->count; k++) {
      Expect* expect = &test->expects[k];
      if (expect->kind != EXPECT_MOVED || strcmp(expect->name, move->name) != 0) continue;
      is_expected = expect->is_met = true;
      if (expect->has_value && !is_near(move->to, expect)) {
        mismatch(test, expect->at, "%s moved to %.17g, not %.17g", move->name, move->to, expect->value);
      }
    }
    if (!is_expected) mismatch(test, 1, "%s moved from %.17g to %.17g", move->name, move->from, move->to);
  }
  for (int32_t i = 0; i < report->redundant_count; i++) {
    bool is_expected = false;
    for (int k = 0; k < test->count; k++) {
      Expect* expect = &test->expects[k];
      if (expect->kind != EXPECT_REDUNDANT || strcmp(expect->text, report->redundant[i]) != 0) continue;
      is_expected = expect->is_met = true;
    }
    if (!is_expected) mismatch(test, 1, "the constraint '%s' is redundant", report->redundant[i]);
  }
}

static void check_report(Test* test, const ZwModel* model, ZwRun* run, ZwStatus status) {
  const ZwReport* report = zw_run_report(run);
  for (int i = 0; i < test->count; i++) {
    Expect* expect = &test->expects[i];
    switch (expect->kind) {
      case EXPECT_COUNTS:
        check_count(test, expect, report);
        break;
      case EXPECT_VALUE:
        check_value(test, expect, model);
        break;
      case EXPECT_BOUND:
        check_bound(test, expect, report);
        break;
      case EXPECT_COLUMNS:
        check_columns(test, expect, model);
        break;
      case EXPECT_ENERGY:
        expect->is_met = true;
        if (report->is_conservative != (strcmp(expect->text, "conserved") == 0)) {
          mismatch(test, expect->at, "the energy is not %s", expect->text);
        }
        break;
      case EXPECT_FAILED:
        expect->is_met = report->has_begun && status != ZW_OK;
        break;
      case EXPECT_OK:
      case EXPECT_MESSAGE:
      case EXPECT_MOVED:
      case EXPECT_REDUNDANT:
        break;
    }
  }
  check_moves(test, report);
}

/* ---- one test ---- */

static ZwStatus keep_row(void* context, const double* values) {
  Rows* rows = context;
  if (rows->count == rows->capacity) {
    size_t capacity = rows->capacity ? 2 * rows->capacity : 1024;
    double* larger = realloc(rows->values, capacity * rows->width * sizeof(double));
    if (!larger) return ZW_ERR_MEMORY;
    rows->values = larger;
    rows->capacity = capacity;
  }
  memcpy(rows->values + rows->count++ * rows->width, values, rows->width * sizeof(double));
  return ZW_OK;
}

static void run_model(Test* test, const ZwModel* model, ZwStatus* status) {
  ZwRunDef def = zw_default_run_def();
  def.to = test->to;
  def.every = test->every;
  def.tolerance = test->tolerance;
  test->rows.width = (size_t)zw_model_column_count(model);
  def.row = keep_row;
  def.context = &test->rows;
  ZwRun* run = NULL;
  *status = zw_run_create(model, &def, &run);
  if (!run) return;
  if (*status == ZW_OK && !test->only_check) *status = zw_run_go(run);
  for (int32_t i = 0; i < zw_run_diag_count(run); i++) take_message(test, zw_run_diag(run, i));
  check_report(test, model, run, *status);
  if (*status != ZW_OK && zw_run_report(run)->has_begun && !find_kind(test, EXPECT_FAILED)) {
    mismatch(test, 1, "the run began and failed; add '# expect failed' if that is right");
  }
  zw_run_destroy(run);
}

static void describe_unmet(Test* test, const Expect* expect) {
  switch (expect->kind) {
    case EXPECT_MESSAGE:
      mismatch(test, expect->at, "missing: %s %d:%d %s: %s", expect->severity == ZW_SEVERITY_ERROR ? "error" : "note",
               expect->line, expect->column, expect->code, expect->text);
      break;
    case EXPECT_MOVED:
      mismatch(test, expect->at, "%s was not moved", expect->name);
      break;
    case EXPECT_REDUNDANT:
      mismatch(test, expect->at, "'%s' is not redundant", expect->text);
      break;
    case EXPECT_FAILED:
      mismatch(test, expect->at, "the run did not begin, or did not fail");
      break;
    default:
      mismatch(test, expect->at, "could not be looked at: there was no run");
      break;
  }
}

static char* read_file(const char* path, size_t* size);

static ZwStatus read_part(void* context, const char* name, const char* path, bool is_library, char** text, size_t* size,
                          const char** why) {
  (void)context;
  if (strstr(name, "secret")) {
    *why = "it is a secret";
    return ZW_ERR_IO;
  }
  *text = is_library ? NULL : read_file(path, size);
  return *text ? ZW_OK : ZW_ERR_NAME;
}

static void release_part(void* context, char* text) {
  (void)context;
  free(text);
}

/* Compiles, runs and compares; the mismatches are in the test afterwards. */
static void run_test(Test* test) {
  test->to = test->every = test->tolerance = NAN;
  read_comments(test);
  ZwCompileDef def = zw_default_compile_def();
  def.text = test->text;
  def.size = test->size;
  def.name = test->path;
  def.sets = test->sets;
  def.set_count = test->set_count;
  def.reader = (ZwReader){read_part, release_part, NULL};
  ZwModel* model = NULL;
  ZwStatus status = zw_model_compile(&def, &model);
  if (model) {
    for (int32_t i = 0; i < zw_model_diag_count(model); i++) take_message(test, zw_model_diag(model, i));
    if ((status == ZW_OK) != (zw_model_error_count(model) == 0)) mismatch(test, 1, "status and errors disagree");
  }
  if (status == ZW_OK) run_model(test, model, &status);
  for (int i = 0; i < test->count; i++) {
    Expect* expect = &test->expects[i];
    if (expect->kind == EXPECT_OK) {
      if (status != ZW_OK) mismatch(test, expect->at, "it is not ok: %s", zw_status_name(status));
    } else if (!expect->is_met) {
      describe_unmet(test, expect);
    }
  }
  if (status != ZW_OK && test->errors == 0) {
    mismatch(test, 1, "it failed (%s) without a message", zw_status_name(status));
  }
  zw_model_destroy(model);
  free(test->rows.values);
  test->rows = (Rows){0};
}

/* ---- does this program notice anything at all? ---- */

#define BODY "coord x = 1\nkinetic 1/2*x'^2\npotential 1/2*x^2\nrun 0 .. 1 every 0.5\n"

static const struct {
  bool is_right;
  const char* text;
} checks[] = {
    {true, BODY "# expect ok\n# expect n=1 m=0 rank=0 dof=1 rows=3\n# expect x(end) = 0.54030230586814 +- 1e-7\n"},
    {true, BODY "# expect ok\n# expect columns t,x,x'\n# expect energy conserved\n# expect drift < 1e-7\n"},
    {true, "coord x\nkinetic y # expect error 9 ZW_ERR_NAME: 'y' is not declared\n"},
    {true, "coord x\nkinetic y\n# expect error 2:9 ZW_ERR_NAME: declare it above\n"},
    {true,
     "coord x = 0\nkinetic x'^2\nconstraint c: x = 1\n# expect moved x to 1 +- 1e-9\n# with to = 1\n# expect ok\n"},
    {true, "coord x\nkinetic y # expect error 9 ZW_ERR_NAME: 'y' is not | declare it above\n"},
    {false, "coord x\nkinetic y # expect error 9 ZW_ERR_NAME: 'y' is not | declare it below\n"},
    {false, "coord x\nkinetic y # expect error 9 ZW_ERR_NAME: 'z' is not | declare it above\n"},
    {false, BODY},
    {false, BODY "# expect fine\n"},
    {false, BODY "# expect ok\n# expect n=2\n"},
    {false, BODY "# expect ok\n# expect n=1 dof=0\n"},
    {false, BODY "# expect ok\n# expect rows=4\n"},
    {false, BODY "# expect ok\n# expect guesses=1\n"},
    {true, "coord x\nkinetic y # expect error check.zw:2:9 ZW_ERR_NAME: 'y' is not declared\n"},
    {false, "coord x\nkinetic y # expect error other.zw:2:9 ZW_ERR_NAME: 'y' is not declared\n"},
    {false, BODY "# expect ok\n# expect x(end) = 0.5403 +- 1e-7\n"},
    {false, BODY "# expect ok\n# expect x(end) = nan\n"},
    {false, BODY "# expect ok\n# expect y(end) = 0.5403 +- 1\n"},
    {false, BODY "# expect ok\n# expect x(0.25) = 1 +- 1\n"},
    {false, BODY "# expect ok\n# expect drift < 1e-30\n"},
    {false, BODY "# expect ok\n# expect speed < 1\n"},
    {false, BODY "# expect ok\n# expect energy balance\n"},
    {false, BODY "# expect ok\n# expect columns t,x\n"},
    {false, BODY "# expect ok\n# expect moved x\n"},
    {false, BODY "# expect ok\n# expect redundant c\n"},
    {false, BODY "# expect ok\n# expect note 1:1: something\n"},
    {false, BODY "# expect error 1:1 ZW_ERR_NAME: something\n"},
    {false, BODY "# expect failed\n"},
    {false, "coord x\nkinetic y # expect ok\n"},
    {false, "coord x\nkinetic y # expect error 8 ZW_ERR_NAME: 'y' is not declared\n"},
    {false, "coord x\nkinetic y # expect error 1:9 ZW_ERR_NAME: 'y' is not declared\n"},
    {false, "coord x\nkinetic y # expect error 9 ZW_ERR_TYPE: 'y' is not declared\n"},
    {false, "coord x\nkinetic y # expect error 9 ZW_ERR_NAME: 'z' is not declared\n"},
    {false, "coord x\nkinetic y + z # expect error 9 ZW_ERR_NAME: 'y' is not declared\n"},
    {false, "param m = 1\ncoord x\nkinetic x'^2\n# with to = 1\n# expect ok\n"},
    {false, "coord x = 0\nkinetic x'^2\nconstraint c: x = 1\n# expect moved x to 2 +- 1e-9\n# with to = 1\n"},
    {false, "coord x = 0\nkinetic x'^2\nconstraint c: x = 1\n# expect ok\n# with to = 1\n"},
};

static int check_self(void) {
  int wrong = 0;
  static Test test; /* large */
  for (int i = 0; i < (int)(sizeof checks / sizeof *checks); i++) {
    test = (Test){.path = "check.zw", .text = checks[i].text, .size = strlen(checks[i].text), .is_quiet = true};
    run_test(&test);
    if ((test.mismatches == 0) == checks[i].is_right) continue;
    printf("run_lang: its own check %d is %s:\n%s\n", i, checks[i].is_right ? "not accepted" : "accepted",
           checks[i].text);
    wrong++;
  }
  return wrong;
}

/* ---- files ---- */

static char* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  size_t capacity = 1 << 16;
  char* text = malloc(capacity);
  *size = 0;
  for (size_t got; text && (got = fread(text + *size, 1, capacity - *size, file)) > 0;) {
    *size += got;
    if (*size < capacity) continue;
    char* larger = realloc(text, capacity *= 2);
    if (!larger) free(text);
    text = larger;
  }
  fclose(file);
  return text;
}

static void collect(const char* folder, char** paths, int* count) {
  DIR* directory = opendir(folder);
  if (!directory) return;
  for (struct dirent* entry; (entry = readdir(directory));) {
    char path[PATH_SIZE];
    struct stat info;
    size_t size = strlen(entry->d_name);
    if (entry->d_name[0] == '.') continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= PATH_SIZE || stat(path, &info) != 0) continue;
    if (S_ISDIR(info.st_mode)) {
      if (strcmp(entry->d_name, "parts") != 0) collect(path, paths, count);
    } else if (size > 3 && strcmp(entry->d_name + size - 3, ".zw") == 0 && *count < FILES_MAX) {
      char* own = malloc(strlen(path) + 1);
      if (own) paths[(*count)++] = strcpy(own, path);
    }
  }
  closedir(directory);
}

static int compare_paths(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

typedef struct Totals {
  int passed, failed, pending;
} Totals;

static void run_file(const char* path, Totals* totals) {
  static Test test;
  size_t size = 0;
  char* text = read_file(path, &size);
  test = (Test){.path = path, .text = text, .size = size};
  if (!text) {
    printf("%s: cannot be read\n", path);
    totals->failed++;
    return;
  }
  /* a pending file is looked at in silence */
  for (size_t i = 0; i + 11 < size && !test.is_quiet; i++) test.is_quiet = memcmp(text + i, "# pending: ", 11) == 0;
  run_test(&test);
  if (test.pending && test.mismatches > 0) {
    printf("%s: pending: %s\n", path, test.pending);
    totals->pending++;
  } else if (test.pending) {
    printf("%s: passes now: remove its line '# pending: %s'\n", path, test.pending);
    totals->failed++;
  } else {
    *(test.mismatches ? &totals->failed : &totals->passed) += 1;
  }
  free(text);
}

int main(int argc, char** argv) {
  static char* paths[FILES_MAX];
  int count = 0;
  Totals totals = {0};
  if (argc < 2) {
    fprintf(stderr, "usage: run_lang FOLDER [PART]\n");
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0); /* so that a crash shows after which file */
  int wrong = check_self();
  collect(argv[1], paths, &count);
  qsort(paths, (size_t)count, sizeof *paths, compare_paths);
  for (int i = 0; i < count; i++) {
    if (argc < 3 || strstr(paths[i], argv[2])) run_file(paths[i], &totals);
    free(paths[i]);
  }
  printf("%d passed, %d failed, %d pending; %d of %d own checks wrong\n", totals.passed, totals.failed, totals.pending,
         wrong, (int)(sizeof checks / sizeof *checks));
  return totals.failed > 0 || wrong > 0 || totals.passed == 0;
}
