/* --resume: what an earlier run of the model has left. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/places.h"
#include "output/stored.h"

typedef struct Paths {
  RunPlaces places;
  const char *result, *resume;
  char *part, *contacts;
} Paths;

static int find_paths(const Options* options, Paths* paths) {
  *paths = (Paths){0};
  RunPlaces* places = &paths->places;
  int exit_code = places_find(options, places);
  if (exit_code) return exit_code;
  paths->result = places_result(options, places);
  paths->resume = places->resume;
  paths->part = join_path(".", places->csv, ".part");
  paths->contacts = join_path(places->folder, places->name, ".contacts.csv.part");
  return paths->part && paths->contacts ? EXIT_FINE : complain(options, ZW_ERR_MEMORY, "out of memory");
}

static void free_paths(Paths* paths) {
  places_free(&paths->places);
  free(paths->part);
  free(paths->contacts);
}

static bool is_there(const char* path) {
  return access(path, F_OK) == 0;
}

static int refuse(const Options* options, const char* text, const char* remedy) {
  ZwDiag diag = plain_error(ZW_ERR_ARGUMENT, text);
  diag.remedy = remedy;
  return complain_diag(options, &diag);
}

/* The journal is there: is there a checkpoint for it? */
static int look_at_journal(const Options* options, const Paths* paths, Resume* resume) {
  char text[1024];
  switch (checkpoint_read(paths->resume, &resume->checkpoint)) {
    case CHECKPOINT_READ:
      return EXIT_FINE;
    case CHECKPOINT_MISSING:
      if (!options->quiet) {
        zw_fprintf(stderr, "zwang: note: '%s' was left before its first checkpoint; the run begins again\n",
                   paths->part);
      }
      return EXIT_FINE;
    case CHECKPOINT_DAMAGED:
      break;
  }
  zw_snprintf(text, sizeof text, "the checkpoint '%.400s' is damaged or cannot be read", paths->resume);
  return refuse(options, text, "'zwang plot' shows the rows of the .part; to begin again leave out --resume");
}

int resume_look(const Options* options, Resume* resume) {
  Paths paths;
  char text[1024];
  int exit_code = find_paths(options, &paths);
  *resume = (Resume){0};
  if (exit_code) {
    /* said */
  } else if (is_there(paths.part)) {
    exit_code = look_at_journal(options, &paths, resume);
  } else if (is_there(paths.result)) {
    resume->is_finished = true;
  } else {
    zw_snprintf(text, sizeof text, "there is nothing to resume: neither '%.400s' nor '%.400s' is there", paths.part,
                paths.result);
    exit_code = refuse(options, text, "run the model without --resume; --out DIR and -o FILE say where results are");
  }
  free_paths(&paths);
  return exit_code;
}

/* ---- a finished result ---- */

typedef struct Ending {
  double t;
  bool has_event;
  bool has_columns; /* those of the run */
} Ending;

/* Whether a table has a derivative by everything that is varied. */
static bool has_derivatives(const ZwStored* stored, ZwRun* run) {
  const ZwReport* report = zw_run_report(run);
  for (int32_t i = 0; i < report->varied_count; i++) {
    char ending[256];
    bool is_there = false;
    zw_snprintf(ending, sizeof ending, ")/d(%s)", report->varied[i].name);
    for (int32_t k = 0; k < stored->count && !is_there; k++) is_there = strstr(stored->names[k], ending) != NULL;
    if (!is_there) return false;
  }
  return true;
}

static bool has_columns(const ZwStored* stored, ZwRun* run) {
  if (!has_derivatives(stored, run)) return false;
  for (int32_t i = 0; i < stored->count; i++) {
    bool is_known = false;
    for (int32_t k = 0; k < zw_run_column_count(run) && !is_known; k++) {
      is_known = strcmp(stored->names[i], zw_run_column(run, k)) == 0;
    }
    if (!is_known) return false;
  }
  return true;
}

static bool read_ending(const char* path, ZwRun* run, Ending* ending) {
  ZwAllocator allocator = zw_allocator_default();
  ZwStored stored;
  *ending = (Ending){.t = NAN};
  bool has_row = zw_stored_open(&stored, &allocator, path) == ZW_OK, is_fine = has_row;
  ending->has_columns = is_fine && has_columns(&stored, run);
  while (is_fine && has_row) {
    is_fine = zw_stored_next(&stored, &has_row) == ZW_OK;
    if (!is_fine || !has_row) break;
    ending->t = stored.values[0];
    ending->has_event = stored.event[0] != 0;
  }
  zw_stored_close(&stored);
  return is_fine;
}

static void say_finished(const Options* options, const char* path, double t) {
  if (!options->json) {
    if (!options->quiet)
      zw_printf("'%s' is finished: it ends at t = %.*g, and nothing is left to do\n", path, zw_clock_digits(t, 9), t);
    return;
  }
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  ZwJson json;
  zw_json_init(&json, &text);
  zw_json_begin_object(&json);
  json_head(&json, status_word(EXIT_FINE));
  zw_json_key(&json, "finished");
  zw_json_bool(&json, true);
  json_number(&json, "t", t);
  zw_json_key(&json, "files");
  zw_json_begin_array(&json);
  zw_json_string(&json, path);
  zw_json_end_array(&json);
  json_diags(&json, NULL, NULL, NULL);
  zw_json_end_object(&json);
  puts(zw_text_get(&text));
  zw_arena_destroy(&arena);
}

int resume_is_finished(const Options* options, ZwRun* run) {
  Paths paths;
  Ending ending;
  char text[1024];
  int exit_code = find_paths(options, &paths);
  double to = zw_run_report(run)->to;
  if (exit_code) {
    /* said */
  } else if (!read_ending(paths.result, run, &ending) || !ending.has_columns) {
    zw_snprintf(text, sizeof text, "there is nothing to resume: '%.400s' is not a result of this run", paths.result);
    exit_code = refuse(options, text, "run the model without --resume");
  } else if (!(ending.t >= to) && !ending.has_event) {
    zw_snprintf(text, sizeof text, "there is nothing to resume: '%.400s' is finished, and ends at t = %.*g, not %.*g",
                paths.result, zw_clock_digits(ending.t, 9), ending.t, zw_clock_digits(to, 9), to);
    exit_code = refuse(options, text, "run the model without --resume to go further");
  } else {
    say_finished(options, paths.result, ending.t);
    remove_kind(paths.resume, KIND_CHECKPOINT); /* a run that was killed at its very end may have left it, */
    if (!options->wants_csv) remove_kind(paths.contacts, KIND_CONTACTS); /* and this, of which the result is made */
  }
  free_paths(&paths);
  return exit_code;
}
