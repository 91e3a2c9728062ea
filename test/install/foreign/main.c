/* A program of somebody else: runs the model in a file and prints its last row, then who computed it. */
#include <stdio.h>
#include <stdlib.h>
#include <zwang/zwang.h>

typedef struct Last {
  double values[64];
  int count;
} Last;

static ZwStatus keep(void* context, const double* values) {
  Last* last = (Last*)context;
  int i;
  for (i = 0; i < last->count; i++) last->values[i] = values[i];
  return ZW_OK;
}

static int complain(ZwStatus status, const ZwModel* model) {
  const ZwDiag* diag = model && zw_model_diag_count(model) > 0 ? zw_model_diag(model, 0) : NULL;
  fprintf(stderr, "foreign: %s: %s\n", zw_status_name(status), diag ? diag->text : zw_status_text(status));
  return 1;
}

static int move(const ZwModel* model) {
  Last last = {{0}, 0};
  ZwRunDef how = zw_default_run_def();
  ZwRun* run = NULL;
  ZwStatus status;
  int i;
  how.row = keep;
  how.context = &last;
  status = zw_run_create(model, &how, &run);
  if (status != ZW_OK) return complain(status, model);
  last.count = zw_run_column_count(run) < 64 ? zw_run_column_count(run) : 64;
  status = zw_run_go(run);
  for (i = 0; i < last.count; i++) printf("%s%s=%.17g", i ? " " : "", zw_run_column(run, i), last.values[i]);
  printf("\nzwang %s\n", zw_version());
  if (status == ZW_OK && !(zw_run_report(run)->energy_drift < 1e-4)) status = ZW_ERR_VALUE;
  zw_run_destroy(run);
  return status == ZW_OK ? 0 : complain(status, NULL);
}

int main(int argc, char** argv) {
  static char text[65536];
  ZwCompileDef def = zw_default_compile_def();
  ZwModel* model = NULL;
  ZwStatus status;
  int exit_code;
  FILE* file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!file) return 2;
  def.text = text;
  def.size = fread(text, 1, sizeof text, file);
  def.name = argv[1];
  fclose(file);
  status = zw_model_compile(&def, &model);
  exit_code = status == ZW_OK ? move(model) : complain(status, model);
  zw_model_destroy(model);
  return exit_code;
}
