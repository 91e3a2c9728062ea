#include "motion/sizes.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
/* Rounding of forces is this part of what a step may be wrong by. */
#define NOISE_OF_FORCES 8
/* Quasi-velocities have sizes of their own; a rate this much smaller than the largest counts as this. */
#define ROUNDING_OF_QUASI 1e-6
/* Steps of about the same length, by this factor, have the same sizes. */
#define ALIKE 2

/* Forces and rows are looked at in the first steps, and then in every fourth. */
enum { FIRST_STEPS = 8, EVERY = 4 };

/* Rounding of forces is looked at when a step was refused twice, or after so many refusals; not again before so many steps, and then
 * twice as many each time. */
enum { REFUSALS = 8, WAIT_FIRST = 16, WAIT_MOST = 1024 };

enum { ALONE = ZW_LEVEL_ACCELERATION }; /* a row that joins nothing: it is off, or about accelerations */

/* What rows come to, where all their terms are of their sizes. */
static void size_rows(const ZwSim* sim, const double* q, const double* v) {
  const ZwPattern* A = &sim->equations->A;
  const double* entry = sim->sizes.entry;
  for (int32_t row = 0; row < sim->m; row++) {
    double of_q = 0, of_v = 0;
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
      of_q += entry[k] * q[A->column[k]];
      of_v += entry[k] * fabs(v[A->column[k]]);
    }
    sim->sizes.row[ZW_LEVEL_POSITION][row] = of_q;
    sim->sizes.row[ZW_LEVEL_VELOCITY][row] = of_v;
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
  for (int32_t i = 0; i < sim->n; i++)
    sizes->pace[i] = sizes->mass[i] = sizes->give[i] = sizes->noise[i] = sim->k[0][i] = 0;
  sizes->refused = sizes->unseen = sizes->wait = 0;
  for (int32_t i = 0; i < sim->m_all; i++) sizes->reaction[i] = sizes->row[0][i] = sizes->row[1][i] = 0;
  zw_sizes_restart(sim);
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
    double part = sim->Ax[k] * sim->sizes.give[A->column[k]];
    sum += part * part;
  }
  return sum;
}

/* Rows as they are at an accepted state: how far such a part moves each coordinate that they hold. */
static void note_rows(ZwSim* sim) {
  const ZwPattern* A = &sim->equations->A;
  const double *give = sim->sizes.give, *pace = sim->sizes.pace;
  double* restrict entry = sim->sizes.entry, * restrict move = sim->sizes.move;
  for (int32_t row = 0; row < sim->m; row++) {
    double all = give_of(sim, row), hold = all > 0 ? 1 / sqrt(all) : 0, sum = 0;
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
      int32_t j = A->column[k];
      entry[k] = fabs(sim->Ax[k]);
      move[k] = hold * give[j];
      sum += entry[k] * pace[j];
      if (give[j] == 0) move[k] = entry[k] > 0 ? 1 / entry[k] : 0;
    }
    sim->sizes.reaction[row] = hold * hold * sum;
  }
}

/* Positions and velocities that share a row, or velocities alone; whether one of them has grown. */
static inline __attribute__((always_inline)) bool join_row(const ZwSim* sim, int32_t row, double part, double* q,
                                                           double* v) {
  const ZwPattern* A = &sim->equations->A;
  const double *entry = sim->sizes.entry, *move = sim->sizes.move;
  bool has_q = sim->sizes.joins[row] == ZW_LEVEL_POSITION, has_grown = false;
  double most_q = 0, most_v = 0;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
    most_q = zw_larger(most_q, entry[k] * q[A->column[k]]);
    most_v = zw_larger(most_v, entry[k] * v[A->column[k]]);
  }
  most_q = has_q ? part * most_q : 0;
  most_v *= part;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
    int32_t j = A->column[k];
    double least_q = most_q * move[k], least_v = most_v * move[k];
    has_grown |= (least_q > q[j]) | (least_v > v[j]);
    q[j] = zw_larger(q[j], least_q);
    v[j] = zw_larger(v[j], least_v);
  }
  return has_grown;
}

/* Sizes of what shares rows, there and back, so that the order of the rows hardly matters. */
static void join_rows(const ZwSim* sim, double* q, double* v) {
  const uint8_t* joins = sim->sizes.joins;
  double part = part_of_row(sim);
  bool has_grown = false;
  for (int32_t row = 0; row < sim->m; row++) {
    if (joins[row] != ALONE) has_grown |= join_row(sim, row, part, q, v);
  }
  if (!has_grown) return;
  for (int32_t row = sim->m; row-- > 0;) {
    if (joins[row] != ALONE) (void)join_row(sim, row, part, q, v);
  }
}

/* The rates of quasi-velocities are known, what they are made of is not: rounding is a part of the largest. */
static void note_quasi(ZwSim* sim, const double* rate) {
  int32_t n = sim->n;
  double *pace = sim->sizes.pace, largest = 0;
  for (int32_t i = 0; i < n; i++) largest = zw_larger(largest, fabs(rate[n + i]));
  for (int32_t i = 0; i < n; i++) pace[i] = zw_larger(fabs(rate[n + i]), ROUNDING_OF_QUASI * largest);
}

/* The parts of the equations that rows hold just now are those with a number in `held`: zero. The others have NaN. */
static void find_held(const ZwSim* sim, double* held) {
  const ZwPattern* A = &sim->equations->A;
  const ZwParts* parts = &sim->equations->parts;
  const ZwRowSet* set = &sim->sets[ZW_LEVEL_ACCELERATION];
  for (int32_t k = 0; k < parts->count; k++) held[k] = NAN;
  for (int32_t r = 0; r < set->count; r++) {
    int32_t first = A->begin[set->rows[r]];
    if (first < A->begin[set->rows[r] + 1]) held[parts->of[A->column[first]]] = 0;
  }
}

/* Accelerations under rows are rounded in the metric of the masses, each by a part of the whole that is solved for together: of what inertia
 * and rows join, and of nothing else. */
static void add_rounding(ZwSim* sim) {
  const ZwParts* parts = &sim->equations->parts;
  const double *mass = sim->sizes.mass, *give = sim->sizes.give;
  double *pace = sim->sizes.pace, *sums = sim->sizes.sums;
  if (sim->sets[ZW_LEVEL_ACCELERATION].count == 0) return;
  find_held(sim, sums);
  for (int32_t k = 0; k < parts->count; k++) {
    if (isnan(sums[k])) continue;
    double sum = 0;
    for (int32_t l = parts->begin[k]; l < parts->begin[k + 1]; l++) {
      int32_t i = parts->coords[l];
      sum += mass[i] * pace[i] * pace[i];
    }
    double part = ROUNDING * DBL_EPSILON / sim->tolerance * sqrt(sum);
    for (int32_t l = parts->begin[k]; l < parts->begin[k + 1]; l++) {
      int32_t i = parts->coords[l];
      pace[i] = zw_larger(pace[i], part * give[i]);
    }
  }
}

static void note_masses(ZwSim* sim) {
  ZwSizes* sizes = &sim->sizes;
  if (sizes->has_masses && sim->program->is_M_constant) return;
  sizes->has_masses = true;
  for (int32_t i = 0; i < sim->n; i++) {
    double mass = zw_rows_mass(sim, i);
    sizes->mass[i] = mass;
    sizes->give[i] = mass > 0 ? 1 / sqrt(mass) : 0;
  }
}

/* The accelerations, and what forces and reactions would make of each coordinate alone. */
static void note_pace(const ZwSim* sim, double* restrict pace) {
  const double *give = sim->sizes.give, *q = sim->sizes.largest, *v = q + sim->n;
  const double *h = sim->h, *Qc = sim->Qc, *a = sim->a;
  double rate = 1 / sim->sizes.span;
  for (int32_t i = 0; i < sim->n; i++) {
    double forces = (fabs(h[i]) + fabs(Qc[i])) * give[i] * give[i], slowest = rate * zw_larger(v[i], rate * q[i]);
    pace[i] = zw_larger(slowest, zw_larger(fabs(a[i]), forces));
  }
}

/* Without rows it costs nothing to look; near a singular position they change from step to step. */
static bool is_due(const ZwSim* sim) {
  int64_t age = sim->sizes.age;
  bool is_plain = sim->m > 0 && sim->formulation != ZW_FORMULATION_QUASI && !zw_singular_is_ahead(sim);
  return !is_plain || age < FIRST_STEPS || age % EVERY == 0;
}

void zw_sizes_note_forces(ZwSim* sim, const double* rate) {
  if (!is_due(sim)) return;
  sim->sizes.is_taken = false;
  note_masses(sim);
  note_pace(sim, sim->sizes.pace);
  add_rounding(sim);
  if (sim->formulation == ZW_FORMULATION_QUASI) note_quasi(sim, rate);
  note_rows(sim);
}

void zw_sizes_include_forces(ZwSim* sim, const double* rate) {
  ZwSizes* sizes = &sim->sizes;
  double *pace = sizes->pace, *before = sizes->pace_before;
  memcpy(before, pace, (size_t)sim->n * sizeof(double));
  note_pace(sim, pace);
  add_rounding(sim);
  if (sim->formulation == ZW_FORMULATION_QUASI) note_quasi(sim, rate);
  for (int32_t i = 0; i < sim->n; i++) pace[i] = zw_larger(pace[i], before[i]);
  sizes->is_taken = false;
}

/* Between what is used and the room in which it is kept. */
static void exchange(ZwSim* sim, void (*copy)(double* used, double* kept, ptrdiff_t count)) {
  ZwSizes* sizes = &sim->sizes;
  ptrdiff_t n = sim->n, m = sim->m;
  copy(sizes->unit, sizes->kept, 2 * n);
  copy(sizes->pace, sizes->kept + 2 * n, n);
  for (int level = 0; level < 2; level++) copy(sizes->row[level], sizes->kept + 3 * n + level * m, m);
}

static void copy_to(double* used, double* kept, ptrdiff_t count) {
  memcpy(kept, used, (size_t)count * sizeof(double));
}

static void copy_back(double* used, double* kept, ptrdiff_t count) {
  memcpy(used, kept, (size_t)count * sizeof(double));
}

void zw_sizes_keep(ZwSim* sim) {
  exchange(sim, copy_to);
}

void zw_sizes_put_back(ZwSim* sim) {
  exchange(sim, copy_back);
  sim->sizes.is_taken = false;
}

void zw_sizes_note_state(ZwSim* sim, const double* y) {
  double* restrict largest = sim->sizes.largest;
  sim->sizes.age++;
  sim->sizes.unseen++;
  for (int32_t i = 0; i < 2 * sim->n; i++) largest[i] = zw_larger(largest[i], fabs(y[i]));
}

/* Whether a coordinate is known otherwise than by its own motion: a row of positions brings it to where it belongs, whatever its error was, or its
 * size is no guess. */
static bool is_told(const ZwSim* sim, int32_t i) {
  const ZwPattern* A = &sim->equations->A;
  if (sim->start_told[i] > ZW_TOLD_GUESS) return true;
  for (int32_t row = 0; row < sim->m; row++) {
    if (sim->sizes.joins[row] != ZW_LEVEL_POSITION) continue;
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
      if (A->column[k] == i && sim->sizes.entry[k] > 0) return true;
    }
  }
  return false;
}

/* What begins to move out of rest as a high power of the time is as wrong as it is large, however short the step: less than a
 * rounding of the whole island, in the metric of the masses, is nothing; nor, of what has no mass, than one of the size it started with. */
static void ease(ZwSim* sim, double* unit, const double* start_size) {
  const ZwSizes* sizes = &sim->sizes;
  const double *mass = sizes->mass, *give = sizes->give;
  double* whole = sim->dx;
  for (int32_t g = 0; g < sizes->islands; g++) whole[g] = 0;
  for (int32_t i = 0; i < sim->n; i++) whole[sizes->island[i]] += mass[i] * unit[i] * unit[i];
  for (int32_t g = 0; g < sizes->islands; g++) whole[g] = DBL_EPSILON * sqrt(whole[g]);
  for (int32_t i = 0; i < sim->n; i++) unit[i] = zw_larger(unit[i], whole[sizes->island[i]] * give[i]);
  for (int32_t i = 0; i < sim->n; i++) {
    if (mass[i] == 0 && is_told(sim, i)) unit[i] = zw_larger(unit[i], DBL_EPSILON * start_size[i]);
  }
}

int32_t zw_sizes_untold(const ZwSim* sim) {
  for (int32_t i = 0; sim->sizes.is_eased && i < sim->n; i++) {
    bool has_moved = sim->sizes.largest[i] > 0 || sim->sizes.largest[sim->n + i] > 0;
    if (zw_rows_mass(sim, i) == 0 && !has_moved && !is_told(sim, i)) return i;
  }
  return -1;
}

static void find_noise(ZwSim* sim) {
  ZwSizes* sizes = &sim->sizes;
  ZwRounding rounding = {.a = sim->k[0] + sim->n, .errors = sizes->errors, .force = sizes->noise};
  if (!zw_eval_acceleration(sim, sim->t, sim->y, zw_velocity(sim, sim->t, sim->y))) return;
  zw_program_rounding(sim->program, &sim->state, &rounding);
  for (int32_t i = 0; i < sim->n; i++) {
    double noise = sizes->noise[i] * sizes->give[i] * sizes->give[i];
    sizes->noise[i] = isfinite(noise) ? NOISE_OF_FORCES * noise / sim->tolerance : 0;
  }
  sizes->is_taken = false;
}

bool zw_sizes_note_suspect(ZwSim* sim) {
  ZwSizes* sizes = &sim->sizes;
  if (sizes->unseen < sizes->wait || sim->formulation == ZW_FORMULATION_QUASI) return false;
  find_noise(sim);
  sizes->refused = sizes->unseen = 0;
  sizes->wait = sizes->wait < WAIT_FIRST ? WAIT_FIRST : sizes->wait < WAIT_MOST ? 2 * sizes->wait : WAIT_MOST;
  return true;
}

void zw_sizes_note_refused(ZwSim* sim, int32_t again) {
  sim->sizes.refused++;
  if (again > 1 || sim->sizes.refused >= REFUSALS) (void)zw_sizes_note_suspect(sim);
}

void zw_sizes_ease(ZwSim* sim) {
  sim->sizes.is_eased = true;
  sim->sizes.is_taken = false;
}

/* Without rows that join them. */
static void take_each(ZwSim* sim, double h) {
  const ZwSizes* sizes = &sim->sizes;
  int32_t n = sim->n;
  double rate = 1 / sizes->span, *restrict q = sizes->unit, *restrict v = q + n;
  const double *most_q = sizes->largest, *most_v = most_q + n, *pace = sizes->pace, *rate_of_q = sim->k[0];
  const double* noise = sizes->noise;
  for (int32_t i = 0; i < n; i++) {
    double change = zw_larger(h * zw_larger(pace[i], noise[i]), rate * most_q[i]);
    v[i] = zw_larger(LEAST, zw_larger(most_v[i], change));
    q[i] = zw_larger(LEAST, zw_larger(most_q[i], h * v[i]));
  }
  if (sim->formulation != ZW_FORMULATION_QUASI) return;
  for (int32_t i = 0; i < n; i++) {
    double velocity = zw_larger(fabs(rate_of_q[i]), h * pace[i]);
    q[i] = zw_larger(LEAST, zw_larger(most_q[i], h * velocity));
  }
}

/* Whether they may be taken as they are: a step that is not much longer or shorter changes them little. */
static bool are_taken(const ZwSizes* sizes, double h) {
  return sizes->is_taken && h <= ALIKE * sizes->h && sizes->h <= ALIKE * h;
}

void zw_sizes_take(ZwSim* sim, double h) {
  ZwSizes* sizes = &sim->sizes;
  int32_t n = sim->n;
  bool has_velocities = sim->formulation != ZW_FORMULATION_QUASI;
  if (are_taken(sizes, h)) return;
  /* quasi-velocities share no rows: what rows say of velocities is lost on them */
  double *q = sizes->unit, *v = has_velocities ? q + n : sizes->sums;
  take_each(sim, h);
  if (!has_velocities) memset(v, 0, (size_t)n * sizeof(double));
  join_rows(sim, q, v);
  if (sizes->is_eased && has_velocities) ease(sim, v, sim->start_size + n);
  for (int32_t i = 0; i < n; i++) q[i] = zw_larger(q[i], h * v[i]); /* velocities that rows of their own have joined */
  if (sizes->is_eased) ease(sim, q, sim->start_size);
  size_rows(sim, q, has_velocities ? v : sim->k[0]);
  sizes->is_taken = true;
  sizes->h = h;
}

/* At which levels each row joins what it holds. */
static void find_joins(const ZwSim* sim) {
  for (int32_t row = 0; row < sim->m; row++) {
    ZwLevel level = sim->equations->rows.items[row].level;
    sim->sizes.joins[row] = (uint8_t)(zw_rows_is_on(sim, row) ? level : ALONE);
  }
}

void zw_sizes_find_islands(ZwSim* sim) {
  ZwSizes* sizes = &sim->sizes;
  ZwIslands islands = {.of = sizes->island};
  find_joins(sim);
  zw_islands_now(sim, ZW_JOIN_TERMS, NULL, &islands);
  sizes->islands = islands.count;
  for (int32_t g = 0; g < islands.count; g++) sizes->island_size[g] = 0;
  for (int32_t i = 0; i < sim->n; i++) sizes->island_size[sizes->island[i]]++;
}

void zw_sizes_restart(ZwSim* sim) {
  ZwSizes* sizes = &sim->sizes;
  sizes->age = 0;
  sizes->has_masses = sizes->is_taken = false;
  zw_sizes_find_islands(sim);
}

/* x of one coordinate, in units of the tolerance, squared. */
static double part_of_norm(double x, double y, double unit, double tolerance) {
  double scaled = x / (tolerance * (unit + fabs(y)));
  return scaled * scaled;
}

/* Where all coordinates make one island. */
static double norm_of_all(const double* unit, int32_t count, const double* x, const double* y, double tolerance) {
  double sum = 0;
  for (int32_t i = 0; y && i < count; i++) sum += part_of_norm(x[i], y[i], unit[i], tolerance);
  for (int32_t i = 0; !y && i < count; i++) sum += part_of_norm(x[i], 0, unit[i], tolerance);
  return sqrt(sum / (double)count);
}

double zw_sizes_norm(const ZwSim* sim, int32_t first, int32_t count, const double* x, const double* y,
                     double tolerance) {
  const ZwSizes* sizes = &sim->sizes;
  const double* unit = sizes->unit + first;
  if (sizes->islands == 1) return norm_of_all(unit, count, x, y, tolerance);
  double *sums = sizes->sums, worst = 0;
  for (int32_t g = 0; g < sizes->islands; g++) sums[g] = 0;
  for (int32_t i = 0; i < count; i++) {
    int32_t island = sizes->island[i < sim->n ? i : i - sim->n];
    sums[island] += part_of_norm(x[i], y ? y[i] : 0, unit[i], tolerance);
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
