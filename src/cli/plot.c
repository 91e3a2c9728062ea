/* zwang plot: a picture of a stored result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/contact_log.h"
#include "output/series.h"
#include "output/stored.h"
#include "output/svg.h"

enum {
  BUCKETS_AGAINST = 16 * 1024, /* a curve that turns back is thinned where it passes, not by equal parts of its axis */
  NEAR = 3,                    /* letters that may be wrong in a name that was meant */
  LISTED = 40                  /* names in a message */
};

typedef struct Plot {
  const Options* options;
  ZwArena arena;
  ZwStored stored;
  char *name, *path; /* of the picture */
  int32_t across;    /* the column of the axis below */
  int32_t panels[ZW_SVG_PANELS];
  ZwSeries* series[ZW_SVG_PANELS];
  int32_t panel_count, panel_wanted;
  int64_t rows, events;
  double from, to;
} Plot;

static int out_of_memory(const Plot* plot) {
  return complain(plot->options, ZW_ERR_MEMORY, "out of memory");
}

/* ---- which columns ---- */

/* '*' stands for any letters, '?' for one; everything else, brackets too, for itself. */
static bool fits(const char* pattern, const char* name) {
  for (; *pattern && *pattern != '*'; pattern++, name++) {
    if (!*name || (*pattern != '?' && *pattern != *name)) return false;
    while (*pattern == '?' && ((unsigned char)name[1] & 0xC0) == 0x80) name++; /* one letter, whatever its bytes */
  }
  if (!*pattern) return !*name;
  while (*pattern == '*') pattern++;
  for (;; name++) {
    if (fits(pattern, name)) return true;
    if (!*name) return false;
  }
}

static int32_t find_column(const Plot* plot, const char* name) {
  for (int32_t i = 0; i < plot->stored.count; i++) {
    if (strcmp(plot->stored.names[i], name) == 0) return i;
  }
  return -1;
}

static const char* nearest_column(const Plot* plot, const char* name) {
  const char* nearest = NULL;
  int32_t least = NEAR + 1;
  for (int32_t i = 0; i < plot->stored.count; i++) {
    int32_t distance = zw_str_distance(zw_str_from(name), zw_str_from(plot->stored.names[i]), NEAR);
    if (distance >= least || distance >= (int32_t)strlen(name)) continue;
    least = distance;
    nearest = plot->stored.names[i];
  }
  return nearest;
}

static int no_column(Plot* plot, const char* name) {
  const ZwStored* stored = &plot->stored;
  ZwText list;
  zw_text_init(&list, &plot->arena);
  for (int32_t i = 0; i < stored->count && i < LISTED; i++)
    zw_text_addf(&list, "%s%s", i ? ", " : "there are: ", stored->names[i]);
  if (stored->count > LISTED) zw_text_addf(&list, " and %d more", (int)(stored->count - LISTED));
  const char* nearest = nearest_column(plot, name);
  char text[1024];
  snprintf(text, sizeof text, "'%s' has no column '%s'%s%s%s", plot->options->file, name,
           nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  ZwDiag diag = plain_error(ZW_ERR_NAME, text);
  diag.remedy = zw_text_get(&list);
  return complain_diag(plot->options, &diag);
}

static int too_many(const Plot* plot) {
  return complain(plot->options, ZW_ERR_LIMIT, "more than %d columns in one picture; choose fewer with --columns",
                  (int)ZW_SVG_PANELS);
}

/* A column asked for twice is drawn once. */
static int add_column(Plot* plot, int32_t column) {
  for (int32_t i = 0; i < plot->panel_count; i++) {
    if (plot->panels[i] == column) return EXIT_FINE;
  }
  if (plot->panel_count == ZW_SVG_PANELS) return too_many(plot);
  plot->panels[plot->panel_count++] = column;
  return EXIT_FINE;
}

/* A name as it stands there, or a pattern. The axis itself is drawn only if it is named. */
static int add_columns(Plot* plot, const char* name) {
  int32_t column = find_column(plot, name);
  if (column >= 0) return add_column(plot, column);
  bool has_found = false;
  for (int32_t i = 0; i < plot->stored.count; i++) {
    if (!fits(name, plot->stored.names[i])) continue;
    has_found = true;
    int exit_code = i == plot->across ? EXIT_FINE : add_column(plot, i);
    if (exit_code) return exit_code;
  }
  return has_found ? EXIT_FINE : no_column(plot, name);
}

/* Names with commas between them; a comma inside brackets belongs to a name. */
static int read_columns(Plot* plot, const char* list) {
  if (find_column(plot, list) >= 0) return add_columns(plot, list);
  int depth = 0;
  for (const char *from = list, *at = list;; at++) {
    if (*at == '(' || *at == '[') depth++;
    if (*at == ')' || *at == ']') depth--;
    if (*at && (*at != ',' || depth > 0)) continue;
    const char* name = zw_str_copy(&plot->arena, (ZwStr){from, (int32_t)(at - from)});
    if (!name) return out_of_memory(plot);
    int exit_code = add_columns(plot, name);
    if (exit_code || !*at) return exit_code;
    from = at + 1;
  }
}

static bool ends_in(const char* text, const char* ending) {
  size_t size = strlen(text), end = strlen(ending);
  return size >= end && strcmp(text + size - end, ending) == 0;
}

/* Coordinates and outputs: neither velocities, nor forces, nor what a run records about itself. */
static bool is_plain(const char* name) {
  return !ends_in(name, "'") && !strchr(name, ' ') && !strchr(name, '(') && !strchr(name, '|');
}

/* Without a choice of the user's: what a run draws. */
static void choose_columns(Plot* plot) {
  for (int pass = 0; pass < 2 && plot->panel_wanted == 0; pass++) {
    for (int32_t i = 0; i < plot->stored.count; i++) {
      if (i == plot->across || i == 0 || (pass == 0 && !is_plain(plot->stored.names[i]))) continue;
      plot->panel_wanted++;
      if (plot->panel_count < ZW_SVG_PANELS) plot->panels[plot->panel_count++] = i;
    }
  }
}

static int find_columns(Plot* plot) {
  const Options* options = plot->options;
  if (options->against && (plot->across = find_column(plot, options->against)) < 0) {
    return no_column(plot, options->against);
  }
  for (int32_t i = 0; i < options->column_count; i++) {
    int exit_code = read_columns(plot, options->columns[i]);
    if (exit_code) return exit_code;
  }
  if (options->column_count == 0) choose_columns(plot);
  if (plot->panel_count == 0) {
    return complain(options, ZW_ERR_VALUE, "'%s' has no column to draw against '%s'", options->file,
                    plot->stored.names[plot->across]);
  }
  return EXIT_FINE;
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

static bool make_series(Plot* plot) {
  int32_t buckets = plot->across == 0 ? ZW_SERIES_BUCKETS : BUCKETS_AGAINST;
  for (int32_t i = 0; i < plot->panel_count; i++) {
    void* memory = malloc(zw_series_size(buckets));
    if (!memory) return false;
    plot->series[i] = zw_series_init(memory, buckets);
  }
  return true;
}

/* An event is two rows with the same t: the line goes straight up or down from the one to the other. */
static int read_rows(Plot* plot) {
  const ZwStored* stored = &plot->stored;
  for (bool has_row;;) {
    ZwStatus status = zw_stored_next(&plot->stored, &has_row);
    if (status) return unreadable(plot, status);
    if (!has_row) return EXIT_FINE;
    for (int32_t i = 0; i < plot->panel_count; i++) {
      zw_series_add(plot->series[i], stored->values[plot->across], stored->values[plot->panels[i]]);
    }
    if (plot->rows++ == 0) plot->from = stored->values[0];
    plot->to = stored->values[0];
    plot->events += stored->event[0] != 0;
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
  return EXIT_FINE;
}

static int draw(Plot* plot) {
  ZwSvgCurve curves[ZW_SVG_PANELS];
  ZwSvgPanel panels[ZW_SVG_PANELS];
  char footnote[256] = "", more[96] = "";
  for (int32_t i = 0; i < plot->panel_count; i++) {
    curves[i] = (ZwSvgCurve){plot->series[i]};
    panels[i] = (ZwSvgPanel){plot->stored.names[plot->panels[i]], &curves[i], 1};
  }
  if (plot->panel_wanted > plot->panel_count) {
    snprintf(more, sizeof more, "%d more columns are in the file. ", (int)(plot->panel_wanted - plot->panel_count));
  }
  snprintf(footnote, sizeof footnote, "%s%s", more,
           plot->stored.is_part ? "Unfinished: the run was not at its end." : "");
  ZwSvgPlot picture = {plot->name, panels, plot->panel_count, footnote, plot->stored.names[plot->across]};
  ZwAllocator allocator = zw_allocator_default();
  char error[ZW_DRAFT_ERROR];
  ZwStatus status = zw_svg_plot(&picture, &allocator, plot->path, error);
  if (!status) return EXIT_FINE;
  complain(plot->options, status, "%s", error);
  return EXIT_FAILED;
}

/* ---- the answer ---- */

static void say_unfinished(const Plot* plot) {
  if (!plot->stored.is_part || plot->options->quiet) return;
  fprintf(stderr, "zwang: note: '%s' is of an unfinished run", plot->options->file);
  if (plot->rows > 0) fprintf(stderr, ", up to t = %.9g", plot->to);
  fprintf(stderr, "%s\n", plot->stored.is_torn ? "; its last row is cut short and left out" : "");
}

static void print_answer(const Plot* plot) {
  printf("%s: %lld row%s", plot->name, (long long)plot->rows, plot->rows == 1 ? "" : "s");
  if (plot->rows > 0) printf(", t = %.9g .. %.9g", plot->from, plot->to);
  printf("\n  drawn        ");
  for (int32_t i = 0; i < plot->panel_count; i++) printf("%s%s", i ? ", " : "", plot->stored.names[plot->panels[i]]);
  if (plot->panel_wanted > plot->panel_count) printf(" (of %d)", (int)plot->panel_wanted);
  if (plot->across != 0) printf(" against %s", plot->stored.names[plot->across]);
  printf("\n  files        %s\n", plot->path);
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
  zw_json_string(&json, plot->stored.names[plot->across]);
  zw_json_key(&json, "columns");
  zw_json_begin_array(&json);
  for (int32_t i = 0; i < plot->panel_count; i++) zw_json_string(&json, plot->stored.names[plot->panels[i]]);
  zw_json_end_array(&json);
  zw_json_key(&json, "files");
  zw_json_begin_array(&json);
  zw_json_string(&json, plot->path);
  zw_json_end_array(&json);
  json_diags(&json, NULL, NULL, NULL);
  zw_json_end_object(&json);
  if (plot->arena.failed)
    fprintf(stderr, "zwang: error: out of memory for the summary\n");
  else
    printf("%s\n", zw_text_get(&text));
}

static int make_plot(Plot* plot) {
  const Options* options = plot->options;
  ZwAllocator allocator = zw_allocator_default();
  FILE* file = fopen(options->file, "rb");
  if (file) {
    remember_file(options, file);
    fclose(file);
  }
  ZwStatus status = zw_stored_open(&plot->stored, &allocator, options->file);
  if (status) return unreadable(plot, status);
  int exit_code = name_picture(plot);
  if (!exit_code && zw_contact_log_is(plot->stored.names, plot->stored.count)) {
    return plot_contacts(options, plot->name, plot->path);
  }
  if (!exit_code) exit_code = find_columns(plot);
  if (!exit_code && !make_series(plot)) exit_code = out_of_memory(plot);
  if (!exit_code) exit_code = read_rows(plot);
  if (!exit_code) exit_code = draw(plot);
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
  Plot plot = {.options = options};
  zw_arena_init(&plot.arena, &allocator);
  int exit_code = make_plot(&plot);
  for (int32_t i = 0; i < plot.panel_count; i++) free(plot.series[i]);
  free(plot.name);
  free(plot.path);
  zw_stored_close(&plot.stored);
  zw_arena_destroy(&plot.arena);
  return exit_code;
}
