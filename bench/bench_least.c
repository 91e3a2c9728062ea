/* zw_least_solve on a problem of nine coordinates and eight rows, that of a four-bar, beside the factorisation and the solve inside of
 * it; no memory is taken while solving. */
#include "least/least.h"
#include "scene.h"
#include "zwang/least.h"

enum { N = 9, ROWS = 8, MILLION = 1000000 };

typedef struct Matrices {
  double M[N * N], h[N], A[ROWS * N], b[ROWS];
} Matrices;

typedef struct Public {
  const Matrices* of;
  ZwLeastSolver* solver;
  double a[N], lambda[ROWS];
} Public;

typedef struct Inside {
  const Matrices* of;
  ZwLeast* least;
  double a[N], lambda[ROWS];
} Inside;

static const char four_bar[] =
    "use planar\npart ground = earth()\npart crank = rod(1, (0, 0), (0.3, 0.4))\n"
    "part coupler = rod(2, (0.3, 0.4), (1.2, 0.9))\npart rocker = rod(1.5, (1.5, 0), (1.2, 0.9))\n"
    "part left = pin(ground, crank, (0, 0))\npart knee = pin(crank, coupler, (0.3, 0.4))\n"
    "part elbow = pin(coupler, rocker, (1.2, 0.9))\npart right = pin(ground, rocker, (1.5, 0))\n"
    "start crank.spin = 2\nrun 0 .. 1\n";

static void fill(Matrices* matrices) {
  ZwModel* model = compile_model("four-bar", four_bar);
  ZwRunDef how = zw_default_run_def();
  ZwRun* run;
  double row[1 + 2 * N];
  if (zw_run_create(model, &how, &run) || zw_run_read(run, row)) give_up("four-bar", "has no start");
  ZwEvaluation values = {.M = matrices->M, .h = matrices->h, .A = matrices->A, .b = matrices->b};
  if (zw_run_evaluate(run, 0, row + 1, row + 1 + N, &values)) give_up("four-bar", "has no equations");
  zw_run_destroy(run);
  zw_model_destroy(model);
}

static void run_public(void* context) {
  Public* public = context;
  const Matrices* of = public->of;
  ZwLeastInput in = {.m = ROWS, .M = of->M, .h = of->h, .A = of->A, .b = of->b};
  ZwLeastOutput out = {.a = public->a, .lambda = public->lambda};
  if (zw_least_solve(public->solver, &in, &out)) give_up("zw_least_solve", out.reason);
}

static void run_inside(void* context) {
  Inside* inside = context;
  const Matrices* of = inside->of;
  ZwLeastResult result = {.a = inside->a, .lambda = inside->lambda};
  bool is_solved = zw_least_factor(inside->least, ROWS, of->M, of->A) == ZW_OK &&
                   zw_least_answer(inside->least, of->h, of->b, &result) == ZW_OK;
  if (!is_solved) give_up("zw_least_factor", "fails");
}

static int64_t allocations;

static void* count_alloc(void* context, size_t size) {
  (void)context;
  allocations++;
  return malloc(size);
}

static void count_release(void* context, void* memory) {
  (void)context;
  free(memory);
}

int main(void) {
  Matrices matrices;
  Results results = open_results("least");
  fill(&matrices);
  ZwLeastDef def = zw_default_least_def();
  def.n = N;
  def.m = ROWS;
  def.allocator = (ZwAllocator){count_alloc, count_release, NULL};
  Public public = {.of = &matrices};
  if (zw_least_create(&def, &public.solver)) give_up("zw_least_create", "fails");
  void* memory = take_memory(1, zw_least_work_size(N, ROWS));
  Inside inside = {.of = &matrices, .least = zw_least_place(memory, N, ROWS)};
  int64_t before = allocations;
  int solves = bench_size(MILLION, 1000);
  for (int i = 0; i < solves; i++) run_public(&public);
  put(&results, is_bench_short() ? "a thousand solves: allocations" : "a million solves: allocations",
      (double)(allocations - before), "", NAN, 0);
  Way ways[] = {{run_public, &public, 0}, {run_inside, &inside, 0}};
  take_turns(ways, 2, 0.05);
  if (!(difference(public.a, inside.a, N) < 1e-12)) give_up("zw_least_solve", "gives another answer");
  put(&results, "zw_least_solve / the solve inside of it", ways[0].seconds / ways[1].seconds, "", NAN, 1.5);
  put(&results, "zw_least_solve of 9 coordinates and 8 rows", 1e9 * ways[0].seconds, "ns", NAN, NAN);
  zw_least_destroy(public.solver);
  free(memory);
  close_results(&results);
  return 0;
}
