/* Where in a step conditions are looked at. What may change them is known as numbers, their margins; these are sampled on the
 * dense output, and between samples a parabola stands for each. Where a margin could be zero between two samples, the
 * interval is split. What is left are places behind which a margin has changed, in the order of time. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion/sim.h"

/* A parabola stands for a margin when it meets two more samples to this part of the largest. */
#define RESOLVED 0.02
/* An error that is seen at two samples may be so many times larger between them, */
#define ERROR_BETWEEN 2.0
/* and its slope so many times what the error makes over the whole interval. */
#define SLOPE_BETWEEN 16.0
/* What is nearer to zero all over an interval is zero there: rounding, and a part of the tolerance of the motion. */
#define ROUNDING (8 * DBL_EPSILON)
#define ERROR_OF_MOTION 0.1
/* Bounds of the state are wider than those of its samples by this part, and those of forces, which are less smooth, by that. */
#define WIDER 0.1
#define WIDER_FORCES 0.5
/* Bounds of what it differs by from a straight line, which is smaller. */
#define WIDER_SLANTS 0.25
/* The first intervals are not longer than this many of those that the step before needed, */
#define GROWTH 8.0
/* nor are they more than so many times those, as after a short step in which something was looked for in one place. */
#define MORE 64

enum {
  FIRST = 4, /* intervals of a step at first, */
  FIRST_MAX = 1 << 14 /* and when the margins change fast */,
  FAILED_MAX =
      64, /* shortest intervals in which a margin is still not resolved: then only samples of it are compared */
  FAILURES_MAX = 4096, /* of all of them: then no interval is split any more */
  SAMPLES_OF_STEP = 9, /* for bounds of the state */
  SAMPLES_OF_INTERVAL = 5,
  WAIT = 3,     /* splits until bounds beside straight lines are looked for again, where they said no more */
  VAIN_MAX = 1, /* such bounds in a step that decided nothing where samples did not settle an interval */
  SAMPLES_MAX = 1 << 18,
  SPLITS_MAX = SAMPLES_MAX / 4
};

/* One margin may have so much of the splits that those given up in the step before it have left. */
#define SHARE 0.75

enum {
  HASTE = 3,
  HASTE_MAX = 9
}; /* by so many powers of two it has less in the next step if it is given up; one comes back in each */

enum { GIVEN_UP = -1 }; /* splits of a margin that has been */

static bool is_given_up(const ZwLooks* looks, int32_t margin) {
  return looks->splits[margin] == GIVEN_UP;
}

static double* margins_at(const ZwLooks* looks, const ZwLookInterval* interval, int k) {
  return interval->margins + (ptrdiff_t)k * looks->count;
}

/* A number that changes where the margin matters. */
static double cell_of(const ZwMargin* margin, double value) {
  if (isnan(value)) return 2;
  return margin->kind == ZW_MARGIN_WHOLE ? floor(value) : (value > 0) - (value < 0);
}

double zw_looks_size(const ZwLooks* looks, int32_t margin) {
  return fmax(looks->largest[margin], looks->size[margin]);
}

/* ---- one margin over one interval ---- */

typedef struct Shape {
  double slope, bend; /* value[0] + (x - x0) (slope + bend (x - x2)) */
  double off;         /* the largest difference at the other two samples */
  double low, high;   /* of the parabola */
  double slope_least; /* the least |slope|, 0 when it turns */
  double largest;     /* |value| */
} Shape;

static double parabola(const Shape* shape, const double* x, double first, double at) {
  return first + (at - x[0]) * (shape->slope + shape->bend * (at - x[2]));
}

static Shape shape_of(const double* x, const double* g) {
  Shape s = {.slope = (g[2] - g[0]) / (x[2] - x[0])};
  s.bend = ((g[4] - g[2]) / (x[4] - x[2]) - s.slope) / (x[4] - x[0]);
  s.off = fmax(fabs(g[1] - parabola(&s, x, g[0], x[1])), fabs(g[3] - parabola(&s, x, g[0], x[3])));
  double begin = s.slope + s.bend * (x[0] - x[2]), end = s.slope + s.bend * (2 * x[4] - x[0] - x[2]);
  s.low = fmin(g[0], g[4]);
  s.high = fmax(g[0], g[4]);
  if (begin * end > 0) {
    s.slope_least = fmin(fabs(begin), fabs(end));
  } else if (s.bend != 0) {
    double top = parabola(&s, x, g[0], x[0] + (x[4] - x[0]) * begin / (begin - end));
    s.low = fmin(s.low, top);
    s.high = fmax(s.high, top);
  }
  for (int k = 0; k < 5; k++) s.largest = fmax(s.largest, fabs(g[k]));
  return s;
}

/* Does the margin stay in the cell of its begin? */
static bool stays(const ZwMargin* margin, const Shape* s, double cell) {
  double low = s->low - ERROR_BETWEEN * s->off, high = s->high + ERROR_BETWEEN * s->off;
  if (margin->kind == ZW_MARGIN_WHOLE) return low >= cell && high < cell + 1;
  return cell > 0 ? low > 0 : cell < 0 ? high < 0 : low == 0 && high == 0;
}

typedef enum Verdict {
  STAYS,       /* in its cell */
  IS_STEADY,   /* rises or falls all the way, and ends in the cell where it began */
  IS_NOISE,    /* passes zero, but is nowhere farther from it than an error: when that is does not matter */
  PASSES_ONCE, /* rises or falls into the next cell */
  UNKNOWN
} Verdict;

static Verdict judge(const ZwMargin* margin, double noise, const double* x, const double* g) {
  double first = cell_of(margin, g[0]), last = cell_of(margin, g[4]);
  bool is_finite = true, is_same = true;
  for (int k = 0; k < 5; k++) {
    is_finite = is_finite && isfinite(g[k]);
    is_same = is_same && cell_of(margin, g[k]) == first;
  }
  if (!is_finite) return is_same ? STAYS : UNKNOWN;
  Shape s = shape_of(x, g);
  if (margin->kind != ZW_MARGIN_WHOLE && s.largest <= noise) {
    return is_same ? STAYS : margin->event > 0 ? PASSES_ONCE : IS_NOISE; /* the margins of a contact belong together */
  }
  bool is_monotonic = s.slope_least * (x[4] - x[0]) >= SLOPE_BETWEEN * s.off && s.slope_least > 0;
  bool is_resolved = s.off <= RESOLVED * (margin->kind == ZW_MARGIN_WHOLE ? 1 : s.largest);
  if (is_resolved && stays(margin, &s, first)) return STAYS;
  if (!is_monotonic || fabs(last - first) > (margin->kind == ZW_MARGIN_WHOLE ? 1 : 2)) return UNKNOWN;
  return first == last ? IS_STEADY : PASSES_ONCE;
}

/* ---- what samples cannot tell ---- */

/* Bounds of positions and velocities from `low` to `high`, a little wider than those of samples: what is between them is smooth. */
static void find_bounds(ZwSim* sim, double low, double high, int samples) {
  double* bounds = sim->watch.looks.bounds;
  for (int k = 0; k < samples; k++) {
    double x = low + (high - low) * k / (samples - 1);
    zw_interpolate(sim, x, sim->y_out);
    zw_bounds_include(sim, sim->t + x * sim->h_dense, sim->y_out, k == 0, bounds);
  }
  zw_bounds_widen(sim, WIDER, bounds);
}

static bool is_asleep(const ZwSim* sim, int32_t margin) {
  int32_t event = sim->system->margins.items[margin].event;
  const ZwEvent* watcher = event > 0 ? &sim->system->events.items[event - 1] : NULL;
  return watcher && sim->values[watcher->asleep_param] == watcher->asleep_value;
}

/* The same of accelerations and reactions, at the price of as many solves. What is narrow in them has been looked for (narrow.c).
 * False: they are not watched, or have no value. */
static bool find_force_bounds(ZwSim* sim, double low, double high, int samples) {
  int32_t n = sim->n, count = n + sim->m;
  double *least = sim->watch.looks.forces, *most = least + count;
  if (!zw_events_watch_forces(sim)) return false;
  for (int k = 0; k < samples; k++) {
    double x = low + (high - low) * k / (samples - 1);
    zw_interpolate(sim, x, sim->y_out);
    if (zw_events_forces(sim, sim->t + x * sim->h_dense, sim->y_out)) return false;
    for (int32_t i = 0; i < count; i++) {
      double force = i < n ? sim->a[i] : sim->reactions[i - n];
      least[i] = k == 0 ? force : fmin(least[i], force);
      most[i] = k == 0 ? force : fmax(most[i], force);
    }
  }
  for (int32_t i = 0; i < count; i++) {
    double more = WIDER_FORCES * (most[i] - least[i]);
    least[i] -= more;
    most[i] += more;
  }
  return true;
}

/* The bounds of the state that were found, without forces. */
static ZwRangeState ranges_between(const ZwSim* sim, double low, double high) {
  const ZwLooks* looks = &sim->watch.looks;
  ptrdiff_t n = sim->n;
  return (ZwRangeState){.t_low = sim->t + low * sim->h_dense,
                        .t_high = sim->t + high * sim->h_dense,
                        .q_low = looks->bounds,
                        .v_low = looks->bounds + n,
                        .q_high = looks->bounds + 2 * n,
                        .v_high = looks->bounds + 3 * n,
                        .registers = looks->scratch,
                        .events = looks->ranges,
                        .count = sim->equations->event_count};
}

static void find_ranges(ZwSim* sim, double low, double high, bool has_forces) {
  ptrdiff_t n = sim->n;
  const double *least = sim->watch.looks.forces, *most = least + n + sim->m;
  ZwRangeState state = ranges_between(sim, low, high);
  if (has_forces) {
    state.a_low = least, state.a_high = most;
    state.reactions_low = least + n, state.reactions_high = most + n;
  }
  zw_program_range(sim->program, &sim->state, &state);
}

/* How far positions and velocities go along straight lines from `low` to `high`, in halves, and bounds of what they differ by from these. */
static void find_slants(ZwSim* sim, double low, double high, int samples) {
  ZwLooks* looks = &sim->watch.looks;
  ptrdiff_t n = sim->n;
  double *tilt = looks->slants, *bounds = tilt + 2 * n, *most = bounds + 2 * n;
  zw_interpolate(sim, low, sim->y_out);
  zw_bounds_include(sim, sim->t + low * sim->h_dense, sim->y_out, true, bounds);
  memcpy(tilt, bounds, (size_t)(2 * n) * sizeof(double));
  zw_interpolate(sim, high, sim->y_out);
  zw_bounds_include(sim, sim->t + high * sim->h_dense, sim->y_out, true, bounds);
  for (ptrdiff_t i = 0; i < 2 * n; i++) {
    double middle = 0.5 * (tilt[i] + bounds[i]);
    tilt[i] = 0.5 * (bounds[i] - tilt[i]);
    bounds[i] = most[i] = middle;
  }
  for (int k = 1; k < samples - 1; k++) {
    double part = (double)k / (samples - 1), x = low + (high - low) * part;
    zw_interpolate(sim, x, sim->y_out);
    const double* v = zw_velocity(sim, sim->t + x * sim->h_dense, sim->y_out);
    for (ptrdiff_t i = 0; i < 2 * n; i++) {
      double off = (i < n ? sim->y_out[i] : v[i - n]) - (2 * part - 1) * tilt[i];
      bounds[i] = fmin(bounds[i], off);
      most[i] = fmax(most[i], off);
    }
  }
  for (ptrdiff_t i = 0; i < 2 * n; i++) {
    double rounding = ROUNDING * (fmax(fabs(bounds[i]), fabs(most[i])) + fabs(tilt[i]));
    double more = WIDER_SLANTS * (most[i] - bounds[i]) + rounding;
    bounds[i] -= more;
    most[i] += more;
  }
}

/* The ranges found by bounds of the state, narrower where what moves together is held against each other. No forces. */
static void narrow_ranges(ZwSim* sim, double low, double high, int samples) {
  ZwLooks* looks = &sim->watch.looks;
  ptrdiff_t n = sim->n;
  const double *tilt = looks->slants, *least = tilt + 2 * n, *most = least + 2 * n;
  find_slants(sim, low, high, samples);
  double from = sim->t + low * sim->h_dense, to = sim->t + high * sim->h_dense;
  ZwSlantState state = {.all = ranges_between(sim, low, high),
                        .rest = {.t_low = 0.5 * (from + to),
                                 .t_high = 0.5 * (from + to),
                                 .q_low = least,
                                 .v_low = least + n,
                                 .q_high = most,
                                 .v_high = most + n},
                        .q_tilt = tilt,
                        .v_tilt = tilt + n,
                        .t_tilt = 0.5 * (to - from),
                        .slants = looks->slant_scratch};
  zw_program_slant(sim->program, &sim->state, &state);
}

/* What the error of the motion makes of a margin at x: less than the size that it has had may say, where it is small. */
static double noise_at(ZwSim* sim, double x, int32_t margin) {
  ZwLooks* looks = &sim->watch.looks;
  ptrdiff_t n = sim->n;
  double *least = looks->bounds, *most = looks->bounds + 2 * n;
  zw_interpolate(sim, x, sim->y_out);
  const double* v = zw_velocity(sim, sim->t + x * sim->h_dense, sim->y_out);
  for (ptrdiff_t i = 0; i < 2 * n; i++) {
    double value = i < n ? sim->y_out[i] : v[i - n];
    double error = (ROUNDING + ERROR_OF_MOTION * sim->tolerance) * fmax(sim->sizes.unit[i], fabs(value));
    least[i] = value - error;
    most[i] = value + error;
  }
  find_ranges(sim, x, x, false);
  const ZwRange* range = &looks->ranges[sim->system->margins.items[margin].value];
  return fmin(range->high - range->low, looks->noise[margin]);
}

static double noise_of(ZwSim* sim, const ZwLookInterval* interval, int32_t margin) {
  const ZwLooks* looks = &sim->watch.looks;
  double largest = 0;
  for (int k = 0; k < 5; k++) largest = fmax(largest, fabs(margins_at(looks, interval, k)[margin]));
  bool is_asked = largest <= looks->noise[margin] && largest > 0 && !is_asleep(sim, margin);
  return is_asked ? noise_at(sim, interval->x[2], margin) : looks->noise[margin];
}

/* Margins are asked no more where no condition and no mode that changes with them can change within the ranges found: they are what they
 * are, whatever the margin does. Whether one was dropped. */
static bool drop_decided(const ZwSim* sim, bool* asked) {
  const ZwLooks* looks = &sim->watch.looks;
  bool* may_change = looks->may_change;
  bool has_dropped = false;
  memset(may_change, 0, (size_t)looks->count * sizeof(bool));
  for (int32_t i = 0; i < sim->system->margin_uses.count; i++) {
    const ZwMarginUse* use = &sim->system->margin_uses.items[i];
    const ZwRange* range = &looks->ranges[use->value];
    if (range->low != range->high) may_change[use->margin] = true;
  }
  for (int32_t i = 0; i < looks->count; i++) {
    may_change[i] = may_change[i] || sim->system->margins.items[i].may_jump; /* that is to be seen */
    has_dropped = has_dropped || (asked[i] && !may_change[i]);
    asked[i] = asked[i] && may_change[i];
  }
  return has_dropped;
}

/* The first margin of those asked, that reads forces, or none, and bends too much within the ranges found, and may pass zero there; -1: none. */
static int32_t find_rough(const ZwSim* sim, const bool* asked, bool is_of_force) {
  const ZwLooks* looks = &sim->watch.looks;
  for (int32_t i = 0; i < looks->count; i++) {
    const ZwMargin* margin = &sim->system->margins.items[i];
    const ZwRange* range = &looks->ranges[margin->value];
    if (margin->is_of_force != is_of_force || !range->is_rough || !asked[i]) continue;
    bool may_pass =
        margin->kind == ZW_MARGIN_WHOLE ? floor(range->low) != floor(range->high) : range->low <= 0 && range->high >= 0;
    bool is_zero = margin->kind != ZW_MARGIN_WHOLE && fmax(range->high, -range->low) <= looks->noise[i];
    if (may_pass && !is_zero && looks->failed[i] < FAILED_MAX && !is_asleep(sim, i) && !zw_ties_is_tied(sim, i)) {
      return i;
    }
  }
  return -1;
}

/* What accelerations and reactions make of a kink is only known with bounds of them. */
static int32_t find_kink_of_force(const ZwSim* sim, const bool* asked) {
  const ZwLooks* looks = &sim->watch.looks;
  for (int32_t i = 0; looks->has_force_kinks && i < looks->count; i++) {
    const ZwMargin* margin = &sim->system->margins.items[i];
    if (margin->is_of_force && margin->kind == ZW_MARGIN_KINK && asked[i]) return i;
  }
  return -1;
}

/* Can samples tell what the margins do from `low` to `high`? Not one that may pass zero, and bends too much within these bounds: the first
 * of them, or -1. */
static int32_t find_surprise(ZwSim* sim, double low, double high, int samples, bool* asked, int8_t* wait) {
  find_bounds(sim, low, high, samples);
  find_ranges(sim, low, high, false);
  (void)drop_decided(sim, asked);
  int32_t rough = find_rough(sim, asked, false);
  if (rough >= 0 && *wait == 0) {
    narrow_ranges(sim, low, high, samples);
    bool has_dropped = drop_decided(sim, asked);
    int32_t left = find_rough(sim, asked, false);
    *wait = has_dropped || left != rough ? 0 : WAIT;
    rough = left;
  }
  if (rough >= 0) return rough;
  rough = find_rough(sim, asked, true);
  if (rough < 0) rough = find_kink_of_force(sim, asked);
  if (rough < 0 || !find_force_bounds(sim, low, high, samples)) return rough;
  find_ranges(sim, low, high, true);
  return find_rough(sim, asked, true);
}

/* An interval inside one that is plain is plain. */
static bool has_no_surprise(ZwSim* sim, ZwLookInterval* interval, int32_t* cause) {
  *cause = -1;
  if (interval->is_plain || sim->watch.looks.is_plain) return true;
  *cause = find_surprise(sim, interval->x[0], interval->x[4], SAMPLES_OF_INTERVAL, interval->asked, &interval->wait);
  interval->is_bounded = true;
  interval->is_plain = *cause < 0;
  return interval->is_plain;
}

/* Samples did not settle the interval. Has something been asked in it that cannot matter? */
static bool asks_less(ZwSim* sim, ZwLookInterval* interval) {
  if (interval->is_bounded) return false;
  interval->is_bounded = true;
  find_bounds(sim, interval->x[0], interval->x[4], SAMPLES_OF_INTERVAL);
  find_ranges(sim, interval->x[0], interval->x[4], false);
  if (drop_decided(sim, interval->asked)) return true;
  if (interval->wait > 0 || sim->watch.looks.vain >= VAIN_MAX) return false;
  narrow_ranges(sim, interval->x[0], interval->x[4], SAMPLES_OF_INTERVAL);
  bool has_dropped = drop_decided(sim, interval->asked);
  interval->wait = has_dropped ? 0 : WAIT;
  sim->watch.looks.vain += !has_dropped;
  return has_dropped;
}

/* Is margin i the same number as margin `first`, but for its sign? Then they pass zero together, as abs(x' - v) in a coefficient of
 * friction turns where the slip stops, and there is no order to find. */
static bool is_same(const ZwLooks* looks, const ZwLookInterval* interval, int32_t first, int32_t i) {
  const double sign = margins_at(looks, interval, 0)[first] == margins_at(looks, interval, 0)[i] ? 1 : -1;
  for (int k = 0; k < 5; k++) {
    if (margins_at(looks, interval, k)[i] != sign * margins_at(looks, interval, k)[first]) return false;
  }
  return true;
}

/* What the margins together say of an interval. */
typedef struct Sight {
  bool is_smooth, is_known;
  Verdict worst;
  int32_t first, passing; /* the first margin that passes, and how many do */
  int32_t cause;          /* the margin for which the interval is to be split, if it is */
} Sight;

/* Is margin i nothing but rounding all over the interval? Two that are have no order. */
static bool is_rounding(const ZwLooks* looks, const ZwLookInterval* interval, int32_t i) {
  double most = ROUNDING * zw_looks_size(looks, i);
  for (int k = 0; k < 5; k++) {
    if (!(fabs(margins_at(looks, interval, k)[i]) <= most)) return false;
  }
  return true;
}

/* What margin i says of the interval; whether that was enough for now. */
static bool look_at(ZwSim* sim, const ZwLookInterval* interval, int32_t i, bool is_shortest, Sight* sight) {
  ZwLooks* looks = &sim->watch.looks;
  const ZwMargin* margin = &sim->system->margins.items[i];
  double g[5];
  for (int k = 0; k < 5; k++) g[k] = margins_at(looks, interval, k)[i];
  Verdict verdict = judge(margin, noise_of(sim, interval, i), interval->x, g);
  if (margin->kind == ZW_MARGIN_KINK) {
    looks->failed[i] += verdict > IS_STEADY && is_shortest;
    if (verdict > IS_STEADY && sight->is_smooth) sight->cause = i;
    sight->is_smooth = sight->is_smooth && verdict <= IS_STEADY;
    return true;
  }
  if (verdict == UNKNOWN) sight->cause = i;
  if (verdict == UNKNOWN && is_shortest) looks->failed[i]++;
  sight->is_known = sight->is_known && verdict != UNKNOWN;
  if (!sight->is_known && !is_shortest) return false;
  if (verdict > sight->worst) sight->worst = verdict;
  if (verdict != PASSES_ONCE || (sight->first >= 0 && is_same(looks, interval, sight->first, i))) return true;
  if (sight->first >= 0 && is_rounding(looks, interval, sight->first) && is_rounding(looks, interval, i)) return true;
  if (sight->first < 0) sight->first = i;
  if (++sight->passing > 1) sight->cause = i;
  looks->failed[i] += is_shortest && sight->passing > 1; /* the first one is told by the others */
  return true;
}

/* May the samples of the interval be compared, because nothing between them matters? A margin that has not been resolved too often is noise
 * and no longer asked, whatever the others do. If not, `cause` is the margin that keeps them from it. */
static bool can_compare(ZwSim* sim, ZwLookInterval* interval, bool is_shortest, int32_t* cause) {
  ZwLooks* looks = &sim->watch.looks;
  Sight sight = {.is_smooth = true, .is_known = true, .worst = STAYS, .first = -1, .cause = -1};
  for (int32_t i = 0; i < looks->count; i++) {
    if (!interval->asked[i] || looks->failed[i] >= FAILED_MAX) continue;
    if (!look_at(sim, interval, i, is_shortest, &sight)) break;
  }
  *cause = sight.cause;
  /* two that pass: which is first, and what holds between them? And at a kink a slope says nothing of what is beside it; what is between
   * two of them may be over between samples, which bounds tell (range.c) */
  bool is_clear = sight.is_known && sight.passing <= 1 && (sight.is_smooth || sight.worst == STAYS);
  return is_clear && has_no_surprise(sim, interval, cause);
}

static bool is_settled(ZwSim* sim, ZwLookInterval* interval, bool is_shortest, int32_t* cause) {
  if (can_compare(sim, interval, is_shortest, cause)) return true;
  return !is_shortest && asks_less(sim, interval) && can_compare(sim, interval, false, cause);
}

/* ---- samples ---- */

static ZwStatus take_sample(ZwSim* sim, double x, double* margins) {
  ZwLooks* looks = &sim->watch.looks;
  looks->samples++;
  ZW_TRY(zw_events_sample(sim, x));
  memcpy(margins, looks->margins, (size_t)looks->count * sizeof(double));
  for (int32_t i = 0; i < looks->count; i++) {
    if (fabs(margins[i]) > looks->largest[i] && isfinite(margins[i])) looks->largest[i] = fabs(margins[i]);
  }
  return ZW_OK;
}

static void copy_sample(const ZwLooks* looks, const ZwLookInterval* from, int k, ZwLookInterval* to, int j) {
  to->x[j] = from->x[k];
  memcpy(margins_at(looks, to, j), margins_at(looks, from, k), (size_t)looks->count * sizeof(double));
}

/* Places are a little irregular, so that nothing periodic hides between them. */
static double between(double low, double high, double part) {
  return low + part * (high - low);
}

/* The next one of the first intervals. */
static ZwStatus open_interval(ZwSim* sim) {
  static const double places[5] = {0, 0.23, 0.52, 0.77, 1};
  ZwLooks* looks = &sim->watch.looks;
  ZwLookInterval* interval = &looks->stack[0];
  double low = (double)looks->next / looks->first_count, high = (double)(looks->next + 1) / looks->first_count;
  /* the end of the one before stays in place 4 of the bottom of the stack */
  if (looks->next > 0)
    copy_sample(looks, interval, 4, interval, 0);
  else
    ZW_TRY(take_sample(sim, 0, margins_at(looks, interval, 0)));
  interval->x[0] = low;
  for (int k = 1; k < 5; k++) {
    interval->x[k] = k < 4 ? between(low, high, places[k]) : high;
    ZW_TRY(take_sample(sim, interval->x[k], margins_at(looks, interval, k)));
  }
  interval->seen = 0;
  interval->is_settled = interval->is_plain = interval->is_bounded = false;
  interval->wait = looks->wait > 2 ? looks->wait - 2 : 0; /* as if the step had been split twice */
  memcpy(interval->asked, looks->asked, (size_t)looks->count * sizeof(bool));
  looks->next++;
  looks->depth = 1;
  return ZW_OK;
}

/* The interval at the top becomes two; the earlier one is on top. */
static ZwStatus split(ZwSim* sim) {
  ZwLooks* looks = &sim->watch.looks;
  ZwLookInterval* parent = &looks->stack[looks->depth - 1];
  ZwLookInterval* early = &looks->stack[looks->depth];
  for (int k = 0; k < 3; k++) copy_sample(looks, parent, k, early, 2 * k);
  for (int k = 2; k < 5; k++) copy_sample(looks, parent, k, parent, 2 * (k - 2)); /* from 2 to 0, 3 to 2, 4 to 4 */
  early->is_plain = parent->is_plain;
  memcpy(early->asked, parent->asked, (size_t)looks->count * sizeof(bool));
  int8_t wait = parent->wait > 0 ? (int8_t)(parent->wait - 1) : 0;
  ZwLookInterval* halves[] = {early, parent};
  for (int i = 0; i < 2; i++) {
    ZwLookInterval* half = halves[i];
    half->x[1] = between(half->x[0], half->x[2], 0.47);
    half->x[3] = between(half->x[2], half->x[4], 0.53);
    ZW_TRY(take_sample(sim, half->x[1], margins_at(looks, half, 1)));
    ZW_TRY(take_sample(sim, half->x[3], margins_at(looks, half, 3)));
    half->seen = 0;
    half->is_settled = half->is_bounded = false;
    half->wait = wait;
  }
  looks->depth++;
  return ZW_OK;
}

/* ---- from place to place ---- */

void zw_looks_open(ZwSim* sim) {
  ZwLooks* looks = &sim->watch.looks;
  double wanted = fmin(looks->density * sim->h_dense / GROWTH, (double)MORE * looks->needed);
  zw_sizes_take_margins(sim, sim->t, sim->y);
  looks->first_count = wanted > FIRST ? (int32_t)fmin(wanted, FIRST_MAX) : FIRST;
  for (int32_t i = 0; i < looks->count; i++) {
    double error = sim->system->margins.items[i].is_of_time ? 0 : ERROR_OF_MOTION * sim->tolerance;
    looks->noise[i] = (ROUNDING + error) * zw_looks_size(looks, i);
  }
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    if (sim->watch.rests[i]) looks->noise[sim->system->modes.items[i].sign_of - 1] = zw_rest_band(sim, i);
  }
  looks->next = looks->depth = looks->samples = looks->failures = looks->settled = looks->lost = 0;
  memset(looks->failed, 0, (size_t)looks->count * sizeof(int32_t));
  memset(looks->splits, 0, (size_t)looks->count * sizeof(int32_t));
  memset(looks->asked, true, (size_t)looks->count * sizeof(bool));
  looks->wait = looks->wait > 0 ? (int8_t)(looks->wait - 1) : 0;
  looks->vain = 0;
  looks->is_plain = looks->count == 0 || find_surprise(sim, 0, 1, SAMPLES_OF_STEP, looks->asked, &looks->wait) < 0;
}

void zw_looks_close(ZwSim* sim) {
  ZwLooks* looks = &sim->watch.looks;
  looks->needed = looks->settled > looks->lost ? looks->settled - looks->lost : 0;
  looks->density = looks->needed > 2 * FIRST ? looks->needed / sim->h_dense : 0;
  for (int32_t i = 0; i < looks->count; i++) {
    if (!is_given_up(looks, i) && looks->haste[i] > 0) looks->haste[i]--;
  }
}

/* In doubt, and still no farther from zero than an error. */
static bool is_doubtful(const ZwSim* sim, int32_t margin, double value) {
  const ZwLooks* looks = &sim->watch.looks;
  if (zw_ties_stays(sim, margin, value)) return true;
  return isnan(looks->known[margin]) && fabs(value) <= looks->noise[margin];
}

void zw_looks_doubt(ZwSim* sim, int32_t event) {
  const ZwEvent* watched = &sim->system->events.items[event];
  for (int32_t i = 0; i < watched->margins.count; i++) sim->watch.looks.known[watched->margins.items[i]] = NAN;
}

bool zw_looks_is_doubtful(const ZwSim* sim, int32_t event) {
  const ZwLooks* looks = &sim->watch.looks;
  const ZwEvent* watched = &sim->system->events.items[event];
  for (int32_t i = 0; i < watched->margins.count; i++) {
    int32_t margin = watched->margins.items[i];
    double value = looks->margins[margin];
    if (is_doubtful(sim, margin, value) && !zw_ties_stays(sim, margin, value)) return true; /* that one is told */
  }
  return false;
}

void zw_looks_know(ZwSim* sim) {
  ZwLooks* looks = &sim->watch.looks;
  for (int32_t i = 0; i < looks->count; i++) {
    if (is_doubtful(sim, i, looks->margins[i])) continue;
    looks->known[i] = cell_of(&sim->system->margins.items[i], looks->margins[i]);
  }
}

/* So much may a force be off. */
static double error_of_force(const ZwLooks* looks, int32_t margin, double tolerance) {
  return (ROUNDING + ERROR_OF_MOTION * tolerance) * zw_looks_size(looks, margin);
}

static const ZwEvent* watcher_of(const ZwSim* sim, int32_t margin) {
  int32_t event = sim->system->margins.items[margin].event;
  return event > 0 ? &sim->system->events.items[event - 1] : NULL;
}

bool zw_looks_is_idle(const ZwSim* sim, int32_t event) {
  const ZwLooks* looks = &sim->watch.looks;
  const ZwEvent* watched = &sim->system->events.items[event];
  if (!watched->is_of_force) return false;
  for (int32_t i = 0; i < watched->margins.count; i++) {
    int32_t margin = watched->margins.items[i];
    double least = watcher_of(sim, margin) ? 0 : -error_of_force(looks, margin, sim->tolerance); /* see below */
    if (!(looks->margins[margin] >= least)) return false;
  }
  return watched->margins.count > 0;
}

void zw_looks_prepare(ZwSim* sim) {
  ZwLooks* looks = &sim->watch.looks;
  for (int32_t i = 0; i < sim->system->margins.count; i++) {
    const ZwEvent* event = watcher_of(sim, i);
    if (!event) continue;
    if (sim->values[event->asleep_param] == event->asleep_value)
      looks->margins[i] = INFINITY; /* far from zero, and no size of it */
    else if (event->is_of_force)
      looks->margins[i] += error_of_force(looks, i, sim->tolerance);
  }
}

bool zw_looks_is_rounding(const ZwSim* sim, int32_t event) {
  const ZwLooks* looks = &sim->watch.looks;
  const ZwEvent* watched = &sim->system->events.items[event];
  for (int32_t i = 0; i < watched->margins.count; i++) {
    int32_t margin = watched->margins.items[i];
    if (fabs(looks->margins[margin]) <= ROUNDING * zw_looks_size(looks, margin)) return true;
  }
  return false;
}

bool zw_looks_is_on_zero(const ZwSim* sim) {
  const ZwLooks* looks = &sim->watch.looks;
  for (int32_t i = 0; i < looks->count; i++) {
    if (looks->margins[i] == 0 && looks->known[i] != 0 && sim->system->margins.items[i].kind == ZW_MARGIN_ZERO)
      return true;
  }
  return false;
}

static bool has_changed(const ZwSim* sim, const double* margins) {
  const ZwLooks* looks = &sim->watch.looks;
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    if (sim->watch.rests[i]) return true; /* how far it is off zero matters, not on which side */
  }
  for (int32_t i = 0; i < looks->count; i++) {
    const ZwMargin* margin = &sim->system->margins.items[i];
    if (margin->kind == ZW_MARGIN_KINK || is_doubtful(sim, i, margins[i])) continue;
    if (cell_of(margin, margins[i]) != looks->known[i]) return true;
  }
  return false;
}

ZwStr zw_looks_name(const ZwSim* sim, int32_t margin, ZwSpan* span) {
  const ZwSystem* system = sim->system;
  int32_t value = system->margins.items[margin].value, use = 0;
  while (system->margin_uses.items[use].margin != margin) use++;
  for (int32_t i = 0, number = 0; i < system->terms.count; i++) {
    if (system->terms.items[i].kind == ZW_TERM_EVENT && number++ == value) *span = system->terms.items[i].span;
  }
  value = system->margin_uses.items[use].value;
  for (int32_t i = 0; i < system->events.count; i++) {
    if (system->events.items[i].condition == value) return system->events.items[i].name;
  }
  for (int32_t i = 0; i < system->modes.count; i++) {
    if (system->modes.items[i].value == value) return system->modes.items[i].name;
  }
  return (ZwStr){0};
}

/* A margin that changes faster than can be followed is said once. */
static void note_too_fast(ZwSim* sim, int32_t margin, double t) {
  ZwLooks* looks = &sim->watch.looks;
  ZwSpan span = {0};
  if (looks->given_up == 0) looks->given_up = margin + 1;
  if (looks->has_noted[margin]) return;
  looks->has_noted[margin] = true;
  ZwStr name = zw_looks_name(sim, margin, &span);
  zw_diag_note(sim->diags, span,
               "from t = %s on '%.*s' changes too fast to be followed; moments in which it holds may be missed",
               zw_when(sim, t, 9).text, ZW_STR_ARGS(name));
}

/* The interval is to be split for the sake of a margin. Has this one had its share? Then it is compared at samples only, and the others go
 * on. */
static bool is_given_up_now(ZwSim* sim, int32_t margin, double t) {
  ZwLooks* looks = &sim->watch.looks;
  double share = SHARE * (SPLITS_MAX - looks->lost) * ldexp(1, -looks->haste[margin]);
  if (++looks->splits[margin] < share) return false;
  looks->lost += looks->splits[margin];
  looks->splits[margin] = GIVEN_UP;
  looks->failed[margin] = FAILED_MAX;
  looks->haste[margin] = looks->haste[margin] + HASTE < HASTE_MAX ? looks->haste[margin] + HASTE : HASTE_MAX;
  note_too_fast(sim, margin, t);
  return true;
}

/* A gap that changes by more than this part of itself in the shortest interval has jumped; by less than that of its size, that is rounding. */
#define JUMPED 0.01
#define JUMPED_OF_SIZE 1e-6

/* An open gap has jumped between two times that are as near as times can be: whether it is closed there, nothing tells. */
static ZwStatus refuse_jump(ZwSim* sim, const ZwLookInterval* interval) {
  const ZwLooks* looks = &sim->watch.looks;
  for (int32_t i = 0; i < sim->contacts.count; i++) {
    const ZwContact* contact = zw_contact_of(sim, i);
    if (contact->margin < 0 || !interval->asked[contact->margin]) continue;
    if (!sim->system->margins.items[contact->margin].may_jump) continue; /* contacts.c sees what other gaps do */
    double from = margins_at(looks, interval, 0)[contact->margin], to = margins_at(looks, interval, 4)[contact->margin];
    double least = fmax(JUMPED * fmax(fabs(from), fabs(to)), JUMPED_OF_SIZE * zw_looks_size(looks, contact->margin));
    if (!isfinite(from) || !isfinite(to) || !(fabs(to - from) > least)) continue;
    ZwWhen at = zw_when(sim, sim->t + interval->x[4] * sim->h_dense, 9);
    zw_diag_error(sim->diags, ZW_ERR_INCONSISTENT, contact->span,
                  "at t = %s the gap of the contact '%.*s' jumps from %.6g to %.6g", at.text,
                  ZW_STR_ARGS(contact->name), from, to);
    zw_diag_remedy(sim->diags, "%s", zw_row_jump_remedy(sim, contact->row));
    return ZW_ERR_INCONSISTENT;
  }
  return ZW_OK;
}

/* The interval at the top: split, or ready to be gone through. */
static ZwStatus settle(ZwSim* sim) {
  ZwLooks* looks = &sim->watch.looks;
  ZwLookInterval* top = &looks->stack[looks->depth - 1];
  double shortest = 16 * DBL_EPSILON * fmax(fabs(sim->t) / sim->h_dense, 1);
  while (!top->is_settled) {
    bool may_split = looks->failures < FAILURES_MAX && looks->samples < SAMPLES_MAX;
    bool is_shortest = looks->depth >= ZW_LOOKS_DEPTH || top->x[4] - top->x[0] <= shortest;
    int32_t cause;
    bool is_clear = is_settled(sim, top, is_shortest, &cause);
    double t = sim->t + top->x[0] * sim->h_dense;
    if (!is_clear && is_shortest) looks->failures++;
    if (!is_clear && is_shortest) ZW_TRY(refuse_jump(sim, top));
    if (!is_clear && looks->samples >= SAMPLES_MAX) note_too_fast(sim, cause, t);
    top->is_settled = is_clear || is_shortest || !may_split;
    if (top->is_settled || is_given_up_now(sim, cause, t)) continue;
    ZW_TRY(split(sim));
    top = &looks->stack[looks->depth - 1];
  }
  return ZW_OK;
}

ZwStatus zw_looks_next(ZwSim* sim, bool* is_over, double* low, double* high) {
  ZwLooks* looks = &sim->watch.looks;
  for (*is_over = false;;) {
    if (looks->depth == 0) {
      *is_over = looks->next == looks->first_count;
      if (*is_over) return ZW_OK;
      ZW_TRY(open_interval(sim));
    }
    ZW_TRY(settle(sim));
    ZwLookInterval* top = &looks->stack[looks->depth - 1];
    while (top->seen < 4) {
      int k = ++top->seen;
      if (!has_changed(sim, margins_at(looks, top, k))) continue;
      *low = top->x[k - 1];
      *high = top->x[k];
      return ZW_OK;
    }
    looks->settled++;
    looks->depth--;
  }
}
