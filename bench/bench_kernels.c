/* What an operation costs: by the interpreter (64 elements at a time and one at a time), by machine code (four at a time and
 * one at a time), and by `cc -O3` of the same operations, written out as C, compiled and loaded here. All in one run, the
 * minimum of several rounds that are taken in turn.
 *
 * Costs are those of whole elements: reading the state, computing, adding to the targets. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "expr/elementary.h"
#include "kernel/native.h"
#include "model/elaborate.h"
#include "rounds.h"
#include "text/parser.h"

enum { ROUNDS = 15 };

typedef struct Scene {
  const char* name;
  ZwEntry entry;
  void (*write)(ZwText* text);
} Scene;

typedef struct Bench {
  ZwEntry entry;
  ZwArena arena;
  ZwSources sources;
  ZwDiagList diags;
  ZwSystem system;
  ZwEquations equations;
  ZwProgram program;
  ZwKernelState state;
  ZwNative *wide, *scalar;
  void (*compiled)(const ZwKernelState*);
  double wide_seconds, compiled_seconds; /* to compile */
  int64_t operations;                    /* of one evaluation */
} Bench;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- scenes ---- */

/* What is typed as such: one long expression for each of 64 elements of six coordinates: sums and products, one operation in
 * twenty a sine or cosine, one in forty a quotient, one in sixty a root. */
static void write_factor(ZwText* text, uint32_t* random, int element) {
  *random = *random * 1664525u + 1013904223u;
  int which = (int)(*random >> 16) % 100, i = (int)(*random >> 8) % 6, k = (int)(*random >> 24) % 6;
  static const char* const signs[] = {"+", "-"};
  const char* sign = signs[*random >> 12 & 1];
  if (which < 9)
    zw_text_addf(text, "%s(x%d_%d %s x%d_%d)", which < 5 ? "sin" : "cos", element, i, sign, element, k);
  else if (which < 14)
    zw_text_addf(text, "(x%d_%d/(2 + x%d_%d^2))", element, i, element, k);
  else if (which < 17)
    zw_text_addf(text, "sqrt(1 + x%d_%d^2)", element, i);
  else
    zw_text_addf(text, "(%g*x%d_%d %s x%d_%d)", 0.1 + 0.01 * which, element, i, sign, element, k);
}

static void write_expressions(ZwText* text) {
  enum { ELEMENTS = 64, TERMS = 60 };
  for (int e = 0; e < ELEMENTS; e++) {
    for (int i = 0; i < 6; i++) zw_text_addf(text, "coord x%d_%d = %g\n", e, i, 0.1 * i);
    zw_text_addf(text, "kinetic 1/2*x%d_0'^2\noutput f%d = 0", e, e);
    uint32_t random = 1;
    for (int k = 0; k < TERMS; k++) {
      zw_text_addf(text, " + ");
      write_factor(text, &random, e);
      zw_text_addf(text, "*");
      write_factor(text, &random, e);
    }
    zw_text_addf(text, "\n");
  }
}

/* Rods in a chain by angles relative to the ground: sines, cosines, products. One wide element of its own shape. */
static void write_arm(ZwText* text) {
  enum { RODS = 8 };
  zw_text_addf(text, "param m = 1, l = 1, g = 9.81\n");
  for (int i = 1; i <= RODS; i++) zw_text_addf(text, "coord a%d = %g\n", i, 0.1 * i);
  for (int i = 1; i <= RODS; i++) {
    zw_text_addf(text, "kinetic 1/2*m*l^2*((");
    for (int k = 1; k <= i; k++) zw_text_addf(text, "%scos(a%d)*a%d'", k > 1 ? " + " : "", k, k);
    zw_text_addf(text, ")^2 + (");
    for (int k = 1; k <= i; k++) zw_text_addf(text, "%ssin(a%d)*a%d'", k > 1 ? " + " : "", k, k);
    zw_text_addf(text, ")^2)\npotential -m*g*l*(");
    for (int k = 1; k <= i; k++) zw_text_addf(text, "%scos(a%d)", k > 1 ? " + " : "", k);
    zw_text_addf(text, ")\n");
  }
}

/* Masses on springs in the plane: roots and quotients, 1000 elements of one shape. */
static void write_springs(ZwText* text) {
  enum { LINKS = 1000 };
  zw_text_addf(text, "param m = 1, k = 10, l = 1\n");
  for (int i = 0; i <= LINKS; i++) zw_text_addf(text, "coord x%d = %d, y%d\n", i, i, i);
  for (int i = 0; i <= LINKS; i++) zw_text_addf(text, "kinetic 1/2*m*(x%d'^2 + y%d'^2)\n", i, i);
  for (int i = 1; i <= LINKS; i++) {
    zw_text_addf(text, "potential 1/2*k*(sqrt((x%d - x%d)^2 + (y%d - y%d)^2) - l)^2\n", i, i - 1, i, i - 1);
  }
}

/* Double pendulums side by side: sines and cosines, 1000 elements of one shape. */
static void write_pendulums(ZwText* text) {
  enum { COUNT = 1000 };
  zw_text_addf(text, "param m = 1, l = 1, g = 9.81\n");
  for (int i = 1; i <= COUNT; i++) {
    zw_text_addf(text, "coord a%d = %g, b%d = %g\n", i, 0.001 * i, i, 1 - 0.001 * i);
    zw_text_addf(text, "kinetic m*l^2*(a%d'^2 + 1/2*b%d'^2 + a%d'*b%d'*cos(a%d - b%d)*exp(-a%d^2))\n", i, i, i, i, i, i,
                 i);
    zw_text_addf(text, "potential -m*g*l*(2*cos(a%d)*sin(b%d)^2 + cos(b%d))\n", i, i, i);
  }
}

/* Rods held by constraints: the rows and right sides of 500 joints. */
static void write_joints(ZwText* text) {
  enum { RODS = 500 };
  zw_text_addf(text, "param m = 1, l = 1, g = 9.81\n");
  for (int i = 0; i <= RODS; i++) zw_text_addf(text, "coord x%d = %d, y%d, p%d\n", i, i, i, i);
  for (int i = 0; i <= RODS; i++) {
    zw_text_addf(text, "kinetic 1/2*m*(x%d'^2 + y%d'^2) + m*l^2/24*p%d'^2\npotential m*g*y%d\n", i, i, i, i);
  }
  for (int i = 1; i <= RODS; i++) {
    int b = i - 1;
    zw_text_addf(text, "constraint x%d + l/2*cos(p%d) = x%d - l/2*cos(p%d)\n", b, b, i, i);
    zw_text_addf(text, "constraint y%d + l/2*sin(p%d) = y%d - l/2*sin(p%d)\n", b, b, i, i);
  }
}

/* ---- the same operations as C ---- */

static const char* input_text(ZwInputKind kind) {
  switch (kind) {
    case ZW_INPUT_COORD:
      return "s->q";
    case ZW_INPUT_VELOCITY:
      return "s->v";
    case ZW_INPUT_ACCELERATION:
      return "s->a";
    default:
      return "s->reactions";
  }
}

static void write_input(FILE* file, const ZwKernel* kernel, const ZwInput* input) {
  fprintf(file, "    double r%d_ = ", (int)input->dst);
  if (input->kind == ZW_INPUT_TIME)
    fprintf(file, "s->t;\n");
  else if (input->kind == ZW_INPUT_CONSTANT)
    fprintf(file, "s->constants[%td + i];\n", kernel->constants_begin + (ptrdiff_t)input->index * kernel->shape->count);
  else
    fprintf(file, "%s[coords[%d * i + %d]];\n", input_text(input->kind), (int)kernel->shape->coords, (int)input->index);
}

static void write_instruction(FILE* file, const ZwInstr* instr, const int* version, int to) {
  int a = version[instr->a], b = version[instr->b], c = version[instr->c];
  fprintf(file, "    double t%d = ", to);
#define NAME(v, r) (v) < 0 ? 'r' : 't', (v) < 0 ? (int)(r) : (v), (v) < 0 ? "_" : ""
  switch (instr->op) {
    case ZW_OP_NEG:
      fprintf(file, "-%c%d%s;\n", NAME(a, instr->a));
      return;
    case ZW_OP_ADD:
    case ZW_OP_SUB:
    case ZW_OP_MUL:
    case ZW_OP_DIV:
      fprintf(file, "%c%d%s %s %c%d%s;\n", NAME(a, instr->a), zw_op_text(instr->op), NAME(b, instr->b));
      return;
    default:
      break;
  }
  fprintf(file, "%s(%c%d%s", zw_op_text(instr->op), NAME(a, instr->a));
  if (zw_op_arity(instr->op) > 1) fprintf(file, ", %c%d%s", NAME(b, instr->b));
  if (zw_op_arity(instr->op) > 2) fprintf(file, ", %c%d%s", NAME(c, instr->c));
  fprintf(file, ");\n");
}

/* Outputs that a run has too: of a constant M it has none. */
static void write_kernel(FILE* file, const ZwProgram* program, const ZwKernel* kernel, ZwEntry entry, int number) {
  const ZwTape* tape = &kernel->tapes[entry];
  int32_t outputs = tape->outputs.count;
  if (outputs == 0) return;
  int* version = malloc((size_t)tape->registers * sizeof(int));
  if (!version) exit(1);
  for (int32_t i = 0; i < tape->registers; i++) version[i] = -1;
  fprintf(file,
          "static void kernel%d(const State* restrict s, const int* restrict coords, const int* restrict scatter) {\n",
          number);
  fprintf(file, "  for (long i = 0; i < %d; i++) {\n", (int)kernel->shape->count);
  for (int32_t i = 0; i < tape->literals.count; i++) {
    fprintf(file, "    const double r%d_ = %a;\n", (int)tape->literals.items[i].dst, tape->literals.items[i].value);
  }
  for (int32_t i = 0; i < tape->inputs.count; i++) write_input(file, kernel, &tape->inputs.items[i]);
  for (int32_t i = 0; i < tape->code.count; i++) {
    write_instruction(file, &tape->code.items[i], version, (int)i);
    version[tape->code.items[i].dst] = (int)i;
  }
  for (int32_t i = 0; i < outputs; i++) {
    int v = version[tape->outputs.items[i]];
    if (!zw_kernel_takes(program, kernel, entry, false, i)) continue;
    fprintf(file, "    s->targets[%d][scatter[%d * i + %d]] += %c%d%s;\n",
            (int)kernel->shape->entries[entry].list.items[i].target, (int)outputs, (int)i,
            NAME(v, tape->outputs.items[i]));
  }
  fprintf(file, "  }\n}\n");
  free(version);
}

/* The tables as pointers that are set from outside. */
static void write_c(FILE* file, const ZwProgram* program, ZwEntry entry) {
  fprintf(file,
          "#include <math.h>\n"
          "typedef struct State {\n  double t; const void* tables; const double *q, *v, *a, *reactions, *values;\n"
          "  double *constants, *registers; double* targets[%d];\n} State;\n"
          "const int *coords_of[%d], *scatter_of[%d];\n",
          (int)ZW_TARGET_COUNT, (int)program->kernels.count, (int)program->kernels.count);
  for (int32_t k = 0; k < program->kernels.count; k++)
    write_kernel(file, program, &program->kernels.items[k], entry, (int)k);
  fprintf(file, "void run(const State* s) {\n");
  for (int32_t k = 0; k < program->kernels.count; k++) {
    if (program->kernels.items[k].tapes[entry].outputs.count == 0) continue;
    fprintf(file, "  kernel%d(s, coords_of[%d], scatter_of[%d]);\n", (int)k, (int)k, (int)k);
  }
  fprintf(file, "}\n");
}

/* NULL where there is no compiler. */
static void compile_c(Bench* bench) {
  char folder[] = "/tmp/bench_kernels_XXXXXX", path[128], command[512];
  if (!mkdtemp(folder)) return;
  snprintf(path, sizeof path, "%s/k.c", folder);
  FILE* file = fopen(path, "w");
  if (!file) return;
  write_c(file, &bench->program, bench->entry);
  fclose(file);
  const char* cc = getenv("CC");
  snprintf(command, sizeof command,
           "%s -std=c17 -O3 -march=native -ffp-contract=off -fno-math-errno -shared -fPIC -o %s/k.so %s -lm",
           cc ? cc : "gcc", folder, path);
  double begin = now(CLOCK_MONOTONIC);
  int failed = system(command);
  bench->compiled_seconds = now(CLOCK_MONOTONIC) - begin;
  snprintf(path, sizeof path, "%s/k.so", folder);
  void* library = failed ? NULL : dlopen(path, RTLD_NOW);
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (system(command)) fprintf(stderr, "%s is left behind\n", folder);
  if (!library) return;
  const int **coords = dlsym(library, "coords_of"), **scatter = dlsym(library, "scatter_of");
  for (int32_t k = 0; k < bench->program.kernels.count; k++) {
    coords[k] = bench->program.kernels.items[k].shape->instance_coords.items;
    scatter[k] = bench->program.kernels.items[k].scatter[bench->entry];
  }
  void* run = dlsym(library, "run");
  memcpy(&bench->compiled, &run, sizeof run);
}

/* ---- measuring ---- */

static bool compile(Bench* bench, const Scene* scene) {
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&bench->arena, &allocator);
  zw_diag_init(&bench->diags, &bench->arena, &bench->sources);
  ZwText text;
  zw_text_init(&text, &bench->arena);
  scene->write(&text);
  int32_t file =
      zw_sources_add(&bench->sources, &bench->arena, zw_str_from(scene->name), zw_str_from(zw_text_get(&text)));
  ZwAst* tree;
  ZwElaborateDef def = {.trees = &bench->arena};
  if (zw_parse_file(&bench->arena, &bench->diags, file, &tree) ||
      zw_elaborate(&bench->arena, &bench->diags, tree, &def, &bench->system) ||
      zw_derive(&bench->arena, &bench->diags, &bench->system, &bench->equations) ||
      zw_compile_kernels(&bench->arena, &bench->equations, &bench->program)) {
    return false;
  }
  const char* why;
  double begin = now(CLOCK_MONOTONIC);
  if (zw_native_compile(&bench->program, ZW_NATIVE_BEST, &why)) return false;
  bench->wide_seconds = now(CLOCK_MONOTONIC) - begin;
  bench->wide = bench->program.native;
  if (zw_native_compile(&bench->program, ZW_NATIVE_SCALAR, &why)) return false;
  bench->scalar = bench->program.native;
  for (int32_t k = 0; k < bench->program.kernels.count; k++) {
    const ZwKernel* kernel = &bench->program.kernels.items[k];
    bench->operations += (int64_t)kernel->tapes[bench->entry].code.count * kernel->shape->count;
  }
  return true;
}

static void connect(Bench* bench) {
  const ZwEquations* e = &bench->equations;
  ZwArena* arena = &bench->arena;
  double* q = ZW_NEW(arena, e->n, double);
  double* values = ZW_NEW(arena, bench->system.params.count + e->literals.count, double);
  for (int32_t i = 0; i < e->n; i++) q[i] = 0.37 * (i % 17) - 3 + 1e-4 * i;
  for (int32_t i = 0; i < bench->system.params.count; i++) values[i] = 1 + i;
  for (int32_t i = 0; i < e->literals.count; i++) values[bench->system.params.count + i] = e->literals.items[i];
  bench->state = (ZwKernelState){.tables = &bench->system.tables,
                                 .q = q,
                                 .v = q,
                                 .a = q,
                                 .values = values,
                                 .constants = ZW_NEW(arena, bench->program.constants, double),
                                 .registers = ZW_NEW(arena, (ptrdiff_t)bench->program.registers * ZW_LANES, double)};
  int32_t largest = e->M.count + e->A.count + e->n + e->m_all + e->output_count;
  for (int i = 0; i < ZW_TARGET_COUNT; i++) bench->state.targets[i] = ZW_NEW(arena, largest, double);
  bench->program.native = NULL;
  zw_program_setup(&bench->program, &bench->state);
}

static void run_lanes(Bench* bench) {
  bench->program.native = NULL;
  zw_program_run(&bench->program, bench->entry, &bench->state);
}

static void run_one_by_one(Bench* bench) {
  for (int32_t k = 0; k < bench->program.kernels.count; k++) {
    const ZwKernel* kernel = &bench->program.kernels.items[k];
    if (kernel->tapes[bench->entry].outputs.count == 0) continue;
    for (int32_t i = 0; i < kernel->shape->count; i++) {
      zw_program_element(&bench->program, k, bench->entry, i, &bench->state);
    }
  }
}

static void run_wide(Bench* bench) {
  bench->wide->entries[bench->entry](&bench->state);
}

static void run_scalar(Bench* bench) {
  bench->scalar->entries[bench->entry](&bench->state);
}

static void run_compiled(Bench* bench) {
  if (bench->compiled) bench->compiled(&bench->state);
}

enum { LANES, ALONE, WIDE, SCALAR, COMPILED, WAYS };

/* Nanoseconds per operation, each way in turn, the least of all rounds. */
static void measure(Bench* bench, double least[WAYS]) {
  static void (*const ways[WAYS])(Bench*) = {run_lanes, run_one_by_one, run_wide, run_scalar, run_compiled};
  for (int way = 0; way < WAYS; way++) least[way] = INFINITY;
  for (int round = 0; round < bench_rounds(ROUNDS); round++) {
    for (int way = 0; way < WAYS; way++) {
      double begin = now(CLOCK_PROCESS_CPUTIME_ID), end;
      int count = 0;
      do {
        ways[way](bench);
        count++;
        end = now(CLOCK_PROCESS_CPUTIME_ID);
      } while (end - begin < bench_seconds(0.003));
      least[way] = fmin(least[way], (end - begin) / count / (double)bench->operations * 1e9);
    }
  }
  if (!bench->compiled) least[COMPILED] = NAN;
}

static bool show(const Scene* scene) {
  Bench bench = {.entry = scene->entry};
  if (!compile(&bench, scene)) return false;
  connect(&bench);
  compile_c(&bench);
  double ns[WAYS];
  measure(&bench, ns);
  printf("%-11s %8lld  %8.3f %8.3f %8.3f %8.3f %8.3f   %8.2f %8.2f %8.2f   %8.3f %8.0f\n", scene->name,
         (long long)bench.operations, ns[LANES], ns[ALONE], ns[SCALAR], ns[WIDE], ns[COMPILED],
         ns[SCALAR] / ns[COMPILED], ns[WIDE] / ns[SCALAR], ns[LANES] / ns[WIDE], 1e3 * bench.wide_seconds,
         1e3 * bench.compiled_seconds);
  bench.program.native = bench.wide;
  zw_native_destroy(&bench.program);
  bench.program.native = bench.scalar;
  zw_native_destroy(&bench.program);
  zw_arena_destroy(&bench.arena);
  return true;
}

int main(void) {
  static const Scene scenes[] = {{"expressions", ZW_ENTRY_OUTPUT, write_expressions},
                                 {"arm", ZW_ENTRY_ACCELERATION, write_arm},
                                 {"springs", ZW_ENTRY_ACCELERATION, write_springs},
                                 {"pendulums", ZW_ENTRY_ACCELERATION, write_pendulums},
                                 {"joints", ZW_ENTRY_ACCELERATION, write_joints}};
  printf("%-11s %8s  %44s   %26s   %17s\n", "", "", "ns per operation", "ratios", "ms to compile");
  printf("%-11s %8s  %8s %8s %8s %8s %8s   %8s %8s %8s   %8s %8s\n", "scene", "ops", "lanes", "alone", "scalar",
         "vector", "cc -O3", "scal/cc", "vec/scal", "lane/vec", "native", "cc");
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    if (!show(&scenes[i])) return 1;
  }
  return 0;
}
