#include <string.h>

#include "cli/cli.h"

/* ORDER STAGE: as in ZwStage */
static const char* const stages[] = {"text", "model", "equations", "kernel"};

static int find_stage(const char* name) {
  for (int i = 0; i < (int)(sizeof stages / sizeof *stages); i++) {
    if (strcmp(stages[i], name) == 0) return i;
  }
  return -1;
}

int command_dump(const Options* options) {
  int exit_code;
  int stage = find_stage(options->stage ? options->stage : "model");
  if (stage < 0) {
    return complain(options, ZW_ERR_ARGUMENT, "there is no stage '%s'; choose text, model, equations or kernel",
                    options->stage);
  }
  ZwModel* model = compile_model(options, true, &exit_code);
  if (!model) return exit_code;
  char* text = zw_model_dump(model, (ZwStage)stage);
  if (text)
    fputs(text, stdout);
  else
    exit_code = complain(options, ZW_ERR_MEMORY, "out of memory");
  zw_text_free(model, text);
  zw_model_destroy(model);
  return exit_code;
}
