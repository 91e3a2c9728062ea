/* What is drawn: shapes, and the numbers they have at every instant. All of it is handed in; nothing here knows of models.
 *
 * A row of the run that feeds a scene begins with t. Of its columns a scene keeps t and those that a shape reads, so that a large
 * model with a small drawing makes a small scene. Rows at events come in pairs with the same t: both are kept, the scene
 * jumps there.
 */
#ifndef ZW_OUTPUT_SCENE_H
#define ZW_OUTPUT_SCENE_H

#include "base/arena.h"
#include "base/status.h"

typedef struct ZwScene {
  ZwArena arena;
  ZwDraw* shapes; /* their columns count within `numbers` of a row */
  int32_t shape_count;
  int32_t* columns; /* of the run's rows that are kept; the first is t */
  int32_t width;    /* how many */
  bool is_spatial;  /* a shape has three dimensions; those that have two are in the plane z = 0 then */

  ZW_ARRAY(double) numbers; /* row by row */
  int32_t row_count;
} ZwScene;

/* Copies the shapes. ZW_ERR_MEMORY; zw_scene_free is fine then too. */
ZwStatus zw_scene_init(ZwScene* scene, const ZwAllocator* allocator, const ZwDraw* shapes, int32_t shape_count);
/* Adds a row of the run. A row that repeats the one before is left out. */
ZwStatus zw_scene_add(ZwScene* scene, const double* row);
void zw_scene_free(ZwScene* scene);

double zw_scene_time(const ZwScene* scene, int32_t row);
/* The last row at or before a time; the first one if there is none. */
int32_t zw_scene_find(const ZwScene* scene, double t);
/* Number i of a shape, in the order of its kind (see ZwDraw). */
double zw_scene_number(const ZwScene* scene, int32_t row, const ZwDraw* shape, int32_t i);
/* Whether all numbers of the shape are finite. */
bool zw_scene_is_finite(const ZwScene* scene, int32_t row, const ZwDraw* shape);
/* Whether all rows have the same numbers for it. */
bool zw_scene_is_still(const ZwScene* scene, const ZwDraw* shape);

/* Point i of a shape, below its point_count: the corners of a line, the ends of a spring or arrow, the centre of a circle or box, the place of a text. In
 * the plane z is 0. */
void zw_scene_point(const ZwScene* scene, int32_t row, const ZwDraw* shape, int32_t i, double point[3]);
/* Points that bound a shape: its own; those farthest along the axes for a circle or ball; the corners of a box, in the plane one
 * after the other, in space with bit 0 of i for the side along w, bit 1 for h, bit 2 for d. */
int32_t zw_draw_bound_count(const ZwDraw* shape);
void zw_scene_bound(const ZwScene* scene, int32_t row, const ZwDraw* shape, int32_t i, double point[3]);
/* The axes of a box along w, h and d; those the user gave may be of any length. */
void zw_scene_box_axes(const ZwScene* scene, int32_t row, const ZwDraw* shape, double axes[3][3]);

#endif
