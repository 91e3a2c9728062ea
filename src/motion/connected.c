#include "motion/connected.h"

/* What stands for a value that changes, or for the value of an event: a coordinate that it hangs on or acts on; -1: none yet. */
typedef struct Joiner {
  const ZwSim* sim;
  ZwIslands islands;
  int32_t *values, *events;
} Joiner;

/* A coordinate and what stands in a place belong together; an empty place is taken. */
static void put(Joiner* j, int32_t* place, int32_t coord) {
  if (coord < 0) return;
  if (*place >= 0) zw_islands_join(&j->islands, *place, coord);
  *place = coord;
}

/* What stands in b, a place that stays, belongs to a; true if b was empty and is taken. */
static bool join(Joiner* j, int32_t* a, int32_t* b) {
  if (*b >= 0) put(j, a, *b);
  bool is_taken = *b < 0 && *a >= 0;
  if (is_taken) *b = *a;
  return is_taken;
}

/* A place, and the coordinates of a row. */
static void put_row(Joiner* j, int32_t* place, int32_t row) {
  const ZwPattern* A = &j->sim->equations->A;
  for (int32_t k = A->begin[row]; k < A->begin[row + 1]; k++) put(j, place, A->column[k]);
}

/* Parameters that stay what they are join nothing. */
static bool is_changing(const ZwSim* sim, int32_t value) {
  const ZwSystem* system = sim->system;
  return value < system->params.count && (system->params.items[value].is_mode || system->params.items[value].is_memory);
}

/* An element: its coordinates, and the values that change which it reads. */
static bool join_element(Joiner* j, const ZwShape* shape, int32_t instance, int32_t* event) {
  const int32_t* coords = shape->instance_coords.items + (ptrdiff_t)instance * shape->coords;
  const int32_t* slots = shape->instance_slots.items + (ptrdiff_t)instance * shape->slots;
  int32_t first = -1;
  bool has_news = false;
  for (int32_t k = 0; k < shape->coords; k++) put(j, &first, coords[k]);
  for (int32_t k = 0; k < shape->reactions; k++) {
    int32_t row = shape->instance_reactions.items[(ptrdiff_t)instance * shape->reactions + k];
    if (row < j->sim->m) put_row(j, &first, row);
  }
  for (int pass = 0; pass < 2; pass++) { /* the second time all places have been seen */
    if (event) has_news = join(j, &first, event) || has_news;
    for (int32_t k = 0; k < shape->slots; k++) {
      if (is_changing(j->sim, slots[k])) has_news = join(j, &first, &j->values[slots[k]]) || has_news;
    }
  }
  return has_news;
}

static bool join_elements(Joiner* j) {
  const ZwEquations* equations = j->sim->equations;
  bool has_news = false;
  for (int32_t s = 0; s < equations->shapes.count; s++) {
    const ZwShape* shape = &equations->shapes.items[s];
    if (shape->kind == ZW_SHAPE_OUTPUT || shape->kind == ZW_SHAPE_QUASI || shape->kind == ZW_SHAPE_EXACT) continue;
    for (int32_t i = 0; i < shape->count; i++) {
      int32_t* event = shape->kind == ZW_SHAPE_EVENT ? &j->events[shape->instance_rows.items[i]] : NULL;
      has_news = join_element(j, shape, i, event) || has_news;
    }
  }
  return has_news;
}

/* A switch and what decides it; a constraint and what lets it come and go; a contact and its friction. */
static bool join_switches(Joiner* j) {
  const ZwSystem* system = j->sim->system;
  bool has_news = false;
  for (int32_t i = 0; i < system->modes.count; i++) {
    const ZwMode* mode = &system->modes.items[i];
    has_news = join(j, &j->values[mode->param], &j->events[mode->value]) || has_news;
    has_news = join(j, &j->events[mode->value], &j->values[mode->param]) || has_news;
  }
  for (int32_t row = 0; row < j->sim->m; row++) {
    int32_t gate = system->terms.items[j->sim->equations->rows.items[row].term].gate;
    if (gate > 0 && is_changing(j->sim, gate - 1)) put_row(j, &j->values[gate - 1], row);
  }
  for (int32_t i = 0; i < system->contacts.count; i++) {
    const ZwContact* contact = &system->contacts.items[i];
    int32_t first = -1;
    put_row(j, &first, contact->row);
    for (int32_t k = 0; k < contact->slip_dim; k++) put_row(j, &first, contact->slip + k);
    if (contact->slip_dim > 0) has_news = join(j, &first, &j->events[contact->friction]) || has_news;
    has_news = join(j, &first, &j->events[contact->restitution]) || has_news;
  }
  return has_news;
}

/* What an event changes hangs on its condition and on what it becomes. */
static bool join_events(Joiner* j) {
  const ZwSystem* system = j->sim->system;
  bool has_news = false;
  for (int32_t e = 0; e < system->events.count; e++) {
    const ZwEvent* event = &system->events.items[e];
    for (int32_t k = 0; k < event->changes.count; k++) {
      const ZwChange* change = &event->changes.items[k];
      bool is_state = change->target == ZW_OP_COORD || change->target == ZW_OP_VELOCITY;
      int32_t coord = change->index, *target = is_state ? &coord : &j->values[change->index];
      int32_t* const places[] = {&j->events[change->value], &j->events[event->condition]};
      for (int i = 0; i < 2; i++) {
        has_news = join(j, target, places[i]) || has_news;
        if (!is_state) has_news = join(j, places[i], target) || has_news;
      }
    }
  }
  return has_news;
}

ZwStatus zw_connected_find(const ZwSim* sim, ZwArena* arena, ZwIslands* connected) {
  int32_t params = sim->system->params.count, events = sim->equations->event_count;
  Joiner j = {.sim = sim, .islands.of = ZW_NEW(arena, sim->n + 1, int32_t)};
  j.values = ZW_NEW(arena, params + 1, int32_t);
  j.events = ZW_NEW(arena, events + 1, int32_t);
  if (arena->failed) return ZW_ERR_MEMORY;
  for (int32_t i = 0; i < params; i++) j.values[i] = -1;
  for (int32_t i = 0; i < events; i++) j.events[i] = -1;
  zw_islands_open(&j.islands, sim->equations, ZW_JOIN_TERMS);
  for (int32_t row = 0; row < sim->m; row++) zw_islands_join_row(&j.islands, sim->equations, row);
  bool has_news = true;
  while (has_news) { /* what stands for a switch may come from one that it reads */
    has_news = join_elements(&j);
    has_news = join_switches(&j) || has_news;
    has_news = join_events(&j) || has_news;
  }
  if (sim->host.def && sim->host.def->force) zw_islands_join_all(&j.islands);
  zw_islands_close(&j.islands);
  *connected = j.islands;
  return ZW_OK;
}
