/* Small systems: the solve is the straight-line code of kernel/eliminate.h, on the block of numbers that the kernels add to.
 * Where it finds pivots that are too small it leaves the answer to the solve that looks at ranks. */
#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "kernel/eliminate.h"
#include "least/dense.h"
#include "motion/sim.h"

static void run_part(ZwSim* sim, ZwEliminatePart part) {
  sim->small.state.v = sim->state.v;
  zw_program_eliminate(sim->program, part, &sim->small.state);
}

static double* number(const ZwSim* sim, int32_t place) {
  return sim->block + place;
}

/* What follows from M alone. */
static __attribute__((noinline)) bool renew_masses(ZwSim* sim) {
  ZwSmall* small = &sim->small;
  ptrdiff_t count = sim->equations->M.count;
  size_t size = (size_t)count * sizeof(double);
  if (small->has_M && memcmp(small->M, sim->Mx, size) == 0) return small->is_definite;
  memcpy(small->M, sim->Mx, size);
  small->has_M = true;
  small->has_factors = false;
  run_part(sim, ZW_ELIMINATE_MASS);
  small->is_definite = zw_all_finite(count, sim->Mx) && *number(sim, sim->program->block.mass_check) > 0;
  return small->is_definite;
}

/* M is often the same all the time, and known to be or not: what renews it stands apart, so that the others do not pay for its
 * registers. */
static inline bool ready_masses(ZwSim* sim) {
  const ZwSmall* small = &sim->small;
  return small->has_M && sim->program->is_M_constant ? small->is_definite : renew_masses(sim);
}

static double left_out(double size) {
  return zw_smaller(zw_larger(ZW_LEFT_OUT, ZW_LEFT_OUT_TIMES * (size * size)), ZW_LEFT_OUT_MOST);
}

/* Leaves the rows out that are not in the set. Seldom: what calls it always needs no registers for it. */
__attribute__((noinline)) static void use_rows(ZwSim* sim, const ZwRowSet* set) {
  double* slack = number(sim, sim->program->block.slack);
  bool is_full = set->count == sim->m;
  for (int32_t i = 0, r = 0; i < sim->m; i++) { /* the rows of a set are in order */
    bool is_in = r < set->count && set->rows[r] == i;
    slack[i] = is_in ? 0 : left_out(sim->scale[i]);
    r += is_in;
  }
  sim->small.is_full = is_full;
}

/* Where nothing is free, accelerations follow from the rows alone: those of the dense solve do, without the round-off of forces
 * that hold each other. */
static inline bool is_ready(ZwSim* sim, const ZwRowSet* set) {
  bool may_be = sim->small.is_on && sim->formulation == ZW_FORMULATION_AUTO && set->count < sim->n;
  if (!may_be || !ready_masses(sim)) return false;
  if (set->count < sim->m || !sim->small.is_full) use_rows(sim, set);
  return true;
}

static __attribute__((noinline)) void gather_reactions(ZwSim* sim, const ZwRowSet* set) {
  for (int32_t r = 0; r < set->count; r++) sim->lambda[r] = sim->lambda[set->rows[r]];
}

bool zw_small_solve(ZwSim* sim) {
  const ZwBlock* block = &sim->program->block;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  if (!is_ready(sim, set)) return false;
  run_part(sim, ZW_ELIMINATE_SOLVE);
  if (!(*number(sim, block->check) > 0)) return false;
  if (!sim->small.is_full) gather_reactions(sim, set);
  sim->is_minimum = sim->has_lambda = sim->small.is_ahead = true;
  sim->pivot_ratio = 1; /* until somebody asks */
  return true;
}

/* The ratio of the pivots of the factors, each in units of the size that its row can have. */
static double compare_pivots(const ZwSim* sim, const ZwRowSet* set) {
  const double* pivots = number(sim, sim->program->block.pivots);
  double least = INFINITY, largest = 0;
  for (int32_t r = 0; r < set->count; r++) {
    double size = sim->scale[set->rows[r]], pivot = pivots[set->rows[r]] / (size * size);
    least = pivot < least ? pivot : least;
    largest = pivot > largest ? pivot : largest;
  }
  return sqrt(least / largest);
}

/* Velocities are projected with the rows of the state at which the accelerations are wanted next, often with the same bits. Factors
 * of all rows are kept for that; what M has to do with them, ready_masses knows. */
bool zw_small_factor(ZwSim* sim, const ZwRowSet* set) {
  ZwSmall* small = &sim->small;
  size_t size = (size_t)sim->equations->A.count * sizeof(double);
  if (small->factored == set) return true;
  if (!is_ready(sim, set)) return false;
  small->factored = set;
  if (small->is_full && small->has_factors && memcmp(small->A, sim->Ax, size) == 0) return true;
  run_part(sim, ZW_ELIMINATE_FACTOR);
  small->pivot_ratio = compare_pivots(sim, set);
  small->has_factors = small->is_full;
  if (small->is_full) memcpy(small->A, sim->Ax, size);
  return true;
}

static bool run_projection(ZwSim* sim) {
  run_part(sim, ZW_ELIMINATE_PROJECT);
  return *number(sim, sim->program->block.project_check) > 0;
}

bool zw_small_project(ZwSim* sim, const ZwRowSet* set, const double* residual, double* dx) {
  const ZwBlock* block = &sim->program->block;
  double* r = number(sim, block->residual);
  if (set->count == sim->m) { /* all rows, in order */
    zw_copy(sim->m, residual, r);
  } else {
    memset(r, 0, (size_t)sim->m * sizeof(double));
    for (int32_t i = 0; i < set->count; i++) r[set->rows[i]] = residual[set->rows[i]];
  }
  bool is_fine = run_projection(sim);
  memcpy(dx, number(sim, block->dx), (size_t)sim->n * sizeof(double));
  return is_fine;
}

bool zw_small_measure(ZwSim* sim, double* smallest) {
  const ZwBlock* block = &sim->program->block;
  run_part(sim, ZW_ELIMINATE_MEASURE);
  *smallest = *number(sim, block->measure_check) > 0 ? *number(sim, block->smallest) : NAN;
  return *number(sim, block->surety) >= 0;
}

const double* zw_small_dual(const ZwSim* sim, double* unit) {
  const ZwBlock* block = &sim->program->block;
  if (!sim->small.has_measured) return NULL;
  *unit = 1 / *number(sim, block->length);
  return number(sim, block->dual);
}

bool zw_small_row_sizes(ZwSim* sim) {
  bool may_be = sim->small.is_on && sim->program->elimination->parts[ZW_ELIMINATE_SIZES].constants > 0;
  if (!may_be || !ready_masses(sim)) return false;
  run_part(sim, ZW_ELIMINATE_SIZES);
  return true;
}
