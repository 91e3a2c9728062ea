#include "motion/sizes.h"

#include <float.h>
#include <math.h>

#include "least/dense.h"
#include "motion/islands.h"

/* Below every size: what has none is exact, and zero divided by this is zero. */
#define LEAST (DBL_MIN / DBL_EPSILON)
/* What shares a row is measured together: a coordinate is no less than this part of the row's largest term, ... */
#define JOINED 1e-2
/* ... and no less than so many roundings of it, in units of the tolerance, ... */
#define NOISE 8192
/* ... up to this part. */
#define JOINED_MOST 0.5
/* Of an acceleration, in roundings of the whole. */
#define ROUNDING 64
/* Quasi-velocities have sizes of their own; a rate this much smaller than the largest counts as this. */
#define ROUNDING_OF_QUASI 1e-6

/* What rows come to, where all their terms are of their sizes. */
static void size_rows(const ZwSim* sim, ZwLevel level, const double* unit) {
  const ZwPattern* A = &sim->equations->A;
  for (int32_t row = 0; row < sim->m; row++) {
    double sum = 0;
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) sum += sim->sizes.entry[k] * fabs(unit[A->column[k]]);
    sim->sizes.row[level][row] = sum;
  }
}

void zw_sizes_set_span(ZwSim* sim, double span) {
  sim->sizes.span = isfinite(span) && span > 0 ? span : INFINITY;
}

double zw_sizes_time(const ZwSim* sim) {
  if (isfinite(sim->sizes.span)) return sim->sizes.span;
  return sim->t != 0 ? fabs(sim->t) : sim->h_next;
}

void zw_sizes_open(ZwSim* sim) {
  ZwSizes* sizes = &sim->sizes;
  for (int32_t i = 0; i < 2 * sim->n; i++) sizes->largest[i] = fabs(sim->typed[i]);
  for (int32_t i = 0; i < sim->n; i++) sizes->largest[i] = zw_larger(sizes->largest[i], sim->scale_of[i]);
  for (int32_t k = 0; k < sim->equations->A.count; k++) sizes->entry[k] = sizes->move[k] = 0;
  for (int32_t i = 0; i < sim->n; i++) sizes->pace[i] = sizes->mass[i] = sim->k[0][i] = 0;
  for (int32_t i = 0; i < sim->m_all; i++) sizes->reaction[i] = sizes->row[0][i] = sizes->row[1][i] = 0;
  zw_sizes_find_islands(sim);
  zw_sizes_take(sim, 0);
}

void zw_sizes_enter_quasi(ZwSim* sim) {
  for (int32_t i = sim->n; i < 2 * sim->n; i++) sim->sizes.largest[i] = 0;
  zw_sizes_note_state(sim, sim->y);
}

/* How much of a row's terms each coordinate in it is at least. */
static double part_of_row(const ZwSim* sim) {
  double rounding = NOISE * DBL_EPSILON / sim->tolerance;
  return sim->sizes.is_eased ? JOINED_MOST : zw_smaller(JOINED_MOST, zw_larger(JOINED, rounding));
}

/* A M^-1 A^T of a row over what has a mass, M taken by coordinate. */
static double give_of(const ZwSim* sim, int32_t row) {
  const ZwPattern* A = &sim->equations->A;
  double sum = 0;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
    double mass = sim->sizes.mass[A->column[k]], entry = sim->sizes.entry[k];
    if (mass > 0) sum += entry * entry / mass;
  }
  return sum;
}

/* Rows as they are at an accepted state: how far such a part moves each coordinate that they hold. */
static void note_rows(ZwSim* sim) {
  const ZwPattern* A = &sim->equations->A;
  ZwSizes* sizes = &sim->sizes;
  for (int32_t k = 0; k < A->count; k++) sizes->entry[k] = fabs(sim->Ax[k]);
  for (int32_t row = 0; row < sim->m; row++) {
    double give = give_of(sim, row), sum = 0;
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
      double mass = sizes->mass[A->column[k]], hold = mass > 0 ? sqrt(give * mass) : sizes->entry[k];
      sizes->move[k] = hold > 0 ? 1 / hold : 0;
      sum += sizes->entry[k] * sizes->pace[A->column[k]];
    }
    sizes->reaction[row] = give > 0 ? sum / give : 0;
  }
}

static void join_row(const ZwSim* sim, int32_t row, double part, double* unit) {
  const ZwPattern* A = &sim->equations->A;
  double largest = 0;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++)
    largest = zw_larger(largest, sim->sizes.entry[k] * unit[A->column[k]]);
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
    int32_t j = A->column[k];
    unit[j] = zw_larger(unit[j], part * largest * sim->sizes.move[k]);
  }
}

static bool is_joining(const ZwSim* sim, int32_t row, ZwLevel level) {
  return sim->equations->rows.items[row].level <= level && zw_rows_is_on(sim, row);
}

/* Sizes of what shares rows, there and back, so that the order of the rows hardly matters. */
static void join_rows(const ZwSim* sim, ZwLevel level, double* unit) {
  double part = part_of_row(sim);
  for (int32_t row = 0; row < sim->m; row++) {
    if (is_joining(sim, row, level)) join_row(sim, row, part, unit);
  }
  for (int32_t row = sim->m; row-- > 0;) {
    if (is_joining(sim, row, level)) join_row(sim, row, part, unit);
  }
}

/* The rates of quasi-velocities are known, what they are made of is not: rounding is a part of the largest. */
static void note_quasi(ZwSim* sim, const double* rate) {
  int32_t n = sim->n;
  double *pace = sim->sizes.pace, largest = 0;
  for (int32_t i = 0; i < n; i++) largest = zw_larger(largest, fabs(rate[n + i]));
  for (int32_t i = 0; i < n; i++) pace[i] = zw_larger(fabs(rate[n + i]), ROUNDING_OF_QUASI * largest);
}

/* Accelerations under rows are rounded in the metric of the masses, each by a part of the whole. */
static void add_rounding(ZwSim* sim) {
  double *pace = sim->sizes.pace, sum = 0, part = ROUNDING * DBL_EPSILON / sim->tolerance;
  const double* mass = sim->sizes.mass;
  if (sim->sets[ZW_LEVEL_ACCELERATION].count == 0) return;
  for (int32_t i = 0; i < sim->n; i++) sum += mass[i] * pace[i] * pace[i];
  for (int32_t i = 0; i < sim->n; i++) {
    if (mass[i] > 0) pace[i] = zw_larger(pace[i], part * sqrt(sum / mass[i]));
  }
}

void zw_sizes_note_forces(ZwSim* sim, const double* rate) {
  double *pace = sim->sizes.pace, rate_of_run = 1 / sim->sizes.span;
  const double* largest = sim->sizes.largest;
  for (int32_t i = 0; i < sim->n; i++) {
    double mass = sim->sizes.mass[i] = zw_rows_mass(sim, i);
    double forces = mass > 0 ? (fabs(sim->h[i]) + fabs(sim->Qc[i])) / mass : 0;
    double slowest = rate_of_run * zw_larger(largest[sim->n + i], rate_of_run * largest[i]);
    pace[i] = zw_larger(slowest, zw_larger(fabs(sim->a[i]), forces));
  }
  add_rounding(sim);
  if (sim->formulation == ZW_FORMULATION_QUASI) note_quasi(sim, rate);
  note_rows(sim);
}

void zw_sizes_note_state(ZwSim* sim, const double* y) {
  double* largest = sim->sizes.largest;
  for (int32_t i = 0; i < 2 * sim->n; i++) largest[i] = zw_larger(largest[i], fabs(y[i]));
}

/* What begins to move out of rest as a high power of the time is as wrong as it is large, however short the step: less than a
 * rounding of the whole, in the metric of the masses, is nothing. */
static void ease(const ZwSim* sim, double* unit) {
  const double* mass = sim->sizes.mass;
  double sum = 0;
  for (int32_t i = 0; i < sim->n; i++) sum += mass[i] * unit[i] * unit[i];
  for (int32_t i = 0; i < sim->n; i++) {
    if (mass[i] > 0) unit[i] = zw_larger(unit[i], DBL_EPSILON * sqrt(sum / mass[i]));
  }
}

void zw_sizes_ease(ZwSim* sim) {
  sim->sizes.is_eased = true;
}

void zw_sizes_take(ZwSim* sim, double h) {
  const ZwSizes* sizes = &sim->sizes;
  int32_t n = sim->n;
  const double* largest = sizes->largest;
  double rate = 1 / sizes->span, *unit = sizes->unit;
  bool has_velocities = sim->formulation != ZW_FORMULATION_QUASI;
  for (int32_t i = 0; i < n; i++) {
    double change = zw_larger(h * sizes->pace[i], rate * largest[i]);
    unit[n + i] = zw_larger(LEAST, zw_larger(largest[n + i], change));
  }
  if (has_velocities) join_rows(sim, ZW_LEVEL_VELOCITY, unit + n);
  if (has_velocities && sizes->is_eased) ease(sim, unit + n);
  for (int32_t i = 0; i < n; i++) {
    double velocity = has_velocities ? unit[n + i] : zw_larger(fabs(sim->k[0][i]), h * sizes->pace[i]);
    unit[i] = zw_larger(LEAST, zw_larger(largest[i], h * velocity));
  }
  join_rows(sim, ZW_LEVEL_POSITION, unit);
  if (sizes->is_eased) ease(sim, unit);
  size_rows(sim, ZW_LEVEL_POSITION, unit);
  size_rows(sim, ZW_LEVEL_VELOCITY, has_velocities ? unit + n : sim->k[0]);
}

void zw_sizes_find_islands(ZwSim* sim) {
  ZwSizes* sizes = &sim->sizes;
  ZwIslands islands = {.of = sizes->island};
  zw_islands_now(sim, ZW_JOIN_TERMS, NULL, &islands);
  sizes->islands = islands.count;
  for (int32_t g = 0; g < islands.count; g++) sizes->island_size[g] = 0;
  for (int32_t i = 0; i < sim->n; i++) sizes->island_size[sizes->island[i]]++;
}

double zw_sizes_norm(const ZwSim* sim, int32_t first, int32_t count, const double* x, const double* y,
                     double tolerance) {
  const ZwSizes* sizes = &sim->sizes;
  double *sums = sizes->sums, worst = 0;
  for (int32_t g = 0; g < sizes->islands; g++) sums[g] = 0;
  for (int32_t i = 0; i < count; i++) {
    double scaled = x[i] / (tolerance * (sizes->unit[first + i] + (y ? fabs(y[i]) : 0)));
    sums[sizes->island[i < sim->n ? i : i - sim->n]] += scaled * scaled;
  }
  for (int32_t g = 0; g < sizes->islands; g++) {
    double mean = sums[g] / ((double)sizes->island_size[g] * (count / sim->n));
    worst = zw_sizes_worse(worst, mean);
  }
  return sqrt(worst);
}

/* Adds what the values that events read move by when that moves by its sizes which `entry` is about. */
static void add_event_sizes(ZwSim* sim, ZwEntry entry, const double** input, const double* sizes) {
  ZwKernelState* state = &sim->state;
  double* kept = state->targets[ZW_TARGET_EVENT];
  const double* from = *input;
  state->targets[ZW_TARGET_EVENT] = sim->sizes.events;
  *input = sizes;
  zw_program_run(sim->program, entry, state);
  *input = from;
  state->targets[ZW_TARGET_EVENT] = kept;
}

void zw_sizes_take_margins(ZwSim* sim, double t, const double* y) {
  ZwLooks* looks = &sim->watch.looks;
  if (looks->count == 0) return;
  int32_t events = sim->equations->event_count, n = sim->n;
  for (int32_t i = 0; i < events; i++) sim->sizes.events[i] = 0;
  zw_eval_at(sim, t, y, zw_velocity(sim, t, y));
  add_event_sizes(sim, ZW_ENTRY_SIZE_Q, &sim->state.a, sim->sizes.unit);
  add_event_sizes(sim, ZW_ENTRY_SIZE_V, &sim->state.a, sim->sizes.unit + n);
  add_event_sizes(sim, ZW_ENTRY_SIZE_R, &sim->state.reactions, sim->sizes.reaction);
  for (int32_t i = 0; i < looks->count; i++) {
    double size = sim->sizes.events[events - looks->count + i];
    double time = sim->system->margins.items[i].is_of_time ? fabs(t) : 0;
    looks->size[i] = isfinite(size) ? zw_larger(size, time) : 0;
  }
}
