/* What the events of one round change, all at once. Two changes of one thing must agree; those of the form n = n + c add up. The order
 * of the lines never matters. */
#include <math.h>
#include <string.h>

#include "motion/sim.h"

/* Tolerances by which constraints may move what an event assigned without a word. */
#define SILENT 100

/* A change of this round that comes before another in the text. */
typedef struct Place {
  int32_t event, change;
} Place;

static const ZwChange* change_at(const ZwSim* sim, Place place) {
  return &sim->system->events.items[place.event].changes.items[place.change];
}

static bool is_before(Place a, Place b) {
  return a.event < b.event || (a.event == b.event && a.change < b.change);
}

/* The first change of the same thing in this round, before `place`; NULL: it is the first. */
static const ZwChange* find_first(const ZwSim* sim, Place place) {
  const ZwChange* change = change_at(sim, place);
  for (Place other = {0, 0}; other.event <= place.event; other.event++) {
    if (!zw_events_becomes_true(sim, other.event)) continue;
    int32_t count = sim->system->events.items[other.event].changes.count;
    for (other.change = 0; other.change < count && is_before(other, place); other.change++) {
      const ZwChange* earlier = change_at(sim, other);
      if (earlier->target == change->target && earlier->index == change->index) return earlier;
    }
  }
  return NULL;
}

ZwChangeHow zw_changes_how(const ZwSim* sim, int32_t event, int32_t change) {
  const ZwChange* this = &sim->system->events.items[event].changes.items[change];
  const ZwChange* first = find_first(sim, (Place){event, change});
  if (!first) return ZW_CHANGE_SETS;
  if (first->added >= 0 && this->added >= 0) return ZW_CHANGE_ADDS;
  return sim->watch.values[first->value] == sim->watch.values[this->value] ? ZW_CHANGE_REPEATS : ZW_CHANGE_DISPUTES;
}

/* "model.zw:6:15" */
static void add_place(const ZwSim* sim, ZwSpan span, ZwText* text) {
  ZwPlace place = zw_sources_place(sim->diags->sources, span);
  ZwStr file = zw_sources_get(sim->diags->sources, span.file)->name;
  zw_text_addf(text, "%.*s:%d:%d", ZW_STR_ARGS(file), (int)place.line, (int)place.column);
}

static ZwStatus refuse(ZwSim* sim, Place place) {
  const ZwChange *change = change_at(sim, place), *first = find_first(sim, place);
  bool is_memory = change->target != ZW_OP_COORD && change->target != ZW_OP_VELOCITY;
  ZwStr name =
      is_memory ? sim->system->params.items[change->index].name : sim->system->coords.items[change->index].name;
  ZwArena scratch;
  zw_arena_init(&scratch, &sim->allocator);
  ZwText where;
  zw_text_init(&where, &scratch);
  add_place(sim, first->span, &where);
  zw_diag_error(sim->diags, ZW_ERR_STEP, change->span,
                "at t = %s two events give '%.*s%s' different values: %.9g here, and %.9g at %s",
                zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(name), change->target == ZW_OP_VELOCITY ? "'" : "",
                sim->watch.values[change->value], sim->watch.values[first->value], zw_text_get(&where));
  zw_diag_remedy(sim->diags,
                 "let one event make both changes, or let one condition exclude the other; n = n + c of several "
                 "events add up");
  ZwStatus status = scratch.failed ? ZW_ERR_MEMORY : ZW_ERR_STEP;
  zw_arena_destroy(&scratch);
  return status;
}

static double* target_of(ZwSim* sim, const ZwChange* change) {
  if (change->target == ZW_OP_COORD) return sim->y + change->index;
  if (change->target == ZW_OP_VELOCITY) return sim->y + sim->n + change->index;
  return sim->values + change->index;
}

static void make(ZwSim* sim, const ZwChange* change, ZwChangeHow how, ZwChanges* done) {
  const double* values = sim->watch.values;
  double* target = target_of(sim, change);
  if (how == ZW_CHANGE_SETS) *target = values[change->value];
  if (how == ZW_CHANGE_ADDS) *target += values[change->added];
  if (change->target == ZW_OP_COORD) sim->watch.hold[change->index] = ZW_HOLD_TYPED;
  if (change->target == ZW_OP_VELOCITY) sim->watch.hold[sim->n + change->index] = ZW_HOLD_TYPED;
  done->has_moved = done->has_moved || change->target == ZW_OP_COORD;
  done->has_remembered = done->has_remembered || (change->target != ZW_OP_COORD && change->target != ZW_OP_VELOCITY);
}

ZwStatus zw_changes_make(ZwSim* sim, ZwChanges* done) {
  *done = (ZwChanges){0};
  for (int32_t i = 0; i < sim->watch.count; i++) {
    const ZwEvent* event = &sim->system->events.items[i];
    for (int32_t k = 0; zw_events_becomes_true(sim, i) && k < event->changes.count; k++) {
      ZwChangeHow how = zw_changes_how(sim, i, k);
      if (how == ZW_CHANGE_DISPUTES) return refuse(sim, (Place){i, k});
      make(sim, &event->changes.items[k], how, done);
    }
  }
  memcpy(sim->watch.assigned, sim->y, (size_t)(2 * sim->n) * sizeof(double));
  return ZW_OK;
}

/* Where y holds what a change assigned; -1: it is a memory. */
static int32_t place_of(const ZwSim* sim, const ZwChange* change) {
  if (change->target == ZW_OP_COORD) return change->index;
  return change->target == ZW_OP_VELOCITY ? sim->n + change->index : -1;
}

static bool has_moved(const ZwSim* sim, int32_t place) {
  double to = sim->watch.assigned[place], size = fmax(sim->sizes.unit[place], fabs(to));
  return fabs(sim->y[place] - to) > SILENT * sim->tolerance * size;
}

static void note_move(ZwSim* sim, const ZwChange* change, int32_t place) {
  zw_diag_note(sim->diags, change->span, "at t = %s this sets '%.*s%s' to %.9g, and the constraints move it to %.9g",
               zw_when(sim, sim->t, 9).text, ZW_STR_ARGS(sim->system->coords.items[change->index].name),
               change->target == ZW_OP_VELOCITY ? "'" : "", sim->watch.assigned[place], sim->y[place]);
}

void zw_changes_note_moves(ZwSim* sim) {
  for (int32_t i = 0; i < sim->watch.count; i++) {
    const ZwEvent* event = &sim->system->events.items[i];
    for (int32_t k = 0; zw_events_becomes_true(sim, i) && k < event->changes.count; k++) {
      const ZwChange* change = &event->changes.items[k];
      int32_t place = place_of(sim, change);
      if (place < 0 || sim->watch.has_noted_move[i] || !has_moved(sim, place)) continue;
      note_move(sim, change, place);
      sim->watch.has_noted_move[i] = true;
    }
  }
}
