/* A model run to its end by an integrator, for the benchmarks of integrators. */
#ifndef ZW_BENCH_MOTION_H
#define ZW_BENCH_MOTION_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "motion/integrator.h"
#include "zwang/zwang.h"

static inline double seconds_used(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Ends the program with a sentence: a benchmark that cannot run measures nothing. */
static inline void give_up(const char* what, const char* why) {
  fprintf(stderr, "bench: %s: %s\n", what, why);
  exit(1);
}

static inline ZwModel* compile_model(const char* name, const char* text) {
  ZwModel* model = NULL;
  ZwCompileDef def = zw_default_compile_def();
  def.name = name;
  def.text = text;
  def.size = strlen(text);
  ZwStatus status = zw_model_compile(&def, &model);
  if (status) give_up(name, zw_status_text(status));
  return model;
}

/* The text of a file; the caller frees it. */
static inline char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) give_up(path, "cannot be opened; run it from the source tree, or set ZWANG_ROOT");
  size_t room = 1 << 16;
  char* text = calloc(room, 1);
  if (!text || fread(text, 1, room - 1, file) == room - 1) give_up(path, "too long");
  fclose(file);
  return text;
}

/* The text of examples/NAME.zw; the caller frees it. */
static inline char* read_example(const char* name) {
  char path[1000];
  const char* root = getenv("ZWANG_ROOT");
  snprintf(path, sizeof path, "%s/examples/%s.zw", root ? root : ".", name);
  return read_text(path);
}

static inline bool has_fixed_step(const char* integrator) {
  return zw_integrator(zw_integrator_find(integrator))->is_fixed;
}

/* Can it move this model at all? */
static inline bool accepts(const ZwModel* model, ZwRunDef how) {
  ZwRun* run = NULL;
  bool is_fine = zw_run_create(model, &how, &run) == ZW_OK;
  zw_run_destroy(run);
  return is_fine;
}

#endif
