#include "motion/start_sizes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "equations/lengths.h"
#include "least/dense.h"
#include "motion/sim.h"

/* An entry below this part of the largest of its row, by the sizes of coordinates, does not count: it may be rounding. */
#define COUNTS 1e-6
/* A typed value below this part of what some row says of its coordinate is zero but for rounding, or near it: rows whose terms are all
 * as small say nothing, as they do at zero. */
#define NO_VALUE 1e-6

/* A velocity below this part of what the energy of its part would make of it is rounding: that has no size of its own. */
#define NO_SPEED DBL_EPSILON

enum { ROUNDS_MAX = 32 }; /* rows through which sizes pass from coordinates to others */

/* One look at all rows. */
typedef struct Search {
  ZwSim* sim;
  ZwLengths at;
  bool is_start;
  double* local;        /* of the coordinates of one row */
  double *least, *most; /* n: what rows have said in this round, of those that say anything */
  double* values;       /* n: of positions, as typed, without those that are nothing */
  double* is_nothing;   /* n: 1 for those, 2 for what may follow them, else 0 */
} Search;

static void take(const Search* search, int32_t j, double length) {
  if (!(length < INFINITY)) return;
  search->least[j] = zw_smaller(search->least[j], length);
  search->most[j] = zw_larger(search->most[j], length);
}

static bool is_in_force(const Search* search, const ZwShape* shape, int32_t instance) {
  int32_t row = shape->instance_rows.items[instance];
  if (!search->is_start) return shape->kind == ZW_SHAPE_CONSTRAINT;
  return shape->kind == ZW_SHAPE_EXACT || zw_rows_is_on(search->sim, row);
}

/* The least and the largest lengths of positions by all rows. */
static void look_at_rows(const Search* search) {
  const ZwEquations* equations = search->sim->equations;
  for (int32_t j = 0; j < equations->n; j++) {
    search->least[j] = INFINITY;
    search->most[j] = 0;
  }
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    if (shape->kind != ZW_SHAPE_CONSTRAINT && shape->kind != ZW_SHAPE_EXACT) continue;
    for (int32_t i = 0; i < shape->count; i++) {
      if (!is_in_force(search, shape, i)) continue;
      zw_lengths_find(&search->at, shape, i, ZW_OP_COORD, search->local);
      for (int32_t k = 0; k < shape->coords; k++) {
        int32_t j = shape->instance_coords.items[(ptrdiff_t)i * shape->coords + k];
        take(search, j, search->local[k]);
      }
    }
  }
}

static Search open_search(ZwSim* sim, double t, bool is_start) {
  int32_t room = zw_lengths_room(sim->equations);
  double *room_of_nodes = sim->start_room, *of_coords = room_of_nodes + 3 * (ptrdiff_t)room;
  Search search = {.sim = sim,
                   .is_start = is_start,
                   .local = of_coords,
                   .least = of_coords + sim->n,
                   .most = of_coords + 2 * (ptrdiff_t)sim->n,
                   .values = of_coords + 3 * (ptrdiff_t)sim->n,
                   .is_nothing = of_coords + 4 * (ptrdiff_t)sim->n};
  zw_copy(sim->n, sim->typed, search.values);
  search.at = (ZwLengths){.t = zw_time(sim, t),
                          .epoch = sim->epoch,
                          .since = t,
                          .values = sim->values,
                          .q = search.values,
                          .v = sim->typed + sim->n,
                          .size_q = sim->start_size,
                          .size_v = sim->start_size + sim->n,
                          .tables = &sim->system->tables,
                          .value = room_of_nodes,
                          .size = room_of_nodes + room,
                          .length = room_of_nodes + 2 * (ptrdiff_t)room};
  return search;
}

ptrdiff_t zw_start_sizes_room(const ZwEquations* equations) {
  return 3 * (ptrdiff_t)zw_lengths_room(equations) + 5 * (ptrdiff_t)equations->n;
}

static void clear(ZwSim* sim) {
  for (int32_t i = 0; i < 2 * sim->n; i++) {
    sim->start_size[i] = i < sim->n ? sim->scale_of[i] : 0;
    sim->start_told[i] = sim->start_size[i] > 0 ? ZW_TOLD_SCALE : ZW_TOLD_NOTHING;
  }
}

/* Whether there was any. */
static bool leave_out_rounding(const Search* search) {
  bool is_any = false;
  for (int32_t j = 0; j < search->sim->n; j++) {
    search->is_nothing[j] = search->values[j] != 0 && fabs(search->values[j]) < NO_VALUE * search->most[j];
    if (search->is_nothing[j] == 0) continue;
    search->values[j] = 0;
    is_any = true;
  }
  return is_any;
}

/* What rows have said where nothing was known; whether that is new to rows that wait for it. */
static bool tell_by_rows(const Search* search) {
  ZwSim* sim = search->sim;
  bool is_new = false, is_all = true;
  for (int32_t j = 0; j < sim->n; j++) {
    if (sim->start_told[j]) continue;
    if (search->least[j] < INFINITY) {
      sim->start_size[j] = search->least[j];
      sim->start_told[j] = ZW_TOLD_ROWS;
      is_new = true;
    } else {
      is_all = false;
    }
  }
  return is_new && !is_all;
}

/* Round by round: what is told in one counts in the next, where values are zero. */
static void tell_in_rounds(const Search* search) {
  for (int round = 1; tell_by_rows(search) && round < ROUNDS_MAX; round++) look_at_rows(search);
}

/* Takes for zero, on trial, what shares a row with something that is nothing; whether there was any. */
static bool try_followers(const Search* search) {
  const ZwSim* sim = search->sim;
  const ZwPattern* A = &sim->equations->A;
  bool is_any = false;
  for (int32_t i = 0; i < sim->m_start; i++) {
    bool has_nothing = false;
    for (int32_t k = A->begin[i]; k < A->begin[i + 1]; k++) has_nothing |= search->is_nothing[A->column[k]] == 1;
    for (int32_t k = A->begin[i]; has_nothing && k < A->begin[i + 1]; k++) {
      int32_t j = A->column[k];
      if (search->values[j] == 0) continue;
      search->values[j] = 0;
      search->is_nothing[j] = 2;
      is_any = true;
    }
  }
  return is_any;
}

/* What a row reads off something that is nothing is as small, and has no other row to say so: a pointer `u = 2*x` where x is 1e-9 of a rod of 1.
 * Then u and x would tell each other sizes of 1e-9. It is nothing too if it is beside what it is measured by where it is zero. Whether there was any. */
static bool leave_out_followers(const Search* search) {
  ZwSim* sim = search->sim;
  bool is_any = false;
  if (!try_followers(search)) return false;
  look_at_rows(search);
  tell_in_rounds(search);
  for (int32_t j = 0; j < sim->n; j++) {
    if (search->is_nothing[j] != 2) continue;
    bool is_one = sim->start_told[j] && fabs(sim->typed[j]) < NO_VALUE * sim->start_size[j];
    search->is_nothing[j] = is_one;
    if (!is_one) search->values[j] = sim->typed[j];
    is_any = is_any || is_one;
  }
  clear(sim);
  return is_any;
}

static void search_rows(const Search* search) {
  look_at_rows(search);
  if (leave_out_rounding(search)) {
    int round = 1;
    while (leave_out_followers(search) && round < ROUNDS_MAX) round++;
    look_at_rows(search);
  }
  tell_in_rounds(search);
}

void zw_start_sizes_find(ZwSim* sim, double t, bool is_start) {
  clear(sim);
  if (sim->m_start == 0) return;
  Search search = open_search(sim, t, is_start);
  search_rows(&search);
}

/* ---- what rows do not tell ---- */

static void tell(ZwSim* sim, int32_t i, double size, ZwTold by) {
  if (sim->start_told[i] || !(size > 0 && size < INFINITY)) return;
  sim->start_size[i] = size;
  sim->start_told[i] = by;
}

/* The largest m S^2 of what is told, of coordinates (first = 0) or velocities (first = n). */
static double energy_of(const ZwSim* sim, const ZwStartPart* part, int32_t first) {
  double most = 0;
  for (int32_t k = 0; k < part->count; k++) {
    int32_t i = first + part->coords[k];
    double size = sim->start_told[i] > ZW_TOLD_GUESS ? sim->start_size[i] : 0;
    most = fmax(most, zw_rows_mass(sim, part->coords[k]) * size * size);
  }
  return most;
}

static void tell_by_inertia(ZwSim* sim, const ZwStartPart* part, int32_t first) {
  double energy = energy_of(sim, part, first);
  for (int32_t k = 0; k < part->count; k++) {
    double mass = zw_rows_mass(sim, part->coords[k]);
    if (mass > 0) tell(sim, first + part->coords[k], sqrt(energy / mass), ZW_TOLD_INERTIA);
  }
}

/* What the other coordinates (first = 0) or velocities (first = n) of a row, moved by their sizes, change it by. */
static double told_of_row(const ZwSim* sim, int32_t row, int32_t first) {
  const ZwPattern* A = &sim->equations->A;
  double sum = 0;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
    int32_t i = first + A->column[k];
    if (sim->start_told[i] > ZW_TOLD_GUESS) sum += fabs(sim->Ax[k]) * sim->start_size[i];
  }
  return sum;
}

/* Those that nothing tells yet: as far as the others of their rows, so for coordinates whose velocities alone are read. One round;
 * whether there was any. */
static bool tell_by_others(ZwSim* sim, const ZwStartPart* part, int32_t first) {
  const ZwPattern* A = &sim->equations->A;
  double* found = sim->start_size + first;
  bool is_new = false;
  for (int32_t k = 0; k < part->count; k++) {
    if (!sim->start_told[first + part->coords[k]]) found[part->coords[k]] = INFINITY;
  }
  for (int32_t i = 0; i < part->row_count; i++) {
    double sum = told_of_row(sim, part->rows[i], first);
    for (int32_t k = A->begin[part->rows[i]]; k < A->begin[part->rows[i] + 1] && sum > 0; k++) {
      int32_t j = A->column[k];
      if (!sim->start_told[first + j]) found[j] = fmin(found[j], sum / fabs(sim->Ax[k]));
    }
  }
  for (int32_t k = 0; k < part->count; k++) {
    int32_t j = part->coords[k];
    if (sim->start_told[first + j]) continue;
    double size = found[j];
    is_new = is_new || size < INFINITY;
    found[j] = 0;
    tell(sim, first + j, size, ZW_TOLD_ROWS);
  }
  return is_new;
}

void zw_start_sizes_fill(ZwSim* sim, const ZwStartPart* part) {
  for (int32_t k = 0; k < part->count; k++) {
    int32_t j = part->coords[k];
    tell(sim, j, fabs(sim->typed[j]), ZW_TOLD_TYPED);
  }
  for (int round = 0; round < ROUNDS_MAX && tell_by_others(sim, part, 0);) round++;
  tell_by_inertia(sim, part, 0);
  for (int32_t k = 0; k < part->count; k++) tell(sim, part->coords[k], 1, ZW_TOLD_GUESS);
}

double zw_size_over(const ZwSim* sim, int32_t j, int k, double time) {
  double size = sim->start_size[j] > 0 ? sim->start_size[j] : 1;
  for (; k > 0; k--) size /= time;
  return size;
}

int32_t zw_guessed_sizes(const ZwSim* sim, int32_t* to) {
  int32_t count = 0;
  for (int32_t j = 0; j < sim->n; j++) {
    if (!sim->start_guessed[j]) continue;
    if (to) to[count] = j;
    count++;
  }
  return count;
}

/* ---- how sizes change ---- */

/* A step of differences, as a part of what is varied. */
#define DIFFERENCE 1e-5

/* Sizes where parameters and typed values have gone this far along their rates; what rows and values do not tell is 0. `kept` has
 * what they were. */
static bool find_aside(ZwSim* sim, double t, bool is_start, const ZwSizeRates* rates, double h, const double* kept) {
  int32_t params = sim->system->params.count;
  for (int32_t i = 0; i < 2 * sim->n; i++) sim->typed[i] = kept[i] + h * rates->dtyped[i];
  for (int32_t i = 0; i < params; i++) sim->values[i] = kept[2 * sim->n + i] + h * rates->dvalues[i];
  bool is_found = zw_sim_set_scales(sim) == ZW_OK;
  zw_start_sizes_find(sim, t, is_start);
  for (int32_t j = 0; j < sim->n; j++) tell(sim, j, fabs(sim->typed[j]), ZW_TOLD_TYPED);
  return is_found;
}

/* The longest step along the rates that changes nothing by more than a part of itself. */
static double longest(const ZwSim* sim, const ZwSizeRates* rates) {
  double most = 0;
  for (int32_t i = 0; i < sim->system->params.count; i++) {
    if (sim->values[i] != 0) most = fmax(most, fabs(rates->dvalues[i] / sim->values[i]));
  }
  for (int32_t j = 0; j < sim->n; j++) {
    double size = zw_size_at(sim->start_size[j], sim->typed[j]);
    if (size > 0) most = fmax(most, fabs(rates->dtyped[j]) / size);
  }
  return most > 0 ? DIFFERENCE / most : DIFFERENCE;
}

bool zw_start_sizes_change(ZwSim* sim, double t, bool is_start, const ZwSizeRates* rates, double* to) {
  int32_t n = sim->n, params = sim->system->params.count;
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  double* kept = ZW_NEW(&scratch, 4 * n + params + 1, double);
  ZwTold* told = ZW_NEW(&scratch, 2 * n + 1, ZwTold);
  bool is_found = !scratch.failed;
  for (int32_t j = 0; j < n; j++) to[j] = 0;
  if (is_found) {
    double h = longest(sim, rates), *sizes = kept + 2 * n + params;
    zw_copy(2 * n, sim->typed, kept);
    zw_copy(params, sim->values, kept + 2 * n);
    zw_copy(2 * n, sim->start_size, sizes);
    memcpy(told, sim->start_told, 2 * (size_t)n * sizeof(ZwTold));
    is_found = find_aside(sim, t, is_start, rates, -h, kept);
    zw_copy(n, sim->start_size, to);
    is_found = find_aside(sim, t, is_start, rates, h, kept) && is_found;
    for (int32_t j = 0; j < n; j++) {
      bool is_known = to[j] > 0 && sim->start_size[j] > 0;
      to[j] = is_known ? log(sim->start_size[j] / to[j]) / (2 * h) : 0;
    }
    zw_copy(2 * n, kept, sim->typed);
    zw_copy(params, kept + 2 * n, sim->values);
    is_found = zw_sim_set_scales(sim) == ZW_OK && is_found;
    zw_copy(2 * n, sizes, sim->start_size);
    memcpy(sim->start_told, told, 2 * (size_t)n * sizeof(ZwTold));
  }
  zw_arena_destroy(&scratch);
  return is_found;
}

/* ---- velocities ---- */

/* The rate of a part: how fast its velocities, typed or present, and its forces move it as a whole; by the energies that they and the
 * sizes make, so that something small does not count for the rest. Without masses the fastest counts. */
static double rate_of(const ZwSim* sim, const ZwStartPart* part) {
  double most = 0, moving = 0, pushed = 0, whole = 0;
  for (int32_t k = 0; k < part->count; k++) {
    int32_t j = part->coords[k];
    double mass = zw_rows_mass(sim, j), size = sim->start_size[j];
    if (sim->start_told[j] == ZW_TOLD_GUESS) continue;
    double speed = fmax(fabs(sim->y[sim->n + j]), fabs(sim->typed[sim->n + j]));
    most = fmax(most, speed / size);
    moving += mass * speed * speed;
    pushed += mass > 0 ? (fabs(sim->hL[j]) + fabs(sim->Q[j])) * size : 0;
    whole += mass * size * size;
  }
  return whole > 0 ? sqrt((moving + pushed) / whole) : most;
}

/* For each velocity, the least size that a row gives it: half the sum of its terms, over the entry. */
static void find_by_rows(const ZwSim* sim, const ZwStartPart* part, double* found) {
  const ZwPattern* A = &sim->equations->A;
  const double* v = sim->y + sim->n;
  for (int32_t i = 0; i < part->row_count; i++) {
    int32_t row = part->rows[i];
    double size = fabs(sim->psi[row]), largest = 0;
    for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) {
      size += fabs(sim->Ax[k] * v[A->column[k]]);
      largest = fmax(largest, fabs(sim->Ax[k]) * sim->start_size[A->column[k]]);
    }
    for (int32_t k = A->begin[row]; k < A->begin[row + 1] && size > 0; k++) {
      int32_t j = A->column[k];
      double entry = fabs(sim->Ax[k]);
      if (entry * sim->start_size[j] > COUNTS * largest) found[j] = fmin(found[j], size / 2 / entry);
    }
  }
}

/* After an event: what was at rest but for rounding is measured by how fast the rest moves. Feet that repeat each other would else have
 * to agree in the digits of their rounding. */
static void leave_out_slow(ZwSim* sim, const ZwStartPart* part) {
  double energy = 0, *size = sim->start_size + sim->n;
  for (int32_t k = 0; k < part->count; k++) {
    int32_t j = part->coords[k];
    energy += zw_rows_mass(sim, j) * sim->y[sim->n + j] * sim->y[sim->n + j];
  }
  for (int32_t k = 0; k < part->count; k++) {
    double mass = zw_rows_mass(sim, part->coords[k]), least = mass > 0 ? NO_SPEED * sqrt(energy / mass) : 0;
    if (least < INFINITY) size[part->coords[k]] = fmax(size[part->coords[k]], least);
  }
}

void zw_start_sizes_of_velocities(ZwSim* sim, const ZwStartPart* part, bool is_start) {
  double rate = rate_of(sim, part), *size = sim->start_size + sim->n;
  for (int32_t k = 0; k < part->count; k++) size[part->coords[k]] = INFINITY;
  find_by_rows(sim, part, size);
  for (int32_t k = 0; k < part->count; k++) {
    int32_t j = part->coords[k];
    double by_rows = size[j] < INFINITY ? size[j] : 0;
    double by_part = sim->start_told[j] > ZW_TOLD_GUESS ? rate * sim->start_size[j] : 0;
    sim->start_told[sim->n + j] = ZW_TOLD_NOTHING;
    size[j] = 0;
    tell(sim, sim->n + j, fmax(by_rows, by_part), by_rows > 0 ? ZW_TOLD_ROWS : ZW_TOLD_INERTIA);
    tell(sim, sim->n + j, fabs(sim->y[sim->n + j]), ZW_TOLD_TYPED);
  }
  tell_by_inertia(sim, part, sim->n);
  for (int round = 0; round < ROUNDS_MAX && tell_by_others(sim, part, sim->n);) round++;
  for (int32_t k = 0; k < part->count; k++) {
    tell(sim, sim->n + part->coords[k], sim->start_size[part->coords[k]], ZW_TOLD_GUESS);
  }
  if (!is_start) leave_out_slow(sim, part);
}
