/* Time has to pass. An event that repeats ever faster, or that hardly lets time pass, never lets a run come to its end: it is told so,
 * with the names of what happens, as soon as that can be seen.
 *
 * Every event is counted on its own, so that a thousand things that happen within a moment, once each, are none of this. It is looked at
 * after 1024 of them, and whenever they have become twice as many: if the last N took the time T, and p says how much of it the first half
 * of them took, then n of them take T (n/N)^p. That tells how many would be needed for what is left of the run. */
#include <float.h>
#include <math.h>

#include "motion/sim.h"

/* Intervals shorter than this part of the time they have been shrinking are an end. */
#define ACCUMULATED 1e-7
/* Events that a run may need from here to its end, by what the last ones say: at a steady pace, and where they come ever faster. */
#define NEEDED_STEADY 1e10
#define NEEDED_FASTER 1e9
/* Those of contacts whose impacts become weaker: they come to rest by themselves after a series of any length. */
#define NEEDED_RESTING 1e14
/* Above this p the pace is steady. */
#define STEADY 0.9

enum {
  REPEATS = 1024,        /* of one event, after which its pace is looked at first, */
  REPEATS_MAX = 1 << 16, /* and as many at least after which that is done again */
  SHRINKING_MAX = 20,    /* intervals in a row, each shorter than the one before */
  TOGETHER_MAX = 1000    /* events in a row that are hardly apart in time */
};

/* ---- names ---- */

/* The event or mode number i: events first, modes after them. */
static ZwStr name_of(const ZwSim* sim, int32_t i) {
  int32_t count = sim->watch.count;
  return i < count ? sim->system->events.items[i].name : sim->system->modes.items[i - count].name;
}

static int32_t count_all(const ZwSim* sim) {
  return sim->watch.count + sim->system->modes.count;
}

/* Where it is written: an event, or what switches. */
static ZwSpan span_of(const ZwSim* sim, int32_t i) {
  const ZwSystem* system = sim->system;
  if (i < sim->watch.count) return system->events.items[i].span;
  return system->params.items[system->modes.items[i - sim->watch.count].param].span;
}

/* "'x > 0' (line 4), 'floor closes' (line 5)" of those that have been repeated most. */
static ZwSpan add_names(const ZwSim* sim, ZwText* text) {
  enum { SHOWN = 6 };
  int32_t most = 0, shown = 0, count = 0;
  ZwSpan first = {0};
  for (int32_t i = 0; i < count_all(sim); i++) {
    if (sim->watch.repeats[i].count > most) most = sim->watch.repeats[i].count;
  }
  for (int32_t i = 0; i < count_all(sim); i++) {
    if (sim->watch.repeats[i].count < (most > 4 ? most / 2 : 2) || count++ >= SHOWN) continue;
    ZwSpan span = span_of(sim, i);
    if (!first.file) first = span;
    zw_text_addf(text, "%s'%.*s'", shown++ ? ", " : "", ZW_STR_ARGS(name_of(sim, i)));
    if (span.file == 1) zw_text_addf(text, " (line %d)", (int)zw_sources_place(sim->diags->sources, span).line);
  }
  if (count > SHOWN) zw_text_addf(text, " and %d more", (int)(count - SHOWN));
  return first;
}

/* "events without end at t = 0.3: 'k > 0' (line 4), 'k < 1' (line 5)" and more after it. */
static ZwStatus refuse(ZwSim* sim, const char* how, const char* remedy) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText names;
  zw_text_init(&names, &scratch);
  ZwSpan span = add_names(sim, &names);
  zw_diag_error(sim->diags, ZW_ERR_STEP, span, "events without end at t = %s: %s%s", zw_when(sim, sim->t, 9).text,
                zw_text_get(&names), how);
  zw_diag_remedy(sim->diags, "%s", remedy);
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : ZW_ERR_STEP;
  zw_arena_destroy(&scratch);
  return status;
}

static const char* remedy_of(const ZwSim* sim) {
  return sim->contacts.count > 0
             ? "do contacts squeeze something, or has a gap a kink (abs, max)? Write that as two contacts"
             : "a ball that comes to rest needs a contact; or let an event switch itself off with a memory";
}

static ZwStatus refuse_piling(ZwSim* sim, double end) {
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText names;
  zw_text_init(&names, &scratch);
  ZwSpan span = add_names(sim, &names);
  zw_diag_error(sim->diags, ZW_ERR_STEP, span,
                "events follow each other ever faster: at t = %s there would be no end of them: %s",
                zw_when(sim, end, 9).text, zw_text_get(&names));
  zw_diag_remedy(sim->diags, "%s", remedy_of(sim));
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : ZW_ERR_STEP;
  zw_arena_destroy(&scratch);
  return status;
}

/* ---- from instant to instant ---- */

/* Intervals that shrink to nothing: the event repeats without end before a time that can be told. */
static bool accumulates(ZwSim* sim, double interval, double* end) {
  ZwWatch* watch = &sim->watch;
  bool is_shorter = interval < watch->interval;
  double ratio = interval / watch->interval;
  if (!is_shorter) watch->t_shrinking = sim->t;
  watch->shrinking = is_shorter ? watch->shrinking + 1 : 0;
  watch->interval = interval;
  *end = sim->t + interval * ratio / (1 - ratio);
  return watch->shrinking >= SHRINKING_MAX && interval < ACCUMULATED * (sim->t - watch->t_shrinking);
}

/* How fast the gap of a contact closes now, as far as event i is that of its gap; 0: it is another event. */
static double approach_of(ZwSim* sim, int32_t i) {
  int32_t number = i < sim->watch.count ? sim->system->events.items[i].contact : 0;
  const ZwContact* contact = number > 0 ? &sim->system->contacts.items[number - 1] : NULL;
  if (!contact || contact->closes != i) return 0;
  return zw_eval_velocity(sim, sim->t, sim->y, zw_velocity(sim, sim->t, sim->y)) ? -sim->psi[contact->row] : 0;
}

/* What a contact does comes to rest by itself, unless it is hit as hard as ever. */
static bool is_resting(ZwSim* sim, int32_t i, const ZwRepeats* repeats) {
  if (i >= sim->watch.count || sim->system->events.items[i].contact == 0) return false;
  return repeats->approach <= 0 || approach_of(sim, i) < (1 - 1e-6) * repeats->approach;
}

/* After a whole series of event i: does the run ever come to its end this way? */
static bool is_endless(ZwSim* sim, int32_t i, const ZwRepeats* repeats) {
  double took = sim->t - repeats->t_begin, first = repeats->t_half - repeats->t_begin;
  double left = sim->plan ? sim->plan->to - sim->t : INFINITY;
  if (!isfinite(left)) left = zw_sizes_time(sim);
  if (is_resting(sim, i, repeats)) return left * repeats->length > NEEDED_RESTING * took;
  double p = first > 0 ? fmin(log2(took / first), 1) : 1;
  double needed = repeats->length * pow(left / took, 1 / fmax(p, 0.1));
  return left > took && !(needed <= (p > STEADY ? NEEDED_STEADY : NEEDED_FASTER));
}

static void open_series(ZwSim* sim, int32_t i) {
  ZwRepeats* repeats = &sim->watch.repeats[i];
  int32_t next = repeats->total > REPEATS ? repeats->total : REPEATS;
  repeats->length = next < REPEATS_MAX ? next : REPEATS_MAX;
  repeats->t_begin = sim->t;
  repeats->approach = approach_of(sim, i);
}

/* Counts one event or mode that happens now; true when it will never end. */
static bool count_one(ZwSim* sim, int32_t i) {
  ZwRepeats* repeats = &sim->watch.repeats[i];
  if (repeats->count == 0) open_series(sim, i);
  repeats->count++;
  if (repeats->count == repeats->length / 2) repeats->t_half = sim->t;
  if (repeats->count < repeats->length) return false;
  if (is_endless(sim, i, repeats)) return true;
  if (repeats->total < REPEATS_MAX) repeats->total += repeats->count;
  repeats->count = 0;
  return false;
}

static bool count_happening(ZwSim* sim, bool* is_contact) {
  bool never_ends = false;
  *is_contact = false;
  for (int32_t i = 0; i < sim->watch.count; i++) {
    if (!zw_events_becomes_true(sim, i)) continue;
    *is_contact = *is_contact || sim->system->events.items[i].contact > 0;
    never_ends = count_one(sim, i) || never_ends;
  }
  for (int32_t i = 0; i < sim->system->modes.count; i++) {
    bool switches = sim->watch.modes[i] != sim->values[sim->system->modes.items[i].param];
    if (switches) never_ends = count_one(sim, sim->watch.count + i) || never_ends;
  }
  return never_ends;
}

ZwStatus zw_passing_check(ZwSim* sim) {
  ZwWatch* watch = &sim->watch;
  double interval = sim->t - watch->t_last, least = 64 * DBL_EPSILON * fmax(fabs(sim->t), DBL_MIN), end;
  bool is_contact, never_ends = count_happening(sim, &is_contact);
  watch->t_last = sim->t;
  watch->together = interval <= least ? watch->together + 1 : 0;
  if (never_ends) return refuse(sim, ": they hardly let time pass", remedy_of(sim));
  if (watch->together >= TOGETHER_MAX) return refuse(sim, ": time stands still", remedy_of(sim));
  if (is_contact || !accumulates(sim, interval, &end)) return ZW_OK; /* bounces come to rest by themselves */
  return refuse_piling(sim, end);
}

/* ---- within one instant ---- */

void zw_passing_open(ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) sim->watch.repeats[i].in_instant = 0;
}

void zw_passing_round(ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) sim->watch.repeats[i].in_instant += zw_events_becomes_true(sim, i);
}

ZwStatus zw_passing_refuse_instant(ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) sim->watch.repeats[i].count = sim->watch.repeats[i].in_instant;
  return refuse(sim, " set off each other", "let the changes of one not make the condition of the other true again");
}
