/* A hanging chain of N point masses (2 N coordinates, N constraints): one evaluation of its accelerations beside C written
 * by hand for this one mechanism, how the time grows with N, and what it takes to come from the text to the first step. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scene.h"
#include "zwang/handles.h"

#define GRAVITY 9.81
#define AGREE 1e-10

enum { LONGEST = 100000, SIZES = 3, STARTS = 5 };

static const char text_of_chain[] =
    "param g = 9.81\n"
    "coord P[1..N] = (0, 0)\n"
    "for i in 1..N {\n"
    "  start P[i] = i*(0.6, -0.8)\n"
    "  kinetic   1/2*P[i]'^2\n"
    "  potential g*P[i].y\n"
    "  if i == 1 { constraint hook: P[1]^2 = 1 }\n"
    "  if i > 1 { constraint bar[i]: (P[i] - P[i-1])^2 = 1 }\n"
    "}\n"
    "run 0 .. 1\n";

static void write_model(char* to, size_t room, int32_t count) {
  snprintf(to, room, "param N = %d\n%s", (int)count, text_of_chain);
}

/* ---- one evaluation ---- */

typedef struct Chain {
  int32_t count;
  double* y;        /* the state: q, v, work */
  double* by_hand;  /* accelerations */
  double* by_model; /* y' */
  double *dx, *dy, *lower, *right;
  ZwModel* model;
  ZwRun* run;
} Chain;

/* Every bar has its own angle and rate. */
static void place(Chain* chain) {
  double x = 0, y = 0, vx = 0, vy = 0;
  for (int32_t i = 0; i < chain->count; i++) {
    double angle = 0.5 + 0.3 * sin(0.7 * i), rate = 0.2 * cos(1.3 * i);
    double *q = chain->y + 2 * (ptrdiff_t)i, *v = q + 2 * (ptrdiff_t)chain->count;
    q[0] = x += sin(angle);
    q[1] = y -= cos(angle);
    v[0] = vx += rate * cos(angle);
    v[1] = vy += rate * sin(angle);
  }
}

/* Two sweeps: geometry, tridiagonal system and elimination in one; then multipliers and accelerations. */
static void run_by_hand(void* context) {
  Chain* chain = context;
  int32_t count = chain->count;
  const double* restrict q = chain->y, * restrict v = chain->y + 2 * (ptrdiff_t)count;
  double* restrict a = chain->by_hand, * restrict dxs = chain->dx, * restrict dys = chain->dy;
  double* restrict lower = chain->lower, * restrict rights = chain->right;
  double dx_before = 0, dy_before = 0, inverse = 0, right_before = 0;
  double x = 0, y = 0, vx = 0, vy = 0;
  for (int32_t i = 0; i < count; i++) {
    double dx = q[2 * i] - x, dy = q[2 * i + 1] - y, wx = v[2 * i] - vx, wy = v[2 * i + 1] - vy;
    double d = dx * dx + dy * dy, off = -(dx * dx_before + dy * dy_before), l = off * inverse;
    double right = -(wx * wx + wy * wy) + (i == 0 ? GRAVITY * dy : 0) - l * right_before;
    x = q[2 * i], y = q[2 * i + 1], vx = v[2 * i], vy = v[2 * i + 1];
    inverse = 1 / ((i == 0 ? d : 2 * d) - l * off);
    dxs[i] = dx_before = dx;
    dys[i] = dy_before = dy;
    lower[i] = l;
    right_before = right;
    rights[i] = right * inverse;
  }
  double after = 0, fx = 0, fy = 0;
  for (int32_t i = count - 1; i >= 0; i--) {
    double lambda = rights[i] - (i + 1 < count ? lower[i + 1] * after : 0);
    double px = lambda * dxs[i], py = lambda * dys[i];
    a[2 * i] = px - fx;
    a[2 * i + 1] = py - fy - GRAVITY;
    fx = px;
    fy = py;
    after = lambda;
  }
}

static void run_by_model(void* context) {
  Chain* chain = context;
  if (zw_eval_rate(chain->run->sim, 0, chain->y, chain->by_model)) give_up("chain", "has no accelerations");
}

/* Without the solve. */
static void run_kernels(void* context) {
  Chain* chain = context;
  const double* v = chain->y + 2 * (ptrdiff_t)chain->count;
  if (!zw_eval_acceleration(chain->run->sim, 0, chain->y, v)) give_up("chain", "has no equations");
}

static Chain chain_new(int32_t count) {
  char text[1000];
  size_t n = 2 * (size_t)count;
  Chain chain = {.count = count,
                 .y = take_memory(2 * n + 1, sizeof(double)),
                 .by_hand = take_memory(n, sizeof(double)),
                 .by_model = take_memory(2 * n + 1, sizeof(double)),
                 .dx = take_memory(n, sizeof(double)),
                 .dy = take_memory(n, sizeof(double)),
                 .lower = take_memory(n, sizeof(double)),
                 .right = take_memory(n, sizeof(double))};
  write_model(text, sizeof text, count);
  chain.model = compile_model("chain", text);
  ZwRunDef how = zw_default_run_def();
  if (zw_run_create(chain.model, &how, &chain.run)) give_up("chain", zw_run_diag(chain.run, 0)->text);
  place(&chain);
  return chain;
}

static void chain_free(Chain* chain) {
  double* all[] = {chain->y, chain->by_hand, chain->by_model, chain->dx, chain->dy, chain->lower, chain->right};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
  zw_run_destroy(chain->run);
  zw_model_destroy(chain->model);
}

/* Gives the seconds of the engine. */
static double compare_evaluations(Results* results, int32_t count) {
  char measure[100];
  Chain chain = chain_new(count);
  Way ways[] = {{run_by_model, &chain, 0}, {run_by_hand, &chain, 0}, {run_kernels, &chain, 0}};
  take_turns(ways, 3, 0.05);
  double off = difference(chain.by_model + 2 * (ptrdiff_t)count, chain.by_hand, 2 * count);
  if (!(off < AGREE)) give_up("chain", "the two ways give different accelerations");
  snprintf(measure, sizeof measure, "chain of %d: evaluation / tridiagonal C by hand", (int)count);
  put(results, measure, ways[0].seconds / ways[1].seconds, "", NAN, 10);
  snprintf(measure, sizeof measure, "chain of %d: evaluation per mass", (int)count);
  put(results, measure, 1e9 * ways[0].seconds / count, "ns", NAN, NAN);
  snprintf(measure, sizeof measure, "chain of %d: kernels per mass, of that", (int)count);
  put(results, measure, 1e9 * ways[2].seconds / count, "ns", NAN, NAN);
  snprintf(measure, sizeof measure, "chain of %d: by hand per mass", (int)count);
  put(results, measure, 1e9 * ways[1].seconds / count, "ns", NAN, NAN);
  snprintf(measure, sizeof measure, "chain of %d: relative difference of accelerations", (int)count);
  put(results, measure, off, "", NAN, NAN);
  double seconds = ways[0].seconds;
  chain_free(&chain);
  return seconds;
}

/* Seconds of an evaluation without the straight-line code that short chains have. */
static double time_of_sparse(int32_t count) {
  Chain chain = chain_new(count);
  Way way = {run_by_model, &chain, 0};
  chain.run->sim->small.is_on = false;
  take_turns(&way, 1, 0.05);
  chain_free(&chain);
  return way.seconds;
}

/* ---- from text to first step ---- */

static bool stop(void* context, double t) {
  (void)context;
  (void)t;
  return false;
}

typedef enum Stage { COMPILED, BEGUN, STEPPED, STAGES } Stage;

/* Since it began: seconds by the clock, those of the processor, and the most memory that the process had, in bytes. */
typedef struct Start {
  double seconds[STAGES], used[STAGES], memory[STAGES];
} Start;

static void note(Start* start, Stage stage, double begin) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  start->seconds[stage] = wall_clock() - begin;
  start->used[stage] = seconds_used();
  start->memory[stage] = 1024.0 * (double)usage.ru_maxrss;
}

static Start start_chain(void) {
  char text[1000];
  Start start;
  write_model(text, sizeof text, LONGEST);
  double begin = wall_clock();
  ZwModel* model = compile_model("chain", text);
  note(&start, COMPILED, begin);
  ZwRunDef how = zw_default_run_def();
  how.poll = stop;
  ZwRun* run = NULL;
  if (zw_run_create(model, &how, &run)) give_up("chain", zw_run_diag(run, 0)->text);
  note(&start, BEGUN, begin);
  if (zw_run_go(run) != ZW_ERR_INTERRUPTED) give_up("chain", "did not stop after its first step");
  note(&start, STEPPED, begin);
  return start;
}

/* In a process of its own, whose memory is known; it ends without freeing anything. */
static Start start_apart(void) {
  int ends[2], status;
  Start start = {0};
  if (pipe(ends)) give_up("chain", "no pipe");
  pid_t child = fork();
  if (child < 0) give_up("chain", "no process");
  if (child == 0) {
    start = start_chain();
    _exit(write(ends[1], &start, sizeof start) == (ssize_t)sizeof start ? 0 : 1);
  }
  close(ends[1]);
  bool is_read = read(ends[0], &start, sizeof start) == (ssize_t)sizeof start;
  close(ends[0]);
  if (waitpid(child, &status, 0) != child || status || !is_read) give_up("chain", "the process for its start failed");
  return start;
}

static void measure_start(Results* results) {
  Start least = start_apart();
  for (int i = 1; i < bench_rounds(STARTS); i++) {
    Start start = start_apart();
    if (start.seconds[STEPPED] < least.seconds[STEPPED]) least = start;
  }
  const double *seconds = least.seconds, *memory = least.memory;
  put(results, "chain of 100000: from text to the end of the first step", seconds[STEPPED], "s", NAN, 2);
  put(results, "chain of 100000: time of the processor, of that", least.used[STEPPED], "s", NAN, NAN);
  put(results, "chain of 100000: until it is compiled", seconds[COMPILED], "s", NAN, NAN);
  put(results, "chain of 100000: until its start is consistent", seconds[BEGUN], "s", NAN, NAN);
  put(results, "chain of 100000: peak memory to the end of the first step", memory[STEPPED] / 1e6, "MB", NAN, 400);
  put(results, "chain of 100000: peak memory until it is compiled", memory[COMPILED] / 1e6, "MB", NAN, NAN);
  put(results, "chain of 100000: peak memory until its start is consistent", memory[BEGUN] / 1e6, "MB", NAN, NAN);
}

/* For a profiler: only `start`, or evaluations of a chain of so many masses. */
static int profile(const char* what) {
  if (strcmp(what, "start") == 0) {
    (void)start_chain();
    return 0;
  }
  int32_t count = (int32_t)strtol(what, NULL, 10);
  if (count < 1 || count > LONGEST) give_up(what, "must be 'start', or a number of masses up to 100000");
  Chain chain = chain_new(count);
  for (int64_t masses = 0; masses < 50 * (int64_t)LONGEST; masses += count) run_by_model(&chain);
  chain_free(&chain);
  return 0;
}

int main(int argc, char** argv) {
  static const int32_t sizes[SIZES] = {1000, 10000, LONGEST};
  if (argc > 1) return profile(argv[1]);
  double seconds[SIZES];
  Results results = open_results("chain");
  measure_start(&results); /* first: a child begins with the memory of its parent */
  for (int i = 0; i < SIZES; i++) seconds[i] = compare_evaluations(&results, sizes[i]);
  /* short chains have a solve that long ones have not: growth is that of one solve */
  double growth = seconds[SIZES - 1] / time_of_sparse(sizes[0]);
  put(&results, "chain: evaluation at 100000 / at 1000, by the sparse solve", growth, "", 70, 150);
  put(&results, "chain: exponent of that growth", log(growth) / log(sizes[SIZES - 1] / (double)sizes[0]), "", NAN, NAN);
  put(&results, "chain: evaluation at 100000 / at 1000, as they run", seconds[SIZES - 1] / seconds[0], "", NAN, NAN);
  close_results(&results);
  return 0;
}
