/* What is kept of a step that an event cuts. A step holds the branch of its switches to its end, and beyond the next switch the motion of that branch
 * may run to any values: 1 - u^2 does, of which `max(0, 1 - u^2)` makes nothing. Its error was small beside these. What is kept ends at the
 * switch, where nothing is as large; so the same error is measured once more, by the sizes of that part. If it is too large there, the
 * step is made again, hardly further than the event. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/sim.h"

/* Of a step: an event after this part of it cuts hardly anything. */
#define NEAR_END 0.9
/* The step that is made again, beside the part that is kept: the event is not lost at its end. */
#define LONGER 1.0625
/* Units of rounding, of the time and of the step: what ends so near to its start has hardly begun. */
#define SHORTEST 64

/* The error up to x of the step, and its rounding, by the sizes as they are now and the values up to the event. */
static double error_in(ZwSim* sim, double x) {
  double error = sim->stepper->measure(sim, sim->h_dense, x);
  zw_interpolate(sim, 1, sim->y_out);
  double rounding = x * DBL_EPSILON * zw_step_norm(sim, sim->y_out, sim->y_new);
  return zw_sizes_worse(error, rounding);
}

/* Forces at x of the step are included in the sizes. What has no value tells none. */
static void include_forces(ZwSim* sim, double x) {
  double* rate = sim->k[ZW_DOP853_STAGES + 1];
  zw_interpolate(sim, x, sim->y_out);
  if (!zw_eval_rate(sim, sim->t + x * sim->h_dense, sim->y_out, rate)) zw_sizes_include_forces(sim, rate);
}

/* By what values are and have been alone; then by what forces make of them on the way to x. */
static bool is_coarse(ZwSim* sim, double x) {
  sim->sizes.is_taken = false;
  zw_sizes_take(sim, 0);
  if (error_in(sim, x) <= 1) return false;
  for (int32_t i = 0; i < sim->n; i++) sim->sizes.pace[i] = 0;
  for (int k = 0; k < 3; k++) include_forces(sim, 0.5 * k * x);
  zw_sizes_take(sim, sim->step);
  return !(error_in(sim, x) <= 1);
}

bool zw_cut_is_coarse(ZwSim* sim) {
  const ZwNearness* near = &sim->near;
  double x = sim->step / sim->h_dense, shortest = SHORTEST * DBL_EPSILON * fmax(fabs(sim->t), sim->h_dense);
  bool is_plain = !near->is_near && !near->is_crossing && !near->is_limit;
  if (!sim->stepper->measure || !is_plain || !(sim->step > shortest) || !(x < NEAR_END)) return false;
  zw_sizes_keep(sim);
  bool is_too_coarse = is_coarse(sim, x);
  zw_sizes_put_back(sim);
  return is_too_coarse;
}

/* As after an event, from where the step begins; sizes know of the forces on the way to the event. */
static ZwStatus begin_again(ZwSim* sim) {
  double x = sim->step / sim->h_dense, *rate = sim->k[0];
  ZwStatus status = zw_eval_rate_projected(sim, sim->t, sim->y, rate);
  if (!status) {
    zw_sizes_restart(sim);
    zw_sizes_note_forces(sim, rate);
    include_forces(sim, 0.5 * x);
    include_forces(sim, x);
    status = zw_eval_rate_projected(sim, sim->t, sim->y, rate);
  }
  return status ? zw_fault_evaluation(sim, status, sim->y) : ZW_OK;
}

ZwStatus zw_cut_repeat(ZwSim* sim, double until) {
  double h = LONGER * sim->step;
  zw_events_take_back(sim);
  ZW_TRY(begin_again(sim));
  zw_singular_begin(sim);
  zw_stiffness_forget_rate(sim);
  sim->near.is_to_note = sim->has_next_sets = false;
  sim->h_accepted = 0;
  sim->h_next = h;
  sim->stats.rejected++;
  return sim->stepper->step(sim, until);
}
