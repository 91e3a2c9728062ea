/* What lanes buy: the same elements evaluated 64 at a time and one at a time, as a ratio in one run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "kernel/kernel.h"
#include "model/elaborate.h"
#include "rounds.h"
#include "text/parser.h"

enum { LINKS = 4096, BLOCKS = 9 };

typedef struct Bench {
  ZwArena arena;
  ZwSources sources;
  ZwDiagList diags;
  ZwSystem system;
  ZwEquations equations;
  ZwProgram program;
  ZwKernelState state;
} Bench;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A chain of masses on springs in the plane, written out. */
static char* write_chain(ZwArena* arena) {
  ZwText text;
  zw_text_init(&text, arena);
  zw_text_addf(&text, "param m = 1, k = 10, l = 1\n");
  for (int i = 0; i <= LINKS; i++) zw_text_addf(&text, "coord x%d = %d, y%d\n", i, i, i);
  for (int i = 0; i <= LINKS; i++) zw_text_addf(&text, "kinetic 1/2*m*(x%d'^2 + y%d'^2)\n", i, i);
  for (int i = 1; i <= LINKS; i++) {
    zw_text_addf(&text, "potential 1/2*k*(hypot(x%d - x%d, y%d - y%d) - l)^2\n", i, i - 1, i, i - 1);
  }
  return text.data;
}

static bool compile(Bench* bench) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&bench->arena, &allocator);
  zw_diag_init(&bench->diags, &bench->arena, &bench->sources);
  const char* text = write_chain(&bench->arena);
  int32_t file = zw_sources_add(&bench->sources, &bench->arena, ZW_STR("chain"), zw_str_from(text));
  ZwAst* tree;
  ZwElaborateDef def = {.trees = &bench->arena};
  return zw_parse_file(&bench->arena, &bench->diags, file, &tree) == ZW_OK &&
         zw_elaborate(&bench->arena, &bench->diags, tree, &def, &bench->system) == ZW_OK &&
         zw_derive(&bench->arena, &bench->diags, &bench->system, &bench->equations) == ZW_OK &&
         zw_compile_kernels(&bench->arena, &bench->equations, &bench->program) == ZW_OK;
}

static void connect(Bench* bench) {
  const ZwEquations* equations = &bench->equations;
  ZwArena* arena = &bench->arena;
  double* q = ZW_NEW(arena, equations->n, double);
  double* values = ZW_NEW(arena, bench->system.params.count + equations->literals.count, double);
  for (int32_t i = 0; i < equations->n; i++) q[i] = i % 2 ? 0.1 * (i % 7) : i / 2;
  for (int32_t i = 0; i < bench->system.params.count; i++) values[i] = 1 + i;
  for (int32_t i = 0; i < equations->literals.count; i++) {
    values[bench->system.params.count + i] = equations->literals.items[i];
  }
  bench->state = (ZwKernelState){.q = q,
                                 .v = q,
                                 .a = q,
                                 .values = values,
                                 .constants = ZW_NEW(arena, bench->program.constants, double),
                                 .registers = ZW_NEW(arena, bench->program.registers * ZW_LANES, double)};
  int32_t largest = equations->M.count > equations->n ? equations->M.count : equations->n;
  for (int i = 0; i < ZW_TARGET_COUNT; i++) bench->state.targets[i] = ZW_NEW(arena, largest + 1, double);
  zw_program_setup(&bench->program, &bench->state);
}

static void run_lanes(Bench* bench) {
  zw_program_run(&bench->program, ZW_ENTRY_ACCELERATION, &bench->state);
}

static void run_one_by_one(Bench* bench) {
  for (int32_t k = 0; k < bench->program.kernels.count; k++) {
    const ZwKernel* kernel = &bench->program.kernels.items[k];
    if (kernel->tapes[ZW_ENTRY_ACCELERATION].outputs.count == 0) continue;
    for (int32_t i = 0; i < kernel->shape->count; i++) {
      zw_program_element(&bench->program, k, ZW_ENTRY_ACCELERATION, i, &bench->state);
    }
  }
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Nanoseconds per element, the median of several blocks. */
static double measure(Bench* bench, void (*run)(Bench*)) {
  double times[BLOCKS];
  for (int block = 0; block < BLOCKS; block++) {
    double begin = now(), end;
    int rounds = 0;
    do {
      run(bench);
      rounds++;
      end = now();
    } while (end - begin < bench_seconds(0.02));
    times[block] = (end - begin) / rounds / bench->equations.pieces.count * 1e9;
  }
  qsort(times, BLOCKS, sizeof(double), compare);
  return times[BLOCKS / 2];
}

int main(void) {
  Bench bench = {0};
  if (!compile(&bench)) return 1;
  connect(&bench);
  double lanes = measure(&bench, run_lanes), single = measure(&bench, run_one_by_one);
  printf("lanes: %.1f ns per element in batches of %d, %.1f ns one at a time: ratio %.1f (%d kernels, %d elements)\n",
         lanes, (int)ZW_LANES, single, single / lanes, (int)bench.program.kernels.count,
         (int)bench.equations.pieces.count);
  zw_arena_destroy(&bench.arena);
  return 0;
}
