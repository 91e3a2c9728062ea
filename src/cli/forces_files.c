/* The files of `zwang forces`. */
#include <stdlib.h>
#include <string.h>

#include "cli/forces.h"
#include "output/chart.h"
#include "output/csv.h"

static int out_of_memory(const Options* options) {
  return complain(options, ZW_ERR_MEMORY, "out of memory");
}

/* ---- names ---- */

/* -o F.csv has the picture beside it. */
static int name_by_output(const Options* options, ForceFiles* files) {
  size_t size = strlen(options->output);
  if (size <= 4 || strcmp(options->output + size - 4, ".csv") != 0) {
    return complain(options, ZW_ERR_ARGUMENT, "the table of forces is a CSV file: -o NAME.csv, not '%s'",
                    options->output);
  }
  files->csv = join_path(".", options->output, "");
  char* stem = join_path(".", options->output, "");
  if (stem) {
    stem[strlen(stem) - 4] = 0;
    files->svg = join_path(".", stem, ".svg");
  }
  free(stem);
  return EXIT_FINE;
}

int force_files_name(const Options* options, ForceFiles* files) {
  *files = (ForceFiles){0};
  int exit_code = EXIT_FINE;
  if (options->output) {
    exit_code = name_by_output(options, files);
    if (exit_code) return exit_code;
  } else {
    if (!is_out_fine(options)) return EXIT_WRONG;
    char* name = model_name(options->file);
    if (name) files->csv = join_path(options->out, name, ".forces.csv");
    if (name) files->svg = join_path(options->out, name, ".forces.svg");
    free(name);
  }
  if (!files->csv || !files->svg) return out_of_memory(options);
  const char* paths[] = {files->csv, files->svg};
  for (int i = 0; i < 2; i++) {
    if (was_read(options, paths[i])) {
      return complain(options, ZW_ERR_ARGUMENT,
                      "'%s' would overwrite a file that the forces are made from; choose another with -o", paths[i]);
    }
  }
  exit_code = check_kind(options, files->csv, KIND_FORCES);
  return exit_code ? exit_code : check_kind(options, files->svg, KIND_PICTURE);
}

void force_files_free(ForceFiles* files) {
  free(files->csv);
  free(files->svg);
}

/* ---- rows ---- */

typedef struct Writing {
  const Options* options;
  const ForceFiles* files;
  const ZwForces* forces;
  ZwArena arena;
  int32_t count; /* columns */
  const char** names;
  double* row;
} Writing;

/* t, forces, what is missing of them if they were named, reactions, the motion */
static int32_t missing_count(const ZwForces* forces) {
  return forces->is_full ? 0 : forces->n;
}

static bool name_columns(Writing* writing, const ZwModel* model) {
  const ZwForces* forces = writing->forces;
  int32_t missing = missing_count(forces), k = 0;
  writing->count = 1 + forces->count + missing + forces->m + 2 * forces->n;
  writing->names = ZW_NEW(&writing->arena, writing->count + 1, const char*);
  writing->row = ZW_NEW(&writing->arena, writing->count + 1, double);
  if (writing->arena.failed) return false;
  writing->names[k++] = "t";
  for (int32_t i = 0; i < forces->count; i++)
    writing->names[k++] = zw_format(&writing->arena, "force on %s", forces->actuators[i].name);
  for (int32_t i = 0; i < missing; i++)
    writing->names[k++] = zw_format(&writing->arena, "missing on %s", zw_model_column(model, 1 + i));
  for (int32_t i = 0; i < forces->m; i++)
    writing->names[k++] = zw_format(&writing->arena, "reaction(%s)", forces->row_names[i]);
  for (int32_t i = 0; i < 2 * forces->n; i++) writing->names[k++] = zw_model_column(model, 1 + i);
  return !writing->arena.failed;
}

static const double* fill_row(Writing* writing, int32_t i) {
  const ZwForces* forces = writing->forces;
  double* to = writing->row;
  *to++ = forces->t[i];
  for (int32_t k = 0; k < forces->count; k++) *to++ = forces->force[(ptrdiff_t)i * forces->count + k] + 0.0;
  for (int32_t k = 0; k < missing_count(forces); k++) *to++ = forces->missing[(ptrdiff_t)i * forces->n + k] + 0.0;
  for (int32_t k = 0; k < forces->m; k++) *to++ = forces->reaction[(ptrdiff_t)i * forces->m + k] + 0.0;
  for (int32_t k = 0; k < forces->n; k++) *to++ = forces->q[(ptrdiff_t)i * forces->n + k];
  for (int32_t k = 0; k < forces->n; k++) *to++ = forces->v[(ptrdiff_t)i * forces->n + k];
  return writing->row;
}

static int write_table(Writing* writing) {
  ZwAllocator allocator = zw_allocator_default();
  ZwCsv csv = {0};
  const char* why;
  ZwStatus status =
      zw_csv_open(&csv, &allocator, writing->files->csv, (const char* const*)writing->names, writing->count, &why);
  if (status) return complain(writing->options, status, "%s", why);
  for (int32_t i = 0; !status && i < writing->forces->rows; i++) status = zw_csv_row(&csv, fill_row(writing, i));
  if (status) {
    zw_csv_discard(&csv);
    return complain(writing->options, status, "%s", csv.error);
  }
  status = zw_csv_finish(&csv);
  return status ? complain(writing->options, status, "%s", csv.error) : EXIT_FINE;
}

/* ---- the picture: forces, and what is missing of them ---- */

static int32_t choose_panels(Writing* writing, int32_t* columns) {
  const ZwForces* forces = writing->forces;
  int32_t count = 0;
  for (int32_t i = 0; i < forces->count; i++) {
    /* a force that is never needed is no picture, unless it was asked for */
    if (!forces->is_full || forces->actuators[i].largest != 0) columns[count++] = 1 + i;
  }
  for (int32_t i = 0; i < forces->lack_count; i++) columns[count++] = 1 + forces->count + forces->lacks[i].coordinate;
  return count;
}

static int draw(Writing* writing) {
  ZwAllocator allocator = zw_allocator_default();
  int32_t* columns = ZW_NEW(&writing->arena, writing->count + 1, int32_t);
  ZwPlot* panels = ZW_NEW(&writing->arena, writing->count + 1, ZwPlot);
  if (writing->arena.failed) return out_of_memory(writing->options);
  int32_t count = choose_panels(writing, columns);
  if (count == 0) {
    columns[0] = writing->count > 1 ? 1 : 0; /* nothing is needed: one of the zeros */
    count = 1;
  }
  for (int32_t i = 0; i < count; i++) {
    panels[i] = (ZwPlot){.columns = &columns[i], .names = &writing->names[columns[i]], .count = 1, .against_name = "t"};
  }
  ZwChart* chart = zw_chart_create(&allocator, panels, count, false, false);
  char* name = model_name(writing->options->file);
  if (!chart || !name) {
    zw_chart_destroy(chart);
    free(name);
    return out_of_memory(writing->options);
  }
  for (int32_t i = 0; i < writing->forces->rows; i++) zw_chart_row(chart, fill_row(writing, i), "");
  ZwSvgPlot* plot = zw_chart_plot(chart);
  int32_t more = zw_chart_panels_more(chart);
  plot->title = zw_format(&writing->arena, "%s: forces", name);
  plot->footnote = more > 0 ? zw_format(&writing->arena, "%d more are in the table", (int)more) : NULL;
  plot->theme = writing->options->theme;
  char error[ZW_DRAFT_ERROR];
  ZwStatus status = writing->arena.failed ? ZW_ERR_MEMORY : zw_svg_plot(plot, &allocator, writing->files->svg, error);
  zw_chart_destroy(chart);
  free(name);
  if (status == ZW_ERR_MEMORY) return out_of_memory(writing->options);
  return status ? complain(writing->options, status, "%s", error) : EXIT_FINE;
}

int force_files_write(const Options* options, const ForceFiles* files, const ZwForces* forces, const ZwModel* model) {
  ZwAllocator allocator = zw_allocator_default();
  Writing writing = {.options = options, .files = files, .forces = forces};
  zw_arena_init(&writing.arena, &allocator);
  int exit_code = name_columns(&writing, model) ? write_table(&writing) : out_of_memory(options);
  if (!exit_code) exit_code = draw(&writing);
  zw_arena_destroy(&writing.arena);
  return exit_code;
}
