/* The files of a run: <model>.csv, growing in a .part, and <model>.svg at its end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/csv.h"
#include "output/series.h"
#include "output/svg.h"

enum { RECORD_ALL_UP_TO = 200 }; /* coordinates; larger models record their outputs only, unless --record all */

struct Results {
  const ZwModel* model;
  const ZwRun* run;
  char *name, *csv_path, *svg_path;
  ZwCsv csv;
  int32_t* columns; /* of a row that are recorded */
  int32_t column_count;
  double* row;
  int32_t panels[ZW_SVG_PANELS]; /* columns that are drawn */
  ZwSeries* series[ZW_SVG_PANELS];
  int32_t panel_count, panel_wanted;
  bool has_all, has_csv;
  char event[ZW_CSV_TEXT + 1]; /* of the next rows; "" */
  char error[ZW_DRAFT_ERROR];
};

static bool is_folder(const Options* options) {
  struct stat info;
  if (stat(options->out, &info) != 0) {
    complain(options, ZW_ERR_ARGUMENT, "the output folder '%s' cannot be used: %s", options->out, strerror(errno));
  } else if (!S_ISDIR(info.st_mode)) {
    complain(options, ZW_ERR_ARGUMENT, "'%s' is not a folder", options->out);
  } else if (access(options->out, W_OK) != 0) {
    complain(options, ZW_ERR_ARGUMENT, "the output folder '%s' is not writable", options->out);
  } else {
    return true;
  }
  return false;
}

/* `output x` of a coordinate that is recorded anyway gives no second column. */
static bool is_recorded(const Results* results, int32_t column) {
  for (int32_t k = 0; k < results->column_count; k++) {
    if (strcmp(zw_run_column(results->run, results->columns[k]), zw_run_column(results->run, column)) == 0) {
      return true;
    }
  }
  return false;
}

/* All columns of a small model; time and outputs of a large one. */
static bool choose_columns(Results* results, bool record_all) {
  int32_t count = zw_run_column_count(results->run), n = zw_model_coordinate_count(results->model);
  results->has_all = record_all || n <= RECORD_ALL_UP_TO;
  results->columns = calloc((size_t)count, sizeof(int32_t));
  results->row = calloc((size_t)count, sizeof(double));
  if (!results->columns || !results->row) return false;
  for (int32_t i = 0; i < count; i++) {
    bool is_state = i >= 1 && i <= 2 * n;
    if (is_state ? results->has_all : !is_recorded(results, i)) results->columns[results->column_count++] = i;
  }
  return true;
}

/* One panel per coordinate and output; when there are too many, outputs come first: the user asked for them. */
static bool choose_panels(Results* results) {
  int32_t n = zw_model_coordinate_count(results->model), outputs = zw_model_output_count(results->model);
  int32_t coords = results->has_all ? n : 0;
  results->panel_wanted = coords + outputs;
  bool is_crowded = results->panel_wanted > ZW_SVG_PANELS;
  for (int32_t i = 0; i < results->panel_wanted && results->panel_count < ZW_SVG_PANELS; i++) {
    int32_t k = is_crowded ? (i < outputs ? coords + i : i - outputs) : i; /* coordinates, then outputs */
    results->panels[results->panel_count++] = k < coords ? 1 + k : 1 + 2 * n + (k - coords);
  }
  for (int32_t i = 0; i < results->panel_count; i++) {
    void* memory = malloc(zw_series_size(ZW_SERIES_BUCKETS));
    if (!memory) return false;
    results->series[i] = zw_series_init(memory, ZW_SERIES_BUCKETS);
  }
  return true;
}

static bool open_csv(const Options* options, Results* results, int* exit_code) {
  const char** names = calloc((size_t)results->column_count + 1, sizeof(char*));
  const char* why = NULL;
  ZwAllocator allocator = zw_allocator_default();
  ZwStatus status = ZW_ERR_MEMORY;
  if (names) {
    for (int32_t i = 0; i < results->column_count; i++) {
      names[i] = zw_run_column(results->run, results->columns[i]);
    }
    names[results->column_count] = "event";
    bool has_events = zw_model_event_count(results->model) > 0;
    status = (has_events ? zw_csv_open_text : zw_csv_open)(&results->csv, &allocator, results->csv_path, names,
                                                           results->column_count, &why);
  }
  free(names);
  if (status) *exit_code = complain(options, status, "%s", why ? why : zw_status_text(status));
  return status == ZW_OK;
}

/* A table or a model must not be lost to the results of the run that reads it. */
static bool overwrites_nothing(const Options* options, const Results* results) {
  const char* paths[] = {results->csv_path, results->svg_path};
  static const char* const endings[] = {"", ".part"};
  for (int i = 0; i < 4; i++) {
    char* path = join_path(".", paths[i / 2], endings[i % 2]);
    bool is_lost = path && was_read(options, path);
    if (is_lost) {
      complain(options, ZW_ERR_ARGUMENT,
               "the run would overwrite '%s', which the model reads; choose another folder with --out DIR", path);
    }
    free(path);
    if (is_lost || !path) return false;
  }
  return true;
}

Results* results_open(const Options* options, const ZwModel* model, const ZwRun* run, int* exit_code) {
  *exit_code = EXIT_WRONG;
  if (!is_folder(options)) return NULL;
  Results* results = calloc(1, sizeof *results);
  bool is_fine = results != NULL;
  if (is_fine) {
    results->model = model;
    results->run = run;
    results->name = model_name(options->file);
    results->csv_path = results->name ? join_path(options->out, results->name, ".csv") : NULL;
    results->svg_path = results->name ? join_path(options->out, results->name, ".svg") : NULL;
    is_fine = results->csv_path && results->svg_path && choose_columns(results, options->record_all) &&
              choose_panels(results);
  }
  if (!is_fine) {
    *exit_code = complain(options, ZW_ERR_MEMORY, "out of memory");
  } else if (overwrites_nothing(options, results) && open_csv(options, results, exit_code)) {
    return results;
  }
  results_close(results);
  return NULL;
}

ZwStatus results_row(Results* results, const double* values) {
  for (int32_t i = 0; i < results->column_count; i++) results->row[i] = values[results->columns[i]];
  for (int32_t i = 0; i < results->panel_count; i++) {
    zw_series_add(results->series[i], values[0], values[results->panels[i]]);
  }
  return zw_csv_row_text(&results->csv, results->row, results->event);
}

void results_event(Results* results, const char* name) {
  snprintf(results->event, sizeof results->event, "%s", name);
  zw_str_end_whole(results->event);
}

void results_poll(Results* results) {
  (void)zw_csv_poll(&results->csv); /* a failure is sticky: the next row tells */
}

static bool write_svg(Results* results) {
  ZwSvgCurve curves[ZW_SVG_PANELS];
  ZwSvgPanel panels[ZW_SVG_PANELS];
  char footnote[128] = "";
  if (results->panel_count == 0) {
    free(results->svg_path);
    results->svg_path = NULL;
    return true;
  }
  for (int32_t i = 0; i < results->panel_count; i++) {
    curves[i] = (ZwSvgCurve){results->series[i]};
    panels[i] = (ZwSvgPanel){zw_model_column(results->model, results->panels[i]), &curves[i], 1};
  }
  if (results->panel_wanted > results->panel_count) {
    snprintf(footnote, sizeof footnote, "%d more are in %s.csv", (int)(results->panel_wanted - results->panel_count),
             results->name);
  }
  ZwSvgPlot plot = {results->name, panels, results->panel_count, footnote, "t"};
  ZwAllocator allocator = zw_allocator_default();
  return zw_svg_plot(&plot, &allocator, results->svg_path, results->error) == ZW_OK;
}

bool results_finish(Results* results) {
  if (zw_csv_finish(&results->csv)) {
    snprintf(results->error, sizeof results->error, "%s", results->csv.error);
    return false;
  }
  results->has_csv = true;
  return write_svg(results);
}

void results_abandon(Results* results) {
  (void)zw_csv_abandon(&results->csv);
}

void results_close(Results* results) {
  if (!results) return;
  (void)zw_csv_abandon(&results->csv); /* does nothing when it was finished */
  for (int32_t i = 0; i < results->panel_count; i++) free(results->series[i]);
  free(results->columns);
  free(results->row);
  free(results->name);
  free(results->csv_path);
  free(results->svg_path);
  free(results);
}

const char* results_csv(const Results* results) {
  return results->csv_path;
}

const char* results_svg(const Results* results) {
  return results->svg_path;
}

const char* results_error(const Results* results) {
  return results->error[0] ? results->error : results->csv.error;
}

bool results_has_all(const Results* results) {
  return results->has_all;
}

bool results_has_csv(const Results* results) {
  return results->has_csv;
}
