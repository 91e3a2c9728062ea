/* One instant of a scene on its stage: strokes, surfaces, discs and texts in pixels, in the order in which they are to be painted.
 *
 * In the plane that is the order of the text, with the ground and trails behind everything and arrows and texts before it. In space
 * the farthest come first; lines and trails are sorted piece by piece, so that a rod may be before a ball at one end and behind
 * it at the other. A shape with a number that is not finite is left out.
 */
#ifndef ZW_OUTPUT_SCENE_MARKS_H
#define ZW_OUTPUT_SCENE_MARKS_H

#include "output/look.h"

typedef enum ZwSceneMarkKind {
  ZW_SCENE_LINE, /* strokes; their widths differ */
  ZW_SCENE_SPRING,
  ZW_SCENE_TRAIL,
  ZW_SCENE_GROUND,
  ZW_SCENE_HATCH,
  ZW_SCENE_GRID,
  ZW_SCENE_ARROW,
  ZW_SCENE_HEAD, /* of an arrow: filled */
  ZW_SCENE_AREA, /* an outline and a surface between */
  ZW_SCENE_RING, /* a circle: the same */
  ZW_SCENE_DOT,  /* a point: a disc of its colour */
  ZW_SCENE_TEXT,
  ZW_SCENE_KINDS
} ZwSceneMarkKind;

typedef struct ZwSceneMark {
  ZwSceneMarkKind kind;
  int32_t ink, shade;   /* the shade is that of a surface */
  int32_t first, count; /* of its points */
  double radius;        /* px, of a ring or dot */
  int32_t shape;        /* number of the shape; -1: the floor */
  int32_t layer;        /* lower ones are painted first; then farther ones, then earlier ones */
  double nearness;
  int32_t order;
} ZwSceneMark;

typedef struct ZwPlace {
  double x, y; /* px */
} ZwPlace;

typedef struct ZwSceneMarks {
  ZwArena* arena;
  ZW_ARRAY(ZwSceneMark) list;
  ZW_ARRAY(ZwPlace) places;
} ZwSceneMarks;

/* What to make. */
typedef struct ZwSceneMarksDef {
  const ZwScene* scene;
  const ZwView* view;
  const ZwLook* look;
  bool with_trails; /* false: they are drawn in another way */
} ZwSceneMarksDef;

/* Memory is the arena's; making other marks uses it again. */
void zw_scene_marks_init(ZwSceneMarks* marks, ZwArena* arena);
/* The instant of a row; trails come from all rows up to it. When memory is out, the arena says so. */
void zw_scene_marks_make(ZwSceneMarks* marks, const ZwSceneMarksDef* def, int32_t row);
/* The floor of a scene in space: it does not move. */
void zw_scene_marks_floor(ZwSceneMarks* marks, const ZwSceneMarksDef* def);
/* The trail of a shape up to a row, as strokes of many points, true to a fraction of a pixel; in pieces where it is interrupted. */
void zw_scene_marks_trail(ZwSceneMarks* marks, const ZwSceneMarksDef* def, int32_t shape, int32_t row);

#endif
