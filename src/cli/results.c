/* The files of a run: <model>.csv, growing in a .part, with a checkpoint <model>.resume beside it, and <model>.svg at its
 * end; of a model with contacts also <model>.contacts.csv, which grows in the same way, and <model>.contacts.svg. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/places.h"
#include "output/csv.h"
#include "output/csv_reader.h"
#include "output/hdf5.h"

static const double CHECKPOINT_PAUSE = 2; /* s between checkpoints, unless the user says another */
enum { CHECKPOINT_SHARE = 50 };           /* or so many times what the last one took, if that is longer */

struct Results {
  const Options* options;
  const ZwModel* model;
  ZwRun* run;
  char* name; /* of the model */
  RunPlaces places;
  char* description;   /* of the run, for checkpoints */
  void* state;         /* of the last one */
  size_t state_room;   /* bytes */
  double last, pause;  /* s; when it was made, and how long until the next */
  double begun;        /* s; when this part of the run began, */
  double before;       /* after so many seconds of earlier parts, */
  double resumed_at;   /* at this time; NaN: it is the first part */
  double to;           /* the end of the run */
  bool has_checkpoint; /* a valid one is there */
  ZwCsv csv;
  Contacts* contacts; /* NULL: the model has none */
  int32_t* columns;   /* of a row that are recorded */
  int32_t column_count;
  double* row;
  RunPlot* plot;
  Varied* varied;
  bool has_all, has_csv, has_h5;
  char event[ZW_CSV_TEXT + 1]; /* of the next rows; "" */
  char error[ZW_DRAFT_ERROR];
};

bool is_folder_fine(const Options* options, const char* folder) {
  struct stat info;
  if (stat(folder, &info) != 0) {
    complain(options, ZW_ERR_ARGUMENT, "the output folder '%s' cannot be used: %s", folder, strerror(errno));
  } else if (!S_ISDIR(info.st_mode)) {
    complain(options, ZW_ERR_ARGUMENT, "'%s' is not a folder", folder);
  } else if (access(folder, W_OK) != 0) {
    complain(options, ZW_ERR_ARGUMENT, "the output folder '%s' is not writable", folder);
  } else {
    return true;
  }
  return false;
}

bool is_out_fine(const Options* options) {
  return is_folder_fine(options, options->out);
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

/* Of a large model that is not recorded as a whole, states only if they are plotted, and derivatives of none. */
static bool is_wanted(const Results* results, int32_t column) {
  int32_t states = 2 * zw_model_coordinate_count(results->model), of = varied_of(results->varied, column);
  if (of >= 1 && of <= states) return results->has_all;
  if (of == 0 && column >= 1 && column <= states) return results->has_all || is_plotted(results->model, column);
  return !is_recorded(results, column);
}

/* All columns of a small model; time, outputs and what is plotted of a large one. */
static bool choose_columns(Results* results, bool record_all) {
  int32_t count = zw_run_column_count(results->run), n = zw_model_coordinate_count(results->model);
  results->has_all = record_all || n <= RECORD_ALL_UP_TO;
  results->columns = calloc((size_t)count, sizeof(int32_t));
  results->row = calloc((size_t)count, sizeof(double));
  if (!results->columns || !results->row) return false;
  for (int32_t i = 0; i < count; i++) {
    if (is_wanted(results, i)) results->columns[results->column_count++] = i;
  }
  return true;
}

static bool has_events(const Results* results) {
  return zw_model_event_count(results->model) > 0;
}

/* Now that the journal is locked: the rows are those that the checkpoint was made from, and it is still the one that was read. */
static ZwStatus check_rows(Results* results, const Checkpoint* from, const char** why) {
  Checkpoint now;
  bool is_there = checkpoint_read(results->places.resume, &now) == CHECKPOINT_READ;
  bool is_same = is_there && now.bytes == from->bytes && now.sum == from->sum && now.state_size == from->state_size &&
                 memcmp(now.state, from->state, from->state_size) == 0;
  checkpoint_free(&now);
  *why = results->error;
  if (is_same && zw_sum_get(&results->csv.draft.sum) == from->sum) return ZW_OK;
  zw_snprintf(results->error, sizeof results->error, "\"%.300s\" %s", results->csv.draft.part,
              is_same ? "has other rows than when its checkpoint was made: it was changed or damaged"
                      : "is being gone on with by another process");
  (void)zw_csv_abandon(&results->csv);
  return ZW_ERR_VALUE;
}

/* A journal anew, or an old one behind what the checkpoint knows of; without one, from its first row on. */
static ZwStatus open_rows(Results* results, const char* const* names, const Checkpoint* from, const char** why) {
  ZwAllocator allocator = zw_allocator_default();
  if (!from && results->options->resume &&
      zw_csv_reopen(&results->csv, &allocator, results->places.csv, names, results->column_count, has_events(results),
                    0, NULL) == ZW_OK) {
    return ZW_OK;
  }
  if (from) {
    ZW_TRY(zw_csv_reopen(&results->csv, &allocator, results->places.csv, names, results->column_count,
                         has_events(results), from->bytes, why));
    return check_rows(results, from, why);
  }
  ZwCsvColumns columns = {names, results->column_count, has_events(results), ZW_CSV_TEXT, results->places.resume};
  return zw_csv_open_fields(&results->csv, &allocator, results->places.csv, &columns, why);
}

static bool open_csv(const Options* options, Results* results, const Checkpoint* from, int* exit_code) {
  const char** names = calloc((size_t)results->column_count + 1, sizeof(char*));
  const char* why = NULL;
  ZwStatus status = ZW_ERR_MEMORY;
  if (names) {
    for (int32_t i = 0; i < results->column_count; i++) {
      names[i] = zw_run_column(results->run, results->columns[i]);
    }
    names[results->column_count] = "event";
    status = open_rows(results, names, from, &why);
  }
  free(names);
  if (status) *exit_code = complain(options, status, "%s", why ? why : zw_status_text(status));
  return status == ZW_OK;
}

/* A table or a model must not be lost to the results of the run that reads it, */
static int check_unread(const Options* options, const char* path) {
  static const char* const endings[] = {"", ".part"};
  int exit_code = EXIT_FINE;
  for (int i = 0; i < 2 && !exit_code; i++) {
    char* place = join_path(".", path, endings[i]);
    if (!place)
      exit_code = complain(options, ZW_ERR_MEMORY, "out of memory");
    else if (was_read(options, place))
      exit_code =
          complain(options, ZW_ERR_ARGUMENT, "the run would overwrite '%s', which the model reads; choose another %s",
                   place, options->output ? "file with -o" : "folder with --out DIR");
    free(place);
  }
  return exit_code;
}

/* The columns of a large model without states are in each of its tables, whatever else is recorded. NULL: no memory. */
static const char** name_own(const Results* results, int32_t* count) {
  int32_t states = 2 * zw_model_coordinate_count(results->model), all = zw_model_column_count(results->model);
  const char** names = calloc((size_t)results->column_count + 1, sizeof(char*));
  *count = 0;
  for (int32_t i = 0; names && i < results->column_count; i++) {
    int32_t column = results->columns[i];
    bool is_state = column >= 1 && column <= states;
    if (column >= all || (is_state && !is_plotted(results->model, column))) continue;
    names[(*count)++] = zw_run_column(results->run, column);
  }
  return names;
}

static int check_places(const Options* options, const Results* results, const ColumnNames* own, bool goes_on) {
  const Contacts* contacts = results->contacts;
  bool is_large = zw_model_coordinate_count(results->model) > RECORD_ALL_UP_TO;
  FilePlace rows = {results->places.csv, KIND_ROWS, is_large ? own : NULL, !options->wants_csv, goes_on};
  FilePlace log = {contacts ? contacts_csv(contacts) : NULL, KIND_CONTACTS, NULL, !options->wants_csv, goes_on};
  const FilePlace places[] = {rows,
                              {.path = results->places.svg, .kind = KIND_PICTURE},
                              {.path = results->places.resume, .kind = KIND_CHECKPOINT},
                              {.path = results->places.h5, .kind = KIND_HDF5},
                              log,
                              {.path = contacts ? contacts_svg(contacts) : NULL, .kind = KIND_PICTURE}};
  for (int i = 0; i < (contacts ? 6 : 4); i++) {
    int exit_code = check_unread(options, places[i].path);
    bool is_written = places[i].kind != KIND_HDF5 || options->wants_h5;
    if (!exit_code && is_written) exit_code = check_file_place(options, &places[i]);
    if (exit_code) return exit_code;
  }
  return EXIT_FINE;
}

/* nor anything that is no result. */
static bool overwrites_nothing(const Options* options, const Results* results, bool goes_on, int* exit_code) {
  ColumnNames own;
  const char** names = name_own(results, &own.count);
  own.names = names;
  *exit_code =
      names ? check_places(options, results, &own, goes_on) : complain(options, ZW_ERR_MEMORY, "out of memory");
  free(names);
  return *exit_code == EXIT_FINE;
}

/* ---- going on ---- */

/* The curves of the rows that are there. */
static ZwStatus draw_again(Results* results, ZwCsvReader* reader, int64_t rows) {
  double* values = calloc((size_t)zw_run_column_count(results->run), sizeof(double));
  ZwStatus status = values ? ZW_OK : ZW_ERR_MEMORY;
  if (!status && reader->count != results->column_count) status = ZW_ERR_VALUE;
  for (int64_t row = 0; !status && row < rows; row++) {
    bool has_row;
    status = zw_csv_reader_next(reader, &has_row);
    if (!status && !has_row) status = ZW_ERR_VALUE;
    if (status) break;
    for (int32_t i = 0; i < results->column_count; i++) values[results->columns[i]] = reader->values[i];
    run_plot_row(results->plot, values, reader->text);
    varied_row(results->varied, values);
  }
  free(values);
  return status;
}

static bool read_rows(const Options* options, Results* results, int64_t rows, int* exit_code) {
  ZwAllocator allocator = zw_allocator_default();
  ZwCsvReader reader;
  ZwStatus status = zw_csv_reader_open(&reader, &allocator, results->csv.draft.part);
  if (!status) status = draw_again(results, &reader, rows);
  if (status) {
    *exit_code = complain(options, status, "'%s' cannot be gone on with: line %lld: %s", results->csv.draft.part,
                          (long long)reader.line, reader.error[0] ? reader.error : "rows are missing");
  }
  zw_csv_reader_close(&reader);
  return status == ZW_OK;
}

/* The run takes over where the checkpoint was made, if it is the same run. */
static bool take_over(const Options* options, Results* results, const Checkpoint* from, int* exit_code) {
  char difference[ZW_DRAFT_ERROR];
  const ZwReport* report = zw_run_report(results->run);
  if (!is_same_run(from->description, results->description, difference)) {
    ZwDiag diag = plain_error(ZW_ERR_ARGUMENT, "");
    char text[2 * ZW_DRAFT_ERROR];
    zw_snprintf(text, sizeof text, "'%s' is of another run: %s", results->places.resume, difference);
    diag.text = text;
    diag.remedy = "give the model and the options of the run that was ended, or begin again without --resume";
    *exit_code = complain_diag(options, &diag);
    return false;
  }
  if (report->to < from->t) {
    *exit_code = complain(options, ZW_ERR_ARGUMENT, "the run is at t = %.*g already, behind its end --to %.*g",
                          zw_clock_digits(from->t, 9), from->t, zw_clock_digits(report->to, 9), report->to);
    return false;
  }
  ZwStatus status = zw_run_restore(results->run, from->state, from->state_size);
  if (status) {
    *exit_code = complain(options, status, "the checkpoint '%s' does not fit this run; begin again without --resume",
                          results->places.resume);
    return false;
  }
  results->resumed_at = from->t;
  results->before = from->seconds;
  results->has_checkpoint = true;
  return true;
}

/* The log of contacts, when the rows are open; a table that was begun for nothing does not stay. */
static bool open_contacts(const Options* options, Results* results, const Checkpoint* from, int* exit_code) {
  char error[ZW_DRAFT_ERROR];
  if (!results->contacts) return true;
  ZwStatus status = contacts_open(results->contacts, from, options->resume, error);
  if (!status) return true;
  if (!options->resume) zw_csv_discard(&results->csv);
  *exit_code = complain(options, status, "%s", error);
  return false;
}

/* ---- opening ---- */

static bool prepare(const Options* options, Results* results) {
  char recorded[256];
  results->name = model_name(options->file);
  if (!results->name) return false;
  if (zw_model_contact_count(results->model) > 0) {
    results->contacts = contacts_create(results->model, results->places.folder, results->places.name, results->name);
    if (!results->contacts) return false;
  }
  results->varied = varied_create(results->run, options->evidence);
  if (!results->varied || !choose_columns(results, options->record_all)) return false;
  results->plot = run_plot_create(results->model, results->has_all);
  if (!results->plot) return false;
  zw_snprintf(recorded, sizeof recorded, "%d columns%s%s%s%s", (int)results->column_count,
              options->forces ? " with forces" : "", options->evidence ? " with evidence" : "",
              options->eliminate ? ", eliminating " : "", options->eliminate ? options->eliminate : "");
  results->description = describe_run(results->model, results->run, recorded);
  return results->description != NULL;
}

/* Better now than at the end of a long run. */
static bool can_write_format(const Options* options) {
  char about[ZW_HDF5_ABOUT];
  if (!options->wants_h5 || zw_hdf5_is_there(about)) return true;
  ZwDiag diag = plain_error(ZW_ERR_UNSUPPORTED, about);
  diag.remedy = "without --format h5 the result is a table, <model>.csv; --forces and --evidence add the rest";
  complain_diag(options, &diag);
  return false;
}

Results* results_open(const Options* options, const ZwModel* model, ZwRun* run, const Checkpoint* from,
                      int* exit_code) {
  RunPlaces places;
  *exit_code = places_find(options, &places);
  if (!*exit_code && (!places_are_fine(options, &places) || !can_write_format(options))) *exit_code = EXIT_WRONG;
  Results* results = *exit_code ? NULL : calloc(1, sizeof *results);
  if (!results) places_free(&places);
  if (*exit_code) return NULL;
  bool is_fine = results != NULL;
  if (is_fine) {
    *results = (Results){.options = options, .model = model, .run = run, .places = places, .resumed_at = NAN};
    results->to = zw_run_report(run)->to;
    results->begun = results->last = seconds_now();
    results->pause = isnan(options->checkpoint) ? CHECKPOINT_PAUSE : options->checkpoint;
    is_fine = prepare(options, results);
  }
  if (!is_fine) {
    *exit_code = complain(options, ZW_ERR_MEMORY, "out of memory");
  } else if (overwrites_nothing(options, results, from != NULL, exit_code) &&
             (!from || take_over(options, results, from, exit_code)) && open_csv(options, results, from, exit_code) &&
             (!from || read_rows(options, results, from->rows, exit_code)) &&
             open_contacts(options, results, from, exit_code)) {
    return results;
  }
  results_close(results);
  return NULL;
}

ZwStatus results_row(Results* results, const double* values) {
  for (int32_t i = 0; i < results->column_count; i++) results->row[i] = values[results->columns[i]];
  run_plot_row(results->plot, values, results->event);
  varied_row(results->varied, values);
  if (results->contacts) ZW_TRY(contacts_status(results->contacts));
  return zw_csv_row_text(&results->csv, results->row, results->event);
}

void results_contact(Results* results, const ZwContactEvent* event) {
  contacts_take(results->contacts, event);
}

void results_event(Results* results, const char* name) {
  zw_snprintf(results->event, sizeof results->event, "%s", name);
  zw_str_end_whole(results->event);
}

/* ---- checkpoints ---- */

static bool save_state(Results* results) {
  size_t size = zw_run_state_size(results->run);
  if (size == 0) return false; /* such a run can only begin anew */
  if (size > results->state_room) {
    void* larger = realloc(results->state, size);
    if (!larger) return false;
    results->state = larger;
    results->state_room = size;
  }
  zw_run_save(results->run, results->state);
  return true;
}

/* Rows first, then what says how many of them count. A failure is no reason to end a run: the checkpoint before stays. */
static void make_checkpoint(Results* results, double t) {
  const ZwReport* report = zw_run_report(results->run);
  double now = seconds_now();
  int64_t bytes, contact_rows = 0, contact_bytes = 0;
  char error[ZW_DRAFT_ERROR];
  if (zw_csv_sync(&results->csv, &bytes) || !save_state(results)) return;
  if (results->contacts && !contacts_sync(results->contacts, &contact_rows, &contact_bytes)) return;
  Checkpoint checkpoint = {.description = results->description,
                           .rows = report->rows,
                           .bytes = bytes,
                           .sum = zw_sum_get(&results->csv.draft.sum),
                           .contact_rows = contact_rows,
                           .contact_bytes = contact_bytes,
                           .contact_sum = results->contacts ? contacts_sum(results->contacts) : 0,
                           .t = t,
                           .to = report->to,
                           .every = report->every,
                           .seconds = results->before + now - results->begun,
                           .state = results->state,
                           .state_size = zw_run_state_size(results->run)};
  if (checkpoint_write(results->places.resume, &checkpoint, error)) results->has_checkpoint = true;
  results->last = seconds_now();
  if (isnan(results->options->checkpoint)) {
    results->pause = fmax(CHECKPOINT_PAUSE, CHECKPOINT_SHARE * (results->last - now));
  }
}

void results_poll(Results* results, double t, bool is_last) {
  (void)zw_csv_poll(&results->csv); /* a failure is sticky: the next row tells */
  if (results->contacts) contacts_poll(results->contacts);
  /* a run that is at its end needs none; a device or a pipe cannot be gone on with */
  bool is_direct = results->csv.draft.is_direct || (results->contacts && contacts_is_direct(results->contacts));
  bool is_possible = !is_direct && t < results->to;
  if (is_possible && (is_last || seconds_now() - results->last >= results->pause)) make_checkpoint(results, t);
}

/* ---- the ends ---- */

static bool write_svg(Results* results) {
  const ZwSvgPlot* plot = results_plot(results);
  if (!plot) {
    free(results->places.svg);
    results->places.svg = NULL;
    return true;
  }
  ZwAllocator allocator = zw_allocator_default();
  return zw_svg_plot(plot, &allocator, results->places.svg, results->error) == ZW_OK;
}

/* From the journals, while they are still there. */
static bool finish_h5(Results* results) {
  int64_t size, rows;
  if (!results->options->wants_h5) return true;
  if (zw_csv_sync(&results->csv, &size)) return false;
  if (results->contacts && !contacts_sync(results->contacts, &rows, &size)) return false;
  results->has_h5 =
      write_hdf5(results->options, results->model, results->run, results->places.h5, results->csv.draft.part,
                 results->columns, results->column_count, results->varied, results->contacts, results->error);
  return results->has_h5;
}

/* The journals become tables, the log of contacts first: as long as there is a .part of the rows, the run is not at its end.
 * Or they have served their purpose. */
static bool finish_journals(Results* results) {
  Contacts* contacts = results->contacts;
  if (!results->options->wants_csv) {
    zw_csv_discard(&results->csv);
    if (contacts) contacts_discard(contacts);
    return true;
  }
  if (contacts && !contacts_finish(contacts)) return false;
  results->has_csv = zw_csv_finish(&results->csv) == ZW_OK;
  return results->has_csv;
}

static bool draw_contacts(Results* results) {
  const ZwReport* report = zw_run_report(results->run);
  return !results->contacts || contacts_draw(results->contacts, report->from, report->t, results->options->theme);
}

bool results_finish(Results* results) {
  bool is_logged = !results->contacts || contacts_end(results->contacts, zw_run_report(results->run)->t);
  if (!is_logged || !finish_h5(results) || !finish_journals(results)) return false;
  results->has_checkpoint = false;
  bool has_svg = write_svg(results) && draw_contacts(results);
  remove_kind(results->places.resume, KIND_CHECKPOINT); /* nothing is left to do */
  return has_svg;
}

void results_abandon(Results* results) {
  (void)zw_csv_abandon(&results->csv);
  if (results->contacts) contacts_abandon(results->contacts);
}

void results_close(Results* results) {
  if (!results) return;
  (void)zw_csv_abandon(&results->csv); /* does nothing when it was finished */
  contacts_free(results->contacts);
  run_plot_free(results->plot);
  varied_free(results->varied);
  free(results->columns);
  free(results->row);
  free(results->name);
  places_free(&results->places);
  free(results->description);
  free(results->state);
  free(results);
}

const char* results_csv(const Results* results) {
  return results->places.csv;
}

const char* results_svg(const Results* results) {
  return results->places.svg;
}

const char* results_h5(const Results* results) {
  return results->has_h5 ? results->places.h5 : NULL;
}

const char* results_error(const Results* results) {
  if (results->error[0]) return results->error;
  return results->csv.error[0] || !results->contacts ? results->csv.error : contacts_error(results->contacts);
}

const Contacts* results_contacts(const Results* results) {
  return results->contacts;
}

const ZwSvgPlot* results_plot(const Results* results) {
  return run_plot_get(results->plot, results->options, results->name, results->places.name, results->contacts);
}

const Varied* results_varied(const Results* results) {
  return results->varied;
}

const int32_t* results_columns(const Results* results, int32_t* count) {
  *count = results->column_count;
  return results->columns;
}

bool results_has_all(const Results* results) {
  return results->has_all;
}

bool results_has_csv(const Results* results) {
  return results->has_csv;
}

bool results_has_checkpoint(const Results* results) {
  return results->has_checkpoint;
}

double results_resumed_at(const Results* results) {
  return results->resumed_at;
}

double results_seconds_before(const Results* results) {
  return results->before;
}
