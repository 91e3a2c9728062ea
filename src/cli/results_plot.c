/* The picture of a run: <model>.svg. */
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "output/chart.h"

enum { FOOTNOTE = 256 };

struct RunPlot {
  ZwPlot* own; /* what is drawn of a model without a `plot`: a panel for each column, */
  int32_t* columns;
  const char** names;
  ZwChart* chart;
  int32_t count; /* panels wanted */
  char footnote[FOOTNOTE];
};

bool is_plotted(const ZwModel* model, int32_t column) {
  for (int32_t i = 0; i < zw_model_plot_count(model); i++) {
    const ZwPlot* plot = zw_model_plot(model, i);
    for (int32_t k = 0; k < plot->count; k++) {
      if (plot->columns[k] == column) return true;
    }
    if (plot->against == column) return true;
  }
  return false;
}

/* One panel per coordinate and output; when there are too many, outputs come first: the user asked for them. */
static bool choose_panels(RunPlot* plot, const ZwModel* model, bool has_all) {
  int32_t n = zw_model_coordinate_count(model), outputs = zw_model_output_count(model);
  int32_t coords = has_all ? n : 0;
  plot->count = coords + outputs;
  bool is_crowded = plot->count > ZW_SVG_PANELS;
  size_t room = (size_t)plot->count + 1;
  plot->own = calloc(room, sizeof *plot->own);
  plot->columns = calloc(room, sizeof *plot->columns);
  plot->names = calloc(room, sizeof *plot->names);
  if (!plot->own || !plot->columns || !plot->names) return false;
  for (int32_t i = 0; i < plot->count; i++) {
    int32_t k = is_crowded ? (i < outputs ? coords + i : i - outputs) : i; /* coordinates, then outputs */
    plot->columns[i] = k < coords ? 1 + k : 1 + 2 * n + (k - coords);
    plot->names[i] = zw_model_column(model, plot->columns[i]);
    plot->own[i] = (ZwPlot){.columns = &plot->columns[i], .names = &plot->names[i], .count = 1, .against_name = "t"};
  }
  return true;
}

/* The statements of the model, which are not kept in one piece. */
static bool take_statements(RunPlot* plot, const ZwModel* model) {
  plot->count = zw_model_plot_count(model);
  plot->own = calloc((size_t)plot->count, sizeof *plot->own);
  for (int32_t i = 0; plot->own && i < plot->count; i++) plot->own[i] = *zw_model_plot(model, i);
  return plot->own != NULL;
}

RunPlot* run_plot_create(const ZwModel* model, bool has_all) {
  ZwAllocator allocator = zw_allocator_default();
  RunPlot* plot = calloc(1, sizeof *plot);
  if (!plot) return NULL;
  bool is_fine = zw_model_plot_count(model) > 0 ? take_statements(plot, model) : choose_panels(plot, model, has_all);
  if (is_fine) plot->chart = zw_chart_create(&allocator, plot->own, plot->count, false, false);
  if (plot->chart) return plot;
  run_plot_free(plot);
  return NULL;
}

void run_plot_row(RunPlot* plot, const double* values, const char* event) {
  zw_chart_row(plot->chart, values, event);
}

/* What is left out, and where it is. */
static void write_footnote(RunPlot* plot, const Options* options, const char* name) {
  int32_t more = zw_chart_panels_more(plot->chart), curves = zw_chart_curves_more(plot->chart);
  const char* ending = options->wants_csv ? "csv" : "h5";
  plot->footnote[0] = 0;
  if (more > 0)
    zw_snprintf(plot->footnote, FOOTNOTE, "%d more are in %.100s.%s", (int)more, name, ending);
  else if (curves > 0)
    zw_snprintf(plot->footnote, FOOTNOTE, "%d more curve%s in %.100s.%s", (int)curves, curves == 1 ? " is" : "s are",
                name, ending);
}

const ZwSvgPlot* run_plot_get(RunPlot* plot, const Options* options, const char* title, const char* name,
                              const Contacts* contacts) {
  if (plot->count == 0) return NULL;
  write_footnote(plot, options, name);
  ZwSvgPlot* picture = zw_chart_plot(plot->chart);
  picture->title = title;
  picture->footnote = plot->footnote;
  picture->theme = options->theme;
  if (contacts) picture->shades = (ZwShades){.lanes = contacts_lanes(contacts), .names = contacts_names(contacts)};
  return picture;
}

void run_plot_free(RunPlot* plot) {
  if (!plot) return;
  zw_chart_destroy(plot->chart);
  free(plot->own);
  free(plot->columns);
  free(plot->names);
  free(plot);
}
