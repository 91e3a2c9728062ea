#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/sweep.h"

/* What stands before and behind the values that are swept; ORDER FIELDS, as in sweep_table_row. */
static const char* const ends_of_names[] = {"moved", "|phi|", "|phi'|", "energy drift", "steps", "rejected"};
enum { EVIDENCE_COUNT = sizeof ends_of_names / sizeof *ends_of_names };

static int32_t outputs_from(const ZwModel* model) {
  return 1 + 2 * zw_model_coordinate_count(model);
}

static bool is_recorded(const SweepTable* table, int32_t column) {
  for (int32_t k = 0; k < table->column_count; k++) {
    if (strcmp(zw_model_column(table->model, table->columns[k]), zw_model_column(table->model, column)) == 0)
      return true;
  }
  return false;
}

/* As in the table of a run. */
static bool choose_columns(SweepTable* table, bool record_all) {
  int32_t count = zw_model_column_count(table->model), n = zw_model_coordinate_count(table->model);
  table->has_all = record_all || n <= RECORD_ALL_UP_TO;
  table->columns = calloc((size_t)count, sizeof *table->columns);
  if (!table->columns) return false;
  for (int32_t i = 0; i < count; i++) {
    bool is_state = i >= 1 && i <= 2 * n;
    if (is_state ? table->has_all : !is_recorded(table, i)) table->columns[table->column_count++] = i;
  }
  return true;
}

/* ---- names ---- */

/* "m", but "start y": the column `y` is where it ends. */
static const char* name_axis(ZwArena* arena, const ZwModel* model, const char* name) {
  int32_t n = zw_model_coordinate_count(model);
  for (int32_t i = 1; i <= 2 * n; i++) {
    if (strcmp(zw_model_column(model, i), name) == 0) return zw_format(arena, "start %s", name);
  }
  return name;
}

/* ORDER FIELDS */
static const char** name_fields(ZwArena* arena, SweepTable* table) {
  const ZwModel* model = table->model;
  int32_t outputs = zw_model_output_count(model), k = 0;
  const char** names = ZW_NEW(arena, table->field_count, const char*);
  if (!names) return NULL;
  names[k++] = "member";
  for (int32_t i = 0; i < table->plan->axis_count; i++) names[k++] = name_axis(arena, model, table->plan->axes[i].name);
  names[k++] = "status";
  names[k++] = "reason";
  for (int32_t i = 0; i < table->column_count; i++) names[k++] = zw_model_column(model, table->columns[i]);
  for (int32_t i = 0; i < outputs; i++) {
    const char* name = zw_model_column(model, outputs_from(model) + i);
    names[k++] = zw_format(arena, "min %s", name);
    names[k++] = zw_format(arena, "max %s", name);
  }
  for (int32_t i = 0; i < EVIDENCE_COUNT; i++) names[k++] = ends_of_names[i];
  return arena->failed ? NULL : names;
}

/* ---- opening ---- */

static int overwrites_nothing(const Options* options, const SweepTable* table) {
  char* part = join_path(".", table->path, ".part");
  if (!part) return complain(options, ZW_ERR_MEMORY, "out of memory");
  const char* const paths[] = {table->path, part, table->resume_path};
  int exit_code = EXIT_FINE;
  for (size_t i = 0; i < sizeof paths / sizeof *paths && !exit_code; i++) {
    if (!was_read(options, paths[i])) continue;
    exit_code = complain(options, ZW_ERR_ARGUMENT,
                         "the sweep would overwrite '%s', which the model reads; choose another folder with --out DIR",
                         paths[i]);
  }
  free(part);
  FilePlace rows = {.path = table->path, .kind = KIND_SWEEP, .keeps_part = true}; /* until it is opened */
  if (!exit_code) exit_code = check_file_place(options, &rows);
  return exit_code ? exit_code : check_kind(options, table->resume_path, KIND_CHECKPOINT);
}

static ZwStatus open_csv(SweepTable* table, const char** why) {
  ZwAllocator allocator = zw_allocator_default();
  ZwArena arena;
  zw_arena_init(&arena, &allocator);
  const char** names = name_fields(&arena, table);
  table->fields = calloc((size_t)table->field_count, sizeof *table->fields);
  ZwCsvColumns columns = {names, table->field_count - 2, 2, ZW_CSV_TEXT, table->resume_path};
  ZwStatus status = ZW_ERR_MEMORY;
  if (names && table->fields) {
    status = table->resumed_size > 0
                 ? zw_csv_reopen_fields(&table->csv, &allocator, table->path, &columns, table->resumed_size, why)
                 : zw_csv_open_fields(&table->csv, &allocator, table->path, &columns, why);
  }
  zw_arena_destroy(&arena);
  return status;
}

int sweep_table_plan(SweepTable* table, const Options* options, const ZwModel* model, const SweepPlan* plan) {
  *table = (SweepTable){.model = model, .plan = plan};
  if (!is_out_fine(options)) return EXIT_WRONG;
  char* name = model_name(options->file);
  if (name) table->path = join_path(options->out, name, ".sweep.csv");
  if (name) table->resume_path = join_path(options->out, name, ".sweep.resume");
  free(name);
  if (!table->path || !table->resume_path || !choose_columns(table, options->record_all)) {
    return complain(options, ZW_ERR_MEMORY, "out of memory");
  }
  table->field_count = 3 + plan->axis_count + table->column_count + 2 * zw_model_output_count(model) + EVIDENCE_COUNT;
  return overwrites_nothing(options, table);
}

int sweep_table_open(SweepTable* table, const Options* options) {
  const char* why = NULL;
  FilePlace rows = {
      .path = table->path, .kind = KIND_SWEEP, .keeps_whole = true, .keeps_part = table->resumed_size > 0};
  int exit_code = check_file_place(options, &rows);
  if (exit_code) return exit_code;
  ZwStatus status = open_csv(table, &why);
  return status ? complain(options, status, "%s", why ? why : zw_status_text(status)) : EXIT_FINE;
}

/* ---- rows ---- */

static void add_number(ZwCsvField** at, double number) {
  *(*at)++ = (ZwCsvField){.number = number};
}

static void add_text(ZwCsvField** at, const char* text) {
  *(*at)++ = (ZwCsvField){.text = text};
}

/* ORDER FIELDS */
ZwStatus sweep_table_row(SweepTable* table, const SweepMember* member) {
  ZwCsvField* at = table->fields;
  add_number(&at, table->rows + 1);
  for (int32_t i = 0; i < table->plan->axis_count; i++) add_number(&at, sweep_plan_value(table->plan, i, table->rows));
  add_text(&at, member->status ? "failed" : member->is_doubtful ? "doubtful" : "ok");
  add_text(&at, member->reason);
  for (int32_t i = 0; i < table->column_count; i++) {
    add_number(&at, member->has_row ? member->last[table->columns[i]] : NAN);
  }
  for (int32_t i = 0; i < zw_model_output_count(table->model); i++) {
    add_number(&at, member->has_row ? member->least[i] : NAN);
    add_number(&at, member->has_row ? member->most[i] : NAN);
  }
  add_number(&at, member->moved);
  add_number(&at, member->phi);
  add_number(&at, member->phidot);
  add_number(&at, member->energy);
  add_number(&at, (double)member->steps);
  add_number(&at, (double)member->rejected);
  ZW_TRY(zw_csv_row_fields(&table->csv, table->fields));
  table->rows++;
  return ZW_OK;
}

ZwStatus sweep_table_finish(SweepTable* table) {
  ZwStatus status = zw_csv_finish(&table->csv);
  table->has_csv = status == ZW_OK;
  return status;
}

void sweep_table_abandon(SweepTable* table) {
  (void)zw_csv_abandon(&table->csv); /* why it ends is known already */
}

void sweep_table_close(SweepTable* table) {
  zw_csv_discard(&table->csv); /* if it was never ended */
  free(table->path);
  free(table->resume_path);
  free(table->columns);
  free(table->fields);
}
