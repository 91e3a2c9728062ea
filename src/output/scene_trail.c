/* A corner is left out while a straight line from the last one that was given passes all points between within `tolerance`: that is
 * known from the range of directions that still hit all of them, which narrows from point to point. */
#include "output/scene_trail.h"

#include <math.h>

static const double tolerance = 0.15; /* px */
static const double outside = 20000;  /* px from the stage: interrupted there */
static const double jump_least = 1;   /* px; at an event the state may also move by a rounding error */

typedef struct Corner {
  ZwPlace place;
  double nearness;
  int32_t row;
} Corner;

typedef struct Walk {
  ZwSceneTrailFn take;
  void* context;
  Corner given, seen;          /* the last corner that was given, the last that was seen */
  bool has_begun;              /* there is such a corner */
  bool is_waiting;             /* `seen` was not given yet */
  double direction, low, high; /* rad; of the first point behind `given`, and how far others may be off it */
  double farthest;             /* of the points behind `given` */
} Walk;

static void give(Walk* walk, Corner corner, bool begins) {
  walk->take(walk->context, corner.place, corner.nearness, corner.row, begins);
  walk->given = walk->seen = corner;
  walk->is_waiting = false;
}

static void interrupt(Walk* walk) {
  if (walk->is_waiting) give(walk, walk->seen, false);
  walk->has_begun = false;
}

/* An angle as far as possible from a whole turn. */
static double turned(double angle) {
  return remainder(angle, 2 * acos(-1));
}

/* Whether the line from `given` to the corner passes all points between; if so, those ahead must pass the corner too. */
static bool goes_on(Walk* walk, Corner corner) {
  double dx = corner.place.x - walk->given.place.x, dy = corner.place.y - walk->given.place.y, distance = hypot(dx, dy);
  double wide = distance > tolerance ? asin(tolerance / distance) : 2;
  if (!walk->is_waiting) {
    walk->direction = atan2(dy, dx);
    walk->low = -wide, walk->high = wide;
    walk->farthest = distance;
    return true;
  }
  double off = turned(atan2(dy, dx) - walk->direction);
  if (distance < walk->farthest - tolerance || off < walk->low || off > walk->high) return false;
  walk->low = fmax(walk->low, off - wide);
  walk->high = fmin(walk->high, off + wide);
  walk->farthest = fmax(walk->farthest, distance);
  return true;
}

static void add_corner(Walk* walk, Corner corner) {
  if (!walk->has_begun) {
    walk->has_begun = true;
    give(walk, corner, true);
    return;
  }
  if (!goes_on(walk, corner)) {
    give(walk, walk->seen, false);
    (void)goes_on(walk, corner);
  }
  walk->seen = corner;
  walk->is_waiting = true;
}

void zw_scene_trail_walk(const ZwScene* scene, const ZwView* view, const ZwDraw* shape, int32_t row,
                         ZwSceneTrailFn take, void* context) {
  Walk walk = {.take = take, .context = context};
  double last[2] = {0, 0};
  for (int32_t i = 0; i <= row; i++) {
    double point[3], place[2];
    zw_scene_point(scene, i, shape, 0, point);
    zw_view_place(view, point, place);
    bool is_there = fabs(place[0]) < outside && fabs(place[1]) < outside; /* false for nan */
    bool jumps = i > 0 && zw_scene_time(scene, i) == zw_scene_time(scene, i - 1) &&
                 hypot(place[0] - last[0], place[1] - last[1]) > jump_least;
    if (!is_there || jumps) interrupt(&walk);
    if (is_there) add_corner(&walk, (Corner){{place[0], place[1]}, zw_view_nearness(view, point), i});
    last[0] = place[0], last[1] = place[1];
  }
  interrupt(&walk);
}
