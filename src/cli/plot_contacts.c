/* zwang plot, of a log of contacts: the picture that the run drew, made again from the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/contact_log.h"
#include "output/contact_picture.h"

typedef struct ContactPlot {
  const Options* options;
  const char *name, *path; /* of the picture */
  char* title;             /* the model's name */
  ZwContactReader reader;
  ZwLanes lanes;
  const char** names;
  int32_t shown; /* contacts */
  double from, to;
} ContactPlot;

static int unreadable(const ContactPlot* plot, ZwStatus status) {
  const ZwCsvReader* csv = &plot->reader.csv;
  ZwDiag diag = plain_error(status == ZW_ERR_IO ? ZW_ERR_ARGUMENT : status, csv->error);
  if (status == ZW_ERR_VALUE) {
    diag.file = plot->options->file;
    diag.line = csv->line < INT32_MAX ? (int32_t)csv->line : INT32_MAX;
    diag.column = csv->column > 0 ? (int32_t)csv->column : 1;
  }
  return complain_diag(plot->options, &diag);
}

static int out_of_memory(const ContactPlot* plot) {
  return complain(plot->options, ZW_ERR_MEMORY, "out of memory");
}

static int read_events(ContactPlot* plot) {
  ZwContactReader* reader = &plot->reader;
  for (bool has_event;;) {
    ZwStatus status = zw_contact_reader_next(reader, &has_event);
    if (status) return unreadable(plot, status);
    if (!has_event) break;
    if (reader->rows == 1) plot->from = reader->event.t;
    plot->to = reader->event.t;
    if (zw_lanes_add(&plot->lanes, &reader->event)) return out_of_memory(plot);
  }
  if (!isnan(reader->end)) plot->to = reader->end;
  if (reader->rows > 0) return EXIT_FINE;
  return complain(plot->options, ZW_ERR_VALUE, "'%s' says nothing of any contact yet", plot->options->file);
}

/* "ball.contacts" -> "ball": the title is that of the run's own picture */
static char* make_title(const char* name) {
  static const char ending[] = ".contacts";
  char* title = join_path(".", name, "");
  size_t size = title ? strlen(title) : 0, end = strlen(ending);
  if (size > end && strcmp(title + size - end, ending) == 0) title[size - end] = 0;
  return title;
}

static void draw_contacts(ZwText* out, const void* picture) {
  zw_contact_picture_text(out, picture);
}

static int draw(ContactPlot* plot) {
  const ZwContactReader* reader = &plot->reader;
  int32_t shown[ZW_LANES_MAX];
  plot->names = calloc((size_t)reader->count, sizeof(char*));
  plot->title = make_title(plot->name);
  if (!plot->names || !plot->title) return out_of_memory(plot);
  for (int32_t i = 0; i < reader->count; i++) plot->names[i] = zw_contact_reader_name(reader, i);
  plot->shown = zw_lanes_order(&plot->lanes, shown);
  ZwContactPicture picture = {plot->title, &plot->lanes, plot->names, plot->from, plot->to, "", plot->options->theme};
  if (reader->csv.is_part)
    picture.footnote = "Unfinished: the run was not at its end.";
  else if (isnan(reader->end))
    picture.footnote = "The file does not say when the run ended.";
  int exit_code = write_picture(plot->options, draw_contacts, &picture, plot->path);
  if (!exit_code && plot->options->open) exit_code = open_picture(plot->options, plot->path);
  return exit_code;
}

/* ---- the answer ---- */

static void say_unfinished(const ContactPlot* plot) {
  const ZwCsvReader* csv = &plot->reader.csv;
  if (!csv->is_part || plot->options->quiet) return;
  zw_fprintf(stderr, "zwang: note: '%s' is of an unfinished run, up to t = %.*g%s\n", plot->options->file,
             zw_clock_digits(plot->to, 9), plot->to, csv->is_torn ? "; its last line is cut short and left out" : "");
}

static void print_answer(const ContactPlot* plot) {
  int64_t rows = plot->reader.rows;
  int32_t count = plot->reader.count;
  zw_printf("%s: %lld event%s, t = %.*g .. %.*g\n", plot->name, (long long)rows, rows == 1 ? "" : "s",
            zw_clock_digits(plot->from, 9), plot->from, zw_clock_digits(plot->to, 9), plot->to);
  zw_printf("  drawn        %d contact%s", (int)plot->shown, plot->shown == 1 ? "" : "s");
  if (plot->shown < count) zw_printf(" (of %d)", (int)count);
  zw_printf("\n  files        %s\n", plot->path);
}

static void print_json_answer(const ContactPlot* plot) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  ZwJson json;
  zw_json_init(&json, &text);
  zw_json_begin_object(&json);
  json_head(&json, status_word(EXIT_FINE));
  zw_json_key(&json, "result");
  zw_json_string(&json, plot->options->file);
  zw_json_key(&json, "unfinished");
  zw_json_bool(&json, plot->reader.csv.is_part);
  zw_json_key(&json, "rows");
  zw_json_integer(&json, plot->reader.rows);
  json_number(&json, "from", plot->from);
  json_number(&json, "to", plot->to);
  zw_json_key(&json, "contacts");
  zw_json_begin_array(&json);
  for (int32_t i = 0; i < plot->reader.count; i++) zw_json_string(&json, plot->names[i]);
  zw_json_end_array(&json);
  zw_json_key(&json, "files");
  zw_json_begin_array(&json);
  zw_json_string(&json, plot->path);
  zw_json_end_array(&json);
  json_diags(&json, NULL, NULL, NULL);
  zw_json_end_object(&json);
  if (arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the summary\n");
  else
    puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
}

static int make_plot(ContactPlot* plot) {
  const Options* options = plot->options;
  ZwAllocator allocator = zw_allocator_default();
  if (options->column_count > 0 || options->against) {
    return complain(options, ZW_ERR_ARGUMENT,
                    "'%s' is a log of contacts: all of them are drawn over time; leave out --columns and --against",
                    options->file);
  }
  if (options->together || options->log_across || options->log_up || options->sketch) {
    return complain(options, ZW_ERR_ARGUMENT,
                    "'%s' is a log of contacts: --together, --log and --sketch are for tables", options->file);
  }
  ZwStatus status = zw_contact_reader_open(&plot->reader, &allocator, options->file, NULL, 0);
  if (status) return unreadable(plot, status);
  int exit_code = read_events(plot);
  if (!exit_code) exit_code = draw(plot);
  if (exit_code) return exit_code;
  say_unfinished(plot);
  if (options->json)
    print_json_answer(plot);
  else if (!options->quiet)
    print_answer(plot);
  return EXIT_FINE;
}

int plot_contacts(const Options* options, const char* name, const char* path) {
  ContactPlot plot = {.options = options, .name = name, .path = path, .lanes = {.allocator = zw_allocator_default()}};
  int exit_code = make_plot(&plot);
  free(plot.names);
  free(plot.title);
  zw_lanes_free(&plot.lanes);
  zw_contact_reader_close(&plot.reader);
  return exit_code;
}
