/* What is narrower than a step: a bump of the road, a front, a bell of a force that lies between the places where a step samples it. No
 * estimate of the error knows of it. Ranges of what stands inside exponentials and their like (kernel/bends.c) tell whether
 * there may be one; then it is looked for on the dense output, the forces are asked there, and a step over one that matters is refused.
 * The next steps go up to it, and are as short as it is wide until they have passed it. */
#include <math.h>
#include <string.h>

#include "motion/sim.h"

/* Bounds of the state are wider than those of its samples by this part: of a cubic, and of the dense output. */
#define WIDER_CUBIC 0.25
#define WIDER 0.1
/* Tolerances by which the force in a narrow place may change the velocities unseen. */
#define MATTERS 4.0
/* So many times what is seen of a force in a narrow place it may be beside what was looked at. */
#define REACH 4.0
/* Widths before a narrow place where steps become short, and after it where they may be long again. */
#define BEFORE 4.0
#define AFTER 4.0
/* Widths from a narrow place where nothing is left of it. */
#define FAR 16.0
/* Parts of a step are not shorter than this. */
#define SHORTEST 0x1p-40

enum { LOOKS_MAX = 256, PIECES_MAX = 128, AROUND = ZW_NARROW_AROUND };

/* ---- bounds of the state ---- */

void zw_bounds_include(ZwSim* sim, double t, const double* y, bool is_first, double* bounds) {
  int32_t n = sim->n;
  const double* v = zw_velocity(sim, t, y);
  double *least = bounds, *most = least + 2 * (ptrdiff_t)n;
  for (int32_t i = 0; i < 2 * n; i++) {
    double value = i < n ? y[i] : v[i - n];
    least[i] = is_first ? value : fmin(least[i], value);
    most[i] = is_first ? value : fmax(most[i], value);
  }
}

void zw_bounds_widen(const ZwSim* sim, double part, double* bounds) {
  int32_t n = sim->n;
  double *least = bounds, *most = least + 2 * (ptrdiff_t)n;
  for (int32_t i = 0; i < 2 * n; i++) {
    double more = part * (most[i] - least[i]);
    least[i] -= more;
    most[i] += more;
  }
}

static ZwRangeState between(const ZwSim* sim, double t_low, double t_high) {
  const double* bounds = sim->narrow.bounds;
  ptrdiff_t n = sim->n;
  return (ZwRangeState){.t_low = t_low,
                        .t_high = t_high,
                        .q_low = bounds,
                        .v_low = bounds + n,
                        .q_high = bounds + 2 * n,
                        .v_high = bounds + 3 * n,
                        .registers = sim->narrow.registers};
}

/* ---- may there be one? ---- */

/* The cubic through the ends of the step with the rates there. */
static void on_cubic(const ZwSim* sim, double h, double x, double* y) {
  const double *from = sim->k[0], *to = sim->k[ZW_DOP853_STAGES];
  for (int32_t i = 0; i < 2 * sim->n; i++) {
    double way = sim->y_new[i] - sim->y[i];
    double bend = (1 - 2 * x) * way + h * ((x - 1) * from[i] + x * to[i]);
    y[i] = sim->y[i] + x * way + x * (x - 1) * bend;
  }
}

/* A state as bounds that are equal, with room for its velocities in `v`. */
static ZwRangeState at_end(ZwSim* sim, double t, const double* y, double* v, int which) {
  memcpy(v, zw_velocity(sim, t, y), (size_t)sim->n * sizeof(double));
  ZwRange* registers = sim->narrow.registers + (ptrdiff_t)(1 + which) * sim->program->registers;
  return (ZwRangeState){
      .t_low = t, .t_high = t, .q_low = y, .q_high = y, .v_low = v, .v_high = v, .registers = registers};
}

bool zw_narrow_may_be(ZwSim* sim, double h) {
  ZwNarrow* narrow = &sim->narrow;
  enum { SAMPLES = 5 };
  if (!narrow->is_on) return false;
  for (int k = 0; k < SAMPLES; k++) {
    double x = (double)k / (SAMPLES - 1);
    on_cubic(sim, h, x, sim->y_out);
    zw_bounds_include(sim, sim->t + x * h, sim->y_out, k == 0, sim->narrow.bounds);
  }
  zw_bounds_widen(sim, WIDER_CUBIC, sim->narrow.bounds);
  ZwRangeState ranges[3] = {at_end(sim, sim->t, sim->y, narrow->v, 0),
                            at_end(sim, sim->t + h, sim->y_new, narrow->v + sim->n, 1),
                            between(sim, sim->t, sim->t + h)};
  narrow->count = zw_program_bends(sim->program, &sim->state, ranges, narrow->bends, ZW_NARROW_MAX);
  return narrow->count > 0;
}

/* ---- where is it? ---- */

/* Along which way it is looked for. A dense output whose own stages have met the place leads elsewhere: then it is looked for along the cubic. */
typedef enum Way { DENSE, CUBIC } Way;

static void go_to(ZwSim* sim, Way way, double x) {
  if (way == DENSE)
    zw_interpolate(sim, x, sim->y_out);
  else
    on_cubic(sim, sim->h_dense, x, sim->y_out);
}

typedef struct Piece {
  double low, high;
  double distance; /* of the argument from where most happens, at best */
} Piece;

typedef struct Place {
  double x, width; /* parts of the step */
} Place;

static ZwRange argument_in(ZwSim* sim, Way way, const ZwBend* bend, double low, double high) {
  int samples = low < high ? 3 : 1;
  for (int k = 0; k < samples; k++) {
    double x = k == 0 ? low : k == 1 ? 0.5 * (low + high) : high;
    go_to(sim, way, x);
    zw_bounds_include(sim, sim->t + x * sim->h_dense, sim->y_out, k == 0, sim->narrow.bounds);
  }
  zw_bounds_widen(sim, WIDER, sim->narrow.bounds);
  ZwRangeState ranges = between(sim, sim->t + low * sim->h_dense, sim->t + high * sim->h_dense);
  return zw_program_bend_argument(sim->program, &sim->state, &ranges, bend);
}

static int32_t best_of(const Piece* pieces, int32_t count) {
  int32_t best = 0;
  for (int32_t i = 1; i < count; i++) {
    if (pieces[i].distance < pieces[best].distance) best = i;
  }
  return best;
}

/* The place in the step where most happens; false: nothing is hidden there. */
static bool find_place(ZwSim* sim, Way way, const ZwBend* bend, Place* place) {
  Piece pieces[PIECES_MAX] = {{0, 1, 0}};
  int32_t count = 1;
  for (int look = 0; count > 0; look++) {
    int32_t best = best_of(pieces, count);
    Piece piece = pieces[best];
    ZwRange argument = argument_in(sim, way, bend, piece.low, piece.high);
    double middle = 0.5 * (piece.low + piece.high);
    *place = (Place){middle, piece.high - piece.low};
    if (zw_bend_is_resolved(sim->program, bend, argument) || place->width <= SHORTEST) {
      return zw_bend_is_hidden(sim->program, bend, argument_in(sim, way, bend, middle, middle));
    }
    if (look >= LOOKS_MAX || count >= PIECES_MAX - 1) return true; /* too wild to be followed: the forces are asked */
    pieces[best] = pieces[--count];
    for (int k = 0; k < 2; k++) {
      double low = k == 0 ? piece.low : middle, high = k == 0 ? middle : piece.high;
      ZwRange part = argument_in(sim, way, bend, low, high);
      if (zw_bend_is_hidden(sim->program, bend, part)) {
        pieces[count++] = (Piece){low, high, zw_bend_distance(bend, part)};
      }
    }
  }
  return false;
}

/* ---- does it matter? ---- */

static double inside(double x, double margin) {
  return fmin(fmax(x, margin), 1 - margin);
}

/* The rate of the dense output at x, to the fourth order of a small part of the step. */
static void slope_at(ZwSim* sim, double x, double* to) {
  const double aside = 0x1p-9, weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  double middle = inside(x, 2 * aside);
  memset(to, 0, 2 * (size_t)sim->n * sizeof(double));
  for (int k = 0; k < 4; k++) {
    zw_interpolate(sim, middle + (k < 2 ? k - 2 : k - 1) * aside, sim->y_out);
    for (int32_t i = 0; i < 2 * sim->n; i++) to[i] += weights[k] / (aside * sim->h_dense) * sim->y_out[i];
  }
}

static bool rate_at(ZwSim* sim, Way way, double x) {
  go_to(sim, way, x);
  return !zw_eval_rate(sim, sim->t + x * sim->h_dense, sim->y_out, sim->narrow.rate);
}

/* What the forces would be at the place without it: those of the dense output; of a cubic, which has others, those beside it. */
static bool expect(ZwSim* sim, Way way, const Place* place) {
  ZwNarrow* narrow = &sim->narrow;
  if (way == DENSE) {
    slope_at(sim, place->x, narrow->slope);
    return true;
  }
  memset(narrow->slope, 0, 2 * (size_t)sim->n * sizeof(double));
  for (int side = -1; side <= 1; side += 2) {
    if (!rate_at(sim, way, inside(place->x + side * BEFORE * place->width, 0))) return false;
    for (int32_t i = 0; i < 2 * sim->n; i++) narrow->slope[i] += 0.5 * narrow->rate[i];
  }
  return true;
}

/* What the rate, where it is other than expected, makes of the state over the width of the place. In its middle a force may be zero, as
 * that of a hill is at its top, so it is looked at beside it too. */
static bool matters(ZwSim* sim, Way way, const Place* place) {
  double *rate = sim->narrow.rate, w = place->width * sim->h_dense;
  const double* slope = sim->narrow.slope;
  int32_t n = sim->n;
  if (!expect(sim, way, place)) return true;
  for (int side = -1; side <= 1; side++) {
    if (!rate_at(sim, way, inside(place->x + 0.5 * side * place->width, 0))) return true;
    for (int32_t i = 0; i < n; i++) {
      rate[n + i] = w * (rate[n + i] - slope[n + i]);
      rate[i] = w * rate[n + i];
    }
    if (!(zw_step_norm(sim, rate, sim->y_out) <= MATTERS)) return true;
  }
  return false;
}

/* ---- is it felt? ---- */

/* A force that a constraint, a closed contact or friction that sticks takes up changes nothing in the motion but reactions. Conditions that
 * read them may hold there for a moment: a contact opens, or begins to slip. */

static bool read_margins(ZwSim* sim, Way way, double x) {
  go_to(sim, way, x);
  return !zw_events_read(sim, sim->t + x * sim->h_dense, sim->y_out);
}

/* Margins at the ends of the step, and before and after the place. */
static bool read_around(ZwSim* sim, Way way, const Place* place) {
  int32_t count = sim->watch.looks.count;
  double far = FAR * place->width;
  const double at[AROUND] = {0, 1, inside(place->x - far, 0), inside(place->x + far, 0)};
  for (int k = 0; k < AROUND; k++) {
    if (!read_margins(sim, way, at[k])) return false;
    memcpy(sim->narrow.around + (ptrdiff_t)k * count, sim->watch.looks.margins, (size_t)count * sizeof(double));
  }
  return true;
}

static bool may_pass(const ZwMargin* margin, double beside, double there) {
  double reached = beside + REACH * (there - beside);
  if (!isfinite(reached)) return false;
  return margin->kind == ZW_MARGIN_WHOLE ? floor(beside) != floor(reached) : (beside < 0) != (reached < 0);
}

/* One that passes zero and comes back. What only passes is seen by samples (looks.c). */
static bool any_passes(const ZwSim* sim) {
  const ZwLooks* looks = &sim->watch.looks;
  for (int32_t i = 0; i < looks->count; i++) {
    const ZwMargin* margin = &sim->system->margins.items[i];
    if (!margin->is_of_force) continue;
    bool passes[AROUND];
    for (int k = 0; k < AROUND; k++) {
      passes[k] = may_pass(margin, sim->narrow.around[(ptrdiff_t)k * looks->count + i], looks->margins[i]);
    }
    if ((passes[0] && passes[1]) || (passes[2] && passes[3])) return true;
  }
  return false;
}

/* May a condition that reads forces change at the place, and back again? */
static bool is_felt(ZwSim* sim, Way way, const Place* place) {
  if (sim->watch.looks.count == 0 || !zw_events_watch_forces(sim)) return false;
  if (!read_around(sim, way, place)) return true;
  for (int side = -1; side <= 1; side++) {
    if (!read_margins(sim, way, inside(place->x + 0.5 * side * place->width, 0)) || any_passes(sim)) return true;
  }
  return false;
}

bool zw_narrow_is_passed(ZwSim* sim) {
  ZwNarrow* narrow = &sim->narrow;
  if (zw_dense(sim)) return false;
  for (int32_t i = 0; i < narrow->count; i++) {
    Place place;
    Way way = find_place(sim, DENSE, &narrow->bends[i], &place) ? DENSE : CUBIC;
    bool is_there = way == DENSE || find_place(sim, CUBIC, &narrow->bends[i], &place);
    if (!is_there || (!matters(sim, way, &place) && !is_felt(sim, way, &place))) continue;
    narrow->t = sim->t + place.x * sim->h_dense;
    narrow->width = place.width * sim->h_dense;
    return true;
  }
  return false;
}

double zw_narrow_limit(ZwSim* sim, double h) {
  ZwNarrow* narrow = &sim->narrow;
  if (narrow->width > 0 && sim->t > narrow->t + AFTER * narrow->width) narrow->width = 0;
  if (!(narrow->width > 0)) return h;
  return fmin(h, fmax(narrow->t - BEFORE * narrow->width - sim->t, narrow->width));
}
