/* An exported model, compiled by a compiler of this machine, beside the run it was made from. */
#ifndef ZW_TEST_EXPORTED_H
#define ZW_TEST_EXPORTED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples.h"
#include "zwang/handles.h"

enum { FOLDER_SIZE = 256, COMMAND_SIZE = 4096 };

/* A folder that goes with the test. */
typedef struct Folder {
  char path[FOLDER_SIZE];
} Folder;

static inline void open_folder(Folder* folder) {
  const char* where = getenv("TMPDIR");
  snprintf(folder->path, FOLDER_SIZE, "%s/zwang-export-XXXXXX", where && strlen(where) < 200 ? where : "/tmp");
  assert_non_null(mkdtemp(folder->path));
}

static inline void close_folder(const Folder* folder) {
  char command[COMMAND_SIZE];
  snprintf(command, sizeof command, "rm -rf '%s'", folder->path);
  assert_int_equal(system(command), 0);
}

static inline void write_file(const Folder* folder, const char* name, const void* data, size_t size) {
  char path[COMMAND_SIZE];
  snprintf(path, sizeof path, "%s/%s", folder->path, name);
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

/* Runs a command of the shell inside the folder; its status. */
static inline int run_in(const Folder* folder, const char* command) {
  char whole[3 * COMMAND_SIZE];
  int size = snprintf(whole, sizeof whole, "cd '%s' && %s", folder->path, command);
  assert_true(size > 0 && size < (int)sizeof whole);
  return system(whole);
}

static inline bool is_there(const Folder* folder, const char* compiler) {
  char command[COMMAND_SIZE];
  static const char probe[] = "#include <math.h>\nint main(void) { return (int)floor(0.5); }\n";
  write_file(folder, "probe.c", probe, sizeof probe - 1);
  snprintf(command, sizeof command, "%s probe.c -o probe -lm >/dev/null 2>&1 && ./probe", compiler);
  return run_in(folder, command) == 0;
}

#define EXPORTED_WARNINGS "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror"

/* Compiles model.c with the driver, whose text is given, into the program `driver`. */
static inline void compile_driver(const Folder* folder, const char* name, const char* compiler, const char* driver) {
  char command[2 * COMMAND_SIZE];
  write_file(folder, "driver.c", driver, strlen(driver));
  snprintf(command, sizeof command, "%s " EXPORTED_WARNINGS " model.c driver.c -o driver -lm", compiler);
  if (run_in(folder, command) != 0) fail_msg("%s does not compile with %s", name, compiler);
}

/* A model with its run, and its C in the folder: model.c, model.h, names that begin with model_. */
typedef struct Exported {
  ZwModel* model;
  ZwRun* run;
  ZwSim* sim;
} Exported;

/* False: it cannot be exported, and says so. */
static inline bool open_exported(Exported* e, const Folder* folder, const char* name, const char* text,
                                 const ZwReader* reader, bool is_compact) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  def.name = name;
  if (reader) def.reader = *reader;
  *e = (Exported){0};
  if (zw_model_compile(&def, &e->model) != ZW_OK) fail_msg("%s: %s", name, zw_model_diag(e->model, 0)->text);
  ZwRunDef how = zw_default_run_def();
  if (zw_run_create(e->model, &how, &e->run) != ZW_OK) fail_msg("%s: %s", name, zw_run_diag(e->run, 0)->text);
  e->sim = e->run->sim;
  ZwExportDef what = zw_default_export_def();
  what.prefix = "model";
  what.compact = is_compact;
  ZwExport texts;
  ZwStatus status = zw_run_export(e->run, &what, &texts);
  if (status == ZW_OK) {
    write_file(folder, "model.c", texts.source, strlen(texts.source));
    write_file(folder, "model.h", texts.header, strlen(texts.header));
  } else {
    assert_true(status == ZW_ERR_UNSUPPORTED && zw_run_diag_count(e->run) > 0);
  }
  zw_text_free(e->model, texts.source);
  zw_text_free(e->model, texts.header);
  return status == ZW_OK;
}

static inline void close_exported(Exported* e) {
  zw_run_destroy(e->run);
  zw_model_destroy(e->model);
}

#endif
