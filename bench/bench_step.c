/* What a step of the explicit integrator takes beside its evaluations and its projection, in parts of them: by the engine, and by C
 * written by hand for one mechanism with the same pair of order 8, the same error control and the same projection, but without rows,
 * dense output, evidence, or an eye on singular positions. Counted in instructions, because what surrounds an evaluation is too short
 * for a clock; steps are timed too. */
#include "four_bar.h"
#include "motion/dop853.h"
#include "scene.h"
#include "zwang/handles.h"

#define TOLERANCE 1e-8
#define TOL_PROJECT (1e-3 * TOLERANCE)
#define AGREE 1e-4 /* of two motions to the end, each of them within the tolerance of its steps */

enum { COORDS_MAX = N, ROOM = (2 * COORDS_MAX + 3) / 4 * 4, NEWTON_MAX = 12 };

/* ---- by hand: steps ---- */

#define EVERYWHERE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline)) /* so that it can be counted */

typedef void (*RateFn)(const void* system, const double* y, double* rate);
/* Puts y onto the constraints and gives how far that is, in units of the tolerance. */
typedef double (*ProjectFn)(const void* system, double* y);

typedef struct Mechanism {
  const void* system;
  RateFn rate;
  ProjectFn project;
} Mechanism;

#define A(s, j) (zw_dop853.a[s][j] * k[j][i])
#define STAGE(s, sum)                                         \
  for (int i = 0; i < room; i++) y_new[i] = y[i] + h * (sum); \
  mechanism.rate(mechanism.system, y_new, k[s]);
#define AT_END(w)                                                                                        \
  (w[0] * k[0][i] + w[5] * k[5][i] + w[6] * k[6][i] + w[7] * k[7][i] + w[8] * k[8][i] + w[9] * k[9][i] + \
   w[10] * k[10][i] + w[11] * k[11][i])

/* The end of an attempt and its error. */
EVERYWHERE double attempt(Mechanism mechanism, int dim, double h, const double* y, double (*k)[ROOM], double* y_new) {
  int room = (dim + 3) / 4 * 4; /* whole vectors */
  STAGE(1, A(1, 0))
  STAGE(2, A(2, 0) + A(2, 1))
  STAGE(3, A(3, 0) + A(3, 2))
  STAGE(4, A(4, 0) + A(4, 2) + A(4, 3))
  STAGE(5, A(5, 0) + A(5, 3) + A(5, 4))
  STAGE(6, A(6, 0) + A(6, 3) + A(6, 4) + A(6, 5))
  STAGE(7, A(7, 0) + A(7, 3) + A(7, 4) + A(7, 5) + A(7, 6))
  STAGE(8, A(8, 0) + A(8, 3) + A(8, 4) + A(8, 5) + A(8, 6) + A(8, 7))
  STAGE(9, A(9, 0) + A(9, 3) + A(9, 4) + A(9, 5) + A(9, 6) + A(9, 7) + A(9, 8))
  STAGE(10, A(10, 0) + A(10, 3) + A(10, 4) + A(10, 5) + A(10, 6) + A(10, 7) + A(10, 8) + A(10, 9))
  STAGE(11, A(11, 0) + A(11, 3) + A(11, 4) + A(11, 5) + A(11, 6) + A(11, 7) + A(11, 8) + A(11, 9) + A(11, 10))
  double e5 = 0, e3 = 0;
  for (int i = 0; i < room; i++) y_new[i] = y[i] + h * AT_END(zw_dop853.b);
  for (int i = 0; i < dim; i++) {
    double scale = TOLERANCE * (1 + fmax(fabs(y[i]), fabs(y_new[i])));
    double d5 = AT_END(zw_dop853.e5) / scale, d3 = AT_END(zw_dop853.e3) / scale;
    e5 += d5 * d5;
    e3 += d3 * d3;
  }
  return e5 == 0 ? 0 : h * e5 / sqrt((e5 + 0.01 * e3) * dim);
}

/* From y, which has room for whole vectors, at 0 to the time `to`, as step.c chooses steps; gives how many. */
EVERYWHERE int64_t integrate(Mechanism mechanism, int dim, double* y, double to) {
  double k[ZW_DOP853_STAGES][ROOM] = {{0}}, y_new[ROOM] = {0};
  double t = 0, h = 1e-3 * to, grows_most = 6;
  int64_t steps = 0;
  mechanism.rate(mechanism.system, y, k[0]);
  while (t < to) {
    double rest = to - t;
    if (h >= 0.99 * rest)
      h = rest;
    else if (h > 0.5 * rest)
      h = 0.5 * rest;
    double error = attempt(mechanism, dim, h, y, k, y_new);
    if (error <= 1) error = fmax(error, 0.1 * mechanism.project(mechanism.system, y_new));
    double factor = error > 0 ? fmax(0.2, 0.8 * pow(error, -1.0 / ZW_DOP853_ORDER)) : grows_most;
    if (!(error <= 1)) {
      h *= isfinite(error) ? factor : 0.25;
      grows_most = 1;
      continue;
    }
    t = h == rest ? to : t + h;
    h *= fmin(grows_most, factor);
    grows_most = 6;
    steps++;
    memcpy(y, y_new, (size_t)dim * sizeof(double));
    mechanism.rate(mechanism.system, y, k[0]);
  }
  return steps;
}

EVERYWHERE double moved(int n, const double* before, const double* after) {
  double sum_of_squares = 0;
  for (int i = 0; i < n; i++) {
    double scaled = (after[i] - before[i]) / (TOLERANCE * (1 + fabs(after[i])));
    sum_of_squares += scaled * scaled;
  }
  return sqrt(sum_of_squares / n);
}

/* ---- by hand: the four-bar ---- */

APART void rate_of_four_bar(const void* system, const double* y, double* rate) {
  memcpy(rate, y + N, N * sizeof(double));
  four_bar_accelerate(system, y, y + N, rate + N);
}

/* How far the ends at each pin are apart, with the other sign, and the largest; x: the middles of the rods; c, s: their halves; or the
 * rates of both. */
EVERYWHERE double open_pins(const double* x, const double* c, const double* s, double right, double r[PINS][2]) {
  r[0][0] = c[0] - x[0];
  r[0][1] = s[0] - x[1];
  r[1][0] = (x[3] - c[1]) - (x[0] + c[0]);
  r[1][1] = (x[4] - s[1]) - (x[1] + s[0]);
  r[2][0] = (x[6] + c[2]) - (x[3] + c[1]);
  r[2][1] = (x[7] + s[2]) - (x[4] + s[1]);
  r[3][0] = right + c[2] - x[6];
  r[3][1] = s[2] - x[7];
  double largest = 0;
  for (int i = 0; i < PINS; i++) largest = fmax(largest, fmax(fabs(r[i][0]), fabs(r[i][1])));
  return largest;
}

/* x + dx with A dx = r, least in the metric of M. */
EVERYWHERE void close_pins(const FourBar* bar, const Halves* at, const Factors* factors, double r[PINS][2], double* x) {
  double f[PINS][2], dx[N];
  four_bar_solve(factors, r, f);
  four_bar_move(bar, at, f, dx);
  for (int i = 0; i < N; i++) x[i] += dx[i];
}

/* Newton's steps with the factors of the first one, and one more when the test is passed, as project.c. */
EVERYWHERE double project_positions(const FourBar* bar, double* q) {
  double before[N], r[PINS][2];
  Halves first = four_bar_halves(bar, q), at = first;
  Factors factors;
  bool is_last = false;
  memcpy(before, q, sizeof before);
  four_bar_factor(bar, &first, &factors);
  for (int i = 0; i < NEWTON_MAX; i++) {
    double off = open_pins(q, at.c, at.s, RIGHT_PIN, r);
    if (is_last) return moved(N, before, q);
    is_last = off <= TOL_PROJECT;
    close_pins(bar, &first, &factors, r, q);
    at = four_bar_halves(bar, q);
  }
  return INFINITY;
}

EVERYWHERE double project_velocities(const FourBar* bar, const double* q, double* v) {
  double before[N], r[PINS][2];
  Halves at = four_bar_halves(bar, q);
  Factors factors;
  bool is_last = false;
  memcpy(before, v, sizeof before);
  four_bar_factor(bar, &at, &factors);
  for (int i = 0; i < NEWTON_MAX; i++) {
    double c[RODS], s[RODS];
    for (int rod = 0; rod < RODS; rod++) {
      c[rod] = -at.s[rod] * v[3 * rod + 2];
      s[rod] = at.c[rod] * v[3 * rod + 2];
    }
    double off = open_pins(v, c, s, 0, r);
    if (is_last) return moved(N, before, v);
    is_last = off <= TOL_PROJECT;
    close_pins(bar, &at, &factors, r, v);
  }
  return INFINITY;
}

APART double project_four_bar(const void* system, double* y) {
  double by_q = project_positions(system, y), by_v = project_velocities(system, y, y + N);
  return fmax(by_q, by_v);
}

APART int64_t move_four_bar(double* y, double to) {
  FourBar bar = four_bar_new();
  return integrate((Mechanism){&bar, rate_of_four_bar, project_four_bar}, 2 * N, y, to);
}

/* ---- by hand: examples/pendulum.zw ---- */

APART void rate_of_pendulum(const void* system, const double* y, double* rate) {
  (void)system;
  double tension = (GRAVITY * y[1] - (y[2] * y[2] + y[3] * y[3])) / (y[0] * y[0] + y[1] * y[1]);
  rate[0] = y[2];
  rate[1] = y[3];
  rate[2] = tension * y[0];
  rate[3] = tension * y[1] - GRAVITY;
}

APART double project_pendulum(const void* system, double* y) {
  (void)system;
  double x0 = y[0], y0 = y[1], before[4];
  bool is_last = false;
  memcpy(before, y, sizeof before);
  for (int i = 0;; i++) {
    double off = y[0] * y[0] + y[1] * y[1] - 1;
    if (is_last) break;
    if (i == NEWTON_MAX) return INFINITY;
    double part = off / (2 * (x0 * x0 + y0 * y0));
    is_last = fabs(off) <= 2 * TOL_PROJECT;
    y[0] -= part * x0;
    y[1] -= part * y0;
  }
  is_last = false;
  for (;;) {
    double off = y[0] * y[2] + y[1] * y[3];
    if (is_last) break;
    double part = off / (y[0] * y[0] + y[1] * y[1]);
    is_last = fabs(off) <= TOL_PROJECT;
    y[2] -= part * y[0];
    y[3] -= part * y[1];
  }
  return fmax(moved(2, before, y), moved(2, before + 2, y + 2));
}

APART int64_t move_pendulum(double* y, double to) {
  return integrate((Mechanism){NULL, rate_of_pendulum, project_pendulum}, 4, y, to);
}

/* ---- the models ---- */

typedef struct Scene {
  const char *name, *example, *file; /* `example`, or `file` below bench, or the text of four_bar.h */
  double to;
  int coords;
  int64_t (*move)(double* y, double to);
  const char* parts; /* of that, for callgrind */
  double rods;       /* NaN: it has no parameter N */
} Scene;

static const Scene scenes[] = {
    {"pendulum", "pendulum", NULL, 50, 2, move_pendulum,
     "'--toggle-collect=rate_of_pendulum*' '--toggle-collect=project_pendulum*'", NAN},
    {"four-bar", NULL, NULL, 20, N, move_four_bar,
     "'--toggle-collect=rate_of_four_bar*' '--toggle-collect=project_four_bar*'", NAN},
    {"andrews", "andrews", NULL, 0.03, 7, NULL, NULL, NAN},
    {"net", "net", NULL, 2, 60, NULL, NULL, NAN},
    {"rods", NULL, "rods-ends", 1, 200, NULL, NULL, 100},
};

enum { SCENES = sizeof scenes / sizeof *scenes };

static ZwModel* scene_compile(const Scene* scene) {
  char path[1000], *text = NULL, line[4000];
  const char* root = getenv("ZWANG_ROOT");
  if (scene->example) text = read_example(scene->example);
  if (scene->file) {
    snprintf(path, sizeof path, "%s/bench/scenes/%s.zw", root ? root : ".", scene->file);
    text = read_text(path);
    char* number = strstr(text, "N = 10");
    if (!number) give_up(path, "does not say how many rods there are");
    snprintf(line, sizeof line, "%.*sN = %g%s", (int)(number - text), text, scene->rods, number + strlen("N = 10"));
  }
  ZwModel* model = compile_model(scene->name, scene->file ? line : text ? text : text_of_four_bar);
  free(text);
  return model;
}

typedef struct Engine {
  const Scene* scene;
  ZwModel* model;
  double y[ROOM]; /* of small ones: at the end */
  int64_t steps;
} Engine;

static ZwRun* engine_begin(const Engine* engine) {
  ZwRun* run = NULL;
  ZwRunDef how = zw_default_run_def();
  how.to = how.every = engine->scene->to;
  how.tolerance = TOLERANCE;
  how.integrator = "explicit";
  if (zw_run_create(engine->model, &how, &run)) give_up(engine->scene->name, zw_run_diag(run, 0)->text);
  if (zw_run_report(run)->n != engine->scene->coords) give_up(engine->scene->name, "has other coordinates");
  return run;
}

static void engine_move(void* context) {
  Engine* engine = context;
  ZwRun* run = engine_begin(engine);
  if (zw_run_go(run)) give_up(engine->scene->name, "does not come to its end");
  engine->steps = zw_run_report(run)->steps;
  if (engine->scene->move) memcpy(engine->y, run->sim->y, (size_t)(2 * engine->scene->coords) * sizeof(double));
  zw_run_destroy(run);
}

typedef struct Hand {
  const Scene* scene;
  double begin[ROOM], y[ROOM];
  int64_t steps;
} Hand;

static Hand hand_new(const Engine* engine) {
  Hand hand = {.scene = engine->scene};
  ZwRun* run = engine_begin(engine);
  memcpy(hand.begin, run->sim->y, (size_t)(2 * engine->scene->coords) * sizeof(double));
  zw_run_destroy(run);
  return hand;
}

static void hand_move(void* context) {
  Hand* hand = context;
  memcpy(hand->y, hand->begin, sizeof hand->y);
  hand->steps = hand->scene->move(hand->y, hand->scene->to);
}

/* ---- instructions ---- */

/* Inside of the functions named; NaN where there is no valgrind, or one that does not know all instructions of this processor, and
 * where a short run does not count. A function that was renamed is called no more. */
static double count_instructions(const char* program, const char* way, const char* scene, const char* functions) {
  char command[2000], line[500];
  double count = NAN;
  if (is_bench_short()) return NAN;
  snprintf(command, sizeof command, "valgrind --tool=callgrind --callgrind-out-file=/dev/null %s '%s' %s %s 2>&1",
           functions, program, way, scene);
  FILE* answer = popen(command, "r");
  while (answer && fgets(line, sizeof line, answer)) {
    const char* found = strstr(line, "Collected : ");
    if (found) count = strtod(found + strlen("Collected : "), NULL);
  }
  if (!answer || pclose(answer) != 0) return NAN;
  if (count == 0) give_up(scene, "counts no instruction: what is counted has another name, or none of its own");
  return count;
}

typedef struct Count {
  double all, parts; /* of a step; parts: evaluations and projections */
  double watch;      /* what only the engine does: rows and their rank, energy and residuals */
} Count;

static double rest_of(Count count) {
  return count.all - count.parts;
}

static Count count_engine(const char* program, const Engine* engine) {
  static const char all[] = "--toggle-collect=zw_run_begin --toggle-collect=zw_run_on";
  static const char parts[] =
      "--toggle-collect=zw_eval_rate --toggle-collect=zw_eval_rate_projected --toggle-collect=zw_eval_acceleration "
      "--toggle-collect=zw_eval_energy --toggle-collect=zw_project";
  /* a function inside of another one is left out of it */
  static const char watch[] =
      "--toggle-collect=zw_singular_may_land --toggle-collect=zw_singular_accept --toggle-collect=zw_rows_review "
      "--toggle-collect=zw_eval_acceleration --toggle-collect=zw_run_look";
  const char* name = engine->scene->name;
  double steps = (double)engine->steps;
  return (Count){count_instructions(program, "engine", name, all) / steps,
                 count_instructions(program, "engine", name, parts) / steps,
                 count_instructions(program, "engine", name, watch) / steps};
}

static Count count_hand(const char* program, const Hand* hand) {
  char all[200];
  const char* name = hand->scene->name;
  double steps = (double)hand->steps;
  snprintf(all, sizeof all, "'--toggle-collect=move_%s*'",
           hand->scene->move == move_pendulum ? "pendulum" : "four_bar");
  return (Count){count_instructions(program, "hand", name, all) / steps,
                 count_instructions(program, "hand", name, hand->scene->parts) / steps, 0};
}

/* ---- lines ---- */

static void put_count(Results* results, const char* name, const char* who, Count count, double at_most) {
  char measure[200];
  snprintf(measure, sizeof measure, "%s%s: instructions of a step", name, who);
  put(results, measure, count.all, "", NAN, NAN);
  snprintf(measure, sizeof measure, "%s%s: the rest / evaluations and projection", name, who);
  put(results, measure, rest_of(count) / count.parts, "", NAN, at_most);
}

static void put_time(Results* results, const char* name, const char* who, double seconds, int64_t steps) {
  char measure[200];
  snprintf(measure, sizeof measure, "%s%s: time of a step", name, who);
  put(results, measure, 1e9 * seconds / (double)steps, "ns", NAN, NAN);
}

static void compare_with_hand(Results* results, const char* program, Engine* engine, Count count) {
  const char* name = engine->scene->name;
  char measure[200];
  Hand hand = hand_new(engine);
  Way ways[] = {{engine_move, engine, 0}, {hand_move, &hand, 0}};
  take_turns(ways, 2, 0.05);
  if (!(difference(hand.y, engine->y, 2 * engine->scene->coords) < AGREE)) give_up(name, "moves otherwise by hand");
  Count by_hand = count_hand(program, &hand);
  put_count(results, name, " by hand", by_hand, NAN);
  snprintf(measure, sizeof measure, "%s: the rest / that by hand", name);
  put(results, measure, rest_of(count) / rest_of(by_hand), "", NAN, 1.5);
  snprintf(measure, sizeof measure, "%s: the same without what only the engine does", name);
  put(results, measure, (rest_of(count) - count.watch) / rest_of(by_hand), "", NAN, NAN);
  snprintf(measure, sizeof measure, "%s: the rest by hand / our evaluations and projection", name);
  put(results, measure, rest_of(by_hand) / count.parts, "", NAN, NAN);
  put_time(results, name, "", ways[0].seconds, engine->steps);
  put_time(results, name, " by hand", ways[1].seconds, hand.steps);
}

static void time_alone(Results* results, Engine* engine) {
  Way way = {engine_move, engine, 0};
  take_turns(&way, 1, 0.05);
  put_time(results, engine->scene->name, "", way.seconds, engine->steps);
}

/* Only moves, so many times: for a profiler, and for callgrind. */
static int only_move(const char* way, const char* name, int times) {
  for (int i = 0; i < SCENES; i++) {
    if (strcmp(scenes[i].name, name) != 0) continue;
    Engine engine = {.scene = &scenes[i], .model = scene_compile(&scenes[i])};
    Hand hand = scenes[i].move ? hand_new(&engine) : (Hand){0};
    for (int k = 0; k < times; k++) {
      if (strcmp(way, "engine") == 0) engine_move(&engine);
      if (strcmp(way, "hand") == 0 && scenes[i].move) hand_move(&hand);
    }
    zw_model_destroy(engine.model);
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 2) return only_move(argv[1], argv[2], argc > 3 ? atoi(argv[3]) : 1);
  Results results = open_results("step");
  for (int i = 0; i < SCENES; i++) {
    Engine engine = {.scene = &scenes[i], .model = scene_compile(&scenes[i])};
    engine_move(&engine);
    Count count = count_engine(argv[0], &engine);
    if (isnan(count.all) || isnan(count.parts)) {
      printf("instructions are not counted: a short run, no valgrind, or one that does not know this processor\n");
    }
    put_count(&results, scenes[i].name, "", count, 0.15);
    if (scenes[i].move)
      compare_with_hand(&results, argv[0], &engine, count);
    else
      time_alone(&results, &engine);
    zw_model_destroy(engine.model);
  }
  close_results(&results);
  return 0;
}
