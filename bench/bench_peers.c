/* The engine beside programs that a user might take instead, at equal accuracy. A chain of rods, a four-bar and Andrews'
 * mechanism are moved to an end that is known; everyone uses the cheapest of its methods, tolerances and numbers of steps whose
 * error there is small enough. Peers run in their own coordinates, the engine in every form a user might write. Only moving is
 * timed: with start and rows, without compiling. */
#include "base/alloc.h"
#include "output/loglog.h"
#include "peers/andrews.h"
#include "peers/reference.h"
#include "peers/talk.h"
#include "scene.h"

#define SEARCH_SECONDS 0.02 /* per setting, while the cheapest is looked for */
#define ROUND_SECONDS 0.1   /* per round, when it is timed */
#define SLOW 5.0            /* a run that takes longer gets fewer rounds */
#define GIVE_UP 20.0        /* a run that takes longer ends the search */
#define DRAWN_SECONDS 1.0   /* what takes longer is not drawn on, */
#define DRAWN_ERROR 1e-9    /* nor what is closer */
#define HOPELESS 3.0        /* so many times the best one: tighter settings are not tried */

enum { SLOW_ROUNDS = 2, GOOD_ONES = 3, LADDER = 29, ENGINES = 3, PEERS = 4, MOVERS = ENGINES + PEERS };

#ifndef ZW_PEER_MUJOCO
#define ZW_PEER_MUJOCO NULL
#endif
#ifndef ZW_PEER_SIMBODY
#define ZW_PEER_SIMBODY NULL
#endif
#ifndef ZW_PEER_IDA
#define ZW_PEER_IDA NULL
#endif
#ifndef ZW_PEER_PYTHON
#define ZW_PEER_PYTHON NULL
#endif

/* ---- what is moved ---- */

typedef struct Task {
  const char *scene, *title;
  int rods;
  double target;
  int count;               /* numbers that are compared: */
  const double* reference; /* places, whose error is absolute; */
  bool is_relative;        /* or angles, each as a part of its own */
} Task;

static double error_of(const Task* task, const double* values) {
  double most = 0;
  for (int i = 0; i < task->count; i++) {
    double size = task->is_relative ? fabs(task->reference[i]) : 1;
    double error = fabs(values[i] - task->reference[i]) / size;
    most = error <= most ? most : error; /* NaN stays */
  }
  return most;
}

/* ---- who moves it ---- */

typedef struct Mover {
  const char* name;
  const char* const* methods; /* ended by NULL */
  Peer* peer;                 /* or the engine: */
  ZwModel* model;
  double span; /* of time */
  double goal; /* at least so many times the engine's time; NaN */
  /* the cheapest way */
  const char* method; /* NULL: none is good enough */
  double setting, error, seconds;
} Mover;

/* The last row. */
typedef struct End {
  double* values;
  int first, count; /* columns */
  double deadline;  /* of the run */
  int64_t evaluations;
} End;

static ZwStatus keep_end(void* context, const double* row) {
  const End* end = context;
  memcpy(end->values, row + end->first, (size_t)end->count * sizeof(double));
  return ZW_OK;
}

/* A run that takes too long ends. */
static bool has_time(void* context, double t) {
  (void)t;
  return seconds_used() < ((const End*)context)->deadline;
}

/* One run by the engine: start, motion and two rows. */
static bool engine_move(const Mover* mover, const char* method, double setting, End* end) {
  ZwRun* run = NULL;
  ZwRunDef how = zw_default_run_def();
  how.integrator = method;
  how.every = mover->span;
  how.row = keep_end;
  how.poll = has_time;
  how.context = end;
  if (has_fixed_step(method)) {
    how.step = mover->span / setting;
  } else {
    how.tolerance = setting;
  }
  bool is_fine = zw_run_create(mover->model, &how, &run) == ZW_OK && zw_run_go(run) == ZW_OK;
  if (is_fine) end->evaluations = zw_run_report(run)->evaluations;
  zw_run_destroy(run);
  return is_fine;
}

static bool engine_time(const Mover* mover, const char* method, double setting, double least, double* seconds,
                        double* values, int count) {
  bool has_outputs = zw_model_output_count(mover->model) > 0;
  End end = {.values = values, .first = has_outputs ? zw_model_column_count(mover->model) - count : 1, .count = count};
  double begin = seconds_used(), used;
  int runs = 0;
  do {
    end.deadline = seconds_used() + GIVE_UP;
    if (!engine_move(mover, method, setting, &end)) return false;
    runs++;
    used = seconds_used() - begin;
  } while (used < bench_seconds(least));
  *seconds = used / runs;
  return true;
}

/* The time of one run by a method and its error; false if it does not get to the end. */
static bool time_of(const Mover* mover, const Task* task, const char* method, double setting, double least,
                    double* seconds, double* error) {
  double* values = take_memory((size_t)task->count, sizeof(double));
  char question[200];
  bool is_fine;
  if (mover->peer) {
    snprintf(question, sizeof question, "%s %d %s %.17g %g", task->scene, task->rods, method, setting, least);
    is_fine = talk_ask(mover->peer, question, seconds, values, task->count);
  } else {
    is_fine = engine_time(mover, method, setting, least, seconds, values, task->count);
  }
  if (is_fine) *error = error_of(task, values);
  free(values);
  return is_fine;
}

/* ---- the cheapest way ---- */

static bool is_stepped(const Mover* mover, const char* method) {
  if (!mover->peer) return has_fixed_step(method);
  return strncmp(method, "rk4", 3) == 0 || strncmp(method, "euler", 5) == 0;
}

/* From coarse to fine: 10, 14, 20, 28, ... steps, or tolerances 0.1, 0.032, 0.01, ... 0: there is no finer one. */
static double setting_of(const Mover* mover, const char* method, int rung) {
  if (is_stepped(mover, method)) return floor(10 * pow(2, rung / 2.0));
  return rung <= 22 ? pow(10, -1 - rung / 2.0) : 0;
}

/* Coarser is not always cheaper, because steps may be rejected: the first settings that are good enough are compared. */
static void search_method(Mover* mover, const Task* task, const char* method) {
  int good = 0;
  for (int rung = 0; rung < LADDER && good < GOOD_ONES; rung++) {
    double setting = setting_of(mover, method, rung), seconds = 0, error = INFINITY;
    if (setting == 0) return;
    if (!time_of(mover, task, method, setting, SEARCH_SECONDS, &seconds, &error)) continue;
    bool is_good = error <= task->target;
    if (is_good && (!mover->method || seconds < mover->seconds)) {
      mover->method = method, mover->setting = setting, mover->error = error, mover->seconds = seconds;
    }
    good += is_good;
    if (seconds > GIVE_UP || (mover->method && seconds > HOPELESS * mover->seconds)) return;
  }
}

static void search(Mover* mover, const Task* task) {
  for (int i = 0; mover->methods[i]; i++) search_method(mover, task, mover->methods[i]);
}

/* Everyone takes turns; the least time of all rounds counts. */
static void race(Mover* movers, int count, const Task* task) {
  for (int round = 0; round < bench_rounds(SCENE_ROUNDS); round++) {
    for (int i = 0; i < count; i++) {
      Mover* mover = &movers[i];
      double seconds, error;
      if (!mover->method || (mover->seconds > SLOW && round >= SLOW_ROUNDS)) continue;
      if (!time_of(mover, task, mover->method, mover->setting, ROUND_SECONDS, &seconds, &error)) {
        give_up(mover->name, "fails where it did not before");
      }
      mover->seconds = fmin(mover->seconds, seconds);
    }
  }
}

/* ---- what is said ---- */

static void say_time(Results* results, const Mover* mover, const Task* task, bool is_counted) {
  char measure[200];
  snprintf(measure, sizeof measure, "%s: %s by %s with %.3g%s%s; error %.1e", task->title, mover->name, mover->method,
           mover->setting, is_stepped(mover, mover->method) ? " steps" : "", is_counted ? " (counts)" : "",
           mover->error);
  put(results, measure, 1e6 * mover->seconds, mover->seconds > SLOW ? "us of 2 runs" : "us", NAN, NAN);
}

static void say_ratio(Results* results, const Mover* mover, const Task* task, const Mover* engine) {
  char measure[200];
  snprintf(measure, sizeof measure, "%s: %s / engine", task->title, mover->name);
  if (mover->peer->process == 0) {
    put_absent(results, measure, "not installed", mover->goal, NAN);
  } else if (!mover->method) {
    put_absent(results, measure, "the peer does not get so close", mover->goal, NAN);
  } else {
    put(results, measure, mover->seconds / engine->seconds, "", mover->goal, NAN);
  }
}

/* ---- what is drawn ---- */

enum { STYLES = 1 + PEERS, POINTS = 400, PANELS = 5 };

static const char* const legend[STYLES] = {"engine", "MuJoCo", "Simbody", "IDA", "SymPy"};

/* Errors over seconds of all that was tried, by style. */
typedef struct Panel {
  char title[100];
  ZwLogPoint points[STYLES][POINTS];
  int32_t counts[STYLES];
  ZwLogCurve curves[STYLES];
} Panel;

static Panel panels[PANELS];
static int panel_count;

static int style_of(const Mover* mover) {
  for (int i = 1; mover->peer && i < STYLES; i++) {
    if (strcmp(mover->name, legend[i]) == 0) return i;
  }
  return 0;
}

/* Tighter and tighter until nothing is gained, or it takes too long. */
static void trace_method(const Mover* mover, const Task* task, const char* method, Panel* panel) {
  int style = style_of(mover);
  for (int rung = 0; rung < LADDER && panel->counts[style] < POINTS; rung++) {
    double setting = setting_of(mover, method, rung), seconds = 0, error = INFINITY;
    if (setting == 0) return;
    if (!time_of(mover, task, method, setting, SEARCH_SECONDS, &seconds, &error)) continue;
    panel->points[style][panel->counts[style]++] = (ZwLogPoint){seconds, error};
    if (seconds > DRAWN_SECONDS || error < DRAWN_ERROR) return;
  }
}

static int by_seconds(const void* a, const void* b) {
  const ZwLogPoint *p = a, *q = b;
  return (p->x > q->x) - (p->x < q->x);
}

/* Only those points that no cheaper one betters. */
static int32_t keep_best(ZwLogPoint* points, int32_t count) {
  int32_t kept = 0;
  qsort(points, (size_t)count, sizeof *points, by_seconds);
  for (int32_t i = 0; i < count; i++) {
    if (kept == 0 || points[i].y < points[kept - 1].y) points[kept++] = points[i];
  }
  return kept;
}

static void trace(const Task* task, const Mover* movers, int count) {
  Panel* panel = &panels[panel_count++];
  snprintf(panel->title, sizeof panel->title, "%s", task->scene);
  if (strcmp(task->scene, "rods") == 0) snprintf(panel->title, sizeof panel->title, "%d rods", task->rods);
  for (int i = 0; i < count; i++) {
    bool is_there = !movers[i].peer || movers[i].peer->process;
    for (int k = 0; is_there && movers[i].methods[k]; k++) trace_method(&movers[i], task, movers[i].methods[k], panel);
  }
}

static void draw(void) {
  ZwLogPanel drawn[PANELS];
  for (int p = 0; p < panel_count; p++) {
    drawn[p] = (ZwLogPanel){panels[p].title, panels[p].curves, 0};
    for (int s = 0; s < STYLES; s++) {
      int32_t count = keep_best(panels[p].points[s], panels[p].counts[s]);
      if (count > 0) panels[p].curves[drawn[p].curve_count++] = (ZwLogCurve){s, panels[p].points[s], count};
    }
  }
  ZwLogPlot plot = {
      "What accuracy costs, beside others", "seconds", "error at the end", legend, STYLES, drawn, panel_count};
  ZwAllocator allocator = zw_allocator_default();
  char path[1000], error[ZW_DRAFT_ERROR];
  const char* root = getenv("ZWANG_ROOT");
  snprintf(path, sizeof path, "%s/docs/pictures/peers.svg", root ? root : ".");
  if (zw_loglog_plot(&plot, &allocator, path, error)) give_up(path, error);
  printf("drawn: %s\n", path);
}

/* ---- a scene ---- */

/* Gives the engine's best. Without results it is drawn, not measured. */
static const Mover* compare(Results* results, const Task* task, Mover* movers, int count) {
  const Mover* engine = NULL;
  if (!results) {
    trace(task, movers, count);
    return NULL;
  }
  for (int i = 0; i < count; i++) {
    if (!movers[i].peer || movers[i].peer->process) search(&movers[i], task);
  }
  race(movers, count, task);
  for (int i = 0; i < count; i++) {
    bool is_better = !movers[i].peer && movers[i].method && (!engine || movers[i].seconds < engine->seconds);
    if (is_better) engine = &movers[i];
  }
  if (!engine) give_up(task->title, "the engine does not get so close");
  for (int i = 0; i < count; i++) {
    if (movers[i].method) say_time(results, &movers[i], task, &movers[i] == engine);
  }
  for (int i = 0; i < count; i++) {
    if (movers[i].peer) say_ratio(results, &movers[i], task, engine);
  }
  return engine;
}

/* ---- the engine's models ---- */

static char* read_scene(const char* name) {
  char path[1000];
  const char* root = getenv("ZWANG_ROOT");
  snprintf(path, sizeof path, "%s/bench/scenes/%s.zw", root ? root : ".", name);
  return read_text(path);
}

/* Implicit methods have no use for these motions, and for a long chain they take forever; so does adams, which is dense. */
static const char* const engine_methods[] = {"explicit", "auto", "adams", NULL};
static const char* const sparse_methods[] = {"explicit", "auto", NULL};

/* N: the parameter of that name, or 0. */
static Mover engine_new(const char* name, const char* text, int N) {
  Mover mover = {.name = name, .methods = N > 10 ? sparse_methods : engine_methods, .goal = NAN};
  ZwCompileDef def = zw_default_compile_def();
  char value[20];
  snprintf(value, sizeof value, "%d", N);
  ZwSet set = {.name = "N", .value = value};
  def.name = name;
  def.text = text;
  def.size = strlen(text);
  def.sets = &set;
  def.set_count = N > 0 ? 1 : 0;
  ZwStatus status = zw_model_compile(&def, &mover.model);
  if (status) give_up(name, zw_status_text(status));

  ZwRun* run = NULL;
  ZwRunDef how = zw_default_run_def();
  if (zw_run_create(mover.model, &how, &run)) give_up(name, "has no start");
  mover.span = zw_run_report(run)->to - zw_run_report(run)->from;
  zw_run_destroy(run);
  return mover;
}

static Mover peer_new(Peer* peer, const char* const* methods, double goal) {
  return (Mover){.name = peer->name, .methods = methods, .peer = peer, .goal = goal};
}

static void free_models(Mover* movers, int count) {
  for (int i = 0; i < count; i++) zw_model_destroy(movers[i].model);
}

/* ---- scenes ---- */

typedef struct Peers {
  Peer mujoco, simbody, ida, sympy;
} Peers;

static const char* const rods_mujoco[] = {"rk4", "euler", NULL};
static const char* const loop_mujoco[] = {"rk4:2", "rk4:4", "rk4:8", "euler:2", NULL};
static const char* const simbody_methods[] = {"fehlberg", "merson", "cpodes", NULL};
static const char* const ida_methods[] = {"ggl", NULL};
static const char* const scipy_methods[] = {"DOP853", "RK45", "LSODA", NULL};

/* The reference by two numbers of steps, so that it says itself how good it is. */
static void say_reference(Results* results, const Task* task, const double* coarse) {
  char measure[200];
  double error = error_of(task, coarse);
  snprintf(measure, sizeof measure, "%s: error of the reference", task->title);
  if (results) put(results, measure, error, "", NAN, NAN);
  if (!(error < 1e-4 * task->target)) give_up(task->title, "the reference is not good enough");
}

typedef struct ByHand {
  Rods rods;
  double *angle, *rate, *acceleration;
} ByHand;

static void accelerate_by_hand(void* context) {
  ByHand* hand = context;
  rods_accelerate(&hand->rods, hand->angle, hand->rate, hand->acceleration);
}

/* What the accelerations alone would take by hand, as often as the engine computes them: nothing that steps as it does is faster. */
static void say_limit(Results* results, const Task* task, const Mover* engine) {
  if (!engine) return;
  size_t rods = (size_t)task->rods;
  double* numbers = take_memory(3 * rods + 2 * rods, sizeof(double));
  ByHand hand = {rods_new(task->rods), numbers, numbers + rods, numbers + 2 * rods};
  for (size_t i = 0; i < rods; i++) hand.angle[i] = RODS_ANGLE, hand.rate[i] = 0.1;
  Way way = {accelerate_by_hand, &hand, 0};
  take_turns(&way, 1, 0.02);
  End end = {.values = numbers + 3 * rods,
             .first = zw_model_column_count(engine->model) - task->count,
             .count = task->count,
             .deadline = INFINITY};
  if (!engine_move(engine, engine->method, engine->setting, &end))
    give_up(task->title, "fails where it did not before");
  char measure[200];
  snprintf(measure, sizeof measure, "%s: accelerations by hand; %d times as the engine", task->title,
           (int)end.evaluations);
  put(results, measure, 1e6 * way.seconds * (double)end.evaluations, "us", NAN, NAN);
  rods_free(&hand.rods);
  free(numbers);
}

/* goals: of MuJoCo, Simbody, IDA and SymPy; 0: it does not take part. */
static void compare_rods(Results* results, Peers* peers, int rods, double target, const double goals[PEERS]) {
  static const struct {
    const char *scene, *name;
    int most; /* rods: by angles M is dense, and its entries are sums over the rods below */
  } forms[ENGINES] = {{"rods-angles", "engine; angles", 100},
                      {"rods-ends", "engine; ends of rods", 100000},
                      {"rods-parts", "engine; parts", 100000}};
  double *fine = take_memory(2 * (size_t)rods, sizeof(double)), *coarse = take_memory(2 * (size_t)rods, sizeof(double));
  char title[100];
  snprintf(title, sizeof title, "%d rods at %.0e", rods, target);
  Task task = {"rods", title, rods, target, 2 * rods, fine, false};
  reference_rods(rods, 200, fine);
  reference_rods(rods, 140, coarse);
  say_reference(results, &task, coarse);

  Mover movers[MOVERS];
  char* texts[ENGINES] = {0};
  int count = 0;
  for (int i = 0; i < ENGINES; i++) {
    if (rods > forms[i].most) continue;
    texts[i] = read_scene(forms[i].scene);
    movers[count++] = engine_new(forms[i].name, texts[i], rods);
  }
  int engines = count;
  if (goals[0] > 0) movers[count++] = peer_new(&peers->mujoco, rods_mujoco, goals[0]);
  if (goals[1] > 0) movers[count++] = peer_new(&peers->simbody, simbody_methods, goals[1]);
  if (goals[2] > 0) movers[count++] = peer_new(&peers->ida, ida_methods, goals[2]);
  if (goals[3] > 0) movers[count++] = peer_new(&peers->sympy, scipy_methods, goals[3]);
  say_limit(results, &task, compare(results, &task, movers, count));
  free_models(movers, engines);
  for (int i = 0; i < ENGINES; i++) free(texts[i]);
  free(fine);
  free(coarse);
}

static void compare_four_bar(Results* results, Peers* peers) {
  double fine[6], coarse[6];
  Task task = {"four-bar", "four-bar at 1e-04", 3, 1e-4, 6, fine, false};
  reference_four_bar(200, fine);
  reference_four_bar(140, coarse);
  say_reference(results, &task, coarse);
  char *angles = read_scene("four-bar-angles"), *parts = read_scene("four-bar-parts");
  Mover movers[] = {
      engine_new("engine; angles", angles, 0),    engine_new("engine; parts", parts, 0),
      peer_new(&peers->mujoco, loop_mujoco, 60),  peer_new(&peers->simbody, simbody_methods, 60),
      peer_new(&peers->sympy, scipy_methods, 40),
  };
  compare(results, &task, movers, sizeof movers / sizeof movers[0]);
  free_models(movers, 2);
  free(angles);
  free(parts);
}

static void compare_andrews(Results* results, Peers* peers) {
  Task task = {"andrews", "Andrews at 1e-06", 1, 1e-6, ANDREWS_N, andrews_end, true};
  char* text = read_example("andrews");
  Mover movers[] = {engine_new("engine", text, 0), peer_new(&peers->ida, ida_methods, 6)};
  compare(results, &task, movers, 2);
  free_models(movers, 1);
  free(text);
}

/* ---- from a description to a function ---- */

static double time_compile(const char* name, const char* text) {
  double begin = seconds_used(), used;
  int runs = 0;
  do {
    zw_model_destroy(compile_model(name, text));
    runs++;
    used = seconds_used() - begin;
  } while (used < bench_seconds(ROUND_SECONDS));
  return used / runs;
}

static void compare_compiling(Results* results, Peers* peers) {
  const char *names[] = {"four-bar-angles", "four-bar-parts"},
             *measure = "four-bar: SymPy derive + lambdify / engine compile";
  char* texts[] = {read_scene(names[0]), read_scene(names[1])};
  double seconds[] = {INFINITY, INFINITY}, sympy = INFINITY;
  bool is_there = peers->sympy.process != 0;
  for (int round = 0; round < bench_rounds(SCENE_ROUNDS); round++) {
    double used;
    for (int i = 0; i < 2; i++) seconds[i] = fmin(seconds[i], time_compile(names[i], texts[i]));
    if (is_there && talk_ask(&peers->sympy, "derive 3 four-bar 0 0", &used, NULL, 0)) sympy = fmin(sympy, used);
  }
  put(results, "four-bar: engine; text by angles to machine code (counts)", 1e6 * seconds[0], "us", NAN, NAN);
  put(results, "four-bar: engine; text from parts to machine code", 1e6 * seconds[1], "us", NAN, NAN);
  if (is_there) {
    put(results, "four-bar: SymPy derive + lambdify", 1e6 * sympy, "us", NAN, NAN);
    put(results, measure, sympy / seconds[0], "", 100, NAN);
  } else {
    put_absent(results, measure, "not installed", 100, NAN);
  }
  free(texts[0]);
  free(texts[1]);
}

/* ---- all ---- */

static Peers start_peers(void) {
  static char script[1000];
  const char* root = getenv("ZWANG_ROOT");
  snprintf(script, sizeof script, "%s/bench/peers/peer_sympy.py", root ? root : ".");
  return (Peers){
      .mujoco = talk_begin("MuJoCo", ZW_PEER_MUJOCO, NULL),
      .simbody = talk_begin("Simbody", ZW_PEER_SIMBODY, NULL),
      .ida = talk_begin("IDA", ZW_PEER_IDA, NULL),
      .sympy = talk_begin("SymPy", ZW_PEER_PYTHON, script),
  };
}

/* Without a word all of them; with words only these. */
static bool is_asked(int count, char** words, const char* scene) {
  for (int i = 1; i < count; i++) {
    if (strcmp(words[i], scene) == 0) return true;
  }
  return count == 1;
}

static void compare_scene(const char* scene, Peers* peers) {
  char name[100];
  snprintf(name, sizeof name, "peers-%s", scene);
  Results results = open_results(name);
  if (strcmp(scene, "rods-10") == 0) compare_rods(&results, peers, 10, 1e-6, (double[]){3, 15, 50, 50});
  if (strcmp(scene, "rods-100") == 0) compare_rods(&results, peers, 100, 1e-6, (double[]){50, 15, 0, 0});
  if (strcmp(scene, "rods-1000") == 0) compare_rods(&results, peers, 1000, 1e-4, (double[]){0, 8, 0, 0});
  if (strcmp(scene, "four-bar") == 0) compare_four_bar(&results, peers);
  if (strcmp(scene, "compiling") == 0) compare_compiling(&results, peers);
  if (strcmp(scene, "andrews") == 0) compare_andrews(&results, peers);
  close_results(&results);
}

/* Also peers that have no goal. */
static void draw_scenes(Peers* peers) {
  compare_rods(NULL, peers, 10, 1e-6, (double[]){1, 1, 1, 1});
  compare_rods(NULL, peers, 100, 1e-6, (double[]){1, 1, 1, 0});
  compare_rods(NULL, peers, 1000, 1e-4, (double[]){0, 1, 0, 0});
  compare_four_bar(NULL, peers);
  compare_andrews(NULL, peers);
  draw();
}

int main(int count, char** words) {
  static const char* const scenes[] = {"rods-10", "rods-100", "rods-1000", "four-bar", "andrews", "compiling"};
  Peers peers = start_peers();
  for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
    bool is_long = strcmp(scenes[i], "rods-100") == 0 || strcmp(scenes[i], "rods-1000") == 0;
    if (is_bench_short() && is_long) continue;
    if (is_asked(count, words, scenes[i])) compare_scene(scenes[i], &peers);
  }
  if (!is_bench_short() && is_asked(count, words, "draw")) draw_scenes(&peers);
  talk_end(&peers.mujoco), talk_end(&peers.simbody), talk_end(&peers.ida), talk_end(&peers.sympy);
  return 0;
}
