/* The way a point has gone, on the stage, with as few corners as a fraction of a pixel allows. */
#ifndef ZW_OUTPUT_SCENE_TRAIL_H
#define ZW_OUTPUT_SCENE_TRAIL_H

#include "output/scene_marks.h"

/* A corner of the trail, where its point was at `row`; `begins`: nothing leads there from the one before. */
typedef void (*ZwSceneTrailFn)(void* context, ZwPlace place, double nearness, int32_t row, bool begins);

/* From the first row to `row`. A trail is interrupted where its point is not finite or jumps at an instant. */
void zw_scene_trail_walk(const ZwScene* scene, const ZwView* view, const ZwDraw* shape, int32_t row,
                         ZwSceneTrailFn take, void* context);

#endif
