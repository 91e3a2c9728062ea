/* Many runs of one model that differ in parameters and start values: what does a member cost in an ensemble (zw_ensemble_go, which
 * `zwang sweep` uses), on one thread and on all, beside zw_run_go in a loop? Every member's last row must be the same, bit by bit,
 * whichever way it came about. `bench_ensemble pendulum 1000` only moves 1000 members together, for a profiler. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "scene.h"

enum { ROUNDS = 20, THREADS_MAX = 64, COLUMNS_MAX = 64 };

typedef struct Draw {
  const char* name;
  double low, high;
} Draw;

typedef struct Scene {
  const char *name, *text; /* text NULL: examples/NAME.zw */
  int32_t members;
  double goal;
  Draw draws[2];
} Scene;

static const Scene scenes[] = {
    {"pendulum", NULL, 10000, 0.3, {{"g", 5, 15}, {"y'", -2, 2}}},
    {"double-pendulum", NULL, 4000, NAN, {{"g", 5, 15}, {"th1'", -1, 1}}},
    {"four-bar",
     "use planar\nparam load = 2, push = 2\npart ground = earth()\n"
     "part crank   = rod(1,    (0, 0),     (0.3, 0.4))\n"
     "part coupler = rod(load, (0.3, 0.4), (1.2, 0.9))\n"
     "part rocker  = rod(1.5,  (1.5, 0),   (1.2, 0.9))\n"
     "part left  = pin(ground, crank,   (0, 0))\npart knee  = pin(crank,  coupler, (0.3, 0.4))\n"
     "part elbow = pin(coupler, rocker, (1.2, 0.9))\npart right = pin(ground, rocker,  (1.5, 0))\n"
     "start crank.spin = push\noutput angle = crank.phi\nrun 0 .. 1\n",
     2000,
     NAN,
     {{"load", 1, 3}, {"push", 1.5, 2.5}}},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* What a host keeps of a member: its last row, and the largest of everything, as a sweep does. */
typedef struct Member {
  double last[COLUMNS_MAX], most[COLUMNS_MAX];
  int32_t columns;
} Member;

/* Some members one behind the other. */
typedef struct Block {
  const Scene* scene;
  const ZwModel* model;
  Member* members;
  int32_t first, count, columns;
  atomic_int next;
} Block;

static ZwStatus take_row(void* context, const double* values) {
  Member* member = context;
  for (int32_t i = 0; i < member->columns; i++) {
    member->last[i] = values[i];
    member->most[i] = fmax(member->most[i], values[i]);
  }
  return ZW_OK;
}

/* A number of [0, 1) for a member: parts of irrational numbers, which lie evenly. */
static double part(int32_t number, int draw) {
  double x = (number + 1) * (draw ? 0.7548776662466927 : 0.5698402909980532);
  return x - floor(x);
}

static ZwRun* open_member(const Block* block, int32_t i) {
  ZwRunDef how = zw_default_run_def();
  ZwRunChange changes[2];
  for (int k = 0; k < 2; k++) {
    const Draw* draw = &block->scene->draws[k];
    changes[k] = (ZwRunChange){draw->name, draw->low + (draw->high - draw->low) * part(block->first + i, k)};
  }
  Member* member = &block->members[i];
  *member = (Member){.columns = block->columns};
  how.changes = changes;
  how.change_count = 2;
  how.row = take_row;
  how.context = member;
  ZwRun* run = NULL;
  if (zw_run_create(block->model, &how, &run)) give_up(block->scene->name, run ? zw_run_diag(run, 0)->text : "memory");
  return run;
}

static void end_member(void* context, ZwRun* run, ZwStatus status) {
  const Block* block = context;
  if (status) give_up(block->scene->name, zw_status_text(status));
  zw_run_destroy(run);
}

/* ---- three ways ---- */

static void run_in_a_loop(Block* block) {
  for (int32_t i = 0; i < block->count; i++) {
    ZwRun* run = open_member(block, i);
    end_member(block, run, zw_run_go(run));
  }
}

static ZwRun* next_member(void* context) {
  Block* block = context;
  int32_t i = atomic_fetch_add(&block->next, 1);
  return i < block->count ? open_member(block, i) : NULL;
}

static void* work(void* context) {
  ZwEnsembleDef def = zw_default_ensemble_def();
  def.next = next_member;
  def.done = end_member;
  def.context = context;
  zw_ensemble_go(&def);
  return NULL;
}

static void run_together(Block* block) {
  atomic_store(&block->next, 0);
  (void)work(block);
}

static int32_t count_threads(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return (int32_t)(count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : count);
}

static void run_on_all_threads(Block* block) {
  pthread_t threads[THREADS_MAX];
  int32_t count = count_threads();
  atomic_store(&block->next, 0);
  for (int32_t i = 0; i < count; i++) {
    if (pthread_create(&threads[i], NULL, work, block)) give_up("threads", "there are not enough");
  }
  for (int32_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

/* ---- the comparison ---- */

enum { WAYS = 3 };

static void (*const ways[WAYS])(Block* block) = {run_in_a_loop, run_together, run_on_all_threads};

/* Per member, the least of all rounds. */
typedef struct Cost {
  double used, passed; /* seconds of the processors, of the clock */
} Cost;

static void run_way(Block* block, int way, Cost* cost) {
  double used = seconds_used(), passed = wall_clock();
  ways[way](block);
  cost->passed = fmin(cost->passed, (wall_clock() - passed) / block->count);
  cost->used = fmin(cost->used, (seconds_used() - used) / block->count);
}

static void measure(const Scene* scene, const ZwModel* model, Cost* costs) {
  Block block = {.scene = scene, .model = model, .count = scene->members / ROUNDS};
  block.columns = zw_model_column_count(model);
  if (block.columns > COLUMNS_MAX) give_up(scene->name, "has too many columns");
  Member* first = take_memory((size_t)block.count, sizeof *first);
  block.members = take_memory((size_t)block.count, sizeof *block.members);
  for (int way = 0; way < WAYS; way++) costs[way] = (Cost){INFINITY, INFINITY};
  for (int round = 0; round < bench_rounds(ROUNDS); round++) {
    block.first = round * block.count;
    for (int way = 0; way < WAYS; way++) {
      run_way(&block, way, &costs[way]);
      size_t size = (size_t)block.count * sizeof *first;
      if (way == 0) memcpy(first, block.members, size);
      if (memcmp(first, block.members, size) != 0) give_up(scene->name, "members differ from the runs alone");
    }
  }
  free(first);
  free(block.members);
}

static void run_scene(Results* results, const Scene* scene) {
  char* text = scene->text ? NULL : read_example(scene->name);
  ZwModel* model = compile_model(scene->name, text ? text : scene->text);
  Cost costs[WAYS];
  char measured[200];
  int32_t threads = count_threads();
  measure(scene, model, costs);
  snprintf(measured, sizeof measured, "%d of %s: one run in a loop", (int)scene->members, scene->name);
  put(results, measured, 1e6 * costs[0].used, "us", NAN, NAN);
  snprintf(measured, sizeof measured, "%d of %s: member / run on 1 thread", (int)scene->members, scene->name);
  put(results, measured, costs[1].used / costs[0].used, "", NAN, NAN); /* lanes alone */
  snprintf(measured, sizeof measured, "%d of %s: member / run on %d threads", (int)scene->members, scene->name,
           (int)threads);
  put(results, measured, costs[2].passed / costs[0].passed, "", NAN, scene->goal);
  zw_model_destroy(model);
  free(text);
}

/* For a profiler. */
static void only_together(const Scene* scene, int32_t count) {
  char* text = scene->text ? NULL : read_example(scene->name);
  ZwModel* model = compile_model(scene->name, text ? text : scene->text);
  Block block = {.scene = scene, .model = model, .count = count, .columns = zw_model_column_count(model)};
  block.members = take_memory((size_t)count, sizeof *block.members);
  run_together(&block);
  free(block.members);
  zw_model_destroy(model);
  free(text);
}

int main(int argc, char** argv) {
  for (int i = 0; argc > 1 && i < SCENES; i++) {
    if (strcmp(argv[1], scenes[i].name) == 0) only_together(&scenes[i], argc > 2 ? atoi(argv[2]) : 100);
  }
  if (argc > 1) return 0;
  Results results = open_results("ensemble");
  for (int i = 0; i < SCENES; i++) run_scene(&results, &scenes[i]);
  close_results(&results);
  return 0;
}
