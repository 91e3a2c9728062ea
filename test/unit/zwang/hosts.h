/* Models for the tests of the public functions, and hosts that watch or refuse memory. */
#ifndef ZW_TEST_HOSTS_H
#define ZW_TEST_HOSTS_H

#include "../numbers.h"

#include <stdio.h>
#include <string.h>

#include "zwang/zwang.h"

#define PENDULUM_BODY              \
  "param m = 1, l = 1, g = 9.81\n" \
  "coord x = 1, y = 0\n"           \
  "kinetic 1/2*m*(x'^2 + y'^2)\n"  \
  "potential m*g*y\n"              \
  "constraint rod: x^2 + y^2 = l^2\n"

#define PENDULUM PENDULUM_BODY "output angle = atan2(x, -y), pull = y''\nrun 0 .. 2\n"

/* Rods of length 1 on a frame of a square: the third rod follows from the other two. */
#define REDUNDANT                                                                        \
  "coord x, y, u, v\nkinetic 1/2*(x'^2 + y'^2 + u'^2 + v'^2)\npotential 9.81*(y + v)\n"  \
  "constraint left: x^2 + y^2 = 1\nconstraint top: u = x + 1\nconstraint level: v = y\n" \
  "constraint right: (u - 1)^2 + v^2 = 1\nstart y = 1, x' = 0.5\nrun 0 .. 3\n"

/* Memory from malloc, counted. Refuses call number fails_at, and with `for_good` all after it. */
typedef struct Host {
  int64_t calls, alive, fails_at, refused;
  bool for_good;
} Host;

static inline void* host_alloc(void* context, size_t size) {
  Host* host = context;
  host->calls++;
  bool is_refused = host->fails_at && (host->for_good ? host->calls >= host->fails_at : host->calls == host->fails_at);
  host->refused += is_refused;
  if (is_refused) return NULL;
  host->alive++;
  return malloc(size);
}

static inline void host_release(void* context, void* memory) {
  ((Host*)context)->alive--;
  free(memory);
}

static inline ZwAllocator host_allocator(Host* host) {
  return (ZwAllocator){host_alloc, host_release, host};
}

static inline ZwStatus compile_text(const char* text, ZwModel** model) {
  ZwCompileDef def = zw_default_compile_def();
  def.text = text;
  def.size = strlen(text);
  return zw_model_compile(&def, model);
}

/* A file of the source tree as a text that the caller frees. */
static inline char* read_source(const char* path) {
  const char* root = getenv("ZWANG_ROOT");
  char whole[4096];
  snprintf(whole, sizeof whole, "%s/%s", root ? root : ".", path);
  FILE* file = fopen(whole, "rb");
  if (!file) fail_msg("cannot read %s", whole);
  char* text = calloc(1, 100000);
  size_t size = fread(text, 1, 99999, file);
  fclose(file);
  assert_true(size > 0 && size < 99999);
  return text;
}

static inline void show_messages(const ZwModel* model, const ZwRun* run) {
  for (int32_t i = 0; model && i < zw_model_diag_count(model); i++)
    print_message("%s\n", zw_model_diag(model, i)->text);
  for (int32_t i = 0; run && i < zw_run_diag_count(run); i++) print_message("%s\n", zw_run_diag(run, i)->text);
}

#endif
