/* What contacts were over time, in a fixed amount of memory, for a picture.
 *
 * A contact that is touched (closed or hit) gets a lane, as long as there are lanes. The events of a lane are kept one by one;
 * when its cells are full, time is cut into half as many equal cells and what happens in the same cell merges, as often as
 * needed. A cell keeps its hardest hit and how long the contact was what within it: as long as cells are narrower than a
 * pixel the picture is the same.
 */
#ifndef ZW_OUTPUT_LANES_H
#define ZW_OUTPUT_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/status.h"
#include "zwang/types.h"

enum {
  ZW_LANES_MAX = 64,    /* most contacts of one picture */
  ZW_LANE_CELLS = 2048, /* at least 1024 over the time that there is */
  ZW_LANE_STATES = ZW_CONTACT_HIT
};

typedef struct ZwLaneCell {
  double begin, end;            /* its first and its last event */
  double impulse;               /* of the hardest hit; 0: there is none */
  double hit;                   /* when that was */
  double spent[ZW_LANE_STATES]; /* from begin to end, by what the contact was */
  ZwContactWhat what;           /* what it is behind `end` */
} ZwLaneCell;

typedef struct ZwLane {
  int32_t contact; /* its number */
  ZwLaneCell* cells;
  int32_t count, capacity;
  double origin, width; /* where the cells of time begin, and how long they are; 0: one for each instant */
} ZwLane;

/* A zeroed one has to be given its allocator. */
typedef struct ZwLanes {
  ZwAllocator allocator;
  int32_t contact_count; /* so far */
  int32_t touched;       /* so many of them were closed or hit, */
  int32_t lane_count;    /* and have a lane */
  double impulse_max;    /* of all hits */
  bool has_state[ZW_LANE_STATES];
  ZwLane lanes[ZW_LANES_MAX];

  /* private */
  struct ZwLanesContact* contacts;
  int32_t contact_room, told;
} ZwLanes;

/* Takes an event; times never go back. ZW_ERR_MEMORY. */
ZwStatus zw_lanes_add(ZwLanes* lanes, const ZwContactEvent* event);
/* The lane of a contact; NULL: it was never touched, or there were too many. */
const ZwLane* zw_lanes_find(const ZwLanes* lanes, int32_t contact);
/* The contacts to be drawn, in the order in which their states were told first: all of them if they are not too many, else
 * those that have a lane. Returns how many, at most ZW_LANES_MAX. */
int32_t zw_lanes_order(const ZwLanes* lanes, int32_t contacts[ZW_LANES_MAX]);
void zw_lanes_free(ZwLanes* lanes);

#endif
