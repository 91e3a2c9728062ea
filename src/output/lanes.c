#include "output/lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CELLS_FIRST = 16, CONTACTS_FIRST = 16 };

typedef struct ZwLanesContact {
  int32_t lane; /* + 1; 0: none */
  int32_t rank; /* when its state was first told, from 1; 0: not yet */
  ZwContactWhat what;
  bool is_touched;
} ZwLanesContact;

/* Makes room for one thing more. */
static bool grow(const ZwAllocator* allocator, void** items, int32_t count, int32_t* room, int32_t first, size_t size) {
  int32_t larger_room = *room ? 2 * *room : first;
  void* larger = zw_alloc(allocator, (size_t)larger_room * size);
  if (!larger) return false;
  if (count > 0) memcpy(larger, *items, (size_t)count * size);
  zw_release(allocator, *items);
  *items = larger;
  *room = larger_room;
  return true;
}

static bool make_contact(ZwLanes* lanes, int32_t contact) {
  while (contact >= lanes->contact_room) {
    if (!grow(&lanes->allocator, (void**)&lanes->contacts, lanes->contact_count, &lanes->contact_room, CONTACTS_FIRST,
              sizeof *lanes->contacts)) {
      return false;
    }
  }
  if (contact >= lanes->contact_count) lanes->contact_count = contact + 1;
  return true;
}

/* ---- cells ---- */

static bool is_same_cell(const ZwLane* lane, double a, double b) {
  if (lane->width <= 0) return a == b;
  return floor((a - lane->origin) / lane->width) == floor((b - lane->origin) / lane->width);
}

static void merge(ZwLaneCell* into, const ZwLaneCell* next) {
  into->spent[into->what] += next->begin - into->end;
  for (int i = 0; i < ZW_LANE_STATES; i++) into->spent[i] += next->spent[i];
  if (next->impulse > into->impulse) {
    into->impulse = next->impulse;
    into->hit = next->hit;
  }
  into->end = next->end;
  into->what = next->what;
}

static void merge_neighbours(ZwLane* lane) {
  int32_t count = 1;
  for (int32_t i = 1; i < lane->count; i++) {
    if (is_same_cell(lane, lane->cells[count - 1].begin, lane->cells[i].begin))
      merge(&lane->cells[count - 1], &lane->cells[i]);
    else
      lane->cells[count++] = lane->cells[i];
  }
  lane->count = count;
}

/* Half as many cells over the time up to now; no two of them have the same begin, so it has a length. */
static void thin(ZwLane* lane) {
  double span = lane->cells[lane->count - 1].begin - lane->origin;
  lane->width = fmax(2 * lane->width, span / (ZW_LANE_CELLS / 2 - 1));
  merge_neighbours(lane);
}

static bool is_in_last(const ZwLane* lane, double t) {
  return lane->count > 0 && is_same_cell(lane, lane->cells[lane->count - 1].begin, t);
}

static bool push_cell(const ZwAllocator* allocator, ZwLane* lane, const ZwLaneCell* cell) {
  if (lane->count == 0) lane->origin = cell->begin;
  if (lane->count == ZW_LANE_CELLS && !is_in_last(lane, cell->begin)) thin(lane);
  if (is_in_last(lane, cell->begin)) {
    merge(&lane->cells[lane->count - 1], cell);
    return true;
  }
  if (lane->count == lane->capacity &&
      !grow(allocator, (void**)&lane->cells, lane->count, &lane->capacity, CELLS_FIRST, sizeof *lane->cells)) {
    return false;
  }
  lane->cells[lane->count++] = *cell;
  return true;
}

/* ---- events ---- */

/* The lane of a contact that was just touched for the first time. */
static void open_lane(ZwLanes* lanes, int32_t contact) {
  lanes->touched++;
  lanes->contacts[contact].is_touched = true;
  if (lanes->lane_count == ZW_LANES_MAX) return;
  lanes->lanes[lanes->lane_count] = (ZwLane){.contact = contact};
  lanes->contacts[contact].lane = ++lanes->lane_count;
}

ZwStatus zw_lanes_add(ZwLanes* lanes, const ZwContactEvent* event) {
  if (!make_contact(lanes, event->contact)) return ZW_ERR_MEMORY;
  ZwLanesContact* contact = &lanes->contacts[event->contact];
  bool is_hit = event->what == ZW_CONTACT_HIT;
  if (!is_hit) {
    contact->what = event->what;
    lanes->has_state[event->what] = true;
    if (!contact->rank) contact->rank = ++lanes->told;
  }
  if (is_hit && isfinite(event->impulse)) lanes->impulse_max = fmax(lanes->impulse_max, event->impulse);
  if (!contact->is_touched && event->what != ZW_CONTACT_OPEN) open_lane(lanes, event->contact);
  if (!contact->lane) return ZW_OK;
  ZwLaneCell cell = {.begin = event->t,
                     .end = event->t,
                     .impulse = is_hit ? fmax(event->impulse, DBL_MIN) : 0, /* also one that cannot be */
                     .hit = event->t,
                     .what = contact->what};
  return push_cell(&lanes->allocator, &lanes->lanes[contact->lane - 1], &cell) ? ZW_OK : ZW_ERR_MEMORY;
}

const ZwLane* zw_lanes_find(const ZwLanes* lanes, int32_t contact) {
  int32_t lane = lanes->contacts[contact].lane;
  return lane ? &lanes->lanes[lane - 1] : NULL;
}

/* Whose state was never told comes last. */
static int32_t rank_of(const ZwLanes* lanes, int32_t contact) {
  int32_t rank = lanes->contacts[contact].rank;
  return rank ? rank : INT32_MAX;
}

int32_t zw_lanes_order(const ZwLanes* lanes, int32_t contacts[ZW_LANES_MAX]) {
  int32_t count = 0;
  bool is_crowded = lanes->contact_count > ZW_LANES_MAX;
  for (int32_t i = 0; i < lanes->contact_count; i++) {
    if (is_crowded && !lanes->contacts[i].lane) continue;
    int32_t at = count++;
    for (; at > 0 && rank_of(lanes, contacts[at - 1]) > rank_of(lanes, i); at--) contacts[at] = contacts[at - 1];
    contacts[at] = i;
  }
  return count;
}

void zw_lanes_free(ZwLanes* lanes) {
  if (!lanes->contacts) return;
  for (int32_t i = 0; i < lanes->lane_count; i++) zw_release(&lanes->allocator, lanes->lanes[i].cells);
  zw_release(&lanes->allocator, lanes->contacts);
  lanes->contacts = NULL;
  lanes->contact_count = lanes->contact_room = lanes->lane_count = 0;
}
