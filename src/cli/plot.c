/* zwang plot: a picture of a stored result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/chart.h"
#include "output/contact_log.h"
#include "output/stored.h"

enum { FOOTNOTE = 320 };

typedef struct Plot {
  const Options* options;
  ZwArena arena;
  ZwStored stored;
  char *name, *path; /* of the picture */
  PlotColumns what;
  const char* names[ZW_SVG_CURVES]; /* of its columns */
  ZwPlot panels[ZW_SVG_PANELS];
  ZwChart* chart;
  StoredContacts contacts;
  int64_t rows;
  double from, to;
} Plot;

static int out_of_memory(const Plot* plot) {
  return complain(plot->options, ZW_ERR_MEMORY, "out of memory");
}

/* ---- rows ---- */

static int unreadable(const Plot* plot, ZwStatus status) {
  const ZwStored* stored = &plot->stored;
  if (status == ZW_ERR_IO) status = ZW_ERR_ARGUMENT; /* the wrong file was named */
  ZwDiag diag = plain_error(status, stored->error);
  if (stored->line > 0 && status == ZW_ERR_VALUE) {
    diag.file = plot->options->file;
    diag.line = stored->line < INT32_MAX ? (int32_t)stored->line : INT32_MAX;
    diag.column = stored->column > 0 ? (int32_t)stored->column : 1;
  }
  return complain_diag(plot->options, &diag);
}

/* P.x and P.y, or P.x' and P.y': both axes then measure the same. */
static bool are_components(const char* a, const char* b) {
  const char *dot_a = strrchr(a, '.'), *dot_b = strrchr(b, '.');
  if (!dot_a || !dot_b || dot_a - a != dot_b - b || strncmp(a, b, (size_t)(dot_a - a)) != 0) return false;
  bool are_letters = dot_a[1] && dot_b[1] && strchr("xyz", dot_a[1]) && strchr("xyz", dot_b[1]);
  return are_letters && strcmp(dot_a + 2, dot_b + 2) == 0 && dot_a[2 + strspn(dot_a + 2, "'")] == 0;
}

static bool make_chart(Plot* plot) {
  const Options* options = plot->options;
  const char* across = plot->stored.names[plot->what.across];
  ZwAllocator allocator = zw_allocator_default();
  int32_t panels = options->together ? 1 : plot->what.count;
  for (int32_t i = 0; i < plot->what.count; i++) plot->names[i] = plot->stored.names[plot->what.columns[i]];
  for (int32_t i = 0; i < panels; i++) {
    ZwPlot* panel = &plot->panels[i];
    *panel = (ZwPlot){.columns = &plot->what.columns[i],
                      .names = &plot->names[i],
                      .count = options->together ? plot->what.count : 1,
                      .against = plot->what.across,
                      .against_name = across,
                      .is_equal = true};
    for (int32_t k = 0; k < panel->count; k++) {
      panel->is_equal = panel->is_equal && (options->equal || are_components(panel->names[k], across));
    }
  }
  plot->chart = zw_chart_create(&allocator, plot->panels, panels, options->log_across, options->log_up);
  return plot->chart != NULL;
}

/* An event is two rows with the same t: the line goes straight up or down from the one to the other. */
static int read_rows(Plot* plot) {
  const ZwStored* stored = &plot->stored;
  for (bool has_row;;) {
    ZwStatus status = zw_stored_next(&plot->stored, &has_row);
    if (status) return unreadable(plot, status);
    if (!has_row) return EXIT_FINE;
    zw_chart_row(plot->chart, stored->values, stored->event);
    if (plot->rows++ == 0) plot->from = stored->values[0];
    plot->to = stored->values[0];
  }
}

/* ---- the picture ---- */

/* pendulum.csv, pendulum.csv.part, pendulum.h5 -> pendulum */
static char* result_name(const char* file) {
  static const char* const endings[] = {".part", ".csv", ".h5"};
  const char* slash = strrchr(file, '/');
  const char* base = slash ? slash + 1 : file;
  char* name = calloc(strlen(base) + 1, 1);
  if (name) memcpy(name, base, strlen(base));
  for (int i = 0; name && i < 3; i++) {
    size_t size = strlen(name), end = strlen(endings[i]);
    if (size > end && strcmp(name + size - end, endings[i]) == 0) name[size - end] = 0;
  }
  return name;
}

/* The picture of the run itself, NAME.svg, is not written over unless asked for. */
static int name_picture(Plot* plot) {
  const Options* options = plot->options;
  plot->name = result_name(options->file);
  if (plot->name) {
    plot->path =
        options->output ? join_path(".", options->output, "") : join_path(options->out, plot->name, ".plot.svg");
  }
  if (!plot->path) return out_of_memory(plot);
  if (was_read(options, plot->path)) {
    return complain(options, ZW_ERR_ARGUMENT, "the picture '%s' would overwrite the result it is made from",
                    plot->path);
  }
  return check_kind(options, plot->path, KIND_PICTURE);
}

/* What is left out. */
static void write_footnote(const Plot* plot, char text[FOOTNOTE]) {
  int64_t lost = zw_chart_points_lost(plot->chart);
  int used = 0;
  text[0] = 0;
  if (plot->what.wanted > plot->what.count) {
    used +=
        zw_snprintf(text, FOOTNOTE, "%d more columns are in the file. ", (int)(plot->what.wanted - plot->what.count));
  }
  if (lost > 0) {
    used += zw_snprintf(text + used, FOOTNOTE - (size_t)used,
                        "%lld point%s not positive and not on the logarithmic scale. ", (long long)lost,
                        lost == 1 ? " is" : "s are");
  }
  if (plot->stored.is_part)
    zw_snprintf(text + used, FOOTNOTE - (size_t)used, "Unfinished: the run was not at its end.");
}

static void draw_plot(ZwText* out, const void* picture) {
  zw_svg_text(out, picture);
}

/* A sketch takes the place of a file that was not asked for. */
static bool wants_file(const Options* options) {
  return !options->sketch || options->output || options->has_out || options->open;
}

static int draw(Plot* plot, char footnote[FOOTNOTE]) {
  write_footnote(plot, footnote);
  ZwSvgPlot* picture = zw_chart_plot(plot->chart);
  picture->title = plot->name;
  picture->footnote = footnote;
  picture->time = plot->stored.names[0];
  picture->theme = plot->options->theme;
  ZwStatus status = stored_contacts_read(&plot->contacts, &plot->stored, plot->options->file, plot->to);
  if (status == ZW_ERR_MEMORY) return out_of_memory(plot);
  if (status) return unreadable(plot, status);
  if (plot->contacts.count > 0)
    picture->shades = (ZwShades){.lanes = &plot->contacts.lanes, .names = plot->contacts.names};
  if (!wants_file(plot->options)) return EXIT_FINE;
  int exit_code = write_picture(plot->options, draw_plot, picture, plot->path);
  if (!exit_code && plot->options->open) exit_code = open_picture(plot->options, plot->path);
  return exit_code;
}

/* ---- the answer ---- */

static void say_unfinished(const Plot* plot) {
  if (!plot->stored.is_part || plot->options->quiet) return;
  zw_fprintf(stderr, "zwang: note: '%s' is of an unfinished run", plot->options->file);
  if (plot->rows > 0) zw_fprintf(stderr, ", up to t = %.*g", zw_clock_digits(plot->to, 9), plot->to);
  zw_fprintf(stderr, "%s\n", plot->stored.is_torn ? "; its last row is cut short and left out" : "");
}

static void print_answer(const Plot* plot) {
  zw_printf("%s: %lld row%s", plot->name, (long long)plot->rows, plot->rows == 1 ? "" : "s");
  if (plot->rows > 0)
    zw_printf(", t = %.*g .. %.*g", zw_clock_digits(plot->from, 9), plot->from, zw_clock_digits(plot->to, 9), plot->to);
  zw_printf("\n  drawn        ");
  for (int32_t i = 0; i < plot->what.count; i++) zw_printf("%s%s", i ? ", " : "", plot->names[i]);
  if (plot->what.wanted > plot->what.count) zw_printf(" (of %d)", (int)plot->what.wanted);
  if (plot->what.across != 0) zw_printf(" against %s", plot->stored.names[plot->what.across]);
  zw_printf("\n");
  if (wants_file(plot->options)) zw_printf("  files        %s\n", plot->path);
  if (plot->options->sketch) print_sketch(zw_chart_plot(plot->chart));
}

static void print_json_answer(Plot* plot) {
  ZwText text;
  zw_text_init(&text, &plot->arena);
  ZwJson json;
  zw_json_init(&json, &text);
  zw_json_begin_object(&json);
  json_head(&json, status_word(EXIT_FINE));
  zw_json_key(&json, "result");
  zw_json_string(&json, plot->options->file);
  zw_json_key(&json, "unfinished");
  zw_json_bool(&json, plot->stored.is_part);
  zw_json_key(&json, "rows");
  zw_json_integer(&json, plot->rows);
  json_number(&json, "from", plot->rows > 0 ? plot->from : NAN);
  json_number(&json, "to", plot->rows > 0 ? plot->to : NAN);
  zw_json_key(&json, "against");
  zw_json_string(&json, plot->stored.names[plot->what.across]);
  zw_json_key(&json, "columns");
  zw_json_begin_array(&json);
  for (int32_t i = 0; i < plot->what.count; i++) zw_json_string(&json, plot->names[i]);
  zw_json_end_array(&json);
  zw_json_key(&json, "files");
  zw_json_begin_array(&json);
  if (wants_file(plot->options)) zw_json_string(&json, plot->path);
  zw_json_end_array(&json);
  json_diags(&json, NULL, NULL, NULL);
  zw_json_end_object(&json);
  if (plot->arena.failed)
    zw_fprintf(stderr, "zwang: error: out of memory for the summary\n");
  else
    puts(zw_text_get(&text));
}

/* What does not go together. */
static int check_options(const Options* options) {
  if (options->equal && !options->against) {
    return complain(options, ZW_ERR_ARGUMENT,
                    "--equal is for a plot --against another column: time has a scale of its own");
  }
  if (options->equal && (options->log_across || options->log_up)) {
    return complain(options, ZW_ERR_ARGUMENT, "--equal and --log do not go together");
  }
  return EXIT_FINE;
}

static int make_plot(Plot* plot) {
  const Options* options = plot->options;
  char footnote[FOOTNOTE];
  ZwAllocator allocator = zw_allocator_default();
  FILE* file = open_regular(options->file, NULL);
  if (file) {
    remember_file(options, file);
    fclose(file);
  }
  ZwStatus status = zw_stored_open(&plot->stored, &allocator, options->file);
  if (status) return unreadable(plot, status);
  int exit_code = check_options(options);
  if (!exit_code) exit_code = name_picture(plot);
  if (!exit_code && zw_contact_log_is(plot->stored.names, plot->stored.count)) {
    return plot_contacts(options, plot->name, plot->path);
  }
  if (!exit_code) exit_code = choose_plot_columns(options, &plot->stored, &plot->arena, &plot->what);
  if (!exit_code && !make_chart(plot)) exit_code = out_of_memory(plot);
  if (!exit_code) exit_code = read_rows(plot);
  if (!exit_code) exit_code = draw(plot, footnote);
  if (exit_code) return exit_code;
  say_unfinished(plot);
  if (options->json)
    print_json_answer(plot);
  else if (!options->quiet)
    print_answer(plot);
  return EXIT_FINE;
}

int command_plot(const Options* options) {
  if (!options->file) return complain(options, ZW_ERR_ARGUMENT, "which result? write: zwang plot FILE.csv");
  size_t size = strlen(options->file);
  if (size > 3 && strcmp(options->file + size - 3, ".zw") == 0) {
    return complain(options, ZW_ERR_ARGUMENT, "'%s' is a model, not a result; 'zwang run %s' makes one", options->file,
                    options->file);
  }
  ZwAllocator allocator = zw_allocator_default();
  Plot plot = {.options = options, .contacts = {.lanes = {.allocator = allocator}}};
  zw_arena_init(&plot.arena, &allocator);
  int exit_code = make_plot(&plot);
  zw_chart_destroy(plot.chart);
  stored_contacts_free(&plot.contacts);
  free(plot.name);
  free(plot.path);
  zw_stored_close(&plot.stored);
  zw_arena_destroy(&plot.arena);
  return exit_code;
}
