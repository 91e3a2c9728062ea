/* sweep --resume: goes on with the table that an earlier sweep left unfinished. Beside its .part stands <model>.sweep.resume, a
 * checkpoint without a state, which tells what sweep the rows belong to, and how many of them are sure, with a sum over their bytes. It is
 * written anew all the while; rows after it are computed again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/sum.h"
#include "cli/checkpoint.h"
#include "cli/sweep.h"
#include "output/csv_reader.h"

/* ---- what sweep it is ---- */

static uint64_t sum_values(const SweepAxis* axis) {
  uint64_t sum = 0;
  for (int32_t i = 0; !axis->is_drawn && i < axis->count; i++) {
    sum = checkpoint_sum(sum, &axis->values[i], sizeof axis->values[i]);
  }
  return sum;
}

static void add_plan(ZwText* text, const SweepPlan* plan) {
  zw_text_addf(text, "members: %d\nseed: %llu\n", (int)plan->members, (unsigned long long)plan->seed);
  for (int32_t i = 0; i < plan->axis_count; i++) {
    const SweepAxis* axis = &plan->axes[i];
    zw_text_addf(text, "swept %d: %s ", (int)i + 1, axis->name);
    if (axis->is_drawn) {
      zw_text_add_number(text, axis->low);
      zw_text_add(text, "..", 2);
      zw_text_add_number(text, axis->high);
      zw_text_addf(text, ", %d draws\n", (int)plan->draw_count);
    } else {
      zw_text_addf(text, "%d values, %016llx\n", (int)axis->count, (unsigned long long)sum_values(axis));
    }
  }
}

char* sweep_describe(const Options* options, const ZwModel* model, ZwRun* run, const SweepPlan* plan) {
  char* of_run = describe_run(model, run, options->record_all ? "all" : "as always");
  if (!of_run) return NULL;
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  ZwText text;
  zw_text_init(&text, &arena);
  zw_text_addf(&text, "%s", of_run);
  zw_text_addf(&text, "end: ");
  zw_text_add_number(&text, zw_run_report(run)->to);
  zw_text_addf(&text, "\n");
  add_plan(&text, plan);
  char* copy = arena.failed ? NULL : malloc((size_t)text.size + 1);
  if (copy) memcpy(copy, zw_text_get(&text), (size_t)text.size + 1);
  zw_arena_destroy(&arena);
  free(of_run);
  return copy;
}

/* ---- the file beside the table ---- */

/* s between two checkpoints. */
#define PAUSE 2.0

/* Rows that are sure. */
typedef struct Sure {
  int64_t rows, bytes;
  uint64_t sum;
} Sure;

static bool write_checkpoint(SweepTable* table, Sure sure, char error[ZW_DRAFT_ERROR]) {
  char nothing[1] = "";
  Checkpoint checkpoint = {
      .description = table->description, .rows = sure.rows, .bytes = sure.bytes, .sum = sure.sum, .state = nothing};
  table->noted = seconds_now();
  return checkpoint_write(table->resume_path, &checkpoint, error);
}

int sweep_resume_begin(const Options* options, SweepTable* table, char* description) {
  char error[ZW_DRAFT_ERROR];
  table->description = description;
  table->noted = seconds_now();
  if (table->resumed_size == 0) {
    if (!write_checkpoint(table, (Sure){0}, error))
      zw_fprintf(stderr, "zwang: note: this sweep cannot be resumed: %s\n", error);
    return EXIT_FINE;
  }
  /* now that the table is locked */
  if (zw_sum_get(&table->csv.draft.sum) == table->resumed_sum) return EXIT_FINE;
  sweep_table_abandon(table);
  return complain(options, ZW_ERR_VALUE, "'%s.part' was changed while it was looked at", table->path);
}

void sweep_resume_note(SweepTable* table) {
  char error[ZW_DRAFT_ERROR];
  Sure sure = {.rows = table->rows};
  if (table->csv.draft.is_direct || seconds_now() - table->noted < PAUSE) return;
  if (zw_csv_sync(&table->csv, &sure.bytes)) return;
  sure.sum = zw_sum_get(&table->csv.draft.sum);
  (void)write_checkpoint(table, sure, error); /* the one before is good */
}

/* Looks at the first `most` bytes of a file, as far as its lines are whole; the first line has the names. */
static bool find_sure(const char* path, int64_t most, Sure* sure) {
  char buffer[1 << 14];
  int64_t size = 0;
  ZwSum sum = zw_sum_begin();
  FILE* file = open_regular(path, NULL);
  *sure = (Sure){.rows = -1};
  if (!file) return false;
  for (int pass = 0; pass < 2; pass++) { /* where the last line ends, then the sum up to there */
    int64_t end = pass ? sure->bytes : most;
    rewind(file);
    for (size = 0; size < end;) {
      size_t wanted = end - size < (int64_t)sizeof buffer ? (size_t)(end - size) : sizeof buffer;
      size_t got = fread(buffer, 1, wanted, file);
      if (got == 0) break;
      if (pass) zw_sum_add(&sum, buffer, got);
      for (size_t i = 0; i < got && !pass; i++) {
        if (buffer[i] != '\n') continue;
        sure->bytes = size + (int64_t)i + 1;
        sure->rows++;
      }
      size += (int64_t)got;
    }
  }
  bool is_read = !ferror(file) && size == sure->bytes;
  fclose(file);
  sure->sum = zw_sum_get(&sum);
  return is_read;
}

void sweep_resume_leave(SweepTable* table) {
  char error[ZW_DRAFT_ERROR];
  int64_t size;
  Sure sure;
  char* part = join_path(".", table->path, ".part");
  if (table->csv.buffer) (void)zw_csv_sync(&table->csv, &size); /* a disk that is full has cut it back to whole rows */
  if (part && find_sure(part, INT64_MAX, &sure) && sure.rows > 0) (void)write_checkpoint(table, sure, error);
  free(part);
}

/* ---- the rows that are there ---- */

static bool is_row(const SweepTable* table, const ZwCsvReader* reader) {
  const SweepPlan* plan = table->plan;
  int32_t number = table->rows;
  if (number >= plan->members || reader->values[0] != number + 1) return false;
  for (int32_t i = 0; i < plan->axis_count; i++) {
    if (reader->values[1 + i] != sweep_plan_value(plan, i, number)) return false;
  }
  return true;
}

/* ORDER FIELDS, as in sweep_table_row. */
static void add_row(SweepTable* table, const ZwCsvReader* reader, SweepTotals* totals) {
  SweepMember member = {.status = strcmp(reader->texts[0], "failed") == 0 ? ZW_ERR_STEP : ZW_OK,
                        .is_doubtful = strcmp(reader->texts[0], "doubtful") == 0};
  const double *t = &reader->values[3 + table->plan->axis_count], *last = &reader->values[reader->count - 6];
  double time = *t;
  zw_snprintf(member.reason, sizeof member.reason, "%s", reader->texts[1]);
  member.has_row = !isnan(time);
  member.last = &time;
  member.moved = (int32_t)last[0];
  member.phi = last[1];
  member.phidot = last[2];
  member.energy = last[3];
  member.steps = (int64_t)last[4];
  member.rejected = (int64_t)last[5];
  table->rows++;
  sweep_totals_add(totals, table->rows, &member);
}

/* Up to so many. False: it is no table of this sweep. */
static bool read_rows(SweepTable* table, const char* path, int64_t most, SweepTotals* totals) {
  ZwAllocator allocator = zw_allocator_default();
  ZwCsvReader reader = {0};
  bool has_row = true, is_fine = zw_csv_reader_open(&reader, &allocator, path) == ZW_OK;
  is_fine = is_fine && reader.count == table->field_count &&
            zw_csv_reader_texts(&reader, 1 + table->plan->axis_count, 2) == ZW_OK;
  while (is_fine && table->rows < most) {
    is_fine = zw_csv_reader_next(&reader, &has_row) == ZW_OK;
    if (!is_fine || !has_row) break;
    is_fine = is_row(table, &reader);
    if (is_fine) add_row(table, &reader, totals);
  }
  zw_csv_reader_close(&reader);
  return is_fine;
}

/* Nothing, a line of names, or a row that was cut off. */
static bool has_no_row(const char* path) {
  int c, lines = 0;
  FILE* file = open_regular(path, NULL);
  if (!file) return false;
  while (lines < 2 && (c = fgetc(file)) != EOF) lines += c == '\n';
  bool is_read = !ferror(file);
  fclose(file);
  return is_read && lines < 2;
}

/* ---- going on ---- */

static int refuse(const Options* options, const char* remedy, const char* format, const char* path, const char* why) {
  char text[2 * ZW_DRAFT_ERROR];
  zw_snprintf(text, sizeof text, format, path, why);
  ZwDiag diag = plain_error(ZW_ERR_ARGUMENT, text);
  diag.remedy = remedy;
  return complain_diag(options, &diag);
}

static int begin_again(const Options* options, const char* part, const char* why) {
  if (!options->quiet) zw_fprintf(stderr, "zwang: note: '%s' %s; the sweep begins again\n", part, why);
  return EXIT_FINE;
}

static int look_at_part(const Options* options, SweepTable* table, const char* part, const char* description,
                        SweepTotals* totals) {
  Checkpoint checkpoint;
  char difference[ZW_DRAFT_ERROR];
  if (has_no_row(part)) return begin_again(options, part, "was left before its first row");
  if (checkpoint_read(table->resume_path, &checkpoint) != CHECKPOINT_READ) {
    return refuse(options, "to begin again leave out --resume",
                  "'%s' cannot be resumed: '%s', which tells what sweep it is of, is missing or damaged", part,
                  table->resume_path);
  }
  bool is_same = is_same_run(checkpoint.description, description, difference);
  Sure sure, was = {checkpoint.rows, checkpoint.bytes, checkpoint.sum};
  checkpoint_free(&checkpoint);
  if (!is_same) {
    return refuse(options,
                  "give the model and the options of the sweep that was ended, or begin again without --resume",
                  "'%s' is of another sweep: %s", table->resume_path, difference);
  }
  if (was.bytes == 0) return begin_again(options, part, "was left before its first rows were sure");
  bool is_whole = find_sure(part, was.bytes, &sure) && sure.bytes == was.bytes && sure.sum == was.sum;
  if (!is_whole || !read_rows(table, part, was.rows, totals) || table->rows != was.rows) {
    return refuse(options, "to begin again leave out --resume", "'%s' %s", part, "is damaged and cannot be resumed");
  }
  table->resumed_rows = table->rows;
  table->resumed_size = was.bytes;
  table->resumed_sum = was.sum;
  return EXIT_FINE;
}

static int look_at_table(const Options* options, SweepTable* table, SweepTotals* totals, bool* is_finished) {
  *is_finished = read_rows(table, table->path, INT64_MAX, totals) && table->rows == table->plan->members;
  if (*is_finished) return EXIT_FINE;
  return refuse(options, "sweep without --resume", "there is nothing to resume: '%s' %s", table->path,
                "is finished, and no table of this sweep");
}

int sweep_resume_look(const Options* options, SweepTable* table, const char* description, SweepTotals* totals,
                      bool* is_finished) {
  int exit_code;
  char* part = join_path(".", table->path, ".part");
  *is_finished = false;
  if (!part)
    exit_code = complain(options, ZW_ERR_MEMORY, "out of memory");
  else if (access(part, F_OK) == 0)
    exit_code = look_at_part(options, table, part, description, totals);
  else if (access(table->path, F_OK) == 0)
    exit_code = look_at_table(options, table, totals, is_finished);
  else
    exit_code = refuse(options, "sweep without --resume; --out DIR says where the table is",
                       "there is nothing to resume: neither '%s' nor '%s' is there", part, table->path);
  free(part);
  return exit_code;
}
