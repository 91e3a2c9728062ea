/* What a run was asked to vary, and the derivatives of its last row. */
#include "cli/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { LINES = 12, NAME = 64 };

struct Varied {
  ZwRun* run;
  int32_t columns;        /* of a row */
  int32_t first, each;    /* the first derivative; how many there are by one thing */
  int32_t count;          /* things that are varied */
  double *last, *largest; /* a row: the last one; what was largest in any */
  bool has_row;
};

/* A row is t, what is differentiated, evidence, and the derivatives by one thing after the other. */
Varied* varied_create(ZwRun* run, bool has_evidence) {
  enum { EVIDENCE = 4 };
  Varied* varied = calloc(1, sizeof *varied);
  if (!varied) return NULL;
  int32_t columns = zw_run_column_count(run), count = zw_run_report(run)->varied_count;
  int32_t each = count > 0 ? (columns - 1 - (has_evidence ? EVIDENCE : 0)) / (count + 1) : 0;
  *varied = (Varied){.run = run, .columns = columns, .first = columns - count * each, .each = each, .count = count};
  varied->last = calloc((size_t)columns, sizeof(double));
  varied->largest = calloc((size_t)columns, sizeof(double));
  if (varied->last && varied->largest) return varied;
  varied_free(varied);
  return NULL;
}

void varied_free(Varied* varied) {
  if (!varied) return;
  free(varied->last);
  free(varied->largest);
  free(varied);
}

int32_t varied_first(const Varied* varied) {
  return varied->first;
}

int32_t varied_of(const Varied* varied, int32_t column) {
  return column < varied->first ? 0 : 1 + (column - varied->first) % varied->each;
}

const char* varied_by(const Varied* varied, int32_t column) {
  return zw_run_report(varied->run)->varied[(column - varied->first) / varied->each].name;
}

void varied_row(Varied* varied, const double* values) {
  if (varied->count == 0) return;
  varied->has_row = true;
  memcpy(varied->last, values, (size_t)varied->columns * sizeof(double));
  for (int32_t i = 0; i < varied->first; i++) varied->largest[i] = fmax(varied->largest[i], fabs(values[i]));
}

/* ---- as text ---- */

typedef struct Line {
  const char* name;                /* "d(x)/d(m)" */
  double derivative, change, part; /* change for 1 % more, and that by the largest value; NaN where there is none */
} Line;

static Line make_line(const Varied* varied, int32_t by, int32_t of) {
  int32_t column = varied->first + by * varied->each + of - 1;
  double value = zw_run_report(varied->run)->varied[by].value, derivative = varied->last[column];
  Line line = {zw_run_column(varied->run, column), derivative, NAN, NAN};
  if (value == 0) return line;
  line.change = 0.01 * value * derivative;
  if (varied->largest[of] > 0) line.part = fabs(line.change) / varied->largest[of];
  return line;
}

/* What has most effect first; what has none in per cent last. */
static int compare_lines(const void* a, const void* b) {
  const Line *one = a, *other = b;
  double first = isnan(one->part) ? -1 : one->part, second = isnan(other->part) ? -1 : other->part;
  return (first < second) - (first > second);
}

static void print_cell(double value, const char* format, int width) {
  char text[40];
  zw_snprintf(text, sizeof text, format, value);
  zw_printf("  %*s", width, isnan(value) ? "-" : text);
}

static void print_lines(const Line* lines, int32_t count) {
  int32_t shown = count < LINES ? count : LINES;
  int width = 10;
  for (int32_t i = 0; i < shown; i++) {
    int size = (int)strlen(lines[i].name);
    if (size > width) width = size < NAME ? size : NAME;
  }
  zw_printf("               %*s  %12s  %14s  %14s\n", width, "", "derivative", "1 % more adds", "of its largest");
  for (int32_t i = 0; i < shown; i++) {
    zw_printf("               %-*s", width, lines[i].name);
    if (isnan(lines[i].derivative))
      zw_printf("  %12s", "nan");
    else
      print_cell(lines[i].derivative, "%.6g", 12);
    print_cell(lines[i].change, "%.4g", 14);
    print_cell(100 * lines[i].part, "%.3g %%", 14);
    zw_printf("\n");
  }
  if (count > shown) zw_printf("               and %d more (--json lists all)\n", (int)(count - shown));
}

void print_sensitivity(const Varied* varied, const ZwModel* model) {
  if (varied->count == 0 || !varied->has_row) return;
  const ZwReport* report = zw_run_report(varied->run);
  int32_t n = zw_model_coordinate_count(model), outputs = zw_model_output_count(model);
  int32_t begin = outputs > 0 ? 1 + 2 * n : 1, each = outputs > 0 ? outputs : n;
  Line* lines = calloc((size_t)(each * varied->count), sizeof *lines);
  if (!lines) return;
  for (int32_t i = 0; i < each * varied->count; i++)
    lines[i] = make_line(varied, i % varied->count, begin + i / varied->count);
  qsort(lines, (size_t)(each * varied->count), sizeof *lines, compare_lines);
  zw_printf("  sensitivity  at t = %.*g; %lld step%s, %lld evaluations", zw_clock_digits(varied->last[0], 9),
            varied->last[0], (long long)report->sensitivity_steps, report->sensitivity_steps == 1 ? "" : "s",
            (long long)report->sensitivity_evaluations);
  if (report->m + report->contacts > 0)
    zw_printf(", off the constraints by %.1e of their size", report->sensitivity_drift);
  zw_printf("\n");
  print_lines(lines, each * varied->count);
  free(lines);
}

/* ---- as JSON ---- */

void json_sensitivity(ZwJson* json, const Varied* varied, const int32_t* columns, int32_t count) {
  const ZwReport* report = zw_run_report(varied->run);
  zw_json_key(json, "sensitivity");
  zw_json_begin_array(json);
  for (int32_t by = 0; by < varied->count && varied->has_row; by++) {
    zw_json_begin_object(json);
    zw_json_key(json, "by");
    zw_json_string(json, report->varied[by].name);
    json_number(json, "value", report->varied[by].value);
    zw_json_key(json, "of");
    zw_json_begin_object(json);
    for (int32_t i = 0; i < count; i++) {
      int32_t of = varied_of(varied, columns[i]);
      bool is_by_it = of > 0 && (columns[i] - varied->first) / varied->each == by;
      if (is_by_it) json_number(json, zw_run_column(varied->run, of), varied->last[columns[i]]);
    }
    zw_json_end_object(json);
    zw_json_end_object(json);
  }
  zw_json_end_array(json);
  if (varied->count == 0) return;
  json_number(json, "sensitivity_drift", report->sensitivity_drift);
  zw_json_key(json, "sensitivity_steps");
  zw_json_integer(json, report->sensitivity_steps);
  zw_json_key(json, "sensitivity_evaluations");
  zw_json_integer(json, report->sensitivity_evaluations);
}
