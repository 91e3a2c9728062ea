/* What the parts of a run cost. */
#include <string.h>

#include "zwang/handles.h"

#define ASIDE 1e-9       /* of the start: a state that is on the constraints as well as one inside of a step */
#define LONG_ENOUGH 2e-3 /* seconds of a round of calls: a clock sees that well */

enum { ROUNDS = 7, CALLS_MOST = 1 << 18 }; /* so many are long enough, unless the clock stands still */

typedef bool (*Part)(ZwSim* sim);

/* The start, and a state beside it in turns: factors of what is the same as before are kept, and nothing moves here. */
static double* other_state(ZwSim* sim) {
  double *begin = sim->k[ZW_DOP853_STAGES + 2], *turn = &begin[2 * sim->n];
  double aside = *turn > 0 ? ASIDE : 0;
  *turn = -*turn;
  for (int32_t i = 0; i < 2 * sim->n; i++) sim->y_out[i] = begin[i] + aside * (1 + begin[i]);
  return sim->y_out;
}

static bool compute(ZwSim* sim) {
  double* y = other_state(sim);
  return zw_eval_acceleration(sim, sim->t, y, y + sim->n);
}

static bool evaluate(ZwSim* sim) {
  return zw_eval_rate(sim, sim->t, other_state(sim), sim->k[ZW_DOP853_STAGES + 1]) == ZW_OK;
}

static bool project(ZwSim* sim) {
  int32_t row = -1;
  return zw_project(sim, sim->t, other_state(sim), &row) == ZW_PROJECTED;
}

/* Seconds for so many calls. */
static double time_of(ZwSim* sim, Part part, int64_t calls, double (*clock)(void), bool* is_fine) {
  double begun = clock();
  for (int64_t i = 0; i < calls; i++) *is_fine = part(sim) && *is_fine;
  return clock() - begun;
}

/* The least time of a call over some rounds, each long enough for the clock. */
static double cost_of(ZwSim* sim, Part part, double (*clock)(void), bool* is_fine) {
  int64_t calls = 1;
  double seconds = time_of(sim, part, calls, clock, is_fine);
  while (seconds < LONG_ENOUGH && calls < CALLS_MOST && *is_fine) {
    calls *= 2;
    seconds = time_of(sim, part, calls, clock, is_fine);
  }
  double least = seconds;
  for (int i = 1; i < ROUNDS && *is_fine; i++) {
    seconds = time_of(sim, part, calls, clock, is_fine);
    if (seconds < least) least = seconds;
  }
  return least / (double)calls;
}

static ZwStatus measure(ZwRun* run, double (*clock)(void), ZwCosts* costs) {
  ZW_TRY(zw_run_check_end(run));
  ZW_TRY(zw_run_check_fresh(run, "be measured"));
  ZwSim* sim = run->sim;
  bool is_fine = true;
  double* begin = sim->k[ZW_DOP853_STAGES + 2];
  memcpy(begin, sim->y, (size_t)(2 * sim->n) * sizeof(double));
  begin[2 * sim->n] = 1;
  int64_t evaluations = sim->stats.evaluations;
  costs->kernels = cost_of(sim, compute, clock, &is_fine);
  costs->evaluation = cost_of(sim, evaluate, clock, &is_fine);
  costs->projection = sim->m > 0 ? cost_of(sim, project, clock, &is_fine) : 0;
  sim->stats.evaluations = evaluations;
  if (!is_fine) return run->status = zw_fault_evaluation(sim, ZW_ERR_DOMAIN, sim->y);
  double begun = clock();
  ZW_TRY(zw_run_move(run, run->report.to));
  costs->run = clock() - begun;
  return ZW_OK;
}

ZwStatus zw_run_measure(ZwRun* run, double (*clock)(void), ZwCosts* costs) {
  ZW_CHECK(costs);
  *costs = (ZwCosts){0};
  ZW_CHECK(clock && zw_run_enter(run));
  return zw_run_leave(run, measure(run, clock, costs));
}
