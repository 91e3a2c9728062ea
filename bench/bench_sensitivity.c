/* What derivatives of a motion cost, in runs without them: forward sensitivities by one number and by each more, and a gradient by all. */
#include "scene.h"

enum { BY_MOST = 64 };

typedef struct Scene {
  const char* name;
  const char* of; /* of the gradient */
  double to;
} Scene;

static const Scene scenes[] = {
    {"pendulum", "angle", 10}, {"slider-crank", "stroke", 10}, {"andrews", "be", 0.03}, {"n-pendulum", "P[4].x", 2}};

typedef struct Task {
  const ZwModel* model;
  const Scene* scene;
  const char* const* by;
  int32_t count;
  bool is_gradient;
} Task;

static void run_task(void* context) {
  const Task* task = context;
  ZwRunDef def = zw_default_run_def();
  def.to = def.every = task->scene->to;
  def.integrator = "explicit";
  def.sensitivity = task->by;
  def.sensitivity_count = task->count;
  def.gradient = task->is_gradient;
  ZwRun* run;
  const ZwGradient* gradient = NULL;
  if (zw_run_create(task->model, &def, &run) || zw_run_go(run)) give_up(task->scene->name, "does not run");
  if (task->is_gradient && zw_run_gradient(run, task->scene->of, &gradient))
    give_up(task->scene->name, "has no gradient");
  zw_run_destroy(run);
}

/* All that can be varied. */
static int32_t find_names(const ZwModel* model, const Scene* scene, const char** names) {
  ZwRunDef def = zw_default_run_def();
  def.to = def.every = scene->to;
  def.gradient = true;
  ZwRun* run;
  const ZwGradient* gradient = NULL;
  if (zw_run_create(model, &def, &run) || zw_run_go(run) || zw_run_gradient(run, scene->of, &gradient))
    give_up(scene->name, "has no gradient");
  int32_t count = gradient->count < BY_MOST ? gradient->count : BY_MOST;
  for (int32_t i = 0; i < count; i++) names[i] = strdup(gradient->by[i]);
  zw_run_destroy(run);
  return count;
}

static void measure(Results* results, const Scene* scene) {
  char what[200], *text = read_example(scene->name);
  const char* names[BY_MOST];
  ZwModel* model = compile_model(scene->name, text);
  free(text);
  int32_t count = find_names(model, scene, names);
  Task tasks[] = {{model, scene, NULL, 0, false},
                  {model, scene, names, 1, false},
                  {model, scene, names, count, false},
                  {model, scene, NULL, 0, true}};
  Way ways[4];
  for (int i = 0; i < 4; i++) ways[i] = (Way){run_task, &tasks[i], 0};
  take_turns(ways, 4, 0.02);
  double run = ways[0].seconds;
  snprintf(what, sizeof what, "%s: forward by one / a run", scene->name);
  put(results, what, ways[1].seconds / run, "", NAN, NAN);
  snprintf(what, sizeof what, "%s: forward, each more of %d / a run", scene->name, (int)count);
  put(results, what, count > 1 ? (ways[2].seconds - ways[1].seconds) / (count - 1) / run : NAN, "", NAN, NAN);
  snprintf(what, sizeof what, "%s: gradient by %d / a run", scene->name, (int)count);
  put(results, what, ways[3].seconds / run, "", NAN, NAN);
  for (int32_t i = 0; i < count; i++) free((void*)(uintptr_t)names[i]);
  zw_model_destroy(model);
}

int main(void) {
  Results results = open_results("sensitivity");
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) measure(&results, &scenes[i]);
  close_results(&results);
  return 0;
}
