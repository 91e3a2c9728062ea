/* Where a scene is seen from, and what of it: places in the world become places on a stage, in pixels.
 *
 * The view holds all rows, with one scale for all directions. In space it is axonometric: parallel lines stay parallel and lengths
 * can be compared, wherever things are; z is up. A few rows that go very far (a spike of a force, the last instants of a motion that
 * blows up) would make everything else a dot: where the largest extent is more than `FAR` times that of nearly all rows, the view
 * holds nearly all, and `is_cut` says so.
 */
#ifndef ZW_OUTPUT_VIEW_H
#define ZW_OUTPUT_VIEW_H

#include "output/scene.h"

/* px */
enum {
  ZW_STAGE_WIDTH = 720, /* at most */
  ZW_STAGE_HEIGHT = 520,
  ZW_STAGE_WIDTH_LEAST = 400,
  ZW_STAGE_HEIGHT_LEAST = 200,
  ZW_STAGE_MARGIN = 34 /* around what is bounded by points: for line widths, arrow heads, hatching, letters */
};

typedef struct ZwViewDef {
  double azimuth,
      elevation; /* degrees: where the eye is, around z from the x axis, and above the plane; NaN: as we choose */
} ZwViewDef;

typedef struct ZwView {
  bool is_spatial;
  double azimuth, elevation;         /* degrees */
  double right[3], up[3], toward[3]; /* unit vectors of the stage, and to the eye */
  double centre[3];                  /* of the world: in the middle of the stage */
  double half_width, half_height;    /* of what is seen, in the world's units */
  double low[3], high[3];            /* bounds of the world */
  double scale;                      /* px per unit */
  int32_t width, height;             /* px, of the stage */
  double grid, floor_low[2],
      floor_high[2]; /* in space: distance of the lines on the floor, and its bounds; it is at low[2] */
  bool is_cut;       /* something lies outside */
} ZwView;

/* Chooses a view of all rows. ZW_ERR_MEMORY. */
ZwStatus zw_view_fit(ZwView* view, const ZwViewDef* def, const ZwScene* scene);
/* Where a point is on the stage, in pixels from its upper left corner. */
void zw_view_place(const ZwView* view, const double point[3], double place[2]);
/* How near it is to the eye, in the world's units. */
double zw_view_nearness(const ZwView* view, const double point[3]);
/* The largest of 1, 2 and 5 times a power of ten that is not above a number > 0. */
double zw_view_round(double most);

#endif
