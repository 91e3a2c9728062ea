#include "cli/places.h"

#include <stdlib.h>
#include <string.h>

/* "results/one.csv" -> "results" and "one"; false: it has another ending, or nothing before it. */
static bool split(const char* path, const char* ending, RunPlaces* places) {
  const char* slash = strrchr(path, '/');
  const char* base = slash ? slash + 1 : path;
  size_t size = strlen(base), tail = strlen(ending);
  if (size <= tail || strcmp(base + size - tail, ending) != 0) return false;
  places->name = join_path(".", base, "");
  if (places->name) places->name[size - tail] = 0;
  places->home = join_path(".", slash ? path : ".", "");
  if (slash && places->home) places->home[slash == path ? 1 : slash - path] = 0;
  return true;
}

/* -o F, or the name of the model in the folder of --out. */
static int name_result(const Options* options, RunPlaces* places) {
  const char* ending = options->wants_csv ? ".csv" : ".h5";
  if (!options->output) {
    places->name = model_name(options->file);
    places->home = join_path(".", options->out, "");
  } else if (!split(options->output, ending, places)) {
    return complain(options, ZW_ERR_ARGUMENT, "the %s file: -o NAME%s, not '%s'",
                    options->wants_csv ? "table of a run is a CSV" : "result with --format h5 is an HDF5", ending,
                    options->output);
  }
  return EXIT_FINE;
}

int places_find(const Options* options, RunPlaces* places) {
  *places = (RunPlaces){0};
  int exit_code = name_result(options, places);
  if (exit_code) return exit_code;
  if (places->home) places->folder = join_path(".", options->has_out ? options->out : places->home, "");
  if (places->name && places->folder) {
    places->csv = join_path(places->home, places->name, ".csv");
    places->resume = join_path(places->home, places->name, ".resume");
    places->svg = join_path(places->folder, places->name, ".svg");
    places->h5 = join_path(options->wants_csv ? places->folder : places->home, places->name, ".h5");
  }
  bool is_complete = places->csv && places->svg && places->h5 && places->resume;
  return is_complete ? EXIT_FINE : complain(options, ZW_ERR_MEMORY, "out of memory");
}

bool places_are_fine(const Options* options, const RunPlaces* places) {
  if (!is_folder_fine(options, places->home)) return false;
  return strcmp(places->home, places->folder) == 0 || is_folder_fine(options, places->folder);
}

const char* places_result(const Options* options, const RunPlaces* places) {
  return options->wants_csv ? places->csv : places->h5;
}

void places_free(RunPlaces* places) {
  free(places->name);
  free(places->folder);
  free(places->home);
  free(places->csv);
  free(places->svg);
  free(places->h5);
  free(places->resume);
}
