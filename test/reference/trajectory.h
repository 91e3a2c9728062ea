/* A model compiled and run through the public functions, with every row kept. */
#ifndef ZW_TEST_TRAJECTORY_H
#define ZW_TEST_TRAJECTORY_H

#include "../cross/examples.h"
#include "zwang/zwang.h"

typedef struct Trajectory {
  ZwModel* model;
  ZwRun* run;
  int32_t n, width; /* coordinates; numbers per row: t, q, v, outputs */
  int32_t rows, room;
  int32_t rows_max; /* the run is ended after so many; 0: never */
  double* values;
} Trajectory;

static inline ZwStatus keep_row(void* context, const double* values) {
  Trajectory* trajectory = context;
  size_t width = (size_t)trajectory->width;
  if (trajectory->rows == trajectory->room) {
    trajectory->room = 2 * trajectory->room + 64;
    trajectory->values = realloc(trajectory->values, (size_t)trajectory->room * width * sizeof(double));
    assert_non_null(trajectory->values);
  }
  memcpy(trajectory->values + (size_t)trajectory->rows++ * width, values, width * sizeof(double));
  return trajectory->rows == trajectory->rows_max ? ZW_ERR_INTERRUPTED : ZW_OK;
}

static inline void show_diags(const Trajectory* trajectory) {
  for (int32_t i = 0; trajectory->model && i < zw_model_diag_count(trajectory->model); i++) {
    print_message("model: %s\n", zw_model_diag(trajectory->model, i)->text);
  }
  for (int32_t i = 0; trajectory->run && i < zw_run_diag_count(trajectory->run); i++) {
    print_message("run: %s\n", zw_run_diag(trajectory->run, i)->text);
  }
}

static inline ZwModel* compile_text(const char* name, const char* text) {
  Trajectory trajectory = {0};
  ZwCompileDef def = zw_default_compile_def();
  def.name = name;
  def.text = text;
  def.size = strlen(text);
  ZwStatus status = zw_model_compile(&def, &trajectory.model);
  if (status) show_diags(&trajectory);
  if (status) fail_msg("%s does not compile: %s", name, zw_status_text(status));
  return trajectory.model;
}

/* What is done to every run before it goes; NULL: nothing. */
static void (*before_it_goes)(ZwRun* run);

/* Compiles and runs as `how` says, whose row and context are ours. With rows_max > 0 only the first rows are made. */
static inline Trajectory follow_how(const char* name, const char* text, ZwRunDef how, int32_t rows_max) {
  Trajectory trajectory = {.rows_max = rows_max, .model = compile_text(name, text)};
  trajectory.n = zw_model_coordinate_count(trajectory.model);
  trajectory.width = zw_model_column_count(trajectory.model);
  how.row = keep_row;
  how.context = &trajectory;
  ZwStatus status = zw_run_create(trajectory.model, &how, &trajectory.run);
  if (!status && before_it_goes) before_it_goes(trajectory.run);
  if (!status) status = zw_run_go(trajectory.run);
  bool is_cut = status == ZW_ERR_INTERRUPTED && rows_max > 0;
  if (status && !is_cut) show_diags(&trajectory);
  if (status && !is_cut) fail_msg("%s does not run: %s", name, zw_status_text(status));
  return trajectory;
}

/* NaN leaves `to`, `every`, `tolerance` to the model. */
static inline Trajectory follow(const char* name, const char* text, double to, double every, double tolerance,
                                int32_t rows_max) {
  ZwRunDef how = zw_default_run_def();
  how.to = to;
  how.every = every;
  how.tolerance = tolerance;
  return follow_how(name, text, how, rows_max);
}

static inline Trajectory follow_example(const char* name, double to, double every, double tolerance) {
  char* text = read_example(name);
  Trajectory trajectory = follow(name, text, to, every, tolerance, 0);
  free(text);
  return trajectory;
}

static inline void forget(Trajectory* trajectory) {
  zw_run_destroy(trajectory->run);
  zw_model_destroy(trajectory->model);
  free(trajectory->values);
  *trajectory = (Trajectory){0};
}

static inline const double* row_of(const Trajectory* trajectory, int32_t row) {
  assert_true(row >= 0 && row < trajectory->rows);
  return trajectory->values + (ptrdiff_t)row * trajectory->width;
}

static inline const double* last_row(const Trajectory* trajectory) {
  return row_of(trajectory, trajectory->rows - 1);
}

/* Which number of a row has this name. */
static inline int32_t column_of(const Trajectory* trajectory, const char* name) {
  for (int32_t i = 0; i < trajectory->width; i++) {
    if (strcmp(zw_model_column(trajectory->model, i), name) == 0) return i;
  }
  fail_msg("there is no column %s", name);
  return -1;
}

#endif
