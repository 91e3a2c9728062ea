/* What accuracy costs: five problems by every integrator that takes them, over all tolerances, or steps. The error at the
 * end is that against the explicit method at the tightest tolerance; the cost is counted in evaluations of the accelerations,
 * where a Jacobian counts as n of them. Prints all numbers, and draws error over cost into docs/pictures. */
#include "base/alloc.h"
#include "motion.h"
#include "output/loglog.h"
#include "rounds.h"

enum { POINTS = 16, NUMBERS = 200, STEPS_FIRST = 7, STEPS_LAST = 19 };

typedef struct Problem {
  const char *name, *title;
} Problem;

static const Problem problems[] = {
    {"pendulum-sundials", "Pendulum in x and y, 15 periods"},
    {"andrews", "Andrews' squeezing mechanism"},
    {"kepler", "Kepler, eccentricity 0.6"},
    {"chaplygin-sleigh", "Chaplygin's sleigh (nonholonomic)"},
    {"flyball-governor", "Flyball governor (stiff)"},
};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

typedef struct End {
  double y[NUMBERS];
  int32_t count;
} End;

static ZwStatus keep_end(void* context, const double* row) {
  End* end = context;
  memcpy(end->y, row + 1, (size_t)end->count * sizeof(double));
  return ZW_OK;
}

/* The end of the motion and its cost; false if it failed. */
static bool run_to_end(const ZwModel* model, ZwRunDef how, End* end, ZwLogPoint* point, double* seconds) {
  ZwRun* run = NULL;
  end->count = 2 * zw_model_coordinate_count(model);
  if (end->count > NUMBERS) give_up("work-precision", "too many coordinates");
  how.row = keep_end;
  how.context = end;
  double begun = seconds_used();
  ZwStatus status = zw_run_create(model, &how, &run);
  how.every = status ? NAN : zw_run_report(run)->to - zw_run_report(run)->from; /* rows cost evaluations too */
  zw_run_destroy(run);
  if (!status) status = zw_run_create(model, &how, &run);
  if (!status) status = zw_run_go(run);
  *seconds = seconds_used() - begun;
  if (!status) {
    const ZwReport* report = zw_run_report(run);
    point->x = (double)report->evaluations + (double)report->jacobians * report->n;
  }
  zw_run_destroy(run);
  return status == ZW_OK;
}

static double distance(const End* a, const End* b) {
  double most = 0;
  for (int32_t i = 0; i < a->count; i++) most = fmax(most, fabs(a->y[i] - b->y[i]) / (1 + fabs(b->y[i])));
  return most;
}

/* All settings of an integrator; how many of them ran. */
static int32_t measure(const ZwModel* model, const char* problem, const char* integrator, const End* exact,
                       ZwLogPoint* points) {
  int32_t count = 0;
  bool is_fixed = has_fixed_step(integrator);
  ZwRunDef how = zw_default_run_def();
  how.integrator = integrator;
  int first = is_fixed ? STEPS_FIRST : 4, last = is_fixed ? STEPS_LAST : 12;
  for (int k = first; k <= bench_size(last, first + 2); k++) {
    if (is_fixed) {
      how.step = ldexp(30, -k); /* half the one before; 30 is long for all of them */
    } else {
      how.tolerance = pow(10, -k);
    }
    End end;
    double seconds;
    if (!accepts(model, how)) return count;
    if (!run_to_end(model, how, &end, &points[count], &seconds)) continue;
    points[count].y = distance(&end, exact);
    printf("%-18s %-9s %s %-9.3g error %8.2e  cost %9.0f  %.3f s\n", problem, integrator,
           is_fixed ? "step     " : "tolerance", is_fixed ? how.step : how.tolerance, points[count].y, points[count].x,
           seconds);
    fflush(stdout);
    count++;
  }
  return count;
}

static void find_exact(const ZwModel* model, End* exact) {
  ZwRunDef how = zw_default_run_def();
  ZwLogPoint point;
  double seconds;
  how.integrator = "explicit";
  how.tolerance = 1e-13;
  if (!run_to_end(model, how, exact, &point, &seconds)) give_up("work-precision", "the reference run fails");
}

int main(void) {
  static ZwLogPoint points[PROBLEMS][ZW_LOGLOG_STYLES][POINTS];
  static ZwLogCurve curves[PROBLEMS][ZW_LOGLOG_STYLES];
  ZwLogPanel panels[PROBLEMS];
  const char* legend[ZW_LOGLOG_STYLES];
  int32_t styles = 0;
  for (int32_t i = 0; zw_integrator_text(i) && styles < ZW_LOGLOG_STYLES; i++) {
    if (strcmp(zw_integrator_text(i), "auto") != 0) legend[styles++] = zw_integrator_text(i); /* one of the others */
  }
  for (int p = 0; p < PROBLEMS; p++) {
    char* text = read_example(problems[p].name);
    ZwModel* model = compile_model(problems[p].name, text);
    End exact;
    find_exact(model, &exact);
    panels[p] = (ZwLogPanel){problems[p].title, curves[p], 0};
    for (int32_t s = 0; s < styles; s++) {
      int32_t count = measure(model, problems[p].name, legend[s], &exact, points[p][s]);
      if (count > 0) curves[p][panels[p].curve_count++] = (ZwLogCurve){s, points[p][s], count};
    }
    zw_model_destroy(model);
    free(text);
  }
  ZwLogPlot plot = {"What accuracy costs", "evaluations", "error at the end", legend, styles, panels, PROBLEMS};
  ZwAllocator allocator = zw_allocator_default();
  char path[1000], error[ZW_DRAFT_ERROR];
  const char* root = getenv("ZWANG_ROOT");
  snprintf(path, sizeof path, "%s/docs/pictures/work-precision.svg", root ? root : ".");
  if (is_bench_short()) return 0; /* three settings make no picture */
  if (zw_loglog_plot(&plot, &allocator, path, error)) give_up(path, error);
  printf("drawn: %s\n", path);
  return 0;
}
