/* A four-bar of three rods (9 coordinates, 8 constraints): one evaluation of its accelerations beside C written by hand for
 * it; and with a pin that is there twice (10 constraints, rank 8) beside LAPACK's least squares by singular values. */
#include <dlfcn.h>

#include "four_bar.h"
#include "scene.h"
#include "zwang/handles.h"

#define AGREE 1e-10

enum { ROWS = 10 };

static const char text_of_second_pin[] = "part again = pin(coupler, rocker, (1.2, 0.9))\n";

/* ---- the engine ---- */

typedef struct Engine {
  ZwModel* model;
  ZwRun* run;
  const double* y; /* the state at the start */
  double rate[2 * N + 1];
} Engine;

static Engine engine_new(bool is_redundant) {
  char text[2000];
  Engine engine = {0};
  snprintf(text, sizeof text, "%s%s", text_of_four_bar, is_redundant ? text_of_second_pin : "");
  engine.model = compile_model("four-bar", text);
  ZwRunDef how = zw_default_run_def();
  if (zw_run_create(engine.model, &how, &engine.run)) give_up("four-bar", zw_run_diag(engine.run, 0)->text);
  const ZwReport* report = zw_run_report(engine.run);
  bool is_right = report->n == N && report->m == (is_redundant ? ROWS : 8) && report->rank == 8;
  if (!is_right) give_up("four-bar", "has not 9 coordinates and 8 independent constraints");
  engine.y = engine.run->sim->y;
  return engine;
}

static void engine_run(void* context) {
  Engine* engine = context;
  if (zw_eval_rate(engine->run->sim, 0, engine->y, engine->rate)) give_up("four-bar", "has no accelerations");
}

/* Without the solve. */
static void engine_run_kernels(void* context) {
  Engine* engine = context;
  if (!zw_eval_acceleration(engine->run->sim, 0, engine->y, engine->y + N)) give_up("four-bar", "has no equations");
}

/* With the solve of large systems, which small ones do not use: it cannot see singular positions. */
typedef struct Sparse {
  Engine* engine;
  ZwArena arena;
  ZwSparse* solve;
  double a[N], lambda[ROWS];
} Sparse;

static void sparse_run(void* context) {
  Sparse* sparse = context;
  const ZwSim* sim = sparse->engine->run->sim;
  ZwSparseResult result = {.a = sparse->a, .lambda = sparse->lambda};
  engine_run_kernels(sparse->engine);
  if (zw_sparse_factor(sparse->solve, NULL, sim->Ax) || zw_sparse_solve(sparse->solve, sim->h, sim->b, &result)) {
    give_up("four-bar", "the sparse solve fails");
  }
}

static Sparse sparse_new(Engine* engine) {
  Sparse sparse = {.engine = engine};
  const ZwEquations* equations = engine->run->sim->equations;
  const ZwPattern *M = &equations->M, *A = &equations->A;
  ZwSparseDef def = {.M = {N, N, M->begin, M->column}, .A = {equations->m, N, A->begin, A->column}};
  ZwSparsePlan* plan;
  ZwAllocator allocator = zw_allocator_default();
  zw_arena_init(&sparse.arena, &allocator);
  if (zw_sparse_plan(&sparse.arena, &def, &plan)) give_up("four-bar", "no plan for a sparse solve");
  sparse.solve = zw_sparse_place(take_memory(1, zw_sparse_work_size(plan)), plan);
  engine_run_kernels(engine);
  if (zw_sparse_factor(sparse.solve, engine->run->sim->Mx, engine->run->sim->Ax)) {
    give_up("four-bar", "the sparse solve fails");
  }
  return sparse;
}

static void sparse_free(Sparse* sparse) {
  free(sparse->solve);
  zw_arena_destroy(&sparse->arena);
}

static void engine_free(Engine* engine) {
  zw_run_destroy(engine->run);
  zw_model_destroy(engine->model);
}

/* ---- by hand ---- */

typedef struct Hand {
  const double* y;
  FourBar bar;
  double a[N];
} Hand;

static Hand hand_new(const double* y) {
  return (Hand){.y = y, .bar = four_bar_new()};
}

static void hand_run(void* context) {
  Hand* hand = context;
  four_bar_accelerate(&hand->bar, hand->y, hand->y + N, hand->a);
}

/* ---- LAPACK ---- */

typedef void (*Dgelsd)(const int* m, const int* n, const int* nrhs, double* A, const int* lda, double* B,
                       const int* ldb, double* S, const double* rcond, int* rank, double* work, const int* lwork,
                       int* iwork, int* info);

enum { WORK = 4096 };

typedef struct Lapack {
  Dgelsd dgelsd;
  const double* y;
  FourBar bar;
  double A[ROWS * N], B[ROWS], S[N], work[WORK], a[N];
  int iwork[WORK];
  int rank;
} Lapack;

/* One thread: the matrix is small. */
static bool load_lapack(Lapack* lapack) {
  static const char* const names[] = {"liblapack.so.3", "libopenblas.so.0", "liblapack.so"};
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    void* library = dlopen(names[i], RTLD_NOW);
    void* found = library ? dlsym(library, "dgelsd_") : NULL;
    if (!found) continue;
    memcpy(&lapack->dgelsd, &found, sizeof found);
    return true;
  }
  return false;
}

/* Row r says `sign` times the acceleration of an end of a rod; columns are in units of 1/sqrt(m). */
static void add_end(Lapack* lapack, int pin, int rod, double end, double sign) {
  const double *q = lapack->y, *v = lapack->y + N;
  double half = 0.5 * end * lapack->bar.length[rod], u = v[3 * rod + 2] * v[3 * rod + 2];
  double c = half * cos(q[3 * rod + 2]), s = half * sin(q[3 * rod + 2]);
  double w = sqrt(lapack->bar.w[rod]), j = sqrt(lapack->bar.j[rod]);
  double *x = lapack->A + 2 * pin, *y = x + 1;
  x[ROWS * (3 * rod)] = sign * w;
  x[ROWS * (3 * rod + 2)] = -sign * s * j;
  y[ROWS * (3 * rod + 1)] = sign * w;
  y[ROWS * (3 * rod + 2)] = sign * c * j;
  lapack->B[2 * pin] += sign * c * u;
  lapack->B[2 * pin + 1] += sign * (GRAVITY + s * u);
}

/* a = g + M^-1/2 x, where x is the shortest of those with A M^-1/2 x = b - A g. */
static void lapack_run(void* context) {
  static const int rows = ROWS, columns = N, one = 1, room = WORK;
  static const double tolerance = 1e-12;
  Lapack* lapack = context;
  int info = 0;
  memset(lapack->A, 0, sizeof lapack->A);
  memset(lapack->B, 0, sizeof lapack->B);
  add_end(lapack, 0, 0, -1, 1);
  add_end(lapack, 1, 0, 1, 1);
  add_end(lapack, 1, 1, -1, -1);
  add_end(lapack, 3, 2, -1, 1);
  for (int pin = 2; pin < 5; pin += 2) { /* twice */
    add_end(lapack, pin, 1, 1, 1);
    add_end(lapack, pin, 2, 1, -1);
  }
  lapack->dgelsd(&rows, &columns, &one, lapack->A, &rows, lapack->B, &rows, lapack->S, &tolerance, &lapack->rank,
                 lapack->work, &room, lapack->iwork, &info);
  if (info) give_up("dgelsd", "did not converge");
  for (int i = 0; i < N; i++) {
    double scale = sqrt(i % 3 == 2 ? lapack->bar.j[i / 3] : lapack->bar.w[i / 3]);
    lapack->a[i] = scale * lapack->B[i] - (i % 3 == 1 ? GRAVITY : 0);
  }
}

/* ---- instructions ---- */

/* What callgrind counts in this program when it does nothing but so many evaluations; NaN where there is no valgrind. */
static double count_instructions(const char* program, const char* way, int evaluations) {
  char command[1200], line[500];
  double count = NAN;
  snprintf(command, sizeof command, "valgrind --tool=callgrind --callgrind-out-file=/dev/null '%s' %s %d 2>&1", program,
           way, evaluations);
  FILE* answer = popen(command, "r");
  while (answer && fgets(line, sizeof line, answer)) {
    const char* found = strstr(line, "Collected : ");
    if (found) count = strtod(found + strlen("Collected : "), NULL);
  }
  return answer && pclose(answer) == 0 ? count : NAN;
}

static void show_instructions(Results* results, const char* program) {
  static const struct {
    const char *way, *measure;
    double at_most;
  } all[] = {{"engine", "four-bar: instructions of an evaluation", 1600},
             {"redundant", "four-bar with a pin twice: instructions of an evaluation", NAN},
             {"hand", "four-bar: instructions of C by hand", NAN}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    double once = count_instructions(program, all[i].way, 1000), twice = count_instructions(program, all[i].way, 2000);
    if (isnan(once) || isnan(twice)) {
      printf("instructions are not counted: valgrind is not installed, or does not know this processor\n");
      return;
    }
    put(results, all[i].measure, (twice - once) / 1000, "", NAN, all[i].at_most);
  }
}

/* Only evaluations: for a profiler, and for callgrind. */
static int only_evaluate(const char* way, int count) {
  Engine engine = engine_new(strcmp(way, "redundant") == 0);
  Hand hand = hand_new(engine.y);
  bool is_by_hand = strcmp(way, "hand") == 0;
  for (int i = 0; i < count; i++) {
    if (is_by_hand)
      hand_run(&hand);
    else
      engine_run(&engine);
  }
  engine_free(&engine);
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 2) return only_evaluate(argv[1], atoi(argv[2]));
  Results results = open_results("four-bar");
  Engine engine = engine_new(false), redundant = engine_new(true);
  Hand hand = hand_new(engine.y);
  Sparse sparse = sparse_new(&engine);
  Lapack lapack = {.y = redundant.y, .bar = four_bar_new()};
  bool has_lapack = load_lapack(&lapack);
  Way ways[] = {{engine_run, &engine, 0}, {hand_run, &hand, 0},        {engine_run_kernels, &engine, 0},
                {sparse_run, &sparse, 0}, {engine_run, &redundant, 0}, {lapack_run, &lapack, 0}};
  take_turns(ways, has_lapack ? 6 : 5, 0.05);
  if (!(difference(engine.rate + N, hand.a, N) < AGREE)) give_up("four-bar", "C by hand gives other accelerations");
  if (!(difference(sparse.a, hand.a, N) < AGREE)) give_up("four-bar", "the sparse solve gives other accelerations");
  put(&results, "four-bar: evaluation / C by hand", ways[0].seconds / ways[1].seconds, "", NAN, 2);
  put(&results, "four-bar: evaluation", 1e9 * ways[0].seconds, "ns", NAN, NAN);
  put(&results, "four-bar: kernels, of that", 1e9 * ways[2].seconds, "ns", NAN, NAN);
  put(&results, "four-bar: kernels and the solve of large systems", 1e9 * ways[3].seconds, "ns", NAN, NAN);
  put(&results, "four-bar: C by hand", 1e9 * ways[1].seconds, "ns", NAN, NAN);
  put(&results, "four-bar with a pin twice: evaluation", 1e9 * ways[4].seconds, "ns", NAN, NAN);
  if (has_lapack) {
    if (!(difference(redundant.rate + N, lapack.a, N) < AGREE)) give_up("four-bar", "dgelsd gives other accelerations");
    if (lapack.rank != 8) give_up("four-bar", "dgelsd finds another rank");
    put(&results, "four-bar with a pin twice: evaluation / dgelsd", ways[4].seconds / ways[5].seconds, "", NAN, 0.15);
    put(&results, "four-bar with a pin twice: dgelsd", 1e9 * ways[5].seconds, "ns", NAN, NAN);
  } else {
    printf("dgelsd is not measured: LAPACK is not installed (Debian: liblapack3)\n");
  }
  if (!is_bench_short()) show_instructions(&results, argv[0]);
  sparse_free(&sparse);
  engine_free(&engine);
  engine_free(&redundant);
  close_results(&results);
  return 0;
}
